/* The second and third derivatives of accelerations, once at the start, from which the first steps
 * of the Hermite scheme follow. */
#include "engine/cpu/hermite.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/external.h"
#include "physics/hermite.h"
#include "physics/softening.h"

/* Bodies from which on several threads are worth while. */
enum { FEW = 64 };

/* y = 1/s of a pair, 0 for bodies that coincide and for a body with itself. */
static double pair(const struct ky_cpu *cpu, const struct ky_hermite_motion *r, size_t i, size_t j)
{
    const double *eps2 = cpu->hermite.eps2;
    const double y = ky_soften(r->x, r->y, r->z, eps2[i], eps2[j], cpu->how | KY_GUARD).y;
    return i == j ? 0 : y;
}

static struct ky_hermite_motion relative(const struct ky_hermite_motion *to,
                                         const struct ky_hermite_motion *from)
{
    struct ky_hermite_motion r = {to->x - from->x,   to->y - from->y,   to->z - from->z,
                                  to->vx - from->vx, to->vy - from->vy, to->vz - from->vz,
                                  to->ax - from->ax, to->ay - from->ay, to->az - from->az,
                                  to->jx - from->jx, to->jy - from->jy, to->jz - from->jz};
    return r;
}

/* The motion of a body in the engine's lengths. */
static struct ky_hermite_motion motion_of(const struct ky_cpu *cpu, size_t i)
{
    double *const *at = cpu->hermite.at;
    const double *jerk = cpu->extra[KY_COLUMN_JERK], part = 1 / cpu->length;
    const size_t n = cpu->n;
    return (struct ky_hermite_motion){at[0][i],
                                      at[1][i],
                                      at[2][i],
                                      at[3][i],
                                      at[4][i],
                                      at[5][i],
                                      cpu->a[0][i] * part,
                                      cpu->a[1][i] * part,
                                      cpu->a[2][i] * part,
                                      jerk[i] * part,
                                      jerk[n + i] * part,
                                      jerk[2 * n + i] * part};
}

static struct ky_hermite_change pairs_change(const struct ky_cpu *cpu,
                                             const struct ky_hermite_motion *motion, size_t i)
{
    const double scale = ky_cpu_scale(cpu).acceleration / cpu->length;
    struct ky_hermite_change sum = {0};
    for (size_t j = 0; j < cpu->n; j++) {
        const struct ky_hermite_motion r = relative(&motion[j], &motion[i]);
        sum = ky_add_change(sum, r, pair(cpu, &r, i, j), scale * cpu->mass[j]);
    }
    return sum;
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
static void add_field(const struct ky_external *field, const struct ky_hermite_motion *m,
                      double s[3], double c[3])
{
    const double x[3] = {m->x, m->y, m->z}, v[3] = {m->vx, m->vy, m->vz},
                 a[3] = {m->ax, m->ay, m->az}, j[3] = {m->jx, m->jy, m->jz};
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

static void change_of(struct ky_cpu *cpu, const struct ky_external *field, size_t fields,
                      const struct ky_hermite_motion *motion, size_t i)
{
    const struct ky_hermite_change sum = pairs_change(cpu, motion, i);
    const double length = cpu->length;
    double s[3] = {sum.sx * length, sum.sy * length, sum.sz * length},
           c[3] = {sum.cx * length, sum.cy * length, sum.cz * length};
    for (size_t k = 0; k < fields; k++)
        add_field(&field[k], &motion[i], s, c);
    for (int k = 0; k < 3; k++) {
        cpu->hermite.sum[k][i] = s[k];
        cpu->hermite.sum[3 + k][i] = c[k];
    }
}

enum ky_status ky_cpu_sum_changes(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const size_t fields = ky_cpu_externals(cpu, field);
    struct ky_hermite_motion *motion = ky_allocate(cpu->n, sizeof *motion);
    if (!motion)
        return ky_no_memory(error, "first steps", cpu->n, sizeof *motion);
    for (size_t i = 0; i < cpu->n; i++)
        motion[i] = motion_of(cpu, i);
#pragma omp parallel for schedule(dynamic, 16) num_threads(cpu->threads) if (cpu->n > FEW)
    for (size_t i = 0; i < cpu->n; i++)
        change_of(cpu, field, fields, motion, i);
    free(motion);
    return KY_OK;
}
