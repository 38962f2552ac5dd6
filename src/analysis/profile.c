/* Spherical profiles: see kyoho.h. Bodies are sorted into shells and rings and summed in fixed
 * blocks, so the results do not depend on the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "physics/space.h"

enum { MOST_SHELLS = 1000 };
static const double pi = 3.14159265358979323846;

#define FIELD(name) offsetof(struct ky_profile_parameters, name)
const struct ky_option ky_profile_options[] = {
    {"shells", KY_OPTION_COUNT, FIELD(shells), "20", 1, MOST_SHELLS, NULL, NULL,
     "number of shells, equally spaced in the logarithm of the radius"},
    {"inner", KY_OPTION_REAL, FIELD(inner), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "radius where the first shell begins; without it the radius that contains 1 % of the mass, "
     "and 20 bodies if there are enough [length]"},
    {"outer", KY_OPTION_REAL, FIELD(outer), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "radius where the last shell ends; without it the radius that contains 99 % of the mass "
     "[length]"},
    {"centre-x", KY_OPTION_REAL, FIELD(centre[0]), NULL, KY_NO_RANGE, NULL, "LENGTH",
     "centre of the shells; without it the density centre [length]"},
    {"centre-y", KY_OPTION_REAL, FIELD(centre[1]), NULL, KY_NO_RANGE, NULL, "LENGTH",
     "the same [length]"},
    {"centre-z", KY_OPTION_REAL, FIELD(centre[2]), NULL, KY_NO_RANGE, NULL, "LENGTH",
     "the same [length]"},
    {"axis", KY_OPTION_CHOICE, FIELD(axis), "z", KY_NO_RANGE, "x|y|z", NULL,
     "line of sight of the surface density"},
    {"g", KY_OPTION_REAL, FIELD(g), "1", 0, (double)INFINITY, NULL, NULL,
     "gravitational constant in the units of the bodies"},
};
const size_t ky_profile_option_count = sizeof ky_profile_options / sizeof *ky_profile_options;

void ky_profile_parameters_defaults_sized(struct ky_profile_parameters *parameters, size_t size)
{
    struct ky_profile_parameters own = {.size = sizeof own};
    const struct ky_option_set set = {
        "profile", ky_profile_options, ky_profile_option_count, &own, NULL, NULL};
    ky_options_defaults(&set);
    ky_size_fill(parameters, size, &own, sizeof own);
}

/* ---- sums ---- */

/* Sums over a shell, weighted by mass: velocities along r, θ, φ, and their squares. `ring` is the
 * mass in the ring of the same radii. */
struct shell {
    uint64_t bodies;
    double mass, v[3], v2[3], ring;
};

struct sums {
    const struct ky_bodies *bodies;
    const struct ky_profile_parameters *parameters;
    struct ky_radial_profile *profile;
    struct shell *shell; /* [KY_BLOCKS][shells + 1]; element 0 of a block is inside all shells */
};

