#!/bin/sh
# bootstrap on a bare machine: a PATH with a few tools, and a pretended apt-get that writes down what it is asked for.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
root=$PWD
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
for tool in sh cat cut tr tail grep sed dirname mkdir nproc env rm sleep date; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
printf '#!/bin/sh\necho 0\n' >"$folder/bin/id"
cat >"$folder/bin/apt-get" <<END
#!/bin/sh
echo "\$DEBIAN_FRONTEND \$*" >>"$folder/asked"
[ -z "\${APT_FAILS:-}" ] || { echo 'E: Unable to locate package' >&2; exit 100; }
END
chmod +x "$folder/bin/id" "$folder/bin/apt-get"
bare() { env -i PATH="$folder/bin" BUILD="$folder/build" "$@" >"$folder/said" 2>&1 </dev/null; }

bare "$root/bootstrap" build
[ $? -eq 3 ] && grep -q 'cannot build without: gcc libc6-dev make pkg-config' "$folder/said"
result $? "without a compiler it ends with exit code 3 and names what is missing"
[ "$(grep -c . "$folder/asked")" -ge 2 ] && sed -n 1p "$folder/asked" | grep -q '^noninteractive .*update' &&
    sed -n 2p "$folder/asked" | grep -q '^noninteractive .*install -y .*gcc libc6-dev make pkg-config libhdf5-dev libpng-dev libcairo2-dev ocl-icd-opencl-dev *$'
result $? "apt-get is called once for all packages, and asks no questions"
grep -q 'missing: libpng-dev - pictures' "$folder/said" && grep -q 'still missing: libhdf5-dev - HDF5 snapshots' "$folder/said"
result $? "it says what each package is for, and what is lost without it"
! grep -q 'cmocka\|ffmpeg' "$folder/asked"
result $? "a build does not ask for what only the tests or the demonstration need"
: >"$folder/asked"
bare "$root/bootstrap" demo
grep -q ' install .*ffmpeg *$' "$folder/asked" && grep -q 'still missing: ffmpeg - the film' "$folder/said"
result $? "the demonstration asks for ffmpeg"

: >"$folder/asked"
bare APT_FAILS=yes "$root/bootstrap" check
grep -q 'could not install libcmocka-dev' "$folder/said" && grep -q ' install .* python3-yt *$' "$folder/asked"
result $? "packages that fail together are tried one by one"
grep -q 'apt-get says: Unable to locate package' "$folder/said" && grep -q 'still missing: clang - the test' "$folder/said"
result $? "it shows the error of apt-get, and what is still missing"

cat >"$folder/bin/apt-cache" <<'END'
#!/bin/sh
if [ "$1" = policy ]; then echo ' 500 http://mirror/debian trixie/main amd64 Packages'; else [ "$2" != oclgrind ]; fi
END
chmod +x "$folder/bin/apt-cache"
: >"$folder/asked"
bare "$root/bootstrap" check
grep -q ' install .*pocl-opencl-icd libcmocka-dev' "$folder/asked" && ! grep -q oclgrind "$folder/asked" "$folder/said"
result $? "it neither asks for a package that the system does not have nor speaks of it"

rm "$folder/bin/apt-get" "$folder/bin/apt-cache"
bare "$root/bootstrap" build
[ $? -eq 3 ] && grep -q 'no apt-get here' "$folder/said"
result $? "without apt-get it says so"

# Everything is pretended to be there, also nvcc. The pretended make writes down its variables of CUDA.
for tool in cc pkg-config nvcc; do printf '#!/bin/sh\ncat >/dev/null\n' >"$folder/bin/$tool"; done
printf '#!/bin/sh\necho "${CUDA_ARCHS:-all}" >>"%s"; echo "${CUDA:-yes}" >"%s"\n' "$folder/archs" "$folder/cuda" >"$folder/bin/make"
chmod +x "$folder/bin/make" "$folder/bin/cc" "$folder/bin/pkg-config" "$folder/bin/nvcc"
wanted=ptx
if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then wanted=all; fi
bare "$root/bootstrap" build && [ "$(sed -n 1p "$folder/archs")" = $wanted ] && { [ $wanted = all ] || grep -q 'PTX alone' "$folder/said"; }
result $? "CUDA is compiled for many cards only on a machine with a card, and it says so"
bare CUDA_ARCHS=86 "$root/bootstrap" build && [ "$(sed -n '$p' "$folder/archs")" = 86 ]
result $? "CUDA is compiled for the cards that CUDA_ARCHS names"
bare OUT="$folder/demo" "$root/bootstrap" demo # ends, since there is no program
[ "$(cat "$folder/cuda")" = "$([ $wanted = ptx ] && echo no || echo yes)" ]
result $? "the demonstration is built without CUDA on a machine without a card"

"$root/bootstrap" --help >"$folder/said" && grep -q 'bootstrap demo' "$folder/said"
result $? "--help"
"$root/bootstrap" nonsense >/dev/null 2>&1
[ $? -eq 2 ]
result $? "an unknown word is wrong usage"
