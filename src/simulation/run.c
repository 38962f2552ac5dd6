/* A run in a folder, from its start or from a restart file to its end. */
#include "simulation/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/options.h"

/* ---- opening and closing ---- */

/* Every line goes to run.log with the time of day, and on to the caller. */
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

static enum ky_status create(const struct ky_parameters *parameters,
                             const struct ky_run_parameters *given, struct ky_run **made,
                             struct ky_error *error)
{
    if (given->size != sizeof *given || parameters->size != sizeof *parameters)
        return ky_fail(error, KY_USAGE,
                       "parameters were not filled by the _defaults calls of this version");
    if (!given->output)
        return ky_fail(error, KY_USAGE, "where to? give --output FOLDER");
    struct ky_run *run = *made = ky_allocate_zeroed(1, sizeof *run);
    if (!run)
        return ky_no_memory(error, "run", 1, sizeof *run);
    run->parameters = *parameters;
    run->outer_log = parameters->log;
    run->outer_context = parameters->log_context;
    run->parameters.log = log_line;
    run->parameters.log_context = run;
    run->given = *given;
    run->started = ky_clock();
    run->change = (double)NAN;
    return KY_OK;
}

static void destroy(struct ky_run *run)
{
    ky_sim_close(run->sim);
    if (run->log)
        fclose(run->log);
    if (run->energy)
        fclose(run->energy);
    free(run->text);
    free(run->origin);
    free(run);
}

static enum ky_status open_file(const struct ky_run *run, const char *name, const char *mode,
                                FILE **file, char path[KY_PATH], struct ky_error *error)
{
    enum ky_status status = ky_folder_path(run->given.output, name, path, error);
    if (!status && !(*file = fopen(path, mode)))
        status = ky_fail(error, KY_CANNOT_WRITE, "%s: %s", path, strerror(errno));
    return status;
}

/* ---- what the user should know before the first step ---- */

/* Massless bodies have no scales of their own: all 0. */
static enum ky_status read_scales(const struct ky_parameters *parameters,
                                  const struct ky_bodies *bodies, struct ky_scales *scales,
                                  struct ky_error *error)
{
    int massive = 0;
    for (size_t i = 0; i < bodies->n && !massive; i++)
        massive = bodies->mass[i] > 0;
    *scales = (struct ky_scales){0};
    return massive && parameters->g > 0
               ? ky_system_scales(bodies, parameters->g, parameters->softening, scales, error)
               : KY_OK;
}

static void warn(const struct ky_run *run, const struct ky_scales *scales, double start)
{
    double softening = run->parameters.softening;
    double longest = 0.3 * softening / scales->velocity_dispersion; /* [time] */
    double end = start + (double)run->schedule.end * run->schedule.step;
    if (softening > 0 && scales->velocity_dispersion > 0 && fabs(run->schedule.step) > longest)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the step %g is longer than 0.3 ε/σ = %g: close encounters will not be followed; "
               "take a shorter "
               "--step or a larger --softening",
               run->schedule.step, longest);
    if (scales->relaxation_time > 0 && fabs(end - start) > scales->relaxation_time)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the run is longer than the relaxation time %.3g of %zu bodies: it no longer "
               "follows a smooth "
               "system; more bodies or a shorter run would",
               scales->relaxation_time, run->sim ? ky_sim_n(run->sim) : (size_t)0);
}

enum ky_status ky_run_plan(const struct ky_parameters *parameters,
                           const struct ky_run_parameters *given, const struct ky_snapshot *initial,
                           struct ky_plan *plan, struct ky_error *error)
{
    struct ky_parameters resolved;
    struct ky_schedule schedule;
    struct ky_scales scales;
    struct ky_memory memory;
    size_t n = initial->bodies.n;
    enum ky_status status = ky_parameters_resolve(parameters, &resolved, error);
    if (!status)
        status = read_scales(&resolved, &initial->bodies, &scales, error);
    if (!status)
        status = ky_schedule_make(&resolved, given, initial->time, scales.step, &schedule, error);
    if (!status)
        status = ky_engine_memory(&resolved, n, &memory, error);
    if (status)
        return status;
    /* A copy for output: mass, position, velocity, id; acceleration, potential. */
    const double copy = 64 + 32;
    double available = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    plan->step = schedule.step;
    plan->steps = schedule.end;
    plan->snapshots = schedule.every ? schedule.end / schedule.every + 1 : 2;
    plan->host_bytes = fmax(memory.host, memory.kept + copy * (double)n);
    plan->device_bytes = memory.device;
    plan->disk_bytes = (double)plan->snapshots * 72 * (double)n + 2 * (copy * (double)n + 4096) +
                       300.0 * (double)(schedule.end / schedule.energy_every + 1);
    plan->largest_n = n ? floor((double)n * available / plan->host_bytes) : 0;
    return KY_OK;
}

