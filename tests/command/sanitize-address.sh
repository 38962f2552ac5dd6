#!/bin/sh
# Unit tests, the readers over mutated files and some runs of the command under the address and undefined-behaviour
# sanitizers. A test that fails by itself fails in its own run; here only what the sanitizers find counts.
cd "$(dirname "$0")/../.." || exit 1
if ! echo 'int main(void){return 0;}' | ${CC:-cc} -x c -fsanitize=address,undefined -o /dev/null - 2>/dev/null; then
    echo "ok 1 - address sanitizer # SKIP the compiler has none"
    exit 0
fi
jobs=${JOBS:-$(nproc)}
export build="$BUILD/address" OMP_NUM_THREADS=2 UBSAN_OPTIONS=print_stacktrace=1
# The compiler within PoCL puts a stack for signals of its own in place of the sanitizer's, which then frees what is not its
# own when the thread ends; and where a library loaded later has variables of threads, gcc 12's leak check guesses at their
# place, and may read what is not there.
export ASAN_OPTIONS=allocator_may_return_null=1:use_sigaltstack=0:intercept_tls_get_addr=0
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
make -s -j"$jobs" sanitize-address || { echo "not ok 1 - the build with sanitizers"; exit 1; }

count=0
clean() { # log what: nothing was found, and the log ends as it should
    count=$((count + 1))
    if grep -qE 'AddressSanitizer|LeakSanitizer|runtime error' "$1" || ! grep -qE '[1-9][0-9]* test\(s\) run|^the end$' "$1"; then
        grep -E -A 20 'Sanitizer|runtime error' "$1" | head -n 40
        echo "not ok $count - no stray access or undefined behaviour: $2"
    else
        echo "ok $count - no stray access or undefined behaviour: $2"
    fi
}

# The order (most seconds first), a program, a pattern of its tests and perhaps one of those to leave out, on each line.
# Tests of devices compute the same sums many times over, in kernels that no sanitizer sees: of them each method once,
# and what allocates. Of the processor's tests those are left out that compare numbers of threads (sanitize-thread.sh
# has them), and those that make many forces for the sake of a few percent of a number: their calls are those of others
# (equilibrium and long_orbit: sim; softenings and the table of the defaults: cpu_tree), or fill lists that lie within one allocation,
# where no sanitizer sees their ends. All of it in `make check-all`.
lines() {
    for source in tests/unit/*.c; do
        name=$(basename "$source" .c)
        [ -x "$build/tests/unit/$name" ] || continue
        case ${KYOHO_TEST_ALL:+all-}$name in
        device) # without drivers it has another test
            [ -x "$build/tests/unit/device_walk" ] || { echo "0 $name *"; continue; }
            printf "5 $name %s\n" 'm*' 'n*' 'b*' 's*' 't*' 'w*'
            ;;
        device_cache) echo "60 $name * folders*" ;;
        device_walk) printf "1 $name %s\n" 'memory*' 'nothing*' 'walks*' ;;
        device_large) echo "1 $name more_bodies*" ;;
        device_unroll) echo "1 $name what*" ;;
        device_tree_use) printf "10 $name %s\n" 'evaluations*' 'numbers*' 'questions*' ;;
        block) printf "9 $name %s\n" 'an_engine*' 'bodies_c*' 'few*' 'goes*' 'l*' 'softenings*' 'times*' 'w*' ;; # not the physics
        hermite) printf "9 $name %s\n" 'a_*' 'an_engine*' 'bodies*' 'coincident*' 'few*' 'goes*' 'n*' 'times*' 'w*' ;;
        device_board) printf "5 $name %s\n" 'a_lost*' 'coincident*' 'empty*' 'lists*' 'm*' 'w*' ;;
        cpu_tree) printf "9 $name %s\n" 'a*' 'c*' 'e*' 'i*' 'lists*' 'o*' 's*' 'te*' 'u*' ;; # not threads…, the_defaults…, long_lists…
        general_walk) echo "20 $name * threads*" ;;
        snapshot_bad) echo "20 $name *" ;;
        models) echo "15 $name * models_are*" ;;
        close_pairs) echo "10 $name * binaries_in_a*" ;;
        cosmic) echo "10 $name * a_sphere*" ;;
        galaxies) echo "15 $name * a_ring*" ;;
        analysis) echo "10 $name * *threads*" ;;
        sim | octree | cpu_direct) echo "10 $name * threads*" ;;
        engine_parts) printf "1 $name %s\n" 'wrong*' 'a_frame*' ;;
        equilibrium | softenings | long_orbit) ;;
        *) echo "0 $name *" ;;
        esac
    done
}
work() { lines | sort -s -rn -k1,1 | cut -d' ' -f2-; }
work | CMOCKA_MESSAGE_OUTPUT=STDOUT xargs -P "$jobs" -L 1 sh -c \
    'export KYOHO_TEST_ONLY="$2" KYOHO_TEST_SKIP="${3:-}"; "$build/tests/unit/$1" >"$build/$1-${2%\*}.log" 2>&1' test
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
run --resume r --end 0.75
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
    [ -s r/energy.csv ] && echo the end
}
# gcc looks for pointers to what a function has left only if it is asked to, before version 13.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=1 runs >"$build/command.log" 2>&1
clean "$build/command.log" "the command"
