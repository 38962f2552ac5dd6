/* The maximum rate of change of the force on a body. The Hermite scheme needs it for a body on
 * which forces cancel, because differences of its forces are only rounding errors. */
#include "engine/cpu/steps/hermite.h"

#include <math.h>

#include "engine/common/external.h"
#include "physics/hermite_field.h"
#include "physics/softening.h"
#include "physics/space.h"

/* A field is treated as a source at its centre. Its accelerations are the caller's, `part` times
 * the engine's. */
static struct ky_hermite_rate add_field(struct ky_hermite_rate rate,
                                        const struct ky_external *field, double part,
                                        const double x[3], const double v[3])
{
    const struct ky_external_pull pull = ky_externals_at(field, 1, x, v);
    double r2 = 0, v2 = 0;
    for (int c = 0; c < 3; c++) {
        r2 += (x[c] - field->centre[c]) * (x[c] - field->centre[c]);
        v2 += v[c] * v[c];
    }
    const double a = part * sqrt(pull.x * pull.x + pull.y * pull.y + pull.z * pull.z);
    return ky_hermite_rate_pull(rate, a, r2, v2);
}

double ky_cpu_hermite_rate2_of(const struct ky_cpu *cpu, struct ky_hermite_rate rate, size_t i)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t fields = ky_cpu_externals(cpu, field);
    double *const *at = cpu->hermite->at;
    const double x[3] = {at[0][i], at[1][i], at[2][i]}, v[3] = {at[3][i], at[4][i], at[5][i]};
    for (size_t k = 0; k < fields; k++)
        rate = add_field(rate, &field[k], 1 / cpu->length, x, v);
    return rate.tides + rate.motion;
}

/* A body for which sources are summed, and the acceleration of a unit of mass. */
struct sink {
    const struct ky_cpu *cpu;
    size_t body;
    double scale;
};

/* Adds body j. */
static struct ky_hermite_rate add_body(struct ky_hermite_rate rate, struct sink sink, size_t j)
{
    const struct ky_cpu *cpu = sink.cpu;
    const size_t i = sink.body;
    double *const *at = cpu->hermite->at, *eps2 = cpu->hermite->eps2;
    const double x = KY_APART(at[0][j], at[0][i]), y = KY_APART(at[1][j], at[1][i]),
                 z = KY_APART(at[2][j], at[2][i]), u = at[3][j] - at[3][i], v = at[4][j] - at[4][i],
                 w = at[5][j] - at[5][i];
    const double per = ky_soften(x, y, z, eps2[i], eps2[j], cpu->how | KY_GUARD).y;
    return ky_hermite_rate_add(rate, per, u * u + v * v + w * w, sink.scale * cpu->mass[j],
                               sink.scale * cpu->mass[i]);
}

double ky_cpu_hermite_rate2(const struct ky_cpu *cpu, size_t i)
{
    const struct sink sink = {cpu, i, ky_cpu_scale(cpu).acceleration / cpu->length};
    struct ky_hermite_rate rate = {0};
    for (size_t j = 0; j < cpu->n; j++)
        if (j != i && cpu->mass[j] > 0) /* a body does not act on itself, softened or not */
            rate = add_body(rate, sink, j);
    return ky_cpu_hermite_rate2_of(cpu, rate, i);
}
