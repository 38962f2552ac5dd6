/* The general walk of every engine and device that opens: neighbours and densities against loops
 * over all pairs, gravity against the CPU's walk, large systems against the CPU engine, and walks
 * between forces, with errors, lost memory and joined groups. */
#include "test.h"

#include "all_pairs.h"
#include "clouds.h"
#include "engines.h"
#include "guard.h"
#include "kernels.h"

#include "engine/device/driver/driver.h"
#include "engine/force_options.h"

/* ---- loops over all pairs ---- */

/* The middle of the system, from which positions in single precision are measured. */
static void middle(const struct ky_bodies *bodies, double origin[3])
{
    double *x = malloc((bodies->n + 1) * sizeof *x);
    for (int c = 0; c < 3; c++) {
        for (size_t i = 0; i < bodies->n; i++)
            x[i] = bodies->position[i][c];
        qsort(x, bodies->n, sizeof *x, ky_order_reals);
        origin[c] = bodies->n ? x[bodies->n / 2] : 0;
    }
    free(x);
}

/* The uncertainty of the distance of i and j, for distances about r. In single precision it comes
 * from the positions, whose origin is a median of a sample of the bodies. */
static double slack(int precision, const struct ky_bodies *bodies, const double origin[3], size_t i,
                    size_t j, double r)
{
    if (precision == KY_DOUBLE)
        return 4e-16 * r;
    if (precision == KY_EXTENDED)
        return 1e-6 * r;
    double size = 1;
    for (int c = 0; c < 3; c++)
        size += fabs(bodies->position[i][c] - origin[c]) + fabs(bodies->position[j][c] - origin[c]);
    return 3e-7 * size + 1e-6 * r;
}

/* Fails unless a list ascends and has all bodies within the radius. Bodies at its surface may be
 * missing or not. */
static void check_list(int precision, const struct ky_bodies *bodies, const double origin[3],
                       size_t i, double radius, const uint32_t *list, size_t count)
{
    size_t next = 0;
    for (size_t j = 0; j < bodies->n; j++) {
        double r = sqrt(pair2(bodies, i, j)), open = slack(precision, bodies, origin, i, j, radius);
        int listed = next < count && list[next] == j;
        if (j == i)
            assert_false(listed);
        else if (r < radius - open || (r == 0 && radius == 0))
            assert_true(listed);
        else if (r > radius + open)
            assert_false(listed);
        next += (size_t)listed;
    }
    assert_int_equal(next, count); /* in order, without repetition */
}

static void check_neighbours(const struct ky_parameters *wanted, const struct ky_bodies *bodies,
                             const double *radius, size_t radii)
{
    struct ky_error error = {0};
    const struct ky_parameters taken = for_search(wanted, NEIGHBOURS), *parameters = &taken;
    size_t n = bodies->n;
    struct ky_neighbour_lists lists;
    struct ky_force_report report = {0};
    double origin[3];
    uint32_t *count = malloc((n + 1) * sizeof *count);
    count[n] = 12345; /* must not change */
    middle(bodies, origin);
    assert_ok(ky_neighbours(parameters, bodies, radius, radii, count, &lists, &report, &error));
    assert_string_equal(report.engine, strcspn(parameters->engine, ":") == 4 ? "cuda" : "opencl");
    assert_int_equal(lists.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(count[i], lists.offset[i + 1] - lists.offset[i]);
        check_list(parameters->precision, bodies, origin, i, radius[radii == 1 ? 0 : i],
                   lists.body + lists.offset[i], count[i]);
    }
    assert_int_equal(count[n], 12345);
    free(count);
    ky_neighbour_lists_free(&lists);
}

/* Each case has another engine, so that every engine gets all kinds of cases without the whole
 * product. */
static struct ky_parameters parameters_for(int engine, int which)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engines[engine].engine;
    parameters.precision = which % 3;
    parameters.leaf = which % 4 == 1 ? 1 : which % 4 == 2 ? 64 : 16;
    parameters.curve = which % 2 ? KY_MORTON : which % 5 ? KY_HILBERT : KY_CURVE_NONE;
    parameters.tree = which % 7 == 3 ? KY_TREE_OF_HOST : KY_TREE_BY_ENGINE;
    return parameters;
}

