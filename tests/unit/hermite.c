/* The Hermite scheme: fourth order, Kepler orbits, three bodies from rest, energy and momentum,
 * first steps, close encounters, and the same bits for any number of threads and after a
 * resumption. */
#include "test.h"

#include "guard.h"
#include "own_steps.h"
#include "physics/change.h"
#include "physics/hermite.h"

static const double pi = 3.14159265358979323846;

static struct ky_parameters hermite_parameters(double softening)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine_name;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.integrator = KY_HERMITE4;
    parameters.eta = 0.02;
    parameters.corrections = 1;
    parameters.softening = softening;
    parameters.step = 1.0 / 16;
    return parameters;
}

static void leave_open(struct ky_parameters *parameters)
{
    parameters->eta = (double)NAN;
    parameters->corrections = 0;
    parameters->precision = KY_PRECISION_BY_INTEGRATOR;
}

/* ---- two bodies ---- */

/* Two bodies at the apocentre of an orbit with semi-major axis 1. */
static void orbit(double e, struct ky_bodies *bodies)
{
    two_bodies(1 + e, sqrt((1 - e) / (1 + e)), bodies);
}

/* The distance from the start after `periods`, with `steps` equal steps a period. */
static double miss(double e, uint64_t steps, uint64_t periods, int corrections)
{
    struct ky_bodies bodies = {0};
    struct ky_parameters parameters = hermite_parameters(0);
    orbit(e, &bodies);
    parameters.step = parameters.step_min = 2 * pi / (double)steps;
    parameters.eta = 10;
    parameters.corrections = corrections;
    const struct ky_integrator_report report = go(&parameters, &bodies, steps * periods, 1, NULL);
    assert_true(report.blocks == steps * periods);
    double dx = bodies.position[1][0] - bodies.position[0][0] - (1 + e),
           dy = bodies.position[1][1] - bodies.position[0][1];
    ky_bodies_free(&bodies);
    return sqrt(dx * dx + dy * dy);
}

/* The error falls with the fourth power of the step. A second correction removes most of the error
 * of the phase. */
static void fourth_order(void **state)
{
    (void)state;
    static const double most[] = {0, 2.6e-7, 3e-9, 3e-9}; /* with 512 steps */
    for (int corrections = 1; corrections < 4; corrections++) {
        if (!takes_all && corrections == 2)
            continue;
        const double coarse = miss(0.3, 256, 1, corrections),
                     middle = miss(0.3, 512, 1, corrections),
                     fine = miss(0.3, 1024, 1, corrections);
        printf("# %d corrections: off by %g %g %g\n", corrections, coarse, middle, fine);
        assert_between(middle, most[corrections] / 100, most[corrections]);
        assert_between(coarse / middle, 13, 21);
        assert_between(middle / fine, 13, 21);
    }
}

/* |dE/E| after five orbits with e = 0.9. With η = 0.02 an orbit has 240 steps. */
static void kepler_energy(void **state)
{
    (void)state;
    for (int corrections = 1; corrections < 3; corrections++) {
        double last = 1e-3;
        for (double eta = 0.02; eta > (takes_all ? 3e-4 : 2e-3); eta /= 8) {
            struct ky_bodies bodies = {0};
            struct ky_parameters parameters = hermite_parameters(0);
            double energy;
            orbit(0.9, &bodies);
            parameters.step = 2 * pi / 16;
            parameters.eta = eta;
            parameters.corrections = corrections;
            const struct ky_integrator_report report = go(&parameters, &bodies, 80, 1, &energy);
            printf("# %d corrections, eta %g: dE/E %g, %g steps an orbit\n", corrections, eta,
                   energy, report.body_steps / 10);
            assert_between(report.body_steps / 10 * sqrt(eta / 0.02), 180, 300);
            assert_between(report.shortest, 1e-5, 2e-3);
            assert_between(fabs(energy), 1e-13, last / 16); /* 64 if it falls as η² */
            last = fabs(energy);
            ky_bodies_free(&bodies);
        }
    }
}

/* ---- three bodies ---- */

/* Burrau's problem: masses 3, 4 and 5 at rest, opposite to the sides 3, 4 and 5 of a triangle. The
 * closest encounter, at a distance of 4e-4, is at time 15.83. At 59.4 the mass 3 leaves the others,
 * which remain a binary (Szebehely & Peters 1967). Slow devices do this in make check-all alone. */
static void pythagorean_problem(void **state)
{
    (void)state;
    if (!takes_all) {
        printf("# skipped: many very short steps; make check-all makes them\n");
        skip();
    }
    static const double x[3][2] = {{1, 3}, {-2, -1}, {1, -1}};
    struct ky_bodies bodies = {0};
    struct ky_parameters parameters = hermite_parameters(0);
    double energy, r2[3] = {0};
    assert_ok(ky_bodies_allocate(&bodies, 3, 0, &error));
    for (int i = 0; i < 3; i++) {
        bodies.mass[i] = 3 + i;
        memcpy(bodies.position[i], x[i], sizeof x[i]);
    }
    parameters.eta = 1e-4;
    const struct ky_integrator_report report = go(&parameters, &bodies, 70 * 16, 1, &energy);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            r2[i] += pow(bodies.position[i][c] - bodies.position[(i + 1) % 3][c], 2);
    printf("# dE/E %g in %.3g steps, the shortest %g; distances %g %g %g\n", energy,
           report.body_steps, report.shortest, sqrt(r2[0]), sqrt(r2[1]), sqrt(r2[2]));
    assert_between(fabs(energy), 0, 1e-7);
    assert_between(report.shortest, 1e-10, 1e-6);
    assert_true(sqrt(r2[1]) < 3);                      /* 4 and 5 */
    assert_true(sqrt(r2[0]) > 12 && sqrt(r2[2]) > 12); /* 3 has left */
    assert_between(bodies.velocity[0][0] * bodies.position[0][0] +
                       bodies.velocity[0][1] * bodies.position[0][1],
                   10, 1000);
    ky_bodies_free(&bodies);
}

/* ---- many bodies ---- */

/* A Plummer sphere without softening, over a quarter of a time unit. With extended sums the last
 * digits are those of float. */
