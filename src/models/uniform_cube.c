/* A homogeneous cube, cold or with Maxwellian velocities. */
#include <math.h>

#include "base/random.h"
#include "base/status.h"
#include "models/uniform.h"

enum { STEPS = 64 };

static double simpson(int k)
{
    return (k == 0 || k == STEPS ? 1.0 : k % 2 ? 4.0 : 2.0) / (3 * STEPS);
}

/* −Σ m x·a = ½ ∫∫ d²/(d² + ε²)^(3/2) over two bodies in the unit cube. The difference of two
 * coordinates has the density 2(1 − |u|) on [0, 1]. By symmetry the first difference may be the
 * largest, and the other two are fractions v/u, w/u of it, which removes the singularity. With ε =
 * 0 this is −W = 0.941156. */
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

static double edge_of(const struct ky_uniform *uniform)
{
    return virial(0) / -ky_uniform_potential(uniform);
}

/* The radius of the sphere with half the volume of the cube. It lies inside the cube. */
static enum ky_status half_mass(const void *own, double *radius, struct ky_error *error)
{
    (void)error;
    *radius = edge_of(own) * cbrt(3 / (8 * acos(-1.0)));
    return KY_OK;
}

struct cube {
    double edge;
    uint64_t seed;
    size_t first; /* index in the model of the portion's first body */
    double (*position)[3];
};

static void place(const void *context, size_t first, size_t last)
{
    const struct cube *cube = context;
    for (size_t i = first; i < last; i++) {
        struct ky_random random = ky_random_at(cube->seed, KY_STREAM_POSITION, cube->first + i);
        for (int k = 0; k < 3; k++)
            cube->position[i][k] = cube->edge * (ky_random_uniform(&random) - 0.5);
    }
}

/* Draws bodies in a cube with the side for which E = −1/4 with the virial ratio. */
static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const double edge = edge_of(own);
    KY_TRY(ky_model_allocate(common, 0, snapshot, error));
    const struct cube cube = {edge, common->seed, ky_model_portion(common).first,
                              snapshot->bodies.position};
    ky_model_fill(common, "positions", place, &cube);
    ky_uniform_velocities(own, common, virial(ky_pair_softening(common) / edge) / edge,
                          &snapshot->bodies);
    return KY_OK;
}

const struct ky_model ky_uniform_cube = {
    .name = "uniform-cube",
    .help = "homogeneous cube, cold or with Maxwellian velocities",
    KY_UNIFORM_OWN,
    .in_parts = 1,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .half_mass = half_mass,
    .make = make,
};
