/* Runs in a folder from C: ky_run_plan, ky_run, ky_resume. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "simulation/energy.h"
#include "simulation/sim.h"
#include "wall.h"

static struct ky_error error;
static char top[] = "/tmp/kyoho-test-XXXXXX", whole[64], part[64], json[96];

static void prepare(struct ky_parameters *parameters, struct ky_run_parameters *run,
                    struct ky_snapshot *bodies)
{
    struct ky_model_parameters model;
    ky_model_parameters_defaults(&model);
    model.n = 200;
    model.softening = 0.1;
    ky_snapshot_clear(bodies);
    assert_ok(ky_model_make("plummer", &model, bodies, &error));
    ky_parameters_defaults(parameters);
    parameters->engine = "cpu";
    parameters->softening = 0.1;
    parameters->step = 0.0625;
    parameters->threads = 1;
    ky_run_parameters_defaults(run);
    run->output = whole;
    run->end = 1;
    run->every = 0.5;
}

static void count_lines(void *context, enum ky_log_level level, const char *line)
{
    (void)level;
    *(int *)context += strncmp(line, "engine ", 7) == 0;
}

static void plans_of_runs(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies, none;
    struct ky_plan plan = {0};
    prepare(&parameters, &run, &bodies);
    run.output = NULL; /* a plan needs no folder */
    assert_ok(ky_run_plan(&parameters, &run, &bodies, &plan, &error));
    assert_true(plan.step == 0.0625 && plan.steps == 16 && plan.snapshots == 3);
    assert_between(plan.host_bytes, 1e4, 1e8);
    assert_between(plan.disk_bytes, 3 * 200 * 72, 1e6);
    assert_true(plan.largest_n > 1e4);
    assert_true(plan.rank_bytes == 0);
    assert_int_equal(bodies.bodies.n, 200); /* a plan leaves them alone */
    parameters.step = (double)NAN;
    assert_ok(ky_run_plan(&parameters, &run, &bodies, &plan, &error));
    assert_true(plan.step > 0 && plan.step * (double)plan.steps == 1);
    ky_snapshot_clear(&none); /* a number of bodies alone */
    none.bodies.n = 1000000000;
    assert_ok(ky_run_plan(&parameters, &run, &none, &plan, &error));
    assert_true(isnan(plan.step) && plan.steps == 0 && plan.snapshots == 3);
    assert_true(plan.host_bytes > 1e11 && plan.disk_bytes > 3 * 72e9);
    parameters.step = 0.25;
    assert_ok(ky_run_plan(&parameters, &run, &none, &plan, &error));
    assert_true(plan.step == 0.25 && plan.steps == 4);
    run.every = run.restart_every = 0; /* only energies: 300 bytes a row */
    const double with_copies = plan.host_bytes;
    assert_ok(ky_run_plan(&parameters, &run, &none, &plan, &error));
    assert_true(plan.snapshots == 0 && plan.disk_bytes <= 5 * 300);
    assert_true(plan.host_bytes <= with_copies);
    parameters.step = (double)NAN;
    assert_ok(ky_run_plan(&parameters, &run, &none, &plan, &error));
    assert_true(plan.snapshots == 0 && plan.disk_bytes < 2e6);
    ky_run_parameters_defaults(&run);
    parameters.step = 0.25;
    run.every = 0.5;
    assert_int_equal(ky_run_plan(&parameters, &run, &none, &plan, &error), KY_USAGE);
    run.end = 1;
    parameters.engine = "auto";
    int opened = 0; /* opening takes a while on a device */
    parameters.log = count_lines;
    parameters.log_context = &opened;
    assert_ok(ky_run_plan(&parameters, &run, &bodies, &plan, &error));
    assert_int_equal(opened, 1);
    ky_snapshot_free(&bodies);
}

