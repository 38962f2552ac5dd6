/* Bodies very near each other, at the very same place, or very far away: every engine, method and
 * precision against sums in double that are written out here. */
#include "test.h"

#include "clouds.h"
#include "engines.h"

#include "engine/common/units.h"
#include "engine/force_options.h"

/* The methods that are compared. The exact sum in single precision is not among them: it rounds
 * positions and is not exact for near pairs (docs/numerics.md). */
static const struct method {
    const char *name;
    int force, precision;
} methods[] = {
    {"direct, extended", KY_DIRECT, KY_EXTENDED}, {"direct, double", KY_DIRECT, KY_DOUBLE},
    {"walk, single", KY_WALK, KY_SINGLE},         {"walk, extended", KY_WALK, KY_EXTENDED},
    {"walk, double", KY_WALK, KY_DOUBLE},         {"list, single", KY_LIST, KY_SINGLE},
    {"list, extended", KY_LIST, KY_EXTENDED},     {"list, double", KY_LIST, KY_DOUBLE},
    {"tree, single", KY_TREE, KY_SINGLE},         {"tree, extended", KY_TREE, KY_EXTENDED},
    {"tree, double", KY_TREE, KY_DOUBLE},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int has(int engine, const struct method *method)
{
    return !is_cpu_engine(engine) || method->force != KY_LIST;
}

static struct ky_parameters parameters_of(int engine, const struct method *method)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engines[engine].engine;
    parameters.force = method->force;
    parameters.precision = method->precision;
    parameters.opening = KY_OFFSET;
    parameters.theta = 0.5;
    return parameters;
}

/* Sums over all pairs that are farther apart than `coincident`. */
static void softened_sums(const struct ky_bodies *b, double softening, double coincident,
                          struct ky_bodies *out)
{
    for (size_t i = 0; i < b->n; i++) {
        double a[3] = {0}, potential = 0;
        for (size_t j = 0; j < b->n; j++) {
            double d[3], r2 = softening * softening;
            for (int c = 0; c < 3; c++) {
                d[c] = b->position[j][c] - b->position[i][c];
                r2 += d[c] * d[c];
            }
            if (j == i || r2 <= coincident * coincident)
                continue;
            double r = sqrt(r2);
            for (int c = 0; c < 3; c++)
                a[c] += b->mass[j] / r / r * (d[c] / r);
            potential -= b->mass[j] / r;
        }
        memcpy(out->acceleration[i], a, sizeof a);
        out->potential[i] = potential;
    }
}

static void plain_sums(const struct ky_bodies *b, double coincident, struct ky_bodies *out)
{
    softened_sums(b, 0, coincident, out);
}

static struct cloud_error errors_of(int engine, const struct method *method,
                                    const struct ky_bodies *bodies, const struct ky_bodies *exact)
{
    struct ky_error error = {0};
    struct ky_parameters parameters = parameters_of(engine, method);
    struct ky_bodies computed = *bodies;
    assert_ok(cloud_forces(&parameters, &computed, NULL, NULL, &error));
    return cloud_compare(&computed, exact);
}

static void expect(int engine, const struct method *method, const char *what, double number,
                   const struct cloud_error *e, int fine)
{
    if (!fine)
        fail_msg("%s, %s, %s %g: errors %g %g %g, of the potential %g %g", engines[engine].engine,
                 method->name, what, number, e->median, e->p99, e->max, e->potential_p99,
                 e->potential_max);
}

enum { BINARIES = 40 };

/* Bodies that are all in binaries: the force on a body is nearly that of its partner. */
static struct ky_bodies binaries(double separation)
{
    struct ky_bodies bodies = cloud_make(CUBE, 2 * BINARIES);
    for (size_t i = 1; i < bodies.n; i += 2) {
        struct ky_random random = ky_random_at(7, 1, i);
        double direction[3];
        ky_random_direction(&random, direction);
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] = bodies.position[i - 1][c] + separation * direction[c];
    }
    return bodies;
}

