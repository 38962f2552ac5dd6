/* Lists of the bodies that may pull a group. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "engine/cpu/steps/groups.h"
#include "engine/cpu/steps/hermite.h"
#include "physics/few.h"

/* A list lasts for this many steps of the group. */
enum { LIST_STEPS = 16 };
/* It has bodies up to this many times the reach, since paths are curved and the size changes. */
static const double spare = 1.1;
/* Bodies with more than this many times the mean weight are seen from so far that they are looked
 * at one by one. */
static const double heavy_part = 3;

int ky_cpu_group_lists(const struct ky_cpu *cpu, const struct ky_cpu_group *group, size_t i)
{
    double d[3], w[3];
    if (i == group->member[0] || cpu->blocks->level[i] == KY_LEVEL_HIDDEN)
        return 0;
    ky_cpu_group_apart(cpu, group, i, d, w);
    return ky_cpu_is_within(ky_few_length2(d), group->reach2[0] * cpu->hermite->groups->weight[i],
                            group->reach2[1] * ky_few_length2(w));
}

enum ky_status ky_cpu_group_extend(struct ky_cpu_group *group, struct ky_error *error)
{
    const size_t room = 2 * group->room + 8;
    if (group->listed < group->room)
        return KY_OK;
    if (!ky_extend(&group->list, group->listed, room, sizeof *group->list) ||
        !ky_extend(&group->near, group->nears, room, sizeof *group->near) ||
        !ky_extend(&group->pull, group->nears, room, sizeof *group->pull) ||
        !ky_extend(&group->pulls, group->pulling, room, sizeof *group->pulls))
        return ky_no_memory(error, "neighbours of a group", room, sizeof *group->pull);
    group->room = room;
    return KY_OK;
}

static enum ky_status list_body(const struct ky_cpu *cpu, struct ky_cpu_group *group, uint32_t i,
                                struct ky_error *error)
{
    if (!ky_cpu_group_lists(cpu, group, i))
        return KY_OK;
    KY_TRY(ky_cpu_group_extend(group, error));
    group->list[group->listed++] = i;
    return KY_OK;
}

static enum ky_status list_all(const struct ky_cpu *cpu, struct ky_cpu_group *group,
                               struct ky_error *error)
{
    const struct ky_cpu_hermite *own = cpu->hermite;
    const double unit = cpu->length * cpu->length;
    /* (√a + √b)² ≤ 2 a + 2 b */
    struct ky_passing passing = {.weight = own->groups->weight,
                                 .by_weight = 2 * group->reach2[0] / unit * (1 + 1e-9),
                                 .by_speed = 2 * group->reach2[1] * (1 + 1e-9)};
    for (int c = 0; c < 6; c++) {
        passing.at[c] = own->at[c];
        passing.centre[c] = own->at[c][group->member[0]];
    }
    for (size_t first = 0; first < cpu->n; first += KY_REACH_MOST) {
        uint32_t found[KY_REACH_MOST];
        const size_t left = cpu->n - first, count = left < KY_REACH_MOST ? left : KY_REACH_MOST,
                     some = cpu->lanes->passing(&passing, first, count, found);
        for (size_t k = 0; k < some; k++)
            KY_TRY(list_body(cpu, group, found[k], error));
    }
    return KY_OK;
}

int ky_cpu_groups_by_x(const void *a, const void *b)
{
    const struct ky_cpu_along *one = a, *other = b;
    if (one->x != other->x)
        return one->x > other->x ? 1 : -1;
    return (one->body > other->body) - (one->body < other->body);
}

