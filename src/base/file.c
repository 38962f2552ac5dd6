/* Replacing files: see file.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/advice.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

enum { BUFFER = 1 << 20, WAITING = 1 << 25, MOST_WRITERS = 1000, NAME_LENGTH = 255 };
/* The maximum size of one system call, a limit of some systems. */
static const size_t MOST = (size_t)1 << 30;

struct ky_file {
    int fd, folder; /* -1: not open */
    int failure;    /* errno of the first failure, or 0 */
    int finished;
    int stream;       /* standard output */
    int lock;         /* the temporary name is ours as long as this is open; -1: not open */
    size_t used;      /* bytes in the buffer */
    uint64_t waiting; /* bytes whose transfer to the disk may not have begun */
    uint64_t position;
    char *path, *temporary, *buffer;
};

int ky_is_standard(const char *path)
{
    return !strcmp(path, "-");
}

int ky_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), more = end ? strlen(end) : 0;
    if (!more || length < more)
        return 0;
    for (size_t k = 0; k < more; k++)
        if (tolower((unsigned char)text[length - more + k]) != end[k])
            return 0;
    return 1;
}

const char *ky_reason(int number, char text[128])
{
    if (strerror_r(number, text, 128))
        snprintf(text, 128, "error %d", number);
    return text;
}

static enum ky_status cannot_write(const char *path, int number, struct ky_error *error)
{
    char text[128];
    return ky_fail(error, number == ENOMEM ? KY_FAULT : KY_CANNOT_WRITE,
                   "%s: cannot be written: %s", path, ky_reason(number, text));
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

/* KY_CANNOT_WRITE if no file can be made in the folder of `path`. */
static enum ky_status check_folder(const char *path, struct ky_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = joined(slash ? path : ".", "");
    if (!folder)
        return ky_no_memory(error, "the name of a folder", strlen(path), 1);
    if (slash)
        folder[slash > path ? slash - path : 1] = '\0';
    const int number = access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return number ? cannot_write(path, number, error) : KY_OK;
}

enum ky_status ky_file_may_write(const char *path, int overwrite, struct ky_error *error)
{
    struct stat about;
    if (!*path)
        return ky_fail(error, KY_USAGE, "the name of the file to write is empty");
    if (stat(path, &about))
        return errno == ENOENT ? check_folder(path, error) : cannot_write(path, errno, error);
    if (!S_ISREG(about.st_mode))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be written: is %s", path,
                       S_ISDIR(about.st_mode) ? "a folder; give the name of a file"
                                              : "not a plain file");
    if (!overwrite)
        return ky_fail(error, KY_USAGE, "%s exists; --overwrite replaces it", path);
    return KY_OK;
}

/* Opens the folder of the file; −1 if it is not readable, and then it cannot be flushed.
 * It is opened before the file is written, so that after the rename only the flush can fail. */
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

/* PATH.part, or PATH.2.part and so on; a name that is too long is truncated. */
static char *temporary_name(const char *path, int number)
{
    char suffix[32];
    int more = number < 2 ? ky_format(suffix, sizeof suffix, ".part")
                          : ky_format(suffix, sizeof suffix, ".%d.part", number);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t room = NAME_LENGTH - (size_t)more, length = 0;
    while (name[length]) {
        int next = ky_utf8_length(name + length);
        if (length + (size_t)(next ? next : 1) > room)
            break;
        length += (size_t)(next ? next : 1);
    }
    length += (size_t)(name - path);
    char *made = ky_allocate(length + (size_t)more + 1, 1);
    if (made) {
        memcpy(made, path, length);
        memcpy(made + length, suffix, (size_t)more + 1);
    }
    return made;
}

/* Whether this process is the only writer of the open file: no other program has the lock, and the
 * file still has that name (another program may just have published it). *busy becomes 1 if another
 * program has the lock. On a file system without locks there is no lock to fail. */
static int claim(int fd, const char *name, int *busy)
{
    struct stat open_one, named;
    *busy = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    return !*busy && !fstat(fd, &open_one) && !stat(name, &named) &&
           open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
}

/* Opens a temporary file that no other writer of the same file uses. A file that a killed program
 * left behind is reused. */
