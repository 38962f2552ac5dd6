/* Options: from text to fields and back, on the command line, in INI files, and misspelt. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "engine/force_options.h"
#include "integrate/integrate.h"

struct values {
    int flag, number, kind;
    uint64_t n;
    double theta, step;
    const char *name;
};

#define AT(field) offsetof(struct values, field)
static const struct ky_option table[] = {
    {"fast", KY_OPTION_FLAG, AT(flag), NULL, KY_NO_RANGE, NULL, NULL, "goes fast"},
    {"threads", KY_OPTION_INTEGER, AT(number), "2", 0, 64, NULL, NULL, "threads"},
    {"kind", KY_OPTION_CHOICE, AT(kind), NULL, KY_NO_RANGE, "one|two|twofold", NULL, "kind"},
    {"bodies", KY_OPTION_COUNT, AT(n), "0", KY_NO_RANGE, NULL, NULL, "bodies"},
    {"theta", KY_OPTION_REAL, AT(theta), "0.7", 0.1, 2, NULL, NULL, "angle"},
    {"step", KY_OPTION_REAL, AT(step), NULL, KY_NO_RANGE, NULL, NULL, "step"},
    {"name", KY_OPTION_TEXT, AT(name), NULL, KY_NO_RANGE, NULL, NULL, "name"},
    {"at", KY_OPTION_TEXT, AT(name), NULL, KY_NO_RANGE, NULL, "TIME,TIME...", "times"},
};
static struct values v;
static const struct ky_option_set set = {"test", table, sizeof table / sizeof *table,
                                         &v,     NULL,  NULL};
static struct ky_error error;
static const char *words[16];
static int word_count;
static const struct ky_option_word letters[] = {
    {"n", "bodies", NULL},       {"o", "name", NULL},         {"f", "fast", NULL},
    {"t_end", "step", NULL},     {"kmax", "step", "2^-kmax"}, {"infile", "input", NULL},
    {"exact", "kind two", NULL}, {NULL, NULL, NULL}};

static const struct ky_option_names all = {&set, 1, letters};

static enum ky_status parse(int argc, char **argv)
{
    ky_options_defaults(&set);
    return ky_options_command_line(&all, argc, argv, words, &word_count, &error);
}
#define PARSE(...)                                                                                 \
    parse((int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)), (char *[]){__VA_ARGS__})

static void defaults_and_values(void **state)
{
    (void)state;
    assert_ok(PARSE("file"));
    assert_int_equal(v.number, 2);
    assert_int_equal(v.kind, -1);
    assert_true(isnan(v.step));
    assert_ok(PARSE("--fast", "--theta=0.5", "-n", "1_000_000", "--kind", "twofold", "--name",
                    "x y", "--step", "-3e-2"));
    assert_int_equal(v.flag, 1);
    assert_true(v.theta == 0.5);
    assert_int_equal(v.n, 1000000);
    assert_int_equal(v.kind, 2);
    assert_string_equal(v.name, "x y");
    assert_true(v.step == -3e-2);
    assert_ok(PARSE("-n", "18446744073709551615"));
    assert_true(v.n == UINT64_MAX);
    assert_ok(PARSE("-n", "1e6"));
    assert_int_equal(v.n, 1000000);
}

/* The ways in which a letter and its value are written, and where options end. */
static void letters_and_words(void **state)
{
    (void)state;
    assert_ok(PARSE("-n100", "-oa b"));
    assert_int_equal(v.n, 100);
    assert_string_equal(v.name, "a b");
    assert_ok(PARSE("-fn1e3", "-o", "-", "file"));
    assert_true(v.flag == 1 && v.n == 1000 && word_count == 1);
    assert_string_equal(v.name, "-");
    assert_ok(PARSE("-o-x", "--step", "-.5", "-f"));
    assert_string_equal(v.name, "-x");
    assert_true(v.step == -0.5 && v.flag == 1);
    assert_ok(PARSE("--name=--x", "--", "-n", "--", "a"));
    assert_string_equal(v.name, "--x");
    assert_int_equal(word_count, 3);
    assert_string_equal(words[0], "-n");
    assert_string_equal(words[1], "--");
}

