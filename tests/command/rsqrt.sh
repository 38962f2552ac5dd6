#!/bin/sh
# The largest and the mean error of the reciprocal square root, for every instruction set that this machine has, against
# the bounds in docs/numerics.md.
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
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
count=0
bound() { # isa, flag of the machine, kind, largest, mean
    isa=$1 kind=$3 name="$1 $([ "$3" = 1 ] && echo double || echo float)"
    count=$((count + 1))
    if [ -n "$2" ] && ! grep -qw "$2" /proc/cpuinfo; then
        echo "ok $count - $name # SKIP this machine has no $isa"
        return
    fi
    flags=$(sed -n "s/^ISA_FLAGS_$isa *:= *//p" mk/isa.mk)
    # shellcheck disable=SC2086
    if ${CC:-cc} -std=c11 -O2 -ffp-contract=off -fno-math-errno -Iinclude -Isrc -DKIND="$kind" $flags "$folder/rsqrt.c" \
        -o "$folder/rsqrt" -lm && "$folder/rsqrt" "$4" "$5"; then
        echo "ok $count - 1/sqrt of $name within $4, mean within $5"
    else
        echo "not ok $count - 1/sqrt of $name within $4, mean within $5"
    fi
}
bound plain '' 0 1e-7 1e-9
bound plain '' 1 3e-16 1e-16
case $(${CC:-cc} -dumpmachine) in
x86_64*)
    bound sse2 '' 0 3e-7 1e-7
    bound sse2 '' 1 3e-16 1e-16
    bound avx2 avx2 0 3e-7 1e-7
    bound avx2 avx2 1 3e-16 1e-16
    bound avx512 avx512dq 0 2e-7 6e-9
    bound avx512 avx512dq 1 6e-16 1e-16
    ;;
esac
