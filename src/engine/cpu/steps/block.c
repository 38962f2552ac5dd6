/* Block steps (physics/block.h): the engine advances by itself from block to block. `wanted` and
 * `close_steps` choose the steps.
 *
 * A body has its x, v and a at the end of its last step. That time is a multiple of the step, so
 * the level of the step determines it. For a block all bodies are predicted to the current tick in
 * separate columns, which replace the positions while forces are computed.
 *
 * The tree is rebuilt at the first block after every multiple of the longest step, since a run that
 * is resumed there must find the same tree. In between it is kept: its moments, boxes and opening
 * radii follow the bodies. It is also rebuilt when walks have cost more than the first ones by as
 * much as a build, and after every KY_BLOCKS_KEPT blocks, where a run can be stopped.
 *
 * If ranks divide the bodies, all of them do the same blocks. Before a rebuild the bodies go to the
 * ranks of their current positions. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/blocks.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/steps/levels.h"
#include "engine/cpu/tree/tree.h"
#include "physics/block.h"

/* Bytes per body of the columns of block steps. */
enum { BYTES = 3 * sizeof(double) + 3 * sizeof(float) + 1 + sizeof(uint32_t) };

/* The state of one call that advances through blocks. */
struct blocks {
    struct ky_cpu_way common;
    int used;       /* the deepest level of any body, over all engines */
    double longest; /* the longest step for the criterion at the current tick [time] */
    /* By level: the factors from the end of the last step to the current tick, and the drift in
     * the unit of positions. */
    struct ky_step_factors factors[KY_MOST_LEVELS + 1];
    double drift[KY_MOST_LEVELS + 1];
};

/* ---- memory ---- */

double ky_cpu_blocks_memory(const struct ky_parameters *parameters, size_t n)
{
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    const double walks = force->in_groups ? 1 + 2.0 / parameters->group : 1,
                 words = force->has_tree ? walks : 0;
    return (double)n * (BYTES + words * (double)sizeof(uint32_t));
}

static enum ky_status reserve(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_cpu_blocks *own = cpu->blocks;
    if (own->at)
        return KY_OK;
    own->at = ky_allocate(3 * cpu->n, sizeof *own->at);
    own->before = ky_allocate(3 * cpu->n, sizeof *own->before);
    if (own->at && own->before)
        return KY_OK;
    ky_cpu_free_blocks(cpu);
    return ky_no_memory(error, "block steps", cpu->n, BYTES);
}

/* ---- levels ---- */

static double softening_of(const struct ky_cpu *cpu, size_t i)
{
    return cpu->softening ? cpu->softening[i] * cpu->length : cpu->parameters->softening;
}

/* A finished step: squares of the change of the acceleration and of the path length. */
struct made {
    double change2, path2;
};

static double limit_of(const struct blocks *b, size_t i)
{
    const double length = b->common.way->length;
    return ky_step_limit(b->common.way->eta,
                         isnan(length) ? softening_of(b->common.cpu, i) : length, b->longest);
}

static double acceleration_of(const struct ky_cpu *cpu, size_t i)
{
    double a2 = 0;
    for (int c = 0; c < 3; c++)
        a2 += cpu->a[c][i] * cpu->a[c][i];
    return sqrt(a2);
}

/* The level that the criterion requires; `deepest` + 1 for a step shorter than a tick. */
static int wanted(const struct blocks *b, size_t i)
{
    return ky_step_level(acceleration_of(b->common.cpu, i), limit_of(b, i), b->common.deepest);
}

/* The swing of the body (physics/block.h). */
static double swing_of(const struct blocks *b, size_t i, struct made made)
{
    return ky_step_swing(sqrt(made.change2), sqrt(made.path2), softening_of(b->common.cpu, i),
                         b->common.way->eta);
}

/* The step after one that ends now. At the end of a longest step in a comoving box, after which
 * longest steps may be longer, it is as long as the criterion and the swing allow: a short step
 * before a snapshot leaves no trace. */
static double next_step(const struct blocks *b, size_t i, double swing, uint64_t tick)
{
    const int level = b->common.cpu->blocks->level[i];
    const double limit = limit_of(b, i);
    const double size = fmax(acceleration_of(b->common.cpu, i), swing),
                 step = b->common.step[level];
    if (level > 0 || b->common.way->expansion.h0 == 0 || tick % b->common.way->stride != 0)
        return step;
    return ldexp(step, ky_step_doublings(size, limit));
}

