/* kyoho field: acceleration and potential of external fields at points, without bodies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/plotted.h"

struct request {
    struct ky_parameters parameters;
    const char *position, *units;
    double time;
    struct plotted output;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option options[] = {
    {"position", KY_OPTION_TEXT, FIELD(position), NULL, KY_NO_RANGE, NULL, "X,Y,Z",
     "one or more points, separated by blanks; lengths with or without a unit"},
    {"time", KY_OPTION_REAL, FIELD(time), "0", KY_NO_RANGE, NULL, NULL,
     "time at which the fields are evaluated, if they change in time [time]"},
    CLI_UNITS(FIELD(units),
              "units of the numbers, also in --field and in the output (default: nbody)"),
};
static const struct ky_option output_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output.output), NULL, KY_NO_RANGE, NULL, "FILE.csv",
     "write the table"},
    {"overwrite", KY_OPTION_FLAG, FIELD(output.overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "replace a file that exists"},
};

enum { X, AX = X + 3, POTENTIAL = AX + 3, COLUMNS };
static const struct {
    const char *name;
    struct ky_dimension unit;
} columns[COLUMNS] = {{"x", {1, 0, 0}},         {"y", {1, 0, 0}},   {"z", {1, 0, 0}},
                      {"ax", {1, 0, -2}},       {"ay", {1, 0, -2}}, {"az", {1, 0, -2}},
                      {"potential", {2, 0, -2}}};

/* The points and the field at the points, as vectors and as columns of the table. */
struct found {
    size_t rows;
    double (*position)[3], (*acceleration)[3], *column[COLUMNS];
};

static void free_found(struct found *found)
{
    free(found->position);
    free(found->acceleration);
    free(found->column[0]);
}

/* Splits the text into points. The numbers may have units. */
static enum ky_status read_points(const struct request *request, struct found *found,
                                  struct ky_error *error)
{
    static const char blanks[] = " \t\r\n";
    const size_t most = strlen(request->position) / 2 + 1;
    char *text = strdup(request->position), *rest = text;
    found->position = ky_allocate(most, sizeof *found->position);
    found->acceleration = ky_allocate(most, sizeof *found->acceleration);
    found->column[0] = ky_allocate(most, COLUMNS * sizeof(double));
    enum ky_status status = text && found->position && found->acceleration && found->column[0]
                                ? KY_OK
                                : ky_no_memory(error, "points", most, COLUMNS * sizeof(double));
    while (!status && *(rest += strspn(rest, blanks))) {
        double mass = 1, still[1][3] = {{0}}, *x = found->position[found->rows++];
        struct ky_bodies point = {
            .n = 1, .mass = &mass, .position = (double(*)[3])x, .velocity = still};
        char *end = rest + strcspn(rest, blanks), *next = *end ? end + 1 : end;
        *end = '\0';
        memset(x, 0, 3 * sizeof *x);
        status = ky_bodies_place(&point, rest, NULL, NULL, &request->parameters.units, error);
        rest = next;
    }
    free(text);
    return status || found->rows > 0 ? status : ky_fail(error, KY_USAGE, "give --position X,Y,Z");
}

static enum ky_status find(const struct request *request, struct found *found,
                           struct ky_error *error)
{
    KY_TRY(read_points(request, found, error));
    for (int c = 1; c < COLUMNS; c++)
        found->column[c] = found->column[0] + (size_t)c * found->rows;
    const struct ky_field_points points = {.size = sizeof points,
                                           .count = found->rows,
                                           .position = (const double(*)[3])found->position,
                                           .acceleration = found->acceleration,
                                           .potential = found->column[POTENTIAL]};
    KY_TRY(ky_external_field(&request->parameters, &points, error));
    for (size_t k = 0; k < found->rows; k++)
        for (int c = 0; c < 3; c++) {
            found->column[X + c][k] = found->position[k][c];
            found->column[AX + c][k] = found->acceleration[k][c];
        }
    return KY_OK;
}

static void show(const struct cli *cli, const struct request *request, const struct table *table)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_units(&json, &request->parameters.units);
        ky_json_real(&json, "time", request->parameters.time);
        table_json(&json, "points", table);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        table_print(table, 0, table->rows, stdout);
    }
}

/* Sets the units, and converts the numbers that have units. */
static enum ky_status settle(struct cli *cli, struct request *request)
{
    struct ky_parameters *own = &request->parameters;
    const char *missing = !own->field          ? "--field, such as mw14 with --units galaxy"
                          : !request->position ? "--position X,Y,Z"
                                               : NULL;
    if (missing)
        return ky_fail(&cli->error, KY_USAGE, "give %s", missing);
    enum ky_status status =
        ky_units_preset(request->units ? request->units : "nbody", &own->units, &cli->error);
    if (!status && !cli_given(cli, "g"))
        own->g = own->units.g;
    if (!status)
        status = cli_settle(cli, &own->units);
    own->time = request->time;
    if (!status && request->output.output && !ky_ends_with(request->output.output, ".csv"))
        status = ky_fail(&cli->error, KY_USAGE, "%s: the name of the table must end in .csv",
                         request->output.output);
    return status ? status : plotted_check(cli, &request->output, NULL);
}

static enum ky_status work(struct cli *cli, struct request *request)
{
    struct found found = {0};
    struct table_column column[COLUMNS];
    int is_picture;
    enum ky_status status = settle(cli, request);
    if (!status)
        status = find(request, &found, &cli->error);
    for (int c = 0; c < COLUMNS; c++)
        column[c] = (struct table_column){columns[c].name, columns[c].unit, found.column[c], NULL};
    const struct table table = {column, COLUMNS, found.rows, &request->parameters.units};
    if (!status)
        status = plotted_write(cli, &request->output, &table, &is_picture);
    if (!status)
        show(cli, request, &table);
    free_found(&found);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request = {0};
    cli_add_table(cli, "field", options, &request);
    cli_add_table(cli, "output", output_options, &request);
    cli_add_force(cli, &request.parameters);
    cli_narrow(cli, "force", "field g");
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 0);
    return status || describe || cli->help ? status : work(cli, &request);
}

const struct subcommand field_command = {
    "field",
    "--field NAME:... --position \"X,Y,Z X,Y,Z ...\" [-o FILE.csv]",
    "print acceleration and potential of external fields at points",
    run,
    NULL,
    "field position time units output overwrite",
    "kyoho field --field mw14 --units galaxy --position \"8kpc,0,0 20kpc,0,5kpc\"\n"};
