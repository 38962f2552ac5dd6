#!/bin/sh
# On a machine with an NVIDIA GPU: builds, runs the tests of devices through CUDA and NVIDIA's OpenCL, a short list of
# them under compute-sanitizer, then the benchmarks, and prints a short table. Logs go to $OUT (gpu-results).
# JOBS, BUILD, CUDA_ARCHS and other variables of make are passed on; QUICK=yes leaves out the sanitizer.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
out=${OUT:-gpu-results}
mkdir -p "$out"
say() { printf '%s\n' "== $*"; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { say "no NVIDIA driver here"; exit 3; }
# Containers often lack the line that tells the OpenCL loader of the driver.
if ! grep -qs nvidia /etc/OpenCL/vendors/*.icd && [ -z "${OCL_ICD_VENDORS:-}" ]; then
    library=$(ldconfig -p | sed -n 's/.*=> \(.*libnvidia-opencl.so.1\)$/\1/p' | head -n 1)
    [ -n "$library" ] || library=$(find /usr /opt -name libnvidia-opencl.so.1 2>/dev/null | head -n 1)
    if [ -n "$library" ]; then
        mkdir -p "$out/vendors" && echo "$library" >"$out/vendors/nvidia.icd"
        OCL_ICD_VENDORS=$PWD/$out/vendors
        case $out in /*) OCL_ICD_VENDORS=$out/vendors ;; esac
        export OCL_ICD_VENDORS
    fi
fi

if [ -z "${SKIP_BUILD:-}" ]; then
    say "building in $build"
    make -j"${JOBS:-$(nproc)}" BUILD="$build" all tests bench >"$out/make.log" 2>&1 ||
        { tail -n 20 "$out/make.log"; exit 1; }
fi
"$build/kyoho" devices

status=0
export CMOCKA_MESSAGE_OUTPUT=TAP
for engine in cuda:0 opencl:0; do
    for test in "$build"/tests/unit/device*; do
        [ -x "$test" ] || continue
        name=$(basename "$test")-$engine
        say "$name"
        KYOHO_TEST_ENGINE=$engine "$test" >"$out/test-$name.log" 2>&1 || status=1
        grep -E '^(not )?ok|ERROR' "$out/test-$name.log"
    done
done
if [ -z "${SKIP_BUILD:-}" ]; then
    say "the whole test suite"
    BUILD=$build tests/run >"$out/tests.log" 2>&1 || status=1
    tail -n 1 "$out/tests.log"
fi

if [ -z "${QUICK:-}" ]; then
    for tool in memcheck racecheck initcheck; do
        for test in device device_walk device_unroll; do
            say "compute-sanitizer $tool $test"
            KYOHO_TEST_ENGINE=cuda:0 compute-sanitizer --tool $tool --error-exitcode 9 \
                "$build/tests/unit/$test" '*_in_small' >"$out/$tool-$test.log" 2>&1 || status=1
            grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|^(not )?ok' "$out/$tool-$test.log"
        done
    done
fi

for engine in cuda:0 opencl:0; do
    say "benchmarks through $engine"
    "$build/bench/device" $engine 2>&1 | tee "$out/bench-$engine.txt"
    for precision in single extended double; do
        "$build/kyoho" bench unroll --engine $engine --precision $precision 2>&1
    done | tee "$out/unroll-$engine.txt"
    for precision in single extended double; do
        "$build/bench/neighbours" 1048576 $engine 0 $precision 2>&1
    done | tee "$out/neighbours-$engine.txt"
done
exit $status
