/* The checks of bodies that an engine gets: see units.h. */
#include "engine/common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/order.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/common/force_kinds.h"
#include "engine/common/softening.h"
#include "octree/sample.h"
#include "physics/dialect.h"

/* A body farther away than FARTHEST sizes of the system, or with such a softening, is refused. Up
 * to AT_EASE only the size determines the unit. Beyond, the unit grows with the distance, since
 * float cannot hold 1/s³ for s of more than 2³⁷ units. */
#define FARTHEST 1e12
#define AT_EASE 0x1p27

enum { SAMPLE = KY_MEDIAN_MOST };

static double power_of_two(double x, int shift, int most)
{
    if (!(x > 0) || !isfinite(x))
        return 1;
    int exponent;
    frexp(x, &exponent);
    exponent += shift;
    exponent = exponent > most ? most : exponent < -most ? -most : exponent;
    return ldexp(1.0, exponent);
}

double ky_power_of_two(double x, int shift)
{
    return power_of_two(x, shift, 500);
}

static double distance(const double x[3], const double middle[3])
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        most = fmax(most, fabs(x[c] - middle[c]));
    return most;
}

/* The smaller of two masses, where a mass of 0 is ignored. */
static double lighter(double a, double b)
{
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

/* Finds the farthest body of a block, the first of several. `size` and `mass` become the
 * contributions of these bodies to the mean distance and the mean mass. */
static struct ky_extent look_at(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                const double middle[3], size_t block)
{
    const size_t first = ky_portion_start(portion, block),
                 last = ky_portion_start(portion, block + 1);
    struct ky_extent part = {.body = portion->first + first};
    const double n = (double)portion->n;
    for (size_t i = first; i < last; i++) {
        const double d = distance(bodies->position[i], middle), m = bodies->mass[i];
        part.size += d / n;
        part.mass += m / n;
        part.lightest = lighter(part.lightest, m);
        part.rest += fmin(part.heaviest, m);
        part.heaviest = fmax(part.heaviest, m);
        if (d > part.far)
            part.far = d, part.body = portion->first + i;
    }
    return part;
}

/* The same for all bodies, and the same for any number of threads. */
static enum ky_status look_at_all(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                  const double middle[3], int threads, struct ky_extent *all,
                                  struct ky_error *error)
{
    struct ky_extent part[KY_BLOCKS];
    memset(part, 0, sizeof part);
    threads = ky_threads(threads);
#pragma omp parallel for num_threads(threads) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++)
        part[b] = look_at(portion, bodies, middle, b);
    const enum ky_status status =
        ky_portion_add_up(portion, part, KY_BLOCKS * (sizeof *part / sizeof(uint64_t)), error);
    *all = (struct ky_extent){0};
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        all->size += part[b].size;
        all->mass += part[b].mass;
        all->lightest = lighter(all->lightest, part[b].lightest);
        all->rest += part[b].rest + fmin(all->heaviest, part[b].heaviest);
        all->heaviest = fmax(all->heaviest, part[b].heaviest);
        if (part[b].far > all->far)
            all->far = part[b].far, all->body = part[b].body;
    }
    return status;
}

double ky_extent_of_sample(const double (*position)[3], size_t count, double middle[3])
{
    double sample[SAMPLE];
    for (size_t c = 0; c < 3; c++) {
        for (size_t k = 0; k < count; k++)
            sample[k] = position[k][c];
        middle[c] = ky_select_median(sample, count);
    }
    for (size_t k = 0; k < count; k++)
        sample[k] = distance(position[k], middle);
    return count > 2 ? ky_select(sample, count, (count - 1) * 9 / 10) : 0;
}

/* If nine of ten bodies coincide, the size is the mean distance; also for two bodies, since the
 * middle may coincide with one of them up to rounding. */
