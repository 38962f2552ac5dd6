/* Internals of a run in a folder: run_start.c and run_resume.c begin one, run.c advances it,
 * run_output.c and run_json.c write its files. */
#ifndef KY_SIMULATION_RUN_H
#define KY_SIMULATION_RUN_H

#include <stdio.h>

#include "domain/domain.h"
#include "simulation/energy.h"
#include "simulation/folder.h"
#include "simulation/schedule.h"
#include "simulation/sim.h"
#include "simulation/sim_view.h"
#include "simulation/stars.h"
#include "snapshot/fields.h"

/* Whose code of stellar evolution a run has. */
enum ky_run_stellar { KY_STELLAR_NONE, KY_STELLAR_NAMED, KY_STELLAR_OF_PROGRAM };

/* The run's part of a restart file: run_state.c. */
struct ky_run_state {
    double tick;
    struct ky_instant end;
    uint64_t stride, every, energy_every; /* ticks, as in struct ky_schedule */
    uint64_t shorten;                     /* 1: steps may be divided */
    uint64_t bare;                        /* 1: snapshots only at the times of --at */
    uint64_t snapshots;                   /* written so far */
    uint64_t energy_bytes;                /* length of energy.csv at the restart */
    uint64_t escapers_bytes;              /* of escapers.csv; 0: there is none */
    double energy, potential;             /* at the start [mass velocity²] */
    double wall;                          /* seconds up to the restart */
    uint64_t conserved, compress, pieces;
    uint64_t groups_every, groups_minimum;
    double linking_length, linking_fraction;
    uint64_t core, collapsed; /* energy.csv has the core; the core was once small enough to stop */
    uint64_t escaped;         /* bodies removed so far */
    uint64_t merges;          /* 1: bodies that touch become one */
    uint64_t stellar_radii;   /* 1: bodies have the radii of stars */
    uint64_t mergers;         /* so far */
    uint64_t events_bytes;    /* length of events.csv at the restart; 0: there is none */
    uint64_t stellar;         /* enum ky_run_stellar */
    double evolved;           /* energy that stellar evolution has added [mass velocity²] */
    double stop_core, escape_radius, escapers;
    double change;           /* relative change of the energy in the last row; NaN: no row yet */
    uint64_t seed, has_seed; /* of the model that made the bodies */
    struct ky_units units;
    struct ky_space space; /* the bodies' cosmology, for snapshots: hubble is NaN if unknown */
};

/* Up to this number of bodies the arrays for rows of energy.csv are kept between rows: new memory
 * each time would cost more than the copy, 6 of 9 ms for 240,002 bodies on two cores. */
enum { KY_ROW_KEPT = 1 << 20 };

/* Core radii of the last rows of energy.csv. */
struct ky_core_row {
    double time, radius;
};
struct ky_core_history {
    struct ky_core_row *row;
    size_t count, room;
};

/* Parameters of a run that depend on the cosmology of its bodies, as texts. */
struct ky_run_universe {
    char expansion[KY_EXPANSION_TEXT];
    char *field;            /* the fields of the user and of Λ, or NULL */
    char remark[KY_REMARK]; /* for run.log, or empty */
    enum ky_log_level level;
};

/* A table that grows during the run. */
struct ky_run_table {
    const char *name;    /* "energy.csv" */
    const char *columns; /* its first line; NULL: of energy.csv, which has columns by choice */
    FILE *file;          /* NULL: the run has no such table */
};

/* Ids of the bodies that are in escapers.csv and have not been removed, ascending. */
struct ky_run_listed {
    uint64_t *id;
    size_t count;
};

/* The speed of the run. */
struct ky_run_pace {
    double second;  /* ky_clock at the start of the measured second */
    uint64_t steps; /* at that time */
    double rate;    /* steps per second; 0: not known yet */
};

/* The run's data for the view. */
struct ky_run_watch {
    struct ky_sim_watch frames;
    int is_paused, has_written;
    struct ky_instant written; /* time of the last snapshot written by command */
};

/* A remark about the bodies for the user, before the first step. */
enum { KY_NOTE = 512 };
struct ky_run_notes {
    /* each may be empty */
    char escapers[KY_NOTE], coincident[KY_NOTE], peculiar[KY_NOTE], matter[KY_NOTE], pairs[KY_NOTE];
};

