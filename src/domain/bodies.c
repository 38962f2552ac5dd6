/* Bodies between the caller and the ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/shares.h"
#include "base/status.h"
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
    struct ky_error *own;
    KY_TRY(ky_array_zeroed(&own, parts, sizeof *own, "threads of a rank", error));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int k = 0; k < threads; k++) {
        const size_t part = (size_t)k;
        own[part].status = work(context, k, ky_share_start(n, parts, part),
                                ky_share_start(n, parts, part + 1), &own[part]);
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

/* Bodies travel between rank 0 and the ranks in rounds, so that the buffers of rows stay small. In
 * a round every rank sends or receives its next rows. This is the size of a round in bytes, over
 * all ranks. */
enum { ROUND = 1 << 23 };

/* The rounds of rows that rank 0 sends or gets. */
struct rounds {
    size_t width, most;       /* doubles of a row; rows of a rank in a round */
    const uint64_t *counts;   /* [ranks] rows of each */
    double *all, *own;        /* all: on rank 0 the rows of all ranks, [ranks][most]; own: the
                                 rank's rows */
    struct ky_parcel *parcel; /* rank 0: [ranks] */
};

static void free_rounds(struct rounds *rounds)
{
    free(rounds->all);
    free(rounds->own);
    free(rounds->parcel);
}

/* To be freed, also after a failure. */
static enum ky_status make_rounds(const struct ky_comm *comm, const uint64_t *counts, size_t width,
                                  struct rounds *rounds, struct ky_error *error)
{
    const size_t ranks = (size_t)comm->size, row = width * sizeof(double), share = ROUND / ranks;
    size_t longest = 1;
    for (size_t r = 0; r < ranks; r++)
        longest = counts[r] > longest ? counts[r] : longest;
    *rounds = (struct rounds){.width = width, .most = share > row ? share / row : 1};
    rounds->counts = counts;
    if (rounds->most > longest)
        rounds->most = longest;
    rounds->own = ky_allocate(rounds->most, row);
    rounds->all = ky_allocate(comm->rank ? 0 : ranks * rounds->most, row);
    rounds->parcel = ky_allocate(ranks, sizeof *rounds->parcel);
    return rounds->own && rounds->all && rounds->parcel
               ? KY_OK
               : ky_no_memory(error, "bodies of a rank", ranks * rounds->most, row);
}

/* The number of rows of a rank in the round that begins with row number `start`. */
static size_t rows_of(const struct rounds *rounds, int rank, size_t start)
{
    const size_t count = (size_t)rounds->counts[rank], left = count > start ? count - start : 0;
    return left < rounds->most ? left : rounds->most;
}

/* Scatters rows from rank 0 to the ranks, or gathers the rows of all ranks on rank 0. */
static enum ky_status travel(struct ky_comm *comm, const struct rounds *rounds, size_t start,
                             int from_first, struct ky_error *error)
{
    const size_t row = rounds->width * sizeof *rounds->own,
                 mine = rows_of(rounds, comm->rank, start) * row;
    const struct ky_parcel own = {0, rounds->own, mine};
    size_t all = 0;
    for (int r = 0; r < comm->size && !comm->rank; r++)
        if (rows_of(rounds, r, start))
            rounds->parcel[all++] =
                (struct ky_parcel){r, rounds->all + (size_t)r * rounds->most * rounds->width,
                                   rows_of(rounds, r, start) * row};
    return from_first ? comm->verbs->exchange(comm, rounds->parcel, all, &own, mine > 0, error)
                      : comm->verbs->exchange(comm, &own, mine > 0, rounds->parcel, all, error);
}

/* 1 while a rank has rows in the round that begins with row number `start`. */
static int is_round(const struct ky_comm *comm, const struct rounds *rounds, size_t start)
{
    int some = 0;
    for (int r = 0; r < comm->size; r++)
        some |= rounds->counts[r] > start;
    return some;
}

/* Rank 0 sends the block of every rank, to the arrays `own` there. */
static enum ky_status send_blocks(struct ky_domain *domain, const struct ky_bodies *bodies,
                                  unsigned with, const struct ky_bodies *own,
                                  struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    struct rounds rounds = {0};
    uint64_t *counts = ky_allocate((size_t)comm->size, sizeof *counts);
    for (int r = 0; counts && r < comm->size; r++)
        counts[r] = ky_domain_portion_start(domain, r + 1) - ky_domain_portion_start(domain, r);
    enum ky_status status =
        counts ? make_rounds(comm, counts, ky_row_numbers(with), &rounds, error)
               : ky_no_memory(error, "the ranks", (size_t)comm->size, sizeof *counts);
    for (size_t start = 0; !status && is_round(comm, &rounds, start); start += rounds.most) {
        for (int r = 0; r < comm->size && !comm->rank; r++) {
            double *row = rounds.all + (size_t)r * rounds.most * rounds.width;
            for (size_t k = 0; k < rows_of(&rounds, r, start); k++)
                row =
                    ky_row_write(row, bodies, ky_domain_portion_start(domain, r) + start + k, with);
        }
        status = travel(comm, &rounds, start, 1, error);
        const double *row = rounds.own;
        for (size_t k = 0; k < rows_of(&rounds, comm->rank, start) && !status; k++)
            row = ky_row_read(row, own, start + k, with);
    }
    free_rounds(&rounds);
    free(counts);
    return status;
}

