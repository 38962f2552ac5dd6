/* The option --turn of convert and orbit: rotating axes (ky_bodies_turn). */
#ifndef KY_COMMAND_TURNING_H
#define KY_COMMAND_TURNING_H

#include "base/options.h"

/* Its row in a table of options; the member is a double. */
#define TURN_OPTION(member)                                                                        \
    {                                                                                              \
        "turn", KY_OPTION_REAL, member, "0", KY_NO_RANGE, NULL, NULL,                              \
            "give positions and velocities in axes that rotate about z with this speed, in "       \
            "radians, from x towards y; at time 0 they coincide with the axes at rest [1/time]"    \
    }

#endif
