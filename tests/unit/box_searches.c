/* Searches in periodic boxes against loops over all pairs with the nearest image of each body:
 * neighbours, nearest bodies, densities, groups, pairs, and actions of a program's own. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "box_pairs.h"
#include "engine/cpu/forces/action.h"
#include "engine/force_options.h"
#include "engines.h"

static struct ky_error error;

/* ---- neighbours ---- */

static void check_neighbours(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const double *radius, size_t radii)
{
    const size_t n = bodies->n;
    struct ky_neighbour_lists lists;
    uint32_t *count = malloc((n + 1) * sizeof *count);
    assert_ok(ky_neighbours(parameters, bodies, radius, radii, count, &lists, NULL, &error));
    for (size_t i = 0; i < n; i++) {
        const double r = radius[radii == 1 ? 0 : i];
        size_t next = lists.offset[i];
        for (size_t j = 0; j < n; j++) {
            if (j == i || !(image2(bodies, i, j, parameters->box) <= r * r))
                continue;
            assert_true(next < lists.offset[i + 1]);
            assert_int_equal(lists.body[next++], j);
        }
        assert_int_equal(next, lists.offset[i + 1]);
        assert_int_equal(count[i], next - lists.offset[i]);
    }
    free(count);
    ky_neighbour_lists_free(&lists);
}

static void neighbours_are_those_of_nearest_images(void **state)
{
    (void)state;
    static const double parts[] = {0, 0.013, 0.1, 0.31, 0.5}, sides[] = {1, 3.7, 0x1p73};
    static const size_t numbers[] = {0, 1, 2, 3, 8, 150};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < 6; k++)
            for (int part = 0; part < 5; part++) {
                const double side = sides[part % 3], radius = parts[part] * side;
                struct ky_bodies bodies = box_make(kinds[kind], numbers[k], side);
                const struct ky_parameters parameters = box_parameters(side, part);
                check_neighbours(&parameters, &bodies, &radius, 1);
                ky_bodies_free(&bodies);
            }
    enum { N = 500 };
    double radius[N];
    for (int i = 0; i < N; i++) /* each body its own */
        radius[i] = i % 50 == 0 ? 0 : i % 51 == 0 ? 0.5 : 0.001 * (i % 300);
    struct ky_bodies bodies = box_make(CUBE, N, 1);
    const struct ky_parameters parameters = box_parameters(1, 2);
    check_neighbours(&parameters, &bodies, radius, N);
    ky_bodies_free(&bodies);
}

/* Bodies exactly a radius apart over a face, an edge and a corner are neighbours, also at half of
 * the box, and bodies at one place. */
static void the_surface_belongs_to_the_sphere(void **state)
{
    (void)state;
    enum { SIDE = 6, N = SIDE * SIDE * SIDE };
    struct ky_bodies bodies = box_lattice(SIDE);
    const struct ky_parameters parameters = box_parameters(SIDE, 1);
    static const double radii[] = {1, 1.5, 2, 3};
    static const uint32_t counts[] = {6, 18, 32, 119};
    uint32_t count[N];
    for (int k = 0; k < 4; k++) {
        check_neighbours(&parameters, &bodies, &radii[k], 1);
        assert_ok(ky_neighbours(&parameters, &bodies, &radii[k], 1, count, NULL, NULL, &error));
        for (size_t i = 1; i < N; i++)
            assert_int_equal(count[i], count[0]);
        assert_int_equal(count[0], counts[k]); /* of the 122 within 3, three are twice there */
    }
    ky_bodies_free(&bodies);
}

static void check_nearest(double side, enum cloud kind, size_t n, size_t k)
{
    struct ky_bodies bodies = box_make(kind, n, side);
    const struct ky_parameters parameters = box_parameters(side, (int)n);
    uint32_t *index = malloc(n * k * sizeof *index);
    double *distance = malloc(n * k * sizeof *distance);
    assert_ok(ky_nearest(&parameters, &bodies, k, index, distance, NULL, &error));
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;
        for (size_t m = i * k; m < (i + 1) * k; m++) {
            assert_true(index[m] != i);
            assert_true(distance[m] == sqrt(image2(&bodies, i, index[m], side)));
            assert_true(m == i * k || distance[m] > distance[m - 1] ||
                        (distance[m] == distance[m - 1] && index[m] > index[m - 1]));
        }
        for (size_t j = 0; j < n; j++)
            before += j != i && sqrt(image2(&bodies, i, j, side)) < distance[(i + 1) * k - 1];
        assert_true(before < k);
    }
    free(index);
    free(distance);
    ky_bodies_free(&bodies);
}

