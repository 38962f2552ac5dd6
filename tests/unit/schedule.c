/* The times of a run's output: steps that are derived, lists of times, what is due when, and times
 * that are refused. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulation/schedule.h"

static struct ky_error error;
static struct ky_parameters parameters;
static struct ky_run_parameters run;
static struct ky_schedule schedule;
static int shorten;

/* Makes a schedule of these parameters; NaN: not given. */
static enum ky_status make(double step, double end, double every, double energy_every,
                           const char *at, double start, double suggested)
{
    ky_schedule_free(&schedule);
    ky_parameters_defaults(&parameters);
    ky_run_parameters_defaults(&run);
    parameters.step = step;
    run.end = end;
    run.every = every;
    run.energy_every = energy_every;
    run.at = at;
    run.shorten = shorten;
    return ky_schedule_make(&parameters, &run, start, suggested, &schedule, &error);
}

static const double none = (double)NAN;

static void assert_multiple(double length)
{
    double ratio = fabs(length / schedule.line.tick);
    assert_between(ratio - floor(ratio + 0.5), -1e-6, 1e-6);
}

/* A derived step divides all intervals that were asked for. It is no longer than the suggested
 * step, and not much shorter. */
static void derived_steps_heed_every_interval(void **state)
{
    (void)state;
    static const double ends[] = {1, 0.7, 10, 1000, -1}, intervals[] = {0.25, 0.1, 0.3, 0.35, 0.5},
                        suggestions[] = {0.0078125, 0.1, 0.003};
    static const double starts[] = {0, 2.5, 100.1};
    int made = 0;
    for (int e = 0; e < 5; e++)
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                for (int s = 0; s < 9; s++) {
                    double start = starts[s % 3], suggested = suggestions[s / 3];
                    double ratio = fabs(ends[e]) / intervals[a];
                    if (fabs(ratio - floor(ratio + 0.5)) > 1e-9)
                        continue; /* no snapshot falls on the end */
                    assert_ok(make(none, start + ends[e], intervals[a], intervals[b], NULL, start,
                                   suggested));
                    assert_multiple(ends[e]);
                    assert_multiple(intervals[a]);
                    assert_multiple(intervals[b]);
                    assert_between(fabs(schedule.line.tick), suggested / 16,
                                   suggested * (1 + 1e-12));
                    assert_true((schedule.line.tick < 0) == (ends[e] < 0));
                    made++;
                }
    assert_true(made > 200);
    assert_ok(make(none, 1, none, none, NULL, 0, 0.0078125));
    assert_true(schedule.line.tick == 0.0078125); /* no interval needs another step */
    assert_ok(make(none, 1, 0.5, none, "0.1,0.7", 0, 0.0078125));
    assert_multiple(0.1);
    assert_multiple(0.7);
    assert_multiple(0.5);
    assert_ok(make(none, 0.001, none, none, NULL, 0, 0.03125)); /* far below the suggestion */
    assert_true(schedule.line.tick == 0.001 && schedule.end.ticks == 1);
    assert_ok(make(none, 0.1, 0.001, none, NULL, 0, 0.03125));
    assert_multiple(0.001);
    assert_ok(make(none, 1, none, none, "0.3,0.7", 0, 0.03));
    assert_true(schedule.line.tick == 0.025); /* exact to the last bit */
    assert_int_equal(make(none, 1, 0.33333, none, NULL, 0, 0.0078125), KY_USAGE);
    assert_non_null(strstr(error.text, "common divisor"));
}

