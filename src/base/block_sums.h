/* Sums over bodies that have the same bits for any number of threads. The bodies are divided into a
 * fixed number of blocks. Each block is summed in order, and so are the sums of the blocks. */
#ifndef KY_BASE_BLOCK_SUMS_H
#define KY_BASE_BLOCK_SUMS_H

#include <stddef.h>

#include "base/shares.h"

/* The number of blocks. Block b of n bodies holds the bodies ky_block_start(n, b) …
 * ky_block_start(n, b + 1) − 1.
 */
enum { KY_BLOCKS = 256 };
static inline size_t ky_block_start(size_t n, size_t block)
{
    return ky_share_start(n, KY_BLOCKS, block);
}

/* Σ values, 0 for n = 0. */
double ky_sum(size_t n, const double *values);

/* How many of the values are positive. */
size_t ky_count_positive(size_t n, const double *values);

/* mean = Σ w x / Σ w, in the unit of the vectors; the unweighted mean if `weight` is NULL or its
 * sum is 0; 0 when n = 0. Returns Σ w, which is n without weights. */
double ky_mean(size_t n, const double *weight, double (*vectors)[3], double mean[3]);

/* Subtracts `by` from each of the n vectors. */
void ky_subtract(size_t n, double (*vectors)[3], const double by[3]);

#endif
