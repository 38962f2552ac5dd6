/* What the options that were given mean for the force: those that choose a method in place of
 * --force auto, and those without effect. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "command/command.h"

/* The choice by the options that `by` (cli_given or cli_on_line) knows. */
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

/* Sets a member to its default unless the line has its option. */
#define FORGET(name, field)                                                                        \
    do {                                                                                           \
        if (!cli_on_line(cli, name))                                                               \
            parameters->field = defaults.field;                                                    \
    } while (0)

/* Forgets the tolerances and the precision of a file: they were chosen for its force, or its error.
 */
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

/* The same, and all else of the method. */
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

/* KY_USAGE for an option of the line that has no effect with what the line and a file have. */
static enum ky_status refuse_idle(struct cli *cli, const struct ky_parameters *parameters)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_PARAMETERS, k, &about); k++) {
        const char *const with =
            cli_on_line(cli, about.name) ? ky_parameters_ignore(parameters, about.name) : NULL;
        if (with)
            return ky_option_refuse_idle(about.name, with, cli->bodies_hash != NULL, &cli->error);
    }
    return KY_OK;
}

/* Warns of options of an INI file that have no effect: the line may have replaced what they belong
 * to. */
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
    KY_TRY(refuse_idle(cli, parameters));
    warn_idle(cli, parameters);
    return KY_OK;
}

/* 1 if hermite4, which the line asks for, cannot have the force or the precision of the file. */
static int is_hermite_beside(const struct cli *cli, const struct ky_parameters *parameters)
{
    const int is_exact = ky_parameters_ignore(parameters, "alpha") != NULL;
    return cli_on_line(cli, "integrator") && parameters->integrator == KY_HERMITE4 &&
           !cli_on_line(cli, "force") && !(is_exact && parameters->precision > KY_SINGLE);
}

/* Forgets what the file chose for its own force, order or error. */
static void forget_its_choice(const struct cli *cli, struct ky_parameters *parameters)
{
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
    if (ky_parameters_ignore(parameters, "tree")) /* it was for a device */
        FORGET("tree", tree);
    if (cli_on_line(cli, "error") || cli_on_line(cli, "force"))
        forget_tolerances(cli, parameters);
    else if (cli_on_line(cli, "order")) /* each order has its own default of alpha */
        FORGET("alpha", alpha);
}

enum ky_status cli_force_of_file(struct cli *cli, struct ky_parameters *parameters)
{
    const struct ky_parameters of_file = *parameters;
    const int is_hermite = is_hermite_beside(cli, parameters);
    if (is_hermite)
        parameters->force = KY_FORCE_AUTO;
    if (parameters->force == KY_FORCE_AUTO) /* no file has it */
        forget_the_file(cli, parameters);
    else
        forget_its_choice(cli, parameters);
    KY_TRY(choose(cli, parameters, cli_on_line));
    KY_TRY(refuse_idle(cli, parameters));
    if (is_hermite)
        cli_log(cli, KY_LOG_WARNING,
                "--integrator hermite4 takes the exact sum: force, tolerances and precision of the "
                "file are left out");
    else if (isnan(parameters->alpha) > isnan(of_file.alpha) ||
             isnan(parameters->theta) > isnan(of_file.theta) ||
             parameters->precision != of_file.precision)
        cli_log(cli, KY_LOG_WARNING,
                "the tolerances and the precision of the file belong to its own force, order or "
                "error: they are chosen anew, but for those on the command line");
    return KY_OK;
}
