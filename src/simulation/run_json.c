/* run.json: a record of the run, with all options that `kyoho run run.json` needs to repeat it, and
 * the state of the run. */
#include "simulation/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"

char *ky_run_copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void ky_run_hash_text(const struct ky_run *run, char text[KY_HASH_TEXT])
{
    snprintf(text, KY_HASH_TEXT, "%016" PRIx64, run->hash);
}

/* ---- the options ---- */

/* "0.5,1": the times of --at, which the caller frees; NULL if there are none or memory runs out. */
static char *times_text(const struct ky_run *run)
{
    const struct ky_schedule *schedule = &run->schedule;
    size_t room = schedule->ats * KY_NUMBER_TEXT, used = 0;
    char *text = room ? ky_allocate(room, 1) : NULL, number[KY_NUMBER_TEXT];
    for (size_t k = 0; k < schedule->ats && text; k++) {
        double time = ky_instant_time(&schedule->line, schedule->at[k]);
        used += (size_t)snprintf(text + used, room - used, "%s%s", k ? "," : "",
                                 ky_number_text(number, time));
    }
    return text;
}

/* The interval of --every [time]; NaN: not given. */
static double every_of(const struct ky_schedule *schedule)
{
    if (schedule->every || schedule->bare)
        return (double)schedule->every * ky_timeline_interval(&schedule->line);
    return (double)NAN;
}

/* Writes the options of the run with the values that it used. Options about files and about an
 * early end are omitted, since a repetition does not need them. */
static void write_run_options(struct ky_json *json, const struct ky_run *run)
{
    static const char *const left_out[] = {"output", "steps", "max-wall", "overwrite"};
    const struct ky_schedule *schedule = &run->schedule;
    double tick = ky_timeline_interval(&schedule->line);
    char *at = times_text(run), follow[KY_FOLLOW_TEXT];
    struct ky_run_parameters own = run->given;
    own.end = ky_instant_time(&schedule->line, schedule->end);
    own.end_z = (double)NAN; /* `end` and `at` have the redshifts */
    own.at_z = NULL;
    own.every = every_of(schedule);
    own.energy_every = (double)schedule->energy_every * tick;
    own.at = at;
    own.follow = ky_run_follow_text(&run->energy_start.followed, follow);
    own.shorten = schedule->shorten;
    for (size_t k = 0; k < ky_run_option_count; k++) {
        int told = 1;
        for (size_t l = 0; l < sizeof left_out / sizeof *left_out; l++)
            told &= strcmp(ky_run_options[k].name, left_out[l]) != 0;
        if (told)
            ky_json_option(json, &ky_run_options[k], &own);
    }
    free(at);
}

/* Replaces "\\" and "\n" in a value of the source by a backslash and a newline, in place. */
static void unescape(char *value)
{
    char *to = value;
    for (; *value; value++) {
        int escape = *value == '\\' && value[1];
        value += escape;
        *to++ = escape && *value == 'n' ? '\n' : *value;
    }
    *to = '\0';
}

/* A line "name=value" of the source: the value is a number, a text, true or false. */
static void write_source_line(struct ky_json *json, char *line)
{
    char *value = strchr(line, '='), *end;
    if (!value)
        return;
    *value++ = '\0';
    unescape(value);
    size_t digits = strspn(value, "0123456789");
    double real = ky_number_real(value, &end);
    if (*value && !value[digits] && digits < 21 && (*value != '0' || digits == 1))
        ky_json_count(json, line, ky_number_count(value, NULL));
    else if (end != value && !*end && isfinite(real))
        ky_json_real(json, line, real);
    else if (!strcmp(value, "yes") || !strcmp(value, "no"))
        ky_json_flag(json, line, *value == 'y');
    else
        ky_json_text(json, line, value);
}

static void write_source(struct ky_json *json, const struct ky_run *run)
{
    char *text = run->source ? ky_run_copy_text(run->source) : NULL;
    for (char *line = text, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        write_source_line(json, line);
    }
    free(text);
}

/* 1 for an option that a repetition finds itself, since the run has tuned its force. */
static int is_tuned(const struct ky_sim *sim, const char *name)
{
    static const char *const names[] = {"order", "alpha", "theta"};
    int found = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        found |= !strcmp(names[k], name);
    return found && sim->tunings > 0;
}

