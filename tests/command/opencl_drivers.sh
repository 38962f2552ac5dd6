#!/bin/sh
# An OpenCL driver that ends the process that asks for its devices is not used, and everything else works: a driver that aborts,
# faults or exits at once (tests/faults/icd.c), and PoCL where /sys is not mounted.
cd "$(dirname "$0")/../.." || exit 1
. tests/command/tap.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if ! "$KYOHO" devices | grep -q '^opencl' || "$KYOHO" devices | grep -q '^opencl.*not in this build'; then
    skip "a broken driver is not used" "OpenCL is not in this build"
    exit 0
fi
force() { "$@" "$KYOHO" force --model plummer -n 2000 --threads 1 --force direct --engine auto -q; }
# Arguments: the command before the program. kyoho devices says that a driver is not used, and lists the CPU.
lists() {
    "$@" "$KYOHO" devices >"$folder/devices" 2>"$folder/said" && grep -q '^cpu ' "$folder/devices" &&
        grep -q '^opencl .*not usable: .* OpenCL driver .*kills any process .* not used' "$folder/devices" && [ ! -s "$folder/said" ]
}

mkdir "$folder/vendors"
echo "$(cd "$BUILD" && pwd)/tests/faults/icd.so" >"$folder/vendors/broken.icd"
for how in abort fault exit; do
    broken="env OCL_ICD_VENDORS=$folder/vendors KYOHO_TEST_ICD=$how"
    # shellcheck disable=SC2086 # words of a command line
    {
        lists $broken
        result $? "kyoho devices, and a driver that ends by $how"
        force $broken
        result $? "engine auto takes the CPU beside it"
    }
done
# shellcheck disable=SC2086
{
    $broken "$KYOHO" run --model plummer -n 2000 --steps 1 --step 0.01 --engine cpu --output "$folder/run" -q
    result $? "a run on the CPU"
    $broken "$KYOHO" run --model plummer -n 2000 --steps 1 --step 0.01 --engine opencl --output "$folder/none" -q 2>"$folder/said"
    [ $? -eq 3 ] && [ "$(wc -l <"$folder/said")" -eq 1 ] && grep -q 'engine opencl: an OpenCL driver ends any process' "$folder/said"
    result $? "a run that asks for OpenCL says in one line why there is none"
}

if ! "$KYOHO" devices | grep -q '^opencl.*a CPU'; then
    skip "PoCL that ends the process is not used" "PoCL is not installed"
    exit 0
fi
preload="env LD_PRELOAD=$BUILD/tests/faults/pocl.so KYOHO_TEST_ASKED=$folder/asked"
# shellcheck disable=SC2086
{
    lists $preload && grep -q 'Portable Computing Language' "$folder/devices" && [ -e "$folder/asked" ]
    result $? "kyoho devices names PoCL where it ends the process"
    rm -f "$folder/asked"
    force $preload && [ ! -e "$folder/asked" ]
    result $? "auto does not ask PoCL"
}
if unshare -m umount -l /sys 2>/dev/null; then
    away() { unshare -m sh -c 'umount -l /sys && exec "$@"' sh "$@"; }
    force away
    result $? "auto takes another engine where /sys is not mounted"
    away "$KYOHO" devices | grep -q '^cpu '
    result $? "kyoho devices where /sys is not mounted"
else
    skip "where /sys is not mounted" "only root can take /sys away"
fi
force env XDG_CACHE_HOME=/dev/null POCL_CACHE_DIR=/dev/null/none >/dev/null 2>&1
result $? "auto takes another engine where PoCL has no folder for its cache"
