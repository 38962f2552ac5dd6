/* Friedmann-Lemaître expansion with matter, radiation, curvature and dark energy. Host only. */
#ifndef KY_PHYSICS_EXPANSION_H
#define KY_PHYSICS_EXPANSION_H

#include <math.h>

/* The contents of a universe at a = 1, where H = H0: densities relative to the critical one. The
 * curvature is the rest to 1. Dark energy has the equation of state w = w0 + wa (1 - a)
 * (Chevallier & Polarski 2001, Linder 2003); a cosmological constant has zeros in both numbers. */
struct ky_universe {
    double matter, lambda, radiation;
    double w0_and_1, wa; /* 1 + w0, wa */
};

/* The density of dark energy relative to a = 1; exactly 1 for a cosmological constant. */
static inline double ky_dark_energy(const struct ky_universe *u, double a)
{
    return pow(a, -3 * (u->w0_and_1 + u->wa)) * exp(-3 * u->wa * (1 - a));
}

/* (H(a)/H0)² = Ω_m/a³ + Ω_k/a² + Ω_Λ … + Ω_r/a⁴. Not positive where the universe never is. */
static inline double ky_expansion_square(double a, const struct ky_universe *u)
{
    const double curvature = 1 - u->matter - u->lambda - u->radiation;
    return u->matter / (a * a * a) + curvature / (a * a) + u->lambda * ky_dark_energy(u, a) +
           u->radiation / (a * a * a * a);
}

/* H(a)/H0 */
static inline double ky_expansion_rate(double a, const struct ky_universe *u)
{
    return sqrt(ky_expansion_square(a, u));
}

/* Ω_m at the scale factor a. */
static inline double ky_expansion_matter(double a, const struct ky_universe *u)
{
    return u->matter / (a * a * a) / ky_expansion_square(a, u);
}

/* 1 if the universe expands all the way from one scale factor to the other, in either order. */
static inline int ky_expansion_reaches(double from, double to, const struct ky_universe *u)
{
    enum { PARTS = 1000 };
    for (int k = 0; k <= PARTS; k++)
        if (!(ky_expansion_square(from * pow(to / from, (double)k / PARTS), u) > 0))
            return 0;
    return 1;
}

/* H0 t(a) = ∫ da/(a H/H0) from 0, by Simpson's rule over s = √a, in which the integrand
 * 2 s²/√(Ω_m + Ω_k s² + Ω_Λ s⁶ + Ω_r/s²) is smooth. */
static inline double ky_expansion_age(double a, const struct ky_universe *u)
{
    enum { PARTS = 1000 };
    const double curvature = 1 - u->matter - u->lambda - u->radiation, step = sqrt(a) / PARTS;
    double sum = 0;
    for (int k = 1; k <= PARTS; k++) {
        double s = k * step, s2 = s * s;
        double f = 2 * s2 /
                   sqrt(u->matter + curvature * s2 +
                        u->lambda * s2 * s2 * s2 * ky_dark_energy(u, s2) + u->radiation / s2);
        sum += (k == PARTS ? 1 : k % 2 ? 4 : 2) * f;
    }
    return sum * step / 3;
}

/* The scale factor at the age H0 t = `age`. NaN before a = 0; in a universe that recollapses, also
 * from 2 % of a before the turning point, where ky_expansion_age is no longer accurate. By
 * bisection of the age in ln a, to the last digits. */
static inline double ky_expansion_factor(double age, const struct ky_universe *u)
{
    enum { HALVES = 64 };
    const double tolerance = 1e-9, turn = 1.02;
    double low = -35, high = 35; /* ln a */
    for (int k = 0; k < HALVES; k++) {
        const double middle = (low + high) / 2; /* beyond the turning point the age is NaN */
        if (ky_expansion_age(exp(middle), u) <= age)
            low = middle;
        else
            high = middle;
    }
    const double a = exp(low), found = ky_expansion_age(a, u);
    return fabs(found - age) <= tolerance * age && ky_expansion_age(turn * a, u) > 0 ? a
                                                                                     : (double)NAN;
}

/* A density perturbation of matter, δ, that is small and larger than the horizon of other matter,
 * and its derivative in ln a. The pull is the one of the perturbation on itself over the pull of a
 * fluid, 1. */
struct ky_growing {
    double d, slope, pull;
};

/* δ'' = 3/2 Ω_m(a) pull δ − (2 + d ln H/d ln a) δ', derivatives in ln a. */
static inline double ky_growth_bend(double a, struct ky_growing wave, const struct ky_universe *u)
{
    const double square = ky_expansion_square(a, u), m = u->matter / (a * a * a),
                 curvature = (1 - u->matter - u->lambda - u->radiation) / (a * a),
                 dark = u->lambda * ky_dark_energy(u, a), w_and_1 = u->w0_and_1 + u->wa * (1 - a),
                 change = -(3 * m + 2 * curvature + 3 * w_and_1 * dark +
                            4 * u->radiation / (a * a * a * a)) /
                          (2 * square);
    return 1.5 * wave.pull * m / square * wave.d - (2 + change) * wave.slope;
}

