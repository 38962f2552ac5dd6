/* Orders of rank 0, and their execution on every rank. */
#include "domain/orders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/phases.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/common/external.h"
#include "engine/common/integrator_columns.h"

/* ---- the parts ---- */

typedef enum ky_status part(struct ky_domain *domain, const struct ky_order *order,
                            struct ky_error *error);

/* How many ranks share the processors of this rank: ranks of the same computer that a launcher has
 * given the same processors. Processors of different computers may have the same numbers. */
static enum ky_status count_sharers(struct ky_comm *comm, int *sharers, struct ky_error *error)
{
    struct {
        int computer; /* by its first rank */
        unsigned char mask[128];
    } own = {.computer = comm->local_first}, *all;
    ky_cores_mask(own.mask, sizeof own.mask);
    KY_TRY(ky_comm_gather(comm, &own, sizeof own, &all, error));
    *sharers = 0;
    for (int r = 0; r < comm->size; r++)
        *sharers += !memcmp(&own, &all[r], sizeof own);
    free(all);
    return KY_OK;
}

/* The threads of a rank. --threads or OMP_NUM_THREADS is the number for each process; ranks that
 * are threads of one process share it. */
static enum ky_status share_threads(struct ky_comm *comm, int *threads, struct ky_error *error)
{
    int sharers = comm->size;
    enum ky_status status = KY_OK;
    if (comm->is_process && (*threads || getenv("OMP_NUM_THREADS")))
        sharers = 1;
    else if (comm->is_process)
        status = count_sharers(comm, &sharers, error);
    const int all = ky_threads(*threads);
    *threads = all > sharers ? all / sharers : 1;
    return status;
}

/* Parameters travel as raw memory: all ranks run the same program. The text of the fields is sent
 * by itself; engines do not use the other texts. The number of threads is still the total of all
 * ranks. */
static enum ky_status take_parameters(struct ky_domain *domain, const struct ky_parameters *given,
                                      struct ky_error *error)
{
    struct ky_parameters told = {0};
    if (given)
        told = *given;
    enum ky_status status = ky_comm_broadcast(domain->comm, &told, sizeof told, error);
    if (!status)
        status = ky_domain_choose_engine(domain, given ? given->engine : NULL, error);
    told.engine = domain->processor;
    told.field = domain->field;
    told.expansion = NULL;
    told.field_function = NULL; /* orders carry these */
    told.field_places = NULL;
    told.stop = NULL;
    told.ranks = 1;
    if (!given)
        told.log = NULL;
    if (!status)
        domain->parameters = told;
    return status;
}

/* Broadcasts the failures of the ranks, which may be the same on all: rank 0 prints one line
 * then. */
static enum ky_status tell_failure(struct ky_domain *domain, struct ky_error *own,
                                   struct ky_error *outcome, struct ky_error *error)
{
    const struct ky_comm *comm = domain->comm;
    char host[KY_HOST_NAME];
    if (own->status && comm->rank && comm->is_process)
        ky_fail_in(own, own->status, "rank %d on %s: ", comm->rank, ky_host_name(host));
    const enum ky_status status = ky_domain_tell_outcome(domain, own, error);
    *outcome = *own;
    return status;
}

/* The external fields of rank 0: their text, which every rank reads. Tables are files that every
 * rank has to find. If one rank does not find its file, *own has the error on all ranks, and the
 * next order tries again. */
static enum ky_status take_fields(struct ky_domain *domain, const struct ky_order *order,
                                  struct ky_error *own, struct ky_error *error)
{
    size_t length = order->data->field ? strlen(order->data->field) + 1 : 0;
    enum ky_status status = ky_comm_broadcast(domain->comm, &length, sizeof length, error);
    char *text = status || !length ? NULL : ky_allocate(length, 1);
    if (!status && length && !text)
        status = ky_no_memory(error, "text of the fields", length, 1);
    if (text && order->data->field)
        memcpy(text, order->data->field, length);
    if (!status && length)
        status = ky_comm_broadcast(domain->comm, text, length, error);
    free(domain->field);
    domain->field = text;
    domain->parameters.field = text;
    if (status)
        return status;
    struct ky_externals fields = {0};
    if (!ky_externals_of(&domain->parameters, &fields, own))
        ky_engine_set_fields(domain->engine, fields.field, fields.count, own);
    status = tell_failure(domain, own, order->data->outcome, error);
    domain->fields = own->status ? 0 : order->fields; /* 0: none has been broadcast yet */
    if (!status && !own->status && order->function)
        ky_domain_add_function(domain, order->data->externals);
    ky_externals_release(&fields);
    return status ? status : ky_engine_columns(domain->engine, domain->engine->columns, error);
}

