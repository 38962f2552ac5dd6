/* Checks a finished model: all numbers are finite, and a system in equilibrium has a virial ratio
 * of 1. */
#ifndef KY_MODELS_BALANCE_H
#define KY_MODELS_BALANCE_H

#include "models/models.h"

/* To be called before a model is scaled, with the bodies of the portion. KY_USAGE for a body whose
 * numbers are not finite, and if a `balanced` model has a virial ratio that is off by half or more.
 * From a quarter on it logs a warning. */
enum ky_status ky_balance_check(const struct ky_model *model, const struct ky_model_common *common,
                                const struct ky_bodies *bodies, struct ky_error *error);

#endif
