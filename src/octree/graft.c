/* One tree of several parts' trees: see parts.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "octree/work.h"

/* A cell of the new tree while it is made: of a part's tree, or above the parts' roots. */
struct node {
    uint32_t part; /* TOP: the roots from `cell` on, `roots` of them, are below */
    uint32_t cell, roots;
};
#define TOP UINT32_MAX

enum { PARALLEL_FROM = 512 };

struct graft {
    struct ky_octree *to;
    const struct ky_octree *tree; /* of the part itself */
    size_t own, parts;
    const struct ky_octree_parcel *parcel;
    const struct ky_octree_root *root;
    const struct ky_parameters *parameters;
    uint32_t *part; /* [roots] of each root */
    size_t *first;  /* [parts + 1] number of the first root of each part */
    size_t *place;  /* [parts + 1] place of the first body of each part in the new tree */
    struct node *node;
    uint32_t *begin; /* of a node's children */
    size_t nodes, roots;
};

static size_t count_cells(const struct graft *g, size_t part)
{
    return part == g->own ? g->tree->nodes : g->parcel[part].cells.count;
}

static size_t count_bodies(const struct graft *g, size_t part)
{
    return part == g->own ? g->tree->n : g->parcel[part].n;
}

/* ---- the cells above the roots ---- */

/* The node of some consecutive roots. */
static struct node node_of(const struct graft *g, size_t first, size_t roots)
{
    if (roots > 1)
        return (struct node){TOP, (uint32_t)first, (uint32_t)roots};
    return (struct node){g->part[first], (uint32_t)(first - g->first[g->part[first]]), 1};
}

/* Divides the roots of a node as the system's tree is divided: at the first digit in which their
 * keys differ. child[0 … 8) become the nodes below; returns how many. */
static unsigned divide(const struct graft *g, const struct node *top, struct node child[8])
{
    const struct ky_octree_root *root = g->root + top->cell;
    const int common = ky_key_common(root[0].first, root[top->roots - 1].last);
    const int shift = 3 * (KY_KEY_LEVELS - 1 - common);
    unsigned children = 0;
    for (size_t k = 0, end; k < top->roots && children < 8; k = end) {
        for (end = k + 1; end < top->roots && root[end].first >> shift == root[k].first >> shift;)
            end++;
        child[children++] = node_of(g, top->cell + k, end - k);
    }
    return children;
}

/* ---- breadth first ---- */

/* The columns of a part's cells. */
static struct ky_given_cells cells_of(const struct graft *g, size_t part)
{
    if (part != g->own)
        return g->parcel[part].cells;
#define KY_CELL_OWN(p, type, name, count, what) .name = g->tree->name,
    return (struct ky_given_cells){.count = g->tree->nodes, KY_CELL_COLUMNS(KY_CELL_OWN, )};
}

/* The number of children of a node; the children of a cell above the roots become nodes from `at`
 * on. */
static unsigned count_children(const struct graft *g, const struct node *node)
{
    struct node child[8];
    if (node->part == TOP)
        return divide(g, node, child);
    return cells_of(g, node->part).children[node->cell];
}

/* Copies the columns of a part's cell, whose children become the nodes from `first` on. Returns 0
 * if its links do not fit. */
static int copy_cell(const struct graft *g, size_t at, size_t first)
{
    struct ky_octree *to = g->to;
    const struct node *node = &g->node[at];
    const struct ky_given_cells cells = cells_of(g, node->part);
    const size_t cell = node->cell, moments = to->moments, bodies = count_bodies(g, node->part);
#define KY_CELL_GRAFT(p, type, name, count, what)                                                  \
    memcpy(to->name + at * (count), cells.name + cell * (count), (count) * sizeof(type));
    KY_CELL_COLUMNS(KY_CELL_GRAFT, )
    struct ky_cell_link *link = &to->link[at];
    const unsigned children = to->children[at];
    link->next = KY_NO_LINK;
    if (children > 8 || (children && (link->more <= cell || children > cells.count - link->more)) ||
        (!children && link->bodies != KY_CLOSED_CELL &&
         (link->body > bodies || link->bodies > bodies - link->body)))
        return 0;
    for (unsigned k = 0; k < children; k++)
        g->node[first + k] = (struct node){node->part, link->more + k, 0};
    link->more = children ? (unsigned)first : KY_NO_LINK;
    link->body += (unsigned)g->place[node->part];
    return 1;
}

/* The links of a cell above the roots. */
static int link_top(const struct graft *g, size_t at, size_t first)
{
    struct ky_octree *to = g->to;
    const unsigned children = divide(g, &g->node[at], g->node + first);
    to->children[at] = (unsigned char)children;
    to->link[at] = (struct ky_cell_link){KY_NO_LINK, (unsigned)first, 0, KY_CLOSED_CELL};
    return 1;
}

/* Places the children of a level's nodes, which begin at g->begin[node]. Returns the end of them,
 * or 0 if there are more than there is room for. */
