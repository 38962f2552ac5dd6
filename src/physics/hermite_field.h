/* Derivatives in time of a body's acceleration by external fields (by bodies: change.h). The
 * including file defines KY_FIELD, the type of a field, and KY_FIELD_PULL(field, at), the field's
 * acceleration at a moving position, which is not relative to the field's centre. */
#ifndef KY_PHYSICS_HERMITE_FIELD_H
#define KY_PHYSICS_HERMITE_FIELD_H

#include "physics/change.h"
#include "physics/external.h"

/* Adds a field to the rate (change.h), treated as a source at its centre at the distance r with the
 * acceleration a. */
KY_FN struct ky_hermite_rate ky_hermite_rate_pull(struct ky_hermite_rate rate, KY_REAL a,
                                                  KY_REAL r2, KY_REAL v2)
{
    return r2 > 0 ? ky_hermite_rate_add(rate, 1 / sqrt(r2), v2, a * r2, 0) : rate;
}

#ifdef KY_FIELD

/* The field's acceleration of a body with velocity u at x + h v, at the time h. With `pace` 0 its
 * jerk is F' u there. */
KY_FN struct ky_external_pull ky_field_along(KY_FIELD field, struct ky_hermite_motion m, KY_REAL h,
                                             KY_REAL pace, KY_REAL ux, KY_REAL uy, KY_REAL uz)
{
    struct ky_external_state at;
    at.x = m.x + h * m.vx;
    at.y = m.y + h * m.vy;
    at.z = m.z + h * m.vz;
    at.vx = ux;
    at.vy = uy;
    at.vz = uz;
    at.time = h;
    at.pace = pace;
    return KY_FIELD_PULL(field, at);
}

/* The time in which a body moves a small fraction of its distance to the centre of a field; 0 at
 * rest. */
KY_FN KY_REAL ky_field_moment(struct ky_hermite_motion m, KY_REAL centre_x, KY_REAL centre_y,
                              KY_REAL centre_z)
{
    KY_REAL x = m.x - centre_x, y = m.y - centre_y, z = m.z - centre_z;
    KY_REAL r2 = x * x + y * y + z * z, v2 = m.vx * m.vx + m.vy * m.vy + m.vz * m.vz;
    return v2 > 0 ? sqrt(r2 / v2) / 256 : 0;
}

/* Adds the derivatives of the field along a body's path, F" v v + F' a and F"' v v v + 3 F" v a +
 * F' j, where v v and v v v denote all changes along the path and in time. Derivatives other than
 * F' come from differences of the jerk over the time h, accurate enough for the choice of a
 * step. */
KY_FN struct ky_hermite_change ky_add_field_change(struct ky_hermite_change sum, KY_FIELD field,
                                                   struct ky_hermite_motion m, KY_REAL h)
{
    enum { NOW, OF_A, OF_J, ON, BACK, ON_A, BACK_A, PULLS, V = 0, A, J };
    const KY_REAL per = h > 0 ? 1 / h : 0, time[PULLS] = {0, 0, 0, h, -h, h, -h},
                  of[][3] = {{m.vx, m.vy, m.vz}, {m.ax, m.ay, m.az}, {m.jx, m.jy, m.jz}};
    const int with[PULLS] = {V, A, J, V, V, A, A};
    struct ky_external_pull pull[PULLS];
    /* one loop, so that a kernel contains the formulas of all fields once */
    for (int k = 0; k < PULLS; k++)
        pull[k] = ky_field_along(field, m, time[k], with[k] == V, of[with[k]][0], of[with[k]][1],
                                 of[with[k]][2]);
#define KY_FIELD_CHANGE_ALONG(j, s, c)                                                             \
    {                                                                                              \
        sum.s += pull[OF_A].j + (pull[ON].j - pull[BACK].j) * per / 2;                             \
        sum.c += pull[OF_J].j + 3 * (pull[ON_A].j - pull[BACK_A].j) * per / 2 +                    \
                 (pull[ON].j - 2 * pull[NOW].j + pull[BACK].j) * per * per;                        \
    }
    KY_FIELD_CHANGE_ALONG(jx, sx, cx)
    KY_FIELD_CHANGE_ALONG(jy, sy, cy)
    KY_FIELD_CHANGE_ALONG(jz, sz, cz)
#undef KY_FIELD_CHANGE_ALONG
    return sum;
}

#endif

#endif
