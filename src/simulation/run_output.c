/* Output of a run: snapshots, energy rows and restart files; run.json is in run_json.c. */
#include "simulation/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "engine/common/external.h"
#include "integrate/friction.h"
#include "simulation/run_tasks.h"
#include "snapshot/snapshot.h"

double ky_run_wall(const struct ky_run *run)
{
    return run->state.wall + (ky_clock() - run->started);
}

double ky_run_gflops(const struct ky_run *run, double pairs)
{
    return 1e-9 * KY_OPERATIONS * pairs / ky_run_wall(run);
}

/* Fills in the file's properties of the bodies. */
static void describe(struct ky_run *run, struct ky_snapshot *snapshot)
{
    snapshot->time = ky_sim_time(run->sim);
    snapshot->units = run->state.units;
    snapshot->space = run->state.space;
    snapshot->space.box = run->sim->parameters.box;
    snapshot->space.scale_factor = 1;
    if (run->sim->line.comoving) {
        snapshot->space.comoving = 1;
        snapshot->space.converted = KY_TO_COMOVING;
        snapshot->space.scale_factor = snapshot->time;
    }
    snapshot->parameters = run->text;
    snapshot->softening = run->sim->parameters.softening; /* which may have changed */
    snapshot->softening_kind = run->sim->parameters.softening_kind;
}

/* The files of a snapshot: 0 for a single file without a number in its name. There are never more
 * files than bodies, since pynbody does not accept a file without bodies as part of a snapshot.
 * Runs are identified by their parameters and their energy at the start. */
static struct ky_hdf5_pieces pieces_of(const struct ky_run *run)
{
    const size_t ranks = (size_t)run->sim->parameters.ranks, n = run->sim->n,
                 most = ranks < n ? ranks : n;
    const double start[2] = {run->energy_start.energy, run->energy_start.potential};
    if (!run->given.pieces)
        return (struct ky_hdf5_pieces){0};
    return (struct ky_hdf5_pieces){
        .files = most > 1 ? (int)most : 1,
        .run = ky_hash(run->text, strlen(run->text), ky_hash(start, sizeof start, run->hash)) | 1};
}

/* 1 if the next snapshot has a catalogue of groups. */
static int tells_groups(const struct ky_run *run)
{
    const uint64_t every = run->state.groups_every;
    return every && run->state.snapshots % every == 0;
}

/* Writes the catalogue of groups of the snapshot. The CPU finds them, in double. */
static enum ky_status write_groups(const struct ky_run *run, const struct ky_snapshot *snapshot,
                                   struct ky_error *error)
{
    struct ky_parameters parameters;
    struct ky_catalogue_parameters wanted;
    struct ky_catalogue catalogue = {.size = sizeof catalogue};
    char path[KY_PATH];
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.isa = run->sim->parameters.isa;
    parameters.threads = run->sim->parameters.threads;
    parameters.box = run->sim->parameters.box;
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = run->state.linking_length;
    wanted.linking_fraction = run->state.linking_fraction;
    wanted.minimum = run->state.groups_minimum;
    wanted.omega_matter = ky_omega_matter(&snapshot->space);
    KY_TRY(ky_folder_groups(run->folder, (size_t)run->state.snapshots, path, error));
    enum ky_status status =
        ky_catalogue_make(&parameters, &wanted, &snapshot->bodies, &catalogue, NULL, error);
    if (!status)
        status = ky_catalogue_write(path, &catalogue, snapshot, 1, error);
    ky_catalogue_free(&catalogue);
    return status;
}

/* Writes the snapshot with a copy of all bodies, and the catalogue of their groups. */
static enum ky_status write_copy(struct ky_run *run, const char *path, struct ky_snapshot *snapshot,
                                 const struct ky_write_options *options, struct ky_error *error)
{
    /* every format numbers bodies without ids from 0 on */
    const unsigned with = (run->sim->id ? run->sim->with : run->sim->with & ~(unsigned)KY_WITH_ID) |
                          KY_WITH_POTENTIAL;
    enum ky_status status = ky_bodies_allocate(&snapshot->bodies, run->sim->n, with, error);
    if (!status)
        status = ky_sim_bodies(run->sim, &snapshot->bodies, error);
    if (!status && run->sim->line.comoving) /* from momenta to peculiar velocities */
        for (size_t i = 0; i < snapshot->bodies.n; i++)
            for (int c = 0; c < 3; c++)
                snapshot->bodies.velocity[i][c] /= snapshot->time;
    if (!status)
        status = run->given.pieces
                     ? ky_hdf5_write_with(path, snapshot, options, pieces_of(run), NULL, error)
                     : ky_snapshot_write(path, snapshot, options, error);
    if (!status && tells_groups(run))
        status = write_groups(run, snapshot, error);
    ky_bodies_free(&snapshot->bodies);
    return status;
}

