#!/bin/sh
# Installs into an empty folder, and uses the installed files as another program would.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
prefix=$root/usr
lib=$prefix/lib
make -s BUILD="$BUILD" PREFIX="$prefix" install
result $? "make install"
export PKG_CONFIG_PATH="$lib/pkgconfig"
unset LD_LIBRARY_PATH
[ "$("$prefix/bin/kyoho" --version | head -n 1)" = "kyoho $(pkg-config --modversion kyoho)" ]
result $? "the installed command and kyoho.pc have the same version"

find "$prefix/share/doc/kyoho" -name '*.md' | while read -r page; do
    grep -o '](\([^)#]*\)' "$page" | cut -c3- | grep -v '^https*:' | sort -u | while read -r target; do
        [ -z "$target" ] || [ -e "$(dirname "$page")/$target" ] || echo "$page: $target"
    done
done >"$root/broken"
cat "$root/broken"
[ ! -s "$root/broken" ] && [ -f "$prefix/share/doc/kyoho/docs/command.md" ]
result $? "links of the installed documents lead somewhere"
[ -f "$prefix/share/bash-completion/completions/kyoho" ] && [ -f "$prefix/share/zsh/site-functions/_kyoho" ]
result $? "completion for bash and zsh is installed"

example=$prefix/share/doc/kyoho/examples/01-two-body.c
# shellcheck disable=SC2046
cc "$example" $(pkg-config --cflags --libs kyoho) -o "$root/shared" &&
    "$root/shared" >"$root/said" && ldd "$root/shared" | grep -q "$lib/libkyoho.so"
result $? "an example builds with pkg-config and runs with the shared library, without LD_LIBRARY_PATH"
# shellcheck disable=SC2046
cc "$example" $(pkg-config --cflags kyoho) $(pkg-config --static --libs kyoho | sed 's/-lkyoho/-l:libkyoho.a/') \
    -o "$root/static" && "$root/static" | cmp - "$root/said" && ! ldd "$root/static" | grep -q libkyoho
result $? "the static library does the same"

drawing=$prefix/share/doc/kyoho/examples/04-collision.c
# shellcheck disable=SC2046
cc "$drawing" $(pkg-config --cflags --libs kyoho_draw) -o "$root/draws" && (cd "$root" && ./draws shared.png) && ldd "$root/draws" | grep -q "$lib/libkyoho_draw.so"
result $? "a program that draws builds with pkg-config and runs with the shared libraries, without LD_LIBRARY_PATH"
# shellcheck disable=SC2046
cc "$drawing" $(pkg-config --cflags kyoho_draw) $(pkg-config --static --libs kyoho_draw | sed 's/-lkyoho_draw/-l:libkyoho_draw.a/; s/-lkyoho /-l:libkyoho.a /') \
    -o "$root/draws" && (cd "$root" && ./draws static.png && cmp shared.png static.png) && ! ldd "$root/draws" | grep -q libkyoho
result $? "the static libraries do the same"
# shellcheck disable=SC2046
! cc "$drawing" $(pkg-config --cflags --libs kyoho) -o "$root/draws" 2>"$root/said" && grep -q 'ky_draw' "$root/said" && ! pkg-config --static --libs kyoho | grep -qE 'cairo|png' &&
    ! readelf -d "$lib/libkyoho.so" | grep -E 'NEEDED.*(cairo|png)' && ! ldd "$lib/libkyoho.so" | grep -E 'cairo|libpng' && ! nm -u "$lib/libkyoho.a" 2>/dev/null | grep -wE 'listen|accept|cairo_[a-z_]*|png_[a-z_]*'
result $? "libkyoho draws nothing and needs neither cairo nor libpng, and has no server"

for name in kyoho kyoho_draw; do
    soname=$(readelf -d "$lib/lib$name.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [ -n "$soname" ] && [ -e "$lib/$soname" ] && [ "$(basename "$(readlink -f "$lib/$soname")")" != "$soname" ]
    result $? "lib$name has a soname ($soname), which is a link to the full version"
    # clang exports the locks of its loops, whose names begin with a dot
    nm -D --defined-only "$lib/lib$name.so" | awk '{print $3}' | grep -v -e '^ky_team_' -e '^\.gomp_critical_user_' | sort >"$root/exported"
    header=$prefix/include/kyoho/${name#kyoho_}.h
    grep -v '^#' "$header" | tr '\n' ' ' | grep -o 'KY_API [^(;]*' | sed 's/.*\(ky_[a-z0-9_]*\).*/\1/' | sort >"$root/promised"
    diff "$root/promised" "$root/exported"
    result $? "lib$name exports what $(basename "$header") marks KY_API, no more and no less, but the threads of loops"
done

for header in "$prefix"/include/kyoho/*.h; do
    name=$(basename "$header")
    cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c "$header"
    result $? "$name compiles alone as C99"
    if command -v c++ >/dev/null; then
        c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" -x c++ "$header"
        result $? "$name compiles alone as C++17"
    else
        count=$((count + 1))
        echo "ok $count - $name compiles alone as C++17 # SKIP no C++ compiler"
    fi
done
make -s BUILD="$BUILD" PREFIX="$prefix" uninstall && [ -z "$(find "$prefix" ! -type d)" ]
result $? "make uninstall leaves no file"

make -s BUILD="$BUILD" DESTDIR="$root/stage" PREFIX=/opt/kyoho install
[ -x "$root/stage/opt/kyoho/bin/kyoho" ] && grep -q '^prefix=/opt/kyoho$' "$root/stage/opt/kyoho/lib/pkgconfig/kyoho.pc" &&
    [ -f "$root/stage/opt/kyoho/share/man/man1/kyoho.1" ] && [ "$(ls "$root/stage")" = opt ]
result $? "DESTDIR puts everything below a folder that kyoho.pc does not mention"
make -n BUILD="$BUILD" DESTDIR="$root/stage" PREFIX=/usr install >"$root/said"
grep -q 'usr/lib/pkgconfig' "$root/said" && ! make -pn BUILD="$BUILD" PREFIX=/usr install | grep '^RPATH' | grep -q rpath
result $? "a folder that the loader searches is not written into programs"
