/* Measurements on bodies, in addition to the public functions of kyoho.h. */
#ifndef KY_ANALYSIS_ANALYSIS_H
#define KY_ANALYSIS_ANALYSIS_H

#include <math.h>

#include "base/halt.h"
#include "base/options.h"
#include "base/portion.h"
#include "base/status.h"

/* KY_USAGE for bodies without masses or positions, KY_BAD_DATA for negative masses and for masses
 * or positions that are not finite. */
enum ky_status ky_places_check(const struct ky_bodies *bodies, struct ky_error *error);

/* ky_density_centre that ends early with KY_STOPPED when `halt` is set; NULL: never. */
enum ky_status ky_density_centre_until(const struct ky_bodies *bodies, struct ky_halt *halt,
                                       double centre[3], struct ky_error *error);

/* ky_sampled_centre of a sample of at most `most`, which is not above KY_CENTRE_SAMPLE. */
enum { KY_CENTRE_SAMPLE = 1 << 16 };
enum ky_status ky_centre_of_sample(const struct ky_bodies *bodies, size_t most, double centre[3],
                                   struct ky_error *error);

/* The core of a system (Casertano & Hut 1985), weighted by the squared densities as by McMillan,
 * Hut & Makino (1990). The density ρ of a body is as in ky_density_centre. */
struct ky_core {
    double centre[3]; /* the density centre [length] */
    double radius;    /* √(Σ ρ² r²/Σ ρ²), r from the centre [length] */
    double density;   /* Σ ρ²/Σ ρ [mass/length³] */
    size_t bodies;    /* number within the radius */
};
/* All 0 for fewer than 7 bodies, and radius 0 if bodies coincide. KY_FAULT if memory runs out,
 * KY_BAD_DATA without bodies. Ranks with engine->finds_crowds compute the densities of their
 * bodies; otherwise `engine` may be NULL. The bits are the same. */
struct ky_engine;
enum ky_status ky_measure_core(const struct ky_bodies *bodies, struct ky_engine *engine,
                               struct ky_core *core, struct ky_error *error);

/* A copy of masses, positions and velocities in which each binary of ky_binaries_find with a
 * semi-major axis below `axis` is one body, its centre of mass; ky_bodies_free releases it. The CPU
 * finds the binaries whatever the engine of the parameters is, and parameters->stop does not end
 * the call. Fails as ky_binaries_find, without a copy. */
enum ky_status ky_objects_make(const struct ky_parameters *parameters,
                               const struct ky_bodies *bodies, double axis,
                               struct ky_bodies *objects, struct ky_error *error);

/* The bodies that are bound to the system: ½ |v − u|² + φ < 0 with their stored potentials. u is
 * the mean velocity of the bound bodies, found by iteration. It starts from the median of all
 * velocities, which a few fast bodies hardly change. If this finds less than half of the mass, the
 * iteration is repeated from the mean, and the larger bound mass is kept. */
struct ky_bound {
    size_t bodies;
    double mass, velocity[3]; /* velocity: u; mass 0 if no two bodies are bound */
    double half_mass_radius;  /* of the bound bodies, about the density centre of at
                                 most KY_CENTRE_FEW of them [length]; NaN without bound mass */
};
enum { KY_CENTRE_FEW = 1 << 12 };
/* Fills all members except the radius, which becomes NaN. bodies->potential is required. Sets the
 * mass of unbound bodies to 0. The result does not depend on the number of threads or on the
 * division of the bodies among ranks; this holds also for the functions below. Fails as
 * ky_portion_add_up. */
enum ky_status ky_choose_bound(const struct ky_portion *portion, struct ky_bodies *bodies,
                               struct ky_bound *bound, struct ky_error *error);
/* Fills the radius from the positions and from the masses that ky_choose_bound has left; the other
 * arrays may be gone. KY_FAULT if memory runs out. */
enum ky_status ky_bound_radius(const struct ky_portion *portion, const struct ky_bodies *bodies,
                               struct ky_bound *bound, struct ky_error *error);

/* For bodies that may be divided among ranks: ky_centre_of_sample, if any body has mass, and
 * ky_lagrangian_radii, for fractions in ascending order. */
