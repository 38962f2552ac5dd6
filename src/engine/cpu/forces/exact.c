/* Exact sums in double when ranks divide the bodies: each rank sums for some blocks of the sinks,
 * while all bodies pass by in the order of their numbers (engine/shared.h).
 *
 * A sum is a sum of sums over chunks of sources, which begin after the previous chunk or after a
 * source that is a sink of the block (lanes/direct.h). A block waits until its next chunk is
 * complete. So its sums have the same bits as on one engine with all bodies. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "engine/cpu/forces/forces.h"

enum { FIELD = 4 };

/* Sinks that are summed together, and their sums over the sources before number `done`. */
struct block {
    struct ky_direct_sinks sinks;
    uint32_t number[KY_BLOCK];
    size_t done, next; /* next: the first sink whose own number has not passed yet */
    double sum[FIELD][KY_BLOCK];
};

/* The sources that are currently stored, from number `first` on, in the engine's units. */
struct window {
    size_t first, count, room;
    double *column[4]; /* x y z mass */
};

struct sums {
    struct ky_cpu *cpu;
    size_t system, count; /* number of bodies, and of sinks, of all ranks */
    struct ky_cpu_wanted *wanted;
    double (*position)[3];
    size_t *begin, all;  /* begin: [all + 1] first sink of each block, from ky_cpu_make_blocks */
    struct block *block; /* this engine's own blocks */
    size_t first, blocks;
    struct window window;
};

/* ---- a block ---- */

/* Adds the sum over one chunk. `own`: sinks next … next + own − 1 are the sources themselves. */
static void add_chunk(const struct sums *sums, struct block *block, size_t count, size_t own)
{
    const struct window *window = &sums->window;
    double *const *column = window->column;
    const size_t at = block->done - window->first;
    const struct ky_direct chunk = {.n = count,
                                    .x = column[0] + at,
                                    .y = column[1] + at,
                                    .z = column[2] + at,
                                    .mass = column[3] + at,
                                    .how = sums->cpu->how};
    for (size_t k = 0; k < block->sinks.count; k++)
        block->sinks.own[k] =
            k - block->next < own ? (uint32_t)(block->number[k] - block->done) : KY_NO_BODY;
    sums->cpu->lanes->direct[KY_DOUBLE](&chunk, &block->sinks);
    for (size_t c = 0; c < FIELD; c++)
        for (size_t k = 0; k < block->sinks.count; k++)
            block->sum[c][k] += block->sinks.field[c][k];
    block->done += count;
    block->next += own;
}

/* The number of sinks from `next` on with consecutive numbers from `done` on. */
static size_t count_own(const struct block *block)
{
    size_t own = 0;
    while (block->next + own < block->sinks.count &&
           block->number[block->next + own] == block->done + own)
        own++;
    return own;
}

/* Adds all chunks that are complete. */
static void advance(const struct sums *sums, struct block *block)
{
    const size_t end = sums->window.first + sums->window.count;
    while (block->done < end) {
        const size_t own = count_own(block), stop = block->next < block->sinks.count
                                                        ? block->number[block->next]
                                                        : sums->system;
        size_t count = own ? own : stop - block->done;
        count = count < KY_CHUNK ? count : KY_CHUNK;
        if (block->done + count > end)
            return;
        add_chunk(sums, block, count, own);
    }
}

/* ---- all blocks ---- */

/* Drops the sources that all blocks have passed. Fewer than KY_CHUNK of a chunk, or of a run of
 * sinks, remain. */
static void shift(struct window *window)
{
    const size_t kept = window->count < KY_CHUNK ? window->count : KY_CHUNK,
                 gone = window->count - kept;
    for (int c = 0; c < 4; c++)
        memmove(window->column[c], window->column[c] + gone, kept * sizeof *window->column[c]);
    window->first += gone;
    window->count = kept;
}

/* Copies some of the arriving rows. */
static size_t fill(const struct sums *sums, struct window *window, const double (*row)[4],
                   size_t count)
{
    const double length = 1 / sums->cpu->length, mass = 1 / sums->cpu->mass_unit;
    const size_t space = window->room - window->count, taken = count < space ? count : space;
    for (size_t k = 0; k < taken; k++) {
        for (int c = 0; c < 3; c++)
            window->column[c][window->count + k] = row[k][c] * length;
        window->column[3][window->count + k] = row[k][3] * mass;
    }
    window->count += taken;
    return taken;
}

/* Loads the sinks of own block number k. */
static void load(const struct sums *sums, size_t k)
{
    const struct ky_cpu *cpu = sums->cpu;
    struct block *block = &sums->block[k];
    const size_t *begin = sums->begin + sums->first + k;
    double *const x[3] = {block->sinks.x, block->sinks.y, block->sinks.z};
    block->sinks.count = begin[1] - begin[0];
    for (size_t i = 0; i < block->sinks.count; i++) {
        const struct ky_cpu_wanted *wanted = &sums->wanted[begin[0] + i];
        block->number[i] = wanted->own;
        block->sinks.eps2[i] = ky_cpu_sink_eps2(cpu, 0);
        for (int c = 0; c < 3; c++)
            x[c][i] = sums->position[wanted->row][c] / cpu->length;
    }
}

