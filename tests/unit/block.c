/* Block steps: the leap-frog where all steps are equal, second order, steps by the criterion,
 * energy and momentum, and the same bits for any number of threads and calls and after a
 * resumption. */
#include "test.h"

#include "engine/cpu/steps/levels.h"
#include "kernels.h"
#include "own_steps.h"
#include "physics/block.h"

static const double pi = 3.14159265358979323846;

static struct ky_parameters block_parameters(int force, double softening)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine_name;
    parameters.force = force;
    parameters.integrator = KY_BLOCK_STEPS;
    parameters.softening = softening;
    parameters.step = 1.0 / 16;
    return parameters;
}

/* Whether the engine under test can make block steps with this force. */
static int leads(int force)
{
    const struct ky_parameters parameters = block_parameters(force, 0.1);
    return engine_leads(&parameters, KY_SCHEME_BLOCK);
}

/* With an eta so small that every step is one tick, block steps are the leap-frog with this step.
 * The exact sum gives the same bits, and so does the tree where it is built for every step. A tree
 * that is kept is another tree. */
static void equal_steps_are_the_leap_frog(void **state)
{
    (void)state;
    enum { N = 800, TICKS = 16 };
    static const struct {
        int force, precision;
        double stride, least, most;
    } cases[] = {{KY_DIRECT, KY_DOUBLE, 1, 0, 0},     {KY_DIRECT, KY_DOUBLE, 8, 0, 0},
                 {KY_DIRECT, KY_EXTENDED, 8, 0, 0},   {KY_TREE, KY_SINGLE, 1, 0, 0},
                 {KY_WALK, KY_SINGLE, 1, 0, 0},       {KY_TREE, KY_SINGLE, 8, 1e-9, 1e-3},
                 {KY_WALK, KY_SINGLE, 8, 1e-9, 1e-3}, {KY_FMM, KY_SINGLE, 1, 0, 0},
                 {KY_FMM, KY_SINGLE, 8, 1e-9, 1e-3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_snapshot plain, block;
        if (!leads(cases[k].force))
            continue;
        model("plummer", N, 0.05, &plain);
        model("plummer", N, 0.05, &block);
        struct ky_parameters parameters = block_parameters(cases[k].force, 0.05);
        parameters.precision = cases[k].precision;
        parameters.eta = 1e-6;
        parameters.step = cases[k].stride / 128;
        parameters.step_min = 1.0 / 128;
        const struct ky_integrator_report report =
            go(&parameters, &block.bodies, TICKS / (uint64_t)cases[k].stride, 1, NULL);
        assert_true(report.blocks == TICKS && report.body_steps == (double)TICKS * N);
        assert_true(report.shortest == 1.0 / 128 && report.cut == (double)TICKS * N);
        parameters.integrator = KY_LEAPFROG;
        parameters.eta = 0.2;
        parameters.step = 1.0 / 128;
        parameters.step_min = (double)NAN;
        go(&parameters, &plain.bodies, TICKS, 1, NULL);
        assert_between(apart(&plain.bodies, &block.bodies), cases[k].least, cases[k].most);
        assert_true(same_bits(&plain.bodies, &block.bodies) == (cases[k].most == 0));
        ky_snapshot_free(&plain);
        ky_snapshot_free(&block);
    }
}

/* ---- order ---- */

/* The distance from the start after one period of a Kepler orbit with a = 1, from the apocentre. */
static double miss_after_period(double e, double eta, double *body_steps)
{
    struct ky_bodies bodies = {0};
    two_bodies(1 + e, sqrt((1 - e) / (1 + e)), &bodies);
    struct ky_parameters parameters = block_parameters(KY_DIRECT, 0);
    parameters.precision = KY_DOUBLE;
    parameters.step = 2 * pi / 16;
    parameters.step_length = 1;
    parameters.eta = eta;
    *body_steps = go(&parameters, &bodies, 16, 1, NULL).body_steps;
    double dx = bodies.position[1][0] - bodies.position[0][0] - (1 + e),
           dy = bodies.position[1][1] - bodies.position[0][1];
    ky_bodies_free(&bodies);
    return sqrt(dx * dx + dy * dy);
}

static void second_order_in_eta(void **state)
{
    (void)state;
    double steps[3];
    const double coarse = miss_after_period(0.8, 0.01, &steps[0]),
                 middle = miss_after_period(0.8, 0.005, &steps[1]),
                 fine = miss_after_period(0.8, 0.0025, &steps[2]);
    printf("# off by %g %g %g after %g %g %g steps\n", coarse, middle, fine, steps[0], steps[1],
           steps[2]);
    assert_between(coarse / middle, 3.6, 4.4);
    assert_between(middle / fine, 3.6, 4.4);
    assert_between(steps[1] / steps[0], 1.9, 2.1);
}

/* ---- steps ---- */

/* Each body's step follows from the criterion with the last acceleration. A step that may not
 * become longer yet is half as long. Steps of all lengths occur. */
static void steps_follow_the_criterion(void **state)
{
    (void)state;
    enum { N = 3000 };
    const double softening = 0.01, eta = 0.2, longest = 1.0 / 16;
    struct ky_snapshot s;
    struct ky_bodies bodies;
    struct ky_sim *sim = NULL;
    double step[N];
    int level_of[KY_MOST_LEVELS] = {0};
    model("hernquist", N, softening, &s);
    struct ky_parameters parameters = block_parameters(KY_TREE, softening);
    assert_ok(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error));
    assert_ok(ky_bodies_allocate(&bodies, N, KY_WITH_ACCELERATION, &error));
    for (int k = 0; k < 3; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_bodies(sim, &bodies, &error));
        assert_ok(ky_engine_get_column(sim->engine, KY_COLUMN_STEP, step, &error));
        for (int i = 0; i < N; i++) {
            const double *a = bodies.acceleration[i];
            double wanted = eta * sqrt(softening / sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
            int exponent;
            assert_true(frexp(longest / step[i], &exponent) == 0.5 && step[i] <= longest);
            assert_true(step[i] <= wanted * (1 + 1e-12));
            assert_true(step[i] == longest ||
                        4 * step[i] > wanted); /* it doubles only at its multiples */
            level_of[exponent - 1] += k == 2;
        }
    }
    int levels = 0;
    for (int k = 0; k < KY_MOST_LEVELS; k++) {
        levels += level_of[k] > 0;
        if (level_of[k])
            printf("# %d bodies have a step of 2^-%d\n", level_of[k], 4 + k);
    }
    assert_true(levels >= 4);
    const struct ky_integrator_report report = report_of(sim);
    assert_true(report.cut == 0 && report.shortest < longest / 8);
    assert_true(report.body_steps < 0.5 * (double)report.blocks * N);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_snapshot_free(&s);
}