/* The snapshots of a folder come in the order of their numbers. Other files are ignored. */
static void snapshots_of_a_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"snapshot_10000.hdf5", "snapshot_9999.hdf5",
                                        "snapshot_0002.tipsy", "energy.csv",
                                        "snapshot_1.hdf5",     "snapshot_0003.hdf5.part"};
    enum { NAMES = sizeof names / sizeof *names };
    char folder[64], path[NAMES][128];
    struct ky_paths paths = {0};
    snprintf(folder, sizeof folder, "%s/snapshots", top);
    assert_int_equal(ky_run_snapshots(folder, &paths, &error), KY_BAD_DATA);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(ky_run_snapshots(folder, &paths, &error), KY_BAD_DATA);
    assert_true(!paths.path && !paths.count && strstr(error.text, "no snapshots"));
    for (size_t k = 0; k < NAMES; k++) {
        snprintf(path[k], sizeof path[k], "%s/%s", folder, names[k]);
        FILE *file = fopen(path[k], "w");
        assert_non_null(file);
        fclose(file);
    }
    assert_ok(ky_run_snapshots(folder, &paths, &error));
    assert_int_equal(paths.count, 3);
    for (size_t k = 0; k < 3; k++)
        assert_string_equal(paths.path[k], path[2 - k]);
    ky_paths_free(&paths);
    assert_true(!paths.path && !paths.count);
    ky_paths_free(&paths);
    ky_paths_free(NULL);
    assert_int_equal(ky_run_snapshots(NULL, &paths, &error), KY_USAGE);
    assert_int_equal(ky_run_snapshots(folder, NULL, &error), KY_USAGE);
    for (size_t k = 0; k < NAMES; k++)
        unlink(path[k]);
    rmdir(folder);
}

static void structs_of_older_programs(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_plan plan = {0};
    struct ky_sim *sim;
    char folder[80], remark[KY_REMARK];
    snprintf(folder, sizeof folder, "%s/older", top);
    prepare(&parameters, &run, &bodies);
    run.output = folder;
    struct ky_parameters *shorter =
        before_a_wall(&parameters, offsetof(struct ky_parameters, integrator));
    struct ky_snapshot *older = before_a_wall(&bodies, offsetof(struct ky_snapshot, softening));
    assert_ok(ky_sim_open(shorter, &bodies.bodies, 0, &sim, &error));
    struct ky_sums sums = {0}; /* size 0: the whole struct */
    struct ky_sums *fewer = before_a_wall(&sums, offsetof(struct ky_sums, virial));
    sums.virial = 7;
    assert_ok(ky_sim_sums(sim, &sums, &error));
    assert_ok(ky_sim_sums(sim, fewer, &error));
    assert_true(sums.size == 0 && sums.virial < 0 && sums.kinetic > 0);
    assert_true(fewer->size == offsetof(struct ky_sums, virial) && fewer->kinetic == sums.kinetic &&
                fewer->potential == sums.potential);
    ky_sim_close(sim);
    assert_ok(ky_softening_choose(shorter, older, remark, &error));
    assert_ok(ky_run_plan(shorter, &run, older, &plan, &error));
    assert_ok(ky_run(&parameters, &run, older, &error));
    assert_true(!older->bodies.n && !older->bodies.mass); /* freed to make room */
    older->size = 3;
    assert_int_equal(ky_run_plan(&parameters, &run, older, &plan, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "ky_snapshot_clear"));
    assert_int_equal(ky_run(&parameters, &run, older, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "ky_snapshot_clear"));
}

/* A plan and a run refuse an unknown number and a wrong size before they use them. */
static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_plan plan = {0};
    prepare(&parameters, &run, &bodies);
    parameters.integrator = 7;
    assert_int_equal(ky_run_plan(&parameters, &run, &bodies, &plan, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "integrator"));
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "integrator"));
    parameters.integrator = KY_LEAPFROG;
    run.size = 0;
    assert_int_equal(ky_run_plan(&parameters, &run, &bodies, &plan, &error), KY_USAGE);
    run.size = offsetof(struct ky_run_parameters, keep); /* as in an older program */
    run.shorten = 1;
    run.end = 0.99;
    run.every = (double)NAN;
    assert_int_equal(ky_run_plan(&parameters, &run, &bodies, &plan, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "nearest"));
    ky_snapshot_free(&bodies);
}

