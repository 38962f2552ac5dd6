/* Samples of bodies that stay the same while bodies come and go. */
#ifndef KY_BASE_SAMPLE_IDS_H
#define KY_BASE_SAMPLE_IDS_H

#include <stddef.h>
#include <stdint.h>

/* Writes at most `most` of n bodies to index[], in their order, and returns their number; all where
 * n is not above `most`. A body is chosen by its id (NULL: its index), so that the bodies stay the
 * same ones from picture to picture, also where some are removed. */
size_t ky_sample_ids(const uint64_t *id, size_t n, size_t most, size_t *index);

#endif
