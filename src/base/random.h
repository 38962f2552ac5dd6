/* Counter-based random numbers: a number is a function of (seed, stream, body, draw), so that any
 * thread of any engine gets the same one. Philox 4x32 with 10 rounds (Salmon, Moraes, Dror & Shaw
 * 2011). */
#ifndef KY_BASE_RANDOM_H
#define KY_BASE_RANDOM_H

#include <stdint.h>

/* A place in the sequence. A model gives each quantity a stream and each body an index. `draw`
 * counts the numbers that were taken there, so that a draw which is rejected is followed by the
 * next. */
struct ky_random {
    uint64_t seed, index;
    uint32_t stream, draw;
};

/* The first draw of a body in a stream. */
struct ky_random ky_random_at(uint64_t seed, uint32_t stream, uint64_t index);
/* The next number, uniform in (0, 1) with 53 bits; never 0 or 1. */
double ky_random_uniform(struct ky_random *random);
/* The next number with a normal distribution of mean 0 and deviation 1; takes two uniform ones. */
double ky_random_normal(struct ky_random *random);
/* A direction, isotropic: a point on the sphere of radius 1; takes two uniform numbers. */
void ky_random_direction(struct ky_random *random, double direction[3]);

#endif
