/* Two bodies of a simulation that become one: masses, momenta and energies by hand, and steps of
 * all integrators afterwards. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "physics/main_sequence.h"
#include "sims.h"

static struct ky_error error;

enum { N = 5 };
static const double eps = 0.1;

/* Ids 50, 40, 30, 20, 10; the last two have no mass. */
static struct ky_bodies five(unsigned with)
{
    static const double row[N][7] = {{1, 0.1, 0.2, 0.3, 0.4, -0.5, 0.6},
                                     {2, 1, -0.4, 0.2, -0.3, 0.2, 0.1},
                                     {2, -1, 0.5, -0.7, 0.1, 0.3, -0.2},
                                     {0, 0.3, 1.5, 0.2, 0.2, 0.1, 0.4},
                                     {0, 0.5, 1.1, 0.8, -0.2, 0.3, 0.2}};
    struct ky_bodies bodies;
    assert_ok(ky_bodies_allocate(&bodies, N, KY_WITH_ID | with, &error));
    for (size_t i = 0; i < N; i++) {
        bodies.id[i] = 10 * (N - i);
        bodies.mass[i] = row[i][0];
        memcpy(bodies.position[i], row[i] + 1, 3 * sizeof(double));
        memcpy(bodies.velocity[i], row[i] + 4, 3 * sizeof(double));
        if (bodies.radius)
            bodies.radius[i] = 0.1 * (double)(i + 1);
        if (bodies.type)
            bodies.type[i] = (uint8_t)i;
    }
    return bodies;
}

static struct ky_sim *opened(const struct ky_bodies *bodies, int integrator)
{
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_sim *sim;
    parameters.integrator = integrator;
    parameters.precision = KY_DOUBLE;
    parameters.softening = integrator == KY_FEW ? 0 : eps;
    parameters.step = 0x1p-6;
    assert_ok(ky_sim_open(&parameters, bodies, 0, &sim, &error));
    return sim;
}

static struct ky_bodies bodies_of(struct ky_sim *sim, unsigned with)
{
    struct ky_bodies bodies;
    assert_ok(ky_bodies_allocate(&bodies, ky_sim_n(sim), with, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    return bodies;
}

static double energy_of(const struct ky_bodies *b)
{
    double energy = 0;
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->position[i], *v = b->velocity[i];
        energy += 0.5 * b->mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (size_t j = 0; j < i; j++) {
            const double *y = b->position[j];
            const double d2 = pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2);
            energy -= b->mass[i] * b->mass[j] / sqrt(d2 + eps * eps);
        }
    }
    return energy;
}

static void a_pair_becomes_one(void **state)
{
    (void)state;
    const uint64_t id[2] = {50, 30}, left[N - 1] = {40, 30, 20, 10};
    struct ky_bodies before = five(KY_WITH_RADIUS | KY_WITH_TYPE);
    struct ky_sim *sim = opened(&before, KY_LEAPFROG);
    struct ky_merger merger = {.size = sizeof merger};
    assert_ok(ky_sim_merge(sim, id, (double)NAN, &merger, &error));
    struct ky_bodies after = bodies_of(sim, KY_WITH_ID | KY_WITH_RADIUS | KY_WITH_TYPE);
    assert_int_equal(after.n, N - 1);
    for (size_t i = 0; i < N - 1; i++)
        assert_int_equal(after.id[i], left[i]);
    assert_true(merger.id[0] == 30 && merger.id[1] == 50);
    assert_true(merger.mass[0] == 2 && merger.mass[1] == 1 && after.mass[1] == 3);
    assert_true(merger.radius[0] == before.radius[2] && merger.radius[1] == before.radius[0]);
    assert_between(after.radius[1], cbrt(0.027 + 0.001) - 1e-15, cbrt(0.027 + 0.001) + 1e-15);
    assert_true(merger.new_radius == after.radius[1] && after.type[1] == 2);
    double distance = 0, speed = 0;
    for (int c = 0; c < 3; c++) {
        const double *x = &before.position[0][c], *v = &before.velocity[0][c];
        assert_between(3 * after.position[1][c] - x[0] - 2 * x[6], -1e-15, 1e-15);
        assert_between(3 * after.velocity[1][c] - v[0] - 2 * v[6], -1e-15, 1e-15);
        assert_true(merger.position[c] == after.position[1][c]);
        assert_true(merger.velocity[c] == after.velocity[1][c]);
        distance += pow(x[0] - x[6], 2);
        speed += pow(v[0] - v[6], 2);
    }
    assert_between(merger.distance / sqrt(distance), 1 - 1e-15, 1 + 1e-15);
    assert_between(merger.speed / sqrt(speed), 1 - 1e-15, 1 + 1e-15);
    assert_between(merger.energy - (energy_of(&after) - energy_of(&before)), -1e-14, 1e-14);
    ky_bodies_free(&before);
    ky_bodies_free(&after);
    ky_sim_close(sim);
}