/* Facts about the bodies before the start. */
struct ky_run_facts {
    uint64_t hash;
    double mass; /* of all bodies, in a comoving box */
    struct ky_scales scales;
    uint64_t fastest; /* the id of the fastest escaper, if there are any */
    double velocity[3];
    /* For bodies that ranks have taken from their source: whether they have ids that count them,
     * the number of massless ones, and the units of the engine, or an error of such units. */
    int counts;
    uint64_t massless;
    struct ky_engine_frame units;
    struct ky_error wrong;
};

struct ky_run {
    /* The parameters of the start, resolved with the bodies; their log also writes run.log. The
     * simulation's own parameters are in use. */
    struct ky_parameters parameters;
    struct ky_run_parameters given;
    struct ky_schedule schedule;
    struct ky_run_state state;
    struct ky_energy_start energy_start;
    struct ky_core_history history;
    struct ky_source *from; /* from which ranks take the bodies; NULL: they are in this process */
    struct ky_sim
        *sim; /* before the start only an engine, if ranks have taken the bodies, or NULL */
    struct ky_bodies row; /* copies of the arrays for rows of energy.csv; empty if rows need none */
    char *text;           /* effective parameters, INI */
    char *texts;          /* for a resumed run: the texts that its parameters point into */
    char *origin;         /* the source of the bodies, or NULL */
    char *source;         /* the same as options: struct ky_run_parameters; or NULL */
    uint64_t hash;        /* of the bodies at the start; 0: unknown */
    FILE *log;
    struct ky_run_table energy, escapers, events;
    struct ky_run_listed listed;
    struct ky_stars *stars; /* NULL: bodies do not evolve */
    long log_before;        /* bytes of run.log that an earlier run has written */
    double energy_error;    /* of the last row since this process began; NaN: not conserved */
    int is_changed;         /* 1: the caller's function has changed bodies or parameters */
    double energy_time;     /* of the last row since this process began; NaN: none */
    const char *folder;     /* the current folder for files: output, or `begun` */
    char begun[KY_PATH];    /* folder of the first files until they are complete: see folder.h */
    double started;         /* ky_clock at the start or the resumption [s] */
    double restarted;       /* ky_clock when the last restart file was written [s] */
    double looked;          /* ky_clock of the last check of the folder [s] */
    double resume_time;     /* of the last restart file [time]; NaN: there is none */
    uint64_t resume_steps;  /* steps up to that file */
    int restart_is_broken;  /* 1: the run continues from the previous restart file, because
                               restart.kyo is damaged */
    char remark[KY_REMARK]; /* which softening was chosen */
    struct ky_run_universe universe;
    struct ky_run_notes notes;
    struct ky_run_pace pace;
    struct ky_run_watch watch;
    double age; /* age of the bodies' universe at the start [time]; 0: they have no cosmology */
    struct ky_error halted; /* why the integrator stopped before the end; empty: it did not */
    const char *within;     /* why it stops within a longest step, or NULL */
    struct ky_stop stop;    /* the same, and why the run stopped, for the caller */
    ky_log_function *outer_log;
    void *outer_context;
    const volatile int *outer_stop; /* of the caller's parameters; the simulation has none */
};

/* The options of struct ky_run_parameters. */
extern const struct ky_option ky_run_options[];
extern const size_t ky_run_option_count;

/* Chooses the number of ranks, if the caller asks for it (choose_ranks). The remark is for the log,
 * or empty. */
void ky_run_choose_ranks(const struct ky_run_parameters *run, struct ky_parameters *parameters,
                         const struct ky_bodies *bodies, char remark[KY_RANKS_REMARK]);
/* Fills in the defaults of the caller's parameters. KY_USAGE for structs that no _defaults call has
 * filled, and for numbers of the run that are out of range, such as a negative radius. */
enum ky_status ky_run_adopt_parameters(const struct ky_parameters *parameters,
                                       const struct ky_run_parameters *given,
                                       struct ky_parameters *own, struct ky_run_parameters *own_run,
                                       struct ky_error *error);
