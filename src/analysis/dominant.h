/* A body with more than half of the total mass, such as a black hole in a cusp. Near it, the forces
 * between the other bodies are a small part of |a|. */
#ifndef KY_ANALYSIS_DOMINANT_H
#define KY_ANALYSIS_DOMINANT_H

#include "engine/engine.h"

struct ky_dominant {
    size_t body; /* its index; SIZE_MAX: no body has more than half of the total mass */
    double position[3], mass, softening;
    int own; /* 1: bodies have their own softenings */
};

/* Finds the dominant body. Uses the softening of the parameters if bodies have none of their
 * own. */
struct ky_dominant ky_dominant_find(const struct ky_bodies *bodies,
                                    const struct ky_parameters *parameters);
/* Writes the acceleration by the dominant body, for a body at x with this softening, to a[3], in
 * the caller's units. `units`: the units of an engine with the bodies (ky_engine_units_of). */
void ky_dominant_pull(const struct ky_dominant *dominant, const struct ky_parameters *parameters,
                      const struct ky_engine_frame *units, const double x[3], double softening,
                      double a[3]);

#endif
