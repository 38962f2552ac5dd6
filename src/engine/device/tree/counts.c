/* Counts of the pairs of walks. */
#include "engine/device/tree/counts.h"

#include "base/status.h"

void ky_pair_counts_release(struct ky_pair_counts *counts, const struct ky_device_bodies *bodies)
{
    counts->of.groups = 0;
    ky_buffer_release(bodies->card, &counts->counts);
    ky_buffer_release(bodies->card, &counts->pairs);
    ky_buffer_release(bodies->card, &counts->scratch);
}

enum ky_status ky_pair_counts_of(struct ky_pair_counts *counts,
                                 const struct ky_device_bodies *bodies, struct ky_counting of,
                                 struct ky_error *error)
{
    enum ky_status status = ky_buffer_need(bodies->card, &counts->counts, "counts of pairs",
                                           2 * of.groups + of.cells, sizeof(uint64_t), error);
    counts->of = !status ? of : (struct ky_counting){0};
    return status;
}

enum ky_status ky_pair_counts_need(struct ky_pair_counts *counts,
                                   const struct ky_device_bodies *bodies, size_t sinks,
                                   struct ky_error *error)
{
    const struct ky_counting of = {.groups = ky_groups(sinks, KY_WALK_LANES), .sinks = sinks};
    return ky_pair_counts_of(counts, bodies, of, error);
}

enum ky_status ky_pair_counts_add(struct ky_pair_counts *counts,
                                  const struct ky_device_bodies *bodies,
                                  struct ky_force_report *report, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const size_t groups = counts->of.groups, end[] = {groups, 2 * groups + counts->of.cells};
    uint64_t pairs[2];
    if (groups == 0)
        return KY_OK;
    KY_TRY(ky_buffer_need(card, &counts->pairs, "pairs", 2, sizeof *pairs, error));
    KY_TRY(ky_scratch_need(card, &counts->scratch, KY_BULK_REDUCE, end[1] - groups, error));
    for (size_t k = 0; k < 2; k++)
        KY_TRY(card->driver->reduce(
            card, KY_ADDRESS(&counts->counts, k * groups * sizeof *pairs), end[k] - k * groups,
            KY_ADDRESS(&counts->pairs, k * sizeof *pairs), &counts->scratch, error));
    KY_TRY(card->driver->read(card, &counts->pairs, 0, pairs, sizeof pairs, error));
    /* without a sink's pair with itself; one of several ranks may have counted fewer sinks than all
     */
    report->body_interactions += (double)pairs[0] - (double)counts->of.sinks;
    report->cell_interactions += (double)pairs[1];
    return KY_OK;
}
