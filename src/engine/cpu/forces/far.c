/* The far field of a periodic box (engine/common/far_field.h), added to the sums over the nearest
 * images. Both are double here: the two cancel in part, above all in a smooth distribution, where
 * each is many times larger than their sum. */
#include "engine/cpu/forces/forces.h"

static double mass_of(const struct ky_cpu *cpu, size_t i)
{
    return cpu->mass[i];
}

enum ky_status ky_cpu_find_far(struct ky_cpu *cpu, struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    const int in_rows = cpu->in_block && cpu->bodies.tree_serves;
    struct ky_far_bodies bodies = {.n = ky_cpu_has_massless(cpu) ? cpu->massless.sources : cpu->n,
                                   .member = cpu->massless.body,
                                   .along = in_rows ? 3 : 1,
                                   .mass = cpu->mass,
                                   .side = cpu->box,
                                   .threads = cpu->threads};
    for (int c = 0; c < 3; c++)
        bodies.x[c] = in_rows ? &cpu->at[0][c] : cpu->x[c];
    double mass;
    if (!(cpu->box > 0))
        return KY_OK;
    KY_TRY(ky_cpu_total(cpu, mass_of, &mass, error));
    uint64_t *moment = ky_far_sum_bodies(cpu->far, &bodies, mass);
    if (ky_cpu_is_divided(cpu))
        KY_TRY(shared->add(shared->context, moment, KY_FAR_WHOLES, error));
    ky_far_expand(cpu->far, cpu->threads);
    return KY_OK;
}

void ky_cpu_add_far(const struct ky_cpu *cpu, const double x[3], double field[4])
{
    if (cpu->box > 0)
        ky_far_add_at(cpu->far, x, field);
}
