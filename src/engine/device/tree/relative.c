/* The data of opening tests by α: the mass of all bodies, in a periodic box the smallest pull, and
 * the factor of each body. The host side of kernels/tree/relative.k. */
#include "engine/device/tree/relative.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/tree/device_tree.h"
#include "physics/opening.h"

uint32_t ky_device_looking_groups(size_t n)
{
    size_t groups = ky_groups(n, 1024);
    return (uint32_t)(groups < KY_BOUNDS_GROUPS ? groups : KY_BOUNDS_GROUPS);
}

/* ---- sums over ranks ---- */

enum ky_status ky_device_add_words(const struct ky_device_bodies *bodies, struct ky_buffer *words,
                                   size_t count, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    struct ky_card *card = bodies->card;
    const size_t bytes = count * sizeof(uint64_t);
    if (!shared)
        return KY_OK;
    uint64_t *word = ky_allocate(count, sizeof *word);
    enum ky_status status = word ? card->driver->read(card, words, 0, word, bytes, error)
                                 : ky_no_memory(error, "sums of the ranks", count, sizeof *word);
    if (!status)
        status = shared->add(shared->context, word, count, error);
    if (!status)
        status = card->driver->write(card, words, 0, word, bytes, error);
    free(word);
    return status;
}

enum ky_status ky_device_keep_largest(const struct ky_device_bodies *bodies,
                                      struct ky_buffer *words, size_t word, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    struct ky_card *card = bodies->card;
    const size_t at = word * sizeof(uint64_t);
    uint64_t most = 0;
    if (!shared)
        return KY_OK;
    KY_TRY(card->driver->read(card, words, at, &most, sizeof most, error));
    KY_TRY(ky_shared_largest(shared, &most, error));
    return card->driver->write(card, words, at, &most, sizeof most, error);
}

/* ---- the mass ---- */

enum ky_status ky_device_sum_masses(const struct ky_device_bodies *bodies, struct ky_buffer *mass,
                                    struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t live = (uint32_t)bodies->live, groups = ky_device_looking_groups(live);
    KY_TRY(ky_launch(
        card, KY_KERNEL_ky_relative_masses, groups,
        KY_ARGUMENTS(KY_BUFFER(bodies->mass), KY_BUFFER(*mass), KY_VALUE(live), KY_VALUE(groups)),
        error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_relative_total, 1,
                     KY_ARGUMENTS(KY_BUFFER(*mass), KY_VALUE(groups)), error));
    return ky_device_add_words(bodies, mass, 1, error);
}

static enum ky_status find_mass(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                struct ky_error *error)
{
    if (tree->has_mass)
        return KY_OK;
    const enum ky_status status = ky_device_sum_masses(bodies, &tree->mass, error);
    tree->has_mass = !status;
    return status;
}

/* ---- the smallest pull ---- */

/* Finds the largest acceleration, of all ranks, and with it the unit of the sum of squares. */
static enum ky_status find_most(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                uint32_t groups, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_need need = {&tree->least, "rms acceleration", KY_RELATIVE_MOST + 1,
                                 sizeof(uint64_t)};
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live;
    float unit = ky_device_per_strength(bodies->state);
    KY_TRY(ky_buffers_need(card, &need, 1, error));
    KY_TRY(card->driver->zero(card, &tree->least, error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_relative_largest, groups,
                     KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->mass),
                                  KY_BUFFER(tree->least), KY_VALUE(n), KY_VALUE(live),
                                  KY_VALUE(groups), KY_VALUE(unit)),
                     error));
    return ky_device_keep_largest(bodies, &tree->least, KY_RELATIVE_MOST, error);
}

/* In a periodic box: finds the smallest pull, from the last accelerations of all bodies. */
static enum ky_status find_least(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
             groups = ky_device_looking_groups(live);
    float unit = ky_device_per_strength(bodies->state), side = (float)bodies->state->box;
    if (!(bodies->state->box > 0))
        return KY_OK;
    KY_TRY(find_most(tree, bodies, groups, error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_relative_squares, groups,
                     KY_ARGUMENTS(KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->mass),
                                  KY_BUFFER(tree->least), KY_VALUE(n), KY_VALUE(live),
                                  KY_VALUE(groups), KY_VALUE(unit)),
                     error));
    KY_TRY(ky_launch(card, KY_KERNEL_ky_relative_squared, 1,
                     KY_ARGUMENTS(KY_BUFFER(tree->least), KY_VALUE(groups)), error));
    KY_TRY(ky_device_add_words(bodies, &tree->least, 2, error));
    return ky_launch(card, KY_KERNEL_ky_relative_floor, 1,
                     KY_ARGUMENTS(KY_BUFFER(tree->least), KY_BUFFER(tree->mass),
                                  KY_BUFFER(tree->least), KY_VALUE(side)),
                     error);
}

/* ---- the factors ---- */

enum ky_status ky_device_tree_no_factors(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    uint64_t none[2] = {0};
    if (!tree->has_mass)
        KY_TRY(shared->add(shared->context, none, 1, error));
    tree->has_mass = 1;
    if (!(bodies->state->box > 0))
        return KY_OK;
    none[0] = 0;
    KY_TRY(ky_shared_largest(shared, none, error));
    none[0] = 0;
    return shared->add(shared->context, none, 2, error);
}

enum ky_status ky_device_tree_factors(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_evaluation *evaluation,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    /* on a rank there is no room for factors of the places behind its own bodies, of which there
     * may be more since its tree was built */
    uint32_t n = (uint32_t)bodies->n, in_list = (uint32_t)ky_evaluation_is_listed(evaluation),
             sinks = (uint32_t)(in_list ? evaluation->active->count : bodies->live),
             is_kept = (uint32_t)ky_device_reads_pull(bodies->state),
             in_box = bodies->state->box > 0;
    const struct ky_buffer *list = in_list ? &bodies->active_list : &tree->mass,
                           *least = in_box ? &tree->least : &tree->mass,
                           *pull = is_kept ? &bodies->column[KY_COLUMN_PULL] : &bodies->mass;
    float unit = ky_device_per_strength(bodies->state), alpha = (float)parameters->alpha,
          power = ky_force_kind(parameters->force)->expands
                      ? -1
                      : (float)ky_opening_relative_power(parameters->multipole);
    KY_TRY(find_mass(tree, bodies, error));
    KY_TRY(find_least(tree, bodies, error));
    return ky_launch_over(card, KY_KERNEL_ky_relative_factors, sinks,
                          KY_ARGUMENTS(KY_BUFFER(bodies->acceleration),
                                       KY_BUFFER(bodies->potential), KY_BUFFER(*pull),
                                       KY_BUFFER(tree->mass), KY_BUFFER(*least), KY_BUFFER(*list),
                                       KY_BUFFER(tree->factor), KY_VALUE(n), KY_VALUE(sinks),
                                       KY_VALUE(in_list), KY_VALUE(is_kept), KY_VALUE(in_box),
                                       KY_VALUE(unit), KY_VALUE(alpha), KY_VALUE(power)),
                          error);
}
