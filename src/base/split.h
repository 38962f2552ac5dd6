/* A double as the sum of two floats: (float)x and the remainder. Together they have 48 bits. */
#ifndef KY_BASE_SPLIT_H
#define KY_BASE_SPLIT_H

#include <stdint.h>
#include <string.h>

/* (float)x as a double: x rounded to 24 bits, ties to even. For numbers whose float is neither
 * denormal nor infinite. It is not written (double)(float)x, because gcc 12 leaves both conversions
 * out where it makes two numbers at a time; every low part would be 0. */
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
