/* The field of the bodies at points: in double by the exact sum over all bodies, or through a tree
 * with the opening and the moments of the parameters; by cells that act on cells where the bodies'
 * forces are (fmm_points.c). */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/active.h"
#include "engine/common/softening.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/tree/tree.h"
#include "octree/opening_kinds.h"

struct place {
    const struct ky_cpu *cpu;
    const struct ky_points *points;
    int direct;                   /* 1: exact sum over all bodies */
    struct ky_direct own, others; /* `own` for the exact sum alone */
};

double ky_cpu_point_eps2(const struct ky_cpu *cpu, const struct ky_points *points, size_t k)
{
    return ky_point_eps2(cpu->parameters->softening_kind, cpu->softening != NULL,
                         ky_point_softening(points, k) / cpu->length,
                         cpu->parameters->softening / cpu->length);
}

/* Adds the sums over all sources but number `but`, for a point of that ε². */
static struct ky_field add(const struct ky_direct *from, const double at[3], double point_eps2,
                           uint32_t but, struct ky_field field)
{
    const double *x = from->x, *y = from->y, *z = from->z, *mass = from->mass, *eps2 = from->eps2;
    for (size_t j = 0; j < from->n; j++) {
        double dx = KY_APART(x[j], at[0]), dy = KY_APART(y[j], at[1]), dz = KY_APART(z[j], at[2]);
        struct ky_softened pair =
            ky_soften(dx, dy, dz, point_eps2, eps2 ? eps2[j] : 0, from->how | KY_GUARD);
        pair.y = j == but ? 0 : pair.y;
        field = ky_add_body(field, dx, dy, dz, pair, mass[j]);
    }
    return field;
}

static void fill(const struct place *place, double (*acceleration)[3], double *potential)
{
    const struct ky_cpu *cpu = place->cpu;
    const struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    const uint32_t *body = place->points->body;
#pragma omp parallel for schedule(dynamic, 16) num_threads(cpu->threads)
    for (size_t k = 0; k < place->points->count; k++) {
        const double *position = place->points->position[k];
        const double at[3] = {position[0] / cpu->length, position[1] / cpu->length,
                              position[2] / cpu->length};
        const double eps2 = ky_cpu_point_eps2(cpu, place->points, k);
        struct ky_field field = {0, 0, 0, 0};
        field = place->direct ? add(&place->own, at, eps2, body ? body[k] : KY_NO_BODY, field)
                              : ky_cpu_walk_point(cpu, at, eps2);
        field = add(&place->others, at, eps2, KY_NO_BODY, field);
        if (acceleration) {
            acceleration[k][0] = scale.acceleration * field.x;
            acceleration[k][1] = scale.acceleration * field.y;
            acceleration[k][2] = scale.acceleration * field.z;
        }
        if (potential)
            potential[k] = scale.potential * field.p;
    }
}

/* The field of an engine whose bodies are all sources. */
static enum ky_status field_of(struct ky_cpu *cpu, const struct ky_points *points,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    const int expands = ky_force_kind(cpu->parameters->force)->expands;
    const struct ky_parameters parameters =
        expands ? ky_force_tree(cpu->parameters) : ky_without_relative(cpu->parameters);
    const struct ky_force_report report =
        cpu->report; /* restored at the end: the report is that of the last forces */
    double *eps2 = NULL;
    struct place place = {.cpu = cpu,
                          .points = points,
                          .direct = !cpu->method->walk,
                          .others = ky_cpu_others_in_double(cpu)};
    enum ky_status status = expands ? KY_OK : ky_points_check(points, cpu->parameters, error);
    if (cpu->parameters->mutual)
        status = ky_fail(error, KY_UNSUPPORTED,
                         "mutual interactions are among bodies: for the field at points leave out "
                         "--mutual");
    if (!status && cpu->foreign.trees > 0 && parameters.opening != cpu->parameters->opening)
        status = ky_fail(error, KY_UNSUPPORTED,
                         "fields by --opening %s where cells of other engines act",
                         ky_opening_kind(cpu->parameters->opening)->name);
    if (!status)
        status = place.direct ? ky_cpu_own_in_double(cpu, &place.own, &eps2, error)
                              : ky_cpu_stand_tree(cpu, &parameters, error);
    cpu->report = report;
    if (!status && expands)
        status = ky_cpu_field_of_cells(cpu, points, acceleration, potential, error);
    else if (!status)
        fill(&place, acceleration, potential);
    free(eps2);
    return status;
}

enum ky_status ky_cpu_field(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine, *sources = ky_cpu_sources(cpu);
    struct ky_points numbered = *points;
    uint32_t *body = NULL;
    if (points->body && sources != cpu) {
        body = ky_allocate(points->count, sizeof *body);
        if (!body)
            return ky_no_memory(error, "points of a field", points->count, sizeof *body);
        for (size_t k = 0; k < points->count; k++)
            body[k] = points->body[k] == KY_NO_BODY ? KY_NO_BODY
                                                    : ky_cpu_source_number(cpu, points->body[k]);
        numbered.body = body;
    }
    const enum ky_status status = field_of(sources, &numbered, acceleration, potential, error);
    free(body);
    return status;
}
