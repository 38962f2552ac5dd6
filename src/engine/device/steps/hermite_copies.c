/* The Hermite scheme with replicated bodies: each rank computes the sums for some of the sinks of a
 * block, and all ranks correct the same bodies with the same bits. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/massless.h"
#include "engine/device/steps/hermite.h"

enum ky_status ky_device_hermite_divide(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_hermite_way way;
    enum ky_status status =
        card->driver->read(card, &state->hermite->way, 0, &way, sizeof way, error);
    const size_t count = (size_t)way.number[KY_WAY_COUNT];
    if (status || !ky_copies_begin(state, count, (double)ky_device_source_count(state)))
        return status;
    return ky_copies_divide(state, count, (size_t)way.number[KY_WAY_LANES] * KY_JERK_SINKS, error);
}

enum ky_status ky_device_hermite_join(struct ky_device_state *state, struct ky_error *error)
{
    const struct ky_device_hermite *own = state->hermite;
    return ky_copies_join_rows_of_card(state, &own->sums, &own->partial,
                                       KY_JERK_NUMBERS * KY_STATE_BYTES, error);
}

enum ky_status ky_device_hermite_agree(struct ky_device_state *state,
                                       const struct ky_hermite_way *known, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    if (!shared)
        return KY_OK;
    struct ky_hermite_way *all = ky_allocate(shared->ranks, sizeof *all);
    enum ky_status status = all ? ky_shared_gather(shared, known, sizeof *known, all, error)
                                : ky_no_memory(error, "the ranks", shared->ranks, sizeof *all);
    for (size_t r = 1; r < shared->ranks && !status; r++)
        if (memcmp(&all[r], &all[0], sizeof *all) != 0)
            status = ky_fail(error, KY_DEVICE,
                             "%s, the device of rank %zu, has come to other steps of bodies than "
                             "that of rank 0: it does not compute the same",
                             state->bodies.card->name, r);
    free(all);
    return status;
}
