/* Sums over bodies, from engines' own units to the caller's. */
#ifndef KY_ENGINE_SUMS_H
#define KY_ENGINE_SUMS_H

#include "engine/engine.h"

/* Sums that are not finished: more bodies can be added. All 0 without bodies. */
struct ky_raw_sums {
    struct ky_sum_units units;
    double of[KY_SUMS];
};

/* Adds the parts in their order. If *to has no bodies yet, it gets their units. If every engine but
 * the last has whole chunks, the parts of several engines, in order, give the same bits as one
 * engine with all the bodies. */
void ky_sums_add(struct ky_raw_sums *to, const struct ky_partial_sums *parts);
/* Fills all of `sums`; the virial is about the centre of mass of all bodies. */
void ky_sums_finish(const struct ky_raw_sums *raw, struct ky_sums *sums);

#endif
