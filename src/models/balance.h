/* Whether a model that has been made is what it promises: numbers that are finite, and for a system
 * in equilibrium a virial ratio of 1. */
#ifndef KY_MODELS_BALANCE_H
#define KY_MODELS_BALANCE_H

#include "models/models.h"

/* 2T/|Σ m x·a| of at most 2,048 bodies, spread over all, with the softened forces of these on each
 * other as if they were all (G = 1); NaN for fewer than two. *noise: what chance makes of it. */
double ky_balance_ratio(const struct ky_model_common *common, const struct ky_bodies *bodies,
                        double *noise);

/* Before a model is scaled: KY_USAGE for a body whose numbers are not finite, and for a virial
 * ratio of a model `balanced` that is off by a half and more; a warning in the log from a quarter
 * on. */
enum ky_status ky_balance_check(const struct ky_model *model, const struct ky_model_common *common,
                                const struct ky_bodies *bodies, struct ky_error *error);

#endif
