/* Pairs on a device without double (kernels/steps/few_single.k): numbers are sums of two floats
 * (number.h). Each pair has its own units. They are powers of two, so that the conversion of units
 * is exact. In them the distance at the start is from 1 to 2, and G × the mass of the pair from 1
 * to 4. The time is counted from the start by Kahan's sum, so that the host can add it to a time
 * with more digits.
 *
 * Let w be the weight of the pair in the clock, H = h/w and β = B/w. Then a step needs no mass and
 * no root:
 *
 *     drift by H    dt = H/(v²/2 + β),  x += v dt,  t += dt
 *     kick by H     v -= H x/r² */
#ifndef KY_PHYSICS_FEW_SINGLE_H
#define KY_PHYSICS_FEW_SINGLE_H

#include "physics/dialect.h"

/* The columns of pairs, in their units: the time and its low part (Kahan's sum), β, H, the number
 * of steps, G × mass, and the relative place and velocity of the two bodies. */
#define KY_FEW_SINGLE_T 0
#define KY_FEW_SINGLE_LOW 1
#define KY_FEW_SINGLE_B 2
#define KY_FEW_SINGLE_H 3
#define KY_FEW_SINGLE_STEPS 4
#define KY_FEW_SINGLE_MASS 5
#define KY_FEW_SINGLE_X(c) (6 + (c))
#define KY_FEW_SINGLE_V(c) (9 + (c))
#define KY_FEW_SINGLE_COLUMNS 12
/* The columns of a goal: the time, and the distance at which an unbound pair ends (0: none). */
#define KY_FEW_GOAL_TIME 0
#define KY_FEW_GOAL_APART 1
#define KY_FEW_GOAL_COLUMNS 2

/* A pair whose distance falls below this part of the distance at the start is left to the host:
 * the low floats of its square are near the least number that a float can hold. */
#define KY_FEW_SINGLE_NEAREST 9.094947e-13f /* 2^-40 */

struct ky_few_single_course {
    ky_ulong count;  /* systems in a column */
    ky_ulong listed; /* systems of this launch */
    float sign;      /* -1: backwards in time */
    ky_uint most;    /* steps */
    ky_uint all;     /* 1: all systems; 0: the ones of the list */
    ky_uint unused;
};

#if KY_HOST
/* The units of a pair: 2^length and 2^speed. */
struct ky_few_units {
    int length, speed;
};

/* The units of a pair with this G × mass and the distance r. */
KY_FN struct ky_few_units ky_few_units_of(double gm, double r)
{
    const int length = r > 0 ? ilogb(r) : 0, power = gm > 0 ? ilogb(gm) - length : 0;
    const struct ky_few_units units = {length, (power - (power < 0)) / 2};
    return units;
}

/* 1 if floats in these units can hold a pair with the relative speed v for the time `span`. Its
 * distance then grows by a factor of at most 2^36, but for the part of a step beyond that time. If
 * it is unbound, its present kinetic energy is at most 2^35 times the potential energy at the
 * largest distance. */
KY_FN int ky_few_fits_floats(double gm, double r, double v, double span)
{
    const double most = 68719476736.0, inverse_axis = 2 / r - v * v / gm; /* most: 2^36 */
    double far = r + v * span;
    if (inverse_axis > 0)
        far = fmin(far, 2 / inverse_axis);
    return gm > 0 && r > 0 && far <= most * r && (inverse_axis > 0 || v * v * far <= most * gm);
}
#endif

#endif
