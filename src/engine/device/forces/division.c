/* Reads counts of work from the cards, and divides the curve by them. */
#include "engine/device/forces/division.h"

enum { BINS = KY_WORK_BINS, BYTES = 2 * BINS * (int)sizeof(uint32_t) };

/* The work of each part of the curve on all cards; returns the sum. */
static double work_of(const struct ky_division *division, size_t cards, double work[BINS])
{
    double total = 0;
    for (int b = 0; b < BINS; b++) {
        work[b] = 0;
        for (size_t k = 0; k < cards; k++) {
            const uint32_t *words = division->card[k].pinned.data;
            work[b] += words[2 * b] + 0x1p32 * words[2 * b + 1];
        }
        total += work[b];
    }
    return total;
}

/* Within a part every body counts as the same work. */
static void set_edges(struct ky_division *division, size_t cards, size_t n, const double work[BINS],
                      double total)
{
    double before = 0;
    int b = 0;
    for (size_t k = 1; k < cards; k++) {
        double share = total * (double)k / (double)cards;
        for (; b < BINS - 1 && before + work[b] < share; b++)
            before += work[b];
        double part = work[b] > 0 ? (share - before) / work[b] : 0;
        part = part < 1 ? part : 1; /* rounded sums may exceed it */
        division->edge[k] = (size_t)(((double)b + part) * (double)n / BINS);
    }
}

enum ky_status ky_division_find(struct ky_division *division, const struct ky_device_state *state,
                                struct ky_error *error)
{
    const size_t cards = state->cards.count, n = state->n;
    double work[BINS], total = 0;
    enum ky_status status = KY_OK;
    for (size_t k = 0; k <= cards; k++)
        division->edge[k] = n * k / cards;
    if (cards == 1 || !division->is_counted)
        return KY_OK;
    for (size_t k = 0; k < cards && status == KY_OK; k++)
        status = state->cards.driver->reach(state->cards.card[k], KY_MARK_WORK, error);
    if (status == KY_OK)
        total = work_of(division, cards, work);
    if (total > 0)
        set_edges(division, cards, n, work, total);
    return status;
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
