/* Ranks that are threads of one process: between two barriers they read each other's memory. Short
 * data are written to one of two slots in the world. With two slots one barrier is enough: before a
 * rank can write to a slot again, all ranks have passed the barrier of the other slot. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/shares.h"
#include "domain/comm.h"

/* The data that a rank publishes between two barriers. */
struct shown {
    const void *data;
    const struct ky_parcel *parcels;
    size_t count; /* of parcels */
};

/* The lock on which a rank waits: one for each rank, so that ranks that wake up do not contend for
 * it. */
struct seat {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    _Atomic uint64_t barriers; /* barriers completed, as far as this rank has been told; changed
                                  under the lock */
    atomic_int has_failed;     /* 1: a rank has failed */
};

enum { SHORT = 1024 /* bytes */, PLACES = 2 };

/* [s] How long a rank spins before it sleeps: waking it takes some 50 µs. */
static const double PATIENCE = 2e-4;

struct world {
    pthread_mutex_t lock;
    int size, started; /* number of ranks; ranks whose threads have been made, with rank 0 */
    int waiting;       /* ranks at the present barrier */
    int ended;         /* ranks that have returned */
    uint64_t barriers; /* completed barriers */
    int has_failed;
    int looks;             /* 1: each rank may have a processor of its own, and spins before it
                              sleeps */
    struct ky_error error; /* of the first rank that failed */
    struct shown *shown;   /* of each rank */
    struct seat *seat;     /* of each rank */
    char (*places)[PLACES][SHORT]; /* of each rank */
    ky_rank_function *function;
    void *context;
};

struct rank {
    struct ky_comm comm; /* the first member, so that a pointer to it is also a pointer to the
                            rank */
    struct world *world;
    pthread_t thread;
    unsigned shorts; /* short data sent so far: its lowest bit chooses the slot */
};

static struct world *world_of(struct ky_comm *comm)
{
    return ((struct rank *)comm)->world;
}

/* Wakes all ranks after barrier number `barriers`, or when a rank has failed. */
static void wake(struct world *world, uint64_t barriers, int has_failed)
{
    for (int r = 0; r < world->size; r++) {
        struct seat *seat = &world->seat[r];
        pthread_mutex_lock(&seat->lock);
        if (barriers > seat->barriers)
            seat->barriers = barriers;
        if (has_failed)
            seat->has_failed = 1;
        pthread_cond_signal(&seat->woken);
        pthread_mutex_unlock(&seat->lock);
    }
}

/* With the lock held: the first failure counts. */
static void note(struct world *world, const struct ky_error *error)
{
    if (!world->has_failed)
        world->error = *error;
    world->has_failed = 1;
    wake(world, 0, 1);
}

/* With the lock held: it is an error if ranks wait and all other ranks have ended. */
static void note_end(struct world *world)
{
    struct ky_error error;
    if (!world->waiting || world->waiting + world->ended < world->size || world->has_failed)
        return;
    ky_fail(&error, KY_FAULT, "a rank has ended while another rank waits for it");
    note(world, &error);
}

/* 1: the rank need not wait at this barrier any longer. */
static int need_not_wait(struct seat *seat, uint64_t barrier, int even_if_failed)
{
    return atomic_load(&seat->barriers) >= barrier ||
           (!even_if_failed && atomic_load(&seat->has_failed));
}

/* Spins for a while, and yields the processor to other threads. */
static void look(struct seat *seat, uint64_t barrier, int even_if_failed)
{
    for (const double end = ky_clock() + PATIENCE;
         !need_not_wait(seat, barrier, even_if_failed) && ky_clock() < end;)
        sched_yield();
}

/* Called with the lock held; releases it. Waits until all ranks are here (returns 1) or one has
 * failed (returns 0). */
