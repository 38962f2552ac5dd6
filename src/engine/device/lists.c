/* Interaction lists (N12 section 4.2): made on the host for a batch of groups while the device
 * evaluates the batch before. */
#include "engine/device/method.h"
#include "engine/device/opening.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "octree/lists.h"

/* Groups whose lists one thread makes at a time, and such chunks in a batch: enough to keep many
 * threads busy to its end. */
enum { CHUNK_GROUPS = 8, CHUNKS = 128, BATCH_GROUPS = CHUNK_GROUPS * CHUNKS, WORK = 6 };

/* What the card needs beside the tree. */
struct lists {
    struct ky_buffer work, bodies, cells;
};

static void release(const struct ky_device_bodies *bodies, void *own)
{
    struct lists *lists = own;
    ky_buffer_release(bodies->cards.card[0], &lists->work);
    ky_buffer_release(bodies->cards.card[0], &lists->bodies);
    ky_buffer_release(bodies->cards.card[0], &lists->cells);
}

struct batch {
    int threads;
    struct ky_relative relative; /* where that is the opening */
    double *columns;             /* of the last accelerations */
    size_t first, count;         /* groups */
    struct ky_lists lists[CHUNKS];
    uint32_t work[BATCH_GROUPS][WORK];
    struct ky_lists all; /* the lists of all chunks, one after the other */
};

/* A batch of lists: as long as they were seen to be in a uniform sphere with θ = 0.6, or the whole
 * system; on the host twice, in parts and joined. */
static void lists_memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    ky_host_tree_memory(parameters, n, memory);
    double length = fmin(2600 * pow(0.6 / parameters->theta, 3), (double)n);
    double groups = fmin(BATCH_GROUPS, 2 * (double)n / parameters->group + 1);
    double bytes = 1.25 * groups * length * sizeof(uint32_t);
    memory->device += bytes;
    memory->host += 2 * bytes;
}

/* The lists of a chunk; begins in `work` count from the chunk's own lists. */
static enum ky_status make_chunk(const struct ky_host_tree *host,
                                 const struct ky_parameters *parameters, struct batch *batch,
                                 size_t chunk, struct ky_error *error)
{
    const struct ky_octree *tree = &host->tree;
    struct ky_lists *lists = &batch->lists[chunk];
    size_t end = (chunk + 1) * CHUNK_GROUPS;
    enum ky_status status = KY_OK;
    lists->bodies = lists->cells = 0;
    for (size_t g = chunk * CHUNK_GROUPS; g < end && g < batch->count && status == KY_OK; g++) {
        const struct ky_group *group = &tree->group[batch->first + g];
        uint32_t bodies = (uint32_t)lists->bodies, cells = (uint32_t)lists->cells;
        double factor =
            parameters->opening == KY_RELATIVE
                ? ky_relative_factor(&batch->relative, tree->order + group->body, group->bodies)
                : 1;
        status = ky_lists_add(lists, tree, parameters, group, factor, error);
        const uint32_t work[WORK] = {group->body, group->bodies,
                                     bodies,      (uint32_t)lists->bodies - bodies,
                                     cells,       (uint32_t)lists->cells - cells};
        memcpy(batch->work[g], work, sizeof work);
    }
    return status;
}

static enum ky_status need(uint32_t **list, size_t count, size_t *room, struct ky_error *error)
{
    if (count <= *room)
        return KY_OK;
    free(*list);
    *room = 0;
    *list = ky_allocate(count + count / 4, sizeof **list);
    if (!*list)
        return ky_no_memory(error, "interaction lists", count, sizeof **list);
    *room = count + count / 4;
    return KY_OK;
}

/* A chunk's lists to their place among all, and its begins counted from there. */
static void place_chunk(struct batch *batch, size_t chunk, size_t body, size_t cell)
{
    const struct ky_lists *lists = &batch->lists[chunk];
    size_t end = (chunk + 1) * CHUNK_GROUPS;
    for (size_t g = chunk * CHUNK_GROUPS; g < end && g < batch->count; g++) {
        batch->work[g][2] += (uint32_t)body;
        batch->work[g][4] += (uint32_t)cell;
    }
    if (lists->bodies > 0)
        memcpy(batch->all.body + body, lists->body, lists->bodies * sizeof *lists->body);
    if (lists->cells > 0)
        memcpy(batch->all.cell + cell, lists->cell, lists->cells * sizeof *lists->cell);
}

/* One list for all chunks. */
static enum ky_status join(struct batch *batch, struct ky_error *error)
{
    struct ky_lists *all = &batch->all;
    size_t bodies = 0, cells = 0, body[CHUNKS], cell[CHUNKS]; /* before each chunk */
    for (size_t k = 0; k < CHUNKS; k++) {
        body[k] = bodies;
        cell[k] = cells;
        bodies += batch->lists[k].bodies;
        cells += batch->lists[k].cells;
    }
    if (bodies > UINT32_MAX || cells > UINT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED, "interaction lists of %zu bodies: more than 2^32",
                       bodies);
    enum ky_status status = need(&all->body, bodies, &all->body_room, error);
    if (status == KY_OK)
        status = need(&all->cell, cells, &all->cell_room, error);
    if (status != KY_OK)
        return status;
    all->bodies = bodies;
    all->cells = cells;
#pragma omp parallel for num_threads(batch->threads) schedule(static, 1)
    for (size_t k = 0; k < CHUNKS; k++)
        place_chunk(batch, k, body[k], cell[k]);
    return KY_OK;
}

