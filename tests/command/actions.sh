#!/bin/sh
# The actions of the general walk are portable C: clang reads them as OpenCL C 1.2, with float and with double.
cd "$(dirname "$0")/../.." || exit 1
number=0
check() {
    number=$((number + 1))
    said=$({ echo "$2"; cat tests/helpers/walk.cl; } |
        clang -x cl -cl-std=CL1.2 -D__OPENCL_VERSION__=120 -Xclang -finclude-default-header -Isrc -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only - 2>&1)
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
echo "1..$number"