/* Help has 100 columns at most, the text in a column of its own, and letters beside names. */
static void help_is_wrapped(void **state)
{
    (void)state;
    static const struct ky_option long_table[] = {
        {"theta", KY_OPTION_REAL, AT(theta), "0.7", 0.1, 2, NULL, NULL,
         "opening angle θ of a cell, of which there is much to say here: the smaller it is, the "
         "more exact and the slower is the force, which is well known"},
        {"name", KY_OPTION_TEXT, AT(name), NULL, KY_NO_RANGE, NULL, "A-VERY-LONG-WORD-FOR-A-VALUE",
         "name"},
    };
    static const struct ky_option_word short_list[] = {{"t", "theta", NULL}, {NULL, NULL, NULL}};
    const struct ky_option_set sets = {"titled", long_table, 2, &v, NULL, NULL};
    char *text;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    ky_options_help(&sets, 1, short_list, memory);
    fclose(memory);
    assert_string_equal(
        text,
        "\ntitled:\n"
        "  -t, --theta REAL                opening angle θ of a cell, of which there is much to "
        "say here: the\n"
        "                                  smaller it is, the more exact and the slower is the "
        "force, which\n"
        "                                  is well known (default 0.7)\n"
        "      --name A-VERY-LONG-WORD-FOR-A-VALUE\n"
        "                                  name\n");
    free(text);
}

static void wrong_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *word, *value, *text;
    } bad[] = {
        {"--theta", "abc", "not a number"}, {"--theta", "3", "out of range"},
        {"--theta", "nan", "not a number"}, {"--theta", "", "not a number"},
        {"--threads", "1.5", "whole"},      {"--threads", "-1", "out of range"},
        {"--threads", "1e99", "range"},     {"--threads", "0x10", "not a number"},
        {"-n", "0X10", "not a number"},     {"-n", "-1", "from 0"},
        {"-n", "1e30", "from 0"},           {"--kind", "three", "one|two"},
        {"--kind", "", "not one of"},       {"--fast=maybe", NULL, "neither"},
        {"--tehta", "1", "--theta"},        {"--zzzzzz", "1", "unknown option"},
        {"--name", NULL, "needs a value"},  {"-q", NULL, "unknown option -q"},
        {"-theta", "1", "--theta"},         {"--name", "-f", "needs a value"},
        {"-n", "-o", "needs a value"},      {"-n", NULL, "needs a value"},
        {"--TEND", "1", "mean --step?"},    {"--t-end", "1", "mean --step?"},
        {"-kmax", "1", "--step, 2^-kmax?"}, {"--exact", NULL, "mean --kind two?"},
        {"--thre", "1", "mean --threads?"}, {"--bodeis", "1", "mean --bodies?"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char *argv[] = {(char *)(uintptr_t)bad[k].word, (char *)(uintptr_t)bad[k].value};
        assert_int_equal(parse(bad[k].value ? 2 : 1, argv), KY_USAGE);
        if (!strstr(error.text, bad[k].text))
            fail_msg("%s %s: '%s' does not say '%s'", bad[k].word, bad[k].value ? bad[k].value : "",
                     error.text, bad[k].text);
    }
}

/* No option is suggested for a word that resembles none. */
static void what_is_not_near_is_not_suggested(void **state)
{
    (void)state;
    static const char *const far[] = {"--dt",      "--a",        "--eps",    "--map", "--infile",
                                      "--profile", "--stopping", "--t_ends", "--"};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        char word[32];
        snprintf(word, sizeof word, "%s", far[k]);
        const enum ky_status status = parse(1, (char *[]){word});
        assert_int_equal(status, word[2] ? KY_USAGE : KY_OK);
        if (status && strstr(error.text, "did you mean"))
            fail_msg("%s", error.text);
    }
}

static void an_option_is_given_once(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--theta", "0.5", "--step", "1", "--theta=0.6"), KY_USAGE);
    assert_string_equal(error.text, "--theta is given twice; give it once");
    assert_int_equal(PARSE("-n", "5", "--bodies", "5"), KY_USAGE);
    assert_int_equal(PARSE("-ff"), KY_USAGE);
    assert_int_equal(PARSE("--at", "1", "--at", "2"), KY_USAGE);
    assert_non_null(strstr(error.text, "with commas: --at TIME,TIME..."));
    assert_ok(PARSE("-n", "5", "--theta", "0.5", "--", "--theta"));
}

