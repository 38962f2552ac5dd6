/* Hernquist's (1990) sphere: ρ = 1/(2π r (1 + r)³) in scale radii. The default cut at 100 scale
 * radii leaves 98 % of the mass inside. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

static const double default_cutoff = 100;

/* Hernquist (1990), eqs. 2 and 3: ρ above, M(r) = r²/(1 + r)²; dρ/dr = −ρ (1 + 4r)/(r (1 + r)). */
static struct ky_shell shell(double r)
{
    const double constant = 1 / (2 * acos(-1.0));
    double s = 1 + r, density = constant / (r * s * s * s);
    return (struct ky_shell){
        .density = density, .slope = -density * (1 + 4 * r) / (r * s), .mass = r * r / (s * s)};
}

static enum ky_status profile_of(const void *own, struct ky_profile *profile,
                                 struct ky_error *error)
{
    (void)error;
    ky_profile_cut(profile, ky_cutoff(own, default_cutoff), shell);
    return KY_OK;
}

const struct ky_model ky_hernquist = {
    .name = "hernquist",
    .help = "Hernquist sphere in equilibrium; cut at 100 scale radii (98 % of the mass)",
    KY_CUT_OWN,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_CUSP,
    .profile = profile_of,
};