/* The same for bodies on several ranks, which write them from there. */
static enum ky_status write_parts(struct ky_run *run, const char *path,
                                  struct ky_snapshot *snapshot,
                                  const struct ky_write_options *options, struct ky_error *error)
{
    struct ky_sim *sim = run->sim;
    struct ky_writers others = ky_sim_writers(sim, KY_NEED_MOTION | 1U << KY_ARRAY_POTENTIAL);
    if (sim->line.comoving) /* from momenta to peculiar velocities */
        others.velocity_divisor = snapshot->time;
    const enum ky_status status = ky_sim_catch_up(sim, error);
    snapshot->bodies =
        (struct ky_bodies){.n = sim->n, .id = sim->id, .type = sim->type, .radius = sim->radius};
    return status ? status
                  : ky_hdf5_write_with(path, snapshot, options, pieces_of(run), &others, error);
}

enum ky_status ky_run_write_snapshot(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH], time[KY_QUANTITY_TEXT];
    struct ky_snapshot snapshot;
    struct ky_write_options options;
    ky_snapshot_clear(&snapshot);
    ky_write_options_defaults(&options);
    options.overwrite = 1; /* a resumed run writes the same bytes again */
    options.compress = run->given.compress;
    ky_announce(&run->parameters, run->sim->n, "writing a snapshot");
    ky_engine_trim(run->sim->engine);
    enum ky_status status = ky_folder_snapshot(run->folder, (size_t)run->state.snapshots,
                                               run->given.pieces, path, error);
    describe(run, &snapshot);
    if (!status)
        status = (ky_engine_writes(run->sim->engine) && !tells_groups(run) &&
                          ky_snapshot_takes_others(path, &options)
                      ? write_parts
                      : write_copy)(run, path, &snapshot, &options, error);
    if (!status) {
        run->state.snapshots++;
        ky_log(&run->parameters, KY_LOG_DETAIL, "wrote %s%s (time %s)", run->given.output,
               strrchr(path, '/'),
               ky_time_words(&run->sim->line, ky_sim_time(run->sim), time)); /* their final place */
    }
    return status;
}

/* 1 if this row has numbers that only one of `between` rows has, and the rows of snapshots. */
static int is_due(const struct ky_run *run, uint64_t between)
{
    const struct ky_instant now = run->sim->now;
    return now.ticks / run->schedule.energy_every % between == 0 ||
           ky_schedule_snapshot_due(&run->schedule, now);
}

/* 1 if this row has the bound bodies. They take about 0.1 µs per body on two cores, and a step on a
 * device may take less. So with many bodies only some rows have them, and the rows of snapshots. */
static int tells_bound(const struct ky_run *run)
{
    enum { EVERY_ROW = 20000 }; /* up to this number of bodies every row has them */
    return run->energy_start.bound && is_due(run, 1 + run->sim->n / EVERY_ROW);
}

/* Allocates the arrays into which rows read bodies. */
static enum ky_status need_row(struct ky_run *run, struct ky_error *error)
{
    const struct ky_energy_start *start = &run->energy_start;
    const unsigned with = (start->followed.count ? KY_WITH_ID : 0U) |
                          (start->bound ? (unsigned)KY_WITH_POTENTIAL : 0U);
    if (run->row.mass && run->row.n == run->sim->n)
        return KY_OK;
    ky_bodies_free(&run->row);
    return ky_bodies_allocate(&run->row, run->sim->n, with, error);
}

