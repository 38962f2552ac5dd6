/* The bodies that are sources of exact sums: massless.h. */
#include "engine/device/state/massless.h"

#include <stdlib.h>

#include "base/memory.h"

void ky_device_division_release(struct ky_device_state *state)
{
    struct ky_device_division *division = &state->division;
    ky_buffer_release(state->bodies.card, &division->list);
    ky_buffer_release(state->bodies.card, &division->places);
    free(division->body);
    free(division->place);
    *division = (struct ky_device_division){0};
}

/* Fills both lists. */
static void fill(struct ky_device_division *division, const unsigned char *acts, size_t n)
{
    size_t next[2] = {division->sources, 0}; /* [acts] */
    for (size_t i = 0; i < n; i++) {
        const size_t place = next[acts[i]]++;
        division->place[i] = (uint32_t)place;
        division->body[place] = (uint32_t)i;
    }
}

/* acts[i] is 1 for bodies with mass. */
static enum ky_status divide(struct ky_device_state *state, unsigned char *acts,
                             struct ky_error *error)
{
    struct ky_device_division *division = &state->division;
    const size_t n = state->n;
    size_t sources = 0;
    ky_device_division_release(state);
    for (size_t i = 0; i < n; i++)
        sources += acts[i];
    if (sources == n)
        return KY_OK;
    division->is_massless = sources == 0;
    if (sources == 0)
        sources = acts[0] = 1; /* a sum needs a source */
    division->sources = sources;
    division->body = ky_allocate(n, sizeof *division->body);
    division->place = ky_allocate(n, sizeof *division->place);
    if (division->body && division->place) {
        fill(division, acts, n);
        return KY_OK;
    }
    ky_device_division_release(state);
    return ky_no_memory(error, "bodies with and without mass", n, sizeof *division->body);
}

static enum ky_status make_marks(size_t n, unsigned char **acts, struct ky_error *error)
{
    *acts = ky_allocate(n, 1);
    return *acts ? KY_OK : ky_no_memory(error, "bodies with and without mass", n, 1);
}

enum ky_status ky_device_divide(struct ky_device_state *state, const double *mass,
                                struct ky_error *error)
{
    unsigned char *acts;
    enum ky_status status = make_marks(state->n, &acts, error);
    if (status)
        return status;
    for (size_t i = 0; i < state->n; i++)
        acts[i] = mass[i] > 0;
    status = divide(state, acts, error);
    free(acts);
    return status;
}

enum ky_status ky_device_divide_some(struct ky_device_state *state, const struct ky_some *some,
                                     struct ky_error *error)
{
    unsigned char *acts;
    if (!some->mass)
        return KY_OK;
    enum ky_status status = make_marks(state->n, &acts, error);
    if (status)
        return status;
    for (size_t i = 0; i < state->n; i++)
        acts[i] = ky_device_division_place(state, (uint32_t)i) < ky_device_source_count(state);
    if (ky_device_is_divided(state) && state->division.is_massless)
        acts[state->division.body[0]] = 0;
    for (size_t k = 0; k < some->count; k++)
        acts[some->body[k]] = some->mass[k] > 0;
    status = divide(state, acts, error);
    free(acts);
    return status;
}

enum ky_status ky_device_division_need(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_division *division = &state->division;
    struct ky_card *card = state->bodies.card;
    const size_t word = sizeof(uint32_t);
    if (!ky_device_is_divided(state) || division->is_sent)
        return KY_OK;
    enum ky_status status = ky_buffer_fill(card, &division->list, "bodies with and without mass",
                                           division->body, state->n, word, error);
    if (!status)
        status = ky_buffer_fill(card, &division->places, "places of bodies with and without mass",
                                division->place, state->n, word, error);
    division->is_sent = !status;
    return status;
}
