#!/bin/sh
# GRAPE calls of programs (clients.c) with libkyoho and with each Phantom-GRAPE library below FOLDER (libpg6.a, libpg5.a),
# side by side: clients.sh FOLDER [RUNS]. Prints the processor time of one thread, the least of RUNS (3), and the ratio of
# Kyoho's time to that of each other library. BUILD (build) is the folder of Kyoho's libraries, which have to be built.
set -eu
[ $# -gt 0 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build}")
peers=$(realpath "$1")
runs=${2:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
libraries=$(make -s BUILD="$build" PREFIX="$folder" install >/dev/null 2>&1
    PKG_CONFIG_PATH=$folder/lib/pkgconfig pkg-config --static --libs kyoho_g6 | sed 's/-lkyoho_g6//')
export OMP_NUM_THREADS=1 KYOHO_ENGINE=cpu

# build_all KIND FLAGS: a program with our library, and one with each of the others
build_all() {
    # shellcheck disable=SC2086 # several words
    cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L $2 bench/clients.c "$build/libkyoho_g$1.a" $libraries -fopenmp -lm -o "$folder/kyoho$1"
    for library in $(find "$peers" -name "libpg$1.a" | sort); do
        name=$(basename "$(dirname "$library")")$1
        # shellcheck disable=SC2086
        cc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L $2 bench/clients.c "$library" -fopenmp -lstdc++ -lm -o "$folder/$name"
    done
}

# compare KIND ARGUMENTS...: runs the programs by turns
compare() {
    kind=$1
    shift
    for _ in $(seq "$runs"); do
        for program in "$folder"/*"$kind"; do
            "$program" "$@" 2>/dev/null | sed "s/^/$(basename "$program") /"
        done
    done | awk -v what="$*" '
        { if (!($1 in least) || $2 < least[$1]) least[$1] = $2; error[$1] = $3 }
        /^kyoho/ { own = $1 }
        END {
            printf "%-28s kyoho %10.4f ms  error %s", what, 1e3 * least[own], error[own]
            for (name in least)
                if (name != own)
                    printf "   %s %10.4f ms  error %s: %.2f times", name, 1e3 * least[name], error[name], least[own] / least[name]
            print ""
        }'
}

build_all 6 ""
build_all 5 -DGRAPE5
compare 6 blocks 1024 0 1
compare 6 blocks 1024 0.0078125 2
compare 6 sinks 1024 1
compare 6 sinks 1024 48
compare 6 sinks 131072 1
compare 6 sinks 131072 64
compare 5 tree 20000
