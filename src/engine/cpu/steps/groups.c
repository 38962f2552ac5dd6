/* The table of groups, the change between centres and members, and the column for restart files. */
#include "engine/cpu/steps/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/integrator_columns.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/steps/hermite.h"

/* ---- memory ---- */

static enum ky_status reserve(struct ky_cpu *cpu, struct ky_error *error)
{
    const size_t n = cpu->n;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    if (own)
        return KY_OK;
    own = cpu->hermite->groups = ky_allocate_zeroed(1, sizeof *own);
    if (!own)
        return ky_no_memory(error, "groups", 1, sizeof *own);
    own->slot = ky_allocate(n, sizeof *own->slot);
    own->of = ky_allocate(n, sizeof *own->of);
    own->place = ky_allocate(n, sizeof *own->place);
    own->weight = ky_allocate(n, sizeof *own->weight);
    own->fresh = ky_allocate(n, sizeof *own->fresh);
    own->starting = ky_allocate(n, sizeof *own->starting);
    own->partner = ky_allocate(n, sizeof *own->partner);
    own->label = ky_allocate(n, sizeof *own->label);
    own->line = ky_allocate(n, sizeof *own->line);
    own->fast = ky_allocate(n, sizeof *own->fast);
    own->heavy = ky_allocate(n, sizeof *own->heavy);
    own->is_fast = ky_allocate_zeroed(n, sizeof *own->is_fast);
    own->is_resolved = ky_allocate_zeroed(n, sizeof *own->is_resolved);
    if (!own->line || !own->fast || !own->of || !own->place || !own->weight || !own->fresh ||
        !own->starting || !own->partner || !own->label || !own->is_fast || !own->slot ||
        !own->is_resolved || !own->heavy) {
        ky_cpu_groups_free(cpu);
        return ky_no_memory(error, "groups of bodies", n, KY_GROUPS_BYTES);
    }
    memset(own->of, 0xff, n * sizeof *own->of);
    memset(own->place, 0xff, n * sizeof *own->place);
    for (size_t i = 0; i < n; i++)
        own->label[i] = (int64_t)i;
    return KY_OK;
}

/* ---- masses ---- */

/* Bodies without mass are seen by groups as far as bodies of this part of the mean mass would be.
 */
static const double massless_as = 0.01;

enum ky_status ky_cpu_groups_masses(struct ky_cpu *cpu, struct ky_error *error)
{
    ky_cpu_moved(cpu);
    KY_TRY(ky_cpu_sort_masses(cpu, error));
    KY_TRY(ky_cpu_reserve_hermite(cpu, error));
    ky_cpu_frame_hermite(cpu);
    return KY_OK;
}

void ky_cpu_groups_weigh(const struct ky_cpu *cpu, size_t i)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const int hidden = cpu->blocks->level[i] == KY_LEVEL_HIDDEN;
    const double mass = hidden ? 0 : fmax(cpu->mass[i], massless_as * own->mean_mass);
    own->weight[i] = cbrt(mass * mass);
}

/* ---- centres and members ---- */

static double *number(const struct ky_cpu *cpu, size_t c, size_t i)
{
    double *const *of[4] = {cpu->x, cpu->v, cpu->a, NULL};
    return c < 9 ? &of[c / 3][c % 3][i] : &cpu->extra[KY_COLUMN_JERK][(c - 9) * cpu->n + i];
}

/* The engine has the centre, and the other members are hidden. */
static void hide(struct ky_cpu *cpu, const struct ky_cpu_group *group)
{
    const uint32_t slot = group->member[0];
    double mass = 0;
    for (int k = 0; k < group->n; k++) {
        const uint32_t i = group->member[k];
        mass += group->mass[k];
        for (size_t c = 0; c < 12; c++)
            *number(cpu, c, i) = k && c >= 6 ? 0 : group->centre[c];
        if (k == 0)
            continue;
        cpu->mass[i] = 0;
        cpu->blocks->level[i] = KY_LEVEL_HIDDEN;
    }
    cpu->mass[slot] = mass;
}