/* All options that `kyoho run run.json` needs: of the bodies, of the parameters and of the run. */
static void write_options(struct ky_json *json, const struct ky_run *run)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    struct ky_parameters own = ky_sim_given(run->sim);
    if (run->sim->tunings)
        own.error = run->sim->choice.asked;
    ky_parameter_sets(&own, sets);
    ky_json_object(json, "options");
    write_source(json, run);
    for (int s = 0; s < KY_PARAMETER_SETS; s++)
        for (size_t k = 0; k < sets[s].count; k++)
            if (ky_options_is_first(sets, KY_PARAMETER_SETS, &sets[s], &sets[s].options[k]) &&
                !is_tuned(run->sim, sets[s].options[k].name))
                ky_json_option(json, &sets[s].options[k], &own);
    write_run_options(json, run);
    ky_json_end_object(json);
}

/* ---- how the run stands ---- */

/* Writes the state from which the run would be resumed. */
static void write_resume(struct ky_json *json, const struct ky_run *run)
{
    if (isnan(run->resume_time)) {
        ky_json_null(json, "resume");
        return;
    }
    ky_json_object(json, "resume");
    ky_json_real(json, "time", run->resume_time);
    ky_json_count(json, "steps", run->resume_steps);
    ky_json_end_object(json);
}

/* Writes the forces that a comoving run has found for its error, in the order of time. */
static void write_tunings(struct ky_json *json, const struct ky_sim *sim)
{
    ky_json_array(json, "tunings");
    for (size_t k = 0; k < sim->tunings; k++) {
        const struct ky_tuned_force *tuned = &sim->tuned[k];
        ky_json_object(json, NULL);
        ky_json_real(json, "a", tuned->a);
        ky_json_count(json, "order", (uint64_t)tuned->order);
        ky_json_real(json, "alpha", tuned->alpha);
        ky_json_real(json, "measured", tuned->error);
        ky_json_count(json, "samples", (uint64_t)tuned->samples);
        ky_json_end_object(json);
    }
    ky_json_end_array(json);
}

/* Writes the requested error, and the error that was last found. */
static void write_error(struct ky_json *json, const struct ky_sim *sim)
{
    const struct ky_choice *choice = &sim->choice;
    if (isnan(choice->asked)) {
        ky_json_null(json, "error");
        return;
    }
    ky_json_object(json, "error");
    ky_json_real(json, "asked", choice->asked);
    ky_json_real(json, "measured", choice->measured);
    ky_json_count(json, "samples", choice->samples);
    if (sim->tunings)
        write_tunings(json, sim);
    ky_json_end_object(json);
}

/* Intervals in time and in steps. */
static void write_schedule(struct ky_json *json, const struct ky_run *run)
{
    const struct ky_schedule *schedule = &run->schedule;
    double tick = ky_timeline_interval(&schedule->line);
    ky_json_real(json, "end", ky_instant_time(&schedule->line, schedule->end));
    ky_json_real(json, "every", every_of(schedule));
    ky_json_real(json, "energy_every", (double)schedule->energy_every * tick);
    ky_json_array(json, "at");
    for (size_t k = 0; k < schedule->ats; k++)
        ky_json_real(json, NULL, ky_instant_time(&schedule->line, schedule->at[k]));
    ky_json_end_array(json);
    ky_json_count(json, "steps_at_end", ky_schedule_steps(schedule));
    ky_json_count(json, "steps_between_snapshots", schedule->every / schedule->stride);
    ky_json_count(json, "steps_between_energies", schedule->energy_every / schedule->stride);
}

/* Writes the counts of block steps. */
static void write_blocks(struct ky_json *json, const struct ky_run *run,
                         const struct ky_integrator_report *motion)
{
    if (!motion->blocks) {
        ky_json_null(json, "blocks");
        return;
    }
    ky_json_object(json, "blocks");
    ky_json_count(json, "count", motion->blocks);
    ky_json_real(json, "mean_bodies", motion->body_steps / (double)motion->blocks);
    ky_json_real(json, "shortest_step", motion->shortest);
    ky_json_real(json, "steps_cut", motion->cut);
    if (motion->pairs > 0) {
        ky_json_real(json, "pairs", motion->pairs);
        ky_json_real(json, "gflops", ky_run_gflops(run, motion->pairs));
    }
    ky_json_end_object(json);
}

