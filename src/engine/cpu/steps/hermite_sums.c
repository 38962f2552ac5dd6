/* Accelerations and jerks for the Hermite scheme: sources in the form for the lanes, and blocks of
 * sinks. */
#include "engine/cpu/steps/hermite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/split.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/units.h"
#include "engine/cpu/forces/moving.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite_board.h"
#include "engine/cpu/steps/levels.h"
#include "physics/gravity.h"
#include "physics/jerk.h"
#include "physics/space.h"

enum { BLOCKS = KY_HERMITE_BLOCKS, BATCH = KY_HERMITE_BATCH, SUMS = KY_HERMITE_SUMS };
/* Number of pairs for which several threads are worth their start; a block counts as at least
 * FEWEST sinks. */
enum { MANY = 200000, FEWEST = 16 };
/* Columns of float in precision extended: x y z, low parts, vx vy vz, mass, eps2. */
enum { LOW = 3, SPEED = 6, MASS = 9, EPS2 = 10, COLUMNS = 11 };

/* ---- memory ---- */

static int is_double(const struct ky_cpu *cpu)
{
    return cpu->parameters->precision == KY_DOUBLE;
}

/* Bytes of the columns at[], sum[], eps2 and rate2, and of the lanes' columns: labels and floats.
 */
enum { OWN = (2 * SUMS + 2) * sizeof(double), OF_FLOATS = (COLUMNS + 1) * sizeof(float) };
_Static_assert((int)OF_FLOATS >= (int)sizeof(int64_t), "double needs labels alone");

/* Bytes of the lists of near sources. */
enum { NEAR_BYTES = (BATCH + KY_MOVING_BLOCK) * KY_HERMITE_NEAR * (int)sizeof(uint32_t) };

double ky_cpu_hermite_memory(size_t n)
{
    return (double)n * (OWN + OF_FLOATS + 1 + sizeof(uint32_t)) +
           (double)BLOCKS * sizeof(struct ky_moving_sinks) + (double)NEAR_BYTES;
}

void ky_cpu_free_hermite(struct ky_cpu *cpu)
{
    free(cpu->hermite->room);
    free(cpu->hermite->acting[0]);
    free(cpu->hermite->column);
    free(cpu->hermite->block);
    free(cpu->hermite->near);
    ky_cpu_groups_free(cpu);
    ky_cpu_free_sent(cpu);
    *cpu->hermite = (struct ky_cpu_hermite){.potential_is_late = cpu->hermite->potential_is_late};
}

/* Allocates columns of the bodies with mass, if other bodies have none. */
static enum ky_status reserve_acting(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_cpu_hermite *own = cpu->hermite;
    if (!ky_cpu_has_massless(cpu) || own->acting[0])
        return KY_OK;
    double *room = ky_allocate(cpu->n * (SUMS + 2), sizeof *room);
    if (!room)
        return ky_no_memory(error, "bodies with mass", cpu->n, (SUMS + 2) * sizeof *room);
    for (size_t c = 0; c < SUMS + 2; c++)
        own->acting[c] = room + c * cpu->n;
    return KY_OK;
}

enum ky_status ky_cpu_reserve_hermite(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_cpu_hermite *own = cpu->hermite;
    enum ky_status status = reserve_acting(cpu, error);
    if (own->room || status)
        return status;
    own->room = ky_allocate(cpu->n, OWN);
    own->column = ky_allocate(cpu->n, OF_FLOATS);
    own->block = ky_allocate(BLOCKS + 1, sizeof *own->block);
    own->near = ky_allocate(1, NEAR_BYTES);
    if (!own->room || !own->column || !own->block || !own->near) {
        ky_cpu_free_hermite(cpu);
        return ky_no_memory(error, "Hermite scheme", cpu->n, OWN + OF_FLOATS);
    }
    for (size_t c = 0; c < SUMS; c++) {
        own->at[c] = own->room + c * cpu->n;
        own->sum[c] = own->room + (SUMS + c) * cpu->n;
    }
    own->eps2 = own->room + 2 * SUMS * cpu->n;
    own->rate2 = own->eps2 + cpu->n;
    ky_cpu_frame_hermite(cpu);
    return KY_OK;
}

/* ---- sources ---- */