/* Also with so few bodies that the last of them is more than half of the box away. */
static void the_nearest_are_nearest_images(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        check_nearest(kind % 2 ? 0x1p-40 : 3.7, kinds[kind], 201, 9);
        check_nearest(1, kinds[kind], 12, 11);
        check_nearest(1, kinds[kind], 2, 1);
    }
}

static void densities_are_those_of_nearest_images(void **state)
{
    (void)state;
    enum { N = 601, K = 20 };
    static double density[N], smoothing[N];
    for (int kind = 0; kind < 2; kind++) {
        struct ky_bodies bodies = box_make(kinds[kind], N, 2.5);
        const struct ky_parameters parameters = box_parameters(2.5, kind);
        assert_ok(ky_sph_density(&parameters, &bodies, K, density, smoothing, NULL, &error));
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += bodies.mass[j] * box_spline(sqrt(image2(&bodies, i, j, 2.5)) / smoothing[i]);
            sum *= 8 / (3.14159265358979323846 * pow(smoothing[i], 3));
            assert_between(density[i] / sum, 1 - 1e-12, 1 + 1e-12);
        }
        ky_bodies_free(&bodies);
    }
}

/* ---- groups ---- */

static struct ky_catalogue find(const struct ky_parameters *parameters,
                                const struct ky_bodies *bodies, double length, uint64_t minimum)
{
    struct ky_catalogue catalogue = {0};
    struct ky_catalogue_parameters wanted;
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = length;
    wanted.minimum = minimum;
    assert_ok(ky_catalogue_make(parameters, &wanted, bodies, &catalogue, NULL, &error));
    return catalogue;
}

static void groups_are_those_of_nearest_images(void **state)
{
    (void)state;
    static const double parts[] = {1e-6, 0.01, 0.04, 0.1, 0.3, 0.5}, sides[] = {1, 3.7, 0x1p73};
    static const size_t numbers[] = {0, 1, 2, 3, 17, 150};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < 6; k++)
            for (int part = 0; part < 6; part++) {
                const size_t n = numbers[k];
                const double side = sides[part % 3], length = parts[part] * side;
                struct ky_bodies bodies = box_make(kinds[kind], n, side);
                const struct ky_parameters parameters = box_parameters(side, part);
                size_t *root = malloc((n + 1) * sizeof *root), groups = 0;
                struct ky_catalogue found = find(&parameters, &bodies, length, 1);
                join_pairs(&bodies, length, side, (double)INFINITY, root);
                assert_int_equal(found.members, n);
                for (size_t g = 0; g < found.groups; g++)
                    for (size_t b = found.offset[g]; b < found.offset[g + 1]; b++)
                        assert_int_equal(root[found.body[b]], found.body[found.offset[g]]);
                for (size_t i = 0; i < n; i++)
                    groups += root[i] == i;
                assert_int_equal(found.groups, groups);
                free(root);
                ky_catalogue_free(&found);
                ky_bodies_free(&bodies);
            }
}

/* Bodies on a fine grid, which no shift rounds. */
static struct ky_bodies on_grid(size_t n)
{
    struct ky_bodies bodies = box_make(PLUMMER, n, 1);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] =
                ldexp(rint(ldexp(bodies.position[i][c] + (i % 3 ? 0 : 0.3), 20)), -20);
    return bodies;
}

/* The same groups with all bodies moved by parts of the box or by whole boxes, and their centres
 * within the box. */
static void shifts_leave_groups_unchanged(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const double shifts[][3] = {
        {0.5, 0.25, 0.9375}, {3, -2, 1}, {-0.0625, 0.125, -7.5}, {0.0625, 0, 0}};
    const struct ky_parameters parameters = box_parameters(1, 0);
    struct ky_bodies bodies = on_grid(N);
    struct ky_catalogue first = find(&parameters, &bodies, 0.006, 5);
    assert_true(first.groups > 3);
    int over_corner = 0;
    for (size_t g = 0; g < first.groups; g++)
        for (int c = 0; c < 3; c++) {
            assert_true(first.centre[g][c] >= 0 && first.centre[g][c] < 1);
            over_corner += first.radius[g] > fmin(first.centre[g][c], 1 - first.centre[g][c]);
        }
    assert_true(over_corner >= 3);
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
        struct ky_bodies moved = on_grid(N);
        for (size_t i = 0; i < N; i++)
            for (int c = 0; c < 3; c++)
                moved.position[i][c] += shifts[s][c];
        struct ky_catalogue again = find(&parameters, &moved, 0.006, 5);
        assert_int_equal(again.groups, first.groups);
        assert_memory_equal(again.offset, first.offset, (first.groups + 1) * sizeof *first.offset);
        assert_memory_equal(again.body, first.body, first.members * sizeof *first.body);
        for (size_t g = 0; g < first.groups; g++) {
            assert_between(again.radius[g] / first.radius[g], 1 - 1e-12, 1 + 1e-12);
            for (int c = 0; c < 3; c++)
                assert_between(remainder(again.centre[g][c] - first.centre[g][c] - shifts[s][c], 1),
                               -1e-14, 1e-14);
        }
        ky_catalogue_free(&again);
        ky_bodies_free(&moved);
    }
    ky_catalogue_free(&first);
    ky_bodies_free(&bodies);
}

