/* The verbs of the device engines, one implementation for all drivers; and the table of methods.
 * docs/architecture.md describes the rooms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/drivers.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/board.h"
#include "engine/common/active.h"
#include "engine/common/force_kinds.h"
#include "engine/common/relative.h"
#include "engine/common/trees.h"
#include "engine/device/device_engine.h"
#include "engine/device/forces/direct_sum.h"
#include "engine/device/forces/exact.h"
#include "engine/device/forces/general.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/ranks/places.h"
#include "engine/device/state/body_sums.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/external.h"
#include "engine/device/state/integrator_columns.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/motion.h"
#include "engine/device/state/outer.h"
#include "octree/opening_kinds.h"

#define METHOD(name, NAME) [KY_##NAME] = &ky_##name##_method,
#define METHOD_OF(p, name, NAME, on_cpu, on_devices, ...) on_devices(METHOD, name, NAME)
static const struct ky_method *const methods[KY_FORCE_AUTO] = {KY_FORCES(METHOD_OF, )};

/* ---- open and close ---- */

/* Releases everything whose size follows from the number of bodies. */
static void release(struct ky_device_engine *engine)
{
    struct ky_device_state *state = &engine->state;
    struct ky_card *card = state->opened.card;
    if (!card)
        return;
    card->driver->wait(card, NULL);
    if (engine->method->release)
        engine->method->release(state, engine->own);
    ky_links_release(&engine->links);
    ky_points_release(state);
    ky_device_blocks_release(&engine->blocks, card);
    ky_device_hermite_release(state);
    ky_device_massless_release(state);
    ky_device_ranks_release(state);
    ky_device_far_release(state);
    ky_device_bodies_release(&state->bodies);
}

static void close_engine(struct ky_engine *base)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    if (!engine)
        return;
    release(engine);
    if (engine->state.opened.card)
        engine->state.opened.driver->close(engine->state.opened.card);
    free(engine->own);
    free(engine);
}

static enum ky_status check(const struct ky_device_engine *engine, struct ky_error *error)
{
    const struct ky_device_state *state = &engine->state;
    const struct ky_card *card = state->opened.card;
    if (state->parameters->precision == KY_DOUBLE && !card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double: use --precision extended",
                       card->name);
    if (state->parameters->precision == KY_MIXED && !card->has_tiles)
        return ky_fail(
            error, KY_UNSUPPORTED,
            "%s: --precision mixed needs matrix units, which Kyoho uses through CUDA from "
            "compute capability 8.0 on: give --precision single or extended",
            card->name);
    const int hermite = ky_device_leads(state, KY_SCHEME_HERMITE);
    if (hermite && !card->has_double)
        return ky_fail(error, KY_UNSUPPORTED, "%s has no double, which Hermite steps need",
                       card->name);
    if (hermite && state->parameters->field_places)
        return ky_fail(error, KY_UNSUPPORTED,
                       "Hermite steps on devices run without the host, which a field function "
                       "needs: use engine cpu, or --integrator leapfrog or block");
    return ky_links_check(state->parameters, error);
}

static enum ky_status resize(struct ky_engine *base, size_t n, struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    release(engine);
    const int is_part = ky_device_shared(&engine->state) != NULL;
    enum ky_status status =
        ky_device_bodies_resize(&engine->state, is_part ? ky_places_room(n) : n, error);
    engine->state.bodies.live = n;
    return status ? status : ky_device_columns_clear(&engine->state, 0, error);
}

static enum ky_status start(struct ky_device_engine *engine, size_t n, struct ky_error *error)
{
    struct ky_device_state *state = &engine->state;
    struct ky_force_report *report = &state->report;
    KY_TRY(ky_device_state_open(state, error));
    KY_TRY(check(engine, error));
    KY_TRY(resize(&engine->base, n, error));
    snprintf(engine->base.name, sizeof engine->base.name, "%s:%zu", engine->base.verbs->name,
             state->opened.index);
    snprintf(report->engine, sizeof report->engine, "%s", engine->base.verbs->name);
    snprintf(report->device, sizeof report->device, "1 × %.140s", state->opened.card->name);
    return KY_OK;
}