enum ky_status ky_portion_centre(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 size_t most, double centre[3], struct ky_error *error);
enum ky_status ky_portion_radii(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                const double centre[3], size_t count, const double *fractions,
                                double *radii, struct ky_error *error);

/* The distance of two positions [length]. */
static inline double ky_distance(const double a[3], const double b[3])
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(r2);
}
/* 1 if a body is unbound: ½ |v − u|² + φ > 0, where u is the velocity of the centre of mass and φ
 * the stored potential. 0 if no body has mass. */
static inline int ky_is_unbound(const struct ky_bodies *bodies, size_t i,
                                const struct ky_sums *sums)
{
    double v2 = 0;
    for (int c = 0; c < 3; c++) {
        const double v = bodies->velocity[i][c] - sums->momentum[c] / sums->mass;
        v2 += v * v;
    }
    return 0.5 * v2 + bodies->potential[i] > 0;
}

/* Subtracts mean and gradient (a least-squares fit) from the n vectors v at the positions x. The
 * positions become relative to their mean. */
void ky_subtract_linear(size_t n, double (*x)[3], double (*v)[3]);
/* √(Σ v²/n); 0 for n = 0. */
double ky_rms(size_t n, const double (*v)[3]);

/* Speeds of bodies [velocity]. Escapers are excluded: bodies whose speed about the median velocity
 * exceeds 32 times the median speed and 32 times `virial`. With fewer than 64 bodies there are no
 * escapers, and `random` is the dispersion. */
struct ky_speeds {
    double dispersion; /* rms speed about the mean velocity, weighted by mass; 0 without mass */
    double random; /* rms of the Maxwellian with the same median of speeds about the local flow */
    size_t fast, fastest; /* number of escapers, and the index of the fastest */
};
/* For bodies that may be divided among ranks. KY_FAULT if memory runs out. */
enum ky_status ky_measure_speeds(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 double virial, struct ky_speeds *speeds, struct ky_error *error);
/* ky_system_scales for a portion of bodies that all have mass, with a positive softening. */
enum ky_status ky_portion_scales(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 double g, double softening, struct ky_scales *scales,
                                 struct ky_error *error);

/* The shortest √(r³/(G (m_i + m_j))) [time] of a body and its nearest neighbour. r is their
 * distance, or the pericentre of their orbit if they are a binary. Infinite if no two bodies
 * attract each other. */
enum ky_status ky_shortest_pair_time(const struct ky_bodies *bodies, double g, double *time,
                                     struct ky_error *error);

/* For calls without a snapshot. If the parameters have a softening, it replaces the bodies' own:
 * the array of softenings is removed from *bodies, not freed. KY_USAGE if neither has a softening;
 * the message recommends a value. */
enum ky_status ky_softening_need(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                                 struct ky_error *error);
/* The smallest softening of any body [length], after ky_softening_choose. */
double ky_softening_least(const struct ky_parameters *parameters, const struct ky_bodies *bodies);

/* The options of struct ky_profile_parameters, ky_catalogue_parameters and ky_tune_parameters. */
extern const struct ky_option ky_profile_options[], ky_catalogue_options[], ky_tune_options[];
extern const size_t ky_profile_option_count, ky_catalogue_option_count, ky_tune_option_count;

/* Vectors with `width` components, stored one after the other. */
struct ky_compared {
    size_t samples, width;
    const double *values, *references;
    double over; /* the divisor of all errors; 0: the length of each reference, and where that is 0
                    the rms of all references */
};
/* Writes the errors |a − a_ref|/divisor in ascending order to errors[samples]. KY_BAD_DATA if an
 * error is not finite. */
enum ky_status ky_sorted_errors(const struct ky_compared *of, double *errors,
                                struct ky_error *error);
/* The statistics of these errors. KY_USAGE for 0 samples. */
enum ky_status ky_errors_of(const struct ky_compared *of, struct ky_error_statistics *statistics,
                            struct ky_error *error);
/* The same for vectors and scalars, each over the length of its own reference. */
enum ky_status ky_vector_errors(size_t samples, double (*values)[3], double (*references)[3],
                                struct ky_error_statistics *statistics, struct ky_error *error);
enum ky_status ky_scalar_errors(size_t samples, const double *values, const double *references,
                                struct ky_error_statistics *statistics, struct ky_error *error);

#endif
