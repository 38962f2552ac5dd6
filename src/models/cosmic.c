/* A sphere cut from a universe of cold dark matter: the system of Nakasato (2009), whose input,
 * made with COSMICS, is lost. The paper gives a radius of 45 Mpc, 2,874,551 bodies, a softening of
 * 4 kpc and the end at z = 0.
 *
 * The rest is our choice. The space around the sphere is empty, coordinates are physical, and
 * the softening is a physical length at all times. Ωm = 1, h = 0.5, Ωb = 0.05, n = 1, σ8 = 0.8; the
 * start is at z = 24, from where equal time steps still resolve the expansion. The transfer
 * function has no acoustic oscillations: they are longer than the box, and their effect on such a
 * sphere is below its noise. Displacements are of second order, so z = 24 is early enough. Modes
 * are drawn on a grid with the spacing of the bodies, up to the Nyquist frequency along each axis,
 * in a periodic cube at least 1.45 times as wide as the sphere: 256³ points in 130.6 Mpc for the
 * paper's number of bodies.
 *
 * The bodies sit on the n grid points nearest to a centre. No two points have the same distance
 * from the centre, so there are exactly n, and n spacing³ = 4π/3 radius³. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/units.h"
#include "models/models.h"
#include "models/random_field.h"
#include "physics/expansion.h"
#include "physics/recommended.h"

static const double pi = 3.14159265358979323846;
static const double width = 1.45;      /* least width of the grid, in diameters of the sphere */
static const double kpc_of_mpc = 1000; /* positions are in kpc */
static const double hubble_unit = 100; /* km/s/Mpc */
enum { SMALLEST_GRID = 8, LINE = 320, DARK = 1 }; /* points; characters; GADGET's type */

struct cosmic {
    struct ky_cosmology cosmology;
    double radius, redshift;
};

#define FIELD(name) offsetof(struct cosmic, name)
static const struct ky_option options[] = {
    {"sphere-radius", KY_OPTION_REAL, FIELD(radius), "45", 1e-3, 1e4, NULL, NULL,
     "cosmic: radius of the sphere at today's mean density. The spacing of N bodies is (4π/3/N)^⅓ "
     "of it [Mpc]"},
    {"redshift", KY_OPTION_REAL, FIELD(redshift), "24", 0, 1000, NULL, NULL,
     "cosmic, cosmic-box: redshift at which the bodies start"},
    {"omega-m", KY_OPTION_REAL, FIELD(cosmology.universe.matter), "1", 1e-3, 10, NULL, NULL,
     "cosmic, cosmic-box: density parameter of matter today, Ω_m"},
    {"omega-lambda", KY_OPTION_REAL, FIELD(cosmology.universe.lambda), "0", 0, 10, NULL, NULL,
     "cosmic, cosmic-box: density parameter of the cosmological constant today. If it is not 0, a "
     "run of cosmic needs --field lambda, which --expansion bodies adds"},
    {"omega-b", KY_OPTION_REAL, FIELD(cosmology.omega_b), "0.05", 0, 10, NULL, NULL,
     "cosmic, cosmic-box: density parameter of baryons today, included in omega-m; it weakens "
     "short waves"},
    {"hubble", KY_OPTION_REAL, FIELD(cosmology.h), "0.5", 0.01, 10, NULL, NULL,
     "cosmic, cosmic-box: h, H0 in 100 km/s/Mpc"},
    {"sigma8", KY_OPTION_REAL, FIELD(cosmology.sigma8), "0.8", 0, 10, NULL, NULL,
     "cosmic, cosmic-box: rms of the linear density contrast today in spheres of 8/h Mpc"},
    {"spectral-index", KY_OPTION_REAL, FIELD(cosmology.index), "1", 0, 2, NULL, NULL,
     "cosmic, cosmic-box: exponent n of the primordial power spectrum k^n"},
};

/* ---- the grid points that become bodies ---- */

/* Grid points with the same i and j: k, k + 1, … are the bodies first … first + count − 1. */
struct column {
    size_t i, j, k, first, count;
};

