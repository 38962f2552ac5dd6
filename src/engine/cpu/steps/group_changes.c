/* Bodies that become a group, and groups that come apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "engine/cpu/steps/hermite_board.h"
#include "physics/few.h"
#include "physics/hermite.h"

/* ---- making and ending ---- */

/* Bodies about a point in place and velocity: x in the engine's unit of length, all else in the
 * caller's units. */
struct some {
    double origin[6];
    int n;
    uint32_t member[2 * KY_GROUP_MOST];
    double mass[2 * KY_GROUP_MOST], x[2 * KY_GROUP_MOST][3], v[2 * KY_GROUP_MOST][3];
};

/* Gives body i a place, which is where all sums of this tick see it. */
static void place(struct ky_cpu *cpu, uint32_t i, const double origin[6], const double x[3],
                  const double v[3])
{
    for (int c = 0; c < 3; c++) {
        cpu->hermite->at[c][i] = cpu->x[c][i] = origin[c] + x[c] / cpu->length;
        cpu->v[c][i] = origin[3 + c] + v[c];
        cpu->hermite->at[3 + c][i] = cpu->v[c][i] / cpu->length;
    }
}

static void add_fresh(struct ky_cpu *cpu, uint32_t i)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    for (size_t k = 0; k < own->fresh_count; k++)
        if (own->fresh[k] == i)
            return;
    own->fresh[own->fresh_count++] = i;
    ky_cpu_groups_take_out(own, i);
}

static enum ky_status start_inside(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                   const struct some *some, struct ky_error *error)
{
    const struct ky_few_settings settings = ky_cpu_groups_settings(b);
    double mass[KY_GROUP_MOST], x[KY_GROUP_MOST][3], v[KY_GROUP_MOST][3];
    const struct ky_bodies bodies = {
        .n = (size_t)some->n, .mass = mass, .position = x, .velocity = v};
    if (some->n == 2) {
        for (int c = 0; c < 3; c++) {
            group->pair.x[c] = some->x[1][c] - some->x[0][c];
            group->pair.v[c] = some->v[1][c] - some->v[0][c];
        }
        for (int k = 0; k < 2; k++)
            group->pair.gm[k] = ky_cpu_groups_gm(b->cpu, some->mass[k]);
        return KY_OK;
    }
    for (int k = 0; k < some->n; k++) {
        mass[k] = ky_cpu_groups_gm(b->cpu, some->mass[k]);
        memcpy(x[k], some->x[k], sizeof x[k]);
        memcpy(v[k], some->v[k], sizeof v[k]);
    }
    if (!(group->few = ky_allocate_zeroed(1, sizeof *group->few)))
        return ky_no_memory(error, "a group", 1, sizeof *group->few);
    KY_TRY(ky_few_start(group->few, &settings, &bodies, group->t, error));
    b->cpu->hermite->groups->slow_work += group->few->slow_work;
    group->few->slow_work = 0;
    return KY_OK;
}

/* Makes a group of bodies and adds it to the table, whose order is then wrong. The first member is
 * the heaviest one. */
