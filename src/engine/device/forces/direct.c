/* The exact sum (F09) as a method: the first card makes the sources, every card sums for a part of
 * the sinks, and the parts come back to the first. Ranks that have all bodies do the same with
 * their parts, with the slices, and so the bits, of a card that is alone (ranks/copies.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/forces/direct_sum.h"
#include "engine/device/forces/method.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/results.h"

/* The sources and the results of each card. If all bodies are sinks, the first card writes to the
 * bodies' own accelerations and potentials instead. */
struct direct {
    struct {
        struct ky_direct_buffers buffers;
        struct ky_device_results results;
    } part[KY_MOST_CARDS];
    struct ky_buffer label; /* of the sinks of a rank */
};

static void release(const struct ky_device_state *state, void *own)
{
    struct direct *direct = own;
    ky_buffer_release(state->part[0].card, &direct->label);
    for (size_t k = 0; k < state->cards.count; k++) {
        struct ky_card *card = state->cards.card[k];
        ky_direct_release(card, &direct->part[k].buffers);
        ky_results_release(&direct->part[k].results, card);
    }
}

static void memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    memory->device += ky_direct_bytes(parameters->precision, n);
}

/* The sinks of all cards, and where their results go on the first card, which has their labels
 * already; the other cards get copies. active: of sinks behind the sources, NULL: all bodies.
 * joins: ranks have divided the sinks. */
struct task {
    struct ky_direct_sum sum;
    const struct ky_buffer *active;
    struct ky_direct_results results;
    int joins;
};

static enum ky_status need_results(const struct ky_device_state *state, struct direct *direct,
                                   size_t k, size_t count, struct ky_error *error)
{
    return ky_results_need(&direct->part[k].results, state->cards.card[k], count, error);
}

/* Where the results go on the first card, if not to the bodies. */
static struct ky_direct_results results_of(struct direct *direct, size_t count)
{
    struct ky_device_results *results = &direct->part[0].results;
    return (struct ky_direct_results){&results->acceleration, &results->potential, count, 0, 0};
}

/* Copies the sources of the first card to another, and makes memory for its results. */
static enum ky_status share_sources(const struct ky_device_state *state, struct direct *direct,
                                    const struct task *task, size_t k, struct ky_error *error)
{
    struct ky_card *first = state->part[0].card, *card = state->cards.card[k];
    struct ky_direct_buffers *here = &direct->part[0].buffers, *there = &direct->part[k].buffers;
    struct ky_buffer *from[] = {&here->source, &here->low, &here->eps2},
                     *to[] = {&there->source, &there->low, &there->eps2};
    enum ky_status status = ky_direct_need_sources(state, card, there, &task->sum, error);
    if (status == KY_OK)
        status = need_results(state, direct, k, task->results.stride, error);
    for (int c = 0; c < 3 && status == KY_OK; c++)
        status = card->driver->copy(first, KY_PLACE(from[c], 0), card, KY_PLACE(to[c], 0),
                                    from[c]->bytes < to[c]->bytes ? from[c]->bytes : to[c]->bytes,
                                    error);
    return status;
}

/* The sinks of a card; *place becomes that of the first result. */
static struct ky_direct_sum part_of(const struct ky_device_state *state, const struct task *task,
                                    size_t k, size_t *place)
{
    const size_t cards = state->cards.count,
                 first = task->joins ? ky_copies_first(state) : task->sum.count * k / cards,
                 end = task->joins ? ky_copies_end(state) : task->sum.count * (k + 1) / cards;
    struct ky_direct_sum part = task->sum;
    part.of = task->joins ? task->sum.count : 0;
    part.first += first;
    part.count = end - first;
    *place = first;
    return part;
}

/* The labels of sinks of a part of them. */
static struct ky_buffer *labels_of(struct direct *direct, size_t k)
{
    return k > 0 ? &direct->part[k].buffers.label : &direct->label;
}

/* Copies the labels of a part of the sinks from those of all on the first card. */
static enum ky_status share_labels(const struct ky_device_state *state, struct direct *direct,
                                   const struct task *task, size_t k, size_t first, size_t count,
                                   struct ky_error *error)
{
    struct ky_card *card = state->cards.card[k];
    struct ky_buffer *to = labels_of(direct, k);
    const size_t word = sizeof(uint32_t);
    enum ky_status status = ky_buffer_need(card, to, "labels of sinks", count, word, error);
    return status == KY_OK
               ? card->driver->copy(state->part[0].card, KY_PLACE(task->sum.label, first * word),
                                    card, KY_PLACE(to, 0), count * word, error)
               : status;
}