static void levels_of_steps(void **state)
{
    (void)state;
    for (int k = 0; k <= 20; k++) { /* step² a <= 1 where a 4^-level <= 1 */
        assert_int_equal(ky_step_level(pow(4, k), 1, 20), k);
        assert_int_equal(ky_step_level(pow(4, k) * (1 + 1e-15), 1, 20), k + 1);
    }
    assert_int_equal(ky_step_level(0, 1, 20), 0);
    assert_int_equal(ky_step_level(1e300, 1, 20), 21);
    assert_true(ky_step_limit(0.5, 3, 0.25) == 12);
    assert_int_equal(ky_step_next(5, 0, 3, 0), 5); /* shorter: at once */
    assert_int_equal(ky_step_next(3, 0, 3, 1), 3);
    assert_int_equal(ky_step_next(0, 0, 3, 0), 3); /* longer: not now */
    assert_int_equal(ky_step_next(0, 3, 3, 1), 3); /* it swings too fast */
    assert_int_equal(ky_step_next(3, 5, 3, 1), 3); /* but its step is not shorter for that */
    assert_int_equal(ky_step_next(0, 0, 3, 1), 2); /* one level at a time */
    assert_true(ky_step_swing(3, 2, 4, 0.1) == 6 && ky_step_swing(3, 0, 4, 0.5) == 24);
}