/* Without a length it is a fifth of the box over the cube root of the number, however clustered the
 * bodies. */
static void the_mean_distance_is_that_of_the_box(void **state)
{
    (void)state;
    struct ky_bodies bodies = box_make(PLUMMER, 1000, 2);
    const struct ky_parameters parameters = box_parameters(2, 0);
    struct ky_catalogue found = find(&parameters, &bodies, NAN, 20);
    assert_between(found.mean_distance, 0.2 - 1e-15, 0.2 + 1e-15);
    assert_true(found.linking_length == 0.2 * found.mean_distance);
    ky_catalogue_free(&found);
    ky_bodies_free(&bodies);
}

/* ---- actions of a program's own ---- */

#include "enclosed.h"
#include "peers.h"
KY_CPU_ACTION(enclosed, KY_NEEDS_RADIUS | KY_DUAL)
KY_CPU_JOINING(peers, KY_NEEDS_RADIUS | KY_JOINS)

static void own_actions_see_nearest_images(void **state)
{
    (void)state;
    enum { N = 600 };
    static const double radii[] = {0.02, 0.12, 0.5};
    static double mass[N];
    static uint32_t group[N];
    static size_t root[N];
    for (int k = 0; k < 6; k++) {
        const struct ky_parameters parameters = box_parameters(1, k);
        struct ky_parameters resolved;
        struct ky_bodies bodies = box_make(k < 3 ? CUBE : PLUMMER, N, 1);
        struct ky_engine *engine;
        struct ky_walk_request request = {
            .n = N, .radius = &radii[k % 3], .radii = 1, .results = mass};
        for (size_t i = 0; i < N; i++)
            bodies.mass[i] = pow(2.5, (double)(i % 5));
        assert_ok(ky_force_resolve(&parameters, &resolved, &error));
        assert_ok(ky_engine_open(&resolved, N, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_cpu_walk_action((struct ky_cpu *)engine, &ky_cpu_enclosed, &request, &error));
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                if (j != i && image2(&bodies, i, j, 1) <= radii[k % 3] * radii[k % 3])
                    sum += bodies.mass[j];
            assert_between(mass[i] - sum, -1e-6 * sum, 1e-6 * sum); /* moments are floats */
        }
        request.results = NULL;
        request.group = group;
        assert_ok(ky_cpu_join_action((struct ky_cpu *)engine, &ky_cpu_peers, &request, &error));
        join_pairs(&bodies, radii[k % 3], 1, 2, root);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(group[i], root[i]);
        ky_engine_close(engine);
        ky_bodies_free(&bodies);
    }
}

/* ---- in a simulation ---- */

/* Leapfrog and block steps, after which bodies have crossed faces. */
static void check_simulation(const struct ky_parameters *parameters, size_t n)
{
    struct ky_bodies bodies = box_make(CUBE, n, 1), now = {0};
    struct ky_sim *sim;
    struct ky_pairs pairs = {.size = sizeof pairs};
    struct ky_neighbour_lists lists;
    const double radius = 0.06;
    assert_ok(ky_sim_open(parameters, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 5, &error));
    assert_ok(ky_bodies_allocate(&now, n, 0, &error));
    assert_ok(ky_sim_bodies(sim, &now, &error));
    assert_ok(ky_sim_pairs(sim, &radius, 1, &pairs, NULL, &error));
    assert_ok(ky_sim_neighbours(sim, &radius, 1, NULL, &lists, NULL, &error));
    size_t found = 0, over_faces = 0, near = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double r2 = image2(&now, i, j, 1);
            near += r2 <= radius * radius;
            if (!(r2 < 4 * radius * radius))
                continue;
            assert_true(found < pairs.count);
            assert_true(pairs.index[found][0] == i && pairs.index[found][1] == j);
            assert_between(pairs.distance[found] - sqrt(r2), -1e-14, 1e-14);
            over_faces += fabs(now.position[i][0] - now.position[j][0]) > 0.5;
            found++;
        }
    assert_int_equal(found, pairs.count);
    assert_true(over_faces > 0);
    assert_int_equal(lists.offset[n], 2 * near);
    const double quarter = 0.2501;
    struct ky_pairs none = {.size = sizeof none};
    assert_int_equal(ky_sim_pairs(sim, &quarter, 1, &none, NULL, &error), KY_USAGE);
    ky_pairs_free(&pairs);
    ky_neighbour_lists_free(&lists);
    ky_sim_close(sim);
    ky_bodies_free(&now);
    ky_bodies_free(&bodies);
}

