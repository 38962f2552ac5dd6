/* Numbers of the state of the bodies: double, or on devices without double two floats whose sum is
 * the number (double-single, 48 bits). Sums and products of two-floats: Dekker 1971, Knuth. */
#ifndef KY_KERNELS_STATE_H
#define KY_KERNELS_STATE_H

#include "engine/device/kernels/dialect.h"

#ifdef KY_HAS_DOUBLE

typedef double ky_state;

KY_FN ky_state ky_state_from(float x)
{
    return (double)x;
}

KY_FN float ky_state_high(ky_state a)
{
    return (float)a;
}

KY_FN float ky_state_low(ky_state a)
{
    return (float)(a - (double)(float)a);
}

KY_FN ky_state ky_state_add(ky_state a, ky_state b)
{
    return a + b;
}

KY_FN ky_state ky_state_negative(ky_state a)
{
    return -a;
}

KY_FN ky_state ky_state_product(ky_state a, ky_state b)
{
    return a * b;
}

#else

typedef float2 ky_state; /* x + y, |y| at most half the last digit of x */

KY_FN ky_state ky_state_from(float x)
{
    return (float2)(x, 0.0f);
}

KY_FN float ky_state_high(ky_state a)
{
    return a.x;
}

KY_FN float ky_state_low(ky_state a)
{
    return a.y;
}

KY_FN ky_state ky_state_add(ky_state a, ky_state b)
{
    float s = a.x + b.x, t = s - a.x, e = (a.x - (s - t)) + (b.x - t);
    float u = a.y + b.y, v = u - a.y, f = (a.y - (u - v)) + (b.y - v);
    e += u;
    float high = s + e;
    e = (e - (high - s)) + f;
    float sum = high + e;
    return (float2)(sum, e - (sum - high));
}

KY_FN ky_state ky_state_negative(ky_state a)
{
    return -a;
}

KY_FN ky_state ky_state_product(ky_state a, ky_state b)
{
    float p = a.x * b.x, e = KY_FMA_EXACT(a.x, b.x, -p);
    e = KY_FMA_EXACT(a.x, b.y, KY_FMA_EXACT(a.y, b.x, e));
    float high = p + e;
    return (float2)(high, e - (high - p));
}

#endif

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
