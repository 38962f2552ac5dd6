/* Inside of a run. */
#ifndef KY_SIMULATION_RUN_H
#define KY_SIMULATION_RUN_H

#include <stdio.h>

#include "simulation/energy.h"
#include "simulation/folder.h"
#include "simulation/schedule.h"
#include "simulation/sim.h"
#include "snapshot/fields.h"

/* What a restart file has to know of the run besides the bodies: run_state.c. */
struct ky_run_state {
    double tick;
    struct ky_moment end;
    uint64_t stride, shorten, every, energy_every; /* ticks: struct ky_schedule */
    uint64_t snapshots;                            /* written so far */
    uint64_t energy_bytes;                         /* length of energy.csv at the restart */
    double energy, potential;                      /* at the start */
    double wall;                                   /* seconds up to the restart */
    uint64_t conserved, compress;
    uint64_t seed, has_seed; /* of the model that the bodies were made by */
    struct ky_units units;
};

struct ky_run {
    struct ky_parameters parameters; /* with the log that also writes run.log */
    struct ky_run_parameters given;
    struct ky_schedule schedule;
    struct ky_run_state state;
    struct ky_energy_start energy_start;
    struct ky_sim *sim;
    char *text;    /* effective parameters, INI */
    char *texts;   /* a resumed run: the texts that its parameters point into */
    char *origin;  /* what the bodies came from, or NULL */
    char *source;  /* the same as options: struct ky_run_parameters; or NULL */
    uint64_t hash; /* of the bodies at the start; 0: not known */
    FILE *log, *energy;
    long log_before;                   /* bytes of run.log that an earlier run has written */
    const char *folder;                /* where files are written now: output, or `begun` */
    char begun[KY_PATH];               /* the first files, until they are complete: see folder.h */
    double started, restarted, looked; /* ky_clock: the run, the last restart file, look_around */
    double change;                     /* last relative change of the energy */
    double resume_time;                /* of the last restart file; NaN: there is none */
    uint64_t resume_steps;
    char remark[KY_REMARK]; /* which softening was chosen */
    ky_log_function *outer_log;
    void *outer_context;
};

/* The options of struct ky_run_parameters. */
extern const struct ky_option ky_run_options[];
extern const size_t ky_run_option_count;

enum ky_status ky_run_create(const struct ky_parameters *parameters,
                             const struct ky_run_parameters *given, struct ky_run **made,
                             struct ky_error *error);
void ky_run_destroy(struct ky_run *run);
/* Lengths and times of the bodies with the softening of the parameters; all 0 where no body has
 * mass or there is no gravity. */
enum ky_status ky_run_scales(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             struct ky_scales *scales, struct ky_error *error);
/* Opens run.log and locks it while this process lives: one run at a time in a folder. */
enum ky_status ky_run_lock(struct ky_run *run, struct ky_error *error);
/* energy.csv, in the present folder. */
enum ky_status ky_run_open_energy(struct ky_run *run, const char *mode, struct ky_error *error);
/* Writes energy.csv again if it was removed or replaced since it was opened; what replaced it is
 * kept as energy.csv.previous. */
enum ky_status ky_run_keep_energy(struct ky_run *run, struct ky_error *error);
char *ky_run_copy_text(const char *text); /* NULL when memory is out; free() */
/* From the present step to the end, or to a reason to stop. */
enum ky_status ky_run_loop(struct ky_run *run, struct ky_error *error);

/* A pause in the run's life, each on disk when it returns. */
enum ky_status ky_run_write_snapshot(struct ky_run *run, struct ky_error *error);
enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error);
/* `outcome`: "running", "done", "stopped early", "failed"; `reason`: of the last two, or NULL. */
enum ky_status ky_run_write_json(struct ky_run *run, const char *outcome, const char *reason,
                                 struct ky_error *error);
/* The same for a run that has failed: tries harder, and has no failure of its own. */
void ky_run_write_failure(struct ky_run *run, const char *reason);
enum ky_status ky_run_write_energy(struct ky_run *run, struct ky_error *error);

/* A section of a restart file, to be freed by ky_fields_free, and back. */
enum ky_status ky_run_store_state(const struct ky_run_state *state, struct ky_section *section,
                                  struct ky_error *error);
enum ky_status ky_run_restore_state(const struct ky_restart *restart, struct ky_run_state *state,
                                    struct ky_error *error);

/* The hash of the bodies in hexadecimal. */
enum { KY_HASH_TEXT = 17 };
void ky_run_hash_text(const struct ky_run *run, char text[KY_HASH_TEXT]);

double ky_run_wall(const struct ky_run *run);

#endif
