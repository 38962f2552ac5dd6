/* Bound pairs and their orbital elements: Kepler orbits at all phases, softened orbits against an
 * integration, three bodies, few bodies, and all pairs of a cluster. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softened_pair.h"
#include "systems.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;

static struct ky_parameters parameters_of(double softening, int kind)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.softening = softening;
    parameters.softening_kind = kind;
    return parameters;
}

/* Two bodies of mass 3 and 1, with the relative position x and the relative velocity v. */
static void place_pair(struct ky_bodies *pair, const double x[3], const double v[3])
{
    assert_ok(ky_bodies_allocate(pair, 2, 0, &error));
    pair->mass[0] = 1;
    pair->mass[1] = 3;
    for (int c = 0; c < 3; c++) {
        pair->position[0][c] = 5 + c;
        pair->velocity[0][c] = -1;
        pair->position[1][c] = 5 + c + x[c];
        pair->velocity[1][c] = -1 + v[c];
    }
}

static void the_orbits_of_kepler(void **state)
{
    (void)state;
    static const double eccentricities[] = {0, 1e-6, 0.5, 0.99};
    const double a = 2e-3, g = 1.7, gm = 4 * g;
    struct ky_parameters parameters = parameters_of(0, KY_PLUMMER);
    parameters.g = g;
    for (int k = 0; k < 4; k++)
        for (int phase = 0; phase < 8; phase++) {
            const double e = eccentricities[k], u = phase * pi / 4, n = sqrt(gm / (a * a * a));
            const double r = a * (1 - e * cos(u)), du = n * a / r, across = a * sqrt(1 - e * e);
            const double x[3] = {a * (cos(u) - e), 0, across * sin(u)};
            const double v[3] = {-a * sin(u) * du, 0, across * cos(u) * du};
            struct ky_bodies pair = {0};
            struct ky_binaries found = {0};
            place_pair(&pair, x, v);
            assert_ok(ky_binaries_find(&parameters, &pair, &found, NULL, &error));
            assert_int_equal(found.count, 1);
            assert_true(found.body[0][0] == 1 && found.body[0][1] == 0); /* the heavier first */
            /* At the last pericentre r is 1e-5 of the positions, and 1/a is 1e-2 of 2/r. */
            const double few = e > 0.9 ? 1e-7 : 1e-10;
            assert_between(found.semi_major_axis[0] / a, 1 - few, 1 + few);
            assert_between(found.eccentricity[0] - e, -fmax(few, 1e-9), fmax(few, 1e-9));
            assert_between(found.period[0] * n / (2 * pi), 1 - 2 * few, 1 + 2 * few);
            assert_between(found.energy[0] / (-g * 3 / (2 * a)), 1 - few, 1 + few);
            assert_between(found.separation[0] / r, 1 - few, 1 + few);
            ky_binaries_free(&found);
            assert_null(found.body);
            ky_bodies_free(&pair);
        }
}

/* Follows the relative motion in small steps from a turning point. Returns the time at which the
 * radius has its second extremum; r[] gets both extrema. Each body pulls with its own ε. */
static double follow(int kind, const double eps[2], double start, double speed, double r[2])
{
    const double step = 1e-4;
    double x = start, y = 0, vx = 0, vy = speed, time = 0, before = 0;
    int turns = 0;
    for (r[0] = start; turns < 2 && time < 1000; time += step) {
        for (int half = 0; half < 2; half++) {
            const double r2 = x * x + y * y,
                         pull = softened_pair(kind, eps[0], eps[1], r2).force * 3 +
                                softened_pair(kind, eps[1], eps[0], r2).force * 1;
            vx -= pull * x * step / 2;
            vy -= pull * y * step / 2;
            if (!half)
                x += vx * step, y += vy * step;
        }
        const double now = x * vx + y * vy;
        if (time > 0 && (now > 0) != (before > 0)) {
            r[1] = turns ? r[1] : hypot(x, y);
            turns++;
        }
        before = now;
    }
    return time;
}

