/* Fields of every public struct of options, by name: described, set and read back. Descriptions of
 * models. */
#include "test.h"

#include <math.h>
#include <string.h>

static struct ky_error error;

/* The structs, each of which a call of its own fills. */
static struct {
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_model_parameters model;
    struct ky_merge_parameters merge;
    struct ky_catalogue_parameters groups;
    struct ky_profile_parameters profile;
    struct ky_tune_parameters tune;
    struct ky_draw_parameters draw;
    struct ky_film_parameters film;
    struct ky_view_parameters view;
} all;

static const struct {
    int kind;
    void *values;
    size_t bytes, least; /* least: of fields, so that a lost table is noticed */
} kinds[] = {
    {KY_OPTIONS_PARAMETERS, &all.parameters, sizeof all.parameters, 24},
    {KY_OPTIONS_RUN, &all.run, sizeof all.run, 15},
    {KY_OPTIONS_MODEL, &all.model, sizeof all.model, 9},
    {KY_OPTIONS_MERGE, &all.merge, sizeof all.merge, 11},
    {KY_OPTIONS_GROUPS, &all.groups, sizeof all.groups, 4},
    {KY_OPTIONS_PROFILE, &all.profile, sizeof all.profile, 8},
    {KY_OPTIONS_TUNE, &all.tune, sizeof all.tune, 4},
    {KY_OPTIONS_DRAW, &all.draw, sizeof all.draw, 20},
    {KY_OPTIONS_FILM, &all.film, sizeof all.film, 6},
    {KY_OPTIONS_VIEW, &all.view, sizeof all.view, 3},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void fill_all(void)
{
    ky_parameters_defaults(&all.parameters);
    ky_run_parameters_defaults(&all.run);
    ky_model_parameters_defaults(&all.model);
    ky_merge_parameters_defaults(&all.merge);
    ky_catalogue_parameters_defaults(&all.groups);
    ky_profile_parameters_defaults(&all.profile);
    ky_tune_parameters_defaults(&all.tune);
    ky_draw_parameters_defaults(&all.draw);
    ky_film_parameters_defaults(&all.film);
    ky_view_parameters_defaults(&all.view);
}

/* A value that the option takes, other than its default if there is one. */
static const char *another(const struct ky_option_about *about, char text[64])
{
    const int ranged = about->low <= about->high;
    switch (about->kind) {
    case KY_IS_FLAG:
        return "yes";
    case KY_IS_TEXT:
        return "1,2,3";
    case KY_IS_CHOICE:
        snprintf(text, 64, "%s", strrchr(about->choices, '|') + 1);
        return text;
    default: /* 1 lies in most ranges; in the others the lowest number does */
        snprintf(text, 64, "%.17g",
                 ranged && !(about->low <= 1 && about->high >= 1) ? about->low : 1);
        return text;
    }
}

static void every_field_is_described_set_and_read_back(void **state)
{
    (void)state;
    const struct ky_units none = {0};
    fill_all();
    for (int t = 0; t < KINDS; t++) {
        struct ky_option_about about = {.size = sizeof about};
        size_t count = 0;
        for (; ky_draw_options_get(kinds[t].kind, count, &about) == KY_OK; count++) {
            char value[64], text[128], again[128];
            const char *wanted = another(&about, value);
            assert_true(about.offset >= sizeof(size_t));
            assert_true(about.offset + about.bytes <= kinds[t].bytes);
            assert_ok(ky_draw_options_set(kinds[t].kind, kinds[t].values, about.name, wanted,
                                          count % 2 ? &none : NULL, &error));
            assert_ok(ky_draw_options_text(kinds[t].kind, kinds[t].values, about.name, text,
                                           sizeof text, &error));
            if (about.kind != KY_IS_REAL)
                assert_string_equal(text, wanted);
            assert_ok(ky_draw_options_set(kinds[t].kind, kinds[t].values, about.name,
                                          about.kind == KY_IS_TEXT ? wanted : text, NULL, &error));
            assert_ok(ky_draw_options_text(kinds[t].kind, kinds[t].values, about.name, again,
                                           sizeof again, &error));
            assert_string_equal(again, text);
        }
        if (count < kinds[t].least)
            fail_msg("kind %d has %zu options", kinds[t].kind, count);
    }
    assert_true(all.parameters.leaf == 1 && all.run.overwrite == 1 && all.merge.mass == 1);
    assert_true(all.groups.minimum == 1 && all.profile.axis == KY_Z && all.draw.rim == KY_RIM_NONE);
    assert_int_equal(all.model.n, 1);
    assert_string_equal(all.draw.title, "1,2,3");
}

/* The offset and size of an option are those of its field. */
static void fields_lie_where_they_are_said_to(void **state)
{
    (void)state;
    struct ky_option_about about = {.size = sizeof about};
    int seen = 0;
    fill_all();
    for (size_t k = 0; ky_options_get(KY_OPTIONS_PROFILE, k, &about) == KY_OK; k++) {
        if (!strcmp(about.name, "shells"))
            seen += about.offset == offsetof(struct ky_profile_parameters, shells) &&
                    about.bytes == sizeof(uint64_t) && !about.value;
        if (!strcmp(about.name, "centre-y"))
            seen += about.offset == offsetof(struct ky_profile_parameters, centre) + 8 &&
                    about.bytes == sizeof(double) && !strcmp(about.value, "LENGTH");
        if (!strcmp(about.name, "axis"))
            seen += about.bytes == sizeof(int);
    }
    assert_int_equal(seen, 3);
}

/* A program from before `value`, `offset` and `bytes` keeps what lies behind its struct. */
static void an_earlier_struct_ends_where_it_did(void **state)
{
    (void)state;
    const size_t first = offsetof(struct ky_option_about, value);
    for (int zero = 0; zero < 2; zero++) {
        struct ky_option_about about;
        memset(&about, 0x5a, sizeof about);
        about.size = zero ? 0 : first;
        assert_ok(ky_option_get(0, &about));
        assert_non_null(about.help);
        for (size_t k = first; k < sizeof about; k++)
            assert_int_equal(((const unsigned char *)&about)[k], 0x5a);
    }
}

static void values_have_units(void **state)
{
    (void)state;
    struct ky_units cluster;
    assert_ok(ky_units_preset("cluster", &cluster, &error));
    fill_all();
    assert_ok(ky_options_set(KY_OPTIONS_PROFILE, &all.profile, "outer", "2kpc", &cluster, &error));
    assert_between(all.profile.outer, 2000 - 1e-9, 2000 + 1e-9);
    assert_int_equal(
        ky_options_set(KY_OPTIONS_PROFILE, &all.profile, "outer", "3kpc", NULL, &error), KY_USAGE);
    assert_between(all.profile.outer, 2000 - 1e-9, 2000 + 1e-9);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    struct ky_option_about about = {.size = sizeof about};
    char text[8] = "before";
    fill_all();
    struct ky_merge_parameters *const merge = &all.merge;
    assert_int_equal(ky_options_get(-1, 0, &about), KY_USAGE);
    assert_int_equal(ky_options_get(99, 0, &about), KY_USAGE);
    assert_int_equal(ky_options_get(KY_OPTIONS_VIEW, 0, &about),
                     KY_USAGE); /* of the other library */
    assert_int_equal(ky_draw_options_get(99, 0, &about), KY_USAGE);
    assert_int_equal(ky_draw_options_set(KY_OPTIONS_VIEW, NULL, "view-port", "1", NULL, &error),
                     KY_USAGE);
    assert_int_equal(
        ky_draw_options_text(KY_OPTIONS_VIEW, &all.view, NULL, text, sizeof text, &error),
        KY_USAGE);
    assert_int_equal(ky_options_get(KY_OPTIONS_MERGE, 1000, &about), KY_USAGE);
    assert_int_equal(ky_options_set(99, merge, "g", "1", NULL, &error), KY_USAGE);
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, NULL, "g", "1", NULL, &error), KY_USAGE);
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, merge, NULL, "1", NULL, &error), KY_USAGE);
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, merge, "g", NULL, NULL, &error), KY_USAGE);
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, merge, "g", "-1", NULL, &error), KY_USAGE);
    assert_true(merge->g == 1);
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, merge, "pericenter", "1", NULL, &error),
                     KY_USAGE);
    assert_non_null(strstr(error.text, "did you mean pericentre"));
    assert_int_equal(ky_options_text(KY_OPTIONS_MERGE, merge, "theta", text, sizeof text, &error),
                     KY_USAGE);
    assert_int_equal(ky_options_text(KY_OPTIONS_MERGE, merge, "g", text, 1, &error), KY_USAGE);
    assert_string_equal(text, "before");
    assert_ok(ky_options_text(KY_OPTIONS_MERGE, merge, "mass", text, 1, &error)); /* was not set */
    assert_string_equal(text, "");
    merge->size = sizeof *merge + 8;
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, merge, "g", "2", NULL, &error), KY_USAGE);
    merge->size = offsetof(struct ky_merge_parameters, mass); /* of an earlier version */
    assert_ok(ky_options_set(KY_OPTIONS_MERGE, merge, "softening", "2", NULL, &error));
    assert_int_equal(ky_options_set(KY_OPTIONS_MERGE, merge, "mass", "2", NULL, &error), KY_USAGE);
    assert_true(merge->softening == 2 && isnan(merge->mass));
}

