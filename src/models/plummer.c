/* Plummer (1911) sphere: ρ = 3/(4π) (1 + r²)^(−5/2) in scale radii.
 *
 * The default cutoff at 38.7 scale radii is 22.8042468 Hénon lengths of the complete sphere and
 * keeps 99.9 % of its mass, as in Starlab and AMUSE. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

/* M(r) = r³/(1 + r²)^(3/2) and dρ/dr = −15 r/(4π) (1 + r²)^(−7/2). */
static struct ky_shell shell(double r)
{
    const double constant = 3 / (4 * acos(-1.0));
    double s2 = 1 + r * r, inner = r / sqrt(s2);
    return (struct ky_shell){.density = constant * pow(s2, -2.5),
                             .slope = -5 * constant * r * pow(s2, -3.5),
                             .mass = inner * inner * inner};
}

const struct ky_model ky_plummer = {
    .name = "plummer",
    .help = "Plummer sphere in equilibrium; cut at 38.7 scale radii (99.9 % of the mass)",
    KY_CUT_OWN,
    .shell = shell,
    .cutoff = 38.7136917515, /* 22.8042468 × 16/(3π) */
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
};
