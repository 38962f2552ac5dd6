/* Bodies in a comoving box: the integrals of kicks and drifts, plane waves on a lattice against
 * particle linear theory, reversal of time, kinds of steps and their division, and what is
 * refused. It is one file because most of its tests share the waves and the stirred lattice. */
#include "comoving.h"

#include <string.h>

#include "physics/expansion.h"

/* ---- integrals ---- */

/* With Ωm = 1: ∫ d ln a/(a H) = 2 √a, ∫ d ln a/(a² H) = −2/√a. With matter and radiation H = √(Ωm +
 * Ωr/a)/a^1.5, ∫ d ln a/(a H) = 2 √(Ωm a + Ωr)/Ωm. With Ωm = 0 and w = −1/3, as curvature,
 * ∫ d ln a/(a H) = ln a. */
static void integrals_are_those_of_textbooks(void **state)
{
    (void)state;
    const struct ky_universe matter = {.matter = 1}, dark = {.lambda = 1, .w0_and_1 = 2. / 3},
                             both = {.matter = 0.6, .radiation = 0.4},
                             changing = {.lambda = 1, .w0_and_1 = 0.5, .wa = -0.5};
    for (double a = 0.01; a < 1; a *= 1.3) {
        const double b = 1.3 * a;
        assert_between(ky_comoving_integral(a, b, 1, &matter) / (2 * (sqrt(b) - sqrt(a))),
                       1 - 1e-13, 1 + 1e-13);
        assert_between(ky_comoving_integral(a, b, 2, &matter) / (2 / sqrt(a) - 2 / sqrt(b)),
                       1 - 1e-13, 1 + 1e-13);
        assert_between(ky_comoving_integral(a, b, 1, &both) * 0.6 /
                           (2 * (sqrt(0.6 * b + 0.4) - sqrt(0.6 * a + 0.4))),
                       1 - 1e-12, 1 + 1e-12);
        assert_between(ky_comoving_integral(a, b, 1, &dark) / log(1.3), 1 - 1e-12, 1 + 1e-12);
        assert_between(ky_comoving_integral(b, a, 2, &both) + ky_comoving_integral(a, b, 2, &both),
                       -1e-13, 1e-13);
    }
    /* w(a) = −1 + 0.5 − 0.5 (1 − a) = −1 + 0.5 a: ρ = exp(1.5 (1 − a)) */
    assert_between(ky_dark_energy(&changing, 0.5) / exp(0.75), 1 - 1e-14, 1 + 1e-14);
    assert_true(ky_expansion_reaches(0.1, 1, &matter));
    assert_false(ky_expansion_reaches(0.1, 3, &(struct ky_universe){.matter = 2}));
}

/* A step of a wave x in kick-drift-kick form: its pull on itself is 3/2 Ωm H0² x. */
static void step_wave(const struct ky_step_factors *step, double pull, double *x, double *p)
{
    *p += pull * *x * step->kick;
    *x += *p * step->drift;
    *p += pull * *x * step->last_kick;
}

/* With Ωm = 1 a wave is x = a, p = a^1.5 after steps of any length, there and back. With Λ a step
 * of 0.25 is wrong by 1e-4, where exact integrals are by 1e-2. */
