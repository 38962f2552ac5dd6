/* Bodies between the caller and the ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/domain.h"
#include "engine/common/active.h"

enum ky_status ky_domain_reserve(struct ky_domain *domain, size_t n, struct ky_error *error)
{
    const size_t room = n + n / 8 + 64, old = domain->index ? domain->engine->n : 0;
    if (n <= domain->room)
        return KY_OK;
    if (!ky_extend(&domain->index, old < domain->room ? old : domain->room, room,
                   sizeof *domain->index))
        return ky_no_memory(error, "numbers of bodies", room, sizeof *domain->index);
    domain->room = room;
    return KY_OK;
}

void *ky_domain_space(struct ky_domain *domain, enum ky_work_space which, size_t count, size_t size,
                      struct ky_error *error)
{
    const size_t bytes = count * size;
    if (domain->space[which] && bytes <= domain->space_bytes[which])
        return domain->space[which];
    free(domain->space[which]);
    domain->space_bytes[which] = bytes + bytes / 8;
    domain->space[which] = ky_allocate(domain->space_bytes[which], 1);
    if (!domain->space[which])
        ky_no_memory(error, "work space of a rank", count, size);
    return domain->space[which];
}

void ky_domain_free_space(struct ky_domain *domain)
{
    for (int k = 0; k < KY_SPACES; k++) {
        free(domain->space[k]);
        domain->space[k] = NULL;
    }
}

enum ky_status ky_domain_each(struct ky_domain *domain, ky_domain_work *work, void *context,
                              struct ky_error *error)
{
    const int threads = domain->engine->threads;
    const size_t n = domain->engine->n, parts = (size_t)threads;
    struct ky_error *own = ky_allocate_zeroed(parts, sizeof *own);
    if (!own)
        return ky_no_memory(error, "threads of a rank", parts, sizeof *own);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int k = 0; k < threads; k++) {
        const size_t part = (size_t)k;
        own[part].status =
            work(context, k, n / parts * part + n % parts * part / parts,
                 n / parts * (part + 1) + n % parts * (part + 1) / parts, &own[part]);
    }
    size_t first = 0;
    while (first < parts && !own[first].status)
        first++;
    const enum ky_status status =
        first < parts ? ky_fail(error, own[first].status, "%s", own[first].text) : KY_OK;
    free(own);
    return status;
}

enum ky_status ky_domain_read(struct ky_domain *domain, size_t first, struct ky_bodies *chunk,
                              struct ky_error *error)
{
    uint32_t body[KY_DOMAIN_CHUNK];
    for (size_t k = 0; k < chunk->n; k++)
        body[k] = (uint32_t)(first + k);
    return ky_engine_get_some(domain->engine, body, chunk, error);
}

/* Rank 0 sends the block of every rank in turn; the rank's own one lies at `own` afterwards. */
static enum ky_status send_blocks(struct ky_domain *domain, const struct ky_bodies *bodies,
                                  unsigned with, double *own, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t width = ky_row_numbers(with);
    enum ky_status status = KY_OK;
    for (int r = 0; r < comm->size && !status; r++) {
        const size_t first = ky_domain_block(domain, r), n = ky_domain_block(domain, r + 1) - first;
        double *rows = comm->rank ? NULL : ky_allocate(n * width, sizeof *rows), *row = rows;
        if (!comm->rank && !rows)
            status = ky_no_memory(error, "bodies of a rank", n * width, sizeof *rows);
        for (size_t i = first; rows && i < first + n; i++)
            row = ky_row_write(row, bodies, i, with);
        const struct ky_parcel out = {r, rows, n * width * sizeof *rows},
                               in = {0, own, n * width * sizeof *own};
        if (!status)
            status =
                comm->verbs->exchange(comm, &out, comm->rank == 0, &in, comm->rank == r, error);
        free(rows);
    }
    return status;
}

