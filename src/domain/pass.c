/* A pass of all bodies past every rank, in the order of their numbers. Each rank collects the
 * bodies of its portion and broadcasts them in pieces. A rank that sums over all bodies
 * in this order needs memory for only a few of them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "domain/domain.h"

/* Bodies of one broadcast. */
enum { TOLD = 1 << 14 };

struct portion {
    size_t first, n; /* of all bodies */
    double (*position)[3], *mass;
};

static void free_portion(struct portion *portion)
{
    free(portion->position);
    free(portion->mass);
}

static enum ky_status fetch(struct ky_domain *domain, struct portion *portion,
                            struct ky_error *error)
{
    struct ky_domain_permutation permutation;
    const int rank = domain->comm->rank;
    portion->first = ky_domain_portion_start(domain, rank);
    portion->n = ky_domain_portion_start(domain, rank + 1) - portion->first;
    portion->position = ky_allocate(portion->n, sizeof *portion->position);
    portion->mass = ky_allocate(portion->n, sizeof *portion->mass);
    if (!portion->position || !portion->mass)
        return ky_no_memory(error, "bodies of a rank", portion->n, 4 * sizeof(double));
    enum ky_status status =
        ky_domain_find_permutation(domain, (size_t)domain->comm->size, &permutation, error);
    if (!status)
        status = ky_domain_fetch(domain, &permutation, KY_ARRAY_POSITION, portion->position, error);
    if (!status)
        status = ky_domain_fetch(domain, &permutation, KY_ARRAY_MASS, portion->mass, error);
    ky_domain_free_permutation(&permutation);
    return status;
}

/* Broadcasts the positions of the listed bodies. Exactly one rank has each position; the other
 * ranks pass zero bits. */
static enum ky_status tell_positions(struct ky_domain *domain, const struct portion *portion,
                                     const struct ky_shared_pass *pass, struct ky_error *error)
{
    const size_t numbers = 3 * pass->count;
    uint64_t(*bits)[3];
    KY_TRY(ky_array_zeroed(&bits, pass->count, sizeof *bits, "positions of bodies", error));
    for (size_t k = 0; k < pass->count; k++) {
        const size_t at = pass->body[k] - portion->first; /* modulo 2⁶⁴ */
        if (at < portion->n)
            memcpy(bits[k], portion->position[at], sizeof bits[k]);
    }
    const enum ky_status status = domain->comm->verbs->add(domain->comm, bits[0], numbers, error);
    memcpy(pass->position, bits, pass->count * sizeof *bits);
    free(bits);
    return status;
}

/* The bodies of a rank's portion among first … end − 1. */
static size_t count_told(const struct ky_domain *domain, int rank, size_t first, size_t end)
{
    const size_t begin = ky_domain_portion_start(domain, rank),
                 its_end = ky_domain_portion_start(domain, rank + 1),
                 from = begin > first ? begin : first, to = its_end < end ? its_end : end;
    return to > from ? to - from : 0;
}

static enum ky_status tell(struct ky_domain *domain, const struct portion *portion,
                           const struct ky_shared_pass *pass, double (*row)[4], size_t *bytes,
                           struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    for (size_t first = 0; first < domain->total; first += TOLD) {
        const size_t end = domain->total - first < TOLD ? domain->total : first + TOLD,
                     own = count_told(domain, comm->rank, first, end),
                     from = first > portion->first ? first - portion->first : 0;
        for (int r = 0; r < comm->size; r++)
            bytes[r] = count_told(domain, r, first, end) * sizeof *row;
        for (size_t k = 0; k < own; k++) {
            memcpy(row[k], portion->position[from + k], sizeof portion->position[0]);
            row[k][3] = portion->mass[from + k];
        }
        KY_TRY(comm->verbs->gather_parts(comm, row, bytes, row + TOLD, error));
        pass->visit(pass->of, first, end - first, (const double(*)[4])(row + TOLD));
    }
    return KY_OK;
}

enum ky_status ky_domain_pass(void *context, const struct ky_shared_pass *pass,
                              struct ky_error *error)
{
    struct ky_domain *domain = context;
    const size_t size = (size_t)domain->comm->size;
    struct portion portion = {0};
    size_t *bytes = ky_allocate(size, sizeof *bytes);
    double(*row)[4] = ky_allocate((size_t)2 * TOLD, sizeof *row);
    enum ky_status status =
        bytes && row ? fetch(domain, &portion, error)
                     : ky_no_memory(error, "bodies of other ranks", (size_t)2 * TOLD, sizeof *row);
    if (!status && pass->count)
        status = tell_positions(domain, &portion, pass, error);
    if (!status)
        status = tell(domain, &portion, pass, row, bytes, error);
    free_portion(&portion);
    free(bytes);
    free(row);
    return status;
}