/* The engine's bodies with mass, at the current tick. */
struct set {
    size_t n;
    double *const *at, *mass, *eps2;
    void *column; /* for the lanes */
};

static struct set own_of(const struct ky_cpu *cpu)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    const size_t n = cpu->massless.sources;
    return ky_cpu_has_massless(cpu)
               ? (struct set){n, own->acting, own->acting[SUMS], own->acting[SUMS + 1], own->column}
               : (struct set){n, own->at, cpu->mass, own->eps2, own->column};
}

/* Copies values of the bodies with mass, if other bodies have none. */
static void gather(const struct ky_cpu *cpu, double *to, const double *from)
{
    for (size_t k = 0; ky_cpu_has_massless(cpu) && k < cpu->massless.sources; k++)
        to[k] = from[cpu->massless.body[k]];
}

/* Fills masses, softenings and labels of the sources; labels are their indices. */
static void fill_constants(const struct ky_cpu *cpu, struct set set)
{
    const double unit = KY_SCALE_MASS(cpu->lanes->single_scale) / cpu->hermite->heaviest;
    const size_t n = set.n;
    for (size_t i = 0; i < n; i++) {
        const int64_t label = (int64_t)ky_cpu_by_mass(cpu, i);
        if (is_double(cpu)) {
            ((int64_t *)set.column)[i] = label;
            continue;
        }
        ((float *)set.column)[MASS * n + i] = (float)(set.mass[i] * unit);
        ((float *)set.column)[EPS2 * n + i] = (float)set.eps2[i];
        ((int32_t *)set.column)[COLUMNS * n + i] = (int32_t)label;
    }
}

/* The median of a column is taken over FEW bodies with mass, so that massless bodies do not change
 * the bits. */
enum { FEW = 5 };
static double middle_of(const struct ky_cpu *cpu, const double *column)
{
    const size_t n = ky_cpu_has_massless(cpu) ? cpu->massless.sources : cpu->n,
                 count = n < FEW ? n : FEW;
    double sorted[FEW] = {0};
    for (size_t k = 0; k < count; k++) {
        const double number = column[ky_cpu_by_mass(cpu, k * n / count)];
        size_t place = k;
        for (; place > 0 && sorted[place - 1] > number; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = number;
    }
    return sorted[count / 2];
}

/* Computed in each block from nothing but the state, so that a run that is resumed between two
 * blocks has the same values. */
void ky_cpu_centre_hermite(struct ky_cpu *cpu)
{
    double *middle = cpu->hermite->middle;
    for (size_t c = 0; c < 3; c++) {
        middle[c] = is_double(cpu) ? 0 : middle_of(cpu, cpu->x[c]);
        middle[3 + c] = is_double(cpu) ? 0 : middle_of(cpu, cpu->v[c]) / cpu->length;
    }
}

/* Returns −1 if no softening of a sink is below the radius of near sources, and in double. */
static double near2_of(const struct ky_cpu *cpu)
{
    const size_t n = ky_cpu_has_massless(cpu) ? cpu->massless.sources : cpu->n;
    const double near2 = ky_moving_near2(n);
    int some = 0;
    for (size_t i = 0; i < cpu->n; i++)
        some |= cpu->hermite->eps2[i] < near2;
    return some && !is_double(cpu) ? near2 : -1;
}

/* Chooses units that keep floats near 1: the heaviest mass, and the velocity of a bound system. In
 * double nothing is scaled. */
void ky_cpu_frame_hermite(struct ky_cpu *cpu)
{
    struct ky_cpu_hermite *own = cpu->hermite;
    const struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    double most = 0, sum = 0;
    own->speed = own->heaviest = 1;
    for (size_t i = 0; i < cpu->n; i++) {
        most = fmax(most, cpu->mass[i]);
        sum += cpu->mass[i];
    }
    if (!is_double(cpu)) {
        const struct ky_moving_units units =
            ky_moving_units(most, sum, scale.potential, cpu->length);
        own->heaviest = units.mass;
        own->speed = units.speed;
    }
    for (size_t i = 0; i < cpu->n; i++)
        own->eps2[i] = ky_cpu_sink_eps2(cpu, i);
    own->near2 = near2_of(cpu);
    gather(cpu, own->acting[SUMS], cpu->mass);
    gather(cpu, own->acting[SUMS + 1], own->eps2);
    fill_constants(cpu, own_of(cpu));
}

/* Component c of the positions and velocities of some bodies, as floats. */
static void fill(const struct ky_cpu *cpu, struct set set, size_t c, size_t first, size_t last)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    const double *x = set.at[c], *v = set.at[3 + c], middle = own->middle[c],
                 drift = own->middle[3 + c], per_speed = 1 / own->speed;
    float *high = (float *)set.column + c * set.n, *low = high + LOW * set.n,
          *speed = high + SPEED * set.n;
    for (size_t i = first; i < last; i++) {
        const double at = x[i] - middle;
        high[i] = (float)at;
        low[i] = ky_low_part(at);
        speed[i] = (float)((v[i] - drift) * per_speed);
    }
}