static enum ky_status open_engine(const struct ky_engine_verbs *verbs,
                                  const struct ky_driver *driver,
                                  const struct ky_parameters *parameters, size_t room,
                                  const struct ky_engine_use *use, struct ky_engine **base,
                                  struct ky_error *error)
{
    *base = NULL;
    const int force = parameters->force;
    const struct ky_method *method = force >= 0 && force < KY_FORCE_AUTO ? methods[force] : NULL;
    if (!method)
        return ky_force_lacks(verbs->name, force, error);
    struct ky_device_engine *engine = ky_allocate_zeroed(1, sizeof *engine);
    void *own = ky_allocate_zeroed(1, method->own);
    if (!engine || !own) {
        free(engine);
        free(own);
        return ky_no_memory(error, "device engine", 1, sizeof *engine + method->own);
    }
    engine->base.verbs = verbs;
    engine->base.schemes = engine->state.schemes = use->schemes;
    engine->method = method;
    engine->own = own;
    engine->state.parameters = parameters;
    engine->state.hermite = &engine->hermite;
    engine->state.ranks = &engine->ranks;
    engine->state.far = &engine->far;
    engine->state.shared = &engine->base.shared;
    engine->state.externals = &engine->base.externals;
    engine->state.opened.driver = ky_device_wrap ? ky_device_wrap(driver) : driver;
    engine->state.threads = ky_threads(parameters->threads);
    engine->state.units = (struct ky_engine_units){1, 1};
    engine->links.bodies = engine->links.host.bodies = &engine->state.bodies;
    enum ky_status status = start(engine, room, error);
    if (status)
        close_engine(&engine->base);
    else
        *base = &engine->base;
    return status;
}

static void memory(const struct ky_engine *base, size_t n, size_t massless,
                   struct ky_memory *memory)
{
    const struct ky_device_engine *engine = (const struct ky_device_engine *)base;
    const struct ky_parameters *parameters = engine->state.parameters;
    const double lists = ky_device_massless_memory(n, massless);
    *memory = (struct ky_memory){.host = lists,
                                 .kept = lists,
                                 .device = ky_device_bodies_memory(parameters, n) + lists +
                                           ky_copies_memory(&engine->state, n),
                                 .room = engine->state.opened.card->memory};
    if (ky_device_shared(&engine->state))
        memory->device +=
            ky_device_ranks_memory(parameters, n, ky_device_shared(&engine->state)->ranks);
    if (parameters->box > 0)
        memory->device += ky_device_far_memory(n);
    if (ky_device_leads(&engine->state, KY_SCHEME_BLOCK))
        memory->device += ky_device_blocks_memory(n);
    if (ky_device_leads(&engine->state, KY_SCHEME_HERMITE))
        memory->device += ky_device_hermite_memory(&engine->state, n);
    engine->method->memory(parameters, n, memory);
}

/* ---- bodies ---- */

static void set_frame(struct ky_engine *base, const struct ky_engine_frame *frame)
{
    ky_device_engine_of(base)->state.frame = frame ? *frame : (struct ky_engine_frame){0};
}

static struct ky_engine_frame units_of(const struct ky_engine *base)
{
    const struct ky_engine_units *units = &((const struct ky_device_engine *)base)->state.units;
    return (struct ky_engine_frame){.length = units->length, .mass = units->mass};
}

static enum ky_status put(struct ky_engine *base, const struct ky_bodies *given,
                          struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    enum ky_status status = ky_device_bodies_expect(&engine->state, given, error);
    if (!status)
        status = ky_copies_check(&engine->state, error);
    if (!status)
        status = ky_device_bodies_put(&engine->state, given, error);
    if (!status && !ky_device_shared(&engine->state)) /* parts make no exact sums */
        status = ky_device_sort_masses(&engine->state, given->mass, error);
    if (!status)
        status = ky_device_hermite_keep(&engine->state, given, error);
    return status ? status : ky_device_columns_clear(&engine->state, 0, error);
}

static enum ky_status put_arrays(struct ky_engine *base, const struct ky_array_bodies *given,
                                 int *taken, struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(ky_device_outer_put(state, given, taken, error));
    return *taken ? ky_device_columns_clear(state, 0, error) : KY_OK;
}

static enum ky_status columns(struct ky_engine *base, unsigned set, struct ky_error *error)
{
    return ky_device_columns_choose(&ky_device_engine_of(base)->state, set, error);
}

