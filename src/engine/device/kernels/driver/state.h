/* Numbers of the state of the bodies: double, or on devices without double two floats whose sum is
 * the number (double-single, 48 bits). Sums and products of two-floats: Dekker 1971, Knuth. */
#ifndef KY_KERNELS_STATE_H
#define KY_KERNELS_STATE_H

#include "engine/device/kernels/driver/dialect.h"

#include "octree/layout.h"

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

KY_FN ky_state ky_state_quotient(ky_state a, ky_state b)
{
    return a / b;
}

KY_FN int ky_state_less(ky_state a, ky_state b)
{
    return a < b;
}

/* high + low, of which the first is the float next to the sum. */
KY_FN ky_state ky_state_pair(float high, float low)
{
    return (double)high + (double)low;
}

/* The whole number below x, at least 0 and at most KY_KEY_PLACES − 1. */
KY_FN ky_uint ky_frame_floor(ky_state x)
{
    const double last = KY_KEY_PLACES - 1;
    return (ky_uint)(x > 0.0 ? (x < last ? x : last) : 0.0);
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

KY_FN int ky_state_less(ky_state a, ky_state b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

KY_FN ky_state ky_state_pair(float high, float low)
{
    return (float2)(high, low);
}

KY_FN ky_uint ky_frame_floor(ky_state x)
{
    float inside = KY_FMIN(KY_FMAX(x.x, 0.0f), (float)(KY_KEY_PLACES - 1));
    ky_uint place = (ky_uint)inside;
    return inside == x.x && (float)place == x.x && x.y < 0.0f && place > 0 ? place - 1 : place;
}

KY_FN ky_state ky_state_product(ky_state a, ky_state b)
{
    float p = a.x * b.x, e = KY_FMA_EXACT(a.x, b.x, -p);
    e = KY_FMA_EXACT(a.x, b.y, KY_FMA_EXACT(a.y, b.x, e));
    float high = p + e;
    return (float2)(high, e - (high - p));
}

/* One step of long division after the floats' own. */
KY_FN ky_state ky_state_quotient(ky_state a, ky_state b)
{
    float q = a.x / b.x;
    ky_state rest = ky_state_add(a, ky_state_negative(ky_state_product(ky_state_from(q), b)));
    float more = rest.x / b.x, sum = q + more;
    return (float2)(sum, more - (sum - q));
}

#endif

/* The smaller of two numbers, or the larger one. */
KY_FN ky_state ky_state_bound(ky_state a, ky_state b, int larger)
{
    return ky_state_less(a, b) == larger ? b : a;
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
