/* Several ranks as one engine: the verbs, which the caller on rank 0 calls. The tables for divided
 * and for replicated bodies are in one file, since they share most of their verbs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/forks.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "domain/orders.h"
#include "engine/common/active.h"
#include "engine/common/device_list.h"
#include "engine/common/external.h"
#include "engine/common/force_kinds.h"
#include "engine/common/integrator_columns.h"
#include "engine/common/units.h"
#include "octree/opening_kinds.h"

struct ranks {
    struct ky_engine base;
    const struct ky_parameters *parameters;
    struct ky_domain domain; /* of rank 0 */
    struct ky_engine_frame frame;
    struct ky_force_report report;
    int has_told;     /* 1: the ranks have been logged */
    unsigned columns; /* the set that an integrator has asked for */
};

static const struct ky_engine_verbs copied, divided;

static struct ky_domain *domain_of(struct ky_engine *engine)
{
    return &((struct ranks *)engine)->domain;
}

static enum ky_status give(struct ky_engine *engine, const struct ky_order *order,
                           const struct ky_order_data *data, struct ky_error *error)
{
    struct ranks *ranks = (struct ranks *)engine;
    struct ky_order with_fields = *order;
    with_fields.fields = engine->externals.set + 1; /* 0 means that none has been broadcast yet */
    with_fields.time = engine->externals.time;
    with_fields.eps = ranks->parameters->softening;
    with_fields.function = ky_has_field_function(ranks->parameters);
    struct ky_order_data with_text = *data;
    with_text.field = ranks->parameters->field;
    with_text.externals = &engine->externals;
    with_text.halt = engine->halt;
    struct ky_error outcome = {KY_OK, ""};
    with_text.outcome = &outcome;
    const enum ky_status status = ky_order_give(&ranks->domain, &with_fields, &with_text, error);
    return status || !outcome.status ? status : ky_fail(error, outcome.status, "%s", outcome.text);
}

/* ---- checks of what ranks support ---- */

static enum ky_status check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const int is_for_devices = ky_domain_is_for_devices(parameters->engine);
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    size_t devices;
    KY_TRY(ky_device_list_once(parameters->engine, &devices, error));
    const struct {
        int is_wrong;
        const char *why;
    } checks[] = {
        {strlen(parameters->engine) >= KY_ENGINE_NAME,
         "the name of the engine has more than 255 characters: name fewer devices"},
        {is_for_devices && force->tree == KY_TREE_BY_ENGINE && force->has_tree,
         "ranks with devices do not do walks of single bodies: use --force tree, or run without "
         "ranks"},
        {is_for_devices && parameters->tree == KY_TREE_OF_HOST && force->tree != KY_TREE_OF_HOST,
         "ranks with devices build their trees there: leave out --tree host, or run without ranks"},
        {parameters->mutual,
         "ranks do not compute mutual interactions: leave out --mutual, or run without ranks"},
        {ky_has_field_function(parameters) && parameters->integrator == KY_HERMITE4,
         "with hermite4, a field function of the caller cannot act on bodies that ranks share: use "
         "another integrator, or run without ranks"},
    };
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
        if (checks[k].is_wrong)
            return ky_fail(error, KY_UNSUPPORTED, "%s", checks[k].why);
    return KY_OK;
}

/* ---- the verbs ---- */

static void memory(const struct ky_engine *engine, size_t n, size_t massless,
                   struct ky_memory *memory)
{
    ky_domain_memory(&((const struct ranks *)engine)->domain, n, massless, memory);
}

static void close_ranks(struct ky_engine *engine)
{
    struct ky_domain *domain = domain_of(engine);
    const struct ky_order order = {.kind = KY_ORDER_close};
    struct ky_error ignored;
    if (domain->comm) {
        give(engine, &order, &(struct ky_order_data){0}, &ignored);
        if (domain->comm != ky_domain_world()) {
            const struct ky_order leave = {.kind = KY_ORDER_leave};
            give(engine, &leave, &(struct ky_order_data){0}, &ignored);
            ky_comm_close(domain->comm, &ignored);
        }
    }
    ky_domain_end(domain);
    free(engine);
}