static enum ky_status read_ini(const char *text, size_t size, struct ky_option_storage **storage)
{
    FILE *file = tmpfile();
    assert_int_equal(fwrite(text, 1, size, file), size);
    rewind(file);
    ky_options_defaults(&set);
    *storage = NULL;
    enum ky_status status = ky_options_ini(&all, file, "t.ini", storage, &error);
    fclose(file);
    return status;
}

/* An INI file that is written is read back with the same bits, by both readers. */
static void ini_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"a file.csv", "",      " blanks ",     "a # b ; c",
                                        "\"quoted\"", "a\\nb", "two\nlines\r", "[x] = \t"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        assert_ok(PARSE("--fast", "--theta", "0.1234567890123456789", "-n", "18446744073709551615",
                        "--kind", "two"));
        v.name = names[k];
        struct values before = v;
        char *text;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        ky_options_write_ini(&set, 1, memory);
        fclose(memory);
        struct ky_option_storage *storage;
        for (int reader = 0; reader < 2; reader++) {
            assert_ok(read_ini(text, reader ? 0 : size, &storage));
            if (reader)
                assert_ok(ky_options_read_back(&set, 1, text, &error));
            assert_true(before.theta == v.theta && before.n == v.n && before.flag == v.flag &&
                        before.kind == v.kind && isnan(v.step));
            assert_string_equal(v.name, names[k]);
            ky_options_storage_free(storage);
        }
        free(text);
    }
}

/* Files as editors and people write them. */
static void ini_as_people_write_it(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf; a remark\r\n\r\n  [ test\t]  # the section\r\n"
                               "\ttheta=0.5 ; half\r\n  name  =  \"a # b\"  # c\r\n"
                               "bodies = 1_000\r\n#step = 9\r\nfast = yes";
    struct ky_option_storage *storage;
    assert_ok(read_ini(text, sizeof text - 1, &storage));
    assert_true(v.theta == 0.5 && v.n == 1000 && v.flag == 1 && isnan(v.step));
    assert_string_equal(v.name, "a # b");
    ky_options_storage_free(storage);
    enum { LONG = 100000 }; /* a value longer than any line buffer */
    char *line = malloc(LONG + 8);
    memset(line, 'x', LONG + 7);
    memcpy(line, "name = ", 7);
    line[LONG + 7] = '\0';
    assert_ok(read_ini(line, LONG + 7, &storage));
    assert_int_equal(strlen(v.name), LONG);
    ky_options_storage_free(storage);
    free(line);
}

static void ini_errors_name_the_place(void **state)
{
    (void)state;
#define BAD(text, says)                                                                            \
    {                                                                                              \
        text, sizeof text - 1, says                                                                \
    }
    static const struct {
        const char *text;
        size_t size;
        const char *says;
    } bad[] = {
        BAD("[test]\ntehta = 1\n", "line 2: unknown option 'tehta'; did you mean theta?"),
        BAD("n = 20\n", "line 1: unknown option 'n'; did you mean bodies?"),
        BAD("q = 20\n", "line 1: unknown option 'q'"),
        BAD("T_END = 20\n", "line 1: unknown option 'T_END'; did you mean step?"),
        BAD("thta = 1\n[x]\nname = a\ntheta = 9\n[y\n",
            "t.ini, line 1: unknown option 'thta'; did you mean theta?; line 4: theta: 9 is out of "
            "range; it must be from 0.1 to 2; line 5: '[y'"),
        BAD("theta = 9\n", "line 1: theta: 9 is out of range"),
        BAD("\r\n\r\ntheta\n", "line 3: 'theta' is neither"),
        BAD("= 3\n", "line 1: '= 3' is neither"),
        BAD("theta = 1\nstep = 2\n  theta = 1\n", "line 3: 'theta' is already given in line 1"),
        BAD("theta = 1 2\n", "line 1: theta: '1 2' is not a number"),
        BAD("theta =\n", "line 1: theta: '' is not a number"),
        BAD("[test\n", "line 1: '[test' is not a section"),
        BAD("[test] theta = 1\n", "line 1: '[test] theta = 1' is not a section"),
        BAD("name = \"a\n", "line 1: name: the text in quotation marks"),
        BAD("name = \"a\" b\n", "line 1: name: the text in quotation marks"),
        BAD("theta = \"1\\n2\"\n", "line 1: theta: '1?2' is not a number"),
        BAD("theta = 1\0\n", "zero byte"),
        BAD("\xff\xfet\0", "zero byte"),
    };
#undef BAD
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct ky_option_storage *storage;
        assert_true(read_ini(bad[k].text, bad[k].size, &storage) != KY_OK);
        if (!strstr(error.text, bad[k].says) || !strstr(error.text, "t.ini"))
            fail_msg("'%s' does not name '%s'", error.text, bad[k].says);
        ky_options_storage_free(storage);
    }
}

