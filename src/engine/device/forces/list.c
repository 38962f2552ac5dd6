/* Interaction lists (N12 section 4.2): the host makes them for a batch of groups while the previous
 * batch is copied to the device and evaluated there. */
#include "base/status.h"
#include "engine/device/forces/method.h"
#include "engine/device/tree/active.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/device/ranks/copies.h"
#include "octree/lists.h"
#include "octree/opening_kinds.h"

/* Groups for which one thread makes lists at a time (a chunk), and chunks of a batch: enough to
 * keep many threads busy until its end. */
enum { CHUNK_GROUPS = 8, CHUNKS = 128, BATCH_GROUPS = CHUNK_GROUPS * CHUNKS, WORK = 6 };

/* Approximate pairs of a group on the host, which makes its list. */
#define OF_A_GROUP 1e6

/* A batch of groups. Its memory is kept for the next batch. */
struct lists {
    struct ky_relative relative; /* only for the opening test `relative` */
    size_t first, count;         /* groups of the tree, or of `chosen` */
    uint32_t *chosen;            /* groups with active bodies; NULL: all */
    struct ky_lists chunk[CHUNKS];
    uint32_t work[BATCH_GROUPS][WORK];
    /* A batch is sent as one array: `work`, then all lists of bodies, then all lists of cells. */
    struct ky_pinned half[2]; /* this batch and the previous one, which may still be in transit */
    int turn;
    struct ky_buffer batch;
    struct ky_buffer order; /* order of the active bodies; see kernels/forces/list.k */
};

static void release(const struct ky_device_state *state, void *own)
{
    struct lists *lists = own;
    struct ky_card *card = state->bodies.card;
    for (size_t k = 0; k < CHUNKS; k++)
        ky_lists_free(&lists->chunk[k]);
    for (int k = 0; k < 2; k++)
        ky_pinned_release(card, &lists->half[k]);
    ky_buffer_release(card, &lists->batch);
    ky_buffer_release(card, &lists->order);
}

/* Adds the memory of a batch of lists. The length of a list was measured in a uniform sphere with θ
 * = 0.6; it is scaled to this θ, and at most the whole system. The host holds a batch in the chunks
 * that threads made, and twice as one array. */
static void lists_memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    ky_links_memory(parameters, n, memory);
    double length = fmin(2600 * pow(0.6 / parameters->theta, 3), (double)n);
    double groups = fmin(BATCH_GROUPS, 2 * (double)n / parameters->group + 1);
    double bytes = 1.25 * groups * length * sizeof(uint32_t);
    memory->device += bytes;
    memory->host += 3 * bytes;
}

/* Makes the lists of a chunk. Begins in `work` are relative to the chunk's own lists. */
static enum ky_status make_chunk(const struct ky_host_tree *host,
                                 const struct ky_parameters *parameters, struct lists *batch,
                                 size_t chunk, struct ky_error *error)
{
    const struct ky_octree *tree = &host->tree;
    struct ky_lists *lists = &batch->chunk[chunk];
    const double eps2 = ky_eps2_argument(host->bodies->state).whole;
    const int by_alpha = ky_opening_kind(parameters->opening)->by_alpha;
    size_t end = (chunk + 1) * CHUNK_GROUPS;
    enum ky_status status = KY_OK;
    lists->bodies = lists->cells = 0;
    for (size_t g = chunk * CHUNK_GROUPS; g < end && g < batch->count && !status; g++) {
        const size_t place = batch->first + g;
        const struct ky_group *group = &tree->group[batch->chosen ? batch->chosen[place] : place];
        uint32_t bodies = (uint32_t)lists->bodies, cells = (uint32_t)lists->cells;
        double factor = by_alpha ? ky_relative_factor(&batch->relative, tree->order + group->body,
                                                      group->bodies)
                                 : 1;
        status = ky_lists_add(lists, tree, group, factor, eps2, error);
        const uint32_t work[WORK] = {group->body, group->bodies,
                                     bodies,      (uint32_t)lists->bodies - bodies,
                                     cells,       (uint32_t)lists->cells - cells};
        memcpy(batch->work[g], work, sizeof work);
    }
    return status;
}

