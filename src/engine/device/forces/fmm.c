/* Cells that act on cells (physics/fmm.h): the host side of kernels/forces/expand_sinks.k, expand.k
 * and fmm.k.
 *
 * From the top down, the sinks of each cut of the tree get local coefficients from the cells that
 * are accepted for all of them at once, and leave the rest to the next cut. The last sinks are
 * groups. The walk of a group lists the cells that are accepted for the whole group, and adds all
 * other sources to its sinks; then the listed cells act. Groups are processed in batches, so that
 * their lists need little memory. */
#include "engine/device/forces/grouped.h"

#include <math.h>

#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/kernels/forces/expand.h"
#include "engine/device/tree/tree_groups.h"
#include "octree/octree.h"
#include "octree/opening_kinds.h"
#include "physics/fmm.h"
#include "physics/taylor_orders.h"

/* Maximum numbers of cells that wait for the sinks of the next cut, and of cells that act on a
 * group: the smaller the errors of an order are, the more there are. Cells that do not fit into a
 * group's list act on single sinks. In open space that takes hardly more time. In a periodic box
 * the tolerance is smaller: at z = 49 (32³ bodies, order 6) a list of 768 cells gave 1.6 times the
 * errors of one of 3,072, with 4,354 instead of 1,835 cells a body. With a small tolerance the list
 * of 3,072 is full too: of 24³ bodies at z = 49 with α = 1e-4 a body met 3,105 cells, and with
 * `fine_rooms` 1,429 with half the median error. */
struct rooms {
    uint32_t list, acting;
};
static const struct rooms open_rooms[] = {{0},        {0},         {512, 224}, {512, 224},
                                          {512, 224}, {1024, 768}, {2048, 768}},
                          box_rooms[] = {{0},         {0},          {512, 896},  {512, 896},
                                         {1024, 896}, {2048, 3072}, {2048, 3072}},
                          fine_rooms = {2048, 12288};
/* The tolerance below which lists of the highest order have the fine rooms: half of the default. */
static const double fine = 4e-4;

static struct rooms rooms_of(const struct ky_parameters *parameters)
{
    enum { HIGHEST = sizeof box_rooms / sizeof *box_rooms - 1 };
    const int is_fine = parameters->order == HIGHEST && parameters->alpha < fine;
    return !(parameters->box > 0) ? open_rooms[parameters->order]
           : is_fine              ? fine_rooms
                                  : box_rooms[parameters->order];
}

/* Memory for the lists of a batch of groups, in words: 128 MB, and in a box 512 MB. In smaller
 * batches most of the card would wait for a few long walks at the end. */
static size_t most_groups(const struct ky_parameters *parameters)
{
    return ((size_t)1 << (parameters->box > 0 ? 27 : 25)) / rooms_of(parameters).acting;
}

/* Teams for each sink of the uppermost cut, unless it is the last one: it has few sinks with many
 * cells each. The teams share the grandchildren of the root, of which there are at most 64, and
 * each has 1/TEAMS of the memory for waiting cells: enough for 8 + 64. */
enum { TEAMS = 4 };

/* The card's buffers for one evaluation. Pairs of buffers: for a cut and for the cut above. */
struct card {
    struct ky_buffer source, owner;
    struct {
        struct ky_buffer sinks, range, local, list, left;
    } cut[2];
    struct ky_buffer groups, acting, acts;
};

struct fmm {
    struct ky_grouped grouped; /* first */
    struct card card;
};

/* One launch. */
struct launch {
    struct card *of;
    const struct ky_grouped_part *part;
    const struct ky_parameters *parameters;
    const struct ky_buffer *group, *wanted;
    size_t groups;
    struct ky_expand_numbers numbers;
};

static void release(const struct ky_device_state *state, void *own)
{
    struct card *of = &((struct fmm *)own)->card;
    struct ky_buffer *buffers[] = {&of->source,       &of->owner,        &of->cut[0].sinks,
                                   &of->cut[0].range, &of->cut[1].range, &of->cut[0].local,
                                   &of->cut[0].list,  &of->cut[0].left,  &of->cut[1].sinks,
                                   &of->cut[1].local, &of->cut[1].list,  &of->cut[1].left,
                                   &of->groups,       &of->acting,       &of->acts};
    ky_grouped_release(state, own);
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
        ky_buffer_release(state->bodies.card, buffers[b]);
}

