/* The dual walk on the device, for actions that join bodies (kernels/forces/joins.k): a forest over
 * the bodies is joined by one kernel, without rounds. Only the groups come back. */
#include "engine/device/forces/joins.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

#define REACH(name, needs) [KY_ACTION_##name] = KY_EACH_PRECISION(ky_reach_##name),
#define JOINS(name, needs) [KY_ACTION_##name] = KY_EACH_PRECISION(ky_joins_##name),
static const enum ky_kernel_id reach_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {KY_JOINING(REACH)};
static const enum ky_kernel_id joins_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {KY_JOINING(JOINS)};

/* Lanes that find the largest and the smallest reach. */
enum { REACH_LANES = 64 * KY_WALK_LANES };

struct joins {
    struct ky_links *links;
    struct ky_device_bodies *bodies;
    struct ky_card *card;
    const struct ky_walk_request *request;
    /* Not kept. radius has no memory if the action needs none. group: first the leaf of each body.
     */
    struct ky_buffer radius, reach, parent, last, group;
};

static enum ky_status prepare(struct joins *joins, struct ky_error *error)
{
    const size_t n = joins->bodies->n;
    const struct {
        struct ky_buffer *buffer;
        const char *what;
        size_t count;
    } needs[] = {{&joins->reach, "reaches of bodies", 2},
                 {&joins->parent, "joined bodies", n},
                 {&joins->last, "indices of groups", n},
                 {&joins->group, "groups of bodies", n}};
    enum ky_status status = KY_OK;
    if (ky_actions[joins->request->action].about.needs_radius)
        status = ky_walk_radii_send(joins->bodies, joins->request, &joins->radius, error);
    for (size_t k = 0; k < sizeof needs / sizeof *needs && status == KY_OK; k++)
        status = ky_buffer_need(joins->card, needs[k].buffer, needs[k].what, needs[k].count,
                                sizeof(uint32_t), error);
    if (status == KY_OK)
        status = ky_pair_counts_need(&joins->links->counts, joins->bodies, n, error);
    return status;
}

static enum ky_status launch_joins(struct joins *joins, struct ky_error *error)
{
    const struct ky_links *links = joins->links;
    const struct ky_cells cells = ky_links_cells(links);
    const struct ky_parameters *parameters = joins->bodies->state->parameters;
    const enum ky_action_id action = joins->request->action;
    const struct ky_buffer *radius = joins->radius.handle ? &joins->radius : &joins->reach;
    const uint32_t n = (uint32_t)joins->bodies->n, lanes = REACH_LANES,
                   radii = (uint32_t)joins->request->radii,
                   flags = ky_links_flags(links, parameters);
    const struct ky_eps2_argument eps2 = ky_eps2_argument(joins->bodies->state);
    enum ky_status status = ky_launch_over(
        joins->card, reach_kernels[action][parameters->precision], lanes,
        KY_ARGUMENTS(KY_BUFFER(links->source), KY_BUFFER(links->eps2), KY_BUFFER(*cells.order),
                     KY_BUFFER(*radius), KY_BUFFER(joins->reach), KY_VALUE(n), KY_VALUE(lanes),
                     KY_VALUE(flags), KY_VALUE(radii), KY_EPS2(eps2, parameters->precision)),
        error);
    if (status == KY_OK)
        status = ky_launch_over(
            joins->card, joins_kernels[action][parameters->precision], n,
            KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                         KY_BUFFER(links->eps2), KY_BUFFER(*cells.order), KY_BUFFER(*radius),
                         KY_BUFFER(joins->reach), KY_BUFFER(joins->group), KY_BUFFER(joins->parent),
                         KY_BUFFER(links->counts.counts), KY_VALUE(n), KY_VALUE(flags),
                         KY_VALUE(radii), KY_EPS2(eps2, parameters->precision)),
            error);
    return status;
}

static enum ky_status run(struct joins *joins, struct ky_error *error)
{
    struct ky_card *card = joins->card;
    struct ky_cards *cards = &joins->bodies->state->cards;
    const struct ky_cells cells = ky_links_cells(joins->links);
    const uint32_t n = (uint32_t)joins->bodies->n, count = (uint32_t)cells.count;
    enum ky_status status = ky_mark(cards, 0, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_forest_start, n > 2 ? n : 2,
                                KY_ARGUMENTS(KY_BUFFER(*cells.order), KY_BUFFER(joins->parent),
                                             KY_BUFFER(joins->last), KY_BUFFER(joins->reach),
                                             KY_VALUE(n)),
                                error);
    if (status == KY_OK) /* the groups come later */
        status = ky_launch_over(
            card, KY_KERNEL_ky_forest_leaves, count,
            KY_ARGUMENTS(KY_BUFFER(cells.column->link), KY_BUFFER(joins->group), KY_VALUE(count)),
            error);
    if (status == KY_OK)
        status = launch_joins(joins, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_forest_roots, n,
                                KY_ARGUMENTS(KY_BUFFER(*cells.order), KY_BUFFER(joins->parent),
                                             KY_BUFFER(joins->last), KY_VALUE(n)),
                                error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_forest_groups, n,
                                KY_ARGUMENTS(KY_BUFFER(*cells.order), KY_BUFFER(joins->parent),
                                             KY_BUFFER(joins->last), KY_BUFFER(joins->group),
                                             KY_VALUE(n)),
                                error);
    return status == KY_OK ? ky_mark(cards, 1, error) : status;
}

static enum ky_status read_back(struct joins *joins, struct ky_error *error)
{
    const struct ky_walk_request *request = joins->request;
    const size_t n = joins->bodies->n;
    enum ky_status status = joins->card->driver->wait(joins->card, error);
    double start = ky_clock();
    uint32_t *group = request->group ? request->group : ky_allocate(n, sizeof *group);
    if (!group)
        return ky_no_memory(error, "groups on their way", n, sizeof *group);
    if (status == KY_OK)
        status = joins->card->driver->read(joins->card, &joins->group, 0, group, n * sizeof *group,
                                           error);
    for (size_t i = 0; i < n && status == KY_OK && request->results; i++)
        request->results[i] = group[i];
    if (!request->group)
        free(group);
    joins->bodies->state->report.download += ky_clock() - start;
    return status;
}

enum ky_status ky_device_join(struct ky_links *links, const struct ky_walk_request *request,
                              struct ky_error *error)
{
    struct joins joins = {
        .links = links, .bodies = links->bodies, .card = links->bodies->card, .request = request};
    enum ky_status status = prepare(&joins, error);
    if (status == KY_OK)
        status = run(&joins, error);
    if (status == KY_OK)
        status = read_back(&joins, error);
    struct ky_buffer *const buffers[] = {&joins.radius, &joins.reach, &joins.parent, &joins.last,
                                         &joins.group};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(joins.card, buffers[k]);
    return status;
}
