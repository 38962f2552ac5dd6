/* The resumption of a run from its restart file. */
#include "simulation/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "base/threads.h"
#include "base/units.h"
#include "engine/common/external.h"

/* A text of the restart file; NULL if it is missing or empty. */
static char *text_of(const struct ky_restart *restart, const char *name)
{
    const struct ky_section *section = ky_restart_find(restart, name);
    if (!section || section->bytes < 2 || ((const char *)section->data)[section->bytes - 1])
        return NULL;
    return ky_run_copy_text(section->data);
}

/* Restores the parameters of the run. Engine, threads and log come from the caller. The units are
 * the units of the bodies, for values that the caller's function sets. */
static enum ky_status restore_parameters(struct ky_run *run, const struct ky_restart *restart,
                                         struct ky_error *error)
{
    const struct ky_section *bodies = ky_restart_find(restart, "bodies");
    struct ky_parameters wanted = run->parameters;
    wanted.units = run->state.units;
    run->origin = text_of(restart, "origin");
    run->source = text_of(restart, "source");
    if (bodies && bodies->bytes == sizeof run->hash)
        memcpy(&run->hash, bodies->data, sizeof run->hash);
    const int isa = wanted.isa;
    enum ky_status status =
        ky_sim_restore_parameters(restart, &wanted, &run->parameters, &run->texts, error);
    const char *const with =
        !status && isa > 0 ? ky_parameters_ignore(&run->parameters, "isa") : NULL;
    return with ? ky_option_refuse_idle("isa", with, 1, error) : status;
}

static enum ky_status out_of_order(const char *section, size_t entry, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA,
                   "the restart file has a section '%s' whose entry %zu is invalid: it is not "
                   "finite, negative, or not in order",
                   section, entry);
}

/* The times of --at. Older restart files have none. */
static enum ky_status restore_times(struct ky_schedule *schedule, const struct ky_restart *restart,
                                    struct ky_error *error)
{
    const struct ky_section *at = ky_restart_find(restart, "at");
    if (!at || !at->bytes)
        return KY_OK;
    const size_t size = restart->version > 1 ? sizeof *schedule->at : sizeof(uint64_t);
    const size_t count = (size_t)at->bytes / size;
    KY_TRY(ky_array_zeroed(&schedule->at, count, sizeof *schedule->at, "times of --at", error));
    for (size_t k = 0; k < count; k++) { /* version 1 had only whole ticks */
        struct ky_instant *instant = &schedule->at[k];
        memcpy(instant, (const char *)at->data + k * size, size);
        if (instant->ticks > KY_MOST_TICKS || !isfinite(instant->part) ||
            (k && ky_instant_compare(instant[-1], *instant) >= 0))
            return out_of_order("at", k, error);
    }
    schedule->ats = count;
    return KY_OK;
}

/* The core radii of the last rows. */
static enum ky_status restore_history(struct ky_run *run, const struct ky_restart *restart,
                                      struct ky_error *error)
{
    struct ky_core_history *history = &run->history;
    const struct ky_section *core = ky_restart_find(restart, "core");
    const size_t count = core ? (size_t)core->bytes / sizeof *history->row : 0;
    if (!count)
        return KY_OK;
    KY_TRY(ky_array(&history->row, count, sizeof *history->row, "core radii", error));
    memcpy(history->row, core->data, count * sizeof *history->row);
    history->count = history->room = count;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(history->row[k].time) || !(history->row[k].radius >= 0))
            return out_of_order("core", k, error);
    return KY_OK;
}

/* The listed escapers that still exist. */
static enum ky_status restore_listed(struct ky_run_listed *listed, const struct ky_restart *restart,
                                     struct ky_error *error)
{
    const struct ky_section *ids = ky_restart_find(restart, "listed");
    const size_t count = ids ? (size_t)ids->bytes / sizeof *listed->id : 0;
    if (!count)
        return KY_OK;
    KY_TRY(ky_array(&listed->id, count, sizeof *listed->id, "ids of escapers", error));
    memcpy(listed->id, ids->data, count * sizeof *listed->id);
    listed->count = count;
    for (size_t k = 1; k < count; k++)
        if (listed->id[k - 1] >= listed->id[k])
            return out_of_order("listed", k, error);
    return KY_OK;
}

/* Restores the followed bodies; older files have none. */
static void restore_followed(struct ky_followed *followed, const struct ky_restart *restart)
{
    const struct ky_section *ids = ky_restart_find(restart, "follow");
    const size_t count = ids ? (size_t)ids->bytes / sizeof *followed->id : 0;
    followed->count = count < KY_FOLLOW_MOST ? count : KY_FOLLOW_MOST;
    if (count)
        memcpy(followed->id, ids->data, followed->count * sizeof *followed->id);
}

