/* A run in a folder, from its first to its last step. run_start.c and run_resume.c begin one. */
#include "simulation/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"
#include "base/view_calls.h"

/* ---- opening and closing ---- */

/* The log of a run: every line goes to run.log with the time of day (UTC), and to the caller. */
static void log_line(void *context, enum ky_log_level level, const char *line)
{
    struct ky_run *run = context;
    if (run->log) {
        char date[40];
        time_t now = time(NULL);
        struct tm calendar;
        gmtime_r(&now, &calendar);
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &calendar);
        fprintf(run->log, "%s %s%s\n", date, level == KY_LOG_WARNING ? "warning: " : "", line);
        fflush(run->log);
    }
    if (run->outer_log)
        run->outer_log(run->outer_context, level, line);
}

enum ky_status ky_run_adopt_parameters(const struct ky_parameters *parameters,
                                       const struct ky_run_parameters *given,
                                       struct ky_parameters *own, struct ky_run_parameters *own_run,
                                       struct ky_error *error)
{
    ky_parameters_defaults(own);
    ky_run_parameters_defaults(own_run);
    const struct ky_option_set set = {"run",   ky_run_options, ky_run_option_count,
                                      own_run, NULL,           NULL};
    KY_TRY(ky_size_adopt(own, sizeof *own, parameters, "ky_parameters_defaults", error));
    KY_TRY(ky_size_adopt(own_run, sizeof *own_run, given, "ky_run_parameters_defaults", error));
    KY_TRY(ky_options_check(&set, error));
    return ky_run_settle_collisions(own_run, own, error);
}

enum ky_status ky_run_create(const struct ky_parameters *parameters,
                             const struct ky_run_parameters *given, struct ky_run **made,
                             struct ky_error *error)
{
    struct ky_parameters own;
    struct ky_run_parameters own_run;
    KY_TRY(ky_run_adopt_parameters(parameters, given, &own, &own_run, error));
    if (!own_run.output)
        return ky_fail(error, KY_USAGE, "no output: give --output FOLDER");
    struct ky_run *run = *made = ky_allocate_zeroed(1, sizeof *run);
    if (!run)
        return ky_no_memory(error, "run", 1, sizeof *run);
    run->parameters = own;
    run->outer_log = own.log;
    run->outer_context = own.log_context;
    run->parameters.log = log_line;
    run->parameters.log_context = run;
    run->outer_stop = own.stop;
    run->parameters.stop = NULL;
    run->given = own_run;
    run->started = ky_clock();
    run->folder = run->given.output;
    run->energy.name = "energy.csv";
    run->escapers = (struct ky_run_table){"escapers.csv", ky_run_escaper_columns, NULL};
    run->events.name = "events.csv";
    run->state.change = run->resume_time = run->energy_time = run->energy_error = (double)NAN;
    ky_sim_stop_reason(NULL, &run->stop);
    ky_size_give_grown(run->given.stopped, &run->stop, sizeof run->stop, KY_FIRST_STOP);
    return KY_OK;
}

void ky_run_destroy(struct ky_run *run)
{
    ky_sim_close(run->sim);
    if (run->log)
        fclose(run->log);
    if (run->energy.file)
        fclose(run->energy.file);
    if (run->escapers.file)
        fclose(run->escapers.file);
    if (run->events.file)
        fclose(run->events.file);
    free(run->listed.id);
    ky_stars_close(run->stars);
    ky_run_close_view(run);
    ky_schedule_free(&run->schedule);
    free(run->history.row);
    ky_bodies_free(&run->row);
    free(run->text);
    free(run->texts);
    free(run->universe.field);
    free(run->origin);
    free(run->source);
    free(run);
}

enum ky_status ky_run_lock(struct ky_run *run, struct ky_error *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[KY_PATH];
    KY_TRY(ky_folder_path(run->given.output, "run.log", path, error));
    if (!(run->log = fopen(path, "a+")))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", path, strerror(errno));
    if (fcntl(fileno(run->log), F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN))
        return ky_fail(
            error, KY_USAGE,
            "%s: another run is using this folder; wait for it or choose another --output",
            run->given.output);
    if (fseek(run->log, 0, SEEK_END) || (run->log_before = ftell(run->log)) < 0)
        return ky_fail(error, KY_CANNOT_WRITE, "%s: run.log: %s", run->given.output,
                       strerror(errno));
    return KY_OK;
}

/* ---- the loop ---- */