static void neighbours_are_those_of_all_pairs(void **state)
{
    (void)state;
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < CLOUDS * 15 && !is_cpu_engine(e); which++) {
            static const double radii[] = {0, 0.03, 0.3, 2, 1e9};
            struct ky_parameters parameters = parameters_for(e, which);
            /* three cases in one precision are one */
            if (takes_few_kernels(parameters.engine) && which % 3 != which / 3 % 3)
                continue;
            struct ky_bodies bodies = cloud_make((enum cloud)(which / 15), 500);
            check_neighbours(&parameters, &bodies, &radii[which / 3 % 5], 1);
            ky_bodies_free(&bodies);
        }
}

/* Lists with room for 98 are too short for bodies with 99 neighbours each. */
static void lists_that_are_too_short(void **state)
{
    (void)state;
    enum { N = 100 };
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(CUBE, N);
    double radius = 100;
    size_t offset[N + 1];
    static uint32_t list[N * N];
    struct ky_walk_request request = {.action = KY_ACTION_list,
                                      .n = N,
                                      .radius = &radius,
                                      .radii = 1,
                                      .offset = offset,
                                      .list = list};
    need_a_device();
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters given = parameters_for(e, 0), parameters;
        struct ky_engine *engine;
        given.force = KY_WALK;
        given.precision = for_search(&given, NEIGHBOURS).precision;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        assert_ok(ky_engine_open(&parameters, N, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        for (size_t room = N - 2; room < N; room++) {
            for (size_t k = 0; k <= N; k++)
                offset[k] = k * room;
            enum ky_status status = ky_engine_walk(engine, &request, &error);
            assert_int_equal(status, room < N - 1 ? KY_USAGE : KY_OK);
            if (room < N - 1)
                assert_non_null(strstr(
                    error.text,
                    "the memory for the longest list of neighbours is too small: 99 needed"));
        }
        assert_int_equal(list[0], 1);
        ky_engine_close(engine);
    }
    ky_bodies_free(&bodies);
}

#ifdef KY_HAVE_OPENCL
/* A driver whose results of walks are all 2²⁴. */
static struct ky_driver dense;

static enum ky_status open_many(size_t index, struct ky_card **card, struct ky_error *error)
{
    enum ky_status status = ky_opencl_driver.open(index, card, error);
    if (status == KY_OK)
        (*card)->driver = &dense;
    return status;
}

static enum ky_status read_many(struct ky_card *card, const struct ky_buffer *buffer, size_t offset,
                                void *data, size_t bytes, struct ky_error *error)
{
    enum ky_status status = ky_opencl_driver.read(card, buffer, offset, data, bytes, error);
    for (size_t k = 0; !strcmp(buffer->what, "results of the walk") && k < bytes / 4; k++)
        ((float *)data)[k] = 0x1p24f;
    return status;
}

static const struct ky_driver *find_many(const struct ky_driver *driver)
{
    dense = *driver;
    dense.open = open_many;
    dense.read = read_many;
    return driver == &ky_opencl_driver ? &dense : driver;
}

/* A float counts up to 2²⁴, and would lose the next one. */
static void counts_that_floats_do_not_hold(void **state)
{
    (void)state;
    enum { N = 40 };
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const double radius = 0.5;
    uint32_t count[N], list[1];
    size_t offset[N + 1];
    need_a_device();
    parameters.engine = "opencl:0";
    parameters.precision = KY_SINGLE;
    ky_device_wrap = find_many;
    assert_int_equal(ky_neighbours(&parameters, &bodies, &radius, 1, count, NULL, NULL, &error),
                     KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "--precision double"));
    ky_device_wrap = NULL;
    for (size_t i = 0; i <= N; i++)
        offset[i] = i < N ? i : i + 0x1000000;
    struct ky_parameters resolved;
    struct ky_engine *engine;
    const struct ky_walk_request request = {.action = KY_ACTION_list,
                                            .n = N,
                                            .radius = &radius,
                                            .radii = 1,
                                            .offset = offset,
                                            .list = list}; /* refused before it is filled */
    parameters.force = KY_WALK;
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    assert_ok(ky_engine_open(&resolved, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_int_equal(ky_engine_walk(engine, &request, &error), KY_UNSUPPORTED);
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}
#endif

static void awkward_numbers_of_bodies(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 1025, 2100};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int s = 0; s < 13 && !is_cpu_engine(e); s++)
            for (int r = 0; r < 2; r++) {
                const double radii[] = {0.4, 100}; /* also lists beyond local memory */
                struct ky_bodies bodies = cloud_make(CUBE, sizes[s]);
                struct ky_parameters parameters = parameters_for(e, s);
                check_neighbours(&parameters, &bodies, &radii[r], 1);
                ky_bodies_free(&bodies);
            }
}