/* The CPU engine's levels are whole ones, down to the deepest. */
static void steps_of_levels(void **state)
{
    (void)state;
    const struct ky_cpu_way way = {.longest = 0.75, .deepest = 3};
    static const struct {
        double step;
        int level;
    } cases[] = {{0.75, 0},  {0.375, 1}, {0.09375, 3}, {0.046875, -1},   {1.5, -1},
                 {0.25, -1}, {0, -1},    {-0.75, -1},  {(double)NAN, -1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(ky_cpu_way_level(&way, cases[k].step), cases[k].level);
}

/* --step-min cuts steps, and the report says how many. */
static void the_shortest_step_is_told(void **state)
{
    (void)state;
    struct ky_snapshot s;
    model("hernquist", 1000, 0.01, &s);
    struct ky_parameters parameters = block_parameters(KY_DIRECT, 0.01);
    parameters.step_min = 0.015; /* 1/64 is the shortest above it */
    const struct ky_integrator_report report = go(&parameters, &s.bodies, 4, 1, NULL);
    assert_true(report.shortest == 1.0 / 64 && report.blocks == 16);
    assert_between(report.cut, 100, report.body_steps);
    ky_snapshot_free(&s);
}

/* ---- conservation ---- */

/* The largest |dE/E| over some longest steps; *momentum is the change of the momentum. */
static double energy_error(struct ky_snapshot *s, const struct ky_parameters *parameters,
                           uint64_t steps, double *momentum, double *body_steps)
{
    struct ky_sim *sim = NULL;
    struct ky_sums before = {0}, after = {0};
    double most = 0;
    assert_ok(ky_sim_open(parameters, &s->bodies, 0, &sim, &error));
    assert_ok(ky_sim_sums(sim, &before, &error));
    const double e0 = before.kinetic + before.potential;
    for (uint64_t k = 0; k < steps; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_sums(sim, &after, &error));
        most = fmax(most, fabs((after.kinetic + after.potential - e0) / e0));
    }
    *momentum = 0;
    for (int c = 0; c < 3; c++)
        *momentum = fmax(*momentum, fabs(after.momentum[c] - before.momentum[c]));
    *body_steps = report_of(sim).body_steps;
    ky_sim_close(sim);
    return most;
}

static void energy_and_momentum(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        int force;
        double softening, energy, momentum;
    } cases[] = {{"plummer", KY_DIRECT, 0.05, 4e-4, 1e-4},
                 {"plummer", KY_TREE, 0.05, 4e-4, 2e-4},
                 {"hernquist", KY_DIRECT, 0.02, 5e-4, 2e-4},
                 {"hernquist", KY_TREE, 0.02, 8e-4, 4e-4},
                 {"king", KY_TREE, 0.05, 1e-3, 4e-4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_snapshot s;
        double momentum, body_steps;
        model(cases[k].model, 1000, cases[k].softening, &s);
        struct ky_parameters parameters = block_parameters(cases[k].force, cases[k].softening);
        const double error_of_energy = energy_error(&s, &parameters, 16, &momentum, &body_steps);
        printf("# %s, force %d: |dE/E| %.2g, momentum %.2g\n", cases[k].model, cases[k].force,
               error_of_energy, momentum);
        assert_between(error_of_energy, 1e-12, cases[k].energy);
        assert_between(momentum, 0, cases[k].momentum);
        ky_snapshot_free(&s);
    }
}

/* Massless bodies swing through the softened field of a heavy body, in whose middle |a| vanishes.
 * If steps became longer there at each pass, the energy would grow by 2 % in place of 0.05 %. */
static void bodies_swing_through_a_core(void **state)
{
    (void)state;
    enum { N = 60 };
    const double eps = 0.1;
    struct ky_bodies bodies = {0};
    double before[N], gain = 0, all = 0;
    assert_ok(ky_bodies_allocate(&bodies, N, 0, &error));
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N; i++) {
            double *x = bodies.position[i], *v = bodies.velocity[i];
            bodies.mass[i] = i == 0;
            if (turn == 0 && i > 0) {
                x[0] = eps * (0.5 + 3.0 * i / N);
                v[1] = 0.3 * (i % 3) * sqrt(x[0] * x[0] / pow(x[0] * x[0] + eps * eps, 1.5));
            }
            const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2],
                         energy = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) -
                                  1 / sqrt(r2 + eps * eps);
            gain += turn == 1 && i > 0 ? energy - before[i] : 0;
            all += turn == 1 && i > 0 ? fabs(before[i]) : 0;
            before[i] = energy;
        }
        struct ky_parameters parameters = block_parameters(KY_DIRECT, eps);
        if (turn == 0)
            go(&parameters, &bodies, 64, 1, NULL);
    }
    ky_bodies_free(&bodies);
    printf("# in a core: dE/|E| %.2g\n", gain / all);
    assert_between(fabs(gain / all), 0, 2e-3);
}

