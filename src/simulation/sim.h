/* Inside of ky_sim: what the run and the restart file need beyond the public calls. */
#ifndef KY_SIMULATION_SIM_H
#define KY_SIMULATION_SIM_H

#include "integrate/integrate.h"
#include "simulation/timeline.h"
#include "snapshot/restart.h"

struct ky_sim {
    struct ky_parameters parameters; /* resolved; owns the engine's name */
    char *engine_name;
    struct ky_engine *engine;
    size_t n;
    struct ky_integrator_state *integrator;
    struct ky_timeline line;
    struct ky_moment now;
    int in_run;            /* a run decides on time: see ky_sim_advance */
    uint64_t steps_before; /* made before the integrator was created */
    unsigned with;         /* which optional arrays the bodies came with: KY_WITH_ID … */
    uint64_t *id;          /* kept here: no engine needs them */
    uint8_t *type;
};

/* A simulation whose bodies are on the engine, without forces unless the bodies brought them. */
enum ky_status ky_sim_create(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             double time, struct ky_sim **sim, struct ky_error *error);
/* Copies ids and types in place of those of before, and notes what else the bodies bring. */
enum ky_status ky_sim_keep_labels(struct ky_sim *sim, const struct ky_bodies *bodies,
                                  struct ky_error *error);

/* ky_sim_open without the first forces, so that the caller can free its bodies before the engine
 * needs more memory for them. The bodies have been checked. */
enum ky_status ky_sim_place(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                            double time, struct ky_sim **sim, struct ky_error *error);
enum ky_status ky_sim_first_forces(struct ky_sim *sim, struct ky_error *error);

/* KY_USAGE within a run. */
enum ky_status ky_sim_check_time(const struct ky_sim *sim, struct ky_error *error);
/* Goes on to a moment that is not before the present one. A part of a step needs an integrator that
 * can divide its steps, else KY_UNSUPPORTED. */
enum ky_status ky_sim_go_to(struct ky_sim *sim, struct ky_moment moment, struct ky_error *error);

/* Writes the simulation and the caller's own sections to a restart file. */
enum ky_status ky_sim_write_restart(struct ky_sim *sim, const char *path,
                                    const struct ky_section *extra, size_t extras,
                                    struct ky_error *error);
/* The parameters as INI text: allocated, free(). */
enum ky_status ky_sim_parameters_text(const struct ky_parameters *parameters, char **text,
                                      struct ky_error *error);
/* The parameters of a restart file; processor and log are those of `wanted`, where that names them.
 * They point into *text, which is allocated: free(). */
enum ky_status ky_sim_restore_parameters(const struct ky_restart *restart,
                                         const struct ky_parameters *wanted,
                                         struct ky_parameters *parameters, char **text,
                                         struct ky_error *error);
/* A simulation from a restart that has been read, with its step and clock. */
enum ky_status ky_sim_from_restart(const struct ky_restart *restart,
                                   const struct ky_parameters *parameters, struct ky_sim **sim,
                                   struct ky_error *error);

#endif
