/* kyoho power: power spectra of bodies in periodic boxes. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/units.h"
#include "command/files.h"
#include "command/plotted.h"

struct request {
    uint64_t mesh, fold;
    const char *cross, *cross_types;
    double box;
    int subtract;
    struct reading reading;
    struct plotted output;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option own_options[] = {
    {"mesh", KY_OPTION_COUNT, FIELD(mesh), "0", 0, 16384, NULL, NULL,
     "points of the mesh along an axis; 0: twice the cube root of the number of bodies. The "
     "spectrum reaches to half of the highest wave number of the mesh"},
    {"fold", KY_OPTION_COUNT, FIELD(fold), "1", 1, 1024, NULL, NULL,
     "continue the spectrum with one of the box folded this many times along each axis: it reaches "
     "so many times as far, with fewer waves in each row; 1: no folding"},
    {"cross", KY_OPTION_TEXT, FIELD(cross), NULL, KY_NO_RANGE, NULL, "FILE",
     "the cross spectrum with the bodies of another file in the same box"},
    {"cross-types", KY_OPTION_TEXT, FIELD(cross_types), NULL, KY_NO_RANGE, NULL, "TYPE,TYPE...",
     "the cross spectrum with the bodies of these types: --types 0 --cross-types 1 is the one of "
     "gas and halo"},
    {"box", KY_OPTION_REAL, FIELD(box), NULL, KY_ABOVE_0, NULL, "LENGTH",
     "side of the periodic box, in the numbers of the file, if the file does not keep it"},
    {"subtract-noise", KY_OPTION_FLAG, FIELD(subtract), NULL, KY_NO_RANGE, NULL, NULL,
     "subtract the noise of bodies at random, V/N; bodies that began on a lattice have less"},
};
static const struct ky_option output_options[] = {
    PLOTTED_OPTIONS(output, "write the table, or plot it", "plot", "the plot", "600")};

/* The spectra of some snapshots, one after the other. */
enum { TIME, K, POWER, WAVES, LINEAR, COLUMNS };
struct spectra {
    size_t files, rows; /* snapshots; rows of all columns */
    size_t *first;      /* [files + 1] the first row of a snapshot */
    double *number[COLUMNS];
    uint64_t *waves;
    int comoving, per_h; /* 1: times are scale factors; k is in h/Mpc */
    double start;        /* the first scale factor */
    struct ky_units units;
};

static int is_per_h(const struct ky_snapshot *snapshot)
{
    return snapshot->space.hubble > 0 && snapshot->units.length_cm > 0;
}

/* The bodies' unit of length in Mpc/h; 1 if that is not known. */
static double length_of(const struct ky_snapshot *snapshot)
{
    return is_per_h(snapshot)
               ? snapshot->units.length_cm / (1e3 * KY_KPC_CM) * snapshot->space.hubble
               : 1;
}

/* Makes room for more rows. */
static enum ky_status extend(struct spectra *all, size_t more, struct ky_error *error)
{
    const size_t rows = all->rows + more;
    for (int c = 0; c < COLUMNS; c++) {
        double *numbers = realloc(all->number[c], rows * sizeof *numbers);
        if (!numbers)
            return ky_no_memory(error, "rows of a spectrum", rows, sizeof *numbers);
        all->number[c] = numbers;
    }
    uint64_t *waves = realloc(all->waves, rows * sizeof *waves);
    size_t *first = realloc(all->first, (all->files + 2) * sizeof *first);
    all->waves = waves ? waves : all->waves;
    all->first = first ? first : all->first;
    return waves && first ? KY_OK : ky_no_memory(error, "rows of a spectrum", rows, sizeof *waves);
}

/* The linear spectrum: the one of the first snapshot, which has the same waves, times `grown`. */
static double linear(const struct spectra *all, double grown, size_t row, double k)
{
    const size_t waves = all->files ? all->first[1] : 0;
    if (!all->comoving || row >= waves ||
        fabs(all->number[K][row] - k) > 1e-9 * all->number[K][row])
        return (double)NAN;
    return all->number[POWER][row] * grown;
}

