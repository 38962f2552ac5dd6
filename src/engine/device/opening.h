/* The opening test as the kernels of walk and list take it: flags, and for `relative` a factor for
 * each sink and the pass before the first. */
#ifndef KY_DEVICE_OPENING_H
#define KY_DEVICE_OPENING_H

#include "engine/device/host_tree.h"

/* KY_WALK_… of these parameters and of the bodies. */
uint32_t ky_device_walk_flags(const struct ky_host_tree *host,
                              const struct ky_parameters *parameters);
/* host->factor from the last accelerations. */
enum ky_status ky_device_factors(struct ky_host_tree *host, struct ky_error *error);

/* Evaluates the forces; for the relative opening test without last accelerations twice, with
 * `offset` first. */
typedef enum ky_status ky_evaluate_function(struct ky_host_tree *host, void *own,
                                            const struct ky_parameters *parameters,
                                            struct ky_error *error);
enum ky_status ky_device_relative(struct ky_host_tree *host, void *own,
                                  ky_evaluate_function *evaluate, struct ky_error *error);

#endif
