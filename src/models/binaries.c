/* Primordial binaries: see binaries.h. */
#include "models/binaries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "models/population.h"
#include "physics/kepler.h"
#include "physics/main_sequence.h"

static const double day_s = 86400;
/* Stars above this mass [Msun] have the companions and periods of massive stars. */
static const double massive_sun = 5;

/* ---- the number of pairs, and conditions ---- */

/* The fraction of all systems that are pairs is B/(n − B), so B = n f/(1 + f), rounded. */
static size_t count_pairs(double fraction, uint64_t n)
{
    const double pairs = floor((double)n * (fraction / (1 + fraction)) + 0.5);
    return fmin(pairs, (double)(n / 2)) == pairs ? (size_t)pairs : (size_t)(n / 2);
}

enum ky_status ky_binaries_resolve(const char *model, struct ky_model_parameters *parameters,
                                   struct ky_error *error)
{
    const double low = parameters->binary_axis_min, high = parameters->binary_axis_max;
    const int by_axis = parameters->binary_periods == KY_PERIODS_LOG_UNIFORM;
    if (isnan(parameters->softening))
        parameters->softening = 0;
    if (parameters->softening > 0)
        return ky_fail(error, KY_USAGE,
                       "%s: --binaries with the softening %g: pairs have orbits without softening",
                       model, parameters->softening);
    if (by_axis && !(low > 0 && high >= low))
        return ky_fail(error, KY_USAGE,
                       "%s: --binary-periods log-uniform needs --binary-axis-min and "
                       "--binary-axis-max, the smaller one first",
                       model);
    if (!by_axis && !(isnan(low) && isnan(high)))
        return ky_fail(error, KY_USAGE,
                       "%s: --binary-axis-min and --binary-axis-max belong to --binary-periods "
                       "log-uniform",
                       model);
    const int in_days = !by_axis || parameters->eigenevolution ||
                        parameters->binary_eccentricities == KY_ECCENTRICITIES_SANA;
    if (in_days && !(parameters->units.mass_g > 0))
        return ky_fail(error, KY_USAGE,
                       "%s: periods in days and radii of stars need --units, such as --units "
                       "cluster; without them --binary-periods is log-uniform, with eccentricities "
                       "thermal or circular",
                       model);
    return KY_OK;
}

/* ---- pairs of stars ---- */

struct star {
    double mass; /* as a fraction of the total */
    size_t index;
};

enum { FREE, PAIRED, SINGLE }; /* SINGLE: a massive star without a companion */

struct choice {
    const struct ky_model_parameters *parameters;
    const double *mass;   /* [stars], as drawn */
    struct star *sorted;  /* [stars], the heaviest first */
    unsigned char *taken; /* [stars], by the index of the star */
    size_t (*pair)[2];    /* [wanted] */
    size_t stars, pairs, wanted;
};

static int heavier_first(const void *a, const void *b)
{
    const struct star *x = a, *y = b;
    if (x->mass != y->mass)
        return x->mass > y->mass ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void join(struct choice *choice, size_t i, size_t j)
{
    const int turned = choice->mass[j] > choice->mass[i];
    choice->pair[choice->pairs][turned] = i;
    choice->pair[choice->pairs++][!turned] = j;
    choice->taken[i] = choice->taken[j] = PAIRED;
}

/* The free star behind place k whose mass is nearest to `mass`; `stars` if none is free. */
static size_t nearest_free(const struct choice *choice, size_t k, double mass)
{
    const struct star *sorted = choice->sorted;
    size_t low = k + 1, high = choice->stars;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle].mass > mass)
            low = middle + 1;
        else
            high = middle;
    }
    size_t above = low, below = low;
    while (above > k + 1 && choice->taken[sorted[above - 1].index] != FREE)
        above--;
    while (below < choice->stars && choice->taken[sorted[below].index] != FREE)
        below++;
    const int is_above = above > k + 1, is_below = below < choice->stars;
    if (is_above && (!is_below || sorted[above - 1].mass - mass < mass - sorted[below].mass))
        return above - 1;
    return below;
}

/* Massive stars, the heaviest first: each has a companion with the probability of --binaries. Its
 * mass ratio is uniform from 0.1 to 1, and the companion the free star nearest to it (Oh, Kroupa &
 * Pflamm-Altenburg 2015), so that the mass function stays as it is. */
static void join_massive(struct choice *choice, double limit)
{
    for (size_t k = 0;
         k < choice->stars && choice->sorted[k].mass > limit && choice->pairs < choice->wanted;
         k++) {
        const struct star *star = &choice->sorted[k];
        struct ky_random random =
            ky_random_at(choice->parameters->seed, KY_STREAM_PAIR, star->index);
        if (choice->taken[star->index] != FREE)
            continue;
        choice->taken[star->index] = SINGLE;
        if (ky_random_uniform(&random) >= choice->parameters->binaries)
            continue;
        const double ratio = 0.1 + 0.9 * ky_random_uniform(&random);
        const size_t at = nearest_free(choice, k, ratio * star->mass);
        if (at < choice->stars)
            join(choice, star->index, choice->sorted[at].index);
    }
}

