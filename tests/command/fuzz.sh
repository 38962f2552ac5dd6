#!/bin/sh
# Every reader over its kept corpus and a fixed number of mutations of each file, under sanitizers.
cd "$(dirname "$0")/../.." || exit 1
if ! echo 'int main(void){return 0;}' | ${CC:-cc} -x c -fsanitize=address,undefined -o /dev/null - 2>/dev/null; then
    echo "ok 1 - readers under mutation # SKIP the compiler has no address sanitizer"
    exit 0
fi
make -s -j2 fuzzers || { echo "not ok 1 - the fuzzers build"; exit 1; }
count=0
for program in "$BUILD"/fuzz/run-*; do
    name=${program##*/run-}
    count=$((count + 1))
    files="tests/fuzz/corpus/$name/*" times=2000
    case $name in
    hdf5) times=200 ;;
    content) files="tests/fuzz/corpus/*/*" times=100 ;;
    esac
    # shellcheck disable=SC2086 # the pattern is meant to become many words
    ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 timeout 120 \
        "$program" "$name" $times $files 2>&1 | sed "s/^ok 1/ok $count/" | tail -n 40 >"$BUILD/fuzz/$name.log"
    cat "$BUILD/fuzz/$name.log"
    grep -q '^ok ' "$BUILD/fuzz/$name.log" || echo "not ok $count - $name reader"
done
