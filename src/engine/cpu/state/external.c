/* External fields on the CPU: their accelerations, and the bodies' energy in them. */
#include "engine/common/external.h"
#include "engine/cpu/state/cpu.h"

size_t ky_cpu_externals(const struct ky_cpu *cpu, struct ky_external field[KY_MOST_EXTERNALS])
{
    const struct ky_externals *given = &cpu->base.externals;
    for (size_t k = 0; k < given->count; k++)
        field[k] = ky_external_in(&given->field[k], 1, cpu->length, given->time);
    return given->count;
}

void ky_cpu_add_externals(struct ky_cpu *cpu)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const struct ky_active *active = cpu->active;
    const size_t count = ky_cpu_externals(cpu, field), sinks = active ? active->count : cpu->n;
    if (!count)
        return;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < sinks; k++) {
        const size_t i = active ? active->body[k] : k;
        const double x[3] = {cpu->x[0][i], cpu->x[1][i], cpu->x[2][i]};
        const struct ky_external_pull pull = ky_externals_at(field, count, x, NULL);
        cpu->a[0][i] += pull.x;
        cpu->a[1][i] += pull.y;
        cpu->a[2][i] += pull.z;
    }
}
