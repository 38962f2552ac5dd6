/* Groups by friends of friends on every engine, against groups by all pairs; the linking length;
 * the files of a catalogue. */
#include "snapshot.h"

#include "all_pairs.h"
#include "clouds.h"
#include "engine/cpu/forces/action.h"
#include "engine/force_options.h"
#include "engines.h"

#ifdef KY_HAVE_HDF5
#include <hdf5.h>
#endif

static struct ky_parameters parameters_of(int engine)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engines[engine].engine;
    return parameters;
}

static struct ky_catalogue_parameters wanted_of(double length, uint64_t minimum)
{
    struct ky_catalogue_parameters wanted;
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = length;
    wanted.minimum = minimum;
    return wanted;
}

static struct ky_catalogue find(const struct ky_parameters *parameters,
                                const struct ky_bodies *bodies, double length, uint64_t minimum)
{
    struct ky_error error = {0};
    struct ky_catalogue catalogue = {0};
    struct ky_catalogue_parameters wanted = wanted_of(length, minimum);
    assert_ok(ky_catalogue_make(parameters, &wanted, bodies, &catalogue, NULL, &error));
    return catalogue;
}

/* ---- against all pairs ---- */

/* The smallest index of the group of each body, by joining all pairs whose masses differ by at most
 * this factor. */
static void join_pairs(const struct ky_bodies *bodies, double length, double factor, size_t *root)
{
    const double *m = bodies->mass;
    for (size_t i = 0; i < bodies->n; i++)
        root[i] = i;
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t j = 0; j < i; j++) {
            if (!(pair2(bodies, i, j) <= length * length) || root[i] == root[j] ||
                m[i] > factor * m[j] || m[j] > factor * m[i])
                continue;
            size_t low = root[i] < root[j] ? root[i] : root[j], high = root[i] + root[j] - low;
            for (size_t k = 0; k <= i; k++)
                root[k] = root[k] == high ? low : root[k];
        }
}

static void join_all_pairs(const struct ky_bodies *bodies, double length, size_t *root)
{
    join_pairs(bodies, length, (double)INFINITY, root);
}

/* Fails unless every body is in the group that the pairs give. Groups have `minimum` bodies or
 * more, and are in order, as are their bodies. */
static void check_groups(const struct ky_bodies *bodies, const size_t *root,
                         const struct ky_catalogue *catalogue, uint64_t minimum)
{
    size_t members = 0, n = bodies->n, *count = calloc(n + 1, sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[root[i]]++;
    for (size_t i = 0; i < n; i++)
        members += count[root[i]] >= minimum;
    assert_int_equal(catalogue->members, members);
    assert_int_equal(catalogue->offset[0], 0);
    assert_int_equal(catalogue->offset[catalogue->groups], members);
    for (size_t g = 0; g < catalogue->groups; g++) {
        const uint32_t *body = catalogue->body + catalogue->offset[g];
        size_t its = catalogue->offset[g + 1] - catalogue->offset[g], first = body[0];
        assert_true(its >= minimum);
        assert_int_equal(its, count[first]); /* `first` is its own root: the smallest index */
        for (size_t k = 0; k < its; k++) {
            assert_int_equal(root[body[k]], first);
            assert_true(k == 0 || body[k] > body[k - 1]);
        }
        size_t before = g ? catalogue->offset[g] - catalogue->offset[g - 1] : its;
        assert_true(before >= its);
        assert_true(!g || before > its || catalogue->body[catalogue->offset[g - 1]] < first);
    }
    free(count);
}

static void compare_with_pairs(const struct ky_parameters *parameters,
                               const struct ky_bodies *bodies, double length)
{
    size_t *root = malloc((bodies->n + 1) * sizeof *root);
    join_all_pairs(bodies, length, root);
    for (uint64_t minimum = 1; minimum < 6; minimum += 4) {
        struct ky_catalogue catalogue = find(parameters, bodies, length, minimum);
        check_groups(bodies, root, &catalogue, minimum);
        ky_catalogue_free(&catalogue);
        assert_null(catalogue.body);
    }
    free(root);
}

static void groups_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int which = 0; which < CLOUDS * 6; which++) {
            static const double lengths[] = {1e-9, 0.02, 0.1, 0.3, 1.5, 1e9};
            struct ky_bodies bodies =
                cloud_make((enum cloud)(which / 6), is_cpu_engine(e) ? 500 : 150);
            struct ky_parameters parameters = parameters_of(e);
            parameters.leaf = which % 3 ? 16 : 1;
            parameters.group = which % 2 ? 64 : 5;
            parameters.curve = which % 4 ? KY_HILBERT : KY_MORTON;
            parameters.tree =
                which % 5 == 3 && !is_cpu_engine(e) ? KY_TREE_OF_HOST : KY_TREE_BY_ENGINE;
            compare_with_pairs(&parameters, &bodies, lengths[which % 6]);
            ky_bodies_free(&bodies);
        }
}

