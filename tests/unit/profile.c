/* Radial profiles: against sums over all bodies, and against the formulas of a Plummer sphere. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "systems.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;

enum { N = 200, SHELLS = 4 };
static const double LOW = 0.1; /* the inner radius of the first shell; radii double */

/* Compares shell s with sums over its bodies. Velocities count from the mean velocity. */
static void compare_shell(const struct ky_bodies *b, const double mean[3], size_t s,
                          const struct ky_radial_profile *profile)
{
    const double low = LOW * pow(2, (double)s), high = 2 * low;
    double in = 0, inside = 0, ring = 0, sum[3] = {0}, squares[3] = {0};
    size_t bodies = 0;
    for (size_t i = 0; i < N; i++) {
        double x[3], v[3], r2 = 0, along[3];
        for (int c = 0; c < 3; c++) {
            x[c] = b->position[i][c] - 0.01 * c;
            v[c] = b->velocity[i][c] - mean[c];
            r2 += x[c] * x[c];
        }
        const double r = sqrt(r2), apart = hypot(x[1], x[2]), flat = hypot(x[0], x[1]);
        ring += apart >= low && apart < high ? b->mass[i] : 0;
        inside += r < high ? b->mass[i] : 0;
        if (r < low || r >= high)
            continue;
        along[0] = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / r;
        along[2] = (x[0] * v[1] - x[1] * v[0]) / flat;
        along[1] = (x[2] * (x[0] * v[0] + x[1] * v[1]) / flat - flat * v[2]) / r;
        in += b->mass[i];
        bodies++;
        for (int k = 0; k < 3; k++) {
            sum[k] += b->mass[i] * along[k];
            squares[k] += b->mass[i] * along[k] * along[k];
        }
    }
    double sigma2[3];
    for (int k = 0; k < 3; k++)
        sigma2[k] = squares[k] / in - pow(sum[k] / in, 2);
    const double wanted[] = {sqrt(low * high),
                             in / (4.0 / 3 * pi * (pow(high, 3) - pow(low, 3))),
                             inside,
                             sqrt(3 * inside / high),
                             sqrt(sigma2[0]),
                             sqrt((sigma2[1] + sigma2[2]) / 2),
                             1 - (sigma2[1] + sigma2[2]) / 2 / sigma2[0],
                             sum[0] / in,
                             sum[2] / in,
                             ring / (pi * (high * high - low * low))};
    const double got[] = {profile->radius[s],     profile->density[s],
                          profile->enclosed[s],   profile->circular_speed[s],
                          profile->radial[s],     profile->tangential[s],
                          profile->anisotropy[s], profile->radial_velocity[s],
                          profile->rotation[s],   profile->surface_density[s]};
    assert_int_equal(profile->bodies[s], bodies);
    for (int k = 0; k < 10; k++)
        assert_between(got[k] - wanted[k], -1e-10 * fabs(wanted[k]) - 1e-12,
                       1e-10 * fabs(wanted[k]) + 1e-12);
}

static void shells_agree_with_sums_over_all_bodies(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_profile_parameters parameters;
    struct ky_radial_profile profile = {0};
    model("plummer", N, 0.05, &snapshot);
    const struct ky_bodies *b = &snapshot.bodies;
    ky_profile_parameters_defaults(&parameters);
    parameters.shells = SHELLS;
    parameters.inner = LOW;
    parameters.outer = 16 * LOW;
    parameters.axis = KY_X;
    parameters.g = 3;
    for (int c = 0; c < 3; c++)
        parameters.centre[c] = 0.01 * c;
    for (size_t i = 0; i < N; i++) { /* it moves as a whole; two masses */
        b->mass[i] *= i % 2 ? 1 : 3;
        b->velocity[i][2] += 10;
    }
    assert_ok(ky_profile_make(&parameters, b, &profile, &error));
    assert_int_equal(profile.shells, SHELLS);
    double mean[3] = {0}, mass = 0;
    for (size_t i = 0; i < N; i++) {
        mass += b->mass[i];
        for (int c = 0; c < 3; c++)
            mean[c] += b->mass[i] * b->velocity[i][c];
    }
    for (int c = 0; c < 3; c++)
        mean[c] /= mass;
    for (size_t s = 0; s < SHELLS; s++)
        compare_shell(b, mean, s, &profile);
    ky_profile_free(&profile);
    assert_null(profile.edge);
    ky_snapshot_free(&snapshot);
}

