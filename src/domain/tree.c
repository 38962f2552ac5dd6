/* The tree of the system, of which every rank has what its own groups need. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domain/domain.h"
#include "engine/common/relative.h"
#include "octree/parts.h"

enum ky_status ky_domain_add(void *context, uint64_t *number, size_t count, struct ky_error *error)
{
    struct ky_domain *domain = context;
    struct ky_comm *comm = domain->comm;
    const size_t size = (size_t)comm->size;
    uint64_t *all = ky_allocate(size * count, sizeof *all);
    enum ky_status status = all ? KY_OK : KY_FAULT;
    if (!all) { /* the caller may go on: nobody may wait for this rank */
        struct ky_error own;
        ky_no_memory(error, "numbers of ranks", size, 8 * count);
        ky_no_memory(&own, "numbers of ranks", size, 8 * count);
        comm->verbs->fail(comm, &own);
    } else {
        status = comm->verbs->gather(comm, number, count * sizeof *number, all, error);
    }
    for (size_t k = 0; k < count && !status; k++) {
        number[k] = 0;
        for (size_t r = 0; r < size; r++)
            number[k] += all[r * count + k];
    }
    free(all);
    return status;
}

/* What the ranks tell each other for one tree. */
struct meeting {
    struct ky_domain *domain;
    size_t size;
    size_t *bytes; /* [ranks] work space for gather_parts */
    size_t *roots; /* [ranks] */
    size_t *boxes; /* [ranks] */
    struct ky_octree_root *root;
    struct ky_octree_box *own_box, *box; /* of this rank; of all, one rank after the other */
    size_t own_boxes;
    struct ky_octree_parcel *out, *in; /* [ranks] */
    struct ky_parcel *sent;            /* [2 × ranks] */
    uint64_t *sizes;                   /* [2 × ranks] */
};

static void free_meeting(struct meeting *m)
{
    for (size_t r = 0; r < m->size; r++) {
        if (m->out)
            free(m->out[r].data);
        if (m->in)
            free(m->in[r].data);
    }
    free(m->bytes);
    free(m->roots);
    free(m->boxes);
    free(m->root);
    free(m->own_box);
    free(m->box);
    free(m->out);
    free(m->in);
    free(m->sent);
    free(m->sizes);
}

static enum ky_status open_meeting(struct meeting *m, struct ky_error *error)
{
    const size_t size = m->size;
    m->bytes = ky_allocate(size, sizeof *m->bytes);
    m->roots = ky_allocate(size, sizeof *m->roots);
    m->boxes = ky_allocate(size, sizeof *m->boxes);
    m->out = ky_allocate_zeroed(size, sizeof *m->out);
    m->in = ky_allocate_zeroed(size, sizeof *m->in);
    m->sent = ky_allocate(2 * size, sizeof *m->sent);
    m->sizes = ky_allocate(2 * size, sizeof *m->sizes);
    return m->bytes && m->roots && m->boxes && m->out && m->in && m->sent && m->sizes
               ? KY_OK
               : ky_no_memory(error, "the ranks", size, sizeof *m->sent);
}

