#include "domain/comm.h"

#include <stdlib.h>
#include <string.h>

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

/* What is sent may not lie where it is received: MPI asks for that. */
enum ky_status ky_comm_tell(struct ky_comm *comm, void *data, size_t bytes, struct ky_error *error)
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

enum ky_status ky_comm_meet(struct ky_comm *comm, struct ky_error *error)
{
    return comm->verbs->gather(comm, NULL, 0, NULL, error);
}