struct progress {
    int calls;
    int stop; /* 1 after three steps */
    struct ky_progress last;
};

static void note(void *context, const struct ky_progress *now)
{
    struct progress *progress = context;
    progress->last = *now;
    assert_true(now->steps_per_s > 0); /* from the first step on */
    progress->stop = ++progress->calls == 3;
}

static void assert_same_end(const char *a, const char *b)
{
    struct ky_snapshot one, other;
    char path[96];
    const char *const suffixes[] = {"hdf5", "tipsy"};
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/snapshot_0002.%s", a, suffixes[k]);
        if (access(path, F_OK))
            continue;
        assert_ok(ky_snapshot_read(path, &one, &error));
        snprintf(path, sizeof path, "%s/snapshot_0002.%s", b, suffixes[k]);
        assert_ok(ky_snapshot_read(path, &other, &error));
        assert_true(one.time == 1 && other.time == 1);
        assert_memory_equal(one.bodies.position, other.bodies.position, 200 * 3 * sizeof(double));
        assert_memory_equal(one.bodies.velocity, other.bodies.velocity, 200 * 3 * sizeof(double));
        ky_snapshot_free(&one);
        ky_snapshot_free(&other);
        return;
    }
    fail_msg("%s: has no last snapshot", a);
}

static void a_run_stops_and_is_resumed(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct progress progress = {0};
    prepare(&parameters, &run, &bodies);
    run.progress = note;
    run.progress_context = &progress;
#ifdef _OPENMP
    int threads = omp_get_max_threads();
#endif
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
#ifdef _OPENMP
    assert_int_equal(omp_get_max_threads(), threads); /* as many as before */
#endif
    assert_null(bodies.bodies.mass); /* freed to make room */
    ky_snapshot_free(&bodies);
    assert_int_equal(progress.calls, 16);
    assert_true(progress.last.steps == 16 && progress.last.steps_at_end == 16 &&
                progress.last.time == 1 && progress.last.end == 1);
    assert_int_equal(progress.last.snapshots, 3);
    assert_true(progress.last.energy_time == 1);
    assert_between(fabs(progress.last.energy_change), 1e-12, 1e-2);

    /* The same run, stopped by the caller and resumed on its own processor. */
    prepare(&parameters, &run, &bodies);
    progress = (struct progress){0};
    run.output = part;
    run.progress = note;
    run.progress_context = &progress;
    run.stop = &progress.stop;
    struct ky_stop stop = {0};
    run.stopped = &stop;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "--resume"));
    assert_true(stop.kind == KY_STOP_ASKED && stop.time == 0.1875 && isnan(stop.distance));
    assert_int_equal(progress.calls, 3);
    ky_snapshot_free(&bodies);
    ky_parameters_defaults(&parameters);
    parameters.engine = NULL;
    parameters.isa = parameters.threads = -1;
    ky_run_parameters_defaults(&run);
    run.output = part;
    run.stopped = &stop;
    run.max_wall = 0; /* no time at all */
    assert_int_equal(ky_resume(&parameters, &run, &error), KY_STOPPED);
    assert_true(stop.kind == KY_STOP_WALL && stop.time == 0.1875);
    run.max_wall = (double)NAN;
    assert_ok(ky_resume(&parameters, &run, &error));
    assert_true(stop.kind == KY_STOP_NONE && isnan(stop.time));
    assert_same_end(whole, part);
    assert_ok(ky_resume(&parameters, &run, &error)); /* at its end it has nothing to do */
    run.end = 0.5;
    assert_int_equal(ky_resume(&parameters, &run, &error), KY_USAGE);
    run.output = "/tmp/kyoho-test-there-is-none";
    assert_int_equal(ky_resume(&parameters, &run, &error), KY_BAD_DATA);
}

