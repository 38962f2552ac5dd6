/* Initial models against their analytic laws, and orbits of merged systems. The sampling noise of a
 * mean over N bodies is about 1/√N. The bounds are three to five times as large, and seeds are
 * fixed. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "models/equilibrium.h"
#include "models/models.h"

#include "kolmogorov.h"

static struct ky_error error;

static struct ky_model_parameters parameters_of(uint64_t n, double softening)
{
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.softening = softening;
    return parameters;
}

static struct ky_bodies make(const char *name, const struct ky_model_parameters *parameters)
{
    struct ky_snapshot snapshot;
    assert_ok(ky_model_make(name, parameters, &snapshot, &error));
    return snapshot.bodies;
}

/* T, W and −Σ m x·a, by a double loop over the pairs. */
struct energies {
    double kinetic, potential, virial;
};

static struct energies energies_of(const struct ky_bodies *bodies, double eps)
{
    struct energies sum = {0};
    for (size_t i = 0; i < bodies->n; i++) {
        const double *x = bodies->position[i], *v = bodies->velocity[i];
        sum.kinetic += 0.5 * bodies->mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (size_t j = 0; j < i; j++) {
            const double *y = bodies->position[j];
            double d2 = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                        (x[2] - y[2]) * (x[2] - y[2]);
            double s2 = d2 + eps * eps, m2 = bodies->mass[i] * bodies->mass[j];
            sum.potential -= m2 / sqrt(s2);
            sum.virial += m2 * d2 / (s2 * sqrt(s2));
        }
    }
    return sum;
}

/* Whether a model has its cusp at the origin; the others have their centre of mass there. */
static int has_cusp(size_t k)
{
    return !strcmp(ky_model_name(k), "hernquist") || !strcmp(ky_model_name(k), "jaffe") ||
           !strcmp(ky_model_name(k), "nfw");
}

/* Whether a model has units of its own. Those models have test programs of their own. */
static int has_own_units(size_t k)
{
    return ky_models[k]->scaling == KY_NOT_SCALED;
}

static void names_and_wrong_parameters(void **state)
{
    (void)state;
    static const char *const names[] = {
        "plummer",    "uniform-sphere", "uniform-cube", "hernquist", "jaffe",  "nfw",
        "king",       "two-body",       "random",       "figure8",   "super8", "cosmic",
        "cosmic-box", "galaxy",         "cartwheel",    "merger"};
    struct ky_snapshot snapshot;
    for (size_t k = 0; k < 16; k++)
        assert_string_equal(ky_model_name(k), names[k]);
    assert_null(ky_model_name(16));
    assert_true(ky_model_takes(ky_model_find("king", &error), "w0"));
    assert_true(ky_model_takes(ky_model_find("plummer", &error), "softening"));
    assert_false(ky_model_takes(ky_model_find("plummer", &error), "soft"));
    assert_false(ky_model_takes(ky_model_find("plummer", &error), "w0"));

    struct ky_model_parameters parameters = parameters_of(10, 0);
    assert_int_equal(ky_model_make("plumer", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "'plumer'"));
    assert_non_null(strstr(error.text, "hernquist"));
    parameters.n = 0;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "number of bodies"));
    assert_int_equal(snapshot.bodies.n, 0);
    parameters.n = 3;
    assert_int_equal(ky_model_make("two-body", &parameters, &snapshot, &error), KY_USAGE);
    parameters.n = 10;
    parameters.softening = -1;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "softening"));
    parameters.softening = (double)INFINITY;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    parameters = parameters_of(10, 0);
    parameters.size = 3;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    parameters = parameters_of(SIZE_MAX / 8, 0);
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_FAULT);
}

/* Without a softening a model takes its own, or 0.75 r_h n^−0.26 with its half-mass radius r_h. So
 * does ky_system_scales, with the radius of the bodies. Velocities are in balance with this
 * softening, and the snapshot has it. */
static void recommended_softening_is_stored(void **state)
{
    (void)state;
    for (size_t k = 0; ky_model_name(k); k++) {
        if (has_own_units(k))
            continue;
        const char *name = ky_model_name(k);
        struct ky_snapshot by_default, given;
        struct ky_model_parameters parameters;
        struct ky_scales scales = {0};
        ky_model_parameters_defaults(&parameters);
        parameters.n = strcmp(name, "two-body") ? 4000 : 2;
        parameters.virial_ratio = 1;
        assert_ok(ky_model_make(name, &parameters, &by_default, &error));
        assert_int_equal(by_default.softening_kind, KY_PLUMMER);
        if (parameters.n == 2 || ky_models[k]->softening > 0) {
            assert_true(by_default.softening == ky_models[k]->softening);
        } else if (strcmp(name, "galaxy")) { /* which takes that of its disk */
            assert_ok(ky_system_scales(&by_default.bodies, 1, (double)NAN, &scales, &error));
            assert_between(by_default.softening, 0.96 * scales.softening, 1.04 * scales.softening);
        }
        parameters.softening = by_default.softening;
        parameters.softening_kind = KY_PLUMMER;
        assert_ok(ky_model_make(name, &parameters, &given, &error));
        assert_true(given.softening == by_default.softening);
        assert_memory_equal(given.bodies.velocity, by_default.bodies.velocity,
                            given.bodies.n * sizeof *given.bodies.velocity);
        ky_snapshot_free(&given);
        ky_snapshot_free(&by_default);
    }
}

/* The cusp is at the origin. The sphere about the origin that has 1 % of the mass in the smooth
 * model also holds 1 % of several samples, on average. About the centre of mass it holds less. */
static void a_cusp_is_at_the_origin(void **state)
{
    (void)state;
    enum { N = 2000, SAMPLES = 20 };
    double inside = 0;
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        struct ky_model_parameters parameters = parameters_of(N, 0);
        parameters.seed = seed;
        struct ky_bodies bodies = make("hernquist", &parameters);
        /* M(r) = r²/(1 + r)² = 0.01 × 0.9799, where the cut leaves 0.9799 of the mass: r = 0.11
         * scale radii, each of them a third of a Hénon length */
        for (size_t i = 0; i < N; i++) {
            const double *x = bodies.position[i];
            inside += sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) < 0.0371;
        }
        ky_bodies_free(&bodies);
    }
    assert_between(inside / (N * SAMPLES), 0.0085, 0.0115);
}

/* Another total mass, half-mass radius or G gives the same bodies in other units, with the same
 * virial ratio. */
