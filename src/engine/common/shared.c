/* Communication of ranks that divide a system: engine/shared.h. */
#include "engine/shared.h"

#include <stdlib.h>

#include "base/memory.h"

enum ky_status ky_shared_gather(const struct ky_shared *shared, const void *own, size_t bytes,
                                void *all, struct ky_error *error)
{
    size_t *each;
    KY_TRY(ky_array(&each, shared->ranks, sizeof *each, "the ranks", error));
    for (size_t r = 0; r < shared->ranks; r++)
        each[r] = bytes;
    const enum ky_status status = shared->gather(shared->context, own, each, all, error);
    free(each);
    return status;
}

enum ky_status ky_shared_largest(const struct ky_shared *shared, uint64_t *number,
                                 struct ky_error *error)
{
    uint64_t *all = ky_allocate(shared->ranks, sizeof *all);
    const enum ky_status status =
        all ? ky_shared_gather(shared, number, sizeof *number, all, error)
            : ky_no_memory(error, "numbers of the ranks", shared->ranks, sizeof *all);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        *number = all[r] > *number ? all[r] : *number;
    free(all);
    return status;
}
