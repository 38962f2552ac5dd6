/* A rank's own engine, with its callbacks for the common tree and for sums over ranks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/bodies.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/far_field.h"
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
                                        .pass = ky_domain_pass,
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
    if (!force->in_groups)
        return force->option;
    if (schemes & ~KY_SCHEMES_IN_BLOCKS)
        return "the Hermite scheme";
    if (parameters->cell == KY_EDGE)
        return "--cell edge";
    return parameters->curve == KY_CURVE_NONE ? "--curve none" : NULL;
}

int ky_domain_needs_mass(const struct ky_parameters *parameters)
{
    return !ky_domain_is_for_devices(parameters->engine);
}

const char *ky_domain_why_copies_of(const struct ky_parameters *parameters, unsigned schemes,
                                    const struct ky_bodies *bodies)
{
    const char *always = ky_domain_why_copies(parameters, schemes);
    if (always)
        return always;
    if (bodies->softening)
        return "bodies' own softenings";
    return ky_domain_needs_mass(parameters) && ky_bodies_massless(bodies) ? "massless bodies"
                                                                          : NULL;
}

enum ky_status ky_domain_check_number(size_t n, struct ky_error *error)
{
    return n <= UINT32_MAX
               ? KY_OK
               : ky_fail(error, KY_UNSUPPORTED,
                         "%zu bodies: ranks share up to %" PRIu32 " of them: take fewer", n,
                         UINT32_MAX);
}

int ky_domain_divides(const struct ky_parameters *parameters, unsigned schemes)
{
    return parameters->ranks > 1 && !ky_domain_why_copies(parameters, schemes);
}

/* The memory of a rank with a device. Divided bodies: its share, plus a fifth for empty places and
 * for received cells and bodies. Replicated bodies: all bodies, all results, and the results of its
 * share, which go through the host. */
static void memory_with_device(const struct ky_domain *domain, size_t n, size_t massless,
                               struct ky_memory *memory)
{
    enum { RESULTS = 4 * sizeof(double) };
    const size_t ranks = (size_t)domain->comm->size, own = n / ranks + 1,
                 there = domain->copies ? n : own + own / 5;
    ky_engine_memory(domain->engine, 0, there, domain->copies ? massless : 0, memory);
    if (domain->copies) {
        memory->host += RESULTS * (double)(n + own);
        memory->kept += RESULTS * (double)(n + own);
    }
    memory->host *= domain->comm->local_size;
    memory->kept *= domain->comm->local_size;
}

/* Bytes that ranks receive for a tree of n bodies. Each doubling of the ranks adds one cut through
 * all bodies, with cells and bodies on both sides of it. Measured with Plummer spheres of 2,000,000
 * bodies and 2 to 16 ranks; in boxes, where a part also meets its images and fmm has the order 6,
 * with lattices of 64³ and 128³ bodies at z = 49 and 2 to 8 ranks. */
static double beside_cuts(const struct ky_domain *domain, double n)
{
    static const double bytes[2][2] = {{4700, 7400}, {8000, 25000}}; /* of tree and fmm */
    return bytes[domain->parameters.box > 0][ky_force_kind(domain->parameters.force)->expands] *
           log2(domain->comm->size) * cbrt(n * n);
}

/* The work space of a rank for the migration of bodies. At the first forces a rank sends all but
 * 1/R of its bodies, since they are not yet in the order of the curve. */
static double for_moves(const struct ky_domain *domain, double n)
{
    enum {
        KEYS = 3 * sizeof(double) + 2 * sizeof(uint64_t) + sizeof(uint32_t),
        ROWS = 2 * 13 * sizeof(double), /* of 13 numbers, sent and received */
        LISTS = 2 * sizeof(uint64_t) + sizeof(uint32_t)
    };
    return n * (KEYS + (ROWS + LISTS) * (1 - 1.0 / domain->comm->size));
}

/* The bytes of all ranks that divide n bodies; `memory`: of one engine for them. */
static void memory_of_parts(const struct ky_domain *domain, size_t n, struct ky_memory *memory)
{
    const struct ky_parameters tree = ky_force_tree(&domain->parameters);
    /* numbers and keys, and both the rank's own tree and the tree for its walks */
    const double number = (double)n * sizeof(uint64_t),
                 forces = memory->host + 6 * (double)n * sizeof(double) +
                          ky_octree_memory(&tree, n) + beside_cuts(domain, (double)n),
                 moves = memory->kept + for_moves(domain, (double)n);
    memory->host = number + fmax(forces, moves);
    memory->kept += number;
    if (domain->parameters.box > 0) { /* each rank has the far field; `memory` has one */
        memory->host += (domain->comm->size - 1) * (double)ky_far_memory();
        memory->kept += (domain->comm->size - 1) * (double)ky_far_memory();
    }
}

void ky_domain_memory(const struct ky_domain *domain, size_t n, size_t massless,
                      struct ky_memory *memory)
{
    const double here = domain->comm->local_size,
                 part = domain->copies ? here : here / domain->comm->size;
    if (domain->engine->verbs->part) {
        memory_with_device(domain, n, massless, memory);
    } else {
        ky_engine_memory(domain->engine, 0, n, massless, memory);
        if (!domain->copies)
            memory_of_parts(domain, n, memory);
        memory->host *= part;
        memory->kept *= part;
    }
    memory->ranks = domain->comm->local_size;
    if (!domain->copies)
        memory->most *= domain->comm->size;
    if (domain->engine->verbs->part) /* numbers of all bodies have 32 bits there */
        memory->most = fmin(memory->most, UINT32_MAX);
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
    ky_bodies_free(&domain->made);
    free(domain->index);
    domain->index = NULL;
    domain->room = 0;
}
