/* The help of a subcommand. The short form explains the options that most users need and names the
 * rest; the long form (--all) explains every option. */
#include <string.h>

#include "command/command.h"

/* 1 if the short help of the command explains the option. */
static int is_usual(const struct cli *cli, const char *name)
{
    return cli_is_among(name, cli->command->usual);
}

/* 1 for options of models in the help of a command that also takes bodies from other sources. */
static int is_of_models(const struct cli *cli, const struct ky_option_set *set)
{
    return !strcmp(set->title, "model") && strcmp(cli->command->name, "model") != 0;
}

/* Explains the usual options, set by set. */
static void usual_options(const struct cli *cli, FILE *out)
{
    struct ky_option kept[CLI_SETS * CLI_OPTIONS];
    struct ky_option_set sets[CLI_SETS];
    size_t used = 0;
    for (size_t s = 0; s < cli->count; s++) {
        sets[s] = cli->sets[s];
        sets[s].options = kept + used;
        sets[s].count = 0;
        for (size_t k = 0; k < cli->sets[s].count; k++)
            if (is_usual(cli, cli->sets[s].options[k].name))
                sets[s].count++, kept[used++] = cli->sets[s].options[k];
    }
    ky_options_help(sets, cli->count, ky_option_words, out);
}

/* Appends the names of the set's options that the short help does not explain; returns the
 * length. */
static size_t other_names(const struct cli *cli, const struct ky_option_set *set, char *names,
                          size_t size, size_t used)
{
    for (size_t k = 0; k < set->count && used < size && !is_of_models(cli, set); k++) {
        const char *name = set->options[k].name;
        if (!is_usual(cli, name) &&
            ky_options_is_first(cli->sets, cli->count, set, &set->options[k]))
            used += (size_t)snprintf(names + used, size - used, " --%s", name);
    }
    return used;
}

/* Lists the options that the short help does not explain, one line per title. */
static void other_options(const struct cli *cli, FILE *out)
{
    char names[CLI_SETS * CLI_OPTIONS * 24];
    size_t used = 0;
    int models = 0;
    fputs("\nother options:\n", out);
    for (size_t s = 1; s <= cli->count; s++) { /* general options, the first set, come last */
        const struct ky_option_set *set = &cli->sets[s % cli->count];
        int last = s == cli->count || strcmp(set->title, cli->sets[(s + 1) % cli->count].title);
        models |= is_of_models(cli, set);
        used = other_names(cli, set, names, sizeof names, used);
        if (used && last)
            ky_help_text(names, fprintf(out, "  %-22s", set->title), 24, out);
        used = last ? 0 : used;
    }
    fprintf(out, "\n`kyoho help %s --all` explains every option%s.\n", cli->command->name,
            models ? ", `kyoho help model NAME` the options of a model" : "");
}

/* Prints the examples, a line each. */
static void examples(const char *line, FILE *out)
{
    fputs("\nexamples:\n", out);
    for (; *line; line = strchr(line, '\n') + 1)
        fprintf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
}

void cli_help(const struct cli *cli, FILE *out)
{
    char usage[512];
    int narrowed = cli->summary != cli->command->summary; /* the help of one model */
    int whole = cli->all || !cli->command->usual || narrowed;
    snprintf(usage, sizeof usage, "kyoho %s %s", cli->command->name, cli->usage);
    fputs("usage: ", out);
    ky_help_text(usage, 7, 7, out);
    fputc('\n', out);
    ky_help_text(cli->summary, 0, 0, out);
    if (cli->command->examples && !narrowed)
        examples(cli->command->examples, out);
    if (whole) {
        ky_options_help(cli->sets + 1, cli->count - 1, ky_option_words, out);
        ky_options_help(cli->sets, 1, ky_option_words, out);
    } else {
        usual_options(cli, out);
        other_options(cli, out);
    }
    if (cli->command->more_help)
        cli->command->more_help(cli, out);
}
