/* A restart file in pieces: arrays of the bodies are in separate files beside it, PATH.7.0,
 * PATH.7.1, …, each with some of the bodies. The section `pieces` of the file describes them. The
 * first number is new for each restart file, so that pieces in use are never overwritten.
 * docs/formats/restart.md is the specification. */
#ifndef KY_SNAPSHOT_PIECES_H
#define KY_SNAPSHOT_PIECES_H

#include "base/portion.h"
#include "snapshot/restart.h"

/* The arrays of bodies in pieces. */
enum { KY_PIECES_ARRAYS = KY_NEED_MOTION | 1 << KY_ARRAY_ACCELERATION | 1 << KY_ARRAY_POTENTIAL };
/* The generation, at least 1, in the name of a piece of the restart file `base`; 0 for the name of
 * another file. */
uint64_t ky_piece_generation(const char *name, const char *base);
/* Writes the pieces of to->path, and makes the section that describes them, which the caller frees
 * with ky_section_free. The caller also calls ky_pieces_tidy, also after a failure. */
enum ky_status ky_pieces_write(const struct ky_restart_to *to, struct ky_section *section,
                               struct ky_error *error);
/* Removes all pieces beside `path` except the pieces of `path` and `previous`. Never fails. */
void ky_pieces_tidy(const char *path, const char *previous);
/* Checks the pieces beside `path` that the restart file describes, if any, and stores the path.
 * KY_BAD_DATA for a piece that is missing, has another length or is damaged; the message names
 * it. */
enum ky_status ky_pieces_check(const char *path, struct ky_restart *restart,
                               struct ky_error *error);

/* A description of pieces for their readers, as bytes that can be sent to other ranks. */
enum { KY_PIECES_PATH = 4096 };
struct ky_pieces {
    char path[KY_PIECES_PATH];
    uint64_t generation, count, bodies, arrays; /* as in the section */
    int array[KY_ARRAYS];                       /* enum ky_array_id, in their order in a piece */
};
/* Fills it after ky_pieces_check. KY_BAD_DATA unless the pieces have KY_PIECES_ARRAYS. */
enum ky_status ky_pieces_describe(const struct ky_restart *restart, struct ky_pieces *pieces,
                                  struct ky_error *error);
/* Reads the arrays of the portion's bodies to *bodies, and checks them. They are ky_allocate's,
 * also after a failure. KY_BAD_DATA for a piece that cannot be read, and for invalid numbers. */
enum ky_status ky_pieces_read(const struct ky_pieces *pieces, const struct ky_portion *portion,
                              int threads, struct ky_bodies *bodies, struct ky_error *error);

#endif
