/* Spheres about the peaks of groups in periodic boxes: haloes of a known profile come back with
 * their masses, and every sphere has the mass of all bodies within it. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "clouds.h"
#include "physics/space.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846, concentration = 8;
enum { HALOES = 3, ALL = 8000 };
static const double side = 100;
/* Bodies within r200m. The first halo lies over a corner of the box, the second over a face. */
static const int within[HALOES] = {1800, 700, 350};
static const double centres[HALOES][3] = {{0.3, 99.9, 0.1}, {30, 50, 99.7}, {60, 20, 35}};

static struct ky_parameters parameters_of(double box)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.box = box;
    return parameters;
}

static struct ky_catalogue find(const struct ky_bodies *bodies, double box, double length,
                                uint64_t minimum, double omega_matter)
{
    const struct ky_parameters parameters = parameters_of(box);
    struct ky_catalogue found = {.size = sizeof found};
    struct ky_catalogue_parameters wanted;
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = length;
    wanted.minimum = minimum;
    wanted.omega_matter = omega_matter;
    assert_ok(ky_catalogue_make(&parameters, &wanted, bodies, &found, NULL, &error));
    return found;
}

/* ---- haloes of a known profile ---- */

/* The mass within x of the profile of Navarro, Frenk & White (1996), in any unit. */
static double profile(double x)
{
    return log(1 + x) - x / (1 + x);
}

/* The radius where the density within is `times` the mean one, and its mass, for a halo and the
 * rest of the bodies around it. */
static double wanted_mass(int halo, double times, double background, double *radius)
{
    const double mean = ALL / pow(side, 3), r200 = cbrt(within[halo] / (800.0 / 3 * pi * mean));
    double low = 1e-3 * r200, high = 1.4 * r200;
    for (int k = 0; k < 60; k++) {
        const double r = (low + high) / 2, ball = 4 * pi / 3 * r * r * r,
                     mass =
                         within[halo] * profile(concentration * r / r200) / profile(concentration) +
                         background * ball;
        *(mass > times * mean * ball ? &low : &high) = r;
    }
    *radius = low;
    return times * mean * 4 * pi / 3 * pow(low, 3);
}

/* Fills the haloes to 1.4 r200m, each body at the radius that has its share of the mass within, and
 * the rest of the box at random. Returns the density of this rest. */
static double make_haloes(struct ky_bodies *bodies)
{
    const double mean = ALL / pow(side, 3);
    size_t n = 0;
    for (int h = 0; h < HALOES; h++) {
        const double r200 = cbrt(within[h] / (800.0 / 3 * pi * mean)),
                     per_body = profile(concentration) / within[h];
        for (int k = 0; per_body * (k + 0.5) < profile(1.4 * concentration); k++, n++) {
            struct ky_random random = ky_random_at(7, (uint32_t)h, (uint64_t)k);
            double low = 0, high = 1.4 * concentration, direction[3];
            for (int step = 0; step < 50; step++) {
                const double x = (low + high) / 2;
                *(profile(x) < per_body * (k + 0.5) ? &low : &high) = x;
            }
            ky_random_direction(&random, direction);
            for (int c = 0; c < 3; c++)
                bodies->position[n][c] =
                    ky_wrap(centres[h][c] + low / concentration * r200 * direction[c], side);
        }
    }
    const size_t first = n;
    for (; n < ALL; n++) {
        struct ky_random random = ky_random_at(8, 0, n);
        for (int c = 0; c < 3; c++)
            bodies->position[n][c] = side * ky_random_uniform(&random);
    }
    for (size_t i = 0; i < ALL; i++)
        bodies->mass[i] = 1;
    return (double)(ALL - first) / pow(side, 3);
}

static double apart(const double a[3], const double b[3])
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += pow(remainder(a[c] - b[c], side), 2);
    return sqrt(r2);
}

/* Poisson noise of the bodies around is half a per cent of the mass. */
static void haloes_come_back_with_their_masses(void **state)
{
    (void)state;
    const double omega = 0.3;
    struct ky_bodies bodies = cloud_make(CUBE, ALL);
    const double background = make_haloes(&bodies);
    struct ky_catalogue found = find(&bodies, side, NAN, 60, omega);
    assert_true(found.groups >= HALOES && found.box == side);
    for (int h = 0; h < HALOES; h++) {
        double r200m, r200c;
        const double m200m = wanted_mass(h, 200, background, &r200m),
                     m200c = wanted_mass(h, 200 / omega, background, &r200c);
        assert_between(apart(found.peak[h], centres[h]) / r200m, 0, 0.05);
        assert_between(apart(found.centre[h], centres[h]) / r200m, 0, 0.1);
        assert_between(found.m200m[h] / m200m, 0.985, 1.015);
        assert_between(found.r200m[h] / r200m, 0.995, 1.005);
        assert_between(found.m200c[h] / m200c, 0.985, 1.015);
        assert_between(found.r200c[h] / r200c, 0.995, 1.005);
        for (int c = 0; c < 3; c++)
            assert_true(found.peak[h][c] >= 0 && found.peak[h][c] < side);
    }
    ky_catalogue_free(&found);
    ky_bodies_free(&bodies);
}

/* ---- any bodies ---- */

