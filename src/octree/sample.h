/* Samples of bodies on the host: which ones, and the median of many numbers from a few of them. */
#ifndef KY_OCTREE_SAMPLE_H
#define KY_OCTREE_SAMPLE_H

#include "base/portion.h"
#include "physics/sample.h"

enum { KY_MEDIAN_MOST = 1023 };

/* Body k of a sample of `count` bodies of the order. A sample of all bodies is in their own order.
 */
static inline size_t ky_sampled(struct ky_sample_order order, size_t count, size_t k)
{
    return count < order.n ? (size_t)ky_sample_index(order, k) : k;
}

/* Writes the bodies of a sample of at most `most` of n bodies to index[]. Returns their number. */
size_t ky_sample(size_t n, size_t most, size_t *index);

/* The median of a sample of at most `most` of the n numbers x[0], x[step], x[2 step], …; 0 if there
 * are none. Outliers do not move it. most <= KY_MEDIAN_MOST. */
double ky_sampled_median(const double *x, size_t step, size_t n, size_t most);
/* The same for the numbers x[member[k]], k < n; `member` NULL: x[k]. */
double ky_sampled_median_of(const double *x, const uint32_t *member, size_t n, size_t most);
/* The same for bodies that may be divided among ranks: x[step i] is the coordinate of place i of
 * the arrays. */
enum ky_status ky_portion_median(const struct ky_portion *portion, const double *x, size_t step,
                                 size_t most, double *median, struct ky_error *error);

#endif
