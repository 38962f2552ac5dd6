/* The CUDA driver: devices, memory, launches and clocks. It uses the static runtime, so that the
 * program also starts on a machine without NVIDIA's driver. */
#include "engine/device/driver/cuda/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

static const struct ky_cuda_table *const tables[] = {
    &ky_cuda_common, &ky_cuda_single, &ky_cuda_extended, &ky_cuda_double,
    &ky_cuda_exact,  &ky_cuda_expand, &ky_cuda_few_large};

static const struct ky_cuda_kernel *kernel_of(enum ky_kernel_id id)
{
    size_t place = (size_t)id;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        if (place < tables[k]->count)
            return &tables[k]->kernel[place];
        place -= tables[k]->count;
    }
    return NULL;
}

/* ---- devices ---- */

/* The toolkit of this build, and the oldest version of NVIDIA's driver for Linux that runs it. */
#if CUDART_VERSION >= 13000
#define TOOLKIT "CUDA 13"
#define OLDEST_DRIVER "580"
#else
#define TOOLKIT "CUDA 12"
#define OLDEST_DRIVER "525"
#endif

/* The number of devices; if it is 0, *reason says why. */
static int device_count(const char **reason)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    *reason = "there is no NVIDIA GPU";
    if (code == cudaSuccess)
        return count;
    cudaGetLastError();
    int version = 0; /* of the driver; 0: there is none */
    cudaDriverGetVersion(&version);
    if (code == cudaErrorInsufficientDriver)
        *reason = version ? "the NVIDIA driver is too old: this build (" TOOLKIT
                            ") needs driver " OLDEST_DRIVER " or newer"
                          : "there is no NVIDIA driver; this build (" TOOLKIT
                            ") needs driver " OLDEST_DRIVER " or newer";
    else if (code != cudaErrorNoDevice)
        *reason = cudaGetErrorString(code);
    return 0;
}

static enum ky_status list(size_t index, struct ky_device *device)
{
    const char *reason;
    int count = device_count(&reason);
    struct cudaDeviceProp properties;
    memset(device, 0, sizeof *device);
    if (count == 0 && index == 0) {
        snprintf(device->engine, sizeof device->engine, "cuda");
        snprintf(device->reason, sizeof device->reason, "%s", reason);
        return KY_OK;
    }
    if (index >= (size_t)count || cudaGetDeviceProperties(&properties, (int)index) != cudaSuccess)
        return KY_USAGE;
    snprintf(device->engine, sizeof device->engine, "cuda:%d", (int)index);
    snprintf(device->name, sizeof device->name, "%.100s, %.1f GB, compute capability %d.%d",
             properties.name, (double)properties.totalGlobalMem * 1e-9, properties.major,
             properties.minor);
    device->usable = properties.major * 10 + properties.minor >= 75;
    if (!device->usable)
        snprintf(device->reason, sizeof device->reason,
                 "its compute capability is below 7.5, the oldest of this build");
    return KY_OK;
}

static size_t first_cpu(void)
{
    return SIZE_MAX;
}

static void close_device(struct ky_card *card)
{
    if (!card)
        return;
    struct ky_cuda *cuda = ky_cuda_use(card);
    for (int k = 0; k < KY_MARKS; k++)
        if (cuda->mark[k])
            cudaEventDestroy(cuda->mark[k]);
    if (cuda->adopted)
        cudaEventDestroy(cuda->adopted);
    if (cuda->stream)
        cudaStreamDestroy(cuda->stream);
    free(cuda);
}

static enum ky_status connect(struct ky_cuda *cuda, struct ky_error *error)
{
    struct cudaDeviceProp properties;
    cudaError_t code = cudaSetDevice(cuda->device);
    if (code == cudaSuccess)
        code = cudaGetDeviceProperties(&properties, cuda->device);
    if (code == cudaSuccess)
        code = cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);
    for (int k = 0; k < KY_MARKS && code == cudaSuccess; k++)
        code = cudaEventCreate(&cuda->mark[k]);
    KY_TRY(ky_cuda_check(&cuda->base, code, "opening", "device", 0, error));
    snprintf(cuda->base.name, sizeof cuda->base.name, "%.150s", properties.name);
    cuda->base.has_double = 1;
    cuda->base.has_tiles = properties.major >= 8;
    cuda->base.processors = (size_t)properties.multiProcessorCount;
    cuda->base.memory = (double)properties.totalGlobalMem;
    return KY_OK;
}

