/* The plug-in: the table of plug.h by MPI. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "domain/plug.h"

/* MPI counts by int: longer parcels go in pieces. */
#define PIECE ((size_t)1 << 30)

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
    size_t most = 0;
    int wrong = MPI_SUCCESS;
    for (size_t k = 0; k < outs; k++)
        most += pieces_of(out[k].bytes);
    for (size_t k = 0; k < ins; k++)
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
        wrong = MPI_Waitall((int)(end - requests), requests, MPI_STATUSES_IGNORE);
    free(requests);
    return wrong;
}

/* Rank r's bytes to rank s lie at own + step × s and are bytes[r] many; they come one after the
 * other. For more bytes than an int counts. */
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

static int gather(const void *own, size_t bytes, void *all)
{
    if (bytes > INT_MAX)
        return equal_by_parcels(own, 0, bytes, all);
    return MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int deal(const void *own, size_t bytes, void *all)
{
    if (bytes > INT_MAX)
        return equal_by_parcels(own, bytes, bytes, all);
    return MPI_Alltoall(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int gather_parts(const void *own, const size_t *bytes, void *all)
{
    int ranks, rank, wrong;
    size_t sum = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int r = 0; r < ranks; r++)
        sum += bytes[r];
    if (sum > INT_MAX)
        return by_parcels(own, 0, bytes, all);
    int *counts = malloc(2 * (size_t)ranks * sizeof *counts);
    if (!counts)
        return MPI_ERR_NO_MEM;
    for (int r = 0, at = 0; r < ranks; at += counts[r], r++) {
        counts[r] = (int)bytes[r];
        counts[ranks + r] = at;
    }
    wrong = MPI_Allgatherv(own, counts[rank], MPI_BYTE, all, counts, counts + ranks, MPI_BYTE,
                           MPI_COMM_WORLD);
    free(counts);
    return wrong;
}

static int add(uint64_t *number, size_t count)
{
    enum { MOST = 1 << 20 };
    int wrong = 0;
    for (size_t first = 0; first < count && !wrong; first += MOST)
        wrong = MPI_Allreduce(MPI_IN_PLACE, number + first,
                              (int)(count - first < MOST ? count - first : MOST), MPI_UINT64_T,
                              MPI_SUM, MPI_COMM_WORLD);
    return wrong;
}

static void end_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void finish(void)
{
    int done = 0;
    MPI_Finalized(&done);
    if (!done)
        MPI_Finalize();
}

/* Number and count of this process among those of the same computer. */
static int find_local(struct ky_plug *plug)
{
    MPI_Comm local;
    int wrong = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    if (wrong)
        return wrong;
    MPI_Comm_rank(local, &plug->local_rank);
    MPI_Comm_size(local, &plug->local_ranks);
    return MPI_Comm_free(&local);
}

ky_plug_open_function ky_plug_open;

int ky_plug_open(struct ky_plug *plug)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int given, length;
    /* Calls of MPI come from one thread at a time, which need not be the first one. */
    int wrong = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
    if (wrong || plug->size != sizeof *plug)
        return wrong ? wrong : MPI_ERR_ARG;
    *plug = (struct ky_plug){.size = sizeof *plug,
                             .gather = gather,
                             .gather_parts = gather_parts,
                             .deal = deal,
                             .exchange = exchange,
                             .add = add,
                             .abort = end_all,
                             .finish = finish};
    MPI_Comm_rank(MPI_COMM_WORLD, &plug->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plug->ranks);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    strncpy(plug->library, version, sizeof plug->library - 1);
    return find_local(plug);
}
