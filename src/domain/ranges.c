/* Ranges of the curve: the keys, the ends of the ranges, and the bodies that have left their
 * range. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "domain/curve.h"
#include "octree/keys.h"
#include "octree/parts.h"
#include "octree/work.h"

/* ---- keys ---- */

static enum ky_status sort_keys(struct ky_ranging *curve, struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const size_t n = curve->n;
    const int threads = domain->engine->threads;
    const struct ky_positions places = {n,           NULL,        curve->x[0],
                                        curve->x[1], curve->x[2], domain->total};
    const struct ky_frame frame = domain->edge > 0 ? ky_frame_of_cube(domain->low, domain->edge)
                                                   : (struct ky_frame){.edge = 0};
    const int hilbert = domain->parameters.curve == KY_HILBERT;
    curve->layout = ky_word_layout_in(n, domain->total);
    curve->key = ky_domain_space(domain, KY_SPACE_KEY, 2 * n, sizeof *curve->key, error);
    curve->order = ky_domain_space(domain, KY_SPACE_ORDER, n, sizeof *curve->order, error);
    if (!curve->key || !curve->order)
        return KY_FAULT;
    ky_hilbert_init(&curve->hilbert);
    const uint64_t varying =
        ky_words(&frame, hilbert ? &curve->hilbert : NULL, &places, curve->key, threads);
    const uint64_t *sorted = ky_octree_sort(n, curve->key, curve->key + n, varying, threads);
    if (n && sorted != curve->key)
        memcpy(curve->key, sorted, n * sizeof *sorted);
    ky_octree_unpack(n, curve->layout, curve->key, curve->order, threads);
    return KY_OK;
}

/* Chooses `count` keys, each in the middle of an equal share of the work. */
static void name_by_weight(const struct ky_ranging *curve, size_t count,
                           struct ky_probe own[KY_PROBES])
{
    const double share = curve->domain->work / (double)count;
    double sum = 0;
    size_t named = 0;
    for (size_t k = 0; k < curve->n; k++) {
        sum += curve->weight[curve->order[k]];
        while (named < count && (sum > ((double)named + 0.5) * share || k + 1 == curve->n))
            own[named++] = (struct ky_probe){curve->key[k], share};
    }
}

static enum ky_status keys(struct ky_ranging *curve, struct ky_probe own[KY_PROBES],
                           struct ky_error *error)
{
    const size_t n = curve->n, count = ky_probe_count(n);
    const double work = curve->domain->work > 0 ? curve->domain->work : (double)n;
    const enum ky_status status = sort_keys(curve, error);
    if (curve->weight && !status)
        name_by_weight(curve, count, own);
    for (size_t k = 0; k < count && !status && !curve->weight; k++)
        own[k] = (struct ky_probe){curve->key[(2 * k + 1) * n / (2 * count)], work / (double)count};
    return status;
}

/* ---- ends of ranges ---- */

static int ascending(const void *a, const void *b)
{
    const struct ky_probe *p = a, *q = b;
    return (p->key > q->key) - (p->key < q->key);
}

/* Keys that divide the work of all probes equally: at[b] for the end of rank b's range. */
static void divide_work(struct ky_probe *probe, size_t count, size_t ranks, uint64_t *at)
{
    double all = 0, sum = 0;
    size_t b = 0;
    qsort(probe, count, sizeof *probe, ascending);
    for (size_t k = 0; k < count; k++)
        all += probe[k].work;
    for (size_t k = 0; k < count; k++) {
        sum += probe[k].work;
        while (b + 1 < ranks && sum > all * (double)(b + 1) / (double)ranks)
            at[b++] = probe[k].key;
    }
    while (b + 1 < ranks)
        at[b++] = count ? probe[count - 1].key : 0;
}

/* The cube of a level that holds the key: its first key, and the first one after it. */
static uint64_t cube_begin(uint64_t key, int level)
{
    const int shift = 3 * (KY_KEY_LEVELS - level);
    return key >> shift << shift;
}

static uint64_t cube_end(uint64_t key, int level)
{
    return cube_begin(key, level) + ((uint64_t)1 << 3 * (KY_KEY_LEVELS - level));
}

static enum ky_status count_in_cubes(struct ky_ranging *curve, const uint64_t *at, size_t ends,
                                     uint64_t *count, struct ky_error *error)
{
    (void)error;
    for (size_t b = 0; b < ends; b++)
        for (int level = 0; level <= curve->layout.levels; level++)
            count[b * KY_CURVE_LEVELS + (size_t)level] =
                ky_count_below(curve->key, curve->n, cube_end(at[b], level)) -
                ky_count_below(curve->key, curve->n, cube_begin(at[b], level));
    return KY_OK;
}

