/* Ranks that are processes, which a launcher of MPI has started. A waiting rank polls whether the
 * call has completed, and after a long wait sleeps between two polls. Most MPIs would keep a
 * processor busy, which another rank or program may need. */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/host.h"
#include "base/memory.h"
#include "domain/comm.h"
#include "domain/mpi.h"
#include "kyoho/kyoho.h"

/* MPI counts are int: longer parcels are sent in pieces. */
#define PIECE ((size_t)1 << 30)

/* MPI exists once in a process, so its state is global. */
static struct ky_mpi mpi;

/* After an error most MPIs end the process with their own message. */
static enum ky_status told(int wrong, struct ky_error *error)
{
    return wrong ? ky_fail(error, KY_FAULT, "%s: error %d", mpi.name, wrong) : KY_OK;
}

/* ---- waiting ---- */

/* In nanoseconds: how long a rank only polls; then how long it yields between polls. After that it
 * sleeps for a twentieth of the time it has waited, and at most this long. */
#define LOOKS 20000
#define YIELDS 5000000
#define LONGEST 1000000
/* Large data are transferred in pieces, and MPI advances to the next piece only when it is polled.
 * So a rank sleeps less than its bytes take at 1 GB/s, and from this number of bytes on at most
 * this long. */
#define OF_A_BYTE 1
#define LARGE ((size_t)1 << 16)
#define LONGEST_OF_LARGE 10000

static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int test_all(int count, void *requests, int *done)
{
    return mpi.Testall(count, requests, done, (void *)mpi.abi->skip_statuses);
}

/* `wrong`: the result of the call that has begun the transfer of these bytes. */
static enum ky_status wait_for(int wrong, int count, void *requests, size_t bytes,
                               struct ky_error *error)
{
    const long long begin = nanoseconds(), longest = bytes < LARGE ? LONGEST : LONGEST_OF_LARGE,
                    yields = YIELDS + OF_A_BYTE * (long long)bytes;
    int done = 0;
    wrong = wrong ? wrong : test_all(count, requests, &done);
    while (!done && !wrong) {
        const long long waited = nanoseconds() - begin;
        if (waited > yields)
            nanosleep(&(struct timespec){0, waited < 20 * longest ? waited / 20 : longest}, NULL);
        else if (waited > LOOKS)
            sched_yield();
        wrong = test_all(count, requests, &done);
    }
    return told(wrong, error);
}

/* ---- the calls ---- */

static size_t pieces_of(size_t bytes)
{
    return (bytes + PIECE - 1) / PIECE;
}

/* Begins to send or to receive the pieces of a parcel; their requests follow *request. */
static int begin(const struct ky_parcel *parcel, int sends, char **request)
{
    int wrong = 0;
    for (size_t at = 0; at < parcel->bytes && !wrong; at += PIECE, *request += mpi.abi->handle) {
        const size_t left = parcel->bytes - at;
        const int count = (int)(left < PIECE ? left : PIECE);
        char *data = (char *)parcel->data + at;
        wrong = sends ? mpi.Isend(data, count, mpi.byte, parcel->rank, 0, mpi.world, *request)
                      : mpi.Irecv(data, count, mpi.byte, parcel->rank, 0, mpi.world, *request);
    }
    return wrong;
}

static enum ky_status exchange(struct ky_comm *comm, const struct ky_parcel *out, size_t outs,
                               const struct ky_parcel *in, size_t ins, struct ky_error *error)
{
    (void)comm;
    size_t most = 0, bytes = 0;
    int wrong = 0;
    for (size_t k = 0; k < outs; bytes += out[k++].bytes)
        most += pieces_of(out[k].bytes);
    for (size_t k = 0; k < ins; bytes += in[k++].bytes)
        most += pieces_of(in[k].bytes);
    char *requests = most < INT_MAX ? ky_allocate(most, mpi.abi->handle) : NULL, *end = requests;
    if (!requests)
        return ky_no_memory(error, "requests of MPI", most, mpi.abi->handle);
    for (size_t k = 0; k < ins && !wrong; k++)
        wrong = begin(&in[k], 0, &end);
    for (size_t k = 0; k < outs && !wrong; k++)
        wrong = begin(&out[k], 1, &end);
    const int count = (int)((size_t)(end - requests) / mpi.abi->handle);
    const enum ky_status status = wait_for(wrong, count, requests, bytes, error);
    free(requests);
    return status;
}

/* All-to-all by parcels: rank r's bytes for rank s are at own + step × s, and their number is
 * bytes[r]; they arrive in `all` in the order of the ranks. For more bytes than an int can count.
 */
struct by_parcels {
    const void *own;
    size_t step;
    const size_t *bytes;
    void *all;
};

