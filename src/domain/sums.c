/* Sums over all bodies that are the same for any number of ranks: each term becomes a whole number
 * of a unit that follows from the largest term of the system, and whole numbers have the same sum
 * in any order. The unit is 2⁻⁸⁴ of the power of two above the largest term, far below the rounding
 * of a sum in double. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/domain.h"
#include "engine/common/external.h"

/* A whole number of 128 bits, as it travels. */
__extension__ typedef __int128 whole;

enum { HALF = 42 /* bits of a part of a term */, NOT_FINITE = INT_MAX };

/* What one body adds to the sums, in the caller's units. */
static void terms_of(const struct ky_externals *fields, const struct ky_bodies *bodies, size_t i,
                     double term[KY_SUMS])
{
    const double m = bodies->mass[i], *x = bodies->position[i], *v = bodies->velocity[i],
                 *a = bodies->acceleration[i];
    term[KY_SUM_MASS] = m;
    term[KY_SUM_KINETIC] = 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    term[KY_SUM_POTENTIAL] = 0.5 * m * bodies->potential[i];
    term[KY_SUM_VIRIAL] = m * (x[0] * a[0] + x[1] * a[1] + x[2] * a[2]);
    term[KY_SUM_EXTERNAL] = 0;
    ky_externals_add(fields, x, NULL, &term[KY_SUM_EXTERNAL]);
    term[KY_SUM_EXTERNAL] *= m;
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        term[KY_SUM_CENTRE + c] = m * x[c];
        term[KY_SUM_MOMENTUM + c] = m * v[c];
        term[KY_SUM_ANGULAR + c] = m * (x[d] * v[e] - x[e] * v[d]);
        term[KY_SUM_FORCE + c] = m * a[c];
    }
}

/* Where the terms of the bodies go: each thread has sums of its own. */
struct adding {
    struct ky_domain *domain;
    void (*add)(void *to, const double term[KY_SUMS]);
    char *to; /* [threads][size] */
    size_t size;
};

/* A ky_domain_work: hands the terms of some bodies to `add`. */
static enum ky_status add_some(void *context, int part, size_t first, size_t end,
                               struct ky_error *error)
{
    const struct adding *adding = context;
    void *to = adding->to + (size_t)part * adding->size;
    struct ky_bodies chunk;
    enum ky_status status = ky_rows_allocate(&chunk, KY_DOMAIN_CHUNK, KY_WITH_ALL_ROWS, error);
    for (; first < end && !status; first += KY_DOMAIN_CHUNK) {
        double term[KY_SUMS];
        chunk.n = end - first < KY_DOMAIN_CHUNK ? end - first : KY_DOMAIN_CHUNK;
        status = ky_domain_read(adding->domain, first, &chunk, error);
        for (size_t i = 0; i < chunk.n && !status; i++) {
            terms_of(&adding->domain->engine->externals, &chunk, i, term);
            adding->add(to, term);
        }
    }
    ky_rows_free(&chunk);
    return status;
}

static void keep_largest(void *to, const double term[KY_SUMS])
{
    double *most = to;
    for (int k = 0; k < KY_SUMS; k++) {
        const double size = fabs(term[k]);
        most[k] = size > most[k] || isnan(size) ? size : most[k]; /* it stays NaN */
    }
}

/* The largest size of a term of each sum, among all ranks. */
static enum ky_status find_largest(struct ky_domain *domain, double most[KY_SUMS],
                                   struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t threads = (size_t)domain->engine->threads;
    double own[KY_SUMS] = {0}, (*all)[KY_SUMS] = ky_allocate((size_t)comm->size, sizeof *all),
           (*each)[KY_SUMS] = ky_allocate_zeroed(threads, sizeof *each);
    struct adding adding = {domain, keep_largest, (char *)each, sizeof *each};
    enum ky_status status =
        all && each ? ky_domain_each(domain, add_some, &adding, error)
                    : ky_no_memory(error, "sums of the ranks", (size_t)comm->size, sizeof *all);
    for (size_t k = 0; k < threads && !status; k++)
        keep_largest(own, each[k]);
    free(each);
    if (!status)
        status = comm->verbs->gather(comm, own, sizeof own, all, error);
    memset(most, 0, KY_SUMS * sizeof *most);
    for (int r = 0; r < comm->size && !status; r++)
        keep_largest(most, all[r]);
    free(all);
    return status;
}

struct whole_sums {
    double scale[KY_SUMS];
    whole sum[KY_SUMS];
};

/* Adds terms in units of 2⁻⁴²/scale, two halves of 42 bits each. */
static void add_whole(void *to, const double term[KY_SUMS])
{
    struct whole_sums *sums = to;
    for (int k = 0; k < KY_SUMS; k++) {
        if (sums->scale[k] == 0)
            continue;
        const double scaled = term[k] * sums->scale[k];
        const int64_t high = (int64_t)scaled, low = (int64_t)((scaled - (double)high) * 0x1p42);
        sums->sum[k] += (whole)high * ((whole)1 << HALF) + low;
    }
}

static double real_of(whole sum, int exponent)
{
    const whole size = sum < 0 ? -sum : sum;
    return (sum < 0 ? -1 : 1) * (ldexp((double)(uint64_t)(size >> 64), 64 + exponent - 2 * HALF) +
                                 ldexp((double)(uint64_t)size, exponent - 2 * HALF));
}

/* Every sum has its own unit: |term| < 2^exponent, for all terms of all ranks; NOT_FINITE where one
 * of them is not. */
static enum ky_status find_exponents(struct ky_domain *domain, int exponent[KY_SUMS],
                                     struct ky_error *error)
{
    double most[KY_SUMS];
    enum ky_status status = find_largest(domain, most, error);
    for (int k = 0; k < KY_SUMS && !status; k++) {
        frexp(most[k], &exponent[k]);
        exponent[k] = most[k] > 0 && exponent[k] > -900 ? exponent[k] : -900;
        if (!isfinite(most[k]))
            exponent[k] = NOT_FINITE;
    }
    return status;
}

enum ky_status ky_domain_sums(struct ky_domain *domain, double sum[KY_SUMS], struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    int exponent[KY_SUMS] = {0};
    const size_t threads = (size_t)domain->engine->threads;
    struct whole_sums *own = ky_allocate_zeroed(threads, sizeof *own);
    struct adding adding = {domain, add_whole, (char *)own, sizeof *own};
    whole(*all)[KY_SUMS] = ky_allocate((size_t)comm->size, sizeof *all);
    enum ky_status status =
        all && own ? find_exponents(domain, exponent, error)
                   : ky_no_memory(error, "sums of the ranks", (size_t)comm->size, sizeof *all);
    for (size_t t = 0; t < threads && !status; t++)
        for (int k = 0; k < KY_SUMS; k++)
            own[t].scale[k] = exponent[k] == NOT_FINITE ? 0 : ldexp(1.0, HALF - exponent[k]);
    if (!status)
        status = ky_domain_each(domain, add_some, &adding, error);
    for (size_t t = 1; t < threads && !status; t++)
        for (int k = 0; k < KY_SUMS; k++)
            own[0].sum[k] += own[t].sum[k];
    if (!status)
        status = comm->verbs->gather(comm, own[0].sum, sizeof own[0].sum, all, error);
    free(own);
    for (int k = 0; k < KY_SUMS && !status; k++) {
        whole total = 0;
        for (int r = 0; r < comm->size; r++)
            total += all[r][k];
        sum[k] = exponent[k] == NOT_FINITE ? (double)NAN : real_of(total, exponent[k]);
    }
    free(all);
    return status;
}
