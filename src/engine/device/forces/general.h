/* The general walk (physics/visit.h) on the first card, through the tree of `links`. */
#ifndef KY_DEVICE_GENERAL_H
#define KY_DEVICE_GENERAL_H

#include "engine/device/tree/links.h"

/* Walks at the present positions. The tree is kept for the next walk. */
enum ky_status ky_device_general(struct ky_links *links, const struct ky_walk_request *request,
                                 struct ky_error *error);

/* general.c for joins.c: copies the radii of a request to the card. */
enum ky_status ky_general_send_radii(const struct ky_device_bodies *bodies,
                                     const struct ky_walk_request *request,
                                     struct ky_buffer *radius, struct ky_error *error);
/* joins.c for general.c: the walk of an action that joins bodies, through the present tree. */
enum ky_status ky_device_join(struct ky_links *links, const struct ky_walk_request *request,
                              struct ky_error *error);

#endif
