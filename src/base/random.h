/* Counter-based random numbers: a number is a function of (seed, stream, body, draw), so that any
 * thread of any engine gets the same one. Philox 4x32 with 10 rounds (Salmon, Moraes, Dror & Shaw
 * 2011). */
#ifndef KY_BASE_RANDOM_H
#define KY_BASE_RANDOM_H

#include <stdint.h>

/* The place in the sequence. A model gives each quantity a stream and each body an index; draws
 * that are rejected go on by `draw`. */
struct ky_random {
    uint64_t seed, index;
    uint32_t stream, draw;
};

/* The first draw of a body in a stream. */
struct ky_random ky_random_at(uint64_t seed, uint32_t stream, uint64_t index);
/* Uniform in (0, 1), 53 bits, never 0 or 1. */
double ky_random_uniform(struct ky_random *random);
/* Normal with mean 0 and deviation 1. */
double ky_random_normal(struct ky_random *random);
/* A point on the sphere of radius 1. */
void ky_random_direction(struct ky_random *random, double direction[3]);

#endif
