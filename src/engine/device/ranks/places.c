/* The bodies of a rank on its card: numbers, keys, arrivals and departures. */
#include "engine/device/ranks/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/state/motion.h"
#include "octree/keys.h"

/* ---- room ---- */

/* Aligns columns to lines of the card's memory, which makes moving bodies take a quarter less
 * time. */
static size_t whole_lines(size_t places)
{
    enum { LINE = 64 };
    return (places + LINE - 1) / LINE * LINE;
}

size_t ky_places_room(size_t bodies)
{
    return whole_lines(bodies + bodies / 16 + 1024);
}

/* Replaces an array with columns of n by one with columns for more bodies. */
static enum ky_status widen_array(struct ky_device_bodies *bodies,
                                  const struct ky_device_array *array, size_t n,
                                  struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    struct ky_buffer wide = {0};
    enum ky_status status = ky_buffer_need(card, &wide, array->what, array->bytes, 1, error);
    for (size_t c = 0; c < array->columns && !status && bodies->live > 0; c++)
        status = card->driver->copy(card, KY_ADDRESS(array->buffer, c * n * array->number),
                                    KY_ADDRESS(&wide, c * bodies->n * array->number),
                                    bodies->live * array->number, error);
    if (status) {
        ky_buffer_release(card, &wide);
        return status;
    }
    status = card->driver->wait(card, error);
    ky_buffer_release(card, array->buffer);
    *array->buffer = wide;
    return status;
}

enum ky_status ky_places_widen(struct ky_device_state *state, size_t places, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const size_t n = bodies->n;
    struct ky_device_array array[KY_ARRAYS];
    state->n = bodies->n = whole_lines(places);
    ky_device_arrays(bodies, array);
    for (int k = 0; k < KY_ARRAYS; k++)
        if (bodies->has >> k & 1U)
            KY_TRY(widen_array(bodies, &array[k], n, error));
    const struct ky_device_array index = ky_device_index(bodies);
    if (bodies->curve.is_followed)
        KY_TRY(widen_array(bodies, &index, n, error));
    return KY_OK;
}

/* ---- numbers ---- */

/* Numbers as words. */
static enum ky_status words_of(const uint64_t *number, size_t count, uint32_t **word,
                               struct ky_error *error)
{
    KY_TRY(ky_array(word, count, sizeof **word, "numbers of bodies", error));
    for (size_t k = 0; k < count; k++)
        (*word)[k] = (uint32_t)number[k];
    return KY_OK;
}

enum ky_status ky_places_put_numbers(struct ky_device_state *state, size_t count,
                                     const uint64_t *number, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_device_array index = ky_device_index(bodies);
    uint32_t *word;
    if (ky_device_shared(state)->system > UINT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies: ranks with devices take up to %lu: use --engine cpu",
                       ky_device_shared(state)->system, (unsigned long)UINT32_MAX);
    enum ky_status status = words_of(number, count, &word, error);
    if (!status)
        status = ky_buffer_need(bodies->card, index.buffer, "numbers of the bodies", index.bytes, 1,
                                error);
    if (!status && count > 0)
        status = bodies->card->driver->write(bodies->card, index.buffer, 0, word,
                                             count * sizeof *word, error);
    free(word);
    bodies->curve.is_followed = 1;
    return status;
}

enum ky_status ky_places_get_numbers(struct ky_device_state *state, uint64_t *number,
                                     struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    const size_t count = bodies->live;
    uint32_t *word = ky_allocate(count, sizeof *word);
    enum ky_status status =
        word ? KY_OK : ky_no_memory(error, "numbers of bodies", count, sizeof *word);
    if (!status && count > 0)
        status =
            card->driver->read(card, &bodies->curve.index, 0, word, count * sizeof *word, error);
    for (size_t k = 0; k < count && !status; k++)
        number[k] = word[k];
    free(word);
    return status;
}

/* ---- the cube and the keys ---- */

/* The smallest of the bounds that groups have found, or the largest. */
static double bound_of(const struct ky_card *card, const union ky_state_value *partial,
                       size_t groups, int upper)
{
    double bound = ky_from_state(card, partial[0]);
    for (size_t k = 1; k < groups; k++) {
        const double x = ky_from_state(card, partial[k]);
        bound = upper ? fmax(bound, x) : fmin(bound, x);
    }
    return bound;
}

