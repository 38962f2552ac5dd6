/* Jaffe (1983) sphere: ρ = 1/(4π r² (1 + r)²) in scale radii. The default cutoff at 100 scale radii
 * keeps 99 % of the mass. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

/* M(r) = r/(1 + r); dρ/dr = −2 ρ (1 + 2r)/(r (1 + r)). */
static struct ky_shell shell(double r)
{
    const double constant = 1 / (4 * acos(-1.0));
    double s = 1 + r, density = constant / (r * r * s * s);
    return (struct ky_shell){
        .density = density, .slope = -2 * density * (1 + 2 * r) / (r * s), .mass = r / s};
}

const struct ky_model ky_jaffe = {
    .name = "jaffe",
    .help = "Jaffe sphere in equilibrium; cut at 100 scale radii (99 % of the mass)",
    KY_CUT_OWN,
    .shell = shell,
    .cutoff = 100,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_CUSP,
};
