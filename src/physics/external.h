/* External fields: acceleration, jerk and potential at a point.
 *
 *     sphere       a = −μ M d/s³, s² = d² + ε²     j = −μ M [v/s³ − (3 − k) (d·v) d/s⁵]
 *       point        M = 1                         φ = −μ/s
 *       plummer      the same with the scale radius for ε
 *       nfw          M = ln(1 + u) − u/(1 + u)     φ = −μ ln(1 + u)/s, u = s/scale
 *       hernquist    M = u²/(1 + u)²               φ = −μ/(s + scale)
 *       isochrone    φ = −μ/(b + s), s² = d² + b², b the scale
 *       power-law-cutoff                           density ∝ d^(−α) exp(−(d/cutoff)²)
 *                    M = P(σ, t), σ = (3 − α)/2, t = (d/cutoff)²
 *                    φ = −μ [P(σ, t)/d + Γ(σ − ½, t)/(cutoff Γ(σ))]
 *     miyamoto-nagai φ = −μ/s, s² = x² + y² + h², h = scale + ζ, ζ² = z² + height²
 *     logarithmic  a = −v0² d'/D                   j = −v0² [v' − 2 (d'·v) d'/D]/D
 *                                                  φ = ½ v0² ln(D/core²)
 *     bar          φ = −μ/(2 l) ln((S + 2 l)/(S − 2 l)), S = T₊ + T₋, T±² = (x ± l)² + y² + h²,
 *                  h = scale + ζ, ζ² = z² + height²; rotates about z (Long & Murali 1992)
 *     lambda       a = Ω H0² d                     j = Ω H0² v          φ = −Ω H0² d²/2
 *     tidal        a = T d                         j = T v              φ = −d·T·d/2
 *     uniform      a constant                      j = 0                φ = −a·d
 *
 * d and v are position and velocity relative to the field's centre at rest. The jerk of a
 * time-dependent field includes the change along v and the change in time. k = dln M/dln s.
 * P and Γ(·, t) are the incomplete gamma functions, the lower one over Γ and the upper one. d' and
 * v' are d and v with y/p² for y and z/q² for z, where p and q flatten the potential, and
 * D = core² + d·d'. T is constant and symmetric: the tides of a distant mass in a non-rotating
 * frame.
 *
 * A field consists of its numbers, a row in KY_EXTERNAL_KINDS and a formula: docs/extending.md.
 * Portable C: physics/dialect.h. Names, words and help are for the host
 * (engine/common/external_text.c). */
#ifndef KY_PHYSICS_EXTERNAL_H
#define KY_PHYSICS_EXTERNAL_H

#include "physics/dialect.h"

/* F(name, NAME, word, help): the kinds, and the word that a user gives. */
#define KY_EXTERNAL_KINDS(F)                                                                       \
    F(point, POINT, "point", "φ = −G mass/√(r² + eps²)")                                           \
    F(plummer, PLUMMER, "plummer", "φ = −G mass/√(r² + scale²)")                                   \
    F(nfw, NFW, "nfw", "φ = −G mass ln(1 + s/scale)/s, s² = r² + eps²")                            \
    F(hernquist, HERNQUIST, "hernquist", "φ = −G mass/(s + scale), s² = r² + eps²")                \
    F(isochrone, ISOCHRONE, "isochrone", "φ = −G mass/(scale + √(r² + scale²))")                   \
    F(power_law_cutoff, POWER_LAW_CUTOFF, "power-law-cutoff",                                      \
      "density ∝ r^(−alpha) exp(−(r/cutoff)²)")                                                    \
    F(miyamoto_nagai, MIYAMOTO_NAGAI, "miyamoto-nagai",                                            \
      "φ = −G mass/√(x² + y² + (scale + √(z² + height²))²)")                                       \
    F(logarithmic, LOGARITHMIC, "logarithmic",                                                     \
      "φ = ½ speed² ln(1 + (x² + y² + z²/flattening²)/core²)")                                     \
    F(triaxial_logarithmic, TRIAXIAL_LOGARITHMIC, "triaxial-logarithmic",                          \
      "φ = ½ speed² ln(1 + (x² + y²/p² + z²/q²)/core²)")                                           \
    F(bar, BAR, "bar",                                                                             \
      "a rod along x, from −length to length and as thick as a miyamoto-nagai disk, that is "    \
      "turned by angle + speed time about z")                                                      \
    F(lambda, LAMBDA, "lambda", "φ = −½ omega h0² r²")                                             \
    F(tidal, TIDAL, "tidal", "φ = −½ d·T·d")                                                       \
    F(uniform, UNIFORM, "uniform", "φ = −a·d, the same acceleration a everywhere")                 \
    F(friction, FRICTION, "friction",                                                              \
      "with leapfrog, the dynamical friction that slows this one body in the density of all "      \
      "fields")

