/* Trees, groups and their shares among ranks, for walks by teams. */
#include "engine/device/forces/grouped.h"

#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/forces/far.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/ranks/exchange.h"
#include "engine/device/state/motion.h"
#include "engine/device/tree/tree_groups.h"
#include "octree/opening_kinds.h"
#include "physics/orders.h"

void ky_grouped_release(const struct ky_device_state *state, void *own)
{
    struct ky_grouped *walk = own;
    ky_buffer_release(state->bodies.card, &walk->scratch);
    ky_work_shares_release(&walk->shares, state->bodies.card);
}

uint32_t ky_grouped_flags(const struct ky_device_bodies *bodies,
                          const struct ky_evaluation *evaluation,
                          const struct ky_parameters *parameters)
{
    int source_eps = bodies->state->how & KY_EPS_OF_BOTH;
    return (bodies->state->own_eps ? KY_FLAG_OWN_EPS : 0U) |
           (source_eps ? KY_FLAG_SOURCE_EPS : 0U) |
           (ky_opening_kind(parameters->opening)->by_alpha ? KY_FLAG_FACTORS : 0U) |
           (ky_evaluation_is_listed(evaluation) ? KY_FLAG_LISTED
            : evaluation->active                ? KY_FLAG_WANTED
                                                : 0U) |
           ky_octree_opening(parameters);
}

/* The parameters of the tree. The larger leaves for expansions still fit into a team's list
 * (kernels/forces/team_walk.h), unless the caller's leaves are larger. */
static struct ky_parameters tree_of(const struct ky_parameters *given)
{
    enum { LISTED = 2 * KY_LISTED_LEAF };
    struct ky_parameters own = ky_force_tree(given);
    if (own.leaf > LISTED)
        own.leaf = given->leaf > LISTED ? given->leaf : LISTED;
    return own;
}

/* The state of a pass. */
struct passes {
    struct ky_device_state *state;
    struct ky_grouped *walk;
    struct ky_links *links;
    struct ky_evaluation *evaluation;
    ky_grouped_launch launch;
};

static struct ky_grouped_part part_of(const struct passes *passes)
{
    struct ky_device_state *state = passes->state;
    const struct ky_active *active = passes->evaluation->active;
    const struct ky_shared *copies = ky_device_copies(state);
    const int counts = !copies || copies->rank == 0, joins = ky_copies_joins(state);
    const size_t sinks = active ? active->count : state->bodies.live;
    return (struct ky_grouped_part){&state->bodies,
                                    &passes->links->own,
                                    &passes->links->counts,
                                    joins ? ky_copies_first(state) : 0,
                                    joins ? ky_copies_end(state) : state->n,
                                    counts ? sinks : 0};
}

/* 1 if the groups walk in a special order, or only some of them walk. */
static int has_turns(const struct ky_evaluation *evaluation, const struct ky_parameters *parameters)
{
    return ky_opening_kind(parameters->opening)->by_alpha || evaluation->in_block ||
           evaluation->first_point;
}

const struct ky_buffer *ky_grouped_groups(const struct ky_device_tree *tree,
                                          const struct ky_evaluation *evaluation,
                                          const struct ky_parameters *parameters, size_t *count)
{
    const int turns = has_turns(evaluation, parameters);
    *count = turns ? tree->turns : tree->groups;
    return turns ? &tree->turn : &tree->group;
}

enum ky_status ky_grouped_add_far(const struct ky_grouped_part *part,
                                  const struct ky_evaluation *evaluation, struct ky_error *error)
{
    struct ky_device_state *state = part->bodies->state;
    const int marked = evaluation->active && !ky_evaluation_is_listed(evaluation);
    if (!ky_device_shared(state)) /* otherwise made by walk_in_part, with ranks without sinks */
        KY_TRY(ky_device_far_make(state, error));
    return ky_device_far_add(state, evaluation, marked ? &part->tree->wanted : NULL, error);
}

/* ---- a pass ---- */

/* Recomputes the opening radii of the cells for other parameters; expansions do not use them. */
static enum ky_status open_again(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    return ky_force_kind(parameters->force)->expands
               ? KY_OK
               : ky_device_tree_refresh(tree, bodies, parameters, error);
}

/* Counts the work of sinks that the ranks have divided, for the next shares. */
static enum ky_status count_work(const struct passes *passes, const struct ky_grouped_part *part,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_work_shares *shares = &passes->walk->shares;
    const int order = parameters->multipole < KY_MOST_ORDER ? parameters->multipole : KY_MOST_ORDER;
    if (!ky_copies_joins(passes->state) || passes->evaluation->active)
        return KY_OK;
    struct ky_walked walked = {.card = part->bodies->card,
                               .counts = &part->counts->counts,
                               .n = part->bodies->n,
                               .stride = part->counts->of.groups,
                               .cell = ky_order_cost(order)};
    walked.group = ky_grouped_groups(part->tree, passes->evaluation, parameters, &walked.groups);
    shares->is_counted = 0;
    const enum ky_status status = ky_work_shares_count(shares, &walked, error);
    shares->is_counted = !status;
    return status;
}

