/* The motion within groups, and the pulls between their members and other bodies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "physics/few.h"
#include "physics/kepler.h"

/* Pulls of others are left out where their difference across a group is less than a part of its own
 * pull: this energy, in parts of the kinetic energy of all centres, over the energy of the group,
 * within limits. */
static const double least_energy = 4e-8, least_strength[2] = {1e-7, 1e-4};
/* A single body is left out if its pull is less than this part of that. */
static const double least_part = 0.25;
/* The members of a group pull others, instead of the centre, from this many times that strength on.
 */
static const double resolved = 10;
/* Bodies at more than this many sizes of the group have a tidal tensor in common; bodies that pull
 * it little, at more than the least number of them. */
static const double far = 20, least_far = 5;
/* Then the centre takes at least this many steps an orbit. */
enum { STEPS_AN_ORBIT = 8 };
/* Steps of an orbit within a group. */
enum { STEPS_WITHIN = 16 };
/* Bodies pull a group on paths from the beginning of its step. The centre's step is at most this
 * power of two of the step of a single body that pulls it as strongly. */
enum { LEVELS_LONGER = 2 };

static double product(const double x[3], const double y[3])
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* ---- neighbours ---- */

/* The orbit of node k of a group. */
static struct ky_few_orbit orbit_of(const struct ky_cpu_group *group, int k, double x[3],
                                    double v[3])
{
    for (int c = 0; c < 3; c++) {
        x[c] = group->few ? group->few->system.x[k][c][0] : group->pair.x[c];
        v[c] = group->few ? group->few->system.v[k][c][0] : group->pair.v[c];
    }
    const double gm = group->few ? group->few->system.total[k][0] : group->gm;
    return ky_few_orbit(gm, sqrt(ky_few_length2(x)), ky_few_length2(v), product(x, v));
}

/* The outermost orbit of a group. */
static struct ky_few_orbit outer_orbit(const struct ky_cpu_group *group, double x[3], double v[3])
{
    return orbit_of(group, group->n - 2, x, v);
}

double ky_cpu_group_size(const struct ky_few_orbit *orbit, double radius)
{
    const double most = (1 + orbit->e) / orbit->inverse_axis;
    return orbit->inverse_axis > 0 && most < fmax(radius, 1.5 * orbit->r) ? most : 1.5 * orbit->r;
}

double ky_cpu_group_extent(const struct ky_cpu_group *group, double radius)
{
    double size = 0, x[3], v[3];
    for (int k = 0; k < group->n - 1; k++) {
        const struct ky_few_orbit orbit = orbit_of(group, k, x, v);
        size = fmax(size, ky_cpu_group_size(&orbit, radius));
    }
    return size;
}

static double least_of(const struct ky_cpu *cpu, const struct ky_cpu_group *group,
                       const struct ky_few_orbit *orbit)
{
    const double energy =
        0.5 * group->gm * group->gm * fabs(orbit->inverse_axis) * group->mass[1] / group->mass[0];
    return fmax(least_strength[0],
                fmin(least_energy * cpu->hermite->groups->energy / energy, least_strength[1]));
}

/* How strongly body i pulls the group apart during the time h, relative to its own pull. */
static double strength_of(const struct ky_cpu *cpu, const struct ky_cpu_group *group, uint32_t i,
                          double h)
{
    const double weight = cpu->hermite->groups->weight[i];
    double d[3], w[3];
    ky_cpu_group_apart(cpu, group, i, d, w);
    if (!ky_cpu_is_within(ky_few_length2(d), group->reach2[2] * weight, ky_few_length2(w) * h * h))
        return 0;
    const double part = group->size / ky_cpu_group_nearest(d, w, h);
    return 2 * weight * sqrt(weight) * cpu->hermite->groups->gm_unit / group->gm * part * part *
           part;
}

/* The mass of body i over the mass by which groups see it, which is larger for light bodies. */
static double part_of(const struct ky_cpu *cpu, uint32_t i)
{
    const double weight = cpu->hermite->groups->weight[i];
    return cpu->mass[i] / (weight * sqrt(weight));
}

