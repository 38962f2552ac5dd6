#!/bin/sh
# Builds every example, runs it, and looks at the numbers that it prints.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
root=$PWD
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
make -s -C "$root" BUILD="$BUILD" PREFIX="$folder/usr" install >install.log 2>&1 || cat install.log
export PKG_CONFIG_PATH="$folder/usr/lib/pkgconfig"
unset LD_LIBRARY_PATH

for source in "$root"/examples/*.c; do
    name=$(basename "$source" .c)
    package=$(sed -n 's/.*--libs \(kyoho[a-z_]*\)).*/\1/p' "$source")
    # shellcheck disable=SC2046
    cc -O1 -Wall -Wextra -Werror "$source" $(pkg-config --cflags --libs "$package") -o "$name" && [ "$(wc -l <"$source")" -lt 80 ]
    result $? "$name builds and has under 80 lines"
done

# shellcheck disable=SC2046
cc -O1 -Wall -Wextra -Werror -shared -fPIC "$root/examples/plugins/wind.c" $(pkg-config --cflags kyoho) -o wind.so -lm &&
    "$KYOHO" run --model plummer -n 20 --units cluster --softening 0.1 --step 0.125 --steps 8 --stellar-evolution ./wind.so:end=0.5,kick=9 --output winds --quiet &&
    [ "$(grep -c supernova winds/events.csv)" -eq 20 ]
result $? "a plug-in for stellar evolution builds and runs with the installed header"

# Tests the words that a program printed by a condition of awk.
check() { # name condition text
    cat "$1.out"
    awk "BEGIN { bad = 1 } $2 { bad = 0 } END { exit bad }" "$1.out"
    result $? "$3"
}
./01-two-body >01-two-body.out
check 01-two-body '/orbit misses by/ && $4 < 1e-3 && $4 > 0' "an ellipse closes after one revolution"
check 01-two-body '/^energy  *-0.125000/' "the energy of the ellipse is -m1 m2 / 2a"
./02-forces >02-forces.out
check 02-forces '$1 == "0.4" && $2 > 0 && $2 < 5e-4 && $3 < 5e-3' "the tree's forces are near the exact ones"
./03-plummer-run >03-plummer-run.out
check 03-plummer-run '/^t = 1.000/ && $11 > 0.7 && $11 < 0.85 && $15 > 0.95 && $15 < 1.05' "a Plummer model stays as it is"
./04-collision 04.png >04-collision.out 2>&1
check 04-collision '/bodies 6000  time 7.5/' "two clusters collide"
./05-own-bodies ring.csv >05-own-bodies.out
check 05-own-bodies '/361 bodies, mass 1.000360, largest difference 0$/' "own bodies go to a file and back exactly"
"$KYOHO" model plummer -n 2000 -o plummer.csv --quiet
./06-analysis plummer.csv >06-analysis.out
check 06-analysis '$1 == "0.50" && $2 > 0.7 && $2 < 0.85 && $4 > 0.3 && $4 < 0.7' "a snapshot is analysed"
./07-changes >07-changes.out
check 07-changes '/escapers [1-9]/ && $2 + $4 == 1500 && $6 < 1.99 && $6 > 1.95 && $8 == 1 && $10 == 48' "a simulation is changed"
./08-field >08-field.out
check 08-field '$2 == "0.50" && $5 > 0.7 && $5 < 0.8 && $8 > 1.55 && $8 < 1.65' "the field at points"
./09-restart state.kyo >09-restart.out
check 09-restart '/time 0.4  steps 26  largest difference 0$/' "a simulation is saved and restored"
./10-options >10-options.out
check 10-options '$2 == "theta" && /from 0.001 to 2/' "options are listed"
check 10-options '/did you mean theta/' "a parameter is set by its name"
./11-visit visited >11-visit.out 2>&1
check 11-visit '/^t 0.500/ && $5 > 0.6 && $5 < 0.9' "a function is called within a run"
[ "$(grep -c '^t ' 11-visit.out)" -eq 4 ] && grep -q '1000 bodies are still here' 11-visit.out
result $? "it is called after every eighth step, and the bodies are kept"

./12-own-field >12-own-field.out
check 12-own-field '/^t 0/ { e = $9 } /^t 4/ && $7 < -0.3 && $9 - e < 1e-8 && e - $9 < 1e-8 && e' "a cluster in a field of the program's own"
./13-bridge >13-bridge.out
check 13-bridge '/^t 0.062/ { e = $4 } /^t 2.000/ && $4 - e < 2e-5 && e - $4 < 2e-5 && e && $10 > 50' "two simulations kick each other"

# Many short steps of few bodies are fastest on one thread.
OMP_NUM_THREADS=1 KYOHO=$KYOHO N=400 OUT=demo "$root/examples/collision.sh" >collision.out 2>&1
check collision '/the snapshots/' "the collision through the command"
[ "$(wc -l <demo/run/energy.csv)" -ge 48 ]
result $? "its energies are written"
if "$KYOHO" --version | grep -q 'PNG: yes'; then
    [ -s demo/collision.png ]
    result $? "it is drawn"
fi
