/* Portable C for kernels: definitions that formulas (physics/dialect.h) do not need. Compiled as
 * OpenCL C 1.2 and as CUDA C; a kernel mentions neither.
 *
 * KY_HAS_DOUBLE says that the device has double; CUDA always does. A unit of kernels that is
 * compiled once for each precision defines KY_PRECISION, a number of enum ky_precision; its kernels
 * are named KY_NAME(name), and it tests its precision by KY_IN_…. A local array is declared in the
 * kernel itself with KY_LOCAL; a function that gets a pointer to one, and one that holds a barrier,
 * is KY_FN.
 *
 * Teams. A team is KY_TEAM lanes (32 or 64) that work together in step: a warp, several of which
 * make a CUDA block, or a whole OpenCL work-group, whose size the driver defines. A ky_mask has a
 * bit for each of them. A KY_TEAM_KERNEL contains KY_TEAM_SPACE once, at its top, and passes
 * `ky_team_of(space)` to every team call. KY_TEAM_ID is the number of the team in the launch,
 * KY_TEAM_LANE the number of the lane in its team; local arrays of a team are declared
 * [KY_TEAMS][…] and used as array[KY_TEAM_HERE]. Every lane of a team must reach every team call,
 * so the conditions of loops and returns around a team call must have the same value on all
 * lanes. */
#ifndef KY_KERNELS_DIALECT_H
#define KY_KERNELS_DIALECT_H

#include "engine/device/kernels/driver/shared.h"

#include "physics/language.h"

#if defined(KY_IN_OPENCL)

#pragma OPENCL FP_CONTRACT OFF
#ifdef KY_HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define KY_KERNEL(size) __kernel __attribute__((reqd_work_group_size(size, 1, 1))) void
/* The same with registers limited so that a processor holds `groups` groups at a time. */
#define KY_KERNEL_FULL(size, groups) KY_KERNEL(size)
#define KY_GLOBAL __global
/* An argument of a kernel that is a struct of numbers; CUDA reads it in place. It cannot be
 * changed: PoCL 3.1 has one copy for all lanes. */
#define KY_NUMBERS const
#define KY_LOCAL __local
#define KY_LOCAL_POINTER __local
#define KY_RESTRICT restrict
#define KY_LANE ((ky_uint)get_local_id(0))
#define KY_GROUP ((ky_uint)get_group_id(0))
#define KY_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
/* Atomics on unsigned numbers of 32 bits in global or local memory; each returns the former
 * value. */
#define KY_ATOMIC_ADD(at, value) atomic_add(at, value)
#define KY_ATOMIC_MAX(at, value) atomic_max(at, value)
#define KY_ATOMIC_CAS(at, expected, value) atomic_cmpxchg(at, expected, value)
/* The current value, which other lanes may change by these atomics. */
#define KY_ATOMIC_READ(at) atomic_or(at, 0)
/* At the top of a kernel that is KY_EARLY in list.h; nothing may be read before it. */
#define KY_AWAIT_THE_LAST()
#ifndef KY_TEAM
#define KY_TEAM KY_LEAST_TEAM
#endif
#define KY_TEAMS 1 /* in a group */
#define KY_TEAM_HERE 0
#define KY_TEAM_ID KY_GROUP
#define KY_TEAM_LANE KY_LANE
#define KY_FLOAT4(x, y, z, w) ((float4)(x, y, z, w))
#define KY_FMIN(x, y) fmin(x, y)
#define KY_FMAX(x, y) fmax(x, y)
#define KY_FABS(x) fabs(x)
#define KY_BITS_OF_FLOAT(x) as_uint(x)
#define KY_FLOAT_OF_BITS(x) as_float(x)
#define KY_INFINITY INFINITY
/* KY_ON_CPU: the device is a CPU, where fma may be a slow call. GPUs have fma, whether they report
 * it (FP_FAST_FMAF) or not. */
#if defined(KY_ON_CPU) && !defined(FP_FAST_FMAF)
#define KY_FMA_FLOAT(a, b, c) ((a) * (b) + (c))
#else
#define KY_FMA_FLOAT(a, b, c) fma(a, b, c)
#endif
/* On a CPU, two instructions are faster than a library's rsqrt. NVIDIA's native_rsqrt handles
 * denormals specially, whatever the options say, which takes a quarter of the exact sum's time. */
