/* The OpenCL driver: memory, launches and clocks. */
#include "engine/device/driver/opencl/opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

int ky_opencl_hide_double;
int ky_opencl_show_tiles;

/* PoCL before version 6 may abort the process (pocl_release_dlhandle_cache: found->ref_count > 0)
 * if two queues run kernels, or one does while a program is built: when a kernel ends, PoCL finds
 * its reference count by hash and group size only, and may use the count of another build of the
 * kernel. So on CPUs one queue at a time runs kernels, and none does while a program is built. A
 * CPU gains little from two queues. */
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static cl_command_queue busy; /* the queue that may have kernels running, or NULL */

/* On a CPU: waits until no other card runs kernels. No other card starts a kernel before
 * end_alone. */
static void begin_alone(const struct ky_opencl *cl)
{
    if (!cl->base.is_cpu)
        return;
    pthread_mutex_lock(&alone);
    if (busy && busy != cl->queue)
        ky_cl.Finish(busy); /* the card of that queue will meet the error again */
    busy = cl->queue;
}

static void end_alone(const struct ky_opencl *cl)
{
    if (cl->base.is_cpu)
        pthread_mutex_unlock(&alone);
}

static void finish_queue(cl_command_queue queue)
{
    ky_cl.Finish(queue);
    pthread_mutex_lock(&alone);
    if (busy == queue)
        busy = NULL;
    pthread_mutex_unlock(&alone);
}

static void close_device(struct ky_card *card)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    if (!cl)
        return;
    if (cl->queue)
        finish_queue(cl->queue);
    for (int k = 0; k < KY_MARKS; k++)
        if (cl->mark[k])
            ky_cl.ReleaseEvent(cl->mark[k]);
    for (int k = 0; k < KY_KERNEL_COUNT; k++)
        if (cl->kernel[k])
            ky_cl.ReleaseKernel(cl->kernel[k]);
    for (int k = 0; k < KY_UNIT_COUNT; k++)
        if (cl->program[k])
            ky_cl.ReleaseProgram(cl->program[k]);
    if (cl->queue)
        ky_cl.ReleaseCommandQueue(cl->queue);
    if (cl->context)
        ky_cl.ReleaseContext(cl->context);
    free(cl);
}

static enum ky_status connect(struct ky_opencl *cl, struct ky_error *error)
{
    cl_device_fp_config fp64 = 0;
    cl_uint processors = 1;
    cl_ulong memory = 0;
    cl_int code;
    ky_opencl_describe(cl->device, cl->base.name, sizeof cl->base.name);
    ky_cl.GetDeviceInfo(cl->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    ky_cl.GetDeviceInfo(cl->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof processors, &processors,
                        NULL);
    ky_cl.GetDeviceInfo(cl->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    cl->base.memory = (double)memory;
    cl->base.has_double = fp64 != 0 && !ky_opencl_hide_double;
    cl->base.has_tiles = ky_opencl_show_tiles;
    cl->base.processors = processors > 0 ? processors : 1;
    cl->base.is_cpu = !ky_opencl_is_gpu(cl->device);
    cl->context = ky_cl.CreateContext(NULL, 1, &cl->device, NULL, NULL, &code);
    KY_TRY(ky_opencl_check(cl, code, "clCreateContext", "device", 0, error));
    cl->queue = ky_cl.CreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &code);
    return ky_opencl_check(cl, code, "clCreateCommandQueue", "device", 0, error);
}

static enum ky_status open_device(size_t index, struct ky_card **card, struct ky_error *error)
{
    *card = NULL;
    KY_TRY(ky_device_check(&ky_opencl_driver, index, error));
    struct ky_opencl *cl;
    KY_TRY(ky_array_zeroed(&cl, 1, sizeof *cl, "OpenCL device", error));
    cl->base.driver = &ky_opencl_driver;
    cl->base.team = KY_OPENCL_TEAM;
    cl->base.teams = 1;
    cl->device = ky_opencl_device(index);
    pthread_mutex_lock(&alone);
    enum ky_status status = connect(cl, error);
    pthread_mutex_unlock(&alone);
    if (status)
        close_device(&cl->base);
    else
        *card = &cl->base;
    return status;
}

/* ---- memory ---- */

static enum ky_status allocate(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                               struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code;
    buffer->handle = ky_cl.CreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    return ky_opencl_check(cl, code, "clCreateBuffer", buffer->what, bytes, error);
}

/* OpenCL has no sub-buffers of sub-buffers: a part of a part is made as a part of the whole
 * buffer. */
static enum ky_status part(struct ky_card *card, const struct ky_buffer *whole, size_t offset,
                           size_t bytes, struct ky_buffer *buffer, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_mem outer = NULL;
    size_t begin = 0;
    cl_int code = ky_cl.GetMemObjectInfo(whole->handle, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof outer,
                                         &outer, NULL);
    if (code == CL_SUCCESS)
        code = ky_cl.GetMemObjectInfo(whole->handle, CL_MEM_OFFSET, sizeof begin, &begin, NULL);
    KY_TRY(ky_opencl_check(cl, code, "clGetMemObjectInfo", whole->what, bytes, error));
    const cl_buffer_region region = {begin + offset, bytes};
    buffer->handle = ky_cl.CreateSubBuffer(outer ? outer : whole->handle, CL_MEM_READ_WRITE,
                                           CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    KY_TRY(ky_opencl_check(cl, code, "clCreateSubBuffer", whole->what, bytes, error));
    buffer->part = 1;
    return KY_OK;
}

static void release(struct ky_card *card, struct ky_buffer *buffer)
{
    (void)card;
    ky_cl.ReleaseMemObject(buffer->handle);
}

static enum ky_status adopt(struct ky_card *card, void *address, uint64_t stream,
                            struct ky_buffer *buffer, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code;
    if (!card->is_cpu || stream)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%s: the %s are in the memory of a CUDA device, which OpenCL cannot read: "
                       "use engine cuda",
                       card->name, buffer->what);
    buffer->handle = ky_cl.CreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                        buffer->bytes, address, &code);
    return ky_opencl_check(cl, code, "clCreateBuffer", buffer->what, buffer->bytes, error);
}

