/* Ranks that are threads of one process: they read each other's memory between two meetings. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/comm.h"

/* What a rank shows the others between two meetings. */
struct shown {
    const void *data;
    const struct ky_parcel *parcels;
    size_t count; /* of parcels */
};

struct world {
    pthread_mutex_t lock;
    pthread_cond_t met;
    int size, started; /* ranks; those whose threads have been made, and rank 0 */
    int waiting;       /* ranks at the present meeting */
    int ended;         /* ranks that have returned */
    uint64_t meetings; /* up to now */
    int has_failed;
    struct ky_error error; /* of the first rank that failed */
    struct shown *shown;   /* of each rank */
    ky_rank_function *function;
    void *context;
};

struct rank {
    struct ky_comm comm; /* first: a pointer to it is one to the rank */
    struct world *world;
    pthread_t thread;
};

static struct world *world_of(struct ky_comm *comm)
{
    return ((struct rank *)comm)->world;
}

/* With the lock held: the first failure counts. */
static void note(struct world *world, const struct ky_error *error)
{
    if (!world->has_failed)
        world->error = *error;
    world->has_failed = 1;
    pthread_cond_broadcast(&world->met);
}

/* With the lock held: nobody is left whom the waiting ranks could meet. */
static void note_end(struct world *world)
{
    struct ky_error error;
    if (!world->waiting || world->waiting + world->ended < world->size || world->has_failed)
        return;
    ky_fail(&error, KY_FAULT, "a rank has ended while another waits for it");
    note(world, &error);
}

/* With the lock held: waits until all ranks are here, or one has failed; 1 in the first case. */
static int wait_for_all(struct world *world, int even_if_failed)
{
    const uint64_t before = world->meetings;
    if (++world->waiting == world->size) {
        world->waiting = 0;
        world->meetings++;
        pthread_cond_broadcast(&world->met);
    }
    note_end(world);
    while (world->meetings == before && (even_if_failed || !world->has_failed))
        pthread_cond_wait(&world->met, &world->lock);
    return world->meetings != before;
}

/* The meeting before ranks read each other's memory. Fails where a rank has failed. */
static enum ky_status meet(struct world *world, struct ky_error *error)
{
    pthread_mutex_lock(&world->lock);
    const int met = !world->has_failed && wait_for_all(world, 0);
    if (!met && error)
        *error = world->error;
    const enum ky_status status = met ? KY_OK : world->error.status;
    pthread_mutex_unlock(&world->lock);
    return status;
}

/* The meeting after it: all ranks come, since none returns between the two. Nobody's memory may be
 * freed before, also where a rank has failed. */
static enum ky_status part(struct world *world, struct ky_error *error)
{
    pthread_mutex_lock(&world->lock);
    wait_for_all(world, 1);
    const enum ky_status status = world->has_failed ? world->error.status : KY_OK;
    if (status && error)
        *error = world->error;
    pthread_mutex_unlock(&world->lock);
    return status;
}

/* Shows something to the others, and waits until all do. */
static enum ky_status show(struct ky_comm *comm, struct shown shown, struct ky_error *error)
{
    world_of(comm)->shown[comm->rank] = shown;
    return meet(world_of(comm), error);
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(to, from, bytes);
}

static enum ky_status gather(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                             struct ky_error *error)
{
    const enum ky_status status = show(comm, (struct shown){.data = own}, error);
    if (status)
        return status;
    for (int r = 0; r < comm->size; r++)
        copy((char *)all + (size_t)r * bytes, world_of(comm)->shown[r].data, bytes);
    return part(world_of(comm), error);
}

static enum ky_status gather_parts(struct ky_comm *comm, const void *own, const size_t *bytes,
                                   void *all, struct ky_error *error)
{
    const enum ky_status status = show(comm, (struct shown){.data = own}, error);
    if (status)
        return status;
    char *to = all;
    for (int r = 0; r < comm->size; to += bytes[r], r++)
        if (to != world_of(comm)->shown[r].data)
            copy(to, world_of(comm)->shown[r].data, bytes[r]);
    return part(world_of(comm), error);
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
    return part(world_of(comm), error);
}

static enum ky_status add(struct ky_comm *comm, uint64_t *number, size_t count,
                          struct ky_error *error)
{
    uint64_t *sum = ky_allocate_zeroed(count, sizeof *sum);
    struct ky_error own;
    if (!sum) {
        ky_no_memory(&own, "sums of the ranks", count, sizeof *sum);
        comm->verbs->fail(comm, &own);
    }
    enum ky_status status = show(comm, (struct shown){.data = number}, error);
    for (int r = 0; r < comm->size && !status; r++)
        for (size_t k = 0; k < count; k++)
            sum[k] += ((const uint64_t *)world_of(comm)->shown[r].data)[k];
    if (!status)
        status = part(world_of(comm), error);
    if (!status)
        copy(number, sum, count * sizeof *sum);
    free(sum);
    return status;
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
    return part(world, error);
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
        ranks[r] =
            (struct rank){.comm = {&verbs, r, world->size, r, world->size, 0}, .world = world};
    for (; world->started < world->size; world->started++) {
        struct rank *rank = &ranks[world->started];
        if (!pthread_create(&rank->thread, NULL, be_rank, rank))
            continue;
        ky_fail(error, KY_FAULT, "the thread of rank %d cannot be made", world->started);
        fail(&ranks[0].comm, error);
        return KY_FAULT;
    }
    return KY_OK;
}

static void free_world(struct world *world, struct rank *ranks)
{
    pthread_cond_destroy(&world->met);
    pthread_mutex_destroy(&world->lock);
    free(world->shown);
    free(world);
    free(ranks);
}

enum ky_status ky_comm_open(int size, ky_rank_function *function, void *context,
                            struct ky_comm **first, struct ky_error *error)
{
    *first = NULL;
    if (size < 1)
        return ky_fail(error, KY_USAGE, "%d ranks: there is at least one", size);
    struct world *world = calloc(1, sizeof *world);
    struct rank *ranks = calloc((size_t)size, sizeof *ranks);
    struct shown *shown = calloc((size_t)size, sizeof *shown);
    if (!world || !ranks || !shown) {
        free(world);
        free(ranks);
        free(shown);
        return ky_no_memory(error, "ranks", (size_t)size, sizeof *ranks);
    }
    *world = (struct world){
        .size = size, .started = 1, .function = function, .context = context, .shown = shown};
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->met, NULL);
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
    enum ky_status status = ky_comm_open(size, function, context, &first, error);
    if (status)
        return status;
    own.status = function(first, context, &own);
    if (own.status)
        first->verbs->fail(first, &own);
    return ky_comm_close(first, error);
}