/* Appends the rows of a snapshot. KY_USAGE if the columns have other meanings for it than for the
 * first one. */
static enum ky_status append(struct spectra *all, const char *file,
                             const struct ky_snapshot *snapshot, const struct ky_power *power,
                             struct ky_error *error)
{
    const struct ky_space *space = &snapshot->space;
    const double length = length_of(snapshot);
    if (all->files && (is_per_h(snapshot) != all->per_h || space->comoving != all->comoving))
        return ky_fail(error, KY_USAGE,
                       "%s is %s %s, unlike the first snapshot: measure them in two calls", file,
                       space->comoving ? "comoving" : "not comoving",
                       is_per_h(snapshot) ? "in units with h" : "in units without h");
    KY_TRY(extend(all, power->count, error));
    if (!all->files) {
        all->per_h = is_per_h(snapshot);
        all->comoving = space->comoving;
        all->start = space->scale_factor;
        all->units = snapshot->units;
    }
    all->first[all->files] = all->rows;
    const double grown = all->comoving
                             ? pow(ky_linear_growth(space, all->start, space->scale_factor), 2)
                             : (double)NAN;
    for (size_t k = 0; k < power->count; k++) {
        const size_t row = all->rows + k;
        all->number[TIME][row] = snapshot->time;
        all->number[K][row] = power->k[k] / length;
        all->number[POWER][row] = power->power[k] * pow(length, 3);
        all->number[LINEAR][row] = linear(all, grown, k, power->k[k] / length);
        all->waves[row] = power->waves[k];
    }
    all->rows += power->count;
    all->first[++all->files] = all->rows;
    return KY_OK;
}

/* Reads bodies, of the given types if not NULL, and sets their box. KY_USAGE for two boxes or
 * none. */
static enum ky_status read_box(struct cli *cli, const struct request *request, const char *file,
                               const char *types, struct ky_snapshot *snapshot)
{
    struct reading reading = request->reading;
    double *box = &snapshot->space.box;
    reading.types = types ? types : reading.types;
    KY_TRY(reading_get(cli, &reading, file, NULL, KY_SPACE_IN_BOX, snapshot));
    *box = *box > 0 ? *box : request->box;
    if (!(*box > 0))
        return ky_fail(&cli->error, KY_USAGE, "%s is in open space: give --box", file);
    if (request->box > 0 && fabs(request->box / *box - 1) > 1e-6)
        return ky_fail(&cli->error, KY_USAGE, "--box %.9g, but %s has a box of side %.9g",
                       request->box, file, *box);
    return KY_OK;
}

/* Reads the second set of bodies of a cross spectrum, which have the box and the units of the
 * first. */
static enum ky_status read_other(struct cli *cli, const struct request *request, const char *file,
                                 const struct ky_snapshot *first, struct ky_snapshot *other)
{
    const char *from = request->cross ? request->cross : file;
    KY_TRY(read_box(cli, request, from, request->cross_types, other));
    KY_TRY(ky_units_together(&first->units, &other->units, &cli->error));
    if (other->time != first->time) {
        char line[128];
        snprintf(line, sizeof line, "the files have different times, %.9g and %.9g", first->time,
                 other->time);
        cli_log(cli, KY_LOG_WARNING, line);
    }
    return fabs(other->space.box / first->space.box - 1) <= 1e-6
               ? KY_OK
               : ky_fail(&cli->error, KY_USAGE, "%s has a box of side %.9g, and %s one of %.9g",
                         file, first->space.box, from, other->space.box);
}

