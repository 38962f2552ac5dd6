/* The roots of all parts, and the cells above them. Each card computes the same cells and stores
 * them behind its own, followed by a leaf `missing` that stands for cells that are not on this
 * card. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/ranks/exchange.h"
#include "engine/device/ranks/places.h"

static struct ky_device_bodies *bodies_of(const struct ky_exchange *exchange)
{
    return &exchange->state->bodies;
}

static size_t moments_of(const struct ky_exchange *exchange)
{
    return KY_MOMENTS(exchange->parameters->multipole);
}

void ky_ranks_release_above(struct ky_exchange *exchange)
{
    struct ky_ranks_above *above = &exchange->above;
    free(above->first);
    free(above->root);
    free(above->cell);
    free(above->moment);
    ky_top_release(&above->top);
}

/* ---- roots ---- */

/* Bytes that a card sends for a root: its data and moments. */
static size_t told_bytes(const struct ky_exchange *exchange)
{
    return sizeof(struct ky_part_cell) + moments_of(exchange) * sizeof(float);
}

enum ky_status ky_ranks_tell_roots(struct ky_exchange *exchange, struct ky_error *error)
{
    struct ky_device_ranks *ranks = exchange->state->ranks;
    const struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_pinned *pinned = &ranks->pinned[KY_PIN_ROOTS];
    const size_t bytes = tree->part.roots * told_bytes(exchange);
    const struct ky_listed_sinks sinks = ky_ranks_sinks(exchange);
    uint32_t roots = (uint32_t)tree->part.roots, moments = (uint32_t)moments_of(exchange),
             bodies = (uint32_t)bodies_of(exchange)->live;
    KY_TRY(ky_ranks_need(card, &ranks->told, "roots", bytes, error));
    KY_TRY(ky_ranks_pin(card, pinned, "roots", bytes, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_graft_tell, roots,
                          KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(tree->part.cell),
                                       KY_BUFFER(ranks->told), KY_VALUE(roots), KY_VALUE(moments)),
                          error));
    if (exchange->expands && exchange->by_alpha)
        KY_TRY(
            ky_launch_teams(card, KY_KERNEL_ky_graft_most, ky_groups(bodies, KY_PART_TEAM_BODIES),
                            KY_ARGUMENTS(KY_BUFFER(ranks->told), KY_BUFFER(tree->factor),
                                         KY_BUFFER(*sinks.list), KY_VALUE(roots), KY_VALUE(bodies),
                                         KY_VALUE(sinks.listed), KY_VALUE(sinks.flags)),
                            error));
    return card->driver->read_later(card, &ranks->told, 0, pinned->data, bytes, error);
}

enum ky_status ky_ranks_count_roots(struct ky_exchange *exchange, struct ky_error *error)
{
    const size_t own = bodies_of(exchange)->live > 0 ? exchange->tree->part.roots : 0;
    return ky_shared_gather(exchange->shared, &own, sizeof own, exchange->roots, error);
}

/* The offsets of the roots' data in a rank's message. */
struct told {
    char *root, *cell, *moment;
};
static struct told places_of(char *at, size_t roots)
{
    char *cell = at + roots * sizeof(struct ky_part_root);
    return (struct told){at, cell, cell + roots * sizeof(struct ky_part_cell)};
}

static enum ky_status allocate_roots(struct ky_ranks_above *above, size_t roots, size_t moments,
                                     struct ky_error *error)
{
    above->root = ky_allocate(roots, sizeof *above->root);
    above->cell = ky_allocate(roots, sizeof *above->cell);
    above->moment = ky_allocate(roots * moments, sizeof *above->moment);
    return above->root && above->cell && above->moment
               ? KY_OK
               : ky_no_memory(error, "roots of all ranks", roots, sizeof *above->cell);
}

/* Reads the roots of a rank from its message. */
static void take_roots(struct ky_exchange *exchange, size_t r, char *at)
{
    struct ky_ranks_above *above = &exchange->above;
    const size_t first = above->first[r], roots = exchange->roots[r],
                 moments = moments_of(exchange);
    const struct told told = places_of(at, roots);
    if (roots == 0)
        return;
    memcpy(above->root + first, told.root, roots * sizeof *above->root);
    memcpy(above->cell + first, told.cell, roots * sizeof *above->cell);
    memcpy(above->moment + first * moments, told.moment, roots * moments * sizeof *above->moment);
}

