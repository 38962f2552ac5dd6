/* Periodic boxes: the far field against the constants of crystals and against an Ewald sum, and the
 * forces of the engine in a box. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "clouds.h"
#include "domain/domain.h"
#include "engine/common/far_field.h"
#include "engine/force_options.h"
#include "engines.h"
#include "kernels.h"
#include "physics/periodic.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;

/* ---- the reference: an Ewald sum with sums and a parameter of its own ---- */

/* Adds acceleration and -φ by a body of mass m and its images in a box of side 1, at a distance
 * `d` (source - sink). d = 0: by the images alone. */
static void ewald_add(const double d[3], double m, double field[4])
{
    const double alpha = 4;
    field[3] -= m * pi / (alpha * alpha);
    for (int k = 0; k < 125; k++) {
        const double r[3] = {remainder(d[0], 1) + k % 5 - 2, remainder(d[1], 1) + k / 5 % 5 - 2,
                             remainder(d[2], 1) + k / 25 - 2};
        const double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], s = sqrt(r2);
        const double own = 2 * alpha / sqrt(pi);
        if (r2 < 1e-30) {
            field[3] -= m * own;
            continue;
        }
        const double p = m * erfc(alpha * s) / s;
        for (int c = 0; c < 3; c++)
            field[c] += r[c] * (p + m * own * exp(-alpha * alpha * r2)) / r2;
        field[3] += p;
    }
    for (int k = 0; k < 19 * 19 * 19; k++) {
        const double h[3] = {k % 19 - 9, k / 19 % 19 - 9, k / 361 - 9};
        const double h2 = h[0] * h[0] + h[1] * h[1] + h[2] * h[2];
        if (h2 < 1 || h2 > 81)
            continue;
        const double size = m * exp(-pi * pi * h2 / (alpha * alpha)) / (pi * h2),
                     phase = 2 * pi * (h[0] * d[0] + h[1] * d[1] + h[2] * d[2]);
        for (int c = 0; c < 3; c++)
            field[c] += 2 * pi * h[c] * size * sin(phase);
        field[3] += size * cos(phase);
    }
}

/* ---- the far field alone ---- */

/* ψ by the nearest images and F, for a distance in the box. */
static double psi(const double r[3])
{
    double d[KY_FAR_TERMS], sum;
    ky_far_derivatives(r, KY_FAR_ALPHA, d);
    sum = d[0];
    for (int k = 0; k < KY_IMAGES; k++) {
        const double x = r[0] + ky_image(k, 0), y = r[1] + ky_image(k, 1),
                     z = r[2] + ky_image(k, 2), s = sqrt(x * x + y * y + z * z);
        sum += s > 0 ? 1 / s : 0;
    }
    return sum;
}

/* Known to 13 digits: the potential of a cubic lattice of charges, and the constants of Madelung of
 * rock salt and caesium chloride. */
static void crystals_have_their_constants(void **state)
{
    static const double own[3] = {0}, middle[3] = {0.5, 0.5, 0.5};
    (void)state;
    assert_between(psi(own), -2.837297479480619 - 2e-13, -2.837297479480619 + 2e-13);
    double caesium = psi(middle) - psi(own), salt = 0;
    for (int k = 0; k < 8; k++) {
        const double r[3] = {0.5 * (k & 1), 0.5 * (k >> 1 & 1), 0.5 * (k >> 2)};
        const int odd = (k & 1) + (k >> 1 & 1) + (k >> 2);
        salt -= (odd % 2 ? -1 : 1) * psi(r) * 0.5;
    }
    caesium *= sqrt(3) / 2;
    assert_between(caesium, 1.762674773070 - 2e-12, 1.762674773071 + 2e-12);
    assert_between(salt, 1.747564594633 - 2e-12, 1.747564594633 + 2e-12);
}

/* ΔF = 4π, a third along each axis at the middle; odd derivatives vanish there; and the derivatives
 * do not depend on α. */
static void derivatives_are_smooth_and_harmonic(void **state)
{
    static const double at[][3] = {{0, 0, 0}, {0.75, -0.5, 0.25}, {-0.75, 0.75, 0.75}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        double d[KY_FAR_TERMS], other[KY_FAR_TERMS];
        ky_far_derivatives(at[k], KY_FAR_ALPHA, d);
        ky_far_derivatives(at[k], 2.0, other);
        for (int n = 0; n < KY_FAR_TERMS; n++)
            assert_between(other[n] - d[n], -1e-11 * (1 + fabs(d[n])), 1e-11 * (1 + fabs(d[n])));
        const double xx = d[ky_far_term(2, 0, 0)], yy = d[ky_far_term(0, 2, 0)],
                     zz = d[ky_far_term(0, 0, 2)];
        assert_between(xx + yy + zz, 4 * pi - 1e-12, 4 * pi + 1e-12);
        if (k == 0) {
            assert_between(xx, 4 * pi / 3 - 1e-12, 4 * pi / 3 + 1e-12);
            assert_between(d[ky_far_term(1, 0, 0)], -1e-13, 1e-13);
        }
        assert_between(d[ky_far_term(4, 2, 0)] + d[ky_far_term(2, 4, 0)] + d[ky_far_term(2, 2, 2)],
                       -1e-9, 1e-9);
    }
}

static void positions_wrap(void **state)
{
    (void)state;
    const double side = 3.5;
    assert_true(ky_wrap(1.25, side) == 1.25 && ky_wrap(0, side) == 0);
    assert_true(ky_wrap(side, side) == 0 && ky_wrap(-1, side) == 2.5);
    assert_true(ky_wrap(1.25 - 7 * side, side) == 1.25 &&
                ky_wrap(1.25 + 1024 * side, side) == 1.25);
    assert_true(ky_wrap(-1e-20, side) == 0); /* the nearest number is the side itself */
    assert_true(isnan(ky_wrap((double)INFINITY, side)) && isnan(ky_wrap((double)NAN, side)));
}

