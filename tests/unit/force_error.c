/* --error and --force auto: the error that is asked for is kept, in every kind of system; which
 * method is chosen, and from what; what is refused. KYOHO_TEST_BODIES=100000 measures systems of
 * that size alone and prints a row of a table for each. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/force_choice.h"
#include "sims.h"
#include "systems.h"

static struct ky_error error;

/* ---- the systems ---- */

enum system { DISK, LATTICE, UNEQUAL, MODELS };
static const char *const names[] = {
    [DISK] = "disk",          [LATTICE] = "lattice",       [UNEQUAL] = "unequal masses",
    [MODELS] = "plummer",     "hernquist",                 "jaffe",
    "uniform-sphere",         "uniform-cube",              "merger",
};
enum { SYSTEMS = sizeof names / sizeof *names };

/* A point of an exponential disk of scale length 1, a fiftieth as thick. */
static void in_disk(struct ky_random *random, double x[3])
{
    const double r = -log(ky_random_uniform(random) * ky_random_uniform(random)),
                 angle = 6.283185307179586 * ky_random_uniform(random);
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
    x[2] = 0.02 * ky_random_normal(random);
}

/* A point of a cubic lattice in a cube of side 1, moved by a twentieth of its spacing. */
static void in_lattice(struct ky_random *random, size_t i, size_t n, double x[3])
{
    const size_t side = (size_t)ceil(cbrt((double)n) - 1e-9);
    const size_t place[3] = {i % side, i / side % side, i / side / side};
    for (int c = 0; c < 3; c++)
        x[c] = ((double)place[c] + 0.05 * ky_random_normal(random)) / (double)side;
}

/* Makes the bodies, and sets their softening in the parameters. */
static void make(int system, size_t n, struct ky_snapshot *snapshot, struct ky_parameters *given)
{
    model(system < MODELS ? "plummer" : names[system], n, (double)NAN, snapshot);
    struct ky_bodies *bodies = &snapshot->bodies;
    for (size_t i = 0; i < bodies->n && system < MODELS; i++) {
        struct ky_random random = ky_random_at(7, (uint32_t)system, i);
        if (system == DISK)
            in_disk(&random, bodies->position[i]);
        else if (system == LATTICE)
            in_lattice(&random, i, n, bodies->position[i]);
        else
            bodies->mass[i] = pow(1e-3 + ky_random_uniform(&random), -1.3) / (double)n;
    }
    if (system == DISK || system == LATTICE)
        given->softening = 0.1 / cbrt((double)n);
    assert_ok(ky_softening_choose(given, snapshot, NULL, &error));
}

/* ---- the promise ---- */

/* Of bodies other than those by which the error was found, where there are so many. */
static double measure(int system, size_t n, double asked, int force, struct ky_choice *choice)
{
    struct ky_parameters given;
    struct ky_snapshot snapshot;
    struct ky_check_parameters wanted;
    struct ky_check_results results = {.size = sizeof results};
    struct ky_force_report report = {0};
    ky_parameters_defaults(&given);
    ky_check_parameters_defaults(&wanted);
    given.engine = "cpu";
    given.error = asked;
    given.force = force;
    make(system, n, &snapshot, &given);
    wanted.samples = n < 5000 ? n : 5000;
    wanted.choice = choice;
    wanted.report = &report;
    assert_ok(ky_forces_check(&given, &snapshot.bodies, &wanted, &results, &error));
    if (getenv("KYOHO_TEST_BODIES")) {
        printf("# %-14s | %7zu | %g | %.40s | %.2g | %.2g | %.0f ns\n", names[system], n, asked,
               choice->text, choice->measured, results.acceleration.p99,
               1e9 * report.total / (double)n);
        fflush(stdout);
    }
    ky_snapshot_free(&snapshot);
    return results.acceleration.p99;
}

static void expect_kept(int system, size_t n, double asked, int force)
{
    struct ky_choice choice = {.size = sizeof choice};
    const double p99 = measure(system, n, asked, force, &choice);
    const int is_exact = choice.force == KY_DIRECT;
    assert_true(choice.asked == asked && strlen(choice.text) > 20);
    assert_true(is_exact == isnan(choice.measured) && is_exact == !choice.samples);
    if (p99 > asked || (!is_exact && p99 < 0.3 * asked))
        fail_msg("%s, %zu bodies, --error %g: %g with %s", names[system], n, asked, p99,
                 choice.text);
}

static const double asked[] = {1e-2, 1e-3, 1e-4, 1e-5};

/* Of 3,000 bodies those from 1e-3 on are given to a method; auto takes the exact sum below. */
static void the_error_is_kept(void **state)
{
    (void)state;
    const char *bodies = getenv("KYOHO_TEST_BODIES");
    const size_t n = bodies ? (size_t)atof(bodies) : 3000;
    for (int system = 0; system < SYSTEMS; system++)
        for (int k = 0; k < 4; k++)
            if (bodies || test_everything() || (system + k) % 4 == 0) {
                expect_kept(system, n, asked[k], KY_FORCE_AUTO);
                if (!bodies)
                    expect_kept(system, n, asked[k], k & 1 ? KY_TREE : KY_FMM);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