static size_t sinks_of(const struct ky_cuts *cuts, size_t k)
{
    return cuts->first[k + 1] - cuts->first[k];
}

static size_t teams_of(const struct ky_cuts *cuts, size_t k)
{
    return k == 0 && cuts->count > 1 ? TEAMS : 1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Allocates memory for the cut, or for both if there is only one: the other is not read. */
static enum ky_status need_cut(struct card *of, struct ky_card *card, size_t sinks, size_t number,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    const size_t coefficients = (size_t)KY_TAYLOR_COUNT(parameters->order);
    const struct ky_need needs[] = {
        {&of->cut[number].sinks, "cells that are sinks", sinks, sizeof(struct ky_expanded)},
        {&of->cut[number].range, "ranges of sinks", sinks, sizeof(struct ky_expand_range)},
        {&of->cut[number].local, "local coefficients", sinks * coefficients, sizeof(float)},
        {&of->cut[number].list, "cells that wait", sinks * rooms_of(parameters).list,
         sizeof(uint32_t)},
        {&of->cut[number].left, "numbers of cells that wait", sinks, sizeof(uint32_t)},
    };
    return ky_buffers_need(card, needs, sizeof needs / sizeof *needs, error);
}

static enum ky_status need(const struct launch *launch, struct ky_error *error)
{
    const struct ky_device_tree *tree = launch->part->tree;
    struct ky_card *card = launch->part->bodies->card;
    struct card *of = launch->of;
    const size_t acting = rooms_of(launch->parameters).acting,
                 groups = least(launch->groups, most_groups(launch->parameters));
    const struct ky_need needs[] = {
        {&of->source, "cells that act", tree->reached, sizeof(struct ky_acting)},
        {&of->owner, "cells of bodies", launch->part->bodies->n, sizeof(uint32_t)},
        {&of->groups, "groups that are sinks", groups, sizeof(struct ky_expanded)},
        {&of->acting, "cells that act on groups", groups * acting, sizeof(uint32_t)},
        {&of->acts, "numbers of cells that act", groups, sizeof(uint32_t)},
    };
    KY_TRY(ky_buffers_need(card, needs, sizeof needs / sizeof *needs, error));
    for (size_t k = 0; k < 2; k++) {
        size_t most = 1;
        for (size_t cut = k; cut < tree->cuts.count; cut += 2) {
            const size_t teams = teams_of(&tree->cuts, cut) * sinks_of(&tree->cuts, cut);
            most = most > teams ? most : teams;
        }
        KY_TRY(need_cut(of, card, most, k, launch->parameters, error));
    }
    return KY_OK;
}

static struct ky_expand_numbers numbers_of(const struct ky_grouped_part *part,
                                           const struct ky_evaluation *evaluation,
                                           const struct ky_parameters *parameters)
{
    const struct ky_device_state *state = part->bodies->state;
    return (struct ky_expand_numbers){
        .n = (uint32_t)part->bodies->n,
        .sinks_from = (uint32_t)part->first,
        .sinks_to = (uint32_t)part->end,
        .list = rooms_of(parameters).list,
        .acting = rooms_of(parameters).acting,
        .listed = ky_evaluation_is_listed(evaluation) ? (uint32_t)evaluation->active->count : 0,
        .flags = ky_grouped_flags(part->bodies, evaluation, parameters) |
                 (state->how & KY_SPLINED ? KY_FLAG_SPLINED : 0U),
        .order = parameters->order,
        .angle = ky_opening_kind(parameters->opening)->by_alpha ? KY_FMM_ANGLE
                 : evaluation->first_point                      ? KY_FMM_ANGLE_OF_POINTS
                                                                : KY_FMM_ANGLE_AT_FIRST,
        .least = ky_fmm_least(parameters->order),
        .most = ky_fmm_most(parameters->order),
        .teams = 1,
        .above = 1,
        .start = part->tree->start,
        .part = 1,
        .per_spread = (float)(1.5 / parameters->alpha),
        .eps2 = ky_eps2_argument(state).part,
        .side = (float)state->box,
        .side_low = ky_low_part(state->box)};
}

static enum ky_status make_sources(const struct launch *launch, struct ky_error *error)
{
    const struct ky_device_tree *tree = launch->part->tree;
    uint32_t cells = (uint32_t)tree->reached;
    int32_t order = launch->parameters->order;
    return ky_launch_over(launch->part->bodies->card, KY_KERNEL_ky_expand_sources, cells,
                          KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(launch->of->source),
                                       KY_VALUE(cells), KY_VALUE(order)),
                          error);
}

