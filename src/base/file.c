/* Replacing files and reading them: see file.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"

enum { BUFFER = 1 << 20, WAITING = 1 << 25, AHEAD = 1 << 25 };
/* One call of the system moves at most this much, a limit of some systems. */
static const size_t MOST = (size_t)1 << 30;

struct ky_file {
    int fd, folder; /* -1: not open */
    int failure;    /* errno of the first failure, or 0 */
    int finished;
    size_t used;      /* bytes in the buffer */
    uint64_t waiting; /* bytes written that the disk may not have begun with */
    uint64_t position;
    char *path, *temporary, *buffer;
};

static const char *reason(int number, char text[128])
{
    if (strerror_r(number, text, 128))
        snprintf(text, 128, "error %d", number);
    return text;
}

static enum ky_status cannot_write(const char *path, int number, struct ky_error *error)
{
    char text[128];
    return ky_fail(error, number == ENOMEM ? KY_FAULT : KY_CANNOT_WRITE,
                   "%s: cannot be written: %s", path, reason(number, text));
}

static char *joined(const char *a, const char *b)
{
    size_t length = strlen(a), more = strlen(b) + 1;
    char *text = ky_allocate(length + more, 1);
    if (text) {
        memcpy(text, a, length);
        memcpy(text + length, b, more);
    }
    return text;
}

/* The file that `path` stands for: a symbolic link is followed, so that the link stays. */
static char *target_of(const char *path)
{
    struct stat about;
    if (!lstat(path, &about) && S_ISLNK(about.st_mode)) {
        char *target = realpath(path, NULL);
        if (target)
            return target;
    }
    return joined(path, "");
}

static enum ky_status may_replace(const char *path, int overwrite, struct ky_error *error)
{
    struct stat about;
    if (!*path)
        return ky_fail(error, KY_USAGE, "the name of the file to write is empty");
    if (stat(path, &about))
        return errno == ENOENT ? KY_OK : cannot_write(path, errno, error);
    if (!S_ISREG(about.st_mode))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be written: is %s", path,
                       S_ISDIR(about.st_mode) ? "a directory; give the name of a file"
                                              : "no plain file");
    if (!overwrite)
        return ky_fail(error, KY_USAGE,
                       "%s: exists already; choose another name or allow it to be overwritten",
                       path);
    return KY_OK;
}

/* Opened early, so that nothing can fail after the rename but the flush. A folder that may be
 * written and not read cannot be flushed. */
static int open_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char after = slash[1];
    slash[1] = '\0';
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    slash[1] = after;
    return fd;
}

enum ky_status ky_file_create(const char *path, int overwrite, struct ky_file **file,
                              struct ky_error *error)
{
    *file = NULL;
    enum ky_status status = may_replace(path, overwrite, error);
    if (status)
        return status;
    struct ky_file *made = ky_allocate_zeroed(1, sizeof *made);
    if (!made)
        return ky_no_memory(error, "file", 1, sizeof *made);
    made->path = target_of(path);
    made->temporary = made->path ? joined(made->path, ".part") : NULL;
    made->buffer = ky_allocate(BUFFER, 1);
    made->fd = made->folder = -1;
    if (!made->temporary || !made->buffer) {
        status = ky_no_memory(error, "file buffer", BUFFER, 1);
        goto fail;
    }
    made->fd = open(made->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (made->fd < 0) {
        status = cannot_write(made->temporary, errno, error);
        goto fail;
    }
    made->folder = open_folder(made->path);
    *file = made;
    return KY_OK;
fail:
    ky_file_discard(made);
    return status;
}

enum ky_status ky_file_reserve(struct ky_file *file, uint64_t bytes, struct ky_error *error)
{
    struct statvfs disk;
    if (fstatvfs(file->fd, &disk))
        return KY_OK; /* not known: the writes will tell */
    uint64_t unit = disk.f_frsize ? disk.f_frsize : disk.f_bsize;
    if (unit && bytes / unit >= disk.f_bavail)
        return ky_fail(error, KY_CANNOT_WRITE,
                       "%s: cannot be written: needs %" PRIu64 " bytes and the disk has %" PRIu64
                       " left",
                       file->path, bytes, (uint64_t)disk.f_bavail * unit);
    return KY_OK;
}

/* Lets the disk begin with what has been written, so that not all is left to the end, and frees the
 * memory of what is on it: three times as fast for a snapshot of 640 MB as one fsync at the end. */
static void begin_flush(struct ky_file *file, size_t bytes)
{
    file->waiting += bytes;
    if (file->waiting < WAITING)
        return;
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    file->waiting = 0;
}

int ky_file_write_at(struct ky_file *file, uint64_t offset, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes && !file->failure) {
        ssize_t done = pwrite(file->fd, from, bytes < MOST ? bytes : MOST, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            file->failure = done ? errno : ENOSPC;
            break;
        }
        from += done, offset += (uint64_t)done, bytes -= (size_t)done;
        begin_flush(file, (size_t)done);
    }
    return file->failure ? -1 : 0;
}