/* Of equal masses the first in the order of the bodies stays; a radius may be given; without radii
 * there is none. */
static void the_first_of_equal_ones_stays(void **state)
{
    (void)state;
    const uint64_t id[2] = {30, 40}, massless[2] = {10, 20};
    for (int has_radii = 0; has_radii < 2; has_radii++) {
        struct ky_bodies bodies = five(has_radii ? KY_WITH_RADIUS : 0);
        struct ky_sim *sim = opened(&bodies, KY_HERMITE4);
        struct ky_merger merger = {.size = sizeof merger};
        assert_ok(ky_sim_merge(sim, id, 0.125, &merger, &error));
        assert_true(merger.id[0] == 40 && merger.id[1] == 30);
        assert_true(has_radii ? merger.new_radius == 0.125 : isnan(merger.new_radius));
        assert_ok(ky_sim_merge(sim, massless, (double)NAN, &merger, &error));
        assert_true(merger.id[0] == 20 && merger.id[1] == 10 && merger.energy == 0);
        for (int c = 0; c < 3; c++)
            assert_between(merger.position[c] -
                               0.5 * (bodies.position[3][c] + bodies.position[4][c]),
                           -1e-16, 1e-16);
        assert_ok(ky_sim_advance(sim, 4, &error));
        assert_int_equal(ky_sim_n(sim), 3);
        ky_bodies_free(&bodies);
        ky_sim_close(sim);
    }
}

/* Until one body is left, which moves on a straight line. Steps of their own do not conserve the
 * momentum. */
static void all_become_one(int integrator)
{
    static const uint64_t pairs[N - 1][2] = {{50, 10}, {20, 30}, {40, 30}, {40, 50}};
    struct ky_bodies bodies = five(0);
    struct ky_sim *sim = opened(&bodies, integrator);
    struct ky_merger merger = {.size = sizeof merger};
    const double most = integrator == KY_HERMITE4 ? 1e-9 : 1e-14;
    for (int k = 0; k < N - 1; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_merge(sim, pairs[k], (double)NAN, &merger, &error));
        assert_int_equal(ky_sim_n(sim), N - 1 - k);
    }
    const double time = ky_sim_time(sim);
    assert_ok(ky_sim_advance(sim, 5, &error));
    struct ky_bodies last = bodies_of(sim, KY_WITH_ID);
    assert_true(last.n == 1 && last.mass[0] == 5 && last.id[0] == 40);
    for (int c = 0; c < 3; c++) {
        double momentum = 0;
        for (size_t i = 0; i < N; i++)
            momentum += bodies.mass[i] * bodies.velocity[i][c];
        assert_between(last.velocity[0][c] - momentum / 5, -most, most);
        assert_between(last.position[0][c] - merger.position[c] -
                           (ky_sim_time(sim) - time) * momentum / 5,
                       -most, most);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&last);
    ky_sim_close(sim);
}

static void every_integrator_goes_on(void **state)
{
    (void)state;
    static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4, KY_FEW};
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++)
        all_become_one(integrators[k]);
}

/* No force. Asks the run to stop when the bodies have come to the time 0.1. */
static volatile int asked;
static void ask(void *context, struct ky_field_place *place)
{
    (void)context;
    memset(place->acceleration, 0, sizeof place->acceleration);
    memset(place->jerk, 0, sizeof place->jerk);
    place->potential = 0;
    if (place->time > 0.1)
        asked = 1;
}

