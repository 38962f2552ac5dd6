/* The Hermite scheme (physics/hermite.h): the engine advances by itself from block to block.
 *
 * x, v, a and j of a body belong to the end of its last step, which is a multiple of the step, so
 * its level determines that time. For a block all bodies are predicted to the current tick in
 * separate columns; forces on the bodies whose steps end are computed there, and these bodies are
 * corrected.
 *
 * Potentials are not summed in blocks, since potentials at predicted positions would make the
 * energy inaccurate: they are computed in double on demand. */
#include "engine/cpu/steps/hermite.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "engine/common/blocks.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite_board.h"
#include "engine/cpu/steps/levels.h"
#include "physics/hermite.h"

static double *jerk_of(const struct ky_cpu *cpu, size_t c)
{
    return cpu->extra[KY_COLUMN_JERK] + c * cpu->n;
}

/* ---- a block ---- */

/* Component c of body i at the time h after its last step: x in the engine's unit of length, and
 * v. */
struct state {
    double x, v;
};
static struct state predicted(const struct ky_cpu *cpu, size_t c, size_t i, double h)
{
    const double v = cpu->v[c][i], a = cpu->a[c][i], j = jerk_of(cpu, c)[i];
    return (struct state){ky_hermite_place(cpu->x[c][i], v, a, j, h, 1 / cpu->length),
                          ky_hermite_speed(v, a, j, h)};
}

static void stand(struct ky_cpu *cpu, size_t c, size_t i, struct state state)
{
    cpu->hermite->at[c][i] = state.x;
    cpu->hermite->at[3 + c][i] = state.v / cpu->length;
}

/* The columns of all bodies, for the lanes. The unit of length is a power of two, so that
 * to multiply by its inverse gives the bits of a division. */
static struct ky_tracks tracks(const struct ky_cpu_way *b)
{
    const struct ky_cpu *cpu = b->cpu;
    struct ky_tracks tracks = {
        .level = cpu->blocks->level, .time = b->time, .part = 1 / cpu->length};
    for (size_t c = 0; c < 3; c++) {
        tracks.x[c] = cpu->x[c];
        tracks.v[c] = cpu->v[c];
        tracks.a[c] = cpu->a[c];
        tracks.j[c] = jerk_of(cpu, c);
        tracks.at[c] = cpu->hermite->at[c];
        tracks.at[3 + c] = cpu->hermite->at[3 + c];
    }
    return tracks;
}

/* Predicts the bodies of a chunk; returns the number of steps that end. */
static size_t predict(const struct ky_cpu_way *b, struct ky_cpu_range range, int due)
{
    const unsigned char *level = b->cpu->blocks->level;
    const struct ky_tracks all = tracks(b);
    size_t active = 0;
    b->cpu->lanes->tracks(&all, range.begin, range.end);
    for (size_t i = range.begin; i < range.end; i++)
        active += level[i] >= due && level[i] != KY_LEVEL_HIDDEN;
    return active;
}

/* Lists the bodies of the chunk with levels from `low` to `high`. */
static void list(const struct ky_cpu_way *b, struct ky_cpu_range range, int low, int high,
                 uint32_t *to)
{
    const unsigned char *level = b->cpu->blocks->level;
    for (size_t i = range.begin; i < range.end; i++)
        if (level[i] >= low && level[i] <= high)
            *to++ = (uint32_t)i;
}

/* Predicts all bodies to the tick, and lists the bodies whose steps end there. Returns their lowest
 * level. */
static int go_to(struct ky_cpu_way *b, uint64_t tick)
{
    struct ky_cpu_blocks *own = b->cpu->blocks;
    const int due = ky_cpu_way_clock(b, tick);
    ky_cpu_send_at(b, tick);
#pragma omp parallel for num_threads(ky_cpu_crew(b->cpu, b->cpu->n))
    for (size_t k = 0; k < b->chunks; k++)
        own->count[k] = predict(b, ky_cpu_way_range(b, k), due);
    ky_cpu_way_offsets(b);
    for (size_t k = 0; k < b->chunks; k++)
        if (own->count[k + 1] > own->count[k])
            list(b, ky_cpu_way_range(b, k), due, b->deepest, own->active + own->count[k]);
    return due;
}

/* Corrects the k-th body of the list with its sums: new position and velocity; norm[] receives the
 * numbers of the criterion. With `last` its step ends. */
