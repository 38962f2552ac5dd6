/* The CSV reader. A header line names the columns; each further line is a body. Lines that start
 * with # are comments; some of them give time, units and parameters (docs/formats/snapshots.md). */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/units.h"
#include "snapshot/csv.h"
#include "snapshot/star_tables.h"

enum { BUFFER = 1 << 16, MOST_COLUMNS = 64 };

const struct ky_csv_column ky_csv_columns[KY_CSV_COLUMNS] = {
    {"id", KY_CSV_ID, KY_ARRAY_ID, 0},
    {"type", KY_CSV_TYPE, KY_ARRAY_TYPE, 0},
    {"mass", KY_CSV_NOT_NEGATIVE, KY_ARRAY_MASS, 0},
    {"x", KY_CSV_REAL, KY_ARRAY_POSITION, 0},
    {"y", KY_CSV_REAL, KY_ARRAY_POSITION, 1},
    {"z", KY_CSV_REAL, KY_ARRAY_POSITION, 2},
    {"vx", KY_CSV_REAL, KY_ARRAY_VELOCITY, 0},
    {"vy", KY_CSV_REAL, KY_ARRAY_VELOCITY, 1},
    {"vz", KY_CSV_REAL, KY_ARRAY_VELOCITY, 2},
    {"softening", KY_CSV_NOT_NEGATIVE, KY_ARRAY_SOFTENING, 0},
    {"radius", KY_CSV_NOT_NEGATIVE, KY_ARRAY_RADIUS, 0},
    {"ax", KY_CSV_REAL, KY_ARRAY_ACCELERATION, 0},
    {"ay", KY_CSV_REAL, KY_ARRAY_ACCELERATION, 1},
    {"az", KY_CSV_REAL, KY_ARRAY_ACCELERATION, 2},
    {"potential", KY_CSV_REAL, KY_ARRAY_POTENTIAL, 0},
};

const struct ky_csv_comment ky_csv_comments[KY_CSV_COMMENTS] = {
    {"time", offsetof(struct ky_snapshot, time)},
    {"length_cm", offsetof(struct ky_snapshot, units.length_cm)},
    {"mass_g", offsetof(struct ky_snapshot, units.mass_g)},
    {"velocity_cm_s", offsetof(struct ky_snapshot, units.velocity_cm_s)},
    {"g", offsetof(struct ky_snapshot, units.g)},
    {"softening", offsetof(struct ky_snapshot, softening)},
};

/* KY_WITH_… of the column's array; 0: it is required. */
static unsigned with_of(const struct ky_csv_column *column)
{
    return ky_arrays[column->array].with;
}

/* ---- lines ---- */

struct lines {
    const struct ky_input *input;
    uint64_t offset; /* of the next byte to read */
    size_t start, end;
    uint64_t number; /* of the last line returned, from 1 */
    int ended;       /* 1: that line ended with a newline */
    char *buffer;
};

/* The next line, without its newline and surrounding blanks, or NULL after the last. */
static enum ky_status next_line(struct lines *in, char **line, struct ky_error *error)
{
    *line = NULL;
    char *stop = NULL;
    while (!(stop = in->end > in->start ? memchr(in->buffer + in->start, '\n', in->end - in->start)
                                        : NULL)) {
        uint64_t left = in->input->size - in->offset;
        if (!left)
            break;
        memmove(in->buffer, in->buffer + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
        size_t room = BUFFER - in->end, want = left < room ? (size_t)left : room;
        if (!want)
            return ky_fail(error, KY_BAD_DATA,
                           "line %" PRIu64 " is longer than %d bytes; a row of numbers is shorter",
                           in->number + 1, BUFFER);
        KY_TRY(ky_input_read(in->input, in->offset, in->buffer + in->end, want, error));
        in->offset += want;
        in->end += want;
    }
    if (in->start == in->end)
        return KY_OK;
    in->ended = stop != NULL;
    stop = stop ? stop : in->buffer + in->end;
    char *text = in->buffer + in->start;
    in->start = (size_t)(stop - in->buffer) + (size_t)in->ended;
    in->number++;
    if (memchr(text, '\0', (size_t)(stop - text)))
        return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 " has a zero byte; CSV is text",
                       in->number);
    while (stop > text && isspace((unsigned char)stop[-1]))
        stop--;
    *stop = '\0'; /* the buffer has one extra byte */
    while (isspace((unsigned char)*text))
        text++;
    *line = text;
    return KY_OK;
}

