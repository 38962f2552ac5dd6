/* Sums that several engines with the same bodies share: each computes some sinks. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/state/cpu.h"

/* Pairs below which telling the others takes longer than to sum for them: 2 ms of a core. */
#define FEW_PAIRS 4e6

struct ky_cpu_part ky_cpu_part(const struct ky_cpu *cpu, size_t count, size_t sources, size_t unit)
{
    const struct ky_shared *shared = cpu->base.shared;
    struct ky_cpu_part part = {0, count, count, unit, 0};
    if (!shared || !shared->part || (double)count * (double)sources < FEW_PAIRS)
        return part;
    part.joins = 1;
    shared->part(shared->context, count, unit, &part.first, &part.end);
    return part;
}

enum ky_status ky_cpu_join(const struct ky_cpu *cpu, const struct ky_cpu_part *part,
                           double *const *column, size_t columns, struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    const size_t n = part->count;
    if (!part->joins)
        return KY_OK;
    double *row = ky_allocate(n * columns, sizeof *row);
    if (!row)
        return ky_no_memory(error, "sums of other ranks", n, columns * sizeof *row);
    for (size_t k = part->first; k < part->end; k++)
        for (size_t c = 0; c < columns; c++)
            row[k * columns + c] = column[c][k];
    const enum ky_status status = shared->join(shared->context, row, columns, n, part->unit, error);
    for (size_t k = 0; k < n && !status; k++)
        for (size_t c = 0; c < columns; c++)
            column[c][k] = row[k * columns + c];
    free(row);
    return status;
}