static int wait_for_all(struct ky_comm *comm, int even_if_failed)
{
    struct world *world = world_of(comm);
    struct seat *seat = &world->seat[comm->rank];
    const uint64_t barrier = world->barriers + 1;
    const int is_last = ++world->waiting == world->size;
    if (is_last) {
        world->waiting = 0;
        world->barriers = barrier;
    }
    note_end(world);
    pthread_mutex_unlock(&world->lock);
    if (is_last)
        wake(world, barrier, 0);
    else if (world->looks)
        look(seat, barrier, even_if_failed);
    pthread_mutex_lock(&seat->lock);
    while (!need_not_wait(seat, barrier, even_if_failed))
        pthread_cond_wait(&seat->woken, &seat->lock);
    const int met = seat->barriers >= barrier;
    pthread_mutex_unlock(&seat->lock);
    return met;
}

/* The failure of the ranks, if there is one. */
static enum ky_status failure(struct world *world, struct ky_error *error)
{
    pthread_mutex_lock(&world->lock);
    const enum ky_status status = world->has_failed ? world->error.status : KY_OK;
    if (status && error)
        *error = world->error;
    pthread_mutex_unlock(&world->lock);
    return status;
}

/* The barrier before ranks read each other's memory. Fails if a rank has failed. */
static enum ky_status meet(struct ky_comm *comm, struct ky_error *error)
{
    struct world *world = world_of(comm);
    pthread_mutex_lock(&world->lock);
    if (!world->has_failed)
        return wait_for_all(comm, 0) ? KY_OK : failure(world, error);
    pthread_mutex_unlock(&world->lock);
    return failure(world, error);
}

/* The barrier after ranks have read each other's memory. All ranks reach it, since none returns
 * between the two barriers. Before it no rank may free its memory, even if a rank has failed. */
static enum ky_status part(struct ky_comm *comm, struct ky_error *error)
{
    pthread_mutex_lock(&world_of(comm)->lock);
    wait_for_all(comm, 1);
    return failure(world_of(comm), error);
}

/* Publishes a rank's data and waits until all ranks have done so. */
static enum ky_status show(struct ky_comm *comm, struct shown shown, struct ky_error *error)
{
    world_of(comm)->shown[comm->rank] = shown;
    return meet(comm, error);
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
}

/* Publishes short data through the slots, with one barrier. */
static enum ky_status show_short(struct ky_comm *comm, const void *own, size_t bytes, int *place,
                                 struct ky_error *error)
{
    *place = (int)(((struct rank *)comm)->shorts++ % PLACES);
    copy(world_of(comm)->places[comm->rank][*place], own, bytes);
    return meet(comm, error);
}

static enum ky_status gather_short(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                                   struct ky_error *error)
{
    int place;
    const enum ky_status status = show_short(comm, own, bytes, &place, error);
    for (int r = 0; r < comm->size && bytes && !status; r++)
        memcpy((char *)all + (size_t)r * bytes, world_of(comm)->places[r][place], bytes);
    return status;
}

static enum ky_status gather(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                             struct ky_error *error)
{
    if (bytes <= SHORT)
        return gather_short(comm, own, bytes, all, error);
    const enum ky_status status = show(comm, (struct shown){.data = own}, error);
    if (status)
        return status;
    for (int r = 0; r < comm->size; r++)
        copy((char *)all + (size_t)r * bytes, world_of(comm)->shown[r].data, bytes);
    return part(comm, error);
}

static enum ky_status gather_short_parts(struct ky_comm *comm, const void *own, const size_t *bytes,
                                         void *all, struct ky_error *error)
{
    int place;
    const enum ky_status status = show_short(comm, own, bytes[comm->rank], &place, error);
    char *to = all;
    for (int r = 0; r < comm->size && !status; to += bytes[r], r++)
        copy(to, world_of(comm)->places[r][place], bytes[r]);
    return status;
}

static enum ky_status gather_parts(struct ky_comm *comm, const void *own, const size_t *bytes,
                                   void *all, struct ky_error *error)
{
    int are_short = 1;
    for (int r = 0; r < comm->size; r++)
        are_short &= bytes[r] <= SHORT;
    if (are_short)
        return gather_short_parts(comm, own, bytes, all, error);
    const enum ky_status status = show(comm, (struct shown){.data = own}, error);
    if (status)
        return status;
    char *to = all;
    for (int r = 0; r < comm->size; to += bytes[r], r++)
        if (to != world_of(comm)->shown[r].data)
            copy(to, world_of(comm)->shown[r].data, bytes[r]);
    return part(comm, error);
}

