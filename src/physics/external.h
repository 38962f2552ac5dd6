/* External fields: acceleration, jerk and potential at a point.
 *
 *     sphere       a = −μ M d/s³, s² = d² + ε²     j = −μ M [v/s³ − (3 − k) (d·v) d/s⁵]
 *       point        M = 1                         φ = −μ/s
 *       plummer      the same with the scale radius for ε
 *       nfw          M = ln(1 + u) − u/(1 + u)     φ = −μ ln(1 + u)/s, u = s/scale
 *     logarithmic  a = −v0² d'/D                   j = −v0² [v' − 2 (d'·v) d'/D]/D
 *                                                  φ = ½ v0² ln(D/core²)
 *     lambda       a = Ω H0² d                     j = Ω H0² v          φ = −Ω H0² d²/2
 *     tidal        a = T d                         j = T v              φ = −d·T·d/2
 *
 * d and v are the place and its velocity, relative to the field's centre at rest. k = dln M/dln s.
 * d' and v' are d and v with z/flattening² for z, and D = core² + d·d'. T is constant and
 * symmetric: the tides of a distant mass in a frame that does not rotate.
 *
 * A field is its numbers, a row in KY_EXTERNAL_KINDS and a formula: docs/extending.md. Portable C:
 * physics/dialect.h. Names, words and help are for the host (engine/common/external_text.c). */
#ifndef KY_PHYSICS_EXTERNAL_H
#define KY_PHYSICS_EXTERNAL_H

#include "physics/dialect.h"

/* F(name, NAME, help): the kinds. */
#define KY_EXTERNAL_KINDS(F)                                                                       \
    F(point, POINT, "φ = −G mass/√(r² + eps²)")                                                    \
    F(plummer, PLUMMER, "φ = −G mass/√(r² + scale²)")                                              \
    F(nfw, NFW, "φ = −G mass ln(1 + s/scale)/s, s² = r² + eps²")                                   \
    F(logarithmic, LOGARITHMIC, "φ = ½ speed² ln(1 + (x² + y² + z²/flattening²)/core²)")           \
    F(lambda, LAMBDA, "φ = −½ omega h0² r²")                                                       \
    F(tidal, TIDAL, "φ = −½ d·T·d")

/* How a number is given, and what is computed from it. Its range is one of enum ky_number_range. */
#define KY_GIVEN_PLAIN 0
#define KY_GIVEN_MASS 1    /* times G */
#define KY_GIVEN_SQUARED 2 /* its square */

/* N(name, accelerations, lengths, word, how, range, initial, help): the numbers of a kind in their
 * order, and the powers of acceleration and length in their unit. A user gives `word`; its default
 * is `initial`, unless that is NULL. */
#define KY_NUMBERS_point(N)                                                                        \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "[mass]")                                        \
    N(eps, 0, 1, "eps", PLAIN, NOT_NEGATIVE, "0", "a softening [length]")
#define KY_NUMBERS_plummer(N)                                                                      \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                         \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale radius [length]")
#define KY_NUMBERS_nfw(N)                                                                          \
    N(mu, 1, 2, "mass", MASS, NOT_NEGATIVE, NULL, "4π ρ₀ scale³ [mass]")                           \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale radius [length]")                    \
    N(eps, 0, 1, "eps", PLAIN, NOT_NEGATIVE, "0", "a softening [length]")
#define KY_NUMBERS_logarithmic(N)                                                                  \
    N(speed2, 1, 1, "speed", SQUARED, NOT_NEGATIVE, NULL,                                          \
      "of a circular orbit far out [velocity]")                                                    \
    N(core, 0, 1, "core", PLAIN, POSITIVE, NULL, "the core radius [length]")                       \
    N(flattening, 0, 0, "flattening", PLAIN, POSITIVE, "1", "of the potential along z")