/* 1 for a comment or an empty line. */
static int is_comment(const char *line)
{
    return *line == '\0' || *line == '#';
}

/* Cuts the next cell off *rest; NULL after the last. Cells are separated by commas, or by blanks
 * and tabs if the header line has no comma. Quotation marks around a cell are removed. */
static char *next_cell(char **rest, int blanks)
{
    char *cell = *rest;
    if (!cell)
        return NULL;
    char *end = cell + strcspn(cell, blanks ? " \t" : ",");
    *rest = *end ? end + 1 + (blanks ? strspn(end + 1, " \t") : 0) : NULL;
    while (end > cell && isspace((unsigned char)end[-1]))
        end--;
    while (isspace((unsigned char)*cell))
        cell++;
    if (end > cell + 1 && *cell == '"' && end[-1] == '"') {
        cell++;
        end--;
    }
    *end = '\0';
    return cell;
}

/* ---- reading ---- */

struct reader {
    struct lines lines;
    struct ky_snapshot *snapshot;
    const struct ky_csv_column *column[MOST_COLUMNS]; /* NULL: not read */
    int count, blanks;   /* blanks: blanks, not commas, separate cells */
    uint64_t rows, told; /* told: rows given by the comment "bodies", or UINT64_MAX */
    size_t parameter_bytes;
    const struct ky_read_options *options;
    int bare;          /* 1: the columns have no names, and the first line is a row */
    uint64_t hidden;   /* line of a comment that begins with the name of a column, or 0 */
    char strange[128]; /* a comment that names units in words: "line 2 has '# units: kpc'" */
};

/* The column of this name, ignoring case; NULL if there is none. */
static const struct ky_csv_column *find_column(const char *name)
{
    for (int k = 0; k < KY_CSV_COLUMNS; k++)
        if (!strcasecmp(name, ky_csv_columns[k].name))
            return &ky_csv_columns[k];
    return !strcasecmp(name, "m") ? find_column("mass") : NULL;
}

/* KY_BAD_DATA for a missing required column, or a column that occurs twice. An optional array needs
 * all of its columns. */
static enum ky_status check_columns(const struct reader *r, uint64_t line, struct ky_error *error)
{
    unsigned with = 0;
    for (int k = 0; k < r->count; k++)
        with |= with_of(r->column[k]);
    for (int c = 0; c < KY_CSV_COLUMNS; c++) {
        int found = 0;
        for (int k = 0; k < r->count; k++)
            found += r->column[k] == &ky_csv_columns[c];
        if (found > 1)
            return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 ": column '%s' occurs twice", line,
                           ky_csv_columns[c].name);
        if (!found && (!with_of(&ky_csv_columns[c]) || (with_of(&ky_csv_columns[c]) & with)))
            return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 ": column '%s' is missing", line,
                           ky_csv_columns[c].name);
    }
    return KY_OK;
}

/* Fails with KY_BAD_DATA for a name that is not a column, and suggests the cause. */
static enum ky_status bad_column(const struct reader *r, const char *name, struct ky_error *error)
{
    if (!r->count && r->hidden)
        return ky_fail(error, KY_BAD_DATA,
                       "line %" PRIu64
                       " names the columns after a #, which makes it a comment; remove the #",
                       r->hidden);
    if (!*name)
        return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 ": column %d has no name; remove it",
                       r->lines.number, r->count + 1);
    if (strchr(name, ';'))
        return ky_fail(
            error, KY_BAD_DATA,
            "line %" PRIu64
            " has semicolons between its cells; use commas there, and points in the numbers",
            r->lines.number);
    return ky_fail(error, KY_BAD_DATA,
                   "line %" PRIu64 ": unknown column '%.40s'; known are id, type, mass, x, y, z, "
                   "vx, vy, vz, softening, radius, ax, ay, az, potential",
                   r->lines.number, name);
}

