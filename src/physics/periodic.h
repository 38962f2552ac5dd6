/* Gravity in a periodic box. On the host everything is double. Lengths are in units of the box's
 * side.
 *
 * The potential of a unit mass and all its images, without the mean density, is -ψ:
 *
 *     ψ(r) = Σ erfc(α|r + n|)/|r + n| + Σ exp(-π²h²/α²)/(π h²) cos(2π h·r) - π/α²
 *
 * where n and h are vectors of integers, h not 0 (Ewald 1921). ψ does not depend on α, has the mean
 * 0, and Δψ = 4π where no body is. The far field is ψ without the 27 nearest images,
 *
 *     F(r) = ψ(r) - Σ 1/|r + n|, |n_x|, |n_y|, |n_z| <= 1,
 *
 * smooth for all pairs in the box, ΔF = 4π. Between two cubes of a grid it is an expansion as
 * between cells (physics/taylor.h), with derivatives that are the same for all boxes. */
#ifndef KY_PHYSICS_PERIODIC_H
#define KY_PHYSICS_PERIODIC_H

#include "physics/language.h"
#include "physics/space.h"

#if KY_HOST
#include <math.h>
#include <string.h>
#define KY_FAR_FN static inline
#else
#define KY_FAR_FN KY_FN
#endif

/* Expansions of F to degree 8 between the cubes of a grid of 4³. */
#define KY_FAR_DEGREE 8
#define KY_FAR_TERMS 165
#define KY_FAR_SIDE 4
#define KY_FAR_CUBES 64
/* The moments of all cubes as integers, which have the same sum in any order, and the number of
 * bodies whose mass or place is not finite. */
#define KY_FAR_WHOLES (KY_FAR_CUBES * KY_FAR_TERMS + 1)
/* The offsets from one cube to another along an axis are -KY_FAR_REACH … KY_FAR_REACH. */
#define KY_FAR_REACH (KY_FAR_SIDE - 1)
#define KY_FAR_OFFSETS (2 * KY_FAR_REACH + 1)

/* The place of x^i y^j z^k, by degree, then by j + k, then by k. */
KY_FAR_FN int ky_far_term(int i, int j, int k)
{
    const int degree = i + j + k, rest = j + k;
    return degree * (degree + 1) * (degree + 2) / 6 + rest * (rest + 1) / 2 + k;
}

/* The place of an offset of cubes. */
KY_FAR_FN int ky_far_offset(int x, int y, int z)
{
    return ((x + KY_FAR_REACH) * KY_FAR_OFFSETS + y + KY_FAR_REACH) * KY_FAR_OFFSETS + z +
           KY_FAR_REACH;
}

#if KY_HOST