static void energy_of_a_sphere(void **state)
{
    (void)state;
    static const struct {
        int precision;
        double eta, energy;
    } cases[] = {{KY_DOUBLE, 0.02, 1e-7},  {KY_DOUBLE, 3e-3, 1e-9},   {KY_DOUBLE, 1e-3, 1e-10},
                 {KY_DOUBLE, 1e-4, 1e-12}, {KY_EXTENDED, 0.02, 1e-7}, {KY_EXTENDED, 3e-3, 1e-8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_snapshot s;
        double energy;
        model("plummer", 200, 0, &s);
        struct ky_parameters parameters = hermite_parameters(0);
        parameters.precision = cases[k].precision;
        parameters.eta = cases[k].eta;
        const struct ky_integrator_report report = go(&parameters, &s.bodies, 4, 1, &energy);
        printf("# eta %g: dE/E %.2g, %.0f steps of a body\n", cases[k].eta, energy,
               report.body_steps / 200);
        assert_between(fabs(energy), 0, cases[k].energy);
        assert_true(report.cut == 0 && report.pairs == report.body_steps * 199);
        ky_snapshot_free(&s);
    }
}

/* Energy and momentum are conserved for bodies with softenings of their own, of which two heavy
 * ones have none, in external fields. */
static void softenings_and_fields(void **state)
{
    (void)state;
    enum { N = 200 };
    static const struct ky_external fields[] = {
        {.kind = KY_EXTERNAL_POINT, .centre = {0.5, 0, 0}, .number = {1, 0.3}},
        {.kind = KY_EXTERNAL_TIDAL, .centre = {0, 0, 0}, .number = {-1, 0.5, 0.2}}};
    for (size_t count = 0; count < 3; count++) {
        struct ky_snapshot s;
        struct ky_sim *sim = NULL;
        double own[N];
        model("plummer", N, 0.02, &s);
        struct ky_parameters parameters = hermite_parameters((double)NAN);
        parameters.softening_kind = KY_SYMMETRIC;
        parameters.eta = 3e-3;
        for (int i = 0; i < N; i++)
            own[i] = i < 2 ? 0 : 0.02;
        s.bodies.mass[0] = s.bodies.mass[1] = 0.1;
        s.bodies.softening = own;
        assert_ok(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error));
        s.bodies.softening = NULL;
        assert_ok(ky_engine_set_fields(sim->engine, fields, count, &error));
        assert_ok(ky_engine_forces(sim->engine, &error));
        const struct ky_sums before = sums_of(sim);
        const double e0 = total(sim);
        assert_ok(ky_sim_advance(sim, 4, &error));
        const struct ky_sums after = sums_of(sim);
        printf("# %zu fields: dE/E %.2g, shortest %g\n", count, (total(sim) - e0) / e0,
               report_of(sim).shortest);
        assert_between(fabs(total(sim) / e0 - 1), 0, 1e-8);
        for (int c = 0; c < 3 && !count; c++)
            assert_between(fabs(after.momentum[c] - before.momentum[c]), 0, 1e-7);
        ky_sim_close(sim);
        ky_snapshot_free(&s);
    }
}

/* ---- first steps ---- */

/* ky_add_change gives the derivatives of the acceleration of a pair that differences of its jerk
 * along the orbit give. */
static void derivatives_of_a_pair(void **state)
{
    (void)state;
    static const struct ky_hermite_motion r = {0.3,  -0.5, 0.2,  0.7, 0.1,  -0.4,
                                               -0.6, 0.2,  -0.1, 0.5, -0.3, 0.8};
    const double eps2 = 0.05, m = 1.3, h = 1e-3;
    double jerk[3][3], numeric[6];
    for (int k = 0; k < 3; k++) {
        const double t = (k - 1) * h;
        const double x[3] = {r.x + t * (r.vx + t * (r.ax / 2 + t * r.jx / 6)),
                             r.y + t * (r.vy + t * (r.ay / 2 + t * r.jy / 6)),
                             r.z + t * (r.vz + t * (r.az / 2 + t * r.jz / 6))};
        const double v[3] = {r.vx + t * (r.ax + t * r.jx / 2), r.vy + t * (r.ay + t * r.jy / 2),
                             r.vz + t * (r.az + t * r.jz / 2)};
        const double y = 1 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + eps2);
        const double xv = x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
        for (int c = 0; c < 3; c++)
            jerk[k][c] = m * y * y * y * (v[c] - 3 * xv * y * y * x[c]);
    }
    for (int c = 0; c < 3; c++) {
        numeric[c] = (jerk[2][c] - jerk[0][c]) / (2 * h);
        numeric[3 + c] = (jerk[2][c] - 2 * jerk[1][c] + jerk[0][c]) / (h * h);
    }
    const struct ky_hermite_change sum = {0}, got = ky_add_change(
                                                  sum, r, 1 / sqrt(0.09 + 0.25 + 0.04 + eps2), m);
    const double exact[6] = {got.sx, got.sy, got.sz, got.cx, got.cy, got.cz};
    for (int c = 0; c < 6; c++)
        assert_between(numeric[c] / exact[c], 1 - 1e-3, 1 + 1e-3);
}

/* Gets the first steps of the bodies. */
static void first_steps(const struct ky_parameters *given, const struct ky_bodies *bodies,
                        const struct ky_external *field, double *step)
{
    struct ky_parameters parameters;
    struct ky_engine *engine = engine_with(given, &parameters, bodies);
    assert_ok(ky_engine_set_fields(engine, field, field != NULL, &error));
    assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
    assert_ok(ky_engine_forces(engine, &error));
    struct ky_advance way = {.scheme = KY_SCHEME_HERMITE,
                             .tick = ldexp(1, -30),
                             .stride = 1 << 30,
                             .until = 0,
                             .most = 1,
                             .eta = parameters.eta,
                             .corrections = 1,
                             .passed = {KY_NO_BODY, KY_NO_BODY}};
    assert_ok(ky_engine_advance(engine, &way, &error));
    assert_ok(ky_engine_get_column(engine, KY_COLUMN_STEP, step, &error));
    ky_engine_close(engine);
}

static double down(double step)
{
    return exp2(floor(log2(step)));
}

/* First steps of two bodies on a circle, at rest, and very close to each other, and of one body in
 * an external field. */
static void first_steps_of_pairs(void **state)
{
    (void)state;
    static const struct ky_external point = {
        .kind = KY_EXTERNAL_POINT, .centre = {0, 0, 0}, .number = {1, 0}};
    static const double rs[] = {1, 1e-3, 1e-5};
    double step[2];
    for (int k = 0; k < 3; k++) {
        const double r = rs[k], omega = sqrt(1 / r) / r;
        struct ky_bodies bodies = {0};
        struct ky_parameters parameters = hermite_parameters(0);
        two_bodies(r, omega * r, &bodies); /* Δt² = η (ω² + ω²)/(ω⁴ + ω⁴) */
        first_steps(&parameters, &bodies, NULL, step);
        for (int i = 0; i < 2; i++)
            assert_true(step[i] == down(sqrt(0.02) / omega));
        ky_bodies_free(&bodies);
        two_bodies(r, 0, &bodies); /* a = M/r², a'' = 2 M²/r⁵ */
        first_steps(&parameters, &bodies, NULL, step);
        for (int i = 0; i < 2; i++)
            assert_true(step[i] == down(sqrt(0.02 * r * r * r / 2)));
        bodies.n = 1;
        bodies.position[0][0] = r;
        bodies.velocity[0][1] = omega * r;
        first_steps(&parameters, &bodies, &point, step);
        assert_true(step[0] == down(sqrt(0.02) / omega));
        bodies.n = 2;
        ky_bodies_free(&bodies);
    }
}

/* On a body in the middle of a pair the forces cancel to the last bit. Its first step follows from
 * the pair, whatever the softening, and not from the body itself. */
