/* Waves of bodies on a lattice: the matrix of the lattice against known numbers and exact forces,
 * and the option --plt of the model cosmic-box, whose waves grow as those of a fluid. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/cosmology.h"
#include "models/lattice_modes.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;

/* ---- the matrix ---- */

/* kᵀ E k/k² and the trace for the wave n with `side` spacings a box. */
static double along_wave(const double n[3], double side, int centred, double *trace)
{
    double k[3], e[3][3], sum = 0, square = 0;
    for (int c = 0; c < 3; c++)
        k[c] = 2 * pi * n[c] / side;
    ky_lattice_matrix(k, centred, e);
    for (int a = 0; a < 3; a++) {
        square += n[a] * n[a];
        for (int b = 0; b < 3; b++) {
            sum += n[a] * e[a][b] * n[b];
            assert_between(e[a][b] - e[b][a], -1e-14, 1e-14);
        }
    }
    *trace = e[0][0] + e[1][1] + e[2][2];
    return sum / square;
}

/* By Ewald sums over all bodies of a displaced lattice of 32³; the sum rule of Kohn; a fluid for
 * long waves; and the corner of the zone, where all directions are equal. */
static void the_matrix_is_known(void **state)
{
    (void)state;
    static const struct {
        double n[3], e;
    } known[] = {{{1, 0, 0}, 1.001008}, {{2, 0, 0}, 1.003993}, {{4, 0, 0}, 1.015354},
                 {{1, 1, 0}, 0.996596}, {{1, 1, 1}, 0.992206}, {{2, 2, 2}, 0.969208}};
    double trace;
    for (size_t w = 0; w < sizeof known / sizeof *known; w++) {
        const double e = along_wave(known[w].n, 32, 0, &trace);
        assert_between(e, known[w].e - 1e-6, known[w].e + 1e-6);
        assert_between(trace, 1 - 1e-12, 1 + 1e-12);
    }
    for (int centred = 0; centred < 2; centred++) {
        const double corner[] = {1, 1, 1}, some[] = {3, -1, 2}, there[] = {4 * pi + 0.3, 0.5, 0.2},
                     here[] = {0.3, 0.5, 0.2};
        double one[3][3], other[3][3];
        assert_between(along_wave(corner, 2, centred, &trace), 1. / 3 - 1e-12, 1. / 3 + 1e-12);
        assert_between(along_wave(some, 1e4, centred, &trace), 1 - 1e-6, 1 + 1e-6);
        along_wave(some, 9, centred, &trace);
        assert_between(trace, 1 - 1e-12, 1 + 1e-12);
        ky_lattice_matrix(here, centred, one); /* waves a vector of the reciprocal lattice apart */
        ky_lattice_matrix(there, centred, other);
        for (int c = 0; c < 9; c++)
            assert_between(one[c / 3][c % 3] - other[c / 3][c % 3], -1e-9, 1e-9);
    }
}

/* ---- the modes of a lattice ---- */

/* Eigenvectors have the product 1 with n, turn as the cube does, and start with the fluid's growth
 * where the fluid is to be reached at the start. With Ωm = 1 rates are m of Joyce & Marcos. */
