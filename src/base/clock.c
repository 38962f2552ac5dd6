/* The monotonic clock, and the processor time of a thread. */
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ky_clock(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double ky_processor_clock(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}
