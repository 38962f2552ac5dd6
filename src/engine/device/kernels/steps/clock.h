/* Conversions between ticks, levels of steps and times, for bodies with individual steps. Steps and
 * times are state numbers in the caller's unit; the level of a step follows from an exact
 * division. */
#ifndef KY_KERNELS_CLOCK_H
#define KY_KERNELS_CLOCK_H

#include "engine/device/kernels/driver/dialect.h"
#include "engine/device/kernels/driver/state.h"

/* The longest step, in ticks and as a time; the length of a tick; the factor that converts
 * acceleration × time to a change of velocity; the level of a step of one tick. An argument of
 * kernels, which the host has as struct clock (steps/block.c). */
struct ky_clock {
    ky_ulong stride;
    ky_state longest, length, per_kick;
    int deepest, none;
};

/* The level of a step; deepest + 1 for a step that is not valid here. */
KY_FN int ky_clock_level(struct ky_clock clock, ky_state step)
{
    ky_state ratio = ky_state_quotient(clock.longest, step);
    ky_uint bits = KY_BITS_OF_FLOAT(ky_state_high(ratio));
    int level = (int)(bits >> 23) - 127; /* the exponent of a power of two */
    int is_power = (bits & 0x7fffffU) == 0 && ky_state_low(ratio) == 0.0f;
    return is_power && level >= 0 && level <= clock.deepest ? level : clock.deepest + 1;
}

/* The time of this number of ticks, less than 2^41. */
KY_FN ky_state ky_clock_time(struct ky_clock clock, ky_ulong ticks)
{
    ky_state high = ky_state_from((float)(ky_uint)(ticks >> 24) * 16777216.0f),
             low = ky_state_from((float)(ky_uint)(ticks & 0xffffffU));
    return ky_state_product(ky_state_add(high, low), clock.length);
}

#ifdef KY_HAS_DOUBLE
/* The clock of the Hermite scheme. */
KY_FN struct ky_clock ky_way_clock(KY_GLOBAL const ky_ulong *way, KY_GLOBAL const ky_state *scale)
{
    struct ky_clock clock;
    clock.stride = way[KY_WAY_STRIDE];
    clock.longest = scale[KY_SCALE_LONGEST];
    clock.length = scale[KY_SCALE_TICK];
    clock.per_kick = scale[KY_SCALE_PER_KICK];
    clock.deepest = (int)way[KY_WAY_DEEPEST];
    clock.none = 0;
    return clock;
}

/* The time of a tick of the Hermite scheme, equal to ky_advance_time. */
KY_FN ky_state ky_clock_at(KY_GLOBAL const ky_ulong *way, KY_GLOBAL const ky_state *scale,
                           ky_ulong tick)
{
    return fma((ky_state)(way[KY_WAY_BEFORE] + tick), scale[KY_SCALE_TICK], scale[KY_SCALE_ORIGIN]);
}
#endif

/* The step of a level. */
KY_FN ky_state ky_clock_step(struct ky_clock clock, int level)
{
    float part = 1.0f;
    for (int k = 0; k < level; k++)
        part *= 0.5f;
    return ky_state_product(clock.longest, ky_state_from(part));
}

#endif
