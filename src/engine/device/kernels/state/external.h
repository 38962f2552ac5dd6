/* External fields (physics/external.h) as a kernel reads them: for each its kind, its centre and
 * its numbers, KY_EXTERNAL_STRIDE numbers of the state, in the units of the columns. */
#ifndef KY_KERNELS_EXTERNAL_H
#define KY_KERNELS_EXTERNAL_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/driver/state.h"

#include "physics/external.h"

KY_FN struct ky_external_pull ky_external_of(KY_GLOBAL const ky_state *field,
                                             struct ky_external_place at)
{
    struct ky_external_pull pull = ky_external_none();
    int k = 0;
    switch ((int)ky_state_high(field[0])) {
#define KY_EXTERNAL_NUMBER(k) ky_real_of_state(field[4 + (k)])
        KY_EXTERNAL_KINDS(KY_EXTERNAL_CASE)
    }
    return pull;
}

/* The pull of `fields` fields at a moving place, added in their order. A loop that a device runs
 * alone calls this between its own forces and the steps. */
KY_FN struct ky_external_pull ky_externals_at(KY_GLOBAL const ky_state *field, ky_uint fields,
                                              ky_state x, ky_state y, ky_state z, KY_REAL vx,
                                              KY_REAL vy, KY_REAL vz)
{
    struct ky_external_pull sum = ky_external_none();
    for (ky_uint k = 0; k < fields; k++, field += KY_EXTERNAL_STRIDE) {
        struct ky_external_place at;
        at.x = ky_real_of_state(ky_state_add(x, ky_state_negative(field[1])));
        at.y = ky_real_of_state(ky_state_add(y, ky_state_negative(field[2])));
        at.z = ky_real_of_state(ky_state_add(z, ky_state_negative(field[3])));
        at.vx = vx;
        at.vy = vy;
        at.vz = vz;
        sum = ky_external_add(sum, ky_external_of(field, at));
    }
    return sum;
}

#endif
