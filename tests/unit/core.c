/* The core of a system, against sums over all pairs, with pairs as one object, in columns of
 * energy.csv and as a reason to stop; and bodies that have escaped. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "systems.h"

static struct ky_error error;

static double distance2(const double a[3], const double b[3])
{
    return pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2);
}

/* The density at a body: the mass of the five nearest bodies over the volume of the sphere that
 * reaches to the sixth. */
static double density_at(const struct ky_bodies *bodies, size_t i)
{
    double r2[6], mass[6], sum = 0;
    size_t found = 0;
    for (size_t j = 0; j < bodies->n; j++) {
        const double d2 = distance2(bodies->position[j], bodies->position[i]);
        size_t k = found < 6 ? found : 6;
        if (j == i || (found >= 6 && d2 >= r2[5]))
            continue;
        for (k = k < 6 ? k : 5; k > 0 && r2[k - 1] > d2; k--)
            r2[k] = r2[k - 1], mass[k] = mass[k - 1];
        r2[k] = d2, mass[k] = bodies->mass[j];
        found++;
    }
    for (int k = 0; k < 5; k++)
        sum += mass[k];
    return sum / (4.0 / 3 * 3.14159265358979323846 * pow(r2[5], 1.5));
}

static void the_core_agrees_with_sums_over_pairs(void **state)
{
    (void)state;
    static const size_t sizes[] = {7, 8, 100, 500};
    for (int s = 0; s < 4; s++) {
        struct ky_snapshot snapshot;
        struct ky_core core;
        double rho[500], sum = 0, squares = 0, moment = 0, centre[3] = {0};
        size_t inside = 0;
        const size_t n = sizes[s];
        model("plummer", n, 0.05, &snapshot);
        const struct ky_bodies *bodies = &snapshot.bodies;
        for (size_t i = 0; i < n; i++) {
            bodies->mass[i] *= i % 3 ? 1 : 5;
            bodies->position[i][0] += 10;
        }
        for (size_t i = 0; i < n; i++) {
            rho[i] = density_at(bodies, i);
            sum += rho[i];
            squares += rho[i] * rho[i];
            for (int c = 0; c < 3; c++)
                centre[c] += rho[i] * bodies->position[i][c];
        }
        for (int c = 0; c < 3; c++)
            centre[c] /= sum;
        for (size_t i = 0; i < n; i++)
            moment += rho[i] * rho[i] * distance2(bodies->position[i], centre);
        const double radius = sqrt(moment / squares);
        for (size_t i = 0; i < n; i++)
            inside += distance2(bodies->position[i], centre) <= radius * radius;
        assert_ok(ky_measure_core(bodies, NULL, &core, &error));
        for (int c = 0; c < 3; c++)
            assert_between(core.centre[c] - centre[c], -1e-12, 1e-12);
        assert_between(core.radius / radius, 1 - 1e-12, 1 + 1e-12);
        assert_between(core.density / (squares / sum), 1 - 1e-12, 1 + 1e-12);
        assert_int_equal(core.bodies, inside);
        ky_snapshot_free(&snapshot);
    }
}

static void the_core_of_few_and_of_coincident_bodies(void **state)
{
    (void)state;
    for (size_t n = 0; n < 10; n++) {
        struct ky_bodies bodies = {0};
        struct ky_core core;
        assert_ok(ky_bodies_allocate(&bodies, n, 0, &error));
        for (size_t i = 0; i < n; i++)
            bodies.mass[i] = 1;
        assert_int_equal(ky_measure_core(&bodies, NULL, &core, &error), n ? KY_OK : KY_BAD_DATA);
        assert_true(core.radius == 0);
        ky_bodies_free(&bodies);
    }
}

/* ---- objects ---- */

/* Puts pairs of equal stars in the place of every second body of `whole`, which becomes as massive
 * as both, on circular orbits of this axis. */
