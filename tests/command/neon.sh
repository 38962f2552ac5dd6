#!/bin/sh
# The lanes for NEON compile: clang reads them for AArch64. The headers of this machine's C library are good enough, since
# only their declarations are read (__x86_64__ is defined so that they include each other). The type __float128 of x86 is the long double of AArch64.
if ! command -v clang >/dev/null 2>&1; then
    echo "ok 1 - the lanes compile for NEON # SKIP clang is not installed"
    exit 0
fi
cd "$(dirname "$0")/../.." || exit 1
include=$(cc -print-multiarch 2>/dev/null)
number=0
for source in src/engine/cpu/lanes/*.c; do
    number=$((number + 1))
    if clang --target=aarch64-linux-gnu -fsyntax-only -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wno-unused-command-line-argument \
        -Werror -ffp-contract=off -fno-math-errno -Iinclude -Isrc -DKY_LANES=neon -D__x86_64__ '-D__float128=long double' ${include:+-isystem "/usr/include/$include"} "$source"; then
        echo "ok $number - $source compiles for NEON"
    else
        echo "not ok $number - $source compiles for NEON"
    fi
done
echo "1..$number"