static enum ky_status pin(struct ky_card *card, size_t bytes, struct ky_pinned *pinned,
                          struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code;
    pinned->handle = ky_cl.CreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                        bytes, NULL, &code);
    KY_TRY(ky_opencl_check(cl, code, "clCreateBuffer", pinned->what, bytes, error));
    pinned->data =
        ky_cl.EnqueueMapBuffer(cl->queue, pinned->handle, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                               bytes, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        return KY_OK;
    ky_cl.ReleaseMemObject(pinned->handle);
    return ky_opencl_check(cl, code, "clEnqueueMapBuffer", pinned->what, bytes, error);
}

static void unpin(struct ky_card *card, struct ky_pinned *pinned)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    ky_cl.EnqueueUnmapMemObject(cl->queue, pinned->handle, pinned->data, 0, NULL, NULL);
    ky_cl.ReleaseMemObject(pinned->handle);
}

static enum ky_status write_with(struct ky_card *card, cl_bool blocking,
                                 struct ky_buffer_address to, const void *data, size_t bytes,
                                 struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code = CL_SUCCESS;
    if (bytes > 0)
        code = ky_cl.EnqueueWriteBuffer(cl->queue, to.buffer->handle, blocking, to.offset, bytes,
                                        data, 0, NULL, NULL);
    if (code == CL_SUCCESS && !blocking)
        code = ky_cl.Flush(cl->queue); /* otherwise the copy may wait for the next blocking call */
    return ky_opencl_check(cl, code, "clEnqueueWriteBuffer", to.buffer->what, bytes, error);
}

static enum ky_status read_with(struct ky_card *card, cl_bool blocking,
                                const struct ky_buffer *buffer, size_t offset, void *data,
                                size_t bytes, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code = CL_SUCCESS;
    if (bytes > 0)
        code = ky_cl.EnqueueReadBuffer(cl->queue, buffer->handle, blocking, offset, bytes, data, 0,
                                       NULL, NULL);
    if (code == CL_SUCCESS && !blocking)
        code = ky_cl.Flush(cl->queue);
    return ky_opencl_check(cl, code, "clEnqueueReadBuffer", buffer->what, bytes, error);
}

