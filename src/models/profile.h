/* A spherical mass distribution as a table, and its softened force.
 *
 * Lengths are the model's own (scale radii), G = M = 1. The spacing of nodes shrinks geometrically
 * towards the centre and towards the edge. */
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

/* An infinite system that ends at `cutoff`: its density becomes ρ(r) − ρ(cutoff). The isotropic
 * distribution function is then nowhere negative. A density with a step has no such function,
 * because the step gives a negative term in Eddington's formula. In addition to the mass outside,
 * the system loses 4π/3 cutoff³ ρ(cutoff). `shell` evaluates the infinite system at radius r. */
void ky_profile_cut(struct ky_profile *profile, double cutoff, struct ky_shell (*shell)(double r));
/* The own parameters of a model with such a cutoff. */
struct ky_cut {
    double cutoff; /* 0: the default of the model */
};
enum { KY_CUT_OPTIONS = 1 };
extern const struct ky_option ky_cut_options[KY_CUT_OPTIONS];
/* The members of a row of struct ky_model for a model with struct ky_cut. */
#define KY_CUT_OWN                                                                                 \
    .options = ky_cut_options, .option_count = KY_CUT_OPTIONS, .own_size = sizeof(struct ky_cut)

/* Sets `nodes` and `r`, geometrically spaced: from `inner` at the centre towards the edge, down to
 * a distance of 1e-4 of the edge from it. */
void ky_profile_place(struct ky_profile *profile, double inner, double edge);

/* A homogeneous sphere of radius 1; slope 0. */
void ky_profile_homogeneous(struct ky_profile *profile);

/* King sphere with central potential W₀, in King radii. It ends at its tidal radius. KY_FAULT if
 * the table has too few nodes; W₀ from 0.1 to 16 does not need more. */
enum ky_status ky_king_profile(double w0, struct ky_profile *profile, struct ky_error *error);

/* −W of the Newtonian system, W = −∫ M(r)/r dM. */
double ky_profile_energy(const struct ky_profile *profile);
/* The inward acceleration at the nodes with the softening ε of a pair. `how`
 * (physics/softening_kinds.h) selects the kernel: KY_SPLINED is GADGET's spline, any other
 * Plummer's. The result is the Newtonian acceleration of the density convolved with the kernel. */
void ky_profile_force(const struct ky_profile *profile, double softening, int how,
                      double force[KY_PROFILE_NODES]);
/* The same at any radii: pull[k] at r[k]. */
void ky_profile_pull(const struct ky_profile *profile, double softening, int how, size_t count,
                     const double *r, double *pull);
/* −Σ m x·a = ∫ r g dM for such an acceleration g. */
double ky_profile_virial(const struct ky_profile *profile, const double force[KY_PROFILE_NODES]);

/* The radius that contains the fraction u of the mass. */
double ky_profile_radius(const struct ky_profile *profile, double u);

#endif
