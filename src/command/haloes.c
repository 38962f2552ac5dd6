/* kyoho haloes: the number of haloes of each mass in a comoving box, and fits beside it. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/units.h"
#include "command/plotted.h"
#include "command/walks.h"

struct request {
    struct ky_mass_function_parameters fits;
    struct ky_catalogue_parameters wanted;
    uint64_t bins;
    struct plotted output;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option own_options[] = {
    {"bins", KY_OPTION_COUNT, FIELD(bins), "5", 1, 100, NULL, NULL,
     "bins for a factor of ten in mass"},
    {"sigma8", KY_OPTION_REAL, FIELD(fits.sigma8), "0.8102", 1e-3, 10, NULL, NULL,
     "rms of the linear density contrast today in spheres of 8/h Mpc, of the fits"},
    {"spectral-index", KY_OPTION_REAL, FIELD(fits.spectral_index), "0.9665", 0, 2, NULL, NULL,
     "exponent n of the primordial power spectrum k^n, of the fits"},
    {"omega-b", KY_OPTION_REAL, FIELD(fits.omega_baryons), "0.049", 0, 10, NULL, NULL,
     "density parameter of baryons today, of the fits"},
    {"spectrum", KY_OPTION_TEXT, FIELD(fits.spectrum), NULL, KY_NO_RANGE, NULL, "FILE",
     "table of k and P(k) in h/Mpc and (Mpc/h)³ for the fits, scaled to --sigma8"},
};
static const struct ky_option output_options[] = {
    PLOTTED_OPTIONS(output, "write the table, or plot it", "plot", "the plot", "600")};

enum { MASS, SPHERES, IN_SPHERES, LINKED, IN_LINKED, FITTED, COLUMNS = FITTED + 3 };
struct bins {
    size_t count;
    double first, width; /* ln of the lower edge of the first mass; of ln M */
    double *value[COLUMNS];
    uint64_t *number[COLUMNS]; /* of SPHERES and LINKED */
};

/* ---- the bins ---- */

/* Msun/h of the bodies' unit of mass, and Mpc/h of their unit of length. */
static double mass_unit(const struct ky_snapshot *snapshot)
{
    return snapshot->units.mass_g / KY_SUN_G * snapshot->space.hubble;
}

static double length_unit(const struct ky_snapshot *snapshot)
{
    return snapshot->units.length_cm / (1e3 * KY_KPC_CM) * snapshot->space.hubble;
}

static enum ky_status make_room(struct bins *bins, struct ky_error *error)
{
    for (int c = 0; c < COLUMNS; c++) {
        bins->value[c] = ky_allocate_zeroed(bins->count, sizeof(double));
        bins->number[c] = ky_allocate_zeroed(bins->count, sizeof(uint64_t));
        if (!bins->value[c] || !bins->number[c])
            return ky_no_memory(error, "bins of mass", bins->count, COLUMNS * 2 * sizeof(double));
    }
    return KY_OK;
}

static void free_bins(struct bins *bins)
{
    for (int c = 0; c < COLUMNS; c++) {
        free(bins->value[c]);
        free(bins->number[c]);
    }
}

/* Counts the masses [in `unit` of Msun/h]. */
static void count(struct bins *bins, int column, const double *mass, size_t groups, double unit)
{
    for (size_t g = 0; g < groups; g++) {
        const double bin = (log(mass[g] * unit) - bins->first) / bins->width;
        if (bin >= 0 && bin < (double)bins->count)
            bins->number[column][(size_t)bin]++;
    }
}

/* The bins of ln M, from the mass of the smallest group on, so that each has all of its groups. */
static void find_edges(struct bins *bins, const struct ky_catalogue *catalogue, double least,
                       double unit, uint64_t per_decade)
{
    static const double rounding = 1e-9;
    double most = least;
    for (size_t g = 0; g < catalogue->groups; g++)
        most = fmax(most, fmax(catalogue->mass[g], catalogue->m200m[g]));
    bins->width = log(10) / (double)per_decade;
    bins->first = log(least * unit) - rounding;
    bins->count = (size_t)floor((log(most * unit) - bins->first) / bins->width) + 1;
}