/* The level at the beginning of a longest step of a body whose step is not a part of it. The
 * longest steps of comoving boxes have different lengths. There the last step is kept as far as
 * possible, since the criterion alone would give long steps to bodies at softened centres. */
static int first_level(const struct blocks *b, size_t i)
{
    const double part = b->common.cpu->extra[KY_COLUMN_STEP][i] / b->common.longest;
    const int level = wanted(b, i), last = ky_step_nearest(part, b->common.deepest);
    return b->common.way->expansion.h0 != 0 && last > level ? last : level;
}

/* Reads levels from the column of steps, unless they are known, and chooses missing ones. Returns 0
 * if one would have to be chosen within a longest step. */
static int read_levels(struct blocks *b)
{
    struct ky_cpu *cpu = b->common.cpu;
    double *step = cpu->extra[KY_COLUMN_STEP];
    const int even = b->common.way->now % b->common.way->stride == 0;
    const size_t n = ky_cpu_way_is_known(&b->common) ? 0 : cpu->n;
    int missing = 0;
    ky_blocks_soften(b->common.way, b->common.way->now);
    b->longest = ky_blocks_longest(b->common.way, b->common.way->now);
#pragma omp parallel for num_threads(cpu->team) reduction(+ : missing)
    for (size_t i = 0; i < n; i++) {
        int level = ky_cpu_way_level(&b->common, step[i]);
        missing += level < 0 && !even;
        if (level < 0)
            level = first_level(b, i);
        level = level > b->common.deepest ? b->common.deepest : level;
        cpu->blocks->level[i] = (unsigned char)level;
        step[i] = b->common.step[level];
    }
    ky_cpu_way_know(&b->common, !missing);
    return missing == 0;
}

/* ---- a block ---- */

/* Fills factors[] and drift[], and sets the softening, for a tick. Returns the lowest level whose
 * steps end there. */
static int set_clock(struct blocks *b, uint64_t tick)
{
    const int due = ky_cpu_way_clock(&b->common, tick);
    ky_blocks_soften(b->common.way, tick);
    b->longest = ky_blocks_longest(b->common.way, tick);
    for (int level = 0; level <= b->used; level++) {
        b->factors[level] = ky_blocks_factors(b->common.way, level, tick);
        b->drift[level] = b->factors[level].drift / b->common.cpu->length;
    }
    return due;
}

/* The element of at[] for coordinate c of body i: c × across + i × along. */
struct layout {
    size_t across, along;
};
static struct layout layout_of(const struct ky_cpu *cpu)
{
    return cpu->bodies.tree_serves ? (struct layout){1, 3} : (struct layout){cpu->n, 1};
}

/* In a box: the position of a body, moved by whole boxes so that it is in the box after `way`. A
 * move may round the position. After two moves further calls change no bit, so ranks that divide
 * the bodies may call this before and after bodies go to other ranks. */
static double settled(const struct ky_cpu *cpu, double x, double way)
{
    for (int move = 0; move < 2; move++) {
        const double inside = ky_cpu_place(cpu, x);
        x = inside - cpu->box * floor((inside + way) / cpu->box);
    }
    return x;
}

/* The part of a box by which bodies of a tree that is kept may leave the box. Such a tree does not
 * move them to the other side, where they would extend their cells across the box, and the nearest
 * images of the box are at most a little less near. */
#define STRAYS (1.0 / 16)

/* Predicts the bodies of a chunk; returns the number of steps that end. *stray becomes 1 if a body
 * is farther outside the box than the tree can be kept for. */
static size_t predict(const struct blocks *b, struct ky_cpu_range range, int due, int *stray)
{
    const struct ky_cpu *cpu = b->common.cpu;
    const unsigned char *level = cpu->blocks->level;
    const struct layout layout = layout_of(cpu);
    const int settles = cpu->box > 0 && !cpu->bodies.tree_serves;
    const double margin = cpu->box > 0 ? STRAYS * cpu->box : (double)INFINITY;
    size_t active = 0;
    int strays = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        const double kick = b->factors[level[i]].kick, drift = b->drift[level[i]];
        double *at = cpu->blocks->at + i * layout.along;
        active += level[i] >= due;
        for (size_t c = 0; c < 3; c++) {
            const double way = drift * (cpu->v[c][i] + kick * cpu->a[c][i]);
            if (settles)
                cpu->x[c][i] = settled(cpu, cpu->x[c][i], way);
            const double to = cpu->x[c][i] + way;
            at[c * layout.across] = to;
            strays |= to < -margin || to > cpu->box + margin;
        }
    }
    *stray = strays;
    return active;
}

