/* Structs of programs that know only their first members. Include after test.h, in a file that
 * defines _DEFAULT_SOURCE. */
#ifndef KY_TEST_WALL_H
#define KY_TEST_WALL_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Copies the first bytes of a struct, all that an older program knows of it, to the end of a page
 * behind which nothing may be read. */
static inline void *before_a_wall(const void *from, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true((void *)pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    char *at = pages + page - size;
    memcpy(at, from, size);
    memcpy(at, &size, sizeof size);
    return at;
}

#endif