static void correct(const struct ky_cpu_way *b, size_t k, int last, double norm[4])
{
    struct ky_cpu *cpu = b->cpu;
    const size_t i = cpu->blocks->active[k];
    const double h = b->time[cpu->blocks->level[i]];
    for (size_t c = 0; c < 3; c++) {
        double *jerk = &jerk_of(cpu, c)[i], *const *sum = cpu->hermite->sum;
        const double a1 = sum[c][k], j1 = sum[3 + c][k];
        const struct ky_hermite_end end = ky_hermite_correct(cpu->a[c][i], *jerk * h, a1, j1 * h);
        struct state state = predicted(cpu, c, i, h);
        state.x += h * h / cpu->length * end.x;
        state.v += h * end.v;
        stand(cpu, c, i, state);
        if (!last)
            continue;
        cpu->x[c][i] = state.x;
        cpu->v[c][i] = state.v;
        cpu->a[c][i] = a1;
        *jerk = j1;
        const double term[4] = {a1, j1 * h, end.s, end.c};
        for (int t = 0; t < 4; t++)
            norm[t] += term[t] * term[t];
    }
}

/* For a body that needs steps shorter than a tick: 1 if the call must stop, because the body has no
 * softening and no earlier call has stopped for it. */
static int must_stop(const struct ky_cpu_way *b, size_t i)
{
    const uint32_t *passed = b->way->passed;
    return b->cpu->hermite->eps2[i] <= 0 && i != passed[0] && i != passed[1];
}

/* The level of the next step of body i; −1 if the criterion is doubtful and rate2 is not known
 * (0). */
static int next_level(const struct ky_cpu_way *b, uint64_t tick, size_t i, const double norm[4],
                      double rate2)
{
    const int level = b->cpu->blocks->level[i];
    const int even = level > 0 && tick % (b->way->stride >> (level - 1)) == 0;
    const int next = ky_hermite_next(sqrt(norm[0]), sqrt(norm[1]), sqrt(norm[2]), sqrt(norm[3]),
                                     b->way->eta, level, even, b->deepest);
    if (next <= level || !ky_hermite_is_doubtful(norm[0], norm[1], norm[2], norm[3]))
        return next;
    return rate2 > 0 ? ky_hermite_bound(rate2, b->step[level] * b->step[level], b->way->eta, level,
                                        even, next)
                     : -1;
}

/* The result of choosing the next steps. */
struct choice {
    size_t cut, doubts; /* bodies that want shorter steps; bodies whose level is not chosen yet */
    uint32_t close;
};

/* Gives body i this level. */
static void take_level(const struct ky_cpu_way *b, size_t i, int level, struct choice *choice)
{
    const int cut = level > b->deepest;
    choice->cut += (size_t)cut;
    if (cut && must_stop(b, i) && i < choice->close)
        choice->close = (uint32_t)i;
    level = cut ? b->deepest : level;
    b->cpu->blocks->level[i] = (unsigned char)level;
    b->cpu->extra[KY_COLUMN_STEP][i] = b->step[level];
}

/* For a body with a doubtful criterion, the norms are stored in sum[], whose sums are no longer
 * needed, and rate2 becomes 0. */
static void choose_level(const struct ky_cpu_way *b, uint64_t tick, size_t k, const double norm[4],
                         struct choice *choice)
{
    const size_t i = b->cpu->blocks->active[k];
    struct ky_cpu_hermite *own = b->cpu->hermite;
    const int level = next_level(b, tick, i, norm, 0);
    own->rate2[k] = level >= 0;
    if (level >= 0) {
        take_level(b, i, level, choice);
        return;
    }
    choice->doubts++;
    for (int t = 0; t < 4; t++)
        own->sum[t][k] = norm[t];
}

/* Chooses the levels of the bodies in doubt; all bodies of the list are at their new positions. */
static void choose_doubtful(const struct ky_cpu_way *b, uint64_t tick, struct choice *choice)
{
    const struct ky_cpu_hermite *h = b->cpu->hermite;
    size_t cut = choice->cut;
    uint32_t close = choice->close;
#pragma omp parallel for num_threads(b->cpu->team) reduction(+ : cut) reduction(min : close)
    for (size_t k = 0; k < b->active; k++) {
        const size_t i = b->cpu->blocks->active[k];
        struct choice own = {0, 0, close};
        if (h->rate2[k] > 0)
            continue;
        const double norm[4] = {h->sum[0][k], h->sum[1][k], h->sum[2][k], h->sum[3][k]};
        const double rate2 = fmax(ky_cpu_hermite_rate2(b->cpu, i), DBL_MIN);
        take_level(b, i, next_level(b, tick, i, norm, rate2), &own);
        cut += own.cut;
        close = own.close;
    }
    choice->cut = cut;
    choice->close = close;
}

/* Corrects the bodies of the list. At the last correction their steps end, and with `choose` their
 * next ones are chosen; otherwise they have none. */
