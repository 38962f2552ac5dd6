/* Internals of ky_sim: functions for the run and the restart file in addition to the public
 * calls. */
#ifndef KY_SIMULATION_SIM_H
#define KY_SIMULATION_SIM_H

#include "base/write_plan.h"
#include "integrate/integrate.h"
#include "simulation/sim_view.h"
#include "simulation/timeline.h"
#include "snapshot/restart.h"

/* The size of struct ky_stop in its first version. */
#define KY_FIRST_STOP offsetof(struct ky_stop, count)

/* Comoving bodies at their last step: sums, and the integral of Layzer and Irvine's equation
 * d(T + W)/d ln a = -(2T + W). T = K/a² is the kinetic energy of peculiar velocities, K of the
 * momenta; W = U/a is the potential energy in physical lengths, U in comoving ones. */
struct ky_layzer {
    double a;                  /* the scale factor of the sums; 0: not known yet */
    double kinetic, potential; /* K, U [mass velocity²] */
    double mass;
    double sum; /* ∫ (2T + W) d ln a since the start: T + W + sum is constant but for errors */
};

/* A step of comoving bodies to the scale factor `to`, in equal parts of ln a. Between two calls
 * `parts` is 0, unless a stop has left the bodies within the step. */
struct ky_parted {
    double to;
    uint64_t parts, done;
};
/* More parts than this are a universe that no step resolves. */
enum { KY_MOST_PARTS = 4096 };

/* The force that was found for --error at a scale factor. A restart file has these numbers. */
struct ky_tuned_force {
    double a, order, alpha; /* order 0: it has no expansions */
    double error, samples; /* 99 % of the samples had at most this error, over their rms; NaN: no α
                              has kept the error that was asked for */
};

/* Pairs of members of groups that touched in the last longest step. No call that advances groups
 * ends within such a step, so that no restart file needs them. */
struct ky_passage {
    uint64_t id[2];
    double distance; /* the least one [length] */
};
struct ky_passages {
    struct ky_passage *one; /* [count] */
    size_t count;
};

struct ky_sim {
    struct ky_parameters parameters; /* resolved; owns the texts */
    char *engine_name, *field, *expansion;
    struct ky_engine *engine;
    size_t n;
    struct ky_integrator_state *integrator;
    struct ky_timeline line;
    struct ky_instant now;
    struct ky_layzer layzer;
    struct ky_parted parted;
    double softening; /* the given one; parameters.softening is the one of the present, which is
                         smaller if softening_max is given */
    int in_run;       /* 1: the run controls the time, and no other caller may change it */
    int is_changing;  /* 1: between ky_sim_change_begin and _end */
    int is_late;      /* 1: the forces on the engine are from before a change */
    int has_failed;   /* 1: after a failure, it can only be closed */
    /* For a run: returns 1 if a call that advances is to end. It is checked in addition to the
     * parameters' `stop`. */
    int (*is_over)(void *context);
    void *is_over_context;
    const volatile int *search_stop; /* of a run: ends searches for α, as the parameters' `stop` */
    int has_changed;         /* 1: bodies or forces have changed since the run last checked */
    int has_new_parameters;  /* 1: parameters have changed since the run last checked */
    struct ky_stop stop;     /* of the last call that advanced */
    struct ky_choice choice; /* of the force, when it was opened or last tuned; without text after a
                                restart */
    struct ky_tuned_force *tuned; /* [tunings] of a comoving simulation that keeps an error; none:
                                     its force stays as it is */
    size_t tunings;
    uint64_t steps_before; /* steps before the current integrator was created */
    unsigned with;         /* KY_WITH_…, of KY_SIM_LABELS: labels that came with the bodies */
    uint64_t *id; /* [n], or NULL: the ids are 0, 1, …; kept here, because no engine needs them */
    uint8_t *type;               /* the same */
    double *radius;              /* the same; NULL: unknown [length] */
    struct ky_passages passages; /* sim_passages.c */
    struct ky_watch *watch;      /* of the stopping conditions: sim_stops.c; NULL: there are none */
    const struct ky_view *view;  /* the view of the last ky_sim_show, or NULL */
    struct ky_sim_watch frames;  /* of that view */
};

