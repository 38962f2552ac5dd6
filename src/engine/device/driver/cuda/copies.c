/* Copies within a card, and between cards of the same or of different processes. */
#include "engine/device/driver/cuda/copies.h"

#include <string.h>

/* Gives the device access to another device's memory. Without peer access CUDA copies through the
 * host. */
static void open_way(struct ky_cuda *target, int device)
{
    if (device == target->device || device >= 64 || (target->peers >> device & 1))
        return;
    target->peers |= (uint64_t)1 << device;
    cudaSetDevice(target->device);
    const cudaError_t code = cudaDeviceEnablePeerAccess(device, 0);
    if (code != cudaSuccess) /* another engine may have done it */
        cudaGetLastError();
}

/* Queued on the target's stream: the host does not wait. */
enum ky_status ky_cuda_fetch(struct ky_card *from_card, struct ky_buffer_address from,
                             struct ky_card *to_card, struct ky_buffer_address to, size_t bytes,
                             struct ky_error *error)
{
    const struct ky_cuda *source = (struct ky_cuda *)from_card;
    struct ky_cuda *target = ky_cuda_use(to_card);
    open_way(target, source->device);
    const cudaError_t code =
        cudaMemcpyPeerAsync(ky_cuda_address(to), target->device, ky_cuda_address(from),
                            source->device, bytes, target->stream);
    return ky_cuda_check(to_card, code, "cudaMemcpyPeerAsync", to.buffer->what, bytes, error);
}

enum ky_status ky_cuda_share(struct ky_card *card, const struct ky_buffer *buffer,
                             unsigned char handle[KY_HANDLE_BYTES], struct ky_error *error)
{
    cudaIpcMemHandle_t own;
    _Static_assert(sizeof own == KY_HANDLE_BYTES, "handles of CUDA");
    ky_cuda_use(card);
    const cudaError_t code = cudaIpcGetMemHandle(&own, buffer->handle);
    KY_TRY(ky_cuda_check(card, code, "cudaIpcGetMemHandle", buffer->what, buffer->bytes, error));
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
    return ky_cuda_check(card, code, "cudaIpcOpenMemHandle", "a buffer of another process", 0,
                         error);
}

void ky_cuda_close_shared(struct ky_card *card, void *memory)
{
    ky_cuda_use(card);
    if (cudaIpcCloseMemHandle(memory) != cudaSuccess)
        cudaGetLastError();
}

enum ky_status ky_cuda_fetch_shared(struct ky_card *card, void *memory, size_t offset,
                                    struct ky_buffer_address to, size_t bytes,
                                    struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    const cudaError_t code = cudaMemcpyAsync(ky_cuda_address(to), (char *)memory + offset, bytes,
                                             cudaMemcpyDefault, cuda->stream);
    return ky_cuda_check(card, code, "cudaMemcpyAsync", to.buffer->what, bytes, error);
}

enum ky_status ky_cuda_copy(struct ky_card *card, struct ky_buffer_address from,
                            struct ky_buffer_address to, size_t bytes, struct ky_error *error)
{
    struct ky_cuda *cuda = ky_cuda_use(card);
    const cudaError_t code = cudaMemcpyAsync(ky_cuda_address(to), ky_cuda_address(from), bytes,
                                             cudaMemcpyDeviceToDevice, cuda->stream);
    return ky_cuda_check(card, code, "cudaMemcpyAsync", to.buffer->what, bytes, error);
}
