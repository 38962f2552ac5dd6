#!/bin/sh
# Every unit test under the address and undefined-behaviour sanitizers, two at a time. A test that fails by itself
# fails in its own run; here only what the sanitizers find counts.
cd "$(dirname "$0")/../.." || exit 1
if ! echo 'int main(void){return 0;}' | ${CC:-cc} -x c -fsanitize=address,undefined -o /dev/null - 2>/dev/null; then
    echo "ok 1 - address sanitizer # SKIP the compiler has none"
    exit 0
fi
build=$BUILD/address
make -s -j2 sanitize-address || { echo "not ok 1 - the unit tests build with sanitizers"; exit 1; }
names=$(cd tests/unit && for source in *.c; do [ -x "$build/tests/unit/${source%.c}" ] && echo "${source%.c}"; done)
export CMOCKA_MESSAGE_OUTPUT=STDOUT OMP_NUM_THREADS=2 UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
echo "$names" | xargs -P 2 -I NAME sh -c "'$build/tests/unit/NAME' >'$build/NAME.log' 2>&1"
count=0
for name in $names; do
    count=$((count + 1))
    if grep -qE 'AddressSanitizer|LeakSanitizer|runtime error' "$build/$name.log" || ! grep -q 'test(s) run' "$build/$name.log"; then
        grep -E -A 20 'Sanitizer|runtime error' "$build/$name.log" | head -n 40
        echo "not ok $count - no stray access or undefined behaviour: $name"
    else
        echo "ok $count - no stray access or undefined behaviour: $name"
    fi
done
