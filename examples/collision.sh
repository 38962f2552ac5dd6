#!/bin/sh
# Two star clusters collide: 50,000 bodies in all from their models to a picture, through the command alone.
#
#     examples/collision.sh            results in demo/
#     N=5000 OUT=small examples/collision.sh
set -eu
KYOHO=${KYOHO:-kyoho} # the program
OUT=${OUT:-demo}      # the folder of the results
N=${N:-50000}         # bodies in all
mkdir -p "$OUT"

# HDF5 if this build has it, else TIPSY.
ending=hdf5
"$KYOHO" --version | grep -q 'HDF5: yes' || ending=tipsy

step() { printf '\n%s\n' "$*"; "$@"; }

step "$KYOHO" model plummer -n $((N * 3 / 5)) --seed 1 --softening 0.1 -o "$OUT/a.$ending" --overwrite
step "$KYOHO" model king --w0 6 -n $((N * 2 / 5)) --seed 2 --softening 0.1 -o "$OUT/b.$ending" --overwrite
step "$KYOHO" merge "$OUT/a.$ending" "$OUT/b.$ending" --separation 6 --pericentre 0.8 -o "$OUT/start.$ending" --overwrite
step "$KYOHO" run --input "$OUT/start.$ending" --output "$OUT/run" --overwrite \
    --softening 0.1 --step 0.03125 --end 12 --every 1 --energy-every 0.25
if "$KYOHO" --version | grep -q 'PNG: yes'; then
    step "$KYOHO" draw "$OUT/run/snapshot_0000.$ending" "$OUT/run/snapshot_0006.$ending" \
        "$OUT/run/snapshot_0012.$ending" -o "$OUT/collision.png" --overwrite
fi

echo
echo "the picture     $OUT/collision.png"
echo "the snapshots   $OUT/run/snapshot_*.$ending"
echo "the energies    $OUT/run/energy.csv"