static enum ky_status part_open(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    struct ky_error own = {KY_OK, ""};
    enum ky_status status = take_parameters(domain, order->data->parameters, error);
    if (!status)
        status = share_threads(domain->comm, &domain->parameters.threads, error);
    if (!status)
        status = ky_domain_name_devices(domain, error);
    domain->copies = order->copies;
    if (status)
        return status;
    ky_domain_start(domain, order->with, &own);
    status = tell_failure(domain, &own, order->data->outcome, error);
    if (own.status) /* all ranks have an engine, or none */
        ky_domain_end(domain);
    return status || own.status ? status : ky_domain_compare_bits(domain, error);
}

/* Broadcasts the properties of the bodies that will arrive. */
static enum ky_status expect_bodies(struct ky_domain *domain, const struct ky_order *order,
                                    struct ky_error *error)
{
    const int threads = domain->parameters.threads; /* of the rank's engine since it was opened */
    const enum ky_status status = take_parameters(domain, order->data->parameters, error);
    domain->parameters.threads = threads;
    domain->total = domain->shared.system = order->n;
    domain->is_settled = 0;
    return status;
}

static enum ky_status part_put(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error)
{
    KY_TRY(expect_bodies(domain, order, error));
    return (domain->copies ? ky_domain_copy : ky_domain_put)(domain, order->data->bodies,
                                                             order->with, &order->units, error);
}

static enum ky_status part_take(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    KY_TRY(expect_bodies(domain, order, error));
    return ky_domain_place_made(domain, &order->units, error);
}

static enum ky_status part_task(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    domain->total = domain->shared.system = order->n;
    const struct ky_tasks *tasks = domain->comm->is_process ? domain->comm->tasks : order->tasks;
    return ky_domain_do(domain, &tasks->of[order->with], order->data->told, order->data->outcome,
                        error);
}

/* Replicated bodies: reads a body, which makes the engine complete pending work. If potentials are
 * wanted and pending, all ranks compute them together; cards complete what is due and put their
 * bodies into one order. */
static enum ky_status catch_up(struct ky_domain *domain, unsigned with, struct ky_error *error)
{
    const uint32_t first = 0;
    double mass, potential;
    struct ky_bodies some = {.n = domain->total > 0,
                             .mass = &mass,
                             .potential = with & KY_WITH_POTENTIAL_ROW ? &potential : NULL};
    return ky_engine_get_some(domain->engine, &first, &some, error);
}

static enum ky_status part_get(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error)
{
    if (domain->copies) {
        const enum ky_status status = catch_up(domain, order->with, error);
        return status || !order->data->to ? status
                                          : ky_engine_get(domain->engine, order->data->to, error);
    }
    return ky_domain_get(domain, order->data->to, order->with, error);
}

static enum ky_status part_write(struct ky_domain *domain, const struct ky_order *order,
                                 struct ky_error *error)
{
    return ky_domain_write(domain, order->data->plan, order->data->outcome, error);
}

static enum ky_status part_get_some(struct ky_domain *domain, const struct ky_order *order,
                                    struct ky_error *error)
{
    if (!domain->copies)
        return ky_domain_get_some(domain, order->data->list[0], order->n, order->data->to,
                                  order->with, error);
    KY_TRY(catch_up(domain, order->with, error));
    return order->data->to
               ? ky_engine_get_some(domain->engine, order->data->list[0], order->data->to, error)
               : KY_OK;
}

static enum ky_status part_put_some(struct ky_domain *domain, const struct ky_order *order,
                                    struct ky_error *error)
{
    const struct ky_some some = {order->n, order->data->list[0], order->data->list[1],
                                 order->data->list[2], order->data->list[3]};
    domain->is_settled = 0;
    return domain->copies ? ky_engine_put_some(domain->engine, &some, error)
                          : ky_domain_put_some(domain, &some, error);
}

