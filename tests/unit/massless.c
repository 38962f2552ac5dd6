/* Bodies without mass among others: they feel the others and exert nothing, and what has mass moves
 * as if they were not there. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clouds.h"
#include "engines.h"
#include "kernels.h"

enum { N = 3000, EACH = 3, SOURCES = N / EACH };
static struct ky_error error;

/* The force methods, and one that sums pairs both ways. */
static const struct method {
    int force, mutual, precision;
} methods[] = {{KY_DIRECT, 0, KY_SINGLE}, {KY_DIRECT, 0, KY_EXTENDED}, {KY_DIRECT, 0, KY_DOUBLE},
               {KY_WALK, 0, KY_SINGLE},   {KY_TREE, 0, KY_SINGLE},     {KY_TREE, 0, KY_DOUBLE},
               {KY_FMM, 0, KY_SINGLE},    {KY_FMM, 0, KY_DOUBLE},      {KY_FMM, 1, KY_SINGLE}};
enum { METHODS = sizeof methods / sizeof *methods };

static struct ky_parameters parameters_for(const char *engine, const struct method *method)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engine;
    parameters.force = method->force;
    parameters.mutual = method->mutual;
    parameters.precision = method->precision;
    parameters.softening = 0.01;
    return parameters;
}

/* One of EACH has mass. */
static struct ky_bodies mixed(void)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    assert_ok(ky_bodies_extend(&bodies, KY_WITH_SOFTENING, &error));
    cloud_softenings(bodies.softening, N);
    for (int i = 0; i < N; i++)
        bodies.mass[i] = i % EACH == 1 ? 1. / SOURCES : 0;
    return bodies;
}

/* Those with mass alone. */
static struct ky_bodies sources_of(const struct ky_bodies *bodies)
{
    struct ky_bodies sources;
    assert_ok(ky_bodies_allocate(
        &sources, SOURCES, KY_WITH_SOFTENING | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    for (int k = 0; k < SOURCES; k++) {
        const int i = EACH * k + 1;
        sources.mass[k] = bodies->mass[i];
        sources.softening[k] = bodies->softening[i];
        memcpy(sources.position[k], bodies->position[i], sizeof *sources.position);
        memcpy(sources.velocity[k], bodies->velocity[i], sizeof *sources.velocity);
    }
    return sources;
}

static void take_own_softenings(struct ky_bodies *bodies, int own)
{
    if (!own) {
        free(bodies->softening);
        bodies->softening = NULL;
    }
}

/* Sums in double over the bodies that act on place x, in the order of the bodies. */
static void sum_at(const struct ky_bodies *bodies, const struct ky_parameters *p, int i,
                   double sum[4])
{
    const int symmetric = p->softening_kind == KY_SYMMETRIC;
    memset(sum, 0, 4 * sizeof *sum);
    for (size_t j = 0; j < bodies->n; j++) {
        const double own = bodies->softening ? bodies->softening[i] : p->softening,
                     its = bodies->softening ? bodies->softening[j] : p->softening;
        double d[3], r2 = own * own + (symmetric ? its * its : 0);
        for (int c = 0; c < 3; c++) {
            d[c] = bodies->position[j][c] - bodies->position[i][c];
            r2 += d[c] * d[c];
        }
        if ((int)j == i || !(r2 > 0))
            continue;
        const double m = bodies->mass[j] / sqrt(r2);
        for (int c = 0; c < 3; c++)
            sum[c] += m / r2 * d[c];
        sum[3] -= m;
    }
}

/* The largest error of the massless bodies relative to the sums. */
static double worst_of(const struct ky_bodies *bodies, const struct ky_parameters *p)
{
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double sum[4], d2 = 0, a2 = 0;
        if (bodies->mass[i] > 0)
            continue;
        sum_at(bodies, p, i, sum);
        for (int c = 0; c < 3; c++) {
            d2 += (bodies->acceleration[i][c] - sum[c]) * (bodies->acceleration[i][c] - sum[c]);
            a2 += sum[c] * sum[c];
        }
        worst = fmax(worst, fmax(sqrt(d2 / a2), fabs(bodies->potential[i] / sum[3] - 1)));
    }
    return worst;
}

static int is_here(const struct method *method, int e)
{
    const struct ky_parameters parameters = parameters_for(engines[e].engine, method);
    return is_cpu_engine(e) || (!method->mutual && is_taken(&parameters));
}

static void massless_bodies_feel_the_others(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < 2 * METHODS; k++) {
            const struct method *method = &methods[k / 2];
            struct ky_parameters p = parameters_for(engines[e].engine, method);
            if (!is_here(method, e))
                continue;
            p.softening_kind = k % 2 ? KY_SYMMETRIC : KY_PLUMMER;
            struct ky_bodies bodies = mixed();
            take_own_softenings(&bodies, k % 2);
            if (k % 2)
                p.softening = (double)NAN;
            assert_ok(cloud_forces(&p, &bodies, NULL, NULL, &error));
            const double worst = worst_of(&bodies, &p);
            const double most = method->force == KY_DIRECT ? 2e-5 : 3e-2;
            if (!(worst <= most))
                fail_msg("%s, force %d, precision %d, own softenings %d: error %g", p.engine,
                         method->force, method->precision, k % 2, worst);
            ky_bodies_free(&bodies);
        }
}

