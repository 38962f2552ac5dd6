/* What a run writes: snapshots, energy rows and restart files; run.json is in run_json.c. */
#include "simulation/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

double ky_run_wall(const struct ky_run *run)
{
    return run->state.wall + (ky_clock() - run->started);
}

double ky_run_gflops(const struct ky_run *run, double pairs)
{
    return 1e-9 * KY_OPERATIONS * pairs / ky_run_wall(run);
}

enum ky_status ky_run_write_snapshot(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    struct ky_snapshot snapshot;
    struct ky_write_options options;
    /* every format takes bodies without ids for numbered from 0 on */
    const unsigned with = (run->sim->id ? run->sim->with : run->sim->with & ~(unsigned)KY_WITH_ID) |
                          KY_WITH_POTENTIAL;
    ky_snapshot_clear(&snapshot);
    ky_write_options_defaults(&options);
    options.overwrite = 1; /* a resumed run writes the same bytes again */
    options.compress = run->given.compress;
    ky_announce(&run->parameters, run->sim->n, "writing a snapshot");
    ky_engine_trim(run->sim->engine);
    enum ky_status status =
        ky_folder_snapshot(run->folder, (size_t)run->state.snapshots, path, error);
    if (!status)
        status = ky_bodies_allocate(&snapshot.bodies, run->sim->n, with, error);
    if (!status)
        status = ky_sim_bodies(run->sim, &snapshot.bodies, error);
    if (!status) {
        snapshot.time = ky_sim_time(run->sim);
        snapshot.units = run->state.units;
        snapshot.space = run->state.space;
        snapshot.parameters = run->text;
        snapshot.softening = run->parameters.softening;
        snapshot.softening_kind = run->parameters.softening_kind;
        status = ky_snapshot_write(path, &snapshot, &options, error);
    }
    snapshot.parameters = NULL; /* the run's own */
    ky_snapshot_free(&snapshot);
    if (!status) {
        run->state.snapshots++;
        ky_log(&run->parameters, KY_LOG_DETAIL, "wrote %s%s (time %.10g)", run->given.output,
               strrchr(path, '/'), ky_sim_time(run->sim)); /* where the first ones go in the end */
    }
    return status;
}

/* If another program has cut energy.csv short since the last row, the next row would be written
 * behind a hole of zero bytes. So the file goes on at its end, with a whole line. What was cut off
 * is lost. A restart file that counts on the lost rows is soon replaced. *end: where the file
 * ended. */
static enum ky_status notice_cut(struct ky_run *run, long *end, struct ky_error *error)
{
    struct stat about;
    long bytes = *end = ftell(run->energy);
    if (fstat(fileno(run->energy), &about) || about.st_size >= bytes)
        return KY_OK;
    fseek(run->energy, 0, SEEK_END);
    *end = ftell(run->energy);
    run->restarted = -HUGE_VAL;
    ky_log(&run->parameters, KY_LOG_WARNING,
           "%s/energy.csv was cut from %ld to %lld bytes during the run; what was cut off is lost",
           run->given.output, bytes, (long long)about.st_size);
    if (!about.st_size)
        return ky_energy_header(run->energy, run->given.output, &run->energy_start, error);
    fputc('\n', run->energy); /* it may end within a row */
    return KY_OK;
}

/* Whether energy.csv was cut short between that look and what was written at byte `begin` since,
 * which then stands behind a hole. The file ends before the hole again. */
static int remove_hole(struct ky_run *run, long begin)
{
    const int file = fileno(run->energy);
    char before = 1;
    long end = begin;
    while (end > 0 && pread(file, &before, 1, end - 1) == 1 && !before)
        end--;
    return end < begin && !ftruncate(file, end);
}

/* The arrays that rows read bodies into. They stay between rows: memory that is new each time costs
 * more than the copy: 6 of 9 ms for 240,002 bodies on two cores. */
static enum ky_status need_row(struct ky_run *run, struct ky_error *error)
{
    const unsigned with = run->energy_start.followed.count ? KY_WITH_ID : 0;
    if (run->row.mass && run->row.n == run->sim->n)
        return KY_OK;
    ky_bodies_free(&run->row);
    return ky_bodies_allocate(&run->row, run->sim->n, with, error);
}

