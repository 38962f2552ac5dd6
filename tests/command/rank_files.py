#!/usr/bin/env python3
# Files that all ranks write: they are those of a run without ranks, whatever the bodies are; and disks that fail.
import os
import random
import re
import shutil
import signal
import subprocess
import time

import mpis
from tap import KYOHO, check, finish, folder, run, skip, wait_for

ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
PRELOAD = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/faults/preload.so"))
STEPS = ["--softening", "0.02", "--step", "0.0078125", "--steps", "2", "--every", "0.0078125", "--force", "tree", "--engine", "cpu", "--quiet"]


def snapshots(where):
    """The bytes of the snapshots. The number of ranks is a digit in their parameters."""
    names = sorted(name for name in os.listdir(where) if name.startswith("snapshot_"))
    texts = {}
    for name in names:
        with open(os.path.join(where, name), "rb") as file:
            texts[name] = re.sub(rb"\nranks = \d\n", b"\nranks = R\n", file.read())
    return texts


def text_of(snapshot, scratch):
    """The bodies of a snapshot with all digits, without the parameters."""
    run("convert", snapshot, scratch, "--overwrite", "--quiet")
    with open(scratch, encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if not line.startswith("#|")]


def mixed_bodies(plain, path):
    """Bodies with ids, radii and types that are not in order."""
    with open(plain, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = next(k for k, line in enumerate(lines) if not line.startswith("#"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:head]) + f"\n{lines[head]},type,radius\n")
        for k, line in enumerate(lines[head + 1:]):
            number, rest = line.split(",", 1)
            file.write(f"{7 * int(number) + 3},{rest},{(1, 4, 0, 4, 5)[k * 7 % 5] if k > 700 else 4},{0.001 * (k % 9)}\n")


def same_files(top):
    plain, mixed, galaxy = (os.path.join(top, name) for name in ("plain.csv", "mixed.csv", "galaxy.csv"))
    run("model", "plummer", "-n", "5000", "-o", plain, "--quiet")
    mixed_bodies(plain, mixed)
    run("model", "galaxy", "-n", "5000", "-o", galaxy, "--quiet")
    model = ["--model", "plummer", "-n"]
    cases = [("bodies of a model", [*model, "5000", *STEPS]), ("ids, radii and types that are not in order", [mixed, *STEPS]),
             ("units that the file has not", [*model, "3000", "--units", "cluster", "--steps", "1", "--force", "tree", "--engine", "cpu", "--quiet"]),
             ("types in order", [galaxy, "--softening", "0.1", "--steps", "1", "--force", "tree", "--engine", "cpu", "--quiet"]),
             ("one body", [*model, "1", *STEPS]), ("two bodies", [*model, "2", *STEPS]),
             ("bodies that leave, to the last", [*model, "3000", *STEPS, "--escape-radius", "1e-9"])]
    for name, words in cases:
        got = []
        for ranks in (None, 1, 2, 3, 4, 8) if ALL else (None, 2, 8) if name == "bodies of a model" else (None, 3):
            where = os.path.join(top, f"files-{ranks}")
            shutil.rmtree(where, ignore_errors=True)
            run("run", *words, *(["--ranks", ranks] if ranks else []), "--output", where)
            got.append(snapshots(where))
        check(len(got[0]) > 1 and all(each == got[0] for each in got), f"{name}: the snapshots of ranks are those of a run without, byte for byte",
              [[name for name in each if each[name] != got[0].get(name)] for each in got])


