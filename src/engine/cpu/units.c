/* The engine's own units and what depends on them; see cpu.h. */
#include "engine/cpu/cpu.h"

#include <math.h>
#include <string.h>

#include "engine/units.h"

static size_t chunks_of(size_t n)
{
    return (n + KY_BODIES_CHUNK - 1) / KY_BODIES_CHUNK;
}

static void total(const struct ky_cpu *cpu, int count, double *sum)
{
    memset(sum, 0, (size_t)count * sizeof *sum);
    for (size_t k = 0; k < chunks_of(cpu->n); k++)
        for (int c = 0; c < count; c++)
            sum[c] += cpu->partial[k * KY_PARTIAL + (size_t)c];
}

void ky_cpu_centre(struct ky_cpu *cpu, double centre[3])
{
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < chunks_of(cpu->n); k++) {
        size_t last = (k + 1) * KY_BODIES_CHUNK < cpu->n ? (k + 1) * KY_BODIES_CHUNK : cpu->n;
        for (size_t c = 0; c < 3; c++) {
            double sum = 0;
            for (size_t i = k * KY_BODIES_CHUNK; i < last; i++)
                sum += cpu->x[c][i];
            cpu->partial[k * KY_PARTIAL + c] = sum / (double)cpu->n;
        }
    }
    total(cpu, 3, centre);
}

void ky_cpu_choose_units(struct ky_cpu *cpu, const struct ky_bodies *bodies)
{
    struct ky_engine_units units = ky_engine_units(bodies, cpu->parameters->softening);
    cpu->length = units.length;
    cpu->mass_unit = units.mass;
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

int ky_cpu_guard(const struct ky_cpu *cpu, double close2)
{
    double least = (double)INFINITY;
    for (size_t i = 0; i < (cpu->softening ? cpu->n : 1); i++)
        least = fmin(least, ky_cpu_sink_eps2(cpu, i));
    return !(least > close2);
}
