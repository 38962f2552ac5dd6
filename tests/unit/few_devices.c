/* Systems of few bodies on devices: they have the bits of the CPU, with changes of the tree and of
 * the clock. Systems and options that devices cannot handle are refused. Pairs on devices without
 * double agree with the CPU within a tolerance. */
#include "test.h"

#include "engine/engine.h"
#include "few/few.h"
#include "physics/few_device.h"
#ifdef KY_HAVE_OPENCL
#include "engine/device/driver/opencl/opencl.h"
#endif
#include "few_encounters.h"

enum { MOST = 4 /* bodies of a special system */, SYSTEMS = 37 };

/* Systems of a number of bodies in a call. */
static size_t count_of(size_t bodies)
{
    const size_t room = COUNT * BODIES / bodies;
    return room < SYSTEMS ? room : SYSTEMS;
}

/* Systems that are not encounters. */
static const struct special {
    double mass[MOST], x[MOST][3], v[MOST][3];
} threes[] =
    {/* the Pythagorean problem, whose tree changes often */
     {{3, 4, 5}, {{1, 3, 0}, {-2, -1, 0}, {1, -1, 0}}, {{0}}},
     /* a triple in Kozai's cycle, with the inner pair as the clock */
     {{0.5, 0.5, 0.7},
      {{0.5, 0, 0}, {-0.5, 0, 0}, {10, 0, 0}},
      {{0, 0.5, 0}, {0, -0.5, 0}, {0, 0.107, 0.398}}},
     /* masses in the ratio of 10^6 on crossing orbits */
     {{1, 1e-6, 2e-6}, {{0}, {1, 0, 0}, {1.1, 0, 0.01}}, {{0}, {0, 1, 0}, {0, 0.9, 0}}},
     /* a body without mass near a pair, two at the same place around a third body, and none with
        mass */
     {{0.5, 0.5, 0},
      {{0.5, 0, 0}, {-0.5, 0, 0}, {2, 0, 0}},
      {{0, 0.5, 0}, {0, -0.5, 0}, {0, 0.6, 0}}},
     {{1, 0, 0}, {{0}, {1, 0, 0}, {1, 0, 0}}, {{0}, {0, 1, 0}, {0, 0.9, 0}}},
     {{0}, {{0}, {1, 0, 0}, {2, 0, 0}}, {{0}, {0, 1, 0}, {0, 0.9, 0}}},
     /* bodies that meet head-on, and one that is too quick for its numbers */
     {{1, 1, 1e-3}, {{-6, 0, 0}, {6, 0, 0}, {0, 30, 0}}, {{0}}},
     {{0.5, 0.5, 0.5}, {{0.5, 0, 0}, {-0.5, 0, 0}, {9, 0, 0}}, {{0}, {0, 1e200, 0}, {0}}}},
  fours[] = {/* two pairs about each other */
             {{0.5, 0.5, 0.6, 0.4},
              {{0.5, 0, 0}, {-0.5, 0, 0}, {8.4, 0, 0}, {7.4, 0, 0}},
              {{0, 0.5, 0}, {0, -0.5, 0}, {0, 0.9, 0.1}, {0, 0.3, -0.6}}},
             /* a pair within a triple within a quadruple */
             {{0.5, 0.5, 0.3, 0.2},
              {{0.05, 0, 0}, {-0.05, 0, 0}, {1, 0, 0}, {0, 15, 0}},
              {{0, 1.58, 0}, {0, -1.58, 0}, {0, 0, 1.1}, {0.3, 0, 0}}},
             /* planets with and without mass */
             {{1, 1e-3, 1e-6, 0},
              {{0}, {1, 0, 0}, {0, 1.6, 0}, {0, 0, 2.6}},
              {{0}, {0, 1, 0}, {-0.8, 0, 0}, {0.6, 0, 0}}},
             {{0}, {{0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{0}, {0, 1, 0}, {0}, {0, 0, 1}}},
             {{0.5, 0.5, 0.5, 0.5},
              {{0.5, 0, 0}, {-0.5, 0, 0}, {9, 0, 0}, {0, 20, 0}},
              {{0}, {0, 1e200, 0}}}};

static void put_specials(const struct special *of, size_t count, size_t bodies)
{
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < bodies; i++) {
            const size_t k = (3 * s + 2) * bodies + i; /* among encounters */
            mass[k] = of[s].mass[i];
            memcpy(x[k], of[s].x[i], sizeof x[k]);
            memcpy(v[k], of[s].v[i], sizeof v[k]);
        }
}

static double radii[COUNT * BODIES];

