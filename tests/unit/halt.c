/* The stop flag of calls that do not advance: forces, fields, searches, models. Each call is ended
 * by a flag that is set before it and by one that another thread sets while it works; the same call
 * gives the same bits afterwards. KYOHO_TEST_BODIES: how many bodies, for
 * docs/lab/2026-11-26-stops.md. */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static struct ky_error error;
static volatile int stop;
static struct ky_snapshot many; /* a sphere */
static size_t count, few;       /* its bodies; a tenth of them, for calls that take long */

/* What a call works on, and where its results go. */
struct work {
    struct ky_parameters parameters;
    struct ky_bodies bodies; /* of `many`, with forces of its own */
    struct ky_sim *sim;      /* for the calls of a simulation */
    unsigned char *results;  /* what the call fills, copied one after the other */
    size_t bytes;
};

static void keep(struct work *work, const void *from, size_t bytes)
{
    if (!bytes)
        return;
    work->results = realloc(work->results, work->bytes + bytes);
    assert_non_null(work->results);
    memcpy(work->results + work->bytes, from, bytes);
    work->bytes += bytes;
}

static double (*points(void))[3]
{
    return many.bodies.position;
}

/* ---- the calls ---- */

static enum ky_status forces(struct work *work)
{
    struct ky_bodies *bodies = &work->bodies;
    memset(bodies->acceleration, 0x55, bodies->n * sizeof *bodies->acceleration);
    const enum ky_status status = ky_forces(&work->parameters, bodies, NULL, &error);
    if (status) { /* unchanged */
        const unsigned char *byte = (const unsigned char *)bodies->acceleration;
        for (size_t k = 0; k < bodies->n * sizeof *bodies->acceleration; k++)
            assert_int_equal(byte[k], 0x55);
        return status;
    }
    keep(work, bodies->acceleration, bodies->n * sizeof *bodies->acceleration);
    keep(work, bodies->potential, bodies->n * sizeof *bodies->potential);
    return status;
}

static enum ky_status direct(struct work *work)
{
    work->parameters.force = KY_DIRECT;
    work->bodies.n = 2 * few;
    return forces(work);
}

static enum ky_status walk_alone(struct work *work)
{
    work->parameters.force = KY_WALK;
    work->bodies.n = 2 * few;
    return forces(work);
}

static enum ky_status expand(struct work *work)
{
    work->parameters.force = KY_FMM;
    return forces(work);
}

static enum ky_status mutual(struct work *work)
{
    work->parameters.force = KY_FMM;
    work->parameters.mutual = 1;
    work->bodies.n = 4 * few;
    return forces(work);
}

static enum ky_status with_error(struct work *work)
{
    work->parameters.force = KY_TREE; /* of several methods another one may win the next race */
    work->parameters.error = 1e-4;
    work->bodies.n = 4 * few;
    return forces(work);
}

/* Half of the bodies have no mass. */
static enum ky_status massless(struct work *work)
{
    double *mass = work->bodies.mass;
    work->bodies.mass = malloc(work->bodies.n * sizeof *mass);
    for (size_t i = 0; i < work->bodies.n; i++)
        work->bodies.mass[i] = i % 2 ? mass[i] : 0;
    const enum ky_status status = forces(work);
    free(work->bodies.mass);
    work->bodies.mass = mass;
    return status;
}

static enum ky_status check(struct work *work)
{
    struct ky_check_parameters wanted;
    struct ky_check_results results = {.size = sizeof results};
    ky_check_parameters_defaults(&wanted);
    wanted.samples = 1000;
    wanted.repeat = 2;
    const enum ky_status status =
        ky_forces_check(&work->parameters, &work->bodies, &wanted, &results, &error);
    if (!status)
        keep(work, &results, sizeof results);
    return status;
}

