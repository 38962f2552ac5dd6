/* The bodies that are sources of exact sums: massless.h. */
#include "engine/device/state/massless.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void forget_lists(struct ky_device_state *state)
{
    struct ky_device_massless *massless = &state->massless;
    ky_buffer_release(state->bodies.card, &massless->list);
    ky_buffer_release(state->bodies.card, &massless->labels);
    free(massless->body);
    free(massless->label);
    *massless = (struct ky_device_massless){.has_mass = massless->has_mass};
}

void ky_device_massless_release(struct ky_device_state *state)
{
    forget_lists(state);
    free(state->massless.has_mass);
    state->massless.has_mass = NULL;
}

/* Fills both lists from the marks. If no body has mass, the first is the source: a sum needs one.
 */
static enum ky_status sort(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_massless *massless = &state->massless;
    const size_t n = state->n;
    size_t sources = 0;
    forget_lists(state);
    for (size_t i = 0; i < n; i++)
        sources += massless->has_mass[i];
    if (sources == n)
        return KY_OK;
    massless->body = ky_allocate(n, sizeof *massless->body);
    massless->label = ky_allocate(n, sizeof *massless->label);
    if (!massless->body || !massless->label) {
        forget_lists(state);
        return ky_no_memory(error, "bodies with and without mass", n, sizeof *massless->body);
    }
    massless->sources = sources ? sources : 1;
    size_t next[2] = {massless->sources, 0}; /* [has mass] */
    for (size_t i = 0; i < n; i++) {
        const size_t label = next[massless->has_mass[i] || (sources == 0 && i == 0)]++;
        massless->label[i] = (uint32_t)label;
        massless->body[label] = (uint32_t)i;
    }
    return KY_OK;
}

static enum ky_status need_marks(struct ky_device_state *state, struct ky_error *error)
{
    unsigned char **marks = &state->massless.has_mass;
    if (!*marks && !(*marks = ky_allocate(state->n, 1)))
        return ky_no_memory(error, "bodies with and without mass", state->n, 1);
    return KY_OK;
}

enum ky_status ky_device_all_have_mass(struct ky_device_state *state, struct ky_error *error)
{
    KY_TRY(need_marks(state, error));
    memset(state->massless.has_mass, 1, state->n);
    forget_lists(state);
    return KY_OK;
}

enum ky_status ky_device_sort_masses(struct ky_device_state *state, const double *mass,
                                     struct ky_error *error)
{
    KY_TRY(need_marks(state, error));
    for (size_t i = 0; i < state->n; i++)
        state->massless.has_mass[i] = mass[i] > 0;
    return sort(state, error);
}

enum ky_status ky_device_sort_some(struct ky_device_state *state, const struct ky_some *some,
                                   struct ky_error *error)
{
    for (size_t k = 0; some->mass && k < some->count; k++)
        state->massless.has_mass[some->body[k]] = some->mass[k] > 0;
    return some->mass ? sort(state, error) : KY_OK;
}

enum ky_status ky_device_massless_need(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_massless *massless = &state->massless;
    struct ky_card *card = state->bodies.card;
    const char *what = "bodies with and without mass";
    const size_t word = sizeof(uint32_t);
    if (!ky_device_has_massless(state) || massless->is_sent)
        return KY_OK;
    KY_TRY(ky_buffer_fill(card, &massless->list, what, massless->body, state->n, word, error));
    KY_TRY(ky_buffer_fill(card, &massless->labels, what, massless->label, state->n, word, error));
    massless->is_sent = 1;
    return KY_OK;
}
