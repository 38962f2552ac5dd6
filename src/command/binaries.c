/* kyoho binaries: bound pairs of one snapshot or of all snapshots of a run, with their orbital
 * elements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "command/files.h"
#include "command/table.h"
#include "command/walks.h"

enum { SHOWN = 20 }; /* pairs of a snapshot that are printed, sorted by energy */

struct request {
    struct ky_parameters parameters;
    struct source source;
    struct table_output output;
    int hierarchies;
};

static const struct ky_option own_options[] = {
    {"hierarchies", KY_OPTION_FLAG, offsetof(struct request, hierarchies), NULL, KY_NO_RANGE, NULL,
     NULL,
     "also list orbits in which a side is a binary, as in triples and quadruples: binaries count "
     "as bodies at their centre of mass, until no more are found"},
};

/* The columns of the table, and the rows of all snapshots so far. */
enum { ID_1, ID_2, BODIES_1, BODIES_2, WHOLE };
enum { TIME, MASS_1, MASS_2, AXIS, ECCENTRICITY, PERIOD, ENERGY, SEPARATION, REALS };
struct rows {
    size_t count, begin; /* begin: first row of the last snapshot */
    uint64_t *id[WHOLE]; /* of a body of each side, and the number of its bodies */
    double *real[REALS];
    struct ky_units units;
};

static enum ky_status grow(struct cli *cli, struct rows *rows, size_t more)
{
    const size_t all = rows->count + more ? rows->count + more : 1;
    int failed = 0;
    for (int k = 0; k < WHOLE; k++) {
        uint64_t *id = realloc(rows->id[k], all * sizeof *id);
        rows->id[k] = id ? id : rows->id[k];
        failed |= !id;
    }
    for (int k = 0; k < REALS; k++) {
        double *real = realloc(rows->real[k], all * sizeof *real);
        rows->real[k] = real ? real : rows->real[k];
        failed |= !real;
    }
    return failed ? ky_no_memory(&cli->error, "binaries", all, (REALS + WHOLE) * sizeof(double))
                  : KY_OK;
}

static void free_rows(struct rows *rows)
{
    for (int k = 0; k < WHOLE; k++)
        free(rows->id[k]);
    for (int k = 0; k < REALS; k++)
        free(rows->real[k]);
}

/* The systems of a snapshot: bodies, and later centres of mass with the id of a body of theirs. */
struct systems {
    double time;
    struct ky_bodies bodies;
    uint64_t *members; /* bodies in each */
};

static enum ky_status begin(struct cli *cli, const struct ky_bodies *from, struct systems *systems)
{
    struct ky_bodies *bodies = &systems->bodies;
    const unsigned with = KY_WITH_ID | (from->softening ? KY_WITH_SOFTENING : 0U);
    KY_TRY(ky_bodies_allocate(bodies, from->n, with, &cli->error));
    KY_TRY(ky_array(&systems->members, from->n, sizeof *systems->members, "systems", &cli->error));
    for (size_t i = 0; i < from->n; i++) {
        bodies->mass[i] = from->mass[i];
        memcpy(bodies->position[i], from->position[i], sizeof *from->position);
        memcpy(bodies->velocity[i], from->velocity[i], sizeof *from->velocity);
        bodies->id[i] = table_id(from, (uint32_t)i);
        if (bodies->softening)
            bodies->softening[i] = from->softening[i];
        systems->members[i] = 1;
    }
    return KY_OK;
}

/* Moves the first system of the pair to the centre of mass; the second one is gone. */
static void join(struct systems *systems, const uint32_t pair[2])
{
    const uint32_t i = pair[0], j = pair[1];
    ky_bodies_join(&systems->bodies, i, j);
    systems->members[i] += systems->members[j];
    systems->members[j] = 0;
}

/* Removes the systems that are gone. */
static void close_gaps(struct systems *systems)
{
    size_t kept = 0;
    for (size_t i = 0; i < systems->bodies.n; i++)
        if (systems->members[i]) {
            systems->members[kept] = systems->members[i];
            ky_bodies_move(&systems->bodies, kept++, i);
        }
    systems->bodies.n = kept;
}

/* Appends a row for pair k. */
static void append(struct rows *rows, const struct systems *systems,
                   const struct ky_binaries *found, size_t k)
{
    const uint32_t *body = found->body[k];
    const double numbers[REALS] = {systems->time,
                                   systems->bodies.mass[body[0]],
                                   systems->bodies.mass[body[1]],
                                   found->semi_major_axis[k],
                                   found->eccentricity[k],
                                   found->period[k],
                                   found->energy[k],
                                   found->separation[k]};
    for (int c = 0; c < 2; c++) {
        rows->id[ID_1 + c][rows->count] = systems->bodies.id[body[c]];
        rows->id[BODIES_1 + c][rows->count] = systems->members[body[c]];
    }
    for (int c = 0; c < REALS; c++)
        rows->real[c][rows->count] = numbers[c];
    rows->count++;
}

