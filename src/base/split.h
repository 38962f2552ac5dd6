/* A double as two floats: (float)x, and what that leaves out, together 48 bits. */
#ifndef KY_BASE_SPLIT_H
#define KY_BASE_SPLIT_H

#include <stdint.h>
#include <string.h>

/* (float)x as a double, for numbers whose float is neither denormal nor infinite: to 24 bits, ties
 * to even. Not (double)(float)x: where gcc 12 does that for two numbers at a time, it leaves both
 * conversions out, and every low part is 0. */
static inline double ky_high_part(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x0fffffff + (bits >> 29 & 1)) & ~(uint64_t)0x1fffffff;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x less (float)x. */
static inline float ky_low_part(double x)
{
    return (float)(x - ky_high_part(x));
}

#endif
