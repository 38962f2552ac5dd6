/* INI text into options, and options as INI text.
 *
 * A line is blank, a comment that starts with # or ;, a section "[title]", or "name = value".
 * Blanks at the ends of a line do not count. A value ends at a # or ; that follows a blank. A value
 * in quotation marks keeps such signs and the blanks at its ends, and may hold \" \\ and \n.
 * docs/command.md describes this to users. */
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define BLANKS " \t\r"

struct reading {
    const struct ky_option_names *names;
    const char *name; /* of the file; NULL: text of Kyoho's own, whose unknown names are ignored */
    size_t line;      /* from 1 */
    size_t *given;    /* the line that names each option of each set; NULL: not kept */
    struct ky_error *error; /* of the present line */
};

/* ---- one line ---- */

/* Ends the text before the blanks at its end. */
static void trim(char *text)
{
    size_t length = strlen(text);
    while (length && strchr(BLANKS, text[length - 1]))
        length--;
    text[length] = '\0';
}

static int is_comment(const char *text)
{
    return *text == '#' || *text == ';' || !*text;
}

/* Cuts off a comment that follows a blank. */
static void cut_comment(char *text)
{
    for (char *c = text; *c; c++)
        if (strchr("#;", *c) && (c == text || strchr(BLANKS, c[-1]))) {
            *c = '\0';
            return;
        }
}

/* Removes the quotation marks, in place. NULL if the second one is missing or is followed by other
 * characters. */
static char *unquoted(char *text)
{
    char *to = text;
    const char *from = text + 1;
    for (; *from && *from != '"'; from++) {
        if (*from == '\\' && from[1]) {
            from++;
            *to++ = *from == 'n' ? '\n' : *from;
        } else {
            *to++ = *from;
        }
    }
    if (*from != '"' || !is_comment(from + 1 + strspn(from + 1, BLANKS)))
        return NULL;
    *to = '\0';
    return text;
}

static enum ky_status wrong(const struct reading *r, const char *format, const char *word)
{
    enum ky_status status = ky_fail(r->error, KY_USAGE, format, word);
    return ky_fail_in(r->error, status, "%s, line %zu: ", r->name ? r->name : "parameters",
                      r->line);
}

/* "[title]": a heading without effect. */
static enum ky_status check_section(const struct reading *r, const char *text)
{
    const char *end = strchr(text, ']');
    if (end && is_comment(end + 1 + strspn(end + 1, BLANKS)))
        return KY_OK;
    return wrong(r, "'%.80s' is not a section; it must be [name] and nothing else", text);
}

static enum ky_status unknown_name(const struct reading *r, const char *name)
{
    char guess[KY_OPTION_GUESS];
    if (!r->name)
        return KY_OK;
    ky_options_guess(r->names, "", name, guess);
    ky_fail(r->error, KY_USAGE, "unknown option '%.80s'%s", name, guess);
    return ky_fail_in(r->error, KY_USAGE, "%s, line %zu: ", r->name, r->line);
}

/* Notes that this line names the option. Returns the line that has named it before, or 0. */
static size_t named_before(struct reading *r, const struct ky_option_set *owner,
                           const struct ky_option *option)
{
    if (!r->given)
        return 0;
    size_t *line = &r->given[ky_options_index(r->names->sets, owner, option)], before = *line;
    *line = r->line;
    return before;
}

/* "name = value": KY_USAGE for an unknown name, one that is given already, and a wrong value. */
static enum ky_status set_option(struct reading *r, char *name, char *value)
{
    char where[320];
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(r->names->sets, r->names->count, name, &owner);
    if (!option)
        return unknown_name(r, name);
    size_t before = named_before(r, owner, option);
    if (before) {
        ky_fail(r->error, KY_USAGE, "'%s' is already given in line %zu", name, before);
        return ky_fail_in(r->error, KY_USAGE, "%s, line %zu: ", r->name, r->line);
    }
    if (*value == '"')
        value = unquoted(value);
    else if (r->name)
        cut_comment(value), trim(value);
    if (!value)
        return wrong(r, "%s: the text in quotation marks must end with one at the end of the line",
                     name);
    snprintf(where, sizeof where, "%.200s, line %zu: %.64s", r->name ? r->name : "parameters",
             r->line, name);
    KY_TRY(ky_option_take(owner, option, value, where, r->error));
    if (r->name)
        ky_option_mark_given(owner, option);
    return KY_OK;
}

/* A line of any kind. Its text is cut up. */
static enum ky_status read_line(struct reading *r, char *text)
{
    trim(text);
    text += strspn(text, BLANKS);
    if (is_comment(text))
        return KY_OK;
    if (*text == '[')
        return check_section(r, text);
    char *value = strchr(text, '=');
    if (!value || value == text)
        return wrong(r, "'%.80s' is neither 'name = value' nor '[section]'", text);
    *value++ = '\0';
    value += strspn(value, BLANKS);
    trim(text);
    return set_option(r, text, value);
}

