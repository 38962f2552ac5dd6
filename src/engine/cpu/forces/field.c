/* The field of the bodies at points: by the exact sum (direct.c), by group walks if the force uses
 * them (points.c), or by walks of single points through a tree with the opening test and the
 * moments of the parameters. */
#include "engine/common/active.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/tree/tree.h"

/* Walks of single points through the tree. */
static void walk_points(const struct ky_cpu_sinks *sources, const struct ky_points *points,
                        double (*acceleration)[3], double *potential)
{
    const struct ky_cpu *cpu = sources->cpu;
    const struct ky_cpu_scale scale = ky_cpu_scale(cpu);
#pragma omp parallel for schedule(dynamic, 16) num_threads(cpu->threads)
    for (size_t k = 0; k < points->count; k++) {
        if (ky_halted(cpu->base.halt))
            continue;
        const double *position = points->position[k];
        const double at[3] = {position[0] / cpu->length, position[1] / cpu->length,
                              position[2] / cpu->length};
        const struct ky_field field =
            ky_cpu_walk_point(sources, at, ky_cpu_point_eps2(cpu, points, k));
        if (acceleration) {
            acceleration[k][0] = scale.acceleration * field.x;
            acceleration[k][1] = scale.acceleration * field.y;
            acceleration[k][2] = scale.acceleration * field.z;
        }
        if (potential)
            potential[k] = scale.potential * field.p;
    }
}

enum ky_status ky_cpu_field(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    struct ky_cpu_sinks *sources = ky_cpu_sources(cpu);
    const struct ky_force_kind *kind = ky_force_kind(cpu->parameters->force);
    const struct ky_parameters parameters = ky_cpu_field_parameters(cpu);
    const struct ky_force_report report =
        cpu->report; /* restored at the end, since it describes the last forces */
    enum ky_status status = ky_cpu_check_points(cpu, points, error);
    if (status)
        return status;
    if (kind->is_exact)
        return ky_cpu_direct_field(sources, points, acceleration, potential, error);
    if (kind->in_groups) {
        status = ky_cpu_field_in_groups(sources, points, acceleration, potential, error);
        cpu->report = report;
        return status;
    }
    status = ky_cpu_stand_tree(sources, &parameters, error);
    cpu->report = report;
    if (!status)
        walk_points(sources, points, acceleration, potential);
    return status;
}