/* The error of the energy is near that of shared steps as long as the shortest step, with fewer
 * steps of bodies. It falls with eta. */
static void as_good_as_the_shortest_step(void **state)
{
    (void)state;
    double momentum, of_blocks, of_all, coarse;
    struct ky_snapshot s;
    if (!takes_all) {
        printf("# skipped on slow devices: make check-all compares these steps\n");
        skip();
    }
    model("hernquist", 1500, 0.01, &s);
    struct ky_parameters parameters = block_parameters(KY_DIRECT, 0.01);
    parameters.precision = KY_DOUBLE;
    parameters.eta = 0.4;
    const double loose = energy_error(&s, &parameters, 8, &momentum, &coarse);
    parameters.eta = 0.1;
    const double block = energy_error(&s, &parameters, 8, &momentum, &of_blocks);
    struct ky_sim *sim = NULL;
    assert_ok(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 8, &error));
    const double shortest = report_of(sim).shortest;
    ky_sim_close(sim);
    parameters.integrator = KY_LEAPFROG;
    parameters.eta = 0.2;
    parameters.step = shortest;
    const double shared =
        energy_error(&s, &parameters, (uint64_t)(0.5 / shortest), &momentum, &of_all);
    printf("# eta 0.4: %.2g in %.3g steps of bodies; 0.1: %.2g in %.3g; all of %g: %.2g in %.3g\n",
           loose, coarse, block, of_blocks, shortest, shared, of_all);
    assert_true(block < 0.25 * loose);
    assert_true(of_blocks < 0.3 * of_all && coarse < 0.5 * of_blocks);
    assert_between(block, 0, 8e-5);
    ky_snapshot_free(&s);
}

/* ---- bits ---- */

static void threads_and_calls_leave_no_trace(void **state)
{
    (void)state;
    static const int forces[] = {KY_TREE, KY_WALK, KY_DIRECT, KY_FMM};
    for (int f = 0; f < 4; f++) {
        struct ky_parameters parameters = block_parameters(forces[f], 0.05);
        if (!leads(forces[f]))
            continue;
        parameters.step = 1.0 / 32;
        parameters.eta = 0.4;
        any_threads_and_calls(parameters, "hernquist", 4500); /* two chunks of bodies */
    }
}