static enum ky_status make(const struct ky_cpu_way *b, struct some *some, double time,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    struct ky_cpu_group *made = ky_allocate_zeroed(1, sizeof *made);
    double mass = 0, x[3] = {0}, v[3] = {0};
    int first = 0;
    if (!made || !ky_extend(&own->group, own->count, own->count + 1, sizeof *own->group)) {
        free(made);
        return ky_no_memory(error, "groups", own->count + 1, sizeof *made);
    }
    own->group[own->count++] = made;
    for (int k = 0; k < some->n; k++) {
        mass += some->mass[k];
        first = some->mass[k] > some->mass[first] ? k : first;
    }
    for (int k = 0; k < some->n; k++)
        for (int c = 0; c < 3; c++) {
            x[c] += some->mass[k] / mass * some->x[k][c];
            v[c] += some->mass[k] / mass * some->v[k][c];
        }
    made->n = some->n;
    made->gm = ky_cpu_groups_gm(cpu, mass);
    made->t = time;
    made->kappa = 1;
    made->is_new = 1;
    /* The heaviest one changes places with the first one. */
    const struct some old = *some;
    for (int k = 0; k < some->n; k++) {
        const int from = k == 0 ? first : k == first ? 0 : k;
        made->member[k] = some->member[k] = old.member[from];
        made->mass[k] = some->mass[k] = old.mass[from];
        memcpy(some->x[k], old.x[from], sizeof old.x[from]);
        memcpy(some->v[k], old.v[from], sizeof old.v[from]);
        place(cpu, made->member[k], some->origin, x, v);
        cpu->mass[made->member[k]] = k ? 0 : mass;
        cpu->blocks->level[made->member[k]] = k ? KY_LEVEL_HIDDEN : 0;
    }
    own->is_resolved[made->member[0]] = 0;
    add_fresh(cpu, made->member[0]);
    own->formed++;
    KY_TRY(start_inside(b, made, some, error));
    made->size = ky_cpu_group_extent(made, own->radius);
    return KY_OK;
}

/* Body i, or the members of its group, about the place of the first body that was added. */
static void add_unit(const struct ky_cpu_way *b, uint32_t i, double time, struct some *some)
{
    const struct ky_cpu *cpu = b->cpu;
    const struct ky_cpu_group *group = ky_cpu_group_of(cpu, i);
    struct ky_cpu_inside inside = {.x = {{0}}};
    double x[3], v[3];
    if (group)
        ky_cpu_group_look(group, time, 0, &inside);
    for (int c = 0; c < 3 && some->n == 0; c++) {
        some->origin[c] = cpu->x[c][i];
        some->origin[3 + c] = cpu->v[c][i];
    }
    for (int c = 0; c < 3; c++) {
        x[c] = (cpu->x[c][i] - some->origin[c]) * cpu->length;
        v[c] = cpu->v[c][i] - some->origin[3 + c];
    }
    for (int k = 0; k < (group ? group->n : 1); k++, some->n++) {
        some->member[some->n] = group ? group->member[k] : i;
        some->mass[some->n] = group ? group->mass[k] : cpu->mass[i];
        for (int c = 0; c < 3; c++) {
            some->x[some->n][c] = x[c] + inside.x[k][c];
            some->v[some->n][c] = v[c] + inside.v[k][c];
        }
    }
}

/* Takes the group in this slot out of the table, whose order is then right. */
static void drop(struct ky_cpu *cpu, uint32_t slot, double time)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    const uint32_t k = own->of[slot];
    if (k == KY_NO_BODY)
        return;
    ky_cpu_group_close(cpu, own->group[k], time);
    ky_cpu_group_free(own->group[k]);
    own->group[k] = own->group[--own->count];
    ky_cpu_groups_sort(cpu);
}

/* Joins two bodies or groups, and the third unless it is KY_NO_BODY. All at once: a group of the
 * first two would be fresh, though its slot is hidden where the third one is heavier. */
static enum ky_status join(const struct ky_cpu_way *b, const uint32_t body[3], double time,
                           struct ky_error *error)
{
    const int bodies = body[2] == KY_NO_BODY ? 2 : 3;
    struct some some = {.n = 0};
    for (int s = 0; s < bodies; s++)
        add_unit(b, body[s], time, &some);
    for (int s = 0; s < bodies; s++)
        drop(b->cpu, body[s], time);
    const enum ky_status status = make(b, &some, time, error);
    ky_cpu_groups_sort(b->cpu);
    return status;
}

