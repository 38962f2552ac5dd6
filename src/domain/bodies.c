/* Bodies between the caller and the ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
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

enum ky_status ky_domain_read_numbers(struct ky_domain *domain, struct ky_error *error)
{
    const size_t n = domain->engine->n;
    const enum ky_status status =
        domain->engine->verbs->part ? ky_domain_reserve(domain, n, error) : KY_OK;
    return status || !domain->engine->verbs->part
               ? status
               : domain->engine->verbs->part->get_numbers(domain->engine, domain->index, error);
}

enum ky_status ky_domain_put_numbers(struct ky_domain *domain, struct ky_error *error)
{
    return domain->engine->verbs->part
               ? domain->engine->verbs->part->put_numbers(domain->engine, domain->engine->n,
                                                          domain->index, error)
               : KY_OK;
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

/* Bodies travel from rank 0 and to it in turns: those of some ranks at a time, so that rank 0 needs
 * little memory for them. A turn is of so many bytes, or of one rank. */
enum { TURN = 1 << 23 };

/* A turn: ranks first … end − 1, and the parcels of their rows on rank 0. */
struct turn {
    int first, end;
    double *rows;
    struct ky_parcel *parcel; /* [end - first] */
};

static void free_turn(struct turn *turn)
{
    free(turn->rows);
    free(turn->parcel);
    *turn = (struct turn){.first = turn->end, .end = turn->end};
}

/* The turn after `turn`, which is freed; `counts`: rows of each rank. */
static enum ky_status take_turn(const struct ky_comm *comm, const uint64_t *counts,
                                size_t row_bytes, struct turn *turn, struct ky_error *error)
{
    size_t bytes = 0;
    free_turn(turn);
    while (turn->end < comm->size &&
           (turn->end == turn->first || bytes + counts[turn->end] * row_bytes <= TURN))
        bytes += counts[turn->end++] * row_bytes;
    if (comm->rank)
        return KY_OK;
    turn->rows = ky_allocate(bytes, 1);
    turn->parcel = ky_allocate((size_t)(turn->end - turn->first), sizeof *turn->parcel);
    if (!turn->rows || !turn->parcel)
        return ky_no_memory(error, "bodies of a rank", bytes, 1);
    char *at = (char *)turn->rows;
    for (int r = turn->first; r < turn->end; at += counts[r] * row_bytes, r++)
        turn->parcel[r - turn->first] = (struct ky_parcel){r, at, counts[r] * row_bytes};
    return KY_OK;
}

/* Sends the rows of rank 0 to the ranks of the turn, or those of the ranks to it: `own` are this
 * rank's. */
static enum ky_status travel(struct ky_comm *comm, const struct turn *turn, int from_first,
                             const struct ky_parcel *own, struct ky_error *error)
{
    const size_t all = comm->rank ? 0 : (size_t)(turn->end - turn->first),
                 one = turn->first <= comm->rank && comm->rank < turn->end;
    return from_first ? comm->verbs->exchange(comm, turn->parcel, all, own, one, error)
                      : comm->verbs->exchange(comm, own, one, turn->parcel, all, error);
}

/* Rank 0 sends the block of every rank; the rank's own one lies at `own` afterwards. */
static enum ky_status send_blocks(struct ky_domain *domain, const struct ky_bodies *bodies,
                                  unsigned with, double *own, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t row_bytes = ky_row_numbers(with) * sizeof *own;
    struct turn turn = {0};
    uint64_t *counts = ky_allocate((size_t)comm->size, sizeof *counts);
    enum ky_status status =
        counts ? KY_OK : ky_no_memory(error, "the ranks", (size_t)comm->size, sizeof *counts);
    for (int r = 0; r < comm->size && !status; r++)
        counts[r] = ky_domain_block(domain, r + 1) - ky_domain_block(domain, r);
    while (!status && turn.end < comm->size) {
        status = take_turn(comm, counts, row_bytes, &turn, error);
        double *row = turn.rows;
        for (size_t i = ky_domain_block(domain, turn.first);
             row && !status && i < ky_domain_block(domain, turn.end); i++)
            row = ky_row_write(row, bodies, i, with);
        const struct ky_parcel in = {0, own, counts[comm->rank] * row_bytes};
        if (!status)
            status = travel(comm, &turn, 1, &in, error);
    }
    free_turn(&turn);
    free(counts);
    return status;
}

