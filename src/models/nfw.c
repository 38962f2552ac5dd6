/* Navarro, Frenk & White (1997) sphere: ρ ∝ 1/(r (1 + r)²) in scale radii. Its mass diverges with
 * the radius, so the cutoff is part of the model: the default is 30 scale radii, with which the
 * density at 10 scale radii is 4 % below the law. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

/* M(r) = ln(1 + r) − r/(1 + r), so that ρ = 1/(4π r (1 + r)²); dρ/dr = −ρ (1 + 3r)/(r (1 + r)). */
static struct ky_shell shell(double r)
{
    const double constant = 1 / (4 * acos(-1.0));
    double s = 1 + r, density = constant / (r * s * s);
    return (struct ky_shell){
        .density = density, .slope = -density * (1 + 3 * r) / (r * s), .mass = log1p(r) - r / s};
}

const struct ky_model ky_nfw = {
    .name = "nfw",
    .help = "sphere of Navarro, Frenk and White in equilibrium; cut at 30 scale radii",
    KY_CUT_OWN,
    .shell = shell,
    .cutoff = 30,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_CUSP,
};