/* Joins stars in the order in which they were drawn, which is random, and are not taken by more
 * than `most`. */
static void join_random(struct choice *choice, int most)
{
    size_t first = choice->stars;
    for (size_t i = 0; i < choice->stars && choice->pairs < choice->wanted; i++) {
        if (choice->taken[i] == PAIRED || choice->taken[i] > most)
            continue;
        if (first < choice->stars) {
            join(choice, first, i);
            first = choice->stars;
        } else {
            first = i;
        }
    }
}

/* Masses over the total; *limit: the mass above which stars are massive, infinite for equal masses.
 * Without units the masses as drawn are meant. */
static enum ky_status draw_masses(const struct ky_model_parameters *parameters, double *mass,
                                  double *limit, struct ky_error *error)
{
    const struct ky_portion all = ky_portion_of_all(parameters->n);
    struct ky_bodies bodies = {.n = parameters->n, .mass = mass};
    *limit = (double)INFINITY;
    for (size_t i = 0; i < parameters->n; i++)
        mass[i] = 1 / (double)parameters->n;
    if (parameters->mass_function != KY_MASS_EQUAL && parameters->units.mass_g > 0)
        *limit = massive_sun * KY_SUN_G / parameters->units.mass_g / parameters->mass;
    else if (parameters->mass_function != KY_MASS_EQUAL)
        *limit = massive_sun /
                 ky_population_total(parameters->mass_function, parameters->seed, parameters->n);
    return ky_population_masses(parameters->mass_function, parameters->seed, &all, &bodies, error);
}

static void join_all(struct choice *choice, double limit)
{
    for (size_t i = 0; i < choice->stars; i++)
        choice->sorted[i] = (struct star){choice->mass[i], i};
    if (choice->parameters->binary_ratios == KY_RATIOS_MASSIVE && isfinite(limit)) {
        qsort(choice->sorted, choice->stars, sizeof *choice->sorted, heavier_first);
        join_massive(choice, limit);
    }
    join_random(choice, FREE);
    join_random(choice, SINGLE); /* few stars, nearly all of them massive */
}

/* Writes the masses of pairs and single stars. */
static void arrange(const struct choice *choice, struct ky_systems *systems)
{
    size_t next = 0;
    for (size_t k = 0; k < systems->pairs; k++) {
        for (int side = 0; side < 2; side++)
            systems->star[next++] = choice->mass[choice->pair[k][side]];
        systems->system[k] = systems->star[next - 2] + systems->star[next - 1];
    }
    for (size_t i = 0; i < choice->stars; i++)
        if (choice->taken[i] != PAIRED) {
            systems->star[next] = choice->mass[i];
            systems->system[next - systems->pairs] = choice->mass[i];
            next++;
        }
}

void ky_systems_free(struct ky_systems *systems)
{
    free(systems->star);
    free(systems->system);
    *systems = (struct ky_systems){0};
}

enum ky_status ky_binaries_choose(const struct ky_model_parameters *parameters,
                                  struct ky_systems *systems, struct ky_error *error)
{
    const size_t n = parameters->n, pairs = count_pairs(parameters->binaries, n);
    double *mass = ky_allocate(n, sizeof *mass), limit;
    struct choice choice = {.parameters = parameters,
                            .mass = mass,
                            .sorted = ky_allocate(n, sizeof *choice.sorted),
                            .taken = ky_allocate_zeroed(n, 1),
                            .pair = ky_allocate(pairs, sizeof *choice.pair),
                            .stars = n,
                            .wanted = pairs};
    *systems = (struct ky_systems){.stars = n,
                                   .pairs = pairs,
                                   .star = ky_allocate(n, sizeof *systems->star),
                                   .system = ky_allocate(n - pairs, sizeof *systems->system)};
    enum ky_status status = KY_OK;
    if (!mass || !choice.sorted || !choice.taken || !choice.pair || !systems->star ||
        !systems->system)
        status = ky_no_memory(error, "pairs of stars", n, 2 * sizeof *choice.sorted);
    if (!status)
        status = draw_masses(parameters, mass, &limit, error);
    if (!status) {
        join_all(&choice, limit);
        arrange(&choice, systems);
    }
    free(mass);
    free(choice.sorted);
    free(choice.taken);
    free(choice.pair);
    return status;
}

/* ---- orbits ---- */

/* A pair in the snapshot's units: period P, semi-major axis a, eccentricity. */
struct orbit {
    double gm, period, axis, eccentricity;
};