/* Optional arrays that are kept with the bodies through all changes, and in restart files. */
enum { KY_SIM_LABELS = KY_WITH_ID | KY_WITH_TYPE | KY_WITH_SOFTENING | KY_WITH_RADIUS };

/* Sets the softening of forces at scale factor a, if softening_max is given. The
 * engine reads it from the parameters of the simulation at each evaluation. */
void ky_sim_soften(struct ky_sim *sim, double a);
/* The parameters as they were given. */
struct ky_parameters ky_sim_given(const struct ky_sim *sim);

/* A simulation of n bodies with only an engine. *sim is NULL after a failure. */
enum ky_status ky_sim_begin(const struct ky_parameters *resolved, size_t n, struct ky_sim **sim,
                            struct ky_error *error);
/* Opens engine and integrator and puts the bodies on the engine, with their forces if they have
 * any. *sim is NULL, or of ky_sim_begin; then the engine uses the frame that it was given, and
 * bodies without masses are on its ranks, which have taken them (ky_engine_take): *bodies has only
 * their number and labels. The bodies have been checked, and the parameters resolved
 * (ky_parameters_resolve); the same is true for ky_sim_place. *sim is NULL after a failure. */
enum ky_status ky_sim_create(const struct ky_parameters *resolved, const struct ky_bodies *bodies,
                             double time, struct ky_sim **sim, struct ky_error *error);
/* Creates an integrator for the current bodies, ids and parameters. */
enum ky_status ky_sim_make_integrator(const struct ky_sim *sim,
                                      struct ky_integrator_state **integrator,
                                      struct ky_error *error);
/* Replaces ids, types and radii by the bodies' own, and records whether they have softenings.
 * KY_FAULT if memory runs out. */
enum ky_status ky_sim_keep_labels(struct ky_sim *sim, const struct ky_bodies *bodies,
                                  struct ky_error *error);

/* KY_USAGE for NULL, after a failure after which the simulation can only be closed, and within a
 * longest step, in which a simulation can only advance, be saved or be closed. */
enum ky_status ky_sim_check_alive(const struct ky_sim *sim, struct ky_error *error);
/* The same without the last condition. */
enum ky_status ky_sim_check_open(const struct ky_sim *sim, struct ky_error *error);
/* 1 if a stop has left the bodies within a longest step, which begins at the simulation's time. */
int ky_sim_is_within(const struct ky_sim *sim);
/* Writes to `text`, and returns, the completed fraction of this step and the pair with the shortest
 * steps. */
enum { KY_WITHIN_WORDS = 256 };
const char *ky_sim_within_words(const struct ky_sim *sim, char text[KY_WITHIN_WORDS]);
/* ky_sim_bodies without its first check: for a restart file. */
enum ky_status ky_sim_get(struct ky_sim *sim, struct ky_bodies *bodies, struct ky_error *error);
/* Computes the forces if a change has left them out of date. */
enum ky_status ky_sim_catch_up(struct ky_sim *sim, struct ky_error *error);
/* To be called after a change that needs new forces: computes them, unless several changes are
 * being collected. */
enum ky_status ky_sim_changed(struct ky_sim *sim, struct ky_error *error);

/* Fills *bodies with all bodies, their ids and forces, with space for `more` at the end. Free also
 * after a failure. */
enum ky_status ky_sim_take(struct ky_sim *sim, size_t more, unsigned with, struct ky_bodies *bodies,
                           struct ky_error *error);
/* Replaces the current bodies by the copy, with these parameters, which are resolved, and new
 * forces, and frees the copy. After KY_BAD_DATA, KY_USAGE and KY_UNSUPPORTED nothing has
 * changed. */
enum ky_status ky_sim_put_with(struct ky_sim *sim, const struct ky_parameters *parameters,
                               struct ky_bodies *bodies, struct ky_error *error);
/* Creates a new integrator for the current bodies and parameters. It continues to count steps. */
enum ky_status ky_sim_renew_integrator(struct ky_sim *sim, struct ky_error *error);
/* Checks the caller's points: KY_USAGE as for ky_field_fill. */
enum ky_status ky_field_adopt(struct ky_field_points *own, const struct ky_field_points *given,
                              struct ky_error *error);