/* The shell at this radius: 1 … shells; 0 inside the first edge, shells + 1 beyond the last. */
static size_t shell_of(const struct ky_radial_profile *profile, double r)
{
    size_t low = 0, high = profile->shells + 1; /* edge[low − 1] <= r < edge[high] */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (profile->edge[middle] <= r)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Components of the velocity along r, θ and φ. On the z axis, where φ is undefined, φ is taken from
 * the x axis. */
static void components(const double x[3], const double v[3], double r, double out[3])
{
    const double flat = hypot(x[0], x[1]), c = flat > 0 ? x[0] / flat : 1,
                 s = flat > 0 ? x[1] / flat : 0, outward = c * v[0] + s * v[1];
    out[0] = (flat * outward + x[2] * v[2]) / r;
    out[1] = (x[2] * outward - flat * v[2]) / r;
    out[2] = c * v[1] - s * v[0];
}

/* Adds body i to its shell and its ring. */
static void add(const struct sums *sums, struct shell *shells, size_t i)
{
    const struct ky_radial_profile *profile = sums->profile;
    const struct ky_bodies *bodies = sums->bodies;
    const int axis = sums->parameters->axis;
    const double m = bodies->mass[i];
    double x[3], v[3], along[3], r2 = 0;
    for (int k = 0; k < 3; k++) {
        x[k] = bodies->position[i][k] - profile->centre[k];
        v[k] = bodies->velocity[i][k] - profile->velocity[k];
        r2 += x[k] * x[k];
    }
    const double r = sqrt(r2), apart = hypot(x[(axis + 1) % 3], x[(axis + 2) % 3]);
    const size_t at = shell_of(profile, r), ring = shell_of(profile, apart);
    if (ring <= profile->shells)
        shells[ring].ring += m;
    if (at > profile->shells)
        return;
    shells[at].bodies++;
    shells[at].mass += m;
    if (!at)
        return;
    components(x, v, r, along);
    for (int k = 0; k < 3; k++) {
        shells[at].v[k] += m * along[k];
        shells[at].v2[k] += m * along[k] * along[k];
    }
}

/* Adds all blocks to the first. */
static void sum_shells(const struct sums *sums)
{
    const size_t n = sums->bodies->n, all = sums->profile->shells + 1;
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < KY_BLOCKS; b++)
        for (size_t i = ky_block_start(n, b); i < ky_block_start(n, b + 1); i++)
            add(sums, sums->shell + b * all, i);
    for (size_t b = 1; b < KY_BLOCKS; b++)
        for (size_t s = 0; s < all; s++) {
            const struct shell *part = &sums->shell[b * all + s];
            struct shell *sum = &sums->shell[s];
            sum->bodies += part->bodies;
            sum->mass += part->mass;
            sum->ring += part->ring;
            for (int k = 0; k < 3; k++) {
                sum->v[k] += part->v[k];
                sum->v2[k] += part->v2[k];
            }
        }
}

/* Computes the quantities of shell s. `inside` is the mass within its inner edge. */
static void fill_shell(const struct sums *sums, size_t s, double inside)
{
    struct ky_radial_profile *p = sums->profile;
    const struct shell *shell = &sums->shell[s + 1];
    const double low = p->edge[s], high = p->edge[s + 1];
    double sigma2[3];
    for (int k = 0; k < 3; k++) {
        const double mean = shell->v[k] / shell->mass;
        sigma2[k] = shell->bodies > 1 && shell->mass > 0
                        ? fmax(shell->v2[k] / shell->mass - mean * mean, 0)
                        : (double)NAN;
    }
    const double tangential2 = (sigma2[1] + sigma2[2]) / 2;
    p->bodies[s] = shell->bodies;
    p->radius[s] = sqrt(low) * sqrt(high);
    p->density[s] =
        shell->mass / (4.0 / 3 * pi * (high - low) * (high * high + high * low + low * low));
    p->enclosed[s] = inside + shell->mass;
    p->circular_speed[s] = sqrt(sums->parameters->g * p->enclosed[s] / high);
    p->radial[s] = sqrt(sigma2[0]);
    p->tangential[s] = sqrt(tangential2);
    p->anisotropy[s] = sigma2[0] > 0 ? 1 - tangential2 / sigma2[0] : (double)NAN;
    p->radial_velocity[s] = shell->mass > 0 ? shell->v[0] / shell->mass : (double)NAN;
    p->rotation[s] = shell->mass > 0 ? shell->v[2] / shell->mass : (double)NAN;
    p->surface_density[s] = shell->ring / (pi * (high - low) * (high + low));
}

/* ---- the complete profile ---- */

