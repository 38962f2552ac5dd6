/* Contacts within groups of close bodies. Conditions are tested at the ends of longest steps, and
 * members of a group that touch within such a step may be far from each other then. The engine
 * notes them; they are kept by their ids, since a merger changes the indices of others. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/pairs.h"
#include "base/status.h"
#include "simulation/sim.h"

static uint64_t id_of(const struct ky_sim *sim, size_t i)
{
    return sim->id ? sim->id[i] : i;
}

/* Takes the notes of the engine. */
static enum ky_status take(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_pairs *pairs = ky_engine_passages(sim->engine);
    struct ky_passages *own = &sim->passages;
    if (!pairs || !pairs->count)
        return KY_OK;
    const size_t count = own->count + pairs->count;
    if (!ky_extend(&own->one, own->count, count, sizeof *own->one))
        return ky_no_memory(error, "pairs that touch", count, sizeof *own->one);
    for (size_t k = 0; k < pairs->count; k++)
        own->one[own->count++] = (struct ky_passage){
            {id_of(sim, pairs->index[k][0]), id_of(sim, pairs->index[k][1])}, pairs->distance[k]};
    pairs->count = 0;
    return KY_OK;
}

/* 1 if both bodies still exist, with their indices in ascending order. */
static int find(const struct ky_sim *sim, const struct ky_passage *passage, size_t index[2])
{
    int found = 0;
    for (size_t i = 0; i < sim->n && found < 2; i++)
        if (id_of(sim, i) == passage->id[0] || id_of(sim, i) == passage->id[1])
            index[found++] = i;
    return found == 2;
}

static int has(const struct ky_pairs *pairs, const size_t index[2])
{
    for (size_t k = 0; k < pairs->count; k++)
        if (pairs->index[k][0] == index[0] && pairs->index[k][1] == index[1])
            return 1;
    return 0;
}

enum ky_status ky_sim_add_passages(struct ky_sim *sim, const double *radius, size_t radii,
                                   struct ky_pairs *pairs, struct ky_error *error)
{
    KY_TRY(take(sim, error));
    for (size_t k = 0; k < sim->passages.count; k++) {
        const struct ky_passage *one = &sim->passages.one[k];
        size_t index[2];
        if (!find(sim, one, index))
            continue;
        const double reach = radii > 1 ? radius[index[0]] + radius[index[1]]
                             : radii   ? 2 * radius[0]
                                       : 0;
        if (one->distance <= reach && !has(pairs, index))
            KY_TRY(ky_pairs_add(pairs, index[0], index[1], one->distance, error));
    }
    return KY_OK;
}
