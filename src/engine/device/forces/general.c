/* The general walk (physics/visit.h) on the device: each team walks for a group of sinks through
 * the current tree, with the kernel of the action. The arrays of an action are copied to the
 * device, its results come back in the caller's order and units. Lists are sorted on the device.
 * The engine of a rank first receives the cells of other ranks that it needs (ranks/exchange.h),
 * then walks for its own bodies. */
#include "engine/device/forces/general.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/common/trees.h"
#include "engine/device/driver/fault.h"
#include "engine/device/forces/joins.h"
#include "engine/device/kernels/tree/cut_box.h"
#include "engine/device/ranks/exchange.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/motion.h"
#include "engine/device/tree/tree_groups.h"

/* Bytes for the lists of the k nearest bodies in one launch, which has as many sinks as fit. */
enum { SPACE = 1 << 28 };

#define ROW(name, needs) KY_EACH_PRECISION(ky_general_##name),
#define IN_BOX(name, needs) KY_EACH_PRECISION(ky_general_box_##name),
/* In open space, and in a periodic box. */
static const enum ky_kernel_id kernels[2][KY_ACTION_COUNT][KY_PRECISIONS] = {{KY_ACTIONS(ROW)},
                                                                             {KY_ACTIONS(IN_BOX)}};
#define AROUND(name, needs) KY_EACH_PRECISION(ky_cut_around_##name),
static const enum ky_kernel_id around_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {
    KY_ACTIONS(AROUND)};
#define CUT(name, needs) KY_EACH_PRECISION(ky_cut_##name),
static const enum ky_kernel_id cut_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {KY_ACTIONS(CUT)};

