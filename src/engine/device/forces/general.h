/* The general walk (physics/visit.h) on the first card, through the tree of `links`. */
#ifndef KY_DEVICE_GENERAL_H
#define KY_DEVICE_GENERAL_H

#include "engine/device/tree/links.h"

/* At the present positions; the tree stays for the next one. */
enum ky_status ky_device_general(struct ky_links *links, const struct ky_walk_request *request,
                                 struct ky_error *error);

#endif