/* Close systems count as their centres of mass. */
static enum ky_status settle(struct ky_run *run, struct ky_bodies *row, struct ky_error *error)
{
    struct ky_bodies settled;
    enum ky_status status = ky_sim_settle_systems(run->sim, row, &settled, error);
    if (!status && row->n) {
        memcpy(row->velocity, settled.velocity, row->n * sizeof *row->velocity);
        memcpy(row->potential, settled.potential, row->n * sizeof *row->potential);
    }
    ky_bodies_free(&settled);
    return status;
}

/* Measures the parts of a row that need single bodies: the core, the positions of followed bodies,
 * and the bound bodies. The potentials come from the sums, which are computed first. */
static enum ky_status measure_bodies(struct ky_run *run, struct ky_energy_now *now,
                                     struct ky_error *error)
{
    struct ky_energy_start *start = &run->energy_start;
    const int bound = tells_bound(run);
    now->bound = (struct ky_bound){.mass = (double)NAN, .half_mass_radius = (double)NAN};
    if (!start->core && !start->followed.count && !bound)
        return KY_OK;
    if (bound)
        ky_announce(&run->parameters, run->sim->n, "bound bodies, for a row of energy.csv");
    if (run->sim->n > KY_ROW_KEPT) /* needs no more memory than a snapshot */
        ky_engine_trim(run->sim->engine);
    if (!start->core && !start->followed.count && ky_engine_writes(run->sim->engine))
        return ky_run_find_bound(run->sim->engine, &now->bound, error);
    enum ky_status status = need_row(run, error);
    struct ky_bodies wanted = run->row;
    if (!bound)
        wanted.potential = NULL;
    if (!start->core && !bound)
        wanted.mass = NULL, wanted.velocity = NULL;
    if (!status)
        status = ky_sim_bodies(run->sim, &wanted, error);
    if (!status)
        ky_run_find_followed(&start->followed, &wanted);
    if (!status && start->core)
        status = ky_run_measure_core(run, &run->row, now->core, error);
    if (!status && bound && start->groups)
        status = settle(run, &wanted, error);
    const struct ky_portion all = ky_portion_of_all(run->sim->n);
    if (!status && bound)
        status = ky_choose_bound(&all, &wanted, &now->bound, error);
    if (run->sim->n > KY_ROW_KEPT) {
        free(run->row.velocity);
        free(run->row.potential);
        run->row.velocity = NULL, run->row.potential = NULL;
    }
    if (!status && bound)
        status = ky_bound_radius(&all, &wanted, &now->bound, error);
    if (run->sim->n > KY_ROW_KEPT)
        ky_bodies_free(&run->row);
    return status;
}

/* Appends the row to energy.csv. */
static enum ky_status append_row(struct ky_run *run, const struct ky_energy_now *now,
                                 struct ky_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *row = open_memstream(&text, &size);
    if (row)
        ky_energy_row(row, &run->energy_start, now);
    enum ky_status status = !row || fclose(row)
                                ? ky_no_memory(error, "a row of energy.csv", 1, 1024)
                                : ky_run_append(run, &run->energy, text, error);
    free(text);
    return status;
}

/* 1 if the energy of the run is conserved except for errors: nothing depends on time, there is no
 * friction, and the caller has changed nothing. The energy of removed escapers is subtracted from
 * the reference energy. */
static int is_conserved(const struct ky_run *run)
{
    const struct ky_sim *sim = run->sim;
    return !run->is_changed && sim->line.expansion.h0 == 0 &&
           !ky_externals_change(&sim->engine->externals) && !ky_friction_is_there(sim->engine) &&
           !ky_has_field_function(&sim->parameters);
}

/* The force in use, and its error when it was last found. */
static void note_force(const struct ky_sim *sim, struct ky_energy_now *now)
{
    struct ky_choice choice = sim->choice;
    ky_choice_note(&choice, &sim->parameters);
    now->order = choice.order ? choice.order : (double)NAN;
    now->alpha = choice.alpha;
    now->force_error = choice.measured;
}

/* Energies of groups of close bodies. Tides take a core about 3 ns for a group and a body, so that
 * with many bodies only some rows have them, and the rows of snapshots. */