struct lattice {
    size_t n; /* points along an axis */
    double spacing, box;
    double centre[3]; /* in grid spacings from the point (0, 0, 0) */
    struct column *columns;
    size_t column_count;
};

/* The grid points with these i and j that are nearer than √square spacings to the centre. */
static struct column column_at(const struct lattice *lattice, double square, size_t i, size_t j)
{
    const double x = (double)i - lattice->centre[0], y = (double)j - lattice->centre[1];
    const double half2 = square - x * x - y * y, half = half2 > 0 ? sqrt(half2) : 0;
    const double low = ceil(lattice->centre[2] - half), high = floor(lattice->centre[2] + half);
    struct column column = {.i = i, .j = j};
    if (half2 > 0 && high >= low) {
        column.k = (size_t)low;
        column.count = (size_t)(high - low) + 1;
    }
    return column;
}

static size_t points_within(const struct lattice *lattice, double square)
{
    size_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (size_t i = 0; i < lattice->n; i++)
        for (size_t j = 0; j < lattice->n; j++)
            count += column_at(lattice, square, i, j).count;
    return count;
}

/* The squared radius that contains `bodies` grid points. It contains more only if two points have
 * equal distances from the centre in double precision. */
static double square_of(const struct lattice *lattice, size_t bodies)
{
    double low = 0, high = pow((double)lattice->n / 2 - 1, 2);
    for (;;) {
        const double middle = (low + high) / 2;
        const size_t within = points_within(lattice, middle);
        if (within == bodies || middle == low || middle == high)
            return within == bodies ? middle : high;
        *(within < bodies ? &low : &high) = middle;
    }
}

/* The lattice, without its columns. */
static struct lattice lattice_of(const struct cosmic *cosmic, size_t bodies)
{
    struct lattice lattice = {.spacing = cosmic->radius * cbrt(4 * pi / 3 / (double)bodies)};
    const size_t least = (size_t)ceil(2 * width * cosmic->radius / lattice.spacing);
    lattice.n = ky_fourier_size(least < SMALLEST_GRID ? SMALLEST_GRID : least);
    lattice.box = (double)lattice.n * lattice.spacing;
    for (int c = 0; c < 3; c++) /* fractional parts of √2, √3 and √5 */
        lattice.centre[c] = (double)(lattice.n / 2) + sqrt(c == 2 ? 5 : 2 + c) - (c == 2 ? 2 : 1);
    return lattice;
}

static enum ky_status find_columns(struct lattice *lattice, size_t bodies, struct ky_error *error)
{
    size_t first = 0;
    KY_TRY(ky_array(&lattice->columns, lattice->n * lattice->n, sizeof *lattice->columns,
                    "columns of the lattice", error));
    const double square = square_of(lattice, bodies);
    for (size_t i = 0; i < lattice->n; i++)
        for (size_t j = 0; j < lattice->n; j++) {
            struct column column = column_at(lattice, square, i, j);
            column.first = first;
            if (column.count > bodies - first)
                column.count = bodies - first;
            first += column.count;
            if (column.count)
                lattice->columns[lattice->column_count++] = column;
        }
    return KY_OK;
}

/* ---- bodies ---- */

struct work {
    const struct cosmic *cosmic;
    const struct ky_model_common *common;
    struct lattice lattice;
    struct ky_bodies *bodies;
    struct ky_model_clock clock; /* of the transforms */
};

/* Stores ψ1 in the positions and ψ2 in the velocities. */
static void keep(void *context, enum ky_displacement what, int axis, const double *grid)
{
    const struct work *work = context;
    const struct lattice *lattice = &work->lattice;
    double(*to)[3] = what == KY_FIRST_ORDER ? work->bodies->position : work->bodies->velocity;
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t c = 0; c < lattice->column_count; c++) {
        const struct column *column = &lattice->columns[c];
        const double *from =
            grid + (column->i * lattice->n + column->j) * (lattice->n + 2) + column->k;
        for (size_t b = 0; b < column->count; b++)
            to[column->first + b][axis] = from[b];
    }
}

