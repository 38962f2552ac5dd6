/* The integrator and the engine. Leap-frog steps do not wait for a device, and have the same bits
 * in any number of calls. Columns of an integrator go to the engine and into restart files. */
#include "test.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "clouds.h"
#include "engine/common/integrator_columns.h"
#include "engines.h"
#include "simulation/sim.h"

enum { N = 300, TICKS = 12 };
static struct ky_error error;

static struct ky_parameters parameters_of(int engine, int force)
{
    struct ky_parameters given, parameters;
    ky_parameters_defaults(&given);
    given.engine = engines[engine].engine;
    given.force = force;
    given.softening = 0.05;
    given.step = 1.0 / 64;
    assert_ok(ky_parameters_resolve(&given, &parameters, &error));
    return parameters;
}

/* A driver that counts the calls that wait for its device. */
static const struct ky_driver *sound;
static struct ky_driver counting;
static int waits;

static enum ky_status counted_wait(struct ky_card *card, struct ky_error *why)
{
    waits++;
    return sound->wait(card, why);
}

static enum ky_status counted_reach(struct ky_card *card, int mark, struct ky_error *why)
{
    waits++;
    return sound->reach(card, mark, why);
}

static enum ky_status counted_read(struct ky_card *card, const struct ky_buffer *buffer,
                                   size_t offset, void *data, size_t bytes, struct ky_error *why)
{
    waits++;
    return sound->read(card, buffer, offset, data, bytes, why);
}

static enum ky_status counted_open(size_t index, struct ky_card **card, struct ky_error *why)
{
    enum ky_status status = sound->open(index, card, why);
    if (!status)
        (*card)->driver = &counting;
    return status;
}

static const struct ky_driver *count_waits(const struct ky_driver *driver)
{
    counting = *(sound = driver);
    counting.open = counted_open;
    counting.wait = counted_wait;
    counting.reach = counted_reach;
    counting.read = counted_read;
    return &counting;
}

struct end {
    struct ky_bodies bodies;
    struct ky_integrator_report report;
};

/* TICKS steps, `piece` of them a call. */
static struct end run(const struct ky_parameters *parameters, uint64_t piece)
{
    struct end end = {.bodies = cloud_make(PLUMMER, N)};
    struct ky_integrator_state *integrator;
    struct ky_engine *engine;
    ky_device_wrap = count_waits;
    assert_ok(ky_engine_open(parameters, N, &engine, &error));
    ky_device_wrap = NULL;
    assert_ok(ky_engine_put(engine, &end.bodies, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_integrator_create(engine, N, parameters, &integrator, &error));
    waits = 0;
    for (uint64_t tick = 0; tick < TICKS; tick += piece)
        assert_ok(integrator->verbs->advance(integrator, piece, &error));
    if (parameters->force == KY_DIRECT) /* with trees the host reads the number of cells */
        assert_int_equal(waits, 0);
    assert_ok(ky_engine_get(engine, &end.bodies, &error));
    integrator->verbs->report(integrator, &end.report);
    ky_integrator_free(integrator);
    ky_engine_close(engine);
    return end;
}

static void assert_same(const struct end *a, const struct end *b)
{
    assert_memory_equal(a->bodies.position, b->bodies.position, N * sizeof *a->bodies.position);
    assert_memory_equal(a->bodies.velocity, b->bodies.velocity, N * sizeof *a->bodies.velocity);
    assert_memory_equal(a->bodies.acceleration, b->bodies.acceleration,
                        N * sizeof *a->bodies.acceleration);
    assert_memory_equal(a->bodies.potential, b->bodies.potential, N * sizeof *a->bodies.potential);
    assert_int_equal(a->report.steps, b->report.steps);
    assert_true(a->report.body_steps == b->report.body_steps);
}

static void same_bits_however_cut(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_WALK, KY_LIST, KY_TREE, KY_FMM};
    static const uint64_t pieces[] = {1, 4};
    for (int k = 0; k < 5 * engine_count; k++) {
        if (forces[k % 5] == KY_LIST && is_cpu_engine(k / 5))
            continue;
        const struct ky_parameters parameters = parameters_of(k / 5, forces[k % 5]);
        struct end whole = run(&parameters, TICKS);
        assert_int_equal(whole.report.steps, TICKS);
        assert_true(whole.report.body_steps == (double)TICKS * N);
        for (int p = 0; p < 2; p++) {
            struct end other = run(&parameters, pieces[p]);
            assert_same(&whole, &other);
            ky_bodies_free(&other.bodies);
        }
        ky_bodies_free(&whole.bodies);
    }
}

/* ---- columns ---- */

enum { BOTH = 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK };

/* Numbers that every engine holds to the last bit, up to MOST of them. */
enum { MOST = 1024 };
static double *numbers_of(size_t n, size_t components)
{
    double *x = calloc(MOST, sizeof *x);
    assert_true(n * components <= MOST);
    for (size_t k = 0; k < n * components; k++)
        x[k] = 0.25 * (double)k - 10;
    return x;
}

static void assert_column(struct ky_engine *engine, enum ky_column column, size_t n,
                          const double *expected)
{
    const size_t numbers = n * ky_columns[column].components;
    double *x = calloc(numbers + 1, sizeof *x);
    assert_ok(ky_engine_get_column(engine, column, x, &error));
    for (size_t k = 0; k < numbers; k++)
        assert_true(x[k] == (expected ? expected[k] : 0));
    free(x);
}

