/* Copies from one card to another: of one process, and of several. */
#include "engine/device/driver/cuda/copies.h"

#include <string.h>

/* Work that is put into `later` from now on begins when all in `first` has ended. */
static cudaError_t follow(struct ky_cuda *first, struct ky_cuda *later)
{
    cudaSetDevice(first->device);
    cudaError_t code = cudaEventRecord(first->turn, first->stream);
    cudaSetDevice(later->device);
    return code == cudaSuccess ? cudaStreamWaitEvent(later->stream, first->turn, 0) : code;
}

/* Gives the device access to the memory of another one. Without access CUDA copies through the
 * host. */
static void open_way(struct ky_cuda *target, int device)
{
    if (device == target->device || device >= 64 || (target->peers >> device & 1))
        return;
    target->peers |= (uint64_t)1 << device;
    cudaSetDevice(target->device);
    const cudaError_t code = cudaDeviceEnablePeerAccess(device, 0);
    /* "already": another engine has done it */
    if (code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled)
        target->reached |= (uint64_t)1 << device;
    if (code != cudaSuccess)
        cudaGetLastError();
}

/* Whether kernels of one card can read the memory of another. */
static int reaches(struct ky_cuda *target, const struct ky_cuda *source)
{
    open_way(target, source->device);
    return source->device == target->device ||
           (source->device < 64 && (target->reached >> source->device & 1));
}

/* In the target's queue: the host does not wait. */
enum ky_status ky_cuda_fetch(struct ky_card *from_card, struct ky_buffer_place from,
                             struct ky_card *to_card, struct ky_buffer_place to, size_t bytes,
                             struct ky_error *error)
{
    const struct ky_cuda *source = (struct ky_cuda *)from_card;
    struct ky_cuda *target = ky_cuda_use(to_card);
    open_way(target, source->device);
    const cudaError_t code =
        cudaMemcpyPeerAsync(ky_cuda_address(to), target->device, ky_cuda_address(from),
                            source->device, bytes, target->stream);
    return code == cudaSuccess ? KY_OK
                               : ky_cuda_failed(to_card, code, "cudaMemcpyPeerAsync",
                                                to.buffer->what, bytes, error);
}

enum ky_status ky_cuda_share(struct ky_card *card, const struct ky_buffer *buffer,
                             unsigned char handle[KY_HANDLE_BYTES], struct ky_error *error)
{
    cudaIpcMemHandle_t own;
    _Static_assert(sizeof own == KY_HANDLE_BYTES, "handles of CUDA");
    ky_cuda_use(card);
    const cudaError_t code = cudaIpcGetMemHandle(&own, buffer->handle);
    if (code != cudaSuccess)
        return ky_cuda_failed(card, code, "cudaIpcGetMemHandle", buffer->what, buffer->bytes,
                              error);
    memcpy(handle, &own, sizeof own);
    return KY_OK;
}

enum ky_status ky_cuda_open_shared(struct ky_card *card,
                                   const unsigned char handle[KY_HANDLE_BYTES], void **memory,
                                   struct ky_error *error)
{
    cudaIpcMemHandle_t theirs;
    ky_cuda_use(card);
    memcpy(&theirs, handle, sizeof theirs);
    const cudaError_t code = cudaIpcOpenMemHandle(memory, theirs, cudaIpcMemLazyEnablePeerAccess);
    return code == cudaSuccess ? KY_OK
                               : ky_cuda_failed(card, code, "cudaIpcOpenMemHandle",
                                                "a buffer of another process", 0, error);
}

void ky_cuda_close_shared(struct ky_card *card, void *memory)
{
    ky_cuda_use(card);
    if (cudaIpcCloseMemHandle(memory) != cudaSuccess)
        cudaGetLastError();
}

