/* The memory of a card for the Hermite scheme: buffers, the numbers of a call, and for every number
 * of sinks the division of their sums among the groups of a launch. The kernel looks up the
 * division, since the host does not know the number of sinks. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/forces/board_division.h"
#include "engine/device/kernels/forces/division.h"
#include "engine/device/state/massless.h"
#include "engine/device/steps/hermite.h"
#include "physics/jerk.h"

/* ---- kernels ---- */

struct ky_eps2_argument ky_device_hermite_close2(const struct ky_device_state *state)
{
    const double close2 = state->parameters->precision == KY_DOUBLE
                              ? KY_JERK_CLOSE2_DOUBLE
                              : ky_moving_near2(ky_device_source_count(state));
    return (struct ky_eps2_argument){close2, (float)close2};
}

/* Chooses the guarded loop if a source may be near (within close2). */
enum ky_kernel_id ky_device_hermite_kernel(const struct ky_device_state *state)
{
#define OF_KIND(a, b, name, NAME, how)                                                             \
    {how, KY_IN_EITHER(ky_hermite_sum_##name, state->parameters->precision)},
    const struct {
        int how;
        enum ky_kernel_id kernel;
    } kernels[] = {KY_SOFTENED_AS_PLUMMER(OF_KIND, , )};
    const int is_near = ky_eps2_argument(state).whole < ky_device_hermite_close2(state).whole;
    const int how = state->how | (state->own_eps ? KY_EPS_SUM : 0) | (is_near ? KY_GUARD : 0);
    size_t row = 0;
    while ((kernels[row].how & how) != how)
        row++;
    return kernels[row].kernel;
}

/* ---- division ---- */

/* The most sinks of the k-th division. */
static size_t most_sinks(size_t k)
{
    const size_t shift = k < 2 * KY_DIVISION_STEP ? 0 : k / KY_DIVISION_STEP - 1;
    return ((k - shift * KY_DIVISION_STEP + 1) << shift) - 1;
}

/* Fills `table`, unless it is NULL, with the lanes and the lengths of slices of the sources for
 * each number of sinks up to n. Returns the largest number of partial sums. */
static size_t divide(const struct ky_card *card, size_t resident, size_t sources, size_t n,
                     uint32_t (*table)[2])
{
    size_t parts = 0;
    for (size_t k = 0; k < KY_DIVISIONS; k++) {
        const size_t most = most_sinks(k), count = most < 1 ? 1 : most < n ? most : n;
        const struct ky_board_division division = ky_board_divide(card, resident, sources, count);
        if (division.slices * count > parts)
            parts = division.slices * count;
        if (table) {
            table[k][0] = division.lanes;
            table[k][1] = division.length;
        }
        if (most >= n && !table)
            break;
    }
    return parts;
}

static enum ky_status groups_of(struct ky_card *card, enum ky_kernel_id kernel, size_t *groups,
                                struct ky_error *error)
{
    enum ky_status status = card->driver->load(card, kernel, error);
    *groups = !status ? card->driver->resident(card, kernel) : 0;
    return status;
}

/* Copies the table to the card, and allocates the partial sums. */
static enum ky_status need_division(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_device_hermite *own = state->hermite;
    uint32_t(*table)[2] = ky_allocate(KY_DIVISIONS, sizeof *table);
    if (!table)
        return ky_no_memory(error, "divisions of sums", KY_DIVISIONS, sizeof *table);
    const size_t parts = divide(card, own->summing, ky_device_source_count(state), state->n, table);
    enum ky_status status = ky_buffer_fill(card, &own->division, "divisions of sums", table,
                                           KY_DIVISIONS, sizeof *table, error);
    free(table);
    if (!status)
        status = ky_buffer_need(card, &own->partial, "partial sums", parts,
                                KY_JERK_NUMBERS * KY_STATE_BYTES, error);
    return status ? status
                  : ky_buffer_need(card, &own->run, "runs of partial sums", parts, sizeof(uint32_t),
                                   error);
}

/* ---- memory ---- */

enum { ENDING_LANES = 256 }; /* of a group of ky_hermite_predict */

/* Bytes of the sources: hermite.k has two planes of doubles, or three of floats. */
static size_t plane_bytes(int precision)
{
    return (precision == KY_DOUBLE ? 2 : 3) * ky_real4_bytes(precision);
}

double ky_device_hermite_memory(const struct ky_device_state *state, size_t n)
{
    enum { GROUPS = 8 }; /* groups of sums on a processor */
    const struct ky_card *card = state->bodies.card;
    const size_t of_body = plane_bytes(state->parameters->precision) + sizeof(uint32_t),
                 of_part = KY_JERK_NUMBERS * KY_STATE_BYTES + sizeof(uint32_t),
                 of_rank = ky_device_copies(state)
                               ? KY_JERK_NUMBERS * KY_STATE_BYTES * n +
                                     ky_groups(n, ENDING_LANES) * sizeof(uint32_t)
                               : 0,
                 parts = n > 0 ? divide(card, GROUPS * card->processors, n, n, NULL) : 0;
    return (double)of_body * (double)n + (double)of_part * (double)parts + (double)of_rank;
}

void ky_device_hermite_release(struct ky_device_state *state)
{
    struct ky_card *card = state->bodies.card;
    struct ky_device_hermite *own = state->hermite;
    struct ky_buffer *buffers[] = {&own->plane, &own->list,     &own->way,
                                   &own->scale, &own->division, &own->partial,
                                   &own->run,   &own->ending,   &own->sums};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(card, buffers[k]);
    for (int k = 0; k < 2; k++)
        ky_pinned_release(card, &own->look[k]);
    own->put = 0;
    ky_device_hermite_drop(state, 0);
}

/* ---- numbers ---- */

/* Finds powers of two as units in which the floats of the sums are near 1; in double nothing is
 * scaled. */
static enum ky_status find_units(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_hermite *own = state->hermite;
    struct ky_moving_units units = {1, 1};
    enum ky_status status = KY_OK;
    if (state->parameters->precision != KY_DOUBLE) {
        const struct ky_engine_scale scale = ky_device_scale(state);
        double *mass = ky_allocate(state->n, sizeof *mass), most = 0, sum = 0;
        if (!mass)
            return ky_no_memory(error, "masses", state->n, sizeof *mass);
        status = ky_device_bodies_columns(&state->bodies, KY_ARRAY_MASS, &mass, error);
        for (size_t i = 0; i < state->n && !status; i++) {
            most = fmax(most, mass[i]);
            sum += mass[i];
        }
        free(mass);
        units = ky_moving_units(most, sum, scale.potential * scale.strength, state->units.length);
    }
    own->mass_unit = units.mass;
    own->speed_unit = units.speed;
    return status;
}

static enum ky_status send_scale(struct ky_device_state *state, const struct ky_advance *way,
                                 struct ky_error *error)
{
    const struct ky_device_hermite *own = state->hermite;
    const struct ky_engine_scale scale = ky_device_scale(state);
    const double of_sums = scale.strength * own->mass_unit,
                 eps2 = state->own_eps ? (state->how & KY_EPS_SUM ? 1 : 0)
                                       : ky_eps2_argument(state).whole;
    const double numbers[KY_SCALE_NUMBERS] = {
        [KY_SCALE_LONGEST] = way->tick * (double)way->stride,
        [KY_SCALE_TICK] = way->tick,
        [KY_SCALE_PER_KICK] = scale.acceleration / state->units.length,
        [KY_SCALE_PER_MASS] = 1 / own->mass_unit,
        [KY_SCALE_PER_SPEED] = 1 / own->speed_unit,
        [KY_SCALE_SPEED] = own->speed_unit,
        [KY_SCALE_ACCELERATION] = of_sums,
        [KY_SCALE_JERK] = of_sums * own->speed_unit,
        [KY_SCALE_ETA] = way->eta,
        [KY_SCALE_EPS2] = eps2,
        [KY_SCALE_ORIGIN] = way->origin,
    };
    return ky_buffer_fill(state->bodies.card, &state->hermite->scale, "numbers of a way", numbers,
                          KY_SCALE_NUMBERS, sizeof *numbers, error);
}

/* Chooses the kernels by the bodies' softenings, and the units. */
static enum ky_status know_bodies(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_device_hermite *own = state->hermite;
    const int precision = state->parameters->precision;
    enum ky_status status =
        groups_of(card, KY_IN_EITHER(ky_hermite_correct, precision), &own->correcting, error);
    if (!status)
        status = groups_of(card, ky_device_hermite_kernel(state), &own->summing, error);
    if (!status)
        status = need_division(state, error);
    if (!status)
        status = find_units(state, error);
    own->put = !status ? state->put : 0;
    return status;
}

static enum ky_status reserve(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_hermite *own = state->hermite;
    const size_t n = state->n, sums = KY_JERK_NUMBERS * KY_STATE_BYTES;
    const struct ky_need wanted[] = {
        {&own->plane, "bodies at the present tick", n, plane_bytes(state->parameters->precision)},
        {&own->list, "bodies of a block", n, sizeof(uint32_t)},
        {&own->way, "state of a way", 1, sizeof(struct ky_hermite_way)},
        {&own->ending, "bodies of a block, by groups", ky_groups(n, ENDING_LANES),
         sizeof(uint32_t)},
        {&own->sums, "sums of a rank", n, sums},
    };
    enum { OF_RANKS = 2 }; /* buffers at the end that only ranks need */
    const size_t count = sizeof wanted / sizeof *wanted - (ky_device_copies(state) ? 0 : OF_RANKS);
    return ky_buffers_need(state->bodies.card, wanted, count, error);
}

enum ky_status ky_device_hermite_reserve(struct ky_device_state *state,
                                         const struct ky_advance *way, struct ky_error *error)
{
    struct ky_device_hermite *own = state->hermite;
    KY_TRY(reserve(state, error));
    for (int k = 0; k < 2; k++)
        KY_TRY(ky_pinned_need(state->bodies.card, &own->look[k], "state of a way",
                              sizeof(struct ky_hermite_way), error));
    if (own->put != state->put)
        KY_TRY(know_bodies(state, error));
    return send_scale(state, way, error);
}
