/* When a cell must be opened: the opening tests of N09 (offset), B12 (offset, minimum), Barnes &
 * Hut (geometric) and GADGET (relative). Portable C; scalars, or several cells at a time in the
 * CPU's lanes. Lengths are differences from the centre of the sinks, so that float is enough. */
#ifndef KY_PHYSICS_OPENING_H
#define KY_PHYSICS_OPENING_H

#include "physics/dialect.h"

/* A cell at a squared distance up to this is opened whatever the test says: the field of a
 * quadrupole grows as 1/d⁵ and would leave the range of float. In the engine's units, squared; the
 * distance is 3e-11 of the system's size. */
#define KY_OPENING_CLOSE2 1e-15f

/* Distance of an interval of half-width `h` about 0 to the interval from dx − below to
 * dx + above; 0 when they touch. */
KY_FN KY_FLOAT ky_opening_gap(KY_FLOAT dx, KY_FLOAT below, KY_FLOAT above, KY_FLOAT h)
{
    KY_FLOAT left = dx - below - h, right = -(dx + above) - h;
    return KY_FLOAT_MAX(KY_FLOAT_MAX(left, right), KY_FLOAT_SPLAT(0.0f));
}

/* 1 if the box of half-sides hx hy hz about 0 touches the cell's box about its com dx dy dz. */
KY_FN KY_TRUTH ky_opening_box_touches(KY_FLOAT dx, KY_FLOAT dy, KY_FLOAT dz, KY_FLOAT below_x,
                                      KY_FLOAT below_y, KY_FLOAT below_z, KY_FLOAT above_x,
                                      KY_FLOAT above_y, KY_FLOAT above_z, KY_FLOAT hx, KY_FLOAT hy,
                                      KY_FLOAT hz)
{
    return ky_opening_gap(dx, below_x, above_x, hx) + ky_opening_gap(dy, below_y, above_y, hy) +
               ky_opening_gap(dz, below_z, above_z, hz) <=
           0.0f;
}

/* `relative`: a cell is opened for sinks within so many of its longest sides of its centre, however
 * small its share of their acceleration: the potential, and the next step, see more of it. */
#define KY_OPENING_NEAREST 1.0f

/* `relative`: 1 if a sink may be within KY_OPENING_NEAREST l of the centre of the cell's box along
 * every axis, l being its longest side; the cube holds the box. */
KY_FN KY_TRUTH ky_opening_cube_touches(KY_FLOAT dx, KY_FLOAT dy, KY_FLOAT dz, KY_FLOAT below_x,
                                       KY_FLOAT below_y, KY_FLOAT below_z, KY_FLOAT above_x,
                                       KY_FLOAT above_y, KY_FLOAT above_z, KY_FLOAT hx, KY_FLOAT hy,
                                       KY_FLOAT hz)
{
    KY_FLOAT lx = below_x + above_x, ly = below_y + above_y, lz = below_z + above_z;
    KY_FLOAT l = KY_FLOAT_MAX(lx, ly);
    l = KY_OPENING_NEAREST * KY_FLOAT_MAX(l, lz);
    dx += 0.5f * (above_x - below_x);
    dy += 0.5f * (above_y - below_y);
    dz += 0.5f * (above_z - below_z);
    return ky_opening_gap(dx, l, l, hx) + ky_opening_gap(dy, l, l, hy) +
               ky_opening_gap(dz, l, l, hz) <=
           0.0f;
}

/* Squared distance of the box of half-sides hx hy hz about 0 to the cell's box. */
KY_FN KY_FLOAT ky_opening_box_distance2(KY_FLOAT dx, KY_FLOAT dy, KY_FLOAT dz, KY_FLOAT below_x,
                                        KY_FLOAT below_y, KY_FLOAT below_z, KY_FLOAT above_x,
                                        KY_FLOAT above_y, KY_FLOAT above_z, KY_FLOAT hx,
                                        KY_FLOAT hy, KY_FLOAT hz)
{
    KY_FLOAT x = ky_opening_gap(dx, below_x, above_x, hx),
             y = ky_opening_gap(dy, below_y, above_y, hy),
             z = ky_opening_gap(dz, below_z, above_z, hz);
    return x * x + y * y + z * z;
}

#if KY_HOST
/* `relative`: what to multiply node.open2 with for a group whose smallest last acceleration is `a`
 * (for G = 1): d^(p+3) > M l^(p+1)/(α a), p = 1 for monopoles and 2 for quadrupoles. */
KY_FN double ky_opening_relative_factor(double alpha, double a, int multipole)
{
    return pow(alpha * a, -2.0 / (multipole + 3));
}

/* How many bodies have which binary exponent of |a|: whole numbers, the same in any order. Bodies
 * without acceleration do not count. |a| is in the engine's units, for which the range is wide
 * enough; beyond it the last exponent counts. */
enum { KY_OPENING_EXPONENTS = 512, KY_OPENING_MIDDLE = KY_OPENING_EXPONENTS / 2 };

KY_FN int ky_opening_place(double a)
{
    int exponent = 0;
    (void)frexp(a, &exponent);
    exponent += KY_OPENING_MIDDLE;
    return exponent < 0 ? 0 : exponent < KY_OPENING_EXPONENTS ? exponent : KY_OPENING_EXPONENTS - 1;
}

/* The floor of |a|, which vanishes at the centre of a system and must not open the whole tree
 * there: a hundredth of the geometric mean, to a factor of 2, but at most half of what nine bodies
 * of ten exceed, to a factor of 2. The second keeps tight pairs, whose |a| is many orders of
 * magnitude larger, from raising the floor above the |a| of all others. */
KY_FN double ky_opening_floor(const unsigned long long count[KY_OPENING_EXPONENTS])
{
    double exponents = 0, all = 0, below = 0;
    int tenth = 0;
    for (int k = 0; k < KY_OPENING_EXPONENTS; k++) {
        exponents += (double)count[k] * (k - KY_OPENING_MIDDLE);
        all += (double)count[k];
    }
    if (!(all > 0))
        return 0;
    for (; below + (double)count[tenth] <= 0.1 * all; tenth++)
        below += (double)count[tenth];
    return fmin(0.01 * exp2(exponents / all), ldexp(0.5, tenth - KY_OPENING_MIDDLE - 1));
}
#endif

#endif
