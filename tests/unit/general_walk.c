/* The general walk against double loops over all pairs: neighbours, the k-th neighbour, SPH
 * density, gravity, and an action of a program's own. */
#include "test.h"

#include "all_pairs.h"
#include "clouds.h"
#include "engine/cpu/forces/action.h"
#include "engine/force_options.h"

/* Parameters for the engine that KYOHO_TEST_ENGINE names, else for the CPU. device_walk.c has more
 * cases. */
static struct ky_parameters walk_parameters(void)
{
    struct ky_parameters parameters = cloud_parameters();
    const char *engine = getenv("KYOHO_TEST_ENGINE");
    if (engine) {
        parameters.engine = engine;
        parameters.force = KY_WALK; /* every engine has it */
    }
    return parameters;
}

/* Fails unless the walk gives every body the neighbours of the loop, in the same order. */
static void check_neighbours(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const double *radius, size_t radii)
{
    struct ky_error error = {0};
    size_t n = bodies->n;
    struct ky_neighbour_lists lists;
    uint32_t *count = malloc((n + 1) * sizeof *count);
    count[n] = 12345; /* must not change */
    assert_ok(ky_neighbours(parameters, bodies, radius, radii, count, &lists, NULL, &error));
    assert_int_equal(lists.n, n);
    assert_int_equal(lists.offset[0], 0);
    for (size_t i = 0; i < n; i++) {
        double r = radius[radii == 1 ? 0 : i];
        size_t next = lists.offset[i];
        for (size_t j = 0; j < n; j++) {
            if (j == i || !(pair2(bodies, i, j) <= r * r))
                continue;
            assert_true(next < lists.offset[i + 1]);
            assert_int_equal(lists.body[next], j);
            next++;
        }
        assert_int_equal(next, lists.offset[i + 1]);
        assert_int_equal(count[i], next - lists.offset[i]);
    }
    assert_int_equal(count[n], 12345);
    free(count);
    ky_neighbour_lists_free(&lists);
    assert_null(lists.body);
}

static double median_distance(const struct ky_bodies *bodies)
{
    double *r = malloc(bodies->n * sizeof *r);
    for (size_t j = 0; j < bodies->n; j++)
        r[j] = sqrt(pair2(bodies, 0, j));
    qsort(r, bodies->n, sizeof *r, ky_order_reals);
    double median = r[bodies->n / 2];
    free(r);
    return median;
}

static void neighbours_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLOUDS; kind++) {
        struct ky_bodies bodies = cloud_make((enum cloud)kind, 1200);
        double typical = median_distance(&bodies);
        const double radii[] = {0, 0.03 * typical, 0.3 * typical, 2 * typical, 1e9};
        struct ky_parameters parameters = walk_parameters();
        for (size_t k = 0; k < sizeof radii / sizeof *radii; k++) {
            parameters.curve = k % 2 ? KY_MORTON : KY_HILBERT;
            parameters.leaf = k % 2 ? 16 : 1;
            parameters.group = k % 3 ? 64 : 1 + (int)k;
            check_neighbours(&parameters, &bodies, &radii[k], 1);
        }
        ky_bodies_free(&bodies);
    }
}

static void every_body_may_have_its_radius(void **state)
{
    (void)state;
    enum { N = 1500 };
    double radius[N];
    for (int kind = 0; kind < CLOUDS; kind++) {
        struct ky_bodies bodies = cloud_make((enum cloud)kind, N);
        double typical = median_distance(&bodies);
        for (int i = 0; i < N; i++) /* from no neighbours to all bodies */
            radius[i] = i % 50 == 0 ? 0 : i % 51 == 0 ? 1e7 : 0.001 * (i % 300) * typical;
        struct ky_parameters parameters = walk_parameters();
        check_neighbours(&parameters, &bodies, radius, N);
        ky_bodies_free(&bodies);
    }
}