/* Puts the bodies back into the caller's order. The bodies of a rank have no such order and stay
 * where they are. */
static enum ky_status callers_order(struct ky_device_state *state, struct ky_error *error)
{
    return ky_device_shared(state) ? KY_OK : ky_device_curve_leave(&state->bodies, error);
}

static enum ky_status put_column(struct ky_engine *base, enum ky_column column,
                                 const double *numbers, struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(callers_order(state, error));
    return ky_device_columns_put(state, column, numbers, error);
}

static enum ky_status get_column(struct ky_engine *base, enum ky_column column, double *numbers,
                                 struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(callers_order(state, error));
    return ky_device_columns_get(state, column, numbers, error);
}

/* The same, after pending kicks. */
static enum ky_status settle_in_callers_order(struct ky_device_state *state, struct ky_error *error)
{
    KY_TRY(ky_device_settle(state, error));
    return callers_order(state, error);
}

static enum ky_status put_some(struct ky_engine *base, const struct ky_some *some,
                               struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    enum ky_status status = settle_in_callers_order(state, error);
    if (!status)
        status = ky_device_bodies_put_some(state, some, error);
    if (!status && !ky_device_shared(state))
        status = ky_device_sort_some(state, some, error);
    state->has_pull &= !some->position && !some->mass;
    return status ? status : ky_device_columns_clear(state, 1U << KY_COLUMN_PULL, error);
}

static enum ky_status get(struct ky_engine *base, struct ky_bodies *wanted, struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(settle_in_callers_order(state, error));
    KY_TRY(ky_device_bodies_get(state, wanted, error));
    return ky_device_hermite_get(state, NULL, wanted, error);
}

static enum ky_status get_arrays(struct ky_engine *base, const struct ky_array_bodies *wanted,
                                 struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(settle_in_callers_order(state, error));
    return ky_device_outer_get(state, wanted, error);
}

static enum ky_status read_array(struct ky_engine *base, const struct ky_numbers *from,
                                 size_t count, double *to, struct ky_error *error)
{
    return ky_device_outer_read(&ky_device_engine_of(base)->state, from, count, to, error);
}

static enum ky_status write_array(struct ky_engine *base, const struct ky_numbers *to, size_t count,
                                  const double *from, struct ky_error *error)
{
    return ky_device_outer_write(&ky_device_engine_of(base)->state, to, count, from, error);
}

static enum ky_status get_some(struct ky_engine *base, const uint32_t *body, struct ky_bodies *some,
                               struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(settle_in_callers_order(state, error));
    KY_TRY(ky_device_bodies_get_some(state, body, some, error));
    return ky_device_hermite_get(state, body, some, error);
}

static enum ky_status kick(struct ky_engine *base, double dt, struct ky_error *error)
{
    return ky_device_kick(&ky_device_engine_of(base)->state, dt, error);
}

static enum ky_status drift(struct ky_engine *base, double dt, struct ky_error *error)
{
    return ky_device_drift(&ky_device_engine_of(base)->state, dt, error);
}

static enum ky_status sums(struct ky_engine *base, struct ky_raw_sums *sums, struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(settle_in_callers_order(state, error));
    KY_TRY(ky_device_hermite_send(state, error));
    return ky_device_sums(state, sums, error);
}

/* ---- forces and walks ---- */

/* Adds the device's times and counts of the last pass. */
static enum ky_status add_report(struct ky_device_engine *engine, struct ky_force_report *report,
                                 struct ky_error *error)
{
    struct ky_device_state *state = &engine->state;
    report->walk += ky_marked_seconds(&state->opened);
    if (engine->of_forces && engine->method->report)
        KY_TRY(engine->method->report(state, &engine->links, engine->own, report, error));
    return ky_pair_counts_add(&engine->links.counts, &state->bodies, report, error);
}

/* The relative opening test without last accelerations makes two passes. Marks and counts are for
 * one pass, the report for both: the counts of the first pass are added before the second
 * begins. */