/* Kernels that keep the k nearest in local memory, the smallest first. */
static const struct {
    size_t most;
    enum ky_kernel_id kernel[2][KY_PRECISIONS];
} heaps[] = {
#define HEAP(most, p, number)                                                                      \
    {most,                                                                                         \
     {KY_EACH_PRECISION(ky_general_nearest_##most),                                                \
      KY_EACH_PRECISION(ky_general_box_nearest_##most)}},
    KY_NEAREST_HEAPS(HEAP, , )};

struct general {
    struct ky_device_bodies *bodies;
    struct ky_links *links;
    struct ky_card *card;
    const struct ky_walk_request *request;
    const struct ky_action_facts *facts;
    struct ky_parameters parameters;
    enum ky_kernel_id kernel;
    size_t real; /* bytes of a number of the kernels' type */
    size_t n;    /* number of sinks */
    /* Groups of sinks, and runs of them: kernels/forces/general_team.h. */
    const struct ky_buffer *group;
    size_t runs, teams; /* runs; teams of all runs */
    size_t most;        /* teams of a launch */
    /* The buffers of one request are freed at its end: they may be as large as all other buffers
     * together. */
    struct ky_buffer own_group, run, count, radius, offset, list, box, cuts, space, results;
    struct ky_faults faults; /* lists that were too short */
};

/* ---- tree and sinks ---- */

/* Takes the groups of the card's tree, each with at most one body for a lane. The groups of an
 * earlier tree have been released, and with fmm in a periodic box groups are twice as large. */
static enum ky_status take_groups(struct general *walk, int built, struct ky_error *error)
{
    struct ky_device_tree *tree = &walk->links->own;
    struct ky_device_bodies *bodies = walk->bodies;
    struct ky_card *card = walk->card;
    struct ky_parameters own = walk->parameters;
    enum ky_status status = KY_OK;
    if (!built || ky_device_tree_group(card->team, &own) > card->team) {
        own.group = own.group < (int)card->team ? own.group : (int)card->team;
        ky_device_tree_done(tree, bodies);
        status = ky_device_tree_parts_after(tree, bodies, &own, error);
        if (!status)
            status = ky_device_tree_make_groups(tree, bodies, &own, error);
    }
    if (!status)
        status = ky_buffer_need(card, &walk->count, "runs of groups", tree->cells + 1,
                                sizeof(uint32_t), error);
    if (!status)
        status = ky_device_tree_count_runs(tree, bodies, KY_CUT_GROUPS, &walk->count, &walk->runs,
                                           error);
    if (!status)
        status = ky_buffer_need(card, &walk->run, "runs of groups", 2 * walk->runs,
                                sizeof(uint32_t), error);
    walk->group = &tree->group;
    return status ? status
                  : ky_device_tree_list_runs(tree, bodies, KY_CUT_GROUPS, &walk->count, &walk->run,
                                             error);
}

/* Sends the numbers from 0 to below `end` in steps of `step`, as pairs of begin and end of each
 * part. */
static enum ky_status send_parts(const struct general *walk, struct ky_buffer *buffer, size_t end,
                                 size_t step, size_t *count, struct ky_error *error)
{
    *count = (end + step - 1) / step;
    uint32_t(*part)[2];
    KY_TRY(ky_array(&part, *count, sizeof *part, "groups of bodies", error));
    for (size_t k = 0; k < *count; k++) {
        part[k][0] = (uint32_t)(k * step);
        part[k][1] = (uint32_t)(end - k * step < step ? end : (k + 1) * step);
    }
    const enum ky_status status =
        ky_buffer_fill(walk->card, buffer, "groups of bodies", part, *count, sizeof *part, error);
    free(part);
    return status;
}

/* With the host's tree, groups are consecutive bodies. */
static enum ky_status number_groups(struct general *walk, struct ky_error *error)
{
    size_t groups = 0;
    enum ky_status status =
        send_parts(walk, &walk->own_group, walk->n, walk->card->team, &groups, error);
    walk->group = &walk->own_group;
    return status ? status
                  : send_parts(walk, &walk->run, groups, KY_CUT_GROUPS, &walk->runs, error);
}

/* Makes the tree of all ranks for the sinks of this rank. */
static enum ky_status stand_parts(struct general *walk, struct ky_error *error)
{
    struct ky_links *links = walk->links;
    const struct ky_action *about = &walk->facts->about;
    const struct ky_ranks_search search = {
        .box = about->needs_radius || about->needs_k ? &walk->box : NULL, .boxes = walk->runs};
    const struct ky_evaluation all = {.active = NULL};
    const enum ky_status status = ky_ranks_exchange(walk->bodies->state, &links->own, &all,
                                                    &walk->parameters, &search, error);
    return !status && walk->n > 0 ? ky_links_stand_parts(links, &walk->parameters, NULL, error)
                                  : status;
}

/* Makes the tree valid. *built: 1 if the card has built it in this call. */
static enum ky_status stand(struct ky_links *links, const struct ky_parameters *parameters,
                            int *built, struct ky_error *error)
{
    const uint64_t builds = links->own.builds;
    const enum ky_status status = ky_links_stand(links, parameters, 1, NULL, error);
    *built = links->own.builds != builds;
    return status;
}

/* ---- arguments of the action ---- */

/* Kernels count in their own number type; floats represent integers up to this. */
#define COUNTABLE 0x1p24

static int counts_up_to(const struct general *walk, double count)
{
    return walk->real == sizeof(double) || count < COUNTABLE;
}

static enum ky_status too_many(const struct general *walk, struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED,
                   "action %s: a body has 2^24 or more neighbours, or memory for as many: floats "
                   "cannot count them; use --precision double",
                   walk->facts->about.name);
}

static enum ky_status send_offsets(struct general *walk, struct ky_error *error)
{
    const size_t *given = walk->request->offset;
    size_t count = walk->n + 1, total = given[walk->n];
    uint64_t *offset;
    KY_TRY(ky_array(&offset, count, sizeof *offset, "offsets on their way", error));
    int countable = 1;
    for (size_t i = 0; i < count; i++) {
        offset[i] = given[i];
        countable &= i == 0 || counts_up_to(walk, (double)(given[i] - given[i - 1]));
    }
    enum ky_status status = countable
                                ? ky_buffer_fill(walk->card, &walk->offset, "offsets of the lists",
                                                 offset, count, sizeof *offset, error)
                                : too_many(walk, error);
    free(offset);
    if (!status)
        status = ky_buffer_need(walk->card, &walk->list, "neighbour lists", total, sizeof(uint32_t),
                                error);
    if (!status)
        status = ky_faults_clear(&walk->faults, walk->card, error);
    return status;
}

/* The lanes of a launch, in whole groups. */
static size_t lanes_of(const struct general *walk)
{
    return ky_groups(walk->most * walk->card->team, KY_WALK_LANES) * (size_t)KY_WALK_LANES;
}

/* Allocates k numbers for each sink of a launch, with as many sinks as fit. `nearest` has kernels
 * that need no memory for small k. */
static enum ky_status need_space(struct general *walk, struct ky_error *error)
{
    const size_t k = walk->request->k;
    for (size_t h = 0; h < sizeof heaps / sizeof *heaps; h++)
        if (walk->request->action == KY_ACTION_nearest && k <= heaps[h].most) {
            walk->kernel = heaps[h].kernel[walk->parameters.box > 0][walk->parameters.precision];
            return KY_OK;
        }
    const size_t teams = KY_WALK_LANES / walk->card->team; /* teams that share a group of lanes */
    size_t fit = SPACE / (k * walk->real) / KY_WALK_LANES * teams;
    fit = fit < teams ? teams : fit;
    walk->most = fit < walk->most ? fit : walk->most;
    const size_t lanes = lanes_of(walk);
    if (k * lanes > UINT32_MAX) /* more than the kernels can count */
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu nearest neighbours: devices take up to %zu; use --engine cpu", k,
                       UINT32_MAX / lanes);
    return ky_buffer_need(walk->card, &walk->space, "nearest neighbours", k * lanes, walk->real,
                          error);
}

/* Sends the request to the card, for each sink. */
static enum ky_status send_request(struct general *walk, struct ky_error *error)
{
    const struct ky_action *about = &walk->facts->about;
    if (about->needs_radius)
        KY_TRY(ky_walk_radii_send(walk->bodies, walk->request, &walk->radius, error));
    if (about->needs_lists)
        KY_TRY(send_offsets(walk, error));
    return KY_OK;
}

/* Allocates the results. */
static enum ky_status make_room(struct general *walk, struct ky_error *error)
{
    const struct ky_action *about = &walk->facts->about;
    enum ky_status status = KY_OK;
    walk->teams = walk->most = walk->runs * KY_CUT_GROUPS;
    if (walk->facts->is_dual)
        status = ky_buffer_need(walk->card, &walk->cuts, "cells left for searches", walk->runs,
                                (KY_CUT_ROOM + 1) * sizeof(uint32_t), error);
    walk->kernel =
        kernels[walk->parameters.box > 0][walk->request->action][walk->parameters.precision];
    if (!status && about->needs_k)
        status = need_space(walk, error);
    if (!status)
        status = ky_buffer_need(walk->card, &walk->results, "results of the walk",
                                walk->n * about->columns, walk->real, error);
    return status ? status
                  : ky_pair_counts_of(&walk->links->counts, walk->bodies,
                                      (struct ky_counting){.groups = walk->teams, .sinks = walk->n},
                                      error);
}

/* ---- the walk ---- */

/* A kernel needs every argument. For a buffer that the action does not use, the buffer of the runs
 * is passed. */
static const struct ky_buffer *used(const struct general *walk, const struct ky_buffer *buffer)
{
    return buffer->handle ? buffer : &walk->run;
}

static uint32_t flags_of(const struct general *walk)
{
    return ky_links_flags(walk->links, &walk->parameters) |
           (ky_device_shared(walk->bodies->state) ? KY_FLAG_BY_PLACE : 0U);
}

static enum ky_status launch(struct general *walk, size_t first_team, struct ky_error *error)
{
    const struct ky_links *links = walk->links;
    const struct ky_cells cells = ky_links_cells(links);
    const struct ky_parameters *parameters = &walk->parameters;
    const size_t rest = walk->teams - first_team, count = rest < walk->most ? rest : walk->most;
    uint32_t n = (uint32_t)walk->n, its_cells = (uint32_t)cells.count, root = cells.root,
             first = (uint32_t)first_team, end = (uint32_t)(first_team + count),
             teams = (uint32_t)walk->teams,
             flags = flags_of(walk) | KY_FLAG_ORDER * (uint32_t)parameters->multipole,
             radii = (uint32_t)walk->request->radii, k = (uint32_t)walk->request->k,
             columns = (uint32_t)walk->facts->about.columns, stride = (uint32_t)lanes_of(walk);
    struct ky_eps2_argument eps2 = ky_eps2_argument(walk->bodies->state);
    const struct ky_walk_side side = ky_walk_side(walk->bodies->state);
    return ky_launch_teams(
        walk->card, walk->kernel, count,
        KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                     KY_BUFFER(links->eps2), KY_BUFFER(*cells.order),
                     KY_BUFFER(*used(walk, &walk->radius)), KY_BUFFER(*used(walk, &walk->offset)),
                     KY_BUFFER(*used(walk, &walk->list)), KY_BUFFER(*walk->group),
                     KY_BUFFER(walk->run), KY_BUFFER(*used(walk, &walk->cuts)),
                     KY_BUFFER(*used(walk, &walk->space)), KY_BUFFER(walk->results),
                     KY_BUFFER(links->counts.counts), KY_BUFFER(*used(walk, &walk->faults.words)),
                     KY_VALUE(n), KY_VALUE(its_cells), KY_VALUE(root), KY_VALUE(first),
                     KY_VALUE(end), KY_VALUE(teams), KY_VALUE(flags), KY_VALUE(radii), KY_VALUE(k),
                     KY_VALUE(columns), KY_VALUE(stride), KY_WALK_SIDE(side, parameters->precision),
                     KY_EPS2(eps2, parameters->precision)),
        error);
}

/* Finds the boxes of the sinks of each cut, if the action needs the dual walk. A joining action has
 * the same reaches as one that counts. */
static enum ky_status launch_boxes(struct general *walk, struct ky_error *error)
{
    const int joins = walk->facts->about.joins;
    const enum ky_action_id action = joins ? KY_ACTION_count : walk->request->action;
    const struct ky_links *links = walk->links;
    const struct ky_parameters *parameters = &walk->parameters;
    const struct ky_eps2_argument eps2 = ky_eps2_argument(walk->bodies->state);
    uint32_t runs = (uint32_t)walk->runs, n = (uint32_t)walk->n, flags = flags_of(walk),
             radii = (uint32_t)walk->request->radii, k = (uint32_t)walk->request->k;
    if (!walk->facts->is_dual && !joins)
        return KY_OK;
    KY_TRY(ky_buffer_need(walk->card, &walk->box, "boxes of sinks", walk->runs,
                          sizeof(struct ky_cut_box), error));
    return ky_launch_teams(
        walk->card, around_kernels[action][parameters->precision], runs,
        KY_ARGUMENTS(KY_BUFFER(links->source), KY_BUFFER(links->low), KY_BUFFER(links->eps2),
                     KY_BUFFER(*ky_links_cells(links).order), KY_BUFFER(*used(walk, &walk->radius)),
                     KY_BUFFER(*used(walk, &walk->offset)), KY_BUFFER(*used(walk, &walk->list)),
                     KY_BUFFER(*walk->group), KY_BUFFER(walk->run), KY_BUFFER(walk->box),
                     KY_VALUE(runs), KY_VALUE(n), KY_VALUE(flags), KY_VALUE(radii), KY_VALUE(k),
                     KY_EPS2(eps2, parameters->precision)),
        error);
}

/* Selects the cells for the sinks of each cut. */
static enum ky_status launch_cuts(struct general *walk, struct ky_error *error)
{
    const struct ky_cells cells = ky_links_cells(walk->links);
    uint32_t runs = (uint32_t)walk->runs, its_cells = (uint32_t)cells.count, root = cells.root,
             flags = flags_of(walk);
    const struct ky_walk_side side = ky_walk_side(walk->bodies->state);
    if (!walk->facts->is_dual)
        return KY_OK;
    return ky_launch_teams(
        walk->card, cut_kernels[walk->request->action][walk->parameters.precision], runs,
        KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(walk->box), KY_BUFFER(walk->cuts),
                     KY_VALUE(runs), KY_VALUE(its_cells), KY_VALUE(root), KY_VALUE(flags),
                     KY_WALK_SIDE(side, walk->parameters.precision)),
        error);
}

