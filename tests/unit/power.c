/* Power spectra: a plane wave, bodies at random, the model cosmic-box against its spectrum, and the
 * growth factor against known solutions. */
#include "test.h"

#include <math.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/random.h"
#include "models/cosmology.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;

/* δ = 2 A/V^½ … : a mass that follows 1 + A cos(k x) has |δ_k|² = A²/4 in two waves. */
static void a_wave_is_in_its_shell(void **state)
{
    (void)state;
    enum { N = 32 };
    const double box = 3, size = 0.25;
    struct ky_bodies bodies = {0};
    struct ky_power power = {.size = sizeof power};
    assert_ok(ky_bodies_allocate(&bodies, N * N * N, 0, &error));
    for (size_t b = 0; b < bodies.n; b++) {
        const size_t point[] = {b / (N * N), b / N % N, b % N};
        for (int c = 0; c < 3; c++)
            bodies.position[b][c] = box * ((double)point[c] + 0.3) / N;
        bodies.mass[b] =
            1 + size * cos(2 * pi / box * (2 * bodies.position[b][0] - bodies.position[b][2]));
    }
    assert_ok(ky_power_make(&bodies, box, 32, &power, &error));
    assert_int_equal(power.count, 8);
    assert_int_equal(power.mesh, 32);
    const double in_two = 2 * box * box * box * size * size / 4 / (double)power.waves[1];
    assert_between(power.power[1] / in_two, 1 - 1e-4, 1 + 1e-4); /* |k| = √5 */
    for (size_t s = 0; s < power.count; s++)
        if (s != 1)
            assert_between(power.power[s], -1e-12, 1e-12);
    uint64_t waves = 0; /* all wave numbers of length below 1.5 */
    waves = power.waves[0];
    assert_int_equal(waves, 18);
    assert_between(power.k[0] * box / (2 * pi), (6 + 12 * sqrt(2)) / 18 - 1e-12,
                   (6 + 12 * sqrt(2)) / 18 + 1e-12);
    ky_power_free(&power);
    ky_bodies_free(&bodies);
}

/* Two clustered sets of bodies of different masses, the second in part at the places of the first.
 */
static void make_sets(struct ky_bodies sets[2])
{
    for (size_t s = 0; s < 2; s++) {
        assert_ok(ky_bodies_allocate(&sets[s], 150 + 50 * s, 0, &error));
        for (size_t i = 0; i < sets[s].n; i++) {
            struct ky_random random = ky_random_at(7, (uint32_t)s, i),
                             clump = ky_random_at(8, 3, i % 9);
            for (int c = 0; c < 3; c++)
                sets[s].position[i][c] =
                    5 * ky_random_uniform(&clump) + 0.2 * ky_random_normal(&random);
            sets[s].mass[i] = 1 + (double)(i % 3);
        }
    }
}

/* V Re δ1 δ2* of one wave, with k in units of 2π/box. */
static double exact_wave(const struct ky_bodies sets[2], const long k[3], double box)
{
    double re[2] = {0, 0}, im[2] = {0, 0}, mass[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < sets[s].n; i++) {
            double phase = 0;
            for (int c = 0; c < 3; c++)
                phase += 2 * pi / box * (double)k[c] * sets[s].position[i][c];
            mass[s] += sets[s].mass[i];
            re[s] += sets[s].mass[i] * cos(phase);
            im[s] += sets[s].mass[i] * sin(phase);
        }
    return box * box * box * (re[0] * re[1] + im[0] * im[1]) / (mass[0] * mass[1]);
}

/* The spectrum of a folded space has every fold-th wave: compared with sums over the bodies. */
static void compare_waves(const struct ky_bodies sets[2], double box, long fold)
{
    struct ky_power power = {.size = sizeof power};
    double sum[5] = {0};
    uint64_t waves[5] = {0};
    assert_ok(ky_power_cross(&sets[0], sets[1].mass == sets[0].mass ? NULL : &sets[1], box, 32,
                             (uint64_t)fold, &power, &error));
    for (long x = -4; x <= 4; x++)
        for (long y = -4; y <= 4; y++)
            for (long z = -4; z <= 4; z++) {
                const long k[3] = {fold * x, fold * y, fold * z};
                const size_t s = (size_t)(sqrt((double)(x * x + y * y + z * z)) + 0.5);
                if (s < 1 || s > 4)
                    continue;
                sum[s] += exact_wave(sets, k, box);
                waves[s]++;
            }
    for (size_t s = 1; s <= 4; s++) {
        assert_int_equal(power.waves[s - 1], waves[s]);
        const double scale = box * box * box / 100; /* a power of this order in all shells */
        assert_between(power.power[s - 1], sum[s] / (double)waves[s] - 1e-3 * scale,
                       sum[s] / (double)waves[s] + 1e-3 * scale);
        assert_between(power.k[s - 1] * box / (2 * pi * (double)fold), (double)s - 0.3,
                       (double)s + 0.3);
    }
    assert_true(sets[1].mass == sets[0].mass ? power.noise > 0 : power.noise == 0);
    ky_power_free(&power);
}

