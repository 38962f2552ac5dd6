#!/bin/sh
# The host's compilers read the driver for CUDA and its kernels, with tests/cuda in place of CUDA's headers: `check` sees errors in
# them on machines without nvcc too. sort.cu is left out: it needs CUB.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
if ! command -v c++ >/dev/null; then
    skip "the driver for CUDA and its kernels are read without an error" "c++ is not installed"
    exit
fi
set --
for source in src/engine/device/driver/cuda/*.c; do set -- "$@" "$place/$source.read"; done
for source in src/engine/device/driver/cuda/*.cu; do
    [ "$(basename "$source")" = sort.cu ] || set -- "$@" "$place/$source.o"
done
make -s -k CXX="${CXX:-c++}" CUDA=host OPENCL=no BUILD="$place" TEST_FLAGS=-fsyntax-only "$@"
result $? "the driver for CUDA and its kernels are read without an error"
[ $# -gt 8 ] && [ -z "$(find "$place" -name '*.o')" ]
result $? "all $# files of them, and nothing is compiled"
