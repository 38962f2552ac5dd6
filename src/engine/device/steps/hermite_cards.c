/* The Hermite scheme on several cards: each has all bodies and goes the same way with them, and
 * sums over its part of the sources. What the parts come to is brought together on every card, in
 * the order of the cards, so that all correct the same bodies by the same numbers, to the last bit.
 * The host waits only where a driver has to copy what others bring together by themselves. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/device/state/columns.h"
#include "engine/device/state/external.h"
#include "engine/device/state/replica.h"
#include "engine/device/steps/hermite.h"

struct ky_device_bodies *ky_device_hermite_on(struct ky_device_bodies *bodies, size_t k)
{
    return k == 0 ? bodies : &bodies->hermite->others[k - 1].bodies;
}

/* ---- parts ---- */

/* Whole tiles, as many for each card but for one more or less. */
static void take_part(struct ky_device_bodies *own, size_t k, size_t cards)
{
    const size_t tiles = ky_groups(own->n, KY_JERK_LANES),
                 end = tiles * (k + 1) / cards * KY_JERK_LANES;
    own->hermite->first = (uint32_t)(tiles * k / cards * KY_JERK_LANES);
    own->hermite->end = (uint32_t)(end < own->n ? end : own->n);
}

/* ---- the same on all cards ---- */

/* A buffer as the first card has it. */
static enum ky_status take(struct ky_device_bodies *own, struct ky_buffer *buffer,
                           const struct ky_device_bodies *first, const struct ky_buffer *firsts,
                           int with_content, struct ky_error *error)
{
    struct ky_card *card = own->cards.card[0];
    if (!firsts->handle) {
        ky_buffer_release(card, buffer);
        return KY_OK;
    }
    enum ky_status status = ky_buffer_need(card, buffer, firsts->what, firsts->bytes, 1, error);
    if (status != KY_OK || !with_content)
        return status;
    return card->driver->copy(first->cards.card[0], firsts, 0, card, buffer, 0, firsts->bytes,
                              error);
}

static enum ky_status take_all(struct ky_device_bodies *own, struct ky_device_bodies *first,
                               struct ky_error *error)
{
#define BOTH(member) &own->member, &first->member
    const struct {
        struct ky_buffer *buffer;
        const struct ky_buffer *firsts;
        int with_content;
    } buffers[] = {
        {BOTH(position), 1},
        {BOTH(velocity), 1},
        {BOTH(mass), 1},
        {BOTH(softening), 1},
        {BOTH(acceleration), 1},
        {BOTH(precise), 1},
        {BOTH(columns.of[KY_COLUMN_JERK]), 1},
        {BOTH(columns.of[KY_COLUMN_STEP]), 1},
        {BOTH(external.numbers), 1},
        {BOTH(hermite->scale), 1},
        {BOTH(hermite->division), 1},
        {BOTH(hermite->plane), 0},
        {BOTH(hermite->list), 0},
        {BOTH(hermite->way), 0},
        {BOTH(hermite->partial), 0},
        {BOTH(hermite->run), 0},
        {BOTH(hermite->ending), 0},
        {BOTH(hermite->sums[0]), 0},
        {BOTH(hermite->sums[1]), 0},
    };
#undef BOTH
    enum ky_status status = KY_OK;
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers && status == KY_OK; b++)
        status =
            take(own, buffers[b].buffer, first, buffers[b].firsts, buffers[b].with_content, error);
    return status;
}

enum ky_status ky_device_hermite_share(struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_device_hermite *hermite = bodies->hermite;
    const size_t cards = bodies->cards.count;
    enum ky_status status = KY_OK;
    if (cards > 1 && !hermite->others)
        hermite->others = ky_allocate_zeroed(cards - 1, sizeof *hermite->others);
    if (cards > 1 && !hermite->others)
        return ky_no_memory(error, "bodies on other cards", cards - 1, sizeof *hermite->others);
    for (size_t k = 1; k < cards; k++) {
        struct ky_device_bodies *own = ky_device_hermite_on(bodies, k);
        ky_replica_numbers(own, bodies, k);
        own->hermite = &hermite->others[k - 1].hermite;
        own->externals = bodies->externals;
        own->hermite->summing = hermite->summing;
        own->hermite->correcting = hermite->correcting;
    }
    for (size_t k = 0; k < cards && status == KY_OK; k++) {
        struct ky_device_bodies *own = ky_device_hermite_on(bodies, k);
        take_part(own, k, cards);
        if (k > 0)
            status = take_all(own, bodies, error);
    }
    return status;
}

void ky_device_hermite_part_with(struct ky_device_bodies *bodies)
{
    struct ky_device_hermite *hermite = bodies->hermite;
    for (size_t k = 1; k < bodies->cards.count && hermite->others; k++) {
        struct ky_device_bodies *own = ky_device_hermite_on(bodies, k);
        if (own->cards.count == 0)
            continue;
        ky_device_columns_release(own);
        ky_device_externals_release(own);
        ky_device_hermite_release(own);
        ky_device_bodies_release(own);
    }
    free(hermite->others);
    hermite->others = NULL;
}

/* ---- sums ---- */

enum ky_status ky_device_hermite_gather(struct ky_device_bodies *bodies, struct ky_error *error)
{
    const size_t cards = bodies->cards.count;
    struct ky_gathering parts[KY_MOST_CARDS];
    for (size_t k = 0; k < cards; k++) {
        struct ky_device_bodies *own = ky_device_hermite_on(bodies, k);
        struct ky_device_hermite *hermite = own->hermite;
        parts[k] = (struct ky_gathering){own->cards.card[0], &hermite->sums[hermite->turn],
                                         &hermite->way, &hermite->partial};
        hermite->turn = 1 - hermite->turn;
    }
    return bodies->cards.driver->gather(parts, cards, KY_WAY_COUNT,
                                        KY_JERK_NUMBERS * KY_STATE_BYTES, error);
}

/* ---- the end ---- */

enum ky_status ky_device_hermite_agree(struct ky_device_bodies *bodies,
                                       const struct ky_hermite_way *known, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 1; k < bodies->cards.count && status == KY_OK; k++) {
        struct ky_device_bodies *own = ky_device_hermite_on(bodies, k);
        struct ky_card *card = own->cards.card[0];
        struct ky_hermite_way way;
        status = card->driver->read(card, &own->hermite->way, 0, &way, sizeof way, error);
        if (status == KY_OK && memcmp(&way, known, sizeof way) != 0)
            status = ky_fail(error, KY_DEVICE,
                             "%s, device %zu of the simulation, has come to other steps of bodies "
                             "than the first: it does not compute the same",
                             card->name, k);
    }
    return status;
}
