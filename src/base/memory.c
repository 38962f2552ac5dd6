/* Allocation: see memory.h. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

enum ky_status ky_no_memory(struct ky_error *error, const char *what, size_t count, size_t size)
{
    return ky_fail(error, KY_FAULT, "out of memory: %s needs %zu × %zu bytes", what, count, size);
}

void *ky_allocate(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - CACHE_LINE)
        return NULL;
    bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE);
}

void *ky_allocate_zeroed(size_t count, size_t size)
{
    void *memory = ky_allocate(count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}
