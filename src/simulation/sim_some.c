/* Some of the bodies of a simulation: found by their ids, sampled, read, and replaced. */
#include "simulation/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "base/order.h"
#include "engine/common/integrator_columns.h"
#include "integrate/friction.h"
#include "octree/sample.h"

/* ---- ids and samples ---- */

struct wanted {
    uint64_t id;
    size_t place; /* index in the caller's list */
};

/* Sorts by id. ky_order_ids compares the first member. */
static struct wanted *sort_ids(const uint64_t *id, size_t count)
{
    struct wanted *sorted = ky_allocate(count, sizeof *sorted);
    for (size_t k = 0; k < count && sorted; k++)
        sorted[k] = (struct wanted){id[k], k};
    if (sorted)
        qsort(sorted, count, sizeof *sorted, ky_order_ids);
    return sorted;
}

/* Writes body i, whose id is `id`, to the elements of the list that ask for it. */
static void give_place(const struct wanted *sorted, size_t count, uint64_t id, size_t i,
                       size_t *index)
{
    const struct wanted *found = bsearch(&id, sorted, count, sizeof *sorted, ky_order_ids);
    if (!found)
        return;
    while (found > sorted && found[-1].id == id)
        found--;
    for (; found < sorted + count && found->id == id; found++)
        index[found->place] = i;
}

enum ky_status ky_sim_find(const struct ky_sim *sim, const uint64_t *id, size_t count,
                           size_t *index, struct ky_error *error)
{
    KY_NEED(sim, error);
    if (!count)
        return KY_OK;
    KY_NEED(id, error);
    KY_NEED(index, error);
    struct wanted *sorted = sim->id ? sort_ids(id, count) : NULL;
    if (sim->id && !sorted)
        return ky_no_memory(error, "ids", count, sizeof *sorted);
    for (size_t k = 0; k < count; k++) /* without ids the index is the id */
        index[k] = !sim->id && id[k] < sim->n ? (size_t)id[k] : SIZE_MAX;
    for (size_t i = 0; i < sim->n && sim->id; i++)
        give_place(sorted, count, sim->id[i], i, index);
    free(sorted);
    for (size_t k = 0; k < count; k++)
        if (index[k] == SIZE_MAX)
            return ky_fail(error, KY_BAD_DATA, "no body has the id %" PRIu64, id[k]);
    return KY_OK;
}

enum ky_status ky_sim_sample(const struct ky_sim *sim, size_t most, uint64_t draw, size_t *index,
                             size_t *count, struct ky_error *error)
{
    KY_NEED(sim, error);
    KY_NEED(count, error);
    const size_t n = sim->n, all = most < n ? most : n;
    const struct ky_sample_order order = ky_sample_order(n ? n : 1);
    if (all)
        KY_NEED(index, error);
    /* Draws are consecutive in a permutation of all bodies, and start again at its end. */
    const size_t draws = all ? n / all : 1, first = (size_t)(draw % (draws ? draws : 1)) * all;
    for (size_t k = 0; k < all; k++)
        index[k] = ky_sampled(order, all, first + k);
    *count = all;
    return KY_OK;
}

/* ---- lists of bodies ---- */

/* The engine's list of the bodies index[0 … count), which the caller frees. KY_USAGE for a body
 * that does not exist, and with index NULL for any other number than none or all. */
static enum ky_status list_bodies(const struct ky_sim *sim, const size_t *index, size_t count,
                                  uint32_t **list, struct ky_error *error)
{
    enum ky_status status = index || !count ? KY_OK : ky_sim_check_length(sim, count, error);
    *list = NULL;
    for (size_t k = 0; k < count && index && !status; k++)
        if (index[k] >= sim->n)
            status = ky_fail(error, KY_USAGE, "index %zu; the simulation has %zu bodies", index[k],
                             sim->n);
    if (status)
        return status;
    KY_TRY(ky_array(list, count, sizeof **list, "indices of bodies", error));
    for (size_t k = 0; k < count; k++)
        (*list)[k] = (uint32_t)(index ? index[k] : k);
    return KY_OK;
}

/* ---- reading ---- */

static void read_labels(const struct ky_sim *sim, const uint32_t *body, struct ky_bodies *some)
{
    for (size_t k = 0; some->id && k < some->n; k++)
        some->id[k] = sim->id ? sim->id[body[k]] : body[k];
    for (size_t k = 0; some->type && k < some->n; k++)
        some->type[k] = sim->type ? sim->type[body[k]] : 4;
    for (size_t k = 0; some->radius && k < some->n; k++)
        some->radius[k] = sim->radius ? sim->radius[body[k]] : 0;
}

enum ky_status ky_sim_read(struct ky_sim *sim, const size_t *index, struct ky_bodies *some,
                           struct ky_error *error)
{
    KY_NEED(some, error);
    uint32_t *body = NULL;
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (!status)
        status = list_bodies(sim, index, some->n, &body, error);
    if (!status && (some->acceleration || some->potential))
        status = ky_sim_catch_up(sim, error);
    if (!status)
        read_labels(sim, body, some);
    if (!status)
        status = ky_engine_get_some(sim->engine, body, some, error);
    free(body);
    return status;
}