/* Prepares the buffers of a walk, except for the tree. */
static enum ky_status prepare(const struct passes *passes, const struct ky_grouped_part *part,
                              const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_evaluation *evaluation = passes->evaluation;
    struct ky_device_tree *tree = part->tree;
    struct ky_device_bodies *bodies = part->bodies;
    const uint32_t flags = ky_grouped_flags(bodies, evaluation, parameters) & KY_FLAG_FACTORS;
    if (evaluation->in_block || (evaluation->first_point && !evaluation->again))
        KY_TRY(ky_device_tree_regroup(tree, bodies, evaluation, parameters, error));
    if (ky_opening_kind(parameters->opening)->by_alpha)
        KY_TRY(ky_device_tree_factors(tree, bodies, evaluation, parameters, error));
    if (evaluation->active && !ky_evaluation_is_listed(evaluation))
        KY_TRY(ky_device_tree_wanted(tree, bodies, evaluation, error));
    return has_turns(evaluation, parameters) ? ky_device_tree_turns(tree, bodies, flags, error)
                                             : KY_OK;
}

/* Lists the points along the curve. Ranks with replicated bodies get equal numbers of points. As
 * with bodies, a share is a range of the curve. */
static enum ky_status list_points(const struct passes *passes, struct ky_error *error)
{
    struct ky_device_state *state = passes->state;
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_evaluation *evaluation = passes->evaluation;
    KY_TRY(ky_device_tree_list_active(&passes->links->own, bodies, evaluation, error));
    if (!ky_copies_joins(state))
        return KY_OK;
    KY_TRY(ky_copies_divide(state, evaluation->active->count, 1, error));
    const size_t ranks = ky_device_copies(state)->ranks;
    size_t *edge = ky_copies_edges(state);
    for (size_t r = 1; r < ranks; r++) {
        uint32_t place;
        KY_TRY(bodies->card->driver->read(bodies->card, &bodies->active_list,
                                          edge[r] * sizeof place, &place, sizeof place, error));
        edge[r] = place;
    }
    edge[ranks] = state->n;
    return KY_OK;
}

/* Exchanges the results between ranks with replicated bodies, which lie in the same order on all of
 * them. */
static enum ky_status join_copies(struct ky_device_state *state, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_copies_results results = {&bodies->acceleration, &bodies->potential, bodies->n};
    return ky_copies_join(state, &results, error);
}

static enum ky_status walk_all(const struct passes *passes, const struct ky_parameters *parameters,
                               struct ky_error *error)
{
    struct ky_device_state *state = passes->state;
    KY_TRY(ky_mark(&state->opened, 0, error));
    if (passes->evaluation->first_point && !passes->evaluation->again)
        KY_TRY(list_points(passes, error));
    const struct ky_grouped_part part = part_of(passes);
    KY_TRY(prepare(passes, &part, parameters, error));
    const enum ky_status status =
        passes->launch(passes->walk, &part, passes->evaluation, parameters, error);
    if (status)
        part.counts->of.groups = 0;
    KY_TRY(status);
    KY_TRY(ky_mark(&state->opened, 1, error));
    KY_TRY(count_work(passes, &part, parameters, error));
    return ky_copies_joins(state) ? join_copies(state, error) : KY_OK;
}

/* ---- ranks ---- */

/* The groups of all ranks determine which kernel walks, so that it does not depend on the number of
 * ranks. */
static enum ky_status count_groups(struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    const struct ky_card *card = bodies->card;
    uint64_t groups = bodies->live > 0 ? tree->groups : 0;
    const enum ky_status status = shared->add(shared->context, &groups, 1, error);
    tree->all = tree->full = groups;
    tree->few = ky_device_tree_are_few(card, groups) ||
                ky_device_tree_group(card->team, parameters) < card->team;
    return status;
}

/* Builds the tree of a rank's bodies. A rank without bodies only makes the collective calls. */
static enum ky_status build_part(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    tree->has_mass = 0;
    ky_device_tree_count_cuts(tree, bodies, parameters);
    KY_TRY(bodies->live > 0 ? ky_device_tree_build(tree, bodies, parameters, error)
                            : ky_tree_part_neighbours(&tree->part, bodies, NULL, error));
    return count_groups(tree, bodies, parameters, error);
}

/* The walks of a rank, which has its own tree and receives the cells of other ranks that its groups
 * may open. A rank without sinks only makes the collective calls, and sends the cells that other
 * ranks may open. */