static enum ky_status allocate(struct ky_radial_profile *profile, struct ky_error *error)
{
    double **const arrays[] = {&profile->radius,     &profile->density,
                               &profile->enclosed,   &profile->circular_speed,
                               &profile->radial,     &profile->tangential,
                               &profile->anisotropy, &profile->radial_velocity,
                               &profile->rotation,   &profile->surface_density};
    const size_t shells = profile->shells;
    profile->edge = ky_allocate(shells + 1, sizeof *profile->edge);
    profile->bodies = ky_allocate(shells, sizeof *profile->bodies);
    int failed = !profile->edge || !profile->bodies;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = ky_allocate(shells, sizeof(double));
        failed |= !*arrays[k];
    }
    return failed ? ky_no_memory(error, "profile", shells, sizeof **arrays) : KY_OK;
}

/* Centre and mean velocity. */
static enum ky_status find_centre(const struct ky_profile_parameters *parameters,
                                  const struct ky_bodies *bodies, struct ky_radial_profile *profile,
                                  struct ky_error *error)
{
    int given = 0;
    for (int k = 0; k < 3; k++)
        given += !isnan(parameters->centre[k]);
    if (given % 3)
        return ky_fail(error, KY_USAGE, "a centre has three numbers; %d %s given", given,
                       given == 1 ? "is" : "are");
    if (parameters->box > 0 && !given)
        return ky_fail(error, KY_USAGE,
                       "bodies in a periodic box have no density centre: give --centre-x, "
                       "--centre-y and --centre-z");
    ky_mean(bodies->n, bodies->mass, bodies->velocity, profile->velocity);
    memcpy(profile->centre, parameters->centre, sizeof profile->centre);
    if (!given)
        KY_TRY(ky_density_centre(bodies, profile->centre, error));
    for (int k = 0; k < 3; k++)
        if (!isfinite(profile->centre[k]) || !isfinite(profile->velocity[k]))
            return ky_fail(error, KY_BAD_DATA,
                           "the centre or the mean velocity of the bodies overflows");
    return KY_OK;
}

/* Computes the radii of the shells' edges if they are not given. */
static enum ky_status find_edges(const struct ky_profile_parameters *parameters,
                                 const struct ky_bodies *bodies, struct ky_radial_profile *profile,
                                 struct ky_error *error)
{
    const double few = fmin(20 / (double)ky_count_positive(bodies->n, bodies->mass), 0.1),
                 fractions[2] = {parameters->box > 0 ? few : fmax(few, 0.01), 0.99};
    double radii[2];
    KY_TRY(ky_lagrangian_radii(bodies, profile->centre, 2, fractions, radii, error));
    if (parameters->box > 0)
        radii[1] = parameters->box / 2;
    const double inner = isnan(parameters->inner) ? radii[0] : parameters->inner;
    const double outer = isnan(parameters->outer) ? radii[1] : parameters->outer;
    if (!(inner > 0) || (!(inner < outer) && isnan(parameters->inner) && isnan(parameters->outer)))
        return ky_fail(error, KY_BAD_DATA,
                       "the bodies are too few, or at one position: there are no shells from %g, "
                       "the radius of %g %% of the mass, to %g, the radius of %g %%, in the "
                       "bodies' unit of length; give --inner and --outer",
                       inner, 100 * fractions[0], outer, 100 * fractions[1]);
    if (parameters->box > 0 && outer > parameters->box / 2)
        return ky_fail(error, KY_USAGE,
                       "--outer %g is more than half of the box, %g: shells end where they meet "
                       "their images",
                       outer, parameters->box / 2);
    if (!(inner < outer) || !isfinite(outer))
        return ky_fail(
            error, KY_USAGE,
            "--inner is %g and --outer %g, in the bodies' unit of length; --outer must be "
            "the larger",
            inner, outer);
    for (size_t s = 0; s <= profile->shells; s++)
        profile->edge[s] = inner * exp(log(outer / inner) * (double)s / (double)profile->shells);
    profile->edge[profile->shells] = outer;
    return KY_OK;
}

