/* The general walk (physics/visit.h) on the device: each team walks for consecutive sinks through
 * the present tree, with the kernel of the action. The arrays that an action needs go up, its
 * results come back in the caller's order and units. Lists are sorted on the device. */
#include "engine/device/forces/general.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/common/force_kinds.h"
#include "engine/common/trees.h"
#include "engine/device/driver/fault.h"
#include "engine/device/forces/joins.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/motion.h"

/* Bytes for the lists of k nearest bodies in one launch, which has as many sinks as fit. */
enum { SPACE = 1 << 28 };

#define ROW(name, needs) KY_EACH_PRECISION(ky_general_##name),
static const enum ky_kernel_id kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {KY_ACTIONS(ROW)};
#define CUT(name, needs) KY_EACH_PRECISION(ky_cut_##name),
static const enum ky_kernel_id cut_kernels[KY_ACTION_COUNT][KY_PRECISIONS] = {KY_ACTIONS(CUT)};

/* Kernels that keep the k nearest in local memory, the smallest first. */
static const struct {
    size_t most;
    enum ky_kernel_id kernel[KY_PRECISIONS];
} heaps[] = {
#define HEAP(most, p) {most, KY_EACH_PRECISION(ky_general_nearest_##most)},
    KY_NEAREST_HEAPS(HEAP, )};

struct general {
    struct ky_device_bodies *bodies;
    struct ky_links *links;
    struct ky_card *card;
    const struct ky_walk_request *request;
    const struct ky_action_facts *facts;
    struct ky_parameters parameters;
    enum ky_kernel_id kernel;
    size_t real; /* bytes of a number of the kernels */
    size_t most; /* sinks of a launch */
    /* The buffers of one request are not kept: they may be as large as all others together. */
    struct ky_buffer radius, offset, list, cuts, space, results;
    struct ky_faults faults; /* lists that were too short */
};

/* Makes the tree valid. *built: 1 if the card has made it now. */
static enum ky_status stand_tree(struct ky_links *links, const struct ky_parameters *parameters,
                                 int *built, struct ky_error *error)
{
    const uint64_t builds = links->own.builds;
    enum ky_status status = ky_links_stand(links, parameters, 1, NULL, error);
    ky_links_done(links);
    if (status == KY_OK && !ky_force_kind(parameters->force)->has_tree)
        status = ky_device_curve_leave(links->bodies, error);
    *built = links->own.builds != builds;
    return status;
}

/* ---- what the action needs ---- */

/* Kernels count in their own numbers; floats hold whole numbers up to this. */
#define COUNTABLE 0x1p24

static int counts_up_to(const struct general *walk, double count)
{
    return walk->real == sizeof(double) || count < COUNTABLE;
}

static enum ky_status too_many(const struct general *walk, struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED,
                   "action %s: a body has 2^24 neighbours or more, or room for them: floats do not "
                   "count so far; use --precision double",
                   walk->facts->about.name);
}

static enum ky_status send_offsets(struct general *walk, struct ky_error *error)
{
    const size_t *given = walk->request->offset;
    size_t count = walk->bodies->n + 1, total = given[walk->bodies->n];
    uint64_t *offset = ky_allocate(count, sizeof *offset);
    if (!offset)
        return ky_no_memory(error, "offsets on their way", count, sizeof *offset);
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
    if (status == KY_OK)
        status = ky_buffer_need(walk->card, &walk->list, "neighbour lists", total, sizeof(uint32_t),
                                error);
    if (status == KY_OK)
        status = ky_faults_clear(&walk->faults, walk->card, error);
    return status;
}

/* Memory for k numbers of each sink of a launch, as many sinks as fit. `nearest` has kernels that
 * need none for a small k. */
static enum ky_status need_space(struct general *walk, struct ky_error *error)
{
    const size_t k = walk->request->k;
    for (size_t h = 0; h < sizeof heaps / sizeof *heaps; h++)
        if (walk->request->action == KY_ACTION_nearest && k <= heaps[h].most) {
            walk->kernel = heaps[h].kernel[walk->parameters.precision];
            return KY_OK;
        }
    size_t fit = SPACE / (k * walk->real) / KY_WALK_LANES * KY_WALK_LANES;
    fit = fit < KY_WALK_LANES ? KY_WALK_LANES : fit;
    walk->most = fit < walk->most ? fit : walk->most;
    if (k * walk->most > UINT32_MAX) /* numbers that the kernels can count */
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu nearest neighbours: devices take up to %zu; use --engine cpu", k,
                       UINT32_MAX / walk->most);
    return ky_buffer_need(walk->card, &walk->space, "nearest neighbours", k * walk->most,
                          walk->real, error);
}

