/* Stable triples and quadruples stay what they are (ky_few_integrate), changes of slow-down keep
 * the energy, and bodies that meet, are very fast or very light keep it or are lost. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "few/few.h"
#include "few/slow.h"

/* The axis of the orbit whose relative place is the sum of the places times the weights. */
static double axis_of(const double (*place)[3], const double (*speed)[3], const double weight[4],
                      double gm)
{
    double r2 = 0, v2 = 0;
    for (int c = 0; c < 3; c++) {
        double d = 0, w = 0;
        for (int i = 0; i < 4; i++)
            if (weight[i] != 0) {
                d += weight[i] * place[i][c];
                w += weight[i] * speed[i][c];
            }
        r2 += d * d;
        v2 += w * w;
    }
    return 1 / (2 / sqrt(r2) - v2 / gm);
}

/* A pair with a = 1 and e = 0.3 about a body of mass 0.7 or another pair, which is inclined and at
 * the apocentre of an orbit with e = 0.2 and this axis. Returns the period of this orbit. */
static double hierarchy(size_t bodies, double axis, double *m, double (*place)[3],
                        double (*speed)[3])
{
    const double e = 0.3, r = 1 + e, u = sqrt((1 - e) / (1 + e)), second = bodies == 4 ? 1 : 0.7,
                 total = 1 + second, far = 1.2 * axis, slow = sqrt(total / axis / 1.5);
    memset(place, 0, 4 * sizeof *place);
    memset(speed, 0, 4 * sizeof *speed);
    for (size_t i = 0; i < bodies; i++) {
        const double share = i < 2 ? -second / total : 1 / total, half = i % 2 ? 0.5 : -0.5;
        m[i] = i < 2 || bodies == 4 ? 0.5 : second;
        place[i][0] = share * far;
        speed[i][1] = share * slow * cos(0.35);
        speed[i][2] = share * slow * sin(0.35);
        if (i < 2) {
            place[i][0] += half * r;
            speed[i][1] += half * u;
        } else if (bodies == 4) { /* a = 0.8, inclined by 35 degrees to the outer orbit */
            place[i][1] += half * 0.8 * r;
            speed[i][0] -= half * u / sqrt(0.8) * cos(0.5);
            speed[i][2] += half * u / sqrt(0.8) * sin(0.5);
        }
    }
    return 6.283185307179586 * sqrt(axis * axis * axis / total);
}

/* A triple and two pairs about each other keep their orbits: for 10,000 outer orbits with all
 * cases, else for 100. The inner axis varies by 0.6 % and the outer one by 0.7 %. */
static void hierarchies_stay(void **state)
{
    (void)state;
    enum { LOOKS = 10 };
    static const double inner[4] = {-1, 1, 0, 0},
                        outer[2][4] = {{-0.5, -0.5, 1, 0}, {-0.5, -0.5, 0.5, 0.5}};
    static double x[LOOKS * 4][3], v[LOOKS * 4][3];
    for (int four = 0; four < 2; four++) {
        const size_t bodies = four ? 4 : 3;
        double m[4], place[4][3], speed[4][3], time[LOOKS], change, steps;
        int end;
        const double axis = four ? 8 : 10, period = hierarchy(bodies, axis, m, place, speed),
                     orbits = test_everything() ? 10000 : 100;
        for (int k = 0; k < LOOKS; k++)
            time[k] = period * orbits * (k + 1) / LOOKS;
        struct ky_parameters parameters;
        struct ky_error error;
        ky_parameters_defaults(&parameters);
        parameters.threads = 1;
        const struct ky_few_systems systems = {.size = sizeof systems,
                                               .count = 1,
                                               .bodies = bodies,
                                               .mass = m,
                                               .position = (const double(*)[3])place,
                                               .velocity = (const double(*)[3])speed,
                                               .times = LOOKS,
                                               .time = time,
                                               .positions = x,
                                               .velocities = v,
                                               .end = &end,
                                               .steps = &steps,
                                               .energy_change = &change};
        assert_ok(ky_few_integrate(&parameters, &systems, &error));
        for (size_t k = 0; k < LOOKS; k++) {
            const double(*const xs)[3] = (const double(*)[3])x + k * bodies,
                                (*const vs)[3] = (const double(*)[3])v + k * bodies;
            assert_between(axis_of(xs, vs, inner, 1), 0.98, 1.02);
            assert_between(axis_of(xs, vs, outer[four], four ? 2 : 1.7) / axis, 0.98, 1.02);
        }
        print_message("%d bodies, %.0f orbits: %.0f steps, dE/E %.1e\n", (int)bodies, orbits, steps,
                      change);
        assert_int_equal(end, KY_FEW_AT_TIME);
        assert_between(fabs(change), 0, orbits * (four ? 1e-9 : 1e-12));
    }
}