/* Receives passing bodies (struct ky_shared_pass). */
static void visit(void *of, size_t first, size_t count, const double (*row)[4])
{
    struct sums *sums = of;
    for (size_t k = 0; k < sums->blocks && first == 0; k++)
        load(sums, k);
    for (size_t taken = 0; taken < count;) {
        shift(&sums->window);
        taken += fill(sums, &sums->window, row + taken, count - taken);
#pragma omp parallel for schedule(dynamic) num_threads(sums->cpu->threads) if (sums->blocks > 3)
        for (size_t k = 0; k < sums->blocks; k++)
            if (!ky_halted(sums->cpu->base.halt))
                advance(sums, &sums->block[k]);
    }
}

/* ---- the whole ---- */

/* The first block of engine r. */
static size_t first_block(const struct sums *sums, size_t r)
{
    return ky_share_start(sums->all, ky_cpu_ranks(sums->cpu), r);
}

static enum ky_status make_blocks(struct sums *sums, const size_t *sinks, struct ky_error *error)
{
    const size_t rank = sums->cpu->base.shared->rank;
    sums->wanted = ky_allocate(sums->count, sizeof *sums->wanted);
    sums->begin = ky_allocate(sums->count + 1, sizeof *sums->begin);
    sums->position = ky_allocate(sums->count, sizeof *sums->position);
    if (!sums->wanted || !sums->begin || !sums->position)
        return ky_no_memory(error, "list of sinks", sums->count, sizeof *sums->wanted);
    for (size_t k = 0; k < sums->count; k++)
        sums->wanted[k] = (struct ky_cpu_wanted){sinks[k], k, (uint32_t)sinks[k]};
    ky_cpu_make_blocks(sums->wanted, sums->count, sums->begin, &sums->all);
    sums->first = first_block(sums, rank);
    sums->blocks = first_block(sums, rank + 1) - sums->first;
    sums->block = ky_allocate_zeroed(sums->blocks, sizeof *sums->block);
    return sums->block ? KY_OK
                       : ky_no_memory(error, "list of sinks", sums->blocks, sizeof *sums->block);
}

static enum ky_status open_window(struct window *window, struct ky_error *error)
{
    enum { ROOM = KY_CHUNK + (1 << 14) };
    *window = (struct window){.room = ROOM};
    window->column[0] = ky_allocate((size_t)4 * ROOM, sizeof(double));
    if (!window->column[0])
        return ky_no_memory(error, "bodies of other ranks", ROOM, 4 * sizeof(double));
    for (size_t c = 1; c < 4; c++)
        window->column[c] = window->column[0] + c * ROOM;
    return KY_OK;
}

/* Each rank receives the results of all ranks. */
static enum ky_status join(const struct sums *sums, double (*acceleration)[3], double *potential,
                           struct ky_error *error)
{
    const struct ky_shared *shared = sums->cpu->base.shared;
    const struct ky_cpu_scale scale = ky_cpu_scale(sums->cpu);
    const size_t first = sums->begin[sums->first],
                 own = sums->begin[sums->first + sums->blocks] - first;
    double(*row)[FIELD] = ky_allocate(own + sums->count, sizeof *row),
    (*all)[FIELD] = row ? row + own : NULL;
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes);
    enum ky_status status =
        row && bytes ? KY_OK : ky_no_memory(error, "exact sums", sums->count, sizeof *row);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        bytes[r] = (sums->begin[first_block(sums, r + 1)] - sums->begin[first_block(sums, r)]) *
                   sizeof *row;
    for (size_t k = 0, at = 0; k < sums->blocks && !status; k++)
        for (size_t i = 0; i < sums->block[k].sinks.count; i++, at++)
            for (size_t c = 0; c < FIELD; c++)
                row[at][c] =
                    (c < 3 ? scale.acceleration : scale.potential) * sums->block[k].sum[c][i];
    if (!status)
        status = shared->gather(shared->context, row, bytes, all, error);
    for (size_t k = 0; k < sums->count && !status; k++) {
        const size_t to = sums->wanted[k].row;
        if (acceleration)
            memcpy(acceleration[to], all[k], sizeof acceleration[to]);
        if (potential)
            potential[to] = all[k][3];
    }
    free(row);
    free(bytes);
    return status;
}

static enum ky_status exact_of_parts(struct ky_cpu *cpu, const size_t *sinks, size_t count,
                                     double (*acceleration)[3], double *potential,
                                     struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    struct sums sums = {.cpu = cpu, .system = shared->system, .count = count};
    enum ky_status status = make_blocks(&sums, sinks, error);
    const struct ky_shared_pass pass = {
        .body = sinks, .count = count, .position = sums.position, .visit = visit, .of = &sums};
    if (!status)
        status = open_window(&sums.window, error);
    if (!status)
        status = shared->pass(shared->context, &pass, error);
    if (!status)
        status = join(&sums, acceleration, potential, error);
    free(sums.wanted);
    free(sums.begin);
    free(sums.position);
    free(sums.block);
    free(sums.window.column[0]);
    return status;
}

enum ky_status ky_cpu_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    return (ky_cpu_is_divided(cpu) ? exact_of_parts : ky_cpu_exact_of_own)(
        cpu, sinks, count, acceleration, potential, error);
}
