#!/bin/sh
# Programs that call the GRAPE libraries: in C and Fortran, with the shared and the static library, with C names of their own,
# and two at once.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
root=$PWD
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
make -s -C "$root" BUILD="$BUILD" PREFIX="$folder/usr" install >install.log 2>&1 || cat install.log
export PKG_CONFIG_PATH="$folder/usr/lib/pkgconfig" KYOHO_ENGINE=cpu
unset LD_LIBRARY_PATH KYOHO_VERBOSE KYOHO_NPIPES KYOHO_NEIGHBOURS KYOHO_PRECISION
examples=$folder/usr/share/doc/kyoho/examples/grape
shared=$(pkg-config --cflags --libs kyoho_g6)
static="$(pkg-config --cflags kyoho_g6) $(pkg-config --static --libs kyoho_g6 | sed 's/-lkyoho_g6/-l:libkyoho_g6.a/')"

conserves() { # output
    awk '/^energy/ && $4 < 1e-4 { good = 1 } END { exit !good }' "$1"
}
closes() {
    awk '/misses by/ && $8 + 0 < 1e-5 && /nearest 2 1/ { good = 1 } END { exit !good }' "$1"
}
# shellcheck disable=SC2086 # several words each
{
    cc -O1 -Wall -Wextra -Werror "$examples/hermite.c" $shared -lm -o shared &&
        ./shared >shared.out 2>shared.err && conserves shared.out && [ ! -s shared.err ]
    result $? "a C program keeps its energy with the shared library, which prints nothing"
    cc -O1 "$examples/hermite.c" $static -lm -o static && ! ldd static | grep -q libkyoho &&
        ./static | cmp - shared.out
    result $? "the static library does the same"
    for name in kyoho kyoho_g6 kyoho_g5; do ar t "$folder/usr/lib/lib$name.a"; echo; done | awk '
        NF == 0 { delete seen; next }
        seen[$1]++ { same = 1 }
        END { exit same || NR < 300 }'
    result $? "no two members of a static library have the same name, so that ar x keeps them all"
    if command -v gfortran >/dev/null; then
        gfortran "$examples/ellipse.f90" $shared -o fortran && ./fortran >fortran.out && closes fortran.out
        result $? "a Fortran program closes an orbit with the shared library"
        gfortran "$examples/ellipse.f90" $static -o fortran_static && ./fortran_static | cmp - fortran.out
        result $? "the static library does the same for Fortran"
    else
        skip "a Fortran program" "no gfortran"
    fi

    # As in ph4 and sapporo2's programs, the program defines all C names itself, and they call the Fortran names.
    cat >own.h <<'END'
int g6_open_(int *), g6_close_(int *), g6_npipes_(void), g6_set_ti_(int *, double *);
int g6_set_j_particle_(int *, int *, int *, double *, double *, double *, double *, double *, double *, double *, double *);
int g6calc_firsthalf_(int *, int *, int *, int *, double (*)[3], double (*)[3], double (*)[3], double (*)[3], double *,
                      double *, double *);
int g6calc_lasthalf_(int *, int *, int *, int *, double (*)[3], double (*)[3], double *, double *, double (*)[3],
                     double (*)[3], double *);
static int calls;
int g6_open(int id) { calls++; return g6_open_(&id); }
int g6_close(int id) { return calls == 1 ? g6_close_(&id) : 9; }
int g6_npipes(void) { return g6_npipes_(); }
int g6_set_ti(int id, double t) { return g6_set_ti_(&id, &t); }
int g6_set_overflow_flag_test_mode_(int *a, int *b, int *c) { return *a + *b + *c; }
int g6_set_j_particle(int id, int k, int i, double t, double dt, double m, double *s, double *j, double *a, double *v,
                      double *x) { return g6_set_j_particle_(&id, &k, &i, &t, &dt, &m, s, j, a, v, x); }
int g6calc_firsthalf(int id, int nj, int ni, int *i, double (*x)[3], double (*v)[3], double (*a)[3], double (*j)[3],
                     double *p, double e, double *h) { return g6calc_firsthalf_(&id, &nj, &ni, i, x, v, a, j, p, &e, h); }
int g6calc_lasthalf(int id, int nj, int ni, int *i, double (*x)[3], double (*v)[3], double e, double *h, double (*a)[3],
                    double (*j)[3], double *p) { return g6calc_lasthalf_(&id, &nj, &ni, i, x, v, &e, h, a, j, p); }
END
    sed 's|<kyoho/grape6.h>|"own.h"|' "$examples/hermite.c" >own.c
    cc -O1 own.c $shared -lm -o own_shared && ./own_shared | cmp - shared.out
    result $? "a program with C names of its own works with the shared library"
    cc -O1 own.c $static -lm -o own_static && ./own_static | cmp - shared.out
    result $? "a program with C names of its own works with the static library"
}

./shared >one.out &
./static >two.out
wait $! && cmp one.out shared.out && cmp two.out shared.out
result $? "two processes at once do not disturb each other"

KYOHO_VERBOSE=1 ./shared 2>&1 >/dev/null | grep -q '^kyoho: device 1 of 1: cpu, extended$'
result $? "KYOHO_VERBOSE names the device"
KYOHO_ENGINE=abacus ./shared >none.out 2>none.err
[ $? -eq 3 ] && grep -q '^no GRAPE' none.err && [ "$(wc -l <none.err)" -eq 1 ]
result $? "an unknown engine is an error, and only the program reports it"
KYOHO_ENGINE=abacus KYOHO_VERBOSE=1 ./shared 2>&1 | grep -q "^kyoho: open: there is no engine 'abacus'"
result $? "with KYOHO_VERBOSE the library reports an unknown engine too"

unset KYOHO_ENGINE
printf '2 // devices\n0\nfour\n' >sapporo2.config
KYOHO_VERBOSE=1 ./shared 2>&1 | grep -q 'sapporo2.config: line 3 has to be the number of a device'
result $? "a wrong line of sapporo2.config is named"
printf '1\n97\n' >sapporo2.config
./shared >none.out 2>&1; [ $? -eq 3 ]
result $? "a device of sapporo2.config that is not here is an error"
rm sapporo2.config
printf '65536\n1 // comment\n97\n' >sapporo.config
./shared >none.out 2>&1; [ $? -eq 3 ]
result $? "sapporo.config is read too"
KYOHO_ENGINE=cpu ./shared | cmp - shared.out
result $? "KYOHO_ENGINE comes before these files"
rm sapporo.config

for name in g6 g5; do
    nm -D --defined-only "usr/lib/libkyoho_$name.so" | awk '{ print $2, $3 }' >names
    grep -v '^#' "$root/include/kyoho/grape${name#g}.h" | tr '\n' ' ' | grep -o 'KY_GRAPE_API [^(;]*' | awk '{ print $NF }' |
        sort >promised
    awk '{ print $2 }' names | sort | diff promised - && ! grep -v '^W ' names &&
        [ "$(grep -c '_$' promised)" -eq "$(grep -vc '_$' promised)" ]
    result $? "libkyoho_$name exports what its header declares, in both forms, all weak"
done
# Exported names call functions of the file alone, and not each other.
# shellcheck disable=SC2086
bad=$(for object in "$root/$BUILD"/src/grape/grape[56].o; do
    objdump -dr "$object" | grep -E 'R_X86_64_(PLT32|PC32|GOTPCREL).*[[:space:]]g[56](_|calc)'
done)
[ -z "$bad" ]
result $? "no exported name calls another"
echo "1..$count"
