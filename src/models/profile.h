/* A spherical mass distribution as a table, and its softened force.
 *
 * Lengths are the model's own (scale radii), G = M = 1. The nodes lie geometrically towards the
 * centre and towards the edge. */
#ifndef KY_MODELS_PROFILE_H
#define KY_MODELS_PROFILE_H

#include "base/options.h"
#include "base/status.h"

enum { KY_PROFILE_NODES = 2048 };

struct ky_profile {
    size_t nodes;
    double r[KY_PROFILE_NODES];     /* ascending, r[0] > 0; the last is the edge */
    double mass[KY_PROFILE_NODES];  /* within r; 1 at the edge */
    double slope[KY_PROFILE_NODES]; /* dρ/dr */
};

/* Density, its derivative and the mass within r of an infinite system. */
struct ky_shell {
    double density, slope, mass;
};

/* An infinite system ended at `cutoff` by taking its density there off everywhere: ρ(r) − ρ(cutoff)
 * has a non-negative isotropic distribution function, which a density with a step has not (the
 * step's part of Eddington's formula is negative). What is taken off beside the bodies outside is
 * at most 4π/3 cutoff³ ρ(cutoff). */
void ky_profile_cut(struct ky_profile *profile, double cutoff, struct ky_shell (*shell)(double r));
/* The own parameters of a model that ends so. */
struct ky_cut {
    double cutoff; /* 0: the default of the model */
};
enum { KY_CUT_OPTIONS = 1 };
extern const struct ky_option ky_cut_options[KY_CUT_OPTIONS];

/* A homogeneous sphere of radius 1; slope 0. */
void ky_profile_homogeneous(struct ky_profile *profile);

/* King's sphere of central potential W₀ in King radii; ends by itself. */
enum ky_status ky_king_profile(double w0, struct ky_profile *profile, struct ky_error *error);

/* −W of the Newtonian system. */
double ky_profile_energy(const struct ky_profile *profile);
/* Inward acceleration at the nodes with pair softening ε: the Newtonian one of the density
 * convolved with the Plummer kernel. */
void ky_profile_force(const struct ky_profile *profile, double softening,
                      double force[KY_PROFILE_NODES]);
/* ∫ r g dM = −Σ m x·a for such a force. */
double ky_profile_virial(const struct ky_profile *profile, const double force[KY_PROFILE_NODES]);

/* The radius that holds the fraction u of the mass. */
double ky_profile_radius(const struct ky_profile *profile, double u);

#endif