static void modes_turn_with_the_cube(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    static const long waves[][3] = {{5, 2, 1}, {-2, 5, 1}, {1, -2, -5}, {2, -1, 5}};
    struct ky_lattice_modes modes = {
        .side = SIDE, .start = 0.05, .fluid = 0.05, .universe = {.matter = 1}};
    assert_ok(ky_lattice_modes_make(&modes, NULL, &error));
    const struct ky_lattice_mode first = ky_lattice_mode_at(&modes, waves[0]);
    const double k[] = {2 * pi * 5 / SIDE, 2 * pi * 2 / SIDE, 2 * pi / SIDE};
    double e[3][3], value = 0;
    ky_lattice_matrix(k, 0, e);
    for (int c = 0; c < 3; c++)
        value += e[0][c] * first.along[c] / first.along[0];
    for (int c = 0; c < 3; c++) { /* E u = e u */
        double pulled = 0;
        for (int b = 0; b < 3; b++)
            pulled += e[c][b] * first.along[b];
        assert_between(pulled - value * first.along[c], -1e-12, 1e-12);
    }
    assert_between(first.rate / ((sqrt(1 + 24 * value) - 1) / 4), 1 - 2e-5, 1 + 2e-5);
    assert_true(fabs(first.along[0] / first.along[1] - 2.5) > 0.05); /* not along n */
    for (int w = 0; w < 4; w++) {
        const struct ky_lattice_mode mode = ky_lattice_mode_at(&modes, waves[w]);
        double product = 0;
        assert_true(mode.rate == first.rate);
        for (int c = 0; c < 3; c++) {
            const long n = waves[w][c], place = labs(n) == 5 ? 0 : labs(n) == 2 ? 1 : 2;
            assert_true(mode.along[c] == (n < 0 ? -1 : 1) * first.along[place]);
            product += (double)n * mode.along[c];
        }
        assert_between(product, 1 - 1e-13, 1 + 1e-13);
    }
    free(modes.mode);
}

/* ---- growth ---- */

static const struct ky_cosmology cosmology = {
    {.matter = 0.3111, .lambda = 0.6889}, 0.049, 0.6766, 0.9665, 5e-3};

/* i k·u of a wave, in units of the box: the density of the displacements from the lattice. */
static void density_of(const struct ky_snapshot *snapshot, size_t side, const long n[3],
                       double wave[2])
{
    const double box = snapshot->space.box, spacing = box / (double)side;
    const size_t cube = side * side * side;
    wave[0] = wave[1] = 0;
    for (size_t b = 0; b < snapshot->bodies.n; b++) {
        const size_t point[] = {b / (side * side) % side, b / side % side, b % side};
        double phase = 0, along = 0;
        for (int c = 0; c < 3; c++) {
            const double q = spacing * ((double)point[c] + 0.5 + 0.5 * (double)(b / cube));
            phase += 2 * pi * (double)n[c] * q / box;
            along += (double)n[c] * remainder(snapshot->bodies.position[b][c] - q, box);
        }
        wave[0] += along * cos(phase) / (double)snapshot->bodies.n;
        wave[1] -= along * sin(phase) / (double)snapshot->bodies.n;
    }
}

static void make(size_t n, const char *lattice, const char *plt, struct ky_snapshot *snapshot)
{
    const char *words[] = {"side=100", "fixed=yes", "sigma8=5e-3", lattice, plt, NULL};
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.options = words;
    ky_snapshot_clear(snapshot);
    assert_ok(ky_model_make("cosmic-box", &parameters, snapshot, &error));
}

/* Advances a box to the redshift 9 with exact forces. */
static void follow(struct ky_snapshot *snapshot)
{
    enum { STEPS = 48 }; /* lose 1.5e-4 */
    struct ky_parameters parameters;
    struct ky_sim *sim;
    ky_parameters_defaults(&parameters);
    parameters.box = snapshot->space.box;
    parameters.expansion = "omega-m=0.3111,omega-lambda=0.6889,h0=67.66km/s/Mpc";
    parameters.units = snapshot->units;
    parameters.g = snapshot->units.g;
    parameters.step = log(5) / STEPS;
    parameters.softening = 0;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    for (size_t b = 0; b < snapshot->bodies.n; b++)
        for (int c = 0; c < 3; c++)
            snapshot->bodies.velocity[b][c] *= snapshot->time; /* a² dx/dt */
    assert_ok(ky_sim_open(&parameters, &snapshot->bodies, snapshot->time, &sim, &error));
    assert_ok(ky_sim_advance(sim, STEPS, &error));
    assert_between(ky_sim_time(sim), 0.1 - 1e-12, 0.1 + 1e-12);
    assert_ok(ky_sim_bodies(sim, &snapshot->bodies, &error));
    ky_sim_close(sim);
}

