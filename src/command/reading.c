/* Reading snapshots: the options of all subcommands that read one. */
#include <math.h>
#include <stddef.h>

#include "base/bodies.h"
#include "base/number.h"
#include "base/units.h"
#include "command/command.h"

const char *const body_type_names[6] = {"gas", "halo", "disk", "bulge", "stars", "black holes"};

#define FIELD(name) offsetof(struct reading, name)
static const struct ky_option reading_options[] = {
    {"physical", KY_OPTION_FLAG, FIELD(physical), NULL, KY_NO_RANGE, NULL, NULL,
     "convert a comoving, h-scaled or periodic snapshot to physical quantities: lengths × a/h, "
     "masses / h; the Hubble flow is added, and the box is dropped"},
    {"as-stored", KY_OPTION_FLAG, FIELD(stored), NULL, KY_NO_RANGE, NULL, NULL,
     "treat the numbers of the file as physical, in open space, even if it gives a scale factor, h "
     "or a box: for isolated systems with such a header"},
    {"types", KY_OPTION_TEXT, FIELD(types), NULL, KY_NO_RANGE, NULL, "TYPE,TYPE...",
     "read only bodies of these types, as in 0,1,4"},
    {"convention", KY_OPTION_CHOICE, FIELD(convention), "file", KY_NO_RANGE, "file|gadget|swift",
     NULL,
     "factors of a and h in a comoving file that does not state them with its data sets: gadget "
     "(lengths and masses in units of 1/h, peculiar velocities over √a) or swift (none)"},
    {"renumber", KY_OPTION_FLAG, FIELD(renumber), NULL, KY_NO_RANGE, NULL, NULL,
     "number the bodies 0, 1, 2 ...: for files with duplicate, negative or missing ids"},
};

void reading_add(struct cli *cli, struct reading *reading)
{
    reading->count_above = 0;
    reading->may_be_empty = 0;
    cli_add_table(cli, "reading", reading_options, reading);
}

/* Parses a list of types such as "0,1,4" to bits. */
static enum ky_status parse_types(struct cli *cli, const char *text, unsigned *types)
{
    *types = 0;
    for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
        if (*at < '0' || *at > '5' || (at[1] && at[1] != ','))
            return ky_fail(
                &cli->error, KY_USAGE,
                "--types: '%s' is not a list of types; it must be numbers from 0 to 5, as in 0,1,4",
                text);
        *types |= 1U << (*at - '0');
        at++;
    }
    return KY_OK;
}

enum ky_status reading_how(struct cli *cli, const struct reading *reading,
                           const struct ky_units *units, enum ky_space_reading usual,
                           struct ky_read_options *options)
{
    ky_read_options_defaults(options);
    if (reading->physical && reading->stored)
        return ky_fail(&cli->error, KY_USAGE,
                       "--physical converts the numbers of the file, --as-stored treats them as "
                       "physical; give one of the two");
    options->space = reading->physical ? KY_SPACE_PHYSICAL
                     : reading->stored ? KY_SPACE_OPEN
                                       : (int)usual;
    options->renumber = reading->renumber;
    options->convention = reading->convention;
    options->count_above = reading->count_above;
    options->may_be_empty = reading->may_be_empty;
    options->units = units;
    options->log = cli_log;
    options->log_context = cli;
    return reading->types ? parse_types(cli, reading->types, &options->types) : KY_OK;
}

enum ky_status reading_get(struct cli *cli, const struct reading *reading, const char *path,
                           const struct ky_units *units, enum ky_space_reading usual,
                           struct ky_snapshot *snapshot)
{
    struct ky_read_options options;
    enum ky_status status = reading_how(cli, reading, units, usual, &options);
    if (!status)
        status = ky_snapshot_read_as(path, &options, snapshot, &cli->error);
    if (!status && !snapshot->bodies.n) {
        char line[KY_REMARK];
        ky_format(line, sizeof line, "%s: holds no bodies", path);
        cli_log(cli, KY_LOG_WARNING, line);
    }
    const struct ky_units stored = ky_units_stored(&snapshot->units, &snapshot->space);
    return status || usual != KY_SPACE_AS_STORED ? status : cli_settle(cli, &stored);
}

