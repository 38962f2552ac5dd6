#!/bin/sh
# bench/roots.sh: nanoseconds of a pair in the inner loop of the exact sum, single and extended precision, with several ways to
# find 1/sqrt(x): 0: the way of the instruction set; 1: an estimate by integer arithmetic and a polynomial of degree 4 in
# 1 - x y²; 2: this estimate and two Newton steps (errors of 6e-7); 3: a square root and a division. The least of 1,500 runs; the ways take turns.
# usage: bench/roots.sh [ISA...]    (avx2 sse2)
cd "$(dirname "$0")/.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/roots.c" <<'END'
#define _GNU_SOURCE
#define KY_LANE_DOUBLE 0
#include "engine/cpu/lanes/lanes.h"

KY_INLINE ky_vector root(ky_vector x)
{
    ky_vector y = (ky_vector)(0x5f294000 - (ky_whole)((ky_whole)x >> 1));
#if WAY == 1
    ky_vector d = ky_fma(-(x * y), y, ky_splat(1)), t = ky_fma(d - 0.2495161f, d, ky_splat(1.2368212f));
    return y * ky_fma(d - 1.5207702f + t, t, ky_splat(2.3512158f));
#elif WAY == 2
    y = y * ky_fma(-(x * y), y, ky_splat(2.384f));
    return y * ky_fma(-(x * y), y, ky_splat(3));
#elif WAY == 3
    return 2 / (ky_vector)ky_floats_root((ky_floats)x);
#else
    (void)y;
    return ky_rsqrt(x);
#endif
}
#undef KY_RSQRT
#define KY_RSQRT(x) root(x)
#include "engine/cpu/lanes/pairs.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SOURCES = 512, SINKS = 64, SUMS = 20, RUNS = 1500 };

static __attribute__((noinline)) void sum(const struct ky_sources *sources, struct ky_sinks *sinks)
{
    for (int v = 0; v < sinks->vectors; v += 2)
        ky_pairs_chunk(sources, 0, SOURCES, sinks, v, 2, HOW);
}

int main(void)
{
    static float x[3][SOURCES], low[3][SOURCES], m[SOURCES];
    static struct ky_sinks sinks = {.vectors = SINKS / KY_WIDTH};
    for (int i = 0; i < SOURCES; i++) {
        m[i] = 1;
        for (int c = 0; c < 3; c++)
            x[c][i] = (float)rand() / 2e9f, low[c][i] = (float)rand() / 2e16f;
    }
    for (int i = 0; i < SINKS; i++)
        sinks.x[i] = x[0][i] + 0.3f, sinks.eps2[i] = 1e-3f;
    const struct ky_sources sources = {x[0], x[1], x[2], m, NULL, {low[0], low[1], low[2]}};
    double least = 1;
    for (int run = 0; run < RUNS; run++) {
        struct timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (int k = 0; k < SUMS; k++)
            sum(&sources, &sinks);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        least = fmin(least, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    }
    printf("%.4f\n", 1e9 * least / SUMS / SINKS / SOURCES);
}
END
[ $# -gt 0 ] || set -- avx2 sse2
for isa in "$@"; do
    flags=$(sed -n "s/^ISA_FLAGS_$isa *:= *//p" mk/isa.mk)
    for how in 0 KY_LOW; do
        for way in 0 1 2 3; do
            # shellcheck disable=SC2086
            ${CC:-cc} -std=gnu11 -O3 -ffp-contract=off -fno-math-errno -Iinclude -Isrc $flags -DHOW=$how -DWAY=$way \
                "$folder/roots.c" -o "$folder/roots" -lm &&
                echo "$isa $([ $how = 0 ] && echo single || echo extended) way $way: $("$folder/roots") ns"
        done
    done
done