static void a_wave_grows_exactly_in_long_steps(void **state)
{
    (void)state;
    const struct ky_universe matter = {.matter = 1}, dark = {.matter = 0.3, .lambda = 0.7},
                             empty = {.lambda = 1};
    for (double length = 0.01; length < 1; length *= 2) {
        const double from = 0.1, to = from * exp(length);
        const struct ky_step_factors there = ky_comoving_step_of(from, to, &matter),
                                     back = ky_comoving_step_of(to, from, &matter);
        double x = from, p = pow(from, 1.5);
        step_wave(&there, 1.5, &x, &p);
        assert_between(x / to, 1 - 3e-8, 1 + 3e-8);
        assert_between(p / pow(to, 1.5), 1 - 3e-8, 1 + 3e-8);
        assert_between(back.kick / there.last_kick, -1 - 1e-9, -1 + 1e-9);
        assert_between(back.last_kick / there.kick, -1 - 1e-9, -1 + 1e-9);
        assert_true(there.drift == ky_comoving_integral(from, to, 2, &matter));
    }
    double a = 0.1, x = ky_growth_factor(a, &dark), p = a * a * ky_expansion_rate(a, &dark) * x,
           y = x, q = p;
    for (int k = 0; k < 8; k++, a *= exp(0.25)) {
        const double b = a * exp(0.25), middle = sqrt(a * b);
        const struct ky_step_factors step = ky_comoving_step_of(a, b, &dark),
                                     plain = {ky_comoving_integral(a, middle, 1, &dark), step.drift,
                                              ky_comoving_integral(middle, b, 1, &dark)};
        step_wave(&step, 0.45, &x, &p);
        step_wave(&plain, 0.45, &y, &q);
    }
    const double d = ky_growth_factor(a, &dark);
    assert_between(x / d, 1 - 5e-4, 1 + 5e-4);
    assert_between(y / d, 0, 1 - 5e-3);
    /* both kicks at one evaluation of the forces differ from the integral in the third order */
    double differs[2];
    for (int k = 0; k < 2; k++) {
        const double h = 0.1 / (k + 1);
        const struct ky_step_factors before = ky_comoving_step_of(0.5 * exp(-h), 0.5, &dark),
                                     after = ky_comoving_step_of(0.5, 0.5 * exp(h), &dark);
        differs[k] = before.last_kick + after.kick -
                     ky_comoving_integral(0.5 * exp(-h / 2), 0.5 * exp(h / 2), 1, &dark);
    }
    assert_between(differs[0] / differs[1], 7, 9);
    const struct ky_step_factors none = ky_comoving_step_of(0.5, 0.5, &dark),
                                 free = ky_comoving_step_of(0.5, 0.6, &empty);
    assert_between(fabs(none.kick) + fabs(none.drift) + fabs(none.last_kick), 0, 1e-15);
    assert_between((free.kick + free.last_kick) / ky_comoving_integral(0.5, 0.6, 1, &empty),
                   1 - 1e-13, 1 + 1e-13);
}

/* ---- simulations ---- */

/* e of the wave: the pull of the lattice on a small wave over the one on a fluid, 4πG ρ × the
 * displacement, by the exact sum. */
static double eigenvalue(const struct wave *wave, const struct ky_bodies *lattice, double mass)
{
    const double size = 1e-4 / SIDE;
    struct ky_parameters parameters = parameters_of(flat, 0.01);
    struct ky_bodies moved = {0};
    struct ky_sim *sim;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    make_lattice(SIDE, mass, &moved);
    displace(wave, size, lattice, moved.position);
    assert_ok(ky_sim_open(&parameters, &moved, 0.1, &sim, &error));
    struct ky_bodies pulled = {.n = moved.n, .acceleration = moved.velocity};
    assert_ok(ky_sim_bodies(sim, &pulled, &error));
    double sum = 0;
    for (size_t i = 0; i < moved.n; i++)
        for (int c = 0; c < 3; c++)
            sum += 2 * moved.velocity[i][c] * wave->k[c] / wave->length *
                   sin(phase_at(wave, lattice->position[i])) / (double)moved.n;
    ky_sim_close(sim);
    ky_bodies_free(&moved);
    return sum / (4 * pi * mass * size);
}

/* Waves along (1,1,0) and (1,1,1) have other e than a fluid. */
static void plane_waves_grow_as_on_a_lattice(void **state)
{
    (void)state;
    const double mass = mass_of(1);
    struct ky_bodies lattice = {0};
    make_lattice(SIDE, mass, &lattice);
    for (int w = 0; w < (test_everything() ? 2 * LATTICE_WAVES : LATTICE_WAVES); w++) {
        const struct lattice_wave *own = &lattice_waves[w];
        struct ky_parameters parameters = parameters_of(flat, log(2) / 16);
        double across;
        parameters.force = KY_FMM;
        if (w == 0)
            assert_between(eigenvalue(&own->wave, &lattice, mass), own->e - 5e-6, own->e + 5e-6);
        assert_between(growth_of(own, &parameters, 16, NULL, &across), 1 - 5e-4, 1 + 5e-4);
        assert_between(across, 0, 2e-3);
    }
    ky_bodies_free(&lattice);
}

