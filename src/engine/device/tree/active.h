/* Data for forces through the host's tree, in the order of the tree: active bodies, and the last
 * accelerations for the opening test `relative`. */
#ifndef KY_DEVICE_ACTIVE_H
#define KY_DEVICE_ACTIVE_H

#include "engine/common/relative.h"
#include "engine/device/tree/host_tree.h"

/* Marks of the active bodies along the curve: bytes [n], allocated for the caller, who frees them
 * with free(). NULL if all are active. */
enum ky_status ky_device_active_places(const struct ky_host_tree *host,
                                       const struct ky_active *active, unsigned char **is_active,
                                       struct ky_error *error);
/* Fills *relative from the last accelerations, which are copied to *columns. The caller frees
 * *columns after use, also after a failure. */
enum ky_status ky_device_last_accelerations(const struct ky_host_tree *host,
                                            struct ky_relative *relative, double **columns,
                                            struct ky_error *error);

#endif
