/* Plots of columns of any table of numbers: a CSV file whose first line names its columns. */
#include <string.h>

#include "command/columns.h"
#include "command/draw.h"

enum { NAME = 64 };

/* Cuts a text at its commas. *count: names found, each without blanks around it. KY_USAGE for an
 * empty name, one that is too long, or too many. */
static enum ky_status split(const char *text, char names[][NAME], size_t most, size_t *count,
                            struct ky_error *error)
{
    for (*count = 0;; text++) {
        size_t length = strcspn(text, ","), blanks = strspn(text, " ");
        const char *end = text + length;
        if (*count == most)
            return ky_fail(error, KY_USAGE, "--y takes at most %zu columns", most);
        text += blanks < length ? blanks : length;
        length = (size_t)(end - text);
        while (length && text[length - 1] == ' ')
            length--;
        if (!length || length >= NAME)
            return ky_fail(error, KY_USAGE,
                           "--y takes names of columns between commas, of 1 to %d letters each",
                           NAME - 1);
        memcpy(names[*count], text, length);
        names[(*count)++][length] = 0;
        text = end;
        if (!*text)
            return KY_OK;
    }
}

enum ky_status draw_table(struct cli *cli, const struct draw_request *request)
{
    char texts[COLUMNS_MOST - 1][NAME];
    const char *names[COLUMNS_MOST] = {request->x};
    struct ky_plot_curve curves[COLUMNS_MOST - 1];
    struct columns table = {0};
    size_t count;
    if (cli->word_count != 1)
        return ky_fail(&cli->error, KY_USAGE, "--plot table takes one table, not %d",
                       cli->word_count);
    if (!request->x || !request->y)
        return ky_fail(&cli->error, KY_USAGE,
                       "--plot table needs --x COLUMN and --y COLUMN[,COLUMN…]");
    enum ky_status status = split(request->y, texts, COLUMNS_MOST - 1, &count, &cli->error);
    if (status)
        return status;
    for (size_t c = 0; c < count; c++)
        names[c + 1] = texts[c];
    status = columns_read(cli->words[0], names, count + 1, &table, &cli->error);
    for (size_t c = 0; c < count; c++)
        curves[c] =
            (struct ky_plot_curve){texts[c], table.values[0], table.values[c + 1], table.rows};
    const char *up = request->label ? request->label : count == 1 ? texts[0] : "";
    int logarithmic = request->logarithmic;
    struct ky_plot plot = {{request->x, up},
                           {logarithmic == LOGARITHMIC_X || logarithmic == LOGARITHMIC_BOTH,
                            logarithmic == LOGARITHMIC_Y || logarithmic == LOGARITHMIC_BOTH},
                           curves,
                           count};
    if (!status)
        status = draw_write_plots(cli, request, &plot, 1);
    columns_free(&table);
    return status;
}