/* The form in which a number is given and how its value is computed. Its range is one of enum
 * ky_number_range. */
#define KY_GIVEN_PLAIN 0
#define KY_GIVEN_MASS 1    /* times G */
#define KY_GIVEN_SQUARED 2 /* squared */
#define KY_GIVEN_ANGLE 3   /* given in degrees, stored in radians */

/* N(name, accelerations, lengths, word, how, range, initial, help): the numbers of a kind in order,
 * with the powers of acceleration and length in their unit. `word` is the user's name of the
 * number; its default is `initial`, unless that is NULL. */
#define KY_NUMBERS_point(N)                                                                        \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "[mass]")                                        \
    N(eps, 0, 1, "eps", PLAIN, NOT_NEGATIVE, "0", "a softening [length]")
#define KY_NUMBERS_plummer(N)                                                                      \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                         \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale radius [length]")
#define KY_NUMBERS_nfw(N)                                                                          \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "4π ρ₀ scale³ [mass]")                           \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale radius [length]")                    \
    N(eps, 0, 1, "eps", PLAIN, NOT_NEGATIVE, "0", "a softening [length]")
#define KY_NUMBERS_hernquist(N)                                                                    \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                         \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale radius [length]")                    \
    N(eps, 0, 1, "eps", PLAIN, NOT_NEGATIVE, "0", "a softening [length]")
#define KY_NUMBERS_isochrone(N)                                                                    \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                         \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale radius [length]")
#define KY_NUMBERS_power_law_cutoff(N)                                                             \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                         \
    N(alpha, 0, 0, "alpha", PLAIN, BELOW_TWO, NULL, "the steepness of the density in the centre")  \
    N(cutoff, 0, 1, "cutoff", PLAIN, POSITIVE, NULL, "the radius of the cutoff [length]")
#define KY_NUMBERS_miyamoto_nagai(N)                                                               \
    N(mu, 1, 2, "mass", MASS, ANY, NULL, "the total mass [mass]")                                  \
    N(scale, 0, 1, "scale", PLAIN, NOT_NEGATIVE, NULL, "the scale radius [length]")                \
    N(height, 0, 1, "height", PLAIN, POSITIVE, NULL, "the scale height [length]")
#define KY_NUMBERS_logarithmic(N)                                                                  \
    N(speed2, 1, 1, "speed", SQUARED, NOT_NEGATIVE, NULL,                                          \
      "of a circular orbit far out [velocity]")                                                    \
    N(core, 0, 1, "core", PLAIN, POSITIVE, NULL, "the core radius [length]")                       \
    N(flattening, 0, 0, "flattening", PLAIN, POSITIVE, "1", "of the potential along z")
#define KY_NUMBERS_triaxial_logarithmic(N)                                                         \
    N(speed2, 1, 1, "speed", SQUARED, NOT_NEGATIVE, NULL,                                          \
      "of a circular orbit far out [velocity]")                                                    \
    N(core, 0, 1, "core", PLAIN, POSITIVE, NULL, "the core radius [length]")                       \
    N(p, 0, 0, "p", PLAIN, POSITIVE, NULL, "the flattening of the potential along y")              \
    N(q, 0, 0, "q", PLAIN, POSITIVE, NULL, "the flattening of the potential along z")