/* The larger one of this level and the level of the single body i. */
static int quicker(const struct ky_cpu *cpu, uint32_t i, int level)
{
    const int own = cpu->blocks->level[i];
    return own > level && own != KY_LEVEL_HIDDEN && !ky_cpu_group_of(cpu, i) ? own : level;
}

/* How strongly external fields pull the group apart. */
static void find_field(const struct ky_cpu *cpu, struct ky_cpu_group *group)
{
    double x[3];
    for (int c = 0; c < 3; c++)
        x[c] = cpu->hermite->at[c][group->member[0]];
    const double strength = ky_cpu_group_field_strength(cpu, x, group->size, group->gm);
    group->field = strength < least_part * group->least ? 0 : strength;
    group->strongest = fmax(group->strongest, group->field);
}

/* 1 if others and fields are left out in this step. */
static int is_alone(const struct ky_cpu_group *group)
{
    return group->strength + group->field < group->least;
}

enum ky_status ky_cpu_group_prepare(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                    struct ky_error *error)
{
    double x[3], v[3];
    struct ky_cpu_groups *own = b->cpu->hermite->groups;
    const struct ky_few_orbit orbit = outer_orbit(group, x, v);
    const uint64_t step = b->way->stride >> b->cpu->blocks->level[group->member[0]];
    const double h = fabs(b->way->tick) * (double)step;
    group->size = group->few ? ky_cpu_group_extent(group, own->radius)
                             : ky_cpu_group_size(&orbit, own->radius);
    group->period = orbit.period;
    group->least = least_of(b->cpu, group, &orbit);
    group->reach2[2] =
        ky_cpu_group_reach2(group->size, ky_cpu_group_mass(group), least_part * group->least);
    if (b->way->before + b->way->now + step > group->listed_until ||
        group->reach2[2] > group->reach2[0])
        KY_TRY(ky_cpu_group_list(b, group, error));
    group->strength = group->strongest = 0;
    group->nears = group->pulling = 0;
    group->quickest = 0;
    for (size_t k = 0; k < group->listed; k++) {
        const double strength = strength_of(b->cpu, group, group->list[k], h);
        if (strength < least_part * group->least)
            continue;
        group->strength += strength;
        if (strength > group->strongest)
            group->strongest = fmax(group->strongest, strength * part_of(b->cpu, group->list[k]));
        group->pulls[group->pulling++] = group->list[k];
        if (strength > group->least)
            group->near[group->nears++] = group->list[k];
        if (strength > resolved * group->least)
            group->quickest = quicker(b->cpu, group->list[k], group->quickest);
    }
    own->is_resolved[group->member[0]] = group->strength > resolved * group->least;
    find_field(b->cpu, group);
    return KY_OK;
}

/* ---- a step ---- */

/* Time since the end of the last step of body i. */
static double since(const struct ky_cpu_way *b, size_t i)
{
    const uint64_t step = b->way->stride >> b->cpu->blocks->level[i];
    return (double)(b->way->now % step) * b->way->tick;
}

/* The path of body i about the centre of the group, from the present tick on. */
static void follow(const struct ky_cpu_way *b, const struct ky_cpu_group *group, size_t i,
                   double path[KY_FEW_PATH])
{
    const struct ky_cpu *cpu = b->cpu;
    const double *jerk = cpu->extra[KY_COLUMN_JERK], h = since(b, i);
    const uint32_t slot = group->member[0];
    ky_cpu_group_apart(cpu, group, i, path, path + 3);
    for (size_t c = 0; c < 3; c++) {
        const double j = jerk[c * cpu->n + i];
        path[6 + c] = cpu->a[c][i] + j * h - cpu->a[c][slot];
        path[9 + c] = j - jerk[c * cpu->n + slot];
    }
}

/* Adds the tidal tensor of a body at the time s on its path. */
static void add_tide(double tide[6], double gm, const double path[KY_FEW_PATH], double s)
{
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = path[c] + s * (path[3 + c] + s * (0.5 * path[6 + c] + s / 6 * path[9 + c]));
    const double q = ky_few_inverse(ky_few_length2(d)), q2 = q * q, g = gm * q * q2;
    for (int c = 0; c < 3; c++) {
        tide[c] += g * (3 * q2 * d[c] * d[c] - 1);
        tide[3 + c] += 3 * g * q2 * d[c == 2] * d[c == 0 ? 1 : 2];
    }
}

