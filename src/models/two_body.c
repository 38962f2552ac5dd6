/* Two bodies on a bound orbit in the x-y plane, anticlockwise, starting at apocentre on the x axis;
 * total mass 1. The softened orbit has the same turning points a (1 ± e) as the Kepler orbit. */
#include <math.h>

#include "base/status.h"
#include "models/models.h"

struct two_body {
    double eccentricity, mass_ratio, semi_major_axis;
};

#define FIELD(name) offsetof(struct two_body, name)

static const struct ky_option options[] = {
    {"eccentricity", KY_OPTION_REAL, FIELD(eccentricity), "0", 0, 0.999999, NULL, NULL,
     "two-body: eccentricity of the orbit"},
    {"mass-ratio", KY_OPTION_REAL, FIELD(mass_ratio), "1", 0, 1e6, NULL, NULL,
     "two-body: mass ratio of the second body to the first"},
    {"semi-major-axis", KY_OPTION_REAL, FIELD(semi_major_axis), "1", 1e-6, 1e6, NULL, "LENGTH",
     "two-body: semi-major axis of the relative orbit [length]"},
};

/* Places both bodies at the apocentre of the relative orbit, about their centre of mass. */
static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct two_body *orbit = own;
    struct ky_bodies *bodies = &snapshot->bodies;
    KY_TRY(ky_model_allocate(common, 0, snapshot, error));
    const double e = orbit->eccentricity, a = orbit->semi_major_axis;
    const double far = a * (1 + e), near = a * (1 - e), eps = ky_pair_softening(common);
    /* v²/2 − 1/√(r² + ε²) and r v are equal at both ends */
    const double far_s = hypot(far, eps), near_s = hypot(near, eps);
    const double speed = near * sqrt(2 / (far_s * near_s * (far_s + near_s)));
    const double second = orbit->mass_ratio / (1 + orbit->mass_ratio);
    bodies->mass[0] = 1 - second;
    bodies->mass[1] = second;
    bodies->position[0][0] = -second * far;
    bodies->position[1][0] = (1 - second) * far;
    bodies->velocity[0][1] = -second * speed;
    bodies->velocity[1][1] = (1 - second) * speed;
    return KY_OK;
}

const struct ky_model ky_two_body = {
    .name = "two-body",
    .help = "two bodies on a bound orbit, at its apocentre",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct two_body),
    .bodies = 2,
    .certain = 1,
    .scaling = KY_SCALE_MASS,
    .centring = KY_CENTRE_MASS,
    .make = make,
};
