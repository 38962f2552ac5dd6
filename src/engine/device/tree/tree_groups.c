/* Groups of bodies, made from the cells on the card: the host side of kernels/tree/groups.k. */
#include "engine/device/tree/tree_groups.h"

#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/state/curve.h"

/* Counts the roots of a part that are cuts themselves. */
static enum ky_status count_roots(struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies, uint32_t limit,
                                  uint32_t most, size_t active, struct ky_error *error)
{
    uint32_t roots = (uint32_t)tree->part.roots, listed = (uint32_t)active;
    const struct ky_buffer *list = listed > 0 ? &bodies->active_list : &tree->before;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_groups_roots, roots,
                          KY_ARGUMENTS(KY_BUFFER(tree->column.link), KY_BUFFER(tree->part.cell),
                                       KY_BUFFER(*list), KY_BUFFER(tree->before), KY_VALUE(roots),
                                       KY_VALUE(limit), KY_VALUE(most), KY_VALUE(listed)),
                          error);
}

/* Makes groups of at most `most` of the listed active bodies, or of all bodies. */
static enum ky_status divide(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                             const struct ky_parameters *parameters, uint32_t most, size_t active,
                             struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t limit = ky_device_tree_divided(card->team, parameters), cells = (uint32_t)tree->cells,
             listed = (uint32_t)active;
    const struct ky_buffer *list = listed > 0 ? &bodies->active_list : &tree->before;
    enum ky_status status = card->driver->zero(card, &tree->before, error);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_count, cells,
                                KY_ARGUMENTS(KY_BUFFER(tree->column.link), KY_BUFFER(*list),
                                             KY_BUFFER(tree->before), KY_VALUE(cells),
                                             KY_VALUE(limit), KY_VALUE(most), KY_VALUE(listed)),
                                error);
    if (!status && ky_device_shared(bodies->state))
        status = count_roots(tree, bodies, limit, most, active, error);
    if (!status)
        status = card->driver->scan(card, &tree->before, &tree->before, tree->cells + 1,
                                    &tree->scratch, error);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_groups_place, cells,
                                KY_ARGUMENTS(KY_BUFFER(tree->column.link), KY_BUFFER(*list),
                                             KY_BUFFER(tree->before), KY_BUFFER(tree->group),
                                             KY_VALUE(cells), KY_VALUE(listed)),
                                error);
    tree->listed = active;
    return status;
}

uint32_t ky_device_tree_top = 64;

/* The number of cuts of a tree of n bodies. The cells of a cut have 8 times as many bodies as the
 * cells of the next one; an uppermost cut with few cells would leave most of a card idle. */
static size_t cuts_of(uint32_t limit, size_t n)
{
    size_t count = 1;
    while (count < KY_MOST_CUTS && ((size_t)limit << 3 * count) * ky_device_tree_top < n)
        count++;
    return count;
}

void ky_device_tree_count_cuts(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                               const struct ky_parameters *parameters)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    const uint32_t limit = ky_device_tree_divided(bodies->card->team, parameters);
    tree->cuts.count = ky_force_kind(parameters->force)->expands
                           ? cuts_of(limit, (shared ? shared->system : bodies->n) *
                                                ky_device_images(bodies->state))
                           : 0;
}

size_t ky_device_tree_cut_bodies(const struct ky_device_tree *tree, const struct ky_card *card,
                                 const struct ky_parameters *parameters, size_t k)
{
    return (size_t)ky_device_tree_divided(card->team, parameters) << 3 * (tree->cuts.count - 1 - k);
}