/* Restores the run's numbers and the schedule that depends on them; its start comes with the
 * simulation. */
static enum ky_status restore_state(struct ky_run *run, const struct ky_restart *restart,
                                    struct ky_error *error)
{
    const struct ky_run_state *stored = &run->state;
    run->state.stride = 1;
    run->state.stop_core = run->state.escape_radius = run->state.change = (double)NAN;
    run->state.escapers = run->state.linking_length = run->state.linking_fraction = (double)NAN;
    run->state.space.hubble = (double)NAN;
    KY_TRY(ky_run_restore_state(restart, &run->state, error));
    run->schedule = (struct ky_schedule){.line = {.tick = stored->tick}, /* the start: see reopen */
                                         .stride = stored->stride,
                                         .bare = (int)stored->bare,
                                         .shorten = (int)stored->shorten,
                                         .end = stored->end,
                                         .every = stored->every,
                                         .energy_every = stored->energy_every,
                                         .fixed = 1};
    run->energy_start = (struct ky_energy_start){.energy = stored->energy,
                                                 .potential = stored->potential,
                                                 .conserved = (int)stored->conserved,
                                                 .evolved = stored->evolved,
                                                 .core = (int)stored->core};
    restore_followed(&run->energy_start.followed, restart);
    run->given.compress = (int)stored->compress;
    run->given.pieces = (int)stored->pieces;
    run->given.groups_every = stored->groups_every;
    run->given.groups_minimum = stored->groups_minimum;
    run->given.linking_length = stored->linking_length;
    run->given.linking_fraction = stored->linking_fraction;
    run->given.core = (int)stored->core;
    run->given.stop_core = stored->stop_core;
    run->given.escape_radius = stored->escape_radius;
    run->given.escapers = stored->escapers;
    run->given.collisions = stored->merges ? KY_COLLISIONS_MERGE : KY_COLLISIONS_BY_STOP;
    KY_TRY(restore_history(run, restart, error));
    KY_TRY(restore_listed(&run->listed, restart, error));
    return restore_times(&run->schedule, restart, error);
}

static enum ky_status contradiction(const char *number, const char *what, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA,
                   "the restart file has a number '%s' in its section 'run' that %s", number, what);
}

/* KY_BAD_DATA unless the numbers of the run agree with its simulation and with each other. */
static enum ky_status check_state(const struct ky_run *run, struct ky_error *error)
{
    const struct ky_run_state *stored = &run->state;
    const struct ky_sim *sim = run->sim;
    const uint64_t stride = sim->integrator->stride;
    struct ky_units units = stored->units;
    const struct {
        const char *number, *what;
        int wrong;
    } table[] = {
        {"tick", "differs from the clock's", stored->tick != sim->line.tick},
        {"stride", "differs from the integrator's", stored->stride != stride},
        {"end' or 'end part", "is not a time of the steps",
         !ky_instant_lies_on(&sim->line, stride, stored->end)},
        {"end", "lies before the time of the bodies",
         ky_instant_compare(stored->end, sim->now) < 0},
        {"every", "is not a multiple of the step", stored->every % stride != 0},
        {"energy every", "is not a multiple of the step",
         !stored->energy_every || stored->energy_every % stride},
        {"bare", "contradicts 'every'", stored->bare && stored->every},
        {"escapers' or 'escape radius", "contradicts the other",
         !isnan(stored->escapers) && !isnan(stored->escape_radius)},
        {"g", "differs from the parameters'", stored->units.g != run->parameters.g},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].wrong)
            return contradiction(table[k].number, table[k].what, error);
    return ky_units_check(&units, error)
               ? contradiction("length cm', 'mass g' or 'velocity cm/s", "does not fit 'g'", error)
               : KY_OK;
}

/* Opens the tables, determines the columns of energy.csv, and truncates the tables to their length
 * at the time of the restart file. Runs of earlier versions had no escapers.csv: it begins here. */
static enum ky_status cut_tables(struct ky_run *run, struct ky_error *error)
{
    const struct ky_run_state *stored = &run->state;
    KY_TRY(ky_run_reopen_table(run, &run->energy, stored->energy_bytes, error));
    ky_energy_find_columns(run->energy.file, &run->energy_start);
    if (run->energy_start.core != (int)stored->core)
        return contradiction("core", "contradicts the columns of energy.csv", error);
    fseek(run->energy.file, 0, SEEK_END);
    KY_TRY(ky_run_open_events(run, 1, error));
    if (!ky_run_finds_escapers(run))
        return KY_OK;
    return stored->escapers_bytes
               ? ky_run_reopen_table(run, &run->escapers, stored->escapers_bytes, error)
               : ky_run_begin_table(run, &run->escapers, error);
}