static void binaries_of_any_separation(void **state)
{
    (void)state;
    static const double separations[] = {1e-4, 1e-5, 1e-6, 1e-8};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 4; k++) {
            const struct method *method = &methods[k / 4];
            if (!has(e, method))
                continue;
            struct ky_bodies bodies = binaries(separations[k % 4]), exact = binaries(1);
            plain_sums(&bodies, 0, &exact);
            struct cloud_error error = errors_of(e, method, &bodies, &exact);
            double bound = method->precision == KY_DOUBLE ? 1e-7 : 3e-5;
            expect(e, method, "separation", separations[k % 4], &error,
                   error.max < bound && error.potential_max < 1e-3);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* A few binaries among many bodies, where groups and leaves are much wider than a pair. */
static void binaries_in_a_cluster(void **state)
{
    (void)state;
    enum { N = 1500 };
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 2; k++) {
            const struct method *method = &methods[k / 2];
            double separation = k % 2 ? 1e-6 : 1e-8;
            if (!has(e, method))
                continue;
            struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
            for (size_t i = 0; i < N; i += 100)
                for (int c = 0; c < 3; c++)
                    bodies.position[i + 1][c] = bodies.position[i][c] + separation * (c - 0.7);
            plain_sums(&bodies, 0, &exact);
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e, method);
            assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
            for (size_t i = 0; i < N; i += 100)
                for (size_t c = 0; c < 6; c++) {
                    double a = bodies.acceleration[i + c / 3][c % 3],
                           b = exact.acceleration[i + c / 3][c % 3];
                    if (!(fabs(a - b) <= 3e-5 * fabs(b)))
                        fail_msg("%s, %s, separation %g: %g for %g", engines[e].engine,
                                 method->name, separation, a, b);
                }
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* Two clusters at a distance much larger than their size. */
static void clusters_far_apart(void **state)
{
    (void)state;
    enum { N = 400 };
    static const double distances[] = {2, 1e3};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 2; k++) {
            const struct method *method = &methods[k / 2];
            if (!has(e, method))
                continue;
            struct ky_bodies bodies = cloud_make(CUBE, N), exact = cloud_make(CUBE, N);
            for (size_t i = 0; i < N; i++)
                for (int c = 0; c < 3; c++)
                    bodies.position[i][c] = 1e-6 * bodies.position[i][c] +
                                            distances[k % 2] * (i % 2 ? 0.4 : -0.2) * (c + 0.7);
            plain_sums(&bodies, 0, &exact);
            struct cloud_error error = errors_of(e, method, &bodies, &exact);
            int direct = method->force == KY_DIRECT;
            expect(e, method, "distance", distances[k % 2], &error,
                   error.median < (direct ? 1e-5 : 3e-3) && error.p99 < (direct ? 2e-4 : 2e-2) &&
                       error.potential_p99 < 2e-3);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

enum { IN_CLUSTERS = 100 };

/* Five clusters by turns, so that a group of a tree has bodies of several. Each is wide by a
 * fraction `width` of their distances. With `pairs` they are the bodies of a Plummer sphere, each
 * with another body that near. */
static struct ky_bodies clusters(double width, int pairs)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, IN_CLUSTERS);
    for (size_t i = 0; i < bodies.n; i++) {
        struct ky_random random = ky_random_at(9, 1, i);
        const size_t k = i % 5;
        double direction[3], place[3] = {(double)(k * 3 % 5), (double)(k * k % 5), 0.6 * (double)k};
        ky_random_direction(&random, direction);
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] = pairs ? bodies.position[i / 2 * 2][c] : place[c];
        for (int c = 0; c < 3 && (!pairs || i % 2 == 1); c++)
            bodies.position[i][c] += width * ky_random_uniform(&random) * direction[c];
    }
    return bodies;
}

/* Checks forces of all bodies, of every third one alone as in block steps, and at points beside
 * them. */
