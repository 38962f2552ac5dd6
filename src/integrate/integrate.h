/* Integrators. Each advances the bodies of an engine in time and does not depend on the processor.
 * An integrator is one file with its options, its state and its verbs. integrators.c lists them in
 * the order of enum ky_integrator. */
#ifndef KY_INTEGRATE_INTEGRATE_H
#define KY_INTEGRATE_INTEGRATE_H

#include <math.h>

#include "base/fields.h"
#include "engine/engine.h"
#include "engine/force_options.h"

/* The first member of every integrator's own struct. Time is counted in ticks. If all bodies share
 * one step, the tick is this step; with individual steps it is the longest step divided by a power
 * of two. */
struct ky_integrator_state {
    const struct ky_integrator_verbs *verbs;
    double tick;     /* [time]; negative: backwards; NaN: the step is not known yet */
    uint64_t stride; /* ticks of the longest step: at its multiples all bodies are at one time */
    double reached;  /* [time] advanced by the last call that returned KY_STOPPED */
    /* Set before `advance` and `short_step`: the time after k ticks of the call is origin + (before
     * + k) × the tick's length. */
    double origin; /* [time] */
    uint64_t before;
    /* Set before `advance` and `short_step` too: returns 1 if the call should end as soon as
     * possible. NULL: the call never ends early. Only integrators with individual steps, whose
     * longest step may take long, call it, about twenty times a second. With one step for all
     * bodies a call returns after each step anyway. */
    int (*is_over)(void *context);
    void *is_over_context;
    /* Progress of a call that `is_over` has ended (KY_STOPPED). `whole`: ticks of the complete
     * longest steps of the call. `within`: ticks done of the next longest step; 0: all bodies are
     * at one time. `within_tick`: the length of these ticks [time]. If `within` is not 0, each body
     * is at the end of its own last step, and the next call has to continue the same longest step,
     * from the same beginning. A restart file keeps `within` and `within_tick`. */
    uint64_t whole, within;
    double within_tick;
    int was_over; /* 1: `is_over` has ended the last call */
    /* How long a call may continue after `is_over` returned 1 [s], to reach the end of the longest
     * step, where all bodies are at one time; initially 0.25. */
    double patience;
    /* Radii of bodies that collide, set before `advance` and `short_step`: radii 0: no collision
     * ends a call; 1: one radius for all bodies; else one for each body. Only an integrator whose
     * steps may pass a collision reads them. */
    const double *radius; /* [length] */
    size_t radii;
    double near; /* [length] for groups of hermite4, pairs nearer than this too; 0: none */
    /* Set before `short_step`; as in struct ky_advance. */
    struct ky_parameters *softened;
    double softening; /* [length] */
    /* [n] ids of the bodies, set and owned by the creator of the integrator; NULL: 0, 1, … */
    const uint64_t *id;
};

/* The time after some ticks of a call. */
static inline double ky_tick_time(const struct ky_integrator_state *integrator, uint64_t ticks)
{
    return fma((double)(integrator->before + ticks), integrator->tick, integrator->origin);
}

/* Why an integrator has ended a call with KY_STOPPED. */
enum ky_ended { KY_ENDED_BY_PAIR, KY_ENDED_BY_CONTACT, KY_ENDED_AS_ASKED };

/* The work of an integrator. */
struct ky_integrator_report {
    uint64_t steps;    /* number of longest steps since the creation; a part of a step counts as
                          one */
    double body_steps; /* steps of single bodies, over all resumptions */
    /* Only with individual steps, over all resumptions; else 0. */
    uint64_t blocks; /* times at which steps ended */
    double shortest; /* [time] the shortest step that a body took */
    double cut;      /* steps of bodies that were longer than the criterion required */
    /* Pairs whose forces were summed, over all resumptions; 0: they were not counted. */
    double pairs;
    /* hermite4 with groups, over all resumptions [G × energy]: as in struct ky_advance. */
    double handover_work, slow_work;
    /* After a stop within a longest step: `close` has the body with the shortest step, or with a
     * step that would be too short, and the body that pulls it most; then their distance [length]
     * and the step [time]. */
    size_t close[2];
    double apart, least;
    /* After KY_STOPPED with `was_over` 0: two bodies that need steps that are too short (close,
     * apart, least), two bodies that touch (close, apart), or a flag. */
    enum ky_ended ended;
    int stuck; /* 1: it stopped with KY_BAD_DATA, because the steps became so short that it would
                  never end */
};

