/* kyoho draw: pictures of snapshots. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "command/files.h"
#include "draw/draw.h"
#include "snapshot/snapshot.h"

struct request {
    const char *output;
    uint64_t panels;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option own_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "PNG",
     "the picture to write"},
    {"panels", KY_OPTION_COUNT, FIELD(panels), "0", 0, 64, NULL, NULL,
     "number of snapshots to draw, evenly from the first to the last; 0: all files, or 3 of a "
     "folder; for trails all"},
};

/* The k-th of `count` among `all`, the first and the last included. */
static size_t spread(size_t k, size_t count, size_t all)
{
    return count < 2 ? all - 1
                     : (size_t)floor((double)k * (double)(all - 1) / (double)(count - 1) + 0.5);
}

/* Reads the snapshots of the panels and draws them. `count`: panels. */
static enum ky_status draw(struct cli *cli, const struct request *request,
                           const struct reading *reading,
                           const struct ky_draw_parameters *parameters,
                           const struct file_list *files, size_t count)
{
    struct ky_snapshot *panels = ky_allocate_zeroed(count, sizeof *panels);
    if (!panels)
        return ky_no_memory(&cli->error, "panels", count, sizeof *panels);
    enum ky_status status = KY_OK;
    size_t read = 0;
    for (; read < count && !status; read++) {
        ky_snapshot_clear(&panels[read]);
        status = reading_get(cli, reading, files->names[spread(read, count, files->count)], NULL, 1,
                             &panels[read]);
    }
    if (!status)
        status = ky_draw(request->output, panels, count, parameters, &cli->error);
    for (size_t k = 0; k < read; k++)
        ky_snapshot_free(&panels[k]);
    free(panels);
    return status;
}

/* Reads the snapshots one after the other, and draws the paths of some of their bodies. */
static enum ky_status draw_trails(struct cli *cli, const struct request *request,
                                  const struct reading *reading,
                                  const struct ky_draw_parameters *parameters,
                                  const struct file_list *files, size_t count)
{
    struct ky_trails trails = {0};
    struct ky_snapshot snapshot;
    enum ky_status status = ky_png_available(&cli->error);
    ky_snapshot_clear(&snapshot);
    for (size_t k = 0; k < count && !status; k++) {
        ky_snapshot_free(&snapshot);
        status = reading_get(cli, reading, files->names[spread(k, count, files->count)], NULL, 1,
                             &snapshot);
        if (!status)
            status = ky_drawable(&snapshot.bodies, &cli->error);
        if (!status && k == 0)
            status = ky_trails_begin(&trails, &snapshot.bodies, (size_t)parameters->trails, count,
                                     &cli->error);
        if (!status)
            ky_trails_add(&trails, &snapshot);
    }
    if (!status)
        status = ky_trails_draw(request->output, &trails, &snapshot, parameters, &cli->error);
    ky_snapshot_free(&snapshot);
    ky_trails_free(&trails);
    return status;
}

/* What was drawn, as one object or a line. */
static void show(const struct cli *cli, const char *output, size_t panels)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "output", output);
        ky_json_count(&json, "panels", panels);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        printf("%s: %zu %s\n", output, panels, ky_plural(panels, "panel", "panels"));
    }
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct ky_draw_parameters parameters;
    struct request request;
    struct reading reading;
    struct file_list files = {0};
    int folder = 0;
    ky_draw_parameters_defaults(&parameters);
    cli_add_table(cli, "picture", own_options, &request);
    cli_add(cli, "drawing", ky_draw_options, ky_draw_option_count, &parameters);
    reading_add(cli, &reading);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, INT_MAX, 0);
    if (status || describe || cli->help)
        return status;
    if (!request.output)
        return ky_fail(&cli->error, KY_USAGE, "no output: give -o FILE.png");
    if (!ky_ends_with(request.output, ".png"))
        return ky_fail(&cli->error, KY_USAGE,
                       "%s: pictures are PNG files; give a name that ends in .png", request.output);
    status = ky_file_may_write(request.output, parameters.overwrite, &cli->error);
    for (int k = 0; k < cli->word_count && !status; k++) {
        folder |= files_is_folder(cli->words[k]);
        status = files_add(cli, &files, cli->words[k]);
    }
    for (size_t k = 0; k < files.count && !status; k++)
        status = refuse_own_input(cli, request.output, files.names[k]);
    int trails = parameters.show == KY_SHOW_TRAILS;
    size_t count = request.panels ? (size_t)request.panels : folder && !trails ? 3 : files.count;
    if (count > files.count)
        count = files.count;
    if (!status)
        status = (trails ? draw_trails : draw)(cli, &request, &reading, &parameters, &files, count);
    if (!status)
        show(cli, request.output, trails ? 1 : count);
    files_free(&files);
    return status;
}

const struct subcommand draw_command = {
    "draw", "FILE… | FOLDER -o PNG [options]",
    "draw pictures of snapshots: density, components, velocities, trails", run, NULL};
