/* Options as text for people: the lines of `--help`. */
#include "base/options.h"

#include <string.h>

enum { WIDTH = 100, TEXT_COLUMN = 34 };

const char *ky_option_letter_of(const struct ky_option_word *others, const char *name)
{
    for (; others && others->word; others++)
        if (!others->word[1] && !strcmp(others->name, name))
            return others->word;
    return NULL;
}

/* Columns on the screen of the first `bytes` bytes of UTF-8. */
static int columns(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t k = 0; k < bytes; k++)
        count += ((unsigned char)text[k] & 0xc0) != 0x80;
    return count;
}

/* Wraps the text. A line begins with `mark`, or with blanks up to column `indent`. */
static void wrap(const char *text, int column, int indent, const char *mark, FILE *out)
{
    int first = 1;
    while (*(text += strspn(text, " "))) {
        if (*text == '\n') {
            fputc('\n', out);
            column = 0, first = 1;
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        int wide = columns(text, length);
        if (!first && column + 1 + wide > WIDTH) {
            fputc('\n', out);
            column = 0, first = 1;
        }
        if (first && column < indent)
            column += fprintf(out, "%-*s", indent - column, mark);
        column += fprintf(out, first ? "" : " ") + wide;
        fwrite(text, 1, length, out);
        first = 0;
        text += length;
    }
    fputc('\n', out);
}

void ky_help_text(const char *text, int column, int indent, FILE *out)
{
    wrap(text, column, indent, "", out);
}

void ky_help_comment(const char *text, FILE *out)
{
    wrap(text, 0, 2, "#", out);
}

/* "  -n, --bodies NUMBER           how many bodies (default 0)" */
static void help_line(const struct ky_option *option, const char *letter, FILE *out)
{
    char left[200], text[4096];
    int wide =
        snprintf(left, sizeof left, "  %s%s%s--%s %s", letter ? "-" : "    ", letter ? letter : "",
                 letter ? ", " : "", option->name, ky_option_value_word(option));
    int shown = option->initial && option->type != KY_OPTION_FLAG;
    snprintf(text, sizeof text, "%s%s%s%s", option->help, shown ? " (default " : "",
             shown ? option->initial : "", shown ? ")" : "");
    fputs(left, out);
    if (wide > TEXT_COLUMN - 1) {
        fputc('\n', out);
        wide = 0;
    }
    ky_help_text(text, wide, TEXT_COLUMN, out);
}

void ky_options_help(const struct ky_option_set *sets, size_t count,
                     const struct ky_option_word *others, FILE *out)
{
    const char *title = "";
    for (size_t s = 0; s < count; s++) {
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            if (!ky_options_is_first(sets, count, &sets[s], option))
                continue;
            if (strcmp(title, sets[s].title) != 0)
                fprintf(out, "\n%s:\n", sets[s].title);
            title = sets[s].title;
            help_line(option, ky_option_letter_of(others, option->name), out);
        }
    }
}
