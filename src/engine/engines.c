/* The table of engines, opening by name, and the verbs. Where an engine lacks a verb, the error is
 * made here. */
#include "base/status.h"
#include "engine/choice.h"
#include "engine/common/active.h"
#include "engine/common/external.h"
#include "engine/common/finite.h"
#include "engine/common/force_kinds.h"
#include "engine/common/integer_sums.h"
#include "engine/common/integrator_columns.h"
#include "engine/led.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/drivers.h"
#include "base/forks.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "base/threads.h"

/* In the order of `auto` (choice.h): devices, the fastest first, and the CPU last. */
#define VERBS(name) &ky_##name##_engine,
static const struct ky_engine_verbs *const engines[] = {KY_DRIVERS_HERE(VERBS) VERBS(cpu)};

enum { ENGINES = sizeof engines / sizeof *engines };

int ky_engine_is_named(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return !strncmp(name, kind, length) && (name[length] == '\0' || name[length] == ':');
}

/* Engines that a build may lack, and the reason: listed with the devices. */
#define ABSENT(name, why) {#name, "not in this build: " why},
static const struct {
    const char *name, *reason;
} absent[] = {KY_DRIVERS_ABSENT(ABSENT){NULL, NULL}};

enum ky_status ky_engine_not_here(const char *name, struct ky_error *error)
{
    for (size_t k = 0; absent[k].name; k++)
        if (ky_engine_is_named(name, absent[k].name))
            return ky_fail(error, KY_UNSUPPORTED, "engine '%s' is %s", name, absent[k].reason);
    return ky_fail(error, KY_USAGE, "there is no engine '%s'; `kyoho devices` lists the engines",
                   name);
}

static enum ky_status find(const char *name, const struct ky_engine_verbs **verbs,
                           struct ky_error *error)
{
    for (int k = 0; k < ENGINES; k++)
        if (ky_engine_is_named(name, engines[k]->name)) {
            *verbs = engines[k];
            return KY_OK;
        }
    return ky_engine_not_here(name, error);
}

/* Indices of bodies have 31 bits. */
enum { MOST = INT32_MAX };

enum ky_status ky_engine_check_number(size_t n, struct ky_error *error)
{
    if (n <= MOST)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "%zu bodies: an engine takes up to %d: take fewer, or divide them among ranks "
                   "(--ranks)",
                   n, MOST);
}

/* 1 if the calling process cannot use devices, since it is a child of one that did. */
static int is_lost(const struct ky_engine_verbs *verbs)
{
    return verbs != &ky_cpu_engine && ky_forks_is_child();
}
/* The same for an open engine, which the CPU may lead (led.h). */
static int is_gone(const struct ky_engine *engine)
{
    return is_lost(engine->verbs) ||
           (ky_forks_is_child() && !ky_engine_is_named(engine->name, ky_cpu_engine.name));
}

static enum ky_status check_process(int is_in_vain, const char *name, struct ky_error *error)
{
    if (!is_in_vain)
        return KY_OK;
    return ky_fail(
        error, KY_FAULT,
        "engine %s cannot be used here: the process was forked from one that uses devices or "
        "ranks; use engine cpu without ranks, or start a new process (exec, spawn)",
        name);
}

/* Arrays in and out have as many bodies as the engine. */
static enum ky_status check_arrays(const struct ky_engine *engine, size_t n, struct ky_error *error)
{
    if (n == engine->n)
        return KY_OK;
    return ky_fail(error, KY_USAGE, "%zu bodies for an engine that has room for %zu", n, engine->n);
}

static enum ky_status open_by_name(const struct ky_parameters *parameters, size_t room,
                                   const struct ky_engine_use *use, struct ky_engine **engine,
                                   struct ky_error *error)
{
    const struct ky_engine_verbs *verbs = NULL;
    const char *name = parameters->engine;
    if (!strcmp(name, "auto") && ky_forks_is_child())
        name = ky_cpu_engine.name;
    if (!ky_engine_is_named(name, ky_cpu_engine.name))
        ky_forks_watch();
    if (!strcmp(name, "auto"))
        return ky_engine_open_best(engines, ENGINES, parameters, room, use, engine, error);
    KY_TRY(find(name, &verbs, error));
    KY_TRY(ky_engine_takes(verbs, parameters, error));
    KY_TRY(check_process(is_lost(verbs), verbs->name, error));
    if (!ky_engine_is_led(verbs, use))
        return verbs->open(parameters, room, use, engine, error);
    struct ky_engine_use led = *use;
    KY_TRY(ky_engine_open_led(verbs, parameters, &led.board, error));
    const enum ky_status status = ky_cpu_engine.open(parameters, room, &led, engine, error);
    if (status)
        ky_engine_close_led(led.board);
    return status;
}

