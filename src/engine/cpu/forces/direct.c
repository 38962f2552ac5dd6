/* The direct sum: all bodies on all, and the double-precision reference for chosen sinks. Fills the
 * columns of sources and passes blocks of sinks to the lanes. */
#include "engine/cpu/forces/forces.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/split.h"
#include "base/status.h"
#include "engine/common/softening.h"
#include "physics/gravity.h"

enum { COLUMNS_SINGLE = 5, COLUMNS_EXTENDED = 8 }; /* x y z mass ε² and three low parts */

/* Bytes of the columns of the exact sum for n bodies. */
static double direct_memory(const struct ky_parameters *parameters, size_t n)
{
    int columns = parameters->precision == KY_DOUBLE     ? 0
                  : parameters->precision == KY_EXTENDED ? COLUMNS_EXTENDED
                                                         : COLUMNS_SINGLE;
    return (double)n * (double)sizeof(float) * columns;
}

/* Writes positions relative to `centre` as float and, for extended, the remainder as a second
 * float, to columns. */
static void fill_single(const struct ky_cpu_sinks *set, const double centre[3], float *column,
                        struct ky_direct *direct)
{
    const struct ky_cpu *cpu = set->cpu;
    const size_t n = set->n;
    float *mass = column + 3 * n, *eps2 = column + 4 * n,
          *low = cpu->parameters->precision == KY_EXTENDED ? column + 5 * n : NULL;
    double scale = KY_SCALE_MASS(cpu->lanes->single_scale);
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < n; k++) {
        const size_t i = ky_cpu_member(set, k);
        for (size_t c = 0; c < 3; c++) {
            double x = cpu->x[c][i] - centre[c];
            column[c * n + k] = (float)x;
            if (low)
                low[c * n + k] = ky_low_part(x);
        }
        mass[k] = (float)(cpu->mass[i] * scale);
        eps2[k] = (float)ky_cpu_sink_eps2(cpu, i);
    }
    *direct = (struct ky_direct){
        .n = n,
        .x = column,
        .y = column + n,
        .z = column + 2 * n,
        .mass = mass,
        .eps2 = eps2,
        .low = {low, low ? low + n : NULL, low ? low + 2 * n : NULL},
        .how = cpu->how,
    };
}

/* Allocates the columns of `n` sources, which are kept for the next sum. */
static enum ky_status reserve(struct ky_cpu *cpu, size_t n, struct ky_error *error)
{
    const size_t bytes = (size_t)direct_memory(cpu->parameters, n);
    if (!cpu->column)
        cpu->column = ky_allocate(bytes, 1);
    return cpu->column ? KY_OK : ky_no_memory(error, "float columns of the direct sum", bytes, 1);
}

enum ky_status ky_cpu_in_double(const struct ky_cpu_sinks *set, struct ky_direct *direct,
                                double **room, struct ky_error *error)
{
    enum { X, MASS = 3, EPS2, COLUMNS };
    const struct ky_cpu *cpu = set->cpu;
    const double *column[COLUMNS] = {cpu->x[0], cpu->x[1], cpu->x[2], cpu->mass, NULL};
    const size_t n = set->n, copied = set->member ? EPS2 : 0,
                 columns = copied + (cpu->how & KY_EPS_OF_BOTH ? 1 : 0);
    double *to = *room = columns ? ky_allocate(columns * n, sizeof *to) : NULL;
    if (columns && !to)
        return ky_no_memory(error, "sources in double", n, columns * sizeof *to);
    for (size_t c = 0; c < copied; c++, to += n) {
        for (size_t k = 0; k < n; k++)
            to[k] = column[c][set->member[k]];
        column[c] = to;
    }
    for (size_t k = 0; k < (columns > copied ? n : 0); k++)
        to[k] = ky_cpu_sink_eps2(cpu, ky_cpu_member(set, k));
    *direct = (struct ky_direct){
        .n = n,
        .x = column[X],
        .y = column[X + 1],
        .z = column[X + 2],
        .mass = column[MASS],
        .eps2 = columns > copied ? to : NULL,
        .how = cpu->how,
    };
    return KY_OK;
}

/* A sum over the members of a set: with a precision of the lanes, relative to a centre. */
struct sums {
    const struct ky_cpu *cpu;
    struct ky_direct from;
    double *room; /* to be freed */
    int precision;
    double centre[3];
    /* Sums in rows: of these points, or of bodies. */
    const struct ky_points *points;
    double (*acceleration)[3], *potential;
};

