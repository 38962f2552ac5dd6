/* Searches in periodic boxes on devices against loops over all pairs with the nearest image of each
 * body, in every precision, with bodies at corners and faces of boxes that floats do not hold. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "box_pairs.h"
#include "engines.h"
#include "guard.h"
#include "kernels.h"

static struct ky_error error;

/* ---- bodies and what floats know of them ---- */

/* Another case for each number: sides, precisions, trees, leaves and curves in turns. */
static const double sides[] = {1, 3.7, 0x1.234567p73, 0x1.fp-40};

static struct ky_parameters parameters_for(int engine, int which)
{
    struct ky_parameters parameters = box_parameters(sides[which % 4], which);
    parameters.engine = engines[engine].engine;
    parameters.precision = which % 3;
    parameters.tree = which % 7 == 3 ? KY_TREE_OF_HOST : KY_TREE_BY_ENGINE;
    return parameters;
}

/* 1 if case `which` is tried on the engine. On a processor that serves as a device check takes one
 * of `part` cases, or none, since every search has kernels of its own. */
enum { NONE = 0 };
static int takes(int engine, int which, int part)
{
    return !takes_few_kernels(engines[engine].engine) || (part != NONE && which % part == 0);
}

/* Bodies of one kind; of TIGHT a cloud about the corner, in which floats of the positions alone
 * would not tell one body from another. */
enum { TIGHT = CLOUDS };
static const int shapes[] = {CUBE, PLUMMER, LINE, POINT, PAIRS, TIGHT};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct ky_bodies make(int shape, size_t n, double side)
{
    return shape == TIGHT ? box_cloud(PLUMMER, n, side, 1e-7 * side)
                          : box_make((enum cloud)shape, n, side);
}

/* The uncertainty of a distance r. Single precision has the digits of near pairs alone. */
static double slack(const struct ky_parameters *parameters, double r)
{
    const double side = parameters->box;
    if (parameters->precision == KY_DOUBLE)
        return 1e-15 * side;
    const double near = 1e-6 * r + 1e-13 * side;
    return parameters->precision == KY_SINGLE && r > 0.003 * side ? near + 3e-7 * side : near;
}

static double image(const struct ky_bodies *bodies, size_t i, size_t j, double side)
{
    return sqrt(image2(bodies, i, j, side));
}

/* ---- neighbours ---- */

static void check_list(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                       size_t i, double radius, const uint32_t *list, size_t count)
{
    const double open = slack(parameters, radius);
    size_t next = 0;
    for (size_t j = 0; j < bodies->n; j++) {
        const double r = image(bodies, i, j, parameters->box);
        const int listed = next < count && list[next] == j;
        if (listed ? j == i || r > radius + open : j != i && r < radius - open)
            fail_msg("%s, precision %d, box %g: body %zu at %.9g, radius %.9g, is%s listed",
                     parameters->engine, (int)parameters->precision, parameters->box, j,
                     r / parameters->box, radius / parameters->box, listed ? "" : " not");
        next += (size_t)listed;
    }
    assert_int_equal(next, count); /* in order, without repetition */
}

static void check_neighbours(const struct ky_parameters *wanted, const struct ky_bodies *bodies,
                             const double *radius, size_t radii)
{
    const struct ky_parameters parameters = for_search(wanted, NEIGHBOURS);
    struct ky_neighbour_lists lists;
    struct ky_force_report report = {0};
    const size_t n = bodies->n;
    uint32_t *count = malloc((n + 1) * sizeof *count);
    assert_ok(ky_neighbours(&parameters, bodies, radius, radii, count, &lists, &report, &error));
    assert_string_equal(report.engine, strcspn(parameters.engine, ":") == 4 ? "cuda" : "opencl");
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(count[i], lists.offset[i + 1] - lists.offset[i]);
        check_list(&parameters, bodies, i, radius[radii == 1 ? 0 : i], lists.body + lists.offset[i],
                   count[i]);
    }
    free(count);
    ky_neighbour_lists_free(&lists);
}

