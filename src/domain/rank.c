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
    if (parameters->force != KY_TREE)
        return ky_force_kind(parameters->force)->option;
    if (schemes & ~(1U << KY_SCHEME_BLOCK))
        return "the Hermite scheme";
    if (parameters->cell == KY_EDGE)
        return "--cell edge";
    return parameters->curve == KY_CURVE_NONE ? "--curve none" : NULL;
}

int ky_domain_divides(const struct ky_parameters *parameters, unsigned schemes)
{
    return parameters->ranks > 1 && !ky_domain_why_copies(parameters, schemes);
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
    free(domain->index);
    domain->index = NULL;
    domain->room = 0;
}