static enum ky_status walk_in_part(const struct passes *passes,
                                   const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_device_state *state = passes->state;
    struct ky_evaluation *evaluation = passes->evaluation;
    const struct ky_grouped_part part = part_of(passes);
    const int by_alpha = ky_opening_kind(parameters->opening)->by_alpha, has_sinks = part.sinks > 0;
    enum ky_status status = KY_OK;
    if (evaluation->first_point && !evaluation->again && part.bodies->live > 0)
        status = ky_device_tree_list_active(part.tree, part.bodies, evaluation, error);
    if (!status && (evaluation->in_block || evaluation->first_point))
        status = ky_device_tree_regroup(part.tree, part.bodies, evaluation, parameters, error);
    if (!status && by_alpha)
        status = part.bodies->live > 0
                     ? ky_device_tree_factors(part.tree, part.bodies, evaluation, parameters, error)
                     : ky_device_tree_no_factors(part.tree, part.bodies, error);
    if (!status)
        status = ky_device_far_make(state, error);
    if (!status)
        status = ky_ranks_exchange(state, part.tree, evaluation, parameters, NULL, error);
    if (!status && has_turns(evaluation, parameters))
        status = has_sinks ? ky_device_tree_turns(part.tree, part.bodies,
                                                  by_alpha ? KY_FLAG_FACTORS : 0U, error)
                           : ky_device_tree_no_turns(part.tree, part.bodies, error);
    if (!status)
        status = ky_mark(&state->opened, 0, error);
    if (!status && has_sinks)
        status = passes->launch(passes->walk, &part, evaluation, parameters, error);
    if (status)
        part.counts->of.groups = 0;
    return status ? status : ky_mark(&state->opened, 1, error);
}

static enum ky_status evaluate_part(const struct passes *passes,
                                    const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_grouped_part part = part_of(passes);
    const struct ky_evaluation *evaluation = passes->evaluation;
    const int in_block = evaluation->in_block;
    enum ky_status status = KY_OK;
    if (evaluation->again && part.bodies->live > 0)
        status = open_again(part.tree, part.bodies, parameters, error);
    else if (!evaluation->again && !in_block)
        status = build_part(part.tree, part.bodies, parameters, error);
    if (!status)
        status = walk_in_part(passes, parameters, error);
    if (!in_block && !(evaluation->stays && !status))
        ky_device_tree_done(part.tree, part.bodies);
    return status;
}

enum ky_status ky_grouped_evaluate(struct ky_device_state *state, struct ky_links *links,
                                   struct ky_grouped *walk, struct ky_evaluation *evaluation,
                                   const struct ky_parameters *given, ky_grouped_launch launch,
                                   struct ky_error *error)
{
    const struct passes passes = {state, walk, links, evaluation, launch};
    const struct ky_parameters own = tree_of(given), *parameters = &own;
    const int in_block = evaluation->in_block;
    links->counts.of.groups = 0;
    if (ky_device_shared(state))
        return evaluate_part(&passes, parameters, error);
    /* in a block each rank walks for all active bodies */
    const int joins = ky_copies_begin(state, in_block ? 0 : state->n, KY_PAIRS_OF_A_WALK),
              of_points = evaluation->first_point > 0;
    enum ky_status status =
        joins && !of_points ? ky_work_shares_find(&walk->shares, state, error) : KY_OK;
    if (!status && !in_block)
        status = (evaluation->again ? open_again : ky_device_tree_build)(
            &links->own, &state->bodies, parameters, error);
    if (!status)
        status = walk_all(&passes, parameters, error);
    if (!in_block && !(evaluation->stays && !status))
        ky_device_tree_done(&links->own, &state->bodies);
    return status;
}

/* ---- blocks ---- */

enum ky_status ky_grouped_stand(struct ky_links *links, int anew, struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    const struct ky_device_state *state = bodies->state;
    const struct ky_parameters parameters = tree_of(state->parameters);
    struct ky_device_tree *tree = &links->own;
    if (!anew)
        return bodies->live > 0 ? ky_device_tree_refresh(tree, bodies, &parameters, error) : KY_OK;
    enum ky_status status = (ky_device_shared(state) ? build_part : ky_device_tree_build)(
        tree, bodies, &parameters, error);
    tree->serves = !status;
    return status;
}

enum ky_status ky_grouped_along(struct ky_links *links, struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    struct ky_device_tree *tree = &links->own;
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    const struct ky_parameters *parameters = bodies->state->parameters;
    enum ky_status status = ky_device_settle(bodies->state, error);
    const int stands = !tree->serves && tree->built == bodies->moves &&
                       tree->order == parameters->multipole && tree->leaf == parameters->leaf;
    uint64_t missing = bodies->live > 0 && !stands;
    if (!status)
        status = shared->add(shared->context, &missing, 1, error);
    return !status && missing > 0 ? build_part(tree, bodies, parameters, error) : status;
}

enum ky_status ky_grouped_note(struct ky_links *links, void *own, struct ky_buffer *tally,
                               struct ky_error *error)
{
    struct ky_grouped *walk = own;
    struct ky_card *card = links->bodies->card;
    /* cells that are sinks on several ranks would count more than once */
    const size_t counts = 2 * links->counts.of.groups;
    KY_TRY(ky_scratch_need(card, &walk->scratch, KY_BULK_REDUCE, counts, error));
    return card->driver->reduce(card, KY_ADDRESS(&links->counts.counts, 0), counts,
                                KY_ADDRESS(tally, 0), &walk->scratch, error);
}

enum ky_status ky_grouped_report(struct ky_device_state *state, struct ky_links *links, void *own,
                                 struct ky_force_report *report, struct ky_error *error)
{
    (void)own;
    (void)error;
    ky_device_tree_report(&links->own, &state->bodies, report);
    return KY_OK;
}
