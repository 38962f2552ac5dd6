/* Whether several devices of one process become ranks: for block steps they have to. */
#include <math.h>
#include <stdio.h>

#include "domain/domain.h"
#include "engine/common/device_list.h"
#include "engine/common/external.h"
#include "engine/common/force_kinds.h"
#include "engine/force_choice.h"

/* Bodies from which on a step takes less time with a rank for each device than with devices that
 * all make the whole tree and share the walk. For 16,777,216 bodies it was 26.7 and 28.6 ms with
 * `tree` on two H100, 22.0 and 22.5 ms with `fmm` on two H200; for 4,194,304 it was 8.7 and 7.8 ms,
 * 7.8 and 7.2 ms (docs/lab/2026-11-26-ranks.md). */
enum { FROM = 16000000 };

/* 1 if ranks with devices can share the work on these bodies, as far as is known before the run:
 * with a tree they divide them, and for block steps with the exact sum each has them all. The
 * reason why not is no matter here. */
static int can_share(const struct ky_parameters *parameters, unsigned schemes,
                     const struct ky_bodies *bodies)
{
    if (parameters->mutual || ky_has_field_function(parameters))
        return 0;
    if (ky_force_kind(parameters->force)->is_exact)
        return schemes >> KY_SCHEME_BLOCK & 1U;
    return parameters->tree != KY_TREE_OF_HOST &&
           !ky_domain_why_copies_of(parameters, schemes, bodies);
}

/* The parameters with the force that they will get for so many bodies: the choice of ranks depends
 * on it. Block steps have a rank for each device, which the choice of the force depends on. */
static enum ky_status find_force(const struct ky_parameters *parameters, unsigned schemes, size_t n,
                                 size_t devices, struct ky_parameters *own)
{
    *own = *parameters;
    if (own->force != KY_FORCE_AUTO && isnan(own->error))
        return KY_OK;
    if (schemes >> KY_SCHEME_BLOCK & 1U)
        own->ranks = (int)devices;
    return ky_force_choose(own, n, 0, schemes, NULL);
}

void ky_domain_choose_ranks(struct ky_parameters *parameters, unsigned schemes,
                            const struct ky_bodies *bodies, char remark[KY_RANKS_REMARK])
{
    size_t devices;
    struct ky_parameters own;
    *remark = '\0';
    if (parameters->ranks != 1 || !ky_domain_is_for_devices(parameters->engine) ||
        ky_device_list_once(parameters->engine, &devices, NULL) || devices < 2 ||
        find_force(parameters, schemes, bodies->n, devices, &own))
        return;
    if (!can_share(&own, schemes, bodies))
        return;
    if (!schemes && bodies->n < FROM) {
        snprintf(remark, KY_RANKS_REMARK,
                 "the %zu devices share the walk, and each has all bodies: ranks (--ranks %zu) are "
                 "faster from %d bodies on",
                 devices, devices, (int)FROM);
        return;
    }
    parameters->ranks = (int)devices;
    if (schemes)
        snprintf(remark, KY_RANKS_REMARK,
                 "%zu ranks, one for each device: block steps on several devices need them",
                 devices);
    else
        snprintf(remark, KY_RANKS_REMARK,
                 "%zu ranks, one for each device, which is faster from %d bodies on; with --ranks "
                 "1 each device has all bodies",
                 devices, (int)FROM);
}
