/* Tables as CSV or pictures: see plotted.h. */
#include "command/plotted.h"

#include "base/status.h"

static int is_table(const struct plotted *plotted)
{
    return ky_ends_with(plotted->output, ".csv");
}

static int is_picture_name(const char *output)
{
    return ky_ends_with(output, ".png") || ky_ends_with(output, ".pdf") ||
           ky_ends_with(output, ".svg");
}

enum ky_status plotted_check(struct cli *cli, const struct plotted *plotted, const char *input)
{
    if (!plotted->output)
        return cli_refuse(cli, "overwrite title width height", "-o FILE");
    if (ky_is_standard(plotted->output))
        return ky_fail(&cli->error, KY_USAGE,
                       "the table is not written to standard output; give -o FILE.csv");
    if (!is_table(plotted) && !is_picture_name(plotted->output))
        return ky_fail(
            &cli->error, KY_USAGE,
            "%s: tables are CSV files, plots PNG, PDF or SVG files; give a name that ends "
            "in .csv, .png, .pdf or .svg",
            plotted->output);
    enum ky_status status = ky_file_may_write(plotted->output, plotted->overwrite, &cli->error);
    if (!status && !is_table(plotted))
        status = ky_draw_available(plotted->output, &cli->error);
    if (!status && is_table(plotted))
        status = cli_refuse(cli, "title width height", "-o FILE.png");
    return status || !input ? status : refuse_own_input(cli, plotted->output, input);
}

enum ky_status plotted_write(struct cli *cli, const struct plotted *plotted,
                             const struct table *table, int *is_picture)
{
    struct ky_file *file = NULL;
    *is_picture = plotted->output && !is_table(plotted);
    if (!plotted->output || *is_picture)
        return KY_OK;
    KY_TRY(ky_file_create(plotted->output, plotted->overwrite, &file, &cli->error));
    table_csv(table, file);
    return ky_file_publish(file, NULL, &cli->error);
}