#if defined(KY_ON_CPU)
#define KY_RSQRT_FLOAT(x) (1.0f / sqrt(x))
#define KY_RSQRT_DOUBLE(x) (1.0 / sqrt(x))
#elif defined(__NV_CL_C_VERSION)
#define KY_RSQRT_FLOAT(x) ky_rsqrt_float(x)
#define KY_RSQRT_DOUBLE(x) rsqrt(x)
static inline __attribute__((always_inline)) float ky_rsqrt_float(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define KY_RSQRT_FLOAT(x) native_rsqrt(x)
#define KY_RSQRT_DOUBLE(x) rsqrt(x)
#endif

#elif defined(KY_IN_CUDA)

#define KY_HAS_DOUBLE 1
#define KY_KERNEL(size) extern "C" __global__ void __launch_bounds__(size)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800 /* a processor holds at most 1,024 lanes */
#define KY_KERNEL_FULL(size, groups) KY_KERNEL(size)
#else
#define KY_KERNEL_FULL(size, groups) extern "C" __global__ void __launch_bounds__(size, groups)
#endif
#define KY_GLOBAL
#if __CUDACC_VER_MAJOR__ >= 12
#define KY_NUMBERS const __grid_constant__
#else
#define KY_NUMBERS const
#endif
#define KY_LOCAL __shared__
#define KY_LOCAL_POINTER
#define KY_RESTRICT __restrict__
#define KY_LANE ((ky_uint)threadIdx.x)
#define KY_GROUP ((ky_uint)blockIdx.x)
#define KY_BARRIER() __syncthreads()
#define KY_ATOMIC_ADD(at, value) atomicAdd(at, value)
#define KY_ATOMIC_MAX(at, value) atomicMax(at, value)
#define KY_ATOMIC_CAS(at, expected, value) atomicCAS(at, expected, value)
#define KY_ATOMIC_READ(at) (*(volatile ky_uint *)(at))
/* Lets the next kernel start if it is KY_EARLY, and waits for all writes of the previous kernel. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define KY_AWAIT_THE_LAST()                                                                        \
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory")
#else
#define KY_AWAIT_THE_LAST()
#endif
#define KY_TEAM KY_CUDA_TEAM
#define KY_TEAMS KY_TEAMS_OF_BLOCK
#define KY_TEAM_HERE (KY_LANE / KY_TEAM)
#define KY_TEAM_ID (KY_GROUP * KY_TEAMS + KY_TEAM_HERE)
#define KY_TEAM_LANE (KY_LANE % KY_TEAM)
#define KY_FLOAT4(x, y, z, w) make_float4(x, y, z, w)
#define KY_FMIN(x, y) fminf(x, y)
#define KY_FMAX(x, y) fmaxf(x, y)
#define KY_FABS(x) fabsf(x)
#define KY_BITS_OF_FLOAT(x) __float_as_uint(x)
#define KY_FLOAT_OF_BITS(x) __uint_as_float(x)
#define KY_INFINITY __int_as_float(0x7f800000)
#define KY_FMA_FLOAT(a, b, c) fmaf(a, b, c)
#define KY_RSQRT_FLOAT(x) rsqrtf(x)
#define KY_RSQRT_DOUBLE(x) ky_rsqrt_double(x)

/* 1 / sqrt(x) from the hardware's estimate e of about 20 bits by one step of third order, y = e + e
 * h (1/2 + 3/8 h) with h = 1 - x e²: relative error 1e-16 + rounding. */
static __device__ __forceinline__ double ky_rsqrt_double(double x)
{
    double e, h;
#ifdef KY_CUDA_ON_HOST
    e = 1 / sqrt(x);
#else
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(e) : "d"(x));
#endif
    h = fma(-x * e, e, 1.0);
    return fma(fma(0.375, h, 0.5) * h, e, e);
}

#endif

#ifdef KY_HAS_DOUBLE
#define KY_EXTERNAL_RSQRT(x) KY_RSQRT_DOUBLE(x)
#else
#define KY_EXTERNAL_RSQRT(x) KY_RSQRT_FLOAT(x)
#endif

#define KY_IN_SINGLE (KY_PRECISION == 0)
#define KY_IN_EXTENDED (KY_PRECISION == 1)
#define KY_IN_DOUBLE (KY_PRECISION == 2)

