/* An evaluation of forces, and the table of the methods. */
#include "base/clock.h"
#include "base/memory.h"
#include "engine/common/active.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/tree/tree.h"

#define METHOD(name, NAME) [KY_##NAME] = &ky_cpu_##name##_method,
#define METHOD_OF(p, name, NAME, on_cpu, ...) on_cpu(METHOD, name, NAME)
static const struct ky_cpu_method *const methods[KY_FORCE_AUTO] = {KY_FORCES(METHOD_OF, )};

enum ky_status ky_cpu_method(int force, const struct ky_cpu_method **method, struct ky_error *error)
{
    *method = force >= 0 && force < KY_FORCE_AUTO ? methods[force] : NULL;
    return *method ? KY_OK : ky_force_lacks("cpu", force, error);
}

/* Stores the active bodies and marks them. */
static enum ky_status activate(struct ky_cpu *cpu, const struct ky_active *active,
                               struct ky_error *error)
{
    enum ky_status status = ky_active_check(active, cpu->n, cpu->has_acceleration, error);
    if (!status && active && cpu->parameters->mutual)
        status = ky_fail(
            error, KY_UNSUPPORTED,
            "mutual interactions need all bodies: for forces on some bodies leave out --mutual");
    cpu->active = active;
    if (status || !active)
        return status;
    if (!cpu->is_active && !(cpu->is_active = ky_allocate(cpu->n, 1)))
        return ky_no_memory(error, "active bodies", cpu->n, 1);
    ky_active_mark(active, cpu->n, cpu->is_active);
    return KY_OK;
}

/* 1 if no source has mass. */
static int nothing_acts(const struct ky_cpu *cpu)
{
    return cpu->massless.sources == 0 && !ky_cpu_is_divided(cpu);
}

static void clear(struct ky_cpu *cpu)
{
    for (size_t i = 0; i < cpu->n; i++)
        if (!cpu->active || cpu->is_active[i])
            cpu->a[0][i] = cpu->a[1][i] = cpu->a[2][i] = cpu->potential[i] = 0;
}

enum ky_status ky_cpu_evaluate(struct ky_cpu *cpu, const struct ky_active *active,
                               struct ky_error *error)
{
    ky_report_clear(&cpu->report);
    double start = ky_clock();
    enum ky_status status = activate(cpu, active, error);
    if (!status && nothing_acts(cpu))
        clear(cpu);
    else if (!status)
        status = cpu->method->forces(cpu, error);
    if (!status)
        ky_cpu_note_pull(cpu);
    if (!status)
        status = ky_cpu_add_externals(cpu, error);
    if (!status)
        status = ky_halt_check(cpu->base.halt, error);
    cpu->active = NULL;
    cpu->report.total = ky_clock() - start;
    cpu->has_acceleration |= !status;
    return status;
}
