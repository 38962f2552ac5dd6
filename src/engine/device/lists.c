/* Interaction lists (N12 section 4.2): made on the host for a batch of groups while the device
 * evaluates the batch before. */
#include "engine/device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "octree/lists.h"

/* Groups whose lists one thread makes at a time, and such chunks in a batch: enough to keep many
 * threads busy to its end. */
enum { CHUNK_GROUPS = 8, CHUNKS = 128, BATCH_GROUPS = CHUNK_GROUPS * CHUNKS, WORK = 6 };

struct batch {
    int threads;
    size_t first, count; /* groups */
    struct ky_lists lists[CHUNKS];
    uint32_t work[BATCH_GROUPS][WORK];
    struct ky_lists all; /* the lists of all chunks, one after the other */
};

/* A batch of lists: as long as they were seen to be in a uniform sphere with θ = 0.6, or the whole
 * system; on the host twice, in parts and joined. */
void ky_device_lists_memory(const struct ky_parameters *parameters, size_t n,
                            struct ky_memory *memory)
{
    double length = fmin(2600 * pow(0.6 / parameters->theta, 3), (double)n);
    double groups = fmin(BATCH_GROUPS, 2 * (double)n / parameters->group + 1);
    double bytes = 1.25 * groups * length * sizeof(uint32_t);
    memory->device += bytes;
    memory->host += 2 * bytes;
}

/* For `relative`: the factor of the smallest acceleration in the group, which is the largest. */
static double group_factor(const struct ky_device_engine *engine,
                           const struct ky_parameters *parameters, const struct ky_group *group)
{
    if (parameters->opening != KY_RELATIVE)
        return 1;
    float most = 0;
    for (uint32_t k = 0; k < group->bodies; k++) {
        float factor = engine->host.factor[group->body + k];
        most = factor > most ? factor : most;
    }
    return (double)most;
}

