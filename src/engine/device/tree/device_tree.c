/* The octree built on the card: the host side of kernels/tree/keys.k, grow.k and cells.k. */
#include "engine/device/tree/device_tree.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/common/trees.h"
#include "engine/device/state/curve.h"
#include "engine/device/tree/relative.h"
#include "engine/device/tree/tree_groups.h"
#include "octree/keys.h"
#include "octree/layout.h"
#include "octree/opening_kinds.h"
#include "physics/taylor_orders.h"

/* Marks of the phases. */
enum { KEYS = KY_MARK_TREE, SORT, BUILD, MOMENTS, END };

static enum ky_status mark(const struct ky_device_bodies *bodies, int mark, struct ky_error *error)
{
    return ky_mark(&bodies->state->opened, mark, error);
}

/* ---- keys ---- */

static enum ky_status send_curve(struct ky_device_tree *tree, struct ky_card *card,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    _Static_assert(KY_CURVE_STEPS == 8 * KY_HILBERT_STATES, "octants × states");
    uint32_t step[KY_CURVE_STEPS];
    if (tree->curve.handle)
        return KY_OK;
    ky_curve_steps(parameters->curve == KY_HILBERT, step);
    return ky_buffer_fill(card, &tree->curve, "curve", step, KY_CURVE_STEPS, sizeof *step, error);
}

/* Sends a given frame, in the engine's units. */
static enum ky_status send_frame(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_engine_frame *frame = &bodies->state->frame;
    union ky_state_value value[KY_FRAME_ORIGIN + 3];
    const double edge = frame->edge / bodies->state->units.length;
    double origin[3];
    ky_tree_origin(frame, bodies->state->units.length, origin);
    for (int c = 0; c < 3; c++) {
        const int whole = bodies->state->parameters->precision == KY_DOUBLE;
        value[KY_FRAME_LOW + c] = ky_to_state(card, frame->low[c] / bodies->state->units.length);
        value[KY_FRAME_ORIGIN + c] = ky_to_state(card, whole ? 0 : origin[c]);
    }
    value[KY_FRAME_EDGE] = ky_to_state(card, edge);
    value[KY_FRAME_SCALE] = ky_to_state(card, edge > 0 ? KY_KEY_PLACES / edge : 0);
    return card->driver->write(card, &tree->frame, 0, value, sizeof value, error);
}

enum ky_status ky_device_tree_bounds(struct ky_device_tree *tree,
                                     const struct ky_device_bodies *bodies, size_t system,
                                     size_t samples, uint32_t *groups, struct ky_error *error)
{
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
             followed = (uint32_t)bodies->curve.is_followed, wanted = (uint32_t)samples;
    uint64_t all = system;
    *groups = ky_device_looking_groups(bodies->live);
    return ky_launch(bodies->card, KY_KERNEL_ky_tree_bounds, *groups,
                     KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->curve.index),
                                  KY_BUFFER(tree->partial), KY_VALUE(n), KY_VALUE(live),
                                  KY_VALUE(wanted), KY_VALUE(followed), KY_VALUE(*groups),
                                  KY_VALUE(all)),
                     error);
}

static enum ky_status make_frame(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_frame_sample sample = ky_frame_sample(bodies->n);
    uint32_t samples = (uint32_t)sample.samples, trim = (uint32_t)sample.trim, groups,
             whole = bodies->state->parameters->precision == KY_DOUBLE;
    if (ky_device_shared(bodies->state))
        return send_frame(tree, bodies, error);
    enum ky_status status =
        ky_device_tree_bounds(tree, bodies, bodies->n, sample.samples, &groups, error);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_tree_axis, 3,
                           KY_ARGUMENTS(KY_BUFFER(tree->partial), KY_BUFFER(tree->frame),
                                        KY_VALUE(samples), KY_VALUE(trim), KY_VALUE(groups),
                                        KY_VALUE(whole)),
                           error);
    if (status || bodies->state->frame.edge > 0)
        return status ? status : send_frame(tree, bodies, error);
    return ky_launch(card, KY_KERNEL_ky_tree_cube, 1, KY_ARGUMENTS(KY_BUFFER(tree->frame)), error);
}