static void every_body_may_have_its_radius(void **state)
{
    (void)state;
    enum { N = 600 };
    double radius[N];
    need_a_device();
    for (int i = 0; i < N; i++) /* from no neighbours to all bodies */
        radius[i] = i % 50 == 0 ? 0 : i % 51 == 0 ? 1e7 : 0.001 * (i % 300);
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < 6 && !is_cpu_engine(e); which++) {
            struct ky_bodies bodies = cloud_make(which < 3 ? PLUMMER : PAIRS, N);
            struct ky_parameters parameters = parameters_for(e, which);
            check_neighbours(&parameters, &bodies, radius, N);
            ky_bodies_free(&bodies);
        }
}

/* Two bodies exactly one radius apart are neighbours. Lengths are powers of two in every precision,
 * and others in double. */
static void the_surface_belongs_to_the_sphere(void **state)
{
    (void)state;
    static const double scales[] = {1, 0x1p-60, 0x1p60, 0.3, 1e-20, 1e20};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < 9 + 3 && !is_cpu_engine(e); which++) {
            struct ky_parameters parameters = parameters_for(e, which);
            struct ky_error error = {0};
            if (which >= 9 && !takes_search(&parameters, NEIGHBOURS, KY_DOUBLE))
                continue;
            struct ky_bodies bodies = cloud_make(CUBE, 64);
            double scale = scales[which < 9 ? which / 3 : which - 6];
            uint32_t count[64];
            parameters.precision =
                which < 9 ? for_search(&parameters, NEIGHBOURS).precision : KY_DOUBLE;
            for (size_t i = 0; i < 64; i++)
                for (int c = 0; c < 3; c++)
                    bodies.position[i][c] = scale * (double)(i >> (2 * c) & 3);
            assert_ok(ky_neighbours(&parameters, &bodies, &scale, 1, count, NULL, NULL, &error));
            for (size_t i = 0; i < 64; i++) {
                unsigned exact = 0;
                for (size_t j = 0; j < 64; j++)
                    exact += j != i && pair2(&bodies, i, j) <= scale * scale;
                assert_int_equal(count[i], exact);
            }
            assert_int_equal(count[0], 3); /* at a corner of the lattice */
            ky_bodies_free(&bodies);
        }
}

/* ---- density ---- */

static void check_density(const struct ky_parameters *wanted, const struct ky_bodies *bodies,
                          size_t k)
{
    static const double bounds[] = {1e-4, 1e-5, 1e-12};
    struct ky_error error = {0};
    const struct ky_parameters taken = for_search(wanted, DENSITIES), *parameters = &taken;
    size_t n = bodies->n;
    double origin[3], bound = bounds[parameters->precision];
    double *density = malloc(n * sizeof *density), *h = malloc(n * sizeof *h);
    double *r2 = malloc(n * sizeof *r2);
    middle(bodies, origin);
    enum ky_status status = ky_sph_density(parameters, bodies, k, density, h, NULL, &error);
    int infinite = 0; /* whether a density is infinite, which is an error */
    for (size_t i = 0; i < n; i++)
        infinite |= kth_distance(bodies, i, k, r2) == 0;
    assert_int_equal(status, infinite ? KY_BAD_DATA : KY_OK);
    for (size_t i = 0; i < n && !infinite; i++) {
        double exact = kth_distance(bodies, i, k, r2),
               open = slack(parameters->precision, bodies, origin, i, i, exact);
        assert_between(h[i], exact - open, exact + open);
        if (open > 1e-5 * exact)
            continue;
        double sum = density_at(bodies, i, exact);
        assert_between(density[i], sum * (1 - bound), sum * (1 + bound));
    }
    free(r2);
    free(density);
    free(h);
}