/* ---- the loop ---- */

struct pace {
    double second;  /* ky_clock at the start of the second that is measured */
    uint64_t steps; /* at that moment */
    double rate;    /* steps per second; 0: not known yet */
};

static void tell(struct ky_run *run, struct pace *pace)
{
    if (!run->given.progress)
        return;
    double now = ky_clock();
    uint64_t steps = ky_sim_steps(run->sim);
    if (now - pace->second > 1.0) {
        pace->rate = (double)(steps - pace->steps) / (now - pace->second);
        pace->second = now;
        pace->steps = steps;
    }
    const struct ky_progress progress = {
        .time = ky_sim_time(run->sim),
        .end = run->sim->start + (double)run->schedule.end * run->schedule.step,
        .steps = steps,
        .steps_at_end = run->schedule.end,
        .steps_per_s = pace->rate,
        .seconds_left =
            pace->rate > 0 ? (double)(run->schedule.end - steps) / pace->rate : (double)NAN,
        .energy_change = run->change,
        .snapshots = (size_t)run->state.snapshots,
    };
    run->given.progress(run->given.progress_context, &progress);
}

/* Why the run has to stop now, or NULL. */
static const char *stop_reason(const struct ky_run *run)
{
    if (run->given.stop && *run->given.stop)
        return "a signal";
    if (!isnan(run->given.max_wall) && ky_clock() - run->started >= run->given.max_wall)
        return "--max-wall";
    return ky_folder_stop(run->given.output) ? "a file named stop" : NULL;
}

static int due(uint64_t steps, uint64_t interval, uint64_t end)
{
    return steps == end || (interval && steps % interval == 0);
}

static enum ky_status step(struct ky_run *run, struct ky_error *error)
{
    const struct ky_schedule *schedule = &run->schedule;
    enum ky_status status = ky_sim_advance(run->sim, 1, error);
    uint64_t steps = ky_sim_steps(run->sim);
    if (!status && due(steps, schedule->energy_every, schedule->end))
        status = ky_run_write_energy(run, error);
    if (!status && due(steps, schedule->every, schedule->end))
        status = ky_run_write_snapshot(run, error);
    if (!status && steps < schedule->end && ky_clock() - run->restarted >= run->given.restart_every)
        status = ky_run_write_restart(run, error);
    return status;
}

static enum ky_status loop(struct ky_run *run, struct ky_error *error)
{
    struct pace pace = {ky_clock(), ky_sim_steps(run->sim), 0};
    const char *reason = NULL;
    while (ky_sim_steps(run->sim) < run->schedule.end && !(reason = stop_reason(run))) {
        enum ky_status status = step(run, error);
        if (status)
            return status;
        tell(run, &pace);
    }
    enum ky_status status = ky_run_write_restart(run, error);
    if (!status)
        status = ky_run_write_json(run, reason ? "stopped early" : "done", error);
    if (status)
        return status;
    ky_log(&run->parameters, KY_LOG_INFO, "%s at time %g after %llu steps, %.1f s",
           reason ? "stopped" : "done", ky_sim_time(run->sim),
           (unsigned long long)ky_sim_steps(run->sim), ky_run_wall(run));
    if (!reason)
        return KY_OK;
    return ky_fail(error, KY_STOPPED, "stopped by %s at time %g; `kyoho run --resume %s` goes on",
                   reason, ky_sim_time(run->sim), run->given.output);
}

/* ---- from the start ---- */

