/* The start of a run: checks, warnings, and the first files. */
#include "simulation/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "base/threads.h"
#include "base/units.h"
#include "integrate/friction.h"
#include "physics/softening.h"
#include "simulation/run_tasks.h"
#include "snapshot/snapshot.h"
#include "snapshot/space.h"

enum ky_status ky_run_scales(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             struct ky_scales *scales, struct ky_error *error)
{
    int massive = 0;
    for (size_t i = 0; i < bodies->n && !massive; i++)
        massive = bodies->mass[i] > 0;
    *scales = (struct ky_scales){.size = sizeof *scales};
    if (!massive || !(parameters->g > 0))
        return KY_OK;
    return ky_system_scales(bodies, parameters->g, ky_softening_least(parameters, bodies), scales,
                            error);
}

/* Aarseth's criterion uses differences of forces. If eta is smaller than this and forces are
 * rounded to floats, these are only rounding errors: at 1e-3 there are ten times as many blocks as
 * at 3e-3 (experiments/gaburov2009), and below that runs do not end. */
static const double least_eta = 2e-3;

static void warn_of_rounding(const struct ky_parameters *made)
{
    if (made->integrator == KY_HERMITE4 && made->precision != KY_DOUBLE && made->eta < least_eta)
        ky_log(made, KY_LOG_WARNING,
               "eta %g is too small for forces that are not in double: their rounding makes the "
               "steps shorter and shorter; add --precision double, or take --eta %g or more",
               made->eta, least_eta);
}

/* Warns of a step that is too long, of a very large number of steps, and of a run that is longer
 * than the relaxation time. `softening` is the smallest of any body [length]. */
static void warn(const struct ky_run *run, const struct ky_scales *scales, double softening)
{
    ky_schedule_warn(&run->schedule, &run->parameters);
    warn_of_rounding(&run->sim->parameters);
    const char *const notes[] = {run->notes.escapers, run->notes.coincident, run->notes.peculiar,
                                 run->notes.matter, run->notes.pairs};
    for (size_t k = 0; k < sizeof notes / sizeof *notes; k++) {
        if (notes[k][0])
            ky_log(&run->parameters, KY_LOG_WARNING, "%s", notes[k]);
    }
    double longest = 0.3 * softening / scales->random_speed; /* [time] */
    const struct ky_schedule *schedule = &run->schedule;
    /* the shortest one, if bodies have individual steps or steps grow */
    double step = fabs(ky_timeline_length(&schedule->line, 0, 1));
    double length = fabs(ky_instant_time(&schedule->line, schedule->end) - schedule->line.start);
    char one[KY_QUANTITY_TEXT], other[KY_QUANTITY_TEXT];
    const struct ky_timeline *line = &schedule->line;
    if (softening == 0 && !ky_integrator_takes_any_length(&run->parameters) && scales->step > 0 &&
        step > 4 * scales->step)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the step %s is long for bodies without softening: the shortest orbit or free fall "
               "of two neighbours needs %s; use a shorter --step or a --softening",
               ky_length_of_time(line, step, one), ky_length_of_time(line, scales->step, other));
    if (softening > 0 && scales->random_speed > 0 && step > longest)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the step %s is longer than 0.3 ε/σ = %s: close encounters will not be resolved; "
               "use a shorter --step or a larger --softening",
               ky_length_of_time(line, step, one), ky_length_of_time(line, longest, other));
    if (run->age > 0 && step > run->age / 10)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the first step, %s, is long for a universe of the age %s: its expansion will not "
               "be resolved; use a shorter --step%s",
               ky_length_of_time(line, step, one), ky_length_of_time(line, run->age, other),
               run->parameters.expansion ? "" : ", or --expansion bodies and a step in ln a");
    /* a few bodies are never a smooth system */
    if (scales->relaxation_time > 0 && length > scales->relaxation_time && ky_sim_n(run->sim) > 20)
        ky_log(&run->parameters, KY_LOG_WARNING,
               "the run is longer than the relaxation time %s of %zu bodies: it no longer "
               "follows a smooth "
               "system; more bodies or a shorter run would",
               ky_length_of_time(line, scales->relaxation_time, one), ky_sim_n(run->sim));
}