/* The engine's column of this name; KY_COLUMN_STEP for levels. */
static enum ky_status find_column(const struct ky_sim *sim, const char *name,
                                  enum ky_column *column, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = sim->integrator->verbs;
    int k = 0;
    while (k < KY_COLUMN_COUNT && strcmp(ky_columns[k].name, name) != 0)
        k++;
    if (!strcmp(name, "level"))
        k = KY_COLUMN_STEP;
    if (k == KY_COLUMN_COUNT || ky_columns[k].is_state)
        return ky_fail(error, KY_USAGE, "no column '%.80s': there are step, level and jerk", name);
    *column = (enum ky_column)k;
    return ky_column_is_in(verbs->columns, k)
               ? KY_OK
               : ky_fail(error, KY_UNSUPPORTED, "integrator %s keeps no %s of the bodies",
                         verbs->name, name);
}

/* log2(longest/step), −1 for a body without a step. */
static double level_of(double longest, double step)
{
    return step != 0 ? log2(longest / step) : -1;
}

enum ky_status ky_sim_column(struct ky_sim *sim, const char *name, const size_t *index,
                             size_t count, double *numbers, struct ky_error *error)
{
    KY_NEED(name, error);
    enum ky_column column = KY_COLUMN_STEP;
    uint32_t *body = NULL;
    double *all = NULL;
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (!status)
        status = find_column(sim, name, &column, error);
    if (!status)
        status = list_bodies(sim, index, count, &body, error);
    if (status || !count) {
        free(body);
        return status;
    }
    const size_t components = ky_columns[column].components;
    all = ky_allocate(sim->n, components * sizeof *all);
    if (!numbers || !all)
        status = numbers ? ky_no_memory(error, name, sim->n, components * sizeof *all)
                         : ky_fail(error, KY_USAGE, "ky_sim_column: numbers is NULL");
    if (!status)
        status = ky_engine_get_column(sim->engine, column, all, error);
    for (size_t k = 0; k < count * components && !status; k++) {
        const double number = all[body[k / components] * components + k % components];
        numbers[k] = strcmp(name, "level") != 0 ? number : level_of(sim->parameters.step, number);
    }
    free(all);
    free(body);
    return status;
}

/* ---- writing ---- */

struct row {
    uint32_t body;
    size_t from; /* row of the caller's arrays */
};

/* The rows of `some` in the order of their bodies, which the caller frees. KY_USAGE for a body that
 * is named twice. */
static enum ky_status sort_rows(const struct ky_sim *sim, const size_t *index, size_t count,
                                struct row **rows, struct ky_error *error)
{
    uint32_t *body;
    enum ky_status status = list_bodies(sim, index, count, &body, error);
    *rows = status ? NULL : ky_allocate(count, sizeof **rows);
    if (!status && !*rows)
        status = ky_no_memory(error, "rows of bodies", count, sizeof **rows);
    for (size_t k = 0; k < count && !status; k++)
        (*rows)[k] = (struct row){body[k], k};
    if (!status && index)
        qsort(*rows, count, sizeof **rows, ky_order_words);
    for (size_t k = 1; k < count && !status; k++)
        if ((*rows)[k].body == (*rows)[k - 1].body)
            status =
                ky_fail(error, KY_USAGE, "body %u is named twice: one of the two would be lost",
                        (unsigned)(*rows)[k].body);
    free(body);
    return status;
}

/* Copies the caller's arrays that can be replaced, with their rows in order. */
static enum ky_status order_rows(const struct row *rows, const struct ky_bodies *given,
                                 struct ky_bodies *own, struct ky_error *error)
{
    *own = (struct ky_bodies){.size = sizeof *own, .n = given->n};
    for (int k = 0; k < KY_ARRAYS; k++) {
        const struct ky_array *about = &ky_arrays[k];
        const char *from = ky_array_of(given, (enum ky_array_id)k);
        if (!from || (about->with & (KY_WITH_ID | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL)))
            continue;
        char *to;
        KY_TRY(ky_array(&to, own->n, about->bytes, about->plural, error));
        memcpy((char *)own + about->offset, &to, sizeof to);
        for (size_t i = 0; i < own->n; i++)
            memcpy(to + i * about->bytes, from + rows[i].from * about->bytes, about->bytes);
    }
    return KY_OK;
}

/* Inserts the new numbers into all bodies and puts these on the engine: if softenings change, if
 * masses change and there is friction, and if a body moves so far that other units are needed. */