/* The effective parameters as INI text. */
static enum ky_status write_text(struct ky_run *run, struct ky_error *error)
{
    struct ky_option_set sets[KY_PARAMETER_SETS + 1];
    struct ky_parameters resolved;
    size_t size = 0;
    enum ky_status status = ky_parameters_resolve(&run->parameters, &resolved, error);
    if (status)
        return status;
    resolved.step = run->schedule.step;
    ky_parameter_sets(&resolved, sets);
    FILE *memory = open_memstream(&run->text, &size);
    if (!memory)
        return ky_no_memory(error, "parameters", 1, 4096);
    ky_options_write_ini(sets, KY_PARAMETER_SETS, memory);
    return fclose(memory) ? ky_no_memory(error, "parameters", 1, 4096) : KY_OK;
}

/* Everything that can be refused, and the first forces. */
static enum ky_status prepare(struct ky_run *run, struct ky_snapshot *initial,
                              struct ky_scales *scales, struct ky_error *error)
{
    if (!initial->bodies.n)
        return ky_fail(error, KY_BAD_DATA, "there are no bodies to run");
    int symmetric = !initial->bodies.softening || run->parameters.softening_kind == KY_SYMMETRIC;
    enum ky_status status = ky_bodies_check(&initial->bodies, error);
    if (!status)
        status = read_scales(&run->parameters, &initial->bodies, scales, error);
    if (!status)
        status = ky_schedule_make(&run->parameters, &run->given, initial->time, scales->step,
                                  &run->schedule, error);
    run->derived_step = isnan(run->parameters.step);
    run->parameters.step = run->schedule.step;
    if (!status)
        status = write_text(run, error);
    if (!status)
        status = ky_sim_place(&run->parameters, &initial->bodies, initial->time, &run->sim, error);
    if (status)
        return status;
    ky_bodies_free(&initial->bodies);
    status = ky_sim_first_forces(run->sim, error);
    if (status)
        return status;
    run->energy_start.conserved = symmetric;
    run->state = (struct ky_run_state){.step = run->schedule.step,
                                       .end = run->schedule.end,
                                       .every = run->schedule.every,
                                       .energy_every = run->schedule.energy_every,
                                       .compress = (uint64_t)run->given.compress,
                                       .seed = run->given.seed,
                                       .units = initial->units};
    run->state.units.g = run->parameters.g;
    return KY_OK;
}

