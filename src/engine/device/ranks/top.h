/* The cells above the roots of all parts, on the host. */
#ifndef KY_DEVICE_TOP_H
#define KY_DEVICE_TOP_H

#include "engine/device/tree/tree_part.h"

/* A cell of the top: the roots first … first + roots − 1 are below it, or it is a root itself. */
struct ky_top_node {
    uint32_t first, roots;
    uint32_t child; /* the first of its children, which are consecutive; 0 for a root */
};

/* Breadth first: level k has the nodes level[k] … level[k + 1] − 1. */
struct ky_top {
    struct ky_top_node *node;
    size_t nodes, levels;
    uint32_t level[KY_KEY_LEVELS + 2];
};

/* Makes the top for these roots, at least one, in order along the curve. To be released also after
 * a failure. KY_BAD_DATA if they overlap, KY_FAULT if memory runs out. */
enum ky_status ky_top_make(struct ky_top *top, const struct ky_part_root *root, size_t roots,
                           struct ky_error *error);
void ky_top_release(struct ky_top *top);

#endif