/* Distances ascend, equal ones by index; no body that is left out is nearer than the last. */
static void the_nearest_are_those_of_all_pairs(void **state)
{
    (void)state;
    enum { N = 700, K = 9 };
    static uint32_t index[N][K], again[N][K];
    static double distance[N][K];
    struct ky_error error = {0};
    for (int kind = 0; kind < CLOUDS; kind++) {
        struct ky_bodies bodies = cloud_make((enum cloud)kind, N);
        struct ky_parameters parameters = walk_parameters();
        assert_ok(ky_nearest(&parameters, &bodies, K, index[0], distance[0], NULL, &error));
        for (size_t i = 0; i < N; i++) {
            size_t before = 0;
            for (size_t k = 0; k < K; k++) {
                const size_t j = index[i][k];
                assert_true(j < N && j != i);
                assert_true(distance[i][k] == sqrt(pair2(&bodies, i, j)));
                assert_true(!k || distance[i][k] > distance[i][k - 1] ||
                            (distance[i][k] == distance[i][k - 1] && j > index[i][k - 1]));
            }
            for (size_t j = 0; j < N; j++) {
                const double r = sqrt(pair2(&bodies, i, j));
                before += j != i && (r < distance[i][K - 1] ||
                                     (r == distance[i][K - 1] && j <= index[i][K - 1]));
            }
            assert_int_equal(before, K);
        }
        parameters.threads = 3;
        assert_ok(ky_nearest(&parameters, &bodies, K, again[0], NULL, NULL, &error));
        assert_memory_equal(index, again, sizeof index);
        ky_bodies_free(&bodies);
    }
    struct ky_bodies two = cloud_make(CUBE, 2), none = {.n = 0};
    struct ky_parameters parameters = walk_parameters();
    struct ky_sim *sim;
    assert_ok(ky_nearest(&parameters, &two, 1, index[0], NULL, NULL, &error));
    assert_true(index[0][0] == 1 && index[0][1] == 0);
    assert_ok(ky_nearest(&parameters, &none, 1, NULL, NULL, NULL, &error));
    assert_int_equal(ky_nearest(&parameters, &two, 2, index[0], NULL, NULL, &error), KY_USAGE);
    assert_int_equal(ky_nearest(&parameters, &two, 0, index[0], NULL, NULL, &error), KY_USAGE);
    parameters.softening = 0.1;
    assert_ok(ky_sim_open(&parameters, &two, 0, &sim, &error));
    assert_ok(ky_sim_nearest(sim, 1, again[0], distance[0], NULL, &error));
    assert_memory_equal(index, again, 2 * sizeof **index);
    assert_true(distance[0][0] == sqrt(pair2(&two, 0, 1)));
    ky_sim_close(sim);
    ky_bodies_free(&two);
}

static void few_bodies_are_served(void **state)
{
    (void)state;
    struct ky_parameters parameters = walk_parameters();
    const double radii[] = {0, 1, 100};
    for (size_t n = 0; n < 4; n++)
        for (int k = 0; k < 3; k++) {
            struct ky_bodies bodies = cloud_make(k == 0 ? POINT : CUBE, n);
            check_neighbours(&parameters, &bodies, &radii[k], 1);
            ky_bodies_free(&bodies);
        }
}

/* Two bodies exactly one radius apart are neighbours, in units of any size. */
static void the_surface_belongs_to_the_sphere(void **state)
{
    (void)state;
    struct ky_parameters parameters = walk_parameters();
    const double scales[] = {1e-20, 0.3, 1e20};
    for (int k = 0; k < 3; k++) {
        struct ky_bodies bodies = cloud_make(CUBE, 64);
        for (size_t i = 0; i < 64; i++)
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = scales[k] * (double)(i >> (2 * c) & 3);
        check_neighbours(&parameters, &bodies, &scales[k], 1);
        uint32_t count[64];
        struct ky_error error = {0};
        assert_ok(ky_neighbours(&parameters, &bodies, &scales[k], 1, count, NULL, NULL, &error));
        assert_int_equal(count[0], 3); /* at a corner of the lattice */
        ky_bodies_free(&bodies);
    }
}

/* ---- density ---- */

/* Compares densities with the loop. Where a body and its nearest are all in one place, the density
 * is infinite, which is an error. */
static void check_density(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                          size_t k)
{
    struct ky_error error = {0};
    size_t n = bodies->n;
    double *density = malloc(n * sizeof *density), *h = malloc(n * sizeof *h);
    double *r2 = malloc(n * sizeof *r2);
    enum ky_status status = ky_sph_density(parameters, bodies, k, density, h, NULL, &error);
    int infinite = 0;
    for (size_t i = 0; i < n; i++)
        infinite |= kth_distance(bodies, i, k, r2) == 0;
    assert_int_equal(status, infinite ? KY_BAD_DATA : KY_OK);
    for (size_t i = 0; i < n && !infinite; i++) {
        double exact = kth_distance(bodies, i, k, r2);
        assert_between(h[i], exact * (1 - 1e-15), exact * (1 + 1e-15));
        double sum = density_at(bodies, i, exact);
        assert_between(density[i], sum * (1 - 1e-12), sum * (1 + 1e-12));
    }
    free(r2);
    free(density);
    free(h);
}

