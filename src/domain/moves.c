/* Migration of bodies between ranks, as rows, where engines keep them on the host. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/curve.h"
#include "engine/common/replace.h"

/* A row begins with the number of the body and its key; then come its arrays and its columns. */
enum { HEAD = 2 };

static size_t row_bytes(const struct ky_domain *domain)
{
    return (HEAD + ky_row_numbers(KY_WITH_ALL_ROWS) + ky_domain_column_numbers(domain)) *
           sizeof(double);
}

/* The rows of the bodies that leave, in the order of their ranks. */
static enum ky_status pack(const struct ky_ranging *curve, const struct ky_movers *movers,
                           const struct ky_domain_columns *columns, void *to,
                           struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const size_t size = (size_t)domain->comm->size, count = movers->all_leaving,
                 width = row_bytes(domain) / sizeof(double);
    double *rows = to;
    struct ky_bodies bodies = {0};
    size_t *next = ky_allocate(size, sizeof *next);
    enum ky_status status = next ? ky_rows_allocate(&bodies, count, KY_WITH_ALL_ROWS, error)
                                 : ky_no_memory(error, "the ranks", size, sizeof *next);
    if (!status)
        status = ky_engine_get_some(domain->engine, movers->gone, &bodies, error);
    for (size_t r = 0, at = 0; r < size && !status; at += movers->leaving[r], r++)
        next[r] = at;
    for (size_t k = 0; k < count && !status; k++) {
        const struct ky_mover *mover = &movers->mover[k];
        double *row = rows + width * next[mover->rank]++;
        memcpy(row, &domain->index[mover->body], sizeof *row);
        memcpy(row + 1, &mover->key, sizeof *row);
        row = ky_row_write(row + HEAD, &bodies, k, KY_WITH_ALL_ROWS);
        ky_domain_write_columns(row, columns, mover->body);
    }
    ky_rows_free(&bodies);
    free(next);
    return status;
}

/* Stores the bodies that arrive in the engine and their numbers in `index`. */
static enum ky_status settle(const struct ky_ranging *curve, const struct ky_movers *movers,
                             const struct ky_domain_columns *columns, const void *from,
                             struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const double *rows = from;
    const size_t n = domain->engine->n, count = movers->all_leaving, coming = movers->all_coming,
                 width = row_bytes(domain) / sizeof(double);
    struct ky_bodies bodies = {0};
    struct ky_replace_move *move = ky_allocate(count, sizeof *move);
    enum ky_status status = move ? ky_rows_allocate(&bodies, coming, KY_WITH_ALL_ROWS, error)
                                 : ky_no_memory(error, "bodies that move", count, sizeof *move);
    for (size_t k = 0; k < coming && !status; k++)
        ky_row_read(rows + k * width + HEAD, &bodies, k, KY_WITH_ALL_ROWS);
    if (!status)
        status = ky_domain_reserve(domain, n + coming, error);
    const size_t moves = status ? 0 : ky_replace_moves(n, movers->gone, count, coming, move);
    for (size_t k = 0; k < moves; k++) {
        domain->index[move[k].to] = domain->index[move[k].from];
        ky_domain_move_columns(columns, move[k].from, move[k].to);
    }
    for (size_t k = 0; k < coming && !status; k++) {
        const double *row = rows + k * width;
        const size_t place = ky_replace_place(n, movers->gone, count, k);
        uint64_t key;
        memcpy(&domain->index[place], row, sizeof *domain->index);
        memcpy(&key, row + 1, sizeof key);
        ky_domain_take_columns(row + HEAD + ky_row_numbers(KY_WITH_ALL_ROWS), columns, place);
        domain->first = domain->first < key ? domain->first : key;
        domain->last = domain->last > key ? domain->last : key;
    }
    if (!status)
        status = ky_engine_replace(domain->engine, movers->gone, count, &bodies, error);
    if (!status)
        status = ky_domain_give_columns(domain, columns, error);
    ky_rows_free(&bodies);
    free(move);
    return status;
}

enum ky_status ky_curve_move_rows(const struct ky_ranging *curve, const struct ky_movers *movers,
                                  struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const size_t bytes = row_bytes(domain);
    const int moves = movers->all_leaving || movers->all_coming;
    struct ky_domain_columns columns = {0};
    char *out = ky_allocate(movers->all_leaving, bytes),
         *in = ky_allocate(movers->all_coming, bytes);
    enum ky_status status = out && in
                                ? KY_OK
                                : ky_no_memory(error, "bodies that move",
                                               movers->all_leaving + movers->all_coming, bytes);
    if (!status && moves)
        status = ky_domain_read_columns(domain, curve->n + movers->all_coming, &columns, error);
    if (!status)
        status = pack(curve, movers, &columns, out, error);
    if (!status)
        status = ky_comm_all_to_all(domain->comm, out, movers->leaving, in, movers->coming, bytes,
                                    error);
    free(
        out); /* freed before the arrivals get memory: at the first forces nearly all bodies move */
    if (!status && moves)
        status = settle(curve, movers, &columns, in, error);
    ky_domain_free_columns(&columns);
    free(in);
    return status;
}