static void columns_stay_until_there_are_other_bodies(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 257};
    for (int k = 0; k < 4 * engine_count; k++) {
        const size_t n = sizes[k % 4];
        const struct ky_parameters parameters = parameters_of(k / 4, KY_DIRECT);
        struct ky_bodies bodies = cloud_make(PLUMMER, n), more = cloud_make(PLUMMER, n + 3);
        double *step = numbers_of(n, 1), *jerk = numbers_of(n, 3);
        struct ky_engine *engine;
        assert_ok(ky_engine_open(&parameters, n, &engine, &error));
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_int_equal(ky_engine_get_column(engine, KY_COLUMN_STEP, step, &error), KY_USAGE);
        assert_int_equal(ky_engine_put_column(engine, KY_COLUMN_JERK, jerk, &error), KY_USAGE);
        assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_STEP, &error));
        assert_column(engine, KY_COLUMN_STEP, n, NULL);
        assert_ok(ky_engine_put_column(engine, KY_COLUMN_STEP, step, &error));
        assert_ok(ky_engine_columns(engine, BOTH, &error));
        assert_column(engine, KY_COLUMN_STEP, n, step);
        assert_column(engine, KY_COLUMN_JERK, n, NULL);
        assert_ok(ky_engine_put_column(engine, KY_COLUMN_JERK, jerk, &error));
        assert_ok(ky_engine_forces(engine, &error));
        assert_ok(ky_engine_drift(engine, 0.1, &error));
        assert_column(engine, KY_COLUMN_STEP, n, step);
        assert_column(engine, KY_COLUMN_JERK, n, jerk);
        assert_ok(ky_engine_put(engine, &bodies, &error));
        assert_column(engine, KY_COLUMN_JERK, n, NULL);
        assert_ok(ky_engine_resize(engine, n + 3, &error));
        assert_ok(ky_engine_put(engine, &more, &error));
        assert_column(engine, KY_COLUMN_STEP, n + 3, NULL);
        assert_ok(ky_engine_columns(engine, 1U << KY_COLUMN_JERK, &error));
        assert_int_equal(ky_engine_put_column(engine, KY_COLUMN_STEP, step, &error), KY_USAGE);
        ky_engine_close(engine);
        free(step);
        free(jerk);
        ky_bodies_free(&bodies);
        ky_bodies_free(&more);
    }
}

static void columns_count_as_memory(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        const struct ky_parameters parameters = parameters_of(k, KY_DIRECT);
        struct ky_memory none, both;
        struct ky_engine *engine;
        assert_ok(ky_engine_open(&parameters, 0, &engine, &error));
        ky_engine_memory(engine, 0, 1000, 0, &none);
        ky_engine_memory(engine, BOTH, 1000, 0, &both);
        ky_engine_close(engine);
        assert_true(both.host + both.device - none.host - none.device == 32 * 1000);
        assert_true(is_cpu_engine(k) == (both.device == none.device));
    }
}

/* A simulation whose integrator wants both columns. */
static struct ky_integrator_verbs wanting;
static void want_columns(struct ky_sim *sim)
{
    wanting = *sim->integrator->verbs;
    wanting.columns = BOTH;
    sim->integrator->verbs = &wanting;
    assert_ok(ky_engine_columns(sim->engine, BOTH, &error));
}

static void columns_in_restart_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/kyoho-columns-XXXXXX", path[64], previous[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/restart.kyo", folder);
    snprintf(previous, sizeof previous, "%s.previous", path);
    for (int k = 0; k < engine_count; k++) {
        const struct ky_parameters parameters = parameters_of(k, KY_DIRECT);
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        struct ky_restart file;
        struct ky_sim *sim, *back;
        double *step = numbers_of(N, 1), *jerk = numbers_of(N, 3);
        for (int i = 0; i < N; i++)
            step[i] = ldexp(parameters.step, -(i % 9)); /* other steps are refused */
        assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
        assert_ok(ky_sim_save(sim, path, &error)); /* a file without columns */
        assert_ok(ky_restart_read(path, &file, NULL, &error));
        assert_null(ky_restart_find(&file, "jerk"));
        want_columns(sim);
        assert_ok(ky_engine_put_column(sim->engine, KY_COLUMN_STEP, step, &error));
        assert_ok(ky_engine_put_column(sim->engine, KY_COLUMN_JERK, jerk, &error));
        assert_ok(ky_sim_restore_columns(sim, &file, &error)); /* its columns stay */
        assert_column(sim->engine, KY_COLUMN_JERK, N, jerk);
        ky_restart_free(&file);

        assert_ok(ky_sim_save(sim, path, &error));
        assert_ok(ky_sim_restore(path, &parameters, &back, &error)); /* its integrator wants none */
        assert_int_equal(ky_engine_get_column(back->engine, KY_COLUMN_STEP, step, &error),
                         KY_USAGE);
        want_columns(back);
        assert_column(back->engine, KY_COLUMN_STEP, N, NULL);
        assert_ok(ky_restart_read(path, &file, NULL, &error));
        assert_ok(ky_sim_restore_columns(back, &file, &error));
        assert_column(back->engine, KY_COLUMN_STEP, N, step);
        assert_column(back->engine, KY_COLUMN_JERK, N, jerk);
        file.section[2].bytes -= 8; /* a column, after the sections of clock and integrator */
        assert_int_equal(ky_sim_restore_columns(back, &file, &error), KY_BAD_DATA);
        ky_restart_free(&file);
        ky_sim_close(sim);
        ky_sim_close(back);
        free(step);
        free(jerk);
        ky_bodies_free(&bodies);
        remove(path);
        remove(previous);
    }
    remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_however_cut),
        cmocka_unit_test(columns_stay_until_there_are_other_bodies),
        cmocka_unit_test(columns_count_as_memory),
        cmocka_unit_test(columns_in_restart_files),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
