/* Plots of columns of any table of numbers: a CSV file whose first line names its columns. */
#include <stdlib.h>
#include <string.h>

#include "command/draw.h"

/* Splits a text at its commas, in place. *count: number of names. KY_USAGE for an empty name, or
 * too many names. */
static enum ky_status split(char *text, const char **names, size_t most, size_t *count,
                            struct ky_error *error)
{
    char *name;
    for (*count = 0; (name = columns_cell(&text)); names[(*count)++] = name) {
        if (*count == most)
            return ky_fail(error, KY_USAGE, "--y takes at most %zu columns", most);
        if (!*name)
            return ky_fail(error, KY_USAGE,
                           "--y takes names of columns separated by commas; a name that has a "
                           "comma is written in quotes: --y '\"a, b\",c'");
    }
    return KY_OK;
}

/* The common unit of these columns. */
static const char *common_unit(const struct columns *table, const char *const *names, size_t count,
                               char unit[COLUMNS_UNITS])
{
    char other[COLUMNS_UNITS];
    const char *first = columns_unit(table, names[0], unit);
    for (size_t c = 1; c < count && first; c++)
        if (!columns_unit(table, names[c], other) || strcmp(other, unit) != 0)
            return NULL;
    return first;
}

enum ky_status draw_table(struct cli *cli, const struct draw_request *request,
                          const struct file_list *unused)
{
    const char *names[COLUMNS_MOST];
    char units[2][COLUMNS_UNITS];
    struct ky_plot_curve curves[COLUMNS_MOST - 1];
    struct columns table = {0};
    size_t count = 0;
    (void)unused;
    if (cli->word_count != 1)
        return ky_fail(&cli->error, KY_USAGE, "--plot table takes one table, not %d",
                       cli->word_count);
    if (!request->x || !request->y)
        return ky_fail(&cli->error, KY_USAGE,
                       "--plot table needs --x COLUMN and --y COLUMN[,COLUMN…]");
    char *wanted = strdup(request->y), *x = strdup(request->x), *rest = x;
    if (!wanted || !x) {
        free(wanted);
        free(x);
        return ky_fail(&cli->error, KY_FAULT, "out of memory: names of columns");
    }
    names[0] = *x == '"' ? columns_cell(&rest) : x; /* a single name needs no quotes */
    enum ky_status status = split(wanted, names + 1, COLUMNS_MOST - 1, &count, &cli->error);
    if (!status)
        status = draw_read_columns(cli, cli->words[0], names, count + 1, &table);
    for (size_t c = 0; c < count; c++)
        curves[c] = (struct ky_plot_curve){.name = count > 1 ? names[c + 1] : NULL,
                                           .x = table.values[0],
                                           .y = table.values[c + 1],
                                           .n = table.rows,
                                           .colour = (int)c,
                                           .dash = (int)c};
    const char *up = request->label ? request->label : count == 1 ? names[1] : "";
    int logarithmic = request->logarithmic;
    struct ky_plot plot = {{names[0], up},
                           {logarithmic == LOGARITHMIC_X || logarithmic == LOGARITHMIC_BOTH,
                            logarithmic == LOGARITHMIC_Y || logarithmic == LOGARITHMIC_BOTH},
                           curves,
                           count,
                           {columns_unit(&table, names[0], units[0]),
                            common_unit(&table, names + 1, count, units[1])}};
    if (!status)
        status = draw_write_plots(cli, request, &plot, 1);
    columns_free(&table);
    free(wanted);
    free(x);
    return status;
}