static enum ky_status resize(struct ky_engine *engine, size_t n, struct ky_error *error)
{
    (void)engine;
    (void)n;
    (void)error;
    return KY_OK; /* the next `put` gives every rank its bodies */
}

static void set_frame(struct ky_engine *engine, const struct ky_engine_frame *frame)
{
    ((struct ranks *)engine)->frame = frame ? *frame : (struct ky_engine_frame){0};
}

static struct ky_engine_frame units_of(const struct ky_engine *engine)
{
    return ky_engine_units_of(((const struct ranks *)engine)->domain.engine);
}

static enum ky_status columns(struct ky_engine *engine, unsigned set, struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_columns, .with = set};
    ((struct ranks *)engine)->columns = set;
    return give(engine, &order, &(struct ky_order_data){0}, error);
}

/* Opens the engines of the ranks; closes the previous ones. */
static enum ky_status open_engines(struct ranks *ranks, int copies, struct ky_error *error)
{
    const struct ky_order close = {.kind = KY_ORDER_close}, open = {.kind = KY_ORDER_open,
                                                                    .copies = copies,
                                                                    .with = ranks->base.schemes};
    ranks->base.verbs = copies ? &copied : &divided;
    ranks->base.finds_crowds = !copies && ranks->domain.comm->is_process &&
                               !ky_domain_is_for_devices(ranks->parameters->engine);
    enum ky_status status = ranks->domain.engine
                                ? give(&ranks->base, &close, &(struct ky_order_data){0}, error)
                                : KY_OK;
    if (!status)
        status = give(&ranks->base, &open, &(struct ky_order_data){.parameters = ranks->parameters},
                      error);
    return status || !ranks->columns ? status : columns(&ranks->base, ranks->columns, error);
}

/* Divides the bodies where that is possible. */
static enum ky_status choose_kind(struct ranks *ranks, const struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    const char *why = ky_domain_why_copies_of(ranks->parameters, ranks->base.schemes, bodies);
    if (!ranks->has_told || ranks->domain.copies != (why != NULL))
        ky_domain_tell_kind(&ranks->domain, ranks->parameters, ranks->base.schemes, why);
    ranks->has_told = 1;
    return ranks->domain.copies == (why != NULL) ? KY_OK : open_engines(ranks, why != NULL, error);
}

/* Every rank finds the units from the same bodies. */
static enum ky_status put_copies(struct ky_engine *engine, const struct ky_bodies *bodies,
                                 struct ky_error *error)
{
    const struct ranks *ranks = (const struct ranks *)engine;
    const struct ky_order order = {.kind = KY_ORDER_put,
                                   .with = ky_domain_arrays_of(bodies),
                                   .n = bodies->n,
                                   .units = ranks->frame};
    struct ky_engine_units units; /* check the bodies before they travel */
    KY_TRY(ky_engine_units(bodies, ranks->parameters, &ranks->frame, &units, error));
    const struct ky_order_data data = {.parameters = ranks->parameters, .bodies = bodies};
    return give(engine, &order, &data, error);
}

static enum ky_status put(struct ky_engine *engine, const struct ky_bodies *bodies,
                          struct ky_error *error)
{
    struct ranks *ranks = (struct ranks *)engine;
    struct ky_engine_units units;
    KY_TRY(check(ranks->parameters, error)); /* they may have changed */
    KY_TRY(choose_kind(ranks, bodies, error));
    if (ranks->domain.copies)
        return put_copies(engine, bodies, error);
    KY_TRY(ky_engine_units(bodies, ranks->parameters, &ranks->frame, &units, error));
    const unsigned given = ky_domain_arrays_of(bodies);
    const struct ky_order order = {
        .kind = KY_ORDER_put,
        .with = ky_knows_acceleration(bodies) ? given : given & ~(unsigned)KY_WITH_ACCELERATION_ROW,
        .n = bodies->n,
        .units = {.length = units.length, .mass = units.mass}};
    /* parameters may have changed since the last time */
    const struct ky_order_data data = {.parameters = ranks->parameters, .bodies = bodies};
    return give(engine, &order, &data, error);
}