static void lists_of_times(void **state)
{
    (void)state;
    assert_ok(make(0.125, 3, 0.5, none, "2.25,0.125,1,2.25,3,0,0.125", 1 - 1, none));
    static const uint64_t expected[] = {1, 8, 18, 24};
    assert_int_equal(schedule.ats, 4);
    for (size_t k = 0; k < 4; k++)
        assert_true(schedule.at[k].ticks == expected[k] && schedule.at[k].part == 0);
    assert_int_equal(ky_schedule_snapshots(&schedule), 7 + 2);
    uint64_t due = 1, rows = 0; /* the snapshot of the start */
    for (struct ky_instant now = {1, 0}; now.ticks <= schedule.end.ticks; now.ticks++) {
        due += (uint64_t)ky_schedule_snapshot_due(&schedule, now);
        rows += (uint64_t)ky_schedule_energy_due(&schedule, now);
    }
    assert_int_equal(due, 9);
    assert_int_equal(rows, 24);
    /* An instant that is added goes to its place. A resumed run may have got an earlier end. */
    assert_ok(ky_schedule_add(&schedule, (struct ky_instant){17, 0}, &error));
    assert_true(schedule.at[2].ticks == 17 && schedule.at[3].ticks == 18);
    assert_true(ky_schedule_snapshot_due(&schedule, (struct ky_instant){17, 0}));
    assert_ok(make(-0.125, -3, none, 3, "-2.25", 0, none)); /* backwards */
    assert_int_equal(schedule.at[0].ticks, 18);
    assert_true(ky_schedule_energy_due(&schedule, schedule.at[0])); /* each snapshot has a row */
    assert_false(ky_schedule_energy_due(&schedule, (struct ky_instant){17, 0}));
    static const struct {
        const char *at, *says;
    } refused[] = {{"0.3", "0.25 and 0.375"},
                   {"3.125", "outside"},
                   {"-0.125", "outside"},
                   {"1,", "list"},
                   {"", "list"},
                   {"1;2", "list"},
                   {"nan", "list"},
                   {"1e400", "list"},
                   {"1 2", "list"}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        assert_int_equal(make(0.125, 3, none, none, refused[k].at, 0, none), KY_USAGE);
        if (!strstr(error.text, refused[k].says))
            fail_msg("%s: %s", refused[k].at, error.text);
    }
}

