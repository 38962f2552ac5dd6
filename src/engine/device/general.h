/* The general walk (physics/visit.h) through the host's tree on the first card. */
#ifndef KY_DEVICE_GENERAL_H
#define KY_DEVICE_GENERAL_H

#include "engine/device/host_tree.h"

/* At the present positions; the tree stays for the next one. */
enum ky_status ky_device_general(struct ky_device_bodies *bodies, struct ky_host_tree *host,
                                 const struct ky_walk_request *request, struct ky_error *error);

#endif