/* Bodies that can be divided. */
static enum ky_status take(struct ky_engine *engine, struct ky_error *error)
{
    struct ranks *ranks = (struct ranks *)engine;
    const struct ky_order order = {.kind = KY_ORDER_take, .n = engine->n, .units = ranks->frame};
    const struct ky_order_data data = {.parameters = ranks->parameters};
    const enum ky_status status = choose_kind(ranks, &(struct ky_bodies){0}, error);
    return status ? status : give(engine, &order, &data, error);
}

static enum ky_status task(struct ky_engine *engine, const struct ky_tasks *tasks, size_t number,
                           void *told, struct ky_error *error)
{
    const struct ky_order order = {
        .kind = KY_ORDER_task, .with = (unsigned)number, .n = engine->n, .tasks = tasks};
    return give(engine, &order, &(struct ky_order_data){.told = told}, error);
}

static enum ky_status get(struct ky_engine *engine, struct ky_bodies *bodies,
                          struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_get, .with = ky_domain_arrays_of(bodies)};
    if (!domain_of(engine)->copies)
        ky_rows_soften(bodies, ((struct ranks *)engine)->parameters->softening);
    return give(engine, &order, &(struct ky_order_data){.to = bodies}, error);
}

static enum ky_status write_all(struct ky_engine *engine, struct ky_write_plan *plan,
                                struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_write};
    return give(engine, &order, &(struct ky_order_data){.plan = plan}, error);
}

static enum ky_status get_some(struct ky_engine *engine, const uint32_t *body,
                               struct ky_bodies *some, struct ky_error *error)
{
    struct ky_order order = {
        .kind = KY_ORDER_get_some, .with = ky_domain_arrays_of(some), .n = some->n};
    struct ky_order_data data = {.to = some};
    ky_order_list(&order, &data, 0, body, some->n, sizeof *body);
    if (!domain_of(engine)->copies)
        ky_rows_soften(some, ((struct ranks *)engine)->parameters->softening);
    return give(engine, &order, &data, error);
}

/* Some bodies lose their mass: the bodies can no longer be divided, and every rank gets all of
 * them. */
static enum ky_status put_massless(struct ky_engine *engine, const struct ky_some *some,
                                   struct ky_error *error)
{
    struct ky_bodies all;
    enum ky_status status = ky_rows_allocate(&all, engine->n, KY_WITH_ALL_ROWS, error);
    if (!status)
        status = get(engine, &all, error);
    for (size_t k = 0; k < some->count && !status; k++) {
        const uint32_t i = some->body[k];
        all.mass[i] = some->mass[k];
        for (int c = 0; c < 3; c++) {
            all.position[i][c] = some->position ? some->position[k][c] : all.position[i][c];
            all.velocity[i][c] = some->velocity ? some->velocity[k][c] : all.velocity[i][c];
        }
    }
    if (!status)
        status = put(engine, &all, error);
    ky_rows_free(&all);
    return status;
}

static enum ky_status put_some(struct ky_engine *engine, const struct ky_some *some,
                               struct ky_error *error)
{
    const int may_part =
        !domain_of(engine)->copies && ky_domain_needs_mass(((struct ranks *)engine)->parameters);
    for (size_t k = 0; some->mass && k < some->count && may_part; k++)
        if (!(some->mass[k] > 0))
            return put_massless(engine, some, error);
    struct ky_order order = {.kind = KY_ORDER_put_some, .n = some->count};
    struct ky_order_data data = {.to = NULL};
    ky_order_list(&order, &data, 0, some->body, some->count, sizeof *some->body);
    ky_order_list(&order, &data, 1, some->position, some->count, sizeof *some->position);
    ky_order_list(&order, &data, 2, some->velocity, some->count, sizeof *some->velocity);
    ky_order_list(&order, &data, 3, some->mass, some->count, sizeof *some->mass);
    return give(engine, &order, &data, error);
}

static enum ky_status forces(struct ky_engine *engine, const struct ky_active *active,
                             struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_forces};
    const struct ky_order_data data = {.report = &((struct ranks *)engine)->report};
    return active ? ky_fail(error, KY_UNSUPPORTED, "ranks compute the forces of all bodies")
                  : give(engine, &order, &data, error);
}

