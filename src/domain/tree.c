/* The tree of the system: every rank gets the cells and bodies that its own groups need. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "domain/cells.h"
#include "engine/common/relative.h"
#include "octree/opening_kinds.h"
#include "physics/space.h"

enum ky_status ky_domain_add(void *context, uint64_t *number, size_t count, struct ky_error *error)
{
    struct ky_comm *comm = ((struct ky_domain *)context)->comm;
    return comm->verbs->add(comm, number, count, error);
}

/* The exchange of the ranks for one tree. */
struct exchange {
    struct ky_domain *domain;
    size_t size;
    size_t *bytes; /* [ranks] work space for gather_parts */
    size_t *roots; /* [ranks] */
    struct ky_octree_root *root;
    char *closed;  /* the closed roots of all ranks as parcels, one after the other */
    int has_cells; /* cells act on cells: sinks are sent instead of boxes */
    struct ky_domain_cells cells;
    struct ky_octree_box *box; /* of this rank's groups */
    size_t boxes;              /* or sinks */
    /* [ranks] asks: the boxes or sinks that need more of a rank than its roots; then how many go to
     * each rank, and how many come from it */
    void **asks;
    size_t *wanted, *given;
    char *sinks; /* sinks of the ranks that ask for more, one rank after the other */
    struct ky_octree_parcel *out, *in; /* [ranks] */
    size_t *sizes;                     /* [2 × ranks] */
    unsigned char *is_own;             /* [ranks] the data of in[] are a piece of memory */
};

static void free_exchange(struct exchange *m)
{
    for (size_t r = 0; r < m->size; r++) {
        if (m->out)
            free(m->out[r].data);
        if (m->asks)
            free(m->asks[r]);
        if (m->in && m->is_own && m->is_own[r])
            free(m->in[r].data);
    }
    free(m->bytes);
    free(m->roots);
    free(m->root);
    free(m->closed);
    free(m->box);
    ky_domain_free_cells(&m->cells);
    free(m->asks);
    free(m->wanted);
    free(m->given);
    free(m->sinks);
    free(m->out);
    free(m->in);
    free(m->sizes);
    free(m->is_own);
}

static enum ky_status open_exchange(struct exchange *m, struct ky_error *error)
{
    const size_t size = m->size;
    m->bytes = ky_allocate(size, sizeof *m->bytes);
    m->roots = ky_allocate(size, sizeof *m->roots);
    m->asks = ky_allocate_zeroed(size, sizeof *m->asks);
    m->wanted = ky_allocate_zeroed(size, sizeof *m->wanted);
    m->given = ky_allocate(size, sizeof *m->given);
    m->out = ky_allocate_zeroed(size, sizeof *m->out);
    m->in = ky_allocate_zeroed(size, sizeof *m->in);
    m->sizes = ky_allocate(2 * size, sizeof *m->sizes);
    m->is_own = ky_allocate_zeroed(size, 1);
    return m->bytes && m->roots && m->asks && m->wanted && m->given && m->out && m->in &&
                   m->sizes && m->is_own
               ? KY_OK
               : ky_no_memory(error, "the ranks", size, sizeof *m->in);
}

/* Every rank gets counts[r] elements of every rank: `own` of this one. */
static enum ky_status gather_all(struct exchange *m, size_t *counts, size_t count, const void *own,
                                 size_t size, void **all, struct ky_error *error)
{
    struct ky_comm *comm = m->domain->comm;
    size_t sum = 0;
    enum ky_status status = comm->verbs->gather(comm, &count, sizeof count, counts, error);
    for (size_t r = 0; r < m->size && !status; sum += counts[r], r++)
        m->bytes[r] = counts[r] * size;
    *all = status ? NULL : ky_allocate(sum, size);
    if (!status && !*all)
        status = ky_no_memory(error, "cells and boxes of the ranks", sum, size);
    return status ? status : comm->verbs->gather_parts(comm, own, m->bytes, *all, error);
}

/* ---- the rank's own tree ---- */

/* The last key before this rank's, and the first one after them. */
static enum ky_status find_neighbours(struct ky_domain *domain, struct ky_octree_part *part,
                                      struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const uint64_t own[2] = {domain->first, domain->last};
    uint64_t(*all)[2];
    KY_TRY(ky_comm_gather(comm, own, sizeof own, &all, error));
    for (int r = 0; r < comm->size; r++) {
        if (all[r][0] > all[r][1]) /* no bodies */
            continue;
        if (r < comm->rank) {
            part->is_before = 1;
            part->before = all[r][1];
        } else if (r > comm->rank && !part->is_after) {
            part->is_after = 1;
            part->after = all[r][0];
        }
    }
    free(all);
    return KY_OK;
}