/* All of them in the form for the lanes. */
static struct ky_moving sources(const struct ky_cpu *cpu, struct set set)
{
    const size_t n = set.n, chunks = is_double(cpu) ? 0 : n / KY_BODIES_CHUNK + 1;
    const float *f = set.column;
    struct ky_moving moving = {.what =
                                   KY_MOVING_JERK | (cpu->hermite->near2 > 0 ? KY_MOVING_NEAR : 0)};
#pragma omp parallel for num_threads(ky_cpu_crew(cpu, n))
    for (size_t k = 0; k < 3 * chunks; k++) {
        const size_t first = k / 3 * KY_BODIES_CHUNK, end = first + KY_BODIES_CHUNK;
        fill(cpu, set, k % 3, first, end < n ? end : n);
    }
    for (size_t c = 0; c < 3; c++) {
        moving.x[c] = is_double(cpu) ? (const void *)set.at[c] : f + c * n;
        moving.v[c] = is_double(cpu) ? (const void *)set.at[3 + c] : f + (SPEED + c) * n;
        moving.low[c] = f + (LOW + c) * n;
    }
    moving.mass = is_double(cpu) ? (const void *)set.mass : f + MASS * n;
    moving.label = is_double(cpu) ? set.column : f + COLUMNS * n;
    if (cpu->how & KY_EPS_OF_BOTH)
        moving.eps2 = is_double(cpu) ? (const void *)set.eps2 : f + EPS2 * n;
    return moving;
}

/* ---- sinks ---- */

static size_t sink(const struct ky_cpu *cpu, size_t k, int all)
{
    return all ? k : cpu->blocks->active[k];
}

static uint32_t *list_of(const struct ky_cpu_hermite *own, const struct ky_moving_sinks *block)
{
    return own->near + (size_t)(block - own->block) * KY_MOVING_BLOCK * KY_HERMITE_NEAR;
}

/* Body i becomes the k-th sink of a batch. */
static void load(struct ky_cpu *cpu, size_t k, size_t i)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    struct ky_moving_sinks *block = &own->block[k / own->each];
    k %= own->each;
    for (int c = 0; c < 3; c++) {
        block->x[c][k] = own->at[c][i] - own->middle[c];
        block->v[c][k] = (own->at[3 + c][i] - own->middle[3 + c]) / own->speed;
    }
    block->eps2[k] = own->eps2[i];
    block->label[k] = (int32_t)i;
    block->h2[k] = own->near2;
    block->count = k + 1;
    block->capacity = KY_HERMITE_NEAR;
    block->list = list_of(own, block);
}

/* Begins the sums at element `to` with the acceleration by external fields on body i. */
static void begin(const struct ky_cpu *cpu, const struct ky_external *field, size_t fields,
                  size_t i, size_t to)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    const double x[3] = {own->at[0][i], own->at[1][i], own->at[2][i]},
                 v[3] = {own->at[3][i], own->at[4][i], own->at[5][i]};
    const struct ky_external_pull pull = ky_externals_at(field, fields, x, v);
    const double sum[SUMS] = {pull.x, pull.y, pull.z, pull.jx, pull.jy, pull.jz};
    for (int c = 0; c < SUMS; c++)
        own->sum[c][to] = sum[c];
}