static enum ky_status kick(struct ky_engine *engine, double dt, struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_kick, .dt = dt};
    return give(engine, &order, &(struct ky_order_data){0}, error);
}

static enum ky_status drift(struct ky_engine *engine, double dt, struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_drift, .dt = dt};
    return give(engine, &order, &(struct ky_order_data){0}, error);
}

static enum ky_status sums(struct ky_engine *engine, struct ky_raw_sums *sums,
                           struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_sums};
    return give(engine, &order, &(struct ky_order_data){.sums = sums}, error);
}

static void trim(struct ky_engine *engine)
{
    const struct ky_order order = {.kind = KY_ORDER_trim};
    give(engine, &order, &(struct ky_order_data){0}, NULL);
}

static void report(struct ky_engine *engine, struct ky_force_report *report)
{
    const struct ranks *ranks = (const struct ranks *)engine;
    *report = ranks->report;
    snprintf(report->device, sizeof report->device, "%d ranks, each %.128s",
             ranks->domain.comm->size, ranks->report.device);
}

static enum ky_status put_column(struct ky_engine *engine, enum ky_column column,
                                 const double *numbers, struct ky_error *error)
{
    const size_t bytes = (size_t)ky_columns_bytes(1U << column);
    struct ky_order order = {.kind = KY_ORDER_put_column, .n = (size_t)column};
    struct ky_order_data data = {.numbers = numbers};
    if (domain_of(engine)->copies)
        ky_order_list(&order, &data, 0, numbers, engine->n, bytes);
    return give(engine, &order, &data, error);
}

static enum ky_status advance(struct ky_engine *engine, struct ky_advance *way,
                              struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_advance, .way = *way};
    const struct ky_order_data data = {.way = way, .report = &((struct ranks *)engine)->report};
    return give(engine, &order, &data, error);
}

static unsigned schemes(const struct ky_engine *engine)
{
    const struct ky_engine *own = ((const struct ranks *)engine)->domain.engine;
    return own->verbs->schemes(own);
}

/* ---- calls that all ranks compute ---- */

static enum ky_status give_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                                 struct ky_order_data data, struct ky_error *error)
{
    struct ky_order order = {.kind = KY_ORDER_exact, .n = count};
    ky_order_list(&order, &data, 0, sinks, count, sizeof *sinks);
    return give(engine, &order, &data, error);
}

/* Gives an order for the points. */
static enum ky_status give_points(struct ky_engine *engine, struct ky_order order,
                                  const struct ky_points *points, struct ky_order_data data,
                                  struct ky_error *error)
{
    const size_t count = points->count;
    KY_TRY(ky_points_check(points, ((struct ranks *)engine)->parameters, error));
    order.n = count;
    order.softening = points->softening;
    ky_order_list(&order, &data, 0, points->position, count, sizeof *points->position);
    ky_order_list(&order, &data, 1, points->softenings, count, sizeof *points->softenings);
    ky_order_list(&order, &data, 2, points->body, count, sizeof *points->body);
    return give(engine, &order, &data, error);
}

static enum ky_status give_field(struct ky_engine *engine, const struct ky_points *points,
                                 double (*acceleration)[3], double *potential,
                                 struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_field};
    const struct ky_order_data data = {.acceleration = acceleration, .potential = potential};
    return give_points(engine, order, points, data, error);
}

static enum ky_status give_tides(struct ky_engine *engine, const struct ky_points *points,
                                 double (*tide)[6], struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_tides};
    const struct ky_order_data data = {.tide = tide};
    return give_points(engine, order, points, data, error);
}

/* ---- the verbs of ranks with replicated bodies ---- */

/* Calls a verb of only rank 0's engine, which has all bodies, while the other ranks wait for the
 * next order. The verb obeys the stop flag of the call. The caller adds the external fields. */
