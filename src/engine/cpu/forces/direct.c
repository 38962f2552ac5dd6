/* The direct sum: all bodies on all, and the double-precision reference for chosen sinks. Fills the
 * columns of sources and passes blocks of sinks to the lanes. */
#include "engine/cpu/forces/forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static void fill_single(const struct ky_cpu *cpu, const double centre[3], float *column,
                        struct ky_direct *direct)
{
    const size_t n = cpu->n;
    float *mass = column + 3 * n, *eps2 = column + 4 * n,
          *low = cpu->parameters->precision == KY_EXTENDED ? column + 5 * n : NULL;
    double scale = KY_SCALE_MASS(cpu->lanes->single_scale);
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++) {
            double x = cpu->x[c][i] - centre[c];
            column[c * n + i] = (float)x;
            if (low)
                low[c * n + i] = ky_low_part(x);
        }
        mass[i] = (float)(cpu->mass[i] * scale);
        eps2[i] = (float)ky_cpu_sink_eps2(cpu, i);
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

enum ky_status ky_cpu_own_in_double(const struct ky_cpu *cpu, struct ky_direct *direct,
                                    double **eps2, struct ky_error *error)
{
    *eps2 = NULL;
    if (cpu->how & KY_EPS_OF_BOTH) {
        *eps2 = ky_allocate(cpu->n, sizeof **eps2);
        if (!*eps2)
            return ky_no_memory(error, "squared softenings", cpu->n, sizeof **eps2);
        for (size_t i = 0; i < cpu->n; i++)
            (*eps2)[i] = ky_cpu_sink_eps2(cpu, i);
    }
    *direct = (struct ky_direct){
        .n = cpu->n,
        .x = cpu->x[0],
        .y = cpu->x[1],
        .z = cpu->x[2],
        .mass = cpu->mass,
        .eps2 = *eps2,
        .how = cpu->how,
    };
    return KY_OK;
}

/* Body i is source `own`, or KY_NO_BODY. */
static void load(const struct ky_cpu *cpu, const double centre[3], struct ky_direct_sinks *sinks,
                 size_t place, size_t i, uint32_t own)
{
    sinks->own[place] = own;
    sinks->x[place] = cpu->x[0][i] - centre[0];
    sinks->y[place] = cpu->x[1][i] - centre[1];
    sinks->z[place] = cpu->x[2][i] - centre[2];
    sinks->eps2[place] = ky_cpu_sink_eps2(cpu, i);
}

/* Receives the fields of the sinks that other ranks have computed. */
static enum ky_status join_sinks(struct ky_cpu *cpu, const struct ky_cpu_part *part,
                                 struct ky_error *error)
{
    double *const column[] = {cpu->a[0], cpu->a[1], cpu->a[2], cpu->potential};
    const struct ky_active *active = cpu->active;
    if (!part->joins || !active)
        return ky_cpu_join(cpu, part, column, 4, error);
    double *room = ky_allocate(4 * part->count, sizeof *room), *listed[4];
    if (!room)
        return ky_no_memory(error, "fields of active bodies", part->count, 4 * sizeof *room);
    for (size_t c = 0; c < 4; c++) {
        listed[c] = room + c * part->count;
        for (size_t k = part->first; k < part->end; k++)
            listed[c][k] = column[c][active->body[k]];
    }
    const enum ky_status status = ky_cpu_join(cpu, part, listed, 4, error);
    for (size_t c = 0; c < 4 && !status; c++)
        for (size_t k = 0; k < part->count; k++)
            column[c][active->body[k]] = listed[c][k];
    free(room);
    return status;
}

/* Replaces the fields of the active bodies by the sources' acceleration and potential. among: the
 * bodies are the sources. */
static enum ky_status all_sinks(struct ky_cpu *cpu, const struct ky_direct *direct,
                                const double centre[3], int among, struct ky_error *error)
{
    struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    const struct ky_active *active = cpu->active;
    const size_t n = active ? active->count : cpu->n;
    const struct ky_cpu_part part = ky_cpu_part(cpu, n, direct->n, KY_BLOCK);
    const size_t blocks = (part.end - part.first + KY_BLOCK - 1) / KY_BLOCK;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (blocks > 3)
    for (size_t block = 0; block < blocks; block++) {
        if (ky_halted(cpu->base.halt))
            continue;
        size_t first = part.first + block * KY_BLOCK;
        struct ky_direct_sinks sinks;
        sinks.count = part.end - first < KY_BLOCK ? part.end - first : KY_BLOCK;
        for (size_t k = 0; k < sinks.count; k++) {
            const size_t i = active ? active->body[first + k] : first + k;
            load(cpu, centre, &sinks, k, i, among ? (uint32_t)i : KY_NO_BODY);
        }
        cpu->lanes->direct[cpu->parameters->precision](direct, &sinks);
        for (size_t k = 0; k < sinks.count; k++) {
            const size_t i = active ? active->body[first + k] : first + k;
            for (int c = 0; c < 3; c++)
                cpu->a[c][i] = scale.acceleration * sinks.field[c][k];
            cpu->potential[i] = scale.potential * sinks.field[3][k];
        }
    }
    return join_sinks(cpu, &part, error);
}

