/* The initial models: one file a model, and one line for it in the table of models.c.
 *
 * A model has a struct of its own parameters, a table of options that describes the struct, and the
 * verb `make`, which fills a snapshot; a sphere in equilibrium has its profile in place of that
 * verb. make.c does before it what all models share (parameters, half-mass radius, softening), and
 * after it the steps that the model chooses (centring, scaling).
 *
 * A model that is scaled works with G = M = 1. A bound one is in Hénon units: the smooth Newtonian
 * system that the bodies are drawn from, after its cut, has E = −1/4. Then the velocities are
 * adapted to the softening, so that 2T/|Σ m x·a| with softened forces is what the model promises;
 * the positions do not depend on the softening. */
#ifndef KY_MODELS_MODELS_H
#define KY_MODELS_MODELS_H

#include "base/halt.h"
#include "base/options.h"
#include "base/portion.h"
#include "base/status.h"

/* What is multiplied after `make`. With the unit of length l and the total mass M, velocities go
 * with √(G M/l). */
enum ky_model_scaling {
    KY_NOT_SCALED,  /* nothing: the bodies are in the snapshot's units; no --mass, no --radius */
    KY_SCALE_MASS,  /* masses, from 1 in all to --mass; l = 1; no --radius */
    KY_SCALE_RADIUS /* these, and lengths, from Hénon units to the half-mass radius --radius */
};

/* What becomes the origin; in both cases the total momentum becomes 0. */
enum ky_model_centring {
    KY_NOT_CENTRED,
    KY_CENTRE_MASS, /* the centre of mass */
    KY_CENTRE_CUSP  /* the model's own origin, where the density diverges: the centre of mass of a
                       sample is farther from there than the cusp is wide. One body has no cusp */
};

/* What every model is given. */
struct ky_model_common {
    size_t n; /* bodies of the model */
    /* The bodies that are made here; NULL: all. Only models that are made in parts get one. */
    const struct ky_portion *portion;
    uint64_t seed;
    double softening; /* of each body, in the lengths of `make`; NaN for `own_softenings` */
    double length;    /* one length of `make` in the snapshot's unit of length */
    int softening_kind;
    int mass_function;    /* enum ky_mass_function; equal for models that are not spheres */
    ky_log_function *log; /* or NULL */
    void *log_context;
    struct ky_halt
        *halt; /* where it says so, bodies may stay as they are: make.c looks at the end */
};
/* The ε of r² + ε², or of a spline, in the force between two bodies that both have the common
 * softening. */
double ky_pair_softening(const struct ky_model_common *common);

struct ky_profile;
/* Makes the profile of a model with its own parameters: profile.h. */
typedef enum ky_status ky_profile_function(const void *own, struct ky_profile *profile,
                                           struct ky_error *error);
struct ky_shell;
/* Gives an infinite system at a radius in scale radii: profile.h. */
typedef struct ky_shell ky_shell_function(double r);

struct ky_model {
    const char *name, *help;         /* help: one line */
    const struct ky_option *options; /* of the model's own struct, `own` below */
    size_t option_count, own_size;
    size_t bodies;       /* the only number of bodies that it makes; 0: any */
    size_t usual, least; /* numbers of bodies: without --bodies (0: none), and the smallest */
    double softening;    /* without --softening, in the lengths of `make`; 0: recommended */
    int certain;         /* 1: nothing is drawn at random; no --seed */
    int own_softenings;  /* 1: `make` sets the softenings; no --softening, no --softening-kind */
    int in_parts;        /* 1: `make` makes the bodies of a portion, as models with a profile do */
    int balanced;        /* 1: in equilibrium, as models with a profile are; make.c checks this */
    int sphere;   /* 1: takes --mass-function and --rotation, as all models in equilibrium do */
    int scaling;  /* enum ky_model_scaling */
    int centring; /* enum ky_model_centring */
    /* A sphere in isotropic equilibrium has one of these two: its profile, or the infinite system
     * that ends at the radius `cutoff` [scale radii] unless struct ky_cut, its own parameters, says
     * otherwise (profile.h). equilibrium.h takes the half-mass radius from it and draws the bodies;
     * `half_mass` and `make` are NULL. Both are NULL for other models. */
    ky_profile_function *profile;
    ky_shell_function *shell;
    double cutoff;
    /* Replaces the caller's units by the model's; KY_USAGE where they contradict. NULL: the model
     * is made in any units. */
    enum ky_status (*units)(struct ky_units *units, struct ky_error *error);
    /* The half-mass radius of the smooth model in the lengths of `make`. A model that is not scaled
     * by radius gives the radius of the part that the recommended softening is for. NULL for what
     * is not a smooth system: its recommended softening is 0. */
    enum ky_status (*half_mass)(const void *own, double *radius, struct ky_error *error);
    /* Allocates and fills the bodies, with any types, ids, softenings and components. The snapshot
     * comes empty, with its units and the common softening set, which a model that is not scaled
     * may change. After a failure make.c frees the bodies. */
    enum ky_status (*make)(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error);
};