static enum ky_status order_lists(struct general *walk, struct ky_error *error)
{
    if (!walk->facts->about.needs_lists)
        return KY_OK;
    uint32_t lists = (uint32_t)walk->n;
    return ky_launch_teams(
        walk->card, KY_KERNEL_ky_order_lists, lists,
        KY_ARGUMENTS(KY_BUFFER(walk->list), KY_BUFFER(walk->offset), KY_VALUE(lists)), error);
}

static enum ky_status run(struct general *walk, struct ky_error *error)
{
    KY_TRY(ky_mark(&walk->bodies->state->opened, 0, error));
    KY_TRY(launch_cuts(walk, error));
    for (size_t first = 0; first < walk->teams; first += walk->most)
        KY_TRY(launch(walk, first, error));
    KY_TRY(order_lists(walk, error));
    return ky_mark(&walk->bodies->state->opened, 1, error);
}

/* ---- results ---- */

static enum ky_status read_results(struct general *walk, struct ky_error *error)
{
    size_t n = walk->n, columns = walk->facts->about.columns;
    if (!walk->request->results)
        return KY_OK;
    void *column = ky_allocate(n, walk->real);
    const float *part = column;
    const double *whole = column;
    enum ky_status status = KY_OK;
    if (!column)
        return ky_no_memory(error, "results on their way", n, walk->real);
    for (size_t c = 0; c < columns && !status; c++) {
        const struct ky_action_result *about = &walk->facts->results[c];
        const int is_count = !about->g && !about->mass && !about->length;
        int countable = 1;
        double unit =
            ky_action_unit(about, walk->bodies->state->parameters->g,
                           walk->bodies->state->units.mass, walk->bodies->state->units.length);
        double *to = walk->request->results + c;
        status = walk->card->driver->read(walk->card, &walk->results, c * n * walk->real, column,
                                          n * walk->real, error);
        for (size_t i = 0; i < n && !status; i++) {
            to[i * columns] = unit * (walk->real == sizeof *part ? (double)part[i] : whole[i]);
            countable &= !is_count || counts_up_to(walk, to[i * columns]);
        }
        if (!countable)
            status = too_many(walk, error);
    }
    free(column);
    return status;
}

