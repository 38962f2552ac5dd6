/* Block steps in comoving boxes, on the CPU and on devices: the same motion as shared steps where
 * all bodies have the longest step, growth of waves and convergence where they have not, levels
 * from one longest step to the next, a softening that follows the scale factor, reversal of time,
 * bits, devices beside the CPU, and what is refused. It is one file because its tests share the
 * bodies and the loop over engines. */
#include "comoving.h"

#include <string.h>

#include "engines.h"
#include "physics/expansion.h"

/* The engine on which a case runs. */
static const char *engine = "cpu";

/* Runs a case on the CPU and on devices; on a CPU that serves as one in check only if `always`. */
static void on_engines(void (*run)(void), int always)
{
    run();
    FOR_DEVICES(k, always)
    {
        engine = engines[k].engine;
        run();
    }
    engine = "cpu";
}

static struct ky_parameters blocks_of(const char *expansion, double step)
{
    struct ky_parameters parameters = parameters_of(expansion, step);
    parameters.engine = engine;
    parameters.integrator = KY_BLOCK_STEPS;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.softening = 0.02;
    return parameters;
}

static double body_steps_of(const struct ky_sim *sim)
{
    struct ky_integrator_report report;
    sim->integrator->verbs->report(sim->integrator, &report);
    return report.body_steps;
}

/* ---- factors ---- */

/* Kicks and drifts of short steps keep their digits: both kicks together are the integral of 1/a to
 * the second order of the step, and each is about a half of it. */
static void factors_of_short_steps_are_accurate(void **state)
{
    (void)state;
    const struct ky_universe u = {.matter = 0.3, .lambda = 0.7};
    for (double length = 1e-2; length > 1e-11; length /= 10) {
        const double to = 0.5 * (1 + length);
        const struct ky_step_factors step = ky_comoving_step_of(0.5, to, &u);
        const double integral = ky_comoving_integral(0.5, to, 1, &u),
                     near = fmax(length * length, 1e-15 / length);
        assert_between((step.kick + step.last_kick) / integral, 1 - near, 1 + near);
        assert_between(step.kick / step.last_kick, 1 - 3 * length - 1e-15 / length,
                       1 + 3 * length + 1e-15 / length);
    }
}

/* ---- motion ---- */

/* The largest differences of places and momenta. */
static double apart(const struct ky_bodies *a, const struct ky_bodies *b)
{
    double most = 0;
    for (size_t i = 0; i < a->n; i++)
        for (int c = 0; c < 3; c++) {
            most = fmax(most, fabs(remainder(a->position[i][c] - b->position[i][c], 1)));
            most = fmax(most, fabs(a->velocity[i][c] - b->velocity[i][c]));
        }
    return most;
}

static void advance(const struct ky_parameters *parameters, uint64_t steps,
                    struct ky_bodies *bodies, double *body_steps)
{
    struct ky_sim *sim;
    assert_ok(ky_sim_open(parameters, bodies, 0.2, &sim, &error));
    assert_ok(ky_sim_advance(sim, steps, &error));
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    if (body_steps)
        *body_steps = body_steps_of(sim);
    ky_sim_close(sim);
}

/* With the same bits, until a body crosses a face: block steps move it to the other side later,
 * which rounds it otherwise. Both can be taken back. */
static void take_longest_steps(double shift, double softening_max)
{
    struct ky_bodies before = {0}, one = {0}, other = {0};
    struct ky_sim *sim;
    struct ky_parameters blocks = blocks_of(standard, 0.0625), shared = blocks;
    struct ky_bodies *const all[] = {&before, &one, &other};
    blocks.eta = 10;
    blocks.softening_max = shared.softening_max = softening_max;
    shared.integrator = KY_LEAPFROG;
    for (int k = 0; k < 3; k++) {
        make_stirred(4, all[k]);
        for (size_t i = 0; i < all[k]->n; i++)
            all[k]->position[i][0] -= shift;
    }
    advance(&shared, 16, &other, NULL);
    assert_ok(ky_sim_open(&blocks, &one, 0.2, &sim, &error));
    assert_ok(ky_sim_advance(sim, 16, &error));
    assert_ok(ky_sim_bodies(sim, &one, &error));
    assert_true(body_steps_of(sim) == 16 * 64);
    assert_between(apart(&one, &other), 0, shift == 0 ? 0 : 1e-14);
    assert_true(apart(&before, &one) > 0.02);
    assert_ok(ky_sim_set_step(sim, -0.0625, &error));
    assert_ok(ky_sim_advance(sim, 16, &error));
    assert_between(ky_sim_time(sim), 0.2 * (1 - 1e-14), 0.2 * (1 + 1e-14));
    assert_ok(ky_sim_bodies(sim, &one, &error));
    assert_between(apart(&before, &one), 0, 1e-11);
    ky_sim_close(sim);
    for (int k = 0; k < 3; k++)
        ky_bodies_free(all[k]);
}

