/* Collective works on the bodies of a run, each rank with some blocks of them. */
#ifndef KY_SIMULATION_RUN_WORKS_H
#define KY_SIMULATION_RUN_WORKS_H

#include "models/recipe.h"
#include "simulation/run.h"
#include "snapshot/shared_file.h"

/* Finds the bound bodies of an engine that has them in several places, with the potentials that it
 * has. Fails as ky_engine_work does. */
enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error);

/* The hash of the bodies at the start: all arrays but the computed ones, and ids that count the
 * bodies if they have none and `counts` says so. Never 0. *hash is 0 before, or the hash of arrays
 * that come before these in their order. Fails as ky_portion_tell does. */
enum ky_status ky_run_hash(const struct ky_portion *portion, const struct ky_bodies *bodies,
                           int counts, uint64_t *hash, struct ky_error *error);

/* Whether ranks can make or read the bodies of a run, which *initial describes: they divide them,
 * and nothing needs all of them in one place. */
int ky_run_can_make(const struct ky_parameters *parameters, const struct ky_run_parameters *run,
                    const struct ky_snapshot *initial);
/* Opens the simulation run->begun_sim and has its ranks make n bodies. Fails as ky_model_make does,
 * as ky_bodies_check does and where no engine can be opened. KY_FAULT where the bodies and their
 * forces need more memory than this computer has. */
enum ky_status ky_run_make(struct ky_run *run, size_t n, struct ky_run_facts *facts,
                           struct ky_error *error);
/* The same for bodies that they read from run->file; ids that do not count them are added to
 * *bodies. *massless: some have no mass, so that they cannot be divided and have to be read
 * together; no simulation is open then. Fails as ky_snapshot_read_as does, too. */
enum ky_status ky_run_read(struct ky_run *run, struct ky_bodies *bodies, int *massless,
                           struct ky_run_facts *facts, struct ky_error *error);

#endif