static enum ky_status evaluate(struct ky_device_engine *engine, struct ky_evaluation *evaluation,
                               int lacks_pull, struct ky_error *error)
{
    struct ky_device_state *state = &engine->state;
    const struct ky_method *method = engine->method;
    enum ky_status status = KY_OK;
    if (ky_force_kind(state->parameters->force)->has_tree && lacks_pull &&
        ky_opening_kind(state->parameters->opening)->by_alpha) {
        const struct ky_parameters first = ky_without_relative(state->parameters);
        status = method->evaluate(state, &engine->links, engine->own, evaluation, &first, error);
        if (!status)
            status = add_report(engine, &state->report, error);
        engine->links.counts.of.groups = 0;
        state->has_fields = 0;
    }
    return status ? status
                  : method->evaluate(state, &engine->links, engine->own, evaluation,
                                     state->parameters, error);
}

/* Accelerations are known if any rank has some for its bodies. Their parts without external fields
 * are known if all ranks have them. */
static enum ky_status agree(struct ky_device_state *state, int *lacks_pull, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const int are_here = state->bodies.live > 0;
    uint64_t of_all[] = {state->has_acceleration && are_here,
                         ky_device_lacks_pull(state) && are_here};
    const enum ky_status status = shared->add(shared->context, of_all, 2, error);
    state->has_acceleration = of_all[0] > 0;
    *lacks_pull = of_all[1] > 0;
    return status;
}

static enum ky_status forces(struct ky_engine *base, const struct ky_active *active,
                             struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    struct ky_device_state *state = &engine->state;
    struct ky_force_report *report = &state->report;
    struct ky_evaluation evaluation = {.active = active};
    enum ky_status status = ky_active_check(active, state->n, state->has_acceleration, error);
    if (!status)
        status = ky_device_settle(state, error);
    ky_links_begin(&engine->links);
    if (ky_force_kind(state->parameters->force)->has_tree &&
        ky_links_of_host(state->parameters)) /* the positions are copied to the host for it */
        report->upload = report->download = 0;
    engine->of_forces = 1;
    int lacks_pull = ky_device_lacks_pull(state);
    if (!status && ky_device_shared(state))
        status = agree(state, &lacks_pull, error);
    if (!status && state->n > 0)
        status = evaluate(engine, &evaluation, lacks_pull, error);
    if (!status && state->n > 0 && !active)
        status = ky_device_balance(state, error);
    if (!status && active && state->externals->count > 0)
        status = ky_device_curve_leave(&state->bodies, error);
    if (!status)
        status = ky_device_externals_add(&state->bodies, &evaluation, error);
    if (!status)
        status = ky_device_hermite_forget(state, error);
    state->has_acceleration |= !status;
    return status;
}

static enum ky_status advance(struct ky_engine *base, struct ky_advance *way,
                              struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    engine->of_forces = 1;
    if (way->scheme == KY_SCHEME_HERMITE)
        return ky_device_hermite_advance(&engine->state, way, error);
    const struct ky_shared *shared = ky_device_shared(&engine->state);
    int lacks_pull = 0;
    if (shared && shared->system > 0)
        KY_TRY(agree(&engine->state, &lacks_pull, error));
    return ky_device_blocks_advance(&engine->blocks, &engine->state, engine->method, &engine->links,
                                    engine->own, way, error);
}

static unsigned schemes(const struct ky_engine *base)
{
    const struct ky_device_engine *engine = (const struct ky_device_engine *)base;
    return (engine->method->in_blocks ? KY_SCHEMES_IN_BLOCKS : 0U) |
           (ky_device_has_hermite(&engine->state) ? 1U << KY_SCHEME_HERMITE : 0U);
}

static enum ky_status exact(struct ky_engine *base, const size_t *sinks, size_t count,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    KY_TRY(settle_in_callers_order(state, error));
    return ky_device_exact(state, sinks, count, acceleration, potential, error);
}

static size_t system_of(const struct ky_device_state *state)
{
    const struct ky_shared *shared = ky_device_shared(state);
    return shared ? shared->system : state->n;
}

/* Preparation for fields and tidal tensors. */
static enum ky_status begin_points(struct ky_engine *base, const struct ky_points *points,
                                   struct ky_error *error)
{
    struct ky_device_state *state = &ky_device_engine_of(base)->state;
    if (points->count > INT32_MAX - state->n)
        return ky_fail(error, KY_UNSUPPORTED, "%zu points: engine %s takes up to %zu at a time",
                       points->count, base->verbs->name, INT32_MAX - state->n);
    KY_TRY(ky_points_check(points, state->parameters, error));
    return ky_device_settle(state, error);
}