/* KY_BAD_DATA if the run repeats another one and its bodies differ. */
static enum ky_status check_hash(struct ky_run *run, struct ky_error *error)
{
    char text[KY_HASH_TEXT];
    ky_run_hash_text(run, text);
    if (!run->given.bodies_hash || !strcmp(run->given.bodies_hash, text))
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA,
                   "the bodies differ from the bodies of the repeated run: %s has changed since "
                   "(bodies_hash %s, now %s)",
                   !run->origin                  ? "their source"
                   : ky_is_standard(run->origin) ? "standard input"
                                                 : run->origin,
                   run->given.bodies_hash, text);
}

/* Resolves the parameters, except for the kind of softening, which the bodies may give, and the
 * step, which may depend on them. */
static enum ky_status resolve(struct ky_run *run, struct ky_error *error)
{
    const int kind = run->parameters.softening_kind;
    enum ky_status status = ky_parameters_resolve(&run->parameters, &run->parameters, error);
    run->parameters.softening_kind = kind;
    return status;
}

/* KY_USAGE or KY_UNSUPPORTED for a softening or a step that the integrator does not accept. */
static enum ky_status check_chosen(const struct ky_parameters *chosen, struct ky_error *error)
{
    if (!isnan(chosen->softening))
        KY_TRY(ky_sim_check_softening(chosen->softening, error));
    return ky_integrator_check(chosen, error);
}

/* Checks the numbers of bodies that are all in this process. */
static enum ky_status check_bodies(struct ky_run *run, const struct ky_bodies *bodies,
                                   struct ky_error *error)
{
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    ky_announce(&run->parameters, bodies->n, "check of the bodies");
    KY_TRY(ky_bodies_check(bodies, error));
    KY_TRY(ky_stopping_check_bodies(&run->parameters, bodies, error));
    KY_TRY(ky_run_hash(&all, bodies, bodies->id != NULL, &run->hash, error));
    return check_hash(run, error);
}

/* Measures bodies that are all in this process, with the chosen softening. */
static enum ky_status measure(struct ky_run *run, const struct ky_bodies *bodies,
                              struct ky_run_facts *facts, struct ky_error *error)
{
    ky_announce(&run->parameters, bodies->n, "sizes and times of the system");
    if (!ky_is_comoving(&run->parameters)) /* whose steps follow from the expansion */
        KY_TRY(ky_run_scales(&run->parameters, bodies, &facts->scales, error));
    else
        facts->mass = ky_sum(bodies->n, bodies->mass);
    KY_TRY(ky_run_note_coincident(&run->parameters, bodies, run->notes.coincident, error));
    KY_TRY(ky_run_note_pairs(run, bodies, error));
    if (facts->scales.escapers) {
        const size_t fastest = facts->scales.fastest;
        facts->fastest = bodies->id ? bodies->id[fastest] : fastest;
        memcpy(facts->velocity, bodies->velocity[fastest], sizeof facts->velocity);
    }
    return KY_OK;
}

/* Lets the ranks take the bodies from their source. If some have no mass, all of them are in this
 * process afterwards. */
static enum ky_status take(struct ky_run *run, double time, struct ky_bodies *bodies,
                           struct ky_run_facts *facts, struct ky_error *error)
{
    KY_TRY(ky_run_take(run, time, bodies, facts, error));
    run->hash = facts->massless ? 0 : facts->hash;
    if (!facts->massless)
        return check_hash(run, error);
    KY_TRY(ky_source_take_all(run->from, bodies, error));
    run->from = NULL;
    return check_bodies(run, bodies, error);
}

/* KY_USAGE or KY_UNSUPPORTED for options of the run that contradict each other, the space or this
 * build. */
static enum ky_status check_given(const struct ky_run_parameters *given, double box,
                                  struct ky_error *error)
{
    const int has_centre = given->core || !isnan(given->stop_core) || !isnan(given->escapers) ||
                           !isnan(given->escape_radius);
    if (box > 0 && has_centre)
        return ky_fail(error, KY_UNSUPPORTED,
                       "a periodic box has no centre: leave out --core, --stop-core, --escapers "
                       "and --escape-radius, or --box");
    if (!given->groups_every && !isnan(given->linking_length))
        return ky_fail(error, KY_USAGE, "--linking-length has no effect without --groups-every");
    if (given->groups_every && box > 0 && given->linking_length > box / 2)
        return ky_fail(error, KY_USAGE,
                       "the linking length %g is more than half of the periodic box",
                       given->linking_length);
    if (!isnan(given->escapers) && !isnan(given->escape_radius))
        return ky_fail(error, KY_USAGE,
                       "--escapers lists bodies and --escape-radius removes and lists them; give "
                       "one of the two");
    if ((given->pieces || given->compress) && !ky_hdf5_ending(ky_snapshot_default_suffix()))
        return ky_fail(error, KY_UNSUPPORTED, "%s needs HDF5, which this build lacks: leave it out",
                       given->pieces ? "--pieces" : "--compress");
    return KY_OK;
}