static void mass_radius_and_g_scale(void **state)
{
    (void)state;
    for (size_t k = 0; ky_model_name(k); k++) {
        if (has_own_units(k))
            continue;
        const char *name = ky_model_name(k);
        int fixed = !ky_model_takes(ky_models[k], "radius");
        struct ky_snapshot plain, scaled;
        struct ky_model_parameters parameters;
        struct ky_scales scales = {0};
        ky_model_parameters_defaults(&parameters);
        parameters.n = strcmp(name, "two-body") ? 4000 : 2;
        parameters.softening = 0.1;
        parameters.virial_ratio = 1;
        assert_ok(ky_model_make(name, &parameters, &plain, &error));
        double half = 1;
        if (!strcmp(name, "galaxy")) { /* the radius of its disk counts */
            half = 1.678347;
        } else if (!fixed) {
            assert_ok(ky_system_scales(&plain.bodies, 1, 0.1, &scales, &error));
            half = scales.half_mass_radius;
        }
        assert_ok(ky_units_preset("cluster", &parameters.units, &error));
        parameters.mass = 5000;
        parameters.radius = 8 * half; /* ratio of lengths about 8 */
        parameters.softening *= fixed ? 1 : 8;
        assert_ok(ky_model_make(name, &parameters, &scaled, &error));
        assert_true(scaled.units.g == parameters.units.g && scaled.units.length_cm > 0);
        assert_true(scaled.softening == parameters.softening);
        double length = scaled.bodies.position[1][0] / plain.bodies.position[1][0];
        assert_between(length, fixed ? 1 : 7.6, fixed ? 1 : 8.4);
        double speed = sqrt(0.0043009 * 5000 / length);
        for (size_t i = 0; i < plain.bodies.n; i++) {
            assert_between(scaled.bodies.mass[i] / plain.bodies.mass[i], 4999.999, 5000.001);
            for (int c = 0; c < 3; c++)
                assert_between(scaled.bodies.position[i][c] - length * plain.bodies.position[i][c],
                               -1e-9 * length, 1e-9 * length);
        }
        /* The ratio of softening and radius changes a little, and so do speeds. With the exact
         * ratio of lengths they are the same. */
        parameters.softening = 0.1 * length;
        ky_snapshot_free(&scaled);
        assert_ok(ky_model_make(name, &parameters, &scaled, &error));
        for (size_t i = 0; i < plain.bodies.n; i++)
            for (int c = 0; c < 3; c++)
                assert_between(scaled.bodies.velocity[i][c] / speed - plain.bodies.velocity[i][c],
                               -1e-6, 1e-6);
        ky_snapshot_free(&scaled);
        ky_snapshot_free(&plain);
    }
}

/* A G that contradicts the units is refused, and so are units that are given in part. */
static void wrong_units_of_a_model(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters = parameters_of(10, 0);
    assert_ok(ky_units_preset("galaxy", &parameters.units, &error));
    parameters.units.g = 1;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "43009"));
    parameters.units = (struct ky_units){.length_cm = 1, .g = 1};
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    parameters.units = (struct ky_units){.g = 1};
    parameters.mass = -1;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
}

/* Barker's equation gives the time on a parabola: √(2 q³/(G M)) (D + D³/3), D² = r/q − 1. */
static void scale_and_time_of_a_merger(void **state)
{
    (void)state;
    double mass[2] = {1, 1}, x[2][3] = {{1, 0, 0}, {-1, 0, 0}}, v[2][3] = {{0}}, time = 0;
    const struct ky_bodies pair = {.n = 2, .mass = mass, .position = x, .velocity = v};
    struct ky_merge_parameters parameters;
    struct ky_merge_scale scale = {0};
    ky_merge_parameters_defaults(&parameters);
    parameters.separation = 5;
    parameters.pericentre = 1;
    assert_ok(ky_merge_scale(&pair, &parameters, &scale, &error));
    assert_true(scale.mass == 1 && scale.length == 1 && scale.speed == 1);
    assert_ok(ky_merge_time(&parameters, 2, &time, &error));
    assert_between(time, (2 + 8.0 / 3) * (1 - 1e-9), (2 + 8.0 / 3) * (1 + 1e-9));
    parameters.mass = 8;
    assert_ok(ky_merge_scale(&pair, &parameters, &scale, &error));
    assert_true(scale.mass == 4 && scale.length == 2);
    assert_between(scale.speed, sqrt(2) - 1e-12, sqrt(2) + 1e-12);
    mass[0] = mass[1] = 0;
    assert_int_equal(ky_merge_scale(&pair, &parameters, &scale, &error), KY_BAD_DATA);
    assert_int_equal(ky_merge_time(&parameters, 0, &time, &error), KY_USAGE);
    assert_int_equal(ky_merge_time(&parameters, (double)NAN, &time, &error), KY_USAGE);
    assert_int_equal(ky_merge_time(&parameters, (double)INFINITY, &time, &error), KY_USAGE);
    assert_int_equal(ky_merge_time(&parameters, -1, &time, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "the mass of the two systems is -1;"));
    parameters.pericentre = 6; /* larger than the separation */
    assert_int_equal(ky_merge_time(&parameters, 2, &time, &error), KY_USAGE);
    assert_int_equal(ky_merge_scale(&pair, &parameters, &scale, &error), KY_USAGE);
    assert_int_equal(ky_merge_time(NULL, 2, &time, &error), KY_USAGE);
    assert_int_equal(ky_merge_scale(NULL, &parameters, &scale, &error), KY_USAGE);
}

/* A merger of 1 : 3 is made of one system. The second one has a third of the mass. Its radius
 * follows from the root of the mass ratio, or is given. It stays in equilibrium. */
static void merging_scales_the_second_system(void **state)
{
    (void)state;
    struct ky_snapshot plummer;
    struct ky_model_parameters model = parameters_of(3000, 0);
    struct ky_scales scales = {0};
    assert_ok(ky_model_make("plummer", &model, &plummer, &error));
    for (int given = 0; given < 2; given++) {
        struct ky_merge_parameters parameters;
        struct ky_bodies merged = {0};
        ky_merge_parameters_defaults(&parameters);
        parameters.separation = 8;
        parameters.pericentre = 1;
        parameters.mass = 1.0 / 3;
        if (given)
            parameters.radius = 0.5;
        assert_ok(ky_merge(&plummer.bodies, &plummer.bodies, &parameters, &merged, &error));
        struct ky_bodies second = {.n = 3000,
                                   .mass = merged.mass + 3000,
                                   .position = merged.position + 3000,
                                   .velocity = merged.velocity + 3000};
        struct ky_bodies first = {.n = 3000,
                                  .mass = merged.mass,
                                  .position = merged.position,
                                  .velocity = merged.velocity};
        double x[2][3] = {{0}}, v[2][3] = {{0}}, m[2] = {0}, d[3], w[3], d2 = 0, w2 = 0;
        const struct ky_bodies *parts[] = {&first, &second};
        for (int s = 0; s < 2; s++)
            for (size_t i = 0; i < 3000; i++) {
                m[s] += parts[s]->mass[i];
                for (int k = 0; k < 3; k++) {
                    x[s][k] += parts[s]->mass[i] * parts[s]->position[i][k];
                    v[s][k] += parts[s]->mass[i] * parts[s]->velocity[i][k];
                }
            }
        for (int k = 0; k < 3; k++) {
            d[k] = x[1][k] / m[1] - x[0][k] / m[0];
            w[k] = v[1][k] / m[1] - v[0][k] / m[0];
            d2 += d[k] * d[k];
            w2 += w[k] * w[k];
        }
        /* a parabola of total mass 4/3 with pericentre 1: w² = 2 GM/d, angular momentum √(2 GM q)
         */
        assert_between(m[1] / m[0], 1.0 / 3 - 1e-9, 1.0 / 3 + 1e-9);
        assert_between(sqrt(d2), 8 - 1e-9, 8 + 1e-9);
        assert_between(w2, 2 * (4.0 / 3) / 8 - 1e-9, 2 * (4.0 / 3) / 8 + 1e-9);
        double l = d[0] * w[1] - d[1] * w[0];
        assert_between(l, sqrt(2 * 4.0 / 3) - 1e-9, sqrt(2 * 4.0 / 3) + 1e-9);
        assert_ok(ky_system_scales(&plummer.bodies, 1, 0, &scales, &error));
        double half = scales.half_mass_radius, sigma = scales.velocity_dispersion;
        assert_ok(ky_system_scales(&second, 1, 0, &scales, &error));
        double length = given ? 0.5 / half : sqrt(1.0 / 3);
        assert_between(scales.half_mass_radius / half, 0.999 * length, 1.001 * length);
        assert_between(scales.velocity_dispersion / sigma, 0.999 * sqrt(1 / (3 * length)),
                       1.001 * sqrt(1 / (3 * length)));
        ky_bodies_free(&merged);
    }
    ky_snapshot_free(&plummer);
}