/* Creates a run with the caller's parameters and defaults, with nothing opened yet. KY_USAGE for
 * structs that no _defaults call has filled, and without an output folder. Free with
 * ky_run_destroy. */
enum ky_status ky_run_create(const struct ky_parameters *parameters,
                             const struct ky_run_parameters *given, struct ky_run **made,
                             struct ky_error *error);
/* Closes the files and the simulation, and frees the run. */
void ky_run_destroy(struct ky_run *run);
/* Replaces the word "bodies" of --expansion by the cosmology of the bodies. If the parameters have
 * an expansion with a cosmological constant and no field for it, adds the field. KY_USAGE if the
 * bodies have no cosmology, and for a field `lambda` that contradicts it. The caller frees
 * universe->field, also after a failure. */
enum ky_status ky_run_settle_universe(struct ky_parameters *parameters,
                                      const struct ky_snapshot *snapshot,
                                      struct ky_run_universe *universe, struct ky_error *error);
/* Writes to note a remark if comoving bodies of this mass have not the mass of the matter in their
 * universe, or "". */
enum ky_status ky_run_check_matter(const struct ky_parameters *parameters, double mass,
                                   char note[KY_NOTE], struct ky_error *error);
/* The age of the bodies' universe [time]; 0: they have no cosmology, or are comoving. */
double ky_run_age(const struct ky_snapshot *snapshot);
/* Lengths and times of the bodies with the softening of the parameters; all 0 if no body has mass
 * or there is no gravity. */
enum ky_status ky_run_scales(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             struct ky_scales *scales, struct ky_error *error);
/* run_bodies.c. Records a remark about coincident bodies with different velocities and without
 * softening. KY_FAULT if memory runs out. */
enum ky_status ky_run_note_coincident(const struct ky_parameters *parameters,
                                      const struct ky_bodies *bodies, char note[KY_NOTE],
                                      struct ky_error *error);
/* After the first forces: records a remark if peculiar accelerations are small compared with the
 * errors of the forces, with the α that would be needed. */
enum ky_status ky_run_note_peculiar(struct ky_run *run, struct ky_error *error);
/* Records a remark about the escapers in the scales. */
void ky_run_note_escapers(const struct ky_run_facts *facts, const struct ky_units *units,
                          char note[KY_NOTE]);
/* Opens run.log and locks it while this process lives. KY_USAGE if another run in the folder has
 * the lock. */
enum ky_status ky_run_lock(struct ky_run *run, struct ky_error *error);
/* A copy of the text, which the caller frees; NULL if memory runs out. */
char *ky_run_copy_text(const char *text);
/* Advances to the next instant at which something is due, and writes it to the current folder. */
enum ky_status ky_run_step(struct ky_run *run, struct ky_error *error);
/* 1 if the caller has asked the run to stop, else 0. */
int ky_run_is_asked_to_stop(const struct ky_run *run);
/* The flag that may stop the run: of the parameters, or of the run; or NULL. */
const volatile int *ky_run_flag(const struct ky_run *run);
/* Runs from the current step to the end. KY_STOPPED if there was a reason to stop earlier. Writes
 * the output that is due, and run.json at the end, also after a failure. */
enum ky_status ky_run_loop(struct ky_run *run, struct ky_error *error);

/* Each of these writes one file, or a row of energy.csv, for the current time. KY_CANNOT_WRITE if
 * the file system fails. On return a snapshot, a restart file or run.json is on the disk. With
 * --restart-every 0 there is no restart file, and energy.csv is on the disk. A row whose energy is
 * not finite is KY_BAD_DATA. */
enum ky_status ky_run_write_snapshot(struct ky_run *run, struct ky_error *error);
int ky_run_writes_restarts(const struct ky_run *run); /* whether the run writes restart files */
enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error);
/* `outcome` is "running", "done", "stopped early" or "failed". `reason` is the cause for the last
 * two, otherwise NULL. */
enum ky_status ky_run_write_json(struct ky_run *run, const char *outcome, const char *reason,
                                 struct ky_error *error);
/* The same for a run that has failed. On a full disk it overwrites the current run.json in place.
 * It never fails. */
