/* External fields on the CPU: their accelerations, and the bodies' energy in them. */
#include "engine/external.h"
#include "engine/cpu/cpu.h"

size_t ky_cpu_externals(const struct ky_cpu *cpu, struct ky_external field[KY_MOST_EXTERNALS])
{
    const struct ky_externals *given = &cpu->base.externals;
    for (size_t k = 0; k < given->count; k++)
        field[k] = ky_external_in(&given->field[k], 1, cpu->length);
    return given->count;
}

void ky_cpu_add_externals(struct ky_cpu *cpu)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t count = ky_cpu_externals(cpu, field), n = count ? cpu->n : 0;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < n; i++) {
        const double x[3] = {cpu->x[0][i], cpu->x[1][i], cpu->x[2][i]};
        if (!ky_cpu_is_active(cpu, i))
            continue;
        const struct ky_external_pull pull = ky_externals_at(field, count, x, NULL);
        cpu->a[0][i] += pull.x;
        cpu->a[1][i] += pull.y;
        cpu->a[2][i] += pull.z;
    }
}