/* Does all checks before a folder is created. */
static enum ky_status check(struct ky_run *run, struct ky_snapshot *initial,
                            struct ky_run_facts *facts, struct ky_error *error)
{
    const int divides = run->from != NULL;
    struct ky_bodies *bodies = &initial->bodies;
    if (!bodies->n)
        return ky_fail(error, KY_BAD_DATA, "there are no bodies to run");
    struct ky_units units = initial->units;
    units.g = run->parameters.g; /* it has to be the G of the units */
    run->parameters.units = units;
    KY_TRY(ky_run_settle_universe(&run->parameters, initial, &run->universe, error));
    KY_TRY(resolve(run, error));
    KY_TRY(ky_units_check(&units, error));
    if (!divides) {
        KY_TRY(ky_run_make_stars(run, &units, bodies, error));
        KY_TRY(ky_run_give_radii(run, &units, bodies, error));
    }
    KY_TRY(divides ? ky_stopping_check_bodies(&run->parameters, bodies, error)
                   : check_bodies(run, bodies, error));
    KY_TRY(check_given(&run->given, run->parameters.box, error));
    KY_TRY(ky_run_follow(run->given.follow, &run->energy_start.followed, error));
    KY_TRY(ky_run_check_followed(&run->energy_start.followed, bodies, error));
    if (!divides)
        KY_TRY(ky_friction_check_bodies(&run->parameters, bodies, error));
    KY_TRY(ky_softening_choose(&run->parameters, initial, run->remark, error));
    if (divides)
        KY_TRY(take(run, initial->time, bodies, facts, error));
    if (!run->from)
        KY_TRY(measure(run, bodies, facts, error));
    KY_TRY(ky_run_check_matter(&run->parameters, facts->mass, run->notes.matter, error));
    ky_run_note_escapers(facts, &units, run->notes.escapers);
    KY_TRY(ky_schedule_make(&run->parameters, &run->given, initial->time,
                            ky_integrator_suggest(&run->parameters, &facts->scales), &run->schedule,
                            error));
    run->parameters.step = ky_schedule_step(&run->schedule);
    run->age = ky_run_age(initial);
    if (run->stars && run->parameters.step < 0)
        return ky_fail(error, KY_UNSUPPORTED,
                       "stars do not evolve backwards: leave out --stellar-evolution");
    return check_chosen(&run->parameters, error);
}

/* Replaces peculiar velocities a dx/dt of comoving bodies by the momenta a² dx/dt, in new memory.
 * Ranks that have taken their bodies have done so themselves. */
static enum ky_status take_momenta(const struct ky_run *run, const struct ky_snapshot *initial,
                                   struct ky_bodies *bodies, struct ky_error *error)
{
    if (!ky_is_comoving(&run->parameters) || !bodies->velocity)
        return KY_OK;
    KY_TRY(ky_array(&bodies->velocity, bodies->n, sizeof *bodies->velocity, "momenta", error));
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            bodies->velocity[i][c] = initial->time * initial->bodies.velocity[i][c];
    return KY_OK;
}

/* The space of the bodies' universe, for snapshots. Comoving bodies have the one of --expansion. */
static enum ky_status describe_space(struct ky_run *run, const struct ky_snapshot *initial,
                                     struct ky_error *error)
{
    const struct ky_units *units = &initial->units;
    struct ky_expansion expansion;
    run->state.space = (struct ky_space){.scale_factor = 1,
                                         .hubble = initial->space.hubble,
                                         .omega_matter = initial->space.omega_matter,
                                         .omega_lambda = initial->space.omega_lambda};
    if (!ky_is_comoving(&run->parameters))
        return KY_OK;
    KY_TRY(ky_expansion_read(run->parameters.expansion, &run->parameters.units, &expansion, error));
    run->state.space.omega_matter = expansion.universe.matter;
    run->state.space.omega_lambda = expansion.universe.lambda;
    run->state.space.hubble = (double)NAN;
    if (units->length_cm > 0) { /* h0 over the unit of h */
        run->state.space.hubble = 1;
        run->state.space.hubble = expansion.h0 / ky_space_hubble(&run->state.space, units);
    }
    return KY_OK;
}