static enum ky_status write_buffer(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                   const void *data, size_t bytes, struct ky_error *error)
{
    return write_with(card, CL_TRUE, KY_ADDRESS(buffer, offset), data, bytes, error);
}

static enum ky_status read_buffer(struct ky_card *card, const struct ky_buffer *buffer,
                                  size_t offset, void *data, size_t bytes, struct ky_error *error)
{
    return read_with(card, CL_TRUE, buffer, offset, data, bytes, error);
}

static enum ky_status write_later(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                  const void *data, size_t bytes, struct ky_error *error)
{
    return write_with(card, CL_FALSE, KY_ADDRESS(buffer, offset), data, bytes, error);
}

static enum ky_status read_later(struct ky_card *card, const struct ky_buffer *buffer,
                                 size_t offset, void *data, size_t bytes, struct ky_error *error)
{
    return read_with(card, CL_FALSE, buffer, offset, data, bytes, error);
}

static enum ky_status copy(struct ky_card *card, struct ky_buffer_address from,
                           struct ky_buffer_address to, size_t bytes, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code = ky_cl.EnqueueCopyBuffer(cl->queue, from.buffer->handle, to.buffer->handle,
                                          from.offset, to.offset, bytes, 0, NULL, NULL);
    return ky_opencl_check(cl, code, "clEnqueueCopyBuffer", to.buffer->what, bytes, error);
}

static enum ky_status fetch(struct ky_card *from_card, struct ky_buffer_address from,
                            struct ky_card *to_card, struct ky_buffer_address to, size_t bytes,
                            struct ky_error *error)
{
    void *middle;
    KY_TRY(ky_array(&middle, bytes, 1, "copy between devices", error));
    enum ky_status status = read_buffer(from_card, from.buffer, from.offset, middle, bytes, error);
    if (!status)
        status = write_with(to_card, CL_TRUE, to, middle, bytes, error);
    free(middle);
    return status;
}

static enum ky_status zero(struct ky_card *card, struct ky_buffer *buffer, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    const unsigned char nothing = 0;
    cl_int code = ky_cl.EnqueueFillBuffer(cl->queue, buffer->handle, &nothing, 1, 0, buffer->bytes,
                                          0, NULL, NULL);
    return ky_opencl_check(cl, code, "clEnqueueFillBuffer", buffer->what, buffer->bytes, error);
}

/* ---- kernels ---- */

/* The size of a type by its name in a kernel; 0 for an unknown name. */
static unsigned char bytes_of_type(const char *name)
{
    static const struct {
        const char *name;
        unsigned char bytes;
    } types[] = {{"ky_uint", 4},  {"uint", 4},  {"ky_ulong", 8}, {"ulong", 8},
                 {"ky_state", 8}, {"float", 4}, {"double", 8}};
    const size_t length = strlen(name);
    if (length > 0 && name[length - 1] == '*')
        return sizeof(cl_mem);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(types[k].name, name))
            return types[k].bytes;
    return 0;
}

/* Some compilers drop the types. */
static void ask_for_arguments(cl_kernel kernel, struct ky_taken *taken)
{
    cl_uint count = 0;
    ky_cl.GetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    taken->count = count;
    for (cl_uint k = 0; k < count && k < KY_MOST_ARGUMENTS; k++) {
        char name[100] = "";
        ky_cl.GetKernelArgInfo(kernel, k, CL_KERNEL_ARG_TYPE_NAME, sizeof name - 1, name, NULL);
        taken->bytes[k] = bytes_of_type(name);
    }
}

static enum ky_status load(struct ky_card *card, enum ky_kernel_id kernel, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    enum ky_unit_id unit = ky_kernels[kernel].unit;
    enum ky_status status = KY_OK;
    if (cl->kernel[kernel])
        return KY_OK;
    if (!cl->program[unit]) {
        begin_alone(cl);
        status = ky_opencl_build(cl, unit, error);
        end_alone(cl);
    }
    if (status)
        return status;
    cl_int code;
    cl->kernel[kernel] = ky_cl.CreateKernel(cl->program[unit], ky_kernels[kernel].name, &code);
    KY_TRY(ky_opencl_check(cl, code, "clCreateKernel", ky_kernels[kernel].name, 0, error));
    ask_for_arguments(cl->kernel[kernel], &cl->taken[kernel]);
    return KY_OK;
}