/* 1 if the tidal tensor is enough for a body at this distance: the body is far, or the next term
 * is so weak that pulls as weak are left out. */
static int is_far(const struct ky_cpu_group *group, double gm, double distance)
{
    const double part = group->size / distance, part2 = part * part;
    return distance > far * group->size ||
           (distance > least_far * group->size &&
            2 * gm * part2 * part2 < least_part * group->least * group->gm);
}

/* The bodies of the list with mass, for a step of length h: near ones one by one, the tides of far
 * ones as a polynomial through three times. */
static enum ky_status others_of(const struct ky_cpu_way *b, const struct ky_cpu_group *group,
                                double h, struct ky_few_others *others, struct ky_error *error)
{
    double *gm = ky_allocate(group->pulling, (1 + KY_FEW_PATH) * sizeof *gm);
    double(*path)[KY_FEW_PATH] = (double(*)[KY_FEW_PATH])(gm + group->pulling);
    double tide[3][6] = {{0}};
    *others = (struct ky_few_others){.from = ky_advance_time(b->way, b->way->now),
                                     .gm = gm,
                                     .path = (const double(*)[KY_FEW_PATH])path};
    if (!gm)
        return ky_no_memory(error, "neighbours of a group", group->pulling, sizeof *path);
    for (size_t k = 0; k < group->pulling; k++) {
        const uint32_t i = group->pulls[k];
        double *here = path[others->count];
        if (!(b->cpu->mass[i] > 0))
            continue;
        gm[others->count] = ky_cpu_groups_gm(b->cpu, b->cpu->mass[i]);
        follow(b, group, i, here);
        const double nearest =
            sqrt(ky_few_length2(here)) - sqrt(ky_few_length2(here + 3)) * fabs(h);
        if (!is_far(group, gm[others->count], nearest)) {
            others->count++;
            continue;
        }
        for (int t = 0; t < 3; t++)
            add_tide(tide[t], gm[others->count], here, 0.5 * t * h);
    }
    if (group->field > 0)
        ky_cpu_group_field_tides(b, group, h, tide);
    for (int t = 0; t < 6; t++) {
        others->tide[0][t] = tide[0][t];
        others->tide[1][t] = (4 * tide[1][t] - 3 * tide[0][t] - tide[2][t]) / h;
        others->tide[2][t] = 2 * (tide[0][t] - 2 * tide[1][t] + tide[2][t]) / (h * h);
    }
    return KY_OK;
}

/* More steps within one step of the centre than this, and than this many times the steps of its
 * quickest orbit, are an error: the run would seem to stand still. */
static const double most_steps[2] = {1e5, 100};

/* The largest number of steps of a group for a time. */
static double most_steps_of(const struct ky_cpu_group *group, double time)
{
    double shortest = (double)INFINITY, x[3], v[3];
    for (int k = 0; k < group->n - 1; k++)
        shortest = fmin(shortest, orbit_of(group, k, x, v).period);
    return most_steps[0] + most_steps[1] * STEPS_WITHIN * fabs(time) / shortest;
}

static enum ky_status fail_for_steps(const struct ky_cpu_group *group, double time,
                                     struct ky_error *error)
{
    char members[KY_GROUP_MOST * 12] = "";
    size_t length = 0;
    for (int k = 0; k < group->n; k++)
        length += (size_t)snprintf(members + length, sizeof members - length, "%s%u", k ? ", " : "",
                                   (unsigned)group->member[k]);
    return ky_fail(error, KY_BAD_DATA,
                   "the group of bodies %s took more than %.0f steps from time %.15g to %.15g, and "
                   "is not yet at %.15g: try another --group-radius",
                   members, (double)group->few->settings.most, group->t, group->few->system.t[0],
                   time);
}

