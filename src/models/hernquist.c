/* Hernquist (1990) sphere: ρ = 1/(2π r (1 + r)³) in scale radii. The default cutoff at 100 scale
 * radii keeps 98 % of the mass. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

/* Hernquist (1990), eqs. 2 and 3: ρ above, M(r) = r²/(1 + r)²; dρ/dr = −ρ (1 + 4r)/(r (1 + r)). */
static struct ky_shell shell(double r)
{
    const double constant = 1 / (2 * acos(-1.0));
    double s = 1 + r, density = constant / (r * s * s * s);
    return (struct ky_shell){
        .density = density, .slope = -density * (1 + 4 * r) / (r * s), .mass = r * r / (s * s)};
}

const struct ky_model ky_hernquist = {
    .name = "hernquist",
    .help = "Hernquist sphere in equilibrium; cut at 100 scale radii (98 % of the mass)",
    KY_CUT_OWN,
    .shell = shell,
    .cutoff = 100,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_CUSP,
};