enum { FEW = 24 };

/* Bodies with places and masses of every size, two of them at the same place, one in a corner. */
static void make_few(double x[3][FEW], double m[FEW])
{
    for (int i = 0; i < FEW; i++) {
        struct ky_random random = ky_random_at(7, 1, (uint64_t)(i == 5 ? 4 : i));
        for (int c = 0; c < 3; c++)
            x[c][i] = i == 0 ? 0 : i == 1 ? 0.999 : ky_random_uniform(&random);
        m[i] = i == 2 ? 0 : 0.2 + ky_random_uniform(&random);
    }
}

/* The 27 nearest images one by one, and the polynomial, against an Ewald sum. */
static void the_far_field_completes_the_images(void **state)
{
    double x[3][FEW], m[FEW], worst[2] = {0}, net[3] = {0}, size = 0;
    struct ky_far_field *far;
    (void)state;
    make_few(x, m);
    assert_ok(ky_far_open(&far, &error));
    const struct ky_far_bodies bodies = {
        .n = FEW, .x = {x[0], x[1], x[2]}, .mass = m, .along = 1, .side = 1};
    double all = 0;
    for (int i = 0; i < FEW; i++)
        all += m[i];
    ky_far_sum_bodies(far, &bodies, all);
    ky_far_expand(far, 1);
    for (int i = 0; i < FEW; i++) {
        const double at[3] = {x[0][i], x[1][i], x[2][i]};
        double field[4] = {0}, right[4] = {0};
        ky_far_add_at(far, at, field);
        for (int c = 0; c < 3; c++)
            net[c] += m[i] * field[c];
        size += m[i] * fabs(field[0]);
        for (int j = 0; j < FEW; j++) {
            const double d[3] = {x[0][j] - at[0], x[1][j] - at[1], x[2][j] - at[2]};
            ewald_add(d, m[j], right);
            for (int k = 0; k < KY_IMAGES; k++) {
                double r[3], r2 = 0;
                for (int c = 0; c < 3; c++) {
                    r[c] = d[c] + ky_image(k, c);
                    r2 += r[c] * r[c];
                }
                for (int c = 0; c < 4 && r2 > 1e-30; c++)
                    field[c] += m[j] * (c < 3 ? r[c] / r2 : 1) / sqrt(r2);
            }
        }
        if (i == 4 || i == 5) /* at one place: ψ has a pole there in the reference alone */
            continue;
        for (int c = 0; c < 4; c++)
            worst[i > 1] = fmax(worst[i > 1], fabs(field[c] - right[c]));
    }
    ky_far_close(far);
    print_message("far field: largest error %.2g, of bodies in opposite corners %.2g\n", worst[1],
                  worst[0]);
    assert_between(worst[1], 0, 6e-5); /* accelerations are about 40 */
    assert_between(worst[0], 0, 1e-3);
    for (int c = 0; c < 3; c++)
        assert_between(net[c] / size, -1e-13, 1e-13);
}

/* ---- forces of the engine ---- */

#define SIDE 2.5

enum set { UNIFORM, CLUMPS, LATTICE, WAVES, TOGETHER, SETS };

/* Bodies in the box: at random, in clumps of every size, on a lattice, on a lattice that waves have
 * displaced by a twentieth of its spacing, and all at one place. */
static struct ky_bodies make(enum set set, size_t n)
{
    struct ky_bodies bodies;
    const size_t side = (size_t)(cbrt((double)n) + 0.5);
    assert_ok(ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(3, (uint32_t)set, i),
                         clump = ky_random_at(3, 77, i % 7);
        const double size = i % 7 ? 0.1 * pow(0.3, (double)(i % 7)) : 1;
        const size_t place[3] = {i / side / side, i / side % side, i % side};
        for (int c = 0; c < 3; c++) {
            double *x = &bodies.position[i][c];
            const double middle = ky_random_uniform(&clump), u = ky_random_uniform(&random);
            *x = set == UNIFORM ? u : set == CLUMPS ? middle + size * (u - 0.5) : 0.3;
            if (set == LATTICE || set == WAVES)
                *x = ((double)place[c] + 0.5) / (double)side;
            if (set == WAVES)
                *x += 0.04 / (double)side *
                      (sin(2 * pi * ((double)place[c] / (double)side + 0.1 * c)) +
                       sin(4 * pi * (double)(place[0] + place[1] + place[2]) / (double)side));
            *x = ky_wrap(*x, 1) * SIDE;
        }
        bodies.mass[i] =
            (set == UNIFORM || set == CLUMPS ? 0.5 + ky_random_uniform(&random) : 1) / (double)n;
    }
    return bodies;
}

/* The forces that know boxes. */
enum { FORCES = 3 };
static const int forces[FORCES] = {KY_FMM, KY_TREE, KY_DIRECT};

static struct ky_parameters in_box(int force)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.force = force;
    parameters.box = SIDE;
    return parameters;
}

static struct ky_parameters on_device(int engine, int force)
{
    struct ky_parameters parameters = in_box(force);
    parameters.engine = engines[engine].engine;
    return parameters;
}

/* The parameters of case k: each force on each engine, the CPU among them. In `check` a processor
 * that serves as a device has no direct sums here; device_sums_are_those_of_the_cpu has them.
 * Returns 0 after the last case. */
