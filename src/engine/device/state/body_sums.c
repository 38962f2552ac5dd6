/* Sums over the bodies that depend neither on their order nor on the number of ranks: see
 * common/integer_sums.h. The unit is 2⁻⁸⁴ of the power of two above the largest term. A card with
 * double computes the sums itself; otherwise the host computes them from the columns of some bodies
 * at a time. */
#include "engine/device/state/body_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/integer_sums.h"
#include "engine/device/state/external.h"
#include "physics/sum_terms.h"

enum { HALF = 42 /* bits of a part of a term */, CHUNK = 1 << 18 };

struct summing {
    struct ky_device_state *state;
    struct ky_bodies rows;     /* of some bodies */
    uint32_t *place;           /* [CHUNK] */
    struct ky_externals plain; /* the fields without the caller's function for many places */
    double *potential;         /* potential by this function at all bodies of the rank; NULL: no
                                  function */
    int by_card;
    double most[KY_SUMS];  /* the largest size of a term; NaN if one is not finite */
    double scale[KY_SUMS]; /* 0: a term is not finite */
    ky_whole sum[KY_SUMS];
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
    double size[KY_SUMS];
    for (int k = 0; k < KY_SUMS; k++)
        size[k] = fabs(term[k]);
    ky_sums_keep_largest(s->most, size);
}

/* Adds terms in units of 2⁻⁴²/scale, two halves of 42 bits each. */
static void add_whole(struct summing *s, const double term[KY_SUMS])
{
    for (int k = 0; k < KY_SUMS; k++) {
        const double scaled = term[k] * s->scale[k];
        if (s->scale[k] == 0)
            continue;
        const int64_t high = (int64_t)scaled, low = (int64_t)((scaled - (double)high) * 0x1p42);
        s->sum[k] += (ky_whole)high * ((ky_whole)1 << HALF) + low;
    }
}

/* ---- by the card ---- */

static size_t chunks_of(const struct summing *s)
{
    return ky_groups(s->state->bodies.live, KY_SUM_CHUNK);
}

/* The columns that the kernels read, the last one only where there are fields. */
#define COLUMNS(bodies)                                                                            \
    KY_BUFFER((bodies)->mass), KY_BUFFER((bodies)->position), KY_BUFFER((bodies)->velocity),       \
        KY_BUFFER((bodies)->acceleration), KY_BUFFER((bodies)->potential),                         \
        KY_BUFFER(*((bodies)->state->externals->count ? &(bodies)->external.potential              \
                                                      : &(bodies)->potential))

static enum ky_status find_largest_there(struct summing *s, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &s->state->bodies;
    struct ky_card *card = bodies->card;
    const size_t chunks = chunks_of(s), bytes = chunks * KY_SUMS * sizeof(double);
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
             fields = s->state->externals->count > 0;
    double(*part)[KY_SUMS] = ky_allocate(chunks, sizeof *part);
    enum ky_status status =
        part ? ky_buffer_need(card, &bodies->sums, "largest terms", bytes, 1, error)
             : ky_no_memory(error, "largest terms", chunks, sizeof *part);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_sums_largest, chunks,
                           KY_ARGUMENTS(COLUMNS(bodies), KY_BUFFER(bodies->sums), KY_VALUE(n),
                                        KY_VALUE(live), KY_VALUE(fields)),
                           error);
    if (!status && chunks > 0)
        status = card->driver->read(card, &bodies->sums, 0, part, bytes, error);
    for (size_t c = 0; c < chunks && !status; c++)
        ky_sums_keep_largest(s->most, part[c]);
    free(part);
    return status;
}

static enum ky_status add_there(struct summing *s, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &s->state->bodies;
    struct ky_card *card = bodies->card;
    const size_t chunks = chunks_of(s), bytes = chunks * 2 * KY_SUMS * sizeof(int64_t);
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
             fields = s->state->externals->count > 0;
    int64_t(*part)[KY_SUMS][2] = ky_allocate(chunks, sizeof *part);
    enum ky_status status =
        part ? ky_buffer_need(card, &bodies->sums, "partial sums", bytes, 1, error)
             : ky_no_memory(error, "partial sums", chunks, sizeof *part);
    if (!status)
        status = ky_buffer_fill(card, &bodies->scales, "scales of sums", s->scale, KY_SUMS,
                                sizeof *s->scale, error);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_sums_whole, chunks,
                           KY_ARGUMENTS(COLUMNS(bodies), KY_BUFFER(bodies->scales),
                                        KY_BUFFER(bodies->sums), KY_VALUE(n), KY_VALUE(live),
                                        KY_VALUE(fields)),
                           error);
    if (!status && chunks > 0)
        status = card->driver->read(card, &bodies->sums, 0, part, bytes, error);
    for (size_t c = 0; c < chunks && !status; c++)
        for (int k = 0; k < KY_SUMS; k++)
            s->sum[k] += (ky_whole)part[c][k][0] * ((ky_whole)1 << HALF) + part[c][k][1];
    free(part);
    return status;
}

