/* The dual walk on the card for actions that join bodies, and the radii of a walk. */
#ifndef KY_DEVICE_JOINS_H
#define KY_DEVICE_JOINS_H

#include "engine/device/state/rows.h"
#include "engine/device/tree/links.h"

/* Walks for a joining action through the current tree of `links`. */
enum ky_status ky_device_join(struct ky_links *links, const struct ky_walk_request *request,
                              struct ky_error *error);

/* Copies the radii of a request to the card, in the engine's units: one for all, or one for each
 * body, of which a rank has its share. */
static inline enum ky_status ky_walk_radii_send(const struct ky_device_bodies *bodies,
                                                const struct ky_walk_request *request,
                                                struct ky_buffer *radius, struct ky_error *error)
{
    const struct ky_rows rows = {request->radii == 1 ? 1 : request->n, 1,
                                 1 / bodies->state->units.length, 0};
    return ky_rows_send(bodies->state, radius, "radii", rows, request->radius, error);
}

#endif