/* Reports the progress to the caller. */
static void tell(struct ky_run *run)
{
    struct ky_progress progress;
    if (!run->given.progress)
        return;
    ky_run_measure_progress(run, &progress);
    run->given.progress(run->given.progress_context, &progress);
}

/* Records why the run stops; returns the text for it. */
static const char *because(struct ky_run *run, int kind, const char *words)
{
    run->stop.kind = (int)kind;
    return words;
}

/* 1 if a signal has come: its handler sets the flag of the caller's parameters. */
static int is_signalled(const struct ky_run *run)
{
    return run->outer_stop && *run->outer_stop;
}

int ky_run_is_asked_to_stop(const struct ky_run *run)
{
    return is_signalled(run) || (run->given.stop && *run->given.stop);
}

const volatile int *ky_run_flag(const struct ky_run *run)
{
    return run->outer_stop ? run->outer_stop : run->given.stop;
}

/* Why the run has to stop now; NULL if it has not. */
static const char *stop_reason(struct ky_run *run)
{
    if (run->halted.text[0])
        return run->halted.text;
    if (run->within)
        return run->within;
    if (ky_run_is_asked_to_stop(run))
        return because(run, KY_STOP_ASKED, is_signalled(run) ? "a signal" : "the program");
    if (!isnan(run->given.max_wall) && ky_clock() - run->started >= run->given.max_wall)
        return because(run, KY_STOP_WALL, "--max-wall");
    return NULL;
}

/* The same, including the file named stop in the folder and commands of the view. */
static const char *any_reason(struct ky_run *run)
{
    const char *reason = stop_reason(run);
    struct ky_view *view = run->given.view;
    if (!reason && view && (ky_view_calls(view)->asked(view) & KY_VIEW_STOP))
        reason = because(run, KY_STOP_ASKED, "the view");
    if (!reason && run->folder == run->given.output && ky_clock() - run->looked >= 1.0) {
        run->looked = ky_clock();
        if (ky_folder_stop(run->given.output))
            reason = because(run, KY_STOP_ASKED, "a file named stop");
    }
    return reason;
}

static int restart_is_due(const struct ky_run *run)
{
    return ky_run_writes_restarts(run) && ky_clock() - run->restarted >= run->given.restart_every;
}

/* 1 if a long step is to end early, because the run stops or writes a restart file. */
static int is_over(void *context)
{
    struct ky_run *run = context;
    if (!run->within)
        run->within = any_reason(run);
    return run->within || restart_is_due(run);
}

/* 1 if the integrator was asked to end within a longest step, or within a step of `few`, whose
 * bodies are then at a time at which nothing else is due. */
static int is_amid(const struct ky_run *run)
{
    return ky_sim_is_within(run->sim) ||
           (run->sim->stop.kind == KY_STOP_ASKED && run->sim->now.part != 0);
}

/* The integrator has ended within a step as asked: stops the run, or writes a restart file. */
static enum ky_status rest(struct ky_run *run, struct ky_error *error)
{
    char words[KY_WITHIN_WORDS];
    if (run->within) {
        ky_fail(&run->halted, KY_STOPPED, "%s %s", run->within,
                ky_sim_is_within(run->sim) ? ky_sim_within_words(run->sim, words)
                                           : "within a step");
        return KY_OK;
    }
    KY_TRY(ky_run_write_restart(run, error));
    return ky_run_write_json(run, "running", NULL, error);
}

/* Checks the folder for the user's files, once a second and after a snapshot. More often would be
 * expensive: the system calls take as long as a step of a few bodies. */
static enum ky_status look_around(struct ky_run *run, const char **reason, struct ky_error *error)
{
    double now = ky_clock();
    if (now - run->looked < 1.0)
        return KY_OK;
    run->looked = now;
    if (ky_folder_stop(run->given.output))
        *reason = because(run, KY_STOP_ASKED, "a file named stop");
    KY_TRY(ky_run_keep_table(run, &run->energy, error));
    KY_TRY(ky_run_keep_table(run, &run->escapers, error));
    return ky_run_keep_table(run, &run->events, error);
}

/* Writes the parameters that have changed as text again, for snapshots and restart files. */
static enum ky_status take_parameters(struct ky_run *run, struct ky_error *error)
{
    char *text = NULL;
    if (!run->sim->has_new_parameters)
        return KY_OK;
    run->sim->has_new_parameters = 0;
    KY_TRY(ky_sim_text(run->sim, &text, error));
    free(run->text);
    run->text = text;
    return KY_OK;
}