static void few_bodies_are_finite_and_centred(void **state)
{
    (void)state;
    for (size_t k = 0; ky_model_name(k); k++)
        for (uint64_t n = 1; n <= (test_everything() ? 5 : 3) && !has_own_units(k); n++)
            for (int kind = 0; kind < 2; kind++) {
                struct ky_model_parameters parameters = parameters_of(n, kind * 0.3);
                parameters.softening_kind = kind;
                parameters.virial_ratio = kind;
                if (!strcmp(ky_model_name(k), "two-body"))
                    parameters.n = 0;
                if (n < ky_models[k]->least)
                    continue;
                if (ky_models[k]->softening > 0) /* the model takes no larger ones */
                    parameters.softening = kind * ky_models[k]->softening;
                struct ky_bodies bodies = make(ky_model_name(k), &parameters);
                assert_ok(ky_bodies_check(&bodies, &error));
                double x = 0, v = 0, mass = 0;
                for (size_t i = 0; i < bodies.n; i++) {
                    mass += bodies.mass[i];
                    x += bodies.mass[i] * bodies.position[i][0];
                    v += bodies.mass[i] * bodies.velocity[i][1];
                    assert_int_equal(bodies.id[i], i);
                }
                assert_between(mass, 1 - 1e-15, 1 + 1e-15);
                if (!has_cusp(k) || n == 1)
                    assert_between(x, -1e-14, 1e-14);
                assert_between(v, -1e-14, 1e-14);
                ky_bodies_free(&bodies);
            }
}

static void large_models_are_centred(void **state)
{
    (void)state;
    for (size_t k = 0; k < 5; k++) {
        struct ky_model_parameters parameters = parameters_of(50001, 0.1);
        parameters.virial_ratio = 1;
        struct ky_bodies bodies = make(ky_model_name(k), &parameters);
        double x[3] = {0}, v[3] = {0};
        for (size_t i = 0; i < bodies.n; i++)
            for (int j = 0; j < 3; j++) {
                x[j] += bodies.mass[i] * bodies.position[i][j];
                v[j] += bodies.mass[i] * bodies.velocity[i][j];
            }
        for (int j = 0; j < 3; j++) {
            if (!has_cusp(k))
                assert_between(x[j], -1e-14, 1e-14);
            assert_between(v[j], -1e-14, 1e-14);
        }
        assert_null(bodies.softening);
        assert_null(bodies.type);
        ky_bodies_free(&bodies);
    }
}

/* 2T/|Σ m x·a| is 1 with the softening, and E is −1/4 without it. */
static void models_are_in_virial_balance(void **state)
{
    (void)state;
    static const double softening[] = {0, 0.1, 0.6};
    for (size_t k = 0; k < 5; k++)
        for (int s = 0; s < 3; s++)
            for (int kind = 0; kind < (s ? 2 : 1); kind++) { /* without softening they are one */
                struct ky_model_parameters parameters = parameters_of(4000, softening[s]);
                parameters.softening_kind = kind;
                parameters.virial_ratio = 1;
                struct ky_bodies bodies = make(ky_model_name(k), &parameters);
                struct energies sum =
                    energies_of(&bodies, softening[s] * (kind == KY_SYMMETRIC ? sqrt(2.0) : 1));
                assert_between(2 * sum.kinetic / sum.virial, 0.96, 1.04);
                if (s == 0)
                    assert_between(sum.kinetic + sum.potential, -0.257, -0.243);
                ky_bodies_free(&bodies);
            }
}

/* A model takes a softening that is too small for its tables to resolve. */
static void small_softenings_are_taken(void **state)
{
    (void)state;
    static const char *const names[] = {"plummer", "hernquist", "king", "jaffe", "nfw"};
    static const double softening[] = {1e-9, 1.526e-5, 3e-5, 6e-5, 1.2e-4};
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 5; s++) {
            struct ky_model_parameters parameters = parameters_of(500, softening[s]);
            struct ky_bodies bodies = make(names[k], &parameters);
            assert_int_equal(bodies.n, 500);
            ky_bodies_free(&bodies);
        }
}

/* T is right to 0.4 %, where the virial is known from the smooth model: T = 1/4 without softening.
 * For a Plummer sphere with ε/a = 0.17 it is known that the Newtonian model is 7 % too hot. */
static void kinetic_energy_is_exact(void **state)
{
    (void)state;
    static const char *const names[] = {"plummer", "hernquist", "king"};
    for (int k = 0; k < 3; k++) {
        struct ky_model_parameters parameters = parameters_of(400000, 0);
        struct ky_bodies bodies = make(names[k], &parameters);
        double v2 = 0;
        for (size_t i = 0; i < bodies.n; i++)
            for (int j = 0; j < 3; j++)
                v2 += bodies.velocity[i][j] * bodies.velocity[i][j] / (double)bodies.n;
        assert_between(v2, 0.498, 0.502);
        ky_bodies_free(&bodies);
    }
    struct ky_model_parameters parameters = parameters_of(4000, 0);
    struct ky_bodies bodies = make("plummer", &parameters);
    struct energies sum = energies_of(&bodies, 0.1);
    assert_between(2 * sum.kinetic / sum.virial, 1.05, 1.10);
    ky_bodies_free(&bodies);
}

static void cold_and_warm_uniform_models(void **state)
{
    (void)state;
    for (size_t k = 1; k < 3; k++)
        for (int q = 0; q < 4; q++) {
            struct ky_model_parameters parameters = parameters_of(3000, 0);
            parameters.virial_ratio = 0.5 * q;
            struct ky_bodies bodies = make(ky_model_name(k), &parameters);
            struct energies sum = energies_of(&bodies, 0);
            assert_between(sum.kinetic + sum.potential, -0.265, -0.235);
            assert_between(2 * sum.kinetic / sum.virial, 0.5 * q * 0.96, 0.5 * q * 1.04);
            ky_bodies_free(&bodies);
        }
}

/* The mass within x scale radii, for the density ρ(x) − ρ(cut), whose mass within the cut is 1. */
static double plummer_mass(double x)
{
    const double cut = 38.7136917515, all = pow(1 + 1 / (cut * cut), -1.5);
    const double edge = pow(1 + cut * cut, -2.5), total = all - edge * pow(cut, 3);
    return (pow(x * x / (1 + x * x), 1.5) - edge * x * x * x) / total;
}

static double hernquist_mass(double x)
{
    const double cut = 100, edge = 2.0 / 3 / (cut * pow(1 + cut, 3)), all = pow(1 + 1 / cut, -2);
    return (pow(x / (1 + x), 2) - edge * x * x * x) / (all - edge * pow(cut, 3));
}