enum ky_status ky_domain_put(struct ky_domain *domain, const struct ky_bodies *bodies,
                             unsigned with, const struct ky_engine_frame *units,
                             struct ky_error *error)
{
    const int rank = domain->comm->rank;
    const size_t first = ky_domain_block(domain, rank),
                 n = ky_domain_block(domain, rank + 1) - first, width = ky_row_numbers(with);
    struct ky_bodies own = {0};
    double *rows = ky_allocate(n * width, sizeof *rows);
    enum ky_status status = rows ? send_blocks(domain, bodies, with, rows, error)
                                 : ky_no_memory(error, "bodies of a rank", n * width, sizeof *rows);
    if (!status)
        status = ky_engine_resize(domain->engine, n, error);
    if (!status)
        status = ky_domain_reserve(domain, n, error);
    if (!status)
        status = ky_rows_allocate(&own, n, with, error);
    const double *row = rows;
    for (size_t k = 0; k < n && !status; k++) {
        row = ky_row_read(row, &own, k, with);
        domain->index[k] = first + k;
    }
    if (!status)
        status = ky_engine_set_frame(domain->engine, units, error);
    if (!status)
        status = ky_engine_put(domain->engine, &own, error);
    if (!status)
        status = ky_domain_put_numbers(domain, error);
    ky_rows_free(&own);
    free(rows);
    domain->work = 0;
    return status;
}

/* Sends the rows of each rank in turn to rank 0, which hands them to `take`. counts: of the ranks'
 * bodies. A row begins with the number of the body, or of its place in a list. */
static enum ky_status collect(struct ky_domain *domain, const double *rows, const uint64_t *counts,
                              unsigned with, const struct ky_bodies *to, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t width = ky_row_numbers(with) + 1;
    enum ky_status status = KY_OK;
    for (int r = 0; r < comm->size && !status; r++) {
        const size_t bytes = counts[r] * width * sizeof(double);
        double *got = comm->rank ? NULL : ky_allocate(bytes, 1);
        if (!comm->rank && !got)
            return ky_no_memory(error, "bodies of a rank", bytes, 1);
        const struct ky_parcel out = {0, (void *)(uintptr_t)rows, bytes}, in = {r, got, bytes};
        status = comm->verbs->exchange(comm, &out, comm->rank == r, &in, comm->rank == 0, error);
        const double *row = got;
        for (size_t k = 0; got && k < counts[r] && !status; k++) {
            uint64_t number;
            memcpy(&number, row, sizeof number);
            row = ky_row_read(row + 1, to, (size_t)number, with);
        }
        free(got);
    }
    return status;
}

/* Rows for `count` bodies of the rank, to be freed: that of body k of `from` begins with number[k].
 * NULL when memory is out. */
static double *make_rows(const struct ky_bodies *from, const uint64_t *number, size_t count,
                         unsigned with)
{
    double *rows = ky_allocate(count * (ky_row_numbers(with) + 1), sizeof *rows), *row = rows;
    for (size_t k = 0; rows && k < count; k++) {
        memcpy(row, &number[k], sizeof number[k]);
        row = ky_row_write(row + 1, from, k, with);
    }
    return rows;
}

enum ky_status ky_domain_send_back(struct ky_domain *domain, const struct ky_bodies *from,
                                   const uint64_t *number, unsigned with,
                                   const struct ky_bodies *to, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const uint64_t n = from->n;
    double *rows = make_rows(from, number, from->n, with);
    uint64_t *counts = ky_allocate((size_t)comm->size, sizeof *counts);
    enum ky_status status = rows && counts ? comm->verbs->gather(comm, &n, sizeof n, counts, error)
                                           : ky_no_memory(error, "bodies of a rank", from->n,
                                                          ky_row_numbers(with) * sizeof *rows);
    if (!status)
        status = collect(domain, rows, counts, with, to, error);
    free(rows);
    free(counts);
    return status;
}

enum ky_status ky_domain_get(struct ky_domain *domain, struct ky_bodies *bodies, unsigned with,
                             struct ky_error *error)
{
    struct ky_bodies own = {0};
    enum ky_status status = ky_rows_allocate(&own, domain->engine->n, with, error);
    if (!status)
        status = ky_engine_get(domain->engine, &own, error);
    if (!status)
        status = ky_domain_read_numbers(domain, error);
    if (!status)
        status = ky_domain_send_back(domain, &own, domain->index, with, bodies, error);
    ky_rows_free(&own);
    return status;
}

/* ---- some bodies ---- */

