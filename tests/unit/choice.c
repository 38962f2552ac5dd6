/* The engine that `auto` takes: the crossover in the number of bodies, engines that cannot do the
 * work, and runs, which keep the engine that was chosen. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "engines.h"

#include "base/threads.h"
#include "engine/choice.h"
#include "engine/common/force_kinds.h"
#include "engine/force_options.h"
#include "integrate/integrate.h"
#include "simulation/sim.h"

/* ---- the crossover ---- */

static const int forces[] = {KY_DIRECT, KY_WALK, KY_LIST, KY_TREE};
enum { FORCES = sizeof forces / sizeof *forces };

static void crossovers(void **state)
{
    (void)state;
    for (int f = 0; f < FORCES; f++)
        assert_between(ky_force_kind(forces[f])->crossover, 64, 1024);
    assert_true(ky_force_kind(KY_DIRECT)->crossover < ky_force_kind(KY_TREE)->crossover);
    assert_true(isinf(ky_force_kind(-1)->crossover) && isinf(ky_force_kind(1000)->crossover));
}

/* ---- engines that only pretend ---- */

enum { CPU, CUDA, OPENCL, KINDS };
static struct fake {
    enum ky_status status; /* the result of open */
    int opened, closed;
} fakes[KINDS];
static const struct ky_engine_verbs *const list[KINDS];

static enum ky_status fake_open(int kind, struct ky_engine **engine, struct ky_error *error)
{
    static struct ky_engine opened[KINDS];
    *engine = NULL;
    if (fakes[kind].status)
        return ky_fail(error, fakes[kind].status, "no fake %d", kind);
    fakes[kind].opened++;
    opened[kind].verbs = list[(kind + KINDS - 1) % KINDS];
    snprintf(opened[kind].name, sizeof opened[kind].name, "fake:%d", kind);
    *engine = &opened[kind];
    return KY_OK;
}

static void fake_close(struct ky_engine *engine)
{
    fakes[engine->name[5] - '0'].closed++;
}

static void fake_report(struct ky_engine *engine, struct ky_force_report *report)
{
    (void)engine;
    snprintf(report->device, sizeof report->device, "a fake");
}

static enum ky_status fake_advance(struct ky_engine *engine, struct ky_advance *advance,
                                   struct ky_error *error)
{
    (void)engine;
    (void)advance;
    (void)error;
    return KY_OK;
}

static unsigned more_schemes;

static unsigned block_steps(const struct ky_engine *engine)
{
    (void)engine;
    return 1U << KY_SCHEME_BLOCK | more_schemes;
}

static enum ky_status fake_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                                struct ky_error *error)
{
    (void)engine;
    (void)request;
    (void)error;
    return KY_OK;
}

#define FAKE(kind, ...)                                                                            \
    static enum ky_status open_##kind(const struct ky_parameters *parameters, size_t room,         \
                                      const struct ky_engine_use *use, struct ky_engine **engine,  \
                                      struct ky_error *error)                                      \
    {                                                                                              \
        (void)parameters;                                                                          \
        (void)room;                                                                                \
        (void)use;                                                                                 \
        return fake_open(kind, engine, error);                                                     \
    }                                                                                              \
    static const struct ky_engine_verbs fake_##kind = {.name = #kind,                              \
                                                       .open = open_##kind,                        \
                                                       .close = fake_close,                        \
                                                       .report = fake_report,                      \
                                                       __VA_ARGS__}
FAKE(CPU, .advance = fake_advance, .schemes = block_steps, .walk = fake_walk);
FAKE(CUDA, .advance = NULL);
FAKE(OPENCL, .advance = fake_advance, .schemes = block_steps);
static const struct ky_engine_verbs *const list[KINDS] = {&fake_CUDA, &fake_OPENCL, &fake_CPU};

static char told[1024], warned[1024];
static int isa;