static void steps_can_be_taken_back(void **state)
{
    (void)state;
    struct ky_bodies before = {0}, after = {0};
    struct ky_sim *sim;
    struct ky_parameters parameters = parameters_of(standard, 0.0625);
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.softening = 0.02;
    make_stirred(6, &before);
    make_stirred(6, &after);
    assert_ok(ky_sim_open(&parameters, &before, 0.2, &sim, &error));
    assert_ok(ky_sim_advance(sim, 16, &error));
    assert_ok(ky_sim_bodies(sim, &after, &error));
    double moved = 0, left = 0;
    for (size_t i = 0; i < before.n; i++)
        for (int c = 0; c < 3; c++)
            moved = fmax(moved, fabs(remainder(after.position[i][c] - before.position[i][c], 1)));
    assert_ok(ky_sim_set_step(sim, -0.0625, &error));
    assert_ok(ky_sim_advance(sim, 16, &error));
    assert_between(ky_sim_time(sim), 0.2 * (1 - 1e-14), 0.2 * (1 + 1e-14));
    assert_ok(ky_sim_bodies(sim, &after, &error));
    for (size_t i = 0; i < before.n; i++)
        for (int c = 0; c < 3; c++) {
            left = fmax(left, fabs(remainder(after.position[i][c] - before.position[i][c], 1)));
            left = fmax(left, fabs(after.velocity[i][c] - before.velocity[i][c]));
        }
    assert_true(moved > 0.02);
    assert_between(left, 0, 1e-11);
    ky_sim_close(sim);
    ky_bodies_free(&before);
    ky_bodies_free(&after);
}

/* A body alone moves with its momentum, also through the wall. */
static void one_body_drifts(void **state)
{
    (void)state;
    struct ky_bodies body = {0};
    struct ky_sim *sim;
    struct ky_parameters parameters = parameters_of(flat, 0.125);
    assert_ok(ky_bodies_allocate(&body, 1, 0, &error));
    body.mass[0] = mass_of(1);
    body.position[0][0] = 0.9;
    body.velocity[0][0] = 0.05;
    assert_ok(ky_sim_open(&parameters, &body, 0.25, &sim, &error));
    assert_ok(ky_sim_advance_to(sim, 1, 1, &error));
    assert_ok(ky_sim_bodies(sim, &body, &error));
    assert_between(body.position[0][0], 0.9 + 0.05 * 2 - 1 - 1e-12, 0.9 + 0.05 * 2 - 1 + 1e-12);
    assert_between(body.velocity[0][0], 0.05 - 1e-15, 0.05 + 1e-15); /* its images pull equally */
    assert_true(ky_sim_steps(sim) == 12);                            /* the last one is shorter */
    ky_sim_close(sim);
    ky_bodies_free(&body);
}