/* Bodies at multiples of `step` along x, with shuffled indices. */
static struct ky_bodies chain(size_t n, double step)
{
    struct ky_bodies bodies = cloud_make(POINT, n);
    for (size_t i = 0; i < n; i++)
        bodies.position[i][0] = step * (double)(i * 787 % n);
    return bodies;
}

/* Two bodies exactly one linking length apart are friends, in units of any size. Labels have to
 * travel along a chain of many links. */
static void a_chain_is_one_group(void **state)
{
    (void)state;
    enum { N = 1024 };
    static const double steps[] = {0x1p-70, 0.375, 0x1p70};
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < 3; k++) {
            struct ky_bodies bodies = chain(N, steps[k]);
            struct ky_parameters parameters = parameters_of(e);
            struct ky_catalogue one = find(&parameters, &bodies, steps[k], 1),
                                all = find(&parameters, &bodies, steps[k] * (1 - 1e-15), 1);
            assert_int_equal(one.groups, 1);
            assert_int_equal(one.members, N);
            assert_int_equal(all.groups, N);
            ky_catalogue_free(&one);
            ky_catalogue_free(&all);
            ky_bodies_free(&bodies);
        }
}

/* Two dense clumps, three linking lengths apart, and bodies between them. All bodies of a clump are
 * friends. */
static void a_bridge_joins_two_clumps(void **state)
{
    (void)state;
    enum { N = 602 };
    for (int e = 0; e < engine_count; e++) {
        struct ky_bodies bodies = cloud_make(CUBE, N);
        struct ky_parameters parameters = parameters_of(e);
        for (size_t i = 0; i < N; i++)
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = 0.1 * bodies.position[i][c] + (i % 2 && !c ? 3 : 0);
        for (int bridge = 0; bridge < 2; bridge++) {
            for (int k = 0; k < 2; k++) { /* the last two bodies are in the clumps or between */
                bodies.position[N - 2 + k][0] = bridge ? 1 + k : 3 * k;
                bodies.position[N - 2 + k][1] = bodies.position[N - 2 + k][2] = 0;
            }
            struct ky_catalogue catalogue = find(&parameters, &bodies, 1.0, 20);
            assert_int_equal(catalogue.groups, bridge ? 1 : 2);
            assert_int_equal(catalogue.members, N);
            assert_int_equal(catalogue.body[0], 0);
            ky_catalogue_free(&catalogue);
        }
        ky_bodies_free(&bodies);
    }
}

static void few_bodies_are_served(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (size_t n = 0; n < 4; n++)
            for (int kind = 0; kind < 2; kind++) {
                struct ky_bodies bodies = cloud_make(kind ? POINT : CUBE, n);
                struct ky_parameters parameters = parameters_of(e);
                compare_with_pairs(&parameters, &bodies, 1e-3);
                compare_with_pairs(&parameters, &bodies, 1e3);
                ky_bodies_free(&bodies);
            }
}

/* A zigzag of four bodies, each of which is a friend of the next one alone. One cell may hold the
 * first and the third body, and another cell the second and the fourth. Then the two inner bodies
 * have each other's cell within reach. If the cell acted as a whole, by its outer body, the link of
 * the inner two would be lost. Four more bodies lie about, and move the cells. */
