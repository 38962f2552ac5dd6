/* Leap-frog in kick-drift-kick form with one step for all bodies (F09, equations 1 to 3): second
 * order, symplectic and reversible. The two half kicks between steps are not joined, so that a run
 * gives the same bits however it is cut into calls. */
#include "integrate/integrate.h"

static enum ky_status advance(struct ky_engine *engine, double step, uint64_t steps,
                              struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (uint64_t k = 0; k < steps && !status; k++) {
        status = ky_engine_kick(engine, 0.5 * step, error);
        if (!status)
            status = ky_engine_drift(engine, step, error);
        if (!status)
            status = ky_engine_forces(engine, error);
        if (!status)
            status = ky_engine_kick(engine, 0.5 * step, error);
    }
    return status;
}

const struct ky_integrator_verbs ky_leapfrog = {"leapfrog", advance};