/* Counts the bodies of each type. */
static void count_types(const struct ky_bodies *bodies, size_t count[6])
{
    for (int t = 0; t < 6; t++)
        count[t] = 0;
    for (size_t i = 0; i < bodies->n; i++)
        count[ky_type_of(bodies, i)]++;
}

void reading_json(struct ky_json *json, const struct ky_snapshot *snapshot)
{
    const struct ky_space *space = &snapshot->space;
    size_t count[6];
    count_types(&snapshot->bodies, count);
    ky_json_object(json, "types");
    for (int t = 0; t < 6; t++)
        ky_json_count(json, body_type_names[t], count[t]);
    ky_json_end_object(json);
    ky_json_units(json, &snapshot->units);
    ky_json_object(json, "space");
    ky_json_flag(json, "comoving", space->comoving);
    ky_json_flag(json, "per_h", space->per_h);
    ky_json_flag(json, "converted", space->converted);
    ky_json_real(json, "scale_factor", space->scale_factor);
    ky_json_real(json, "hubble", space->hubble);
    ky_json_real(json, "omega_matter", space->omega_matter);
    ky_json_real(json, "omega_lambda", space->omega_lambda);
    ky_json_real(json, "box", space->box);
    ky_json_end_object(json);
    ky_json_real(json, "softening", snapshot->softening);
}

void softening_words(const struct ky_snapshot *snapshot, char text[SOFTENING_WORDS])
{
    char length[KY_QUANTITY_TEXT];
    if (snapshot->bodies.softening)
        snprintf(text, SOFTENING_WORDS, "softening of each body's own");
    else if (isnan(snapshot->softening))
        snprintf(text, SOFTENING_WORDS, "no softening");
    else
        snprintf(
            text, SOFTENING_WORDS, "softening %s",
            ky_quantity_text(&snapshot->units, KY_LENGTH_UNIT, snapshot->softening, 6, length));
}

const char *reading_conversion(const struct ky_space *space)
{
    return space->converted == KY_TO_PHYSICAL   ? ", converted to physical, open space"
           : space->converted == KY_TO_COMOVING ? ", without factors of h, with peculiar velocities"
                                                : "";
}

void reading_show(FILE *out, const char *name, const struct ky_snapshot *snapshot)
{
    const struct ky_units *units = &snapshot->units;
    char space[256], softening[SOFTENING_WORDS], names[4][KY_UNIT_TEXT];
    size_t count[6];
    count_types(&snapshot->bodies, count);
    fprintf(out, "read from %s:", name);
    for (int t = 0, first = 1; t < 6; t++)
        if (count[t]) {
            fprintf(out, "%s %zu %s", first ? "" : ",", count[t], body_type_names[t]);
            first = 0;
        }
    if (units->length_cm > 0)
        fprintf(out, "; units %s, %s, %s, %s (%.7g cm, %.4g g, %g cm/s), G = %.6g",
                ky_unit_text(units, KY_LENGTH_UNIT, names[0]),
                ky_unit_text(units, KY_MASS_UNIT, names[1]),
                ky_unit_text(units, KY_VELOCITY_UNIT, names[2]),
                ky_unit_text(units, KY_TIME_UNIT, names[3]), units->length_cm, units->mass_g,
                units->velocity_cm_s, units->g);
    else
        fprintf(out, "; N-body units, G = %.6g", units->g);
    softening_words(snapshot, softening);
    fprintf(out, "; %s", softening);
    ky_space_describe(&snapshot->space, space, sizeof space);
    if (*space)
        fprintf(out, "; %s%s", space, reading_conversion(&snapshot->space));
    fputc('\n', out);
}
