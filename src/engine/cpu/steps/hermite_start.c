/* The second and third derivatives of accelerations, computed once at the start, which determine
 * the first steps of the Hermite scheme. */
#include "engine/cpu/steps/hermite.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/external.h"

/* Fields in the form that hermite_field.h needs. */
#define KY_FIELD const struct ky_external *
#define KY_FIELD_PULL(field, at) ky_externals_on(field, 1, at)

#include "physics/hermite_field.h"

/* Number of bodies for which several threads are worth their start: more than a block. */
enum { FEW = KY_CHANGE_BLOCK };

/* Fills the numbers of a body, with lengths in the engine's unit. */
static void fill(const struct ky_cpu *cpu, size_t i, double body[KY_CHANGE_NUMBERS])
{
    const double *jerk = cpu->extra[KY_COLUMN_JERK], part = 1 / cpu->length;
    for (size_t c = 0; c < 3; c++) {
        body[c] = cpu->hermite->at[c][i];
        body[3 + c] = cpu->hermite->at[3 + c][i];
        body[6 + c] = cpu->a[c][i] * part;
        body[9 + c] = jerk[c * cpu->n + i] * part;
    }
    body[KY_CHANGE_MASS] = ky_cpu_scale(cpu).acceleration * part * cpu->mass[i];
    body[KY_CHANGE_EPS2] = cpu->hermite->eps2[i];
}

/* Adds the fields' contribution to the bodies', in the caller's units, for body i, which is sink
 * number `own`. */
static void store(struct ky_cpu *cpu, const struct ky_external *field, size_t fields,
                  const double body[KY_CHANGE_NUMBERS], const struct ky_change_sinks *sinks,
                  size_t own, size_t i)
{
    const struct ky_hermite_motion m = {body[0], body[1], body[2], body[3], body[4],  body[5],
                                        body[6], body[7], body[8], body[9], body[10], body[11]};
    double of[KY_CHANGE_DERIVATIVES];
    for (int c = 0; c < KY_CHANGE_DERIVATIVES; c++)
        of[c] = sinks->sum[c][own] * cpu->length;
    struct ky_hermite_change change = {of[0], of[1], of[2], of[3], of[4], of[5]};
    for (size_t k = 0; k < fields; k++) {
        const double *centre = field[k].centre;
        const double h = ky_field_moment(m, centre[0], centre[1], centre[2]);
        change = ky_add_field_change(change, &field[k], m, h);
    }
    const double sum[KY_CHANGE_DERIVATIVES] = {change.sx, change.sy, change.sz,
                                               change.cx, change.cy, change.cz};
    for (int c = 0; c < KY_CHANGE_DERIVATIVES; c++)
        cpu->hermite->sum[c][i] = sum[c];
    const struct ky_hermite_rate rate = {sinks->sum[KY_CHANGE_DERIVATIVES][own],
                                         sinks->sum[KY_CHANGE_DERIVATIVES + 1][own]};
    cpu->hermite->rate2[i] = ky_cpu_hermite_rate2_of(cpu, rate, i);
}

/* The derivatives for all bodies. */
static void change_some(struct ky_cpu *cpu, const struct ky_changing *changing)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t fields = ky_cpu_externals(cpu, field), count = cpu->n;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads) if (count > FEW)
    for (size_t first = 0; first < count; first += KY_CHANGE_BLOCK) {
        const size_t left = count - first;
        struct ky_change_sinks sinks = {
            first, left < KY_CHANGE_BLOCK ? left : KY_CHANGE_BLOCK, {{0}}};
        cpu->lanes->change(changing, &sinks);
        for (size_t own = 0; own < sinks.count; own++)
            store(cpu, field, fields, changing->body[sinks.first + own], &sinks, own,
                  ky_cpu_by_mass(cpu, first + own));
    }
}

/* The sinks are the bodies with mass, then the massless bodies; only bodies with mass are
 * sources. */
enum ky_status ky_cpu_sum_changes(struct ky_cpu *cpu, struct ky_error *error)
{
    const size_t acting = cpu->massless.sources;
    double(*body)[KY_CHANGE_NUMBERS];
    KY_TRY(ky_array(&body, cpu->n, sizeof *body, "first steps", error));
    const struct ky_changing changing = {acting, (const double(*)[KY_CHANGE_NUMBERS])body,
                                         cpu->how};
    for (size_t k = 0; k < cpu->n; k++)
        fill(cpu, ky_cpu_by_mass(cpu, k), body[k]);
    change_some(cpu, &changing);
    free(body);
    return KY_OK;
}
