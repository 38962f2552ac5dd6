/* The sets of bodies that are sinks (struct ky_cpu_sinks): with the columns of the engine, which
 * change when it gets other bodies, and in block steps. */
#include "engine/cpu/state/cpu.h"

#include "physics/fmm.h"

static struct ky_cpu_sinks *view(struct ky_cpu *cpu, struct ky_cpu_sinks *set,
                                 const uint32_t *member, size_t n)
{
    set->cpu = cpu;
    set->sources = member ? &cpu->massless.sinks[0] : set;
    set->parameters = cpu->parameters;
    set->shared = cpu->base.shared;
    set->n = n;
    set->member = member;
    set->columns = cpu->n;
    for (int c = 0; c < 3; c++)
        set->a[c] = cpu->a[c];
    set->potential = cpu->potential;
    set->pull = cpu->extra[KY_COLUMN_PULL];
    set->how = cpu->how;
    set->eps2 = n ? ky_cpu_sink_eps2(cpu, 0) : 0;
    set->angle = KY_FMM_ANGLE_AT_FIRST;
    set->active = cpu->active;
    set->is_active = cpu->is_active;
    return set;
}

struct ky_cpu_sinks *ky_cpu_bodies(struct ky_cpu *cpu)
{
    return view(cpu, &cpu->bodies, NULL, cpu->n);
}

struct ky_cpu_sinks *ky_cpu_set(struct ky_cpu *cpu, int k)
{
    const struct ky_cpu_massless *massless = &cpu->massless;
    const size_t sources = massless->sources;
    return view(cpu, &cpu->massless.sinks[k], massless->body + (k ? sources : 0),
                k ? cpu->n - sources : sources);
}

struct ky_cpu_sinks *ky_cpu_sources(struct ky_cpu *cpu)
{
    return ky_cpu_has_massless(cpu) ? ky_cpu_set(cpu, 0) : ky_cpu_bodies(cpu);
}
