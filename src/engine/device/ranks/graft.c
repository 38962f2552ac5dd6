/* Roots of all parts, parcels, and the tree of all: kernels/ranks/graft.k from the host's side.
 *
 * The cells of the tree: those of the part itself; then the top, and the leaf `missing`; then those
 * of the parcels, rank by rank. The bodies that came take the places behind the part's own; the
 * last of them is that of `missing`. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/device/ranks/meeting.h"
#include "engine/device/ranks/places.h"
#include "engine/device/ranks/top.h"

/* Where a parcel goes. */
struct arrival {
    size_t offset, bytes; /* in ranks->in */
    size_t cells, bodies;
    size_t first_cell, first_body;
};

struct grafting {
    struct ky_ranks_meeting *meeting;
    struct ky_device_bodies *bodies;
    struct ky_device_tree *tree;
    struct ky_card *card;
    size_t ranks, own, moments;
    struct ky_part_root *root; /* of all parts */
    struct ky_part_cell *cell;
    float *moment;           /* [roots][moments] */
    size_t *first;           /* [ranks + 1] the first root of each part */
    struct arrival *arrival; /* [ranks] */
    struct ky_top top;
    size_t start, missing; /* the root of the tree, and the leaf */
    size_t cells, places;  /* all */
};

static void release(struct grafting *g)
{
    free(g->root);
    free(g->cell);
    free(g->moment);
    free(g->first);
    free(g->arrival);
    ky_top_release(&g->top);
}

/* ---- roots ---- */

/* Reads the numbers of the part's roots, which it tells the others. */
static enum ky_status read_roots(const struct grafting *g, struct ky_part_cell *cell, float *moment,
                                 struct ky_error *error)
{
    struct ky_device_ranks *ranks = g->meeting->state->ranks;
    struct ky_card *card = g->card;
    uint32_t roots = (uint32_t)g->tree->part.roots, moments = (uint32_t)g->moments;
    enum ky_status status = ky_buffer_need(card, &ranks->told, "roots", roots, sizeof *cell, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &ranks->told_moment, "moments of roots",
                                (size_t)roots * moments, sizeof *moment, error);
    if (status == KY_OK)
        status =
            ky_launch_over(card, KY_KERNEL_ky_graft_tell, roots,
                           KY_ARGUMENTS(KY_CELLS(g->tree->column) KY_BUFFER(g->tree->part.cell),
                                        KY_BUFFER(ranks->told), KY_BUFFER(ranks->told_moment),
                                        KY_VALUE(roots), KY_VALUE(moments)),
                           error);
    if (status == KY_OK)
        status = card->driver->read(card, &ranks->told, 0, cell, roots * sizeof *cell, error);
    return status == KY_OK ? card->driver->read(card, &ranks->told_moment, 0, moment,
                                                (size_t)roots * moments * sizeof *moment, error)
                           : status;
}

/* Gathers an array with `size` bytes for each root. */
static enum ky_status gather_array(const struct grafting *g, const void *own, size_t size,
                                   void **all, struct ky_error *error)
{
    const struct ky_shared *shared = g->meeting->shared;
    size_t *bytes = ky_allocate(g->ranks, sizeof *bytes);
    *all = ky_allocate(g->first[g->ranks], size);
    enum ky_status status =
        bytes && *all ? KY_OK : ky_no_memory(error, "roots of all ranks", g->first[g->ranks], size);
    for (size_t r = 0; r < g->ranks && status == KY_OK; r++)
        bytes[r] = g->meeting->roots[r] * size;
    if (status == KY_OK)
        status = shared->gather(shared->context, own, bytes, *all, error);
    free(bytes);
    return status;
}

static enum ky_status gather_roots(struct grafting *g, struct ky_error *error)
{
    const size_t roots = g->bodies->live > 0 ? g->tree->part.roots : 0;
    struct ky_part_cell *cell = ky_allocate(roots, sizeof *cell);
    float *moment = ky_allocate(roots * g->moments, sizeof *moment);
    void *all[3] = {NULL};
    enum ky_status status =
        cell && moment ? KY_OK : ky_no_memory(error, "roots", roots, sizeof *cell);
    if (status == KY_OK && roots > 0)
        status = read_roots(g, cell, moment, error);
    if (status == KY_OK)
        status =
            ky_ranks_gather(g->meeting->shared, &roots, sizeof roots, g->meeting->roots, error);
    g->first[0] = 0;
    for (size_t r = 0; r < g->ranks; r++)
        g->first[r + 1] = g->first[r] + (status ? 0 : g->meeting->roots[r]);
    if (status == KY_OK)
        status = gather_array(g, g->tree->part.known, sizeof *g->root, &all[0], error);
    if (status == KY_OK)
        status = gather_array(g, cell, sizeof *cell, &all[1], error);
    if (status == KY_OK)
        status = gather_array(g, moment, g->moments * sizeof *moment, &all[2], error);
    g->root = all[0];
    g->cell = all[1];
    g->moment = all[2];
    free(cell);
    free(moment);
    return status;
}

