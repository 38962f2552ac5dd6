/* The universe that the bodies of a run bring, as those of the model cosmic do. */
#include <string.h>

#include "simulation/run.h"
#include "snapshot/space.h"

/* Whether the snapshot tells with which universe its bodies expand. */
static int brings_universe(const struct ky_snapshot *snapshot)
{
    return ky_space_tells_universe(&snapshot->space) && snapshot->units.length_cm > 0;
}

double ky_run_age(const struct ky_snapshot *snapshot)
{
    return brings_universe(snapshot) ? snapshot->time : 0;
}

enum ky_status ky_run_expansion(struct ky_parameters *parameters,
                                const struct ky_snapshot *snapshot, char text[KY_EXPANSION_TEXT],
                                struct ky_error *error)
{
    const struct ky_space *space = &snapshot->space;
    if (!parameters->expansion || strcmp(parameters->expansion, "bodies") != 0)
        return KY_OK;
    if (!brings_universe(snapshot))
        return ky_fail(error, KY_USAGE,
                       "--expansion bodies: the input does not state H0 and the densities of its "
                       "universe, or has no units; give omega-m=…,omega-lambda=…,h0=…");
    const struct ky_expansion told = {space->omega_matter, space->omega_lambda,
                                      ky_space_hubble(space, &snapshot->units)};
    ky_expansion_write(&told, text);
    parameters->expansion = text;
    return KY_OK;
}
