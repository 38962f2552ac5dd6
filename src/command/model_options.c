/* The options of models on a command line. Only when the line has been read is it known which
 * model they are for. So one set has an option of each name that any model has. Those that were
 * given go to the model by name. */
#include <string.h>

#include "command/command.h"
#include "models/models.h"

static const char *const title = "model";

/* Gathers one option of each name. Option k has its value in values[k]. */
static size_t gather(struct ky_option options[CLI_OPTIONS])
{
    size_t count = 0;
    for (size_t m = 0; m < ky_model_count; m++)
        for (size_t k = 0; k < ky_models[m]->option_count; k++) {
            const struct ky_option *option = &ky_models[m]->options[k];
            struct ky_option_set known = {title, options, count, NULL, NULL, NULL};
            if (ky_options_find(&known, 1, option->name, NULL))
                continue;
            if (count == CLI_OPTIONS)
                return CLI_OPTIONS + 1; /* which cli_add does not take */
            options[count] = *option;
            options[count].offset = count * sizeof(union option_value);
            count++;
        }
    return count;
}

void model_options_add(struct cli *cli, struct model_options *model)
{
    ky_model_parameters_defaults(&model->parameters);
    cli_add(cli, title, ky_model_options, ky_model_option_count, &model->parameters);
    cli_add(cli, title, cli->of_models, gather(cli->of_models), model->values);
}

const char *model_options_given(const struct cli *cli, const struct ky_model *except)
{
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count && !strcmp(cli->sets[s].title, title); k++)
            if (cli->given[s][k] &&
                !(except && ky_model_takes(except, cli->sets[s].options[k].name)))
                return cli->sets[s].options[k].name;
    return NULL;
}

/* The values of the models' own options that were given, as words. */
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
    const struct ky_model *model = ky_model_find(name, &cli->error);
    if (!model)
        return KY_USAGE;
    enum ky_status status = ky_model_units(model, &own, &cli->error);
    if (units)
        *units = own;
    return status ? status : cli_settle(cli, &own);
}

enum ky_status model_options_take(struct cli *cli, const char *name, struct model_options *model)
{
    char names[KY_MODEL_NAMES];
    const struct ky_model *taker = ky_model_find(name, &cli->error);
    if (!taker)
        return KY_USAGE;
    const char *other = model_options_given(cli, taker);
    ky_model_names(taker, names);
    if (other)
        return ky_fail(&cli->error, KY_USAGE, "--%s: the model %s has no such option; it has: %s",
                       other, name, names);
    return put_words(cli, model);
}

void model_options_narrow(struct cli *cli, const struct ky_model *model)
{
    char names[KY_MODEL_NAMES];
    ky_model_names(model, names);
    cli_narrow(cli, title, names);
    for (size_t s = 0; s < cli->count; s++)
        if (!strcmp(cli->sets[s].title, title) && cli->sets[s].options != cli->narrowed) {
            cli->sets[s].options = model->options;
            cli->sets[s].count = model->option_count;
        }
}