static double jaffe_mass(double x)
{
    const double cut = 100, edge = 1.0 / 3 / pow(cut * (1 + cut), 2), all = cut / (1 + cut);
    return (x / (1 + x) - edge * x * x * x) / (all - edge * pow(cut, 3));
}

static double nfw_mass(double x)
{
    const double cut = 30, edge = 1 / (3 * cut * pow(1 + cut, 2)),
                 all = log1p(cut) - cut / (1 + cut);
    return (log1p(x) - x / (1 + x) - edge * x * x * x) / (all - edge * pow(cut, 3));
}

/* The scale radius in Hénon units: a = 2|W| = ∫ (M/x)² dx + 1/cut, by the midpoint rule in log
 * x. */
static double scale_radius(double (*mass)(double), double cut)
{
    enum { STEPS = 4000 };
    double sum = 1 / cut, width = log(cut / 1e-6) / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double x = 1e-6 * exp((k + 0.5) * width);
        sum += pow(mass(x), 2) / x * width;
    }
    return sum;
}

static double plummer_law(double r)
{
    static double a;
    a = a > 0 ? a : scale_radius(plummer_mass, 38.7136917515);
    return plummer_mass(r / a);
}

static double hernquist_law(double r)
{
    static double a;
    a = a > 0 ? a : scale_radius(hernquist_mass, 100);
    return hernquist_mass(r / a);
}

static double jaffe_law(double r)
{
    static double a;
    a = a > 0 ? a : scale_radius(jaffe_mass, 100);
    return jaffe_mass(r / a);
}

static double nfw_law(double r)
{
    static double a;
    a = a > 0 ? a : scale_radius(nfw_mass, 30);
    return nfw_mass(r / a);
}

static double sphere_law(double r)
{
    return pow(r / 1.2, 3); /* W = −3/5 M²/R = −1/2 */
}

static double cube_law(double x)
{
    return 0.5 + x / (2 * 0.9411563); /* W = −0.9411563 M²/L */
}

static struct ky_profile king_profile;

static double king_law(double r)
{
    static double length;
    if (length == 0) {
        assert_ok(ky_king_profile(6, &king_profile, &error));
        length = 2 * ky_profile_energy(&king_profile);
    }
    for (size_t k = 1; k < king_profile.nodes; k++)
        if (king_profile.r[k] * length >= r)
            return king_profile.mass[k];
    return 1;
}

static void mass_profiles_follow_their_laws(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*law)(double);
    } cases[] = {{"plummer", plummer_law},   {"hernquist", hernquist_law},
                 {"jaffe", jaffe_law},       {"nfw", nfw_law},
                 {"king", king_law},         {"uniform-sphere", sphere_law},
                 {"uniform-cube", cube_law}, {"random", sphere_law}};
    enum { N = 20000 };
    double *values = malloc(N * sizeof *values);
    for (int k = 0; k < 8; k++) {
        struct ky_model_parameters parameters = parameters_of(N, 0.2);
        parameters.virial_ratio = 1;
        struct ky_bodies bodies = make(cases[k].name, &parameters);
        for (size_t i = 0; i < N; i++) {
            const double *x = bodies.position[i];
            values[i] =
                cases[k].law == cube_law ? x[1] : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        }
        assert_between(kolmogorov(values, N, cases[k].law), 0, 1.95);
        ky_bodies_free(&bodies);
    }
    free(values);
}

/* Cosine between velocity and position: uniform in [−1, 1] for an isotropic system. */
static double cosine_law(double x)
{
    return 0.5 + 0.5 * x;
}

static void velocities_are_isotropic(void **state)
{
    (void)state;
    enum { N = 20000 };
    double *cosine = malloc(N * sizeof *cosine), *axis = malloc(N * sizeof *axis);
    for (size_t k = 0; k < 7; k++) {
        struct ky_model_parameters parameters = parameters_of(N, 0.1);
        parameters.virial_ratio = 1;
        struct ky_bodies bodies = make(ky_model_name(k), &parameters);
        for (size_t i = 0; i < N; i++) {
            const double *x = bodies.position[i], *v = bodies.velocity[i];
            double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            double s = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            cosine[i] = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / (r * s);
            axis[i] = v[2] / s;
        }
        assert_between(kolmogorov(cosine, N, cosine_law), 0, 1.95);
        assert_between(kolmogorov(axis, N, cosine_law), 0, 1.95);
        ky_bodies_free(&bodies);
    }
    free(cosine);
    free(axis);
}

/* ---- masses and rotation ---- */

/* How many bodies of Kroupa's function have less than m: ∫ m^−1.3, and from 0.5 on 0.5 m^−2.3. */
static double kroupa_number(double m)
{
    const double break_at = 0.5, low = (pow(0.08, -0.3) - pow(fmin(m, break_at), -0.3)) / 0.3;
    return m < break_at ? low : low + 0.5 * (pow(break_at, -1.3) - pow(m, -1.3)) / 1.3;
}

static double kroupa_law(double m)
{
    return kroupa_number(m) / kroupa_number(100);
}

static double salpeter_law(double m)
{
    return (pow(0.1, -1.35) - pow(m, -1.35)) / (pow(0.1, -1.35) - pow(100, -1.35));
}

/* Masses that are drawn follow their law and add up to the total mass, and the sphere is in
 * balance. */
static void masses_follow_their_function(void **state)
{
    (void)state;
    static const struct {
        int function;
        double (*law)(double);
        double smallest;
    } cases[] = {{KY_MASS_SALPETER, salpeter_law, 0.1}, {KY_MASS_KROUPA, kroupa_law, 0.08}};
    enum { N = 20000 };
    double *values = malloc(N * sizeof *values);
    for (int k = 0; k < 2; k++) {
        struct ky_model_parameters parameters = parameters_of(N, 0.1);
        parameters.mass_function = cases[k].function;
        struct ky_bodies bodies = make("plummer", &parameters), equal;
        double sum = 0, least = 1, most = 0;
        for (size_t i = 0; i < N; i++) {
            sum += bodies.mass[i];
            least = fmin(least, bodies.mass[i]);
            most = fmax(most, bodies.mass[i]);
        }
        assert_between(sum, 1 - 1e-12, 1 + 1e-12);
        assert_between(most / least, 100, 100 / cases[k].smallest);
        /* The smallest of 20,000 is the limit to 1e-3. */
        for (size_t i = 0; i < N; i++)
            values[i] = bodies.mass[i] / least * cases[k].smallest;
        assert_between(kolmogorov(values, N, cases[k].law), 0, 1.95);
        parameters.mass_function = KY_MASS_EQUAL;
        equal = make("plummer", &parameters);
        double scale = 0;
        for (size_t i = 0; i < N; i++)
            scale = fmax(scale, fabs(bodies.position[i][0] - equal.position[i][0]));
        assert_true(scale < 0.1); /* another centre of mass moves all of them */
        ky_bodies_free(&equal);
        ky_bodies_free(&bodies);
    }
    free(values);
}

struct range {
    double least, most, sum;
};

