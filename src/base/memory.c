/* Allocation: see memory.h. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21, HUGE_FROM = 4 << 20 };

/* Memory in huge pages. Walks and gathers read it in no order, and with pages of 4 KiB they would
 * wait for the translation of addresses. */
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

void *ky_allocate(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - CACHE_LINE)
        return NULL;
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return bytes < HUGE_FROM ? aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE)
                             : allocate_huge(bytes);
}

void *ky_allocate_zeroed(size_t count, size_t size)
{
    void *memory = ky_allocate(count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}