/* The mean velocity of the bodies within the last shell. */
static void find_velocity(const struct ky_bodies *bodies, struct ky_radial_profile *profile)
{
    const double outer = profile->edge[profile->shells];
    double mass = 0, sum[3] = {0, 0, 0};
    for (size_t i = 0; i < bodies->n; i++) {
        double r2 = 0;
        for (int k = 0; k < 3; k++)
            r2 += pow(bodies->position[i][k] - profile->centre[k], 2);
        if (!(r2 < outer * outer))
            continue;
        mass += bodies->mass[i];
        for (int k = 0; k < 3; k++)
            sum[k] += bodies->mass[i] * bodies->velocity[i][k];
    }
    for (int k = 0; k < 3 && mass > 0; k++)
        profile->velocity[k] = sum[k] / mass;
}

static enum ky_status measure(const struct ky_profile_parameters *parameters,
                              const struct ky_bodies *bodies, struct ky_radial_profile *profile,
                              struct ky_error *error)
{
    struct sums sums = {bodies, parameters, profile, NULL};
    KY_TRY(find_edges(parameters, bodies, profile, error));
    if (parameters->box > 0)
        find_velocity(bodies, profile);
    KY_TRY(ky_array_zeroed(&sums.shell, KY_BLOCKS * (profile->shells + 1), sizeof *sums.shell,
                           "shells", error));
    sum_shells(&sums);
    double inside = sums.shell[0].mass;
    for (size_t s = 0; s < profile->shells; s++) {
        fill_shell(&sums, s, inside);
        inside = profile->enclosed[s];
    }
    free(sums.shell);
    return KY_OK;
}

/* The same with the images of the bodies nearest to the centre, in a box. */
static enum ky_status measure_nearest(const struct ky_profile_parameters *parameters,
                                      const struct ky_bodies *bodies,
                                      struct ky_radial_profile *profile, struct ky_error *error)
{
    struct ky_bodies near = *bodies;
    const double box = parameters->box;
    KY_TRY(find_centre(parameters, bodies, profile, error));
    if (!(box > 0))
        return measure(parameters, bodies, profile, error);
    KY_TRY(ky_array(&near.position, near.n, sizeof *near.position, "positions in the box", error));
    for (size_t i = 0; i < near.n; i++)
        for (int k = 0; k < 3; k++)
            near.position[i][k] = ky_image_near(bodies->position[i][k], profile->centre[k], box);
    const enum ky_status status = measure(parameters, &near, profile, error);
    free(near.position);
    return status;
}

enum ky_status ky_profile_make(const struct ky_profile_parameters *parameters,
                               const struct ky_bodies *bodies, struct ky_radial_profile *profile,
                               struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    KY_NEED(profile, error);
    struct ky_profile_parameters own;
    struct ky_radial_profile made = {0};
    ky_profile_parameters_defaults(&own);
    const struct ky_option_set set = {
        "profile", ky_profile_options, ky_profile_option_count, &own, NULL, NULL};
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, parameters, "ky_profile_parameters_defaults", error);
    if (!status)
        status = ky_options_check(&set, error);
    if (!status && !(own.box >= 0 && own.box < (double)INFINITY))
        status = ky_fail(error, KY_USAGE, "box %g: the side of a box is above 0", own.box);
    if (!status)
        status = ky_bodies_check(bodies, error);
    made.shells = status ? 0 : (size_t)own.shells;
    if (!status)
        status = allocate(&made, error);
    if (!status)
        status = measure_nearest(&own, bodies, &made, error);
    if (status)
        ky_profile_free(&made);
    ky_size_give(profile, &made, sizeof made);
    return status;
}

void ky_profile_free(struct ky_radial_profile *profile)
{
    if (!profile)
        return;
    double *const arrays[] = {
        profile->edge,       profile->radius,         profile->density,
        profile->enclosed,   profile->circular_speed, profile->radial,
        profile->tangential, profile->anisotropy,     profile->radial_velocity,
        profile->rotation,   profile->surface_density};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    free(profile->bodies);
    ky_size_give(profile, &(struct ky_radial_profile){0}, sizeof *profile);
}
