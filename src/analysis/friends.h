/* Friends of friends over a general walk. */
#ifndef KY_ANALYSIS_FRIENDS_H
#define KY_ANALYSIS_FRIENDS_H

#include "analysis/walker.h"

/* root[i] becomes the smallest index in the group of body i. Bodies at `length` or nearer to each
 * other are in one group. The n bodies are those of the walker. KY_FAULT when memory is out, and
 * the failures of the walk. */
enum ky_status ky_friends_find(struct ky_walker *walker, size_t n, double length, uint32_t *root,
                               struct ky_error *error);

#endif
