/* In a program whose locale writes 0,5 for a half, the library reads and writes 0.5. The test makes
 * this locale, so that it does not depend on those of the system. */
#include "snapshot.h"

#include <locale.h>
#include <math.h>

#include "base/json.h"
#include "base/number.h"
#include "base/options.h"
#include "engine/engine.h"
#include "models/models.h"
#include "simulation/run.h"

static struct ky_error error;

/* German: a decimal comma, and a point between thousands. */
static int speak_german(void **state)
{
    char command[512];
    if (make_folder(state))
        return -1;
    snprintf(command, sizeof command,
             "localedef --no-archive -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1",
             test_folder);
    if (system(command) || setenv("LOCPATH", test_folder, 1) || !setlocale(LC_ALL, "de_DE.UTF-8")) {
        fprintf(stderr, "no German locale: localedef or the package locales is missing\n");
        return -1;
    }
    return 0;
}

/* The decimal comma is in force; without it the other tests would mean nothing. */
static void the_language_is_german(void **state)
{
    (void)state;
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

static void numbers(void **state)
{
    (void)state;
    static const double values[] = {0.1, 1e300, -5e-324, 1.0 / 3, 12345678.9, 0x1.fffffffffffffp52};
    char text[KY_NUMBER_TEXT], *end;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        assert_true(ky_number_real(ky_number_text(text, values[k]), &end) == values[k]);
        assert_int_equal(*end, '\0');
    }
    assert_string_equal(ky_number_text(text, 0.1), "0.1");
    assert_true(ky_number_real(" -0x10", &end) == 0 && !strcmp(end, "x10"));
    assert_true(ky_number_count("18446744073709551615", &end) == UINT64_MAX && !*end);
    static const char *const none[] = {"18446744073709551616", "-1", " 1", "+1", ""};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        ky_number_count(none[k], &end);
        assert_ptr_equal(end, none[k]);
    }
    ky_fail(&error, KY_USAGE, "%g", 0.5);
    assert_string_equal(error.text, "0.5");
    snprintf(text, sizeof text, "%.1f", 0.5); /* the caller's locale is as before */
    assert_string_equal(text, "0,5");
}

static void options(void **state)
{
    (void)state;
    struct ky_parameters parameters, again;
    struct ky_draw_parameters drawing;
    struct ky_option_set sets[KY_PARAMETER_SETS];
    ky_parameters_defaults(&parameters);
    ky_draw_parameters_defaults(&drawing);
    assert_true(drawing.fraction == 0.98);
    parameters.theta = 0.7;
    ky_parameter_sets(&parameters, sets);
    assert_ok(ky_option_set_text(ky_options_find(sets, KY_PARAMETER_SETS, "softening", NULL),
                                 &parameters, "1.5e-3", "softening", &error));
    assert_true(parameters.softening == 1.5e-3);
    FILE *file = fopen(in_folder("options.ini"), "w+");
    ky_options_write_ini(sets, KY_PARAMETER_SETS, file);
    rewind(file);
    struct ky_option_storage *storage = NULL;
    ky_parameters_defaults(&again);
    ky_parameter_sets(&again, sets);
    assert_ok(ky_options_ini(&(struct ky_option_names){sets, KY_PARAMETER_SETS, NULL}, file,
                             "options.ini", &storage, &error));
    assert_true(again.theta == 0.7 && again.softening == 1.5e-3);
    ky_options_storage_free(storage);
    fclose(file);
}

static void snapshot(struct ky_snapshot *snapshot, size_t n)
{
    struct ky_model_parameters model;
    ky_model_parameters_defaults(&model);
    model.n = n;
    assert_ok(ky_model_make("plummer", &model, snapshot, &error));
}

/* Snapshots as text, and numbers in a text file beside the bodies, are written and read back. */
static void snapshots(void **state)
{
    (void)state;
    static const char *const names[] = {"s.csv", "s.tipsy"};
    for (size_t k = 0; k < 2; k++) {
        struct ky_snapshot written, read;
        struct ky_write_options options;
        ky_write_options_defaults(&options);
        snapshot(&written, 50);
        written.time = 0.25;
        written.units = (struct ky_units){3.085678e21, 1.989e43, 1e5, 43009.1727};
        assert_ok(ky_snapshot_write(in_folder(names[k]), &written, &options, &error));
        assert_ok(ky_snapshot_read(in_folder(names[k]), &read, &error));
        assert_int_equal(read.bodies.n, 50);
        assert_true(read.units.g == 43009.1727 && read.units.length_cm == 3.085678e21);
        if (k == 0) {
            assert_true(read.time == 0.25);
            assert_memory_equal(read.bodies.position, written.bodies.position,
                                50 * sizeof *read.bodies.position);
        }
        ky_snapshot_free(&written);
        ky_snapshot_free(&read);
    }
}

static char *text_of(const char *name)
{
    size_t size;
    char *text = (char *)bytes_of(in_folder(name), &size);
    text[size] = '\0';
    return text;
}

static void check_energy(void)
{
    char *text = text_of("run/energy.csv");
    int rows = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), rows++) {
        int commas = 0;
        for (const char *c = line; *c; c++)
            commas += *c == ',';
        assert_int_equal(commas, 22);
        char *end;
        double time = ky_number_real(line, &end);
        if (rows)
            assert_true(*end == ',' && time == 0.0625 * (rows - 1));
    }
    assert_int_equal(rows, 1 + 5);
    free(text);
}

/* A run writes its files, and is resumed. */
static void a_run_and_its_files(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot initial;
    ky_parameters_defaults(&parameters);
    ky_run_parameters_defaults(&run);
    parameters.engine = "cpu";
    parameters.softening = 0.125;
    parameters.step = 0.0625;
    run.output = in_folder("run");
    run.end = 0.125;
    run.energy_every = 0.0625;
    snapshot(&initial, 40);
    assert_ok(ky_run(&parameters, &run, &initial, &error));
    ky_snapshot_free(&initial);
    ky_run_parameters_defaults(&run);
    run.output = in_folder("run");
    run.end = 0.25;
    assert_ok(ky_resume(&parameters, &run, &error));
    check_energy();
    char *json = text_of("run/run.json");
    assert_non_null(strstr(json, "0.0625"));
    for (const char *c = json; (c = strchr(c, ',')); c++)
        assert_false(c > json && c[1] >= '0' && c[1] <= '9'); /* 0,0625 is no number in JSON */
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_is_german),
        cmocka_unit_test(numbers),
        cmocka_unit_test(options),
        cmocka_unit_test(snapshots),
        cmocka_unit_test(a_run_and_its_files),
    };
    return cmocka_run_group_tests_name("locale", tests, speak_german, remove_folder);
}
