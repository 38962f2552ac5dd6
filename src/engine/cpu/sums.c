/* Energies, momenta and the like over all bodies, in double. */
#include "engine/cpu/cpu.h"

#include <string.h>

enum { MASS, CENTRE, MOMENTUM = 4, ANGULAR = 7, KINETIC = 10, POTENTIAL, VIRIAL, FORCE, END = 16 };

/* Positions and masses are in the engine's units, so are these sums as far as they hold them. */
static void sum_chunk(const struct ky_cpu *cpu, size_t first, size_t last, double sum[END])
{
    memset(sum, 0, END * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        double m = cpu->mass[i], x[3], v[3], a[3];
        for (int c = 0; c < 3; c++)
            x[c] = cpu->x[c][i], v[c] = cpu->v[c][i], a[c] = cpu->a[c][i];
        sum[MASS] += m;
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            sum[CENTRE + c] += m * x[c];
            sum[MOMENTUM + c] += m * v[c];
            sum[ANGULAR + c] += m * (x[d] * v[e] - x[e] * v[d]);
            sum[KINETIC] += 0.5 * m * v[c] * v[c];
            sum[VIRIAL] += m * x[c] * a[c];
            sum[FORCE + c] += m * a[c];
        }
        sum[POTENTIAL] += 0.5 * m * cpu->potential[i];
    }
}

_Static_assert((int)END <= (int)KY_PARTIAL, "a chunk's sums must fit its place");

enum ky_status ky_cpu_sums(struct ky_engine *engine, struct ky_sums *sums, struct ky_error *error)
{
    (void)error;
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    size_t chunks = (cpu->n + KY_BODIES_CHUNK - 1) / KY_BODIES_CHUNK;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < chunks; k++) {
        size_t first = k * KY_BODIES_CHUNK, last = first + KY_BODIES_CHUNK;
        sum_chunk(cpu, first, last < cpu->n ? last : cpu->n, cpu->partial + k * KY_PARTIAL);
    }
    double sum[END] = {0}, m = cpu->mass_unit, l = cpu->length;
    for (size_t k = 0; k < chunks; k++)
        for (int c = 0; c < END; c++)
            sum[c] += cpu->partial[k * KY_PARTIAL + (size_t)c];
    sums->mass = sum[MASS] * m;
    sums->kinetic = sum[KINETIC] * m;
    sums->potential = sum[POTENTIAL] * m;
    sums->virial = sum[VIRIAL] * m * l;
    for (int c = 0; c < 3; c++) {
        sums->centre[c] = sum[MASS] > 0 ? sum[CENTRE + c] / sum[MASS] * l : 0;
        sums->momentum[c] = sum[MOMENTUM + c] * m;
        sums->angular_momentum[c] = sum[ANGULAR + c] * m * l;
        /* About the centre of mass: a tree's forces do not quite add up to nothing. */
        sums->virial -= sums->centre[c] * sum[FORCE + c] * m;
    }
    return KY_OK;
}
