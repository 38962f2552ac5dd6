/* What the relative opening test takes from the last accelerations. */
#include <math.h>

#include "engine/cpu/cpu.h"
#include "physics/opening.h"

/* |a| of a body at the last evaluation, for G = 1 in the engine's units. */
static double last_acceleration(const struct ky_cpu *cpu, size_t i)
{
    double a2 = 0;
    for (int c = 0; c < 3; c++)
        a2 += cpu->a[c][i] * cpu->a[c][i];
    return sqrt(a2) / ky_cpu_scale(cpu).acceleration;
}

/* See ky_opening_floor. */
double ky_cpu_acceleration_floor(struct ky_cpu *cpu)
{
    unsigned long long count[KY_OPENING_EXPONENTS] = {0};
#pragma omp parallel for num_threads(cpu->team) reduction(+ : count)
    for (size_t i = 0; i < cpu->n; i++) {
        double a = last_acceleration(cpu, i);
        count[ky_opening_place(a)] += a > 0;
    }
    return ky_opening_floor(count);
}

double ky_cpu_relative_factor(const struct ky_cpu *cpu, const uint32_t *body, size_t count,
                              double floor)
{
    double least = (double)INFINITY;
    for (size_t k = 0; k < count; k++)
        least = fmin(least, last_acceleration(cpu, body[k]));
    return fmin(ky_opening_relative_factor(cpu->parameters->alpha, fmax(least, floor),
                                           cpu->parameters->multipole),
                1e30);
}
