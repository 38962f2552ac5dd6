/* The engine's own units and quantities that depend on them; see cpu.h. */
#include "engine/cpu/state/cpu.h"

#include "engine/common/softening.h"
#include "engine/common/units.h"
#include "octree/sample.h"

/* The median, so that a few distant bodies do not cost all others digits. */
void ky_cpu_centre(const struct ky_cpu_sinks *set, double centre[3])
{
    for (int c = 0; c < 3; c++)
        centre[c] = ky_sampled_median_of(set->cpu->x[c], set->member, set->n, KY_MEDIAN_MOST);
}

struct ky_cpu_scale ky_cpu_scale(const struct ky_cpu *cpu)
{
    const struct ky_engine_units units = {cpu->length, cpu->mass_unit};
    const struct ky_engine_scale scale = ky_engine_scale(&units, cpu->parameters->g);
    return (struct ky_cpu_scale){scale.strength * scale.acceleration,
                                 -(scale.strength * scale.potential)};
}

double ky_cpu_sink_eps2(const struct ky_cpu *cpu, size_t i)
{
    double eps = cpu->softening ? cpu->softening[i] : cpu->parameters->softening / cpu->length;
    return ky_sink_eps2(cpu->parameters->softening_kind, cpu->softening != NULL, eps);
}