struct listed {
    uint32_t body;
    uint32_t place; /* in the caller's list */
};

static int ascending(const void *a, const void *b)
{
    const struct listed *p = a, *q = b;
    return p->body != q->body ? (p->body > q->body) - (p->body < q->body)
                              : (p->place > q->place) - (p->place < q->place);
}

/* The first of the list that is not below `body`. */
static size_t find(const struct listed *list, size_t count, uint64_t body)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].body < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Those of the list that are this rank's: own[k] is the engine's body, number[k] its place in the
 * list. Returns how many. All three have room for `count`. */
static size_t find_own(const struct ky_domain *domain, const uint32_t *body, size_t count,
                       struct listed *list, uint32_t *own, uint64_t *number)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        list[k] = (struct listed){body[k], (uint32_t)k};
    qsort(list, count, sizeof *list, ascending);
    for (size_t i = 0; i < domain->engine->n; i++)
        for (size_t k = find(list, count, domain->index[i]);
             k < count && list[k].body == domain->index[i]; k++) {
            own[found] = (uint32_t)i;
            number[found++] = list[k].place;
        }
    return found;
}

/* What find_own needs and gives. free_search frees it, also after a failure. */
struct search {
    struct listed *list;
    uint32_t *own;
    uint64_t *number;
    size_t found;
};

static enum ky_status search(struct ky_domain *domain, const uint32_t *body, size_t count,
                             struct search *search, struct ky_error *error)
{
    *search = (struct search){.list = ky_allocate(count, sizeof *search->list),
                              .own = ky_allocate(count, sizeof *search->own),
                              .number = ky_allocate(count, sizeof *search->number)};
    if (!search->list || !search->own || !search->number)
        return ky_no_memory(error, "a list of bodies", count, sizeof *search->list);
    const enum ky_status status = ky_domain_read_numbers(domain, error);
    if (status)
        return status;
    search->found = find_own(domain, body, count, search->list, search->own, search->number);
    return KY_OK;
}

static void free_search(struct search *search)
{
    free(search->list);
    free(search->own);
    free(search->number);
}

enum ky_status ky_domain_get_some(struct ky_domain *domain, const uint32_t *body, size_t count,
                                  struct ky_bodies *some, unsigned with, struct ky_error *error)
{
    struct search own;
    struct ky_bodies rows = {0};
    enum ky_status status = search(domain, body, count, &own, error);
    if (!status)
        status = ky_rows_allocate(&rows, own.found, with, error);
    if (!status)
        status = ky_engine_get_some(domain->engine, own.own, &rows, error);
    if (!status)
        status = ky_domain_send_back(domain, &rows, own.number, with, some, error);
    ky_rows_free(&rows);
    free_search(&own);
    return status;
}

enum ky_status ky_domain_put_some(struct ky_domain *domain, const struct ky_some *some,
                                  struct ky_error *error)
{
    struct search own;
    struct ky_bodies rows = {0};
    const unsigned with = (some->mass ? KY_WITH_MASS_ROW : 0U) |
                          (some->position ? KY_WITH_POSITION_ROW : 0U) |
                          (some->velocity ? KY_WITH_VELOCITY_ROW : 0U);
    enum ky_status status = search(domain, some->body, some->count, &own, error);
    if (!status)
        status = ky_rows_allocate(&rows, own.found, with, error);
    for (size_t k = 0; k < own.found && !status; k++) {
        const size_t from = (size_t)own.number[k];
        if (some->mass)
            rows.mass[k] = some->mass[from];
        if (some->position)
            memcpy(rows.position[k], some->position[from], sizeof *rows.position);
        if (some->velocity)
            memcpy(rows.velocity[k], some->velocity[from], sizeof *rows.velocity);
    }
    const struct ky_some its = {own.found, own.own, (const double(*)[3])rows.position,
                                (const double(*)[3])rows.velocity, rows.mass};
    if (!status) /* also where none are here: all columns become 0 */
        status = ky_some_check(&its, domain->engine->n, ky_engine_units_of(domain->engine).length,
                               error);
    if (!status)
        status = domain->engine->verbs->put_some(domain->engine, &its, error);
    ky_rows_free(&rows);
    free_search(&own);
    return status;
}
