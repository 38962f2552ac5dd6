#!/bin/sh
# Tests of parallel code under gcc's thread sanitizer, with our own threads (src/base/team.c). It knows how these wait for
# each other. With the threads of an OpenMP library it would report races that are none.
cd "$(dirname "$0")/../.." || exit 1
compiler=${CC:-cc}
if "$compiler" -dM -E -x c /dev/null | grep -q __clang__ ||
    ! echo 'int main(void){return 0;}' | "$compiler" -x c -fsanitize=thread -o /dev/null - 2>/dev/null; then
    echo "ok 1 - no data races # SKIP $compiler is not gcc, or has no thread sanitizer"
    exit 0
fi
# Programs and patterns of their tests. `check-long` has one path of each kind that compares numbers of threads, or runs several
# at a time: trees, simulations, models, the general walk, ranks, boards. `check-all` has all tests of more programs, each with the part of
# its cases that `check` takes, and OpenCL without the threads of PoCL itself.
if [ -z "${KYOHO_TEST_ALL:-}" ]; then
    work="team *
view *
octree threads*
sim threads*
cosmic *seed*
general_walk threads*
groups threads*
close_systems threads*
few_systems any*
ranks_changes restarts*
shared_writes *
board *
grape6 *half*"
else
    work="block *
cpu_direct *
cpu_tree * the_defaults*
fmm *
mutual threads*
octree *
sim *
draw *
models *
cosmic *
analysis *
general_walk *
groups *
close_systems threads*
few_systems any*
comm *
ranks *
ranks_changes *
ranks_fields *
ranks_points *
ranks_walks *
ranks_blocks *
ranks_boxes *
ranks_fmm *
shared_writes *
board *
grape6 * opens*
view *
team *"
    [ ! -x "$BUILD/tests/unit/device_driver" ] || work="$work
device_driver *first*
device two_simulations*"
fi
jobs=${JOBS:-$(nproc)}
export build="$BUILD/thread" CMOCKA_MESSAGE_OUTPUT=STDOUT OMP_NUM_THREADS=2 TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0:allocator_may_return_null=1
make -s -j"$jobs" SANITIZED="$(echo "$work" | cut -d' ' -f1 | tr '\n' ' ')" sanitize-thread ||
    { echo "not ok 1 - the unit tests build with the thread sanitizer"; exit 1; }
echo "$work" | xargs -P "$jobs" -L 1 sh -c 'unset KYOHO_TEST_ALL; KYOHO_TEST_ONLY="$2" KYOHO_TEST_SKIP="${3:-}" "$build/tests/unit/$1" >"$build/$1.log" 2>&1' test
echo "$work" | {
    count=0
    while read -r name _; do
        count=$((count + 1))
        if grep -q 'ThreadSanitizer:' "$build/$name.log" || ! grep -qE '[1-9][0-9]* test\(s\) run' "$build/$name.log"; then
            grep -A 20 'ThreadSanitizer' "$build/$name.log" | head -n 40
            echo "not ok $count - no data races: $name"
        else
            echo "ok $count - no data races: $name"
        fi
    done
}
