/* Tidal tensors at points: the host side of kernels/forces/tides.k. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/common/relative.h"
#include "engine/device/forces/far.h"
#include "engine/device/forces/method.h"
#include "engine/device/forces/part_points.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/rows.h"

/* The points on the card in double, and the results; freed after the call. */
struct tides {
    struct ky_buffer point, eps2, label, tide;
    uint32_t flags; /* KY_FLAG_OWN_EPS, KY_FLAG_LISTED */
};

enum { COLUMNS = 6 };

static void release(struct ky_card *card, struct tides *tides)
{
    struct ky_buffer *buffers[] = {&tides->point, &tides->eps2, &tides->label, &tides->tide};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(card, buffers[k]);
}

static enum ky_status send(struct ky_device_state *state, struct tides *tides,
                           const struct ky_points *points, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t count = points->count, own = points->softenings ? count : 1,
                 labels = points->body ? count : 1;
    const struct ky_rows rows = {count, 3, 1 / state->units.length, state->box};
    tides->flags =
        (points->softenings ? KY_FLAG_OWN_EPS : 0U) | (points->body ? KY_FLAG_LISTED : 0U);
    KY_TRY(ky_rows_send(state, &tides->point, "points", rows, points->position[0], error));
    KY_TRY(ky_buffer_need(card, &tides->eps2, "squared softenings", own, sizeof(double), error));
    KY_TRY(ky_device_send_softenings(&state->bodies, points, KY_DOUBLE, &tides->eps2, 0, error));
    KY_TRY(
        ky_buffer_need(card, &tides->label, "labels of points", labels, sizeof(uint32_t), error));
    if (points->body)
        KY_TRY(card->driver->write(card, &tides->label, 0, points->body, count * sizeof(uint32_t),
                                   error));
    return ky_buffer_need(card, &tides->tide, "tidal tensors", COLUMNS * count, sizeof(double),
                          error);
}

/* By the exact sum. Its order is the caller's, and labels are the caller's indices. */
static enum ky_status sum(struct ky_device_state *state, const struct tides *tides,
                          const struct ky_points *points, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const uint32_t n = (uint32_t)state->n, count = (uint32_t)points->count, flags = tides->flags;
    const int32_t how = state->how;
    const struct ky_eps2_argument eps2 = ky_eps2_of_points(state, points);
    const uint32_t images = (uint32_t)ky_device_images(state);
    const union ky_state_value strength = ky_device_strength(bodies),
                               side = ky_to_state(bodies->card, state->box);
    KY_TRY(ky_device_curve_leave(bodies, error));
    return ky_launch_over(
        bodies->card, KY_KERNEL_ky_tides_of_bodies_double, count,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(tides->point),
                     KY_BUFFER(tides->eps2), KY_BUFFER(tides->label), KY_BUFFER(tides->tide),
                     KY_VALUE(n), KY_VALUE(count), KY_VALUE(flags), KY_VALUE(how),
                     KY_VALUE(eps2.whole), KY_VALUE(strength), KY_VALUE(images), KY_VALUE(side)),
        error);
}

static enum ky_status walk(struct ky_device_state *state, struct ky_links *links,
                           const struct tides *tides, const struct ky_points *points,
                           struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_parameters parameters = ky_for_points(state->parameters);
    if (!ky_device_shared(state))
        KY_TRY(ky_links_stand_for_points(links, &parameters, NULL, error));
    const struct ky_cells cells = ky_links_cells(links);
    const uint32_t n = (uint32_t)state->n, count = (uint32_t)points->count, root = cells.root,
                   flags = (ky_links_flags(links, &parameters) & ~(uint32_t)KY_FLAG_OWN_EPS) |
                           tides->flags | (bodies->curve.is_followed ? KY_FLAG_ALONG : 0U);
    const int32_t how = state->how, order = parameters.multipole;
    const struct ky_eps2_argument eps2 = ky_eps2_of_points(state, points);
    const uint32_t images = (uint32_t)ky_device_images(state);
    const union ky_state_value strength = ky_device_strength(bodies),
                               side = ky_to_state(bodies->card, state->box);
    return ky_launch_over(
        bodies->card, KY_KERNEL_ky_tides_of_cells_double, count,
        KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(*cells.order),
                     KY_BUFFER(*cells.frame), KY_BUFFER(tides->point), KY_BUFFER(tides->eps2),
                     KY_BUFFER(tides->tide), KY_VALUE(n), KY_VALUE(count), KY_VALUE(flags),
                     KY_VALUE(how), KY_VALUE(order), KY_VALUE(eps2.whole), KY_VALUE(strength),
                     KY_VALUE(root), KY_VALUE(images), KY_VALUE(side)),
        error);
}