static void take_longest_steps_of_both(void)
{
    take_longest_steps(0, (double)NAN);
    if (!test_everything())
        return;
    take_longest_steps(0.12, (double)NAN); /* a spacing from the faces is 0.125: many cross them */
    take_longest_steps(0, 0.006);          /* the softening is constant until a = 0.3 */
}

static void blocks_of_the_longest_step_are_shared_steps(void **state)
{
    (void)state;
    on_engines(take_longest_steps_of_both, 0);
}

/* Bodies at the nodes of a wave have the longest step, those between them a quarter of it. Their
 * common motion is that of linear theory, though a longest step is 0.17 in ln a. */
static void grow_waves(void)
{
    for (int w = test_everything() ? 0 : 2; w < 3; w++) {
        struct ky_parameters parameters = blocks_of(flat, log(2) / 4);
        double across, body_steps;
        parameters.force = KY_FMM;
        parameters.precision = KY_SINGLE;
        parameters.softening = 0;
        parameters.step_length = 1e-4;
        parameters.eta = 0.25;
        assert_between(growth_of(&lattice_waves[w], &parameters, 4, &body_steps, &across), 1 - 5e-4,
                       1 + 5e-4);
        assert_between(across, 0, 3e-3);
        assert_between(body_steps / (4 * SIDE * SIDE * SIDE), 1.3, 4);
    }
}

static void waves_grow_in_steps_of_several_levels(void **state)
{
    (void)state;
    on_engines(grow_waves, 0);
}

/* Bodies in clumps, so that their steps have several levels. */
static void make_clumps(size_t n, struct ky_bodies *bodies)
{
    make_stirred(n, bodies);
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++) {
            const double *const middle = bodies->position[i % 4];
            if (i >= 4)
                bodies->position[i][c] = middle[c] + 0.2 * (bodies->position[i][c] - 0.5);
            bodies->velocity[i][c] *= 0.3;
        }
}

/* Against 512 shared steps the error falls with the square of eta and of the longest step. */
static void converge(void)
{
    struct ky_bodies exact = {0};
    struct ky_parameters shared = blocks_of(standard, 0.5 / 512);
    double left[2];
    shared.integrator = KY_LEAPFROG;
    make_clumps(4, &exact);
    advance(&shared, 512, &exact, NULL);
    for (int k = 0; k < 2; k++) {
        struct ky_bodies bodies = {0};
        struct ky_parameters blocks = blocks_of(standard, 0.0625 / (k + 1));
        double body_steps;
        blocks.eta = 0.1 / (k + 1);
        make_clumps(4, &bodies);
        advance(&blocks, 8U << k, &bodies, &body_steps);
        left[k] = apart(&bodies, &exact);
        assert_between(body_steps / (double)(64 * (8U << k)), 1.5, 100);
        ky_bodies_free(&bodies);
    }
    assert_between(left[1], 0, 1e-3);
    assert_between(left[0] / left[1], 2.5, 8);
    ky_bodies_free(&exact);
}

static void blocks_converge_to_short_shared_steps(void **state)
{
    (void)state;
    on_engines(converge, 0);
}

/* ---- devices ---- */

/* Takes `longest` longest steps, and one that is a quarter as long in ln a. Returns the number of
 * steps of single bodies. */
static double run_clumps(const struct ky_parameters *parameters, unsigned longest,
                         struct ky_bodies *bodies)
{
    struct ky_sim *sim;
    make_clumps(8, bodies);
    assert_ok(ky_sim_open(parameters, bodies, 0.2, &sim, &error));
    assert_ok(ky_sim_advance(sim, longest, &error));
    assert_ok(ky_sim_advance_to(sim, 0.2 * exp((longest + 0.25) * parameters->step), 1, &error));
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    const double body_steps = body_steps_of(sim);
    ky_sim_close(sim);
    return body_steps;
}