enum ky_status ky_domain_place(struct ky_domain *domain, const struct ky_bodies *own, size_t first,
                               const struct ky_engine_frame *units, struct ky_error *error)
{
    enum ky_status status = ky_engine_resize(domain->engine, own->n, error);
    if (!status)
        status = ky_domain_reserve(domain, own->n, error);
    for (size_t k = 0; k < own->n && !status; k++)
        domain->index[k] = first + k;
    if (!status)
        status = ky_engine_set_frame(domain->engine, units, error);
    if (!status)
        status = ky_engine_put(domain->engine, own, error);
    if (!status)
        status = ky_domain_put_numbers(domain, error);
    domain->work = 0;
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
        status = ky_rows_allocate(&own, n, with, error);
    const double *row = rows;
    for (size_t k = 0; k < n && !status; k++)
        row = ky_row_read(row, &own, k, with);
    if (!status)
        status = ky_domain_place(domain, &own, first, units, error);
    ky_rows_free(&own);
    free(rows);
    return status;
}

/* Sends the rows of all ranks to rank 0, which has the arrays `to`. counts: of the ranks' bodies. A
 * row begins with the number of the body, or of its place in a list. */
static enum ky_status collect(struct ky_domain *domain, const double *rows, const uint64_t *counts,
                              unsigned with, const struct ky_bodies *to, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t row_bytes = (ky_row_numbers(with) + 1) * sizeof *rows;
    const struct ky_parcel own = {0, (void *)(uintptr_t)rows, counts[comm->rank] * row_bytes};
    struct turn turn = {0};
    enum ky_status status = KY_OK;
    while (!status && turn.end < comm->size) {
        status = take_turn(comm, counts, row_bytes, &turn, error);
        if (!status)
            status = travel(comm, &turn, 0, &own, error);
        const double *row = turn.rows;
        for (int r = turn.first; r < turn.end && row && !status; r++)
            for (size_t k = 0; k < counts[r]; k++) {
                uint64_t number;
                memcpy(&number, row, sizeof number);
                row = ky_row_read(row + 1, to, (size_t)number, with);
            }
    }
    free_turn(&turn);
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

enum ky_status ky_domain_lose(struct ky_domain *domain, struct ky_error *error)
{
    const size_t n = domain->engine->n;
    struct ky_bodies own = {0};
    uint32_t *all = ky_allocate(n, sizeof *all);
    enum ky_status status = all ? ky_rows_allocate(&own, n, KY_WITH_ALL_ROWS, error)
                                : ky_no_memory(error, "bodies of a rank", n, sizeof *all);
    if (!status)
        status = ky_engine_get(domain->engine, &own, error);
    for (size_t i = 0; i < n && !status; i++) {
        all[i] = (uint32_t)i;
        for (int c = 0; c < 3; c++)
            own.acceleration[i][c] = (double)NAN;
        own.potential[i] = (double)NAN;
    }
    if (!status)
        status = ky_engine_replace(domain->engine, all, n, &own, error);
    ky_rows_free(&own);
    free(all);
    return status;
}

/* ---- some bodies ---- */

/* Bodies of a list as words that ascend with them: the body, and below it its place in the list. */
enum { PLACE_BITS = 32 };

/* Those of the list that are this rank's: own[k] is the engine's body, number[k] its place in the
 * list. Returns how many. All three have room for `count`. */
static size_t find_own(const struct ky_domain *domain, const uint32_t *body, size_t count,
                       uint64_t *list, uint32_t *own, uint64_t *number)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        list[k] = (uint64_t)body[k] << PLACE_BITS | k;
    qsort(list, count, sizeof *list, ky_order_ids);
    for (size_t i = 0; i < domain->engine->n; i++) {
        const uint64_t wanted = domain->index[i];
        for (size_t k = ky_count_below(list, count, wanted << PLACE_BITS);
             k < count && list[k] >> PLACE_BITS == wanted; k++) {
            own[found] = (uint32_t)i;
            number[found++] = (uint32_t)list[k];
        }
    }
    return found;
}

/* What find_own needs and gives. free_search frees it, also after a failure. */
struct search {
    uint64_t *list;
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