static enum ky_status find_extent(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                  int threads, struct ky_extent *extent, struct ky_error *error)
{
    double sample[SAMPLE][3], middle[3];
    size_t index[SAMPLE], count = ky_sample(portion->n, SAMPLE, index);
    memset(sample, 0, sizeof sample);
    for (size_t k = 0; k < count; k++)
        if (ky_portion_has(portion, index[k]))
            memcpy(sample[k], bodies->position[index[k] - portion->first], sizeof sample[k]);
    KY_TRY(ky_portion_add_up(portion, sample, 3 * count, error));
    const double size = ky_extent_of_sample((const double(*)[3])sample, count, middle);
    KY_TRY(look_at_all(portion, bodies, middle, threads, extent, error));
    if (size > 0)
        extent->size = size;
    return KY_OK;
}

struct ky_softenings ky_softenings_of(const struct ky_bodies *bodies, double softening)
{
    const double *own = bodies->softening;
    struct ky_softenings all = {own != NULL, softening, softening, 0};
    if (own)
        all.least = (double)INFINITY, all.most = 0;
    for (size_t i = 0; own && i < bodies->n; i++) {
        all.least = fmin(all.least, own[i]);
        if (own[i] > all.most)
            all.most = own[i], all.softest = i;
    }
    return all;
}

/* The range is wider than for lengths, since masses are not squared. */
static double mass_unit(const struct ky_extent *extent, int shift)
{
    return power_of_two(extent->mass, -shift, 1000);
}

/* A length in the units of the parameters, for an error line. */
static const char *length(const struct ky_parameters *parameters, double value,
                          char text[KY_QUANTITY_TEXT])
{
    return ky_quantity_text(&parameters->units, KY_LENGTH_UNIT, value, 3, text);
}

static enum ky_status check_extent(const struct ky_softenings *softenings,
                                   const struct ky_parameters *parameters,
                                   const struct ky_extent *extent, struct ky_error *error)
{
    const double softening = softenings->most;
    char size[KY_QUANTITY_TEXT], what[KY_QUANTITY_TEXT], most[KY_QUANTITY_TEXT];
    double limit = FARTHEST * extent->size;
    if (!(extent->size > 0))
        return KY_OK;
    length(parameters, extent->size, size);
    if (extent->far > limit)
        return ky_fail(error, KY_BAD_DATA,
                       "body %" PRIu64 " is %s from the middle of the system, whose size is %s: a "
                       "body farther than %.0e sizes cannot be computed; remove it",
                       extent->body, length(parameters, extent->far, what), size, FARTHEST);
    length(parameters, softening, what);
    length(parameters, limit, most);
    if (softening > limit && softenings->own)
        return ky_fail(error, KY_BAD_DATA,
                       "body %zu has softening %s in a system of size %s; it may be up to %s",
                       softenings->softest, what, size, most);
    if (softening > limit)
        return ky_fail(error, KY_USAGE, "softening %s in a system of size %s; it may be up to %s",
                       what, size, most);
    return KY_OK;
}

/* The exponent of the least power of two above a positive number. */
static int exponent_of(double x)
{
    int exponent;
    (void)frexp(x, &exponent);
    return exponent;
}

/* The least mass whose pull must not be lost. Bodies lighter than 2⁻³⁰ of the mean mass of all
 * bodies except the heaviest have no noticeable share in the pull on a body that is far from all
 * bodies. */
static double least_mass(const struct ky_extent *extent, size_t n)
{
    return fmax(extent->lightest, extent->rest / (double)n * 0x1p-30);
}

/* The unit of mass is 2^shift times smaller than the mean mass, so that m/s³ of the lightest body
 * at the farthest body stays a normal float, 2⁻¹²⁶ or more. The range of float limits it: 4 m/s³ of
 * the heaviest body on the nearest body, and second moments of all bodies, stay below 2¹²⁷. The
 * total mass stays below 2²⁹ for expansions (ky_fmm_least) and below 2⁴² for trees, which sum it as
 * a whole number (KY_OPENING_MASS_PART). A warning is logged if the range is too small for the
 * exact sum. */