/* The report: phases of the slowest rank, and the number of pairs over all ranks. */
static enum ky_status gather_report(struct ky_domain *domain, struct ky_force_report *report,
                                    struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    struct ky_force_report own, *all;
    ky_engine_report(domain->engine, &own);
    domain->work = own.body_interactions + own.cell_interactions;
    KY_TRY(ky_comm_gather(comm, &own, sizeof own, &all, error));
    if (report) {
        *report = own;
#define KY_PHASE_SLOWEST(phase) report->phase = fmax(report->phase, all[r].phase);
        for (int r = 1; r < comm->size; r++) {
            KY_PHASES(KY_PHASE_SLOWEST)
            if (domain->copies && !domain->engine->verbs->part) /* each rank's report already counts
                                                                   all sinks */
                continue;
            report->body_interactions += all[r].body_interactions;
            report->cell_interactions += all[r].cell_interactions;
        }
    }
    free(all);
    return KY_OK;
}

static enum ky_status part_forces(struct ky_domain *domain, const struct ky_order *order,
                                  struct ky_error *error)
{
    enum ky_status status = domain->copies ? KY_OK : ky_domain_migrate(domain, NULL, NULL, error);
    if (!status)
        status = ky_engine_forces(domain->engine, error);
    else if (status == KY_BAD_DATA && domain->is_lost)
        status = ky_domain_lose(domain, error);
    return status ? status : gather_report(domain, order->data->report, error);
}

static enum ky_status part_kick(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    return ky_engine_kick(domain->engine, order->dt, error);
}

static enum ky_status part_drift(struct ky_domain *domain, const struct ky_order *order,
                                 struct ky_error *error)
{
    domain->is_settled = 0;
    return ky_engine_drift(domain->engine, order->dt, error);
}

static enum ky_status part_sums(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    struct ky_raw_sums sums;
    KY_TRY(ky_engine_raw_sums(domain->engine, &sums, error));
    if (order->data->sums)
        *order->data->sums = sums;
    return KY_OK;
}

#define part_exact ky_domain_exact
#define part_field ky_domain_field
#define part_tides ky_domain_tides

static enum ky_status part_walk(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    const double work = domain->work; /* of forces */
    enum ky_status status = ky_domain_walk(domain, order, error);
    if (!status)
        status = gather_report(domain, order->data->report, error);
    domain->work = work;
    return status;
}

static enum ky_status part_columns(struct ky_domain *domain, const struct ky_order *order,
                                   struct ky_error *error)
{
    return ky_engine_columns(domain->engine, order->with, error);
}

static enum ky_status part_put_column(struct ky_domain *domain, const struct ky_order *order,
                                      struct ky_error *error)
{
    const enum ky_column column = (enum ky_column)order->n;
    return domain->copies
               ? ky_engine_put_column(domain->engine, column, order->data->list[0], error)
               : ky_domain_put_column(domain, column, order->data->numbers, error);
}

static enum ky_status part_get_column(struct ky_domain *domain, const struct ky_order *order,
                                      struct ky_error *error)
{
    return ky_domain_get_column(domain, (enum ky_column)order->n, order->data->to_numbers, error);
}

static enum ky_status part_advance(struct ky_domain *domain, const struct ky_order *order,
                                   struct ky_error *error)
{
    struct ky_advance way = order->way;
    way.softened = way.softened ? &domain->parameters : NULL;
    const enum ky_status status = ky_engine_advance(domain->engine, &way, error);
    if (order->data->way)
        *order->data->way = way;
    return status || domain->copies ? status : gather_report(domain, order->data->report, error);
}

static enum ky_status part_trim(struct ky_domain *domain, const struct ky_order *order,
                                struct ky_error *error)
{
    (void)order;
    (void)error;
    ky_octree_free(&domain->tree);
    domain->tree_stands = 0;
    ky_octree_init(&domain->tree);
    ky_domain_free_space(domain);
    ky_engine_trim(domain->engine);
    return KY_OK;
}

static enum ky_status part_close(struct ky_domain *domain, const struct ky_order *order,
                                 struct ky_error *error)
{
    (void)order;
    (void)error;
    ky_domain_end(domain);
    return KY_OK;
}

/* After this order the rank returns (ky_order_obey). */
#define part_leave part_close

#define KY_ORDER_PART(name, how) {part_##name, how},
static const struct {
    part *do_it;
    int how;
} parts[] = {KY_DOMAIN_ORDERS(KY_ORDER_PART)};

/* Executes a part whose loops obey the caller's stop flag, which the ranks of its process see. All
 * ranks end the part, and rank 0 notes whether any of them has left out work. */