static void softened_orbits(void **state)
{
    (void)state;
    static const struct {
        int kind;
        double eps[2], speed;
    } cases[] = {
        {KY_PLUMMER, {0.3, 0.3}, 0.4},  {KY_SYMMETRIC, {0.3, 0.2}, 0.7},
        {KY_SPLINE, {0.5, 0.1}, 0.5},   {KY_SPLINE, {0.1, 0.1}, 1.2},
        {KY_PLUMMER, {0.3, 0.02}, 0.8}, {KY_PLUMMER, {0.5, 0.5}, 1.2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double x[3] = {0, 1, 0}, v[3] = {0, 0, cases[k].speed};
        struct ky_parameters parameters = parameters_of((double)NAN, cases[k].kind);
        struct ky_bodies pair = {0};
        struct ky_binaries found = {0};
        double r[2], own[2] = {cases[k].eps[0], cases[k].eps[1]};
        place_pair(&pair, x, v);
        pair.softening = own;
        assert_ok(ky_binaries_find(&parameters, &pair, &found, NULL, &error));
        assert_int_equal(found.count, 1);
        const double period = follow(cases[k].kind, own, 1, cases[k].speed, r);
        const double axis = (r[0] + r[1]) / 2, e = fabs(r[0] - r[1]) / (r[0] + r[1]);
        printf("# %zu: a %g %g, e %g %g, period %g %g\n", k, found.semi_major_axis[0], axis,
               found.eccentricity[0], e, found.period[0], period);
        assert_between(found.semi_major_axis[0] - axis, -1e-5, 1e-5);
        assert_between(found.eccentricity[0] - e, -1e-5, 1e-5);
        assert_between(found.period[0] - period, -1e-3, 1e-3);
        pair.softening = NULL;
        ky_binaries_free(&found);
        ky_bodies_free(&pair);
    }
}

/* Circular orbits and falls through the centre, at every scale of lengths. */
static void softened_orbits_at_the_ends(void **state)
{
    (void)state;
    for (double unit = 1e-12; unit < 1e13; unit *= 1e12) {
        const double eps = 0.5 * unit, r = unit, s2 = r * r + eps * eps, s3 = s2 * sqrt(s2);
        const double omega = sqrt(4 / s3), zero[3] = {0, 0, 0}, x[3] = {r, 0, 0},
                     v[3] = {0, omega * r, 0};
        struct ky_parameters parameters = parameters_of(eps, KY_PLUMMER);
        struct ky_bodies pair = {0};
        struct ky_binaries found = {0};
        place_pair(&pair, zero, zero);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 2; i++) {
                pair.position[i][c] = i * x[c];
                pair.velocity[i][c] = i * v[c];
            }
        assert_ok(ky_binaries_find(&parameters, &pair, &found, NULL, &error));
        assert_int_equal(found.count, 1);
        assert_between(found.semi_major_axis[0] / r, 1 - 1e-6, 1 + 1e-6);
        assert_between(found.eccentricity[0], 0, 1e-6);
        const double kappa = sqrt(3 * omega * omega + 4 / s3 - 12 * r * r / (s3 * s2));
        assert_between(found.period[0] * kappa / (2 * pi), 1 - 1e-6, 1 + 1e-6);
        ky_binaries_free(&found);
        memset(pair.velocity, 0, 2 * sizeof *pair.velocity);
        assert_ok(ky_binaries_find(&parameters, &pair, &found, NULL, &error));
        assert_between(found.semi_major_axis[0] / (r / 2), 1 - 1e-9, 1 + 1e-9);
        assert_between(found.eccentricity[0], 1 - 1e-9, 1);
        ky_binaries_free(&found);
        memset(pair.position, 0, 2 * sizeof *pair.position); /* both at rest in one place */
        assert_ok(ky_binaries_find(&parameters, &pair, &found, NULL, &error));
        assert_int_equal(found.count, 1);
        assert_true(found.semi_major_axis[0] == 0 && isnan(found.period[0]));
        ky_binaries_free(&found);
        parameters.softening = 0; /* no force between them */
        assert_ok(ky_binaries_find(&parameters, &pair, &found, NULL, &error));
        assert_int_equal(found.count, 0);
        ky_binaries_free(&found);
        ky_bodies_free(&pair);
    }
}

