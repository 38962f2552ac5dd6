/* The data of opening tests by the last accelerations. */
#include "engine/cpu/tree/tree.h"

#include <math.h>

/* 1 over the mass of the acting bodies of all ranks. If this reduction fails, the tree fails too,
 * since the engines have to build it together. */
static double per_mass(const struct ky_cpu *cpu)
{
    const struct ky_shared *shared = cpu->base.shared;
    uint64_t mass = ky_relative_mass(cpu->mass, cpu->n, cpu->team), all = mass;
    if (ky_cpu_is_divided(cpu) && !shared->add(shared->context, &all, 1, NULL))
        mass = all;
    return ky_relative_per_mass(mass);
}

static double square_of(const struct ky_cpu *cpu, size_t i)
{
    double a2 = 0;
    for (int c = 0; c < 3; c++)
        a2 += cpu->a[c][i] * cpu->a[c][i];
    return a2;
}

/* The rms of the last accelerations of the bodies with mass of all ranks. It fails as per_mass
 * does. */
static double rms(const struct ky_cpu *cpu)
{
    const size_t n = ky_cpu_has_massless(cpu) ? cpu->massless.sources : ky_cpu_system(cpu);
    double sum = 0;
    return !ky_cpu_total(cpu, square_of, &sum, NULL) && n ? sqrt(sum / (double)n) : 0;
}

static void set_for_box(const struct ky_cpu *cpu, struct ky_relative *relative)
{
    const double mass = relative->per_mass > 0 ? 1 / relative->per_mass : 0;
    relative->least = ky_opening_least_in_box(rms(cpu) * relative->per_unit, mass, cpu->box);
    relative->per_mass = 0;
}

struct ky_relative ky_cpu_relative(struct ky_cpu_sinks *set)
{
    const struct ky_cpu_scale scale = ky_cpu_scale(set->cpu);
    struct ky_relative relative = {.a = {set->a[0], set->a[1], set->a[2]},
                                   .pull = set->pull,
                                   .potential = set->potential,
                                   .per_mass = set->kept.per_mass,
                                   .parameters = set->parameters};
    if (scale.acceleration > 0) {
        relative.per_unit = 1 / scale.acceleration;
        relative.per_potential = 1 / scale.potential;
    }
    if (!set->cpu->in_block || set->kept.per_mass == 0)
        relative.per_mass = set->kept.per_mass = per_mass(set->cpu);
    if (set->cpu->box > 0)
        set_for_box(set->cpu, &relative);
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

enum ky_status ky_cpu_knows_pull(const struct ky_cpu *cpu, int *knows, struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    uint64_t lack =
        cpu->n > 0 && (!cpu->has_acceleration || (cpu->extra[KY_COLUMN_PULL] && !cpu->has_pull));
    enum ky_status status =
        ky_cpu_is_divided(cpu) ? shared->add(shared->context, &lack, 1, error) : KY_OK;
    *knows = lack == 0;
    return status;
}

void ky_cpu_note_pull(struct ky_cpu *cpu)
{
    double *pull = cpu->extra[KY_COLUMN_PULL];
    const double unit = ky_cpu_scale(cpu).acceleration;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < (pull && unit > 0 ? cpu->n : 0); i++)
        if (!cpu->active || cpu->is_active[i])
            pull[i] = unit * ky_opening_kept(cpu->a[0][i] / unit, cpu->a[1][i] / unit,
                                             cpu->a[2][i] / unit);
    cpu->has_pull |= !cpu->active;
}
