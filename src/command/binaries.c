/* kyoho binaries: bound pairs of one snapshot or of all snapshots of a run, with their orbital
 * elements. */
#include <math.h>
#include <stdlib.h>

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
};

/* The columns of the table, and the rows of all snapshots so far. */
enum { TIME, MASS_1, MASS_2, AXIS, ECCENTRICITY, PERIOD, ENERGY, SEPARATION, REALS };
struct rows {
    size_t count, begin; /* begin: first row of the last snapshot */
    uint64_t *id[2];
    double *real[REALS];
    struct ky_units units;
};

static enum ky_status grow(struct cli *cli, struct rows *rows, size_t more)
{
    const size_t all = rows->count + more ? rows->count + more : 1;
    int failed = 0;
    for (int k = 0; k < 2; k++) {
        uint64_t *id = realloc(rows->id[k], all * sizeof *id);
        rows->id[k] = id ? id : rows->id[k];
        failed |= !id;
    }
    for (int k = 0; k < REALS; k++) {
        double *real = realloc(rows->real[k], all * sizeof *real);
        rows->real[k] = real ? real : rows->real[k];
        failed |= !real;
    }
    return failed ? ky_no_memory(&cli->error, "binaries", all, (REALS + 2) * sizeof(double))
                  : KY_OK;
}

static void free_rows(struct rows *rows)
{
    for (int k = 0; k < 2; k++)
        free(rows->id[k]);
    for (int k = 0; k < REALS; k++)
        free(rows->real[k]);
}

/* Appends the pairs of a snapshot. */
static enum ky_status append(struct cli *cli, struct rows *rows, const struct ky_snapshot *snapshot,
                             const struct ky_binaries *found)
{
    KY_TRY(grow(cli, rows, found->count));
    rows->begin = rows->count;
    rows->units = snapshot->units;
    for (size_t k = 0; k < found->count; k++, rows->count++) {
        const uint32_t *body = found->body[k];
        const double numbers[REALS] = {snapshot->time,
                                       snapshot->bodies.mass[body[0]],
                                       snapshot->bodies.mass[body[1]],
                                       found->semi_major_axis[k],
                                       found->eccentricity[k],
                                       found->period[k],
                                       found->energy[k],
                                       found->separation[k]};
        for (int c = 0; c < 2; c++)
            rows->id[c][rows->count] = table_id(&snapshot->bodies, body[c]);
        for (int c = 0; c < REALS; c++)
            rows->real[c][rows->count] = numbers[c];
    }
    return KY_OK;
}

enum { COLUMNS = REALS + 2 };
static struct table table_of(const struct rows *rows, struct table_column column[COLUMNS])
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
    };
    for (int c = 0; c < COLUMNS; c++)
        column[c] = all[c];
    return (struct table){column, COLUMNS, rows->count, &rows->units};
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
                const struct ky_binaries *found)
{
    char time[KY_QUANTITY_TEXT], sum[KY_QUANTITY_TEXT];
    double energy = 0;
    for (size_t k = 0; k < found->count; k++)
        energy += found->energy[k];
    if (cli->json || cli->quiet)
        return;
    printf("%s: time %s, %zu %s of %zu %s, energy %s\n", origin,
           ky_quantity_text(&snapshot->units, KY_TIME_UNIT, snapshot->time, 6, time), found->count,
           ky_plural(found->count, "binary", "binaries"), snapshot->bodies.n,
           ky_plural(snapshot->bodies.n, "body", "bodies"),
           ky_quantity_text(&snapshot->units, KY_ENERGY_UNIT, energy, 6, sum));
}

/* Finds the pairs of one snapshot: the one in `file`, or the one that the command line names if
 * `file` is NULL. */
static enum ky_status look(struct cli *cli, struct request *request, const char *file,
                           struct rows *rows)
{
    char origin[ORIGIN];
    struct ky_parameters parameters;
    struct ky_snapshot snapshot;
    struct ky_binaries found = {0};
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
        status = ky_binaries_find(&parameters, &snapshot.bodies, &found, NULL, &cli->error);
    if (!status)
        status = append(cli, rows, &snapshot, &found);
    if (!status)
        say(cli, &snapshot, origin, &found);
    ky_binaries_free(&found);
    ky_snapshot_free(&snapshot);
    return status;
}

/* Writes the table and prints the pairs of the last snapshot. */
static enum ky_status give(struct cli *cli, const struct request *request, const struct rows *rows)
{
    struct table_column column[COLUMNS];
    const struct table table = table_of(rows, column);
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