static void cells_are_opened_where_their_bodies_are_no_friends(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (uint32_t trial = 0; trial < (is_cpu_engine(e) ? 300 : 40); trial++) {
            struct ky_random random = ky_random_at(7, trial, 0);
            struct ky_bodies bodies = cloud_make(POINT, 8);
            struct ky_parameters parameters = parameters_of(e);
            parameters.leaf = 2;
            parameters.group = 1;
            parameters.threads = 1;
            for (size_t i = 0; i < bodies.n; i++) {
                double *x = bodies.position[i];
                for (int c = 0; c < 3; c++)
                    x[c] = 3 + 3 * ky_random_uniform(&random) * (i % 2 ? 1 : -3);
                if (i < 4)
                    x[0] = 0.65 * (double)i, x[1] = i % 2 ? 0.1 : -0.1, x[2] = 0;
            }
            compare_with_pairs(&parameters, &bodies, 1);
            ky_bodies_free(&bodies);
        }
}

/* ---- same bits ---- */

static void check_same(const struct ky_catalogue *a, const struct ky_catalogue *b)
{
    const size_t groups = a->groups;
    assert_int_equal(groups, b->groups);
    assert_memory_equal(a->offset, b->offset, (groups + 1) * sizeof *a->offset);
    assert_memory_equal(a->body, b->body, a->members * sizeof *a->body);
    assert_memory_equal(a->mass, b->mass, groups * sizeof *a->mass);
    assert_memory_equal(a->centre, b->centre, groups * sizeof *a->centre);
    assert_memory_equal(a->velocity, b->velocity, groups * sizeof *a->velocity);
    assert_memory_equal(a->radius, b->radius, groups * sizeof *a->radius);
    assert_memory_equal(a->dispersion, b->dispersion, groups * sizeof *a->dispersion);
}

static void engines_and_threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 6000 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    struct ky_error error = {0};
    struct ky_catalogue first = {0};
    struct ky_catalogue_parameters wanted = wanted_of(NAN, 3);
    wanted.linking_fraction = 0.7;
    for (int e = engine_count - 1; e >= 0; e--)
        for (int threads = 1; threads < 4; threads++) {
            struct ky_parameters parameters = parameters_of(e);
            struct ky_catalogue catalogue = {0};
            parameters.threads = threads;
            assert_ok(ky_catalogue_make(&parameters, &wanted, &bodies, &catalogue, NULL, &error));
            assert_true(catalogue.groups > 20);
            if (!first.body) {
                first = catalogue;
                continue;
            }
            check_same(&first, &catalogue);
            assert_true(first.linking_length == catalogue.linking_length);
            ky_catalogue_free(&catalogue);
        }
    ky_catalogue_free(&first);
    ky_bodies_free(&bodies);
}

/* ---- means, the linking length, errors ---- */

static void means_are_weighted_by_mass(void **state)
{
    (void)state;
    struct ky_parameters parameters = cloud_parameters();
    struct ky_bodies bodies = cloud_make(POINT, 3);
    for (size_t i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            bodies.position[i][c] = c ? 0 : 1e8 + (i == 1);
            bodies.velocity[i][c] = c == 1 ? 8.0 * (i == 1) : 0;
            bodies.mass[i] = i == 2 ? 0 : i == 1 ? 3 : 1;
        }
    struct ky_catalogue catalogue = find(&parameters, &bodies, 1, 2);
    assert_int_equal(catalogue.groups, 1);
    assert_true(catalogue.mass[0] == 4 && catalogue.centre[0][0] == 1e8 + 0.75);
    assert_true(catalogue.velocity[0][0] == 0 && catalogue.velocity[0][1] == 6);
    assert_between(catalogue.radius[0], 0.99999 * sqrt(0.1875), 1.00001 * sqrt(0.1875));
    assert_between(catalogue.dispersion[0], 0.99999 * sqrt(12), 1.00001 * sqrt(12));
    ky_catalogue_free(&catalogue);
    memset(bodies.mass, 0, 3 * sizeof *bodies.mass);
    catalogue = find(&parameters, &bodies, 1, 2);
    assert_true(catalogue.mass[0] == 0);
    assert_between(catalogue.centre[0][0], 1e8 + 0.33333, 1e8 + 0.33334);
    ky_catalogue_free(&catalogue);
    ky_bodies_free(&bodies);
}

/* The mean distance in a lattice with the constant 0.75 is 0.75: exactly by the volume, nearly by
 * the sphere of half of the bodies. One body far away does not matter. */
