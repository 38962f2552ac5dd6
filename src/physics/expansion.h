/* The expanding space of Friedmann and Lemaître, with matter, curvature and a cosmological
 * constant; radiation is left out (0.02 % of H at a = 1/2, 1 % at a = 0.015). Host only. */
#ifndef KY_PHYSICS_EXPANSION_H
#define KY_PHYSICS_EXPANSION_H

#include <math.h>

/* H(a)/H0 = √(Ω_m/a³ + (1 − Ω_m − Ω_Λ)/a² + Ω_Λ) */
static inline double ky_expansion_rate(double a, double omega_matter, double omega_lambda)
{
    double curvature = 1 - omega_matter - omega_lambda;
    return sqrt(omega_matter / (a * a * a) + curvature / (a * a) + omega_lambda);
}

/* H0 t(a) = ∫ da/(a H/H0) from 0, by Simpson's rule over s = √a, in which the integrand
 * 2 s²/√(Ω_m + Ω_k s² + Ω_Λ s⁶) is smooth. */
static inline double ky_expansion_age(double a, double omega_matter, double omega_lambda)
{
    enum { PARTS = 1000 };
    double curvature = 1 - omega_matter - omega_lambda, step = sqrt(a) / PARTS, sum = 0;
    for (int k = 1; k <= PARTS; k++) {
        double s = k * step, s2 = s * s;
        double f = 2 * s2 / sqrt(omega_matter + curvature * s2 + omega_lambda * s2 * s2 * s2);
        sum += (k == PARTS ? 1 : k % 2 ? 4 : 2) * f;
    }
    return sum * step / 3;
}

#endif
