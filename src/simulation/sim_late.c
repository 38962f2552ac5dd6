/* Checks whether a simulation can continue, and whether its forces belong to the current bodies:
 * changes may leave the forces out of date until a call needs them. */
#include "simulation/sim.h"

#include "base/status.h"

enum ky_status ky_sim_check_open(const struct ky_sim *sim, struct ky_error *error)
{
    if (!sim)
        return ky_fail(error, KY_USAGE, "sim is NULL");
    return sim->has_failed
               ? ky_fail(error, KY_USAGE, "the simulation has failed before and can only be closed")
               : KY_OK;
}

int ky_sim_is_within(const struct ky_sim *sim)
{
    return sim->integrator && (sim->integrator->within > 0 || sim->parted.parts > 0);
}

enum ky_status ky_sim_check_alive(const struct ky_sim *sim, struct ky_error *error)
{
    const enum ky_status status = ky_sim_check_open(sim, error);
    if (status || !ky_sim_is_within(sim))
        return status;
    return ky_fail(error, KY_USAGE,
                   "the last call was stopped within a longest step, and the bodies are at "
                   "different times: advance to the end of that step first");
}

enum ky_status ky_sim_catch_up(struct ky_sim *sim, struct ky_error *error)
{
    if (!sim->is_late)
        return KY_OK;
    enum ky_status status = ky_engine_forces(sim->engine, error);
    sim->is_late = status != KY_OK;
    sim->has_failed |= status != KY_OK;
    return status;
}

enum ky_status ky_sim_changed(struct ky_sim *sim, struct ky_error *error)
{
    sim->is_late = sim->has_changed = 1;
    sim->layzer.a = 0; /* the energy of other bodies: the sum goes on from there */
    return sim->is_changing ? KY_OK : ky_sim_catch_up(sim, error);
}

enum ky_status ky_sim_change_begin(struct ky_sim *sim, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    if (sim->is_changing)
        return ky_fail(error, KY_USAGE, "changes have already begun; end them first");
    sim->is_changing = 1;
    return KY_OK;
}

enum ky_status ky_sim_change_end(struct ky_sim *sim, int now, struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    if (!sim->is_changing)
        return ky_fail(error, KY_USAGE, "no changes have begun: ky_sim_change_begin begins them");
    sim->is_changing = 0;
    return now ? ky_sim_catch_up(sim, error) : KY_OK;
}