static enum ky_status read_back(struct general *walk, struct ky_error *error)
{
    enum ky_status status = walk->card->driver->wait(walk->card, error);
    double start = ky_clock();
    uint32_t wanted = 0;
    if (!status && walk->facts->about.needs_lists)
        status = ky_faults_check(&walk->faults, walk->card, KY_CAPACITY_NEIGHBOURS, &wanted, error);
    if (!status)
        status = read_results(walk, error);
    if (!status)
        status = ky_walk_room_check(walk->request, wanted, error);
    if (!status && walk->facts->about.needs_lists)
        status = walk->card->driver->read(walk->card, &walk->list, 0, walk->request->list,
                                          walk->request->offset[walk->n] * sizeof(uint32_t), error);
    walk->bodies->state->report.download += ky_clock() - start;
    return status;
}

static void release(struct general *walk)
{
    struct ky_buffer *const buffers[] = {
        &walk->own_group, &walk->run, &walk->count, &walk->radius, &walk->offset,
        &walk->list,      &walk->box, &walk->cuts,  &walk->space,  &walk->results};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(walk->card, buffers[k]);
    ky_faults_release(&walk->faults, walk->card);
}

static enum ky_status walk_all(struct general *walk, struct ky_error *error)
{
    KY_TRY(make_room(walk, error));
    KY_TRY(run(walk, error));
    return read_back(walk, error);
}