/* A Plummer sphere with the scale radius 3π/16 follows the formulas. */
static void a_plummer_sphere_has_its_profile(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_profile_parameters parameters;
    struct ky_radial_profile profile = {0}, again = {0};
    model("plummer", 20000, 0, &snapshot);
    ky_profile_parameters_defaults(&parameters);
    assert_ok(ky_profile_make(&parameters, &snapshot.bodies, &profile, &error));
    assert_int_equal(profile.shells, 20);
    const double b2 = pow(3 * pi / 16, 2);
    for (size_t s = 6; s < 16; s++) {
        const double r2 = pow(profile.radius[s], 2), x = 1 + r2 / b2;
        const double sigma2 = 1 / (6 * sqrt(r2 + b2));
        assert_between(profile.density[s] * 4 * pi * b2 * sqrt(b2) / 3 * pow(x, 2.5), 0.85, 1.15);
        assert_between(profile.surface_density[s] * pi * b2 * x * x, 0.85, 1.15);
        assert_between(pow(profile.radial[s], 2) / sigma2, 0.75, 1.3);
        assert_between(pow(profile.tangential[s], 2) / sigma2, 0.75, 1.3);
        assert_between(profile.anisotropy[s], -0.2, 0.2);
        const double edge2 = pow(profile.edge[s + 1], 2);
        assert_between(profile.circular_speed[s] / sqrt(edge2 / pow(edge2 + b2, 1.5)), 0.95, 1.05);
    }
#ifdef _OPENMP
    const int before = omp_get_max_threads();
    omp_set_num_threads(before == 3 ? 2 : 3);
    assert_ok(ky_profile_make(&parameters, &snapshot.bodies, &again, &error));
    omp_set_num_threads(before);
    assert_memory_equal(again.anisotropy, profile.anisotropy, 20 * sizeof(double));
    assert_memory_equal(again.enclosed, profile.enclosed, 20 * sizeof(double));
#endif
    ky_profile_free(&again);
    ky_profile_free(&profile);
    ky_snapshot_free(&snapshot);
}