enum ky_status ky_places_look(struct ky_device_state *state, struct ky_device_tree *tree,
                              const struct ky_part_look *look, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    const size_t head = 6 * (size_t)KY_BOUNDS_GROUPS, numbers = 3 * look->samples;
    uint32_t groups = 0;
    for (int c = 0; c < 3; c++) {
        look->low[c] = (double)INFINITY;
        look->high[c] = -(double)INFINITY;
    }
    for (size_t k = 0; k < numbers; k++)
        look->sample[k] = (double)NAN;
    if (bodies->live == 0)
        return KY_OK;
    struct ky_pinned *pinned = &state->ranks->pinned[KY_PIN_LOOK];
    KY_TRY(ky_device_tree_need_bodies(tree, bodies, error));
    KY_TRY(ky_ranks_pin(card, pinned, "a sample of bodies", (head + 2 * numbers) * KY_STATE_BYTES,
                        error));
    union ky_state_value *value = pinned->data, *none = value + head + numbers;
    for (size_t k = 0; k < numbers; k++)
        none[k] = ky_to_state(card, (double)NAN); /* a body of another rank */
    KY_TRY(card->driver->write_later(card, &tree->partial, head * KY_STATE_BYTES, none,
                                     numbers * KY_STATE_BYTES, error));
    KY_TRY(ky_device_tree_bounds(tree, bodies, look->system, look->samples, &groups, error));
    KY_TRY(card->driver->read_later(card, &tree->partial, 0, value,
                                    (head + numbers) * KY_STATE_BYTES, error));
    KY_TRY(card->driver->wait(card, error));
    for (int c = 0; c < 3; c++) {
        look->low[c] = bound_of(card, value + (size_t)c * groups, groups, 0);
        look->high[c] = bound_of(card, value + (size_t)(3 + c) * groups, groups, 1);
    }
    for (size_t k = 0; k < numbers; k++)
        look->sample[k] = ky_from_state(card, value[head + k]);
    return KY_OK;
}

enum ky_status ky_places_keys(struct ky_device_state *state, struct ky_device_tree *tree,
                              const struct ky_part_keys *keys, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_buffer *probe = &state->ranks->probe;
    const double length = state->units.length;
    const size_t bytes = keys->probes * sizeof *keys->probe;
    uint32_t n = (uint32_t)bodies->live, probes = (uint32_t)keys->probes;
    state->frame.edge = keys->edge * length;
    for (int c = 0; c < 3; c++) {
        state->frame.low[c] = keys->low[c] * length;
        state->frame.origin[c] = keys->origin[c] * length;
    }
    enum ky_status status = ky_device_settle(state, error); /* bodies leave after their last kick */
    if (n == 0)                                             /* no buffers for arriving bodies */
        bodies->curve.keyed.moves = 0;
    if (status || n == 0)
        return status;
    status = ky_device_tree_keys(tree, bodies, state->parameters, error);
    if (!status)
        status = ky_buffer_need(card, probe, "some keys", keys->probes, sizeof *keys->probe, error);
    if (!status && state->ranks->in_block) {
        *keys->work = state->ranks->work;
        status =
            ky_launch_over(card, KY_KERNEL_ky_curve_weigh, probes,
                           KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[0]),
                                        KY_BUFFER(state->ranks->weight), KY_BUFFER(*probe),
                                        KY_VALUE(n), KY_VALUE(probes), KY_VALUE(state->ranks->sum)),
                           error);
    } else if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_curve_probe, probes,
                                KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[0]), KY_BUFFER(*probe),
                                             KY_VALUE(n), KY_VALUE(probes)),
                                error);
    return !status && probes > 0 ? card->driver->read(card, probe, 0, keys->probe, bytes, error)
                                 : status;
}

