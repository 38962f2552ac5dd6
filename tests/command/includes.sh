#!/bin/sh
# No include points up, or sideways, in the order of the folders below src/ (docs/architecture.md),
# and numbers are read in one place.
cd "$(dirname "$0")/../.." || exit 1
bad=$(find src -name '*.[ch]' | sort | xargs awk '
BEGIN {
    split("base:0 physics:1 octree:2 engine:3 integrate:4 models:4 snapshot:4 analysis:4 " \
          "simulation:5 draw:5 grape:5 command:6", pairs, " ")
    for (k in pairs) { split(pairs[k], part, ":"); level[part[1]] = part[2] }
}
FNR == 1 { split(FILENAME, path, "/"); own = path[2] }
!(own in level) { if (FNR == 1) print FILENAME ": the folder " own " has no place in the order"; next }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\""); n = split(quoted[2], part, "/")
    to = n > 1 ? part[1] : own
    if (to == own || to == "kyoho") next
    if (!(to in level)) print FILENAME ":" FNR ": " quoted[2] " is in no folder of the order"
    else if (level[to] >= level[own]) print FILENAME ":" FNR ": " own " must not include " quoted[2]
}')
if [ -z "$bad" ]; then
    echo "ok 1 - every include points down"
else
    printf '%s\n' "$bad"
    echo "not ok 1 - every include points down"
fi

# These obey the locale of the program that the library is linked into.
bad=$(grep -rnwE 'strto[a-z]+|ato[filL]+|[sf]?scanf' src --include='*.[ch]' | grep -v '^src/base/number\.[ch]:')
if [ -z "$bad" ]; then
    echo "ok 2 - text becomes a number in src/base/number alone"
else
    printf '%s\n' "$bad"
    echo "not ok 2 - text becomes a number in src/base/number alone"
fi