#define BY_FIRST(call, ...)                                                                        \
    struct ky_engine *own = domain_of(engine)->engine;                                             \
    own->halt = engine->halt, own->shared = NULL;                                                  \
    const enum ky_status status = own->verbs->call(own, __VA_ARGS__);                              \
    own->halt = NULL, own->shared = &domain_of(engine)->shared;                                    \
    return status

static enum ky_status get_column(struct ky_engine *engine, enum ky_column column, double *numbers,
                                 struct ky_error *error)
{
    BY_FIRST(get_column, column, numbers, error);
}

/* Devices divide sinks and points among the ranks. */
static int has_devices(struct ky_engine *engine)
{
    return domain_of(engine)->engine->verbs->part != NULL;
}

static enum ky_status exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    const struct ky_order_data data = {.acceleration = acceleration, .potential = potential};
    if (has_devices(engine))
        return give_exact(engine, sinks, count, data, error);
    BY_FIRST(exact, sinks, count, acceleration, potential, error);
}

static enum ky_status field(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error)
{
    if (has_devices(engine))
        return give_field(engine, points, acceleration, potential, error);
    BY_FIRST(field, points, acceleration, potential, error);
}

static enum ky_status tides(struct ky_engine *engine, const struct ky_points *points,
                            double (*tide)[6], struct ky_error *error)
{
    if (has_devices(engine))
        return give_tides(engine, points, tide, error);
    BY_FIRST(tides, points, tide, error);
}

static enum ky_status walk(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error)
{
    BY_FIRST(walk, request, error);
}

/* Every rank has all groups. */
static void grouped(const struct ky_engine *engine, int tides, struct ky_close_bodies *grouped)
{
    *grouped = ky_engine_grouped(((const struct ranks *)engine)->domain.engine, tides);
}

static int leaders(const struct ky_engine *engine, uint32_t *leader)
{
    return ky_engine_leaders(((const struct ranks *)engine)->domain.engine, leader);
}

static struct ky_pairs *passages(const struct ky_engine *engine)
{
    return ky_engine_passages(((const struct ranks *)engine)->domain.engine);
}

/* ---- the verbs of ranks with divided bodies ---- */

static enum ky_status get_column_of_parts(struct ky_engine *engine, enum ky_column column,
                                          double *numbers, struct ky_error *error)
{
    const struct ky_order order = {.kind = KY_ORDER_get_column, .n = (size_t)column};
    return give(engine, &order, &(struct ky_order_data){.to_numbers = numbers}, error);
}

/* Opens an engine of rank 0 with all bodies, calls its verb and closes it. */
#define BY_WHOLE(call, ...)                                                                        \
    struct ky_whole whole;                                                                         \
    enum ky_status status = ky_domain_open_whole(domain_of(engine), get, engine, &whole, error);   \
    if (!status)                                                                                   \
        status = whole.engine->verbs->call(whole.engine, __VA_ARGS__);                             \
    ky_engine_close(whole.engine);                                                                 \
    return status

static enum ky_status exact_of_parts(struct ky_engine *engine, const size_t *sinks, size_t count,
                                     double (*acceleration)[3], double *potential,
                                     struct ky_error *error)
{
    const struct ky_order_data data = {.acceleration = acceleration, .potential = potential};
    if (!has_devices(engine) && !engine->in_box)
        return give_exact(engine, sinks, count, data, error);
    BY_WHOLE(exact, sinks, count, acceleration, potential, error);
}

static enum ky_status walk_of_parts(struct ky_engine *engine, const struct ky_walk_request *request,
                                    struct ky_error *error)
{
    const struct ky_order order = {
        .kind = KY_ORDER_walk, .n = request->radii, .action = request->action, .k = request->k};
    const struct ky_order_data data = {.request = request,
                                       .report = &((struct ranks *)engine)->report};
    return give(engine, &order, &data, error);
}

/* On the CPU with fmm a point may stand for a body, which can be on any rank. With devices one
 * engine with all bodies is needed where the field is an exact sum. */
static int field_needs_whole(struct ky_engine *engine, const struct ky_points *points)
{
    const struct ky_engine *own = domain_of(engine)->engine;
    return own->verbs->part
               ? own->verbs->part->way_to_field(own, points) == KY_POINTS_NEED_ALL
               : points->body &&
                     ky_force_kind(((struct ranks *)engine)->parameters->force)->expands;
}

