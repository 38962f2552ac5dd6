/* Allocation: see memory.h. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/threads.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21, HUGE_FROM = 4 << 20 };

/* Memory in huge pages. Walks and gathers access it at random, and pages of 4 KiB would cause many
 * TLB misses. */
static void *allocate_huge(size_t bytes)
{
    if (bytes > SIZE_MAX - HUGE_PAGE)
        return NULL;
    bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, bytes);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (memory)
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* advice: a refusal costs only time */
#endif
    return memory;
}

double ky_allocated(double bytes)
{
    return bytes < HUGE_FROM ? bytes : ceil(bytes / HUGE_PAGE) * HUGE_PAGE;
}

double ky_memory_total(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

double ky_memory_available(void)
{
#ifdef _SC_AVPHYS_PAGES
    return (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return ky_memory_total();
#endif
}

void *ky_allocate(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - CACHE_LINE)
        return NULL;
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return bytes < HUGE_FROM ? aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE)
                             : allocate_huge(bytes);
}

int ky_extend(void *array, size_t old, size_t count, size_t size)
{
    void *before, *after = ky_allocate(count, size);
    memcpy(&before, array, sizeof before);
    if (!after)
        return 0;
    if (old)
        memcpy(after, before, old * size);
    free(before);
    memcpy(array, &after, sizeof after);
    return 1;
}

int ky_room_for_one(void *array, size_t count, size_t *room, size_t size)
{
    const size_t more = 2 * *room + 64;
    if (count < *room)
        return 1;
    if (!ky_extend(array, count, more, size))
        return 0;
    *room = more;
    return 1;
}

/* Large memory is cleared by several threads, since the system also clears each page when it is
 * first touched, and that takes most of the time. */
static void clear(int threads, char *memory, size_t bytes)
{
    const size_t parts = (bytes + HUGE_PAGE - 1) / HUGE_PAGE;
    threads = ky_threads(threads);
#pragma omp parallel for num_threads(threads) if (bytes >= HUGE_FROM)
    for (size_t k = 0; k < parts; k++) {
        size_t first = k * HUGE_PAGE, left = bytes - first;
        memset(memory + first, 0, left < HUGE_PAGE ? left : HUGE_PAGE);
    }
}

void *ky_allocate_zeroed_by(int threads, size_t count, size_t size)
{
    void *memory = ky_allocate(count, size);
    if (memory)
        clear(threads, memory, count * size);
    return memory;
}

void *ky_allocate_zeroed(size_t count, size_t size)
{
    return ky_allocate_zeroed_by(0, count, size);
}

enum ky_status ky_no_memory(struct ky_error *error, const char *what, size_t count, size_t size)
{
    return ky_fail(error, KY_FAULT,
                   "out of memory: %s (%zu × %zu bytes); take fewer bodies, or end other programs "
                   "that use memory",
                   what, count, size);
}

enum ky_status ky_array(void *array, size_t count, size_t size, const char *what,
                        struct ky_error *error)
{
    void *memory = ky_allocate(count, size);
    memcpy(array, &memory, sizeof memory);
    return memory ? KY_OK : ky_no_memory(error, what, count, size);
}

enum ky_status ky_array_zeroed(void *array, size_t count, size_t size, const char *what,
                               struct ky_error *error)
{
    void *memory;
    KY_TRY(ky_array(array, count, size, what, error));
    memcpy(&memory, array, sizeof memory);
    clear(0, memory, count * size);
    return KY_OK;
}
