/* The power spectrum of bodies in a periodic box: see kyoho.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mesh.h"
#include "base/fourier.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "base/status.h"
#include "physics/expansion.h"
#include "physics/space.h"
#include "snapshot/space.h"

static const double pi = 3.14159265358979323846;

enum { MOST_FOLDS = 1024 };

/* sin(x)/x to the third power at x = π n'/n: the spectrum of the cloud along an axis. */
static double spectrum_of_cloud(long wave, size_t n)
{
    const double x = pi * (double)wave / (double)n, s = wave ? sin(x) / x : 1;
    return s * s * s;
}

/* Sums of a shell. */
struct shell {
    double power, k;
    uint64_t waves;
};

/* The waves of a set of bodies, and of another set or the same one. */
struct pair {
    const struct ky_fourier *fourier;
    const double *one, *two;
};

/* Replaces the waves of a mesh by their mean with the ones of the mesh half a cell apart. */
static void combine(const struct ky_fourier *fourier, double *first, const double *second)
{
    const size_t n = fourier->n;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k <= n / 2; k++) {
                const size_t at = 2 * ((i * n + j) * (n / 2 + 1) + k);
                const long sum = ky_wave_number(i, n) + ky_wave_number(j, n) + (long)k;
                const double phase = pi * (double)sum / (double)n, c = cos(phase), s = sin(phase),
                             re = 0.5 * (first[at] + c * second[at] - s * second[at + 1]),
                             im = 0.5 * (first[at + 1] + s * second[at] + c * second[at + 1]);
                first[at] = re, first[at + 1] = im;
            }
}

/* Adds the waves of a plane to the shells. Waves with 0 < k < n/2 stand for their conjugates too.
 */
static void add_waves(const struct pair *pair, size_t i, size_t count, struct shell *shells)
{
    const size_t n = pair->fourier->n;
    const long x = ky_wave_number(i, n);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k <= n / 2; k++) {
            const long y = ky_wave_number(j, n), z = (long)k;
            const double length = sqrt((double)(x * x + y * y + z * z));
            const size_t shell = (size_t)floor(length + 0.5);
            if (shell < 1 || shell > count)
                continue;
            const size_t at = 2 * ((i * n + j) * (n / 2 + 1) + k);
            const double *one = pair->one + at, *two = pair->two + at;
            const double w =
                spectrum_of_cloud(x, n) * spectrum_of_cloud(y, n) * spectrum_of_cloud(z, n);
            const uint64_t times = k > 0 && k < n / 2 ? 2 : 1;
            shells[shell].power += (double)times * (one[0] * two[0] + one[1] * two[1]) / (w * w);
            shells[shell].k += (double)times * length;
            shells[shell].waves += times;
        }
}

/* The shells of all planes, added in the order of the planes. */
static enum ky_status add_up(const struct pair *pair, size_t count, struct shell *sum,
                             struct ky_error *error)
{
    const size_t n = pair->fourier->n;
    struct shell *part;
    KY_TRY(ky_array_zeroed(&part, n * (count + 1), sizeof *part, "shells of waves", error));
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < n; i++)
        add_waves(pair, i, count, part + i * (count + 1));
    for (size_t i = 0; i < n; i++)
        for (size_t s = 1; s <= count; s++) {
            sum[s].power += part[i * (count + 1) + s].power;
            sum[s].k += part[i * (count + 1) + s].k;
            sum[s].waves += part[i * (count + 1) + s].waves;
        }
    free(part);
    return KY_OK;
}

/* The bodies, and the space that is measured. */
struct sets {
    const struct ky_bodies *one, *two; /* two NULL: the power spectrum of one */
    double box, fold;
    double mass2; /* product of the masses of both sets */
};

/* Fills the arrays of *power from the waves of the folded space. The amplitudes are of masses. */
static enum ky_status finish(const struct pair *pair, const struct sets *sets,
                             struct ky_power *power, struct ky_error *error)
{
    const size_t count = power->count;
    struct shell *sum = ky_allocate_zeroed(count + 1, sizeof *sum);
    power->k = ky_allocate(count, sizeof *power->k);
    power->power = ky_allocate(count, sizeof *power->power);
    power->waves = ky_allocate(count, sizeof *power->waves);
    enum ky_status status = sum && power->k && power->power && power->waves
                                ? add_up(pair, count, sum, error)
                                : ky_no_memory(error, "a power spectrum", count, 48);
    for (size_t s = 1; s <= count && !status; s++) {
        const double waves = (double)sum[s].waves;
        power->k[s - 1] = 2 * pi * sets->fold / sets->box * sum[s].k / waves;
        power->power[s - 1] = pow(sets->box, 3) * sum[s].power / waves / sets->mass2;
        power->waves[s - 1] = sum[s].waves;
    }
    free(sum);
    return status;
}