static size_t place_children(const struct graft *g, size_t begin, size_t end, size_t room)
{
    size_t next = end;
    for (size_t at = begin; at < end; at++) {
        const unsigned children = count_children(g, &g->node[at]);
        g->begin[at] = (uint32_t)next;
        next += children;
        if (children > 8 || next > room)
            return 0;
    }
    return next;
}

static enum ky_status lay_cells(struct graft *g, size_t room, struct ky_error *error)
{
    const int threads = g->to->scratch->threads;
    enum ky_status status = KY_OK;
    g->node[0] = node_of(g, 0, g->roots);
    g->to->levels = 0;
    for (size_t begin = 0, end = 1; begin < end && !status;) {
        const size_t next = place_children(g, begin, end, room);
        int wrong = next == 0;
        (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads)                                     \
    reduction(|                                                                                    \
              : wrong) if (threads > 1 && end - begin >= PARALLEL_FROM)
        for (size_t at = begin; at < end; at++)
            wrong |= !next || !(g->node[at].part == TOP ? link_top(g, at, g->begin[at])
                                                        : copy_cell(g, at, g->begin[at]));
        if (wrong)
            return ky_fail(error, KY_BAD_DATA, "cells of other parts have invalid links");
        status = ky_octree_end_level(g->to, end, error);
        g->nodes = end;
        begin = end;
        end = next;
    }
    g->to->nodes = g->nodes;
    return status;
}

/* The sums of a node, and the columns of the cells above the roots from there on down. */
static void sum_top(struct graft *g, size_t at, struct ky_octree_sums *sums)
{
    const struct node *node = &g->node[at];
    struct ky_octree_sums child[8];
    if (node->part != TOP) {
        *sums = g->root[g->first[node->part] + node->cell].sums;
        return;
    }
    for (unsigned k = 0; k < g->to->children[at]; k++)
        sum_top(g, g->to->link[at].more + k, &child[k]);
    ky_octree_join(g->to, (uint32_t)at, child, g->parameters, sums);
}

/* ---- bodies ---- */

static void copy_bodies(struct graft *g)
{
    struct ky_octree *to = g->to;
    for (size_t q = 0; q < g->parts; q++) {
        const struct ky_octree_parcel *from = &g->parcel[q];
        const int is_own = q == g->own;
        const double *const column[] = {
            is_own ? g->tree->x : from->x, is_own ? g->tree->y : from->y,
            is_own ? g->tree->z : from->z, is_own ? g->tree->mass : from->mass};
        double *const its[] = {to->x, to->y, to->z, to->mass};
        for (int c = 0; c < 4 && count_bodies(g, q); c++)
            memcpy(its[c] + g->place[q], column[c], count_bodies(g, q) * sizeof(double));
    }
    if (g->tree->n)
        memcpy(to->order + g->place[g->own], g->tree->order, g->tree->n * sizeof *to->order);
    for (size_t q = 0; q < g->parts && to->number; q++)
        if (count_bodies(g, q))
            memcpy(to->number + g->place[q], q == g->own ? g->tree->number : g->parcel[q].number,
                   count_bodies(g, q) * sizeof *to->number);
    if (to->n)
        ky_octree_pad(to);
}

/* Sets the bodies in the links to the present bodies: they are consecutive in each cell, since
 * parcels keep the order of the curve. Children come after their parents. */
static void count_present(struct ky_octree *to)
{
    for (size_t cell = to->nodes; cell-- > 0;) {
        struct ky_cell_link *link = &to->link[cell];
        const uint32_t children = to->children[cell];
        if (link->bodies == KY_CLOSED_CELL || children)
            link->bodies = 0;
        if (!link->bodies)
            link->body = (unsigned)to->n;
        for (uint32_t k = 0; k < children; k++) {
            const struct ky_cell_link *child = &to->link[link->more + k];
            link->body = child->body < link->body ? child->body : link->body;
            link->bodies += child->bodies;
        }
    }
}

static enum ky_status copy_groups(struct graft *g, struct ky_error *error)
{
    struct ky_octree *to = g->to;
    const struct ky_octree *tree = g->tree;
    KY_TRY(ky_octree_reserve(&to->group, &to->scratch->groups, tree->groups, sizeof *to->group,
                             "groups of bodies", error));
    KY_TRY(ky_octree_reserve(&to->share, &to->scratch->shares, tree->shares + 1, sizeof *to->share,
                             "shares of groups", error));
    for (size_t k = 0; k < tree->groups; k++)
        to->group[k] = (struct ky_group){tree->group[k].body + (uint32_t)g->place[g->own],
                                         tree->group[k].bodies};
    to->share[0] = 0;
    if (tree->shares)
        memcpy(to->share, tree->share, (tree->shares + 1) * sizeof *to->share);
    to->groups = tree->groups;
    to->shares = tree->shares;
    return KY_OK;
}