/* Two bodies without softening fall towards each other, far from a third one. The caller learns
 * which they are. */
static void a_run_tells_the_pair_that_stopped_it(void **state)
{
    (void)state;
    double mass[] = {0.5, 1e-9, 0.5}, x[3][3] = {{-1, 0, 0}, {0, 50, 0}, {1, 0, 0}},
           v[3][3] = {{0}};
    uint64_t id[] = {5, 6, 9};
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_stop stop = {0};
    char folder[80];
    snprintf(folder, sizeof folder, "%s/pair", top);
    ky_snapshot_clear(&bodies);
    bodies.bodies =
        (struct ky_bodies){.n = 3, .mass = mass, .position = x, .velocity = v, .id = id};
    ky_parameters_defaults(&parameters);
    ky_run_parameters_defaults(&run);
    parameters.engine = "cpu";
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.integrator = KY_HERMITE4;
    parameters.softening = 0;
    parameters.step = 0.125;
    parameters.step_min = ldexp(1, -20);
    run.output = folder;
    run.end = 8;
    run.every = 8;
    run.keep = 1;
    run.stopped = &stop;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_STOPPED);
    assert_true(stop.kind == KY_STOP_CLOSE_PAIR && stop.id[0] + stop.id[1] == 14 &&
                stop.index[0] + stop.index[1] == 2 && stop.step == parameters.step_min);
    assert_between(stop.distance, 1e-8, 1e-2);
    assert_between(stop.time, 3, 3.3); /* π: the time of the free fall */
}

/* A softening that comes with the bodies is checked before anything is written, as an option is. */
static void a_stored_softening_is_checked_first(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    char folder[80];
    prepare(&parameters, &run, &bodies);
    snprintf(folder, sizeof folder, "%s/none/deeper", top); /* a folder that cannot be made */
    run.output = folder;
    run.keep = 1;
    bodies.softening_kind = KY_SPLINE;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.integrator = KY_HERMITE4;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "spline"));
    bodies.softening_kind = KY_PLUMMER;
    bodies.softening = -1;
    parameters.softening = (double)NAN;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "softening -1"));
    ky_snapshot_free(&bodies);
}

static void assert_in_file(const char *path, const char *text)
{
    char content[1 << 14];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    if (!strstr(content, text))
        fail_msg("%s: not '%s'", path, text);
}

/* Default parameters do not choose the processor: a resumed run stays on its own. */
static void default_parameters_keep_the_processor(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    char path[96];
    prepare(&parameters, &run, &bodies);
    parameters.isa = KY_ISA_PLAIN; /* on every machine, and never chosen by itself */
    run.overwrite = 1;
    run.output = part;
    run.end = 0.5;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    ky_parameters_defaults(&parameters);
    ky_run_parameters_defaults(&run);
    run.output = part;
    run.end = 1;
    assert_ok(ky_resume(&parameters, &run, &error));
    snprintf(path, sizeof path, "%s/run.json", part);
    assert_in_file(path, "\"isa\": \"plain\"");
    assert_in_file(path, "\"threads\": 1");
    assert_in_file(path, "\"time\": 1");
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    prepare(&parameters, &run, &bodies);
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE); /* there are results */
    assert_non_null(strstr(error.text, "--overwrite"));
    assert_int_equal(bodies.bodies.n, 200); /* still the caller's */
    run.overwrite = 1;
    run.input = json; /* an input among the results */
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    run.input = NULL;
    run.bodies_hash = "0000000000000000";
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_BAD_DATA);
    run.bodies_hash = NULL;
    assert_ok(ky_units_preset("galaxy", &bodies.units, &error));
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE); /* with G = 1 */
    assert_non_null(strstr(error.text, "43009"));
    assert_ok(ky_units_preset("nbody", &bodies.units, &error));
    run.output = NULL;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    run.output = whole;
    bodies.bodies.velocity[7][1] = (double)NAN;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_BAD_DATA);
    run.size = 3;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    assert_int_equal(access(json, F_OK), 0); /* nothing has been removed */
    ky_snapshot_free(&bodies);
}