def faults(top):
    """The n-th write fails, whichever rank makes it."""
    words = ["--model", "plummer", "-n", "300", *STEPS, "--threads", "1", "--ranks", "3", "--restart-every", "1e-9"]
    n, bad, whole, target = 1, None, os.path.join(top, "whole"), os.path.join(top, "fault")
    run("run", *words, "--output", whole)
    while not bad:
        shutil.rmtree(target, ignore_errors=True)
        process = run("run", *words, "--output", target, code=None, env={"LD_PRELOAD": PRELOAD, "KYOHO_FAIL_WRITE": str(n)})
        lines = [line for line in process.stderr.splitlines() if line != "fault injected" and not line.startswith("warning: ")]
        if "fault injected" not in process.stderr:
            break
        left = [name for name in os.listdir(target) if name.endswith(".part")] if os.path.isdir(target) else []
        if process.returncode and (process.returncode != 7 or len(lines) != 1 or left):
            bad = f"write {n}: exit code {process.returncode}, {lines}, left {left}"
        elif os.path.exists(os.path.join(target, "restart.kyo")):
            process = run("run", "--resume", target, "--quiet", code=None)
            if process.returncode or snapshots(target) != snapshots(whole):
                bad = f"write {n}: resumed: {process.returncode} {process.stderr}"
        if not bad and os.path.isdir(target) and len(numbers_of_pieces(target)) > 2:
            bad = f"write {n}: left {os.listdir(target)}"
        n += 1 if ALL else 19
    check(not bad and n > 60, f"{n} writes of three ranks, of which one fails at a time: a clear end, and files that are whole", bad)


def numbers_of_pieces(where):
    """The numbers of the restart files that have pieces in the folder."""
    return {name.split(".")[2] for name in os.listdir(where) if re.fullmatch(r"restart\.kyo\.\d+\.\d+", name)}


def pieces(top):
    """Restart files in pieces: how many there are, and what is said where one is lost."""
    words = ["--model", "plummer", "-n", "3000", *(word for word in STEPS if word not in ("--steps", "2"))]
    where, whole = os.path.join(top, "pieces"), os.path.join(top, "pieces-whole")
    run("run", *words, "--steps", "6", "--output", whole)
    run("run", *words, "--steps", "2", "--ranks", "3", "--output", where)
    size = os.path.getsize(os.path.join(where, "restart.kyo"))
    names = sorted(name for name in os.listdir(where) if name.startswith("restart"))
    check(len(names) == 8 and len(numbers_of_pieces(where)) == 2 and size < 40000, "two restart files of three ranks: three pieces each, and an index", (names, size))
    lost = os.path.join(where, max(name for name in names if name.endswith(".1")))
    os.remove(lost)
    process = run("run", "--resume", where, "--steps", "4", "--ranks", "2", "--quiet")
    check(os.path.basename(lost) in process.stderr and "restart.kyo is damaged; continuing from the previous one" in process.stderr, "a piece is lost: it is named, and the restart file before is taken", process.stderr)
    check(len(numbers_of_pieces(where)) <= 2, "pieces that no restart file needs are removed", os.listdir(where))
    shutil.copytree(where, where + "-copy")
    for name in os.listdir(where):
        if name.startswith("restart.kyo.") and name.endswith(".0"):
            os.remove(os.path.join(where, name))
    process = run("run", "--resume", where, "--steps", "6", code=None)
    check(process.returncode == 4 and re.search(r"its \d pieces are not all intact: .*restart\.kyo\.\d+\.0: .*begin the run again with --overwrite", process.stderr) and len(process.stderr.splitlines()) == 1,
          "pieces of both are lost: code 4, and one line that names a piece and says what to do", process.stderr)
    run("run", "--resume", where + "-copy", "--steps", "6", "--ranks", "1", "--quiet")
    check(snapshots(where + "-copy") == snapshots(whole), "without ranks the run goes on from pieces, to the same snapshots")
    run("run", *words, "--steps", "2", "--ranks", "2", "--output", where, "--overwrite")
    check(len(numbers_of_pieces(where)) <= 2 and snapshots(where).keys() < snapshots(whole).keys(), "--overwrite removes pieces of the run before", os.listdir(where))


