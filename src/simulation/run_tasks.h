/* Collective tasks on the bodies of a run; each rank has some blocks of the bodies. */
#ifndef KY_SIMULATION_RUN_TASKS_H
#define KY_SIMULATION_RUN_TASKS_H

#include "models/recipe.h"
#include "simulation/run.h"
#include "snapshot/shared_file.h"

/* Finds the bound bodies of an engine on several ranks, with the potentials that it has. Fails as
 * ky_engine_task. */
enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error);

/* The hash of the bodies at the start: all arrays except computed ones, and ids that count the
 * bodies if they have none and `counts` is set. Never 0. *hash is 0 before the call, or the hash of
 * arrays that precede these. Fails as ky_portion_add_up. */
enum ky_status ky_run_hash(const struct ky_portion *portion, const struct ky_bodies *bodies,
                           int counts, uint64_t *hash, struct ky_error *error);

/* 1 if ranks can make or read the bodies of a run, which *initial describes: they divide the
 * bodies, and nothing needs all of them in one process. */
int ky_run_can_make(const struct ky_parameters *parameters, const struct ky_run_parameters *run,
                    const struct ky_snapshot *initial);
/* Opens the simulation run->begun_sim and lets its ranks make n bodies. Fails as ky_model_make, as
 * ky_bodies_check and if no engine can be opened. KY_FAULT if the bodies and their forces need more
 * memory than this computer has. */
enum ky_status ky_run_make(struct ky_run *run, size_t n, struct ky_run_facts *facts,
                           struct ky_error *error);
/* The same for bodies that ranks read from run->file; ids that do not count them are added to
 * *bodies. *massless: some have no mass, so that they cannot be divided and have to be read
 * together; no simulation is open then. Also fails as ky_snapshot_read_as. */
enum ky_status ky_run_read(struct ky_run *run, struct ky_bodies *bodies, int *massless,
                           struct ky_run_facts *facts, struct ky_error *error);

#endif