static enum ky_status replace_in_all(struct ky_sim *sim, const uint32_t *body,
                                     const struct ky_bodies *some, struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    struct ky_parameters parameters = sim->parameters;
    enum ky_status status = ky_sim_take(sim, 0, ky_bodies_with(some), &bodies, error);
    for (int k = 0; k < KY_ARRAYS && !status; k++) {
        const size_t bytes = ky_arrays[k].bytes;
        const char *from = ky_array_of(some, (enum ky_array_id)k);
        char *to = ky_array_of(&bodies, (enum ky_array_id)k);
        for (size_t i = 0; i < some->n && from; i++)
            memcpy(to + body[i] * bytes, from + i * bytes, bytes);
    }
    if (status) {
        ky_bodies_free(&bodies);
        return status;
    }
    if (some->softening)
        parameters.softening = (double)NAN; /* from now on each body has its own */
    sim->has_new_parameters |= some->softening != NULL;
    return ky_sim_put_with(sim, &parameters, &bodies, error);
}

static enum ky_status replace_radii(struct ky_sim *sim, const uint32_t *body,
                                    const struct ky_bodies *some, struct ky_error *error)
{
    if (!some->radius)
        return KY_OK;
    if (!sim->radius && !(sim->radius = ky_allocate_zeroed(sim->n, sizeof *sim->radius)))
        return ky_no_memory(error, "radii", sim->n, sizeof *sim->radius);
    sim->with |= KY_WITH_RADIUS;
    for (size_t k = 0; k < some->n; k++)
        sim->radius[body[k]] = some->radius[k];
    return KY_OK;
}

static enum ky_status replace_types(struct ky_sim *sim, const uint32_t *body,
                                    const struct ky_bodies *some, struct ky_error *error)
{
    if (!some->type)
        return KY_OK;
    if (!sim->type && !(sim->type = ky_allocate(sim->n, 1)))
        return ky_no_memory(error, "types", sim->n, 1);
    if (!(sim->with & KY_WITH_TYPE))
        memset(sim->type, 4, sim->n);
    sim->with |= KY_WITH_TYPE;
    for (size_t k = 0; k < some->n; k++)
        sim->type[body[k]] = some->type[k];
    return KY_OK;
}

/* The arrays that the engine can replace directly. */
static enum ky_status replace_in_engine(struct ky_sim *sim, const uint32_t *body,
                                        const struct ky_bodies *some, struct ky_error *error)
{
    const struct ky_some numbers = {some->n, body, (const double(*)[3])some->position,
                                    (const double(*)[3])some->velocity, some->mass};
    enum ky_status status = ky_engine_put_some(sim->engine, &numbers, error);
    if (status == KY_BAD_DATA)
        return replace_in_all(sim, body, some, error);
    sim->has_failed |= status != KY_OK;
    if (!status)
        status = replace_types(sim, body, some, error);
    if (!status)
        status = replace_radii(sim, body, some, error);
    return status || !(some->position || some->mass) ? status : ky_sim_changed(sim, error);
}

/* Names the bodies in a message that counts the caller's rows. */
static enum ky_status name_rows(enum ky_status status, const size_t *index, struct ky_error *error)
{
    char text[sizeof error->text];
    if (status != KY_BAD_DATA || !index || !error)
        return status;
    memcpy(text, error->text, sizeof text);
    return ky_fail(error, status, "among those that are given, %.400s", text);
}

enum ky_status ky_sim_replace(struct ky_sim *sim, const size_t *index, const struct ky_bodies *some,
                              struct ky_error *error)
{
    KY_NEED(some, error);
    struct row *rows = NULL;
    struct ky_bodies ordered = {0};
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (!status)
        status =
            name_rows(ky_bodies_check_arrays(sim->parameters.threads, some, error), index, error);
    if (!status)
        status = sort_rows(sim, index, some->n, &rows, error);
    uint32_t *body = status ? NULL : ky_allocate(some->n, sizeof *body);
    if (!status && !body)
        status = ky_no_memory(error, "indices of bodies", some->n, sizeof *body);
    for (size_t k = 0; k < some->n && !status; k++)
        body[k] = rows[k].body;
    if (!status)
        status = order_rows(rows, some, &ordered, error);
    /* whether friction may act depends on all bodies */
    const int by_all =
        ordered.softening || (ordered.mass && !status && ky_friction_is_there(sim->engine));
    if (!status && ordered.n)
        status = by_all ? replace_in_all(sim, body, &ordered, error)
                        : replace_in_engine(sim, body, &ordered, error);
    ky_bodies_free(&ordered);
    free(body);
    free(rows);
    return status;
}

enum ky_status ky_sim_kick(struct ky_sim *sim, const size_t *index, size_t count,
                           const double (*change)[3], struct ky_error *error)
{
    enum ky_status status = ky_sim_check_alive(sim, error);
    if (status || !count)
        return status;
    KY_NEED(change, error);
    struct ky_bodies some = {.n = count, .velocity = ky_allocate(count, sizeof *some.velocity)};
    if (!some.velocity)
        return ky_no_memory(error, "velocities", count, sizeof *some.velocity);
    status = ky_sim_read(sim, index, &some, error);
    for (size_t k = 0; k < count && !status; k++)
        for (int c = 0; c < 3; c++)
            some.velocity[k][c] += change[k][c];
    if (!status)
        status = ky_sim_replace(sim, index, &some, error);
    free(some.velocity);
    return status;
}