static void the_mean_distance_is_that_of_a_lattice(void **state)
{
    (void)state;
    enum { SIDE = 16, N = SIDE * SIDE * SIDE };
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_bodies bodies = cloud_make(CUBE, N);
    for (size_t i = 0; i < N; i++) {
        bodies.position[i][0] = 0.75 * (double)(i % SIDE);
        bodies.position[i][1] = 0.75 * (double)(i / SIDE % SIDE);
        bodies.position[i][2] = 0.75 * (double)(i / SIDE / SIDE);
    }
    bodies.position[N - 1][1] = 1e9;
    for (int k = 0; k < 3; k++) {
        struct ky_catalogue catalogue = {0};
        struct ky_catalogue_parameters wanted = wanted_of(NAN, 20);
        wanted.volume = k == 1 ? pow(0.75 * SIDE, 3) : (double)NAN;
        wanted.linking_fraction = k == 2 ? 1.1 : 0.9;
        assert_ok(ky_catalogue_make(&parameters, &wanted, &bodies, &catalogue, NULL, &error));
        double slack = k == 1 ? 1e-14 : 0.03;
        assert_between(catalogue.mean_distance, 0.75 * (1 - slack), 0.75 * (1 + slack));
        assert_true(catalogue.linking_length == wanted.linking_fraction * catalogue.mean_distance);
        assert_int_equal(catalogue.members, k == 2 ? N - 1 : 0);
        ky_catalogue_free(&catalogue);
    }
    ky_bodies_free(&bodies);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters = cloud_parameters();
    struct ky_bodies bodies = cloud_make(CUBE, 30), point = cloud_make(POINT, 30),
                     one = cloud_make(CUBE, 1);
    const struct {
        const struct ky_bodies *bodies;
        double length, fraction, volume;
        uint64_t minimum;
        enum ky_status status;
        const char *says;
    } cases[] = {
        {&bodies, 0, 0.2, NAN, 20, KY_USAGE, "linking length is 0"},
        {&bodies, -1, 0.2, NAN, 20, KY_USAGE, "linking length is -1"},
        {&bodies, INFINITY, 0.2, NAN, 20, KY_USAGE, "positive and finite"},
        {&bodies, NAN, 0, NAN, 20, KY_USAGE, "linking fraction is 0"},
        {&bodies, NAN, NAN, NAN, 20, KY_USAGE, "neither"},
        {&bodies, NAN, 0.2, -3, 20, KY_USAGE, "volume is -3"},
        {&bodies, 1, 0.2, NAN, 0, KY_USAGE, "1 or more"},
        {&point, NAN, 0.2, NAN, 20, KY_BAD_DATA, "give a linking length or a volume"},
        {&one, NAN, 0.2, NAN, 1, KY_BAD_DATA, "1 in all"},
        {&point, NAN, 0.2, 1, 20, KY_OK, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_error error = {0};
        struct ky_catalogue catalogue = {0};
        struct ky_catalogue_parameters wanted = wanted_of(cases[k].length, cases[k].minimum);
        wanted.linking_fraction = cases[k].fraction;
        wanted.volume = cases[k].volume;
        assert_int_equal(
            ky_catalogue_make(&parameters, &wanted, cases[k].bodies, &catalogue, NULL, &error),
            cases[k].status);
        assert_non_null(strstr(error.text, cases[k].says));
        assert_true(!catalogue.body == (cases[k].status != KY_OK));
        ky_catalogue_free(&catalogue);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&point);
    ky_bodies_free(&one);
}

/* The action gives each body the smallest index of its group, on every engine. */
static void the_action_gives_smallest_indices(void **state)
{
    (void)state;
    enum { N = 700 };
    const double radius = 0.15;
    for (int e = 0; e < engine_count; e++) {
        struct ky_error error = {0};
        struct ky_parameters parameters = parameters_of(e);
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_walk_input input = {.size = sizeof input, .radius = &radius, .radii = 1};
        double group[N];
        size_t root[N];
        assert_ok(ky_walk(&parameters, &bodies, "friends", &input, group, NULL, &error));
        join_all_pairs(&bodies, radius, root);
        for (size_t i = 0; i < N; i++)
            assert_true(group[i] == (double)root[i]);
        ky_bodies_free(&bodies);
    }
}

/* Bodies with radii of their own are joined if one of the two radii is enough. Among them are
 * radii of 0 and one that reaches all bodies. */
static void one_of_two_radii_is_enough(void **state)
{
    (void)state;
    enum { N = 400 };
    for (int e = 0; e < engine_count; e++)
        for (int all = 0; all < 2; all++) {
            struct ky_error error = {0};
            struct ky_parameters parameters = parameters_of(e);
            struct ky_bodies bodies = cloud_make(CUBE, N);
            double radius[N], group[N];
            size_t root[N];
            struct ky_walk_input input = {.size = sizeof input, .radius = radius, .radii = N};
            for (size_t i = 0; i < N; i++)
                radius[i] = 0.0005 * (double)(i % 100);
            radius[N / 3] = all ? 5 : 0;
            for (size_t i = 0; i < N; i++)
                root[i] = i;
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < i; j++) {
                    double larger = fmax(radius[i], radius[j]);
                    size_t low = root[i] < root[j] ? root[i] : root[j],
                           high = root[i] + root[j] - low;
                    for (size_t k = 0; k <= i && pair2(&bodies, i, j) <= larger * larger; k++)
                        root[k] = root[k] == high ? low : root[k];
                }
            assert_ok(ky_walk(&parameters, &bodies, "friends", &input, group, NULL, &error));
            for (size_t i = 0; i < N; i++)
                assert_true(group[i] == (double)root[i]);
            assert_true(!all || group[N - 1] == 0);
            ky_bodies_free(&bodies);
        }
}

