/* How a snapshot is read: the options that all subcommands share which read one. */
#include <stddef.h>

#include "command/command.h"

#define FIELD(name) offsetof(struct reading, name)
static const struct ky_option reading_options[] = {
    {"physical", KY_OPTION_FLAG, FIELD(physical), NULL, KY_NO_RANGE, NULL, NULL,
     "convert a comoving, h-scaled or periodic snapshot to physical quantities: lengths × a/h, "
     "masses / h, the Hubble flow added, the box left out"},
    {"types", KY_OPTION_TEXT, FIELD(types), NULL, KY_NO_RANGE, NULL, "TYPE,TYPE...",
     "read only bodies of these types, as in 0,1,4"},
    {"renumber", KY_OPTION_FLAG, FIELD(renumber), NULL, KY_NO_RANGE, NULL, NULL,
     "number the bodies 0, 1, 2 ...: for files whose ids repeat, are negative or are missing"},
};

void reading_add(struct cli *cli, struct reading *reading)
{
    cli_add(cli, "reading", reading_options, sizeof reading_options / sizeof *reading_options,
            reading);
}

/* "0,1,4" as bits. */
static enum ky_status parse_types(struct cli *cli, const char *text, unsigned *types)
{
    *types = 0;
    for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
        if (*at < '0' || *at > '5' || (at[1] && at[1] != ','))
            return ky_fail(
                &cli->error, KY_USAGE,
                "--types: '%s' is no list of types; it must be numbers from 0 to 5, as in 0,1,4",
                text);
        *types |= 1U << (*at - '0');
        at++;
    }
    return KY_OK;
}

enum ky_status reading_get(struct cli *cli, const struct reading *reading, const char *path,
                           const struct ky_units *units, int as_stored,
                           struct ky_snapshot *snapshot)
{
    struct ky_read_options options;
    ky_read_options_defaults(&options);
    options.space = reading->physical ? KY_SPACE_PHYSICAL
                    : as_stored       ? KY_SPACE_AS_STORED
                                      : KY_SPACE_REFUSED;
    options.renumber = reading->renumber;
    options.units = units;
    options.log = cli_log;
    options.log_context = cli;
    enum ky_status status =
        reading->types ? parse_types(cli, reading->types, &options.types) : KY_OK;
    return status ? status : ky_snapshot_read_as(path, &options, snapshot, &cli->error);
}
