/* Allocation with overflow checks, aligned to a cache line, and an error that names the array and
 * its size. */
#ifndef KY_BASE_MEMORY_H
#define KY_BASE_MEMORY_H

#include "base/status.h"

/* The error line for `count` elements of `size` bytes that could not be had; KY_FAULT. */
enum ky_status ky_no_memory(struct ky_error *error, const char *what, size_t count, size_t size);

/* count × size bytes, aligned to 64; NULL when the product overflows or memory is out, and for 0
 * bytes a pointer that can be freed. Not zeroed. Free with free(). */
void *ky_allocate(size_t count, size_t size);
/* The same, zeroed. */
void *ky_allocate_zeroed(size_t count, size_t size);

#endif
