/* The initial models: one file per model, and one line per model in the table of models.c.
 *
 * A model has a struct of its own parameters, a table of options that describes the struct, and the
 * verb `make`, which fills a snapshot; a sphere in equilibrium has a profile instead of this verb.
 * Before it, make.c does the steps common to all models (parameters, half-mass radius, softening);
 * after it, the steps that the model selects (centring, scaling).
 *
 * A scaled model has G = M = 1. A bound one is in Hénon units: the smooth Newtonian system from
 * which the bodies are drawn, with its cutoff, has E = −1/4. The velocities are adapted to the
 * softening, so that 2T/|Σ m x·a| with softened forces has the value of the model; the positions do
 * not depend on the softening. */
#ifndef KY_MODELS_MODELS_H
#define KY_MODELS_MODELS_H

#include "base/halt.h"
#include "base/options.h"
#include "base/portion.h"
#include "base/status.h"

/* Quantities that are scaled after `make`. With the unit of length l and the total mass M,
 * velocities are multiplied by √(G M/l). */
enum ky_model_scaling {
    KY_NOT_SCALED,  /* none: the bodies are in the snapshot's units; no --mass, no --radius */
    KY_SCALE_MASS,  /* masses, from a total of 1 to --mass; l = 1; no --radius */
    KY_SCALE_RADIUS /* masses, and lengths from Hénon units to the half-mass radius --radius */
};

/* The point that becomes the origin; except for KY_NOT_CENTRED, the total momentum becomes 0. */
enum ky_model_centring {
    KY_NOT_CENTRED,
    KY_CENTRE_MASS, /* the centre of mass */
    KY_CENTRE_CUSP  /* the model's own origin, where the density diverges: the centre of mass of a
                       sample is farther from it than the width of the cusp. A single body has no
                       cusp */
};

/* Parameters that every model gets. */
struct ky_systems;
struct ky_model_common {
    size_t n; /* number of bodies of the model */
    /* The bodies to make here; NULL: all. Only models with `in_parts` get a portion. */
    const struct ky_portion *portion;
    uint64_t seed;
    double softening; /* of each body, in the lengths of `make`; NaN for `own_softenings`, and where
                         `make` chooses it */
    double length;    /* one length of `make` in the snapshot's unit of length */
    int softening_kind;
    int mass_function;    /* enum ky_mass_function; equal masses for models that are not spheres */
    const double *masses; /* [n] in place of the mass function, with the sum 1; or NULL */
    const struct ky_systems *systems; /* pairs whose centres the model makes; or NULL */
    ky_log_function *log;             /* or NULL */
    void *log_context;
    struct ky_halt
        *halt; /* when it is set, bodies may stay unfilled: make.c checks it at the end */
};
/* The ε of r² + ε², or of a spline, in the force between two bodies with the common softening. */
double ky_pair_softening(const struct ky_model_common *common);

struct ky_profile;
/* Computes the profile of a model from its own parameters: profile.h. */
typedef enum ky_status ky_profile_function(const void *own, struct ky_profile *profile,
                                           struct ky_error *error);
struct ky_shell;
/* Density and mass of an infinite system at a radius, in scale radii: profile.h. */
typedef struct ky_shell ky_shell_function(double r);

struct ky_model {
    const char *name, *help;         /* help: one line */
    const struct ky_option *options; /* of the model's own struct, `own` below */
    size_t option_count, own_size;
    size_t bodies;       /* the only possible number of bodies; 0: any */
    size_t usual, least; /* numbers of bodies: default (0: none), and minimum */
    double softening;    /* default softening, in the lengths of `make`; 0: recommended; negative:
                            `make` gets NaN and chooses it */
    int certain;         /* 1: deterministic; no --seed */
    int own_softenings;  /* 1: `make` sets the softenings; no --softening, no --softening-kind */
    int in_parts; /* 1: `make` can make the bodies of a portion, as models with a profile can */
    int balanced; /* 1: in equilibrium, as models with a profile are; make.c checks it */
    int sphere;   /* 1: takes --mass-function and --rotation, as all models in equilibrium do */
    int scaling;  /* enum ky_model_scaling */
    int centring; /* enum ky_model_centring */
    /* A sphere in isotropic equilibrium has one of these two: its profile, or the infinite system
     * that ends at the radius `cutoff` [scale radii] unless its own parameters, a struct ky_cut,
     * set another one (profile.h). equilibrium.h computes the half-mass radius and draws the
     * bodies; `half_mass` and `make` are NULL. For other models both are NULL. */
    ky_profile_function *profile;
    ky_shell_function *shell;
    double cutoff;
    /* Replaces the caller's units by the model's; KY_USAGE if they contradict each other. NULL: the
     * model can be made in any units. */
    enum ky_status (*units)(struct ky_units *units, struct ky_error *error);
    /* The half-mass radius of the smooth model in the lengths of `make`. A model that is not scaled
     * by radius returns the radius of the component that the recommended softening is for. NULL if
     * there is no smooth model: its recommended softening is 0. */
    enum ky_status (*half_mass)(const void *own, double *radius, struct ky_error *error);
    /* Allocates and fills the bodies, with types, ids, softenings and components if the model has
     * them. The snapshot comes empty, with its units and the common softening, which a model that
     * is not scaled may change. After a failure make.c frees the bodies. */
    enum ky_status (*make)(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error);
};