static void an_engine_stops_between_blocks(void **state)
{
    (void)state;
    enum { STRIDE = 1 << 12 };
    static const int forces[] = {KY_TREE, KY_WALK, KY_DIRECT, KY_FMM};
    for (int f = 0; f < 4; f++) {
        const struct ky_parameters parameters = block_parameters(forces[f], 0.02);
        const struct ky_advance way = {.scheme = KY_SCHEME_BLOCK,
                                       .tick = 0.25 / STRIDE,
                                       .stride = STRIDE,
                                       .until = STRIDE,
                                       .eta = 0.2,
                                       .length = (double)NAN};
        if (leads(forces[f]))
            any_parts_of_a_way(&parameters, "hernquist", takes_all ? 1000 : 500,
                               1U << KY_COLUMN_STEP, &way);
    }
}

/* Within a longest step the tree is built anew when its cells have become too large. So bodies that
 * fly through each other need no more sources than with a tree for each step. */
static void a_tree_that_costs_too_much_is_replaced(void **state)
{
    (void)state;
    enum { BLOCKS = 32 };
    const size_t n = takes_all ? 6000 : 2000;
    double work[2] = {0};
    for (int kept = 0; kept < 2; kept++) {
        struct ky_snapshot s;
        struct ky_force_report report;
        const struct ky_parameters given = block_parameters(KY_TREE, 0.05);
        struct ky_parameters parameters;
        model("plummer", n, 0.05, &s);
        /* All steps are one tick. Where the longest step is one tick too, each step has a tree of
         * its own. */
        struct ky_advance way = {.scheme = KY_SCHEME_BLOCK,
                                 .tick = 1.0 / 16,
                                 .stride = kept ? BLOCKS : 1,
                                 .until = BLOCKS,
                                 .most = 1,
                                 .eta = 1e-6,
                                 .length = 1};
        struct ky_engine *engine = engine_with(&given, &parameters, &s.bodies);
        assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error));
        assert_ok(ky_engine_forces(engine, &error));
        double builds = 0;
        while (way.now < way.until) {
            assert_ok(ky_engine_advance(engine, &way, &error));
            ky_engine_report(engine, &report);
            work[kept] +=
                (report.body_interactions + report.cell_interactions) / (double)n / BLOCKS;
            builds += report.sort > 0;
        }
        printf("# %g builds, %.0f interactions\n", builds, work[kept]);
        assert_between(builds, kept ? 4 : BLOCKS, kept ? BLOCKS / 2 : BLOCKS);
        ky_engine_close(engine);
        ky_snapshot_free(&s);
    }
    assert_between(work[1] / work[0], 1, 1.5);
}

static void goes_on_from_a_file(void **state)
{
    (void)state;
    char folder[32], path[64];
    static const int forces[] = {KY_TREE, KY_WALK, KY_DIRECT, KY_FMM};
    file_in(folder, path);
    for (int k = 0; k < 8; k++) { /* at a multiple of the longest step, and within one */
        const struct ky_parameters parameters = block_parameters(forces[k / 2], 0.02);
        if (leads(forces[k / 2]))
            on_from_a_file(&parameters, "hernquist", 600, k % 2 ? 0.2 : 0.1875, path);
    }
    remove_file(folder);
}

static void a_flag_stops_within_a_step(void **state)
{
    (void)state;
    char folder[32], path[64];
    static const int forces[] = {KY_TREE, KY_DIRECT, KY_FMM};
    file_in(folder, path);
    for (int k = 0; k < 6; k++) {
        struct ky_parameters parameters = block_parameters(forces[k % 3], 1e-4);
        parameters.ranks = 1 + k / 3;
        const int is_taken = k < 3 || !strcmp(engine_name, "cpu");
        if (leads(forces[k % 3]) && is_taken && (k < 4 || test_everything()))
            stopped_within_steps(parameters, k < 3 ? 100 : 600, 1e-3, path);
    }
    remove_file(folder);
}

/* ---- times, and what is allowed ---- */