enum ky_status ky_cuda_fetch_shared(struct ky_card *card, void *memory, size_t offset,
                                    struct ky_buffer_place to, size_t bytes, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    const cudaError_t code = cudaMemcpyAsync(ky_cuda_address(to), (char *)memory + offset, bytes,
                                             cudaMemcpyDefault, cuda->stream);
    return code == cudaSuccess
               ? KY_OK
               : ky_cuda_failed(card, code, "cudaMemcpyAsync", to.buffer->what, bytes, error);
}

enum ky_status ky_cuda_copy_later(struct ky_card *from_card, struct ky_buffer_place from,
                                  struct ky_card *to_card, struct ky_buffer_place to, size_t bytes,
                                  struct ky_error *error)
{
    struct ky_cuda *source = (struct ky_cuda *)from_card, *target = (struct ky_cuda *)to_card;
    open_way(target, source->device);
    const cudaError_t code = follow(source, target);
    return code == cudaSuccess ? ky_cuda_fetch(from_card, from, to_card, to, bytes, error)
                               : ky_cuda_failed(to_card, code, "cudaStreamWaitEvent",
                                                to.buffer->what, bytes, error);
}

enum ky_status ky_cuda_copy(struct ky_card *from_card, struct ky_buffer_place from,
                            struct ky_card *to_card, struct ky_buffer_place to, size_t bytes,
                            struct ky_error *error)
{
    enum ky_status status = ky_cuda_copy_later(from_card, from, to_card, to, bytes, error);
    if (status != KY_OK)
        return status;
    cudaError_t code = follow((struct ky_cuda *)to_card, (struct ky_cuda *)from_card);
    if (code != cudaSuccess)
        return ky_cuda_failed(to_card, code, "cudaStreamWaitEvent", to.buffer->what, bytes, error);
    return KY_OK;
}

enum ky_status ky_cuda_await(struct ky_card *card, struct ky_card *other, int mark,
                             struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card), *target = (struct ky_cuda *)other;
    cudaError_t code = cudaSuccess;
    if (target->marked[mark])
        code = cudaStreamWaitEvent(cuda->stream, target->mark[mark], 0);
    if (code != cudaSuccess)
        return ky_cuda_failed(card, code, "cudaStreamWaitEvent", "queue", 0, error);
    return KY_OK;
}

/* Every queue waits until all others have come to this point. */
static cudaError_t meet(const struct ky_gathering *cards, size_t count)
{
    cudaError_t code = cudaSuccess;
    for (size_t k = 0; k < count && code == cudaSuccess; k++) {
        struct ky_cuda *cuda = ky_cuda_use(cards[k].card);
        code = cudaEventRecord(cuda->turn, cuda->stream);
    }
    for (size_t k = 0; k < count * count && code == cudaSuccess; k++) {
        const struct ky_cuda *other = (struct ky_cuda *)cards[k % count].card;
        if (k % count != k / count)
            code = cudaStreamWaitEvent(ky_cuda_use(cards[k / count].card)->stream, other->turn, 0);
    }
    return code;
}

enum ky_status ky_cuda_gather_parts(const struct ky_gathering *cards, size_t count, size_t place,
                                    size_t unit, struct ky_error *error)
{
    struct ky_cuda_parts parts;
    for (size_t k = 0; k < count * count; k++)
        if (!reaches((struct ky_cuda *)cards[k / count].card,
                     (struct ky_cuda *)cards[k % count].card))
            return ky_gather_by_copies(cards, count, place, unit, error);
    for (size_t k = 0; k < count; k++)
        parts.of[k] = cards[k].from->handle;
    cudaError_t code = meet(cards, count);
    for (size_t k = 0; k < count && code == cudaSuccess; k++)
        code = ky_cuda_gather(&parts, count, cards[k].to->handle,
                              (const unsigned long long *)cards[k].number->handle + place,
                              unit / 16, ky_cuda_use(cards[k].card)->stream);
    if (code != cudaSuccess)
        return ky_cuda_failed(cards[0].card, code, "gathering", cards[0].to->what, 0, error);
    return KY_OK;
}
