/* Parameters of a simulation: as text, as resolved, and changed between two steps. */
#include "snapshot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engines.h"
#include "sims.h"

enum { N = 300, TEXT = 200 };
static struct ky_error error;

static struct ky_bodies state_of(struct ky_sim *sim)
{
    return sim_state(sim, KY_WITH_ACCELERATION);
}

/* ---- text ---- */

/* A value of each option that is not its default. */
static void other_value(const struct ky_option_about *about, char text[TEXT])
{
    const char *bar = about->choices ? strrchr(about->choices, '|') : NULL;
    if (about->kind == KY_IS_CHOICE)
        snprintf(text, TEXT, "%s", bar + 1);
    else if (about->kind == KY_IS_REAL)
        snprintf(text, TEXT, "%s", "0.1234567890123456");
    else if (about->kind == KY_IS_INTEGER)
        snprintf(text, TEXT, "%s", about->initial && !strcmp(about->initial, "2") ? "1" : "2");
    else if (about->kind == KY_IS_FLAG)
        snprintf(text, TEXT, "yes");
    else
        snprintf(text, TEXT, "plummer:mass=1,scale=%0100d", 1);
}

static int is_of_parameters(const struct ky_option_about *about)
{
    return strcmp(about->section, "run") != 0;
}

/* ky_parameters_set takes the text that ky_parameters_get gives. Both do the same with an older
 * struct. */
static void every_parameter_goes_round(void **state)
{
    (void)state;
    struct ky_option_about about = {0};
    struct ky_parameters one, other;
    char given[TEXT], text[TEXT], again[TEXT];
    ky_parameters_defaults(&one);
    ky_parameters_defaults(&other);
    int count = 0;
    for (size_t k = 0; ky_option_get(k, &about) == KY_OK; k++) {
        if (!is_of_parameters(&about))
            continue;
        count++;
        assert_ok(ky_parameters_get(&one, about.name, text, sizeof text, &error));
        assert_string_equal(text, about.initial ? about.initial : "");
        other_value(&about, given);
        assert_ok(ky_parameters_set(&one, about.name, given, &error));
        assert_ok(ky_parameters_get(&one, about.name, text, sizeof text, &error));
        assert_string_equal(text, given);
        assert_ok(ky_parameters_set(&other, about.name, text, &error));
        assert_ok(ky_parameters_get(&other, about.name, again, sizeof again, &error));
        assert_string_equal(again, text);
        assert_int_equal(ky_parameters_get(&one, about.name, again, strlen(text), &error),
                         KY_USAGE);
        assert_string_equal(again, text);
    }
    assert_true(count >= 25);
    assert_int_equal(ky_parameters_get(&one, "thet", text, sizeof text, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "did you mean theta"));
    one.size = offsetof(struct ky_parameters, tree);
    assert_ok(ky_parameters_get(&one, "theta", text, sizeof text, &error));
    assert_int_equal(ky_parameters_get(&one, "corrections", text, sizeof text, &error), KY_USAGE);
}

/* ---- resolved ---- */

