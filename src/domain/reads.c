/* Each rank reads the bodies of its block of the caller's order from files, so that no rank needs
 * memory for all. */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/units.h"

/* The file that a rank reads; its pieces are read one after the other. */
struct source {
    const struct ky_domain_plan *plan;
    size_t file; /* its number, if it is open */
    int is_open;
    struct ky_input input;
};

static void close_source(struct source *source)
{
    if (source->is_open)
        ky_input_close(&source->input);
    source->is_open = 0;
}

static enum ky_status open_source(struct source *source, size_t file, struct ky_error *error)
{
    if (source->is_open && source->file == file)
        return KY_OK;
    close_source(source);
    const enum ky_status status =
        ky_input_open(source->plan->file[file].open, &source->input, error);
    source->file = file;
    source->is_open = !status;
    return status;
}

/* Reads the bodies first … first + n − 1 of a part into the block's array. */
static enum ky_status read_part(struct source *source, const struct ky_write_part *part,
                                size_t first, const struct ky_bodies *own, struct ky_error *error)
{
    const size_t bytes = ky_arrays[part->array].bytes;
    const uint64_t begin = first > part->first ? first : part->first, end = first + own->n,
                   last = part->first + part->count, to = end < last ? end : last;
    if (to <= begin)
        return KY_OK;
    KY_TRY(open_source(source, part->file, error));
    char *array = ky_array_of(own, part->array);
    return ky_input_read(&source->input, part->offset + (begin - part->first) * bytes,
                         array + (begin - first) * bytes, (size_t)(to - begin) * bytes, error);
}

/* Reads and checks all parts of the block. The bodies are divided, so each must have mass. */
static void read_block(const struct ky_domain_plan *plan, size_t first, const struct ky_bodies *own,
                       int threads, struct ky_error *outcome)
{
    struct source source = {.plan = plan};
    enum ky_status status = KY_OK;
    for (size_t p = 0; p < plan->parts && !status; p++)
        status = read_part(&source, &plan->part[p], first, own, outcome);
    close_source(&source);
    if (!status)
        status = ky_bodies_check_arrays(threads, own, outcome);
    if (status)
        ky_fail_in(outcome, status, "of the bodies from number %zu on: ", first);
    else if (ky_bodies_massless(own))
        ky_fail(outcome, KY_BAD_DATA, "a body from number %zu on has no mass", first);
}

/* Whether all bodies of all ranks have forces. */
static enum ky_status look_for_forces(struct ky_domain *domain, const struct ky_bodies *own,
                                      int *has_forces, struct ky_error *error)
{
    uint64_t lack = own->n && !ky_knows_acceleration(own);
    const enum ky_status status = domain->comm->verbs->add(domain->comm, &lack, 1, error);
    *has_forces = !lack;
    return status;
}

enum ky_status ky_domain_read_bodies(struct ky_domain *domain, const struct ky_write_plan *given,
                                     const struct ky_engine_frame *units, int *has_forces,
                                     struct ky_error *outcome, struct ky_error *error)
{
    const int rank = domain->comm->rank;
    const size_t first = ky_domain_block(domain, rank),
                 n = ky_domain_block(domain, rank + 1) - first;
    struct ky_domain_plan plan;
    struct ky_bodies own = {0};
    *outcome = (struct ky_error){KY_OK, ""};
    *has_forces = 0;
    enum ky_status status = ky_domain_tell_plan(domain, given, &plan, error);
    if (!status)
        status = ky_rows_allocate(&own, n, KY_WITH_ALL_ROWS, error);
    if (!status) {
        read_block(&plan, first, &own, domain->engine->threads, outcome);
        status = ky_domain_tell_outcome(domain, outcome, error);
    }
    if (!status && !outcome->status)
        status = look_for_forces(domain, &own, has_forces, error);
    if (!status && !outcome->status) {
        struct ky_bodies placed = own;
        if (!*has_forces)
            placed.acceleration = NULL;
        status = ky_domain_place(domain, &placed, first, units, error);
    }
    ky_rows_free(&own);
    ky_domain_free_plan(&plan);
    return status;
}
