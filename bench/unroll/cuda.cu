/* The benchmark of unrollings through CUDA. */
#include "../bench/unroll/kernels.k"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "../bench/unroll/card.h"

static float4 *body_, *velocity_, *field_;
static unsigned n_;

static void stop_if(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "CUDA: %s fails: %s\n", what, cudaGetErrorString(code));
    exit(5);
}

static void open_device(size_t index, size_t n, char name[160])
{
    cudaDeviceProp about;
    stop_if(cudaSetDevice((int)index), "the device");
    stop_if(cudaGetDeviceProperties(&about, (int)index), "the device");
    snprintf(name, 160, "%s", about.name);
    n_ = (unsigned)n;
    for (float4 **buffer : {&body_, &velocity_, &field_})
        stop_if(cudaMalloc(buffer, n * sizeof(float4)), "memory");
}

static void put(const float (*body)[4], const float (*velocity)[4])
{
    stop_if(cudaMemcpy(body_, body, n_ * sizeof(float4), cudaMemcpyHostToDevice), "put");
    stop_if(cudaMemcpy(velocity_, velocity, n_ * sizeof(float4), cudaMemcpyHostToDevice), "put");
}

static void get(float (*body)[4], float (*velocity)[4], float (*field)[4])
{
    stop_if(cudaMemcpy(body, body_, n_ * sizeof(float4), cudaMemcpyDeviceToHost), "get");
    stop_if(cudaMemcpy(velocity, velocity_, n_ * sizeof(float4), cudaMemcpyDeviceToHost), "get");
    stop_if(cudaMemcpy(field, field_, n_ * sizeof(float4), cudaMemcpyDeviceToHost), "get");
}

static void sum(int unrolling, int sinks, float eps2)
{
    static decltype(&unroll_1x1) const kernels[] = {
#define KERNEL(sinks, sources) unroll_##sinks##x##sources,
        UNROLLINGS(KERNEL)};
    const unsigned block = (unsigned)sinks * KY_DIRECT_LANES;
    kernels[unrolling]<<<(n_ + block - 1) / block, KY_DIRECT_LANES>>>(
        body_, body_, (const float *)body_, (const unsigned *)body_, field_, n_, 0, n_, n_, 0,
        eps2);
    stop_if(cudaGetLastError(), "the sum");
}

static void advance(float kick, float drift)
{
    unroll_advance<<<(n_ + 255) / 256, 256>>>(body_, velocity_, field_, n_, kick, drift);
    stop_if(cudaGetLastError(), "a step");
}

static void finish(void)
{
    stop_if(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

const struct unroll_card unroll_cuda = {open_device, put, get, sum, advance, finish};
