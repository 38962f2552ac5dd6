/* Common code of the engines for individual steps of the bodies (KY_SCHEME_BLOCK,
 * KY_SCHEME_HERMITE). */
#ifndef KY_ENGINE_BLOCKS_H
#define KY_ENGINE_BLOCKS_H

#include "engine/engine.h"

/* A kept tree is rebuilt when its later walks have had this many interactions per body more than
 * its first ones. That is the cost of a build beyond a move of the tree: about 150 ns on a CPU,
 * where one interaction of the lanes takes 0.5 ns. */
enum { KY_BLOCKS_BUILD = 300 };
/* A tree is rebuilt after this many blocks within a longest step, whatever the cost of its walks.
 * At such a block a call can end, and another engine can continue with the same bits. A build costs
 * as much as a few moves of the tree, so that this adds about 1 %. */
enum { KY_BLOCKS_KEPT = 512 };

/* KY_USAGE for an engine without the column of steps, or without forces, and for a stride that is
 * not a power of two or is too large. */
enum ky_status ky_blocks_check(const struct ky_advance *way, unsigned columns, int has_acceleration,
                               struct ky_error *error);
/* The last level, on which a step is one tick. */
int ky_blocks_deepest(const struct ky_advance *way);
/* The factors from the end of the last step of a level before a tick to this tick, in comoving
 * boxes with the expansion. Where the tick is within a step `kick` and `drift` predict the body. */
struct ky_step_factors ky_blocks_factors(const struct ky_advance *way, int level, uint64_t tick);
/* The longest step for the criterion at a tick (physics/block.h) [time]. */
double ky_blocks_longest(const struct ky_advance *way, uint64_t tick);
/* Sets the softening of forces and criterion at a tick, if it depends on the scale factor. */
void ky_blocks_soften(const struct ky_advance *way, uint64_t tick);
/* Counts a block of `active` bodies at `tick`, which is one step after the block before. */
void ky_blocks_count(struct ky_advance *way, uint64_t tick, size_t active);
/* KY_USAGE for bodies whose steps would have to be chosen at a tick that is not a multiple of the
 * stride. */
enum ky_status ky_blocks_missing(struct ky_error *error);

#endif
