/* Dynamical friction of a body in a background of light particles (Chandrasekhar 1943; Binney &
 * Tremaine 2008, equation 8.7) with velocity dispersion σ in each direction:
 *
 * v' = −k v, k = 4π G² M ρ ln Λ [erf X − 2 X exp(−X²)/√π]/v³, X = v/(√2 σ)
 *
 * ln Λ = ½ ln(1 + (d/b)²), where the largest impact parameter, d, is the distance from the centre
 * of the field, and the smallest one, b, is the larger of the size of the body and G M/v², at which
 * an encounter deflects particles by 90° (Hashimoto et al. 2003; Petts et al. 2015). Near the
 * centre friction falls at least as d²: the body has more mass than its orbit encloses, and stalls.
 *
 * Portable C: physics/dialect.h; used only by the host. */
#ifndef KY_PHYSICS_FRICTION_H
#define KY_PHYSICS_FRICTION_H

#include "physics/dialect.h"

/* ln Λ. `mu`: G M, above 0; `size`: of the body; distance2: d²; speed2: v². */
KY_FN KY_REAL ky_friction_logarithm(KY_REAL mu, KY_REAL size, KY_REAL distance2, KY_REAL speed2)
{
    KY_REAL b = KY_LARGER(size, mu / speed2);
    return KY_SPLAT(0.5f) * log1p(distance2 / b / b);
}

/* k, in 1/time. `mu`: G M ln Λ; `density`: 4π G ρ, in 1/time²; sigma2: σ². */
KY_FN KY_REAL ky_friction_rate(KY_REAL mu, KY_REAL density, KY_REAL sigma2, KY_REAL speed2)
{
    const KY_REAL root = 1.7724538509055160273; /* √π */
    KY_REAL x2 = speed2 / (2 * sigma2), x = sqrt(x2), part;
    if (x < KY_SPLAT(0.05)) /* the bracket over X³ as a series that loses no digits */
        part = 4 / root *
               (KY_SPLAT(1) / 3 - x2 * (KY_SPLAT(1) / 5 - x2 * (KY_SPLAT(1) / 14 - x2 / 54)));
    else
        part = (erf(x) - 2 * x * exp(-x2) / root) / (x * x2);
    return mu * density * part / (2 * sigma2 * sqrt(2 * sigma2));
}

#endif
