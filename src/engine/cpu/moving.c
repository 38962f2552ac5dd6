/* Which thread sums which sources for which block of sinks. */
#include "engine/cpu/moving.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Parts of the work, whatever the number of threads; sources of a part at the least; and pairs for
 * which several threads are worth their start. */
enum { PARTS = 64, LEAST_SOURCES = 4096, FEW_PAIRS = 100000 };

static size_t slices(const struct ky_moving_task *task)
{
    const size_t most = task->sources / LEAST_SOURCES, wanted = PARTS / task->blocks;
    const size_t count = most < wanted ? most : wanted;
    return count > 1 ? count : 1;
}

/* Adds a slice's sums to those of the slices before it. */
static void add(struct ky_moving_sinks *to, const struct ky_moving_sinks *from, int lists)
{
    for (size_t k = 0; k < to->count; k++) {
        for (int c = 0; c < KY_MOVING_SUMS; c++)
            to->sum[c][k] += from->sum[c][k];
        if (from->nearest2[k] < to->nearest2[k]) {
            to->nearest2[k] = from->nearest2[k];
            to->nearest[k] = from->nearest[k];
        }
        for (size_t e = 0; lists && e < from->found[k] && e < from->capacity; e++)
            if (to->found[k] + e < to->capacity)
                to->list[k * to->capacity + to->found[k] + e] = from->list[k * from->capacity + e];
        to->found[k] += from->found[k];
    }
}

/* Blocks of sinks for all slices but the first, with lists where they are wanted. */
static struct ky_moving_sinks *make_parts(const struct ky_moving_task *task, size_t count,
                                          uint32_t **lists)
{
    struct ky_moving_sinks *part = ky_allocate(count, sizeof *part);
    const size_t capacity = task->moving->what & KY_MOVING_LISTS ? task->block[0].capacity : 0;
    *lists = ky_allocate(count * KY_MOVING_BLOCK, capacity * sizeof **lists);
    for (size_t k = 0; part && *lists && k < count; k++) {
        part[k] = task->block[k % task->blocks];
        part[k].list = *lists + k * KY_MOVING_BLOCK * capacity;
    }
    return part;
}

static void run_part(const struct ky_moving_task *task, struct ky_moving_sinks *part, size_t k,
                     size_t count)
{
    const size_t slice = k / task->blocks, block = k % task->blocks;
    task->lanes->moving[task->precision](
        task->moving, task->sources * slice / count, task->sources * (slice + 1) / count,
        slice == 0 ? &task->block[block] : &part[k - task->blocks]);
}

enum ky_status ky_moving_run(const struct ky_moving_task *task, struct ky_error *error)
{
    const size_t count = task->blocks ? slices(task) : 0, parts = count * task->blocks,
                 more = parts - task->blocks;
    const int several =
        (double)task->blocks * KY_MOVING_BLOCK * (double)task->sources > (double)FEW_PAIRS;
    uint32_t *lists = NULL;
    struct ky_moving_sinks *part = NULL;
    enum ky_status status = KY_OK;
    if (task->blocks == 0)
        return KY_OK;
    if (more) {
        part = make_parts(task, more, &lists);
        if (!part || !lists) {
            status = ky_no_memory(error, "sums of slices", more, sizeof *part);
            goto end;
        }
    }
    (void)several; /* without OpenMP */
#pragma omp parallel for schedule(dynamic) num_threads(task->threads) if (several)
    for (size_t k = 0; k < parts; k++)
        run_part(task, part, k, count);
    for (size_t k = 0; k < more; k++)
        add(&task->block[k % task->blocks], &part[k], task->moving->what & KY_MOVING_LISTS);
end:
    free(part);
    free(lists);
    return status;
}
