#include "domain/comm.h"

#include <stdlib.h>

#include "base/memory.h"

enum ky_status ky_comm_agree(struct ky_comm *comm, enum ky_status status, struct ky_error *error)
{
    struct ky_error ignored;
    struct ky_error *own = error ? error : &ignored;
    const size_t size = (size_t)comm->size;
    int *all = malloc(size * sizeof *all), mine = (int)status;
    if (!all) {
        ky_no_memory(own, "the ranks", size, sizeof *all);
        comm->verbs->fail(comm, own);
        return own->status;
    }
    enum ky_status told = comm->verbs->gather(comm, &mine, sizeof mine, all, own);
    size_t first = 0;
    while (first < size && !all[first])
        first++;
    free(all);
    if (told || first == size)
        return told;
    struct ky_error theirs = (int)first == comm->rank ? *own : (struct ky_error){0};
    size_t *bytes = calloc(size, sizeof *bytes);
    if (!bytes) {
        ky_no_memory(own, "the ranks", size, sizeof *bytes);
        comm->verbs->fail(comm, own);
        return own->status;
    }
    bytes[first] = sizeof theirs;
    told = comm->verbs->gather_parts(comm, &theirs, bytes, own, own);
    free(bytes);
    return told ? told : own->status;
}

enum ky_status ky_comm_tell(struct ky_comm *comm, void *data, size_t bytes, struct ky_error *error)
{
    size_t *each = ky_allocate_zeroed((size_t)comm->size, sizeof *each);
    if (!each)
        return ky_no_memory(error, "the ranks", (size_t)comm->size, sizeof *each);
    each[0] = bytes;
    const enum ky_status status = comm->verbs->gather_parts(comm, data, each, data, error);
    free(each);
    return status;
}

enum ky_status ky_comm_meet(struct ky_comm *comm, struct ky_error *error)
{
    return comm->verbs->gather(comm, NULL, 0, NULL, error);
}
