/* The middle of many numbers, from a few of them: outliers do not move it. */
#ifndef KY_BASE_MEDIAN_H
#define KY_BASE_MEDIAN_H

#include <stddef.h>

enum { KY_MEDIAN_MOST = 1023 };

/* The median of at most `most` of the n numbers x[0], x[step], x[2 step], …, taken at equal
 * distances; 0 if there are none. most <= KY_MEDIAN_MOST. */
double ky_sampled_median(const double *x, size_t step, size_t n, size_t most);

#endif
