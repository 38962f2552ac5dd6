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
#include "integrate/expansion.h"
#include "integrate/friction.h"

/* A ky_task: fills the struct ky_bound. Allocates no more arrays at a time than necessary. */
static enum ky_status find_bound(struct ky_task_share *share, void *told, struct ky_error *outcome,
                                 struct ky_error *error)
{
    static const enum ky_array_id first[] = {KY_ARRAY_VELOCITY, KY_ARRAY_POTENTIAL, KY_ARRAY_MASS};
    struct ky_bodies *bodies = &share->bodies;
    enum ky_status status = KY_OK;
    (void)outcome;
    for (size_t k = 0; k < sizeof first / sizeof *first && !status; k++)
        status = share->fetch(share, first[k], error);
    if (!status)
        status = ky_choose_bound(&share->portion, bodies, told, error);
    free(bodies->velocity);
    free(bodies->potential);
    bodies->velocity = NULL, bodies->potential = NULL;
    if (!status)
        status = share->fetch(share, KY_ARRAY_POSITION, error);
    return status ? status : ky_bound_radius(&share->portion, bodies, told, error);
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

/* Arguments and results of ranks that take bodies from their source. */
struct taking {
    struct ky_parameters parameters; /* of the run, with the chosen softening */
    double time;
    struct ky_source source;
    struct ky_run_facts facts;
};

/* ---- facts about the bodies ---- */

/* KY_OK, with *wrong, if a rank has bodies with impossible numbers; *outcome reports it there. */
static enum ky_status check_numbers(const struct ky_task_share *share, uint64_t *wrong,
                                    struct ky_error *outcome, struct ky_error *error)
{
    *wrong = ky_bodies_check_from(share->threads, share->portion.first, &share->bodies, outcome) !=
             KY_OK;
    return ky_portion_add_up(&share->portion, wrong, 1, error);
}

/* Computes scales and the fastest body, of comoving bodies the mass. */
static enum ky_status measure(const struct ky_task_share *share, struct taking *taking,
                              struct ky_error *error)
{
    const struct ky_portion *portion = &share->portion;
    const struct ky_parameters *parameters = &taking->parameters;
    struct ky_run_facts *facts = &taking->facts;
    facts->scales = (struct ky_scales){.size = sizeof facts->scales};
    if (ky_is_comoving(parameters))
        return ky_portion_sum(portion, share->bodies.mass, &facts->mass, error);
    enum ky_status status = parameters->g > 0
                                ? ky_portion_scales(portion, &share->bodies, parameters->g,
                                                    parameters->softening, &facts->scales, error)
                                : KY_OK;
    facts->fastest = facts->scales.fastest;
    memset(facts->velocity, 0, sizeof facts->velocity);
    if (!status && ky_portion_has(portion, (size_t)facts->fastest))
        memcpy(facts->velocity, share->bodies.velocity[facts->fastest - portion->first],
               sizeof facts->velocity);
    return status ? status : ky_portion_add_up(portion, facts->velocity, 3, error);
}

/* Computes units, hash and scales of checked bodies. */
static enum ky_status know(const struct ky_task_share *share, struct taking *taking,
                           struct ky_error *error)
{
    struct ky_run_facts *facts = &taking->facts;
    struct ky_engine_units units;
    facts->wrong = (struct ky_error){KY_OK, ""};
    KY_TRY(ky_portion_units(&share->portion, &share->bodies, &taking->parameters, &units,
                            &facts->wrong, error));
    facts->units = (struct ky_engine_frame){.length = units.length, .mass = units.mass};
    KY_TRY(ky_run_hash(&share->portion, &share->bodies, facts->counts, &facts->hash, error));
    return measure(share, taking, error);
}

/* Determines whether the ids only count the bodies, so that they are not needed. */
static enum ky_status count_ids(const struct ky_task_share *share, int *counts,
                                struct ky_error *error)
{
    const struct ky_bodies *bodies = &share->bodies;
    uint64_t others = 0;
    for (size_t i = 0; bodies->id && i < bodies->n; i++)
        others += bodies->id[i] != share->portion.first + i;
    const enum ky_status status = ky_portion_add_up(&share->portion, &others, 1, error);
    *counts = bodies->id && !others;
    return status;
}

/* KY_OK, with *wrong, if a rank has impossible forces from an earlier run. */
static enum ky_status check_forces(const struct ky_task_share *share, uint64_t *wrong,
                                   struct ky_error *outcome, struct ky_error *error)
{
    *wrong = ky_bodies_check_forces_from(share->threads, share->portion.first, &share->bodies,
                                         outcome) != KY_OK;
    return ky_portion_add_up(&share->portion, wrong, 1, error);
}

/* Does all checks of bodies that were taken, in the same order as in one process. */
static enum ky_status check_taken(struct ky_task_share *share, struct taking *taking,
                                  uint64_t *wrong, struct ky_error *outcome, struct ky_error *error)
{
    struct ky_bodies *bodies = &share->bodies;
    struct ky_run_facts *facts = &taking->facts;
    enum ky_status status = check_numbers(share, wrong, outcome, error);
    if (!status && !*wrong)
        status = check_forces(share, wrong, outcome, error);
    if (outcome->status && !taking->source.is_model)
        ky_fail_in(outcome, outcome->status, "%s: ", taking->source.of.file.path);
    if (status || *wrong)
        return status;
    status = count_ids(share, &facts->counts, error);
    facts->counts |= taking->source.is_model; /* their ids count them, and are not made */
    for (int k = 0; k < KY_ARRAYS; k++)       /* needed for the checks only */
        if (ky_arrays[k].with) {
            free(ky_array_of(bodies, (enum ky_array_id)k));
            ky_array_set(bodies, (enum ky_array_id)k, NULL);
        }
    facts->massless = ky_bodies_massless(bodies);
    if (!status)
        status = ky_portion_add_up(&share->portion, &facts->massless, 1, error);
    if (!status && facts->massless)
        ky_fail(outcome, KY_UNSUPPORTED, "there are bodies without mass");
    *wrong = facts->massless > 0;
    return status;
}

/* Replaces peculiar velocities a dx/dt of comoving bodies by the momenta a² dx/dt. */
static void take_momenta(const struct taking *taking, struct ky_bodies *own)
{
    for (size_t i = 0; i < own->n && ky_is_comoving(&taking->parameters); i++)
        for (int c = 0; c < 3; c++)
            own->velocity[i][c] *= taking->time;
}

/* A ky_task: takes the bodies of a struct taking from their source, and measures them. */
static enum ky_status take(struct ky_task_share *share, void *told, struct ky_error *outcome,
                           struct ky_error *error)
{
    struct taking *taking = told;
    uint64_t wrong = 0;
    KY_TRY(ky_source_take(&taking->source, share, &wrong, outcome, error));
    if (!wrong)
        KY_TRY(check_taken(share, taking, &wrong, outcome, error));
    if (!wrong)
        KY_TRY(know(share, taking, error));
    if (!wrong)
        take_momenta(taking, &share->bodies);
    return KY_OK;
}

/* ---- pieces of a restart file ---- */

/* Arguments and results of ranks that read pieces. */
struct resuming {
    struct ky_pieces pieces;
    uint64_t lack, massless; /* ranks whose bodies have no forces yet; bodies without mass */
};

/* A ky_task: reads the bodies of a struct resuming. */
static enum ky_status resume(struct ky_task_share *share, void *told, struct ky_error *outcome,
                             struct ky_error *error)
{
    struct resuming *resuming = told;
    struct ky_bodies *own = &share->bodies;
    if (ky_pieces_read(&resuming->pieces, &share->portion, share->threads, own, outcome) ==
        KY_FAULT)
        return ky_fail(error, KY_FAULT, "%s", outcome->text);
    uint64_t found[2] = {!outcome->status && own->n && !ky_knows_acceleration(own),
                         outcome->status ? 0 : ky_bodies_massless(own)};
    const enum ky_status status = ky_portion_add_up(&share->portion, found, 2, error);
    resuming->lack = found[0];
    resuming->massless = found[1];
    if (resuming->lack) {
        free(own->acceleration);
        own->acceleration = NULL;
    }
    return status;
}

enum { FIND_BOUND, TAKE, RESUME };
static const struct ky_task of[] = {
    [FIND_BOUND] = {.bytes = sizeof(struct ky_bound), .run = find_bound},
    [TAKE] = {.bytes = sizeof(struct taking), .makes = 1, .run = take},
    [RESUME] = {.bytes = sizeof(struct resuming), .makes = 1, .run = resume},
};
static const struct ky_tasks tasks = {sizeof of / sizeof *of, of};

enum ky_status ky_run_resume_pieces(struct ky_engine *engine, const struct ky_pieces *pieces,
                                    int *has_forces, int *has_massless, struct ky_error *error)
{
    struct resuming resuming = {.pieces = *pieces};
    const enum ky_status status = ky_engine_task(engine, &tasks, RESUME, &resuming, error);
    *has_forces = !resuming.lack;
    *has_massless = resuming.massless > 0;
    return status;
}

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

/* Chooses ranks and force of a run whose bodies are not in this process. KY_UNSUPPORTED for one
 * rank. */
static enum ky_status settle(const struct ky_run_parameters *run, struct ky_parameters *own,
                             size_t n, struct ky_error *error)
{
    struct ky_choice choice;
    char remark[KY_RANKS_REMARK]; /* logged when they are chosen for the run itself */
    ky_run_choose_ranks(run, own, &(struct ky_bodies){.n = n}, remark);
    if (own->ranks < 2)
        return ky_fail(error, KY_UNSUPPORTED, "one rank has all bodies");
    const struct ky_engine_use use = ky_integrator_use(own, n);
    return ky_force_settle(own, &(struct ky_bodies){.n = n}, &use, &choice, NULL, error);
}

int ky_run_can_divide(const struct ky_run *run, const struct ky_snapshot *initial)
{
    const struct ky_run_parameters *given = &run->given;
    struct ky_parameters own = run->parameters;
    struct ky_run_universe universe;
    const size_t n = initial->bodies.n;
    own.units = initial->units;
    own.units.g = own.g;
    own.log = NULL;
    if ((own.ranks < 2 && !given->choose_ranks) || !n || given->follow || !isnan(own.error) ||
        ky_friction_is_asked(&own) || given->stellar_evolution || given->stellar ||
        given->collisions != KY_COLLISIONS_BY_STOP) /* stars may need radii */
        return 0;
    const int can = !ky_run_settle_universe(&own, initial, &universe, NULL) &&
                    !ky_parameters_resolve(&own, &own, NULL) && !settle(given, &own, n, NULL) &&
                    own.ranks <= KY_BLOCKS &&
                    (isnan(own.softening) ? initial->softening : own.softening) > 0 &&
                    ky_domain_divides(&own, ky_integrator_use(&own, n).schemes);
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

/* Opens the simulation, and lets its ranks take n bodies. */
static enum ky_status take_by_ranks(struct ky_run *run, size_t n, struct taking *taking,
                                    struct ky_error *error)
{
    const struct ky_source *source = &taking->source;
    taking->parameters = run->parameters;
    KY_TRY(settle(&run->given, &taking->parameters, n, error));
    KY_TRY(ky_sim_begin(&taking->parameters, n, &run->sim, error));
    KY_TRY(check_memory(run->sim, error));
    ky_announce(&run->parameters, n,
                source->is_model ? "bodies, made by the ranks" : "bodies, read by the ranks");
    KY_TRY(ky_engine_task(run->sim->engine, &tasks, TAKE, taking, error));
    struct ky_halt halt = {.flag = source->is_model ? source->of.recipe.parameters.stop : NULL};
    return ky_halt_check(&halt, error);
}

enum ky_status ky_run_take(struct ky_run *run, double time, struct ky_bodies *bodies,
                           struct ky_run_facts *facts, struct ky_error *error)
{
    struct taking *taking;
    KY_TRY(ky_array_zeroed(&taking, 1, sizeof *taking, "a source of bodies", error));
    taking->source = *run->from;
    taking->time = time;
    enum ky_status status = take_by_ranks(run, bodies->n, taking, error);
    *facts = taking->facts;
    free(taking);
    if (status && facts->massless) {
        ky_sim_close(run->sim);
        run->sim = NULL;
        return KY_OK;
    }
    /* in one process: ids that do not count the bodies, and the hash of all labels */
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    if (!status && !facts->counts)
        status = ky_source_label(run->from, KY_WITH_ID, bodies, error);
    if (!status)
        status = ky_run_hash(&all, bodies, 0, &facts->hash, error);
    if (!status && bodies->id)
        facts->fastest = bodies->id[facts->fastest];
    return status;
}

enum ky_status ky_mpi_lead(int (*lead)(void *context), void *context, int *code,
                           struct ky_error *error)
{
    KY_NEED(lead, error);
    KY_NEED(code, error);
    return ky_domain_lead(lead, context, &tasks, code, error);
}
