#!/bin/sh
# The actions of the general walk are portable C: clang reads them as OpenCL C 1.2, with float and with double.
cd "$(dirname "$0")/../.." || exit 1
number=0
check() {
    number=$((number + 1))
    said=$({ echo "$2"; cat tests/helpers/walk.cl; } |
        clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Isrc -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only - 2>&1)
    if [ -z "$said" ]; then
        echo "ok $number - the actions are OpenCL C 1.2 $1"
    else
        printf '%s\n' "$said" | sed 's/^/# /'
        echo "not ok $number - the actions are OpenCL C 1.2 $1"
    fi
}
if ! clang --version >/dev/null 2>&1; then
    echo "ok 1 - the actions are OpenCL C 1.2 # SKIP clang is not installed"
    exit 0
fi
check "with float" ""
check "with double" "#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KY_REAL double
#define KY_FMA(a, b, c) fma(a, b, c)
#define KY_RSQRT(x) rsqrt(x)
#define KY_SPLAT(x) ((KY_REAL)(x))
#define KY_RSQRT_SCALE 1"
# A new action is a file, a line and an include: the example of docs/general-walk.md in the kernels of devices.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# Compiles a unit of kernels for OpenCL: it has the kernel, or what the compiler says is shown.
compile() { # UNIT KERNEL WHAT [LINES]
    number=$((number + 1))
    printf '#include "engine/device/kernels/forces/%s"\n%s\n' "$1" "$4" >"$folder/all.cl"
    said=$(clang -x cl -cl-std=CL1.2 -DKY_PRECISION=0 -Xclang -finclude-default-header -I"$folder" -Isrc \
        -Wall -Wextra -Werror -Wno-unused-function -S -emit-llvm -O0 -o - "$folder/all.cl" 2>&1)
    case $said in
    *"@$2("*) echo "ok $number - $3 is a file, a line and an include" ;;
    *)
        printf '%s\n' "$said" | head -n 20 | sed 's/^/# /'
        echo "not ok $number - $3 is a file, a line and an include"
        ;;
    esac
}

mkdir -p "$folder/physics"
cp -r src/physics/actions "$folder/physics"
cp tests/unit/enclosed.h "$folder/physics/actions/enclosed.h"
sed -i 's|^#include "physics/actions/count.h"|&\n#include "physics/actions/enclosed.h"|' "$folder/physics/actions/actions.h"
sed -i 's|^    X(count, .*|    X(enclosed, KY_NEEDS_RADIUS \| KY_DUAL, p, number) \\\n&|' "$folder/physics/actions/table.h"
kernels='#define KERNELS(name, needs, p, number) KY_GENERAL_KERNEL(name, needs) KY_CUT_KERNELS(name, needs)
KY_ACTIONS_OF(KERNELS, 0, 0)' # each is a unit of its own (driver/list.h)
compile general.k ky_general_enclosed_single "a new action" "$kernels"
compile general.k ky_cut_enclosed_single "a new action that wants the dual walk" "$kernels"
# The same for an action that joins.
cp tests/unit/peers.h "$folder/physics/actions/peers.h"
sed -i 's|^#include "physics/actions/nearest.h"|&\n#include "physics/actions/peers.h"|' "$folder/physics/actions/actions.h"
sed -i 's|^#define KY_JOINING_OF(X, p, number) |&X(peers, KY_NEEDS_RADIUS \| KY_JOINS, p, number) |' "$folder/physics/actions/table.h"
compile joins.k ky_joins_peers_single "a new action that joins"
echo "1..$number"
