/* The CSV writer. Numbers have 17 digits, so that reading restores the same bits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/status.h"
#include "snapshot/csv.h"

void ky_csv_write_comments(struct ky_file *file, const struct ky_snapshot *snapshot)
{
    for (int k = 0; k < KY_CSV_COMMENTS; k++) {
        double value;
        memcpy(&value, (const char *)snapshot + ky_csv_comments[k].offset, sizeof value);
        if (!isnan(value))
            ky_file_print(file, "# %s: %.17g\n", ky_csv_comments[k].name, value);
    }
    if (snapshot->softening_kind >= 0)
        ky_file_print(file, "# %s: %d\n", KY_CSV_SYMMETRIC, snapshot->softening_kind);
}

/* Writes the comments before the header line. */
static void write_head(struct ky_file *file, const struct ky_snapshot *snapshot)
{
    ky_file_print(file, "# kyoho %s snapshot\n# bodies: %zu\n", ky_version(), snapshot->bodies.n);
    ky_csv_write_comments(file, snapshot);
    const char *line = snapshot->parameters;
    while (line && *line) {
        size_t length = strcspn(line, "\n");
        ky_file_write(file, "#| ", 3);
        ky_file_write(file, line, length);
        ky_file_write(file, "\n", 1);
        line += length + (line[length] == '\n');
    }
}

/* Writes a number of body `row` as text; returns its length. */
static int format_cell(char *text, size_t room, const struct ky_csv_column *column,
                       const void *array, size_t row)
{
    if (column->kind == KY_CSV_ID)
        return snprintf(text, room, "%" PRIu64, ((const uint64_t *)array)[row]);
    if (column->kind == KY_CSV_TYPE)
        return snprintf(text, room, "%d", ((const uint8_t *)array)[row]);
    const size_t columns = (size_t)ky_arrays[column->array].columns;
    return ky_format(text, room, "%.17g",
                     ((const double *)array)[row * columns + (size_t)column->axis]);
}

/* Writes the header line, and a line for each body. */
static void write_rows(struct ky_file *file, const struct ky_bodies *bodies)
{
    const struct ky_csv_column *used[KY_CSV_COLUMNS];
    const void *array[KY_CSV_COLUMNS];
    int count = 0;
    for (int c = 0; c < KY_CSV_COLUMNS; c++) {
        const enum ky_array_id id = ky_csv_columns[c].array;
        array[count] = ky_array_of(bodies, id);
        if (array[count] || !ky_arrays[id].with)
            used[count++] = &ky_csv_columns[c];
    }
    for (int k = 0; k < count; k++)
        ky_file_print(file, "%s%c", used[k]->name, k + 1 < count ? ',' : '\n');
    for (size_t i = 0; i < bodies->n; i++) {
        char row[KY_CSV_COLUMNS * 32];
        int length = 0;
        for (int k = 0; k < count; k++) {
            length += format_cell(row + length, sizeof row - (size_t)length, used[k], array[k], i);
            row[length++] = k + 1 < count ? ',' : '\n';
        }
        if (ky_file_write(file, row, (size_t)length))
            return;
    }
}

enum ky_status ky_csv_write(const char *path, const struct ky_snapshot *snapshot,
                            const struct ky_write_options *options, struct ky_error *error)
{
    struct ky_file *file;
    KY_TRY(ky_snapshot_create(path, options->overwrite, &file, error));
    write_head(file, snapshot);
    write_rows(file, &snapshot->bodies);
    return ky_file_publish(file, NULL, error);
}
