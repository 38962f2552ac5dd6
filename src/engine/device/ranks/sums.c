/* Sums over the bodies of all ranks that do not depend on the number of ranks: each term becomes an
 * integer in a unit that depends on the largest term of the system, and integers have the same sum
 * in any order. The unit is 2⁻⁸⁴ of the power of two above the largest term, far below the rounding
 * error of a sum in double. A card with double computes the sums itself, unless there are external
 * fields; otherwise the host does, with batches of bodies. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/device/ranks/places.h"
#include "engine/device/state/external.h"
#include "physics/sum_terms.h"

/* A 128-bit integer for messages. */
__extension__ typedef __int128 whole;

enum { HALF = 42 /* bits of a half of a term */, NOT_FINITE = INT_MAX, CHUNK = 1 << 18 };

struct summing {
    struct ky_device_state *state;
    struct ky_bodies rows;     /* a batch of bodies */
    uint32_t *place;           /* [CHUNK] */
    struct ky_externals plain; /* the fields without the caller's function for many points */
    double *potential;         /* of the function at all bodies of the rank; NULL: there is none */
    int by_card;
    double most[KY_SUMS];  /* the largest absolute value of a term; NaN if a term is not finite */
    double scale[KY_SUMS]; /* 0: some term is not finite */
    whole sum[KY_SUMS];
};

/* The terms of body k of the rows, which is the rank's body i, in the caller's units. */
static void terms_of(const struct summing *s, size_t k, size_t i, double term[KY_SUMS])
{
    const struct ky_bodies *rows = &s->rows;
    const double *x = rows->position[k];
    memset(term, 0, KY_SUMS * sizeof *term);
    ky_sum_body(term, rows->mass[k], x, rows->velocity[k], rows->acceleration[k],
                rows->potential[k]);
    ky_externals_add(&s->plain, x, NULL, &term[KY_SUM_EXTERNAL]);
    term[KY_SUM_EXTERNAL] += s->potential ? s->potential[i] : 0;
    term[KY_SUM_EXTERNAL] *= rows->mass[k];
}