static enum ky_status make_keys(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n;
    enum ky_status status = send_curve(tree, card, parameters, error);
    if (!status)
        status = make_frame(tree, bodies, error);
    tree->keys.now = 0;
    if (!status)
        status =
            ky_launch_over(card, KY_KERNEL_ky_tree_keys, n,
                           KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(tree->frame),
                                        KY_BUFFER(tree->curve), KY_BUFFER(tree->keys.buffer[0]),
                                        KY_BUFFER(bodies->curve.place[0]), KY_VALUE(n)),
                           error);
    return status;
}

enum ky_status ky_device_tree_keys(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    ky_device_tree_done(tree, bodies);
    enum ky_status status = ky_device_tree_need_bodies(tree, bodies, error);
    if (!status)
        status = ky_device_tree_parts_before(tree, bodies, error);
    if (!status)
        status = make_keys(tree, bodies, parameters, error);
    bodies->curve.keyed.moves = !status ? bodies->moves : 0;
    bodies->curve.keyed.changes = bodies->curve.changes;
    return status;
}

int ky_device_tree_has_keys(const struct ky_device_bodies *bodies)
{
    const struct ky_device_curve *curve = &bodies->curve;
    return curve->keyed.moves == bodies->moves && bodies->moves > 0 &&
           curve->keyed.changes == curve->changes;
}

/* ---- cells ---- */

/* Whether bodies with the same key lie in another order than the caller's. MANY: a few thousand
 * bodies have the same key. */
enum ties { NONE, SOME, MANY };

/* Counts the cells; the host reads levels and ties. */
static enum ky_status count_cells(struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies, int now,
                                  const struct ky_parameters *parameters, enum ties *ties,
                                  struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_device_curve *curve = &bodies->curve;
    uint32_t n = (uint32_t)bodies->live, leaf = (uint32_t)parameters->leaf,
             followed = (uint32_t)curve->is_followed, facts[KY_FACTS] = {0},
             neighbours = tree->part.neighbours;
    uint64_t before = tree->part.before, after = tree->part.after;
    enum ky_status status = card->driver->zero(card, &tree->facts, error);
    if (!status)
        status = ky_launch_teams(
            card, KY_KERNEL_ky_tree_count, ky_groups(n, card->team),
            KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[tree->keys.now]), KY_BUFFER(curve->place[now]),
                         KY_BUFFER(curve->index), KY_BUFFER(tree->masks), KY_BUFFER(tree->first),
                         KY_BUFFER(tree->facts), KY_VALUE(n), KY_VALUE(leaf), KY_VALUE(followed),
                         KY_VALUE(neighbours), KY_VALUE(before), KY_VALUE(after)),
            error);
    if (!status)
        status = card->driver->scan(card, &tree->first, &tree->first,
                                    ky_device_tree_counts(card->team, n), &tree->scratch, error);
    if (!status)
        status = ky_launch(
            card, KY_KERNEL_ky_tree_facts, 1,
            KY_ARGUMENTS(KY_BUFFER(tree->first), KY_BUFFER(tree->facts), KY_VALUE(n)), error);
    if (!status)
        status = card->driver->read(card, &tree->facts, 0, facts, sizeof facts, error);
    memcpy(tree->level, facts, sizeof tree->level);
    tree->cells = facts[KY_FACT_CELLS];
    *ties = !facts[KY_FACT_TIES] ? NONE : !facts[KY_FACT_LONG_TIE] ? SOME : MANY;
    return status;
}

