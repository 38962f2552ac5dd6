/* What forces through a tree of the host need beside it, in the order of the tree: active bodies,
 * and for the opening test `relative` the last accelerations. */
#ifndef KY_DEVICE_OPENING_H
#define KY_DEVICE_OPENING_H

#include "engine/common/relative.h"
#include "engine/device/tree/host_tree.h"

/* Which of the bodies at places along the curve are active: allocated, bytes [n], free(); NULL if
 * all are (`active` NULL). */
enum ky_status ky_device_active_places(const struct ky_host_tree *host,
                                       const struct ky_active *active, unsigned char **is_active,
                                       struct ky_error *error);
/* Fills *relative from the last accelerations, which are copied to *columns. The caller frees
 * *columns after use, also after a failure. */
enum ky_status ky_device_last_accelerations(const struct ky_host_tree *host,
                                            struct ky_relative *relative, double **columns,
                                            struct ky_error *error);

#endif
