/* External fields (physics/external.h, external_moving.h) in the form for kernels: a row for each
 * (driver/shared.h), in the units of the columns, followed by the pieces of all fields. The numbers
 * belong to a reference time, and kernels ask for the fields at an interval after it. The host
 * sends them again for each evaluation, with only the piece of that time. The Hermite scheme, which
 * has double, gets the numbers of time 0 and all pieces. Accelerations are ky_external_real,
 * whatever the precision. */
#ifndef KY_KERNELS_EXTERNAL_H
#define KY_KERNELS_EXTERNAL_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/driver/state.h"

#include "physics/external_moving.h"

#ifdef KY_HAS_DOUBLE
KY_FN ky_external_real ky_external_of_state(ky_state a)
{
    return a;
}

KY_FN ky_state ky_external_to_state(ky_external_real x)
{
    return x;
}

/* The angle after some time, minus whole turns. */
KY_FN ky_state ky_external_turned(ky_state angle, ky_state rate, ky_state time)
{
    const ky_state whole = 6.283185307179586476925;
    return fmod(angle + rate * time, whole);
}
#else
KY_FN ky_external_real ky_external_of_state(ky_state a)
{
    return ky_state_high(a);
}

KY_FN ky_state ky_external_to_state(ky_external_real x)
{
    return ky_state_from(x);
}

KY_FN ky_state ky_external_turned(ky_state angle, ky_state rate, ky_state time)
{
    return ky_state_add(angle, ky_state_product(rate, time));
}
#endif

/* The k-th number of a field at a time. */
KY_FN ky_external_real ky_external_number(KY_GLOBAL const ky_state *field, int k, ky_state time)
{
    KY_GLOBAL const ky_state *own = field + KY_EXTERNAL_OWN + k;
    const int turns = (int)ky_state_high(field[0]) == KY_EXTERNAL_BAR && k == KY_EXTERNAL_BAR_ANGLE;
    return ky_external_of_state(turns ? ky_external_turned(own[0], own[-1], time) : own[0]);
}

/* The centre and the state of a field at a time. */
struct ky_external_stand {
    ky_state x, y, z;
    struct ky_external_moment now;
};

#ifdef KY_HAS_DOUBLE
/* The piece of a field at a time. */
KY_FN KY_GLOBAL const ky_state *ky_external_piece(KY_GLOBAL const ky_state *field, ky_state time)
{
    KY_GLOBAL const ky_state *piece = field + (ky_uint)field[KY_EXTERNAL_PIECES];
    ky_uint low = 0, high = (ky_uint)field[KY_EXTERNAL_PIECE_COUNT];
    while (high - low > 1) {
        const ky_uint middle = low + (high - low) / 2;
        if (piece[middle * KY_EXTERNAL_PIECE_STRIDE] <= time)
            low = middle;
        else
            high = middle;
    }
    return piece + low * KY_EXTERNAL_PIECE_STRIDE;
}

KY_FN struct ky_external_stand ky_external_stand_of(KY_GLOBAL const ky_state *field, ky_state time)
{
    KY_GLOBAL const ky_state *c = ky_external_piece(field, time);
    const ky_state t = time - c[0];
    ky_state value[KY_EXTERNAL_CUBICS], rate[KY_EXTERNAL_CUBICS];
    for (int k = 0; k < KY_EXTERNAL_CUBICS; k++) { /* ky_external_cubic in state numbers */
        c += k ? 4 : 1;
        value[k] = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        rate[k] = c[1] + t * (2 * c[2] + t * 3 * c[3]);
    }
    struct ky_external_stand stand;
    stand.x = value[0], stand.y = value[1], stand.z = value[2];
    stand.now.vx = rate[0], stand.now.vy = rate[1];
    stand.now.vz = rate[2];
    stand.now.strength = value[KY_EXTERNAL_STRENGTH];
    stand.now.growth = rate[KY_EXTERNAL_STRENGTH];
    stand.now.turn = field[KY_EXTERNAL_TURN];
    stand.now.angle = ky_external_turned(field[KY_EXTERNAL_ANGLE], field[KY_EXTERNAL_TURN], time);
    return stand;
}