static enum ky_status make_cells(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->live, cells = (uint32_t)tree->cells;
    KY_TRY(ky_launch_teams(card, KY_KERNEL_ky_tree_cells, ky_groups(n, card->team),
                           KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[tree->keys.now]),
                                        KY_BUFFER(tree->masks), KY_BUFFER(tree->first),
                                        KY_BUFFER(tree->column.link), KY_BUFFER(tree->at),
                                        KY_VALUE(n)),
                           error));
    return ky_launch_over(card, KY_KERNEL_ky_tree_next, cells,
                          KY_ARGUMENTS(KY_BUFFER(tree->at), KY_BUFFER(tree->column.link),
                                       KY_VALUE(n), KY_VALUE(cells)),
                          error);
}

static uint32_t flags_of(const struct ky_device_bodies *bodies,
                         const struct ky_parameters *parameters)
{
    return ky_octree_opening(parameters) | (parameters->cell == KY_EDGE ? KY_GROWN_EDGE : 0U) |
           (bodies->state->own_eps ? KY_FLAG_OWN_EPS : 0U) |
           KY_FLAG_ORDER * (uint32_t)parameters->multipole;
}

/* The kernels for moments of degree 3 and more, by order: for leaves, for a level. */
static const enum ky_kernel_id *higher_kernels(int order)
{
    static const enum ky_kernel_id kernels[][2] = {
#define HIGHER(p, its) [its] = {KY_KERNEL_ky_higher_leaves_##its, KY_KERNEL_ky_higher_level_##its},
        KY_TAYLOR_HIGHER(HIGHER, )};
    return kernels[order];
}

enum ky_status ky_device_tree_join(struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters,
                                   const struct ky_cell_range *range, struct ky_error *error)
{
    uint32_t n = (uint32_t)bodies->n, flags = flags_of(bodies, parameters), first = range->first,
             end = range->end, cells = range->cells;
    float inverse_theta = (float)(1 / parameters->theta);
    const enum ky_kernel_id kernel = parameters->multipole > KY_MOST_ORDER
                                         ? higher_kernels(parameters->multipole)[1]
                                         : KY_KERNEL_ky_tree_level;
    return ky_launch_over(bodies->card, kernel, KY_LEVEL_EACH * (size_t)(end - first),
                          KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(bodies->position),
                                       KY_BUFFER(tree->frame), KY_VALUE(n), KY_VALUE(flags),
                                       KY_VALUE(inverse_theta), KY_VALUE(first), KY_VALUE(end),
                                       KY_VALUE(cells)),
                          error);
}

/* Computes the moments of the leaves. */
static enum ky_status make_leaves(struct ky_device_tree *tree,
                                  const struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n, flags = flags_of(bodies, parameters),
             cells = (uint32_t)tree->cells;
    float inverse_theta = (float)(1 / parameters->theta);
    KY_TRY(ky_launch_over(
        card, KY_KERNEL_ky_tree_leaves, cells,
        KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(tree->frame), KY_VALUE(n),
                     KY_VALUE(flags), KY_VALUE(inverse_theta), KY_VALUE(cells)),
        error));
    return parameters->multipole > KY_MOST_ORDER
               ? ky_launch_over(card, higher_kernels(parameters->multipole)[0],
                                KY_LEVEL_EACH * (size_t)cells,
                                KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(bodies->position),
                                             KY_BUFFER(bodies->mass), KY_BUFFER(tree->frame),
                                             KY_VALUE(n), KY_VALUE(cells)),
                                error)
               : KY_OK;
}

/* Computes the moments of bodies along the curve. */
static enum ky_status make_moments(struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    const uint32_t cells = (uint32_t)tree->cells;
    KY_TRY(make_leaves(tree, bodies, parameters, error));
    for (int level = KY_KEY_LEVELS; level-- > 0;) {
        const struct ky_cell_range range = {tree->level[level], tree->level[level + 1], cells};
        if (range.end < cells) /* otherwise all cells of the last level are leaves */
            KY_TRY(ky_device_tree_join(tree, bodies, parameters, &range, error));
    }
    return KY_OK;
}

/* ---- the whole ---- */

