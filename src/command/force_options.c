/* Effects of given options on the force: options that choose a method for --force auto, and options
 * without effect. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "command/command.h"

/* Chooses the force by the options that `by` (cli_given or cli_on_line) reports. */
static enum ky_status choose(struct cli *cli, struct ky_parameters *parameters,
                             int (*by)(const struct cli *cli, const char *name))
{
    const char *given[CLI_TOLD + 1];
    struct ky_option_about about = {.size = sizeof about};
    size_t count = 0;
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_PARAMETERS, k, &about); k++)
        if (by(cli, about.name))
            given[count++] = about.name;
    given[count] = NULL;
    return ky_parameters_choose_force(parameters, given, &cli->error);
}

/* Sets a member to its default unless the command line gives its option. */
#define FORGET(name, field)                                                                        \
    do {                                                                                           \
        if (!cli_on_line(cli, name))                                                               \
            parameters->field = defaults.field;                                                    \
    } while (0)

/* Discards a file's tolerances and precision, which were chosen for its force or its error. */
static void forget_tolerances(const struct cli *cli, struct ky_parameters *parameters)
{
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
    FORGET("theta", theta);
    FORGET("alpha", alpha);
    FORGET("opening", opening);
    FORGET("order", order);
    FORGET("precision", precision);
}

/* The same for all settings of the method. */
static void forget_the_file(const struct cli *cli, struct ky_parameters *parameters)
{
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
    forget_tolerances(cli, parameters);
    FORGET("cell", cell);
    FORGET("multipole", multipole);
    FORGET("tree", tree);
    FORGET("mutual", mutual);
}

enum ky_status cli_refuse_idle(struct cli *cli, const char *section,
                               const struct ky_parameters *parameters)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_PARAMETERS, k, &about); k++) {
        if (section && strcmp(about.section, section) != 0)
            continue;
        const char *const with =
            cli_on_line(cli, about.name) ? ky_parameters_ignore(parameters, about.name) : NULL;
        if (with)
            return ky_option_refuse_idle(about.name, with, cli->bodies_hash != NULL, &cli->error);
    }
    return KY_OK;
}

/* Warns of INI options without effect, since the command line may have replaced the method that
 * uses them. */
static void warn_idle(struct cli *cli, const struct ky_parameters *parameters)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_PARAMETERS, k, &about); k++) {
        const char *const with =
            cli_given(cli, about.name) ? ky_parameters_ignore(parameters, about.name) : NULL;
        char line[128];
        if (!with)
            continue;
        snprintf(line, sizeof line, "--%s has no effect with %s", about.name, with);
        cli_log(cli, KY_LOG_WARNING, line);
    }
}

enum ky_status cli_choose_force(struct cli *cli, struct ky_parameters *parameters)
{
    const int by_line = cli_on_line(cli, "force") && parameters->force == KY_FORCE_AUTO;
    if (by_line)
        forget_the_file(cli, parameters);
    KY_TRY(choose(cli, parameters, by_line ? cli_on_line : cli_given));
    KY_TRY(cli_refuse_idle(cli, NULL, parameters));
    warn_idle(cli, parameters);
    return KY_OK;
}

/* 1 if the command line asks for hermite4, which does not work with the force or the precision of
 * the file. */
static int is_hermite_beside(const struct cli *cli, const struct ky_parameters *parameters)
{
    const int is_exact = ky_parameters_ignore(parameters, "alpha") != NULL;
    return cli_on_line(cli, "integrator") && parameters->integrator == KY_HERMITE4 &&
           !cli_on_line(cli, "force") && !(is_exact && parameters->precision > KY_SINGLE);
}

/* Discards settings that the file chose for its own force, order or error. */
static void forget_its_choice(const struct cli *cli, struct ky_parameters *parameters)
{
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
    if (ky_parameters_ignore(parameters, "tree")) /* the setting was for a device */
        FORGET("tree", tree);
    if (cli_on_line(cli, "error") || cli_on_line(cli, "force"))
        forget_tolerances(cli, parameters);
    else if (cli_on_line(cli, "order")) /* each order has its own default for alpha */
        FORGET("alpha", alpha);
}

enum ky_status cli_force_of_file(struct cli *cli, struct ky_parameters *parameters)
{
    const struct ky_parameters of_file = *parameters;
    const int is_hermite = is_hermite_beside(cli, parameters);
    if (is_hermite)
        parameters->force = KY_FORCE_AUTO;
    if (parameters->force == KY_FORCE_AUTO) /* no file has this value */
        forget_the_file(cli, parameters);
    else
        forget_its_choice(cli, parameters);
    KY_TRY(choose(cli, parameters, cli_on_line));
    KY_TRY(cli_refuse_idle(cli, NULL, parameters));
    if (is_hermite)
        cli_log(cli, KY_LOG_WARNING,
                "--integrator hermite4 uses the exact sum: force, tolerances and precision of the "
                "file are ignored");
    else if (isnan(parameters->alpha) > isnan(of_file.alpha) ||
             isnan(parameters->theta) > isnan(of_file.theta) ||
             parameters->precision != of_file.precision)
        cli_log(cli, KY_LOG_WARNING,
                "the tolerances and the precision of the file belong to its own force, order or "
                "error: they are chosen again, except those on the command line");
    return KY_OK;
}
