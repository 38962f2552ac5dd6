/* The instruction sets of this build, and of this machine. */
#include "engine/cpu/state/cpu.h"
#include "engine/few.h"

static int always(void)
{
    return 1;
}

#if defined(__x86_64__)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && has_avx2();
}
#else
#define has_avx2 always
#define has_avx512 always
#endif

/* mk/isa.mk defines the macros of the sets in this build. */
#ifdef KY_BUILT_sse2
#define KY_LANES_SSE2 &ky_lanes_sse2
#else
#define KY_LANES_SSE2 NULL
#endif
#ifdef KY_BUILT_avx2
#define KY_LANES_AVX2 &ky_lanes_avx2
#else
#define KY_LANES_AVX2 NULL
#endif
#ifdef KY_BUILT_avx512
#define KY_LANES_AVX512 &ky_lanes_avx512
#else
#define KY_LANES_AVX512 NULL
#endif
#ifdef KY_BUILT_neon
#define KY_LANES_NEON &ky_lanes_neon
#else
#define KY_LANES_NEON NULL
#endif

/* the best one last */
static const struct {
    int isa;
    const char *name;
    int (*here)(void);
    const struct ky_lanes *lanes; /* NULL: not in this build */
} sets[] = {
    {KY_ISA_PLAIN, "plain C", always, &ky_lanes_plain},
    {KY_ISA_SSE2, "SSE2", always, KY_LANES_SSE2},
    {KY_ISA_AVX2, "AVX2", has_avx2, KY_LANES_AVX2},
    {KY_ISA_AVX512, "AVX-512", has_avx512, KY_LANES_AVX512},
    {KY_ISA_NEON, "NEON", always, KY_LANES_NEON},
};

enum ky_status ky_cpu_lanes(int isa, const struct ky_lanes **lanes, const char **name,
                            struct ky_error *error)
{
    for (int k = (int)(sizeof sets / sizeof *sets) - 1; k >= 0; k--) {
        if (isa != KY_ISA_AUTO && isa != sets[k].isa)
            continue;
        if (sets[k].lanes && sets[k].here()) {
            *lanes = sets[k].lanes;
            *name = sets[k].name;
            return KY_OK;
        }
        if (isa == sets[k].isa)
            return ky_fail(error, KY_UNSUPPORTED, "this %s has no %s: use --isa auto or plain",
                           sets[k].here() ? "build" : "processor", sets[k].name);
    }
    return ky_fail(error, KY_USAGE, "there is no instruction set with number %d", isa);
}

enum ky_status ky_cpu_few(const struct ky_parameters *parameters, ky_few_function **steps,
                          struct ky_error *error)
{
    const struct ky_lanes *lanes;
    const char *name;
    KY_TRY(ky_cpu_lanes(parameters->isa, &lanes, &name, error));
    *steps = lanes->few;
    return KY_OK;
}