extern const struct ky_model *const ky_models[];
extern const size_t ky_model_count;
extern const struct ky_model ky_plummer, ky_uniform_sphere, ky_uniform_cube, ky_hernquist, ky_jaffe,
    ky_nfw, ky_king, ky_two_body, ky_random_sphere, ky_figure8, ky_super8, ky_cosmic, ky_cosmic_box,
    ky_galaxy, ky_cartwheel, ky_merger;

/* The portion of bodies to make here. */
struct ky_portion ky_model_portion(const struct ky_model_common *common);
/* For `make`: allocates the bodies to make here, at rest at the origin, with masses from the mass
 * function (total 1 over all bodies) and the arrays `with`. A complete model has ids 0 … n − 1; a
 * portion has no ids. */
enum ky_status ky_model_allocate(const struct ky_model_common *common, unsigned with,
                                 struct ky_snapshot *snapshot, struct ky_error *error);
/* Calls `fill` for ranges first … last − 1 of array indices, in all threads and in any order, until
 * all bodies of the portion are filled or common->halt is set. Logs now and then how many `what`
 * ("positions") have been made. */
void ky_model_fill(const struct ky_model_common *common, const char *what,
                   void (*fill)(const void *context, size_t first, size_t last),
                   const void *context);
/* For a `units` verb of models in kiloparsecs, 1e10 Msun and km/s: sets these units, also if the
 * caller gave none, or only G as in run.json. KY_USAGE for others. */
enum ky_status ky_model_galaxy_units(const char *name, struct ky_units *units,
                                     struct ky_error *error);
/* Times of the transforms of a random field. */
struct ky_model_clock {
    double began, told; /* ky_clock: the start; the last line */
};
/* Logs their progress on a grid of n³ points: first 2 s after the start, then at growing
 * intervals. */
void ky_model_tell_field(const struct ky_model_common *common, struct ky_model_clock *clock,
                         size_t n, int done, int all);
/* Streams of random numbers. */
enum {
    KY_STREAM_POSITION,
    KY_STREAM_VELOCITY,
    KY_STREAM_MASS,
    KY_STREAM_ROTATION,
    KY_STREAM_PAIR,
    KY_STREAM_ORBIT
};

/* The options that all models share (struct ky_model_parameters), and the options of struct
 * ky_merge_parameters. */
extern const struct ky_option ky_model_options[], ky_merge_options[];
extern const size_t ky_model_option_count, ky_merge_option_count;

/* The model of this name. NULL, with an error that lists the names, if there is none. */
const struct ky_model *ky_model_find(const char *name, struct ky_error *error);
/* 1 if each rank can make its own share of the bodies. */
int ky_model_in_parts(const struct ky_model *model);
/* 1 if equilibrium.h makes the bodies. */
int ky_model_in_equilibrium(const struct ky_model *model);
/* 1 if the model takes mass functions and rotation. */
int ky_model_is_sphere(const struct ky_model *model);
/* 1 if the model uses the option (one of ky_model_options or its own), else 0. */
int ky_model_takes(const struct ky_model *model, const char *option);
/* Fills in the defaults of a call's parameters and the model's own: `own`, of model->own_size
 * bytes, is set from the fields of struct ky_model_parameters with the names of its options, then
 * from the `options` of that struct. KY_USAGE for a value out of range. */
enum ky_status ky_model_resolve(const struct ky_model *model,
                                const struct ky_model_parameters *given,
                                struct ky_model_parameters *parameters, void *own,
                                struct ky_error *error);
/* ky_model_make for a model that may be missing in the table. */
enum ky_status ky_model_make_one(const struct ky_model *model,
                                 const struct ky_model_parameters *given,
                                 struct ky_snapshot *snapshot, struct ky_error *error);

#endif