static void densities_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (int kind = 0; kind < CLOUDS; kind++) {
        struct ky_bodies bodies = cloud_make((enum cloud)kind, 700);
        struct ky_parameters parameters = walk_parameters();
        const size_t k[] = {1, 2, 33, 64, 699};
        for (int c = 0; c < 5; c++) {
            parameters.group = c % 2 ? 64 : 1 + 7 * c;
            check_density(&parameters, &bodies, k[c]);
        }
        ky_bodies_free(&bodies);
    }
}

/* Inside a lattice the sum over its points is the same everywhere, near m/a³. */
static void a_lattice_has_its_density(void **state)
{
    (void)state;
    enum { SIDE = 12, N = SIDE * SIDE * SIDE };
    struct ky_error error = {0};
    struct ky_parameters parameters = walk_parameters();
    struct ky_bodies bodies = {0};
    double density[N], h[N];
    const double a = 0.75, m = 2, edge = a * sqrt(6.0); /* shells: 6, 12, 8, 6, 24; 24 at 1 */
    assert_ok(ky_bodies_allocate(&bodies, N, 0, &error));
    for (size_t i = 0; i < N; i++) {
        bodies.mass[i] = m;
        bodies.position[i][0] = a * (double)(i % SIDE);
        bodies.position[i][1] = a * (double)(i / SIDE % SIDE);
        bodies.position[i][2] = a * (double)(i / SIDE / SIDE);
    }
    assert_ok(ky_sph_density(&parameters, &bodies, 64, density, h, NULL, &error));
    double sum = spline(0) + 6 * spline(a / edge) + 12 * spline(a * sqrt(2.0) / edge) +
                 8 * spline(a * sqrt(3.0) / edge) + 6 * spline(2 * a / edge) +
                 24 * spline(a * sqrt(5.0) / edge);
    double known = 8 / (3.14159265358979323846 * pow(edge, 3)) * m * sum;
    assert_between(known * a * a * a / m, 0.99, 1.01);
    size_t inside = 0;
    for (size_t i = 0; i < N; i++) {
        int inner = 1;
        for (int c = 0; c < 3; c++)
            inner &= bodies.position[i][c] > 2.5 * a && bodies.position[i][c] < (SIDE - 3.5) * a;
        if (!inner)
            continue;
        inside++;
        assert_between(h[i] / edge, 1 - 1e-14, 1 + 1e-14);
        assert_between(density[i] / known, 1 - 1e-12, 1 + 1e-12);
    }
    assert_int_equal(inside, 6 * 6 * 6);
    ky_bodies_free(&bodies);
}

static void massless_places_have_no_density(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = walk_parameters();
    struct ky_bodies bodies = cloud_make(PAIRS, 40);
    double density[40], h[40], mass = bodies.mass[20];
    memset(bodies.mass, 0, 40 * sizeof *bodies.mass);
    assert_ok(ky_sph_density(&parameters, &bodies, 1, density, h, NULL, &error));
    for (int i = 0; i < 40; i++)
        assert_true(h[i] == 0 && density[i] == 0);
    bodies.mass[20] = mass;
    assert_int_equal(ky_sph_density(&parameters, &bodies, 1, density, h, NULL, &error),
                     KY_BAD_DATA);
    assert_non_null(strstr(error.text, "at the same position"));
    ky_bodies_free(&bodies);
}

/* ---- threads, errors ---- */