static int next_case(int k, struct ky_parameters *parameters)
{
    for (int e = 0; e < engine_count; e++) {
        const int count = is_slow(e) && !test_everything() ? FORCES - 1 : FORCES;
        if (k < count) {
            *parameters = on_device(e, forces[k]);
            return 1;
        }
        k -= count;
    }
    return 0;
}

/* The errors of the accelerations as parts of their rms. */
struct parts {
    double median, p99, most, net, potential;
};

static struct parts compare(const struct ky_bodies *bodies, const struct ky_bodies *exact)
{
    const size_t n = bodies->n;
    double *e = malloc((n + 1) * sizeof *e), a2 = 0, largest = 1 / SIDE, sum[3] = {0}, all = 0;
    struct parts parts = {0};
    for (size_t i = 0; i < n; i++) {
        double e2 = 0;
        for (int c = 0; c < 3; c++) {
            const double a = exact->acceleration[i][c], d = bodies->acceleration[i][c] - a;
            a2 += a * a / (double)n;
            e2 += d * d;
            sum[c] += bodies->mass[i] * bodies->acceleration[i][c];
            all += bodies->mass[i] * fabs(bodies->acceleration[i][c]);
        }
        e[i] = isfinite(e2) ? sqrt(e2) : (double)INFINITY;
        largest = fmax(largest, fabs(exact->potential[i])); /* the mass of all is about 1 */
        parts.potential = fmax(parts.potential, fabs(bodies->potential[i] - exact->potential[i]));
    }
    qsort(e, n, sizeof *e, ky_order_reals);
    parts.median = cloud_percentile(e, n, 0.5) / sqrt(a2);
    parts.p99 = cloud_percentile(e, n, 0.99) / sqrt(a2);
    parts.most = n ? e[n - 1] / sqrt(a2) : 0;
    parts.net = (fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2])) / all;
    parts.potential /= largest;
    free(e);
    return parts;
}

/* The direct sum in a box of any side against Ewald sums, for bodies with and without mass, two at
 * the same place, in corners, and outside. A softened pair differs within the nearest images. */
static void direct_sums_are_ewald_sums(void **state)
{
    double x[3][FEW], m[FEW];
    struct ky_parameters parameters = in_box(KY_DIRECT);
    const double eps = 0.02;
    (void)state;
    make_few(x, m);
    for (int precision = KY_SINGLE; precision <= KY_DOUBLE; precision++) {
        struct ky_bodies bodies = make(UNIFORM, FEW), exact = make(UNIFORM, FEW);
        parameters.precision = precision;
        parameters.softening = eps * SIDE;
        parameters.g = 3;
        for (size_t i = 0; i < FEW; i++) {
            bodies.mass[i] = m[i];
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] = (x[c][i] + (i == 3 ? 2 - c : 0)) * SIDE;
        }
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        for (size_t i = 0; i < FEW; i++) {
            const double far = i > 1 ? 2e-6 : 4e-5; /* the first two are in corners */
            const double within = far + (precision == KY_DOUBLE     ? 0
                                         : precision == KY_EXTENDED ? 3e-5
                                                                    : 3e-4);
            double right[4] = {0};
            for (size_t j = 0; j < FEW; j++) {
                const double d[3] = {x[0][j] - x[0][i], x[1][j] - x[1][i], x[2][j] - x[2][i]};
                ewald_add(d, m[j], right);
                for (int k = 0; k < KY_IMAGES; k++) {
                    double r[3], r2 = 0;
                    for (int c = 0; c < 3; c++) {
                        r[c] = d[c] + ky_image(k, c);
                        r2 += r[c] * r[c];
                    }
                    const double s = sqrt(r2 + eps * eps), one = r2 > 0 ? 1 / sqrt(r2) : 0;
                    for (int c = 0; c < 3 && r2 > 0; c++)
                        right[c] += m[j] * r[c] * (1 / (s * s * s) - one * one * one);
                    if (j != i || k > 0)
                        right[3] += m[j] * (1 / s - one);
                }
            }
            for (int c = 0; c < 3; c++) {
                const double a = 3 * right[c] / SIDE / SIDE, size = 3 * 40 / SIDE / SIDE;
                assert_between(bodies.acceleration[i][c], a - within * size, a + within * size);
                assert_between(exact.acceleration[i][c], a - far * size, a + far * size);
            }
            const double p = -3 * right[3] / SIDE, size = 3 * 40 / SIDE;
            assert_between(bodies.potential[i], p - within * size, p + within * size);
            assert_between(exact.potential[i], p - far * size, p + far * size);
        }
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
    }
}

/* Forces on the same bodies by the direct sum of the CPU in double. */
static void make_exact(const struct ky_parameters *parameters, struct ky_bodies *bodies)
{
    struct ky_parameters own = *parameters;
    own.engine = "cpu";
    own.force = KY_DIRECT;
    own.precision = KY_DOUBLE;
    assert_ok(cloud_forces(&own, bodies, NULL, NULL, &error));
}

