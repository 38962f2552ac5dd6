/* Programs of the OpenCL driver: the source of a unit is assembled from the embedded files, and its
 * binary is kept in the user's cache folder (cache.c) under a key of device, driver, options and
 * source. Without a cache folder programs are compiled each time. */
#include "engine/device/driver/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "engine/device/driver/embedded.h"

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

/* Appends the file with its includes inserted; headers have include guards. */
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
    int size = snprintf(head, sizeof head, "#define KY_TEAM %zu\n%s%s", cl->base.team,
                        cl->base.has_double ? "#define KY_HAS_DOUBLE 1\n" : "",
                        cl->base.is_cpu ? "#define KY_ON_CPU 1\n" : "");
    if (unit->precision >= 0)
        size += snprintf(head + size, sizeof head - (size_t)size, "#define KY_PRECISION %d\n",
                         unit->precision);
    const struct ky_embedded *file = find(name, strlen(name));
    if (!file)
        return ky_fail(error, KY_FAULT, "the kernels of %s are not in this library", unit->name);
    if (append(text, head, (size_t)size) || expand(text, file) ||
        append(text, unit->made, strlen(unit->made)))
        return ky_no_memory(error, "source of kernels", text->size, 1);
    return KY_OK;
}

/* ---- cache ---- */

static const char options[] = "-cl-std=CL1.2 -cl-denorms-are-zero -cl-kernel-arg-info";

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
        ky_cl.GetDeviceInfo(cl->device, infos[k], sizeof info, info, NULL);
        key = ky_hash(info, sizeof info, key);
    }
    /* the platform's version contains the compiler's version, unlike the device's */
    memset(info, 0, sizeof info);
    ky_cl.GetDeviceInfo(cl->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    ky_cl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof info, info, NULL);
    return ky_hash(info, sizeof info, key);
}

static void cache_program(cl_program program, const char *path, uint64_t key)
{
    size_t size = 0;
    if (ky_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *binary = ky_allocate(size, 1);
    if (binary && ky_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary,
                                       NULL) == CL_SUCCESS)
        ky_opencl_cache_write(path, key, binary, size);
    free(binary);
}

/* ---- build ---- */

static cl_program from_cache(struct ky_opencl *cl, const char *path, uint64_t key)
{
    size_t size = 0;
    cl_int code, good = CL_SUCCESS;
    unsigned char *binary = ky_opencl_cache_read(path, key, &size);
    if (!binary)
        return NULL;
    cl_program program = ky_cl.CreateProgramWithBinary(
        cl->context, 1, &cl->device, &size, (const unsigned char **)&binary, &good, &code);
    free(binary);
    if (code == CL_SUCCESS && good == CL_SUCCESS &&
        ky_cl.BuildProgram(program, 1, &cl->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    if (code == CL_SUCCESS)
        ky_cl.ReleaseProgram(program);
    return NULL;
}

static enum ky_status from_source(struct ky_opencl *cl, const struct ky_unit *unit,
                                  const struct text *source, cl_program *program,
                                  struct ky_error *error)
{
    cl_int code;
    const char *text = source->at;
    *program = ky_cl.CreateProgramWithSource(cl->context, 1, &text, &source->size, &code);
    KY_TRY(ky_opencl_check(cl, code, "clCreateProgramWithSource", unit->name, source->size, error));
    ky_opencl_compilations++;
    code = ky_cl.BuildProgram(*program, 1, &cl->device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return KY_OK;
    char log[700] = "", *whole = NULL;
    size_t size = 0;
    ky_cl.GetProgramBuildInfo(*program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    whole = ky_allocate_zeroed(size + 1, 1);
    if (whole && ky_cl.GetProgramBuildInfo(*program, cl->device, CL_PROGRAM_BUILD_LOG, size, whole,
                                           NULL) == CL_SUCCESS)
        snprintf(log, sizeof log, "%.690s", whole);
    free(whole);
    for (char *c = log; *c; c++)
        if (*c == '\n')
            *c = ' ';
    ky_cl.ReleaseProgram(*program);
    *program = NULL;
    return ky_fail(error, KY_DEVICE, "%s: clBuildProgram of %s (%d): %s", cl->base.name, unit->name,
                   code, log);
}

enum ky_status ky_opencl_build(struct ky_opencl *cl, enum ky_unit_id unit, struct ky_error *error)
{
    char path[1100];
    struct text source = {NULL, 0, 0};
    enum ky_status status = unit_source(cl, &ky_units[unit], &source, error);
    if (!status) {
        uint64_t key = cache_key(cl, &source);
        int cached = ky_opencl_cache_path(key, path, sizeof path) == 0;
        if (cached)
            cl->program[unit] = from_cache(cl, path, key);
        if (!cl->program[unit]) {
            status = from_source(cl, &ky_units[unit], &source, &cl->program[unit], error);
            if (!status && cached)
                cache_program(cl->program[unit], path, key);
        }
    }
    free(source.at);
    return status;
}
