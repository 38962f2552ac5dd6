/* The number type of the bodies' state: double, or on devices without double the sum of two floats
 * (double-single, 48 bits). Sums and products of two floats: Dekker 1971, Knuth. The relative
 * errors of products and quotients are a few times 2^-48. Included by the host, where it is double,
 * and by kernels. */
#ifndef KY_PHYSICS_NUMBER_H
#define KY_PHYSICS_NUMBER_H

#include "physics/dialect.h"
#include "physics/space.h"

/* Numbers that need few digits: float on devices; the host has no reason to round. For KY_POW and
 * KY_SQRT. */
#if KY_HOST
typedef double ky_scalar;
#else
typedef float ky_scalar;
#endif

#if KY_HOST || defined(KY_HAS_DOUBLE)
#define KY_STATE_IS_DOUBLE 1

typedef double ky_state;

KY_FN ky_state ky_state_from(float x)
{
    return (double)x;
}

KY_FN ky_state ky_state_of_wide(KY_WIDE x)
{
    return x;
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

KY_FN ky_state ky_state_sum(ky_state a, ky_state b)
{
    return a + b;
}

KY_FN ky_state ky_state_scaled(ky_state a, float power)
{
    return a * (double)power;
}

KY_FN ky_state ky_state_rounded(ky_state a, float unit)
{
    const double large = 1.5 * 4503599627370496.0 * (double)unit; /* 1.5 × 2^52 units */
    return (a + large) - large;
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

/* high + low, where `high` is the float nearest to the sum. */
KY_FN ky_state ky_state_pair(float high, float low)
{
    return (double)high + (double)low;
}

#else

typedef float2 ky_state; /* x + y, |y| at most half a unit in the last place of x */

KY_FN ky_state ky_state_from(float x)
{
    return (float2)(x, 0.0f);
}

KY_FN ky_state ky_state_of_wide(KY_WIDE x)
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

/* a + b in half the operations of ky_state_add, with an error of up to 2^-47 (|a| + |b|). It is for
 * sums that are not much smaller than their terms. */
KY_FN ky_state ky_state_sum(ky_state a, ky_state b)
{
    float s = a.x + b.x, t = s - a.x, e = (a.x - (s - t)) + (b.x - t);
    e += a.y + b.y;
    float high = s + e;
    return (float2)(high, e - (high - s));
}

/* a times a power of two, without an error. */
KY_FN ky_state ky_state_scaled(ky_state a, float power)
{
    return a * power;
}

/* a rounded to a multiple of `unit`, a power of two. |a| must be from 2^23 to 2^46 units. */
KY_FN ky_state ky_state_rounded(ky_state a, float unit)
{
    const float large = 1.5f * 8388608.0f * unit; /* its last bit is the unit */
    return (float2)(a.x, (a.y + large) - large);
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
    float q = a.x / b.x, rest = KY_FMA_EXACT(-q, b.x, a.x) + KY_FMA_EXACT(-q, b.y, a.y);
    float more = rest / b.x, sum = q + more;
    return (float2)(sum, more - (sum - q));
}

#endif

KY_FN ky_state ky_state_minus(ky_state a, ky_state b)
{
    return ky_state_add(a, ky_state_negative(b));
}

/* Source minus sink in numbers of the state; see KY_APART. */
KY_FN ky_state ky_state_apart(ky_state source, ky_state sink)
{
#ifdef KY_STATE_IS_DOUBLE
    return KY_APART(source, sink);
#else
    return ky_state_minus(source, sink);
#endif
}

/* The midpoint of two numbers. */
KY_FN ky_state ky_state_middle(ky_state a, ky_state b)
{
    const ky_state one_half = ky_state_from(0.5f);
    return ky_state_add(ky_state_product(one_half, a), ky_state_product(one_half, b));
}

/* The smaller and the larger of two numbers; a if they are equal or one of them is NaN. */
KY_FN ky_state ky_state_least(ky_state a, ky_state b)
{
    return ky_state_less(b, a) ? b : a;
}

KY_FN ky_state ky_state_most(ky_state a, ky_state b)
{
    return ky_state_less(a, b) ? b : a;
}

/* The larger of two numbers if `larger`, otherwise the smaller. */
KY_FN ky_state ky_state_bound(ky_state a, ky_state b, int larger)
{
    return larger ? ky_state_most(a, b) : ky_state_least(a, b);
}

KY_FN ky_scalar ky_state_scalar(ky_state a)
{
#if KY_HOST
    return a;
#else
    return ky_state_high(a);
#endif
}

/* A float that is not smaller than x; 0 for negative numbers. The added term handles values that
 * are subnormal or too small for float. */
KY_FN float ky_round_up(ky_scalar x)
{
#if KY_HOST
    ky_scalar raised = x * (1 + 0x1p-23) + 0x1p-149;
#else
    ky_scalar raised = x * (1.0f + 2.4e-7f) + 1.2e-38f;
#endif
    return x > 0 ? (float)raised : 0.0f;
}

#endif
