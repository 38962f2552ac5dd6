/* When bodies become a group, and when a group ends. */
#include <math.h>

#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "physics/few.h"

/* The distance up to which two groups or bodies may be one group. */
static double reach_of(const struct ky_cpu *cpu, double sizes)
{
    const double radius = cpu->hermite->groups->radius;
    return fmax(radius, fmin(3 * sizes, KY_GROUP_REACH * radius));
}

static double size_of(const struct ky_cpu *cpu, size_t i)
{
    const struct ky_cpu_group *group = ky_cpu_group_of(cpu, i);
    return group ? group->size : 0;
}

static int members_of(const struct ky_cpu *cpu, size_t i)
{
    const struct ky_cpu_group *group = ky_cpu_group_of(cpu, i);
    return group ? group->n : 1;
}

/* A group does not form where another body pulls it apart by more than the first part of the
 * group's own pull, and ends where one does so by more than the second. The members of two groups
 * pull each other through the centres alone, so that two wide groups beside each other would lose
 * energy. */
static const double pulled_apart[2] = {0.1, 0.3};
/* Nor does a group form beside another one where the energy of the quadrupoles of both, which is
 * missing then, is more than the first part of the kinetic energy of all centres. From the second
 * part on the wider one of both ends. A pair that is much less wide than the other group forms
 * nevertheless, since otherwise it would need very short steps. */
static const double missing[2] = {1e-6, 3e-6}, much_less = 0.2;
/* A group that no body pulls apart by more than this in a step is not pulled apart in the next. */
static const double hardly = 1e-3;

/* The energy of the quadrupoles of two groups at the distance r, about
 *
 *     G M₁ M₂/r (s₁ s₂/r²)²    for the sizes s,
 *
 * in parts of the kinetic energy of all centres. */
static double missing_beside(const struct ky_cpu *cpu, const struct ky_cpu_group *other, double gm,
                             double size, double r)
{
    const double energy = cpu->hermite->groups->energy, part = size * other->size / (r * r);
    return energy > 0 ? gm * other->gm / (r * energy) * part * part : 0;
}

/* A group of the bodies i, j and k, or of i and j (then k is i), or of the members that body i
 * stands for (then j is i, too). Mass and centre in the units of the table, size in the user's. */
struct place {
    size_t i, j, k;
    double mass, centre[3], size;
};

/* 1 if a group without i and j is so near that too much energy would be missing. */
static int is_beside_group(const struct ky_cpu *cpu, const struct place *place)
{
    const double *centre = place->centre;
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    double *const *at = cpu->hermite->at;
    for (size_t g = 0; g < own->count; g++) {
        const uint32_t k = own->group[g]->member[0];
        const double r =
            sqrt(ky_few_square(at[0][k] - centre[0], at[1][k] - centre[1], at[2][k] - centre[2])) *
            cpu->length;
        if (k != place->i && k != place->j && place->size > much_less * own->group[g]->size &&
            missing_beside(cpu, own->group[g], ky_cpu_groups_gm(cpu, place->mass), place->size, r) >
                missing[0])
            return 1;
    }
    return 0;
}

/* A body of mass m pulls a group at this place apart within a distance whose sixth power is m²
 * times this, in the units of the table. */
static double reach6_of(const struct ky_cpu *cpu, const struct place *place)
{
    const double reach2 =
        ky_cpu_group_reach2(place->size / cpu->length, place->mass, pulled_apart[0]);
    return reach2 * reach2 * reach2;
}

/* The number of bodies [first, end) that do so. The weights of bodies are not asked for, since a
 * body that has just left a group has an old one. */
static int count_pulling(const struct ky_cpu *cpu, const struct place *place, double reach6,
                         size_t first, size_t end)
{
    double *const *at = cpu->hermite->at;
    const double *x = at[0], *y = at[1], *z = at[2], *mass = cpu->mass, cx = place->centre[0],
                 cy = place->centre[1], cz = place->centre[2];
    int count = 0;
    for (size_t k = first; k < end; k++) {
        const double r2 = ky_few_square(x[k] - cx, y[k] - cy, z[k] - cz);
        count += r2 * r2 * r2 < reach6 * mass[k] * mass[k];
    }
    return count;
}

