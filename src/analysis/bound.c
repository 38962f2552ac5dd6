/* The bound part of a system, from the bodies' potentials: see analysis.h. */
#include <math.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/status.h"
#include "octree/sample.h"

/* Iterations of the search for the mean velocity; it converges after a few. */
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

/* Indices of the number, mass and momentum of some bodies. */
enum { NUMBER, MASS, MOMENTUM, NUMBERS = MOMENTUM + 3 };

/* The same sums as a struct. */
struct part {
    size_t bodies;
    double mass, momentum[3];
};

/* The sums over the bodies that are bound if the mean velocity is `velocity`. */
static enum ky_status sum_bound(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                const double velocity[3], struct part *sum, struct ky_error *error)
{
    double part[KY_BLOCKS][NUMBERS] = {{0}}, all[NUMBERS];
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        double own[NUMBERS] = {0};
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++) {
            if (!is_bound(bodies, i, velocity))
                continue;
            own[NUMBER]++;
            own[MASS] += bodies->mass[i];
            for (int c = 0; c < 3; c++)
                own[MOMENTUM + c] += bodies->mass[i] * bodies->velocity[i][c];
        }
        memcpy(part[b], own, sizeof own);
    }
    const enum ky_status status = ky_portion_sums(portion, part[0], NUMBERS, all, error);
    *sum = (struct part){
        (size_t)all[NUMBER], all[MASS], {all[MOMENTUM], all[MOMENTUM + 1], all[MOMENTUM + 2]}};
    return status;
}

/* Iterates from this velocity to the mean velocity of the bound bodies. *bound: their number and
 * mass; 0 for a single body, which is bound to itself at any velocity. */
static enum ky_status settle(const struct ky_portion *portion, const struct ky_bodies *bodies,
                             double velocity[3], struct part *bound, struct ky_error *error)
{
    struct part before = {0, 0, {0, 0, 0}}, now = {0, 0, {0, 0, 0}};
    enum ky_status status = KY_OK;
    for (int round = 0; round < ROUNDS && !status; round++) {
        before = now;
        status = sum_bound(portion, bodies, velocity, &now, error);
        if (round && now.bodies == before.bodies)
            break;
        for (int c = 0; c < 3 && now.mass > 0; c++)
            velocity[c] = now.momentum[c] / now.mass;
    }
    *bound = now.bodies > 1 ? now : (struct part){0, 0, {0, 0, 0}};
    return status;
}

enum ky_status ky_choose_bound(const struct ky_portion *portion, struct ky_bodies *bodies,
                               struct ky_bound *bound, struct ky_error *error)
{
    double mean[3], median[3], all;
    struct part of_median, of_mean = {0, 0, {0, 0, 0}}, chosen;
    *bound = (struct ky_bound){.half_mass_radius = (double)NAN};
    if (!portion->n)
        return KY_OK;
    enum ky_status status =
        ky_portion_mean(portion, bodies->mass, bodies->velocity, mean, &all, error);
    for (int c = 0; c < 3 && !status; c++)
        status = ky_portion_median(portion, &bodies->velocity[0][c], 3, KY_MEDIAN_MOST, &median[c],
                                   error);
    if (!status)
        status = settle(portion, bodies, median, &of_median, error);
    if (!status && !(of_median.mass > all / 2))
        status = settle(portion, bodies, mean, &of_mean, error);
    if (status)
        return status;
    const double *velocity = of_median.mass > of_mean.mass ? median : mean;
    if (!(fmax(of_mean.mass, of_median.mass) > 0))
        return KY_OK;
    status = sum_bound(portion, bodies, velocity, &chosen, error);
    bound->bodies = chosen.bodies;
    bound->mass = chosen.mass;
    for (int c = 0; c < 3; c++)
        bound->velocity[c] = velocity[c];
    for (size_t i = 0, n = ky_portion_count(portion); i < n; i++)
        bodies->mass[i] = is_bound(bodies, i, velocity) ? bodies->mass[i] : 0;
    return status;
}

enum ky_status ky_bound_radius(const struct ky_portion *portion, const struct ky_bodies *bodies,
                               struct ky_bound *bound, struct ky_error *error)
{
    const double half = 0.5;
    double centre[3];
    if (!(bound->mass > 0))
        return KY_OK;
    KY_TRY(ky_portion_centre(portion, bodies, KY_CENTRE_FEW, centre, error));
    return ky_portion_radii(portion, bodies, centre, 1, &half, &bound->half_mass_radius, error);
}