/* Fills the requested numbers. */
enum ky_status ky_field_on(struct ky_engine *engine, const struct ky_field_points *wanted,
                           struct ky_error *error);
/* KY_USAGE for a softening that is negative or not finite. */
enum ky_status ky_sim_check_softening(double softening, struct ky_error *error);
/* Replaces the text of the simulation's external fields, with all numbers in the units of the
 * bodies; NULL: no fields. */
enum ky_status ky_sim_keep_field(struct ky_sim *sim, const char *field, struct ky_error *error);

/* sim_comoving.c. The energies of comoving bodies from the sums of their momenta, a² dx/dt, and of
 * potentials by comoving distances: of peculiar velocities and physical distances. The sums about
 * the origin, which a box has not, are NaN. */
struct ky_sums ky_comoving_sums(const struct ky_sums *sums, double a);
/* Adds the interval from the last such call, or nothing at the first one, to sim->layzer, with
 * the means of K and U. The bodies are at the scale factor a. */
enum ky_status ky_sim_note_energy(struct ky_sim *sim, double a, struct ky_error *error);
/* The number of equal parts in ln a of a step between two scale factors: so that bodies move at
 * most a quarter of their spacing (rms), that no part is longer than --late-step allows, and with
 * --eta, none longer than η √(ε/|g|) of the strongest pull in physical lengths. More than 4,096 are
 * refused: KY_BAD_DATA if the velocities need them, KY_USAGE if an option does. KY_USAGE also if
 * the universe never reaches the end of the step. */
enum ky_status ky_sim_parts(struct ky_sim *sim, double from, double to, unsigned *parts,
                            struct ky_error *error);

/* sim_tunings.c. Their largest number: more are no run. */
enum { KY_MOST_TUNINGS = 64 };
/* To be called with the choice of a new simulation: if it is comoving and an error was
 * asked for and measured, the force is found again whenever the scale factor has doubled or halved.
 * KY_FAULT if memory runs out. */
enum ky_status ky_sim_begin_tunings(struct ky_sim *sim, struct ky_error *error);
void ky_sim_end_tunings(struct ky_sim *sim);
/* Adds the force in use, which was found at the scale factor a. KY_FAULT if memory runs out. */
enum ky_status ky_sim_note_force(struct ky_sim *sim, double a, struct ky_error *error);
/* sim_tune.c. To be called before a step from the scale factor a: finds the force again if that is
 * due. Fails as ky_force_settle_again and ky_sim_put_with; KY_STOPPED by the parameters' `stop`,
 * with sim->stop, and then the bodies are as before. */
enum ky_status ky_sim_keep_error(struct ky_sim *sim, double a, struct ky_error *error);
/* sim_tunings.c. The list for a restart file; the data remain the simulation's. KY_BAD_DATA for an
 * impossible list. */
struct ky_section ky_sim_tunings_section(const struct ky_sim *sim);
enum ky_status ky_sim_restore_tunings(struct ky_sim *sim, const struct ky_restart *restart,
                                      struct ky_error *error);

/* sim_stops.c. Allocates the state of the stopping conditions; frees it if there are none left.
 * KY_FAULT if memory runs out. */
enum ky_status ky_sim_make_watch(struct ky_sim *sim, struct ky_error *error);
void ky_sim_free_watch(struct ky_sim *sim);
/* To be called at the end of a step. KY_STOPPED, with the reason in sim->stop, if a pair or a body
 * newly meets a condition. Without conditions it reads one pointer. */
enum ky_status ky_sim_watch(struct ky_sim *sim, struct ky_error *error);
/* sim_passages.c. Adds the pairs within groups that have come nearer to each other in the last
 * longest step than the sum of their radii, which are as for ky_sim_pairs, with their least
 * distance, but not the pairs that are in the list. KY_FAULT if memory runs out. */
enum ky_status ky_sim_add_passages(struct ky_sim *sim, const double *radius, size_t radii,
                                   struct ky_pairs *pairs, struct ky_error *error);
