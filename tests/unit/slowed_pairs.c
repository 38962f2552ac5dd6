/* Pairs in groups of the Hermite scheme: changes of slow-down, and ends of steps, keep the energy
 * of a pair that nobody else changes. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "few/few.h"

static struct ky_error error;

/* A pair of 0.5 and `mass` with semi-major axis a, e = 0.6, and a third body of mass 1 that is at
 * the apocentre of an inclined orbit around it with semi-major axis 0.1 and e = 0.5. */
static void start(struct ky_few *few, double a, double mass, double slow_energy, double time)
{
    const struct ky_few_settings settings = {.g = 1,
                                             .tolerance = 1e-11,
                                             .angle = 6.283185307179586477 / 16,
                                             .slow_down = slow_energy > 0,
                                             .slow_energy = slow_energy};
    const double gm = 0.5 + mass, r = 1.6 * a, v = sqrt(gm * 0.4 / r), far = 0.15,
                 w = sqrt((gm + 1) * 0.5 / far);
    double m[3] = {0.5, mass, 1}, x[3][3] = {{0}}, u[3][3] = {{0}};
    const struct ky_bodies bodies = {.n = 3, .mass = m, .position = x, .velocity = u};
    x[0][0] = -mass / gm * r;
    x[1][0] = 0.5 / gm * r;
    u[0][1] = -mass / gm * v;
    u[1][1] = 0.5 / gm * v;
    x[2][1] = 0.8 * far;
    x[2][2] = 0.6 * far;
    u[2][0] = w;
    assert_ok(ky_few_start(few, &settings, &bodies, time, &error));
}

/* Energy of the pair, the first node, in parts of its reduced mass, as it is without slow-down. */
static double energy_of_pair(const struct ky_few *few)
{
    struct ky_few own = *few;
    ky_few_release(&own);
    const double(*x)[1] = (const double(*)[1])own.system.x[0],
          (*v)[1] = (const double(*)[1])own.system.v[0];
    assert_true(own.system.slow[0][0] == 1);
    return 0.5 * (v[0][0] * v[0][0] + v[1][0] * v[1][0] + v[2][0] * v[2][0]) -
           own.system.total[0][0] / sqrt(x[0][0] * x[0][0] + x[1][0] * x[1][0] + x[2][0] * x[2][0]);
}

/* Over an orbit of the third body κ goes through powers of two, at any phases of the pair. The
 * tides are weak at the apocentre, at 0.144; without a correction the energy there would differ by
 * 512 times the energy of stronger ones. */
static void changes_of_slow_down_keep_the_energy(void **state)
{
    (void)state;
    static struct ky_few few;
    double most = 0, least = 1;
    start(&few, 1e-4, 0.4, 1e-3, 0);
    const double energy = energy_of_pair(&few);
    for (int k = 1; k <= 100; k++) {
        assert_ok(ky_few_go(&few, 0.0015 * k, NULL, NULL, &error));
        least = fmin(least, few.system.slow[0][0]);
        if (k > 90)
            most = fmax(most, fabs(energy_of_pair(&few) / energy - 1));
    }
    printf("# κ up to %g: energy of the pair %.1e\n", 1 / least, most);
    assert_true(1 / least >= 64 && most < 1e-7);
}

/* A wide pair is slowed down and let go once an orbit of the third body, at any phase. The error of
 * the clock, Γ, does not grow from change to change. */
static void changes_of_slow_down_keep_the_clock(void **state)
{
    (void)state;
    enum { LOOKS = 400 };
    static struct ky_few few;
    double most = 0;
    int changes = 0;
    start(&few, 2e-3, 0.4, 1e-3, 0);
    for (int k = 1; k <= LOOKS; k++) {
        const double before = few.system.slow[0][0];
        assert_ok(ky_few_go(&few, 0.11 * k, NULL, NULL, &error));
        changes += few.system.slow[0][0] != before;
        most = fmax(most, fabs(few.error));
    }
    printf("# %d changes of κ: Γ %.1e\n", changes, most);
    assert_true(changes > LOOKS / 4 && most < 3e-11);
}

/* Ends of many steps far from time 0, where the rounding of the time is long for the pair: they
 * change its energy less than the steps do, and no step is taken again after them. */
static void ends_of_steps_keep_the_energy(void **state)
{
    (void)state;
    enum { ENDS = 200 };
    static struct ky_few few;
    start(&few, 1e-7, 0.5, 0, 1);
    const double energy = energy_of_pair(&few);
    for (int k = 1; k <= ENDS; k++) {
        const double time = 1 + 1e-9 * k;
        assert_ok(ky_few_go(&few, time, NULL, NULL, &error));
        ky_few_synchronise(&few, time);
        assert_true(few.system.t[0] == time);
    }
    const double wrong = energy_of_pair(&few) / energy - 1;
    printf("# %d ends: energy of the pair %.1e, %g steps taken again\n", (int)ENDS, wrong,
           few.repeated);
    assert_true(fabs(wrong) < 1e-11 && few.repeated == 0);
}

/* A pair of 0.6 and 0.4 with a = 1 and e = 0.5 in a constant tidal tensor for 1,000 orbits: a, e
 * and the vector of the eccentricity to the digits on which two other methods agree, and with
 * slow-down e to the accuracy of slow-down. */
static void a_tide_turns_the_orbit(void **state)
{
    (void)state;
    static const double kappas[] = {1, 10, 100}, within[] = {1e-11, 7e-6, 8e-5},
                        wanted[5] = {0.999999856117, 0.512443529963, -0.4987528139, -0.0962320988,
                                     -0.0677007034};
    const double turn = 6.283185307179586477, e = 0.5, v = sqrt((1 - e) / (1 + e));
    const struct ky_few_others others = {.tide = {{2e-5, -1e-5, -1e-5, 3e-6, -2e-6, 4e-6}}};
    for (int k = 0; k < 3; k++) {
        struct ky_few_binary pair = {
            .gm = {0.6, 0.4}, .x = {1 + e, 0, 0}, .v = {0, 0.8 * v, 0.6 * v}};
        ky_few_binary_go(&pair, 1000 * turn, kappas[k], turn / 64, &others);
        double r2 = 0, v2 = 0, rv = 0, got[5], e2 = 0;
        for (int c = 0; c < 3; c++) {
            r2 += pair.x[c] * pair.x[c];
            v2 += pair.v[c] * pair.v[c];
            rv += pair.x[c] * pair.v[c];
        }
        for (int c = 0; c < 3; c++) {
            got[2 + c] = pair.x[c] * (v2 - 1 / sqrt(r2)) - pair.v[c] * rv;
            e2 += got[2 + c] * got[2 + c];
        }
        got[0] = 1 / (2 / sqrt(r2) - v2);
        got[1] = sqrt(e2);
        printf("# a pair in a tide, κ = %g: a %.1e, e %.1e, its vector %.1e %.1e %.1e\n", kappas[k],
               got[0] - wanted[0], got[1] - wanted[1], got[2] - wanted[2], got[3] - wanted[3],
               got[4] - wanted[4]);
        assert_between(fabs(got[1] - wanted[1]), 0, within[k]);
        for (int c = 0; c < 5 && k == 0; c++)
            assert_between(fabs(got[c] - wanted[c]), 0, c < 2 ? 2e-12 : 2e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_of_slow_down_keep_the_energy),
        cmocka_unit_test(changes_of_slow_down_keep_the_clock),
        cmocka_unit_test(ends_of_steps_keep_the_energy),
        cmocka_unit_test(a_tide_turns_the_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
