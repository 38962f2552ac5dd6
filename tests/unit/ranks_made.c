/* Models whose bodies are made by the ranks that have them (ky_run_model): the files are those of
 * one process that makes all. tests/command/ranks_made.py has the same from the command line. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "test.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "domain/domain.h"
#include "engines.h"

static struct ky_error error;

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

/* energy.csv without the seconds; to be freed. */
static char *rows_of(const char *folder)
{
    char path[256];
    snprintf(path, sizeof path, "%s/energy.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16), line[4096];
    while (fgets(line, sizeof line, file)) {
        *strrchr(line, ',') = 0;
        strcat(strcat(text, line), "\n");
    }
    fclose(file);
    return text;
}

static void describe(const char *options, struct ky_parameters *parameters,
                     struct ky_run_parameters *run, const char *folder, int ranks)
{
    ky_parameters_defaults(parameters);
    ky_run_parameters_defaults(run);
    parameters->engine = "cpu";
    parameters->force = KY_TREE;
    parameters->ranks = ranks;
    parameters->integrator = strstr(options, "block") ? KY_BLOCK_STEPS : KY_LEAPFROG;
    parameters->step = 1.0 / 64;
    run->output = folder;
    run->steps = 2;
    run->overwrite = 1;
}

/* The rows of energy.csv, by the model that is made first and by ky_run_model. */
static void try_model(const char *folder, const char *name, size_t n, const char *const *options)
{
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_model_parameters model;
    struct ky_snapshot made, told;
    ky_model_parameters_defaults(&model);
    model.n = n;
    model.options = options;
    assert_ok(ky_model_make(name, &model, &made, &error));
    assert_ok(ky_model_describe(name, &model, &told, &error));
    assert_true(told.bodies.n == n && !told.bodies.mass && told.softening == made.softening &&
                told.softening_kind == made.softening_kind && told.units.g == made.units.g);
    describe("", &parameters, &run, folder, 1);
    assert_ok(ky_run(&parameters, &run, &made, &error));
    ky_snapshot_free(&made);
    struct ky_source *source;
    assert_ok(ky_source_model(name, &model, &source, &told, &error));
    assert_true(source && told.bodies.n == n && !told.bodies.mass);
    ky_source_close(source);
    char *one = rows_of(folder);
    for (int ranks = 1; ranks <= 8; ranks = ranks == 3 ? 8 : ranks + 1) {
        parameters.ranks = ranks;
        assert_ok(ky_run_model(&parameters, &run, name, &model, &error));
        char *rows = rows_of(folder);
        if (strcmp(rows, one) != 0)
            fail_msg("%s of %zu bodies on %d ranks:\n%s%s", name, n, ranks, rows, one);
        free(rows);
    }
    free(one);
}

static void models_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const king[] = {"w0=5", "rotation=0.5", NULL};
    static const char *const warm[] = {"virial-ratio=1.9", NULL}; /* some are not bound */
    static const char *const stars[] = {"mass-function=kroupa", "position=1,2,3",
                                        "orientation=10,20,30", NULL};
    static const struct {
        const char *name;
        size_t n;
        const char *const *options;
    } cases[] = {
        {"plummer", 700, stars}, {"king", 700, king},         {"hernquist", 700, NULL},
        {"jaffe", 700, NULL},    {"nfw", 700, NULL},          {"uniform-sphere", 701, warm},
        {"random", 699, NULL},   {"uniform-cube", 700, warm}, {"plummer", 1, NULL},
        {"plummer", 2, NULL},    {"plummer", 5, stars},       {"king", 64, king},
    };
    char folder[] = "/tmp/kyoho-made-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        try_model(folder, cases[k].name, cases[k].n, cases[k].options);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What is wrong with a model or its bodies is told as by one process, and nothing is left behind.
 */
static void errors_are_those_of_one(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"w0=100"},
                                           {"position=1,2"},
                                           {"cutoff=1e-9"},
                                           {"mass=1e300", "radius=1e-300"},
                                           /* body 404 alone is too far */
                                           {"radius=1e300", "position=1.79769306486e308,0,0"},
                                           {"mass=1e-300", "radius=1e300"}};
    char folder[] = "/tmp/kyoho-made-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(rmdir(folder), 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters parameters;
        struct ky_run_parameters run;
        struct ky_model_parameters model;
        struct ky_error one;
        ky_model_parameters_defaults(&model);
        model.n = 500;
        model.options = cases[k];
        const char *name = k ? "plummer" : "king";
        describe("", &parameters, &run, folder, 1);
        const enum ky_status status = ky_run_model(&parameters, &run, name, &model, &one);
        assert_true(status == KY_USAGE || status == KY_BAD_DATA);
        parameters.ranks = 3;
        assert_int_equal(ky_run_model(&parameters, &run, name, &model, &error), status);
        assert_string_equal(error.text, one.text);
        assert_int_equal(access(folder, F_OK), -1);
    }
}