enum ky_status ky_engine_check_alone(const struct ky_parameters *parameters, struct ky_error *error)
{
    return parameters->ranks > 1
               ? ky_fail(error, KY_UNSUPPORTED,
                         "only simulations (kyoho run) are shared by ranks: leave out --ranks here")
               : KY_OK;
}

enum ky_status ky_engine_open_for(const struct ky_parameters *parameters, size_t room,
                                  const struct ky_engine_use *use, struct ky_engine **engine,
                                  struct ky_error *error)
{
    enum ky_status status = ky_engine_check_number(room, error);
    *engine = NULL;
    if (!status)
        status = ky_engine_check_alone(parameters, error);
    if (!status && parameters->mutual && use->schemes)
        status = ky_fail(error, KY_USAGE,
                         "mutual interactions need a step that all bodies share: use --integrator "
                         "leapfrog with --mutual");
    const int in_box = parameters->box > 0;
    if (!status && in_box && use->schemes & ~KY_SCHEMES_IN_BLOCKS)
        status =
            ky_fail(error, KY_USAGE,
                    "only --integrator leapfrog and block know periodic boxes: use one of them "
                    "with --box");
    if (status)
        return status;
    status = open_by_name(parameters, room, use, engine, error);
    if (!status) {
        (*engine)->n = room;
        (*engine)->threads = ky_threads(parameters->threads);
        (*engine)->has_tree = ky_force_kind(parameters->force)->has_tree;
        (*engine)->in_box = in_box;
    }
    if (!status)
        status = ky_externals_of(parameters, &(*engine)->externals, error);
    if (!status)
        status = ky_engine_columns(*engine, 0, error);
    if (!status)
        ky_engine_set_time(*engine, parameters->time);
    if (status) {
        ky_engine_close(*engine);
        *engine = NULL;
    }
    return status;
}

enum ky_status ky_engine_open(const struct ky_parameters *parameters, size_t n,
                              struct ky_engine **engine, struct ky_error *error)
{
    return ky_engine_open_for(parameters, n, &(struct ky_engine_use){.n = n}, engine, error);
}

void ky_engine_close(struct ky_engine *engine)
{
    if (engine)
        ky_externals_release(&engine->externals);
    if (engine && !is_gone(engine))
        engine->verbs->close(engine);
}

void ky_engine_memory(const struct ky_engine *engine, unsigned columns, size_t n, size_t massless,
                      struct ky_memory *memory)
{
    const double bytes = (double)n * ky_columns_bytes(columns);
    engine->verbs->memory(engine, n, massless, memory);
    if (!(memory->most > 0)) /* engines that are not ranks */
        memory->most = MOST;
    if (memory->room > 0) {
        memory->device += bytes;
    } else {
        memory->host += bytes;
        memory->kept += bytes;
    }
}

static enum ky_status find_device(size_t index, struct ky_device *device)
{
    for (int k = 0; k < ENGINES; k++) {
        size_t count = 0;
        while (engines[k]->device(count, device) == KY_OK)
            if (count++ == index)
                return KY_OK;
        index -= count;
    }
    for (size_t k = 0; absent[k].name; k++)
        if (index-- == 0) {
            memset(device, 0, sizeof *device);
            snprintf(device->engine, sizeof device->engine, "%s", absent[k].name);
            snprintf(device->reason, sizeof device->reason, "%s", absent[k].reason);
            return KY_OK;
        }
    return KY_USAGE;
}

size_t ky_engine_devices(const char *kind)
{
    struct ky_device device = {0};
    size_t usable = 0;
    for (int k = 0; k < ENGINES; k++)
        for (size_t d = 0; !strcmp(engines[k]->name, kind) && !engines[k]->device(d, &device); d++)
            usable += device.usable && strchr(device.engine, ':');
    return usable;
}

enum ky_status ky_device_get(size_t index, struct ky_device *device)
{
    struct ky_device own = {0};
    KY_TRY(find_device(index, &own));
    ky_size_give(device, &own, sizeof own);
    return KY_OK;
}