static enum ky_status do_heeding(struct ky_domain *domain, const struct ky_order *order,
                                 struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    struct ky_halt halt = {.flag = comm->rank && comm->is_process ? NULL : order->stop};
    domain->engine->halt = &halt;
    enum ky_status status = parts[order->kind].do_it(domain, order, error);
    domain->engine->halt = NULL;
    uint64_t seen = halt.seen != 0;
    if (!status)
        status = comm->verbs->add(comm, &seen, 1, error);
    if (!status && order->data->halt && seen)
        order->data->halt->seen = 1;
    return status;
}

/* Broadcasts the arrays of an order. The caller frees them, also after a failure. */
static enum ky_status tell_lists(struct ky_comm *comm, const struct ky_order *order,
                                 struct ky_order_data *data, struct ky_error *error)
{
    struct ky_order_data given = *data;
    memset(data->list, 0, sizeof data->list);
    for (int k = 0; k < KY_ORDER_LISTS; k++) {
        const size_t count = order->list[k].count, size = order->list[k].size;
        if (!size)
            continue;
        void *list = data->list[k] = ky_allocate(count, size);
        if (!list)
            return ky_no_memory(error, "an array for the ranks", count, size);
        if (comm->rank == 0 && count)
            memcpy(list, given.list[k], count * size);
        KY_TRY(ky_comm_broadcast(comm, list, count * size, error));
    }
    return KY_OK;
}

static enum ky_status do_with_lists(struct ky_domain *domain, const struct ky_order *given,
                                    struct ky_error *error)
{
    struct ky_order_data own = *given->data;
    struct ky_order order = *given;
    order.data = &own;
    enum ky_status status = tell_lists(domain->comm, given, &own, error);
    if (!status)
        status = parts[order.kind].how == KY_STOPPABLE
                     ? do_heeding(domain, &order, error)
                     : parts[order.kind].do_it(domain, &order, error);
    for (int k = 0; k < KY_ORDER_LISTS; k++)
        free(own.list[k]);
    return status;
}

/* A rank that fails ends the other ranks: they do not wait for it. */
static enum ky_status do_part(struct ky_domain *domain, const struct ky_order *order,
                              struct ky_error *error)
{
    struct ky_error wrong = {KY_OK, ""}; /* the same on all ranks: they skip the part */
    enum ky_status status = KY_OK;
    if (!domain->engine && order->kind < KY_ORDER_close && order->kind != KY_ORDER_open)
        status = ky_fail(error, KY_FAULT, "the engines of the ranks could not be opened");
    else if (domain->engine && order->kind != KY_ORDER_close && order->fields != domain->fields)
        status = take_fields(domain, order, &wrong, error);
    if (domain->engine) {
        ky_engine_set_time(domain->engine, order->time);
        domain->parameters.softening = order->eps;
    }
    if (!status && !wrong.status)
        status = do_with_lists(domain, order, error);
    if (status)
        domain->comm->verbs->fail(domain->comm, error);
    else if (parts[order->kind].how == KY_BARRIER_AFTER)
        status = ky_comm_barrier(domain->comm, error);
    return status;
}

enum ky_status ky_order_give(struct ky_domain *domain, const struct ky_order *order,
                             const struct ky_order_data *data, struct ky_error *error)
{
    struct ky_order told = *order;
    struct ky_error own = {KY_OK, ""};
    told.stop = data->halt ? data->halt->flag : NULL;
    enum ky_status status = ky_comm_broadcast(domain->comm, &told, sizeof told, &own);
    told.data = data;
    if (!status)
        status = do_part(domain, &told, &own);
    return status ? ky_fail(error, status, "%s", own.text) : KY_OK;
}

enum ky_status ky_order_obey(struct ky_comm *comm, void *context, struct ky_error *error)
{
    struct ky_error outcome = {KY_OK, ""};
    const struct ky_order_data none = {.outcome = &outcome};
    struct ky_domain *domain = ky_allocate_zeroed(1, sizeof *domain);
    struct ky_order order = {0};
    int *code = context;
    enum ky_status status = domain ? KY_OK : ky_no_memory(error, "a rank", 1, sizeof *domain);
    if (domain)
        domain->comm = comm;
    while (!status && order.kind != KY_ORDER_leave) {
        status = ky_comm_broadcast(comm, &order, sizeof order, error);
        order.data = &none;
        if (!status)
            status = do_part(domain, &order, error);
    }
    if (status) /* processes would wait for this one */
        comm->verbs->fail(comm, error);
    else if (code)
        *code = (int)order.n;
    if (domain)
        ky_domain_end(domain);
    free(domain);
    return status;
}
