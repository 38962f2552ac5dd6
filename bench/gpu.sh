#!/bin/sh
# Tests and measures on a machine with an NVIDIA GPU: gpu.sh [PART...]. Without words all parts but the last are run:
#   build      builds the library, the tests and the benchmarks
#   devices    runs the tests of engines through CUDA and NVIDIA's OpenCL
#   suite      runs the whole test suite
#   sanitizer  runs each kernel once under compute-sanitizer
#   bench      runs the benchmarks
#   collapse   follows a cluster to core collapse
# Logs go to $OUT (gpu-results). JOBS, BUILD, CUDA_ARCHS and other variables of make are passed on.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
out=${OUT:-gpu-results}
parts=" ${*:-build devices suite sanitizer bench} "
mkdir -p "$out"
status=0
say() { printf '%s\n' "== $*"; }
wanted() { case $parts in *" $1 "*) return 0 ;; esac; return 1; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { say "no NVIDIA driver here"; exit 3; }
# Containers often lack the file that names the driver for the OpenCL loader.
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

if wanted build; then
    say "building in $build"
    make -j"${JOBS:-$(nproc)}" BUILD="$build" all tests bench >"$out/make.log" 2>&1 ||
        { tail -n 20 "$out/make.log"; exit 1; }
fi
"$build/kyoho" devices
export CMOCKA_MESSAGE_OUTPUT=TAP

if wanted devices; then
    for engine in cuda:0 opencl:0; do
        log=$(echo $engine | tr -d :)
        for test in $(cd tests/unit && echo device*.c) engine_parts external integrate close_pairs general_walk sim_change \
            softenings block hermite few_devices close_systems choice long_orbit ranks_copies ranks_devices ranks_devices_blocks \
            ranks_devices_fmm ranks_devices_points ranks_devices_walks; do
            test=${test%.c}
            name=$test-$log
            say "$test through $engine"
            KYOHO_TEST_ENGINE=$engine "$build/tests/unit/$test" >"$out/test-$name.log" 2>&1 || status=1
            grep -E '^(not )?ok|ERROR' "$out/test-$name.log"
            grep -q '^not ok' "$out/test-$name.log" && tail -n 30 "$out/test-$name.log"
        done
    done
fi

if wanted suite; then
    say "the whole test suite"
    BUILD=$build tests/run >"$out/tests.log" 2>&1 || status=1
    grep -E 'SKIP|[1-9][0-9]* failed' "$out/tests.log"
    tail -n 1 "$out/tests.log"
fi

if wanted sanitizer; then
    for tool in memcheck racecheck initcheck; do
        for test in device device_driver device_walk device_fmm device_board hermite ranks_devices_blocks ranks_devices_fmm; do
            say "compute-sanitizer $tool, every kernel of $test"
            KYOHO_TEST_ENGINE=cuda:0 KYOHO_TEST_ONLY=every_kernel_in_small compute-sanitizer --tool $tool \
                --error-exitcode 9 "$build/tests/unit/$test" >"$out/$tool-$test.log" 2>&1 || status=1
            grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|^(not )?ok' "$out/$tool-$test.log"
        done
    done
fi

if wanted bench; then
    for engine in cuda:0 opencl:0; do
        log=$(echo $engine | tr -d :)
        say "benchmarks through $engine"
        "$build/bench/device" $engine 2>&1 | tee "$out/bench-$log.txt"
        "$build/bench/crossover" $engine 2>&1 | tee "$out/crossover-$log.txt"
        "$build/bench/crossover" methods $engine 0 10000 30000 100000 200000 1000000 2>&1 | tee "$out/methods-$log.txt"
        "$build/bench/board" $engine 2>&1 | tee "$out/board-$log.txt"
        {
            "$build/bench/hermite" --engine $engine 256 1024 4096 8192 16384 32768
            "$build/bench/hermite" --engine $engine --span 1 131072
            "$build/bench/hermite" --engine $engine --precision double 8192 32768
            "$build/bench/hermite" --engine $engine --eta 0.003 --softening 0 32768
            "$build/bench/hermite" --engine $engine --precision double --eta 0.0001 --softening 0 32768
        } 2>&1 | tee "$out/hermite-$log.txt"
        "$build/bench/tree" $engine 2>&1 | tee "$out/tree-$log.txt"
        {
            "$build/bench/block" --engine $engine --steps all hernquist 4194304 0.001 1
            "$build/bench/block" --engine $engine --steps all jaffe 4000000 0.001 1
        } 2>&1 | tee "$out/block-$log.txt"
        for precision in extended double; do
            KYOHO_ENGINE=$engine KYOHO_PRECISION=$precision "$build/bench/grape" 1048576
        done 2>&1 | tee "$out/grape-$log.txt"
        "$build/bench/unrolling" $engine 524288 2>&1 | tee "$out/unroll-$log.txt"
        for precision in single extended double; do
            "$build/bench/neighbours" 1048576 $engine 0 $precision 2>&1
        done | tee "$out/neighbours-$log.txt"
        {
            "$build/bench/search" 10000000 cpu,$engine
            "$build/bench/search" 10000000 $engine 0 single
        } 2>&1 | tee "$out/search-$log.txt"
    done
    if [ "$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)" -ge 2 ]; then
        say "two devices"
        {
            "$build/bench/cards" cuda:0,1 16777216,67108864 plummer weak
            "$build/bench/cards" cuda:0,1 4000000,16000000 jaffe blocks
            "$build/bench/calls" cuda:0,1 16777216 2
            "$build/bench/calls" cuda:0,1 16777216 2 plummer host
            KYOHO_ENGINE=cuda:0,1 "$build/bench/grape" 1048576
        } 2>&1 | tee "$out/bench-cards.txt"
    fi
fi

if wanted collapse; then
    say "core collapse of 4,096 bodies, some 5 minutes"
    "$build/kyoho" run --model plummer -n 4096 --softening 0.0009765625 --force direct --integrator hermite4 --eta 0.02 \
        --engine cuda:0 --end 2000 --step 0.125 --every 0 --restart-every 1000 --energy-every 0.5 --stop-core 0 -o "$out/collapse" ||
        status=1
    tail -n 1 "$out/collapse/energy.csv"
fi
exit $status
