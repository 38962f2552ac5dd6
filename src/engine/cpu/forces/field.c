/* The field of the bodies at points, in double: by the exact sum over all bodies, else through a
 * tree with the opening and the moments of the parameters. */
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
    int direct;        /* 1: exact sum over all bodies */
    double *body_eps2; /* of each body, if the softening needs it */
    double eps2;       /* of a point, including the bodies' where all have the same */
};

/* Sums over all bodies but `own`. */
static struct ky_field sum_bodies(const struct place *place, const double at[3], uint32_t own)
{
    const struct ky_cpu *cpu = place->cpu;
    struct ky_field field = {0, 0, 0, 0};
    for (size_t j = 0; j < cpu->n; j++) {
        double dx = KY_APART(cpu->x[0][j], at[0]), dy = KY_APART(cpu->x[1][j], at[1]),
               dz = KY_APART(cpu->x[2][j], at[2]);
        double eps2 = place->body_eps2 ? place->body_eps2[j] : 0;
        struct ky_softened pair = ky_soften(dx, dy, dz, place->eps2, eps2, cpu->how | KY_GUARD);
        pair.y = j == own ? 0 : pair.y;
        field = ky_add_body(field, dx, dy, dz, pair, cpu->mass[j]);
    }
    return field;
}

/* The bodies of other engines. */
static struct ky_field sum_others(const struct place *place, const double at[3],
                                  struct ky_field field)
{
    const struct ky_cpu_foreign *foreign = &place->cpu->foreign;
    const int how = place->cpu->how;
    for (size_t j = 0; j < foreign->n; j++) {
        double dx = foreign->at[0][j] - at[0], dy = foreign->at[1][j] - at[1],
               dz = foreign->at[2][j] - at[2];
        double eps2 = how & KY_EPS_OF_BOTH ? foreign->eps2[j] : 0;
        struct ky_softened pair = ky_soften(dx, dy, dz, place->eps2, eps2, how | KY_GUARD);
        field = ky_add_body(field, dx, dy, dz, pair, foreign->mass[j]);
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
        struct ky_field field = place->direct ? sum_bodies(place, at, body ? body[k] : KY_NO_BODY)
                                              : ky_cpu_walk_point(cpu, at, place->eps2);
        field = sum_others(place, at, field);
        if (acceleration) {
            acceleration[k][0] = scale.acceleration * field.x;
            acceleration[k][1] = scale.acceleration * field.y;
            acceleration[k][2] = scale.acceleration * field.z;
        }
        if (potential)
            potential[k] = scale.potential * field.p;
    }
}

/* Sets ε² by the kind of softening. */
static enum ky_status soften(struct place *place, struct ky_error *error)
{
    const struct ky_cpu *cpu = place->cpu;
    const int kind = cpu->parameters->softening_kind;
    place->eps2 =
        ky_point_eps2(kind, cpu->softening != NULL, place->points->softening / cpu->length,
                      cpu->parameters->softening / cpu->length);
    if (!(cpu->how & KY_EPS_OF_BOTH) || !place->direct)
        return KY_OK; /* a tree has the ε² of its bodies */
    place->body_eps2 = ky_allocate(cpu->n, sizeof(double));
    for (size_t i = 0; place->body_eps2 && i < cpu->n; i++)
        place->body_eps2[i] = ky_cpu_sink_eps2(cpu, i);
    return place->body_eps2 ? KY_OK
                            : ky_no_memory(error, "squared softenings", cpu->n, sizeof(double));
}

enum ky_status ky_cpu_field(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    const struct ky_parameters parameters = ky_without_relative(cpu->parameters);
    const struct ky_force_report report =
        cpu->report; /* restored at the end: the report is that of the last forces */
    struct place place = {.cpu = cpu, .points = points, .direct = !cpu->method->walk};
    enum ky_status status = ky_points_check(points, cpu->parameters, error);
    if (!status && cpu->foreign.trees > 0 && parameters.opening != cpu->parameters->opening)
        status = ky_fail(error, KY_UNSUPPORTED,
                         "fields by --opening %s where cells of other engines act",
                         ky_opening_kind(cpu->parameters->opening)->name);
    if (!status)
        status = soften(&place, error);
    if (!status && !place.direct)
        status = ky_cpu_stand_tree(cpu, &parameters, error);
    cpu->report = report;
    if (!status)
        fill(&place, acceleration, potential);
    free(place.body_eps2);
    return status;
}