/* The whole of run.json. `outcome` and `reason` are as in ky_run_write_json. */
static void describe(struct ky_run *run, const char *outcome, const char *reason, FILE *out)
{
    struct ky_json json = {.out = out};
    struct ky_force_report report = {0};
    struct ky_integrator_report motion;
    struct utsname host;
    char date[40], hash[KY_HASH_TEXT];
    time_t now = time(NULL);
    struct tm calendar;
    gmtime_r(&now, &calendar);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &calendar);
    ky_sim_report(run->sim, &report);
    run->sim->integrator->verbs->report(run->sim->integrator, &motion);
    ky_json_object(&json, NULL);
    ky_json_text(&json, "program", "kyoho");
    ky_json_text(&json, "version", ky_version());
    ky_json_text(&json, "outcome", outcome);
    ky_json_text(&json, "reason", reason);
    write_resume(&json, run);
    ky_json_text(&json, "written", date);
    ky_json_text(&json, "origin", run->origin);
    ky_run_hash_text(run, hash);
    ky_json_text(&json, "bodies_hash", run->hash ? hash : NULL);
    if (run->state.has_seed)
        ky_json_count(&json, "seed", run->state.seed);
    else
        ky_json_null(&json, "seed");
    ky_json_real(&json, "start", run->sim->line.start);
    write_schedule(&json, run);
    ky_json_count(&json, "n", ky_sim_n(run->sim));
    ky_json_real(&json, "time", ky_sim_time(run->sim));
    ky_json_count(&json, "steps", ky_sim_steps(run->sim));
    ky_json_real(&json, "body_steps", motion.body_steps);
    write_blocks(&json, run, &motion);
    ky_json_count(&json, "snapshots", run->state.snapshots);
    ky_json_real(&json, "energy_change", run->state.change);
    ky_json_real(&json, "wall_s", ky_run_wall(run));
    ky_json_text(&json, "engine", report.engine);
    ky_json_text(&json, "device", report.device);
    write_error(&json, run->sim);
    ky_json_text(&json, "compiler", __VERSION__);
    ky_json_text(&json, "host", uname(&host) ? NULL : host.nodename);
    ky_json_text(&json, "system", uname(&host) ? NULL : host.release);
    ky_json_units(&json, &run->state.units);
    write_options(&json, run);
    ky_json_end_object(&json);
}

/* run.json as text, which the caller frees; NULL if memory runs out. */
static char *json_text(struct ky_run *run, const char *outcome, const char *reason, size_t *size)
{
    char *text = NULL;
    FILE *memory = open_memstream(&text, size);
    if (!memory)
        return NULL;
    describe(run, outcome, reason, memory);
    if (!fclose(memory))
        return text;
    free(text);
    return NULL;
}

enum ky_status ky_run_write_json(struct ky_run *run, const char *outcome, const char *reason,
                                 struct ky_error *error)
{
    char path[KY_PATH];
    size_t size = 0;
    struct ky_file *file = NULL;
    char *text = json_text(run, outcome, reason, &size);
    enum ky_status status = text ? ky_folder_path(run->folder, "run.json", path, error)
                                 : ky_no_memory(error, "run.json", 1, 4096);
    if (!status)
        status = ky_file_create(path, 1, &file, error);
    if (!status) {
        ky_file_write(file, text, size);
        status = ky_file_publish(file, NULL, error);
    }
    free(text);
    return status;
}

/* On a full disk a file cannot be replaced, but its blocks can be written again. */
void ky_run_write_failure(struct ky_run *run, const char *reason)
{
    char path[KY_PATH], time[KY_QUANTITY_TEXT];
    size_t size = 0;
    ky_log(&run->parameters, KY_LOG_DETAIL, "failed at time %s: %s",
           ky_time_words(&run->sim->line, ky_sim_time(run->sim), time), reason);
    if (!ky_run_write_json(run, "failed", reason, NULL) ||
        ky_folder_path(run->folder, "run.json", path, NULL))
        return;
    char *text = json_text(run, "failed", reason, &size);
    FILE *file = text ? fopen(path, "r+") : NULL;
    if (file) {
        fwrite(text, 1, size, file);
        if (!fflush(file))
            (void)!ftruncate(fileno(file), (off_t)size);
        fclose(file);
    }
    free(text);
}
