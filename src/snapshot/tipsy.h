/* The layout of TIPSY files, shared by the reader and the writer. */
#ifndef KY_SNAPSHOT_TIPSY_H
#define KY_SNAPSHOT_TIPSY_H

#include "snapshot/snapshot.h"

enum { KY_TIPSY_HEADER = 32, KY_TIPSY_KINDS = 3 };

/* Records of gas, dark matter and stars, where all numbers are floats: mass, position 3, velocity
 * 3, …, potential. Gas has its smoothing length in place of the softening. */
struct ky_tipsy_kind {
    int words;     /* of 4 bytes; the last is the potential */
    int softening; /* which word it is, from 0 */
    int type;      /* GADGET type for the bodies */
};
extern const struct ky_tipsy_kind ky_tipsy_kinds[KY_TIPSY_KINDS];

/* The first and the last line of our own part of NAME.param. */
#define KY_TIPSY_UNITS_BEGIN "# kyoho:"
#define KY_TIPSY_UNITS_END "# kyoho_end = 1"

/* The name of a file beside the snapshot: path + ".iord" or ".param". To be freed; NULL when memory
 * is out. */
char *ky_tipsy_neighbour(const char *path, const char *suffix);

/* Reads the whole of a text file into *text, to be freed; NULL if there is no such file.
 * KY_BAD_DATA if it is empty or cannot be read. */
enum ky_status ky_tipsy_text(const char *name, char **text, struct ky_error *error);

/* Reads units, space and softening from NAME.param, if there is one. If Kyoho wrote that file, the
 * numbers of the bodies are converted to the units of the run, which need not have G = 1.
 * KY_BAD_DATA for a file that is cut off or has a value that is not a number. */
enum ky_status ky_tipsy_read_notes(const char *name, struct ky_snapshot *snapshot,
                                   struct ky_error *error);

#endif