/* Moves each end to the end of the largest cube around the key that has at most this many
 * bodies. */
static enum ky_status end_at_cells(struct ky_ranging *curve, const uint64_t *at,
                                   struct ky_error *error)
{
    enum { LEVELS = KY_CURVE_LEVELS };
    struct ky_domain *domain = curve->domain;
    const size_t ends = (size_t)domain->comm->size - 1,
                 limit = ky_octree_part_bodies(&domain->parameters);
    const int last = curve->verbs->levels ? KY_KEY_LEVELS : curve->layout.levels;
    uint64_t *count;
    KY_TRY(ky_array_zeroed(&count, ends * LEVELS, sizeof *count, "cells at the ends of ranges",
                           error));
    enum ky_status status = curve->verbs->count(curve, at, ends, count, error);
    if (!status)
        status = ky_domain_add(domain, count, ends * LEVELS, error);
    curve->begin[0] = 0;
    for (size_t b = 0; b < ends && !status; b++) {
        int level = 0;
        while (level < last && count[b * LEVELS + (size_t)level] > limit)
            level++;
        const uint64_t end = cube_end(at[b], level);
        curve->begin[b + 1] = end > curve->begin[b] ? end : curve->begin[b];
    }
    curve->begin[ends + 1] = UINT64_MAX;
    free(count);
    return status;
}

/* Rank 0 gathers the probes, finds the ends and broadcasts them. */
static enum ky_status divide_together(const struct ky_ranging *curve, const struct ky_probe *own,
                                      uint64_t *at, struct ky_error *error)
{
    struct ky_comm *comm = curve->domain->comm;
    const size_t size = (size_t)comm->size, most = comm->rank ? 0 : size * KY_PROBES;
    struct ky_probe *all = ky_allocate(most, sizeof *all);
    size_t *counts = ky_allocate(size, sizeof *counts), count = 0;
    enum ky_status status =
        all && counts ? KY_OK : ky_no_memory(error, "ranges of the curve", most, sizeof *all);
    for (size_t r = 0; r < size && !status; r++)
        counts[r] = KY_PROBES;
    if (!status)
        status = ky_comm_collect(comm, own, KY_PROBES, all, counts, sizeof *own, error);
    for (size_t k = 0; k < most && !status; k++)
        if (all[k].work > 0)
            all[count++] = all[k];
    if (!status && !comm->rank)
        divide_work(all, count, size, at);
    free(all);
    free(counts);
    return status ? status : ky_comm_broadcast(comm, at, size * sizeof *at, error);
}

static enum ky_status find_ranges(struct ky_ranging *curve, struct ky_error *error)
{
    const size_t size = (size_t)curve->domain->comm->size;
    struct ky_probe own[KY_PROBES] = {{0, 0}};
    uint64_t *at = ky_allocate_zeroed(size, sizeof *at);
    curve->begin = ky_allocate(size + 1, sizeof *curve->begin);
    enum ky_status status = KY_OK;
    if (!at || !curve->begin)
        status = ky_no_memory(error, "ranges of the curve", size, sizeof *at);
    if (!status)
        status = curve->verbs->keys(curve, own, error);
    if (!status)
        status = divide_together(curve, own, at, error);
    if (!status)
        status = end_at_cells(curve, at, error);
    free(at);
    return status;
}

/* ---- bodies that move to another rank ---- */

static int by_body(const void *a, const void *b)
{
    const struct ky_mover *p = a, *q = b;
    return (p->body > q->body) - (p->body < q->body);
}

/* Notes the bodies that leave with their ranks, and the least and the largest key of the bodies
 * that stay. */