struct ky_integrator_verbs {
    const char *name; /* "leapfrog" */
    /* Options that this integrator adds to struct ky_parameters. */
    const struct ky_option *options;
    size_t option_count;
    const char *in_comoving_box[5]; /* options that it has only there, ended by NULL */
    double eta; /* default of --eta of its criterion; NaN: it has none, or `settle` fills it */
    int any_step, any_step_in_box; /* see short_step */
    double late_step;              /* default of --late-step; 0: it has no such option */
    int any_length; /* 1: a step may have any length, since the integrator divides it as it must */
    int friction;   /* 1: lets the friction of bodies act (friction.h) */

    /* The columns that the engine keeps for this integrator: a sum of 1 << ky_column. They exist
     * when `create` is called, and restart files contain them. */
    unsigned columns;
    /* Columns and schemes that it needs besides, with these parameters; NULL: none. */
    unsigned (*more_columns)(const struct ky_parameters *parameters);
    unsigned (*more_schemes)(const struct ky_parameters *parameters);
    /* Schemes that the engine has to support: a sum of 1 << ky_scheme. */
    unsigned schemes;
    /* Ticks of a step, which is `step` long [time] or not known yet (NaN); NULL: 1. */
    uint64_t (*stride)(const struct ky_parameters *parameters, double step);
    /* Fills unset parameters whose defaults depend on the number of bodies with mass; NULL: there
     * are none. */
    void (*settle)(struct ky_parameters *parameters, const struct ky_bodies *bodies,
                   size_t massive);
    /* The approximate step [time] if none is given; NULL: scales->step. */
    double (*suggest)(const struct ky_parameters *parameters, const struct ky_scales *scales);
    /* KY_USAGE for parameters that contradict each other; NULL: none do. The step may be NaN. */
    enum ky_status (*check)(const struct ky_parameters *parameters, struct ky_error *error);
    /* KY_USAGE if the step criterion cannot use the softening of a body (its own, or the one of the
     * parameters); NULL: it can use any. */
    enum ky_status (*check_bodies)(const struct ky_parameters *parameters,
                                   const struct ky_bodies *bodies, struct ky_error *error);
    /* Makes the integrator's own struct for the `n` bodies on the engine. KY_USAGE for parameters
     * that do not go with this integrator, KY_FAULT if memory runs out. */
    enum ky_status (*create)(struct ky_engine *engine, size_t n,
                             const struct ky_parameters *parameters,
                             struct ky_integrator_state **integrator, struct ky_error *error);
    /* Advances by `ticks` ticks, a multiple of the stride. Before and after, positions, velocities
     * and accelerations on the engine belong to one time. Fails as the engine fails. KY_STOPPED
     * (here and in `short_step`): `is_over` has ended the call, or two bodies came too close to
     * each other. In the second case all bodies are at one time, the time of the call plus
     * `reached`; the next call continues and ignores this pair. */
    enum ky_status (*advance)(struct ky_integrator_state *integrator, uint64_t ticks,
                              struct ky_error *error);
    /* One step of length `dt` [time] for all bodies, shorter than the longest one, to reach a time
     * between two ticks. NULL: the integrator cannot divide its steps. Where `any_step` is 1, or
     * `any_step_in_box` in a comoving box, dt may be longer: with --expansion every step has its
     * own length. */
    enum ky_status (*short_step)(struct ky_integrator_state *integrator, double dt,
                                 struct ky_error *error);
    /* Members of the integrator's own struct that a restart file keeps, besides bodies and
     * parameters. */
    const struct ky_stored_field *fields;
    size_t field_count;
    /* Its work so far. */
    void (*report)(const struct ky_integrator_state *integrator,
                   struct ky_integrator_report *report);
    void (*free)(struct ky_integrator_state *integrator);
};