#ifdef KY_PRECISION
#if KY_IN_DOUBLE
#define KY_REAL double
#define KY_FMA(a, b, c) fma(a, b, c)
#define KY_RSQRT(x) KY_RSQRT_DOUBLE(x)
#define KY_NAME(name) name##_double
/* Not double4, whose alignment differs between the languages. */
typedef struct ky_real4 {
    double x, y, z, w;
} ky_real4;
#else
#define KY_REAL float
#define KY_FMA(a, b, c) KY_FMA_FLOAT(a, b, c)
#define KY_RSQRT(x) KY_RSQRT_FLOAT(x)
#if KY_IN_EXTENDED
#define KY_NAME(name) name##_extended
#else
#define KY_NAME(name) name##_single
#endif
typedef float4 ky_real4;
#endif
#define KY_SPLAT(x) ((KY_REAL)(x))
#define KY_RSQRT_SCALE 1
#endif

#include "physics/dialect.h"

#ifdef KY_PRECISION
KY_FN ky_real4 ky_make_real4(KY_REAL x, KY_REAL y, KY_REAL z, KY_REAL w)
{
    ky_real4 v;
    v.x = x;
    v.y = y;
    v.z = z;
    v.w = w;
    return v;
}
#endif

/* ---- teams ---- */

/* Whether to do something that needs all lanes of a team, by a condition that is the same on all
 * lanes. For a barrier under a condition a CPU's compiler duplicates all code after it. So on CPUs
 * it is always done, even if it has no effect. A loop that may have no round is such a condition
 * too. Where much code follows, it tests its condition at its end, and its first round does no harm
 * if there is nothing to do. */
#if defined(KY_ON_CPU)
#define KY_WORTH(condition) 1
#else
#define KY_WORTH(condition) (condition)
#endif

/* A large function without barriers that several places call: the compiler of a CPU makes it once,
 * not in each place, which takes it half the time. */
#if defined(KY_ON_CPU)
#define KY_FN_ONCE static __attribute__((noinline))
#else
#define KY_FN_ONCE KY_FN
#endif

#define KY_WORD_BITS 32 /* of ky_uint */
#if KY_TEAM < KY_LEAST_TEAM
#error "kernels have a lane of a team for each level of a tree"
#elif KY_TEAM <= KY_WORD_BITS
typedef ky_uint ky_mask;
#else
typedef ky_ulong ky_mask;
#endif
#define KY_MASK_OF_ALL (~(ky_mask)0)
#define KY_MASK_WORDS ((KY_TEAM + KY_WORD_BITS - 1) / KY_WORD_BITS)

#define KY_TEAM_KERNEL KY_KERNEL(KY_TEAMS *KY_TEAM)
#define KY_TEAM_KERNEL_FULL(groups) KY_KERNEL_FULL(KY_TEAMS *KY_TEAM, groups)

/* ky_team_range: the smallest `low` and the largest `high` of all lanes. */
struct ky_range {
    float least, most;
};

#if defined(KY_IN_OPENCL)

/* Two rows for sums that read one and write the other, and a mask. */
#define KY_TEAM_SPACE(space) KY_LOCAL ky_uint space[2 * KY_TEAM + KY_MASK_WORDS]
typedef KY_LOCAL_POINTER ky_uint *ky_team;

KY_FN ky_team ky_team_of(KY_LOCAL_POINTER ky_uint *space)
{
    return space;
}

/* After these calls all lanes see the earlier writes of the team's lanes to local memory; the
 * second also covers global memory. */
KY_FN void ky_team_sync(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

KY_FN void ky_team_sync_global(void)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
}

/* The value on lane `from`, which is the same for all lanes. */
KY_FN ky_uint ky_team_broadcast(ky_team team, ky_uint value, ky_uint from)
{
    if (KY_LANE == from)
        team[0] = value;
    KY_BARRIER();
    value = team[0];
    KY_BARRIER();
    return value;
}

#if defined(KY_ON_CPU)

/* A CPU's compiler splits a kernel at every barrier, so few barriers are better than short
 * loops. */