/* ---- head-on ---- */

/* Four bodies of mass 1 at rest on a line, and two pairs about each other whose bodies fall
 * straight towards each other, as at the end of Kozai's cycles of a perpendicular orbit: x and the
 * velocity.
 */
static const double falling[2][4][6] = {
    {{-1, 0, 0, 0, 0, 0}, {0.1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}, {5, 0, 0, 0, 0, 0}},
    {{-4.95, 0, 0, 0, -0.35, 0},
     {-3.05, 0, 0, 0, -0.35, 0},
     {4, 0, -0.75, 0, 0.35, 0},
     {4, 0, 0.75, 0, 0.35, 0}}};

static enum ky_status start(struct ky_few *few, int n, const double (*row)[6], double m,
                            struct ky_error *error)
{
    const struct ky_few_settings settings = {
        .g = 1, .tolerance = 1e-11, .angle = 6.283185307179586 / 16};
    double mass[4], x[4][3], v[4][3];
    for (int i = 0; i < n; i++) {
        mass[i] = m;
        memcpy(x[i], row[i], sizeof x[i]);
        memcpy(v[i], row[i] + 3, sizeof v[i]);
    }
    const struct ky_bodies bodies = {.n = (size_t)n, .mass = mass, .position = x, .velocity = v};
    return ky_few_start(few, &settings, &bodies, 0, error);
}

static void begin(struct ky_few *few, int n, const double (*row)[6])
{
    struct ky_error error;
    assert_ok(start(few, n, row, 1, &error));
}

/* Advances four bodies until t = 100 and returns |dE/E|. The second body is moved along x by
 * `further`. */
static double energy_changes(int which, double further)
{
    enum { MOST = 20000 };
    static struct ky_few few;
    struct ky_error error;
    double row[4][6];
    memcpy(row, falling[which], sizeof row);
    row[1][0] += further;
    begin(&few, 4, (const double(*)[6])row);
    const double energy = ky_few_energy(&few.system);
    few.settings.most = MOST;
    assert_ok(ky_few_go(&few, 100, NULL, NULL, &error));
    ky_few_synchronise(&few, 100);
    const double change = ky_few_energy(&few.system) / energy - 1;
    print_message("four bodies head-on: %.0f steps, dE/E %.1e\n", few.steps, change);
    assert_true(few.steps < MOST);
    return fabs(change);
}

/* Where two bodies nearly meet, a small relative error of the energy is a large absolute one, which
 * fades as they part. A clock that is chosen there has to take over this error. Otherwise the
 * energy of the first system changes by 4.2 times its value. Bodies on a line meet exactly, also in
 * unbound pairs. Earlier, unbound bodies came nearer and nearer without passing, and three of the
 * six systems were lost. Errors scatter between neighbouring systems, so that their mean logarithm
 * has the narrower limit. */
static void bodies_meet_head_on(void **state)
{
    (void)state;
    double sum = 0;
    for (int k = 0; k < 6; k++) {
        const double change = energy_changes(0, 1e-13 * k);
        assert_true(change < 1e-4);
        sum += log10(change + 1e-16);
    }
    assert_true(sum / 6 < -7);
    assert_true(energy_changes(1, 0) < 1e-7);
}

/* A body without mass passes a light one at 3e-6, far from a heavy one. The energy of their motion
 * about each other stays about 4.135e-6: a step of the heavy body's clock has to resolve it. Steps
 * that are lengthened as in a fall of bodies that dominate the potential make the body captured. */
static void a_massless_body_passes_a_light_one(void **state)
{
    (void)state;
    const struct ky_few_settings settings = {
        .g = 1, .tolerance = 1e-11, .angle = 6.283185307179586 / 16};
    static struct ky_few few;
    const double light = 6.58e-9;
    double mass[3] = {0, light, 1},
           x[3][3] = {{0.002, 5.851687716800009e-05, 0}, {-0.002, 0, 0}, {0, 40, 0}},
           v[3][3] = {{-0.0017, 0, 0}, {0.0017, 0, 0}, {0, 0, 0}}, r2 = 0, v2 = 0;
    struct ky_error error;
    const struct ky_bodies bodies = {.n = 3, .mass = mass, .position = x, .velocity = v};
    assert_ok(ky_few_start(&few, &settings, &bodies, 0, &error));
    assert_ok(ky_few_go(&few, 2.353, NULL, NULL, &error));
    ky_few_at(&few, 2.353, x, v);
    for (int c = 0; c < 3; c++) {
        r2 += (x[1][c] - x[0][c]) * (x[1][c] - x[0][c]);
        v2 += (v[1][c] - v[0][c]) * (v[1][c] - v[0][c]);
    }
    const double energy = 0.5 * v2 - light / sqrt(r2);
    print_message("a body without mass: energy %.3e in %.0f steps\n", energy, few.steps);
    assert_true(energy > 2e-6 && energy < 8e-6);
}