/* Source j acts on body i in double. */
static struct ky_jerk_field act(const struct ky_cpu *cpu, struct set set,
                                struct ky_jerk_field field, size_t i, size_t j)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    double d[3], w[3], s2 = own->eps2[i] + (cpu->how & KY_EPS_OF_BOTH ? set.eps2[j] : 0);
    for (int c = 0; c < 3; c++) {
        d[c] = KY_APART(set.at[c][j], own->at[c][i]);
        w[c] = set.at[3 + c][j] - own->at[3 + c][i];
        s2 += d[c] * d[c];
    }
    if (ky_cpu_by_mass(cpu, j) == i || s2 <= KY_JERK_CLOSE2_DOUBLE)
        return field;
    return ky_add_moving(field, d[0], d[1], d[2], w[0], w[1], w[2], KY_RSQRT(s2), set.mass[j], s2,
                         0);
}

/* Adds the sources that are listed for the k-th sink of a block, body i. */
static struct ky_jerk_field add_near(const struct ky_cpu *cpu, struct set set,
                                     const struct ky_moving_sinks *block, size_t k, size_t i)
{
    struct ky_jerk_field field = {0};
    for (size_t e = 0; e < block->found[k]; e++)
        field = act(cpu, set, field, i, block->list[k * KY_HERMITE_NEAR + e]);
    return field;
}

/* Adds the sums of the k-th sink of a batch, body i, to the sums at element `to`. */
static void add(const struct ky_cpu *cpu, struct set set, size_t k, size_t i, size_t to)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    const struct ky_moving_sinks *block = &own->block[k / own->each];
    const double near_scale = ky_cpu_scale(cpu).acceleration, scale = near_scale * own->heaviest;
    k %= own->each;
    for (int c = 0; c < 3; c++) { /* the potential follows the accelerations */
        own->sum[c][to] += scale * block->sum[c][k];
        own->sum[3 + c][to] += scale * own->speed * block->sum[4 + c][k];
    }
    if (block->found[k] == 0)
        return;
    const struct ky_jerk_field near = add_near(cpu, set, block, k, i);
    const double number[SUMS] = {near.x, near.y, near.z, near.jx, near.jy, near.jz};
    for (int c = 0; c < SUMS; c++)
        own->sum[c][to] += near_scale * number[c];
}

/* Threads for the sums of these sources for `here` sinks. */
static int threads_for(const struct ky_cpu *cpu, size_t count, size_t here)
{
    const double pairs = (double)(here > FEWEST ? here : FEWEST) * (double)count;
    return pairs > MANY ? cpu->threads : 1;
}

/* The number of sinks in a block of `here` sinks in all. It makes at most BLOCKS blocks. */
static size_t each_of(const struct ky_cpu *cpu, size_t count, size_t here)
{
    const size_t each = ky_moving_each(count, here, threads_for(cpu, count, here));
    return cpu->board || each * BLOCKS < here ? KY_MOVING_BLOCK : each;
}

/* Blocks of sinks for a task. */
static enum ky_status run_blocks(const struct ky_cpu *cpu, const struct ky_moving *moving,
                                 size_t count, size_t here, struct ky_moving_sinks *block,
                                 struct ky_error *error)
{
    const size_t each = cpu->hermite->each;
    const struct ky_moving_task task = {.lanes = cpu->lanes,
                                        .precision = cpu->parameters->precision,
                                        .threads = threads_for(cpu, count, here),
                                        .moving = moving,
                                        .sources = count,
                                        .blocks = (here + each - 1) / each,
                                        .block = block};
    return ky_moving_run(&task, error);
}

/* If sink k has more near sources than its list holds, as in a compact share of a wide system: sums
 * again, with a radius that contains fewer sources. */
