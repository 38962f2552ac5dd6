/* The processes of MPI as ranks. MPI exists once in a process, so its state is global. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/memory.h"
#include "base/status.h"
#include "domain/orders.h"
#include "kyoho/kyoho.h"

static struct ky_comm *world;

struct ky_comm *ky_domain_world(void)
{
    return world;
}

int ky_mpi_ranks(void)
{
    return world ? world->size : 1;
}

/* Properties that must be equal on all ranks, since orders travel as raw memory: several computers
 * may have different installations. */
struct program {
    char version[64], host[KY_HOST_NAME];
    uint64_t orders, bytes[2];
};

static int is_alike(const struct program *one, const struct program *other)
{
    return !strcmp(one->version, other->version) && one->orders == other->orders &&
           !memcmp(one->bytes, other->bytes, sizeof one->bytes);
}

/* Fails with KY_UNSUPPORTED on the first rank whose program differs from rank 0's; the other ranks
 * wait there until they are ended. */
static enum ky_status compare_programs(struct ky_comm *comm, struct ky_error *error)
{
    struct program own = {.orders = KY_ORDERS_OF_DOMAINS,
                          .bytes = {sizeof(struct ky_order), sizeof(struct ky_parameters)}},
                   *all;
    snprintf(own.version, sizeof own.version, "%s", ky_version());
    ky_host_name(own.host);
    enum ky_status status = ky_comm_gather(comm, &own, sizeof own, &all, error);
    int other = 1;
    while (!status && other < comm->size && is_alike(all, &all[other]))
        other++;
    if (!status && other == comm->rank)
        status = ky_fail(error, KY_UNSUPPORTED,
                         "this build of Kyoho (%s) differs from the build of rank 0 on %s (%s): "
                         "install the same build on all machines",
                         own.version, all->host, all->version);
    else if (!status && other < comm->size)
        status = ky_comm_barrier(comm, error);
    free(all);
    return status;
}

struct leading {
    int (*lead)(void *context);
    void *context;
    const struct ky_tasks *tasks;
    int code;
};

static enum ky_status serve(struct ky_comm *comm, void *context, struct ky_error *error)
{
    struct leading *leading = context;
    KY_TRY(compare_programs(comm, error));
    comm->tasks = leading->tasks;
    if (comm->rank) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        return ky_order_obey(comm, &leading->code, error);
    }
    struct ky_domain nobody = {.comm = comm};
    world = comm->size > 1 ? comm : NULL;
    leading->code = leading->lead(leading->context);
    world = NULL;
    const struct ky_order leave = {.kind = KY_ORDER_leave, .n = (size_t)leading->code};
    return ky_order_give(&nobody, &leave, &(struct ky_order_data){0}, error);
}

enum ky_status ky_domain_lead(int (*lead)(void *context), void *context,
                              const struct ky_tasks *tasks, int *code, struct ky_error *error)
{
    struct leading leading = {lead, context, tasks, 0};
    const enum ky_status status = ky_comm_mpi(serve, &leading, error);
    *code = leading.code;
    return status;
}