static void densities_are_those_of_all_pairs(void **state)
{
    (void)state;
    static const size_t neighbours[] = {1, 2, 33, 64, 299};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < CLOUDS * 5 && !is_cpu_engine(e); which++) {
            struct ky_bodies bodies = cloud_make((enum cloud)(which % CLOUDS), 300);
            struct ky_parameters parameters = parameters_for(e, which);
            check_density(&parameters, &bodies, neighbours[which / CLOUDS]);
            ky_bodies_free(&bodies);
        }
}

/* ---- gravity ---- */

/* Sinks of a team share their tests, so that more cells are opened than for each sink alone.
 * Against exact sums the errors are no larger than those of the CPU's walks of single bodies. */
static void gravity_is_as_exact_as_on_the_cpu(void **state)
{
    (void)state;
    enum { N = 1500, EXACT = 2 };
    static const double rounding[] = {1e-5, 2e-6, 1e-6};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < 12 && !is_cpu_engine(e); which++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_for(e, which);
            struct ky_force_report report = {0};
            struct ky_bodies bodies[3] = {{0}};
            parameters.opening = which % 3;
            parameters.multipole = 1 + which / 3 % 2;
            parameters.theta = 0.5;
            parameters.softening = which < 6 ? 0.02 : 0;
            parameters.softening_kind = which % 4 == 3 ? KY_SYMMETRIC : KY_PLUMMER;
            parameters.g = 43009;
            parameters.group = 1; /* the CPU engine tests for each body */
            parameters.precision = for_search(&parameters, GRAVITY).precision;
            const double bound = rounding[parameters.precision];
            for (int k = 0; k < 3; k++) {
                bodies[k] = cloud_make(which % 2 ? PLUMMER : OUTLIER, N);
                if (which % 4 == 3) {
                    bodies[k].softening = malloc(N * sizeof(double));
                    for (int i = 0; i < N; i++)
                        bodies[k].softening[i] = 0.01 * (i % 5);
                }
                if (k) {
                    parameters.engine = "cpu";
                    parameters.tree = KY_TREE_BY_ENGINE;
                }
                if (k == EXACT) {
                    parameters.force = KY_DIRECT;
                    parameters.precision = KY_DOUBLE;
                    assert_ok(cloud_forces(&parameters, &bodies[k], NULL, NULL, &error));
                    break;
                }
                assert_ok(cloud_walk(&parameters, &bodies[k], &report, &error));
                assert_true(report.body_interactions > N && report.cell_interactions > N);
            }
            const struct cloud_error own = cloud_compare(&bodies[0], &bodies[EXACT]),
                                     its = cloud_compare(&bodies[1], &bodies[EXACT]);
            assert_between(own.median, 0, 1.05 * its.median + bound);
            assert_between(own.p99, 0, 1.05 * its.p99 + bound);
            assert_between(own.potential_median, 0, 1.05 * its.potential_median + bound);
            assert_between(own.potential_p99, 0, 1.05 * its.potential_p99 + bound);
            for (int k = 0; k < 3; k++)
                ky_bodies_free(&bodies[k]);
        }
}

/* With all bodies in one leaf the walk is the exact sum. */
static void gravity_without_cells_is_exact(void **state)
{
    (void)state;
    enum { N = 120 };
    static const double bounds[] = {2e-5, 3e-6, 1e-12};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < 9 && !is_cpu_engine(e); which++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_for(e, which), exactly;
            static const enum cloud kinds[] = {PLUMMER, PAIRS, POINT};
            struct ky_bodies bodies = cloud_make(kinds[which / 3], N),
                             exact = cloud_make(kinds[which / 3], N);
            parameters.leaf = 128;
            parameters.precision = for_search(&parameters, GRAVITY).precision;
            parameters.softening = which < 3 ? 0.05 : 0;
            exactly = parameters;
            exactly.engine = "cpu";
            exactly.tree = KY_TREE_BY_ENGINE;
            exactly.force = KY_DIRECT;
            exactly.precision = KY_DOUBLE;
            assert_ok(cloud_forces(&exactly, &exact, NULL, NULL, &error));
            assert_ok(cloud_walk(&parameters, &bodies, NULL, &error));
            struct cloud_error error_of = cloud_compare(&bodies, &exact);
            assert_between(error_of.max, 0, 10 * bounds[parameters.precision]);
            assert_between(error_of.potential_max, 0, bounds[parameters.precision]);
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* Half of the bodies are in a clump of any size, without softening. Cells and bodies are so near
 * that powers of 1/d would leave the range of float. All results are finite, and the other bodies
 * feel the clump's mass. (Not with `relative`: the clump's accelerations raise its floor.) */