static void put_pairs(struct ky_bodies *whole, double axis, struct ky_bodies *stars)
{
    size_t place = 0;
    assert_ok(ky_bodies_allocate(stars, whole->n + whole->n / 2, 0, &error));
    for (size_t i = 0; i < whole->n; i++) {
        const size_t side[3] = {place, place + 1, place + 1 + i % 2};
        for (; place < side[2]; place++) {
            stars->mass[place] = whole->mass[i];
            memcpy(stars->position[place], whole->position[i], sizeof *whole->position);
            memcpy(stars->velocity[place], whole->velocity[i], sizeof *whole->velocity);
        }
        if (i % 2)
            put_on_orbit(stars, side, axis, 0, (double)i, 1);
        whole->mass[i] *= (double)(1 + i % 2);
    }
}

static void a_pair_is_one_object(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 9, 400};
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.softening = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct ky_snapshot snapshot;
        struct ky_bodies stars, objects;
        struct ky_core expected, core, of_stars;
        const size_t n = sizes[s];
        model("plummer", n ? n : 1, 0, &snapshot);
        struct ky_bodies *whole = &snapshot.bodies;
        whole->n = n;
        put_pairs(whole, 1e-4, &stars);
        assert_ok(ky_objects_make(&parameters, &stars, 0.9e-4, &objects, &error));
        assert_int_equal(objects.n, stars.n); /* the pairs are wider */
        ky_bodies_free(&objects);
        assert_ok(ky_objects_make(&parameters, &stars, 1.1e-4, &objects, &error));
        assert_int_equal(objects.n, n);
        for (size_t i = 0; i < n; i++) {
            assert_between(objects.mass[i] - whole->mass[i], -1e-15, 1e-15);
            assert_between(ky_distance(objects.position[i], whole->position[i]), 0, 1e-14);
            assert_between(ky_distance(objects.velocity[i], whole->velocity[i]), 0, 1e-12);
        }
        if (n == 400) {
            assert_ok(ky_measure_core(whole, NULL, &expected, &error));
            assert_ok(ky_measure_core(&objects, NULL, &core, &error));
            assert_ok(ky_measure_core(&stars, NULL, &of_stars, &error));
            printf("# core radius %g, of stars %g\n", core.radius, of_stars.radius);
            assert_between(core.radius / expected.radius, 1 - 1e-9, 1 + 1e-9);
            assert_between(core.density / expected.density, 1 - 1e-9, 1 + 1e-9);
            assert_int_equal(core.bodies, expected.bodies);
        }
        ky_bodies_free(&objects);
        ky_bodies_free(&stars);
        ky_snapshot_free(&snapshot);
    }
}

/* ---- runs ---- */

static void prepare(struct ky_parameters *parameters, struct ky_run_parameters *run,
                    const char *folder, struct ky_snapshot *bodies)
{
    ky_parameters_defaults(parameters);
    parameters->engine = "cpu";
    parameters->force = KY_DIRECT;
    parameters->step = 0.25;
    ky_run_parameters_defaults(run);
    run->output = folder;
    run->end = 4;
    run->overwrite = 1;
    model("plummer", 60, 0.05, bodies);
}

/* Reads the header and the numbers of the last row of energy.csv. Returns how many numbers there
 * are. */