static enum ky_status deal(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                           struct ky_error *error)
{
    const enum ky_status status = show(comm, (struct shown){.data = own}, error);
    if (status)
        return status;
    for (int r = 0; r < comm->size; r++)
        copy((char *)all + (size_t)r * bytes,
             (const char *)world_of(comm)->shown[r].data + (size_t)comm->rank * bytes, bytes);
    return part(comm, error);
}

static enum ky_status add_short(struct ky_comm *comm, uint64_t *number, size_t count,
                                struct ky_error *error)
{
    int place;
    const enum ky_status status = show_short(comm, number, count * sizeof *number, &place, error);
    if (!status)
        memset(number, 0, count * sizeof *number);
    for (int r = 0; r < comm->size && !status; r++)
        for (size_t k = 0; k < count; k++) {
            uint64_t its;
            memcpy(&its, world_of(comm)->places[r][place] + k * sizeof its, sizeof its);
            number[k] += its;
        }
    return status;
}

/* The first of the numbers that this rank sums. */
static size_t add_start(size_t count, int size, int rank)
{
    return ky_share_start(count, (size_t)size, (size_t)rank);
}

/* All-reduce: each rank sums some of the numbers and copies the other sums from the ranks that made
 * them. */
static enum ky_status add(struct ky_comm *comm, uint64_t *number, size_t count,
                          struct ky_error *error)
{
    const struct shown *shown = world_of(comm)->shown;
    if (count * sizeof *number <= SHORT)
        return add_short(comm, number, count, error);
    const enum ky_status status = show(comm, (struct shown){.data = number}, error);
    if (status)
        return status;
    const size_t first = add_start(count, comm->size, comm->rank),
                 end = add_start(count, comm->size, comm->rank + 1);
    for (size_t k = first; k < end; k++) {
        uint64_t sum = 0;
        for (int r = 0; r < comm->size; r++)
            sum += ((const uint64_t *)shown[r].data)[k];
        number[k] = sum;
    }
    part(comm, NULL); /* cannot fail here: other ranks read these numbers */
    for (int r = 0; r < comm->size; r++) {
        const size_t its = add_start(count, comm->size, r),
                     after = add_start(count, comm->size, r + 1);
        if (r != comm->rank)
            copy(number + its, (const uint64_t *)shown[r].data + its,
                 (after - its) * sizeof *number);
    }
    return part(comm, error);
}

/* The parcel for a rank; NULL: there is none. */
static const struct ky_parcel *parcel_for(const struct shown *shown, int rank)
{
    for (size_t k = 0; k < shown->count; k++)
        if (shown->parcels[k].rank == rank)
            return &shown->parcels[k];
    return NULL;
}

static enum ky_status exchange(struct ky_comm *comm, const struct ky_parcel *out, size_t outs,
                               const struct ky_parcel *in, size_t ins, struct ky_error *error)
{
    struct world *world = world_of(comm);
    struct ky_error own = {KY_OK, ""};
    const enum ky_status status = show(comm, (struct shown){.parcels = out, .count = outs}, error);
    if (status)
        return status;
    for (size_t k = 0; k < ins && !own.status; k++) {
        const struct ky_parcel *from = parcel_for(&world->shown[in[k].rank], comm->rank);
        if (from && from->bytes == in[k].bytes)
            copy(in[k].data, from->data, in[k].bytes);
        else
            ky_fail(&own, KY_FAULT, "rank %d expects %zu bytes of rank %d, which sends %s",
                    comm->rank, in[k].bytes, in[k].rank, from ? "another number" : "nothing");
    }
    if (own.status)
        comm->verbs->fail(comm, &own);
    return part(comm, error);
}

static void fail(struct ky_comm *comm, const struct ky_error *error)
{
    pthread_mutex_lock(&world_of(comm)->lock);
    note(world_of(comm), error);
    pthread_mutex_unlock(&world_of(comm)->lock);
}

static const struct ky_comm_verbs verbs = {
    .name = "threads",
    .gather = gather,
    .gather_parts = gather_parts,
    .deal = deal,
    .exchange = exchange,
    .add = add,
    .fail = fail,
};

