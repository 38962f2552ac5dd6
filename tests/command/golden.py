#!/usr/bin/env python3
# Restart files of every version of the format are resumed, and the run ends like one that was never stopped. Each folder
# tests/golden/version_N has the results of a program with that version, of
#   kyoho run --input bodies.csv --softening-kind symmetric --g 2 --end 1 --step 0.0625 --every 0.25 --at 0.8125 --isa plain --threads 1
# when --force tree was the default
import csv
import os
import shutil
import struct

from tap import check, finish, folder, run

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
OPTIONS = ["--softening-kind", "symmetric", "--g", "2", "--step", "0.0625", "--every", "0.25", "--at", "0.8125",
           "--isa", "plain", "--threads", "1", "--force", "tree", "--quiet"]


def rows(where, without=("wall_s",)):
    """The lines of energy.csv, without some of its columns."""
    with open(os.path.join(where, "energy.csv")) as file:
        table = list(csv.reader(file))
    places = [k for k, name in enumerate(table[0]) if name not in without]
    check(all(len(row) == len(table[0]) for row in table), f"{os.path.basename(where)}: rows as long as the header")
    return [[row[k] for k in places] for row in table]


def same(ours, theirs, names):
    """1 if rows agree: errors of the energy are relative to the first one, which another version has added in another order."""
    return len(ours) == len(theirs) and all(
        a == b or name in ("de", "dew") and abs(float(a) - float(b)) < 1e-13 for p, q in zip(ours, theirs) for name, a, b in zip(names, p, q))


with folder() as top:
    def path(*names):
        return os.path.join(top, *names)

    def bodies(where, name):
        run("convert", path(where, name), path("bodies.csv"), "--overwrite", "--quiet")
        with open(path("bodies.csv")) as file:
            return [line for line in file if not line.startswith("#|")]

    run("run", "--input", os.path.join(GOLDEN, "bodies.csv"), *OPTIONS, "--end", "1.5", "--output", path("whole"))
    last = max(name for name in os.listdir(path("whole")) if name.startswith("snapshot_"))
    versions = sorted(name for name in os.listdir(GOLDEN) if name.startswith("version_"))
    with open(path("whole", "restart.kyo"), "rb") as file: # docs/formats/restart.md: after the name and the byte order mark
        present = struct.unpack_from("<I", file.read(16), 12)[0]
    check(versions == [f"version_{k}" for k in range(1, present + 1)], "there is a golden file of every version", (versions, present))
    for version in versions:
        shutil.copytree(os.path.join(GOLDEN, version), path(version))
        before = rows(path(version))
        run("run", "--resume", path(version), "--end", "1.5", "--quiet", name=f"{version} is resumed")
        after = rows(path(version))
        check(after[:len(before)] == before, f"{version}: its rows are kept")
        later = [name for name in ("external", "bodies", "mass", "bound_mass", "half_mass_radius") if name not in after[0]]
        expected = rows(path("whole"), ("wall_s", *later))  # without the columns that this version did not write
        check(same(after[len(before):], expected[len(before):], expected[0]), f"{version}: the rows that follow are those of a whole run", (after[-2:], expected[-2:]))
        check(bodies(version, last) == bodies("whole", last), f"{version}: so is the last snapshot, {last}")

finish()