/* The forces on n bodies against exact sums; with `most`, no error may be larger. */
static void follow_exact_sums(const struct ky_parameters *parameters, enum set set, size_t n,
                              double most)
{
    struct ky_bodies bodies = make(set, n), exact = make(set, n);
    const int is_even = set == LATTICE || set == TOGETHER || n == 1;
    assert_ok(cloud_forces(parameters, &bodies, NULL, NULL, &error));
    make_exact(parameters, &exact);
    const struct parts parts = compare(&bodies, &exact);
    if (n > 1000 && set != LATTICE && set != TOGETHER)
        print_message("%s, force %d, precision %d, set %d, %zu bodies: errors %.1e %.1e %.1e, net "
                      "%.1e, potential %.1e\n",
                      parameters->engine, parameters->force, parameters->precision, set, n,
                      parts.median, parts.p99, parts.most, parts.net, parts.potential);
    if (n > 1 && !is_even && !(set == WAVES && n < 27)) {
        assert_between(parts.p99, 0, most > 0 ? most : set == WAVES ? 2e-3 : 1e-3);
        assert_between(parts.potential, 0, most > 0 ? most : 1e-3);
        if (parameters->force != KY_DIRECT) /* devices round forces to float before they sum them */
            assert_between(parts.net, 0, strcmp(parameters->engine, "cpu") == 0 ? 1e-10 : 1e-7);
    }
    for (size_t i = 0; i < n && is_even; i++)
        for (int c = 0; c < 3; c++)
            if (set == TOGETHER || n == 1 || n == 8 || n == 64 || n == 343 || n == 1331)
                assert_between(bodies.acceleration[i][c], -1e-4, 1e-4);
    ky_bodies_free(&bodies);
    ky_bodies_free(&exact);
}

/* The default forces of fmm and tree, for every number of bodies and every shape. */
static void approximate_forces_follow_exact_sums(void **state)
{
    static const size_t counts[] = {0, 1, 2, 8, 63, 64, 65, 1331};
    enum { COUNTS = sizeof counts / sizeof *counts };
    (void)state;
    for (int set = 0; set < SETS; set++)
        for (size_t k = 0; k < 2 * (size_t)COUNTS; k++) {
            const struct ky_parameters parameters = in_box(k % 2 ? KY_TREE : KY_FMM);
            follow_exact_sums(&parameters, (enum set)set, counts[k / 2], 0);
        }
}

/* Bodies moved by whole boxes, with any number of threads, have the same forces to the last bit,
 * and stand at the same places. */
static void bits_are_the_same(void **state)
{
    struct ky_parameters parameters;
    enum { N = 3000, FEWER = 900 };
    struct ky_bodies first = make(CLUMPS, N);
    (void)state;
    for (size_t i = 0; i < first.n; i++)
        for (int c = 0; c < 3; c++)
            first.position[i][c] = rint(first.position[i][c] * 0x1p30) * 0x1p-30;
    struct ky_bodies moved = make(CLUMPS, N);
    for (size_t i = 0; i < first.n; i++)
        for (int c = 0; c < 3; c++)
            moved.position[i][c] = first.position[i][c] + SIDE * (c == 1 ? -3.0 : (double)(i % 5));
    for (int k = 0; next_case(k, &parameters); k++) {
        const int is_few = takes_few_kernels(parameters.engine) ||
                           (parameters.force == KY_DIRECT && !test_everything());
        first.n = moved.n = is_few ? FEWER : N;
        parameters.threads = 1;
        assert_ok(cloud_forces(&parameters, &first, NULL, NULL, &error));
        memset(moved.acceleration, 0, moved.n * sizeof *moved.acceleration);
        memset(moved.potential, 0, moved.n * sizeof *moved.potential);
        parameters.threads = 3;
        assert_ok(cloud_forces(&parameters, &moved, NULL, NULL, &error));
        assert_memory_equal(first.position, moved.position, first.n * sizeof *first.position);
        assert_memory_equal(first.acceleration, moved.acceleration,
                            first.n * sizeof *first.acceleration);
        assert_memory_equal(first.potential, moved.potential, first.n * sizeof *first.potential);
        memset(first.acceleration, 0, first.n * sizeof *first.acceleration);
        memset(first.potential, 0, first.n * sizeof *first.potential);
    }
    first.n = moved.n = N;
    ky_bodies_free(&first);
    ky_bodies_free(&moved);
}

/* With a small tolerance the lists of groups on devices take all cells that act: few act on single
 * sinks, which would be more cells than on the CPU. */
static void small_tolerances_fill_no_lists(void **state)
{
    enum { N = 4096 };
    struct ky_parameters parameters = in_box(KY_FMM);
    struct ky_bodies bodies = make(WAVES, N);
    struct ky_force_report report = {0};
    (void)state;
    need_a_device();
    parameters.alpha = 2e-5;
    parameters.precision = KY_SINGLE;
    assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
    const double cells = report.cell_interactions;
    FOR_DEVICES(e, 1)
    {
        parameters.engine = engines[e].engine;
        assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
        assert_between(report.cell_interactions / cells, 0.5, 1.4);
    }
    ky_bodies_free(&bodies);
}

/* ---- points, massless bodies, active bodies ---- */

enum { POINTS = 60 };

/* Points: at bodies, for which they stand, but one or two boxes away; across a face from such a
 * body; and elsewhere, also outside the box. */
static void make_points(const struct ky_bodies *bodies, double at[POINTS][3],
                        uint32_t stands[POINTS])
{
    for (size_t k = 0; k < POINTS; k++) {
        struct ky_random random = ky_random_at(5, 8, k);
        const int is_body = k < POINTS / 2;
        stands[k] = is_body ? (uint32_t)(k % bodies->n) : KY_NO_BODY;
        for (int c = 0; c < 3; c++)
            at[k][c] = (is_body ? bodies->position[k % bodies->n][c]
                                : SIDE * (3 * ky_random_uniform(&random) - 1)) +
                       SIDE * (double)(((int)k + c) % 3 - 1);
    }
}

/* Acceleration, -φ and tidal tensor at a place by Ewald sums. `but`: a body that does not act
 * there, except by its farther images. */
