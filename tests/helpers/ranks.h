/* What ranks tell each other, for threads (tests/unit/comm.c) and for processes (ranks.c): each
 * function is a ky_rank_function, whose context is a seed. */
#ifndef KY_TESTS_RANKS_H
#define KY_TESTS_RANKS_H

#include <stdlib.h>
#include <string.h>

#include "domain/comm.h"

/* A number that rank `from` has for rank `to`, in place k. */
static uint64_t number_for(int from, int to, size_t k)
{
    uint64_t x = (uint64_t)from * 1000003u + (uint64_t)to * 10007u + k;
    x ^= x >> 31;
    return x * 0x9e3779b97f4a7c15u;
}

/* How many numbers rank `from` has for rank `to`: also none. */
static size_t count_for(int from, int to)
{
    return (size_t)(from * 7 + to * 5) % 11 * (from == 1 && to == 0 ? 20000 : 1);
}

static enum ky_status differ(const struct ky_comm *comm, const char *what, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA, "%s: rank %d has other numbers than it was given", what,
                   comm->rank);
}

static enum ky_status try_gather(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    uint64_t own[3], *all = malloc((size_t)comm->size * sizeof own);
    for (size_t k = 0; k < 3; k++)
        own[k] = number_for(comm->rank, 0, k);
    enum ky_status status = comm->verbs->gather(comm, own, sizeof own, all, error);
    for (int r = 0; r < comm->size && !status; r++)
        for (size_t k = 0; k < 3 && !status; k++)
            if (all[3 * (size_t)r + k] != number_for(r, 0, k))
                status = differ(comm, "gather", error);
    free(all);
    return status ? status : comm->verbs->gather(comm, NULL, 0, NULL, error);
}

static enum ky_status try_parts(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    const size_t size = (size_t)comm->size;
    size_t bytes[64], sum = 0;
    for (size_t r = 0; r < size; sum += bytes[r], r++)
        bytes[r] = count_for((int)r, 0) * sizeof(uint64_t);
    uint64_t *own = malloc(bytes[comm->rank] + 1), *all = malloc(sum + 1);
    for (size_t k = 0; k < count_for(comm->rank, 0); k++)
        own[k] = number_for(comm->rank, 0, k);
    enum ky_status status = comm->verbs->gather_parts(comm, own, bytes, all, error);
    const uint64_t *at = all;
    for (int r = 0; r < comm->size && !status; r++)
        for (size_t k = 0; k < count_for(r, 0) && !status; k++)
            if (*at++ != number_for(r, 0, k))
                status = differ(comm, "gather_parts", error);
    free(own);
    free(all);
    return status;
}

static enum ky_status try_deal(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    uint64_t own[64], all[64];
    for (int r = 0; r < comm->size; r++)
        own[r] = number_for(comm->rank, r, 1);
    enum ky_status status = comm->verbs->deal(comm, own, sizeof *own, all, error);
    for (int r = 0; r < comm->size && !status; r++)
        if (all[r] != number_for(r, comm->rank, 1))
            status = differ(comm, "deal", error);
    return status;
}

/* Ranks send parcels to those whose number has another remainder by three, and to themselves. */
static int is_sent(int from, int to)
{
    return from == to || from % 3 != to % 3;
}

static enum ky_status try_exchange(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    struct ky_parcel out[64] = {0}, in[64] = {0};
    size_t outs = 0, ins = 0;
    for (int r = comm->size - 1; r >= 0; r--) {
        const size_t sent = count_for(comm->rank, r), got = count_for(r, comm->rank);
        if (is_sent(comm->rank, r)) {
            uint64_t *data = malloc(sent * sizeof *data + 1);
            for (size_t k = 0; k < sent; k++)
                data[k] = number_for(comm->rank, r, k);
            out[outs++] = (struct ky_parcel){r, data, sent * sizeof *data};
        }
        if (is_sent(r, comm->rank))
            in[ins++] = (struct ky_parcel){r, malloc(got * sizeof(uint64_t) + 1),
                                           got * sizeof(uint64_t)};
    }
    enum ky_status status = comm->verbs->exchange(comm, out, outs, in, ins, error);
    for (size_t p = 0; p < ins && !status; p++)
        for (size_t k = 0; k < in[p].bytes / sizeof(uint64_t) && !status; k++)
            if (((uint64_t *)in[p].data)[k] != number_for(in[p].rank, comm->rank, k))
                status = differ(comm, "exchange", error);
    for (size_t p = 0; p < outs; p++)
        free(out[p].data);
    for (size_t p = 0; p < ins; p++)
        free(in[p].data);
    return status;
}

/* Also the largest numbers. */
static enum ky_status try_add(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    uint64_t number[5], expected[5] = {0};
    for (size_t k = 0; k < 5; k++) {
        number[k] = number_for(comm->rank, 0, k);
        for (int r = 0; r < comm->size; r++)
            expected[k] += number_for(r, 0, k);
    }
    enum ky_status status = comm->verbs->add(comm, number, 5, error);
    if (!status && memcmp(number, expected, sizeof number) != 0)
        status = differ(comm, "add", error);
    return status;
}

static enum ky_status try_all(struct ky_comm *comm, void *context, struct ky_error *error)
{
    static ky_rank_function *const tried[] = {try_gather, try_parts, try_deal, try_exchange,
                                              try_add};
    enum ky_status status = KY_OK;
    for (int round = 0; round < 20 && !status; round++)
        for (int k = 0; k < 5 && !status; k++)
            status = tried[(k + round) % 5](comm, context, error);
    return status;
}

/* The last rank fails by itself while the others wait for it. */
static enum ky_status try_failure(struct ky_comm *comm, void *context, struct ky_error *error)
{
    const enum ky_status status = try_gather(comm, context, error);
    if (comm->rank == comm->size - 1)
        return ky_fail(error, KY_DEVICE, "the card of rank %d is gone", comm->rank);
    return status ? status : try_deal(comm, context, error);
}

#endif