/* A step at the shortest length that changes the energy is an error, not accepted in silence. */
static void a_lost_energy_is_told(void **state)
{
    (void)state;
    static struct ky_few few;
    struct ky_few_motion before;
    struct ky_error error;
    begin(&few, 4, falling[1]);
    ky_few_keep(&few, &before);
    few.h = ldexp(few.longest, -20);
    few.system.v[2][1][0] *= 1.1;
    assert_int_equal(ky_few_finish(&few, &before), 1);
    assert_int_equal(ky_few_check_finite(&few, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "--stop-collision"));
}

/* Three bodies at rest on a line and on an equilateral triangle meet at one point. */
static const double meeting[2][3][6] = {
    {{-1}, {0}, {1}}, {{1}, {-0.5, 0.8660254037844387}, {-0.5, -0.8660254037844384}}};

static void three_bodies_at_one_point_are_lost(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        static struct ky_few few;
        struct ky_error error;
        begin(&few, 3, meeting[which]);
        few.settings.most = 1000;
        assert_int_equal(ky_few_go(&few, 100, NULL, NULL, &error), KY_BAD_DATA);
        assert_non_null(strstr(error.text, "at one point"));
    }
}

/* Three bodies that nearly meet at one point, where a system in a cluster goes on with an error of
 * its energy. */
static void a_system_in_a_cluster_goes_on(void **state)
{
    (void)state;
    static const double near[3][6] = {
        {1 + 1e-6}, {-0.5, 0.8660254037844387}, {-0.5, -0.8660254037844384}};
    const double time = 1.4618; /* just after they meet; then steps of a pair are very short */
    double lost = 0;
    static struct ky_few few;
    struct ky_error error;
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        begin(&few, 3, near);
        few.settings.most = 2000;
        assert_int_equal(goes_on ? ky_few_go_anyway(&few, time, NULL, NULL, &error)
                                 : ky_few_go(&few, time, NULL, NULL, &error),
                         goes_on ? KY_OK : KY_BAD_DATA);
        lost = goes_on ? lost : few.system.t[0];
    }
    print_message("three bodies nearly at one point: %.0f steps, energy %.6g\n", few.steps,
                  few.energy);
    assert_true(few.system.t[0] > lost && few.settings.tolerance == 1e-11);
    assert_between(few.energy / few.scale, -1.01, -0.99);
}

/* Two pairs that are slowed down have a hundredth of their energy. When they meet they are so no
 * longer: the tolerance is a part of the energy that they have then. With a part of the first one
 * they take more than six times as many steps. */
static void slowed_pairs_that_meet_take_long_steps(void **state)
{
    (void)state;
    enum { MOST = 20000 };
    static const double slowed[4][6] = {{-1.0001, -0.0105, 0.0014, -6.8, 4.6, 1.1},
                                        {-0.9999, -0.0095, -0.0014, 8.3, -4.6, -1.1},
                                        {0.9953, 0.0067, -0.0031, -1.3, -3, 4.1},
                                        {1.0047, 0.0133, 0.0031, -0.2, 3, -4.1}};
    static struct ky_few few;
    struct ky_few_settings settings = {.g = 1,
                                       .tolerance = 1e-11,
                                       .angle = 6.283185307179586 / 16,
                                       .slow_down = 1,
                                       .slow_energy = 1e-3,
                                       .most = MOST};
    double mass[4] = {1, 1, 1, 1}, x[4][3], v[4][3];
    struct ky_error error;
    for (int i = 0; i < 4; i++) {
        memcpy(x[i], slowed[i], sizeof x[i]);
        memcpy(v[i], slowed[i] + 3, sizeof v[i]);
    }
    const struct ky_bodies bodies = {.n = 4, .mass = mass, .position = x, .velocity = v};
    assert_ok(ky_few_start(&few, &settings, &bodies, 0, &error));
    assert_ok(ky_few_go(&few, 2, NULL, NULL, &error));
    print_message("two slowed pairs meet: %.0f steps\n", few.steps);
    assert_true(ky_few_ahead(&few, 2) <= 0);
}

/* Two pairs far from each other are at their pericentres at once: neither is a third body at the
 * place where the other one meets, though Γ times its potential is more than the tolerance. */
