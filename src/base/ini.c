/* INI text into options, and options as INI text.
 *
 * A line is blank, a remark that starts with # or ;, a section "[title]", or "name = value". Blanks
 * at the ends of a line do not count. A value ends at a # or ; that follows a blank. A value in
 * quotation marks keeps both, and may hold \" \\ and \n. docs/command.md describes this to users.
 */
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define BLANKS " \t\r"

enum { LARGEST = 1 << 24 }; /* bytes of a parameter file */

/* The text of a file, which TEXT fields point into. */
struct ky_option_storage {
    struct ky_option_storage *next;
    char text[];
};

void ky_options_storage_free(struct ky_option_storage *storage)
{
    while (storage) {
        struct ky_option_storage *next = storage->next;
        free(storage);
        storage = next;
    }
}

struct reading {
    const struct ky_option_set *sets;
    size_t count;
    const struct ky_option_letter *letters; /* of the command line, which are hinted at */
    const char *name; /* of the file; NULL: text of our own, where unknown names are passed over */
    size_t line;      /* from 1 */
    const struct ky_option_set *section; /* NULL: none, or one that is not known */
    size_t *given; /* for each option of each set the line that names it; NULL: not looked at */
    struct ky_error *error;
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

static int is_remark(const char *text)
{
    return *text == '#' || *text == ';' || !*text;
}

/* Cuts off a remark that follows a blank. */
static void cut_remark(char *text)
{
    for (char *c = text; *c; c++)
        if (strchr("#;", *c) && (c == text || strchr(BLANKS, c[-1]))) {
            *c = '\0';
            return;
        }
}

/* Takes the quotation marks off, in place. NULL if the second one is missing or something follows
 * it. */
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
    if (*from != '"' || !is_remark(from + 1 + strspn(from + 1, BLANKS)))
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

/* "[title]": looks for a set of that title, to which the options below must belong. */
static enum ky_status begin_section(struct reading *r, char *text)
{
    char *end = strchr(text, ']');
    if (!end || !is_remark(end + 1 + strspn(end + 1, BLANKS)))
        return wrong(r, "'%.80s' is not a section; it must be [name] and nothing else", text);
    *end = '\0';
    text += 1 + strspn(text + 1, BLANKS);
    trim(text);
    r->section = NULL;
    for (size_t s = 0; s < r->count && !r->section; s++)
        if (!strcmp(r->sets[s].title, text))
            r->section = &r->sets[s];
    if (r->section || !r->name)
        return KY_OK;
    return wrong(r, "unknown section [%.80s]; --help lists them as headings", text);
}

/* The error for a name that the section has not: it belongs to another section, or is misspelt. */
static enum ky_status unknown_name(const struct reading *r, const char *name)
{
    const struct ky_option_set *home = NULL;
    const char *near = ky_options_nearest(r->sets, r->count, r->letters, name);
    if (!r->name)
        return KY_OK;
    if (ky_options_find(r->sets, r->count, name, &home))
        ky_fail(r->error, KY_USAGE, "'%s' stands in [%s]; it belongs in [%s]", name,
                r->section->title, home->title);
    else
        ky_fail(r->error, KY_USAGE, "unknown option '%.80s'%s%s", name,
                near ? "; did you mean " : "", near ? near : "");
    return ky_fail_in(r->error, KY_USAGE, "%s, line %zu: ", r->name, r->line);
}

/* Notes that this line names the option. Returns the line that has named it before, or 0. */
static size_t named_before(struct reading *r, const struct ky_option_set *owner,
                           const struct ky_option *option)
{
    if (!r->given)
        return 0;
    size_t *line = &r->given[ky_options_index(r->sets, owner, option)], before = *line;
    *line = r->line;
    return before;
}

/* "name = value": KY_USAGE for an unknown name, one that is given already, and a wrong value. */
static enum ky_status set_option(struct reading *r, char *name, char *value)
{
    char where[320];
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(r->sets, r->count, name, &owner);
    if (!option || (r->section && strcmp(owner->title, r->section->title) != 0))
        return unknown_name(r, name);
    size_t before = named_before(r, owner, option);
    if (before) {
        ky_fail(r->error, KY_USAGE, "'%s' is given already in line %zu", name, before);
        return ky_fail_in(r->error, KY_USAGE, "%s, line %zu: ", r->name, r->line);
    }
    if (*value == '"')
        value = unquoted(value);
    else if (r->name)
        cut_remark(value), trim(value);
    if (!value)
        return wrong(r, "%s: the text in quotation marks must end with one, and the line with it",
                     name);
    snprintf(where, sizeof where, "%.200s, line %zu: %.64s", r->name ? r->name : "parameters",
             r->line, name);
    enum ky_status status = ky_option_set_text(option, owner->values, value, where, r->error);
    if (!status && r->name)
        ky_option_mark_given(owner, option);
    return status;
}

/* A line of any kind. Its text is cut up. */
static enum ky_status read_line(struct reading *r, char *text)
{
    trim(text);
    text += strspn(text, BLANKS);
    if (is_remark(text))
        return KY_OK;
    if (*text == '[')
        return begin_section(r, text);
    char *value = strchr(text, '=');
    if (!value || value == text)
        return wrong(r, "'%.80s' is neither 'name = value' nor '[section]'", text);
    *value++ = '\0';
    value += strspn(value, BLANKS);
    trim(text);
    return set_option(r, text, value);
}

/* ---- all lines ---- */

/* All lines up to the first that is wrong. */
static enum ky_status read_lines(struct reading *r, char *text)
{
    enum ky_status status = KY_OK;
    for (char *line = text, *next; !status && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        r->line++;
        status = read_line(r, line);
    }
    return status;
}

enum ky_status ky_options_read_back(const struct ky_option_set *sets, size_t count, char *text,
                                    struct ky_error *error)
{
    struct reading r = {.sets = sets, .count = count, .error = error};
    return read_lines(&r, text);
}

enum ky_status ky_options_read_file(FILE *file, const char *name,
                                    struct ky_option_storage **storage, char **text,
                                    struct ky_error *error)
{
    size_t size = 0, room = 0;
    struct ky_option_storage *own = NULL;
    do {
        room = room ? 2 * room : 4096;
        struct ky_option_storage *larger = realloc(own, sizeof *own + room + 1);
        if (!larger) {
            free(own);
            return ky_no_memory(error, "parameter file", room, 1);
        }
        own = larger;
        size += fread(own->text + size, 1, room - size, file);
    } while (size == room && size < LARGEST);
    own->text[size] = '\0';
    *text = own->text;
    own->next = *storage;
    *storage = own;
    if (ferror(file))
        return ky_fail(error, KY_BAD_DATA, "%s: cannot be read", name);
    if (size >= LARGEST)
        return ky_fail(error, KY_BAD_DATA, "%s: is larger than 16 MiB; it is not a parameter file",
                       name);
    if (strlen(own->text) != size)
        return ky_fail(error, KY_BAD_DATA, "%s: has a zero byte; it is not text", name);
    return KY_OK;
}

enum ky_status ky_options_ini(const struct ky_option_set *sets, size_t count,
                              const struct ky_option_letter *letters, FILE *file, const char *name,
                              struct ky_option_storage **storage, struct ky_error *error)
{
    size_t options = ky_options_total(sets, count);
    char *text = NULL;
    enum ky_status status = ky_options_read_file(file, name, storage, &text, error);
    if (status)
        return status;
    struct reading r = {
        .sets = sets, .count = count, .letters = letters, .name = name, .error = error};
    r.given = ky_allocate_zeroed(options, sizeof *r.given);
    if (!r.given)
        return ky_no_memory(error, "parameter file", options, sizeof(size_t));
    status =
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

void ky_options_write_ini(const struct ky_option_set *sets, size_t count, FILE *out)
{
    for (size_t s = 0; s < count; s++) {
        if (s == 0 || strcmp(sets[s].title, sets[s - 1].title) != 0)
            fprintf(out, "[%s]\n", sets[s].title);
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            char number[4096];
            const char *text = number;
            if (!ky_option_is_set(option, sets[s].values) ||
                !ky_options_is_first(sets, count, &sets[s], option))
                continue;
            ky_option_text(option, sets[s].values, number, sizeof number);
            if (option->type == KY_OPTION_TEXT)
                memcpy(&text, (const char *)sets[s].values + option->offset, sizeof text);
            fprintf(out, "%s = ", option->name);
            write_text(text, out);
            fputc('\n', out);
        }
    }
}
