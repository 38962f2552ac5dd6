/* From sums over bodies in an engine's own units to those of the caller. */
#ifndef KY_ENGINE_SUMS_H
#define KY_ENGINE_SUMS_H

#include "engine/engine.h"
#include "physics/sums.h"

/* The caller's units of what an engine's columns hold: powers of two. `external`: of the potential
 * of external fields. */
struct ky_sum_units {
    double mass, length, velocity, acceleration, potential, external;
};

/* Fills all of `sums` from Σ m, Σ m x, … at the places of physics/sums.h, the virial about the
 * centre of mass. */
void ky_sums_finish(const double sum[KY_SUMS], const struct ky_sum_units *units,
                    struct ky_sums *sums);

#endif
