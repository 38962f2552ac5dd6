/* The table of groups, and the state within a group. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "physics/few.h"
#include "physics/kepler.h"

void ky_cpu_group_free(struct ky_cpu_group *group)
{
    if (!group)
        return;
    free(group->few);
    free(group->list);
    free(group->near);
    free(group->pulls);
    free(group->pull);
    free(group->passages.index);
    free(group->passages.distance);
    free(group);
}

void ky_cpu_groups_drop(struct ky_cpu_groups *own)
{
    for (size_t k = 0; k < own->count; k++)
        ky_cpu_group_free(own->group[k]);
    own->count = 0;
}

void ky_cpu_groups_free(struct ky_cpu *cpu)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    if (!own)
        return;
    ky_cpu_groups_drop(own);
    free(own->group);
    free(own->slot);
    free(own->of);
    free(own->place);
    free(own->weight);
    free(own->fresh);
    free(own->starting);
    free(own->partner);
    free(own->label);
    free(own->line);
    free(own->fast);
    free(own->heavy);
    free(own->is_fast);
    free(own->is_resolved);
    free(own->passages.index);
    free(own->passages.distance);
    free(own);
    cpu->hermite->groups = NULL;
}

int ky_cpu_groups_by_slot(const void *a, const void *b)
{
    const struct ky_cpu_group *const *one = a, *const *other = b;
    return ((*one)->member[0] > (*other)->member[0]) - ((*one)->member[0] < (*other)->member[0]);
}

/* By insertion, since a change puts one or two groups in the wrong place. */
void ky_cpu_groups_sort(struct ky_cpu *cpu)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    for (size_t k = 1; k < own->count; k++) {
        struct ky_cpu_group *group = own->group[k];
        size_t to = k;
        for (; to > 0 && own->group[to - 1]->member[0] > group->member[0]; to--)
            own->group[to] = own->group[to - 1];
        own->group[to] = group;
    }
    memset(own->of, 0xff, cpu->n * sizeof *own->of);
    for (size_t k = 0; k < own->count; k++) {
        own->slot[k] = own->group[k]->member[0];
        own->of[own->slot[k]] = (uint32_t)k;
    }
}

double ky_cpu_groups_gm(const struct ky_cpu *cpu, double mass)
{
    return cpu->hermite->groups->gm_unit * mass;
}

/* What a change of κ changes in the mean energy of a pair within a group is at most about this part
 * of the kinetic energy of all centres. */
static const double slow_energy = 1e-7;

struct ky_few_settings ky_cpu_groups_settings(const struct ky_cpu_way *b)
{
    return (struct ky_few_settings){
        .g = 1,
        .tolerance = 1e-11,
        .angle = 2 * 3.14159265358979323846 / 16,
        .slow_down = 1,
        .slow_energy = fmax(slow_energy * b->cpu->hermite->groups->energy, DBL_MIN),
        .backwards = b->way->tick < 0};
}

int ky_cpu_leaders(const struct ky_engine *engine, uint32_t *leader)
{
    const struct ky_cpu *cpu = (const struct ky_cpu *)engine;
    const struct ky_cpu_groups *own = cpu->hermite ? cpu->hermite->groups : NULL;
    if (!own || !cpu->n || cpu->extra[KY_COLUMN_STEP][0] == 0 || /* no advance since `put` */
        (own->count && !ky_cpu_groups_are_packed(cpu)))
        return 0;
    for (size_t k = 0; k < own->count; k++)
        for (int m = 0; m < own->group[k]->n; m++)
            leader[own->group[k]->member[m]] = own->group[k]->member[0];
    return 1;
}

int ky_cpu_groups_are_packed(const struct ky_cpu *cpu)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    return own && own->count && cpu->extra[KY_COLUMN_GROUP][own->group[0]->member[0]] != 0;
}

/* ---- looks ---- */

static void look_at_pair(const struct ky_cpu_group *group, double time, int slow,
                         struct ky_cpu_inside *inside)
{
    struct ky_few_binary pair = group->pair;
    const double total = pair.gm[0] + pair.gm[1];
    ky_kepler_move(total, pair.x, pair.v, (time - group->t) / group->kappa);
    for (int c = 0; c < 3; c++) {
        const double v = slow ? pair.v[c] / group->kappa : pair.v[c];
        inside->x[0][c] = -pair.gm[1] / total * pair.x[c];
        inside->x[1][c] = pair.gm[0] / total * pair.x[c];
        inside->v[0][c] = -pair.gm[1] / total * v;
        inside->v[1][c] = pair.gm[0] / total * v;
    }
}

void ky_cpu_group_look(const struct ky_cpu_group *group, double time, int slow,
                       struct ky_cpu_inside *inside)
{
    if (!group->few) {
        look_at_pair(group, time, slow, inside);
        return;
    }
    struct ky_few then = *group->few;
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3];
    if (time != group->t)
        ky_few_synchronise(&then, time);
    if (!slow)
        ky_few_release(&then);
    ky_few_positions(&then.system, x, v);
    for (int p = 0; p < group->n; p++) {
        memcpy(inside->x[then.order[p]], x[p], sizeof x[p]);
        memcpy(inside->v[then.order[p]], v[p], sizeof v[p]);
    }
}