/* sim_systems.c. For a simulation with groups: a copy of masses, positions, velocities and
 * potentials in which the members of each close system are at its centre of mass, with its
 * velocity and the potential of all other bodies. ky_bodies_free releases it, also after a
 * failure. Fails as ky_binaries_find. */
enum ky_status ky_sim_settle_systems(const struct ky_sim *sim, const struct ky_bodies *bodies,
                                     struct ky_bodies *settled, struct ky_error *error);
/* The radii from --body-radius or from the bodies, and their number; 0: there are none. */
size_t ky_sim_radii(const struct ky_sim *sim, const double **radius);
/* The conditions' state for a restart file; the data remain the simulation's. A simulation from
 * such a file has conditions already. KY_BAD_DATA for an impossible state. */
struct ky_section ky_sim_told_section(const struct ky_sim *sim);
enum ky_status ky_sim_restore_told(struct ky_sim *sim, const struct ky_restart *restart,
                                   struct ky_error *error);

/* ky_sim_open without the first forces (ky_engine_forces): parameters->force and error are settled,
 * so that the caller can free its bodies before the engine needs memory for the forces. The bodies
 * have been checked. KY_USAGE for a start time that is not finite, a step that is lost in its
 * rounding, and bodies of unknown softening. */
enum ky_status ky_sim_place(const struct ky_parameters *resolved, const struct ky_bodies *bodies,
                            double time, struct ky_sim **sim, struct ky_error *error);

/* The writers of the bodies' numbers if the engine has them on several ranks: `arrays` of mass,
 * position, velocity, acceleration and potential, as a sum of 1 << enum ky_array_id. */
struct ky_writers ky_sim_writers(const struct ky_sim *sim, unsigned arrays);
/* KY_USAGE for arrays whose length is not the simulation's number of bodies. */
enum ky_status ky_sim_check_length(const struct ky_sim *sim, size_t n, struct ky_error *error);
/* KY_USAGE within a run: the caller's function may not change the time or the step there. */
enum ky_status ky_sim_check_time(const struct ky_sim *sim, struct ky_error *error);
/* Advances to an instant that is not earlier than the current one. KY_USAGE without a step, and as
 * ky_sim_check_alive. An instant within a step needs an integrator that can divide its steps,
 * otherwise KY_UNSUPPORTED; the simulation is then at the end of the last complete step. */
enum ky_status ky_sim_go_to(struct ky_sim *sim, struct ky_instant instant, struct ky_error *error);

/* Writes the simulation and the `extras` sections of the caller to a restart file; in pieces
 * (to->pieces) only if ky_engine_writes. */
enum ky_status ky_sim_write_restart(struct ky_sim *sim, struct ky_restart_to *to,
                                    const struct ky_section *extra, size_t extras,
                                    struct ky_error *error);
/* Writes the parameters, as they were given, as INI text to *text, which the caller frees. KY_FAULT
 * if memory runs out. */
enum ky_status ky_sim_text(const struct ky_sim *sim, char **text, struct ky_error *error);
/* Reads the parameters of a restart file. Engine, instruction set and threads come from `wanted` if
 * it gives them; log and field function always do. The parameters point into *text, to be freed
 * after their last use. KY_BAD_DATA for a file without parameters. */
enum ky_status ky_sim_restore_parameters(const struct ky_restart *restart,
                                         const struct ky_parameters *wanted,
                                         struct ky_parameters *parameters, char **text,
                                         struct ky_error *error);
/* A simulation from a restart file that has been read, with its step, clock and forces. Moves the
 * arrays of the bodies from it. KY_BAD_DATA if the file lacks something; *sim is NULL then. */
enum ky_status ky_sim_from_restart(struct ky_restart *restart,
                                   const struct ky_parameters *parameters, struct ky_sim **sim,
                                   struct ky_error *error);
/* Restores the columns of the integrator that the file has; others stay as they are. KY_BAD_DATA
 * for a column of another length. */
enum ky_status ky_sim_restore_columns(struct ky_sim *sim, const struct ky_restart *restart,
                                      struct ky_error *error);

/* No stop: NaN and no text. */
extern const struct ky_stop ky_not_stopped;

#endif