/* ---- parcels ---- */

/* Bytes of the parcel of rank `from` for rank `to`. */
static size_t parcel_bytes(const struct grafting *g, size_t from, size_t to)
{
    const uint64_t *its = g->meeting->given + 2 * (from * g->ranks + to);
    return its[0] > 0 ? ky_part_parcel(g->meeting->roots[from], its[0], its[1], g->moments).bytes
                      : 0;
}

/* What each rank has for this one. */
static void place_arrivals(struct grafting *g)
{
    size_t offset = 0;
    g->start = g->tree->cells;
    g->missing = g->start + g->top.nodes;
    g->cells = g->missing + 1;
    g->places = g->bodies->live;
    for (size_t r = 0; r < g->ranks; r++) {
        const uint64_t *its = g->meeting->given + 2 * (r * g->ranks + g->own);
        struct arrival *a = &g->arrival[r];
        *a = (struct arrival){offset,   parcel_bytes(g, r, g->own), its[0], its[1], g->cells,
                              g->places};
        offset += a->bytes;
        g->cells += a->cells;
        g->places += a->bodies;
    }
    g->places++;
}

/* Where it begins among all of that rank's. */
static size_t parcel_place(const struct grafting *g, size_t from, size_t to)
{
    size_t place = 0;
    for (size_t r = 0; r < to; r++)
        place += parcel_bytes(g, from, r);
    return place;
}

static enum ky_status trade(struct grafting *g, char *out, char *in, struct ky_error *error)
{
    const struct ky_shared *shared = g->meeting->shared;
    size_t *bytes = ky_allocate_zeroed(2 * g->ranks, sizeof *bytes);
    void **at = ky_allocate_zeroed(2 * g->ranks, sizeof *at);
    enum ky_status status =
        bytes && at ? KY_OK : ky_no_memory(error, "the ranks", 2 * g->ranks, sizeof *at);
    for (size_t r = 0; r < g->ranks && status == KY_OK; r++) {
        bytes[r] = parcel_bytes(g, g->own, r);
        at[r] = out + parcel_place(g, g->own, r);
        bytes[g->ranks + r] = g->arrival[r].bytes;
        at[g->ranks + r] = in + g->arrival[r].offset;
    }
    if (status == KY_OK)
        status = shared->trade(shared->context, at, bytes, at + g->ranks, bytes + g->ranks, error);
    free(bytes);
    free(at);
    return status;
}

/* By way of the host, in memory that the card reads and writes by itself. */
static enum ky_status trade_parcels(struct grafting *g, size_t come, struct ky_error *error)
{
    struct ky_device_ranks *ranks = g->meeting->state->ranks;
    const struct ky_driver *driver = g->card->driver;
    const size_t go = parcel_place(g, g->own, g->ranks);
    enum ky_status status =
        ky_ranks_pin(g->card, &ranks->pinned[0], "cells for other ranks", go, error);
    if (status == KY_OK)
        status = ky_ranks_pin(g->card, &ranks->pinned[1], "cells of other ranks", come, error);
    if (status == KY_OK && go > 0)
        status = driver->read_later(g->card, &ranks->out, 0, ranks->pinned[0].data, go, error);
    if (status == KY_OK)
        status = driver->wait(g->card, error);
    if (status == KY_OK)
        status = trade(g, ranks->pinned[0].data, ranks->pinned[1].data, error);
    return status == KY_OK && come > 0
               ? driver->write_later(g->card, &ranks->in, 0, ranks->pinned[1].data, come, error)
               : status;
}