KY_FN ky_uint ky_team_exclusive_sum(ky_team team, ky_uint value, ky_uint *total)
{
    ky_uint sum = 0, all = 0;
    team[KY_LANE] = value;
    KY_BARRIER();
    for (ky_uint k = 0; k < KY_TEAM; k++) {
        sum += k < KY_LANE ? team[k] : 0;
        all += team[k];
    }
    *total = all;
    KY_BARRIER();
    return sum;
}

KY_FN float ky_team_least(ky_team team, float value)
{
    team[KY_LANE] = as_uint(value);
    KY_BARRIER();
    for (ky_uint k = 0; k < KY_TEAM; k++)
        value = fmin(value, as_float(team[k]));
    KY_BARRIER();
    return value;
}

KY_FN struct ky_range ky_team_range(ky_team team, float low, float high)
{
    struct ky_range range;
    team[KY_LANE] = as_uint(low);
    team[KY_TEAM + KY_LANE] = as_uint(high);
    KY_BARRIER();
    range.least = low;
    range.most = high;
    for (ky_uint k = 0; k < KY_TEAM; k++) {
        range.least = fmin(range.least, as_float(team[k]));
        range.most = fmax(range.most, as_float(team[KY_TEAM + k]));
    }
    KY_BARRIER();
    return range;
}

KY_FN ky_mask ky_team_bits(ky_team team, int predicate)
{
    ky_mask bits = 0;
    team[KY_LANE] = predicate != 0;
    KY_BARRIER();
    for (ky_uint k = 0; k < KY_TEAM; k++)
        bits |= (ky_mask)team[k] << k;
    KY_BARRIER();
    return bits;
}

#else

/* Bit k: the predicate of lane k. */
KY_FN ky_mask ky_team_bits(ky_team team, int predicate)
{
    KY_LOCAL_POINTER ky_uint *word = team + 2 * KY_TEAM;
    ky_mask bits = 0;
    if (KY_LANE < KY_MASK_WORDS)
        word[KY_LANE] = 0;
    KY_BARRIER();
    if (predicate)
        atomic_or(word + KY_LANE / KY_WORD_BITS, 1U << KY_LANE % KY_WORD_BITS);
    KY_BARRIER();
    for (ky_uint w = 0; w < KY_MASK_WORDS; w++)
        bits |= (ky_mask)word[w] << w * KY_WORD_BITS;
    KY_BARRIER();
    return bits;
}

/* The sum of the values on lower lanes; *total is the sum over all lanes. */
KY_FN ky_uint ky_team_exclusive_sum(ky_team team, ky_uint value, ky_uint *total)
{
    ky_uint sum = value;
    KY_LOCAL_POINTER ky_uint *row = team;
    for (ky_uint step = 1; step < KY_TEAM; step <<= 1) {
        row[KY_LANE] = sum;
        KY_BARRIER();
        sum += KY_LANE >= step ? row[KY_LANE - step] : 0;
        row = row == team ? team + KY_TEAM : team;
    }
    *total = ky_team_broadcast(team + 2 * KY_TEAM, sum, KY_TEAM - 1);
    return sum - value;
}

/* The smallest value of all lanes. */
KY_FN float ky_team_least(ky_team team, float value)
{
    KY_LOCAL_POINTER ky_uint *row = team;
    for (ky_uint step = KY_TEAM / 2; step > 0; step >>= 1) {
        row[KY_LANE] = as_uint(value);
        KY_BARRIER();
        value = fmin(value, as_float(row[KY_LANE ^ step]));
        row = row == team ? team + KY_TEAM : team;
    }
    KY_BARRIER();
    return value;
}

#endif

#define KY_POPULATION(bits) ((ky_uint)popcount(bits))

#else

#define KY_TEAM_SPACE(space) const int space = 0
typedef int ky_team;

KY_FN ky_team ky_team_of(int space)
{
    return space;
}

KY_FN void ky_team_sync(void)
{
    __syncwarp();
}

KY_FN void ky_team_sync_global(void)
{
    __syncwarp();
}

KY_FN ky_mask ky_team_bits(ky_team team, int predicate)
{
    (void)team;
    return __ballot_sync(KY_MASK_OF_ALL, predicate);
}

KY_FN ky_uint ky_team_broadcast(ky_team team, ky_uint value, ky_uint from)
{
    (void)team;
    return __shfl_sync(KY_MASK_OF_ALL, value, (int)from);
}

