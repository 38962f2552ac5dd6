/* Sums over all bodies that are the same for any number of ranks: each term becomes a whole number
 * of a unit that follows from the largest term of the system, and whole numbers have the same sum
 * in any order. The unit is 2⁻⁸⁴ of the largest term, far below the rounding of a sum in double. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "domain/domain.h"

/* A whole number of 128 bits, as it travels. */
__extension__ typedef __int128 whole;

enum { HALF = 42 }; /* bits of a part of a term */

/* What one body adds to the sums, in the caller's units. */
static void terms_of(const struct ky_bodies *bodies, size_t i, double term[KY_SUMS])
{
    const double m = bodies->mass[i], *x = bodies->position[i], *v = bodies->velocity[i],
                 *a = bodies->acceleration[i];
    term[KY_SUM_MASS] = m;
    term[KY_SUM_KINETIC] = 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    term[KY_SUM_POTENTIAL] = 0.5 * m * bodies->potential[i];
    term[KY_SUM_VIRIAL] = m * (x[0] * a[0] + x[1] * a[1] + x[2] * a[2]);
    term[KY_SUM_EXTERNAL] = 0;
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        term[KY_SUM_CENTRE + c] = m * x[c];
        term[KY_SUM_MOMENTUM + c] = m * v[c];
        term[KY_SUM_ANGULAR + c] = m * (x[d] * v[e] - x[e] * v[d]);
        term[KY_SUM_FORCE + c] = m * a[c];
    }
}

/* The largest size of a term of each sum, among all ranks. */
static enum ky_status find_largest(const struct ky_domain *domain, const struct ky_bodies *bodies,
                                   double most[KY_SUMS], struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    double own[KY_SUMS] = {0}, term[KY_SUMS];
    double(*all)[KY_SUMS] = ky_allocate((size_t)comm->size, sizeof *all);
    if (!all)
        return ky_no_memory(error, "sums of the ranks", (size_t)comm->size, sizeof *all);
    for (size_t i = 0; i < bodies->n; i++) {
        terms_of(bodies, i, term);
        for (int k = 0; k < KY_SUMS; k++)
            own[k] = fmax(own[k], fabs(term[k]));
    }
    enum ky_status status = comm->verbs->gather(comm, own, sizeof own, all, error);
    for (int k = 0; k < KY_SUMS && !status; k++) {
        most[k] = 0;
        for (int r = 0; r < comm->size; r++)
            most[k] = fmax(most[k], all[r][k]);
    }
    free(all);
    return status;
}

/* Adds the terms in units of 2^(exponent − 2 HALF): |term| < 2^exponent. */
static void add_terms(const struct ky_bodies *bodies, const int exponent[KY_SUMS],
                      whole sum[KY_SUMS])
{
    double term[KY_SUMS], scale[KY_SUMS];
    for (int k = 0; k < KY_SUMS; k++) {
        sum[k] = 0;
        scale[k] = ldexp(1.0, HALF - exponent[k]);
    }
    for (size_t i = 0; i < bodies->n; i++) {
        terms_of(bodies, i, term);
        for (int k = 0; k < KY_SUMS; k++) {
            const double scaled = term[k] * scale[k];
            const int64_t high = (int64_t)scaled, low = (int64_t)((scaled - (double)high) * 0x1p42);
            sum[k] += ((whole)high << HALF) + low;
        }
    }
}

static double real_of(whole sum, int exponent)
{
    const int sign = sum < 0 ? -1 : 1;
    const whole size = sum < 0 ? -sum : sum;
    return sign * (ldexp((double)(uint64_t)(size >> 64), 64 + exponent - 2 * HALF) +
                   ldexp((double)(uint64_t)size, exponent - 2 * HALF));
}

enum ky_status ky_domain_sums(struct ky_domain *domain, double sum[KY_SUMS], struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    struct ky_bodies bodies;
    double most[KY_SUMS];
    int exponent[KY_SUMS];
    whole own[KY_SUMS], (*all)[KY_SUMS] = ky_allocate((size_t)comm->size, sizeof *all);
    enum ky_status status = ky_rows_allocate(&bodies, domain->engine->n, KY_WITH_ALL_ROWS, error);
    if (!status && !all)
        status = ky_no_memory(error, "sums of the ranks", (size_t)comm->size, sizeof *all);
    if (!status)
        status = ky_engine_get(domain->engine, &bodies, error);
    if (!status)
        status = find_largest(domain, &bodies, most, error);
    for (int k = 0; k < KY_SUMS && !status; k++) {
        exponent[k] = 0;
        if (!isfinite(most[k]))
            status = ky_fail(error, KY_BAD_DATA,
                             "sums over the bodies are beyond the largest number; other units are "
                             "needed");
        frexp(most[k], &exponent[k]);
        exponent[k] = exponent[k] < -900 ? -900 : exponent[k];
    }
    if (!status) {
        add_terms(&bodies, exponent, own);
        status = comm->verbs->gather(comm, own, sizeof own, all, error);
    }
    for (int k = 0; k < KY_SUMS && !status; k++) {
        whole total = 0;
        for (int r = 0; r < comm->size; r++)
            total += all[r][k];
        sum[k] = real_of(total, exponent[k]);
    }
    ky_rows_free(&bodies);
    free(all);
    return status;
}
