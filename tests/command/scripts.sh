#!/bin/sh
# No script has a warning of shellcheck, and the sources have the layout of `make format`. (SC2319: what `result $?` reports is
# meant to be the condition before it.)
cd "$(dirname "$0")/../.." || exit 1
if ! command -v shellcheck >/dev/null; then
    echo "ok 1 - shellcheck finds nothing # SKIP shellcheck is not installed"
elif grep -rlIE '^#!/bin/(ba)?sh' bootstrap .ci mk tests bench examples packaging --include='*.sh' --include=run --include=bootstrap --include=write-docs --include=try-systems --include=wheel --include=static-parts --include=changes |
    xargs shellcheck -x -e SC2319; then
    echo "ok 1 - shellcheck finds nothing"
else
    echo "not ok 1 - shellcheck finds nothing"
fi

# check looks at the sources that were changed last, check-all at every one.
layout() {
    if [ -z "${KYOHO_TEST_ALL:-}" ] && changed=$(git log -10 --name-only --format= 2>/dev/null && git diff --name-only HEAD); then
        make -s layout LAYOUT_OF="$(printf '%s\n' "$changed" | sort -u | tr '\n' ' ')"
    else
        make -s layout
    fi
}
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "ok 2 - make format changes nothing # SKIP clang-format 14 is not installed"
elif layout >"$BUILD/layout.out" 2>&1; then
    echo "ok 2 - make format changes nothing"
else
    head -n 20 "$BUILD/layout.out"
    echo "not ok 2 - make format changes nothing"
fi

# Python looks beside a test first, for what a package imports too.
if python3 -c 'import glob, os, sys
hidden = {os.path.basename(path)[:-3] for path in glob.glob("tests/*/*.py")} & set(getattr(sys, "stdlib_module_names", ())) - set(sys.modules)
sys.exit(" ".join(sorted(hidden)) or 0)'; then
    echo "ok 3 - no test has the name of a module of Python"
else
    echo "not ok 3 - no test has the name of a module of Python"
fi