static enum ky_status build_own(struct ky_domain *domain, const struct ky_octree_bodies *own,
                                const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_octree_part part = {.system = domain->total, .number = domain->index};
    struct ky_octree_bodies bodies = *own;
    enum ky_status status = find_neighbours(domain, &part, error);
    bodies.edge = domain->edge;
    bodies.has_origin = 1;
    for (int c = 0; c < 3; c++) {
        bodies.low[c] = domain->low[c];
        bodies.origin[c] = domain->origin[c];
    }
    bodies.part = &part;
    return status ? status : ky_octree_build(&domain->tree, &bodies, parameters, error);
}

/* ---- data that other ranks need ---- */

struct sinks {
    const struct ky_shared_tree *wanted;
    const struct ky_octree *tree;
};

static double factor_of(const void *context, uint32_t first, uint32_t bodies)
{
    const struct sinks *sinks = context;
    const struct ky_relative *relative = sinks->wanted->relative;
    return relative ? ky_relative_factor(relative, sinks->tree->order + first, bodies) : 1;
}

static double reach_of(const void *context, uint32_t first, uint32_t bodies)
{
    const struct sinks *sinks = context;
    return sinks->wanted->reach(sinks->wanted->reach_context, sinks->tree, first, bodies);
}

/* The parcel of cells and bodies of the rank's own tree that these boxes, or sinks, may need. */
static enum ky_status prune(const struct exchange *m, const void *sinks, size_t count, int order,
                            struct ky_octree_parcel *parcel, struct ky_error *error)
{
    const struct ky_octree *tree = &m->domain->tree;
    return m->has_cells ? ky_octree_prune_for(tree, m->cells.source, &m->cells.acting, sinks, count,
                                              parcel, error)
                        : ky_octree_prune(tree, sinks, count, order, parcel, error);
}

/* All-gather of the closed roots. */
static enum ky_status gather_closed(struct exchange *m, const struct ky_parameters *parameters,
                                    struct ky_error *error)
{
    const size_t moments = KY_MOMENTS(parameters->multipole);
    struct ky_octree_parcel own;
    void *all = NULL;
    size_t *bytes = ky_allocate(m->size, sizeof *bytes);
    enum ky_status status = bytes ? prune(m, NULL, 0, parameters->multipole, &own, error)
                                  : ky_no_memory(error, "the ranks", m->size, sizeof *bytes);
    if (status) {
        free(bytes);
        return status;
    }
    status = gather_all(m, bytes, own.bytes, own.data, 1, &all, error);
    m->closed = all;
    for (size_t r = 0, at = 0; r < m->size && !status; at += bytes[r], r++)
        if (m->roots[r])
            status = ky_octree_unwrap(m->closed + at, bytes[r], moments, &m->in[r], error);
    free(own.data);
    free(bytes);
    return status;
}

static enum ky_status tell_roots(struct exchange *m, const struct ky_shared_tree *wanted,
                                 struct ky_error *error)
{
    const int have_sinks = m->has_cells && !wanted->points;
    const struct ky_octree *tree = &m->domain->tree;
    void *all = NULL;
    struct ky_octree_root *own;
    KY_TRY(ky_array(&own, tree->roots, sizeof *own, "roots of a tree", error));
    ky_octree_tell_roots(tree, own);
    for (size_t r = 0; r < tree->roots && have_sinks; r++)
        own[r].least = ky_octree_least(tree, m->cells.least, (uint32_t)r);
    const enum ky_status status =
        gather_all(m, m->roots, tree->roots, own, sizeof *own, &all, error);
    m->root = all;
    free(own);
    return status ? status : gather_closed(m, wanted->parameters, error);
}

/* Marks the groups with active bodies. */
static void mark_groups(const struct ky_octree *tree, const unsigned char *is_active,
                        unsigned char *marks)
{
    for (size_t g = 0; g < tree->groups; g++) {
        marks[g] = 0;
        for (uint32_t k = 0; k < tree->group[g].bodies && !marks[g]; k++)
            marks[g] = is_active[tree->order[tree->group[g].body + k]];
    }
}