/* Appends the pairs, after the first round only pairs with a binary, and joins them. */
static enum ky_status take(struct cli *cli, struct rows *rows, struct systems *systems,
                           const struct ky_binaries *found, int round)
{
    KY_TRY(grow(cli, rows, found->count));
    for (size_t k = 0; k < found->count; k++)
        if (!round ||
            systems->members[found->body[k][0]] + systems->members[found->body[k][1]] > 2) {
            append(rows, systems, found, k);
            join(systems, found->body[k]);
        }
    close_gaps(systems);
    return KY_OK;
}

/* Finds the pairs, and with `hierarchies` pairs of pairs, until there are no more. */
static enum ky_status find_all(struct cli *cli, const struct ky_parameters *parameters,
                               const struct ky_snapshot *snapshot, int hierarchies,
                               struct rows *rows)
{
    struct systems systems = {.time = snapshot->time};
    struct ky_parameters told = *parameters;
    size_t before;
    int round = 0;
    rows->begin = rows->count;
    rows->units = snapshot->units;
    enum ky_status status = begin(cli, &snapshot->bodies, &systems);
    do {
        struct ky_binaries found = {0};
        before = rows->count;
        if (!status)
            status = ky_binaries_find(&told, &systems.bodies, &found, NULL, &cli->error);
        if (!status)
            status = take(cli, rows, &systems, &found, round++);
        ky_binaries_free(&found);
        told.log = NULL; /* the same engine again */
    } while (!status && hierarchies && rows->count > before);
    ky_bodies_free(&systems.bodies);
    free(systems.members);
    return status;
}

enum { COLUMNS = REALS + WHOLE };
static struct table table_of(const struct rows *rows, int hierarchies,
                             struct table_column column[COLUMNS])
{
    const struct table_column all[COLUMNS] = {
        {"time", KY_TIME_UNIT, rows->real[TIME], NULL},
        {"first", KY_NO_UNIT, NULL, rows->id[0]},
        {"second", KY_NO_UNIT, NULL, rows->id[1]},
        {"first_mass", KY_MASS_UNIT, rows->real[MASS_1], NULL},
        {"second_mass", KY_MASS_UNIT, rows->real[MASS_2], NULL},
        {"semi_major_axis", KY_LENGTH_UNIT, rows->real[AXIS], NULL},
        {"eccentricity", KY_NO_UNIT, rows->real[ECCENTRICITY], NULL},
        {"period", KY_TIME_UNIT, rows->real[PERIOD], NULL},
        {"energy", KY_ENERGY_UNIT, rows->real[ENERGY], NULL},
        {"separation", KY_LENGTH_UNIT, rows->real[SEPARATION], NULL},
        {"first_bodies", KY_NO_UNIT, NULL, rows->id[BODIES_1]},
        {"second_bodies", KY_NO_UNIT, NULL, rows->id[BODIES_2]},
    };
    for (int c = 0; c < COLUMNS; c++)
        column[c] = all[c];
    return (struct table){column, hierarchies ? COLUMNS : COLUMNS - 2, rows->count, &rows->units};
}

/* The softening of the pairs as ky_softening_choose returns it; none if it returns none. */
static enum ky_status soften(struct cli *cli, struct ky_parameters *parameters,
                             struct ky_snapshot *snapshot)
{
    char remark[KY_REMARK] = "";
    if (isnan(parameters->softening) && isnan(snapshot->softening) && !snapshot->bodies.softening) {
        parameters->softening = 0;
        cli_log(cli, KY_LOG_INFO,
                "no softening is known: orbits are computed without; --softening sets one");
    }
    KY_TRY(source_soften(cli, parameters, snapshot, remark));
    if (remark[0])
        cli_log(cli, KY_LOG_INFO, remark);
    return KY_OK;
}

