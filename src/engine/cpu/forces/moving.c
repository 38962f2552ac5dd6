/* The division of sums with jerks among threads: the sources and the blocks of sinks of each
 * thread. */
#include "engine/cpu/forces/moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Requests that fill lists. */
enum { LISTED = KY_MOVING_LISTS | KY_MOVING_NEAR };
/* Slices of the sources, whose sums are added one after the other: at most SLICES, with at least
 * LEAST_SOURCES sources each. They do not depend on the sinks, so that the bits of a sink do not
 * depend on the other sinks of a call. Slices begin at whole vectors. */
enum { SLICES = 64, LEAST_SOURCES = 4096, VECTORS = 64 };
/* Number of blocks for which each thread takes whole blocks; number of pairs for which several
 * threads are worth their start. */
enum { MANY_BLOCKS = 32, FEW_PAIRS = 100000 };

static size_t slices(size_t sources)
{
    const size_t most = sources / LEAST_SOURCES;
    return most > SLICES ? SLICES : most > 1 ? most : 1;
}

size_t ky_moving_each(size_t sources, size_t sinks, int threads)
{
    enum { LEAST = 8, TURNS = 2 }; /* sinks; tasks for each thread */
    const size_t tasks = TURNS * (size_t)threads, each = sinks * slices(sources) / tasks / 2 * 2;
    return threads <= 1 || each > KY_MOVING_BLOCK ? KY_MOVING_BLOCK : each > LEAST ? each : LEAST;
}

/* The first source of a slice; for the slice after the last one, the number of sources. */
static size_t begin(const struct ky_moving_task *task, size_t slice, size_t count)
{
    return slice < count ? task->sources * slice / count / VECTORS * VECTORS : task->sources;
}

void ky_moving_clear(struct ky_moving_sinks *sinks)
{
    memset(sinks->sum, 0, sizeof sinks->sum);
    memset(sinks->found, 0, sizeof sinks->found);
    for (size_t k = 0; k < sinks->count; k++) {
        sinks->nearest[k] = UINT32_MAX;
        sinks->nearest2[k] = (double)INFINITY;
    }
}

/* Adds a slice's sums to the sums of the earlier slices. */
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

/* Blocks of sinks for all slices but the first, with lists if requested. */
static struct ky_moving_sinks *make_parts(const struct ky_moving_task *task, size_t count,
                                          uint32_t **lists)
{
    struct ky_moving_sinks *part = ky_allocate(count, sizeof *part);
    const size_t capacity = task->moving->what & LISTED ? task->block[0].capacity : 0;
    *lists = ky_allocate(count * KY_MOVING_BLOCK, capacity * sizeof **lists);
    for (size_t k = 0; part && *lists && k < count; k++) {
        part[k] = task->block[k % task->blocks];
        part[k].list = *lists + k * KY_MOVING_BLOCK * capacity;
    }
    return part;
}

static void run_slice(const struct ky_moving_task *task, size_t slice, size_t count,
                      struct ky_moving_sinks *sinks)
{
    task->lanes->moving[task->precision](task->moving, begin(task, slice, count),
                                         begin(task, slice + 1, count), sinks);
}

/* Threads take whole blocks, one slice after the other. */
static void run_blocks(const struct ky_moving_task *task, size_t count, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t k = 0; k < task->blocks; k++)
        for (size_t slice = 0; slice < count; slice++)
            run_slice(task, slice, count, &task->block[k]);
}

/* Threads also divide the slices. */
static enum ky_status run_parts(const struct ky_moving_task *task, size_t count,
                                struct ky_error *error)
{
    const size_t blocks = task->blocks, more = (count - 1) * blocks;
    uint32_t *lists = NULL;
    struct ky_moving_sinks *part = make_parts(task, more, &lists);
    enum ky_status status = KY_OK;
    if (!part || !lists) {
        status = ky_no_memory(error, "sums of slices", more, sizeof *part);
        goto end;
    }
#pragma omp parallel for schedule(dynamic) num_threads(task->threads)
    for (size_t k = 0; k < count * blocks; k++)
        run_slice(task, k / blocks, count, k < blocks ? &task->block[k] : &part[k - blocks]);
    for (size_t k = 0; k < more; k++)
        add(&task->block[k % blocks], &part[k], task->moving->what & LISTED);
end:
    free(part);
    free(lists);
    return status;
}

enum ky_status ky_moving_run(const struct ky_moving_task *task, struct ky_error *error)
{
    const size_t count = slices(task->sources);
    const double pairs = (double)task->blocks * KY_MOVING_BLOCK * (double)task->sources;
    const int threads = pairs > (double)FEW_PAIRS ? task->threads : 1;
    for (size_t k = 0; k < task->blocks; k++)
        ky_moving_clear(&task->block[k]);
    if (threads > 1 && count > 1 && task->blocks < MANY_BLOCKS)
        return run_parts(task, count, error);
    run_blocks(task, count, threads);
    return KY_OK;
}
