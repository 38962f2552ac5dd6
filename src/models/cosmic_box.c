/* A periodic box of a universe of cold dark matter, in comoving coordinates: bodies on a cubic
 * lattice, or on two interleaved ones, with displacements of second order in Lagrangian
 * perturbation theory. Bodies lie in the middles of the cells, on a second lattice at
 * the corners. Modes are drawn up to the Nyquist frequency of the lattice along each axis, from
 * random numbers that depend on the seed and the wave numbers alone. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/units.h"
#include "models/models.h"
#include "models/random_field.h"
#include "physics/expansion.h"

static const double pi = 3.14159265358979323846;
static const double kpc_of_mpc = 1000;   /* positions are in kpc */
static const double hubble_unit = 100;   /* km/s/Mpc */
static const double softening_part = 30; /* the default softening is the spacing over this */
enum { LINE = 400, DARK = 1 };           /* characters; GADGET's type */
enum { CUBIC, BCC };                     /* --lattice */

struct box {
    struct ky_cosmology cosmology;
    double side, redshift, a_s, plt;
    const char *spectrum;
    int fixed, opposite, lattice;
};

#define FIELD(name) offsetof(struct box, name)
static const struct ky_option options[] = {
    {"side", KY_OPTION_REAL, FIELD(side), "100", 1e-3, 1e6, NULL, "MPC/H",
     "cosmic-box: side of the periodic box, in comoving Mpc/h"},
    {"redshift", KY_OPTION_REAL, FIELD(redshift), "49", 0, 1000, NULL, NULL,
     "cosmic-box: redshift at which the bodies start"},
    {"omega-m", KY_OPTION_REAL, FIELD(cosmology.universe.matter), "0.3111", 1e-3, 10, NULL, NULL,
     "cosmic-box: density parameter of matter today, Ω_m"},
    {"omega-lambda", KY_OPTION_REAL, FIELD(cosmology.universe.lambda), "0.6889", 0, 10, NULL, NULL,
     "cosmic-box: density parameter of the cosmological constant today"},
    {"omega-b", KY_OPTION_REAL, FIELD(cosmology.omega_b), "0.049", 0, 10, NULL, NULL,
     "cosmic-box: density parameter of baryons today, included in omega-m"},
    {"hubble", KY_OPTION_REAL, FIELD(cosmology.h), "0.6766", 0.01, 10, NULL, NULL,
     "cosmic-box: h, H0 in 100 km/s/Mpc"},
    {"sigma8", KY_OPTION_REAL, FIELD(cosmology.sigma8), NULL, 0, 10, NULL, NULL,
     "cosmic-box: rms of the linear density contrast today in spheres of 8 Mpc/h; without it "
     "0.8102, "
     "or the amplitude of --spectrum"},
    {"spectral-index", KY_OPTION_REAL, FIELD(cosmology.index), "0.9665", 0, 2, NULL, NULL,
     "cosmic-box: exponent n of the primordial power spectrum k^n"},
    {"a-s", KY_OPTION_REAL, FIELD(a_s), NULL, 0, 1, NULL, NULL,
     "cosmic-box: amplitude of the primordial spectrum at 0.05/Mpc, as 2.1e-9, instead of "
     "--sigma8"},
    {"spectrum", KY_OPTION_TEXT, FIELD(spectrum), NULL, KY_NO_RANGE, NULL, "FILE",
     "cosmic-box: table of the linear power spectrum at z = 0, as CAMB and CLASS write it: k in "
     "h/Mpc and P in (Mpc/h)^3. Without it the fit of Eisenstein & Hu (1998) without oscillations"},
    {"fixed", KY_OPTION_FLAG, FIELD(fixed), NULL, KY_NO_RANGE, NULL, NULL,
     "cosmic-box: every wave has its rms amplitude, and only its phase is random"},
    {"opposite", KY_OPTION_FLAG, FIELD(opposite), NULL, KY_NO_RANGE, NULL, NULL,
     "cosmic-box: all waves with the other sign: the second box of a pair"},
    {"lattice", KY_OPTION_CHOICE, FIELD(lattice), "cubic", KY_NO_RANGE, "cubic|bcc", NULL,
     "cosmic-box: where bodies are before the waves displace them: on a cubic lattice, or on two "
     "of them, the second in the middles of the first (body-centred cubic)"},
    {"plt", KY_OPTION_REAL, FIELD(plt), NULL, 0, 1000, NULL, "Z",
     "cosmic-box: correct the waves for the lattice of bodies by particle linear theory (Garrison "
     "et "
     "al. 2016). At redshift Z, such as 5, the waves have the amplitudes of linear theory for a "
     "fluid. With the redshift of the start, only directions and velocities change"},
};