/* Hundreds of wrong lines give one line of error, which ends with "and more". */
static void ini_errors_have_an_end(void **state)
{
    (void)state;
    char text[8000] = "";
    struct ky_option_storage *storage;
    for (size_t used = 0; used < 7900;)
        used += (size_t)snprintf(text + used, sizeof text - used, "wrong%zu = 1\n", used);
    assert_int_equal(read_ini(text, strlen(text), &storage), KY_USAGE);
    assert_true(strlen(error.text) < sizeof error.text - 1 && !strchr(error.text, '\n'));
    assert_string_equal(error.text + strlen(error.text) - 10, "; and more");
    assert_null(strstr(strstr(error.text, "; and more") + 1, "; and more"));
    ky_options_storage_free(storage);
}

/* A template has the options that are given with their values, and the others as comments. It can
 * be read back. */
static void templates_are_parameter_files(void **state)
{
    (void)state;
    unsigned char given[sizeof table / sizeof *table] = {0};
    struct ky_option_set noted = set;
    noted.given = given;
    ky_options_defaults(&set);
    char *text, *argv[] = {"--name", "a # b", "--theta", "0.25", "--fast"};
    size_t size;
    assert_ok(ky_options_command_line(&(struct ky_option_names){&noted, 1, letters}, 5, argv, words,
                                      &word_count, &error));
    FILE *memory = open_memstream(&text, &size);
    ky_options_write_template(&noted, 1, memory);
    fclose(memory);
    assert_non_null(strstr(text, "\n[test]\n# goes fast\nfast = yes\n# threads\n#threads = 2\n"));
    assert_non_null(strstr(text, "\n#kind = one|two|twofold\n"));
    struct ky_option_storage *storage;
    assert_ok(read_ini(text, size, &storage));
    assert_true(v.flag == 1 && v.theta == 0.25 && v.number == 2 && v.kind == -1);
    assert_string_equal(v.name, "a # b");
    ky_options_storage_free(storage);
    free(text);
}

/* A name in two sets belongs to the first set, on the command line and in a file under any
 * heading. */
static void ini_names_of_two_sets(void **state)
{
    (void)state;
    struct values second = {.theta = 0.5};
    const struct ky_option_set sets[2] = {
        set, {"second", table, sizeof table / sizeof *table, &second, NULL, NULL}};
    struct ky_option_storage *storage = NULL;
    FILE *file = tmpfile();
    fputs("[second]\ntheta = 1\n[elsewhere]\nbodies = 7\n", file);
    rewind(file);
    assert_ok(
        ky_options_ini(&(struct ky_option_names){sets, 2, NULL}, file, "t.ini", &storage, &error));
    assert_true(second.theta == 0.5 && v.theta == 1 && v.n == 7);
    ky_options_storage_free(storage);
    fclose(file);
    char *text;
    size_t size;
    FILE *memory = open_memstream(&text, &size); /* a name that two sets have is written once */
    ky_options_defaults(&set);
    ky_options_write_ini(sets, 2, memory);
    fclose(memory);
    assert_non_null(strstr(text, "theta = "));
    assert_null(strstr(strstr(text, "theta = ") + 1, "theta = "));
    free(text);
}

static void parameters_follow_their_tables(void **state)
{
    (void)state;
    struct ky_parameters given, resolved;
    ky_parameters_defaults(&given);
    assert_true(given.leaf == 16 && given.group == 64 && given.force == KY_FORCE_AUTO);
    assert_ok(ky_force_resolve(&given, &resolved, &error));
    assert_int_equal(resolved.cell, KY_BOX);
    assert_int_equal(resolved.precision, KY_SINGLE);
    given.force = KY_WALK;
    assert_ok(ky_force_resolve(&given, &resolved, &error));
    assert_int_equal(resolved.cell, KY_EDGE);
    given.theta = -1;
    assert_int_equal(ky_force_resolve(&given, &resolved, &error), KY_USAGE);
    given.theta = 0.7;
    given.multipole = 3;
    assert_int_equal(ky_force_resolve(&given, &resolved, &error), KY_USAGE);
    given.size = 3;
    assert_int_equal(ky_force_resolve(&given, &resolved, &error), KY_USAGE);
}

