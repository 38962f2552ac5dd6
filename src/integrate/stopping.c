/* The conditions that end a call that advances: their options, and the valid values.
 * src/simulation/sim_stops.c tests them. */
#include <math.h>
#include <stddef.h>

#include "integrate/integrate.h"

#define FIELD(name) offsetof(struct ky_parameters, name)

const struct ky_option ky_stopping_options[] = {
    {"stop-collision", KY_OPTION_FLAG, FIELD(stop_collision), "no", KY_NO_RANGE, NULL, NULL,
     "stop when two bodies are nearer than the sum of their radii: the bodies' own (a column "
     "radius in CSV, a data set Radius in HDF5), or --body-radius. This and the next three "
     "conditions are checked after each step, for block and hermite4 after each longest step. "
     "--resume continues the run, and the same pair or body stops it again only when it has ceased "
     "to meet the condition"},
    {"stop-pair", KY_OPTION_REAL, FIELD(stop_pair), NULL, KY_ABOVE_0, NULL, "DISTANCE",
     "stop when two bodies are nearer than this [length]"},
    {"stop-escape", KY_OPTION_REAL, FIELD(stop_escape), NULL, 0, (double)INFINITY, NULL, "RADIUS",
     "stop when a body has escaped: it is unbound and farther from the density centre than this, "
     "as for --escape-radius. Each body stops the run once [length]"},
    {"stop-box", KY_OPTION_REAL, FIELD(stop_box), NULL, KY_ABOVE_0, NULL, "LENGTH",
     "stop when a body leaves the cube of this side about the origin: when |x|, |y| or |z| is more "
     "than half of it [length]"},
    {"body-radius", KY_OPTION_REAL, FIELD(body_radius), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "radius of every body for --stop-collision, instead of the bodies' own [length]"},
};
const size_t ky_stopping_option_count = sizeof ky_stopping_options / sizeof *ky_stopping_options;

enum ky_status ky_stopping_check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct {
        const char *name;
        double length;
        int may_be_zero;
    } lengths[] = {
        {"stop-pair", parameters->stop_pair, 0},
        {"stop-escape", parameters->stop_escape, 1},
        {"stop-box", parameters->stop_box, 0},
        {"body-radius", parameters->body_radius, 1},
    };
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (isinf(lengths[k].length) || (lengths[k].length == 0 && !lengths[k].may_be_zero))
            return ky_fail(error, KY_USAGE, "--%s %g; it must be finite and %s", lengths[k].name,
                           lengths[k].length, lengths[k].may_be_zero ? "not negative" : "above 0");
    if (!isnan(parameters->body_radius) && !parameters->stop_collision)
        return ky_fail(error, KY_USAGE,
                       "--body-radius is the radius for --stop-collision, which is not given");
    return KY_OK;
}

enum ky_status ky_stopping_check_bodies(const struct ky_parameters *parameters,
                                        const struct ky_bodies *bodies, struct ky_error *error)
{
    if (!parameters->stop_collision || !isnan(parameters->body_radius) || bodies->radius ||
        !bodies->n)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "--stop-collision needs radii, and the bodies have none: give --body-radius, or "
                   "bodies with a column radius (CSV) or a data set Radius (HDF5)");
}

int ky_stopping_is_asked(const struct ky_parameters *parameters)
{
    return parameters->stop_collision || !isnan(parameters->stop_pair) ||
           !isnan(parameters->stop_escape) || !isnan(parameters->stop_box);
}