static struct range masses_of(const struct ky_bodies *bodies)
{
    struct range range = {HUGE_VAL, 0, 0};
    for (size_t i = 0; i < bodies->n; i++) {
        range.least = fmin(range.least, bodies->mass[i]);
        range.most = fmax(range.most, bodies->mass[i]);
        range.sum += bodies->mass[i];
    }
    return range;
}

static char told[512];

static void keep_line(void *context, enum ky_log_level level, const char *line)
{
    (void)context;
    snprintf(told, sizeof told, "%s%s", level == KY_LOG_WARNING ? "warning: " : "", line);
}

/* In units with a scale stars have masses in solar masses, and the limits are exact. The total mass
 * follows from the number, and the number from the mass. Where both are given, masses are scaled
 * with a warning. */
static void stars_have_masses_of_the_sun(void **state)
{
    (void)state;
    struct ky_model_parameters parameters = parameters_of(20000, 0.1);
    parameters.mass_function = KY_MASS_KROUPA;
    parameters.log = keep_line;
    assert_ok(ky_units_preset("cluster", &parameters.units, &error));
    struct ky_bodies bodies = make("plummer", &parameters);
    const struct range all = masses_of(&bodies);
    ky_bodies_free(&bodies);
    assert_between(all.least, 0.08 - 1e-12, 0.0801);
    assert_between(all.most, 50, 100 + 1e-9);
    assert_between(all.sum, 10000, 13000);

    *told = '\0';
    parameters.n = 0;
    parameters.mass = 0.7 * all.sum;
    bodies = make("plummer", &parameters);
    struct range some = masses_of(&bodies);
    assert_between(some.least, 0.08 - 1e-12, 0.0801); /* a function of the seed alone */
    assert_true(fabs(some.sum - parameters.mass) <= some.most && bodies.n < 20000);
    assert_non_null(strstr(told, "stars of "));
    ky_bodies_free(&bodies);

    parameters.n = 20000;
    bodies = make("plummer", &parameters);
    some = masses_of(&bodies);
    assert_between(some.least / all.least, 0.7 - 1e-12, 0.7 + 1e-12);
    assert_non_null(strstr(told, "warning: plummer: 20000 stars have"));
    assert_non_null(strstr(told, "multiplied by 0.7."));
    ky_bodies_free(&bodies);

    assert_ok(ky_units_preset("galaxy", &parameters.units, &error)); /* 1e10 Msun */
    parameters.mass = (double)NAN;
    bodies = make("plummer", &parameters);
    assert_between(masses_of(&bodies).least * 1e10, 0.08 - 1e-9, 0.0801);
    ky_bodies_free(&bodies);
    parameters.n = 0;
    struct ky_snapshot none;
    assert_int_equal(ky_model_make("plummer", &parameters, &none, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "no number of bodies"));
    parameters.mass = 1e200;
    assert_int_equal(ky_model_make("plummer", &parameters, &none, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "too many stars"));
    parameters.units = (struct ky_units){.g = (double)NAN}; /* no units */
    assert_int_equal(ky_model_make("plummer", &parameters, &none, &error), KY_USAGE);
}

/* Position, velocity and orientation: the x axis goes where the angles say, and lengths may have
 * units. */
static void systems_are_placed(void **state)
{
    (void)state;
    static const struct {
        const char *orientation;
        double x[3], z[3]; /* the new x and z axes */
    } cases[] = {
        {NULL, {1, 0, 0}, {0, 0, 1}},
        {"90,0,0", {1, 0, 0}, {0, -1, 0}},
        {"90,90,0", {0, 1, 0}, {1, 0, 0}},
        {"90,0,90", {0, 0, 1}, {0, -1, 0}},
        {"180,0,0", {1, 0, 0}, {0, 0, -1}},
        {"0,-90,0", {0, -1, 0}, {0, 0, 1}},
        {"0,6.320014927250329e+307,0", {1, 0, 0}, {0, 0, 1}}, /* 360 × 2^1014 */
    };
    struct ky_model_parameters parameters = parameters_of(2, 0);
    assert_ok(ky_units_preset("cluster", &parameters.units, &error));
    parameters.mass = 2 / parameters.units.g;
    parameters.position = "1kpc,-2,3pc";
    parameters.velocity = "10,20km/s,-30";
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        parameters.orientation = cases[k].orientation;
        struct ky_bodies bodies = make("two-body", &parameters);
        double spin[3], x[3], v[3];
        for (int c = 0; c < 3; c++) { /* the relative orbit: along x, anticlockwise about z */
            x[c] = bodies.position[1][c] - bodies.position[0][c];
            v[c] = bodies.velocity[1][c] - bodies.velocity[0][c];
            const double middle = 0.5 * (bodies.position[1][c] + bodies.position[0][c]),
                         mean = 0.5 * (bodies.velocity[1][c] + bodies.velocity[0][c]);
            assert_between(middle - (c == 0 ? 1000 : c == 1 ? -2 : 3), -1e-9, 1e-9);
            assert_between(mean - (c == 0 ? 10 : c == 1 ? 20 : -30), -1e-9, 1e-9);
        }
        for (int c = 0; c < 3; c++)
            spin[c] = x[(c + 1) % 3] * v[(c + 2) % 3] - x[(c + 2) % 3] * v[(c + 1) % 3];
        for (int c = 0; c < 3; c++) {
            assert_between(x[c] - cases[k].x[c], -1e-9, 1e-9);
            assert_between(spin[c] / sqrt(2) - cases[k].z[c], -1e-6, 1e-6);
        }
        ky_bodies_free(&bodies);
    }
    static const char *const wrong[] = {"1,2", "1,2,3,4", "1,2,x", "1,2,3Myr", "", "1,,2"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct ky_snapshot none;
        parameters.position = wrong[k];
        assert_int_equal(ky_model_make("two-body", &parameters, &none, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "--position"));
    }
}

/* A model without an equilibrium, or with numbers that are not finite, is refused or has a
 * warning. */
