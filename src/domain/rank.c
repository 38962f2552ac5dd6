/* A rank's own engine, which asks the rank for the tree of all and for sums over all. */
#include <stdlib.h>

#include "domain/domain.h"
#include "engine/common/force_kinds.h"

enum ky_status ky_domain_start(struct ky_domain *domain, unsigned schemes, struct ky_error *error)
{
    const struct ky_engine_use use = {.schemes = schemes};
    enum ky_status status =
        ky_engine_open_for(&domain->parameters, 0, &use, &domain->engine, error);
    ky_octree_init(&domain->tree);
    if (status)
        return status;
    domain->shared = (struct ky_shared){.context = domain,
                                        .rank = (size_t)domain->comm->rank,
                                        .ranks = (size_t)domain->comm->size,
                                        .tree = domain->copies ? NULL : ky_domain_tree,
                                        .settle = ky_domain_settle_at,
                                        .add = ky_domain_add,
                                        .gather = ky_domain_gather,
                                        .trade = ky_domain_trade,
                                        .is_process = domain->comm->is_process,
                                        .is_local = domain->comm->local_size == domain->comm->size,
                                        .ask = ky_domain_ask};
    domain->engine->shared = &domain->shared;
    return KY_OK;
}

const char *ky_domain_why_copies(const struct ky_parameters *parameters, unsigned schemes)
{
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    if (!force->in_groups || (force->expands && ky_domain_is_for_devices(parameters->engine)))
        return force->option;
    if (schemes & ~(1U << KY_SCHEME_BLOCK))
        return "the Hermite scheme";
    if (parameters->cell == KY_EDGE)
        return "--cell edge";
    return parameters->curve == KY_CURVE_NONE ? "--curve none" : NULL;
}

enum ky_status ky_domain_check_blocks(const struct ky_parameters *parameters, unsigned schemes,
                                      const char *why, struct ky_error *error)
{
    if (!why || !(schemes >> KY_SCHEME_BLOCK & 1U) || !ky_force_kind(parameters->force)->has_tree ||
        !ky_domain_is_for_devices(parameters->engine))
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "ranks with devices divide the bodies for block steps with a tree, which cannot "
                   "be done here (%s): use --force direct, or run without ranks",
                   why);
}

int ky_domain_divides(const struct ky_parameters *parameters, unsigned schemes)
{
    return parameters->ranks > 1 && !ky_domain_why_copies(parameters, schemes);
}

/* The memory of a rank with a device: of its part of the bodies, a fifth more for places that are
 * empty and for what it gets of the others; or of all bodies, with the results of all and those of
 * its part, which cross by the host. */
static void memory_with_device(const struct ky_domain *domain, size_t n, size_t massless,
                               struct ky_memory *memory)
{
    enum { RESULTS = 4 * sizeof(double) };
    const size_t ranks = (size_t)domain->comm->size, own = n / ranks + 1,
                 there = domain->copies ? n : own + own / 5;
    ky_engine_memory(domain->engine, 0, there, massless, memory);
    if (domain->copies) {
        memory->host += RESULTS * (double)(n + own);
        memory->kept += RESULTS * (double)(n + own);
    }
    memory->host *= domain->comm->local_size;
    memory->kept *= domain->comm->local_size;
}

void ky_domain_memory(const struct ky_domain *domain, size_t n, size_t massless,
                      struct ky_memory *memory)
{
    if (domain->engine->verbs->part) {
        memory_with_device(domain, n, massless, memory);
        return;
    }
    ky_engine_memory(domain->engine, 0, n, massless, memory);
    const struct ky_parameters tree = ky_force_tree(&domain->parameters);
    /* numbers and keys, and a rank's own tree beside the one for its walks */
    const double own = (double)n * sizeof(uint64_t), here = domain->comm->local_size,
                 part = domain->copies ? here : here / domain->comm->size,
                 more = 6 * (double)n * sizeof(double) + ky_octree_memory(&tree, n);
    memory->host = part * (domain->copies ? memory->host : memory->host + own + more);
    memory->kept = part * (domain->copies ? memory->kept : memory->kept + own);
}

void ky_domain_end(struct ky_domain *domain)
{
    ky_engine_close(domain->engine);
    domain->engine = NULL;
    ky_octree_free(&domain->tree);
    domain->tree_stands = 0;
    ky_domain_free_space(domain);
    free(domain->field);
    domain->field = NULL;
    domain->parameters.field = NULL;
    domain->fields = 0;
    domain->columns = 0;
    ky_bodies_free(&domain->made);
    free(domain->index);
    domain->index = NULL;
    domain->room = 0;
}
