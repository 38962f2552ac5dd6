/* Inside of a run. */
#ifndef KY_SIMULATION_RUN_H
#define KY_SIMULATION_RUN_H

#include <stdio.h>

#include "simulation/energy.h"
#include "simulation/folder.h"
#include "simulation/schedule.h"
#include "simulation/sim.h"

/* What a restart file has to know of the run besides the bodies; stored as it is. */
struct ky_run_state {
    double step;
    uint64_t end, every, energy_every; /* steps: struct ky_schedule */
    uint64_t snapshots;                /* written so far */
    uint64_t energy_bytes;             /* length of energy.csv at the restart */
    double energy, potential;          /* at the start */
    double wall;                       /* seconds up to the restart */
    double seed;                       /* NaN: none */
    uint64_t conserved, compress;
    struct ky_units units;
};

struct ky_run {
    struct ky_parameters parameters; /* with the log that also writes run.log */
    struct ky_run_parameters given;
    struct ky_schedule schedule;
    struct ky_run_state state;
    struct ky_energy_start energy_start;
    struct ky_sim *sim;
    char *text;   /* effective parameters, INI */
    char *origin; /* what the bodies came from, or NULL */
    FILE *log, *energy;
    char energy_path[KY_PATH];
    double started, restarted; /* ky_clock */
    int derived_step;          /* the user gave none */
    double change;             /* last relative change of the energy */
    ky_log_function *outer_log;
    void *outer_context;
};

/* The options of struct ky_run_parameters. */
extern const struct ky_option ky_run_options[];
extern const size_t ky_run_option_count;

/* A pause in the run's life, each on disk when it returns. */
enum ky_status ky_run_write_snapshot(struct ky_run *run, struct ky_error *error);
enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error);
enum ky_status ky_run_write_json(struct ky_run *run, const char *outcome, struct ky_error *error);
enum ky_status ky_run_write_energy(struct ky_run *run, struct ky_error *error);

double ky_run_wall(const struct ky_run *run);

#endif
