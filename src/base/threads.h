/* How many threads a loop takes: what --threads says, or what OpenMP would take (OMP_NUM_THREADS).
 */
#ifndef KY_BASE_THREADS_H
#define KY_BASE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#endif

static inline int ky_threads(int wanted)
{
#ifdef _OPENMP
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    (void)wanted;
    return 1;
#endif
}

#endif