static enum ky_status open_device(size_t index, struct ky_card **card, struct ky_error *error)
{
    *card = NULL;
    KY_TRY(ky_device_check(&ky_cuda_driver, index, error));
    struct ky_cuda *cuda;
    KY_TRY(ky_array_zeroed(&cuda, 1, sizeof *cuda, "CUDA device", error));
    cuda->base.driver = &ky_cuda_driver;
    cuda->base.team = KY_CUDA_TEAM;
    cuda->base.teams = KY_TEAMS_OF_BLOCK;
    cuda->device = (int)index;
    snprintf(cuda->base.name, sizeof cuda->base.name, "cuda:%d", cuda->device);
    enum ky_status status = connect(cuda, error);
    if (status)
        close_device(&cuda->base);
    else
        *card = &cuda->base;
    return status;
}

/* ---- memory ---- */

static enum ky_status allocate(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                               struct ky_error *error)
{
    ky_cuda_use(card);
    cudaError_t code = cudaMalloc(&buffer->handle, bytes);
    return ky_cuda_check(card, code, "cudaMalloc", buffer->what, bytes, error);
}

static enum ky_status part(struct ky_card *card, const struct ky_buffer *whole, size_t offset,
                           size_t bytes, struct ky_buffer *buffer, struct ky_error *error)
{
    (void)card, (void)bytes, (void)error;
    buffer->handle = (char *)whole->handle + offset;
    buffer->part = 1;
    return KY_OK;
}

static void release(struct ky_card *card, struct ky_buffer *buffer)
{
    ky_cuda_use(card);
    if (!buffer->part)
        cudaFree(buffer->handle);
}

/* KY_USAGE for memory that is not on the card. */
static enum ky_status check_address(const struct ky_cuda *cuda, const void *address,
                                    const struct ky_buffer *buffer, struct ky_error *error)
{
    struct cudaPointerAttributes found;
    cudaError_t code = cudaPointerGetAttributes(&found, address);
    cudaGetLastError();
    const int is_there = code == cudaSuccess && (found.type == cudaMemoryTypeDevice ||
                                                 found.type == cudaMemoryTypeManaged);
    if (!is_there)
        return ky_fail(error, KY_USAGE, "%s: the %s are not in the memory of a CUDA device",
                       cuda->base.name, buffer->what);
    if (found.type == cudaMemoryTypeDevice && found.device != cuda->device)
        return ky_fail(error, KY_USAGE,
                       "the %s are on the device cuda:%d, but the engine is cuda:%d: copy them to "
                       "one device, or name the engine",
                       buffer->what, found.device, cuda->device);
    return KY_OK;
}

/* The handles of the default streams are their numbers, 1 and 2. */
static enum ky_status adopt(struct ky_card *card, void *address, uint64_t stream,
                            struct ky_buffer *buffer, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    cudaError_t code = cudaSuccess;
    KY_TRY(check_address(cuda, address, buffer, error));
    buffer->handle = address;
    buffer->part = 1;
    if (!stream)
        return KY_OK;
    if (!cuda->adopted)
        code = cudaEventCreateWithFlags(&cuda->adopted, cudaEventDisableTiming);
    if (code == cudaSuccess)
        code = cudaEventRecord(cuda->adopted, (cudaStream_t)(uintptr_t)stream);
    if (code == cudaSuccess)
        code = cudaStreamWaitEvent(cuda->stream, cuda->adopted, 0);
    return ky_cuda_check(card, code, "waiting for the stream of", buffer->what, buffer->bytes,
                         error);
}

static enum ky_status finish(struct ky_cuda *cuda, cudaError_t code, const char *call,
                             const char *what, size_t bytes, struct ky_error *error)
{
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(cuda->stream);
    return ky_cuda_check(&cuda->base, code, call, what, bytes, error);
}

static enum ky_status pin(struct ky_card *card, size_t bytes, struct ky_pinned *pinned,
                          struct ky_error *error)
{
    ky_cuda_use(card);
    cudaError_t code = cudaHostAlloc(&pinned->data, bytes, cudaHostAllocDefault);
    return ky_cuda_check(card, code, "cudaHostAlloc", pinned->what, bytes, error);
}

static void unpin(struct ky_card *card, struct ky_pinned *pinned)
{
    ky_cuda_use(card);
    cudaFreeHost(pinned->data);
}

static cudaError_t start_write(struct ky_cuda *cuda, struct ky_buffer *buffer, size_t offset,
                               const void *data, size_t bytes)
{
    return cudaMemcpyAsync((char *)buffer->handle + offset, data, bytes, cudaMemcpyHostToDevice,
                           cuda->stream);
}