enum ky_status ky_places_count(struct ky_device_state *state, struct ky_device_tree *tree,
                               const uint64_t *at, size_t ends, uint64_t *count,
                               struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_device_ranks *ranks = state->ranks;
    const size_t numbers = ends * (KY_KEY_LEVELS + 1);
    uint32_t n = (uint32_t)bodies->live, of = (uint32_t)ends,
             groups = (uint32_t)(4 * card->processors), *word;
    memset(count, 0, numbers * sizeof *count);
    if (n == 0 || ends == 0)
        return KY_OK;
    word = ky_allocate(numbers, sizeof *word);
    enum ky_status status =
        word ? ky_buffer_fill(card, &ranks->begin, "ends of ranges", at, ends, sizeof *at, error)
             : ky_no_memory(error, "counts of keys", numbers, sizeof *word);
    if (!status)
        status =
            ky_buffer_need(card, &ranks->count, "counts of keys", numbers, sizeof *word, error);
    if (!status)
        status = card->driver->zero(card, &ranks->count, error);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_curve_agree, groups,
                           KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[0]), KY_BUFFER(ranks->begin),
                                        KY_BUFFER(ranks->count), KY_VALUE(n), KY_VALUE(of),
                                        KY_VALUE(groups)),
                           error);
    if (!status)
        status = card->driver->read(card, &ranks->count, 0, word, numbers * sizeof *word, error);
    for (size_t e = 0; e < ends && !status; e++) {
        uint64_t more = 0;
        for (size_t l = KY_KEY_LEVELS; l > 0; l--)
            more += count[e * (KY_KEY_LEVELS + 1) + l] = word[e * (KY_KEY_LEVELS + 1) + l];
        count[e * (KY_KEY_LEVELS + 1)] = n - more;
    }
    free(word);
    return status;
}

/* Finds the bodies that leave, and writes as many as fit. found[r]: number of these that go to rank
 * r; after it the total number. */
static enum ky_status find_leavers(struct ky_device_state *state, struct ky_device_tree *tree,
                                   const struct ky_part_leavers *leavers, uint32_t room,
                                   uint32_t *found, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_card *card = bodies->card;
    struct ky_device_ranks *ranks = state->ranks;
    const size_t numbers = leavers->ranks + 1;
    uint32_t n = (uint32_t)bodies->live, of = (uint32_t)leavers->ranks,
             own = (uint32_t)leavers->own;
    KY_TRY(ky_ranks_need(card, &ranks->gone, "bodies that leave", 2 * (size_t)room * sizeof *found,
                         error));
    KY_TRY(ky_buffer_need(card, &ranks->count, "number of bodies that leave", numbers,
                          sizeof *found, error));
    KY_TRY(card->driver->zero(card, &ranks->count, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_curve_leave, n,
                          KY_ARGUMENTS(KY_BUFFER(tree->keys.buffer[0]), KY_BUFFER(ranks->begin),
                                       KY_BUFFER(ranks->gone), KY_BUFFER(ranks->count), KY_VALUE(n),
                                       KY_VALUE(of), KY_VALUE(own), KY_VALUE(room)),
                          error));
    return card->driver->read(card, &ranks->count, 0, found, numbers * sizeof *found, error);
}

enum ky_status ky_places_leavers(struct ky_device_state *state, struct ky_device_tree *tree,
                                 const struct ky_part_leavers *leavers, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const size_t size = leavers->ranks;
    /* Sending and receiving their rows takes memory: if more bodies leave, as when a run begins,
     * the rest waits for another round. Within block steps few leave. */
    const uint32_t most = (uint32_t)(state->ranks->in_block ? bodies->live : bodies->live / 8 + 64);
    uint32_t room = (uint32_t)(bodies->live / 32 + 1024), *found;
    room = room < most ? room : most;
    *leavers->left = 0;
    memset(leavers->leaving, 0, size * sizeof *leavers->leaving);
    if (bodies->live == 0)
        return KY_OK;
    found = ky_allocate(size + 1, sizeof *found);
    enum ky_status status =
        found ? ky_buffer_fill(bodies->card, &state->ranks->begin, "ends of ranges", leavers->begin,
                               size + 1, sizeof *leavers->begin, error)
              : ky_no_memory(error, "the ranks", size + 1, sizeof *found);
    if (!status)
        status = find_leavers(state, tree, leavers, room, found, error);
    if (!status && found[size] > room && room < most) {
        room = found[size] < most ? found[size] : most;
        status = find_leavers(state, tree, leavers, room, found, error);
    }
    if (!status && found[size] > room)
        *leavers->left = found[size] - room;
    for (size_t r = 0; r < size && !status; r++)
        leavers->leaving[r] = found[r];
    if (status)
        ky_device_tree_done(tree, bodies);
    free(found);
    return status;
}