static void expect_near(int e, const struct method *method, double width, int pairs)
{
    enum { N = IN_CLUSTERS };
    struct ky_error error = {0};
    struct ky_parameters parameters = parameters_of(e, method), resolved;
    struct ky_bodies all = clusters(width, pairs), some = clusters(width, pairs),
                     points = clusters(width, pairs), exact = clusters(width, pairs);
    struct ky_engine *engine;
    uint32_t third[N / 3];
    const struct ky_active active = {N / 3, third};
    const struct ky_points places = {.count = N, .position = (const double(*)[3])points.position};
    for (uint32_t i = 0; i < N / 3; i++)
        third[i] = 3 * i;
    parameters.theta = 0.1; /* only errors of rounding remain */
    plain_sums(&all, 0, &exact);
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    assert_ok(ky_engine_open(&resolved, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &all, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_get(engine, &all, &error));
    assert_ok(ky_engine_forces_of(engine, &active, &error));
    assert_ok(ky_engine_get(engine, &some, &error));
    assert_ok(ky_engine_field(engine, &places, points.acceleration, points.potential, &error));
    ky_engine_close(engine);
    const struct ky_bodies *const computed[] = {&all, &some, &points};
    static const char *const names[] = {"width", "width, every third,", "width, points,"};
    for (int k = 0; k < 3; k++) {
        struct cloud_error wrong = cloud_compare(computed[k], &exact);
        double bound = method->precision == KY_DOUBLE ? 1e-5 : 1e-4;
        expect(e, method, names[k], width, &wrong,
               wrong.median < bound && wrong.p99 < bound && wrong.max < 3 * bound &&
                   wrong.potential_max < bound);
    }
    ky_bodies_free(&all);
    ky_bodies_free(&some);
    ky_bodies_free(&points);
    ky_bodies_free(&exact);
}

/* The digits of a near pair do not depend on other bodies in its group. */
static void clusters_in_one_group(void **state)
{
    (void)state;
    static const double widths[] = {1e-3, 1e-5, 1e-7, 1e-9};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 8; k++)
            if (has(e, &methods[k / 8]))
                expect_near(e, &methods[k / 8], widths[k % 4], k % 8 / 4);
}

/* Many bodies so near each other that only the low parts of positions differ, those of cells too.
 * Each number of bodies gives another number of cells, and other rounds of the loops over them. */
static void a_clump_among_many_bodies(void **state)
{
    (void)state;
    enum { N = 300, CLUMP = 60, SIZES = 4 };
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * SIZES; k++) {
            const struct method *method = &methods[k / SIZES];
            double width = k % 2 ? 1e-7 : 1e-9;
            if (!has(e, method))
                continue;
            size_t n = N + (size_t)(k % SIZES);
            struct ky_bodies bodies = cloud_make(PLUMMER, n), exact = cloud_make(PLUMMER, n);
            struct ky_bodies shape = cloud_make(CUBE, CLUMP);
            for (size_t i = 0; i < CLUMP; i++)
                for (int c = 0; c < 3; c++)
                    bodies.position[i][c] = 0.4 + width * shape.position[i][c];
            plain_sums(&bodies, 0, &exact);
            struct cloud_error all = errors_of(e, method, &bodies, &exact);
            expect(e, method, "width", width, &all,
                   all.median < 3e-3 && all.max < 0.03 && all.potential_max < 3e-3);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
            ky_bodies_free(&shape);
        }
}

