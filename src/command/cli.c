/* One call of a subcommand: its options, its words and its help. */
#include "command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/threads.h"

void cli_add(struct cli *cli, const char *title, const struct ky_option *options, size_t count,
             void *values)
{
    struct ky_option_set *set = &cli->sets[cli->count];
    if (cli->count == CLI_SETS || count > CLI_OPTIONS) {
        cli->overfull = title;
        return;
    }
    *set = (struct ky_option_set){
        title, options, count, values, cli->given[cli->count], cli->waiting[cli->count]};
    cli->count++;
    ky_options_defaults(set);
}

struct ky_option cli_option(const struct ky_option_about *about)
{
    static const enum ky_option_type types[] = {[KY_IS_FLAG] = KY_OPTION_FLAG,
                                                [KY_IS_INTEGER] = KY_OPTION_INTEGER,
                                                [KY_IS_REAL] = KY_OPTION_REAL,
                                                [KY_IS_CHOICE] = KY_OPTION_CHOICE,
                                                [KY_IS_TEXT] = KY_OPTION_TEXT};
    const int is_count = about->kind == KY_IS_INTEGER && about->bytes == sizeof(uint64_t);
    return (struct ky_option){about->name,    is_count ? KY_OPTION_COUNT : types[about->kind],
                              about->offset,  about->initial,
                              about->low,     about->high,
                              about->choices, about->value,
                              about->help};
}

/* Which options of a kind to bind; a member that is NULL excludes none. */
struct which {
    const char *section;
    const char *without; /* the name of one option to leave out */
    const char *names;   /* of the only options, separated by blanks */
};

static int is_wanted(const struct which *which, const struct ky_option_about *about)
{
    return (!which->section || !strcmp(about->section, which->section)) &&
           (!which->without || strcmp(about->name, which->without) != 0) &&
           (!which->names || cli_is_among(about->name, which->names));
}

/* Binds these options of a kind under `title`. */
static void add_told(struct cli *cli, const char *title, int kind, const struct which *which,
                     void *values)
{
    struct ky_option_about about = {.size = sizeof about};
    struct ky_option *const first = cli->told + cli->told_count;
    size_t count = 0;
    if (kind == KY_OPTIONS_PARAMETERS)
        cli->parameters = values;
    for (size_t k = 0; !ky_draw_options_get(kind, k, &about); k++) {
        if (!is_wanted(which, &about))
            continue;
        if (cli->told_count == CLI_TOLD) {
            cli->overfull = title;
            return;
        }
        cli->told[cli->told_count++] = cli_option(&about);
        count++;
    }
    cli_add(cli, title, first, count, values);
}

void cli_add_options(struct cli *cli, const char *title, int kind, void *values)
{
    add_told(cli, title, kind, &(struct which){0}, values);
}

void cli_add_some(struct cli *cli, const char *title, int kind, const char *names, void *values)
{
    add_told(cli, title, kind, &(struct which){.names = names}, values);
}

/* The sections of struct ky_parameters. */
enum { ENGINE, FORCE, INTEGRATOR, STOPPING };
static const char *const sections[] = {"engine", "force", "integrator", "stopping"};

/* Binds the sections up to `last`; the other fields keep their defaults. Only simulations run on
 * ranks. */
static void add_parameters(struct cli *cli, struct ky_parameters *parameters, int last)
{
    struct which which = {.without = last < INTEGRATOR ? "ranks" : NULL};
    ky_parameters_defaults(parameters);
    for (int k = ENGINE; k <= last; k++) {
        which.section = sections[k];
        add_told(cli, sections[k], KY_OPTIONS_PARAMETERS, &which, parameters);
    }
    parameters->log = cli_log;
    parameters->log_context = cli;
}

void cli_add_parameters(struct cli *cli, struct ky_parameters *parameters)
{
    add_parameters(cli, parameters, STOPPING);
}

void cli_add_force(struct cli *cli, struct ky_parameters *parameters)
{
    add_parameters(cli, parameters, FORCE);
}

void cli_add_engine(struct cli *cli, struct ky_parameters *parameters)
{
    add_parameters(cli, parameters, ENGINE);
}

int cli_is_among(const char *name, const char *names)
{
    size_t length = strlen(name);
    for (const char *word = names; *word; word += strcspn(word, " "), word += *word == ' ')
        if (strcspn(word, " ") == length && !strncmp(word, name, length))
            return 1;
    return 0;
}

