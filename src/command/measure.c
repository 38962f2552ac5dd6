/* Prints force measurements for `kyoho force`, `bench` and `tune`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bodies.h"
#include "base/json.h"
#include "base/phases.h"
#include "command/force.h"

/* The parameters for ky_forces_check. */
static struct ky_check_parameters wanted_of(const struct force_request *request)
{
    struct ky_check_parameters wanted;
    ky_check_parameters_defaults(&wanted);
    wanted.repeat = request->repeat;
    wanted.samples = request->check;
    wanted.fill = request->keep;
    wanted.release = !request->keep;
    return wanted;
}

enum ky_status force_measure(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                             const struct force_request *request, struct force_result *result,
                             struct ky_error *error)
{
    struct ky_check_parameters wanted = wanted_of(request);
    *result = (struct force_result){.n = bodies->n, .sums.mass = (double)NAN};
    ky_parameters_defaults(&result->parameters);
    result->report.size = sizeof result->report;
    wanted.report = &result->report;
    wanted.resolved = &result->parameters;
    wanted.choice = &result->choice;
    wanted.sums = request->sums ? &result->sums : NULL;
    result->errors.size = sizeof result->errors;
    return ky_forces_check(parameters, bodies, &wanted, &result->errors, error);
}

enum ky_status force_foresee(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const struct force_request *request, struct ky_check_memory *memory,
                             struct ky_choice *choice, struct ky_error *error)
{
    const double program = 10e6; /* memory without bodies [bytes] */
    struct ky_check_parameters wanted = wanted_of(request);
    *choice = (struct ky_choice){.size = sizeof *choice};
    wanted.choice = choice;
    wanted.massless = ky_bodies_massless(bodies);
    *memory = (struct ky_check_memory){.size = sizeof *memory};
    enum ky_status status = ky_forces_memory(parameters, bodies->n, &wanted, memory, error);
    memory->host += program;
    return status;
}

enum ky_status force_measure_plummer(const struct ky_parameters *parameters, size_t n,
                                     const struct force_request *request,
                                     struct force_result *result, struct ky_error *error)
{
    struct ky_parameters own = *parameters;
    struct ky_model_parameters model;
    struct ky_snapshot snapshot;
    ky_model_parameters_defaults(&model);
    model.n = n;
    enum ky_status status = ky_model_make("plummer", &model, &snapshot, error);
    if (!status)
        status = ky_softening_choose(&own, &snapshot, NULL, error);
    if (!status)
        status = force_measure(&own, &snapshot.bodies, request, result, error);
    ky_snapshot_free(&snapshot);
    return status;
}

double force_particles_per_s(const struct force_result *result)
{
    return (double)result->n / result->report.total;
}

double force_interactions_per_s(const struct force_result *result)
{
    return (result->report.body_interactions + result->report.cell_interactions) /
           result->report.total;
}

/* Writes the requested error and the error of the sample as an object, or null. */
static void write_asked(struct ky_json *json, const struct ky_choice *choice)
{
    if (isnan(choice->asked)) {
        ky_json_null(json, "error_choice");
        return;
    }
    ky_json_object(json, "error_choice");
    ky_json_real(json, "asked", choice->asked);
    ky_json_real(json, "measured", choice->measured);
    ky_json_count(json, "samples", choice->samples);
    ky_json_end_object(json);
}

/* Writes the statistics as an object, or null without samples. */
static void write_errors(struct ky_json *json, const char *name,
                         const struct ky_error_statistics *errors)
{
    if (!errors->samples) {
        ky_json_null(json, name);
        return;
    }
    ky_json_object(json, name);
    ky_json_real(json, "median", errors->median);
    ky_json_real(json, "p90", errors->p90);
    ky_json_real(json, "p99", errors->p99);
    ky_json_real(json, "max", errors->max);
    ky_json_real(json, "mean", errors->mean);
    ky_json_real(json, "rms", errors->rms);
    ky_json_count(json, "samples", errors->samples);
    ky_json_end_object(json);
}