/* Calls the caller's function, if it is due after this step. */
static enum ky_status visit(struct ky_run *run, struct ky_error *error)
{
    const uint64_t every = run->given.visit_every ? run->given.visit_every : 1;
    const struct ky_instant now = run->sim->now;
    if (!run->given.visit || now.part != 0 || now.ticks / run->schedule.stride % every)
        return KY_OK;
    struct ky_error own = {KY_OK, ""}; /* the function may fail without a message */
    run->sim->in_run = 1;
    run->sim->has_changed = 0;
    enum ky_status status = run->given.visit(run->given.visit_context, run->sim, &own);
    run->sim->is_changing = 0;
    run->is_changed |= run->sim->has_changed || run->sim->has_new_parameters;
    if (!status)
        return take_parameters(run, error);
    if (status < KY_OK || status > KY_CANNOT_WRITE) /* any other number of the caller */
        status = KY_FAULT;
    own.text[sizeof own.text - 1] = '\0';
    return ky_fail(error, status, "%s",
                   own.text[0] ? own.text : "the function `visit` of the program ended the run");
}

/* 1 if the last call has ended in a search for α before its first step. */
static int is_before_step(const struct ky_run *run, struct ky_instant before)
{
    return run->stop.kind == KY_STOP_ASKED && ky_run_is_asked_to_stop(run) &&
           ky_instant_compare(run->sim->now, before) == 0;
}

/* Advances to the next instant at which something may be due, or to where the integrator stops. */
static enum ky_status go_on(struct ky_run *run, struct ky_error *error)
{
    struct ky_error own;
    const struct ky_instant before = run->sim->now;
    run->within = NULL;
    run->sim->is_over = is_over;
    run->sim->is_over_context = run;
    run->sim->search_stop = ky_run_flag(run);
    enum ky_status status =
        ky_sim_go_to(run->sim, ky_schedule_next(&run->schedule, run->sim->now), &own);
    const int kind = run->stop.kind; /* of run->within */
    ky_sim_stop_reason(run->sim, &run->stop);
    const int touch = run->stop.kind == KY_STOP_COLLISION;
    if (status == KY_STOPPED && touch && run->state.merges) { /* also if the run is to stop here */
        status = ky_run_merge(run, error);
        run->stop.kind = run->within ? kind : run->stop.kind;
        return status;
    }
    if (run->within)
        run->stop.kind = kind;
    if (status == KY_STOPPED && is_amid(run))
        return rest(run, error);
    if (status == KY_STOPPED && is_before_step(run, before)) /* stop_reason() says why */
        return KY_OK;
    if (status == KY_STOPPED) {
        run->halted = own;
        return KY_OK;
    }
    return status ? ky_fail(error, status, "%s", own.text) : KY_OK;
}

enum ky_status ky_run_step(struct ky_run *run, struct ky_error *error)
{
    const struct ky_schedule *schedule = &run->schedule;
    const struct ky_instant before = run->sim->now;
    enum ky_status status = go_on(run, error);
    if (run->stop.kind == KY_STOP_CLOSE_PAIR || is_amid(run) || is_before_step(run, before))
        return status;
    if (!status)
        status = take_parameters(run, error);
    if (!status)
        status = visit(run, error);
    if (!status)
        status = ky_run_evolve(run, error);
    const struct ky_instant now = run->sim->now;
    const int row = ky_schedule_energy_due(schedule, now);
    if (!status && row)
        status = ky_run_look_for_escapers(run, error);
    if (!status && row)
        status = ky_run_write_energy(run, error);
    if (!status && row && !run->halted.text[0]) /* otherwise the next row reports it */
        status = ky_run_look_for_collapse(run, error);
    if (!status && ky_schedule_snapshot_due(schedule, now)) {
        status = ky_run_write_snapshot(run, error);
        run->looked -= 1.0; /* check the folder after each snapshot */
    }
    if (status || ky_instant_compare(now, schedule->end) == 0 || !restart_is_due(run))
        return status;
    status = ky_run_write_restart(run, error);
    return status ? status : ky_run_write_json(run, "running", NULL, error);
}