/* ---- by the host ---- */

/* Calls `take` for the terms of all bodies. */
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

/* Gathers `bytes` bytes of every rank in *all, to be freed; *ranks: their number, 1 if the bodies
 * are not divided. */
static enum ky_status gather(const struct ky_device_state *state, const void *own, size_t bytes,
                             void **all, size_t *ranks, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    *ranks = shared ? shared->ranks : 1;
    KY_TRY(ky_array(all, *ranks, bytes, "sums of the ranks", error));
    if (shared)
        return ky_shared_gather(shared, own, bytes, *all, error);
    memcpy(*all, own, bytes);
    return KY_OK;
}

/* The unit of each sum, from the terms of all ranks. */
static enum ky_status find_units(struct summing *s, int exponent[KY_SUMS], struct ky_error *error)
{
    void *all = NULL;
    size_t ranks = 0;
    enum ky_status status =
        s->by_card ? find_largest_there(s, error) : take_all(s, keep_largest, error);
    if (!status)
        status = gather(s->state, s->most, sizeof s->most, &all, &ranks, error);
    for (size_t r = 0; r < ranks && !status; r++)
        ky_sums_keep_largest(s->most, ((double(*)[KY_SUMS])all)[r]);
    for (int k = 0; k < KY_SUMS && !status; k++)
        s->scale[k] =
            ky_sum_exponent(s->most[k], &exponent[k]) ? ldexp(1.0, HALF - exponent[k]) : 0;
    free(all);
    return status;
}

static enum ky_status find_sums(struct summing *s, double sum[KY_SUMS], struct ky_error *error)
{
    int exponent[KY_SUMS];
    void *all = NULL;
    size_t ranks = 0;
    enum ky_status status = find_units(s, exponent, error);
    if (!status)
        status = s->by_card ? add_there(s, error) : take_all(s, add_whole, error);
    if (!status)
        status = gather(s->state, s->sum, sizeof s->sum, &all, &ranks, error);
    for (int k = 0; k < KY_SUMS && !status; k++) {
        ky_whole total = 0;
        for (size_t r = 0; r < ranks; r++)
            total += ((ky_whole(*)[KY_SUMS])all)[r][k];
        sum[k] = s->scale[k] > 0 ? ky_sum_value(total, exponent[k] - 2 * HALF) : (double)NAN;
    }
    free(all);
    return status;
}

/* Memory of the host for the bodies of its sums. */
static enum ky_status make_rows(struct summing *s, struct ky_error *error)
{
    s->plain = *s->state->externals;
    s->plain.count = ky_externals_plain_count(s->state->externals);
    KY_TRY(ky_bodies_allocate(&s->rows, CHUNK, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error));
    s->place = ky_allocate(CHUNK, sizeof *s->place);
    return s->place ? ky_device_many_potentials(&s->state->bodies, &s->potential, error)
                    : ky_no_memory(error, "sums", CHUNK, sizeof *s->place);
}

enum ky_status ky_device_sums(struct ky_device_state *state, struct ky_raw_sums *raw,
                              struct ky_error *error)
{
    const struct ky_engine_scale scale = ky_device_scale(state);
    const double length = state->units.length;
    struct summing s = {.state = state, .by_card = state->bodies.card->has_double};
    raw->units = s.by_card
                     ? (struct ky_sum_units){state->units.mass,  length,          length,
                                             scale.acceleration, scale.potential, scale.potential}
                     : (struct ky_sum_units){1, 1, 1, 1, 1, 1};
    enum ky_status status =
        s.by_card ? ky_device_externals_potential(&state->bodies, error) : make_rows(&s, error);
    if (!status)
        status = find_sums(&s, raw->of, error);
    ky_bodies_free(&s.rows);
    free(s.potential);
    free(s.place);
    return status;
}
