/* The engine's own units and what depends on them; see cpu.h. */
#include "engine/cpu/cpu.h"

#include <math.h>
#include <stdlib.h>

#include "engine/units.h"
#include "physics/gravity.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, so that a few bodies far outside do not take the digits of all others. */
void ky_cpu_centre(const struct ky_cpu *cpu, double centre[3])
{
    enum { MOST = 1023 };
    double sample[MOST];
    size_t stride = cpu->n / MOST + 1, count = 0;
    for (int c = 0; c < 3; c++) {
        count = 0;
        for (size_t i = 0; i < cpu->n; i += stride)
            sample[count++] = cpu->x[c][i];
        qsort(sample, count, sizeof *sample, ascending);
        centre[c] = count ? sample[count / 2] : 0;
    }
}

struct ky_cpu_scale ky_cpu_scale(const struct ky_cpu *cpu)
{
    double potential = cpu->parameters->g * (cpu->mass_unit / cpu->length);
    return (struct ky_cpu_scale){potential / cpu->length, -potential};
}

int ky_cpu_source_eps2(const struct ky_cpu *cpu)
{
    return cpu->softening && cpu->parameters->softening_kind == KY_SYMMETRIC;
}

double ky_cpu_sink_eps2(const struct ky_cpu *cpu, size_t i)
{
    double eps = cpu->softening ? cpu->softening[i] : cpu->parameters->softening / cpu->length;
    int both = !cpu->softening && cpu->parameters->softening_kind == KY_SYMMETRIC;
    return both ? 2 * eps * eps : eps * eps;
}

int ky_cpu_guard(const struct ky_cpu *cpu)
{
    double least = (double)INFINITY;
    for (size_t i = 0; i < (cpu->softening ? cpu->n : 1); i++)
        least = fmin(least, ky_cpu_sink_eps2(cpu, i));
    return !(least > (double)KY_CLOSE2);
}