void cli_narrow(struct cli *cli, const char *title, const char *names)
{
    struct ky_option_set *set = cli->sets;
    size_t kept = 0;
    while (strcmp(set->title, title) != 0)
        set++;
    for (size_t k = 0; k < set->count; k++)
        if (cli_is_among(set->options[k].name, names))
            cli->narrowed[kept++] = set->options[k];
    set->options = cli->narrowed;
    set->count = kept;
}

/* 1 if the word names a parameter file, by its ending. */
static int is_parameter_file(const char *word)
{
    return ky_ends_with(word, ".ini") || ky_ends_with(word, ".json");
}

static struct ky_option_names names_of(const struct cli *cli)
{
    return (struct ky_option_names){cli->sets, cli->count, ky_option_words};
}

/* Reads the INI or JSON file into the sets. */
static enum ky_status read_parameter_file(struct cli *cli, const char *name)
{
    struct stat about;
    FILE *file = fopen(name, "r");
    if (!file)
        return ky_fail(&cli->error, KY_USAGE, "%s: %s", name, strerror(errno));
    if (!fstat(fileno(file), &about) && S_ISDIR(about.st_mode)) {
        fclose(file);
        return ky_fail(&cli->error, KY_USAGE, "%s: is a folder, not a parameter file", name);
    }
    const struct ky_option_names names = names_of(cli);
    enum ky_status status = ky_ends_with(name, ".json")
                                ? ky_options_json(&names, file, name, &cli->storage, "bodies_hash",
                                                  &cli->bodies_hash, &cli->error)
                                : ky_options_ini(&names, file, name, &cli->storage, &cli->error);
    fclose(file);
    return status;
}

/* --help may stand anywhere on the line: then nothing else matters but its topic. */
static int wants_help(struct cli *cli, int argc, char **argv)
{
    for (int k = 0; k < argc && strcmp(argv[k], "--") != 0; k++) {
        cli->help |= !strcmp(argv[k], "--help") || !strcmp(argv[k], "-h");
        cli->all |= !strcmp(argv[k], "--all");
    }
    if (cli->help && argc && argv[0][0] != '-')
        cli->words[cli->word_count++] = argv[0];
    return cli->help;
}

/* Reads the options of the command line; other words go to cli->words. */
static enum ky_status read_words(struct cli *cli, int argc, char **argv)
{
    const struct ky_option_names names = names_of(cli);
    return ky_options_command_line(&names, argc, argv, cli->words, &cli->word_count, &cli->error);
}

/* KY_USAGE for a word such as "tstop=5", the form of options in other programs. */
static enum ky_status refuse_assignments(struct cli *cli)
{
    const struct ky_option_names names = names_of(cli);
    for (int k = 0; k < cli->word_count; k++) {
        const char *word = cli->words[k], *value = strchr(word, '=');
        char name[64], assigned[66], guess[KY_OPTION_GUESS];
        struct stat about;
        if (!value || value - word > 60 || !stat(word, &about))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(value - word), word);
        snprintf(assigned, sizeof assigned, "%s=", name);
        const int own = !!ky_options_find(cli->sets, cli->count, name, NULL);
        const struct ky_option_word *other = ky_option_other_word(&names, assigned);
        if (own && !other)
            return ky_fail(&cli->error, KY_USAGE, "'%s' is not an option; write --%s %s", word,
                           name, value + 1);
        ky_options_guess(&names, "--", other ? assigned : name, guess);
        if (*guess)
            return ky_fail(&cli->error, KY_USAGE, "'%s' is not an option%s (--help lists all)",
                           word, guess);
    }
    return KY_OK;
}

/* --threads applies to the whole program, including models and analysis. */
static void take_threads(const struct cli *cli)
{
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(cli->sets, cli->count, "threads", &owner);
    if (option && cli_given(cli, "threads"))
        ky_threads_take(*(const int *)((const char *)owner->values + option->offset));
}

