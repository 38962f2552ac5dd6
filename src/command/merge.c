/* kyoho merge A B: two systems on a Kepler orbit about each other. */
#include "command/command.h"
#include "models/models.h"

static enum ky_status merge(struct cli *cli, struct ky_merge_parameters *parameters,
                            const struct reading *reading, struct ky_snapshot *a,
                            struct ky_snapshot *b, struct ky_snapshot *both)
{
    enum ky_status status = reading_get(cli, reading, cli->words[0], NULL, 0, a);
    if (!status)
        status = reading_get(cli, reading, cli->words[1], NULL, 0, b);
    if (!status &&
        (a->units.length_cm != b->units.length_cm || a->units.mass_g != b->units.mass_g ||
         a->units.velocity_cm_s != b->units.velocity_cm_s || a->units.g != b->units.g))
        status = ky_fail(&cli->error, KY_USAGE,
                         "%s and %s are in different units; `kyoho convert` cannot mend that, "
                         "make them in the same",
                         cli->words[0], cli->words[1]);
    if (!status && !cli_given(cli, "g") && a->units.g > 0)
        parameters->g = a->units.g;
    if (!status)
        status = ky_merge(&a->bodies, &b->bodies, parameters, &both->bodies, &cli->error);
    both->units = a->units;
    both->time = 0;
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct ky_merge_parameters parameters;
    struct ky_snapshot a, b, both;
    struct sink sink;
    struct reading reading;
    ky_merge_parameters_defaults(&parameters);
    cli_add(cli, "orbit", ky_merge_options, ky_merge_option_count, &parameters);
    reading_add(cli, &reading);
    sink_add(cli, &sink);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 2, 2, 0);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&a);
    ky_snapshot_clear(&b);
    ky_snapshot_clear(&both);
    status = sink_check(cli, &sink);
    if (!status)
        status = merge(cli, &parameters, &reading, &a, &b, &both);
    if (!status)
        status = sink_put(cli, &sink, &both);
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "output", sink.output);
        ky_json_count(&json, "n", both.bodies.n);
        ky_json_end_object(&json);
    } else if (!status && !cli->quiet) {
        printf("%s: %zu and %zu bodies\n", sink.output, a.bodies.n, b.bodies.n);
    }
    ky_snapshot_free(&a);
    ky_snapshot_free(&b);
    ky_snapshot_free(&both);
    return status;
}

const struct subcommand merge_command = {"merge", "A B -o FILE [options]",
                                         "put two snapshots on a Kepler orbit about each other",
                                         run, NULL};