/* Bit for bit, and each massless body is one sink of those that have mass. */
static void bodies_with_mass_do_not_notice_them(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        struct ky_parameters p = parameters_for("cpu", &methods[k]);
        struct ky_force_report all = {0}, alone = {0};
        struct ky_bodies bodies = mixed(), sources = sources_of(&bodies);
        take_own_softenings(&bodies, 0);
        take_own_softenings(&sources, 0);
        assert_ok(cloud_forces(&p, &bodies, NULL, &all, &error));
        assert_ok(cloud_forces(&p, &sources, NULL, &alone, &error));
        for (int i = 0; i < SOURCES; i++) {
            assert_memory_equal(bodies.acceleration[EACH * i + 1], sources.acceleration[i],
                                sizeof *sources.acceleration);
            assert_true(bodies.potential[EACH * i + 1] == sources.potential[i]);
        }
        const double more = all.body_interactions + all.cell_interactions -
                            alone.body_interactions - alone.cell_interactions,
                     each = more / (N - SOURCES);
        const double usual = (alone.body_interactions + alone.cell_interactions) / SOURCES;
        if (methods[k].force == KY_DIRECT)
            assert_true(each == SOURCES);
        else
            assert_between(each / usual, 0.2, methods[k].mutual ? 4 : 1.6);
        ky_bodies_free(&bodies);
        ky_bodies_free(&sources);
    }
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        struct ky_parameters p = parameters_for("cpu", &methods[k]);
        struct ky_bodies one = mixed(), three = mixed();
        p.softening_kind = KY_SYMMETRIC;
        p.softening = (double)NAN;
        p.threads = 1;
        assert_ok(cloud_forces(&p, &one, NULL, NULL, &error));
        p.threads = 3;
        assert_ok(cloud_forces(&p, &three, NULL, NULL, &error));
        assert_memory_equal(one.acceleration, three.acceleration, N * sizeof *one.acceleration);
        assert_memory_equal(one.potential, three.potential, N * sizeof *one.potential);
        ky_bodies_free(&one);
        ky_bodies_free(&three);
    }
}

/* ---- motion ---- */

static const struct motion {
    int integrator, force, precision; /* precision 0: by the integrator */
} motions[] = {{KY_LEAPFROG, KY_DIRECT, 0},        {KY_LEAPFROG, KY_TREE, 0},
               {KY_LEAPFROG, KY_FMM, 0},           {KY_BLOCK_STEPS, KY_DIRECT, 0},
               {KY_BLOCK_STEPS, KY_WALK, 0},       {KY_BLOCK_STEPS, KY_TREE, 0},
               {KY_BLOCK_STEPS, KY_FMM, 0},        {KY_HERMITE4, KY_DIRECT, KY_EXTENDED},
               {KY_HERMITE4, KY_DIRECT, KY_DOUBLE}};
enum { MOTIONS = sizeof motions / sizeof *motions };

