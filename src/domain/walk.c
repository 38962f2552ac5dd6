/* Walks with actions: each rank walks for its own bodies, and the results are gathered on rank 0 in
 * the order of the ranks. Groups of bodies that extend over several ranks are joined there, from
 * the links that each rank has found. */
#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "base/memory.h"
#include "domain/orders.h"

/* A rank's part of a walk. */
struct own {
    struct ky_walk_request request;
    const struct ky_action *about;
    double *radius, *results;
    size_t *offset;
    uint32_t *list;
    struct ky_walk_links links;
    char *answer;
    size_t bytes;    /* of the answer */
    uint64_t wanted; /* length of the longest list that was too short; 0: none was */
};

static void free_own(struct own *own)
{
    free(own->radius);
    free(own->results);
    free(own->offset);
    free(own->list);
    free(own->links.pair);
    free(own->answer);
}

/* ---- arguments for each rank ---- */

/* Arguments that rank 0 sends for each body. */
struct told {
    double radius;
    uint64_t room; /* of its list */
};

/* A ky_domain_row_function. */
static void tell(const void *context, uint64_t body, void *row)
{
    const struct ky_walk_request *given = context;
    const struct told told = {.radius = given->radii > 1 ? given->radius[body] : 0,
                              .room = given->offset ? given->offset[body + 1] - given->offset[body]
                                                    : 0};
    memcpy(row, &told, sizeof told);
}

/* Takes the radius that is common to all bodies. */
static enum ky_status take_radius(struct ky_domain *domain, const struct ky_walk_request *given,
                                  struct own *own, struct ky_error *error)
{
    double radius = given && given->radii == 1 ? given->radius[0] : 0;
    const enum ky_status status = ky_comm_broadcast(domain->comm, &radius, sizeof radius, error);
    own->radius[0] = radius;
    return status;
}

/* Gets the radii, and the lengths of the caller's lists, for the rank's own bodies. */
static enum ky_status take_told(struct ky_domain *domain, const struct ky_walk_request *given,
                                struct own *own, struct ky_error *error)
{
    const size_t n = domain->engine->n;
    struct told *told = ky_allocate(n, sizeof *told);
    enum ky_status status = told ? ky_domain_deal(domain, sizeof *told, tell, given, told, error)
                                 : ky_no_memory(error, "radii of bodies", n, sizeof *told);
    for (size_t i = 0; i < n && !status; i++) {
        if (own->request.radii > 1)
            own->radius[i] = told[i].radius;
        own->offset[i + 1] = own->offset[i] + told[i].room;
    }
    free(told);
    return status;
}

/* The request of the rank's engine. */
static enum ky_status make_request(struct ky_domain *domain, const struct ky_order *order,
                                   const struct ky_walk_request *given, struct own *own,
                                   struct ky_error *error)
{
    const size_t n = domain->engine->n, columns = own->about->columns;
    own->radius = ky_allocate(n + 1, sizeof *own->radius);
    own->offset = ky_allocate_zeroed(n + 1, sizeof *own->offset);
    own->results = ky_allocate_zeroed(n * columns, sizeof *own->results);
    if (!own->radius || !own->offset || !own->results)
        return ky_no_memory(error, "a walk", n, (columns + 2) * sizeof *own->results);
    own->request = (struct ky_walk_request){.action = order->action,
                                            .n = n,
                                            .radius = own->radius,
                                            .radii = order->n,
                                            .k = order->k,
                                            .results = own->results,
                                            .offset = own->offset};
    if (own->about->joins)
        own->request.links = &own->links;
    enum ky_status status = take_radius(domain, given, own, error);
    if (!status && (order->n > 1 || own->about->needs_lists))
        status = take_told(domain, given, own, error);
    own->list = own->request.list = ky_allocate(own->offset[n], sizeof *own->list);
    return own->list || status
               ? status
               : ky_no_memory(error, "lists of neighbours", own->offset[n], sizeof *own->list);
}

/* ---- results of a rank ---- */

static size_t length_of(const struct own *own, size_t i)
{
    return (size_t)own->results[i * own->about->columns];
}

/* Notes a list that is too short. This is the caller's fault: all else of the walk is right. */
static void note_wanted(struct own *own)
{
    for (size_t i = 0; i < own->request.n && own->about->needs_lists; i++)
        if (length_of(own, i) > own->offset[i + 1] - own->offset[i] &&
            length_of(own, i) > own->wanted)
            own->wanted = length_of(own, i);
}

/* The results as they travel: links; or rows of numbers and results, and then all lists. */
static enum ky_status pack(const struct ky_domain *domain, struct own *own, int has_lists,
                           struct ky_error *error)
{
    const size_t n = own->request.n, row = own->about->columns * sizeof(double);
    size_t listed = 0;
    for (size_t i = 0; i < n && has_lists; i++)
        listed += length_of(own, i);
    own->bytes = own->about->joins ? own->links.count * sizeof *own->links.pair
                                   : n * (sizeof(uint64_t) + row) + listed * sizeof *own->list;
    char *at = own->answer = ky_allocate(own->bytes, 1);
    if (!at)
        return ky_no_memory(error, "results of a walk", own->bytes, 1);
    if (own->about->joins && own->bytes)
        memcpy(at, own->links.pair, own->bytes);
    if (own->about->joins)
        return KY_OK;
    for (size_t i = 0; i < n; i++, at += sizeof(uint64_t) + row) {
        memcpy(at, &domain->index[i], sizeof(uint64_t));
        memcpy(at + sizeof(uint64_t), own->results + i * own->about->columns, row);
    }
    for (size_t i = 0; i < n && has_lists; i++) {
        memcpy(at, own->list + own->offset[i], length_of(own, i) * sizeof *own->list);
        at += length_of(own, i) * sizeof *own->list;
    }
    return KY_OK;
}