/* All-gathers the ends of the ranks' parts, and finds the roots of this one. */
static enum ky_status find_roots(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_buffer *keys = &tree->keys.buffer[tree->keys.now];
    uint32_t first = (uint32_t)bodies->live, rest = (uint32_t)(bodies->n - bodies->live);
    enum ky_status status = ky_tree_part_neighbours(&tree->part, bodies, keys, error);
    if (!status)
        status = ky_tree_part_roots(&tree->part, bodies, keys, error);
    for (int k = 0; k < 2 && !status; k++) /* unused elements stay where they are */
        status = ky_launch_over(
            card, KY_KERNEL_ky_order_itself, rest,
            KY_ARGUMENTS(KY_BUFFER(bodies->curve.place[k]), KY_VALUE(first), KY_VALUE(rest)),
            error);
    return status;
}

/* Makes and sorts the keys. *now: the order of the bodies is curve.place[*now]. */
static enum ky_status sort_keys(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                const struct ky_parameters *parameters, int *now,
                                struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_device_curve *curve = &bodies->curve;
    struct ky_two_buffers order = {{curve->place[0], curve->place[1]}, 0};
    enum ky_status status = mark(bodies, KEYS, error);
    if (!status)
        status = ky_device_tree_parts_before(tree, bodies, error);
    if (!status && !ky_device_tree_has_keys(bodies))
        status = make_keys(tree, bodies, parameters, error);
    curve->keyed.moves = 0; /* the keys are sorted now */
    if (!status)
        status = mark(bodies, SORT, error);
    if (!status)
        status = card->driver->sort(card, &tree->keys, &order, bodies->live, 3 * KY_KEY_LEVELS,
                                    &tree->scratch, error);
    *now = order.now;
    return status;
}

enum ky_status ky_device_tree_order(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    const struct ky_parameters *parameters,
                                    const struct ky_buffer **order, struct ky_error *error)
{
    int now = 0;
    ky_device_tree_done(tree, bodies);
    enum ky_status status = ky_device_tree_need_bodies(tree, bodies, error);
    if (!status)
        status = sort_keys(tree, bodies, parameters, &now, error);
    ky_device_tree_done(tree, bodies);
    *order = &bodies->curve.place[now];
    return status;
}

/* The same, and counts the cells. */
static enum ky_status sort_bodies(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, int *now, enum ties *ties,
                                  struct ky_error *error)
{
    KY_TRY(sort_keys(tree, bodies, parameters, now, error));
    KY_TRY(mark(bodies, BUILD, error));
    if (ky_device_shared(bodies->state))
        KY_TRY(find_roots(tree, bodies, error));
    return count_cells(tree, bodies, *now, parameters, ties, error);
}

static enum ky_status untie(const struct ky_device_tree *tree,
                            const struct ky_device_bodies *bodies, int *now, struct ky_error *error)
{
    const struct ky_device_curve *curve = &bodies->curve;
    const uint32_t n = (uint32_t)bodies->live;
    const struct ky_buffer *order = &curve->place[*now];
    *now = 1 - *now;
    return ky_launch_over(bodies->card, KY_KERNEL_ky_tree_untie, n,
                          KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[tree->keys.now]),
                                       KY_BUFFER(*order), KY_BUFFER(curve->index),
                                       KY_BUFFER(curve->place[*now]), KY_VALUE(n)),
                          error);
}

/* Bodies with equal keys would keep their current order, but the tree must not depend on earlier
 * trees. So they get the caller's order. The time for this grows as the square of the number of
 * bodies with the same key. If these are many, all bodies are first put back into the caller's
 * order and sorted again. */
static enum ky_status sort_surely(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, int *now,
                                  struct ky_error *error)
{
    enum ties ties = NONE;
    enum ky_status status = sort_bodies(tree, bodies, parameters, now, &ties, error);
    if (status || ties == NONE)
        return status;
    if (ties == SOME || ky_device_shared(bodies->state))
        return untie(tree, bodies, now, error);
    ky_device_tree_done(tree, bodies);
    status = ky_device_curve_leave(bodies, error);
    return status ? status : sort_bodies(tree, bodies, parameters, now, &ties, error);
}

