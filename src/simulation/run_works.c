/* The table of works that ranks do together: see run_works.h. */
#include "simulation/run_works.h"

#include <stdlib.h>

#include "domain/domain.h"

/* A ky_work: fills the struct ky_bound. No more arrays are there at a time than are needed. */
static enum ky_status find_bound(struct ky_work_place *place, void *told, struct ky_error *outcome,
                                 struct ky_error *error)
{
    static const enum ky_array_id first[] = {KY_ARRAY_VELOCITY, KY_ARRAY_POTENTIAL, KY_ARRAY_MASS};
    struct ky_bodies *bodies = &place->bodies;
    enum ky_status status = KY_OK;
    (void)outcome;
    for (size_t k = 0; k < sizeof first / sizeof *first && !status; k++)
        status = place->fetch(place, first[k], error);
    if (!status)
        status = ky_choose_bound(&place->portion, bodies, told, error);
    free(bodies->velocity);
    free(bodies->potential);
    bodies->velocity = NULL, bodies->potential = NULL;
    if (!status)
        status = place->fetch(place, KY_ARRAY_POSITION, error);
    return status ? status : ky_bound_radius(&place->portion, bodies, told, error);
}

enum { FIND_BOUND };
static const struct ky_work of[] = {
    [FIND_BOUND] = {.bytes = sizeof(struct ky_bound), .run = find_bound},
};
static const struct ky_works works = {sizeof of / sizeof *of, of};

enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error)
{
    *bound = (struct ky_bound){0};
    return ky_engine_work(engine, &works, FIND_BOUND, bound, error);
}

enum ky_status ky_mpi_lead(int (*lead)(void *context), void *context, int *code,
                           struct ky_error *error)
{
    return ky_domain_lead(lead, context, &works, code, error);
}