static enum ky_status move_few(const struct ky_cpu_way *b, struct ky_cpu_group *group, double time,
                               const struct ky_few_others *others, struct ky_error *error)
{
    struct ky_few *few = group->few;
    few->others = others;
    few->settings.slow_energy = ky_cpu_groups_settings(b).slow_energy;
    few->settings.most = (uint64_t)fmin(most_steps_of(group, time - group->t), 1e15);
    enum ky_status status = ky_cpu_group_go(b, group, time, error);
    if (!status && ky_few_ahead(few, time) > 0 && few->clock != KY_FEW_FREE)
        status = fail_for_steps(group, time, error);
    if (!status)
        ky_few_synchronise(few, time);
    few->others = NULL;
    return status;
}

/* Moves the inside to the time; the centre moves as a step of it from the present tick on. */
static enum ky_status move(const struct ky_cpu_way *b, struct ky_cpu_group *group, double time,
                           struct ky_error *error)
{
    const double now = ky_advance_time(b->way, b->way->now),
                 angle = 2 * 3.14159265358979323846 / STEPS_WITHIN;
    struct ky_few_others others;
    group->kappa = 1;
    if (!group->few && is_alone(group)) /* it stays on its orbit, until somebody looks */
        return ky_cpu_group_note_pair(b, group, time, error);
    if (!group->few && group->t != now)
        ky_kepler_move(group->gm, group->pair.x, group->pair.v, now - group->t);
    enum ky_status status = others_of(b, group, time - now, &others, error);
    double work = 0;
    if (!status && group->few) {
        status = move_few(b, group, time, is_alone(group) ? NULL : &others, error);
        work = group->few->outer_work;
        group->slow_work += group->few->slow_work;
        group->few->outer_work = group->few->slow_work = 0;
    } else if (!status) {
        work = -ky_cpu_pair_energy(&group->pair);
        ky_few_binary_go(&group->pair, time - now, group->kappa, angle, &others);
        work += ky_cpu_pair_energy(&group->pair);
    }
    group->handover_work += group->counts ? work : 0;
    group->t = time;
    free((void *)others.gm);
    return status || group->few ? status : ky_cpu_group_note_pair(b, group, time, error);
}

/* The longest step of a centre: one that is resolved follows its members, and a group that may end
 * must not be missed. */
static double longest_step(const struct ky_cpu_groups *own, const struct ky_cpu_group *group)
{
    const double radius = own->radius;
    double x[3], v[3];
    const struct ky_few_orbit orbit = outer_orbit(group, x, v);
    double longest =
        own->is_resolved[group->member[0]] ? orbit.period / STEPS_AN_ORBIT : (double)INFINITY;
    if (!(orbit.inverse_axis > 0) || (1 + orbit.e) / orbit.inverse_axis > radius)
        longest =
            fmin(longest, fmax(radius - orbit.r, 0.1 * radius) / (2 * sqrt(ky_few_length2(v))));
    else if (group->n > 2)
        longest = fmin(longest, 0.5 * orbit.period);
    return longest;
}

/* 1 if the members stay within the radius. */
static int is_stable(const struct ky_cpu_group *group, double radius)
{
    double x[3], v[3];
    const struct ky_few_orbit orbit = outer_orbit(group, x, v);
    return group->n == 2 && orbit.inverse_axis > 0 && (1 + orbit.e) / orbit.inverse_axis < radius;
}

/* Begins a step, whose level others do not see yet: threads begin the steps of several groups. */
static enum ky_status begin(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                            struct ky_error *error)
{
    const struct ky_cpu *cpu = b->cpu;
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const double now = ky_advance_time(b->way, b->way->now);
    KY_TRY(ky_cpu_group_prepare(b, group, error));
    const int is_resolved = own->is_resolved[group->member[0]];
    ky_cpu_group_count(cpu, group, now, !is_resolved);
    group->is_stable = is_stable(group, own->radius);
    if (group->t != now && !group->few && (is_resolved || !group->is_stable)) {
        ky_kepler_move(group->gm, group->pair.x, group->pair.v, now - group->t);
        group->t = now;
    }
    const double longest = longest_step(own, group);
    group->level = cpu->blocks->level[group->member[0]];
    while (group->level < b->deepest && (fabs(b->step[group->level]) > longest ||
                                         group->level < group->quickest - LEVELS_LONGER))
        group->level++;
    return move(b, group, ky_advance_time(b->way, b->way->now + (b->way->stride >> group->level)),
                error);
}