/* Ends the group in this slot: each side of its outermost orbit becomes a body or a group. */
static enum ky_status split(const struct ky_cpu_way *b, uint32_t slot, double time,
                            struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    const struct ky_cpu_group *group = ky_cpu_group_of(cpu, slot);
    struct some all = {.n = 0}, side[2] = {{.n = 0}, {.n = 0}};
    add_unit(b, slot, time, &all);
    for (int k = 0; k < all.n; k++) {
        int which = k;
        if (group->few) { /* the place of member k in the tree */
            int p = 0;
            while (group->few->order[p] != k)
                p++;
            which = p >= group->few->system.shape.node[group->n - 2].middle;
        }
        struct some *to = &side[which];
        memcpy(to->origin, all.origin, sizeof to->origin);
        to->member[to->n] = all.member[k];
        to->mass[to->n] = all.mass[k];
        memcpy(to->x[to->n], all.x[k], sizeof all.x[k]);
        memcpy(to->v[to->n++], all.v[k], sizeof all.v[k]);
    }
    drop(cpu, slot, time);
    cpu->hermite->groups->ended++;
    for (int s = 0; s < 2; s++) {
        if (side[s].n > 1) {
            KY_TRY(make(b, &side[s], time, error));
            continue;
        }
        const uint32_t i = side[s].member[0];
        place(cpu, i, side[s].origin, side[s].x[0], side[s].v[0]);
        cpu->mass[i] = side[s].mass[0];
        cpu->blocks->level[i] = 0;
        add_fresh(cpu, i);
    }
    ky_cpu_groups_sort(cpu);
    return KY_OK;
}

/* ---- the first groups ---- */

struct candidate {
    double strength;
    uint32_t i, j, third; /* the third one or KY_NO_BODY */
};

static int by_strength(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    if (one->strength != other->strength)
        return one->strength < other->strength ? 1 : -1;
    return one->i != other->i ? (one->i > other->i) - (one->i < other->i)
                              : (one->j > other->j) - (one->j < other->j);
}

/* All pairs that join. The caller frees them. */
static enum ky_status find_candidates(const struct ky_cpu *cpu, struct candidate **found,
                                      size_t *count, struct ky_error *error)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const double window = (own->count ? KY_GROUP_REACH : 1) * own->radius / cpu->length;
    struct ky_cpu_along *line = own->line;
    size_t n = 0, room = 0;
    enum ky_status status = KY_OK;
    *count = 0;
    for (uint32_t i = 0; i < cpu->n; i++)
        if (cpu->blocks->level[i] != KY_LEVEL_HIDDEN)
            line[n++] = (struct ky_cpu_along){.x = cpu->hermite->at[0][i], .body = i};
    if (n)
        qsort(line, n, sizeof *line, ky_cpu_groups_by_x);
    for (size_t k = 0; k < n && !status; k++)
        for (size_t m = k + 1; m < n && line[m].x - line[k].x < window && !status; m++) {
            const uint32_t i = line[k].body, j = line[m].body;
            struct candidate one = {.i = i < j ? i : j, .j = i < j ? j : i};
            one.strength = ky_cpu_groups_join(cpu, i, j, &one.third);
            if (!(one.strength > 0))
                continue;
            if (*count == room && !ky_extend(found, room, 2 * room + 64, sizeof **found))
                status = ky_no_memory(error, "close pairs", room, sizeof **found);
            room = *count == room ? 2 * room + 64 : room;
            if (!status)
                (*found)[(*count)++] = one;
        }
    return status;
}

/* Joins pairs, the strongest first, with the third bodies that they need, each body once only.
 * Returns the number in *made. */
static enum ky_status join_candidates(const struct ky_cpu_way *b, size_t *made,
                                      struct ky_error *error)
{
    struct candidate *found = NULL;
    size_t count;
    struct ky_cpu_groups *own = b->cpu->hermite->groups;
    const double time = ky_advance_time(b->way, b->way->now);
    enum ky_status status = find_candidates(b->cpu, &found, &count, error);
    *made = 0;
    if (count)
        qsort(found, count, sizeof *found, by_strength);
    for (size_t k = 0; k < count && !status; k++) {
        const uint32_t body[3] = {found[k].i, found[k].j, found[k].third};
        const int bodies = body[2] == KY_NO_BODY ? 2 : 3;
        int is_free = 1;
        for (int s = 0; s < bodies; s++)
            is_free &= own->place[body[s]] == KY_NO_BODY;
        if (!is_free)
            continue;
        for (int s = 0; s < bodies; s++)
            own->place[body[s]] = 0;
        status = join(b, body, time, error);
        ++*made;
    }
    for (size_t k = 0; k < count; k++) {
        own->place[found[k].i] = own->place[found[k].j] = KY_NO_BODY;
        if (found[k].third != KY_NO_BODY)
            own->place[found[k].third] = KY_NO_BODY;
    }
    free(found);
    return status;
}