/* The waves of the bodies, in a mesh; the next one is a workspace. */
static enum ky_status find_waves(const struct ky_bodies *bodies, double box,
                                 const struct ky_fourier *fourier, size_t grid,
                                 struct ky_error *error)
{
    const size_t n = fourier->n;
    for (size_t g = 0; g < 2; g++) {
        const struct ky_mesh mesh = {box, n, n + 2, 0.5 * (double)g};
        KY_TRY(ky_mesh_assign(&mesh, bodies, fourier->grid[grid + g], error));
        ky_fourier_to_waves(fourier, fourier->grid[grid + g]);
    }
    combine(fourier, fourier->grid[grid], fourier->grid[grid + 1]);
    return KY_OK;
}

/* Assigns the bodies to the meshes of the folded space, and transforms them. */
static enum ky_status measure(const struct sets *sets, struct ky_power *power,
                              struct ky_error *error)
{
    struct ky_fourier fourier = {0};
    const double side = sets->box / sets->fold;
    enum ky_status status = ky_fourier_open(&fourier, (size_t)power->mesh, error);
    if (!status)
        status = find_waves(sets->one, side, &fourier, 0, error);
    if (!status && sets->two)
        status = find_waves(sets->two, side, &fourier, 1, error);
    const struct pair pair = {&fourier, fourier.grid[0], fourier.grid[sets->two ? 1 : 0]};
    if (!status)
        status = finish(&pair, sets, power, error);
    ky_fourier_close(&fourier);
    return status;
}

/* The mesh: the caller's, or one for the number of bodies. */
static enum ky_status choose_mesh(uint64_t given, size_t bodies, uint64_t *mesh,
                                  struct ky_error *error)
{
    const double wanted = fmin(fmax(floor(2 * cbrt((double)bodies) + 0.5), 16), 1024);
    *mesh = given ? given : ky_fourier_size((size_t)wanted);
    if (*mesh >= 8 && *mesh <= KY_MESH_MOST && ky_fourier_size((size_t)*mesh) == *mesh)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "a mesh of %" PRIu64 " points; it must be an even number from 8 to %d without "
                   "prime factors above 7",
                   *mesh, KY_MESH_MOST);
}

/* The mass of the bodies, and the sum of the squares. KY_BAD_DATA for bodies without mass. */
static enum ky_status sum_masses(const struct ky_bodies *bodies, double *mass, double *squares,
                                 struct ky_error *error)
{
    *mass = *squares = 0;
    KY_TRY(ky_bodies_check(bodies, error));
    for (size_t i = 0; i < bodies->n; i++) {
        *mass += bodies->mass[i];
        *squares += bodies->mass[i] * bodies->mass[i];
    }
    return *mass > 0 ? KY_OK : ky_fail(error, KY_BAD_DATA, "no body has mass");
}

enum ky_status ky_power_cross(const struct ky_bodies *one, const struct ky_bodies *two, double box,
                              uint64_t mesh, uint64_t fold, struct ky_power *power,
                              struct ky_error *error)
{
    KY_NEED(one, error);
    KY_NEED(power, error);
    struct ky_power own = {.size = sizeof own};
    double mass, other = 0, squares;
    KY_TRY(ky_mesh_check_box(box, "a power spectrum", error));
    if (fold < 1 || fold > MOST_FOLDS)
        return ky_fail(error, KY_USAGE, "a space is folded 1 to %d times, not %" PRIu64, MOST_FOLDS,
                       fold);
    const size_t most = two && two->n > one->n ? two->n : one->n;
    KY_TRY(choose_mesh(mesh, most, &own.mesh, error));
    if (two)
        KY_TRY(sum_masses(two, &other, &squares, error));
    KY_TRY(sum_masses(one, &mass, &squares, error));
    own.count = (size_t)own.mesh / 4;
    own.noise = two ? 0 : pow(box, 3) * squares / (mass * mass);
    const struct sets sets = {one, two, box, (double)fold, mass * (two ? other : mass)};
    const enum ky_status status = measure(&sets, &own, error);
    if (status)
        ky_power_free(&own);
    ky_size_give(power, &own, sizeof own);
    return status;
}

enum ky_status ky_power_make(const struct ky_bodies *bodies, double box, uint64_t mesh,
                             struct ky_power *power, struct ky_error *error)
{
    return ky_power_cross(bodies, NULL, box, mesh, 1, power, error);
}

void ky_power_free(struct ky_power *power)
{
    if (!power)
        return;
    free(power->k);
    free(power->power);
    free(power->waves);
    ky_size_give(power, &(struct ky_power){0}, sizeof *power);
}

double ky_linear_growth(const struct ky_space *space, double from, double to)
{
    if (!space || !(space->omega_matter > 0) || !isfinite(space->omega_lambda) || !(from > 0) ||
        !(to > 0))
        return (double)NAN;
    const struct ky_universe universe = {.matter = space->omega_matter,
                                         .lambda = space->omega_lambda};
    return ky_growth_factor(to, &universe) / ky_growth_factor(from, &universe);
}

double ky_omega_matter(const struct ky_space *space)
{
    if (!space || !space->comoving || !ky_space_tells_universe(space))
        return (double)NAN;
    const struct ky_universe universe = ky_space_universe(space);
    return ky_expansion_matter(space->scale_factor, &universe);
}
