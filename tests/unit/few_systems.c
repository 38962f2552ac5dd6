/* ky_few_integrate: many systems have the bits of single ones, end where they must, and wrong input
 * is refused. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "few/few.h"
#include "few_encounters.h"

static double radii[COUNT * BODIES];

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
    parameters.stop_escape = 0; /* at any distance */
    integrate(&parameters, &systems);
    for (size_t s = 0; s < COUNT; s++)
        escapes -= all.end[s] == KY_FEW_ESCAPE;
    assert_true(escapes <= 0);
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

/* Bodies at rest whose distance is the sum of their radii touch when they begin to fall: the time
 * is t² = 0 within the rounding of r². */
static void bodies_at_rest_touch_at_once(void **state)
{
    (void)state;
    static const double start_x[2][3] = {{0.5, 0, 0}, {-0.5, 0, 0}}, rest[2][3] = {{0}},
                        half[] = {0.5, 0.5}, size[] = {0.5, 0.5};
    for (int sign = 1; sign > -2; sign -= 2) {
        double place[2][3], speed[2][3], ended, end_time = sign;
        int end;
        struct ky_parameters parameters = parameters_of(0);
        struct ky_few_systems systems = {.size = sizeof systems,
                                         .count = 1,
                                         .bodies = 2,
                                         .mass = half,
                                         .position = start_x,
                                         .velocity = rest,
                                         .radius = size,
                                         .times = 1,
                                         .time = &end_time,
                                         .positions = place,
                                         .velocities = speed,
                                         .ended = &ended,
                                         .end = &end};
        parameters.stop_collision = 1;
        integrate(&parameters, &systems);
        assert_int_equal(end, KY_FEW_COLLISION);
        assert_between(sign * ended, 0, 1e-7);
        assert_between(place[0][0] - place[1][0], 1 - 1e-14, 1);
    }
}

/* Distances of all bodies, in the order of the tree. */
static void measure(const struct ky_few_system_one *system, double r[BODIES][BODIES])
{
    double place[KY_FEW_MOST][3], speed[KY_FEW_MOST][3];
    ky_few_positions(system, place, speed);
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            const double d[3] = {place[j][0] - place[i][0], place[j][1] - place[i][1],
                                 place[j][2] - place[i][2]};
            r[i][j] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
}

/* 1 if two bodies that were apart before a step are seen to overlap in it, at one of many places.
 */
static int seen_to_touch(const struct ky_few *before, double h, double reach)
{
    enum { LOOKS = 24 };
    double first[BODIES][BODIES], r[BODIES][BODIES];
    int seen = 0;
    measure(&before->system, first);
    for (int k = 1; k <= LOOKS; k++) {
        struct ky_few_system_one then = before->system;
        ky_few_stages(&then, h * k / LOOKS);
        measure(&then, r);
        for (int i = 0; i < BODIES; i++)
            for (int j = i + 1; j < BODIES; j++)
                seen |= first[i][j] > reach && r[i][j] < reach * (1 - 1e-12);
    }
    return seen;
}

/* Of all steps, which are long, of encounters with eccentric pairs, whose pericentres are on both
 * sides of the reach: no contact is overlooked, and each is one. */
static void no_contact_is_overlooked(void **state)
{
    (void)state;
    static struct ky_few few, before;
    static const double radius[] = {0.01};
    struct ky_error error;
    struct ky_few_contact contact;
    struct ky_few_settings settings = {
        .g = 1, .tolerance = 1e-6, .angle = 2 * 3.14159265358979323846 / 7, .radii = 1};
    double r[BODIES][BODIES];
    /* `between`: contacts of bodies that are apart again after the step */
    int steps = 0, contacts = 0, between = 0;
    settings.radius = radius;
    make_encounters();
    for (size_t s = 0; s < 20; s++) {
        const struct ky_bodies bodies = {.n = BODIES,
                                         .mass = mass + BODIES * s,
                                         .position = x + BODIES * s,
                                         .velocity = v + BODIES * s};
        for (size_t i = 0; i < 2; i++)
            for (int c = 0; c < 3; c++)
                v[BODIES * s + i][c] *= 0.15 + 0.005 * (double)s;
        assert_ok(ky_few_start(&few, &settings, &bodies, 0, &error));
        while (few.system.t[0] < 30) {
            before = few;
            assert_ok(ky_few_step(&few, &error));
            ky_few_find_contact(&before, &few, &contact);
            const int touch = contact.body[0] >= 0;
            assert_true(touch || !seen_to_touch(&before, few.last, 2 * radius[0]));
            contacts += touch;
            steps++;
            if (!touch)
                continue;
            assert_between(contact.distance, 2 * radius[0] * (1 - 1e-9), 2 * radius[0]);
            assert_between(contact.time, before.system.t[0], few.system.t[0]);
            measure(&few.system, r);
            between += fmin(r[0][1], fmin(r[0][2], r[1][2])) > 2 * radius[0];
        }
    }
    assert_true(contacts > 100 && contacts < steps / 10 && between > 20);
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
            systems.count = 5;
            systems.bodies = 33;
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
        cmocka_unit_test(a_system_moves_as_by_few),
        cmocka_unit_test(systems_end_when_they_come_apart),
        cmocka_unit_test(bodies_touch_at_their_time),
        cmocka_unit_test(bodies_at_rest_touch_at_once),
        cmocka_unit_test(no_contact_is_overlooked),
        cmocka_unit_test(a_lost_system_leaves_the_others),
        cmocka_unit_test(little_is_enough),
        cmocka_unit_test(a_flag_ends_the_call),
        cmocka_unit_test(wrong_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
