#!/bin/sh
# Unit tests, readers with mutated files, and some runs of the command under the address and undefined-behaviour
# sanitizers. Only findings of the sanitizers count here, since a test that fails by itself fails in its own run.
cd "$(dirname "$0")/../.." || exit 1
if ! echo 'int main(void){return 0;}' | ${CC:-cc} -x c -fsanitize=address,undefined -o /dev/null - 2>/dev/null; then
    echo "ok 1 - address sanitizer # SKIP the compiler has none"
    exit 0
fi
jobs=${JOBS:-$(nproc)}
export build="$BUILD/address" OMP_NUM_THREADS=2 UBSAN_OPTIONS=print_stacktrace=1
# use_sigaltstack=0: the compiler in PoCL replaces the sanitizer's signal stack by its own, which the sanitizer would free when
# the thread ends. intercept_tls_get_addr=0: gcc 12's leak check guesses where the thread variables of libraries are that are
# loaded later, and may read memory that is not there.
export ASAN_OPTIONS=allocator_may_return_null=1:use_sigaltstack=0:intercept_tls_get_addr=0
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"

count=0
clean() { # log what: a test that nothing was found, and that the log ends as it should
    count=$((count + 1))
    if grep -qE '(ERROR|SUMMARY): AddressSanitizer|LeakSanitizer|runtime error' "$1" || ! grep -qE '[1-9][0-9]* test\(s\) run|^the end$' "$1"; then
        grep -E -A 20 'Sanitizer|runtime error' "$1" | head -n 40
        echo "not ok $count - no stray access or undefined behaviour: $2"
    else
        echo "ok $count - no stray access or undefined behaviour: $2"
    fi
}