/* The internal acceleration of tight pairs is no measure for the acceleration of single bodies. */
static void pairs_beside_single_bodies(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
    for (size_t i = 0; i < N; i++) /* the first half are pairs */
        for (int c = 0; c < 3 && i % 2 == 1 && i < N / 2; c++)
            bodies.position[i][c] = bodies.position[i - 1][c] + 1e-5 * (c - 0.7);
    plain_sums(&bodies, 0, &exact);
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS; k++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e, &methods[k]);
            if (!has(e, &methods[k]) || methods[k].force == KY_DIRECT ||
                methods[k].precision != KY_SINGLE)
                continue;
            parameters.opening = KY_RELATIVE;
            struct ky_bodies computed = cloud_make(POINT, N), single, truth = exact;
            memcpy(computed.position, bodies.position, N * sizeof *bodies.position);
            memcpy(computed.mass, bodies.mass, N * sizeof *bodies.mass);
            assert_ok(cloud_forces(&parameters, &computed, NULL, NULL, &error));
            single = computed;
            single.n = truth.n = N / 2;
            single.acceleration += N / 2, single.potential += N / 2;
            truth.acceleration += N / 2, truth.potential += N / 2;
            struct cloud_error wrong = cloud_compare(&single, &truth);
            expect(e, &methods[k], "single bodies", N / 2, &wrong, wrong.p99 < 5e-3);
            ky_bodies_free(&computed);
        }
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* The system's size is about 0.5. Bodies closer than 10⁻¹² of it are coincident, others are not. */
static void coincidence_is_the_same_everywhere(void **state)
{
    (void)state;
    static const double separations[] = {0, 1e-13, 3e-12, 1e-10};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 4; k++) {
            const struct method *method = &methods[k / 4];
            if (!has(e, method))
                continue;
            struct ky_bodies bodies = cloud_make(CUBE, 300), exact = cloud_make(CUBE, 300);
            for (int c = 0; c < 3; c++) { /* in the middle, where positions have enough digits */
                for (size_t i = 0; i < 3; i++)
                    bodies.position[i][c] = 0;
                bodies.position[5][c] = bodies.position[4][c]; /* and twins elsewhere */
            }
            bodies.position[1][0] = separations[k % 4];
            bodies.position[2][1] = separations[k % 4];
            plain_sums(&bodies, 8e-13, &exact);
            struct cloud_error error = errors_of(e, method, &bodies, &exact);
            struct ky_bodies pair = bodies, truth = exact;
            pair.n = truth.n = 3;
            struct cloud_error near = cloud_compare(&pair, &truth);
            double bound = method->precision == KY_DOUBLE ? 1e-2 : 2e-2;
            expect(e, method, "separation", separations[k % 4], &error,
                   error.p99 < 0.03 && error.max < 0.3 && near.max < bound);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

static void far_bodies_are_right_or_refused(void **state)
{
    (void)state;
    static const double places[] = {1e6, 1e9, 1e11, 1e15, 1e30, 1e200, 1e300};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 7; k++) {
            const struct method *method = &methods[k / 7];
            if (!has(e, method))
                continue;
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e, method);
            struct ky_bodies bodies = cloud_make(PLUMMER, 300), exact = cloud_make(PLUMMER, 300);
            double place = places[k % 7];
            bodies.position[17][1] = place;
            enum ky_status status = cloud_forces(&parameters, &bodies, NULL, NULL, &error);
            if (place > 1e14) {
                assert_int_equal(status, KY_BAD_DATA);
                assert_non_null(strstr(error.text, "body 17 is 1e+"));
                assert_non_null(strstr(error.text, "1e+12 sizes"));
            } else {
                assert_ok(status);
                plain_sums(&bodies, 0, &exact);
                struct cloud_error wrong = cloud_compare(&bodies, &exact);
                expect(e, method, "place", place, &wrong,
                       wrong.p99 < 0.02 && wrong.max < 0.05 && wrong.potential_max < 0.01);
            }
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* One body of `every`, or a single one (0), is moved: by about `place` if `together`, else outwards
 * by the factor `place`. */
struct far {
    size_t every;
    int together, opening;
    double place, softening;
};

static struct ky_bodies far_away(const struct far *far, size_t n)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3 && (far->every ? i % far->every == 0 : i == 17); c++) {
            double *x = &bodies.position[i][c];
            *x = far->together ? *x + far->place * (0.7 - 0.4 * c) : *x * far->place;
        }
    return bodies;
}

/* Forces are finite for every body, and right except for pairs near the limit of coincidence, which
 * the engine's unit decides. */