static enum ky_status set_sources(struct sums *sums, struct ky_cpu_sinks *sources, int precision,
                                  struct ky_error *error)
{
    struct ky_cpu *cpu = sources->cpu;
    sums->precision = precision;
    if (precision == KY_DOUBLE)
        return ky_cpu_in_double(sources, &sums->from, &sums->room, error);
    KY_TRY(reserve(cpu, sources->n, error));
    ky_cpu_centre(sources, sums->centre);
    fill_single(sources, sums->centre, cpu->column, &sums->from);
    return KY_OK;
}

/* Body i is source `own`, or KY_NO_BODY. */
static void load(const struct sums *sums, struct ky_direct_sinks *sinks, size_t k, size_t i,
                 uint32_t own)
{
    const struct ky_cpu *cpu = sums->cpu;
    sinks->own[k] = own;
    sinks->x[k] = cpu->x[0][i] - sums->centre[0];
    sinks->y[k] = cpu->x[1][i] - sums->centre[1];
    sinks->z[k] = cpu->x[2][i] - sums->centre[2];
    sinks->eps2[k] = ky_cpu_sink_eps2(cpu, i);
}

/* The number by which a sink at x is left out of the sum over an image: only where its own body is
 * the nearest of the images. A body is in the box itself, a point that stands for it perhaps at the
 * other end. */
static uint32_t own_of(const struct sums *sums, uint32_t own, const double x[3])
{
    const struct ky_cpu *cpu = sums->cpu;
    int is_near = 1;
    for (int c = 0; c < 3 && cpu->box > 0 && own != KY_NO_BODY; c++) {
        const double body = cpu->x[c][ky_cpu_by_mass(cpu, own)],
                     d = KY_APART(body, x[c] + sums->centre[c]);
        is_near &= ky_cpu_to_nearest(cpu, d) == d;
    }
    return is_near ? own : KY_NO_BODY;
}

/* The fields of a block of sinks by the sources and, in a box, by their images, which act on sinks
 * that have moved the other way; and the far field. */
static void sum_images(const struct sums *sums, struct ky_direct_sinks *sinks)
{
    const struct ky_cpu *cpu = sums->cpu;
    ky_direct_function *direct = cpu->lanes->direct[sums->precision];
    struct ky_direct_sinks image = *sinks;
    double *const to[3] = {image.x, image.y, image.z};
    const double *const from[3] = {sinks->x, sinks->y, sinks->z};
    for (int number = 0; number < ky_cpu_images(cpu); number++) {
        for (size_t k = 0; k < sinks->count; k++) {
            for (int c = 0; c < 3; c++)
                to[c][k] = from[c][k] - ky_image(number, c) * cpu->box;
            image.own[k] =
                own_of(sums, sinks->own[k], (const double[]){to[0][k], to[1][k], to[2][k]});
        }
        direct(&sums->from, &image);
        for (int c = 0; c < 4; c++)
            for (size_t k = 0; k < sinks->count; k++)
                sinks->field[c][k] = image.field[c][k] + (number ? sinks->field[c][k] : 0);
    }
    for (size_t k = 0; k < sinks->count; k++) {
        const double x[3] = {sinks->x[k] + sums->centre[0], sinks->y[k] + sums->centre[1],
                             sinks->z[k] + sums->centre[2]};
        double field[4] = {0};
        ky_cpu_add_far(cpu, x, field);
        for (int c = 0; c < 4; c++)
            sinks->field[c][k] += field[c];
    }
}

/* ---- forces ---- */

/* The index of the k-th active member. */
static size_t active_member(const struct ky_cpu_sinks *set, size_t k)
{
    return set->active ? set->active->body[k] : ky_cpu_member(set, k);
}

/* Receives the fields of the sinks that other ranks have computed. */
static enum ky_status join_sinks(struct ky_cpu_sinks *set, const struct ky_cpu_share *share,
                                 struct ky_error *error)
{
    double *const column[] = {set->a[0], set->a[1], set->a[2], set->potential};
    if (!share->joins || (!set->active && !set->member))
        return ky_cpu_join(set->cpu, share, column, 4, error);
    double *room = ky_allocate(4 * share->count, sizeof *room), *listed[4];
    if (!room)
        return ky_no_memory(error, "fields of active bodies", share->count, 4 * sizeof *room);
    for (size_t c = 0; c < 4; c++) {
        listed[c] = room + c * share->count;
        for (size_t k = share->first; k < share->end; k++)
            listed[c][k] = column[c][active_member(set, k)];
    }
    const enum ky_status status = ky_cpu_join(set->cpu, share, listed, 4, error);
    for (size_t c = 0; c < 4 && !status; c++)
        for (size_t k = 0; k < share->count; k++)
            column[c][active_member(set, k)] = listed[c][k];
    free(room);
    return status;
}