/* From card to card. */
static enum ky_status fetch_parcels(struct grafting *g, struct ky_error *error)
{
    struct ky_device_ranks *ranks = g->meeting->state->ranks;
    enum ky_status status = KY_OK;
    for (size_t r = 0; r < g->ranks && status == KY_OK; r++) {
        const struct arrival *a = &g->arrival[r];
        const struct ky_ranks_offer *of = &g->meeting->out[r];
        if (a->bytes > 0)
            status = ky_ranks_fetch(g->meeting->state, of, parcel_place(g, r, g->own),
                                    KY_PLACE(&ranks->in, a->offset), a->bytes, error);
    }
    return status;
}

static enum ky_status bring(struct grafting *g, struct ky_error *error)
{
    size_t come = 0;
    for (size_t r = 0; r < g->ranks; r++)
        come += g->arrival[r].bytes;
    const enum ky_status status =
        ky_ranks_need(g->card, &g->meeting->state->ranks->in, "cells of other ranks", come, error);
    if (status != KY_OK)
        return status;
    return g->meeting->state->ranks->way == KY_WAY_BY_HOST ? trade_parcels(g, come, error)
                                                           : fetch_parcels(g, error);
}

/* ---- the top ---- */

/* Links with which the cells of the top are summed: roots stand for bodies. */
static struct ky_cell_link summing_link(const struct grafting *g, const struct ky_top_node *node)
{
    const uint32_t more = node->roots > 1 ? (uint32_t)g->start + node->child : KY_NO_LINK;
    return (struct ky_cell_link){KY_NO_LINK, more, node->first, node->roots};
}

/* Links for walks. A cell of the top has the bodies of this part that are below it. */
static struct ky_cell_link walking_link(const struct grafting *g, const struct ky_top_node *node)
{
    const size_t begin = g->first[g->own], end = g->first[g->own + 1],
                 low = node->first > begin ? node->first : begin,
                 last = node->first + node->roots < end ? node->first + node->roots : end;
    struct ky_cell_link link = {KY_NO_LINK, (uint32_t)g->missing, KY_PART_ELSEWHERE, 2};
    if (node->roots == 1)
        link.bodies = g->root[node->first].bodies;
    else
        link.more = (uint32_t)g->start + node->child;
    if (low < last) {
        link.body = g->root[low].body;
        link.bodies = g->root[last - 1].body + g->root[last - 1].bodies - link.body;
    }
    if (low < last && node->roots == 1)
        link.more = g->cell[low].link.more;
    return link;
}

/* The columns of the top and of `missing`, before they go to the card. */
struct columns {
    struct ky_cell_centre *centre;
    struct ky_low *low;
    struct ky_cell_link *link;
    float *moment;
    struct ky_cell_box *box;
    unsigned char *children;
};

static void free_columns(struct columns *columns)
{
#define FREE(p, type, name, count, what) free(columns->name);
    KY_CELL_COLUMNS(FREE, )
}

static enum ky_status allocate_columns(const struct grafting *g, struct columns *columns,
                                       struct ky_error *error)
{
    const size_t cells = g->top.nodes + 1, moments = g->moments;
    int has_all = 1;
#define ALLOCATE(p, type, name, count, what)                                                       \
    columns->name = ky_allocate_zeroed(cells * (count), sizeof(type));                             \
    has_all &= columns->name != NULL;
    KY_CELL_COLUMNS(ALLOCATE, )
    return has_all ? KY_OK : ky_no_memory(error, "cells above all parts", cells, 128);
}

static enum ky_status send_columns(const struct grafting *g, const struct columns *columns,
                                   struct ky_error *error)
{
    const size_t cells = g->top.nodes + 1, moments = g->moments;
    struct ky_card *card = g->card;
    enum ky_status status = KY_OK;
#define SEND(p, type, name, count, what)                                                           \
    if (status == KY_OK)                                                                           \
        status =                                                                                   \
            card->driver->write(card, &g->tree->column.name, g->start * sizeof(type) * (count),    \
                                columns->name, cells * sizeof(type) * (count), error);
    KY_CELL_COLUMNS(SEND, )
    return status;
}

/* The roots, and the leaf `missing`, as they are. */
static void fill_columns(const struct grafting *g, struct columns *columns)
{
    const size_t last = g->top.nodes;
    for (size_t k = 0; k < last; k++) {
        const struct ky_top_node *node = &g->top.node[k];
        columns->link[k] = summing_link(g, node);
        if (node->roots > 1)
            continue;
        const struct ky_part_cell *cell = &g->cell[node->first];
        const int is_own = node->first >= g->first[g->own] && node->first < g->first[g->own + 1];
        columns->centre[k] = cell->centre;
        columns->low[k] = cell->low;
        columns->box[k] = cell->box;
        columns->children[k] = is_own ? (unsigned char)cell->children : 1;
        memcpy(columns->moment + k * g->moments, g->moment + node->first * g->moments,
               g->moments * sizeof *g->moment);
    }
    columns->link[last] = (struct ky_cell_link){KY_NO_LINK, KY_NO_LINK, (uint32_t)g->places - 1, 1};
}

