/* ky_few_integrate: many systems have the bits of single ones, end where they must, and wrong input
 * is refused. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "few/few.h"
#ifdef KY_HAVE_OPENCL
#include "engine/device/driver/opencl/opencl.h"
#endif

enum { COUNT = 60, BODIES = 3, TIMES = 4, STATES = TIMES * COUNT * BODIES };

/* Arrays of systems, and of their results. */
static double mass[COUNT * BODIES], x[COUNT * BODIES][3], v[COUNT * BODIES][3],
    radii[COUNT * BODIES];
struct results {
    double x[STATES][3], v[STATES][3], ended[COUNT], change[COUNT], steps[COUNT];
    int end[COUNT], touching[COUNT][2];
};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A pair with a = 1 and a third body that comes from a distance of 20. */
static void make_encounters(void)
{
    uint64_t seed = 3;
    memset(x, 0, sizeof x);
    memset(v, 0, sizeof v);
    for (int s = 0; s < COUNT; s++) {
        const double phase = 6.28 * uniform(&seed), up = uniform(&seed), c = cos(phase),
                     w = sin(phase);
        const double side = sqrt(1 - up * up), b = 4 * sqrt(uniform(&seed));
        for (int i = 0; i < BODIES; i++) {
            const int k = BODIES * s + i;
            const double half = i ? 0.5 : -0.5;
            const double place[3] = {half * c, half * w * up, half * w * side},
                         speed[3] = {-half * w, half * c * up, half * c * side},
                         far[3] = {-20, b, 0};
            mass[k] = 0.5;
            memcpy(x[k], i < 2 ? place : far, sizeof x[k]);
            if (i < 2)
                memcpy(v[k], speed, sizeof v[k]);
            else
                v[k][0] = sqrt(0.375 + 3 / sqrt(400 + b * b));
        }
    }
}

static struct ky_few_systems systems_of(struct results *to, const double *time, size_t times)
{
    return (struct ky_few_systems){.size = sizeof(struct ky_few_systems),
                                   .count = COUNT,
                                   .bodies = BODIES,
                                   .mass = mass,
                                   .position = (const double(*)[3])x,
                                   .velocity = (const double(*)[3])v,
                                   .times = times,
                                   .time = time,
                                   .positions = to->x,
                                   .velocities = to->v,
                                   .ended = to->ended,
                                   .end = to->end,
                                   .touching = to->touching,
                                   .energy_change = to->change,
                                   .steps = to->steps};
}

static struct ky_parameters parameters_of(int threads)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.threads = threads;
    return parameters;
}

static void integrate(const struct ky_parameters *parameters, const struct ky_few_systems *systems)
{
    struct ky_error error;
    assert_ok(ky_few_integrate(parameters, systems, &error));
}

static const double times[TIMES] = {10, 55.5, 55.75, 90};
static struct results all, other;

static void any_division_has_the_same_bits(void **state)
{
    (void)state;
    make_encounters();
    for (int escape = 0; escape < 2; escape++) {
        struct ky_parameters parameters = parameters_of(1);
        parameters.stop_escape = escape ? 15 : (double)NAN;
        struct ky_few_systems systems = systems_of(&all, times, TIMES);
        integrate(&parameters, &systems);
        /* other numbers of threads */
        parameters.threads = 3;
        systems = systems_of(&other, times, TIMES);
        integrate(&parameters, &systems);
        assert_memory_equal(&all, &other, sizeof all);
        /* each system alone, for the last time alone */
        for (size_t s = 0; s < COUNT; s++) {
            struct ky_few_systems one = systems_of(&other, times + TIMES - 1, 1);
            one.count = 1;
            one.mass += BODIES * s;
            one.position += BODIES * s;
            one.velocity += BODIES * s;
            integrate(&parameters, &one);
            const size_t at = ((TIMES - 1) * COUNT + s) * BODIES;
            assert_memory_equal(other.x, all.x[at], sizeof(double[BODIES][3]));
            assert_memory_equal(other.v, all.v[at], sizeof(double[BODIES][3]));
            assert_memory_equal(&other.change[0], &all.change[s], sizeof(double));
            assert_int_equal(other.end[0], all.end[s]);
        }
    }
}