static struct ky_parameters moving(const char *engine, const struct motion *motion)
{
    const struct method method = {
        motion->force, 0, motion->precision ? motion->precision : KY_PRECISION_BY_INTEGRATOR};
    struct ky_parameters p = parameters_for(engine, &method);
    p.integrator = motion->integrator;
    p.step = 0.0625;
    p.softening = 0.05;
    return p;
}

static struct ky_bodies after(const struct ky_parameters *p, const struct ky_bodies *from,
                              const char *save, struct ky_sums *sums)
{
    struct ky_sim *sim;
    struct ky_bodies found;
    assert_ok(
        ky_bodies_allocate(&found, from->n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
    assert_ok(ky_sim_open(p, from, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    if (save) {
        assert_ok(ky_sim_save(sim, save, &error));
        ky_sim_close(sim);
        assert_ok(ky_sim_restore(save, p, &sim, &error));
    }
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_bodies(sim, &found, &error));
    if (sums)
        assert_ok(ky_sim_sums(sim, sums, &error));
    ky_sim_close(sim);
    return found;
}

/* Devices lead blocks by some of the methods. */
static int is_led(int e, const struct motion *motion)
{
    const int led = motion->integrator == KY_LEAPFROG || motion->force != KY_WALK;
    return is_cpu_engine(e) || (led && (!is_slow(e) || motion->integrator != KY_LEAPFROG));
}

/* What a device does to each massless body is the same as what the CPU does. */
static void devices_move_them_as_the_cpu_does(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(e, 1)
    for (int k = 0; k < MOTIONS; k++) {
        const int exact = motions[k].force == KY_DIRECT;
        if (!is_led(e, &motions[k]))
            continue;
        struct ky_parameters p = moving(engines[e].engine, &motions[k]);
        struct ky_bodies bodies = mixed(), its = after(&p, &bodies, NULL, NULL);
        p.engine = "cpu";
        struct ky_bodies own = after(&p, &bodies, NULL, NULL);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 3; c++) {
                const double d = its.position[i][c] - own.position[i][c];
                if (!(fabs(d) <= (exact ? 1e-5 : 1e-2)))
                    fail_msg("%s, integrator %d, force %d, body %d: %g", engines[e].engine,
                             p.integrator, p.force, i, d);
            }
        ky_bodies_free(&bodies);
        ky_bodies_free(&own);
        ky_bodies_free(&its);
    }
}

/* On the CPU the bodies with mass have the same bits as without massless bodies. On devices the
 * number of sinks determines how exact sums are divided, so that last digits differ. */
static void motion_is_as_if_alone(int e, const struct motion *motion, double wide)
{
    const struct ky_parameters p = moving(engines[e].engine, motion);
    const int exact = motion->force == KY_DIRECT, same = is_cpu_engine(e);
    const double most = same ? 0 : !exact ? 1e-4 : motion->integrator == KY_HERMITE4 ? 1e-13 : 1e-6;
    struct ky_bodies bodies = mixed(), sources = sources_of(&bodies);
    struct ky_sums all = {0}, its = {0};
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] *= bodies.mass[i] > 0 ? 1 : wide;
    struct ky_bodies with = after(&p, &bodies, NULL, &all), alone = after(&p, &sources, NULL, &its);
    for (int i = 0; i < SOURCES; i++)
        for (int c = 0; c < 3; c++) {
            const double d = fmax(fabs(with.position[EACH * i + 1][c] - alone.position[i][c]),
                                  fabs(with.velocity[EACH * i + 1][c] - alone.velocity[i][c]));
            if (!(d <= most))
                fail_msg("%s, integrator %d, force %d: %g", p.engine, p.integrator, p.force, d);
        }
    assert_true(!same || fabs(all.potential / its.potential - 1) < 1e-12);
    assert_between(all.potential / its.potential, 1 - 1e-5, 1 + 1e-5);
    assert_between(all.kinetic / its.kinetic, 1 - 1e-6, 1 + 1e-6);
    ky_bodies_free(&bodies);
    ky_bodies_free(&sources);
    ky_bodies_free(&with);
    ky_bodies_free(&alone);
}

static void what_has_mass_moves_as_if_alone(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count * MOTIONS; k++)
        if (is_cpu_engine(k / MOTIONS) || motions[k % MOTIONS].force == KY_DIRECT)
            for (int wide = 1; wide <= 20; wide += 19) /* 20: a halo of tracers */
                motion_is_as_if_alone(k / MOTIONS, &motions[k % MOTIONS], wide);
}

