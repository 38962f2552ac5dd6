/* Results that are infinite or not a number. */
#ifndef KY_ENGINE_FINITE_H
#define KY_ENGINE_FINITE_H

#include "engine/engine.h"

/* The index of the first number that is infinite or not a number, or `count`. `threads`, here and
 * below: number of threads; 0: OpenMP's default. */
size_t ky_first_wrong(int threads, const double *x, size_t count);

/* KY_BAD_DATA, naming the body, the point or the sum, for a number that is infinite or NaN. Arrays
 * that are NULL are ignored. */
enum ky_status ky_finite_bodies(int threads, const struct ky_bodies *bodies,
                                struct ky_error *error);
/* The same for a portion of the system that begins at body `first`. */
enum ky_status ky_finite_some(int threads, const struct ky_bodies *bodies, size_t first,
                              struct ky_error *error);
/* Positions of points, and the field at points. */
enum ky_status ky_finite_points(int threads, const struct ky_points *points,
                                struct ky_error *error);
enum ky_status ky_finite_field(int threads, const struct ky_points *points,
                               const double (*acceleration)[3], const double *potential,
                               struct ky_error *error);
/* The same of tidal tensors at points. */
enum ky_status ky_finite_tides(int threads, const struct ky_points *points, const double (*tide)[6],
                               struct ky_error *error);
/* Results of a walk, body by body as in ky_walk. */
enum ky_status ky_finite_results(int threads, enum ky_action_id action, const double *results,
                                 size_t n, struct ky_error *error);
enum ky_status ky_finite_sums(const struct ky_sums *sums, struct ky_error *error);

#endif
