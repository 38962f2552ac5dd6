#!/bin/sh
# A build without optional libraries, with plain C in place of instruction sets, makes and runs bodies, and says what it lacks.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
small=$BUILD/minimal
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
make -s -j"${JOBS:-$(nproc)}" BUILD="$small" OPT=-O0 DEBUG= ISAS=plain HDF5=no PNG=no CAIRO=no OPENMP=no OPENCL=no CUDA=no CMOCKA=no all >"$folder/made" 2>&1
result $? "builds without HDF5, libpng, cairo, OpenMP, OpenCL and CUDA"
cat "$folder/made"
! grep -q 'warning:' "$folder/made"
result $? "builds without a warning"
kyoho=$small/kyoho
"$kyoho" model plummer -n 200 -o "$folder/a.tipsy"
result $? "makes a model"
"$kyoho" run --input "$folder/a.tipsy" --step 0.0625 --steps 4 --softening 0.05 --output "$folder/run"
result $? "runs it"
ls "$folder"/run/snapshot_*.tipsy >/dev/null
result $? "snapshots are TIPSY"
divided() { "$kyoho" run --input "$folder/a.tipsy" --step 0.0625 --steps 4 --softening 0.05 --force tree --quiet "$@"; }
divided --output "$folder/whole" && divided --ranks 3 --output "$folder/ranks" && [ -e "$folder/ranks/restart.kyo.1.2" ]
result $? "three ranks run it"
for snapshot in "$folder"/whole/snapshot_*.tipsy; do cmp "$snapshot" "$folder/ranks/$(basename "$snapshot")" || break; done && [ -e "$folder/whole/snapshot_0001.tipsy" ]
result $? "and write the snapshots of one, byte for byte"
for option in --pieces --compress; do
    divided --ranks 3 $option --output "$folder/refused" 2>"$folder/said"
    [ $? -eq 3 ] && grep -q -e "$option .*leave it out" "$folder/said" && [ ! -e "$folder/refused" ]
    result $? "$option is refused with exit code 3 and what to do"
done
"$kyoho" model plummer -n 200 -o "$folder/a.hdf5" 2>"$folder/said"
[ $? -eq 3 ] && grep -q "HDF5=no" "$folder/said"
result $? "an HDF5 snapshot is refused with exit code 3 and the reason"
"$kyoho" draw "$folder/a.tipsy" -o "$folder/a.png" 2>"$folder/said"
[ $? -eq 3 ] && grep -q "PNG=no" "$folder/said" && [ ! -e "$folder/a.png" ]
result $? "a picture is refused with exit code 3 and the reason"
"$kyoho" draw "$folder/a.tipsy" -o "$folder/a.pdf" 2>"$folder/said"
[ $? -eq 3 ] && grep -q "CAIRO=no" "$folder/said" && [ ! -e "$folder/a.pdf" ]
result $? "a PDF is refused with exit code 3 and the reason"
"$kyoho" groups "$folder/a.tipsy" -o "$folder/g.hdf5" 2>"$folder/said"
[ $? -eq 3 ] && grep -q "HDF5=no" "$folder/said" && "$kyoho" groups "$folder/a.tipsy" -o "$folder/g.csv" >/dev/null && [ -s "$folder/g.csv" ]
result $? "a catalogue is refused as HDF5, with exit code 3 and the reason, and written as CSV"
if [ "$(uname -m)" = x86_64 ]; then
    "$kyoho" force "$folder/a.tipsy" --softening 0.05 --isa sse2 2>"$folder/said"
    [ $? -eq 3 ] && grep -q "this build has no SSE2" "$folder/said"
    result $? "the error blames the build, not the processor, for an instruction set that was not built"
fi
printf '[integrator]\nstep = 0.125\n' >"$folder/run.ini"
"$kyoho" run "$folder/run.ini" --input "$folder/a.tipsy" --steps 1 --softening 0.05 --output "$folder/ini" 2>"$folder/said"
result $? "a parameter file is read"
"$kyoho" --version >"$folder/said"
[ "$(grep -c 'switched off by [A-Z0-9]*=no' "$folder/said")" -eq 6 ] && ! grep -q 'not found' "$folder/said"
result $? "--version says that features were switched off"
${CC:-cc} -Iinclude -Isrc -E src/base/features.c >"$folder/said"
grep -q 'not found; install libhdf5-dev' "$folder/said" && ! grep -q 'switched off' "$folder/said"
result $? "where a library is missing, it says what to install"