/* The engine has the members as they are at the time. */
static void show(struct ky_cpu *cpu, struct ky_cpu_group *group, double time)
{
    struct ky_cpu_inside inside;
    for (size_t c = 0; c < 12; c++)
        group->centre[c] = *number(cpu, c, group->member[0]);
    ky_cpu_group_look(group, time, 0, &inside);
    group->shown = time;
    for (int k = 0; k < group->n; k++)
        for (size_t c = 0; c < 3; c++) {
            cpu->x[c][group->member[k]] = group->centre[c] + inside.x[k][c] / cpu->length;
            cpu->v[c][group->member[k]] = group->centre[3 + c] + inside.v[k][c];
        }
    for (int k = 0; k < group->n; k++)
        cpu->mass[group->member[k]] = group->mass[k];
}

/* ---- the column ---- */

/* Numbers of a member: the group's in the row of its first member, and a row of the state of
 * few bodies. */
enum {
    LEADER, /* index of the first member, and 1; ky_cpu_groups_are_packed reads it */
    PLACE,
    MEMBERS,
    CENTRE,
    TIME = CENTRE + 12,
    PAIR,
    IS_FEW = PAIR + 6,
    COUNTS,
    FEW
};
_Static_assert(FEW + KY_FEW_NUMBERS == KY_GROUP_NUMBERS, "one number each");

static double *cell(const struct ky_cpu *cpu, size_t c, size_t i)
{
    return &cpu->extra[KY_COLUMN_GROUP][c * cpu->n + i];
}

static void pack_one(const struct ky_cpu *cpu, const struct ky_cpu_group *group)
{
    const uint32_t slot = group->member[0];
    double row[KY_GROUP_MOST][KY_FEW_NUMBERS];
    for (int k = 0; k < group->n; k++) {
        *cell(cpu, LEADER, group->member[k]) = slot + 1.0;
        *cell(cpu, PLACE, group->member[k]) = k;
    }
    *cell(cpu, MEMBERS, slot) = group->n;
    for (size_t c = 0; c < 12; c++)
        *cell(cpu, CENTRE + c, slot) = group->centre[c];
    *cell(cpu, TIME, slot) = group->t;
    for (size_t c = 0; c < 3 && !group->few; c++) {
        *cell(cpu, PAIR + c, slot) = group->pair.x[c];
        *cell(cpu, PAIR + 3 + c, slot) = group->pair.v[c];
    }
    *cell(cpu, IS_FEW, slot) = group->few != NULL;
    *cell(cpu, COUNTS, slot) = group->counts;
    if (!group->few)
        return;
    ky_few_pack(group->few, row);
    for (int k = 0; k < group->n; k++)
        for (size_t c = 0; c < KY_FEW_NUMBERS; c++)
            *cell(cpu, FEW + c, group->member[k]) = row[k][c];
}

static void pack(const struct ky_cpu *cpu)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    memset(cpu->extra[KY_COLUMN_GROUP], 0, cpu->n * KY_GROUP_NUMBERS * sizeof(double));
    for (size_t k = 0; k < own->count; k++)
        pack_one(cpu, own->group[k]);
}

static enum ky_status fail_column(uint32_t i, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA,
                   "the stored state of the group of body %lu has a number that is not possible",
                   (unsigned long)i);
}

/* Reads the state of more than two bodies. */
static enum ky_status unpack_few(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                 struct ky_error *error)
{
    const struct ky_few_settings settings = ky_cpu_groups_settings(b);
    double row[KY_GROUP_MOST][KY_FEW_NUMBERS];
    for (int k = 0; k < group->n; k++)
        for (size_t c = 0; c < KY_FEW_NUMBERS; c++)
            row[k][c] = *cell(b->cpu, FEW + c, group->member[k]);
    if (!(group->few = ky_allocate_zeroed(1, sizeof *group->few)))
        return ky_no_memory(error, "a group", 1, sizeof *group->few);
    return ky_few_unpack(group->few, &settings, group->n, (const double(*)[KY_FEW_NUMBERS])row,
                         error);
}

