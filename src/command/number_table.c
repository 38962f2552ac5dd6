/* Reads a table of numbers: a line of names, then a line of numbers for each row. */
#include "command/number_table.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"

void columns_free(struct columns *columns)
{
    for (int c = 0; c < COLUMNS_MOST; c++)
        free(columns->values[c]);
    *columns = (struct columns){0};
}

const char *columns_unit(const struct columns *columns, const char *name, char unit[COLUMNS_UNITS])
{
    const size_t length = strlen(name);
    for (const char *at = columns->units; *at; at += strcspn(at, ",;")) {
        at += strspn(at, ",; ");
        if (strncmp(at, name, length) != 0 || at[length] != ' ')
            continue;
        at += length + 1;
        ky_format(unit, COLUMNS_UNITS, "%.*s", (int)strcspn(at, ",;"), at);
        return unit;
    }
    return NULL;
}

/* A line of any length; its memory grows. */
struct line {
    char *text;
    size_t room, number; /* number: number of the line in the file, from 1 */
};

/* Reads a line without its newline; 0 at the end of the file. */
static int read_line(FILE *file, struct line *line)
{
    if (getline(&line->text, &line->room, file) < 0)
        return 0;
    line->number++;
    line->text[strcspn(line->text, "\r\n")] = '\0';
    return 1;
}

/* Takes the units or the side of the box from a comment that gives them. Returns 0 for a line that
 * is no comment. */
static int read_comment(const char *text, struct columns *columns)
{
    static const char units[] = "# units: ", box[] = "# box: ";
    char *end;
    if (!strncmp(text, units, strlen(units)))
        ky_format(columns->units, COLUMNS_UNITS, "%.500s", text + strlen(units));
    else if (!strncmp(text, box, strlen(box)))
        columns->box = ky_number_real(text + strlen(box), &end);
    return *text == '#';
}

/* Reads the first line that is not a comment (#). Removes the byte-order mark that some editors put
 * before the first line. */
static int read_names(FILE *file, struct line *line, struct columns *columns)
{
    static const char order[] = "\xef\xbb\xbf";
    while (read_line(file, line)) {
        if (line->number == 1 && !strncmp(line->text, order, strlen(order)))
            memmove(line->text, line->text + strlen(order), strlen(line->text + strlen(order)) + 1);
        if (!read_comment(line->text, columns))
            return 1;
    }
    return 0;
}

/* Cuts the next cell off a line in place, without surrounding blanks and without the quotes that
 * let it contain commas. NULL after the last cell. */
char *columns_cell(char **line)
{
    char *from = *line, *cell, *to;
    if (!from)
        return NULL;
    from += strspn(from, " \t");
    cell = to = from;
    if (*from == '"')
        for (from++; *from && (*from != '"' || *++from == '"');)
            *to++ = *from++;
    char *end = from + strcspn(from, ",\r\n");
    while (from < end)
        *to++ = *from++;
    *line = *end == ',' ? end + 1 : NULL;
    while (to > cell && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *to = '\0';
    return cell;
}

/* The columns that are read: names, and indices in a line from 0. */
struct wanted {
    const char *const *names;
    size_t count, places[COLUMNS_MOST];
};

/* Finds the indices of the names in the header line. KY_BAD_DATA for a name that is missing. */
static enum ky_status find_places(const char *path, const char *line, struct wanted *wanted,
                                  struct ky_error *error)
{
    const size_t count = wanted->count;
    size_t *places = wanted->places;
    enum ky_status status = KY_OK;
    char *copy = strdup(line), *rest = copy, *cell;
    if (!copy)
        return ky_fail(error, KY_FAULT, "out of memory: the columns of %s", path);
    for (size_t c = 0; c < count; c++)
        places[c] = SIZE_MAX;
    for (size_t place = 0; (cell = columns_cell(&rest)); place++)
        for (size_t c = 0; c < count; c++)
            if (places[c] == SIZE_MAX && !strcmp(cell, wanted->names[c]))
                places[c] = place;
    for (size_t c = 0; c < count && !status; c++)
        if (places[c] == SIZE_MAX)
            status =
                ky_fail(error, KY_BAD_DATA, "%s: has no column '%s'; its first line is '%.200s'",
                        path, wanted->names[c], line);
    free(copy);
    return status;
}

/* Counts a row that lacks a number and remembers the first one. `cell` is the text found instead;
 * NULL if there is no cell. */
static void note_gap(struct columns *columns, size_t line, const char *name, const char *cell)
{
    if (columns->incomplete++)
        return;
    if (cell)
        ky_format(columns->first, sizeof columns->first,
                  "line %zu has '%.40s' in column '%.40s', which is not a number", line, cell,
                  name);
    else
        ky_format(columns->first, sizeof columns->first, "line %zu ends before column '%.40s'",
                  line, name);
}

/* Allocates one more row, filled with NaN. 0 if memory runs out. */
static int add_row(struct columns *columns, size_t count)
{
    const size_t row = columns->rows;
    for (size_t c = 0; c < count; c++) {
        if (!(row & (row - 1))) { /* double the memory */
            double *more = realloc(columns->values[c], 2 * (row + 1) * sizeof *more);
            if (!more)
                return 0;
            columns->values[c] = more;
        }
        columns->values[c][row] = (double)NAN;
    }
    columns->rows++;
    return 1;
}

/* Fills the last row with the cells of a line. An empty cell is an intended gap. */
static void fill_row(struct columns *columns, char *text, size_t line, const struct wanted *wanted)
{
    const size_t count = wanted->count;
    int seen[COLUMNS_MOST] = {0}, odd = 0;
    char *cell, *end;
    for (size_t place = 0; (cell = columns_cell(&text)); place++)
        for (size_t c = 0; c < count; c++) {
            if (wanted->places[c] != place)
                continue;
            const double value = ky_number_real(cell, &end);
            seen[c] = 1;
            if (end != cell && !*end)
                columns->values[c][columns->rows - 1] = value;
            else if (*cell && !odd++)
                note_gap(columns, line, wanted->names[c], cell);
        }
    for (size_t c = 0; c < count && !odd; c++)
        if (!seen[c] && ++odd)
            note_gap(columns, line, wanted->names[c], NULL);
}

enum ky_status columns_read(const char *path, const char *const *names, size_t count,
                            struct columns *columns, struct ky_error *error)
{
    char reason[128];
    struct line line = {0};
    struct wanted wanted = {.names = names, .count = count};
    enum ky_status status = KY_OK;
    FILE *file = fopen(path, "r");
    *columns = (struct columns){0};
    if (!file)
        return ky_fail(error, KY_BAD_DATA, "%s: %s", path, ky_reason(errno, reason));
    if (!read_names(file, &line, columns))
        status = ky_fail(error, KY_BAD_DATA, "%s: is empty, or not text", path);
    else
        status = find_places(path, line.text, &wanted, error);
    while (!status && read_line(file, &line)) {
        if (read_comment(line.text, columns) || !line.text[strspn(line.text, " \t")])
            continue;
        if (!add_row(columns, count))
            status = ky_fail(error, KY_FAULT, "out of memory: the rows of %s", path);
        else
            fill_row(columns, line.text, line.number, &wanted);
    }
    free(line.text);
    fclose(file);
    return status;
}