static enum ky_status send_parcels(struct ky_comm *comm, const struct by_parcels *it,
                                   struct ky_error *error)
{
    const size_t ranks = (size_t)comm->size;
    struct ky_parcel *parcels;
    KY_TRY(ky_array(&parcels, 2 * ranks, sizeof *parcels, "the ranks", error));
    char *to = it->all;
    for (size_t r = 0; r < ranks; to += it->bytes[r], r++) {
        parcels[r] =
            (struct ky_parcel){(int)r, (char *)it->own + it->step * r, it->bytes[comm->rank]};
        parcels[ranks + r] = (struct ky_parcel){(int)r, to, it->bytes[r]};
    }
    const enum ky_status status = exchange(comm, parcels, ranks, parcels + ranks, ranks, error);
    free(parcels);
    return status;
}

/* The same with equal parts. */
static enum ky_status send_equal(struct ky_comm *comm, struct by_parcels it, size_t bytes,
                                 struct ky_error *error)
{
    const size_t ranks = (size_t)comm->size;
    size_t *each;
    KY_TRY(ky_array(&each, ranks, sizeof *each, "the ranks", error));
    for (size_t r = 0; r < ranks; r++)
        each[r] = bytes;
    it.bytes = each;
    const enum ky_status status = send_parcels(comm, &it, error);
    free(each);
    return status;
}

/* Broadcasts bytes from the rank `root`. */
static enum ky_status tell(int root, char *data, size_t bytes, struct ky_error *error)
{
    for (size_t at = 0; at < bytes; at += PIECE) {
        const size_t left = bytes - at;
        union ky_mpi_handle request;
        const int wrong = mpi.Ibcast(data + at, (int)(left < PIECE ? left : PIECE), mpi.byte, root,
                                     mpi.world, &request);
        KY_TRY(wait_for(wrong, 1, &request, left, error));
    }
    return KY_OK;
}

static enum ky_status gather(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                             struct ky_error *error)
{
    if (bytes > INT_MAX)
        return send_equal(comm, (struct by_parcels){own, 0, NULL, all}, bytes, error);
    union ky_mpi_handle request;
    const int count = (int)bytes;
    const int wrong =
        count ? mpi.Iallgather(own, count, mpi.byte, all, count, mpi.byte, mpi.world, &request)
              : mpi.Ibarrier(mpi.world, &request);
    return wait_for(wrong, 1, &request, bytes, error);
}

static enum ky_status deal(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                           struct ky_error *error)
{
    if (bytes > INT_MAX)
        return send_equal(comm, (struct by_parcels){own, bytes, NULL, all}, bytes, error);
    union ky_mpi_handle request;
    const int count = (int)bytes;
    const int wrong =
        mpi.Ialltoall(own, count, mpi.byte, all, count, mpi.byte, mpi.world, &request);
    return wait_for(wrong, 1, &request, bytes, error);
}

static enum ky_status gather_parts(struct ky_comm *comm, const void *own, const size_t *bytes,
                                   void *all, struct ky_error *error)
{
    const int ranks = comm->size;
    int having = 0, root = 0;
    size_t sum = 0;
    for (int r = 0; r < ranks; sum += bytes[r], r++)
        if (bytes[r])
            having++, root = r;
    if (having < 2) {
        if (comm->rank == root && sum)
            memmove(all, own, sum);
        return tell(root, all, sum, error);
    }
    if (sum > INT_MAX)
        return send_parcels(comm, &(struct by_parcels){own, 0, bytes, all}, error);
    int *counts;
    KY_TRY(ky_array(&counts, 2 * (size_t)ranks, sizeof *counts, "the ranks", error));
    for (int r = 0, at = 0; r < ranks; at += counts[r], r++) {
        counts[r] = (int)bytes[r];
        counts[ranks + r] = at;
    }
    union ky_mpi_handle request;
    const int wrong = mpi.Iallgatherv(own, counts[comm->rank], mpi.byte, all, counts,
                                      counts + ranks, mpi.byte, mpi.world, &request);
    const enum ky_status status = wait_for(wrong, 1, &request, sum, error);
    free(counts);
    return status;
}

static enum ky_status add(struct ky_comm *comm, uint64_t *number, size_t count,
                          struct ky_error *error)
{
    enum { MOST = 1 << 20 };
    (void)comm;
    for (size_t first = 0; first < count; first += MOST) {
        const int some = (int)(count - first < MOST ? count - first : MOST);
        union ky_mpi_handle request;
        const int wrong = mpi.Iallreduce((void *)mpi.abi->in_place, number + first, some,
                                         mpi.uint64, mpi.sum, mpi.world, &request);
        KY_TRY(wait_for(wrong, 1, &request, (size_t)some * sizeof *number, error));
    }
    return KY_OK;
}

/* A launcher may end before it has forwarded the last output of a process. */
static void wait_for_launcher(void)
{
    nanosleep(&(struct timespec){0, 300000000}, NULL);
}

