#!/bin/sh
# No sanitizer sees what libraries do with our memory. So the command is run with an allocator that overwrites freed
# memory, and under valgrind's memcheck. In check-all tests/run --hostile and --valgrind do this with unit tests and
# scripts.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
log=$folder/log
export OMP_NUM_THREADS=2

# glibc overwrites freed memory at once, and keeps none aside. Other C libraries do not know the variable.
overwriting() { GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=170 "$@" >"$log" 2>&1; }
memcheck() { valgrind -q --error-exitcode=99 "$@" >"$log" 2>&1; }
complain() { [ "$1" -eq 0 ] || sed 's/^/# /' "$log" | head -n 30; }
tell() { # status text
    complain "$1"
    result "$1" "$2"
}

"$KYOHO" model plummer -n 100 --softening 0.1 -o "$folder/a.csv" >"$log" 2>&1
snapshot=hdf5
"$KYOHO" --version | grep -q '^HDF5: no' && snapshot=tipsy
overwriting "$KYOHO" convert "$folder/a.csv" "$folder/a.$snapshot"
tell $? "a snapshot is written where freed memory is overwritten"
overwriting "$KYOHO" convert "$folder/a.$snapshot" "$folder/b.csv"
tell $? "the snapshot is read where freed memory is overwritten"
if command -v valgrind >/dev/null 2>&1; then
    memcheck "$KYOHO" run --input "$folder/a.$snapshot" --step 0.125 --end 0.25 --engine cpu --output "$folder/run"
    tell $? "a run reads and writes no memory that is not its own (valgrind)"
    memcheck "$KYOHO" force "$folder/a.csv" --check 10 --engine cpu
    tell $? "an evaluation of the forces reads no memory that was never written (valgrind)"
    if [ -n "${KYOHO_TEST_ALL:-}" ]; then
        memcheck "$KYOHO" model cosmic -n 1000 -o "$folder/cosmic.$snapshot"
        tell $? "and so do the Fourier transforms of the model cosmic"
    fi
else
    skip "a run under valgrind" "valgrind is not installed"
fi