struct work {
    const struct box *box;
    const struct ky_model_common *common;
    size_t n;                      /* points of a cubic lattice along an axis */
    size_t lattices, now;          /* number of cubic lattices; the one that is displaced */
    struct ky_growth growth;       /* at the start, with D1 = 1 today */
    struct ky_lattice_modes modes; /* with --plt */
    double spacing;                /* of each [Mpc] */
    struct ky_bodies *bodies;
    struct ky_model_clock clock; /* of the transforms */
};

/* Adds D1 ψ1 and D2 ψ2 to the positions, and f1 D1 ψ1 and f2 D2 ψ2 to the velocities. */
static void keep(void *context, enum ky_displacement what, int axis, const double *grid)
{
    const struct work *work = context;
    const struct ky_growth *growth = &work->growth;
    const size_t n = work->n, first = work->now * n * n * n;
    const double moved = what == KY_SECOND_ORDER ? growth->d2 : growth->d1,
                 rate = what == KY_SECOND_ORDER ? growth->f2 : growth->f1;
    const int moves = what != KY_FIRST_RATE,
              speeds_up = what != KY_FIRST_ORDER || !work->modes.mode;
    double(*x)[3] = work->bodies->position + first, (*v)[3] = work->bodies->velocity + first;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < n * n; row++)
        for (size_t k = 0; k < n; k++) {
            const double psi = moved * grid[row * (n + 2) + k];
            x[row * n + k][axis] += moves ? psi : 0;
            v[row * n + k][axis] += speeds_up ? rate * psi : 0;
        }
}

static void tell(void *context, int done, int all)
{
    struct work *work = context;
    ky_model_tell_field(work->common, &work->clock, work->n, done, all);
}

/* The first point of a lattice along each axis, in its spacings. */
static double shift_of(size_t lattice)
{
    return 0.5 + 0.5 * (double)lattice;
}

/* The mean distance of bodies [Mpc]. */
static double distance_of(const struct work *work)
{
    return work->spacing / cbrt((double)work->lattices);
}

/* Growth at the start, with D1 = 1 today. */
static struct ky_growth growth_of(const struct box *box)
{
    struct ky_growth growth = ky_growth_at(&box->cosmology, 1 / (1 + box->redshift));
    const double today = ky_growth_at(&box->cosmology, 1).d1;
    growth.d1 /= today;
    growth.d2 /= today * today;
    return growth;
}

/* Converts displacements D ψ to comoving positions q + D1 ψ1 + D2 ψ2 in the box, and f D ψ to
 * peculiar velocities a H (f1 D1 ψ1 + f2 D2 ψ2). */
static void place(const struct work *work)
{
    const struct ky_cosmology *cosmology = &work->box->cosmology;
    const size_t n = work->n;
    const double a = 1 / (1 + work->box->redshift), side = (double)n * work->spacing;
    const double rate = hubble_unit * cosmology->h * ky_expansion_rate(a, &cosmology->universe);
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < work->lattices * n * n * n; b++) {
        const size_t point[] = {b / (n * n) % n, b / n % n, b % n};
        const double shift = shift_of(b / (n * n * n));
        double *x = work->bodies->position[b], *v = work->bodies->velocity[b];
        for (int c = 0; c < 3; c++) {
            const double q = work->spacing * ((double)point[c] + shift) + x[c];
            x[c] = kpc_of_mpc * (q - side * floor(q / side));
            v[c] *= rate * a;
        }
    }
}

