/* Programs of the OpenCL driver: the source of a unit, put together from the embedded files, and
 * its binary in the user's cache folder. The cache is keyed by device, driver, options and source;
 * what is damaged or foreign in it is passed over and made anew, before the driver sees it: a
 * driver need not survive a damaged binary. Without a cache programs are compiled each time. */
#include "engine/device/opencl/opencl.h"

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
#include "engine/device/embedded.h"

atomic_int ky_opencl_compilations;

/* ---- source ---- */

struct text {
    char *at;
    size_t size, room;
};

static int append(struct text *text, const char *from, size_t size)
{
    if (text->size + size + 1 > text->room) {
        size_t room = 2 * (text->size + size + 1);
        char *grown = ky_allocate(room, 1);
        if (!grown)
            return -1;
        if (text->size)
            memcpy(grown, text->at, text->size);
        free(text->at);
        text->at = grown;
        text->room = room;
    }
    memcpy(text->at + text->size, from, size);
    text->size += size;
    text->at[text->size] = 0;
    return 0;
}

static const struct ky_embedded *find(const char *name, size_t length)
{
    for (size_t k = 0; k < ky_embedded_count; k++)
        if (strlen(ky_embedded[k].name) == length && !memcmp(ky_embedded[k].name, name, length))
            return &ky_embedded[k];
    return NULL;
}

/* The file with its includes in their places; headers have guards of their own. */
static int expand(struct text *text, const struct ky_embedded *file)
{
    static const char include[] = "#include \"";
    const char *at = (const char *)file->text, *end = at + file->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line = newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
        const char *name = at + sizeof include - 1, *quote = NULL;
        if (line > sizeof include && !memcmp(at, include, sizeof include - 1))
            quote = memchr(name, '"', line - (sizeof include - 1));
        const struct ky_embedded *other = quote ? find(name, (size_t)(quote - name)) : NULL;
        if (other ? expand(text, other) : append(text, at, line))
            return -1;
        at += line;
    }
    return 0;
}

static enum ky_status unit_source(const struct ky_opencl *cl, const struct ky_unit *unit,
                                  struct text *text, struct ky_error *error)
{
    char name[100], head[120];
    snprintf(name, sizeof name, "engine/device/kernels/%s", unit->file);
    int size =
        snprintf(head, sizeof head, "%s%s", cl->base.has_double ? "#define KY_HAS_DOUBLE 1\n" : "",
                 cl->base.is_cpu ? "#define KY_ON_CPU 1\n" : "");
    if (unit->precision >= 0)
        size += snprintf(head + size, sizeof head - (size_t)size, "#define KY_PRECISION %d\n",
                         unit->precision);
    if (unit->variant >= 0)
        size += snprintf(head + size, sizeof head - (size_t)size, "#define KY_VARIANT %d\n",
                         unit->variant);
    const struct ky_embedded *file = find(name, strlen(name));
    if (!file)
        return ky_fail(error, KY_FAULT, "the kernels of %s are not in this library", unit->name);
    if (append(text, head, (size_t)size) || expand(text, file))
        return ky_no_memory(error, "source of kernels", text->size, 1);
    return KY_OK;
}

/* ---- cache ---- */

static const char options[] = "-cl-std=CL1.2 -cl-denorms-are-zero";

struct entry {
    char magic[8]; /* "KYOCLBIN" */
    uint64_t key, size, check;
};

static uint64_t cache_key(const struct ky_opencl *cl, const struct text *source)
{
    static const cl_device_info infos[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                           CL_DRIVER_VERSION};
    char info[512] = "";
    cl_platform_id platform = NULL;
    uint64_t key = ky_hash(source->at, source->size, 1);
    key = ky_hash(options, sizeof options, key);
    for (size_t k = 0; k < sizeof infos / sizeof *infos; k++) {
        memset(info, 0, sizeof info);
        clGetDeviceInfo(cl->device, infos[k], sizeof info, info, NULL);
        key = ky_hash(info, sizeof info, key);
    }
    /* The platform tells the compiler's version where the device does not. */
    memset(info, 0, sizeof info);
    clGetDeviceInfo(cl->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof info, info, NULL);
    return ky_hash(info, sizeof info, key);
}