/* Sums the cells of the top, the lowest level first, and then links it for walks. */
static enum ky_status sum_top(const struct grafting *g, struct columns *columns,
                              struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t level = g->top.levels; level-- > 0 && status == KY_OK;) {
        const struct ky_cell_range range = {(uint32_t)g->start + g->top.level[level],
                                            (uint32_t)g->start + g->top.level[level + 1],
                                            (uint32_t)g->missing};
        status = ky_device_tree_join(g->tree, g->bodies, g->meeting->parameters, &range, error);
    }
    for (size_t k = 0; k < g->top.nodes; k++)
        columns->link[k] = walking_link(g, &g->top.node[k]);
    return status == KY_OK
               ? g->card->driver->write(g->card, &g->tree->column.link,
                                        g->start * sizeof *columns->link, columns->link,
                                        (g->top.nodes + 1) * sizeof *columns->link, error)
               : status;
}

static enum ky_status make_top(const struct grafting *g, struct ky_error *error)
{
    struct columns columns = {.centre = NULL};
    enum ky_status status = allocate_columns(g, &columns, error);
    if (status == KY_OK) {
        fill_columns(g, &columns);
        status = send_columns(g, &columns, error);
    }
    if (status == KY_OK)
        status = sum_top(g, &columns, error);
    free_columns(&columns);
    return status;
}

/* ---- cells and bodies that came ---- */

/* Where the roots of a part stand in the top. */
static enum ky_status send_places_of_roots(const struct grafting *g, size_t r,
                                           struct ky_error *error)
{
    const size_t roots = g->meeting->roots[r];
    uint32_t *to = ky_allocate(roots, sizeof *to);
    if (!to)
        return ky_no_memory(error, "roots", roots, sizeof *to);
    for (size_t k = 0; k < g->top.nodes; k++) {
        const struct ky_top_node *node = &g->top.node[k];
        if (node->roots == 1 && node->first >= g->first[r] && node->first < g->first[r + 1])
            to[node->first - g->first[r]] = (uint32_t)(g->start + k);
    }
    const enum ky_status status = ky_buffer_fill(g->card, &g->meeting->state->ranks->to,
                                                 "places of roots", to, roots, sizeof *to, error);
    free(to);
    return status;
}

static enum ky_status graft_parcel(const struct grafting *g, size_t r, struct ky_error *error)
{
    const struct ky_device_ranks *ranks = g->meeting->state->ranks;
    const struct arrival *a = &g->arrival[r];
    struct ky_card *card = g->card;
    uint64_t offset = a->offset;
    uint32_t roots = (uint32_t)g->meeting->roots[r], cells = (uint32_t)a->cells,
             bodies = (uint32_t)a->bodies, moments = (uint32_t)g->moments,
             first_cell = (uint32_t)a->first_cell, first_body = (uint32_t)a->first_body,
             missing = (uint32_t)g->missing, n = (uint32_t)g->bodies->n;
    enum ky_status status = send_places_of_roots(g, r, error);
    if (status == KY_OK)
        status = ky_launch_over(
            card, KY_KERNEL_ky_graft_cells, cells,
            KY_ARGUMENTS(KY_CELLS(g->tree->column) KY_BUFFER(ranks->in), KY_VALUE(offset),
                         KY_VALUE(roots), KY_VALUE(cells), KY_VALUE(bodies), KY_VALUE(moments),
                         KY_VALUE(first_cell), KY_VALUE(first_body), KY_VALUE(missing)),
            error);
    if (status == KY_OK)
        status = ky_launch_over(card, KY_KERNEL_ky_graft_bodies, bodies,
                                KY_ARGUMENTS(KY_BUFFER(ranks->in), KY_BUFFER(g->bodies->position),
                                             KY_BUFFER(g->bodies->mass), KY_VALUE(offset),
                                             KY_VALUE(roots), KY_VALUE(cells), KY_VALUE(bodies),
                                             KY_VALUE(moments), KY_VALUE(n), KY_VALUE(first_body)),
                                error);
    return status == KY_OK ? ky_launch_over(card, KY_KERNEL_ky_graft_roots, roots,
                                            KY_ARGUMENTS(KY_BUFFER(g->tree->column.link),
                                                         KY_BUFFER(g->tree->column.children),
                                                         KY_BUFFER(ranks->in), KY_BUFFER(ranks->to),
                                                         KY_VALUE(offset), KY_VALUE(roots),
                                                         KY_VALUE(first_cell)),
                                            error)
                           : status;
}