static void first_step_in_the_middle(void **state)
{
    (void)state;
    for (int softened = 0; softened < 2; softened++) {
        struct ky_bodies bodies = {0};
        const struct ky_parameters parameters = hermite_parameters(softened ? 1e-3 : 0);
        double step[3];
        assert_ok(ky_bodies_allocate(&bodies, 3, 0, &error));
        for (int i = 0; i < 2; i++) {
            bodies.mass[i] = 0.5;
            bodies.position[i][0] = 2 * i - 1;
            bodies.velocity[i][1] = 0.3 * (2 * i - 1);
        }
        bodies.mass[2] = 0.01;
        first_steps(&parameters, &bodies, NULL, step);
        assert_true(step[2] > sqrt(0.02) / 32); /* a 16th of √η over a rate of 1.1 */
        ky_bodies_free(&bodies);
    }
}

/* The energy is kept from the first step on, for a pair at a distance of 1e-4 among other bodies
 * and for a system at rest. */
static void nothing_is_lost_at_the_start(void **state)
{
    (void)state;
    for (int rest = 0; rest < 2; rest++) {
        struct ky_snapshot s;
        double energy;
        model("plummer", 100, 0, &s);
        struct ky_parameters parameters = hermite_parameters(0);
        parameters.eta = 1e-3;
        parameters.step = rest ? 1.0 / 16 : ldexp(1, -14); /* two periods of the pair */
        for (int c = 0; c < 3; c++) {
            s.bodies.position[1][c] = s.bodies.position[0][c] + (c ? 0 : 1e-4);
            s.bodies.velocity[1][c] = s.bodies.velocity[0][c] + (c == 1 ? 12 : 0);
        }
        memset(s.bodies.velocity, 0, rest ? s.bodies.n * sizeof *s.bodies.velocity : 0);
        if (rest)
            s.bodies.position[1][0] += 2;
        const struct ky_integrator_report report = go(&parameters, &s.bodies, 1, 1, &energy);
        printf("# rest %d: dE/E %.2g, shortest %g\n", rest, energy, report.shortest);
        assert_between(fabs(energy), 0, 1e-8);
        ky_snapshot_free(&s);
    }
}

/* The level of a body after a step. */
static void next_levels(void **state)
{
    (void)state;
    /* Δt² = η (a s + j²)/(j c + s²), in units of the present step. */
    assert_int_equal(ky_hermite_next(1, 0, 1, 0, 1, 5, 1, 20), 5);
    assert_int_equal(ky_hermite_next(4, 0, 1, 0, 1, 5, 1, 20), 4);  /* twice as long */
    assert_int_equal(ky_hermite_next(4, 0, 1, 0, 1, 5, 0, 20), 5);  /* not now */
    assert_int_equal(ky_hermite_next(4, 0, 1, 0, 1, 0, 1, 20), 0);  /* level 0 is the longest */
    assert_int_equal(ky_hermite_next(64, 0, 1, 0, 1, 5, 1, 20), 4); /* one level at a time */
    assert_int_equal(ky_hermite_next(1, 0, 1.01, 0, 1, 5, 1, 20), 6);
    assert_int_equal(ky_hermite_next(1, 0, 64, 0, 1, 5, 0, 20), 8); /* as much shorter as need be */
    assert_int_equal(ky_hermite_next(1, 0, 1e9, 0, 1, 5, 0, 20), 20);
    assert_int_equal(ky_hermite_next(1, 0, 2e9, 0, 1, 5, 0, 20), 21); /* shorter than a tick */
    assert_int_equal(ky_hermite_next(0, 2, 0, 2, 1, 5, 0, 20), 5);
    assert_int_equal(ky_hermite_next(0, 2, 0, 2, 0.25, 5, 0, 20), 6);
    assert_int_equal(ky_hermite_next(0, 0, 0, 0, 0.02, 5, 1, 20), 4); /* nothing acts */
}

/* ---- engines ---- */

/* The bodies, columns and counts after a call of `advance`. */
struct outcome {
    struct ky_snapshot s;
    double *step, *jerk, (*acceleration)[3];
    struct ky_integrator_report report;
    double energy; /* (E - E₀)/|E₀| */
};

static void outcome_free(struct outcome *o)
{
    ky_snapshot_free(&o->s);
    free(o->step);
    free(o->jerk);
    free(o->acceleration);
}

/* The system of a case. `own`: some bodies have no softening, the others 0.02. `bulk`: a velocity
 * that all bodies get. `length` and `mass`: factors from the units of the model to others, where G
 * is parameters->g. */
struct setting {
    size_t n;
    int own;
    double bulk, length, mass;
};

static struct outcome outcome_of(const char *engine, const struct ky_parameters *given,
                                 const struct setting *set)
{
    struct outcome o;
    struct ky_sim *sim = NULL;
    struct ky_parameters parameters = *given;
    const size_t n = set->n;
    const double length = set->length, time = sqrt(pow(length, 3) / (given->g * set->mass));
    parameters.engine = engine;
    parameters.softening = set->own ? (double)NAN : length * given->softening;
    parameters.step *= time;
    model("plummer", n, 0.02, &o.s);
    double *eps = malloc(n * sizeof *eps);
    o.step = malloc(n * sizeof *o.step);
    o.jerk = malloc(3 * n * sizeof *o.jerk);
    o.acceleration = malloc(n * sizeof *o.acceleration);
    for (size_t i = 0; i < n; i++) {
        eps[i] = i % 5 ? 0.02 * length : 0;
        o.s.bodies.mass[i] *= set->mass;
        o.s.bodies.velocity[i][0] += set->bulk;
        for (int c = 0; c < 3; c++) {
            o.s.bodies.position[i][c] *= length;
            o.s.bodies.velocity[i][c] *= length / time;
        }
    }
    double *none = o.s.bodies.softening;
    o.s.bodies.softening = set->own ? eps : none;
    assert_ok(ky_sim_open(&parameters, &o.s.bodies, 0, &sim, &error));
    o.s.bodies.softening = none;
    free(eps);
    const double e0 = total(sim);
    assert_ok(ky_sim_advance(sim, 1, &error));
    o.energy = (total(sim) - e0) / fabs(e0);
    struct ky_bodies got = o.s.bodies;
    got.acceleration = o.acceleration;
    assert_ok(ky_sim_bodies(sim, &got, &error));
    assert_ok(ky_engine_get_column(sim->engine, KY_COLUMN_STEP, o.step, &error));
    assert_ok(ky_engine_get_column(sim->engine, KY_COLUMN_JERK, o.jerk, &error));
    o.report = report_of(sim);
    ky_sim_close(sim);
    return o;
}

/* The largest difference over the largest number. */
static double differ(const double *a, const double *b, size_t count)
{
    double most = 0, size = 0;
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    return most / size;
}

/* Engines agree after one longest step of 1/16 in forces, steps, numbers of blocks and energies.
 * The numbers of bodies are those of a tile and of the groups of a launch, and one more or less. */
