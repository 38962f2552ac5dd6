/* Common code of all fields at points: softenings, parameters and errors. */
#include <math.h>

#include "engine/common/active.h"
#include "engine/common/softening.h"
#include "engine/cpu/forces/forces.h"
#include "octree/opening_kinds.h"
#include "octree/parts.h"

double ky_cpu_point_eps2(const struct ky_cpu *cpu, const struct ky_points *points, size_t k)
{
    return ky_point_eps2(cpu->parameters->softening_kind, cpu->softening != NULL,
                         ky_point_softening(points, k) / cpu->length,
                         cpu->parameters->softening / cpu->length);
}

double ky_cpu_least_eps2(const struct ky_cpu *cpu, const struct ky_points *points)
{
    return ky_point_eps2(cpu->parameters->softening_kind, cpu->softening != NULL,
                         ky_points_least_softening(points) / cpu->length,
                         cpu->parameters->softening / cpu->length);
}

double ky_cpu_largest_eps2(const struct ky_cpu *cpu, const struct ky_points *points)
{
    double most = ky_cpu_point_eps2(cpu, points, 0);
    for (size_t k = 1; points->softenings && k < points->count; k++)
        most = fmax(most, ky_cpu_point_eps2(cpu, points, k));
    return most;
}

struct ky_octree_box ky_cpu_box_of_point(const struct ky_cpu *cpu, const struct ky_points *points,
                                         size_t k)
{
    struct ky_octree_box box = {.factor = 1, .eps2 = ky_cpu_point_eps2(cpu, points, k)};
    for (int c = 0; c < 3; c++)
        box.middle[c] = ky_cpu_place(cpu, points->position[k][c] / cpu->length);
    return box;
}

struct ky_parameters ky_cpu_field_parameters(const struct ky_cpu *cpu)
{
    const int expands = ky_force_kind(cpu->parameters->force)->expands;
    return expands ? ky_force_tree(cpu->parameters) : ky_for_points(cpu->parameters);
}

enum ky_status ky_cpu_check_points(const struct ky_cpu *cpu, const struct ky_points *points,
                                   struct ky_error *error)
{
    const int expands = ky_force_kind(cpu->parameters->force)->expands;
    if (cpu->parameters->mutual)
        return ky_fail(
            error, KY_UNSUPPORTED,
            "mutual interactions are between bodies: for the field at points leave out --mutual");
    return expands ? KY_OK : ky_points_check(points, cpu->parameters, error);
}
