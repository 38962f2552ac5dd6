/* What the options that were given mean for the force: those that choose a method in place of
 * --force auto, and those without effect. */
#include <math.h>
#include <string.h>

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
    if (!cli_on_line(cli, name))                                                                   \
    parameters->field = defaults.field

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
    FORGET("unroll", unroll);
}

/* The same, and all else of the method. */
static void forget_the_file(const struct cli *cli, struct ky_parameters *parameters)
{
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
    forget_tolerances(cli, parameters);
    FORGET("cell", cell);
    FORGET("multipole", multipole);
    FORGET("mutual", mutual);
}

enum ky_status cli_choose_force(struct cli *cli, struct ky_parameters *parameters)
{
    const int by_line = cli_on_line(cli, "force") && parameters->force == KY_FORCE_AUTO;
    if (by_line)
        forget_the_file(cli, parameters);
    return choose(cli, parameters, by_line ? cli_on_line : cli_given);
}

/* KY_USAGE for an option of the line that has no effect with what the line and the file have. */
static enum ky_status refuse_idle(struct cli *cli, const struct ky_parameters *parameters)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_PARAMETERS, k, &about); k++) {
        const char *const with =
            cli_on_line(cli, about.name) ? ky_parameters_ignore(parameters, about.name) : NULL;
        if (with)
            return ky_fail(&cli->error, KY_USAGE,
                           "--%s has no effect with %s, which this run has: leave out --%s, or "
                           "change that, too",
                           about.name, with, about.name);
    }
    return KY_OK;
}

enum ky_status cli_force_of_file(struct cli *cli, struct ky_parameters *parameters)
{
    if (parameters->force == KY_FORCE_AUTO) /* the line has it: no file does */
        return cli_choose_force(cli, parameters);
    enum ky_status status = choose(cli, parameters, cli_on_line);
    if (status)
        return status;
    const double alpha = parameters->alpha, theta = parameters->theta;
    const int precision = parameters->precision;
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
    if (cli_on_line(cli, "error") || cli_on_line(cli, "force"))
        forget_tolerances(cli, parameters);
    else if (cli_on_line(cli, "order")) /* each order has its own default of alpha */
        FORGET("alpha", alpha);
    status = refuse_idle(cli, parameters);
    if (!status && (isnan(parameters->alpha) > isnan(alpha) ||
                    isnan(parameters->theta) > isnan(theta) || parameters->precision != precision))
        cli_log(cli, KY_LOG_WARNING,
                "the tolerances and the precision of the file belong to its own force, order or "
                "error: they are chosen anew, but for those on the command line");
    return status;
}

void cli_warn_idle(struct cli *cli, const struct ky_parameters *parameters)
{
    static const char *const names[] = {"theta", "opening", "alpha", "cell",  "multipole", "order",
                                        "curve", "tree",    "leaf",  "group", "unroll",    "isa"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *with =
            cli_given(cli, names[k]) ? ky_parameters_ignore(parameters, names[k]) : NULL;
        char line[128];
        if (!with)
            continue;
        snprintf(line, sizeof line, "--%s has no effect with %s", names[k], with);
        cli_log(cli, KY_LOG_WARNING, line);
    }
}