/* The kernels of an order: for cells, for groups. */
static const enum ky_kernel_id *kernels_of(const struct launch *launch)
{
    static const enum ky_kernel_id kernels[][2][2] = {
#define EXPAND(p, its)                                                                             \
    [its] = {{KY_KERNEL_ky_expand_cells_##its, KY_KERNEL_ky_expand_groups_##its},                  \
             {KY_KERNEL_ky_expand_cells_box_##its, KY_KERNEL_ky_expand_groups_box_##its}},
        KY_TAYLOR_ORDERS(EXPAND, )};
    return kernels[launch->parameters->order][launch->part->bodies->state->box > 0];
}

/* The number of teams of the cuts above cut k. */
static size_t teams_before(const struct ky_cuts *cuts, size_t k)
{
    return cuts->first[k] + (k > 0 ? (teams_of(cuts, 0) - 1) * sinks_of(cuts, 0) : 0);
}

/* Sets the data of the sinks of cut k before their bodies are read: the largest factor of sinks
 * whose bodies are on several ranks. */
static enum ky_status begin_range(const struct launch *launch, size_t k, struct ky_error *error)
{
    const struct ky_cuts *cuts = &launch->part->tree->cuts;
    struct ky_card *card = launch->part->bodies->card;
    struct ky_buffer *range = &launch->of->cut[k % 2].range;
    uint32_t shared = cuts->shared[k], from = 0,
             stride = sizeof(struct ky_expand_range) / sizeof(uint32_t),
             word = ((uint32_t)sinks_of(cuts, k) - shared) * stride;
    float by = 1;
    const enum ky_status status = card->driver->zero(card, range, error);
    for (size_t before = 0; before < k; before++)
        from += cuts->shared[before];
    return !status && shared > 0
               ? ky_launch_over(card, KY_KERNEL_ky_cuts_most, shared,
                                KY_ARGUMENTS(KY_BUFFER(cuts->most), KY_BUFFER(*range),
                                             KY_VALUE(word), KY_VALUE(stride), KY_VALUE(from),
                                             KY_VALUE(shared), KY_VALUE(by)),
                                error)
               : status;
}

/* Computes the sinks of cut k, and the action of cells on them. */
static enum ky_status do_cut(const struct launch *launch, size_t k, struct ky_error *error)
{
    const struct ky_device_tree *tree = launch->part->tree;
    const struct ky_device_bodies *bodies = launch->part->bodies;
    struct card *of = launch->of;
    const size_t own = k % 2, above = 1 - own, sinks = sinks_of(&tree->cuts, k),
                 teams = teams_of(&tree->cuts, k);
    struct ky_expand_numbers numbers = launch->numbers;
    const size_t most = ky_device_tree_cut_bodies(tree, bodies->card, launch->parameters, k);
    uint32_t is_top = k == 0, parts = (uint32_t)((most + KY_EXPAND_PART - 1) / KY_EXPAND_PART);
    numbers.part = k + 1 < tree->cuts.count ? KY_EXPAND_PART_OF_ALPHA : 1;
    numbers.first = tree->cuts.first[k];
    numbers.count = (uint32_t)sinks;
    enum ky_status status = begin_range(launch, k, error);
    if (!status)
        status = ky_launch_teams(
            bodies->card, KY_KERNEL_ky_expand_sinks, sinks * parts,
            KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(tree->cut), KY_BUFFER(tree->factor),
                         KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(*launch->wanted),
                         KY_BUFFER(of->owner), KY_BUFFER(of->cut[own].sinks),
                         KY_BUFFER(of->cut[own].range), KY_VALUE(parts), KY_VALUE(is_top),
                         KY_VALUE(numbers)),
            error);
    numbers.teams = (uint32_t)teams;
    numbers.above = k > 0 ? (uint32_t)teams_of(&tree->cuts, k - 1) : 1;
    numbers.first = (uint32_t)(2 * launch->groups + teams_before(&tree->cuts, k));
    if (!status)
        status = ky_launch_teams(
            bodies->card, kernels_of(launch)[0], sinks * teams,
            KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(of->source),
                         KY_BUFFER(of->cut[above].sinks), KY_BUFFER(of->cut[above].local),
                         KY_BUFFER(of->cut[above].list), KY_BUFFER(of->cut[above].left),
                         KY_BUFFER(of->cut[own].sinks), KY_BUFFER(of->cut[own].range),
                         KY_BUFFER(of->cut[own].local), KY_BUFFER(of->cut[own].list),
                         KY_BUFFER(of->cut[own].left), KY_BUFFER(launch->part->counts->counts),
                         KY_VALUE(numbers)),
            error);
    return status;
}

static enum ky_kernel_id kernel_of(const struct ky_device_bodies *bodies,
                                   const struct ky_evaluation *evaluation,
                                   const struct ky_parameters *parameters)
{
    static const enum ky_kind kinds[2][3] = {
        {KY_KIND_plain, KY_KIND_general, KY_KIND_spline},
        {KY_KIND_box_plain, KY_KIND_box_general, KY_KIND_box_spline}};
    const struct ky_device_state *state = bodies->state;
    struct ky_parameters single = *parameters;
    const int general =
        (state->how & (KY_EPS_OF_BOTH | KY_GUARD)) || ky_evaluation_is_listed(evaluation);
    single.multipole = ky_fmm_single_order(parameters->order);
    return ky_variant(KY_FMM, kinds[state->box > 0][state->how & KY_SPLINED ? 2 : general],
                      &single);
}

/* Walks for `count` groups from `first` on, and evaluates the interactions of each. */
static enum ky_status do_groups(const struct launch *launch, size_t first, size_t count,
                                enum ky_kernel_id kernel, struct ky_error *error)
{
    const struct ky_device_tree *tree = launch->part->tree;
    const struct ky_device_bodies *bodies = launch->part->bodies;
    const struct ky_buffer *softening = ky_device_softenings(bodies);
    struct card *of = launch->of;
    const size_t last = (tree->cuts.count - 1) % 2;
    const int precision = launch->parameters->precision;
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies->state);
    union ky_state_value strength = ky_device_strength(bodies);
    struct ky_expand_numbers numbers = launch->numbers;
    numbers.first = (uint32_t)first;
    numbers.count = (uint32_t)count;
    KY_TRY(ky_launch_teams(
        bodies->card, kernel, count,
        KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*softening), KY_BUFFER(tree->frame), KY_BUFFER(tree->factor),
                     KY_BUFFER(*launch->group), KY_BUFFER(*launch->wanted), KY_BUFFER(of->source),
                     KY_BUFFER(of->owner), KY_BUFFER(of->cut[last].list),
                     KY_BUFFER(of->cut[last].left), KY_BUFFER(of->groups), KY_BUFFER(of->acting),
                     KY_BUFFER(of->acts), KY_BUFFER(bodies->acceleration),
                     KY_BUFFER(bodies->potential), KY_BUFFER(launch->part->counts->counts),
                     KY_EPS2(eps2, precision), KY_VALUE(strength), KY_VALUE(numbers)),
        error));
    return ky_launch_teams(
        bodies->card, kernels_of(launch)[1], count,
        KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(of->cut[last].sinks),
                     KY_BUFFER(of->cut[last].local), KY_BUFFER(of->groups), KY_BUFFER(of->acting),
                     KY_BUFFER(of->acts), KY_BUFFER(bodies->position), KY_BUFFER(tree->frame),
                     KY_BUFFER(*launch->wanted), KY_BUFFER(bodies->acceleration),
                     KY_BUFFER(bodies->potential), KY_VALUE(strength), KY_VALUE(numbers)),
        error);
}

