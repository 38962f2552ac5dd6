/* kyoho merge A B: two systems on a Kepler orbit about each other. */
#include <math.h>

#include "base/block_sums.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/units.h"
#include "command/command.h"

/* With --softening: replaces the softening of the bodies, with the same remark as `run`. */
static enum ky_status replace_softening(struct cli *cli, double given, const char *name,
                                        struct ky_snapshot *system)
{
    struct ky_parameters chosen;
    char remark[KY_REMARK], line[KY_REMARK];
    const int kind = system->softening_kind;
    ky_parameters_defaults(&chosen);
    chosen.softening = given;
    enum ky_status status = isnan(given) ? KY_OK : source_soften(cli, &chosen, system, remark);
    system->softening_kind = kind;
    if (status || isnan(given) || !*remark)
        return status;
    ky_format(line, sizeof line, "%s: %s", name, remark);
    cli_log(cli, KY_LOG_INFO, line);
    return KY_OK;
}

/* Gives each body of a system the common softening of that system, if the bodies of the other
 * system have their own. */
static enum ky_status soften(struct ky_snapshot *system, const struct ky_snapshot *other,
                             double length, struct ky_error *error)
{
    struct ky_bodies *bodies = &system->bodies;
    if (bodies->softening || !other->bodies.softening || isnan(system->softening))
        return KY_OK; /* ky_merge reports which one is missing */
    KY_TRY(ky_bodies_extend(bodies, KY_WITH_SOFTENING, error));
    for (size_t i = 0; i < bodies->n; i++)
        bodies->softening[i] = system->softening / length;
    return KY_OK;
}

/* Chooses the softening of two systems that each have a common one: --softening, or the larger one,
 * so that neither system becomes more collisional. */
static void choose_softening(struct cli *cli, double given, const struct ky_snapshot *a,
                             const struct ky_snapshot *b, struct ky_snapshot *both)
{
    char line[KY_REMARK], chosen[KY_QUANTITY_TEXT], one[KY_QUANTITY_TEXT], other[KY_QUANTITY_TEXT];
    both->softening = isnan(given) ? fmax(a->softening, b->softening) : given;
    double larger = both->softening;
    if (!isnan(given) || isnan(larger) || fabs(a->softening - b->softening) <= 1e-6 * larger)
        return; /* the two may differ by rounding errors */
    ky_quantity_text(&a->units, KY_LENGTH_UNIT, larger, 6, chosen);
    if (isnan(a->softening + b->softening))
        ky_format(line, sizeof line, "softening %s, which only %s has; --softening sets another",
                  chosen, cli->words[isnan(a->softening)]);
    else
        ky_format(line, sizeof line,
                  "softening %s, the larger of %s and %s; --softening sets another", chosen,
                  ky_quantity_text(&a->units, KY_LENGTH_UNIT, a->softening, 6, one),
                  ky_quantity_text(&a->units, KY_LENGTH_UNIT, b->softening, 6, other));
    cli_log(cli, KY_LOG_INFO, line);
}

/* Two systems, and the merged one. */
struct systems {
    struct ky_snapshot a, b, both;
};

/* Sets the properties that the merged system takes from both. */
static enum ky_status combine(struct cli *cli, const struct ky_merge_parameters *parameters,
                              double length, struct systems *systems)
{
    struct ky_snapshot *a = &systems->a, *b = &systems->b, *both = &systems->both;
    both->softening_kind = a->softening_kind >= 0 ? a->softening_kind : b->softening_kind;
    if (a->softening_kind >= 0 && b->softening_kind >= 0 && a->softening_kind != b->softening_kind)
        return ky_fail(
            &cli->error, KY_USAGE,
            "%s and %s are made for different kinds of softening; make them for the same",
            cli->words[0], cli->words[1]);
    if (!a->bodies.softening && !b->bodies.softening) {
        choose_softening(cli, parameters->softening, a, b, both);
        return KY_OK;
    }
    KY_TRY(soften(a, b, 1, &cli->error));
    return soften(b, a, length, &cli->error);
}

