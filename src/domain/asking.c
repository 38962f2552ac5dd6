/* A field that is a function of the caller: only rank 0 can call it, so it does so for the bodies
 * of all ranks, in the caller's order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/external.h"

/* Request: the number of a body and its position. The answer follows in the same struct. */
struct asked {
    uint64_t number;
    double x[3];
};
struct answer {
    double a[3], potential;
};

/* Calls a function for single places for many places, on several threads at once. */
static void ask_each(void *context, const struct ky_field_places *at)
{
    const struct ky_domain *domain = context;
    const struct ky_external *field = &domain->function;
    const double none = (double)NAN;
    const int threads = domain->engine->threads;
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t k = 0; k < at->count; k++) {
        const double *x = at->position[k];
        struct ky_field_place place = {.size = sizeof place,
                                       .position = {x[0], x[1], x[2]},
                                       .acceleration = {none, none, none},
                                       .jerk = {none, none, none},
                                       .potential = none,
                                       .time = at->time};
        field->function(field->context, &place);
        memcpy(at->acceleration[k], place.acceleration, sizeof place.acceleration);
        at->potential[k] = place.potential;
    }
}

void ky_domain_add_function(struct ky_domain *domain, const struct ky_externals *given)
{
    struct ky_externals *own = &domain->engine->externals;
    struct ky_external *field = &own->field[own->count++];
    *field = (struct ky_external){.kind = KY_EXTERNAL_FUNCTION,
                                  .places = ask_each,
                                  .context = domain,
                                  .length = 1,
                                  .acceleration = 1};
    if (given)
        domain->function = given->field[given->count - 1];
    if (given && domain->function.places)
        *field = domain->function;
}

/* Ranks that all have all bodies: rank 0 asks once and broadcasts the answers. */
static enum ky_status ask_and_tell(struct ky_domain *domain, size_t count,
                                   const double (*position)[3], double (*acceleration)[3],
                                   double *potential, struct ky_error *error)
{
    if (!domain->comm->rank)
        ky_externals_ask(&domain->engine->externals, count, position, NULL, acceleration, NULL,
                         potential);
    KY_TRY(ky_comm_broadcast(domain->comm, acceleration, count * sizeof *acceleration, error));
    return ky_comm_broadcast(domain->comm, potential, count * sizeof *potential, error);
}

/* ---- places of all ranks ---- */

struct numbered {
    uint64_t number;
    size_t from;
};

static int ascending(const void *a, const void *b)
{
    const struct numbered *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

/* Evaluates the field at all places, in the order of the numbers of their bodies. */
static enum ky_status ask_in_order(const struct ky_domain *domain, const struct asked *asked,
                                   size_t count, struct answer *answer, struct ky_error *error)
{
    struct numbered *order = ky_allocate(count, sizeof *order);
    double(*x)[3] = ky_allocate(count, sizeof *x), (*a)[3] = ky_allocate(count, sizeof *a),
    *potential = ky_allocate(count, sizeof *potential);
    enum ky_status status = order && x && a && potential
                                ? KY_OK
                                : ky_no_memory(error, "a field at bodies", count, sizeof *asked);
    for (size_t k = 0; k < count && !status; k++)
        order[k] = (struct numbered){asked[k].number, k};
    if (count && !status)
        qsort(order, count, sizeof *order, ascending);
    for (size_t k = 0; k < count && !status; k++)
        memcpy(x[k], asked[order[k].from].x, sizeof *x);
    if (!status)
        ky_externals_ask(&domain->engine->externals, count, (const double(*)[3])x, NULL, a, NULL,
                         potential);
    for (size_t k = 0; k < count && !status; k++)
        answer[order[k].from] = (struct answer){{a[k][0], a[k][1], a[k][2]}, potential[k]};
    free(order);
    free(x);
    free(a);
    free(potential);
    return status;
}

/* Parcels between rank 0 and each rank: counts[r] elements of rank r, in the order of the ranks. */
static void fill(struct ky_parcel *parcel, int size, const size_t *counts, void *data, size_t bytes)
{
    char *at = data;
    for (int r = 0; r < size; r++) {
        parcel[r] = (struct ky_parcel){r, at, counts[r] * bytes};
        at += counts[r] * bytes;
    }
}

/* Rank 0 receives the places of all ranks and sends the answers back; the other ranks send their
 * places and receive the answers. */
static enum ky_status trade(struct ky_domain *domain, const size_t *counts, struct asked *own,
                            struct answer *answer, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const int is_first = comm->rank == 0;
    const size_t size = is_first ? (size_t)comm->size : 0, mine = counts[comm->rank];
    struct ky_parcel sent = {0, own, mine * sizeof *own}, got = {0, answer, mine * sizeof *answer},
                     *parcel = ky_allocate(size, sizeof *parcel);
    size_t all = 0;
    for (size_t r = 0; r < size; r++)
        all += counts[r];
    struct asked *asked = ky_allocate(all, sizeof *asked);
    struct answer *answers = ky_allocate(all, sizeof *answers);
    enum ky_status status = parcel && asked && answers
                                ? KY_OK
                                : ky_no_memory(error, "a field at bodies", all, sizeof *asked);
    if (!status)
        fill(parcel, (int)size, counts, asked, sizeof *asked);
    if (!status)
        status = comm->verbs->exchange(comm, &sent, 1, parcel, size, error);
    if (!status && is_first)
        status = ask_in_order(domain, asked, all, answers, error);
    if (!status)
        fill(parcel, (int)size, counts, answers, sizeof *answers);
    if (!status)
        status = comm->verbs->exchange(comm, parcel, size, &got, 1, error);
    free(parcel);
    free(asked);
    free(answers);
    return status;
}

/* Divided bodies: each rank asks for its own bodies. */
static enum ky_status ask_of_parts(struct ky_domain *domain, const struct ky_active *active,
                                   size_t count, const double (*position)[3],
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    KY_TRY(ky_domain_read_numbers(domain, error));
    struct asked *own = ky_allocate(count, sizeof *own);
    struct answer *answer = ky_allocate(count, sizeof *answer);
    size_t *counts = ky_allocate((size_t)comm->size, sizeof *counts);
    enum ky_status status = own && answer && counts
                                ? comm->verbs->gather(comm, &count, sizeof count, counts, error)
                                : ky_no_memory(error, "a field at bodies", count, sizeof *own);
    for (size_t k = 0; k < count && !status; k++) {
        own[k].number = domain->index[active ? active->body[k] : k];
        memcpy(own[k].x, position[k], sizeof own[k].x);
    }
    if (!status)
        status = trade(domain, counts, own, answer, error);
    for (size_t k = 0; k < count && !status; k++) {
        memcpy(acceleration[k], answer[k].a, sizeof *acceleration);
        potential[k] = answer[k].potential;
    }
    free(own);
    free(answer);
    free(counts);
    return status;
}

enum ky_status ky_domain_ask(void *context, const struct ky_active *active, size_t count,
                             const double (*position)[3], double (*acceleration)[3],
                             double *potential, struct ky_error *error)
{
    struct ky_domain *domain = context;
    return domain->copies
               ? ask_and_tell(domain, count, position, acceleration, potential, error)
               : ask_of_parts(domain, active, count, position, acceleration, potential, error);
}