static struct choice correct_all(const struct ky_cpu_way *b, uint64_t tick, int last, int choose)
{
    enum { AS_MANY = 32 }; /* bodies of a plain loop take as long as one correction */
    const int threads = ky_cpu_crew(b->cpu, AS_MANY * b->active);
    (void)threads; /* without OpenMP */
    size_t cut = 0, doubts = 0;
    uint32_t close = KY_NO_BODY;
#pragma omp parallel for num_threads(threads) reduction(+ : cut, doubts) reduction(min : close)
    for (size_t k = 0; k < b->active; k++) {
        struct choice own = {0, 0, close};
        double norm[4] = {0};
        correct(b, k, last, norm);
        if (!last || !choose)
            continue;
        choose_level(b, tick, k, norm, &own);
        cut += own.cut;
        doubts += own.doubts;
        close = own.close;
    }
    return (struct choice){cut, doubts, close};
}

/* Ends the steps of the bodies of the list by evaluations and corrections. With `choose` their next
 * steps are chosen; otherwise they have none. */
static enum ky_status end_steps(const struct ky_cpu_way *b, uint64_t tick, int choose,
                                struct ky_error *error)
{
    struct choice choice = {0, 0, KY_NO_BODY};
    for (int turn = 1; turn <= b->way->corrections; turn++) {
        KY_TRY(ky_cpu_sum_jerks(b->cpu, b->active, 0, error));
        if (b->way->group_radius > 0)
            ky_cpu_groups_correct(b, tick, 0);
        choice = correct_all(b, tick, turn == b->way->corrections, choose);
        KY_TRY(ky_cpu_send(b, b->cpu->blocks->active, b->active, error));
    }
    if (choice.doubts)
        choose_doubtful(b, tick, &choice);
    b->way->cut += (double)choice.cut;
    b->way->close = choice.close;
    return KY_OK;
}

static void forget_steps(struct ky_cpu *cpu)
{
    if (cpu->extra[KY_COLUMN_STEP])
        memset(cpu->extra[KY_COLUMN_STEP], 0, cpu->n * sizeof(double));
    cpu->blocks->longest = 0;
}

/* Ends all other steps too, at this tick, to which all bodies have been predicted; levels from
 * `due` on end there anyway. Afterwards all bodies are at the same time and have no steps. */
static enum ky_status stop(struct ky_cpu_way *b, uint64_t tick, int due, struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    const uint32_t close = b->way->close;
    uint32_t *to = cpu->blocks->active;
    for (size_t i = 0; i < cpu->n; i++)
        if (cpu->blocks->level[i] < due && cpu->blocks->level[i] != KY_LEVEL_HIDDEN)
            *to++ = (uint32_t)i;
    b->active = (size_t)(to - cpu->blocks->active);
    enum ky_status status = end_steps(b, tick, 0, error);
    b->way->body_steps += (double)b->active;
    b->way->close = close;
    b->has_stopped = 1;
    forget_steps(cpu);
    return status;
}

static enum ky_status one_block(struct ky_cpu_way *b, struct ky_error *error)
{
    const int groups = b->way->group_radius > 0;
    if (groups)
        KY_TRY(ky_cpu_groups_begin(b, error));
    const uint64_t tick = b->way->now + (b->way->stride >> ky_cpu_way_deepest(b));
    ky_cpu_centre_hermite(b->cpu);
    const int due = go_to(b, tick);
    if (groups)
        ky_cpu_groups_find(b, tick, due);
    KY_TRY(end_steps(b, tick, 1, error));
    b->cpu->hermite->potential_is_late = 1;
    ky_blocks_count(b->way, tick, b->active);
    if (groups)
        KY_TRY(ky_cpu_groups_change(b, tick, error));
    return b->way->close == KY_NO_BODY ? KY_OK : stop(b, tick, due, error);
}

/* ---- the first steps ---- */

static double size(double *const v[3], size_t i)
{
    return sqrt(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
}

/* The level of body i from the derivatives of its acceleration, which may consist only of rounding
 * errors. */
static int first_level(const struct ky_cpu_way *b, size_t i)
{
    const struct ky_cpu *cpu = b->cpu;
    const double h = fabs(b->longest);
    double *const jerk[3] = {jerk_of(cpu, 0), jerk_of(cpu, 1), jerk_of(cpu, 2)};
    const int level =
        ky_hermite_next(size(cpu->a, i), size(jerk, i) * h, size(cpu->hermite->sum, i) * h * h,
                        size(cpu->hermite->sum + 3, i) * h * h * h, b->way->eta, 0, 0, b->deepest);
    const int first = ky_hermite_bound(cpu->hermite->rate2[i], h * h, b->way->eta, 0, 0, level);
    return first > b->deepest ? b->deepest : first;
}

/* All bodies are at the same time. */
static void stand_all(struct ky_cpu *cpu)
{
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < cpu->n; i++)
            stand(cpu, c, i, (struct state){cpu->x[c][i], cpu->v[c][i]});
}

