/* State numbers of the bodies (physics/number.h), and conversions from and to the numbers of a
 * precision. */
#ifndef KY_KERNELS_STATE_H
#define KY_KERNELS_STATE_H

#include "engine/device/kernels/driver/dialect.h"

#include "physics/number.h"

#ifdef KY_PRECISION
#if KY_IN_DOUBLE
KY_FN ky_state ky_state_of_real(KY_REAL x)
{
    return x;
}

KY_FN KY_REAL ky_real_of_state(ky_state a)
{
    return a;
}
#else
KY_FN ky_state ky_state_of_real(KY_REAL x)
{
    return ky_state_from(x);
}

KY_FN KY_REAL ky_real_of_state(ky_state a)
{
    return ky_state_high(a);
}
#endif
#endif

#endif