static void few_bodies(void **state)
{
    (void)state;
    struct ky_parameters parameters = parameters_of(0, KY_PLUMMER);
    for (size_t n = 0; n < 4; n++) {
        struct ky_bodies bodies = {0};
        struct ky_binaries found = {0};
        assert_ok(ky_bodies_allocate(&bodies, n, 0, &error));
        for (size_t i = 0; i < n; i++) {
            bodies.mass[i] = n < 3 ? 1 : i == 1 ? 1 : 0; /* of three, two are test particles */
            bodies.position[i][0] = (double)(i * i);
        }
        assert_ok(ky_binaries_find(&parameters, &bodies, &found, NULL, &error));
        assert_int_equal(found.count, n > 1);
        assert_true(n < 3 || (found.body[0][0] == 1 && found.body[0][1] == 0));
        ky_binaries_free(&found);
        if (n == 2) { /* two bodies that fly apart */
            bodies.velocity[1][0] = 3;
            assert_ok(ky_binaries_find(&parameters, &bodies, &found, NULL, &error));
            assert_int_equal(found.count, 0);
            ky_binaries_free(&found);
            parameters.softening = (double)NAN;
            assert_int_equal(ky_binaries_find(&parameters, &bodies, &found, NULL, &error),
                             KY_USAGE);
            parameters.softening = 0;
            bodies.position[1][0] = (double)NAN;
            assert_int_equal(ky_binaries_find(&parameters, &bodies, &found, NULL, &error),
                             KY_BAD_DATA);
            assert_null(found.body);
        }
        ky_bodies_free(&bodies);
    }
}

/* The binaries of a cluster, each with a third body about it, against all of its pairs. */
static void against_all_pairs(void **state)
{
    (void)state;
    enum { N = 300 };
    struct ky_snapshot snapshot;
    struct ky_binaries found = {0}, again = {0};
    struct ky_parameters parameters = parameters_of(0, KY_PLUMMER);
    size_t partner[N], count = 0, triples = 0;
    model("plummer", N, 0.0, &snapshot);
    const struct ky_bodies *b = &snapshot.bodies;
    for (size_t i = 0; i + 2 < 60; i += 3)
        for (int c = 0; c < 3; c++) { /* a = 0.001, and 0.02 */
            b->position[i + 1][c] = b->position[i][c] + (c == 0 ? 0.001 : 0);
            b->velocity[i + 1][c] = b->velocity[i][c] + (c == 1 ? 2 : 0);
            b->position[i + 2][c] = b->position[i][c] + (c == 2 ? 0.02 : 0);
            b->velocity[i + 2][c] = b->velocity[i][c] + (c == 0 ? 0.3 : 0);
        }
    for (size_t i = 0; i < N; i++) {
        double least = (double)INFINITY, r2[N] = {0}, v2[N] = {0};
        partner[i] = N;
        for (size_t j = 0; j < N; j++)
            for (int c = 0; c < 3; c++) {
                r2[j] += pow(b->position[j][c] - b->position[i][c], 2);
                v2[j] += pow(b->velocity[j][c] - b->velocity[i][c], 2);
            }
        for (size_t j = 0; j < N; j++) {
            size_t nearer = 0;
            for (size_t k = 0; k < N; k++)
                nearer += k != i && r2[k] < r2[j];
            if (j != i && nearer < KY_BINARY_NEIGHBOURS && r2[j] < least &&
                v2[j] / 2 < (b->mass[i] + b->mass[j]) / sqrt(r2[j]))
                least = r2[j], partner[i] = j;
        }
    }
    assert_ok(ky_binaries_find(&parameters, b, &found, NULL, &error));
    for (size_t i = 0; i < N; i++)
        if (partner[i] < N && i < partner[i] && partner[partner[i]] == i) {
            size_t k = 0;
            while (k < found.count && (found.body[k][0] != i || found.body[k][1] != partner[i]) &&
                   (found.body[k][1] != i || found.body[k][0] != partner[i]))
                k++;
            assert_true(k < found.count);
            count++;
            triples += i < 60 && i % 3 == 0 && partner[i] == i + 1;
        }
    printf("# %zu pairs, %zu of them inner pairs of triples\n", count, triples);
    assert_int_equal(found.count, count);
    assert_int_equal(triples, 20);
    for (size_t k = 1; k < count; k++)
        assert_true(found.energy[k - 1] <= found.energy[k]);
    parameters.threads = 3;
    assert_ok(ky_binaries_find(&parameters, b, &again, NULL, &error));
    assert_int_equal(again.count, count);
    assert_memory_equal(again.body, found.body, count * sizeof *found.body);
    assert_memory_equal(again.eccentricity, found.eccentricity, count * sizeof(double));
    ky_binaries_free(&again);
    ky_binaries_free(&found);
    ky_snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_orbits_of_kepler),        cmocka_unit_test(softened_orbits),
        cmocka_unit_test(softened_orbits_at_the_ends), cmocka_unit_test(few_bodies),
        cmocka_unit_test(against_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