/* The fit, averaged over each bin. */
static enum ky_status fill_fit(struct bins *bins, struct ky_mass_function_parameters *fits,
                               struct ky_error *error)
{
    enum { POINTS = 8 };
    double mass[POINTS], density[POINTS];
    for (size_t b = 0; b < bins->count; b++) {
        for (int k = 0; k < POINTS; k++)
            mass[k] = exp(bins->first + bins->width * ((double)b + (k + 0.5) / POINTS));
        KY_TRY(ky_mass_function(fits, POINTS, mass, density, error));
        for (int k = 0; k < POINTS; k++)
            bins->value[FITTED + fits->fit][b] += density[k] / POINTS;
    }
    return KY_OK;
}

static enum ky_status fill(struct bins *bins, const struct request *request,
                           const struct ky_snapshot *snapshot, const struct ky_catalogue *catalogue,
                           struct ky_error *error)
{
    const size_t n = snapshot->bodies.n;
    struct ky_mass_function_parameters fits = request->fits;
    const double unit = mass_unit(snapshot),
                 volume = pow(snapshot->space.box * length_unit(snapshot), 3);
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += snapshot->bodies.mass[i];
    if (!(all > 0))
        return ky_fail(error, KY_BAD_DATA, "no body has mass");
    find_edges(bins, catalogue, all / (double)n * (double)catalogue->minimum, unit, request->bins);
    KY_TRY(make_room(bins, error));
    count(bins, SPHERES, catalogue->m200m, catalogue->groups, unit);
    count(bins, LINKED, catalogue->mass, catalogue->groups, unit);
    for (size_t b = 0; b < bins->count; b++) {
        bins->value[MASS][b] = exp(bins->first + ((double)b + 0.5) * bins->width);
        bins->value[IN_SPHERES][b] = (double)bins->number[SPHERES][b] / (volume * bins->width);
        bins->value[IN_LINKED][b] = (double)bins->number[LINKED][b] / (volume * bins->width);
    }
    fits.omega_matter = snapshot->space.omega_matter;
    fits.omega_lambda = snapshot->space.omega_lambda;
    fits.hubble = snapshot->space.hubble;
    fits.scale_factor = snapshot->space.scale_factor;
    for (fits.fit = KY_PRESS_SCHECHTER; fits.fit <= KY_TINKER; fits.fit++)
        KY_TRY(fill_fit(bins, &fits, error));
    return KY_OK;
}

/* ---- output ---- */

static struct table table_of(const struct bins *bins, struct table_column column[COLUMNS])
{
    static const struct ky_units plain = {0};
    static const char *const names[COLUMNS] = {
        "mass_msun_per_h", "m200m_groups",    "m200m_h3_per_mpc3", "fof_groups",
        "fof_h3_per_mpc3", "press_schechter", "sheth_tormen",      "tinker"};
    for (int c = 0; c < COLUMNS; c++)
        column[c] = (struct table_column){names[c], KY_NO_UNIT, bins->value[c],
                                          c == SPHERES || c == LINKED ? bins->number[c] : NULL};
    return (struct table){column, COLUMNS, bins->count, &plain};
}

/* Draws the two counts, and dashed the fits. */
static enum ky_status plot(struct cli *cli, const struct request *request, const struct bins *bins)
{
    static const struct {
        const char *name;
        int column, dash;
    } rows[] = {{"M200m", IN_SPHERES, 0},
                {"friends of friends", IN_LINKED, 0},
                {"Press–Schechter", FITTED + KY_PRESS_SCHECHTER, 1},
                {"Sheth–Tormen", FITTED + KY_SHETH_TORMEN, 1},
                {"Tinker et al.", FITTED + KY_TINKER, 1}};
    enum { CURVES = sizeof rows / sizeof *rows };
    const size_t size[2] = {(size_t)request->output.width, (size_t)request->output.height};
    struct ky_plot_curve curves[CURVES];
    for (int k = 0; k < CURVES; k++)
        curves[k] = (struct ky_plot_curve){.name = rows[k].name,
                                           .x = bins->value[MASS],
                                           .y = bins->value[rows[k].column],
                                           .n = bins->count,
                                           .colour = k,
                                           .dash = rows[k].dash};
    const struct ky_plot one = {.labels = {"M", "dn/d ln M"},
                                .units = {"Msun/h", "h³/Mpc³"},
                                .logarithmic = {1, 1},
                                .curves = curves,
                                .count = CURVES};
    return ky_plot_write(request->output.output, &one, 1, size, request->output.title,
                         request->output.overwrite, &cli->error);
}

