/* ranks [fail]: tells numbers to the other ranks of MPI and prints a line for each rank. */
#include <stdio.h>

#include "ranks.h"

static enum ky_status be_rank(struct ky_comm *comm, void *context, struct ky_error *error)
{
    const enum ky_status status =
        context ? try_failure(comm, context, error) : try_all(comm, context, error);
    if (status)
        comm->verbs->fail(comm, error);
    else
        printf("rank %d of %d, %d of %d here, by %s\n", comm->rank, comm->size, comm->local_rank,
               comm->local_size, comm->verbs->name);
    return status;
}

int main(int argc, char **argv)
{
    struct ky_error error;
    const enum ky_status status = ky_comm_mpi(be_rank, argc > 1 ? argv[1] : NULL, &error);
    if (status)
        fprintf(stderr, "ranks: %s\n", error.text);
    return (int)status;
}