static void expect_far(int e, const struct method *method, const struct far *far)
{
    enum { N = 600 }; /* enough for a device to divide a group */
    char what[200];
    struct ky_error error = {0};
    struct ky_parameters parameters = parameters_of(e, method);
    struct ky_bodies bodies = far_away(far, N), exact = far_away(far, N);
    struct ky_engine_units units;
    const struct ky_engine_frame own = {0};
    parameters.opening = far->opening;
    parameters.softening = far->softening;
    assert_ok(ky_engine_units(&bodies, &parameters, &own, &units, &error));
    softened_sums(&bodies, far->softening, units.length * sqrt((double)KY_CLOSE2), &exact);
    enum ky_status status = cloud_forces(&parameters, &bodies, NULL, NULL, &error);
    snprintf(what, sizeof what, "1 of %zu%s, %s, softening %g, %.40s, farther by", far->every,
             far->together ? " together" : "", far->opening == KY_RELATIVE ? "relative" : "offset",
             far->softening, error.text);
    struct cloud_error wrong = cloud_compare(&bodies, &exact);
    expect(e, method, what, far->place, &wrong,
           status == KY_OK && wrong.median < 0.01 && wrong.p99 < 0.1 && wrong.max < 1e3 &&
               wrong.potential_p99 < 0.1);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

static void many_bodies_far_away(void **state)
{
    (void)state;
    static const size_t every[] = {0, 5, 20, 2, 11, 100};
    static const double places[] = {1e9, 4e9, 1e10, 2e10, 6e11}, softenings[] = {0.01, 0};
    const int parts = test_everything() ? 6 : 2;
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * parts * 5 * 8; k++) {
            const struct method *method = &methods[k % METHODS];
            const int rest = k / METHODS, which = rest / 8;
            const struct far far = {every[which / 5], rest % 2,
                                    rest / 2 % 2 ? KY_RELATIVE : KY_OFFSET, places[which % 5],
                                    softenings[rest / 4 % 2]};
            if (has(e, method) && (test_everything() || method->precision == KY_SINGLE))
                expect_far(e, method, &far);
        }
}

/* A heavy body that feels only light bodies, from far away: in units of the mean mass m/s³ of a
 * light body on it is below the range of float. */
static const struct heavy {
    double mass, place, softening;
} heavies[] = {{1e6, 1e6, 0.05}, {1e12, 1e8, 0.05}, {1e12, 1e9, 0.05}, {1e6, 1e9, 0}};

static void expect_heavy(int e, const struct method *method, const struct heavy *heavy)
{
    enum { N = 300, HEAVY = 17 };
    struct ky_error error = {0};
    struct ky_parameters parameters = parameters_of(e, method);
    struct ky_bodies bodies = cloud_make(PLUMMER, N), exact = cloud_make(PLUMMER, N);
    parameters.softening = heavy->softening;
    bodies.position[HEAVY][0] = heavy->place;
    bodies.mass[HEAVY] = heavy->mass;
    softened_sums(&bodies, heavy->softening, 0, &exact);
    assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
    const struct cloud_error wrong = cloud_compare(&bodies, &exact);
    const double of_heavy = fabs(bodies.acceleration[HEAVY][0] / exact.acceleration[HEAVY][0] - 1);
    expect(e, method, "a heavy body far away", heavy->mass, &wrong,
           of_heavy < (method->force == KY_DIRECT ? 2e-5 : 0.02) && wrong.p99 < 0.02 &&
               wrong.max < 0.05);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

static void heavy_bodies_feel_light_ones(void **state)
{
    (void)state;
    static const struct method single = {"direct, single", KY_DIRECT, KY_SINGLE};
    enum { HEAVIES = sizeof heavies / sizeof *heavies };
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < (METHODS + 1) * HEAVIES; k++) {
            const int which = k / HEAVIES;
            const struct method *method = which < METHODS ? &methods[which] : &single;
            if (has(e, method))
                expect_heavy(e, method, &heavies[k % HEAVIES]);
        }
}

static void remember(void *context, enum ky_log_level level, const char *line)
{
    if (level == KY_LOG_WARNING)
        snprintf(context, 200, "%s", line);
}

