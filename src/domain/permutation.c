/* Permutation of bodies from ranges of the curve to parts of the caller's order, array by array. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "domain/domain.h"

size_t ky_domain_first_row(const struct ky_domain *domain, size_t parts, int rank)
{
    const uint64_t part = ky_share_start(parts, (uint64_t)domain->comm->size, (uint64_t)rank);
    return (size_t)ky_share_start(domain->total, parts, part);
}

/* Sorts the rank's bodies by the ranks that receive them, on several threads. Each thread has a
 * piece of the bodies and writes to places of its own. The resulting order does not depend on the
 * number of threads. */
struct sorting {
    size_t ranks, pieces;
    size_t stride; /* numbers of a piece in `next`: whole cache lines, which no two threads share */
    size_t *start; /* [ranks + 1] the first body that each rank gets */
    size_t *next;  /* [pieces][stride] bodies of the piece for each rank; then where they go */
};

/* The rank that receives body `index`: the last rank whose first body is at or before `index`. */
static size_t taker_of(const struct sorting *sorting, size_t index)
{
    size_t low = 0;
    for (size_t high = sorting->ranks; high - low > 1;) {
        const size_t middle = low + (high - low) / 2;
        if (sorting->start[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void count_bodies(const struct ky_domain *domain, const struct sorting *sorting)
{
    const size_t n = domain->engine->n;
#pragma omp parallel for schedule(static)
    for (size_t p = 0; p < sorting->pieces; p++) {
        size_t *count = sorting->next + p * sorting->stride;
        const size_t end = ky_share_start(n, sorting->pieces, p + 1);
        for (size_t i = ky_share_start(n, sorting->pieces, p); i < end; i++)
            count[taker_of(sorting, domain->index[i])]++;
    }
}

/* The order in which the rank's bodies travel. row[k]: the place of the body among the bodies of
 * its receiver. */
static void sort_bodies(const struct ky_domain *domain, const struct sorting *sorting,
                        struct ky_domain_permutation *permutation, uint32_t *row)
{
    const size_t n = domain->engine->n;
    size_t before = 0;
    count_bodies(domain, sorting);
    for (size_t r = 0; r < sorting->ranks; r++)
        for (size_t p = 0; p < sorting->pieces; p++) {
            size_t *next = &sorting->next[p * sorting->stride + r];
            const size_t count = *next;
            *next = before;
            before += count;
            permutation->out[r] += count;
        }
#pragma omp parallel for schedule(static)
    for (size_t p = 0; p < sorting->pieces; p++) {
        size_t *next = sorting->next + p * sorting->stride;
        const size_t end = ky_share_start(n, sorting->pieces, p + 1);
        for (size_t i = ky_share_start(n, sorting->pieces, p); i < end; i++) {
            const size_t r = taker_of(sorting, domain->index[i]), to = next[r]++;
            permutation->order[to] = (uint32_t)i;
            row[to] = (uint32_t)(domain->index[i] - sorting->start[r]);
        }
    }
}

/* Fills `out` and `order`. Fails with KY_FAULT if memory runs out. */
static enum ky_status find_order(const struct ky_domain *domain,
                                 struct ky_domain_permutation *permutation, uint32_t *row,
                                 struct ky_error *error)
{
    enum { LINE = 8, MANY = 1 << 15 };
    const size_t ranks = (size_t)domain->comm->size, n = domain->engine->n;
    struct sorting sorting = {.ranks = ranks,
                              .pieces = n < MANY ? 1 : (size_t)ky_threads_here(),
                              .stride = (ranks + LINE - 1) / LINE * LINE};
    sorting.start = ky_allocate(ranks + 1, sizeof *sorting.start);
    sorting.next = ky_allocate_zeroed(sorting.pieces * sorting.stride, sizeof *sorting.next);
    const enum ky_status status =
        sorting.start && sorting.next ? KY_OK : ky_no_memory(error, "the ranks", ranks, LINE);
    if (!status) {
        for (size_t r = 0; r <= ranks; r++)
            sorting.start[r] = ky_domain_first_row(domain, permutation->parts, (int)r);
        sort_bodies(domain, &sorting, permutation, row);
    }
    free(sorting.start);
    free(sorting.next);
    return status;
}

enum ky_status ky_domain_find_permutation(struct ky_domain *domain, size_t parts,
                                          struct ky_domain_permutation *permutation,
                                          struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t size = (size_t)comm->size, own = domain->engine->n;
    *permutation = (struct ky_domain_permutation){.parts = parts};
    permutation->n = ky_domain_first_row(domain, parts, comm->rank + 1) -
                     ky_domain_first_row(domain, parts, comm->rank);
    const enum ky_status read = ky_domain_read_numbers(domain, error);
    if (read)
        return read;
    uint32_t *row = ky_allocate(own, sizeof *row);
    permutation->out = ky_allocate_zeroed(size, sizeof *permutation->out);
    permutation->in = ky_allocate_zeroed(size, sizeof *permutation->in);
    permutation->order = ky_allocate(own, sizeof *permutation->order);
    permutation->row = ky_allocate(permutation->n, sizeof *permutation->row);
    enum ky_status status =
        row && permutation->out && permutation->in && permutation->order && permutation->row
            ? KY_OK
            : ky_no_memory(error, "places of bodies", own, sizeof *row);
    if (!status)
        status = find_order(domain, permutation, row, error);
    if (!status)
        status = comm->verbs->deal(comm, permutation->out, sizeof *permutation->out,
                                   permutation->in, error);
    if (!status)
        status = ky_comm_all_to_all(comm, row, permutation->out, permutation->row, permutation->in,
                                    sizeof *row, error);
    free(row);
    return status;
}

void ky_domain_free_permutation(struct ky_domain_permutation *permutation)
{
    free(permutation->out);
    free(permutation->in);
    free(permutation->order);
    free(permutation->row);
    *permutation = (struct ky_domain_permutation){0};
}

/* Numbers travel in rounds, so that the buffers stay small: bytes of a round */
enum { ROUND = 1 << 25, MANY = 1 << 12 /* bodies: several threads */ };

struct trip {
    const struct ky_domain_permutation *permutation;
    size_t rank, ranks, bytes, most; /* of a body; bodies from a rank to another in a round */
    char *sent, *got;                /* [ranks][most] */
    size_t *out, *in;                /* [ranks] of a round */
};

/* How many of `count` bodies for a rank, or from it, travel in the round after `done` of them. */
static size_t count_of(const struct trip *trip, size_t rank, size_t count, size_t done)
{
    const size_t left = rank != trip->rank && count > done ? count - done : 0;
    return left < trip->most ? left : trip->most;
}

/* Copies the numbers of `count` bodies, from body from[k] of `had` to place to[k] of `numbers`;
 * NULL: k. Access is nearly random, so threads wait for memory. */
static void copy_rows(const struct trip *trip, size_t count, const char *had, const uint32_t *from,
                      char *numbers, const uint32_t *to)
{
    const size_t bytes = trip->bytes;
#pragma omp parallel for schedule(static) if (count >= MANY)
    for (size_t k = 0; k < count; k++)
        memcpy(numbers + (to ? to[k] : k) * bytes, had + (from ? from[k] : k) * bytes, bytes);
}

/* The bodies that stay on this rank. */
static void stay(const struct trip *trip, const char *had, char *numbers)
{
    const struct ky_domain_permutation *permutation = trip->permutation;
    size_t out = 0, in = 0;
    for (size_t r = 0; r < trip->rank; r++) {
        out += permutation->out[r];
        in += permutation->in[r];
    }
    copy_rows(trip, permutation->out[trip->rank], had, permutation->order + out, numbers,
              permutation->row + in);
}

/* One round. `had`: the numbers of the rank's bodies. */
static enum ky_status travel(struct ky_comm *comm, const struct trip *trip, const char *had,
                             size_t done, char *numbers, struct ky_error *error)
{
    const struct ky_domain_permutation *permutation = trip->permutation;
    const size_t bytes = trip->bytes;
    char *to = trip->sent;
    size_t start = 0;
    for (size_t r = 0; r < trip->ranks; start += permutation->out[r++]) {
        trip->out[r] = count_of(trip, r, permutation->out[r], done);
        copy_rows(trip, trip->out[r], had, permutation->order + start + done, to, NULL);
        to += trip->out[r] * bytes;
    }
    for (size_t r = 0; r < trip->ranks; r++)
        trip->in[r] = count_of(trip, r, permutation->in[r], done);
    const enum ky_status status =
        ky_comm_all_to_all(comm, trip->sent, trip->out, trip->got, trip->in, bytes, error);
    const char *from = trip->got;
    start = 0;
    for (size_t r = 0; r < trip->ranks && !status; start += permutation->in[r++]) {
        copy_rows(trip, trip->in[r], from, NULL, numbers, permutation->row + start + done);
        from += trip->in[r] * bytes;
    }
    return status;
}

/* The largest number of bodies that a rank sends to another one; it determines the number of
 * rounds. */
static enum ky_status find_most(struct ky_comm *comm,
                                const struct ky_domain_permutation *permutation, size_t *most,
                                struct ky_error *error)
{
    size_t own = 0, *all;
    for (int r = 0; r < comm->size; r++)
        own = r != comm->rank && permutation->out[r] > own ? permutation->out[r] : own;
    KY_TRY(ky_comm_gather(comm, &own, sizeof own, &all, error));
    *most = 0;
    for (int r = 0; r < comm->size; r++)
        *most = all[r] > *most ? all[r] : *most;
    free(all);
    return KY_OK;
}

/* The numbers of an array from the rank's engine. NULL after a failure. */
static void *read_own(struct ky_domain *domain, enum ky_array_id array, struct ky_error *error)
{
    const size_t bytes = ky_arrays[array].bytes;
    struct ky_bodies bodies = {.n = domain->engine->n};
    void *had = ky_allocate(bodies.n, bytes);
    ky_array_set(&bodies, array, had);
    if (!had)
        ky_no_memory(error, ky_arrays[array].plural, bodies.n, bytes);
    else if (!ky_engine_get(domain->engine, &bodies, error))
        return had;
    free(had);
    return NULL;
}

enum ky_status ky_domain_fetch(struct ky_domain *domain,
                               const struct ky_domain_permutation *permutation,
                               enum ky_array_id array, void *numbers, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    size_t most = 0;
    struct trip trip = {.permutation = permutation,
                        .rank = (size_t)comm->rank,
                        .ranks = (size_t)comm->size,
                        .bytes = ky_arrays[array].bytes};
    enum ky_status status = find_most(comm, permutation, &most, error);
    if (status)
        return status;
    trip.most = ROUND / (trip.ranks * trip.bytes);
    trip.most = trip.most > most ? most : trip.most ? trip.most : 1;
    char *had = read_own(domain, array, error);
    if (!had)
        return error->status;
    trip.sent = ky_allocate(trip.ranks * trip.most, trip.bytes);
    trip.got = ky_allocate(trip.ranks * trip.most, trip.bytes);
    trip.out = ky_allocate(trip.ranks, sizeof *trip.out);
    trip.in = ky_allocate(trip.ranks, sizeof *trip.in);
    if (!trip.sent || !trip.got || !trip.out || !trip.in)
        status = ky_no_memory(error, ky_arrays[array].plural, trip.ranks * trip.most, trip.bytes);
    if (!status)
        stay(&trip, had, numbers);
    for (size_t done = 0; done < most && !status; done += trip.most)
        status = travel(comm, &trip, had, done, numbers, error);
    free(had);
    free(trip.sent);
    free(trip.got);
    free(trip.out);
    free(trip.in);
    return status;
}