static enum ky_status field_by(struct work *work, int force, int tides, size_t n)
{
    double(*tide)[6] = calloc(n, sizeof *tide), *potential = calloc(n, sizeof *potential);
    const struct ky_field_points asked = {.size = sizeof asked,
                                          .count = n,
                                          .position = (const double(*)[3])points(),
                                          .softening = 0.01,
                                          .potential = potential,
                                          .tide = tides ? tide : NULL};
    work->parameters.force = force;
    const enum ky_status status =
        work->sim ? ky_sim_field_fill(work->sim, &asked, &error)
                  : ky_field_fill(&work->parameters, &work->bodies, &asked, &error);
    if (!status) {
        keep(work, potential, n * sizeof *potential);
        keep(work, tide, n * sizeof *tide);
    }
    free(tide);
    free(potential);
    return status;
}

static enum ky_status field(struct work *work)
{
    return field_by(work, KY_TREE, 0, count);
}

static enum ky_status field_of_cells(struct work *work)
{
    return field_by(work, KY_FMM, 0, count);
}

static enum ky_status field_of_walks(struct work *work)
{
    return field_by(work, KY_WALK, 0, few);
}

static enum ky_status direct_field(struct work *work)
{
    return field_by(work, KY_DIRECT, 0, few);
}

static enum ky_status tides(struct work *work)
{
    return field_by(work, KY_TREE, 1, few);
}

static enum ky_status walk(struct work *work)
{
    const double radius = 0.05;
    const struct ky_walk_input input = {.size = sizeof input, .radius = &radius, .radii = 1};
    double *results = calloc(count, sizeof *results);
    const enum ky_status status =
        work->sim
            ? ky_sim_walk(work->sim, "count", &input, results, NULL, &error)
            : ky_walk(&work->parameters, &work->bodies, "count", &input, results, NULL, &error);
    if (!status)
        keep(work, results, count * sizeof *results);
    free(results);
    return status;
}

static enum ky_status neighbours(struct work *work)
{
    const double radius = 0.02;
    struct ky_neighbour_lists lists;
    const enum ky_status status =
        work->sim ? ky_sim_neighbours(work->sim, &radius, 1, NULL, &lists, NULL, &error)
                  : ky_neighbours(&work->parameters, &work->bodies, &radius, 1, NULL, &lists, NULL,
                                  &error);
    if (status)
        assert_true(!lists.offset && !lists.body);
    else
        keep(work, lists.body, lists.offset[count] * sizeof *lists.body);
    ky_neighbour_lists_free(&lists);
    return status;
}

static enum ky_status density(struct work *work)
{
    double *results = calloc(count, sizeof *results);
    const enum ky_status status =
        work->sim
            ? ky_sim_sph_density(work->sim, 32, results, NULL, NULL, &error)
            : ky_sph_density(&work->parameters, &work->bodies, 32, results, NULL, NULL, &error);
    if (!status)
        keep(work, results, count * sizeof *results);
    free(results);
    return status;
}

static enum ky_status catalogue(struct work *work)
{
    struct ky_catalogue_parameters wanted;
    struct ky_catalogue made = {.size = sizeof made};
    ky_catalogue_parameters_defaults(&wanted);
    wanted.minimum = 2;
    wanted.linking_length = 0.02;
    const enum ky_status status =
        work->sim
            ? ky_sim_catalogue_make(work->sim, &wanted, &made, NULL, &error)
            : ky_catalogue_make(&work->parameters, &wanted, &work->bodies, &made, NULL, &error);
    if (status)
        assert_true(!made.body && !made.mass && !made.groups);
    else
        keep(work, made.body, made.members * sizeof *made.body);
    ky_catalogue_free(&made);
    return status;
}

static enum ky_status pairs(struct work *work)
{
    const double radius = 0.005;
    struct ky_pairs made = {.size = sizeof made};
    const enum ky_status status = ky_sim_pairs(work->sim, &radius, 1, &made, NULL, &error);
    if (status)
        assert_true(!made.index && !made.count);
    else
        keep(work, made.index, made.count * sizeof *made.index);
    ky_pairs_free(&made);
    return status;
}