/* Without softening the range of float does not suffice for both the nearest and the farthest
 * pairs. */
static void lost_pulls_are_told(void **state)
{
    (void)state;
    static const struct {
        double mass, softening;
        int precision, is_told;
    } cases[] = {{1e15, 0, KY_EXTENDED, 1},
                 {1e12, 0.05, KY_EXTENDED, 0},
                 {1e15, 0, KY_DOUBLE, 0},
                 {1, 0, KY_EXTENDED, 0},
                 {1e-100, 0, KY_EXTENDED, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_error error = {0};
        char said[200] = "";
        struct ky_bodies bodies = cloud_make(PLUMMER, 300);
        struct ky_parameters parameters = cloud_parameters();
        parameters.engine = "cpu";
        parameters.force = KY_DIRECT;
        parameters.precision = cases[k].precision;
        parameters.softening = cases[k].softening;
        parameters.log = remember;
        parameters.log_context = said;
        bodies.position[17][0] = 1e9;
        bodies.mass[17] = cases[k].mass;
        assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
        assert_int_equal(strstr(said, "--precision double") != NULL, cases[k].is_told);
        ky_bodies_free(&bodies);
    }
}

/* Two clumps in the middle of a cloud, so near each other that the quadrupole of a cell of one
 * would leave the range of float at the other. `distance` is in the engine's units. */
static void expect_clumps(int e, const struct method *method, double distance)
{
    enum { N = 300, CLUMP = 100 };
    struct ky_error error = {0};
    struct ky_parameters parameters = parameters_of(e, method);
    struct ky_bodies bodies = cloud_make(CUBE, N), exact = cloud_make(CUBE, N);
    struct ky_bodies shape = cloud_make(CUBE, 2 * CLUMP);
    struct ky_engine_units units;
    const struct ky_engine_frame own = {0};
    assert_ok(ky_engine_units(&bodies, &parameters, &own, &units, &error));
    for (size_t i = 0; i < 2 * CLUMP; i++)
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] =
                units.length * (8e-9 * shape.position[i][c] + (i < CLUMP ? 0 : distance));
    parameters.leaf = parameters.group = 8;
    softened_sums(&bodies, 0, units.length * sqrt((double)KY_CLOSE2), &exact);
    assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
    struct cloud_error wrong = cloud_compare(&bodies, &exact);
    expect(e, method, "clumps apart by", distance, &wrong,
           wrong.p99 < 0.1 && wrong.potential_p99 < 0.01);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
    ky_bodies_free(&shape);
}

static void clumps_that_nearly_coincide(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 7; k++)
            if (has(e, &methods[k / 7]))
                expect_clumps(e, &methods[k / 7], 1.5e-8 * pow(1.2, k % 7));
}

/* A softening that is too large is refused, and so are lengths whose accelerations no number
 * holds. */
static void what_no_number_holds_is_refused(void **state)
{
    (void)state;
    static const struct {
        double length, softening;
        const char *text;
    } cases[] = {{1, 1e200, "softening 1e+200 in a system of size"},
                 {1, 1e13, "it may be up to"},
                 {1e200, 0, "other units"},
                 {1e-200, 0, "other units"}};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 4; k++) {
            const struct method *method = &methods[k / 4];
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e, method);
            struct ky_bodies bodies = cloud_make(CUBE, 50);
            if (has(e, method)) {
                for (size_t i = 0; i < bodies.n; i++)
                    for (int c = 0; c < 3; c++)
                        bodies.position[i][c] *= cases[k % 4].length;
                parameters.softening = cases[k % 4].softening;
                assert_int_not_equal(cloud_forces(&parameters, &bodies, NULL, NULL, &error), KY_OK);
                assert_non_null(strstr(error.text, cases[k % 4].text));
            }
            ky_bodies_free(&bodies);
        }
}