#define KY_NUMBERS_lambda(N)                                                                       \
    N(omega, 0, 0, "omega", PLAIN, ANY, NULL, "Ω_Λ")                                               \
    N(h2, 1, -1, "h0", SQUARED, NOT_NEGATIVE, NULL, "H0 [1/time]")
#define KY_NUMBERS_tidal(N)                                                                        \
    N(xx, 1, -1, "xx", PLAIN, ANY, NULL, "of T [1/time²]")                                         \
    N(yy, 1, -1, "yy", PLAIN, ANY, NULL, "of T [1/time²]")                                         \
    N(zz, 1, -1, "zz", PLAIN, ANY, NULL, "of T [1/time²]")                                         \
    N(xy, 1, -1, "xy", PLAIN, ANY, "0", "of T [1/time²]")                                          \
    N(xz, 1, -1, "xz", PLAIN, ANY, "0", "of T [1/time²]")                                          \
    N(yz, 1, -1, "yz", PLAIN, ANY, "0", "of T [1/time²]")
/* The most numbers that a kind has. */
#define KY_EXTERNAL_NUMBERS 6

#define KY_EXTERNAL_ENUM(name, NAME, help) KY_EXTERNAL_##NAME,
enum ky_external_kind {
    KY_EXTERNAL_KINDS(KY_EXTERNAL_ENUM) KY_EXTERNAL_KIND_COUNT,
    KY_EXTERNAL_FUNCTION =
        KY_EXTERNAL_KIND_COUNT /* computed by the caller's function: on the host alone */
};

#define KY_EXTERNAL_MEMBER(name, accelerations, lengths, word, how, range, initial, help)          \
    KY_REAL name;
#define KY_EXTERNAL_STRUCT(name, NAME, help)                                                       \
    struct ky_external_##name {                                                                    \
        KY_NUMBERS_##name(KY_EXTERNAL_MEMBER)                                                      \
    };
KY_EXTERNAL_KINDS(KY_EXTERNAL_STRUCT)

/* A place and its velocity, relative to the field's centre. */
struct ky_external_place {
    KY_REAL x, y, z, vx, vy, vz;
};

/* What acts there: acceleration, its change in time along the velocity, potential. */
struct ky_external_pull {
    KY_REAL x, y, z, jx, jy, jz, potential;
};

KY_FN KY_REAL ky_external_dot(struct ky_external_place at, KY_REAL x, KY_REAL y, KY_REAL z)
{
    return at.x * x + at.y * y + at.z * z;
}

/* The pull of a spherical mass. μ is the mass within the place (times G), rising as the power k of
 * s. y = 1/s, or 0 at the very centre, where nothing pulls. */
KY_FN struct ky_external_pull ky_external_sphere(struct ky_external_place at, KY_REAL mu, KY_REAL k,
                                                 KY_REAL y, KY_REAL potential)
{
    struct ky_external_pull pull;
    KY_REAL y2 = y * y, force = -mu * y * y2;
    KY_REAL along = (3 - k) * ky_external_dot(at, at.vx, at.vy, at.vz) * y2;
    pull.x = force * at.x;
    pull.y = force * at.y;
    pull.z = force * at.z;
    pull.jx = force * (at.vx - along * at.x);
    pull.jy = force * (at.vy - along * at.y);
    pull.jz = force * (at.vz - along * at.z);
    pull.potential = potential;
    return pull;
}

/* 1/s at the place with the softening ε; 0 at the very centre. */
KY_FN KY_REAL ky_external_per(struct ky_external_place at, KY_REAL eps)
{
    KY_REAL s2 = ky_external_dot(at, at.x, at.y, at.z) + eps * eps;
    return s2 > KY_SPLAT(KY_CLOSE2) ? KY_RSQRT(s2) : KY_SPLAT(0);
}

KY_FN struct ky_external_pull ky_external_point(struct ky_external_point f,
                                                struct ky_external_place at)
{
    KY_REAL y = ky_external_per(at, f.eps);
    return ky_external_sphere(at, f.mu, KY_SPLAT(0), y, -f.mu * y);
}

