/* Spherical systems in isotropic equilibrium with a softened force.
 *
 * Eddington's formula (1916; Binney & Tremaine 2008, eq. 4.46) gives the distribution function f(E)
 * of a density ρ in a potential. The potential may be the softened one of the density; then the
 * bodies are in equilibrium with the forces of a softened run.
 *
 * Units: the lengths of the profile, G = M = 1. E > 0 is the binding energy relative to the
 * edge. */
#ifndef KY_MODELS_EQUILIBRIUM_H
#define KY_MODELS_EQUILIBRIUM_H

#include "models/models.h"
#include "models/profile.h"

struct ky_equilibrium {
    struct ky_profile profile;
    double softening;                  /* ε of a pair, in lengths of the profile */
    int how;                           /* kind of softening: see ky_profile_force */
    double force[KY_PROFILE_NODES];    /* inward */
    double depth[KY_PROFILE_NODES];    /* Φ(r[k]) − Φ(r[0]) */
    double weight[KY_PROFILE_NODES];   /* f √E at E = Φ(edge) − Φ(r[k]) */
    double envelope[KY_PROFILE_NODES]; /* upper bound of weight × (E(r[k]) − E) over all E */
};

/* Fills the tables from `profile`, `softening` and `how`, which the caller has set. KY_USAGE if the
 * isotropic distribution function of this density is negative anywhere. */
enum ky_status ky_equilibrium_solve(struct ky_equilibrium *equilibrium, struct ky_error *error);

/* The same if the caller has set `force` too: the inward acceleration by all components, including
 * this one. `softening` is used only in the error message. */
enum ky_status ky_equilibrium_invert(struct ky_equilibrium *equilibrium, struct ky_error *error);

/* f(E) at node k, with ∫ f d³v = ρ; infinite or 0 at the edge. */
double ky_equilibrium_f(const struct ky_equilibrium *equilibrium, size_t k);

struct ky_random;

/* Draws position and velocity of body i, in lengths of the profile. */
void ky_equilibrium_draw(const struct ky_equilibrium *equilibrium, uint64_t seed, size_t i,
                         double position[3], double velocity[3]);

/* The verb `make` of a model with a profile. Draws the bodies in Hénon units, with velocities in
 * equilibrium with the common softening. KY_USAGE if there is no such equilibrium, KY_FAULT if
 * memory runs out. */
enum ky_status ky_equilibrium_make(const struct ky_model *model, const void *own,
                                   const struct ky_model_common *common,
                                   struct ky_snapshot *snapshot, struct ky_error *error);
/* The verb `half_mass` of a model with a profile: the half-mass radius in Hénon units. */
enum ky_status ky_equilibrium_half_mass(const struct ky_model *model, const void *own,
                                        double *radius, struct ky_error *error);

/* A model with a profile and its own parameters, scaled to a radius and a mass; G = 1. */
struct ky_sphere {
    const struct ky_model *model;
    const void *own;
    double radius, mass; /* radius: half-mass radius */
};
/* Makes the bodies first … first + common->n − 1 as such a sphere, with its centre of mass at rest
 * at the origin. The softening is in its lengths. */
enum ky_status ky_equilibrium_put(const struct ky_sphere *of, const struct ky_model_common *common,
                                  size_t first, struct ky_bodies *bodies, struct ky_error *error);

#endif