enum ky_status ky_device_tree_place_cuts(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         const struct ky_parameters *parameters,
                                         const struct ky_cut_cells *of, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t cells = (uint32_t)tree->cells, cuts = (uint32_t)tree->cuts.count,
             limit = ky_device_tree_divided(card->team, parameters), stride = (uint32_t)of->cells,
             marks = (uint32_t)of->marks, whole = of->mark == NULL;
    const struct ky_listed_sinks *sinks = &of->sinks;
    /* A cell of a cut has a parent with more than `limit` bodies; there are at most KY_KEY_LEVELS
     * times as many of these as fit into the system. */
    const size_t all = of->cells * cuts,
                 above = 2 * 8 * KY_KEY_LEVELS * (bodies->n / (8 * (size_t)limit) + 1),
                 most = of->cells + of->marks + (above < all ? above : all);
    KY_TRY(ky_buffer_need(card, &tree->cut, "cells that are sinks", most, sizeof(uint32_t), error));
    KY_TRY(ky_buffer_need(card, &tree->cut_first, "ends of cuts", KY_MOST_CUTS + 1,
                          sizeof(uint32_t), error));
    KY_TRY(ky_scratch_need(card, &tree->scratch, KY_BULK_SCAN, all + 1, error));
    KY_TRY(card->driver->zero(card, &tree->before, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_cuts_count, cells,
                          KY_ARGUMENTS(KY_BUFFER(tree->column.link), KY_BUFFER(*sinks->list),
                                       KY_BUFFER(tree->before), KY_VALUE(cells), KY_VALUE(stride),
                                       KY_VALUE(limit), KY_VALUE(cuts), KY_VALUE(whole),
                                       KY_VALUE(sinks->listed), KY_VALUE(sinks->flags)),
                          error));
    if (marks > 0)
        KY_TRY(ky_launch_over(
            card, KY_KERNEL_ky_cuts_mark, marks,
            KY_ARGUMENTS(KY_BUFFER(*of->mark), KY_BUFFER(tree->before), KY_VALUE(marks)), error));
    KY_TRY(card->driver->scan(card, &tree->before, &tree->before, all + 1, &tree->scratch, error));
    return ky_launch_over(card, KY_KERNEL_ky_cuts_place, all + 1,
                          KY_ARGUMENTS(KY_BUFFER(tree->before), KY_BUFFER(tree->cut_first),
                                       KY_BUFFER(tree->cut), KY_VALUE(stride), KY_VALUE(cuts)),
                          error);
}

enum ky_status ky_device_tree_make_cuts(struct ky_device_tree *tree,
                                        const struct ky_device_bodies *bodies,
                                        const struct ky_parameters *parameters,
                                        struct ky_error *error)
{
    const struct ky_cut_cells of = {.cells = tree->cells, .sinks = {.list = &tree->before}};
    ky_device_tree_count_cuts(tree, bodies, parameters);
    if (tree->cuts.count == 0 || ky_device_shared(bodies->state))
        return KY_OK;
    KY_TRY(ky_device_tree_place_cuts(tree, bodies, parameters, &of, error));
    return bodies->card->driver->read_later(bodies->card, &tree->cut_first, 0,
                                            (uint32_t *)tree->pinned.data + 1,
                                            (tree->cuts.count + 1) * sizeof(uint32_t), error);
}

enum ky_status ky_device_tree_make_groups(struct ky_device_tree *tree,
                                          const struct ky_device_bodies *bodies,
                                          const struct ky_parameters *parameters,
                                          struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const size_t cells = tree->cells;
    KY_TRY(
        divide(tree, bodies, parameters, ky_device_tree_group(card->team, parameters), 0, error));
    KY_TRY(card->driver->read_later(card, &tree->before, cells * sizeof(uint32_t),
                                    tree->pinned.data, sizeof(uint32_t), error));
    return card->driver->mark(card, KY_MARK_GROUPS, error);
}

enum ky_status ky_device_tree_count_runs(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies, uint32_t most,
                                         struct ky_buffer *count, size_t *runs,
                                         struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const size_t words = tree->cells + 1;
    uint32_t cells = (uint32_t)tree->cells, all = 0;
    enum ky_status status = ky_launch_over(
        card, KY_KERNEL_ky_groups_runs_count, words,
        KY_ARGUMENTS(KY_BUFFER(tree->before), KY_BUFFER(*count), KY_VALUE(cells), KY_VALUE(most)),
        error);
    if (!status)
        status = ky_scratch_need(card, &tree->scratch, KY_BULK_SCAN, words, error);
    if (!status)
        status = card->driver->scan(card, count, count, words, &tree->scratch, error);
    if (!status)
        status = card->driver->read(card, count, tree->cells * sizeof all, &all, sizeof all, error);
    *runs = all;
    return status;
}