static void a_signal_at_the_start_keeps_old_results(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct stat before, after;
    volatile int stopped = 1;
    prepare(&parameters, &run, &bodies);
    run.output = whole;
    run.overwrite = 1;
    run.stop = &stopped;
    assert_int_equal(stat(json, &before), 0);
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "results in"));
    assert_int_equal(stat(json, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtime == after.st_mtime);
    /* the first forces of a new folder end too, and leave none */
    char fresh[80];
    snprintf(fresh, sizeof fresh, "%s/fresh", top);
    ky_snapshot_free(&bodies);
    prepare(&parameters, &run, &bodies);
    run.output = fresh;
    run.stop = &stopped;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "nothing has been written"));
    assert_int_equal(access(fresh, F_OK), -1);
    /* an empty folder stays empty */
    ky_snapshot_free(&bodies);
    prepare(&parameters, &run, &bodies);
    run.output = fresh;
    run.stop = &stopped;
    assert_int_equal(mkdir(fresh, 0700), 0);
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_STOPPED);
    assert_int_equal(rmdir(fresh), 0);
    ky_snapshot_free(&bodies);
}

/* What the caller's function finds, and does, within a run. */
struct visits {
    int calls;
    double last;
    size_t n; /* the number of bodies */
};

/* While the force is measured there is nothing to resume: the folder is not begun. */
static void a_signal_in_the_choice_leaves_no_folder(void **state)
{
    (void)state;
    static const volatile int stop = 1;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot snapshot;
    char path[512];
    prepare(&parameters, &run, &snapshot);
    parameters.force = KY_TREE;
    parameters.error = 1e-2;
    parameters.stop = &stop;
    snprintf(path, sizeof path, "%s-chosen", whole);
    run.output = path;
    assert_int_equal(ky_run(&parameters, &run, &snapshot, &error), KY_STOPPED);
    assert_true(strstr(error.text, "stopped before the first step") != NULL);
    assert_int_equal(access(path, F_OK), -1);
    ky_snapshot_free(&snapshot);
}

static enum ky_status shoot_one(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    struct visits *visits = context;
    const uint64_t id = (uint64_t)visits->calls++;
    visits->last = ky_sim_time(sim);
    visits->n = ky_sim_n(sim);
    /* Only the run moves time on. */
    if (ky_sim_advance(sim, 1, NULL) != KY_USAGE || ky_sim_set_step(sim, 1, NULL) != KY_USAGE ||
        ky_sim_advance_to(sim, 1, 1, NULL) != KY_USAGE)
        return ky_sim_advance(sim, 0, problem);
    return visits->calls == 4 ? ky_sim_remove(sim, &(uint64_t){1000}, 1, problem)
                              : ky_sim_remove(sim, &id, 1, problem);
}

static void a_function_within_a_run(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct visits visits = {0};
    prepare(&parameters, &run, &bodies);
    run.overwrite = run.keep = 1;
    run.visit = shoot_one;
    run.visit_context = &visits;
    run.visit_every = 5;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    assert_true(visits.calls == 3 && visits.last == 15.0 / 16 && visits.n == 198);
    assert_non_null(bodies.bodies.mass); /* kept */
    assert_int_equal(bodies.bodies.n, 200);
    run.visit_every = 4; /* the fourth call fails and ends the run */
    visits = (struct visits){0};
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "of 1 ids to remove only 0"));
    ky_snapshot_free(&bodies);
}

static enum ky_status fail_in_silence(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    (void)sim;
    if (context)
        *problem = *(struct ky_error *)context;
    return problem->text[0] ? KY_DEVICE : (enum ky_status)77;
}

/* A function that fails without a text and with its own number, and one that fails with an
 * unterminated text. */