/* The rms difference of all waves of the box from the growth of a fluid, over their rms. */
static double wrong_growth(size_t side, size_t lattices, const char *lattice, const char *plt)
{
    const long last = (long)side / 2 - 1;
    const double growth = ky_growth_at(&cosmology, 0.1).d1 / ky_growth_at(&cosmology, 0.02).d1;
    struct ky_snapshot start, end;
    double wrong = 0, all = 0;
    make(lattices * side * side * side, lattice, NULL, &start);
    make(lattices * side * side * side, lattice, plt, &end);
    follow(&end);
    for (long x = -last; x <= last; x++)
        for (long y = -last; y <= last; y++)
            for (long z = 0; z <= last; z++) {
                const long n[] = {x, y, z};
                double before[2], after[2];
                density_of(&start, side, n, before);
                density_of(&end, side, n, after);
                for (int part = 0; part < 2; part++) {
                    wrong += pow(after[part] - growth * before[part], 2);
                    all += pow(growth * before[part], 2);
                }
            }
    ky_snapshot_free(&start);
    ky_snapshot_free(&end);
    return sqrt(wrong / all);
}

/* All waves of a box of tiny amplitude, whatever their direction, up to the Nyquist frequency. */
static void all_waves_grow_as_a_fluid(void **state)
{
    (void)state;
    const double plain = wrong_growth(8, 1, "lattice=cubic", NULL),
                 cubic = wrong_growth(8, 1, "lattice=cubic", "plt=9"),
                 centred = wrong_growth(6, 2, "lattice=bcc", "plt=9");
    print_message("growth is wrong by %.2g without --plt, %.2g with it, %.2g on two lattices\n",
                  plain, cubic, centred);
    assert_true(plain > 0.1);
    assert_between(cubic, 0, 5e-4);
    assert_between(centred, 0, 5e-4);
}

/* The start is the end of the correction: directions and velocities alone are other ones. */
static void densities_of_the_start_stay(void **state)
{
    (void)state;
    struct ky_snapshot fluid, lattice;
    static const long waves[][3] = {{1, 0, 0}, {0, 3, 1}, {-3, 2, 1}, {3, 3, 3}};
    make(512, "lattice=cubic", NULL, &fluid);
    make(512, "lattice=cubic", "plt=49", &lattice);
    for (int w = 0; w < 4; w++) {
        double one[2], other[2];
        density_of(&fluid, 8, waves[w], one);
        density_of(&lattice, 8, waves[w], other);
        assert_between(hypot(one[0] - other[0], one[1] - other[1]) / hypot(one[0], one[1]), 0,
                       1e-6);
    }
    double apart = 0, size = 0;
    for (size_t b = 0; b < 512; b++)
        for (int c = 0; c < 3; c++) {
            const double v = fluid.bodies.velocity[b][c];
            apart += pow(lattice.bodies.velocity[b][c] - v, 2), size += v * v;
        }
    assert_between(sqrt(apart / size), 0.02, 0.5);
    ky_snapshot_free(&fluid);
    ky_snapshot_free(&lattice);
}

static void a_fluid_before_the_start_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"redshift=20", "plt=21", NULL};
    struct ky_model_parameters parameters;
    struct ky_snapshot snapshot;
    ky_model_parameters_defaults(&parameters);
    parameters.n = 512;
    parameters.options = words;
    ky_snapshot_clear(&snapshot);
    assert_int_equal(ky_model_make("cosmic-box", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "--plt 21 is before the start"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_known),
        cmocka_unit_test(modes_turn_with_the_cube),
        cmocka_unit_test(all_waves_grow_as_a_fluid),
        cmocka_unit_test(densities_of_the_start_stay),
        cmocka_unit_test(a_fluid_before_the_start_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