static int mass_shift(const struct ky_extent *extent, size_t n,
                      const struct ky_parameters *parameters, double softening,
                      const struct ky_engine_units *units)
{
    if (parameters->precision == KY_DOUBLE || !(extent->lightest > 0) || !(extent->far > 0))
        return 0;
    const double nearest = fmax(sqrt((double)KY_CLOSE2), softening / units->length);
    const int far = exponent_of(extent->far / units->length) + 2, near = exponent_of(nearest) - 1,
              lightest = exponent_of(least_mass(extent, n) / units->mass) - 1,
              heaviest = exponent_of(extent->heaviest / units->mass),
              all = exponent_of(extent->mass / units->mass * (double)n);
    const int wanted = 3 * far - 126 - lightest, sums = 124 + 3 * near - heaviest,
              moments = 120 - 2 * far - all;
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    const int room = force->is_exact ? sums : (force->expands ? 29 : 42) - all;
    int shift = room < moments ? room : moments;
    shift = wanted < shift ? wanted : shift > 0 ? shift : 0;
    if (shift < wanted && force->is_exact)
        ky_log(parameters, KY_LOG_WARNING,
               "floats lose the force of the lightest bodies on the farthest ones: masses and "
               "distances differ too much; --precision double keeps it");
    return shift > 0 ? shift : 0;
}

enum ky_status ky_extent_units(const struct ky_extent *of, size_t n,
                               const struct ky_softenings *softenings,
                               const struct ky_parameters *parameters,
                               const struct ky_engine_frame *frame, struct ky_engine_units *units,
                               struct ky_error *error)
{
    char far_text[KY_QUANTITY_TEXT], size_text[KY_QUANTITY_TEXT], mass_text[KY_QUANTITY_TEXT];
    struct ky_extent extent = *of;
    const double softening = softenings->most;
    if (parameters->box > 0) /* the engine moves bodies outside into the box */
        extent.far = fmin(extent.far, parameters->box);
    KY_TRY(check_extent(softenings, parameters, &extent, error));
    double size = parameters->box > 0 ? parameters->box / 2
                  : extent.size > 0   ? extent.size
                                      : softening;
    double far = fmax(extent.far, softening) / AT_EASE;
    *units = (struct ky_engine_units){ky_power_of_two(fmax(size, far), -10), mass_unit(&extent, 0)};
    units->mass = mass_unit(&extent, mass_shift(&extent, n, parameters, softenings->least, units));
    double reach = fmax(extent.far, size) / units->length,
           scale = parameters->g * (units->mass / units->length) / units->length;
    if (reach > KY_FARTHEST_UNITS || (parameters->g > 0 && !isnormal(scale)) ||
        (size > 0 && size / units->length < 1e-3))
        return ky_fail(
            error, KY_BAD_DATA,
            "lengths of about %s and masses of about %s give accelerations outside the range of "
            "numbers; use other units",
            length(parameters, size, size_text),
            ky_quantity_text(&parameters->units, KY_MASS_UNIT, extent.mass, 3, mass_text));
    if (frame->edge > 0 && extent.far > KY_FARTHEST_UNITS * frame->length)
        return ky_fail(error, KY_BAD_DATA,
                       "body %" PRIu64
                       " is %s from the middle of the system: too far for a unit of %s "
                       "that was given",
                       extent.body, length(parameters, extent.far, far_text),
                       length(parameters, frame->length, size_text));
    if (frame->length > 0 && extent.far <= KY_FARTHEST_UNITS * frame->length)
        *units = (struct ky_engine_units){frame->length, frame->mass};
    return KY_OK;
}

/* The size without massless bodies: they must not change the radius ky_moving_near2, which depends
 * on the unit of length. Unchanged if fewer than two bodies have mass. */