enum ky_status ky_domain_place(struct ky_domain *domain, const struct ky_bodies *own, size_t first,
                               const struct ky_engine_frame *units, struct ky_error *error)
{
    KY_TRY(ky_domain_reserve(domain, own->n, error));
    for (size_t k = 0; k < own->n; k++)
        domain->index[k] = first + k;
    return ky_domain_place_numbered(domain, own, units, error);
}

enum ky_status ky_domain_place_numbered(struct ky_domain *domain, const struct ky_bodies *own,
                                        const struct ky_engine_frame *units, struct ky_error *error)
{
    domain->work = 0;
    KY_TRY(ky_engine_resize(domain->engine, own->n, error));
    KY_TRY(ky_engine_set_frame(domain->engine, units, error));
    KY_TRY(ky_engine_put(domain->engine, own, error));
    return ky_domain_put_numbers(domain, error);
}

enum ky_status ky_domain_put(struct ky_domain *domain, const struct ky_bodies *bodies,
                             unsigned with, const struct ky_engine_frame *units,
                             struct ky_error *error)
{
    const int rank = domain->comm->rank;
    const size_t first = ky_domain_portion_start(domain, rank),
                 n = ky_domain_portion_start(domain, rank + 1) - first;
    struct ky_bodies own = {0};
    enum ky_status status = ky_rows_allocate(&own, n, with, error);
    if (!status)
        status = send_blocks(domain, bodies, with, &own, error);
    if (!status)
        status = ky_domain_place(domain, &own, first, units, error);
    ky_rows_free(&own);
    return status;
}

/* Sends the bodies of all ranks to rank 0, which has the arrays `to`. counts[r]: bodies of rank r.
 * A row begins with number[k], which is the number of the body or its place in a list. */
static enum ky_status collect(struct ky_domain *domain, const struct ky_bodies *from,
                              const uint64_t *number, const uint64_t *counts, unsigned with,
                              const struct ky_bodies *to, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    struct rounds rounds;
    KY_TRY(make_rounds(comm, counts, ky_row_numbers(with) + 1, &rounds, error));
    for (size_t start = 0; is_round(comm, &rounds, start); start += rounds.most) {
        double *own = rounds.own;
        for (size_t k = start; k < start + rows_of(&rounds, comm->rank, start); k++) {
            memcpy(own, &number[k], sizeof number[k]);
            own = ky_row_write(own + 1, from, k, with);
        }
        KY_TRY(travel(comm, &rounds, start, 0, error));
        for (int r = 0; r < comm->size && !comm->rank; r++) {
            const double *row = rounds.all + (size_t)r * rounds.most * rounds.width;
            for (size_t k = 0; k < rows_of(&rounds, r, start); k++) {
                uint64_t at;
                memcpy(&at, row, sizeof at);
                row = ky_row_read(row + 1, to, (size_t)at, with);
            }
        }
    }
    free_rounds(&rounds);
    return KY_OK;
}

enum ky_status ky_domain_send_back(struct ky_domain *domain, const struct ky_bodies *from,
                                   const uint64_t *number, unsigned with,
                                   const struct ky_bodies *to, struct ky_error *error)
{
    const uint64_t n = from->n;
    uint64_t *counts;
    KY_TRY(ky_comm_gather(domain->comm, &n, sizeof n, &counts, error));
    const enum ky_status status = collect(domain, from, number, counts, with, to, error);
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

/* A body of a list as a word that can be sorted: the body in the high bits, its place in the list
 * in the low bits. */
enum { PLACE_BITS = 32 };

/* Finds the bodies of the list that this rank has: own[k] is the engine's index, number[k] the
 * place in the list. Returns how many. Both arrays have room for `count`. */
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

/* Arguments and results of find_own. free_search frees it, also after a failure. */
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
    KY_TRY(ky_domain_read_numbers(domain, error));
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
    if (!status) /* also if this rank has none of the bodies: all columns become 0 */
        status = ky_some_check(&its, domain->engine->n, ky_engine_units_of(domain->engine).length,
                               error);
    if (!status)
        status = domain->engine->verbs->put_some(domain->engine, &its, error);
    ky_rows_free(&rows);
    free_search(&own);
    return status;
}
