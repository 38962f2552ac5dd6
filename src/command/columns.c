/* Reads a table of numbers: a line of names, then a line of numbers for each row. */
#include "command/columns.h"

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

/* A line of any length, in memory that grows. */
struct line {
    char *text;
    size_t room;
};

/* Reads the line of names, without its end. Lines with # before it are remarks. 0 if there is none.
 */
static int read_names(FILE *file, struct line *line)
{
    do {
        if (getline(&line->text, &line->room, file) < 0)
            return 0;
    } while (*line->text == '#');
    line->text[strcspn(line->text, "\r\n")] = '\0';
    return 1;
}

/* The place, from 0, of a name in the line of names, where blanks around it do not count; SIZE_MAX
 * if it is not there. */
static size_t place_of(const char *line, const char *name)
{
    for (size_t place = 0;; place++) {
        const char *end = line + strcspn(line, ",");
        line += strspn(line, " ");
        size_t length = line < end ? (size_t)(end - line) : 0;
        while (length && line[length - 1] == ' ')
            length--;
        if (strlen(name) == length && !strncmp(line, name, length))
            return place;
        if (!*end)
            return SIZE_MAX;
        line = end + 1;
    }
}

/* The number that a cell is; NaN where it is empty or has other text. */
static double number_of(const char *cell)
{
    char *end;
    const double value = ky_number_real(cell, &end);
    const size_t blanks = strspn(end, " \t");
    return end != cell && strchr(",\r\n", end[blanks]) ? value : (double)NAN;
}

/* Appends the cells of a line. 0 when memory is out. */
static int add_row(struct columns *columns, const char *line, const size_t *places, size_t count)
{
    size_t row = columns->rows;
    for (size_t c = 0; c < count; c++) {
        if (!(row & (row - 1))) { /* room for twice as many */
            double *more = realloc(columns->values[c], 2 * (row + 1) * sizeof *more);
            if (!more)
                return 0;
            columns->values[c] = more;
        }
        columns->values[c][row] = (double)NAN;
    }
    for (size_t place = 0; *line && *line != '\n'; place++) {
        for (size_t c = 0; c < count; c++)
            if (places[c] == place)
                columns->values[c][row] = number_of(line);
        line += strcspn(line, ",\n");
        line += *line == ',';
    }
    columns->rows++;
    return 1;
}

enum ky_status columns_read(const char *path, const char *const *names, size_t count,
                            struct columns *columns, struct ky_error *error)
{
    char reason[128];
    struct line line = {0};
    size_t places[COLUMNS_MOST];
    enum ky_status status = KY_OK;
    FILE *file = fopen(path, "r");
    *columns = (struct columns){0};
    if (!file)
        return ky_fail(error, KY_BAD_DATA, "%s: %s", path, ky_reason(errno, reason));
    if (!read_names(file, &line))
        status = ky_fail(error, KY_BAD_DATA, "%s: is empty, or no text", path);
    for (size_t c = 0; c < count && !status; c++)
        if ((places[c] = place_of(line.text, names[c])) == SIZE_MAX)
            status =
                ky_fail(error, KY_BAD_DATA, "%s: has no column '%s'; its first line is '%.200s'",
                        path, names[c], line.text);
    while (!status && getline(&line.text, &line.room, file) >= 0)
        if (!add_row(columns, line.text, places, count))
            status = ky_fail(error, KY_FAULT, "out of memory: the rows of %s", path);
    free(line.text);
    fclose(file);
    return status;
}
