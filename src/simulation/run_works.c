/* The table of works that ranks do together: see run_works.h. */
#include "simulation/run_works.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/hash.h"
#include "base/memory.h"
#include "engine/common/units.h"
#include "integrate/friction.h"

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

/* ---- bodies that ranks make ---- */

/* Adds ids that count the bodies from `first` on. */
static void hash_ids(struct ky_hashing *hashing, size_t first, size_t n)
{
    uint64_t id[512];
    const size_t most = sizeof id / sizeof *id;
    for (size_t done = 0; done < n; done += most) {
        const size_t count = n - done < most ? n - done : most;
        for (size_t k = 0; k < count; k++)
            id[k] = first + done + k;
        ky_hash_add(hashing, id, count * sizeof *id);
    }
}

/* The hash of an array of all; NULL: of ids. Each rank goes on where the one before has ended. */
static enum ky_status hash_array(const struct ky_portion *portion, const void *array, size_t bytes,
                                 uint64_t seed, uint64_t *hash, struct ky_error *error)
{
    struct ky_hashing hashing = ky_hash_begin(seed);
    const size_t n = ky_portion_count(portion);
    enum ky_status status = KY_OK;
    for (size_t s = 0; s < portion->shares && !status; s++) {
        if (s != portion->share)
            hashing = (struct ky_hashing){.bytes = 0};
        else if (array)
            ky_hash_add(&hashing, array, n * bytes);
        else
            hash_ids(&hashing, portion->first, n);
        status = ky_portion_tell(portion, &hashing, sizeof hashing / sizeof(uint64_t), error);
    }
    *hash = ky_hash_end(&hashing);
    return status;
}

enum ky_status ky_run_hash(const struct ky_portion *portion, const struct ky_bodies *bodies,
                           int counts, uint64_t *hash, struct ky_error *error)
{
    uint64_t own = portion->n, place = 0;
    enum ky_status status = KY_OK;
    for (int k = 0; k < KY_ARRAYS && !status; k++) {
        if (ky_arrays[k].with & (KY_WITH_ACCELERATION | KY_WITH_POTENTIAL))
            continue;
        const void *array = ky_array_of(bodies, (enum ky_array_id)k);
        if (array || (k == KY_ARRAY_ID && counts))
            status = hash_array(portion, array, ky_arrays[k].bytes, own + place, &own, error);
        place++;
    }
    *hash = own ? own : 1;
    return status;
}

/* What ranks make bodies of, and what they find. */
struct making {
    struct ky_model_recipe recipe;
    struct ky_parameters parameters; /* of the run, with the softening that was chosen */
    struct ky_run_facts facts;
};

/* KY_OK, with *wrong, where a rank has bodies with numbers that cannot be; *outcome says so there.
 */
static enum ky_status check_made(const struct ky_work_place *place, uint64_t *wrong,
                                 struct ky_error *outcome, struct ky_error *error)
{
    *wrong = ky_bodies_check_from(place->threads, place->portion.first, &place->bodies, outcome) !=
             KY_OK;
    return ky_portion_tell(&place->portion, wrong, 1, error);
}

/* Scales and the fastest body of what was made. */
static enum ky_status measure_made(const struct ky_work_place *place, struct making *making,
                                   struct ky_error *error)
{
    const struct ky_portion *portion = &place->portion;
    const struct ky_parameters *parameters = &making->parameters;
    struct ky_run_facts *facts = &making->facts;
    facts->scales = (struct ky_scales){.size = sizeof facts->scales};
    enum ky_status status = parameters->g > 0
                                ? ky_portion_scales(portion, &place->bodies, parameters->g,
                                                    parameters->softening, &facts->scales, error)
                                : KY_OK;
    facts->fastest = facts->scales.fastest;
    memset(facts->velocity, 0, sizeof facts->velocity);
    if (!status && ky_portion_has(portion, (size_t)facts->fastest))
        memcpy(facts->velocity, place->bodies.velocity[facts->fastest - portion->first],
               sizeof facts->velocity);
    return status ? status : ky_portion_tell(portion, facts->velocity, 3, error);
}

/* A ky_work: makes the bodies of a struct making, and finds what is to be known of them. */
static enum ky_status make(struct ky_work_place *place, void *told, struct ky_error *outcome,
                           struct ky_error *error)
{
    struct making *making = told;
    struct ky_snapshot snapshot;
    struct ky_engine_units units;
    struct ky_error own = {KY_OK, ""};
    uint64_t wrong = 0;
    enum ky_status status = ky_recipe_make(&making->recipe, &place->portion, &snapshot, &own);
    if (status == KY_FAULT)
        return ky_fail(error, status, "%s", own.text);
    *outcome = own; /* the same on all ranks */
    if (status)
        return KY_OK;
    place->bodies = snapshot.bodies;
    status = check_made(place, &wrong, outcome, error);
    if (status || wrong)
        return status;
    making->facts.wrong = (struct ky_error){KY_OK, ""};
    status = ky_portion_units(&place->portion, &place->bodies, &making->parameters, &units,
                              &making->facts.wrong, error);
    if (status)
        return status;
    making->facts.units = (struct ky_engine_frame){.length = units.length, .mass = units.mass};
    status = ky_run_hash(&place->portion, &place->bodies, 1, &making->facts.hash, error);
    return status ? status : measure_made(place, making, error);
}