static enum ky_status make_batch(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                 struct lists *batch, struct ky_error *error)
{
    enum ky_status statuses[CHUNKS];
    struct ky_error errors[CHUNKS];
#pragma omp parallel for num_threads(host->bodies->state->threads) schedule(dynamic)
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        statuses[chunk] = make_chunk(host, parameters, batch, chunk, &errors[chunk]);
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        if (statuses[chunk] != KY_OK)
            return ky_fail(error, statuses[chunk], "%s", errors[chunk].text);
    for (size_t g = 0; g < batch->count; g++) {
        double sinks = batch->work[g][1];
        host->bodies->state->report.body_interactions += sinks * ((double)batch->work[g][3] - 1);
        host->bodies->state->report.cell_interactions += sinks * (double)batch->work[g][5];
    }
    return KY_OK;
}

/* Copies a chunk's lists to the batch; begins become relative to the start of the batch. */
static void place_chunk(struct lists *batch, size_t chunk, size_t body, size_t cell, uint32_t *to)
{
    const struct ky_lists *lists = &batch->chunk[chunk];
    size_t end = (chunk + 1) * CHUNK_GROUPS;
    for (size_t g = chunk * CHUNK_GROUPS; g < end && g < batch->count; g++) {
        batch->work[g][2] += (uint32_t)body;
        batch->work[g][4] += (uint32_t)cell;
    }
    if (lists->bodies > 0)
        memcpy(to + body, lists->body, lists->bodies * sizeof *lists->body);
    if (lists->cells > 0)
        memcpy(to + cell, lists->cell, lists->cells * sizeof *lists->cell);
}

/* Allocates a batch of this many numbers on the card, and in pinned memory once the card has
 * finished with the batch before the previous one. */
static enum ky_status need_room(struct lists *batch, struct ky_card *card, size_t numbers,
                                struct ky_error *error)
{
    struct ky_pinned *half = &batch->half[batch->turn];
    size_t bytes = numbers * sizeof(uint32_t), wanted = bytes + bytes / 4;
    KY_TRY(card->driver->reach(card, KY_MARK_LISTS + batch->turn, error));
    if (half->bytes < bytes)
        KY_TRY(ky_pinned_need(card, half, "interaction lists", wanted, error));
    if (batch->batch.bytes < bytes)
        KY_TRY(ky_buffer_need(card, &batch->batch, "interaction lists", wanted, 1, error));
    return KY_OK;
}

/* Assembles the array of the batch and sends it. */
static enum ky_status send_batch(struct lists *batch, struct ky_card *card, int threads,
                                 struct ky_error *error)
{
    size_t numbers = batch->count * WORK, body[CHUNKS], cell[CHUNKS]; /* begins of the lists */
    for (size_t k = 0; k < CHUNKS; numbers += batch->chunk[k++].bodies)
        body[k] = numbers;
    for (size_t k = 0; k < CHUNKS; numbers += batch->chunk[k++].cells)
        cell[k] = numbers;
    if (numbers > UINT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED, "interaction lists of %zu numbers: more than 2^32",
                       numbers);
    enum ky_status status = need_room(batch, card, numbers, error);
    if (status)
        return status;
    uint32_t *to = batch->half[batch->turn].data;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (size_t k = 0; k < CHUNKS; k++)
        place_chunk(batch, k, body[k], cell[k], to);
    memcpy(to, batch->work, batch->count * sizeof *batch->work);
    status = card->driver->write_later(card, &batch->batch, 0, to, numbers * sizeof *to, error);
    if (!status)
        status = card->driver->mark(card, KY_MARK_LISTS + batch->turn, error);
    batch->turn = 1 - batch->turn;
    return status;
}

static enum ky_status launch_batch(struct ky_links *links, const struct lists *batch,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_host_tree *host = &links->host;
    struct ky_device_bodies *bodies = links->bodies;
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n, flags = ky_links_flags(links, parameters);
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies->state);
    union ky_state_value strength = ky_device_strength(bodies);
    const struct ky_arguments arguments =
        KY_ARGUMENTS(KY_CELLS(host->column) KY_BUFFER(links->source), KY_BUFFER(links->low),
                     KY_BUFFER(links->eps2), KY_BUFFER(batch->batch),
                     KY_BUFFER(*(batch->chosen ? &batch->order : &host->order)),
                     KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->potential), KY_VALUE(n),
                     KY_VALUE(flags), KY_EPS2(eps2, parameters->precision), KY_VALUE(strength));
    return ky_launch(card,
                     ky_variant(KY_LIST,
                                bodies->state->how & KY_SPLINED ? KY_KIND_spline : KY_KIND_plain,
                                parameters),
                     batch->count, arguments, error);
}