static void times_within_a_step_and_backwards(void **state)
{
    (void)state;
    struct ky_parameters parameters = block_parameters(KY_DIRECT, 0.1);
    parameters.precision = KY_DOUBLE;
    parameters.eta = 0.01;
    within_a_step_and_backwards(&parameters, 500, 1e-4);
}

static void bodies_come_and_go(void **state)
{
    (void)state;
    const struct ky_parameters parameters = block_parameters(KY_TREE, 0.1);
    coming_and_going(&parameters, 300, 5e-3);
}

static void few_massless_and_no_bodies(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_TREE};
    for (int f = 0; f < 3; f++) {
        const struct ky_parameters parameters = block_parameters(forces[f], 0.1);
        if (leads(forces[f]))
            few_bodies(&parameters);
    }
}

/* Energies are conserved for bodies with softenings of their own in an external field. */
static void softenings_and_fields(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const struct ky_external field = {
        .kind = KY_EXTERNAL_POINT, .centre = {0, 0, 0}, .number = {1, 1}};
    for (int f = 0; f < 2; f++) {
        struct ky_snapshot s;
        struct ky_sim *sim = NULL;
        double own[N], step[N];
        model("plummer", N, 0.05, &s);
        struct ky_parameters parameters = block_parameters(f ? KY_TREE : KY_DIRECT, (double)NAN);
        parameters.softening_kind = KY_SYMMETRIC;
        for (int i = 0; i < N; i++)
            own[i] = i % 2 ? 0.05 : 0.2;
        s.bodies.softening = own;
        assert_ok(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error));
        s.bodies.softening = NULL;
        assert_ok(ky_engine_set_fields(sim->engine, &field, 1, &error));
        assert_ok(ky_engine_forces(sim->engine, &error));
        const double e0 = total(sim);
        assert_ok(ky_sim_advance(sim, 16, &error));
        assert_between(fabs(total(sim) / e0 - 1), 1e-12, 5e-4);
        double mean[2] = {0};
        assert_ok(ky_engine_get_column(sim->engine, KY_COLUMN_STEP, step, &error));
        for (int i = 0; i < N; i++)
            mean[i % 2] += step[i] / (N / 2);
        assert_between(mean[0] / mean[1], 1.5, 2.5); /* √(0.2/0.05) */
        ky_sim_close(sim);
        ky_snapshot_free(&s);
    }
}

static void what_does_not_go_together(void **state)
{
    (void)state;
    const struct ky_parameters good = block_parameters(KY_DIRECT, 0.1);
    struct ky_parameters p = good;
    p.softening = 0;
    refuse(p, KY_USAGE, "--step-length");
    p = good, p.step_max = 0.03;
    refuse(p, KY_USAGE, "above --step-max");
    p = good, p.step_min = 0.1;
    refuse(p, KY_USAGE, "--step-min");
    p = good, p.step_min = 1e-30;
    refuse(p, KY_USAGE, "2^40");
    p = good, p.step_length = -1;
    refuse(p, KY_USAGE, "--step-length -1");
    p = good, p.eta = 0;
    refuse(p, KY_USAGE, "eta");
    p = good, p.integrator = KY_LEAPFROG, p.eta = 0.1;
    refuse(p, KY_USAGE, "--eta is not an option of --integrator leapfrog");
    p = good, p.integrator = KY_LEAPFROG, p.step_length = 0.1;
    refuse(p, KY_USAGE, "--step-length is not an option of --integrator leapfrog");
    for (int force = KY_DIRECT; force <= KY_TREE; force++) { /* engines that cannot, say so */
        struct ky_parameters resolved;
        struct ky_engine *engine;
        p = good, p.force = force;
        assert_ok(ky_parameters_resolve(&p, &resolved, &error));
        if (ky_engine_open(&resolved, 2, &engine, &error)) /* it has no such force */
            continue;
        const int leads = ky_engine_advances(engine, KY_SCHEME_BLOCK);
        ky_engine_close(engine);
        assert_true(leads || (force != KY_DIRECT && force != KY_TREE));
        if (!leads)
            refuse(p, KY_UNSUPPORTED, "cannot run --integrator block");
    }
}