/* Why a verb is not called. */
static enum ky_status missing(const struct ky_engine *engine, const char *what,
                              struct ky_error *error)
{
    KY_TRY(check_process(is_gone(engine), engine->name, error));
    return ky_fail(error, KY_UNSUPPORTED, "engine %s cannot %s%s", engine->verbs->name, what,
                   engine->verbs->advice ? engine->verbs->advice : "");
}

/* The status of a verb; KY_STOPPED if its loops may have skipped work. */
static enum ky_status heeded(const struct ky_engine *engine, enum ky_status status,
                             struct ky_error *error)
{
    return status ? status : ky_halt_check(engine->halt, error);
}

/* `what`: names the operation in the error if the engine has no such verb. */
#define CALL(verb, what, ...)                                                                      \
    (ky_halted(engine->halt) ? ky_halt_check(engine->halt, error)                                  \
     : engine->verbs->verb && !is_gone(engine)                                                     \
         ? heeded(engine, engine->verbs->verb(engine, __VA_ARGS__), error)                         \
         : missing(engine, what, error))

enum ky_status ky_engine_resize(struct ky_engine *engine, size_t n, struct ky_error *error)
{
    KY_TRY(ky_engine_check_number(n, error));
    enum ky_status status = CALL(resize, "change its number of bodies", n, error);
    engine->n = status ? 0 : n;
    return status;
}

static int is_power_of_two(double x)
{
    int exponent;
    return x > 0 && isfinite(x) && frexp(x, &exponent) == 0.5;
}

enum ky_status ky_engine_set_frame(struct ky_engine *engine, const struct ky_engine_frame *frame,
                                   struct ky_error *error)
{
    if (!engine->verbs->frame)
        return missing(engine, "be given a frame", error);
    if (frame && (!is_power_of_two(frame->length) || !is_power_of_two(frame->mass)))
        return ky_fail(error, KY_USAGE, "units of %g and %g: they must be powers of two",
                       frame->length, frame->mass);
    if (frame &&
        (!(frame->edge >= 0) || !isfinite(frame->edge) || ky_first_wrong(1, frame->low, 3) < 3))
        return ky_fail(error, KY_USAGE, "a cube of edge %g; it must be finite and not negative",
                       frame->edge);
    if (frame && ky_first_wrong(1, frame->origin, 3) < 3)
        return ky_fail(error, KY_USAGE, "an origin that is not finite");
    if (frame && frame->edge > 0 &&
        !(frame->edge >= frame->length && frame->edge <= 0x1p37 * frame->length))
        return ky_fail(error, KY_USAGE,
                       "a cube of edge %g with a unit of %g; it must have from 1 to 2^37 units",
                       frame->edge, frame->length);
    engine->verbs->frame(engine, frame);
    return KY_OK;
}

struct ky_engine_frame ky_engine_units_of(const struct ky_engine *engine)
{
    return engine->verbs->units ? engine->verbs->units(engine) : (struct ky_engine_frame){0};
}

enum ky_status ky_engine_set_fields(struct ky_engine *engine, const struct ky_external *fields,
                                    size_t count, struct ky_error *error)
{
    return ky_externals_replace(&engine->externals, fields, count, error);
}

void ky_engine_set_time(struct ky_engine *engine, double time)
{
    engine->externals.time = time;
}

enum ky_status ky_engine_put(struct ky_engine *engine, const struct ky_bodies *bodies,
                             struct ky_error *error)
{
    KY_TRY(check_arrays(engine, bodies->n, error));
    return CALL(put, "take bodies", bodies, error);
}

enum ky_status ky_engine_put_some(struct ky_engine *engine, const struct ky_some *some,
                                  struct ky_error *error)
{
    enum ky_status status =
        ky_some_check(some, engine->n, ky_engine_units_of(engine).length, error);
    if (status || some->count == 0)
        return status;
    return CALL(put_some, "take some bodies", some, error);
}

enum ky_status ky_engine_replace(struct ky_engine *engine, const uint32_t *gone, size_t count,
                                 const struct ky_bodies *arrivals, struct ky_error *error)
{
    KY_TRY(ky_engine_check_number(engine->n + arrivals->n - count, error));
    KY_TRY(CALL(replace, "exchange bodies with other ranks", gone, count, arrivals, error));
    engine->n = engine->n + arrivals->n - count;
    return KY_OK;
}

enum ky_status ky_engine_move(struct ky_engine *engine, const struct ky_part_move *move,
                              struct ky_error *error)
{
    const size_t n = engine->n + move->arrivals - move->count;
    KY_TRY(ky_engine_check_number(n, error));
    KY_TRY(engine->verbs->part->move(engine, move, error));
    engine->n = n;
    return KY_OK;
}