static void take_line(void *context, enum ky_log_level level, const char *line)
{
    (void)context;
    if (level == KY_LOG_INFO)
        snprintf(told, sizeof told, "%s", line);
    if (level == KY_LOG_WARNING)
        snprintf(warned, sizeof warned, "%s", line);
}

/* The kind that `auto` takes, or −1. */
static int chosen(int force, int threads, struct ky_engine_use use, struct ky_error *error)
{
    struct ky_parameters p;
    struct ky_engine *engine;
    ky_parameters_defaults(&p);
    p.force = force;
    p.threads = threads;
    p.isa = isa;
    p.log = take_line;
    told[0] = warned[0] = '\0';
    for (int k = 0; k < KINDS; k++)
        fakes[k].opened = fakes[k].closed = 0;
    const enum ky_status status = ky_engine_open_best(list, KINDS, &p, use.n, &use, &engine, error);
    int taken = -1, still = 0;
    for (int k = 0; k < KINDS; k++) {
        still += fakes[k].opened - fakes[k].closed;
        if (fakes[k].opened > fakes[k].closed)
            taken = k;
    }
    assert_int_equal(still, status == KY_OK); /* engines that are not taken are closed */
    assert_int_equal(engine != NULL, status == KY_OK);
    return taken;
}

static void reset(enum ky_status cpu, enum ky_status cuda, enum ky_status opencl)
{
    fakes[CPU].status = cpu;
    fakes[CUDA].status = cuda;
    fakes[OPENCL].status = opencl;
}

static void the_faster_one_is_taken(void **state)
{
    (void)state;
    struct ky_error error = {0};
    reset(KY_OK, KY_OK, KY_OK);
    for (int f = 0; f < FORCES; f++)
        for (int threads = 1; threads <= 16; threads *= 4) {
            const size_t n = (size_t)ceil(ky_force_kind(forces[f])->crossover);
            const size_t numbers[] = {0, n - 1, n, n + 1, 2000000000};
            for (int k = 0; k < 5; k++) {
                const struct ky_engine_use use = {.n = numbers[k]};
                assert_int_equal(chosen(forces[f], threads, use, &error),
                                 numbers[k] < n ? CPU : CUDA);
                assert_int_equal(fakes[CUDA].opened, numbers[k] >= n); /* no needless opening */
            }
        }
    more_schemes = 1U << KY_SCHEME_HERMITE; /* block steps, where few bodies move at a time */
    for (size_t n = 499; n < 501; n++) {
        const struct ky_engine_use hermite = {.n = n, .schemes = more_schemes};
        assert_int_equal(chosen(KY_DIRECT, 16, hermite, &error), n < 500 ? CPU : OPENCL);
        assert_int_equal(strstr(told, "a GPU is faster from about 500 bodies on") != NULL,
                         n == 500);
    }
    more_schemes = 0;
    chosen(KY_TREE, 16, (struct ky_engine_use){.n = 300}, &error);
    assert_string_equal(told, "engine fake:0 (a fake) for 300 bodies");
}

/* An instruction set of the CPU does not decide, and a warning says where it has no effect. */
static void an_instruction_set_is_for_the_cpu(void **state)
{
    (void)state;
    struct ky_error error;
    reset(KY_OK, KY_OK, KY_OK);
    for (isa = KY_ISA_AUTO; isa <= KY_ISA_PLAIN; isa++)
        for (size_t n = 10; n <= 1000000; n *= 100000) {
            const int taken = chosen(KY_DIRECT, 1, (struct ky_engine_use){.n = n}, &error);
            assert_int_equal(taken, n > 10 ? CUDA : CPU);
            assert_int_equal(strstr(warned, "--isa has no effect on engine fake:1") != NULL,
                             taken == CUDA && isa == KY_ISA_PLAIN);
        }
    isa = KY_ISA_AUTO;
}

