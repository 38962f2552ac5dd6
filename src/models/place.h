/* Position, velocity and orientation of a system: --orientation, --position, --velocity. */
#ifndef KY_MODELS_PLACE_H
#define KY_MODELS_PLACE_H

#include "base/options.h"

/* Texts of three numbers, "x,y,z", or NULL. The orientation is inclination, node and argument in
 * degrees: the system is rotated about the z axis by the argument, then about the x axis by the
 * inclination, then about the z axis by the node. So its x-y plane gets this inclination and
 * ascending node, and its x axis comes to lie in that plane at the argument from the node.
 * ky_bodies_place does this. */

/* The options of a place, for a struct with the texts at these offsets. `of` names the system. */
#define KY_OPTIONS_OF_PLACE(position, velocity, orientation)                                         \
    {"position",  KY_OPTION_TEXT, position, NULL,                                                    \
     KY_NO_RANGE, NULL,           "X,Y,Z",  "added to the positions of all bodies [length]"},        \
        {"velocity",  KY_OPTION_TEXT, velocity, NULL,                                                \
         KY_NO_RANGE, NULL,           "X,Y,Z",  "added to the velocities of all bodies [velocity]"}, \
    {                                                                                                \
        "orientation", KY_OPTION_TEXT, orientation, NULL, KY_NO_RANGE, NULL,                         \
            "INCLINATION,NODE,ARGUMENT",                                                             \
            "turns the bodies about the origin, before --position and --velocity: by the "           \
            "argument "                                                                              \
            "about z, then by the inclination about x, then by the node about z [degrees]"           \
    }

#endif