static enum ky_status feel_own(struct ky_cpu *cpu, const struct ky_cpu *acting,
                               const double centre[3], struct ky_error *error)
{
    struct ky_direct direct;
    double *eps2 = NULL;
    enum ky_status status;
    if (cpu->parameters->precision == KY_DOUBLE) {
        status = ky_cpu_own_in_double(acting, &direct, &eps2, error);
    } else {
        status = reserve(cpu, acting->n, error);
        if (!status)
            fill_single(acting, centre, cpu->column, &direct);
    }
    if (!status)
        status = all_sinks(cpu, &direct, centre, acting == cpu, error);
    free(eps2);
    return status;
}

static enum ky_status pass(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                           struct ky_error *error)
{
    const struct ky_cpu *acting = cpu->acting ? cpu->acting : cpu;
    double start = ky_clock(), centre[3] = {0};
    if (parameters->precision != KY_DOUBLE)
        ky_cpu_centre(acting, centre);
    KY_TRY(feel_own(cpu, acting, centre, error));
    cpu->report.walk = ky_clock() - start;
    const size_t sinks = cpu->active ? cpu->active->count : cpu->n;
    cpu->report.body_interactions =
        sinks ? (double)sinks * (double)(acting->n - (acting == cpu)) : 0;
    return KY_OK;
}

static enum ky_status sum(struct ky_cpu *cpu, struct ky_error *error)
{
    return ky_cpu_pass_parts(cpu, pass, cpu->parameters, error);
}

const struct ky_cpu_method ky_cpu_direct_method = {.forces = sum, .memory = direct_memory};

