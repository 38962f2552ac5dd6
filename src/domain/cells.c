/* The sinks of a rank where cells act on cells: see cells.h. */
#include "domain/cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/relative.h"
#include "engine/common/softening.h"
#include "physics/fmm.h"

/* The same limits that the walk has (engine/cpu/forces/fmm.c). */
static struct ky_octree_acting acting_of(const struct ky_domain *domain,
                                         const struct ky_parameters *parameters, int by_alpha)
{
    const int kind = parameters->softening_kind;
    const double eps = parameters->softening / ky_engine_units_of(domain->engine).length;
    const int is_splined = ky_pairs_how(kind, 0) & KY_SPLINED;
    const float eps2 = (float)ky_sink_eps2(kind, 0, eps),
                hold = is_splined ? sqrtf(ky_opening_reach2(eps2, 0)) : 0;
    return (struct ky_octree_acting){
        parameters->order,
        ky_fmm_limits_of(parameters->order, by_alpha ? KY_FMM_ANGLE : KY_FMM_ANGLE_AT_FIRST, hold)};
}

static void measure_groups(const struct ky_octree *tree, const struct ky_relative *relative,
                           int threads, float *least)
{
    const double by = 1 / relative->unit;
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t g = 0; g < tree->groups; g++) {
        const uint32_t *order = tree->order + tree->group[g].body;
        float its = (float)INFINITY;
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            its = fminf(its, ky_relative_size(relative, by, order[k]));
        least[g] = fmaxf(its, (float)relative->floor);
    }
}

enum ky_status ky_domain_measure_cells(const struct ky_domain *domain,
                                       const struct ky_shared_tree *wanted,
                                       struct ky_domain_cells *cells, struct ky_error *error)
{
    const struct ky_octree *tree = &domain->tree;
    const int by_alpha = wanted->relative && wanted->relative->floor > 0,
              threads = domain->engine->threads;
    *cells = (struct ky_domain_cells){.acting = acting_of(domain, wanted->parameters, by_alpha),
                                      .alpha = (float)wanted->parameters->alpha};
    cells->source = ky_allocate(tree->nodes, sizeof *cells->source);
    cells->least = by_alpha ? ky_allocate(tree->groups, sizeof *cells->least) : NULL;
    if (!cells->source || (by_alpha && !cells->least))
        return ky_no_memory(error, "cells that act on cells", tree->nodes, sizeof *cells->source);
    ky_octree_list_sources(tree, cells->acting.order, threads, cells->source);
    if (by_alpha)
        measure_groups(tree, wanted->relative, threads, cells->least);
    return KY_OK;
}

void ky_domain_free_cells(struct ky_domain_cells *cells)
{
    free(cells->source);
    free(cells->least);
    free(cells->sink);
}

enum ky_status ky_domain_list_cells(const struct ky_domain *domain,
                                    const struct ky_shared_tree *wanted, const unsigned char *marks,
                                    const struct ky_octree_all *all, struct ky_domain_cells *cells,
                                    struct ky_error *error)
{
    struct ky_octree top;
    struct ky_octree_all closed = *all;
    const struct ky_octree_own_sinks own = {.tree = &domain->tree,
                                            .top = &top,
                                            .part = all->own,
                                            .wanted = marks,
                                            .least = cells->least,
                                            .alpha = cells->alpha,
                                            .group = wanted->parameters->group,
                                            .order = cells->acting.order};
    if (domain->tree.n == 0)
        return KY_OK;
    ky_octree_init(&top);
    closed.own = closed.parts;
    enum ky_status status =
        ky_octree_graft(&top, &domain->tree, &closed, wanted->parameters, error);
    if (!status)
        status = ky_octree_list_sinks(&own, &cells->sink, &cells->count, error);
    ky_octree_free(&top);
    return status;
}
