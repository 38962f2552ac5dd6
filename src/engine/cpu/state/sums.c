/* Energies, momenta and the like over all bodies, in double. */
#include "engine/cpu/state/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/common/external.h"

/* Adds the sums over some bodies; `many`: potentials of the field for many places, or NULL. In the
 * columns positions and masses are in the engine's units, everything else in the caller's. */
static void sum_chunk(const struct ky_cpu *cpu, const struct ky_external *field, size_t fields,
                      const double *many, size_t first, size_t last, double sum[KY_SUMS])
{
    memset(sum, 0, KY_SUMS * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        double m = cpu->mass[i], x[3], v[3], a[3];
        for (int c = 0; c < 3; c++)
            x[c] = cpu->x[c][i], v[c] = cpu->v[c][i], a[c] = cpu->a[c][i];
        sum[KY_SUM_MASS] += m;
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            sum[KY_SUM_CENTRE + c] += m * x[c];
            sum[KY_SUM_MOMENTUM + c] += m * v[c];
            sum[KY_SUM_ANGULAR + c] += m * (x[d] * v[e] - x[e] * v[d]);
            sum[KY_SUM_KINETIC] += 0.5 * m * v[c] * v[c];
            sum[KY_SUM_VIRIAL] += m * x[c] * a[c];
            sum[KY_SUM_FORCE + c] += m * a[c];
        }
        sum[KY_SUM_POTENTIAL] += 0.5 * m * cpu->potential[i];
        sum[KY_SUM_EXTERNAL] += m * ky_externals_at(field, fields, x, NULL).potential;
        if (many) /* in the unit of the others: ky_cpu_sums */
            sum[KY_SUM_EXTERNAL] += m * (many[i] / cpu->length);
    }
}

enum ky_status ky_cpu_sums(const struct ky_cpu *cpu, struct ky_partial_sums *parts,
                           struct ky_error *error)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t fields = ky_externals_plain_count(&cpu->base.externals),
                 chunks = (cpu->n + KY_SUM_CHUNK - 1) / KY_SUM_CHUNK;
    double *many = NULL;
    ky_cpu_externals(cpu, field);
    parts->units = (struct ky_sum_units){cpu->mass_unit, cpu->length, 1, 1, 1, cpu->length};
    parts->of = ky_allocate(chunks, sizeof *parts->of);
    if (!parts->of)
        return ky_no_memory(error, "partial sums", chunks, sizeof *parts->of);
    parts->count = chunks;
    enum ky_status status = ky_cpu_many_potentials(cpu, &many, error);
    if (status)
        return status;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < chunks; k++) {
        const size_t first = k * KY_SUM_CHUNK, last = first + KY_SUM_CHUNK;
        sum_chunk(cpu, field, fields, many, first, last < cpu->n ? last : cpu->n, parts->of[k]);
    }
    free(many);
    return KY_OK;
}
