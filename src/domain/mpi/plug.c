/* The plug-in: the table of plug.h by MPI. A waiting rank polls whether the call has completed, and
 * after a long wait sleeps between two polls. Most MPIs would keep a processor busy, which another
 * rank or program may need. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domain/plug.h"

/* MPI counts are int: longer parcels are sent in pieces. */
#define PIECE ((size_t)1 << 30)

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

static int wait_for(int count, MPI_Request *requests, size_t bytes)
{
    const long long begin = nanoseconds(), longest = bytes < LARGE ? LONGEST : LONGEST_OF_LARGE,
                    yields = YIELDS + OF_A_BYTE * (long long)bytes;
    int done = 0, wrong = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    while (!done && !wrong) {
        const long long waited = nanoseconds() - begin;
        if (waited > yields)
            nanosleep(&(struct timespec){0, waited < 20 * longest ? waited / 20 : longest}, NULL);
        else if (waited > LOOKS)
            sched_yield();
        wrong = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    }
    return wrong;
}

/* ---- the calls ---- */

static size_t pieces_of(size_t bytes)
{
    return (bytes + PIECE - 1) / PIECE;
}

/* Begins to send or to receive the pieces of a parcel; their requests follow *requests. */
static int begin(const struct ky_plug_parcel *parcel, int sends, MPI_Request **requests)
{
    int wrong = MPI_SUCCESS;
    for (size_t at = 0; at < parcel->bytes && !wrong; at += PIECE) {
        const size_t left = parcel->bytes - at;
        const int count = (int)(left < PIECE ? left : PIECE);
        char *data = (char *)parcel->data + at;
        MPI_Request *request = (*requests)++;
        wrong = sends ? MPI_Isend(data, count, MPI_BYTE, parcel->rank, 0, MPI_COMM_WORLD, request)
                      : MPI_Irecv(data, count, MPI_BYTE, parcel->rank, 0, MPI_COMM_WORLD, request);
    }
    return wrong;
}

static int exchange(const struct ky_plug_parcel *out, size_t outs, const struct ky_plug_parcel *in,
                    size_t ins)
{
    size_t most = 0, bytes = 0;
    int wrong = MPI_SUCCESS;
    for (size_t k = 0; k < outs; bytes += out[k++].bytes)
        most += pieces_of(out[k].bytes);
    for (size_t k = 0; k < ins; bytes += in[k++].bytes)
        most += pieces_of(in[k].bytes);
    MPI_Request *requests = most < INT_MAX ? malloc((most + 1) * sizeof *requests) : NULL;
    if (!requests)
        return MPI_ERR_NO_MEM;
    MPI_Request *end = requests;
    for (size_t k = 0; k < ins && !wrong; k++)
        wrong = begin(&in[k], 0, &end);
    for (size_t k = 0; k < outs && !wrong; k++)
        wrong = begin(&out[k], 1, &end);
    if (!wrong)
        wrong = wait_for((int)(end - requests), requests, bytes);
    free(requests);
    return wrong;
}

/* All-to-all by parcels: rank r's bytes for rank s are at own + step × s, and their number is
 * bytes[r]; they arrive in the order of the ranks. For more bytes than an int can count. */
static int by_parcels(const void *own, size_t step, const size_t *bytes, void *all)
{
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct ky_plug_parcel *parcels = malloc(2 * (size_t)ranks * sizeof *parcels);
    if (!parcels)
        return MPI_ERR_NO_MEM;
    char *to = all;
    for (int r = 0; r < ranks; to += bytes[r], r++) {
        parcels[r] = (struct ky_plug_parcel){r, (char *)own + step * (size_t)r, bytes[rank]};
        parcels[ranks + r] = (struct ky_plug_parcel){r, to, bytes[r]};
    }
    const int wrong = exchange(parcels, (size_t)ranks, parcels + ranks, (size_t)ranks);
    free(parcels);
    return wrong;
}

/* The same with equal parts. */
static int equal_by_parcels(const void *own, size_t step, size_t bytes, void *all)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t *each = malloc((size_t)ranks * sizeof *each);
    if (!each)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < ranks; r++)
        each[r] = bytes;
    const int wrong = by_parcels(own, step, each, all);
    free(each);
    return wrong;
}

/* Broadcasts bytes from the rank `root`. */
static int tell(int root, char *data, size_t bytes)
{
    int wrong = MPI_SUCCESS;
    for (size_t at = 0; at < bytes && !wrong; at += PIECE) {
        const size_t left = bytes - at;
        MPI_Request request;
        wrong = MPI_Ibcast(data + at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, root,
                           MPI_COMM_WORLD, &request);
        if (!wrong)
            wrong = wait_for(1, &request, left);
    }
    return wrong;
}

