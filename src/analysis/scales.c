/* Lengths and times of a system, and recommendations for the start of a run: see struct
 * ky_scales. */
#include <math.h>
#include <stddef.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/sizes.h"
#include "base/status.h"
#include "physics/recommended.h"

double ky_total_energy(const struct ky_sums *sums)
{
    return sums ? sums->kinetic + sums->potential + sums->external : (double)NAN;
}

double ky_virial_ratio(const struct ky_sums *sums)
{
    if (!sums)
        return (double)NAN;
    double bulk = 0; /* kinetic energy of the centre of mass */
    for (int k = 0; k < 3 && sums->mass > 0; k++)
        bulk += 0.5 * sums->momentum[k] * sums->momentum[k] / sums->mass;
    double inner = fmax(sums->kinetic - bulk, 0);
    return sums->virial != 0 ? 2 * inner / fabs(sums->virial) : (double)NAN;
}

/* Steps of a leapfrog per √(r³/(G m)) of the closest pair; a circular orbit then has at least
 * 200. */
enum { KY_STEPS_OF_PAIR = 32 };

/* Spitzer (1987), eq. 2-63, with the Coulomb logarithm of Giersz & Heggie (1994). */
static double relaxation_time(double n, double half_mass_radius, double gm)
{
    double logarithm = fmax(log(0.11 * n), 1);
    return 0.138 * n * half_mass_radius * sqrt(half_mass_radius / gm) / logarithm;
}

/* Steps per crossing time that resolve an ordered flow: for an expanding universe, 1/20 of its age
 * at the start. */
enum { KY_STEPS_OF_FLOW = 64 };

/* ε/(4 v) [time]. v is the random speed, or the speed that random motion will reach if ordered
 * motion does not support the system. A system without random motion also needs a limit. */
static double longest_step(const struct ky_scales *scales, double virial, double softening)
{
    const double random2 = scales->random_speed * scales->random_speed,
                 all2 = scales->velocity_dispersion * scales->velocity_dispersion,
                 speed = sqrt(fmax(random2, virial * virial - (all2 - random2))),
                 flow = scales->crossing_time / KY_STEPS_OF_FLOW;
    if (!(scales->speed > 0))
        return 0;
    return fmax(softening / (4 * scales->speed), fmin(softening / (4 * speed), flow));
}

/* The longest time that limits a step, with or without softening. */
static enum ky_status find_longest(const struct ky_bodies *bodies, double g, double virial,
                                   double softening, const struct ky_scales *scales,
                                   double *longest, struct ky_error *error)
{
    if (softening > 0) {
        *longest = longest_step(scales, virial, softening);
        return KY_OK;
    }
    const enum ky_status status = ky_shortest_pair_time(bodies, g, longest, error);
    *longest /= KY_STEPS_OF_PAIR;
    return status;
}

/* Fills *scales except the centre, which is set. `softening`: of the run; NaN: the recommended
 * one. */
static enum ky_status find_scales(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                  double g, double softening, struct ky_scales *scales,
                                  struct ky_error *error)
{
    const double half = 0.5;
    double mass;
    size_t massive, before;
    KY_TRY(ky_portion_sum(portion, bodies->mass, &mass, error));
    KY_TRY(ky_portion_positive(portion, bodies->mass, &massive, &before, error));
    KY_TRY(ky_portion_radii(portion, bodies, scales->centre, 1, &half, &scales->half_mass_radius,
                            error));
    if (massive < 2) /* else the rounding of the centre */
        scales->half_mass_radius = 0;
    const double n = (double)massive;
    /* ⟨v²⟩ = 0.4 G M/r_h in equilibrium: Spitzer (1987), eq. 1-10. */
    double radius = scales->half_mass_radius,
           virial = radius > 0 ? sqrt(0.4 * g * mass / radius) : 0;
    struct ky_speeds speeds;
    KY_TRY(ky_measure_speeds(portion, bodies, virial, &speeds, error));
    scales->velocity_dispersion = speeds.dispersion;
    scales->random_speed = speeds.random;
    scales->escapers = speeds.fast;
    scales->fastest = speeds.fastest;
    scales->speed = fmax(scales->velocity_dispersion, virial);
    scales->crossing_time = scales->speed > 0 ? 2 * radius / scales->speed : 0;
    scales->relaxation_time = relaxation_time(n, radius, g * mass);
    scales->softening = ky_recommended_softening(radius, n);
    double length = isnan(softening) ? scales->softening : softening, longest;
    KY_TRY(find_longest(bodies, g, virial, length, scales, &longest, error));
    scales->step = longest > 0 && isfinite(longest) ? exp2(floor(log2(longest))) : 0;
    return KY_OK;
}

enum ky_status ky_portion_scales(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 double g, double softening, struct ky_scales *scales,
                                 struct ky_error *error)
{
    KY_TRY(ky_portion_centre(portion, bodies, KY_CENTRE_SAMPLE, scales->centre, error));
    return find_scales(portion, bodies, g, softening, scales, error);
}

enum ky_status ky_system_scales(const struct ky_bodies *bodies, double g, double softening,
                                struct ky_scales *scales, struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_NEED(scales, error);
    struct ky_scales own = {0};
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    KY_TRY(ky_bodies_need(bodies, KY_NEED_MOTION, error));
    if (!(g > 0))
        return ky_fail(error, KY_USAGE, "the gravitational constant is %g; it must be positive", g);
    KY_TRY(ky_sampled_centre(bodies, own.centre, error));
    KY_TRY(find_scales(&all, bodies, g, softening, &own, error));
    ky_size_give_grown(scales, &own, sizeof own, offsetof(struct ky_scales, random_speed));
    return KY_OK;
}