/* Makes the simulation. The caller's flag ends measurements for --error, here and later, and the
 * first forces; otherwise the run reads it between steps. */
static enum ky_status make_simulation(struct ky_run *run, const struct ky_bodies *bodies,
                                      double time, struct ky_error *error)
{
    struct ky_parameters own = run->parameters;
    own.stop = ky_run_flag(run);
    KY_TRY(ky_sim_place(&own, bodies, time, &run->sim, error));
    run->sim->parameters.stop = NULL;
    return KY_OK;
}

/* Puts the bodies on the engine, frees them unless the caller keeps them, and computes the first
 * forces. */
static enum ky_status place(struct ky_run *run, struct ky_snapshot *initial,
                            const struct ky_run_facts *facts, struct ky_error *error)
{
    int mutual = !isnan(run->parameters.softening) ||
                 (ky_softening_how(run->parameters.softening_kind) & KY_EPS_OF_BOTH);
    char remark[KY_RANKS_REMARK];
    ky_run_choose_ranks(&run->given, &run->parameters, &initial->bodies, remark);
    ky_announce(&run->parameters, initial->bodies.n, "bodies to the engine");
    if (facts->wrong.status)
        return ky_fail(error, facts->wrong.status, "%s", facts->wrong.text);
    if (run->sim) /* whose ranks have the bodies */
        KY_TRY(ky_engine_set_frame(run->sim->engine, &facts->units, error));
    struct ky_bodies bodies = initial->bodies;
    enum ky_status status = take_momenta(run, initial, &bodies, error);
    if (!status)
        status = make_simulation(run, &bodies, initial->time, error);
    if (bodies.velocity != initial->bodies.velocity)
        free(bodies.velocity);
    if (!status && facts->counts)
        run->sim->with |= KY_WITH_ID;
    if (!status && *remark) /* the devices exist */
        ky_log(&run->parameters, KY_LOG_INFO, "%s", remark);
    if (!status)
        status = ky_sim_text(run->sim, &run->text, error);
    if (status)
        return status;
    if (!run->given.keep)
        ky_bodies_free(&initial->bodies);
    const int core = run->given.core || !isnan(run->given.stop_core);
    run->energy_start.comoving = ky_is_comoving(&run->parameters);
    run->energy_start.conserved = mutual && !run->energy_start.comoving;
    run->energy_start.external = run->energy_start.bound = !run->energy_start.comoving;
    run->energy_start.groups = run->sim->parameters.group_radius > 0;
    run->energy_start.tuned = run->sim->tunings > 0;
    run->energy_start.core = core;
    run->energy_start.evolution = run->stars != NULL;
    run->state = (struct ky_run_state){.tick = run->schedule.line.tick,
                                       .stride = run->schedule.stride,
                                       .shorten = run->schedule.shorten != 0,
                                       .bare = (uint64_t)run->schedule.bare,
                                       .end = run->schedule.end,
                                       .every = run->schedule.every,
                                       .energy_every = run->schedule.energy_every,
                                       .compress = run->given.compress != 0,
                                       .pieces = run->given.pieces != 0,
                                       .groups_every = run->given.groups_every,
                                       .groups_minimum = run->given.groups_minimum,
                                       .linking_length = run->given.linking_length,
                                       .linking_fraction = run->given.linking_fraction,
                                       .core = (uint64_t)core,
                                       .stop_core = run->given.stop_core,
                                       .escape_radius = run->given.escape_radius,
                                       .escapers = run->given.escapers,
                                       .merges = run->given.collisions == KY_COLLISIONS_MERGE,
                                       .stellar_radii = run->state.stellar_radii,
                                       .stellar = run->state.stellar,
                                       .change = (double)NAN,
                                       .seed = run->given.seed,
                                       .has_seed = run->given.has_seed != 0,
                                       .units = initial->units};
    KY_TRY(describe_space(run, initial, error));
    run->state.units.g = run->parameters.g;
    ky_announce(&run->parameters, run->sim->n, "first forces");
    struct ky_halt halt = {.flag = ky_run_flag(run)};
    run->sim->engine->halt = &halt;
    status = ky_engine_forces(run->sim->engine, error);
    run->sim->engine->halt = NULL;
    return status;
}

