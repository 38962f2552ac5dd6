/* kyoho convert IN OUT: a snapshot in another format. */
#include "command/command.h"

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct sink sink;
    struct ky_snapshot snapshot;
    sink_add(cli, &sink);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 2, 0);
    if (status || describe || cli->help)
        return status;
    if (cli->word_count == 2 && sink.output)
        return ky_fail(&cli->error, KY_USAGE, "the output is given twice, as %s and as %s",
                       cli->words[1], sink.output);
    if (cli->word_count == 2)
        sink.output = cli->words[1];
    ky_snapshot_clear(&snapshot);
    status = sink_check(cli, &sink);
    if (!status)
        status = ky_snapshot_read(cli->words[0], &snapshot, &cli->error);
    if (!status)
        status = sink_put(cli, &sink, &snapshot);
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "input", cli->words[0]);
        ky_json_text(&json, "output", sink.output);
        ky_json_count(&json, "n", snapshot.bodies.n);
        ky_json_end_object(&json);
    } else if (!status && !cli->quiet) {
        printf("%s: %zu bodies at time %g\n", sink.output, snapshot.bodies.n, snapshot.time);
    }
    ky_snapshot_free(&snapshot);
    return status;
}

const struct subcommand convert_command = {"convert", "IN OUT [options]",
                                           "write a snapshot in another format", run, NULL};