/* Systems of two bodies, bound and unbound, or three, to one time, with one of four options. */
static struct ky_few_systems some_of(struct results *to, size_t bodies, int option,
                                     struct ky_parameters *parameters)
{
    static const double ends[2] = {60, -60};
    struct ky_few_systems systems = systems_of(to, &ends[option == 3], 1);
    systems.bodies = bodies;
    systems.count = 37; /* no multiple of a batch */
    *parameters = parameters_of(2);
    parameters->stop_escape = option == 1 ? 15 : (double)NAN;
    parameters->slow_down = option == 2;
    return systems;
}

/* Systems side by side in the lanes of every instruction set, and each alone, without lanes. */
static void lanes_have_the_bits_of_single_systems(void **state)
{
    (void)state;
    struct ky_error error;
    make_encounters();
    for (int k = 0; k < 8; k++) {
        const size_t bodies = k < 4 ? 2 : 3;
        struct ky_parameters parameters;
        memset(&all, 0, sizeof all);
        const struct ky_few_systems one = some_of(&all, bodies, k % 4, &parameters);
        for (size_t s = 0; s < one.count; s++) {
            struct ky_few_systems alone = one;
            const size_t first = bodies * s;
            alone.count = 1;
            alone.mass += first, alone.position += first, alone.velocity += first;
            alone.positions += first, alone.velocities += first;
            alone.ended += s, alone.end += s, alone.touching += s;
            alone.energy_change += s, alone.steps += s;
            integrate(&parameters, &alone);
        }
        assert_true(all.steps[0] > 5);
        for (int isa = KY_ISA_AUTO; isa <= KY_ISA_NEON; isa++) {
            memset(&other, 0, sizeof other);
            const struct ky_few_systems systems = some_of(&other, bodies, k % 4, &parameters);
            parameters.isa = isa;
            const enum ky_status status = ky_few_integrate(&parameters, &systems, &error);
            assert_true(status == KY_OK || (status == KY_UNSUPPORTED && isa > KY_ISA_PLAIN));
            if (!status)
                assert_memory_equal(&all, &other, sizeof all);
        }
    }
}

/* Pairs on every kind of device that is here, at several times, with one without mass and one whose
 * bodies meet head-on. */
static void devices_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    static const char *const kinds[] = {"cuda", "opencl"};
    make_encounters();
    mass[8] = mass[9] = 0;
    memcpy(v[12], v[13], sizeof v[12]); /* at rest relative to each other: they fall */
    for (size_t d = 0; d < 2; d++)
        for (int option = 0; option < 4 && ky_engine_devices(kinds[d]) > 0; option++) {
            static const double back[TIMES] = {-1, -30.5, -30.75, -40};
            struct ky_parameters parameters;
            memset(&all, 0, sizeof all);
            memset(&other, 0, sizeof other);
            struct ky_few_systems systems = some_of(&all, 2, option, &parameters);
            systems.times = TIMES;
            systems.time = option == 3 ? back : times;
            integrate(&parameters, &systems);
            parameters.engine = kinds[d];
            struct ky_few_systems theirs = systems_of(&other, systems.time, TIMES);
            theirs.bodies = 2;
            theirs.count = systems.count;
            integrate(&parameters, &theirs);
            assert_memory_equal(&all, &other, sizeof all);
            assert_true(all.steps[0] > 5 && all.steps[4] == 0 && all.steps[6] > 5);
        }
}

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
    assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "systems of two bodies"));
    systems.bodies = 2;
    parameters.stop_collision = 1;
    parameters.body_radius = 0.1;
    assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "without collisions"));
    parameters = parameters_of(1);
    parameters.engine = "opencl";
    ky_opencl_hide_double = 1;
    assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no double"));
    ky_opencl_hide_double = 0;
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