/* The number of bodies that pull the group apart and do not belong to it. */
static int count_others(const struct ky_cpu *cpu, const struct place *place)
{
    const size_t body[3] = {place->i, place->j, place->k};
    const double reach6 = reach6_of(cpu, place);
    int own = 0;
    for (int b = 0; b < 3; b++)
        if (b == 0 || (body[b] != place->i && body[b] != body[b - 1]))
            own += count_pulling(cpu, place, reach6, body[b], body[b] + 1);
    return count_pulling(cpu, place, reach6, 0, cpu->n) - own;
}

/* 1 if too much energy would be missing, or an external field would pull the group apart. */
static int is_out_of_place(const struct ky_cpu *cpu, const struct place *place)
{
    return is_beside_group(cpu, place) ||
           ky_cpu_group_field_strength(cpu, place->centre, place->size,
                                       ky_cpu_groups_gm(cpu, place->mass)) > pulled_apart[0];
}

static int is_pulled_apart(const struct ky_cpu *cpu, const struct place *place)
{
    return count_others(cpu, place) > 0 || is_out_of_place(cpu, place);
}

/* 1 if two groups or bodies of these sizes, at x from each other with the velocity x + 3, are
 * within the distance of a group. *orbit: of both. */
static int is_within_reach(const struct ky_cpu *cpu, const double x[6], double gm, double sizes,
                           struct ky_few_orbit *orbit)
{
    const double *v = x + 3, r = sqrt(ky_few_length2(x));
    if (!(r < reach_of(cpu, sizes)) || !(r > 0) || !(gm > 0))
        return 0;
    *orbit = ky_few_orbit(gm, r, ky_few_length2(v), x[0] * v[0] + x[1] * v[1] + x[2] * v[2]);
    return 1;
}

/* 1 if they stay within this distance, or are bound and approach, or will pass closely. */
static int comes_or_stays(const struct ky_cpu *cpu, const double x[6], double sizes,
                          const struct ky_few_orbit *orbit)
{
    const double *v = x + 3, radius = cpu->hermite->groups->radius,
                 sign = cpu->hermite->groups->backwards ? -1 : 1;
    const int approach = sign * (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) < 0,
              bound = (orbit->inverse_axis > 0),
              stays = bound && (1 + orbit->e) / orbit->inverse_axis < reach_of(cpu, sizes),
              passes = approach && orbit->pericentre < fmax(radius / 3, 2 * sizes);
    return stays || (bound && approach) || passes;
}

/* The only body that pulls the pair of a place apart, if it may join the pair and no other body
 * pulls the three apart; else KY_NO_BODY. v: velocity of the pair's centre in the units of the
 * table. Without it three bodies that come together at once would never become a group. */
static uint32_t third_of(const struct ky_cpu *cpu, const struct place *pair, const double v[3])
{
    double *const *at = cpu->hermite->at;
    struct place three = *pair;
    struct ky_few_orbit orbit;
    const double reach6 = reach6_of(cpu, pair);
    double x[6];
    for (three.k = 0; three.k == pair->i || three.k == pair->j ||
                      !count_pulling(cpu, pair, reach6, three.k, three.k + 1);)
        three.k++;
    three.mass += cpu->mass[three.k];
    const double part = cpu->mass[three.k] / three.mass;
    for (int c = 0; c < 3; c++) {
        x[c] = (at[c][three.k] - pair->centre[c]) * cpu->length;
        x[3 + c] = (at[3 + c][three.k] - v[c]) * cpu->length;
        three.centre[c] += part * (at[c][three.k] - pair->centre[c]);
    }
    const int members =
        members_of(cpu, pair->i) + members_of(cpu, pair->j) + members_of(cpu, three.k);
    if (members > KY_GROUP_MOST || !is_within_reach(cpu, x, ky_cpu_groups_gm(cpu, three.mass),
                                                    pair->size + size_of(cpu, three.k), &orbit))
        return KY_NO_BODY;
    three.size = fmax(pair->size, ky_cpu_group_size(&orbit, cpu->hermite->groups->radius));
    return is_pulled_apart(cpu, &three) ? KY_NO_BODY : (uint32_t)three.k;
}