static void unbalanced_systems_are_refused_or_named(void **state)
{
    (void)state;
    static const struct {
        const char *name, *option;
        double softening;
        const char *error;
    } cases[] = {
        {"super8", NULL, 1e5, "softening"},
        {"galaxy", "disk-edge=0.3", 0.05, "disk"},
        {"galaxy", "disk-edge=0.05", 0.05, "disk"},
        {"galaxy", "disk-scale=300", (double)NAN, "disk"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_model_parameters parameters = parameters_of(2000, cases[k].softening);
        const char *options[] = {cases[k].option, NULL};
        struct ky_snapshot snapshot;
        parameters.options = options;
        if (ky_model_make(cases[k].name, &parameters, &snapshot, &error) != KY_USAGE)
            fail_msg("%s with %s", cases[k].name, cases[k].option ? cases[k].option : "softening");
        assert_non_null(strstr(error.text, cases[k].error));
    }
    struct ky_model_parameters parameters = parameters_of(2000, 0.05);
    *told = '\0';
    parameters.log = keep_line;
    struct ky_bodies bodies = make("galaxy", &parameters);
    ky_bodies_free(&bodies);
    assert_string_equal(told, "");
}

static double spin(const struct ky_bodies *bodies, size_t i)
{
    const double *x = bodies->position[i], *v = bodies->velocity[i];
    return x[0] * v[1] - x[1] * v[0];
}

/* With `rotation` this fraction of the bodies with L_z < 0 turns the other way. Speeds and |L_z|
 * stay. */
static void spheres_turn(void **state)
{
    (void)state;
    enum { N = 20000 };
    static const double fractions[] = {0.25, 1};
    for (int k = 0; k < 2; k++) {
        struct ky_model_parameters parameters = parameters_of(N, 0.1);
        struct ky_bodies still = make("hernquist", &parameters);
        parameters.rotation = fractions[k];
        struct ky_bodies turning = make("hernquist", &parameters);
        double back = 0, turned = 0, drift = 0;
        for (size_t i = 0; i < N; i++) {
            back += spin(&still, i) < 0;
            turned += spin(&still, i) < 0 && spin(&turning, i) > 0;
            drift += hypot(hypot(turning.velocity[i][0], turning.velocity[i][1]),
                           turning.velocity[i][2]) -
                     hypot(hypot(still.velocity[i][0], still.velocity[i][1]), still.velocity[i][2]);
        }
        /* The mean velocity is subtracted afterwards, which changes the sign of L_z for a few
         * bodies. */
        assert_between(turned / back, fractions[k] - 0.015, fractions[k] + 0.015);
        assert_between(drift / N, -1e-3, 1e-3);
        ky_bodies_free(&still);
        ky_bodies_free(&turning);
    }
}

static void only_spheres_have_masses_and_rotation(void **state)
{
    (void)state;
    static const char *const spheres[] = {"plummer", "hernquist", "jaffe",
                                          "nfw",     "king",      "uniform-sphere"};
    for (size_t k = 0; k < 6; k++) {
        assert_true(ky_model_takes(ky_model_find(spheres[k], &error), "mass-function"));
        assert_true(ky_model_takes(ky_model_find(spheres[k], &error), "rotation"));
    }
    assert_false(ky_model_takes(ky_model_find("uniform-cube", &error), "rotation"));
    assert_false(ky_model_takes(ky_model_find("two-body", &error), "mass-function"));
    struct ky_model_parameters parameters = parameters_of(10, 0);
    struct ky_snapshot snapshot;
    parameters.mass_function = KY_MASS_KROUPA; /* the model has no such field */
    struct ky_bodies cube = make("uniform-cube", &parameters);
    assert_true(cube.mass[0] == cube.mass[9]);
    ky_bodies_free(&cube);
    parameters.rotation = 1.5;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
    parameters.rotation = 0;
    parameters.mass_function = 17;
    assert_int_equal(ky_model_make("plummer", &parameters, &snapshot, &error), KY_USAGE);
}

/* log10(tidal over King radius): King (1966), to the digits in common tables. */
static void king_concentrations(void **state)
{
    (void)state;
    static const double published[][2] = {{3, 0.672}, {6, 1.255}, {9, 2.120}, {12, 2.739}};
    for (int k = 0; k < 4; k++) {
        assert_ok(ky_king_profile(published[k][0], &king_profile, &error));
        double c = log10(king_profile.r[king_profile.nodes - 1]);
        assert_between(c, published[k][1] - 0.002, published[k][1] + 0.002);
    }
    for (double w0 = 0.1; w0 <= 16; w0 += 0.53)
        assert_ok(ky_king_profile(w0, &king_profile, &error));
    assert_ok(ky_king_profile(16, &king_profile, &error));
}

static struct ky_shell plummer_shell(double r)
{
    double s2 = 1 + r * r, constant = 3 / (4 * acos(-1.0));
    return (struct ky_shell){constant * pow(s2, -2.5), -5 * constant * r * pow(s2, -3.5),
                             pow(r * r / s2, 1.5)};
}

/* Without softening the tables give the analytic distribution functions: 24√2/(7π³) E^(7/2) of
 * Plummer's sphere (far inside the cut) and e^E − 1 of King's. */
static void tables_give_the_analytic_distribution_functions(void **state)
{
    (void)state;
    struct ky_equilibrium *equilibrium = calloc(1, sizeof *equilibrium);
    ky_profile_cut(&equilibrium->profile, 1e4, plummer_shell);
    assert_ok(ky_equilibrium_solve(equilibrium, &error));
    const size_t last = equilibrium->profile.nodes - 1;
    int compared = 0;
    for (size_t k = 0; k < last; k++) {
        double e = equilibrium->depth[last] - equilibrium->depth[k] + 1e-4;
        double f = 24 * sqrt(2.0) / (7 * pow(acos(-1.0), 3)) * pow(e, 3.5);
        if (e > 0.1) {
            assert_between(ky_equilibrium_f(equilibrium, k) / f, 0.995, 1.005);
            compared++;
        }
    }
    assert_true(compared > 500);
    assert_ok(ky_king_profile(6, &equilibrium->profile, &error));
    assert_ok(ky_equilibrium_solve(equilibrium, &error));
    const size_t edge = equilibrium->profile.nodes - 1;
    double unit = 6 / equilibrium->depth[edge];
    double centre = ky_equilibrium_f(equilibrium, 0) / expm1(6);
    for (size_t k = 0; k < edge; k++) {
        double e = unit * (equilibrium->depth[edge] - equilibrium->depth[k]);
        if (e > 0.01)
            assert_between(ky_equilibrium_f(equilibrium, k) / (centre * expm1(e)), 0.99, 1.01);
    }
    free(equilibrium);
}

/* The softened force of the table against the force of a sample. Each body of the sample is spread
 * over its sphere, on 64 rings of equal area. */
static void softened_force_agrees_with_bodies(void **state)
{
    (void)state;
    enum { RINGS = 64 };
    struct ky_model_parameters parameters = parameters_of(20000, 0);
    struct ky_bodies bodies = make("plummer", &parameters);
    struct ky_profile *profile = calloc(1, sizeof *profile);
    double *force = calloc(KY_PROFILE_NODES, sizeof *force);
    ky_profile_cut(profile, 38.7136917515, plummer_shell);
    const double length = 2 * ky_profile_energy(profile), eps = 0.2;
    ky_profile_force(profile, eps / length, 0, force);
    for (size_t k = 900; k < profile->nodes; k += 200) {
        double r = profile->r[k] * length, sum = 0;
        for (size_t i = 0; i < bodies.n; i++) {
            const double *x = bodies.position[i];
            double s = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            for (int ring = 0; ring < RINGS; ring++) {
                double mu = (ring + 0.5) * 2 / RINGS - 1;
                double s2 = r * r + s * s - 2 * r * s * mu + eps * eps;
                sum += bodies.mass[i] / RINGS * (r - s * mu) / (s2 * sqrt(s2));
            }
        }
        assert_between(force[k] / (length * length) / sum, 0.97, 1.03);
    }
    free(force);
    free(profile);
    ky_bodies_free(&bodies);
}

/* The same seed gives the same bytes for any number of threads. Positions do not depend on the
 * softening. */
static void bodies_depend_on_the_seed_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        struct ky_model_parameters parameters = parameters_of(10007, 0.05);
        parameters.virial_ratio = 0.5;
        struct ky_bodies first = make(ky_model_name(k), &parameters);
        size_t bytes = first.n * sizeof *first.position;
#ifdef _OPENMP
        int threads = omp_get_max_threads();
        for (int t = 1; t <= 3; t++) {
            omp_set_num_threads(t);
            struct ky_bodies again = make(ky_model_name(k), &parameters);
            assert_memory_equal(first.position, again.position, bytes);
            assert_memory_equal(first.velocity, again.velocity, bytes);
            ky_bodies_free(&again);
        }
        omp_set_num_threads(threads);
#endif
        parameters.softening = 0.5;
        struct ky_bodies softer = make(ky_model_name(k), &parameters);
        assert_memory_equal(first.position, softer.position, bytes);
        assert_memory_not_equal(first.velocity, softer.velocity, bytes);
        parameters.seed = 2;
        struct ky_bodies other = make(ky_model_name(k), &parameters);
        assert_memory_not_equal(first.position, other.position, bytes);
        ky_bodies_free(&first);
        ky_bodies_free(&softer);
        ky_bodies_free(&other);
    }
}

