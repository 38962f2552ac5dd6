#!/usr/bin/env python3
"""kyoho verify: the same bits of a run that is run again, and files in which one digit was changed."""
import glob
import os
import shutil

from tap import check, finish, folder, run, run_json

STEPS = ["--step", "0.03125", "--end", "0.25", "--every", "0.125", "--quiet"]


def edit(path, old, new):
    with open(path, "rb") as file:
        text = file.read()
    with open(path, "wb") as file:
        file.write(text.replace(old, new, 1))
    return old in text


def same(place):
    """Runs of a model and of a file, whole, resumed, and with steps of their own."""
    source = os.path.join(place, "bodies.csv")
    run("model", "plummer", "-n", "60", "--seed", "5", "-o", source, "--quiet")
    runs = {"model": ["--model", "plummer", "-n", "150", "--force", "tree"], "file": ["--input", source, "--softening", "0.1"],
            "blocks": ["--model", "plummer", "-n", "100", "--integrator", "block"],
            "few": ["--model", "plummer", "-n", "10", "--integrator", "few"], "periodic": ["--model", "uniform-cube", "-n", "100", "--box", "1", "--softening", "0.01"]}
    for name, words in runs.items():
        path = os.path.join(place, name)
        run("run", *words, *STEPS, "--output", path)
        said = run("verify", path)
        check(said.stdout.endswith("all 4 files have the same bits\n") and said.stdout.count("same     ") == 4, f"a run again: {name}", said.stdout)
        check(sorted(os.listdir(place)).count(name + ".verify") == 0, "the second run is removed")
    path = os.path.join(place, "model")
    run("run", "--resume", path, "--end", "0.5", "--quiet")
    check(run_json("verify", path) == {"files": 6, "different": 0}, "a run that was resumed")
    other = os.path.join(place, "kept")
    run("verify", path + "/", "--keep", other)
    check(len(glob.glob(other + "/snapshot_*")) == 5, "--keep keeps the second run")
    said = run("verify", path, "--keep", other, code=2).stderr
    check("exists" in said and os.path.isdir(other), "--keep takes no folder that exists", said)
    said = run("verify", path, "--keep", os.path.join(path, "second")).stdout
    check("all 6 files have the same bits" in said, "--keep takes a folder within the first one", said)
    shutil.rmtree(os.path.join(path, "second"))
    return path


def different(place, path):
    """A digit of a row, a byte of a snapshot, a file too many, another seed."""
    for name, change, text in (
            ("row", lambda one: edit(one + "/energy.csv", b"\n0.125,4,0", b"\n0.125,4,1"), "1 of 6 files differ, first energy.csv, from step 4 on (step 3 is the same)"),
            ("snapshot", lambda one: edit(one + "/snapshot_0002.hdf5", read(path + "/snapshot_0002.hdf5")[-9:-1], b"12345678"), "1 of 6 files differ, first snapshot_0002.hdf5"),
            ("more", lambda one: shutil.copy(one + "/energy.csv", one + "/escapers.csv"), "1 of 7 files differ, first escapers.csv"),
            ("seed", lambda one: edit(one + "/run.json", b'"seed": 1,\n    "model"', b'"seed": 2,\n    "model"'), "differ")):
        one = os.path.join(place, "a-" + name)
        shutil.copytree(path, one)
        check(change(one), f"{name} is changed")
        said = run("verify", one, code=4)
        check(text in said.stderr and len(said.stderr.splitlines()) == 1, f"verify sees another {name}", said.stderr + said.stdout)
    told = run_json("verify", os.path.join(place, "a-row"), code=4)
    check(told["code"] == 4 and "from step 4 on" in told["error"], "--json has one object", told)


def stopped(place):
    """A run that a condition has stopped stops again; one that the clock has stopped has to be finished first."""
    for name, words in (("box", ["--stop-box", "1.2", "-n", "100", "--end", "4"]), ("wall", ["--max-wall", "0.2", "-n", "2000", "--step", "0.0001", "--end", "1"])):
        run("run", "--model", "plummer", *words, "--every", "0.0625", "--output", os.path.join(place, name), "--quiet", code=6)
    said = run("verify", os.path.join(place, "box"))
    check("files have the same bits" in said.stdout, "a run that a condition has stopped", said.stdout)
    said = run("verify", os.path.join(place, "wall"), code=2).stderr
    check("stopped early by --max-wall" in said and "kyoho run --resume" in said, "a run that the clock has stopped", said)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def refused(place, path):
    said = run("verify", os.path.join(place, "none"), code=4).stderr
    check("run.json cannot be read" in said, "a folder that is not there", said)
    broken = os.path.join(place, "broken")
    shutil.copytree(path, broken)
    edit(broken + "/run.json", b'"outcome": "done"', b'"outcome": "running"')
    said = run("verify", broken, code=2).stderr
    check("has not come to its end (running)" in said, "a run that has not ended", said)
    long = os.path.join(place, "l" * 250)  # with .verify it is too long for a name
    shutil.copytree(path, long)
    said = run("verify", long, code=7).stderr
    check("--keep FOLDER" in said and len(said.splitlines()) == 1, "where no second run can be written, one line names --keep", said)
    left = [name for name in os.listdir(place) if name.endswith(".verify")]
    check(not left, "no second run is left behind", left)


with folder() as top:
    whole = same(top)
    different(top, whole)
    refused(top, whole)
    stopped(top)
finish()