extern const struct ky_model *const ky_models[];
extern const size_t ky_model_count;
extern const struct ky_model ky_plummer, ky_uniform_sphere, ky_uniform_cube, ky_hernquist, ky_jaffe,
    ky_nfw, ky_king, ky_two_body, ky_random_sphere, ky_figure8, ky_super8, ky_cosmic, ky_galaxy,
    ky_cartwheel, ky_merger;

/* The bodies that are made here. */
struct ky_portion ky_model_portion(const struct ky_model_common *common);
/* For `make`: the bodies that are made here, at rest at the origin, with masses by the mass
 * function, whose total is 1 for all bodies, and the arrays `with`. All bodies have ids 0 … n − 1,
 * those of a portion have none. */
enum ky_status ky_model_allocate(const struct ky_model_common *common, unsigned with,
                                 struct ky_snapshot *snapshot, struct ky_error *error);
/* Calls `fill` for the places first … last − 1 of the arrays, by all threads and in any order,
 * until all bodies that are made here are filled, or common->halt ends it. Logs now and then how
 * many `what` ("positions") have been made.
 */
void ky_model_fill(const struct ky_model_common *common, const char *what,
                   void (*fill)(const void *context, size_t first, size_t last),
                   const void *context);
/* Streams of random numbers. */
enum { KY_STREAM_POSITION, KY_STREAM_VELOCITY, KY_STREAM_MASS, KY_STREAM_ROTATION };

/* The options that models share (struct ky_model_parameters), and those of struct
 * ky_merge_parameters. */
extern const struct ky_option ky_model_options[], ky_merge_options[];
extern const size_t ky_model_option_count, ky_merge_option_count;

/* The model of that name. NULL, and an error that lists the names, if there is none. */
const struct ky_model *ky_model_find(const char *name, struct ky_error *error);
/* Whether bodies can be made by those who have parts of them. */
int ky_model_in_parts(const struct ky_model *model);
/* Whether equilibrium.h makes the bodies. */
int ky_model_in_equilibrium(const struct ky_model *model);
/* Whether the model takes mass functions and rotation. */
int ky_model_is_sphere(const struct ky_model *model);
/* 1 if the model uses the option, of ky_model_options or its own; else 0. */
int ky_model_takes(const struct ky_model *model, const char *option);
/* The parameters of a call over their defaults, and the model's own: `own`, of model->own_size, is
 * filled from the fields of struct ky_model_parameters that have the names of its options, then
 * from `options` of that struct. KY_USAGE for a value that is out of range. */
enum ky_status ky_model_resolve(const struct ky_model *model,
                                const struct ky_model_parameters *given,
                                struct ky_model_parameters *parameters, void *own,
                                struct ky_error *error);
/* ky_model_make for a model that need not be in the table. */
enum ky_status ky_model_make_one(const struct ky_model *model,
                                 const struct ky_model_parameters *given,
                                 struct ky_snapshot *snapshot, struct ky_error *error);

#endif