static void simulations_search_their_box(void **state)
{
    (void)state;
    enum { N = 400 };
    static const size_t numbers[] = {N, 100}; /* pairs by a walk and by a loop */
    for (int k = 0; k < 4; k++) {
        struct ky_parameters parameters = box_parameters(1, 0);
        parameters.softening = 0.02;
        parameters.integrator = k % 2 ? KY_BLOCK_STEPS : KY_LEAPFROG;
        parameters.step = 1.0 / 64;
        check_simulation(&parameters, numbers[k / 2]);
    }
}

static void simulations_on_devices_search_their_box(void **state)
{
    (void)state;
    need_a_device();
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters parameters = box_parameters(1, 0);
        parameters.engine = engines[e].engine;
        parameters.force = KY_DIRECT;
        parameters.softening = 0.02;
        parameters.step = 1.0 / 64;
        check_simulation(&parameters, 400);
    }
}

/* ---- what is refused ---- */

static void more_than_half_of_the_box_is_refused(void **state)
{
    (void)state;
    struct ky_bodies bodies = box_make(CUBE, 30, 2);
    const struct ky_parameters parameters = box_parameters(2, 0);
    const double radius = 1.0001, good = 0.3;
    double out[120];
    struct ky_neighbour_lists lists;
    struct ky_catalogue found = {0};
    struct ky_catalogue_parameters wanted;
    struct ky_walk_input input = {.size = sizeof input, .radius = &radius, .radii = 1};
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = radius;
    assert_int_equal(ky_neighbours(&parameters, &bodies, &radius, 1, NULL, &lists, NULL, &error),
                     KY_USAGE);
    assert_non_null(strstr(error.text, "half of the periodic box"));
    assert_null(lists.offset);
    assert_int_equal(ky_walk(&parameters, &bodies, "count", &input, out, NULL, &error), KY_USAGE);
    assert_int_equal(ky_catalogue_make(&parameters, &wanted, &bodies, &found, NULL, &error),
                     KY_USAGE);
    assert_int_equal(ky_sph_density(&parameters, &bodies, 29, out, NULL, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "take fewer neighbours"));
    input.radius = &good;
    assert_ok(ky_walk(&parameters, &bodies, "count", &input, out, NULL, &error));
    assert_int_equal(ky_walk(&parameters, &bodies, "gravity", &input, out, NULL, &error),
                     KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "use the forces"));
    ky_bodies_free(&bodies);
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 3000 };
    static double density[2][N];
    struct ky_bodies bodies = box_make(PLUMMER, N, 1);
    struct ky_catalogue found[2];
    for (int k = 0; k < 2; k++) {
        struct ky_parameters parameters = box_parameters(1, 0);
        parameters.threads = 1 + 2 * k;
        assert_ok(ky_sph_density(&parameters, &bodies, 20, density[k], NULL, NULL, &error));
        found[k] = find(&parameters, &bodies, 0.004, 5);
    }
    assert_memory_equal(density[0], density[1], sizeof density[0]);
    assert_int_equal(found[0].groups, found[1].groups);
    assert_memory_equal(found[0].body, found[1].body, found[0].members * sizeof *found[0].body);
    assert_memory_equal(found[0].centre, found[1].centre,
                        found[0].groups * sizeof *found[0].centre);
    for (int k = 0; k < 2; k++)
        ky_catalogue_free(&found[k]);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_those_of_nearest_images),
        cmocka_unit_test(the_surface_belongs_to_the_sphere),
        cmocka_unit_test(the_nearest_are_nearest_images),
        cmocka_unit_test(densities_are_those_of_nearest_images),
        cmocka_unit_test(groups_are_those_of_nearest_images),
        cmocka_unit_test(shifts_leave_groups_unchanged),
        cmocka_unit_test(the_mean_distance_is_that_of_the_box),
        cmocka_unit_test(own_actions_see_nearest_images),
        cmocka_unit_test(simulations_search_their_box),
        cmocka_unit_test(simulations_on_devices_search_their_box),
        cmocka_unit_test(more_than_half_of_the_box_is_refused),
        cmocka_unit_test(threads_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
