/* The initial models: one table, one file a model.
 *
 * A model fills positions and velocities of bodies whose masses are already 1/n; models.c allocates
 * before and centres after. G = M = 1 throughout. Bound models are scaled to Hénon units: the
 * smooth Newtonian system that the bodies are drawn from, after its cut, has E = −1/4. Then the
 * velocities are adapted to the softening, so that 2T/|Σ m x·a| with softened forces is what the
 * model promises; the positions do not depend on the softening. */
#ifndef KY_MODELS_MODELS_H
#define KY_MODELS_MODELS_H

#include "base/options.h"
#include "base/status.h"

struct ky_profile;
typedef enum ky_status ky_model_profile_function(const struct ky_model_parameters *parameters,
                                                 struct ky_profile *profile,
                                                 struct ky_error *error);
typedef enum ky_status ky_model_make_function(const struct ky_model_parameters *parameters,
                                              struct ky_bodies *bodies, struct ky_error *error);

struct ky_model {
    const char *name, *help; /* help: one line */
    const char *takes; /* names of the options that it heeds, with a space after each; "bodies" and
                          "seed" are understood by all */
    size_t bodies;     /* the only number of bodies that it makes; 0: any */
    /* An isotropic equilibrium of this density, or NULL: then `make` fills the bodies, and
     * `half_mass` is the half-mass radius of the smooth model in Hénon units; NULL for what is no
     * smooth system, whose recommended softening is 0. */
    ky_model_profile_function *profile;
    ky_model_make_function *make;
    double (*half_mass)(const struct ky_model_parameters *parameters);
    /* The density diverges at the centre, which stays at the origin. The centre of mass of a sample
     * is farther from there than the cusp is wide. */
    int cusp;
};

extern const struct ky_model ky_models[];
extern const size_t ky_model_count;

/* The options that describe struct ky_model_parameters and struct ky_merge_parameters. */
extern const struct ky_option ky_model_options[], ky_merge_options[];
extern const size_t ky_model_option_count, ky_merge_option_count;

/* NULL and an error that lists the names when there is none. */
const struct ky_model *ky_model_find(const char *name, struct ky_error *error);
/* Whether a model heeds an option of ky_model_options. */
int ky_model_takes(const struct ky_model *model, const char *option);

/* What the numbers of the second system of a merger are multiplied by. */
struct ky_merge_scale {
    double mass, length, speed;
};
/* KY_BAD_DATA for a system that cannot be scaled. */
enum ky_status ky_merge_scale(const struct ky_bodies *b,
                              const struct ky_merge_parameters *parameters,
                              struct ky_merge_scale *scale, struct ky_error *error);

/* The ε of r² + ε² in the force between two bodies that both have the softening of `parameters`. */
double ky_pair_softening(const struct ky_model_parameters *parameters);

/* Streams of random numbers. */
enum { KY_STREAM_POSITION, KY_STREAM_VELOCITY };

ky_model_profile_function ky_profile_plummer, ky_profile_hernquist, ky_profile_king;
ky_model_make_function ky_make_uniform_sphere, ky_make_uniform_cube, ky_make_two_body;
double ky_half_mass_uniform_sphere(const struct ky_model_parameters *parameters);
double ky_half_mass_uniform_cube(const struct ky_model_parameters *parameters);

/* Isotropic Maxwellian velocities of one dispersion everywhere, for the virial ratio of the
 * parameters; `virial` is −Σ m x·a. */
void ky_maxwellian(const struct ky_model_parameters *parameters, double virial,
                   struct ky_bodies *bodies);
/* W of a system of E = −1/4 whose 2T/|W| is the parameters' virial ratio. */
double ky_henon_potential(const struct ky_model_parameters *parameters);

#endif
