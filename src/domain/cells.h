/* The sinks of a rank for methods in which cells act on cells, and their requests to other ranks
 * (octree/sinks.h). */
#ifndef KY_DOMAIN_CELLS_H
#define KY_DOMAIN_CELLS_H

#include "domain/domain.h"
#include "octree/sinks.h"

struct ky_domain_cells {
    struct ky_octree_acting acting;
    float alpha;
    float *least; /* [groups] of the sinks: the smallest last |a|; NULL: not known */
    struct ky_fmm_source *source; /* [cells] of the rank's own tree */
    struct ky_octree_sink *sink;
    size_t count;
};

/* Measures the rank's own tree, and the sinks. The caller frees the result, also after a failure.
 * KY_FAULT if memory runs out. */
enum ky_status ky_domain_measure_cells(const struct ky_domain *domain,
                                       const struct ky_shared_tree *wanted,
                                       struct ky_domain_cells *cells, struct ky_error *error);
void ky_domain_free_cells(struct ky_domain_cells *cells);
/* Lists the sinks: the marked groups (NULL: all groups) and all cells that hold them. Where they
 * are bodies `all` has the closed roots of all ranks. KY_FAULT if memory runs out. */
enum ky_status ky_domain_list_cells(const struct ky_domain *domain,
                                    const struct ky_shared_tree *wanted, const unsigned char *marks,
                                    const struct ky_octree_all *all, struct ky_domain_cells *cells,
                                    struct ky_error *error);

#endif
