/* Bodies on their ways from ranges of the curve to parts of the caller's order, array by array. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/domain.h"

size_t ky_domain_way_start(const struct ky_domain *domain, size_t parts, int rank)
{
    const uint64_t part = ky_share_start(parts, (uint64_t)domain->comm->size, (uint64_t)rank);
    return (size_t)ky_share_start(domain->total, parts, part);
}

/* The rank that gets a body. */
static int taker_of(const struct ky_domain *domain, size_t parts, uint64_t index)
{
    return (int)ky_share_of(parts, (uint64_t)domain->comm->size,
                            ky_share_of(domain->total, parts, index));
}

/* The order in which the rank's bodies travel. `row`: for each, its place among those that its
 * taker gets. */
static void sort_bodies(const struct ky_domain *domain, struct ky_domain_ways *ways, uint32_t *row,
                        size_t *next)
{
    const size_t n = domain->engine->n;
    for (size_t i = 0; i < n; i++)
        ways->out[taker_of(domain, ways->parts, domain->index[i])]++;
    next[0] = 0;
    for (int r = 1; r < domain->comm->size; r++)
        next[r] = next[r - 1] + ways->out[r - 1];
    for (size_t i = 0; i < n; i++) {
        const int r = taker_of(domain, ways->parts, domain->index[i]);
        const size_t to = next[r]++;
        ways->order[to] = (uint32_t)i;
        row[to] = (uint32_t)(domain->index[i] - ky_domain_way_start(domain, ways->parts, r));
    }
}

enum ky_status ky_domain_find_ways(struct ky_domain *domain, size_t parts,
                                   struct ky_domain_ways *ways, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t size = (size_t)comm->size, own = domain->engine->n;
    *ways = (struct ky_domain_ways){.parts = parts};
    ways->n = ky_domain_way_start(domain, parts, comm->rank + 1) -
              ky_domain_way_start(domain, parts, comm->rank);
    const enum ky_status read = ky_domain_read_numbers(domain, error);
    if (read)
        return read;
    uint32_t *row = ky_allocate(own, sizeof *row);
    size_t *next = ky_allocate(size, sizeof *next);
    ways->out = ky_allocate_zeroed(size, sizeof *ways->out);
    ways->in = ky_allocate_zeroed(size, sizeof *ways->in);
    ways->order = ky_allocate(own, sizeof *ways->order);
    ways->row = ky_allocate(ways->n, sizeof *ways->row);
    enum ky_status status = row && next && ways->out && ways->in && ways->order && ways->row
                                ? KY_OK
                                : ky_no_memory(error, "places of bodies", own, sizeof *row);
    if (!status && own)
        sort_bodies(domain, ways, row, next);
    if (!status)
        status = comm->verbs->deal(comm, ways->out, sizeof *ways->out, ways->in, error);
    if (!status)
        status = ky_comm_trade(comm, row, ways->out, ways->row, ways->in, sizeof *row, error);
    free(row);
    free(next);
    return status;
}

void ky_domain_free_ways(struct ky_domain_ways *ways)
{
    free(ways->out);
    free(ways->in);
    free(ways->order);
    free(ways->row);
    *ways = (struct ky_domain_ways){0};
}

/* Numbers travel in rounds, so that a rank needs little memory for them: so many bytes of each. */
enum { ROUND = 1 << 25 };

struct trip {
    const struct ky_domain_ways *ways;
    size_t ranks, bytes, most; /* of a body; bodies from a rank to another in a round */
    char *sent, *got;          /* [ranks][most] */
    size_t *out, *in;          /* [ranks] of a round */
};

/* How many of `count` bodies travel in the round after `done` of them. */
static size_t count_of(const struct trip *trip, size_t count, size_t done)
{
    const size_t left = count > done ? count - done : 0;
    return left < trip->most ? left : trip->most;
}

/* One round. `had`: the numbers of the rank's bodies. */
static enum ky_status travel(struct ky_comm *comm, const struct trip *trip, const char *had,
                             size_t done, char *numbers, struct ky_error *error)
{
    const struct ky_domain_ways *ways = trip->ways;
    const size_t bytes = trip->bytes;
    char *to = trip->sent;
    size_t start = 0;
    for (size_t r = 0; r < trip->ranks; start += ways->out[r++]) {
        trip->out[r] = count_of(trip, ways->out[r], done);
        for (size_t k = 0; k < trip->out[r]; k++, to += bytes)
            memcpy(to, had + ways->order[start + done + k] * bytes, bytes);
    }
    for (size_t r = 0; r < trip->ranks; r++)
        trip->in[r] = count_of(trip, ways->in[r], done);
    const enum ky_status status =
        ky_comm_trade(comm, trip->sent, trip->out, trip->got, trip->in, bytes, error);
    const char *from = trip->got;
    start = 0;
    for (size_t r = 0; r < trip->ranks && !status; start += ways->in[r++])
        for (size_t k = 0; k < trip->in[r]; k++, from += bytes)
            memcpy(numbers + ways->row[start + done + k] * bytes, from, bytes);
    return status;
}

/* The largest number of bodies from a rank to another, which decides how many rounds there are. */
static enum ky_status find_most(struct ky_comm *comm, const struct ky_domain_ways *ways,
                                size_t *most, struct ky_error *error)
{
    const size_t ranks = (size_t)comm->size;
    size_t own = 0, *all = ky_allocate(ranks, sizeof *all);
    if (!all)
        return ky_no_memory(error, "the ranks", ranks, sizeof *all);
    for (size_t r = 0; r < ranks; r++)
        own = ways->out[r] > own ? ways->out[r] : own;
    const enum ky_status status = comm->verbs->gather(comm, &own, sizeof own, all, error);
    *most = 0;
    for (size_t r = 0; r < ranks && !status; r++)
        *most = all[r] > *most ? all[r] : *most;
    free(all);
    return status;
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

enum ky_status ky_domain_fetch(struct ky_domain *domain, const struct ky_domain_ways *ways,
                               enum ky_array_id array, void *numbers, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    size_t most = 0;
    struct trip trip = {ways, (size_t)comm->size, ky_arrays[array].bytes, 0, NULL, NULL, NULL,
                        NULL};
    enum ky_status status = find_most(comm, ways, &most, error);
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
    for (size_t done = 0; done < most && !status; done += trip.most)
        status = travel(comm, &trip, had, done, numbers, error);
    free(had);
    free(trip.sent);
    free(trip.got);
    free(trip.out);
    free(trip.in);
    return status;
}