enum ky_status ky_engine_get(struct ky_engine *engine, struct ky_bodies *bodies,
                             struct ky_error *error)
{
    enum ky_status status = check_arrays(engine, bodies->n, error);
    if (!status)
        status = CALL(get, "give bodies", bodies, error);
    return status || engine->shared ? status : ky_finite_bodies(engine->threads, bodies, error);
}

enum ky_status ky_engine_get_some(struct ky_engine *engine, const uint32_t *body,
                                  struct ky_bodies *some, struct ky_error *error)
{
    for (size_t k = 0; k < some->n; k++)
        if (body[k] >= engine->n)
            return ky_fail(error, KY_USAGE, "body %u of %zu bodies", (unsigned)body[k], engine->n);
    if (some->n == 0)
        return KY_OK;
    enum ky_status status = CALL(get_some, "give some bodies", body, some, error);
    return status || engine->shared ? status : ky_finite_bodies(engine->threads, some, error);
}

enum ky_status ky_engine_put_arrays(struct ky_engine *engine, const struct ky_array_bodies *bodies,
                                    int *taken, struct ky_error *error)
{
    *taken = 0;
    KY_TRY(check_arrays(engine, bodies->n, error));
    return engine->verbs->put_arrays ? CALL(put_arrays, "take arrays", bodies, taken, error)
                                     : KY_OK;
}

enum ky_status ky_engine_get_arrays(struct ky_engine *engine, const struct ky_array_bodies *wanted,
                                    struct ky_error *error)
{
    KY_TRY(check_arrays(engine, wanted->n, error));
    return CALL(get_arrays, "fill arrays", wanted, error);
}

enum ky_status ky_engine_read_array(struct ky_engine *engine, const struct ky_numbers *from,
                                    size_t count, double *to, struct ky_error *error)
{
    return CALL(read_array, "read arrays in the memory of a device", from, count, to, error);
}

enum ky_status ky_engine_write_array(struct ky_engine *engine, const struct ky_numbers *to,
                                     size_t count, const double *from, struct ky_error *error)
{
    return CALL(write_array, "write arrays in the memory of a device", to, count, from, error);
}

enum ky_status ky_engine_take(struct ky_engine *engine, struct ky_error *error)
{
    return CALL(take, "take bodies of several ranks", error);
}

int ky_engine_writes(const struct ky_engine *engine)
{
    return engine->verbs->write != NULL;
}

enum ky_status ky_engine_write(struct ky_engine *engine, struct ky_write_plan *plan,
                               struct ky_error *error)
{
    return CALL(write, "write bodies to files", plan, error);
}

enum ky_status ky_engine_task(struct ky_engine *engine, const struct ky_tasks *tasks, size_t number,
                              void *told, struct ky_error *error)
{
    return CALL(task, "run collective tasks on bodies of several ranks", tasks, number, told,
                error);
}

enum ky_status ky_engine_columns(struct ky_engine *engine, unsigned set, struct ky_error *error)
{
    const unsigned own = engine->has_tree && engine->externals.count ? 1U << KY_COLUMN_PULL : 0;
    engine->columns = set | own;
    return CALL(columns, "keep columns of an integrator", engine->columns, error);
}

enum ky_status ky_engine_put_column(struct ky_engine *engine, enum ky_column column,
                                    const double *numbers, struct ky_error *error)
{
    return CALL(put_column, "take a column of an integrator", column, numbers, error);
}

enum ky_status ky_engine_get_column(struct ky_engine *engine, enum ky_column column,
                                    double *numbers, struct ky_error *error)
{
    return CALL(get_column, "give a column of an integrator", column, numbers, error);
}

enum ky_status ky_engine_forces(struct ky_engine *engine, struct ky_error *error)
{
    return CALL(forces, "compute forces", NULL, error);
}

enum ky_status ky_engine_forces_of(struct ky_engine *engine, const struct ky_active *active,
                                   struct ky_error *error)
{
    return CALL(forces, "compute forces", active, error);
}

enum ky_status ky_engine_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    for (size_t k = 0; k < count; k++)
        if (sinks[k] >= engine->n)
            return ky_fail(error, KY_USAGE, "exact sum for body %zu of %zu bodies", sinks[k],
                           engine->n);
    return CALL(exact, "compute exact sums", sinks, count, acceleration, potential, error);
}