static enum ky_status gather_roots(struct ky_exchange *exchange, struct ky_error *error)
{
    const struct ky_shared *shared = exchange->shared;
    struct ky_ranks_above *above = &exchange->above;
    const size_t size = shared->ranks, own = exchange->roots[shared->rank],
                 each = sizeof(struct ky_part_root) + told_bytes(exchange);
    for (size_t r = 0; r < size; r++)
        above->first[r + 1] = above->first[r] + exchange->roots[r];
    const size_t roots = above->first[size];
    size_t *bytes = ky_allocate(size, sizeof *bytes);
    char *mine = ky_allocate(own, each), *all = ky_allocate(roots, each);
    enum ky_status status = bytes && mine && all
                                ? allocate_roots(above, roots, moments_of(exchange), error)
                                : ky_no_memory(error, "roots of all ranks", roots, each);
    if (!status && own > 0) {
        const struct told told = places_of(mine, own);
        memcpy(told.root, exchange->tree->part.known, own * sizeof(struct ky_part_root));
        memcpy(told.cell, exchange->state->ranks->pinned[KY_PIN_ROOTS].data,
               own * told_bytes(exchange));
    }
    for (size_t r = 0; r < size && !status; r++)
        bytes[r] = exchange->roots[r] * each;
    if (!status)
        status = shared->gather(shared->context, mine, bytes, all, error);
    for (size_t r = 0; r < size && !status; r++)
        take_roots(exchange, r, all + above->first[r] * each);
    free(bytes);
    free(mine);
    free(all);
    return status;
}

/* ---- cells above them ---- */

/* Links with which these cells are summed: roots act as bodies. */
static struct ky_cell_link summing_link(const struct ky_ranks_above *above,
                                        const struct ky_top_node *node)
{
    const uint32_t more = node->roots > 1 ? (uint32_t)above->start + node->child : KY_NO_LINK;
    return (struct ky_cell_link){KY_NO_LINK, more, node->first, node->roots};
}

/* Links for walks. A cell has the bodies of part `own` that are below it; `next` is its number of
 * bodies over all parts. */
static struct ky_cell_link walking_link(const struct ky_ranks_above *above, size_t own,
                                        const struct ky_top_node *node)
{
    const size_t begin = above->first[own], end = above->first[own + 1],
                 low = node->first > begin ? node->first : begin,
                 last = node->first + node->roots < end ? node->first + node->roots : end;
    struct ky_cell_link link = {0, (uint32_t)above->missing, KY_PART_ELSEWHERE, 2};
    for (size_t k = node->first; k < node->first + node->roots; k++)
        link.next += above->root[k].bodies;
    if (node->roots == 1)
        link.bodies = above->root[node->first].bodies;
    else
        link.more = (uint32_t)above->start + node->child;
    if (low < last) {
        link.body = above->root[low].body;
        link.bodies = above->root[last - 1].body + above->root[last - 1].bodies - link.body;
    }
    if (low < last && node->roots == 1)
        link.more = above->cell[low].link.more;
    return link;
}

/* The columns of these cells and of `missing`, the links of walks, and the indices of the roots
 * among them, in pinned memory. */
struct columns {
    struct ky_cell_centre *centre;
    struct ky_low *low;
    struct ky_cell_link *link;
    float *moment;
    struct ky_cell_box *box;
    unsigned char *children;
    struct ky_cell_link *walking;
    uint32_t *to;
};

/* Places them from `at` on, for `cells` cells and `roots` roots; returns the total bytes. */
static size_t place_columns(struct columns *columns, char *at, size_t cells, size_t roots,
                            size_t moments)
{
    enum { ALIGN = 16 };
    size_t bytes = 0;
#define PLACE(name, type, count)                                                                   \
    columns->name = (type *)(void *)(at + bytes);                                                  \
    bytes += ((count) * sizeof(type) + ALIGN - 1) / ALIGN * ALIGN;
#define PLACE_COLUMN(p, type, name, count, what) PLACE(name, type, cells *(count))
    KY_CELL_COLUMNS(PLACE_COLUMN, )
    PLACE(walking, struct ky_cell_link, cells)
    PLACE(to, uint32_t, roots)
    return bytes;
}