KY_FN struct ky_external_pull ky_external_plummer(struct ky_external_plummer f,
                                                  struct ky_external_place at)
{
    KY_REAL y = ky_external_per(at, f.scale);
    return ky_external_sphere(at, f.mu, KY_SPLAT(0), y, -f.mu * y);
}

/* ln(1 + u) = 2 artanh t with t = u/(2 + u), and u/(1 + u) = 2t/(1 + t): near the centre, where
 * both are u and their difference u²/2, the series of artanh loses no digit. */
KY_FN struct ky_external_pull ky_external_nfw(struct ky_external_nfw f, struct ky_external_place at)
{
    KY_REAL y = ky_external_per(at, f.eps);
    KY_REAL u = y > 0 ? 1 / (y * f.scale) : KY_SPLAT(0), t = u / (2 + u), t2 = t * t, rest;
    if (t < KY_SPLAT(0.1f)) { /* what is left out is less than a part of 10^18 */
        rest = KY_SPLAT(1);
        for (int n = 19; n > 3; n -= 2)
            rest = 1 + (n - 2) * t2 * rest / n;
        rest = 2 * t * t2 * rest / 3;
    } else {
        rest = log(1 + u) - 2 * t;
    }
    KY_REAL inside = 2 * t2 / (1 + t) + rest, part = u / (1 + u);
    KY_REAL k = inside > 0 ? part * part / inside : KY_SPLAT(2);
    KY_REAL depth = u > 0 ? (2 * t + rest) / u : KY_SPLAT(1);
    return ky_external_sphere(at, f.mu * inside, k, y, -f.mu / f.scale * depth);
}

KY_FN struct ky_external_pull ky_external_logarithmic(struct ky_external_logarithmic f,
                                                      struct ky_external_place at)
{
    struct ky_external_pull pull;
    KY_REAL flat = 1 / (f.flattening * f.flattening), core2 = f.core * f.core;
    KY_REAL z = flat * at.z, m2 = ky_external_dot(at, at.x, at.y, z), per = 1 / (core2 + m2);
    KY_REAL force = -f.speed2 * per,
            along = 2 * ky_external_dot(at, at.vx, at.vy, flat * at.vz) * per;
    pull.x = force * at.x;
    pull.y = force * at.y;
    pull.z = force * z;
    pull.jx = force * (at.vx - along * at.x);
    pull.jy = force * (at.vy - along * at.y);
    pull.jz = force * (flat * at.vz - along * z);
    pull.potential = KY_SPLAT(0.5f) * f.speed2 * log1p(m2 / core2);
    return pull;
}

KY_FN struct ky_external_pull ky_external_lambda(struct ky_external_lambda f,
                                                 struct ky_external_place at)
{
    struct ky_external_pull pull;
    KY_REAL rate = f.omega * f.h2;
    pull.x = rate * at.x;
    pull.y = rate * at.y;
    pull.z = rate * at.z;
    pull.jx = rate * at.vx;
    pull.jy = rate * at.vy;
    pull.jz = rate * at.vz;
    pull.potential = KY_SPLAT(-0.5f) * rate * ky_external_dot(at, at.x, at.y, at.z);
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
    pull.potential = KY_SPLAT(-0.5f) * ky_external_dot(at, pull.x, pull.y, pull.z);
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
#define KY_EXTERNAL_TAKE(name, accelerations, lengths, word, how, range, initial, help)            \
    f.name = KY_EXTERNAL_NUMBER(k++);
#define KY_EXTERNAL_CASE(name, NAME, help)                                                         \
    case KY_EXTERNAL_##NAME: {                                                                     \
        struct ky_external_##name f;                                                               \
        KY_NUMBERS_##name(KY_EXTERNAL_TAKE) pull = ky_external_##name(f, at);                      \
        break;                                                                                     \
    }

#endif
