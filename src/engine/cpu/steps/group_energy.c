/* Energies of groups. While the members of a group do not pull others, the centre of mass does. The
 * energy of all centres is then conserved, but not the sum of it, of the energy within groups and
 * of the tidal energy T between members and others: this sum changes by the change of T and by the
 * work W of others within groups. Both are booked as the work of hand-overs, from the step on in
 * which the centre begins to pull in place of the members, until they pull again or the group ends.
 * T is subtracted at the beginning and added at the end.
 *
 * All energies are G × energy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "physics/few.h"

/* ---- tides ---- */

/* Bodies, of which each group is one, in the engine's units. */
struct field {
    const double *x[3], *mass;
    size_t n;
};

/* The tidal energy of a group at the time: the potential energy of the members, less the centre's,
 * in the field of all other bodies and in external fields. */
static double tides_on(const struct ky_cpu *cpu, const struct field *field,
                       const struct ky_cpu_group *group, double time)
{
    const uint32_t slot = group->member[0];
    const struct ky_moving others = {.x = {field->x[0], field->x[1], field->x[2]},
                                     .mass = field->mass,
                                     .label = cpu->hermite->groups->label};
    struct ky_moving_sinks sinks = {.count = (size_t)group->n + 1};
    struct ky_cpu_inside inside;
    ky_cpu_group_look(group, time, 0, &inside);
    for (int k = 0; k <= group->n; k++) { /* the last one is the centre */
        sinks.label[k] = (int32_t)slot;
        sinks.h2[k] = -1;
        for (int c = 0; c < 3; c++)
            sinks.x[c][k] = field->x[c][slot] + (k < group->n ? inside.x[k][c] / cpu->length : 0);
    }
    cpu->lanes->moving[KY_DOUBLE](&others, 0, field->n, &sinks);
    double energy = ky_cpu_group_mass(group) * sinks.sum[3][group->n]; /* −potential */
    for (int k = 0; k < group->n; k++)
        energy -= group->mass[k] * sinks.sum[3][k];
    const double centre[3] = {field->x[0][slot], field->x[1][slot], field->x[2][slot]};
    return energy * pow(ky_cpu_groups_gm(cpu, 1), 2) / cpu->length +
           ky_cpu_group_field_energy(cpu, group, centre, &inside);
}
_Static_assert((int)KY_GROUP_MOST < (int)KY_MOVING_BLOCK, "members and centre are one block");

/* ---- the book ---- */

void ky_cpu_group_add(struct ky_cpu_groups *own, struct ky_cpu_group *group)
{
    own->handover_work += group->handover_work;
    own->slow_work += group->slow_work;
    group->handover_work = group->slow_work = 0;
}

void ky_cpu_group_count(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time,
                        int counts)
{
    double *const *at = cpu->hermite->at;
    const struct field field = {{at[0], at[1], at[2]}, cpu->mass, cpu->n};
    if (group->counts == counts)
        return;
    group->counts = counts;
    group->handover_work += (counts ? -1 : 1) * tides_on(cpu, &field, group, time);
}

/* The energy of the slowed motion of more than two bodies, less their energy without slow-down. */
static double slow_energy(const struct ky_cpu_group *group)
{
    if (!group->few)
        return 0;
    struct ky_few own = *group->few;
    const double energy = ky_few_slow_energy(&own.system);
    ky_few_release(&own);
    return energy - ky_few_energy(&own.system);
}

void ky_cpu_group_close(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time)
{
    ky_cpu_group_count(cpu, group, time, 0);
    group->slow_work -= slow_energy(group);
    ky_cpu_group_add(cpu->hermite->groups, group);
}

double ky_cpu_pair_energy(const struct ky_few_binary *pair)
{
    const double total = pair->gm[0] + pair->gm[1];
    return pair->gm[0] * pair->gm[1] *
           (0.5 * ky_few_square(pair->v[0], pair->v[1], pair->v[2]) / total -
            ky_few_inverse(ky_few_square(pair->x[0], pair->x[1], pair->x[2])));
}

void ky_cpu_groups_report(struct ky_cpu *cpu, struct ky_advance *way)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    if (!own)
        return;
    way->handover_work = own->handover_work;
    way->slow_work = own->slow_work;
}

/* ---- the verb ---- */

/* The energy of the inside, without slow-down. */
static double energy_of(const struct ky_cpu_group *group)
{
    if (!group->few)
        return ky_cpu_pair_energy(&group->pair);
    struct ky_few own = *group->few;
    ky_few_release(&own);
    return ky_few_energy(&own.system);
}

/* Bodies and centres while the engine has the members. NULL if memory runs out. */
static double *centres_of(const struct ky_cpu *cpu, struct field *field)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const size_t n = cpu->n;
    double *x = ky_allocate(n, 4 * sizeof *x);
    if (!x)
        return NULL;
    for (size_t c = 0; c < 3; c++)
        memcpy(x + c * n, cpu->x[c], n * sizeof *x);
    memcpy(x + 3 * n, cpu->mass, n * sizeof *x);
    for (size_t k = 0; k < own->count; k++) {
        const struct ky_cpu_group *group = own->group[k];
        for (int m = 0; m < group->n; m++)
            x[3 * n + group->member[m]] = 0;
        x[3 * n + group->member[0]] = ky_cpu_group_mass(group);
        for (size_t c = 0; c < 3; c++)
            x[c * n + group->member[0]] = group->centre[c];
    }
    *field = (struct field){{x, x + n, x + 2 * n}, x + 3 * n, n};
    return x;
}

/* The sum of the tides of groups whose book is open; NaN if memory runs out. */
static double all_tides(const struct ky_cpu *cpu)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    struct field field;
    double sum = 0, *centres = centres_of(cpu, &field),
           *tides = ky_allocate(own->count, sizeof *tides);
    const size_t count = centres && tides ? own->count : 0;
#pragma omp parallel for schedule(dynamic) num_threads(cpu->threads)
    for (size_t k = 0; k < count; k++)
        tides[k] =
            own->group[k]->counts ? tides_on(cpu, &field, own->group[k], own->group[k]->shown) : 0;
    for (size_t k = 0; k < count; k++)
        sum += tides[k];
    free(centres);
    free(tides);
    return count == own->count ? sum : (double)NAN;
}

void ky_cpu_grouped(const struct ky_engine *engine, int tides, struct ky_close_bodies *grouped)
{
    const struct ky_cpu *cpu = (const struct ky_cpu *)engine;
    if (!cpu->hermite || !cpu->extra[KY_COLUMN_GROUP] || !ky_cpu_groups_are_packed(cpu))
        return;
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    for (size_t k = 0; k < own->count; k++) {
        grouped->bodies += (size_t)own->group[k]->n;
        grouped->energy += energy_of(own->group[k]);
        grouped->slow_energy += slow_energy(own->group[k]);
    }
    if (tides)
        grouped->tides = all_tides(cpu);
}
