/* The walk of teams for groups of bodies (B12), through the tree that the card has made. */
#include "engine/device/counts.h"
#include "engine/device/device_tree.h"
#include "engine/device/method.h"
#include "engine/relative.h"

struct group_walk {
    struct ky_device_tree tree;
};

static void release(const struct ky_device_bodies *bodies, void *own)
{
    struct group_walk *walk = own;
    ky_device_tree_release(&walk->tree, bodies);
}

static uint32_t flags_of(const struct ky_device_bodies *bodies,
                         const struct ky_parameters *parameters)
{
    int source_eps = bodies->how & KY_EPS_OF_BOTH;
    return (bodies->own_eps ? KY_FLAG_OWN_EPS : 0U) | (source_eps ? KY_FLAG_SOURCE_EPS : 0U) |
           (parameters->opening == KY_RELATIVE ? KY_FLAG_FACTORS : 0U) |
           (bodies->active ? KY_FLAG_WANTED : 0U) | ky_octree_opening(parameters);
}

static enum ky_kernel_id kernel_of(const struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_parameters *parameters)
{
    enum { PLAIN, FEW, GENERAL };
    static const enum ky_kernel_id kernels[3][2][KY_PRECISIONS] = {
        {KY_EACH_PRECISION(ky_tree_monopole), KY_EACH_PRECISION(ky_tree_quadrupole)},
        {KY_EACH_PRECISION(ky_tree_monopole_few), KY_EACH_PRECISION(ky_tree_quadrupole_few)},
        {KY_EACH_PRECISION(ky_tree_monopole_general),
         KY_EACH_PRECISION(ky_tree_quadrupole_general)},
    };
    const int general = (bodies->how & (KY_EPS_OF_BOTH | KY_GUARD)) != 0;
    return kernels[general     ? GENERAL
                   : tree->few ? FEW
                               : PLAIN][parameters->multipole > 1][parameters->precision];
}

static enum ky_status launch(const struct ky_device_tree *tree, struct ky_pair_counts *counts,
                             const struct ky_device_bodies *bodies,
                             const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    const int turns = parameters->opening == KY_RELATIVE;
    const struct ky_buffer *group = turns ? &tree->turn : &tree->group;
    uint32_t n = (uint32_t)bodies->n, groups = (uint32_t)(turns ? tree->turns : tree->groups),
             flags = flags_of(bodies, parameters);
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies);
    union ky_state_value strength =
        ky_to_state(card, ky_engine_scale(&bodies->units, parameters->g).strength);
    const struct ky_buffer *softening = bodies->own_eps ? &bodies->softening : &bodies->mass;
    size_t sinks = bodies->active ? bodies->active->count : bodies->n;
    enum ky_status status = ky_pair_counts_of(counts, bodies, groups, sinks, error);
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass), KY_BUFFER(*softening),
        KY_BUFFER(tree->frame), KY_BUFFER(tree->centre), KY_BUFFER(tree->centre_low),
        KY_BUFFER(tree->link), KY_BUFFER(tree->box), KY_BUFFER(tree->moment),
        KY_BUFFER(tree->children), KY_BUFFER(tree->factor), KY_BUFFER(*group),
        KY_BUFFER(tree->wanted), KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->potential),
        KY_BUFFER(counts->counts), KY_VALUE(n), KY_VALUE(groups), KY_VALUE(flags),
        KY_EPS2(eps2, parameters->precision), KY_VALUE(strength));
    if (status == KY_OK)
        status =
            ky_launch_teams(card, kernel_of(tree, bodies, parameters), groups, arguments, error);
    if (status != KY_OK)
        counts->groups = 0;
    return status;
}

struct passes {
    struct ky_device_bodies *bodies;
    struct ky_device_tree *tree;
    struct ky_pair_counts *counts;
};

static enum ky_status walk(const struct passes *passes, const struct ky_parameters *parameters,
                           struct ky_error *error)
{
    struct ky_device_bodies *bodies = passes->bodies;
    enum ky_status status = ky_mark(&bodies->cards, 0, error);
    if (status == KY_OK && parameters->opening == KY_RELATIVE)
        status = ky_device_tree_factors(passes->tree, bodies, parameters, error);
    if (status == KY_OK && parameters->opening == KY_RELATIVE)
        status = ky_device_tree_turns(passes->tree, bodies, error);
    if (status == KY_OK && bodies->active)
        status = ky_device_tree_wanted(passes->tree, bodies, error);
    if (status == KY_OK)
        status = launch(passes->tree, passes->counts, bodies, parameters, error);
    return status == KY_OK ? ky_mark(&bodies->cards, 1, error) : status;
}

/* Marks and counts are of one pass, the report is of all: those of the first one are added before
 * the second begins. */
static enum ky_status pass(void *of, const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct passes *passes = of;
    struct ky_device_bodies *bodies = passes->bodies;
    enum ky_status status = ky_device_tree_build(passes->tree, bodies, parameters, error);
    if (status == KY_OK)
        status = walk(passes, parameters, error);
    ky_device_tree_done(passes->tree, bodies);
    if (status != KY_OK || parameters == bodies->parameters)
        return status;
    bodies->report.walk += ky_marked_seconds(&bodies->cards);
    ky_device_tree_report(bodies, &bodies->report);
    status = ky_pair_counts_add(passes->counts, bodies, &bodies->report, error);
    passes->counts->groups = 0;
    return status;
}

static enum ky_status evaluate(struct ky_device_bodies *bodies, struct ky_host_tree *host,
                               void *own, struct ky_error *error)
{
    struct group_walk *walk = own;
    struct passes passes = {bodies, &walk->tree, &host->counts};
    return ky_relative_passes(bodies->parameters, bodies->has_acceleration, pass, &passes, error);
}

static void memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    memory->device += ky_device_tree_memory(parameters, n);
}

static void report(const struct ky_device_bodies *bodies, const void *own,
                   struct ky_force_report *report)
{
    (void)own;
    ky_device_tree_report(bodies, report);
}

const struct ky_method ky_group_walk_method = {
    .force = KY_TREE,
    .own = sizeof(struct group_walk),
    .evaluate = evaluate,
    .field = ky_walk_field,
    .memory = memory,
    .report = report,
    .release = release,
};