/* Room for all cells and bodies. */
static enum ky_status make_room(const struct grafting *g, struct ky_error *error)
{
    const size_t own = g->tree->cells, cells = g->cells + g->cells / 16,
                 has = g->tree->column.children.bytes;
    enum ky_status status = KY_OK;
    if (g->places > INT32_MAX || g->cells > INT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%zu bodies and %zu cells of all parts are needed in one tree: use more "
                       "ranks",
                       g->places, g->cells);
    if (g->cells > has)
        status = ky_cell_columns_extend(g->card, &g->tree->column, own, cells, g->moments, error);
    return status == KY_OK && g->places > g->bodies->n
               ? ky_places_widen(g->meeting->state, g->places + g->bodies->live / 32, error)
               : status;
}

static enum ky_status graft_all(struct grafting *g, struct ky_error *error)
{
    struct ky_card *card = g->card;
    enum ky_status status = make_room(g, error);
    uint32_t n = (uint32_t)g->bodies->n, last = (uint32_t)g->places - 1;
    if (status == KY_OK)
        status = make_top(g, error);
    for (size_t r = 0; r < g->ranks && status == KY_OK; r++)
        if (g->arrival[r].cells > 0)
            status = graft_parcel(g, r, error);
    if (status == KY_OK)
        status = ky_launch(card, KY_KERNEL_ky_graft_missing, 1,
                           KY_ARGUMENTS(KY_BUFFER(g->bodies->position), KY_BUFFER(g->bodies->mass),
                                        KY_VALUE(n), KY_VALUE(last)),
                           error);
    g->tree->start = (uint32_t)g->start;
    return status;
}

enum ky_status ky_ranks_graft(struct ky_ranks_meeting *meeting, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &meeting->state->part[0];
    struct grafting g = {.meeting = meeting,
                         .bodies = bodies,
                         .tree = meeting->tree,
                         .card = bodies->card,
                         .ranks = meeting->shared->ranks,
                         .own = meeting->shared->rank,
                         .moments = KY_MOMENTS(meeting->parameters->multipole)};
    g.first = ky_allocate(g.ranks + 1, sizeof *g.first);
    g.arrival = ky_allocate(g.ranks, sizeof *g.arrival);
    enum ky_status status = g.first && g.arrival
                                ? gather_roots(&g, error)
                                : ky_no_memory(error, "the ranks", g.ranks, sizeof *g.arrival);
    if (status == KY_OK && bodies->live > 0)
        status = ky_top_make(&g.top, g.root, g.first[g.ranks], error);
    if (status == KY_OK) {
        place_arrivals(&g);
        status = bring(&g, error);
    }
    if (status == KY_OK && bodies->live > 0)
        status = graft_all(&g, error);
    release(&g);
    return status;
}

enum ky_status ky_ranks_meet(struct ky_device_state *state, struct ky_device_tree *tree,
                             const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(state);
    const size_t size = shared->ranks;
    struct ky_ranks_meeting meeting = {.state = state,
                                       .tree = tree,
                                       .parameters = parameters,
                                       .shared = shared,
                                       .box = ky_allocate_zeroed(size, sizeof *meeting.box),
                                       .out = ky_allocate_zeroed(size, sizeof *meeting.out),
                                       .given =
                                           ky_allocate_zeroed(2 * size * size, sizeof(uint64_t)),
                                       .roots = ky_allocate_zeroed(size, sizeof(size_t)),
                                       .place = ky_allocate_zeroed(size, sizeof(size_t))};
    enum ky_status status =
        meeting.box && meeting.out && meeting.given && meeting.roots && meeting.place
            ? ky_ranks_prune(&meeting, error)
            : ky_no_memory(error, "the ranks", size * size, sizeof(uint64_t));
    if (status == KY_OK)
        status = ky_ranks_graft(&meeting, error);
    free(meeting.box);
    free(meeting.out);
    free(meeting.given);
    free(meeting.roots);
    free(meeting.place);
    return status;
}