static void two_close_pairs_are_not_lost(void **state)
{
    (void)state;
    static const double pairs[4][6] = {{-1, 0, 0, 0, 0, 0},
                                       {-0.99999, 0, 0, 0, 632.4, 0},
                                       {1, 0, 0, 0, 0, 0},
                                       {1.00001, 0, 0, 0, 632.4, 0}};
    static struct ky_few few;
    struct ky_few_motion before;
    struct ky_error error;
    begin(&few, 4, pairs);
    assert_int_equal(few.clock, KY_FEW_WHOLE);
    ky_few_keep(&few, &before);
    few.error = 1e-7;
    few.system.b[0] += few.error * 2e5; /* 1e5: the potential of each pair */
    assert_int_equal(ky_few_finish(&few, &before), 1);
    assert_ok(ky_few_check_finite(&few, &error));
}

/* A body with nearly all energy leaves a pair, which stays on its orbit: B of the whole system has
 * no digits of the pair's potential. */
static void a_fast_body_leaves_the_orbit(void **state)
{
    (void)state;
    for (double speed = 1e5; speed < 2e9; speed *= 10) {
        static struct ky_few few;
        struct ky_error error;
        const double all[3][6] = {{0}, {1, 0, 0, 0, 1, 0}, {10, 0, 0, speed, 0, 0}};
        double x[2][3][3], v[3][3];
        for (int n = 2; n <= 3; n++) {
            begin(&few, n, all);
            few.settings.most = 1000;
            assert_ok(ky_few_go(&few, 10, NULL, NULL, &error));
            assert_true(ky_few_ahead(&few, 10) <= 0);
            ky_few_at(&few, 10, x[n - 2], v);
        }
        /* the passage changes velocities by 2 G m/(b v) at most, and the centre is rounded */
        for (int c = 0; c < 3; c++)
            assert_between(fabs((x[1][1][c] - x[1][0][c]) - (x[0][1][c] - x[0][0][c])), 0,
                           0.04 / speed + 1e-14 * speed);
    }
}

/* Bodies that are nearly free: their potential has few digits beside their kinetic energy. */
static void light_bodies_take_long_steps(void **state)
{
    (void)state;
    static struct ky_few few;
    static const double three[3][6] = {{1.2, -0.2, -0.6, 0, 4.7, 0},
                                       {0.5, -1, 1, -0.15, -4.7, 0.24},
                                       {0.01, 0.02, -0.02, -5.4, 0.24, -2.8}};
    struct ky_error error;
    assert_ok(start(&few, 3, three, 1e-7, &error));
    few.settings.most = 100;
    assert_ok(ky_few_go(&few, 1, NULL, NULL, &error));
    assert_true(few.clock == KY_FEW_PAIR && ky_few_ahead(&few, 1) <= 0);
}

static void masses_whose_products_are_lost_are_refused(void **state)
{
    (void)state;
    static struct ky_few few;
    static const double mass[] = {1e-160, 1e-90, 0, 1e90, 1e160}, pair[2][6] = {{0}, {1}};
    struct ky_error error;
    for (int k = 0; k < 5; k++)
        assert_int_equal(start(&few, 2, pair, mass[k], &error),
                         k == 0 || k == 4 ? KY_BAD_DATA : KY_OK);
    const double near[2][6] = {{0}, {1e-170}};
    assert_int_equal(start(&few, 2, near, 1, &error), KY_BAD_DATA);
}

/* ---- slow-down ---- */

/* A pair with a = 1 and e = 0.75, whose orbit is turned by `angle`, and a third body of the same
 * mass at the apocentre of an inclined orbit with a = 52 and e = 0.56. On it κ goes up and down. */
static double begin_slowed(struct ky_few *few, double angle)
{
    /* 1.4e-6 of the energy of the pair, as for a pair of 0.018 in a cluster */
    const struct ky_few_settings settings = {.g = 1,
                                             .tolerance = 1e-11,
                                             .angle = 6.283185307179586 / 16,
                                             .slow_down = 1,
                                             .slow_energy = 1.8e-7};
    const double e = 0.56, axis = 52, far = axis * (1 + e),
                 slow = sqrt(1.5 / axis * (1 - e) / (1 + e)), u = sqrt(0.25 / 1.75);
    double mass[3] = {0.5, 0.5, 0.5}, x[3][3] = {{-far / 3}, {-far / 3}, {2 * far / 3}}, v[3][3];
    for (int i = 0; i < 3; i++) {
        const double half = i == 0 ? -0.5 : i == 1 ? 0.5 : 0, share = i == 2 ? 2 / 3.0 : -1 / 3.0;
        x[i][0] += half * 1.75 * cos(angle);
        x[i][1] += half * 1.75 * sin(angle);
        v[i][0] = -half * u * sin(angle);
        v[i][1] = half * u * cos(angle) + share * slow * cos(0.35);
        v[i][2] = share * slow * sin(0.35);
    }
    struct ky_error error;
    const struct ky_bodies bodies = {.n = 3, .mass = mass, .position = x, .velocity = v};
    assert_ok(ky_few_start(few, &settings, &bodies, 0, &error));
    return 6.283185307179586 * sqrt(axis * axis * axis / 1.5);
}

