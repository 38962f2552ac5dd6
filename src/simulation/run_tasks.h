/* Collective tasks on the bodies of a run; each rank has some blocks of the bodies. */
#ifndef KY_SIMULATION_RUN_TASKS_H
#define KY_SIMULATION_RUN_TASKS_H

#include "simulation/run.h"
#include "simulation/source.h"
#include "snapshot/pieces.h"

/* Finds the bound bodies of an engine on several ranks, with the potentials that it has. Fails as
 * ky_engine_task. */
enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error);

/* The hash of the bodies at the start: all arrays except computed ones, and ids that count the
 * bodies if they have none and `counts` is set. Never 0. *hash is 0 before the call, or the hash of
 * arrays that precede these. Fails as ky_portion_add_up. */
enum ky_status ky_run_hash(const struct ky_portion *portion, const struct ky_bodies *bodies,
                           int counts, uint64_t *hash, struct ky_error *error);

/* 1 if ranks can take the bodies of a run from a source, which *initial describes: they divide the
 * bodies, and nothing needs all of them in one process. */
int ky_run_can_divide(const struct ky_run *run, const struct ky_snapshot *initial);
/* Opens the simulation run->sim and lets its ranks take bodies->n bodies from run->from; ids that
 * do not count them are added to *bodies. Comoving bodies get the momenta a² dx/dt, with a =
 * `time`. If facts->massless is not 0 ranks cannot take the bodies, and no simulation is open.
 * Fails as ky_source_take, as ky_bodies_check and if no engine can be opened. KY_FAULT if the
 * bodies and their forces need more memory than this computer has. */
enum ky_status ky_run_take(struct ky_run *run, double time, struct ky_bodies *bodies,
                           struct ky_run_facts *facts, struct ky_error *error);
/* Lets the ranks of an engine read the pieces of a restart file. *has_forces: 0 if some of the
 * bodies have no forces yet. *has_massless: 1 if some have no mass. Fails as ky_pieces_read. */
enum ky_status ky_run_resume_pieces(struct ky_engine *engine, const struct ky_pieces *pieces,
                                    int *has_forces, int *has_massless, struct ky_error *error);

#endif
