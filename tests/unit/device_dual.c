/* The dual walk of devices for searches: cuts of any number of sinks, reaches of very different
 * sizes in one cut, more cells than a cut has room for, and more neighbours than bodies in a cut.
 * In double all is as on the CPU. */
#include "test.h"

#include "clouds.h"
#include "engines.h"

/* What a search for bodies within the radii, or for the k nearest, finds. */
struct found {
    struct ky_neighbour_lists lists;
    double *density, *h;
};

static void search(const char *engine, int precision, const struct ky_bodies *bodies,
                   const double *radius, size_t k, struct found *found)
{
    struct ky_error error = {0};
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engine;
    parameters.precision = precision;
    found->density = found->h = NULL;
    memset(&found->lists, 0, sizeof found->lists);
    if (radius)
        assert_ok(ky_neighbours(&parameters, bodies, radius, bodies->n, NULL, &found->lists, NULL,
                                &error));
    if (!k)
        return;
    found->density = malloc(bodies->n * sizeof(double));
    found->h = malloc(bodies->n * sizeof(double));
    assert_ok(ky_sph_density(&parameters, bodies, k, found->density, found->h, NULL, &error));
}

static void forget(struct found *found)
{
    ky_neighbour_lists_free(&found->lists);
    free(found->density);
    free(found->h);
}

/* Lists in double are the same; in others bodies at the surface may differ. */
static void compare_lists(int precision, const struct found *cpu, const struct found *device,
                          size_t n)
{
    const double pairs = (double)cpu->lists.offset[n];
    if (precision == KY_DOUBLE) {
        assert_memory_equal(cpu->lists.offset, device->lists.offset, (n + 1) * sizeof(size_t));
        assert_memory_equal(cpu->lists.body, device->lists.body,
                            cpu->lists.offset[n] * sizeof(uint32_t));
    }
    assert_between((double)device->lists.offset[n], pairs * (1 - 1e-4), pairs * (1 + 1e-4));
}

static void compare_nearest(int precision, const struct found *cpu, const struct found *device,
                            size_t n)
{
    const double open = precision == KY_DOUBLE ? 1e-14 : 1e-4;
    for (size_t i = 0; i < n; i++) {
        assert_between(device->h[i] / cpu->h[i], 1 - open, 1 + open);
        assert_between(device->density[i] / cpu->density[i], 1 - 10 * open, 1 + 10 * open);
    }
}

static void check(int e, int precision, const struct ky_bodies *bodies, const double *radius,
                  size_t k)
{
    struct found cpu, device;
    search("cpu", KY_DOUBLE, bodies, radius, k, &cpu);
    search(engines[e].engine, precision, bodies, radius, k, &device);
    if (radius)
        compare_lists(precision, &cpu, &device, bodies->n);
    if (k)
        compare_nearest(precision, &cpu, &device, bodies->n);
    forget(&cpu);
    forget(&device);
}

/* From no neighbours to all of some thousand bodies, in every cut. */
static void cuts_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 1023, 1024, 1025, 2047, 2049, 3100};
    double radius[3100];
    need_a_device();
    for (int i = 0; i < 3100; i++)
        radius[i] = i % 211 == 7 ? 1e9 : i % 13 == 3 ? 0 : i % 11 == 3 ? 1e-6 : 0.02 * (i % 7);
    for (int e = 0; e < engine_count; e++) {
        /* kernels of extended sums take as long to compile as the others, and walk like single */
        const int some = is_slow(e) && !test_everything();
        for (int which = 0; which < (some ? 8 : 16) && !is_cpu_engine(e); which++) {
            const size_t n = sizes[which % 8];
            struct ky_bodies bodies = cloud_make(which < 8 ? PLUMMER : CUBE, n);
            const size_t k = which % 3 == 0 ? n - 1 : which % 3 == 1 ? 8 : 40;
            const int precision = !some ? which % 3 : which % 2 ? KY_DOUBLE : KY_SINGLE;
            check(e, precision, &bodies, radius, k < n ? k : 0);
            ky_bodies_free(&bodies);
        }
    }
}

/* Cuts in a small clump have a sink that reaches all bodies: all leaves are left, for which there
 * is no room, and their teams begin with the root. */
static void cells_without_room(void **state)
{
    (void)state;
    enum { N = 20003 };
    struct ky_bodies bodies = cloud_with_clump(N, 1e-4);
    double *radius = malloc(N * sizeof *radius);
    need_a_device();
    for (size_t i = 0; i < N; i++)
        radius[i] = i % 1500 == 17 ? 100 : i < N / 5 ? 1e-5 : 0.03;
    for (int e = 0; e < engine_count; e++)
        if (!is_cpu_engine(e))
            check(e, KY_DOUBLE, &bodies, radius, 0);
    free(radius);
    ky_bodies_free(&bodies);
}

/* More launches than one, as so many distances do not fit at once, and more neighbours than a cut
 * has bodies. */
static void many_nearest(void **state)
{
    (void)state;
    enum { N = 20000, K = 1800 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        if (!is_cpu_engine(e) && (!is_slow(e) || test_everything()))
            check(e, KY_DOUBLE, &bodies, NULL, K);
    ky_bodies_free(&bodies);
}

/* Bodies so near to each other that the squares of their distances are nothing in float. */
static void distances_whose_squares_no_float_holds(void **state)
{
    (void)state;
    enum { N = 700 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    double radius[N];
    need_a_device();
    for (int i = 0; i < N; i++) {
        radius[i] = 0.3 * pow(10, -0.05 * i);
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] = c ? 0 : pow(10, -0.05 * i);
    }
    for (int e = 0; e < engine_count; e++)
        if (!is_cpu_engine(e))
            check(e, KY_DOUBLE, &bodies, radius, 8);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_of_any_size),
        cmocka_unit_test(cells_without_room),
        cmocka_unit_test(many_nearest),
        cmocka_unit_test(distances_whose_squares_no_float_holds),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