/* Lists the active bodies of a chunk from element k on, with half a kick and their new positions.
 * Their old accelerations are kept. */
static void open_steps(const struct blocks *b, struct ky_cpu_range range, int due, size_t k)
{
    const struct ky_cpu *cpu = b->common.cpu;
    const struct layout layout = layout_of(cpu);
    for (size_t i = range.begin; i < range.end; i++) {
        const int level = cpu->blocks->level[i];
        if (level < due)
            continue;
        cpu->blocks->active[k] = (uint32_t)i;
        for (size_t c = 0; c < 3; c++) {
            cpu->blocks->before[3 * k + c] = (float)cpu->a[c][i];
            cpu->v[c][i] += b->factors[level].kick * cpu->a[c][i];
            cpu->x[c][i] = cpu->blocks->at[c * layout.across + i * layout.along];
        }
        k++;
    }
}

/* Predicts all bodies. Returns 1 if one strays too far for the tree that is kept. */
static int predict_all(const struct blocks *b, int due)
{
    struct ky_cpu_blocks *own = b->common.cpu->blocks;
    int strays = 0;
#pragma omp parallel for num_threads(b->common.cpu->team) reduction(| : strays)
    for (size_t k = 0; k < b->common.chunks; k++) {
        int stray;
        own->count[k] = predict(b, ky_cpu_way_range(&b->common, k), due, &stray);
        strays |= stray;
    }
    return strays && b->common.cpu->bodies.tree_serves;
}

/* Predicts all bodies to the tick, and lists the bodies whose steps end there. */
static void go_to(struct blocks *b, uint64_t tick)
{
    struct ky_cpu_blocks *own = b->common.cpu->blocks;
    const int due = set_clock(b, tick);
    if (predict_all(b, due)) {
        b->common.cpu->bodies.tree_serves = 0;
        predict_all(b, due);
    }
    ky_cpu_way_offsets(&b->common);
#pragma omp parallel for num_threads(b->common.cpu->team)
    for (size_t k = 0; k < b->common.chunks; k++)
        if (own->count[k + 1] > own->count[k])
            open_steps(b, ky_cpu_way_range(&b->common, k), due, own->count[k]);
}

/* Computes the forces on the active bodies with all bodies at the current tick. A kept tree gets
 * these positions; otherwise they replace the engine's during the call. */
static enum ky_status evaluate(const struct blocks *b, struct ky_error *error)
{
    struct ky_cpu *cpu = b->common.cpu;
    const struct ky_active active = {b->common.active, cpu->blocks->active};
    double *const own[3] = {cpu->x[0], cpu->x[1], cpu->x[2]};
    for (size_t c = 0; c < 3 && !cpu->bodies.tree_serves; c++)
        cpu->x[c] = cpu->blocks->at + c * cpu->n;
    cpu->in_block = 1;
    cpu->at = (const double(*)[3])cpu->blocks->at;
    enum ky_status status = ky_cpu_evaluate(cpu, b->common.active < cpu->n ? &active : NULL, error);
    cpu->in_block = 0;
    ky_cpu_moved(cpu);
    for (int c = 0; c < 3; c++)
        cpu->x[c] = own[c];
    return status;
}

/* A position that is NaN has no range of the curve: all forces become NaN, as with a tree that
 * contains the position. */
static void lose(const struct blocks *b)
{
    struct ky_cpu *cpu = b->common.cpu;
    for (size_t k = 0; k < b->common.active; k++) {
        const uint32_t i = cpu->blocks->active[k];
        for (int c = 0; c < 3; c++)
            cpu->a[c][i] = (double)NAN;
        cpu->potential[i] = (double)NAN;
    }
}

/* Does the second half of the kick, and chooses the next step. Returns the number of bodies that
 * need a step shorter than a tick. */
