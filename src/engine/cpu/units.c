/* The engine's own units and what depends on them; see cpu.h. */
#include "engine/cpu/cpu.h"

#include <math.h>
#include <string.h>

/* The smallest power of two above x, times 2^shift; 1 for what has no scale. */
static double power_of_two(double x, int shift)
{
    if (!(x > 0) || !isfinite(x))
        return 1;
    int exponent;
    frexp(x, &exponent);
    exponent += shift;
    exponent = exponent > 500 ? 500 : exponent < -500 ? -500 : exponent;
    return ldexp(1.0, exponent);
}

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

/* Mean of position and mass, then the mean distance from there along the axes. The mean, not the
 * extent, so that an escaper does not shrink the rest; yet nothing is farther than n times it. */
void ky_cpu_choose_units(struct ky_cpu *cpu, const struct ky_bodies *bodies)
{
    double mean[5] = {0}, size = 0, per = 1 / (double)(cpu->n ? cpu->n : 1);
    for (size_t i = 0; i < cpu->n; i++) {
        for (int c = 0; c < 3; c++)
            mean[c] += bodies->position[i][c] * per;
        mean[3] += bodies->mass[i] * per;
        double eps = bodies->softening ? bodies->softening[i] : cpu->parameters->softening;
        mean[4] = eps > mean[4] ? eps : mean[4];
    }
    for (size_t i = 0; i < cpu->n; i++)
        for (int c = 0; c < 3; c++)
            size += fabs(bodies->position[i][c] - mean[c]) * per;
    cpu->length = power_of_two(fmax(size, mean[4]), -10);
    cpu->mass_unit = power_of_two(mean[3], 0);
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
