/* Eddington inversion in a softened potential, and sampling of the distribution function: see
 * equilibrium.h. */
#include "models/equilibrium.h"

#include <math.h>
#include <stdlib.h>

#include "base/block_sums.h"
#include "base/memory.h"
#include "base/random.h"
#include "physics/softening.h"

/* f √E at E = Ψ of node k, by Eddington's formula: f(E) = 1/(√8 π²) [∫ (dP/dΨ) dΨ/√(E − Ψ) +
 * P(edge)/√E] with P = dρ/dΨ and Ψ = Φ(edge) − Φ. At the nodes P = −(dρ/dr)/g is known from the
 * slope of the density and the force g. Between two nodes P is linear in Ψ, so the integral is 2
 * ΔP/(√(E − Ψ₁) + √(E − Ψ₂)). No numerical derivative is needed. */
static double weight_at(const struct ky_equilibrium *equilibrium, const double *p, size_t k)
{
    const double *depth = equilibrium->depth, constant = 1 / (sqrt(8.0) * pow(acos(-1.0), 2));
    const size_t edge = equilibrium->profile.nodes - 1;
    double root[KY_PROFILE_NODES], part[KY_PROFILE_NODES], sum = 0;
    /* Loops of their own, which compilers vectorise. */
    for (size_t j = k; j <= edge; j++)
        root[j] = sqrt(depth[j] - depth[k]);
    for (size_t j = k; j < edge; j++)
        part[j] = 2 * (p[j] - p[j + 1]) / (root[j] + root[j + 1]);
    for (size_t j = k; j < edge; j++)
        sum += part[j];
    return constant * (sum * root[edge] + p[edge]); /* the root is √E there */
}

/* A softening below this many times the innermost radius of the table counts as 0: the table does
 * not resolve it, and errors at a few nodes would make f negative. The limit is 1e-4 scale radii,
 * within which even a Jaffe sphere has only 1e-4 of its mass. */
enum { RESOLVED = 10 };

enum ky_status ky_equilibrium_solve(struct ky_equilibrium *equilibrium, struct ky_error *error)
{
    const int resolved = equilibrium->softening >= RESOLVED * equilibrium->profile.r[0];
    ky_profile_force(&equilibrium->profile, resolved ? equilibrium->softening : 0, equilibrium->how,
                     equilibrium->force);
    return ky_equilibrium_invert(equilibrium, error);
}

enum ky_status ky_equilibrium_invert(struct ky_equilibrium *equilibrium, struct ky_error *error)
{
    const struct ky_profile *profile = &equilibrium->profile;
    double *depth = equilibrium->depth, *weight = equilibrium->weight;
    const double *force = equilibrium->force;
    const size_t nodes = profile->nodes;
    double p[KY_PROFILE_NODES]; /* dρ/dΨ */
    for (size_t k = 0; k < nodes; k++)
        p[k] = -profile->slope[k] / force[k];
    depth[0] = 0;
    for (size_t k = 1; k < nodes; k++)
        depth[k] =
            depth[k - 1] + 0.5 * (force[k - 1] + force[k]) * (profile->r[k] - profile->r[k - 1]);
#pragma omp parallel for schedule(static, 16)
    for (size_t k = 0; k < nodes; k++)
        weight[k] = weight_at(equilibrium, p, k);
    for (size_t k = 0; k < nodes; k++)
        if (!(weight[k] >= 0))
            return ky_fail(error, KY_USAGE,
                           "no isotropic equilibrium: the distribution function is negative at "
                           "radius %g with softening %g (in scale radii); choose another softening "
                           "or cutoff",
                           profile->r[k], equilibrium->softening);
            /* Both factors are linear between nodes. So the product of their maxima is a bound for
             * the cell, also for a body further out in the cell of node k. */
#pragma omp parallel for schedule(static, 16)
    for (size_t k = 0; k < nodes; k++) {
        double most = 0;
        for (size_t j = k; j + 1 < nodes; j++) {
            double heavier = weight[j] > weight[j + 1] ? weight[j] : weight[j + 1];
            double bound = (depth[j + 1] - depth[k]) * heavier;
            most = bound > most ? bound : most;
        }
        equilibrium->envelope[k] = most;
    }
    return KY_OK;
}

double ky_equilibrium_f(const struct ky_equilibrium *equilibrium, size_t k)
{
    double energy = equilibrium->depth[equilibrium->profile.nodes - 1] - equilibrium->depth[k];
    return equilibrium->weight[k] / sqrt(energy);
}

/* The cell of an ascending table that contains x: table[k] <= x < table[k + 1], searched from `low`
 * on. */