static void fail(struct ky_comm *comm, const struct ky_error *error)
{
    char host[KY_HOST_NAME];
    fprintf(stderr, "kyoho: rank %d on %s: %s\n", comm->rank, ky_host_name(host), error->text);
    wait_for_launcher();
    mpi.Abort(mpi.world, (int)error->status);
    _Exit((int)error->status); /* MPICH may return before its launcher ends the processes */
}

/* ---- begin and end ---- */

static ky_mpi_word word_of(const union ky_mpi_handle *handle)
{
    return mpi.abi->handle == sizeof handle->number ? handle->number : handle->pointer;
}

/* Finds the number of this process and the count among the processes of the same computer, and the
 * first of them. */
static int find_local(struct ky_comm *comm)
{
    union ky_mpi_handle made;
    int wrong = mpi.Comm_split_type(mpi.world, mpi.abi->shared, 0, mpi.no_info, &made);
    if (wrong)
        return wrong;
    mpi.Comm_rank(word_of(&made), &comm->local_rank);
    mpi.Comm_size(word_of(&made), &comm->local_size);
    comm->local_first = comm->rank;
    wrong = mpi.Bcast(&comm->local_first, 1, mpi.integer, 0, word_of(&made));
    mpi.Comm_free(&made);
    return wrong;
}

/* Opens and begins MPI, if the program has not done that; *begun: 1 if this call has. */
static enum ky_status open_mpi(struct ky_comm *comm, const struct ky_launcher *launcher, int *begun,
                               struct ky_error *error)
{
    int given, is_begun = 0;
    char host[KY_HOST_NAME];
    struct ky_error why;
    if (ky_mpi_open(&mpi, launcher, &why))
        return ky_fail(error, KY_UNSUPPORTED,
                       "an MPI launcher has started this program on %s (%s is set), and %s: add "
                       "the folder of its MPI library to LD_LIBRARY_PATH, or start the program "
                       "without the launcher",
                       ky_host_name(host), launcher->rank, why.text);
    mpi.Initialized(&is_begun);
    /* MPI is called by one thread at a time, not always by the first one. */
    int wrong = is_begun ? 0 : mpi.Init_thread(NULL, NULL, mpi.abi->serialized, &given);
    if (wrong)
        return ky_fail(error, KY_FAULT, "MPI cannot be initialised: error %d", wrong);
    *begun = !is_begun;
    mpi.Comm_rank(mpi.world, &comm->rank);
    mpi.Comm_size(mpi.world, &comm->size);
    return told(find_local(comm), error);
}

static void finish(void)
{
    int done = 0;
    mpi.Finalized(&done);
    if (!done)
        mpi.Finalize();
}

/* Refuses a launcher that belongs to another MPI than the library: each process would be a world of
 * one rank. */
static enum ky_status compare_worlds(const struct ky_comm *comm, const struct ky_launcher *launcher,
                                     struct ky_error *error)
{
    const long ranks = ky_launcher_size(launcher, comm->size);
    if (ranks == comm->size)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "the launcher has started %ld ranks, of which %s knows %d: it belongs to "
                   "another MPI, so use the mpiexec of %s, or add the folder of the launcher's MPI "
                   "library to LD_LIBRARY_PATH",
                   ranks, mpi.name, comm->size, mpi.name);
}

static int is_missed; /* MPI has not begun in this process, and other processes may wait for it */
static int has_told;  /* this process has printed the error */

static void abandon(int code)
{
    wait_for_launcher();
    ky_launcher_abort(code);
    wait_for_launcher();
}

void ky_mpi_abandon(int code)
{
    int rank;
    ky_mpi_launched(&rank);
    if (rank && !has_told) /* the launcher ends all processes as soon as one ends with an error */
        nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
    else if (!rank && is_missed)
        abandon(code);
}

enum ky_status ky_comm_mpi(ky_rank_function *function, void *context, struct ky_error *error)
{
    const struct ky_launcher *launcher = ky_launcher_find();
    struct ky_error own;
    error = error ? error : &own; /* fail prints it */
    if (!launcher)
        return ky_comm_threads(1, function, context, error);
    static const struct ky_comm_verbs verbs = {.name = mpi.name,
                                               .gather = gather,
                                               .gather_parts = gather_parts,
                                               .deal = deal,
                                               .exchange = exchange,
                                               .add = add,
                                               .fail = fail};
    struct ky_comm comm = {.verbs = &verbs, .is_process = 1};
    int begun = 0;
    enum ky_status status = open_mpi(&comm, launcher, &begun, error);
    if (status) {
        int rank;
        ky_mpi_launched(&rank);
        is_missed = 1;
        if (rank && ky_launcher_is_first_here()) { /* rank 0 may have its library */
            fprintf(stderr, "kyoho: rank %d: %s\n", rank, error->text);
            has_told = 1;
            abandon((int)status);
        }
        return status;
    }
    status = compare_worlds(&comm, launcher, error);
    if (!status) {
        status = function(&comm, context, error);
        if (status) /* the other processes may wait for this one */
            fail(&comm, error);
    }
    if (begun)
        finish();
    return status;
}
