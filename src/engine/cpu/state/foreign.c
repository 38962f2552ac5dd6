/* Sources of other engines: checked, and copied to columns or trees. */
#include "engine/cpu/state/foreign.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/softening.h"
#include "engine/cpu/state/cpu.h"

/* x v a j, mass, eps2. */
enum { COLUMNS = 14 };

void ky_cpu_free_foreign(struct ky_cpu *cpu)
{
    for (size_t k = 0; k < cpu->foreign.trees; k++)
        ky_octree_free(&cpu->foreign.tree[k]);
    free(cpu->foreign.tree);
    free(cpu->foreign.room);
    free(cpu->foreign.column);
    cpu->foreign = (struct ky_cpu_foreign){0};
}

static int has_tree(const struct ky_cpu *cpu)
{
    return ky_force_kind(cpu->parameters->force)->has_tree;
}

static enum ky_status check_cells(const struct ky_cpu *cpu, const struct ky_foreign *other,
                                  struct ky_error *error)
{
#define KY_CELL_IS_THERE(p, type, name, count, what) &&other->cells.name
    if (other->cells.count > 0 && !(1 KY_CELL_COLUMNS(KY_CELL_IS_THERE, )))
        return ky_fail(error, KY_USAGE, "cells of other engines without all their columns");
    if (other->cells.count > 0 && !has_tree(cpu))
        return ky_fail(error, KY_USAGE, "the exact sum takes no cells of other engines");
    if (other->cells.count > 0 && !(cpu->frame.edge > 0))
        return ky_fail(error, KY_USAGE, "cells of other engines need a frame with a cube");
    if (other->cells.count == 0 && other->n > 0 && has_tree(cpu))
        return ky_fail(error, KY_USAGE,
                       "forces with a tree take bodies of other engines in the leaves of cells");
    return KY_OK;
}

static enum ky_status check(const struct ky_cpu *cpu, const struct ky_foreign *other,
                            struct ky_error *error)
{
    if (cpu->parameters->mutual)
        return ky_fail(error, KY_UNSUPPORTED,
                       "mutual interactions are among an engine's own bodies: for those of other "
                       "engines leave out --mutual");
    const int is_hermite = cpu->base.schemes >> KY_SCHEME_HERMITE & 1U;
    if (other->n > 0 && (!other->position || !other->mass || (is_hermite && !other->velocity)))
        return ky_fail(error, KY_USAGE, "bodies of other engines without masses or %s",
                       is_hermite ? "positions and velocities" : "positions");
    if (other->n > 0 && cpu->n > 0 && !cpu->softening != !other->softening)
        return ky_fail(error, KY_USAGE,
                       "softenings of their own have the bodies of all engines or of none");
    return check_cells(cpu, other, error);
}

static enum ky_status allocate(struct ky_cpu_foreign *to, size_t n, struct ky_error *error)
{
    to->room = ky_allocate_zeroed(n * COLUMNS, sizeof *to->room);
    if (!to->room)
        return ky_no_memory(error, "bodies of other engines", n, COLUMNS * sizeof *to->room);
    to->n = n;
    double *column = to->room;
    for (int c = 0; c < 6; c++, column += n) {
        to->at[c] = column;
        to->change[c] = column + 6 * n;
    }
    to->mass = column + 6 * n;
    to->eps2 = column + 7 * n;
    return KY_OK;
}

/* Rows of numbers, times `factor`, to the columns from place `first` on; NULL: they stay 0. */
static void take_rows(double *const column[], size_t first, const double (*rows)[3], size_t n,
                      double factor)
{
    for (size_t i = 0; rows && i < n; i++)
        for (int c = 0; c < 3; c++)
            column[c][first + i] = rows[i][c] * factor;
}

static void take(struct ky_cpu *cpu, const struct ky_foreign *other, size_t first)
{
    const struct ky_cpu_foreign *to = &cpu->foreign;
    const int kind = cpu->parameters->softening_kind;
    const double per_length = 1 / cpu->length, per_mass = 1 / cpu->mass_unit;
    take_rows(to->at, first, other->position, other->n, per_length);
    take_rows(to->at + 3, first, other->velocity, other->n, per_length);
    take_rows(to->change, first, other->acceleration, other->n, per_length);
    take_rows(to->change + 3, first, other->jerk, other->n, per_length);
    for (size_t i = 0; i < other->n; i++) {
        const double own = other->softening ? other->softening[i] : cpu->parameters->softening,
                     eps = own * per_length;
        to->mass[first + i] = other->mass[i] * per_mass;
        /* A tree takes ε itself, and none that all bodies share. */
        to->eps2[first + i] =
            has_tree(cpu) ? eps : ky_sink_eps2(kind, other->softening != NULL, eps);
    }
}

/* The tree of one engine, whose bodies are in the columns from place `first` on. */
static enum ky_status take_tree(struct ky_cpu *cpu, const struct ky_foreign *other, size_t first,
                                struct ky_octree *tree, struct ky_error *error)
{
    const struct ky_cpu_foreign *from = &cpu->foreign;
    struct ky_octree_bodies bodies = {.n = other->n,
                                      .x = from->at[0] + first,
                                      .y = from->at[1] + first,
                                      .z = from->at[2] + first,
                                      .mass = from->mass + first,
                                      .softening = other->softening ? from->eps2 + first : NULL};
    ky_tree_origin(&cpu->frame, cpu->length, bodies.origin);
    const struct ky_parameters parameters = ky_force_tree(cpu->parameters);
    return ky_octree_take(tree, &other->cells, &bodies, &parameters, error);
}

/* Trees in place of the columns. */
static enum ky_status take_trees(struct ky_cpu *cpu, const struct ky_foreign *others, size_t count,
                                 struct ky_error *error)
{
    struct ky_cpu_foreign *foreign = &cpu->foreign;
    size_t first = 0;
    foreign->tree = ky_allocate_zeroed(count, sizeof *foreign->tree);
    if (!foreign->tree)
        return ky_no_memory(error, "trees of other engines", count, sizeof *foreign->tree);
    foreign->trees = count;
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < count && !status; k++, first += others[k - 1].n)
        status = take_tree(cpu, &others[k], first, &foreign->tree[k], error);
    free(foreign->room);
    *foreign = (struct ky_cpu_foreign){.trees = count, .tree = foreign->tree};
    return status;
}

enum ky_status ky_cpu_foreign(struct ky_cpu *cpu, const struct ky_foreign *others, size_t count,
                              struct ky_error *error)
{
    size_t n = 0, first = 0;
    enum ky_status status = KY_OK;
    ky_cpu_free_foreign(cpu);
    for (size_t k = 0; k < count && !status; k++, n += others[k - 1].n)
        status = check(cpu, &others[k], error);
    if (!status && n > INT32_MAX - cpu->n)
        status = ky_fail(error, KY_UNSUPPORTED,
                         "%zu bodies of other engines: with its own an engine takes up to %d", n,
                         INT32_MAX);
    if (!status && count > 0)
        status = allocate(&cpu->foreign, n, error);
    for (size_t k = 0; k < count && !status; k++, first += others[k - 1].n)
        take(cpu, &others[k], first);
    if (!status && count > 0 && has_tree(cpu))
        status = take_trees(cpu, others, count, error);
    if (status)
        ky_cpu_free_foreign(cpu);
    return status;
}