static enum ky_status field(struct ky_engine *base, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    struct ky_device_state *state = &engine->state;
    KY_TRY(begin_points(base, points, error));
    if (points->count > 0 && system_of(state) > 0)
        return engine->method->field(state, &engine->links, engine->own, points, acceleration,
                                     potential, error);
    for (size_t k = 0; k < points->count; k++) {
        for (int c = 0; acceleration && c < 3; c++)
            acceleration[k][c] = 0;
        if (potential)
            potential[k] = 0;
    }
    return KY_OK;
}

static enum ky_status tides(struct ky_engine *base, const struct ky_points *points,
                            double (*tide)[6], struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    const enum ky_status status = begin_points(base, points, error);
    if (status || points->count == 0)
        return status;
    if (system_of(&engine->state) > 0)
        return ky_device_tides(&engine->state, &engine->links, points, tide, error);
    memset(tide, 0, points->count * sizeof *tide);
    return KY_OK;
}

static enum ky_status field_seconds(struct ky_engine *base, struct ky_field_seconds *seconds,
                                    struct ky_error *error)
{
    return ky_points_seconds(&ky_device_engine_of(base)->state, seconds, error);
}

static void trim(struct ky_engine *base)
{
    ky_points_release(&ky_device_engine_of(base)->state);
}

static enum ky_status walk(struct ky_engine *base, const struct ky_walk_request *request,
                           struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    engine->of_forces = 0;
    return ky_device_general(&engine->links, request, error);
}

/* Reads the device's times and counts here, since `forces` does not wait for the device. */
static void report(struct ky_engine *base, struct ky_force_report *report)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    struct ky_device_state *state = &engine->state;
    *report = state->report;
    state->opened.reported = 1;
    if (state->n > 0)
        (void)add_report(engine, report, NULL); /* without counts they are 0 */
    if (!ky_copies_count(state)) /* only the first rank counts the pairs of all ranks */
        report->body_interactions = report->cell_interactions = 0;
    report->total = report->keys + report->sort + report->build + report->moments + report->walk;
}

#define ENGINE(kind)                                                                               \
    static enum ky_status kind##_open(const struct ky_parameters *parameters, size_t room,         \
                                      const struct ky_engine_use *use, struct ky_engine **engine,  \
                                      struct ky_error *error)                                      \
    {                                                                                              \
        return open_engine(&ky_##kind##_engine, &ky_##kind##_driver, parameters, room, use,        \
                           engine, error);                                                         \
    }                                                                                              \
    static enum ky_status kind##_device(size_t index, struct ky_device *device)                    \
    {                                                                                              \
        return ky_##kind##_driver.list(index, device);                                             \
    }                                                                                              \
    const struct ky_engine_verbs ky_##kind##_engine = {                                            \
        .name = #kind,                                                                             \
        .boxes = 1,                                                                                \
        .board = &ky_##kind##_board,                                                               \
        .device = kind##_device,                                                                   \
        .memory = memory,                                                                          \
        .open = kind##_open,                                                                       \
        .close = close_engine,                                                                     \
        .resize = resize,                                                                          \
        .frame = set_frame,                                                                        \
        .units = units_of,                                                                         \
        .put = put,                                                                                \
        .put_some = put_some,                                                                      \
        .get = get,                                                                                \
        .get_some = get_some,                                                                      \
        .put_arrays = put_arrays,                                                                  \
        .get_arrays = get_arrays,                                                                  \
        .read_array = read_array,                                                                  \
        .write_array = write_array,                                                                \
        .columns = columns,                                                                        \
        .put_column = put_column,                                                                  \
        .get_column = get_column,                                                                  \
        .forces = forces,                                                                          \
        .part = &ky_device_part_verbs,                                                             \
        .field = field,                                                                            \
        .field_seconds = field_seconds,                                                            \
        .tides = tides,                                                                            \
        .exact = exact,                                                                            \
        .advance = advance,                                                                        \
        .schemes = schemes,                                                                        \
        .kick = kick,                                                                              \
        .drift = drift,                                                                            \
        .sums = sums,                                                                              \
        .trim = trim,                                                                              \
        .walk = walk,                                                                              \
        .report = report,                                                                          \
    };

KY_DRIVERS_HERE(ENGINE)