static struct ky_octree_all all_of(const struct exchange *m)
{
    return (struct ky_octree_all){m->size, (size_t)m->domain->comm->rank, m->in, m->roots, m->root};
}

/* The boxes of marked groups, NULL: all; or these and the cells above them as sinks. */
static enum ky_status box_groups(struct exchange *m, const struct ky_shared_tree *wanted,
                                 const unsigned char *marks, struct ky_error *error)
{
    const struct ky_octree *tree = &m->domain->tree;
    const struct sinks sinks = {wanted, tree};
    const double eps = wanted->parameters->softening / ky_engine_units_of(m->domain->engine).length;
    const struct ky_octree_sinks groups = {.tree = tree,
                                           .wanted = marks,
                                           .eps2 = eps * eps,
                                           .factor = factor_of,
                                           .reach = wanted->reach ? reach_of : NULL,
                                           .context = &sinks};
    const struct ky_octree_all all = all_of(m);
    if (!m->has_cells)
        return ky_octree_boxes(&groups, &m->box, &m->boxes, error);
    const enum ky_status status =
        ky_domain_list_cells(m->domain, wanted, marks, &all, &m->cells, error);
    m->boxes = m->cells.count;
    return status;
}

/* Boxes, or sinks, of the groups of the rank's own tree that are sinks. */
static enum ky_status make_boxes(struct exchange *m, const struct ky_shared_tree *wanted,
                                 struct ky_error *error)
{
    const struct ky_octree *tree = &m->domain->tree;
    unsigned char *marks = NULL;
    if (!wanted->is_active || wanted->has_active)
        return box_groups(m, wanted, wanted->has_active, error);
    KY_TRY(ky_array(&marks, tree->groups, 1, "groups with active bodies", error));
    mark_groups(tree, wanted->is_active, marks);
    const enum ky_status status = box_groups(m, wanted, marks, error);
    free(marks);
    return status;
}

/* Boxes of sinks that are not bodies, relative to the origin of the trees. */
static enum ky_status take_boxes(struct exchange *m, const struct ky_shared_tree *wanted,
                                 struct ky_error *error)
{
    m->boxes = wanted->boxes;
    KY_TRY(ky_array(&m->box, m->boxes, sizeof *m->box, "boxes of points", error));
    for (size_t k = 0; k < m->boxes; k++) {
        m->box[k] = wanted->box[k];
        for (int c = 0; c < 3; c++)
            m->box[k].middle[c] -= m->domain->origin[c];
    }
    return KY_OK;
}

/* In a periodic box: one more copy of the boxes for each image of the sources, moved the other way.
 */
static enum ky_status add_images(struct exchange *m, struct ky_error *error)
{
    const double side = ky_domain_box(m->domain);
    const size_t boxes = m->boxes;
    if (!(side > 0) || m->has_cells)
        return KY_OK;
    if (!ky_extend(&m->box, boxes, KY_IMAGES * boxes, sizeof *m->box))
        return ky_no_memory(error, "boxes of groups", KY_IMAGES * boxes, sizeof *m->box);
    for (int image = 1; image < KY_IMAGES; image++)
        for (size_t k = 0; k < boxes; k++, m->boxes++) {
            struct ky_octree_box *box = &m->box[m->boxes];
            *box = m->box[k];
            for (int c = 0; c < 3; c++) {
                box->middle[c] -= ky_image(image, c) * side;
                box->half[c] += 1e-12 * side;
            }
        }
    return KY_OK;
}

/* Finds the boxes, or sinks, that need more of a rank than its roots. */
static enum ky_status want_more_of(struct exchange *m, size_t r, unsigned opening,
                                   struct ky_error *error)
{
    struct ky_octree_sink *sink = NULL;
    struct ky_octree_box *box = NULL;
    const enum ky_status status =
        m->has_cells
            ? ky_octree_asking(&m->in[r], &m->cells.acting, m->cells.sink, m->boxes, &sink,
                               &m->wanted[r], error)
            : ky_octree_openers(&m->in[r], opening, m->box, m->boxes, &box, &m->wanted[r], error);
    m->asks[r] = sink ? (void *)sink : (void *)box;
    return status;
}

