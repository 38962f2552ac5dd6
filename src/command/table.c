/* Tables of numbers: see table.h. */
#include "command/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

enum { WIDTH = 12 };

double table_shown(const struct table *table, const struct table_column *column,
                   char name[KY_UNIT_TEXT])
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->rows && column->values; i++) {
        const double size = fabs(column->values[i]);
        if (size > 0 && isfinite(size))
            sum += log(size), count++;
    }
    return ky_unit_shown(table->units, column->unit, count ? exp(sum / (double)count) : (double)NAN,
                         name);
}

/* The larger of the least width and the width of the name. */
static int width_of(const struct table_column *column)
{
    const int length = (int)strlen(column->name);
    return length > WIDTH ? length : WIDTH;
}

/* Writes text right-aligned to its column. UTF-8 text has more bytes than letters. */
static void put(FILE *out, const char *text, int width)
{
    int letters = 0;
    for (const char *at = text; *at; at++)
        letters += ((unsigned char)*at & 0xc0) != 0x80;
    fprintf(out, " %*s%s", width > letters ? width - letters : 0, "", text);
}

static void put_number(FILE *out, const struct table_column *column, size_t row, double factor)
{
    char text[KY_NUMBER_TEXT] = "-";
    if (column->numbers)
        snprintf(text, sizeof text, "%" PRIu64, column->numbers[row]);
    else if (isfinite(column->values[row]))
        ky_format(text, sizeof text, "%.5g", factor * column->values[row]);
    put(out, text, width_of(column));
}

void table_print(const struct table *table, size_t first, size_t end, FILE *out)
{
    const int scale = table->units->length_cm > 0;
    for (size_t c = 0; c < table->columns; c++)
        put(out, table->column[c].name, width_of(&table->column[c]));
    fputc('\n', out);
    for (size_t c = 0; c < table->columns && scale; c++) {
        char name[KY_UNIT_TEXT];
        table_shown(table, &table->column[c], name);
        put(out, name, width_of(&table->column[c]));
    }
    if (scale)
        fputc('\n', out);
    for (size_t row = first; row < end; row++) {
        for (size_t c = 0; c < table->columns; c++) {
            char name[KY_UNIT_TEXT];
            put_number(out, &table->column[c], row, table_shown(table, &table->column[c], name));
        }
        fputc('\n', out);
    }
}

/* "# units: time 0.977792 Myr; mass Msun". With a comma for each comma of the names astropy would
 * take the comment for the names. */
static int csv_units(const struct table *table, struct ky_file *file)
{
    int failed = ky_file_print(file, "# units:");
    const char *before = " ";
    for (size_t c = 0; c < table->columns && !failed; c++) {
        char text[KY_UNIT_TEXT];
        ky_unit_text(table->units, table->column[c].unit, text);
        if (!*text)
            continue;
        failed = ky_file_print(file, "%s%s %s", before, table->column[c].name, text);
        before = "; ";
    }
    return failed || ky_file_print(file, "\n");
}

void table_csv(const struct table *table, struct ky_file *file)
{
    int failed = 0;
    for (size_t c = 0; c < table->columns && !failed; c++)
        failed = ky_file_print(file, "%s%s", c ? "," : "", table->column[c].name);
    failed = failed || ky_file_print(file, "\n");
    if (!failed && table->units->length_cm > 0)
        failed = csv_units(table, file);
    for (size_t row = 0; row < table->rows && !failed; row++) {
        for (size_t c = 0; c < table->columns && !failed; c++) {
            const struct table_column *column = &table->column[c];
            char text[KY_NUMBER_TEXT] = "";
            if (column->numbers)
                snprintf(text, sizeof text, "%" PRIu64, column->numbers[row]);
            else if (isfinite(column->values[row]))
                ky_number_text(text, column->values[row]);
            failed = ky_file_print(file, "%s%s", c ? "," : "", text);
        }
        failed = failed || ky_file_print(file, "\n");
    }
}

void table_json(struct ky_json *json, const char *name, const struct table *table)
{
    ky_json_array(json, name);
    for (size_t row = 0; row < table->rows; row++) {
        ky_json_object(json, NULL);
        for (size_t c = 0; c < table->columns; c++) {
            const struct table_column *column = &table->column[c];
            if (column->numbers)
                ky_json_count(json, column->name, column->numbers[row]);
            else
                ky_json_real(json, column->name, column->values[row]);
        }
        ky_json_end_object(json);
    }
    ky_json_end_array(json);
}
