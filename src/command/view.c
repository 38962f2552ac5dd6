/* kyoho view: shows the snapshots of a run, or one snapshot, in a browser. */
#include "base/file.h"
#include "command/files.h"
#include "command/signals.h"

#include <math.h>

struct request {
    struct ky_view_parameters view;
    double max_wall;
};

static const struct ky_option own_options[] = {
    {"max-wall", KY_OPTION_REAL, offsetof(struct request, max_wall), NULL, 0, (double)INFINITY,
     NULL, "SECONDS",
     "end after this wall time; without it Ctrl-C or another signal ends the view [s]"},
};

/* Prints the address of the page. */
static void show_address(const struct cli *cli, const char *address)
{
    struct ky_json json = {.out = stdout};
    if (cli->json) {
        ky_json_object(&json, NULL);
        ky_json_text(&json, "address", address);
        ky_json_end_object(&json);
    } else {
        printf("view: %s\n", address);
    }
    fflush(stdout);
}

/* Refuses a folder without snapshots, and a file that is none. */
static enum ky_status check(const char *word, struct ky_error *error)
{
    struct ky_paths paths = {0};
    struct ky_snapshot snapshot;
    struct ky_read_options reading;
    if (ky_is_standard(word))
        return ky_fail(error, KY_USAGE,
                       "the view reads a snapshot more than once: save standard input to a file");
    ky_snapshot_clear(&snapshot);
    ky_read_options_defaults(&reading);
    reading.space = KY_SPACE_AS_STORED;
    reading.may_be_empty = 1;
    const enum ky_status status = files_is_folder(word)
                                      ? ky_run_snapshots(word, &paths, error)
                                      : ky_snapshot_read_as(word, &reading, &snapshot, error);
    ky_paths_free(&paths);
    ky_snapshot_free(&snapshot);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request = {.max_wall = (double)NAN};
    struct ky_view *view = NULL;
    ky_view_parameters_defaults(&request.view);
    cli_add_table(cli, "time", own_options, &request);
    cli_add_options(cli, "view", KY_OPTIONS_VIEW, &request.view);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 1);
    if (status || describe || cli->help)
        return status;
    const char *folder = cli->words[0];
    status = check(folder, &cli->error); /* before an address is printed */
    if (!status)
        status = ky_view_open(&request.view, &view, &cli->error);
    if (status)
        return status;
    signals_catch();
    show_address(cli, ky_view_address(view));
    status = ky_view_folder(view, folder, request.max_wall, signals_stop(), &cli->error);
    ky_view_close(view);
    return status;
}

const struct subcommand view_command = {
    "view",
    "FOLDER|FILE [options]",
    "show the snapshots of a run, or a snapshot, in a browser on this machine",
    run,
    NULL,
    NULL,
    "kyoho view first --max-wall 1\n"};