/* Reads the header line. KY_BAD_DATA for a name that is not a column. */
static enum ky_status read_columns(struct reader *r, char *line, struct ky_error *error)
{
    char *cell;
    r->blanks = !strchr(line, ',');
    while ((cell = next_cell(&line, r->blanks))) {
        const struct ky_csv_column *column = find_column(cell);
        if (!column)
            return bad_column(r, cell, error);
        if (r->count == MOST_COLUMNS)
            return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 " has more than %d columns",
                           r->lines.number, MOST_COLUMNS);
        r->column[r->count++] = column;
    }
    return check_columns(r, r->lines.number, error);
}

/* ---- tables without names of columns ---- */

/* The columns of a row of mass, place and velocity, and perhaps ids. */
static enum ky_status name_columns(struct reader *r, int count, int id, struct ky_error *error)
{
    static const char *const names[KY_STAR_COLUMNS] = {"mass", "x", "y", "z", "vx", "vy", "vz"};
    if (count > MOST_COLUMNS)
        return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 " has more than %d columns",
                       r->lines.number, MOST_COLUMNS);
    for (int k = 0; k < KY_STAR_COLUMNS; k++)
        r->column[k] = find_column(names[k]);
    if (id >= 0)
        r->column[id] = find_column("id");
    r->count = count;
    r->blanks = 1;
    ky_read_log(r->options, KY_LOG_INFO,
                "the columns have no names: mass, x, y, z, vx, vy, vz%s, as %s them",
                id >= 0 ? " and an id" : "",
                id >= 0 ? "PeTar writes" : "McLuster and NBODY6 write");
    return KY_OK;
}

/* The first line of a snapshot of PeTar, and the columns of the row after it. */
static enum ky_status read_petar(struct reader *r, const char *line, struct ky_error *error)
{
    double number[3];
    char *row, *end = NULL;
    for (int k = 0; k < 3; k++, line = end)
        number[k] = ky_number_real(line, &end);
    if (!(number[1] >= 0 && number[1] < 1e15) || !isfinite(number[2]))
        return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 " is no head of a snapshot of PeTar",
                       r->lines.number);
    r->told = (uint64_t)number[1];
    r->snapshot->time = number[2];
    KY_TRY(next_line(&r->lines, &row, error));
    const int count = row ? ky_count_numbers(row) : 0, id = ky_petar_id_column(count);
    if (id < 0)
        return ky_fail(error, KY_BAD_DATA,
                       "line %" PRIu64 " has %d numbers; a row of PeTar has 20, 21, 24, 25, 34 or "
                       "35",
                       r->lines.number, count);
    r->rows = 1;
    return name_columns(r, count, id, error);
}

/* Reads the first line that is not a comment: names of columns, or in a table of stars numbers. */
static enum ky_status read_head(struct reader *r, char *line, struct ky_error *error)
{
    const int count = ky_count_numbers(line);
    if (!r->hidden && ky_is_petar_head(count))
        return read_petar(r, line, error);
    if (r->hidden || !ky_is_star_row(count)) /* the hidden names may be in another order */
        return read_columns(r, line, error);
    r->bare = 1;
    r->rows = 1;
    return name_columns(r, count, -1, error);
}

/* Stores the line "#| text" as a line of the parameters. */
static enum ky_status keep_parameters(struct reader *r, const char *text, struct ky_error *error)
{
    size_t length = strlen(text), room = r->parameter_bytes + length + 2;
    char *longer = realloc(r->snapshot->parameters, room);
    if (!longer)
        return ky_no_memory(error, "parameters", room, 1);
    memcpy(longer + r->parameter_bytes, text, length);
    memcpy(longer + r->parameter_bytes + length, "\n", 2);
    r->parameter_bytes += length + 1;
    r->snapshot->parameters = longer;
    return KY_OK;
}