/* Computes accelerations, jerks and steps of all bodies, which are at the same time. */
static enum ky_status start(const struct ky_cpu_way *b, struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    stand_all(cpu);
    ky_cpu_frame_hermite(cpu);
    ky_cpu_centre_hermite(cpu);
    KY_TRY(ky_cpu_send_all(b, error));
    KY_TRY(ky_cpu_sum_jerks(cpu, cpu->n, 1, error));
    if (b->way->group_radius > 0)
        ky_cpu_groups_correct(b, b->way->now, 1);
    for (size_t c = 0; c < 3; c++) {
        memcpy(cpu->a[c], cpu->hermite->sum[c], cpu->n * sizeof(double));
        memcpy(jerk_of(cpu, c), cpu->hermite->sum[3 + c], cpu->n * sizeof(double));
    }
    KY_TRY(ky_cpu_sum_changes(cpu, error));
    for (size_t i = 0; i < cpu->n; i++) {
        const int hidden = b->way->group_radius > 0 && cpu->blocks->level[i] == KY_LEVEL_HIDDEN,
                  level = hidden ? 0 : first_level(b, i);
        cpu->blocks->level[i] = (unsigned char)(hidden ? KY_LEVEL_HIDDEN : level);
        cpu->extra[KY_COLUMN_STEP][i] = b->step[level];
    }
    return KY_OK;
}

/* Reads the levels from the column of steps, unless they are known. Returns 0 if a body's step has
 * no level. */
static int read_levels(const struct ky_cpu_way *b)
{
    struct ky_cpu *cpu = b->cpu;
    int missing = 0;
    if (ky_cpu_way_is_known(b))
        return 1;
    for (size_t i = 0; i < cpu->n; i++) {
        const int level = ky_cpu_way_level(b, cpu->extra[KY_COLUMN_STEP][i]);
        missing |= level < 0;
        cpu->blocks->level[i] = (unsigned char)level;
    }
    return !missing;
}

/* If the level of one body is missing, all levels are chosen again. */
static enum ky_status begin(const struct ky_cpu_way *b, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    const int groups = b->way->group_radius > 0, is_known = ky_cpu_way_is_known(b),
              has_levels = read_levels(b);
    if (!has_levels && b->way->now % b->way->stride)
        status = ky_blocks_missing(error);
    if (groups && !status)
        status = ky_cpu_groups_enter(b, is_known, has_levels, error);
    if (groups && !status && !has_levels)
        status = ky_cpu_groups_first(b, error);
    if (groups && !status && has_levels && b->way->now % b->way->stride == 0)
        stand_all(b->cpu);
    if (!has_levels && !status)
        status = start(b, error);
    if (!status)
        status = ky_cpu_send_all(b, error);
    ky_cpu_way_know(b, !status);
    return status;
}

/* ---- one call of `advance` ---- */

/* The column of groups does not hold the pulls within a step, so that another engine can only
 * continue from the end of a longest step. */
static int must_go_on(const struct ky_advance *way)
{
    return way->group_radius > 0 && way->whole && way->now % way->stride;
}

enum ky_status ky_cpu_hermite_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                    struct ky_error *error)
{
    struct ky_cpu_way b;
    enum ky_status status = ky_cpu_way_open(&b, cpu, way, error);
    way->close = KY_NO_BODY;
    if (!status)
        status = ky_cpu_reserve_hermite(cpu, error);
    if (status)
        return status;
    status = begin(&b, error);
    for (uint64_t k = 0; (k < way->most || must_go_on(way)) && !status; k++) {
        if (way->now >= way->until || b.has_stopped)
            break;
        status = one_block(&b, error);
    }
    if (way->group_radius > 0) {
        const enum ky_status left = ky_cpu_groups_leave(&b, status ? NULL : error);
        ky_cpu_groups_report(cpu, way);
        status = status ? status : left;
    }
    return status;
}

/* ---- forces, potentials ---- */

void ky_cpu_hermite_forget(struct ky_cpu *cpu)
{
    forget_steps(cpu);
    cpu->hermite->members_are_late = 0;
    cpu->hermite->potential_is_late = cpu->parameters->precision != KY_DOUBLE;
}

enum ky_status ky_cpu_catch_potential(struct ky_cpu *cpu, struct ky_error *error)
{
    if (!cpu->hermite->potential_is_late)
        return KY_OK;
    enum ky_status status = ky_cpu_exact(&cpu->base, NULL, cpu->n, NULL, cpu->potential, error);
    cpu->hermite->potential_is_late = status != KY_OK;
    return status;
}
