#!/bin/sh
# No include points up, or sideways, in the order of the folders below src/ (docs/architecture.md), the files of a folder
# have an order too, and numbers are read in one place.
cd "$(dirname "$0")/../.." || exit 1
sources=$(find src -name '*.[chk]' -o -name '*.cu' | sort)
# shellcheck disable=SC2086 # no name below src/ has a blank
bad=$(awk '
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
}' $sources)
if [ -z "$bad" ]; then
    echo "ok 1 - every include points down"
else
    printf '%s\n' "$bad"
    echo "not ok 1 - every include points down"
fi

# Within a folder, with those below it, a file needs another when it includes it, or when it uses a function that the other defines. No chain of
# needs leads back to where it began.
# shellcheck disable=SC2086
bad=$(awk '
function folder(file) { match(file, /^src\/[^\/]*/); return substr(file, 1, RLENGTH) }
function need(from, to) {
    if (from == to || folder(from) != folder(to) || (from, to) in needs) return
    needs[from, to] = 1
    list[from] = list[from] " " to
}
# Takes away the files in `left` that are needed by none of those (up), or need none (down); 1 if there was one.
function thin(up,  one, other, bound, gone) {
    for (one in left) {
        bound = 0
        for (other in left) if (up ? (other, one) in needs : (one, other) in needs) bound = 1
        if (!bound) { delete left[one]; gone = 1 }
    }
    return gone
}
FNR == 1 { left[FILENAME] = 1; comment = 0 }
/^[ \t]*#[ \t]*include[ \t]*"/ { split($0, quoted, "\""); need(FILENAME, "src/" quoted[2]); next }
FILENAME !~ /\.c$/ { next }
{
    gsub(/"([^"\\]|\\.)*"/, "")
    if (comment && !sub(/.*\*\//, "")) next
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "")
    comment = sub(/\/\*.*/, "")
}
# A definition begins at the left margin; clang-format sees to that.
/^[a-z].*[a-z0-9_]\(/ && !/^(static|typedef|extern)/ && !/;/ {
    name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    defined[folder(FILENAME), name] = FILENAME
    next
}
{
    word = ""
    for (line = $0; match(line, /[A-Za-z_][A-Za-z0-9_]*/); line = substr(line, RSTART + RLENGTH)) {
        tag = word ~ /^(struct|enum|union)$/
        member = substr(line, 1, RSTART - 1) ~ /[.>]$/
        word = substr(line, RSTART, RLENGTH)
        if (!tag && !member) used[FILENAME, word] = 1
    }
}
END {
    for (pair in used) {
        split(pair, part, SUBSEP)
        place = folder(part[1]) SUBSEP part[2]
        if (place in defined) need(part[1], defined[place])
    }
    while (thin(0)) {}
    while (thin(1)) {}
    for (one in left) {
        count = split(list[one], to, " "); through = ""
        for (k = 1; k <= count; k++) if (to[k] in left) through = through " " to[k]
        print one ": stands in a ring, for it needs" through
    }
}' $sources | sort)
if [ -z "$bad" ]; then
    echo "ok 2 - the files of a folder have an order"
else
    printf '%s\n' "$bad"
    echo "not ok 2 - the files of a folder have an order"
fi

# These obey the locale of the program that the library is linked into.
bad=$(grep -rnwE 'strto[a-z]+|ato[filL]+|[sf]?scanf' src --include='*.[ch]' | grep -v '^src/base/number\.[ch]:')
if [ -z "$bad" ]; then
    echo "ok 3 - text becomes a number in src/base/number alone"
else
    printf '%s\n' "$bad"
    echo "not ok 3 - text becomes a number in src/base/number alone"
fi