/* Where steps may be divided, every time is reached, in order, and the grid of steps stays. */
static void divided_steps(void **state)
{
    (void)state;
    shorten = 1;
    assert_ok(make(0.25, 2.9, 1, none, "1.4,1.3,2", 1, none));
    static const struct ky_instant expected[] = {{1, 0}, {1, 0.05}, {1, 0.15}, {2, 0}, {3, 0},
                                                 {4, 0}, {5, 0},    {6, 0},    {7, 0}, {7, 0.15}};
    static const int due[] = {0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
    struct ky_instant now = {0, 0};
    for (size_t k = 0; k < sizeof due / sizeof *due; k++) {
        now = ky_schedule_next(&schedule, now);
        assert_true(now.ticks == expected[k].ticks);
        assert_between(now.part - expected[k].part, -1e-15, 1e-15);
        assert_int_equal(ky_schedule_snapshot_due(&schedule, now), due[k]);
    }
    assert_int_equal(ky_schedule_snapshots(&schedule), 5);
    assert_true(ky_instant_compare(now, schedule.end) == 0);
    assert_int_equal(make(0.25, 2.9, 1, none, "3", 1, none), KY_USAGE);
    assert_non_null(strstr(error.text, "outside the run, from 1 to 2.9"));
    assert_int_equal(make(0.25, 1, none, none, NULL, 1, none), KY_USAGE);
    assert_ok(make(none, 1.1, 0.5, none, "0.3", 0, 0.07)); /* derived from --every alone */
    assert_true(schedule.line.tick == 0.0625);
    assert_ok(make(0.25, 0.1, none, none, NULL, 0, none)); /* shorter than a step */
    assert_true(schedule.end.ticks == 0 && schedule.energy_every == 1);
    assert_ok(make(-0.25, -0.6, none, none, "-0.3", 0, none));
    now = ky_schedule_next(&schedule, (struct ky_instant){1, 0});
    assert_between(now.part, -0.05 - 1e-15, -0.05 + 1e-15);
    shorten = 0;
    assert_int_equal(make(0.25, 2.9, none, none, NULL, 1, none), KY_USAGE);
    assert_non_null(strstr(error.text, "or --shorten"));
}

/* With --every 0 the snapshots are those of --at alone. The start and the end still have rows. */
static void without_snapshots(void **state)
{
    (void)state;
    static const struct {
        const char *at;
        uint64_t ticks[4], count;
    } cases[] = {{NULL, {0}, 0},
                 {"0.25", {1}, 1},
                 {"0", {0}, 1},
                 {"2,0,0.5", {0, 2, 8}, 3},
                 {"0.5,0.5,2", {2, 8}, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_ok(make(0.25, 2, 0, 0.75, cases[k].at, 0, none));
        assert_int_equal(schedule.bare, 1);
        assert_int_equal(ky_schedule_snapshots(&schedule), cases[k].count);
        size_t next = 0;
        for (uint64_t tick = 0; tick <= 8; tick++) {
            const struct ky_instant now = {tick, 0};
            const int due = next < cases[k].count && cases[k].ticks[next] == tick;
            assert_int_equal(ky_schedule_snapshot_due(&schedule, now), due);
            next += (size_t)due;
            assert_int_equal(ky_schedule_energy_due(&schedule, now),
                             due || tick % 3 == 0 || tick == 8);
        }
        assert_int_equal(next, cases[k].count);
    }
    assert_ok(make(none, 1, 0, none, NULL, 0, 0.0078125)); /* 0 needs no step */
    assert_true(schedule.line.tick == 0.0078125);
    assert_ok(make(0.25, 2, none, none, "0", 0, none));
    assert_int_equal(schedule.bare, 0);
    assert_int_equal(ky_schedule_snapshots(&schedule), 2); /* none twice */
    assert_int_equal(make(0.25, 2, -1, none, NULL, 0, none), KY_USAGE);
}

/* Errors name the nearest times that would be right. */
static void ends_and_intervals_that_do_not_fit(void **state)
{
    (void)state;
    static const struct {
        double step, end, every, start;
        const char *says;
    } refused[] = {
        {0.3, 0.5, 0, 0.25,
         "no step ends at 0.5 (steps of 0.3 from 0.25); the nearest is 0.55, or"},
        {0.3, 1, 0, 0.25, "the nearest are 0.85 and 1.15, or choose another --step"},
        {-0.3, -0.5, 0, 0.25, "the nearest are -0.35 and -0.65, or"},
        {0.1, 0.2, 0, 0.25, "0.2 is not ahead: the run starts at 0.25 with a step of 0.1"},
        {0.1, 0.7, 0.3, 0,
         "the end 0.7 is not a multiple of --every 0.3 from the start 0; the "
         "nearest are 0.6 and 0.9"},
        {0.125, 0.75, 0.75, 0.25, "from the start 0.25; the nearest is 1"},
        {0.3, 3, 0.1, 0, "--every: 0.1 is not a multiple of the step 0.3; the nearest is 0.3, or"},
        {0.3, 3, 0.7, 0, "the nearest are 0.6 and 0.9, or choose another --step"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        double every = refused[k].every > 0 ? refused[k].every : none;
        assert_int_equal(
            make(refused[k].step, refused[k].end, every, none, NULL, refused[k].start, none),
            KY_USAGE);
        if (!strstr(error.text, refused[k].says))
            fail_msg("%s: not '%s'", error.text, refused[k].says);
    }
}

/* Where no interval is given there are at most 5000 rows, and one with each snapshot. */
static void rows_of_energy_by_default(void **state)
{
    (void)state;
    static const struct {
        double end, every;
        uint64_t expected;
    } cases[] = {{5000, none, 1},
                 {5001, none, 2},
                 {1e6, none, 200},
                 {1e6, 500, 250},
                 {1e6, 10, 10},
                 {1e6, 1e5, 200},
                 {4096, 64, 1},
                 {9973, 9973, 9973},
                 {1, none, 1},
                 {9e15, none, 1800000000000},
                 {9e15, 9e15, 1800000000000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_ok(make(1, cases[k].end, cases[k].every, none, NULL, 0, none));
        if (schedule.energy_every != cases[k].expected)
            fail_msg("%g steps, snapshots every %g: rows every %llu", cases[k].end, cases[k].every,
                     (unsigned long long)schedule.energy_every);
    }
}

static void time_has_to_advance(void **state)
{
    (void)state;
    assert_int_equal(make(0.125, 1e17 + 64, none, none, NULL, 1e17, none), KY_USAGE);
    assert_non_null(strstr(error.text, "advance"));
    assert_int_equal(make(none, 1e17 + 64, none, none, NULL, 1e17, 0.125), KY_USAGE);
    assert_int_equal(make(8, 1e17 + 64 * 16, none, none, NULL, 1e17, none), KY_USAGE);
    assert_ok(make(64, 1e17 + 64 * 16, none, none, NULL, 1e17, none));
    assert_ok(make(0.125, 1e9 + 1, none, none, NULL, 1e9, none));
    /* The public calls of a simulation refuse such steps too. */
    struct ky_bodies bodies = {0};
    struct ky_sim *sim = NULL;
    assert_ok(ky_bodies_allocate(&bodies, 2, 0, &error));
    bodies.mass[0] = 1;
    bodies.position[1][0] = 1;
    parameters.step = 0.125;
    assert_int_equal(ky_sim_open(&parameters, &bodies, 1e17, &sim, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "advance"));
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_steps_heed_every_interval),
        cmocka_unit_test(lists_of_times),
        cmocka_unit_test(divided_steps),
        cmocka_unit_test(without_snapshots),
        cmocka_unit_test(ends_and_intervals_that_do_not_fit),
        cmocka_unit_test(rows_of_energy_by_default),
        cmocka_unit_test(time_has_to_advance),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ky_schedule_free(&schedule);
    return failed;
}