/* A function that threads call for several groups. */
typedef enum ky_status group_work(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                  struct ky_error *error);

/* Calls it for the first `count` groups of own->starting[]. */
static enum ky_status for_starting(const struct ky_cpu_way *b, size_t count, group_work *work,
                                   struct ky_error *error)
{
    enum { FEWEST = 8 }; /* groups that are worth the start of threads */
    const struct ky_cpu_groups *own = b->cpu->hermite->groups;
    size_t bad = SIZE_MAX;
#pragma omp parallel for schedule(dynamic) num_threads(b->cpu->threads)                            \
    reduction(min                                                                                  \
              : bad) if (count >= FEWEST)
    for (size_t k = 0; k < count; k++) {
        struct ky_cpu_group *group = own->group[own->starting[k]];
        group->error.status = work(b, group, &group->error);
        if (group->error.status && k < bad)
            bad = k;
    }
    if (bad == SIZE_MAX)
        return KY_OK;
    const struct ky_error *first = &own->group[own->starting[bad]]->error;
    if (error)
        *error = *first;
    return first->status;
}

/* Begins the steps of the groups of the list. */
static enum ky_status begin_all(const struct ky_cpu_way *b, size_t count, struct ky_error *error)
{
    const struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    KY_TRY(for_starting(b, count, begin, error));
    for (size_t k = 0; k < count; k++) {
        struct ky_cpu_group *group = own->group[own->starting[k]];
        cpu->blocks->level[group->member[0]] = (unsigned char)group->level;
        cpu->extra[KY_COLUMN_STEP][group->member[0]] = b->step[group->level];
        ky_cpu_group_add(own, group);
        KY_TRY(ky_cpu_group_tell(own, group, error));
    }
    return KY_OK;
}

/* The kinetic energy of the centres about the centre of mass of all, from the state alone, for the
 * first step of all of them. A cluster on its orbit in a galaxy is much faster than its stars. */
static double energy_of(const struct ky_cpu *cpu)
{
    double sum = 0, total = 0, momentum[3] = {0};
    for (size_t i = 0; i < cpu->n; i++) {
        const double gm = ky_cpu_groups_gm(cpu, cpu->mass[i]);
        sum += 0.5 * gm * ky_few_square(cpu->v[0][i], cpu->v[1][i], cpu->v[2][i]);
        total += gm;
        for (int c = 0; c < 3; c++)
            momentum[c] += gm * cpu->v[c][i];
    }
    const double of_all = 0.5 * ky_few_length2(momentum);
    return total > 0 ? fmax(sum - of_all / total, 0) : 0;
}

/* Finds the energy of the centres and the order of all bodies at the beginning of a longest step.
 */
static void look_round(const struct ky_cpu_way *b)
{
    b->cpu->hermite->groups->energy = energy_of(b->cpu);
    ky_cpu_groups_sort_along(b->cpu, b->way->now);
}

enum ky_status ky_cpu_groups_begin(const struct ky_cpu_way *b, struct ky_error *error)
{
    struct ky_cpu_groups *own = b->cpu->hermite->groups;
    size_t count = 0;
    const int due = ky_cpu_way_due(b, b->way->now);
    if (due == 0)
        look_round(b);
    for (uint32_t k = 0; k < own->count; k++)
        if (b->cpu->blocks->level[own->slot[k]] >= due)
            own->starting[count++] = k;
    return begin_all(b, count, error);
}

enum ky_status ky_cpu_groups_prepare(const struct ky_cpu_way *b, struct ky_error *error)
{
    const struct ky_cpu_groups *own = b->cpu->hermite->groups;
    look_round(b);
    for (uint32_t k = 0; k < own->count; k++)
        own->starting[k] = k;
    return for_starting(b, own->count, ky_cpu_group_prepare, error);
}

/* ---- pulls of members ---- */

/* Adds gm × the pull from a place d away that moves with w. */
static void add_pull(struct ky_cpu_pull *pull, double gm, const double d[3], const double w[3])
{
    const double q = ky_few_inverse(ky_few_length2(d)), g = gm * q * q * q,
                 turn = 3 * product(d, w) * q * q;
    for (int c = 0; c < 3; c++) {
        pull->a[c] += g * d[c];
        pull->j[c] += g * (w[c] - turn * d[c]);
    }
}