static void threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 5000, K = 20 };
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    double radius = 0.2, *density[4], *h[4];
    struct ky_neighbour_lists lists[4];
    for (int threads = 1; threads < 4; threads++) {
        struct ky_parameters parameters = walk_parameters();
        parameters.threads = threads;
        density[threads] = malloc(N * sizeof(double));
        h[threads] = malloc(N * sizeof(double));
        assert_ok(
            ky_sph_density(&parameters, &bodies, K, density[threads], h[threads], NULL, &error));
        assert_ok(
            ky_neighbours(&parameters, &bodies, &radius, 1, NULL, &lists[threads], NULL, &error));
        assert_memory_equal(density[1], density[threads], N * sizeof(double));
        assert_memory_equal(h[1], h[threads], N * sizeof(double));
        assert_memory_equal(lists[1].offset, lists[threads].offset, (N + 1) * sizeof(size_t));
        assert_memory_equal(lists[1].body, lists[threads].body,
                            lists[1].offset[N] * sizeof(uint32_t));
    }
    for (int threads = 1; threads < 4; threads++) {
        free(density[threads]);
        free(h[threads]);
        ky_neighbour_lists_free(&lists[threads]);
    }
    ky_bodies_free(&bodies);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = walk_parameters();
    struct ky_bodies bodies = cloud_make(CUBE, 20), none = {0};
    const double bad[] = {-1, NAN, INFINITY}, good[3] = {1, 1, 1};
    struct ky_neighbour_lists lists;
    double out[80];
    for (int k = 0; k < 3; k++) {
        assert_int_equal(
            ky_neighbours(&parameters, &bodies, &bad[k], 1, NULL, &lists, NULL, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "radius 0"));
        assert_null(lists.offset);
    }
    assert_int_equal(ky_neighbours(&parameters, &bodies, good, 3, NULL, NULL, NULL, &error),
                     KY_USAGE);
    assert_int_equal(ky_neighbours(&parameters, &bodies, NULL, 0, NULL, NULL, NULL, &error),
                     KY_USAGE);
    assert_int_equal(ky_sph_density(&parameters, &bodies, 20, out, NULL, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "19"));
    assert_int_equal(ky_sph_density(&parameters, &bodies, 0, out, NULL, NULL, &error), KY_USAGE);
    assert_ok(ky_sph_density(&parameters, &none, 5, NULL, NULL, NULL, &error));

    struct ky_walk_input input = {.size = sizeof input, .radius = good, .radii = 1};
    assert_int_equal(ky_walk(&parameters, &bodies, "cuont", &input, out, NULL, &error), KY_USAGE);
    assert_int_equal(ky_walk(&parameters, &bodies, "list", &input, out, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "ky_neighbours"));
    parameters.opening = KY_RELATIVE;
    assert_int_equal(ky_walk(&parameters, &bodies, "gravity", &input, out, NULL, &error),
                     KY_UNSUPPORTED);
    bodies.position[7][1] = NAN;
    assert_int_equal(ky_neighbours(&parameters, &bodies, good, 1, NULL, NULL, NULL, &error),
                     KY_BAD_DATA);
    ky_bodies_free(&bodies);
}

/* The density within the radius 0 is infinite, and so is the force of a near body with such masses
 * and G. */
static void results_are_finite(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_bodies bodies = cloud_make(CUBE, 20);
    struct ky_parameters parameters = walk_parameters();
    double radius[20], out[80];
    struct ky_walk_input input = {.size = sizeof input, .radius = radius, .radii = 20};
    for (int i = 0; i < 20; i++)
        radius[i] = i == 13 ? 0 : 0.5;
    assert_ok(ky_walk(&parameters, &bodies, "count", &input, out, NULL, &error));
    assert_int_equal(ky_walk(&parameters, &bodies, "density", &input, out, NULL, &error),
                     KY_BAD_DATA);
    assert_non_null(strstr(error.text, "action density: the density of body 13 is not finite"));
    for (int i = 0; i < 20; i++)
        bodies.mass[i] = 1e150;
    parameters.g = 1e150;
    for (int c = 0; c < 3; c++)
        bodies.position[1][c] = bodies.position[0][c] + 1e-6;
    assert_int_equal(ky_walk(&parameters, &bodies, "gravity", &input, out, NULL, &error),
                     KY_BAD_DATA);
    assert_non_null(strstr(error.text, "action gravity: the "));
    assert_non_null(strstr(error.text, " of body 0 is not finite"));
    ky_bodies_free(&bodies);
}

/* 3e5 bodies at one place have 9e10 neighbours, whose lists take 360 GB. A machine with so much
 * memory passes too. */
static void lists_that_do_not_fit_name_their_size(void **state)
{
    (void)state;
    enum { N = 300000 };
    struct ky_error error = {0};
    struct ky_parameters parameters = walk_parameters();
    struct ky_bodies bodies = {0};
    struct ky_neighbour_lists lists;
    uint32_t *count = malloc(N * sizeof *count);
    double radius = 1e3;
    assert_ok(ky_bodies_allocate(&bodies, N, 0, &error));
    for (size_t i = 0; i < N; i++) {
        bodies.mass[i] = 1;
        bodies.position[i][0] = (double)(i % 64);
        bodies.position[i][1] = (double)(i / 64);
        bodies.position[i][1] = fmod(bodies.position[i][1], 64);
        bodies.position[i][2] = (double)(i / 4096);
    }
    enum ky_status status =
        ky_neighbours(&parameters, &bodies, &radius, 1, count, &lists, NULL, &error);
    if (status == KY_OK) {
        ky_neighbour_lists_free(&lists);
    } else {
        assert_int_equal(status, KY_FAULT);
        assert_non_null(strstr(error.text, "89999700000 neighbours"));
        assert_null(lists.body);
    }
    for (size_t i = 0; i < N; i++)
        assert_int_equal(count[i], N - 1);
    free(count);
    ky_bodies_free(&bodies);
}

