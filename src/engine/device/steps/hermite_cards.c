/* The Hermite scheme on several cards: each has all bodies and does the same steps, and sums over
 * its part of the sources. The partial sums are brought together on every card, in the order of the
 * cards, so that all cards correct the same bodies by the same bits. The host waits only if a
 * driver has to do this by copies. */
#include "engine/device/steps/hermite.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/parts.h"

/* The sources of this card: whole tiles, equally many for each card to within one. */
static void take_sources(struct ky_hermite_part *own, size_t n, size_t k, size_t cards)
{
    const size_t tiles = ky_groups(n, KY_JERK_LANES), end = tiles * (k + 1) / cards * KY_JERK_LANES;
    own->first = (uint32_t)(tiles * k / cards * KY_JERK_LANES);
    own->end = (uint32_t)(end < n ? end : n);
}

enum ky_status ky_device_hermite_share(struct ky_device_state *state, struct ky_error *error)
{
    const size_t cards = state->cards.count;
    enum ky_status status = KY_OK;
    ky_parts_forget(state);
    for (size_t k = 0; k < cards && status == KY_OK; k++) {
        take_sources(&state->hermite->part[k], ky_device_source_count(state), k, cards);
        if (k > 0)
            status = ky_part_follow(&state->part[k], KY_PART_WHOLE, error);
    }
    return status == KY_OK ? ky_part_await(&state->part[0], error) : status;
}

enum ky_status ky_device_hermite_gather(struct ky_device_state *state, struct ky_error *error)
{
    const size_t cards = state->cards.count;
    struct ky_gathering parts[KY_MOST_CARDS];
    for (size_t k = 0; k < cards; k++) {
        struct ky_hermite_part *own = &state->hermite->part[k];
        parts[k] = (struct ky_gathering){state->part[k].card, &own->sums[own->turn], &own->way,
                                         &own->partial};
        own->turn = 1 - own->turn;
    }
    return state->cards.driver->gather(parts, cards, KY_WAY_COUNT, KY_JERK_NUMBERS * KY_STATE_BYTES,
                                       error);
}

/* ---- ranks that all have all bodies ---- */

enum ky_status ky_device_hermite_divide(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_card *card = state->part[0].card;
    struct ky_hermite_way way;
    enum ky_status status =
        card->driver->read(card, &state->hermite->part[0].way, 0, &way, sizeof way, error);
    const size_t count = (size_t)way.number[KY_WAY_COUNT];
    if (status != KY_OK || !ky_copies_begin(state, count, (double)ky_device_source_count(state)))
        return status;
    return ky_copies_divide(state, count, (size_t)way.number[KY_WAY_LANES] * KY_JERK_SINKS, error);
}

enum ky_status ky_device_hermite_join(struct ky_device_state *state, struct ky_error *error)
{
    const struct ky_hermite_part *own = &state->hermite->part[0];
    return ky_copies_join_rows_of_card(state, &own->sums[own->turn], &own->partial,
                                       KY_JERK_NUMBERS * KY_STATE_BYTES, error);
}

static enum ky_status agree_of_ranks(const struct ky_device_state *state,
                                     const struct ky_hermite_way *known, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    if (!shared)
        return KY_OK;
    struct ky_hermite_way *all = ky_allocate(shared->ranks, sizeof *all);
    enum ky_status status = all ? ky_ranks_gather(shared, known, sizeof *known, all, error)
                                : ky_no_memory(error, "the ranks", shared->ranks, sizeof *all);
    for (size_t r = 1; r < shared->ranks && status == KY_OK; r++)
        if (memcmp(&all[r], &all[0], sizeof *all) != 0)
            status = ky_fail(error, KY_DEVICE,
                             "%s, the device of rank %zu, has come to other steps of bodies than "
                             "that of rank 0: it does not compute the same",
                             state->part[0].card->name, r);
    free(all);
    return status;
}

enum ky_status ky_device_hermite_agree(struct ky_device_state *state,
                                       const struct ky_hermite_way *known, struct ky_error *error)
{
    enum ky_status status = agree_of_ranks(state, known, error);
    for (size_t k = 1; k < state->cards.count && status == KY_OK; k++) {
        struct ky_card *card = state->part[k].card;
        struct ky_hermite_way way;
        status = card->driver->read(card, &state->hermite->part[k].way, 0, &way, sizeof way, error);
        if (status == KY_OK && memcmp(&way, known, sizeof way) != 0)
            status = ky_fail(error, KY_DEVICE,
                             "%s, device %zu of the simulation, has come to other steps of bodies "
                             "than the first: it does not compute the same",
                             card->name, k);
    }
    return status;
}