static void folded_and_crossed_spectra_have_the_waves_of_the_bodies(void **state)
{
    (void)state;
    struct ky_bodies sets[2];
    struct ky_power one = {.size = sizeof one}, same = {.size = sizeof same};
    make_sets(sets);
    const struct ky_bodies alone[2] = {sets[0], sets[0]}, back[2] = {sets[1], sets[0]};
    for (long fold = 1; fold <= 5; fold += 2) {
        compare_waves(alone, 4, fold);
        compare_waves(sets, 4, fold);
        compare_waves(back, 4, fold);
    }
    assert_ok(ky_power_make(&sets[0], 4, 32, &one, &error));
    assert_ok(ky_power_cross(&sets[0], &sets[0], 4, 32, 1, &same, &error));
    assert_memory_equal(one.power, same.power, one.count * sizeof *one.power);
    ky_power_free(&one);
    ky_power_free(&same);
    assert_int_equal(ky_power_cross(&sets[0], NULL, 4, 32, 0, &one, &error), KY_USAGE);
    assert_int_equal(ky_power_cross(&sets[0], NULL, 4, 32, 1025, &one, &error), KY_USAGE);
    const size_t all = sets[1].n;
    for (sets[1].n = 0; sets[1].n < 2; sets[1].n++) /* none, one, and those without mass */
        assert_int_equal(ky_power_cross(&sets[0], &sets[1], 4, 32, 1, &one, &error),
                         sets[1].n ? KY_OK : KY_BAD_DATA);
    ky_power_free(&one);
    sets[1].n = all;
    for (int s = 0; s < 2; s++)
        ky_bodies_free(&sets[s]);
}

/* A folded spectrum continues one of the same mesh, and agrees with one of a finer mesh. */
static void folded_spectra_agree_with_a_finer_mesh(void **state)
{
    (void)state;
    enum { N = 20000, CLUMPS = 2000 };
    const double box = 6, size = 0.005;
    struct ky_bodies bodies = {0};
    struct ky_power fine = {.size = sizeof fine}, folded = {.size = sizeof folded};
    assert_ok(ky_bodies_allocate(&bodies, N, 0, &error));
    for (size_t i = 0; i < N; i++) {
        struct ky_random random = ky_random_at(7, 1, i), clump = ky_random_at(8, 2, i % CLUMPS);
        bodies.mass[i] = 1;
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] =
                box * (ky_random_uniform(&clump) + size * ky_random_normal(&random));
    }
    assert_ok(ky_power_make(&bodies, box, 128, &fine, &error));
    assert_ok(ky_power_cross(&bodies, NULL, box, 32, 4, &folded, &error));
    for (size_t s = 0; s + 1 < folded.count; s++) { /* shells 4 waves wide and 4 waves apart */
        double sum = 0, waves = 0;
        for (size_t f = 4 * s + 1; f <= 4 * s + 5; f++) { /* half of the first and of the last */
            const double part = f == 4 * s + 1 || f == 4 * s + 5 ? 0.5 : 1;
            sum += part * (double)fine.waves[f] * fine.power[f];
            waves += part * (double)fine.waves[f];
        }
        const double scatter = sqrt(2 / (double)folded.waves[s]);
        assert_between(folded.power[s] / (sum / waves), 0.95 - 4 * scatter, 1.05 + 4 * scatter);
    }
    ky_power_free(&fine);
    ky_power_free(&folded);
    ky_bodies_free(&bodies);
}