static enum ky_status build(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                            const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    int now = 0;
    ky_device_tree_done(tree, bodies);
    tree->serves = tree->refreshed = tree->has_mass = 0;
    tree->start = 0;
    enum ky_status status = ky_device_tree_need_bodies(tree, bodies, error);
    if (!status)
        status = sort_surely(tree, bodies, parameters, &now, error);
    if (!status)
        status = ky_device_tree_need_cells(tree, bodies, parameters, error);
    if (!status)
        status = make_cells(tree, bodies, error);
    if (!status && ky_device_shared(bodies->state))
        status = ky_tree_part_cells(&tree->part, bodies, &tree->column.link, &tree->facts, error);
    ky_device_tree_done(tree, bodies);
    if (!status)
        status = ky_device_curve_follow(bodies, now, error);
    if (!status)
        status = ky_device_tree_parts_after(tree, bodies, parameters, error);
    if (!status)
        status = ky_device_tree_make_cuts(tree, bodies, parameters, error);
    if (!status)
        status = ky_device_tree_make_groups(tree, bodies, parameters, error);
    if (!status)
        status = mark(bodies, MOMENTS, error);
    if (!status)
        status = make_moments(tree, bodies, parameters, error);
    if (!status)
        status = mark(bodies, END, error);
    if (!status)
        status = card->driver->reach(card, KY_MARK_GROUPS, error);
    tree->whole = !status ? *(const uint32_t *)tree->pinned.data : 0;
    if (!status && !ky_device_shared(bodies->state))
        memcpy(tree->cuts.first, (const uint32_t *)tree->pinned.data + 1,
               (tree->cuts.count + 1) * sizeof *tree->cuts.first);
    tree->reached = tree->cells;
    tree->groups = tree->all = tree->full = tree->whole;
    tree->few = ky_device_tree_are_few(card, tree->groups) ||
                ky_device_tree_group(card->team, parameters) < card->team;
    return status;
}

enum ky_status ky_device_tree_build(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    const struct ky_parameters *parameters, struct ky_error *error)
{
    enum ky_status status = build(tree, bodies, parameters, error);
    tree->built = !status ? bodies->moves : 0;
    tree->opening = ky_opening_key(parameters);
    tree->order = parameters->multipole;
    tree->leaf = parameters->leaf;
    tree->is_wide = 0;
    tree->builds++;
    if (status)
        ky_device_tree_done(tree, bodies);
    return status;
}

/* Puts the bodies back along the curve, and makes groups from the cells. */
static enum ky_status stand_again(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    ky_device_tree_done(tree, bodies);
    KY_TRY(ky_device_curve_return(bodies, error));
    KY_TRY(ky_device_tree_parts_after(tree, bodies, parameters, error));
    return ky_device_tree_make_groups(tree, bodies, parameters, error);
}

enum ky_status ky_device_tree_refresh(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    tree->refreshed = 1;
    if (!bodies->curve.is_followed)
        KY_TRY(stand_again(tree, bodies, parameters, error));
    KY_TRY(mark(bodies, MOMENTS, error));
    KY_TRY(make_moments(tree, bodies, parameters, error));
    return mark(bodies, END, error);
}

void ky_device_tree_report(const struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                           struct ky_force_report *report)
{
    struct ky_card *card = bodies->card;
    const struct {
        double *seconds;
        int from, to;
    } phases[] = {{&report->keys, KEYS, SORT},
                  {&report->sort, SORT, BUILD},
                  {&report->build, BUILD, MOMENTS},
                  {&report->moments, MOMENTS, END}};
    for (size_t k = tree->refreshed ? 3 : 0; k < sizeof phases / sizeof *phases; k++)
        *phases[k].seconds += bodies->state->opened.measured
                                  ? card->driver->between(card, phases[k].from, phases[k].to)
                                  : (double)NAN;
}