static void resolved_parameters_are_read(void **state)
{
    (void)state;
    char engine[16], field[16];
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters("auto", KY_TREE), now = {0};
    struct {
        size_t size;
        const char *engine;
        int isa, threads;
        double behind;
    } older = {offsetof(struct ky_parameters, force), NULL, 7, 7, 7};
    struct ky_sim *sim;
    snprintf(field, sizeof field, "%s", "point:mass=1");
    parameters.field = field;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    memset(field, 0, sizeof field);
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_ok(ky_parameters_get(&now, "engine", engine, sizeof engine, &error));
    assert_string_equal(engine, "cpu"); /* auto takes the CPU for so few bodies */
    assert_true(now.opening == KY_RELATIVE && now.precision == KY_SINGLE && now.cell == KY_BOX);
    assert_true(now.softening == 0.1 && !strcmp(now.field, "point:mass=1"));
    assert_ok(ky_sim_parameters(sim, (struct ky_parameters *)&older, &error));
    assert_true(older.behind == 7 && older.threads == 0 && !strcmp(older.engine, "cpu"));
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* ---- changes ---- */

/* Each parameter changes, or an error says why it cannot. A refusal changes nothing. */
static void every_parameter_changes_or_says_why(void **state)
{
    (void)state;
    static const char *const fixed[] = {
        "step-a", "late-step", "engine", "isa",          "threads",      "ranks",     "tree",
        "force",  "mutual",    "g",      "integrator",   "precision",    "expansion", "step-max",
        "error",  "box",       "groups", "group-radius", "softening-max"};
    struct ky_snapshot snapshot = plummer(N);
    struct ky_option_about about = {0};
    struct ky_parameters now = {0};
    char given[TEXT], text[TEXT];
    assert_ok(ky_bodies_extend(&snapshot.bodies, KY_WITH_RADIUS, &error)); /* for stop-collision */
    for (size_t k = 0; ky_option_get(k, &about) == KY_OK; k++) {
        struct ky_parameters parameters = sim_parameters("cpu", KY_DIRECT);
        struct ky_sim *sim;
        int is_fixed = 0;
        if (!is_of_parameters(&about))
            continue;
        for (size_t f = 0; f < sizeof fixed / sizeof *fixed; f++)
            is_fixed |= !strcmp(about.name, fixed[f]);
        parameters.opening = KY_OFFSET;
        parameters.stop_collision = !strcmp(about.name, "body-radius");
        parameters.integrator = !strcmp(about.name, "step-length") ? KY_BLOCK_STEPS : KY_HERMITE4;
        const int is_few = !strcmp(about.name, "orbit-steps") || !strcmp(about.name, "tolerance") ||
                           !strcmp(about.name, "slow-down");
        struct ky_bodies bodies = snapshot.bodies;
        if (is_few) {
            parameters.integrator = KY_FEW;
            parameters.softening = 0;
            bodies.n = 30;
        }
        if (ky_parameters_ignore(&parameters, about.name)) {
            parameters.force = KY_TREE;
            parameters.integrator = KY_LEAPFROG;
        }
        if (ky_parameters_ignore(&parameters, about.name))
            parameters.force = KY_FMM;
        assert_ok(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
        assert_ok(ky_sim_advance(sim, 1, &error));
        other_value(&about, given);
        if (!strcmp(about.name, "orbit-steps"))
            snprintf(given, sizeof given, "32");
        if (!strcmp(about.name, "step-min") || !strcmp(about.name, "alpha") ||
            !strcmp(about.name, "tolerance"))
            snprintf(given, sizeof given, "0.0009765625");
        if (!strcmp(about.name, "alpha"))
            assert_ok(ky_sim_set_parameter(sim, "opening", "relative", &error));
        if (!strcmp(about.name, "field"))
            snprintf(given, sizeof given, "point:mass=0.5");
        if (!strcmp(about.name, "softening-kind")) /* hermite4 has no spline */
            snprintf(given, sizeof given, "symmetric");
        const enum ky_status status = ky_sim_set_parameter(sim, about.name, given, &error);
        if (status != (is_fixed ? KY_USAGE : KY_OK))
            fail_msg("%s: %d, %s", about.name, (int)status, error.text);
        if (is_fixed)
            assert_non_null(strstr(error.text, "cannot change between steps: "));
        assert_ok(ky_sim_parameters(sim, &now, &error));
        assert_ok(ky_parameters_get(&now, about.name, text, sizeof text, &error));
        assert_true(is_fixed || !strcmp(text, given));
        const enum ky_status went = ky_sim_advance(sim, 1, &error);
        if (went && (went != KY_STOPPED || strcmp(about.section, "stopping") != 0))
            fail_msg("%s: %d, %s", about.name, (int)went, error.text);
        ky_sim_close(sim);
    }
    ky_snapshot_free(&snapshot);
}

/* After a change the forces are those of a simulation that was opened with these parameters. */
static void changed_on(const char *engine)
{
    static const char *const changes[][2] = {{"opening", "geometric"},
                                             {"theta", "0.4"},
                                             {"multipole", "1"},
                                             {"leaf", "8"},
                                             {"group", "16"},
                                             {"cell", "edge"},
                                             {"curve", "morton"},
                                             {"softening", "0.02"},
                                             {"softening-kind", "spline"},
                                             {"field", "point:mass=0.5"}};
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters(engine, KY_TREE);
    struct ky_sim *sim, *fresh;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        struct ky_bodies before = state_of(sim);
        assert_ok(ky_sim_set_parameter(sim, changes[k][0], changes[k][1], &error));
        assert_ok(ky_parameters_set(&parameters, changes[k][0], changes[k][1], &error));
        struct ky_bodies now = state_of(sim);
        assert_memory_equal(now.position, before.position, N * sizeof *now.position);
        assert_ok(ky_sim_open(&parameters, &now, ky_sim_time(sim), &fresh, &error));
        struct ky_bodies expected = state_of(fresh);
        for (size_t i = 0; i < N; i++)
            for (int c = 0; c < 3; c++)
                assert_between(now.acceleration[i][c] - expected.acceleration[i][c], -1e-6, 1e-6);
        if (k != 4 && k != 6) /* group and curve change roundings alone */
            assert_memory_not_equal(now.acceleration, before.acceleration,
                                    N * sizeof *now.acceleration);
        ky_sim_close(fresh);
        ky_bodies_free(&before);
        ky_bodies_free(&now);
        ky_bodies_free(&expected);
    }
    assert_ok(ky_sim_advance(sim, 1, &error));
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void a_change_is_like_a_new_simulation(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        changed_on(engines[k].engine);
}

static void contradictions_are_refused(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE), now = {0};
    struct ky_sim *sim;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    static const char *const wrong[][2] = {{"theta", "0.5"},
                                           {"theta", "7"},
                                           {"leaf", "0"},
                                           {"tetha", "0.5"},
                                           {"corrections", "2"},
                                           {"softening", "-1"},
                                           {"softening", "1e30"},
                                           {"step", "0"},
                                           {"step", "nan"},
                                           {"field", "pint:mass=1"},
                                           {"field", "point:mass=1e"},
                                           {"eta", "0.1"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        if (ky_sim_set_parameter(sim, wrong[k][0], wrong[k][1], &error) != KY_USAGE)
            fail_msg("%s %s was taken", wrong[k][0], wrong[k][1]);
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_true(now.softening == 0.1 && now.step == 0.0625 && !now.field && now.leaf == 16);
    assert_ok(ky_sim_set_parameter(sim, "opening", "offset", &error));
    assert_ok(ky_sim_set_parameter(sim, "theta", "0.5", &error));
    assert_int_equal(ky_sim_set_parameter(sim, "alpha", "0.01", &error), KY_USAGE);
    assert_ok(ky_sim_set_parameter(sim, "opening", "relative", &error));
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_true(now.alpha == 0.005);
    ky_sim_close(sim);
    parameters.force = KY_FMM;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_set_parameter(sim, "theta", "0.5", &error), KY_USAGE);
    assert_string_equal(error.text, "theta has no effect on forces with --force fmm");
    ky_sim_close(sim);
    parameters.force = KY_DIRECT;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_set_parameter(sim, "theta", "0.5", &error), KY_USAGE);
    assert_string_equal(error.text, "theta has no effect on forces with --force direct");
    /* an option of hermite4 is refused, also with its default */
    assert_int_equal(ky_sim_set_parameter(sim, "eta", "0.02", &error), KY_USAGE);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

/* Bodies get new steps where the longest step has changed, and a restart file has the new ones. */
static void shorter_steps_are_saved_on(const char *engine, int integrator)
{
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters(engine, KY_DIRECT);
    struct ky_sim *sim, *other;
    double level[N];
    parameters.integrator = integrator;
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "step", "0.001", &error));
    assert_ok(ky_sim_column(sim, "level", NULL, N, level, &error));
    for (int i = 0; i < N; i++)
        assert_true(level[i] >= -1 && level[i] == floor(level[i]));
    assert_ok(ky_sim_save(sim, in_folder("shorter.kyo"), &error));
    assert_ok(ky_sim_restore(in_folder("shorter.kyo"), &parameters, &other, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_advance(other, 2, &error));
    struct ky_bodies one = state_of(sim), two = state_of(other);
    assert_memory_equal(one.position, two.position, N * sizeof *one.position);
    assert_memory_equal(one.velocity, two.velocity, N * sizeof *one.velocity);
    ky_bodies_free(&one);
    ky_bodies_free(&two);
    ky_sim_close(other);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void shorter_steps_are_saved(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        shorter_steps_are_saved_on(engines[k].engine, KY_BLOCK_STEPS);
        shorter_steps_are_saved_on(engines[k].engine, KY_HERMITE4);
    }
}

/* ---- fields ---- */

/* A field is added and removed, and the restart file has it. */
static void fields_come_and_go_on(const char *engine, int integrator)
{
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters(engine, KY_DIRECT), now = {0};
    struct ky_sim *sim, *other;
    struct ky_sums sums = {0};
    parameters.integrator = integrator;
    assert_ok(ky_units_preset("cluster", &parameters.units, &error));
    assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    struct ky_bodies free_of_it = state_of(sim);
    assert_ok(ky_sim_set_fields(sim, "point:mass=0.5Msun,x=1pc", &error));
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_string_equal(now.field, "point:mass=0.5,eps=0,x=1,y=0,z=0");
    assert_ok(ky_sim_sums(sim, &sums, &error));
    assert_true(sums.external < 0);
    const size_t first = 0;
    double level = -1;
    if (integrator != KY_LEAPFROG) /* other steps follow from the new forces */
        assert_ok(ky_sim_column(sim, "level", &first, 1, &level, &error));
    assert_true(level == -1);
    struct ky_bodies in_it = state_of(sim);
    assert_true(in_it.acceleration[0][0] != free_of_it.acceleration[0][0]);
    assert_ok(ky_sim_save(sim, in_folder("field.kyo"), &error));
    assert_ok(ky_sim_restore(in_folder("field.kyo"), &parameters, &other, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_advance(other, 2, &error));
    struct ky_bodies one = state_of(sim), two = state_of(other);
    assert_memory_equal(one.position, two.position, N * sizeof *one.position);
    ky_sim_close(other);
    assert_ok(ky_sim_set_fields(sim, NULL, &error));
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_ok(ky_sim_sums(sim, &sums, &error));
    assert_true(!now.field && sums.external == 0);
    ky_bodies_free(&free_of_it);
    ky_bodies_free(&in_it);
    ky_bodies_free(&one);
    ky_bodies_free(&two);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static void fields_come_and_go(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        fields_come_and_go_on(engines[k].engine, KY_LEAPFROG);
        fields_come_and_go_on(engines[k].engine, KY_BLOCK_STEPS);
        fields_come_and_go_on(engines[k].engine, KY_HERMITE4);
    }
}

/* ---- within a run ---- */

/* Changes parameters and fields. Collected changes end with the call. */
static enum ky_status change(void *context, struct ky_sim *sim, struct ky_error *told)
{
    (void)context;
    (void)told;
    assert_int_equal(ky_sim_set_parameter(sim, "step", "0.125", &error), KY_USAGE);
    assert_ok(ky_sim_change_begin(sim, &error));
    assert_ok(ky_sim_set_parameter(sim, "alpha", "0.001", &error));
    assert_ok(ky_sim_set_parameter(sim, "softening-kind", "spline", &error));
    assert_ok(ky_sim_set_fields(sim, "point:mass=0.5", &error));
    return KY_OK;
}

/* A resumed run continues with the changed parameters. Snapshots after the change have them. */
static void a_run_keeps_changed_parameters(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE), now = {0}, none;
    struct ky_run_parameters run;
    struct ky_paths paths = {0};
    struct ky_sim *sim;
    ky_run_parameters_defaults(&run);
    ky_parameters_defaults(&none);
    run.output = in_folder("run");
    run.steps = 4;
    run.every = 0.125; /* two steps */
    run.keep = 1;
    run.visit = change;
    run.visit_every = 2;
    assert_ok(ky_run(&parameters, &run, &snapshot, &error));
    assert_ok(ky_sim_restore(in_folder("run/restart.kyo"), &none, &sim, &error));
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_true(now.alpha == 0.001 && now.field && !strcmp(now.field, "point:mass=0.5"));
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
    assert_ok(ky_run_snapshots(in_folder("run"), &paths, &error));
    assert_int_equal(paths.count, 3);
    for (size_t k = 0; k < paths.count; k++) {
        assert_ok(ky_snapshot_read(paths.path[k], &snapshot, &error));
        assert_int_equal(snapshot.softening_kind, k ? KY_SPLINE : KY_PLUMMER);
        ky_snapshot_free(&snapshot);
    }
    ky_paths_free(&paths);
}

/* A value with a unit, which needs the units of the bodies. */
static enum ky_status soften(void *context, struct ky_sim *sim, struct ky_error *told)
{
    (void)context;
    return ky_sim_set_parameter(sim, "softening", "200pc", told);
}

static void a_resumed_run_knows_its_units(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = plummer(N);
    struct ky_parameters parameters = sim_parameters("cpu", KY_TREE), now = {0}, none;
    struct ky_run_parameters run;
    struct ky_sim *sim;
    assert_ok(ky_units_preset("galaxy", &snapshot.units, &error));
    ky_run_parameters_defaults(&run);
    ky_parameters_defaults(&none);
    parameters.g = snapshot.units.g;
    parameters.step = 0x1p-12;
    run.output = in_folder("units");
    run.steps = 1;
    assert_ok(ky_run(&parameters, &run, &snapshot, &error));
    run.steps = 2;
    run.visit = soften;
    assert_ok(ky_resume(&none, &run, &error));
    assert_ok(ky_sim_restore(in_folder("units/restart.kyo"), &none, &sim, &error));
    assert_ok(ky_sim_parameters(sim, &now, &error));
    assert_true(fabs(now.softening - 0.2) < 1e-15);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
}

static int prepare(void **state)
{
    return make_folder(state) || find_quick_engines(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_goes_round),
        cmocka_unit_test(resolved_parameters_are_read),
        cmocka_unit_test(every_parameter_changes_or_says_why),
        cmocka_unit_test(a_change_is_like_a_new_simulation),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(shorter_steps_are_saved),
        cmocka_unit_test(fields_come_and_go),
        cmocka_unit_test(a_run_keeps_changed_parameters),
        cmocka_unit_test(a_resumed_run_knows_its_units),
    };
    return cmocka_run_group_tests(tests, prepare, remove_folder);
}