static void expect_opening(int opening, double theta, double alpha, int once, int expected)
{
    struct ky_parameters given, resolved;
    ky_parameters_defaults(&given);
    given.opening = opening;
    given.theta = theta;
    given.alpha = alpha;
    enum ky_status status = once ? ky_force_resolve_once(&given, &resolved, &error)
                                 : ky_force_resolve(&given, &resolved, &error);
    if (expected < 0) {
        assert_int_equal(status, KY_USAGE);
        assert_non_null(strstr(error.text, opening == KY_OPENING_BY_USE
                                               ? "opening geometric, offset or minimum, alpha for "
                                                 "relative;"
                                               : "alpha is given, but it is the tolerance of "
                                                 "opening relative; the"));
        return;
    }
    assert_int_equal(status, KY_OK);
    assert_int_equal(resolved.opening, expected);
    assert_true(resolved.theta == (isnan(theta) ? 0.7 : theta));
    if (expected == KY_RELATIVE)
        assert_true(resolved.alpha == (isnan(alpha) ? 0.005 : alpha));
    else
        assert_true(isnan(resolved.alpha));
    struct ky_parameters again;
    assert_int_equal(ky_force_resolve(&resolved, &again, &error), KY_OK);
    assert_int_equal(again.opening, expected);
}

/* θ and α choose the opening test that they belong to. Neither is accepted and then ignored. */
static void the_opening_follows_what_is_given(void **state)
{
    (void)state;
    const double no = (double)NAN;
    const struct {
        int opening;
        double theta, alpha;
        int run, once;
    } cases[] = {
        {KY_OPENING_BY_USE, no, no, KY_RELATIVE, KY_OFFSET},
        {KY_OPENING_BY_USE, 0.5, no, KY_OFFSET, KY_OFFSET},
        {KY_OPENING_BY_USE, no, 0.02, KY_RELATIVE, KY_RELATIVE},
        {KY_OPENING_BY_USE, 0.5, 0.02, -1, -1},
        {KY_RELATIVE, no, no, KY_RELATIVE, KY_RELATIVE},
        {KY_RELATIVE, 0.5, 0.02, KY_RELATIVE, KY_RELATIVE},
        {KY_MINIMUM, no, no, KY_MINIMUM, KY_MINIMUM},
        {KY_GEOMETRIC, 0.5, no, KY_GEOMETRIC, KY_GEOMETRIC},
        {KY_OFFSET, no, 0.02, -1, -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        expect_opening(cases[k].opening, cases[k].theta, cases[k].alpha, 0, cases[k].run);
        expect_opening(cases[k].opening, cases[k].theta, cases[k].alpha, 1, cases[k].once);
    }
}

/* Resolved parameters may replace the given ones in the same struct. */
static void parameters_are_resolved_in_place(void **state)
{
    (void)state;
    struct ky_parameters given, apart, in_place;
    ky_parameters_defaults(&given);
    given.force = KY_WALK;
    given.theta = 0.4;
    given.softening = 0.25;
    for (int k = 0; k < 3; k++) {
        enum ky_status (*const resolve)(const struct ky_parameters *, struct ky_parameters *,
                                        struct ky_error *) = k == 0   ? ky_force_resolve
                                                             : k == 1 ? ky_force_resolve_once
                                                                      : ky_parameters_resolve;
        in_place = given;
        assert_ok(resolve(&given, &apart, &error));
        assert_ok(resolve(&in_place, &in_place, &error));
        assert_true(in_place.force == KY_WALK && in_place.theta == 0.4);
        assert_true(in_place.softening == 0.25 && in_place.opening == apart.opening);
    }
}

/* Options as a program in another language sees and sets them. */
static void options_for_programs(void **state)
{
    (void)state;
    struct ky_option_about about = {0};
    struct ky_parameters p;
    int seen = 0;
    ky_parameters_defaults(&p);
    for (size_t k = 0; ky_option_get(k, &about) == KY_OK; k++) {
        assert_true(strlen(about.help) > 10 && strlen(about.section) > 2);
        if (!strcmp(about.name, "theta"))
            seen |= 1 * (about.kind == KY_IS_REAL && about.low == 1e-3 && about.high == 2 &&
                         !about.unit[0] && !about.initial && !strcmp(about.section, "force"));
        if (!strcmp(about.name, "step"))
            seen |= 2 * (!strcmp(about.unit, "time") && !strcmp(about.section, "integrator"));
        if (!strcmp(about.name, "max-wall"))
            seen |= 4 * (!strcmp(about.unit, "s") && !strcmp(about.section, "run"));
        if (!strcmp(about.name, "force"))
            seen |= 8 * (about.kind == KY_IS_CHOICE && strstr(about.choices, "walk") != NULL &&
                         !strcmp(about.initial, "auto"));
    }
    assert_int_equal(seen, 15);
    assert_ok(ky_parameters_set(&p, "theta", "0.5", &error));
    assert_ok(ky_parameters_set(&p, "force", "direct", &error));
    assert_true(p.theta == 0.5 && p.force == KY_DIRECT);
    assert_int_equal(ky_parameters_set(&p, "theta", "5", &error), KY_USAGE);
    assert_int_equal(ky_parameters_set(&p, "teta", "0.5", &error), KY_USAGE);
    assert_non_null(strstr(error.text, "did you mean theta"));
    assert_int_equal(ky_parameters_set(&p, "end", "0.5", &error), KY_USAGE);
    p.size = offsetof(struct ky_parameters, step); /* as in a program from before steps */
    assert_int_equal(ky_parameters_set(&p, "step", "0.5", &error), KY_USAGE);
    assert_ok(ky_parameters_set(&p, "theta", "0.25", &error));
}

/* Values with units wait until the units are known. A later value without a unit replaces a waiting
 * one. */
static void values_with_units_wait(void **state)
{
    (void)state;
    static const struct ky_option lengths[] = {
        {"step", KY_OPTION_REAL, AT(step), NULL, 0, 1000, NULL, "TIME", "step [time]"},
        {"theta", KY_OPTION_REAL, AT(theta), "0.7", 0.1, 2, NULL, NULL, "angle"},
        {"number", KY_OPTION_INTEGER, AT(number), "2", 0, 64, NULL, NULL, "number [time]"},
        {"at", KY_OPTION_TEXT, AT(name), NULL, KY_NO_RANGE, NULL, "TIME,TIME...", "times [time]"},
    };
    static const struct {
        char *word, *value, *next;
        const char *text; /* the error of the command line; after '!', that of ky_options_settle */
    } bad[] = {
        {"--step", "3pc", NULL, "--step: pc is a unit of another kind; it takes s, yr, kyr, Myr"},
        {"--step", "3", "Myr",
         "--step: there is a blank between 3 and its unit; write them together, 3Myr"},
        {"--step", "3Mxr", NULL, "--step: 'Mxr' is not a unit here; it takes"},
        {"--step", "1Myr,2Myr", NULL, "is not a number"},
        {"--at", "1Myr,2pc", NULL, "--at: pc is a unit of another kind"},
        {"--at", "1Myr,,2", NULL, "is not a number"},
        {"--theta", "1pc", NULL, "it takes a number without a unit"},
        {"--number", "1Myr", NULL, "'1Myr' is not a number"},
        {"--step", "-3Myr", NULL, "!-3Myr is -3.06"},
        {"--step", "3Gyr", NULL, "!3Gyr is 3068."},
    };
    const char *waiting[4] = {NULL};
    const struct ky_option_set late = {"late", lengths, 4, &v, NULL, waiting};
    const struct ky_option_names names = {&late, 1, NULL};
    struct ky_option_storage *storage = NULL;
    struct ky_units cluster, none;
    assert_ok(ky_units_preset("cluster", &cluster, &error));
    assert_ok(ky_units_preset("nbody", &none, &error));
    char *good[] = {"--step", "977.792Myr", "--at=1,0.977792Gyr,-2Myr"};
    ky_options_defaults(&late);
    assert_ok(ky_options_command_line(&names, 3, good, words, &word_count, &error));
    assert_true(v.step == 977.792 && waiting[0] && waiting[3]);
    assert_ok(ky_options_settle(&late, 1, &cluster, &storage, &error));
    assert_between(v.step, 999.999, 1000.001);
    assert_int_equal(strncmp(v.name, "1,999.999", 9), 0);
    assert_true(!waiting[0] && !waiting[3]);
    assert_ok(ky_options_settle(&late, 1, &none, &storage, &error)); /* nothing waits */
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char *argv[] = {bad[k].word, bad[k].value, bad[k].next};
        const int later = *bad[k].text == '!';
        ky_options_defaults(&late);
        waiting[0] = waiting[3] = NULL;
        enum ky_status status =
            ky_options_command_line(&names, bad[k].next ? 3 : 2, argv, words, &word_count, &error);
        assert_int_equal(status, later ? KY_OK : KY_USAGE);
        if (later)
            assert_int_equal(ky_options_settle(&late, 1, &cluster, &storage, &error), KY_USAGE);
        if (!strstr(error.text, bad[k].text + later))
            fail_msg("%s", error.text);
    }
    assert_ok(ky_option_take(&late, &lengths[0], "3Myr", "--step", &error));
    assert_int_equal(ky_options_settle(&late, 1, &none, &storage, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "N-body units"));
    assert_ok(ky_option_take(&late, &lengths[0], "3Myr", "--step", &error));
    assert_ok(ky_option_take(&late, &lengths[0], "4", "--step", &error));
    assert_ok(ky_options_settle(&late, 1, &none, &storage, &error));
    assert_true(v.step == 4);
    ky_options_storage_free(storage);
}

