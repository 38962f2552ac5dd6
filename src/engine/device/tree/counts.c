/* Counts of the pairs of walks. */
#include "engine/device/tree/counts.h"

#include "base/status.h"

void ky_pair_counts_release(struct ky_pair_counts *counts, const struct ky_device_bodies *bodies)
{
    counts->groups = 0;
    ky_buffer_release(bodies->card, &counts->counts);
    ky_buffer_release(bodies->card, &counts->pairs);
    ky_buffer_release(bodies->card, &counts->scratch);
}

enum ky_status ky_pair_counts_of(struct ky_pair_counts *counts,
                                 const struct ky_device_bodies *bodies, size_t groups, size_t sinks,
                                 struct ky_error *error)
{
    enum ky_status status = ky_buffer_need(bodies->card, &counts->counts, "counts of pairs",
                                           2 * groups, sizeof(uint64_t), error);
    counts->groups = !status ? groups : 0;
    counts->sinks = sinks;
    return status;
}

enum ky_status ky_pair_counts_need(struct ky_pair_counts *counts,
                                   const struct ky_device_bodies *bodies, size_t sinks,
                                   struct ky_error *error)
{
    return ky_pair_counts_of(counts, bodies, ky_groups(sinks, KY_WALK_LANES), sinks, error);
}

enum ky_status ky_pair_counts_add(struct ky_pair_counts *counts,
                                  const struct ky_device_bodies *bodies,
                                  struct ky_force_report *report, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    size_t groups = counts->groups;
    uint64_t pairs[2];
    if (groups == 0)
        return KY_OK;
    KY_TRY(ky_buffer_need(card, &counts->pairs, "pairs", 2, sizeof *pairs, error));
    KY_TRY(ky_scratch_need(card, &counts->scratch, KY_BULK_REDUCE, groups, error));
    for (size_t k = 0; k < 2; k++)
        KY_TRY(card->driver->reduce(card, KY_ADDRESS(&counts->counts, k * groups * sizeof *pairs),
                                    groups, KY_ADDRESS(&counts->pairs, k * sizeof *pairs),
                                    &counts->scratch, error));
    KY_TRY(card->driver->read(card, &counts->pairs, 0, pairs, sizeof pairs, error));
    /* without a sink's pair with itself; one of several ranks may have counted fewer sinks than all
     */
    report->body_interactions += (double)pairs[0] - (double)counts->sinks;
    report->cell_interactions += (double)pairs[1];
    return KY_OK;
}
