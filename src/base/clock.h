/* Seconds of a clock that only goes forward; its zero is arbitrary, so only differences mean
 * something. */
#ifndef KY_BASE_CLOCK_H
#define KY_BASE_CLOCK_H

double ky_clock(void);

#endif