/* The largest Σ m/√(r² + ε²) of a body of the group over the others, and the body's number. */
static size_t deepest(const struct ky_bodies *bodies, const struct ky_catalogue *found, size_t g)
{
    double most = -1;
    size_t best = 0;
    for (size_t a = found->offset[g]; a < found->offset[g + 1]; a++) {
        double sum = 0;
        for (size_t b = found->offset[g]; b < found->offset[g + 1]; b++) {
            const size_t i = found->body[a], j = found->body[b];
            const double r = apart(bodies->position[i], bodies->position[j]);
            sum += i == j ? 0 : bodies->mass[j] / hypot(r, 0.1 * found->linking_length);
        }
        if (sum > most)
            best = found->body[a], most = sum;
    }
    return best;
}

/* A radius r200 has a mean density of exactly 200 times the mean one, and the bodies within it have
 * the mass; with unequal masses, twins at one place, and masses that are 0. */
static void spheres_have_their_bodies(void **state)
{
    (void)state;
    static const size_t numbers[] = {1, 2, 3, 700};
    static const enum cloud kinds[] = {PLUMMER, PAIRS, CUBE};
    for (int k = 0; k < 12; k++) {
        const size_t n = numbers[k % 4];
        struct ky_bodies bodies = cloud_make(kinds[k / 4], n);
        double all = 0;
        for (size_t i = 0; i < n; i++) {
            bodies.mass[i] = i % 7 == 6 ? 0 : bodies.mass[i];
            all += bodies.mass[i];
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = 7 * side + bodies.position[i][c] * side / 30;
        }
        struct ky_catalogue found = find(&bodies, side, 0.7, 1, 0.5);
        for (size_t g = 0; g < found.groups; g++) {
            double sum[2] = {0};
            if (kinds[k / 4] == PLUMMER) /* of twins both are as deep */
                assert_between(apart(found.peak[g], bodies.position[deepest(&bodies, &found, g)]),
                               0, 1e-9);
            const double radius[2] = {found.r200m[g], found.r200c[g]},
                         mass[2] = {found.m200m[g], found.m200c[g]};
            for (size_t i = 0; i < n; i++)
                for (int c = 0; c < 2; c++)
                    sum[c] += apart(bodies.position[i], found.peak[g]) <= radius[c] * (1 + 1e-9)
                                  ? bodies.mass[i]
                                  : 0;
            for (int c = 0; c < 2; c++) {
                const double density = all / pow(side, 3) * (c ? 2 : 1);
                if (found.mass[g] > 0)
                    assert_between(mass[c] / (800.0 / 3 * pi * density * pow(radius[c], 3)),
                                   1 - 1e-9, 1 + 1e-9);
                assert_between(mass[c] - sum[c], -1e-9 * all, 1e-9 * all);
            }
        }
        ky_catalogue_free(&found);
        ky_bodies_free(&bodies);
    }
}

static void spheres_need_a_box_and_a_density(void **state)
{
    (void)state;
    struct ky_bodies bodies = cloud_make(PLUMMER, 300), none = {0};
    struct ky_catalogue found = find(&bodies, 0, 0.3, 5, 0.3);
    assert_true(found.groups > 0 && found.box == 0 && !found.m200m);
    ky_catalogue_free(&found);
    found = find(&bodies, 50, 0.3, 5, NAN);
    assert_true(found.groups > 0 && found.m200m[0] > 0);
    assert_true(isnan(found.m200c[0]) && isnan(found.r200c[0]));
    ky_catalogue_free(&found);
    found = find(&none, 50, 0.3, 5, 0.3);
    assert_int_equal(found.groups, 0);
    ky_catalogue_free(&found);
    for (size_t i = 0; i < 300; i++)
        bodies.mass[i] = 0;
    found = find(&bodies, 50, 0.3, 5, 0.3);
    assert_true(found.groups > 0 && isnan(found.m200m[0]));
    ky_catalogue_free(&found);
    /* a program that does not set the size has the struct of the first version */
    const struct ky_parameters parameters = parameters_of(50);
    struct ky_catalogue older = {.box = 12345};
    struct ky_catalogue_parameters wanted;
    ky_catalogue_parameters_defaults(&wanted);
    assert_ok(ky_catalogue_make(&parameters, &wanted, &bodies, &older, NULL, &error));
    assert_true(older.box == 12345 && !older.peak && older.offset);
    ky_catalogue_free(&older);
    ky_bodies_free(&bodies);
}

static void omega_matter_follows_the_expansion(void **state)
{
    (void)state;
    struct ky_space space = {.comoving = 1,
                             .scale_factor = 1,
                             .hubble = 0.7,
                             .omega_matter = 0.3,
                             .omega_lambda = 0.7,
                             .box = 1};
    assert_between(ky_omega_matter(&space), 0.3 - 1e-15, 0.3 + 1e-15);
    space.scale_factor = 0.5; /* 2.4/(2.4 + 0.7) */
    assert_between(ky_omega_matter(&space), 2.4 / 3.1 - 1e-15, 2.4 / 3.1 + 1e-15);
    space.omega_matter = NAN;
    assert_true(isnan(ky_omega_matter(&space)) && isnan(ky_omega_matter(NULL)));
    space.omega_matter = 0.3;
    space.comoving = 0;
    assert_true(isnan(ky_omega_matter(&space)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(haloes_come_back_with_their_masses),
        cmocka_unit_test(spheres_have_their_bodies),
        cmocka_unit_test(spheres_need_a_box_and_a_density),
        cmocka_unit_test(omega_matter_follows_the_expansion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