static void note_groups(const struct ky_run *run, struct ky_energy_now *now)
{
    const double every_row = 1e5; /* up to this number of pairs every row has them */
    const double n = (double)run->sim->n, g = run->parameters.g;
    const struct ky_close_bodies grouped =
        ky_engine_grouped(run->sim->engine, is_due(run, 1 + (uint64_t)(n * n / every_row)));
    struct ky_integrator_report report;
    run->sim->integrator->verbs->report(run->sim->integrator, &report);
    now->grouped = grouped.bodies;
    now->inner = grouped.energy / g;
    now->handover_work = (report.handover_work + grouped.tides) / g;
    now->slow_work = report.slow_work / g;
    now->slow_energy = grouped.slow_energy / g;
}

enum ky_status ky_run_write_energy(struct ky_run *run, struct ky_error *error)
{
    char time[KY_QUANTITY_TEXT];
    struct ky_energy_now now = {
        .time = ky_sim_time(run->sim), .steps = ky_sim_steps(run->sim), .bodies = run->sim->n};
    enum ky_status status = ky_sim_sums(run->sim, &now.sums, error);
    if (run->energy_start.tuned)
        note_force(run->sim, &now);
    if (!status && run->sim->line.comoving) {
        now.sums = ky_comoving_sums(&now.sums, now.time);
        now.layzer = run->sim->layzer.sum;
    }
    if (!status)
        status = measure_bodies(run, &now, error);
    if (status == KY_BAD_DATA) /* the restart file is from an earlier time */
        return ky_fail_in(error, status,
                          "at time %s: ", ky_time_words(&run->sim->line, now.time, time));
    if (!status && !now.steps) {
        run->energy_start.energy = ky_total_energy(&now.sums);
        run->energy_start.potential = now.sums.potential;
    }
    if (run->energy_start.groups)
        note_groups(run, &now);
    now.wall = ky_run_wall(run);
    if (!status)
        status = append_row(run, &now, error);
    if (status)
        return status;
    run->state.change = ky_energy_change(&run->energy_start, &now.sums);
    run->energy_error =
        is_conserved(run) ? ky_energy_error(&run->energy_start, &now.sums) : (double)NAN;
    run->energy_time = now.time;
    return KY_OK;
}

int ky_run_writes_restarts(const struct ky_run *run)
{
    return run->given.restart_every > 0;
}

enum ky_status ky_run_write_restart(struct ky_run *run, struct ky_error *error)
{
    char path[KY_PATH];
    struct ky_run_state state = run->state;
    enum ky_status status = ky_run_sync_table(run, &run->energy, &state.energy_bytes, error);
    if (!status)
        status = ky_run_sync_table(run, &run->escapers, &state.escapers_bytes, error);
    if (!status)
        status = ky_run_sync_table(run, &run->events, &state.events_bytes, error);
    if (status || !ky_run_writes_restarts(run))
        return status;
    state.energy = run->energy_start.energy;
    state.potential = run->energy_start.potential;
    state.evolved = run->energy_start.evolved;
    state.conserved = (uint64_t)run->energy_start.conserved;
    state.wall = ky_run_wall(run);
    const char *origin = run->origin ? run->origin : "";
    const char *source = run->source ? run->source : "";
    const struct ky_followed *followed = &run->energy_start.followed;
    struct ky_section stored = {0}, stars[KY_STARS_SECTIONS] = {{"stars", NULL, 0}};
    const char *code = run->stars ? run->stars->text : "";
    if (run->stars)
        ky_stars_sections(run->stars, stars);
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
        {"listed", run->listed.id, run->listed.count * sizeof *run->listed.id},
        {"stellar", code, strlen(code) + 1},
        stars[0],
        stars[1],
    };
    if (!status)
        status = ky_folder_path(run->folder, "restart.kyo", path, error);
    struct ky_restart_to to = {
        .path = path,
        .is_broken = run->restart_is_broken,
        .pieces = ky_engine_writes(run->sim->engine) ? run->sim->parameters.ranks : 0};
    if (!status)
        status = ky_sim_write_restart(run->sim, &to, extra, sizeof extra / sizeof *extra, error);
    ky_section_free(&stored);
    if (status)
        return status;
    run->restart_is_broken = 0;
    run->restarted = ky_clock();
    run->resume_time = ky_sim_time(run->sim);
    run->resume_steps = ky_sim_steps(run->sim);
    return KY_OK;
}
