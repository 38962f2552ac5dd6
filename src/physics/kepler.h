/* Motion on the orbit of two bodies about each other, by universal variables (Stumpff 1947; Danby
 * 1988). With α = 1/a and G_k = s^k c_k(G M α s²), where c_k are Stumpff's functions,
 *
 *     t = r₀ s + (x₀·v₀) G₂ + (G M - G M α r₀) G₃,      r = dt/ds = r₀ + (x₀·v₀) G₁ + (…) G₂
 *     x = (1 - G M G₂/r₀) x₀ + (t - G M G₃) v₀
 *     v = -G M G₁/(r₀ r) x₀ + (1 - G M G₂/r) v₀
 *
 * It holds for ellipses, parabolas and hyperbolas. Host only. */
#ifndef KY_PHYSICS_KEPLER_H
#define KY_PHYSICS_KEPLER_H

#include <math.h>

/* G₁, G₂ and G₃. */
struct ky_kepler_functions {
    double g1, g2, g3;
};

static inline struct ky_kepler_functions ky_kepler_functions(double beta, double s)
{
    enum { TERMS = 10 }; /* the next one is below 1e-21 of the sum */
    struct ky_kepler_functions of;
    const double z = beta * s * s;
    if (fabs(z) < 1) { /* series of c₂ and c₃, from their last terms on */
        double c2 = 1, c3 = 1;
#pragma GCC unroll 10
        for (int k = TERMS; k > 0; k--) { /* constant factors */
            c2 = 1 - z * (1.0 / (double)((2 * k + 1) * (2 * k + 2))) * c2;
            c3 = 1 - z * (1.0 / (double)((2 * k + 2) * (2 * k + 3))) * c3;
        }
        of.g2 = s * s * c2 * 0.5;
        of.g3 = s * s * s * c3 * (1.0 / 6);
        of.g1 = s - beta * of.g3;
        return of;
    }
    const double root = sqrt(fabs(beta)), u = root * s,
                 half = beta > 0 ? sin(0.5 * u) : sinh(0.5 * u);
    of.g1 = (beta > 0 ? sin(u) : sinh(u)) / root;
    of.g2 = 2 * half * half / fabs(beta);
    of.g3 = (s - of.g1) / beta;
    return of;
}

/* The s that belongs to the time dt, by Halley's method within bounds: t grows with s, since r is
 * positive, and d²t/ds² = dr/ds. For e near 0.5 and times near half a period the steps may jump
 * between two points for hundreds of iterations: after `SLOW` every other step halves the bounds.
 * The last step is the one after which another one would be below the rounding of s. */
static inline double ky_kepler_solve(double beta, double r0, double along, double rest, double dt)
{
    enum { MOST = 200, SLOW = 16 };
    const double sign = dt < 0 ? -1 : 1, wanted = fabs(dt);
    double low = 0, high = (double)INFINITY, s = wanted / r0;
    if (beta > 0) /* at most a period: 2π of eccentric anomaly */
        s = fmin(s, high = 6.3 / sqrt(beta));
    else if (beta < 0)
        s = fmin(s, 20 / sqrt(-beta));
    for (int k = 0; k < MOST; k++) {
        const struct ky_kepler_functions g = ky_kepler_functions(beta, s);
        const double t = r0 * s + sign * along * g.g2 + rest * g.g3,
                     r = r0 + sign * along * g.g1 + rest * g.g2, newton = (wanted - t) / r,
                     turn = sign * along * (1 - beta * g.g2) + rest * g.g1, /* dr/ds */
            bend = 0.5 * newton * turn / r;
        if (t < wanted)
            low = s;
        else
            high = s;
        double next = s + (fabs(bend) < 0.5 ? newton / (1 + bend) : newton);
        const int inside = next > low && next < high && r > 0 && !(k > SLOW && k % 2);
        if (!inside)
            next = isinf(high) ? 2 * s : 0.5 * (low + high);
        const double change = fabs(next - s),
                     left =
                         change * change * (fabs(turn) + change * fabs(rest + beta * (r0 - r))) / r;
        s = next;
        if (change <= 2.3e-16 * fabs(s) || (inside && left <= 1e-17 * fabs(s)) || low >= high)
            break;
    }
    return sign * s;
}

/* Advances relative place and velocity by dt; gm: G × the total mass. */
static inline void ky_kepler_move(double gm, double x[3], double v[3], double dt)
{
    const double r0 = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]),
                 v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2],
                 along = x[0] * v[0] + x[1] * v[1] + x[2] * v[2], beta = 2 * gm / r0 - v2,
                 rest = gm - beta * r0;
    if (beta > 0) {
        const double period = 6.283185307179586477 * gm / (beta * sqrt(beta));
        dt -= period * rint(dt / period);
    }
    if (dt == 0 || !(r0 > 0))
        return;
    const double s = ky_kepler_solve(beta, r0, along, rest, dt);
    const struct ky_kepler_functions g = ky_kepler_functions(beta, s);
    const double r = r0 + along * g.g1 + rest * g.g2, f = -gm * g.g2 / r0, h = dt - gm * g.g3,
                 f1 = -gm * g.g1 / (r0 * r), h1 = -gm * g.g2 / r;
    for (int c = 0; c < 3; c++) {
        const double x0 = x[c], v0 = v[c];
        x[c] = x0 + (f * x0 + h * v0);
        v[c] = v0 + (f1 * x0 + h1 * v0);
    }
}

#endif