/* In every table the text of a value that is called LENGTH, TIME, MASS or VELOCITY has its unit in
 * brackets. */
static void units_stand_in_brackets(void **state)
{
    (void)state;
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; ky_option_get(k, &about) == KY_OK; k++) {
        struct ky_dimension dimension;
        const char *near[] = {"softening", "step", "end", "every", "step-max", "stop-core"};
        for (size_t n = 0; n < sizeof near / sizeof *near; n++)
            if (!strcmp(about.name, near[n]))
                assert_true(ky_dimension_of(about.unit, &dimension));
    }
}

static void parameters_take_units(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    assert_int_equal(ky_parameters_set(&parameters, "softening", "3pc", &error), KY_USAGE);
    assert_non_null(strstr(error.text, "N-body units"));
    assert_ok(ky_units_preset("galaxy", &parameters.units, &error));
    assert_ok(ky_parameters_set(&parameters, "softening", "3pc", &error));
    assert_true(parameters.softening == 0.003);
    assert_int_equal(ky_parameters_set(&parameters, "softening", "3Myr", &error), KY_USAGE);
    assert_non_null(strstr(error.text, "softening: Myr is a unit of another kind"));
    parameters.size = offsetof(struct ky_parameters, units); /* a program that was built earlier */
    assert_int_equal(ky_parameters_set(&parameters, "softening", "3pc", &error), KY_USAGE);
}