/* An action of a program's own that joins bodies is a file and a line. */
#include "peers.h"
KY_CPU_JOINING(peers, KY_NEEDS_RADIUS | KY_JOINS)

static void a_new_joining_action_is_one_file_and_a_line(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters(), resolved;
    const double radius = 0.12;
    struct ky_engine *engine;
    struct ky_bodies bodies = cloud_make(CUBE, N);
    uint32_t group[N];
    size_t root[N];
    const struct ky_walk_request request = {.n = N, .radius = &radius, .radii = 1, .group = group};
    for (size_t i = 0; i < N; i++)
        bodies.mass[i] = pow(2.5, (double)(i % 5));
    join_pairs(&bodies, radius, 2, root);
    assert_ok(ky_force_resolve(&parameters, &resolved, &error));
    assert_ok(ky_engine_open(&resolved, N, &engine, &error));
    assert_ok(ky_engine_put(engine, &bodies, &error));
    assert_ok(ky_cpu_join_action((struct ky_cpu *)engine, &ky_cpu_peers, &request, &error));
    size_t groups = 0;
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(group[i], root[i]);
        groups += group[i] == i;
    }
    assert_true(groups > 5 && groups < N / 2);
    ky_engine_close(engine);
    ky_bodies_free(&bodies);
}

/* ---- where work could grow ---- */

/* Bodies of a lattice are exactly one linking length apart, and its cells have faces there. With
 * a length a little shorter each is alone. */
static void a_lattice_at_the_linking_length(void **state)
{
    (void)state;
    enum { SIDE = 9, N = SIDE * SIDE * SIDE };
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < 4; k++) {
            struct ky_parameters parameters = parameters_of(e);
            struct ky_bodies bodies = cloud_make(POINT, N);
            const double step = k % 2 ? 0.1 : 0.25;
            for (size_t i = 0; i < N; i++) {
                bodies.position[i][0] = step * (double)(i % SIDE);
                bodies.position[i][1] = step * (double)(i / SIDE % SIDE);
                bodies.position[i][2] = step * (double)(i / SIDE / SIDE);
            }
            parameters.leaf = k < 2 ? 16 : 1;
            compare_with_pairs(&parameters, &bodies, step);
            struct ky_catalogue all = find(&parameters, &bodies, step * (1 - 1e-12), 1);
            assert_int_equal(all.groups, N);
            ky_catalogue_free(&all);
            ky_bodies_free(&bodies);
        }
}

/* A dense cluster, twins in one place, bodies 1e9 away alone and in a clump: numbers of bodies
 * about those of leaves and lanes. */
