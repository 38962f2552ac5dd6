/* Bodies that lie along the curve on the first card: all their columns in another order than the
 * caller's, and for each the caller's number. The tree that a card makes brings them there; whoever
 * takes bodies by the caller's numbers has them put back first. */
#ifndef KY_DEVICE_CURVE_H
#define KY_DEVICE_CURVE_H

#include "engine/device/bodies.h"

#define KY_ROOM_OF_ORDERS "room for bodies in another order"
/* Room for the work, bodies->curve.room, and for orders. The content of the room means nothing
 * between two calls of the functions below. */
enum ky_status ky_device_curve_need(struct ky_device_bodies *bodies, struct ky_error *error);
/* The k-th body is from now on the one that is at place[now][k], now = 0 or 1. No part of the room
 * may be in use: it changes places with other buffers. */
enum ky_status ky_device_curve_follow(struct ky_device_bodies *bodies, int now,
                                      struct ky_error *error);
/* Puts the bodies back into the caller's order, if they are in another one. */
enum ky_status ky_device_curve_leave(struct ky_device_bodies *bodies, struct ky_error *error);
/* Brings them back into the order that they left last. No other one was followed since. */
enum ky_status ky_device_curve_return(struct ky_device_bodies *bodies, struct ky_error *error);
void ky_device_curve_release(struct ky_device_bodies *bodies);
/* Bytes on the card for n bodies. */
double ky_device_curve_memory(size_t n);

#endif