enum ky_status ky_engine_field(struct ky_engine *engine, const struct ky_points *points,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    KY_TRY(ky_finite_points(engine->threads, points, error));
    KY_TRY(CALL(field, "compute forces at points that are not bodies", points, acceleration,
                potential, error));
    KY_TRY(ky_externals_add_at(&engine->externals, points, acceleration, potential, error));
    return ky_finite_field(engine->threads, points, (const double(*)[3])acceleration, potential,
                           error);
}

enum ky_status ky_engine_field_seconds(struct ky_engine *engine, struct ky_field_seconds *seconds,
                                       struct ky_error *error)
{
    return CALL(field_seconds, "measure the phases of a field", seconds, error);
}

enum ky_status ky_engine_tides(struct ky_engine *engine, const struct ky_points *points,
                               double (*tide)[6], struct ky_error *error)
{
    enum ky_status status = ky_finite_points(engine->threads, points, error);
    if (!status)
        status = CALL(tides, "compute tidal tensors at points", points, tide, error);
    for (size_t k = 0; k < points->count && !status && engine->externals.count; k++)
        ky_externals_add_tide(&engine->externals, points->position[k], tide[k]);
    return status ? status
                  : ky_finite_tides(engine->threads, points, (const double(*)[6])tide, error);
}

int ky_engine_advances(const struct ky_engine *engine, enum ky_scheme scheme)
{
    return engine->verbs->advance && (engine->verbs->schemes(engine) >> scheme & 1U);
}

enum ky_status ky_engine_advance(struct ky_engine *engine, struct ky_advance *advance,
                                 struct ky_error *error)
{
    if (is_gone(engine) || !ky_engine_advances(engine, advance->scheme))
        return missing(engine, "advance by itself in this scheme", error);
    if (!(engine->schemes >> advance->scheme & 1U))
        return ky_fail(error, KY_USAGE, "steps that engine %s was not opened for",
                       engine->verbs->name);
    ky_engine_set_time(engine, ky_advance_time(advance, advance->now));
    enum ky_status status = engine->verbs->advance(engine, advance, error);
    ky_engine_set_time(engine, ky_advance_time(advance, advance->now));
    return status;
}

enum ky_status ky_engine_kick(struct ky_engine *engine, double dt, struct ky_error *error)
{
    return CALL(kick, "change velocities", dt, error);
}

enum ky_status ky_engine_drift(struct ky_engine *engine, double dt, struct ky_error *error)
{
    return CALL(drift, "move bodies", dt, error);
}

enum ky_status ky_engine_raw_sums(struct ky_engine *engine, struct ky_raw_sums *sums,
                                  struct ky_error *error)
{
    return CALL(sums, "sum over bodies", sums, error);
}

enum ky_status ky_engine_sums(struct ky_engine *engine, struct ky_sums *sums,
                              struct ky_error *error)
{
    struct ky_raw_sums raw;
    KY_TRY(ky_engine_raw_sums(engine, &raw, error));
    ky_sums_finish(&raw, sums);
    return ky_finite_sums(sums, error);
}

struct ky_close_bodies ky_engine_grouped(const struct ky_engine *engine, int tides)
{
    struct ky_close_bodies grouped = {.tides = tides ? 0 : (double)NAN};
    if (engine->verbs->grouped)
        engine->verbs->grouped(engine, tides, &grouped);
    return grouped;
}

int ky_engine_leaders(const struct ky_engine *engine, uint32_t *leader)
{
    return engine->verbs->leaders ? engine->verbs->leaders(engine, leader) : 0;
}

struct ky_pairs *ky_engine_passages(const struct ky_engine *engine)
{
    return engine->verbs->passages ? engine->verbs->passages(engine) : NULL;
}

void ky_engine_trim(struct ky_engine *engine)
{
    if (engine->verbs->trim)
        engine->verbs->trim(engine);
}

enum ky_status ky_engine_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                              struct ky_error *error)
{
    KY_TRY(check_arrays(engine, request->n, error));
    KY_TRY(ky_walk_request_check(request, error));
    const struct ky_action *about = &ky_actions[request->action].about;
    if (engine->in_box && !about->needs_radius && !about->needs_k)
        return ky_fail(error, KY_UNSUPPORTED,
                       "action %s has no end, and general walks see only the nearest image of each "
                       "body: in a periodic box use the forces",
                       about->name);
    return CALL(walk, "walk with an action", request, error);
}

void ky_engine_report(struct ky_engine *engine, struct ky_force_report *report)
{
    memset(report, 0, sizeof *report);
    if (!is_gone(engine))
        engine->verbs->report(engine, report);
}
