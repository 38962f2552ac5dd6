#!/bin/sh
# Every reader with the files of its corpus, and with a fixed number of mutations of each file, under sanitizers; `check` takes a
# quarter of them.
cd "$(dirname "$0")/../.." || exit 1
if ! echo 'int main(void){return 0;}' | ${CC:-cc} -x c -fsanitize=address,undefined -o /dev/null - 2>/dev/null; then
    echo "ok 1 - readers under mutation # SKIP the compiler has no address sanitizer"
    exit 0
fi
jobs=${JOBS:-$(nproc)}
make -s -j"$jobs" GOALS_address=fuzzers sanitize-address || { echo "not ok 1 - the fuzzers build"; exit 1; }
export folder="$BUILD/address/tests/fuzz" LSAN_OPTIONS=print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS="allocator_may_return_null=1:suppressions=$PWD/tests/asan.supp:print_suppressions=0"
# Lines of a reader, the number of mutations of each file, and the folders of its files.
many=1
[ -z "${KYOHO_TEST_ALL:-}" ] || many=4
cat >"$folder/work" <<END
hdf5 $((50 * many)) hdf5
content $((25 * many)) *
csv $((500 * many)) csv
tipsy $((500 * many)) tipsy
gadget1 $((500 * many)) gadget1
gadget2 $((500 * many)) gadget2
restart $((500 * many)) restart
END
xargs -P "$jobs" -L 1 sh -c \
    '[ ! -x "$folder/run-$1" ] || timeout 250 "$folder/run-$1" "$1" "$2" tests/fuzz/corpus/$3/* >"$folder/$1.log" 2>&1' test <"$folder/work"
count=0
while read -r name _ _; do
    [ -x "$folder/run-$name" ] || continue
    count=$((count + 1))
    tail -n 40 "$folder/$name.log" | sed "s/^ok 1/ok $count/"
    grep -q '^ok ' "$folder/$name.log" || echo "not ok $count - $name reader"
done <"$folder/work"
