/* Forces of ranks that all have the same bodies: each computes the results of some sinks exactly as
 * a single rank would. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/shares.h"
#include "engine/cpu/state/cpu.h"

/* Number of pairs, and of sinks of a walk, below which exchanging results takes longer than
 * computing all of them: 2 ms of a core. */
#define FEW_PAIRS 4e6
enum { FEW_SINKS = 2000, FIELD = 4 };

/* 1 if other ranks have all bodies too. */
static int has_copies(const struct ky_shared *shared)
{
    return shared && !shared->tree;
}

/* ---- sums over all pairs ---- */

/* The first sink of engine r's share. */
static size_t share_start(const struct ky_cpu_share *share, size_t ranks, size_t r)
{
    const size_t units = (share->count + share->unit - 1) / share->unit,
                 first = ky_share_start(units, ranks, r) * share->unit;
    return first < share->count ? first : share->count;
}

struct ky_cpu_share ky_cpu_share(const struct ky_cpu *cpu, size_t count, size_t sources,
                                 size_t unit)
{
    const struct ky_shared *shared = cpu->base.shared;
    struct ky_cpu_share share = {0, count, count, unit, 0};
    if (!has_copies(shared) || (double)count * (double)sources < FEW_PAIRS)
        return share;
    share.joins = 1;
    share.first = share_start(&share, shared->ranks, shared->rank);
    share.end = share_start(&share, shared->ranks, shared->rank + 1);
    return share;
}

enum ky_status ky_cpu_join(const struct ky_cpu *cpu, const struct ky_cpu_share *share,
                           double *const *column, size_t columns, struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    if (!share->joins)
        return KY_OK;
    const size_t own = (share->end - share->first) * columns, all = share->count * columns;
    double *row = ky_allocate(own + all, sizeof *row), *to = row ? row + own : NULL, *at = row;
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes);
    enum ky_status status = row && bytes ? KY_OK
                                         : ky_no_memory(error, "sums of other ranks", share->count,
                                                        columns * sizeof *row);
    for (size_t k = share->first; k < share->end && !status; k++)
        for (size_t c = 0; c < columns; c++)
            *at++ = column[c][k];
    for (size_t r = 0; r < shared->ranks && !status; r++)
        bytes[r] =
            (share_start(share, shared->ranks, r + 1) - share_start(share, shared->ranks, r)) *
            columns * sizeof *row;
    if (!status)
        status = shared->gather(shared->context, row, bytes, to, error);
    for (size_t k = 0; k < share->count && !status; k++)
        for (size_t c = 0; c < columns; c++)
            column[c][k] = *to++;
    free(row);
    free(bytes);
    return status;
}

/* ---- walks through the tree ---- */

struct ky_cpu_turns ky_cpu_turns(const struct ky_cpu_sinks *set)
{
    const size_t sinks = set->active ? set->active->count : set->n;
    if (!has_copies(set->shared))
        return (struct ky_cpu_turns){0, 1, 0};
    return (struct ky_cpu_turns){set->shared->rank, set->shared->ranks, sinks >= FEW_SINKS};
}

static enum ky_status add_work(const struct ky_cpu_sinks *set, struct ky_cpu_work *work,
                               struct ky_error *error)
{
    uint64_t number[] = {work->bodies, work->cells, (uint64_t)work->more};
    const struct ky_shared *shared = set->shared;
    const enum ky_status status =
        has_copies(set->shared) ? shared->add(shared->context, number, 3, error) : KY_OK;
    *work = (struct ky_cpu_work){number[0], number[1], (int64_t)number[2]};
    return status;
}

/* The sinks of the units whose turn is engine r's: counts them, and copies their results to or from
 * rows. */
struct visit {
    struct ky_cpu_sinks *set;
    size_t units, ranks;
    struct ky_group (*range)(const void *of, size_t unit);
    const void *of;
};
enum direction { COUNT, WRITE, READ };

static size_t visit_sinks(const struct visit *visit, size_t r, enum direction way, double *row)
{
    struct ky_cpu_sinks *set = visit->set;
    double *const column[FIELD] = {set->a[0], set->a[1], set->a[2], set->potential};
    size_t sinks = 0;
    for (size_t unit = r; unit < visit->units; unit += visit->ranks) {
        const struct ky_group range = visit->range(visit->of, unit);
        for (uint32_t k = range.body; k < range.body + range.bodies; k++) {
            const uint32_t i = set->tree.order[k];
            if (!ky_cpu_is_active(set, i))
                continue;
            for (size_t c = 0; c < FIELD && way == WRITE; c++)
                row[sinks * FIELD + c] = column[c][i];
            for (size_t c = 0; c < FIELD && way == READ; c++)
                column[c][i] = row[sinks * FIELD + c];
            sinks++;
        }
    }
    return sinks;
}

static enum ky_status join_sinks(const struct visit *visit, struct ky_error *error)
{
    const struct ky_shared *shared = visit->set->shared;
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes), all = 0, own = 0;
    double *row = NULL, *at;
    enum ky_status status =
        bytes ? KY_OK : ky_no_memory(error, "the ranks", shared->ranks, sizeof *bytes);
    for (size_t r = 0; r < shared->ranks && !status; r++) {
        const size_t sinks = visit_sinks(visit, r, COUNT, NULL) * FIELD;
        own = r == shared->rank ? sinks : own;
        bytes[r] = sinks * sizeof *row;
        all += sinks;
    }
    if (!status && !(row = ky_allocate(own + all, sizeof *row)))
        status = ky_no_memory(error, "results of other ranks", own + all, sizeof *row);
    if (!status) {
        visit_sinks(visit, shared->rank, WRITE, row);
        status = shared->gather(shared->context, row, bytes, row + own, error);
    }
    at = row ? row + own : NULL;
    for (size_t r = 0; r < shared->ranks && !status; r++)
        at += visit_sinks(visit, r, READ, at) * FIELD;
    free(row);
    free(bytes);
    return status;
}

enum ky_status ky_cpu_end_walk(struct ky_cpu_sinks *set, const struct ky_cpu_turns *turns,
                               struct ky_cpu_work work, size_t units,
                               struct ky_group (*range)(const void *of, size_t unit),
                               const void *of, struct ky_error *error)
{
    const struct visit visit = {set, units, turns->ranks, range, of};
    enum ky_status status = add_work(set, &work, error);
    set->kept.more += work.more;
    set->cpu->report.body_interactions += (double)work.bodies;
    set->cpu->report.cell_interactions += (double)work.cells;
    return status || !turns->joins ? status : join_sinks(&visit, error);
}