double ky_cpu_groups_join(const struct ky_cpu *cpu, size_t i, size_t j, uint32_t *third)
{
    double *const *at = cpu->hermite->at;
    double x[6], motion[3];
    struct ky_few_orbit orbit;
    *third = KY_NO_BODY;
    for (int c = 0; c < 3; c++)
        x[c] = (at[c][j] - at[c][i]) * cpu->length;
    if (ky_few_length2(x) > pow(KY_GROUP_REACH * cpu->hermite->groups->radius, 2))
        return 0; /* as for most */
    for (int c = 0; c < 3; c++)
        x[3 + c] = (at[3 + c][j] - at[3 + c][i]) * cpu->length;
    const double gm = ky_cpu_groups_gm(cpu, cpu->mass[i] + cpu->mass[j]),
                 sizes = size_of(cpu, i) + size_of(cpu, j), r = sqrt(ky_few_length2(x));
    if (members_of(cpu, i) + members_of(cpu, j) > KY_GROUP_MOST ||
        !is_within_reach(cpu, x, gm, sizes, &orbit) || !comes_or_stays(cpu, x, sizes, &orbit))
        return 0;
    struct place place = {.i = i,
                          .j = j,
                          .k = i,
                          .mass = cpu->mass[i] + cpu->mass[j],
                          .size = ky_cpu_group_size(&orbit, cpu->hermite->groups->radius)};
    const double part = cpu->mass[j] / place.mass / cpu->length;
    for (int c = 0; c < 3; c++) {
        place.centre[c] = at[c][i] + part * x[c];
        motion[c] = at[3 + c][i] + part * x[3 + c];
    }
    const int others = count_others(cpu, &place);
    if (others > 1 || is_out_of_place(cpu, &place) ||
        (others == 1 && (*third = third_of(cpu, &place, motion)) == KY_NO_BODY))
        return 0;
    return gm / (r * r * r);
}

int ky_cpu_group_is_torn(const struct ky_cpu *cpu, const struct ky_cpu_group *group)
{
    double *const *at = cpu->hermite->at;
    const uint32_t i = group->member[0];
    const struct place place = {i, i, i, cpu->mass[i], {at[0][i], at[1][i], at[2][i]}, group->size};
    return is_pulled_apart(cpu, &place);
}

/* 1 if a body or a field will pull the group apart in the step that begins. */
static int will_be_pulled_apart(const struct ky_cpu *cpu, struct ky_cpu_group *group)
{
    double *const *at = cpu->hermite->at;
    const uint32_t slot = group->member[0];
    const double h = fabs(cpu->extra[KY_COLUMN_STEP][slot]),
                 centre[3] = {at[0][slot], at[1][slot], at[2][slot]};
    if (group->few)
        group->size = ky_cpu_group_extent(group, cpu->hermite->groups->radius);
    if (ky_cpu_group_field_strength(cpu, centre, group->size, group->gm) > pulled_apart[1])
        return 1;
    for (size_t k = 0; k < group->nears; k++) {
        const uint32_t i = group->near[k];
        const struct ky_cpu_group *other = ky_cpu_group_of(cpu, i);
        double d[3], w[3];
        if (cpu->blocks->level[i] == KY_LEVEL_HIDDEN)
            continue;
        ky_cpu_group_apart(cpu, group, i, d, w);
        const double nearest = ky_cpu_group_nearest(d, w, h), part = group->size / nearest,
                     gm = ky_cpu_groups_gm(cpu, cpu->mass[i]);
        if (2 * gm / group->gm * part * part * part > pulled_apart[1] ||
            (other && group->size >= other->size &&
             missing_beside(cpu, other, group->gm, group->size, nearest) > missing[1]))
            return 1;
    }
    return 0;
}

int ky_cpu_group_has_ended(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time)
{
    const int k = group->n - 2;
    double sizes = 0, x[3], v[3], rv = 0;
    if (group->strongest > pulled_apart[1] ||
        (group->strongest > hardly && will_be_pulled_apart(cpu, group)))
        return 1;
    if (group->is_stable)
        return 0;
    if (!group->few && group->t != time) {
        ky_few_binary_go(&group->pair, time - group->t, group->kappa, 0, NULL);
        group->t = time;
    }
    for (int c = 0; c < 3; c++) {
        x[c] = group->few ? group->few->system.x[k][c][0] : group->pair.x[c];
        v[c] = group->few ? group->few->system.v[k][c][0] : group->pair.v[c];
        rv += x[c] * v[c];
    }
    if (group->few) /* its sides that are groups */
        for (int s = 0; s < k; s++)
            sizes = fmax(sizes, sqrt(ky_few_square(group->few->system.x[s][0][0],
                                                   group->few->system.x[s][1][0],
                                                   group->few->system.x[s][2][0])));
    return ky_few_length2(x) > pow(reach_of(cpu, sizes), 2) &&
           (cpu->hermite->groups->backwards ? -rv : rv) > 0;
}
