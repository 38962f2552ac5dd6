/* Spherical systems in isotropic equilibrium with a softened force.
 *
 * Eddington's formula (1916; Binney & Tremaine 2008, eq. 4.46) gives the distribution function
 * f(E) of a density ρ in a potential. It does not ask that the potential be the density's own
 * Newtonian one: with the softened potential of the same density, the bodies are in equilibrium
 * with the forces that a softened run computes. Lengths are the profile's, G = M = 1, E > 0 is the
 * binding energy relative to the edge. */
#ifndef KY_MODELS_EQUILIBRIUM_H
#define KY_MODELS_EQUILIBRIUM_H

#include "models/models.h"
#include "models/profile.h"

struct ky_equilibrium {
    struct ky_profile profile;
    double softening;                  /* of a pair, in the profile's unit of length */
    double force[KY_PROFILE_NODES];    /* inward */
    double depth[KY_PROFILE_NODES];    /* Φ(r) − Φ(r[0]) */
    double weight[KY_PROFILE_NODES];   /* f √E at E = Φ(edge) − Φ(r[k]) */
    double envelope[KY_PROFILE_NODES]; /* bound of weight × (E(r[k]) − E) over all E */
};

/* From `profile` and `softening`, which the caller has set. KY_USAGE when the system has no
 * isotropic distribution function that is nowhere negative. */
enum ky_status ky_equilibrium_solve(struct ky_equilibrium *equilibrium, struct ky_error *error);

/* f(E) at node k, with ∫ f d³v = ρ; infinite or 0 at the edge. */
double ky_equilibrium_f(const struct ky_equilibrium *equilibrium, size_t k);

struct ky_random;
/* The speed of a body at radius r. */
double ky_equilibrium_speed(const struct ky_equilibrium *equilibrium, double r,
                            struct ky_random *random);

/* The profile of a model with its own parameters. */
typedef enum ky_status ky_profile_function(const void *own, struct ky_profile *profile,
                                           struct ky_error *error);
/* Makes the bodies: drawn from the profile, scaled to Hénon units, in equilibrium with the common
 * softening. */
enum ky_status ky_equilibrium_make(ky_profile_function *profile_of, const void *own,
                                   const struct ky_model_common *common,
                                   struct ky_snapshot *snapshot, struct ky_error *error);
/* The radius that holds half of the mass, in Hénon units. */
enum ky_status ky_equilibrium_half_mass(ky_profile_function *profile_of, const void *own,
                                        double *radius, struct ky_error *error);

#endif