static void tell(void *context, int done, int all)
{
    struct work *work = context;
    ky_model_tell_field(work->common, &work->clock, work->lattice.n, done, all);
}

/* Converts q, ψ1 and ψ2 to positions and velocities: r = a (q + D1 ψ1 + D2 ψ2), v = H r + a H (f1
 * D1 ψ1 + f2 D2 ψ2). D1 is 1 today. */
static void place(const struct work *work)
{
    const struct ky_cosmology *cosmology = &work->cosmic->cosmology;
    const struct lattice *lattice = &work->lattice;
    struct ky_bodies *bodies = work->bodies;
    const double a = 1 / (1 + work->cosmic->redshift);
    const double rate = hubble_unit * cosmology->h * ky_expansion_rate(a, &cosmology->universe);
    const struct ky_growth growth = ky_growth_at(cosmology, a), today = ky_growth_at(cosmology, 1);
    const double d1 = growth.d1 / today.d1, d2 = growth.d2 / (today.d1 * today.d1);
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t c = 0; c < lattice->column_count; c++) {
        const struct column *column = &lattice->columns[c];
        for (size_t b = 0; b < column->count; b++) {
            const double point[] = {(double)column->i, (double)column->j, (double)(column->k + b)};
            double *x = bodies->position[column->first + b],
                   *v = bodies->velocity[column->first + b];
            for (int axis = 0; axis < 3; axis++) {
                const double q = lattice->spacing * (point[axis] - lattice->centre[axis]);
                const double first = d1 * x[axis], second = d2 * v[axis];
                const double r = a * (q + first + second);
                x[axis] = kpc_of_mpc * r;
                v[axis] = rate * (r + a * (growth.f1 * first + growth.f2 * second));
            }
        }
    }
}

/* Divides the sphere's mass Ωm H0² R³/(2 G) equally among the bodies. */
static void weigh(const struct cosmic *cosmic, double g, struct ky_bodies *bodies)
{
    const double h0 = hubble_unit * cosmic->cosmology.h / kpc_of_mpc;
    const double radius = kpc_of_mpc * cosmic->radius;
    const double mass = cosmic->cosmology.universe.matter * h0 * h0 * pow(radius, 3) / (2 * g);
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] = mass / (double)bodies->n;
        bodies->type[i] = DARK;
    }
}

/* ---- the model ---- */

static enum ky_status set_units(struct ky_units *units, struct ky_error *error)
{
    return ky_model_galaxy_units("cosmic", units, error);
}

/* The default of --alpha with --force tree. */
static const double usual_alpha = 0.005;

/* Peculiar acceleration over the total acceleration in linear theory: (3/2 Ωm H²) × displacement
 * over (Ωm H²/2) × distance. The displacement is (v − H r)/(f1 H). */
static double peculiar_share(const struct ky_cosmology *cosmology, double a,
                             const struct ky_bodies *bodies)
{
    const double rate = hubble_unit * cosmology->h / kpc_of_mpc *
                        ky_expansion_rate(a, &cosmology->universe),
                 growth = ky_growth_at(cosmology, a).f1;
    double displaced = 0, far = 0;
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++) {
            const double r = bodies->position[i][c], v = bodies->velocity[i][c];
            displaced += pow((v - rate * r) / (growth * rate), 2);
            far += r * r;
        }
    return far > 0 ? 3 * sqrt(displaced / far) : 0;
}