/* Counts the mergers in events.csv at this time. */
static int mergers_in(const char *folder, double time)
{
    char path[128], line[1024];
    int count = 0;
    snprintf(path, sizeof path, "%s/events.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        count += strstr(line, ",merger,") && strtod(line, NULL) == time;
    fclose(file);
    return count;
}

/* Two bodies approach and touch at 0.4. The longest step of 0.5 has thousands of blocks because of
 * a close pair, and in it the run is asked to stop: they merge at its end all the same, before the
 * run stops or, on a slow computer, after it is resumed. */
static void a_run_that_stops_merges_first(void **state)
{
    (void)state;
    char folder[] = "/tmp/kyoho-mergers-XXXXXX", command[64];
    static const double row[4][4] = {
        {1e-3, -0.5, 0.5, 0}, {1e-3, 0.5, -0.5, 0}, {1, 100, 0, -7}, {1, 100.01, 0, 7}};
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    struct ky_run_parameters run;
    struct ky_snapshot initial;
    struct ky_stop stop = {0};
    assert_non_null(mkdtemp(folder));
    ky_snapshot_clear(&initial);
    assert_ok(ky_bodies_allocate(&initial.bodies, 4, KY_WITH_RADIUS, &error));
    for (size_t i = 0; i < 4; i++) {
        const double x[3] = {row[i][1], 0, 0}, v[3] = {row[i][2], row[i][3], 0};
        initial.bodies.mass[i] = row[i][0];
        memcpy(initial.bodies.position[i], x, sizeof x);
        memcpy(initial.bodies.velocity[i], v, sizeof v);
        initial.bodies.radius[i] = i < 2 ? 0.3 : 1e-6;
    }
    parameters.integrator = KY_HERMITE4;
    parameters.precision = KY_DOUBLE;
    parameters.softening = 0;
    parameters.threads = 1;
    parameters.step = (double)NAN, parameters.step_max = 0.5;
    parameters.field_function = ask;
    ky_run_parameters_defaults(&run);
    run.output = folder, run.end = 1, run.collisions = KY_COLLISIONS_MERGE;
    run.stop = &asked, run.stopped = &stop;
    asked = 0;
    assert_int_equal(ky_run(&parameters, &run, &initial, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "the program"));
    assert_int_equal(stop.kind, KY_STOP_ASKED);
    run.stop = NULL;
    assert_ok(ky_resume(&parameters, &run, &error));
    assert_int_equal(mergers_in(folder, 0.5), 1);
    ky_snapshot_free(&initial);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* The radius of the Sun at zero age in Tout et al. (1996), and the ends of the fit. */
static void stars_have_radii(void **state)
{
    (void)state;
    assert_between(ky_main_sequence_radius(1), 0.888, 0.889);
    assert_true(ky_main_sequence_radius(0) == 0);
    assert_between(ky_main_sequence_radius(0.05) / ky_main_sequence_radius(0.1), 0.5 - 1e-15,
                   0.5 + 1e-15);
    for (double m = 0.01; m < 300; m *= 1.01)
        assert_between(ky_main_sequence_radius(1.01 * m) / ky_main_sequence_radius(m), 1.001, 1.03);
}

static void wrong_mergers_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t id[2];
        double radius;
        enum ky_status status;
        const char *why;
    } cases[] = {{{50, 50}, (double)NAN, KY_USAGE, "itself"},
                 {{50, 51}, (double)NAN, KY_BAD_DATA, "no body has the id 51"},
                 {{50, 40}, -1, KY_USAGE, "radius"},
                 {{50, 40}, (double)INFINITY, KY_USAGE, "radius"}};
    struct ky_bodies bodies = five(0);
    struct ky_sim *sim = opened(&bodies, KY_LEAPFROG);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(ky_sim_merge(sim, cases[k].id, cases[k].radius, NULL, &error),
                         cases[k].status);
        assert_non_null(strstr(error.text, cases[k].why));
        assert_int_equal(ky_sim_n(sim), N);
    }
    assert_int_equal(ky_sim_merge(sim, NULL, 0, NULL, &error), KY_USAGE);
    assert_int_equal(ky_sim_merge(NULL, cases[0].id, 0, NULL, &error), KY_USAGE);
    assert_ok(ky_sim_advance(sim, 1, &error));
    ky_sim_close(sim);
    struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
    parameters.softening = eps, parameters.step = 0x1p-6, parameters.box = 10;
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_merge(sim, (const uint64_t[]){50, 40}, 0, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "periodic"));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_becomes_one),       cmocka_unit_test(the_first_of_equal_ones_stays),
        cmocka_unit_test(every_integrator_goes_on), cmocka_unit_test(a_run_that_stops_merges_first),
        cmocka_unit_test(stars_have_radii),         cmocka_unit_test(wrong_mergers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