/* Large systems, which take many steps, have larger bodies and shorter times. */
static double largest(size_t bodies)
{
    return bodies > 8 ? 1 : 0.1;
}

/* Systems in the arrays. */
static void make_systems(size_t bodies)
{
    uint64_t seed = 11;
    make_encounters(); /* for more bodies the pairs of three rows each are dissolved */
    for (size_t k = 0; bodies >= 4 && k < COUNT * BODIES; k++)
        for (int c = 0; c < 3; c++) {
            x[k][c] = 10 * uniform(&seed);
            v[k][c] = 0.3 * (uniform(&seed) - 0.5);
        }
    for (size_t k = 0; k < COUNT * BODIES; k++) {
        radii[k] = k % 3 ? largest(bodies) * uniform(&seed) : 0;
        if (bodies > 4) /* one without mass, and all sizes of others, some nearly parabolic */
            mass[k] = k % bodies == 3 ? 0 : 0.5 * pow(1e-3, uniform(&seed));
    }
    if (bodies == 3)
        put_specials(threes, sizeof threes / sizeof *threes, bodies);
    else if (bodies == 4)
        put_specials(fours, sizeof fours / sizeof *fours, bodies);
    else if (bodies == 2) {
        mass[8] = mass[9] = 0;
        memcpy(v[12], v[13], sizeof v[12]); /* at rest relative to each other: they fall */
    }
}

/* The systems have what devices have to reproduce: repeated steps, new trees and both clocks. */
static void check_variety(size_t bodies)
{
    static struct ky_few few;
    const struct ky_few_settings settings = {
        .g = 1, .tolerance = 1e-11, .angle = 2 * 3.14159265358979323846 / 16};
    double repeated = 0, trees = 0;
    int clocks[3] = {0};
    for (size_t s = 0; s < count_of(bodies); s++) {
        struct ky_error error;
        const size_t first = s * bodies;
        const struct ky_bodies one = {
            .n = bodies, .mass = mass + first, .position = x + first, .velocity = v + first};
        assert_ok(ky_few_start(&few, &settings, &one, 0, &error));
        ky_few_go(&few, times[TIMES - 1], NULL, NULL, &error); /* some are lost */
        repeated += few.repeated;
        trees += few.trees - 1;
        clocks[few.clock]++;
    }
    assert_true(repeated > 50 && trees > 10 && clocks[KY_FEW_WHOLE] > 3);
    assert_true(bodies > 4 || (clocks[KY_FEW_PAIR] > 3 && clocks[KY_FEW_FREE] == 1));
}

static const char *const kinds[] = {"cuda", "opencl"};

/* The same call on the CPU and on a device. */
static void compare(const struct ky_few_systems *systems, const struct ky_parameters *parameters,
                    const char *device)
{
    struct ky_parameters own = *parameters;
    struct ky_few_systems theirs = systems_of(&other, systems->time, systems->times);
    memset(&all, 0, sizeof all);
    memset(&other, 0, sizeof other);
    integrate(&own, systems);
    own.engine = device;
    theirs.bodies = systems->bodies;
    theirs.count = systems->count;
    theirs.radius = systems->radius;
    integrate(&own, &theirs);
    assert_memory_equal(&all, &other, sizeof all);
}

/* On every kind of device that is here, at several times: with ends by escape, with slow-down,
 * backwards in time, and with contacts of bodies of different sizes, or backwards of equal ones. */
static void try_devices(size_t bodies)
{
    enum { ESCAPES = 1, BACKWARDS = 3, CONTACTS, CONTACTS_BACK, OPTIONS };
    double forth[TIMES], back[TIMES] = {-1, -30.5, -30.75, -40};
    for (size_t k = 0; k < TIMES; k++) {
        forth[k] = bodies > 8 ? times[k] / 50 : times[k];
        back[k] = bodies > 8 ? back[k] / 50 : back[k];
    }
    make_systems(bodies);
    if (bodies > 2 && bodies < 8)
        check_variety(bodies);
    for (size_t d = 0; d < 2; d++)
        for (int option = 0; option < OPTIONS && ky_engine_devices(kinds[d]) > 0; option++) {
            struct ky_parameters parameters;
            int ends[4] = {0};
            struct ky_few_systems systems = some_of(&all, bodies, option, &parameters);
            systems.count = count_of(bodies);
            systems.times = TIMES;
            systems.time = option == BACKWARDS || option == CONTACTS_BACK ? back : forth;
            parameters.stop_collision = option >= CONTACTS;
            if (option == CONTACTS)
                systems.radius = radii;
            else if (option == CONTACTS_BACK)
                parameters.body_radius = 0.5 * largest(bodies);
            compare(&systems, &parameters, kinds[d]);
            for (size_t s = 0; s < systems.count; s++)
                ends[all.end[s]]++;
            assert_true(all.steps[0] > 5 &&
                        (bodies > 2 || (all.steps[4] == 0 && all.steps[6] > 5)));
            assert_true(option != ESCAPES || bodies > 8 || ends[KY_FEW_ESCAPE] > 0);
            assert_true(bodies < 3 || bodies > 4 || ends[KY_FEW_LOST] > 0);
            assert_true((ends[KY_FEW_COLLISION] > 0) == (option >= CONTACTS));
        }
}