/* Reads the group whose first member is `slot`; the members are known. */
static enum ky_status unpack_one(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                 struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    const uint32_t slot = group->member[0];
    double mass = 0;
    for (int k = 0; k < group->n; k++)
        mass += group->mass[k] = cpu->mass[group->member[k]];
    group->gm = ky_cpu_groups_gm(cpu, mass);
    group->t = *cell(cpu, TIME, slot);
    group->kappa = 1;
    group->counts = *cell(cpu, COUNTS, slot) != 0;
    for (size_t c = 0; c < 12; c++)
        group->centre[c] = *cell(cpu, CENTRE + c, slot);
    if (*cell(cpu, IS_FEW, slot) != 0)
        return unpack_few(b, group, error);
    for (int k = 0; k < 2; k++)
        group->pair.gm[k] = ky_cpu_groups_gm(cpu, group->mass[k]);
    for (size_t c = 0; c < 3; c++) {
        group->pair.x[c] = *cell(cpu, PAIR + c, slot);
        group->pair.v[c] = *cell(cpu, PAIR + 3 + c, slot);
    }
    return group->n == 2 ? KY_OK : fail_column(slot, error);
}

/* Adds body i to the group that its row names. */
static enum ky_status take_member(const struct ky_cpu *cpu, uint32_t i, struct ky_error *error)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    const double leader = *cell(cpu, LEADER, i), place = *cell(cpu, PLACE, i);
    if (leader == 0)
        return KY_OK;
    if (!(leader >= 1 && leader <= (double)cpu->n) || !(place >= 0 && place < KY_GROUP_MOST))
        return fail_column(i, error);
    const uint32_t slot = (uint32_t)leader - 1;
    const double members = *cell(cpu, MEMBERS, slot);
    if (!(members >= 2 && members <= KY_GROUP_MOST) || !(place < members))
        return fail_column(i, error);
    if (own->of[slot] == KY_NO_BODY) {
        struct ky_cpu_group *made = ky_allocate_zeroed(1, sizeof *made);
        if (!made || !ky_extend(&own->group, own->count, own->count + 1, sizeof *own->group)) {
            free(made);
            return ky_no_memory(error, "groups", own->count + 1, sizeof *made);
        }
        own->room = own->count + 1;
        made->n = (int)members;
        memset(made->member, 0xff, sizeof made->member);
        own->of[slot] = (uint32_t)own->count;
        own->group[own->count++] = made;
    }
    own->group[own->of[slot]]->member[(int)place] = i;
    return KY_OK;
}

/* The groups of the column. */
static enum ky_status unpack(const struct ky_cpu_way *b, struct ky_error *error)
{
    struct ky_cpu_groups *own = b->cpu->hermite->groups;
    for (uint32_t i = 0; i < b->cpu->n; i++)
        KY_TRY(take_member(b->cpu, i, error));
    for (size_t k = 0; k < own->count; k++) {
        for (int m = 0; m < own->group[k]->n; m++)
            if (own->group[k]->member[m] == KY_NO_BODY)
                return fail_column(own->group[k]->member[0], error);
        KY_TRY(unpack_one(b, own->group[k], error));
    }
    if (own->count)
        qsort(own->group, own->count, sizeof *own->group, ky_cpu_groups_by_slot);
    return KY_OK;
}

/* ---- a call ---- */

/* Bodies in a pair that is as wide as a group have steps of about √(η r³/(G m)), and accelerations
 * of G m/r². */
static void find_scales(const struct ky_cpu_way *b)
{
    struct ky_cpu_groups *own = b->cpu->hermite->groups;
    double mass = 0;
    size_t count = 0;
    for (size_t i = 0; i < b->cpu->n; i++) {
        mass += b->cpu->mass[i];
        count += b->cpu->mass[i] > 0;
    }
    own->mean_mass = count ? mass / (double)count : 0;
    const double gm = ky_cpu_groups_gm(b->cpu, own->mean_mass), radius = b->way->group_radius;
    own->close = sqrt(b->way->eta * radius * radius * radius / gm);
    own->pulled = 0.3 * gm / (radius * radius);
}