static void a_function_that_fails_without_a_text(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_error endless;
    prepare(&parameters, &run, &bodies);
    run.overwrite = run.keep = 1;
    run.visit = fail_in_silence;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_FAULT);
    assert_string_equal(error.text, "the function `visit` of the program ended the run");
    memset(endless.text, 'x', sizeof endless.text);
    run.visit_context = &endless;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_DEVICE);
    assert_int_equal(strspn(error.text, "x"), sizeof error.text - 1);
    ky_snapshot_free(&bodies);
}

static enum ky_status lose_the_bodies(struct ky_engine *engine, const struct ky_bodies *bodies,
                                      struct ky_error *problem)
{
    (void)engine;
    (void)bodies;
    return ky_fail(problem, KY_DEVICE, "the bodies are lost");
}

/* A change fails, after which the simulation can only be closed; the caller does not mind. */
static enum ky_status ignore_a_failure(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    const struct ky_engine_verbs *const verbs = sim->engine->verbs;
    struct ky_engine_verbs broken = *verbs;
    ++*(int *)context;
    broken.put = lose_the_bodies;
    sim->engine->verbs = &broken;
    assert_int_equal(ky_sim_set_softening(sim, 0.2, problem), KY_DEVICE);
    sim->engine->verbs = verbs;
    return KY_OK;
}

/* A run does not advance a simulation that has failed. */
static void a_function_that_ignores_a_failure(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    int calls = 0;
    prepare(&parameters, &run, &bodies);
    run.overwrite = 1;
    run.energy_every = 0.5; /* no row asks for the bodies before the second step */
    run.visit = ignore_a_failure;
    run.visit_context = &calls;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "can only be closed"));
    assert_int_equal(calls, 1);
    ky_snapshot_free(&bodies);
}

/* Calls from C refuse what the command line refuses, before a folder is made. */
static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        const char *name;
    } fields[] = {
        {offsetof(struct ky_run_parameters, escape_radius), "escape-radius"},
        {offsetof(struct ky_run_parameters, escapers), "escapers"},
        {offsetof(struct ky_run_parameters, stop_core), "stop-core"},
        {offsetof(struct ky_run_parameters, restart_every), "restart-every"},
        {offsetof(struct ky_run_parameters, energy_every), "energy-every"},
        {offsetof(struct ky_run_parameters, every), "every"},
        {offsetof(struct ky_run_parameters, max_wall), "max-wall"},
    };
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_plan plan = {0};
    char none[96];
    snprintf(none, sizeof none, "%s/none", top);
    prepare(&parameters, &run, &bodies);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        struct ky_run_parameters wrong = run;
        wrong.output = none;
        *(double *)((char *)&wrong + fields[k].offset) = -1;
        assert_int_equal(ky_run(&parameters, &wrong, &bodies, &error), KY_USAGE);
        assert_non_null(strstr(error.text, fields[k].name));
        assert_int_equal(ky_run_plan(&parameters, &wrong, &bodies, &plan, &error), KY_USAGE);
        assert_int_equal(ky_resume(&parameters, &wrong, &error), KY_USAGE);
        assert_int_equal(access(none, F_OK), -1);
    }
    ky_snapshot_free(&bodies);
}

/* Sets one softening for all at the time 0.25, and softenings of the bodies' own at 0.75. */
static enum ky_status soften(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    (void)context;
    const double time = ky_sim_time(sim);
    double own[200];
    for (int i = 0; i < 200; i++)
        own[i] = 0.1 + 0.001 * i;
    const struct ky_bodies bodies = {.n = 200, .softening = own};
    if (time == 0.25)
        return ky_sim_set_softening(sim, 0.3, problem);
    return time == 0.75 ? ky_sim_write(sim, &bodies, problem) : KY_OK;
}

