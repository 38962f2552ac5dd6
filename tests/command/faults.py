#!/usr/bin/env python3
"""The n-th allocation or the n-th write fails, for n = 1, 2, … as long as there is one. The status
is right, a file that existed is whole, and no temporary file stays."""
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
FILES = os.path.join(BUILD, "tests/helpers/files")
PRELOAD = os.path.abspath(os.path.join(BUILD, "tests/faults/preload.so"))
FAULT, CANNOT_WRITE = 1, 7
tests = 0


def result(good, text):
    global tests
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {text}", flush=True)


def run(words, **fail):
    environment = dict(os.environ)
    if fail:
        environment["LD_PRELOAD"] = PRELOAD
        environment.update({f"KYOHO_FAIL_{name.upper()}": str(n) for name, n in fail.items()})
    return subprocess.run([FILES, *words], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, text=True, check=False)


def content(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def trouble(outcome, before, wanted, folder, codes):
    """A text about what is wrong with an outcome, or None."""
    now = content(folder)
    lines = [x for x in outcome.stderr.splitlines() if x != "fault injected"]
    if outcome.returncode == 0:
        return None if now == wanted else "status 0, but the files are not as they should be"
    if outcome.returncode not in codes:
        return f"status {outcome.returncode}"
    if len(lines) != 1 or not lines[0]:
        return f"{len(lines)} error lines"
    if any(name.endswith(".part") for name in now):
        return f"left {[name for name in now if name.endswith('.part')]}"
    for name, was in before.items():
        if now.get(name) not in (was, wanted.get(name)):
            return f"damaged {name}"
    # There may be new names if only the folder could not be flushed, or if one of several renames
    # failed: files beside a TIPSY file are renamed before it, the previous restart file before the new.
    several = any(name.endswith((".param", ".iord", ".previous")) for name in now)
    if now != before and not several and "folder" not in lines[0]:
        return "changed the folder, and failed"
    return None


def sweep(title, old, words, codes, **how):
    """Tries each fault of a command. `old` is the command that makes the files that exist before."""
    kind = "allocation" if FAULT in codes else "write"
    with tempfile.TemporaryDirectory() as top:
        before_folder, folder = os.path.join(top, "before"), os.path.join(top, "now")
        os.mkdir(before_folder)
        for step in old:
            run([x.format(before_folder) for x in step])
        before = content(before_folder)
        shutil.copytree(before_folder, folder)
        plain = run([x.format(folder) for x in words])
        wanted = content(folder)
        if plain.returncode or wanted == before:
            result(False, f"{title}: without a fault: {plain.stderr}")
            return
        n, step, bad = 0, how.pop("step", 1), None
        while not bad:
            n += step
            shutil.rmtree(folder)
            shutil.copytree(before_folder, folder)
            outcome = run([x.format(folder) for x in words], **{kind: n}, **how)
            if "fault injected" not in outcome.stderr:
                break
            bad = trouble(outcome, before, wanted, folder, codes)
            if bad:
                bad = f"{kind} {n}: {bad}: {outcome.stderr!r}"
        result(not bad and n > step, f"{title}: {bad or f'{n // step - 1} faults at {kind}s'}")


def main():
    if not os.path.exists(PRELOAD) or "Linux" not in os.uname().sysname:
        print("ok 1 - faults # SKIP the library that makes calls fail was not built")
        return
    source = tempfile.NamedTemporaryFile("w", suffix=".csv")
    source.write("# time: 1\nmass,x,y,z,vx,vy,vz,softening,type,id\n")
    for i in range(40):
        source.write(f"{i},{i},0.5,1,{-i},2,3,0.1,{i % 5},{100 - i}\n")
    source.flush()
    small = tempfile.NamedTemporaryFile("w", suffix=".csv")
    small.write("m,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n")
    small.flush()
    hdf5 = run(["convert", small.name, "/dev/null/a.hdf5"]).returncode != 3
    for name in ["a.csv", "a.tipsy"] + (["a.hdf5"] if hdf5 else []):
        old = [["convert", small.name, "{}/" + name]]
        new = ["convert", source.name, "{}/" + name, "galaxy"]
        again = ["convert", "{}/" + name, "{}/b.csv"]
        sweep(f"write {name}", old, new, [FAULT])
        sweep(f"write {name}", old, new, [CANNOT_WRITE])
        sweep(f"write {name}, from there on", old, new, [CANNOT_WRITE], on=1)
        sweep(f"read {name}", old, again, [FAULT])
    old = [["restart", "{}/r.kyo", "1"], ["restart", "{}/r.kyo", "2"]]
    sweep("write restart", old, ["restart", "{}/r.kyo", "3"], [FAULT])
    sweep("write restart", old, ["restart", "{}/r.kyo", "3"], [CANNOT_WRITE])
    sweep("write restart, from there on", old, ["restart", "{}/r.kyo", "3"], [CANNOT_WRITE], on=1)


sys.exit(main())