static enum ky_status prepare(struct general *walk, struct ky_error *error)
{
    const struct ky_action *about = &walk->facts->about;
    enum ky_status status = KY_OK;
    walk->most = ky_groups(walk->bodies->n, KY_WALK_LANES) * KY_WALK_LANES;
    if (about->needs_radius)
        status = ky_walk_radii_send(walk->bodies, walk->request, &walk->radius, error);
    if (status == KY_OK && about->needs_lists)
        status = send_offsets(walk, error);
    if (status == KY_OK && walk->facts->is_dual)
        status = ky_buffer_need(walk->card, &walk->cuts, "cells left for searches",
                                (size_t)ky_groups(walk->bodies->n, KY_CUT_BODIES),
                                (KY_CUT_ROOM + 1) * sizeof(uint32_t), error);
    walk->kernel = kernels[walk->request->action][walk->parameters.precision];
    if (status == KY_OK && about->needs_k)
        status = need_space(walk, error);
    if (status == KY_OK)
        status = ky_buffer_need(walk->card, &walk->results, "results of the walk",
                                walk->bodies->n * about->columns, walk->real, error);
    if (status == KY_OK)
        status =
            ky_pair_counts_of(&walk->links->counts, walk->bodies,
                              ky_groups(walk->bodies->n, walk->card->team), walk->bodies->n, error);
    return status;
}

/* ---- the walk ---- */

/* A kernel needs every argument. A buffer that the action does not use has no memory; `results`
 * takes its place. */
static const struct ky_buffer *used(const struct general *walk, const struct ky_buffer *buffer)
{
    return buffer->handle ? buffer : &walk->results;
}

static enum ky_status launch(struct general *walk, size_t first_sink, struct ky_error *error)
{
    const struct ky_links *links = walk->links;
    const struct ky_cells cells = ky_links_cells(links);
    const struct ky_parameters *parameters = &walk->parameters;
    size_t rest = walk->bodies->n - first_sink;
    uint32_t n = (uint32_t)walk->bodies->n, first = (uint32_t)first_sink,
             count = (uint32_t)(rest < walk->most ? rest : walk->most),
             flags = ky_links_flags(links, parameters) |
                     KY_FLAG_ORDER * (uint32_t)parameters->multipole,
             radii = (uint32_t)walk->request->radii, k = (uint32_t)walk->request->k,
             columns = (uint32_t)walk->facts->about.columns, stride = (uint32_t)walk->most;
    struct ky_eps2_argument eps2 = ky_eps2_argument(walk->bodies->state);
    return ky_launch_teams(
        walk->card, walk->kernel, ky_groups(count, walk->card->team),
        KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                     KY_BUFFER(links->eps2), KY_BUFFER(*cells.order),
                     KY_BUFFER(*used(walk, &walk->radius)), KY_BUFFER(*used(walk, &walk->offset)),
                     KY_BUFFER(*used(walk, &walk->list)), KY_BUFFER(*used(walk, &walk->cuts)),
                     KY_BUFFER(*used(walk, &walk->space)), KY_BUFFER(walk->results),
                     KY_BUFFER(links->counts.counts), KY_BUFFER(*used(walk, &walk->faults.words)),
                     KY_VALUE(n), KY_VALUE(first), KY_VALUE(count), KY_VALUE(flags),
                     KY_VALUE(radii), KY_VALUE(k), KY_VALUE(columns), KY_VALUE(stride),
                     KY_EPS2(eps2, parameters->precision)),
        error);
}

/* Sorts out cells for the sinks of each cut, if the action wants the dual walk. */
static enum ky_status launch_cuts(struct general *walk, struct ky_error *error)
{
    const struct ky_links *links = walk->links;
    const struct ky_cells cells = ky_links_cells(links);
    const struct ky_parameters *parameters = &walk->parameters;
    const uint32_t n = (uint32_t)walk->bodies->n, flags = ky_links_flags(links, parameters),
                   radii = (uint32_t)walk->request->radii, k = (uint32_t)walk->request->k;
    const struct ky_eps2_argument eps2 = ky_eps2_argument(walk->bodies->state);
    if (!walk->facts->is_dual)
        return KY_OK;
    return ky_launch_teams(
        walk->card, cut_kernels[walk->request->action][parameters->precision],
        ky_groups(n, KY_CUT_BODIES),
        KY_ARGUMENTS(KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                     KY_BUFFER(links->eps2), KY_BUFFER(*cells.order),
                     KY_BUFFER(*used(walk, &walk->radius)), KY_BUFFER(*used(walk, &walk->offset)),
                     KY_BUFFER(*used(walk, &walk->list)), KY_BUFFER(walk->cuts), KY_VALUE(n),
                     KY_VALUE(flags), KY_VALUE(radii), KY_VALUE(k),
                     KY_EPS2(eps2, parameters->precision)),
        error);
}

