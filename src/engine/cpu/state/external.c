/* External fields on the CPU: their accelerations, and the bodies' energy in them. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/external.h"
#include "engine/cpu/state/cpu.h"

size_t ky_cpu_externals(const struct ky_cpu *cpu, struct ky_external field[KY_MOST_EXTERNALS])
{
    const struct ky_externals *given = &cpu->base.externals;
    for (size_t k = 0; k < given->count; k++)
        field[k] = ky_external_in(&given->field[k], 1, cpu->length, given->time);
    return given->count;
}

/* Results of the field function for many points: for the active bodies, or all. */
struct many {
    double (*position)[3], (*acceleration)[3], *potential;
};

static void free_many(struct many *many)
{
    free(many->position);
    free(many->acceleration);
    free(many->potential);
}

static enum ky_status ask_many(const struct ky_cpu *cpu, const struct ky_active *active,
                               struct many *many, struct ky_error *error)
{
    const size_t sinks = active ? active->count : cpu->n;
    many->position = ky_allocate(sinks, sizeof *many->position);
    many->acceleration = ky_allocate(sinks, sizeof *many->acceleration);
    many->potential = ky_allocate(sinks, sizeof *many->potential);
    if (!many->position || !many->acceleration || !many->potential)
        return ky_no_memory(error, "a field at bodies", sinks, 2 * sizeof *many->position);
    for (size_t k = 0; k < sinks; k++)
        for (int c = 0; c < 3; c++)
            many->position[k][c] = cpu->x[c][active ? active->body[k] : k] * cpu->length;
    const double(*position)[3] = (const double(*)[3])many->position;
    const struct ky_shared *shared = cpu->base.shared;
    if (shared)
        return shared->ask(shared->context, active, sinks, position, many->acceleration,
                           many->potential, error);
    ky_externals_ask(&cpu->base.externals, sinks, position, NULL, many->acceleration, NULL,
                     many->potential);
    return KY_OK;
}

enum ky_status ky_cpu_many_potentials(const struct ky_cpu *cpu, double **potential,
                                      struct ky_error *error)
{
    struct many many = {0};
    enum ky_status status = KY_OK;
    *potential = NULL;
    if (ky_externals_plain_count(&cpu->base.externals) < cpu->base.externals.count)
        status = ask_many(cpu, NULL, &many, error);
    if (!status) {
        *potential = many.potential;
        many.potential = NULL;
    }
    free_many(&many);
    return status;
}

enum ky_status ky_cpu_add_externals(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    const struct ky_active *active = cpu->active;
    const size_t all = ky_cpu_externals(cpu, field), sinks = active ? active->count : cpu->n,
                 count = ky_externals_plain_count(&cpu->base.externals);
    struct many many = {0};
    enum ky_status status = count < all ? ask_many(cpu, active, &many, error) : KY_OK;
#pragma omp parallel for num_threads(cpu->team)
    for (size_t k = 0; k < (status || !all ? 0 : sinks); k++) {
        const size_t i = active ? active->body[k] : k;
        const double x[3] = {cpu->x[0][i], cpu->x[1][i], cpu->x[2][i]};
        const struct ky_external_pull pull = ky_externals_at(field, count, x, NULL);
        const double part[3] = {pull.x, pull.y, pull.z};
        for (int c = 0; c < 3; c++)
            cpu->a[c][i] += many.acceleration ? part[c] + many.acceleration[k][c] : part[c];
    }
    free_many(&many);
    return status;
}