/* The rms difference of places or momenta over the rms change from `begin`: the larger of both. */
static double rms_apart(const struct ky_bodies *a, const struct ky_bodies *b,
                        const struct ky_bodies *begin)
{
    double place = 0, moved = 0, momentum = 0, gain = 0;
    for (size_t i = 0; i < a->n; i++)
        for (int c = 0; c < 3; c++) {
            place += pow(remainder(a->position[i][c] - b->position[i][c], 1), 2);
            moved += pow(remainder(a->position[i][c] - begin->position[i][c], 1), 2);
            momentum += pow(a->velocity[i][c] - b->velocity[i][c], 2);
            gain += pow(a->velocity[i][c] - begin->velocity[i][c], 2);
        }
    return sqrt(fmax(place / moved, momentum / gain));
}

/* Exact sums in double differ by rounding, and fmm by its errors: those of both engines are below
 * 1e-3 of the rms acceleration. In `extended` pairs are rounded to float: the first steps differ by
 * more than the bound, and the change by all steps, which is larger, by less. */
static void devices_move_bodies_as_the_cpu_does(void **state)
{
    (void)state;
    static const struct {
        int force, precision;
        unsigned longest;
        double most;
    } cases[] = {{KY_FMM, KY_SINGLE, 1, 1e-3},
                 {KY_TREE, KY_SINGLE, 1, 3e-3},
                 {KY_DIRECT, KY_EXTENDED, 3, 1e-7},
                 {KY_DIRECT, KY_DOUBLE, 1, 1e-10}};
    struct ky_bodies begin = {0};
    need_a_device();
    make_clumps(8, &begin);
    FOR_DEVICES(k, 1)
    for (int c = 0; c < (is_slow(k) && !test_everything() ? 1 : 4); c++) {
        struct ky_bodies own = {0}, other = {0};
        struct ky_parameters parameters = blocks_of(standard, 0.0625);
        parameters.force = cases[c].force;
        parameters.precision = cases[c].precision;
        parameters.eta = 0.2;
        if (c == 0)
            parameters.softening_max = 0.0042; /* from a = 0.21 on */
        const unsigned longest = cases[c].longest;
        const double body_steps = run_clumps(&parameters, longest, &other);
        parameters.engine = engines[k].engine;
        const double part = run_clumps(&parameters, longest, &own) / body_steps;
        const double off = rms_apart(&own, &other, &begin);
        print_message("%s, case %d: %.1f steps a body, %.4f of them on the device, %.3e off\n",
                      engines[k].engine, c, body_steps / (double)own.n, part, off);
        assert_true(body_steps > 1.5 * (longest + 1) * (double)other.n);
        assert_between(part, 0.98, 1.02);
        assert_between(off, 0, cases[c].most);
        ky_bodies_free(&own);
        ky_bodies_free(&other);
    }
    ky_bodies_free(&begin);
}

/* ---- levels ---- */

/* A call that ends after a ten thousandth of a longest step, as for a snapshot, leaves no short
 * steps for the rest. But a body that had short steps is not given the longest one at once, though
 * the next longest step has another length: with steps of an eighth it takes 1/8, 1/8, 1/4 and 1/2
 * of the next one. */
