#!/bin/sh
# The functions of tiles.h are compiled by nvcc for every generation of cards, also for those without its instructions.
cd "$(dirname "$0")/../.." || exit 1
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cat >"$place/tiles.cu" <<'END'
#include "engine/device/kernels/driver/tiles.h"
extern "C" __global__ void product(float *d, const ky_uint *a, uint2 *b)
{
    const int space = 0;
    ky_tile_product(space, d, a, b[threadIdx.x]);
    b->x = ky_halves(ky_half_first(b->x), ky_half_second(b->y));
}
END
count=0
for arch in 75 80 86 89 90; do
    count=$((count + 1))
    if ! "$nvcc" --list-gpu-code 2>/dev/null | grep -q "sm_$arch"; then
        echo "ok $count - tiles for sm_$arch # SKIP no nvcc here knows it"
    elif "$nvcc" -std=c++17 -arch="sm_$arch" -Iinclude -Isrc -cubin -o "$place/tiles.cubin" "$place/tiles.cu" >"$place/out" 2>&1; then
        echo "ok $count - tiles for sm_$arch"
    else
        head -n 5 "$place/out"
        echo "not ok $count - tiles for sm_$arch"
    fi
done
