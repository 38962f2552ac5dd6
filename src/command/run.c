/* kyoho run: runs a simulation in a folder, from a file or a model, or continues a run that
 * stopped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "command/files.h"
#include "command/info.h"
#include "command/signals.h"

/* ---- the progress line ---- */

struct progress_line {
    int terminal; /* 1: rewrite one line; 0: print a line now and then */
    double last;  /* ky_clock when the last line was printed */
    double began;
    int shown;
    struct ky_units units; /* units of the printed times */
};

/* "  left 90 s", "  left 12 min" or "  left 3.5 h"; "" at the end, and if unknown. */
static void words_of_left(double seconds, char *text, size_t size)
{
    if (!(seconds > 0))
        text[0] = '\0';
    else if (seconds < 100)
        snprintf(text, size, "  left %.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "  left %.0f min", seconds / 60);
    else
        snprintf(text, size, "  left %.1f h", seconds / 3600);
}

/* 1 if the times of the run are scale factors, which have no unit. */
static int has_scale_factors(const struct ky_parameters *parameters,
                             const struct ky_snapshot *snapshot)
{
    const struct ky_space *space = &snapshot->space;
    return (space->comoving && space->converted == KY_TO_COMOVING) ||
           (parameters->box > 0 && parameters->expansion);
}

/* The progress function of struct ky_run_parameters: rewrites a line on a terminal, otherwise
 * prints a line now and then. */
static void show_progress(void *context, const struct ky_progress *progress)
{
    struct progress_line *line = context;
    double now = ky_clock();
    /* five times a second on a terminal; in a log after 2 s, then at intervals that grow to a
     * minute */
    double wait = line->terminal ? 0.2 : fmin(60.0, fmax(2.0, 0.2 * (now - line->began)));
    int last = progress->steps == progress->steps_at_end;
    if (now - line->last < wait && !(last && line->shown))
        return;
    line->last = now;
    line->shown = 1;
    char left[32], energy[64] = "-", unit[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(&line->units, KY_TIME_UNIT, progress->end, unit);
    words_of_left(progress->seconds_left, left, sizeof left);
    if (!isnan(progress->energy_change)) {
        int length = snprintf(energy, sizeof energy, "%+.1e", progress->energy_change);
        if (progress->energy_is_off)
            length += snprintf(energy + length, sizeof energy - (size_t)length, " (beyond 1e-3)");
        if (progress->energy_time < progress->time)
            snprintf(energy + length, sizeof energy - (size_t)length, " at %.6g",
                     factor * progress->energy_time);
    }
    fprintf(stderr, "%stime %.6g of %.6g%s%s  step %llu (%.0f %%)  %.3g steps/s  dE/E %s%s%s",
            line->terminal ? "\r\033[K" : "", factor * progress->time, factor * progress->end,
            *unit ? " " : "", unit, (unsigned long long)progress->steps,
            100.0 * (double)progress->steps / (double)progress->steps_at_end, progress->steps_per_s,
            energy, left, line->terminal && !last ? "" : "\n");
}

/* ---- the request ---- */

struct request {
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct source source;
    const char *resume, *template; /* --resume, --write-ini */
    int dry, shows;                /* --dry-run, --view */
    struct ky_view_parameters view;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option own_options[] = {
    {"resume", KY_OPTION_TEXT, FIELD(resume), NULL, KY_NO_RANGE, NULL, "FOLDER",
     "continue the run in this folder; --end or --steps may set a later end"},
    {"dry-run", KY_OPTION_FLAG, FIELD(dry), NULL, KY_NO_RANGE, NULL, NULL,
     "start nothing; print the plan and the needs of the run, and how many bodies would fit"},
    {"write-ini", KY_OPTION_TEXT, FIELD(template), NULL, KY_NO_RANGE, NULL, "FILE",
     "start nothing; write a parameter file with all options, including the values given here; "
     "`kyoho run FILE` reads it"},
    {"view", KY_OPTION_FLAG, FIELD(shows), NULL, KY_NO_RANGE, NULL, NULL,
     "show the run in a browser on this machine, which can pause and stop it; the address is "
     "printed on standard error, and anyone who has it can do the same"},
};

#define VIEW "view" /* title of the set */

/* Binds all options of the command. */
static void bind(struct cli *cli, struct request *request)
{
    cli_add_options(cli, "run", KY_OPTIONS_RUN, &request->run);
    cli_add_table(cli, "resuming and planning", own_options, request);
    cli_add_options(cli, VIEW, KY_OPTIONS_VIEW, &request->view);
    cli_add_parameters(cli, &request->parameters);
    source_add(cli, &request->source);
}

static const char *const with_resume[] = {
    "resume", "end",  "end-z",     "steps",       "max-wall",  "restart-every",
    "engine", "isa",  "threads",   "ranks",       "json",      "quiet",
    "help",   "view", "view-port", "view-bodies", "view-frame"};

/* KY_USAGE for options that have no effect with --resume, because the run has its own. */
static enum ky_status check_resume(struct cli *cli)
{
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count; k++) {
            const char *name = cli->sets[s].options[k].name;
            int allowed = 0;
            for (size_t w = 0; w < sizeof with_resume / sizeof *with_resume; w++)
                allowed |= !strcmp(name, with_resume[w]);
            if (!allowed && cli->sets[s].given[k])
                return ky_fail(
                    &cli->error, KY_USAGE,
                    "--%s cannot be combined with --resume, since a run continues as it "
                    "began; --end, --end-z, --steps, --max-wall, --restart-every, --engine, "
                    "--isa, --threads, --ranks and --view may be given",
                    name);
        }
    return cli->word_count
               ? ky_fail(&cli->error, KY_USAGE,
                         "--resume takes its bodies from the run, not from %s", cli->words[0])
               : KY_OK;
}

/* A resumed run stays on its engine unless the user names another. */
static void keep_processor(const struct cli *cli, struct ky_parameters *parameters)
{
    if (!cli_given(cli, "engine"))
        parameters->engine = NULL;
    if (!cli_given(cli, "isa"))
        parameters->isa = -1;
    if (!cli_given(cli, "threads"))
        parameters->threads = -1;
    if (!cli_given(cli, "ranks") && parameters->ranks == 1)
        parameters->ranks = -1;
}

/* For --dry-run: prints the plan of the run and its needs. */
static enum ky_status show_plan(struct cli *cli, const struct request *request,
                                const struct ky_snapshot *snapshot)
{
    struct ky_plan plan = {.size = sizeof plan};
    KY_TRY(ky_run_plan(&request->parameters, &request->run, snapshot, &plan, &cli->error));
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_count(&json, "n", snapshot->bodies.n);
        ky_json_real(&json, "step", plan.step);
        ky_json_count(&json, "steps", plan.steps);
        ky_json_count(&json, "snapshots", plan.snapshots);
        ky_json_real(&json, "host_bytes", plan.host_bytes);
        ky_json_real(&json, "rank_bytes", plan.rank_bytes);
        ky_json_real(&json, "device_bytes", plan.device_bytes);
        ky_json_real(&json, "disk_bytes", plan.disk_bytes);
        ky_json_real(&json, "largest_n", plan.largest_n);
        ky_json_text(&json, "choice", plan.choice[0] ? plan.choice : NULL);
        ky_json_end_object(&json);
        return KY_OK;
    }
    const struct ky_units none = {0};
    const int is_of_ln_a =
        request->parameters.expansion || (snapshot->space.comoving && request->parameters.box > 0);
    const double step_a = request->parameters.step_a;
    const char *kind = ""; /* of steps */
    if (is_of_ln_a && !isnan(step_a))
        kind = " in a, and at most 0.12 in ln a";
    else if (is_of_ln_a)
        kind = !isnan(request->parameters.step) && isnan(request->parameters.late_step)
                   ? " in ln a"
                   : " in ln a, which --late-step divides";
    char step[KY_QUANTITY_TEXT],
        ranks[40] = "", steps[160] = "a step that depends on the bodies unless --step is given";
    if (!isnan(plan.step))
        snprintf(steps, sizeof steps, "%llu %s of %s%s", (unsigned long long)plan.steps,
                 ky_plural(plan.steps, "step", "steps"),
                 ky_quantity_text(is_of_ln_a ? &none : &snapshot->units, KY_TIME_UNIT,
                                  isnan(step_a) ? plan.step : step_a, 6, step),
                 kind);
    if (plan.rank_bytes > 0)
        snprintf(ranks, sizeof ranks, " %.3g GB a rank,", plan.rank_bytes / 1e9);
    printf("%zu %s, %s, %llu %s\nmemory: %.3g GB on the host,%s %.3g GB on a device; disk: %.3g "
           "GB\nlargest number of bodies for the memory that is free now: %.3g\n",
           snapshot->bodies.n, ky_plural(snapshot->bodies.n, "body", "bodies"), steps,
           (unsigned long long)plan.snapshots, ky_plural(plan.snapshots, "snapshot", "snapshots"),
           plan.host_bytes / 1e9, ranks, plan.device_bytes / 1e9, plan.disk_bytes / 1e9,
           plan.largest_n);
    return KY_OK;
}

/* If the command line gives one of --end and --steps, the other one of the parameter file is
 * dropped. The hash in run.json belongs to the file's own bodies; it is dropped if the command line
 * asks for other bodies. */
static void settle_parameter_file(const struct cli *cli, struct request *request)
{
    static const char *const titles[] = {"bodies", "reading", "model"}, *const names[] = {
                                                                            "softening",
                                                                            "softening-kind", "g"};
    int others = 0;
    if (cli_on_line(cli, "end") && !cli_on_line(cli, "steps"))
        request->run.steps = 0;
    if (cli_on_line(cli, "steps") && !cli_on_line(cli, "end"))
        request->run.end = (double)NAN;
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
        others |= cli_set_on_line(cli, titles[k]) || cli_on_line(cli, names[k]);
    request->run.bodies_hash = others || cli->word_count ? NULL : cli->bodies_hash;
}

/* A new run: checks what the command line names, gets the bodies, and runs. */
static enum ky_status start(struct cli *cli, struct request *request)
{
    char origin[ORIGIN];
    struct ky_snapshot snapshot;
    const char *file = source_file(cli, &request->source);
    request->source.may_wait = !request->dry;
    request->source.takes_box = 1;
    /* few softens nothing: the hash in run.json is of bodies without softening, as in a run that
     * repeats this one. */
    if (request->parameters.integrator == KY_FEW && isnan(request->parameters.softening))
        request->parameters.softening = 0;
    if (file && files_is_folder(file))
        return ky_fail(&cli->error, KY_USAGE,
                       "%s is a folder; --resume %s continues the run in it, --input takes a "
                       "snapshot",
                       file, file);
    if (file && ky_is_standard(file) && ky_mpi_ranks() > 1)
        return ky_fail(&cli->error, KY_UNSUPPORTED,
                       "MPI launchers do not pass on all of standard input: give a file");
    if (!request->run.output && !request->dry)
        return ky_fail(&cli->error, KY_USAGE, "no output: give --output FOLDER");
    enum ky_status status = (request->dry ? source_plan : source_get)(
        cli, &request->source, &request->parameters, &snapshot, origin);
    request->run.origin = origin;
    request->run.input = file;
    if (request->run.progress && !has_scale_factors(&request->parameters, &snapshot))
        ((struct progress_line *)request->run.progress_context)->units = snapshot.units;
    char *source = status ? NULL : source_text(cli, &request->source);
    request->run.source = source;
    request->run.has_seed = source_has_seed(&request->source);
    request->run.seed = request->source.options.parameters.seed;
    if (!status && request->dry)
        status = show_plan(cli, request, &snapshot);
    else if (!status)
        status = ky_run_source(&request->parameters, &request->run, request->source.later,
                               &snapshot, &cli->error);
    ky_source_close(request->source.later);
    ky_snapshot_free(&snapshot);
    free(source);
    return status;
}

/* The text of the parameter file for --write-ini, without general options, options that do not
 * start a run, and options of the view, which apply to one call only. The caller frees it; NULL if
 * memory runs out. */
static char *template_text(const struct cli *cli)
{
    struct ky_option_set sets[CLI_SETS];
    char *text = NULL;
    size_t size = 0, count = 0;
    for (size_t s = 1; s < cli->count; s++)
        if (cli->sets[s].options != own_options && strcmp(cli->sets[s].title, VIEW) != 0)
            sets[count++] = cli->sets[s];
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("# Parameters of `kyoho run`. What follows a # has no effect.\n", out);
    ky_options_write_template(sets, count, out);
    if (!fclose(out))
        return text;
    free(text);
    return NULL;
}

static enum ky_status write_template(struct cli *cli, const struct request *request)
{
    const char *name = request->template;
    struct ky_file *file = NULL;
    if (cli->word_count)
        return ky_fail(&cli->error, KY_USAGE, "with --write-ini bodies are named by --input %s",
                       cli->words[0]);
    if (cli->json && ky_is_standard(name))
        return ky_fail(&cli->error, KY_USAGE,
                       "--write-ini - and --json both use standard output; name a file");
    KY_TRY(ky_is_standard(name) ? ky_file_standard_output(&file, &cli->error)
                                : ky_file_create(name, request->run.overwrite, &file, &cli->error));
    char *text = template_text(cli);
    if (text) {
        ky_file_write(file, text, strlen(text));
        free(text);
        return ky_file_publish(file, NULL, &cli->error);
    }
    ky_file_discard(file);
    return ky_no_memory(&cli->error, "parameter file", 1 << 14, 1);
}

/* A ky_json_member: reads the units of run.json. */
static enum ky_status take_unit(void *context, const struct ky_json_told *told,
                                struct ky_error *error)
{
    struct ky_units *units = context;
    const struct {
        const char *name;
        double *place;
    } members[] = {{"length_cm", &units->length_cm},
                   {"mass_g", &units->mass_g},
                   {"velocity_cm_s", &units->velocity_cm_s},
                   {"g", &units->g}};
    (void)error;
    for (size_t k = 0; k < sizeof members / sizeof *members && !strcmp(told->object, "units"); k++)
        if (!strcmp(told->name, members[k].name) && strcmp(told->text, "null") != 0)
            *members[k].place = ky_number_real(told->text, NULL);
    return KY_OK;
}

/* The units of the run in the folder; without physical scale if run.json does not give them. */
static struct ky_units units_of_run(const char *folder)
{
    char path[4096], *text = NULL;
    struct ky_units units = {0};
    struct ky_option_storage *storage = NULL;
    snprintf(path, sizeof path, "%s/run.json", folder);
    FILE *file = fopen(path, "r");
    if (file && !ky_options_read_file(file, path, &storage, &text, NULL) &&
        ky_json_read(text, path, take_unit, &units, NULL))
        units = (struct ky_units){0};
    if (file)
        fclose(file);
    ky_options_storage_free(storage);
    return units;
}

/* KY_USAGE for options of catalogues that would have no effect; a run.json has all of them. */
static enum ky_status check_groups(struct cli *cli, const struct request *request)
{
    if (cli->bodies_hash || request->resume)
        return KY_OK;
    if (!request->run.groups_every)
        return cli_refuse(cli, "linking-length linking-fraction groups-minimum", "--groups-every");
    return !isnan(request->run.linking_length) && cli_given(cli, "linking-fraction")
               ? ky_fail(&cli->error, KY_USAGE,
                         "--linking-length is complete: leave out --linking-fraction")
               : KY_OK;
}

/* Opens the view if it was asked for, and prints its address. */
static enum ky_status open_view(struct cli *cli, struct request *request)
{
    if (!request->shows)
        return cli_refuse(cli, "view-port view-bodies view-frame", "--view");
    if (request->dry)
        return ky_fail(&cli->error, KY_USAGE, "--view shows a run, but --dry-run starts none");
    KY_TRY(ky_view_open(&request->view, &request->run.view, &cli->error));
    fprintf(stderr, "view: %s\n", ky_view_address(request->run.view));
    return KY_OK;
}

/* Prints a summary of the output as one JSON object or a line. */
static void show_end(const struct cli *cli, const char *what, const char *output)
{
    if (!cli->json) {
        if (!cli->quiet)
            printf("%s in %s\n", what, output);
        return;
    }
    struct ky_json json = {.out = stdout};
    ky_json_object(&json, NULL);
    ky_json_text(&json, "output", output);
    ky_json_text(&json, "outcome", "done");
    ky_json_end_object(&json);
}

/* Under an MPI launcher every process is a rank, so another number is an error. A number of ranks
 * in an earlier run's run.json does not count as a request; it only records how that run was
 * made. */
static enum ky_status take_ranks(struct cli *cli, struct request *request)
{
    const int ranks = ky_mpi_ranks();
    request->run.choose_ranks = ranks == 1 && !cli_given(cli, "ranks");
    if (ranks == 1)
        return KY_OK;
    const int on_line = cli_on_line(cli, "ranks");
    if (on_line || (cli_given(cli, "ranks") && !cli->bodies_hash))
        return ky_fail(
            &cli->error, KY_USAGE,
            "an MPI launcher has started %d processes, each of which is a rank: leave out %s",
            ranks, on_line ? "--ranks" : "`ranks` in the parameter file");
    request->parameters.ranks = ranks;
    return KY_OK;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request;
    struct progress_line line = {
        .terminal = isatty(STDERR_FILENO), .last = ky_clock(), .began = ky_clock()};
    memset(&request, 0, sizeof request);
    ky_run_parameters_defaults(&request.run);
    ky_view_parameters_defaults(&request.view);
    bind(cli, &request);
    cli->takes_file = 1;
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (!status && !describe)
        status = take_ranks(cli, &request);
    if (status || describe || cli->help)
        return status;
    if (request.template) {
        status = write_template(cli, &request);
        if (!status && !ky_is_standard(request.template))
            show_end(cli, "the options are", request.template);
        return status;
    }
    if (!cli->quiet) {
        request.run.progress = show_progress;
        request.run.progress_context = &line;
    }
    if (request.resume) {
        keep_processor(cli, &request.parameters);
        status = check_resume(cli);
        request.run.output = request.resume;
        line.units = units_of_run(request.resume);
        if (!status)
            status = cli_settle(cli, &line.units);
        if (run_state_read(request.resume).comoving) /* times are scale factors */
            line.units = (struct ky_units){0};
    }
    if (status)
        return status;
    signals_catch();
    settle_parameter_file(cli, &request);
    if (!request.resume)
        status =
            (cli->bodies_hash ? cli_force_of_file : cli_choose_force)(cli, &request.parameters);
    request.parameters.stop = signals_stop();
    if (!status)
        status = check_groups(cli, &request);
    if (!status)
        status = open_view(cli, &request);
    if (!status)
        status = request.resume ? ky_resume(&request.parameters, &request.run, &cli->error)
                                : start(cli, &request);
    ky_view_close(request.run.view);
    if (line.terminal && line.shown && status)
        fputc('\n', stderr);
    if (!status && !request.dry)
        show_end(cli, "the results are", request.run.output);
    return status;
}

const struct subcommand run_command = {
    "run",
    "[FILE.ini|run.json] --input FILE|--model NAME -n N --end TIME --output FOLDER [options]\n"
    "       kyoho run --resume FOLDER [--end TIME]\n"
    "       kyoho run [options] --write-ini FILE.ini",
    "follow the motion of bodies and write the results to a folder",
    run,
    NULL,
    "input model bodies output end steps every step integrator force theta alpha softening engine "
    "threads resume max-wall view dry-run write-ini overwrite",
    "kyoho run --model plummer -n 1000 --end 1 --every 0.25 --output first\n"
    "kyoho run --input cluster.hdf5 --step 0.0078125 --end 0.5 --every 0.25 --output cluster\n"
    "kyoho run --resume cluster --end 1\n"};
