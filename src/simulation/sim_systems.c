/* Close systems of bodies as their centres of mass, for the tests whether bodies are bound. A star
 * of a hard binary moves about its partner faster than the pair moves in the cluster. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "simulation/sim.h"

/* The index of a body of the same system for each body, its own index for a body alone: by the
 * groups of the last step, or, before the first one, by the binaries that can be groups. */
static enum ky_status find_leaders(const struct ky_sim *sim, const struct ky_bodies *bodies,
                                   uint32_t *leader, struct ky_error *error)
{
    struct ky_binaries binaries = {.size = sizeof binaries};
    for (size_t i = 0; i < bodies->n; i++)
        leader[i] = (uint32_t)i;
    if (ky_engine_leaders(sim->engine, leader))
        return KY_OK;
    struct ky_parameters own = sim->parameters;
    own.engine = "cpu";
    own.ranks = 1;
    own.stop = NULL;
    own.log = NULL;
    KY_TRY(ky_binaries_find(&own, bodies, &binaries, NULL, error));
    for (size_t k = 0; k < binaries.count; k++)
        if (binaries.semi_major_axis[k] < own.group_radius)
            leader[binaries.body[k][1]] = binaries.body[k][0];
    ky_binaries_free(&binaries);
    return KY_OK;
}

/* A system, a list that begins with body `first`. */
struct system_of {
    const struct ky_bodies *bodies;
    const uint32_t *next;
    size_t first;
};

/* Puts the members at the centre of mass, with the potential of all others there. A system that is
 * all there is stays. */
static void settle(const struct system_of *system, double g, double all, struct ky_bodies *settled)
{
    const struct ky_bodies *bodies = system->bodies;
    const uint32_t *next = system->next;
    const size_t first = system->first;
    double mass = 0, x[3] = {0}, v[3] = {0}, energy = 0;
    for (size_t i = first; i != UINT32_MAX; i = next[i]) {
        const double m = bodies->mass[i];
        mass += m;
        for (int c = 0; c < 3; c++) {
            x[c] += m * (bodies->position[i][c] - bodies->position[first][c]);
            v[c] += m * bodies->velocity[i][c];
        }
        energy += m * bodies->potential[i];
        for (size_t j = next[i]; j != UINT32_MAX; j = next[j]) {
            const double masses = m * bodies->mass[j]; /* 0 also for bodies at the same place */
            if (masses > 0)
                energy += 2 * g * masses / ky_distance(bodies->position[i], bodies->position[j]);
        }
    }
    if (!(mass > 0) || !(mass < all * (1 - 1e-12)))
        return;
    for (size_t i = first; i != UINT32_MAX; i = next[i]) {
        for (int c = 0; c < 3; c++) {
            settled->position[i][c] = bodies->position[first][c] + x[c] / mass;
            settled->velocity[i][c] = v[c] / mass;
        }
        settled->potential[i] = energy / mass;
    }
}

/* Close systems as lists. *lists has for each of the n bodies the next body of its system, or
 * UINT32_MAX at the end, then for each body the first one of its system. The caller frees it. */
static enum ky_status list_systems(const struct ky_sim *sim, const struct ky_bodies *bodies,
                                   uint32_t **lists, struct ky_error *error)
{
    const size_t n = bodies->n;
    KY_TRY(ky_array(lists, 2 * n, sizeof **lists, "close systems", error));
    uint32_t *next = *lists, *leader = next + n;
    const enum ky_status status = find_leaders(sim, bodies, leader, error);
    for (size_t i = 0; i < n; i++)
        next[i] = UINT32_MAX;
    for (size_t i = n; i-- > 0 && !status;)
        if (leader[i] != i) {
            next[i] = next[leader[i]];
            next[leader[i]] = (uint32_t)i;
        }
    if (status) {
        free(next);
        *lists = NULL;
    }
    return status;
}

enum ky_status ky_sim_settle_systems(const struct ky_sim *sim, const struct ky_bodies *bodies,
                                     struct ky_bodies *settled, struct ky_error *error)
{
    const size_t n = bodies->n;
    double all = 0;
    uint32_t *next;
    *settled = (struct ky_bodies){0};
    KY_TRY(list_systems(sim, bodies, &next, error));
    enum ky_status status = ky_bodies_allocate(settled, n, KY_WITH_POTENTIAL, error);
    if (!status && n) {
        memcpy(settled->mass, bodies->mass, n * sizeof *settled->mass);
        memcpy(settled->position, bodies->position, n * sizeof *settled->position);
        memcpy(settled->velocity, bodies->velocity, n * sizeof *settled->velocity);
        memcpy(settled->potential, bodies->potential, n * sizeof *settled->potential);
    }
    for (size_t i = 0; i < n; i++)
        all += bodies->mass[i];
    for (size_t i = 0; i < n && !status; i++)
        if (next[n + i] == i && next[i] != UINT32_MAX)
            settle(&(struct system_of){bodies, next, i}, sim->parameters.g, all, settled);
    free(next);
    return status;
}
