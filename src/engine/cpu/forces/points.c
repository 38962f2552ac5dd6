/* The field at points by --force fmm and tree: the points are sinks of the group walk, in a tree of
 * their own, and the cells of the bodies act on them.
 *
 * All ranks know the points and build their tree. Each walks for some of the groups (with fmm also
 * for all cells above them), and all ranks receive all results.
 *
 * The tolerance of fmm is relative to |a| of the sinks, which is unknown for points. A first pass
 * without last accelerations finds it, as for bodies at the start; a second pass with α gives the
 * field. Walks of `tree` use the opening test by θ instead, and one pass.
 *
 * A point may stand for a body, which the walk does not know: that body's own contribution is
 * subtracted from the sum in double, the precision in which such a walk sums pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/tree/tree.h"
#include "octree/opening_kinds.h"
#include "octree/parts.h"
#include "physics/fmm.h"
#include "physics/gravity.h"

/* A point at more than FARTHEST units of length from the middle walks separately. */
#define FARTHEST 0x1p44

/* A column for each: the sinks of the walk, and the results. */
enum { X, MASS = 3, ACCELERATION, POTENTIAL = 7, SOFTENING, COLUMNS };
enum { RESULTS = SOFTENING - ACCELERATION };

struct field {
    struct ky_cpu *cpu;
    struct ky_cpu_sinks *sources;
    const struct ky_points *points;
    double *room, *column[COLUMNS];
    struct ky_cpu_sinks sinks; /* the points */
    struct ky_octree all; /* their tree; the tree of `sinks` has only the shares of this rank */
    struct ky_parameters parameters;
    /* With ranks: marks of this rank's own groups and points. */
    unsigned char *own_groups, *own_points;
    struct ky_active active; /* these points; the walk uses only the marks */
};

/* 1 for fmm. */
static int has_passes(const struct field *field)
{
    return ky_force_kind(field->cpu->parameters->force)->expands;
}

static int is_far(const struct field *field, size_t k)
{
    double most = 0;
    for (int c = 0; c < 3 && !(field->cpu->box > 0); c++)
        most = fmax(most, fabs(field->points->position[k][c]));
    return most > FARTHEST * field->cpu->length;
}

/* Coordinate c of point k in the engine's units. */
static double place(const struct field *field, size_t k, int c)
{
    return ky_cpu_place(field->cpu, field->points->position[k][c] / field->cpu->length);
}

static enum ky_status make_columns(struct field *field, struct ky_error *error)
{
    const size_t count = field->points->count;
    field->room = ky_allocate_zeroed(count * COLUMNS, sizeof *field->room);
    if (!field->room)
        return ky_no_memory(error, "points of a field", count, COLUMNS * sizeof *field->room);
    for (int c = 0; c < COLUMNS; c++)
        field->column[c] = field->room + (size_t)c * count;
    for (size_t k = 0; k < count; k++) {
        for (int c = 0; c < 3; c++)
            field->column[X + c][k] = is_far(field, k) ? 0 : place(field, k, c);
        field->column[SOFTENING][k] = sqrt(ky_cpu_point_eps2(field->cpu, field->points, k));
    }
    return KY_OK;
}

/* The set of the points, and their tree. */
static enum ky_status make_sinks(struct field *field, struct ky_error *error)
{
    double **column = field->column;
    const size_t count = field->points->count;
    field->parameters = ky_force_tree(field->cpu->parameters);
    if (field->points->body)
        field->parameters.precision = KY_DOUBLE;
    field->sinks = (struct ky_cpu_sinks){
        .cpu = field->cpu,
        .sources = field->sources,
        .parameters = &field->parameters,
        .n = count,
        .columns = count,
        .a = {column[ACCELERATION], column[ACCELERATION + 1], column[ACCELERATION + 2]},
        .potential = column[POTENTIAL],
        .how = field->cpu->how | KY_GUARD, /* points may coincide with bodies */
        .eps2 = ky_cpu_point_eps2(field->cpu, field->points, 0),
        .angle = KY_FMM_ANGLE_OF_POINTS};
    const struct ky_parameters tree =
        ky_cpu_sinks_tree(&field->parameters, count, ky_cpu_system(field->cpu));
    const struct ky_octree_bodies bodies = {
        .n = count,
        .x = field->column[X],
        .y = field->column[X + 1],
        .z = field->column[X + 2],
        .mass = field->column[MASS],
        .softening = field->points->softenings ? column[SOFTENING] : NULL,
        /* the origin of the boxes, also of boxes of single
         * points */
        .has_origin = ky_cpu_is_divided(field->cpu) && !has_passes(field)};
    return ky_octree_build(&field->all, &bodies, &tree, error);
}

/* ---- ranks ---- */

/* The first share of rank r, and the sinks of its shares along the curve. */
static size_t first_share(const struct field *field, size_t r)
{
    return ky_share_start(field->all.shares, ky_cpu_ranks(field->cpu), r);
}