/* Changes the end of the run, if the caller gives another one. If the run has reached its old end,
 * the snapshot there becomes one of --at, so that run.json repeats it. */
static enum ky_status extend(struct ky_run *run, struct ky_error *error)
{
    char time[KY_QUANTITY_TEXT];
    const struct ky_instant now = run->sim->now, before = run->schedule.end;
    double end;
    KY_TRY(ky_schedule_end(&run->given, run->sim->line.comoving, &end, error));
    if (isnan(end) && !run->given.steps)
        return KY_OK;
    KY_TRY(ky_schedule_extend(&run->schedule, end, run->given.steps, error));
    if (ky_instant_compare(run->schedule.end, now) < 0)
        return ky_fail(
            error, KY_USAGE, "the run in %s is at time %s already, past that end; give a later one",
            run->given.output, ky_time_words(&run->sim->line, ky_sim_time(run->sim), time));
    KY_TRY(ky_externals_cover(&run->sim->engine->externals, ky_sim_time(run->sim),
                              ky_instant_time(&run->sim->line, run->schedule.end), error));
    if (!run->schedule.bare && ky_instant_compare(now, before) == 0 &&
        !ky_schedule_snapshot_due(&run->schedule, before))
        KY_TRY(ky_schedule_add(&run->schedule, before, error));
    return KY_OK;
}

/* As ky_restart_read, with advice if the folder has no intact restart file. */
static enum ky_status read_whole(const char *folder, const char *path, struct ky_restart *restart,
                                 struct ky_error *lacking, struct ky_error *error)
{
    const enum ky_status status = ky_restart_read(path, restart, lacking, error);
    if (status != KY_BAD_DATA || !ky_folder_resumable(folder))
        return status;
    return ky_fail(error, status,
                   "%s; no restart file of the run is intact: restore the lost files from a copy, "
                   "or begin the run again with --overwrite",
                   lacking->text);
}

/* Reads the restart file and resets the folder to its time. KY_USAGE while another run uses the
 * folder. */
static enum ky_status reopen(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH], time[KY_QUANTITY_TEXT];
    struct ky_restart restart = {0};
    struct ky_error lacking = {KY_OK, ""};
    enum ky_status status = ky_folder_path(run->given.output, "restart.kyo", path, error);
    if (!status && ky_folder_resumable(
                       run->given.output)) { /* the process that wrote it may still be running */
        status = ky_run_lock(run, error);
        if (!status)
            status = ky_folder_settle(run->given.output, error);
    }
    if (!status)
        status = read_whole(run->given.output, path, &restart, &lacking, error);
    if (!status)
        status = restore_state(run, &restart, error);
    if (!status)
        status = restore_parameters(run, &restart, error);
    if (!status)
        status = ky_run_settle_collisions(&run->given, &run->parameters, error);
    if (!status)
        status = ky_sim_from_restart(&restart, &run->parameters, &run->sim, error);
    if (!status)
        status = ky_sim_text(run->sim, &run->text, error);
    if (!status)
        status = ky_run_restore_stars(run, &restart, error);
    ky_restart_free(&restart);
    if (!status)
        status = check_state(run, error);
    if (!status) {
        run->sim->line.units = run->state.units;
        run->schedule.line = run->sim->line;
    }
    if (!status)
        status = extend(run, error);
    if (!status)
        status = cut_tables(run, error);
    if (status)
        return status;
    run->state.end = run->schedule.end;
    run->started = ky_clock();
    run->restarted = ky_clock();
    run->resume_time = ky_sim_time(run->sim);
    run->resume_steps = ky_sim_steps(run->sim);
    run->restart_is_broken = lacking.status != KY_OK;
    if (lacking.status)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "restart.kyo is damaged; continuing from the previous one (%s)", lacking.text);
    ky_log(&run->parameters, KY_LOG_INFO, "continuing from time %s, step %llu",
           ky_time_words(&run->sim->line, run->resume_time, time),
           (unsigned long long)ky_sim_steps(run->sim));
    return ky_run_write_json(run, "running", NULL, error);
}

enum ky_status ky_resume(const struct ky_parameters *parameters,
                         const struct ky_run_parameters *run, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(run, error);
    struct ky_run *resumed = NULL;
    KY_TRY(ky_run_create(parameters, run, &resumed, error));
    int threads = ky_threads_take(resumed->parameters.threads);
    enum ky_status status = reopen(resumed, error);
    if (!status)
        status = ky_run_loop(resumed, error);
    ky_threads_restore(threads);
    ky_run_destroy(resumed);
    return status;
}