enum ky_status ky_device_tree_list_runs(const struct ky_device_tree *tree,
                                        const struct ky_device_bodies *bodies, uint32_t most,
                                        const struct ky_buffer *count, const struct ky_buffer *run,
                                        struct ky_error *error)
{
    uint32_t cells = (uint32_t)tree->cells;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_groups_runs, cells,
                          KY_ARGUMENTS(KY_BUFFER(tree->before), KY_BUFFER(*count), KY_BUFFER(*run),
                                       KY_VALUE(cells), KY_VALUE(most)),
                          error);
}

int ky_device_tree_are_few(const struct ky_card *card, size_t groups)
{
    enum { TURNS = 16 };
    return groups < TURNS * ky_device_tree_teams(card);
}

/* The number of active bodies per group, so small that the groups fill half of the teams that can
 * run. Lanes then share the sinks, and walks of narrower groups are shorter. */
static uint32_t active_of_group(const struct ky_card *card, const struct ky_parameters *parameters,
                                size_t active)
{
    uint32_t most = ky_device_tree_group(card->team, parameters);
    while (most > KY_SPLIT && 2 * active / most < ky_device_tree_teams(card))
        most /= 2;
    return most;
}

enum ky_status ky_device_tree_regroup(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_evaluation *evaluation,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const size_t active = evaluation->active ? evaluation->active->count : 0,
                 together = evaluation->together, room = tree->group.bytes / (2 * sizeof(uint32_t));
    /* the groups of all bodies exist, but the cuts of a rank have taken the room of their counts */
    const int in_list = evaluation->active != NULL,
              again = active + tree->listed > 0 || ky_device_shared(bodies->state);
    const uint32_t most = in_list ? active_of_group(card, parameters, together)
                                  : ky_device_tree_group(card->team, parameters);
    enum ky_status status = KY_OK;
    tree->full = in_list ? together / most + 1 : tree->all;
    tree->few = ky_device_tree_are_few(card, tree->full) || most < card->team;
    if (bodies->live == 0 || (in_list && active == 0))
        return KY_OK;
    if (again)
        status = card->driver->zero(card, &tree->group, error);
    if (!status && again)
        status = divide(tree, bodies, parameters, most, active, error);
    /* each cut has one group that is not full */
    const size_t cuts = active < tree->whole ? active : tree->whole, groups = active / most + cuts;
    tree->groups = active == 0 ? tree->whole : groups < room ? groups : room;
    return status;
}

/* Maximum number of the heaviest groups of all ranks that are divided. */
static uint32_t heavy_of(const struct ky_device_tree *tree)
{
    return tree->few && tree->cuts.count == 0 ? (uint32_t)(tree->full / KY_HEAVY_GROUPS) : 0;
}

/* Adds the number of groups of each weight over all ranks: tree->starts_of_all. */
static enum ky_status add_weights(struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies, int has_groups,
                                  struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    struct ky_card *card = bodies->card;
    uint32_t own[KY_WEIGHTS] = {0};
    uint64_t all[KY_WEIGHTS], sum = 0;
    enum ky_status status =
        has_groups ? card->driver->read(card, &tree->weights, 0, own, sizeof own, error) : KY_OK;
    for (int w = 0; w < KY_WEIGHTS; w++)
        all[w] = own[w];
    if (!status)
        status = shared->add(shared->context, all, KY_WEIGHTS, error);
    for (int w = 0; w < KY_WEIGHTS; sum += all[w++])
        own[w] = (uint32_t)sum;
    return !status && has_groups
               ? ky_buffer_fill(card, &tree->starts_of_all, "groups of all ranks that cost more",
                                own, KY_WEIGHTS, sizeof *own, error)
               : status;
}

enum ky_status ky_device_tree_no_turns(struct ky_device_tree *tree,
                                       const struct ky_device_bodies *bodies,
                                       struct ky_error *error)
{
    return heavy_of(tree) > 0 ? add_weights(tree, bodies, 0, error) : KY_OK;
}