KY_FN ky_state ky_external_time(ky_state time, ky_external_real later)
{
    return time + later;
}
#else
/* Without double the fields have the time for which they were sent. */
KY_FN struct ky_external_stand ky_external_stand_of(KY_GLOBAL const ky_state *field, ky_state time)
{
    KY_GLOBAL const ky_state *c = field + (ky_uint)ky_state_high(field[KY_EXTERNAL_PIECES]) + 1;
    struct ky_external_stand stand;
    stand.x = c[0], stand.y = c[4], stand.z = c[8];
    stand.now.vx = ky_state_high(c[1]), stand.now.vy = ky_state_high(c[5]);
    stand.now.vz = ky_state_high(c[9]);
    stand.now.strength = ky_state_high(c[4 * KY_EXTERNAL_STRENGTH]);
    stand.now.growth = ky_state_high(c[4 * KY_EXTERNAL_STRENGTH + 1]);
    stand.now.turn = ky_state_high(field[KY_EXTERNAL_TURN]);
    stand.now.angle =
        ky_state_high(ky_external_turned(field[KY_EXTERNAL_ANGLE], field[KY_EXTERNAL_TURN], time));
    return stand;
}

KY_FN ky_state ky_external_time(ky_state time, ky_external_real later)
{
    return ky_state_add(time, ky_state_from(later));
}
#endif

KY_FN struct ky_external_pull ky_external_of(KY_GLOBAL const ky_state *field, ky_state time,
                                             struct ky_external_state at)
{
    struct ky_external_pull pull = ky_external_none();
    int k = 0;
    switch ((int)ky_state_high(field[0])) {
#define KY_EXTERNAL_NUMBER(k) ky_external_number(field, k, time)
        KY_EXTERNAL_KINDS(KY_EXTERNAL_CASE)
    }
    return pull;
}

/* x from a centre. */
KY_FN ky_external_real ky_external_apart(ky_state x, ky_state centre)
{
    return ky_external_of_state(ky_state_add(x, ky_state_negative(centre)));
}

/* The acceleration and potential of a field; see ky_externals_at. If the frame falls in the field,
 * the field at the frame's origin follows: in one loop, so that the switch over all kinds is
 * compiled once. */
KY_FN_ONCE struct ky_external_pull ky_external_felt(KY_GLOBAL const ky_state *field, ky_state time,
                                                    ky_state x, ky_state y, ky_state z,
                                                    struct ky_external_state at)
{
    const struct ky_external_stand stand =
        ky_external_stand_of(field, ky_external_time(time, at.time));
    const int places = (int)ky_state_high(field[KY_EXTERNAL_REFLEX]) + 1;
    struct ky_external_pull all = ky_external_none();
    at.x = ky_external_apart(x, stand.x);
    at.y = ky_external_apart(y, stand.y);
    at.z = ky_external_apart(z, stand.z);
    for (int k = 0; k < places; k++) {
        const struct ky_external_pull pull = ky_external_leave(
            ky_external_of(field, time, ky_external_enter(at, stand.now)), stand.now, at.pace);
        const struct ky_external_pull fallen = ky_external_reflex(
            all, pull, ky_external_of_state(x), ky_external_of_state(y), ky_external_of_state(z));
        all = k ? fallen : pull;
        at = ky_external_origin(at, ky_external_of_state(stand.x), ky_external_of_state(stand.y),
                                ky_external_of_state(stand.z));
    }
    return all;
}

/* The sum of `fields` fields at a time, at the position x, y, z with the velocity, time and pace of
 * `at`, in their order. Loops that run on the device without the host call this between their own
 * forces and the steps. */
KY_FN struct ky_external_pull ky_externals_at(KY_GLOBAL const ky_state *field, ky_uint fields,
                                              ky_state time, ky_state x, ky_state y, ky_state z,
                                              struct ky_external_state at)
{
    struct ky_external_pull sum = ky_external_none();
    for (ky_uint k = 0; k < fields; k++, field += KY_EXTERNAL_STRIDE)
        sum = ky_external_add(sum, ky_external_felt(field, time, x, y, z, at));
    return sum;
}

#endif
