/* The engines' own units: powers of two in which a system has a size of about 2¹⁰ and a mean mass
 * of 1, or more if floats would lose the pull of light bodies on distant ones. Dividing by them
 * changes no digit, and keeps float arithmetic away from its limits for any units of the caller.
 * docs/numerics.md describes the consequences for bodies that are very near or very far. */
#ifndef KY_ENGINE_UNITS_H
#define KY_ENGINE_UNITS_H

#include "base/portion.h"
#include "engine/engine.h"

/* A body at more than this many units of length from the middle is refused. */
#define KY_FARTHEST_UNITS 0x1p40

struct ky_engine_units {
    double length, mass;
};

/* The engine's units are the units of the frame. If the frame's length is 0, or it has no cube and
 * a body is too far for its length, the units follow from these bodies. The parameters' softening
 * is for bodies without their own. KY_BAD_DATA, naming the body, for a body too far from the other
 * bodies or outside the range of the frame, and for a softening of its own that is too large. Warns
 * if floats lose the pull of the lightest bodies in an exact sum. KY_BAD_DATA for lengths and
 * masses whose accelerations double cannot hold. KY_USAGE for a softening of the parameters that is
 * too large. */
enum ky_status ky_engine_units(const struct ky_bodies *bodies,
                               const struct ky_parameters *parameters,
                               const struct ky_engine_frame *frame, struct ky_engine_units *units,
                               struct ky_error *error);
/* The same, collectively, for the portions of bodies without softenings of their own. An error in
 * the bodies is in *outcome, on all ranks. Fails as ky_portion_add_up does. */
enum ky_status ky_portion_units(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                const struct ky_parameters *parameters,
                                struct ky_engine_units *units, struct ky_error *outcome,
                                struct ky_error *error);
/* The extent of a system, for bodies that are not on the host. The units follow from it. */
struct ky_extent {
    double size; /* nine of ten bodies with mass are within this distance of the middle, along every
                    axis */
    double far;  /* the distance of the farthest body */
    uint64_t body;             /* the farthest body */
    double mass;               /* the mean of the bodies */
    double lightest, heaviest; /* of the masses that are not 0; 0: all masses are 0 */
    double rest;               /* the mass of all bodies except the heaviest */
};
struct ky_softenings {
    int own;            /* 1: each body has one; 0: one for all */
    double least, most; /* [the caller's lengths] */
    size_t softest;     /* a body with the largest */
};
struct ky_softenings ky_softenings_of(const struct ky_bodies *bodies, double softening);
/* The middle, and the size of a system without its escapers, by medians of the positions of the
 * sample ky_sample(n, KY_MEDIAN_MOST); 0: nine of ten bodies coincide, or there are fewer than
 * three. */
double ky_extent_of_sample(const double (*position)[3], size_t count, double middle[3]);
/* ky_engine_units for n bodies of this extent. */
enum ky_status ky_extent_units(const struct ky_extent *of, size_t n,
                               const struct ky_softenings *softenings,
                               const struct ky_parameters *parameters,
                               const struct ky_engine_frame *frame, struct ky_engine_units *units,
                               struct ky_error *error);
/* Factors from fields for G = 1 in the engine's units to the caller's units: multiply by
 * `strength`, then by `acceleration` or `potential`. The last two are powers of two; `strength` is
 * the remaining factor of G, 0 or from 1/2 to 1. A field that is stored multiplied by `strength`
 * can be converted to the caller's units and back without losing a bit. */
struct ky_engine_scale {
    double acceleration, potential, strength;
};
struct ky_engine_scale ky_engine_scale(const struct ky_engine_units *units, double g);
/* The smallest power of two above x, times 2^shift, limited to 2^-500 … 2^500; 1 for an x that is
 * not above 0 or not finite. */
double ky_power_of_two(double x, int shift);
/* How loops soften pairs of these bodies, in these units: KY_GUARD … of physics/softening_kinds.h.
 * The parameters' softening is for bodies without their own. */
int ky_engine_how(const struct ky_bodies *bodies, const struct ky_parameters *parameters,
                  const struct ky_engine_units *units);
int ky_softenings_how(const struct ky_softenings *softenings,
                      const struct ky_parameters *parameters, const struct ky_engine_units *units);
/* Guesses from the numbers whether accelerations were computed: 1 if at least one acceleration is
 * not 0, and every body on which other bodies act has an acceleration or a potential that is not 0.
 * Else 0. */
int ky_knows_acceleration(const struct ky_bodies *bodies);

/* Powers of two as units in which the floats of sums over moving bodies are near 1. The unit of
 * mass follows from the heaviest body, the unit of velocity [length / the caller's time] from
 * velocities in a bound system. Masses are in the engine's unit; `potential` is the potential of a
 * mass of 1 at a distance of 1. */
struct ky_moving_units {
    double mass, speed;
};
struct ky_moving_units ky_moving_units(double heaviest, double mass, double potential,
                                       double length);
/* The squared distance [the engine's lengths²] within which `extended` adds sources in double,
 * where n bodies have mass. A float sum rounds to 6e-8 of its largest term. The engine's length is
 * about a 700th of the radius of nine tenths of the bodies: beyond ten lengths over the cube root
 * of n the pull of one source loses at most 1e-5 of the pull of all other sources by rounding, and
 * few sinks have a source within this radius. */
double ky_moving_near2(size_t n);

#endif