/* Sorts by source number: bodies that are not sources come last. */
static int ascending(const void *a, const void *b)
{
    const struct ky_cpu_wanted *p = a, *q = b;
    return p->own != q->own     ? (p->own > q->own) - (p->own < q->own)
           : p->sink != q->sink ? (p->sink > q->sink) - (p->sink < q->sink)
                                : (p->place > q->place) - (p->place < q->place);
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

/* The fields of some sinks, in the order of `wanted`. */
static void exact_block(struct ky_cpu *cpu, const struct ky_direct *direct,
                        const struct ky_cpu_wanted *wanted, size_t count, double (*acceleration)[3],
                        double *potential)
{
    static const double origin[3] = {0};
    struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    struct ky_direct_sinks sinks;
    sinks.count = count;
    for (size_t k = 0; k < count; k++)
        load(cpu, origin, &sinks, k, wanted[k].sink, wanted[k].own);
    cpu->lanes->direct[KY_DOUBLE](direct, &sinks);
    for (size_t k = 0; k < count; k++) {
        const size_t to = wanted[k].place;
        for (int c = 0; acceleration && c < 3; c++)
            acceleration[to][c] = scale.acceleration * sinks.field[c][k];
        if (potential)
            potential[to] = scale.potential * sinks.field[3][k];
    }
}

enum ky_status ky_cpu_exact_of_own(struct ky_cpu *cpu, const size_t *sinks, size_t count,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error)
{
    enum ky_status status = KY_OK;
    struct ky_direct direct;
    double *eps2 = NULL;
    size_t blocks = 0, *block = ky_allocate(count + 1, sizeof *block);
    struct ky_cpu_wanted *wanted = ky_allocate(count, sizeof *wanted);
    if (!wanted || !block) {
        status = ky_no_memory(error, "list of sinks", count, sizeof *wanted);
        goto end;
    }
    for (size_t k = 0; k < count; k++)
        wanted[k] = (struct ky_cpu_wanted){sinks ? sinks[k] : k, k,
                                           ky_cpu_source_number(cpu, sinks ? sinks[k] : k)};
    status = ky_cpu_own_in_double(ky_cpu_sources(cpu), &direct, &eps2, error);
    if (status)
        goto end;
    ky_cpu_make_blocks(wanted, count, block, &blocks);
    const int is_shared = !sinks && !acceleration && !cpu->division.part;
    const struct ky_cpu_part part = ky_cpu_part(cpu, is_shared ? count : 0, direct.n, KY_BLOCK);
    const size_t begin = part.joins ? part.first / KY_BLOCK : 0,
                 stop = part.joins ? (part.end + KY_BLOCK - 1) / KY_BLOCK : blocks;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (stop - begin > 3)
    for (size_t k = begin; k < stop; k++) {
        if (ky_halted(cpu->base.halt))
            continue;
        const size_t some = block[k + 1] - block[k];
        exact_block(cpu, &direct, wanted + block[k], some, acceleration, potential);
    }
    status = ky_cpu_join(cpu, &part, &potential, 1, error);
end:
    free(eps2);
    free(wanted);
    free(block);
    return status;
}

/* ---- points ---- */

/* A point at more than FARTHEST units of length is summed in double, since 1/s³ would leave the
 * range of float. */
#define FARTHEST 0x1p36

/* A sum over the sources for points: `precision` of the lanes, relative to a centre. */
struct point_sums {
    const struct ky_cpu *cpu;
    const struct ky_points *points;
    struct ky_direct own;
    int precision;
    double centre[3];
    double (*acceleration)[3], *potential;
};

static int precision_of(const struct ky_cpu *cpu, const struct ky_points *points)
{
    for (size_t k = 0; k < points->count; k++)
        for (int c = 0; c < 3; c++)
            if (!(fabs(points->position[k][c]) <= FARTHEST * cpu->length))
                return KY_DOUBLE;
    return cpu->parameters->precision;
}

static void load_points(const struct point_sums *sums, const struct ky_cpu_wanted *wanted,
                        size_t count, struct ky_direct_sinks *sinks)
{
    double *const to[3] = {sinks->x, sinks->y, sinks->z};
    sinks->count = count;
    for (size_t k = 0; k < count; k++) {
        const size_t point = wanted[k].place;
        for (int c = 0; c < 3; c++)
            to[c][k] = sums->points->position[point][c] / sums->cpu->length - sums->centre[c];
        sinks->own[k] = wanted[k].own;
        sinks->eps2[k] = ky_cpu_point_eps2(sums->cpu, sums->points, point);
    }
}

/* Computes the field of the engine's bodies at some points. */
static void sum_points(const struct point_sums *sums, const struct ky_cpu_wanted *wanted,
                       size_t count)
{
    const struct ky_cpu_scale scale = ky_cpu_scale(sums->cpu);
    struct ky_direct_sinks sinks;
    load_points(sums, wanted, count, &sinks);
    sums->cpu->lanes->direct[sums->precision](&sums->own, &sinks);
    for (size_t k = 0; k < count; k++) {
        const size_t to = wanted[k].place;
        for (int c = 0; sums->acceleration && c < 3; c++)
            sums->acceleration[to][c] = scale.acceleration * sinks.field[c][k];
        if (sums->potential)
            sums->potential[to] = scale.potential * sinks.field[3][k];
    }
}

/* Sets the sources. The caller frees *eps2 after use. */
static enum ky_status set_sources(struct ky_cpu *cpu, struct point_sums *sums, double **eps2,
                                  struct ky_error *error)
{
    const int guard = ky_pairs_guard(ky_cpu_least_eps2(cpu, sums->points));
    enum ky_status status = KY_OK;
    sums->precision = precision_of(cpu, sums->points);
    if (sums->precision == KY_DOUBLE) {
        status = ky_cpu_own_in_double(cpu, &sums->own, eps2, error);
    } else {
        status = reserve(cpu, cpu->n, error);
        ky_cpu_centre(cpu, sums->centre);
        if (!status)
            fill_single(cpu, sums->centre, cpu->column, &sums->own);
    }
    sums->own.how = (cpu->how & ~KY_GUARD) | guard;
    return status;
}

enum ky_status ky_cpu_direct_field(struct ky_cpu *cpu, const struct ky_points *points,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error)
{
    const size_t count = points->count;
    struct point_sums sums = {
        .cpu = cpu, .points = points, .acceleration = acceleration, .potential = potential};
    double *eps2 = NULL;
    size_t blocks = 0, *block = ky_allocate(count + 1, sizeof *block);
    struct ky_cpu_wanted *wanted = ky_allocate(count, sizeof *wanted);
    enum ky_status status = wanted && block ? set_sources(cpu, &sums, &eps2, error)
                                            : ky_no_memory(error, "points of a field", count,
                                                           sizeof *wanted + sizeof *block);
    if (!status) {
        for (size_t k = 0; k < count; k++)
            wanted[k] = (struct ky_cpu_wanted){k, k, points->body ? points->body[k] : KY_NO_BODY};
        ky_cpu_make_blocks(wanted, count, block, &blocks);
    }
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (blocks > 3)
    for (size_t k = 0; k < blocks; k++) {
        if (ky_halted(cpu->base.halt))
            continue;
        sum_points(&sums, wanted + block[k], block[k + 1] - block[k]);
    }
    free(eps2);
    free(wanted);
    free(block);
    return status;
}