/* Two bodies and eight, at rest on a lattice, feel nothing. */
static void few_bodies_rest_on_a_lattice(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    struct ky_parameters parameters = parameters_of(flat, 0.125);
    make_lattice(2, mass_of(1), &bodies);
    assert_ok(ky_sim_open(&parameters, &bodies, 0.25, &sim, &error));
    assert_ok(ky_sim_advance(sim, 8, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    for (int i = 0; i < 8; i++)
        for (int c = 0; c < 3; c++)
            assert_between(fabs(bodies.position[i][c] - 0.5), 0.25 - 1e-5, 0.25 + 1e-5);
    ky_sim_close(sim);
    bodies.n = 2; /* (0.25, 0.25, 0.25) and (0.25, 0.25, 0.75): half a box apart */
    assert_ok(ky_sim_open(&parameters, &bodies, 0.25, &sim, &error));
    assert_ok(ky_sim_advance(sim, 8, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    assert_between(bodies.position[1][2] - bodies.position[0][2], 0.5 - 1e-5, 0.5 + 1e-5);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* The softening is constant until its physical length is the largest one, with each kind, each
 * force, and after parameters have changed. */
static void the_softening_has_a_largest_physical_length(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_TREE, KY_FMM};
    for (int k = 0; k < 6; k++) {
        struct ky_bodies bodies = {0};
        struct ky_sim *sim;
        struct ky_parameters parameters = parameters_of(standard, 0.0625),
                             told = {.size = sizeof told};
        const enum ky_force force = (enum ky_force)forces[k % 3];
        const double near =
            force == KY_DIRECT ? 1e-9 : 1e-4; /* tolerances follow the last forces */
        make_stirred(4, &bodies);
        for (int c = 0; c < 3; c++) /* a close pair, whose pull depends on the softening */
            bodies.position[1][c] = bodies.position[0][c] + 0.01;
        parameters.softening = 0.05, parameters.softening_max = 0.02;
        parameters.softening_kind = k < 3 ? KY_PLUMMER : KY_SPLINE;
        parameters.force = (int)force, parameters.precision = KY_DOUBLE;
        assert_ok(ky_sim_open(&parameters, &bodies, 0.2, &sim, &error));
        assert_between(force_error(sim, &parameters, 0.05, force), 0, near);
        assert_ok(ky_sim_advance_to(sim, 0.36, 1, &error)); /* 0.02/0.4 = 0.05 */
        assert_between(force_error(sim, &parameters, 0.05, force), 0, near);
        assert_ok(ky_sim_advance_to(sim, 0.5, 1, &error));
        assert_between(force_error(sim, &parameters, 0.04, force), 0, near);
        assert_true(force_error(sim, &parameters, 0.05, force) > 1e-3);
        assert_ok(ky_sim_parameters(sim, &told, &error));
        assert_true(told.softening == 0.05 && told.softening_max == 0.02);
        assert_ok(ky_sim_set_parameter(sim, "eta", "0.5", &error));
        assert_int_equal(ky_sim_set_softening(sim, 0.01, &error), KY_USAGE);
        assert_int_equal(ky_sim_set_parameter(sim, "softening", "0.01", &error), KY_USAGE);
        assert_ok(ky_sim_advance_to(sim, 0.8, 1, &error));
        assert_between(force_error(sim, &parameters, 0.025, force), 0, near);
        assert_ok(ky_sim_advance_to(sim, 0.80001, 1, &error));
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

static void steps_are_divided_where_bodies_are_fast(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    struct ky_parameters parameters = parameters_of(standard, 0.125);
    make_stirred(4, &bodies);
    for (size_t i = 0; i < bodies.n; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] *= 100;
    assert_ok(ky_sim_open(&parameters, &bodies, 0.5, &sim, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_true(ky_sim_steps(sim) > 2 && ky_sim_steps(sim) < 20);
    ky_sim_close(sim);
    parameters.eta = 0.05; /* and where they are pulled strongly */
    parameters.softening = 0.01;
    ky_bodies_free(&bodies);
    make_stirred(4, &bodies);
    assert_ok(ky_sim_open(&parameters, &bodies, 0.5, &sim, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_true(ky_sim_steps(sim) > 1);
    ky_sim_close(sim);
    for (size_t i = 0; i < bodies.n; i++)
        bodies.velocity[i][0] = 1e6;
    parameters.eta = (double)NAN;
    assert_ok(ky_sim_open(&parameters, &bodies, 0.5, &sim, &error));
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "sides of the box"));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* --late-step bounds steps by D/a^(3/4); without --step it has a default, with it alone none. */
static void late_steps_are_shorter(void **state)
{
    (void)state;
    static const struct {
        double step, late, told;
        unsigned least, most; /* steps from a = 0.02 to 1; ∫ a^(3/4) d ln a/D is 105 */
    } cases[] = {{0.12, (double)NAN, (double)NAN, 33, 33},
                 {0.12, 0.012, 0.012, 118, 132},
                 {0.06, 0.006, 0.006, 236, 264},
                 {(double)NAN, (double)NAN, 0.012, 0, 0},
                 {(double)NAN, 0.02, 0.02, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_bodies bodies = {0};
        struct ky_sim *sim;
        struct ky_parameters parameters = parameters_of(standard, cases[k].step),
                             told = {.size = sizeof told};
        parameters.late_step = cases[k].late;
        make_lattice(2, mass_of(0.3), &bodies);
        assert_ok(ky_sim_open(&parameters, &bodies, 0.02, &sim, &error));
        assert_ok(ky_sim_parameters(sim, &told, &error));
        assert_true(told.late_step == cases[k].told || isnan(told.late_step + cases[k].told));
        if (cases[k].most)
            assert_ok(ky_sim_advance_to(sim, 1, 1, &error));
        assert_between((double)ky_sim_steps(sim), cases[k].least, cases[k].most);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

/* A step that is set ends the default of late_step, and leaves one that was given, which can change
 * too. */
static void a_step_that_is_set_is_the_step(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        struct ky_bodies bodies = {0};
        struct ky_sim *sim;
        struct ky_parameters parameters = parameters_of(standard, (double)NAN),
                             told = {.size = sizeof told};
        parameters.late_step = given ? 0.02 : (double)NAN;
        make_lattice(2, mass_of(0.3), &bodies);
        assert_ok(ky_sim_open(&parameters, &bodies, 0.02, &sim, &error));
        assert_ok(ky_sim_set_step(sim, 0.12, &error));
        assert_ok(ky_sim_parameters(sim, &told, &error));
        assert_true(given ? told.late_step == 0.02 : isnan(told.late_step));
        if (given)
            assert_ok(ky_sim_set_parameter(sim, "late-step", "0.03", &error));
        else { /* equal steps in ln a */
            assert_ok(ky_sim_advance_to(sim, 1, 1, &error));
            assert_int_equal(ky_sim_steps(sim), 33);
        }
        assert_ok(ky_sim_parameters(sim, &told, &error));
        assert_true(given ? told.late_step == 0.03 : isnan(told.late_step));
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
}

static struct ky_sim *open_steps_in_a(int integrator, const struct ky_bodies *bodies)
{
    struct ky_sim *sim;
    struct ky_parameters parameters = parameters_of(standard, (double)NAN);
    parameters.force = KY_DIRECT, parameters.precision = KY_DOUBLE, parameters.softening = 0.02;
    parameters.integrator = integrator;
    if (integrator == KY_BLOCK_STEPS) /* all bodies have the longest step */
        parameters.eta = 10;
    parameters.step_a = 0.036;
    assert_ok(ky_sim_open(&parameters, bodies, 0.2, &sim, &error));
    return sim;
}

/* Steps of --step-a are 0.12 in ln a up to a = 0.3, and equal in a from there on, with block steps
 * too. They can be taken back, and a restart keeps them. */
static void steps_are_equal_in_a(void **state)
{
    (void)state;
    enum { STEPS = 12 };
    static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS};
    struct ky_sim *sims[2], *again;
    struct ky_bodies begin = {0}, end = {0};
    struct ky_parameters told = {.size = sizeof told};
    make_stirred(4, &begin);
    make_stirred(4, &end);
    for (int k = 0; k < 2; k++) {
        struct ky_sim *sim = sims[k] = open_steps_in_a(integrators[k], &begin);
        for (int step = 0; step < STEPS; step++) {
            const double a = ky_sim_time(sim);
            assert_ok(ky_sim_advance(sim, 1, &error));
            const double to = ky_sim_time(sim), length = to - a, of_ln_a = log(to / a);
            assert_between(of_ln_a, 0.036, 0.12 + 1e-13);
            if (to < 0.3)
                assert_between(of_ln_a, 0.12 - 1e-13, 0.12 + 1e-13);
            if (a > 0.3)
                assert_between(length, 0.036 - 1e-14, 0.036 + 1e-14);
        }
        assert_int_equal(ky_sim_steps(sim), STEPS);
        assert_ok(ky_sim_parameters(sim, &told, &error));
        assert_true(told.step == 0.12 && told.step_a == 0.036 && isnan(told.late_step));
    }
    assert_same_places(sims[0], sims[1]);
    again = restored(sims[0], &told);
    assert_ok(ky_sim_advance(again, 2, &error));
    assert_ok(ky_sim_advance(sims[1], 2, &error));
    assert_true(ky_sim_time(again) == ky_sim_time(sims[1]));
    assert_same_places(again, sims[1]);
    assert_ok(ky_sim_set_step(sims[0], -0.12, &error));
    assert_ok(ky_sim_advance(sims[0], STEPS, &error));
    assert_between(ky_sim_time(sims[0]), 0.2 - 1e-14, 0.2 + 1e-14);
    assert_ok(ky_sim_bodies(sims[0], &end, &error));
    for (size_t i = 0; i < end.n; i++)
        for (int c = 0; c < 3; c++)
            assert_between(remainder(end.position[i][c] - begin.position[i][c], 1), -1e-11, 1e-11);
    const double a = ky_sim_time(again);
    assert_ok(ky_sim_set_parameter(again, "step-a", "0.02", &error));
    assert_ok(ky_sim_advance(again, 1, &error));
    assert_between(ky_sim_time(again) - a, 0.02 - 1e-14, 0.02 + 1e-14);
    assert_int_equal(ky_sim_set_step(again, 0.05, &error), KY_USAGE);
    assert_int_equal(ky_sim_set_parameter(again, "late-step", "0.01", &error), KY_USAGE);
    ky_sim_close(again);
    for (int k = 0; k < 2; k++)
        ky_sim_close(sims[k]);
    ky_bodies_free(&begin);
    ky_bodies_free(&end);
}

/* Two kinds of steps together, lengths that make no steps, and open space. */
static void other_steps_in_a_are_refused(void **state)
{
    (void)state;
    static const struct {
        double box, step, late, step_a;
        const char *told;
    } cases[] = {{1, 0.05, (double)NAN, 0.05, "--step-a and --step"},
                 {1, (double)NAN, 0.012, 0.05, "--step-a and --late-step"},
                 {1, 0.12, 0.012, 0.05, "--step-a and --late-step"},
                 {1, (double)NAN, (double)NAN, 0, "step-a"},
                 {1, (double)NAN, (double)NAN, -0.05, "step-a"},
                 {1, (double)NAN, (double)NAN, (double)INFINITY, "step-a"},
                 {0, 0.12, (double)NAN, 0.05, "outside a comoving box"}};
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    make_lattice(2, mass_of(0.3), &bodies);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters = parameters_of(standard, cases[k].step);
        parameters.box = cases[k].box;
        parameters.late_step = cases[k].late;
        parameters.step_a = cases[k].step_a;
        assert_int_equal(ky_sim_open(&parameters, &bodies, 0.5, &sim, &error), KY_USAGE);
        assert_non_null(strstr(error.text, cases[k].told));
    }
    ky_bodies_free(&bodies);
}

/* A flag ends the search for α at a doubling of the scale factor before its step, also the flag of
 * a run, which the simulation does not heed between steps. The next call goes on with the same
 * bits. */
static void a_flag_ends_a_search(void **state)
{
    (void)state;
    volatile int flag = 0;
    double x[2][8 * 8 * 8][3];
    for (int k = 0; k < 2; k++) {
        struct ky_bodies bodies = {0};
        struct ky_sim *sim;
        struct ky_stop stop = {.size = sizeof stop};
        struct ky_parameters parameters = parameters_of(standard, 0.36);
        parameters.force = KY_FMM;
        parameters.error = 1e-2;
        make_lattice(8, mass_of(0.3), &bodies);
        for (size_t i = 0; i < bodies.n; i += 3)
            bodies.position[i][i % 2] += 0.01 * SIDE;
        assert_ok(ky_sim_open(&parameters, &bodies, 0.02, &sim, &error));
        if (k) {
            flag = 1;
            sim->search_stop = &flag;
            assert_int_equal(ky_sim_advance(sim, 4, &error), KY_STOPPED);
            assert_between(ky_sim_time(sim) / 0.02 / exp(2 * 0.36), 1 - 1e-9, 1 + 1e-9);
            ky_sim_stop_reason(sim, &stop);
            assert_int_equal(stop.kind, KY_STOP_ASKED);
            flag = 0;
        }
        assert_ok(ky_sim_advance(sim, k ? 2 : 4, &error));
        assert_ok(ky_sim_get(sim, &bodies, &error));
        memcpy(x[k], bodies.position, sizeof x[k]);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

/* --late-step and --step are refused together where a step would have too many parts. */
static void too_many_parts_are_refused(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    struct ky_parameters parameters = parameters_of(standard, 0.12);
    parameters.late_step = 1e-6;
    make_lattice(2, mass_of(0.3), &bodies);
    assert_ok(ky_sim_open(&parameters, &bodies, 0.02, &sim, &error));
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "--late-step"));
    assert_int_equal(ky_sim_steps(sim), 0);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

static void impossible_universes_are_refused(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    make_lattice(2, 1, &bodies);
    static const struct {
        const char *expansion;
        double box, a, eta;
        const char *told;
    } cases[] = {
        {flat, 1, 0, (double)NAN, "scale factor"},
        {flat, 1, -1, (double)NAN, "scale factor"},
        {"omega-m=0.1,omega-lambda=3,h0=1", 1, 0.5, (double)NAN, "scale factor"},
        {"omega-m=1,omega-r=-1,h0=1", 1, 0.5, (double)NAN, "omega-r"},
        {"omega-m=1,omega-r=0.1,h0=1", 0, 0.5, (double)NAN, "omega-r"},
        {"omega-m=1,w0=-0.9,h0=1", 0, 0.5, (double)NAN, "omega-r"},
        {NULL, 1, 0.5, 0.1, "--eta"},
        {flat, 1, 0.5, 0.1, "--softening"},
    };
    struct ky_parameters bounded = parameters_of(flat, 0.1);
    double eps[8] = {0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05};
    bounded.softening_max = 0.1, bounded.softening = (double)NAN; /* of each body */
    bodies.softening = eps;
    assert_int_equal(ky_sim_open(&bounded, &bodies, 0.5, &sim, &error), KY_UNSUPPORTED);
    bounded.softening = 0.1, bounded.expansion = NULL, bodies.softening = NULL;
    assert_int_equal(ky_sim_open(&bounded, &bodies, 0.5, &sim, &error), KY_USAGE);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters = parameters_of(cases[k].expansion, 0.1);
        parameters.box = cases[k].box;
        parameters.eta = cases[k].eta;
        assert_int_equal(ky_sim_open(&parameters, &bodies, cases[k].a, &sim, &error), KY_USAGE);
        assert_non_null(strstr(error.text, cases[k].told));
    }
    struct ky_parameters parameters = parameters_of("omega-m=2,h0=1", 0.1);
    assert_ok(ky_sim_open(&parameters, &bodies, 1, &sim, &error)); /* it turns round at a = 2 */
    assert_int_equal(ky_sim_advance_to(sim, 3, 1, &error), KY_USAGE);
    assert_ok(ky_sim_advance_to(sim, 1.5, 1, &error));
    assert_int_equal(ky_sim_advance(sim, 10, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "does not expand"));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* ---- an error that is kept ---- */

/* Bodies near a lattice, which waves have moved. */
static void make_waves(struct ky_bodies *bodies)
{
    make_lattice(8, mass_of(1), bodies);
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++) {
            struct ky_random random = ky_random_at(9, (uint32_t)c, i);
            bodies->position[i][c] += 0.02 * ky_random_normal(&random);
        }
}

/* With a step of ln a of 0.35 the scale factor has doubled before the third step. */
static void an_error_is_kept(void **state)
{
    (void)state;
    volatile int stop = 0;
    struct ky_parameters parameters = parameters_of(flat, 0.35);
    struct ky_bodies bodies;
    struct ky_sim *sim, *other;
    struct ky_choice choice = {.size = sizeof choice};
    parameters.force = KY_FMM;
    parameters.error = 1e-3;
    parameters.softening = 0.01;
    parameters.stop = &stop;
    make_waves(&bodies);
    assert_ok(ky_sim_open(&parameters, &bodies, 0.02, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_int_equal(sim->tunings, 1);
    other = restored(sim, &parameters);
    assert_int_equal(other->tunings, 1);
    stop = 1; /* during the search */
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_STOPPED);
    assert_int_equal(ky_sim_steps(sim), 2);
    assert_int_equal(sim->tunings, 1);
    stop = 0;
    assert_ok(ky_sim_advance(sim, 4, &error));
    assert_ok(ky_sim_advance(other, 4, &error));
    assert_int_equal(sim->tunings, 3);
    assert_memory_equal(sim->tuned, other->tuned, 3 * sizeof *sim->tuned);
    assert_between(sim->tuned[2].a / (0.02 * exp(4 * 0.35)), 1 - 1e-12, 1 + 1e-12);
    ky_sim_choice(sim, &choice);
    assert_true(choice.alpha == sim->parameters.alpha && choice.alpha == sim->tuned[2].alpha);
    assert_same_places(sim, other);
    assert_between(choice.measured, 1e-4, 1e-3);
    /* Where no α keeps the error, the last one stays. */
    const double alpha = choice.alpha;
    sim->choice.asked = 1e-12;
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_true(sim->tunings == 4 && sim->parameters.alpha == alpha);
    assert_true(isnan(sim->choice.measured) && isnan(sim->tuned[3].error));
    ky_sim_close(other);
    other = restored(sim, &parameters);
    assert_int_equal(other->tunings, 4);
    /* The searches go on after a change that decides no error. An α of the caller stays. */
    sim->choice.asked = 1e-3;
    assert_ok(ky_sim_set_parameter(sim, "softening", "0.005", &error));
    assert_ok(ky_sim_set_parameter(sim, "leaf", "8", &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_true(sim->tunings == 5 && sim->choice.measured <= 1e-3);
    assert_ok(ky_sim_set_parameter(sim, "alpha", "0.003", &error));
    assert_true(isnan(sim->choice.measured));
    assert_ok(ky_sim_advance(sim, 3, &error));
    assert_true(sim->tunings == 0 && sim->parameters.alpha == 0.003);
    ky_sim_close(sim);
    ky_sim_close(other);
    bodies.n = 0;
    assert_ok(ky_sim_open(&parameters, &bodies, 0.02, &sim, &error));
    assert_ok(ky_sim_advance(sim, 3, &error));
    ky_sim_close(sim);
    bodies.n = 512;
    ky_bodies_free(&bodies);
}

/* A file with an impossible list is refused. */
static void impossible_tunings_are_refused(void **state)
{
    (void)state;
    static const struct ky_tuned_force good = {0.02, 6, 1e-3, 5e-4, 512},
                                       bad[] = {{-1, 6, 1e-3, 5e-4, 512},
                                                {0.02, 6, 2, 5e-4, 512},
                                                {0.02, 6, (double)NAN, 5e-4, 512},
                                                {0.02, 6, 1e-3, -1, 512},
                                                {0.02, 6, 1e-3, 5e-4, -1}};
    struct ky_sim sim = {.tunings = 0};
    struct ky_section section = {"tunings", &good, sizeof good};
    const struct ky_restart restart = {.count = 1, .section = &section};
    assert_ok(ky_sim_restore_tunings(&sim, &restart, &error));
    assert_int_equal(sim.tunings, 1);
    ky_sim_end_tunings(&sim);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        section.data = &bad[k];
        assert_int_equal(ky_sim_restore_tunings(&sim, &restart, &error), KY_BAD_DATA);
        ky_sim_end_tunings(&sim);
    }
    section.bytes = sizeof good - 1;
    assert_int_equal(ky_sim_restore_tunings(&sim, &restart, &error), KY_BAD_DATA);
    section.bytes = 1000 * sizeof good;
    assert_int_equal(ky_sim_restore_tunings(&sim, &restart, &error), KY_BAD_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_are_those_of_textbooks),
        cmocka_unit_test(a_wave_grows_exactly_in_long_steps),
        cmocka_unit_test(plane_waves_grow_as_on_a_lattice),
        cmocka_unit_test(steps_can_be_taken_back),
        cmocka_unit_test(one_body_drifts),
        cmocka_unit_test(few_bodies_rest_on_a_lattice),
        cmocka_unit_test(the_softening_has_a_largest_physical_length),
        cmocka_unit_test(steps_are_divided_where_bodies_are_fast),
        cmocka_unit_test(late_steps_are_shorter),
        cmocka_unit_test(steps_are_equal_in_a),
        cmocka_unit_test(other_steps_in_a_are_refused),
        cmocka_unit_test(a_step_that_is_set_is_the_step),
        cmocka_unit_test(a_flag_ends_a_search),
        cmocka_unit_test(too_many_parts_are_refused),
        cmocka_unit_test(an_error_is_kept),
        cmocka_unit_test(impossible_tunings_are_refused),
        cmocka_unit_test(impossible_universes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
