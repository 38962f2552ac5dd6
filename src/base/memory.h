/* Allocation that checks products for overflow and aligns to a cache line, and the error that names
 * the array and its size. */
#ifndef KY_BASE_MEMORY_H
#define KY_BASE_MEMORY_H

#include "base/status.h"

/* Fills *error for `count` elements of `size` bytes that could not be allocated; returns KY_FAULT.
 * `what` is the name of the array: "masses". */
enum ky_status ky_no_memory(struct ky_error *error, const char *what, size_t count, size_t size);

/* count × size bytes, aligned to 64, not zeroed. NULL when the product overflows or memory runs
 * out. For 0 bytes it gives a pointer too. Free with free(). */
void *ky_allocate(size_t count, size_t size);
/* Replaces *array by ky_allocate(count, size) with the first `old` elements copied, and frees the
 * old memory. Returns 1; or 0 if memory runs out, and *array stays as it is. */
int ky_extend(void *array, size_t old, size_t count, size_t size);
/* The bytes that ky_allocate takes from the system for `bytes` bytes: large memory has whole pages.
 */
double ky_allocated(double bytes);

/* Bytes of memory that this machine has free; all of its memory if the system does not report
 * it. */
double ky_memory_available(void);
/* Bytes of memory that this machine has. */
double ky_memory_total(void);
/* The same as ky_allocate, zeroed; large memory is zeroed by `threads` threads, 0: as many as
 * OpenMP takes. */
void *ky_allocate_zeroed_by(int threads, size_t count, size_t size);
void *ky_allocate_zeroed(size_t count, size_t size); /* 0 threads */

#endif
