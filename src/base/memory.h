/* Allocation that checks products for overflow and aligns to a cache line, and the error that names
 * the array and its size. */
#ifndef KY_BASE_MEMORY_H
#define KY_BASE_MEMORY_H

#include "base/status.h"

/* Fills *error for `count` elements of `size` bytes that could not be had; returns KY_FAULT. `what`
 * names the array: "masses". */
enum ky_status ky_no_memory(struct ky_error *error, const char *what, size_t count, size_t size);

/* count × size bytes, aligned to 64, not zeroed. NULL when the product overflows or memory is out.
 * For 0 bytes it gives a pointer too. Free with free(). */
void *ky_allocate(size_t count, size_t size);
/* ky_allocate(count, size) in place of the pointer *array, with the first `old` elements of that,
 * which is freed. 0 without memory for it: then *array stays. */
int ky_extend(void *array, size_t old, size_t count, size_t size);
/* The bytes that ky_allocate takes from the system for `bytes` bytes: large memory has whole pages.
 */
double ky_allocated(double bytes);
/* The same as ky_allocate, zeroed; large memory is zeroed by `threads` threads, 0: as many as
 * OpenMP takes. */
void *ky_allocate_zeroed_by(int threads, size_t count, size_t size);
void *ky_allocate_zeroed(size_t count, size_t size); /* 0 threads */

#endif