size_t ky_cpu_groups_from_x(const struct ky_cpu_groups *own, double x)
{
    size_t low = 0, high = own->line_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (own->line[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ky_cpu_groups_take_out(struct ky_cpu_groups *own, uint32_t i)
{
    if (own->is_fast[i])
        return;
    own->is_fast[i] = 1;
    own->fast[own->fast_count++] = i;
}

void ky_cpu_groups_sort_along(const struct ky_cpu *cpu, uint64_t tick)
{
    struct ky_cpu_groups *own = cpu->hermite->groups;
    double *const *at = cpu->hermite->at;
    double mean = 0, most = 0;
    size_t count = 0, some = 0;
    for (size_t i = 0; i < cpu->n; i++) {
        mean += ky_few_square(at[3][i], at[4][i], at[5][i]) * own->weight[i];
        most += own->weight[i];
        some += own->weight[i] > 0;
    }
    own->speed = most > 0 ? 3 * sqrt(mean / most) : 0;
    const double heavy = some ? heavy_part * most / (double)some : 0;
    own->heaviest = 0;
    own->fast_count = own->heavy_count = 0;
    memset(own->is_fast, 0, cpu->n);
    for (uint32_t i = 0; i < cpu->n; i++) {
        if (cpu->blocks->level[i] == KY_LEVEL_HIDDEN)
            continue;
        if (ky_few_square(at[3][i], at[4][i], at[5][i]) > own->speed * own->speed) {
            ky_cpu_groups_take_out(own, i);
            continue;
        }
        const int is_heavy = own->weight[i] > heavy;
        own->line[count++] = (struct ky_cpu_along){at[0][i], at[1][i], at[2][i], i, is_heavy};
        if (is_heavy)
            own->heavy[own->heavy_count++] = i;
        else
            own->heaviest = fmax(own->heaviest, own->weight[i]);
    }
    own->line_count = count;
    own->line_tick = tick;
    if (count)
        qsort(own->line, count, sizeof *own->line, ky_cpu_groups_by_x);
}

/* The same as list_all. */
static enum ky_status list_along(const struct ky_cpu *cpu, struct ky_cpu_group *group,
                                 struct ky_error *error)
{
    const struct ky_cpu_groups *own = cpu->hermite->groups;
    double *const *at = cpu->hermite->at;
    const uint32_t slot = group->member[0];
    const double here = sqrt(ky_few_square(at[3][slot], at[4][slot], at[5][slot])),
                 speed = (own->speed + here) * cpu->length,
                 reach = (sqrt(group->reach2[0] * own->heaviest) + sqrt(group->reach2[1]) * speed) /
                         cpu->length * (1 + 1e-9),
                 x[3] = {at[0][slot], at[1][slot], at[2][slot]}, end = x[0] + reach;
    for (size_t k = ky_cpu_groups_from_x(own, x[0] - reach);
         k < own->line_count && own->line[k].x <= end; k++)
        if (!own->line[k].is_heavy && ky_cpu_is_beside(&own->line[k], x, reach))
            KY_TRY(list_body(cpu, group, own->line[k].body, error));
    for (size_t k = 0; k < own->heavy_count; k++)
        KY_TRY(list_body(cpu, group, own->heavy[k], error));
    for (size_t k = 0; k < own->fast_count; k++)
        KY_TRY(list_body(cpu, group, own->fast[k], error));
    if (group->listed)
        qsort(group->list, group->listed, sizeof *group->list, ky_order_words);
    return KY_OK;
}

enum ky_status ky_cpu_group_list(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                 struct ky_error *error)
{
    const struct ky_cpu *cpu = b->cpu;
    const uint64_t now = b->way->now, end = now - now % b->way->stride + b->way->stride,
                   wanted =
                       now + LIST_STEPS * (b->way->stride >> cpu->blocks->level[group->member[0]]);
    const uint64_t until = wanted < end ? wanted : end;
    group->listed_until = b->way->before + until;
    const double h = fabs(b->way->tick) * (double)(until - now);
    group->reach2[0] = spare * spare * group->reach2[2];
    group->reach2[1] = h * h;
    group->listed = group->nears = group->pulling = 0;
    return cpu->hermite->groups->line_tick == now ? list_along(cpu, group, error)
                                                  : list_all(cpu, group, error);
}
