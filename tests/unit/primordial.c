/* Primordial binaries of models: their masses, centres and orbits against the published laws. The
 * bound of Kolmogorov's distance times √n is 1.95, which a sample of the right law exceeds once in
 * a thousand; seeds are fixed. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kolmogorov.h"
#include "physics/orbit.h"

static struct ky_error error;
static const double au = 1.495978707e13 / 3.085678e18; /* pc */

static struct ky_model_parameters parameters_of(uint64_t n, double binaries)
{
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.binaries = binaries;
    return parameters;
}

/* In pc, Msun and km/s, with Kroupa's masses. */
static struct ky_model_parameters cluster_of(uint64_t n, double binaries)
{
    struct ky_model_parameters parameters = parameters_of(n, binaries);
    parameters.mass_function = KY_MASS_KROUPA;
    parameters.radius = 1;
    assert_ok(ky_units_preset("cluster", &parameters.units, &error));
    return parameters;
}

static struct ky_snapshot make(const char *name, const struct ky_model_parameters *parameters)
{
    struct ky_snapshot snapshot;
    assert_ok(ky_model_make(name, parameters, &snapshot, &error));
    return snapshot;
}

/* The orbit of pair k, and the mean anomaly over 2π. */
struct found {
    double mass[2], axis, period, eccentricity, phase, spin_z;
};

static struct found find(const struct ky_snapshot *snapshot, size_t k)
{
    const struct ky_bodies *b = &snapshot->bodies;
    double x[3], v[3], r2 = 0, v2 = 0, rv = 0;
    for (int c = 0; c < 3; c++) {
        x[c] = b->position[2 * k + 1][c] - b->position[2 * k][c];
        v[c] = b->velocity[2 * k + 1][c] - b->velocity[2 * k][c];
        r2 += x[c] * x[c], v2 += v[c] * v[c], rv += x[c] * v[c];
    }
    struct found found = {.mass = {b->mass[2 * k], b->mass[2 * k + 1]}};
    const double gm = snapshot->units.g * (found.mass[0] + found.mass[1]), r = sqrt(r2),
                 inverse = ky_orbit_inverse_axis(gm, r, v2);
    found.axis = 1 / inverse;
    found.period = ky_orbit_period(gm, found.axis);
    found.eccentricity = ky_orbit_eccentricity(gm, inverse, r, rv);
    const double cosine = 1 - r * inverse, sine = rv * sqrt(inverse / gm);
    found.phase = (atan2(sine, cosine) - sine) / (2 * acos(-1.0)) + 0.5;
    found.spin_z = (x[0] * v[1] - x[1] * v[0]) / sqrt(r2 * v2 - rv * rv);
    return found;
}

static double days(const struct ky_snapshot *snapshot, double time)
{
    return time * snapshot->units.length_cm / snapshot->units.velocity_cm_s / 86400;
}

/* ---- masses and centres ---- */