static enum ky_status show(struct cli *cli, const struct request *request, const struct bins *bins)
{
    struct table_column column[COLUMNS];
    const struct table table = table_of(bins, column);
    int is_picture = 0;
    KY_TRY(plotted_write(cli, &request->output, &table, &is_picture));
    if (is_picture)
        KY_TRY(plot(cli, request, bins));
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        table_json(&json, "bins", &table);
        ky_json_end_object(&json);
    } else if (!cli->quiet) {
        table_print(&table, 0, table.rows, stdout);
    }
    return KY_OK;
}

/* ---- the call ---- */

/* KY_USAGE for bodies that are not in a comoving box with a cosmology and units. */
static enum ky_status check(struct cli *cli, const struct ky_snapshot *snapshot)
{
    const struct ky_space *space = &snapshot->space;
    if (!(space->box > 0) || isnan(ky_omega_matter(space)) || !(snapshot->units.mass_g > 0))
        return ky_fail(
            &cli->error, KY_USAGE,
            "a mass function needs a comoving box with its cosmology and units, as files "
            "of cosmic-box have them");
    return KY_OK;
}

static enum ky_status measure(struct cli *cli, const struct ky_parameters *parameters,
                              const struct request *request, const struct ky_snapshot *snapshot)
{
    struct ky_catalogue catalogue = {.size = sizeof catalogue};
    struct ky_catalogue_parameters wanted = request->wanted;
    struct bins bins = {0};
    wanted.omega_matter = ky_omega_matter(&snapshot->space);
    enum ky_status status =
        ky_catalogue_make(parameters, &wanted, &snapshot->bodies, &catalogue, NULL, &cli->error);
    if (!status && !catalogue.groups)
        status = ky_fail(&cli->error, KY_BAD_DATA, "there are no groups of %llu bodies or more",
                         (unsigned long long)catalogue.minimum);
    if (!status)
        status = fill(&bins, request, snapshot, &catalogue, &cli->error);
    if (!status)
        status = show(cli, request, &bins);
    free_bins(&bins);
    ky_catalogue_free(&catalogue);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request;
    struct ky_parameters parameters;
    struct source source;
    struct ky_snapshot snapshot;
    char origin[ORIGIN];
    ky_mass_function_parameters_defaults(&request.fits);
    ky_catalogue_parameters_defaults(&request.wanted);
    cli_add_table(cli, "haloes", own_options, &request);
    cli_add_options(cli, "groups", KY_OPTIONS_GROUPS, &request.wanted);
    cli_add_table(cli, "output", output_options, &request);
    walk_add_bodies(cli, &parameters, &source);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&snapshot);
    status = plotted_check(cli, &request.output, source_file(cli, &source));
    if (!status)
        status = source_get(cli, &source, &parameters, &snapshot, origin);
    if (!status)
        status = check(cli, &snapshot);
    if (!status)
        status = measure(cli, &parameters, &request, &snapshot);
    ky_snapshot_free(&snapshot);
    return status;
}

const struct subcommand haloes_command = {
    "haloes",
    "FILE [--linking-length LENGTH] [-o FILE.csv|FILE.png]",
    "count the haloes of each mass in a comoving box, with Press–Schechter, Sheth–Tormen and "
    "Tinker curves beside it",
    run,
    NULL,
    "bins sigma8 spectrum linking-length minimum output overwrite",
    "kyoho haloes box/snapshot_0003.hdf5 -o haloes.png\n"};