static int tides_need_whole(struct ky_engine *engine, const struct ky_points *points)
{
    const struct ky_engine *own = domain_of(engine)->engine;
    return own->verbs->part ? !own->verbs->part->gives_tides(own)
                            : field_needs_whole(engine, points);
}

static enum ky_status field_of_parts(struct ky_engine *engine, const struct ky_points *points,
                                     double (*acceleration)[3], double *potential,
                                     struct ky_error *error)
{
    if (!field_needs_whole(engine, points))
        return give_field(engine, points, acceleration, potential, error);
    BY_WHOLE(field, points, acceleration, potential, error);
}

static enum ky_status tides_of_parts(struct ky_engine *engine, const struct ky_points *points,
                                     double (*tide)[6], struct ky_error *error)
{
    if (!tides_need_whole(engine, points))
        return give_tides(engine, points, tide, error);
    BY_WHOLE(tides, points, tide, error);
}

/* Verbs of both kinds of ranks. */
#define COMMON                                                                                     \
    .name = "ranks", .memory = memory, .close = close_ranks, .resize = resize, .frame = set_frame, \
    .units = units_of, .put = put, .put_some = put_some, .get = get, .get_some = get_some,         \
    .columns = columns, .put_column = put_column, .advance = advance, .schemes = schemes,          \
    .forces = forces, .kick = kick, .drift = drift, .sums = sums, .trim = trim, .report = report

static const struct ky_engine_verbs copied = {
    COMMON,       .get_column = get_column, .exact = exact,     .field = field,      .tides = tides,
    .walk = walk, .grouped = grouped,       .leaders = leaders, .passages = passages};
static const struct ky_engine_verbs divided = {COMMON,
                                               .advice = ": leave out --ranks",
                                               .take = take,
                                               .task = task,
                                               .write = write_all,
                                               .get_column = get_column_of_parts,
                                               .exact = exact_of_parts,
                                               .field = field_of_parts,
                                               .tides = tides_of_parts,
                                               .walk = walk_of_parts};

/* ---- opening ---- */

enum ky_status ky_domain_open(const struct ky_parameters *parameters, size_t room,
                              const struct ky_engine_use *use, struct ky_engine **engine,
                              struct ky_error *error)
{
    *engine = NULL;
    enum ky_status status = check(parameters, error);
    if (!status && ky_forks_is_child())
        status =
            ky_fail(error, KY_FAULT,
                    "ranks cannot be used here: the process was forked from one that uses ranks or "
                    "devices; leave out --ranks, or start a new process (exec, spawn)");
    if (!status)
        status = ky_domain_check_number(room, error);
    if (status)
        return status;
    struct ranks *own;
    KY_TRY(ky_array_zeroed(&own, 1, sizeof *own, "ranks", error));
    own->parameters = parameters;
    own->base.schemes = use->schemes;
    own->base.verbs = &divided;
    ky_forks_watch();
    own->domain.comm = ky_domain_world();
    if (!own->domain.comm)
        status = ky_comm_open(parameters->ranks, ky_order_obey, NULL, &own->domain.comm, error);
    if (!status)
        status = open_engines(own, ky_domain_why_copies(parameters, use->schemes) != NULL, error);
    if (status) {
        close_ranks(&own->base);
        return status;
    }
    status = ky_externals_of(parameters, &own->base.externals, error);
    if (status) {
        ky_engine_close(&own->base);
        return status;
    }
    ky_engine_set_time(&own->base, parameters->time);
    own->base.n = room;
    own->base.threads = ky_threads(parameters->threads);
    own->base.has_tree = ky_force_kind(parameters->force)->has_tree;
    own->base.in_box = parameters->box > 0;
    own->base.bits = own->domain.odd ? 0 : own->domain.engine->bits;
    snprintf(own->base.name, sizeof own->base.name, "%s", own->domain.engine->name);
    ky_engine_report(own->domain.engine, &own->report);
    *engine = &own->base;
    return ky_engine_columns(&own->base, 0, error);
}