def kills(top):
    """SIGKILL at any time, again and again, while nothing but restart files is written: other ranks go on, to the same end."""
    words = ["--model", "plummer", "-n", "600", "--softening", "0.02", "--step", "0.0009765625", "--end", "0.25", "--every", "0.0625",
             "--restart-every", "1e-9", "--force", "tree", "--engine", "cpu"]
    whole, where, killed, dice = os.path.join(top, "kill-whole"), os.path.join(top, "kill"), 0, random.Random(5)
    run("run", *words, "--quiet", "--output", whole)
    start = ["run", *words, "--ranks", "3", "--output", where]
    for ranks in (2, 4, 3, 1, 2, 5) * 4 if ALL else (4, 1, 2):
        process = subprocess.Popen([KYOHO, *start, "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(os.path.join(where, "restart.kyo")), "a restart file")
        time.sleep(0.05 + 0.1 * dice.random())
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        start = ["run", "--resume", where, "--ranks", str(ranks)]
    process = run(*start, "--quiet", code=None)
    check(process.returncode == 0 and killed and snapshots(where) == snapshots(whole), f"killed {killed} times: the same snapshots at the end", process.stderr)
    names = [name for name in os.listdir(where) if name.startswith("restart")]
    check(len(numbers_of_pieces(where)) <= 2 and len(names) <= 12 and not any(name.endswith(".part") for name in names), "and no files that nobody needs", names)


def parts(top):
    """--pieces: as many files as ranks, which together have the bodies of one file in its order."""
    plain, mixed = os.path.join(top, "plain.csv"), os.path.join(top, "mixed.csv")
    cases = [("bodies of a type", plain, []), ("types that are not in order", mixed, []), ("packed", mixed, ["--compress"]), ("all bodies on every rank", plain, ["--curve", "none"])]
    for name, bodies, more in cases if ALL else cases[1::2]:
        one, texts = os.path.join(top, "parts-one"), []
        shutil.rmtree(one, ignore_errors=True)
        run("run", bodies, *STEPS, *more, "--output", one)
        for ranks in (None, 1, 3):
            where = os.path.join(top, f"parts-{ranks}")
            shutil.rmtree(where, ignore_errors=True)
            run("run", bodies, *STEPS, *more, *(["--ranks", ranks] if ranks else []), "--pieces", "--output", where)
            names = sorted(name for name in os.listdir(where) if name.startswith("snapshot"))
            expected = [f"snapshot_000{k}.{r}.hdf5" for k in range(3) for r in range(ranks or 1)]
            check(names == expected, f"{name}: {ranks or 'no'} ranks write {ranks or 1} of each snapshot", names)
            texts.append([text_of(os.path.join(where, f"snapshot_000{k}.0.hdf5"), os.path.join(top, "scratch.csv")) for k in range(3)])
        whole = [text_of(os.path.join(one, f"snapshot_000{k}.hdf5"), os.path.join(top, "scratch.csv")) for k in range(3)]
        check(len(whole[0]) > 5000 and all(text == whole for text in texts), f"{name}: the pieces have the bodies of one file, in its order")
    where, again = os.path.join(top, "parts-3"), os.path.join(top, "parts-again")
    check(run("info", where).stdout.split()[1] == "3", "kyoho info counts snapshots, not pieces")
    process = run("run", os.path.join(where, "snapshot_0002.0.hdf5"), *STEPS, "--output", again)
    begun = text_of(os.path.join(again, "snapshot_0000.hdf5"), os.path.join(top, "scratch.csv"))
    motion = [[line.split(",")[:8] for line in text if not line.startswith("#")] for text in (begun, texts[2][2])]
    check(motion[0] == motion[1], "a run begins with pieces", process.stderr)
    # a piece of another time; and pieces of the same time of other runs, with other bodies and with other parameters
    other, mixed = os.path.join(top, "parts-other"), os.path.join(top, "parts-mixed")
    run("model", "plummer", "-n", "5000", "--seed", "9", "-o", os.path.join(top, "other.hdf5"))
    for source, more, name in ((bodies, [], "snapshot_0001.1.hdf5"), (os.path.join(top, "other.hdf5"), [], "snapshot_0002.1.hdf5"), (bodies, ["--theta", "0.5"], "snapshot_0002.1.hdf5")):
        shutil.rmtree(mixed, ignore_errors=True)
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(where, mixed)
        shutil.copy(source, os.path.join(top, "begin.hdf5"))
        run("run", os.path.join(top, "begin.hdf5"), *STEPS, *more, "--ranks", 3, "--pieces", "--output", other)
        shutil.copy(os.path.join(other, name), os.path.join(mixed, "snapshot_0002.1.hdf5"))
        said = run("info", os.path.join(mixed, "snapshot_0002.0.hdf5"), code=4).stderr
        check("snapshot_0002.1.hdf5: " in said and ("its time is" in said or "another run" in said) and said.count("\n") == 1,
              "a piece of another time or run is refused", said)
    run("run", "--resume", where, "--steps", "3", "--ranks", "2", "--quiet")
    names = sorted(name for name in os.listdir(where) if name.startswith("snapshot_0003"))
    check(names == ["snapshot_0003.0.hdf5", "snapshot_0003.1.hdf5"], "a resumed run goes on with pieces, of its own number of ranks", names)
    for r in (1, 2, 4):
        shutil.copy(os.path.join(where, "snapshot_0002.0.hdf5"), os.path.join(where, f"snapshot_0004.{r}.hdf5"))
    run("run", "--resume", where, "--steps", "4", "--ranks", "2", "--quiet")
    names = sorted(name for name in os.listdir(where) if name.startswith("snapshot_0004"))
    check(names == ["snapshot_0004.0.hdf5", "snapshot_0004.1.hdf5", "snapshot_0004.4.hdf5"], "pieces that an earlier run has left do not stay behind the last one", names)
    run("run", plain, *STEPS, "--output", where, "--overwrite")
    check(not [name for name in os.listdir(where) if re.search(r"\.\d\.hdf5", name)], "--overwrite removes pieces", os.listdir(where))
    few = os.path.join(top, "parts-few")
    for n, ranks in ((2, 3), (100, 70) if ALL else (30, 20)):
        run("run", "--model", "plummer", "-n", n, *STEPS, "--ranks", ranks, "--pieces", "--output", few, "--overwrite")
        text = text_of(os.path.join(few, "snapshot_0002.0.hdf5"), os.path.join(top, "scratch.csv"))
        last = min(n, ranks) - 1
        check(len([line for line in text if not line.startswith("#")]) == n + 1 and os.path.exists(os.path.join(few, f"snapshot_0002.{last}.hdf5")) and
              not os.path.exists(os.path.join(few, f"snapshot_0002.{last + 1}.hdf5")), f"{n} bodies of {ranks} ranks in pieces", text)


def processes(top):
    """Ranks that are processes, of which one does not see the folder."""
    found, lacking = mpis.find()
    for name, why in lacking.items():
        skip(name, why)
    for k, mpi in enumerate(found):
        own = os.path.join(top, f"mpi{k}")
        os.mkdir(own)
        os.mkdir(os.path.join(own, "else"))
        script = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 || cd else; exec "$@"'
        words = ["run", "--model", "plummer", "-n", "300", *STEPS, "--output", "results"]
        done = mpi.run(2, "sh", "-c", script, "sh", mpi.kyoho, *words, cwd=own)
        lines = [line for line in done.stderr.splitlines() if line.startswith("kyoho")]
        check(done.returncode == 7 and len(lines) == 1 and f"rank 1 on {os.uname().nodename} cannot open the file" in lines[0] and not os.path.exists(os.path.join(own, "results")),
              f"{mpi.name}: a rank that does not see the folder ends the run with one line, before the first step", (done.returncode, done.stderr))


with folder() as top:
    same_files(top)
    parts(top)
    pieces(top)
    kills(top)
    if os.path.exists(PRELOAD):
        faults(top)
    else:
        skip("faults", "the library that makes calls fail was not built")
    processes(top)
finish()