static enum ky_status note_movers(struct ky_ranging *curve, struct ky_movers *movers,
                                  struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const int own = domain->comm->rank;
    const size_t begin = ky_count_below(curve->key, curve->n, curve->begin[own]),
                 end = ky_count_below(curve->key, curve->n, curve->begin[own + 1]), n = curve->n,
                 count = n - (end - begin);
    struct ky_mover *mover = ky_domain_space(domain, KY_SPACE_TO, count, sizeof *mover, error);
    uint32_t *gone = ky_domain_space(domain, KY_SPACE_GONE, count, sizeof *gone, error);
    if (!mover || !gone)
        return KY_FAULT;
    domain->first = end > begin ? curve->key[begin] : UINT64_MAX;
    domain->last = end > begin ? curve->key[end - 1] : 0;
    size_t found = 0;
    int rank = 0;
    for (size_t k = begin > 0 ? 0 : end; k < n; k = k + 1 == begin ? end : k + 1) {
        while (curve->key[k] >= curve->begin[rank + 1])
            rank++;
        mover[found++] = (struct ky_mover){curve->order[k], rank, curve->key[k]};
        movers->leaving[rank]++;
    }
    qsort(mover, found, sizeof *mover, by_body);
    for (size_t k = 0; k < found; k++)
        gone[k] = mover[k].body;
    movers->mover = mover;
    movers->gone = gone;
    movers->all_leaving = found;
    domain->told.moved += found;
    return KY_OK;
}

/* Flag in the number of bodies that a rank sends to another one: more will follow in another
 * round. */
#define MORE (SIZE_MAX / 2 + 1)

/* Moves bodies to their ranges; *again: 1 if some are left. movers->leaving and `coming` have room
 * for all ranks. */
static enum ky_status move_round(struct ky_ranging *curve, struct ky_movers *movers, int *again,
                                 struct ky_error *error)
{
    struct ky_comm *comm = curve->domain->comm;
    const size_t size = (size_t)comm->size;
    size_t *told = ky_allocate(size, sizeof *told);
    enum ky_status status = told ? curve->verbs->leave(curve, movers, error)
                                 : ky_no_memory(error, "the ranks", size, sizeof *told);
    for (size_t r = 0; r < size && !status; r++)
        told[r] = movers->leaving[r] | (movers->left ? MORE : 0);
    if (!status)
        status = comm->verbs->deal(comm, told, sizeof *told, movers->coming, error);
    *again = 0;
    for (size_t r = 0; r < size && !status; r++) {
        *again |= (movers->coming[r] & MORE) != 0;
        movers->coming[r] &= ~MORE;
        movers->all_coming += movers->coming[r];
    }
    free(told);
    return status ? status : curve->verbs->move(curve, movers, error);
}

/* After each round the keys have to be found again. */
static enum ky_status move_bodies(struct ky_ranging *curve, struct ky_error *error)
{
    const size_t size = (size_t)curve->domain->comm->size;
    size_t *count = ky_allocate(2 * size, sizeof *count);
    struct ky_probe unused[KY_PROBES];
    int again = 1;
    enum ky_status status =
        count ? KY_OK : ky_no_memory(error, "the ranks", 2 * size, sizeof *count);
    curve->domain->told.moved = 0;
    for (int round = 0; again && !status; round++) {
        memset(count, 0, 2 * size * sizeof *count);
        struct ky_movers movers = {.leaving = count, .coming = count + size};
        curve->n = curve->domain->engine->n;
        if (round > 0)
            status = curve->verbs->keys(curve, unused, error);
        if (!status)
            status = move_round(curve, &movers, &again, error);
    }
    free(count);
    return status;
}

static const struct ky_curve_verbs on_host = {.look = ky_curve_look,
                                              .origin = ky_curve_median,
                                              .keys = keys,
                                              .count = count_in_cubes,
                                              .leave = note_movers,
                                              .move = ky_curve_move_rows};

enum ky_status ky_domain_migrate(struct ky_domain *domain, double *const at[3],
                                 const double *weight, struct ky_error *error)
{
    struct ky_ranging curve = {.verbs = domain->engine->verbs->part ? &ky_curve_of_card : &on_host,
                               .domain = domain,
                               .n = domain->engine->n,
                               .at = at,
                               .weight = weight};
    enum ky_status status = ky_curve_find_cube(&curve, error);
    if (!status)
        status = find_ranges(&curve, error);
    if (!status)
        status = move_bodies(&curve, error);
    domain->is_settled = !status;
    domain->tree_stands = 0;
    free(curve.begin);
    return status;
}

enum ky_status ky_domain_settle(struct ky_domain *domain, struct ky_error *error)
{
    return domain->is_settled ? KY_OK : ky_domain_migrate(domain, NULL, NULL, error);
}

enum ky_status ky_domain_settle_at(void *context, double *const at[3], const double *weight,
                                   struct ky_error *error)
{
    struct ky_domain *domain = context;
    domain->work = 0;
    for (size_t i = 0; weight && i < domain->engine->n; i++)
        domain->work += weight[i];
    const enum ky_status status = ky_domain_migrate(domain, at, weight, error);
    domain->is_settled = 0; /* the positions have been changed in place */
    return status;
}