static cudaError_t start_read(struct ky_cuda *cuda, const struct ky_buffer *buffer, size_t offset,
                              void *data, size_t bytes)
{
    return cudaMemcpyAsync(data, (const char *)buffer->handle + offset, bytes,
                           cudaMemcpyDeviceToHost, cuda->stream);
}

static enum ky_status write_buffer(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                   const void *data, size_t bytes, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    cudaError_t code = start_write(cuda, buffer, offset, data, bytes);
    return finish(cuda, code, "cudaMemcpy to", buffer->what, bytes, error);
}

static enum ky_status read_buffer(struct ky_card *card, const struct ky_buffer *buffer,
                                  size_t offset, void *data, size_t bytes, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    cudaError_t code = start_read(cuda, buffer, offset, data, bytes);
    return finish(cuda, code, "cudaMemcpy from", buffer->what, bytes, error);
}

static enum ky_status write_later(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                  const void *data, size_t bytes, struct ky_error *error)
{
    cudaError_t code = start_write(ky_cuda_use(card), buffer, offset, data, bytes);
    return ky_cuda_check(card, code, "cudaMemcpyAsync to", buffer->what, bytes, error);
}

static enum ky_status read_later(struct ky_card *card, const struct ky_buffer *buffer,
                                 size_t offset, void *data, size_t bytes, struct ky_error *error)
{
    cudaError_t code = start_read(ky_cuda_use(card), buffer, offset, data, bytes);
    return ky_cuda_check(card, code, "cudaMemcpyAsync from", buffer->what, bytes, error);
}

static enum ky_status zero(struct ky_card *card, struct ky_buffer *buffer, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    cudaError_t code = cudaMemsetAsync(buffer->handle, 0, buffer->bytes, cuda->stream);
    return ky_cuda_check(card, code, "cudaMemset", buffer->what, buffer->bytes, error);
}

/* ---- kernels ---- */

static enum ky_status load(struct ky_card *card, enum ky_kernel_id kernel, struct ky_error *error)
{
    if (kernel_of(kernel))
        return KY_OK;
    return ky_fail(error, KY_FAULT, "%s: kernel %s is not in this build", card->name,
                   ky_kernels[kernel].name);
}

static size_t resident(struct ky_card *card, enum ky_kernel_id kernel)
{
    int groups = 1;
    ky_cuda_use(card);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel_of(kernel)->address,
                                                      (int)ky_kernel_lanes(card, kernel),
                                                      0) != cudaSuccess)
        cudaGetLastError();
    return card->processors * (size_t)(groups > 0 ? groups : 1);
}

/* A kernel with KY_EARLY may start before the previous kernel of the stream has ended. */
static cudaError_t start(const struct ky_cuda *cuda, enum ky_kernel_id id, dim3 grid, dim3 block,
                         void **values)
{
#if CUDART_VERSION >= 11080
    cudaLaunchAttribute early = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    early.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t how = {
        .gridDim = grid, .blockDim = block, .stream = cuda->stream, .attrs = &early, .numAttrs = 1};
    if (ky_kernels[id].lanes & KY_EARLY)
        return cudaLaunchKernelExC(&how, kernel_of(id)->address, values);
#endif
    return cudaLaunchKernel(kernel_of(id)->address, grid, block, values, 0, cuda->stream);
}

static enum ky_status launch(struct ky_card *card, enum ky_kernel_id id, size_t groups,
                             const struct ky_arguments *arguments, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    const struct ky_kernel *kernel = &ky_kernels[id];
    const struct ky_cuda_kernel *own = kernel_of(id);
    void *values[KY_MOST_ARGUMENTS];
    KY_TRY(ky_arguments_check(id, arguments, &own->taken, error));
    for (size_t k = 0; k < arguments->count; k++)
        values[k] = (void *)(uintptr_t)arguments->of[k].value;
    dim3 grid = {(unsigned)groups, 1, 1}, block = {(unsigned)ky_kernel_lanes(card, id), 1, 1};
    if (groups == 0)
        return KY_OK;
    if (groups > INT32_MAX)
        return ky_fail(error, KY_UNSUPPORTED, "%s: kernel %s of %zu groups: more than can start",
                       card->name, kernel->name, groups);
    cudaError_t code = start(cuda, id, grid, block, values);
    if (code == cudaSuccess)
        return KY_OK;
    cudaGetLastError();
    return ky_fail(error, KY_DEVICE, "%s: kernel %s of %zu groups of %zu cannot start: %s",
                   card->name, kernel->name, groups, (size_t)block.x, cudaGetErrorString(code));
}

static enum ky_status wait(struct ky_card *card, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    return finish(cuda, cudaSuccess, "cudaStreamSynchronize", "queue", 0, error);
}

/* ---- clocks ---- */

