#!/bin/sh
# The largest and the mean error of the reciprocal square root, for every instruction set that this machine has, against
# the bounds in docs/numerics.md; and roots that do not depend on the maker of the processor.
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
KYOHO=${KYOHO:-build/kyoho}
. tests/command/tap.sh
cat >"$folder/rsqrt.c" <<'END'
#define KY_LANE_DOUBLE KIND
#include "engine/cpu/lanes/lanes.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double worst = 0, sum = 0;
    long count = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits += 5, count++) {
        float x;
        memcpy(&x, &bits, sizeof x);
        ky_element y[KY_WIDTH];
        ky_store(y, ky_rsqrt(ky_splat((ky_element)x)));
        double error = (double)y[KY_WIDTH - 1] / KY_RSQRT_SCALE * sqrt((double)x) - 1;
        sum += error;
        worst = fmax(worst, fabs(error));
    }
    printf("# largest %.2e, mean %.2e\n", worst, sum / (double)count);
    return argc < 3 || worst > atof(argv[1]) || fabs(sum / (double)count) > atof(argv[2]);
}
END
bound() { # isa, flag of the machine, kind, largest, mean
    isa=$1 kind=$3 name="$1 $([ "$3" = 1 ] && echo double || echo float)"
    if [ -n "$2" ] && ! grep -qw "$2" /proc/cpuinfo; then
        skip "$name" "this machine has no $isa"
        return
    fi
    flags=$(sed -n "s/^ISA_FLAGS_$isa *:= *//p" mk/isa.mk)
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -O2 -ffp-contract=off -fno-math-errno -Iinclude -Isrc -DKIND="$kind" $flags "$folder/rsqrt.c" \
        -o "$folder/rsqrt" -lm && "$folder/rsqrt" "$4" "$5"
    result $? "1/sqrt of $name within $4, mean within $5"
}
bound plain '' 0 1e-7 1e-9
bound plain '' 1 3e-16 1e-16
# All numbers from 1 to 4, and numbers at the ends of the range: 0, the least, the largest subnormal, the least normal,
# 1e-18, the largest, infinity.
cat >"$folder/bits.c" <<'END'
#define KY_LANE_DOUBLE KIND
#include "engine/cpu/lanes/lanes.h"
#include "base/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static ky_element root(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    ky_element y[KY_WIDTH];
    ky_store(y, ky_rsqrt(ky_splat((ky_element)x)));
    return y[KY_WIDTH - 1];
}

static ky_element exact(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    volatile ky_element root = KIND ? (ky_element)sqrt((double)x) : (ky_element)sqrtf(x);
    return 1 / root;
}

int main(int argc, char **argv)
{
    static const uint32_t ends[] = {0, 1, 0x7fffff, 0x800000, 0x21938b42, 0x7f7fffff, 0x7f800000};
    enum { FIRST = 0x3f800000, LAST = 0x40800000, ENDS = sizeof ends / sizeof *ends };
    struct ky_hashing hashing = ky_hash_begin(0);
    long differ = 0;
    for (uint32_t k = 0; k < LAST - FIRST + ENDS; k++) {
        const uint32_t bits = k < ENDS ? ends[k] : FIRST + k - ENDS;
        const ky_element y = root(bits), e = exact(bits);
        differ += memcmp(&y, &e, sizeof y) != 0;
        if (k >= ENDS)
            ky_hash_add(&hashing, &y, sizeof y);
    }
    printf("# %ld are not 1 / sqrt(x), hash %016" PRIx64 "\n", differ, ky_hash_end(&hashing));
    return argc < 2 ? differ != 0 : strtoull(argv[1], NULL, 16) != ky_hash_end(&hashing);
}
END
same() { # isa, flag of the machine, kind, hash on an AMD EPYC and on an Intel Xeon; no hash: correctly rounded
    name="$1 $([ "$3" = 1 ] && echo double || echo float)"
    if [ -n "$2" ] && ! grep -qw "$2" /proc/cpuinfo; then
        skip "1/sqrt of $name has the same bits everywhere" "this machine has no $1"
        return
    fi
    # shellcheck disable=SC2046
    ${CC:-cc} -std=c11 -O2 -ffp-contract=off -fno-math-errno -Iinclude -Isrc -DKIND="$3" \
        $(sed -n "s/^ISA_FLAGS_$1 *:= *//p" mk/isa.mk) "$folder/bits.c" src/base/hash.c -o "$folder/bits" -lm &&
        "$folder/bits" ${4:+"$4"}
    result $? "1/sqrt of $name has the same bits on processors of all makers"
}
same plain '' 0
same plain '' 1
case $(${CC:-cc} -dumpmachine) in
x86_64*)
    same sse2 '' 0
    same sse2 '' 1
    same avx2 avx2 1
    same avx512 avx512dq 0 e3eaa0acf1401ee2
    same avx512 avx512dq 1 924887597ea238d8
    if "$KYOHO" force --model plummer -n 2 --engine cpu --isa sse2 --quiet 2>&1 | grep -q 'this build has no'; then
        skip "SSE2 has the bits of plain C" "this build has no SSE2: make check takes it"
        forces=0
    fi
    for force in 'direct --precision single' direct 'direct --precision double' tree fmm; do
        [ "${forces:-1}" = 1 ] || break
        for isa in plain sse2; do
            # shellcheck disable=SC2086
            "$KYOHO" force --model plummer -n 3000 --softening 0.01 --engine cpu --isa $isa --force $force \
                -o "$folder/$isa.csv" --overwrite --quiet >"$folder/said"
            grep -v '^#' "$folder/$isa.csv" >"$folder/$isa"
        done
        [ -s "$folder/sse2" ] && cmp "$folder/plain" "$folder/sse2"
        result $? "--force $force: SSE2 has the bits of plain C"
    done
    bound sse2 '' 0 1e-7 1e-9
    bound sse2 '' 1 3e-16 1e-16
    bound avx2 avx2 0 3e-7 1e-7
    bound avx2 avx2 1 3e-16 1e-16
    bound avx512 avx512dq 0 2e-7 6e-9
    bound avx512 avx512dq 1 6e-16 1e-16
    ;;
esac