static void options_without_effect_are_known(void **state)
{
    (void)state;
    struct ky_parameters p;
    ky_parameters_defaults(&p);
    assert_null(ky_parameters_ignore(&p, "theta"));
    assert_null(ky_parameters_ignore(&p, "isa")); /* auto may choose the CPU */
    p.engine = "cuda:0";
    assert_string_equal(ky_parameters_ignore(&p, "isa"), "an --engine other than cpu");
    p.engine = NULL;
    assert_null(ky_parameters_ignore(&p, "isa"));
    p.force = KY_WALK;
    assert_string_equal(ky_parameters_ignore(&p, "group"), "--force walk");
    assert_null(ky_parameters_ignore(&p, "leaf"));
    p.force = KY_DIRECT;
    assert_string_equal(ky_parameters_ignore(&p, "opening"), "--force direct");
    assert_null(ky_parameters_ignore(&p, "no such option"));
    assert_null(ky_parameters_ignore(&p, NULL));
    assert_null(ky_parameters_ignore(NULL, "theta"));
    p.force = 17;
    assert_null(ky_parameters_ignore(&p, "theta"));
}

/* Options that were given choose the force, at whatever value; but --mutual=no is what every force
 * does. */
static void options_choose_the_force(void **state)
{
    (void)state;
    static const struct {
        const char *given[4];
        int force; /* −1: refused */
        const char *says;
    } cases[] = {
        {{NULL}, KY_FORCE_AUTO, NULL},
        {{"softening", "isa", "no such option", NULL}, KY_FORCE_AUTO, NULL},
        {{"order", NULL}, KY_FMM, NULL},
        {{"group", "mutual", NULL}, KY_FMM, NULL},
        {{"group", NULL}, KY_TREE, NULL},
        {{"tree", "order", NULL}, KY_FMM, NULL},
        {{"order", "theta", NULL}, -1, "--order is for --force fmm, which does not use --theta"},
    };
    struct ky_parameters p;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ky_parameters_defaults(&p);
        p.mutual = 1;
        const enum ky_status status = ky_parameters_choose_force(&p, cases[k].given, &error);
        assert_int_equal(status, cases[k].force < 0 ? KY_USAGE : KY_OK);
        assert_true(status ? strstr(error.text, cases[k].says) != NULL : p.force == cases[k].force);
    }
    ky_parameters_defaults(&p);
    assert_ok(ky_parameters_choose_force(&p, (const char *[]){"mutual", NULL}, &error));
    assert_true(p.force == KY_FORCE_AUTO); /* mutual is off, as with every force */
    p.force = KY_WALK;
    assert_ok(ky_parameters_choose_force(&p, cases[6].given, &error));
    assert_true(p.force == KY_WALK);
    p.error = 1e-3;
    assert_int_equal(ky_parameters_choose_force(&p, cases[6].given, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "--error and --order"));
}