static void go_on(void)
{
    enum { N = 64 };
    struct ky_bodies bodies = {0};
    struct ky_sim *sim, *again;
    struct ky_parameters parameters = blocks_of(standard, 0.0625);
    double step[N];
    parameters.force = KY_FMM;
    parameters.precision = KY_SINGLE;
    parameters.eta = 10;
    make_stirred(4, &bodies);
    assert_ok(ky_sim_open(&parameters, &bodies, 0.2, &sim, &error));
    assert_ok(ky_sim_advance_to(sim, 0.2 * (1 + 0.0625e-4), 1, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_true(body_steps_of(sim) == 3 * N);
    again = restored(sim, &parameters); /* with steps that are longer than the longest one */
    ky_sim_close(sim);
    sim = again;
    for (int i = 0; i < N; i++)
        step[i] = ky_sim_time(sim) * 0.0625 / 8 * (1 + 0.3 * (i % 2));
    assert_ok(ky_engine_put_column(sim->engine, KY_COLUMN_STEP, step, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_true(body_steps_of(sim) == (3 + 4) * N);
    assert_int_equal(ky_sim_set_parameter(sim, "step-min", "0.001", &error), KY_USAGE);
    assert_ok(ky_sim_set_parameter(sim, "eta", "0.02", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_true(body_steps_of(sim) > (3 + 4 + 3) * N);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

static void steps_go_on_from_one_longest_step_to_the_next(void **state)
{
    (void)state;
    on_engines(go_on, 1);
}

/* ---- the softening ---- */

/* Bodies that all have steps of an eighth of the longest one take 1/8, 1/8, 1/4 and 1/2 of it. */
static void start_with_eighths(struct ky_sim *sim)
{
    const size_t n = ky_sim_n(sim);
    double *step = calloc(n, sizeof *step);
    for (size_t i = 0; i < n; i++)
        step[i] = ky_sim_time(sim) * 0.0625 / 8;
    assert_ok(ky_engine_put_column(sim->engine, KY_COLUMN_STEP, step, &error));
    free(step);
}

/* With --softening-max each force has the softening of its own scale factor, also within a longest
 * step: block steps then move the bodies as shared steps of the same lengths do. A limit that is
 * never reached changes no bit. */
static void soften(int kind, double softening_max)
{
    static const double ends[] = {0.125, 0.25, 0.5, 1};
    const double first = 0.3, last = first * exp(0.0625);
    struct ky_bodies begin = {0};
    struct ky_parameters blocks = blocks_of(standard, 0.0625), shared;
    struct ky_sim *one, *other;
    make_stirred(4, &begin);
    for (int c = 0; c < 3; c++) /* a close pair, whose pull depends on the softening */
        begin.position[1][c] = begin.position[0][c] + 0.01;
    blocks.softening = 0.05, blocks.softening_kind = kind;
    blocks.softening_max = softening_max;
    blocks.eta = 10;
    shared = blocks;
    if (softening_max < 1)
        shared.integrator = KY_LEAPFROG, shared.eta = (double)NAN;
    else
        shared.softening_max = (double)NAN;
    assert_ok(ky_sim_open(&blocks, &begin, first, &one, &error));
    assert_ok(ky_sim_open(&shared, &begin, first, &other, &error));
    start_with_eighths(one);
    assert_ok(ky_sim_advance(one, 1, &error));
    assert_true(body_steps_of(one) == 4 * (double)begin.n);
    const double now = fmin(0.05, softening_max / last);
    assert_between(force_error(one, &blocks, now, KY_DIRECT), 0, 1e-9);
    if (softening_max < 1) {
        struct ky_bodies a, b;
        for (int k = 0; k < 4; k++)
            assert_ok(ky_sim_advance_to(other, first + ends[k] * (last - first), 1, &error));
        assert_ok(ky_bodies_allocate(&a, begin.n, 0, &error));
        assert_ok(ky_bodies_allocate(&b, begin.n, 0, &error));
        assert_ok(ky_sim_bodies(one, &a, &error));
        assert_ok(ky_sim_bodies(other, &b, &error));
        assert_between(apart(&a, &b), 0, 1e-13);
        ky_bodies_free(&a);
        ky_bodies_free(&b);
    } else {
        start_with_eighths(other);
        assert_ok(ky_sim_advance(other, 1, &error));
        assert_same_places(one, other);
    }
    ky_sim_close(one);
    ky_sim_close(other);
    ky_bodies_free(&begin);
}

static void soften_both_kinds(void)
{
    soften(KY_PLUMMER, 0.012);
    soften(KY_SPLINE, 0.012);
    soften(KY_PLUMMER, 1);
}

static void the_softening_follows_the_scale_factor(void **state)
{
    (void)state;
    on_engines(soften_both_kinds, 0);
}

/* ---- bits ---- */

/* No step is longer than eta √(a ε/(g/a²)), which is a difference of a by the rate a H; the longest
 * ones in terms of it are more than a half of it. */
static void assert_steps_obey_the_criterion(struct ky_sim *sim, double eta, double eps)
{
    const struct ky_universe u = {.matter = 0.3, .lambda = 0.7};
    const double a = ky_sim_time(sim), rate = a * ky_expansion_rate(a, &u);
    const size_t n = ky_sim_n(sim);
    struct ky_bodies bodies;
    double *step = calloc(n, sizeof *step), most = 0;
    assert_ok(ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    assert_ok(ky_sim_column(sim, "step", NULL, n, step, &error));
    for (size_t i = 0; i < n; i++) {
        const double *g = bodies.acceleration[i];
        const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        most = fmax(most, step[i] / (rate * eta * sqrt(a * eps / (size / (a * a)))));
    }
    assert_between(most, 0.5, 1 + 1e-6);
    free(step);
    ky_bodies_free(&bodies);
}

/* The same for any number of threads, and after a restart, also between two steps. */
static void compare_bits(void)
{
    static const int forces[] = {KY_FMM, KY_TREE, KY_DIRECT};
    for (int k = 0; k < (test_everything() ? 3 : 1); k++) {
        struct ky_bodies bodies = {0};
        struct ky_sim *one, *other, *again;
        struct ky_parameters parameters = blocks_of(standard, 0.0625);
        parameters.force = forces[k];
        parameters.precision = KY_SINGLE;
        parameters.eta = 0.1;
        parameters.softening_max = 0.0043; /* from a = 0.215 on */
        parameters.threads = 1;
        make_clumps(k == 2 ? 4 : 8, &bodies);
        assert_ok(ky_sim_open(&parameters, &bodies, 0.2, &one, &error));
        parameters.threads = 3;
        assert_ok(ky_sim_open(&parameters, &bodies, 0.2, &other, &error));
        assert_ok(ky_sim_advance(one, 1, &error));
        assert_ok(ky_sim_advance_to(one, 0.22, 1, &error));
        again = restored(one, &parameters);
        assert_ok(ky_sim_advance_to(other, 0.22, 1, &error));
        assert_ok(ky_sim_advance(one, 2, &error));
        assert_ok(ky_sim_advance(other, 2, &error));
        assert_ok(ky_sim_advance(again, 2, &error));
        assert_true(body_steps_of(one) > 4.5 * (double)bodies.n);
        assert_steps_obey_the_criterion(one, parameters.eta,
                                        fmin(parameters.softening, 0.0043 / ky_sim_time(one)));
        assert_same_places(one, other);
        assert_same_places(one, again);
        ky_sim_close(one);
        ky_sim_close(other);
        ky_sim_close(again);
        ky_bodies_free(&bodies);
    }
}

static void bits_are_the_same(void **state)
{
    (void)state;
    on_engines(compare_bits, 0);
}

/* With a flag that is always up a call ends in the middle of a part of a step, and between two
 * parts. It goes on from there, also after a restart, to the bits of a run that was never stopped.
 */
static void stop_within(int force, double eta, unsigned steps)
{
    const volatile int stop = 1;
    int amid = 0, between = 0;
    struct ky_bodies whole = {0}, bodies = {0};
    struct ky_sim *sim, *again;
    struct ky_parameters parameters = blocks_of(standard, 0.25);
    double body_steps;
    parameters.force = force;
    parameters.late_step = 0.05; /* two and three parts */
    parameters.eta = eta;
    parameters.softening_max = 0.0042; /* from a = 0.21 on */
    make_clumps(3, &whole);
    make_clumps(3, &bodies);
    advance(&parameters, steps, &whole, &body_steps);
    const double end = 0.2 * exp(steps * 0.25);
    parameters.stop = &stop;
    assert_ok(ky_sim_open(&parameters, &bodies, 0.2, &sim, &error));
    while (ky_sim_time(sim) < end * (1 - 1e-12)) {
        sim->integrator->patience = 0;
        const enum ky_status status = ky_sim_advance_to(sim, end, 0, &error);
        if (ky_sim_time(sim) > end * (1 - 1e-12))
            break;
        assert_int_equal(status, KY_STOPPED);
        if (!ky_sim_is_within(sim))
            continue;
        amid += sim->integrator->within > 0;
        between += sim->integrator->within == 0;
        assert_non_null(strstr(error.text, "% is done"));
        assert_int_equal(ky_sim_bodies(sim, &bodies, &error), KY_USAGE);
        assert_int_equal(ky_sim_advance_to(sim, ky_sim_time(sim) * 1.1, 1, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "within a step to a = "));
        if ((amid + between) % 2)
            continue;
        again = restored(sim, &parameters);
        ky_sim_close(sim);
        sim = again;
    }
    print_message("%s: %d stops within parts, %d between them\n", engine, amid, between);
    /* devices stop within a part only after 512 blocks, also with exact sums */
    assert_true(between >= 1 && (amid >= 2 || strcmp(engine, "cpu")));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    assert_memory_equal(bodies.position, whole.position, bodies.n * sizeof *bodies.position);
    assert_memory_equal(bodies.velocity, whole.velocity, bodies.n * sizeof *bodies.velocity);
    assert_true(body_steps_of(sim) == body_steps);
    ky_sim_close(sim);
    ky_bodies_free(&whole);
    ky_bodies_free(&bodies);
}

static void stop_with_both(void)
{
    stop_within(KY_DIRECT, 0.014, 1);
    if (!test_everything())
        return;
    stop_within(KY_DIRECT, 0.014, 2);
    stop_within(KY_FMM, 2e-3, 2); /* a tree is built again after 512 blocks */
}

static void a_flag_stops_within_a_step(void **state)
{
    (void)state;
    if (test_everything()) /* hundreds of blocks */
        on_engines(stop_with_both, 0);
    else
        stop_with_both();
}

/* ---- few bodies, and what is refused ---- */

static void move_few(void)
{
    for (size_t n = test_everything() ? 0 : 1; n < 3; n++) {
        struct ky_bodies bodies = {0};
        struct ky_sim *sim;
        struct ky_parameters parameters = blocks_of(flat, 0.125);
        make_lattice(2, mass_of(1), &bodies);
        bodies.velocity[0][0] = 0.05;
        bodies.n = n;
        if (n == 1)
            bodies.position[0][0] = 0.9;
        assert_ok(ky_sim_open(&parameters, &bodies, 0.25, &sim, &error));
        assert_ok(ky_sim_advance_to(sim, 1, 1, &error));
        assert_ok(ky_sim_bodies(sim, &bodies, &error));
        if (n == 1) /* alone it moves with its momentum, also through the wall */
            assert_between(bodies.position[0][0], 0.9 + 0.05 * 2 - 1 - 1e-12,
                           0.9 + 0.05 * 2 - 1 + 1e-12);
        for (int c = 0; c < 3 && n == 2; c++)
            assert_between(bodies.velocity[0][c] + bodies.velocity[1][c], (c ? 0 : 0.05) - 1e-9,
                           (c ? 0 : 0.05) + 1e-9);
        ky_sim_close(sim);
        bodies.n = 8;
        ky_bodies_free(&bodies);
    }
}

static void few_bodies_move(void **state)
{
    (void)state;
    on_engines(move_few, 0);
}

static void what_has_no_meaning_is_refused(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    static const struct {
        const char *told;
        double box, step_min, step_max, softening, softening_max;
    } cases[] = {{"--late-step", 1, 1e-3, NAN, 0.02, NAN},
                 {"--late-step", 1, NAN, 0.1, 0.02, NAN},
                 {"leapfrog", 0, NAN, NAN, 0.02, NAN},
                 {"--step-length", 1, NAN, NAN, 0, NAN},
                 {"softening-max", 0, NAN, NAN, 0.02, 0.1}};
    make_lattice(2, mass_of(1), &bodies);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters = blocks_of(flat, 0.1);
        parameters.box = cases[k].box;
        parameters.step_min = cases[k].step_min;
        parameters.step_max = cases[k].step_max;
        parameters.softening = cases[k].softening;
        parameters.softening_max = cases[k].softening_max;
        assert_int_equal(ky_sim_open(&parameters, &bodies, 0.5, &sim, &error), KY_USAGE);
        assert_non_null(strstr(error.text, cases[k].told));
    }
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_of_short_steps_are_accurate),
        cmocka_unit_test(blocks_of_the_longest_step_are_shared_steps),
        cmocka_unit_test(waves_grow_in_steps_of_several_levels),
        cmocka_unit_test(blocks_converge_to_short_shared_steps),
        cmocka_unit_test(devices_move_bodies_as_the_cpu_does),
        cmocka_unit_test(steps_go_on_from_one_longest_step_to_the_next),
        cmocka_unit_test(the_softening_follows_the_scale_factor),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(a_flag_stops_within_a_step),
        cmocka_unit_test(few_bodies_move),
        cmocka_unit_test(what_has_no_meaning_is_refused),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