void ky_run_write_failure(struct ky_run *run, const char *reason);
enum ky_status ky_run_write_energy(struct ky_run *run, struct ky_error *error);

/* run_progress.c. Restarts the measurement of the pace. */
void ky_run_begin_pace(struct ky_run *run);
/* Fills *progress. */
void ky_run_measure_progress(struct ky_run *run, struct ky_progress *progress);

/* run_view.c, for runs with and without a view. Announces the run to the view; KY_FAULT if memory
 * runs out. */
enum ky_status ky_run_open_view(struct ky_run *run, struct ky_error *error);
/* Between two steps: executes the commands of pages. *waits becomes 1 if the run is paused; then
 * the call has waited, and the run must check for reasons to stop, and call again before its next
 * step. *stops becomes 1 if the run is to stop; then nothing else is done. Fails as writing the
 * files of a requested snapshot. Without a page it reads one number. */
enum ky_status ky_run_attend(struct ky_run *run, int *waits, int *stops, struct ky_error *error);
/* Publishes the last frame, if a page is open. `outcome` as for ky_run_write_json. */
void ky_run_end_view(struct ky_run *run, const char *outcome);
void ky_run_close_view(struct ky_run *run); /* frees the memory of frames */

/* run_core.c. Measures the current core, and adds its radius to the history. */
enum ky_status ky_run_measure_core(struct ky_run *run, const struct ky_bodies *bodies,
                                   double number[KY_CORE_NUMBERS], struct ky_error *error);
/* Fills run->halted if the core has just become small enough for the run to stop. */
enum ky_status ky_run_look_for_collapse(struct ky_run *run, struct ky_error *error);

/* run_escapers.c. 1 if the run looks for escapers; then it has the table escapers.csv. */
int ky_run_finds_escapers(const struct ky_run *run);
extern const char ky_run_escaper_columns[]; /* the first line of the table */
/* Writes a row for each body that has newly escaped. Then removes the body and its energy, or
 * records its id. */
enum ky_status ky_run_look_for_escapers(struct ky_run *run, struct ky_error *error);

/* run_merge.c. The parameters that --collisions asks for: the test of contacts, and with mergers
 * the engine cpu instead of auto. KY_UNSUPPORTED if mergers do not go with the parameters. */
enum ky_status ky_run_settle_collisions(const struct ky_run_parameters *given,
                                        struct ky_parameters *parameters, struct ky_error *error);
/* Gives stars without radii the radii of the main sequence, if --collisions asks for radii.
 * KY_USAGE without physical units. */
enum ky_status ky_run_give_radii(struct ky_run *run, const struct ky_units *units,
                                 struct ky_bodies *bodies, struct ky_error *error);
/* Merges two bodies that touch, the nearest ones first, until there are none. Writes a row for
 * each. The change of the energy is added to the reference energy. */
enum ky_status ky_run_merge_all(struct ky_run *run, struct ky_error *error);
/* The same, but first the two bodies of run->stop, whose distance is the sum of their radii but for
 * rounding. */
enum ky_status ky_run_merge(struct ky_run *run, struct ky_error *error);

/* run_events.c. A row of events.csv: */
struct ky_run_event {
    const char *name;
    int is_of_two;         /* 0: of told.id[0] alone */
    struct ky_merger told; /* before, but new_radius; NaN leaves a cell empty */
    /* With --stellar-evolution also, after the event, mass, type before and after (KY_NO_STAR: no
     * star), and change of velocity: */
    double new_mass;
    int type[2];
    double kick[3];
};
/* Begins the table, if the run has one, or opens it `again`. */
enum ky_status ky_run_open_events(struct ky_run *run, int again, struct ky_error *error);
enum ky_status ky_run_write_event(struct ky_run *run, const struct ky_run_event *event,
                                  struct ky_error *error);

/* run_stars.c: stellar evolution. All do nothing in a run without it. Makes stars of the bodies
 * before the start, and an array of radii, if they have none. KY_USAGE as ky_stars_open. */
enum ky_status ky_run_make_stars(struct ky_run *run, const struct ky_units *units,
                                 struct ky_bodies *bodies, struct ky_error *error);
