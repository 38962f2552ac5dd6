/* Turning points and period of the orbit of two softened bodies. Lengths are in units of the larger
 * softening, so that the formulas' tests for coincident bodies do not depend on the caller's
 * units. */
#include "analysis/softened_orbit.h"

#include <math.h>

#include "physics/gravity.h"
#include "physics/orbit.h"

/* Potential and acceleration of the relative motion of `pair` at the distance r. */
struct pull {
    double potential, force; /* [velocity²], [velocity²/length] */
};

static struct pull pull_at(const struct ky_pair *pair, double r)
{
    const double unit = fmax(pair->softening[0], pair->softening[1]);
    struct pull pull = {0, 0};
    for (int sink = 0; sink < 2; sink++) {
        const double eps[2] = {pair->softening[sink] / unit, pair->softening[1 - sink] / unit};
        const struct ky_field field =
            ky_add_body((struct ky_field){0, 0, 0, 0}, r / unit, 0, 0,
                        ky_soften(r / unit, 0, 0, eps[0] * eps[0], eps[1] * eps[1], pair->how),
                        pair->gm[1 - sink]);
        pull.potential -= field.p / unit;
        pull.force += field.x / (unit * unit);
    }
    return pull;
}

static int is_softened(const struct ky_pair *pair)
{
    return pair->softening[0] > 0 || pair->softening[1] > 0;
}

double ky_pair_potential(const struct ky_pair *pair, double r)
{
    if (is_softened(pair))
        return pull_at(pair, r).potential;
    return r > 0 ? -(pair->gm[0] + pair->gm[1]) / r : 0;
}

/* An orbit given by its energy and the square of its angular momentum. */
struct orbit {
    const struct ky_pair *pair;
    double energy, l2;
};

/* The square of the radial velocity at r; negative outside the orbit. */
static double radial2(const struct orbit *orbit, double r)
{
    const double turn = orbit->l2 > 0 ? orbit->l2 / (r * r) : 0;
    return 2 * (orbit->energy - pull_at(orbit->pair, r).potential) - turn;
}

/* The turning point between `inside`, which is on the orbit, and `outside`, which is not. */
static double turning_point(const struct orbit *orbit, double inside, double outside)
{
    enum { HALVES = 200 };
    for (int k = 0; k < HALVES; k++) {
        const double middle = (inside + outside) / 2;
        if (middle == inside || middle == outside)
            break;
        if (radial2(orbit, middle) >= 0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* The period of a circular orbit from κ² = 3 l²/r⁴ + φ''. φ'' is the difference quotient of the
 * force. */
static double period_of_circle(const struct orbit *orbit, double r)
{
    const double h = 1e-4 * r,
                 slope = (pull_at(orbit->pair, r + h).force - pull_at(orbit->pair, r - h).force) /
                         (2 * h);
    return 2 * 3.14159265358979323846 / sqrt(3 * orbit->l2 / pow(r, 4) + slope);
}

/* Twice ∫ dr/√(radial²) between the turning points. With r = a (1 − e cos u) the integrand is
 * smooth in u, and the midpoint rule converges as fast as any rule. */
static double integrate_period(const struct orbit *orbit, double axis, double e)
{
    const double pi = 3.14159265358979323846;
    double before = 0, sum = 0;
    for (int parts = 32; parts <= 1 << 16; parts *= 2) {
        before = sum;
        sum = 0;
        for (int k = 0; k < parts; k++) {
            const double u = pi * (k + 0.5) / parts,
                         speed2 = radial2(orbit, axis * (1 - e * cos(u)));
            sum += speed2 > 0 ? axis * e * sin(u) / sqrt(speed2) : 0;
        }
        sum *= 2 * pi / parts;
        if (fabs(sum - before) < 1e-8 * sum)
            break;
    }
    return sum;
}

/* The elements of a bound pair with softening. */
static void softened_elements(const struct ky_pair *pair, double r, double v2, double rv,
                              struct ky_elements *elements)
{
    const double gm = pair->gm[0] + pair->gm[1];
    const struct orbit orbit = {pair, elements->energy, fmax(r * r * v2 - rv * rv, 0)};
    /* except for rounding, no softened orbit of this energy exceeds Kepler's 2 a */
    const double far = 1.001 * (gm / -orbit.energy + r);
    const double last = turning_point(&orbit, r, far);
    const double first = orbit.l2 > 0 && r > 0 ? turning_point(&orbit, r, 0) : 0;
    const double e = (last - first) / (last + first);
    elements->semi_major_axis = (first + last) / 2;
    elements->eccentricity = e;
    elements->period = e < 1e-4 ? period_of_circle(&orbit, elements->semi_major_axis)
                                : integrate_period(&orbit, elements->semi_major_axis, e);
}

int ky_pair_elements(const struct ky_pair *pair, double r, double v2, double rv,
                     struct ky_elements *elements)
{
    const double gm = pair->gm[0] + pair->gm[1];
    *elements = (struct ky_elements){.energy = 0.5 * v2 + ky_pair_potential(pair, r)};
    if (!(elements->energy < 0) || !isfinite(elements->energy))
        return 0;
    if (is_softened(pair) && (r > 0 || v2 > 0)) {
        softened_elements(pair, r, v2, rv, elements);
    } else if (is_softened(pair)) { /* both at rest at the bottom of the potential */
        elements->period = (double)NAN;
    } else {
        const double inverse = ky_orbit_inverse_axis(gm, r, v2);
        elements->semi_major_axis = 1 / inverse;
        elements->eccentricity = ky_orbit_eccentricity(gm, inverse, r, rv);
        elements->period = ky_orbit_period(gm, 1 / inverse);
    }
    return 1;
}
