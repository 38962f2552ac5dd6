/* Reading tables of external fields. The whole file is in memory, since its checksum is needed. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "engine/common/external_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"

enum { MOST_COLUMNS = 64, MOST_NAME = 1024, COLUMNS = 4 };
/* A table of all steps of a long run has less. */
static const uint64_t most_bytes = UINT64_C(1) << 30;

const char *const ky_external_table_words[KY_EXTERNAL_TABLES] = {"centre", "strength"};

/* The columns of each kind; the first of them have units. */
static const struct kind {
    const char *name[COLUMNS];
    int columns, with_unit;
} kinds[KY_EXTERNAL_TABLES] = {{{"time", "x", "y", "z"}, 4, 4}, {{"time", "strength"}, 2, 1}};

struct reader {
    const struct kind *kind;
    struct ky_external_table *table;
    const struct ky_units *units; /* NULL: the units of the file are known */
    uint64_t line;                /* from 1 */
    int place[COLUMNS];           /* in a row, of each column of the kind */
    int columns;                  /* of a row; 0: not known yet */
    double unit[COLUMNS];
};

static const char blanks[] = " \t\r";

#define SAY(r, text, ...)                                                                          \
    ky_fail(error, KY_BAD_DATA, "%s: line %" PRIu64 " " text, (r)->table->path, (r)->line,         \
            __VA_ARGS__)

/* Cuts the next cell off *rest, between commas, semicolons or blanks; NULL after the last. */
static char *next_cell(char **rest)
{
    char *cell = *rest + strspn(*rest, blanks);
    if (!*cell)
        return NULL;
    char *end = cell + strcspn(cell, ", \t\r;"), *next = end + strspn(end, blanks);
    next += *next == ',' || *next == ';';
    *rest = next;
    *end = '\0';
    return cell;
}

/* ---- the names of columns, and their units ---- */

/* The index of a name of `length` characters among the columns of the kind; −1: it is none of them.
 */
static int column_of(const struct reader *r, const char *name, size_t length)
{
    for (int c = 0; c < r->kind->columns; c++)
        if (strlen(r->kind->name[c]) == length && !strncasecmp(r->kind->name[c], name, length))
            return c;
    return -1;
}

static const char between[] = ", \t\r;";

/* Reads "0.977792 Gyr" or "kpc", up to a separator or a bracket, and moves *text behind it. *unit
 * gets the size of the unit in the units of the bodies. Names have six digits; a unit that agrees
 * with the unit of the bodies to six digits is the same. */
static enum ky_status read_unit(const struct reader *r, const char **text,
                                struct ky_dimension dimension, double *unit, struct ky_error *error)
{
    char name[KY_UNIT_TEXT], where[MOST_NAME + 32], *end;
    double cgs, times = ky_number_real(*text, &end);
    const double own = ky_unit_cgs(r->units, dimension);
    if (end == *text || *end != ' ') /* "1/Gyr" is no number */
        times = 1, end = (char *)*text;
    end += strspn(end, blanks);
    *text = end + strcspn(end, ", \t\r;])");
    snprintf(where, sizeof where, "%.*s: line %" PRIu64, (int)MOST_NAME, r->table->path, r->line);
    snprintf(name, sizeof name, "%.*s", (int)(*text - end), end);
    *text += strspn(*text, "])");
    KY_TRY(ky_unit_read(name, dimension, where, &cgs, error));
    if (!(own > 0))
        return ky_fail(error, KY_USAGE,
                       "%s: the table has the unit %s, and the bodies have none; give --units, or "
                       "remove the comment",
                       where, name);
    *unit = fabs(times * cgs / own - 1) < 1e-5 ? 1 : times * cgs / own;
    return KY_OK;
}

/* Skips the unit of a column that is not read, up to a comma or to the name of a column that is
 * read. */
static const char *pass_unit(const struct reader *r, const char *at)
{
    while (*at && !strchr(",;", *at)) {
        const size_t length = strcspn(at, ", \t\r;:=[(");
        if (column_of(r, at, length) >= 0)
            break;
        at += length;
        at += strspn(at, " \t\r:=[(");
    }
    return at;
}

