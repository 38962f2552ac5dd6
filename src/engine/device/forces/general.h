/* The general walk (physics/visit.h) on the card, through the tree of `links`. */
#ifndef KY_DEVICE_GENERAL_H
#define KY_DEVICE_GENERAL_H

#include "engine/device/tree/links.h"

/* Walks at the current positions. The tree is kept for the next walk. */
enum ky_status ky_device_general(struct ky_links *links, const struct ky_walk_request *request,
                                 struct ky_error *error);

#endif