/* Every kernel takes a few steps, for tools that make them slow: KYOHO_TEST_ONLY='every*'. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    static const size_t bodies[] = {2, 3, 4, KY_FEW_ON_DEVICE};
    static const double soon[] = {0.3};
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
        for (int contacts = 0; contacts < 2; contacts++)
            for (size_t d = 0; d < 2; d++) {
                if (ky_engine_devices(kinds[d]) == 0)
                    continue;
                struct ky_parameters parameters;
                struct ky_few_systems systems = some_of(&all, bodies[b], 0, &parameters);
                make_systems(bodies[b]);
                systems.count = 5;
                systems.times = 1;
                systems.time = soon;
                systems.radius = contacts ? radii : NULL;
                parameters.stop_collision = contacts;
                compare(&systems, &parameters, kinds[d]);
            }
}

static void pairs_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    try_devices(2);
}

static void three_bodies_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    try_devices(3);
}

static void four_bodies_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    try_devices(4);
}

static void five_bodies_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    try_devices(5);
}

static void many_bodies_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    try_devices(KY_FEW_ON_DEVICE);
}

#ifdef KY_HAVE_OPENCL
/* Special pairs: SMALL is in other units, with the same times; FAST is too fast for floats; the
 * bodies of FALLING and RESTING fall from rest. make_systems makes RESTING. */
enum { RESTING = 6, SMALL = 20, FAST = 21, FALLING = 22 };

static void make_pairs(void)
{
    make_systems(2);
    for (size_t k = 0; k < 2; k++) {
        mass[2 * SMALL + k] *= 0x1p-300;
        v[2 * FAST + k][0] += k ? 5e5 : -5e5;
        for (int c = 0; c < 3; c++) {
            x[2 * SMALL + k][c] *= 0x1p-100;
            v[2 * SMALL + k][c] *= 0x1p-100;
            x[2 * FALLING + k][c] = c == 0 && k;
            v[2 * FALLING + k][c] = 0;
        }
        mass[2 * FALLING + k] = 0.5;
    }
}

/* The error of the vector between the bodies of a pair, relative to the root of length² + unit². */
static double difference(double (*one)[3], double (*right)[3], double unit)
{
    double wrong = 0, size = unit * unit;
    for (int c = 0; c < 3; c++) {
        wrong += pow((one[1][c] - one[0][c]) - (right[1][c] - right[0][c]), 2);
        size += pow(right[1][c] - right[0][c], 2);
    }
    return sqrt(wrong / size);
}

/* Every pair has the end and the number of steps of the CPU, and at all times the place to within
 * `most`. Two pairs whose bodies fall straight towards each other keep fewer digits. Returns the
 * number of escapes. */
static size_t check_floats(void)
{
    const double most = 2e-11, falling = 1e-7; /* 5.4e-12 and 2.5e-8 are reached */
    size_t escapes = 0;
    for (size_t k = 0; k < TIMES * SYSTEMS; k++) {
        const size_t s = k % SYSTEMS;
        const double wrong = difference(other.x + 2 * k, all.x + 2 * k, s == SMALL ? 0x1p-100 : 1);
        assert_true(wrong <= (s == RESTING || s == FALLING ? falling : most));
    }
    for (size_t s = 0; s < SYSTEMS; s++) {
        assert_int_equal(all.end[s], other.end[s]);
        assert_true(fabs(all.steps[s] - other.steps[s]) <= 1);
        escapes += all.end[s] == KY_FEW_ESCAPE;
    }
    return escapes;
}