/* Prints one line about a snapshot. */
static void say(const struct cli *cli, const struct ky_snapshot *snapshot, const char *origin,
                const struct rows *rows)
{
    char time[KY_QUANTITY_TEXT], sum[KY_QUANTITY_TEXT], more[64] = "";
    double energy = 0;
    size_t pairs = 0;
    for (size_t k = rows->begin; k < rows->count; k++)
        if (rows->id[BODIES_1][k] + rows->id[BODIES_2][k] == 2) {
            energy += rows->real[ENERGY][k];
            pairs++;
        }
    const size_t others = rows->count - rows->begin - pairs;
    if (cli->json || cli->quiet)
        return;
    if (others)
        snprintf(more, sizeof more, ", and %zu %s of binaries", others,
                 ky_plural(others, "orbit", "orbits"));
    printf("%s: time %s, %zu %s of %zu %s, energy %s%s\n", origin,
           ky_quantity_text(&snapshot->units, KY_TIME_UNIT, snapshot->time, 6, time), pairs,
           ky_plural(pairs, "binary", "binaries"), snapshot->bodies.n,
           ky_plural(snapshot->bodies.n, "body", "bodies"),
           ky_quantity_text(&snapshot->units, KY_ENERGY_UNIT, energy, 6, sum), more);
}

/* Finds the pairs of one snapshot: the one in `file`, or the one that the command line names if
 * `file` is NULL. */
static enum ky_status look(struct cli *cli, struct request *request, const char *file,
                           struct rows *rows)
{
    char origin[ORIGIN];
    struct ky_parameters parameters;
    struct ky_snapshot snapshot;
    const char *word = cli->word_count ? cli->words[0] : NULL;
    if (file)
        cli->words[0] = file;
    enum ky_status status =
        source_get(cli, &request->source, &request->parameters, &snapshot, origin);
    parameters = request->parameters; /* now in the units of the bodies */
    if (file)
        cli->words[0] = word;
    if (!status)
        status = soften(cli, &parameters, &snapshot);
    if (!status)
        status = find_all(cli, &parameters, &snapshot, request->hierarchies, rows);
    if (!status)
        say(cli, &snapshot, origin, rows);
    ky_snapshot_free(&snapshot);
    return status;
}

/* Writes the table and prints the pairs of the last snapshot. */
static enum ky_status give(struct cli *cli, const struct request *request, const struct rows *rows)
{
    struct table_column column[COLUMNS];
    const struct table table = table_of(rows, request->hierarchies, column);
    struct ky_file *file = NULL;
    enum ky_status status = KY_OK;
    if (request->output.output) {
        status =
            ky_file_create(request->output.output, request->output.overwrite, &file, &cli->error);
        if (!status) {
            table_csv(&table, file);
            status = ky_file_publish(file, NULL, &cli->error);
        }
    }
    if (!status && cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_units(&json, &rows->units);
        table_json(&json, "binaries", &table);
        ky_json_end_object(&json);
    } else if (!status && !cli->quiet && rows->count > rows->begin) {
        const size_t all = rows->count - rows->begin;
        table_print(&table, rows->begin, rows->begin + (all < SHOWN ? all : SHOWN), stdout);
        if (all > SHOWN)
            printf("%zu more; -o FILE.csv writes all\n", all - SHOWN);
    }
    return status;
}

static enum ky_status find(struct cli *cli, struct request *request)
{
    struct file_list files = {0};
    struct rows rows = {0};
    const char *word = cli->word_count ? cli->words[0] : NULL;
    const int folder = word && files_is_folder(word);
    request->source.reading.may_be_empty = folder;
    enum ky_status status = table_check(cli, &request->output, source_file(cli, &request->source));
    if (!status && folder)
        status = files_add(cli, &files, word);
    for (size_t k = 0; k < (folder ? files.count : 1) && !status; k++)
        status = look(cli, request, folder ? files.names[k] : NULL, &rows);
    if (!status)
        status = give(cli, request, &rows);
    free_rows(&rows);
    files_free(&files);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request;
    table_add(cli, &request.output);
    cli_add_table(cli, "binaries", own_options, &request);
    cli_add_force(cli, &request.parameters);
    cli_narrow(cli, "force", "softening softening-kind g");
    source_add(cli, &request.source);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    return status || describe || cli->help ? status : find(cli, &request);
}

static void more_help(const struct cli *cli, FILE *out)
{
    (void)cli;
    fputc('\n', out);
    ky_help_text(
        "A pair is two bodies, each of which is the nearest one that the other is bound to, among "
        "its eight nearest neighbours. Elements belong to the relative orbit; with softening, "
        "semi-major axis and eccentricity are derived from its turning points, and the period is "
        "the time between two pericentres. For the folder of a run, all snapshots are read.",
        0, 0, out);
}

const struct subcommand binaries_command = {
    "binaries",
    "FILE|FOLDER | --model NAME -n N [-o FILE.csv]",
    "list pairs of bodies that are bound to each other, with the elements of their orbits",
    run,
    more_help,
    "softening softening-kind input model bodies output overwrite",
    "kyoho binaries cluster.hdf5 --softening 0 -o binaries.csv\n"};