/* KY_BAD_DATA unless all columns that need a unit have one, and all coordinates have the same. */
static enum ky_status check_units(const struct reader *r, unsigned given, struct ky_error *error)
{
    for (int c = 0; c < r->kind->with_unit; c++)
        if (!(given >> c & 1U))
            return SAY(r,
                       "has units, but none for %s; write them as \"# units: time Myr, x kpc, y "
                       "kpc, z kpc\"",
                       r->kind->name[c]);
    for (int c = 2; c < r->kind->with_unit; c++)
        if (r->unit[c] != r->unit[1])
            return SAY(r, "has different units for %s and %s", r->kind->name[1], r->kind->name[c]);
    return KY_OK;
}

/* "time Myr, x kpc, …", "time=Myr; x=kpc", "Time [Myr] X [kpc] …". Units of other columns are not
 * read. */
static enum ky_status read_units(struct reader *r, const char *at, struct ky_error *error)
{
    unsigned given = 0;
    if (!r->units)
        return KY_OK;
    for (const char *gap = at; *(at += strspn(at, between)); gap = at) {
        const char *name = at;
        const size_t length = strcspn(at, ", \t\r;:=[(");
        const int column = column_of(r, name, length),
                  begins = !given || strcspn(gap, ",;") < (size_t)(at - gap);
        at += length;
        at += strspn(at, " \t:=[(");
        if (column < 0 || column >= r->kind->with_unit) {
            const char *end = pass_unit(r, at);
            if (!length || (end == at && !begins))
                return SAY(r, "has '%.40s', which is not a column with a unit", name);
            at = end;
        } else if (!*at || strchr(",;", *at)) {
            continue;
        } else if (given >> column & 1U) {
            return SAY(r, "has two units for %s", r->kind->name[column]);
        } else {
            given |= 1U << column;
            KY_TRY(
                read_unit(r, &at, column ? KY_LENGTH_UNIT : KY_TIME_UNIT, &r->unit[column], error));
        }
    }
    return check_units(r, given, error);
}

/* Where the units in a comment begin: after "units:", or at the name of the first column if units
 * in brackets follow. NULL for a comment without units. */
static const char *units_of(const struct reader *r, const char *at)
{
    const size_t length = strcspn(at, ", \t\r;:=[(");
    const int is_units = (length == 5 && !strncasecmp(at, "units", 5)) ||
                         (length == 4 && !strncasecmp(at, "unit", 4));
    if (is_units)
        return at + length + strspn(at + length, " \t:=");
    return strpbrk(at, "[(") && column_of(r, at, length) == 0 ? at : NULL;
}

/* "# units: time Myr, x kpc, …". Other comments have no meaning. */
static enum ky_status read_comment(struct reader *r, const char *text, struct ky_error *error)
{
    const char *units = units_of(r, text + strspn(text, "# \t"));
    return units ? read_units(r, units, error) : KY_OK;
}

/* A line of names, which may have units in brackets: "time [Myr], x [kpc], …". */
static enum ky_status read_names(struct reader *r, char *line, struct ky_error *error)
{
    enum ky_status status = strpbrk(line, "[(") ? read_units(r, line, error) : KY_OK;
    for (char *open; !status && (open = strpbrk(line, "[("));)
        memset(open, ' ', strcspn(open, "])") + (open[strcspn(open, "])")] != '\0'));
    for (int c = 0; c < r->kind->columns; c++)
        r->place[c] = -1;
    for (const char *cell; !status && (cell = next_cell(&line)); r->columns++) {
        const int c = column_of(r, cell, strlen(cell));
        if (c >= 0 && r->place[c] >= 0)
            return SAY(r, "names the column %s twice", cell);
        if (c >= 0)
            r->place[c] = r->columns;
    }
    for (int c = 0; c < r->kind->columns && !status; c++)
        if (r->place[c] < 0)
            return SAY(r, "names no column %s", r->kind->name[c]);
    return status || r->columns <= MOST_COLUMNS
               ? status
               : SAY(r, "has more than %d columns", (int)MOST_COLUMNS);
}

/* ---- rows ---- */