static void engines_agree(void **state)
{
    (void)state;
    static const struct {
        struct setting set;
        double softening, g;
        int kind, precision;
    } cases[] = {{{1100, 0, 0, 1, 1}, 0, 1, KY_PLUMMER, KY_DOUBLE},
                 {{1100, 0, 0, 1, 1}, 0, 1, KY_PLUMMER, KY_EXTENDED},
                 {{1024, 0, 0, 1, 1}, 0.01, 1, KY_SYMMETRIC, KY_EXTENDED},
                 {{300, 0, 1e4, 1, 1}, 0.01, 1, KY_PLUMMER, KY_EXTENDED},
                 {{200, 0, 0, 3.1e16, 2e34}, 0.01, 6.7e-11, KY_PLUMMER, KY_EXTENDED},
                 {{200, 0, 0, 3.1e-16, 2e-34}, 0.01, 6.7e11, KY_PLUMMER, KY_EXTENDED},
                 {{127, 0, 0, 1, 1}, 0.01, 1, KY_PLUMMER, KY_DOUBLE},
                 {{128, 1, 0, 1, 1}, 0, 1, KY_PLUMMER, KY_DOUBLE},
                 {{129, 1, 0, 1, 1}, 0, 1, KY_SYMMETRIC, KY_EXTENDED},
                 {{257, 1, 0, 1, 1}, 0, 1, KY_PLUMMER, KY_EXTENDED},
                 {{600, 1, 0, 1, 1}, 0, 1, KY_SYMMETRIC, KY_DOUBLE}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const size_t n = cases[k].set.n;
        const int whole = cases[k].precision == KY_DOUBLE;
        if (whole && !takes_all)
            continue;
        const double limit = whole ? 1e-12 : 2e-6;
        struct ky_parameters parameters = hermite_parameters(cases[k].softening);
        parameters.softening_kind = cases[k].kind;
        parameters.precision = cases[k].precision;
        parameters.g = cases[k].g;
        parameters.corrections = 1 + (int)k % 2;
        struct outcome cpu = outcome_of("cpu", &parameters, &cases[k].set);
        struct outcome here = outcome_of(engine_name, &parameters, &cases[k].set);
        size_t others = 0;
        for (size_t i = 0; i < n; i++)
            others += here.step[i] != cpu.step[i];
        const double a = differ(here.acceleration[0], cpu.acceleration[0], 3 * n),
                     j = differ(here.jerk, cpu.jerk, 3 * n),
                     x = apart(&here.s.bodies, &cpu.s.bodies) / cases[k].set.length;
        printf("# %zu bodies: a %.2g, jerk %.2g, x %.2g, %zu other steps, %.0f and %.0f blocks, "
               "dE/E %.2g and %.2g\n",
               n, a, j, x, others, (double)here.report.blocks, (double)cpu.report.blocks,
               here.energy, cpu.energy);
        assert_between(a, 0, limit);
        assert_between(j, 0, limit);
        assert_between(x, 0, limit);
        assert_between((double)others, 0, whole ? 0 : (double)n / 100);
        assert_between((double)here.report.body_steps / (double)cpu.report.body_steps,
                       whole ? 1 : 0.99, whole ? 1 : 1.01);
        assert_between(fabs(here.energy - cpu.energy), 0, whole ? 1e-12 : 1e-8);
        outcome_free(&cpu);
        outcome_free(&here);
    }
}

/* ---- single calls ---- */

/* One call of `advance` over 1/16. */
static struct ky_advance sixteenth(int corrections)
{
    return (struct ky_advance){.scheme = KY_SCHEME_HERMITE,
                               .tick = ldexp(1, -24),
                               .stride = 1 << 20,
                               .until = 1 << 20,
                               .most = UINT64_MAX,
                               .eta = 0.02,
                               .corrections = corrections,
                               .passed = {KY_NO_BODY, KY_NO_BODY}};
}

static struct ky_advance one_block(void)
{
    return (struct ky_advance){.scheme = KY_SCHEME_HERMITE,
                               .tick = ldexp(1, -30),
                               .stride = 1 << 30,
                               .most = 1,
                               .eta = 0.02,
                               .corrections = 1,
                               .passed = {KY_NO_BODY, KY_NO_BODY}};
}