static void engines_that_cannot_do_the_work_are_passed_over(void **state)
{
    (void)state;
    struct ky_error error = {0};
    const struct ky_engine_use many = {.n = 1000000}, few = {.n = 10},
                               blocks = {.n = 1000000, .schemes = 1U << KY_SCHEME_BLOCK},
                               walk = {.n = 1000000, .walk = 1};
    reset(KY_OK, KY_OK, KY_OK);
    assert_int_equal(chosen(KY_TREE, 2, blocks, &error), OPENCL);
    assert_non_null(strstr(told, "; but engine CUDA cannot lead block steps with this force"));
    const struct ky_engine_use hermite = {.n = 1000000, .schemes = 1U << KY_SCHEME_HERMITE};
    assert_int_equal(chosen(KY_TREE, 2, hermite, &error), -1);
    assert_string_equal(error.text, "engine CPU cannot lead Hermite steps with this force");
    assert_int_equal(chosen(KY_TREE, 2, walk, &error), CPU);
    assert_non_null(strstr(told, "; but engine CUDA has no general walk"));
    reset(KY_OK, KY_UNSUPPORTED, KY_DEVICE);
    assert_int_equal(chosen(KY_TREE, 2, many, &error), CPU);
    assert_non_null(strstr(told, "a GPU is faster"));
    assert_non_null(strstr(told, "; but no fake 2"));
    reset(KY_OK, KY_UNSUPPORTED, KY_UNSUPPORTED); /* without a GPU there is no word of it */
    assert_int_equal(chosen(KY_TREE, 2, many, &error), CPU);
    assert_null(strstr(told, "GPU"));
    reset(KY_UNSUPPORTED, KY_UNSUPPORTED, KY_OK);
    assert_int_equal(chosen(KY_LIST, 2, few, &error), OPENCL);
    assert_null(strstr(told, "; but"));
    reset(KY_USAGE, KY_UNSUPPORTED, KY_DEVICE); /* the user is told the CPU's reason */
    assert_int_equal(chosen(KY_TREE, 2, many, &error), -1);
    assert_string_equal(error.text, "no fake 0");
    assert_int_equal(chosen(KY_TREE, 2, few, &error), -1);
    assert_string_equal(error.text, "no fake 0");
}

static void a_build_without_devices(void **state)
{
    (void)state;
    static const struct ky_engine_verbs *const alone[] = {&fake_CPU};
    static const size_t numbers[] = {10, 1000000};
    struct ky_error error = {0};
    struct ky_parameters p;
    reset(KY_OK, KY_OK, KY_OK);
    ky_parameters_defaults(&p);
    p.log = take_line;
    p.threads = 2;
    for (int k = 0; k < 2; k++) {
        const struct ky_engine_use use = {.n = numbers[k]};
        struct ky_engine *engine;
        assert_ok(ky_engine_open_best(alone, 1, &p, use.n, &use, &engine, &error));
        assert_ptr_equal(engine->verbs, &fake_CPU);
        assert_null(strstr(told, "GPU"));
        fake_close(engine);
    }
}

/* ---- engines of this machine ---- */

/* The first engine that is not the CPU, whatever the number of bodies; else the CPU engine. */
static const char *fastest(void)
{
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k) && !is_slow(k))
            return engines[k].engine;
    return "cpu";
}

static void engines_of_this_machine(void **state)
{
    (void)state;
    if (getenv("KYOHO_TEST_ENGINE"))
        skip(); /* this test is about all engines */
    static const int kinds[] = {KY_LEAPFROG, KY_BLOCK_STEPS};
    struct ky_error error = {0};
    for (int k = 0; k < 4; k++) {
        struct ky_parameters p, resolved;
        struct ky_engine *engine;
        ky_parameters_defaults(&p);
        p.force = k < 2 ? KY_TREE : KY_DIRECT;
        p.integrator = kinds[k % 2];
        p.threads = 2;
        const size_t many = (size_t)ky_force_kind(p.force)->crossover, few = many - 1;
        assert_ok(ky_parameters_resolve(&p, &resolved, &error));
        assert_ok(ky_integrator_engine(&resolved, 100000000, 0, &engine, &error));
        assert_string_equal(engine->name, fastest());
        assert_int_equal(engine->n, 0);
        ky_engine_close(engine);
        assert_ok(ky_integrator_engine(&resolved, many, many, &engine, &error));
        assert_string_equal(engine->name, fastest());
        ky_engine_close(engine);
        assert_ok(ky_integrator_engine(&resolved, few, few, &engine, &error));
        assert_string_equal(engine->name, "cpu");
        ky_engine_close(engine);
    }
}

