/* CUDA C++ for the host's compiler, which includes this before a file of kernels (make CUDA=host).
 * Lanes are fibers of one thread (lanes.cpp): a lane runs until it waits for others, so that
 * atomics are plain operations, and local memory of a block belongs to the thread. */
#ifndef KY_TEST_CUDA_KERNELS_H
#define KY_TEST_CUDA_KERNELS_H

#include <cmath>
#include <cstring>
#include <utility>

#include "cuda_runtime_api.h"

#define __CUDACC__ 1
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __restrict__ __restrict

struct int2 {
    int x, y;
};
struct uint2 {
    unsigned x, y;
};
struct uint4 {
    unsigned x, y, z, w;
};
struct float2 {
    float x, y;
};
struct float4 {
    float x, y, z, w;
};
struct double2 {
    double x, y;
};

static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

using std::ceil, std::exp, std::fabs, std::floor, std::fma, std::fmax, std::fmin, std::isinf,
    std::isnan, std::log, std::pow, std::sqrt;

/* __thread: read without the call that thread_local needs. */
extern __thread dim3 threadIdx, blockIdx;

/* Waits of a lane for the lanes of its warp, or of its block, that have not ended. */
void ky_host_warp_sync();
void ky_host_block_sync();
/* The value that this lane of the warp gives to the same call; collective for the warp. */
unsigned ky_host_shuffle(unsigned value, unsigned lane);
/* Bit k: the predicate of lane k, 0 if it has ended; collective for the warp. */
unsigned ky_host_ballot(int predicate);

/* What each lane of the warp shows, which must stay until the warp has met once more; collective
 * for the warp. */
const void *const *ky_host_show(const void *own);

#define __syncthreads() ky_host_block_sync()
#define __syncwarp() ky_host_warp_sync()
#define __ballot_sync(mask, predicate) ky_host_ballot(predicate)

template <typename To, typename From> static inline To ky_host_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

template <typename T> static inline T __shfl_sync(unsigned, T value, int from)
{
    return ky_host_bits<T>(ky_host_shuffle(ky_host_bits<unsigned>(value), (unsigned)from % 32));
}

template <typename T> static inline T __shfl_up_sync(unsigned, T value, unsigned step)
{
    const unsigned lane = threadIdx.x % 32;
    return ky_host_bits<T>(
        ky_host_shuffle(ky_host_bits<unsigned>(value), lane >= step ? lane - step : lane));
}

template <typename T> static inline T __shfl_xor_sync(unsigned, T value, int step)
{
    return ky_host_bits<T>(
        ky_host_shuffle(ky_host_bits<unsigned>(value), threadIdx.x % 32 ^ (unsigned)step));
}

template <typename T, typename V> static inline T atomicAdd(T *at, V value)
{
    const T before = *at;
    *at = before + (T)value;
    return before;
}

template <typename T, typename V> static inline T atomicMax(T *at, V value)
{
    const T before = *at;
    *at = before < (T)value ? (T)value : before;
    return before;
}

template <typename T, typename E, typename V> static inline T atomicCAS(T *at, E expected, V value)
{
    const T before = *at;
    *at = before == (T)expected ? (T)value : before;
    return before;
}

static inline unsigned __popc(unsigned bits)
{
    return (unsigned)__builtin_popcount(bits);
}

static inline unsigned __popcll(unsigned long long bits)
{
    return (unsigned)__builtin_popcountll(bits);
}

static inline int __clzll(long long bits)
{
    return bits ? __builtin_clzll((unsigned long long)bits) : 64;
}

static inline unsigned __float_as_uint(float x)
{
    return ky_host_bits<unsigned>(x);
}

static inline float __uint_as_float(unsigned bits)
{
    return ky_host_bits<float>(bits);
}

static inline float __int_as_float(int bits)
{
    return ky_host_bits<float>(bits);
}

static inline float rsqrtf(float x)
{
    return 1.0f / std::sqrt(x);
}

/* What a launch knows of a kernel: its function, and a function that calls it with the values. */
struct ky_host_kernel {
    void (*call)(const void *function, void **values);
    const void *function;
};

template <typename... Arguments, size_t... k>
static void ky_host_call(void (*kernel)(Arguments...), void **values, std::index_sequence<k...>)
{
    kernel(*(Arguments *)values[k]...);
}

template <typename... Arguments> static void ky_host_call_any(const void *function, void **values)
{
    ky_host_call((void (*)(Arguments...))function, values, std::index_sequence_for<Arguments...>());
}

template <typename... Arguments> static const void *ky_host_address(void (*kernel)(Arguments...))
{
    return new ky_host_kernel{ky_host_call_any<Arguments...>, (const void *)kernel};
}
#define KY_CUDA_ADDRESS(kernel) ky_host_address(kernel)

#include "tiles.h"

#endif