# `make check-long` has one path of each kind, `make check-all` all, in both with the part of the cases that `check` takes, as under
# --hostile and --valgrind: other cases take the same paths with other numbers. The programs that `make check-long` leaves out compute many forces
# for the sake of a few percent of a number, or repeat on several kinds of devices what other programs do on one.
everything=${KYOHO_TEST_ALL:+yes}
left_out='close_pairs device_dual device_large equilibrium external groups halt long_orbit own_orbits softenings'
programs() {
    for source in tests/unit/*.c; do
        name=$(basename "$source" .c)
        case " ${everything:-$left_out} " in *" $name "*) ;; *) echo "$name" ;; esac
    done
}
make -s -j"$jobs" SANITIZED="$(programs | tr '\n' ' ')" sanitize-address || { echo "not ok 1 - the build with sanitizers"; exit 1; }

# Each line has a number for the order (most seconds first), a program, a pattern of its tests, and perhaps a pattern of
# tests that are left out. Tests of devices compute the same sums many times over, in kernels that no sanitizer sees: each
# method is taken once, and tests with failures or allocations. Of the other tests these are left out: comparisons of numbers
# of threads (sanitize-thread.sh has them), long loops over all pairs, and lists within one allocation, whose ends no sanitizer
# sees.
lines() {
    for name in $(programs); do
        [ -x "$build/tests/unit/$name" ] || continue
        case ${everything:+all-}$name in
        device) # without drivers it has another test
            [ -x "$build/tests/unit/device_walk" ] || { echo "0 $name *"; continue; }
            printf "5 $name %s\n" 'me*' 'batches*' 'bodies*' 'trees*' 'two_s*'
            ;;
        device_cache) echo "20 $name * several*" ;;
        device_walk) printf "1 $name %s\n" 'walks*' ;;
        device_points) printf "5 $name %s\n" 'aw*' 'ex*' 'far*' 'memory*' ;;
        device_fmm) printf "5 $name %s\n" 'aw*' 'several*' ;;
        ranks_copies) printf "5 $name %s\n" 'few*' 'what*' ;;
        ranks_devices) printf "5 $name %s\n" 'few*' 'what*' ;;
        ranks_devices_blocks) printf "5 $name %s\n" 'every*' 'restarts*' ;;
        ranks_devices_fmm) printf "5 $name %s\n" 'every*' 'few*' ;;
        ranks_devices_walks) echo "5 $name a_list*" ;;
        ranks_devices_points) echo "5 $name small*" ;;
        ranks_read) printf "3 $name %s\n" 'own*' 'errors*' 'damaged*' 'others*' ;;
        device_tree) printf "9 $name %s\n" 'groups*' 'more*' ;;
        device_tree_use) printf "9 $name %s\n" 'evaluations*' 'numbers*' ;;
        device_board) printf "5 $name %s\n" 'a_lost*' 'empty*' 'lists*' 'memory*' 'w*' ;;
        block) printf "9 $name %s\n" 'bodies_c*' 'few*' 'softenings*' 'w*' ;;
        hermite) printf "9 $name %s\n" 'bodies*' 'coincident*' 'few*' 'n*' 'w*' ;;
        cpu_tree) printf "9 $name %s\n" 'aw*' 'c*' 'i*' 'lists*' 'o*' 'te*' 'u*' ;;
        force_error) printf "9 $name %s\n" 'a_simulation*' 'few*' 'methods*' 'what*' ;;
        fmm) printf "9 $name %s\n" 'aw*' 'fields_of*' 'so*' 'te*' ;;
        dual_walk) echo "9 $name threads*" ;;
        stops) printf "5 $name %s\n" 'an_older*' 'few*' 'pairs_in*' 'the_same*' 'what*' 'wrong*' ;;
        fields) printf "3 $name %s\n" 'bodies*' 'functions*' 'other*' 'what*' ;;
        massless) printf "3 $name %s\n" 'a_f*' 'bodies*' ;;
        moving_fields) printf "1 $name %s\n" 'curves*' 'times_o*' 'units*' 'wrong*' ;;
        friction) printf "1 $name %s\n" 'a_body*' 'wrong*' ;;
        mutual) printf "3 $name %s\n" 'o*' 'te*' 'with_every_s*' ;;
        models) printf "9 $name %s\n" 'few*' 'im*' 'masses*' 'me*' 'n*' 'o*' 'sp*' 'st*' 'sy*' ;;
        galaxies) printf "9 $name %s\n" 'few*' 'the_disk*' ;;
        spline) printf "9 $name %s\n" 'action*' 'fields*' 'hermite*' 'pairs*' 'pieces*' ;;
        general_walk) echo "20 $name * densities*" ;;
        snapshot_bad) printf "1 $name %s\n" 'bad*' 'csv*' 'cut_n*' 'tipsy*' 'w*' ;; # fuzz.sh damages and cuts files
        misuse) echo "20 $name * motions*" ;;
        groups) echo "15 $name * cells*" ;;
        ranks) echo "3 $name few*" ;;
        ranks_changes) printf "3 $name %s\n" 'changes_that*' 'simulations_end*' 'what*' 'other*' ;;
        ranks_made) echo "3 $name errors*" ;;
        ranks_fields) echo "1 $name what*" ;;
        ranks_blocks) printf "3 $name %s\n" 'calls*' 'few*' 'restarts*' ;;
        ranks_fmm) printf "3 $name %s\n" 'few*' 'no_rank*' ;;
        ranks_stops) echo "1 $name cond*" ;;
        ranks_walks) printf "2 $name %s\n" 'every*' 'walks*' ;;
        ranks_points) printf "3 $name %s\n" 'exact*' 'fields_are*' 'searches*' ;;
        analysis) echo "15 $name * lagrangian_radii_are*" ;;
        cosmic) echo "10 $name * a_sphere*" ;;
        sim | octree | cpu_direct) echo "10 $name * threads*" ;;
        engine_parts) printf "1 $name %s\n" 'wrong*' 'a_frame*' ;;
        *) echo "0 $name *" ;;
        esac
    done
}
work() { lines | sort -s -rn -k1,1 | cut -d' ' -f2-; }
work | CMOCKA_MESSAGE_OUTPUT=STDOUT xargs -P "$jobs" -L 1 sh -c \
    'unset KYOHO_TEST_ALL; export KYOHO_TEST_ONLY="$2" KYOHO_TEST_SKIP="${3:-}"; "$build/tests/unit/$1" >"$build/$1-${2%\*}.log" 2>&1' test
work >"$build/work"
while read -r name tests _; do
    clean "$build/$name-${tests%\*}.log" "$name $tests"
done <"$build/work"

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
runs() {
    while read -r words; do
        # shellcheck disable=SC2086 # words of a command line
        "$build/kyoho" $words </dev/null || echo "exit code $? of kyoho $words"
    done <<'END'
model plummer -n 500 --softening 0.1 -o a.csv
model king -n 300 --w0 5 --softening 0.1 -o b.tipsy
merge a.csv b.tipsy --separation 5 --pericentre 1 -o c.csv
run c.csv --softening 0.1 --step 0.125 --end 0.5 --every 0.25 --output r
run --resume r --end 0.75 --view
view r --max-wall 0.2
run b.tipsy --softening 0.1 --integrator block --eta 0.4 --step 0.0625 --end 0.125 --output block
run --resume block --end 0.1875
run b.tipsy --integrator hermite4 --force direct --softening 0.1 --step 0.0625 --end 0.0625 --output hermite
run --resume hermite --end 0.125
info r
force a.csv --softening 0.1 --check 50
force a.csv --softening 0.1 --force direct --json
neighbours a.csv --radius 0.2 -o n.csv --lists
density a.csv -o d.csv
groups a.csv --linking-length 0.2 --minimum 2 -o g.hdf5
convert a.csv a.tipsy
draw r -o r.png
devices
run --help
run --tehta 3
info none.csv
END
    [ -s r/energy.csv ] && [ -s block/energy.csv ] && [ -s hermite/energy.csv ] && echo the end
}
# Before version 13 gcc finds pointers into functions that have returned only with this option.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=1 runs >"$build/command.log" 2>&1
clean "$build/command.log" "the command"
