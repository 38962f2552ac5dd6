/* Loaded by LD_PRELOAD, makes one call of a program fail. glibc only.
 *   KYOHO_FAIL_ALLOCATION=n   the n-th allocation gives NULL
 *   KYOHO_FAIL_WRITE=n        the n-th write, pwrite, ftruncate, fsync, link or rename fails
 *   KYOHO_FAIL_ON=1           all later ones fail too
 *   KYOHO_FAIL_ERROR=28       with this errno (ENOSPC)
 *   KYOHO_FAIL_LIBRARIES=1    allocations that shared libraries make count too
 *   KYOHO_TELL_OPENS=text     makes none fail: tells the files with this text in their names that
 *                             are opened, as "opened PATH" on standard error
 * Writes "fault injected" to standard error when a call fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long fail_allocation, fail_write, fail_on, fail_libraries, allocations, writes;
static int in_main; /* allocations before main belong to libraries, and are not counted */
static int fail_error = ENOSPC;
static uintptr_t program_start, program_end;

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

/* The first object is the program itself. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    program_start = UINTPTR_MAX;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        if (info->dlpi_phdr[k].p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[k].p_memsz;
        program_start = start < program_start ? start : program_start;
        program_end = end > program_end ? end : program_end;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(find_program, NULL);
    fail_on = number("KYOHO_FAIL_ON", 0);
    fail_error = (int)number("KYOHO_FAIL_ERROR", ENOSPC);
    fail_libraries = number("KYOHO_FAIL_LIBRARIES", 0);
    fail_write = number("KYOHO_FAIL_WRITE", 0);
    fail_allocation = number("KYOHO_FAIL_ALLOCATION", 0);
}

static ssize_t real_write(int fd, const void *data, size_t bytes)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    return real(fd, data, bytes);
}

static int due(long wanted, long count)
{
    if (!wanted || !(count == wanted || (fail_on && count > wanted)))
        return 0;
    static const char text[] = "fault injected\n";
    return real_write(2, text, sizeof text - 1) >= 0;
}

static int allocation_fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (!fail_allocation || !in_main ||
        (!fail_libraries && (at < program_start || at >= program_end)))
        return 0;
    if (!due(fail_allocation, __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED)))
        return 0;
    errno = ENOMEM;
    return 1;
}

static int write_fails(void)
{
    if (!fail_write || !due(fail_write, __atomic_add_fetch(&writes, 1, __ATOMIC_RELAXED)))
        return 0;
    errno = fail_error;
    return 1;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return allocation_fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return allocation_fails(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return allocation_fails(CALLER) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return allocation_fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (allocation_fails(CALLER))
        return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    return fd > 2 && write_fails() ? -1 : real_write(fd, data, bytes);
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real)                                                                                     \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    return write_fails() ? -1 : real(fd, data, bytes, offset);
}

static int (*program_main)(int, char **, char **);

static int counted_main(int count, char **words, char **environment)
{
    in_main = 1;
    return program_main(count, words, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*begin_)(void), void (*end)(void), void (*end_loader)(void),
                      void *stack);
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*begin_)(void), void (*end)(void), void (*end_loader)(void),
                      void *stack)
{
    REAL(int, __libc_start_main, int (*)(int, char **, char **), int, char **, void (*)(void),
         void (*)(void), void (*)(void), void *);
    program_main = main;
    return real(counted_main, count, words, begin_, end, end_loader, stack);
}

int open(const char *path, int flags, ...)
{
    REAL(int, open, const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    const unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    const char *told = getenv("KYOHO_TELL_OPENS");
    char line[4200];
    if (told && strstr(path, told)) {
        const int bytes = snprintf(line, sizeof line, "opened %s\n", path);
        if (bytes > 0 && bytes < (int)sizeof line && real_write(2, line, (size_t)bytes) < 0)
            return -1;
    }
    return real(path, flags, mode);
}

/* LLVM's OpenMP sets the size of a page that it shares with itself, which is no file of the program. */
static int is_shared_memory(int fd)
{
    static const char folder[] = "/dev/shm/";
    char link_[40], path[sizeof folder];
    snprintf(link_, sizeof link_, "/proc/self/fd/%d", fd);
    return readlink(link_, path, sizeof path - 1) == sizeof path - 1 &&
           !memcmp(path, folder, sizeof path - 1);
}

int ftruncate(int fd, off_t size)
{
    REAL(int, ftruncate, int, off_t);
    return !is_shared_memory(fd) && write_fails() ? -1 : real(fd, size);
}

int fsync(int fd)
{
    REAL(int, fsync, int);
    return write_fails() ? -1 : real(fd);
}

int link(const char *from, const char *to)
{
    REAL(int, link, const char *, const char *);
    return write_fails() ? -1 : real(from, to);
}

int rename(const char *from, const char *to)
{
    REAL(int, rename, const char *, const char *);
    return write_fails() ? -1 : real(from, to);
}
