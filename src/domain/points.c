/* The field at points of rank 0: all ranks get the points. Each rank's engine walks for its share
 * of them (engine/cpu/forces/points.c, engine/device/forces/part_points.c). On devices many points
 * are bodies without mass in a second set of bodies: each rank puts its bodies and a share of the
 * points on another engine, and the set is divided along the curve. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "base/status.h"
#include "domain/orders.h"

enum { RESULTS = KY_WITH_ACCELERATION_ROW | KY_WITH_POTENTIAL_ROW };

/* ---- the second set ---- */

/* Opens the engine of the set. */
static enum ky_status open_set(const struct ky_domain *of, const struct ky_points *points,
                               struct ky_domain *set, struct ky_error *error)
{
    *set = (struct ky_domain){
        .comm = of->comm, .parameters = of->parameters, .total = of->total + points->count};
    set->parameters.softening = of->engine->verbs->part->softening_of_set(of->engine, points);
    set->parameters.field = NULL; /* the caller adds the fields */
    set->parameters.log = NULL;
    KY_TRY(ky_domain_start(set, 0, error));
    set->shared.system = set->total;
    return KY_OK;
}

/* The rank's bodies, at rest, followed by its share of the points. Their numbers are put into
 * set->index. */
static enum ky_status take_rows(struct ky_domain *of, const struct ky_points *points,
                                struct ky_domain *set, struct ky_bodies *rows,
                                struct ky_error *error)
{
    const uint64_t ranks = (uint64_t)of->comm->size, rank = (uint64_t)of->comm->rank;
    const size_t n = of->engine->n, first = (size_t)ky_share_start(points->count, ranks, rank),
                 own = (size_t)ky_share_start(points->count, ranks, rank + 1) - first;
    KY_TRY(ky_rows_allocate(rows, n + own,
                            KY_WITH_MASS_ROW | KY_WITH_POSITION_ROW | KY_WITH_VELOCITY_ROW, error));
    KY_TRY(ky_domain_reserve(set, rows->n, error));
    struct ky_bodies bodies = {.n = n, .mass = rows->mass, .position = rows->position};
    KY_TRY(of->engine->verbs->get(of->engine, &bodies, error));
    KY_TRY(ky_domain_read_numbers(of, error));
    for (size_t k = 0; k < n; k++)
        set->index[k] = of->index[k];
    for (size_t k = 0; k < own; k++) {
        set->index[n + k] = of->total + first + k;
        rows->mass[n + k] = 0;
        memcpy(rows->position[n + k], points->position[first + k], sizeof *rows->position);
    }
    memset(rows->velocity, 0, rows->n * sizeof *rows->velocity);
    return KY_OK;
}

static enum ky_status fill_set(struct ky_domain *of, const struct ky_points *points,
                               struct ky_domain *set, struct ky_error *error)
{
    const struct ky_engine_frame units = ky_engine_units_of(of->engine);
    struct ky_bodies rows = {0};
    enum ky_status status = take_rows(of, points, set, &rows, error);
    if (!status)
        status = ky_domain_place_numbered(set, &rows, &units, error);
    ky_rows_free(&rows);
    return status;
}

/* Opens and fills the set. If a rank cannot, *outcome has its error on all ranks. */
static enum ky_status begin_set(struct ky_domain *of, const struct ky_points *points,
                                struct ky_domain *set, struct ky_error *outcome,
                                struct ky_error *error)
{
    *outcome = (struct ky_error){KY_OK, ""};
    if (!open_set(of, points, set, outcome))
        fill_set(of, points, set, outcome);
    return ky_domain_tell_outcome(of, outcome, error);
}

/* Computes the field at the points, which are the bodies from number `first` on. If a body has no
 * finite position, *outcome says so on all ranks. */
static enum ky_status evaluate(struct ky_domain *set, size_t first, struct ky_error *outcome,
                               struct ky_error *error)
{
    size_t here = 0;
    const enum ky_status status = ky_domain_settle(set, error);
    if (status == KY_BAD_DATA && set->is_lost) {
        *outcome = *error;
        return KY_OK;
    }
    KY_TRY(status);
    KY_TRY(ky_domain_read_numbers(set, error));
    for (size_t k = 0; k < set->engine->n; k++)
        here += set->index[k] >= first;
    return set->engine->verbs->part->at_points(set->engine, first, here, set->total - first, error);
}