/* For a comment "# name: value" or "# name = value": writes the name and returns the value. NULL
 * for other comments. */
static const char *split_comment(const char *line, char name[32])
{
    const char *word = line + 1 + strspn(line + 1, " \t");
    size_t length = 0;
    while (isalpha((unsigned char)word[length]) || word[length] == '_')
        length++;
    const char *end = word + length + strspn(word + length, " \t");
    if (length == 0 || length >= 32 || (*end != ':' && *end != '='))
        return NULL;
    memcpy(name, word, length);
    name[length] = '\0';
    return end + 1;
}

/* The number of words of a line, separated by blanks or commas, that are names of columns. */
static int count_names(const char *line)
{
    int count = 0;
    for (line += strspn(line, "#, \t"); *line; line += strspn(line, ", \t")) {
        char word[16] = "";
        size_t length = strcspn(line, ", \t");
        if (length < sizeof word)
            memcpy(word, line, length);
        count += find_column(word) != NULL;
        line += length;
    }
    return count;
}

/* Looks for units in words and for column names in a comment that has no meaning here. */
static void search_comment(struct reader *r, const char *line)
{
    char name[32];
    const char *text = split_comment(line, name);
    int speaks = text && ky_speaks_of_units(name);
    text += text ? strspn(text, " \t") : 0;
    if (speaks && (!strncasecmp(text, "nbody", 5) || !strncasecmp(text, "n-body", 6)))
        speaks = 0;
    if (!*r->strange && (speaks || ky_names_unit(line)))
        snprintf(r->strange, sizeof r->strange, "line %" PRIu64 " has '%.80s'", r->lines.number,
                 line);
    if (!r->hidden && count_names(line) > 2)
        r->hidden = r->lines.number;
}

/* The row for a comment of this name, ignoring case; NULL if there is none. */
static const struct ky_csv_comment *find_comment(const char *name)
{
    for (int k = 0; k < KY_CSV_COMMENTS; k++)
        if (!strcasecmp(name, ky_csv_comments[k].name))
            return &ky_csv_comments[k];
    return NULL;
}

/* Takes the number of a comment or a line of parameters, and ignores other comments. KY_BAD_DATA if
 * the number is not valid. */
static enum ky_status read_comment(struct reader *r, const char *line, struct ky_error *error)
{
    char name[32], *end;
    if (!strncmp(line, "#|", 2))
        return keep_parameters(r, line[2] == ' ' ? line + 3 : line + 2, error);
    if (ky_is_mcluster_head(line))
        return ky_units_preset("cluster", &r->snapshot->units, error);
    const char *text = split_comment(line, name);
    int counts = text && !strcasecmp(name, "bodies"),
        kind = text && !strcasecmp(name, KY_CSV_SYMMETRIC);
    const struct ky_csv_comment *comment = text ? find_comment(name) : NULL;
    if (!counts && !kind && !comment) {
        search_comment(r, line);
        return KY_OK;
    }
    double value = ky_number_real(text, &end);
    int whole = end != text && !end[strspn(end, " \t")] && isfinite(value);
    if (!whole || (counts && !(value >= 0 && value < 1e15)) ||
        (comment && comment != &ky_csv_comments[0] && value < 0)) /* not the time */
        return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 ": %s is '%.40s'; it must be a number%s",
                       r->lines.number, name, text + strspn(text, " \t"),
                       comment == &ky_csv_comments[0] ? "" : " of 0 or more");
    if (counts)
        r->told = (uint64_t)value;
    else if (kind)
        r->snapshot->softening_kind = ky_softening_kind_of(value);
    else
        memcpy((char *)r->snapshot + comment->offset, &value, sizeof value);
    return KY_OK;
}

/* Fails with KY_BAD_DATA, giving the line, the column and a valid form. */
static enum ky_status bad_cell(const struct reader *r, const struct ky_csv_column *column,
                               const char *cell, const char *right, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA, "line %" PRIu64 ": %s is '%.40s'; it must be %s",
                   r->lines.number, column->name, cell, right);
}