#define KY_NUMBERS_bar(N)                                                                          \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                         \
    N(length, 0, 1, "length", PLAIN, POSITIVE, NULL, "half of the bar's length [length]")          \
    N(scale, 0, 1, "scale", PLAIN, NOT_NEGATIVE, "0", "the thickness along y and z [length]")      \
    N(height, 0, 1, "height", PLAIN, POSITIVE, NULL, "the scale height along z [length]")          \
    N(rate, 0, 0, "speed", PLAIN, ANY, "0", "how fast it turns, radians in a time [1/time]")       \
    N(angle, 0, 0, "angle", ANGLE, ANY, "0", "of the bar at time 0, from x towards y, in degrees")
#define KY_NUMBERS_lambda(N)                                                                       \
    N(omega, 0, 0, "omega", PLAIN, ANY, NULL, "Ω_Λ")                                               \
    N(h2, 1, -1, "h0", SQUARED, NOT_NEGATIVE, NULL, "H0 [1/time]")
#define KY_NUMBERS_tidal(N)                                                                        \
    N(xx, 1, -1, "xx", PLAIN, ANY, NULL, "of T [1/time²]")                                         \
    N(yy, 1, -1, "yy", PLAIN, ANY, NULL, "of T [1/time²]")                                         \
    N(zz, 1, -1, "zz", PLAIN, ANY, NULL, "of T [1/time²]")                                         \
    N(xy, 1, -1, "xy", PLAIN, ANY, "0", "of T [1/time²]")                                          \
    N(xz, 1, -1, "xz", PLAIN, ANY, "0", "of T [1/time²]")                                          \
    N(yz, 1, -1, "yz", PLAIN, ANY, "0", "of T [1/time²]")
#define KY_NUMBERS_uniform(N)                                                                      \
    N(ax, 1, 0, "ax", PLAIN, ANY, "0", "of a [length/time²]")                                      \
    N(ay, 1, 0, "ay", PLAIN, ANY, "0", "of a [length/time²]")                                      \
    N(az, 1, 0, "az", PLAIN, ANY, "0", "of a [length/time²]")
#define KY_NUMBERS_friction(N)                                                                     \
    N(body, 0, 0, "body", PLAIN, NOT_NEGATIVE, NULL, "the id of the body")                         \
    N(log, 0, 0, "log", PLAIN, POSITIVE, "100", "the largest Coulomb logarithm ln Λ")              \
    N(sigma2, 1, 1, "sigma", SQUARED, POSITIVE, NULL,                                              \
      "the dispersion of velocities in one direction [velocity]")                                  \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, "0", "of the body; 0: the one that it has [mass]")     \
    N(core, 0, 1, "core", PLAIN, NOT_NEGATIVE, "0",                                                \
      "the size of the body, the smallest impact parameter; G mass/v² where that is larger "      \
      "[length]")
/* Indices of friction's numbers. */
#define KY_EXTERNAL_FRICTION_BODY 0
#define KY_EXTERNAL_FRICTION_LOG 1
#define KY_EXTERNAL_FRICTION_SIGMA2 2
#define KY_EXTERNAL_FRICTION_MASS 3
#define KY_EXTERNAL_FRICTION_CORE 4
/* Indices of a bar's time-dependent numbers; the angle follows its rate. */
#define KY_EXTERNAL_BAR_RATE 4
#define KY_EXTERNAL_BAR_ANGLE 5
/* Maximum number of numbers of a kind. */
#define KY_EXTERNAL_NUMBERS 6

