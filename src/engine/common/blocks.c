/* Block steps: checks and counts for every engine. */
#include "engine/common/blocks.h"

#include <math.h>

#include "engine/common/integrator_columns.h"
#include "physics/block.h"

enum ky_status ky_blocks_check(const struct ky_advance *way, unsigned columns, int has_acceleration,
                               struct ky_error *error)
{
    const uint64_t stride = way->stride;
    if (!ky_column_is_in(columns, KY_COLUMN_STEP))
        return ky_fail(error, KY_USAGE, "block steps need the column of steps");
    if (way->scheme == KY_SCHEME_HERMITE && !ky_column_is_in(columns, KY_COLUMN_JERK))
        return ky_fail(error, KY_USAGE, "the Hermite scheme needs the column of jerks");
    if (!has_acceleration)
        return ky_fail(error, KY_USAGE, "the first forces must be computed before block steps");
    if (!stride || (stride & (stride - 1)) || stride >> KY_MOST_LEVELS > 1)
        return ky_fail(error, KY_USAGE,
                       "%llu ticks of a longest step; it must be a power of two up to 2^%d",
                       (unsigned long long)stride, KY_MOST_LEVELS);
    return KY_OK;
}

double ky_advance_time(const struct ky_advance *advance, uint64_t tick)
{
    return fma((double)(advance->before + tick), advance->tick, advance->origin);
}

int ky_blocks_deepest(const struct ky_advance *way)
{
    int deepest = 0;
    while (way->stride >> deepest > 1)
        deepest++;
    return deepest;
}

struct ky_step_factors ky_blocks_factors(const struct ky_advance *way, int level, uint64_t tick)
{
    const uint64_t step = way->stride >> level, from = (tick - 1) / step * step;
    return ky_step_factors_of(&way->expansion, (double)(tick - from) * way->tick,
                              ky_advance_time(way, from), ky_advance_time(way, tick));
}

double ky_blocks_longest(const struct ky_advance *way, uint64_t tick)
{
    return ky_step_of_criteria(&way->expansion, way->tick * (double)way->stride,
                               ky_advance_time(way, tick));
}

void ky_blocks_soften(const struct ky_advance *way, uint64_t tick)
{
    struct ky_parameters *own = way->softened;
    if (own)
        own->softening =
            ky_comoving_softening(way->softening, own->softening_max, ky_advance_time(way, tick));
}

void ky_blocks_count(struct ky_advance *way, uint64_t tick, size_t active)
{
    const uint64_t step = tick - way->now;
    way->now = tick;
    way->steps++;
    way->body_steps += (double)active;
    if (active && (!way->shortest || step < way->shortest))
        way->shortest = step;
}

enum ky_status ky_blocks_missing(struct ky_error *error)
{
    return ky_fail(error, KY_USAGE, "bodies without a step within the longest one");
}
