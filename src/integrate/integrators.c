/* The table of integrators. */
#include "integrate/integrate.h"

const struct ky_integrator_verbs *ky_integrator_get(enum ky_integrator integrator)
{
    static const struct ky_integrator_verbs *const integrators[] = {
        [KY_LEAPFROG] = &ky_leapfrog,
    };
    return integrators[integrator];
}
