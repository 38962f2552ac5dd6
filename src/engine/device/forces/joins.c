/* The dual walk on the device, for actions that join bodies (kernels/forces/joins.k): one kernel
 * joins a forest over the bodies, without rounds. Only the groups are copied back. */
#include "engine/device/forces/joins.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"

#define REACH(name, needs) [KY_ACTION_##name] = KY_EACH_PRECISION(ky_reach_##name),
#define JOINS(name, needs) [KY_ACTION_##name] = KY_EACH_PRECISION(ky_joins_##name),
static const enum ky_kernel_id reach_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {KY_JOINING(REACH)};
#define IN_BOX(name, needs) [KY_ACTION_##name] = KY_EACH_PRECISION(ky_joins_box_##name),
static const enum ky_kernel_id joins_kernels[2][KY_ACTION_COUNT][KY_PRECISIONS] = {
    {KY_JOINING(JOINS)}, {KY_JOINING(IN_BOX)}}; /* in open space, in a periodic box */
#define ACROSS(name, needs) [KY_ACTION_##name] = KY_EACH_PRECISION(ky_across_##name),
static const enum ky_kernel_id across_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {
    KY_JOINING(ACROSS)};

/* Lanes that find the largest and the smallest reach. */
enum { REACH_LANES = 64 * KY_WALK_LANES };

struct joins {
    struct ky_links *links;
    struct ky_device_bodies *bodies;
    struct ky_card *card;
    const struct ky_walk_request *request;
    size_t n, places; /* own bodies; all: on a rank the bodies of other ranks follow the own ones */
    /* Freed after the walk. radius is empty if the action needs none. group: first the leaf of each
     * body. */
    struct ky_buffer radius, reach, parent, last, group;
};

static enum ky_status prepare(struct joins *joins, struct ky_error *error)
{
    const size_t n = joins->places;
    const struct ky_need needs[] = {{&joins->reach, "reaches of bodies", 2, sizeof(uint32_t)},
                                    {&joins->parent, "joined bodies", n, sizeof(uint32_t)},
                                    {&joins->last, "indices of groups", n, sizeof(uint32_t)},
                                    {&joins->group, "groups of bodies", n, sizeof(uint32_t)}};
    if (ky_actions[joins->request->action].about.needs_radius)
        KY_TRY(ky_walk_radii_send(joins->bodies, joins->request, &joins->radius, error));
    KY_TRY(ky_buffers_need(joins->card, needs, sizeof needs / sizeof *needs, error));
    return ky_pair_counts_need(&joins->links->counts, joins->bodies, joins->n, error);
}

static uint32_t flags_of(const struct joins *joins)
{
    const struct ky_device_state *state = joins->bodies->state;
    return ky_links_flags(joins->links, state->parameters) |
           (ky_device_shared(state) ? KY_FLAG_BY_PLACE : 0U);
}

static enum ky_status launch_joins(struct joins *joins, struct ky_error *error)
{
    const struct ky_links *links = joins->links;
    const struct ky_cells cells = ky_links_cells(links);
    const struct ky_parameters *parameters = joins->bodies->state->parameters;
    const enum ky_action_id action = joins->request->action;
    const struct ky_buffer *radius = joins->radius.handle ? &joins->radius : &joins->reach;
    const uint32_t n = (uint32_t)joins->n, lanes = REACH_LANES,
                   radii = (uint32_t)joins->request->radii, flags = flags_of(joins),
                   its_cells = (uint32_t)cells.count, root = cells.root,
                   later = (uint32_t)links->own.later;
    const struct ky_eps2_argument eps2 = ky_eps2_argument(joins->bodies->state);
    const struct ky_walk_side side = ky_walk_side(joins->bodies->state);
    KY_TRY(ky_launch_over(
        joins->card, reach_kernels[action][parameters->precision], lanes,
        KY_ARGUMENTS(KY_BUFFER(links->source), KY_BUFFER(links->eps2), KY_BUFFER(*cells.order),
                     KY_BUFFER(*radius), KY_BUFFER(joins->reach), KY_VALUE(n), KY_VALUE(lanes),
                     KY_VALUE(flags), KY_VALUE(radii), KY_EPS2(eps2, parameters->precision)),
        error));
    KY_TRY(ky_launch_over(
        joins->card, joins_kernels[parameters->box > 0][action][parameters->precision], n,
        KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                     KY_BUFFER(links->eps2), KY_BUFFER(*cells.order), KY_BUFFER(*radius),
                     KY_BUFFER(joins->reach), KY_BUFFER(joins->group), KY_BUFFER(joins->parent),
                     KY_BUFFER(links->counts.counts), KY_VALUE(n), KY_VALUE(flags), KY_VALUE(radii),
                     KY_WALK_SIDE(side, parameters->precision),
                     KY_EPS2(eps2, parameters->precision)),
        error));
    if (joins->places > joins->n)
        KY_TRY(ky_launch_over(
            joins->card, across_kernels[action][parameters->precision], n,
            KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                         KY_BUFFER(links->eps2), KY_BUFFER(*cells.order), KY_BUFFER(*radius),
                         KY_BUFFER(joins->reach), KY_BUFFER(joins->parent), KY_VALUE(n),
                         KY_VALUE(its_cells), KY_VALUE(root), KY_VALUE(later), KY_VALUE(flags),
                         KY_VALUE(radii), KY_WALK_SIDE(side, parameters->precision),
                         KY_EPS2(eps2, parameters->precision)),
            error));
    return KY_OK;
}

