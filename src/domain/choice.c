/* Decides whether several devices of one process become ranks, or only the first device is used. */
#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/device_list.h"
#include "engine/common/external.h"
#include "engine/common/force_kinds.h"
#include "engine/force_choice.h"

/* Number of bodies from which two devices are faster than one (docs/lab/2026-11-26-ranks.md).
 * Trees, steps that all bodies share: measured with 1,048,576 and 4,194,304 bodies. Trees, block
 * steps: measured with 4 and 16 million; the crossover is near 5 million. Exact sums of all bodies:
 * measured with 65,536; of a block: with 131,072. */
size_t ky_domain_ranks_from[2][2] = {{4000000, 8000000}, {65536, 131072}};

/* Why ranks with devices cannot take these bodies; NULL: they can. */
static const char *why_not(const struct ky_parameters *parameters, unsigned schemes,
                           const struct ky_bodies *bodies)
{
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    if (parameters->mutual)
        return "--mutual";
    if (schemes >> KY_SCHEME_GROUPS & 1U)
        return "the insides of groups"; /* each would advance all of them, with fewer threads */
    if (force->is_exact)
        return schemes >> KY_SCHEME_HERMITE & 1U && ky_has_field_function(parameters)
                   ? "a field function with hermite4"
                   : NULL;
    if (parameters->tree == KY_TREE_OF_HOST && force->in_groups)
        return "--tree host";
    return ky_domain_why_copies_of(parameters, schemes, bodies);
}

/* The parameters with the force that is chosen for this number of bodies; the choice of ranks
 * depends on the force. */
static enum ky_status find_force(const struct ky_parameters *parameters, size_t n,
                                 struct ky_parameters *own)
{
    *own = *parameters;
    if (own->force != KY_FORCE_AUTO && isnan(own->error))
        return KY_OK;
    return ky_force_choose(own, n, 0, NULL);
}

/* The number of devices that the parameters name; 0 if they name one, or if there are ranks. */
static size_t devices_of(const struct ky_parameters *parameters)
{
    size_t devices;
    return parameters->ranks != 1 || !ky_domain_is_for_devices(parameters->engine) ||
                   ky_device_list_once(parameters->engine, &devices, NULL) || devices < 2
               ? 0
               : devices;
}

void ky_domain_take_first(const struct ky_parameters *parameters, const char *why,
                          char remark[KY_RANKS_REMARK])
{
    const size_t devices = devices_of(parameters);
    *remark = '\0';
    if (devices)
        snprintf(remark, KY_RANKS_REMARK, "only the first of the %zu devices: %.140s", devices,
                 why);
}

void ky_domain_choose_ranks(struct ky_parameters *parameters, unsigned schemes,
                            const struct ky_bodies *bodies, char remark[KY_RANKS_REMARK])
{
    const size_t devices = devices_of(parameters);
    struct ky_parameters own;
    char why[120];
    *remark = '\0';
    if (!devices || find_force(parameters, bodies->n, &own))
        return;
    const char *not_shared = why_not(&own, schemes, bodies);
    const size_t least = ky_domain_ranks_from[ky_force_kind(own.force)->is_exact][schemes != 0];
    if (!not_shared && bodies->n >= least) {
        parameters->ranks = (int)devices;
        snprintf(remark, KY_RANKS_REMARK, "%zu ranks, one for each device", devices);
        return;
    }
    if (not_shared)
        snprintf(why, sizeof why, "ranks do not share %.80s", not_shared);
    else
        snprintf(why, sizeof why, "it is faster than several below %zu bodies", least);
    ky_domain_take_first(parameters, why, remark);
}

enum ky_status ky_domain_open_chosen(struct ky_parameters *parameters, const char *why,
                                     const struct ky_bodies *bodies, struct ky_engine **engine,
                                     struct ky_error *error)
{
    const struct ky_engine_use use = {.n = bodies->n};
    const size_t room = bodies->position ? bodies->n : 0;
    char remark[KY_RANKS_REMARK];
    if (why)
        ky_domain_take_first(parameters, why, remark);
    else
        ky_domain_choose_ranks(parameters, 0, bodies, remark);
    const int is_chosen = parameters->ranks > 1 && *remark;
    const enum ky_status status = is_chosen
                                      ? ky_domain_open(parameters, room, &use, engine, error)
                                      : ky_engine_open_for(parameters, room, &use, engine, error);
    if (!status && *remark) /* the devices are there */
        ky_log(parameters, KY_LOG_INFO, "%s", remark);
    return status;
}