/* ---- engines ---- */

/* The state of an engine after some blocks. */
struct state_after {
    struct ky_bodies bodies;
    double *step;
    struct ky_advance way;
};

/* Makes `blocks` blocks with the bodies of a model, or goes up to 1/16. `looks`: reads the bodies
 * after every block. */
static struct state_after blocks_of(const char *name, struct ky_parameters given, size_t n,
                                    uint64_t blocks, int looks)
{
    enum { STRIDE = 1 << 12 };
    struct state_after after = {.step = calloc(n + 1, sizeof(double))};
    struct ky_parameters parameters;
    struct ky_snapshot s;
    given.engine = name;
    assert_ok(ky_bodies_allocate(&after.bodies, n, KY_WITH_ACCELERATION, &error));
    model("hernquist", n > 1 ? n : 2, given.softening, &s);
    s.bodies.n = n;
    struct ky_engine *engine = engine_with(&given, &parameters, &s.bodies);
    assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error));
    assert_ok(ky_engine_forces(engine, &error));
    after.way = (struct ky_advance){.scheme = KY_SCHEME_BLOCK,
                                    .tick = 1.0 / 16 / STRIDE,
                                    .stride = STRIDE,
                                    .until = STRIDE,
                                    .most = looks ? 1 : blocks,
                                    .eta = parameters.eta,
                                    .length = (double)NAN};
    do {
        assert_ok(ky_engine_advance(engine, &after.way, &error));
        assert_ok(ky_engine_get(engine, &after.bodies, &error));
    } while (after.way.now < STRIDE && after.way.steps < blocks);
    assert_ok(ky_engine_get_column(engine, KY_COLUMN_STEP, after.step, &error));
    ky_engine_close(engine);
    s.bodies.n = n > 1 ? n : 2;
    ky_snapshot_free(&s);
    return after;
}

static void free_after(struct state_after *after)
{
    ky_bodies_free(&after->bodies);
    free(after->step);
}

/* The largest difference of accelerations, over the mean acceleration. */
static double forces_apart(const struct ky_bodies *a, const struct ky_bodies *b)
{
    double most = 0, mean = 0;
    for (size_t i = 0; i < a->n; i++) {
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; c++) {
            d2 += pow(a->acceleration[i][c] - b->acceleration[i][c], 2);
            a2 += pow(a->acceleration[i][c], 2);
        }
        most = fmax(most, sqrt(d2));
        mean += sqrt(a2) / (double)a->n;
    }
    return mean > 0 ? most / mean : most;
}

/* With the exact sum in double every engine chooses the steps of the CPU, and has the bodies where
 * the CPU has them. With other sums a few bodies at the limit of the criterion choose other
 * steps. */
