/* The sink cells of a rank if cells act on cells: the cells of its own tree, and above its roots
 * the cells that contain its bodies, which are sinks on other ranks too. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/kernels/forces/expand.h"
#include "engine/device/ranks/exchange.h"

static struct ky_device_bodies *bodies_of(const struct ky_exchange *exchange)
{
    return &exchange->state->bodies;
}

/* ---- cells above the roots, and roots ---- */

/* The host's data of the top cells. */
struct knowing {
    const struct ky_exchange *exchange;
    uint64_t *bodies;   /* [nodes] number of bodies of all parts */
    float *most;        /* [nodes] their largest opening factor */
    size_t *parent;     /* [nodes]; its own index for the root */
    uint64_t *place;    /* of the cells in cuts: struct ky_cut_cells */
    float *shared_most; /* of the cells with bodies on several ranks */
    size_t places, shared;
};

/* Sums from children to parents; children follow their parents. */
static void sum_up(const struct knowing *of)
{
    const struct ky_ranks_above *above = &of->exchange->above;
    for (size_t k = 0; k < above->top.nodes; k++) {
        const struct ky_top_node *node = &above->top.node[k];
        of->bodies[k] = 0;
        of->most[k] = 0;
        for (size_t r = node->first; r < (size_t)node->first + node->roots; r++) {
            of->bodies[k] += above->root[r].bodies;
            of->most[k] = above->cell[r].most > of->most[k] ? above->cell[r].most : of->most[k];
        }
    }
    of->parent[0] = 0;
    for (size_t k = 0; k < above->top.nodes; k++) {
        const struct ky_top_node *node = &above->top.node[k];
        const size_t end = (size_t)node->first + node->roots;
        if (node->roots == 1)
            continue;
        size_t child = node->child;
        for (size_t r = node->first; r < end; r += above->top.node[child++].roots)
            of->parent[child] = k;
    }
}

/* 1 if cell k of the top is in the cut whose cells have at most this many bodies. */
static int is_in_cut(const struct knowing *of, size_t k, size_t most)
{
    const struct ky_ranks_above *above = &of->exchange->above;
    const struct ky_top_node *node = &above->top.node[k];
    const int is_leaf = node->roots == 1 && above->cell[node->first].link.more == KY_NO_LINK;
    return (is_leaf || of->bodies[k] <= most) && (k == 0 || of->bodies[of->parent[k]] > most);
}

/* Records the cells of cut k that are above this rank's roots, and the roots. */
static void note_cut(struct knowing *of, size_t k)
{
    const struct ky_exchange *exchange = of->exchange;
    const struct ky_ranks_above *above = &exchange->above;
    struct ky_device_tree *tree = exchange->tree;
    const size_t begin = above->first[exchange->shared->rank],
                 end = above->first[exchange->shared->rank + 1],
                 most = ky_device_tree_cut_bodies(tree, bodies_of(exchange)->card,
                                                  exchange->parameters, k),
                 before = of->shared, from = k * above->missing;
    for (size_t c = 0; c < above->top.nodes; c++) {
        const struct ky_top_node *node = &above->top.node[c];
        if (node->first >= end || (size_t)node->first + node->roots <= begin ||
            !is_in_cut(of, c, most))
            continue;
        if (node->roots == 1) {
            of->place[of->places++] = from + tree->part.known[node->first - begin].cell;
            continue;
        }
        of->place[of->places++] = from + above->start + c;
        of->shared_most[of->shared++] = of->most[c];
    }
    tree->cuts.shared[k] = (uint32_t)(of->shared - before);
}

/* ---- cuts ---- */

static enum ky_status send_notes(const struct knowing *of, struct ky_error *error)
{
    struct ky_card *card = bodies_of(of->exchange)->card;
    struct ky_buffer *mark = &of->exchange->state->ranks->mark,
                     *most = &of->exchange->tree->cuts.most;
    enum ky_status status = of->places > 0 ? ky_buffer_fill(card, mark, "cells of cuts", of->place,
                                                            of->places, sizeof *of->place, error)
                                           : KY_OK;
    return !status && of->shared > 0
               ? ky_buffer_fill(card, most, "factors of cells above all parts", of->shared_most,
                                of->shared, sizeof *of->shared_most, error)
               : status;
}

