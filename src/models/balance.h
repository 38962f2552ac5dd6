/* Whether a model that has been made is what it promises: numbers that are finite, and for a system
 * in equilibrium a virial ratio of 1. */
#ifndef KY_MODELS_BALANCE_H
#define KY_MODELS_BALANCE_H

#include "models/models.h"

/* To be called before a model is scaled, with the bodies that are made here. KY_USAGE for a body
 * whose numbers are not finite, and if a model that is `balanced` has a virial ratio that is off by
 * a half or more. From a quarter on it logs a warning. */
enum ky_status ky_balance_check(const struct ky_model *model, const struct ky_model_common *common,
                                const struct ky_bodies *bodies, struct ky_error *error);

#endif
