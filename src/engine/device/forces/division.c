/* Reads counts of work from the cards, and divides the curve by them. */
#include "engine/device/forces/division.h"

#include "engine/device/ranks/copies.h"

enum { BINS = KY_WORK_BINS, BYTES = 2 * BINS * (int)sizeof(uint32_t) };

/* The work of each part of the curve on the cards of this engine. */
static void work_of(const struct ky_division *division, size_t cards, uint64_t work[BINS])
{
    for (int b = 0; b < BINS; b++) {
        work[b] = 0;
        for (size_t k = 0; k < cards; k++) {
            const uint32_t *words = division->card[k].pinned.data;
            work[b] += words[2 * b] + ((uint64_t)words[2 * b + 1] << 32);
        }
    }
}

/* Within a part of the curve every body counts as the same work. Where there was none the edges
 * stay. */
static void set_edges(size_t *edge, size_t shares, size_t n, const uint64_t work[BINS])
{
    double before = 0, total = 0;
    int b = 0;
    for (int k = 0; k < BINS; k++)
        total += (double)work[k];
    for (size_t k = 1; k < shares && total > 0; k++) {
        double share = total * (double)k / (double)shares;
        for (; b < BINS - 1 && before + (double)work[b] < share; b++)
            before += (double)work[b];
        double part = work[b] > 0 ? (share - before) / (double)work[b] : 0;
        part = part < 1 ? part : 1; /* rounded sums may exceed it */
        edge[k] = (size_t)(((double)b + part) * (double)n / BINS);
    }
}

enum ky_status ky_division_find(struct ky_division *division, const struct ky_device_state *state,
                                struct ky_error *error)
{
    const size_t cards = state->cards.count, n = state->n;
    uint64_t work[BINS];
    enum ky_status status = KY_OK;
    for (size_t k = 0; k <= cards; k++)
        division->edge[k] = n * k / cards;
    if (cards == 1 || !division->is_counted)
        return KY_OK;
    for (size_t k = 0; k < cards && status == KY_OK; k++)
        status = state->cards.driver->reach(state->cards.card[k], KY_MARK_WORK, error);
    if (status != KY_OK)
        return status;
    work_of(division, cards, work);
    set_edges(division->edge, cards, n, work);
    return KY_OK;
}

enum ky_status ky_division_find_of_ranks(struct ky_division *division,
                                         struct ky_device_state *state, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    uint64_t work[BINS];
    enum ky_status status = ky_copies_divide(state, state->n, 1, error);
    if (status == KY_OK && division->is_counted) {
        status = state->cards.driver->reach(state->cards.card[0], KY_MARK_WORK, error);
        if (status != KY_OK)
            return status;
        work_of(division, 1, work);
        status = shared->add(shared->context, work, BINS, error);
        if (status == KY_OK)
            set_edges(ky_copies_edges(state), shared->ranks, state->n, work);
    }
    if (status != KY_OK)
        return status;
    division->edge[0] = ky_copies_first(state);
    division->edge[1] = ky_copies_end(state);
    return KY_OK;
}

enum ky_status ky_division_count(struct ky_division *division, size_t k,
                                 const struct ky_walked *walked, struct ky_error *error)
{
    struct ky_card *card = walked->card;
    const struct ky_driver *driver = card->driver;
    struct ky_buffer *work = &division->card[k].work;
    struct ky_pinned *pinned = &division->card[k].pinned;
    uint32_t n = (uint32_t)walked->n, groups = (uint32_t)walked->groups,
             stride = (uint32_t)walked->stride, cell = walked->cell;
    enum ky_status status = ky_buffer_need(card, work, "work of the walks", BYTES, 1, error);
    if (status == KY_OK)
        status = ky_pinned_need(card, pinned, "work of the walks", BYTES, error);
    if (status == KY_OK)
        status = driver->zero(card, work, error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_work, groups,
                                KY_ARGUMENTS(KY_BUFFER(*walked->group), KY_BUFFER(*walked->counts),
                                             KY_BUFFER(*work), KY_VALUE(n), KY_VALUE(groups),
                                             KY_VALUE(stride), KY_VALUE(cell)),
                                error);
    if (status == KY_OK)
        status = driver->read_later(card, work, 0, pinned->data, BYTES, error);
    return status == KY_OK ? driver->mark(card, KY_MARK_WORK, error) : status;
}

void ky_division_release(struct ky_division *division, const struct ky_device_state *state)
{
    for (size_t k = 0; k < state->cards.count; k++) {
        ky_buffer_release(state->cards.card[k], &division->card[k].work);
        ky_pinned_release(state->cards.card[k], &division->card[k].pinned);
    }
    division->is_counted = 0;
}
