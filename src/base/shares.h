/* The division of n things, in their order, into shares that are equal to within one. */
#ifndef KY_BASE_SHARES_H
#define KY_BASE_SHARES_H

#include <stdint.h>

/* The first of n things of share number `share` of `shares`. */
static inline uint64_t ky_share_start(uint64_t n, uint64_t shares, uint64_t share)
{
    return n / shares * share + n % shares * share / shares;
}
/* The share that thing i is in. i and shares are below 2³². */
static inline uint64_t ky_share_of(uint64_t n, uint64_t shares, uint64_t i)
{
    return ((i + 1) * shares - 1) / n;
}

#endif
