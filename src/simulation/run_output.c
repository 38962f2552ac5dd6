/* What a run writes: snapshots, energy rows, restart files and run.json. */
#include "simulation/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"

double ky_run_wall(const struct ky_run *run)
{
    return run->state.wall + (ky_clock() - run->started);
}

enum ky_status ky_run_write_snapshot(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    struct ky_snapshot snapshot;
    struct ky_write_options options;
    ky_snapshot_clear(&snapshot);
    ky_write_options_defaults(&options);
    options.overwrite = 1; /* a resumed run writes the same bytes again */
    options.compress = run->given.compress;
    ky_engine_trim(run->sim->engine);
    enum ky_status status =
        ky_folder_snapshot(run->folder, (size_t)run->state.snapshots, path, error);
    if (!status)
        status = ky_bodies_allocate(&snapshot.bodies, run->sim->n,
                                    run->sim->with | KY_WITH_POTENTIAL, error);
    if (!status)
        status = ky_sim_bodies(run->sim, &snapshot.bodies, error);
    if (!status) {
        snapshot.time = ky_sim_time(run->sim);
        snapshot.units = run->state.units;
        snapshot.parameters = run->text;
        snapshot.softening = run->parameters.softening;
        snapshot.softening_kind = run->parameters.softening_kind;
        status = ky_snapshot_write(path, &snapshot, &options, error);
    }
    snapshot.parameters = NULL; /* the run's own */
    ky_snapshot_free(&snapshot);
    if (!status) {
        run->state.snapshots++;
        ky_log(&run->parameters, KY_LOG_DETAIL, "wrote %s (time %g)", path, ky_sim_time(run->sim));
    }
    return status;
}

enum ky_status ky_run_write_energy(struct ky_run *run, struct ky_error *error)
{
    struct ky_sums sums;
    enum ky_status status = ky_sim_sums(run->sim, &sums, error);
    if (!status && !isfinite(sums.kinetic + sums.potential))
        return ky_fail(
            error, KY_BAD_DATA,
            "at time %g the energy is no longer a finite number: the masses are too large for "
            "these units, "
            "or bodies without softening have met; the restart file is of an earlier time",
            ky_sim_time(run->sim));
    if (!status && !ky_sim_steps(run->sim))
        run->energy_start = (struct ky_energy_start){sums.kinetic + sums.potential, sums.potential,
                                                     run->energy_start.conserved};
    if (!status)
        status =
            ky_energy_row(run->energy, run->folder, &run->energy_start, &sums,
                          ky_sim_time(run->sim), ky_sim_steps(run->sim), ky_run_wall(run), error);
    if (!status)
        run->change = ky_energy_change(&run->energy_start, &sums);
    return status;
}

enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    enum ky_status status = ky_run_keep_energy(run, error);
    if (status)
        return status;
    long bytes = ftell(run->energy);
    if (bytes < 0 || fflush(run->energy) || fsync(fileno(run->energy)))
        return ky_fail(error, KY_CANNOT_WRITE, "%s/energy.csv: %s", run->folder, strerror(errno));
    struct ky_run_state state = run->state;
    state.energy_bytes = (uint64_t)bytes;
    state.energy = run->energy_start.energy;
    state.potential = run->energy_start.potential;
    state.conserved = (uint64_t)run->energy_start.conserved;
    state.wall = ky_run_wall(run);
    const char *origin = run->origin ? run->origin : "";
    const struct ky_section extra[] = {
        {"run", &state, sizeof state},
        {"parameters", run->text, strlen(run->text) + 1},
        {"origin", origin, strlen(origin) + 1},
        {"at", run->schedule.at, run->schedule.ats * sizeof *run->schedule.at},
    };
    status = ky_folder_path(run->folder, "restart.kyo", path, error);
    if (!status)
        status = ky_sim_write_restart(run->sim, path, extra, sizeof extra / sizeof *extra, error);
    if (status)
        return status;
    run->restarted = ky_clock();
    run->resume_time = ky_sim_time(run->sim);
    run->resume_steps = ky_sim_steps(run->sim);
    return KY_OK;
}

static void write_options(struct ky_json *json, const struct ky_parameters *parameters)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    struct ky_parameters own = *parameters;
    ky_parameter_sets(&own, sets);
    ky_json_object(json, "options");
    for (int s = 0; s < KY_PARAMETER_SETS; s++)
        for (size_t k = 0; k < sets[s].count; k++) {
            char text[256];
            ky_option_text(&sets[s].options[k], &own, text, sizeof text);
            ky_json_text(json, sets[s].options[k].name, text);
        }
    ky_json_end_object(json);
}

/* From where a resumption would start. */
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

