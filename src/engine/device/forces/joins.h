/* The dual walk on the card for actions that join bodies, and the radii of a walk. */
#ifndef KY_DEVICE_JOINS_H
#define KY_DEVICE_JOINS_H

#include "engine/device/state/rows.h"
#include "engine/device/tree/links.h"

/* Walks for a joining action through the current tree of `links`. */
enum ky_status ky_device_join(struct ky_links *links, const struct ky_walk_request *request,
                              struct ky_error *error);

/* The periodic box as an argument of the kernels of walks: struct ky_general_side of
 * kernels/forces/general.h, in double and in float. */
struct ky_walk_side {
    double whole[3];
    float part[3];
};
static inline struct ky_walk_side ky_walk_side(const struct ky_device_state *state)
{
    const double side = state->box;
    const float near = (float)side / 256; /* KY_NEAR2 */
    return (struct ky_walk_side){{side, 0, 0}, {(float)side, ky_low_part(side), near * near}};
}
#define KY_WALK_SIDE(side, precision)                                                              \
    ((precision) == KY_DOUBLE ? KY_VALUE((side).whole) : KY_VALUE((side).part))

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
