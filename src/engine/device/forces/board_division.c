/* The division of a board's force: rows of lanes, blocks of sinks, slices of slots. */
#include "engine/device/forces/board_division.h"

#include <math.h>

/* The widest rows that leave at most 1/20 of all lanes without a sink, not counting lanes without a
 * sink in narrower rows. */
static uint32_t lanes_for(size_t count)
{
    uint32_t best = KY_JERK_RUN;
    size_t least = ky_groups(count, KY_JERK_SINKS * KY_JERK_RUN) * KY_JERK_RUN;
    for (uint32_t lanes = 2 * KY_JERK_RUN; lanes <= KY_JERK_LANES; lanes *= 2)
        if (ky_groups(count, KY_JERK_SINKS * lanes) * lanes * 20 <= least * 21)
            best = lanes;
    return best;
}

/* The cost of a launch with this many tiles in a slice. The unit is the time in which a group whose
 * lanes all have different sinks processes one source, 40 ns on an H200. The terms are: the work of
 * the busiest processor, which needs several groups at once to be fully used; the wait of a group
 * for its first sources; the end, when the remaining groups no longer fill the device; and adding
 * the slices. */
static double cost_of(const struct ky_card *card, size_t resident, size_t tiles, size_t each,
                      const struct ky_board_division *division, size_t count)
{
    enum { GROUP_COST = 8, WAIT = 60, PARTS_A_UNIT = 1250 };
    const size_t slices = ky_groups(tiles, each), groups = slices * division->blocks,
                 processors = card->processors;
    const double work = (double)(each * division->lanes) + GROUP_COST,
                 at_once = (double)resident / (double)processors,
                 busiest = (double)ky_groups(groups, processors),
                 beside = busiest < at_once ? busiest : at_once, waves = busiest / at_once;
    return busiest * work * (1 + 0.6 / (beside * beside)) + WAIT * (waves > 2 ? 2 : ceil(waves)) +
           (waves > 1 ? at_once / 8 * work : 0) + (double)(slices * count) / PARTS_A_UNIT;
}

/* The best length of a slice. Tries lengths in steps of at most a third, since every force needs
 * this search. */
static size_t best_length(const struct ky_card *card, size_t resident, size_t tiles, size_t count,
                          const struct ky_board_division *division)
{
    const size_t room = KY_PARTIAL_BYTES / (KY_JERK_NUMBERS * KY_STATE_BYTES * count);
    size_t best = tiles;
    double least = cost_of(card, resident, tiles, tiles, division, count);
    for (size_t each = 1; each < tiles; each += ky_groups(each, 3)) {
        double cost = cost_of(card, resident, tiles, each, division, count);
        if (cost < least && ky_groups(tiles, each) <= room)
            least = cost, best = each;
    }
    return best;
}

struct ky_board_division ky_board_divide(const struct ky_card *card, size_t resident, size_t slots,
                                         size_t count)
{
    struct ky_board_division division = {.lanes = lanes_for(count)};
    const size_t tiles = ky_groups(slots, KY_JERK_LANES);
    division.blocks = (uint32_t)ky_groups(count, (size_t)division.lanes * KY_JERK_SINKS);
    const size_t each = best_length(card, resident, tiles, count, &division);
    division.length = (uint32_t)(each * KY_JERK_LANES);
    division.slices = (uint32_t)ky_groups(tiles, each);
    return division;
}