static void neighbours_are_those_of_nearest_images(void **state)
{
    (void)state;
    static const double parts[] = {0, 2e-7, 0.013, 0.31, 0.5};
    static const size_t numbers[] = {0, 1, 2, 3, 150, 333};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int which = 0; which < SHAPES * 30; which++) {
        if (!takes(e, which, 13))
            continue;
        const struct ky_parameters parameters = parameters_for(e, which);
        const double radius = parts[which % 5] * parameters.box;
        struct ky_bodies bodies = make(shapes[which / 30], numbers[which % 30 / 5], parameters.box);
        check_neighbours(&parameters, &bodies, &radius, 1);
        ky_bodies_free(&bodies);
    }
}

/* From no neighbours to those within half of the box. */
static void every_body_may_have_its_radius(void **state)
{
    (void)state;
    enum { N = 400 };
    double radius[N];
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int which = 0; which < 6; which++) {
        if (!takes(e, which, 5))
            continue;
        const struct ky_parameters parameters = parameters_for(e, which);
        struct ky_bodies bodies = make(which < 3 ? CUBE : PLUMMER, N, parameters.box);
        for (int i = 0; i < N; i++)
            radius[i] = parameters.box * (i % 50 == 0 ? 0 : i % 51 == 0 ? 0.5 : 0.0003 * (i % 300));
        check_neighbours(&parameters, &bodies, radius, N);
        ky_bodies_free(&bodies);
    }
}

/* On a lattice bodies are exactly a radius apart, over faces, edges and corners too, and half of
 * the box, where two images are at the same distance. */
static void the_surface_belongs_to_the_sphere(void **state)
{
    (void)state;
    enum { SIDE = 6, N = SIDE * SIDE * SIDE };
    static const double radii[] = {1, 1.5, 2, 3};
    static const uint32_t counts[] = {6, 18, 32, 119};
    uint32_t count[N];
    need_a_device();
    struct ky_bodies bodies = box_lattice(SIDE);
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 4; k++) {
        struct ky_parameters parameters = box_parameters(SIDE, k);
        parameters.engine = engines[e].engine;
        parameters.precision = for_search(&parameters, NEIGHBOURS).precision;
        assert_ok(ky_neighbours(&parameters, &bodies, &radii[k], 1, count, NULL, NULL, &error));
        for (size_t i = 0; i < N; i++)
            assert_int_equal(count[i], counts[k]);
    }
    ky_bodies_free(&bodies);
}

/* ---- the k nearest ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distance of the k-th nearest image of another body. */
static double kth(const struct ky_bodies *bodies, size_t i, size_t k, double side, double *work)
{
    for (size_t j = 0; j < bodies->n; j++)
        work[j] = j == i ? -1 : image(bodies, i, j, side);
    qsort(work, bodies->n, sizeof *work, by_size);
    return work[k];
}

/* Distances in ascending order, and each that of the body. */
static void check_nearest(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                          size_t k)
{
    const size_t n = bodies->n;
    const double side = parameters->box;
    uint32_t *index = malloc(n * k * sizeof *index);
    double *distance = malloc(n * k * sizeof *distance), *work = malloc(n * sizeof *work);
    assert_ok(ky_nearest(parameters, bodies, k, index, distance, NULL, &error));
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < k; m++) {
            const size_t at = i * k + m;
            const double exact = kth(bodies, i, m + 1, side, work), open = slack(parameters, exact);
            assert_true(index[at] != i && index[at] < n);
            for (size_t other = i * k; other < at; other++)
                assert_true(index[other] != index[at]);
            assert_between(distance[at], exact - open, exact + open);
            assert_between(image(bodies, i, index[at], side), exact - open, exact + open);
        }
    free(index);
    free(distance);
    free(work);
}