static void pairs_in_floats_agree_with_the_cpu(void **state)
{
    (void)state;
    enum { ESCAPES = 1, BACKWARDS = 3, OPTIONS };
    static const double back[TIMES] = {-1, -30.5, -30.75, -40};
    if (ky_engine_devices("opencl") == 0)
        skip();
    for (int option = 0; option < OPTIONS; option++) {
        struct ky_parameters parameters;
        struct ky_few_systems systems = some_of(&all, 2, option, &parameters), floats = systems;
        make_pairs();
        systems.count = SYSTEMS;
        systems.times = TIMES;
        systems.time = option == BACKWARDS ? back : times;
        floats = systems_of(&other, systems.time, TIMES);
        floats.count = SYSTEMS;
        floats.bodies = 2;
        integrate(&parameters, &systems);
        ky_opencl_hide_double = 1;
        parameters.engine = "opencl";
        integrate(&parameters, &floats);
        ky_opencl_hide_double = 0;
        assert_true((check_floats() > 0) == (option == ESCAPES));
    }
}

/* If drifts are rounded independently, and are not halves of the kicks on both sides, this orbit
 * turns by 5.9e-11. The time is given twice: the device takes all steps to a time that is not the
 * last one. */
static void pairs_in_floats_do_not_turn(void **state)
{
    (void)state;
    const double e = 0.5, orbits = 10000, end = 6.283185307179586477 * orbits, ends[] = {end, end},
                 most = 5e-11; /* 2.3e-11 was reached */
    struct ky_parameters parameters = parameters_of(1);
    struct ky_few_systems systems = systems_of(&all, ends, 2);
    if (ky_engine_devices("opencl") == 0)
        skip();
    memset(x, 0, sizeof x);
    memset(v, 0, sizeof v);
    systems.count = 1;
    systems.bodies = 2;
    mass[0] = mass[1] = 0.5;
    x[1][0] = 1 + e;
    v[1][1] = sqrt((1 - e) / (1 + e));
    parameters.engine = "opencl";
    ky_opencl_hide_double = 1;
    integrate(&parameters, &systems);
    ky_opencl_hide_double = 0;
    const double px = all.x[1][0] - all.x[0][0], py = all.x[1][1] - all.x[0][1],
                 vx = all.v[1][0] - all.v[0][0], vy = all.v[1][1] - all.v[0][1],
                 spin = px * vy - py * vx, r = hypot(px, py), ex = vy * spin - px / r,
                 ey = -vx * spin - py / r;
    assert_true(fabs(atan2(ey, -ex)) < most);
    assert_true(fabs(hypot(ex, ey) - e) < most);
}
#endif

static void devices_refuse_what_they_cannot_do(void **state)
{
    (void)state;
#ifdef KY_HAVE_OPENCL
    struct ky_error error;
    if (ky_engine_devices("opencl") == 0)
        skip();
    make_encounters();
    struct ky_parameters parameters = parameters_of(1);
    struct ky_few_systems systems = systems_of(&all, times, 1);
    parameters.engine = "opencl";
    systems.bodies = KY_FEW_ON_DEVICE + 1;
    systems.count = 5;
    assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "at most 32 bodies"));
    ky_opencl_hide_double = 1;
    for (int contacts = 0; contacts < 2; contacts++) {
        systems.bodies = 3 - (size_t)contacts;
        parameters.stop_collision = contacts;
        parameters.body_radius = contacts ? 0.1 : (double)NAN;
        assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_UNSUPPORTED);
        assert_non_null(strstr(error.text, "no double, so that it advances only pairs"));
    }
    ky_opencl_hide_double = 0;
    parameters = parameters_of(1);
    parameters.engine = "opencl:77";
    assert_int_not_equal(ky_few_integrate(&parameters, &systems, &error), KY_OK);
    parameters.engine = "abacus";
    assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_USAGE);
    /* none, at no time, and without results of bodies */
    parameters.engine = "opencl";
    systems.count = 0;
    integrate(&parameters, &systems);
    systems = systems_of(&all, times, 0);
    systems.bodies = 2;
    integrate(&parameters, &systems);
    assert_true(all.end[3] == KY_FEW_AT_TIME && all.steps[3] == 0);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(pairs_have_the_bits_of_the_cpu),
        cmocka_unit_test(three_bodies_have_the_bits_of_the_cpu),
        cmocka_unit_test(four_bodies_have_the_bits_of_the_cpu),
        cmocka_unit_test(five_bodies_have_the_bits_of_the_cpu),
        cmocka_unit_test(many_bodies_have_the_bits_of_the_cpu),
#ifdef KY_HAVE_OPENCL
        cmocka_unit_test(pairs_in_floats_agree_with_the_cpu),
        cmocka_unit_test(pairs_in_floats_do_not_turn),
#endif
        cmocka_unit_test(devices_refuse_what_they_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
