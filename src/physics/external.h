/* Fields that no body makes: acceleration, jerk and potential at a place.
 *
 *     point   φ = −μ/s, s² = d² + ε²     a = −μ d/s³     j = −μ [v/s³ − 3 (d·v) d/s⁵]
 *     tidal   φ = −d·T·d/2               a = T d         j = T v
 *
 * d and v are the place and its velocity less the field's centre, which stands. T is constant and
 * symmetric: the tides of a distant mass, or Ω_Λ H₀² times unity for a cosmological constant.
 *
 * A field is its numbers, a row in KY_EXTERNAL_KINDS and a formula: docs/extending.md. Portable C:
 * physics/dialect.h. */
#ifndef KY_PHYSICS_EXTERNAL_H
#define KY_PHYSICS_EXTERNAL_H

#include "physics/dialect.h"

/* F(name, NAME): the kinds. */
#define KY_EXTERNAL_KINDS(F) F(point, POINT) F(tidal, TIDAL)

/* N(name, accelerations, lengths): the numbers of a kind in their order, and the powers of
 * acceleration and length in their unit. */
#define KY_NUMBERS_point(N) N(mu, 1, 2) N(eps, 0, 1)
#define KY_NUMBERS_tidal(N)                                                                        \
    N(xx, 1, -1) N(yy, 1, -1) N(zz, 1, -1) N(xy, 1, -1) N(xz, 1, -1) N(yz, 1, -1)
/* The most that a kind has. */
#define KY_EXTERNAL_NUMBERS 6

#define KY_EXTERNAL_ENUM(name, NAME) KY_EXTERNAL_##NAME,
enum ky_external_kind { KY_EXTERNAL_KINDS(KY_EXTERNAL_ENUM) KY_EXTERNAL_KIND_COUNT };

#define KY_EXTERNAL_MEMBER(name, accelerations, lengths) KY_REAL name;
#define KY_EXTERNAL_STRUCT(name, NAME)                                                             \
    struct ky_external_##name {                                                                    \
        KY_NUMBERS_##name(KY_EXTERNAL_MEMBER)                                                      \
    };
KY_EXTERNAL_KINDS(KY_EXTERNAL_STRUCT)

/* A place and its velocity, less the field's centre. */
struct ky_external_place {
    KY_REAL x, y, z, vx, vy, vz;
};

/* What acts there: acceleration, its change in time along the velocity, potential. */
struct ky_external_pull {
    KY_REAL x, y, z, jx, jy, jz, potential;
};

KY_FN struct ky_external_pull ky_external_point(struct ky_external_point f,
                                                struct ky_external_place at)
{
    struct ky_external_pull pull;
    KY_REAL s2 = at.x * at.x + at.y * at.y + at.z * at.z + f.eps * f.eps;
    KY_REAL y = s2 > KY_SPLAT(KY_CLOSE2) ? KY_RSQRT(s2) : KY_SPLAT(0); /* at the very centre */
    KY_REAL y2 = y * y, force = -f.mu * y * y2;
    KY_REAL along = 3 * (at.x * at.vx + at.y * at.vy + at.z * at.vz) * y2;
    pull.x = force * at.x;
    pull.y = force * at.y;
    pull.z = force * at.z;
    pull.jx = force * (at.vx - along * at.x);
    pull.jy = force * (at.vy - along * at.y);
    pull.jz = force * (at.vz - along * at.z);
    pull.potential = -f.mu * y;
    return pull;
}

KY_FN struct ky_external_pull ky_external_tidal(struct ky_external_tidal f,
                                                struct ky_external_place at)
{
    struct ky_external_pull pull;
    pull.x = f.xx * at.x + f.xy * at.y + f.xz * at.z;
    pull.y = f.xy * at.x + f.yy * at.y + f.yz * at.z;
    pull.z = f.xz * at.x + f.yz * at.y + f.zz * at.z;
    pull.jx = f.xx * at.vx + f.xy * at.vy + f.xz * at.vz;
    pull.jy = f.xy * at.vx + f.yy * at.vy + f.yz * at.vz;
    pull.jz = f.xz * at.vx + f.yz * at.vy + f.zz * at.vz;
    pull.potential = KY_SPLAT(-0.5f) * (pull.x * at.x + pull.y * at.y + pull.z * at.z);
    return pull;
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

KY_FN struct ky_external_pull ky_external_none(void)
{
    struct ky_external_pull pull;
    pull.x = pull.y = pull.z = pull.jx = pull.jy = pull.jz = pull.potential = KY_SPLAT(0);
    return pull;
}

/* A case for each kind of a switch: pull = the field whose number k is NUMBER(k), at `at`. Readers
 * keep the numbers in memory of their own kind, and define NUMBER. */
#define KY_EXTERNAL_TAKE(name, accelerations, lengths) f.name = KY_EXTERNAL_NUMBER(k++);
#define KY_EXTERNAL_CASE(name, NAME)                                                               \
    case KY_EXTERNAL_##NAME: {                                                                     \
        struct ky_external_##name f;                                                               \
        KY_NUMBERS_##name(KY_EXTERNAL_TAKE) pull = ky_external_##name(f, at);                      \
        break;                                                                                     \
    }

#endif