/* Removes the lines of the replaced run from run.log. */
static enum ky_status forget_log(struct ky_run *run, struct ky_error *error)
{
    char text[1 << 14];
    if (!run->log_before)
        return KY_OK;
    int failed = fseek(run->log, run->log_before, SEEK_SET);
    size_t bytes = failed ? 0 : fread(text, 1, sizeof text, run->log);
    failed = failed || fseek(run->log, 0, SEEK_SET) || ftruncate(fileno(run->log), 0) ||
             fwrite(text, 1, bytes, run->log) != bytes || fflush(run->log);
    return failed
               ? ky_fail(error, KY_CANNOT_WRITE, "%s: run.log cannot be emptied", run->given.output)
               : KY_OK;
}

static enum ky_status stopped_early(const struct ky_run *run, struct ky_error *error)
{
    return ky_fail(error, KY_STOPPED,
                   "stopped before the first step; the results in %s are unchanged",
                   run->given.output);
}

/* Writes the first files. They replace old results when all of them are written and the first step
 * is done. */
static enum ky_status begin(struct ky_run *run, const struct ky_scales *scales, double softening,
                            struct ky_error *error)
{
    char step[KY_QUANTITY_TEXT];
    KY_TRY(ky_folder_begin(run->given.output, run->begun, error));
    run->folder = run->begun;
    KY_TRY(ky_run_begin_table(run, &run->energy, error));
    if (ky_run_finds_escapers(run))
        KY_TRY(ky_run_begin_table(run, &run->escapers, error));
    KY_TRY(ky_run_open_events(run, 0, error));
    KY_TRY(ky_run_place_stars(run, error));
    if (run->state.merges) /* bodies that touch before the first step */
        KY_TRY(ky_run_merge_all(run, error));
    if (run->remark[0])
        ky_log(&run->parameters, KY_LOG_INFO, "%s", run->remark);
    if (run->universe.remark[0])
        ky_log(&run->parameters, run->universe.level, "%s", run->universe.remark);
    if (run->schedule.derived)
        ky_log(&run->parameters, KY_LOG_INFO, "%sstep %s, derived from %s",
               run->schedule.stride > 1 ? "longest " : "",
               ky_step_words(&run->schedule.line, ky_schedule_step(&run->schedule), step),
               run->schedule.line.comoving ? "the end, --every and --late-step, which divides it"
               : run->schedule.stride > 1
                   ? (isnan(run->parameters.step_max) ? "the crossing time" : "--step-max")
               : softening > 0 ? "softening and velocities"
                               : "the shortest orbit or free fall of two neighbours");
    if (run->from)
        ky_log(&run->parameters, KY_LOG_DETAIL, "each rank has %s its own bodies",
               run->from->is_model ? "made" : "read");
    warn(run, scales, softening);
    enum ky_status status = ky_run_write_energy(run, error);
    if (!status && ky_schedule_snapshot_due(&run->schedule, run->sim->now))
        status = ky_run_write_snapshot(run, error);
    if (!status)
        status = ky_run_write_restart(run, error);
    if (!status)
        status = ky_run_write_json(run, "running", NULL, error);
    if (!status && run->given.overwrite && ky_run_is_asked_to_stop(run))
        status = stopped_early(run, error);
    if (!status && run->given.overwrite && ky_instant_compare(run->sim->now, run->schedule.end) < 0)
        status = ky_run_step(run, error);
    if (!status)
        status = ky_folder_commit(run->given.output, error);
    if (!status)
        status = forget_log(run, error);
    run->folder = run->given.output;
    return status;
}

/* Restores the folder after a run that did not start: without its run.log, unless an earlier run
 * has written in it. */
static void leave(const struct ky_run *run, int made)
{
    char path[KY_PATH];
    ky_folder_drop(run->given.output);
    if (run->log)
        (void)!ftruncate(fileno(run->log), run->log_before);
    if (run->log_before || ky_folder_path(run->given.output, "run.log", path, NULL))
        return;
    unlink(path);
    if (made)
        rmdir(run->given.output);
}