enum ky_status ky_cpu_groups_first(const struct ky_cpu_way *b, struct ky_error *error)
{
    enum { ROUNDS = 8 };
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    size_t made = 1;
    memset(cpu->blocks->level, 0, cpu->n);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < cpu->n; i++) {
            cpu->hermite->at[c][i] = cpu->x[c][i];
            cpu->hermite->at[3 + c][i] = cpu->v[c][i] / cpu->length;
        }
    for (int round = 0; round < ROUNDS && made; round++)
        KY_TRY(join_candidates(b, &made, error));
    KY_TRY(ky_cpu_groups_masses(cpu, error));
    for (size_t i = 0; i < cpu->n; i++)
        ky_cpu_groups_weigh(cpu, i);
    for (size_t k = 0; k < own->count; k++)
        own->group[k]->is_new = 0;
    own->fresh_count = 0;
    return ky_cpu_groups_prepare(b, error);
}

/* ---- within blocks ---- */

struct best {
    double strength;
    uint32_t body;
};

static void consider(const struct ky_cpu *cpu, uint32_t i, uint32_t j, struct best *best)
{
    if (j == i || cpu->blocks->level[j] == KY_LEVEL_HIDDEN)
        return;
    uint32_t third;
    const double strength = ky_cpu_groups_join(cpu, i, j, &third);
    if (strength > best->strength || (strength > 0 && strength == best->strength && j < best->body))
        *best = (struct best){strength, j};
}

/* The body that joins body i most strongly, or KY_NO_BODY. elapsed: time since the beginning of the
 * longest step, in which bodies of the line have moved with less than `speed`, except fast ones. */
static uint32_t partner(const struct ky_cpu *cpu, uint32_t i, double elapsed)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const struct ky_cpu_group *group = ky_cpu_group_of(cpu, i);
    double *const *at = cpu->hermite->at;
    const double x[3] = {at[0][i], at[1][i], at[2][i]},
                 far = KY_GROUP_REACH * own->radius / cpu->length + own->speed * elapsed;
    struct best best = {0, KY_NO_BODY};
    if (group) {
        for (size_t k = 0; k < group->listed; k++)
            consider(cpu, i, group->list[k], &best);
        return best.body;
    }
    for (size_t k = ky_cpu_groups_from_x(own, x[0] - far);
         k < own->line_count && own->line[k].x <= x[0] + far; k++)
        if (ky_cpu_is_beside(&own->line[k], x, far))
            consider(cpu, i, own->line[k].body, &best);
    for (size_t k = 0; k < own->fast_count; k++)
        consider(cpu, i, own->fast[k], &best);
    return best.body;
}

/* The partner of a body whose step ends; KY_NO_BODY also where it has no close one. */
static uint32_t close_partner(const struct ky_cpu_way *b, uint32_t i, double elapsed)
{
    const struct ky_cpu *cpu = b->cpu;
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    if (own->of[i] == KY_NO_BODY &&
        (fabs(b->step[cpu->blocks->level[i]]) > own->close ||
         ky_few_square(cpu->a[0][i], cpu->a[1][i], cpu->a[2][i]) < own->pulled * own->pulled))
        return KY_NO_BODY;
    return partner(cpu, i, elapsed);
}

/* Bodies that fall towards each other become faster within a longest step than all were at its
 * beginning. */
static void take_out_fast(struct ky_cpu *cpu, size_t ending)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    double *const *at = cpu->hermite->at;
    for (size_t k = 0; k < ending; k++) {
        const uint32_t i = cpu->blocks->active[k];
        if (ky_few_square(at[3][i], at[4][i], at[5][i]) > own->speed * own->speed)
            ky_cpu_groups_take_out(own, i);
    }
}

