/* The user's cache folder of compiled OpenCL programs. The driver never gets a damaged or foreign
 * entry, since a damaged binary may crash it. An entry is written under a temporary name and
 * renamed, so a reader finds a complete entry or none. When the folder exceeds its limit, the least
 * recently used entries are removed. */
#include "engine/device/driver/opencl/opencl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"

uint64_t ky_opencl_cache_limit = (uint64_t)256 << 20;

struct entry {
    char magic[8]; /* "KYOCLBIN" */
    uint64_t key, size, check;
};

int ky_opencl_cache_path(uint64_t key, char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (cache && *cache == '/')
        length = snprintf(path, size, "%s", cache);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache", home);
    else
        return -1;
    if (length < 0 || (size_t)length + 64 > size)
        return -1;
    mkdir(path, 0700);
    strcat(path, "/kyoho");
    if (mkdir(path, 0700) && errno != EEXIST)
        return -1;
    snprintf(path + strlen(path), size - strlen(path), "/opencl-%016" PRIx64 ".bin", key);
    return 0;
}

/* ---- the limit ---- */

struct file {
    char name[64];
    struct timespec used;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct file *)a)->used,
                          *y = &((const struct file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec);
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Lists the entries in the folder, and files left by writers that were killed; at most `most`. */
static size_t list_entries(DIR *folder, struct file *files, size_t most)
{
    size_t count = 0;
    for (struct dirent *found; count < most && (found = readdir(folder));) {
        struct stat info;
        struct file *file = &files[count];
        if (strncmp(found->d_name, "opencl-", 7) != 0 ||
            strlen(found->d_name) >= sizeof file->name ||
            fstatat(dirfd(folder), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        strcpy(file->name, found->d_name);
        file->used = info.st_mtim;
        file->bytes = (uint64_t)info.st_size;
        count++;
    }
    return count;
}

/* Other processes may do the same at the same time, so a missing file is not an error. */
static void keep_limit(const char *path)
{
    enum { MOST = 8192 };
    char name[1200];
    snprintf(name, sizeof name, "%s", path);
    char *slash = strrchr(name, '/');
    if (slash)
        *slash = 0;
    DIR *folder = opendir(name);
    struct file *files = folder ? ky_allocate(MOST, sizeof *files) : NULL;
    size_t count = files ? list_entries(folder, files, MOST) : 0;
    uint64_t bytes = 0;
    if (count > 0)
        qsort(files, count, sizeof *files, by_use);
    for (size_t k = 0; k < count; k++)
        bytes += files[k].bytes;
    for (size_t k = 0; k + 1 < count && bytes > ky_opencl_cache_limit; k++) {
        unlinkat(dirfd(folder), files[k].name, 0);
        bytes -= files[k].bytes;
    }
    free(files);
    if (folder)
        closedir(folder);
}

/* ---- entries ---- */

/* The size of a regular file; 0 for anything else. */
static uint64_t plain_size(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

unsigned char *ky_opencl_cache_read(const char *path, uint64_t key, size_t *size)
{
    struct entry entry;
    unsigned char *binary = NULL;
    int number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = number >= 0 ? fdopen(number, "rb") : NULL;
    uint64_t whole = number >= 0 ? plain_size(number) : 0;
    if (file && whole > sizeof entry && fread(&entry, sizeof entry, 1, file) == 1 &&
        !memcmp(entry.magic, "KYOCLBIN", 8) && entry.key == key &&
        entry.size == whole - sizeof entry)
        binary = ky_allocate(entry.size, 1);
    if (binary && (fread(binary, 1, entry.size, file) != entry.size ||
                   ky_hash(binary, entry.size, key) != entry.check)) {
        free(binary);
        binary = NULL;
    }
    if (binary)
        futimens(number, NULL); /* marks the entry as used now */
    if (file)
        fclose(file);
    else if (number >= 0)
        close(number);
    if (binary)
        *size = entry.size;
    return binary;
}

void ky_opencl_cache_write(const char *path, uint64_t key, const unsigned char *binary, size_t size)
{
    char temporary[1200];
    struct entry entry = {"", key, size, ky_hash(binary, size, key)};
    memcpy(entry.magic, "KYOCLBIN", 8);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int number = mkstemp(temporary);
    if (number < 0)
        return;
    FILE *file = fdopen(number, "wb");
    int good =
        file && fwrite(&entry, sizeof entry, 1, file) == 1 && fwrite(binary, 1, size, file) == size;
    good = (file ? fclose(file) : close(number)) == 0 && good;
    if (!good || rename(temporary, path))
        remove(temporary);
    keep_limit(path);
}
