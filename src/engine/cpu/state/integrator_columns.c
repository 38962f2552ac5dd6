/* The columns that an integrator has requested, in the caller's units. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/integrator_columns.h"
#include "engine/cpu/state/cpu.h"

static enum ky_status clear(struct ky_cpu *cpu, int column, struct ky_error *error)
{
    const size_t numbers = cpu->n * ky_columns[column].components;
    free(cpu->extra[column]);
    cpu->extras_put++;
    cpu->has_pull &= column != KY_COLUMN_PULL;
    cpu->extra[column] = ky_allocate_zeroed_by(cpu->threads, numbers, sizeof(double));
    return cpu->extra[column]
               ? KY_OK
               : ky_no_memory(error, ky_columns[column].name, numbers, sizeof(double));
}

void ky_cpu_free_columns(struct ky_cpu *cpu)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        free(cpu->extra[k]);
        cpu->extra[k] = NULL;
    }
}

enum ky_status ky_cpu_clear_columns(struct ky_cpu *cpu, unsigned but, struct ky_error *error)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (ky_column_is_in(cpu->extras & ~but, k))
            KY_TRY(clear(cpu, k, error));
    return KY_OK;
}

enum ky_status ky_cpu_columns(struct ky_engine *engine, unsigned set, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        if (!ky_column_is_in(set, k))
            cpu->extra[k] = (free(cpu->extra[k]), NULL);
        else if (!cpu->extra[k])
            KY_TRY(clear(cpu, k, error));
    }
    cpu->extras = set;
    return KY_OK;
}

enum ky_status ky_cpu_put_column(struct ky_engine *engine, enum ky_column column,
                                 const double *numbers, struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    const size_t components = ky_columns[column].components;
    enum ky_status status = ky_column_check(cpu->extras, column, error);
    cpu->extras_put++;
    if (column == KY_COLUMN_PULL)
        cpu->has_pull = ky_pulls_are_known(numbers, cpu->n);
    for (size_t k = 0; k < components * cpu->n && !status; k++)
        cpu->extra[column][k % components * cpu->n + k / components] = numbers[k];
    return status;
}

enum ky_status ky_cpu_get_column(struct ky_engine *engine, enum ky_column column, double *numbers,
                                 struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    const size_t components = ky_columns[column].components;
    KY_TRY(ky_column_check(cpu->extras, column, error));
    for (size_t k = 0; k < components * cpu->n; k++)
        numbers[k] = cpu->extra[column][k % components * cpu->n + k / components];
    return KY_OK;
}