/* Notes bodies that may join, unless one of them already may join others, or is a group in the
 * midst of a step. The steps of all of them end at the tick. */
static void note_found(struct ky_cpu_way *b, uint32_t i, uint32_t j, int due)
{
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    uint32_t *found = own->found[own->found_count];
    found[0] = i;
    found[1] = j;
    ky_cpu_groups_join(cpu, i, j, &found[2]);
    for (int s = 0; s < 3; s++) {
        if (found[s] == KY_NO_BODY)
            continue;
        if (cpu->blocks->level[found[s]] < due && own->of[found[s]] != KY_NO_BODY)
            return;
        for (size_t f = 0; f < own->found_count; f++)
            for (int m = 0; m < 3; m++)
                if (own->found[f][m] == found[s])
                    return;
    }
    own->found_count++;
    for (int s = 1; s < 3; s++)
        if (found[s] != KY_NO_BODY && cpu->blocks->level[found[s]] < due)
            cpu->blocks->active[b->active++] = found[s];
}

void ky_cpu_groups_find(struct ky_cpu_way *b, uint64_t tick, int due)
{
    enum { FEWEST = 64 }; /* bodies that are worth the start of threads */
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    const size_t ending = b->active;
    const uint64_t first = b->way->now - b->way->now % b->way->stride;
    const double elapsed = fabs(b->way->tick) * (double)(tick - first);
    own->found_count = 0;
    take_out_fast(cpu, ending);
#pragma omp parallel for num_threads(cpu->threads) if (ending >= FEWEST)
    for (size_t k = 0; k < ending; k++)
        own->partner[k] = close_partner(b, cpu->blocks->active[k], elapsed);
    for (size_t k = 0; k < ending && own->found_count < KY_GROUPS_FOUND; k++)
        if (own->partner[k] != KY_NO_BODY)
            note_found(b, cpu->blocks->active[k], own->partner[k], due);
}

/* A level on which a step may begin at the tick. */
static int fitting(const struct ky_cpu_way *b, uint64_t tick, int level)
{
    while (level < b->deepest && tick % (b->way->stride >> level))
        level++;
    return level;
}

/* Sends the bodies of the list of the block, and the hidden members of centres among them. */
static enum ky_status send_with_members(const struct ky_cpu_way *b, struct ky_error *error)
{
    uint32_t *active = b->cpu->blocks->active;
    size_t count = b->active;
    for (size_t k = 0; k < b->active; k++) {
        const struct ky_cpu_group *group = ky_cpu_group_of(b->cpu, active[k]);
        for (int m = 1; group && m < group->n; m++)
            active[count++] = group->member[m];
    }
    return ky_cpu_send(b, active, count, error);
}

/* Forces and first steps of the fresh bodies, a quarter of the steps that the strongest change
 * of the force on them requires. */
static enum ky_status find_steps(struct ky_cpu_way *b, uint64_t tick, struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    b->active = own->fresh_count;
    memcpy(cpu->blocks->active, own->fresh, own->fresh_count * sizeof *own->fresh);
    KY_TRY(send_with_members(b, error));
    KY_TRY(ky_cpu_sum_jerks(cpu, b->active, 0, error));
    ky_cpu_groups_correct(b, tick, 0);
    const int threads = ky_cpu_crew(cpu, cpu->n * b->active);
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads < (int)b->active ? threads : (int)b->active)
    for (size_t k = 0; k < b->active; k++) {
        const uint32_t i = own->fresh[k];
        for (size_t c = 0; c < 3; c++) {
            cpu->a[c][i] = cpu->hermite->sum[c][k];
            cpu->extra[KY_COLUMN_JERK][c * cpu->n + i] = cpu->hermite->sum[3 + c][k];
        }
        const int level = ky_hermite_bound(ky_cpu_hermite_rate2(cpu, i) / 16,
                                           b->longest * b->longest, b->way->eta, 0, 0, b->deepest);
        cpu->blocks->level[i] = (unsigned char)fitting(b, tick, level);
        cpu->extra[KY_COLUMN_STEP][i] = b->step[cpu->blocks->level[i]];
    }
    b->way->body_steps += (double)b->active;
    return ky_cpu_send(b, own->fresh, own->fresh_count, error);
}

