/* The number of threads of a loop: --threads, or OMP_NUM_THREADS, or the processors that this
 * process may use (cores.h). */
#ifndef KY_BASE_THREADS_H
#define KY_BASE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
#endif

/* The smallest count for which a loop that does little for each body takes several threads. The
 * calling thread ends a smaller one before another thread has woken. */
enum { KY_SEVERAL_FROM = 1 << 15 };

/* From now on the loops of this thread take `wanted` threads, unless they name a number; 0 changes
 * nothing. Returns the number of before, for ky_threads_restore. */
static inline int ky_threads_take(int wanted)
{
#ifdef _OPENMP
    int before = omp_get_max_threads();
    if (wanted > 0)
        omp_set_num_threads(wanted);
    return before;
#else
    return wanted;
#endif
}

/* Restores the number before ky_threads_take. */
static inline void ky_threads_restore(int before)
{
#ifdef _OPENMP
    omp_set_num_threads(before);
#else
    (void)before;
#endif
}

/* The number of threads of a loop for which `wanted` were asked; 0 leaves the number to OpenMP. 1
 * in a build without OpenMP. */
static inline int ky_threads(int wanted)
{
#ifdef _OPENMP
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    (void)wanted;
    return 1;
#endif
}

/* The number of threads that a loop beginning here gets: 1 within a loop of several threads. */
static inline int ky_threads_here(void)
{
#ifdef _OPENMP
    return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

/* The number of the calling thread in its loop: 0, 1, … */
static inline int ky_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