static enum ky_status run(struct joins *joins, struct ky_error *error)
{
    struct ky_card *card = joins->card;
    struct ky_opened *opened = &joins->bodies->state->opened;
    const struct ky_cells cells = ky_links_cells(joins->links);
    const uint32_t n = (uint32_t)joins->places, count = (uint32_t)cells.count,
                   flags = flags_of(joins);
    enum ky_status status = ky_mark(opened, 0, error);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_forest_start, n > 2 ? n : 2,
                                KY_ARGUMENTS(KY_BUFFER(*cells.order), KY_BUFFER(joins->parent),
                                             KY_BUFFER(joins->last), KY_BUFFER(joins->reach),
                                             KY_VALUE(n)),
                                error);
    if (!status) /* the groups come later */
        status = ky_launch_over(
            card, KY_KERNEL_ky_forest_leaves, count,
            KY_ARGUMENTS(KY_BUFFER(cells.column->link), KY_BUFFER(joins->group), KY_VALUE(count)),
            error);
    if (!status)
        status = launch_joins(joins, error);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_forest_roots, n,
                                KY_ARGUMENTS(KY_BUFFER(*cells.order), KY_BUFFER(joins->parent),
                                             KY_BUFFER(joins->last), KY_VALUE(n)),
                                error);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_forest_groups, n,
                                KY_ARGUMENTS(KY_BUFFER(*cells.order), KY_BUFFER(joins->parent),
                                             KY_BUFFER(joins->last), KY_BUFFER(joins->group),
                                             KY_VALUE(n), KY_VALUE(flags)),
                                error);
    return status ? status : ky_mark(opened, 1, error);
}

/* For links, returns a joined pair of a body and the smallest index of its group instead of the
 * groups. */
static enum ky_status give_links(const struct joins *joins, const uint32_t *group,
                                 struct ky_error *error)
{
    struct ky_walk_links *links = joins->request->links;
    const size_t n = joins->places;
    uint32_t *number = ky_allocate(n, sizeof *number);
    enum ky_status status =
        number ? joins->card->driver->read(joins->card, &joins->bodies->curve.index, 0, number,
                                           n * sizeof *number, error)
               : ky_no_memory(error, "numbers of bodies", n, sizeof *number);
    size_t room = 0;
    for (size_t k = 0; k < n && !status; k++)
        room += number[k] != group[k];
    links->count = 0;
    links->pair = !status ? ky_allocate(room, sizeof *links->pair) : NULL;
    if (!status && !links->pair)
        status = ky_no_memory(error, "links of bodies", room, sizeof *links->pair);
    for (size_t k = 0; k < n && !status; k++)
        if (number[k] != group[k]) {
            links->pair[links->count][0] = group[k];
            links->pair[links->count++][1] = number[k];
        }
    free(number);
    return status;
}

/* Copies the groups directly to the caller's array if possible. */
static enum ky_status read_back(struct joins *joins, struct ky_error *error)
{
    const struct ky_walk_request *request = joins->request;
    const size_t n = joins->places;
    enum ky_status status = joins->card->driver->wait(joins->card, error);
    double start = ky_clock();
    uint32_t *own = request->group && !request->links ? NULL : ky_allocate(n, sizeof *own),
             *group = own ? own : request->group;
    if (!group)
        return ky_no_memory(error, "groups on their way", n, sizeof *group);
    if (!status)
        status = joins->card->driver->read(joins->card, &joins->group, 0, group, n * sizeof *group,
                                           error);
    if (!status && request->links)
        status = give_links(joins, group, error);
    for (size_t i = 0; i < n && !status && request->results && !request->links; i++)
        request->results[i] = group[i];
    free(own);
    joins->bodies->state->report.download += ky_clock() - start;
    return status;
}

enum ky_status ky_device_join(struct ky_links *links, const struct ky_walk_request *request,
                              struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    struct joins joins = {.links = links,
                          .bodies = bodies,
                          .card = bodies->card,
                          .request = request,
                          .n = bodies->live,
                          .places =
                              ky_device_shared(bodies->state) ? links->own.places : bodies->live};
    enum ky_status status = prepare(&joins, error);
    if (!status)
        status = run(&joins, error);
    if (!status)
        status = read_back(&joins, error);
    struct ky_buffer *const buffers[] = {&joins.radius, &joins.reach, &joins.parent, &joins.last,
                                         &joins.group};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(joins.card, buffers[k]);
    return status;
}