static int last_row(const char *folder, char header[1024], double number[64])
{
    char path[128], line[4096], last[4096] = "";
    int count = 0;
    snprintf(path, sizeof path, "%s/energy.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, 1024, file));
    while (fgets(line, sizeof line, file))
        memcpy(last, line, sizeof last);
    fclose(file);
    for (char *at = last; at; at = strchr(at, ','))
        number[count++] = atof(*at == ',' ? ++at : at);
    return count;
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* The run stops once, when the core has been small enough for two time units. */
static void stops_at_a_small_core(void **state)
{
    (void)state;
    char folder[] = "/tmp/kyoho-core-XXXXXX", header[1024];
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    double number[64];
    assert_non_null(mkdtemp(folder));
    prepare(&parameters, &run, folder, &bodies);
    run.stop_core = 0.05; /* never */
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    const int columns = last_row(folder, header, number);
    assert_non_null(
        strstr(header, ",external,bodies,mass,bound_mass,half_mass_radius,core_radius,core_density,"
                       "core_bodies,lagrangian_01,"));
    assert_int_equal(columns, 18 + 4 + 3 + KY_LAGRANGIAN_FRACTIONS + 1);
    assert_true(number[18] == 60);
    assert_between(number[19], 1 - 1e-9, 1 + 1e-9);
    assert_between(number[20], 0.8, 1 + 1e-9);
    assert_between(number[21] / number[30], 0.7, 1.1); /* half of the mass */
    assert_between(number[22], 0.1, 0.8);
    assert_between(number[30], 0.6, 1.1); /* half of the mass */
    ky_snapshot_free(&bodies);

    prepare(&parameters, &run, folder, &bodies);
    run.stop_core = 0; /* the default, 32/60 */
    struct ky_stop stop = {0};
    run.stopped = &stop;
    assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_STOPPED);
    assert_non_null(strstr(error.text, "core collapse"));
    assert_true(stop.kind == KY_STOP_CORE && stop.time == 2 && isnan(stop.step));
    assert_between(stop.distance, 0.01, 32.0 / 60);
    last_row(folder, header, number);
    assert_true(number[0] == 2);
    ky_snapshot_free(&bodies);
    prepare(&parameters, &run, folder, &bodies);
    run.end = (double)NAN;
    assert_ok(ky_resume(&parameters, &run, &error));
    assert_int_equal(last_row(folder, header, number), columns);
    assert_true(number[0] == 4);
    ky_snapshot_free(&bodies);
    remove_folder(folder);
}

/* In a run with groups the core is that of the objects, in one without that of the stars. */
static void the_core_of_a_run_with_pairs(void **state)
{
    (void)state;
    char folder[] = "/tmp/kyoho-core-XXXXXX", header[1024];
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot snapshot;
    struct ky_bodies stars;
    struct ky_core core[2];
    double number[64];
    assert_non_null(mkdtemp(folder));
    for (int groups = 0; groups < 2; groups++) {
        prepare(&parameters, &run, folder, &snapshot);
        put_pairs(&snapshot.bodies, 1e-4, &stars);
        assert_ok(ky_measure_core(&stars, NULL, &core[0], &error));
        assert_ok(ky_measure_core(&snapshot.bodies, NULL, &core[1], &error));
        ky_bodies_free(&snapshot.bodies);
        snapshot.bodies = stars;
        parameters.integrator = KY_HERMITE4;
        parameters.softening = 0;
        parameters.groups = groups;
        parameters.step = run.end = 0x1p-10;
        run.core = 1;
        assert_ok(ky_run(&parameters, &run, &snapshot, &error));
        const int all = last_row(folder, header, number),
                  at = all - 1 - KY_LAGRANGIAN_FRACTIONS - 3;
        printf("# core radius %g, stars %g, objects %g\n", number[at], core[0].radius,
               core[1].radius);
        assert_between(number[at] / core[groups].radius, 0.97, 1.03);
        assert_between(core[!groups].radius / core[groups].radius, groups ? 0 : 1.1,
                       groups ? 0.9 : 10); /* so that the test tells them apart */
        ky_snapshot_free(&snapshot);
    }
    remove_folder(folder);
}

static void find_bound(struct ky_bodies *bodies, struct ky_bound *bound)
{
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    assert_ok(ky_choose_bound(&all, bodies, bound, &error));
    assert_ok(ky_bound_radius(&all, bodies, bound, &error));
}

/* Of 100 bodies that move together, two fly away so fast that no body is bound in the frame of the
 * mean velocity. */
static void bound_bodies_are_chosen(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_bound bound;
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.force = KY_DIRECT;
    model("plummer", 100, 0.05, &snapshot);
    struct ky_bodies *bodies = &snapshot.bodies;
    assert_ok(ky_bodies_extend(bodies, KY_WITH_POTENTIAL, &error));
    parameters.softening = 0.05;
    for (size_t i = 0; i < 100; i++) {
        bodies->velocity[i][0] *= 0.1; /* so that all are well bound */
        bodies->velocity[i][1] *= 0.1;
        bodies->velocity[i][2] = 7;
        bodies->position[i][0] += 5;
    }
    for (int i = 40; i < 42; i++) {
        bodies->position[i][0] = 9;
        bodies->velocity[i][2] = 200;
    }
    assert_ok(ky_forces(&parameters, bodies, NULL, &error));
    find_bound(bodies, &bound);
    assert_int_equal(bound.bodies, 98);
    assert_between(bound.mass, 0.98 - 1e-9, 0.98 + 1e-9);
    assert_between(bound.velocity[2], 7 - 1e-9, 7 + 1e-9);
    assert_between(bound.half_mass_radius, 0.5, 1.2);
    for (size_t i = 0; i < 100; i++) /* the others lose their mass */
        assert_true((bodies->mass[i] > 0) == (i != 40 && i != 41));
    bodies->n = 0;
    find_bound(bodies, &bound);
    assert_true(bound.mass == 0 && isnan(bound.half_mass_radius));
    bodies->n = 2; /* two bodies that fly apart */
    bodies->velocity[0][2] = -100;
    find_bound(bodies, &bound);
    assert_true(bound.bodies == 0 && bound.mass == 0 && isnan(bound.half_mass_radius));
    ky_snapshot_free(&snapshot);
}

/* Of two bodies far outside the unbound one is removed, and energies continue without it. */
static void escapers_are_removed(void **state)
{
    (void)state;
    char folder[] = "/tmp/kyoho-core-XXXXXX", header[1024];
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    double number[64];
    assert_non_null(mkdtemp(folder));
    for (int remove = 0; remove < 2; remove++) {
        prepare(&parameters, &run, folder, &bodies);
        for (int i = 0; i < 2; i++) {
            bodies.bodies.position[i][0] = 20;
            bodies.bodies.position[i][1] = i;
            bodies.bodies.velocity[i][0] = i ? 3 : 0;
        }
        parameters.step = 1.0 / 64;
        run.escape_radius = remove ? 10 : 100;
        assert_ok(ky_run(&parameters, &run, &bodies, &error));
        last_row(folder, header, number);
        printf("# kinetic %g energy %g de %g\n", number[2], number[4], number[5]);
        assert_between(fabs(number[5]), 0, 0.05);                           /* de */
        assert_between(number[2], remove ? 0.1 : 0.3, remove ? 0.28 : 0.5); /* kinetic energy */
        ky_snapshot_free(&bodies);
    }
    remove_folder(folder);
}

/* A run continues, and can be resumed, when no body is left. A missing core is no collapse. */
static void all_may_escape(void **state)
{
    (void)state;
    char folder[] = "/tmp/kyoho-core-XXXXXX", header[1024];
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    double number[64];
    assert_non_null(mkdtemp(folder));
    prepare(&parameters, &run, folder, &bodies);
    for (size_t i = 0; i < bodies.bodies.n; i++)
        for (int c = 0; c < 3; c++)
            bodies.bodies.velocity[i][c] = 100 * bodies.bodies.position[i][c];
    parameters.integrator = KY_HERMITE4;
    run.escape_radius = 5;
    run.stop_core = 0;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    last_row(folder, header, number);
    assert_true(number[0] == 4 && number[2] == 0);
    run.end = 5;
    assert_ok(ky_resume(&parameters, &run, &error));
    last_row(folder, header, number);
    assert_true(number[0] == 5);
    ky_snapshot_free(&bodies);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_agrees_with_sums_over_pairs),
        cmocka_unit_test(the_core_of_few_and_of_coincident_bodies),
        cmocka_unit_test(a_pair_is_one_object),
        cmocka_unit_test(stops_at_a_small_core),
        cmocka_unit_test(the_core_of_a_run_with_pairs),
        cmocka_unit_test(escapers_are_removed),
        cmocka_unit_test(all_may_escape),
        cmocka_unit_test(bound_bodies_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