/* What a row says of single bodies: the core, and the places of those that are followed. */
static enum ky_status measure_bodies(struct ky_run *run, double core[KY_CORE_NUMBERS],
                                     struct ky_error *error)
{
    if (!run->energy_start.core && !run->energy_start.followed.count)
        return KY_OK;
    enum ky_status status = need_row(run, error);
    struct ky_bodies wanted = run->row;
    if (!run->energy_start.core)
        wanted.mass = NULL, wanted.velocity = NULL;
    if (!status)
        status = ky_sim_bodies(run->sim, &wanted, error);
    if (!status)
        ky_run_find_followed(&run->energy_start.followed, &wanted);
    if (!status && run->energy_start.core)
        status = ky_run_measure_core(run, &run->row, core, error);
    return status;
}

enum ky_status ky_run_write_energy(struct ky_run *run, struct ky_error *error)
{
    struct ky_sums sums = {0};
    double core[KY_CORE_NUMBERS] = {0};
    long begin = 0;
    int again = 0;
    enum ky_status status = ky_sim_sums(run->sim, &sums, error);
    if (!status)
        status = measure_bodies(run, core, error);
    if (status == KY_BAD_DATA) /* the restart file is of an earlier time */
        return ky_fail_in(error, status, "at time %.10g: ", ky_sim_time(run->sim));
    if (!status && !ky_sim_steps(run->sim)) {
        run->energy_start.energy = ky_total_energy(&sums);
        run->energy_start.potential = sums.potential;
    }
    do {
        if (!status)
            status = notice_cut(run, &begin, error);
        if (!status)
            status = ky_energy_row(run->energy, run->given.output, &run->energy_start, &sums, core,
                                   ky_sim_time(run->sim), ky_sim_steps(run->sim), ky_run_wall(run),
                                   error);
        again = !status && remove_hole(run, begin);
    } while (again);
    if (!status)
        run->state.change = ky_energy_change(&run->energy_start, &sums);
    return status;
}

int ky_run_writes_restarts(const struct ky_run *run)
{
    return run->given.restart_every > 0;
}

enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    long end;
    enum ky_status status = ky_run_keep_energy(run, error);
    if (!status)
        status = notice_cut(run, &end, error);
    if (status)
        return status;
    long bytes = ftell(run->energy);
    if (bytes < 0 || fflush(run->energy) || fsync(fileno(run->energy)))
        return ky_fail(error, KY_CANNOT_WRITE, "%s/energy.csv: %s", run->given.output,
                       strerror(errno));
    if (!ky_run_writes_restarts(run))
        return KY_OK;
    struct ky_run_state state = run->state;
    state.energy_bytes = (uint64_t)bytes;
    state.energy = run->energy_start.energy;
    state.potential = run->energy_start.potential;
    state.conserved = (uint64_t)run->energy_start.conserved;
    state.wall = ky_run_wall(run);
    const char *origin = run->origin ? run->origin : "";
    const char *source = run->source ? run->source : "";
    const struct ky_followed *followed = &run->energy_start.followed;
    struct ky_section stored = {0};
    ky_announce(&run->parameters, run->sim->n, "writing a restart file");
    status = ky_run_store_state(&state, &stored, error);
    const struct ky_section extra[] = {
        stored,
        {"parameters", run->text, strlen(run->text) + 1},
        {"origin", origin, strlen(origin) + 1},
        {"source", source, strlen(source) + 1},
        {"bodies", &run->hash, sizeof run->hash},
        {"at", run->schedule.at, run->schedule.ats * sizeof *run->schedule.at},
        {"core", run->history.row, run->history.count * sizeof *run->history.row},
        {"follow", followed->id, followed->count * sizeof *followed->id},
    };
    if (!status)
        status = ky_folder_path(run->folder, "restart.kyo", path, error);
    if (!status)
        status = ky_sim_write_restart(run->sim, path, extra, sizeof extra / sizeof *extra, error);
    ky_section_free(&stored);
    if (status)
        return status;
    run->restarted = ky_clock();
    run->resume_time = ky_sim_time(run->sim);
    run->resume_steps = ky_sim_steps(run->sim);
    return KY_OK;
}

/* ---- energy.csv ---- */

/* Copies the open file, which may have no name any more, to a new one with the name `path`, and
 * goes on with that. */
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
    /* By its temporary name: at `path` somebody may have put another file again. */
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
