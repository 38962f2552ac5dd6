/* Points in the field of bodies that are divided among ranks: each rank with bodies walks for some
 * of the points, and receives the cells of other ranks that these points may open. */
#ifndef KY_DEVICE_PART_POINTS_H
#define KY_DEVICE_PART_POINTS_H

#include "engine/device/tree/links.h"

/* Cleared at first. */
struct ky_part_points {
    struct ky_points points; /* of this rank; may be empty */
    uint32_t *order;         /* [count] indices of all points, in the order of the ranks */
    size_t *first;           /* [ranks + 1] index of each rank's first point */
    double (*position)[3], *softenings;
    struct ky_part_box *box;
};

/* Divides the points, which all ranks know, and makes the tree of all ranks for this rank's points,
 * which lie behind the sources and walk along `next`. Report and marks of the last forces are kept.
 * To be released also after a failure. Collective; KY_FAULT or KY_DEVICE if memory runs out. */
enum ky_status ky_part_points_stand(struct ky_part_points *part, struct ky_links *links,
                                    const struct ky_parameters *parameters,
                                    const struct ky_points *points, struct ky_error *error);
/* All-gather of the results: rows of numbers in the order of all points; `all` may be NULL.
 * Collective; KY_FAULT if memory runs out. */
enum ky_status ky_part_points_join(const struct ky_part_points *part,
                                   const struct ky_shared *shared, const double *own,
                                   size_t numbers, double *all, struct ky_error *error);
void ky_part_points_release(struct ky_part_points *part);

#endif