/* The modes of --plt. */
static enum ky_status find_modes(struct work *work, struct ky_error *error)
{
    const struct box *box = work->box;
    if (isnan(box->plt))
        return KY_OK;
    if (box->plt > box->redshift)
        return ky_fail(error, KY_USAGE,
                       "--plt %g is before the start at --redshift %g; give a later redshift, as 5",
                       box->plt, box->redshift);
    work->modes = (struct ky_lattice_modes){.side = work->n,
                                            .centred = box->lattice == BCC,
                                            .start = 1 / (1 + box->redshift),
                                            .fluid = 1 / (1 + box->plt),
                                            .universe = box->cosmology.universe};
    return ky_lattice_modes_make(&work->modes, work->common->halt, error);
}

/* Divides the matter of the box, 3 Ωm H0² L³/(8π G), equally among the bodies, and describes
 * space. */
static void describe(const struct work *work, struct ky_snapshot *snapshot)
{
    const struct ky_cosmology *cosmology = &work->box->cosmology;
    struct ky_bodies *bodies = &snapshot->bodies;
    const double h0 = hubble_unit * cosmology->h / kpc_of_mpc,
                 side = kpc_of_mpc * (double)work->n * work->spacing;
    const double mass =
        3 * cosmology->universe.matter * h0 * h0 * pow(side, 3) / (8 * pi * snapshot->units.g);
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] = mass / (double)bodies->n;
        bodies->type[i] = DARK;
    }
    snapshot->time = 1 / (1 + work->box->redshift);
    snapshot->space = (struct ky_space){.comoving = 1,
                                        .converted = KY_TO_COMOVING,
                                        .scale_factor = snapshot->time,
                                        .hubble = cosmology->h,
                                        .omega_matter = cosmology->universe.matter,
                                        .omega_lambda = cosmology->universe.lambda,
                                        .box = side};
    if (isnan(work->common->softening))
        snapshot->softening = kpc_of_mpc * distance_of(work) / softening_part;
}

/* The spectrum that the options ask for; the caller frees the table. */
static enum ky_status find_spectrum(const struct box *box, struct ky_power_table *table,
                                    struct ky_spectrum *spectrum, struct ky_error *error)
{
    struct ky_cosmology cosmology = box->cosmology;
    if (!isnan(box->a_s) && (!isnan(cosmology.sigma8) || box->spectrum))
        return ky_fail(error, KY_USAGE, "--a-s is given with %s; give one of the two",
                       box->spectrum ? "--spectrum, which has an amplitude" : "--sigma8");
    if (box->spectrum) {
        KY_TRY(ky_power_table_read(box->spectrum, cosmology.h, table, error));
        *spectrum = ky_spectrum_of_table(&cosmology, table);
        return KY_OK;
    }
    if (isnan(cosmology.sigma8))
        cosmology.sigma8 = 0.8102;
    *spectrum = isnan(box->a_s) ? ky_spectrum_of(&cosmology)
                                : ky_spectrum_of_curvature(&cosmology, box->a_s);
    return KY_OK;
}

/* Points along an axis. KY_USAGE for a number of bodies that makes no lattices of such a number. */
static enum ky_status find_side(size_t bodies, size_t lattices, size_t *n, struct ky_error *error)
{
    const size_t root = (size_t)floor(cbrt((double)bodies / (double)lattices) + 0.5),
                 fitting = ky_fourier_size(root);
    *n = root;
    if (lattices * root * root * root == bodies && fitting == root)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "cosmic-box: %zu bodies are not %s of an even number without prime factors "
                   "above 7; %zu are, %s%zu³",
                   bodies, lattices > 1 ? "twice the cube" : "the cube",
                   lattices * fitting * fitting * fitting, lattices > 1 ? "2 × " : "", fitting);
}

