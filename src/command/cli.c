/* One call of a subcommand: its options, its words, its help. */
#include "command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

static const struct ky_option_letter letters[] = {
    {"n", "bodies"}, {"o", "output"}, {"h", "help"}, {"q", "quiet"}, {NULL, NULL}};

void cli_add(struct cli *cli, const char *title, const struct ky_option *options, size_t count,
             void *values)
{
    struct ky_option_set *set = &cli->sets[cli->count];
    *set = (struct ky_option_set){title, options, count, values, cli->given[cli->count]};
    cli->count++;
    ky_options_defaults(set);
}

/* The first `count` sets of parameters; the others keep their defaults. */
static void add_parameters(struct cli *cli, struct ky_parameters *parameters, int count)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    ky_parameters_defaults(parameters);
    ky_parameter_sets(parameters, sets);
    for (int k = 0; k < count; k++)
        cli_add(cli, sets[k].title, sets[k].options, sets[k].count, parameters);
    parameters->log = cli_log;
    parameters->log_context = cli;
}

void cli_add_parameters(struct cli *cli, struct ky_parameters *parameters)
{
    add_parameters(cli, parameters, KY_PARAMETER_SETS);
}

void cli_add_engine(struct cli *cli, struct ky_parameters *parameters)
{
    add_parameters(cli, parameters, 1);
}

static enum ky_status read_ini(struct cli *cli, const char *name)
{
    struct stat about;
    FILE *file = fopen(name, "r");
    if (!file)
        return ky_fail(&cli->error, KY_USAGE, "%s: %s", name, strerror(errno));
    if (!fstat(fileno(file), &about) && S_ISDIR(about.st_mode)) {
        fclose(file);
        return ky_fail(&cli->error, KY_USAGE, "%s: is a folder, not a parameter file", name);
    }
    enum ky_status status =
        ky_options_ini(cli->sets, cli->count, file, name, &cli->storage, &cli->error);
    fclose(file);
    return status;
}

static int is_ini(const char *word)
{
    size_t length = strlen(word);
    return length > 4 && !strcmp(word + length - 4, ".ini");
}

enum ky_status cli_parse(struct cli *cli, int argc, char **argv, int least, int most, int ini)
{
    cli->words = malloc(((size_t)argc + 1) * sizeof *cli->words);
    if (!cli->words)
        return ky_no_memory(&cli->error, "command line", (size_t)argc + 1, sizeof *cli->words);
    enum ky_status status = ky_options_command_line(cli->sets, cli->count, letters, argc, argv,
                                                    cli->words, &cli->word_count, &cli->error);
    if (!status && ini && cli->word_count && is_ini(cli->words[0])) {
        status = read_ini(cli, cli->words[0]);
        if (!status) /* again: the command line has the last word */
            status = ky_options_command_line(cli->sets, cli->count, letters, argc, argv, cli->words,
                                             &cli->word_count, &cli->error);
        cli->word_count--;
        memmove(cli->words, cli->words + 1, (size_t)cli->word_count * sizeof *cli->words);
    }
    if (status || cli->help)
        return status;
    if (cli->word_count > most)
        return ky_fail(&cli->error, KY_USAGE, "what is '%s'? usage: kyoho %s %s", cli->words[most],
                       cli->command->name, cli->command->usage);
    if (cli->word_count < least)
        return ky_fail(&cli->error, KY_USAGE, "usage: kyoho %s %s", cli->command->name,
                       cli->command->usage);
    return KY_OK;
}

int cli_given(const struct cli *cli, const char *name)
{
    return ky_option_given(cli->sets, cli->count, name);
}

void cli_help(const struct cli *cli, FILE *out)
{
    fprintf(out, "usage: kyoho %s %s\n\n%s\n", cli->command->name, cli->command->usage,
            cli->command->summary);
    ky_options_help(cli->sets, cli->count, out);
    if (cli->command->more_help)
        cli->command->more_help(out);
}

void cli_log(void *context, enum ky_log_level level, const char *line)
{
    const struct cli *cli = context;
    if (level == KY_LOG_DETAIL || (cli->quiet && level != KY_LOG_WARNING))
        return;
    fprintf(stderr, "%s%s\n", level == KY_LOG_WARNING ? "warning: " : "", line);
}