#define KY_EXTERNAL_ENUM(name, NAME, word, help) KY_EXTERNAL_##NAME,
enum ky_external_kind {
    KY_EXTERNAL_KINDS(KY_EXTERNAL_ENUM) KY_EXTERNAL_KIND_COUNT,
    KY_EXTERNAL_FUNCTION =
        KY_EXTERNAL_KIND_COUNT /* computed by the caller's function, only on the host */
};

#define KY_EXTERNAL_MEMBER(name, accelerations, lengths, word, how, range, initial, help)          \
    ky_external_real name;
#define KY_EXTERNAL_STRUCT(name, NAME, word, help)                                                 \
    struct ky_external_##name {                                                                    \
        KY_NUMBERS_##name(KY_EXTERNAL_MEMBER)                                                      \
    };
KY_EXTERNAL_KINDS(KY_EXTERNAL_STRUCT)

/* Position and velocity relative to the field's centre; the time since the time of the field's
 * numbers; and the rate at which time passes: 1, or 0 for only the change of the acceleration along
 * v. */
struct ky_external_state {
    ky_external_real x, y, z, vx, vy, vz, time, pace;
};

/* The field there: acceleration, its total time derivative, potential. */
struct ky_external_pull {
    ky_external_real x, y, z, jx, jy, jz, potential;
};

KY_FN ky_external_real ky_external_dot(struct ky_external_state at, ky_external_real x,
                                       ky_external_real y, ky_external_real z)
{
    return at.x * x + at.y * y + at.z * z;
}

/* A central force: a = force d. `along`: relative decrease of the force per unit of time due to the
 * velocity. */
KY_FN struct ky_external_pull ky_external_radial(struct ky_external_state at,
                                                 ky_external_real force, ky_external_real along,
                                                 ky_external_real potential)
{
    struct ky_external_pull pull;
    pull.x = force * at.x;
    pull.y = force * at.y;
    pull.z = force * at.z;
    pull.jx = force * (at.vx - along * at.x);
    pull.jy = force * (at.vy - along * at.y);
    pull.jz = force * (at.vz - along * at.z);
    pull.potential = potential;
    return pull;
}

/* The force of a spherical mass. μ is G times the mass within the position, rising as the power k
 * of s. y = 1/s, or 0 at the exact centre, where the force vanishes. */
KY_FN struct ky_external_pull ky_external_sphere(struct ky_external_state at, ky_external_real mu,
                                                 ky_external_real k, ky_external_real y,
                                                 ky_external_real potential)
{
    ky_external_real y2 = y * y, along = (3 - k) * ky_external_dot(at, at.vx, at.vy, at.vz) * y2;
    return ky_external_radial(at, -mu * y * y2, along, potential);
}

/* 1/s at the position with the softening ε; 0 at the exact centre. */
KY_FN ky_external_real ky_external_per(struct ky_external_state at, ky_external_real eps)
{
    ky_external_real s2 = ky_external_dot(at, at.x, at.y, at.z) + eps * eps;
    return s2 > KY_EXTERNAL_NEAREST2 ? KY_EXTERNAL_RSQRT(s2) : 0;
}

KY_FN struct ky_external_pull ky_external_point(struct ky_external_point f,
                                                struct ky_external_state at)
{
    ky_external_real y = ky_external_per(at, f.eps);
    return ky_external_sphere(at, f.mu, 0, y, -f.mu * y);
}

KY_FN struct ky_external_pull ky_external_plummer(struct ky_external_plummer f,
                                                  struct ky_external_state at)
{
    ky_external_real y = ky_external_per(at, f.scale);
    return ky_external_sphere(at, f.mu, 0, y, -f.mu * y);
}

/* ln(1 + u) = 2 artanh t with t = u/(2 + u), and u/(1 + u) = 2t/(1 + t): near the centre, where
 * both are about u and their difference about u²/2, the series of artanh loses no digits. */