/* Sets the time since a = 0 and the cosmology, and logs the options that a run needs. */
static void tell_epoch(const struct work *work, struct ky_snapshot *snapshot)
{
    const struct cosmic *cosmic = work->cosmic;
    const struct ky_cosmology *cosmology = &cosmic->cosmology;
    const double h0 = hubble_unit * cosmology->h / kpc_of_mpc, a = 1 / (1 + cosmic->redshift);
    const double end = ky_expansion_age(1, &cosmology->universe) / h0;
    char line[LINE], begins[KY_QUANTITY_TEXT], ends[KY_QUANTITY_TEXT];
    struct ky_units units;
    snapshot->time = ky_expansion_age(a, &cosmology->universe) / h0;
    snapshot->space.hubble = cosmology->h;
    snapshot->space.omega_matter = cosmology->universe.matter;
    snapshot->space.omega_lambda = cosmology->universe.lambda;
    if (!work->common->log || ky_units_preset("galaxy", &units, NULL))
        return;
    ky_format(line, sizeof line,
              "cosmic: %.4g Mpc between bodies of %.3g Msun, grid of %zu³ points in %.5g Mpc; "
              "time %s at z = %g, %s at z = 0; the option of a run is --expansion "
              "omega-m=%.10g,omega-lambda=%.10g,h0=%.10g",
              work->lattice.spacing, 1e10 * snapshot->bodies.mass[0], work->lattice.n,
              work->lattice.box, ky_quantity_text(&units, KY_TIME_UNIT, snapshot->time, 10, begins),
              cosmic->redshift, ky_quantity_text(&units, KY_TIME_UNIT, end, 10, ends),
              cosmology->universe.matter, cosmology->universe.lambda, h0);
    work->common->log(work->common->log_context, KY_LOG_INFO, line);
    const double share = peculiar_share(cosmology, a, &snapshot->bodies);
    if (ky_recommended_alpha(share) < usual_alpha) {
        ky_format(line, sizeof line,
                  "cosmic: --force tree --alpha %.2g is recommended, which keeps the errors of "
                  "forces below 1/20 of the peculiar accelerations",
                  ky_recommended_alpha(share));
        work->common->log(work->common->log_context, KY_LOG_INFO, line);
    }
    if (!(cosmology->universe.lambda > 0))
        return;
    ky_format(
        line, sizeof line,
        "cosmic: runs of these bodies need the cosmological constant: --expansion bodies adds "
        "it, or --field lambda:omega=%.10g,h0=%.10g",
        cosmology->universe.lambda, h0);
    work->common->log(work->common->log_context, KY_LOG_INFO, line);
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct cosmic *cosmic = own;
    struct ky_fourier fourier = {0};
    struct work work = {.cosmic = cosmic,
                        .common = common,
                        .lattice = lattice_of(cosmic, common->n),
                        .bodies = &snapshot->bodies};
    enum ky_status status = ky_cosmology_check(&cosmic->cosmology, error);
    if (!status)
        status = ky_fourier_open(&fourier, work.lattice.n, error);
    fourier.halt = common->halt;
    if (!status)
        status = ky_model_allocate(common, KY_WITH_TYPE, snapshot, error);
    if (!status)
        status = find_columns(&work.lattice, common->n, error);
    if (!status) {
        const struct ky_spectrum spectrum = ky_spectrum_of(&cosmic->cosmology);
        const struct ky_displacement_to to = {keep, tell, &work, NULL};
        ky_random_waves(&spectrum, work.lattice.box,
                        &(struct ky_random_phases){.seed = common->seed}, work.lattice.n,
                        common->halt, fourier.grid[0]);
        work.clock.began = work.clock.told = ky_clock();
        ky_displace(&fourier, work.lattice.box, &to);
        status = ky_halt_check(common->halt, error);
    }
    if (!status) {
        place(&work);
        weigh(cosmic, snapshot->units.g, &snapshot->bodies);
        tell_epoch(&work, snapshot);
    }
    ky_fourier_close(&fourier);
    free(work.lattice.columns);
    return status;
}

const struct ky_model ky_cosmic = {
    .name = "cosmic",
    .help = "sphere of 45 Mpc cut from a universe of cold dark matter at z = 24; 2874551 bodies",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct cosmic),
    .usual = 2874551,
    .softening = 4,
    .scaling = KY_NOT_SCALED,
    .centring = KY_CENTRE_MASS,
    .units = set_units,
    .make = make,
};
