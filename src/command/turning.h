/* Places and velocities in axes that turn about z: --turn of convert and orbit. */
#ifndef KY_COMMAND_TURNING_H
#define KY_COMMAND_TURNING_H

#include "base/options.h"

/* The row of --turn in a table of options; its member is a double, and 0 by default. */
#define TURN_OPTION(member)                                                                        \
    {                                                                                              \
        "turn", KY_OPTION_REAL, member, "0", KY_NO_RANGE, NULL, NULL,                              \
            "places and velocities in axes that turn about z with this speed, in radians, from x " \
            "towards y; at the time 0 they are those of the bodies [1/time]"                       \
    }

/* Changes a place and a velocity [3] to those in axes that turn with `speed`, at a time. v may be
 * NULL: x is then any vector, such as an acceleration, in its parts along these axes. */
void turn_into(double speed, double time, double *x, double *v);

#endif
