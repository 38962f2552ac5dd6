/* The data of opening tests by the last accelerations. */
#include "engine/cpu/tree/tree.h"

/* With the floor among the bodies of all engines. Where they cannot be asked, the tree, which they
 * have to make together, fails too. */
static struct ky_relative relative_of_all(const struct ky_cpu *cpu, const double *const a[3],
                                          double unit)
{
    const struct ky_shared *shared = cpu->base.shared;
    struct ky_relative relative = {{a[0], a[1], a[2]}, unit, cpu->parameters, 0};
    unsigned long long count[KY_OPENING_EXPONENTS] = {0};
    uint64_t all[KY_OPENING_EXPONENTS];
    ky_relative_count(&relative, cpu->n, cpu->team, count);
    for (int k = 0; k < KY_OPENING_EXPONENTS; k++)
        all[k] = count[k];
    if (!shared->add(shared->context, all, KY_OPENING_EXPONENTS, NULL))
        for (int k = 0; k < KY_OPENING_EXPONENTS; k++)
            count[k] = all[k];
    relative.floor = ky_opening_floor(count);
    return relative;
}

struct ky_relative ky_cpu_relative(struct ky_cpu *cpu)
{
    if (cpu->in_block && cpu->kept.relative.a[0])
        return cpu->kept.relative;
    const double *const a[3] = {cpu->a[0], cpu->a[1], cpu->a[2]};
    const double unit = ky_cpu_scale(cpu).acceleration;
    const struct ky_relative relative =
        ky_cpu_is_divided(cpu) ? relative_of_all(cpu, a, unit)
                               : ky_relative_start(a, cpu->n, unit, cpu->parameters, cpu->team);
    if (cpu->in_block)
        cpu->kept.relative = relative;
    return relative;
}

enum ky_status ky_cpu_knows_acceleration(const struct ky_cpu *cpu, int *knows,
                                         struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    uint64_t know = cpu->has_acceleration ? 1 : 0;
    enum ky_status status =
        ky_cpu_is_divided(cpu) ? shared->add(shared->context, &know, 1, error) : KY_OK;
    *knows = know > 0;
    return status;
}
