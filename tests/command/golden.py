#!/usr/bin/env python3
# Restart files of every version of the format are resumed, and the run ends as one that was never stopped. Each folder
# tests/golden/version_N holds what such a program left of
#   kyoho run --input bodies.csv --softening-kind symmetric --g 2 --end 1 --step 0.0625 --every 0.25 --at 0.8125 --isa plain --threads 1
import os
import shutil

from tap import check, finish, folder, run

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
OPTIONS = ["--softening-kind", "symmetric", "--g", "2", "--step", "0.0625", "--every", "0.25", "--at", "0.8125",
           "--isa", "plain", "--threads", "1", "--quiet"]


def rows(where):
    """energy.csv without the seconds on the wall."""
    with open(os.path.join(where, "energy.csv")) as file:
        return [line.rsplit(",", 1)[0] for line in file]


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
    check(len(versions) >= 2, "there is a golden file of every version", versions)
    for version in versions:
        shutil.copytree(os.path.join(GOLDEN, version), path(version))
        before = rows(path(version))
        run("run", "--resume", path(version), "--end", "1.5", "--quiet", name=f"{version} is resumed")
        after = rows(path(version))
        check(after[:len(before)] == before, f"{version}: its rows are kept")
        check(after[len(before):] == rows(path("whole"))[len(before):], f"{version}: the rows that follow are those of a whole run",
              "\n".join(after[-2:] + rows(path("whole"))[-2:]))
        check(bodies(version, last) == bodies("whole", last), f"{version}: so is the last snapshot, {last}")

finish()
