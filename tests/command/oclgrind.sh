#!/bin/sh
# A small case of every kernel under oclgrind, which finds races between the lanes of a group, and accesses outside of
# buffers.
cd "$(dirname "$0")/../.." || exit 1
say() { echo "ok 1 - kernels neither race nor stray # SKIP $1"; exit 0; }
command -v oclgrind >/dev/null || say "oclgrind is not installed (Debian 13 has no package of it)"
[ -x "$BUILD/tests/unit/device" ] || say "the test of devices is not built"
"$BUILD/kyoho" devices | grep -q '^opencl:0' || say "no OpenCL device is installed, or OpenCL is not in this build"
# A cache of its own, so that each program is compiled every time.
XDG_CACHE_HOME=$(mktemp -d) || exit 1
export XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
number=0
# KY_OUT_OF_LINE: oclgrind 21.10 does not know all instructions that LLVM makes of inlined functions.
# Those of device_walk, device_fmm and device_points take a minute each: `make check-all` has them.
for test in device device_driver device_board hermite ${KYOHO_TEST_ALL:+device_walk device_fmm device_points}; do
    number=$((number + 1))
    log=$BUILD/oclgrind-$test.log all=${KYOHO_TEST_ALL:-}
    [ "$test" != hermite ] || all=1 # on slow devices it has this case with all cases only
    env ${all:+KYOHO_TEST_ALL=1} KYOHO_TEST_ENGINE=opencl:0 KYOHO_TEST_ONLY=every_kernel_in_small CMOCKA_MESSAGE_OUTPUT=TAP \
        oclgrind --build-options -DKY_OUT_OF_LINE --data-races --log "$log" "$BUILD/tests/unit/$test" >"$log.out" 2>&1
    code=$?
    if [ $code -ne 0 ] || ! grep -q '^ok 1' "$log.out"; then
        tail -n 5 "$log.out"
        echo "not ok $number - every kernel of tests/unit/$test.c runs under oclgrind"
    elif [ -s "$log" ]; then
        head -n 30 "$log"
        echo "not ok $number - the kernels of tests/unit/$test.c neither race nor stray"
    else
        echo "ok $number - the kernels of tests/unit/$test.c neither race nor stray"
    fi
done
