/* What ranks do together with the bodies of a run, each with some blocks of them. */
#ifndef KY_SIMULATION_RUN_WORKS_H
#define KY_SIMULATION_RUN_WORKS_H

#include "analysis/analysis.h"
#include "engine/engine.h"

/* Finds the bound bodies of an engine that has them in several places, with the potentials that it
 * has. Fails as ky_engine_work does. */
enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error);

#endif