/* ---- actions by name ---- */

/* One list is an element too short: nothing is written beyond it. */
static void a_list_that_is_too_short_is_refused(void **state)
{
    (void)state;
    enum { N = 300 };
    struct ky_error error = {0};
    struct ky_parameters parameters = walk_parameters(), resolved;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_neighbour_lists lists;
    struct ky_engine *engine;
    const double radius = 0.5 * median_distance(&bodies);
    char wanted[80];
    size_t body = 0, room = 0;
    assert_ok(ky_neighbours(&parameters, &bodies, &radius, 1, NULL, &lists, NULL, &error));
    for (size_t i = 0; i < N; i++)
        if (lists.offset[i + 1] - lists.offset[i] > room)
            body = i, room = lists.offset[i + 1] - lists.offset[i];
    size_t total = lists.offset[N];
    assert_true(room > 10);
    snprintf(wanted, sizeof wanted, "the longest list of neighbours is too small: %zu needed",
             room);
    uint32_t *list = malloc(total * sizeof *list);
    struct ky_walk_request request = {.action = KY_ACTION_list,
                                      .n = N,
                                      .radius = &radius,
                                      .radii = 1,
                                      .offset = lists.offset,
                                      .list = list};
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    assert_ok(ky_engine_open(&resolved, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_walk(engine, &request, &error));
    assert_memory_equal(list, lists.body, total * sizeof *list);
    request.n = N - 1;
    assert_int_equal(ky_engine_walk(engine, &request, &error), KY_USAGE);
    request.n = N;
    for (size_t k = body + 1; k <= N; k++)
        lists.offset[k]--;
    list[total - 1] = KY_NO_BODY;
    assert_int_equal(ky_engine_walk(engine, &request, &error), KY_USAGE);
    assert_non_null(strstr(error.text, wanted));
    assert_int_equal(list[total - 1], KY_NO_BODY);
    ky_engine_close(engine);
    free(list);
    ky_neighbour_lists_free(&lists);
    ky_bodies_free(&bodies);
}

static void actions_are_listed(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_action action = {0};
    struct {
        size_t size;
        const char *name, *behind;
    } older = {2 * sizeof(size_t), NULL, "nobody writes here"};
    const char *const names[] = {"gravity", "count", "list", "nearest", "density", "friends"};
    size_t count = 0;
    while (ky_action_get(count, &action) == KY_OK) {
        assert_true(count < 6);
        assert_string_equal(action.name, names[count++]);
    }
    assert_int_equal(count, 6);
    assert_ok(ky_action_get(0, &action));
    assert_string_equal(action.results, "ax ay az potential");
    assert_int_equal(action.columns, 4);
    assert_ok(ky_action_get(4, &action));
    assert_string_equal(action.results, "density");
    assert_true(action.needs_radius && !action.needs_k && action.size == 0);
    assert_ok(ky_action_get(1, (struct ky_action *)&older));
    assert_string_equal(older.name, "count");
    assert_string_equal(older.behind, "nobody writes here");
}

/* Gravity as an action is as near to the exact sum as the tree with the same theta, in any
 * units. */
static void gravity_is_an_action(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct ky_error error = {0};
    const struct {
        int kind, opening, multipole, softening_kind;
        double theta, softening, median;
    } cases[] = {
        {PLUMMER, KY_OFFSET, 2, KY_PLUMMER, 0.5, 0.01, 3e-4},
        {PLUMMER, KY_GEOMETRIC, 2, KY_SYMMETRIC, 0.5, 0.05, 1e-3},
        {CUBE, KY_MINIMUM, 1, KY_PLUMMER, 0.5, 0, 3e-3},
        {OUTLIER, KY_OFFSET, 1, KY_PLUMMER, 0.6, 0, 3e-3},
        {PAIRS, KY_OFFSET, 2, KY_PLUMMER, 0.01, 0, 1e-8},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct ky_parameters parameters = walk_parameters();
        parameters.opening = cases[c].opening;
        parameters.multipole = cases[c].multipole;
        parameters.softening_kind = cases[c].softening_kind;
        parameters.softening = cases[c].softening;
        parameters.theta = cases[c].theta;
        parameters.g = 43009;
        struct ky_bodies bodies = cloud_make((enum cloud)cases[c].kind, N),
                         exact = cloud_make((enum cloud)cases[c].kind, N);
        struct ky_force_report report = {0};
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        assert_ok(cloud_walk(&parameters, &bodies, &report, &error));
        struct cloud_error e = cloud_compare(&bodies, &exact);
        /* A device opens cells for each body, the CPU for a group of bodies, which is more
         * exact. */
        const double limit = cases[c].median * (strcmp(parameters.engine, "cpu") ? 4 : 1);
        assert_between(e.median, 0, limit);
        assert_between(e.potential_median, 0, limit);
        assert_between(e.max, 0, 0.1);
        assert_true(report.body_interactions > N && report.total >= report.walk);
        assert_true(cases[c].theta < 0.1 || report.cell_interactions > N);
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* An action of a program's own is a file and a line. */
#include "enclosed.h"
KY_CPU_ACTION(enclosed, KY_NEEDS_RADIUS | KY_DUAL)

static void a_new_action_is_one_file_and_a_line(void **state)
{
    (void)state;
    enum { N = 3000 };
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters(), resolved;
    const double radius = 2;
    struct ky_engine *engine;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    double *mass = malloc(N * sizeof *mass);
    struct ky_walk_request request = {.n = N, .radius = &radius, .radii = 1, .results = mass};
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    assert_ok(ky_engine_open(&resolved, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_cpu_walk_action((struct ky_cpu *)engine, &ky_cpu_enclosed, &request, &error));
    struct ky_force_report report = {0};
    ky_engine_report(engine, &report);
    assert_true(report.cell_interactions > 0); /* cells within the radius act as a whole */
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++)
            sum += j != i && pair2(&bodies, i, j) <= radius * radius ? bodies.mass[j] : 0;
        assert_between(mass[i], sum - 1e-7, sum + 1e-7); /* moments are floats */
    }
    ky_engine_close(engine);
    free(mass);
    ky_bodies_free(&bodies);
}

/* Walks at the same positions use one tree; after a drift there is a new one. */
static void the_tree_is_that_of_the_present_positions(void **state)
{
    (void)state;
    enum { N = 500 };
    struct ky_error error = {0};
    struct ky_parameters parameters = walk_parameters(), resolved;
    struct ky_engine *engine;
    struct ky_force_report report = {0};
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const double radius = 0.5;
    double first[N], again[N], moved[N], fresh[N];
    struct ky_walk_request request = {
        .action = KY_ACTION_count, .n = N, .radius = &radius, .radii = 1, .results = first};
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    assert_ok(ky_engine_open(&resolved, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_engine_walk(engine, &request, &error));
    request.results = again;
    assert_ok(ky_engine_walk(engine, &request, &error));
    ky_engine_report(engine, &report);
    assert_true(report.build == 0);
    assert_memory_equal(first, again, sizeof first);
    assert_ok(ky_engine_drift(engine, 0.5, &error));
    assert_ok(ky_engine_get(engine, &bodies, &error));
    request.results = moved;
    assert_ok(ky_engine_walk(engine, &request, &error));
    ky_engine_close(engine);
    struct ky_walk_input input = {.size = sizeof input, .radius = &radius, .radii = 1};
    assert_ok(ky_walk(&parameters, &bodies, "count", &input, fresh, NULL, &error));
    assert_memory_equal(moved, fresh, sizeof moved);
    assert_memory_not_equal(moved, first, sizeof moved);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_those_of_all_pairs),
        cmocka_unit_test(every_body_may_have_its_radius),
        cmocka_unit_test(the_nearest_are_those_of_all_pairs),
        cmocka_unit_test(few_bodies_are_served),
        cmocka_unit_test(the_surface_belongs_to_the_sphere),
        cmocka_unit_test(densities_are_those_of_all_pairs),
        cmocka_unit_test(a_lattice_has_its_density),
        cmocka_unit_test(massless_places_have_no_density),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(results_are_finite),
        cmocka_unit_test(lists_that_do_not_fit_name_their_size),
        cmocka_unit_test(a_list_that_is_too_short_is_refused),
        cmocka_unit_test(actions_are_listed),
        cmocka_unit_test(gravity_is_an_action),
        cmocka_unit_test(a_new_action_is_one_file_and_a_line),
        cmocka_unit_test(the_tree_is_that_of_the_present_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
