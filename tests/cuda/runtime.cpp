/* Devices, memory, copies, streams and clocks of CUDA's runtime on the host, and what CUB does in
 * sort.cu. There are two devices, so that ranks have one each. */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <numeric>
#include <sys/mman.h>
#include <vector>

#include "access.h"
#include "engine/device/driver/cuda/cuda.h"

struct ky_host_stream {
    int device;
};
struct ky_host_event {
    double seconds;
};

namespace
{

enum { DEVICES = 2 };
thread_local int current;
thread_local cudaError_t last;

/* What cudaMalloc has given, by its first byte. */
struct block {
    size_t bytes;
    int device;
};
std::map<const char *, block> blocks;
std::mutex guard;
int users; /* how many ky_host_access there are */

bool is_apart()
{
    static const bool apart = [] {
        const char *asked = getenv("KYOHO_TEST_MEMORY");
        return asked && !strcmp(asked, "apart");
    }();
    return apart;
}

void protect_all(int how)
{
    for (const auto &[first, own] : blocks)
        mprotect((void *)first, own.bytes, how);
}

cudaError_t code(cudaError_t result)
{
    if (result != cudaSuccess)
        last = result;
    return result;
}

cudaError_t allocate(void **memory, size_t bytes)
{
    *memory = malloc(bytes ? bytes : 1);
    return code(*memory ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* Whether the call only asks for the bytes of scratch, which are none. */
bool asks(const void *work, size_t *bytes)
{
    if (!work)
        *bytes = 1;
    return !work;
}

} // namespace

ky_host_access::ky_host_access()
{
    const std::lock_guard<std::mutex> lock(guard);
    if (users++ == 0 && is_apart())
        protect_all(PROT_READ | PROT_WRITE);
}

ky_host_access::~ky_host_access()
{
    const std::lock_guard<std::mutex> lock(guard);
    if (--users == 0 && is_apart())
        protect_all(PROT_NONE);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = DEVICES;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device < 0 || device >= DEVICES)
        return code(cudaErrorInvalidDevice);
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "the host in place of a GPU");
    properties->totalGlobalMem = (size_t)4 << 30;
    properties->major = 8; /* with matrix units (tiles.h) */
    properties->minor = 0;
    properties->multiProcessorCount = 2;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    current = device;
    return code(device >= 0 && device < DEVICES ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t result = last;
    last = cudaSuccess;
    return result;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
                                              : "cudaErrorInvalidValue";
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    const std::lock_guard<std::mutex> lock(guard);
    cudaError_t result = cudaSuccess;
    if (is_apart()) {
        *memory = mmap(nullptr, bytes ? bytes : 1, users ? PROT_READ | PROT_WRITE : PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        result = code(*memory != MAP_FAILED ? cudaSuccess : cudaErrorMemoryAllocation);
    } else {
        result = allocate(memory, bytes);
    }
    if (result == cudaSuccess)
        blocks[(const char *)*memory] = {bytes ? bytes : 1, current};
    return result;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address)
{
    const std::lock_guard<std::mutex> lock(guard);
    const char *byte = (const char *)address;
    auto next = blocks.upper_bound(byte);
    *attributes = {cudaMemoryTypeUnregistered, 0};
    if (next != blocks.begin() && byte < std::prev(next)->first + std::prev(next)->second.bytes)
        *attributes = {cudaMemoryTypeDevice, std::prev(next)->second.device};
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    const std::lock_guard<std::mutex> lock(guard);
    const auto own = blocks.find((const char *)memory);
    if (own != blocks.end() && is_apart())
        munmap(memory, own->second.bytes);
    else
        free(memory);
    if (own != blocks.end())
        blocks.erase(own);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    return allocate(memory, bytes);
}

cudaError_t cudaFreeHost(void *memory)
{
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind,
                            cudaStream_t)
{
    const ky_host_access access;
    if (bytes)
        memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes,
                                cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t)
{
    const ky_host_access access;
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *)
{
    return code(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned)
{
    return code(cudaErrorNotSupported);
}

cudaError_t cudaIpcCloseMemHandle(void *)
{
    return code(cudaErrorNotSupported);
}

/* ---- streams and clocks ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = new ky_host_stream{current};
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new ky_host_event{0};
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = (float)(1e3 * (to->seconds - from->seconds));
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t)
{
    *blocks = 2;
    return cudaSuccess;
}

/* ---- sort, scan, sum ---- */

cudaError_t ky_cuda_sort(void *work, size_t *bytes, struct ky_cuda_pairs *pairs, size_t n, int bits,
                         cudaStream_t)
{
    if (asks(work, bytes))
        return cudaSuccess;
    const ky_host_access access;
    const int now = pairs->now, then = 1 - now;
    const unsigned long long mask = bits < 64 ? (1ULL << bits) - 1 : ~0ULL, *key = pairs->key[now];
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [=](unsigned a, unsigned b) { return (key[a] & mask) < (key[b] & mask); });
    for (size_t k = 0; k < n; k++) {
        pairs->key[then][k] = key[order[k]];
        pairs->value[then][k] = pairs->value[now][order[k]];
    }
    pairs->now = then;
    return cudaSuccess;
}

cudaError_t ky_cuda_scan(void *work, size_t *bytes, const unsigned *from, unsigned *to, size_t n,
                         cudaStream_t)
{
    unsigned sum = 0;
    if (asks(work, bytes))
        return cudaSuccess;
    const ky_host_access access;
    for (size_t k = 0; k < n; k++) {
        const unsigned one = from[k];
        to[k] = sum;
        sum += one;
    }
    return cudaSuccess;
}

cudaError_t ky_cuda_reduce(void *work, size_t *bytes, const unsigned long long *from,
                           unsigned long long *to, size_t n, cudaStream_t)
{
    if (asks(work, bytes))
        return cudaSuccess;
    const ky_host_access access;
    *to = std::accumulate(from, from + n, 0ULL);
    return cudaSuccess;
}