/* The steps of the integrator few. */
static void a_system_moves_as_by_few(void **state)
{
    (void)state;
    static struct ky_few few;
    struct ky_error error;
    const struct ky_parameters parameters = parameters_of(0);
    const struct ky_few_settings settings = {
        .g = 1, .tolerance = 1e-11, .angle = 2 * 3.14159265358979323846 / 16};
    const struct ky_few_systems systems = systems_of(&all, times, TIMES);
    make_encounters();
    integrate(&parameters, &systems);
    for (size_t s = 0; s < COUNT; s++) {
        double place[BODIES][3], speed[BODIES][3];
        const struct ky_bodies bodies = {.n = BODIES,
                                         .mass = mass + BODIES * s,
                                         .position = x + BODIES * s,
                                         .velocity = v + BODIES * s};
        assert_ok(ky_few_start(&few, &settings, &bodies, 0, &error));
        for (size_t k = 0; k < TIMES; k++) {
            assert_ok(ky_few_go(&few, times[k], NULL, NULL, &error));
            ky_few_at(&few, times[k], place, speed);
            assert_memory_equal(place, all.x[(k * COUNT + s) * BODIES], sizeof place);
            assert_memory_equal(speed, all.v[(k * COUNT + s) * BODIES], sizeof speed);
        }
        assert_true(all.steps[s] == few.steps && all.end[s] == KY_FEW_AT_TIME &&
                    all.ended[s] == 90);
        assert_between(fabs(all.change[s]), 0, 1e-6);
    }
}

/* Energy of body i about the centre of mass of the others, for masses of 1/2, and its distance. */
static double unbound(const double (*place)[3], const double (*speed)[3], int i, double *distance)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    double r2 = 0, v2 = 0, rv = 0;
    for (int c = 0; c < 3; c++) {
        const double r = place[i][c] - 0.5 * (place[j][c] + place[k][c]),
                     w = speed[i][c] - 0.5 * (speed[j][c] + speed[k][c]);
        r2 += r * r;
        v2 += w * w;
        rv += r * w;
    }
    *distance = sqrt(r2);
    return rv > 0 ? 0.5 * v2 - 1.5 / sqrt(r2) : -1;
}

static void systems_end_when_they_come_apart(void **state)
{
    (void)state;
    static const double late[] = {4000};
    struct ky_parameters parameters = parameters_of(0);
    const struct ky_few_systems systems = systems_of(&all, late, 1);
    int escapes = 0;
    make_encounters();
    parameters.stop_escape = 18; /* the bodies come from a distance of 20 */
    integrate(&parameters, &systems);
    for (size_t s = 0; s < COUNT; s++) {
        int out = 0;
        for (int i = 0; i < BODIES; i++) {
            double distance;
            const double energy = unbound((const double(*)[3])all.x + BODIES * s,
                                          (const double(*)[3])all.v + BODIES * s, i, &distance);
            out += energy > 0 && distance > 18 && distance < 40;
        }
        if (all.end[s] == KY_FEW_ESCAPE)
            assert_true(out >= 1 && all.ended[s] > 20 && all.ended[s] < 4000);
        else
            assert_true(all.end[s] == KY_FEW_AT_TIME && all.ended[s] == 4000 && !out);
        escapes += all.end[s] == KY_FEW_ESCAPE;
    }
    assert_between(escapes, COUNT - 3, COUNT);
}

/* Two bodies fall on each other, forwards and backwards in time; another pair is on
 * an open orbit, a third one has smaller bodies. */
