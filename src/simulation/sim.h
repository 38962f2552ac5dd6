/* Inside of ky_sim: what the run and the restart file need beyond the public calls. */
#ifndef KY_SIMULATION_SIM_H
#define KY_SIMULATION_SIM_H

#include "engine/engine.h"
#include "snapshot/restart.h"

struct ky_sim {
    struct ky_parameters parameters; /* resolved; owns the engine's name */
    char *engine_name;
    struct ky_engine *engine;
    size_t n;
    double start; /* time of step 0 */
    uint64_t steps;
    unsigned with; /* which optional arrays the bodies came with: KY_WITH_ID … */
    uint64_t *id;  /* kept here: no engine needs them */
    uint8_t *type;
};

/* Writes the simulation and the caller's own sections to a restart file. */
enum ky_status ky_sim_write_restart(struct ky_sim *sim, const char *path,
                                    const struct ky_section *extra, size_t extras,
                                    struct ky_error *error);
/* A simulation from a restart that has been read, with its step and clock. */
enum ky_status ky_sim_from_restart(const struct ky_restart *restart,
                                   const struct ky_parameters *parameters, struct ky_sim **sim,
                                   struct ky_error *error);

#endif