static void bodies_at_random_have_noise_alone(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct ky_bodies bodies = {0};
    struct ky_power power = {.size = sizeof power}, again = {.size = sizeof again};
    assert_ok(ky_bodies_allocate(&bodies, N, 0, &error));
    for (size_t i = 0; i < N; i++) {
        struct ky_random random = ky_random_at(11, 1, i);
        bodies.mass[i] = 0.5 + ky_random_uniform(&random);
        for (int c = 0; c < 3; c++) /* some of them outside the box */
            bodies.position[i][c] = 4 * (ky_random_uniform(&random) + (i % 7 == 0));
    }
    assert_ok(ky_power_make(&bodies, 4, 0, &power, &error));
    assert_int_equal(power.mesh, 54); /* 2 × 27.1 */
    for (size_t s = 0; s < power.count; s++) {
        const double scatter = sqrt(2 / (double)power.waves[s]);
        assert_between(power.power[s] / power.noise, 0.98 - 5 * scatter, 1.02 + 5 * scatter);
    }
#ifdef _OPENMP
    omp_set_num_threads(1);
    assert_ok(ky_power_make(&bodies, 4, 0, &again, &error));
    assert_memory_equal(power.power, again.power, power.count * sizeof *power.power);
    ky_power_free(&again);
    omp_set_num_threads(2);
#endif
    ky_power_free(&power);
    assert_null(power.k);
    ky_bodies_free(&bodies);
}

/* With fixed amplitudes the box has the linear spectrum in every shell, but for aliases of short
 * waves and the second order. */
static void the_cosmic_box_has_its_spectrum(void **state)
{
    (void)state;
    static const char *const words[] = {"side=200", "fixed=yes", "redshift=99", NULL};
    static const struct ky_cosmology cosmology = {
        {.matter = 0.3111, .lambda = 0.6889}, 0.049, 0.6766, 0.9665, 0.8102};
    struct ky_model_parameters parameters;
    struct ky_snapshot snapshot;
    struct ky_power power = {.size = sizeof power};
    const struct ky_spectrum spectrum = ky_spectrum_of(&cosmology);
    ky_model_parameters_defaults(&parameters);
    parameters.n = 32 * 32 * 32;
    parameters.options = words;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_model_make("cosmic-box", &parameters, &snapshot, &error));
    assert_between(snapshot.time, 0.01 - 1e-15, 0.01 + 1e-15);
    assert_ok(ky_power_make(&snapshot.bodies, snapshot.space.box, 64, &power, &error));
    const double d = ky_growth_at(&cosmology, 0.01).d1 / ky_growth_at(&cosmology, 1).d1;
    assert_between(ky_linear_growth(&snapshot.space, 1, 0.01) / d, 1 - 1e-6, 1 + 1e-6);
    for (size_t s = 0; s < 8; s++) { /* a lattice has no noise at these waves */
        const double k = 1000 * power.k[s], found = 1e-9 * power.power[s];
        assert_between(found / (d * d * ky_power(&spectrum, k)), 0.96, 1.04);
    }
    ky_power_free(&power);
    ky_snapshot_free(&snapshot);
}

/* Two interleaved lattices have the same waves: each has the linear spectrum, their cross spectrum
 * is the same, and so is the spectrum of both. */
static void two_lattices_have_the_same_waves(void **state)
{
    (void)state;
    enum { HALF = 24 * 24 * 24 };
    static const char *const words[] = {"side=200", "fixed=yes", "redshift=99", "lattice=bcc",
                                        NULL};
    static const struct ky_cosmology cosmology = {
        {.matter = 0.3111, .lambda = 0.6889}, 0.049, 0.6766, 0.9665, 0.8102};
    struct ky_model_parameters parameters;
    struct ky_snapshot snapshot;
    struct ky_power power = {.size = sizeof power}, cross = {.size = sizeof cross};
    const struct ky_spectrum spectrum = ky_spectrum_of(&cosmology);
    ky_model_parameters_defaults(&parameters);
    parameters.n = 2 * HALF;
    parameters.options = words;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_model_make("cosmic-box", &parameters, &snapshot, &error));
    const double side = snapshot.space.box, matter = 3 * 0.3111 * pow(67.66 / 1000, 2) *
                                                     pow(side, 3) / (8 * pi * snapshot.units.g);
    struct ky_bodies one = snapshot.bodies, two = snapshot.bodies;
    one.n = two.n = HALF;
    one.id = two.id = NULL;
    two.position += HALF, two.mass += HALF, two.velocity += HALF, two.type += HALF;
    assert_between(2 * HALF * one.mass[0] / matter, 1 - 1e-3, 1 + 1e-3);
    assert_between(snapshot.softening / (side / cbrt(2 * HALF) / 30), 1 - 1e-9, 1 + 1e-9);
    assert_ok(ky_power_make(&snapshot.bodies, side, 64, &power, &error));
    assert_ok(ky_power_cross(&one, &two, side, 64, 1, &cross, &error));
    const double d = ky_growth_at(&cosmology, 0.01).d1 / ky_growth_at(&cosmology, 1).d1;
    for (size_t s = 0; s < 6; s++) {
        const double wanted = 1e9 * d * d * ky_power(&spectrum, 1000 * power.k[s]);
        assert_between(power.power[s] / wanted, 0.96, 1.04);
        assert_between(cross.power[s] / wanted, 0.96, 1.04);
    }
    for (int c = 0; c < 3; c++) { /* half a cell apart, but for displacements */
        const double apart = two.position[0][c] - one.position[0][c];
        assert_between(apart / (side / 24), 0.4, 0.6);
    }
    ky_power_free(&power);
    ky_power_free(&cross);
    ky_snapshot_free(&snapshot);
    parameters.n = HALF; /* not twice a cube */
    assert_int_equal(ky_model_make("cosmic-box", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "twice the cube"));
}