/* Fills in the roots and the leaf `missing`. */
static void fill_columns(const struct ky_exchange *exchange, struct columns *columns)
{
    const struct ky_ranks_above *above = &exchange->above;
    const size_t last = above->top.nodes, own = exchange->shared->rank,
                 moments = moments_of(exchange);
    for (size_t k = 0; k < last; k++) {
        const struct ky_top_node *node = &above->top.node[k];
        columns->link[k] = summing_link(above, node);
        columns->walking[k] = walking_link(above, own, node);
        if (node->roots > 1)
            continue;
        const struct ky_part_cell *cell = &above->cell[node->first];
        const int is_own = node->first >= above->first[own] && node->first < above->first[own + 1];
        columns->centre[k] = cell->centre;
        columns->low[k] = cell->low;
        columns->box[k] = cell->box;
        columns->children[k] = is_own ? (unsigned char)cell->children : 1;
        columns->to[node->first] = (uint32_t)(above->start + k);
        memcpy(columns->moment + k * moments, above->moment + node->first * moments,
               moments * sizeof *above->moment);
    }
    columns->link[last] = columns->walking[last] =
        (struct ky_cell_link){1, KY_NO_LINK, (uint32_t)bodies_of(exchange)->live, 1};
    if (!exchange->expands)
        return;
    /* `missing` has mass, so that it is not skipped, but is too large to be accepted */
    columns->moment[last * moments + KY_MOMENT_MASS] = 1;
    for (int c = 0; c < 3; c++)
        columns->box[last].below[c] = columns->box[last].above[c] = (float)INFINITY;
}

static enum ky_status send_columns(const struct ky_exchange *exchange,
                                   const struct columns *columns, struct ky_error *error)
{
    const struct ky_ranks_above *above = &exchange->above;
    const size_t cells = above->top.nodes + 1, moments = moments_of(exchange),
                 roots = above->first[exchange->shared->ranks] * sizeof *columns->to;
    struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_buffer *to = &exchange->state->ranks->to;
    enum ky_status status = ky_ranks_need(card, to, "places of roots", roots, error);
    if (!status)
        status = card->driver->write_later(card, to, 0, columns->to, roots, error);
#define SEND(p, type, name, count, what)                                                           \
    if (!status)                                                                                   \
        status = card->driver->write_later(card, &tree->column.name,                               \
                                           above->start * sizeof(type) * (count), columns->name,   \
                                           cells * sizeof(type) * (count), error);
    KY_CELL_COLUMNS(SEND, )
    return status;
}

/* Sums them, the lowest level first, and then links them for walks. */
static enum ky_status sum(const struct ky_exchange *exchange, const struct columns *columns,
                          struct ky_error *error)
{
    const struct ky_ranks_above *above = &exchange->above;
    const struct ky_device_bodies *bodies = bodies_of(exchange);
    struct ky_device_tree *tree = exchange->tree;
    for (size_t level = above->top.levels; level-- > 0;) {
        const struct ky_cell_range range = {(uint32_t)above->start + above->top.level[level],
                                            (uint32_t)above->start + above->top.level[level + 1],
                                            (uint32_t)above->missing};
        KY_TRY(ky_device_tree_join(tree, bodies, exchange->parameters, &range, error));
    }
    return bodies->card->driver->write_later(
        bodies->card, &tree->column.link, above->start * sizeof *columns->walking, columns->walking,
        (above->top.nodes + 1) * sizeof *columns->walking, error);
}

/* Allocates memory behind the part's own cells, and pinned memory. Earlier sends from it are
 * complete: the host has read counts of boxes since. */
static enum ky_status make_room(struct ky_exchange *exchange, struct columns *columns,
                                struct ky_error *error)
{
    struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    const struct ky_ranks_above *above = &exchange->above;
    const size_t cells = above->missing + 1, own = cells - above->start,
                 roots = above->first[exchange->shared->ranks], moments = moments_of(exchange),
                 bytes = place_columns(columns, NULL, own, roots, moments);
    struct ky_pinned *pinned = &exchange->state->ranks->pinned[KY_PIN_ABOVE];
    if (cells > INT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED, "%zu cells are needed in one tree: use more ranks",
                       cells);
    if (!ky_cell_columns_hold(&tree->column, cells, moments))
        KY_TRY(ky_cell_columns_extend(card, &tree->column, above->start, cells + cells / 8, moments,
                                      error));
    KY_TRY(ky_ranks_pin(card, pinned, "cells above all parts", bytes, error));
    memset(pinned->data, 0, bytes);
    place_columns(columns, pinned->data, own, roots, moments);
    return KY_OK;
}

enum ky_status ky_ranks_make_above(struct ky_exchange *exchange, struct ky_error *error)
{
    struct ky_ranks_above *above = &exchange->above;
    struct columns columns;
    enum ky_status status = gather_roots(exchange, error);
    if (status || exchange->sinks == 0)
        return status;
    status = ky_top_make(&above->top, above->root, above->first[exchange->shared->ranks], error);
    above->start = exchange->tree->cells;
    above->missing = above->start + above->top.nodes;
    if (!status)
        status = make_room(exchange, &columns, error);
    if (!status) {
        fill_columns(exchange, &columns);
        status = send_columns(exchange, &columns, error);
    }
    return status ? status : sum(exchange, &columns, error);
}