KY_FN struct ky_external_pull ky_external_nfw(struct ky_external_nfw f, struct ky_external_state at)
{
    ky_external_real y = ky_external_per(at, f.eps);
    ky_external_real u = y > 0 ? 1 / (y * f.scale) : 0, t = u / (2 + u), t2 = t * t, rest;
    if (t < (ky_external_real)0.1f) { /* the remainder is less than 10^−18 of it */
        rest = 1;
        for (int n = 19; n > 3; n -= 2)
            rest = 1 + (n - 2) * t2 * rest / n;
        rest = 2 * t * t2 * rest / 3;
    } else {
        rest = log(1 + u) - 2 * t;
    }
    ky_external_real inside = 2 * t2 / (1 + t) + rest, part = u / (1 + u);
    ky_external_real k = inside > 0 ? part * part / inside : 2;
    ky_external_real depth = u > 0 ? (2 * t + rest) / u : 1;
    return ky_external_sphere(at, f.mu * inside, k, y, -f.mu / f.scale * depth);
}

KY_FN struct ky_external_pull ky_external_hernquist(struct ky_external_hernquist f,
                                                    struct ky_external_state at)
{
    ky_external_real y = ky_external_per(at, f.eps), u = y > 0 ? 1 / (y * f.scale) : 0;
    ky_external_real per = 1 / (1 + u), part = u * per;
    return ky_external_sphere(at, f.mu * part * part, 2 * per, y, -f.mu / f.scale * per);
}

/* a = −μ d/(s (b + s)²), which is regular at the centre. */
KY_FN struct ky_external_pull ky_external_isochrone(struct ky_external_isochrone f,
                                                    struct ky_external_state at)
{
    ky_external_real y =
        KY_EXTERNAL_RSQRT(ky_external_dot(at, at.x, at.y, at.z) + f.scale * f.scale);
    ky_external_real per = y / (1 + f.scale * y); /* 1/(b + s) */
    ky_external_real along = y * (y + 2 * per) * ky_external_dot(at, at.vx, at.vy, at.vz);
    return ky_external_radial(at, -f.mu * y * per * per, along, -f.mu * per);
}

/* Below KY_GAMMA_MIDDLE the incomplete gamma functions follow from a series, above from a continued
 * fraction (Abramowitz & Stegun 6.5.29 and 6.5.31). KY_GAMMA_TERMS of either give all digits of
 * double for a from 0 to 1.5. */
#define KY_GAMMA_MIDDLE 3
#define KY_GAMMA_TERMS 34

/* Σ t^n/((a + 1) … (a + n)), n = 0, 1, …: the lower function is t^a exp(−t)/a times it. */
KY_FN ky_external_real ky_gamma_series(ky_external_real a, ky_external_real t)
{
    ky_external_real sum = 1;
    for (int n = KY_GAMMA_TERMS; n > 0; n--)
        sum = 1 + t * sum / (a + n);
    return sum;
}

/* The upper function is t^a exp(−t) times this fraction. */
KY_FN ky_external_real ky_gamma_fraction(ky_external_real a, ky_external_real t)
{
    ky_external_real below = t + (2 * KY_GAMMA_TERMS + 1) - a;
    for (int n = KY_GAMMA_TERMS; n > 0; n--)
        below = t + (2 * n - 1) - a - n * (n - a) / below;
    return 1 / below;
}

/* The mass rises as d^k, k = 2 t^σ exp(−t)/(Γ(σ) P). At the centre φ = −μ Γ(σ − ½)/(cutoff
 * Γ(σ)). */