/* Finds the ranks of which this one needs more than the roots. */
static enum ky_status want_more(struct exchange *m, const struct ky_shared_tree *wanted,
                                struct ky_error *error)
{
    const unsigned opening = ky_octree_opening(wanted->parameters);
    KY_TRY((wanted->box ? take_boxes : make_boxes)(m, wanted, error));
    KY_TRY(add_images(m, error));
    for (size_t r = 0; r < m->size; r++)
        if (m->roots[r] && r != (size_t)m->domain->comm->rank)
            KY_TRY(want_more_of(m, r, opening, error));
    return KY_OK;
}

/* ---- the exchange ---- */

enum ky_status ky_domain_trade(void *context, void *const *from, const size_t *out, void *const *to,
                               const size_t *in, struct ky_error *error)
{
    struct ky_comm *comm = ((struct ky_domain *)context)->comm;
    const size_t size = (size_t)comm->size;
    struct ky_parcel *sent = ky_allocate(2 * size, sizeof *sent), *got = sent + size;
    size_t outs = 0, ins = 0;
    if (!sent)
        return ky_no_memory(error, "the ranks", 2 * size, sizeof *sent);
    for (size_t r = 0; r < size; r++) {
        if (out[r])
            sent[outs++] = (struct ky_parcel){(int)r, from[r], out[r]};
        if (in[r])
            got[ins++] = (struct ky_parcel){(int)r, to[r], in[r]};
    }
    const enum ky_status status = comm->verbs->exchange(comm, sent, outs, got, ins, error);
    free(sent);
    return status;
}

/* Bytes of a box, or of a sink. */
static size_t sink_bytes(const struct exchange *m)
{
    return m->has_cells ? sizeof *m->cells.sink : sizeof *m->box;
}

/* Sends the boxes to the ranks that are asked for more. */
static enum ky_status ask(struct exchange *m, struct ky_error *error)
{
    struct ky_comm *comm = m->domain->comm;
    const size_t size = m->size;
    size_t all = 0, *bytes = ky_allocate(2 * size, sizeof *bytes);
    void **place = ky_allocate(2 * size, sizeof *place);
    enum ky_status status =
        bytes && place ? comm->verbs->deal(comm, m->wanted, sizeof *m->wanted, m->given, error)
                       : ky_no_memory(error, "the ranks", size, sizeof *bytes);
    for (size_t r = 0; r < size && !status; r++)
        all += m->given[r];
    m->sinks = status ? NULL : ky_allocate(all, sink_bytes(m));
    if (!status && !m->sinks)
        status = ky_no_memory(error, "boxes of other ranks", all, sink_bytes(m));
    for (size_t r = 0, at = 0; r < size && !status; at += m->given[r], r++) {
        place[r] = m->asks[r];
        place[size + r] = m->sinks + at * sink_bytes(m);
        bytes[r] = m->wanted[r] * sink_bytes(m);
        bytes[size + r] = m->given[r] * sink_bytes(m);
    }
    if (!status)
        status = ky_domain_trade(m->domain, place, bytes, place + size, bytes + size, error);
    free(bytes);
    free(place);
    return status;
}

static enum ky_status prune_for_all(struct exchange *m, int order, struct ky_error *error)
{
    const char *sinks = m->sinks;
    for (size_t r = 0; r < m->size; sinks += m->given[r] * sink_bytes(m), r++)
        if (m->given[r])
            KY_TRY(prune(m, sinks, m->given[r], order, &m->out[r], error));
    return KY_OK;
}

/* The parcels of the ranks that were asked replace their roots. */
static enum ky_status answer(struct exchange *m, size_t moments, struct ky_error *error)
{
    struct ky_comm *comm = m->domain->comm;
    const size_t size = m->size;
    size_t *going = m->sizes, *coming = m->sizes + size;
    void **place = ky_allocate_zeroed(2 * size, sizeof *place);
    for (size_t r = 0; r < size && place; r++) {
        going[r] = m->out[r].bytes;
        place[r] = m->out[r].data;
    }
    enum ky_status status = place ? comm->verbs->deal(comm, going, sizeof *going, coming, error)
                                  : ky_no_memory(error, "the ranks", 2 * size, sizeof *place);
    for (size_t r = 0; r < size && !status; r++) {
        if (!coming[r])
            continue;
        m->in[r] = (struct ky_octree_parcel){.data = ky_allocate(coming[r], 1)};
        m->is_own[r] = 1;
        place[size + r] = m->in[r].data;
        if (!m->in[r].data)
            status = ky_no_memory(error, "cells of other ranks", coming[r], 1);
    }
    if (!status)
        status = ky_domain_trade(m->domain, place, going, place + size, coming, error);
    for (size_t r = 0; r < size && !status; r++)
        if (coming[r])
            status = ky_octree_unwrap(m->in[r].data, coming[r], moments, &m->in[r], error);
    free(place);
    return status;
}

