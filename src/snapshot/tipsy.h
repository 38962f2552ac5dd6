/* The layout of TIPSY files, shared by the reader and the writer. */
#ifndef KY_SNAPSHOT_TIPSY_H
#define KY_SNAPSHOT_TIPSY_H

#include "snapshot/snapshot.h"

enum { KY_TIPSY_HEADER = 32, KY_TIPSY_KINDS = 3 };

/* Records of gas, dark matter and stars, in which all numbers are floats: mass, position 3,
 * velocity 3, …, potential. Gas has its smoothing length instead of the softening. */
struct ky_tipsy_kind {
    int words;     /* number of words of 4 bytes; the last is the potential */
    int softening; /* index of the softening's word, from 0 */
    int type;      /* GADGET type of the bodies */
};
extern const struct ky_tipsy_kind ky_tipsy_kinds[KY_TIPSY_KINDS];

/* The first and the last line of Kyoho's part of NAME.param. */
#define KY_TIPSY_UNITS_BEGIN "# kyoho:"
#define KY_TIPSY_UNITS_END "# kyoho_end = 1"

/* The name of an accompanying file of the snapshot: path + ".iord" or ".param". The caller frees
 * it; NULL if memory runs out. */
char *ky_tipsy_neighbour(const char *path, const char *suffix);

/* Reads a complete text file into *text, which the caller frees; NULL if there is no such file.
 * KY_BAD_DATA if it is empty or cannot be read. */
enum ky_status ky_tipsy_text(const char *name, char **text, struct ky_error *error);

/* Reads units, space and softening from NAME.param, if it exists. If Kyoho wrote that file, the
 * numbers of the bodies are converted to the units of the run, in which G need not be 1.
 * KY_BAD_DATA for a truncated file or for a value that is not a number. */
enum ky_status ky_tipsy_read_notes(const char *name, struct ky_snapshot *snapshot,
                                   struct ky_error *error);

#endif