/* Accelerations, jerks and steps after the first block, in 7 columns. */
static void first_block(const char *engine, const struct ky_parameters *given,
                        const struct ky_bodies *bodies, double *columns)
{
    static const struct ky_external field = {
        .kind = KY_EXTERNAL_POINT, .centre = {1, 2, 3}, .number = {0.5, 0.1}};
    const size_t n = bodies->n;
    struct ky_parameters named = *given, parameters;
    struct ky_bodies got = {.n = n, .acceleration = (double(*)[3])columns};
    struct ky_advance way = one_block();
    named.engine = engine;
    struct ky_engine *opened = engine_with(&named, &parameters, bodies);
    assert_ok(ky_engine_set_fields(opened, &field, n % 2, &error));
    assert_ok(ky_engine_columns(opened, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
    assert_ok(ky_engine_forces(opened, &error));
    assert_ok(ky_engine_advance(opened, &way, &error));
    assert_ok(ky_engine_get(opened, &got, &error));
    assert_ok(ky_engine_get_column(opened, KY_COLUMN_JERK, columns + 3 * n, &error));
    assert_ok(ky_engine_get_column(opened, KY_COLUMN_STEP, columns + 6 * n, &error));
    ky_engine_close(opened);
}

/* Accelerations in the first block, without a field or beside a mass at x = FAR with this pull in
 * the origin. */
enum { FAR = 100 };
static void first_accelerations(const struct ky_bodies *bodies, double pull, double (*a)[3])
{
    const struct ky_external field = {
        .kind = KY_EXTERNAL_POINT, .centre = {FAR, 0, 0}, .number = {pull * FAR * FAR, 0}};
    struct ky_parameters given = hermite_parameters(0.01), parameters;
    struct ky_bodies got = {.n = bodies->n, .acceleration = a};
    struct ky_advance way = one_block();
    given.precision = KY_EXTENDED;
    struct ky_engine *opened = engine_with(&given, &parameters, bodies);
    assert_ok(ky_engine_set_fields(opened, &field, pull > 0, &error));
    assert_ok(ky_engine_columns(opened, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
    assert_ok(ky_engine_forces(opened, &error));
    assert_ok(ky_engine_advance(opened, &way, &error));
    assert_ok(ky_engine_get(opened, &got, &error));
    ky_engine_close(opened);
}

/* A field up to 10^6 times the pull of the bodies does not change the forces between bodies. */
static void fields_loosen_no_forces(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const double pulls[] = {10, 1e3, 1e6};
    static double own[N][3], a[N][3];
    struct ky_snapshot s;
    model("plummer", N, 0.01, &s);
    first_accelerations(&s.bodies, 0, own);
    for (size_t k = 0; k < sizeof pulls / sizeof *pulls; k++) {
        double worst = 0;
        first_accelerations(&s.bodies, pulls[k], a);
        for (size_t i = 0; i < N; i++) {
            const double *x = s.bodies.position[i], d[3] = {FAR - x[0], -x[1], -x[2]},
                         r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2],
                         m = pulls[k] * FAR * FAR / (r2 * sqrt(r2));
            double off2 = 0, size2 = 0;
            for (int c = 0; c < 3; c++) {
                const double off = a[i][c] - m * d[c] - own[i][c];
                off2 += off * off;
                size2 += own[i][c] * own[i][c];
            }
            worst = fmax(worst, sqrt(off2 / size2));
        }
        printf("# a field of %g: the pull of the bodies is off by %g\n", pulls[k], worst);
        assert_between(worst, 0, 1e-7);
    }
    ky_snapshot_free(&s);
}

/* Each allocation of a call fails once. The call can be repeated, and then
 * has the same bits. */
static void memory_runs_out(void **state)
{
    (void)state;
    enum { N = 200, LEAST = 8 };
    int failed = 0;
    struct ky_snapshot s;
    struct ky_bodies first = {0}, got = {0};
    struct ky_parameters given = hermite_parameters(0.01), parameters;
    struct ky_advance way = sixteenth(1);
    model("plummer", N, 0.01, &s);
    assert_ok(ky_bodies_allocate(&first, N, 0, &error));
    assert_ok(ky_bodies_allocate(&got, N, 0, &error));
    given.precision = KY_EXTENDED;
    guard_begin(0);
    for (int number = 0, reached = 1; reached; number++) {
        struct ky_advance again = way;
        struct ky_engine *engine = engine_with(&given, &parameters, &s.bodies);
        assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &error));
        assert_ok(ky_engine_forces(engine, &error));
        guard.fail = number;
        const enum ky_status status = ky_engine_advance(engine, &way, &error);
        reached = guard.fail < 0;
        guard.fail = -1;
        failed += reached;
        assert_int_equal(status, reached ? KY_DEVICE : KY_OK);
        if (reached) {
            assert_non_null(strstr(error.text, "no memory for"));
            assert_ok(ky_engine_advance(engine, &again, &error));
        }
        assert_ok(ky_engine_get(engine, number ? &got : &first, &error));
        assert_true(number == 0 || same_bits(&first, &got));
        ky_engine_close(engine);
        assert_int_equal(guard.buffers, 0);
    }
    guard_end();
    printf("# %d allocations fail\n", failed);
    assert_true(failed > LEAST);
    ky_bodies_free(&first);
    ky_bodies_free(&got);
    ky_snapshot_free(&s);
}

/* A driver one of whose launches fails. */
static const struct ky_driver *sound;
static struct ky_driver failing;
static int launches_left; /* until one fails; below 0: none fails */

static enum ky_status failing_launch(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                                     const struct ky_arguments *arguments, struct ky_error *why)
{
    if (launches_left-- == 0)
        return ky_fail(why, KY_DEVICE, "%s is lost (as a test demands)", card->name);
    return sound->launch(card, kernel, groups, arguments, why);
}

static enum ky_status failing_open(size_t index, struct ky_card **card, struct ky_error *why)
{
    const enum ky_status status = sound->open(index, card, why);
    if (status == KY_OK)
        (*card)->driver = &failing;
    return status;
}

static const struct ky_driver *failing_around(const struct ky_driver *driver)
{
    sound = driver;
    failing = *driver;
    failing.open = failing_open;
    failing.launch = failing_launch;
    return &failing;
}

/* A launch fails in the middle of a call, which is an error. With the bodies
 * put again the call has the usual bits. */
static void a_launch_fails(void **state)
{
    (void)state;
    enum { N = 130, COLUMNS = 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK };
    struct ky_snapshot s;
    struct ky_bodies first = {0}, got = {0};
    const struct ky_parameters given = hermite_parameters(0.01);
    model("plummer", N, 0.01, &s);
    assert_ok(ky_bodies_allocate(&first, N, 0, &error));
    assert_ok(ky_bodies_allocate(&got, N, 0, &error));
    ky_device_wrap = failing_around;
    for (int at = -1; at < 60; at += 1 + (at + 1) / 4) {
        struct ky_parameters parameters;
        struct ky_advance way = sixteenth(2), again = way;
        launches_left = -1;
        struct ky_engine *engine = engine_with(&given, &parameters, &s.bodies);
        assert_ok(ky_engine_columns(engine, COLUMNS, &error));
        assert_ok(ky_engine_forces(engine, &error));
        launches_left = at;
        assert_int_equal(ky_engine_advance(engine, &way, &error), at < 0 ? KY_OK : KY_DEVICE);
        launches_left = -1;
        if (at >= 0) {
            assert_non_null(strstr(error.text, "is lost"));
            assert_ok(ky_engine_put(engine, &s.bodies, &error));
            assert_ok(ky_engine_forces(engine, &error));
            assert_ok(ky_engine_advance(engine, &again, &error));
        }
        assert_ok(ky_engine_get(engine, at < 0 ? &first : &got, &error));
        assert_true(at < 0 || same_bits(&first, &got));
        ky_engine_close(engine);
    }
    ky_device_wrap = NULL;
    ky_bodies_free(&first);
    ky_bodies_free(&got);
    ky_snapshot_free(&s);
}

/* The bytes of all buffers while first steps are found; *told are the bytes that the engine
 * foresees. */
static size_t bytes_of(const char *engine, int precision, struct ky_memory *told)
{
    enum { N = 2000, COLUMNS = 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK };
    struct ky_snapshot s;
    struct ky_parameters given = hermite_parameters(0.01), parameters;
    struct ky_advance way = one_block();
    model("plummer", N, 0.01, &s);
    given.engine = engine;
    given.precision = precision;
    guard_begin(0);
    struct ky_engine *opened = engine_with(&given, &parameters, &s.bodies);
    assert_ok(ky_engine_columns(opened, COLUMNS, &error));
    assert_ok(ky_engine_forces(opened, &error));
    assert_ok(ky_engine_advance(opened, &way, &error));
    ky_engine_memory(opened, COLUMNS, N, 0, told);
    ky_engine_close(opened);
    guard_end();
    ky_snapshot_free(&s);
    return guard.peak;
}

/* The memory that is foreseen is enough, and no more than 2.5 times what is needed. */
static void memory_is_told(void **state)
{
    (void)state;
    for (int precision = KY_EXTENDED; precision <= KY_DOUBLE; precision++) {
        struct ky_memory told;
        const double bytes = (double)bytes_of(engine_name, precision, &told);
        assert_between(bytes / told.device, 0.4, 1.05);
    }
}

/* Bodies at one place exert no force on each other without softening. */
static void coincident_bodies(void **state)
{
    (void)state;
    for (int precision = KY_EXTENDED; precision <= (takes_all ? KY_DOUBLE : KY_EXTENDED);
         precision++) {
        struct ky_bodies bodies = {0};
        struct ky_parameters parameters = hermite_parameters(0);
        parameters.precision = precision;
        assert_ok(ky_bodies_allocate(&bodies, 4, 0, &error));
        for (size_t i = 0; i < 4; i++) {
            bodies.mass[i] = 0.25;
            bodies.position[i][0] = i < 2 ? -1 : 1;
        }
        go(&parameters, &bodies, 4, 1, NULL);
        for (size_t i = 0; i < 4; i += 2) {
            assert_true(bodies.position[i][0] == bodies.position[i + 1][0]);
            /* a = −1/8, by two masses at a distance of 2, for a time of 1/4 */
            assert_between(1 - fabs(bodies.position[i][0]), 0.0039, 0.0040);
        }
        ky_bodies_free(&bodies);
    }
}

/* For oclgrind: each kernel once, with few bodies, in one block. A slow device takes the first
 * case. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    static const struct {
        double softening;
        int own, precision, corrections;
        size_t n;
    } cases[] = {{0, 1, KY_EXTENDED, 1, 40},  {0.1, 0, KY_DOUBLE, 2, 20},
                 {0, 1, KY_DOUBLE, 2, 130},   {0.1, 0, KY_EXTENDED, 2, 130},
                 {0, 0, KY_EXTENDED, 1, 130}, {0, 0, KY_DOUBLE, 1, 130}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters = hermite_parameters(cases[k].softening);
        parameters.precision = cases[k].precision;
        parameters.softening_kind = KY_SYMMETRIC;
        parameters.step = 1.0 / 512; /* a step of all bodies */
        parameters.eta = 10;
        parameters.corrections = cases[k].corrections;
        if (!takes_all && k != 0)
            continue;
        const struct setting set = {cases[k].n, cases[k].own, 0, 1, 1};
        struct outcome o = outcome_of(engine_name, &parameters, &set);
        assert_between(fabs(o.energy), 0, 1e-4);
        outcome_free(&o);
    }
}

