/* Expansions of gravity in powers of coordinates, to an order p: of a cell as a source (moments)
 * and about the centre of sinks (local coefficients). n and m are triples of exponents, |n| is
 * their sum, tⁿ = x^i y^j z^k and n! = i! j! k!.
 *
 *     M_n = Σ m ξⁿ/n!                        moments: ξ from the centre of mass,
 *                                            so M_n = 0 if |n| = 1
 *     D_n = ∂ⁿ/∂rⁿ (1/s), s² = r² + ε²       derivatives at r = source - sink, between the centres
 *     K_m = Σ M_n D_(n+m), |n| + |m| <= p    a cell's contribution to the local coefficients
 *     p(t) = Σ K_m tᵐ/m!                     -φ at a sink, t = centre - sink
 *     a_e(t) = -Σ K_(m+e) tᵐ/m!              its acceleration along the axis e
 *
 * p(t) is the Taylor expansion of Σ m/sqrt(|r + ξ + t|² + ε²), so it is softened like the bodies. A
 * centre is moved by
 *
 *     M'_n = Σ M_k τ^(n-k)/(n-k)!            τ = old centre - new centre
 *     K'_m = Σ K_(m+k) τᵏ/k!                 with the same τ
 *
 * and the derivatives follow from a recurrence (McMurchie & Davidson 1978):
 *
 *     g_0 = 1/s, g_k = (1 - 2 k)/s² g_(k-1)
 *     R^k_0 = g_k, R^k_(n+e) = r_e R^(k+1)_n + n_e R^(k+1)_(n-e), D_n = R^0_n
 *
 * R^k_n is proportional to 1/s^(|n|+2k+1), and the tables contain it times this power, with r/s
 * instead of r: higher powers of distances than in D_n would leave the range of float.
 *
 * The tables (taylor_table.h) have a row for each term. `order` is constant in every loop. */
#ifndef KY_PHYSICS_TAYLOR_H
#define KY_PHYSICS_TAYLOR_H

#include "physics/gravity.h"
#include "physics/taylor_orders.h"
#include "physics/taylor_table.h"

/* The rows of a table up to an order: ROWS(d) has the rows of degree d. (OpenCL C has no variadic
 * macros.) */
#define KY_TAYLOR_UP_TO(order, ROWS)                                                               \
    {                                                                                              \
        ROWS(0) ROWS(1) if ((order) >= 2)                                                          \
        {                                                                                          \
            ROWS(2)                                                                                \
        }                                                                                          \
        if ((order) >= 3) {                                                                        \
            ROWS(3)                                                                                \
        }                                                                                          \
        if ((order) >= 4) {                                                                        \
            ROWS(4)                                                                                \
        }                                                                                          \
        if ((order) >= 5) {                                                                        \
            ROWS(5)                                                                                \
        }                                                                                          \
        if ((order) >= 6) {                                                                        \
            ROWS(6)                                                                                \
        }                                                                                          \
    }

/* tⁿ/n!. */
KY_FN void ky_taylor_powers(KY_REAL *power, const KY_REAL *t, const int order)
{
    power[0] = KY_SPLAT(1);
#define KY_TAYLOR_POWER(n, axis, below, over, degree)                                              \
    power[n] = t[axis] * power[below];                                                             \
    if ((over) > 1)                                                                                \
        power[n] = power[n] * (KY_SPLAT(1) / KY_SPLAT(over));
#define KY_TAYLOR_POWER_ROWS(d) KY_TAYLOR_POWERS_##d(KY_TAYLOR_POWER)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_POWER_ROWS)
}

/* D_n at r, from y = KY_RSQRT(s²). `d` has KY_TAYLOR_DERIVATIVES elements. */
KY_FN void ky_taylor_derivatives(KY_REAL *d, const KY_REAL *r, KY_REAL y, const int order)
{
    KY_REAL u[3], h[KY_TAYLOR_MOST + 1]; /* h[k]: 1/s^(k+1) */
    h[0] = y * KY_SPLAT(1.0f / KY_RSQRT_SCALE);
    for (int k = 1; k <= order; k++)
        h[k] = h[k - 1] * h[0];
    for (int c = 0; c < 3; c++)
        u[c] = r[c] * h[0];
    d[0] = h[0];
#define KY_TAYLOR_G(to, number) d[to] = KY_SPLAT(number);
#define KY_TAYLOR_X(to, axis, from) d[to] = u[axis] * d[from];
#define KY_TAYLOR_Y(to, axis, from, other) d[to] = KY_FMA(u[axis], d[from], d[other]);
#define KY_TAYLOR_S(to, from, k) d[to] = KY_SPLAT(k) * d[from];
#define KY_TAYLOR_DERIVATIVE_ROWS(d)                                                               \
    KY_TAYLOR_DERIVATIVES_##d(KY_TAYLOR_G, KY_TAYLOR_X, KY_TAYLOR_Y, KY_TAYLOR_S)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_DERIVATIVE_ROWS)
#define KY_TAYLOR_SCALED(n, axis, below, over, degree) d[n] = d[n] * h[degree];
#define KY_TAYLOR_SCALED_ROWS(d) KY_TAYLOR_POWERS_##d(KY_TAYLOR_SCALED)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_SCALED_ROWS)
}