/* Relative orbit of two points: semi-major axis, eccentricity, pericentre, radial velocity. */
struct orbit {
    double axis, eccentricity, pericentre, radial, turn;
};

static struct orbit orbit_of(const double x[3], const double v[3], double gm)
{
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double radial = x[0] * v[0] + x[1] * v[1] + x[2] * v[2], e2 = 0, vector[3];
    for (int k = 0; k < 3; k++) {
        vector[k] = ((v2 - gm / r) * x[k] - radial * v[k]) / gm;
        e2 += vector[k] * vector[k];
    }
    double h = x[0] * v[1] - x[1] * v[0];
    return (struct orbit){1 / (2 / r - v2 / gm), sqrt(e2), h * h / (gm * (1 + sqrt(e2))),
                          radial / r, h};
}

static void two_bodies_have_their_orbit(void **state)
{
    (void)state;
    static const double eccentricity[] = {0, 0.5, 0.99}, ratio[] = {1, 0.1, 0};
    for (int i = 0; i < 9; i++) {
        struct ky_model_parameters parameters = parameters_of(0, 0);
        parameters.eccentricity = eccentricity[i % 3];
        parameters.mass_ratio = ratio[i / 3];
        parameters.semi_major_axis = 2;
        struct ky_bodies bodies = make("two-body", &parameters);
        double x[3], v[3];
        assert_int_equal(bodies.n, 2);
        for (int k = 0; k < 3; k++) {
            x[k] = bodies.position[1][k] - bodies.position[0][k];
            v[k] = bodies.velocity[1][k] - bodies.velocity[0][k];
        }
        struct orbit orbit = orbit_of(x, v, 1);
        assert_between(orbit.axis, 2 - 1e-12, 2 + 1e-12);
        assert_between(orbit.eccentricity, eccentricity[i % 3] - 1e-12,
                       eccentricity[i % 3] + 1e-12);
        assert_between(x[0], 2 * (1 + eccentricity[i % 3]) - 1e-12,
                       2 * (1 + eccentricity[i % 3]) + 1e-12);
        assert_true(orbit.turn > 0);
        assert_between(bodies.mass[1] / bodies.mass[0], ratio[i / 3] - 1e-15, ratio[i / 3] + 1e-15);
        ky_bodies_free(&bodies);
    }
}

/* With softening the speed at apocentre makes a (1 − e) the other turning point. */
static void two_softened_bodies_turn_where_they_should(void **state)
{
    (void)state;
    static const double eccentricity[] = {0, 0.7};
    for (int i = 0; i < 4; i++) {
        struct ky_model_parameters parameters = parameters_of(2, 0.4);
        parameters.eccentricity = eccentricity[i % 2];
        parameters.softening_kind = i / 2;
        struct ky_bodies bodies = make("two-body", &parameters);
        double e = eccentricity[i % 2], eps2 = 0.16 * (1 + i / 2);
        double far = bodies.position[1][0] - bodies.position[0][0], near = 1 - e;
        double speed = bodies.velocity[1][1] - bodies.velocity[0][1], fast = speed * far / near;
        assert_between(far, 1 + e - 1e-14, 1 + e + 1e-14);
        double excess = 0.5 * (fast * fast - speed * speed) - 1 / sqrt(near * near + eps2) +
                        1 / sqrt(far * far + eps2);
        assert_between(excess, -1e-13, 1e-13);
        if (e == 0)
            assert_between(speed * speed * pow(1 + eps2, 1.5), 1 - 1e-13, 1 + 1e-13);
        ky_bodies_free(&bodies);
    }
}

static struct ky_bodies cluster(uint64_t n, uint64_t seed, double mass, double shift)
{
    struct ky_model_parameters parameters = parameters_of(n, 0);
    parameters.seed = seed;
    struct ky_bodies bodies = make("plummer", &parameters);
    for (size_t i = 0; i < n; i++) {
        bodies.mass[i] *= mass;
        for (int k = 0; k < 3; k++) {
            bodies.position[i][k] += shift * k;
            bodies.velocity[i][k] -= shift;
        }
    }
    return bodies;
}

static void centre_of(const struct ky_bodies *bodies, size_t first, size_t end, double x[3],
                      double v[3])
{
    double mass = 0;
    for (int k = 0; k < 3; k++)
        x[k] = v[k] = 0;
    for (size_t i = first; i < end; i++) {
        mass += bodies->mass[i];
        for (int k = 0; k < 3; k++) {
            x[k] += bodies->mass[i] * bodies->position[i][k];
            v[k] += bodies->mass[i] * bodies->velocity[i][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        x[k] /= mass;
        v[k] /= mass;
    }
}

/* The first system is turned upside down, and the x-y plane of the second stands upright. Distances
 * and speeds within a system stay. */
static void merged_systems_are_turned(void **state)
{
    (void)state;
    struct ky_bodies pair = {0}, merged = {0};
    struct ky_merge_parameters parameters;
    ky_merge_parameters_defaults(&parameters);
    parameters.separation = 20, parameters.pericentre = 1;
    parameters.first_inclination = 180, parameters.second_inclination = 90;
    assert_ok(ky_bodies_allocate(&pair, 2, 0, &error));
    for (int i = 0; i < 2; i++) {
        pair.mass[i] = 1;
        pair.position[i][0] = i ? -0.5 : 0.5;
        pair.velocity[i][1] = i ? -1 : 1;
    }
    assert_ok(ky_merge(&pair, &pair, &parameters, &merged, &error));
    for (size_t s = 0; s < 2; s++) {
        double x[3], v[3];
        for (int c = 0; c < 3; c++) {
            x[c] = merged.position[2 * s][c] - merged.position[2 * s + 1][c];
            v[c] = merged.velocity[2 * s][c] - merged.velocity[2 * s + 1][c];
        }
        assert_between(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 1 - 1e-12, 1 + 1e-12);
        const double spin = x[0] * v[1] - x[1] * v[0]; /* 2 if it is not turned */
        assert_between(spin, (s ? 0 : -2) - 1e-12, (s ? 0 : -2) + 1e-12);
    }
    ky_bodies_free(&pair);
    ky_bodies_free(&merged);
    parameters.first_omega = 361;
    assert_int_equal(ky_merge(&pair, &pair, &parameters, &merged, &error), KY_USAGE);
}

static void merged_systems_are_on_their_orbit(void **state)
{
    (void)state;
    static const struct {
        double separation, pericentre, eccentricity, g;
    } cases[] = {{20, 1, 1, 1},  {20, 3, 0.9, 43009}, {20, 2, 1.7, 1}, {6, 6, 0, 2},
                 {3, 1, 0.5, 1}, {1, 1, 0.5, 1},      {9, 0, 1, 1}};
    struct ky_bodies a = cluster(300, 1, 1, 5), b = cluster(200, 2, 3, -2);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_merge_parameters parameters;
        ky_merge_parameters_defaults(&parameters);
        parameters.separation = cases[k].separation;
        parameters.pericentre = cases[k].pericentre;
        parameters.eccentricity = cases[k].eccentricity;
        parameters.g = cases[k].g;
        struct ky_bodies merged = {0};
        assert_ok(ky_merge(&a, &b, &parameters, &merged, &error));
        double xa[3], va[3], xb[3], vb[3], x[3], v[3], scale = sqrt(cases[k].g);
        centre_of(&merged, 0, merged.n, x, v);
        for (int j = 0; j < 3; j++) {
            assert_between(x[j], -1e-12, 1e-12);
            assert_between(v[j] / scale, -1e-12, 1e-12);
        }
        centre_of(&merged, 0, a.n, xa, va);
        centre_of(&merged, a.n, merged.n, xb, vb);
        for (int j = 0; j < 3; j++) {
            x[j] = xb[j] - xa[j];
            v[j] = vb[j] - va[j];
        }
        struct orbit orbit = orbit_of(x, v, 4 * cases[k].g);
        double e = cases[k].eccentricity, q = cases[k].pericentre, d = cases[k].separation;
        assert_between(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), d - 1e-11, d + 1e-11);
        assert_between(orbit.eccentricity, e - 1e-6, e + 1e-6);
        assert_between(orbit.pericentre, q - 1e-6, q + 1e-6);
        assert_between(x[2] * x[2] + v[2] * v[2] / cases[k].g, 0, 1e-20);
        assert_true(orbit.turn / scale > -1e-12);
        if (d > q && (e >= 1 || d < 0.999 * q * (1 + e) / (1 - e)))
            assert_true(orbit.radial < 0);
        ky_bodies_free(&merged);
    }
    ky_bodies_free(&a);
    ky_bodies_free(&b);
}