extern const struct ky_integrator_verbs ky_leapfrog, ky_block, ky_hermite4, ky_few_bodies;

/* The row of --step in the tables of all integrators. */
#define KY_OPTION_STEP                                                                             \
    {                                                                                              \
        "step", KY_OPTION_REAL, offsetof(struct ky_parameters, step), NULL, KY_NO_RANGE, NULL,     \
            "TIME",                                                                                \
            "time step, for block and hermite4 the longest one, for few the time between two "     \
            "looks at the "                                                                        \
            "bodies. Without it the program chooses "                                              \
            "one and prints it: from softening and velocities, or, if the softening is 0, from "   \
            "the shortest orbit or free fall; for block and hermite4 at most --step-max [time]"    \
    }

/* The row of --eta, likewise. */
#define KY_OPTION_ETA                                                                              \
    {                                                                                              \
        "eta", KY_OPTION_REAL, offsetof(struct ky_parameters, eta), NULL, 1e-6, 10, NULL, NULL,    \
            "step of a body, rounded down to the longest step over a power of two. block: eta "    \
            "sqrt(softening/|a|) (default 0.2; GADGET's ErrTolIntAccuracy is eta^2/2). hermite4: " \
            "Aarseth's sqrt(eta (|a||a2| + |a1|^2)/(|a1||a3| + |a2|^2)) with the derivatives of "  \
            "the acceleration in time (default 0.001 for up to 64 bodies with mass, 0.005 for up " \
            "to 1,024, else 0.02). leapfrog in a comoving box: steps are divided so that none is " \
            "longer than eta sqrt(softening/|a|) of the strongest pull (default: they are not)"    \
    }

#define KY_OPTION_SOFTENING_MAX                                                                    \
    {                                                                                              \
        "softening-max", KY_OPTION_REAL, offsetof(struct ky_parameters, softening_max), NULL,      \
            KY_ABOVE_0, NULL, "LENGTH",                                                            \
            "leapfrog and block in a comoving box: the largest physical softening. The comoving "  \
            "one is "                                                                              \
            "then the smaller of --softening and softening-max/a (GADGET's SofteningMaxPhys); "    \
            "without it --softening at all times [length]"                                         \
    }

#define KY_OPTION_LATE_STEP                                                                        \
    {                                                                                              \
        "late-step", KY_OPTION_REAL, offsetof(struct ky_parameters, late_step), NULL, 1e-6, 1,     \
            NULL, NULL,                                                                            \
            "leapfrog and block in a comoving box: the longest step in ln a at a = 1; at other "   \
            "times it is "                                                                         \
            "late-step/a^(3/4). Without --step it is 0.012 by default (block: 0.048), and steps "  \
            "are also at most 10 (2.5) times as long; a --step alone makes equal ones"             \
    }

#define KY_OPTION_STEP_A                                                                           \
    {                                                                                              \
        "step-a", KY_OPTION_REAL, offsetof(struct ky_parameters, step_a), NULL, 1e-6, 1, NULL,     \
            NULL,                                                                                  \
            "leapfrog and block in a comoving box: the length of steps in the scale factor a; "    \
            "early steps are 0.12 in ln a, where that is shorter. --every and --energy-every are " \
            "then differences of a, too. It excludes --step and --late-step"                       \
    }

/* ---- the integrator that parameters name ---- */

/* KY_USAGE and KY_UNSUPPORTED for values that do not go with the integrator: its verb `check`. For
 * resolved parameters that have changed since; ky_parameters_resolve does the same. */
enum ky_status ky_integrator_check(const struct ky_parameters *parameters, struct ky_error *error);
/* 1 if the integrator of the parameters uses the option of this name in its own table. */
int ky_integrator_has(const struct ky_parameters *parameters, const char *name);
/* Calls the verb `settle` for these bodies. If their masses are unknown (NULL), all have mass.
 * Resolved parameters need this call before an engine is opened with them. */