static int empty_buffer(struct ky_file *file)
{
    int result = ky_file_write_at(file, file->position, file->buffer, file->used);
    file->position += file->used;
    file->used = 0;
    return result;
}

int ky_file_write(struct ky_file *file, const void *data, size_t bytes)
{
    if (bytes > BUFFER - file->used)
        empty_buffer(file);
    if (bytes > BUFFER - file->used) {
        ky_file_write_at(file, file->position, data, bytes);
        file->position += bytes;
    } else if (bytes) {
        memcpy(file->buffer + file->used, data, bytes);
        file->used += bytes;
    }
    return file->failure ? -1 : 0;
}

int ky_file_print(struct ky_file *file, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = ky_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        file->failure = file->failure ? file->failure : EOVERFLOW;
        return -1;
    }
    return ky_file_write(file, text, (size_t)length);
}

int ky_file_resize(struct ky_file *file, uint64_t bytes)
{
    if (!file->failure && ftruncate(file->fd, (off_t)bytes))
        file->failure = errno;
    return file->failure ? -1 : 0;
}

int ky_file_read_at(struct ky_file *file, uint64_t offset, void *data, size_t bytes)
{
    char *to = data;
    while (bytes && !file->failure) {
        ssize_t done = pread(file->fd, to, bytes < MOST ? bytes : MOST, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            file->failure = errno;
        if (done <= 0)
            break;
        to += done, offset += (uint64_t)done, bytes -= (size_t)done;
    }
    memset(to, 0, bytes);
    return file->failure ? -1 : 0;
}

uint64_t ky_file_bytes(const struct ky_file *file)
{
    return file->position + file->used;
}

const char *ky_file_temporary(const struct ky_file *file)
{
    return file->temporary;
}

enum ky_status ky_file_finish(struct ky_file *file, struct ky_error *error)
{
    if (!file->finished) {
        empty_buffer(file);
        if (!file->failure && fsync(file->fd))
            file->failure = errno;
        int fd = file->fd;
        file->fd = -1;
        if (close(fd) && !file->failure)
            file->failure = errno;
        file->finished = 1;
    }
    return file->failure ? cannot_write(file->path, file->failure, error) : KY_OK;
}

/* The name in the folder is on the disk only when the folder is. */
static int flush_folder(const struct ky_file *file)
{
    if (file->folder < 0 || !fsync(file->folder))
        return 0;
    return errno == EINVAL || errno == ENOTSUP ? 0 : errno; /* a file system that cannot do it */
}

/* Gives the file at `path` the second name `previous`, in one step, so that `path` is never away.
 */
static int keep_previous(const char *path, const char *previous)
{
    struct stat about;
    if (stat(path, &about))
        return errno == ENOENT ? 0 : errno;
    char *second = joined(previous, ".part");
    if (!second)
        return ENOMEM;
    int failure = 0;
    unlink(second);
    if (link(path, second))
        failure = rename(path, previous) ? errno : 0; /* a file system without links */
    else if (rename(second, previous))
        failure = errno;
    if (failure)
        unlink(second);
    /* rename() of two names of one file does nothing and leaves both */
    else if (!stat(second, &about))
        unlink(second);
    free(second);
    return failure;
}

enum ky_status ky_file_publish(struct ky_file *file, const char *previous, struct ky_error *error)
{
    enum ky_status status = ky_file_finish(file, error);
    if (!status && previous) {
        int failure = keep_previous(file->path, previous);
        if (failure)
            status = cannot_write(previous, failure, error);
    }
    if (!status && rename(file->temporary, file->path))
        status = cannot_write(file->path, errno, error);
    if (status) {
        ky_file_discard(file);
        return status;
    }
    int failure = flush_folder(file);
    if (failure) {
        char text[128];
        status = ky_fail(error, KY_CANNOT_WRITE,
                         "%s: is written, but its folder could not be flushed to the disk: %s",
                         file->path, reason(failure, text));
    }
    free(file->temporary);
    file->temporary = NULL;
    ky_file_discard(file);
    return status;
}

void ky_file_discard(struct ky_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->folder >= 0)
        close(file->folder);
    if (file->temporary && (file->fd >= 0 || file->finished))
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    free(file->buffer);
    free(file);
}

