/* kyoho convert IN OUT: a snapshot in another format. */
#include <math.h>

#include "base/status.h"
#include "command/command.h"
#include "command/turning.h"

struct request {
    struct reading reading;
    const char *units;
    double turn;
    struct ky_model_parameters place; /* only position, velocity and orientation are used */
};

static const struct ky_option own_options[] = {
    CLI_UNITS(offsetof(struct request, units),
              "units of a file that has none, or has units that Kyoho does not know"),
    TURN_OPTION(offsetof(struct request, turn)),
};

/* Reads the first file, sets its units from --units, and applies the position, velocity and
 * orientation. */
static enum ky_status read_input(struct cli *cli, struct request *request,
                                 struct ky_snapshot *snapshot)
{
    struct ky_units units;
    if (request->units)
        KY_TRY(ky_units_preset(request->units, &units, &cli->error));
    KY_TRY(reading_get(cli, &request->reading, cli->words[0], request->units ? &units : NULL,
                       KY_SPACE_IN_BOX, snapshot));
    KY_TRY(source_units(cli, cli->words[0], request->units, (double)NAN, &snapshot->units,
                        snapshot->softening_kind >= 0));
    KY_TRY(cli_settle(cli, &snapshot->units));
    KY_TRY(ky_bodies_place(&snapshot->bodies, request->place.position, request->place.velocity,
                           request->place.orientation, &snapshot->units, &cli->error));
    if (request->turn != 0)
        KY_TRY(ky_bodies_turn(&snapshot->bodies, request->turn, snapshot->time, &cli->error));
    return KY_OK;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct sink sink;
    struct request request;
    struct ky_snapshot snapshot;
    sink_add(cli, &sink);
    reading_add(cli, &request.reading);
    cli_add_table(cli, "units", own_options, &request);
    ky_model_parameters_defaults(&request.place);
    cli_add_options(cli, "place", KY_OPTIONS_MODEL, &request.place);
    cli_narrow(cli, "place", "position velocity orientation");
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 2);
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
        status = refuse_own_input(cli, sink.output, cli->words[0]);
    if (!status)
        status = read_input(cli, &request, &snapshot);
    if (!status)
        status = sink_put(cli, &sink, &snapshot);
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "input", cli->words[0]);
        ky_json_text(&json, "output", sink.output);
        ky_json_count(&json, "n", snapshot.bodies.n);
        reading_json(&json, &snapshot);
        ky_json_end_object(&json);
    } else if (!status && !cli->quiet) {
        const struct ky_units none = {0}; /* of a scale factor */
        const int comoving = snapshot.space.converted == KY_TO_COMOVING;
        char time[KY_QUANTITY_TEXT];
        fprintf(sink_remarks(&sink), "%s: %zu %s at time %s\n", sink.output, snapshot.bodies.n,
                ky_plural(snapshot.bodies.n, "body", "bodies"),
                ky_quantity_text(comoving ? &none : &snapshot.units, KY_TIME_UNIT, snapshot.time, 6,
                                 time));
        reading_show(sink_remarks(&sink), cli->words[0], &snapshot);
    }
    ky_snapshot_free(&snapshot);
    return status;
}

const struct subcommand convert_command = {"convert",
                                           "IN OUT [options]",
                                           "write a snapshot in another format",
                                           run,
                                           NULL,
                                           NULL,
                                           "kyoho convert cluster.hdf5 cluster.csv\n"};
