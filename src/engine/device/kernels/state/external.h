/* External fields (physics/external.h) as a kernel reads them: for each its kind, its centre and
 * its numbers, KY_EXTERNAL_STRIDE numbers of the state, in the units of the columns. The numbers
 * are those of a time, and kernels ask for the fields so long after it. The host sends them anew
 * for each evaluation, and the Hermite scheme those of time 0: it has double. */
#ifndef KY_KERNELS_EXTERNAL_H
#define KY_KERNELS_EXTERNAL_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/driver/state.h"

#include "physics/external.h"

#ifdef KY_HAS_DOUBLE
/* An angle after some time, less whole turns. */
KY_FN ky_state ky_external_turned(ky_state angle, ky_state rate, ky_state time)
{
    const ky_state whole = 6.283185307179586476925;
    return fmod(angle + rate * time, whole);
}
#else
KY_FN ky_state ky_external_turned(ky_state angle, ky_state rate, ky_state time)
{
    return ky_state_add(angle, ky_state_product(rate, time));
}
#endif

/* The k-th number of a field at a time. */
KY_FN KY_REAL ky_external_number(KY_GLOBAL const ky_state *field, int k, ky_state time)
{
    const int turns = (int)ky_state_high(field[0]) == KY_EXTERNAL_BAR && k == KY_EXTERNAL_BAR_ANGLE;
    return ky_real_of_state(turns ? ky_external_turned(field[4 + k], field[3 + k], time)
                                  : field[4 + k]);
}

KY_FN struct ky_external_pull ky_external_of(KY_GLOBAL const ky_state *field, ky_state time,
                                             struct ky_external_place at)
{
    struct ky_external_pull pull = ky_external_none();
    int k = 0;
    switch ((int)ky_state_high(field[0])) {
#define KY_EXTERNAL_NUMBER(k) ky_external_number(field, k, time)
        KY_EXTERNAL_KINDS(KY_EXTERNAL_CASE)
    }
    return pull;
}

/* The pull of `fields` fields at a time, at a place x, y, z with the velocity and the time and pace
 * of `at`, added in their order. A loop that a device runs alone calls this between its own forces
 * and the steps. */
KY_FN struct ky_external_pull ky_externals_at(KY_GLOBAL const ky_state *field, ky_uint fields,
                                              ky_state time, ky_state x, ky_state y, ky_state z,
                                              struct ky_external_place at)
{
    struct ky_external_pull sum = ky_external_none();
    for (ky_uint k = 0; k < fields; k++, field += KY_EXTERNAL_STRIDE) {
        at.x = ky_real_of_state(ky_state_add(x, ky_state_negative(field[1])));
        at.y = ky_real_of_state(ky_state_add(y, ky_state_negative(field[2])));
        at.z = ky_real_of_state(ky_state_add(z, ky_state_negative(field[3])));
        sum = ky_external_add(sum, ky_external_of(field, time, at));
    }
    return sum;
}

#endif