/* `auto` knows the number of bodies and the work. It must not refuse work that one of the engines
 * can do. */
static void auto_leads_blocks_with_every_force(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const int with[] = {KY_DIRECT, KY_WALK, KY_TREE};
    for (int k = 0; k < 3; k++) {
        struct ky_parameters p, resolved;
        struct ky_engine *engine;
        ky_parameters_defaults(&p);
        p.force = with[k];
        p.integrator = KY_BLOCK_STEPS;
        assert_ok(ky_parameters_resolve(&p, &resolved, &error));
        assert_ok(ky_integrator_engine(&resolved, 1000000, 0, &engine, &error));
        assert_true(ky_engine_advances(engine, KY_SCHEME_BLOCK));
        ky_engine_close(engine);
    }
}

/* ---- a restart ---- */

static void a_simulation_keeps_its_engine(void **state)
{
    (void)state;
    char path[] = "/tmp/kyoho_choice_XXXXXX";
    struct ky_error error = {0};
    struct ky_sim *sim, *again;
    double position[2][3] = {{0}, {1}}, velocity[2][3] = {{0}}, mass[2] = {1, 1};
    const struct ky_bodies bodies = {
        .n = 2, .position = position, .velocity = velocity, .mass = mass};
    close(mkstemp(path));
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters p;
        ky_parameters_defaults(&p);
        p.softening = 0.1;
        p.step = 0.125;
        p.engine = is_cpu_engine(k) ? "auto" : engines[k].engine;
        assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
        assert_string_equal(sim->parameters.engine, engines[k].engine);
        assert_string_equal(sim->engine->name, engines[k].engine);
        assert_ok(ky_sim_save(sim, path, &error));
        ky_parameters_defaults(&p);
        p.engine = "auto";
        assert_ok(ky_sim_restore(path, &p, &again, &error));
        assert_string_equal(again->parameters.engine, engines[k].engine);
        assert_string_equal(again->engine->name, engines[k].engine);
        ky_sim_close(again);
        ky_sim_close(sim);
    }
    unlink(path);
}

/* A force whose number is beyond the tables of methods and costs is refused. */
static void a_force_that_nobody_knows(void **state)
{
    (void)state;
    static const int unknown[] = {-1, KY_FMM + 1, 1000};
    struct ky_error error = {0};
    struct ky_engine *engine;
    for (int f = 0; f < 3; f++)
        for (int k = -1; k < engine_count; k++) {
            struct ky_parameters p;
            ky_parameters_defaults(&p);
            p.engine = k < 0 ? "auto" : engines[k].engine;
            assert_ok(ky_force_resolve(&p, &p, &error));
            p.force = unknown[f];
            assert_int_equal(ky_engine_open(&p, 10, &engine, &error), KY_UNSUPPORTED);
            assert_null(engine);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossovers),
        cmocka_unit_test(the_faster_one_is_taken),
        cmocka_unit_test(an_instruction_set_is_for_the_cpu),
        cmocka_unit_test(engines_that_cannot_do_the_work_are_passed_over),
        cmocka_unit_test(a_build_without_devices),
        cmocka_unit_test(engines_of_this_machine),
        cmocka_unit_test(auto_leads_blocks_with_every_force),
        cmocka_unit_test(a_force_that_nobody_knows),
        cmocka_unit_test(a_simulation_keeps_its_engine),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
