/* The curve of a rank whose bodies lie on a card: see curve.h. The numbers of the bodies are read
 * when they are needed, since their order on the card changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/split.h"
#include "domain/curve.h"
#include "engine/common/device_list.h"
#include "octree/work.h"

static const struct ky_part_verbs *verbs_of(const struct ky_domain *domain)
{
    return domain->engine->verbs->part;
}

/* ---- which card ---- */

int ky_domain_is_for_devices(const char *engine)
{
    return strcmp(engine, "cpu") != 0 && strcmp(engine, "auto") != 0;
}

enum ky_status ky_domain_choose_engine(struct ky_domain *domain, const char *engine,
                                       struct ky_error *error)
{
    char all[KY_ENGINE_NAME] = "";
    struct ky_comm *comm = domain->comm;
    size_t listed = 0;
    if (engine)
        snprintf(all, sizeof all, "%s", engine);
    enum ky_status status = ky_comm_broadcast(comm, all, sizeof all, error);
    const int is_device = ky_domain_is_for_devices(all);
    if (!status && is_device)
        status = ky_device_list_once(all, &listed, error);
    const int kind = (int)strcspn(all, ":"), rank = comm->local_rank;
    const int devices = is_device && !listed ? (int)ky_engine_devices(all) : 0;
    if (listed)
        snprintf(domain->processor, sizeof domain->processor, "%.*s:%llu", kind, all,
                 (unsigned long long)ky_device_listed(all, (size_t)rank % listed));
    else if (devices)
        snprintf(domain->processor, sizeof domain->processor, "%.64s:%d", all, rank % devices);
    else
        snprintf(domain->processor, sizeof domain->processor, "%s", is_device ? all : "cpu");
    return status;
}

/* ---- the curve ---- */

static enum ky_status look(struct ky_ranging *curve, struct ky_curve_told *own,
                           struct ky_curve_told *told, struct ky_curve_sampled *sample,
                           struct ky_error *error)
{
    const struct ky_domain *domain = curve->domain;
    const size_t samples = ky_frame_sample(domain->total).samples;
    double *of = ky_allocate(3 * samples, sizeof *of);
    (void)told;
    if (!of)
        return ky_no_memory(error, "a sample of bodies", samples, 3 * sizeof *of);
    const struct ky_part_look wanted = {domain->total, samples, own->low, own->high, of};
    const enum ky_status status = verbs_of(domain)->look(domain->engine, &wanted, error);
    own->sampled = 0;
    own->lost = UINT64_MAX;
    for (size_t k = 0; k < samples && !status; k++)
        if (!isnan(of[k]))
            sample[own->sampled++] =
                (struct ky_curve_sampled){k, {of[k], of[samples + k], of[2 * samples + k]}};
    free(of);
    return status;
}

/* The same origin that a card with all bodies chooses (kernels/tree/keys.k). */
static double origin(const struct ky_ranging *curve, double *of_cube, size_t cubes,
                     double *of_origin, size_t origins)
{
    const int whole = curve->domain->parameters.precision == KY_DOUBLE;
    (void)of_origin;
    (void)origins;
    return whole || cubes == 0 ? 0 : ky_high_part(ky_select(of_cube, cubes, cubes / 2));
}

static enum ky_status keys(struct ky_ranging *curve, struct ky_probe own[KY_PROBES],
                           struct ky_error *error)
{
    const struct ky_domain *domain = curve->domain;
    const size_t count = ky_probe_count(curve->n);
    double work = domain->work > 0 ? domain->work : (double)curve->n;
    uint64_t probe[KY_PROBES];
    const struct ky_part_keys wanted = {domain->low, domain->origin, domain->edge,
                                        probe,       count,          &work};
    const enum ky_status status = verbs_of(domain)->keys(domain->engine, &wanted, error);
    for (size_t k = 0; k < count && !status; k++)
        own[k] = (struct ky_probe){probe[k], work / (double)count};
    return status;
}

static enum ky_status count(struct ky_ranging *curve, const uint64_t *at, size_t ends,
                            uint64_t *in_cubes, struct ky_error *error)
{
    struct ky_engine *engine = curve->domain->engine;
    const enum ky_status status = verbs_of(curve->domain)->count(engine, at, ends, in_cubes, error);
    for (size_t e = 0; e < ends && !status; e++)
        for (size_t level = KY_CURVE_LEVELS - 1; level-- > 0;)
            in_cubes[e * KY_CURVE_LEVELS + level] += in_cubes[e * KY_CURVE_LEVELS + level + 1];
    return status;
}

static enum ky_status leave(struct ky_ranging *curve, struct ky_movers *movers,
                            struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const struct ky_part_leavers wanted = {curve->begin, (size_t)domain->comm->size,
                                           (size_t)domain->comm->rank, movers->leaving,
                                           &movers->left};
    const enum ky_status status = verbs_of(domain)->leavers(domain->engine, &wanted, error);
    for (size_t r = 0; r < wanted.ranks && !status; r++)
        movers->all_leaving += movers->leaving[r];
    domain->told.moved += movers->all_leaving;
    return status;
}

static enum ky_status move(const struct ky_ranging *curve, const struct ky_movers *movers,
                           struct ky_error *error)
{
    const struct ky_part_move wanted = {movers->leaving, movers->coming, movers->all_leaving,
                                        movers->all_coming};
    return ky_engine_move(curve->domain->engine, &wanted, error);
}

const struct ky_curve_verbs ky_curve_of_card = {.look = look,
                                                .origin = origin,
                                                .keys = keys,
                                                .count = count,
                                                .leave = leave,
                                                .move = move,
                                                .levels = 1};
