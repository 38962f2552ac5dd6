/* The bound part of a system, from the potentials of its bodies: see analysis.h. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/sums.h"
#include "octree/sample.h"

/* Iterations of the search for the mean velocity; it settles after a few. */
enum { ROUNDS = 16 };

static int is_bound(const struct ky_bodies *bodies, size_t i, const double velocity[3])
{
    double v2 = 0;
    for (int c = 0; c < 3; c++) {
        const double v = bodies->velocity[i][c] - velocity[c];
        v2 += v * v;
    }
    return 0.5 * v2 + bodies->potential[i] < 0;
}

/* Number, mass and momentum of some bodies. */
struct part {
    size_t bodies;
    double mass, momentum[3];
};

/* The sums over the bodies that are bound at this mean velocity. */
static struct part sum_bound(const struct ky_bodies *bodies, const double velocity[3])
{
    struct part part[KY_BLOCKS], sum = {0, 0, {0, 0, 0}};
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        struct part own = {0, 0, {0, 0, 0}};
        for (size_t i = ky_block_start(bodies->n, b); i < ky_block_start(bodies->n, b + 1); i++) {
            if (!is_bound(bodies, i, velocity))
                continue;
            own.bodies++;
            own.mass += bodies->mass[i];
            for (int c = 0; c < 3; c++)
                own.momentum[c] += bodies->mass[i] * bodies->velocity[i][c];
        }
        part[b] = own;
    }
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        sum.bodies += part[b].bodies;
        sum.mass += part[b].mass;
        for (int c = 0; c < 3; c++)
            sum.momentum[c] += part[b].momentum[c];
    }
    return sum;
}

/* Moves masses and places of the bound bodies to the front. */
static size_t choose(struct ky_bodies *bodies, const double velocity[3])
{
    size_t kept = 0;
    for (size_t i = 0; i < bodies->n; i++)
        if (is_bound(bodies, i, velocity)) {
            bodies->mass[kept] = bodies->mass[i];
            for (int c = 0; c < 3; c++)
                bodies->position[kept][c] = bodies->position[i][c];
            kept++;
        }
    return kept;
}

/* Iterates from this mean velocity to the mean velocity of the bound bodies. Returns their mass; 0
 * for a single body, which is bound to itself at any velocity. */
static double settle(const struct ky_bodies *bodies, double velocity[3])
{
    struct part before = {0, 0, {0, 0, 0}}, now = {0, 0, {0, 0, 0}};
    for (int round = 0; round < ROUNDS; round++) {
        before = now;
        now = sum_bound(bodies, velocity);
        if (round && now.bodies == before.bodies)
            break;
        for (int c = 0; c < 3 && now.mass > 0; c++)
            velocity[c] = now.momentum[c] / now.mass;
    }
    return now.bodies > 1 ? now.mass : 0;
}

void ky_choose_bound(struct ky_bodies *bodies, struct ky_bound *bound)
{
    double mean[3], median[3];
    *bound = (struct ky_bound){.half_mass_radius = (double)NAN};
    if (!bodies->n)
        return;
    const double all = ky_mean(bodies->n, bodies->mass, bodies->velocity, mean);
    for (int c = 0; c < 3; c++)
        median[c] = ky_sampled_median(&bodies->velocity[0][c], 3, bodies->n, KY_MEDIAN_MOST);
    const double of_median = settle(bodies, median);
    const double of_mean = of_median > all / 2 ? 0 : settle(bodies, mean);
    const double *velocity = of_median > of_mean ? median : mean;
    if (!(fmax(of_mean, of_median) > 0))
        return;
    bound->bodies = choose(bodies, velocity);
    bound->mass = ky_sum(bound->bodies, bodies->mass);
    for (int c = 0; c < 3; c++)
        bound->velocity[c] = velocity[c];
}

enum ky_status ky_bound_radius(const struct ky_bodies *bodies, struct ky_bound *bound,
                               struct ky_error *error)
{
    const double half = 0.5;
    double centre[3];
    struct ky_bodies chosen = *bodies;
    chosen.n = bound->bodies;
    if (!(bound->mass > 0))
        return KY_OK;
    enum ky_status status = ky_centre_of_sample(&chosen, KY_CENTRE_FEW, centre, error);
    return status ? status
                  : ky_lagrangian_radii(&chosen, centre, 1, &half, &bound->half_mass_radius, error);
}
