/* What the tests of the GRAPE libraries share. With a wrong variable of the environment the opening
 * fails, and says why with KYOHO_VERBOSE. With an engine that has no boards it fails too. */
#ifndef GRAPE_SETTINGS_H
#define GRAPE_SETTINGS_H

#include <string.h>
#include <unistd.h>

/* Calls `open` and returns its result; `said` gets what it writes to standard error. */
static inline int said_by(int (*open)(void), char said[512])
{
    FILE *file = tmpfile();
    const int error = dup(STDERR_FILENO);
    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const int result = open();
    fflush(stderr);
    dup2(error, STDERR_FILENO);
    close(error);
    rewind(file);
    said[fread(said, 1, 511, file)] = '\0';
    fclose(file);
    return result;
}

/* Whether the line says what is wrong: the value, or why its driver is missing ("engine cuda:
 * …"). */
static inline int tells(const char *said, const char *value)
{
    char driver[64];
    snprintf(driver, sizeof driver, "engine %.*s: ", (int)strcspn(value, ":"), value);
    return strstr(said, value) || strstr(said, driver);
}

/* Tries wrong values of each variable, with KYOHO_ENGINE=cpu otherwise. */
static inline void wrong_values(int (*open)(void), int takes_single)
{
    static const struct {
        const char *variable, *value;
    } wrong[] = {{"KYOHO_ENGINE", "abacus"},     {"KYOHO_ENGINE", "cuda:99"},
                 {"KYOHO_ENGINE", "cpu:0x"},     {"KYOHO_ENGINE", "cpu:"},
                 {"KYOHO_ENGINE", "cpu:0,,1"},   {"KYOHO_ENGINE", "cpu:-1"},
                 {"KYOHO_ENGINE", "opencl:1e9"}, {"KYOHO_ENGINE", "auto:0"},
                 {"KYOHO_PRECISION", "single"},  {"KYOHO_PRECISION", "1"},
                 {"KYOHO_NPIPES", "0"},          {"KYOHO_NPIPES", "abc"},
                 {"KYOHO_NPIPES", "-1"},         {"KYOHO_NPIPES", "1e9"},
                 {"KYOHO_NPIPES", "16385"},      {"KYOHO_NPIPES", "48x"},
                 {"KYOHO_NPIPES", " 48"},        {"KYOHO_NPIPES", "18446744073709551664"},
                 {"KYOHO_NEIGHBOURS", "-3"},     {"KYOHO_NEIGHBOURS", "0"},
                 {"KYOHO_NEIGHBOURS", "all"},    {"KYOHO_NEIGHBOURS", "1000000000"},
                 {"SLURM_LOCALID", "abc"},       {"OMPI_COMM_WORLD_LOCAL_RANK", "-1"}};
    char said[512];
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (int verbose = 0; verbose < 2; verbose++) {
            if (takes_single && !strcmp(wrong[k].value, "single"))
                continue;
            setenv("KYOHO_ENGINE", "cpu", 1);
            setenv("KYOHO_VERBOSE", verbose ? "1" : "0", 1);
            setenv(wrong[k].variable, wrong[k].value, 1);
            if (said_by(open, said) == 0)
                fail_msg("%s=%s was taken", wrong[k].variable, wrong[k].value);
            if (!verbose ? *said != '\0'
                         : strncmp(said, "kyoho: open: ", 13) != 0 ||
                               !tells(said, wrong[k].value) || strchr(said, '\n')[1])
                fail_msg("%s=%s: it said '%s'", wrong[k].variable, wrong[k].value, said);
            unsetenv(wrong[k].variable);
        }
    unsetenv("KYOHO_VERBOSE");
    setenv("KYOHO_ENGINE", "cpu", 1);
}

static const char *absent; /* an engine without a board that opens */

/* An engine without a board that opens has no usable device. */
static inline void has_no_boards(void **state)
{
    (void)state;
    struct ky_device device = {0};
    const size_t kind = strcspn(absent, ":");
    for (size_t k = 0; ky_device_get(k, &device) == KY_OK; k++)
        if (device.usable && !strncmp(device.engine, absent, kind))
            fail_msg("%s is usable: %s", device.engine, device.name);
    printf("# no device of %s is usable here\n", absent);
    skip();
}

static inline int run_without_boards(const char *engine)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(has_no_boards)};
    absent = engine;
    return cmocka_run_group_tests_name(engine, tests, NULL, NULL);
}

#endif