/* Stores the number of a cell in the array of its column, in row `row`. */
static enum ky_status read_cell(struct reader *r, const struct ky_csv_column *column,
                                const char *cell, size_t row, struct ky_error *error)
{
    char *end;
    void *array = ky_array_of(&r->snapshot->bodies, column->array);
    if (column->kind == KY_CSV_ID || column->kind == KY_CSV_TYPE) {
        if (column->kind == KY_CSV_ID && r->options->renumber)
            return KY_OK; /* the value is not used */
        uint64_t value = ky_number_count(cell, &end);
        int good = end != cell && !*end;
        if (column->kind == KY_CSV_ID && !good)
            return bad_cell(r, column, cell,
                            "a whole number below 2^64, unless --renumber is given", error);
        if (column->kind == KY_CSV_TYPE && (!good || (value > 5 && !r->options->types)))
            return bad_cell(r, column, cell,
                            "0 to 5; --types, as in --types 0,1,4, leaves out bodies of others",
                            error);
        if (column->kind == KY_CSV_ID)
            ((uint64_t *)array)[row] = value;
        else
            ((uint8_t *)array)[row] =
                (uint8_t)(value > 5 ? 6 : value); /* types are less than 6, so 6 is never chosen */
        return KY_OK;
    }
    double value = ky_number_real(cell, &end);
    if (end == cell || *end || !isfinite(value))
        return bad_cell(r, column, cell, "a finite number", error);
    if (column->kind == KY_CSV_NOT_NEGATIVE && value < 0)
        return bad_cell(r, column, cell, "0 or more", error);
    ((double *)array)[row * (size_t)ky_arrays[column->array].columns + (size_t)column->axis] =
        value;
    return KY_OK;
}

/* Reads a line of numbers. KY_BAD_DATA unless it has as many cells as the header line. */
static enum ky_status read_row(struct reader *r, char *line, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    char *cell;
    int k = 0;
    while (!status && (cell = next_cell(&line, r->blanks))) {
        if (k < r->count && r->column[k])
            status = read_cell(r, r->column[k], cell, r->rows, error);
        k++;
    }
    if (!status && k != r->count)
        status = ky_fail(error, KY_BAD_DATA, "line %" PRIu64 " has %d cells and the header line %d",
                         r->lines.number, k, r->count);
    r->rows++;
    return status;
}

/* Goes back to the first line. */
static void rewind_lines(struct lines *lines)
{
    char *buffer = lines->buffer;
    *lines = (struct lines){.input = lines->input, .buffer = buffer};
    unsigned char mark[3] = {0}; /* some editors write a byte-order mark first */
    if (lines->input->size >= 3 && !ky_input_read(lines->input, 0, mark, 3, NULL) &&
        !memcmp(mark, "\xef\xbb\xbf", 3))
        lines->offset = 3;
}

/* The first pass: columns, comments and the number of rows. */
static enum ky_status survey(struct reader *r, struct ky_error *error)
{
    char *line;
    enum ky_status status;
    rewind_lines(&r->lines);
    while (!(status = next_line(&r->lines, &line, error)) && line) {
        if (is_comment(line))
            status = read_comment(r, line, error);
        else if (!r->count)
            status = read_head(r, line, error);
        else
            r->rows++;
        if (status)
            return status;
    }
    if (!status && !r->count)
        status = ky_fail(error, KY_BAD_DATA,
                         "has no header line such as id,mass,x,y,z,vx,vy,vz; it is cut off");
    if (!status && r->told != UINT64_MAX && (r->told != r->rows || !r->lines.ended))
        status =
            ky_fail(error, KY_BAD_DATA, "has %" PRIu64 " %srows and its head says %" PRIu64 "%s",
                    r->rows, r->lines.ended ? "" : "or fewer whole ", r->told,
                    r->rows > r->told ? "" : "; it is cut off");
    else if (!status && r->rows && !r->lines.ended)
        ky_read_log(r->options, KY_LOG_WARNING,
                    "line %" PRIu64 ", the last, has no newline: if the file is cut off there, its "
                    "last number has lost digits",
                    r->lines.number);
    return status;
}