/* The perturbation after a step in ln a with constant derivatives. */
static inline struct ky_growing ky_growth_move(struct ky_growing wave, double step, double slope,
                                               double bend)
{
    return (struct ky_growing){wave.d + step * slope, wave.slope + step * bend, wave.pull};
}

/* Follows a perturbation from one scale factor to another by Runge-Kutta steps of fourth order that
 * are equal in ln a. */
static inline struct ky_growing ky_growth_follow(struct ky_growing wave, double from, double to,
                                                 int steps, const struct ky_universe *u)
{
    const double step = log(to / from) / steps;
    for (int k = 0; k < steps; k++) {
        const double begin = from * exp(k * step), middle = begin * exp(step / 2),
                     end = begin * exp(step);
        const double b1 = ky_growth_bend(begin, wave, u);
        const struct ky_growing w2 = ky_growth_move(wave, step / 2, wave.slope, b1);
        const double b2 = ky_growth_bend(middle, w2, u);
        const struct ky_growing w3 = ky_growth_move(wave, step / 2, w2.slope, b2);
        const double b3 = ky_growth_bend(middle, w3, u);
        const struct ky_growing w4 = ky_growth_move(wave, step, w3.slope, b3);
        const double b4 = ky_growth_bend(end, w4, u);
        wave = ky_growth_move(wave, step / 6, wave.slope + 2 * w2.slope + 2 * w3.slope + w4.slope,
                              b1 + 2 * b2 + 2 * b3 + b4);
    }
    return wave;
}

/* The linear growth factor of matter D(a); D = a + 2/3 Ω_r/Ω_m early on. Ω_m is above 0. */
static inline double ky_growth_factor(double a, const struct ky_universe *u)
{
    enum { STEPS = 6000 };
    const double first = 1e-10;
    const struct ky_growing early = {first + u->radiation / (1.5 * u->matter), first, 1};
    return ky_growth_follow(early, first, a, STEPS, u).d;
}

/* The comoving softening at scale factor a, if the physical one is `most` at most. */
static inline double ky_comoving_softening(double softening, double most, double a)
{
    return fmin(softening, most / a);
}

/* In comoving coordinates x with p = a² dx/dt the equations of motion are dx/dt = p/a² and
 * dp/dt = g/a, where g is the acceleration by comoving distances. So over a step p changes by g
 * times ∫ dt/a = ∫ d ln a/(a H), and x by p times ∫ dt/a² = ∫ d ln a/(a² H).
 *
 * H0 times the integral with the power n of 1/a, 1 or 2, from one scale factor to the other, by
 * Gauss-Legendre quadrature with 8 points in ln a: exact to rounding for steps up to 0.5 in ln a.
 */
static inline double ky_comoving_integral(double from, double to, int n,
                                          const struct ky_universe *u)
{
    static const double point[] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                   0.96028985649753623},
                        weight[] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                    0.10122853629037626};
    const double half = log(to / from) / 2, middle = sqrt(from) * sqrt(to);
    double sum = 0;
    for (int k = 0; k < 4; k++)
        for (int side = -1; side <= 1; side += 2) {
            const double a = middle * exp(side * half * point[k]);
            sum += weight[k] / ((n == 1 ? a : a * a) * ky_expansion_rate(a, u));
        }
    return sum * half;
}

/* A small wave since the middle of a step, where its displacement is 1 and its momentum p: the
 * drift, which is the integral of 1/a², the gain of momentum, and the displacement by that gain. So
 * the displacement is 1 + p drift + beyond. All in units of H0. */
struct ky_small_wave {
    double drift, gain, beyond;
};

static inline struct ky_small_wave ky_small_wave_add(struct ky_small_wave wave, double step,
                                                     struct ky_small_wave change)
{
    return (struct ky_small_wave){wave.drift + step * change.drift, wave.gain + step * change.gain,
                                  wave.beyond + step * change.beyond};
}

/* The derivatives in ln a, where 1/(a² H/H0) is `rate`. The acceleration of the wave is
 * 3/2 Ω_m H0² times its displacement. */
static inline struct ky_small_wave ky_small_wave_change(double a, double rate, double p,
                                                        struct ky_small_wave wave,
                                                        const struct ky_universe *u)
{
    return (struct ky_small_wave){
        rate, 1.5 * u->matter * a * rate * (1 + p * wave.drift + wave.beyond), rate * wave.gain};
}

/* The wave at another scale factor than the middle, by Runge-Kutta steps of fourth order that are
 * equal in ln a. */
