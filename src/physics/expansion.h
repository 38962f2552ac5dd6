/* Friedmann-Lemaître expansion with matter, curvature and a cosmological constant; radiation is
 * neglected (0.02 % of H at a = 1/2, 1 % at a = 0.015). Host only. */
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

/* The scale factor at the age H0 t = `age`. NaN before a = 0; in a universe that recollapses, also
 * from 2 % of a before the turning point, where ky_expansion_age is no longer accurate. By
 * bisection of the age in ln a, to the last digits. */
static inline double ky_expansion_factor(double age, double omega_matter, double omega_lambda)
{
    enum { HALVES = 64 };
    const double tolerance = 1e-9, turn = 1.02;
    double low = -35, high = 35; /* ln a */
    for (int k = 0; k < HALVES; k++) {
        const double middle = (low + high) / 2; /* beyond the turning point the age is NaN */
        if (ky_expansion_age(exp(middle), omega_matter, omega_lambda) <= age)
            low = middle;
        else
            high = middle;
    }
    const double a = exp(low), found = ky_expansion_age(a, omega_matter, omega_lambda);
    return fabs(found - age) <= tolerance * age &&
                   ky_expansion_age(turn * a, omega_matter, omega_lambda) > 0
               ? a
               : (double)NAN;
}

#endif