/* Ωm = 1: D = a. Matter and radiation: D = a + 2/3 a_eq. Ωm = 0.3 without Λ: the growth of an open
 * universe (Peebles 1980, 11.16). */
static void growth_is_that_of_textbooks(void **state)
{
    (void)state;
    const struct ky_universe flat = {.matter = 1}, both = {.matter = 0.999, .radiation = 0.001},
                             open_space = {.matter = 0.3}, dark = {0.3, 0.7, 0, 0.1, 0};
    const struct ky_space unknown = {.omega_matter = (double)NAN};
    for (double a = 0.01; a < 1.5; a *= 3) {
        assert_between(ky_growth_factor(a, &flat) / a, 1 - 1e-8, 1 + 1e-8);
        assert_between(ky_growth_factor(a, &both) / (a + 0.001 / (1.5 * 0.999)), 1 - 1e-6,
                       1 + 1e-6);
        const double x = (1 / 0.3 - 1) * a, root = sqrt((1 + x) / x),
                     d = 1 + 3 / x + 3 * root / x * log(sqrt(1 + x) - sqrt(x));
        assert_between(ky_growth_factor(a, &open_space) / (2.5 * 0.3 / 0.7 * d), 1 - 1e-6,
                       1 + 1e-6);
    }
    /* dark energy that is denser in the past slows growth down: Linder's fit, to 1 % */
    double fit = 0;
    for (int k = 0; k < 1000; k++) {
        const double a = (k + 0.5) / 1000, e = ky_expansion_square(a, &dark);
        fit += (pow(0.3 / (a * a * a) / e, 0.55 + 0.05 * 0.1) - 1) / a / 1000;
    }
    assert_between(ky_growth_factor(1, &dark) / exp(fit), 0.99, 1.01);
    assert_true(isnan(ky_linear_growth(&unknown, 0.1, 1)) && isnan(ky_linear_growth(NULL, 0.1, 1)));
}

/* The weight of a triangle-shaped cloud at a distance of d cells along an axis. */
static double weight_at(double d)
{
    d = fabs(d);
    return d < 0.5 ? 0.75 - d * d : d < 1.5 ? 0.5 * (1.5 - d) * (1.5 - d) : 0;
}

/* Densities at all points of a mesh, beside sums over the bodies; *largest: the largest one. */
static void compare_densities(const struct ky_bodies *bodies, double box, size_t n, double *largest)
{
    double *density = malloc(n * n * n * sizeof *density), sum = 0, mass = 0;
    assert_ok(ky_density_mesh(bodies, box, n, density, &error));
    *largest = 0;
    for (size_t p = 0; p < n * n * n; p++) {
        const size_t point[3] = {p / (n * n), p / n % n, p % n};
        double expected = 0;
        for (size_t i = 0; i < bodies->n; i++) {
            double m = bodies->mass[i];
            for (int c = 0; c < 3; c++)
                m *= weight_at(remainder(
                    bodies->position[i][c] / box * (double)n - (double)point[c], (double)n));
            expected += m * pow((double)n / box, 3);
        }
        assert_between(density[p] - expected, -1e-9, 1e-9);
        *largest = fmax(*largest, density[p]);
        sum += density[p] * pow(box / (double)n, 3);
    }
    for (size_t i = 0; i < bodies->n; i++)
        mass += bodies->mass[i];
    assert_between(sum / mass, 1 - 1e-12, 1 + 1e-12);
    free(density);
}