static size_t first_sink(const struct field *field, size_t r)
{
    const struct ky_octree *tree = &field->all;
    const size_t share = first_share(field, r);
    return share < tree->shares ? tree->group[tree->share[share]].body : tree->n;
}

/* Marks the groups of the engine's shares and their points, for a walk from the root down. */
static enum ky_status mark_own(struct field *field, size_t first, size_t end,
                               struct ky_error *error)
{
    struct ky_octree *tree = &field->sinks.tree;
    const size_t group = first < end ? tree->share[first] : 0,
                 last = first < end ? tree->share[end] : 0;
    field->own_groups = ky_allocate_zeroed(tree->groups, 1);
    field->own_points = ky_allocate_zeroed(tree->n, 1);
    if (!field->own_groups || !field->own_points)
        return ky_no_memory(error, "points of a field", tree->n, 1);
    for (size_t g = group; g < last; g++) {
        field->own_groups[g] = 1;
        for (uint32_t k = 0; k < tree->group[g].bodies; k++)
            field->own_points[tree->order[tree->group[g].body + k]] = 1;
    }
    field->sinks.active = &field->active;
    field->sinks.is_active = field->own_points;
    return KY_OK;
}

/* The tree of the engine's own shares. */
static enum ky_status take_shares(struct field *field, struct ky_error *error)
{
    struct ky_octree *tree = &field->sinks.tree;
    const size_t rank = ky_cpu_is_divided(field->cpu) ? field->cpu->base.shared->rank : 0,
                 first = first_share(field, rank), end = first_share(field, rank + 1);
    *tree = field->all;
    if (has_passes(field))
        return ky_cpu_is_divided(field->cpu) ? mark_own(field, first, end, error) : KY_OK;
    tree->share = tree->share ? tree->share + first : NULL;
    tree->shares = end - first;
    return KY_OK;
}

/* Adds distant points, which walk on each engine. */
static size_t add_far(const struct field *field, struct ky_octree_box *box)
{
    size_t far = 0;
    for (size_t k = 0; k < field->points->count; k++) {
        if (!is_far(field, k))
            continue;
        if (box)
            box[far] = ky_cpu_box_of_point(field->cpu, field->points, k);
        far++;
    }
    return far;
}

/* Makes the tree of the bodies with everything that the engine's sinks need: for walks of groups,
 * and of distant points. */
static enum ky_status stand_for_boxes(struct field *field, const struct ky_parameters *parameters,
                                      struct ky_error *error)
{
    const struct ky_octree_sinks groups = {.tree = &field->sinks.tree,
                                           .eps2 = ky_cpu_largest_eps2(field->cpu, field->points)};
    struct ky_octree_box *box = NULL, *all = NULL;
    size_t boxes = 0;
    enum ky_status status = ky_octree_boxes(&groups, &box, &boxes, error);
    if (!status && !(all = ky_allocate(boxes + add_far(field, NULL), sizeof *all)))
        status = ky_no_memory(error, "boxes of points", boxes, sizeof *all);
    if (!status) {
        memcpy(all, box, boxes * sizeof *all);
        boxes += add_far(field, all + boxes);
        struct ky_shared_tree wanted = {.parameters = parameters, .box = all, .boxes = boxes};
        status = ky_cpu_stand_tree_for(field->sources, &wanted, error);
    }
    free(box);
    free(all);
    return status;
}

/* The same if cells act on cells. Distant points need nothing more: all bodies act on them as one
 * cell, the root, which every engine has. */
static enum ky_status stand_for_cells(struct field *field, const struct ky_parameters *parameters,
                                      int by_alpha, struct ky_error *error)
{
    const struct ky_relative relative =
        by_alpha ? ky_cpu_relative(&field->sinks) : (struct ky_relative){0};
    struct ky_shared_tree wanted = {.parameters = parameters,
                                    .has_cells = 1,
                                    .points = &field->all,
                                    .has_active = field->own_groups,
                                    .relative = by_alpha ? &relative : NULL,
                                    .eps2 = ky_cpu_point_eps2(field->cpu, field->points, 0)};
    return ky_cpu_stand_tree_for(field->sources, &wanted, error);
}

static enum ky_status stand_tree(struct field *field, const struct ky_parameters *pass,
                                 struct ky_error *error)
{
    const struct ky_parameters parameters = ky_cpu_field_parameters(field->cpu);
    const int by_alpha = ky_opening_kind(pass->opening)->by_alpha;
    if (!ky_cpu_is_divided(field->cpu))
        return ky_cpu_stand_tree(field->sources, &parameters, error);
    return has_passes(field) ? stand_for_cells(field, &parameters, by_alpha, error)
                             : stand_for_boxes(field, &parameters, error);
}