/* Lengths in errors have their units. */
static void lengths_in_errors_have_units(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = parameters_of(0, &methods[0]);
    struct ky_bodies bodies = cloud_make(CUBE, 50);
    assert_int_equal(ky_units_preset("cluster", &parameters.units, &error), KY_OK);
    parameters.softening = 1e13;
    assert_int_equal(cloud_forces(&parameters, &bodies, NULL, NULL, &error), KY_USAGE);
    if (!strstr(error.text, "softening 1e+07 Mpc in"))
        fail_msg("%s", error.text);
    ky_bodies_free(&bodies);
}

/* Masses from the least that double holds in full to the largest: accelerations scale with them. */
static void masses_of_any_size(void **state)
{
    (void)state;
    static const double masses[] = {1e-300, 1e-190, 1e-170, 1e160, 1e290};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS * 5; k++) {
            const struct method *method = &methods[k / 5];
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e, method);
            struct ky_bodies bodies = cloud_make(CUBE, 100), same = cloud_make(CUBE, 100);
            if (has(e, method)) {
                assert_ok(cloud_forces(&parameters, &same, NULL, NULL, &error));
                for (size_t i = 0; i < bodies.n; i++)
                    bodies.mass[i] *= masses[k % 5];
                assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
                for (size_t i = 0; i < bodies.n; i++) {
                    bodies.potential[i] /= masses[k % 5];
                    for (int c = 0; c < 3; c++)
                        bodies.acceleration[i][c] /= masses[k % 5];
                }
                const struct cloud_error wrong = cloud_compare(&bodies, &same);
                expect(e, method, "masses", masses[k % 5], &wrong,
                       wrong.max < 1e-4 && wrong.potential_max < 1e-5);
            }
            ky_bodies_free(&bodies);
            ky_bodies_free(&same);
        }
}

/* Masses with a potential beyond the range of double, though the accelerations are within it. */
static void results_are_finite(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < METHODS; k++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e, &methods[k]), resolved;
            struct ky_bodies bodies = cloud_make(CUBE, 20);
            struct ky_engine *engine;
            struct ky_sums sums = {0};
            if (has(e, &methods[k]) && methods[k].precision == KY_DOUBLE) {
                for (size_t i = 0; i < bodies.n; i++) {
                    bodies.mass[i] = 1e150;
                    bodies.velocity[i][0] = i == 7 ? 1e200 : 1;
                }
                parameters.g = 1e140;
                assert_ok(ky_force_resolve(&parameters, &resolved, &error));
                assert_ok(ky_engine_open(&resolved, bodies.n, &engine, &error));
                assert_ok(ky_engine_put(engine, &bodies, &error));
                assert_ok(ky_engine_forces(engine, &error));
                assert_int_equal(ky_engine_sums(engine, &sums, &error), KY_BAD_DATA);
                assert_non_null(strstr(error.text, "energy is not finite"));
                assert_ok(ky_engine_kick(engine, 1e10, &error));
                assert_ok(ky_engine_drift(engine, 1e10, &error));
                assert_int_equal(ky_engine_get(engine, &bodies, &error), KY_BAD_DATA);
                assert_non_null(strstr(error.text, "the position of body"));
                ky_engine_close(engine);
            }
            ky_bodies_free(&bodies);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binaries_of_any_separation),
        cmocka_unit_test(binaries_in_a_cluster),
        cmocka_unit_test(clusters_far_apart),
        cmocka_unit_test(clusters_in_one_group),
        cmocka_unit_test(a_clump_among_many_bodies),
        cmocka_unit_test(pairs_beside_single_bodies),
        cmocka_unit_test(coincidence_is_the_same_everywhere),
        cmocka_unit_test(far_bodies_are_right_or_refused),
        cmocka_unit_test(many_bodies_far_away),
        cmocka_unit_test(heavy_bodies_feel_light_ones),
        cmocka_unit_test(lost_pulls_are_told),
        cmocka_unit_test(clumps_that_nearly_coincide),
        cmocka_unit_test(what_no_number_holds_is_refused),
        cmocka_unit_test(lengths_in_errors_have_units),
        cmocka_unit_test(masses_of_any_size),
        cmocka_unit_test(results_are_finite),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
