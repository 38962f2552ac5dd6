/* A restart file in pieces: arrays of the bodies in files of their own beside it, PATH.7.0,
 * PATH.7.1, …, each of which has some of the bodies. The section `pieces` of the file says what is
 * in them. The first number is new for each restart file, so that pieces in use are never written
 * to. docs/formats/restart.md is the specification. */
#ifndef KY_SNAPSHOT_PIECES_H
#define KY_SNAPSHOT_PIECES_H

#include "snapshot/restart.h"

/* The arrays of bodies in pieces. */
enum { KY_PIECES_ARRAYS = KY_NEED_MOTION | 1 << KY_ARRAY_ACCELERATION | 1 << KY_ARRAY_POTENTIAL };
/* The generation, at least 1, in the name of a piece of a restart file that is named `base`; 0 for
 * the name of another file. */
uint64_t ky_piece_generation(const char *name, const char *base);
/* Has the pieces of to->path written, and makes the section that describes them, to be freed by
 * ky_section_free. Also after a failure the caller calls ky_pieces_tidy. */
enum ky_status ky_pieces_write(const struct ky_restart_to *to, struct ky_section *section,
                               struct ky_error *error);
/* Removes all pieces beside `path` except for the pieces of `path` and `previous`. Never fails. */
void ky_pieces_tidy(const char *path, const char *previous);
/* Looks at the pieces beside `path` that the restart file describes, if it does so, and notes the
 * path. KY_BAD_DATA for a piece that is missing, has another length or is damaged, which the line
 * names. */
enum ky_status ky_pieces_check(const char *path, struct ky_restart *restart,
                               struct ky_error *error);
/* After that: reads the arrays, if there are pieces, and adds them as sections. */
enum ky_status ky_pieces_load(struct ky_restart *restart, struct ky_error *error);
/* Or says where they are, for others who read them; and how many bodies there are. To be freed by
 * ky_pieces_free_plan, after a failure too. */
enum ky_status ky_pieces_plan(const struct ky_restart *restart, struct ky_write_plan *plan,
                              uint64_t *bodies, struct ky_error *error);
void ky_pieces_free_plan(struct ky_write_plan *plan);

#endif