static size_t close_steps(const struct blocks *b, uint64_t tick)
{
    const struct ky_cpu *cpu = b->common.cpu;
    size_t cut = 0;
#pragma omp parallel for num_threads(cpu->team) reduction(+ : cut)
    for (size_t k = 0; k < b->common.active; k++) {
        const uint32_t i = cpu->blocks->active[k];
        const int level = cpu->blocks->level[i];
        const struct ky_step_factors *factors = &b->factors[level];
        struct made made = {0};
        for (size_t c = 0; c < 3; c++) {
            const double way = factors->drift * cpu->v[c][i],
                         change = cpu->a[c][i] - (double)cpu->blocks->before[3 * k + c];
            made.path2 += way * way;
            made.change2 += change * change;
            cpu->v[c][i] += factors->last_kick * cpu->a[c][i];
        }
        int want = wanted(b, i);
        cut += want > b->common.deepest;
        want = want > b->common.deepest ? b->common.deepest : want;
        const int even = level > 0 && tick % (b->common.way->stride >> (level - 1)) == 0;
        const double swing = swing_of(b, i, made);
        want = ky_step_next(want, ky_step_level(swing, limit_of(b, i), b->common.deepest), level,
                            even);
        cpu->blocks->level[i] = (unsigned char)want;
        cpu->extra[KY_COLUMN_STEP][i] = next_step(b, i, swing, tick);
    }
    return cut;
}

/* ---- engines that divide the bodies ---- */

/* The deepest level of the bodies, and the growth of the walks' cost, over all engines. */
static enum ky_status look_around(struct blocks *b, int64_t *more, struct ky_error *error)
{
    enum { LEVELS = KY_MOST_LEVELS + 1 };
    const struct ky_cpu *cpu = b->common.cpu;
    const struct ky_shared *shared = cpu->base.shared;
    b->used = ky_cpu_way_deepest(&b->common);
    *more = cpu->bodies.kept.more;
    if (!ky_cpu_is_divided(cpu))
        return KY_OK;
    uint64_t number[LEVELS + 1] = {[LEVELS] = (uint64_t)*more};
    number[b->used] = cpu->n > 0;
    const enum ky_status status = shared->add(shared->context, number, LEVELS + 1, error);
    *more = (int64_t)number[LEVELS];
    for (int level = 0; level < LEVELS; level++)
        b->used = number[level] ? level : b->used;
    return status;
}

/* Cost in interactions: of predicting a body and moving it in the tree; and of a sink before any
 * have been counted. */
enum { A_BODY = 100, A_SINK = 1000 };

/* The work for each body per longest step: it is a sink in as many blocks as it has steps, and
 * moves in all of them. */
static void weigh(const struct blocks *b, double *weight)
{
    const struct ky_cpu *cpu = b->common.cpu;
    const struct ky_cpu_blocks *own = cpu->blocks;
    const double sink = own->sinks > 0 ? own->pairs / own->sinks : A_SINK,
                 moves = ldexp(A_BODY, b->used);
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < cpu->n; i++)
        weight[i] = ldexp(sink, own->level[i]) + moves;
}

/* Before a rebuild: sends the bodies to the engines of their positions at the tick. If a position
 * is not finite, KY_BAD_DATA on all engines, and no body moves. */
static enum ky_status settle(struct blocks *b, uint64_t tick, struct ky_error *error)
{
    struct ky_cpu *cpu = b->common.cpu;
    const struct ky_shared *shared = cpu->base.shared;
    if (!ky_cpu_is_divided(cpu) || cpu->bodies.tree_serves)
        return KY_OK;
    double *const at[3] = {cpu->blocks->at, cpu->blocks->at + cpu->n, cpu->blocks->at + 2 * cpu->n};
    double *weight;
    KY_TRY(ky_array(&weight, cpu->n, sizeof *weight, "weights of bodies", error));
    predict_all(b, set_clock(b, tick));
    weigh(b, weight);
    enum ky_status status = shared->settle(shared->context, at, weight, error);
    free(weight);
    if (!status)
        status = ky_cpu_way_reserve(&b->common, error);
    if (!status)
        status = reserve(cpu, error);
    cpu->blocks->sinks = cpu->blocks->pairs = 0;
    return status || read_levels(b) ? status : ky_blocks_missing(error);
}