/* ---- life ---- */

static void *be_rank(void *of)
{
    struct rank *rank = of;
    struct world *world = rank->world;
    struct ky_error error = {KY_OK, ""};
    error.status = world->function(&rank->comm, world->context, &error);
    pthread_mutex_lock(&world->lock);
    world->ended++;
    if (error.status)
        note(world, &error);
    note_end(world);
    pthread_mutex_unlock(&world->lock);
    return NULL;
}

/* Starts the ranks after the first one. */
static enum ky_status start(struct world *world, struct rank *ranks, struct ky_error *error)
{
    for (int r = 0; r < world->size; r++)
        ranks[r] = (struct rank){.comm = {&verbs, r, world->size, r, world->size, 0, 0, NULL},
                                 .world = world};
    for (; world->started < world->size; world->started++) {
        struct rank *rank = &ranks[world->started];
        if (!pthread_create(&rank->thread, NULL, be_rank, rank))
            continue;
        ky_fail(error, KY_FAULT, "the thread of rank %d cannot be created", world->started);
        fail(&ranks[0].comm, error);
        return KY_FAULT;
    }
    return KY_OK;
}

static void free_world(struct world *world, struct rank *ranks)
{
    free(ranks);
    if (!world)
        return;
    for (int r = 0; r < world->size; r++) {
        pthread_cond_destroy(&world->seat[r].woken);
        pthread_mutex_destroy(&world->seat[r].lock);
    }
    pthread_mutex_destroy(&world->lock);
    free(world->shown);
    free(world->seat);
    free(world->places);
    free(world);
}

/* NULL if memory runs out. */
static struct world *make_world(int size)
{
    const size_t count = (size_t)size;
    struct world *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    *world = (struct world){.started = 1,
                            .looks = size <= ky_cores(),
                            .shown = calloc(count, sizeof *world->shown),
                            .seat = calloc(count, sizeof *world->seat),
                            .places = calloc(count, sizeof *world->places)};
    pthread_mutex_init(&world->lock, NULL);
    if (!world->shown || !world->seat || !world->places) {
        free_world(world, NULL);
        return NULL;
    }
    for (; world->size < size; world->size++) {
        pthread_mutex_init(&world->seat[world->size].lock, NULL);
        pthread_cond_init(&world->seat[world->size].woken, NULL);
    }
    return world;
}

enum ky_status ky_comm_open(int size, ky_rank_function *function, void *context,
                            struct ky_comm **first, struct ky_error *error)
{
    *first = NULL;
    if (size < 1)
        return ky_fail(error, KY_USAGE, "%d ranks: there is at least one", size);
    struct world *world = make_world(size);
    struct rank *ranks = calloc((size_t)size, sizeof *ranks);
    if (!world || !ranks) {
        free_world(world, ranks);
        return ky_no_memory(error, "ranks", (size_t)size, sizeof *ranks);
    }
    world->function = function;
    world->context = context;
    enum ky_status status = start(world, ranks, error);
    if (status)
        ky_comm_close(&ranks[0].comm, NULL);
    else
        *first = &ranks[0].comm;
    return status;
}

enum ky_status ky_comm_close(struct ky_comm *first, struct ky_error *error)
{
    struct rank *ranks = (struct rank *)first;
    struct world *world = ranks->world;
    pthread_mutex_lock(&world->lock);
    world->ended++;
    note_end(world);
    pthread_mutex_unlock(&world->lock);
    for (int r = 1; r < world->started; r++)
        pthread_join(ranks[r].thread, NULL);
    const enum ky_status status =
        world->has_failed ? ky_fail(error, world->error.status, "%s", world->error.text) : KY_OK;
    free_world(world, ranks);
    return status;
}

enum ky_status ky_comm_threads(int size, ky_rank_function *function, void *context,
                               struct ky_error *error)
{
    struct ky_comm *first;
    struct ky_error own = {KY_OK, ""};
    KY_TRY(ky_comm_open(size, function, context, &first, error));
    own.status = function(first, context, &own);
    if (own.status)
        first->verbs->fail(first, &own);
    return ky_comm_close(first, error);
}
