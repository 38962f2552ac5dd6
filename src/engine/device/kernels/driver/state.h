/* State numbers of the bodies (physics/number.h), and conversions from and to the numbers of a
 * precision. */
#ifndef KY_KERNELS_STATE_H
#define KY_KERNELS_STATE_H

#include "engine/device/kernels/driver/dialect.h"

#include "physics/number.h"

/* The integer part of x, |x| < 2⁶³, as a word; words add up as signed integers do. */
#if defined(KY_IN_OPENCL)
#define KY_SIGNED long
#else
#define KY_SIGNED long long
#endif
KY_FN ky_ulong ky_state_whole(ky_state x)
{
#ifdef KY_STATE_IS_DOUBLE
    return (ky_ulong)(KY_SIGNED)x;
#else
    return (ky_ulong)((KY_SIGNED)x.x + (KY_SIGNED)x.y);
#endif
}

/* The number of such a word. */
KY_FN ky_state ky_state_of_whole(ky_ulong word)
{
    const KY_SIGNED whole = (KY_SIGNED)word;
#ifdef KY_STATE_IS_DOUBLE
    return (double)whole;
#else
    const float high = (float)whole;
    return ky_state_pair(high, (float)(whole - (KY_SIGNED)high));
#endif
}

/* The position x in a periodic box with corners at 0 and `side`: ky_wrap of physics/space.h. */
KY_FN ky_state ky_state_wrap(ky_state x, ky_state side)
{
    const ky_state none = ky_state_from(0.0f);
    if (!ky_state_less(x, none) && ky_state_less(x, side))
        return x;
    const int boxes = (int)(ky_state_high(x) / ky_state_high(side));
    x = ky_state_minus(x, ky_state_product(ky_state_from((float)boxes), side));
    if (ky_state_less(x, none))
        x = ky_state_add(x, side);
    if (!ky_state_less(x, side))
        x = ky_state_minus(x, side);
    return ky_state_less(x, none) ? none : x;
}

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
