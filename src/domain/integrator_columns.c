/* Columns, the quantities that an integrator keeps for each body: transfers between rank 0 and the
 * ranks, and from rank to rank with the bodies. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/integrator_columns.h"

/* ---- rank 0 ---- */

/* Rows of rank 0. */
struct dealing {
    size_t bytes; /* of a row */
    ky_domain_row_function *write;
    const void *context;
};

/* A rank sends the numbers of its bodies to rank 0 and receives their rows. */
static enum ky_status deal_to(struct ky_domain *domain, int rank, size_t n,
                              const struct dealing *dealing, void *own, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const int is_it = comm->rank == rank, is_first = comm->rank == 0;
    const size_t room = is_first ? n : 0, bytes = n * dealing->bytes;
    uint64_t *body = ky_allocate(room, sizeof *body);
    char *row = ky_allocate(room, dealing->bytes);
    const struct ky_parcel asked = {0, domain->index, n * sizeof *body},
                           asks = {rank, body, n * sizeof *body}, given = {rank, row, bytes},
                           got = {0, own, bytes};
    enum ky_status status =
        body && row ? comm->verbs->exchange(comm, &asked, is_it && n, &asks, is_first && n, error)
                    : ky_no_memory(error, "numbers for bodies of a rank", room, dealing->bytes);
    for (size_t k = 0; k < room && !status; k++)
        dealing->write(dealing->context, body[k], row + k * dealing->bytes);
    if (!status)
        status = comm->verbs->exchange(comm, &given, is_first && n, &got, is_it && n, error);
    free(body);
    free(row);
    return status;
}

enum ky_status ky_domain_deal(struct ky_domain *domain, size_t bytes, ky_domain_row_function *write,
                              const void *context, void *own, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const struct dealing dealing = {bytes, write, context};
    const uint64_t n = domain->engine->n;
    uint64_t *counts;
    enum ky_status status = ky_comm_gather(comm, &n, sizeof n, &counts, error);
    if (!status)
        status = ky_domain_read_numbers(domain, error);
    for (int r = 0; r < comm->size && !status; r++)
        status = deal_to(domain, r, (size_t)counts[r], &dealing, own, error);
    free(counts);
    return status;
}

/* A column on rank 0, with `numbers` components for each body. */
struct given {
    const double *numbers;
    size_t components;
};

/* A ky_domain_row_function. */
static void write_numbers(const void *context, uint64_t body, void *row)
{
    const struct given *given = context;
    memcpy(row, given->numbers + body * given->components, given->components * sizeof(double));
}

enum ky_status ky_domain_put_column(struct ky_domain *domain, enum ky_column column,
                                    const double *numbers, struct ky_error *error)
{
    const size_t n = domain->engine->n;
    const struct given given = {numbers, ky_columns[column].components};
    const size_t bytes = given.components * sizeof(double);
    double *own = ky_allocate(n, bytes);
    enum ky_status status = own ? ky_domain_deal(domain, bytes, write_numbers, &given, own, error)
                                : ky_no_memory(error, "columns of a rank", n, bytes);
    if (!status)
        status = ky_engine_put_column(domain->engine, column, own, error);
    free(own);
    return status;
}

/* A column in the form that rows can carry: as the array of struct ky_bodies with the same number
 * of components. */
static struct ky_bodies bodies_of(enum ky_column column, size_t n, double *numbers, unsigned *with)
{
    const int is_scalar = ky_columns[column].components == 1;
    *with = is_scalar ? KY_WITH_MASS_ROW : KY_WITH_POSITION_ROW;
    return is_scalar ? (struct ky_bodies){.n = n, .mass = numbers}
                     : (struct ky_bodies){.n = n, .position = (double(*)[3])numbers};
}

enum ky_status ky_domain_get_column(struct ky_domain *domain, enum ky_column column,
                                    double *numbers, struct ky_error *error)
{
    const size_t n = domain->engine->n, components = ky_columns[column].components;
    unsigned with;
    double *own = ky_allocate(n * components, sizeof *own);
    enum ky_status status =
        own ? ky_engine_get_column(domain->engine, column, own, error)
            : ky_no_memory(error, "columns of a rank", n, components * sizeof *own);
    const struct ky_bodies from = bodies_of(column, n, own, &with),
                           to = bodies_of(column, domain->total, numbers, &with);
    if (!status)
        status = ky_domain_read_numbers(domain, error);
    if (!status)
        status = ky_domain_send_back(domain, &from, domain->index, with, &to, error);
    free(own);
    return status;
}

/* ---- from rank to rank ---- */

size_t ky_domain_column_numbers(const struct ky_domain *domain)
{
    return (size_t)ky_columns_bytes(domain->engine->columns) / sizeof(double);
}

enum ky_status ky_domain_read_columns(struct ky_domain *domain, size_t room,
                                      struct ky_domain_columns *columns, struct ky_error *error)
{
    *columns = (struct ky_domain_columns){.set = domain->engine->columns};
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        if (!ky_column_is_in(columns->set, k))
            continue;
        const size_t bytes = ky_columns[k].components * sizeof(double);
        columns->of[k] = ky_allocate(room, bytes);
        KY_TRY(columns->of[k]
                   ? ky_engine_get_column(domain->engine, (enum ky_column)k, columns->of[k], error)
                   : ky_no_memory(error, "columns of a rank", room, bytes));
    }
    return KY_OK;
}

void ky_domain_free_columns(struct ky_domain_columns *columns)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        free(columns->of[k]);
    *columns = (struct ky_domain_columns){0};
}

/* The numbers of body i in column k. */
static double *number_of(const struct ky_domain_columns *columns, int k, size_t i)
{
    return columns->of[k] + i * ky_columns[k].components;
}

void ky_domain_write_columns(double *row, const struct ky_domain_columns *columns, size_t i)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (ky_column_is_in(columns->set, k)) {
            memcpy(row, number_of(columns, k, i), ky_columns[k].components * sizeof *row);
            row += ky_columns[k].components;
        }
}

void ky_domain_take_columns(const double *row, const struct ky_domain_columns *columns, size_t i)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (ky_column_is_in(columns->set, k)) {
            memcpy(number_of(columns, k, i), row, ky_columns[k].components * sizeof *row);
            row += ky_columns[k].components;
        }
}

void ky_domain_move_columns(const struct ky_domain_columns *columns, size_t from, size_t to)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (ky_column_is_in(columns->set, k))
            memcpy(number_of(columns, k, to), number_of(columns, k, from),
                   ky_columns[k].components * sizeof(double));
}

enum ky_status ky_domain_give_columns(struct ky_domain *domain,
                                      const struct ky_domain_columns *columns,
                                      struct ky_error *error)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (ky_column_is_in(columns->set, k))
            KY_TRY(ky_engine_put_column(domain->engine, (enum ky_column)k, columns->of[k], error));
    return KY_OK;
}