static void ewald_at(const struct ky_bodies *bodies, const double at[3], uint32_t but,
                     double field[4], double tide[6])
{
    static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const double step = 1e-4, by = SIDE * SIDE;
    memset(field, 0, 4 * sizeof *field);
    memset(tide, 0, 6 * sizeof *tide);
    for (size_t j = 0; j < bodies->n; j++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = remainder((bodies->position[j][c] - at[c]) / SIDE, 1);
        if (j == but)
            d[0] = d[1] = d[2] = 0;
        ewald_add(d, bodies->mass[j], field);
        for (int k = 0; k < 3 && j == but; k++) /* by symmetry a third of 4π along each axis */
            tide[k] += 4 * pi / 3 * bodies->mass[j] / by / SIDE;
        for (int e = 0; e < 3 && j != but; e++) {
            double more[2][4] = {{0}};
            for (int side = 0; side < 2; side++) {
                double moved[3] = {d[0], d[1], d[2]};
                moved[e] -= side ? step : -step;
                ewald_add(moved, bodies->mass[j], more[side]);
            }
            for (int k = 0; k < 6; k++)
                if (axes[k][1] == e)
                    tide[k] += (more[1][axes[k][0]] - more[0][axes[k][0]]) / (2 * step) / by / SIDE;
        }
    }
    for (int c = 0; c < 3; c++)
        field[c] /= by;
    field[3] /= SIDE;
}

/* The field and tides at points against Ewald sums, with `direct` and `fmm`. A point may stand for
 * a body, also if it is given in another box, or lies across a face from it. */