static enum ky_status open_temporary(struct ky_file *file, struct ky_error *error)
{
    for (int number = 1, tries = 0; tries < MOST_WRITERS; tries++) {
        int busy;
        free(file->temporary);
        file->temporary = temporary_name(file->path, number);
        if (!file->temporary)
            return ky_no_memory(error, "file name", strlen(file->path), 1);
        int fd = open(file->temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            return cannot_write(file->temporary, errno, error);
        if (claim(fd, file->temporary, &busy)) {
            file->fd = fd;
            file->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
            if (file->lock >= 0 && !ftruncate(fd, 0))
                return KY_OK;
            return cannot_write(file->temporary, errno, error);
        }
        close(fd);
        number += busy;
    }
    return ky_fail(error, KY_CANNOT_WRITE, "%s: %d programs are writing this file at the same time",
                   file->path, MOST_WRITERS);
}

/* A file with its buffer and nothing open. Takes over `path`, which may be NULL; NULL when memory
 * is out. */
static struct ky_file *new_file(char *path)
{
    struct ky_file *made = ky_allocate_zeroed(1, sizeof *made);
    if (!made) {
        free(path);
        return NULL;
    }
    made->path = path;
    made->buffer = ky_allocate(BUFFER, 1);
    made->fd = made->folder = made->lock = -1;
    if (!made->path || !made->buffer) {
        ky_file_discard(made);
        return NULL;
    }
    return made;
}

enum ky_status ky_file_create(const char *path, int overwrite, struct ky_file **file,
                              struct ky_error *error)
{
    *file = NULL;
    KY_TRY(ky_file_may_write(path, overwrite, error));
    struct ky_file *made = new_file(target_of(path));
    if (!made)
        return ky_no_memory(error, "file buffer", BUFFER, 1);
    enum ky_status status = open_temporary(made, error);
    if (status) {
        ky_file_discard(made);
        return status;
    }
    made->folder = open_folder(made->path);
    *file = made;
    return KY_OK;
}

enum ky_status ky_file_standard_output(struct ky_file **file, struct ky_error *error)
{
    *file = new_file(joined("standard output", ""));
    if (!*file)
        return ky_no_memory(error, "file buffer", BUFFER, 1);
    (*file)->stream = 1;
    (*file)->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if ((*file)->fd >= 0)
        return KY_OK;
    enum ky_status status = cannot_write((*file)->path, errno, error);
    ky_file_discard(*file);
    *file = NULL;
    return status;
}

enum ky_status ky_file_join(const char *path, const char *name, int is_new, struct ky_file **file,
                            struct ky_error *error)
{
    struct ky_file *made = *file = new_file(joined(path, ""));
    if (!made)
        return ky_no_memory(error, "file buffer", BUFFER, 1);
    made->fd = open(name, O_WRONLY | O_CLOEXEC | (is_new ? O_CREAT | O_TRUNC : 0), 0666);
    if (made->fd >= 0)
        return KY_OK;
    enum ky_status status = cannot_write(path, errno, error);
    ky_file_discard(made);
    *file = NULL;
    return status;
}

enum ky_status ky_file_reserve(struct ky_file *file, uint64_t bytes, struct ky_error *error)
{
    struct statvfs disk;
    if (file->stream || fstatvfs(file->fd, &disk))
        return KY_OK; /* free space is not known; a full disk then fails a write */
    uint64_t unit = disk.f_frsize ? disk.f_frsize : disk.f_bsize;
    if (unit && bytes / unit >= disk.f_bavail)
        return ky_fail(error, KY_CANNOT_WRITE,
                       "%s: cannot be written: needs %" PRIu64 " bytes and the disk has %" PRIu64
                       " left",
                       file->path, bytes, (uint64_t)disk.f_bavail * unit);
    return KY_OK;
}

/* After every 32 MB the system is asked to begin writing the data to the disk, and its memory is
 * freed. For a snapshot of 640 MB this is three times as fast as one fsync at the end. */
static void begin_flush(struct ky_file *file, size_t bytes)
{
    file->waiting += bytes;
    if (file->waiting < WAITING || file->stream)
        return;
    ky_advise(file->fd, 0, 0, KY_ADVICE_WRITTEN);
    file->waiting = 0;
}

int ky_file_write_at(struct ky_file *file, uint64_t offset, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes && !file->failure) {
        size_t part = bytes < MOST ? bytes : MOST;
        ssize_t done = file->stream ? write(file->fd, from, part)
                                    : pwrite(file->fd, from, part, (off_t)offset);
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

enum ky_status ky_file_unseen(struct ky_error *error, size_t rank)
{
    char host[KY_HOST_NAME];
    return ky_fail_in(error, error->status,
                      "rank %zu on %s cannot open the file, as every rank has to (on several "
                      "machines, choose a folder that all of them share): ",
                      rank, ky_host_name(host));
}

const char *ky_file_temporary(const struct ky_file *file)
{
    return file->temporary;
}

enum ky_status ky_file_finish(struct ky_file *file, struct ky_error *error)
{
    if (!file->finished) {
        empty_buffer(file);
        if (!file->failure && !file->stream && fsync(file->fd))
            file->failure = errno;
        int fd = file->fd;
        file->fd = -1;
        if (close(fd) && !file->failure)
            file->failure = errno;
        file->finished = 1;
    }
    return file->failure ? cannot_write(file->path, file->failure, error) : KY_OK;
}

/* The new name of a file is safe on the disk only after its folder is flushed. */
static int flush_folder(const struct ky_file *file)
{
    if (file->folder < 0 || !fsync(file->folder))
        return 0;
    return errno == EINVAL || errno == ENOTSUP ? 0 : errno; /* a file system that cannot do it */
}

/* Gives the file at `path` the second name `previous`. A file exists at `path` at all times.
 * Returns an errno, or 0. */
static int keep_previous(const char *path, const char *previous)
{
    struct stat about;
    if (stat(path, &about))
        return errno == ENOENT ? 0 : errno;
    char *second = temporary_name(previous, 1);
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
    if (file->stream) {
        ky_file_discard(file);
        return status;
    }
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
                         file->path, ky_reason(failure, text));
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
    if (file->temporary && (file->fd >= 0 || file->lock >= 0))
        unlink(file->temporary);
    if (file->lock >= 0)
        close(file->lock); /* from here on other writers may use the temporary name */
    free(file->temporary);
    free(file->path);
    free(file->buffer);
    free(file);
}
