/* The engines' own units: powers of two that bring a system to a size of about 2¹⁰ and its mean
 * mass to 1. Dividing by them changes no digit and keeps float arithmetic away from its limits
 * whatever the caller's units are. */
#ifndef KY_ENGINE_UNITS_H
#define KY_ENGINE_UNITS_H

#include "base/status.h"

struct ky_engine_units {
    double length, mass;
};

/* `softening` is that of bodies which have none of their own. */
struct ky_engine_units ky_engine_units(const struct ky_bodies *bodies, double softening);
/* Whether the accelerations of the bodies are there and were computed. */
int ky_knows_acceleration(const struct ky_bodies *bodies);

#endif