enum ky_status ky_device_tree_turns(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    uint32_t flags, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const uint32_t groups = (uint32_t)tree->groups, heavy = heavy_of(tree);
    const int asks = heavy > 0 && ky_device_shared(bodies->state);
    const struct ky_buffer *all = asks ? &tree->starts_of_all : &tree->starts;
    /* one rank may have all of the heaviest groups */
    tree->turns = groups + (KY_SPLIT - 1) * (size_t)(heavy < groups ? heavy : groups);
    KY_TRY(card->driver->zero(card, &tree->weights, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_groups_weigh, groups,
                          KY_ARGUMENTS(KY_BUFFER(tree->group), KY_BUFFER(tree->factor),
                                       KY_BUFFER(tree->weight), KY_BUFFER(tree->weights),
                                       KY_VALUE(groups), KY_VALUE(flags)),
                          error));
    KY_TRY(
        card->driver->scan(card, &tree->weights, &tree->starts, KY_WEIGHTS, &tree->scratch, error));
    if (asks)
        KY_TRY(add_weights(tree, bodies, 1, error));
    KY_TRY(card->driver->zero(card, &tree->weights, error));
    KY_TRY(card->driver->zero(card, &tree->turn, error));
    return ky_launch_over(card, KY_KERNEL_ky_groups_turn, groups,
                          KY_ARGUMENTS(KY_BUFFER(tree->group), KY_BUFFER(tree->weight),
                                       KY_BUFFER(tree->starts), KY_BUFFER(*all),
                                       KY_BUFFER(tree->weights), KY_BUFFER(tree->turn),
                                       KY_VALUE(groups), KY_VALUE(heavy)),
                          error);
}

static enum ky_status mark_points(const struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies,
                                  const struct ky_evaluation *evaluation, struct ky_error *error)
{
    const uint32_t n = (uint32_t)bodies->live, first = (uint32_t)evaluation->first_point;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_groups_behind, n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->curve.index), KY_BUFFER(tree->wanted),
                                       KY_VALUE(n), KY_VALUE(first)),
                          error);
}

enum ky_status ky_device_tree_wanted(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                     struct ky_evaluation *evaluation, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)evaluation->active->count;
    struct ky_buffer *want = &tree->before; /* needed only before the groups are made */
    if (evaluation->first_point)
        return mark_points(tree, bodies, evaluation, error);
    KY_TRY(ky_device_active_list(bodies, evaluation, error));
    KY_TRY(card->driver->zero(card, want, error));
    KY_TRY(ky_launch_over(
        card, KY_KERNEL_ky_groups_want, count,
        KY_ARGUMENTS(KY_BUFFER(bodies->active_list), KY_BUFFER(*want), KY_VALUE(count)), error));
    return ky_launch_over(card, KY_KERNEL_ky_groups_wanted, n,
                          KY_ARGUMENTS(KY_BUFFER(*want), KY_BUFFER(bodies->curve.index),
                                       KY_BUFFER(tree->wanted), KY_VALUE(n)),
                          error);
}

enum ky_status ky_device_tree_list(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                   struct ky_evaluation *evaluation, const struct ky_buffer *list,
                                   struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const uint32_t n = (uint32_t)bodies->live;
    KY_TRY(ky_device_tree_wanted(tree, bodies, evaluation, error));
    KY_TRY(card->driver->scan(card, &tree->wanted, &tree->before, n, &tree->scratch, error));
    return ky_launch_over(card, KY_KERNEL_ky_groups_listed, n,
                          KY_ARGUMENTS(KY_BUFFER(tree->wanted), KY_BUFFER(tree->before),
                                       KY_BUFFER(*list), KY_VALUE(n)),
                          error);
}

enum ky_status ky_device_tree_list_active(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies,
                                          struct ky_evaluation *evaluation, struct ky_error *error)
{
    KY_TRY(ky_buffer_need(bodies->card, &bodies->active_list, "active bodies",
                          evaluation->active->count, sizeof(uint32_t), error));
    return ky_device_tree_list(tree, bodies, evaluation, &bodies->active_list, error);
}
