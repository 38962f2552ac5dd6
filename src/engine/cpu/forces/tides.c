/* Tidal tensors at points, in double: by the exact sum, or by a walk of each point through the tree
 * with the opening test and the second moments of the parameters. */
#include "physics/tide.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "engine/cpu/forces/forces.h"
#include "engine/cpu/tree/tree.h"
#include "octree/decide.h"
#include "octree/host_cells.h"
#include "octree/keys.h"
#include "octree/parts.h"
#include "octree/work.h"

/* A point, and its sum so far. */
struct sink {
    double x[3], eps2;
    int how;
    struct ky_tide tide;
};

static void add_body(struct sink *sink, const double at[3], double mass, double eps2)
{
    const double d[3] = {KY_APART(at[0], sink->x[0]), KY_APART(at[1], sink->x[1]),
                         KY_APART(at[2], sink->x[2])};
    const struct ky_softened pair =
        ky_soften(d[0], d[1], d[2], sink->eps2, eps2, sink->how | KY_GUARD_FIRST);
    sink->tide = ky_add_tide_of_body(sink->tide, d[0], d[1], d[2], pair, mass);
}

/* Adds all sources except number `but`. */
static void add_all(struct sink *sink, const struct ky_direct *from, uint32_t but)
{
    const double *x = from->x, *y = from->y, *z = from->z, *mass = from->mass, *eps2 = from->eps2;
    for (size_t j = 0; j < from->n; j++)
        if (j != but)
            add_body(sink, (const double[3]){x[j], y[j], z[j]}, mass[j], eps2 ? eps2[j] : 0);
}

static void add_leaf(struct sink *sink, const struct ky_octree *tree,
                     const struct ky_cell_link *leaf)
{
    for (uint32_t j = leaf->body; j < leaf->body + leaf->bodies; j++)
        add_body(sink, (const double[3]){tree->x[j], tree->y[j], tree->z[j]}, tree->mass[j],
                 sink->how & KY_EPS_OF_BOTH ? tree->softening2[j] : 0);
}

static void add_cell(struct sink *sink, const struct ky_octree *tree, uint32_t cell,
                     const double d[3])
{
    const double eps2 = sink->how & KY_EPS_OF_BOTH ? (double)tree->low[cell].eps2 : 0;
    const struct ky_softened pair =
        ky_soften(d[0], d[1], d[2], sink->eps2, eps2, KY_CELLS_HOW(sink->how) | KY_GUARD_FIRST);
    sink->tide =
        ky_add_tide_of_cell(sink->tide, d[0], d[1], d[2], pair, ky_host_moments(tree, cell));
}

static void walk(struct sink *sink, const struct ky_octree *tree)
{
    double from[3];
    for (int c = 0; c < 3; c++)
        from[c] = sink->x[c] - tree->origin[c];
    for (uint32_t cell = 0; tree->nodes > 0 && cell != KY_NO_LINK;) {
        const struct ky_cell_link *link = &tree->link[cell];
        uint32_t next = link->next;
        double d[3];
        ky_cell_apart(tree, cell, from, d);
        if (!ky_octree_must_open(tree, cell, d, NULL, 1, sink->eps2))
            add_cell(sink, tree, cell, d);
        else if (link->more != KY_NO_LINK)
            next = link->more;
        else if (link->bodies == KY_CLOSED_CELL)
            add_cell(sink, tree, cell, d);
        else
            add_leaf(sink, tree, link);
        cell = next;
    }
}

/* ---- ranks ---- */

struct range {
    size_t first, end;
};

/* The points of engine r: from first_point(…, r) to first_point(…, r + 1). */
static size_t first_point(const struct ky_cpu *cpu, size_t count, size_t r)
{
    return ky_share_start(count, ky_cpu_ranks(cpu), r);
}

/* Makes boxes of the engine's points, at least one, along a curve: consecutive points are tested
 * together (octree/prune.c). */
static enum ky_status make_boxes(const struct ky_cpu *cpu, const struct ky_points *points,
                                 struct range own, struct ky_octree_box *box,
                                 struct ky_error *error)
{
    const size_t n = own.end - own.first;
    double *x = ky_allocate(n, 3 * sizeof *x);
    uint64_t *word = ky_allocate(n, 2 * sizeof *word);
    const enum ky_status status =
        x && word ? KY_OK : ky_no_memory(error, "boxes of points", n, 5 * sizeof *x);
    if (!status) {
        const double *y = x + n, *z = y + n;
        for (size_t k = 0; k < n; k++)
            for (size_t c = 0; c < 3; c++)
                x[c * n + k] = points->position[own.first + k][c] / cpu->length;
        const struct ky_positions positions = {n, NULL, x, y, z, 0};
        const struct ky_frame frame = ky_frame_of_bulk(&positions, cpu->threads);
        const uint64_t varying = ky_words(&frame, NULL, &positions, word, cpu->threads);
        const uint64_t *sorted = ky_octree_sort(n, word, word + n, varying, cpu->threads);
        for (size_t k = 0; k < n; k++)
            box[k] = ky_cpu_box_of_point(cpu, points,
                                         own.first + ky_word_index(ky_word_layout(n), sorted[k]));
    }
    free(x);
    free(word);
    return status;
}