static enum ky_status find_size_of_sources(const struct ky_bodies *bodies, size_t massless,
                                           int threads, struct ky_extent *extent,
                                           struct ky_error *error)
{
    struct ky_bodies sources;
    struct ky_extent own = {.size = 0};
    if (massless == 0 || bodies->n < massless + 2)
        return KY_OK;
    enum ky_status status =
        ky_bodies_allocate_by(threads, &sources, bodies->n - massless, 0, error);
    for (size_t i = 0, k = 0; i < bodies->n && !status; i++)
        if (bodies->mass[i] > 0) {
            sources.mass[k] = bodies->mass[i];
            memcpy(sources.position[k++], bodies->position[i], sizeof *bodies->position);
        }
    const struct ky_portion all = ky_portion_of_all(bodies->n - massless);
    if (!status)
        status = find_extent(&all, &sources, threads, &own, error);
    if (own.size > 0)
        extent->size = own.size;
    ky_bodies_free(&sources);
    return status;
}

enum ky_status ky_engine_units(const struct ky_bodies *bodies,
                               const struct ky_parameters *parameters,
                               const struct ky_engine_frame *frame, struct ky_engine_units *units,
                               struct ky_error *error)
{
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    struct ky_extent extent;
    KY_TRY(find_extent(&all, bodies, parameters->threads, &extent, error));
    KY_TRY(find_size_of_sources(bodies, ky_bodies_massless(bodies), parameters->threads, &extent,
                                error));
    const struct ky_softenings softenings = ky_softenings_of(bodies, parameters->softening);
    return ky_extent_units(&extent, bodies->n, &softenings, parameters, frame, units, error);
}

enum ky_status ky_portion_units(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                const struct ky_parameters *parameters,
                                struct ky_engine_units *units, struct ky_error *outcome,
                                struct ky_error *error)
{
    static const struct ky_engine_frame none = {0};
    struct ky_extent extent;
    KY_TRY(find_extent(portion, bodies, parameters->threads, &extent, error));
    const struct ky_softenings softenings = ky_softenings_of(bodies, parameters->softening);
    (void)ky_extent_units(&extent, portion->n, &softenings, parameters, &none, units, outcome);
    return KY_OK;
}

struct ky_engine_scale ky_engine_scale(const struct ky_engine_units *units, double g)
{
    int exponent;
    double strength = frexp(g, &exponent);
    double potential = ldexp(units->mass / units->length, exponent);
    return (struct ky_engine_scale){potential / units->length, potential, strength};
}

int ky_softenings_how(const struct ky_softenings *softenings,
                      const struct ky_parameters *parameters, const struct ky_engine_units *units)
{
    const int kind = parameters->softening_kind, own = softenings->own;
    return ky_pairs_how(kind, own) |
           ky_pairs_guard(ky_sink_eps2(kind, own, softenings->least / units->length));
}

int ky_engine_how(const struct ky_bodies *bodies, const struct ky_parameters *parameters,
                  const struct ky_engine_units *units)
{
    const struct ky_softenings softenings = ky_softenings_of(bodies, parameters->softening);
    return ky_softenings_how(&softenings, parameters, units);
}

static int has_acceleration(const struct ky_bodies *bodies, size_t i)
{
    const double *a = bodies->acceleration[i];
    return fabs(a[0]) > 0 || fabs(a[1]) > 0 || fabs(a[2]) > 0;
}

int ky_knows_acceleration(const struct ky_bodies *bodies)
{
    const size_t n = bodies->acceleration ? bodies->n : 0;
    size_t sources = 0, i = 0, moved = 0;
    for (size_t k = 0; k < n && sources < 2; k++)
        sources += bodies->mass[k] > 0;
    for (; i < n; i++) { /* memory for forces that were never computed is full of zeros */
        const int has = has_acceleration(bodies, i);
        moved += (size_t)has;
        if (!has && !(bodies->potential && fabs(bodies->potential[i]) > 0) &&
            sources > (bodies->mass[i] > 0))
            break;
    }
    return moved > 0 && i == n;
}

struct ky_moving_units ky_moving_units(double heaviest, double mass, double potential,
                                       double length)
{
    const double speed = ky_power_of_two(sqrt(fabs(potential) * mass), -5);
    return (struct ky_moving_units){ky_power_of_two(heaviest, 0), speed / length};
}

double ky_moving_near2(size_t n)
{
    return 100 * pow((double)n, -2.0 / 3);
}