/* The same checks without bodies, for a plan. */
enum ky_status ky_run_check_stars(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *given,
                                  const struct ky_units *units, struct ky_error *error);
/* Notes pairs of stars that may exchange mass, which no evolution of single stars follows. */
enum ky_status ky_run_note_pairs(struct ky_run *run, const struct ky_bodies *bodies,
                                 struct ky_error *error);
/* Gives the stars of a run that begins their radii. */
enum ky_status ky_run_place_stars(struct ky_run *run, struct ky_error *error);
/* Lets stars evolve to the time of the run, between two steps. Their changes of energy are added to
 * the reference energy. Writes rows of events. */
enum ky_status ky_run_evolve(struct ky_run *run, struct ky_error *error);
/* After a merger: fills the rest of its event, and the radius of the product. */
enum ky_status ky_run_merge_stars(struct ky_run *run, struct ky_run_event *event,
                                  struct ky_error *error);
/* Opens the stars of a restart file. */
enum ky_status ky_run_restore_stars(struct ky_run *run, const struct ky_restart *restart,
                                    struct ky_error *error);

/* run_table.c. `begin` creates the table in the current folder, with the names of its columns;
 * `reopen` opens an existing table and truncates it to `bytes`; KY_BAD_DATA if it is missing or
 * shorter, or would not end with a complete line. KY_CANNOT_WRITE if the file system fails, here
 * and below. */
enum ky_status ky_run_begin_table(struct ky_run *run, struct ky_run_table *table,
                                  struct ky_error *error);
enum ky_status ky_run_reopen_table(struct ky_run *run, struct ky_run_table *table, uint64_t bytes,
                                   struct ky_error *error);
/* Appends complete rows. If another program has truncated the table, a warning says so. */
enum ky_status ky_run_append(struct ky_run *run, struct ky_run_table *table, const char *rows,
                             struct ky_error *error);
/* Writes the table again if somebody has removed or replaced it since it was opened. The other file
 * is kept as NAME.previous. Does nothing if the run lacks the table. */
enum ky_status ky_run_keep_table(struct ky_run *run, struct ky_run_table *table,
                                 struct ky_error *error);
/* The same, and waits until all rows are on the disk. *bytes: its length, 0 without a table. */
enum ky_status ky_run_sync_table(struct ky_run *run, struct ky_run_table *table, uint64_t *bytes,
                                 struct ky_error *error);

/* run_follow.c. Reads a list of ids, "0,17"; NULL means none. KY_USAGE for another text, an id that
 * is given twice, and more than KY_FOLLOW_MOST. */
enum ky_status ky_run_follow(const char *text, struct ky_followed *followed,
                             struct ky_error *error);
/* Copies the positions of the followed bodies. */
void ky_run_find_followed(struct ky_followed *followed, const struct ky_bodies *bodies);
/* The same; KY_USAGE for an id that no body has. */
enum ky_status ky_run_check_followed(struct ky_followed *followed, const struct ky_bodies *bodies,
                                     struct ky_error *error);
/* The list as text; NULL if there is none. */
enum { KY_FOLLOW_TEXT = 21 * KY_FOLLOW_MOST };
const char *ky_run_follow_text(const struct ky_followed *followed, char text[KY_FOLLOW_TEXT]);

/* The state as a section of a restart file, which the caller frees with ky_section_free; and the
 * state from such a file. KY_BAD_DATA if the file lacks a number. */
enum ky_status ky_run_store_state(const struct ky_run_state *state, struct ky_section *section,
                                  struct ky_error *error);
enum ky_status ky_run_restore_state(const struct ky_restart *restart, struct ky_run_state *state,
                                    struct ky_error *error);

/* The hash of the bodies in hexadecimal. */
enum { KY_HASH_TEXT = 17 };
void ky_run_hash_text(const struct ky_run *run, char text[KY_HASH_TEXT]);

/* Seconds that the run has taken, including the time before a resumption. */
double ky_run_wall(const struct ky_run *run);
/* 10⁹ operations per second of ky_run_wall. A pair with acceleration, jerk and potential counts as
 * KY_OPERATIONS, the customary number. */
enum { KY_OPERATIONS = 60 };
double ky_run_gflops(const struct ky_run *run, double pairs);

#endif
