/* The cells and bodies that a part needs from another part if cells act on cells (physics/fmm.h).
 *
 * The sinks of a part are the cells of the system's tree that hold its bodies, from the root down,
 * and groups at last. A source cell of another part that does not act on the sinks of a cell goes
 * to the lists of the cells below. So the sinks are sent to the other part as a tree, and that part
 * traverses them as the walk itself does. Its tests are a little stricter: a cell that does not act
 * for certain is taken not to act. So it sends all cells that the walk meets. */
#ifndef KY_OCTREE_SINKS_H
#define KY_OCTREE_SINKS_H

#include "octree/parts.h"
#include "octree/sources.h"
#include "physics/fmm_limits.h"

/* The sinks of a cell, or some consecutive groups. */
struct ky_octree_sink {
    double middle[3];         /* of their box, relative to the tree's origin */
    float half[3], inside[3]; /* half sides of the box of groups, and of the box of their middles */
    float radius;             /* of a cell; the largest of a group */
    float error;              /* α times the smallest last |a|; INFINITY: not known */
    uint32_t few; /* of so few bodies a cell may act on a group body by body (ky_fmm_cost) */
    uint32_t end; /* the place after the sinks below: a sink precedes the sinks below it */
    uint32_t is_group;
};

/* Parameters common to all sinks. `limits` is without the error. */
struct ky_octree_acting {
    struct ky_fmm_limits limits;
    double box; /* side of a periodic box, whose nearest images act too; 0: open space */
};

/* The sinks of a part. */
struct ky_octree_own_sinks {
    const struct ky_octree *tree; /* of the part */
    const struct ky_octree *top;  /* the cells above the roots of all parts: ky_octree_graft of the
                                     closed roots of all; NULL: the tree has one root, and no part
                                     has more of it */
    size_t part;                  /* the number of this one */
    const unsigned char *wanted;  /* [groups] 1 for groups that are sinks; NULL: all */
    const float *least;           /* [groups] the smallest last |a|; NULL: not known */
    float alpha;
    int group, order; /* the most bodies of a group; the order of the expansions */
};

/* Lists them: *sink is to be freed, also after a failure. KY_FAULT if memory runs out. */
enum ky_status ky_octree_list_sinks(const struct ky_octree_own_sinks *own,
                                    struct ky_octree_sink **sink, size_t *count,
                                    struct ky_error *error);
/* The smallest `least` of a cell's groups; INFINITY without groups, or if `least` is NULL. */
float ky_octree_least(const struct ky_octree *tree, const float *least, uint32_t cell);

/* Copies to (*asking)[0 … *count), to be freed, the sinks that may need more of a part's tree than
 * a parcel of its closed roots, which ky_octree_prune_for makes without sinks. In a box there is a
 * copy for each image of the part that does, with the sinks moved the other way: several trees one
 * after the other. KY_FAULT when memory is out. */
enum ky_status ky_octree_asking(const struct ky_octree_parcel *parcel,
                                const struct ky_octree_acting *acting,
                                const struct ky_octree_sink *sink, size_t sinks,
                                struct ky_octree_sink **asking, size_t *count,
                                struct ky_error *error);
/* Makes the parcel of the cells and bodies of the tree that these sinks may need, one tree of sinks
 * or several; `source` are its cells (ky_octree_list_sources). parcel->data is to be freed.
 * KY_FAULT if memory runs out. */
enum ky_status ky_octree_prune_for(const struct ky_octree *tree, const struct ky_fmm_source *source,
                                   const struct ky_octree_acting *acting,
                                   const struct ky_octree_sink *sink, size_t sinks,
                                   struct ky_octree_parcel *parcel, struct ky_error *error);

#endif
