#!/bin/sh
# Two disk galaxies collide: 80,000 bodies in all from their models to a picture, through the command alone.
#
#     examples/collision.sh            results in demo/ (320 MB); about a minute on two cores
#     N=4000 OUT=small examples/collision.sh
#
# Both disks turn in the sense of the orbit, one nearly in its plane: so tails grow from the far sides, and a bridge between
# the near ones (Toomre & Toomre 1972). Units are kpc, 10^10 Msun and km/s; a unit of time is 0.978 Gyr.
set -eu
KYOHO=${KYOHO:-kyoho} # the program
OUT=${OUT:-demo}      # the folder of the results
N=${N:-80000}         # bodies in all
mkdir -p "$OUT"

# HDF5 if this build has it, else TIPSY, which does not tell disk and bulge from the halo.
ending=hdf5 stars='--types 2,3'
"$KYOHO" --version | grep -q 'HDF5: yes' || { ending=tipsy && stars=; }

step() { printf '\n%s\n' "$*"; "$@"; }

galaxy() {
    step "$KYOHO" model galaxy -n $((N / 2)) --seed "$1" --units galaxy --mass 25 --softening 0.45 \
        --disk-scale 3 --disk-height 0.3 --disk-edge 15 --halo-scale 7.5 --halo-edge 60 --bulge-scale 0.6 --bulge-edge 6 \
        --q 1.5 --disk-share 0.65 --bulge-share 0.1 -o "$2" --overwrite
}

# The stars of each galaxy in a colour of their own, without the dark halos.
draw() {
    # shellcheck disable=SC2086
    step "$KYOHO" draw "$@" $stars --show components --divide $((N / 2)) --region 80 --centre-x 0 --centre-y 0 --centre-z 0 \
        --width 640 --height 400 --rim scale --smooth 80 --range 4 --peak 0.06 --overwrite
}

galaxy 1 "$OUT/a.$ending"
galaxy 2 "$OUT/b.$ending"
step "$KYOHO" merge "$OUT/a.$ending" "$OUT/b.$ending" --separation 60 --pericentre 8 --first-inclination 15 --first-omega 30 \
    --second-inclination 50 --second-omega -30 -o "$OUT/start.$ending" --overwrite
step "$KYOHO" run --input "$OUT/start.$ending" --output "$OUT/run" --overwrite \
    --theta 0.8 --step 0.00048828125 --end 0.75 --every 0.015625 --energy-every 0.015625
if "$KYOHO" --version | grep -q 'PNG: yes'; then
    shot=$OUT/run/snapshot_00
    draw "${shot}04.$ending" "${shot}12.$ending" "${shot}19.$ending" "${shot}44.$ending" --columns 2 -o "$OUT/collision.png"
fi
if command -v ffmpeg >/dev/null 2>&1; then
    draw "$OUT/run" --rate 12 -o "$OUT/collision.mp4"
fi

echo
echo "the picture     $OUT/collision.png"
[ ! -e "$OUT/collision.mp4" ] || echo "the film        $OUT/collision.mp4"
echo "the snapshots   $OUT/run/snapshot_*.$ending"
echo "the energies    $OUT/run/energy.csv"