static void models_are_described(void **state)
{
    (void)state;
    struct ky_model_about about = {0};
    struct ky_units units = {.g = (double)NAN}, cluster;
    size_t count = 0;
    for (; ky_model_get(count, &about) == KY_OK; count++) {
        assert_string_equal(about.name, ky_model_name(count));
        assert_true(strlen(about.help) > 10);
    }
    assert_null(ky_model_name(count));
    assert_true(count >= 15);
    assert_ok(ky_model_units("plummer", &units, &error));
    assert_true(units.g == 1);
    assert_ok(ky_units_preset("cluster", &cluster, &error));
    units = cluster;
    assert_int_equal(ky_model_units("cosmic", &units, &error), KY_USAGE); /* cosmic has its own */
    assert_memory_equal(&units, &cluster, sizeof units);
    units = (struct ky_units){.g = (double)NAN};
    assert_ok(ky_model_units("cosmic", &units, &error));
    assert_true(units.length_cm > 0 && units.g > 0);
    assert_int_equal(ky_model_units("plumer", &units, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "plummer"));
    assert_int_equal(ky_model_units(NULL, &units, &error), KY_USAGE);
    assert_int_equal(ky_model_units("plummer", NULL, &error), KY_USAGE);
}

static void bodies_are_turned_and_moved(void **state)
{
    (void)state;
    double mass[1] = {1}, x[1][3] = {{1, 0, 0}}, v[1][3] = {{0, 0, 1}};
    struct ky_bodies bodies = {.n = 1, .mass = mass, .position = x, .velocity = v};
    struct ky_units cluster;
    assert_ok(ky_units_preset("cluster", &cluster, &error));
    assert_ok(ky_bodies_place(&bodies, "1,2,3", "0.5,0,0", "90,0,90", NULL, &error));
    assert_true(x[0][0] == 1 && x[0][1] == 2 && x[0][2] == 4); /* (1, 0, 0) becomes (0, 0, 1) */
    assert_true(v[0][0] == 0.5 && v[0][1] == -1 && v[0][2] == 0);
    assert_ok(ky_bodies_place(&bodies, "1kpc,0,0", NULL, NULL, &cluster, &error));
    assert_between(x[0][0], 1001 - 1e-9, 1001 + 1e-9);
    assert_ok(ky_bodies_place(&bodies, NULL, NULL, NULL, NULL, &error));
    assert_int_equal(ky_bodies_place(&bodies, "1pc,0,0", NULL, NULL, NULL, &error), KY_USAGE);
    assert_int_equal(ky_bodies_place(&bodies, "1,0", "1,1,1", NULL, NULL, &error), KY_USAGE);
    assert_int_equal(ky_bodies_place(NULL, NULL, NULL, NULL, NULL, &error), KY_USAGE);
    assert_true(x[0][1] == 2 && v[0][0] == 0.5);
    bodies.n = 0;
    assert_ok(ky_bodies_place(&bodies, "1,2,3", NULL, "1,1,1", NULL, &error));
}

static void the_library_has_the_version_of_the_header(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", KY_VERSION_MAJOR, KY_VERSION_MINOR, KY_VERSION_PATCH);
    assert_string_equal(ky_version(), text);
    assert_non_null(strstr(ky_build_features(), "HDF5: "));
    assert_null(strstr(ky_build_features(), "PNG: "));
    assert_non_null(strstr(ky_draw_features(), "PNG: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_described_set_and_read_back),
        cmocka_unit_test(fields_lie_where_they_are_said_to),
        cmocka_unit_test(an_earlier_struct_ends_where_it_did),
        cmocka_unit_test(values_have_units),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(options_without_effect_are_known),
        cmocka_unit_test(options_choose_the_force),
        cmocka_unit_test(models_are_described),
        cmocka_unit_test(bodies_are_turned_and_moved),
        cmocka_unit_test(the_library_has_the_version_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
