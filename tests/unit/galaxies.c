/* Galaxies of halo, disk and bulge: densities, the tables of the disk, the balance of every
 * component, and how long it lasts. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "models/galaxy.h"
#include "models/kepler.h"

static struct ky_error error;

enum { N = 10000 };
static const size_t first_of[] = {0, 5000, 9000, N}; /* halo, disk, bulge */

static enum ky_status made(size_t n, const char *const *words, int kind,
                           struct ky_snapshot *snapshot)
{
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.softening = 0.05;
    parameters.softening_kind = kind;
    parameters.options = words;
    return ky_model_make("galaxy", &parameters, snapshot, &error);
}

/* The default galaxy, of mass 1. */
static void standard(struct ky_galaxy *galaxy)
{
    ky_options_defaults(&(const struct ky_option_set){"galaxy", ky_galaxy.options,
                                                      ky_galaxy.option_count, galaxy, NULL, NULL});
    for (int c = 0; c < KY_COMPONENTS; c++)
        galaxy->mass[c] /= 15;
}

/* ---- tables ---- */

static void tables_of(double softening, double q, double height, struct ky_galaxy_tables *tables)
{
    const struct ky_model_common common = {.n = N, .softening = softening};
    struct ky_galaxy galaxy;
    standard(&galaxy);
    galaxy.q = q;
    galaxy.disk_height = height;
    assert_ok(ky_galaxy_solve(&galaxy, &common, tables, &error));
}

/* At 2.2 scale lengths an infinitely thin disk turns with 0.6220 √(G M/scale) (Freeman 1970). This
 * disk ends at 6 scale lengths, and so has 1.7 % more mass inside. A column of disk alone, without
 * softening, would have σ_z² = π Σ height. */
static void the_disk_is_that_of_the_books(void **state)
{
    (void)state;
    static const double none[KY_DISK_RADII];
    struct ky_disk disk = {
        .mass = 3, .scale = 2, .height = 0.002, .edge = 20, .q = 0.1, .softening = 0};
    assert_ok(ky_disk_solve(&disk, none, &error));
    const double here = sqrt(disk.own2[28] / 1.5), beyond = disk.own2[128] / (3. / 20);
    assert_between(here, 0.621, 0.6235); /* R = 4.375 */
    assert_between(beyond, 1.0, 1.2);    /* as if nearly all mass were in the centre */
    const double sheet = acos(-1.0) * ky_disk_surface(&disk, 4.375) * 0.002;
    assert_between(pow(disk.sigma[2][28], 2) / sheet, 0.99, 1.01);
    disk.q = 100;
    assert_int_equal(ky_disk_solve(&disk, none, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "Toomre's Q of 100"));
}

static void the_disk_is_stable_by_the_criteria(void **state)
{
    (void)state;
    static struct ky_galaxy_tables tables;
    tables_of(0.05, 2, 0.1, &tables);
    double most = 0, least = (double)INFINITY;
    for (int k = 1; k < KY_DISK_NODES; k++) {
        most = fmax(most, tables.disk.circular2[k]);
        least = fmin(least, tables.disk.toomre[k]);
        assert_true(tables.disk.rotation[k] > 0 && tables.disk.sigma[2][k] > 0);
    }
    assert_between(sqrt(most / (2. / 15)), 1.1, 1.3);
    assert_between(least, 2 - 1e-12, 2 + 1e-12);
    tables_of(0, 1.5, 0.1, &tables);
    assert_between(tables.disk.q, 1.5, 1.5);
}

/* ---- bodies ---- */

static double length_of(const double x[3], int axes)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + (axes > 2 ? x[2] * x[2] : 0));
}

/* The part of the mass within r, for a Hernquist sphere of scale 1 less its density at the edge. */
static double sphere_within(double r, double edge)
{
    const struct ky_shell end = ky_hernquist.shell(edge), here = ky_hernquist.shell(r);
    const double volume = 4 * acos(-1.0) / 3 * end.density;
    return (here.mass - volume * r * r * r) / (end.mass - volume * edge * edge * edge);
}

/* Fails with a chance of one in 10,000 if the n values are uniform (Kolmogorov's test). */
static void follows(double *part, size_t n, const char *what)
{
    double worst = 0;
    qsort(part, n, sizeof *part, ky_order_reals);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(part[i] - ((double)i + 0.5) / (double)n));
    if (worst > 2.2 / sqrt((double)n))
        fail_msg("%s: %g", what, worst);
}