/* Sends the results of the points to rank 0. */
static enum ky_status send_results(struct ky_domain *set, size_t first, const struct ky_bodies *to,
                                   struct ky_error *error)
{
    struct ky_bodies rows = {0};
    size_t here = 0;
    enum ky_status status = ky_rows_allocate(&rows, set->engine->n, RESULTS, error);
    if (!status)
        status = ky_engine_get(set->engine, &rows, error);
    if (!status)
        status = ky_domain_read_numbers(set, error);
    for (size_t k = 0; k < rows.n && !status; k++) {
        if (set->index[k] < first)
            continue;
        memmove(rows.acceleration[here], rows.acceleration[k], sizeof *rows.acceleration);
        rows.potential[here] = rows.potential[k];
        set->index[here++] = set->index[k] - first;
    }
    rows.n = here;
    if (!status)
        status = ky_domain_send_back(set, &rows, set->index, RESULTS, to, error);
    ky_rows_free(&rows);
    return status;
}

/* Computes the field at these points, in `to` of rank 0. Before the set ends, all copies from the
 * devices of other ranks are complete. */
static enum ky_status field_in_set(struct ky_domain *domain, const struct ky_points *points,
                                   const struct ky_bodies *to, struct ky_error *outcome,
                                   struct ky_error *error)
{
    struct ky_domain set;
    const size_t first = domain->total;
    enum ky_status status = begin_set(domain, points, &set, outcome, error);
    if (!status && !outcome->status)
        status = evaluate(&set, first, outcome, error);
    if (!status && !outcome->status)
        status = send_results(&set, first, to, error);
    if (!status)
        status = ky_comm_barrier(domain->comm, error);
    ky_domain_end(&set);
    return status;
}

/* ---- near points, and others ---- */

/* The points of a call, near ones first, and their results on rank 0. */
struct divided {
    size_t near, *number; /* index of each in the call */
    double (*position)[3];
    struct ky_bodies results;
};

static void free_divided(struct divided *divided)
{
    free(divided->number);
    free(divided->position);
    ky_rows_free(&divided->results);
}

/* To be freed, also after a failure. */
static enum ky_status divide(const struct ky_engine *engine, const struct ky_points *points,
                             struct divided *divided, struct ky_error *error)
{
    const size_t count = points->count;
    size_t far = count;
    *divided = (struct divided){.number = ky_allocate(count, sizeof *divided->number),
                                .position = ky_allocate(count, sizeof *divided->position)};
    if (!divided->number || !divided->position)
        return ky_no_memory(error, "points of a field", count, sizeof *divided->position);
    for (size_t k = 0; k < count; k++) {
        const int is_near = engine->verbs->part->is_near(engine, points->position[k]);
        const size_t to = is_near ? divided->near++ : --far;
        divided->number[to] = k;
        memcpy(divided->position[to], points->position[k], sizeof *divided->position);
    }
    return ky_rows_allocate(&divided->results, count, RESULTS, error);
}

/* The `count` points from `first` on, and their results. */
static struct ky_points points_of(const struct divided *divided, const struct ky_points *points,
                                  size_t first, size_t count)
{
    return (struct ky_points){.count = count,
                              .position = (const double(*)[3])divided->position + first,
                              .softening = points->softening};
}
static struct ky_bodies results_of(const struct divided *divided, size_t first, size_t count)
{
    return (struct ky_bodies){.n = count,
                              .acceleration = divided->results.acceleration + first,
                              .potential = divided->results.potential + first};
}

/* Near points in sets with a limited number of points; then the other points. */
static enum ky_status field_of_divided(struct ky_domain *domain, const struct ky_points *points,
                                       const struct divided *divided, struct ky_error *outcome,
                                       struct ky_error *error)
{
    const size_t near = divided->near, batch = ky_points_batch(near, domain->total);
    for (size_t first = 0; first < near && !outcome->status; first += batch) {
        const size_t count = near - first < batch ? near - first : batch;
        const struct ky_points some = points_of(divided, points, first, count);
        const struct ky_bodies to = results_of(divided, first, count);
        KY_TRY(field_in_set(domain, &some, &to, outcome, error));
    }
    if (near == points->count || outcome->status)
        return KY_OK;
    const struct ky_points others = points_of(divided, points, near, points->count - near);
    const struct ky_bodies to = results_of(divided, near, others.count);
    KY_TRY(ky_domain_settle(domain, error));
    return domain->engine->verbs->field(domain->engine, &others, to.acceleration, to.potential,
                                        error);
}