static enum ky_status place_cuts(const struct knowing *of, struct ky_error *error)
{
    const struct ky_exchange *exchange = of->exchange;
    struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    const struct ky_cut_cells cells = {.cells = exchange->above.missing,
                                       .marks = of->places,
                                       .mark = &exchange->state->ranks->mark,
                                       .sinks = ky_ranks_sinks(exchange)};
    KY_TRY(
        ky_device_tree_place_cuts(tree, bodies_of(exchange), exchange->parameters, &cells, error));
    return card->driver->read(card, &tree->cut_first, 0, tree->cuts.first,
                              (tree->cuts.count + 1) * sizeof *tree->cuts.first, error);
}

enum ky_status ky_ranks_make_cuts(struct ky_exchange *exchange, struct ky_error *error)
{
    struct ky_device_tree *tree = exchange->tree;
    const size_t nodes = exchange->above.top.nodes, most = tree->cuts.count * nodes;
    struct knowing of = {.exchange = exchange,
                         .bodies = ky_allocate(nodes, sizeof *of.bodies),
                         .most = ky_allocate(nodes, sizeof *of.most),
                         .parent = ky_allocate(nodes, sizeof *of.parent),
                         .place = ky_allocate(most, sizeof *of.place),
                         .shared_most = ky_allocate(most, sizeof *of.shared_most)};
    enum ky_status status =
        of.bodies && of.most && of.parent && of.place && of.shared_most
            ? KY_OK
            : ky_no_memory(error, "cells above all parts", most, sizeof *of.place);
    if (!status) {
        sum_up(&of);
        for (size_t k = 0; k < tree->cuts.count; k++)
            note_cut(&of, k);
        status = send_notes(&of, error);
    }
    if (!status)
        status = place_cuts(&of, error);
    if (!status)
        exchange->cells = tree->cuts.first[tree->cuts.count];
    free(of.bodies);
    free(of.most);
    free(of.parent);
    free(of.place);
    free(of.shared_most);
    return status;
}

/* ---- their boxes ---- */

/* The boxes of cut k. `shared`: number of cells in earlier cuts with bodies on several ranks. */
static enum ky_status box_cut(const struct ky_exchange *exchange, size_t k, size_t shared_before,
                              struct ky_error *error)
{
    const struct ky_device_tree *tree = exchange->tree;
    struct ky_card *card = bodies_of(exchange)->card;
    struct ky_buffer *box = &exchange->state->ranks->offered[KY_OFFER_BOXES];
    const size_t most = ky_device_tree_cut_bodies(tree, card, exchange->parameters, k);
    const struct ky_listed_sinks sinks = ky_ranks_sinks(exchange);
    uint32_t first = tree->cuts.first[k], count = tree->cuts.first[k + 1] - first,
             at = (uint32_t)exchange->boxes, shared = tree->cuts.shared[k],
             parts = (uint32_t)ky_groups(most, KY_PART_TEAM_BODIES),
             flags = sinks.flags | (exchange->by_alpha ? KY_FLAG_FACTORS : 0U),
             stride = KY_PART_BOX_WORDS, from = (uint32_t)shared_before,
             word = (at + first + count - shared) * stride + KY_PART_BOX_FACTOR;
    float by = k + 1 < tree->cuts.count ? 1 / KY_EXPAND_PART_OF_ALPHA : 1;
    if (shared > 0)
        KY_TRY(ky_launch_over(card, KY_KERNEL_ky_cuts_most, shared,
                              KY_ARGUMENTS(KY_BUFFER(tree->cuts.most), KY_BUFFER(*box),
                                           KY_VALUE(word), KY_VALUE(stride), KY_VALUE(from),
                                           KY_VALUE(shared), KY_VALUE(by)),
                              error));
    return ky_launch_teams(card, KY_KERNEL_ky_part_cells, (size_t)count * parts,
                           KY_ARGUMENTS(KY_CELLS(tree->column) KY_BUFFER(tree->cut),
                                        KY_BUFFER(tree->factor), KY_BUFFER(*sinks.list),
                                        KY_BUFFER(*box), KY_VALUE(at), KY_VALUE(first),
                                        KY_VALUE(count), KY_VALUE(parts), KY_VALUE(sinks.listed),
                                        KY_VALUE(flags), KY_VALUE(by)),
                           error);
}

enum ky_status ky_ranks_box_cuts(const struct ky_exchange *exchange, struct ky_error *error)
{
    const struct ky_cuts *cuts = &exchange->tree->cuts;
    size_t shared = 0;
    for (size_t k = 0; k < cuts->count; shared += cuts->shared[k++])
        KY_TRY(box_cut(exchange, k, shared, error));
    return KY_OK;
}
