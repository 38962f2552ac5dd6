#!/bin/sh
# Two disk galaxies collide: models, orbit, run, a picture and a film, through the command alone.
#
#     examples/collision.sh              40,000 bodies; results in demo/ (160 MB)
#     examples/collision.sh 80000        the picture of README.md (320 MB); twice the work
#     N=4000 OUT=small examples/collision.sh
#
# Both disks turn in the sense of the orbit, one of them nearly in its plane. So tails grow from the far sides, and a bridge
# between the near sides (Toomre & Toomre 1972). Units are kpc, 10^10 Msun and km/s; a unit of time is 0.978 Gyr.
set -eu
KYOHO=${KYOHO:-kyoho}     # the program
OUT=${OUT:-demo}          # the folder of the results
N=${1:-${N:-40000}}       # bodies in all
mkdir -p "$OUT"

# HDF5 if this build has it, else TIPSY, which does not keep disk and bulge apart from the halo.
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
        --width 640 --height 400 --smooth 80 --range 4 --peak 0.06 --overwrite
}

echo "$N bodies, 1536 steps. The line of the run says how long it takes here; the picture comes after it."
command -v ffmpeg >/dev/null 2>&1 || echo "There will be no film, since ffmpeg is not installed (apt-get install ffmpeg)."

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

cat <<END

the picture     $OUT/collision.png
$([ ! -e "$OUT/collision.mp4" ] || echo "the film        $OUT/collision.mp4")
the snapshots   $OUT/run/snapshot_*.$ending
the energies    $OUT/run/energy.csv

The picture shows the stars of both galaxies, each in its colour, from above their orbit: before they meet; at their least
distance; with the tails and the bridge that tides have drawn out; and after they have merged. Dark halos are left out.

Then try, in this folder:
  $KYOHO info $OUT/run                                        what happened, and how well energy was kept
  $KYOHO draw $OUT/run --plot energy -o energy.png            the energies over time
  $KYOHO run --resume $OUT/run --end 1.5                      what becomes of them
  OUT=large KYOHO=$KYOHO examples/collision.sh 80000          the picture of README.md
END
