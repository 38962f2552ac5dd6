#include "domain/comm.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum ky_status ky_comm_gather(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                              struct ky_error *error)
{
    const size_t ranks = (size_t)comm->size;
    void *got = ky_allocate(ranks, bytes);
    const enum ky_status status = got ? comm->verbs->gather(comm, own, bytes, got, error)
                                      : ky_no_memory(error, "the ranks", ranks, bytes);
    if (status) {
        free(got);
        got = NULL;
    }
    memcpy(all, &got, sizeof got);
    return status;
}

/* MPI does not allow the send and receive buffers to overlap. */
enum ky_status ky_comm_broadcast(struct ky_comm *comm, void *data, size_t bytes,
                                 struct ky_error *error)
{
    const size_t size = (size_t)comm->size, own = comm->rank ? 0 : bytes;
    size_t *each = ky_allocate_zeroed(size, sizeof *each);
    char *sent = ky_allocate(own, 1);
    enum ky_status status = each && sent ? KY_OK : ky_no_memory(error, "the ranks", own, 1);
    if (!status) {
        if (own)
            memcpy(sent, data, own);
        each[0] = bytes;
        status = comm->verbs->gather_parts(comm, sent, each, data, error);
    }
    free(each);
    free(sent);
    return status;
}

enum ky_status ky_comm_all_to_all(struct ky_comm *comm, const void *own, const size_t *out,
                                  void *all, const size_t *in, size_t bytes, struct ky_error *error)
{
    const size_t size = (size_t)comm->size;
    struct ky_parcel *sent = ky_allocate(2 * size, sizeof *sent);
    size_t outs = 0, ins = size;
    if (!sent)
        return ky_no_memory(error, "the ranks", size, sizeof *sent);
    char *from = (char *)(uintptr_t)own, *to = all;
    for (size_t r = 0; r < size; r++) {
        if (out[r])
            sent[outs++] = (struct ky_parcel){(int)r, from, out[r] * bytes};
        if (in[r])
            sent[ins++] = (struct ky_parcel){(int)r, to, in[r] * bytes};
        from += out[r] * bytes;
        to += in[r] * bytes;
    }
    const enum ky_status status =
        comm->verbs->exchange(comm, sent, outs, sent + size, ins - size, error);
    free(sent);
    return status;
}

enum ky_status ky_comm_collect(struct ky_comm *comm, const void *own, size_t count, void *all,
                               const size_t *counts, size_t bytes, struct ky_error *error)
{
    const size_t size = (size_t)comm->size;
    size_t *out = ky_allocate_zeroed(2 * size, sizeof *out);
    if (!out)
        return ky_no_memory(error, "the ranks", size, sizeof *out);
    out[0] = count;
    const enum ky_status status =
        ky_comm_all_to_all(comm, own, out, all, comm->rank ? out + size : counts, bytes, error);
    free(out);
    return status;
}

enum ky_status ky_comm_barrier(struct ky_comm *comm, struct ky_error *error)
{
    char own = 0, all = 0;
    return comm->verbs->gather(comm, &own, 0, &all, error);
}