static void bodies_touch_at_their_time(void **state)
{
    (void)state;
    enum { LOOKS = 200 };
    static double look[LOOKS], place[LOOKS * 3 * 2][3], speed[LOOKS * 3 * 2][3],
        alone[LOOKS * 3 * 2][3];
    static const double start_x[6][3] = {{0.5, 0, 0},  {-0.5, 0, 0}, {0.5, 0, 0},
                                         {-0.5, 0, 0}, {0.5, 0, 0},  {-0.5, 0, 0}},
                        start_v[6][3] = {{0, 0.1, 0}, {0, -0.1, 0}, {0, 1, 0},
                                         {0, -1, 0},  {0, 0.1, 0},  {0, -0.1, 0}},
                        half[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
                        size[] = {0.05, 0.15, 0.05, 0.15, 0.02, 0.08};
    double ended[3];
    int end[3], touching[3][2];
    struct ky_parameters parameters = parameters_of(0);
    struct ky_few_systems systems = {.size = sizeof systems,
                                     .count = 3,
                                     .bodies = 2,
                                     .mass = half,
                                     .position = start_x,
                                     .velocity = start_v,
                                     .radius = size,
                                     .times = LOOKS,
                                     .time = look,
                                     .positions = alone,
                                     .velocities = speed};
    /* the fall from r = 1 to 0.2 on an orbit with a = 1/(2 − 0.04), by its eccentric anomaly */
    const double a = 1 / (2 - 0.04), e = 1 / a - 1, anomaly = acos((1 - 0.2 / a) / e),
                 contact = pow(a, 1.5) * (3.14159265358979323846 - (anomaly - e * sin(anomaly)));
    for (int sign = 1; sign > -2; sign -= 2) {
        for (int k = 0; k < LOOKS; k++)
            look[k] = sign * 0.01 * (k + 1);
        parameters.stop_collision = 0;
        systems.positions = alone;
        systems.ended = NULL, systems.end = NULL, systems.touching = NULL;
        integrate(&parameters, &systems);
        parameters.stop_collision = 1;
        systems.positions = place;
        systems.ended = ended, systems.end = end, systems.touching = touching;
        integrate(&parameters, &systems);
        assert_int_equal(end[0], KY_FEW_COLLISION);
        assert_int_equal(end[1], KY_FEW_AT_TIME);
        assert_int_equal(end[2], KY_FEW_COLLISION);
        const double(*last)[3] = (const double(*)[3])place + 6 * LOOKS - 2;
        assert_between(fabs(hypot(last[0][0] - last[1][0], last[0][1] - last[1][1]) - 0.1), 0,
                       1e-10);
        assert_true(touching[0][0] == 0 && touching[0][1] == 1 && touching[1][0] == -1 &&
                    touching[1][1] == -1);
        assert_between(fabs(sign * ended[0] - contact), 0, 1e-9);
        for (int k = 0; k < LOOKS; k++) {
            const double r =
                hypot(place[6 * k][0] - place[6 * k + 1][0], place[6 * k][1] - place[6 * k + 1][1]);
            if (fabs(look[k]) < contact)
                assert_memory_equal(place[6 * k], alone[6 * k], sizeof(double[6][3]));
            else
                assert_between(fabs(r - 0.2), 0, 1e-10);
        }
    }
}

static void a_lost_system_leaves_the_others(void **state)
{
    (void)state;
    const struct ky_parameters parameters = parameters_of(2);
    struct ky_few_systems systems = systems_of(&all, times, TIMES);
    make_encounters();
    integrate(&parameters, &systems);
    v[3 * 7][1] = 1e200;
    systems = systems_of(&other, times, TIMES);
    integrate(&parameters, &systems);
    for (size_t s = 0; s < COUNT; s++) {
        const size_t at = (TIMES - 1) * COUNT * BODIES + BODIES * s;
        assert_int_equal(other.end[s], s == 7 ? KY_FEW_LOST : KY_FEW_AT_TIME);
        assert_int_equal(!memcmp(other.x[at], all.x[at], sizeof(double[BODIES][3])), s != 7);
    }
    assert_true(isnan(other.x[21][0]) && isnan(other.ended[7]) && isnan(other.change[7]));
}

/* No system, no body, one body, no time, no masses, and no wanted results. */
static void little_is_enough(void **state)
{
    (void)state;
    const struct ky_parameters parameters = parameters_of(0);
    struct ky_few_systems systems = {.size = sizeof systems};
    integrate(&parameters, &systems);
    make_encounters();
    systems = systems_of(&all, times, TIMES);
    systems.count = 0;
    integrate(&parameters, &systems);
    systems.count = 5;
    systems.bodies = 0;
    integrate(&parameters, &systems);
    systems = systems_of(&all, times, TIMES);
    systems.bodies = 1;
    integrate(&parameters, &systems);
    assert_between(fabs(all.x[(TIMES - 1) * COUNT][0] - (x[0][0] + 90 * v[0][0])), 0, 1e-12);
    memset(mass, 0, sizeof mass);
    systems.bodies = BODIES;
    integrate(&parameters, &systems);
    assert_between(fabs(all.x[(TIMES - 1) * COUNT * BODIES][1] - (x[0][1] + 90 * v[0][1])), 0,
                   1e-12);
    make_encounters();
    systems = systems_of(&all, times, 0);
    integrate(&parameters, &systems);
    assert_true(all.ended[0] == 0 && all.steps[0] == 0 && all.change[0] == 0);
    systems = (struct ky_few_systems){.size = sizeof systems,
                                      .count = COUNT,
                                      .bodies = BODIES,
                                      .mass = mass,
                                      .position = systems.position,
                                      .velocity = systems.velocity,
                                      .times = 1,
                                      .time = times};
    integrate(&parameters, &systems);
}

/* ---- stops ---- */

struct told {
    int calls, flag;
    double last;
};

static void tell(void *context, double done)
{
    struct told *told = context;
    assert_true(done >= told->last && done <= 1);
    told->calls++;
    told->last = done;
    told->flag = 1;
}

static void a_flag_ends_the_call(void **state)
{
    (void)state;
    struct ky_error error;
    struct told told = {.flag = 1};
    static const double far[] = {1e9};
    struct ky_parameters parameters = parameters_of(2);
    struct ky_few_systems systems = systems_of(&all, far, 1);
    make_encounters();
    parameters.stop = &told.flag;
    systems.tell = tell;
    systems.context = &told;
    assert_int_equal(ky_few_integrate(&parameters, &systems, &error), KY_STOPPED);
    assert_int_equal(told.calls, 0);
    parameters.stop = NULL;
    systems.time = times;
    integrate(&parameters, &systems);
    assert_true(told.calls >= 1 && told.last == 1);
}

static void wrong_input_is_refused(void **state)
{
    (void)state;
    static const double falling[] = {10, 5}, across[] = {-1, 1}, never[] = {(double)NAN};
    static double many[101], places[101][3];
    enum { PARAMETERS = 7, INPUT = 9 };
    struct ky_error error;
    for (int k = 0; k < PARAMETERS + INPUT; k++) {
        struct ky_parameters parameters = parameters_of(0);
        struct ky_few_systems systems = systems_of(&all, times, TIMES);
        enum ky_status status = KY_USAGE;
        make_encounters();
        memset(radii, 0, sizeof radii);
        switch (k) {
        case 0:
            parameters.step = 0.1;
            break;
        case 1:
            parameters.stop_pair = 0.1;
            break;
        case 2:
            parameters.stop_collision = 1;
            break;
        case 3:
            parameters.tolerance = 2;
            break;
        case 4:
            parameters.softening = 0.1;
            break;
        case 5:
            parameters.engine = "opencl";
            status = KY_UNSUPPORTED;
            break;
        case 6:
            parameters.body_radius = 0.1;
            break;
        case 7:
            systems.time = falling;
            systems.times = 2;
            break;
        case 8:
            systems.time = across;
            systems.times = 2;
            break;
        case 9:
            systems.time = never;
            systems.times = 1;
            break;
        case 10:
            systems.mass = NULL;
            break;
        case 11:
            systems.size = 12;
            break;
        case 12:
            x[3 * 9 + 1][0] = (double)NAN;
            status = KY_BAD_DATA;
            break;
        case 13:
            memcpy(x[3 * 9], x[3 * 9 + 1], sizeof x[0]);
            status = KY_BAD_DATA;
            break;
        case 14:
            systems.radius = radii;
            radii[3 * 9] = -1;
            status = KY_BAD_DATA;
            break;
        default:
            systems.count = 1;
            systems.bodies = 101;
            systems.mass = many;
            systems.position = systems.velocity = (const double(*)[3])places;
            status = KY_UNSUPPORTED;
        }
        assert_int_equal(ky_few_integrate(&parameters, &systems, &error), status);
        if (status == KY_BAD_DATA)
            assert_non_null(strstr(error.text, "system 9: "));
    }
    assert_int_equal(ky_few_integrate(NULL, NULL, &error), KY_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_division_has_the_same_bits),
        cmocka_unit_test(lanes_have_the_bits_of_single_systems),
        cmocka_unit_test(devices_have_the_bits_of_the_cpu),
        cmocka_unit_test(devices_refuse_what_they_cannot_do),
        cmocka_unit_test(a_system_moves_as_by_few),
        cmocka_unit_test(systems_end_when_they_come_apart),
        cmocka_unit_test(bodies_touch_at_their_time),
        cmocka_unit_test(a_lost_system_leaves_the_others),
        cmocka_unit_test(little_is_enough),
        cmocka_unit_test(a_flag_ends_the_call),
        cmocka_unit_test(wrong_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