/* Wrong numbers that a program writes to the struct itself. */
static void wrong_fields_are_refused(void **state)
{
    (void)state;
    ky_options_defaults(&set);
    assert_ok(ky_options_check(&set, &error));
    for (int flag = -1; flag <= 77; flag += 13) {
        v.flag = flag;
        assert_int_equal(ky_options_check(&set, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "fast: "));
        assert_non_null(strstr(error.text, "is neither 0 nor 1"));
    }
    v.flag = 1;
    assert_ok(ky_options_check(&set, &error));
    v.kind = 7;
    assert_int_equal(ky_options_check(&set, &error), KY_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_fields_are_refused),
        cmocka_unit_test(values_with_units_wait),
        cmocka_unit_test(units_stand_in_brackets),
        cmocka_unit_test(parameters_take_units),
        cmocka_unit_test(options_for_programs),
        cmocka_unit_test(parameters_are_resolved_in_place),
        cmocka_unit_test(defaults_and_values),
        cmocka_unit_test(letters_and_words),
        cmocka_unit_test(help_is_wrapped),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(an_option_is_given_once),
        cmocka_unit_test(what_is_not_near_is_not_suggested),
        cmocka_unit_test(ini_errors_have_an_end),
        cmocka_unit_test(templates_are_parameter_files),
        cmocka_unit_test(ini_round_trip),
        cmocka_unit_test(ini_as_people_write_it),
        cmocka_unit_test(ini_errors_name_the_place),
        cmocka_unit_test(ini_names_of_two_sets),
        cmocka_unit_test(parameters_follow_their_tables),
        cmocka_unit_test(the_opening_follows_what_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
