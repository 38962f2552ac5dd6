#!/usr/bin/env python3
# kyoho groups, against groups by all pairs in Python; its files and its errors.
import json
import math
import os
import subprocess

from tap import check, finish, folder, run, run_json, skip


def rows(name):
    with open(name, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def join_all_pairs(places, length):
    root = list(range(len(places)))

    def find(i):
        while root[i] != i:
            i = root[i]
        return i
    for i, x in enumerate(places):
        for j in range(i):
            if sum((p - q) ** 2 for p, q in zip(x, places[j])) <= length * length:
                a, b = sorted((find(i), find(j)))
                root[b] = a
    groups = {}
    for i in range(len(places)):
        groups.setdefault(find(i), []).append(i)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


with folder() as where:
    def path(name):
        return os.path.join(where, name)

    # two clusters on an orbit, whose ids are not the indices in the file
    run("model", "plummer", "-n", "200", "--seed", "3", "-o", path("one.csv"))
    run("merge", path("one.csv"), path("one.csv"), "--separation", "6", "--pericentre", "1", "--softening", "0.1", "-o", path("a.csv"))
    bodies = [(float(b["mass"]), [float(b[c]) for c in "xyz"]) for b in rows(path("a.csv"))]
    length, minimum = 0.3, 8
    wanted = [group for group in join_all_pairs([x for m, x in bodies], length) if len(group) >= minimum]
    said = run_json("groups", path("a.csv"), "--linking-length", length, "--minimum", minimum, "-o", path("g.csv"))
    found = rows(path("g.csv"))
    check(len(wanted) > 1 and [int(g["bodies"]) for g in found] == [len(group) for group in wanted],
          "groups are those of all pairs, the larger ones first", (found, [len(g) for g in wanted]))
    near = True
    for row, group in zip(found, wanted):
        mass = sum(bodies[i][0] for i in group)
        centre = [sum(bodies[i][0] * bodies[i][1][c] for i in group) / mass for c in range(3)]
        radius = math.sqrt(sum(bodies[i][0] * (bodies[i][1][c] - centre[c]) ** 2 for i in group for c in range(3)) / mass)
        near &= abs(float(row["mass"]) - mass) < 1e-12 and abs(float(row["radius"]) - radius) < 1e-12
        near &= all(abs(float(row[c]) - x) < 1e-12 for c, x in zip("xyz", centre))
    check(near, "masses, centres and radii are those of all pairs")
    check(said["groups"] == len(wanted) and said["members"] == sum(map(len, wanted)) and said["n"] == 400
          and said["linking_length"] == length and said["mean_distance"] is None and said["minimum"] == minimum
          and [g["bodies"] for g in said["largest"]] == [len(group) for group in wanted][:10]
          and said["largest"][0]["mass"] == float(found[0]["mass"]) and len(said["largest"][0]["centre"]) == 3, "JSON has the same groups", said)
    head = open(path("g.csv"), encoding="utf-8").read()
    check("# linking_length: 0.2999" in head and "# minimum: 8\n" in head and "# time: 0\n" in head, "the file says how the groups were found", head[:300])

    text = run("groups", path("a.csv"), "--linking-length", length, "--minimum", minimum).stdout
    check(f"{len(wanted)} groups of 8 bodies or more, with {said['members']} of 400 bodies" in text
          and f"linking length 0.3\n" in text, "the table on the terminal", text)
    said = run_json("groups", path("one.csv"), "--linking-fraction", "0.9", "--volume", "8")
    check(abs(said["mean_distance"] - (8 / 200) ** (1 / 3)) < 1e-15 and said["linking_length"] == 0.9 * said["mean_distance"],
          "the mean distance follows from --volume", said)
    own = run_json("groups", path("one.csv"))
    check(own["minimum"] == 20 and own["linking_length"] == 0.2 * own["mean_distance"]
          and 0.5 < own["mean_distance"] / (4.19 * 0.77 ** 3 / 100) ** (1 / 3) < 1.2, "by default it follows from the bodies, and the linking length is a fifth of it", own)
    text = run("groups", path("one.csv")).stdout
    check("0.2 of the mean distance" in text and "0 groups of 20 bodies or more, with 0 of 200 bodies" in text, "a system without groups is reported", text)

    run("groups", path("a.csv"), "--linking-length", length, "--minimum", minimum, "-o", path("t.csv"), "--threads", "3", "--quiet")
    check(open(path("t.csv")).read() == head, "the same file for any number of threads")
    for engine in [d["engine"] for d in run_json("devices")["devices"] if d["usable"] and d["engine"] != "cpu"]:
        run("groups", path("a.csv"), "--linking-length", length, "--minimum", minimum, "-o", path("e.csv"), "--engine", engine, "--overwrite")
        check(open(path("e.csv")).read() == head, f"the same file from {engine}")

    # HDF5
    if "HDF5: yes" in run("--version").stdout:
        for name in "g.hdf5", "h.h5":
            run("groups", path("a.csv"), "--linking-length", length, "--minimum", minimum, "-o", path(name), "--quiet")
        data = open(path("g.hdf5"), "rb").read()
        check(data.startswith(b"\x89HDF") and data == open(path("h.h5"), "rb").read(), "the same groups give the same HDF5 file")
        check("catalogue of groups" in run("info", path("g.hdf5"), code=4).stderr, "info says that a catalogue is not a snapshot")
        try:
            import h5py
        except ImportError:
            skip("h5py reads the catalogue", "h5py is not installed")
        else:
            with h5py.File(path("g.hdf5")) as file:
                lengths, offsets = list(file["Group/GroupLen"]), list(file["Group/GroupOffset"])
                check(lengths == [len(group) for group in wanted] and offsets == [sum(lengths[:k]) for k in range(len(lengths))]
                      and file["Group/GroupPos"].shape == (len(wanted), 3) and len(file["IDs/ID"]) == sum(lengths)
                      and file["Header"].attrs["LinkingLength"] == length, "h5py reads the catalogue")
    else:
        check("HDF5" in run("groups", path("a.csv"), "-o", path("g.hdf5"), code=3).stderr, "HDF5 is refused where it is missing")

    # wrong usage and bad files give one line and a code, and nothing is written
    open(path("cut.csv"), "w").write(open(path("a.csv")).read()[:-30])
    run("model", "plummer", "-n", "100", "-o", path("p.tipsy"), "--quiet")
    open(path("cut.tipsy"), "wb").write(open(path("p.tipsy"), "rb").read()[:-100])
    open(path("same.csv"), "w").write("mass,x,y,z,vx,vy,vz\n" + "1,0,0,0,0,0,0\n" * 3)
    open(path("nan.csv"), "w").write("mass,x,y,z,vx,vy,vz\n1,nan,0,0,0,0,0\n")
    os.symlink("/dev/full", path("full.csv"))
    a = path("a.csv")
    for words, code, says in [
        ([a, "--linking-length", "0"], 2, "above 0"),
        ([a, "--linking-length", "-1"], 2, "range"),
        ([a, "--linking-length", "nan"], 2, "not a number"),
        ([a, "--linking-length", "1", "--linking-fraction", "0.3"], 2, "leave out"),
        ([a, "--linking-length", "1", "--volume", "3"], 2, "leave out"),
        ([a, "--linking-fraction", "0"], 2, "above 0"),
        ([a, "--minimum", "0"], 2, "range"),
        ([a, "--minimum", "2.5"], 2, "whole number"),
        ([a, "--linking-lenght", "1"], 2, "--linking-length"),
        ([a, "--overwrite"], 2, "without -o FILE"),
        ([a, "-o", path("x.txt")], 2, ".hdf5, .h5 or .csv"),
        ([a, "-o", "-"], 2, "standard output"),
        ([a, "-o", path("g.csv")], 2, "--overwrite"),
        ([a, "-o", a, "--overwrite"], 2, "is the input"),
        ([], 2, "no bodies"),
        ([a, "--types", "9"], 2, "types"),
        ([path("none.csv")], 4, "none.csv"),
        ([path("cut.csv")], 4, "cut.csv"),
        ([path("cut.tipsy")], 4, "cut.tipsy"),
        ([path("nan.csv")], 4, "nan"),
        ([path("same.csv")], 4, "give a linking length or a volume"),
        ([a, "-o", path("no/g.csv")], 7, "no/g.csv"),
        ([a, "-o", path("full.csv"), "--overwrite"], 7, "full.csv"),
    ]:
        before = {name: os.lstat(path(name)).st_mtime for name in os.listdir(where)}
        process = run("groups", *words, code=code)
        check(len([x for x in process.stderr.splitlines() if not x.startswith("engine ")]) == 1 and says in process.stderr
              and before == {name: os.lstat(path(name)).st_mtime for name in os.listdir(where)},
              f"code {code}: {' '.join(os.path.basename(w) for w in words)}", process.stderr)
    error = json.loads(run("groups", path("none.csv"), "--json", code=4).stdout)
    check(error["code"] == 4 and "none.csv" in error["error"], "a missing file, as JSON")
    full = open("/dev/full", "w")
    process = subprocess.run([os.environ.get("KYOHO", "build/kyoho"), "groups", a, "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
    check(process.returncode == 7 and "standard output" in process.stderr, "a standard output that is full", process)
    said = run_json("groups", path("same.csv"), "--linking-length", "1e-300", "--minimum", "1")
    check(said["groups"] == 1 and said["largest"][0]["radius"] == 0, "bodies in one place are one group", said)
finish()