static size_t cell_of(const double *table, size_t low, size_t nodes, double x)
{
    size_t high = nodes - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (table[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double linear(const double *x, const double *y, size_t k, double at)
{
    double dx = x[k + 1] - x[k];
    return dx > 0 ? y[k] + (y[k + 1] - y[k]) * (at - x[k]) / dx : y[k];
}

/* The speed of a body at radius r, drawn from f. Draws θ by rejection, with v = v_edge sin θ, where
 * v_edge is the speed that reaches the edge. Then v² f dv is proportional to sin²θ f √E dθ, which
 * is finite everywhere. */
static double speed_at(const struct ky_equilibrium *equilibrium, double r, struct ky_random *random)
{
    const struct ky_profile *profile = &equilibrium->profile;
    const double *depth = equilibrium->depth, right_angle = acos(0.0);
    const size_t nodes = profile->nodes, k = cell_of(profile->r, 0, nodes, r);
    double here = r > profile->r[0] ? linear(profile->r, depth, k, r) : 0;
    double well = depth[nodes - 1] - here;
    if (!(well > 0) || !(equilibrium->envelope[k] > 0))
        return 0;
    for (;;) {
        double sine = sin(right_angle * ky_random_uniform(random));
        double rise = well * sine * sine; /* v²/2 */
        size_t cell = cell_of(depth, k, nodes, here + rise);
        double density = rise * linear(depth, equilibrium->weight, cell, here + rise);
        if (ky_random_uniform(random) * equilibrium->envelope[k] < density)
            return sqrt(2 * rise);
    }
}

void ky_equilibrium_draw(const struct ky_equilibrium *equilibrium, uint64_t seed, size_t i,
                         double position[3], double velocity[3])
{
    struct ky_random place = ky_random_at(seed, KY_STREAM_POSITION, i);
    struct ky_random motion = ky_random_at(seed, KY_STREAM_VELOCITY, i);
    double r = ky_profile_radius(&equilibrium->profile, ky_random_uniform(&place));
    ky_random_direction(&place, position);
    ky_random_direction(&motion, velocity);
    double speed = speed_at(equilibrium, r, &motion);
    for (int k = 0; k < 3; k++) {
        position[k] *= r;
        velocity[k] *= speed;
    }
}

struct drawing {
    const struct ky_equilibrium *equilibrium;
    uint64_t seed;
    size_t first;  /* index in the model of the portion's first body */
    double length; /* one length of the profile in Hénon units; G = M = 1 in both */
    const struct ky_bodies *bodies;
};

/* Draws the bodies first … last − 1 of the portion. */
static void draw(const void *context, size_t first, size_t last)
{
    const struct drawing *drawing = context;
    const struct ky_bodies *bodies = drawing->bodies;
    const double length = drawing->length, speed_unit = sqrt(1 / length);
    for (size_t i = first; i < last; i++) {
        double *x = bodies->position[i], *v = bodies->velocity[i];
        ky_equilibrium_draw(drawing->equilibrium, drawing->seed, drawing->first + i, x, v);
        for (int k = 0; k < 3; k++) {
            x[k] *= length;
            v[k] *= speed_unit;
        }
    }
}

/* The scale radius in Hénon units, from W = −1/2. */
static double henon_length(const struct ky_profile *profile)
{
    return 2 * ky_profile_energy(profile);
}

static enum ky_status profile_of(const struct ky_model *model, const void *own,
                                 struct ky_profile *profile, struct ky_error *error)
{
    if (model->profile)
        return model->profile(own, profile, error);
    static const double least = 1e-50; /* its powers stay within the range of double */
    const struct ky_cut *cut = own;
    if (cut->cutoff > 0 && cut->cutoff < least)
        return ky_fail(error, KY_USAGE,
                       "--cutoff %g: it must be 0, the default of the model, or at least %g scale "
                       "radii",
                       cut->cutoff, least);
    ky_profile_cut(profile, cut->cutoff > 0 ? cut->cutoff : model->cutoff, model->shell);
    return KY_OK;
}

enum ky_status ky_equilibrium_make(const struct ky_model *model, const void *own,
                                   const struct ky_model_common *common,
                                   struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_equilibrium *equilibrium;
    KY_TRY(ky_array(&equilibrium, 1, sizeof *equilibrium, "the model's tables", error));
    enum ky_status status = profile_of(model, own, &equilibrium->profile, error);
    if (!status)
        status = ky_model_allocate(common, 0, snapshot, error);
    if (!status) {
        double length = henon_length(&equilibrium->profile);
        equilibrium->softening = ky_pair_softening(common) / length;
        equilibrium->how = ky_softening_how(common->softening_kind);
        status = ky_equilibrium_solve(equilibrium, error);
        const struct drawing drawing = {equilibrium, common->seed, ky_model_portion(common).first,
                                        length, &snapshot->bodies};
        if (!status)
            ky_model_fill(common, "positions and velocities", draw, &drawing);
    }
    free(equilibrium);
    return status;
}

enum ky_status ky_equilibrium_half_mass(const struct ky_model *model, const void *own,
                                        double *radius, struct ky_error *error)
{
    struct ky_profile *profile;
    KY_TRY(ky_array(&profile, 1, sizeof *profile, "the model's tables", error));
    enum ky_status status = profile_of(model, own, profile, error);
    *radius = status ? 0 : ky_profile_radius(profile, 0.5) * henon_length(profile);
    free(profile);
    return status;
}

enum ky_status ky_equilibrium_put(const struct ky_sphere *of, const struct ky_model_common *common,
                                  size_t first, struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_model_common part = *common;
    struct ky_snapshot sphere;
    double half, mean[2][3];
    ky_snapshot_clear(&sphere);
    KY_TRY(ky_equilibrium_half_mass(of->model, of->own, &half, error));
    const double length = of->radius / half, speed = sqrt(of->mass / length);
    part.softening = common->softening / length;
    enum ky_status status = ky_equilibrium_make(of->model, of->own, &part, &sphere, error);
    if (!status) {
        ky_mean(part.n, sphere.bodies.mass, sphere.bodies.position, mean[0]);
        ky_mean(part.n, sphere.bodies.mass, sphere.bodies.velocity, mean[1]);
    }
    for (size_t i = 0; i < part.n && !status; i++) {
        bodies->mass[first + i] = of->mass / (double)part.n;
        for (int c = 0; c < 3; c++) {
            const double x = sphere.bodies.position[i][c], v = sphere.bodies.velocity[i][c];
            bodies->position[first + i][c] = length * (x - mean[0][c]);
            bodies->velocity[first + i][c] = speed * (v - mean[1][c]);
        }
    }
    ky_snapshot_free(&sphere);
    return status;
}
