/* The exact sum (F09) as a method: the first card makes the sources, every card sums for a part of
 * the sinks, and the parts come back to the first. */
#include "engine/device/forces/direct_sum.h"
#include "engine/device/forces/method.h"
#include "engine/device/state/results.h"

/* The sources and the results of each card. If all bodies are sinks, the first card writes to the
 * bodies' own accelerations and potentials instead. */
struct direct {
    struct {
        struct ky_direct_buffers buffers;
        struct ky_device_results results;
    } part[KY_MOST_CARDS];
};

static void release(const struct ky_device_state *state, void *own)
{
    struct direct *direct = own;
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
 * already. label: for the other cards. */
struct task {
    struct ky_direct_sum sum;
    const uint32_t *label;
    struct ky_direct_results results;
};

static enum ky_status need_results(const struct ky_device_state *state, struct direct *direct,
                                   size_t k, size_t count, struct ky_error *error)
{
    return ky_results_need(&direct->part[k].results, state->cards.card[k],
                           state->parameters->precision, count, error);
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
    const struct ky_points *points = task->sum.points;
    enum ky_status status = ky_direct_need_sources(state, card, there, task->sum.precision,
                                                   points ? points->count : 0, error);
    if (status == KY_OK)
        status = need_results(state, direct, k, task->results.stride, error);
    for (int c = 0; c < 3 && status == KY_OK; c++)
        status = card->driver->copy(first, KY_PLACE(from[c], 0), card, KY_PLACE(to[c], 0),
                                    from[c]->bytes < to[c]->bytes ? from[c]->bytes : to[c]->bytes,
                                    error);
    return status;
}

/* The sinks of a card; *to becomes the place of the first result. */
static struct ky_direct_sum part_of(const struct ky_device_state *state, const struct task *task,
                                    size_t k, size_t *place)
{
    const size_t cards = state->cards.count, first = task->sum.count * k / cards,
                 end = task->sum.count * (k + 1) / cards;
    struct ky_direct_sum part = task->sum;
    part.first += first;
    part.count = end - first;
    *place = first;
    return part;
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
    if (k > 0 && task->label) {
        sum.label = &buffers->label;
        status = ky_direct_send_labels(card, buffers, task->label + results.to, sum.count, error);
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
    size_t real = ky_real_bytes(state->parameters->precision), bytes = sum.count * real;
    enum ky_status status = KY_OK;
    for (size_t c = 0; c < 4 && sum.count > 0 && status == KY_OK; c++) {
        size_t offset = ((c < 3 ? c * task->results.stride : 0) + place) * real;
        struct ky_device_results *part = &direct->part[k].results;
        struct ky_buffer *from = c < 3 ? &part->acceleration : &part->potential;
        struct ky_buffer *to = c < 3 ? task->results.acceleration : task->results.potential;
        status = card->driver->copy(card, KY_PLACE(from, offset), first, KY_PLACE(to, offset),
                                    bytes, error);
    }
    return status;
}

/* Sums on all cards; the results come to the first. */
static enum ky_status sum(const struct ky_device_state *state, struct direct *direct,
                          const struct task *task, struct ky_error *error)
{
    size_t cards = state->cards.count;
    enum ky_status status = ky_direct_make_sources(&state->part[0], &direct->part[0].buffers,
                                                   task->sum.precision, task->sum.points, error);
    for (size_t k = 1; k < cards && status == KY_OK; k++)
        status = share_sources(state, direct, task, k, error);
    for (size_t k = 0; k < cards && status == KY_OK; k++)
        status = run(state, direct, task, k, error);
    for (size_t k = 1; k < cards && status == KY_OK; k++)
        status = collect(state, direct, task, k, error);
    return status;
}

/* Puts results of active bodies that several cards computed to the bodies. */
static enum ky_status scatter(const struct ky_device_state *state, struct direct *direct,
                              size_t sinks, struct ky_error *error)
{
    const struct ky_device_results *results = &direct->part[0].results;
    uint32_t count = (uint32_t)sinks, n = (uint32_t)state->n;
    return ky_launch_over(
        state->part[0].card, KY_IN_PRECISION(ky_scatter, state->parameters->precision), sinks,
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
    const int several = state->cards.count > 1;
    enum ky_status status = ky_device_active_list(&state->part[0], evaluation, error);
    task->sum.count = count;
    task->sum.label = &state->part[0].active_list;
    task->sum.unroll = KY_UNROLL_TUNED;
    task->label = evaluation->active->body;
    task->results.scattered = !several;
    if (several)
        task->results = results_of(direct, count);
    if (status == KY_OK && several)
        status = need_results(state, direct, 0, count, error);
    if (status == KY_OK)
        status = sum(state, direct, task, error);
    return status == KY_OK && several ? scatter(state, direct, count, error) : status;
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    struct task task = {{parameters->precision, state->unroll, 0, state->n, NULL, NULL, 0},
                        NULL,
                        {&state->part[0].acceleration, &state->part[0].potential, state->n, 0, 0}};
    enum ky_status status = ky_mark(&state->cards, 0, error);
    (void)links;
    if (status == KY_OK)
        status = evaluation->active ? sum_active(state, own, evaluation, &task, error)
                                    : sum(state, own, &task, error);
    state->report.body_interactions = (double)task.sum.count * (double)(state->n - 1);
    return status == KY_OK ? ky_mark(&state->cards, 1, error) : status;
}

/* Points always use our own kernel: unrollings are for comparisons. */
static enum ky_status field(struct ky_device_state *state, struct ky_links *links, void *own,
                            const struct ky_points *points, double (*acceleration)[3],
                            double *potential, struct ky_error *error)
{
    struct direct *direct = own;
    struct ky_direct_buffers *here = &direct->part[0].buffers;
    const size_t count = points->count;
    const int precision = state->parameters->precision;
    const struct task task = {{precision, KY_UNROLL_TUNED, state->n, count,
                               points->body ? &here->label : NULL, points, 0},
                              points->body,
                              results_of(direct, count)};
    enum ky_status status = need_results(state, direct, 0, count, error);
    (void)links;
    if (status == KY_OK && points->body)
        status = ky_direct_send_labels(state->part[0].card, here, points->body, count, error);
    if (status == KY_OK)
        status = sum(state, direct, &task, error);
    return status == KY_OK ? ky_results_read(&direct->part[0].results, &state->part[0], precision,
                                             count, acceleration, potential, error)
                           : status;
}

const struct ky_method ky_direct_method = {
    .force = KY_DIRECT,
    .several_cards = 1,
    .in_blocks = 1,
    .own = sizeof(struct direct),
    .check = ky_direct_check,
    .evaluate = evaluate,
    .field = field,
    .memory = memory,
    .release = release,
};
