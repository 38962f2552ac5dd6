/* The engine of searches among the bodies of a simulation. */
#include "analysis/walker.h"
#include "base/bodies.h"
#include "simulation/sim.h"

struct ky_parameters ky_sim_search_parameters(const struct ky_sim *sim)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.isa = sim->parameters.isa;
    parameters.threads = sim->parameters.threads;
    parameters.box = sim->parameters.box;
    return parameters;
}

enum ky_status ky_sim_walker(struct ky_sim *sim, struct ky_walker *walker, struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    *walker = ky_walker_on(sim->engine, &sim->parameters, sim->parameters.stop);
    if (!(sim->parameters.box > 0) || sim->engine->verbs->box_walks)
        return KY_OK;
    struct ky_parameters parameters = ky_sim_search_parameters(sim);
    parameters.stop = sim->parameters.stop;
    enum ky_status status =
        ky_bodies_allocate_by(sim->parameters.threads, &bodies, sim->n, 0, error);
    if (!status)
        status = ky_engine_get(sim->engine, &bodies, error);
    if (!status)
        status = ky_walker_open(&parameters, &bodies, NULL, walker, error);
    ky_bodies_free(&bodies);
    return status;
}