/* Intervals in time and in steps. */
static void write_schedule(struct ky_json *json, const struct ky_run *run)
{
    const struct ky_schedule *schedule = &run->schedule;
    double step = fabs(schedule->step);
    ky_json_real(json, "end", run->sim->start + (double)schedule->end * schedule->step);
    if (schedule->every)
        ky_json_real(json, "every", (double)schedule->every * step);
    else
        ky_json_null(json, "every");
    ky_json_real(json, "energy_every", (double)schedule->energy_every * step);
    ky_json_array(json, "at");
    for (size_t k = 0; k < schedule->ats; k++)
        ky_json_real(json, NULL, run->sim->start + (double)schedule->at[k] * schedule->step);
    ky_json_end_array(json);
    ky_json_count(json, "steps_at_end", schedule->end);
    ky_json_count(json, "steps_between_snapshots", schedule->every);
    ky_json_count(json, "steps_between_energies", schedule->energy_every);
}

static void describe(struct ky_run *run, const char *outcome, const char *reason, FILE *out)
{
    struct ky_json json = {.out = out};
    struct ky_force_report report;
    struct utsname host;
    char date[40];
    time_t now = time(NULL);
    struct tm calendar;
    gmtime_r(&now, &calendar);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &calendar);
    ky_sim_report(run->sim, &report);
    ky_json_object(&json, NULL);
    ky_json_text(&json, "program", "kyoho");
    ky_json_text(&json, "version", ky_version());
    ky_json_text(&json, "outcome", outcome);
    ky_json_text(&json, "reason", reason);
    write_resume(&json, run);
    ky_json_text(&json, "written", date);
    ky_json_text(&json, "origin", run->origin);
    if (run->state.has_seed)
        ky_json_count(&json, "seed", run->state.seed);
    else
        ky_json_null(&json, "seed");
    ky_json_real(&json, "start", run->sim->start);
    write_schedule(&json, run);
    ky_json_count(&json, "n", ky_sim_n(run->sim));
    ky_json_real(&json, "time", ky_sim_time(run->sim));
    ky_json_count(&json, "steps", ky_sim_steps(run->sim));
    ky_json_count(&json, "snapshots", run->state.snapshots);
    ky_json_real(&json, "energy_change", run->change);
    ky_json_real(&json, "wall_s", ky_run_wall(run));
    ky_json_text(&json, "engine", report.engine);
    ky_json_text(&json, "device", report.device);
    ky_json_text(&json, "compiler", __VERSION__);
    ky_json_text(&json, "host", uname(&host) ? NULL : host.nodename);
    ky_json_text(&json, "system", uname(&host) ? NULL : host.release);
    write_options(&json, &run->sim->parameters);
    ky_json_end_object(&json);
}

/* run.json as text, to be freed; NULL when memory is out. */
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

/* On a full disk a file cannot be replaced, but the blocks of the one that is there can be written
 * again. */
void ky_run_write_failure(struct ky_run *run, const char *reason)
{
    char path[KY_PATH];
    size_t size = 0;
    ky_log(&run->parameters, KY_LOG_DETAIL, "failed at time %g: %s", ky_sim_time(run->sim), reason);
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

/* ---- energy.csv ---- */

/* All bytes of the open file, which may have no name any more, to a new one, which takes its place.
 */
static enum ky_status copy_energy(struct ky_run *run, const char *path, const char *previous,
                                  struct ky_error *error)
{
    char part[1 << 14];
    struct ky_file *file = NULL;
    ssize_t bytes = 0;
    off_t offset = 0;
    enum ky_status status = ky_file_create(path, 1, &file, error);
    if (status)
        return status;
    while ((bytes = pread(fileno(run->energy), part, sizeof part, offset)) > 0) {
        ky_file_write(file, part, (size_t)bytes);
        offset += bytes;
    }
    status = ky_file_finish(file, error);
    /* Opened by its temporary name: at `path` there may be another one again. */
    FILE *copy = bytes < 0 || status ? NULL : fopen(ky_file_temporary(file), "r+");
    if (!copy || fseek(copy, 0, SEEK_END)) {
        if (!status)
            status = ky_fail(error, KY_CANNOT_WRITE, "%s: %s", path, strerror(errno));
        ky_file_discard(file);
    } else {
        status = ky_file_publish(file, previous, error);
    }
    if (status && copy)
        fclose(copy);
    if (status)
        return status;
    fclose(run->energy);
    run->energy = copy;
    return KY_OK;
}

enum ky_status ky_run_keep_energy(struct ky_run *run, struct ky_error *error)
{
    struct stat open_one, named;
    char path[KY_PATH], previous[KY_PATH];
    enum ky_status status = ky_folder_path(run->folder, "energy.csv", path, error);
    if (!status)
        status = ky_folder_path(run->folder, "energy.csv.previous", previous, error);
    if (status)
        return status;
    int there = !stat(path, &named);
    if (!fstat(fileno(run->energy), &open_one) && there && open_one.st_dev == named.st_dev &&
        open_one.st_ino == named.st_ino)
        return KY_OK;
    if (fflush(run->energy))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", path, strerror(errno));
    status = copy_energy(run, path, there ? previous : NULL, error);
    if (!status)
        ky_log(&run->parameters, KY_LOG_WARNING, "%s was %s during the run; it is written again%s",
               path, there ? "replaced" : "removed",
               there ? ", and what replaced it is energy.csv.previous" : "");
    return status;
}