/* Every rank gets counts[r] elements of every rank: `own` of this one. */
static enum ky_status gather_all(struct meeting *m, size_t *counts, size_t count, const void *own,
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

/* The last key before those of this rank, and the first one after them. */
static enum ky_status find_neighbours(struct ky_domain *domain, struct ky_octree_part *part,
                                      struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const uint64_t own[2] = {domain->first, domain->last};
    uint64_t(*all)[2] = ky_allocate((size_t)comm->size, sizeof *all);
    if (!all)
        return ky_no_memory(error, "the ranks", (size_t)comm->size, sizeof *all);
    enum ky_status status = comm->verbs->gather(comm, own, sizeof own, all, error);
    for (int r = 0; r < comm->size && !status; r++) {
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
    return status;
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

/* ---- what the others need ---- */

struct sinks {
    const struct ky_relative *relative;
    const struct ky_octree *tree;
};

static double factor_of(const void *context, uint32_t first, uint32_t bodies)
{
    const struct sinks *sinks = context;
    return sinks->relative ? ky_relative_factor(sinks->relative, sinks->tree->order + first, bodies)
                           : 1;
}

static enum ky_status tell_own(struct meeting *m, const struct ky_relative *relative,
                               struct ky_error *error)
{
    const struct ky_octree *tree = &m->domain->tree;
    const struct sinks sinks = {relative, tree};
    struct ky_octree_root *own = ky_allocate(tree->roots, sizeof *own);
    enum ky_status status =
        own ? ky_octree_boxes(tree, factor_of, &sinks, &m->own_box, &m->own_boxes, error)
            : ky_no_memory(error, "roots of a tree", tree->roots, sizeof *own);
    if (!status) {
        void *all = NULL;
        ky_octree_tell_roots(tree, own);
        status = gather_all(m, m->roots, tree->roots, own, sizeof *own, &all, error);
        m->root = all;
    }
    if (!status) {
        void *all = NULL;
        status = gather_all(m, m->boxes, m->own_boxes, m->own_box, sizeof *m->own_box, &all, error);
        m->box = all;
    }
    free(own);
    return status;
}

static enum ky_status prune_for_all(struct meeting *m, int order, struct ky_error *error)
{
    const struct ky_octree *tree = &m->domain->tree;
    const struct ky_octree_box *box = m->box;
    enum ky_status status = KY_OK;
    for (size_t r = 0; r < m->size && !status; box += m->boxes[r], r++)
        if (r != (size_t)m->domain->comm->rank && m->boxes[r] && tree->n)
            status = ky_octree_prune(tree, box, m->boxes[r], order, &m->out[r], error);
    return status;
}

/* ---- the exchange ---- */

static enum ky_status receive_sizes(struct meeting *m, uint64_t *coming, struct ky_error *error)
{
    struct ky_comm *comm = m->domain->comm;
    uint64_t *leaving = m->sizes;
    for (size_t r = 0; r < m->size; r++)
        leaving[r] = m->out[r].bytes;
    return comm->verbs->deal(comm, leaving, sizeof *leaving, coming, error);
}

static enum ky_status exchange_cells(struct meeting *m, size_t moments, struct ky_error *error)
{
    struct ky_comm *comm = m->domain->comm;
    uint64_t *coming = m->sizes + m->size;
    struct ky_parcel *out = m->sent, *in = m->sent + m->size;
    size_t outs = 0, ins = 0;
    enum ky_status status = receive_sizes(m, coming, error);
    for (size_t r = 0; r < m->size && !status; r++) {
        if (m->out[r].bytes)
            out[outs++] = (struct ky_parcel){(int)r, m->out[r].data, m->out[r].bytes};
        if (!coming[r])
            continue;
        m->in[r].data = ky_allocate(coming[r], 1);
        if (!m->in[r].data)
            status = ky_no_memory(error, "cells of other ranks", coming[r], 1);
        in[ins++] = (struct ky_parcel){(int)r, m->in[r].data, coming[r]};
    }
    if (!status)
        status = comm->verbs->exchange(comm, out, outs, in, ins, error);
    for (size_t k = 0; k < ins && !status; k++)
        status = ky_octree_unwrap(in[k].data, in[k].bytes, moments, &m->in[in[k].rank], error);
    return status;
}

/* Notes what was told. */
static void note(const struct meeting *m)
{
    struct ky_domain_told *told = &m->domain->told;
    *told = (struct ky_domain_told){.moved = told->moved};
    for (size_t r = 0; r < m->size; r++) {
        told->roots += m->roots[r];
        told->boxes += m->boxes[r];
        told->cells += m->in[r].cells.count;
        told->bodies += m->in[r].n;
        told->coming += m->in[r].bytes;
        told->going += m->out[r].bytes;
    }
}

enum ky_status ky_domain_tree(void *context, const struct ky_octree_bodies *own,
                              const struct ky_parameters *parameters,
                              const struct ky_relative *relative, struct ky_octree *tree,
                              struct ky_error *error)
{
    struct ky_domain *domain = context;
    struct meeting m = {.domain = domain, .size = (size_t)domain->comm->size};
    enum ky_status status = open_meeting(&m, error);
    if (!status)
        status = build_own(domain, own, parameters, error);
    if (!status)
        status = tell_own(&m, relative, error);
    if (!status)
        status = prune_for_all(&m, parameters->multipole, error);
    if (!status)
        status = exchange_cells(&m, domain->tree.moments, error);
    if (!status)
        note(&m);
    if (!status && !domain->tree.n)
        ky_octree_free(tree);
    else if (!status)
        status = ky_octree_graft(tree, &domain->tree, (size_t)domain->comm->rank, m.in, m.roots,
                                 m.size, m.root, parameters, error);
    tree->seconds = domain->tree.seconds;
    free_meeting(&m);
    return status;
}