static void clumps_and_bodies_far_away(void **state)
{
    (void)state;
    static const size_t numbers[] = {5, 16, 17, 63, 64, 65, 127, 128, 129, 257};
    for (int e = 0; e < engine_count; e++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            struct ky_parameters parameters = parameters_of(e);
            const size_t n = numbers[k];
            struct ky_bodies bodies = cloud_make(k % 2 ? PLUMMER : PAIRS, n);
            for (size_t i = 0; i < n; i++)
                for (int c = 0; c < 3; c++) {
                    bodies.position[i][c] *= i % 3 ? 1 : 1e-3;
                    bodies.position[i][c] += i % 5 == 0 ? 1e9 : 0;
                }
            bodies.position[n - 1][0] = -1e9;
            for (double length = 1e-4; length < 1e11; length *= k % 3 ? 1e5 : 30)
                compare_with_pairs(&parameters, &bodies, length);
            ky_bodies_free(&bodies);
        }
}

/* So many bodies that the cells which threads walk for have neighbours along the curve and across
 * it; groups are those of all pairs with any number of threads. */
static void threads_find_the_groups_of_all_pairs(void **state)
{
    (void)state;
    enum { N = 3500 };
    for (int e = 0; e < engine_count; e++)
        for (int threads = 1; threads < 4 && is_cpu_engine(e); threads++) {
            struct ky_parameters parameters = parameters_of(e);
            struct ky_bodies bodies = cloud_make(threads % 2 ? CUBE : PLUMMER, N);
            parameters.threads = threads;
            compare_with_pairs(&parameters, &bodies, 0.05);
            ky_bodies_free(&bodies);
        }
}

/* A linking length as large as the system, and a fifth of it: very many pairs are friends, of which
 * few are looked at, since cells are joined as a whole. */
static void large_linking_lengths_end(void **state)
{
    (void)state;
    enum { N = 100000 };
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < 3; k++) {
            static const double lengths[] = {1e3, 1, 0.2};
            const size_t n = is_cpu_engine(e) ? N : N / 50;
            struct ky_parameters parameters = parameters_of(e);
            struct ky_bodies bodies = cloud_make(CUBE, n);
            struct ky_force_report report = {0};
            struct ky_error error = {0};
            double *group = malloc(n * sizeof *group);
            struct ky_walk_input input = {.size = sizeof input, .radius = &lengths[k], .radii = 1};
            assert_ok(ky_walk(&parameters, &bodies, "friends", &input, group, &report, &error));
            for (size_t i = 0; i < n; i++)
                assert_true(group[i] == 0);
            assert_true(report.body_interactions < 20 * (double)n);
            free(group);
            ky_bodies_free(&bodies);
        }
}

/* ---- files ---- */

static void a_csv_file_has_a_line_for_each_group(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_snapshot snapshot;
    ky_snapshot_clear(&snapshot);
    snapshot.bodies = cloud_make(PAIRS, 100);
    snapshot.time = 2.5;
    struct ky_catalogue catalogue = find(&parameters, &snapshot.bodies, 1e-6, 2);
    const char *path = in_folder("groups.csv");
    assert_int_equal(catalogue.groups, 50);
    assert_ok(ky_catalogue_may_write(path, 0, &error));
    assert_ok(ky_catalogue_write(path, &catalogue, &snapshot, 0, &error));
    assert_int_equal(ky_catalogue_write(path, &catalogue, &snapshot, 0, &error), KY_USAGE);
    assert_int_equal(ky_catalogue_may_write(path, 0, &error), KY_USAGE);
    assert_ok(ky_catalogue_may_write(path, 1, &error));
    assert_int_equal(ky_catalogue_may_write("a.txt", 1, &error), KY_USAGE);
    assert_int_equal(ky_catalogue_may_write(NULL, 1, &error), KY_USAGE);
    assert_ok(ky_catalogue_write(path, &catalogue, &snapshot, 1, &error));
    assert_int_equal(ky_catalogue_write(in_folder("a.txt"), &catalogue, &snapshot, 1, &error),
                     KY_USAGE);
    assert_non_null(strstr(error.text, ".hdf5, .h5 or .csv"));
    FILE *file = fopen(path, "r");
    char line[512];
    size_t rows = 0, remarks = 0;
    while (fgets(line, sizeof line, file)) {
        size_t g, count;
        double mass, x;
        remarks += !strcmp(line, "# time: 2.5\n") || !strcmp(line, "# minimum: 2\n") ||
                   !strncmp(line, "# linking_length: ", 18);
        if (sscanf(line, "%zu,%zu,%lf,%lf", &g, &count, &mass, &x) != 4)
            continue;
        assert_int_equal(g, rows);
        assert_int_equal(count, 2);
        assert_true(mass == catalogue.mass[g] && x == catalogue.centre[g][0]);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 50);
    assert_int_equal(remarks, 3);
    ky_catalogue_free(&catalogue);
    ky_snapshot_free(&snapshot);
}