static void points_feel_the_box(void **state)
{
    enum { KINDS = 4 };
    static const struct {
        int force, precision;
        double field, tide; /* errors, as parts of the largest numbers */
    } kinds[KINDS] = {{KY_DIRECT, KY_DOUBLE, 1e-5, 1e-5},
                      {KY_DIRECT, KY_SINGLE, 1e-5, 1e-5},
                      {KY_FMM, KY_DOUBLE, 3e-4, 1e-3},
                      {KY_TREE, KY_SINGLE, 1e-3, 1e-3}};
    struct ky_bodies bodies = make(UNIFORM, 30);
    double at[POINTS][3], got[POINTS][3], potential[POINTS], tide[POINTS][6], size[2] = {0};
    double field[POINTS][4], right[POINTS][6]; /* by Ewald sums */
    uint32_t stands[POINTS];
    (void)state;
    for (size_t i = 0; i < bodies.n; i++)
        for (int c = 0; c < 3; c++) /* so that no shift rounds */
            bodies.position[i][c] = rint(bodies.position[i][c] * 0x1p30) * 0x1p-30;
    bodies.position[0][0] = 0x1p-12;
    make_points(&bodies, at, stands);
    at[0][0] -= 0x1p-11; /* across a face from body 0 */
    for (size_t k = 0; k < POINTS; k++)
        ewald_at(&bodies, at[k], stands[k], field[k], right[k]);
    for (int round = 0; round < engine_count * KINDS; round++) {
        const int kind = round % KINDS;
        struct ky_parameters given = on_device(round / KINDS, kinds[kind].force), parameters;
        if (kinds[kind].precision == KY_DOUBLE && is_slow(round / KINDS) && !test_everything())
            continue;
        /* points of tree, and on devices of fmm, stand for no bodies */
        const int is_tree =
            given.force == KY_TREE || (given.force == KY_FMM && strcmp(given.engine, "cpu") != 0);
        const struct ky_points points = {
            .count = POINTS, .position = (const double(*)[3])at, .body = is_tree ? NULL : stands};
        struct ky_engine *engine;
        double worst[2] = {0};
        given.precision = kinds[kind].precision;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        assert_ok(ky_engine_open(&parameters, bodies.n, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_ok(ky_engine_field(engine, &points, got, potential, &error));
        assert_ok(ky_engine_tides(engine, &points, tide, &error));
        ky_engine_close(engine);
        for (size_t k = is_tree ? POINTS / 2 : 0; k < POINTS; k++) {
            for (int c = 0; c < 4; c++) {
                const double d = c < 3 ? got[k][c] - field[k][c] : potential[k] + field[k][3];
                worst[0] = fmax(worst[0], fabs(d));
                size[0] = fmax(size[0], fabs(field[k][c]));
            }
            for (int c = 0; c < 6 && (given.force == KY_DIRECT || k >= POINTS / 2); c++) {
                worst[1] = fmax(worst[1], fabs(tide[k][c] - right[k][c]));
                size[1] = fmax(size[1], fabs(right[k][c]));
            }
        }
        print_message("points, %s, force %d: field %.1e of %.1e, tides %.1e of %.1e\n",
                      given.engine, given.force, worst[0], size[0], worst[1], size[1]);
        assert_between(worst[0], 0, kinds[kind].field * size[0]);
        assert_between(worst[1], 0, kinds[kind].tide * size[1]);
    }
    ky_bodies_free(&bodies);
}

/* Massless bodies feel the box, and on the CPU change no bit of the forces on the others. */
static void massless_bodies_only_feel(void **state)
{
    enum { N = 1500 };
    (void)state;
    struct ky_parameters parameters;
    for (int k = 0; next_case(k, &parameters); k++) {
        struct ky_bodies all = make(CLUMPS, N), some = make(CLUMPS, N), exact = make(CLUMPS, N);
        size_t n = 0;
        for (size_t i = 0; i < N; i++) {
            all.mass[i] = exact.mass[i] = i % 3 ? all.mass[i] : 0;
            if (all.mass[i] > 0) {
                some.mass[n] = all.mass[i];
                memcpy(some.position[n++], all.position[i], sizeof *all.position);
            }
        }
        some.n = n;
        assert_ok(cloud_forces(&parameters, &all, &exact, NULL, &error));
        assert_ok(cloud_forces(&parameters, &some, NULL, NULL, &error));
        assert_between(compare(&all, &exact).p99, 0, 2e-3);
        for (size_t i = 0, its = 0; i < N && !strcmp(parameters.engine, "cpu"); i++)
            if (all.mass[i] > 0) {
                assert_memory_equal(all.acceleration[i], some.acceleration[its],
                                    sizeof *all.acceleration);
                assert_true(all.potential[i] == some.potential[its++]);
            }
        some.n = N;
        ky_bodies_free(&all);
        ky_bodies_free(&some);
        ky_bodies_free(&exact);
    }
}

/* Some active bodies have the forces that they have when all are active, except that approximate
 * forces on all have their net force subtracted, the same part of |a| of each body. */
static void active_bodies_have_the_same_forces(void **state)
{
    enum { N = 1200 };
    uint32_t list[N / 5];
    (void)state;
    for (uint32_t k = 0; k < N / 5; k++)
        list[k] = 5 * k + k % 3;
    struct ky_parameters given, parameters;
    for (int force = 0; next_case(force, &given); force++) {
        struct ky_bodies all = make(CLUMPS, N), some = make(CLUMPS, N);
        const struct ky_active active = {N / 5, list};
        double net[3] = {0};
        struct ky_engine *engine;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        assert_ok(ky_engine_open(&parameters, N, &engine, &error));
        assert_ok(ky_engine_put(engine, &all, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_get(engine, &all, &error));
        assert_ok(ky_engine_put(engine, &all, &error));
        assert_ok(ky_engine_forces_of(engine, &active, &error));
        assert_ok(ky_engine_get(engine, &some, &error));
        assert_ok(ky_engine_put(engine, &all, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_get(engine, &all, &error));
        for (uint32_t k = 0; k < N / 5; k++) {
            const double *a = some.acceleration[list[k]], *b = all.acceleration[list[k]],
                         size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            for (int c = 0; c < 3; c++) {
                const double its = (a[c] - b[c]) / size;
                net[c] = k == 0 ? its : net[c];
                assert_between(its, -1e-4, 1e-4); /* direct: sums over all bodies begin new chunks
                                                     at active ones */
                if (given.force != KY_DIRECT)
                    assert_between(its, net[c] - 1e-10, net[c] + 1e-10);
            }
        }
        ky_engine_close(engine);
        ky_bodies_free(&all);
        ky_bodies_free(&some);
    }
}

/* ---- devices ---- */

/* The default forces on devices, for every number of bodies and every shape; in `check` a processor
 * that serves as a device takes up to 1,331 bodies for one shape, and two numbers for the others.
 */
static void device_forces_follow_exact_sums(void **state)
{
    static const size_t counts[] = {0, 1, 2, 8, 31, 32, 33, 64, 65, 343, 1331, 4096};
    enum { COUNTS = sizeof counts / sizeof *counts };
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int set = 0; set < SETS; set++)
        for (size_t k = 0; k < 2 * (size_t)COUNTS; k++) {
            const struct ky_parameters parameters = on_device(e, k % 2 ? KY_TREE : KY_FMM);
            const size_t n = counts[k / 2];
            const int is_taken = set == UNIFORM ? n <= 1331 : n == 65 || n == 343;
            if (is_slow(e) && !test_everything() && !is_taken)
                continue;
            follow_exact_sums(&parameters, (enum set)set, n, 0);
        }
}

/* Every kernel; and with a tolerance that no cell meets no body and no image is missed or counted
 * twice. The far field has an error of some 1e-6. */
static void every_device_kernel_knows_the_box(void **state)
{
    static const int kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 5 * 3 * 3; k++) {
        struct ky_parameters parameters = on_device(e, KY_FMM);
        const int order = 2 + k / 9, precision = k / 3 % 3;
        if (is_slow(e) && !test_everything() && k != 2 * 9 + 1) /* symmetric, every cell opened */
            continue;
        parameters.order = order;
        parameters.precision = precision;
        parameters.softening_kind = kinds[k % 3];
        parameters.softening = 0.002 * SIDE;
        parameters.alpha = k % 2 ? 1e-12 : 1e-4;
        follow_exact_sums(&parameters, UNIFORM, 700, k % 2 ? 2e-5 : 1e-3);
        follow_exact_sums(&parameters, CLUMPS, 300, k % 2 ? 2e-5 : 1e-3);
    }
}

/* Direct sums on devices in every precision, and exact ones, which agree with the CPU's to their
 * rounding; some bodies have no mass. */
static void device_sums_are_those_of_the_cpu(void **state)
{
    static const double errors[] = {1e-4, 1e-5, 1e-12};
    enum { N = 300 };
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 2 * 3; k++) {
        const int precision = k / 2, massless = k % 2;
        struct ky_parameters parameters = on_device(e, KY_DIRECT);
        parameters.precision = precision;
        if (taken_precision(&parameters) != precision ||
            (precision == KY_DOUBLE && takes_few_kernels(parameters.engine)))
            continue;
        struct ky_bodies bodies = make(UNIFORM, N), exact = make(UNIFORM, N),
                         right = make(UNIFORM, N);
        parameters.softening = 0.001 * SIDE;
        for (size_t i = 0; i < N; i++)
            bodies.mass[i] = exact.mass[i] = right.mass[i] =
                massless && i % 3 == 0 ? 0 : bodies.mass[i];
        assert_ok(cloud_forces(&parameters, &bodies, &exact, NULL, &error));
        make_exact(&parameters, &right);
        const struct parts sums = compare(&bodies, &right), exacts = compare(&exact, &right);
        assert_between(sums.most, 0, errors[precision]);
        assert_between(sums.potential, 0, errors[precision]);
        assert_between(exacts.most, 0, 1e-12);
        assert_between(exacts.potential, 0, 1e-12);
        ky_bodies_free(&bodies);
        ky_bodies_free(&exact);
        ky_bodies_free(&right);
    }
}

/* Bodies that cross the faces of the box many times, a third of them in a cluster. */
static struct ky_bodies make_moving(size_t n)
{
    struct ky_bodies bodies = make(UNIFORM, n);
    for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            if (i % 3 == 0)
                bodies.position[i][c] = 0.95 * SIDE + 0.2 * (bodies.position[i][c] - SIDE / 2);
            bodies.velocity[i][c] = c == 0 ? 3 : c == 1 ? -1 : 0.5;
        }
    return bodies;
}