static enum ky_status make_batch(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                 struct batch *batch, struct ky_error *error)
{
    enum ky_status statuses[CHUNKS];
    struct ky_error errors[CHUNKS];
#pragma omp parallel for num_threads(batch->threads) schedule(dynamic)
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        statuses[chunk] = make_chunk(host, parameters, batch, chunk, &errors[chunk]);
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        if (statuses[chunk] != KY_OK)
            return ky_fail(error, statuses[chunk], "%s", errors[chunk].text);
    for (size_t g = 0; g < batch->count; g++) {
        double sinks = batch->work[g][1];
        host->bodies->report.body_interactions += sinks * ((double)batch->work[g][3] - 1);
        host->bodies->report.cell_interactions += sinks * (double)batch->work[g][5];
    }
    return join(batch, error);
}

static enum ky_status send(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                           const void *data, size_t count, size_t size, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    if (!buffer->handle || buffer->bytes < count * size)
        status = ky_buffer_need(card, buffer, what, count + count / 4, size, error);
    return status == KY_OK ? card->driver->write(card, buffer, 0, data, count * size, error)
                           : status;
}

static enum ky_status send_batch(struct ky_card *card, struct lists *lists,
                                 const struct batch *batch, struct ky_error *error)
{
    const struct ky_lists *all = &batch->all;
    enum ky_status status =
        send(card, &lists->work, "groups", batch->work, batch->count, sizeof *batch->work, error);
    if (status == KY_OK)
        status = send(card, &lists->bodies, "lists of bodies", all->body, all->bodies,
                      sizeof *all->body, error);
    if (status == KY_OK)
        status = send(card, &lists->cells, "lists of cells", all->cell, all->cells,
                      sizeof *all->cell, error);
    return status;
}

static enum ky_status launch_batch(struct ky_host_tree *host, struct lists *lists,
                                   const struct ky_parameters *parameters, struct batch *batch,
                                   struct ky_error *error)
{
    static const enum ky_kernel_id kernels[2][KY_PRECISIONS] = {
        KY_EACH_PRECISION(ky_list_monopole), KY_EACH_PRECISION(ky_list_quadrupole)};
    struct ky_device_bodies *bodies = host->bodies;
    struct ky_card *card = bodies->cards.card[0];
    uint32_t n = (uint32_t)bodies->n, flags = ky_device_walk_flags(host, parameters);
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies);
    union ky_state_value strength = ky_to_state(card, ky_device_scale(bodies).strength);
    enum ky_status status = send_batch(card, lists, batch, error);
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_BUFFER(host->source), KY_BUFFER(host->low), KY_BUFFER(host->eps2),
        KY_BUFFER(host->centre), KY_BUFFER(host->centre_low), KY_BUFFER(host->moment),
        KY_BUFFER(lists->work), KY_BUFFER(lists->bodies), KY_BUFFER(lists->cells),
        KY_BUFFER(host->order), KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->potential),
        KY_VALUE(n), KY_VALUE(flags), KY_EPS2(eps2, parameters->precision), KY_VALUE(strength));
    if (status == KY_OK)
        status = ky_launch(card, kernels[parameters->multipole > 1][parameters->precision],
                           batch->count, arguments, error);
    return status;
}

/* Makes and launches batch after batch. */
static enum ky_status run_batches(struct ky_host_tree *host, struct lists *lists,
                                  const struct ky_parameters *parameters, struct batch *batch,
                                  struct ky_error *error)
{
    const size_t groups = host->tree.groups;
    enum ky_status status = KY_OK;
    for (size_t first = 0; first < groups && status == KY_OK; first += BATCH_GROUPS) {
        batch->first = first;
        batch->count = groups - first < BATCH_GROUPS ? groups - first : BATCH_GROUPS;
        status = make_batch(host, parameters, batch, error);
        if (status == KY_OK)
            status = launch_batch(host, lists, parameters, batch, error);
    }
    return status;
}

static enum ky_status pass(struct ky_host_tree *host, void *own,
                           const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_cards *cards = &host->bodies->cards;
    struct batch *batch = ky_allocate_zeroed(1, sizeof *batch);
    if (!batch)
        return ky_no_memory(error, "batch of interaction lists", 1, sizeof *batch);
    batch->threads = host->bodies->threads;
    enum ky_status status = ky_host_tree_build(host, parameters, error);
    if (status == KY_OK)
        status = ky_host_tree_send(host, parameters, 0, error);
    if (status == KY_OK && parameters->opening == KY_RELATIVE)
        status = ky_device_last_accelerations(host, &batch->relative, &batch->columns, error);
    if (status == KY_OK)
        status = ky_mark(cards, 0, error);
    if (status == KY_OK)
        status = run_batches(host, own, parameters, batch, error);
    if (status == KY_OK)
        status = ky_mark(cards, 1, error);
    for (size_t k = 0; k < CHUNKS; k++)
        ky_lists_free(&batch->lists[k]);
    ky_lists_free(&batch->all);
    free(batch->columns);
    free(batch);
    return status;
}

static enum ky_status evaluate(struct ky_device_bodies *bodies, struct ky_host_tree *host,
                               void *own, struct ky_error *error)
{
    (void)bodies;
    return ky_device_passes(host, own, pass, error);
}

const struct ky_method ky_lists_method = {
    .force = KY_LIST,
    .comes_down = 1,
    .own = sizeof(struct lists),
    .evaluate = evaluate,
    .memory = lists_memory,
    .release = release,
};