/* Computes tides at one or more points. The tree, or the ranks' tree, is valid. */
static enum ky_status find_tides(struct ky_device_state *state, struct ky_links *links,
                                 const struct ky_points *points, double (*tide)[6],
                                 struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t count = points->count;
    const double scale = ky_device_scale(state).acceleration / state->units.length;
    struct tides tides = {.flags = 0};
    enum ky_status status = send(state, &tides, points, error);
    if (!status)
        status = ky_force_kind(state->parameters->force)->is_exact
                     ? sum(state, &tides, points, error)
                     : walk(state, links, &tides, points, error);
    if (!status)
        status = ky_device_far_make(state, error);
    if (!status)
        status = ky_device_far_add_tides(state, &tides.point, &tides.tide, count, error);
    const struct ky_rows rows = {count, COLUMNS, 1 / scale, 0};
    if (!status)
        status = ky_rows_read(state, &tides.tide, rows, tide[0], error);
    release(card, &tides);
    return status;
}

/* For ranks that share the bodies: each computes the tensors at some points. */
static enum ky_status find_tides_in_part(struct ky_device_state *state, struct ky_links *links,
                                         const struct ky_points *points, double (*tide)[6],
                                         struct ky_error *error)
{
    const struct ky_parameters parameters = ky_for_points(state->parameters);
    struct ky_part_points part = {.order = NULL};
    double(*own)[COLUMNS] = NULL;
    enum ky_status status = ky_part_points_stand(&part, links, &parameters, points, error);
    if (!status && !(own = ky_allocate(part.points.count, sizeof *own)))
        status = ky_no_memory(error, "tidal tensors", part.points.count, sizeof *own);
    if (!status && part.points.count > 0)
        status = find_tides(state, links, &part.points, own, error);
    if (!status)
        status =
            ky_part_points_join(&part, ky_device_shared(state), own[0], COLUMNS, tide[0], error);
    ky_part_points_release(&part);
    free(own);
    return status;
}

/* The same if each rank has all bodies. If points are few, each rank computes all tensors. */
static enum ky_status find_tides_in_copies(struct ky_device_state *state, struct ky_links *links,
                                           const struct ky_points *points, double (*tide)[6],
                                           struct ky_error *error)
{
    const int is_exact = ky_force_kind(state->parameters->force)->is_exact;
    const double pairs = is_exact ? (double)state->n : KY_PAIRS_OF_A_WALK;
    if (!ky_copies_begin(state, points->count, pairs))
        return find_tides(state, links, points, tide, error);
    KY_TRY(ky_copies_divide(state, points->count, 1, error));
    const size_t first = ky_copies_first(state);
    const struct ky_points own = ky_points_some(points, first, ky_copies_end(state) - first);
    if (own.count > 0)
        KY_TRY(find_tides(state, links, &own, tide + first, error));
    return ky_copies_join_rows(state, tide, sizeof *tide, error);
}

enum ky_status ky_device_tides(struct ky_device_state *state, struct ky_links *links,
                               const struct ky_points *points, double (*tide)[6],
                               struct ky_error *error)
{
    const struct ky_card *card = state->bodies.card;
    if (!card->has_double)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%s has no double, which tidal tensors need: use engine cpu", card->name);
    return (ky_device_shared(state)   ? find_tides_in_part
            : ky_device_copies(state) ? find_tides_in_copies
                                      : find_tides)(state, links, points, tide, error);
}