KY_FN ky_uint ky_team_exclusive_sum(ky_team team, ky_uint value, ky_uint *total)
{
    ky_uint sum = value;
#pragma unroll
    for (ky_uint step = 1; step < KY_TEAM; step <<= 1) {
        ky_uint before = __shfl_up_sync(KY_MASK_OF_ALL, sum, step);
        sum += KY_TEAM_LANE >= step ? before : 0;
    }
    *total = ky_team_broadcast(team, sum, KY_TEAM - 1);
    return sum - value;
}

KY_FN float ky_team_least(ky_team team, float value)
{
    (void)team;
#pragma unroll
    for (int step = KY_TEAM / 2; step > 0; step >>= 1)
        value = fminf(value, __shfl_xor_sync(KY_MASK_OF_ALL, value, step));
    return value;
}

#define KY_POPULATION(bits) ((ky_uint)(sizeof(bits) > 4 ? __popcll(bits) : __popc((ky_uint)(bits))))

#endif

#if !defined(KY_ON_CPU)
KY_FN struct ky_range ky_team_range(ky_team team, float low, float high)
{
    struct ky_range range;
    range.least = ky_team_least(team, low);
    range.most = -ky_team_least(team, -high);
    return range;
}
#endif

/* Joins the numbers that the lanes of a group have written to local memory: `join` acts on lane
 * KY_LANE and lane KY_LANE + step, with fewer lanes each time, until lane 0 has the result, which
 * all lanes see after the call. The number of lanes is a power of two. */
#define KY_REDUCE(lanes, join)                                                                     \
    do {                                                                                           \
        KY_BARRIER();                                                                              \
        for (ky_uint step = (lanes) / 2; step > 0; step >>= 1) {                                   \
            if (KY_LANE < step)                                                                    \
                join;                                                                              \
            KY_BARRIER();                                                                          \
        }                                                                                          \
    } while (0)

/* The sum over a group of 256 lanes, for all of them. part[256]: local memory. */
KY_FN ky_ulong ky_group_sum(KY_LOCAL_POINTER ky_ulong *part, ky_ulong own)
{
    part[KY_LANE] = own;
    KY_REDUCE(256, part[KY_LANE] += part[KY_LANE + step]);
    own = part[0];
    KY_BARRIER(); /* before the next sum */
    return own;
}

/* The largest of the numbers of 256 lanes, for all of them. A barrier has to follow before part[]
 * is written again. */
KY_FN float ky_group_most(KY_LOCAL_POINTER float *part, float own)
{
    part[KY_LANE] = own;
    KY_REDUCE(256, part[KY_LANE] = KY_FMAX(part[KY_LANE], part[KY_LANE + step]));
    return part[0];
}

/* The sum of the values of all lanes, added in the same order on all devices. */
#if defined(KY_IN_OPENCL)
KY_FN float ky_team_sum(ky_team team, float value)
{
    for (ky_uint step = KY_TEAM / 2; step > 0; step >>= 1) {
        team[KY_LANE] = as_uint(value);
        KY_BARRIER();
        value += as_float(team[KY_LANE ^ step]);
        KY_BARRIER();
    }
    return value;
}
#else
KY_FN float ky_team_sum(ky_team team, float value)
{
    (void)team;
#pragma unroll
    for (int step = KY_TEAM / 2; step > 0; step >>= 1)
        value += __shfl_xor_sync(KY_MASK_OF_ALL, value, step);
    return value;
}
#endif

/* The number of lower lanes whose predicate is true; *total is the number of all such lanes. */
KY_FN ky_uint ky_team_rank(ky_team team, int predicate, ky_uint *total)
{
    ky_mask bits = ky_team_bits(team, predicate);
    *total = KY_POPULATION(bits);
    return KY_POPULATION(bits & (((ky_mask)1 << KY_TEAM_LANE) - 1));
}

/* The lowest lane of a mask; KY_TEAM or more for none. */
KY_FN ky_uint ky_team_lowest(ky_mask bits)
{
    return KY_POPULATION((bits & (0 - bits)) - 1);
}

/* Whether the predicate is true on any lane. */
KY_FN int ky_team_any(ky_team team, int predicate)
{
    return ky_team_bits(team, predicate) != 0;
}

#endif