/* PATH of the entry; -1 if the user has no cache folder. Makes the folders. */
static int cache_path(uint64_t key, char *path, size_t size)
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

/* The size of a plain file, 0 if it is none. */
static uint64_t plain_size(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

/* The binary of an entry that is whole, or NULL. A pipe in its place does not keep us waiting. */
static unsigned char *cache_read(const char *path, uint64_t key, size_t *size)
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
    if (file)
        fclose(file);
    else if (number >= 0)
        close(number);
    if (binary)
        *size = entry.size;
    return binary;
}

/* Under a name of its own, then renamed: a reader finds a whole entry or none. That it cannot be
 * written is no error. */
static void cache_write(const char *path, uint64_t key, const unsigned char *binary, size_t size)
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
}

static void cache_program(cl_program program, const char *path, uint64_t key)
{
    size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *binary = ky_allocate(size, 1);
    if (binary &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        cache_write(path, key, binary, size);
    free(binary);
}

/* ---- build ---- */

static cl_program from_cache(struct ky_opencl *cl, const char *path, uint64_t key)
{
    size_t size = 0;
    cl_int code, good = CL_SUCCESS;
    unsigned char *binary = cache_read(path, key, &size);
    if (!binary)
        return NULL;
    cl_program program = clCreateProgramWithBinary(cl->context, 1, &cl->device, &size,
                                                   (const unsigned char **)&binary, &good, &code);
    free(binary);
    if (code == CL_SUCCESS && good == CL_SUCCESS &&
        clBuildProgram(program, 1, &cl->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    if (code == CL_SUCCESS)
        clReleaseProgram(program);
    return NULL;
}

static enum ky_status from_source(struct ky_opencl *cl, const struct ky_unit *unit,
                                  const struct text *source, cl_program *program,
                                  struct ky_error *error)
{
    cl_int code;
    const char *text = source->at;
    *program = clCreateProgramWithSource(cl->context, 1, &text, &source->size, &code);
    if (code != CL_SUCCESS)
        return ky_opencl_failed(cl, code, "clCreateProgramWithSource", unit->name, source->size,
                                error);
    ky_opencl_compilations++;
    code = clBuildProgram(*program, 1, &cl->device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return KY_OK;
    char log[700] = "", *whole = NULL;
    size_t size = 0;
    clGetProgramBuildInfo(*program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    whole = ky_allocate_zeroed(size + 1, 1);
    if (whole && clGetProgramBuildInfo(*program, cl->device, CL_PROGRAM_BUILD_LOG, size, whole,
                                       NULL) == CL_SUCCESS)
        snprintf(log, sizeof log, "%.690s", whole);
    free(whole);
    for (char *c = log; *c; c++)
        if (*c == '\n')
            *c = ' ';
    clReleaseProgram(*program);
    *program = NULL;
    return ky_fail(error, KY_DEVICE, "%s: clBuildProgram of %s (%d): %s", cl->base.name, unit->name,
                   code, log);
}

enum ky_status ky_opencl_build(struct ky_opencl *cl, enum ky_unit_id unit, struct ky_error *error)
{
    char path[1100];
    struct text source = {NULL, 0, 0};
    enum ky_status status = unit_source(cl, &ky_units[unit], &source, error);
    if (status == KY_OK) {
        uint64_t key = cache_key(cl, &source);
        int cached = cache_path(key, path, sizeof path) == 0;
        if (cached)
            cl->program[unit] = from_cache(cl, path, key);
        if (!cl->program[unit]) {
            status = from_source(cl, &ky_units[unit], &source, &cl->program[unit], error);
            if (status == KY_OK && cached)
                cache_program(cl->program[unit], path, key);
        }
    }
    free(source.at);
    return status;
}
