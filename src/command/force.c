/* kyoho force: one force evaluation, with the time of each phase and its errors. */
#include "command/force.h"

#include <math.h>

#include "base/quantity.h"
#include "command/command.h"

#define FIELD(name) offsetof(struct force_request, name)
static const struct ky_option own_options[] = {
    {"check", KY_OPTION_COUNT, FIELD(check), "0", KY_NO_RANGE, NULL, NULL,
     "number of bodies whose force is compared with an exact sum in double precision"},
    {"repeat", KY_OPTION_COUNT, FIELD(repeat), "1", 1, 1e6, NULL, NULL,
     "number of evaluations; the times are medians over them"},
    {"dry-run", KY_OPTION_FLAG, FIELD(dry), NULL, KY_NO_RANGE, NULL, NULL,
     "evaluate nothing; print the memory that it needs"},
};

/* Prints one line of statistics. */
static void show_errors(const char *name, const struct ky_error_statistics *errors)
{
    printf("%-22s median %.2e  90 %% %.2e  99 %% %.2e  max %.2e  (%zu samples)\n", name,
           errors->median, errors->p90, errors->p99, errors->max, errors->samples);
}

/* Prints the measurements, a line each. */
static void show(const struct force_result *result, const struct ky_units *units)
{
    char unit[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(units, KY_ENERGY_UNIT, (double)NAN, unit);
    const struct ky_force_report *report = &result->report;
    double n = result->n ? (double)result->n : 1;
    char setting[FORCE_SETTING];
    force_setting(&result->parameters, setting);
    printf("%s\n", *result->choice.text ? result->choice.text : setting);
    printf("engine %s: %s\n", report->engine, report->device);
    printf("seconds: keys %.4f  sort %.4f  build %.4f  moments %.4f  walk %.4f", report->keys,
           report->sort, report->build, report->moments, report->walk);
    if (report->cells + report->groups > 0)
        printf(" (cells %.4f  groups %.4f)", report->cells, report->groups);
    printf("  total %.4f\n", report->total);
    printf("interactions a body: %.1f with bodies, %.1f with cells\n",
           report->body_interactions / n, report->cell_interactions / n);
    printf("%.4g particles/s, %.4g interactions/s\n", force_particles_per_s(result),
           force_interactions_per_s(result));
    printf("energy: kinetic %.6g  potential %.6g  total %.6g%s%s; ", factor * result->sums.kinetic,
           factor * result->sums.potential, factor * ky_total_energy(&result->sums),
           *unit ? " " : "", unit);
    if (result->sums.external != 0)
        printf("%.6g of it in external fields; ", factor * result->sums.external);
    double ratio = ky_virial_ratio(&result->sums);
    if (isnan(ratio))
        printf("virial ratio undefined: there are no forces\n");
    else
        printf("virial ratio %.4g (1 in equilibrium)\n", ratio);
    if (result->errors.acceleration.samples) {
        show_errors("error of acceleration", &result->errors.acceleration);
        show_errors("error of potential", &result->errors.potential);
        if (result->errors.total.samples)
            show_errors("with external fields", &result->errors.total);
        if (result->errors.without_dominant.samples)
            show_errors("less the heaviest body", &result->errors.without_dominant);
        if (result->errors.over_rms.samples)
            show_errors("over the rms of all", &result->errors.over_rms);
        printf("rms error              %.2e of the rms acceleration", result->errors.of_rms);
        if (isnan(result->errors.of_peculiar))
            printf("\n");
        else
            printf(", %.2e of it without its linear part\n", result->errors.of_peculiar);
    }
}

/* For --dry-run: prints the choices and the memory that the evaluation would need. */
static enum ky_status show_plan(struct cli *cli, const struct ky_parameters *parameters,
                                const struct ky_bodies *bodies, const struct force_request *request)
{
    const size_t n = bodies->n;
    struct ky_check_memory memory;
    struct ky_choice choice;
    enum ky_status status =
        force_foresee(parameters, bodies, request, &memory, &choice, &cli->error);
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_count(&json, "n", n);
        ky_json_real(&json, "host_bytes", memory.host);
        ky_json_real(&json, "device_bytes", memory.device);
        ky_json_text(&json, "choice", choice.text[0] ? choice.text : NULL);
        ky_json_end_object(&json);
    } else if (!status) {
        if (choice.text[0])
            printf("%s\n", choice.text);
        printf("%zu %s, memory: %.3g GB on the host, %.3g GB on a device\n", n,
               ky_plural(n, "body", "bodies"), memory.host / 1e9, memory.device / 1e9);
    }
    return status;
}

/* Reads or makes the bodies, measures, writes the forces and prints the result. */
static enum ky_status work(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                           const struct force_request *request, const struct sink *sink)
{
    char origin[ORIGIN], remark[KY_REMARK];
    struct ky_snapshot snapshot;
    struct force_result result;
    enum ky_status status = sink->output ? sink_check(cli, sink)
                                         : cli_refuse(cli, "format compress overwrite", "-o FILE");
    if (!status && sink->output)
        status = refuse_own_input(cli, sink->output, source_file(cli, source));
    ky_snapshot_clear(&snapshot);
    if (!status)
        status =
            (request->dry ? source_plan : source_get)(cli, source, parameters, &snapshot, origin);
    if (!status && !snapshot.bodies.n)
        status = ky_fail(&cli->error, KY_BAD_DATA, "%s: holds no bodies", origin);
    if (status || request->dry) {
        if (!status)
            status = show_plan(cli, parameters, &snapshot.bodies, request);
        ky_snapshot_free(&snapshot);
        return status;
    }
    status = source_soften(cli, parameters, &snapshot, remark);
    parameters->time = snapshot.time;
    if (parameters->box > 0)
        snapshot.space.box = parameters->box;
    if (!status)
        status = force_measure(parameters, &snapshot.bodies, request, &result, &cli->error);
    if (!status && remark[0])
        cli_log(cli, KY_LOG_INFO, remark);
    if (!status && sink->output)
        status = sink_put(cli, sink, &snapshot);
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        force_json(&json, NULL, &result);
    } else if (!status && !cli->quiet && sink_remarks(sink) == stdout) {
        show(&result, &snapshot.units);
    }
    ky_snapshot_free(&snapshot);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct ky_parameters parameters;
    struct source source;
    struct force_request request = {0};
    struct sink sink;
    cli_add_table(cli, "force evaluation", own_options, &request);
    cli_add_force(cli, &parameters);
    source_add(cli, &source);
    sink_add(cli, &sink);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (status || describe || cli->help)
        return status;
    request.keep = sink.output != NULL;
    request.sums = 1;
    source.takes_box = 1;
    status = cli_choose_force(cli, &parameters);
    return status ? status : work(cli, &source, &parameters, &request, &sink);
}

const struct subcommand force_command = {
    "force",
    "FILE | --model NAME -n N [--check K] [--repeat R] [-o FILE]",
    "compute the forces once and print times, interactions, energies and errors",
    run,
    NULL,
    "check repeat output input model bodies force theta alpha softening engine threads overwrite",
    "kyoho force cluster.hdf5 --check 500\n"
    "kyoho force cluster.hdf5 --force direct --precision double -o exact.hdf5\n"};