static void check_densities(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                            size_t k)
{
    static const double bounds[] = {1e-4, 1e-5, 1e-12};
    const size_t n = bodies->n;
    const double side = parameters->box, bound = bounds[parameters->precision];
    double *density = malloc(n * sizeof *density), *h = malloc(n * sizeof *h),
           *work = malloc(n * sizeof *work);
    assert_ok(ky_sph_density(parameters, bodies, k, density, h, NULL, &error));
    for (size_t i = 0; i < n; i++) {
        const double exact = kth(bodies, i, k, side, work), open = slack(parameters, exact);
        double sum = 0;
        assert_between(h[i], exact - open, exact + open);
        for (size_t j = 0; j < n; j++)
            sum += bodies->mass[j] * box_spline(image(bodies, i, j, side) / exact);
        sum *= 8 / (3.14159265358979323846 * pow(exact, 3));
        if (open < 1e-5 * exact)
            assert_between(density[i] / sum, 1 - bound, 1 + bound);
    }
    free(density);
    free(h);
    free(work);
}

/* Also with so few bodies that the last of them is more than half of the box away, for which no
 * density is defined. */
static void the_nearest_are_nearest_images(void **state)
{
    (void)state;
    static const struct {
        size_t n, k;
        int has_density;
    } cases[] = {{201, 9, 1}, {300, 33, 1}, {150, 8, 1}, {40, 7, 1}, {12, 11, 0}, {2, 1, 0}};
    static const int kind[] = {CUBE, PLUMMER, LINE, TIGHT};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int which = 0; which < 4 * 6; which++) {
        if (!takes(e, which, NONE))
            continue;
        const struct ky_parameters wanted = parameters_for(e, which),
                                   parameters = for_search(&wanted, DENSITIES);
        const size_t k = cases[which % 6].k;
        struct ky_bodies bodies = make(kind[which / 6], cases[which % 6].n, parameters.box);
        check_nearest(&parameters, &bodies, k);
        if (cases[which % 6].has_density)
            check_densities(&parameters, &bodies, k);
        ky_bodies_free(&bodies);
    }
}

/* ---- groups ---- */

/* The groups of all pairs within the length, and 1 unless the length is so near to a distance that
 * the precision matters. */
static int join(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                double length, size_t *root)
{
    const double side = parameters->box, open = slack(parameters, length);
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t j = 0; j < i; j++) {
            const double r = image(bodies, i, j, side);
            if (r > length - open && r < length + open)
                return 0;
        }
    join_pairs(bodies, length, side, (double)INFINITY, root);
    return 1;
}

static void groups_are_those_of_nearest_images(void **state)
{
    (void)state;
    enum { N = 600 };
    static const double lengths[] = {0.01, 0.04, 0.11, 0.5};
    static size_t root[N];
    static uint32_t group[N];
    int tried = 0;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int which = 0; which < SHAPES * 4; which++) {
        if (!takes(e, which, 5))
            continue;
        const struct ky_parameters wanted = parameters_for(e, which),
                                   parameters = for_search(&wanted, FRIENDS);
        struct ky_walk_input input = {.size = sizeof input, .radii = 1};
        const int shape = shapes[which / 4];
        const double length = parameters.box * lengths[which % 4] * (shape == TIGHT ? 1e-6 : 1);
        struct ky_bodies bodies = make(shape, N, parameters.box);
        double *results = malloc(N * sizeof *results);
        input.radius = &length;
        assert_ok(ky_walk(&parameters, &bodies, "friends", &input, results, NULL, &error));
        if (join(&parameters, &bodies, length, root)) {
            tried++;
            for (size_t i = 0; i < N; i++) {
                group[i] = (uint32_t)results[i];
                assert_int_equal(group[i], root[i]);
            }
        }
        free(results);
        ky_bodies_free(&bodies);
    }
    assert_true(tried >= 3);
}

/* ---- around a search ---- */

