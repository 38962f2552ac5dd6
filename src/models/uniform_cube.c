/* A homogeneous cube, cold or with Maxwellian velocities of one dispersion. */
#include <math.h>

#include "base/random.h"
#include "models/models.h"

enum { STEPS = 64 };

static double simpson(int k)
{
    return (k == 0 || k == STEPS ? 1.0 : k % 2 ? 4.0 : 2.0) / (3 * STEPS);
}

/* −Σ m x·a = ½ ∫∫ d²/(d² + ε²)^(3/2) over two bodies in the unit cube. The difference of two
 * coordinates has the density 2(1 − |u|) on [0, 1]; by symmetry the first difference is taken as
 * the largest, the others as fractions v, w of it, which removes the singularity. With ε = 0 this
 * is −W = 0.941156. */
static double virial(double softening)
{
    double sum = 0;
    for (int i = 1; i < STEPS; i++)
        for (int j = 0; j <= STEPS; j++)
            for (int k = 0; k <= STEPS; k++) {
                double u = (double)i / STEPS, v = u * j / STEPS, w = u * k / STEPS;
                double d2 = u * u + v * v + w * w, s2 = d2 + softening * softening;
                sum += simpson(i) * simpson(j) * simpson(k) * u * u * (1 - u) * (1 - v) * (1 - w) *
                       d2 / (s2 * sqrt(s2));
            }
    return 0.5 * 8 * 3 * sum;
}

static double edge_of(const struct ky_model_parameters *parameters)
{
    return virial(0) / -ky_henon_potential(parameters);
}

/* Of the sphere with half of the cube's volume, which lies inside the cube. */
double ky_half_mass_uniform_cube(const struct ky_model_parameters *parameters)
{
    return edge_of(parameters) * cbrt(3 / (8 * acos(-1.0)));
}

enum ky_status ky_make_uniform_cube(const struct ky_model_parameters *parameters,
                                    struct ky_bodies *bodies, struct ky_error *error)
{
    (void)error;
    const double edge = edge_of(parameters);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        struct ky_random place = ky_random_at(parameters->seed, KY_STREAM_POSITION, i);
        for (int k = 0; k < 3; k++)
            bodies->position[i][k] = edge * (ky_random_uniform(&place) - 0.5);
    }
    ky_maxwellian(parameters, virial(ky_pair_softening(parameters) / edge) / edge, bodies);
    return KY_OK;
}