/* ---- rank 0 ---- */

/* Copies a rank's results to the caller's arrays. */
static void unpack(const struct ky_walk_request *given, const struct ky_action *about,
                   const char *answer, size_t n, int has_lists)
{
    const size_t columns = about->columns, row = columns * sizeof(double);
    const char *listed = answer + n * (sizeof(uint64_t) + row);
    for (size_t k = 0; k < n; k++, answer += sizeof(uint64_t) + row) {
        uint64_t body;
        double first;
        memcpy(&body, answer, sizeof body);
        memcpy(&first, answer + sizeof body, sizeof first);
        if (given->results)
            memcpy(given->results + body * columns, answer + sizeof body, row);
        if (!has_lists || !(first > 0))
            continue;
        memcpy(given->list + given->offset[body], listed, (size_t)first * sizeof *given->list);
        listed += (size_t)first * sizeof *given->list;
    }
}

static void join(uint32_t *parent, const char *answer, size_t bytes)
{
    uint32_t pair[2];
    for (size_t at = 0; at < bytes; at += sizeof pair) {
        memcpy(pair, answer + at, sizeof pair);
        ky_forest_join(parent, pair[0], pair[1]);
    }
}

/* A forest over the bodies of all ranks, by their numbers. */
static enum ky_status open_forest(const struct ky_domain *domain,
                                  const struct ky_walk_request *given, uint32_t **parent,
                                  struct ky_error *error)
{
    const size_t n = domain->total;
    *parent = given->group ? given->group : ky_allocate(n, sizeof **parent);
    if (!*parent)
        return ky_no_memory(error, "groups of bodies", n, sizeof **parent);
    for (size_t i = 0; i < n; i++)
        (*parent)[i] = (uint32_t)i;
    return KY_OK;
}

/* The root of a group is the smallest of its numbers. */
static void close_forest(const struct ky_domain *domain, const struct ky_walk_request *given,
                         uint32_t *parent)
{
    for (size_t i = 0; i < domain->total && parent; i++) {
        parent[i] = ky_forest_root(parent, (uint32_t)i);
        if (given->results)
            given->results[i] = (double)parent[i];
    }
    if (parent != given->group)
        free(parent);
}

/* The size of a rank's answer. */
struct size {
    uint64_t n, bytes, wanted;
};

/* Gathers the answers of all ranks. */
static enum ky_status take_all(struct ky_domain *domain, const struct ky_walk_request *given,
                               const struct own *own, const struct size *size, int has_lists,
                               struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const int is_first = comm->rank == 0;
    uint32_t *parent = NULL;
    enum ky_status status =
        is_first && own->about->joins ? open_forest(domain, given, &parent, error) : KY_OK;
    for (int r = 0; r < comm->size && !status; r++) {
        const size_t bytes = size[r].bytes;
        char *answer = r && is_first ? ky_allocate(bytes, 1) : own->answer;
        const struct ky_parcel out = {0, own->answer, bytes}, in = {r, answer, bytes};
        if (!answer)
            return ky_no_memory(error, "results of a walk", bytes, 1);
        if (r && bytes)
            status = comm->verbs->exchange(comm, &out, comm->rank == r, &in, !comm->rank, error);
        if (parent && !status)
            join(parent, answer, bytes);
        else if (is_first && !status)
            unpack(given, own->about, answer, size[r].n, has_lists);
        if (r && is_first)
            free(answer);
    }
    if (is_first)
        close_forest(domain, given, parent);
    return status;
}

static enum ky_status send_back(struct ky_domain *domain, const struct ky_walk_request *given,
                                struct own *own, struct ky_error *outcome, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const struct ky_walk_request none = {0};
    struct size size = {.n = own->request.n, .wanted = own->wanted}, *all;
    enum ky_status status = ky_comm_gather(comm, &size, sizeof size, &all, error);
    uint64_t wanted = 0;
    for (int r = 0; r < comm->size && !status; r++)
        wanted = all[r].wanted > wanted ? all[r].wanted : wanted;
    const int has_lists = own->about->needs_lists && !wanted;
    if (!status)
        status = pack(domain, own, has_lists, error);
    size.bytes = own->bytes;
    if (!status)
        status = comm->verbs->gather(comm, &size, sizeof size, all, error);
    if (!status)
        status = take_all(domain, given ? given : &none, own, all, has_lists, error);
    if (!status && given)
        ky_walk_room_check(given, (uint32_t)wanted, outcome);
    free(all);
    return status;
}

/* The walk of the rank's engine. */
static enum ky_status walk(struct ky_domain *domain, struct own *own, struct ky_error *error)
{
    struct ky_engine *engine = domain->engine;
    const enum ky_status status = engine->verbs->walk(engine, &own->request, error);
    note_wanted(own);
    return status == KY_USAGE && own->wanted ? KY_OK : status;
}

enum ky_status ky_domain_walk(struct ky_domain *domain, const struct ky_order *order,
                              struct ky_error *error)
{
    const struct ky_order_data *data = order->data;
    struct own own = {.about = &ky_actions[order->action].about};
    enum ky_status status = ky_domain_settle(domain, error);
    if (status == KY_BAD_DATA && domain->is_lost) {
        *data->outcome = *error;
        return KY_OK;
    }
    if (!status && domain->engine->verbs->part)
        status = domain->engine->verbs->part->along(domain->engine, error);
    if (!status)
        status = ky_domain_read_numbers(domain, error);
    if (!status)
        status = make_request(domain, order, data->request, &own, error);
    if (!status)
        status = walk(domain, &own, error);
    if (!status)
        status = send_back(domain, data->request, &own, data->outcome, error);
    free_own(&own);
    return status;
}