static void clumps_of_any_size(void **state)
{
    (void)state;
    enum { N = 400, DECADES = 24 };
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < DECADES * 3 && !is_cpu_engine(e); which++) {
            if (which % 5 && is_slow(e) && !test_everything())
                continue;
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_for(e, which), plain;
            struct ky_bodies bodies = cloud_make(CUBE, N), exact = cloud_make(CUBE, N);
            double scale = pow(10, -2 - which / 3);
            parameters.leaf = which % 2 ? 4 : 16;
            parameters.opening = which / 3 % 4;
            parameters.theta = 0.3;
            for (int i = 0; i < N / 2; i++)
                for (int c = 0; c < 3; c++) {
                    bodies.position[i][c] *= scale;
                    exact.position[i][c] = bodies.position[i][c];
                }
            plain = parameters;
            plain.engine = "cpu";
            plain.tree = KY_TREE_BY_ENGINE;
            plain.force = KY_DIRECT;
            plain.precision = KY_DOUBLE;
            assert_ok(cloud_forces(&plain, &exact, NULL, NULL, &error));
            for (int method = 0; method < 3; method++) {
                if (method < 2) {
                    parameters.force = method ? KY_WALK : KY_LIST;
                    parameters.precision = taken_precision(&parameters);
                    assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
                } else {
                    parameters.opening %= 3; /* the action does not know `relative` */
                    parameters.precision = for_search(&parameters, GRAVITY).precision;
                    assert_ok(cloud_walk(&parameters, &bodies, NULL, &error));
                }
                for (int i = 0; i < N; i++) {
                    for (int c = 0; c < 3; c++)
                        assert_true(isfinite(bodies.acceleration[i][c]));
                    assert_true(isfinite(bodies.potential[i]));
                    if (i >= N / 2 && parameters.opening != KY_RELATIVE)
                        assert_between(bodies.potential[i] / exact.potential[i], 0.9, 1.1);
                }
            }
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* ---- large systems ---- */

static void many_bodies_as_on_the_cpu(void **state)
{
    (void)state;
    enum { N = 100003, K = 32 };
    struct ky_error error = {0};
    struct ky_neighbour_lists lists[2];
    struct ky_parameters parameters = cloud_parameters();
    const double radius = 0.05;
    double *density[2], *h[2];
    need_a_quick_device();
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (int k = 0; k < 2; k++) {
        density[k] = malloc(N * sizeof(double));
        h[k] = malloc(N * sizeof(double));
    }
    assert_ok(ky_neighbours(&parameters, &bodies, &radius, 1, NULL, &lists[0], NULL, &error));
    assert_ok(ky_sph_density(&parameters, &bodies, K, density[0], h[0], NULL, &error));
    FOR_DEVICES(e, 0)
    for (int precision = 0; precision < 3 && !is_cpu_engine(e); precision++) {
        if (precision != KY_DOUBLE && takes_few_kernels(engines[e].engine))
            continue;
        parameters.engine = engines[e].engine;
        parameters.precision = precision;
        const struct ky_parameters by_radius = for_search(&parameters, NEIGHBOURS),
                                   by_number = for_search(&parameters, DENSITIES);
        assert_ok(ky_neighbours(&by_radius, &bodies, &radius, 1, NULL, &lists[1], NULL, &error));
        assert_ok(ky_sph_density(&by_number, &bodies, K, density[1], h[1], NULL, &error));
        if (by_radius.precision == KY_DOUBLE) {
            assert_memory_equal(lists[0].offset, lists[1].offset, (N + 1) * sizeof(size_t));
            assert_memory_equal(lists[0].body, lists[1].body,
                                lists[0].offset[N] * sizeof(uint32_t));
        }
        double pairs = (double)lists[0].offset[N];
        assert_between((double)lists[1].offset[N], pairs * (1 - 1e-5), pairs * (1 + 1e-5));
        for (int i = 0; i < N; i++) {
            assert_between(h[1][i] / h[0][i], 1 - 1e-4, 1 + 1e-4);
            assert_between(density[1][i] / density[0][i], 1 - 1e-3, 1 + 1e-3);
        }
        ky_neighbour_lists_free(&lists[1]);
    }
    ky_neighbour_lists_free(&lists[0]);
    for (int k = 0; k < 2; k++) {
        free(density[k]);
        free(h[k]);
    }
    ky_bodies_free(&bodies);
}

/* ---- around a walk ---- */

static struct ky_engine *open_for(const struct ky_parameters *given, struct ky_parameters *resolved,
                                  const struct ky_bodies *bodies)
{
    struct ky_error error = {0};
    struct ky_engine *engine;
    assert_ok(ky_force_resolve(given, resolved, &error));
    assert_ok(ky_engine_open(resolved, bodies->n, &engine, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

static void walks_and_forces_take_turns(void **state)
{
    (void)state;
    enum { N = 700 };
    static const int methods[] = {KY_DIRECT, KY_WALK, KY_LIST, KY_TREE};
    need_a_quick_device();
    FOR_DEVICES(e, 0)
    for (int m = 0; m < 4 && !is_cpu_engine(e); m++) {
        struct ky_error error = {0};
        struct ky_parameters parameters = cloud_parameters(), resolved;
        struct ky_bodies bodies = cloud_make(PLUMMER, N), before = cloud_make(PLUMMER, N);
        struct ky_force_report report = {0};
        const double radius = 0.5;
        double first[N], again[N], moved[N], fresh[N];
        struct ky_walk_request request = {
            .action = KY_ACTION_count, .n = N, .radius = &radius, .radii = 1, .results = first};
        parameters.engine = engines[e].engine;
        parameters.force = methods[m];
        parameters.opening = KY_OFFSET; /* forces do not depend on the last ones */
        parameters.precision = KY_DOUBLE;
        parameters.precision = for_search(&parameters, NEIGHBOURS).precision;
        struct ky_engine *engine = open_for(&parameters, &resolved, &bodies);
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_get(engine, &before, &error));
        assert_ok(ky_engine_walk(engine, &request, &error));
        request.results = again;
        assert_ok(ky_engine_walk(engine, &request, &error));
        ky_engine_report(engine, &report);
        assert_true(report.build == 0); /* the tree of the last walk serves */
        assert_memory_equal(first, again, sizeof first);
        double pairs = report.body_interactions;
        assert_ok(ky_engine_forces(engine, &error));
        ky_engine_report(engine, &report); /* the report of the forces, not of the walk */
        assert_true(report.body_interactions != pairs);
        if (methods[m] == KY_DIRECT)
            assert_true(report.body_interactions == (double)N * (N - 1));
        assert_ok(ky_engine_get(engine, &bodies, &error));
        assert_memory_equal(bodies.acceleration, before.acceleration,
                            N * sizeof *bodies.acceleration);
        assert_ok(ky_engine_drift(engine, 0.5, &error));
        assert_ok(ky_engine_get(engine, &bodies, &error));
        request.results = moved;
        assert_ok(ky_engine_walk(engine, &request, &error));
        ky_engine_close(engine);
        struct ky_walk_input input = {.size = sizeof input, .radius = &radius, .radii = 1};
        parameters.force = KY_TREE;
        assert_ok(ky_walk(&parameters, &bodies, "count", &input, fresh, NULL, &error));
        assert_memory_equal(moved, fresh, sizeof moved);
        assert_memory_not_equal(moved, first, sizeof moved);
        ky_bodies_free(&bodies);
        ky_bodies_free(&before);
    }
}

/* The default, `relative`, where few bodies have accelerations, or none: few bodies, bodies without
 * mass, no gravity; in the first evaluation and in the next. */
static void relative_serves_bodies_without_acceleration(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 65, 600};
    static const int methods[] = {KY_WALK, KY_TREE, KY_LIST};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < 6 * 2 * 4; k++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = cloud_parameters(), plain;
            size_t n = sizes[k / 8];
            if (is_slow(e) && !test_everything() && n == 600 && k % 4 != 2)
                continue;
            struct ky_bodies bodies = cloud_make(PLUMMER, n), exact = cloud_make(PLUMMER, n);
            for (size_t i = 0; i < n; i++) /* mass: all, none, a third; last, G = 0 */
                if (k % 4 == 1 || (k % 4 == 2 && i % 3 > 0))
                    bodies.mass[i] = exact.mass[i] = 0;
            parameters.g = k % 4 == 3 ? 0 : 1;
            parameters.softening = 0.01;
            parameters.opening = KY_RELATIVE;
            plain = parameters;
            plain.opening = KY_OPENING_BY_USE;
            plain.force = KY_DIRECT;
            plain.precision = KY_DOUBLE;
            assert_ok(cloud_forces(&plain, &exact, NULL, NULL, &error));
            parameters.engine = engines[e].engine;
            parameters.force = methods[k / 4 % 2 && !is_cpu_engine(e) ? 2 : k / 4 % 2];
            for (int again = 0; again < 2; again++) {
                assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
                struct cloud_error e_of = cloud_compare(&bodies, &exact);
                assert_between(e_of.median, 0, 2e-3);
                assert_between(e_of.p99, 0, 6e-3);
                assert_between(e_of.potential_p99, 0, 1e-3);
            }
            ky_bodies_free(&bodies);
            ky_bodies_free(&exact);
        }
}

/* Without last accelerations `relative` makes a pass with `offset` first. The report has the pairs
 * of both. */
static void the_first_evaluation_reports_both_passes(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const int methods[] = {KY_WALK, KY_TREE, KY_LIST};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int m = 0; m < 2; m++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = cloud_parameters();
            struct ky_force_report report[3] = {{0}};
            struct ky_bodies bodies = cloud_make(PLUMMER, N);
            parameters.engine = engines[e].engine;
            parameters.force = methods[m && !is_cpu_engine(e) ? 2 : m];
            parameters.opening = KY_OFFSET;
            assert_ok(cloud_forces(&parameters, &bodies, NULL, &report[0], &error));
            parameters.opening = KY_RELATIVE; /* now with last accelerations */
            assert_ok(cloud_forces(&parameters, &bodies, NULL, &report[1], &error));
            memset(bodies.acceleration, 0, N * sizeof *bodies.acceleration);
            assert_ok(cloud_forces(&parameters, &bodies, NULL, &report[2], &error));
            assert_between((report[2].body_interactions - report[0].body_interactions) /
                               report[1].body_interactions,
                           0.99, 1.01);
            assert_between((report[2].cell_interactions - report[0].cell_interactions) /
                               report[1].cell_interactions,
                           0.99, 1.01);
            assert_true(report[2].total >= report[2].walk && report[2].walk > 0);
            ky_bodies_free(&bodies);
        }
}

