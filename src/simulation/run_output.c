/* What a run writes: snapshots, energy rows, restart files and run.json. */
#include "simulation/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
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
        ky_folder_snapshot(run->given.output, (size_t)run->state.snapshots, path, error);
    if (!status)
        status = ky_bodies_allocate(&snapshot.bodies, run->sim->n,
                                    run->sim->with | KY_WITH_POTENTIAL, error);
    if (!status)
        status = ky_sim_bodies(run->sim, &snapshot.bodies, error);
    if (!status) {
        snapshot.time = ky_sim_time(run->sim);
        snapshot.units = run->state.units;
        snapshot.parameters = run->text;
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
            ky_energy_row(run->energy, run->energy_path, &run->energy_start, &sums,
                          ky_sim_time(run->sim), ky_sim_steps(run->sim), ky_run_wall(run), error);
    if (!status)
        run->change = ky_energy_change(&run->energy_start, &sums);
    return status;
}

enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    if (fflush(run->energy) || fsync(fileno(run->energy)))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", run->energy_path, strerror(errno));
    struct ky_run_state state = run->state;
    long bytes = ftell(run->energy);
    if (bytes < 0)
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", run->energy_path, strerror(errno));
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
    };
    enum ky_status status = ky_folder_path(run->given.output, "restart.kyo", path, error);
    if (!status)
        status = ky_sim_write_restart(run->sim, path, extra, sizeof extra / sizeof *extra, error);
    run->restarted = ky_clock();
    return status;
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

static void describe(struct ky_run *run, const char *outcome, FILE *out)
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
    ky_json_text(&json, "written", date);
    ky_json_text(&json, "origin", run->origin);
    if (run->state.has_seed)
        ky_json_count(&json, "seed", run->state.seed);
    else
        ky_json_null(&json, "seed");
    ky_json_real(&json, "start", run->sim->start);
    ky_json_real(&json, "end", run->sim->start + (double)run->schedule.end * run->schedule.step);
    if (run->schedule.every)
        ky_json_real(&json, "every", (double)run->schedule.every * fabs(run->schedule.step));
    else
        ky_json_null(&json, "every");
    ky_json_count(&json, "n", ky_sim_n(run->sim));
    ky_json_real(&json, "time", ky_sim_time(run->sim));
    ky_json_count(&json, "steps", ky_sim_steps(run->sim));
    ky_json_count(&json, "steps_at_end", run->schedule.end);
    ky_json_count(&json, "steps_between_snapshots", run->schedule.every);
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

enum ky_status ky_run_write_json(struct ky_run *run, const char *outcome, struct ky_error *error)
{
    char path[KY_PATH];
    char *text = NULL;
    size_t size = 0;
    struct ky_file *file = NULL;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return ky_no_memory(error, "run.json", 1, 4096);
    describe(run, outcome, memory);
    int failed = fclose(memory);
    enum ky_status status = failed ? ky_no_memory(error, "run.json", 1, 4096)
                                   : ky_folder_path(run->given.output, "run.json", path, error);
    if (!status)
        status = ky_file_create(path, 1, &file, error);
    if (!status) {
        ky_file_write(file, text, size);
        status = ky_file_publish(file, NULL, error);
    }
    free(text);
    return status;
}