/* Runs to the end, or until there is a reason to stop. */
static enum ky_status go(struct ky_run *run, const char **reason, struct ky_error *error)
{
    int waits, stops;
    enum ky_status status = ky_run_open_view(run, error);
    ky_run_begin_pace(run);
    run->looked = ky_clock() - 1.0;
    while (!status && ky_instant_compare(run->sim->now, run->schedule.end) < 0) {
        *reason = stop_reason(run);
        if (!*reason)
            status = look_around(run, reason, error);
        if (*reason || status)
            break;
        waits = stops = 0;
        if (!ky_sim_is_within(run->sim)) /* within a longest step the view gets no picture */
            status = ky_run_attend(run, &waits, &stops, error);
        if (stops)
            *reason = because(run, KY_STOP_ASKED, "the view");
        if (status || stops)
            break;
        if (waits)
            continue;
        status = ky_run_step(run, error);
        if (*reason || run->halted.text[0])
            break;
        if (!status)
            tell(run);
    }
    /* Also after the first step, which is done before the loop. */
    if (!*reason && run->halted.text[0])
        *reason = run->halted.text;
    return status ? status : ky_run_write_restart(run, error);
}

/* Logs the totals of block steps. */
static void tell_blocks(const struct ky_run *run)
{
    struct ky_integrator_report report;
    char shortest[KY_QUANTITY_TEXT];
    const struct ky_units none = {0};
    run->sim->integrator->verbs->report(run->sim->integrator, &report);
    if (!report.blocks)
        return;
    ky_log(&run->parameters, KY_LOG_INFO, "%llu %s of %.4g bodies on average, shortest step %s",
           (unsigned long long)report.blocks, ky_plural(report.blocks, "block", "blocks"),
           report.body_steps / (double)report.blocks,
           ky_quantity_text(run->sim->line.comoving ? &none : &run->parameters.units, KY_TIME_UNIT,
                            report.shortest, 6, shortest));
    if (report.pairs > 0)
        ky_log(&run->parameters, KY_LOG_INFO, "%.4g pairs, %.4g Gflop/s at %d operations a pair",
               report.pairs, ky_run_gflops(run, report.pairs), KY_OPERATIONS);
    if (report.cut > 0)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "%.4g of %.4g steps of bodies were longer than required by --eta, because of "
               "--step-min",
               report.cut, report.body_steps);
}

/* Warns if the energy in the last row shows that forces or steps are too inaccurate. */
static void warn_of_energy(const struct ky_run *run)
{
    static const char *const advice[] = {
        [KY_LEAPFROG] = "a shorter --step, a larger --softening, or more accurate forces (--error)",
        [KY_BLOCK_STEPS] =
            "a smaller --eta, a larger --softening, or more accurate forces (--error)",
        [KY_HERMITE4] = "a smaller --eta with --corrections 2 and --precision double",
        [KY_FEW] = "more --orbit-steps, or a smaller --tolerance"};
    if (fabs(run->energy_error) > KY_ENERGY_LIMIT)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the relative energy change is %+.1e, more than %g: results may be wrong; use %s",
               run->energy_error, KY_ENERGY_LIMIT, advice[run->sim->parameters.integrator]);
}

enum ky_status ky_run_loop(struct ky_run *run, struct ky_error *error)
{
    const char *reason = NULL;
    char time[KY_QUANTITY_TEXT];
    struct ky_error own;
    enum ky_status status = go(run, &reason, &own);
    if (run->stop.kind != KY_STOP_NONE)
        run->stop.time = ky_sim_time(run->sim);
    ky_size_give_grown(run->given.stopped, &run->stop, sizeof run->stop, KY_FIRST_STOP);
    ky_run_end_view(run, status ? "failed" : reason ? "stopped early" : "done");
    if (!status)
        status = ky_run_write_json(run, reason ? "stopped early" : "done", reason, &own);
    if (status) {
        ky_run_write_failure(run, own.text);
        return ky_fail(error, status, "%s", own.text);
    }
    ky_time_words(&run->sim->line, ky_sim_time(run->sim), time);
    ky_log(&run->parameters, KY_LOG_INFO, "%s%s at time %s after %llu %s, %.1f s",
           reason ? "stopped by " : "done", reason ? reason : "", time,
           (unsigned long long)ky_sim_steps(run->sim),
           ky_plural(ky_sim_steps(run->sim), "step", "steps"), ky_run_wall(run));
    tell_blocks(run);
    warn_of_energy(run);
    if (!reason)
        return KY_OK;
    if (isnan(run->resume_time))
        return ky_fail(error, KY_STOPPED,
                       "stopped by %s at time %s; it cannot continue, since --restart-every 0 "
                       "writes no restart files",
                       reason, time);
    return ky_fail(error, KY_STOPPED, "stopped by %s at time %s; `kyoho run --resume %s` continues",
                   reason, time, run->given.output);
}