/* Bit for bit, with trees that stay for some blocks. */
static void a_run_goes_on_from_its_restart_file(void **state)
{
    (void)state;
    char path[] = "/tmp/kyoho-massless-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < MOTIONS; k++) {
            const struct ky_parameters p = moving(engines[e].engine, &motions[k]);
            if (!is_led(e, &motions[k]))
                continue;
            struct ky_bodies bodies = mixed(), through = after(&p, &bodies, NULL, NULL),
                             over = after(&p, &bodies, path, NULL);
            assert_memory_equal(through.position, over.position, N * sizeof *over.position);
            assert_memory_equal(through.velocity, over.velocity, N * sizeof *over.velocity);
            assert_memory_equal(through.acceleration, over.acceleration, N * sizeof *over.position);
            ky_bodies_free(&bodies);
            ky_bodies_free(&through);
            ky_bodies_free(&over);
        }
    unlink(path);
}

/* Scales, centre, softening and step, also where the step follows the nearest pair. */
static void they_do_not_count_in_scales(void **state)
{
    (void)state;
    struct ky_bodies bodies = mixed(), sources = sources_of(&bodies);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3 && bodies.mass[i] <= 0; c++) {
            bodies.position[i][c] = 1.001 * bodies.position[i / EACH * EACH + 1][c];
            bodies.velocity[i][c] = 3;
        }
    for (int k = 0; k < 2; k++) {
        struct ky_scales with = {0}, alone = {0};
        const double softening = k ? 0 : (double)NAN;
        assert_ok(ky_system_scales(&bodies, 1, softening, &with, &error));
        assert_ok(ky_system_scales(&sources, 1, softening, &alone, &error));
        assert_memory_equal(with.centre, alone.centre, sizeof with.centre);
        assert_true(with.softening == alone.softening && with.step == alone.step);
        assert_true(with.half_mass_radius == alone.half_mass_radius && with.step > 0);
        assert_between(with.speed / alone.speed, 1 - 1e-12, 1 + 1e-12);
    }
    ky_bodies_free(&bodies);
    ky_bodies_free(&sources);
}

/* All massless: nothing acts but a field. */
static void a_field_moves_bodies_none_of_which_has_mass(void **state)
{
    (void)state;
    for (int e = 0; e < engine_count; e++)
        for (int k = 0; k < MOTIONS; k++) {
            if (!is_led(e, &motions[k]))
                continue;
            struct ky_parameters p = moving(engines[e].engine, &motions[k]);
            struct ky_bodies bodies = mixed();
            struct ky_sums sums = {0};
            p.field = "logarithmic:speed=1,core=0.5";
            memset(bodies.mass, 0, N * sizeof *bodies.mass);
            struct ky_bodies found = after(&p, &bodies, NULL, &sums);
            for (int i = 0; i < N; i += 100) {
                double r2 = 0.25;
                for (int c = 0; c < 3; c++)
                    r2 += found.position[i][c] * found.position[i][c];
                for (int c = 0; c < 3; c++)
                    assert_between(found.acceleration[i][c] + found.position[i][c] / r2, -1e-5,
                                   1e-5);
                assert_true(found.potential[i] == 0);
            }
            assert_true(sums.kinetic == 0 && sums.potential == 0 && sums.external == 0);
            ky_bodies_free(&bodies);
            ky_bodies_free(&found);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(massless_bodies_feel_the_others),
        cmocka_unit_test(bodies_with_mass_do_not_notice_them),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(what_has_mass_moves_as_if_alone),
        cmocka_unit_test(devices_move_them_as_the_cpu_does),
        cmocka_unit_test(a_run_goes_on_from_its_restart_file),
        cmocka_unit_test(they_do_not_count_in_scales),
        cmocka_unit_test(a_field_moves_bodies_none_of_which_has_mass),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
