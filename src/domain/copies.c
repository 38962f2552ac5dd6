/* Ranks that all have all bodies: exact sums need every body everywhere, and are so long that a
 * rank computes the sinks of its part alone. The blocks of sinks, and with them the bits, are those
 * of one engine. */
#include <stdlib.h>

#include "base/memory.h"
#include "domain/domain.h"

/* Where rank r's part of `count` sinks begins. */
static size_t part_start(size_t count, size_t unit, size_t size, size_t r)
{
    const size_t units = (count + unit - 1) / unit,
                 first = units / size * r + units % size * r / size;
    return first * unit < count ? first * unit : count;
}

void ky_domain_part(void *context, size_t count, size_t unit, size_t *first, size_t *end)
{
    const struct ky_comm *comm = ((const struct ky_domain *)context)->comm;
    const size_t size = (size_t)comm->size, rank = (size_t)comm->rank;
    *first = part_start(count, unit, size, rank);
    *end = part_start(count, unit, size, rank + 1);
}

enum ky_status ky_domain_join(void *context, double *row, size_t width, size_t count, size_t unit,
                              struct ky_error *error)
{
    struct ky_comm *comm = ((struct ky_domain *)context)->comm;
    const size_t size = (size_t)comm->size, row_bytes = width * sizeof *row;
    size_t *bytes = ky_allocate(size, sizeof *bytes), first = 0, end = 0;
    if (!bytes)
        return ky_no_memory(error, "the ranks", size, sizeof *bytes);
    for (size_t r = 0; r < size; r++)
        bytes[r] =
            (part_start(count, unit, size, r + 1) - part_start(count, unit, size, r)) * row_bytes;
    ky_domain_part(context, count, unit, &first, &end);
    double *own = ky_allocate((end - first) * width, sizeof *own);
    enum ky_status status =
        own ? KY_OK : ky_no_memory(error, "sums of a rank", (end - first) * width, sizeof *own);
    for (size_t k = 0; k < (end - first) * width && !status; k++)
        own[k] = row[first * width + k];
    if (!status)
        status = comm->verbs->gather_parts(comm, own, bytes, row, error);
    free(own);
    free(bytes);
    return status;
}

/* Rows of some bodies from rank 0 to all. */
static enum ky_status tell_rows(struct ky_domain *domain, const struct ky_bodies *from,
                                const struct ky_bodies *to, unsigned with, double *rows,
                                struct ky_error *error)
{
    const size_t width = ky_row_numbers(with);
    enum ky_status status = KY_OK;
    for (size_t first = 0; first < to->n && !status; first += KY_DOMAIN_CHUNK) {
        const size_t end = first + KY_DOMAIN_CHUNK < to->n ? first + KY_DOMAIN_CHUNK : to->n;
        double *row = rows;
        for (size_t i = first; from && i < end; i++)
            row = ky_row_write(row, from, i, with);
        status = ky_comm_tell(domain->comm, rows, (end - first) * width * sizeof *rows, error);
        const double *got = rows;
        for (size_t i = first; i < end && !status; i++)
            got = ky_row_read(got, to, i, with);
    }
    return status;
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