static inline struct ky_small_wave ky_small_wave_at(double middle, double to, double p,
                                                    const struct ky_universe *u)
{
    const double length = log(to / middle);
    const int parts = 1 + (int)(fabs(length) / 0.01);
    const double step = length / parts, half = exp(step / 2);
    struct ky_small_wave wave = {0};
    double a = middle, rate = 1 / (a * a * ky_expansion_rate(a, u));
    for (int k = 0; k < parts; k++) {
        const double b = a * half, c = b * half, rate_b = 1 / (b * b * ky_expansion_rate(b, u)),
                     rate_c = 1 / (c * c * ky_expansion_rate(c, u));
        const struct ky_small_wave k1 = ky_small_wave_change(a, rate, p, wave, u),
                                   k2 = ky_small_wave_change(
                                       b, rate_b, p, ky_small_wave_add(wave, step / 2, k1), u),
                                   k3 = ky_small_wave_change(
                                       b, rate_b, p, ky_small_wave_add(wave, step / 2, k2), u),
                                   k4 = ky_small_wave_change(c, rate_c, p,
                                                             ky_small_wave_add(wave, step, k3), u);
        wave = ky_small_wave_add(ky_small_wave_add(wave, step / 6, k1), step / 3, k2);
        wave = ky_small_wave_add(ky_small_wave_add(wave, step / 3, k3), step / 6, k4);
        a = c, rate = rate_c;
    }
    return wave;
}

/* The factors of a step in kick-drift-kick form. */
struct ky_step_factors {
    double kick, drift, last_kick;
};

/* The factors for comoving bodies, times H0. The drift is exact for a body on which no force acts.
 * With the kicks a small wave grows exactly: its displacement is D(a), its momentum P = a² H dD/d
 * ln a, and the acceleration 3/2 Ω_m H0² D. The momentum in the middle has to be (D1 − D0)/drift,
 * so
 *
 *     kick = ((D1 − D0)/drift − P0)/(3/2 Ω_m H0² D0)
 *     last kick = (P1 − (D1 − D0)/drift)/(3/2 Ω_m H0² D1).
 *
 * Of two equal steps the kicks at the common evaluation of forces differ together from the
 * integral of 1/a in the third order of the step. D may be any growing solution: the one with the
 * growth rate Ω_m^0.55 at the middle of the step in ln a is the same for a step that is taken back.
 * Displacements and momenta are relative to that middle: so short steps lose no digits in the
 * differences. Without matter kicks are exact integrals. */
static inline struct ky_step_factors ky_comoving_step_of(double from, double to,
                                                         const struct ky_universe *u)
{
    const double middle = sqrt(from) * sqrt(to), drift = ky_comoving_integral(from, to, 2, u),
                 matter = ky_expansion_matter(middle, u), unit = 1.5 * u->matter;
    if (!(matter > 0) || from == to)
        return (struct ky_step_factors){ky_comoving_integral(from, middle, 1, u), drift,
                                        ky_comoving_integral(middle, to, 1, u)};
    const double p = middle * middle * ky_expansion_rate(middle, u) * pow(matter, 0.55);
    const struct ky_small_wave first = ky_small_wave_at(middle, from, p, u),
                               last = ky_small_wave_at(middle, to, p, u);
    const double gain = (last.beyond - first.beyond) / drift;
    return (struct ky_step_factors){
        (gain - first.gain) / (unit * (1 + p * first.drift + first.beyond)), drift,
        (last.gain - gain) / (unit * (1 + p * last.drift + last.beyond))};
}

/* The expansion that moves bodies. */
struct ky_expansion {
    struct ky_universe universe;
    double h0; /* H at a = 1 [1/time]; 0: steps are equal in time */
};

/* The factors of a step of `length` [time]. With an expansion the ones for comoving bodies from one
 * scale factor to the other. */
static inline struct ky_step_factors ky_step_factors_of(const struct ky_expansion *expansion,
                                                        double length, double from, double to)
{
    const double h0 = expansion->h0;
    if (h0 == 0)
        return (struct ky_step_factors){0.5 * length, length, 0.5 * length};
    const struct ky_step_factors step = ky_comoving_step_of(from, to, &expansion->universe);
    return (struct ky_step_factors){step.kick / h0, step.drift / h0, step.last_kick / h0};
}

/* The length of a step [time] for criteria that compare it with accelerations. Comoving bodies have
 * d²x/dt² = g/a³ − …, so that g acts as an acceleration in the time t/a^1.5; their step is a
 * difference of scale factors, at a. */
static inline double ky_step_of_criteria(const struct ky_expansion *expansion, double length,
                                         double a)
{
    if (expansion->h0 == 0)
        return length;
    const double rate = expansion->h0 * ky_expansion_rate(a, &expansion->universe);
    return length / (a * rate * pow(a, 1.5));
}

#endif