KY_FN struct ky_external_pull ky_external_power_law_cutoff(struct ky_external_power_law_cutoff f,
                                                           struct ky_external_state at)
{
    ky_external_real y = ky_external_per(at, 0), x = y > 0 ? 1 / (y * f.cutoff) : 0;
    ky_external_real t = x * x, a = 1 - f.alpha / 2, s = (3 - f.alpha) / 2, whole = tgamma(s);
    ky_external_real power = x > 0 ? exp(2 * a * log(x) - t) : 0; /* t^a exp(−t) */
    ky_external_real inside, outside, k;
    if (t < KY_GAMMA_MIDDLE) {
        ky_external_real series = ky_gamma_series(s, t);
        inside = power * x / whole * series / s;
        k = 2 * s / series;
        outside = (tgamma(a) - power * ky_gamma_series(a, t) / a) / whole;
    } else {
        inside = 1 - power * x / whole * ky_gamma_fraction(s, t);
        k = 2 * power * x / (whole * inside);
        outside = power / whole * ky_gamma_fraction(a, t);
    }
    return ky_external_sphere(at, f.mu * inside, k, y, -f.mu * (inside * y + outside / f.cutoff));
}

/* h' = z v_z/ζ, so that s s' = x v_x + y v_y + h h'. */
KY_FN struct ky_external_pull ky_external_miyamoto_nagai(struct ky_external_miyamoto_nagai f,
                                                         struct ky_external_state at)
{
    ky_external_real per = KY_EXTERNAL_RSQRT(at.z * at.z + f.height * f.height),
                     rest = f.scale * per;
    ky_external_real flat = 1 + rest, h = f.scale + 1 / per; /* flat = h/ζ */
    ky_external_real y = KY_EXTERNAL_RSQRT(at.x * at.x + at.y * at.y + h * h), y2 = y * y,
                     force = -f.mu * y * y2;
    ky_external_real bend = rest * per * per * at.z * at.z; /* −flat' = bend v_z/z */
    ky_external_real along = 3 * ky_external_dot(at, at.vx, at.vy, flat * at.vz) * y2;
    struct ky_external_pull pull = ky_external_radial(at, force, along, -f.mu * y);
    pull.z *= flat;
    pull.jz = force * ((flat - bend) * at.vz - along * flat * at.z);
    return pull;
}

KY_FN struct ky_external_pull
ky_external_triaxial_logarithmic(struct ky_external_triaxial_logarithmic f,
                                 struct ky_external_state at)
{
    struct ky_external_pull pull;
    ky_external_real along_y = 1 / (f.p * f.p), along_z = 1 / (f.q * f.q), core2 = f.core * f.core;
    ky_external_real y = along_y * at.y, z = along_z * at.z, m2 = ky_external_dot(at, at.x, y, z);
    ky_external_real per = 1 / (core2 + m2), force = -f.speed2 * per;
    ky_external_real along = 2 * ky_external_dot(at, at.vx, along_y * at.vy, along_z * at.vz) * per;
    pull.x = force * at.x;
    pull.y = force * y;
    pull.z = force * z;
    pull.jx = force * (at.vx - along * at.x);
    pull.jy = force * (along_y * at.vy - along * y);
    pull.jz = force * (along_z * at.vz - along * z);
    pull.potential = f.speed2 / 2 * log1p(m2 / core2);
    return pull;
}

KY_FN struct ky_external_pull ky_external_logarithmic(struct ky_external_logarithmic f,
                                                      struct ky_external_state at)
{
    struct ky_external_triaxial_logarithmic same;
    same.speed2 = f.speed2;
    same.core = f.core;
    same.p = 1;
    same.q = f.flattening;
    return ky_external_triaxial_logarithmic(same, at);
}

/* The field of a bar in its own axes. S² − 4 l² is computed as a sum of positive numbers on either
 * side of the sphere through the bar's ends, so that it keeps its digits near the axis:
 *   x² + w² > l²: 2 (x² + w² − l² + T₊ T₋), else 4 w² S²/(2 (l² + w² − x² + T₊ T₋)), w² = y² + h².
 * a = −2 μ [x/(T₊ T₋ S), q y, q z h/ζ], q = S/(T₊ T₋ (S² − 4 l²)). */
