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
/* Makes room for one more element behind `count`: if *room elements are all there is, it doubles,
 * with 64 more. Returns 1; or 0 if memory runs out, and nothing changes. */
int ky_room_for_one(void *array, size_t count, size_t *room, size_t size);
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
void *ky_allocate_zeroed(size_t count, size_t size); /* with the threads of OpenMP */

/* Points *array to ky_allocate(count, size), or to zeroed memory; KY_FAULT, and NULL, if memory
 * runs out. `what`: as for ky_no_memory. */
enum ky_status ky_array(void *array, size_t count, size_t size, const char *what,
                        struct ky_error *error);
enum ky_status ky_array_zeroed(void *array, size_t count, size_t size, const char *what,
                               struct ky_error *error);

#endif
