/* Replicated bodies: every rank has all bodies. Exact sums need every body everywhere, and take so
 * long that each rank computes only its share of the sinks. The blocks of sinks, and with them the
 * bits, are the same as with one engine. */
#include <stdlib.h>

#include "base/memory.h"
#include "domain/domain.h"

enum ky_status ky_domain_gather(void *context, const void *own, const size_t *bytes, void *all,
                                struct ky_error *error)
{
    struct ky_comm *comm = ((struct ky_domain *)context)->comm;
    return comm->verbs->gather_parts(comm, own, bytes, all, error);
}

/* Broadcasts the rows of some bodies from rank 0. */
static enum ky_status tell_rows(struct ky_domain *domain, const struct ky_bodies *from,
                                const struct ky_bodies *to, unsigned with, double *rows,
                                struct ky_error *error)
{
    const size_t width = ky_row_numbers(with);
    for (size_t first = 0; first < to->n; first += KY_DOMAIN_CHUNK) {
        const size_t end = first + KY_DOMAIN_CHUNK < to->n ? first + KY_DOMAIN_CHUNK : to->n;
        double *row = rows;
        for (size_t i = first; from && i < end; i++)
            row = ky_row_write(row, from, i, with);
        KY_TRY(ky_comm_broadcast(domain->comm, rows, (end - first) * width * sizeof *rows, error));
        const double *got = rows;
        for (size_t i = first; i < end; i++)
            got = ky_row_read(got, to, i, with);
    }
    return KY_OK;
}

enum ky_status ky_domain_copy(struct ky_domain *domain, const struct ky_bodies *bodies,
                              unsigned with, const struct ky_engine_frame *units,
                              struct ky_error *error)
{
    const size_t n = domain->total;
    struct ky_bodies own = {0};
    double *rows = ky_allocate(KY_DOMAIN_CHUNK, ky_row_numbers(with) * sizeof *rows);
    enum ky_status status =
        rows ? ky_engine_resize(domain->engine, n, error)
             : ky_no_memory(error, "bodies of a rank", KY_DOMAIN_CHUNK, sizeof *rows);
    if (!status)
        status = ky_rows_allocate(&own, n, with, error);
    if (!status)
        status = tell_rows(domain, bodies, &own, with, rows, error);
    if (!status)
        status = ky_engine_set_frame(domain->engine, units->length > 0 ? units : NULL, error);
    if (!status)
        status = ky_engine_put(domain->engine, &own, error);
    ky_rows_free(&own);
    free(rows);
    return status;
}
