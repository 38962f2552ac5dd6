/* Seconds of a clock that only goes forward, for durations. */
#ifndef KY_BASE_CLOCK_H
#define KY_BASE_CLOCK_H

double ky_clock(void);

#endif