static void engines_agree(void **state)
{
    (void)state;
    static const struct {
        int force, precision;
        double others, forces; /* share of bodies with other steps; largest difference of forces */
    } cases[] = {{KY_DIRECT, KY_DOUBLE, 0, 1e-9},
                 {KY_DIRECT, KY_SINGLE, 0.002, 1e-3},
                 {KY_TREE, KY_DOUBLE, 0.01, 0.05},
                 {KY_TREE, KY_SINGLE, 0.01, 0.05}};
    static const size_t sizes[] = {0, 1, 2, 33, 1000, 2500};
    const size_t count = sizeof sizes / sizeof *sizes - !takes_all;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t m = 0; m < count; m++) {
            const size_t n = sizes[m];
            struct ky_parameters parameters = block_parameters(cases[k].force, 0.01);
            parameters.precision = cases[k].precision;
            parameters.eta = 0.1;
            if (!is_taken(&parameters))
                continue;
            struct state_after own = blocks_of(engine_name, parameters, n, UINT64_MAX, 0),
                               cpu = blocks_of("cpu", parameters, n, UINT64_MAX, 0);
            size_t others = 0;
            for (size_t i = 0; i < n; i++)
                others += own.step[i] != cpu.step[i];
            if (n > 2)
                printf("# force %d, precision %d, n %zu: %g blocks, %g steps, %zu others, forces "
                       "%.2g, places %.2g apart\n",
                       cases[k].force, cases[k].precision, n, (double)own.way.steps,
                       own.way.body_steps, others, forces_apart(&cpu.bodies, &own.bodies),
                       apart(&cpu.bodies, &own.bodies));
            assert_true(own.way.steps == cpu.way.steps && own.way.shortest == cpu.way.shortest);
            assert_between(fabs(own.way.body_steps - cpu.way.body_steps), 0,
                           cases[k].others * cpu.way.body_steps);
            assert_true((double)others <= cases[k].others * (double)n);
            assert_between(forces_apart(&cpu.bodies, &own.bodies), 0, cases[k].forces);
            assert_between(apart(&cpu.bodies, &own.bodies), 0, 1e-3 * cases[k].forces);
            assert_true(n < 1000 || own.way.steps > 8);
            free_after(&own);
            free_after(&cpu);
        }
}

/* Reading the bodies between blocks of a longest step leaves no trace. */
static void looks_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const int forces[] = {KY_TREE, KY_WALK, KY_DIRECT, KY_FMM};
    for (int f = 0; f < 4; f++) {
        struct ky_parameters parameters = block_parameters(forces[f], 0.01);
        if (!leads(forces[f]))
            continue;
        struct state_after once = blocks_of(engine_name, parameters, N, 11, 0),
                           often = blocks_of(engine_name, parameters, N, 11, 1);
        assert_true(once.way.now == often.way.now && once.way.steps == often.way.steps);
        assert_true(once.way.now % once.way.stride > 0 && once.way.steps > 5);
        assert_true(same_bits(&once.bodies, &often.bodies));
        assert_memory_equal(once.step, often.step, N * sizeof(double));
        free_after(&once);
        free_after(&often);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_steps),
        cmocka_unit_test(steps_of_levels),
        cmocka_unit_test(equal_steps_are_the_leap_frog),
        cmocka_unit_test(second_order_in_eta),
        cmocka_unit_test(steps_follow_the_criterion),
        cmocka_unit_test(the_shortest_step_is_told),
        cmocka_unit_test(energy_and_momentum),
        cmocka_unit_test(bodies_swing_through_a_core),
        cmocka_unit_test(as_good_as_the_shortest_step),
        cmocka_unit_test(threads_and_calls_leave_no_trace),
        cmocka_unit_test(an_engine_stops_between_blocks),
        cmocka_unit_test(a_tree_that_costs_too_much_is_replaced),
        cmocka_unit_test(goes_on_from_a_file),
        cmocka_unit_test(a_flag_stops_within_a_step),
        cmocka_unit_test(times_within_a_step_and_backwards),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(few_massless_and_no_bodies),
        cmocka_unit_test(softenings_and_fields),
        cmocka_unit_test(what_does_not_go_together),
        cmocka_unit_test(looks_leave_no_trace),
        cmocka_unit_test(engines_agree),
    };
    /* in `check` of a CPU that serves as a device */
    const struct CMUnitTest few[] = {
        cmocka_unit_test(few_massless_and_no_bodies),
        cmocka_unit_test(engines_agree),
    };
    int failed = 0;
    find_engines(NULL);
    for (int k = 0; k < engine_count; k++) {
        engine_name = engines[k].engine;
        takes_all = !is_slow(k) || test_everything();
        failed += takes_all ? cmocka_run_group_tests_name(engine_name, tests, NULL, NULL)
                            : cmocka_run_group_tests_name(engine_name, few, NULL, NULL);
    }
    return failed;
}
