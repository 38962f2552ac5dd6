/* Passages within groups of close bodies. The members of a group have many orbits in a longest
 * step, at whose end conditions are tested. Two members that are a pair came as near to each other
 * as the pericentre of their present orbit, if they have passed it within the step. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "physics/few.h"
#include "simulation/sim.h"

/* Two members are a pair if no other member pulls their orbit apart by more than this part of its
 * own pull. */
static const double hardly = 0.1;

/* The bodies, the lists of their systems, the radii, and the length of the last step. */
struct search {
    const struct ky_bodies *bodies;
    const uint32_t *next;
    const double *radius;
    size_t radii;
    double g, step;
};

/* The longest time for which the orbits have been followed in this step: the first one may still be
 * divided. */
static double last_step(const struct ky_sim *sim)
{
    return sim->now.ticks == 0 ? sim->now.part : sim->parameters.step;
}

/* The orbit of body j about body i; *rv: the product of place and velocity. */
static struct ky_few_orbit orbit_of(const struct ky_bodies *bodies, size_t i, size_t j, double g,
                                    double *rv)
{
    double r2 = 0, v2 = 0;
    *rv = 0;
    for (int c = 0; c < 3; c++) {
        const double x = bodies->position[j][c] - bodies->position[i][c],
                     v = bodies->velocity[j][c] - bodies->velocity[i][c];
        r2 += x * x;
        v2 += v * v;
        *rv += x * v;
    }
    return ky_few_orbit(g * (bodies->mass[i] + bodies->mass[j]), sqrt(r2), v2, *rv);
}

/* The time since the last pericentre; of a hyperbola infinite before it. */
static double since_pericentre(const struct ky_few_orbit *orbit, double rv)
{
    const double a = 1 / fabs(orbit->inverse_axis), n = sqrt(orbit->gm / a) / a,
                 sine = fabs(rv) / sqrt(orbit->gm * a); /* e sin E, or e sinh F */
    if (!(orbit->inverse_axis > 0))
        return rv > 0 ? (sine - asinh(sine / orbit->e)) / n : (double)INFINITY;
    const double mean = atan2(sine, 1 - orbit->r / a) - sine;
    return rv > 0 ? mean / n : orbit->period - mean / n;
}

/* 1 if another member of the system that begins with body `first` pulls the pair apart. */
static int is_pulled_apart(const struct search *search, size_t first, size_t i, size_t j,
                           const struct ky_few_orbit *orbit)
{
    const struct ky_bodies *bodies = search->bodies;
    const double wide = orbit->inverse_axis > 0 ? (1 + orbit->e) / orbit->inverse_axis : orbit->r;
    for (size_t k = first; k != UINT32_MAX; k = search->next[k]) {
        if (k == i || k == j)
            continue;
        const double part = wide / fmin(ky_distance(bodies->position[k], bodies->position[i]),
                                        ky_distance(bodies->position[k], bodies->position[j]));
        if (2 * search->g * bodies->mass[k] * part * part * part > hardly * orbit->gm)
            return 1;
    }
    return 0;
}

static double reach_of(const struct search *search, size_t i, size_t j)
{
    return search->radii > 1 ? search->radius[i] + search->radius[j] : 2 * search->radius[0];
}

static enum ky_status add(struct ky_pairs *pairs, size_t i, size_t j, double distance,
                          struct ky_error *error)
{
    const size_t count = pairs->count;
    if (!ky_extend(&pairs->index, count, count + 1, sizeof *pairs->index) ||
        !ky_extend(&pairs->distance, count, count + 1, sizeof *pairs->distance))
        return ky_no_memory(error, "passages", count + 1, sizeof *pairs->index);
    pairs->index[count][0] = i < j ? i : j;
    pairs->index[count][1] = i < j ? j : i;
    pairs->distance[pairs->count++] = distance;
    return KY_OK;
}

/* Looks at all pairs of a system, a list that begins with body `first`. */
static enum ky_status look(const struct search *search, size_t first, struct ky_pairs *pairs,
                           struct ky_error *error)
{
    const struct ky_bodies *bodies = search->bodies;
    const uint32_t *next = search->next;
    for (size_t i = first; i != UINT32_MAX; i = next[i])
        for (size_t j = next[i]; j != UINT32_MAX; j = next[j]) {
            double rv;
            const struct ky_few_orbit orbit = orbit_of(bodies, i, j, search->g, &rv);
            const double reach = reach_of(search, i, j);
            if (orbit.gm > 0 && orbit.pericentre < reach && orbit.r >= reach &&
                since_pericentre(&orbit, search->step < 0 ? -rv : rv) <= fabs(search->step) &&
                !is_pulled_apart(search, first, i, j, &orbit))
                KY_TRY(add(pairs, i, j, orbit.pericentre, error));
        }
    return KY_OK;
}

enum ky_status ky_sim_add_passages(struct ky_sim *sim, const double *radius, size_t radii,
                                   struct ky_pairs *pairs, struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    uint32_t *next = NULL;
    struct search search = {&bodies, NULL, radius, radii, sim->parameters.g, last_step(sim)};
    if (!(sim->parameters.group_radius > 0) || search.step == 0)
        return KY_OK;
    enum ky_status status = ky_bodies_allocate(&bodies, sim->n, 0, error);
    if (!status)
        status = ky_engine_get(sim->engine, &bodies, error);
    if (!status)
        status = ky_sim_list_systems(sim, &bodies, &next, error);
    search.next = next;
    for (size_t i = 0; i < bodies.n && !status; i++)
        if (next[bodies.n + i] == i && next[i] != UINT32_MAX)
            status = look(&search, i, pairs, error);
    free(next);
    ky_bodies_free(&bodies);
    return status;
}
