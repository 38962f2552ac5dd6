/* The layout of TIPSY files, shared by the reader and the writer. */
#ifndef KY_SNAPSHOT_TIPSY_H
#define KY_SNAPSHOT_TIPSY_H

#include "snapshot/snapshot.h"

enum { KY_TIPSY_HEADER = 32, KY_TIPSY_KINDS = 3 };

/* Words of 4 bytes of a record of gas, dark matter and stars, when all are float: mass, position 3,
 * velocity 3, …, the softening in word `softening`, the potential last. For gas the smoothing
 * length stands for the softening. */
struct ky_tipsy_kind {
    int words, softening, type;
};
extern const struct ky_tipsy_kind ky_tipsy_kinds[KY_TIPSY_KINDS];

/* The first and the last words of our own in NAME.param. */
#define KY_TIPSY_UNITS_BEGIN "# kyoho:"
#define KY_TIPSY_UNITS_END "# kyoho_end = 1"

/* ".iord" and ".param" beside the file: path + suffix, to be freed. */
char *ky_tipsy_neighbour(const char *path, const char *suffix);

/* The whole of a small text file beside the snapshot, NULL if there is none. */
enum ky_status ky_tipsy_text(const char *name, char **text, struct ky_error *error);

/* NAME.param, if there is one: units, space and softening. Numbers are taken back to the units of
 * the run where the file is ours. */
enum ky_status ky_tipsy_read_notes(const char *name, struct ky_snapshot *snapshot,
                                   struct ky_error *error);

#endif