static void impossible_orbits_are_refused(void **state)
{
    (void)state;
    struct ky_bodies a = cluster(10, 1, 1, 0), empty = {0}, merged;
    struct ky_merge_parameters parameters;
    ky_merge_parameters_defaults(&parameters);
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_USAGE);
    parameters.separation = 20, parameters.pericentre = 1, parameters.eccentricity = 0.5;
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "from 1 to 3"));
    parameters.separation = 0.5, parameters.eccentricity = 2;
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "at least the pericentre, 1"));
    parameters.separation = 2, parameters.pericentre = 0;
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_USAGE);
    parameters.pericentre = 1, parameters.eccentricity = -0.1;
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_USAGE);
    parameters.eccentricity = 1;
    assert_int_equal(ky_merge(&a, &empty, &parameters, &merged, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "second"));
    assert_int_equal(merged.n, 0);
    a.velocity[3][1] = (double)NAN;
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 3"));
    a.velocity[3][1] = 0;
    for (size_t i = 0; i < a.n; i++)
        a.mass[i] = 0;
    assert_int_equal(ky_merge(&a, &a, &parameters, &merged, &error), KY_BAD_DATA);
    ky_bodies_free(&a);
}

static void merging_keeps_ids_types_and_softenings(void **state)
{
    (void)state;
    struct ky_error *none = NULL;
    struct ky_bodies a = {0}, b = {0}, merged = {0};
    assert_ok(ky_bodies_allocate(&a, 2, KY_WITH_ID | KY_WITH_SOFTENING, none));
    assert_ok(ky_bodies_allocate(&b, 3, KY_WITH_ID | KY_WITH_TYPE, none));
    for (size_t i = 0; i < 3; i++) {
        if (i < 2)
            a.mass[i] = 1, a.id[i] = 10 + i, a.softening[i] = 0.5, a.position[i][0] = (double)i;
        b.mass[i] = 2, b.id[i] = i, b.type[i] = 1, b.position[i][1] = (double)i;
    }
    struct ky_merge_parameters parameters;
    ky_merge_parameters_defaults(&parameters);
    parameters.separation = 4, parameters.pericentre = 1;
    assert_int_equal(ky_merge(&a, &b, &parameters, &merged, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "only the bodies of the first system have softenings"));
    parameters.softening = 0.25;
    assert_ok(ky_merge(&a, &b, &parameters, &merged, &error));
    static const uint64_t kept[] = {10, 11, 0, 1, 2}, moved[] = {10, 11, 12, 23, 14};
    assert_memory_equal(merged.id, kept, sizeof kept);
    static const uint8_t types[] = {4, 4, 1, 1, 1};
    assert_memory_equal(merged.type, types, sizeof types);
    static const double softenings[] = {0.5, 0.5, 0.25, 0.25, 0.25};
    assert_memory_equal(merged.softening, softenings, sizeof softenings);
    ky_bodies_free(&merged);
    b.id[1] = 11;
    assert_ok(ky_merge(&a, &b, &parameters, &merged, &error));
    assert_memory_equal(merged.id, moved, sizeof moved);
    ky_bodies_free(&merged);
    a.id[0] = UINT64_MAX;
    assert_int_equal(ky_merge(&a, &b, &parameters, &merged, &error), KY_BAD_DATA);
    ky_bodies_free(&a);
    ky_bodies_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_wrong_parameters),
        cmocka_unit_test(recommended_softening_is_stored),
        cmocka_unit_test(a_cusp_is_at_the_origin),
        cmocka_unit_test(mass_radius_and_g_scale),
        cmocka_unit_test(wrong_units_of_a_model),
        cmocka_unit_test(merging_scales_the_second_system),
        cmocka_unit_test(scale_and_time_of_a_merger),
        cmocka_unit_test(few_bodies_are_finite_and_centred),
        cmocka_unit_test(large_models_are_centred),
        cmocka_unit_test(models_are_in_virial_balance),
        cmocka_unit_test(small_softenings_are_taken),
        cmocka_unit_test(kinetic_energy_is_exact),
        cmocka_unit_test(cold_and_warm_uniform_models),
        cmocka_unit_test(mass_profiles_follow_their_laws),
        cmocka_unit_test(velocities_are_isotropic),
        cmocka_unit_test(masses_follow_their_function),
        cmocka_unit_test(stars_have_masses_of_the_sun),
        cmocka_unit_test(systems_are_placed),
        cmocka_unit_test(unbalanced_systems_are_refused_or_named),
        cmocka_unit_test(spheres_turn),
        cmocka_unit_test(only_spheres_have_masses_and_rotation),
        cmocka_unit_test(king_concentrations),
        cmocka_unit_test(tables_give_the_analytic_distribution_functions),
        cmocka_unit_test(softened_force_agrees_with_bodies),
        cmocka_unit_test(bodies_depend_on_the_seed_alone),
        cmocka_unit_test(two_bodies_have_their_orbit),
        cmocka_unit_test(two_softened_bodies_turn_where_they_should),
        cmocka_unit_test(merged_systems_are_turned),
        cmocka_unit_test(merged_systems_are_on_their_orbit),
        cmocka_unit_test(impossible_orbits_are_refused),
        cmocka_unit_test(merging_keeps_ids_types_and_softenings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