static void weigh_fresh(const struct ky_cpu *cpu)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    for (size_t k = 0; k < own->fresh_count; k++) {
        const struct ky_cpu_group *group = ky_cpu_group_of(cpu, own->fresh[k]);
        ky_cpu_groups_weigh(cpu, own->fresh[k]);
        for (int m = 1; group && m < group->n; m++)
            ky_cpu_groups_weigh(cpu, group->member[m]);
    }
}

/* Puts body i on the lists of the groups around it. */
static enum ky_status announce(struct ky_cpu *cpu, uint32_t i, struct ky_error *error)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    for (size_t g = 0; g < own->count; g++) {
        struct ky_cpu_group *group = own->group[g];
        size_t k = 0;
        if (!ky_cpu_group_lists(cpu, group, i))
            continue;
        while (k < group->listed && group->list[k] < i)
            k++;
        if (k < group->listed && group->list[k] == i)
            continue;
        KY_TRY(ky_cpu_group_extend(group, error));
        memmove(group->list + k + 1, group->list + k, (group->listed - k) * sizeof *group->list);
        group->list[k] = i;
        group->listed++;
    }
    return KY_OK;
}

/* Ends groups whose steps end at the tick, and new ones that would pull each other apart, such as
 * both sides of a group that has ended. */
static enum ky_status end_groups(const struct ky_cpu_way *b, uint64_t tick, struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    const double time = ky_advance_time(b->way, tick);
    const int due = ky_cpu_way_due(b, tick);
    for (size_t k = own->count; k-- > 0;) {
        const uint32_t slot = own->slot[k];
        const int level = cpu->blocks->level[slot], ends = level >= due;
        if (!ends && level > 0) /* new groups have level 0 */
            continue;
        struct ky_cpu_group *group = own->group[k];
        if (group->is_new ? !ky_cpu_group_is_torn(cpu, group)
                          : !ends || !ky_cpu_group_has_ended(cpu, group, time))
            continue;
        KY_TRY(split(b, slot, time, error));
        k = own->count; /* the order is new */
    }
    return KY_OK;
}

enum ky_status ky_cpu_groups_change(struct ky_cpu_way *b, uint64_t tick, struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_groups *own = cpu->hermite->groups;
    const double time = ky_advance_time(b->way, tick);
    own->fresh_count = 0;
    for (size_t f = 0; f < own->found_count; f++) {
        const uint32_t *found = own->found[f];
        uint32_t body[3] = {found[0], found[1], KY_NO_BODY};
        const int joins = ky_cpu_groups_join(cpu, body[0], body[1], &body[2]) > 0 &&
                          (body[2] == KY_NO_BODY || body[2] == found[2]);
        if (joins)
            KY_TRY(join(b, body, time, error));
        for (int s = 0; s < 3; s++) /* its step may have ended before its time */
            if (found[s] != KY_NO_BODY && !(joins && body[s] == found[s]) &&
                tick % (b->way->stride >> cpu->blocks->level[found[s]]))
                add_fresh(cpu, found[s]);
    }
    KY_TRY(end_groups(b, tick, error));
    if (!own->fresh_count)
        return KY_OK;
    KY_TRY(ky_cpu_groups_masses(cpu, error));
    weigh_fresh(cpu);
    for (size_t k = 0; k < own->fresh_count; k++)
        KY_TRY(announce(cpu, own->fresh[k], error));
    for (size_t k = 0; k < own->count; k++)
        if (own->group[k]->is_new) {
            KY_TRY(ky_cpu_group_prepare(b, own->group[k], error));
            own->group[k]->is_new = 0;
        }
    return find_steps(b, tick, error);
}
