#!/usr/bin/env python3
# The n-th allocation or the n-th write of a run fails. The run ends with the right status and one line, and the files
# that it wrote before can be resumed, to the same end.
import os
import shutil

from tap import check, finish, folder, run, skip

ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
PRELOAD = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/faults/preload.so"))
WORDS = ["--softening", "0.1", "--step", "0.125", "--every", "0.25", "--end", "0.5", "--threads", "1", "--restart-every", "1e-9", "--quiet"]


def state(where):
    rows = [row.rsplit(",", 1)[0] for row in open(os.path.join(where, "energy.csv")).read().splitlines()]
    snapshots = []
    for name in sorted(os.listdir(where)):
        if name.startswith("snapshot_"):
            with open(os.path.join(where, name), "rb") as file:
                snapshots.append((name, file.read()))
    return rows, snapshots


def sweep(kind, code, top, words, first, step):
    """Runs with the n-th fault, for n = first, first + step, … until no fault occurs. Returns the number of faults, whether all
    went well, and a detail."""
    target = os.path.join(top, "now")
    expected = state(os.path.join(top, "whole"))
    n, faults = first, 0
    while True:
        shutil.rmtree(target, ignore_errors=True)
        if words[0] == "resume":
            shutil.copytree(os.path.join(top, "half"), target)
            command = ["run", "--resume", target, "--end", "0.5", "--threads", "1", "--restart-every", "1e-9", "--quiet"]
        else:
            command = ["run", *words, "--output", target]
        process = run(*command, code=None, env={"LD_PRELOAD": PRELOAD, f"KYOHO_FAIL_{kind}": str(n)})
        lines = [line for line in process.stderr.splitlines() if line != "fault injected" and not line.startswith("warning: ")]
        injected = "fault injected" in process.stderr
        if not injected:
            return faults, process.returncode == 0 and state(target) == expected, f"{kind} {n}: {process.returncode} {lines}"
        faults += 1
        survived = process.returncode == 0  # a lost line of run.log does not end a run
        if not survived and (process.returncode != code or len(lines) != 1):
            return faults, False, f"{kind} {n}: exit code {process.returncode}, {lines}"
        leftovers = [name for name in os.listdir(target) if name.endswith(".part")] if os.path.isdir(target) else []
        if leftovers:
            return faults, False, f"{kind} {n}: left {leftovers}"
        if os.path.exists(os.path.join(target, "restart.kyo")) or os.path.exists(os.path.join(target, "restart.kyo.previous")):
            again = run("run", "--resume", target, "--end", "0.5", "--quiet", code=None)
            if again.returncode or state(target) != expected:
                return faults, False, f"{kind} {n}: {lines}, then resumed: {again.returncode} {again.stderr}"
        n += step


if not os.path.exists(PRELOAD):
    skip("faults in a run", "the library that makes calls fail was not built")
else:
    with folder() as top:
        run("model", "plummer", "-n", "30", "-o", os.path.join(top, "in.csv"))
        words = [os.path.join(top, "in.csv"), *WORDS]
        run("run", *words, "--output", os.path.join(top, "whole"))
        half = [*words]
        half[half.index("--end") + 1] = "0.25"
        run("run", *half, "--output", os.path.join(top, "half"))
        for name, how in (("a run", words), ("a resumed run", ["resume"])):
            for kind, code, step in (("ALLOCATION", 1, 3), ("WRITE", 7, 1 if ALL else 3)):
                faults, good, detail = sweep(kind, code, top, how, 1, step)
                check(good and faults > 5, f"{name}: {faults} faults, one {kind.lower()} at a time", detail)
finish()
