/* The options of models on a command line. The model is known only after the line has been read, so
 * one set has an option for each name that any model has. The given options are passed to the model
 * by name. */
#include <string.h>

#include "command/command.h"

static const char *const title = "model";

/* 1 if all models have the option. */
static int is_shared(const char *name)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_options_get(KY_OPTIONS_MODEL, k, &about); k++)
        if (!strcmp(about.name, name))
            return 1;
    return 0;
}

/* Adds a model's own options whose names the table does not have yet. Option k has its value in
 * values[k]. Returns the new number of options. */
static size_t gather(const char *name, struct ky_option options[CLI_OPTIONS], size_t count)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_model_option_get(name, k, &about) && count <= CLI_OPTIONS; k++) {
        struct ky_option_set known = {title, options, count, NULL, NULL, NULL};
        if (is_shared(about.name) || ky_options_find(&known, 1, about.name, NULL))
            continue;
        if (count == CLI_OPTIONS)
            return CLI_OPTIONS + 1; /* cli_add reports it */
        options[count] = cli_option(&about);
        options[count].offset = count * sizeof(union option_value);
        count++;
    }
    return count;
}

void model_options_add(struct cli *cli, struct model_options *model)
{
    const char *name;
    size_t count = 0;
    for (size_t m = 0; (name = ky_model_name(m)); m++)
        count = gather(name, cli->of_models, count);
    ky_model_parameters_defaults(&model->parameters);
    cli_add_options(cli, title, KY_OPTIONS_MODEL, &model->parameters);
    cli_add(cli, title, cli->of_models, count, model->values);
}

int model_takes(const char *name, const char *option)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; !ky_model_option_get(name, k, &about); k++)
        if (!strcmp(about.name, option))
            return 1;
    return 0;
}

/* The names of all options of the model, separated by blanks. */
enum { NAMES = 512 };
static void names_of(const char *name, char names[NAMES])
{
    struct ky_option_about about = {.size = sizeof about};
    size_t used = 0;
    for (size_t k = 0; !ky_model_option_get(name, k, &about) && used < NAMES; k++)
        used += (size_t)snprintf(names + used, NAMES - used, "%s%s", k ? " " : "", about.name);
}

const char *model_options_given(const struct cli *cli, const char *except)
{
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count && !strcmp(cli->sets[s].title, title); k++)
            if (cli->given[s][k] && !(except && model_takes(except, cli->sets[s].options[k].name)))
                return cli->sets[s].options[k].name;
    return NULL;
}

/* Writes the given options of models as words. */
static enum ky_status put_words(struct cli *cli, struct model_options *model)
{
    size_t used = 0, count = 0;
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count && cli->sets[s].options == cli->of_models; k++) {
            char value[sizeof model->text];
            if (!cli->given[s][k])
                continue;
            ky_option_text(&cli->of_models[k], model->values, value, sizeof value);
            model->words[count++] = model->text + used;
            used += (size_t)snprintf(model->text + used, sizeof model->text - used, "%s=%s",
                                     cli->of_models[k].name, value) +
                    1;
            if (used > sizeof model->text)
                return ky_fail(&cli->error, KY_USAGE,
                               "--%s: the options of the model have more than %zu characters",
                               cli->of_models[k].name, sizeof model->text);
        }
    model->words[count] = NULL;
    model->parameters.options = model->words;
    return KY_OK;
}

enum ky_status model_options_settle(struct cli *cli, const char *name, const struct ky_units *asked,
                                    struct ky_units *units)
{
    struct ky_units own = *asked;
    enum ky_status status = ky_model_units(name, &own, &cli->error);
    if (!status && cli_given(cli, "units") && !(asked->length_cm > 0) && own.length_cm > 0)
        status = ky_fail(&cli->error, KY_USAGE,
                         "%s has units of its own, which --units nbody are not: leave out --units",
                         name);
    if (units)
        *units = own;
    return status ? status : cli_settle(cli, &own);
}

enum ky_status model_options_take(struct cli *cli, const char *name, struct model_options *model)
{
    char names[NAMES];
    const char *other = model_options_given(cli, name);
    names_of(name, names);
    if (other)
        return ky_fail(&cli->error, KY_USAGE, "--%s: the model %s has no such option; it has: %s",
                       other, name, names);
    if (!cli->bodies_hash && !(model->parameters.binaries > 0)) /* a run.json has all options */
        KY_TRY(cli_refuse(cli,
                          "binary-periods binary-axis-min binary-axis-max binary-eccentricities "
                          "binary-ratios eigenevolution",
                          "--binaries"));
    return put_words(cli, model);
}

void model_options_narrow(struct cli *cli, const char *name)
{
    char names[NAMES];
    struct ky_option_about about = {.size = sizeof about};
    size_t count = 0;
    names_of(name, names);
    cli_narrow(cli, title, names);
    for (size_t k = 0; !ky_model_option_get(name, k, &about) && count < CLI_OPTIONS; k++)
        if (!is_shared(about.name))
            cli->of_models[count++] = cli_option(&about);
    for (size_t s = 0; s < cli->count; s++)
        if (cli->sets[s].options == cli->of_models)
            cli->sets[s].count = count;
}