/* ---- bits ---- */

static void threads_and_calls_leave_no_trace(void **state)
{
    (void)state;
    for (int precision = KY_EXTENDED; precision <= KY_DOUBLE; precision++) {
        struct ky_parameters parameters = hermite_parameters(0.05);
        parameters.precision = precision;
        parameters.step = 1.0 / 128;
        parameters.eta = 1;
        /* two chunks of the CPU engine */
        any_threads_and_calls(parameters, "plummer", takes_all ? 4200 : 520);
    }
}

static void an_engine_stops_between_blocks(void **state)
{
    (void)state;
    enum { STRIDE = 1 << 20 };
    struct ky_parameters parameters = hermite_parameters(0);
    const struct ky_advance way = {.scheme = KY_SCHEME_HERMITE,
                                   .tick = 0.125 / STRIDE,
                                   .stride = STRIDE,
                                   .until = STRIDE,
                                   .eta = 0.05,
                                   .corrections = 2,
                                   .passed = {KY_NO_BODY, KY_NO_BODY}};
    for (int precision = KY_EXTENDED; precision <= KY_DOUBLE; precision++) {
        parameters.precision = precision;
        any_parts_of_a_way(&parameters, "plummer", 300, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK,
                           &way);
    }
}

static void goes_on_from_a_file(void **state)
{
    (void)state;
    char folder[32], path[64];
    file_in(folder, path);
    for (int k = 0; k < 4; k++) { /* at a multiple of the longest step, and within one */
        if (!takes_all && k % 3 == 0)
            continue;
        struct ky_parameters parameters = hermite_parameters(0);
        parameters.precision = k / 2 ? KY_EXTENDED : KY_DOUBLE;
        on_from_a_file(&parameters, "plummer", 300, k % 2 ? 0.2 : 0.1875, path);
    }
    remove_file(folder);
}

/* ---- close encounters ---- */

/* Bodies 7 and 9 fall towards each other from rest; the others are far away. */
static void a_pair_and_others(size_t n, struct ky_bodies *bodies)
{
    assert_ok(ky_bodies_allocate(bodies, n, KY_WITH_ID, &error));
    for (size_t i = 0; i < n; i++) {
        bodies->mass[i] = 0.5;
        bodies->id[i] = 7 + i;
        bodies->position[i][0] = i == 2 ? 1 : 0;
        bodies->position[i][1] = i == 1 ? 100 : i > 2 ? -100.0 * (double)i : 0;
        if (i == 1 || i > 2)
            bodies->mass[i] = 1e-9;
    }
}

/* A call of `advance` ends where a step would be shorter than the shortest. All bodies are then at
 * one time, from which a restart file goes on. A pair stops the simulation only once. */
