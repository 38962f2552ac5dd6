/* The linking length: given, or a fraction of the mean interparticle distance ∛(volume/number). */
#include "analysis/linking.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "base/status.h"
#include "octree/sample.h"

#define FIELD(name) offsetof(struct ky_catalogue_parameters, name)
const struct ky_option ky_catalogue_options[] = {
    {"linking-length", KY_OPTION_REAL, FIELD(linking_length), NULL, KY_ABOVE_0, NULL, "LENGTH",
     "largest distance of two friends [length]"},
    {"linking-fraction", KY_OPTION_REAL, FIELD(linking_fraction), "0.2", KY_ABOVE_0, NULL, NULL,
     "the linking length as a fraction of the mean distance of the bodies"},
    {"volume", KY_OPTION_REAL, FIELD(volume), NULL, KY_ABOVE_0, NULL, "VOLUME",
     "volume that contains the bodies; their mean distance is the cube root of volume/bodies. "
     "Without --volume it is the box's, or in open space the mean distance is measured for the "
     "half "
     "of the bodies that are nearest "
     "to the median position, in the sphere that contains them [length³]"},
    {"minimum", KY_OPTION_COUNT, FIELD(minimum), "20", 1, (double)INFINITY, NULL, NULL,
     "smallest number of bodies in a group"},
};
const size_t ky_catalogue_option_count = sizeof ky_catalogue_options / sizeof *ky_catalogue_options;

void ky_catalogue_parameters_defaults_sized(struct ky_catalogue_parameters *parameters, size_t size)
{
    struct ky_catalogue_parameters own = {.size = sizeof own, .omega_matter = (double)NAN};
    const struct ky_option_set set = {
        "groups", ky_catalogue_options, ky_catalogue_option_count, &own, NULL, NULL};
    ky_options_defaults(&set);
    ky_size_fill(parameters, size, &own, sizeof own);
}

/* Checks values that are given; NaN means not given. */
static enum ky_status check(const struct ky_catalogue_parameters *wanted, struct ky_error *error)
{
    const struct {
        const char *name;
        double value;
    } positive[] = {{"linking length", wanted->linking_length},
                    {"linking fraction", wanted->linking_fraction},
                    {"volume", wanted->volume}};
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (positive[k].value <= 0 || isinf(positive[k].value))
            return ky_fail(error, KY_USAGE, "the %s is %g; it must be positive and finite",
                           positive[k].name, positive[k].value);
    if (isnan(wanted->linking_length) && isnan(wanted->linking_fraction))
        return ky_fail(error, KY_USAGE, "neither a linking length nor a fraction is given");
    if (wanted->minimum < 1)
        return ky_fail(error, KY_USAGE, "the smallest group has 0 bodies; it must be 1 or more");
    return KY_OK;
}

/* The radius of the sphere about the median of the coordinates that contains half of the bodies. */
static enum ky_status find_half_radius(const struct ky_bodies *bodies, double *radius,
                                       struct ky_error *error)
{
    const double half = 0.5;
    double centre[3];
    struct ky_bodies alike = {.n = bodies->n,
                              .mass = ky_allocate(bodies->n, sizeof(double)),
                              .position = bodies->position};
    if (!alike.mass)
        return ky_no_memory(error, "bodies of equal mass", bodies->n, sizeof(double));
    for (size_t i = 0; i < bodies->n; i++)
        alike.mass[i] = 1;
    for (int c = 0; c < 3; c++)
        centre[c] = ky_sampled_median(&bodies->position[0][c], 3, bodies->n, KY_MEDIAN_MOST);
    enum ky_status status = ky_lagrangian_radii(&alike, centre, 1, &half, radius, error);
    free(alike.mass);
    return status;
}

static enum ky_status find_mean_distance(const struct ky_bodies *bodies, double volume,
                                         double *distance, struct ky_error *error)
{
    const double ball = 4.18879020478639098; /* 4π/3 */
    double radius;
    *distance = cbrt(volume / (double)bodies->n);
    if (!isnan(volume) || !bodies->n)
        return KY_OK;
    KY_TRY(find_half_radius(bodies, &radius, error));
    *distance = radius * cbrt(ball / (double)((bodies->n + 1) / 2));
    if (!(*distance > 0 && isfinite(*distance)))
        return ky_fail(error, KY_BAD_DATA,
                       "the sphere with half of the bodies, %zu in all, has the radius %g, so "
                       "there is no mean distance; give a linking length or a volume",
                       bodies->n, radius);
    return KY_OK;
}

enum ky_status ky_linking_adopt(const struct ky_catalogue_parameters *given,
                                struct ky_catalogue_parameters *own, struct ky_error *error)
{
    ky_catalogue_parameters_defaults(own);
    KY_TRY(ky_size_adopt(own, sizeof *own, given, "ky_catalogue_parameters_defaults", error));
    return check(own, error);
}

enum ky_status ky_linking_choose(const struct ky_catalogue_parameters *wanted,
                                 const struct ky_bodies *bodies, struct ky_catalogue *catalogue,
                                 struct ky_error *error)
{
    catalogue->minimum = wanted->minimum;
    catalogue->linking_length = wanted->linking_length;
    catalogue->mean_distance = (double)NAN;
    if (!isnan(wanted->linking_length))
        return KY_OK;
    enum ky_status status =
        find_mean_distance(bodies, wanted->volume, &catalogue->mean_distance, error);
    catalogue->linking_length = wanted->linking_fraction * catalogue->mean_distance;
    return status;
}