/* Radii are measured from the mean of the bulge, since the noise of the halo moves the galaxy. */
static void densities_are_those_that_are_promised(void **state)
{
    (void)state;
    struct ky_snapshot s;
    double part[N], high[N], middle[3] = {0}, momentum[3] = {0}, sum = 0;
    assert_ok(made(N, NULL, KY_PLUMMER, &s));
    const struct ky_bodies *b = &s.bodies;
    for (size_t i = 0; i < N; i++) {
        const int c = i < first_of[1] ? 0 : i < first_of[2] ? 1 : 2;
        assert_int_equal(b->type[i], c + 1);
        assert_int_equal(b->id[i], i);
        const double mass = (c == 0   ? 12
                             : c == 1 ? 2
                                      : 1) /
                            15. / (double)(first_of[c + 1] - first_of[c]);
        assert_between(b->mass[i] / mass, 1 - 1e-12, 1 + 1e-12);
        sum += b->mass[i];
        for (int k = 0; k < 3; k++) {
            momentum[k] += b->mass[i] * b->velocity[i][k];
            if (c)
                middle[k] += b->position[i][k] / (N - 5000);
        }
    }
    assert_between(sum, 1 - 1e-12, 1 + 1e-12);
    assert_between(length_of(momentum, 3), 0, 1e-14);
    assert_between(length_of(middle, 3), 0, 0.2);
    assert_true(!b->softening && s.softening == 0.05);
    for (size_t i = 0; i < N; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = b->position[i][k] - middle[k];
        if (i < first_of[1]) {
            part[i] = sphere_within(fmin(length_of(x, 3), 25) / 2.5, 10);
        } else if (i >= first_of[2]) {
            part[i] = sphere_within(fmin(length_of(x, 3), 2) / 0.2, 10);
        } else {
            const double r = length_of(x, 2);
            part[i] = (1 - (1 + r) * exp(-r)) / (1 - 7 * exp(-6.));
            high[i] = 0.5 * (1 + tanh(x[2] / 0.1));
        }
    }
    follows(part, first_of[1], "halo");
    follows(part + first_of[1], first_of[2] - first_of[1], "disk");
    follows(high + first_of[1], first_of[2] - first_of[1], "height of the disk");
    follows(part + first_of[2], N - first_of[2], "bulge");
    ky_snapshot_free(&s);
}

/* 2T/|Σ m x·a| is near 1 for each component in the forces of all bodies, and for the whole galaxy,
 * also with softenings by type and of the symmetric kind. */
static void every_component_is_in_balance(void **state)
{
    (void)state;
    static const char *const own[] = {"halo-softening=0.3", "bulge-softening=0.02", NULL};
    static const struct {
        const char *const *words;
        int kind;
    } cases[] = {{NULL, KY_PLUMMER}, {own, KY_PLUMMER}, {own, KY_SYMMETRIC}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_snapshot s;
        struct ky_parameters p;
        double twice[4] = {0}, virial[4] = {0};
        assert_ok(made(N, cases[k].words, cases[k].kind, &s));
        struct ky_bodies *b = &s.bodies;
        assert_ok(ky_bodies_extend(b, KY_WITH_ACCELERATION, &error));
        assert_true(!!b->softening == !!cases[k].words);
        if (b->softening)
            assert_true(b->softening[0] == 0.3 && b->softening[5000] == 0.05 &&
                        b->softening[N - 1] == 0.02);
        ky_parameters_defaults(&p);
        p.engine = "cpu";
        p.force = KY_DIRECT;
        p.precision = KY_SINGLE;
        p.softening_kind = cases[k].kind;
        if (!b->softening)
            p.softening = 0.05;
        assert_ok(ky_forces(&p, b, NULL, &error));
        for (size_t i = 0; i < N; i++) {
            const int c = b->type[i] - 1;
            for (int a = 0; a < 3; a++) {
                twice[c] += b->mass[i] * b->velocity[i][a] * b->velocity[i][a];
                virial[c] -= b->mass[i] * b->position[i][a] * b->acceleration[i][a];
            }
        }
        for (int c = 0; c < 3; c++)
            twice[3] += twice[c], virial[3] += virial[c];
        print_message("# 2T/|sum m x.a|: %.4f %.4f %.4f, all %.4f\n", twice[0] / virial[0],
                      twice[1] / virial[1], twice[2] / virial[2], twice[3] / virial[3]);
        assert_between(twice[0] / virial[0], 0.97, 1.03);
        assert_between(twice[1] / virial[1], 0.98, 1.02);
        assert_between(twice[2] / virial[2], 0.95, 1.05);
        assert_between(twice[3] / virial[3], 0.98, 1.02);
        ky_snapshot_free(&s);
    }
}

