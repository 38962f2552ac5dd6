/* Reading files by position, from the disk, from standard input or from memory: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/advice.h"
#include "base/memory.h"

enum { BUFFER = 1 << 20, AHEAD = 1 << 25 };
/* The maximum size of one system call, a limit of some systems. */
static const size_t MOST = (size_t)1 << 30;

enum ky_status ky_input_open(const char *path, struct ky_input *input, struct ky_error *error)
{
    struct stat about;
    char text[128];
    *input = (struct ky_input){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (input->fd < 0)
        return errno == ENOENT ? ky_fail(error, KY_BAD_DATA, "%s: there is no such file", path)
                               : ky_fail(error, KY_BAD_DATA, "%s: cannot be read: %s", path,
                                         ky_reason(errno, text));
    enum ky_status status = KY_OK;
    if (fstat(input->fd, &about))
        status =
            ky_fail(error, KY_BAD_DATA, "%s: cannot be read: %s", path, ky_reason(errno, text));
    else if (S_ISDIR(about.st_mode))
        status = ky_fail(error, KY_BAD_DATA, "%s: is a folder; give a file in it", path);
    else if (!S_ISREG(about.st_mode))
        status =
            ky_fail(error, KY_BAD_DATA, "%s: not a regular file; copy it into one first", path);
    else if (about.st_size == 0)
        status = ky_fail(error, KY_BAD_DATA, "%s: is empty", path);
    if (status) {
        ky_input_close(input);
        return status;
    }
    input->size = (uint64_t)about.st_size;
    input->written = (int64_t)about.st_mtime;
    ky_advise(input->fd, 0, 0, KY_ADVICE_SEQUENTIAL);
    return KY_OK;
}

int ky_input_has_changed(const struct ky_input *input)
{
    struct stat about;
    return input->fd >= 0 && (fstat(input->fd, &about) || (uint64_t)about.st_size != input->size ||
                              (int64_t)about.st_mtime != input->written);
}

void ky_input_memory(struct ky_input *input, const void *data, size_t size)
{
    *input = (struct ky_input){.fd = -1, .memory = data, .size = size};
}

enum ky_status ky_input_standard(struct ky_input *input, struct ky_error *error)
{
    size_t room = BUFFER, size = 0;
    unsigned char *memory = ky_allocate(room, 1);
    *input = (struct ky_input){.fd = -1};
    for (ssize_t got = 1; memory && got;) {
        if (size == room) { /* twice as much */
            unsigned char *more = ky_allocate(room, 2);
            if (more)
                memcpy(more, memory, size);
            free(memory);
            memory = more;
            room *= 2;
            continue;
        }
        got = read(STDIN_FILENO, memory + size, room - size < MOST ? room - size : MOST);
        char text[128];
        if (got < 0 && errno != EINTR) {
            free(memory);
            return ky_fail(error, KY_BAD_DATA, "cannot be read: %s", ky_reason(errno, text));
        }
        size += got > 0 ? (size_t)got : 0;
    }
    if (!memory)
        return ky_no_memory(error, "standard input", room, 1);
    *input = (struct ky_input){.fd = -1, .memory = memory, .owned = memory, .size = size};
    return size ? KY_OK : ky_fail(error, KY_BAD_DATA, "is empty");
}

void ky_input_close(struct ky_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    free(input->owned);
    for (int k = 0; input->kept && k < KY_INPUTS_KEPT; k++)
        if (input->kept[k].path)
            ky_input_close(&input->kept[k]);
    free(input->kept);
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
    if (bytes >= BUFFER) /* the disk continues while this part is copied */
        ky_advise(input->fd, (off_t)(offset + bytes), AHEAD, KY_ADVICE_SOON);
    while (bytes) {
        ssize_t done = pread(input->fd, to, bytes < MOST ? bytes : MOST, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        char text[128];
        if (done <= 0)
            return ky_fail(error, KY_BAD_DATA, "cannot be read at byte %" PRIu64 ": %s", offset,
                           done ? ky_reason(errno, text) : "it has become shorter");
        to += done, offset += (uint64_t)done, bytes -= (size_t)done;
    }
    return KY_OK;
}
