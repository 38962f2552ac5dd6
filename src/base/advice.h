/* Advice to the system about the use of a file. It changes only times, not results, and some
 * systems (macOS) take no such advice. */
#ifndef KY_BASE_ADVICE_H
#define KY_BASE_ADVICE_H

#include <fcntl.h>

#ifdef POSIX_FADV_SEQUENTIAL
enum {
    KY_ADVICE_SEQUENTIAL = POSIX_FADV_SEQUENTIAL, /* reads further ahead */
    KY_ADVICE_SOON = POSIX_FADV_WILLNEED,         /* the system begins to read the data */
    KY_ADVICE_WRITTEN = POSIX_FADV_DONTNEED       /* begins to write, and frees the memory */
};
#else
enum { KY_ADVICE_SEQUENTIAL, KY_ADVICE_SOON, KY_ADVICE_WRITTEN };
#endif

/* For `bytes` bytes from `offset` on; 0: up to the end. */
static inline void ky_advise(int fd, off_t offset, off_t bytes, int advice)
{
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(fd, offset, bytes, advice);
#else
    (void)fd, (void)offset, (void)bytes, (void)advice;
#endif
}

#endif