struct drawing {
    const struct ky_model_parameters *parameters;
    const struct ky_systems *systems;
    double g;
    double day, sun, sun_radius; /* in the snapshot's units; 0 without scales */
};

/* log₁₀ of P/d with f ∝ (l − 1)/(45 + (l − 1)²) from 1 to 8.43: Kroupa (1995), eq. 11b. */
static double kroupa_period(double u)
{
    return 1 + sqrt(45 * expm1(2 * u / 2.5));
}

/* log₁₀ of P/d with f ∝ l^−0.55 from 0.15 to 3.5: Sana et al. (2012). */
static double sana_period(double u)
{
    const double power = 0.45, least = pow(0.15, power), most = pow(3.5, power);
    return pow(least + u * (most - least), 1 / power);
}

/* e with f ∝ e^−0.45 (Sana et al. 2012), below 1 − (P/2d)^(−2/3) (Moe & Di Stefano 2017). */
static double sana_eccentricity(double u, double days)
{
    return days > 2 ? (1 - pow(days / 2, -2.0 / 3)) * pow(u, 1 / 0.55) : 0;
}

/* P² = 4π² a³/(G M) */
static double axis_of(double gm, double period)
{
    const double angular = 2 * acos(-1.0) / period;
    return cbrt(gm / (angular * angular));
}

static double period_of(double gm, double axis)
{
    return 2 * acos(-1.0) * axis * sqrt(axis / gm);
}

/* Tides between the young stars circularise close pairs, ln e' = ln e − (28 Rsun/q)^0.75, and keep
 * the pericentre q: Kroupa (1995), without the mass that the companion gains there. */
static void eigenevolve(struct orbit *orbit, double sun_radius)
{
    const double near = orbit->axis * (1 - orbit->eccentricity);
    orbit->eccentricity *= exp(-pow(28 * sun_radius / near, 0.75));
    orbit->axis = near / (1 - orbit->eccentricity);
    orbit->period = period_of(orbit->gm, orbit->axis);
}

static double draw_eccentricity(const struct drawing *drawing, int is_massive, double days,
                                double u)
{
    int law = drawing->parameters->binary_eccentricities;
    if (law == KY_ECCENTRICITIES_BY_PERIODS)
        law = is_massive ? KY_ECCENTRICITIES_SANA : KY_ECCENTRICITIES_THERMAL;
    if (law == KY_ECCENTRICITIES_CIRCULAR)
        return 0;
    return law == KY_ECCENTRICITIES_SANA ? sana_eccentricity(u, days)
                                         : sqrt(u); /* thermal: f(e) = 2 e */
}

/* The orbit of pair k, whose stars have the total mass `mass` and the heavier one `primary`. */
static struct orbit draw_orbit(const struct drawing *drawing, struct ky_random *random, double mass,
                               double primary)
{
    const struct ky_model_parameters *parameters = drawing->parameters;
    const int law = parameters->binary_periods;
    const int is_massive =
        law == KY_PERIODS_SANA || (law == KY_PERIODS_MIXED && primary > massive_sun * drawing->sun);
    const double u = ky_random_uniform(random);
    struct orbit orbit = {.gm = drawing->g * mass};
    if (law == KY_PERIODS_LOG_UNIFORM) {
        const double low = parameters->binary_axis_min;
        orbit.axis = low * pow(parameters->binary_axis_max / low, u);
        orbit.period = period_of(orbit.gm, orbit.axis);
    } else {
        orbit.period = drawing->day * pow(10, is_massive ? sana_period(u) : kroupa_period(u));
        orbit.axis = axis_of(orbit.gm, orbit.period);
    }
    orbit.eccentricity = draw_eccentricity(drawing, is_massive, orbit.period / drawing->day,
                                           ky_random_uniform(random));
    if (parameters->eigenevolution)
        eigenevolve(&orbit, drawing->sun_radius);
    return orbit;
}

/* Two directions at right angles, isotropic. */
static void draw_axes(struct ky_random *random, double x[3], double y[3])
{
    double square = 0, along = 0;
    ky_random_direction(random, x);
    do {
        ky_random_direction(random, y);
        along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        square = 1 - along * along;
    } while (square < 1e-6);
    for (int c = 0; c < 3; c++)
        y[c] = (y[c] - along * x[c]) / sqrt(square);
}

/* Relative place and velocity of the pair: from the pericentre, after a part of a period. */
static void draw_state(struct ky_random *random, const struct orbit *orbit, double x[3],
                       double v[3])
{
    const double e = orbit->eccentricity, near = orbit->axis * (1 - e),
                 fast = sqrt(orbit->gm * (1 + e) / near);
    double towards[3], across[3];
    draw_axes(random, towards, across);
    for (int c = 0; c < 3; c++) {
        x[c] = near * towards[c];
        v[c] = fast * across[c];
    }
    ky_kepler_move(orbit->gm, x, v, orbit->period * (ky_random_uniform(random) - 0.5));
}

