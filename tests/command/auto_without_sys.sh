#!/bin/sh
# Where /sys is not mounted PoCL ends a process that asks for its devices. `--engine auto` does not ask.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
auto() { "$@" "$KYOHO" force --model plummer -n 2000 --threads 1 --force direct --engine auto; }
preload=$BUILD/tests/faults/pocl.so
if ! "$KYOHO" devices | grep -q '^opencl.*a CPU'; then
    skip "auto leaves PoCL alone" "PoCL is not installed, or OpenCL is not in this build"
    exit 0
fi
if LD_PRELOAD=$preload "$KYOHO" devices >/dev/null 2>&1; then
    skip "auto leaves PoCL alone" "nothing can be put before this OpenCL loader's functions"
else
    auto env LD_PRELOAD="$preload" 2>&1
    result $? "auto leaves PoCL alone"
fi
if unshare -m umount -l /sys 2>/dev/null; then
    auto unshare -m sh -c 'umount -l /sys && exec "$@"' sh 2>&1
    result $? "auto takes another engine where /sys is not mounted"
else
    skip "auto takes another engine where /sys is not mounted" "only root can take /sys away"
fi
auto env XDG_CACHE_HOME=/dev/null POCL_CACHE_DIR=/dev/null/none >/dev/null 2>&1
result $? "auto takes another engine where PoCL has no folder for its cache"
