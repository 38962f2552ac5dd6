/* The processes of MPI as ranks. There is one MPI in a process, so what is known of it is global.
 */
#include <signal.h>

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

struct leading {
    int (*lead)(void *context);
    void *context;
    int code;
};

static enum ky_status serve(struct ky_comm *comm, void *context, struct ky_error *error)
{
    struct leading *leading = context;
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
                              const struct ky_works *works, int *code, struct ky_error *error)
{
    struct leading leading = {lead, context, 0};
    ky_domain_take_works(works);
    const enum ky_status status = ky_comm_mpi(serve, &leading, error);
    *code = leading.code;
    return status;
}