static enum ky_status run(const struct ky_device_state *state, struct direct *direct,
                          const struct task *task, size_t k, struct ky_error *error)
{
    struct ky_direct_buffers *buffers = &direct->part[k].buffers;
    struct ky_card *card = state->cards.card[k];
    struct ky_direct_results results = task->results;
    struct ky_direct_sum sum = part_of(state, task, k, &results.to);
    enum ky_status status = KY_OK;
    if (k > 0) {
        results.acceleration = &direct->part[k].results.acceleration;
        results.potential = &direct->part[k].results.potential;
    }
    if ((k > 0 || task->joins) && sum.label && sum.count > 0) {
        sum.label = labels_of(direct, k);
        status = share_labels(state, direct, task, k, results.to, sum.count, error);
    }
    if (status != KY_OK || sum.count == 0)
        return status;
    return ky_direct_run(&state->part[0], card, buffers, &sum, &results, error);
}

/* Copies a card's part of the results to the first card. */
static enum ky_status collect(const struct ky_device_state *state, struct direct *direct,
                              const struct task *task, size_t k, struct ky_error *error)
{
    struct ky_card *first = state->part[0].card, *card = state->cards.card[k];
    size_t place;
    const struct ky_direct_sum sum = part_of(state, task, k, &place);
    const size_t bytes = sum.count * KY_STATE_BYTES;
    enum ky_status status = KY_OK;
    for (size_t c = 0; c < 4 && sum.count > 0 && status == KY_OK; c++) {
        size_t offset = ((c < 3 ? c * task->results.stride : 0) + place) * KY_STATE_BYTES;
        struct ky_device_results *part = &direct->part[k].results;
        struct ky_buffer *from = c < 3 ? &part->acceleration : &part->potential;
        struct ky_buffer *to = c < 3 ? task->results.acceleration : task->results.potential;
        status = card->driver->copy(card, KY_PLACE(from, offset), first, KY_PLACE(to, offset),
                                    bytes, error);
    }
    return status;
}

/* Completes the results of this rank by those of the others. */
static enum ky_status join(struct ky_device_state *state, const struct task *task,
                           struct ky_error *error)
{
    const struct ky_copies_results results = {task->results.acceleration, task->results.potential,
                                              task->results.stride};
    return ky_copies_join(state, &results, error);
}

/* Sums on all cards; the results come to the first. */
static enum ky_status sum(struct ky_device_state *state, struct direct *direct,
                          const struct task *task, struct ky_error *error)
{
    size_t cards = state->cards.count;
    enum ky_status status = ky_direct_make_sources(&state->part[0], &direct->part[0].buffers,
                                                   &task->sum, task->active, error);
    if (status == KY_OK && task->joins)
        status = ky_copies_divide(state, task->sum.count, /* parts begin with a block of a kernel */
                                  KY_DIRECT_LANES * KY_DIRECT_SINKS, error);
    for (size_t k = 1; k < cards && status == KY_OK; k++)
        status = share_sources(state, direct, task, k, error);
    for (size_t k = 0; k < cards && status == KY_OK; k++)
        status = run(state, direct, task, k, error);
    for (size_t k = 1; k < cards && status == KY_OK; k++)
        status = collect(state, direct, task, k, error);
    return status == KY_OK && task->joins ? join(state, task, error) : status;
}

/* Puts results of active bodies that several cards, or ranks, computed to the bodies. */
static enum ky_status scatter(const struct ky_device_state *state, struct direct *direct,
                              size_t sinks, struct ky_error *error)
{
    const struct ky_device_results *results = &direct->part[0].results;
    uint32_t count = (uint32_t)sinks, n = (uint32_t)state->n;
    return ky_launch_over(
        state->part[0].card, KY_KERNEL_ky_scatter, sinks,
        KY_ARGUMENTS(KY_BUFFER(results->acceleration), KY_BUFFER(results->potential),
                     KY_BUFFER(state->part[0].active_list), KY_BUFFER(state->part[0].acceleration),
                     KY_BUFFER(state->part[0].potential), KY_VALUE(count), KY_VALUE(n)),
        error);
}

static enum ky_status sum_active(struct ky_device_state *state, struct direct *direct,
                                 struct ky_evaluation *evaluation, struct task *task,
                                 struct ky_error *error)
{
    const size_t count = evaluation->active->count;
    const int several = state->cards.count > 1 || task->joins;
    enum ky_status status = ky_device_active_list(&state->part[0], evaluation, error);
    task->sum.count = count;
    task->sum.label = &state->part[0].active_list;
    task->results.scattered = !several;
    if (several)
        task->results = results_of(direct, count);
    if (status == KY_OK && several)
        status = need_results(state, direct, 0, count, error);
    if (status == KY_OK)
        status = sum(state, direct, task, error);
    return status == KY_OK && several ? scatter(state, direct, count, error) : status;
}