/* In a box with a tree that is kept: drops it on all engines if the tick takes a body of one of
 * them too far out. An engine with all bodies finds that in go_to. */
static enum ky_status drop_strays(struct blocks *b, uint64_t tick, struct ky_error *error)
{
    struct ky_cpu *cpu = b->common.cpu;
    const struct ky_shared *shared = cpu->base.shared;
    if (!ky_cpu_is_divided(cpu) || !(cpu->box > 0) || !cpu->bodies.tree_serves)
        return KY_OK;
    uint64_t strays = (uint64_t)predict_all(b, set_clock(b, tick));
    KY_TRY(shared->add(shared->context, &strays, 1, error));
    cpu->bodies.tree_serves &= !strays;
    return KY_OK;
}

/* Counts a block, and this engine's work for it. */
static void count(struct blocks *b, uint64_t tick)
{
    struct ky_cpu *cpu = b->common.cpu;
    struct ky_advance *way = b->common.way;
    const uint64_t step = tick - way->now;
    ky_blocks_count(way, tick, b->common.active);
    cpu->blocks->sinks += (double)b->common.active;
    cpu->blocks->pairs += cpu->report.body_interactions + cpu->report.cell_interactions;
    if (ky_cpu_system(cpu) && (!way->shortest || step < way->shortest))
        way->shortest = step; /* of a body of another rank */
}

/* The counts of all engines since a call that began with these counts. */
static enum ky_status add_counts(struct ky_cpu *cpu, struct ky_advance *way, double body_steps,
                                 double cut, struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    uint64_t number[] = {(uint64_t)(way->body_steps - body_steps), (uint64_t)(way->cut - cut)};
    if (!ky_cpu_is_divided(cpu))
        return KY_OK;
    const enum ky_status status = shared->add(shared->context, number, 2, error);
    way->body_steps = body_steps + (double)number[0];
    way->cut = cut + (double)number[1];
    return status;
}

/* ---- one call of `advance` ---- */

/* 1 if the next block begins with a rebuild, as it would on an engine that receives the bodies
 * here. */
static int is_whole(const struct blocks *b)
{
    const struct ky_cpu *cpu = b->common.cpu;
    return !ky_force_kind(cpu->parameters->force)->has_tree ||
           b->common.way->now % b->common.way->stride == 0 ||
           cpu->blocks->since % KY_BLOCKS_KEPT == 0;
}

static enum ky_status one_block(struct blocks *b, struct ky_error *error)
{
    struct ky_advance *way = b->common.way;
    struct ky_cpu *cpu = b->common.cpu;
    const uint64_t since = way->now % way->stride ? cpu->blocks->since : 0;
    int64_t more;
    KY_TRY(look_around(b, &more, error));
    const uint64_t tick = way->now + (way->stride >> b->used);
    if (is_whole(b) || more > KY_BLOCKS_BUILD * (int64_t)ky_cpu_system(cpu))
        cpu->bodies.tree_serves = 0;
    KY_TRY(drop_strays(b, tick, error));
    enum ky_status status = settle(b, tick, error);
    const int is_lost = status == KY_BAD_DATA;
    if (status && !is_lost)
        return status;
    go_to(b, tick);
    status = KY_OK;
    if (is_lost)
        lose(b);
    else
        status = evaluate(b, error);
    if (status)
        return status;
    way->cut += (double)close_steps(b, tick);
    count(b, tick);
    cpu->blocks->since = since + 1;
    return KY_OK;
}

enum ky_status ky_cpu_block_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                  struct ky_error *error)
{
    struct blocks b;
    const double body_steps = way->body_steps, cut = way->cut;
    KY_TRY(ky_cpu_knows_acceleration(cpu, &cpu->has_acceleration, error));
    KY_TRY(ky_cpu_way_open(&b.common, cpu, way, error));
    KY_TRY(reserve(cpu, error));
    if (!ky_cpu_way_is_known(&b.common))
        cpu->blocks->since = 0;
    if (!read_levels(&b))
        return ky_blocks_missing(error);
    for (uint64_t k = 0; (k < way->most || (way->whole && !is_whole(&b))) && way->now < way->until;
         k++)
        KY_TRY(one_block(&b, error));
    return add_counts(cpu, way, body_steps, cut, error);
}