void force_choice(const struct ky_parameters *parameters, const char *name, char text[FORCE_CHOICE])
{
    *text = '\0';
    ky_options_text(KY_OPTIONS_PARAMETERS, parameters, name, text, FORCE_CHOICE, NULL);
}

void force_setting(const struct ky_parameters *parameters, char text[FORCE_SETTING])
{
    static const char *const names[] = {"force", "order", "opening", "alpha", "theta"};
    char value[FORCE_CHOICE];
    size_t used = 0;
    *text = '\0';
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        force_choice(parameters, names[k], value);
        const int idle = !strcmp(names[k], isnan(parameters->alpha) ? "alpha" : "theta");
        if (!idle && !ky_parameters_ignore(parameters, names[k]))
            used += (size_t)snprintf(text + used, FORCE_SETTING - used, "%s--%s %s",
                                     used ? " " : "", names[k], value);
    }
    if (parameters->mutual)
        snprintf(text + used, FORCE_SETTING - used, " --mutual");
}

/* Writes a choice of the parameters as a member. */
static void write_choice(struct ky_json *json, const struct ky_parameters *parameters,
                         const char *name)
{
    char text[FORCE_CHOICE];
    force_choice(parameters, name, text);
    ky_json_text(json, name, text);
}

void force_json(struct ky_json *json, const char *name, const struct force_result *result)
{
    const struct ky_force_report *report = &result->report;
    double n = result->n ? (double)result->n : 1;
    ky_json_object(json, name);
    ky_json_text(json, "engine", report->engine);
    ky_json_text(json, "device", report->device);
    write_choice(json, &result->parameters, "force");
    ky_json_text(json, "chosen", *result->choice.text ? result->choice.text : NULL);
    ky_json_count(json, "n", result->n);
    ky_json_real(json, "softening", result->parameters.softening);
    write_choice(json, &result->parameters, "softening-kind");
    ky_json_real(json, "theta", result->parameters.theta);
    ky_json_real(json, "alpha", result->parameters.alpha);
    ky_json_integer(json, "multipole", result->parameters.multipole);
    ky_json_integer(json, "order", result->parameters.order);
    write_choice(json, &result->parameters, "opening");
    write_choice(json, &result->parameters, "precision");
    ky_json_object(json, "seconds");
#define SECONDS(phase) ky_json_real(json, #phase, report->phase);
    KY_PHASES(SECONDS)
    ky_json_real(json, "upload", report->upload);
    ky_json_real(json, "download", report->download);
    ky_json_end_object(json);
    ky_json_object(json, "interactions");
    ky_json_real(json, "body", report->body_interactions / n);
    ky_json_real(json, "cell", report->cell_interactions / n);
    ky_json_end_object(json);
    ky_json_real(json, "particles_per_s", force_particles_per_s(result));
    ky_json_real(json, "interactions_per_s", force_interactions_per_s(result));
    write_asked(json, &result->choice);
    write_errors(json, "error", &result->errors.acceleration);
    write_errors(json, "error_potential", &result->errors.potential);
    write_errors(json, "error_with_fields", &result->errors.total);
    write_errors(json, "error_without_dominant", &result->errors.without_dominant);
    write_errors(json, "error_over_rms", &result->errors.over_rms);
    ky_json_real(json, "error_of_rms",
                 result->errors.acceleration.samples ? result->errors.of_rms : (double)NAN);
    ky_json_real(json, "error_of_peculiar",
                 result->errors.acceleration.samples ? result->errors.of_peculiar : (double)NAN);
    if (!isnan(result->sums.mass)) {
        ky_json_real(json, "kinetic", result->sums.kinetic);
        ky_json_real(json, "potential", result->sums.potential);
        ky_json_real(json, "energy", ky_total_energy(&result->sums));
        ky_json_real(json, "virial_ratio", ky_virial_ratio(&result->sums));
    }
    ky_json_end_object(json);
}
