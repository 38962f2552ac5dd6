#!/bin/sh
# The tests of what runs in parallel, under the thread sanitizer. clang with its own OpenMP: gcc's reports races
# that are none.
cd "$(dirname "$0")/../.." || exit 1
if ! printf '#include <omp.h>\nint main(void){return omp_get_max_threads() < 1;}' |
    clang -x c -fopenmp -fsanitize=thread -o /dev/null - 2>/dev/null; then
    echo "ok 1 - no data races # SKIP clang, libomp-dev or libclang-rt-dev is not installed"
    exit 0
fi
build=$BUILD/thread
make -s -j2 sanitize-thread || { echo "not ok 1 - the unit tests build with the thread sanitizer"; exit 1; }
count=0
for name in $(cd tests/unit && ls cpu*.c octree*.c draw*.c models*.c analysis*.c sim*.c general*.c 2>/dev/null | sed "s|\.c$||"); do
    count=$((count + 1))
    CMOCKA_MESSAGE_OUTPUT=STDOUT OMP_NUM_THREADS=2 TSAN_OPTIONS=ignore_noninstrumented_modules=1 "$build/tests/unit/$name" >"$build/$name.log" 2>&1
    if grep -q 'ThreadSanitizer' "$build/$name.log" || ! grep -q 'test(s) run' "$build/$name.log"; then
        grep -A 20 'ThreadSanitizer' "$build/$name.log" | head -n 40
        echo "not ok $count - no data races: $name"
    else
        echo "ok $count - no data races: $name"
    fi
done
