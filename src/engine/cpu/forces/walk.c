/* The pointer walk: each body goes through the tree separately along `next` and `more` (N09, N12).
 * It is scalar, and in double for any precision, since following the links dominates the time. */
#include "engine/cpu/forces/forces.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/tree/tree.h"
#include "octree/decide.h"
#include "octree/opening_kinds.h"

struct centre {
    double x[3];
};

struct body_walk {
    const struct ky_octree *tree; /* of the sources */
    const struct centre *centre;  /* of all cells; NULL: computed for each visited cell */
    int by_alpha, how;            /* by_alpha: of the opening test */
    struct ky_relative relative;  /* only for an opening test by α */
};

/* The sink, and its sums so far. */
struct sink {
    uint32_t body;
    double x[3], from[3]; /* its position; the same relative to the tree's origin */
    double eps2;
    double factor; /* of an opening test by α */
    struct ky_field field;
    uint64_t bodies, cells;
};

/* The vector from the sink to the cell's centre of mass. */
static void cell_apart(const struct body_walk *walk, const struct sink *sink, uint32_t cell,
                       double d[3])
{
    if (walk->centre)
        for (int c = 0; c < 3; c++)
            d[c] = KY_APART(walk->centre[cell].x[c], sink->from[c]);
    else
        ky_cell_apart(walk->tree, cell, sink->from, d);
}

/* A cell never acts on a body inside it. */
static int must_open(const struct body_walk *walk, const struct sink *sink, uint32_t cell,
                     const double d[3])
{
    const struct ky_cell_link *link = &walk->tree->link[cell];
    return sink->body - link->body < link->bodies ||
           ky_octree_must_open(walk->tree, cell, d, NULL, sink->factor, sink->eps2);
}

static void add_leaf(const struct body_walk *walk, struct sink *sink,
                     const struct ky_cell_link *leaf)
{
    const struct ky_octree *tree = walk->tree;
    for (uint32_t j = leaf->body; j < leaf->body + leaf->bodies; j++) {
        if (j == sink->body)
            continue;
        double dx = KY_APART(tree->x[j], sink->x[0]), dy = KY_APART(tree->y[j], sink->x[1]),
               dz = KY_APART(tree->z[j], sink->x[2]);
        double eps2 = walk->how & KY_EPS_OF_BOTH ? tree->softening2[j] : 0;
        struct ky_softened pair =
            ky_soften(dx, dy, dz, sink->eps2, eps2, walk->how | KY_GUARD_FIRST);
        sink->field = ky_add_body(sink->field, dx, dy, dz, pair, tree->mass[j]);
        sink->bodies++;
    }
}

static void add_cell(const struct body_walk *walk, struct sink *sink, uint32_t cell,
                     const double d[3])
{
    const struct ky_octree *tree = walk->tree;
    double eps2 = walk->how & KY_EPS_OF_BOTH ? (double)tree->low[cell].eps2 : 0;
    struct ky_softened pair =
        ky_soften(d[0], d[1], d[2], sink->eps2, eps2, KY_CELLS_HOW(walk->how) | KY_GUARD_FIRST);
    sink->cells++;
    if (tree->moments == 1)
        sink->field = ky_add_body(sink->field, d[0], d[1], d[2], pair, (double)tree->moment[cell]);
    else
        sink->field = ky_add_cell(sink->field, d[0], d[1], d[2], pair, ky_host_moments(tree, cell));
}

static void walk_links(const struct body_walk *walk, struct sink *sink)
{
    const struct ky_octree *tree = walk->tree;
    for (int c = 0; c < 3; c++)
        sink->from[c] = sink->x[c] - tree->origin[c];
    for (uint32_t cell = 0; cell != KY_NO_LINK;) {
        const struct ky_cell_link *link = &tree->link[cell];
        double d[3];
        cell_apart(walk, sink, cell, d);
        uint32_t next = link->next;
        __builtin_prefetch(tree->moment +
                           cell * tree->moments); /* prefetch while d is being computed */
        if (!must_open(walk, sink, cell, d))
            add_cell(walk, sink, cell, d);
        else if (link->more != KY_NO_LINK)
            next = link->more;
        else if (link->bodies == KY_CLOSED_CELL)
            add_cell(walk, sink, cell, d);
        else
            add_leaf(walk, sink, link);
        cell = next;
    }
}