static enum ky_status order_lists(struct general *walk, struct ky_error *error)
{
    if (!walk->facts->about.needs_lists)
        return KY_OK;
    uint32_t lists = (uint32_t)walk->bodies->n;
    return ky_launch_teams(
        walk->card, KY_KERNEL_ky_order_lists, lists,
        KY_ARGUMENTS(KY_BUFFER(walk->list), KY_BUFFER(walk->offset), KY_VALUE(lists)), error);
}

static enum ky_status run(struct general *walk, struct ky_error *error)
{
    enum ky_status status = ky_mark(&walk->bodies->state->cards, 0, error);
    if (status == KY_OK)
        status = launch_cuts(walk, error);
    for (size_t first = 0; first < walk->bodies->n && status == KY_OK; first += walk->most)
        status = launch(walk, first, error);
    if (status == KY_OK)
        status = order_lists(walk, error);
    return status == KY_OK ? ky_mark(&walk->bodies->state->cards, 1, error) : status;
}

/* ---- results ---- */

static enum ky_status read_results(struct general *walk, struct ky_error *error)
{
    size_t n = walk->bodies->n, columns = walk->facts->about.columns;
    if (!walk->request->results)
        return KY_OK;
    void *column = ky_allocate(n, walk->real);
    enum ky_status status = KY_OK;
    if (!column)
        return ky_no_memory(error, "results on their way", n, walk->real);
    for (size_t c = 0; c < columns && status == KY_OK; c++) {
        const struct ky_action_result *about = &walk->facts->results[c];
        const int is_count = !about->g && !about->mass && !about->length;
        int countable = 1;
        double unit =
            ky_action_unit(about, walk->bodies->state->parameters->g,
                           walk->bodies->state->units.mass, walk->bodies->state->units.length);
        double *to = walk->request->results + c;
        status = walk->card->driver->read(walk->card, &walk->results, c * n * walk->real, column,
                                          n * walk->real, error);
        for (size_t i = 0; i < n && status == KY_OK; i++) {
            to[i * columns] = unit * ky_from_card(walk->card, walk->real, column, i);
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
    if (status == KY_OK && walk->facts->about.needs_lists)
        status = ky_faults_check(&walk->faults, walk->card, KY_CAPACITY_NEIGHBOURS, &wanted, error);
    if (status == KY_OK)
        status = ky_walk_room_check(walk->request, wanted, error);
    if (status == KY_OK)
        status = read_results(walk, error);
    if (status == KY_OK && walk->facts->about.needs_lists)
        status = walk->card->driver->read(walk->card, &walk->list, 0, walk->request->list,
                                          walk->request->offset[walk->bodies->n] * sizeof(uint32_t),
                                          error);
    walk->bodies->state->report.download += ky_clock() - start;
    return status;
}

static void release(struct general *walk)
{
    struct ky_buffer *const buffers[] = {&walk->radius, &walk->offset, &walk->list,
                                         &walk->cuts,   &walk->space,  &walk->results};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(walk->card, buffers[k]);
    ky_faults_release(&walk->faults, walk->card);
}

static enum ky_status walk_all(struct ky_links *links, const struct ky_walk_request *request,
                               struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    struct general walk = {.bodies = bodies,
                           .links = links,
                           .card = bodies->card,
                           .request = request,
                           .facts = &ky_actions[request->action],
                           .parameters = ky_walk_parameters(request, bodies->state->parameters),
                           .real = ky_real_bytes(bodies->state->parameters->precision)};
    enum ky_status status = prepare(&walk, error);
    if (status == KY_OK)
        status = run(&walk, error);
    if (status == KY_OK)
        status = read_back(&walk, error);
    release(&walk);
    return status;
}

enum ky_status ky_device_general(struct ky_links *links, const struct ky_walk_request *request,
                                 struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    struct ky_device_state *state = bodies->state;
    const struct ky_parameters parameters = ky_walk_parameters(request, state->parameters);
    int built = 0;
    enum ky_status status = ky_device_settle(state, error);
    ky_begin_marks(&state->cards);
    state->report.download = state->report.upload = 0;
    ky_report_clear(&state->report);
    if (status != KY_OK || bodies->n == 0)
        return status;
    status = stand_tree(links, &parameters, &built, error);
    if (status == KY_OK)
        status = ky_actions[request->action].about.joins ? ky_device_join(links, request, error)
                                                         : walk_all(links, request, error);
    if (status == KY_OK && built)
        ky_links_report(links, &state->report);
    return status;
}