/* Measures the half-mass radii of the components about the mean of the bulge, and the mean |z| of
 * the disk. */
static void measure(const struct ky_bodies *b, double size[4])
{
    double r[N], middle[3] = {0};
    for (size_t i = first_of[2]; i < N; i++)
        for (int k = 0; k < 3; k++)
            middle[k] += b->position[i][k] / (double)(N - first_of[2]);
    for (size_t i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            b->position[i][k] -= middle[k];
    for (int c = 0; c < 3; c++) {
        const size_t n = first_of[c + 1] - first_of[c];
        for (size_t i = 0; i < n; i++)
            r[i] = length_of(b->position[first_of[c] + i], 3);
        qsort(r, n, sizeof *r, ky_order_reals);
        size[c] = r[n / 2];
    }
    size[3] = 0;
    for (size_t i = first_of[1]; i < first_of[2]; i++)
        size[3] += fabs(b->position[i][2]) / (double)(first_of[2] - first_of[1]);
}

/* A time of 10 is two thirds of a turn at R = 1, and a third at R = 2. Bodies of the halo are five
 * times as heavy as bodies of the disk; with a large softening they heat the disk less. */
static void a_galaxy_lasts(void **state)
{
    (void)state;
    struct ky_snapshot s;
    struct ky_parameters p;
    struct ky_sim *sim = NULL;
    static const char *const own[] = {"halo-softening=0.4", NULL};
    double before[4], after[4];
    assert_ok(made(N, own, KY_SYMMETRIC, &s));
    measure(&s.bodies, before);
    ky_parameters_defaults(&p);
    p.engine = "cpu";
    p.force = KY_TREE;
    p.softening_kind = KY_SYMMETRIC;
    p.step = 0.125;
    assert_ok(ky_sim_open(&p, &s.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 80, &error));
    assert_ok(ky_sim_bodies(sim, &s.bodies, &error));
    ky_sim_close(sim);
    measure(&s.bodies, after);
    print_message("# half-mass radii and height after/before: %.3f %.3f %.3f %.3f\n",
                  after[0] / before[0], after[1] / before[1], after[2] / before[2],
                  after[3] / before[3]);
    assert_between(after[0] / before[0], 0.96, 1.04);
    assert_between(after[1] / before[1], 0.96, 1.04);
    assert_between(after[2] / before[2], 0.93, 1.07);
    assert_between(after[3] / before[3], 0.95, 1.3);
    ky_snapshot_free(&s);
}

static void few_bodies_and_wrong_shares(void **state)
{
    (void)state;
    static const char *const whole[] = {"disk-share=0.9", NULL},
                             *const thin[] = {"bulge-share=0.05", NULL},
                             *const bare[] = {"halo-mass=0", "bulge-mass=0", "q=0.5", NULL},
                             *const fat[] = {"q=50", NULL};
    struct ky_snapshot s;
    assert_int_equal(made(0, NULL, KY_PLUMMER, &s), KY_USAGE);
    assert_non_null(strstr(error.text, "number of bodies"));
    for (size_t n = 1; n < 5; n++) {
        assert_int_equal(made(n, NULL, KY_PLUMMER, &s), KY_USAGE);
        assert_non_null(strstr(error.text, "5 at least"));
    }
    assert_int_equal(made(5, thin, KY_PLUMMER, &s), KY_USAGE);
    assert_non_null(strstr(error.text, "too few for a galaxy: none of them is in the bulge"));
    assert_ok(made(5, NULL, KY_PLUMMER, &s));
    ky_snapshot_free(&s);
    assert_int_equal(made(100, whole, KY_PLUMMER, &s), KY_USAGE);
    assert_non_null(strstr(error.text, "halo"));
    assert_int_equal(made(100, fat, KY_PLUMMER, &s), KY_USAGE);
    assert_ok(made(6, bare, KY_PLUMMER, &s)); /* a disk alone */
    assert_true(s.bodies.type[0] == 2 && s.bodies.type[5] == 2);
    ky_snapshot_free(&s);
}

/* ---- cartwheel ---- */

enum { RINGS = 8 };

/* Counts the bodies of the disk in rings 0.1 wide about the axis. */
static void count_rings(const struct ky_bodies *b, double count[RINGS])
{
    double middle[2] = {0}, n = 0;
    for (size_t i = 0; i < b->n; i++)
        for (int k = 0; k < 2 && b->type[i] == 3; k++)
            middle[k] += b->position[i][k], n += 0.5;
    for (int k = 0; k < RINGS; k++)
        count[k] = 0;
    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->position[i];
        const double r = 10 * hypot(x[0] - middle[0] / n, x[1] - middle[1] / n);
        if (b->type[i] == 2 && r < RINGS)
            count[(int)r]++;
    }
}

