/* Energies, momenta and other sums over all bodies. They have the same bits for any order of the
 * bodies, any number of threads, and any number of ranks: each term becomes
 * an integer in a unit that depends on the largest term of all (lanes/sums_table.h). */
#include "engine/cpu/state/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "engine/common/external.h"
#include "engine/common/integer_sums.h"

/* A sum of terms below 2^exponent in units of 2^(exponent - BITS). */
enum { BITS = KY_SUM_PARTS * KY_SUM_BITS };

struct sums {
    const struct ky_cpu *cpu;
    struct ky_summed bodies;
    double *external;           /* [n] m φ of external fields, or NULL */
    double (*largest)[KY_SUMS]; /* [threads] */
    ky_whole (*sum)[KY_SUMS];   /* [threads] */
    double scale[KY_SUMS];
};

/* Computes the energies of the bodies in external fields. In the columns positions and masses are
 * in the engine's units, everything else in the caller's. */
static enum ky_status find_external(struct sums *sums, struct ky_error *error)
{
    const struct ky_cpu *cpu = sums->cpu;
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t all = ky_cpu_externals(cpu, field),
                 fields = ky_externals_plain_count(&cpu->base.externals);
    double *many = NULL;
    if (!all)
        return KY_OK;
    sums->bodies.external = sums->external = ky_allocate(cpu->n, sizeof *sums->external);
    if (!sums->external)
        return ky_no_memory(error, "energies in fields", cpu->n, sizeof *sums->external);
    const enum ky_status status = ky_cpu_many_potentials(cpu, &many, error);
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < (status ? 0 : cpu->n); i++) {
        const double x[3] = {cpu->x[0][i], cpu->x[1][i], cpu->x[2][i]},
                     potential = ky_externals_at(field, fields, x, NULL).potential;
        sums->external[i] = cpu->mass[i] * (many ? potential + many[i] / cpu->length : potential);
    }
    free(many);
    return status;
}

/* The first body of a thread's share. */
static size_t part_start(const struct ky_cpu *cpu, int part)
{
    return ky_share_start(cpu->n, (size_t)cpu->team, (size_t)part);
}

/* The largest term of each sum, over all engines. */
static enum ky_status find_largest(const struct sums *sums, double largest[KY_SUMS],
                                   struct ky_error *error)
{
    const struct ky_cpu *cpu = sums->cpu;
#pragma omp parallel for num_threads(cpu->team)
    for (int part = 0; part < cpu->team; part++)
        cpu->lanes->largest(&sums->bodies, part_start(cpu, part), part_start(cpu, part + 1),
                            sums->largest[part]);
    memset(largest, 0, KY_SUMS * sizeof *largest);
    for (int part = 0; part < cpu->team; part++)
        ky_sums_keep_largest(largest, sums->largest[part]);
    if (!ky_cpu_is_divided(cpu))
        return KY_OK;
    const struct ky_shared *shared = cpu->base.shared;
    double(*all)[KY_SUMS] = ky_allocate(shared->ranks, sizeof *all);
    const enum ky_status status =
        all ? ky_shared_gather(shared, largest, sizeof *all, all, error)
            : ky_no_memory(error, "sums of other ranks", shared->ranks, sizeof *all);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        ky_sums_keep_largest(largest, all[r]);
    free(all);
    return status;
}

static ky_whole whole_of(const double part[KY_SUM_PARTS])
{
    ky_whole sum = 0;
    for (int p = 0; p < KY_SUM_PARTS; p++)
        sum = sum * ((ky_whole)1 << KY_SUM_BITS) +
              (int64_t)ldexp(part[p], (p + 1) * (int)KY_SUM_BITS);
    return sum;
}

/* The sums of all engines. */
static enum ky_status add_up(const struct sums *sums, ky_whole sum[KY_SUMS], struct ky_error *error)
{
    const struct ky_cpu *cpu = sums->cpu;
#pragma omp parallel for num_threads(cpu->team)
    for (int part = 0; part < cpu->team; part++) {
        const size_t end = part_start(cpu, part + 1);
        for (size_t first = part_start(cpu, part); first < end; first += KY_SUM_CHUNK) {
            double parts[KY_SUMS][KY_SUM_PARTS];
            cpu->lanes->sum(&sums->bodies, first,
                            end - first < KY_SUM_CHUNK ? end : first + KY_SUM_CHUNK, sums->scale,
                            parts);
            for (int k = 0; k < KY_SUMS; k++)
                sums->sum[part][k] += whole_of(parts[k]);
        }
    }
    for (int k = 0; k < KY_SUMS; k++) {
        sum[k] = 0;
        for (int part = 0; part < cpu->team; part++)
            sum[k] += sums->sum[part][k];
    }
    if (!ky_cpu_is_divided(cpu))
        return KY_OK;
    const struct ky_shared *shared = cpu->base.shared;
    ky_whole(*all)[KY_SUMS] = ky_allocate(shared->ranks, sizeof *all);
    const enum ky_status status =
        all ? ky_shared_gather(shared, sum, sizeof *all, all, error)
            : ky_no_memory(error, "sums of other ranks", shared->ranks, sizeof *all);
    for (int k = 0; k < KY_SUMS && !status; k++) {
        sum[k] = 0;
        for (size_t r = 0; r < shared->ranks; r++)
            sum[k] += all[r][k];
    }
    free(all);
    return status;
}