static void keep_largest(struct summing *s, const double term[KY_SUMS])
{
    for (int k = 0; k < KY_SUMS; k++) {
        const double size = fabs(term[k]);
        s->most[k] = size > s->most[k] || isnan(size) ? size : s->most[k]; /* NaN stays NaN */
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

/* ---- by the card ---- */

static size_t chunks_of(const struct summing *s)
{
    return ky_groups(s->state->bodies.live, KY_SUM_CHUNK);
}

/* The columns that the kernels read. */
#define COLUMNS(bodies)                                                                            \
    KY_BUFFER((bodies)->mass), KY_BUFFER((bodies)->position), KY_BUFFER((bodies)->velocity),       \
        KY_BUFFER((bodies)->acceleration), KY_BUFFER((bodies)->potential)

static enum ky_status find_largest_there(struct summing *s, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &s->state->bodies;
    struct ky_card *card = bodies->card;
    const size_t chunks = chunks_of(s), bytes = chunks * KY_SUMS_KEPT * sizeof(double);
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live;
    double(*part)[KY_SUMS_KEPT] = ky_allocate(chunks, sizeof *part), all[KY_SUMS] = {0};
    enum ky_status status = part ? ky_ranks_need(card, &bodies->sums, "largest terms", bytes, error)
                                 : ky_no_memory(error, "largest terms", chunks, sizeof *part);
    if (!status)
        status = ky_launch(
            card, KY_KERNEL_ky_ranks_largest, chunks,
            KY_ARGUMENTS(COLUMNS(bodies), KY_BUFFER(bodies->sums), KY_VALUE(n), KY_VALUE(live)),
            error);
    if (!status && chunks > 0)
        status = card->driver->read(card, &bodies->sums, 0, part, bytes, error);
    for (size_t c = 0; c < chunks && !status; c++) {
        memcpy(all, part[c], sizeof *part);
        keep_largest(s, all);
    }
    free(part);
    return status;
}

static enum ky_status add_there(struct summing *s, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &s->state->bodies;
    struct ky_card *card = bodies->card;
    const size_t chunks = chunks_of(s), bytes = chunks * 2 * KY_SUMS_KEPT * sizeof(int64_t);
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live;
    struct ky_buffer scale = {0};
    int64_t(*part)[KY_SUMS_KEPT][2] = ky_allocate(chunks, sizeof *part);
    enum ky_status status = part ? ky_ranks_need(card, &bodies->sums, "partial sums", bytes, error)
                                 : ky_no_memory(error, "partial sums", chunks, sizeof *part);
    if (!status)
        status = ky_buffer_fill(card, &scale, "scales of sums", s->scale, KY_SUMS_KEPT,
                                sizeof *s->scale, error);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_ranks_whole, chunks,
                           KY_ARGUMENTS(COLUMNS(bodies), KY_BUFFER(scale), KY_BUFFER(bodies->sums),
                                        KY_VALUE(n), KY_VALUE(live)),
                           error);
    if (!status && chunks > 0)
        status = card->driver->read(card, &bodies->sums, 0, part, bytes, error);
    for (size_t c = 0; c < chunks && !status; c++)
        for (int k = 0; k < KY_SUMS_KEPT; k++)
            s->sum[k] += (whole)part[c][k][0] * ((whole)1 << HALF) + part[c][k][1];
    ky_buffer_release(card, &scale);
    free(part);
    return status;
}

/* ---- by the host ---- */

/* Passes the terms of all bodies to `take`. */
static enum ky_status take_all(struct summing *s,
                               void (*take)(struct summing *s, const double term[KY_SUMS]),
                               struct ky_error *error)
{
    const size_t n = s->state->bodies.live;
    for (size_t first = 0; first < n; first += CHUNK) {
        double term[KY_SUMS];
        s->rows.n = n - first < CHUNK ? n - first : CHUNK;
        for (size_t k = 0; k < s->rows.n; k++)
            s->place[k] = (uint32_t)(first + k);
        KY_TRY(ky_device_bodies_get_some(s->state, s->place, &s->rows, error));
        for (size_t k = 0; k < s->rows.n; k++) {
            terms_of(s, k, first + k, term);
            take(s, term);
        }
    }
    return KY_OK;
}

static double real_of(whole sum, int exponent)
{
    const whole size = sum < 0 ? -sum : sum;
    return (sum < 0 ? -1 : 1) * (ldexp((double)(uint64_t)(size >> 64), 64 + exponent - 2 * HALF) +
                                 ldexp((double)(uint64_t)size, exponent - 2 * HALF));
}

/* Each sum has its own unit: |term| < 2^exponent for all terms of all ranks; NOT_FINITE if a term
 * is not finite. */
static enum ky_status find_exponents(struct summing *s, int exponent[KY_SUMS],
                                     struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(s->state);
    double(*all)[KY_SUMS] = ky_allocate(shared->ranks, sizeof *all);
    enum ky_status status =
        all ? s->by_card ? find_largest_there(s, error) : take_all(s, keep_largest, error)
            : ky_no_memory(error, "sums of the ranks", shared->ranks, sizeof *all);
    if (!status)
        status = ky_ranks_gather(shared, s->most, sizeof s->most, all, error);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        keep_largest(s, all[r]);
    for (int k = 0; k < KY_SUMS && !status; k++) {
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
    if (!status)
        status = s->by_card ? add_there(s, error) : take_all(s, add_whole, error);
    if (!status)
        status = ky_ranks_gather(shared, s->sum, sizeof s->sum, all, error);
    for (int k = 0; k < KY_SUMS && !status; k++) {
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
    const struct ky_engine_scale scale = ky_device_scale(state);
    const double length = state->units.length;
    struct summing s = {.state = state,
                        .plain = *state->externals,
                        .by_card = state->bodies.card->has_double && !state->externals->count};
    s.plain.count = ky_externals_plain_count(state->externals);
    enum ky_status status =
        s.by_card
            ? KY_OK
            : ky_bodies_allocate(&s.rows, CHUNK, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    s.place = s.by_card ? NULL : ky_allocate(CHUNK, sizeof *s.place);
    if (!status && !s.by_card && !s.place)
        status = ky_no_memory(error, "sums", CHUNK, sizeof *s.place);
    parts->units = s.by_card
                       ? (struct ky_sum_units){state->units.mass,  length,          length,
                                               scale.acceleration, scale.potential, scale.potential}
                       : (struct ky_sum_units){1, 1, 1, 1, 1, 1};
    parts->of = status ? NULL : ky_allocate(1, sizeof *parts->of);
    if (!status && !parts->of)
        status = ky_no_memory(error, "sums", 1, sizeof *parts->of);
    if (!status)
        status = ky_device_many_potentials(&state->bodies, &s.potential, error);
    if (!status)
        status = find_sums(&s, parts->of[0], error);
    parts->count = !status;
    ky_bodies_free(&s.rows);
    free(s.potential);
    free(s.place);
    return status;
}