/* Makes, sends and launches batch after batch, for the groups begin … end − 1. */
static enum ky_status run_batches(struct ky_links *links, struct lists *batch,
                                  const struct ky_parameters *parameters, size_t begin, size_t end,
                                  struct ky_error *error)
{
    struct ky_host_tree *host = &links->host;
    for (size_t first = begin; first < end; first += BATCH_GROUPS) {
        batch->first = first;
        batch->count = end - first < BATCH_GROUPS ? end - first : BATCH_GROUPS;
        KY_TRY(make_batch(host, parameters, batch, error));
        KY_TRY(send_batch(batch, host->bodies->card, host->bodies->state->threads, error));
        KY_TRY(launch_batch(links, batch, parameters, error));
    }
    return KY_OK;
}

/* Selects the groups with active bodies, and sends the order without the other bodies. *groups:
 * their number before and after. */
static enum ky_status choose(const struct ky_host_tree *host, const struct ky_active *active,
                             struct lists *batch, size_t *groups, struct ky_error *error)
{
    const struct ky_octree *tree = &host->tree;
    const size_t n = host->bodies->n;
    unsigned char *is_active;
    enum ky_status status = ky_device_active_places(host, active, &is_active, error);
    if (status || !is_active)
        return status;
    uint32_t *order = ky_allocate(n, sizeof *order);
    batch->chosen = ky_allocate(*groups, sizeof *batch->chosen);
    if (!order || !batch->chosen)
        status = ky_no_memory(error, "active bodies", n + *groups, sizeof *order);
    size_t count = 0;
    for (size_t g = 0; g < *groups && !status; g++) {
        const struct ky_group *group = &tree->group[g];
        int any = 0;
        for (size_t k = group->body; k < (size_t)group->body + group->bodies; k++) {
            order[k] = is_active[k] ? tree->order[k] : KY_NOT_WANTED;
            any |= is_active[k];
        }
        if (any)
            batch->chosen[count++] = (uint32_t)g;
    }
    *groups = count;
    if (!status)
        status = ky_buffer_fill(host->bodies->card, &batch->order, "order of the active bodies",
                                order, n, sizeof *order, error);
    free(order);
    free(is_active);
    return status;
}

/* The index along the curve of the first body of a group; for one past the last group, the number
 * of bodies. */
static size_t first_body(const struct ky_host_tree *host, const struct lists *batch, size_t g,
                         size_t groups)
{
    if (g == groups)
        return host->bodies->n;
    return host->tree.group[batch->chosen ? batch->chosen[g] : g].body;
}

/* Walks for the groups of this rank if ranks with replicated bodies divide them, otherwise for all
 * groups; then exchanges the results. Inactive bodies have the same results on all ranks. */
static enum ky_status run_part(struct ky_device_state *state, struct ky_links *links,
                               struct lists *batch, const struct ky_parameters *parameters,
                               size_t groups, struct ky_error *error)
{
    const struct ky_host_tree *host = &links->host;
    if (!ky_copies_begin(state, groups, OF_A_GROUP))
        return run_batches(links, batch, parameters, 0, groups, error);
    const struct ky_copies_results results = {&state->bodies.acceleration, &state->bodies.potential,
                                              state->n};
    KY_TRY(ky_copies_divide(state, groups, 1, error));
    KY_TRY(
        run_batches(links, batch, parameters, ky_copies_first(state), ky_copies_end(state), error));
    size_t *edge = ky_copies_edges(state);
    for (size_t r = 1; r <= ky_device_copies(state)->ranks; r++)
        edge[r] = first_body(host, batch, edge[r], groups);
    return ky_copies_join_ordered(state, &results, host->tree.order, error);
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_host_tree *host = &links->host;
    struct lists *batch = own;
    double *columns = NULL;
    enum ky_status status = ky_links_build(links, parameters, error);
    if (!status && ky_opening_kind(parameters->opening)->by_alpha)
        status = ky_device_last_accelerations(host, &batch->relative, &columns, error);
    size_t groups = host->tree.groups;
    if (!status)
        status = choose(host, evaluation->active, batch, &groups, error);
    if (!status)
        status = ky_mark(&state->opened, 0, error);
    if (!status)
        status = run_part(state, links, batch, parameters, groups, error);
    batch->chosen = (free(batch->chosen), NULL);
    free(columns);
    return status ? status : ky_mark(&state->opened, 1, error);
}

const struct ky_method ky_list_method = {
    .own = sizeof(struct lists),
    .evaluate = evaluate,
    .field = ky_walk_field,
    .memory = lists_memory,
    .release = release,
};
