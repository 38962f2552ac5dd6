/* From sums over bodies in engines' own units to those of the caller. */
#ifndef KY_ENGINE_SUMS_H
#define KY_ENGINE_SUMS_H

#include "engine/engine.h"

/* Sums that are not finished: more bodies can be added. All 0 for no bodies. */
struct ky_raw_sums {
    struct ky_sum_units units;
    double of[KY_SUMS];
};

/* Adds the parts in their order, and takes their units where *to has no bodies yet. So the parts of
 * one engine after the other give the bits of one engine that has all the bodies, if every engine
 * but the last has whole chunks. */
void ky_sums_add(struct ky_raw_sums *to, const struct ky_partial_sums *parts);
/* Fills all of `sums`, the virial about the centre of mass of all bodies. */
void ky_sums_finish(const struct ky_raw_sums *raw, struct ky_sums *sums);

#endif
