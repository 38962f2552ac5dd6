/* The devices for systems of few bodies, by name. */
#include "engine/few.h"

#include <string.h>

#include "base/drivers.h"
#include "engine/engine.h"

/* The last row ends the table, also where a build has no driver. */
#define VERBS(name) &ky_##name##_few,
static const struct ky_few_verbs *const devices[] = {KY_DRIVERS_HERE(VERBS) NULL};

enum ky_status ky_few_device_open(const struct ky_parameters *parameters,
                                  struct ky_few_device **device, struct ky_error *error)
{
    const char *name = parameters->engine;
    *device = NULL;
    if (!name || !strcmp(name, "auto") || !strcmp(name, "cpu"))
        return KY_OK;
    for (int k = 0; devices[k]; k++)
        if (ky_engine_is_named(name, devices[k]->name))
            return devices[k]->open(parameters, device, error);
    return ky_engine_not_here(name, error);
}