static enum ky_status narrow(const struct ky_cpu *cpu, const struct ky_moving *moving, size_t count,
                             size_t k, struct ky_error *error)
{
    struct ky_moving_sinks *block = &cpu->hermite->block[k / cpu->hermite->each],
                           *alone = &cpu->hermite->block[BLOCKS];
    k %= cpu->hermite->each;
    for (int c = 0; c < 3; c++)
        alone->x[c][0] = block->x[c][k], alone->v[c][0] = block->v[c][k];
    alone->eps2[0] = block->eps2[k];
    alone->label[0] = block->label[k];
    alone->h2[0] = block->h2[k];
    alone->count = 1;
    alone->capacity = KY_HERMITE_NEAR;
    alone->list = list_of(cpu->hermite, alone);
    for (alone->found[0] = block->found[k]; alone->found[0] > KY_HERMITE_NEAR;) {
        alone->h2[0] = alone->h2[0] > 1e-12 ? alone->h2[0] / 64 : -1;
        KY_TRY(run_blocks(cpu, moving, count, 1, alone, error));
    }
    for (int c = 0; c < KY_MOVING_SUMS; c++)
        block->sum[c][k] = alone->sum[c][0];
    block->found[k] = alone->found[0];
    memcpy(block->list + k * KY_HERMITE_NEAR, alone->list, KY_HERMITE_NEAR * sizeof *alone->list);
    return KY_OK;
}

/* The sums of these sources for `here` sinks of a batch. */
static enum ky_status run(const struct ky_cpu *cpu, const struct ky_moving *moving, size_t count,
                          size_t here, struct ky_error *error)
{
    struct ky_moving_sinks *block = cpu->hermite->block;
    const size_t each = cpu->hermite->each;
    KY_TRY(run_blocks(cpu, moving, count, here, block, error));
    for (size_t k = 0; k < here; k++)
        if (block[k / each].found[k % each] > KY_HERMITE_NEAR)
            KY_TRY(narrow(cpu, moving, count, k, error));
    return KY_OK;
}

/* Adds the field function for many points to `here` sinks of a batch, whose sums begin at element
 * `first`. */
static enum ky_status begin_many(struct ky_cpu *cpu, size_t first, size_t here, int all,
                                 struct ky_error *error)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    double(*row)[4][3] = ky_allocate(here, sizeof *row);
    if (!row)
        return ky_no_memory(error, "a field at bodies", here, sizeof *row);
    double(*x)[3] = (double(*)[3])row, (*v)[3] = x + here, (*a)[3] = v + here, (*j)[3] = a + here;
    for (size_t k = 0; k < here; k++)
        for (size_t c = 0; c < 3; c++) {
            x[k][c] = own->at[c][sink(cpu, first + k, all)] * cpu->length;
            v[k][c] = own->at[3 + c][sink(cpu, first + k, all)] * cpu->length;
        }
    ky_externals_ask(&cpu->base.externals, here, (const double(*)[3])x, (const double(*)[3])v, a, j,
                     NULL);
    for (size_t k = 0; k < here; k++)
        for (size_t c = 0; c < 3; c++) {
            own->sum[c][first + k] += a[k][c];
            own->sum[3 + c][first + k] += j[k][c];
        }
    free(row);
    return KY_OK;
}

enum ky_status ky_cpu_sum_jerks(struct ky_cpu *cpu, size_t count, int all, struct ky_error *error)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t all_fields = ky_cpu_externals(cpu, field),
                 fields = ky_externals_plain_count(&cpu->base.externals);
    enum ky_status status = KY_OK;
    for (size_t c = 0; c < SUMS && !cpu->board; c++)
        gather(cpu, cpu->hermite->acting[c], cpu->hermite->at[c]);
    const struct set set = own_of(cpu);
    const struct ky_moving moving = cpu->board ? (struct ky_moving){.what = 0} : sources(cpu, set);
    const struct ky_cpu_share share = ky_cpu_share(cpu, count, set.n, 1);
    for (size_t first = share.first; first < share.end && !status; first += BATCH) {
        const size_t here = share.end - first < BATCH ? share.end - first : BATCH;
        cpu->hermite->each = each_of(cpu, set.n, here);
        for (size_t k = 0; k < here; k++) {
            const size_t i = sink(cpu, first + k, all);
            load(cpu, k, i);
            begin(cpu, field, fields, i, first + k);
        }
        if (fields < all_fields)
            status = begin_many(cpu, first, here, all, error);
        if (set.n == 0 || status)
            continue;
        status = cpu->board ? ky_cpu_sum_on_board(cpu, cpu->hermite->block, here, error)
                            : run(cpu, &moving, set.n, here, error);
        for (size_t k = 0; k < here; k++)
            add(cpu, set, k, sink(cpu, first + k, all), first + k);
    }
    return status ? status : ky_cpu_join(cpu, &share, cpu->hermite->sum, SUMS, error);
}