static int pairs_of(uint64_t n, double fraction)
{
    struct ky_model_parameters parameters = parameters_of(n, fraction);
    parameters.binary_periods = KY_PERIODS_LOG_UNIFORM;
    parameters.binary_axis_min = parameters.binary_axis_max = 1e-6;
    struct ky_snapshot snapshot = make("plummer", &parameters);
    const struct ky_bodies *b = &snapshot.bodies;
    int pairs = 0;
    assert_int_equal(b->n, n);
    assert_true(snapshot.softening == 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(b->id[i], i);
    while (2 * (size_t)pairs + 1 < n && fabs(find(&snapshot, (size_t)pairs).axis - 1e-6) < 1e-9)
        pairs++;
    ky_snapshot_free(&snapshot);
    return pairs;
}

/* B pairs and n − 2B single stars, with B/(n − B) nearest to the fraction. */
static void pairs_are_counted(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double fraction;
        int pairs;
    } cases[] = {{1, 1, 0},     {1, 0.5, 0},      {2, 1, 1},       {2, 0.5, 1},
                 {2, 0.3, 0},   {3, 1, 1},        {3, 0.1, 0},     {1000, 1, 500},
                 {999, 1, 499}, {1000, 0.5, 333}, {1000, 0.1, 91}, {1000, 1e-9, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(pairs_of(cases[k].n, cases[k].fraction), cases[k].pairs);
}

/* Without pairs the other options change no bit. */
static void no_fraction_no_change(void **state)
{
    (void)state;
    struct ky_model_parameters parameters = parameters_of(1001, 0);
    parameters.mass_function = KY_MASS_KROUPA;
    struct ky_snapshot plain = make("king", &parameters);
    parameters.binary_periods = KY_PERIODS_SANA;
    parameters.eigenevolution = 1;
    parameters.binary_axis_min = 3;
    struct ky_snapshot same = make("king", &parameters);
    const size_t n = plain.bodies.n;
    assert_memory_equal(plain.bodies.mass, same.bodies.mass, n * sizeof(double));
    assert_memory_equal(plain.bodies.position, same.bodies.position, 3 * n * sizeof(double));
    assert_memory_equal(plain.bodies.velocity, same.bodies.velocity, 3 * n * sizeof(double));
    assert_true(plain.softening > 0 && plain.softening == same.softening);
    ky_snapshot_free(&plain);
    ky_snapshot_free(&same);
}

/* With equal masses the centres are the bodies of the model of half the number; the momentum of a
 * pair is its centre's. */
static void centres_are_the_model(void **state)
{
    (void)state;
    static const char *const names[] = {"plummer", "hernquist", "king", "uniform-sphere"};
    for (size_t m = 0; m < 4; m++) {
        struct ky_model_parameters parameters = parameters_of(1000, 1);
        parameters.binary_periods = KY_PERIODS_LOG_UNIFORM;
        parameters.binary_axis_min = 1e-3, parameters.binary_axis_max = 1e-2;
        parameters.virial_ratio = 1;
        parameters.mass = 3, parameters.radius = 2, parameters.velocity = "1,2,3";
        struct ky_snapshot pairs = make(names[m], &parameters);
        parameters.n = 500, parameters.binaries = 0, parameters.softening = 0;
        struct ky_snapshot single = make(names[m], &parameters);
        const struct ky_bodies *a = &pairs.bodies, *b = &single.bodies;
        for (size_t k = 0; k < 500; k++) {
            assert_between(a->mass[2 * k] + a->mass[2 * k + 1], b->mass[k] * (1 - 1e-14),
                           b->mass[k] * (1 + 1e-14));
            for (int c = 0; c < 3; c++) {
                const double x = 0.5 * (a->position[2 * k][c] + a->position[2 * k + 1][c]),
                             v = 0.5 * (a->velocity[2 * k][c] + a->velocity[2 * k + 1][c]);
                assert_between(x - b->position[k][c], -1e-12, 1e-12);
                assert_between(v - b->velocity[k][c], -1e-12, 1e-12);
            }
        }
        ky_snapshot_free(&pairs);
        ky_snapshot_free(&single);
    }
}

/* Of 1,000 stars with F = 0.5 333 systems are pairs and 334 single stars: they have the places of
 * 667 bodies of a model, but for the centre of mass, which their masses move. */
static void every_system_has_a_place(void **state)
{
    (void)state;
    enum { N = 1000, PAIRS = 333, SYSTEMS = N - PAIRS };
    struct ky_model_parameters parameters = parameters_of(N, 0.5);
    parameters.binary_periods = KY_PERIODS_LOG_UNIFORM;
    parameters.binary_axis_min = 1e-3, parameters.binary_axis_max = 1e-2;
    struct ky_snapshot stars = make("plummer", &parameters);
    parameters.n = SYSTEMS, parameters.binaries = 0, parameters.softening = 0;
    struct ky_snapshot systems = make("plummer", &parameters);
    const struct ky_bodies *a = &stars.bodies, *b = &systems.bodies;
    double x[3], v[3], x0[3], v0[3];
    for (size_t k = 0; k < SYSTEMS; k++)
        for (int c = 0; c < 3; c++) {
            const size_t one = k < PAIRS ? 2 * k : k + PAIRS, other = one + (k < PAIRS);
            x[c] = 0.5 * (a->position[one][c] + a->position[other][c]) - b->position[k][c];
            v[c] = 0.5 * (a->velocity[one][c] + a->velocity[other][c]) - b->velocity[k][c];
            if (!k)
                x0[c] = x[c], v0[c] = v[c];
            assert_between(x[c] - x0[c], -1e-12, 1e-12);
            assert_between(v[c] - v0[c], -1e-12, 1e-12);
        }
    ky_snapshot_free(&stars);
    ky_snapshot_free(&systems);
}

/* Stars have the masses that they have without pairs, in another order; the heavier member of a
 * pair is the first. */
static void stars_keep_their_masses(void **state)
{
    (void)state;
    enum { N = 3001 };
    for (int ratios = 0; ratios < 2; ratios++) {
        struct ky_model_parameters parameters = cluster_of(N, 0.7);
        parameters.binary_ratios = ratios;
        struct ky_snapshot pairs = make("plummer", &parameters);
        parameters.binaries = 0;
        struct ky_snapshot single = make("plummer", &parameters);
        double centre[3] = {0}, sum = 0;
        for (size_t k = 0; k < 1235; k++) /* 3001 × 0.7/1.7 = 1235.7: the last pair is the next */
            assert_true(pairs.bodies.mass[2 * k] >= pairs.bodies.mass[2 * k + 1]);
        for (size_t i = 0; i < N; i++) {
            sum += pairs.bodies.mass[i];
            for (int c = 0; c < 3; c++)
                centre[c] += pairs.bodies.mass[i] * pairs.bodies.velocity[i][c];
        }
        for (int c = 0; c < 3; c++)
            assert_between(centre[c] / sum, -1e-12, 1e-12);
        qsort(pairs.bodies.mass, N, sizeof(double), ky_order_reals);
        qsort(single.bodies.mass, N, sizeof(double), ky_order_reals);
        for (size_t i = 0; i < N; i++)
            assert_between(pairs.bodies.mass[i] / single.bodies.mass[i], 1 - 1e-12, 1 + 1e-12);
        ky_snapshot_free(&pairs);
        ky_snapshot_free(&single);
    }
}

/* ---- laws ---- */

/* Kroupa (1995): f(l) = 2.5 (l − 1)/(45 + (l − 1)²) with l = log₁₀ P/d. */
static double kroupa_law(double l)
{
    return fmin(1.25 * log(1 + (l - 1) * (l - 1) / 45), 1);
}

/* Sana et al. (2012): f(l) ∝ l^−0.55 from 0.15 to 3.5. */
static double sana_law(double l)
{
    return (pow(l, 0.45) - pow(0.15, 0.45)) / (pow(3.5, 0.45) - pow(0.15, 0.45));
}

/* f(e) ∝ e^−0.45 from 0 to 1. */
static double sana_eccentricity_law(double e)
{
    return pow(e, 0.55);
}

static double thermal_law(double e)
{
    return e * e;
}

static double uniform_law(double u)
{
    return u;
}

enum { MANY = 20000 };

static struct found *find_all(const struct ky_model_parameters *parameters, double *day)
{
    struct ky_snapshot snapshot = make("plummer", parameters);
    struct found *found = malloc(MANY * sizeof *found);
    assert_non_null(found);
    assert_int_equal(snapshot.bodies.n, 2 * MANY);
    for (size_t k = 0; k < MANY; k++)
        found[k] = find(&snapshot, k);
    *day = days(&snapshot, 1);
    ky_snapshot_free(&snapshot);
    return found;
}

static double values[MANY];

/* Periods, eccentricities, phases and directions of pairs in the field. */
static void kroupa_pairs(void **state)
{
    (void)state;
    double day;
    struct ky_model_parameters parameters = cluster_of((uint64_t)2 * MANY, 1);
    parameters.binary_periods = KY_PERIODS_KROUPA;
    struct found *found = find_all(&parameters, &day);
    for (size_t k = 0; k < MANY; k++)
        values[k] = log10(found[k].period * day);
    assert_between(kolmogorov(values, MANY, kroupa_law), 0, 1.95);
    for (size_t k = 0; k < MANY; k++)
        values[k] = found[k].eccentricity;
    assert_between(kolmogorov(values, MANY, thermal_law), 0, 1.95);
    for (size_t k = 0; k < MANY; k++)
        values[k] = found[k].phase;
    assert_between(kolmogorov(values, MANY, uniform_law), 0, 1.95);
    for (size_t k = 0; k < MANY; k++)
        values[k] = 0.5 + 0.5 * found[k].spin_z;
    assert_between(kolmogorov(values, MANY, uniform_law), 0, 1.95);
    free(found);
}

/* e is a power law up to 1 − (P/2d)^(−2/3); pairs of less than two days are circular. */
static void sana_pairs(void **state)
{
    (void)state;
    double day;
    size_t long_ones = 0;
    struct ky_model_parameters parameters = cluster_of((uint64_t)2 * MANY, 1);
    parameters.binary_periods = KY_PERIODS_SANA;
    struct found *found = find_all(&parameters, &day);
    for (size_t k = 0; k < MANY; k++)
        values[k] = log10(found[k].period * day);
    assert_between(kolmogorov(values, MANY, sana_law), 0, 1.95);
    for (size_t k = 0; k < MANY; k++) {
        const double most = 1 - pow(found[k].period * day / 2, -2.0 / 3);
        if (most > 1e-3) /* e of the positions has errors of 1e-9 */
            values[long_ones++] = found[k].eccentricity / most;
        else
            assert_between(found[k].eccentricity, 0, 1e-3);
    }
    assert_true(long_ones > MANY / 2);
    assert_between(kolmogorov(values, long_ones, sana_eccentricity_law), 0, 1.95);
    free(found);
}

/* log-uniform axes; circular orbits; equal masses need no units. */
static void log_uniform_pairs(void **state)
{
    (void)state;
    double day;
    struct ky_model_parameters parameters = parameters_of((uint64_t)2 * MANY, 1);
    parameters.binary_periods = KY_PERIODS_LOG_UNIFORM;
    parameters.binary_eccentricities = KY_ECCENTRICITIES_CIRCULAR;
    parameters.binary_axis_min = 1e-4, parameters.binary_axis_max = 1e-2;
    struct found *found = find_all(&parameters, &day);
    for (size_t k = 0; k < MANY; k++) {
        values[k] = log10(found[k].axis / 1e-4) / 2;
        assert_between(found[k].eccentricity, 0, 1e-8);
    }
    assert_between(kolmogorov(values, MANY, uniform_law), 0, 1.95);
    free(found);
}

static void count_warning(void *context, enum ky_log_level level, const char *line)
{
    if (level == KY_LOG_WARNING && strstr(line, "semi-major axis"))
        ++*(int *)context;
}

/* Of axes from 1e-3 to 10 a third is wider than the mean distance, 0.33 for 100 systems: a warning,
 * which pairs of at most 0.01 do not have, nor a single pair. */
static void wide_pairs_are_told(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double low, high;
        int told;
    } cases[] = {{200, 1e-3, 10, 1}, {200, 0.4, 0.4, 1}, {200, 0.3, 0.3, 0}, {200, 1e-4, 1e-2, 0},
                 {2, 10, 10, 0},     {3, 10, 10, 1},     {1, 10, 10, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int told = 0;
        struct ky_model_parameters parameters = parameters_of(cases[k].n, 1);
        parameters.binary_periods = KY_PERIODS_LOG_UNIFORM;
        parameters.binary_axis_min = cases[k].low, parameters.binary_axis_max = cases[k].high;
        parameters.log = count_warning, parameters.log_context = &told;
        struct ky_snapshot snapshot = make("plummer", &parameters);
        assert_int_equal(told, cases[k].told);
        ky_snapshot_free(&snapshot);
    }
}

/* Massive stars have ratios from 0.1 to 1 and Sana's periods, the others Kroupa's. The companion is
 * the nearest free star, so that the sample of ratios is a little off the law. */
static void massive_pairs(void **state)
{
    (void)state;
    double day;
    size_t massive = 0, light = 0;
    static double ratios[MANY], periods[MANY];
    struct ky_model_parameters parameters = cluster_of((uint64_t)2 * MANY, 1);
    struct found *found = find_all(&parameters, &day);
    for (size_t k = 0; k < MANY; k++) {
        const double l = log10(found[k].period * day);
        if (found[k].mass[0] > 5) {
            values[massive] = l;
            assert_between(found[k].mass[1] / found[k].mass[0], 0.098, 1);
            ratios[massive++] = (found[k].mass[1] / found[k].mass[0] - 0.1) / 0.9;
        } else {
            periods[light++] = l;
        }
    }
    assert_between((double)massive, 100, 1000);
    assert_between(kolmogorov(values, massive, sana_law), 0, 1.95);
    assert_between(kolmogorov(ratios, massive, uniform_law), 0, 1.95);
    assert_between(kolmogorov(periods, light, kroupa_law), 0, 1.95);
    free(found);
}

/* A massive star has a companion with the probability F: of 0.3 within four deviations. */
static void few_massive_stars_have_companions(void **state)
{
    (void)state;
    struct ky_model_parameters parameters = cluster_of((uint64_t)2 * MANY, 0.3);
    struct ky_snapshot snapshot = make("plummer", &parameters);
    const struct ky_bodies *b = &snapshot.bodies;
    const size_t pairs = 9231; /* 40,000 × 0.3/1.3, rounded */
    double paired = 0, single = 0;
    for (size_t k = 0; k < pairs; k++)
        paired += b->mass[2 * k] > 5;
    for (size_t i = 2 * pairs; i < b->n; i++)
        single += b->mass[i] > 5;
    assert_between(paired + single, 100, 1000);
    const double deviation = sqrt(0.3 * 0.7 / (paired + single));
    assert_between(paired / (paired + single), 0.3 - 4 * deviation, 0.3 + 4 * deviation);
    ky_snapshot_free(&snapshot);
}

/* A cluster whose --mass gives its stars a hundredth of the masses that were drawn has none above
 * 5 Msun. Then both laws of mass ratios make the same pairs, and no period is Sana's. */
static void massive_stars_have_their_masses(void **state)
{
    (void)state;
    enum { N = 2000 };
    struct ky_model_parameters parameters = cluster_of(N, 0.5);
    struct ky_snapshot drawn = make("plummer", &parameters);
    double total = 0, most = 0;
    for (size_t i = 0; i < N; i++) {
        total += drawn.bodies.mass[i];
        most = fmax(most, drawn.bodies.mass[i]);
    }
    assert_between(most, 5, 100);
    parameters.mass = total / 100;
    struct ky_snapshot massive = make("plummer", &parameters);
    parameters.binary_ratios = KY_RATIOS_RANDOM;
    parameters.binary_periods = KY_PERIODS_KROUPA;
    struct ky_snapshot random = make("plummer", &parameters);
    assert_memory_equal(massive.bodies.mass, random.bodies.mass, N * sizeof(double));
    assert_memory_equal(massive.bodies.position, random.bodies.position, 3 * N * sizeof(double));
    ky_snapshot_free(&drawn);
    ky_snapshot_free(&massive);
    ky_snapshot_free(&random);
}

/* The same draws with and without: pericentres stay, and ln e changes by −(28 Rsun/q)^0.75. */
static void close_pairs_become_circular(void **state)
{
    (void)state;
    double day;
    const double sun = 6.957e10 / 1.495978707e13 * au; /* pc */
    struct ky_model_parameters parameters = cluster_of((uint64_t)2 * MANY, 1);
    parameters.binary_periods = KY_PERIODS_KROUPA;
    struct found *born = find_all(&parameters, &day);
    parameters.eigenevolution = 1;
    struct found *grown = find_all(&parameters, &day);
    size_t changed = 0;
    for (size_t k = 0; k < MANY; k++) {
        const double near = born[k].axis * (1 - born[k].eccentricity),
                     e = born[k].eccentricity * exp(-pow(28 * sun / near, 0.75));
        assert_between(grown[k].mass[0] - born[k].mass[0], 0, 0);
        if (near < 0.01 * au || born[k].axis > 1000 * au)
            continue; /* the digits of absolute positions and of 1 − e */
        assert_between(grown[k].eccentricity - e, -1e-5, 1e-5);
        assert_between(grown[k].axis * (1 - grown[k].eccentricity) / near, 1 - 1e-3, 1 + 1e-3);
        changed += grown[k].eccentricity < 0.5 * born[k].eccentricity;
    }
    assert_true(changed > 100);
    free(born);
    free(grown);
}

/* ---- errors ---- */

static void refuse(struct ky_model_parameters parameters, const char *name, const char *why)
{
    struct ky_snapshot snapshot;
    assert_int_equal(ky_model_make(name, &parameters, &snapshot, &error), KY_USAGE);
    if (!strstr(error.text, why))
        fail_msg("'%s' lacks '%s'", error.text, why);
    assert_null(snapshot.bodies.mass);
}

static void wrong_pairs_are_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"binaries=0.5", NULL};
    struct ky_model_parameters parameters = parameters_of(10, 0.5), of = parameters;
    struct ky_snapshot snapshot;
    refuse(parameters, "plummer", "--units");
    of.n = 0;
    refuse(of, "plummer", "no number of bodies");
    of = parameters, of.binary_periods = KY_PERIODS_LOG_UNIFORM;
    refuse(of, "plummer", "--binary-axis-min");
    of.binary_axis_min = 2, of.binary_axis_max = 1;
    refuse(of, "plummer", "smaller one first");
    of.binary_axis_max = 3, of.eigenevolution = 1;
    refuse(of, "plummer", "--units");
    of.eigenevolution = 0, of.binary_eccentricities = KY_ECCENTRICITIES_SANA;
    refuse(of, "plummer", "--units");
    of.binary_eccentricities = 0, of.softening = 0.1;
    refuse(of, "plummer", "softening");
    of = cluster_of(10, 0.5), of.binary_axis_max = 1;
    refuse(of, "plummer", "log-uniform");
    of = cluster_of(10, 1.5);
    refuse(of, "plummer", "out of range");
    of = cluster_of(10, 0.5), of.binary_periods = 9;
    refuse(of, "plummer", "binary-periods");
    parameters = parameters_of(10, 0), parameters.options = words;
    refuse(parameters, "galaxy", "binaries=0.5");
    of = cluster_of(10, 0.5);
    assert_int_equal(ky_model_describe("plummer", &of, &snapshot, &error), KY_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_counted),
        cmocka_unit_test(no_fraction_no_change),
        cmocka_unit_test(centres_are_the_model),
        cmocka_unit_test(every_system_has_a_place),
        cmocka_unit_test(stars_keep_their_masses),
        cmocka_unit_test(kroupa_pairs),
        cmocka_unit_test(sana_pairs),
        cmocka_unit_test(log_uniform_pairs),
        cmocka_unit_test(wide_pairs_are_told),
        cmocka_unit_test(massive_pairs),
        cmocka_unit_test(few_massive_stars_have_companions),
        cmocka_unit_test(massive_stars_have_their_masses),
        cmocka_unit_test(close_pairs_become_circular),
        cmocka_unit_test(wrong_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