/* Adds the contribution of a cell with moments up to a degree (the mass is moment[0]) to local
 * coefficients. Moments of degree `order` act only on K_0, and thus on the potential. */
KY_FN void ky_taylor_act_to(KY_REAL *coefficient, const KY_REAL *moment, const KY_REAL *d,
                            const int order, const int degree)
{
#define KY_TAYLOR_ACT(m, n, sum)                                                                   \
    if ((n) == 0 || ((n) >= KY_TAYLOR_SECOND && (n) < KY_TAYLOR_COUNT(degree)))                    \
        coefficient[m] = KY_FMA(moment[n], d[sum], coefficient[m]);
#define KY_TAYLOR_ACT_ROWS(d) KY_TAYLOR_SUMS_##d(KY_TAYLOR_ACT)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_ACT_ROWS)
}

/* The same with all moments of the order. */
KY_FN void ky_taylor_act(KY_REAL *coefficient, const KY_REAL *moment, const KY_REAL *d,
                         const int order)
{
    ky_taylor_act_to(coefficient, moment, d, order, order);
}

/* Adds `coefficient` to the coefficients about another centre; `power` has the powers of the vector
 * from that centre to the old one. */
KY_FN void ky_taylor_shift(KY_REAL *to, const KY_REAL *coefficient, const KY_REAL *power,
                           const int order)
{
#define KY_TAYLOR_SHIFT(m, n, sum) to[m] = KY_FMA(coefficient[sum], power[n], to[m]);
#define KY_TAYLOR_SHIFT_ROWS(d) KY_TAYLOR_SUMS_##d(KY_TAYLOR_SHIFT)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_SHIFT_ROWS)
}

/* Adds the field at a sink; `power`: the powers of t. */
KY_FN struct ky_field ky_taylor_field(struct ky_field field, const KY_REAL *coefficient,
                                      const KY_REAL *power, const int order)
{
    KY_REAL a[3];
    a[0] = a[1] = a[2] = KY_SPLAT(0);
#define KY_TAYLOR_FIELD(m, n, sum)                                                                 \
    if ((m) == 0)                                                                                  \
        field.p = KY_FMA(coefficient[sum], power[n], field.p);                                     \
    else if ((m) < KY_TAYLOR_SECOND)                                                               \
        a[((m)-1) & 3] = KY_FMA(coefficient[sum], power[n], a[((m)-1) & 3]);
#define KY_TAYLOR_FIELD_ROWS(d) KY_TAYLOR_SUMS_##d(KY_TAYLOR_FIELD)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_FIELD_ROWS)
    field.x = field.x - a[0];
    field.y = field.y - a[1];
    field.z = field.z - a[2];
    return field;
}

/* Adds a body of mass m to the moments of degree 2 and more; `power`: the powers of ξ. */
KY_FN void ky_taylor_add_body(KY_REAL *moment, KY_REAL m, const KY_REAL *power, const int order)
{
#define KY_TAYLOR_BODY(n, axis, below, over, degree)                                               \
    if ((n) >= KY_TAYLOR_SECOND)                                                                   \
        moment[n] = KY_FMA(m, power[n], moment[n]);
#define KY_TAYLOR_BODY_ROWS(d) KY_TAYLOR_POWERS_##d(KY_TAYLOR_BODY)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_BODY_ROWS)
}

/* Adds the moments of a cell to the moments of degree 2 and more about another centre; `power` has
 * the powers of the vector from that centre to the cell's own. The first element of `from` is the
 * cell's mass. */
KY_FN void ky_taylor_add_cell(KY_REAL *moment, const KY_REAL *from, const KY_REAL *power,
                              const int order)
{
#define KY_TAYLOR_CELL(n, k, sum)                                                                  \
    if ((sum) >= KY_TAYLOR_SECOND && ((n) == 0 || (n) >= KY_TAYLOR_SECOND))                        \
        moment[sum] = KY_FMA(from[n], power[k], moment[sum]);
#define KY_TAYLOR_CELL_ROWS(d) KY_TAYLOR_SUMS_##d(KY_TAYLOR_CELL)
    KY_TAYLOR_UP_TO(order, KY_TAYLOR_CELL_ROWS)
}

#endif