/* Labels of the active bodies: their places among the sources, or behind. */
static enum ky_status label_active(struct ky_device_state *state, struct direct *direct,
                                   size_t count, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->part[0];
    struct ky_buffer *label = &direct->part[0].buffers.label;
    const size_t word = sizeof(uint32_t);
    const struct ky_device_array places = {&state->division.places, "places", 1, word,
                                           state->n * word};
    enum ky_status status =
        ky_buffer_need(bodies->card, label, "labels of sinks", count, word, error);
    return status == KY_OK
               ? ky_device_gather(bodies, &places, &bodies->active_list, count, label, error)
               : status;
}

/* Where some bodies have no mass, all sinks lie behind the sources. */
static enum ky_status sum_behind(struct ky_device_state *state, struct direct *direct,
                                 struct ky_evaluation *evaluation, struct task *task,
                                 struct ky_error *error)
{
    const size_t count = evaluation->active ? evaluation->active->count : state->n;
    enum ky_status status = ky_device_division_need(state, error);
    task->sum.behind = 1;
    task->sum.first = task->sum.sources;
    task->sum.count = count;
    task->sum.label = &state->division.places;
    if (!evaluation->active)
        return status == KY_OK ? sum(state, direct, task, error) : status;
    task->active = &state->part[0].active_list;
    task->sum.label = &direct->part[0].buffers.label;
    task->results = results_of(direct, count);
    if (status == KY_OK)
        status = ky_device_active_list(&state->part[0], evaluation, error);
    if (status == KY_OK)
        status = label_active(state, direct, count, error);
    if (status == KY_OK)
        status = need_results(state, direct, 0, count, error);
    if (status == KY_OK)
        status = sum(state, direct, task, error);
    return status == KY_OK ? scatter(state, direct, count, error) : status;
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    struct task task = {
        .sum = {.precision = parameters->precision,
                .sources = ky_device_source_count(state),
                .count = state->n},
        .results = {&state->part[0].acceleration, &state->part[0].potential, state->n, 0, 0}};
    enum ky_status status = ky_mark(&state->cards, 0, error);
    const int divided = ky_device_is_divided(state);
    size_t sinks = evaluation->active ? evaluation->active->count : state->n;
    (void)links;
    task.joins = ky_copies_begin(state, sinks, (double)task.sum.sources);
    if (status == KY_OK)
        status = divided              ? sum_behind(state, own, evaluation, &task, error)
                 : evaluation->active ? sum_active(state, own, evaluation, &task, error)
                                      : sum(state, own, &task, error);
    if (task.joins && status == KY_OK)
        sinks = ky_copies_end(state) - ky_copies_first(state);
    state->report.body_interactions = (double)sinks * (double)(task.sum.sources - !divided);
    return status == KY_OK ? ky_mark(&state->cards, 1, error) : status;
}

/* Places of the bodies for which points stand, or KY_NO_BODY. */
static enum ky_status send_labels(struct ky_device_state *state, struct ky_direct_buffers *buffers,
                                  const struct ky_points *points, struct ky_error *error)
{
    uint32_t *label = ky_allocate(points->count, sizeof *label);
    if (!label)
        return ky_no_memory(error, "points of a field", points->count, sizeof *label);
    for (size_t k = 0; k < points->count; k++)
        label[k] = points->body[k] == KY_NO_BODY ? KY_NO_BODY
                                                 : ky_device_division_place(state, points->body[k]);
    enum ky_status status =
        ky_direct_send_labels(state->part[0].card, buffers, label, points->count, error);
    free(label);
    return status;
}

static enum ky_status field(struct ky_device_state *state, struct ky_links *links, void *own,
                            const struct ky_points *points, double (*acceleration)[3],
                            double *potential, struct ky_error *error)
{
    struct direct *direct = own;
    struct ky_direct_buffers *here = &direct->part[0].buffers;
    const size_t count = points->count, sources = ky_device_source_count(state);
    const int precision = state->parameters->precision;
    const struct task task = {.sum = {.precision = precision,
                                      .sources = sources,
                                      .first = sources,
                                      .count = count,
                                      .label = points->body ? &here->label : NULL,
                                      .points = points},
                              .results = results_of(direct, count)};
    enum ky_status status = need_results(state, direct, 0, count, error);
    (void)links;
    if (status == KY_OK)
        status = ky_device_division_need(state, error);
    if (status == KY_OK && points->body)
        status = send_labels(state, here, points, error);
    if (status == KY_OK)
        status = sum(state, direct, &task, error);
    return status == KY_OK ? ky_results_read(&direct->part[0].results, &state->part[0], count,
                                             acceleration, potential, error)
                           : status;
}

const struct ky_method ky_direct_method = {
    .force = KY_DIRECT,
    .several_cards = 1,
    .in_blocks = 1,
    .own = sizeof(struct direct),
    .evaluate = evaluate,
    .field = field,
    .memory = memory,
    .release = release,
};