enum { FIND_BOUND, MAKE };
static const struct ky_work of[] = {
    [FIND_BOUND] = {.bytes = sizeof(struct ky_bound), .run = find_bound},
    [MAKE] = {.bytes = sizeof(struct making), .makes = 1, .run = make},
};
static const struct ky_works works = {sizeof of / sizeof *of, of};

enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error)
{
    *bound = (struct ky_bound){0};
    return ky_engine_work(engine, &works, FIND_BOUND, bound, error);
}

void ky_run_choose_ranks(const struct ky_run_parameters *run, struct ky_parameters *parameters,
                         const struct ky_bodies *bodies, char remark[KY_RANKS_REMARK])
{
    *remark = '\0';
    if (run->choose_ranks)
        ky_domain_choose_ranks(parameters, ky_integrator_use(parameters, bodies->n).schemes, bodies,
                               remark);
}

/* The ranks and the force that a run takes, for bodies that are not here. */
static enum ky_status settle(const struct ky_run_parameters *run, struct ky_parameters *own,
                             size_t n, struct ky_error *error)
{
    struct ky_choice choice;
    char remark[KY_RANKS_REMARK]; /* the log has it when they are chosen for the run itself */
    ky_run_choose_ranks(run, own, &(struct ky_bodies){.n = n}, remark);
    const struct ky_engine_use use = ky_integrator_use(own, n);
    return ky_force_settle(own, &(struct ky_bodies){.n = n}, &use, &choice, NULL, error);
}

int ky_run_can_make(const struct ky_parameters *parameters, const struct ky_run_parameters *run,
                    const struct ky_snapshot *initial)
{
    struct ky_parameters own = *parameters;
    const size_t n = initial->bodies.n;
    own.units = initial->units;
    own.units.g = own.g;
    own.log = NULL;
    if ((own.ranks < 2 && !run->choose_ranks) || !n || run->follow || !isnan(own.error) ||
        ky_friction_is_asked(&own) || ky_parameters_resolve(&own, &own, NULL))
        return 0;
    if (settle(run, &own, n, NULL) || own.ranks < 2 || own.ranks > KY_BLOCKS)
        return 0;
    const struct ky_engine_use use = ky_integrator_use(&own, n);
    return (isnan(own.softening) ? initial->softening : own.softening) > 0 &&
           ky_domain_divides(&own, use.schemes);
}

/* The ranks of this computer, of which the other computers have as many. */
static enum ky_status check_memory(const struct ky_sim *sim, struct ky_error *error)
{
    struct ky_memory memory;
    const double total = ky_memory_total();
    ky_engine_memory(sim->engine, ky_integrator_columns(&sim->parameters), sim->n, 0, &memory);
    if (memory.host <= total)
        return KY_OK;
    return ky_fail(error, KY_FAULT,
                   "%zu bodies need about %.3g GB of memory on this computer, which has %.3g GB: "
                   "take fewer bodies, or ranks on more computers; --dry-run tells how many fit",
                   sim->n, memory.host / 1e9, total / 1e9);
}

enum ky_status ky_run_make(struct ky_run *run, size_t n, struct ky_run_facts *facts,
                           struct ky_error *error)
{
    struct making *making = ky_allocate_zeroed(1, sizeof *making);
    if (!making)
        return ky_no_memory(error, "a model", 1, sizeof *making);
    making->recipe = *run->recipe;
    making->parameters = run->parameters;
    enum ky_status status = settle(&run->given, &making->parameters, n, error);
    if (!status)
        status = ky_sim_begin(&making->parameters, n, &run->begun_sim, error);
    if (!status)
        status = check_memory(run->begun_sim, error);
    ky_announce(&run->parameters, n, "bodies, made by the ranks");
    if (!status)
        status = ky_engine_work(run->begun_sim->engine, &works, MAKE, making, error);
    *facts = making->facts;
    free(making);
    struct ky_halt halt = {.flag = run->recipe->parameters.stop};
    return status ? status : ky_halt_check(&halt, error);
}

enum ky_status ky_mpi_lead(int (*lead)(void *context), void *context, int *code,
                           struct ky_error *error)
{
    return ky_domain_lead(lead, context, &works, code, error);
}