enum ky_status ky_input_open(const char *path, struct ky_input *input, struct ky_error *error)
{
    struct stat about;
    char text[128];
    *input = (struct ky_input){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (input->fd < 0)
        return errno == ENOENT ? ky_fail(error, KY_BAD_DATA, "%s: there is no such file", path)
                               : ky_fail(error, KY_BAD_DATA, "%s: cannot be read: %s", path,
                                         reason(errno, text));
    enum ky_status status = KY_OK;
    if (fstat(input->fd, &about))
        status = ky_fail(error, KY_BAD_DATA, "%s: cannot be read: %s", path, reason(errno, text));
    else if (S_ISDIR(about.st_mode))
        status = ky_fail(error, KY_BAD_DATA, "%s: is a directory; give a file in it", path);
    else if (!S_ISREG(about.st_mode))
        status = ky_fail(error, KY_BAD_DATA, "%s: is no plain file; copy it into one first", path);
    else if (about.st_size == 0)
        status = ky_fail(error, KY_BAD_DATA, "%s: is empty", path);
    if (status) {
        ky_input_close(input);
        return status;
    }
    input->size = (uint64_t)about.st_size;
    posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* reads further ahead */
    return KY_OK;
}

void ky_input_memory(struct ky_input *input, const void *data, size_t size)
{
    *input = (struct ky_input){.fd = -1, .memory = data, .size = size};
}

void ky_input_close(struct ky_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    *input = (struct ky_input){.fd = -1};
}

enum ky_status ky_input_read(const struct ky_input *input, uint64_t offset, void *data,
                             size_t bytes, struct ky_error *error)
{
    char *to = data;
    if (offset > input->size || bytes > input->size - offset)
        return ky_fail(error, KY_BAD_DATA,
                       "ends at byte %" PRIu64 " where %zu bytes from byte %" PRIu64
                       " on were expected; it is cut off or damaged",
                       input->size, bytes, offset);
    if (input->fd < 0) {
        if (bytes)
            memcpy(to, input->memory + offset, bytes);
        return KY_OK;
    }
    if (bytes >= BUFFER) /* the disk goes on while this part is copied */
        posix_fadvise(input->fd, (off_t)(offset + bytes), AHEAD, POSIX_FADV_WILLNEED);
    while (bytes) {
        ssize_t done = pread(input->fd, to, bytes < MOST ? bytes : MOST, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        char text[128];
        if (done <= 0)
            return ky_fail(error, KY_BAD_DATA, "cannot be read at byte %" PRIu64 ": %s", offset,
                           done ? reason(errno, text) : "it has become shorter");
        to += done, offset += (uint64_t)done, bytes -= (size_t)done;
    }
    return KY_OK;
}