static void a_close_encounter_stops(void **state)
{
    (void)state;
    char folder[32], path[64];
    struct ky_bodies bodies = {0}, halted = {0}, back = {0};
    struct ky_sim *sim = NULL, *other = NULL;
    a_pair_and_others(3, &bodies);
    a_pair_and_others(3, &halted);
    a_pair_and_others(3, &back);
    struct ky_parameters parameters = hermite_parameters(0);
    parameters.step_min = ldexp(1, -24);
    assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    const double start = total(sim);
    struct ky_stop stop = {0};
    ky_sim_stop_reason(sim, &stop);
    assert_true(stop.kind == KY_STOP_NONE && isnan(stop.distance) && isnan(stop.time));
    assert_int_equal(ky_sim_advance(sim, 64, &error), KY_STOPPED);
    printf("# %s at %.17g\n", error.text, ky_sim_time(sim));
    assert_non_null(strstr(error.text, "bodies 7 and 9,"));
    assert_between(ky_sim_time(sim) / (pi / sqrt(8)), 1 - 1e-5, 1 + 1e-5);
    assert_ok(ky_sim_bodies(sim, &halted, &error));
    assert_between(fabs(halted.position[2][0] - halted.position[0][0]), 1e-6, 1e-2);
    ky_sim_stop_reason(sim, &stop);
    assert_true(stop.kind == KY_STOP_CLOSE_PAIR && stop.id[0] + stop.id[1] == 16 &&
                stop.id[stop.index[0] != 0] == 7 && stop.index[0] + stop.index[1] == 2);
    assert_true(stop.time == ky_sim_time(sim) && stop.step == parameters.step_min);
    assert_between(stop.distance / fabs(halted.position[2][0] - halted.position[0][0]), 0.999,
                   1.001);
    assert_between(fabs(total(sim) / start - 1), 0, 0.05); /* the pair has 1e4 times as much */
    assert_ok(ky_sim_save(sim, file_in(folder, path), &error));
    assert_ok(ky_sim_restore(path, &parameters, &other, &error));
    assert_true(ky_sim_time(other) == ky_sim_time(sim));
    /* The pair continues with steps that are too long for it. */
    assert_ok(ky_sim_advance_to(sim, 1.25, 0, &error));
    ky_sim_stop_reason(sim, &stop);
    assert_true(stop.kind == KY_STOP_NONE && stop.id[0] == 0);
    assert_ok(ky_sim_advance_to(other, 1.25, 0, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    assert_ok(ky_sim_bodies(other, &back, &error));
    assert_true(same_bits(&bodies, &back) && report_of(sim).cut > 0);
    assert_true(ky_sim_time(sim) == 1.25 && ky_sim_time(other) == 1.25);
    ky_sim_close(sim);
    ky_sim_close(other);
    parameters.softening = 1e-6; /* softened bodies do not stop it */
    ky_bodies_free(&bodies);
    a_pair_and_others(3, &bodies);
    const struct ky_integrator_report report = go(&parameters, &bodies, 20, 1, NULL);
    assert_true(report.cut > 0 && report.shortest == ldexp(1, -24));
    ky_bodies_free(&bodies);
    ky_bodies_free(&halted);
    ky_bodies_free(&back);
    remove_file(folder);
}

/* The pair is known by its ids. It does not stop the simulation again when bodies are removed and
 * added, so that its indices change. */
static void a_pair_passes_in_other_places(void **state)
{
    (void)state;
    const uint64_t between = 8;
    for (int changes = 0; changes < 3; changes++) {
        struct ky_bodies bodies = {0}, more = {0};
        struct ky_sim *sim = NULL;
        a_pair_and_others(6, &bodies);
        two_bodies(1, 1, &more);
        for (int i = 0; i < 2; i++)
            more.position[i][2] = 100;
        struct ky_parameters parameters = hermite_parameters(0);
        parameters.step_min = ldexp(1, -24);
        assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
        assert_int_equal(ky_sim_advance(sim, 64, &error), KY_STOPPED);
        if (changes > 0)
            assert_ok(ky_sim_remove(sim, &between, 1, &error));
        if (changes > 1)
            assert_ok(ky_sim_add(sim, &more, &error));
        assert_ok(ky_sim_advance_to(sim, 1.25, 0, &error));
        assert_true(report_of(sim).cut > 0);
        ky_sim_close(sim);
        ky_bodies_free(&bodies);
        ky_bodies_free(&more);
    }
}

/* A ring turns about a body in its middle, where the forces of the ring cancel but for rounding.
 * This body neither stops the call nor needs endless steps. */
static void forces_that_cancel(void **state)
{
    (void)state;
    enum { MOST = 8 };
    for (int k = 2; k < MOST; k++) /* 2: a line, 3: a triangle … */
        for (int kind = 0; kind < 4; kind++) {
            const int precision = kind % 2 ? KY_DOUBLE : KY_EXTENDED;
            struct ky_bodies bodies = {0};
            struct ky_parameters parameters = hermite_parameters(kind < 2 ? 0 : 1e-3);
            const size_t n = (size_t)k + 1;
            double pull = 0.01; /* m/r² of the middle; r = 1 */
            parameters.precision = precision;
            parameters.step_min = ldexp(1, -20);
            assert_ok(ky_bodies_allocate(&bodies, n, 0, &error));
            for (int i = 1; i < k; i++) /* 1/d² = 1/(4 sin²), times sin */
                pull += 1.0 / k / (4 * sin(pi * i / k));
            for (int i = 0; i < k; i++) {
                const double angle = 2 * pi * i / k + 0.3;
                bodies.mass[i] = 1.0 / k;
                bodies.position[i][0] = cos(angle);
                bodies.position[i][1] = sin(angle);
                bodies.velocity[i][0] = -sqrt(pull) * sin(angle);
                bodies.velocity[i][1] = sqrt(pull) * cos(angle);
            }
            bodies.mass[k] = 0.01;
            for (size_t i = 0; i < n; i++) /* so that positions are rounded too */
                bodies.position[i][0] += 0.1, bodies.position[i][2] += 0.7;
            const struct ky_integrator_report report = go(&parameters, &bodies, 16, 1, NULL);
            printf("# ring of %d: shortest %g, %g steps, cut %g\n", k, report.shortest,
                   report.body_steps, report.cut);
            assert_true(report.cut == 0 && report.shortest > 1e-5 && report.body_steps < 4000);
            ky_bodies_free(&bodies);
        }
}

/* ---- times, changes, and what is allowed ---- */

static void a_flag_stops_within_a_step(void **state)
{
    (void)state;
    char folder[32], path[64];
    file_in(folder, path);
    for (int whole = 0; whole < 4; whole++) {
        struct ky_parameters parameters = hermite_parameters(0);
        parameters.precision = whole % 2 ? KY_DOUBLE : KY_EXTENDED;
        parameters.ranks = 1 + whole / 2;
        if (parameters.ranks > 1 && strcmp(engine_name, "cpu") != 0)
            continue;
        stopped_within_steps(parameters, 100, 1e-3, path);
    }
    remove_file(folder);
}

static void times_within_a_step_and_backwards(void **state)
{
    (void)state;
    struct ky_parameters parameters = hermite_parameters(0.01);
    parameters.eta = 1e-3;
    within_a_step_and_backwards(&parameters, 100, 1e-8);
}

static void bodies_come_and_go(void **state)
{
    (void)state;
    struct ky_parameters parameters = hermite_parameters(0.01);
    parameters.eta = 1e-3;
    coming_and_going(&parameters, 100, 1e-9);
}

static void few_massless_and_no_bodies(void **state)
{
    (void)state;
    const struct ky_parameters parameters = hermite_parameters(0);
    few_bodies(&parameters);
}

static void what_does_not_go_together(void **state)
{
    (void)state;
    const struct ky_parameters good = hermite_parameters(0.1);
    struct ky_parameters p = good, resolved;
    p.force = KY_TREE;
    refuse(p, KY_USAGE, "give --force direct");
    p = good, p.precision = KY_SINGLE;
    refuse(p, KY_USAGE, "give --precision extended or double");
    p = good, p.step_max = 0.03;
    refuse(p, KY_USAGE, "above --step-max");
    p = good, p.step_min = 0.1;
    refuse(p, KY_USAGE, "--step-min");
    p = good, p.step_length = 0.1;
    refuse(p, KY_USAGE, "--step-length is not an option of --integrator hermite4");
    p = good, p.corrections = 17;
    refuse(p, KY_USAGE, "corrections");
    p = good, p.integrator = KY_BLOCK_STEPS, p.corrections = 2;
    refuse(p, KY_USAGE, "--corrections is not an option of --integrator block");
    p = good;
    leave_open(&p);
    assert_ok(ky_parameters_resolve(&p, &resolved, &error));
    ky_integrator_settle(&resolved, &(struct ky_bodies){.n = 2000});
    assert_true(resolved.precision == KY_EXTENDED && resolved.eta == 0.02);
    assert_int_equal(resolved.corrections, 1);
    p.integrator = KY_BLOCK_STEPS;
    assert_ok(ky_parameters_resolve(&p, &resolved, &error));
    assert_true(resolved.eta == 0.2);
    p.integrator = KY_LEAPFROG;
    p.eta = 0.2; /* as in files of earlier versions */
    assert_ok(ky_parameters_resolve(&p, &resolved, &error));
}

/* The acceleration of a pair's centre of mass by the other bodies, while the accelerations of the
 * pair on each other are 10^6 times larger. */
static void the_centre_of_a_tight_pair(void **state)
{
    (void)state;
    enum { N = 3000 };
    static double number[2][7 * N];
    for (int kind = 0; kind < 3; kind++) { /* no softening; a little; softenings of both */
        double centre[2][3], most = 0, size = 0;
        struct ky_snapshot s;
        struct ky_parameters p = hermite_parameters(kind ? 1e-7 : 0);
        p.softening_kind = kind == 2 ? KY_SYMMETRIC : KY_PLUMMER;
        with_a_pair(N, 1e-5, p.softening, &s);
        for (int whole = 0; whole < 2; whole++) {
            p.precision = whole ? KY_DOUBLE : KY_EXTENDED;
            first_block(engine_name, &p, &s.bodies, number[whole]);
            for (int c = 0; c < 3; c++)
                centre[whole][c] = (number[whole][c] + number[whole][3 + c]) / 2;
        }
        for (int c = 0; c < 3; c++) {
            most = fmax(most, fabs(centre[0][c] - centre[1][c]));
            size = fmax(size, fabs(centre[1][c]));
        }
        printf("# the centre of a pair: a %g, off by %g\n", size, most);
        assert_between(most / size, 0, 2e-6);
        ky_snapshot_free(&s);
    }
}

/* Parameters that are not given follow from the number of bodies with mass. Given parameters stay.
 */
static void defaults_follow_the_number_of_bodies(void **state)
{
    (void)state;
    static const struct {
        size_t massive;
        double eta;
        int corrections, precision;
    } cases[] = {{0, 0.001, 2, KY_DOUBLE},
                 {64, 0.001, 2, KY_DOUBLE},
                 {65, 0.005, 1, KY_DOUBLE},
                 {1024, 0.005, 1, KY_DOUBLE},
                 {1025, 0.02, 1, KY_EXTENDED}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const size_t n = cases[k].massive + 300;
        struct ky_parameters p, given = hermite_parameters(0.01);
        double *mass = calloc(n, sizeof *mass);
        for (size_t i = 0; i < cases[k].massive; i++)
            mass[n - 1 - i] = 1;
        leave_open(&given);
        assert_ok(ky_parameters_resolve(&given, &p, &error));
        assert_ok(
            ky_parameters_resolve(&p, &p, &error)); /* again, as for the parameters of a run */
        ky_integrator_settle(&p, &(struct ky_bodies){.n = n, .mass = mass});
        assert_true(p.eta == cases[k].eta && p.corrections == cases[k].corrections &&
                    p.precision == cases[k].precision);
        given.eta = 0.03, given.corrections = 5, given.precision = KY_EXTENDED;
        assert_ok(ky_parameters_resolve(&given, &p, &error));
        ky_integrator_settle(&p, &(struct ky_bodies){.n = n, .mass = mass});
        assert_true(p.eta == 0.03 && p.corrections == 5 && p.precision == KY_EXTENDED);
        free(mass);
    }
}

/* Ten thousand years of Jupiter, and a thousand orbits of a binary, with the defaults. With the
 * former defaults the energy of the binary was wrong by 0.6 %. */
static void orbits_are_right_with_the_defaults(void **state)
{
    (void)state;
    static const struct {
        double e, energy, phase;
        uint64_t orbits;
    } cases[] = {{0.0484, 1e-9, 1e-4, 843}, {0.9, 5e-6, 1e-2, 1000}};
    for (size_t k = 0; k < 2; k++) {
        struct ky_parameters p = hermite_parameters(0);
        struct ky_bodies bodies = {0};
        double energy;
        orbit(cases[k].e, &bodies);
        leave_open(&p);
        p.step = 2 * pi / 16;
        go(&p, &bodies, 16 * cases[k].orbits, 1, &energy);
        const double dx = bodies.position[1][0] - bodies.position[0][0],
                     dy = bodies.position[1][1] - bodies.position[0][1];
        printf("# e %g: dE/E %g, phase %g\n", cases[k].e, energy, atan2(dy, dx));
        assert_between(fabs(energy), 0, cases[k].energy);
        assert_between(fabs(atan2(dy, dx)), 0, cases[k].phase);
        ky_bodies_free(&bodies);
    }
}

static void is_refused(void **state)
{
    (void)state;
    refuse(hermite_parameters(0), KY_UNSUPPORTED, "cannot run --integrator hermite4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(next_levels),
        cmocka_unit_test(derivatives_of_a_pair),
        cmocka_unit_test(first_steps_of_pairs),
        cmocka_unit_test(first_step_in_the_middle),
        cmocka_unit_test(nothing_is_lost_at_the_start),
        cmocka_unit_test(fourth_order),
        cmocka_unit_test(kepler_energy),
        cmocka_unit_test(pythagorean_problem),
        cmocka_unit_test(energy_of_a_sphere),
        cmocka_unit_test(softenings_and_fields),
        cmocka_unit_test(fields_loosen_no_forces),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(coincident_bodies),
        cmocka_unit_test(threads_and_calls_leave_no_trace),
        cmocka_unit_test(an_engine_stops_between_blocks),
        cmocka_unit_test(goes_on_from_a_file),
        cmocka_unit_test(a_flag_stops_within_a_step),
        cmocka_unit_test(a_close_encounter_stops),
        cmocka_unit_test(a_pair_passes_in_other_places),
        cmocka_unit_test(forces_that_cancel),
        cmocka_unit_test(times_within_a_step_and_backwards),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(few_massless_and_no_bodies),
        cmocka_unit_test(orbits_are_right_with_the_defaults),
        cmocka_unit_test(the_centre_of_a_tight_pair),
        cmocka_unit_test(defaults_follow_the_number_of_bodies),
        cmocka_unit_test(what_does_not_go_together),
    };
    /* in `check` of a CPU that serves as a device */
    const struct CMUnitTest few[] = {
        cmocka_unit_test(coincident_bodies),
        cmocka_unit_test(engines_agree),
    };
    const struct CMUnitTest refusal[] = {cmocka_unit_test(is_refused)};
    const struct CMUnitTest of_devices[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_is_told),
        cmocka_unit_test(a_launch_fails),
    };
    int failed = 0;
    find_engines(NULL);
    for (int k = 0; k < engine_count; k++) {
        engine_name = engines[k].engine;
        takes_all = !is_slow(k) || test_everything();
        const struct ky_parameters parameters = hermite_parameters(0);
        const int leads = engine_leads(&parameters, KY_SCHEME_HERMITE);
        failed += !leads      ? cmocka_run_group_tests_name(engine_name, refusal, NULL, NULL)
                  : takes_all ? cmocka_run_group_tests_name(engine_name, tests, NULL, NULL)
                              : cmocka_run_group_tests_name(engine_name, few, NULL, NULL);
        if (leads && !is_cpu_engine(k) && takes_all)
            failed += cmocka_run_group_tests_name(engine_name, of_devices, NULL, NULL);
    }
    return failed;
}