/* Calls ROW(i, j, k) for every term, in the order of the places. */
#define KY_FAR_EACH(degree, i, j, k)                                                               \
    for (int degree = 0; degree <= KY_FAR_DEGREE; degree++)                                        \
        for (int degree##_rest = 0, i = degree; degree##_rest <= degree; degree##_rest++, i--)     \
            for (int k = 0, j = degree##_rest; k <= degree##_rest; k++, j--)

/* t^n/n!. */
static inline void ky_far_powers(const double t[3], double power[KY_FAR_TERMS])
{
    enum { MOST = KY_FAR_DEGREE + 1 };
    double part[3][MOST], yz[MOST * (MOST + 1) / 2];
    for (int c = 0; c < 3; c++) {
        part[c][0] = 1;
        for (int n = 1; n <= KY_FAR_DEGREE; n++)
            part[c][n] = part[c][n - 1] * t[c] / n;
    }
    for (int rest = 0, n = 0; rest <= KY_FAR_DEGREE; rest++)
        for (int k = 0; k <= rest; k++)
            yz[n++] = part[1][rest - k] * part[2][k];
    for (int degree = 0, n = 0; degree <= KY_FAR_DEGREE; degree++)
        for (int rest = 0, m = 0; rest <= degree; rest++)
            for (int k = 0; k <= rest; k++)
                power[n++] = part[0][degree - rest] * yz[m++];
}

/* Radial derivatives g_k = (1/r d/dr)^k f, k = 0 … KY_FAR_DEGREE, of f = erf(αr)/r, by the function
 * of Boys: g_k = 2α/√π (-2α²)^k F_k(α²r²). */
static inline void ky_far_erf(double r2, double alpha, double g[KY_FAR_DEGREE + 1])
{
    const double t = alpha * alpha * r2, e = exp(-t);
    double boys[KY_FAR_DEGREE + 1], term = 1.0 / (2 * KY_FAR_DEGREE + 1), sum = term,
                                    factor = 2 * alpha / sqrt(acos(-1.0));
    for (int i = 1; term > 1e-17 * sum; i++) {
        term *= 2 * t / (2 * KY_FAR_DEGREE + 2 * i + 1);
        sum += term;
    }
    boys[KY_FAR_DEGREE] = e * sum;
    for (int k = KY_FAR_DEGREE; k-- > 0;)
        boys[k] = (2 * t * boys[k + 1] + e) / (2 * k + 1);
    for (int k = 0; k <= KY_FAR_DEGREE; k++, factor *= -2 * alpha * alpha)
        g[k] = factor * boys[k];
}

/* The same of f = erfc(αr)/r, r > 0. */
static inline void ky_far_erfc(double r2, double alpha, double g[KY_FAR_DEGREE + 1])
{
    const double r = sqrt(r2);
    double part = 2 * alpha / sqrt(acos(-1.0)) * exp(-alpha * alpha * r2);
    g[0] = erfc(alpha * r) / r;
    for (int k = 0; k < KY_FAR_DEGREE; k++, part *= -2 * alpha * alpha)
        g[k + 1] = -((2 * k + 1) * g[k] + part) / r2;
}

/* Adds `sign` times the derivatives of a radial function at r, by the recurrence of
 * physics/taylor.h: R^k_0 = g_k, R^k_(n+e) = r_e R^(k+1)_n + n_e R^(k+1)_(n-e). */
static inline void ky_far_add(const double g[KY_FAR_DEGREE + 1], const double r[3], double sign,
                              double d[KY_FAR_TERMS])
{
    double row[KY_FAR_DEGREE + 1][KY_FAR_TERMS];
    int n = 0;
    KY_FAR_EACH(degree, i, j, k)
    {
        const int axis = i > 0 ? 0 : j > 0 ? 1 : 2, times = axis == 0 ? i : axis == 1 ? j : k;
        const int x = axis == 0, y = axis == 1, z = axis == 2;
        for (int level = 0; level <= KY_FAR_DEGREE - degree; level++) {
            if (degree == 0) {
                row[level][n] = g[level];
                continue;
            }
            row[level][n] = r[axis] * row[level + 1][ky_far_term(i - x, j - y, k - z)];
            if (times > 1)
                row[level][n] +=
                    (times - 1) * row[level + 1][ky_far_term(i - 2 * x, j - 2 * y, k - 2 * z)];
        }
        d[n] += sign * row[0][n];
        n++;
    }
}

/* Adds the derivatives of the wave h. */
static inline void ky_far_add_wave(const double r[3], const double h[3], double alpha,
                                   double d[KY_FAR_TERMS])
{
    const double pi = acos(-1.0), h2 = h[0] * h[0] + h[1] * h[1] + h[2] * h[2],
                 size = exp(-pi * pi * h2 / (alpha * alpha)) / (pi * h2),
                 phase = 2 * pi * (h[0] * r[0] + h[1] * r[1] + h[2] * r[2]),
                 turn[4] = {cos(phase), -sin(phase), -cos(phase), sin(phase)};
    double part[3][KY_FAR_DEGREE + 1];
    for (int c = 0; c < 3; c++) {
        part[c][0] = 1;
        for (int n = 1; n <= KY_FAR_DEGREE; n++)
            part[c][n] = part[c][n - 1] * 2 * pi * h[c];
    }
    int n = 0;
    KY_FAR_EACH(degree, i, j, k)
    d[n++] += size * turn[degree % 4] * part[0][i] * part[1][j] * part[2][k];
}

/* The derivatives of F at r, |r_x|, |r_y|, |r_z| < 1, to 1e-11 of their size for α from 2 to 2.3.
 * KY_FAR_NEAR and KY_FAR_WAVES: the largest |r + n| and |h| of the sums. */
#define KY_FAR_ALPHA 2.2
#define KY_FAR_NEAR 3.6
enum { KY_FAR_WAVES = 5 };
static inline void ky_far_derivatives(const double r[3], double alpha, double d[KY_FAR_TERMS])
{
    const int most = KY_FAR_WAVES, side = 2 * most + 1;
    double g[KY_FAR_DEGREE + 1];
    memset(d, 0, KY_FAR_TERMS * sizeof *d);
    d[0] = -acos(-1.0) / (alpha * alpha);
    for (int k = 0; k < side * side * side; k++) {
        const double n[3] = {k % side - most, k / side % side - most, k / side / side - most},
                     at[3] = {r[0] + n[0], r[1] + n[1], r[2] + n[2]},
                     r2 = at[0] * at[0] + at[1] * at[1] + at[2] * at[2],
                     n2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (fabs(n[0]) <= 1 && fabs(n[1]) <= 1 && fabs(n[2]) <= 1) {
            ky_far_erf(r2, alpha, g);
            ky_far_add(g, at, -1, d);
        } else if (r2 < KY_FAR_NEAR * KY_FAR_NEAR) {
            ky_far_erfc(r2, alpha, g);
            ky_far_add(g, at, 1, d);
        }
        if (n2 > 0 && n2 <= KY_FAR_WAVES * KY_FAR_WAVES)
            ky_far_add_wave(r, n, alpha, d);
    }
}
#endif

#endif
