/* Bodies in order along the curve: all their arrays are in that order, and each body has the
 * caller's number. Building a tree on the card reorders them. Code that uses the caller's numbers
 * puts them back first. */
#ifndef KY_DEVICE_CURVE_H
#define KY_DEVICE_CURVE_H

#include "engine/device/state/bodies.h"

#define KY_ROOM_OF_ORDERS "room for bodies in another order"
/* Allocates the room (bodies->curve.room, work memory) and the orders. The content of the room is
 * undefined between calls of the functions below. */
enum ky_status ky_device_curve_need(struct ky_device_bodies *bodies, struct ky_error *error);
/* Reorders the bodies: body k becomes the former body place[now][k], now = 0 or 1. No part of the
 * room may be in use, since the room is exchanged with other buffers. */
enum ky_status ky_device_curve_follow(struct ky_device_bodies *bodies, int now,
                                      struct ky_error *error);
/* Puts the bodies back into the caller's order, if they are in another one. */
enum ky_status ky_device_curve_leave(struct ky_device_bodies *bodies, struct ky_error *error);
/* Restores the order before the last ky_device_curve_leave. The bodies must not have been reordered
 * since. */
enum ky_status ky_device_curve_return(struct ky_device_bodies *bodies, struct ky_error *error);
/* Bytes on the card for n bodies. */
double ky_device_curve_memory(size_t n);

#endif
