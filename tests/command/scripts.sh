#!/bin/sh
# No script has what shellcheck warns of.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v shellcheck >/dev/null; then
    echo "ok 1 - shellcheck finds nothing # SKIP shellcheck is not installed"
elif grep -rlIE '^#!/bin/(ba)?sh' bootstrap .ci mk tests bench examples --include='*.sh' --include=run --include=bootstrap --include=write-docs |
    xargs shellcheck; then
    echo "ok 1 - shellcheck finds nothing"
else
    echo "not ok 1 - shellcheck finds nothing"
fi