static void add_sum(const struct ky_cpu *cpu, size_t k, const struct ky_cpu_pull *pull,
                    double factor)
{
    double *const *sum = cpu->hermite->sum;
    for (int c = 0; c < 3; c++) {
        sum[c][k] += factor * pull->a[c];
        sum[3 + c][k] += factor * pull->j[c];
    }
}

/* How body i pulls the members of the group, less its pull on the centre. */
static struct ky_cpu_pull pull_on(const struct ky_cpu *cpu, const struct ky_cpu_group *group,
                                  const struct ky_cpu_inside *inside, uint32_t i)
{
    double d[3], w[3];
    struct ky_cpu_pull pull = {{0}, {0}};
    ky_cpu_group_apart(cpu, group, i, d, w);
    add_pull(&pull, -group->gm, d, w);
    for (int k = 0; k < group->n; k++) {
        double there[3], then[3];
        for (int c = 0; c < 3; c++) {
            there[c] = d[c] - inside->x[k][c];
            then[c] = w[c] - inside->v[k][c];
        }
        add_pull(&pull, ky_cpu_groups_gm(cpu, group->mass[k]), there, then);
    }
    return pull;
}

/* 1 if the group or body i near it is on the list of the block. */
static int is_summed(const struct ky_cpu *cpu, const struct ky_cpu_group *group, uint32_t i)
{
    const uint32_t *place = cpu->hermite->groups->place;
    return (place[group->member[0]] != KY_NO_BODY || place[i] != KY_NO_BODY) &&
           cpu->blocks->level[i] != KY_LEVEL_HIDDEN;
}

/* Finds the pulls of bodies near a group, if the group or the body is on the list of the block. */
static void find_pulls(const struct ky_cpu *cpu, struct ky_cpu_group *group, double time)
{
    struct ky_cpu_inside inside;
    int has_looked = 0;
    for (size_t k = 0; k < group->nears; k++) {
        if (!is_summed(cpu, group, group->near[k]))
            continue;
        if (!has_looked)
            ky_cpu_group_look(group, time, 1, &inside);
        has_looked = 1;
        group->pull[k] = pull_on(cpu, group, &inside, group->near[k]);
    }
}

/* Adds these pulls, and the opposite ones, to the sums of the block. */
static void add_pulls(const struct ky_cpu *cpu, const struct ky_cpu_group *group)
{
    const uint32_t *place = cpu->hermite->groups->place, slot = group->member[0];
    for (size_t k = 0; k < group->nears; k++) {
        const uint32_t i = group->near[k];
        if (!is_summed(cpu, group, i))
            continue;
        if (place[i] != KY_NO_BODY)
            add_sum(cpu, place[i], &group->pull[k], -1);
        if (place[slot] != KY_NO_BODY)
            add_sum(cpu, place[slot], &group->pull[k],
                    ky_cpu_groups_gm(cpu, cpu->mass[i]) / group->gm);
    }
}

void ky_cpu_groups_correct(const struct ky_cpu_way *b, uint64_t tick, int all)
{
    enum { FEWEST = 64 }; /* bodies that are worth the start of threads */
    const struct ky_cpu *cpu = b->cpu;
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const size_t count = all ? cpu->n : b->active;
    const double time = ky_advance_time(b->way, tick);
    size_t some = 0;
    for (uint32_t k = 0; k < own->count; k++)
        if (own->is_resolved[own->slot[k]])
            own->starting[some++] = k;
    if (!some)
        return;
    for (size_t k = 0; k < count; k++)
        own->place[all ? k : cpu->blocks->active[k]] = (uint32_t)k;
#pragma omp parallel for schedule(dynamic, 8) num_threads(cpu->threads) if (count >= FEWEST)
    for (size_t k = 0; k < some; k++)
        find_pulls(cpu, own->group[own->starting[k]], time);
    for (size_t k = 0; k < some; k++)
        add_pulls(cpu, own->group[own->starting[k]]);
    for (size_t k = 0; k < count; k++)
        own->place[all ? k : cpu->blocks->active[k]] = KY_NO_BODY;
}