/* The ring that has gained most; *contrast is its number of bodies over that at the start. */
static int densest(const struct ky_bodies *b, const double start[RINGS], double *contrast)
{
    double count[RINGS];
    int best = 0;
    count_rings(b, count);
    for (int k = 1; k < RINGS; k++)
        if (count[k] / start[k] > count[best] / start[best])
            best = k;
    *contrast = count[best] / start[best];
    return best;
}

static void a_ring_forms_and_grows(void **state)
{
    (void)state;
    struct ky_snapshot s;
    struct ky_parameters p;
    struct ky_model_parameters model;
    struct ky_sim *sim = NULL;
    double start[RINGS], contrast[2];
    int ring[2];
    ky_model_parameters_defaults(&model);
    assert_ok(ky_model_make("cartwheel", &model, &s, &error));
    assert_true(s.bodies.n == 18000 && s.softening == 0.01);
    assert_true(s.bodies.type[0] == 1 && s.bodies.type[17999] == 4);
    ky_snapshot_free(&s);
    model.n = 5000;
    assert_ok(ky_model_make("cartwheel", &model, &s, &error));
    count_rings(&s.bodies, start);
    ky_parameters_defaults(&p);
    p.engine = "cpu";
    p.force = KY_DIRECT;
    p.precision = KY_SINGLE;
    p.softening = 0.01;
    p.step = 1.0 / 128;
    assert_ok(ky_sim_open(&p, &s.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 112, &error));
    for (int k = 0; k < 2; k++) {
        assert_ok(ky_sim_advance(sim, 48, &error));
        assert_ok(ky_sim_bodies(sim, &s.bodies, &error));
        ring[k] = densest(&s.bodies, start, &contrast[k]);
        print_message("# a ring at %.2f, %.2f times as dense\n", 0.1 * ring[k] + 0.05, contrast[k]);
        assert_between(contrast[k], 2, 10);
    }
    assert_true(ring[1] > ring[0] && ring[0] > 1);
    ky_sim_close(sim);
    ky_snapshot_free(&s);
}

/* ---- merger ---- */