void ky_integrator_settle(struct ky_parameters *parameters, const struct ky_bodies *bodies);
/* Makes the integrator that the parameters name; fails as its verbs `check` and `create` do, and
 * with KY_UNSUPPORTED when the engine cannot keep its columns or does not support its scheme. */
enum ky_status ky_integrator_create(struct ky_engine *engine, size_t n,
                                    const struct ky_parameters *parameters,
                                    struct ky_integrator_state **integrator,
                                    struct ky_error *error);
/* The verb `check_bodies` of the integrator that the parameters name. */
enum ky_status ky_integrator_check_bodies(const struct ky_parameters *parameters,
                                          const struct ky_bodies *bodies, struct ky_error *error);
void ky_integrator_free(struct ky_integrator_state *integrator); /* NULL is allowed */
/* Properties of the integrator that the parameters name. `stride`: number of ticks in its step.
 * `suggest`: the step that it would choose [time]. `columns`: the set of columns that it needs. */
int ky_integrator_takes_any_length(const struct ky_parameters *parameters); /* any_length */
uint64_t ky_integrator_stride(const struct ky_parameters *parameters, double step);
/* The longest step in ln a that a comoving run chooses, before --late-step divides a step; NaN
 * without --late-step. */
double ky_integrator_early_step(const struct ky_parameters *parameters);
double ky_integrator_suggest(const struct ky_parameters *parameters,
                             const struct ky_scales *scales);
unsigned ky_integrator_columns(const struct ky_parameters *parameters);
/* The requirements of n bodies with the integrator of the parameters for their engine. */
struct ky_engine_use ky_integrator_use(const struct ky_parameters *parameters, size_t n);
/* Opens the engine that the parameters name, for n bodies and their integrator, with room for
 * `room` bodies. KY_UNSUPPORTED when it does not support the integrator; and the failures of
 * ky_engine_open. */
enum ky_status ky_integrator_engine(const struct ky_parameters *parameters, size_t n, size_t room,
                                    struct ky_engine **engine, struct ky_error *error);

/* ---- all options of struct ky_parameters ---- */

enum { KY_INTEGRATORS = 4, KY_PARAMETER_SETS = KY_FORCE_SETS + 1 + KY_INTEGRATORS + 1 };
/* Binds the tables to `parameters`: engine, force, choice of the integrator, and the options of
 * each integrator, and of the conditions that stop. */
void ky_parameter_sets(struct ky_parameters *parameters,
                       struct ky_option_set sets[KY_PARAMETER_SETS]);
/* Resolves the parameters as ky_force_resolve_later does, and checks the options of the
 * integrators. KY_FORCE_AUTO becomes KY_DIRECT for KY_HERMITE4 and KY_FEW, and the softening 0 for
 * KY_FEW. KY_USAGE for a value out of its
 * range, for an option of another integrator that is not at its default, and where the integrator's
 * verb `check` fails. */
enum ky_status ky_parameters_resolve(const struct ky_parameters *given,
                                     struct ky_parameters *resolved, struct ky_error *error);

/* stopping.c: the options of the conditions that end a call that advances. */
extern const struct ky_option ky_stopping_options[];
extern const size_t ky_stopping_option_count;
/* KY_USAGE for lengths that are infinite, for a length of 0 that would stop never or always, and
 * for radii that no condition uses. */
enum ky_status ky_stopping_check(const struct ky_parameters *parameters, struct ky_error *error);
/* KY_USAGE if stop_collision needs radii and these bodies have none. */
enum ky_status ky_stopping_check_bodies(const struct ky_parameters *parameters,
                                        const struct ky_bodies *bodies, struct ky_error *error);
/* 1 if the parameters have such a condition, else 0. */
int ky_stopping_is_asked(const struct ky_parameters *parameters);

#endif