static enum ky_status binaries(struct work *work)
{
    struct ky_binaries made = {.size = sizeof made};
    const enum ky_status status =
        ky_binaries_find(&work->parameters, &work->bodies, &made, NULL, &error);
    if (status)
        assert_true(!made.body && !made.count);
    else
        keep(work, made.energy, made.count * sizeof *made.energy);
    ky_binaries_free(&made);
    return status;
}

static enum ky_status model_of(struct work *work, const char *name, size_t n)
{
    struct ky_model_parameters parameters;
    struct ky_snapshot made;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.seed = 1;
    parameters.stop = work->parameters.stop;
    const enum ky_status status = ky_model_make(name, &parameters, &made, &error);
    if (status)
        assert_true(!made.bodies.mass && !made.bodies.n);
    else
        keep(work, made.bodies.velocity, n * sizeof *made.bodies.velocity);
    ky_snapshot_free(&made);
    return status;
}

static enum ky_status sphere(struct work *work)
{
    return model_of(work, "king", 5 * count);
}

static enum ky_status galaxy(struct work *work)
{
    return model_of(work, "galaxy", 5 * count);
}

static enum ky_status merger(struct work *work)
{
    return model_of(work, "merger", 5 * count);
}

static enum ky_status universe(struct work *work)
{
    return model_of(work, "cosmic", count);
}

static enum ky_status merge(struct work *work)
{
    struct ky_merge_parameters parameters;
    struct ky_bodies made;
    ky_merge_parameters_defaults(&parameters);
    parameters.separation = 10;
    parameters.pericentre = 1;
    parameters.radius = 2;
    parameters.stop = work->parameters.stop;
    const enum ky_status status =
        ky_merge(&work->bodies, &work->bodies, &parameters, &made, &error);
    if (status)
        assert_true(!made.mass && !made.n);
    else
        keep(work, made.velocity, made.n * sizeof *made.velocity);
    ky_bodies_free(&made);
    return status;
}

