/* What the options that were given mean for the force: those that choose a method in place of
 * --force auto, and those without effect. */
#include <math.h>
#include <string.h>

#include "command/command.h"

/* The methods of --force auto; the first that uses all options that were given is chosen. */
static const int methods[] = {KY_TREE, KY_FMM, KY_DIRECT};
enum { METHODS = sizeof methods / sizeof *methods };

/* Whether the force ignores the option, but not all methods do. */
static int refuses(const struct ky_parameters *parameters, int force, const char *name)
{
    struct ky_parameters own = *parameters;
    int ignored = 0;
    for (int k = 0; k < METHODS; k++) {
        own.force = methods[k];
        ignored += ky_parameters_ignore(&own, name) != NULL;
    }
    own.force = force;
    return ignored < METHODS && ky_parameters_ignore(&own, name);
}

/* An option of this kind that `given` (cli_given or cli_on_line) knows; NULL: there is none. */
static const char *refused(const struct cli *cli, const struct ky_parameters *parameters, int force,
                           int (*given)(const struct cli *cli, const char *name))
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_PARAMETERS, k, &about); k++)
        if (given(cli, about.name) && refuses(parameters, force, about.name))
            return about.name;
    return NULL;
}

/* KY_USAGE for --error beside what it chooses. */
static enum ky_status check_error(struct cli *cli,
                                  int (*given)(const struct cli *cli, const char *name))
{
    static const char *const chosen[] = {"alpha", "theta", "order"};
    for (int k = 0; k < 3 && cli_given(cli, "error"); k++)
        if (given(cli, chosen[k]))
            return ky_fail(&cli->error, KY_USAGE,
                           "--error and --%s: an error chooses alpha, theta and order; give one of "
                           "the two",
                           chosen[k]);
    return KY_OK;
}

/* Forgets what a file has of the method, its tolerances and its precision, unless the line has it.
 */
static void forget_the_file(const struct cli *cli, struct ky_parameters *parameters)
{
    struct ky_parameters defaults;
    ky_parameters_defaults(&defaults);
#define FORGET(name, field)                                                                        \
    if (!cli_on_line(cli, name))                                                                   \
    parameters->field = defaults.field
    FORGET("theta", theta);
    FORGET("alpha", alpha);
    FORGET("opening", opening);
    FORGET("cell", cell);
    FORGET("multipole", multipole);
    FORGET("order", order);
    FORGET("precision", precision);
    FORGET("unroll", unroll);
    FORGET("mutual", mutual);
#undef FORGET
}

enum ky_status cli_choose_force(struct cli *cli, struct ky_parameters *parameters)
{
    const char *by[METHODS];
    int chosen = METHODS, refusals = 0;
    const int by_line = cli_on_line(cli, "force") && parameters->force == KY_FORCE_AUTO;
    enum ky_status status = check_error(cli, by_line ? cli_on_line : cli_given);
    if (status || parameters->force != KY_FORCE_AUTO)
        return status;
    if (by_line)
        forget_the_file(cli, parameters);
    for (int k = METHODS - 1; k >= 0; k--) {
        by[k] = refused(cli, parameters, methods[k], by_line ? cli_on_line : cli_given);
        refusals += by[k] != NULL;
        chosen = by[k] ? chosen : k;
    }
    if (refusals == METHODS)
        return ky_fail(&cli->error, KY_USAGE,
                       "--%s has no effect with --force tree, and --%s none with --force fmm: give "
                       "the options of one force",
                       by[0], by[1]);
    if (refusals > 0)
        parameters->force = methods[chosen];
    return KY_OK;
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
    if (cli_on_line(cli, "error")) { /* the file has what another error, or a user, has chosen */
        struct ky_parameters defaults;
        ky_parameters_defaults(&defaults);
        parameters->alpha = parameters->theta = (double)NAN;
        parameters->opening = KY_OPENING_BY_USE;
        parameters->order = defaults.order;
    }
    return refuse_idle(cli, parameters);
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