static void models_of_other_kinds_are_made_by_one(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_model_parameters model;
    struct ky_snapshot told;
    volatile int stop = 1;
    char folder[] = "/tmp/kyoho-made-XXXXXX";
    assert_non_null(mkdtemp(folder));
    ky_model_parameters_defaults(&model);
    model.n = 600;
    assert_int_equal(ky_model_describe("galaxy", &model, &told, &error), KY_UNSUPPORTED);
    describe("", &parameters, &run, folder, 2);
    parameters.softening = 0.1;
    assert_ok(ky_run_model(&parameters, &run, "galaxy", &model, &error));
    assert_int_equal(ky_model_describe("cheese", &model, &told, &error), KY_USAGE);
    assert_int_equal(ky_run_model(&parameters, &run, "cheese", &model, &error), KY_USAGE);
    assert_int_equal(ky_run_model(&parameters, &run, "plummer", NULL, &error), KY_USAGE);
    model.stop = &stop;
    for (parameters.ranks = 1; parameters.ranks < 4; parameters.ranks++)
        assert_int_equal(ky_run_model(&parameters, &run, "plummer", &model, &error), KY_STOPPED);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* 1 if run.log in the folder has the text. */
static int log_has(const char *folder, const char *text)
{
    char path[256], line[4096];
    int has = 0;
    snprintf(path, sizeof path, "%s/run.log", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        has |= strstr(line, text) != NULL;
    fclose(file);
    return has;
}

/* Devices that become ranks by the program's own choice make the bodies too, and the log tells of
 * both. */
static void ranks_that_are_chosen_make_bodies(void **state)
{
    (void)state;
    const char *const made = "each rank has made its own bodies";
    const size_t usual = ky_domain_ranks_from[0][1];
    char folder[] = "/tmp/kyoho-made-XXXXXX";
    need_a_device();
    assert_non_null(mkdtemp(folder));
    FOR_DEVICES(k, 1)
    {
        char engine[40];
        struct ky_parameters parameters;
        struct ky_run_parameters run;
        struct ky_model_parameters model;
        struct ky_snapshot initial;
        ky_model_parameters_defaults(&model);
        model.n = 700;
        describe("block", &parameters, &run, folder, 1);
        parameters.engine = with_another(k, engine, sizeof engine);
        ky_domain_ranks_from[0][1] = model.n;
        run.choose_ranks = 1;
        assert_ok(ky_model_make("plummer", &model, &initial, &error));
        assert_ok(ky_run(&parameters, &run, &initial, &error));
        ky_snapshot_free(&initial);
        assert_false(log_has(folder, made));
        char *one = rows_of(folder);
        assert_ok(ky_run_model(&parameters, &run, "plummer", &model, &error));
        assert_true(log_has(folder, made));
        assert_true(log_has(folder, "2 ranks, one for each device"));
        char *rows = rows_of(folder);
        assert_string_equal(rows, one);
        free(rows);
        free(one);
        ky_domain_ranks_from[0][1] = usual;
        ky_device_twice = 0;
    }
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_the_same_bits),
        cmocka_unit_test(errors_are_those_of_one),
        cmocka_unit_test(models_of_other_kinds_are_made_by_one),
        cmocka_unit_test(ranks_that_are_chosen_make_bodies),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
