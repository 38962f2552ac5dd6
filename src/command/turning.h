/* The option --turn of convert and orbit: rotating axes (ky_bodies_turn). */
#ifndef KY_COMMAND_TURNING_H
#define KY_COMMAND_TURNING_H

#include "base/options.h"

/* Its row in a table of options; the member is a double. */
#define TURN_OPTION(member)                                                                        \
    {                                                                                              \
        "turn", KY_OPTION_REAL, member, "0", KY_NO_RANGE, NULL, NULL,                              \
            "places and velocities in axes that turn about z with this speed, in radians, from x " \
            "towards y; at the time 0 they are those of the bodies [1/time]"                       \
    }

#endif
