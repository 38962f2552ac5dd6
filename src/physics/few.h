/* Motion of a few bodies by the leap-frog of a logarithmic Hamiltonian (Mikkola & Tanikawa 1999;
 * Preto & Tremaine 1999), composed to order 8 (Kahan & Li 1997). Masses contain G. All vectors are
 * relative: a system is a binary tree whose nodes are pairs of bodies or of groups, and a node has
 * the vector from the centre of mass of its left side to the centre of its right side.
 *
 * With U the clock's potential, T its kinetic energy, and B = U - T at the beginning,
 *
 *     drift by h    dt = h/(T + B),  x += v dt,  t += dt
 *     kick by h     dt = h/U,        v += a dt,  B -= dt (power of the forces outside the clock)
 *
 * Two bodies stay on their exact conic section, whatever h is. LogH: the clock is the whole system.
 * BlogH: it is one inner pair, and the power is the work of the other bodies on this pair.
 * Slow-down (Mikkola & Aarseth 1996): a pair drifts by dt/κ, and its own force and energies are
 * divided by κ.
 *
 * Coefficients and h are short numbers, multiples of a power of two with at most 35 and 18 bits.
 * Then all their products are exact. Rounded ones would turn an orbit at each step by the same
 * small angle. */
#ifndef KY_PHYSICS_FEW_H
#define KY_PHYSICS_FEW_H

#include "physics/dialect.h"
#include "physics/few_coefficients.h"

/* Significant bits of h. */
#define KY_FEW_STEP_BITS 18

KY_CONSTANT double ky_few_coefficient[KY_FEW_STAGES] = {
#define KY_FEW_ROW(x) (double)(x),
    KY_FEW_COEFFICIENTS(KY_FEW_ROW)
#undef KY_FEW_ROW
};

/* Before short loops: with a constant tree a compiler then keeps arrays in registers. */
#if KY_HOST
#define KY_FEW_UNROLL _Pragma("GCC unroll 4")
#elif defined(KY_IN_CUDA)
#define KY_FEW_UNROLL _Pragma("unroll")
#else
#define KY_FEW_UNROLL
#endif

/* The numbers of the stages: of one system, or a vector of several. A file with vectors defines
 * them, a vector of equal numbers and KY_FEW_INVERSE before it includes this one.
 * KY_FEW_INVERSE(r2) is 1/r from r². Bodies at the same place exert no force on each other. */
#ifndef KY_FEW_REAL
#define KY_FEW_REAL double
#define KY_FEW_SPLAT(x) ((double)(x))
#define KY_FEW_INVERSE(r2) ((r2) > 0 ? 1 / sqrt(r2) : 0)
#endif

KY_FN KY_FEW_REAL ky_few_inverse(KY_FEW_REAL r2)
{
    return KY_FEW_INVERSE(r2);
}

/* Three components of a vector. */
struct ky_few_vector {
    double x, y, z;
};

KY_FN KY_FEW_REAL ky_few_square(KY_FEW_REAL x, KY_FEW_REAL y, KY_FEW_REAL z)
{
    return x * x + y * y + z * z;
}

/* The square of a vector. */
KY_FN KY_FEW_REAL ky_few_length2(const KY_FEW_REAL v[3])
{
    return ky_few_square(v[0], v[1], v[2]);
}

/* 1 if a number is finite, in every language. */
KY_FN int ky_few_is_number(double x)
{
    return x - x == 0;
}

/* 1 if two parts of a system are unbound, recede and are farther apart than `distance`; from r²,
 * v², the product r·v (times -1 backwards in time), and G × their mass. */
KY_FN int ky_few_is_over(double r2, double v2, double away, double gm, double distance)
{
    return r2 > distance * distance && away > 0 && 0.5 * v2 > gm * (r2 > 0 ? 1 / sqrt(r2) : 0);
}

/* A time and its part below the last bit (Kahan's sum). */
struct ky_few_time {
    KY_FEW_REAL t, low;
};

KY_FN struct ky_few_time ky_few_later(struct ky_few_time now, KY_FEW_REAL dt)
{
    struct ky_few_time later;
    KY_FEW_REAL missing = dt - now.low;
    later.t = now.t + missing;
    later.low = (later.t - now.t) - missing;
    return later;
}

/* The orbit of the two sides of a node about each other, from gm = G × the total mass, r, v², and
 * the product r·v. */
struct ky_few_orbit {
    double gm, r;
    double inverse_axis; /* 1/a; negative for a hyperbola */
    double e;
    double pericentre;
    double speed;  /* n a, of a hyperbola a bound of it: angle of eccentric anomaly × r a time */
    double period; /* [time]; of a hyperbola 2π × the time in which r changes */
};

KY_FN struct ky_few_orbit ky_few_orbit(double gm, double r, double v2, double rv)
{
    const double turn = 6.283185307179586477;
    struct ky_few_orbit orbit;
    double along, p = (r * r * v2 - rv * rv) / gm;
    orbit.gm = gm;
    orbit.r = r;
    orbit.inverse_axis = 2 / r - v2 / gm;
    along = 1 - r * orbit.inverse_axis;
    along = along * along + rv * rv * orbit.inverse_axis / gm;
    orbit.e = along > 0 ? sqrt(along) : 0;
    orbit.pericentre = (p > 0 ? p : 0) / (1 + orbit.e);
    if (orbit.inverse_axis > 0) {
        orbit.speed = sqrt(gm * orbit.inverse_axis);
        orbit.period = turn / (orbit.inverse_axis * orbit.speed);
    } else {
        orbit.speed = sqrt(gm * (1 / r - orbit.inverse_axis));
        orbit.period = turn * r / sqrt(gm / r + v2);
    }
    return orbit;
}

/* The largest h that advances the eccentric anomaly by at most `angle` a step at the nearest point
 * of the orbit, the pericentre (of a hyperbola the present place), while the rest of the clock's
 * potential, `rest`, is least. A body that falls straight in has the pericentre 0: from afar a
 * thousandth of the present distance is near enough, since h follows the distance. `weight` × gm/r
 * is the pair's own part of the clock, `slow` is 1/κ. */
KY_FN double ky_few_longest(struct ky_few_orbit orbit, double weight, double rest, double slow,
                            double angle)
{
    double nearest = orbit.inverse_axis > 0 ? orbit.pericentre : orbit.r;
    if (nearest < 1e-3 * orbit.r)
        nearest = 1e-3 * orbit.r;
    return angle * (weight * orbit.gm + rest * nearest) / (slow * orbit.speed);
}

#endif