/* The time to the pericentre is ∫ dr/|dr/dt| from the pericentre to the start. */
static void the_time_to_the_pericentre_is_kepler_s(void **state)
{
    (void)state;
    static const double cases[][3] = {{1, 0.5, 2.5}, {1, 0.9, 10}, {2, 1, 9},
                                      {0, 1, 3},     {2, 3, 20},   {1, 1, 1.5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct ky_kepler orbit = {2.5, cases[k][0], cases[k][1], cases[k][2]};
        enum { STEPS = 20000 };
        const double length = sqrt(orbit.separation - orbit.pericentre);
        double time = 0, v[2], turned = 0;
        for (int i = 0; i < STEPS; i++) { /* r = q + s², which is smooth at both ends */
            struct ky_kepler at = orbit;
            const double s = length * (i + 0.5) / STEPS;
            at.separation += s * s - length * length;
            ky_kepler_velocity(&at, v);
            time += 2 * s * length / STEPS / -v[0];
            turned += 2 * s * length / STEPS / -v[0] * v[1] / at.separation;
        }
        assert_between(ky_kepler_time(&orbit) - time, -1e-5, 1e-5);
        const struct ky_kepler end = {2.5, cases[k][0], cases[k][1], cases[k][0]};
        assert_true(ky_kepler_time(&end) == 0);
        if (orbit.pericentre > 0)
            assert_between(ky_kepler_angle(&orbit) - turned, -1e-5, 1e-5);
    }
}

/* The spin of a disk is inclined to the spin of the orbit by the inclination. At the line of nodes
 * the orbit rises to the side of the disk's spin. */
static void a_tilt_is_that_of_toomre_and_toomre(void **state)
{
    (void)state;
    const double degree = acos(-1.0) / 180, angle = 1.3;
    double m[3][3];
    for (double i = 10; i < 180; i += 40)
        for (double omega = -150; omega < 180; omega += 60) {
            const double node = angle - omega * degree;
            ky_kepler_tilt(i, omega, angle, m);
            assert_between(m[2][2] - cos(i * degree), -1e-14, 1e-14);
            assert_between(m[0][2] * cos(node) + m[1][2] * sin(node), -1e-14, 1e-14);
            assert_between(m[1][2] * cos(node) - m[0][2] * sin(node) - sin(i * degree), -1e-14,
                           1e-14);
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    assert_between(m[0][j] * m[0][k] + m[1][j] * m[1][k] + m[2][j] * m[2][k] -
                                       (j == k),
                                   -1e-14, 1e-14);
        }
    ky_kepler_tilt(0, 70, angle, m);
    assert_true(m[0][0] == 1 && m[0][1] == 0 && m[1][2] == 0 && m[2][2] == 1);
}

struct system {
    double mass, x[3], v[3], spin[3], size; /* spin and size are the disk's */
    size_t count[6];
};

static struct system system_of(const struct ky_bodies *b, size_t first, size_t last)
{
    struct system s = {0};
    double disk = 0;
    for (size_t i = first; i < last; i++) {
        s.mass += b->mass[i];
        s.count[b->type[i]]++;
        for (int k = 0; k < 3; k++) {
            s.x[k] += b->mass[i] * b->position[i][k];
            s.v[k] += b->mass[i] * b->velocity[i][k];
        }
    }
    for (int k = 0; k < 3; k++)
        s.x[k] /= s.mass, s.v[k] /= s.mass;
    for (size_t i = first; i < last; i++) {
        double x[3], v[3];
        if (b->type[i] != 2)
            continue;
        for (int k = 0; k < 3; k++)
            x[k] = b->position[i][k] - s.x[k], v[k] = b->velocity[i][k] - s.v[k];
        for (int k = 0; k < 3; k++)
            s.spin[k] += x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3];
        s.size += length_of(x, 3);
        disk++;
    }
    const double spin = length_of(s.spin, 3);
    for (int k = 0; k < 3; k++)
        s.spin[k] /= spin;
    s.size /= disk;
    return s;
}

