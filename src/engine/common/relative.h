/* What the relative opening test needs on every engine: two passes where there are no last
 * accelerations, and the factor of the test for some sinks from their last accelerations. */
#ifndef KY_ENGINE_RELATIVE_H
#define KY_ENGINE_RELATIVE_H

#include "base/options.h"
#include "base/status.h"
#include "physics/opening.h"

/* Computes all forces once, with these parameters. */
typedef enum ky_status ky_pass_function(void *engine, const struct ky_parameters *parameters,
                                        struct ky_error *error);

/* Makes one pass with the parameters as they are. The relative test without last accelerations
 * needs two: one with `offset`, and one with the accelerations of the first. */
enum ky_status ky_relative_passes(const struct ky_parameters *parameters, int has_acceleration,
                                  ky_pass_function *pass, void *engine, struct ky_error *error);

/* The parameters with `offset` in place of `relative`, for sinks without last accelerations. */
struct ky_parameters ky_without_relative(const struct ky_parameters *parameters);

/* The last accelerations: three columns, and their unit. Divided by it they are for G = 1 in the
 * engine's units of length and mass. The unit is 0 where G = 0. */
struct ky_relative {
    const double *a[3];
    double unit;
    const struct ky_parameters *parameters;
    double floor; /* the smallest |a| that counts: ky_opening_floor */
};

/* Finds the floor among all n bodies. */
struct ky_relative ky_relative_start(const double *const a[3], size_t n, double unit,
                                     const struct ky_parameters *parameters, int threads);
/* The factor by which open2 of a cell is multiplied for these `count` sinks, from the smallest |a|
 * among them (physics/opening.h). */
double ky_relative_factor(const struct ky_relative *relative, const uint32_t *sink, size_t count);

#endif
