/* Team walks for groups of bodies (B12), through the tree that each card builds. */
#include "engine/device/forces/grouped.h"

#include "base/status.h"

static enum ky_kernel_id kernel_of(const struct ky_device_tree *tree,
                                   const struct ky_device_bodies *bodies,
                                   const struct ky_evaluation *evaluation,
                                   const struct ky_parameters *parameters)
{
    const int general = (bodies->state->how & (KY_EPS_OF_BOTH | KY_GUARD)) != 0,
              splined = (bodies->state->how & KY_SPLINED) != 0, in_box = bodies->state->box > 0;
    return ky_variant(KY_TREE,
                      in_box && splined                     ? KY_KIND_box_spline
                      : in_box                              ? KY_KIND_box_general
                      : splined                             ? KY_KIND_spline
                      : general                             ? KY_KIND_general
                      : !tree->few                          ? KY_KIND_plain
                      : ky_evaluation_is_listed(evaluation) ? KY_KIND_listed
                                                            : KY_KIND_few,
                      parameters);
}

static enum ky_status launch(struct ky_grouped *walk, const struct ky_grouped_part *part,
                             const struct ky_evaluation *evaluation,
                             const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = part->bodies;
    const struct ky_device_tree *tree = part->tree;
    struct ky_card *card = bodies->card;
    size_t count;
    (void)walk;
    const struct ky_buffer *group = ky_grouped_groups(tree, evaluation, parameters, &count);
    uint32_t n = (uint32_t)bodies->n, groups = (uint32_t)count, first = (uint32_t)part->first,
             end = (uint32_t)part->end, flags = ky_grouped_flags(bodies, evaluation, parameters);
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies->state);
    union ky_state_value strength = ky_device_strength(bodies),
                         side = ky_to_state(card, bodies->state->box);
    const struct ky_buffer *sinks_are =
        ky_evaluation_is_listed(evaluation) ? &bodies->active_list : &tree->wanted;
    KY_TRY(ky_pair_counts_of(part->counts, bodies,
                             (struct ky_counting){.groups = groups, .sinks = part->sinks}, error));
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_CELLS(tree->column) KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
        KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(tree->frame), KY_BUFFER(tree->factor),
        KY_BUFFER(*group), KY_BUFFER(*sinks_are), KY_BUFFER(bodies->acceleration),
        KY_BUFFER(bodies->potential), KY_BUFFER(part->counts->counts), KY_VALUE(n),
        KY_VALUE(groups), KY_VALUE(first), KY_VALUE(end), KY_VALUE(flags),
        KY_EPS2(eps2, parameters->precision), KY_VALUE(strength), KY_VALUE(tree->start),
        KY_VALUE(side));
    KY_TRY(ky_launch_teams(card, kernel_of(tree, bodies, evaluation, parameters), groups, arguments,
                           error));
    return ky_grouped_add_far(part, evaluation, error);
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    return ky_grouped_evaluate(state, links, own, evaluation, parameters, launch, error);
}

static enum ky_status field(struct ky_device_state *state, struct ky_links *links, void *own,
                            const struct ky_points *points, double (*acceleration)[3],
                            double *potential, struct ky_error *error)
{
    const struct ky_point_sources sources = {&ky_tree_method, state, links, own, 1};
    return ky_points_field(&sources, points, acceleration, potential, error);
}

static void memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    memory->device += ky_device_tree_memory(parameters, n);
}

const struct ky_method ky_tree_method = {
    .in_blocks = 1,
    .own = sizeof(struct ky_grouped),
    .evaluate = evaluate,
    .stand = ky_grouped_stand,
    .note = ky_grouped_note,
    .field = field,
    .memory = memory,
    .report = ky_grouped_report,
    .release = ky_grouped_release,
};
