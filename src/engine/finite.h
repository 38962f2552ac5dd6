/* Results that are infinite or not a number. */
#ifndef KY_ENGINE_FINITE_H
#define KY_ENGINE_FINITE_H

#include "engine/actions.h"

/* KY_BAD_DATA, naming the body or the sum, for one that is infinite or not a number. Arrays that
 * are NULL are passed over. */
enum ky_status ky_finite_bodies(const struct ky_bodies *bodies, struct ky_error *error);
/* Results of a walk, body by body as in ky_walk. */
enum ky_status ky_finite_results(enum ky_action_id action, const double *results, size_t n,
                                 struct ky_error *error);
enum ky_status ky_finite_sums(const struct ky_sums *sums, struct ky_error *error);

#endif
