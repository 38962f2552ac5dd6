/* Completion scripts for kyoho's command lines: commands, models, options, and values of options
 * that are chosen from a list. Everything else is completed as a file name. */
#include "command/completion.h"

#include <string.h>

/* Writes the names of all models, separated by blanks. */
static void model_names(FILE *out)
{
    const char *name;
    for (size_t k = 0; (name = ky_model_name(k)); k++)
        fprintf(out, "%s%s", k ? " " : "", name);
}

/* The values from which an option is chosen, separated by blanks: "auto cpu cuda opencl". Returns
 * their number; 0 if any text or number is allowed. */
static size_t choices(const struct ky_option *option, char *words, size_t size)
{
    size_t used = 0, count = 0;
    words[0] = 0;
    const char *at = option->type == KY_OPTION_FLAG ? "" : ky_option_value_word(option);
    for (at = strchr(at, '|') ? at : ""; *at; at += strcspn(at, "|"), at += *at == '|') {
        int length = (int)strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (!length || used >= size)
            continue;
        used += (size_t)snprintf(words + used, size - used, "%s%.*s", count ? " " : "", length, at);
        count++;
    }
    return count;
}

/* Calls `write` once for each option name. */
static void each_option(const struct cli *cli, FILE *out,
                        void (*write)(const struct ky_option *option, FILE *out))
{
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count; k++)
            if (ky_options_is_first(cli->sets, cli->count, &cli->sets[s], &cli->sets[s].options[k]))
                write(&cli->sets[s].options[k], out);
}

/* ---- bash ---- */

static void bash_begin(const struct subcommand *const *commands, size_t count, FILE *out)
{
    fputs("# Completion of kyoho in bash; written by `kyoho --completion bash`.\n"
          "_kyoho() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} commands models words\n"
          "    if [ \"$word\" = '=' ]; then\n"
          "        word=\n"
          "    elif [ \"$before\" = '=' ]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    commands='",
          out);
    for (size_t k = 0; k < count; k++)
        fprintf(out, "%s%s", k ? " " : "", commands[k]->name);
    fputs("'\n    models='", out);
    model_names(out);
    fputs("'\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        command=kyoho words=\"$commands help --help --version\"\n"
          "    fi\n"
          "    case $command in\n"
          "    kyoho) ;;\n"
          "    help)\n"
          "        words=\"$commands units --all\"\n"
          "        [ \"$before\" != model ] || words=\"$models --all\" ;;\n",
          out);
}

static void bash_name(const struct ky_option *option, FILE *out)
{
    fprintf(out, " --%s", option->name);
}

/* The values of one option, after the option's name. */
static void bash_values(const struct ky_option *option, FILE *out)
{
    char words[256];
    if (!strcmp(option->name, "model"))
        fputs("        --model) words=$models ;;\n", out);
    else if (choices(option, words, sizeof words))
        fprintf(out, "        --%s) words='%s' ;;\n", option->name, words);
}

static void bash_command(const struct cli *cli, FILE *out)
{
    int model = !strcmp(cli->command->name, "model");
    fprintf(out, "    %s)\n        words='", cli->command->name);
    each_option(cli, out, bash_name);
    fputs("'\n", out);
    if (model)
        fputs("        [ \"$COMP_CWORD\" -gt 2 ] || words=\"$models$words\"\n", out);
    fputs("        case $before in\n", out);
    each_option(cli, out, bash_values);
    fputs("        esac ;;\n", out);
}

static void bash_end(FILE *out)
{
    fputs("    esac\n"
          "    COMPREPLY=()\n"
          "    while IFS= read -r word; do\n"
          "        COMPREPLY+=(\"$word\")\n"
          "    done < <(compgen -W \"$words\" -- \"$word\")\n"
          "}\n"
          "complete -o default -F _kyoho kyoho\n",
          out);
}

/* ---- zsh ---- */

/* The first clause of a text, without characters that zsh interprets. */
static void clause(const char *text, FILE *out)
{
    for (; *text && !(strchr(";.(", *text) && (text[1] == ' ' || *text == '(')); text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (!strchr("[]:\\", *text))
            fputc(*text, out);
}

static void zsh_begin(const struct subcommand *const *commands, size_t count, FILE *out)
{
    fputs("#compdef kyoho\n# Completion of kyoho in zsh; written by `kyoho --completion zsh`.\n"
          "_kyoho() {\n"
          "  local -a commands models\n"
          "  commands=(\n",
          out);
    for (size_t k = 0; k < count; k++) {
        fprintf(out, "    '%s:", commands[k]->name);
        clause(commands[k]->summary, out);
        fputs("'\n", out);
    }
    fputs("    'help:explain the options of a command'\n  )\n  models=(", out);
    model_names(out);
    fputs(")\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  local command=$words[2]\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $command in\n"
          "  help)\n"
          "    if [[ $words[2] == model && $CURRENT -gt 2 ]]; then\n"
          "      compadd -- $models --all\n"
          "    else\n"
          "      _describe command commands\n"
          "      compadd -- units --all\n"
          "    fi ;;\n",
          out);
}

static void zsh_option(const struct ky_option *option, FILE *out)
{
    char words[256];
    fprintf(out, " \\\n    '--%s[", option->name);
    clause(option->help, out);
    fputc(']', out);
    if (!strcmp(option->name, "model"))
        fputs(":model:($models)", out);
    else if (choices(option, words, sizeof words))
        fprintf(out, ":value:(%s)", words);
    else if (option->type != KY_OPTION_FLAG)
        fputs(":value:_files", out);
    fputc('\'', out);
}

static void zsh_command(const struct cli *cli, FILE *out)
{
    fprintf(out, "  %s) _arguments", cli->command->name);
    each_option(cli, out, zsh_option);
    fprintf(out, " \\\n    '%s' ;;\n",
            strcmp(cli->command->name, "model") != 0 ? "*:file:_files" : "1:model:($models)");
}

static void zsh_end(FILE *out)
{
    fputs("  esac\n}\n_kyoho \"$@\"\n", out);
}

static const struct completion shells[] = {
    {"bash", bash_begin, bash_command, bash_end},
    {"zsh", zsh_begin, zsh_command, zsh_end},
};

const struct completion *completion_find(const char *shell)
{
    for (size_t k = 0; shell && k < sizeof shells / sizeof *shells; k++)
        if (!strcmp(shells[k].shell, shell))
            return &shells[k];
    return NULL;
}
