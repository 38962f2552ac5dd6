/* Common code of the calls to CUDA. */
#include "engine/device/driver/cuda/calls.h"

enum ky_status ky_cuda_check(const struct ky_card *card, cudaError_t code, const char *call,
                             const char *what, size_t bytes, struct ky_error *error)
{
    if (code == cudaSuccess)
        return KY_OK;
    cudaGetLastError(); /* otherwise the next launch would report it again */
    return ky_fail(error, KY_DEVICE, "%s: %s of %s, %zu bytes: %s (%s)", card->name, call, what,
                   bytes, cudaGetErrorString(code), cudaGetErrorName(code));
}

struct ky_cuda *ky_cuda_use(const struct ky_card *card)
{
    struct ky_cuda *cuda = (struct ky_cuda *)card;
    cudaSetDevice(cuda->device);
    return cuda;
}