static int gather(const void *own, size_t bytes, void *all)
{
    if (bytes > INT_MAX)
        return equal_by_parcels(own, 0, bytes, all);
    MPI_Request request;
    const int count = (int)bytes;
    const int wrong =
        count ? MPI_Iallgather(own, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD, &request)
              : MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return wrong ? wrong : wait_for(1, &request, bytes);
}

static int deal(const void *own, size_t bytes, void *all)
{
    if (bytes > INT_MAX)
        return equal_by_parcels(own, bytes, bytes, all);
    MPI_Request request;
    const int count = (int)bytes, wrong = MPI_Ialltoall(own, count, MPI_BYTE, all, count, MPI_BYTE,
                                                        MPI_COMM_WORLD, &request);
    return wrong ? wrong : wait_for(1, &request, bytes);
}

static int gather_parts(const void *own, const size_t *bytes, void *all)
{
    int ranks, rank, wrong, having = 0, root = 0;
    size_t sum = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int r = 0; r < ranks; sum += bytes[r], r++)
        if (bytes[r])
            having++, root = r;
    if (having < 2) {
        if (rank == root && sum)
            memmove(all, own, sum);
        return tell(root, all, sum);
    }
    if (sum > INT_MAX)
        return by_parcels(own, 0, bytes, all);
    int *counts = malloc(2 * (size_t)ranks * sizeof *counts);
    if (!counts)
        return MPI_ERR_NO_MEM;
    for (int r = 0, at = 0; r < ranks; at += counts[r], r++) {
        counts[r] = (int)bytes[r];
        counts[ranks + r] = at;
    }
    MPI_Request request;
    wrong = MPI_Iallgatherv(own, counts[rank], MPI_BYTE, all, counts, counts + ranks, MPI_BYTE,
                            MPI_COMM_WORLD, &request);
    if (!wrong)
        wrong = wait_for(1, &request, sum);
    free(counts);
    return wrong;
}

static int add(uint64_t *number, size_t count)
{
    enum { MOST = 1 << 20 };
    int wrong = MPI_SUCCESS;
    for (size_t first = 0; first < count && !wrong; first += MOST) {
        const int some = (int)(count - first < MOST ? count - first : MOST);
        MPI_Request request;
        wrong = MPI_Iallreduce(MPI_IN_PLACE, number + first, some, MPI_UINT64_T, MPI_SUM,
                               MPI_COMM_WORLD, &request);
        if (!wrong)
            wrong = wait_for(1, &request, (size_t)some * sizeof *number);
    }
    return wrong;
}

/* ---- begin and end ---- */

/* MPICH may return from MPI_Abort, before its launcher ends the processes. */
static void end_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    _Exit(code);
}

static void finish(void)
{
    int done = 0;
    MPI_Finalized(&done);
    if (!done)
        MPI_Finalize();
}

/* Finds the number of this process and the count among the processes of the same computer, and the
 * first of them. */
static int find_local(struct ky_plug *plug)
{
    MPI_Comm local;
    int wrong = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    if (wrong)
        return wrong;
    MPI_Comm_rank(local, &plug->local_rank);
    MPI_Comm_size(local, &plug->local_ranks);
    plug->local_first = plug->rank;
    wrong = MPI_Bcast(&plug->local_first, 1, MPI_INT, 0, local);
    MPI_Comm_free(&local);
    return wrong;
}

/* The name and the version of a library: the first line of its description, up to a comma: "Open
 * MPI v4.1.4, package: …", "MPICH Version: 4.0.2". */
static void find_name(char *name, size_t room)
{
    char said[MPI_MAX_LIBRARY_VERSION_STRING] = "", *rest = said;
    int length;
    MPI_Get_library_version(said, &length);
    said[strcspn(said, "\n,")] = '\0';
    *name = '\0';
    for (char *word; (word = strtok_r(rest, " \t", &rest));) {
        if (!strncmp(word, "v", 1) && word[1] >= '0' && word[1] <= '9')
            word++;
        word[strcspn(word, ":")] = '\0';
        if (!*word || !strcmp(word, "Version"))
            continue;
        if (strlen(name) + strlen(word) + 2 < room)
            strcat(strcat(name, *name ? " " : ""), word);
    }
}

ky_plug_open_function ky_plug_open;

int ky_plug_open(struct ky_plug *plug)
{
    int given;
    if (plug->size != sizeof *plug)
        return KY_PLUG_OLD;
    find_name(plug->library, sizeof plug->library);
    if (plug->only && strncmp(plug->library, plug->only, strlen(plug->only)) != 0)
        return KY_PLUG_OTHER;
    /* MPI is called by one thread at a time, not always by the first one. */
    int wrong = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
    if (wrong)
        return wrong;
    plug->gather = gather;
    plug->gather_parts = gather_parts;
    plug->deal = deal;
    plug->add = add;
    plug->exchange = exchange;
    plug->abort = end_all;
    plug->finish = finish;
    MPI_Comm_rank(MPI_COMM_WORLD, &plug->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plug->ranks);
    return find_local(plug);
}