static enum ky_status field_at_many(struct ky_domain *domain, const struct ky_points *points,
                                    const struct ky_order_data *data, struct ky_error *error)
{
    struct divided divided;
    enum ky_status status = divide(domain->engine, points, &divided, error);
    if (!status)
        status = field_of_divided(domain, points, &divided, data->outcome, error);
    for (size_t k = 0; k < points->count && !status && !data->outcome->status; k++) {
        const size_t to = divided.number[k];
        if (data->acceleration)
            memcpy(data->acceleration[to], divided.results.acceleration[k],
                   sizeof *data->acceleration);
        if (data->potential)
            data->potential[to] = divided.results.potential[k];
    }
    free_divided(&divided);
    return status;
}

/* ---- ranks that each have all bodies ---- */

/* Arrays for the results of all ranks, of which each rank computes a share and gets all: the
 * caller's arrays, or new ones. */
struct results {
    double (*acceleration)[3], *potential, (*own_acceleration)[3], *own_potential;
};

static void free_results(struct results *results)
{
    free(results->own_acceleration);
    free(results->own_potential);
}

/* To be freed, also after a failure. */
static enum ky_status need_results(struct results *results, const struct ky_order *order,
                                   struct ky_error *error)
{
    *results = (struct results){order->data->acceleration, order->data->potential, NULL, NULL};
    if (!results->acceleration)
        results->acceleration = results->own_acceleration =
            ky_allocate(order->n, sizeof *results->acceleration);
    if (!results->potential)
        results->potential = results->own_potential =
            ky_allocate(order->n, sizeof *results->potential);
    return results->acceleration && results->potential
               ? KY_OK
               : ky_no_memory(error, "results of ranks", order->n, 4 * sizeof(double));
}

/* A call that devices do not support fails on all ranks, before they exchange anything: the error
 * of the call is not an error of the ranks. */
static enum ky_status heed(const struct ky_order *order, enum ky_status status,
                           const struct ky_error *error)
{
    if (status != KY_UNSUPPORTED)
        return status;
    *order->data->outcome = *error;
    return KY_OK;
}

/* ---- calls ---- */

/* The points of rank 0. */
static struct ky_points points_of_order(const struct ky_order *order)
{
    return (struct ky_points){.count = order->n,
                              .position = order->data->list[0],
                              .softening = order->softening,
                              .softenings = order->data->list[1],
                              .body = order->data->list[2]};
}

enum ky_status ky_domain_exact(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error)
{
    struct ky_engine *engine = domain->engine;
    const size_t *sinks = order->data->list[0];
    struct results own;
    if (!domain->copies)
        return engine->verbs->exact(engine, sinks, order->n, order->data->acceleration,
                                    order->data->potential, error);
    enum ky_status status = need_results(&own, order, error);
    if (!status)
        status =
            engine->verbs->exact(engine, sinks, order->n, own.acceleration, own.potential, error);
    free_results(&own);
    return heed(order, status, error);
}

static enum ky_status field_of_copies(struct ky_domain *domain, const struct ky_order *order,
                                      struct ky_error *error)
{
    const struct ky_points points = points_of_order(order);
    struct ky_engine *engine = domain->engine;
    struct results own;
    enum ky_status status = need_results(&own, order, error);
    if (!status)
        status = engine->verbs->field(engine, &points, own.acceleration, own.potential, error);
    free_results(&own);
    return heed(order, status, error);
}

enum ky_status ky_domain_field(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error)
{
    const struct ky_points points = points_of_order(order);
    const struct ky_order_data *data = order->data;
    struct ky_engine *engine = domain->engine;
    const struct ky_part_verbs *part = engine->verbs->part;
    if (domain->copies)
        return field_of_copies(domain, order, error);
    if (part && part->way_to_field(engine, &points) == KY_POINTS_IN_SET)
        return field_at_many(domain, &points, data, error);
    KY_TRY(ky_domain_settle(domain, error));
    return engine->verbs->field(engine, &points, data->acceleration, data->potential, error);
}

enum ky_status ky_domain_tides(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error)
{
    const struct ky_points points = points_of_order(order);
    double(*tide)[6] = order->data->tide,
    (*own)[6] = tide ? tide : ky_allocate(points.count, sizeof *own);
    enum ky_status status =
        own ? KY_OK : ky_no_memory(error, "tidal tensors at points", points.count, sizeof *own);
    if (!status && !domain->copies)
        status = ky_domain_settle(domain, error);
    if (!status)
        status = domain->engine->verbs->tides(domain->engine, &points, own, error);
    if (!tide)
        free(own);
    return domain->copies ? heed(order, status, error) : status;
}