/* The second pass: the numbers. */
static enum ky_status read_rows(struct reader *r, struct ky_error *error)
{
    char *line;
    int head = !r->bare;
    enum ky_status status;
    rewind_lines(&r->lines);
    r->rows = 0;
    while (!(status = next_line(&r->lines, &line, error)) && line) {
        if (is_comment(line))
            continue;
        if (!head)
            status = r->rows < r->snapshot->bodies.n
                         ? read_row(r, line, error)
                         : ky_fail(error, KY_BAD_DATA, "has changed while it was read");
        if (status)
            return status;
        head = 0;
    }
    return status;
}

/* KY_BAD_DATA if some scales are missing, or G does not agree with them. Also without scales, if
 * comments name units in words, which are not understood. */
static enum ky_status check_units(const struct reader *r, struct ky_error *error)
{
    struct ky_error own;
    struct ky_units *units = &r->snapshot->units;
    const int told = units->length_cm > 0 || units->mass_g > 0 || units->velocity_cm_s > 0;
    if (!told && *r->strange) {
        KY_TRY(ky_units_unknown(r->options, r->strange, error));
        if (r->options->units)
            *units = *r->options->units;
    }
    return ky_units_check(units, &own) ? ky_fail(error, KY_BAD_DATA, "%s", own.text) : KY_OK;
}

enum ky_status ky_csv_read(const struct ky_input *input, const struct ky_read_options *options,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct reader r = {
        .lines.input = input, .snapshot = snapshot, .options = options, .told = UINT64_MAX};
    unsigned with = 0;
    r.lines.buffer = ky_allocate(BUFFER + 1, 1);
    if (!r.lines.buffer)
        return ky_no_memory(error, "CSV buffer", BUFFER, 1);
    snapshot->units.g = (double)NAN; /* until a comment gives it */
    enum ky_status status = survey(&r, error);
    if (!status)
        status = check_units(&r, error);
    for (int k = 0; k < r.count; k++)
        with |= r.column[k] ? with_of(r.column[k]) : 0;
    int count_alone = !status && ky_count_alone(options, r.rows);
    if (count_alone)
        snapshot->bodies.n = (size_t)r.rows;
    else if (!status)
        status = ky_bodies_allocate(&snapshot->bodies, (size_t)r.rows, with, error);
    if (!status && !count_alone)
        status = read_rows(&r, error);
    free(r.lines.buffer);
    return status;
}

/* 1 if the line begins with the name of a column, possibly after a #, a quotation mark or an
 * unnamed column. */
static int names_column(const unsigned char *line, const unsigned char *end)
{
    char cell[16] = {0};
    while (line < end && (isspace(*line) || strchr("#\",", *line)))
        line++;
    for (size_t k = 0;
         k < sizeof cell - 1 && line < end && !strchr("\",;", *line) && !isspace(*line);
         k++, line++)
        cell[k] = (char)*line;
    return find_column(cell) != NULL;
}

/* 1 for a text with a line that begins with the name of a column: the first line that is not a
 * comment, or a comment before it; and for a table of stars without names. */
int ky_csv_recognise(const struct ky_input *input, const unsigned char *head, size_t bytes)
{
    size_t at = bytes >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
    for (size_t k = at; k < bytes; k++)
        if (head[k] < ' ' && !isspace(head[k]))
            return 0;
    while (at < bytes) {
        size_t end = at;
        while (end < bytes && head[end] != '\n')
            end++;
        while (at < end && isspace(head[at]))
            at++;
        if (at < end &&
            (names_column(head + at, head + end) || ky_star_table_begins(head + at, head + bytes)))
            return 1;
        if (at < end && head[at] != '#')
            return 0;
        if (end == bytes)
            return bytes < input->size; /* all bytes examined are comments */
        at = end + 1;
    }
    return 0;
}
