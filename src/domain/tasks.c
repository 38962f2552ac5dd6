/* Collective tasks on the bodies of all ranks: see engine/task.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "domain/domain.h"

/* A rank's portion, and the permutation that brings bodies to the ranks that process them. */
struct share {
    struct ky_task_share base;
    struct ky_domain *domain;
    struct ky_domain_permutation permutation;
    int has_permutation;
};

static enum ky_status add(void *context, uint64_t *number, size_t count, struct ky_error *error)
{
    struct ky_comm *comm = ((struct share *)context)->domain->comm;
    return comm->verbs->add(comm, number, count, error);
}

static enum ky_status collect(void *context, void **array, size_t *count, size_t size,
                              struct ky_error *error)
{
    struct ky_comm *comm = ((struct share *)context)->domain->comm;
    const size_t ranks = (size_t)comm->size;
    size_t total = 0, *counts;
    void *all = NULL;
    enum ky_status status = ky_comm_gather(comm, count, sizeof *count, &counts, error);
    for (size_t r = 0; r < ranks && !status; r++)
        total += counts[r];
    if (!status && !comm->rank && !(all = ky_allocate(total, size)))
        status = ky_no_memory(error, "numbers of all ranks", total, size);
    if (!status)
        status = ky_comm_collect(comm, *array, *count, all, counts, size, error);
    free(counts);
    if (status || comm->rank) {
        free(all);
        return status;
    }
    free(*array);
    *array = all;
    *count = total;
    return KY_OK;
}

static enum ky_status fetch(struct ky_task_share *base, enum ky_array_id array,
                            struct ky_error *error)
{
    struct share *share = base->context;
    enum ky_status status =
        share->has_permutation
            ? KY_OK
            : ky_domain_find_permutation(share->domain, KY_BLOCKS, &share->permutation, error);
    share->has_permutation = 1;
    void *numbers = ky_allocate(base->bodies.n, ky_arrays[array].bytes);
    ky_array_set(&base->bodies, array, numbers);
    if (!status && !numbers)
        status =
            ky_no_memory(error, ky_arrays[array].plural, base->bodies.n, ky_arrays[array].bytes);
    return status ? status
                  : ky_domain_fetch(share->domain, &share->permutation, array, numbers, error);
}

static struct ky_portion portion_of(struct share *share)
{
    const struct ky_domain *domain = share->domain;
    const uint64_t ranks = (uint64_t)domain->comm->size, rank = (uint64_t)domain->comm->rank;
    return (struct ky_portion){.n = domain->total,
                               .from = ky_share_start(KY_BLOCKS, ranks, rank),
                               .to = ky_share_start(KY_BLOCKS, ranks, rank + 1),
                               .first = ky_domain_first_row(domain, KY_BLOCKS, (int)rank),
                               .shares = (size_t)ranks,
                               .share = (size_t)rank,
                               .leads = !rank,
                               .context = share,
                               .add = add,
                               .collect = collect};
}

/* Executes the task on this rank with `told`, which is rank 0's own or a copy. */
static enum ky_status do_task(struct ky_domain *domain, const struct ky_task *task, void *told,
                              struct ky_error *outcome, struct ky_error *error)
{
    struct share share = {.domain = domain};
    share.base = (struct ky_task_share){.portion = portion_of(&share),
                                        .threads = domain->engine->threads,
                                        .context = &share,
                                        .fetch = fetch};
    share.base.bodies = (struct ky_bodies){.size = sizeof share.base.bodies,
                                           .n = ky_portion_count(&share.base.portion)};
    const int threads = ky_threads_take(share.base.threads);
    enum ky_status status = task->run(&share.base, told, outcome, error);
    ky_threads_restore(threads);
    if (!status)
        status = ky_domain_tell_outcome(domain, outcome, error);
    ky_domain_free_permutation(&share.permutation);
    if (task->makes && !status && !outcome->status) {
        ky_bodies_free(&domain->made);
        domain->made = share.base.bodies;
    } else {
        ky_bodies_free(&share.base.bodies);
    }
    return status;
}

enum ky_status ky_domain_do(struct ky_domain *domain, const struct ky_task *task, void *given,
                            struct ky_error *outcome, struct ky_error *error)
{
    void *told = given ? given : ky_allocate(1, task->bytes);
    *outcome = (struct ky_error){KY_OK, ""};
    enum ky_status status = told ? ky_comm_broadcast(domain->comm, told, task->bytes, error)
                                 : ky_no_memory(error, "a task of ranks", 1, task->bytes);
    if (!status)
        status = do_task(domain, task, told, outcome, error);
    if (!given)
        free(told);
    return status;
}

enum ky_status ky_domain_place_made(struct ky_domain *domain, const struct ky_engine_frame *units,
                                    struct ky_error *error)
{
    const size_t first = ky_domain_first_row(domain, KY_BLOCKS, domain->comm->rank);
    const enum ky_status status = ky_domain_place(domain, &domain->made, first, units, error);
    ky_bodies_free(&domain->made);
    return status;
}
