/* An evaluation of forces, whoever asks for it: the table of the ways to sum them. */
#include "base/clock.h"
#include "base/memory.h"
#include "engine/common/active.h"
#include "engine/cpu/state/cpu.h"

static const struct ky_cpu_method methods[] = {
    [KY_DIRECT] = {ky_cpu_direct, ky_cpu_direct_memory},
    [KY_WALK] = {ky_cpu_tree, ky_octree_memory},
    [KY_TREE] = {ky_cpu_tree, ky_octree_memory},
};

const struct ky_cpu_method *ky_cpu_method(int force)
{
    const int known = force >= 0 && (size_t)force < sizeof methods / sizeof *methods;
    return known && methods[force].forces ? &methods[force] : NULL;
}

/* Notes whose forces are wanted. */
static enum ky_status activate(struct ky_cpu *cpu, const struct ky_active *active,
                               struct ky_error *error)
{
    enum ky_status status = ky_active_check(active, cpu->n, cpu->has_acceleration, error);
    cpu->active = active;
    if (status || !active)
        return status;
    if (!cpu->is_active && !(cpu->is_active = ky_allocate(cpu->n, 1)))
        return ky_no_memory(error, "active bodies", cpu->n, 1);
    ky_active_mark(active, cpu->n, cpu->is_active);
    return KY_OK;
}

enum ky_status ky_cpu_evaluate(struct ky_cpu *cpu, const struct ky_active *active,
                               struct ky_error *error)
{
    ky_report_clear(&cpu->report);
    double start = ky_clock();
    enum ky_status status = activate(cpu, active, error);
    if (!status)
        status = ky_cpu_method(cpu->parameters->force)->forces(cpu, error);
    if (!status)
        ky_cpu_add_externals(cpu);
    cpu->active = NULL;
    cpu->report.total = ky_clock() - start;
    cpu->has_acceleration |= status == KY_OK;
    return status;
}
