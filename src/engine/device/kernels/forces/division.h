/* The index in the table of divisions (hermite_memory.c) for a number of sinks. For host and
 * kernels. */
#ifndef KY_KERNELS_DIVISION_H
#define KY_KERNELS_DIVISION_H

#include "engine/device/kernels/driver/shared.h"

#include "physics/dialect.h"

/* The index, below KY_DIVISIONS. */
KY_FN unsigned ky_division_of(unsigned count)
{
    unsigned shift = 0;
    while (count >> shift >= 2 * KY_DIVISION_STEP)
        shift++;
    return shift * KY_DIVISION_STEP + (count >> shift);
}

#endif