static enum ky_status read_row(struct reader *r, char *line, struct ky_error *error)
{
    struct ky_external_table *table = r->table;
    double value[MOST_COLUMNS];
    int count = 0;
    for (const char *cell; count <= r->columns && (cell = next_cell(&line)); count++) {
        char *end;
        const double number = ky_number_real(cell, &end);
        if (end == cell || *end || !isfinite(number))
            return SAY(r, "has '%.40s', which is not a finite number", cell);
        if (count < r->columns)
            value[count] = number;
    }
    if (count != r->columns)
        return SAY(r, "has %s than %d numbers; the file may be cut off or damaged",
                   count < r->columns ? "fewer" : "more", r->columns);
    table->time[table->rows] = value[r->place[0]];
    const double *t = table->time + table->rows;
    if (table->rows > 0 && (t[0] == t[-1] || (t[0] > t[-1]) != (table->time[1] > table->time[0])))
        return SAY(r, "has the time %.10g after %.10g; times must all ascend or all descend", t[0],
                   t[-1]);
    for (int c = 1; c < r->kind->columns; c++)
        table->value[c - 1][table->rows] = value[r->place[c]];
    table->rows++;
    return KY_OK;
}

static enum ky_status read_line(struct reader *r, char *line, struct ky_error *error)
{
    char *end;
    line += strspn(line, blanks);
    if (!*line)
        return KY_OK;
    if (*line == '#')
        return read_comment(r, line, error);
    if (r->columns)
        return read_row(r, line, error);
    if (ky_number_real(line, &end), end == line)
        return read_names(r, line, error);
    for (r->columns = 0; r->columns < r->kind->columns; r->columns++)
        r->place[r->columns] = r->columns;
    return read_row(r, line, error);
}

/* Reads the text of the file, and changes it. */
static enum ky_status read_text(struct reader *r, char *text, size_t size, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    const char *end = text + size;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) /* byte-order mark */
        text += 3;
    while (text < end && !status) {
        char *stop = strchr(text, '\n');
        r->line++;
        if (!stop)
            return SAY(r, "%s", "has no end; the file is cut off, or has a zero byte");
        *stop = '\0';
        status = read_line(r, text, error);
        text = stop + 1;
    }
    if (!status && r->table->rows < 2)
        status = ky_fail(error, KY_BAD_DATA, "%s: has %zu %s; a table in time has at least two",
                         r->table->path, r->table->rows, ky_plural(r->table->rows, "row", "rows"));
    return status;
}

/* ---- the file ---- */

/* The value of a hexadecimal digit, or −1. */
static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *place = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return place ? (int)(place - digits) : -1;
}

/* "FILE", up to a # or the end, with its characters. */
static void decode_name(const char *text, char name[MOST_NAME])
{
    size_t length = 0;
    for (; *text && *text != '#' && length + 1 < MOST_NAME; text++) {
        const int high = *text == '%' ? digit(text[1]) : -1, low = high >= 0 ? digit(text[2]) : -1;
        name[length++] = low >= 0 ? (char)(16 * high + low) : *text;
        text += low >= 0 ? 2 : 0;
    }
    name[length] = '\0';
}

/* Reads the whole file, with a zero behind it. */
static enum ky_status load(const char *path, char **text, size_t *size, struct ky_error *error)
{
    struct ky_input input;
    *text = NULL;
    enum ky_status status = ky_input_open(path, &input, error);
    if (status)
        return status;
    *size = (size_t)input.size;
    if (input.size > most_bytes)
        status =
            ky_fail(error, KY_BAD_DATA, "%s: has more than %" PRIu64 " bytes", path, most_bytes);
    if (!status && !(*text = ky_allocate(*size + 1, 1)))
        status = ky_no_memory(error, "table of an external field", *size, 1);
    if (!status)
        status = ky_input_read(&input, 0, *text, *size, error);
    if (*text)
        (*text)[*size] = '\0';
    ky_input_close(&input);
    return status;
}

