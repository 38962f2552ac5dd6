/* The second and third derivatives of accelerations, once at the start, from which the first steps
 * of the Hermite scheme follow. */
#include "engine/cpu/hermite.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/external.h"

/* Bodies from which on several threads are worth while: more than a block. */
enum { FEW = KY_CHANGE_BLOCK };

/* The numbers of a body in the engine's lengths. */
static void fill(const struct ky_cpu *cpu, size_t i, double body[KY_CHANGE_NUMBERS])
{
    const double *jerk = cpu->extra[KY_COLUMN_JERK], part = 1 / cpu->length;
    for (size_t c = 0; c < 3; c++) {
        body[c] = cpu->hermite.at[c][i];
        body[3 + c] = cpu->hermite.at[3 + c][i];
        body[6 + c] = cpu->a[c][i] * part;
        body[9 + c] = jerk[c * cpu->n + i] * part;
    }
    body[KY_CHANGE_MASS] = ky_cpu_scale(cpu).acceleration * part * cpu->mass[i];
    body[KY_CHANGE_EPS2] = cpu->hermite.eps2[i];
}

/* The jerk of a field on a body of velocity u that stands at x + h v. */
static void jerk_at(const struct ky_external *field, const double x[3], double h, const double v[3],
                    const double u[3], double jerk[3])
{
    const double at[3] = {x[0] + h * v[0], x[1] + h * v[1], x[2] + h * v[2]};
    const struct ky_external_pull pull = ky_externals_at(field, 1, at, u);
    jerk[0] = pull.jx, jerk[1] = pull.jy, jerk[2] = pull.jz;
}

/* A time in which a body goes a small part of its way to the centre of a field; 0 at rest. */
static double moment(const struct ky_external *field, const double x[3], const double v[3])
{
    double r2 = 0, v2 = 0;
    for (int k = 0; k < 3; k++) {
        r2 += (x[k] - field->centre[k]) * (x[k] - field->centre[k]);
        v2 += v[k] * v[k];
    }
    return v2 > 0 ? sqrt(r2 / v2) / 256 : 0;
}

/* Adds the derivatives of a field F(x) along a body's path, F" v v + F' a and F"' v v v + 3 F" v a
 * + F' j. The jerk of a body of velocity u is F' u; differences of it along v stand for the rest,
 * which is good enough for the choice of a step. */
static void add_field(const struct ky_external *field, const double body[KY_CHANGE_NUMBERS],
                      double s[3], double c[3])
{
    const double *x = body, *v = body + 3, *a = body + 6, *j = body + 9;
    const double h = moment(field, x, v), per = h > 0 ? 1 / h : 0;
    double now[3], of_a[3], of_j[3], on[3], back[3], on_a[3], back_a[3];
    jerk_at(field, x, 0, v, v, now);
    jerk_at(field, x, 0, v, a, of_a);
    jerk_at(field, x, 0, v, j, of_j);
    jerk_at(field, x, h, v, v, on);
    jerk_at(field, x, -h, v, v, back);
    jerk_at(field, x, h, v, a, on_a);
    jerk_at(field, x, -h, v, a, back_a);
    for (int k = 0; k < 3; k++) {
        s[k] += of_a[k] + (on[k] - back[k]) * per / 2;
        c[k] += of_j[k] + 3 * (on_a[k] - back_a[k]) * per / 2 +
                (on[k] - 2 * now[k] + back[k]) * per * per;
    }
}

/* What the fields do to a body is added to what the bodies do, in the caller's units. */
static void store(struct ky_cpu *cpu, const struct ky_external *field, size_t fields,
                  const double body[KY_CHANGE_NUMBERS], const struct ky_change_sinks *sinks,
                  size_t i)
{
    const size_t own = i - sinks->first;
    double change[KY_CHANGE_DERIVATIVES];
    for (int c = 0; c < KY_CHANGE_DERIVATIVES; c++)
        change[c] = sinks->sum[c][own] * cpu->length;
    for (size_t k = 0; k < fields; k++)
        add_field(&field[k], body, change, change + 3);
    for (int c = 0; c < KY_CHANGE_DERIVATIVES; c++)
        cpu->hermite.sum[c][i] = change[c];
    const struct ky_hermite_rate rate = {sinks->sum[KY_CHANGE_DERIVATIVES][own],
                                         sinks->sum[KY_CHANGE_DERIVATIVES + 1][own]};
    cpu->hermite.rate2[i] = ky_cpu_hermite_rate2_of(cpu, rate, i);
}

enum ky_status ky_cpu_sum_changes(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t n = cpu->n, fields = ky_cpu_externals(cpu, field);
    double(*body)[KY_CHANGE_NUMBERS] = ky_allocate(n, sizeof *body);
    if (!body)
        return ky_no_memory(error, "first steps", n, sizeof *body);
    const struct ky_changing changing = {n, (const double(*)[KY_CHANGE_NUMBERS])body, cpu->how};
    for (size_t i = 0; i < n; i++)
        fill(cpu, i, body[i]);
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (n > FEW)
    for (size_t first = 0; first < n; first += KY_CHANGE_BLOCK) {
        const size_t left = n - first;
        struct ky_change_sinks sinks = {
            first, left < KY_CHANGE_BLOCK ? left : KY_CHANGE_BLOCK, {{0}}};
        cpu->lanes->change(&changing, &sinks);
        for (size_t i = first; i < first + sinks.count; i++)
            store(cpu, field, fields, body[i], &sinks, i);
    }
    free(body);
    return KY_OK;
}
