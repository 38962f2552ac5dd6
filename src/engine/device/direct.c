/* The exact sum (F09) as a method: the first card makes the sources, every card sums for a part of
 * the sinks, and the parts come back to the first. */
#include "engine/device/direct_sum.h"
#include "engine/device/method.h"

/* The accelerations and potentials of the first card are the bodies' own. */
struct direct {
    struct {
        struct ky_direct_buffers buffers;
        struct ky_buffer acceleration, potential;
    } part[KY_MOST_CARDS];
};

static void release(const struct ky_device_bodies *bodies, void *own)
{
    struct direct *direct = own;
    for (size_t k = 0; k < bodies->cards.count; k++) {
        struct ky_card *card = bodies->cards.card[k];
        ky_direct_release(card, &direct->part[k].buffers);
        ky_buffer_release(card, &direct->part[k].acceleration);
        ky_buffer_release(card, &direct->part[k].potential);
    }
}

static void memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    memory->device += ky_direct_bytes(parameters->precision, n);
}

/* The sources of the first card to another, which also needs room for its results. */
static enum ky_status share_sources(const struct ky_device_bodies *bodies, struct direct *direct,
                                    size_t k, struct ky_error *error)
{
    struct ky_card *first = bodies->cards.card[0], *card = bodies->cards.card[k];
    struct ky_direct_buffers *here = &direct->part[0].buffers, *there = &direct->part[k].buffers;
    struct ky_buffer *from[] = {&here->source, &here->low, &here->eps2},
                     *to[] = {&there->source, &there->low, &there->eps2};
    int precision = bodies->parameters->precision;
    enum ky_status status = ky_direct_need_sources(bodies, card, there, precision, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &direct->part[k].acceleration, "accelerations", 3 * bodies->n,
                                KY_STATE_BYTES, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &direct->part[k].potential, "potentials", bodies->n,
                                KY_STATE_BYTES, error);
    for (int c = 0; c < 3 && status == KY_OK; c++)
        status = card->driver->copy(first, from[c], 0, card, to[c], 0, from[c]->bytes, error);
    return status;
}

/* The sinks of a card. */
static struct ky_direct_sum part_of(const struct ky_device_bodies *bodies, size_t k)
{
    size_t cards = bodies->cards.count, first = bodies->n * k / cards,
           end = bodies->n * (k + 1) / cards;
    return (struct ky_direct_sum){bodies->parameters->precision, bodies->parameters->unroll, first,
                                  end - first, 0};
}

static enum ky_status run(struct ky_device_bodies *bodies, struct direct *direct, size_t k,
                          struct ky_error *error)
{
    struct ky_buffer *acceleration = k ? &direct->part[k].acceleration : &bodies->acceleration,
                     *potential = k ? &direct->part[k].potential : &bodies->potential;
    const struct ky_direct_sum sum = part_of(bodies, k);
    const struct ky_direct_results results = {acceleration, potential, bodies->n};
    if (sum.count == 0)
        return KY_OK;
    return ky_direct_run(bodies, bodies->cards.card[k], &direct->part[k].buffers, &sum, &results,
                         error);
}

/* A card's part of the results to the first card. */
static enum ky_status collect(struct ky_device_bodies *bodies, struct direct *direct, size_t k,
                              struct ky_error *error)
{
    struct ky_card *first = bodies->cards.card[0], *card = bodies->cards.card[k];
    const struct ky_direct_sum sum = part_of(bodies, k);
    size_t bytes = sum.count * KY_STATE_BYTES;
    enum ky_status status = KY_OK;
    for (size_t c = 0; c < 4 && sum.count > 0 && status == KY_OK; c++) {
        size_t offset = ((c < 3 ? c * bodies->n : 0) + sum.first) * KY_STATE_BYTES;
        struct ky_buffer *from = c < 3 ? &direct->part[k].acceleration : &direct->part[k].potential;
        struct ky_buffer *to = c < 3 ? &bodies->acceleration : &bodies->potential;
        status = card->driver->copy(card, from, offset, first, to, offset, bytes, error);
    }
    return status;
}

static enum ky_status evaluate(struct ky_device_bodies *bodies, struct ky_host_tree *host,
                               void *own, struct ky_error *error)
{
    struct direct *direct = own;
    size_t cards = bodies->cards.count;
    double n = (double)bodies->n;
    enum ky_status status = ky_mark(&bodies->cards, 0, error);
    (void)host;
    if (status == KY_OK)
        status = ky_direct_make_sources(bodies, &direct->part[0].buffers,
                                        bodies->parameters->precision, error);
    for (size_t k = 1; k < cards && status == KY_OK; k++)
        status = share_sources(bodies, direct, k, error);
    for (size_t k = 0; k < cards && status == KY_OK; k++)
        status = run(bodies, direct, k, error);
    for (size_t k = 1; k < cards && status == KY_OK; k++)
        status = collect(bodies, direct, k, error);
    bodies->report.body_interactions = n * (n - 1);
    return status == KY_OK ? ky_mark(&bodies->cards, 1, error) : status;
}

const struct ky_method ky_direct_method = {
    .force = KY_DIRECT,
    .several_cards = 1,
    .own = sizeof(struct direct),
    .check = ky_direct_check,
    .evaluate = evaluate,
    .memory = memory,
    .release = release,
};
