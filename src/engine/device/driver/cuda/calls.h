/* A card of the CUDA driver, and common code of its calls. */
#ifndef KY_CUDA_CALLS_H
#define KY_CUDA_CALLS_H

#include "engine/device/driver/cuda/cuda.h"

struct ky_cuda {
    struct ky_card base;
    int device;
    cudaStream_t stream;
    cudaEvent_t mark[KY_MARKS];
    int marked[KY_MARKS];
    cudaEvent_t adopted; /* of `adopt`; NULL: not made yet */
    uint64_t peers;      /* bits of the devices for which peer access was requested */
};

/* KY_OK for a call that succeeded, else KY_DEVICE with the call, its purpose and CUDA's message. */
enum ky_status ky_cuda_check(const struct ky_card *card, cudaError_t code, const char *call,
                             const char *what, size_t bytes, struct ky_error *error);
/* Makes the card's device the thread's current one, on which CUDA calls act. */
struct ky_cuda *ky_cuda_use(const struct ky_card *card);
/* The device address of a position in a buffer. */
static inline void *ky_cuda_address(struct ky_buffer_address place)
{
    return (char *)place.buffer->handle + place.offset;
}

#endif
