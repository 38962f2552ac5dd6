/* Two bodies on a bound orbit in the x-y plane, anticlockwise, at apocentre on the x axis; total
 * mass 1. The softened orbit has the same turning points a (1 ± e) as Kepler's. */
#include <math.h>

#include "models/models.h"

enum ky_status ky_make_two_body(const struct ky_model_parameters *parameters,
                                struct ky_bodies *bodies, struct ky_error *error)
{
    (void)error;
    const double e = parameters->eccentricity, a = parameters->semi_major_axis;
    const double far = a * (1 + e), near = a * (1 - e), eps = ky_pair_softening(parameters);
    /* v²/2 − 1/√(r² + ε²) and r v are the same at both ends. */
    const double far_s = hypot(far, eps), near_s = hypot(near, eps);
    const double speed = near * sqrt(2 / (far_s * near_s * (far_s + near_s)));
    const double second = parameters->mass_ratio / (1 + parameters->mass_ratio);
    bodies->mass[0] = 1 - second;
    bodies->mass[1] = second;
    bodies->position[0][0] = -second * far;
    bodies->position[1][0] = (1 - second) * far;
    bodies->velocity[0][1] = -second * speed;
    bodies->velocity[1][1] = (1 - second) * speed;
    return KY_OK;
}