static void walk_body(struct ky_cpu_sinks *set, const struct body_walk *walk, uint32_t body,
                      struct ky_cpu_scale scale, struct ky_cpu_work *work)
{
    const struct ky_octree *tree = &set->tree;
    uint32_t i = tree->order[body];
    if (!ky_cpu_is_active(set, i) || ky_halted(set->cpu->base.halt))
        return;
    struct sink sink = {.body = walk->tree == tree ? body : KY_NO_BODY,
                        .x = {tree->x[body], tree->y[body], tree->z[body]},
                        .eps2 = ky_cpu_sink_eps2(set->cpu, i),
                        .factor = walk->by_alpha ? ky_relative_factor(&walk->relative, &i, 1) : 1};
    walk_links(walk, &sink);
    work->more = ky_cpu_note_work(set, body, sink.bodies + sink.cells, 1);
    set->a[0][i] = scale.acceleration * sink.field.x;
    set->a[1][i] = scale.acceleration * sink.field.y;
    set->a[2][i] = scale.acceleration * sink.field.z;
    set->potential[i] = scale.potential * sink.field.p;
    work->bodies = sink.bodies;
    work->cells = sink.cells;
}

/* Number of bodies that a thread or a rank takes at a time. */
enum { UNIT = 64 };

static struct ky_group bodies_of_unit(const void *of, size_t unit)
{
    const size_t left = *(const size_t *)of - unit * UNIT;
    return (struct ky_group){(uint32_t)(unit * UNIT), (uint32_t)(left < UNIT ? left : UNIT)};
}

/* The centres of all cells in double, so that no walk waits for the sum of their two floats. The
 * caller frees them. NULL if memory runs out, and if only some bodies walk, which visit few of the
 * cells. */
static struct centre *centres_of(const struct ky_cpu_sinks *set)
{
    const struct ky_octree *tree = &set->sources->tree;
    const double origin[3] = {0};
    struct centre *centre = set->active ? NULL : ky_allocate(tree->nodes, sizeof *centre);
    for (uint32_t cell = 0; centre && cell < tree->nodes; cell++)
        ky_cell_apart(tree, cell, origin, centre[cell].x);
    return centre;
}

static enum ky_status walk_bodies(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    struct body_walk walk = {.tree = &set->sources->tree,
                             .by_alpha = ky_opening_kind(parameters->opening)->by_alpha,
                             .how = set->how};
    if (walk.by_alpha)
        walk.relative = ky_cpu_relative(set);
    ky_cpu_link_tree(set);
    const struct ky_cpu_scale scale = ky_cpu_scale(set->cpu);
    uint32_t *place = NULL;
    if (set->n == 0)
        return KY_OK;
    if (set->parameters->curve == KY_CURVE_NONE)
        KY_TRY(ky_octree_places(&set->tree, set->columns, &place, error));
    struct centre *centre = centres_of(set);
    walk.centre = centre;
    uint64_t bodies = 0, cells = 0;
    int64_t more = 0;
    struct ky_cpu_turns turns = ky_cpu_turns(set);
    turns.joins &= !place; /* the caller's order is not the tree's */
#pragma omp parallel for schedule(dynamic, UNIT) num_threads(set->cpu->threads)                         \
    reduction(+ : bodies, cells, more) if (set->n > 256)
    for (size_t k = 0; k < set->n; k++) {
        struct ky_cpu_work work = {0};
        if (ky_cpu_walks(&turns, k / UNIT))
            walk_body(set, &walk, place ? place[ky_cpu_member(set, k)] : (uint32_t)k, scale, &work);
        if (!ky_cpu_counts(&turns, k / UNIT))
            continue;
        bodies += work.bodies;
        cells += work.cells;
        more += work.more;
    }
    free(centre);
    free(place);
    const struct ky_cpu_work work = {bodies, cells, more};
    return ky_cpu_end_walk(set, &turns, work, (set->n + UNIT - 1) / UNIT, bodies_of_unit, &set->n,
                           error);
}

const struct ky_cpu_method ky_cpu_walk_method = {
    .forces = ky_cpu_tree, .walk = walk_bodies, .memory = ky_octree_memory};

struct ky_field ky_cpu_walk_point(const struct ky_cpu_sinks *sources, const double x[3],
                                  double eps2)
{
    const struct body_walk walk = {.tree = &sources->tree, .how = sources->how};
    struct sink sink = {.body = KY_NO_BODY, .x = {x[0], x[1], x[2]}, .eps2 = eps2, .factor = 1};
    if (walk.tree->nodes > 0)
        walk_links(&walk, &sink);
    return sink.field;
}