/* The lists of a chunk; begins in `work` count from the chunk's own lists. */
static enum ky_status make_chunk(const struct ky_device_engine *engine,
                                 const struct ky_parameters *parameters, struct batch *batch,
                                 size_t chunk, struct ky_error *error)
{
    const struct ky_octree *tree = &engine->host.tree;
    struct ky_lists *lists = &batch->lists[chunk];
    size_t end = (chunk + 1) * CHUNK_GROUPS;
    enum ky_status status = KY_OK;
    lists->bodies = lists->cells = 0;
    for (size_t g = chunk * CHUNK_GROUPS; g < end && g < batch->count && status == KY_OK; g++) {
        const struct ky_group *group = &tree->group[batch->first + g];
        uint32_t bodies = (uint32_t)lists->bodies, cells = (uint32_t)lists->cells;
        status = ky_lists_add(lists, tree, parameters, group,
                              group_factor(engine, parameters, group), error);
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

static enum ky_status make_batch(struct ky_device_engine *engine,
                                 const struct ky_parameters *parameters, struct batch *batch,
                                 struct ky_error *error)
{
    enum ky_status statuses[CHUNKS];
    struct ky_error errors[CHUNKS];
#pragma omp parallel for num_threads(batch->threads) schedule(dynamic)
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        statuses[chunk] = make_chunk(engine, parameters, batch, chunk, &errors[chunk]);
    for (size_t chunk = 0; chunk < CHUNKS; chunk++)
        if (statuses[chunk] != KY_OK)
            return ky_fail(error, statuses[chunk], "%s", errors[chunk].text);
    for (size_t g = 0; g < batch->count; g++) {
        double sinks = batch->work[g][1];
        engine->report.body_interactions += sinks * ((double)batch->work[g][3] - 1);
        engine->report.cell_interactions += sinks * (double)batch->work[g][5];
    }
    return join(batch, error);
}

static enum ky_status send(struct ky_gpu *gpu, struct ky_buffer *buffer, const char *what,
                           const void *data, size_t count, size_t size, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    if (!buffer->handle || buffer->bytes < count * size)
        status = ky_buffer_need(gpu, buffer, what, count + count / 4, size, error);
    return status == KY_OK ? gpu->driver->write(gpu, buffer, 0, data, count * size, error) : status;
}

static enum ky_status launch_batch(struct ky_device_engine *engine,
                                   const struct ky_parameters *parameters, struct batch *batch,
                                   struct ky_error *error)
{
    struct ky_card *card = &engine->card[0];
    struct ky_tree_buffers *walk = &engine->walk;
    uint32_t n = (uint32_t)engine->n, flags = ky_device_walk_flags(engine, parameters);
    struct ky_eps2_argument eps2 = ky_eps2_argument(engine);
    union ky_state_value strength = ky_to_state(engine, ky_device_scale(engine).strength);
    enum ky_kernel_id kernel = (enum ky_kernel_id)((int)KY_KERNEL_ky_list_monopole_single +
                                                   (parameters->multipole > 1 ? 1 : 0));
    enum ky_status status = send(card->gpu, &walk->work, "groups", batch->work, batch->count,
                                 sizeof *batch->work, error);
    if (status == KY_OK)
        status = send(card->gpu, &walk->bodies, "lists of bodies", batch->all.body,
                      batch->all.bodies, sizeof(uint32_t), error);
    if (status == KY_OK)
        status = send(card->gpu, &walk->cells, "lists of cells", batch->all.cell, batch->all.cells,
                      sizeof(uint32_t), error);
    const struct ky_argument arguments[] = {KY_BUFFER(walk->source),
                                            KY_BUFFER(walk->low),
                                            KY_BUFFER(walk->eps2),
                                            KY_BUFFER(walk->centre),
                                            KY_BUFFER(walk->centre_low),
                                            KY_BUFFER(walk->moment),
                                            KY_BUFFER(walk->work),
                                            KY_BUFFER(walk->bodies),
                                            KY_BUFFER(walk->cells),
                                            KY_BUFFER(walk->order),
                                            KY_BUFFER(card->acceleration),
                                            KY_BUFFER(card->potential),
                                            KY_VALUE(n),
                                            KY_VALUE(flags),
                                            KY_EPS2(eps2, parameters->precision),
                                            KY_VALUE(strength)};
    if (status == KY_OK)
        status = ky_launch(card, ky_in_precision(kernel, parameters->precision), batch->count,
                           arguments, sizeof arguments / sizeof *arguments, error);
    return status;
}

static enum ky_status evaluate(struct ky_device_engine *engine,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    struct batch *batch = ky_allocate_zeroed(1, sizeof *batch);
    if (!batch)
        return ky_no_memory(error, "batch of interaction lists", 1, sizeof *batch);
    batch->threads = engine->threads;
    enum ky_status status = ky_device_tree_build(engine, parameters, error);
    if (status == KY_OK)
        status = ky_device_tree_send(engine, parameters, 0, error);
    if (status == KY_OK && parameters->opening == KY_RELATIVE)
        status = ky_device_factors(engine, error);
    if (status == KY_OK)
        status = ky_mark(engine, 0, error);
    const size_t groups = engine->host.tree.groups;
    for (size_t first = 0; first < groups && status == KY_OK; first += BATCH_GROUPS) {
        batch->first = first;
        batch->count = groups - first < BATCH_GROUPS ? groups - first : BATCH_GROUPS;
        status = make_batch(engine, parameters, batch, error);
        if (status == KY_OK)
            status = launch_batch(engine, parameters, batch, error);
    }
    if (status == KY_OK)
        status = ky_mark(engine, 1, error);
    for (size_t k = 0; k < CHUNKS; k++)
        ky_lists_free(&batch->lists[k]);
    ky_lists_free(&batch->all);
    free(batch);
    return status;
}

enum ky_status ky_device_lists(struct ky_device_engine *engine, struct ky_error *error)
{
    return ky_device_relative(engine, evaluate, error);
}
