/* The choice of the engine for `auto`: among the engines that support the task, the one with the
 * shorter time for a step. */
#include "engine/choice.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "engine/common/force_kinds.h"

/* An estimate. With Hermite steps a block of few bodies takes a GPU as long as its launches, some
 * 10 µs. Up to this many bodies a thread of the CPU needs no longer. */
enum { HERMITE_CROSSOVER = 500 };

static double crossover_of(const struct ky_parameters *parameters, const struct ky_engine_use *use)
{
    const double of_force = ky_force_kind(parameters->force)->crossover;
    if (use->schemes >> KY_SCHEME_GROUPS & 1U) /* led.h; from which number on was not measured */
        return (double)INFINITY;
    return use->schemes >> KY_SCHEME_HERMITE & 1U ? fmax(of_force, HERMITE_CROSSOVER) : of_force;
}

/* KY_UNSUPPORTED for an engine that does not support `use`. */
static enum ky_status check_use(const struct ky_engine *engine, const struct ky_engine_use *use,
                                struct ky_error *error)
{
    static const char *const schemes[] = {[KY_SCHEME_BLOCK] = "lead block steps",
                                          [KY_SCHEME_HERMITE] = "lead Hermite steps",
                                          [KY_SCHEME_FEW] = "keep the state of few bodies",
                                          [KY_SCHEME_GROUPS] = "advance groups of close bodies",
                                          [KY_SCHEME_COMOVING] =
                                              "lead block steps in a comoving box"};
    const struct ky_engine_verbs *verbs = engine->verbs;
    if (use->walk && !verbs->walk)
        return ky_fail(error, KY_UNSUPPORTED, "engine %s has no general walk", verbs->name);
    const unsigned has = verbs->advance ? verbs->schemes(engine) : 0;
    for (int scheme = 0; use->schemes >> scheme; scheme++)
        if (use->schemes & ~has & 1U << scheme)
            return ky_fail(error, KY_UNSUPPORTED, "engine %s cannot %s with this force",
                           verbs->name, schemes[scheme]);
    return KY_OK;
}

enum ky_status ky_engine_takes(const struct ky_engine_verbs *verbs,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    if (parameters->mutual && !verbs->mutual)
        return ky_fail(error, KY_UNSUPPORTED,
                       "engine %s has no mutual interactions: use --engine cpu with --mutual",
                       verbs->name);
    if (parameters->box > 0 && !verbs->boxes)
        return ky_fail(error, KY_UNSUPPORTED,
                       "engine %s has no periodic boxes: use --engine cpu with --box", verbs->name);
    if (!parameters->field_function || verbs->functions)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "engine %s cannot call a field function for one place: set field_places, or use "
                   "engine cpu",
                   verbs->name);
}

/* The engine that is wanted. */
struct wanted {
    const struct ky_parameters *parameters;
    size_t room;
    const struct ky_engine_use *use;
};

/* *there becomes 1 if the device or CPU exists, even if it fails or does not support the use. */
static enum ky_status open_one(const struct ky_engine_verbs *verbs, const struct wanted *wanted,
                               struct ky_engine **engine, int *there, struct ky_error *error)
{
    const struct ky_parameters *parameters = wanted->parameters;
    enum ky_status status = ky_engine_takes(verbs, parameters, error);
    if (!status)
        status = verbs->open(parameters, wanted->room, wanted->use, engine, error);
    *there = !status || status == KY_DEVICE;
    if (!status)
        status = check_use(*engine, wanted->use, error);
    if (status && *engine) {
        verbs->close(*engine);
        *engine = NULL;
    }
    if (status)
        ky_log(parameters, KY_LOG_DETAIL, "not engine %s: %s", verbs->name, error->text);
    return status;
}

/* Logs which engine it is; and why, if there is a GPU to choose. `but` says why the faster one is
 * not taken, or is empty. `kyoho devices` says why there is no GPU. */
static void tell(const struct ky_parameters *parameters, const struct ky_engine_use *use,
                 struct ky_engine *engine, int gpu, const char *but)
{
    struct ky_force_report report = {0};
    char why[64] = "";
    engine->verbs->report(engine, &report);
    if (gpu)
        snprintf(why, sizeof why, ": a GPU is faster from about %.0f bodies on",
                 crossover_of(parameters, use));
    ky_log(parameters, KY_LOG_INFO, "engine %s (%s) for %zu %s%s%s%s", engine->name, report.device,
           use->n, ky_plural(use->n, "body", "bodies"), why, *but ? "; but " : "", but);
}

enum ky_status ky_engine_open_best(const struct ky_engine_verbs *const *engines, size_t count,
                                   const struct ky_parameters *parameters, size_t room,
                                   const struct ky_engine_use *use, struct ky_engine **engine,
                                   struct ky_error *error)
{
    const struct wanted wanted = {parameters, room, use};
    const size_t cpu = count - 1;
    const double crossover = crossover_of(parameters, use);
    const int device_first = (double)use->n >= crossover;
    int gpu = 0, there = 0;
    enum ky_status status = KY_UNSUPPORTED, of_cpu = KY_UNSUPPORTED;
    struct ky_error why = {.text = ""}, first = {.text = ""}, cpus = {.text = ""};
    *engine = NULL;
    for (size_t k = 0; k < count && status; k++) {
        const size_t place = device_first ? k : (k + cpu) % count;
        status = open_one(engines[place], &wanted, engine, &there, &why);
        gpu |= there && place != cpu;
        if (status && place == cpu) {
            of_cpu = status;
            cpus = why;
        }
        if (status && there && !*first.text)
            first = why;
    }
    if (status)
        return ky_fail(error, of_cpu, "%s", cpus.text);
    tell(parameters, use, *engine, gpu, first.text);
    if (parameters->isa != KY_ISA_AUTO && (*engine)->verbs != engines[cpu])
        ky_log(parameters, KY_LOG_WARNING,
               "--isa has no effect on engine %s: it is for --engine cpu", (*engine)->name);
    return KY_OK;
}
