# What test scripts share: reports in TAP. It is not a test itself, since it does not begin with #!.
# shellcheck shell=sh
count=0
result() { # status text
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
skip() { # text why
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}
