/* The body that has more than half of all mass, such as a black hole in a cusp. Around it the pull
 * of the other bodies on each other is a small part of |a|. */
#ifndef KY_ANALYSIS_DOMINANT_H
#define KY_ANALYSIS_DOMINANT_H

#include "engine/engine.h"

struct ky_dominant {
    size_t body; /* its index; SIZE_MAX: no body has more than half of all mass */
    double position[3], mass, softening;
    int own; /* 1: bodies have softenings of their own */
};

/* Finds the dominant body. The softening of the parameters is used if bodies have none of their
 * own. */
struct ky_dominant ky_dominant_find(const struct ky_bodies *bodies,
                                    const struct ky_parameters *parameters);
/* Writes the pull of the dominant body on a body at x with this softening to a[3], in the caller's
 * units. `units`: the units of an engine with the bodies (ky_engine_units_of). */
void ky_dominant_pull(const struct ky_dominant *dominant, const struct ky_parameters *parameters,
                      const struct ky_engine_frame *units, const double x[3], double softening,
                      double a[3]);

#endif