/* Changes of κ keep the mean energy of the pair: 2.1e-6 of the energy, and 9.5e-6 if the motion of
 * the third body within an orbit of the pair is left out. The first look comes after the first
 * changes. */
static void changes_of_slow_down_keep_the_energy(void **state)
{
    (void)state;
    enum { LOOKS = 10, SYSTEMS = 8 };
    double squares = 0;
    for (int which = 0; which < SYSTEMS; which++) {
        static struct ky_few few, now;
        struct ky_error error;
        double energy = 0;
        const double period = begin_slowed(&few, 0.4 * which);
        for (int k = 1; k <= LOOKS; k++) {
            assert_ok(ky_few_go(&few, 2 * k * period, NULL, NULL, &error));
            assert_true(few.system.slow[0][0] < 1);
            now = few;
            ky_few_release(&now);
            const double before = energy, change = (energy = ky_few_energy(&now.system)) - before;
            squares += k > 1 ? change * change / (energy * energy) : 0;
        }
    }
    const double rms = sqrt(squares / (SYSTEMS * (LOOKS - 1)));
    print_message("rms change of the energy in two outer orbits: %.1e\n", rms);
    assert_between(rms, 0, 4e-6);
}

/* The change of the energy by κ = 4 of a pair with a = 1 whose pericentre is at `angle`, beside a
 * third body. */
static double change_beside(double e, double angle)
{
    static struct ky_few few;
    const struct ky_few_settings settings = {
        .g = 1, .tolerance = 1e-11, .angle = 6.283185307179586 / 16, .slow_energy = 1};
    const double far = 52, u = sqrt((1 + e) / (1 - e));
    double mass[3] = {0.5, 0.5, 0.5}, x[3][3] = {{0}, {0}, {far}}, v[3][3] = {{0}, {0}, {0, 0.1}};
    for (int i = 0; i < 2; i++) {
        const double half = i - 0.5;
        x[i][0] = half * (1 - e) * cos(angle);
        x[i][1] = half * (1 - e) * sin(angle);
        v[i][0] = -half * u * sin(angle);
        v[i][1] = half * u * cos(angle);
    }
    struct ky_error error;
    const struct ky_bodies bodies = {.n = 3, .mass = mass, .position = x, .velocity = v};
    assert_ok(ky_few_start(&few, &settings, &bodies, 0, &error));
    const double before = ky_few_energy(&few.system);
    ky_few_change_slow_down(&few, 0, 4);
    return ky_few_energy(&few.system) - before;
}

/* The pericentre of a circular orbit is nowhere but for rounding. */
static void circular_orbits_change_as_all_others(void **state)
{
    (void)state;
    static const double e[] = {0, 1e-16, 1e-15, 1e-12, 0.9e-8};
    double largest = 0;
    for (int turn = 0; turn < 50; turn++) {
        const double other = change_beside(1e-7, 0.12 * turn);
        largest = fmax(largest, fabs(other));
        for (size_t k = 0; k < sizeof e / sizeof *e; k++)
            assert_between(fabs(change_beside(e[k], 0.12 * turn) - other), 0, 1e-11);
    }
    assert_true(largest > 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchies_stay),
        cmocka_unit_test(changes_of_slow_down_keep_the_energy),
        cmocka_unit_test(circular_orbits_change_as_all_others),
        cmocka_unit_test(bodies_meet_head_on),
        cmocka_unit_test(a_massless_body_passes_a_light_one),
        cmocka_unit_test(a_lost_energy_is_told),
        cmocka_unit_test(three_bodies_at_one_point_are_lost),
        cmocka_unit_test(a_system_in_a_cluster_goes_on),
        cmocka_unit_test(slowed_pairs_that_meet_take_long_steps),
        cmocka_unit_test(two_close_pairs_are_not_lost),
        cmocka_unit_test(a_fast_body_leaves_the_orbit),
        cmocka_unit_test(light_bodies_take_long_steps),
        cmocka_unit_test(masses_whose_products_are_lost_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