/* Notes the counts of the exchange. */
static void note(const struct exchange *m)
{
    struct ky_domain_told *told = &m->domain->told;
    *told = (struct ky_domain_told){.moved = told->moved};
    for (size_t r = 0; r < m->size; r++) {
        told->roots += m->roots[r];
        told->asked += m->given[r] > 0;
        told->boxes += m->given[r];
        told->cells += m->is_own[r] ? m->in[r].cells.count : 0;
        told->bodies += m->is_own[r] ? m->in[r].n : 0;
        told->coming += m->is_own[r] ? m->in[r].bytes : 0;
        told->going += m->out[r].bytes;
    }
}

/* Identity of a tree of given bodies, as a number: opening, order of the moments, and leaves. */
static double number_of(const struct ky_parameters *parameters)
{
    return ky_opening_key(parameters) + 16 * (parameters->multipole + 16 * parameters->leaf);
}

/* The rank's own tree: rebuilt; or the kept tree with the bodies at their present positions; or,
 * for points and walks with actions, the valid tree. */
static enum ky_status renew_own(struct ky_domain *domain, const struct ky_shared_tree *wanted,
                                struct ky_error *error)
{
    const double stands = number_of(wanted->parameters), has_stood = domain->tree_stands;
    domain->tree_stands = 0;
    if (wanted->moved)
        return ky_octree_refresh(&domain->tree, wanted->moved, wanted->parameters, error);
    const int may_stand = wanted->box || wanted->points || wanted->has_numbers;
    const enum ky_status status = may_stand && has_stood == stands
                                      ? KY_OK
                                      : build_own(domain, wanted->own, wanted->parameters, error);
    domain->tree_stands = status ? 0 : stands;
    return status;
}

/* Gives the bodies of the rank's own tree their numbers among all. */
static enum ky_status number_own(struct ky_domain *domain, struct ky_error *error)
{
    struct ky_octree *tree = &domain->tree;
    KY_TRY(ky_array(&tree->number, tree->n, sizeof *tree->number, "numbers of bodies", error));
    for (size_t k = 0; k < tree->n; k++)
        tree->number[k] = (uint32_t)domain->index[tree->order[k]];
    return KY_OK;
}

/* Whether the rank has sinks that need the tree of all. A kept tree may have no active sinks
 * now. */
static int needs_tree(const struct exchange *m, const struct ky_shared_tree *wanted)
{
    return m->boxes > 0 || (!wanted->moved && m->domain->tree.n);
}

enum ky_status ky_domain_tree(void *context, const struct ky_shared_tree *wanted,
                              struct ky_octree *tree, struct ky_error *error)
{
    struct ky_domain *domain = context;
    const struct ky_parameters *parameters = wanted->parameters;
    struct exchange m = {
        .domain = domain, .size = (size_t)domain->comm->size, .has_cells = wanted->has_cells};
    enum ky_status status = open_exchange(&m, error);
    if (!status)
        status = renew_own(domain, wanted, error);
    if (!status && m.has_cells)
        status = ky_domain_measure_cells(domain, wanted, &m.cells, error);
    if (!status && wanted->has_numbers)
        status = number_own(domain, error);
    if (!status)
        status = tell_roots(&m, wanted, error);
    if (!status)
        status = want_more(&m, wanted, error);
    if (!status)
        status = ask(&m, error);
    if (!status)
        status = prune_for_all(&m, parameters->multipole, error);
    if (!status)
        status = answer(&m, KY_MOMENTS(parameters->multipole), error);
    if (!status)
        note(&m);
    const struct ky_octree_all all = all_of(&m);
    if (!status && !domain->tree.n && !m.boxes)
        ky_octree_free(tree);
    else if (!status && needs_tree(&m, wanted))
        status = ky_octree_graft(tree, &domain->tree, &all, parameters, error);
    tree->seconds = domain->tree.seconds;
    free(domain->tree.number);
    domain->tree.number = NULL;
    free_exchange(&m);
    return status;
}
