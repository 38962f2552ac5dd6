/* Whether several devices of one process become ranks: for block steps they have to. */
#include "base/text.h"
#include "domain/domain.h"
#include "engine/common/device_list.h"
#include "engine/common/external.h"

/* Bodies from which on a step takes less time with a rank for each device than with devices that
 * all make the whole tree and share the walk: two H100 took 27.8 and 28.6 ms for 16,777,216 bodies,
 * and 8.7 and 7.8 ms for 4,194,304 (docs/performance.md). */
enum { FROM = 16000000 };

/* 1 if devices can divide these bodies; the reason why not is no matter here. */
static int divides(const struct ky_parameters *parameters, unsigned schemes,
                   const struct ky_bodies *bodies)
{
    if (parameters->mutual || parameters->tree == KY_TREE_OF_HOST ||
        ky_has_field_function(parameters) || ky_domain_why_copies(parameters, schemes) ||
        bodies->softening)
        return 0;
    for (size_t i = 0; bodies->mass && i < bodies->n; i++)
        if (!(bodies->mass[i] > 0))
            return 0;
    return 1;
}

void ky_domain_choose_ranks(struct ky_parameters *parameters, unsigned schemes,
                            const struct ky_bodies *bodies)
{
    size_t devices;
    if (parameters->ranks != 1 || !ky_domain_is_for_devices(parameters->engine) ||
        ky_device_list(parameters->engine, &devices, NULL) || devices < 2 ||
        !divides(parameters, schemes, bodies))
        return;
    if (!schemes && bodies->n < FROM) {
        ky_log(parameters, KY_LOG_INFO,
               "the %zu devices share the walk, and each has all bodies: ranks (--ranks %zu) are "
               "faster from %d bodies on",
               devices, devices, (int)FROM);
        return;
    }
    parameters->ranks = (int)devices;
    if (schemes) {
        ky_log(parameters, KY_LOG_INFO,
               "%zu ranks, one for each device: block steps on several devices need them", devices);
        return;
    }
    ky_log(parameters, KY_LOG_INFO,
           "%zu ranks, one for each device, which is faster from %d bodies on; with --ranks 1 each "
           "device has all bodies",
           devices, (int)FROM);
}