/* The k nearest lie in local memory up to 8 and up to 32, and beyond that in memory of the device;
 * with few bodies the k on either side along the curve are fewer. */
static void heaps_of_every_size(void **state)
{
    (void)state;
    static const size_t neighbours[] = {1, 7, 8, 9, 31, 32, 33};
    need_a_quick_device();
    FOR_DEVICES(e, 0)
    for (int which = 0; which < 14 && !is_cpu_engine(e); which++) {
        const size_t k = neighbours[which % 7];
        struct ky_bodies bodies = cloud_make(which < 7 ? PLUMMER : CUBE, which < 7 ? 200 : k + 1);
        struct ky_parameters parameters = parameters_for(e, which);
        check_density(&parameters, &bodies, k);
        ky_bodies_free(&bodies);
    }
}

/* Joins groups of friends; tests/unit/groups.c checks which. */
static enum ky_status join_friends(const struct ky_parameters *wanted,
                                   const struct ky_bodies *bodies, double length,
                                   struct ky_error *error)
{
    const struct ky_parameters parameters = for_search(wanted, FRIENDS);
    struct ky_catalogue catalogue = {0};
    struct ky_catalogue_parameters groups;
    ky_catalogue_parameters_defaults(&groups);
    groups.linking_length = length;
    groups.minimum = 2;
    enum ky_status status =
        ky_catalogue_make(&parameters, &groups, bodies, &catalogue, NULL, error);
    assert_true((status == KY_OK) == (catalogue.members > 2));
    ky_catalogue_free(&catalogue);
    return status;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    enum { N = 300, K = 7 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const double radius = 0.3;
    need_a_device();
    guard_begin(0);
    for (int e = 0; e < engine_count; e++)
        for (int k = 0, done = 0; !done && !is_cpu_engine(e); k++) {
            int before = guard.buffers;
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_for(e, 0);
            const struct ky_parameters by_radius = for_search(&parameters, NEIGHBOURS),
                                       by_number = for_search(&parameters, DENSITIES);
            struct ky_neighbour_lists lists;
            double density[N];
            guard.fail = k;
            enum ky_status status =
                ky_neighbours(&by_radius, &bodies, &radius, 1, NULL, &lists, NULL, &error);
            if (status == KY_OK) {
                ky_neighbour_lists_free(&lists);
                status = ky_sph_density(&by_number, &bodies, K, density, NULL, NULL, &error);
            }
            if (status == KY_OK)
                status = join_friends(&parameters, &bodies, radius, &error);
            done = status == KY_OK;
            assert_true(k < 200);
            assert_true(done || strstr(error.text, "memory"));
            assert_int_equal(guard.buffers, before);
            guard.fail = -1;
        }
    guard_end();
    ky_bodies_free(&bodies);
}

static void nothing_is_written_around_buffers(void **state)
{
    (void)state;
    need_a_device();
    guard_begin(1);
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < 6 && !is_cpu_engine(e); which++) {
            const double radius = which < 3 ? 0.2 : 50;
            struct ky_error error = {0};
            struct ky_bodies bodies = cloud_make(PLUMMER, 193);
            struct ky_parameters parameters = parameters_for(e, which);
            check_neighbours(&parameters, &bodies, &radius, 1);
            check_density(&parameters, &bodies, takes_few_kernels(parameters.engine) ? 8 : 20);
            assert_ok(join_friends(&parameters, &bodies, radius, &error));
            ky_bodies_free(&bodies);
        }
    guard_end();
    assert_int_equal(guard.overruns, 0);
    assert_int_equal(guard.changes, 0);
}