enum ky_status ky_cpu_groups_enter(const struct ky_cpu_way *b, int is_known, int has_levels,
                                   struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    KY_TRY(reserve(cpu, error));
    struct ky_cpu_groups *own = cpu->hermite->groups;
    own->radius = b->way->group_radius;
    own->handover_work = b->way->handover_work;
    own->slow_work = b->way->slow_work;
    own->backwards = b->way->tick < 0;
    own->line_tick = UINT64_MAX;
    own->gm_unit = ky_cpu_scale(cpu).acceleration * cpu->length * cpu->length;
    if (!is_known) {
        ky_cpu_groups_drop(own);
        ky_cpu_groups_sort(cpu);
        memset(own->is_resolved, 0, cpu->n);
        find_scales(b);
        own->energy = 0; /* as in a run that is resumed here */
        if (has_levels)
            KY_TRY(unpack(b, error));
        own->is_packed = 1;
        ky_cpu_groups_sort(cpu);
    }
    own->is_inside = 1;
    if (b->way->now % b->way->stride == 0)
        own->passages.count = 0;
    for (size_t k = 0; k < own->count; k++) {
        hide(cpu, own->group[k]);
        if (b->way->now % b->way->stride == 0)
            own->group[k]->listed_until = 0;
    }
    for (size_t i = 0; i < cpu->n; i++)
        ky_cpu_groups_weigh(cpu, i);
    return ky_cpu_groups_masses(cpu, error);
}

enum ky_status ky_cpu_groups_leave(const struct ky_cpu_way *b, struct ky_error *error)
{
    enum { FEWEST = 64 }; /* groups that are worth the start of threads */
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    if (!own || !own->is_inside)
        return KY_OK;
    own->is_inside = 0;
    for (size_t k = 0; k < own->count && b->has_stopped; k++) /* the next call finds groups anew */
        ky_cpu_group_close(cpu, own->group[k], ky_advance_time(b->way, b->way->now));
#pragma omp parallel for num_threads(cpu->threads) if (own->count >= FEWEST)
    for (size_t k = 0; k < own->count; k++) {
        struct ky_cpu_group *group = own->group[k];
        const uint64_t step = b->way->stride >> cpu->blocks->level[group->member[0]],
                       rest = b->has_stopped ? 0 : b->way->now % step;
        show(cpu, group, ky_advance_time(b->way, b->way->now - rest));
        for (int m = 1; m < group->n; m++)
            cpu->extra[KY_COLUMN_STEP][group->member[m]] = b->longest;
    }
    if (!own->count && !own->is_packed)
        return KY_OK;
    pack(cpu);
    own->is_packed = own->count > 0;
    cpu->hermite->potential_is_late = cpu->hermite->members_are_late = 1;
    ky_cpu_moved(cpu);
    return ky_cpu_sort_masses(cpu, error);
}

enum ky_status ky_cpu_groups_catch(struct ky_cpu *cpu, struct ky_error *error)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    size_t count = 0;
    if (!cpu->hermite->members_are_late || !own)
        return KY_OK;
    for (size_t k = 0; k < own->count; k++)
        count += (size_t)own->group[k]->n;
    size_t *body = ky_allocate(count, sizeof *body);
    double(*a)[3] = ky_allocate(count, sizeof *a);
    enum ky_status status =
        body && a ? KY_OK : ky_no_memory(error, "accelerations of members", count, sizeof *a);
    count = 0;
    for (size_t k = 0; k < own->count && !status; k++)
        for (int m = 0; m < own->group[k]->n; m++)
            body[count++] = own->group[k]->member[m];
    if (!status)
        status = ky_cpu_exact(&cpu->base, body, count, a, NULL, error);
    for (size_t k = 0; k < count && !status; k++) {
        const double x[3] = {cpu->x[0][body[k]] * cpu->length, cpu->x[1][body[k]] * cpu->length,
                             cpu->x[2][body[k]] * cpu->length};
        ky_externals_add(&cpu->base.externals, x, a[k], NULL);
        for (int c = 0; c < 3; c++)
            cpu->a[c][body[k]] = a[k][c];
    }
    free(body);
    free(a);
    cpu->hermite->members_are_late = status != KY_OK;
    return status;
}