/* Each rank receives the results of all ranks. */
static enum ky_status join(struct field *field, struct ky_error *error)
{
    const struct ky_shared *shared = field->cpu->base.shared;
    const uint32_t *order = field->all.order;
    const size_t count = field->points->count;
    double **column = field->column + ACCELERATION;
    if (!ky_cpu_is_divided(field->cpu))
        return KY_OK;
    const size_t first = first_sink(field, shared->rank), end = first_sink(field, shared->rank + 1);
    double(*row)[RESULTS] = ky_allocate(count + end - first, sizeof *row), (*own)[RESULTS] = row;
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes);
    enum ky_status status =
        row && bytes ? KY_OK : ky_no_memory(error, "points of a field", count, 2 * sizeof *row);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        bytes[r] = (first_sink(field, r + 1) - first_sink(field, r)) * sizeof *row;
    for (size_t k = first; k < end && !status; k++)
        for (int c = 0; c < RESULTS; c++)
            own[k - first][c] = column[c][order[k]];
    if (!status)
        status = shared->gather(shared->context, own, bytes, row + (end - first), error);
    for (size_t k = 0; k < count && !status; k++)
        for (int c = 0; c < RESULTS; c++)
            column[c][order[k]] = row[end - first + k][c];
    free(row);
    free(bytes);
    return status;
}

/* ---- the walks ---- */

/* Adds `factor` times a field to point k. */
static void add(struct field *field, size_t k, struct ky_field what, double factor)
{
    const struct ky_cpu_scale scale = ky_cpu_scale(field->cpu);
    const double part[3] = {what.x, what.y, what.z};
    for (int c = 0; c < 3; c++)
        field->column[ACCELERATION + c][k] += factor * scale.acceleration * part[c];
    field->column[POTENTIAL][k] += factor * scale.potential * what.p;
}

/* The contribution of body j, or of its nearest image, at a point with this ε². */
static struct ky_field share_of(const struct ky_cpu *cpu, const double at[3], double point_eps2,
                                uint32_t j)
{
    const double eps2 = cpu->how & KY_EPS_OF_BOTH ? ky_cpu_sink_eps2(cpu, j) : 0;
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = ky_cpu_to_nearest(cpu, KY_APART(cpu->x[c][j], at[c]));
    const struct ky_softened pair =
        ky_soften(d[0], d[1], d[2], point_eps2, eps2, cpu->how | KY_GUARD);
    return ky_add_body((struct ky_field){0, 0, 0, 0}, d[0], d[1], d[2], pair, cpu->mass[j]);
}

/* Walks for distant points, and subtracts the bodies that points stand for. */
static void correct(struct field *field)
{
    const struct ky_points *points = field->points;
#pragma omp parallel for schedule(dynamic, 64)                                                     \
    num_threads(field->cpu->threads) if (points->count > 64)
    for (size_t k = 0; k < points->count; k++) {
        if (ky_halted(field->cpu->base.halt))
            continue;
        double at[3];
        for (int c = 0; c < 3; c++)
            at[c] = place(field, k, c);
        const double eps2 = ky_cpu_point_eps2(field->cpu, points, k);
        if (is_far(field, k)) {
            for (int c = 0; c < 4; c++)
                field->column[ACCELERATION + c][k] = 0;
            add(field, k, ky_cpu_walk_point(field->sources, at, eps2), 1);
        }
        if (points->body && points->body[k] != KY_NO_BODY)
            add(field, k, share_of(field->cpu, at, eps2, points->body[k]), -1);
    }
}

/* One pass with the parameters. Afterwards each engine has the results of all. */
static enum ky_status pass(struct field *field, const struct ky_parameters *parameters,
                           struct ky_error *error)
{
    enum ky_status status = stand_tree(field, parameters, error);
    if (!status)
        status = (has_passes(field) ? ky_cpu_walk_cells : ky_cpu_walk_groups)(&field->sinks,
                                                                              parameters, error);
    if (!status)
        correct(field);
    if (!status && !ky_cpu_is_divided(field->cpu)) /* otherwise all of them join */
        status = ky_halt_check(field->cpu->base.halt, error);
    return status ? status : join(field, error);
}

enum ky_status ky_cpu_field_in_groups(struct ky_cpu_sinks *sources, const struct ky_points *points,
                                      double (*acceleration)[3], double *potential,
                                      struct ky_error *error)
{
    struct field field = {.cpu = sources->cpu, .sources = sources, .points = points};
    ky_octree_init(&field.all);
    enum ky_status status = make_columns(&field, error);
    if (!status)
        status = ky_cpu_find_far(field.cpu, error);
    if (!status)
        status = make_sinks(&field, error);
    if (!status)
        status = take_shares(&field, error);
    if (!status) {
        const struct ky_parameters first = ky_without_relative(&field.parameters);
        status = pass(&field, &first, error);
        if (!status && has_passes(&field))
            status = pass(&field, &field.parameters, error);
    }
    for (size_t k = 0; k < points->count && !status; k++) {
        for (int c = 0; c < 3 && acceleration; c++)
            acceleration[k][c] = field.column[ACCELERATION + c][k];
        if (potential)
            potential[k] = field.column[POTENTIAL][k];
    }
    ky_octree_free(&field.all);
    free(field.own_groups);
    free(field.own_points);
    free(field.room);
    return status;
}
