/* A command line into options. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"

/* The option that a letter stands for, if the sets have it; or NULL. */
static const struct ky_option *find_letter(const struct ky_option_names *names, char letter,
                                           const struct ky_option_set **owner)
{
    for (const struct ky_option_word *others = names->others; others && others->word; others++)
        if (*others->word == letter && !others->word[1])
            return ky_options_find(names->sets, names->count, others->name, owner);
    return NULL;
}

/* A command line while it is read. */
struct words {
    const struct ky_option_names *names;
    int argc, at;
    char **argv;
    unsigned char *taken; /* of each option of each set, whether a word has named it */
    struct ky_error *error;
};

static enum ky_status unknown(const struct words *w, const char *name)
{
    char guess[KY_OPTION_GUESS];
    ky_options_guess(w->names, "--", name, guess);
    return ky_fail(w->error, KY_USAGE,
                   *guess ? "unknown option --%s%s (--help lists all)"
                          : "unknown option --%s%s; --help lists all",
                   name, guess);
}

static enum ky_status given_twice(const struct words *w, const struct ky_option *option)
{
    const char *value = ky_option_value_word(option);
    if (strchr(value, ',') && !strchr(value, '|')) /* "TIME,TIME..." */
        return ky_fail(w->error, KY_USAGE,
                       "--%s is given twice; give it once, with commas: --%s %s", option->name,
                       option->name, value);
    return ky_fail(w->error, KY_USAGE, "--%s is given twice; give it once", option->name);
}

/* A word of its own that begins with '-' is a value only if it is a negative number, or "-". */
static int is_value(const char *word)
{
    return word[0] != '-' || !word[1] || word[1] == '.' || (word[1] >= '0' && word[1] <= '9');
}

/* Sets the option to `value`, or, if that is NULL, to the next word. */
static enum ky_status take(struct words *w, const struct ky_option *option,
                           const struct ky_option_set *owner, const char *value)
{
    char where[80];
    unsigned char *taken = &w->taken[ky_options_index(w->names->sets, owner, option)];
    if (*taken)
        return given_twice(w, option);
    *taken = 1;
    if (!value && option->type == KY_OPTION_FLAG)
        value = "yes";
    if (!value && w->at < w->argc && is_value(w->argv[w->at]))
        value = w->argv[w->at++];
    if (!value)
        return ky_fail(w->error, KY_USAGE, "--%s needs a value (--%s=… for one that begins with -)",
                       option->name, option->name);
    snprintf(where, sizeof where, "--%s", option->name);
    if (w->at < w->argc && ky_option_check_next(option, value, w->argv[w->at], where, w->error))
        return KY_USAGE;
    KY_TRY(ky_option_take(owner, option, value, where, w->error));
    ky_option_mark_given(owner, option);
    return KY_OK;
}

/* "--name" or "--name=value" */
static enum ky_status read_name(struct words *w, const char *word)
{
    char name[64];
    size_t length = strcspn(word + 2, "=");
    if (length >= sizeof name)
        return ky_fail(w->error, KY_USAGE, "unknown option %.80s; --help lists all", word);
    memcpy(name, word + 2, length);
    name[length] = '\0';
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(w->names->sets, w->names->count, name, &owner);
    if (!option)
        return unknown(w, name);
    return take(w, option, owner, word[2 + length] ? word + 3 + length : NULL);
}

/* "-n 100", "-n100", "-q", "-qn100" */
static enum ky_status read_letters(struct words *w, const char *word)
{
    const struct ky_option_set *owner = NULL;
    char whole[64];
    snprintf(whole, sizeof whole, "%.*s", (int)strcspn(word + 1, "="), word + 1);
    if (whole[0] && whole[1] && ky_options_find(w->names->sets, w->names->count, whole, NULL))
        return ky_fail(w->error, KY_USAGE, "unknown option -%s; did you mean --%s?", whole, whole);
    if (whole[0] && whole[1] && ky_option_other_word(w->names, whole))
        return unknown(w, whole);
    for (const char *c = word + 1; *c; c++) {
        const struct ky_option *option = find_letter(w->names, *c, &owner);
        if (!option)
            return ky_fail(w->error, KY_USAGE, "unknown option %s; --help lists all", word);
        if (option->type != KY_OPTION_FLAG)
            return take(w, option, owner, c[1] ? c + 1 : NULL);
        KY_TRY(take(w, option, owner, NULL));
    }
    return KY_OK;
}

/* Reads the command line word by word, up to the first that is wrong. */
static enum ky_status read_words(struct words *w, const char **positional, int *positionals)
{
    int ended = 0;
    while (w->at < w->argc) {
        const char *word = w->argv[w->at++];
        if (ended || word[0] != '-' || !word[1])
            positional[(*positionals)++] = word;
        else if (!strcmp(word, "--"))
            ended = 1;
        else
            KY_TRY(word[1] == '-' ? read_name(w, word) : read_letters(w, word));
    }
    return KY_OK;
}

enum ky_status ky_options_command_line(const struct ky_option_names *names, int argc, char **argv,
                                       const char **positional, int *positionals,
                                       struct ky_error *error)
{
    size_t total = ky_options_total(names->sets, names->count);
    struct words w = {names, argc, 0, argv, ky_allocate_zeroed(total, 1), error};
    *positionals = 0;
    if (!w.taken)
        return ky_no_memory(error, "command line", total, 1);
    enum ky_status status = read_words(&w, positional, positionals);
    free(w.taken);
    return status;
}
