/* The sinks of a rank where cells act on cells: see cells.h. */
#include "domain/cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/relative.h"
#include "engine/common/softening.h"
#include "physics/fmm.h"

/* The tree of the sinks. */
static const struct ky_octree *sinks_of(const struct ky_domain *domain,
                                        const struct ky_shared_tree *wanted)
{
    return wanted->points ? wanted->points : &domain->tree;
}

/* The smallest and the largest ε² of the sinks. */
struct softenings {
    float low2, high2;
};

static struct softenings softenings_of(const struct ky_domain *domain,
                                       const struct ky_shared_tree *wanted)
{
    const struct ky_parameters *parameters = wanted->parameters;
    const double eps = parameters->softening / ky_engine_units_of(domain->engine).length;
    const double *eps2 = wanted->points ? wanted->points->softening2 : NULL;
    const float one =
        (float)(wanted->points ? wanted->eps2 : ky_sink_eps2(parameters->softening_kind, 0, eps));
    struct softenings range = {one, one};
    for (size_t k = 0; eps2 && k < wanted->points->n; k++) {
        range.low2 = fminf(range.low2, (float)eps2[k]);
        range.high2 = fmaxf(range.high2, (float)eps2[k]);
    }
    return range;
}

/* The same limits as in the walk (engine/cpu/forces/fmm.c). If sinks have their own ε², each cell
 * of sinks uses the limit for all of them. */
static struct ky_octree_acting acting_of(const struct ky_domain *domain,
                                         const struct ky_shared_tree *wanted, int by_alpha)
{
    const struct ky_parameters *parameters = wanted->parameters;
    const struct softenings eps2 = softenings_of(domain, wanted);
    const int is_splined = ky_pairs_how(parameters->softening_kind, 0) & KY_SPLINED;
    const float hold = is_splined ? sqrtf(ky_opening_reach2(eps2.high2, 0)) : 0,
                angle = by_alpha         ? KY_FMM_ANGLE
                        : wanted->points ? KY_FMM_ANGLE_OF_POINTS
                                         : KY_FMM_ANGLE_AT_FIRST;
    struct ky_octree_acting acting = {ky_fmm_limits_of(parameters->order, angle, hold),
                                      ky_domain_box(domain)};
    if (eps2.high2 > eps2.low2 && !is_splined)
        acting.limits.least = fmaxf(
            acting.limits.least,
            ky_fmm_least_of_spread(0.5 * (double)(eps2.high2 - eps2.low2), parameters->alpha));
    return acting;
}

static void measure_groups(const struct ky_octree *tree, const struct ky_relative *relative,
                           int threads, float *least)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t g = 0; g < tree->groups; g++) {
        const uint32_t *order = tree->order + tree->group[g].body;
        float its = (float)INFINITY;
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            its = fminf(its, (float)ky_relative_pull(relative, order[k]));
        least[g] = its;
    }
}

enum ky_status ky_domain_measure_cells(const struct ky_domain *domain,
                                       const struct ky_shared_tree *wanted,
                                       struct ky_domain_cells *cells, struct ky_error *error)
{
    const struct ky_octree *tree = &domain->tree, *sinks = sinks_of(domain, wanted);
    const int by_alpha = wanted->relative && wanted->relative->per_unit > 0,
              threads = domain->engine->threads;
    *cells = (struct ky_domain_cells){.acting = acting_of(domain, wanted, by_alpha),
                                      .alpha = (float)wanted->parameters->alpha};
    cells->source = ky_allocate(tree->nodes, sizeof *cells->source);
    cells->least = by_alpha ? ky_allocate(sinks->groups, sizeof *cells->least) : NULL;
    if (!cells->source || (by_alpha && !cells->least))
        return ky_no_memory(error, "cells that act on cells", tree->nodes, sizeof *cells->source);
    ky_octree_list_sources(tree, cells->acting.limits.order, threads, cells->source);
    if (by_alpha)
        measure_groups(sinks, wanted->relative, threads, cells->least);
    return KY_OK;
}

void ky_domain_free_cells(struct ky_domain_cells *cells)
{
    free(cells->source);
    free(cells->least);
    free(cells->sink);
}

/* Makes the positions of points relative to the origin of the bodies' tree; the tree of the points
 * has another origin. */
static void move_origin(const struct ky_domain *domain, const struct ky_octree *points,
                        struct ky_domain_cells *cells)
{
    for (size_t k = 0; k < cells->count; k++)
        for (int c = 0; c < 3; c++) {
            struct ky_octree_sink *sink = &cells->sink[k];
            const double apart = points->origin[c] - domain->origin[c],
                         rounding = 1e-12 * (fabs(points->origin[c]) + fabs(apart));
            sink->middle[c] += apart;
            sink->half[c] += (float)rounding;
            sink->inside[c] += (float)rounding;
        }
}

enum ky_status ky_domain_list_cells(const struct ky_domain *domain,
                                    const struct ky_shared_tree *wanted, const unsigned char *marks,
                                    const struct ky_octree_all *all, struct ky_domain_cells *cells,
                                    struct ky_error *error)
{
    struct ky_octree top;
    struct ky_octree_all closed = *all;
    const struct ky_octree_own_sinks own = {.tree = sinks_of(domain, wanted),
                                            .top = wanted->points ? NULL : &top,
                                            .part = all->own,
                                            .wanted = marks,
                                            .least = cells->least,
                                            .alpha = cells->alpha,
                                            .group = wanted->parameters->group,
                                            .order = cells->acting.limits.order};
    enum ky_status status = KY_OK;
    if (own.tree->n == 0)
        return KY_OK;
    ky_octree_init(&top);
    closed.own = closed.parts;
    if (own.top)
        status = ky_octree_graft(&top, &domain->tree, &closed, wanted->parameters, error);
    if (!status)
        status = ky_octree_list_sinks(&own, &cells->sink, &cells->count, error);
    ky_octree_free(&top);
    if (!status && wanted->points)
        move_origin(domain, wanted->points, cells);
    return status;
}
