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

/* ---- bodies.c ---- */

/* Keeps the bodies whose type has its bit in `types` (no types: all are 4), in their order. */
void ky_bodies_choose(struct ky_bodies *bodies, unsigned types);
/* KY_BAD_DATA for the first body with an acceleration or a potential that is not finite. */
enum ky_status ky_bodies_check_forces(const struct ky_bodies *bodies, struct ky_error *error);

#endif