static void a_merger_is_on_its_parabola(void **state)
{
    (void)state;
    static const char *const turned[] = {"second-inclination=150", "pericentre=20", NULL};
    struct ky_snapshot s;
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    for (int other = 0; other < 2; other++) {
        if (other)
            parameters.n = 20002, parameters.options = turned;
        assert_ok(ky_model_make("merger", &parameters, &s, &error));
        const size_t n = s.bodies.n / 2;
        const struct system a = system_of(&s.bodies, 0, n), b = system_of(&s.bodies, n, 2 * n);
        if (!other) {
            assert_int_equal(n, 120001);
            assert_int_equal(a.count[1], 100000);
            assert_int_equal(a.count[2] + a.count[3], 20000);
            assert_int_equal(b.count[1], 100000);
        }
        assert_true(a.count[5] == 1 && b.count[5] == 1 && s.bodies.type[n - 1] == 5);
        assert_between(s.bodies.mass[n - 1] / (a.mass - s.bodies.mass[n - 1]), 0.2e-3 - 1e-9,
                       0.2e-3 + 1e-9);
        assert_between(a.mass / b.mass, 3 - 1e-9, 3 + 1e-9);
        assert_between(a.size / b.size, 0.98 * sqrt(3), 1.02 * sqrt(3));
        double d[3], w[3];
        for (int k = 0; k < 3; k++)
            d[k] = b.x[k] - a.x[k], w[k] = b.v[k] - a.v[k];
        const double gm = a.mass + b.mass, q = other ? 20 : 10;
        assert_between(length_of(d, 3), 185 - 1e-9, 185 + 1e-9);
        assert_between(length_of(w, 3) / sqrt(2 * gm / 185), 1 - 1e-9, 1 + 1e-9);
        assert_between((d[0] * w[1] - d[1] * w[0]) / sqrt(2 * gm * q), 1 - 1e-9, 1 + 1e-9);
        const double tilt = cos((other ? 150 : 60) * acos(-1.0) / 180);
        assert_between(a.spin[2] - sqrt(0.75), -0.01, 0.01);
        assert_between(b.spin[2] - tilt, -0.01, 0.01);
        assert_true(s.softening == 0.1 && s.units.g == 1 && s.units.velocity_cm_s == 1e7);
        for (size_t i = 0; i < 2 * n; i++)
            assert_true(s.bodies.id[i] == i);
        /* the black hole is in the middle of its bulge, at rest */
        const double *hole = s.bodies.position[n - 1];
        double r[3] = {hole[0] - a.x[0], hole[1] - a.x[1], hole[2] - a.x[2]};
        assert_between(length_of(r, 3), 0, 1);
        ky_snapshot_free(&s);
    }
    ky_units_preset("galaxy", &parameters.units, &error);
    assert_int_equal(ky_model_make("merger", &parameters, &s, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "merger has its own units"));
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median position of the bulge of the bodies first … last − 1. */
static void bulge_of(const struct ky_bodies *b, size_t first, size_t last, double middle[3])
{
    double one[200];
    for (int c = 0; c < 3; c++) {
        size_t count = 0;
        for (size_t i = first; i < last; i++)
            if (b->type[i] == 3)
                one[count++] = b->position[i][c];
        assert_true(count > 40 && count < 200);
        qsort(one, count, sizeof *one, ascending);
        middle[c] = one[count / 2];
    }
}

/* The first passage is at about 165, as for two points. The model is fitted to the second one, at
 * about 280. With so few bodies, and more softening, this is between 275 and 297, depending on the
 * seed. */
static void a_merger_passes_when_that_of_the_paper_does(void **state)
{
    (void)state;
    struct ky_snapshot s;
    struct ky_sim *sim;
    struct ky_parameters parameters;
    struct ky_model_parameters model;
    double passage[3] = {0}, least = HUGE_VAL;
    int passages = 0, near = 0;
    ky_model_parameters_defaults(&model);
    model.n = 3002;
    model.softening = 0.5;
    assert_ok(ky_model_make("merger", &model, &s, &error));
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.threads = 1;
    parameters.softening = s.softening;
    parameters.theta = 0.8;
    parameters.step = 0.25;
    assert_ok(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error));
    while (passages < 2 && ky_sim_time(sim) < 400) {
        double a[3], b[3];
        assert_ok(ky_sim_advance(sim, 4, &error));
        assert_ok(ky_sim_bodies(sim, &s.bodies, &error));
        bulge_of(&s.bodies, 0, s.bodies.n / 2, a);
        bulge_of(&s.bodies, s.bodies.n / 2, s.bodies.n, b);
        const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, now = length_of(d, 3);
        if (now > 20) {
            near = 0;
            least = now;
        } else if (now < least) {
            least = now;
            passage[passages] = ky_sim_time(sim);
        } else if (!near && now > least + 4) {
            near = 1; /* this passage is over */
            passages++;
        }
    }
    ky_sim_close(sim);
    ky_snapshot_free(&s);
    assert_between(passage[0], 160, 170);
    assert_between(passage[1], 260, 310);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_is_that_of_the_books),
        cmocka_unit_test(the_disk_is_stable_by_the_criteria),
        cmocka_unit_test(densities_are_those_that_are_promised),
        cmocka_unit_test(every_component_is_in_balance),
        cmocka_unit_test(a_galaxy_lasts),
        cmocka_unit_test(few_bodies_and_wrong_shares),
        cmocka_unit_test(a_ring_forms_and_grows),
        cmocka_unit_test(the_time_to_the_pericentre_is_kepler_s),
        cmocka_unit_test(a_tilt_is_that_of_toomre_and_toomre),
        cmocka_unit_test(a_merger_is_on_its_parabola),
        cmocka_unit_test(a_merger_passes_when_that_of_the_paper_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