/* Every kernel with few bodies, for tools under which a kernel takes long. In `make check`
 * precisions take turns. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (int precision = 0; precision < 3 && !is_cpu_engine(e); precision++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_for(e, precision);
            struct ky_bodies bodies = cloud_make(PLUMMER, 70), many = cloud_make(CUBE, 1030);
            const double radius = 0.3;
            const int all = !is_slow(e) || test_everything();
            double one[1030] = {2}; /* one list beyond local memory */
            if (all || precision == 1)
                check_neighbours(&parameters, &bodies, &radius, 1);
            const int few = takes_few_kernels(parameters.engine);
            for (size_t k = 5; k < 60; k *= few ? 9 : 3) /* a kernel each */
                if (all || precision == 2)
                    check_density(&parameters, &bodies, k);
            if (all || precision == 1)
                assert_ok(cloud_walk(&parameters, &bodies, NULL, &error));
            if (precision == (all ? 0 : 1))
                check_neighbours(&parameters, &many, one, 1030);
            if (all || precision == 2)
                assert_ok(join_friends(&parameters, &bodies, radius, &error));
            ky_bodies_free(&bodies);
            ky_bodies_free(&many);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_those_of_all_pairs),
        cmocka_unit_test(lists_that_are_too_short),
#ifdef KY_HAVE_OPENCL
        cmocka_unit_test(counts_that_floats_do_not_hold),
#endif
        cmocka_unit_test(awkward_numbers_of_bodies),
        cmocka_unit_test(every_body_may_have_its_radius),
        cmocka_unit_test(the_surface_belongs_to_the_sphere),
        cmocka_unit_test(densities_are_those_of_all_pairs),
        cmocka_unit_test(heaps_of_every_size),
        cmocka_unit_test(gravity_is_as_exact_as_on_the_cpu),
        cmocka_unit_test(gravity_without_cells_is_exact),
        cmocka_unit_test(clumps_of_any_size),
        cmocka_unit_test(many_bodies_as_on_the_cpu),
        cmocka_unit_test(walks_and_forces_take_turns),
        cmocka_unit_test(relative_serves_bodies_without_acceleration),
        cmocka_unit_test(the_first_evaluation_reports_both_passes),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
        cmocka_unit_test(nothing_is_written_around_buffers),
        cmocka_unit_test(every_kernel_in_small),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