/* Logs the amplitude and the mass of a body. */
static void tell_box(const struct work *work, const struct ky_spectrum *spectrum,
                     const struct ky_snapshot *snapshot)
{
    const struct ky_cosmology *cosmology = &work->box->cosmology;
    char line[LINE];
    if (!work->common->log)
        return;
    ky_format(
        line, sizeof line,
        "cosmic-box: %.5g Mpc/h, %.4g Mpc/h between bodies of %.3g Msun/h, sigma8 = %.4g, a = "
        "%.6g",
        work->box->side, distance_of(work) * cosmology->h,
        1e10 * cosmology->h * snapshot->bodies.mass[0], ky_sigma(spectrum, 8 / cosmology->h),
        snapshot->time);
    work->common->log(work->common->log_context, KY_LOG_INFO, line);
}

/* Warns if the box has waves beyond the ends of the table of --spectrum. */
static void tell_ends(const struct work *work, const struct ky_power_table *table)
{
    const double h = work->box->cosmology.h, first = 2 * pi / ((double)work->n * work->spacing),
                 last = sqrt(3) * pi / work->spacing; /* 1/Mpc */
    char line[LINE];
    if (!work->common->log || !table->count)
        return;
    const double low = exp(table->ln_k[0]), high = exp(table->ln_k[table->count - 1]);
    if (first >= low && last <= high)
        return;
    ky_format(line, sizeof line,
              "cosmic-box: the waves of the box have k from %.3g to %.3g h/Mpc, but the table of "
              "--spectrum only %.3g to %.3g: beyond, P is a power of k",
              first / h, last / h, low / h, high / h);
    work->common->log(work->common->log_context, KY_LOG_WARNING, line);
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct box *box = own;
    struct ky_fourier fourier = {0};
    struct ky_power_table table = {0};
    struct ky_spectrum spectrum;
    struct work work = {.box = box, .common = common, .bodies = &snapshot->bodies};
    work.lattices = box->lattice == BCC ? 2 : 1;
    KY_TRY(find_side(common->n, work.lattices, &work.n, error));
    KY_TRY(ky_cosmology_check(&box->cosmology, error));
    enum ky_status status = find_spectrum(box, &table, &spectrum, error);
    work.spacing = box->side / box->cosmology.h / (double)work.n;
    work.growth = growth_of(box);
    if (!status)
        status = find_modes(&work, error);
    if (!status)
        status = ky_fourier_open(&fourier, work.n, error);
    fourier.halt = common->halt;
    if (!status)
        status = ky_model_allocate(common, KY_WITH_TYPE, snapshot, error);
    for (work.now = 0; work.now < work.lattices && !status; work.now++) {
        const struct ky_random_phases phases = {common->seed, box->fixed, box->opposite,
                                                shift_of(work.now)};
        const struct ky_displacement_to to = {keep, tell, &work,
                                              work.modes.mode ? &work.modes : NULL};
        ky_random_waves(&spectrum, (double)work.n * work.spacing, &phases, work.n, common->halt,
                        fourier.grid[0]);
        work.clock.began = work.clock.told = ky_clock();
        ky_displace(&fourier, (double)work.n * work.spacing, &to);
        status = ky_halt_check(common->halt, error);
    }
    if (!status) {
        place(&work);
        describe(&work, snapshot);
        tell_box(&work, &spectrum, snapshot);
        tell_ends(&work, &table);
    }
    ky_fourier_close(&fourier);
    free(work.modes.mode);
    ky_power_table_free(&table);
    return status;
}

static enum ky_status set_units(struct ky_units *units, struct ky_error *error)
{
    return ky_model_galaxy_units("cosmic-box", units, error);
}

const struct ky_model ky_cosmic_box = {
    .name = "cosmic-box",
    .help = "periodic box of a universe of cold dark matter, comoving, at z = 49; 64³ bodies",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct box),
    .usual = 262144,
    .softening = -1,
    .scaling = KY_NOT_SCALED,
    .centring = KY_NOT_CENTRED,
    .units = set_units,
    .make = make,
};