/* A cluster across a corner of a box has the profile of the same cluster in open space. */
static void profiles_in_boxes_take_the_nearest_images(void **state)
{
    (void)state;
    const double box = 8, corner[3] = {0.02, 7.99, 16.01};
    struct ky_snapshot snapshot;
    struct ky_profile_parameters parameters;
    struct ky_radial_profile open = {0}, boxed = {0};
    model("plummer", N, 0, &snapshot);
    const struct ky_bodies *b = &snapshot.bodies;
    ky_profile_parameters_defaults(&parameters);
    parameters.inner = LOW, parameters.outer = 3, parameters.axis = KY_Y;
    size_t outside = 0;
    for (size_t i = 0; i < N; i++) { /* the farthest bodies go in, so that no image is nearer */
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += pow(b->position[i][c], 2);
        for (int c = 0; c < 3 && r2 > 9; c++)
            b->position[i][c] *= 2.9 / sqrt(r2);
    }
    for (int c = 0; c < 3; c++)
        parameters.centre[c] = 0;
    assert_ok(ky_profile_make(&parameters, b, &open, &error));
    for (size_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const double x = b->position[i][c] + corner[c];
            b->position[i][c] = x - box * floor(x / box);
            outside += x != b->position[i][c];
        }
    assert_true(outside > N);
    memcpy(parameters.centre, corner, sizeof corner);
    parameters.box = box;
    assert_ok(ky_profile_make(&parameters, b, &boxed, &error));
    for (size_t s = 0; s < open.shells; s++) {
        assert_int_equal(boxed.bodies[s], open.bodies[s]);
        assert_between(boxed.density[s], open.density[s] * (1 - 1e-9), open.density[s] * 1.000001);
        assert_between(boxed.surface_density[s], open.surface_density[s] * (1 - 1e-9),
                       open.surface_density[s] * 1.000001);
        if (open.bodies[s] > 1)
            assert_between(boxed.radial[s], open.radial[s] - 1e-9, open.radial[s] + 1e-9);
    }
    ky_profile_free(&boxed);
    for (size_t i = 0; i < N; i++) /* the mean velocity within the last shell */
        for (int c = 0; c < 3; c++)
            b->velocity[i][c] += 5;
    parameters.outer = parameters.inner = (double)NAN;
    assert_ok(ky_profile_make(&parameters, b, &boxed, &error));
    assert_between(boxed.velocity[0], 4.9, 5.1);
    assert_true(boxed.edge[boxed.shells] == box / 2 && boxed.edge[0] < 0.5);
    assert_between(boxed.enclosed[boxed.shells - 1], 1 - 1e-9, 1 + 1e-9);
    ky_profile_free(&boxed);
    ky_profile_free(&open);
    parameters.outer = 4.1;
    assert_int_equal(ky_profile_make(&parameters, b, &boxed, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "half of the box"));
    parameters.outer = (double)NAN, parameters.box = -1;
    assert_int_equal(ky_profile_make(&parameters, b, &boxed, &error), KY_USAGE);
    parameters.box = box;
    for (int c = 0; c < 3; c++)
        parameters.centre[c] = (double)NAN;
    assert_int_equal(ky_profile_make(&parameters, b, &boxed, &error), KY_USAGE);
    ky_snapshot_free(&snapshot);
}

static void wrong_profiles_are_refused(void **state)
{
    (void)state;
    struct ky_profile_parameters parameters;
    struct ky_radial_profile profile = {0};
    ky_profile_parameters_defaults(&parameters);
    for (size_t n = 0; n < 3; n++) {
        struct ky_bodies bodies = {0};
        assert_ok(ky_bodies_allocate(&bodies, n, 0, &error));
        for (size_t i = 0; i < n; i++) /* now all in one place */
            bodies.mass[i] = 1;
        parameters.inner = parameters.outer = (double)NAN;
        assert_int_equal(ky_profile_make(&parameters, &bodies, &profile, &error), KY_BAD_DATA);
        assert_null(profile.edge);
        parameters.inner = 1;
        parameters.outer = 0.5;
        assert_int_equal(ky_profile_make(&parameters, &bodies, &profile, &error),
                         n ? KY_USAGE : KY_BAD_DATA);
        parameters.outer = 2;
        assert_int_equal(ky_profile_make(&parameters, &bodies, &profile, &error),
                         n ? KY_OK : KY_BAD_DATA);
        if (n) {
            assert_true(profile.enclosed[0] == (double)n && profile.density[0] == 0);
            assert_true(isnan(profile.radial[0]) && isnan(profile.rotation[0]));
        }
        ky_profile_free(&profile);
        ky_bodies_free(&bodies);
    }
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 1, 0, &error));
    bodies.mass[0] = 1;
    parameters.shells = 0;
    assert_int_equal(ky_profile_make(&parameters, &bodies, &profile, &error), KY_USAGE);
    parameters.shells = 5;
    parameters.centre[0] = 1; /* and no y, z */
    assert_int_equal(ky_profile_make(&parameters, &bodies, &profile, &error), KY_USAGE);
    ky_profile_parameters_defaults(&parameters);
    bodies.mass[0] = 1e300;
    bodies.position[0][0] = 1e300;
    assert_int_equal(ky_profile_make(&parameters, &bodies, &profile, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "overflows"));
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_agree_with_sums_over_all_bodies),
        cmocka_unit_test(a_plummer_sphere_has_its_profile),
        cmocka_unit_test(profiles_in_boxes_take_the_nearest_images),
        cmocka_unit_test(wrong_profiles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