/* Runs with shared steps, in an expanding box, and with block steps on devices end as on the CPU,
 * and bodies stay in the box. */
static void runs_on_devices_end_as_on_the_cpu(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 3; k++) {
        const int few = is_slow(e) && !test_everything();
        const size_t n = few ? 150 : 300;
        if (k == 0 && few) /* the expanding box has these steps too */
            continue;
        struct ky_parameters parameters = on_device(e, KY_FMM);
        struct ky_bodies ends[2];
        double worst = 0, moved = 0;
        parameters.softening = 0.02;
        parameters.step = 0.05;
        parameters.expansion = k == 1 ? "omega-m=0.3,omega-lambda=0.7,h0=1" : NULL;
        if (k == 1)
            parameters.g = 3 * 0.3 / (8 * pi) * pow(SIDE, 3); /* so that Ωm is 0.3 */
        if (k == 2)
            parameters.integrator = KY_BLOCK_STEPS;
        for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
            struct ky_sim *sim;
            ends[on_cpu] = make_moving(n);
            parameters.engine = on_cpu ? "cpu" : engines[e].engine;
            assert_ok(ky_sim_open(&parameters, &ends[on_cpu], k == 1 ? 0.5 : 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 8, &error));
            assert_ok(ky_sim_bodies(sim, &ends[on_cpu], &error));
            ky_sim_close(sim);
        }
        struct ky_bodies begin = make_moving(n);
        for (size_t i = 0; i < begin.n; i++)
            for (int c = 0; c < 3; c++) {
                const double x = ends[0].position[i][c];
                assert_true(x >= 0 && x < SIDE);
                worst = fmax(worst, fabs(remainder(x - ends[1].position[i][c], SIDE)));
                moved = fmax(moved, fabs(remainder(x - begin.position[i][c], SIDE)));
            }
        print_message("run %d: positions differ by %.1e, bodies moved by %.3f\n", k, worst, moved);
        assert_between(worst, 0, 1e-4 * SIDE);
        assert_true(moved > 0.4 * SIDE);
        for (int on_cpu = 0; on_cpu < 2; on_cpu++)
            ky_bodies_free(&ends[on_cpu]);
        ky_bodies_free(&begin);
    }
}

/* Several devices divide the bodies of a box, and have the bits of one. */
static void several_devices_divide_a_box(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        char both[64];
        struct ky_bodies one = make(UNIFORM, 60), other = make(UNIFORM, 60);
        for (int k = 0; k < 2; k++) {
            struct ky_parameters parameters = on_device(e, KY_FMM);
            struct ky_sim *sim;
            parameters.engine = k ? with_another(e, both, sizeof both) : parameters.engine;
            parameters.step = 0.1;
            ky_domain_ranks_from[0][0] = 0;
            assert_ok(ky_sim_open(&parameters, &one, 0, &sim, &error));
            assert_ok(ky_sim_bodies(sim, k ? &other : &one, &error));
            ky_sim_close(sim);
        }
        assert_memory_equal(one.acceleration, other.acceleration, one.n * sizeof *one.acceleration);
        ky_bodies_free(&one);
        ky_bodies_free(&other);
    }
}

/* Accelerations of bodies whose masses have been replaced by 4e-7 of them, over this factor. */
static void put_light_bodies(const struct ky_parameters *parameters, struct ky_bodies *bodies)
{
    const double factor = 4e-7;
    struct ky_sim *sim;
    size_t *index = calloc(bodies->n, sizeof *index);
    assert_ok(ky_sim_open(parameters, bodies, 0, &sim, &error));
    for (size_t i = 0; i < bodies->n; i++) {
        index[i] = i;
        bodies->mass[i] *= factor;
    }
    assert_ok(ky_sim_replace(sim, index, bodies, &error));
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    ky_sim_close(sim);
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            bodies->acceleration[i][c] /= factor;
    free(index);
}

/* Masses far below the engine's unit: the moments of the far field stay in the range of their
 * integers. */
static void light_bodies_have_a_far_field(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        struct ky_parameters parameters = on_device(e, KY_DIRECT);
        struct ky_bodies heavy = make(UNIFORM, 700), light = make(UNIFORM, 700);
        struct ky_sim *sim;
        double a2 = 0, d2 = 0;
        parameters.step = 0.1;
        assert_ok(ky_sim_open(&parameters, &heavy, 0, &sim, &error));
        assert_ok(ky_sim_bodies(sim, &heavy, &error));
        ky_sim_close(sim);
        put_light_bodies(&parameters, &light);
        for (size_t i = 0; i < heavy.n; i++)
            for (int c = 0; c < 3; c++) {
                const double d = light.acceleration[i][c] - heavy.acceleration[i][c];
                a2 += heavy.acceleration[i][c] * heavy.acceleration[i][c];
                d2 += d * d;
            }
        assert_between(sqrt(d2 / a2), 0, 1e-4);
        ky_bodies_free(&heavy);
        ky_bodies_free(&light);
    }
}