#ifdef KY_HAVE_HDF5
/* Reads a data set of `count` numbers. */
static void read_set(hid_t file, const char *name, hid_t type, size_t count, void *data)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

static double read_header(hid_t file, const char *name)
{
    double value = NAN;
    hid_t attribute = H5Aopen_by_name(file, "Header", name, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(attribute);
    return value;
}

/* Checks the numbers of a file in kpc, 1e10 Msun and km/s, for bodies in parsecs. */
static void check_file(const char *path, const struct ky_catalogue *catalogue,
                       const struct ky_snapshot *snapshot)
{
    const size_t groups = catalogue->groups, members = catalogue->members;
    uint64_t *count = malloc((groups + members + 1) * sizeof *count);
    double(*x)[3] = malloc((groups + 1) * sizeof *x), *mass = malloc((groups + 1) * sizeof *mass);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(read_header(file, "Ngroups_Total") == (double)groups);
    assert_true(read_header(file, "Nids_ThisFile") == (double)members);
    assert_true(read_header(file, "MinimumBodies") == (double)catalogue->minimum);
    assert_between(read_header(file, "LinkingLength") / catalogue->linking_length, 0.000999999,
                   0.001000001);
    read_set(file, "Group/GroupLen", H5T_NATIVE_UINT64, groups, count);
    for (size_t g = 0; g < groups; g++)
        assert_int_equal(count[g], catalogue->offset[g + 1] - catalogue->offset[g]);
    read_set(file, "Group/GroupOffset", H5T_NATIVE_UINT64, groups, count);
    for (size_t g = 0; g < groups; g++)
        assert_int_equal(count[g], catalogue->offset[g]);
    read_set(file, "IDs/ID", H5T_NATIVE_UINT64, members, count);
    for (size_t k = 0; k < members; k++)
        assert_int_equal(count[k], snapshot->bodies.id[catalogue->body[k]]);
    read_set(file, "Group/GroupPos", H5T_NATIVE_DOUBLE, 3 * groups, x);
    for (size_t g = 0; g < groups; g++)
        assert_between(x[g][2] / catalogue->centre[g][2], 0.000999999, 0.001000001);
    read_set(file, "Group/GroupVel", H5T_NATIVE_DOUBLE, 3 * groups, x);
    for (size_t g = 0; g < groups; g++)
        assert_true(x[g][1] == catalogue->velocity[g][1]);
    read_set(file, "Group/GroupMass", H5T_NATIVE_DOUBLE, groups, mass);
    for (size_t g = 0; g < groups; g++)
        assert_between(mass[g] / catalogue->mass[g], 0.999999e-10, 1.000001e-10);
    H5Fclose(file);
    free(mass);
    free(x);
    free(count);
}

/* Checks that the circles of a picture are the centres and radii of the groups. */
static void check_circles(const char *path, const struct ky_catalogue *catalogue)
{
    struct ky_error error = {0};
    double(*circles)[4], box = -1;
    size_t count;
    assert_ok(ky_catalogue_circles(path, &circles, &count, &error));
    assert_int_equal(count, catalogue->groups);
    for (size_t g = 0; g < count; g++) {
        for (int c = 0; c < 3; c++)
            assert_between(circles[g][c] - catalogue->centre[g][c], -1e-12, 1e-12);
        assert_between(circles[g][3] - catalogue->radius[g], -1e-12, 1e-12);
    }
    free(circles);
    assert_int_equal(ky_catalogue_circles(in_folder("groups.csv"), &circles, &count, &error),
                     KY_BAD_DATA);
    assert_true(!circles && !count);
    assert_int_equal(ky_catalogue_circles(in_folder("none.hdf5"), &circles, &count, &error),
                     KY_BAD_DATA);
    assert_int_equal(ky_catalogue_circles(NULL, &circles, &count, &error), KY_USAGE);
    assert_int_equal(ky_catalogue_circles(path, NULL, &count, &error), KY_USAGE);
    assert_ok(ky_catalogue_box(path, &box, &error));
    assert_true(box == 0); /* open space */
    box = -1;
    assert_int_equal(ky_catalogue_box(in_folder("none.hdf5"), &box, &error), KY_BAD_DATA);
    assert_true(box == 0);
    assert_int_equal(ky_catalogue_box(NULL, &box, &error), KY_USAGE);
    assert_int_equal(ky_catalogue_box(path, NULL, &error), KY_USAGE);
}

static void an_hdf5_file_has_groups_and_ids(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_snapshot snapshot;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_units_preset("cluster", &snapshot.units, &error));
    snapshot.bodies = cloud_make(PLUMMER, 1000);
    assert_ok(ky_bodies_extend(&snapshot.bodies, KY_WITH_ID, &error));
    for (size_t i = 0; i < 1000; i++)
        snapshot.bodies.id[i] = 5000 - 3 * i;
    for (int some = 0; some < 2; some++) { /* also a file without groups */
        struct ky_catalogue catalogue = find(&parameters, &snapshot.bodies, some ? 0.12 : 1e-9, 2);
        assert_true(some ? catalogue.groups > 10 : catalogue.groups == 0);
        assert_ok(
            ky_catalogue_write(in_folder("groups.hdf5"), &catalogue, &snapshot, some, &error));
        check_file(in_folder("groups.hdf5"), &catalogue, &snapshot);
        check_circles(in_folder("groups.hdf5"), &catalogue);
        ky_catalogue_free(&catalogue);
    }
    ky_snapshot_free(&snapshot);
}
#else
static void an_hdf5_file_has_groups_and_ids(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    struct ky_snapshot snapshot;
    ky_snapshot_clear(&snapshot);
    snapshot.bodies = cloud_make(PLUMMER, 10);
    struct ky_catalogue catalogue = find(&parameters, &snapshot.bodies, 1, 3);
    assert_int_equal(ky_catalogue_write(in_folder("g.h5"), &catalogue, &snapshot, 0, &error),
                     KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, ".csv works without it"));
    double(*circles)[4];
    size_t count;
    assert_int_equal(ky_catalogue_circles("g.h5", &circles, &count, &error), KY_UNSUPPORTED);
    assert_int_equal(ky_catalogue_may_write(in_folder("g.h5"), 0, &error), KY_UNSUPPORTED);
    ky_catalogue_free(&catalogue);
    ky_snapshot_free(&snapshot);
}
#endif

static int start(void **state)
{
    return find_quick_engines(state) || make_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_those_of_all_pairs),
        cmocka_unit_test(a_chain_is_one_group),
        cmocka_unit_test(a_bridge_joins_two_clumps),
        cmocka_unit_test(few_bodies_are_served),
        cmocka_unit_test(cells_are_opened_where_their_bodies_are_no_friends),
        cmocka_unit_test(engines_and_threads_leave_no_trace),
        cmocka_unit_test(means_are_weighted_by_mass),
        cmocka_unit_test(the_mean_distance_is_that_of_a_lattice),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_action_gives_smallest_indices),
        cmocka_unit_test(one_of_two_radii_is_enough),
        cmocka_unit_test(a_new_joining_action_is_one_file_and_a_line),
        cmocka_unit_test(a_lattice_at_the_linking_length),
        cmocka_unit_test(clumps_and_bodies_far_away),
        cmocka_unit_test(threads_find_the_groups_of_all_pairs),
        cmocka_unit_test(large_linking_lengths_end),
        cmocka_unit_test(a_csv_file_has_a_line_for_each_group),
        cmocka_unit_test(an_hdf5_file_has_groups_and_ids),
    };
    return cmocka_run_group_tests(tests, start, remove_folder);
}
