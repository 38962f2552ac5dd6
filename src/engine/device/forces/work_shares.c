/* Reads the work counts from the card, and divides the curve by the work of all ranks. */
#include "engine/device/forces/work_shares.h"

#include "base/status.h"
#include "engine/device/ranks/copies.h"

enum { BINS = KY_WORK_BINS, BYTES = 2 * BINS * (int)sizeof(uint32_t) };

/* Reads the work of each bin of the curve on this card. */
static void work_of(const struct ky_work_shares *shares, uint64_t work[BINS])
{
    const uint32_t *words = shares->pinned.data;
    for (int b = 0; b < BINS; b++)
        work[b] = words[2 * b] + ((uint64_t)words[2 * b + 1] << 32);
}

/* Within a bin of the curve all bodies are assumed to have the same work. If there was no work the
 * edges stay. */
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
        part = part < 1 ? part : 1; /* rounding may exceed it */
        edge[k] = (size_t)(((double)b + part) * (double)n / BINS);
    }
}

enum ky_status ky_work_shares_find(struct ky_work_shares *shares, struct ky_device_state *state,
                                   struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_copies(state);
    uint64_t work[BINS];
    KY_TRY(ky_copies_divide(state, state->n, 1, error));
    if (!shares->is_counted)
        return KY_OK;
    KY_TRY(state->opened.driver->reach(state->opened.card, KY_MARK_WORK, error));
    work_of(shares, work);
    KY_TRY(shared->add(shared->context, work, BINS, error));
    set_edges(ky_copies_edges(state), shared->ranks, state->n, work);
    return KY_OK;
}

enum ky_status ky_work_shares_count(struct ky_work_shares *shares, const struct ky_walked *walked,
                                    struct ky_error *error)
{
    struct ky_card *card = walked->card;
    const struct ky_driver *driver = card->driver;
    struct ky_buffer *work = &shares->work;
    struct ky_pinned *pinned = &shares->pinned;
    uint32_t n = (uint32_t)walked->n, groups = (uint32_t)walked->groups,
             stride = (uint32_t)walked->stride, cell = walked->cell;
    KY_TRY(ky_buffer_need(card, work, "work of the walks", BYTES, 1, error));
    KY_TRY(ky_pinned_need(card, pinned, "work of the walks", BYTES, error));
    KY_TRY(driver->zero(card, work, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_groups_work, groups,
                          KY_ARGUMENTS(KY_BUFFER(*walked->group), KY_BUFFER(*walked->counts),
                                       KY_BUFFER(*work), KY_VALUE(n), KY_VALUE(groups),
                                       KY_VALUE(stride), KY_VALUE(cell)),
                          error));
    KY_TRY(driver->read_later(card, work, 0, pinned->data, BYTES, error));
    return driver->mark(card, KY_MARK_WORK, error);
}

void ky_work_shares_release(struct ky_work_shares *shares, struct ky_card *card)
{
    ky_buffer_release(card, &shares->work);
    ky_pinned_release(card, &shares->pinned);
    shares->is_counted = 0;
}
