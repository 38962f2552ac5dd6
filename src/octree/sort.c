/* Least significant digit radix sort of (key, index). Every thread counts and moves an own stretch
 * of the input; the result of a stable sort is one and the same for any division. */
#include "octree/work.h"

#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { BITS = 8, DIGITS = 1 << BITS, PASSES = 8, PARALLEL_FROM = 16384, MAX_THREADS = 256 };

struct pass {
    const uint64_t *from;
    const uint32_t *from_order; /* NULL: the place itself */
    uint64_t *to;
    uint32_t *to_order;
    int shift;
};

static void count_digits(const struct pass *pass, size_t begin, size_t end, uint32_t count[DIGITS])
{
    memset(count, 0, DIGITS * sizeof *count);
    for (size_t i = begin; i < end; i++)
        count[pass->from[i] >> pass->shift & (DIGITS - 1)]++;
}

/* Counts of each thread and digit to the places where they start. */
static void start_digits(uint32_t (*count)[DIGITS], int threads)
{
    uint32_t sum = 0;
    for (int digit = 0; digit < DIGITS; digit++)
        for (int thread = 0; thread < threads; thread++) {
            uint32_t here = count[thread][digit];
            count[thread][digit] = sum;
            sum += here;
        }
}

static void move_digits(const struct pass *pass, size_t begin, size_t end, uint32_t start[DIGITS])
{
    const uint64_t *from = pass->from;
    const uint32_t *from_order = pass->from_order;
    for (size_t i = begin; i < end; i++) {
        uint64_t key = from[i];
        uint32_t place = start[key >> pass->shift & (DIGITS - 1)]++;
        pass->to[place] = key;
        pass->to_order[place] = from_order ? from_order[i] : (uint32_t)i;
    }
}

static int plan(struct pass *pass, uint64_t *key, uint64_t *key2, uint32_t *order, uint32_t *order2,
                uint64_t varying)
{
    int passes = 0;
    for (int digit = 0; digit < PASSES; digit++)
        if (varying >> BITS * digit & (DIGITS - 1))
            pass[passes++].shift = BITS * digit;
    for (int p = 0; p < passes; p++) {
        pass[p].from = p % 2 ? key2 : key;
        pass[p].to = p % 2 ? key : key2;
        pass[p].to_order = (passes - p) % 2 ? order : order2;
        pass[p].from_order = p == 0 ? NULL : (passes - p) % 2 ? order2 : order;
    }
    return passes;
}

uint64_t *ky_octree_sort(size_t n, uint64_t *key, uint64_t *key2, uint32_t *order, uint32_t *order2,
                         uint64_t varying, int threads)
{
    struct pass pass[PASSES];
    int passes = plan(pass, key, key2, order, order2, varying);
    if (passes == 0)
        for (size_t i = 0; i < n; i++)
            order[i] = (uint32_t)i;
    threads = n < PARALLEL_FROM ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    uint32_t count[MAX_THREADS][DIGITS];
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        int thread = 0, team = 1;
#ifdef _OPENMP
        thread = omp_get_thread_num();
        team = omp_get_num_threads();
#endif
        size_t begin = n * (size_t)thread / (size_t)team,
               end = n * ((size_t)thread + 1) / (size_t)team;
        for (int p = 0; p < passes; p++) {
            count_digits(&pass[p], begin, end, count[thread]);
#pragma omp barrier
#pragma omp single
            start_digits(count, team);
            move_digits(&pass[p], begin, end, count[thread]);
#pragma omp barrier
        }
    }
    return passes % 2 ? key2 : key;
}