/* Compares a search of the simulation with all pairs; the bodies have moved across faces. */
static void check_simulation(const struct ky_parameters *parameters, struct ky_sim *sim, size_t n)
{
    struct ky_bodies now = {0};
    struct ky_neighbour_lists lists;
    struct ky_force_report report = {0};
    const double radius = 0.06;
    int over_faces = 0;
    assert_ok(ky_bodies_allocate(&now, n, 0, &error));
    assert_ok(ky_sim_bodies(sim, &now, &error));
    assert_ok(ky_sim_neighbours(sim, &radius, 1, NULL, &lists, &report, &error));
    assert_string_equal(report.engine, strcspn(parameters->engine, ":") == 4 ? "cuda" : "opencl");
    for (size_t i = 0; i < n; i++) {
        const size_t *of = &lists.offset[i];
        check_list(parameters, &now, i, radius, lists.body + of[0], of[1] - of[0]);
        for (size_t k = of[0]; k < of[1]; k++)
            over_faces += fabs(now.position[i][0] - now.position[lists.body[k]][0]) > 0.5;
    }
    assert_true(over_faces > 0);
    ky_neighbour_lists_free(&lists);
    ky_bodies_free(&now);
}

/* Their engine searches, which leaves no trace in later steps. Groups of fmm have more bodies than
 * the groups of a search. */
static void simulations_search_on_their_device(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const int forces[] = {KY_DIRECT, KY_FMM, KY_TREE};
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int which = 0; which < (takes_few_kernels(engines[e].engine) ? 0 : 3); which++) {
        struct ky_parameters parameters = box_parameters(1, 0);
        struct ky_bodies bodies = box_make(CUBE, N, 1), now[2] = {{0}};
        parameters.engine = engines[e].engine;
        parameters.force = forces[which];
        parameters.precision = KY_SINGLE;
        parameters.softening = 0.02;
        parameters.step = 1.0 / 64;
        for (int searches = 0; searches < 2; searches++) {
            struct ky_sim *sim;
            assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 4, &error));
            if (searches)
                check_simulation(&parameters, sim, N);
            assert_ok(ky_sim_advance(sim, 1, &error));
            if (searches)
                check_simulation(&parameters, sim, N);
            assert_ok(ky_bodies_allocate(&now[searches], N, 0, &error));
            assert_ok(ky_sim_bodies(sim, &now[searches], &error));
            ky_sim_close(sim);
        }
        assert_memory_equal(now[0].position, now[1].position, N * sizeof *now[0].position);
        assert_memory_equal(now[0].velocity, now[1].velocity, N * sizeof *now[0].velocity);
        ky_bodies_free(&now[0]);
        ky_bodies_free(&now[1]);
        ky_bodies_free(&bodies);
    }
}

static void nothing_is_written_around_buffers(void **state)
{
    (void)state;
    need_a_device();
    guard_begin(1);
    FOR_DEVICES(e, 1)
    for (int which = 0; which < 3; which++) {
        if (!takes(e, which, NONE))
            continue;
        const struct ky_parameters parameters = parameters_for(e, which),
                                   dense = for_search(&parameters, DENSITIES);
        const double radius = (which ? 0.05 : 0.5) * parameters.box;
        struct ky_bodies bodies = make(CUBE, 193, parameters.box);
        check_neighbours(&parameters, &bodies, &radius, 1);
        check_densities(&dense, &bodies, 8);
        ky_bodies_free(&bodies);
    }
    guard_end();
    assert_int_equal(guard.overruns, 0);
    assert_int_equal(guard.changes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_those_of_nearest_images),
        cmocka_unit_test(every_body_may_have_its_radius),
        cmocka_unit_test(the_surface_belongs_to_the_sphere),
        cmocka_unit_test(the_nearest_are_nearest_images),
        cmocka_unit_test(groups_are_those_of_nearest_images),
        cmocka_unit_test(simulations_search_on_their_device),
        cmocka_unit_test(nothing_is_written_around_buffers),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
