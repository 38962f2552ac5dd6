/* Order. Comparisons for qsort and bsearch: the smaller number comes first. Each returns −1, 0 or
 * 1. Medians. */
#ifndef KY_BASE_ORDER_H
#define KY_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Compares two doubles, neither of them NaN. */
static inline int ky_order_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Compares two uint32_t. */
static inline int ky_order_words(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Compares two int32_t. */
static inline int ky_order_labels(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Compares two uint64_t. */
static inline int ky_order_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How many of the numbers, which ascend, are below `limit`. */
static inline size_t ky_count_below(const uint64_t *number, size_t count, uint64_t limit)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (number[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum { KY_SORT_FEW = 16 };

/* Sorts the numbers and returns the one in the middle, the larger of two; 0 for none. A few are
 * sorted by insertion, which takes half of the time. */
static inline double ky_median(double *x, size_t count)
{
    for (size_t k = 1; k < count && count <= KY_SORT_FEW; k++) {
        const double now = x[k];
        size_t at = k;
        for (; at > 0 && x[at - 1] > now; at--)
            x[at] = x[at - 1];
        x[at] = now;
    }
    if (count > KY_SORT_FEW)
        qsort(x, count, sizeof *x, ky_order_reals);
    return count ? x[count / 2] : 0;
}

/* Brings the numbers that are less than `limit`, or at most `limit`, to the front, and returns how
 * many they are. Without a branch, which would be guessed wrong for half of the numbers. */
static inline size_t ky_bring_below(double *x, size_t count, double limit, int or_equal)
{
    size_t below = 0;
    for (size_t k = 0; k < count; k++) {
        const double now = x[k];
        x[k] = x[below];
        x[below] = now;
        below += or_equal ? now <= limit : now < limit;
    }
    return below;
}

/* The number that would be x[k] if all `count` were sorted; k < count. Changes their order. Where
 * some are NaN it is any of them. */
static inline double ky_select(double *x, size_t count, size_t k)
{
    for (;;) {
        const double a = x[0], b = x[count / 2], c = x[count - 1], low = a < b ? a : b,
                     high = a < b ? b : a,
                     middle = c < low    ? low
                              : c > high ? high
                                         : c;
        const size_t below = ky_bring_below(x, count, middle, 0);
        if (k < below) {
            count = below;
            continue;
        }
        const size_t equal = ky_bring_below(x + below, count - below, middle, 1);
        if (k < below + equal || below + equal == 0)
            return middle;
        x += below + equal;
        count -= below + equal;
        k -= below + equal;
    }
}

/* The number that ky_median returns. Many are not sorted, which would take most of the time. */
static inline double ky_select_median(double *x, size_t count)
{
    return count > KY_SORT_FEW ? ky_select(x, count, count / 2) : ky_median(x, count);
}

/* Sorts one number or more. Returns their median, of two in the middle the mean. */
static inline double ky_median_mean(double *x, size_t count)
{
    const double larger = ky_median(x, count);
    return count % 2 ? larger : (x[count / 2 - 1] + larger) / 2;
}

/* The index among `all` of the k-th of `count` things, evenly spread, with the first and the last;
 * for count 1 the last. */
static inline size_t ky_spread(size_t k, size_t count, size_t all)
{
    return count < 2 ? all - 1
                     : (size_t)((double)k * (double)(all - 1) / (double)(count - 1) + 0.5);
}

#endif
