/* The far field of a periodic box (engine/common/far_field.h), added to the sums over the nearest
 * images. Both are double here: the two cancel in part, above all in a smooth distribution, where
 * each is many times larger than their sum. */
#include "engine/cpu/forces/forces.h"

void ky_cpu_find_far(struct ky_cpu *cpu)
{
    const struct ky_far_bodies bodies = {.n = cpu->n,
                                         .x = (const double *const *)cpu->x,
                                         .mass = cpu->mass,
                                         .side = cpu->box,
                                         .threads = cpu->threads};
    if (cpu->box > 0)
        ky_far_sum(cpu->far, &bodies);
}

void ky_cpu_add_far(struct ky_cpu *cpu)
{
    const struct ky_cpu_scale scale = ky_cpu_scale(cpu);
    const size_t n = cpu->box > 0 ? cpu->n : 0;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < n; i++) {
        const double x[3] = {cpu->x[0][i], cpu->x[1][i], cpu->x[2][i]};
        double field[4] = {0};
        if (cpu->active && !cpu->is_active[i])
            continue;
        ky_far_add_at(cpu->far, x, field);
        for (int c = 0; c < 3; c++)
            cpu->a[c][i] += scale.acceleration * field[c];
        cpu->potential[i] += scale.potential * field[3];
    }
}