/* A complete run. Until the first files are complete, a failure leaves the folder unchanged. */
static enum ky_status start_and_go(struct ky_run *run, struct ky_snapshot *initial,
                                   struct ky_error *error)
{
    struct ky_run_facts facts = {.hash = 0};
    int made = 0;
    enum ky_status status = check(run, initial, &facts, error);
    if (!status && run->given.input && ky_folder_would_remove(run->given.output, run->given.input))
        status = ky_fail(error, KY_USAGE,
                         "%s is one of the results that --overwrite removes; choose another "
                         "--output, or a copy of it in another folder",
                         run->given.input);
    double softening = ky_softening_least(&run->parameters, &initial->bodies);
    if (!status)
        status = ky_folder_check(run->given.output, run->given.overwrite, &made, error);
    if (status)
        return status;
    status = ky_run_lock(run, error);
    if (status) { /* the folder's contents may belong to a run that is in progress there */
        if (made)
            rmdir(run->given.output);
        return status;
    }
    status = ky_folder_settle(run->given.output, error);
    if (!status)
        status = place(run, initial, &facts, error);
    if (status == KY_STOPPED && !run->log_before) /* no restart file exists yet */
        ky_fail(error, status, "stopped before the first step: nothing has been written");
    else if (status == KY_STOPPED)
        stopped_early(run, error);
    if (!status)
        status = ky_run_note_peculiar(run, error);
    if (!status)
        status = begin(run, &facts.scales, softening, error);
    if (status)
        leave(run, made);
    return status ? status : ky_run_loop(run, error);
}

/* Without ranks that divide the bodies, all of them are taken from the source at once. */
static enum ky_status begin_source(struct ky_run *run, struct ky_source *source,
                                   struct ky_snapshot *initial, struct ky_error *error)
{
    if (!source || initial->bodies.mass)
        return KY_OK;
    if (!ky_run_can_divide(run, initial))
        return ky_source_take_all(source, &initial->bodies, error);
    run->from = source;
    return ky_source_label(source, KY_WITH_TYPE | KY_WITH_RADIUS, &initial->bodies, error);
}

enum ky_status ky_run_source(const struct ky_parameters *parameters,
                             const struct ky_run_parameters *run, struct ky_source *source,
                             struct ky_snapshot *initial, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(run, error);
    KY_NEED(initial, error);
    struct ky_run *started = NULL;
    struct ky_snapshot own;
    ky_snapshot_clear(&own);
    KY_TRY(ky_size_adopt(&own, sizeof own, initial, "ky_snapshot_clear", error));
    KY_TRY(ky_run_create(parameters, run, &started, error));
    started->origin = started->given.origin ? ky_run_copy_text(started->given.origin) : NULL;
    started->source = started->given.source ? ky_run_copy_text(started->given.source) : NULL;
    int threads = ky_threads_take(started->parameters.threads);
    enum ky_status status = begin_source(started, source, &own, error);
    if (!status)
        status = start_and_go(started, &own, error);
    if (started->state.stellar_radii) { /* ky_run_give_radii: the caller's bodies have none */
        free(own.bodies.radius);
        own.bodies.radius = NULL;
    }
    initial->bodies = own.bodies; /* or none, if they were freed */
    ky_threads_restore(threads);
    ky_run_destroy(started);
    return status;
}

enum ky_status ky_run(const struct ky_parameters *parameters, const struct ky_run_parameters *run,
                      struct ky_snapshot *initial, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(run, error);
    KY_NEED(initial, error);
    return ky_run_source(parameters, run, NULL, initial, error);
}

enum ky_status ky_run_model(const struct ky_parameters *parameters,
                            const struct ky_run_parameters *run, const char *name,
                            const struct ky_model_parameters *model, struct ky_error *error)
{
    struct ky_source *source = NULL;
    struct ky_snapshot initial;
    ky_snapshot_clear(&initial);
    enum ky_status status = ky_source_model(name, model, &source, &initial, error);
    if (!status)
        status = ky_run_source(parameters, run, source, &initial, error);
    ky_source_close(source);
    ky_snapshot_free(&initial);
    return status;
}

enum ky_status ky_run_file(const struct ky_parameters *parameters,
                           const struct ky_run_parameters *run, const char *path,
                           const struct ky_read_options *reading, struct ky_snapshot *initial,
                           struct ky_error *error)
{
    KY_NEED(initial, error);
    struct ky_source *source = NULL;
    struct ky_snapshot found;
    ky_bodies_free(&initial->bodies);
    ky_snapshot_clear(&found);
    enum ky_status status = ky_source_file(path, reading, &source, &found, error);
    initial->bodies = found.bodies;
    found.bodies = (struct ky_bodies){0};
    if (!status)
        status = ky_run_source(parameters, run, source, initial, error);
    ky_bodies_free(&initial->bodies);
    ky_snapshot_free(&found);
    ky_source_close(source);
    return status;
}
