#!/bin/sh
# make writes nothing under `make -n`, everything anew after a change of flags, and nothing without a change.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
flags=$folder/build/flags

make -n BUILD="$folder/build" HDF5=no install >"$folder/said" 2>&1 && grep -q 'libkyoho.a' "$folder/said" && [ ! -e "$folder/build" ]
result $? "make -n makes no folder"
make -s BUILD="$folder/build" "$flags" && make -q BUILD="$folder/build" "$flags"
result $? "with the same flags a second time there is nothing to do"
before=$(cat "$flags")
make -n BUILD="$folder/build" HDF5=no all >/dev/null && [ "$(cat "$flags")" = "$before" ] && make -q BUILD="$folder/build" "$flags"
result $? "make -n HDF5=no leaves the build as it is"
! make -q BUILD="$folder/build" OPENMP=no "$flags" && make -s BUILD="$folder/build" OPENMP=no "$flags" && [ "$(cat "$flags")" != "$before" ]
result $? "OPENMP=no makes all anew"
make -s BUILD="$folder/build" CFLAGS="-DTEXT='\"a b\"'" "$flags" && make -q BUILD="$folder/build" CFLAGS="-DTEXT='\"a b\"'" "$flags"
result $? "flags with quotes are compared as they are"
make -q BUILD="$folder/build" CFLAGS="-DTEXT='\"a b\"'" CUDA_ARCHS=none "$flags"
result $? "CUDA_ARCHS changes nvcc's objects alone"
make -q BUILD="$folder/build" CFLAGS="-DTEXT='\"a b\"'" CUDA=no "$flags"
result $? "CUDA=no leaves objects without CUDA as they are"
make -q BUILD="$folder/build" CFLAGS="-DTEXT='\"a b\"'" ISAS=plain "$flags" && make -s BUILD="$folder/build" ISAS=plain "$flags-isa" &&
    make -q BUILD="$folder/build" ISAS=plain "$flags-isa" && ! make -q BUILD="$folder/build" "$flags-isa" &&
    make -n BUILD="$folder/build" "$folder/build/src/engine/cpu/state/isa.o" 2>/dev/null | grep -q 'flags-isa'
result $? "other ISAS change the table of instruction sets alone"
make -s BUILD="$folder/build" info >"$folder/with" && make -s BUILD="$folder/build" CAIRO=no PNG=no info >"$folder/without" &&
    grep -q '^cairo     no - letters .* libcairo2-dev$' "$folder/without" && grep -qE '^cairo     (cairo$|no - letters)' "$folder/with"
result $? "make info says what is missing and for what, and names what is there"
make -s BUILD="$folder/build" clean && [ ! -e "$folder/build" ]
result $? "make clean leaves nothing"
