/* The body that has more than half of all mass, as a black hole in a cusp: what the other bodies do
 * to each other is a small part of |a| around it. */
#ifndef KY_ANALYSIS_DOMINANT_H
#define KY_ANALYSIS_DOMINANT_H

#include "engine/engine.h"

struct ky_dominant {
    size_t body; /* its number; SIZE_MAX: there is none */
    double position[3], mass, softening;
    int own; /* 1: bodies have softenings of their own */
};

/* Finds it. The parameters' softening is for bodies without their own. */
struct ky_dominant ky_dominant_find(const struct ky_bodies *bodies,
                                    const struct ky_parameters *parameters);
/* Its pull on a body at x with this softening, in the caller's units: a[3]. `units`: those of an
 * engine with the bodies (ky_engine_units_of). */
void ky_dominant_pull(const struct ky_dominant *dominant, const struct ky_parameters *parameters,
                      const struct ky_engine_frame *units, const double x[3], double softening,
                      double a[3]);

#endif