/* For an engine that has all bodies. */
static enum ky_status walk_alone(struct general *walk, struct ky_error *error)
{
    struct ky_links *links = walk->links;
    int built = 0;
    enum ky_status status = stand(links, &walk->parameters, &built, error);
    if (!status && walk->facts->about.joins)
        status = ky_device_join(links, walk->request, error);
    else if (!status) {
        status = ky_links_are_of_host(links) ? number_groups(walk, error)
                                             : take_groups(walk, built, error);
        if (!status)
            status = send_request(walk, error);
        if (!status)
            status = launch_boxes(walk, error);
        if (!status)
            status = walk_all(walk, error);
    }
    ky_links_done(links);
    if (!status && !ky_force_kind(walk->parameters.force)->has_tree)
        status = ky_device_curve_leave(walk->bodies, error);
    if (!status && built)
        ky_links_report(links, &walk->bodies->state->report);
    return status;
}

/* For the engine of a rank. A rank without bodies only makes the collective calls. */
static enum ky_status walk_in_part(struct general *walk, struct ky_error *error)
{
    const int has_sinks = walk->n > 0;
    enum ky_status status =
        has_sinks ? ky_links_stand_part(walk->links, &walk->parameters, error) : KY_OK;
    if (!status && has_sinks)
        status = take_groups(walk, 0, error);
    if (!status && has_sinks)
        status = send_request(walk, error);
    if (!status && has_sinks)
        status = launch_boxes(walk, error);
    if (!status)
        status = stand_parts(walk, error);
    if (!status && has_sinks)
        status = walk->facts->about.joins ? ky_device_join(walk->links, walk->request, error)
                                          : walk_all(walk, error);
    ky_links_done(walk->links);
    return status;
}

enum ky_status ky_device_general(struct ky_links *links, const struct ky_walk_request *request,
                                 struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    struct ky_device_state *state = bodies->state;
    const int is_part = ky_device_shared(state) != NULL;
    struct general walk = {.bodies = bodies,
                           .links = links,
                           .card = bodies->card,
                           .request = request,
                           .facts = &ky_actions[request->action],
                           .parameters = ky_walk_parameters(request, state->parameters),
                           .real = ky_real_bytes(state->parameters->precision),
                           .n = bodies->live};
    enum ky_status status = ky_device_settle(state, error);
    ky_begin_marks(&state->opened);
    state->report.download = state->report.upload = 0;
    ky_report_clear(&state->report);
    links->counts.of.groups = 0;
    if (!status && is_part)
        status = walk_in_part(&walk, error);
    else if (!status && walk.n > 0)
        status = walk_alone(&walk, error);
    release(&walk);
    return status;
}