/* Places the members of pair k about the system `from`. Returns the semi-major axis. */
static double put_pair(const struct drawing *drawing, const struct ky_bodies *from, size_t k,
                       struct ky_bodies *to)
{
    const size_t first = 2 * k, second = first + 1;
    const double mass = to->mass[first] + to->mass[second];
    const double share[2] = {-to->mass[second] / mass, to->mass[first] / mass};
    struct ky_random random = ky_random_at(drawing->parameters->seed, KY_STREAM_ORBIT, k);
    const struct orbit orbit = draw_orbit(drawing, &random, mass, to->mass[first]);
    double x[3], v[3];
    draw_state(&random, &orbit, x, v);
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 3; c++) {
            to->position[first + (size_t)side][c] = from->position[k][c] + share[side] * x[c];
            to->velocity[first + (size_t)side][c] = from->velocity[k][c] + share[side] * v[c];
        }
    return orbit.axis;
}

/* The mean distance of systems within the radius r of half of them, ∛(8π r³/3n), about the centre
 * of a model that has not been placed. */
static enum ky_status mean_distance(const struct ky_bodies *systems, double *distance,
                                    struct ky_error *error)
{
    double *radius;
    KY_TRY(ky_array(&radius, systems->n, sizeof *radius, "radii of systems", error));
    for (size_t i = 0; i < systems->n; i++) {
        const double *x = systems->position[i];
        radius[i] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    *distance =
        ky_select_median(radius, systems->n) * cbrt(8 * acos(-1.0) / (3 * (double)systems->n));
    free(radius);
    return KY_OK;
}

/* A warning if more than a twentieth of the pairs are so wide that others are between their
 * members. */
static void warn_of_wide(const struct ky_model_parameters *parameters, const struct ky_units *units,
                         size_t wide, size_t pairs, double distance)
{
    char line[256], text[KY_QUANTITY_TEXT];
    if (!parameters->log || !(20 * wide > pairs))
        return;
    ky_format(line, sizeof line,
              "%zu of %zu %s %s a semi-major axis larger than %s, the mean distance of systems "
              "within the half-mass radius: other stars pull their members apart",
              wide, pairs, ky_plural(pairs, "pair", "pairs"), wide == 1 ? "has" : "have",
              ky_quantity_text(units, KY_LENGTH_UNIT, distance, 3, text));
    parameters->log(parameters->log_context, KY_LOG_WARNING, line);
}

static void tell(const struct ky_model_parameters *parameters, const struct ky_systems *systems)
{
    char line[96];
    const size_t single = systems->stars - 2 * systems->pairs;
    if (!parameters->log)
        return;
    ky_format(line, sizeof line, "%zu %s and %zu single %s", systems->pairs,
              ky_plural(systems->pairs, "pair", "pairs"), single,
              ky_plural(single, "star", "stars"));
    parameters->log(parameters->log_context, KY_LOG_INFO, line);
}

enum ky_status ky_binaries_put(const struct ky_model_parameters *parameters,
                               const struct ky_systems *systems, struct ky_snapshot *snapshot,
                               struct ky_error *error)
{
    const struct ky_units *units = &snapshot->units;
    struct drawing drawing = {.parameters = parameters, .systems = systems, .g = units->g};
    struct ky_bodies stars = {0}, *from = &snapshot->bodies;
    double distance;
    if (units->mass_g > 0) {
        drawing.day = day_s / ky_unit_cgs(units, KY_TIME_UNIT);
        drawing.sun = KY_SUN_G / units->mass_g;
        drawing.sun_radius = KY_SUN_RADIUS_CM / units->length_cm;
    }
    KY_TRY(mean_distance(from, &distance, error));
    KY_TRY(ky_bodies_allocate(&stars, systems->stars, KY_WITH_ID, error));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < systems->stars; i++) {
        stars.id[i] = i;
        stars.mass[i] = systems->star[i] * parameters->mass;
    }
    size_t wide = 0;
#pragma omp parallel for schedule(static) reduction(+ : wide)
    for (size_t k = 0; k < systems->pairs; k++)
        wide += put_pair(&drawing, from, k, &stars) > distance;
    const size_t singles = systems->stars - 2 * systems->pairs;
    memcpy(stars.position + 2 * systems->pairs, from->position + systems->pairs,
           singles * sizeof *stars.position);
    memcpy(stars.velocity + 2 * systems->pairs, from->velocity + systems->pairs,
           singles * sizeof *stars.velocity);
    ky_bodies_free(from);
    *from = stars;
    tell(parameters, systems);
    if (singles + systems->pairs > 1)
        warn_of_wide(parameters, units, wide, systems->pairs, distance);
    return KY_OK;
}