enum ky_status cli_parse(struct cli *cli, int argc, char **argv, int least, int most)
{
    if (cli->overfull)
        return ky_fail(&cli->error, KY_FAULT, "too many options in '%s'", cli->overfull);
    cli->words = malloc(((size_t)argc + 1) * sizeof *cli->words);
    if (!cli->words)
        return ky_no_memory(&cli->error, "command line", (size_t)argc + 1, sizeof *cli->words);
    if (wants_help(cli, argc, argv))
        return KY_OK;
    enum ky_status status = read_words(cli, argc, argv);
    memcpy(cli->on_line, cli->given, sizeof cli->given);
    if (!status && cli->takes_file && cli->word_count && is_parameter_file(cli->words[0])) {
        status = read_parameter_file(cli, cli->words[0]);
        if (!status) /* again: the command line overrides the file */
            status = read_words(cli, argc, argv);
        cli->word_count--;
        memmove(cli->words, cli->words + 1, (size_t)cli->word_count * sizeof *cli->words);
    }
    if (!status)
        status = refuse_assignments(cli);
    if (status)
        return status;
    if (cli->word_count > most)
        return ky_fail(&cli->error, KY_USAGE, "unexpected word '%s'; usage: kyoho %s %s",
                       cli->words[most], cli->command->name, cli->command->usage);
    if (cli->word_count < least)
        return ky_fail(&cli->error, KY_USAGE, "usage: kyoho %s %s", cli->command->name,
                       cli->command->usage);
    take_threads(cli);
    return cli->parameters && !cli->takes_file
               ? cli_refuse_idle(cli, sections[ENGINE], cli->parameters)
               : KY_OK;
}

enum ky_status cli_settle(struct cli *cli, const struct ky_units *units)
{
    return ky_options_settle(cli->sets, cli->count, units, &cli->storage, &cli->error);
}

int cli_waits(const struct cli *cli, const char *name)
{
    for (size_t s = 0; s < cli->count && !name; s++)
        for (size_t k = 0; k < cli->sets[s].count; k++)
            if (cli->waiting[s][k])
                return 1;
    if (!name)
        return 0;
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(cli->sets, cli->count, name, &owner);
    return option && owner->waiting && owner->waiting[option - owner->options];
}

int cli_on_line(const struct cli *cli, const char *name)
{
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(cli->sets, cli->count, name, &owner);
    return option && cli->on_line[owner - cli->sets][option - owner->options];
}

int cli_set_on_line(const struct cli *cli, const char *title)
{
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count && !strcmp(cli->sets[s].title, title); k++)
            if (cli->on_line[s][k])
                return 1;
    return 0;
}

int cli_given(const struct cli *cli, const char *name)
{
    return ky_option_given(cli->sets, cli->count, name);
}

enum ky_status cli_refuse(struct cli *cli, const char *names, const char *what)
{
    for (const char *word = names; *word; word += strcspn(word, " "), word += *word == ' ') {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, " "), word);
        if (cli_given(cli, name))
            return ky_fail(&cli->error, KY_USAGE, "--%s has no effect without %s", name, what);
    }
    return KY_OK;
}

void exit_codes(char *text, size_t size)
{
    size_t used = 0;
    for (int code = 0; code <= KY_CANNOT_WRITE && used < size; code++)
        used += (size_t)snprintf(text + used, size - used, "%d %s%s", code,
                                 ky_status_name((enum ky_status)code),
                                 code < KY_CANNOT_WRITE ? "; " : ".");
}

/* ---- remarks ---- */

struct remark {
    struct remark *next;
    char text[];
};

/* Remembers the line; 1 if it was printed before. */
static int said_before(struct cli *cli, const char *line)
{
    for (const struct remark *remark = cli->said; remark; remark = remark->next)
        if (!strcmp(remark->text, line))
            return 1;
    struct remark *remark = malloc(sizeof *remark + strlen(line) + 1);
    if (remark) {
        strcpy(remark->text, line);
        remark->next = cli->said;
        cli->said = remark;
    }
    return 0;
}

void cli_log(void *context, enum ky_log_level level, const char *line)
{
    struct cli *cli = context;
    if (level == KY_LOG_DETAIL || (cli->quiet && level != KY_LOG_WARNING) || said_before(cli, line))
        return;
    fprintf(stderr, "%s%s\n", level == KY_LOG_WARNING ? "warning: " : "", line);
}

void cli_free(struct cli *cli)
{
    while (cli->said) {
        struct remark *next = cli->said->next;
        free(cli->said);
        cli->said = next;
    }
    ky_options_storage_free(cli->storage);
    free(cli->words);
}