/* Sets the common units and G of both systems: their own, or --units and --g. */
static enum ky_status take_units(struct cli *cli, const char *units,
                                 struct ky_merge_parameters *parameters, struct ky_snapshot *a,
                                 struct ky_snapshot *b)
{
    struct ky_snapshot *const systems[] = {a, b};
    double g = cli_given(cli, "g") ? parameters->g : (double)NAN;
    for (int k = 0; k < 2; k++)
        KY_TRY(source_units(cli, cli->words[k], units, g, &systems[k]->units,
                            systems[k]->softening_kind >= 0));
    if (!ky_units_agree(&a->units, &b->units) || a->units.g != b->units.g)
        return ky_fail(&cli->error, KY_USAGE,
                       "%s and %s are in different units, with G = %g and %g; make them in the "
                       "same",
                       cli->words[0], cli->words[1], a->units.g, b->units.g);
    if (a->units.g > 0)
        parameters->g = a->units.g;
    return KY_OK;
}

/* Reads both systems, sets units and softening, and puts them on their orbit. */
static enum ky_status merge(struct cli *cli, struct ky_merge_parameters *parameters,
                            const char *units, const struct reading *reading,
                            struct systems *systems)
{
    struct ky_snapshot *a = &systems->a, *b = &systems->b, *both = &systems->both;
    struct ky_units preset;
    struct ky_merge_scale scale = {1, 1, 1};
    enum ky_status status = units ? ky_units_preset(units, &preset, &cli->error) : KY_OK;
    if (!status)
        status =
            reading_get(cli, reading, cli->words[0], units ? &preset : NULL, KY_SPACE_REFUSED, a);
    if (!status)
        status =
            reading_get(cli, reading, cli->words[1], units ? &preset : NULL, KY_SPACE_REFUSED, b);
    if (!status)
        status = take_units(cli, units, parameters, a, b);
    if (!status)
        status = cli_settle(cli, &a->units);
    if (!status)
        status = replace_softening(cli, parameters->softening, cli->words[0], a);
    if (!status)
        status = replace_softening(cli, parameters->softening, cli->words[1], b);
    if (!status)
        status = ky_merge_scale(&b->bodies, parameters, &scale, &cli->error);
    if (!status)
        b->softening *= scale.length;
    if (!status)
        status = combine(cli, parameters, scale.length, systems);
    if (!status)
        status = ky_merge(&a->bodies, &b->bodies, parameters, &both->bodies, &cli->error);
    both->units = a->units;
    both->time = 0;
    return status;
}

static const struct ky_option units_options[] = {CLI_UNITS(0, "units of files without units")};

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct ky_merge_parameters parameters;
    struct systems systems;
    struct sink sink;
    struct reading reading;
    const char *units;
    ky_merge_parameters_defaults(&parameters);
    cli_add_options(cli, "orbit", KY_OPTIONS_MERGE, &parameters);
    cli_add_table(cli, "units", units_options, &units);
    reading_add(cli, &reading);
    sink_add(cli, &sink);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 2, 2);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&systems.a);
    ky_snapshot_clear(&systems.b);
    ky_snapshot_clear(&systems.both);
    status = sink_check(cli, &sink);
    if (!status && !(cli_given(cli, "separation") && cli_given(cli, "pericentre")))
        status = ky_fail(&cli->error, KY_USAGE,
                         "no orbit: give --separation LENGTH and --pericentre LENGTH");
    for (int k = 0; k < 2 && !status; k++)
        status = refuse_own_input(cli, sink.output, cli->words[k]);
    if (!status)
        status = merge(cli, &parameters, units, &reading, &systems);
    double pericentre = (double)NAN;
    if (!status)
        status = ky_merge_time(&parameters, ky_sum(systems.both.bodies.n, systems.both.bodies.mass),
                               &pericentre, &cli->error);
    if (!status)
        status = sink_put(cli, &sink, &systems.both);
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "output", sink.output);
        ky_json_count(&json, "n", systems.both.bodies.n);
        ky_json_real(&json, "pericentre_time", pericentre);
        ky_json_end_object(&json);
    } else if (!status && !cli->quiet) {
        char time[KY_QUANTITY_TEXT];
        fprintf(sink_remarks(&sink), "%s: %zu and %zu bodies, pericentre at time %s\n", sink.output,
                systems.a.bodies.n, systems.b.bodies.n,
                ky_quantity_text(&systems.both.units, KY_TIME_UNIT, pericentre, 6, time));
    }
    ky_snapshot_free(&systems.a);
    ky_snapshot_free(&systems.b);
    ky_snapshot_free(&systems.both);
    return status;
}

const struct subcommand merge_command = {
    "merge",
    "A B -o FILE [options]",
    "put two snapshots on a Kepler orbit about each other",
    run,
    NULL,
    NULL,
    "kyoho merge cluster.hdf5 king.csv --separation 5 --pericentre 0.5 -o pair.hdf5\n"};