/* A resumed run keeps softenings that were changed on the way. */
static void a_changed_softening_is_resumed(void **state)
{
    (void)state;
    struct ky_parameters parameters, defaults;
    struct ky_run_parameters run, more;
    struct ky_snapshot bodies;
    struct ky_bodies end[2];
    struct ky_sim *sim;
    char path[96];
    prepare(&parameters, &run, &bodies);
    ky_parameters_defaults(&defaults);
    run.overwrite = run.keep = 1;
    run.visit = soften;
    run.every = (double)NAN;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    run.output = part;
    run.end = 0.5;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    ky_run_parameters_defaults(&more);
    more.output = part;
    more.visit = soften;
    for (more.end = 0.8125; more.end <= 1; more.end += 0.1875)
        assert_ok(ky_resume(&defaults, &more, &error));
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/restart.kyo", k ? part : whole);
        assert_ok(ky_sim_restore(path, &defaults, &sim, &error));
        assert_ok(ky_bodies_allocate(&end[k], 200, KY_WITH_SOFTENING, &error));
        assert_ok(ky_sim_bodies(sim, &end[k], &error));
        assert_true(ky_sim_time(sim) == 1);
        ky_sim_close(sim);
    }
    assert_memory_equal(end[0].position, end[1].position, 200 * sizeof *end->position);
    assert_memory_equal(end[0].softening, end[1].softening, 200 * sizeof *end->softening);
    assert_true(end[0].softening[199] > 0.298);
    ky_bodies_free(&end[0]);
    ky_bodies_free(&end[1]);
    ky_snapshot_free(&bodies);
}

static void rows_have_the_columns_of_their_file(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "0,0,1,-3,2,0,0,,0,0,0,0,0,0,0,0,0,4,7,2,1.5,,", /* de: 0 */
        "0,0,1,-3,-2,-2,-1,,0,0,0,0,0,0,0,0,0,"};
    for (int old = 0; old < 2; old++) {
        const struct ky_energy_start start = {
            .energy = 2, .potential = -4, .conserved = 1, .external = !old, .bound = !old};
        const struct ky_energy_now now = {
            .sums = {.mass = 2, .kinetic = 1, .potential = -3, .external = old ? 0 : 4},
            .bodies = 7,
            .bound = {.mass = 1.5, .half_mass_radius = (double)NAN},
            .wall = 0.5};
        struct ky_energy_start found = {.external = old, .bound = old};
        char line[512] = "";
        FILE *file = tmpfile();
        assert_non_null(file);
        ky_energy_header(file, &start);
        ky_energy_row(file, &start, &now);
        ky_energy_find_columns(file, &found);
        assert_true(found.external == !old && found.bound == !old);
        rewind(file);
        assert_non_null(fgets(line, sizeof line, file));
        assert_non_null(fgets(line, sizeof line, file));
        assert_memory_equal(line, expected[old], strlen(expected[old]));
        assert_string_equal(line + strlen(expected[old]), "0.500\n");
        fclose(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_runs),
        cmocka_unit_test(snapshots_of_a_folder),
        cmocka_unit_test(structs_of_older_programs),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(a_run_stops_and_is_resumed),
        cmocka_unit_test(a_run_tells_the_pair_that_stopped_it),
        cmocka_unit_test(default_parameters_keep_the_processor),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_function_within_a_run),
        cmocka_unit_test(a_function_that_fails_without_a_text),
        cmocka_unit_test(a_function_that_ignores_a_failure),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(a_signal_at_the_start_keeps_old_results),
        cmocka_unit_test(a_signal_in_the_choice_leaves_no_folder),
        cmocka_unit_test(a_changed_softening_is_resumed),
        cmocka_unit_test(a_stored_softening_is_checked_first),
        cmocka_unit_test(rows_have_the_columns_of_their_file),
    };
    char command[96];
    if (!mkdtemp(top))
        return 1;
    snprintf(whole, sizeof whole, "%s/whole", top);
    snprintf(part, sizeof part, "%s/part", top);
    snprintf(json, sizeof json, "%s/run.json", whole);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", top);
    return system(command) || failed;
}
