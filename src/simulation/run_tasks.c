/* The table of the run's collective tasks: see run_tasks.h. */
#include "simulation/run_tasks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/units.h"
#include "integrate/friction.h"

/* A ky_task: fills the struct ky_bound. Allocates no more arrays at a time than necessary. */
static enum ky_status find_bound(struct ky_task_place *place, void *told, struct ky_error *outcome,
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

/* The hash of an array over all ranks; NULL: of ids that are the indices. Each rank continues the
 * hash of the previous rank. */
static enum ky_status hash_array(const struct ky_portion *portion, const void *array, size_t bytes,
                                 uint64_t seed, uint64_t *hash, struct ky_error *error)
{
    struct ky_hashing hashing = ky_hash_begin(seed);
    const size_t n = ky_portion_count(portion);
    for (size_t s = 0; s < portion->shares; s++) {
        if (s != portion->share)
            hashing = (struct ky_hashing){.bytes = 0};
        else if (array)
            ky_hash_add(&hashing, array, n * bytes);
        else
            hash_ids(&hashing, portion->first, n);
        KY_TRY(ky_portion_add_up(portion, &hashing, sizeof hashing / sizeof(uint64_t), error));
    }
    *hash = ky_hash_end(&hashing);
    return KY_OK;
}

enum ky_status ky_run_hash(const struct ky_portion *portion, const struct ky_bodies *bodies,
                           int counts, uint64_t *hash, struct ky_error *error)
{
    uint64_t own = *hash ? *hash : portion->n, place = 0;
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

/* Arguments and results of ranks for bodies that are not in this process. */
struct beginning {
    struct ky_parameters parameters; /* of the run, with the chosen softening */
    struct ky_run_facts facts;
};

/* Arguments for making the bodies. */
struct making {
    struct beginning begins;
    struct ky_model_recipe recipe;
};

/* Arguments for reading the bodies. */
struct reading {
    struct beginning begins;
    struct ky_shared_file file;
    uint64_t massless; /* result: number of massless bodies, with which they cannot be divided */
};

/* ---- facts about them ---- */

/* KY_OK, with *wrong, if a rank has bodies with impossible numbers; *outcome reports it there. */
static enum ky_status check_numbers(const struct ky_task_place *place, uint64_t *wrong,
                                    struct ky_error *outcome, struct ky_error *error)
{
    *wrong = ky_bodies_check_from(place->threads, place->portion.first, &place->bodies, outcome) !=
             KY_OK;
    return ky_portion_add_up(&place->portion, wrong, 1, error);
}

/* Computes scales and the fastest body. */
static enum ky_status measure(const struct ky_task_place *place, struct beginning *begins,
                              struct ky_error *error)
{
    const struct ky_portion *portion = &place->portion;
    const struct ky_parameters *parameters = &begins->parameters;
    struct ky_run_facts *facts = &begins->facts;
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
    return status ? status : ky_portion_add_up(portion, facts->velocity, 3, error);
}

/* Computes units, hash and scales of checked bodies. */
static enum ky_status know(const struct ky_task_place *place, struct beginning *begins,
                           struct ky_error *error)
{
    struct ky_run_facts *facts = &begins->facts;
    struct ky_engine_units units;
    facts->wrong = (struct ky_error){KY_OK, ""};
    KY_TRY(ky_portion_units(&place->portion, &place->bodies, &begins->parameters, &units,
                            &facts->wrong, error));
    facts->units = (struct ky_engine_frame){.length = units.length, .mass = units.mass};
    KY_TRY(ky_run_hash(&place->portion, &place->bodies, facts->counts, &facts->hash, error));
    return measure(place, begins, error);
}

/* A ky_task: makes the bodies of a struct making, and measures them. */
static enum ky_status make(struct ky_task_place *place, void *told, struct ky_error *outcome,
                           struct ky_error *error)
{
    struct making *making = told;
    struct ky_snapshot snapshot;
    struct ky_error own = {KY_OK, ""};
    uint64_t wrong = 0;
    enum ky_status status = ky_recipe_make(&making->recipe, &place->portion, &snapshot, &own);
    if (status == KY_FAULT)
        return ky_fail(error, status, "%s", own.text);
    *outcome = own; /* the same on all ranks */
    if (status)
        return KY_OK;
    place->bodies = snapshot.bodies;
    making->begins.facts.counts = 1;
    status = check_numbers(place, &wrong, outcome, error);
    return status || wrong ? status : know(place, &making->begins, error);
}

/* Determines whether the ids only count the bodies, so that they are not needed. */
static enum ky_status count_ids(const struct ky_task_place *place, int *counts,
                                struct ky_error *error)
{
    const struct ky_bodies *bodies = &place->bodies;
    uint64_t others = 0;
    for (size_t i = 0; bodies->id && i < bodies->n; i++)
        others += bodies->id[i] != place->portion.first + i;
    const enum ky_status status = ky_portion_add_up(&place->portion, &others, 1, error);
    *counts = bodies->id && !others;
    return status;
}

/* KY_OK, with *wrong, if a rank has impossible forces from an earlier run. */
static enum ky_status check_forces(const struct ky_task_place *place, uint64_t *wrong,
                                   struct ky_error *outcome, struct ky_error *error)
{
    *wrong = ky_bodies_check_forces_from(place->threads, place->portion.first, &place->bodies,
                                         outcome) != KY_OK;
    return ky_portion_add_up(&place->portion, wrong, 1, error);
}

/* Does all checks of bodies that were read, in the same order as in one process. */
static enum ky_status check_read(struct ky_task_place *place, struct reading *reading,
                                 uint64_t *wrong, struct ky_error *outcome, struct ky_error *error)
{
    struct ky_bodies *bodies = &place->bodies;
    enum ky_status status = check_numbers(place, wrong, outcome, error);
    if (!status && !*wrong)
        status = check_forces(place, wrong, outcome, error);
    if (outcome->status)
        ky_fail_in(outcome, outcome->status, "%s: ", reading->file.path);
    if (status || *wrong)
        return status;
    status = count_ids(place, &reading->begins.facts.counts, error);
    for (int k = 0; k < KY_ARRAYS; k++) /* needed for the checks only */
        if (ky_arrays[k].with) {
            free(ky_array_of(bodies, (enum ky_array_id)k));
            ky_array_set(bodies, (enum ky_array_id)k, NULL);
        }
    reading->massless = ky_bodies_massless(bodies);
    if (!status)
        status = ky_portion_add_up(&place->portion, &reading->massless, 1, error);
    if (!status && reading->massless)
        ky_fail(outcome, KY_UNSUPPORTED, "there are bodies without mass");
    *wrong = reading->massless > 0;
    return status;
}

/* A ky_task: reads the bodies of a struct reading, and measures them. */
static enum ky_status read(struct ky_task_place *place, void *told, struct ky_error *outcome,
                           struct ky_error *error)
{
    struct reading *reading = told;
    uint64_t wrong = 0;
    enum ky_status status = ky_shared_file_read(&reading->file, &place->portion, place->threads,
                                                &place->bodies, &wrong, outcome, error);
    if (!status && !wrong)
        status = check_read(place, reading, &wrong, outcome, error);
    return status || wrong ? status : know(place, &reading->begins, error);
}

enum { FIND_BOUND, MAKE, READ };
static const struct ky_task of[] = {
    [FIND_BOUND] = {.bytes = sizeof(struct ky_bound), .run = find_bound},
    [MAKE] = {.bytes = sizeof(struct making), .makes = 1, .run = make},
    [READ] = {.bytes = sizeof(struct reading), .makes = 1, .run = read},
};
static const struct ky_tasks tasks = {sizeof of / sizeof *of, of};

enum ky_status ky_run_find_bound(struct ky_engine *engine, struct ky_bound *bound,
                                 struct ky_error *error)
{
    *bound = (struct ky_bound){0};
    return ky_engine_task(engine, &tasks, FIND_BOUND, bound, error);
}

void ky_run_choose_ranks(const struct ky_run_parameters *run, struct ky_parameters *parameters,
                         const struct ky_bodies *bodies, char remark[KY_RANKS_REMARK])
{
    if (run->choose_ranks)
        ky_domain_choose_ranks(parameters, ky_integrator_use(parameters, bodies->n).schemes, bodies,
                               remark);
    else
        ky_domain_take_first(parameters, "because of --ranks 1", remark);
}

/* Chooses ranks and force of a run whose bodies are not in this process. */
static enum ky_status settle(const struct ky_run_parameters *run, struct ky_parameters *own,
                             size_t n, struct ky_error *error)
{
    struct ky_choice choice;
    char remark[KY_RANKS_REMARK]; /* logged when they are chosen for the run itself */
    ky_run_choose_ranks(run, own, &(struct ky_bodies){.n = n}, remark);
    const struct ky_engine_use use = ky_integrator_use(own, n);
    return ky_force_settle(own, &(struct ky_bodies){.n = n}, &use, &choice, NULL, error);
}

/* ky_run_can_make with parameters in which the bodies' cosmology is settled. Changes them. */
static int can_make(struct ky_parameters *own, const struct ky_run_parameters *run,
                    const struct ky_snapshot *initial)
{
    const size_t n = initial->bodies.n;
    if ((own->ranks < 2 && !run->choose_ranks) || !n || run->follow || !isnan(own->error) ||
        ky_friction_is_asked(own) || ky_parameters_resolve(own, own, NULL))
        return 0;
    if (settle(run, own, n, NULL) || own->ranks < 2 || own->ranks > KY_BLOCKS)
        return 0;
    const struct ky_engine_use use = ky_integrator_use(own, n);
    return (isnan(own->softening) ? initial->softening : own->softening) > 0 &&
           ky_domain_divides(own, use.schemes);
}

int ky_run_can_make(const struct ky_parameters *parameters, const struct ky_run_parameters *run,
                    const struct ky_snapshot *initial)
{
    struct ky_parameters own = *parameters;
    struct ky_run_universe universe;
    own.units = initial->units;
    own.units.g = own.g;
    own.log = NULL;
    const int can =
        !ky_run_settle_universe(&own, initial, &universe, NULL) && can_make(&own, run, initial);
    free(universe.field);
    return can;
}

/* Checks the memory for the ranks of this computer; the other computers have as many. */
static enum ky_status check_memory(const struct ky_sim *sim, struct ky_error *error)
{
    struct ky_memory memory;
    const double total = ky_memory_total();
    ky_engine_memory(sim->engine, ky_integrator_columns(&sim->parameters), sim->n, 0, &memory);
    if (memory.host <= total)
        return KY_OK;
    return ky_fail(error, KY_FAULT,
                   "%zu bodies need about %.3g GB of memory on this computer, which has %.3g GB: "
                   "take fewer bodies, or ranks on more computers; --dry-run prints how many fit",
                   sim->n, memory.host / 1e9, total / 1e9);
}

/* Opens the simulation, and starts the collective task with n bodies. */
static enum ky_status begin(struct ky_run *run, size_t n, size_t number, struct beginning *begins,
                            const char *what, struct ky_error *error)
{
    begins->parameters = run->parameters;
    enum ky_status status = settle(&run->given, &begins->parameters, n, error);
    if (!status)
        status = ky_sim_begin(&begins->parameters, n, &run->begun_sim, error);
    if (!status)
        status = check_memory(run->begun_sim, error);
    ky_announce(&run->parameters, n, what);
    return status ? status : ky_engine_task(run->begun_sim->engine, &tasks, number, begins, error);
}

enum ky_status ky_run_make(struct ky_run *run, size_t n, struct ky_run_facts *facts,
                           struct ky_error *error)
{
    struct making *making = ky_allocate_zeroed(1, sizeof *making);
    if (!making)
        return ky_no_memory(error, "a model", 1, sizeof *making);
    making->recipe = *run->recipe;
    const enum ky_status status =
        begin(run, n, MAKE, &making->begins, "bodies, made by the ranks", error);
    *facts = making->begins.facts;
    free(making);
    struct ky_halt halt = {.flag = run->recipe->parameters.stop};
    return status ? status : ky_halt_check(&halt, error);
}

/* Finishes the task in one process: ids that do not count the bodies, and the hash of all
 * labels. */
static enum ky_status label(const struct ky_shared_file *file, struct ky_bodies *bodies,
                            struct ky_run_facts *facts, struct ky_error *error)
{
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    enum ky_status status =
        facts->counts ? KY_OK : ky_shared_file_label(file, KY_WITH_ID, bodies, error);
    if (!status)
        status = ky_run_hash(&all, bodies, 0, &facts->hash, error);
    if (bodies->id)
        facts->fastest = bodies->id[facts->fastest];
    return status;
}

enum ky_status ky_run_read(struct ky_run *run, struct ky_bodies *bodies, int *massless,
                           struct ky_run_facts *facts, struct ky_error *error)
{
    struct reading *reading = ky_allocate_zeroed(1, sizeof *reading);
    if (!reading)
        return ky_no_memory(error, "a file", 1, sizeof *reading);
    reading->file = *run->file;
    enum ky_status status =
        begin(run, bodies->n, READ, &reading->begins, "bodies, read by the ranks", error);
    *facts = reading->begins.facts;
    *massless = reading->massless > 0;
    free(reading);
    if (status && *massless) {
        ky_sim_close(run->begun_sim);
        run->begun_sim = NULL;
        return KY_OK;
    }
    return status ? status : label(run->file, bodies, facts, error);
}

enum ky_status ky_mpi_lead(int (*lead)(void *context), void *context, int *code,
                           struct ky_error *error)
{
    KY_NEED(lead, error);
    KY_NEED(code, error);
    return ky_domain_lead(lead, context, &tasks, code, error);
}