/* "#CHECKSUM*UNIT*UNIT", if it is there: the units, and whether the file is the same. */
static enum ky_status check_same(const struct ky_external_table *table, const char *text,
                                 double unit[2], struct ky_error *error)
{
    char *end = strchr(text, '#');
    if (!end)
        return KY_OK;
    const uint64_t hash = ky_number_count(end + 1, &end);
    for (int k = 0; k < 2; k++)
        unit[k] = *end == '*' ? ky_number_real(end + 1, &end) : (double)NAN;
    if (*end || !(unit[0] > 0) || !(unit[1] > 0))
        return ky_fail(error, KY_USAGE,
                       "external field: @%.80s is not a table; in names of files write %%23 for #",
                       text);
    if (hash != table->hash)
        return ky_fail(error, KY_BAD_DATA,
                       "%s: has changed since the simulation began; a resumed one needs the same "
                       "table",
                       table->path);
    return KY_OK;
}

static enum ky_status make_room(struct ky_external_table *table, const char *text, size_t columns,
                                struct ky_error *error)
{
    size_t most = 0;
    for (; (text = strchr(text, '\n')); text++)
        most++;
    double *room = ky_allocate(most + 1, columns * sizeof *room);
    if (!room)
        return ky_no_memory(error, "table of an external field", most, columns * sizeof *room);
    table->time = room;
    for (size_t c = 1; c < columns; c++)
        table->value[c - 1] = room + c * (most + 1);
    return KY_OK;
}

/* Multiplies a column by its unit, and turns it round where times descend. */
static void convert(double *column, size_t rows, double unit, int descends)
{
    for (size_t k = 0; k < rows; k++)
        column[k] *= unit;
    for (size_t k = 0; descends && k < rows / 2; k++) {
        const double first = column[k];
        column[k] = column[rows - 1 - k];
        column[rows - 1 - k] = first;
    }
}

static void convert_all(struct ky_external_table *table, int columns)
{
    const int descends = table->time[0] > table->time[1];
    convert(table->time, table->rows, table->time_unit, descends);
    for (int c = 1; c < columns; c++)
        convert(table->value[c - 1], table->rows, table->unit, descends);
}

enum ky_status ky_external_table_read(const char *text, enum ky_external_table_kind kind,
                                      const struct ky_units *units, struct ky_external_table *table,
                                      struct ky_error *error)
{
    char name[MOST_NAME], *content = NULL;
    size_t size = 0;
    struct reader reader = {.kind = &kinds[kind], .table = table, .unit = {1, 1, 1, 1}};
    reader.units = strchr(text, '#') ? NULL : units;
    *table = (struct ky_external_table){.rows = 0};
    decode_name(text, name);
    table->path = realpath(name, NULL);
    if (!table->path)
        return ky_fail(error, KY_BAD_DATA, "external field: there is no file %s for %s=@…", name,
                       ky_external_table_words[kind]);
    enum ky_status status = load(table->path, &content, &size, error);
    if (!status)
        table->hash = ky_hash(content, size, 0);
    if (!status)
        status = make_room(table, content, (size_t)reader.kind->columns, error);
    if (!status)
        status = read_text(&reader, content, size, error);
    double unit[2] = {reader.unit[1], reader.unit[0]};
    if (!status)
        status = check_same(table, text, unit, error);
    table->unit = unit[0];
    table->time_unit = unit[1];
    if (!status)
        convert_all(table, reader.kind->columns);
    free(content);
    if (status)
        ky_external_table_free(table);
    return status;
}

void ky_external_table_free(struct ky_external_table *table)
{
    free(table->path);
    free(table->time);
    *table = (struct ky_external_table){.rows = 0};
}

size_t ky_external_table_write(const struct ky_external_table *table, char *text, size_t size)
{
    char name[3 * MOST_NAME], unit[KY_NUMBER_TEXT], time_unit[KY_NUMBER_TEXT];
    size_t length = 0;
    for (const char *c = table->path; *c && length + 4 < sizeof name; c++)
        if (strchr(" \t\r\n,#%", *c))
            length += (size_t)snprintf(name + length, 4, "%%%02X", (unsigned)(unsigned char)*c);
        else
            name[length++] = *c;
    name[length] = '\0';
    return (size_t)snprintf(text, size, "@%s#%" PRIu64 "*%s*%s", name, table->hash,
                            ky_number_text(unit, table->unit),
                            ky_number_text(time_unit, table->time_unit));
}