/* The part of a folded spectrum that lies beyond the other one. */
static enum ky_status continue_power(struct ky_power *power, const struct ky_power *folded,
                                     struct ky_error *error)
{
    const size_t had = power->count;
    size_t from = 0;
    while (from < folded->count && !(folded->k[from] > power->k[had - 1]))
        from++;
    const size_t more = folded->count - from;
    double *k = realloc(power->k, (had + more) * sizeof *k);
    power->k = k ? k : power->k;
    double *p = realloc(power->power, (had + more) * sizeof *p);
    power->power = p ? p : power->power;
    uint64_t *waves = realloc(power->waves, (had + more) * sizeof *waves);
    power->waves = waves ? waves : power->waves;
    if (!k || !p || !waves)
        return ky_no_memory(error, "a folded spectrum", had + more, 24);
    for (size_t s = 0; s < more; s++) {
        power->k[had + s] = folded->k[from + s];
        power->power[had + s] = folded->power[from + s];
        power->waves[had + s] = folded->waves[from + s];
    }
    power->count += more;
    return KY_OK;
}

/* Measures the spectrum of one set of bodies, or of two, and the folded one. */
static enum ky_status measure_power(struct cli *cli, const struct request *request,
                                    const struct ky_snapshot *one, const struct ky_bodies *two,
                                    struct ky_power *power)
{
    const double box = one->space.box;
    struct ky_power folded = {.size = sizeof folded};
    KY_TRY(ky_power_cross(&one->bodies, two, box, request->mesh, 1, power, &cli->error));
    if (request->fold == 1)
        return KY_OK;
    KY_TRY(
        ky_power_cross(&one->bodies, two, box, power->mesh, request->fold, &folded, &cli->error));
    const enum ky_status status = continue_power(power, &folded, &cli->error);
    ky_power_free(&folded);
    return status;
}

/* Reads a snapshot and measures its spectrum. */
static enum ky_status add_file(struct cli *cli, const struct request *request, const char *file,
                               struct spectra *all)
{
    struct ky_snapshot snapshot, other;
    struct ky_power power = {.size = sizeof power};
    const int crossed = request->cross || request->cross_types;
    ky_snapshot_clear(&snapshot);
    ky_snapshot_clear(&other);
    enum ky_status status = read_box(cli, request, file, NULL, &snapshot);
    if (!status && crossed)
        status = read_other(cli, request, file, &snapshot, &other);
    if (!status)
        status = measure_power(cli, request, &snapshot, crossed ? &other.bodies : NULL, &power);
    if (!status && !all->files && !crossed && !cli->quiet && !cli->json)
        printf(
            "mesh of %llu³; the noise of as many bodies at random, %.6g of the unit of power, is "
            "%s\n",
            (unsigned long long)power.mesh, power.noise * pow(length_of(&snapshot), 3),
            request->subtract ? "subtracted" : "not subtracted");
    for (size_t k = 0; k < power.count && !status && request->subtract; k++)
        power.power[k] -= power.noise;
    if (!status)
        status = append(all, file, &snapshot, &power, &cli->error);
    ky_power_free(&power);
    ky_snapshot_free(&other);
    ky_snapshot_free(&snapshot);
    return status;
}

static struct table table_of(const struct spectra *all, struct table_column column[COLUMNS])
{
    static const struct ky_units plain = {0};
    const char *const names[2][COLUMNS] = {
        {"time", "k", "power", "waves", "linear"},
        {"time", "k_h_per_mpc", "power_mpc3_per_h3", "waves", "linear_mpc3_per_h3"}};
    for (int c = 0; c < COLUMNS; c++)
        column[c] = (struct table_column){names[all->per_h != 0][c], KY_NO_UNIT, all->number[c],
                                          c == WAVES ? all->waves : NULL};
    if (all->comoving)
        column[TIME].name = "scale_factor";
    return (struct table){column, all->comoving ? COLUMNS : LINEAR, all->rows, &plain};
}

/* 0 for a scale factor that is 1 but for rounding. */
static double redshift(double a)
{
    return fabs(a - 1) < 1e-9 ? 0 : 1 / a - 1;
}