/* OpenCL 1.2 has no call for this. Four groups per processor keep a GPU busy, one per core keeps a
 * CPU busy. */
static size_t resident(struct ky_card *card, enum ky_kernel_id kernel)
{
    (void)kernel;
    return card->processors * (card->is_cpu ? 1 : 4);
}

static enum ky_status launch(struct ky_card *card, enum ky_kernel_id id, size_t groups,
                             const struct ky_arguments *arguments, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    const struct ky_kernel *kernel = &ky_kernels[id];
    size_t lanes = ky_kernel_lanes(card, id), total = groups * lanes;
    cl_int code = CL_SUCCESS;
    KY_TRY(ky_arguments_check(id, arguments, &cl->taken[id], error));
    for (size_t k = 0; k < arguments->count && code == CL_SUCCESS; k++)
        code = ky_cl.SetKernelArg(cl->kernel[id], (cl_uint)k, arguments->of[k].size,
                                  arguments->of[k].value);
    KY_TRY(ky_opencl_check(cl, code, "clSetKernelArg", kernel->name, 0, error));
    if (groups == 0)
        return KY_OK;
    begin_alone(cl);
    code = ky_cl.EnqueueNDRangeKernel(cl->queue, cl->kernel[id], 1, NULL, &total, &lanes, 0, NULL,
                                      NULL);
    if (code == CL_SUCCESS)
        code =
            ky_cl.Flush(cl->queue); /* otherwise the kernel may wait for the next blocking call */
    end_alone(cl);
    if (code != CL_SUCCESS)
        return ky_fail(error, KY_DEVICE, "%s: kernel %s of %zu groups of %zu cannot start (%d)",
                       card->name, kernel->name, groups, lanes, code);
    return KY_OK;
}

static enum ky_status wait(struct ky_card *card, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code = ky_cl.Finish(cl->queue);
    return ky_opencl_check(cl, code, "clFinish", "queue", 0, error);
}

/* ---- clocks ---- */

static enum ky_status mark(struct ky_card *card, int which, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    if (cl->mark[which])
        ky_cl.ReleaseEvent(cl->mark[which]);
    cl->mark[which] = NULL;
    cl_int code = ky_cl.EnqueueMarkerWithWaitList(cl->queue, 0, NULL, &cl->mark[which]);
    return ky_opencl_check(cl, code, "clEnqueueMarkerWithWaitList", "queue", 0, error);
}

static enum ky_status reach(struct ky_card *card, int which, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_int code = cl->mark[which] ? ky_cl.WaitForEvents(1, &cl->mark[which]) : CL_SUCCESS;
    return ky_opencl_check(cl, code, "clWaitForEvents", "queue", 0, error);
}

static double between(struct ky_card *card, int from, int to)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    cl_ulong start = 0, end = 0;
    if (!cl->mark[from] || !cl->mark[to] || ky_cl.WaitForEvents(1, &cl->mark[to]) != CL_SUCCESS ||
        ky_cl.GetEventProfilingInfo(cl->mark[from], CL_PROFILING_COMMAND_END, sizeof start, &start,
                                    NULL) != CL_SUCCESS ||
        ky_cl.GetEventProfilingInfo(cl->mark[to], CL_PROFILING_COMMAND_END, sizeof end, &end,
                                    NULL) != CL_SUCCESS)
        return 0;
    return end > start ? 1e-9 * (double)(end - start) : 0;
}

const struct ky_driver ky_opencl_driver = {
    .name = "opencl",
    .list = ky_opencl_list,
    .first_cpu = ky_opencl_first_cpu,
    .open = open_device,
    .close = close_device,
    .load = load,
    .resident = resident,
    .allocate = allocate,
    .part = part,
    .release = release,
    .adopt = adopt,
    .write = write_buffer,
    .read = read_buffer,
    .pin = pin,
    .unpin = unpin,
    .write_later = write_later,
    .read_later = read_later,
    .copy = copy,
    .fetch = fetch,
    .zero = zero,
    .launch = launch,
    .wait = wait,
    .mark = mark,
    .reach = reach,
    .between = between,
    .scratch = ky_opencl_scratch,
    .sort = ky_opencl_sort,
    .scan = ky_opencl_scan,
    .reduce = ky_opencl_reduce,
};
