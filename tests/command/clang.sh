#!/bin/sh
# clang reads every source without a warning; `check` reads the lanes as plain C, and not the unit tests.
cd "$(dirname "$0")/../.." || exit 1
set -- ISAS=plain CMOCKA=no
[ -z "${KYOHO_TEST_ALL:-}" ] || set --
if ! command -v clang >/dev/null; then
    echo "ok 1 - clang has no warnings # SKIP clang is not installed"
elif make -s -k -j"${JOBS:-$(nproc)}" CC=clang BUILD="$BUILD/clang" "$@" syntax; then
    echo "ok 1 - clang has no warnings"
else
    echo "not ok 1 - clang has no warnings"
fi