/* The first files. */
static enum ky_status begin(struct ky_run *run, const struct ky_scales *scales,
                            struct ky_error *error)
{
    char path[KY_PATH];
    enum ky_status status = ky_folder_clear(run->given.output, error);
    if (!status)
        status = open_file(run, "run.log", "a", &run->log, path, error);
    if (!status)
        status = open_file(run, "energy.csv", "w", &run->energy, run->energy_path, error);
    if (!status)
        status = ky_energy_header(run->energy, run->energy_path, error);
    if (status)
        return status;
    if (run->derived_step)
        ky_log(&run->parameters, KY_LOG_INFO, "step %g, derived from softening and velocities",
               run->schedule.step);
    warn(run, scales, run->sim->start);
    status = ky_run_write_energy(run, error);
    if (!status)
        status = ky_run_write_snapshot(run, error);
    if (!status)
        status = ky_run_write_restart(run, error);
    if (!status)
        status = ky_run_write_json(run, "running", error);
    return status;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

enum ky_status ky_run(const struct ky_parameters *parameters, const struct ky_run_parameters *given,
                      struct ky_snapshot *initial, struct ky_error *error)
{
    struct ky_run *run = NULL;
    struct ky_scales scales;
    int made = 0;
    enum ky_status status = create(parameters, given, &run, error);
    if (status)
        return status;
    run->origin = given->origin ? copy_text(given->origin) : NULL;
    status = ky_folder_check(given->output, given->overwrite, &made, error);
    if (!status) {
        status = prepare(run, initial, &scales, error);
        if (status && made)
            rmdir(given->output); /* a run that did not begin leaves nothing */
    }
    if (!status)
        status = begin(run, &scales, error);
    if (!status)
        status = loop(run, error);
    destroy(run);
    return status;
}

/* ---- from a restart file ---- */

/* The parameters of the run, but those of the processor and the log from the caller. */
static enum ky_status restore_parameters(struct ky_run *run, const struct ky_restart *restart,
                                         struct ky_error *error)
{
    const struct ky_section *text = ky_restart_find(restart, "parameters");
    const struct ky_section *origin = ky_restart_find(restart, "origin");
    if (!text || !text->bytes || ((const char *)text->data)[text->bytes - 1])
        return ky_fail(error, KY_BAD_DATA, "the restart file has no parameters");
    run->text = copy_text(text->data);
    char *work = copy_text(text->data);
    if (origin && origin->bytes && !((const char *)origin->data)[origin->bytes - 1])
        run->origin = copy_text(origin->data);
    if (!work || !run->text) {
        free(work);
        return ky_no_memory(error, "parameters", (size_t)text->bytes, 1);
    }
    struct ky_parameters stored;
    struct ky_option_set sets[KY_PARAMETER_SETS];
    ky_parameters_defaults(&stored);
    ky_parameter_sets(&stored, sets);
    enum ky_status status = ky_options_read_back(sets, KY_PARAMETER_SETS, work, error);
    stored.engine = run->parameters.engine;
    stored.isa = run->parameters.isa;
    stored.threads = run->parameters.threads;
    stored.log = run->parameters.log;
    stored.log_context = run->parameters.log_context;
    run->parameters = stored;
    free(work);
    return status;
}

static enum ky_status restore_state(struct ky_run *run, const struct ky_restart *restart,
                                    struct ky_error *error)
{
    const struct ky_run_state *stored = ky_restart_section(restart, "run", sizeof *stored, error);
    if (!stored)
        return KY_BAD_DATA;
    run->state = *stored;
    run->schedule =
        (struct ky_schedule){stored->step, stored->end, stored->every, stored->energy_every};
    run->energy_start =
        (struct ky_energy_start){stored->energy, stored->potential, (int)stored->conserved};
    run->given.compress = (int)stored->compress;
    return stored->energy_every ? KY_OK
                                : ky_fail(error, KY_BAD_DATA, "the restart file holds no schedule");
}

/* energy.csv as it was when the restart file was written. */
static enum ky_status cut_energy(struct ky_run *run, struct ky_error *error)
{
    enum ky_status status =
        open_file(run, "energy.csv", "r+", &run->energy, run->energy_path, error);
    if (status)
        return status;
    if (fseek(run->energy, 0, SEEK_END) || ftell(run->energy) < (long)run->state.energy_bytes)
        return ky_fail(error, KY_BAD_DATA, "%s: is shorter than when the restart file was written",
                       run->energy_path);
    if (ftruncate(fileno(run->energy), (off_t)run->state.energy_bytes) ||
        fseek(run->energy, (long)run->state.energy_bytes, SEEK_SET))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", run->energy_path, strerror(errno));
    return KY_OK;
}

static enum ky_status reopen(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    struct ky_restart restart = {0};
    int previous = 0;
    enum ky_status status = ky_folder_path(run->given.output, "restart.kyo", path, error);
    if (!status)
        status = ky_restart_read(path, &restart, &previous, error);
    if (!status)
        status = restore_state(run, &restart, error);
    if (!status)
        status = restore_parameters(run, &restart, error);
    if (!status)
        status = ky_sim_from_restart(&restart, &run->parameters, &run->sim, error);
    ky_restart_free(&restart);
    if (!status && (!isnan(run->given.end) || run->given.steps))
        status = ky_schedule_extend(&run->schedule, run->sim->start, run->given.end,
                                    run->given.steps, error);
    if (!status && run->schedule.end < ky_sim_steps(run->sim))
        status = ky_fail(error, KY_USAGE, "the run in %s is at time %g already, past that end",
                         run->given.output, ky_sim_time(run->sim));
    if (!status)
        status = open_file(run, "run.log", "a", &run->log, path, error);
    if (!status)
        status = cut_energy(run, error);
    if (status)
        return status;
    run->state.end = run->schedule.end;
    run->started = ky_clock();
    run->restarted = ky_clock();
    if (previous)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "restart.kyo is missing or damaged; going on from the one before");
    ky_log(&run->parameters, KY_LOG_INFO, "going on from time %g, step %llu", ky_sim_time(run->sim),
           (unsigned long long)ky_sim_steps(run->sim));
    return KY_OK;
}

enum ky_status ky_resume(const struct ky_parameters *parameters,
                         const struct ky_run_parameters *given, struct ky_error *error)
{
    struct ky_run *run = NULL;
    enum ky_status status = create(parameters, given, &run, error);
    if (status)
        return status;
    status = reopen(run, error);
    if (!status)
        status = loop(run, error);
    destroy(run);
    return status;
}
