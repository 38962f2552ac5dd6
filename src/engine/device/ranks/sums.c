/* Sums over the bodies of all ranks that do not depend on their number: each term becomes a whole
 * number of a unit that follows from the largest term of the system, and whole numbers have the
 * same sum in any order. The unit is 2⁻⁸⁴ of the power of two above the largest term, far below the
 * rounding of a sum in double. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/common/external.h"
#include "engine/device/ranks/places.h"
#include "physics/sum_terms.h"

/* A whole number of 128 bits, as it travels. */
__extension__ typedef __int128 whole;

enum { HALF = 42 /* bits of a part of a term */, NOT_FINITE = INT_MAX, CHUNK = 1 << 18 };

struct summing {
    struct ky_device_state *state;
    struct ky_bodies rows; /* of some bodies */
    uint32_t *place;       /* [CHUNK] */
    double most[KY_SUMS];  /* the largest size of a term; NaN where one is not finite */
    double scale[KY_SUMS]; /* 0: a term is not finite */
    whole sum[KY_SUMS];
};

/* What body k of the rows adds to the sums, in the caller's units. */
static void terms_of(const struct summing *s, size_t k, double term[KY_SUMS])
{
    const struct ky_bodies *rows = &s->rows;
    const double *x = rows->position[k];
    memset(term, 0, KY_SUMS * sizeof *term);
    ky_sum_body(term, rows->mass[k], x, rows->velocity[k], rows->acceleration[k],
                rows->potential[k]);
    ky_externals_add(s->state->externals, x, NULL, &term[KY_SUM_EXTERNAL]);
    term[KY_SUM_EXTERNAL] *= rows->mass[k];
}

static void keep_largest(struct summing *s, const double term[KY_SUMS])
{
    for (int k = 0; k < KY_SUMS; k++) {
        const double size = fabs(term[k]);
        s->most[k] = size > s->most[k] || isnan(size) ? size : s->most[k]; /* it stays NaN */
    }
}

/* Adds terms in units of 2⁻⁴²/scale, two halves of 42 bits each. */
static void add_whole(struct summing *s, const double term[KY_SUMS])
{
    for (int k = 0; k < KY_SUMS; k++) {
        const double scaled = term[k] * s->scale[k];
        if (s->scale[k] == 0)
            continue;
        const int64_t high = (int64_t)scaled, low = (int64_t)((scaled - (double)high) * 0x1p42);
        s->sum[k] += (whole)high * ((whole)1 << HALF) + low;
    }
}

/* Hands the terms of all bodies to `take`. */
static enum ky_status take_all(struct summing *s,
                               void (*take)(struct summing *s, const double term[KY_SUMS]),
                               struct ky_error *error)
{
    const size_t n = s->state->part[0].live;
    enum ky_status status = KY_OK;
    for (size_t first = 0; first < n && status == KY_OK; first += CHUNK) {
        double term[KY_SUMS];
        s->rows.n = n - first < CHUNK ? n - first : CHUNK;
        for (size_t k = 0; k < s->rows.n; k++)
            s->place[k] = (uint32_t)(first + k);
        status = ky_device_bodies_get_some(s->state, s->place, &s->rows, error);
        for (size_t k = 0; k < s->rows.n && status == KY_OK; k++) {
            terms_of(s, k, term);
            take(s, term);
        }
    }
    return status;
}

static double real_of(whole sum, int exponent)
{
    const whole size = sum < 0 ? -sum : sum;
    return (sum < 0 ? -1 : 1) * (ldexp((double)(uint64_t)(size >> 64), 64 + exponent - 2 * HALF) +
                                 ldexp((double)(uint64_t)size, exponent - 2 * HALF));
}

/* Every sum has its own unit: |term| < 2^exponent, for all terms of all ranks; NOT_FINITE where one
 * of them is not. */
static enum ky_status find_exponents(struct summing *s, int exponent[KY_SUMS],
                                     struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(s->state);
    double(*all)[KY_SUMS] = ky_allocate(shared->ranks, sizeof *all);
    enum ky_status status =
        all ? take_all(s, keep_largest, error)
            : ky_no_memory(error, "sums of the ranks", shared->ranks, sizeof *all);
    if (status == KY_OK)
        status = ky_ranks_gather(shared, s->most, sizeof s->most, all, error);
    for (size_t r = 0; r < shared->ranks && status == KY_OK; r++)
        keep_largest(s, all[r]);
    for (int k = 0; k < KY_SUMS && status == KY_OK; k++) {
        frexp(s->most[k], &exponent[k]);
        exponent[k] = s->most[k] > 0 && exponent[k] > -900 ? exponent[k] : -900;
        if (!isfinite(s->most[k]))
            exponent[k] = NOT_FINITE;
        s->scale[k] = exponent[k] == NOT_FINITE ? 0 : ldexp(1.0, HALF - exponent[k]);
    }
    free(all);
    return status;
}

static enum ky_status find_sums(struct summing *s, double sum[KY_SUMS], struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(s->state);
    int exponent[KY_SUMS];
    whole(*all)[KY_SUMS] = ky_allocate(shared->ranks, sizeof *all);
    enum ky_status status =
        all ? find_exponents(s, exponent, error)
            : ky_no_memory(error, "sums of the ranks", shared->ranks, sizeof *all);
    if (status == KY_OK)
        status = take_all(s, add_whole, error);
    if (status == KY_OK)
        status = ky_ranks_gather(shared, s->sum, sizeof s->sum, all, error);
    for (int k = 0; k < KY_SUMS && status == KY_OK; k++) {
        whole total = 0;
        for (size_t r = 0; r < shared->ranks; r++)
            total += all[r][k];
        sum[k] = exponent[k] == NOT_FINITE ? (double)NAN : real_of(total, exponent[k]);
    }
    free(all);
    return status;
}

enum ky_status ky_places_sums(struct ky_device_state *state, struct ky_partial_sums *parts,
                              struct ky_error *error)
{
    struct summing s = {.state = state, .place = ky_allocate(CHUNK, sizeof *s.place)};
    enum ky_status status = s.place ? ky_places_rows(&s.rows, CHUNK, error)
                                    : ky_no_memory(error, "sums", CHUNK, sizeof *s.place);
    parts->units = (struct ky_sum_units){1, 1, 1, 1, 1, 1};
    parts->of = status ? NULL : ky_allocate(1, sizeof *parts->of);
    if (status == KY_OK && !parts->of)
        status = ky_no_memory(error, "sums", 1, sizeof *parts->of);
    if (status == KY_OK)
        status = find_sums(&s, parts->of[0], error);
    parts->count = status == KY_OK;
    ky_places_rows_free(&s.rows);
    free(s.place);
    return status;
}