/* Makes the tree with everything that the engine's points need. */
static enum ky_status stand_tree(struct ky_cpu_sinks *sources, const struct ky_points *points,
                                 struct range own, struct ky_error *error)
{
    const struct ky_cpu *cpu = sources->cpu;
    const struct ky_parameters of_field = ky_cpu_field_parameters(cpu),
                               parameters = ky_for_points(&of_field);
    const size_t boxes = ky_cpu_is_divided(cpu) ? own.end - own.first : 0;
    struct ky_octree_box *box = ky_allocate(boxes, sizeof *box);
    struct ky_shared_tree wanted = {.parameters = &parameters, .box = box, .boxes = boxes};
    enum ky_status status = KY_OK;
    if (!box)
        status = ky_no_memory(error, "boxes of points", boxes, sizeof *box);
    else if (boxes)
        status = make_boxes(cpu, points, own, box, error);
    if (!status)
        status = ky_cpu_stand_tree_for(sources, &wanted, error);
    free(box);
    return status;
}

/* Each rank receives the results of all ranks. */
static enum ky_status join(const struct ky_cpu *cpu, size_t count, double (*tide)[6],
                           struct ky_error *error)
{
    const struct ky_shared *shared = cpu->base.shared;
    if (!ky_cpu_is_divided(cpu))
        return KY_OK;
    const size_t first = first_point(cpu, count, shared->rank),
                 own = first_point(cpu, count, shared->rank + 1) - first;
    double(*row)[6] = ky_allocate(own, sizeof *row);
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes);
    enum ky_status status =
        row && bytes ? KY_OK : ky_no_memory(error, "points of a field", own, sizeof *row);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        bytes[r] = (first_point(cpu, count, r + 1) - first_point(cpu, count, r)) * sizeof *row;
    for (size_t k = 0; k < own && !status; k++)
        memcpy(row[k], tide[first + k], sizeof *row);
    if (!status)
        status = shared->gather(shared->context, row, bytes, tide, error);
    free(row);
    free(bytes);
    return status;
}

/* ---- the tensors ---- */

/* The sources: all bodies in double, or trees. */
struct acting {
    const struct ky_cpu_sinks *sources;
    int direct;
    struct ky_direct own;
};

/* The number of the body for which point k stands, or KY_NO_BODY; in a box only where the body is
 * the nearest of its images to the point, which is at x. */
static uint32_t own_of(const struct ky_cpu *cpu, const struct ky_points *points, size_t k,
                       const double x[3])
{
    const uint32_t own = ky_cpu_point_number(cpu, points, k);
    int is_near = 1;
    for (int c = 0; c < 3 && cpu->box > 0 && own != KY_NO_BODY; c++) {
        const double d = KY_APART(cpu->x[c][points->body[k]], x[c]);
        is_near &= ky_cpu_to_nearest(cpu, d) == d;
    }
    return is_near ? own : KY_NO_BODY;
}

static void tide_at(const struct acting *acting, const struct ky_points *points, size_t k,
                    double tide[6])
{
    const struct ky_cpu *cpu = acting->sources->cpu;
    const double scale = ky_cpu_scale(cpu).acceleration / cpu->length;
    struct sink sink = {.eps2 = ky_cpu_point_eps2(cpu, points, k), .how = cpu->how};
    double x[3];
    for (int c = 0; c < 3; c++)
        x[c] = ky_cpu_place(cpu, points->position[k][c] / cpu->length);
    for (int image = 0; image < ky_cpu_images(cpu); image++) {
        for (int c = 0; c < 3; c++)
            sink.x[c] = x[c] - ky_image(image, c) * cpu->box;
        if (acting->direct)
            add_all(&sink, &acting->own, own_of(cpu, points, k, sink.x));
        else
            walk(&sink, &acting->sources->tree);
    }
    const struct ky_tide *sum = &sink.tide;
    double number[6] = {sum->xx, sum->yy, sum->zz, sum->xy, sum->xz, sum->yz};
    if (cpu->box > 0)
        ky_far_add_tide_at(cpu->far, x, number);
    for (int c = 0; c < 6; c++)
        tide[c] = scale * number[c];
}

enum ky_status ky_cpu_tides(struct ky_engine *engine, const struct ky_points *points,
                            double (*tide)[6], struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    struct ky_cpu_sinks *sources = ky_cpu_sources(cpu);
    const size_t rank = ky_cpu_is_divided(cpu) ? cpu->base.shared->rank : 0;
    const struct range own = {first_point(cpu, points->count, rank),
                              first_point(cpu, points->count, rank + 1)};
    const struct ky_force_report report = cpu->report;
    struct acting acting = {.sources = sources,
                            .direct = ky_force_kind(cpu->parameters->force)->is_exact};
    double *room = NULL;
    enum ky_status status = ky_cpu_check_points(cpu, points, error);
    if (!status)
        status = ky_cpu_find_far(cpu, error);
    if (!status)
        status = acting.direct ? ky_cpu_in_double(sources, &acting.own, &room, error)
                               : stand_tree(sources, points, own, error);
    cpu->report = report;
#pragma omp parallel for schedule(dynamic, 16) num_threads(cpu->threads)
    for (size_t k = own.first; k < (status ? own.first : own.end); k++)
        if (!ky_halted(cpu->base.halt))
            tide_at(&acting, points, k, tide[k]);
    free(room);
    return status ? status : join(cpu, points->count, tide, error);
}
