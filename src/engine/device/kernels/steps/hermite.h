/* A body in a block of the Hermite scheme (hermite.k, hermite_correct.k): whether its step ends,
 * and its predicted position. The state is double; a device without double cannot use this scheme.
 */
#ifndef KY_KERNELS_HERMITE_H
#define KY_KERNELS_HERMITE_H

#define KY_HERMITE_REAL double
#include "engine/device/kernels/forces/jerk.h"
#include "engine/device/kernels/steps/clock.h"

#include "physics/hermite.h"

/* Whether the step of a body ends at the block's tick, the ticks since the end of its last step,
 * and its step `own`. If the last call has stopped at this tick, the bodies that were active there
 * have already ended their steps. */
struct ky_hermite_turn {
    int ends;
    ky_ulong since;
};

KY_FN struct ky_hermite_turn ky_hermite_turn(ky_ulong tick, ky_ulong own, ky_uint mode)
{
    struct ky_hermite_turn turn;
    ky_ulong rest = tick & (own - 1);
    turn.ends = mode == KY_HERMITE_STOP ? rest != 0 : rest == 0;
    turn.since = mode == KY_HERMITE_BLOCK && rest == 0 ? own : rest;
    if (mode == KY_HERMITE_START) {
        turn.ends = 1;
        turn.since = 0;
    }
    return turn;
}

/* A body at the end of its last step. */
struct ky_hermite_body {
    ky_state x[3], v[3], a[3], j[3], step;
};

KY_FN struct ky_hermite_body
ky_hermite_body_of(KY_GLOBAL const ky_state *position, KY_GLOBAL const ky_state *velocity,
                   KY_GLOBAL const ky_state *acceleration, KY_GLOBAL const ky_state *jerk,
                   KY_GLOBAL const ky_state *step, ky_ulong n, ky_ulong i)
{
    struct ky_hermite_body body;
    body.step = step[i];
#pragma unroll
    for (int c = 0; c < 3; c++, i += n) {
        body.x[c] = position[i];
        body.v[c] = velocity[i];
        body.a[c] = acceleration[i];
        body.j[c] = jerk[i];
    }
    return body;
}

/* A component of the position, in the engine's unit of length, and of the velocity, in this unit
 * per time. */
struct ky_hermite_axis {
    ky_state x, v;
};

/* Predicted to the time h after the end of the last step. */
KY_FN struct ky_hermite_axis ky_hermite_predicted(ky_state x, ky_state v, ky_state a, ky_state j,
                                                  ky_state h, ky_state per_kick)
{
    struct ky_hermite_axis place;
    place.x = x + h * (v + per_kick * ky_hermite_drift(a, j, h));
    place.v = v + per_kick * ky_hermite_kick(a, j, h);
    return place;
}

/* The predicted body as a source. */
KY_FN struct ky_mover ky_hermite_mover(struct ky_hermite_axis x, struct ky_hermite_axis y,
                                       struct ky_hermite_axis z, ky_state m, ky_state eps,
                                       KY_GLOBAL const ky_state *scale, const ky_state *drift)
{
    const ky_state per = scale[KY_SCALE_PER_SPEED], mass = m * scale[KY_SCALE_PER_MASS];
    struct ky_mover mover =
        ky_mover_of(x.x, y.x, z.x, (x.v - drift[0]) * per, (y.v - drift[1]) * per,
                    (z.v - drift[2]) * per, (KY_REAL)mass, 0);
    mover.velocity.w = (KY_REAL)(eps * eps);
#if KY_IN_EXTENDED
    mover.low.w = ky_state_low(mass);
#endif
    return mover;
}

#endif
