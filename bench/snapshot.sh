#!/bin/sh
# Writes and reads a snapshot, in turns with dd on the same disk, and compares the speeds.
# usage: bench/snapshot.sh [N] [FOLDER]     (10,000,000 bodies; the build folder)
set -eu
n=${1:-10000000}
build=${BUILD:-build}
folder=${2:-$build}
program=$build/bench/snapshot
file=$folder/bench-snapshot.hdf5
plain=$folder/bench-snapshot.dd
trap 'rm -f "$file" "$file.part" "$plain"' EXIT INT TERM
[ -x "$program" ] || { echo "build it first: make bench" >&2; exit 2; }
LC_ALL=C
export LC_ALL

seconds() { sed -n 's/.* copied, \([0-9.e+-]*\) s.*/\1/p'; }
# Takes the pages of a file out of memory, as the program does, so that reading means the disk.
forget() { dd if="$1" iflag=nocache count=0 status=none; }

# The first turn is not counted, since the system then finds the memory for its caches.
for turn in 0 1 2 3; do
    rm -f "$file" "$plain"
    "$program" "$file" "$n" >"$folder/bench-snapshot.log"
    wrote=$(sed -n 's/^write \([0-9.]*\) s.*/\1/p' "$folder/bench-snapshot.log")
    read=$(sed -n 's/^read \([0-9.]*\) s.*/\1/p' "$folder/bench-snapshot.log")
    bytes=$(sed -n 's/^bytes //p' "$folder/bench-snapshot.log")
    mb=$((bytes / 1000000))
    dd_write=$(dd if=/dev/zero of="$plain" bs=1M count=$((bytes / 1048576)) conv=fsync 2>&1 | seconds)
    forget "$plain"
    dd_read=$(dd if="$plain" of=/dev/null bs=1M 2>&1 | seconds)
    [ $turn -eq 0 ] || echo "$n $mb $wrote $dd_write $read $dd_read" | awk '{
        printf "%d bodies, %d MB: write %.0f MB/s, dd conv=fsync %.0f MB/s (%.0f %%); read %.0f MB/s (%.0f %% of that), dd %.0f MB/s\n",
            $1, $2, $2 / $3, $2 / $4, 100 * $4 / $3, $2 / $5, 100 * $4 / $5, $2 / $6 }'
done
grep memory "$folder/bench-snapshot.log"
rm -f "$folder/bench-snapshot.log"
