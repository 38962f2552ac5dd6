/* The opening test as the kernels of walk and list take it: flags, and for `relative` the last
 * accelerations and the pass before the first. */
#ifndef KY_DEVICE_OPENING_H
#define KY_DEVICE_OPENING_H

#include "engine/device/host_tree.h"
#include "engine/relative.h"

/* KY_FLAG_… of these parameters and of the bodies, and KY_OPENING_… of the tree. */
uint32_t ky_device_flags(const struct ky_host_tree *host, const struct ky_parameters *parameters);
/* Which of the bodies at places along the curve are active: allocated, bytes [n], free(); NULL if
 * all are. */
enum ky_status ky_device_active_places(const struct ky_host_tree *host, unsigned char **is_active,
                                       struct ky_error *error);
/* What the relative test takes from the last accelerations, which come down into *columns, to be
 * freed after use, also after a failure. */
enum ky_status ky_device_last_accelerations(const struct ky_host_tree *host,
                                            struct ky_relative *relative, double **columns,
                                            struct ky_error *error);

/* Evaluates the forces in the passes that the opening test needs: ky_relative_passes. */
typedef enum ky_status ky_evaluate_function(struct ky_host_tree *host, void *own,
                                            const struct ky_parameters *parameters,
                                            struct ky_error *error);
enum ky_status ky_device_passes(struct ky_host_tree *host, void *own,
                                ky_evaluate_function *evaluate, struct ky_error *error);

#endif
