/* The table of engines, opening by name, and the verbs with their answer where an engine has not
 * one. */
#include "engine/engine.h"

#include <string.h>

/* In the order in which `auto` tries them: the fastest first. */
static const struct ky_engine_verbs *const engines[] = {
    &ky_cpu_engine,
};

enum { ENGINES = sizeof engines / sizeof *engines };

/* Whether `name` ("cuda:0,1") speaks of the engine `kind` ("cuda"). */
static int names(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return !strncmp(name, kind, length) && (name[length] == '\0' || name[length] == ':');
}

static enum ky_status find(const char *name, const struct ky_engine_verbs **verbs,
                           struct ky_error *error)
{
    for (int k = 0; k < ENGINES; k++)
        if (!strcmp(name, "auto") || names(name, engines[k]->name)) {
            *verbs = engines[k];
            return KY_OK;
        }
    return ky_fail(error, names(name, "cuda") || names(name, "opencl") ? KY_UNSUPPORTED : KY_USAGE,
                   "engine '%s' is not in this build; `kyoho devices` lists what is", name);
}

enum ky_status ky_engine_open(const struct ky_parameters *parameters, size_t n,
                              struct ky_engine **engine, struct ky_error *error)
{
    const struct ky_engine_verbs *verbs = NULL;
    enum ky_status status = find(parameters->engine, &verbs, error);
    *engine = NULL;
    if (status)
        return status;
    status = verbs->open(parameters, n, engine, error);
    if (!status && !strcmp(parameters->engine, "auto"))
        ky_log(parameters, KY_LOG_DETAIL, "engine %s: the fastest in this build", verbs->name);
    return status;
}

void ky_engine_close(struct ky_engine *engine)
{
    if (engine)
        engine->verbs->close(engine);
}

enum ky_status ky_engine_memory(const struct ky_parameters *parameters, size_t n,
                                struct ky_memory *memory, struct ky_error *error)
{
    const struct ky_engine_verbs *verbs = NULL;
    enum ky_status status = find(parameters->engine, &verbs, error);
    if (!status)
        verbs->memory(parameters, n, memory);
    return status;
}

enum ky_status ky_device_get(size_t index, struct ky_device *device)
{
    for (int k = 0; k < ENGINES; k++) {
        size_t count = 0;
        while (engines[k]->device(count, device) == KY_OK)
            if (count++ == index)
                return KY_OK;
        index -= count;
    }
    return KY_USAGE;
}

static enum ky_status missing(const struct ky_engine *engine, const char *verb,
                              struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED, "engine %s cannot %s", engine->verbs->name, verb);
}

#define CALL(verb, ...)                                                                            \
    (engine->verbs->verb ? engine->verbs->verb(engine, __VA_ARGS__) : missing(engine, #verb, error))

enum ky_status ky_engine_put(struct ky_engine *engine, const struct ky_bodies *bodies,
                             struct ky_error *error)
{
    return CALL(put, bodies, error);
}

enum ky_status ky_engine_get(struct ky_engine *engine, struct ky_bodies *bodies,
                             struct ky_error *error)
{
    return CALL(get, bodies, error);
}

enum ky_status ky_engine_forces(struct ky_engine *engine, struct ky_error *error)
{
    return CALL(forces, error);
}

enum ky_status ky_engine_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    return CALL(exact, sinks, count, acceleration, potential, error);
}

enum ky_status ky_engine_kick(struct ky_engine *engine, double dt, struct ky_error *error)
{
    return CALL(kick, dt, error);
}

enum ky_status ky_engine_drift(struct ky_engine *engine, double dt, struct ky_error *error)
{
    return CALL(drift, dt, error);
}

enum ky_status ky_engine_sums(struct ky_engine *engine, struct ky_sums *sums,
                              struct ky_error *error)
{
    return CALL(sums, sums, error);
}

void ky_engine_trim(struct ky_engine *engine)
{
    if (engine->verbs->trim)
        engine->verbs->trim(engine);
}

enum ky_status ky_engine_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                              struct ky_error *error)
{
    enum ky_status status = ky_walk_request_check(request, error);
    return status ? status : CALL(walk, request, error);
}

void ky_engine_report(struct ky_engine *engine, struct ky_force_report *report)
{
    memset(report, 0, sizeof *report);
    engine->verbs->report(engine, report);
}