static enum ky_status mark(struct ky_card *card, int which, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    cudaError_t code = cudaEventRecord(cuda->mark[which], cuda->stream);
    KY_TRY(ky_cuda_check(card, code, "cudaEventRecord", "queue", 0, error));
    cuda->marked[which] = 1;
    return KY_OK;
}

static enum ky_status reach(struct ky_card *card, int which, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    cudaError_t code = cuda->marked[which] ? cudaEventSynchronize(cuda->mark[which]) : cudaSuccess;
    return ky_cuda_check(card, code, "cudaEventSynchronize", "queue", 0, error);
}

static double between(struct ky_card *card, int from, int to)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    float milliseconds = 0;
    if (!cuda->marked[from] || !cuda->marked[to] ||
        cudaEventSynchronize(cuda->mark[to]) != cudaSuccess ||
        cudaEventElapsedTime(&milliseconds, cuda->mark[from], cuda->mark[to]) != cudaSuccess)
        return 0;
    return 1e-3 * (double)milliseconds;
}

/* ---- sort, scan, reduce ---- */

static enum ky_status scratch_bytes(struct ky_card *card, enum ky_bulk what, size_t n,
                                    size_t *bytes, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    struct ky_cuda_pairs none = {{NULL, NULL}, {NULL, NULL}, 0};
    *bytes = 0;
    cudaError_t code = what == KY_BULK_SORT ? ky_cuda_sort(NULL, bytes, &none, n, 64, cuda->stream)
                       : what == KY_BULK_SCAN
                           ? ky_cuda_scan(NULL, bytes, NULL, NULL, n, cuda->stream)
                           : ky_cuda_reduce(NULL, bytes, NULL, NULL, n, cuda->stream);
    *bytes = *bytes > 0 ? *bytes : 1;
    return ky_cuda_check(card, code, "the size", "scratch", *bytes, error);
}

static enum ky_status sort(struct ky_card *card, struct ky_two_buffers *keys,
                           struct ky_two_buffers *values, size_t n, int bits,
                           const struct ky_buffer *scratch, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    struct ky_cuda_pairs pairs = {
        {keys->buffer[keys->now].handle, keys->buffer[1 - keys->now].handle},
        {values->buffer[values->now].handle, values->buffer[1 - values->now].handle},
        0};
    size_t work = scratch->bytes;
    enum ky_status status = ky_scratch_check(card, scratch, KY_BULK_SORT, n, error);
    if (status || n == 0)
        return status;
    cudaError_t code = ky_cuda_sort(scratch->handle, &work, &pairs, n, bits, cuda->stream);
    KY_TRY(ky_cuda_check(card, code, "radix sort", keys->buffer[0].what, n * 8, error));
    keys->now ^= pairs.now;
    values->now ^= pairs.now;
    return KY_OK;
}

static enum ky_status scan(struct ky_card *card, const struct ky_buffer *from, struct ky_buffer *to,
                           size_t n, const struct ky_buffer *scratch, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    size_t work = scratch->bytes;
    enum ky_status status = ky_scratch_check(card, scratch, KY_BULK_SCAN, n, error);
    if (status || n == 0)
        return status;
    cudaError_t code =
        ky_cuda_scan(scratch->handle, &work, from->handle, to->handle, n, cuda->stream);
    return ky_cuda_check(card, code, "scan", from->what, n * 4, error);
}

static enum ky_status reduce(struct ky_card *card, struct ky_buffer_address from, size_t n,
                             struct ky_buffer_address to, const struct ky_buffer *scratch,
                             struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    size_t work = scratch->bytes;
    KY_TRY(ky_scratch_check(card, scratch, KY_BULK_REDUCE, n, error));
    cudaError_t code = ky_cuda_reduce(scratch->handle, &work, ky_cuda_address(from),
                                      ky_cuda_address(to), n, cuda->stream);
    return ky_cuda_check(card, code, "sum", from.buffer->what, n * 8, error);
}

const struct ky_driver ky_cuda_driver = {
    .name = "cuda",
    .list = list,
    .first_cpu = first_cpu,
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
    .copy = ky_cuda_copy,
    .fetch = ky_cuda_fetch,
    .share = ky_cuda_share,
    .open_shared = ky_cuda_open_shared,
    .close_shared = ky_cuda_close_shared,
    .fetch_shared = ky_cuda_fetch_shared,
    .zero = zero,
    .launch = launch,
    .wait = wait,
    .mark = mark,
    .reach = reach,
    .between = between,
    .scratch = scratch_bytes,
    .sort = sort,
    .scan = scan,
    .reduce = reduce,
};