static enum ky_status walk(struct ky_grouped *grouped, const struct ky_grouped_part *part,
                           const struct ky_evaluation *evaluation,
                           const struct ky_parameters *parameters, struct ky_error *error)
{
    struct fmm *fmm = (struct fmm *)grouped;
    const struct ky_device_bodies *bodies = part->bodies;
    const struct ky_cuts *cuts = &part->tree->cuts;
    struct launch launch = {.of = &fmm->card,
                            .part = part,
                            .parameters = parameters,
                            .wanted = ky_evaluation_is_listed(evaluation) ? &bodies->active_list
                                                                          : &part->tree->wanted,
                            .numbers = numbers_of(part, evaluation, parameters)};
    const enum ky_kernel_id kernel = kernel_of(bodies, evaluation, parameters);
    const uint32_t most_cells =
        bodies->state->box > 0 ? KY_EXPAND_MOST_CELLS_IN_BOX : KY_EXPAND_MOST_CELLS;
    if (part->tree->reached > most_cells)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu cells: fmm takes up to %u on a device: use a larger --leaf",
                       part->tree->reached, most_cells);
    launch.group = ky_grouped_groups(part->tree, evaluation, parameters, &launch.groups);
    launch.numbers.stride = (uint32_t)launch.groups;
    const struct ky_counting counting = {launch.groups, part->sinks,
                                         teams_before(cuts, cuts->count)};
    KY_TRY(ky_pair_counts_of(part->counts, bodies, counting, error));
    KY_TRY(need(&launch, error));
    KY_TRY(make_sources(&launch, error));
    for (size_t k = 0; k < cuts->count; k++)
        KY_TRY(do_cut(&launch, k, error));
    const size_t most = most_groups(parameters), batches = (launch.groups + most - 1) / most,
                 batch = batches > 0 ? (launch.groups + batches - 1) / batches : 1;
    for (size_t k = 0; k < launch.groups; k += batch)
        KY_TRY(do_groups(&launch, k, least(launch.groups - k, batch), kernel, error));
    return ky_grouped_add_far(part, evaluation, error);
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    return ky_grouped_evaluate(state, links, own, evaluation, parameters, walk, error);
}