/* Notes where the roots of all parts are. */
static enum ky_status note_roots(struct graft *g, struct ky_error *error)
{
    struct ky_octree *to = g->to;
    const enum ky_status status =
        ky_octree_reserve(&to->grafted_root, &to->scratch->grafted_roots, g->roots,
                          sizeof *to->grafted_root, "roots of all parts", error);
    to->part = g->own;
    for (size_t at = 0; at < to->nodes && !status; at++) {
        const struct node *node = &g->node[at];
        if (node->part == TOP || node->cell >= g->first[node->part + 1] - g->first[node->part])
            continue;
        to->grafted_root[to->grafted_roots++] = (struct ky_grafted_root){
            (uint32_t)at, node->part, node->cell, g->root[g->first[node->part] + node->cell].least};
    }
    return status;
}

/* ---- the whole ---- */

/* Numbers of roots and places of bodies of all parts. */
static enum ky_status number_parts(struct graft *g, const size_t *roots, struct ky_error *error)
{
    g->first[0] = g->place[0] = 0;
    for (size_t q = 0; q < g->parts; q++) {
        const struct ky_octree_parcel *from = &g->parcel[q];
        if (q != g->own && from->roots != roots[q])
            return ky_fail(error, KY_BAD_DATA, "part %zu has sent %zu of its %zu roots", q,
                           from->roots, roots[q]);
        if (q != g->own && from->n && g->tree->number && !from->number)
            return ky_fail(error, KY_BAD_DATA, "part %zu has sent no numbers of bodies", q);
        for (size_t r = 0; r < roots[q]; r++)
            g->part[g->first[q] + r] = (uint32_t)q;
        g->first[q + 1] = g->first[q] + roots[q];
        g->place[q + 1] = g->place[q] + count_bodies(g, q);
    }
    for (size_t k = 0; k + 1 < g->roots; k++)
        if (g->root[k].last >= g->root[k + 1].first)
            return ky_fail(error, KY_BAD_DATA, "roots %zu and %zu of all parts overlap", k, k + 1);
    return KY_OK;
}

static enum ky_status make(struct graft *g, size_t room, struct ky_error *error)
{
    struct ky_octree *to = g->to;
    const size_t n = g->place[g->parts];
    if (n > INT32_MAX || room >= KY_NO_LINK)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies and %zu cells of all parts are needed in "
                       "one tree: use more ranks",
                       n, room);
    enum ky_status status = ky_octree_reserve_bodies(to, n, 0, g->parameters, error);
    to->n = n;
    to->nodes = room;
    if (!status)
        status = ky_octree_reserve_cells(to, g->parameters->multipole, error);
    if (status)
        return status;
    to->roots = 1;
    to->opening = ky_octree_opening(g->parameters);
    memcpy(to->origin, g->tree->origin, sizeof to->origin);
    to->scratch->digit = g->tree->scratch->digit;
    to->scratch->parted = 0;
    memset(to->depth, KY_OFF_FRAME, room);
    status = lay_cells(g, room, error);
    if (status)
        return status;
    struct ky_octree_sums sums;
    sum_top(g, 0, &sums);
    if (g->tree->number && !(to->number = ky_allocate(n, sizeof *to->number)))
        return ky_no_memory(error, "numbers of bodies", n, sizeof *to->number);
    copy_bodies(g);
    if (to->number)
        count_present(to);
    status = note_roots(g, error);
    return status ? status : copy_groups(g, error);
}

enum ky_status ky_octree_graft(struct ky_octree *to, const struct ky_octree *tree,
                               const struct ky_octree_all *all,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    const size_t parts = all->parts, *roots = all->roots;
    struct ky_octree none = {.scratch = tree->scratch};
    memcpy(none.origin, tree->origin, sizeof none.origin);
    struct graft g = {.to = to,
                      .tree = all->own < parts ? tree : &none,
                      .own = all->own,
                      .parts = parts,
                      .parcel = all->parcel,
                      .root = all->root,
                      .parameters = parameters};
    size_t room = 0;
    for (size_t q = 0; q < parts; q++) {
        g.roots += roots[q];
        room += count_cells(&g, q);
    }
    ky_octree_empty(to);
    if (g.roots == 0)
        return KY_OK;
    room += g.roots; /* fewer cells are above the roots */
    g.part = ky_allocate(g.roots, sizeof *g.part);
    g.first = ky_allocate(2 * (parts + 1), sizeof *g.first);
    g.place = g.first ? g.first + parts + 1 : NULL;
    g.node = ky_allocate(room + 8, sizeof *g.node);
    g.begin = ky_allocate(room + 8, sizeof *g.begin);
    enum ky_status status = g.part && g.first && g.node && g.begin
                                ? number_parts(&g, roots, error)
                                : ky_no_memory(error, "cells of all parts", room, sizeof *g.node);
    if (!status)
        status = make(&g, room, error);
    if (status)
        ky_octree_empty(to);
    free(g.part);
    free(g.first);
    free(g.node);
    free(g.begin);
    return status;
}
