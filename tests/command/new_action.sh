#!/bin/sh
# Actions of a user, added as docs/general-walk.md says, run by their names on every engine but CUDA. In `make check`
# actions.sh compiles them.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp -r Makefile mk src include "$folder"
actions=$folder/src/physics/actions
cp tests/unit/enclosed.h tests/unit/heavier.h "$actions"
sed -i 's|^#include "physics/actions/count.h"|&\n#include "physics/actions/enclosed.h"\n#include "physics/actions/heavier.h"|' "$actions/actions.h"
sed -i 's/^    X(count, .*/    X(enclosed, KY_NEEDS_RADIUS | KY_DUAL, p, number) \\\n    X(heavier, KY_NEEDS_NEIGHBOURS | KY_DUAL, p, number) \\\n&/' "$actions/table.h"
make -s -C "$folder" -j"${JOBS:-$(nproc)}" BUILD=build OPT=-O1 DEBUG= ISAS=plain HDF5=no PNG=no CAIRO=no CUDA=no CMOCKA=no all >"$folder/made" 2>&1
result $? "builds with two new actions"
grep -v '^Kyoho' "$folder/made" | head -n 20
${CC:-cc} -I"$folder/include" tests/helpers/new_action.c -o "$folder/run" "$folder/build/libkyoho.so" -Wl,-rpath,"$folder/build" -lm
result $? "a program that calls them"
for engine in cpu $("$folder/build/kyoho" devices | sed -n 's/^\(opencl:[0-9]*\) .*/\1/p' | head -n 1); do
    "$folder/run" "$engine"
    result $? "they find what loops over all pairs find, engine $engine"
done
echo "1..$count"