/* Draws each spectrum, and dashed the linear one. */
static enum ky_status plot(struct cli *cli, const struct request *request,
                           const struct spectra *all)
{
    enum { NAME = 40 };
    const size_t size[2] = {(size_t)request->output.width, (size_t)request->output.height};
    struct ky_plot_curve *curves = ky_allocate_zeroed(2 * all->files, sizeof *curves);
    char(*names)[NAME] = ky_allocate(all->files, NAME);
    size_t count = 0;
    enum ky_status status =
        curves && names ? KY_OK : ky_no_memory(&cli->error, "a plot", all->files, sizeof *curves);
    for (size_t f = 0; f < all->files && !status; f++) {
        const size_t first = all->first[f], rows = all->first[f + 1] - first;
        ky_format(names[f], NAME, all->comoving ? "z = %.3g" : "time %.4g",
                  all->comoving ? redshift(all->number[TIME][first]) : all->number[TIME][first]);
        curves[count++] = (struct ky_plot_curve){.name = names[f],
                                                 .x = all->number[K] + first,
                                                 .y = all->number[POWER] + first,
                                                 .n = rows,
                                                 .colour = (int)f};
        if (all->comoving && f)
            curves[count++] = (struct ky_plot_curve){.name = f == 1 ? "linear" : NULL,
                                                     .x = all->number[K] + first,
                                                     .y = all->number[LINEAR] + first,
                                                     .n = rows,
                                                     .colour = (int)f,
                                                     .dash = 1};
    }
    const struct ky_plot one = {
        .labels = {"k", "P"},
        .units = {all->per_h ? "h/Mpc" : NULL, all->per_h ? "Mpc³/h³" : NULL},
        .logarithmic = {1, 1},
        .curves = curves,
        .count = count};
    if (!status)
        status = ky_plot_write(request->output.output, &one, 1, size, request->output.title,
                               request->output.overwrite, &cli->error);
    free(curves);
    free(names);
    return status;
}

static void show(const struct cli *cli, const struct table *table)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        table_json(&json, "waves", table);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        table_print(table, 0, table->rows, stdout);
    }
}

/* KY_USAGE for calls without a box. */
static enum ky_status check_words(struct cli *cli, const struct request *request)
{
    if (!cli->word_count)
        return ky_fail(&cli->error, KY_USAGE, "no bodies: give snapshots, or the folder of a run");
    if (request->subtract && (request->cross || request->cross_types))
        return ky_fail(&cli->error, KY_USAGE,
                       "--subtract-noise: a cross spectrum of two sets of bodies has no noise");
    return request->reading.physical
               ? ky_fail(&cli->error, KY_USAGE,
                         "--physical drops the box, which a power spectrum needs: leave it out")
               : KY_OK;
}

static enum ky_status measure(struct cli *cli, const struct request *request)
{
    struct file_list files = {0};
    struct spectra all = {0};
    struct table_column column[COLUMNS];
    int is_picture;
    enum ky_status status = check_words(cli, request);
    for (int k = 0; k < cli->word_count && !status; k++)
        status = files_add(cli, &files, cli->words[k]);
    if (!status)
        status = plotted_check(cli, &request->output, NULL);
    for (size_t k = 0; k < files.count && !status && request->output.output; k++)
        status = refuse_own_input(cli, request->output.output, files.names[k]);
    for (size_t k = 0; k < files.count && !status; k++)
        status = add_file(cli, request, files.names[k], &all);
    const struct table table = table_of(&all, column);
    if (!status)
        status = plotted_write(cli, &request->output, &table, &is_picture);
    if (!status && is_picture)
        status = plot(cli, request, &all);
    if (!status)
        show(cli, &table);
    for (int c = 0; c < COLUMNS; c++)
        free(all.number[c]);
    free(all.waves);
    free(all.first);
    files_free(&files);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request;
    cli_add_table(cli, "power", own_options, &request);
    cli_add_table(cli, "output", output_options, &request);
    reading_add(cli, &request.reading);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, INT_MAX);
    return status || describe || cli->help ? status : measure(cli, &request);
}

const struct subcommand power_command = {
    "power",
    "FILE...|FOLDER [--mesh M] [-o FILE.csv|FILE.png]",
    "measure the power spectrum of bodies in a periodic box, with linear theory beside it",
    run,
    NULL,
    "mesh fold cross cross-types subtract-noise output overwrite",
    "kyoho model cosmic-box -n 4096 -o box.hdf5\n"
    "kyoho power box.hdf5 -o power.csv\n"};