/* A sum with a term that is not finite is NaN. */
static enum ky_status find_sums(struct sums *sums, double to[KY_SUMS], struct ky_error *error)
{
    double largest[KY_SUMS];
    int exponent[KY_SUMS];
    ky_whole sum[KY_SUMS];
    KY_TRY(find_largest(sums, largest, error));
    for (int k = 0; k < KY_SUMS; k++)
        sums->scale[k] = ky_sum_exponent(largest[k], &exponent[k]) ? ldexp(1, -exponent[k]) : 0;
    KY_TRY(add_up(sums, sum, error));
    for (int k = 0; k < KY_SUMS; k++)
        to[k] = sums->scale[k] > 0 ? ky_sum_value(sum[k], exponent[k] - BITS) : (double)NAN;
    return KY_OK;
}

enum ky_status ky_cpu_sums(const struct ky_cpu *cpu, struct ky_raw_sums *raw,
                           struct ky_error *error)
{
    const size_t threads = (size_t)cpu->team;
    struct sums sums = {.cpu = cpu,
                        .bodies = {.mass = cpu->mass, .potential = cpu->potential},
                        .largest = ky_allocate(threads, sizeof *sums.largest),
                        .sum = ky_allocate_zeroed(threads, sizeof *sums.sum)};
    for (int c = 0; c < 3; c++) {
        sums.bodies.x[c] = cpu->x[c];
        sums.bodies.v[c] = cpu->v[c];
        sums.bodies.a[c] = cpu->a[c];
    }
    raw->units = (struct ky_sum_units){cpu->mass_unit, cpu->length, 1, 1, 1, cpu->length};
    enum ky_status status = sums.largest && sums.sum
                                ? find_external(&sums, error)
                                : ky_no_memory(error, "sums", threads, sizeof *sums.sum);
    if (!status)
        status = find_sums(&sums, raw->of, error);
    free(sums.external);
    free(sums.largest);
    free(sums.sum);
    return status;
}

/* ---- the sum of one term ---- */

/* Parts of the bodies that threads take; the bits of the largest term. */
enum { PARTS = 64, TERM_BITS = 62 };

/* The larger of two numbers; NaN if one is. */
static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

/* The largest term, and the sum of all terms in a unit. */
struct looked {
    double most;
    ky_whole sum;
};

static struct looked look_at_terms(const struct ky_cpu *cpu, ky_cpu_term *term, double per_unit)
{
    const size_t n = ky_cpu_has_massless(cpu) ? cpu->massless.sources : cpu->n;
    struct looked part[PARTS] = {{0, 0}}, all = {0, 0};
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < PARTS; k++)
        for (size_t j = n * k / PARTS; j < n * (k + 1) / PARTS; j++) {
            const double its = term(cpu, ky_cpu_by_mass(cpu, j));
            part[k].most = larger(its, part[k].most);
            part[k].sum += (ky_whole)llrint(its * per_unit);
        }
    for (size_t k = 0; k < PARTS; k++) {
        all.most = larger(part[k].most, all.most);
        all.sum += part[k].sum;
    }
    return all;
}

/* The same over all engines. */
static enum ky_status look_everywhere(const struct ky_cpu *cpu, ky_cpu_term *term, double per_unit,
                                      struct looked *all, struct ky_error *error)
{
    const struct looked own = *all = look_at_terms(cpu, term, per_unit);
    if (!ky_cpu_is_divided(cpu))
        return KY_OK;
    const struct ky_shared *shared = cpu->base.shared;
    struct looked *each = ky_allocate(shared->ranks, sizeof *each);
    const enum ky_status status =
        each ? ky_shared_gather(shared, &own, sizeof own, each, error)
             : ky_no_memory(error, "sums of other ranks", shared->ranks, sizeof *each);
    *all = (struct looked){0, 0};
    for (size_t r = 0; r < shared->ranks && !status; r++) {
        all->most = larger(each[r].most, all->most);
        all->sum += each[r].sum;
    }
    free(each);
    return status;
}

enum ky_status ky_cpu_total(const struct ky_cpu *cpu, ky_cpu_term *term, double *total,
                            struct ky_error *error)
{
    struct looked looked;
    int exponent;
    KY_TRY(look_everywhere(cpu, term, 0, &looked, error));
    const int is_finite = ky_sum_exponent(looked.most, &exponent);
    KY_TRY(
        look_everywhere(cpu, term, is_finite ? ldexp(1, TERM_BITS - exponent) : 0, &looked, error));
    *total = is_finite ? ky_sum_value(looked.sum, exponent - TERM_BITS) : (double)NAN;
    return KY_OK;
}