/* ---- all lines ---- */

/* Appends the error of a line to the errors of earlier lines: "run.ini, line 2: …; line 5: …". */
static void add_error(const struct reading *r, struct ky_error *all)
{
    const char *text = r->error->text;
    const size_t used = all->status ? strlen(all->text) : 0, prefix = strlen(r->name) + 2;
    if (!used)
        *all = *r->error;
    else if (used + strlen(text + prefix) + 32 < sizeof all->text)
        snprintf(all->text + used, sizeof all->text - used, "; %s", text + prefix);
    else if (!strstr(all->text + used - 10, "; and more"))
        snprintf(all->text + used, sizeof all->text - used, "; and more");
}

/* Reads all lines. A file reports all its errors, a text of Kyoho's own only the first. */
static enum ky_status read_lines(struct reading *r, char *text)
{
    struct ky_error *error = r->error, of_line, all = {.status = KY_OK};
    r->error = &of_line;
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        r->line++;
        if (!read_line(r, line))
            continue;
        if (r->name) {
            add_error(r, &all);
            continue;
        }
        all = of_line;
        break;
    }
    r->error = error;
    if (error && all.status)
        *error = all;
    return all.status;
}

enum ky_status ky_options_read_back(const struct ky_option_set *sets, size_t count, char *text,
                                    struct ky_error *error)
{
    const struct ky_option_names names = {sets, count, NULL};
    struct reading r = {.names = &names, .error = error};
    return read_lines(&r, text);
}

enum ky_status ky_options_ini(const struct ky_option_names *names, FILE *file, const char *name,
                              struct ky_option_storage **storage, struct ky_error *error)
{
    size_t options = ky_options_total(names->sets, names->count);
    char *text = NULL;
    KY_TRY(ky_options_read_file(file, name, storage, &text, error));
    struct reading r = {.names = names, .name = name, .error = error};
    r.given = ky_allocate_zeroed(options, sizeof *r.given);
    if (!r.given)
        return ky_no_memory(error, "parameter file", options, sizeof(size_t));
    enum ky_status status =
        read_lines(&r, text + (strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3)); /* byte-order mark */
    free(r.given);
    return status;
}

/* ---- writing ---- */

/* Writes a text as it is; in quotation marks where the reader would take something away from it. */
static void write_text(const char *text, FILE *out)
{
    size_t length = strlen(text);
    if (length && !strpbrk(text, "#;\n\"") && !strchr(BLANKS, *text) &&
        !strchr(BLANKS, text[length - 1])) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (strchr("\"\\\n", *text))
            fputc('\\', out);
        fputc(*text == '\n' ? 'n' : *text, out);
    }
    fputc('"', out);
}

/* "name = value"; a value that waits for its unit as it was given. */
static void write_option(const struct ky_option_set *set, size_t k, FILE *out)
{
    const struct ky_option *option = &set->options[k];
    char number[4096];
    const char *text = number;
    ky_option_text(option, set->values, number, sizeof number);
    if (option->type == KY_OPTION_TEXT)
        memcpy(&text, (const char *)set->values + option->offset, sizeof text);
    if (set->waiting && set->waiting[k])
        text = set->waiting[k];
    fprintf(out, "%s = ", option->name);
    write_text(text, out);
    fputc('\n', out);
}

/* Writes the title of sets[s], unless the set before it has the same. */
static void write_title(const struct ky_option_set *sets, size_t s, const char *before, FILE *out)
{
    if (s == 0 || strcmp(sets[s].title, sets[s - 1].title) != 0)
        fprintf(out, "%s[%s]\n", before, sets[s].title);
}

void ky_options_write_ini(const struct ky_option_set *sets, size_t count, FILE *out)
{
    for (size_t s = 0; s < count; s++) {
        write_title(sets, s, "", out);
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            if (ky_option_is_set(option, sets[s].values) &&
                ky_options_is_first(sets, count, &sets[s], option))
                write_option(&sets[s], k, out);
        }
    }
}

void ky_options_write_template(const struct ky_option_set *sets, size_t count, FILE *out)
{
    for (size_t s = 0; s < count; s++) {
        write_title(sets, s, "\n", out);
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            const char *word = ky_option_value_word(option);
            if (!ky_options_is_first(sets, count, &sets[s], option))
                continue;
            ky_help_comment(option->help, out);
            if (sets[s].given && sets[s].given[k] && ky_option_is_set(option, sets[s].values))
                write_option(&sets[s], k, out);
            else
                fprintf(out, "#%s = %s\n", option->name,
                        option->type == KY_OPTION_FLAG ? "no"
                        : option->initial              ? option->initial
                                                       : word);
        }
    }
}
