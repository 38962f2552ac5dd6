/* The exact sum (F09) as a method. Ranks with replicated bodies each sum for a share of the sinks,
 * with the same slices, and so the same bits, as a single card (ranks/copies.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/forces/direct_sum.h"
#include "engine/device/forces/far.h"
#include "engine/device/forces/method.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/results.h"

/* If all bodies are sinks, results go to the bodies' own accelerations and potentials instead. */
struct direct {
    struct ky_direct_buffers buffers;
    struct ky_device_results results;
    struct ky_buffer label; /* of the sinks of a rank */
};

static void release(const struct ky_device_state *state, void *own)
{
    struct direct *direct = own;
    struct ky_card *card = state->bodies.card;
    ky_buffer_release(card, &direct->label);
    ky_direct_release(card, &direct->buffers);
    ky_results_release(&direct->results, card);
}

static void memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    memory->device += ky_direct_bytes(parameters, n);
}

/* The sinks and the destination of their results. active: sinks behind the sources; NULL: all
 * bodies. joins: the ranks have divided the sinks. */
struct task {
    struct ky_direct_sum sum;
    const struct ky_buffer *active;
    struct ky_direct_results results;
    int joins;
};

static enum ky_status need_results(const struct ky_device_state *state, struct direct *direct,
                                   size_t count, struct ky_error *error)
{
    return ky_results_need(&direct->results, state->bodies.card, count, error);
}

/* The destination of the results if it is not the bodies. */
static struct ky_direct_results results_of(struct direct *direct, size_t count)
{
    struct ky_device_results *results = &direct->results;
    return (struct ky_direct_results){&results->acceleration, &results->potential, count, 0, NULL};
}

/* Copies the labels of this rank's sinks, from sink `first` on, from the labels of all sinks. */
static enum ky_status take_labels(const struct ky_device_state *state, struct direct *direct,
                                  size_t first, struct ky_direct_sum *sum, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_buffer *to = &direct->label;
    const struct ky_buffer *from = sum->label;
    const size_t word = sizeof(uint32_t);
    KY_TRY(ky_buffer_need(card, to, "labels of sinks", sum->count, word, error));
    sum->label = to;
    return card->driver->copy(card, KY_ADDRESS(from, first * word), KY_ADDRESS(to, 0),
                              sum->count * word, error);
}

static enum ky_status run(const struct ky_device_state *state, struct direct *direct,
                          const struct task *task, struct ky_error *error)
{
    struct ky_direct_results results = task->results;
    struct ky_direct_sum sum = task->sum;
    if (task->joins) {
        results.to = ky_copies_first(state);
        sum.of = sum.count;
        sum.first += results.to;
        sum.count = ky_copies_end(state) - results.to;
    }
    if (sum.count == 0)
        return KY_OK;
    if (task->joins && sum.label)
        KY_TRY(take_labels(state, direct, results.to, &sum, error));
    return ky_direct_run(&state->bodies, &direct->buffers, &sum, &results, error);
}

/* Exchanges the results of the ranks, so that all ranks have all of them. */
static enum ky_status join(struct ky_device_state *state, const struct task *task,
                           struct ky_error *error)
{
    const struct ky_copies_results results = {task->results.acceleration, task->results.potential,
                                              task->results.stride};
    return ky_copies_join(state, &results, error);
}

static enum ky_status sum(struct ky_device_state *state, struct direct *direct,
                          const struct task *task, struct ky_error *error)
{
    KY_TRY(
        ky_direct_make_sources(&state->bodies, &direct->buffers, &task->sum, task->active, error));
    if (task->joins) /* shares begin with a block of a kernel */
        KY_TRY(ky_copies_divide(state, task->sum.count, KY_DIRECT_LANES * KY_DIRECT_SINKS, error));
    KY_TRY(run(state, direct, task, error));
    return task->joins ? join(state, task, error) : KY_OK;
}

/* Writes results of listed bodies, computed by the ranks, to the bodies. */
static enum ky_status scatter(const struct ky_device_state *state, struct direct *direct,
                              const struct ky_buffer *list, size_t sinks, struct ky_error *error)
{
    const struct ky_device_results *results = &direct->results;
    uint32_t count = (uint32_t)sinks, n = (uint32_t)state->n;
    return ky_launch_over(
        state->bodies.card, KY_KERNEL_ky_scatter, sinks,
        KY_ARGUMENTS(KY_BUFFER(results->acceleration), KY_BUFFER(results->potential),
                     KY_BUFFER(*list), KY_BUFFER(state->bodies.acceleration),
                     KY_BUFFER(state->bodies.potential), KY_VALUE(count), KY_VALUE(n)),
        error);
}

/* Labels of the active bodies: their indices among the sources, or behind these. */
static enum ky_status label_active(struct ky_device_state *state, struct direct *direct,
                                   size_t count, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_buffer *label = &direct->buffers.label;
    const size_t word = sizeof(uint32_t);
    const struct ky_device_array places = {&state->massless.labels, "places", 1, word,
                                           state->n * word};
    KY_TRY(ky_buffer_need(bodies->card, label, "labels of sinks", count, word, error));
    return ky_device_gather(bodies, &places, &bodies->active_list, count, label, error);
}

/* 1 if the sum is on matrix units: for all bodies, if all have mass. Active bodies, points and
 * massless bodies are not sorted along the curve; these, few bodies and bodies in a periodic box
 * have the loops of extended precision. */