/* Replaces the fields of the active members by the sources' acceleration and potential. */
static enum ky_status sum_members(struct ky_cpu_sinks *set, const struct sums *sums,
                                  struct ky_error *error)
{
    const struct ky_cpu *cpu = set->cpu;
    const struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    const size_t n = set->active ? set->active->count : set->n;
    const struct ky_cpu_share share = ky_cpu_share(cpu, n, sums->from.n, KY_BLOCK);
    const size_t blocks = (share.end - share.first + KY_BLOCK - 1) / KY_BLOCK;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (blocks > 3)
    for (size_t block = 0; block < blocks; block++) {
        if (ky_halted(cpu->base.halt))
            continue;
        size_t first = share.first + block * KY_BLOCK;
        struct ky_direct_sinks sinks;
        sinks.count = share.end - first < KY_BLOCK ? share.end - first : KY_BLOCK;
        for (size_t k = 0; k < sinks.count; k++) {
            const size_t i = active_member(set, first + k);
            load(sums, &sinks, k, i,
                 set->sources == set ? ky_cpu_source_number(cpu, i) : KY_NO_BODY);
        }
        sum_images(sums, &sinks);
        for (size_t k = 0; k < sinks.count; k++) {
            const size_t i = active_member(set, first + k);
            for (int c = 0; c < 3; c++)
                set->a[c][i] = scale.acceleration * sinks.field[c][k];
            set->potential[i] = scale.potential * sinks.field[3][k];
        }
    }
    return join_sinks(set, &share, error);
}

static enum ky_status pass(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = set->cpu;
    struct sums sums = {.cpu = cpu};
    const double start = ky_clock();
    enum ky_status status = set_sources(&sums, set->sources, parameters->precision, error);
    if (!status)
        status = sum_members(set, &sums, error);
    free(sums.room);
    cpu->report.walk += ky_clock() - start;
    const size_t sinks = set->active ? set->active->count : set->n;
    cpu->report.body_interactions +=
        sinks ? (double)sinks * ((double)sums.from.n * ky_cpu_images(cpu) - (set->sources == set))
              : 0;
    return status;
}

static enum ky_status sum(struct ky_cpu *cpu, struct ky_error *error)
{
    return ky_cpu_pass_all(cpu, pass, cpu->parameters, error);
}

const struct ky_cpu_method ky_cpu_direct_method = {.forces = sum, .memory = direct_memory};

/* ---- sums for some sinks, in rows ---- */

/* Sorts by source number: bodies that are not sources come last. */
static int ascending(const void *a, const void *b)
{
    const struct ky_cpu_wanted *p = a, *q = b;
    return p->own != q->own     ? (p->own > q->own) - (p->own < q->own)
           : p->sink != q->sink ? (p->sink > q->sink) - (p->sink < q->sink)
                                : (p->row > q->row) - (p->row < q->row);
}

/* Takes the next block of sinks, in ascending order for the lanes. A source that occurs twice
 * starts a new block. */
static size_t take_block(const struct ky_cpu_wanted *wanted, size_t first, size_t count)
{
    size_t last = first + 1;
    while (last < count && last - first < KY_BLOCK &&
           (wanted[last].own != wanted[last - 1].own || wanted[last].own == KY_NO_BODY))
        last++;
    return last;
}

void ky_cpu_make_blocks(struct ky_cpu_wanted *wanted, size_t count, size_t *block, size_t *blocks)
{
    qsort(wanted, count, sizeof *wanted, ascending);
    *blocks = block[0] = 0;
    for (size_t first = 0; first < count; first = block[*blocks])
        block[++*blocks] = take_block(wanted, first, count);
}

/* The sums of some sinks, bodies or points, in the order of `wanted`. */
static void sum_block(const struct sums *sums, const struct ky_cpu_wanted *wanted, size_t count)
{
    const struct ky_cpu *cpu = sums->cpu;
    const struct ky_points *points = sums->points;
    const struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    struct ky_direct_sinks sinks;
    double *const to[3] = {sinks.x, sinks.y, sinks.z};
    sinks.count = count;
    for (size_t k = 0; k < count; k++) {
        const size_t i = wanted[k].sink;
        if (!points) {
            load(sums, &sinks, k, i, wanted[k].own);
            continue;
        }
        for (int c = 0; c < 3; c++)
            to[c][k] = ky_cpu_place(cpu, points->position[i][c] / cpu->length) - sums->centre[c];
        sinks.own[k] = wanted[k].own;
        sinks.eps2[k] = ky_cpu_point_eps2(cpu, points, i);
    }
    sum_images(sums, &sinks);
    for (size_t k = 0; k < count; k++) {
        const size_t row = wanted[k].row;
        for (int c = 0; sums->acceleration && c < 3; c++)
            sums->acceleration[row][c] = scale.acceleration * sinks.field[c][k];
        if (sums->potential)
            sums->potential[row] = scale.potential * sinks.field[3][k];
    }
}