static void densities_are_those_of_triangular_clouds(void **state)
{
    (void)state;
    struct ky_bodies sets[2] = {0};
    double largest[2], mean, none;
    make_sets(sets); /* some of the bodies are outside the box */
    compare_densities(&sets[1], 4, 3, &largest[0]);
    compare_densities(&sets[1], 4, 13, &largest[1]);
    assert_true(largest[1] > 2 * largest[0]);
    assert_ok(ky_density_mesh(&sets[0], 4, 1, &mean, &error)); /* a body is its own neighbour */
    assert_between(mean, 300.0 / 64 - 1e-12, 300.0 / 64 + 1e-12);
    static const double boxes[] = {0, -1, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 4; k++)
        assert_int_equal(ky_density_mesh(&sets[0], boxes[k], 1, &none, &error), KY_USAGE);
    assert_int_equal(ky_density_mesh(&sets[0], 4, 0, &none, &error), KY_USAGE);
    assert_int_equal(ky_density_mesh(&sets[0], 4, (1 << 14) + 1, &none, &error), KY_USAGE);
    assert_int_equal(ky_density_mesh(&sets[0], 4, 1, NULL, &error), KY_USAGE);
    assert_int_equal(ky_density_mesh(NULL, 4, 1, &none, &error), KY_USAGE);
    sets[0].position[3][2] = 1e300; /* is infinitely many boxes away */
    assert_ok(ky_density_mesh(&sets[0], 1e-20, 1, &mean, &error));
    assert_between(mean / 300e60, 1 - 1e-12, 1 + 1e-12);
    assert_int_equal(ky_density_mesh(&sets[0], 1e-110, 1, &none, &error), KY_BAD_DATA);
    sets[0].position[3][2] = (double)NAN;
    assert_int_equal(ky_density_mesh(&sets[0], 4, 1, &none, &error), KY_BAD_DATA);
    ky_bodies_free(&sets[0]);
    ky_bodies_free(&sets[1]);
}

static void what_has_no_spectrum_is_refused(void **state)
{
    (void)state;
    struct ky_bodies bodies = {0};
    struct ky_power power = {.size = sizeof power};
    assert_ok(ky_bodies_allocate(&bodies, 2, 0, &error));
    assert_int_equal(ky_power_make(&bodies, 1, 0, &power, &error), KY_BAD_DATA);
    bodies.mass[0] = 1;
    static const double boxes[] = {0, -1, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 4; k++)
        assert_int_equal(ky_power_make(&bodies, boxes[k], 0, &power, &error), KY_USAGE);
    static const uint64_t meshes[] = {1, 6, 9, 22, 1 << 20};
    for (int k = 0; k < 5; k++)
        assert_int_equal(ky_power_make(&bodies, 1, meshes[k], &power, &error), KY_USAGE);
    assert_ok(ky_power_make(&bodies, 1, 0, &power, &error));
    for (size_t s = 0; s < power.count; s++) /* one body in all waves alike */
        assert_between(power.power[s] / power.noise, 1 - 0.02, 1 + 0.02);
    ky_power_free(&power);
    bodies.position[0][1] = (double)NAN;
    assert_int_equal(ky_power_make(&bodies, 1, 0, &power, &error), KY_BAD_DATA);
    assert_int_equal(ky_power_make(NULL, 1, 0, &power, &error), KY_USAGE);
    ky_power_free(NULL);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wave_is_in_its_shell),
        cmocka_unit_test(folded_and_crossed_spectra_have_the_waves_of_the_bodies),
        cmocka_unit_test(folded_spectra_agree_with_a_finer_mesh),
        cmocka_unit_test(bodies_at_random_have_noise_alone),
        cmocka_unit_test(the_cosmic_box_has_its_spectrum),
        cmocka_unit_test(two_lattices_have_the_same_waves),
        cmocka_unit_test(growth_is_that_of_textbooks),
        cmocka_unit_test(densities_are_those_of_triangular_clouds),
        cmocka_unit_test(what_has_no_spectrum_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