static const struct call {
    const char *name;
    enum ky_status (*call)(struct work *work);
    int alone, of_sim; /* 1: without a simulation; 1: with one */
} calls[] = {
    {"forces", forces, 1, 0},
    {"forces --force direct", direct, 1, 0},
    {"forces --force walk", walk_alone, 1, 0},
    {"forces --force fmm", expand, 1, 0},
    {"forces --force fmm --mutual", mutual, 1, 0},
    {"forces --error", with_error, 1, 0},
    {"forces of massless bodies", massless, 1, 0},
    {"check", check, 1, 0},
    {"field", field, 1, 1},
    {"field --force fmm", field_of_cells, 1, 0},
    {"field --force walk", field_of_walks, 1, 0},
    {"field --force direct", direct_field, 1, 0},
    {"tides", tides, 1, 1},
    {"walk", walk, 1, 1},
    {"neighbours", neighbours, 1, 1},
    {"density", density, 1, 1},
    {"catalogue", catalogue, 1, 1},
    {"pairs", pairs, 0, 1},
    {"binaries", binaries, 1, 0},
    {"model king", sphere, 1, 0},
    {"model galaxy", galaxy, 1, 0},
    {"model merger", merger, 1, 0},
    {"model cosmic", universe, 1, 0},
    {"merge", merge, 1, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- how they are ended ---- */

/* Of the processor time of the program, on which other programs have no bearing, or of the wall
 * clock [s]. */
static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How another thread sets the flag while a call works. Times are processor time [s]. */
struct press {
    double after, during; /* since the call began, and how long; during < 0: it stays set */
    double at, at_wall;   /* when it was set; not at all: 0 */
    volatile int ended;   /* the call has ended: nothing is set any more */
};

static void wait_until(const struct press *press, double time)
{
    while (seconds(CLOCK_PROCESS_CPUTIME_ID) < time && !press->ended)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void *press_it(void *context)
{
    struct press *press = context;
    wait_until(press, press->after);
    if (press->ended)
        return NULL;
    press->at_wall = seconds(CLOCK_MONOTONIC);
    press->at = seconds(CLOCK_PROCESS_CPUTIME_ID);
    stop = 1;
    if (press->during >= 0) {
        wait_until(press, press->at + press->during);
        stop = 0;
    }
    return NULL;
}

/* A call, what it works on, and what it gives undisturbed. */
struct ended {
    const struct call *call;
    struct work *work;
    struct ky_sim *sim; /* or NULL */
    double took;        /* processor time [s] */
    unsigned char *wanted;
    size_t bytes;
};

static enum ky_status do_call(const struct ended *ended)
{
    struct work *work = ended->work;
    free(work->results);
    *work = (struct work){.bodies = work->bodies, .sim = ended->sim};
    ky_parameters_defaults(&work->parameters);
    work->parameters.engine = "cpu";
    work->parameters.softening = 0.01;
    work->parameters.stop = &stop;
    work->bodies.n = count;
    return ended->call->call(work);
}

/* A call that is not stopped gives what it gives undisturbed. */
static void expect_all(const struct ended *ended, enum ky_status status)
{
    const struct work *work = ended->work;
    if (status != KY_OK)
        fail_msg("%s: %s: %s", ended->call->name, ky_status_name(status), error.text);
    if (work->bytes != ended->bytes || memcmp(ended->wanted, work->results, ended->bytes) != 0)
        fail_msg("%s: other results after a stop", ended->call->name);
}

/* The call while another thread sets the flag when `part` of its work is done, and clears it after
 * `during`. Returns its status. How late it ended: *late in processor time, *late_wall [s]. */
static enum ky_status pressed_call(const struct ended *ended, double part, double during,
                                   double *late, double *late_wall)
{
    pthread_t thread;
    struct press press = {.after = seconds(CLOCK_PROCESS_CPUTIME_ID) + part * ended->took,
                          .during = during};
    stop = 0;
    assert_int_equal(pthread_create(&thread, NULL, press_it, &press), 0);
    const enum ky_status status = do_call(ended);
    const double end = seconds(CLOCK_PROCESS_CPUTIME_ID), end_wall = seconds(CLOCK_MONOTONIC);
    press.ended = 1;
    pthread_join(thread, NULL);
    *late = end - press.at;
    *late_wall = end_wall - press.at_wall;
    stop = 0;
    if (status != KY_STOPPED)
        expect_all(ended, status);
    return status;
}

static void end_before(const struct ended *ended)
{
    stop = 1;
    if (do_call(ended) != KY_STOPPED)
        fail_msg("%s: a flag that is set before the call does not end it", ended->call->name);
    assert_non_null(strstr(error.text, "stopped by the program"));
    stop = 0;
}

/* 1: with as many bodies as check-all has the parts of a call that do not look at the flag are
 * short beside the others, and every flag has to end it soon. With fewer, and on a busy machine,
 * one does. */
static int is_strict(void)
{
    return count >= 100000;
}

/* How late a call may end that takes so long [s]. */
static double patience(double took)
{
    const double part = 0.35 * took;
    return !is_strict() && part < 0.2 ? 0.2 : part;
}

/* Most of the work that is left when the flag is set is left out. What a call does after its loops
 * does not look at the flag: the last flags may come too late. */
static void end_within(const struct ended *ended)
{
    static const double parts[] = {0.4, 0.2, 0.3, 0.1, 0.6, 0.8};
    double late = 0, wall = 0, latest = 0, latest_wall = 0;
    int stopped = 0, soon = 0, needed = is_strict() ? 5 : 1;
    /* a call of some milliseconds may end before the other thread has set the flag */
    for (int k = 0; k < (is_strict() ? 6 : 24) && (is_strict() || !soon); k++) {
        const double part = parts[is_strict() ? k : k % 4];
        if (pressed_call(ended, part, -1, &late, &wall) != KY_STOPPED)
            continue;
        stopped++;
        soon += part < 0.7 && late <= patience(ended->took);
        latest = late > latest ? late : latest;
        latest_wall = wall > latest_wall ? wall : latest_wall;
    }
    printf(
        "# %-28s took %6.3f s; %d stopped, the latest %.3f s after the flag (%.3f s of processor "
        "time)\n",
        ended->call->name, ended->took, stopped, latest_wall, latest);
    if (soon < needed)
        fail_msg("%s: takes %.3f s of processor time, and ends %.3f s after a flag that is set "
                 "within it; %d of %d flags end it soon",
                 ended->call->name, ended->took, latest, soon, needed);
}

/* Ends the call in every way; it gives the same results then. */
static void end_call(const struct call *call, struct work *work, struct ky_sim *sim)
{
    struct ended ended = {.call = call, .work = work, .sim = sim};
    double late, wall;
    stop = 0;
    for (int k = 0; k < 2; k++) { /* the first may take longer */
        const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
        assert_ok(do_call(&ended));
        ended.took = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    }
    ended.wanted = work->results;
    ended.bytes = work->bytes;
    assert_true(ended.bytes > 0);
    work->results = NULL;
    end_before(&ended);
    end_within(&ended);
    expect_all(&ended, do_call(&ended));
    pressed_call(&ended, 0.3, 0.05 * ended.took, &late, &wall);
    free(ended.wanted);
}

static void calls_end(void **state)
{
    (void)state;
    struct work work = {.bodies = many.bodies};
    for (int k = 0; k < CALLS; k++)
        if (calls[k].alone && (test_everything() || calls[k].call != merger)) /* two galaxies */
            end_call(&calls[k], &work, NULL);
    free(work.results);
}

/* A simulation goes on as one that was never stopped. `chosen`: of its calls; NULL: all. */
static void end_calls_of_a_simulation(int ranks, const char *chosen)
{
    struct work work = {.bodies = many.bodies};
    struct ky_parameters parameters;
    struct ky_sim *sims[2];
    struct ky_bodies after[2] = {{0}, {0}};
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.softening = 0.01;
    parameters.step = 0.01;
    parameters.stop = &stop;
    parameters.ranks = ranks;
    if (ranks > 1) /* they divide the bodies */
        parameters.force = KY_TREE;
    stop = 0;
    for (int k = 0; k < 2; k++) {
        assert_ok(ky_sim_open(&parameters, &many.bodies, 0, &sims[k], &error));
        for (int c = 0; c < CALLS && k == 0; c++)
            if (calls[c].of_sim && (!chosen || strstr(chosen, calls[c].name)))
                end_call(&calls[c], &work, sims[k]);
        assert_ok(ky_sim_advance(sims[k], 1, &error));
        assert_ok(ky_bodies_allocate(&after[k], count, 0, &error));
        assert_ok(ky_sim_bodies(sims[k], &after[k], &error));
        ky_sim_close(sims[k]);
    }
    assert_memory_equal(after[0].velocity, after[1].velocity, count * sizeof *after[0].velocity);
    for (int k = 0; k < 2; k++)
        ky_bodies_free(&after[k]);
    free(work.results);
}

static void calls_of_a_simulation_end(void **state)
{
    (void)state;
    end_calls_of_a_simulation(1, NULL);
}

/* All ranks of a process see the flag. */
static void calls_of_ranks_end(void **state)
{
    (void)state;
    end_calls_of_a_simulation(3, "field, tides, neighbours");
}

static int make_bodies(void **state)
{
    (void)state;
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    const char *text = getenv("KYOHO_TEST_BODIES");
    count = text ? strtoul(text, NULL, 10) : test_everything() ? 100000 : 15000;
    few = count / 10;
    parameters.n = count;
    parameters.seed = 7;
    assert_ok(ky_model_make("plummer", &parameters, &many, &error));
    return (int)ky_bodies_extend(&many.bodies, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error);
}

static int free_bodies(void **state)
{
    (void)state;
    ky_snapshot_free(&many);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_end),
        cmocka_unit_test(calls_of_a_simulation_end),
        cmocka_unit_test(calls_of_ranks_end),
    };
    return cmocka_run_group_tests(tests, make_bodies, free_bodies);
}