/* The sums of `count` sinks, which are sorted. shares: ranks with copies of the bodies compute some
 * of the potentials each. */
static enum ky_status sum_wanted(struct sums *sums, struct ky_cpu_wanted *wanted, size_t count,
                                 int shares, struct ky_error *error)
{
    const struct ky_cpu *cpu = sums->cpu;
    size_t blocks = 0, *block = ky_allocate(count + 1, sizeof *block);
    if (!block)
        return ky_no_memory(error, "blocks of sinks", count, sizeof *block);
    ky_cpu_make_blocks(wanted, count, block, &blocks);
    const struct ky_cpu_share share = ky_cpu_share(cpu, shares ? count : 0, sums->from.n, KY_BLOCK);
    const size_t begin = share.joins ? share.first / KY_BLOCK : 0,
                 stop = share.joins ? (share.end + KY_BLOCK - 1) / KY_BLOCK : blocks;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (stop - begin > 3)
    for (size_t k = begin; k < stop; k++)
        if (!ky_halted(cpu->base.halt))
            sum_block(sums, wanted + block[k], block[k + 1] - block[k]);
    free(block);
    return ky_cpu_join(cpu, &share, &sums->potential, 1, error);
}

enum ky_status ky_cpu_exact_of_own(struct ky_cpu *cpu, const size_t *sinks, size_t count,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error)
{
    struct sums sums = {.cpu = cpu, .acceleration = acceleration, .potential = potential};
    struct ky_cpu_wanted *wanted = ky_allocate(count, sizeof *wanted);
    enum ky_status status = wanted ? set_sources(&sums, ky_cpu_sources(cpu), KY_DOUBLE, error)
                                   : ky_no_memory(error, "list of sinks", count, sizeof *wanted);
    for (size_t k = 0; k < count && !status; k++) {
        const size_t i = sinks ? sinks[k] : k;
        wanted[k] = (struct ky_cpu_wanted){i, k, ky_cpu_source_number(cpu, i)};
    }
    if (!status)
        status = ky_cpu_find_far(cpu, error);
    if (!status)
        status = sum_wanted(&sums, wanted, count,
                            !sinks && !acceleration && !ky_cpu_has_massless(cpu), error);
    free(sums.room);
    free(wanted);
    return status;
}

/* A point at more than FARTHEST units of length is summed in double, since 1/s³ would leave the
 * range of float. */
#define FARTHEST 0x1p36

static int precision_of(const struct ky_cpu *cpu, const struct ky_points *points)
{
    for (size_t k = 0; k < points->count; k++)
        for (int c = 0; c < 3; c++)
            if (!(fabs(points->position[k][c]) <= FARTHEST * cpu->length))
                return KY_DOUBLE;
    return cpu->parameters->precision;
}

enum ky_status ky_cpu_direct_field(struct ky_cpu_sinks *sources, const struct ky_points *points,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error)
{
    const struct ky_cpu *cpu = sources->cpu;
    const size_t count = points->count;
    struct sums sums = {
        .cpu = cpu, .points = points, .acceleration = acceleration, .potential = potential};
    struct ky_cpu_wanted *wanted = ky_allocate(count, sizeof *wanted);
    enum ky_status status = wanted
                                ? set_sources(&sums, sources, precision_of(cpu, points), error)
                                : ky_no_memory(error, "points of a field", count, sizeof *wanted);
    sums.from.how = (cpu->how & ~KY_GUARD) | ky_pairs_guard(ky_cpu_least_eps2(cpu, points));
    for (size_t k = 0; k < count && !status; k++)
        wanted[k] = (struct ky_cpu_wanted){k, k, ky_cpu_point_number(cpu, points, k)};
    if (!status)
        status = ky_cpu_find_far(sources->cpu, error);
    if (!status)
        status = sum_wanted(&sums, wanted, count, 0, error);
    free(sums.room);
    free(wanted);
    return status;
}
