/* Two bodies of a simulation that become one: see kyoho.h. */
#include "simulation/sim.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/status.h"

static enum ky_status find(const struct ky_bodies *bodies, uint64_t id, size_t *index,
                           struct ky_error *error)
{
    for (*index = 0; *index < bodies->n; ++*index)
        if (bodies->id[*index] == id)
            return KY_OK;
    return ky_fail(error, KY_BAD_DATA, "no body has the id %" PRIu64, id);
}

/* The heavier body, or of equal ones the first, becomes index[0]. */
static void order(const struct ky_bodies *bodies, size_t index[2])
{
    const double m[2] = {bodies->mass[index[0]], bodies->mass[index[1]]};
    const int turned = m[0] != m[1] ? m[1] > m[0] : index[1] < index[0];
    const size_t first = index[turned], second = index[!turned];
    index[0] = first;
    index[1] = second;
}

/* Describes both bodies, and the one that they become. Bodies without mass meet in the middle. */
static void describe(const struct ky_bodies *bodies, const size_t index[2], double radius,
                     struct ky_merger *merger)
{
    double r2 = 0, v2 = 0;
    for (int k = 0; k < 2; k++) {
        merger->id[k] = bodies->id[index[k]];
        merger->mass[k] = bodies->mass[index[k]];
        merger->radius[k] = bodies->radius ? bodies->radius[index[k]] : (double)NAN;
    }
    const double mass = merger->mass[0] + merger->mass[1],
                 share = mass > 0 ? merger->mass[1] / mass : 0.5;
    for (int c = 0; c < 3; c++) {
        const double x = bodies->position[index[1]][c] - bodies->position[index[0]][c];
        const double v = bodies->velocity[index[1]][c] - bodies->velocity[index[0]][c];
        merger->position[c] = bodies->position[index[0]][c] + share * x;
        merger->velocity[c] = bodies->velocity[index[0]][c] + share * v;
        r2 += x * x;
        v2 += v * v;
    }
    merger->distance = sqrt(r2);
    merger->speed = sqrt(v2);
    merger->new_radius = radius;
    if (!bodies->radius)
        merger->new_radius = (double)NAN;
    else if (isnan(radius))
        merger->new_radius = cbrt(pow(merger->radius[0], 3) + pow(merger->radius[1], 3));
}

/* Replaces the first body by the new one, and closes the gap of the second. */
static void join(struct ky_bodies *bodies, const size_t index[2], const struct ky_merger *merger)
{
    bodies->mass[index[0]] = merger->mass[0] + merger->mass[1];
    memcpy(bodies->position[index[0]], merger->position, sizeof merger->position);
    memcpy(bodies->velocity[index[0]], merger->velocity, sizeof merger->velocity);
    if (bodies->radius)
        bodies->radius[index[0]] = merger->new_radius;
    for (size_t i = index[1] + 1; i < bodies->n; i++)
        ky_bodies_move(bodies, i - 1, i);
    bodies->n--;
}

static enum ky_status check(const struct ky_sim *sim, const uint64_t id[2], double radius,
                            struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    if (id[0] == id[1])
        return ky_fail(error, KY_USAGE, "body %" PRIu64 " cannot merge with itself", id[0]);
    if (sim->parameters.box > 0)
        return ky_fail(error, KY_USAGE, "bodies in a periodic box do not merge");
    if (!isnan(radius) && !(radius >= 0 && isfinite(radius)))
        return ky_fail(error, KY_USAGE, "radius %g; it must be finite and not negative", radius);
    return KY_OK;
}

enum ky_status ky_sim_merge(struct ky_sim *sim, const uint64_t id[2], double radius,
                            struct ky_merger *merger, struct ky_error *error)
{
    struct ky_merger own = {.size = sizeof own};
    struct ky_sums before = {0}, after = {0};
    struct ky_bodies bodies = {0};
    size_t index[2];
    KY_NEED(id, error);
    KY_TRY(check(sim, id, radius, error));
    KY_TRY(ky_sim_sums(sim, &before, error));
    enum ky_status status = ky_sim_take(sim, 0, 0, &bodies, error);
    for (int k = 0; k < 2 && !status; k++)
        status = find(&bodies, id[k], &index[k], error);
    if (status) {
        ky_bodies_free(&bodies);
        return status;
    }
    order(&bodies, index);
    describe(&bodies, index, radius, &own);
    join(&bodies, index, &own);
    const struct ky_parameters parameters = sim->parameters;
    KY_TRY(ky_sim_put_with(sim, &parameters, &bodies, error));
    KY_TRY(ky_sim_sums(sim, &after, error));
    own.energy = ky_total_energy(&after) - ky_total_energy(&before);
    ky_size_give(merger, &own, sizeof own);
    return KY_OK;
}