static enum ky_status field(struct ky_device_state *state, struct ky_links *links, void *own,
                            const struct ky_points *points, double (*acceleration)[3],
                            double *potential, struct ky_error *error)
{
    const struct ky_point_sources sources = {&ky_fmm_method, state, links, own, 0};
    return ky_points_field(&sources, points, acceleration, potential, error);
}

static void memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    const struct ky_parameters own = ky_force_tree(parameters);
    const uint32_t list = rooms_of(&own).list, acting = rooms_of(&own).acting;
    const double most = (double)n / ky_device_tree_group(KY_LEAST_TEAM, &own) * 1.06,
                 groups = fmin(most, (double)most_groups(&own)),
                 sinks = 3 * (double)n / ky_device_tree_divided(KY_LEAST_TEAM, &own);
    const size_t of_sink = sizeof(struct ky_expanded) + (list + 1) * sizeof(uint32_t) +
                           (size_t)KY_TAYLOR_COUNT(own.order) * sizeof(float),
                 of_group = sizeof(struct ky_expanded) + (acting + 1) * sizeof(uint32_t);
    memory->device += ky_device_tree_memory(&own, n) +
                      ky_octree_cells(&own, n) * (sizeof(struct ky_acting) + 2 * sizeof(uint32_t)) +
                      (double)n * sizeof(uint32_t) + sinks * (double)of_sink +
                      groups * (double)of_group;
}

const struct ky_method ky_fmm_method = {
    .in_blocks = 1,
    .own = sizeof(struct fmm),
    .evaluate = evaluate,
    .stand = ky_grouped_stand,
    .note = ky_grouped_note,
    .field = field,
    .memory = memory,
    .report = ky_grouped_report,
    .release = release,
};
