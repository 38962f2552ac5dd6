/* The columns that an integrator has requested, on the card: component by component in state
 * numbers. Jerks have the units of accelerations (bodies.h), steps the caller's unit. */
#ifndef KY_DEVICE_INTEGRATOR_COLUMNS_H
#define KY_DEVICE_INTEGRATOR_COLUMNS_H

#include "engine/common/integrator_columns.h"
#include "engine/device/state/bodies.h"

/* Keeps only the columns of `set`. New ones are 0. */
enum ky_status ky_device_columns_choose(struct ky_device_state *state, unsigned set,
                                        struct ky_error *error);
/* Sets all columns except the set `but` to 0, for the current number of bodies. */
enum ky_status ky_device_columns_clear(struct ky_device_state *state, unsigned but,
                                       struct ky_error *error);
/* The verbs put_column and get_column, with the bodies in the caller's order, or a rank's bodies in
 * their order on the card. KY_USAGE for a missing column. */
enum ky_status ky_device_columns_put(struct ky_device_state *state, enum ky_column column,
                                     const double *numbers, struct ky_error *error);
enum ky_status ky_device_columns_get(struct ky_device_state *state, enum ky_column column,
                                     double *numbers, struct ky_error *error);

#endif