KY_FN struct ky_external_pull ky_external_bar_at_rest(struct ky_external_bar f,
                                                      struct ky_external_state at)
{
    struct ky_external_pull pull;
    ky_external_real l = f.length, l2 = l * l,
                     per = KY_EXTERNAL_RSQRT(at.z * at.z + f.height * f.height);
    ky_external_real rest = f.scale * per, flat = 1 + rest, h = f.scale + 1 / per; /* flat = h/ζ */
    ky_external_real x2 = at.x * at.x, w2 = at.y * at.y + h * h;
    ky_external_real plus = sqrt((at.x + l) * (at.x + l) + w2),
                     minus = sqrt((at.x - l) * (at.x - l) + w2);
    ky_external_real sum = plus + minus, both = plus * minus;
    ky_external_real gap =
        x2 + w2 > l2 ? 2 * (x2 + w2 - l2 + both) : 2 * w2 * sum * sum / (l2 + w2 - x2 + both);
    ky_external_real force = -2 * f.mu, along = 1 / (both * sum), across = sum / (both * gap);
    /* time derivatives: w w', T₊, T₋ and S; and relative ones of `along` and `across` */
    ky_external_real ww = at.y * at.vy + flat * at.z * at.vz;
    ky_external_real to_plus = ((at.x + l) * at.vx + ww) / plus,
                     to_minus = ((at.x - l) * at.vx + ww) / minus;
    ky_external_real to_sum = at.x * at.vx * gap * along + ww * sum / both;
    ky_external_real of_both = to_plus / plus + to_minus / minus, of_sum = to_sum / sum;
    ky_external_real of_along = -of_both - of_sum,
                     of_across = of_sum - of_both - 2 * sum * to_sum / gap;
    ky_external_real bend = rest * per * per * at.z * at.z; /* −flat' = bend v_z/z */
    pull.x = force * along * at.x;
    pull.y = force * across * at.y;
    pull.z = force * across * flat * at.z;
    pull.jx = force * along * (at.vx + of_along * at.x);
    pull.jy = force * across * (at.vy + of_across * at.y);
    pull.jz = force * across * ((flat - bend) * at.vz + of_across * flat * at.z);
    pull.potential = force * log1p(4 * l * (sum + 2 * l) / gap) / (4 * l);
    return pull;
}

/* Transforms a vector (x, y) to axes that are rotated by an angle; with the sine −s, back. */
KY_FN ky_external_real ky_external_turned_x(ky_external_real c, ky_external_real s,
                                            ky_external_real x, ky_external_real y)
{
    return c * x - s * y;
}
KY_FN ky_external_real ky_external_turned_y(ky_external_real c, ky_external_real s,
                                            ky_external_real x, ky_external_real y)
{
    return s * x + c * y;
}

/* The position in axes that are rotated by an angle about z and rotate at a rate: there the
 * velocity also has the term −Ω × d. */
KY_FN struct ky_external_state ky_external_turn_in(struct ky_external_state at,
                                                   ky_external_real angle, ky_external_real rate)
{
    ky_external_real c = cos(angle), s = sin(angle);
    struct ky_external_state own = at;
    own.x = ky_external_turned_x(c, -s, at.x, at.y);
    own.y = ky_external_turned_y(c, -s, at.x, at.y);
    own.vx = ky_external_turned_x(c, -s, at.vx, at.vy) + rate * own.y;
    own.vy = ky_external_turned_y(c, -s, at.vx, at.vy) - rate * own.x;
    return own;
}

/* Transforms a force from such axes to axes at rest: a constant force there has the jerk Ω × a
 * here. */
KY_FN struct ky_external_pull ky_external_turn_out(struct ky_external_pull pull,
                                                   ky_external_real angle, ky_external_real rate)
{
    ky_external_real c = cos(angle), s = sin(angle);
    ky_external_real ax = pull.x, ay = pull.y, jx = pull.jx - rate * ay, jy = pull.jy + rate * ax;
    pull.x = ky_external_turned_x(c, s, ax, ay);
    pull.y = ky_external_turned_y(c, s, ax, ay);
    pull.jx = ky_external_turned_x(c, s, jx, jy);
    pull.jy = ky_external_turned_y(c, s, jx, jy);
    return pull;
}

