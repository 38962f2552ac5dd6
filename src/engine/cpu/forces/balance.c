/* The net force in a periodic box: see ky_force_balances. */
#include "engine/cpu/forces/forces.h"

#include <math.h>
#include <string.h>

#include "engine/common/balance.h"

/* m |a| of body i. */
static double size_of(const struct ky_cpu *cpu, size_t i)
{
    return cpu->mass[i] * sqrt(cpu->a[0][i] * cpu->a[0][i] + cpu->a[1][i] * cpu->a[1][i] +
                               cpu->a[2][i] * cpu->a[2][i]);
}

/* The largest m |a| of all ranks. Numbers from 0 on are in the order of their bits, and after
 * them is infinity and what is not a number. */
static enum ky_status find_largest(const struct ky_cpu *cpu, double *largest,
                                   struct ky_error *error)
{
    uint64_t most = 0;
#pragma omp parallel for num_threads(cpu->team) reduction(max : most)
    for (size_t i = 0; i < cpu->n; i++) {
        const double size = fabs(size_of(cpu, i));
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        most = bits > most ? bits : most;
    }
    if (ky_cpu_is_divided(cpu))
        KY_TRY(ky_shared_largest(cpu->base.shared, &most, error));
    memcpy(largest, &most, sizeof most);
    return KY_OK;
}

/* Σ m a and Σ m |a| of all ranks times `scale`, as integers, whose sums have no order. */
static enum ky_status add_forces(const struct ky_cpu *cpu, double scale, uint64_t sum[4],
                                 struct ky_error *error)
{
    uint64_t x = 0, y = 0, z = 0, all = 0;
#pragma omp parallel for num_threads(cpu->team) reduction(+ : x, y, z, all)
    for (size_t i = 0; i < cpu->n; i++) {
        const double m = cpu->mass[i] * scale;
        x += (uint64_t)(int64_t)(m * cpu->a[0][i]);
        y += (uint64_t)(int64_t)(m * cpu->a[1][i]);
        z += (uint64_t)(int64_t)(m * cpu->a[2][i]);
        all += (uint64_t)(size_of(cpu, i) * scale);
    }
    const uint64_t own[] = {x, y, z, all};
    memcpy(sum, own, sizeof own);
    return ky_cpu_is_divided(cpu) ? cpu->base.shared->add(cpu->base.shared->context, sum, 4, error)
                                  : KY_OK;
}

static void subtract(struct ky_cpu *cpu, const double net[3])
{
#pragma omp parallel for num_threads(cpu->team)
    for (size_t i = 0; i < cpu->n; i++) {
        const double a = cpu->mass[i] > 0 ? size_of(cpu, i) / cpu->mass[i] : 0;
        for (int c = 0; c < 3; c++)
            cpu->a[c][i] -= net[c] * a;
    }
}

enum ky_status ky_cpu_balance(struct ky_cpu *cpu, struct ky_error *error)
{
    const size_t sources = ky_cpu_has_massless(cpu) ? cpu->massless.sources : ky_cpu_system(cpu);
    double largest, net[3];
    uint64_t sum[4];
    int exponent;
    if (!ky_force_balances(cpu->parameters))
        return KY_OK;
    KY_TRY(find_largest(cpu, &largest, error));
    if (!(largest > 0) || !isfinite(largest)) /* `get` finds an impossible force */
        return KY_OK;
    frexp(largest, &exponent);
    KY_TRY(add_forces(cpu, ldexp(1, ky_balance_bits(sources) - exponent), sum, error));
    for (int c = 0; c < 3; c++)
        net[c] = (double)(int64_t)sum[c] / (double)sum[3];
    subtract(cpu, net);
    return KY_OK;
}