static int is_on_units(const struct ky_device_state *state, const struct ky_evaluation *evaluation,
                       const struct task *task)
{
    return task->sum.precision == KY_MIXED && !evaluation->active && !(state->box > 0) &&
           !ky_device_has_massless(state) && state->n >= ky_direct_least_on_units;
}

/* The sum for the active bodies, or for all. If some bodies have no mass, all sinks lie behind the
 * sources. On matrix units the bodies are in order along the curve. Results go to the bodies
 * directly, or through a buffer if ranks share the sinks or active sinks lie behind the sources. */
static enum ky_status sum_bodies(struct ky_device_state *state, struct ky_links *links,
                                 struct direct *direct, struct ky_evaluation *evaluation,
                                 struct task *task, struct ky_error *error)
{
    const struct ky_active *active = evaluation->active;
    const struct ky_buffer *list = &state->bodies.active_list;
    const size_t count = task->sum.count;
    const int apart = ky_device_has_massless(state), along = is_on_units(state, evaluation, task),
              scatters = (active && apart) || ((active || along) && task->joins);
    if (active)
        KY_TRY(ky_device_active_list(&state->bodies, evaluation, error));
    if (along) {
        KY_TRY(ky_device_tree_order(&links->own, &state->bodies, state->parameters, &list, error));
        task->sum.order = list;
    } else if (apart) {
        KY_TRY(ky_device_massless_need(state, error));
        task->sum.behind = 1;
        task->sum.first = task->sum.sources;
        task->sum.label = active ? &direct->buffers.label : &state->massless.labels;
        task->active = active ? list : NULL;
    } else if (active) {
        task->sum.label = list;
    }
    if (active && apart)
        KY_TRY(label_active(state, direct, count, error));
    if (scatters) {
        task->results = results_of(direct, count);
        KY_TRY(need_results(state, direct, count, error));
    } else if (active || along) {
        task->results.at = list;
    }
    KY_TRY(sum(state, direct, task, error));
    return scatters ? scatter(state, direct, list, count, error) : KY_OK;
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    size_t sinks = evaluation->active ? evaluation->active->count : state->n;
    struct task task = {
        .sum = {.precision = parameters->precision,
                .sources = ky_device_source_count(state),
                .count = sinks},
        .results = {&state->bodies.acceleration, &state->bodies.potential, state->n, 0, NULL}};
    KY_TRY(ky_mark(&state->opened, 0, error));
    task.joins = ky_copies_begin(state, sinks, (double)task.sum.sources);
    KY_TRY(sum_bodies(state, links, own, evaluation, &task, error));
    KY_TRY(ky_device_far_make(state, error));
    KY_TRY(ky_device_far_add(state, evaluation, NULL, error));
    if (task.joins)
        sinks = ky_copies_end(state) - ky_copies_first(state);
    state->report.body_interactions =
        (double)sinks *
        (double)(task.sum.sources * ky_device_images(state) - !ky_device_has_massless(state));
    return ky_mark(&state->opened, 1, error);
}

/* Indices of the bodies that the points stand for, or KY_NO_BODY. */
static enum ky_status send_labels(struct ky_device_state *state, struct ky_direct_buffers *buffers,
                                  const struct ky_points *points, struct ky_error *error)
{
    uint32_t *label;
    KY_TRY(ky_array(&label, points->count, sizeof *label, "points of a field", error));
    for (size_t k = 0; k < points->count; k++)
        label[k] =
            points->body[k] == KY_NO_BODY ? KY_NO_BODY : ky_device_label(state, points->body[k]);
    enum ky_status status =
        ky_direct_send_labels(state->bodies.card, buffers, label, points->count, error);
    free(label);
    return status;
}

/* Adds the far field of a periodic box to the results of points. */
static enum ky_status add_far(struct ky_device_state *state, const struct direct *direct,
                              size_t count, struct ky_error *error)
{
    const struct ky_far_sinks sinks = {.position = &direct->buffers.point,
                                       .acceleration = &direct->results.acceleration,
                                       .potential = &direct->results.potential,
                                       .apart = count,
                                       .count = count,
                                       .stride = count};
    KY_TRY(ky_device_far_make(state, error));
    return ky_device_far_add_to(state, &sinks, error);
}

static enum ky_status field(struct ky_device_state *state, struct ky_links *links, void *own,
                            const struct ky_points *points, double (*acceleration)[3],
                            double *potential, struct ky_error *error)
{
    struct direct *direct = own;
    struct ky_direct_buffers *here = &direct->buffers;
    const size_t count = points->count, sources = ky_device_source_count(state);
    const int precision = state->parameters->precision;
    const struct task task = {.sum = {.precision = precision,
                                      .sources = sources,
                                      .first = sources,
                                      .count = count,
                                      .label = points->body ? &here->label : NULL,
                                      .points = points},
                              .results = results_of(direct, count),
                              .joins = ky_copies_begin(state, count, (double)sources)};
    (void)links;
    KY_TRY(need_results(state, direct, count, error));
    KY_TRY(ky_device_massless_need(state, error));
    if (points->body)
        KY_TRY(send_labels(state, here, points, error));
    KY_TRY(sum(state, direct, &task, error));
    KY_TRY(add_far(state, direct, count, error));
    return ky_results_read(&direct->results, &state->bodies, count, acceleration, potential, error);
}

const struct ky_method ky_direct_method = {
    .in_blocks = 1,
    .own = sizeof(struct direct),
    .evaluate = evaluate,
    .field = field,
    .memory = memory,
    .release = release,
};