KY_FN struct ky_external_pull ky_external_bar(struct ky_external_bar f, struct ky_external_state at)
{
    ky_external_real angle = f.angle + f.rate * at.time, rate = f.rate * at.pace;
    return ky_external_turn_out(ky_external_bar_at_rest(f, ky_external_turn_in(at, angle, rate)),
                                angle, rate);
}

KY_FN struct ky_external_pull ky_external_lambda(struct ky_external_lambda f,
                                                 struct ky_external_state at)
{
    struct ky_external_pull pull;
    ky_external_real rate = f.omega * f.h2;
    pull.x = rate * at.x;
    pull.y = rate * at.y;
    pull.z = rate * at.z;
    pull.jx = rate * at.vx;
    pull.jy = rate * at.vy;
    pull.jz = rate * at.vz;
    pull.potential = -rate / 2 * ky_external_dot(at, at.x, at.y, at.z);
    return pull;
}

KY_FN struct ky_external_pull ky_external_tidal(struct ky_external_tidal f,
                                                struct ky_external_state at)
{
    struct ky_external_pull pull;
    pull.x = f.xx * at.x + f.xy * at.y + f.xz * at.z;
    pull.y = f.xy * at.x + f.yy * at.y + f.yz * at.z;
    pull.z = f.xz * at.x + f.yz * at.y + f.zz * at.z;
    pull.jx = f.xx * at.vx + f.xy * at.vy + f.xz * at.vz;
    pull.jy = f.xy * at.vx + f.yy * at.vy + f.yz * at.vz;
    pull.jz = f.xz * at.vx + f.yz * at.vy + f.zz * at.vz;
    pull.potential = -ky_external_dot(at, pull.x, pull.y, pull.z) / 2;
    return pull;
}

KY_FN struct ky_external_pull ky_external_uniform(struct ky_external_uniform f,
                                                  struct ky_external_state at)
{
    struct ky_external_pull pull;
    pull.x = f.ax;
    pull.y = f.ay;
    pull.z = f.az;
    pull.jx = pull.jy = pull.jz = 0;
    pull.potential = -ky_external_dot(at, f.ax, f.ay, f.az);
    return pull;
}

KY_FN struct ky_external_pull ky_external_none(void)
{
    struct ky_external_pull pull;
    pull.x = pull.y = pull.z = pull.jx = pull.jy = pull.jz = pull.potential = 0;
    return pull;
}

/* Dynamical friction has no acceleration here: integrate/friction.h applies it. */
KY_FN struct ky_external_pull ky_external_friction(struct ky_external_friction f,
                                                   struct ky_external_state at)
{
    (void)f;
    (void)at;
    return ky_external_none();
}

KY_FN struct ky_external_pull ky_external_add(struct ky_external_pull sum,
                                              struct ky_external_pull pull)
{
    sum.x += pull.x;
    sum.y += pull.y;
    sum.z += pull.z;
    sum.jx += pull.jx;
    sum.jy += pull.jy;
    sum.jz += pull.jz;
    sum.potential += pull.potential;
    return sum;
}

/* The cases of a switch over the kinds: pull = the field whose number k is NUMBER(k), at `at`. The
 * including file keeps the numbers in its own memory and defines NUMBER. */
#define KY_EXTERNAL_TAKE(name, accelerations, lengths, word, how, range, initial, help)            \
    f.name = KY_EXTERNAL_NUMBER(k++);
#define KY_EXTERNAL_CASE(name, NAME, word, help)                                                   \
    case KY_EXTERNAL_##NAME: {                                                                     \
        struct ky_external_##name f;                                                               \
        KY_NUMBERS_##name(KY_EXTERNAL_TAKE) pull = ky_external_##name(f, at);                      \
        break;                                                                                     \
    }

#endif