/* The field at few and at many points on devices against the CPU's, also across faces and from
 * points outside. */
static void fields_on_devices_are_those_of_the_cpu(void **state)
{
    static const struct {
        int force;
        size_t bodies, points;
        double within; /* parts of the largest acceleration */
    } cases[] = {
        {KY_DIRECT, 60, POINTS, 1e-5}, {KY_FMM, 60, POINTS, 1e-5}, {KY_FMM, 3000, 3000, 1e-3}};
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < 3; k++) {
        const size_t count = cases[k].points;
        struct ky_parameters parameters = on_device(e, cases[k].force);
        struct ky_bodies bodies = make(UNIFORM, cases[k].bodies);
        double(*at)[3] = malloc(count * sizeof *at), (*got)[2][3] = malloc(count * sizeof *got),
        (*potential)[2] = malloc(count * sizeof *potential), worst = 0, size = 0, deep = 0;
        for (size_t j = 0; j < count; j++) {
            struct ky_random random = ky_random_at(5, 9, j);
            for (int c = 0; c < 3; c++)
                at[j][c] = SIDE * (3 * ky_random_uniform(&random) - 1);
        }
        parameters.softening = 0.05 * SIDE;
        for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
            double(*own)[3] = malloc(count * sizeof *own), *its = malloc(count * sizeof *its);
            const struct ky_points points = {.count = count, .position = (const double(*)[3])at};
            struct ky_parameters given = parameters, resolved;
            struct ky_engine *engine;
            given.engine = on_cpu ? "cpu" : parameters.engine;
            given.force = on_cpu ? KY_DIRECT : parameters.force;
            given.precision = on_cpu ? KY_DOUBLE : parameters.precision;
            assert_ok(ky_force_resolve(&given, &resolved, &error));
            assert_ok(ky_engine_open(&resolved, bodies.n, &engine, &error));
            assert_ok(ky_engine_put(engine, &bodies, &error));
            assert_ok(ky_engine_field(engine, &points, own, its, &error));
            ky_engine_close(engine);
            for (size_t j = 0; j < count; j++) {
                memcpy(got[j][on_cpu], own[j], sizeof own[j]);
                potential[j][on_cpu] = its[j];
            }
            free(own);
            free(its);
        }
        for (size_t j = 0; j < count; j++) {
            for (int c = 0; c < 3; c++) {
                worst = fmax(worst, fabs(got[j][0][c] - got[j][1][c]));
                size = fmax(size, fabs(got[j][1][c]));
            }
            deep = fmax(deep, fabs(potential[j][0] - potential[j][1]));
        }
        print_message("field %d: errors %.1e of %.1e, of the potential %.1e\n", k, worst, size,
                      deep);
        assert_between(worst, 0, cases[k].within * size);
        assert_between(deep, 0, cases[k].within);
        free(at);
        free(got);
        free(potential);
        ky_bodies_free(&bodies);
    }
}

/* What a box does not have is refused, and so is a box that is none. */
static void the_rest_is_refused(void **state)
{
    static const double sides[] = {-1, (double)NAN, (double)INFINITY};
    struct ky_bodies bodies = make(UNIFORM, 20);
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct ky_parameters parameters = in_box(KY_FMM);
        parameters.box = sides[k];
        assert_int_equal(cloud_forces(&parameters, &bodies, NULL, NULL, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "box"));
    }
    for (int k = 0; k < 7; k++) {
        struct ky_parameters parameters = in_box(k == 0 ? KY_LIST : k == 1 ? KY_WALK : KY_FMM);
        parameters.mutual = k == 2;
        parameters.field = k == 3 ? "point:gm=1" : NULL;
        parameters.stop_escape = k == 4 ? 0.1 : (double)NAN;
        parameters.stop_pair = k == 5 ? 0.1 : (double)NAN;
        parameters.softening = k == 6 ? 0.3 * SIDE : 0;
        assert_int_equal(cloud_forces(&parameters, &bodies, NULL, NULL, &error), KY_USAGE);
        assert_true(strstr(error.text, "--box") != NULL);
    }
    struct ky_parameters parameters;
    const struct ky_parameters given = in_box(KY_FMM);
    struct ky_engine *engine;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    const struct ky_engine_use use = {.n = 20, .schemes = 1U << KY_SCHEME_HERMITE};
    assert_int_equal(ky_engine_open_for(&parameters, 20, &use, &engine, &error), KY_USAGE);
    assert_true(strstr(error.text, "--box") != NULL);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_tolerances_fill_no_lists),
        cmocka_unit_test(crystals_have_their_constants),
        cmocka_unit_test(derivatives_are_smooth_and_harmonic),
        cmocka_unit_test(positions_wrap),
        cmocka_unit_test(the_far_field_completes_the_images),
        cmocka_unit_test(direct_sums_are_ewald_sums),
        cmocka_unit_test(approximate_forces_follow_exact_sums),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(points_feel_the_box),
        cmocka_unit_test(massless_bodies_only_feel),
        cmocka_unit_test(active_bodies_have_the_same_forces),
        cmocka_unit_test(the_rest_is_refused),
        cmocka_unit_test(device_forces_follow_exact_sums),
        cmocka_unit_test(every_device_kernel_knows_the_box),
        cmocka_unit_test(device_sums_are_those_of_the_cpu),
        cmocka_unit_test(runs_on_devices_end_as_on_the_cpu),
        cmocka_unit_test(fields_on_devices_are_those_of_the_cpu),
        cmocka_unit_test(several_devices_divide_a_box),
        cmocka_unit_test(light_bodies_have_a_far_field),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
