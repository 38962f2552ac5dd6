/* A clock for durations. */
#ifndef KY_BASE_CLOCK_H
#define KY_BASE_CLOCK_H

/* Now [s]. The clock never goes back. Its zero is arbitrary, so that only differences are
 * meaningful. */
double ky_clock(void);
/* The processor time of the calling thread [s]. */
double ky_processor_clock(void);

#endif
