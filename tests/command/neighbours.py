#!/usr/bin/env python3
# kyoho neighbours and kyoho density, against loops over all pairs in Python.
import json
import math
import os

from tap import check, finish, folder, run, run_json, skip


def rows(name):
    with open(name, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def spline(q):
    return 1 - 6 * q * q + 6 * q ** 3 if q <= 0.5 else 2 * (1 - q) ** 3 if q <= 1 else 0


def distance(x, y):
    """Added in the order of the library; sum() of Python 3.12 and later rounds once, at the end."""
    dx, dy, dz = (p - q for p, q in zip(x, y))
    return math.sqrt(dx * dx + dy * dy + dz * dz)


with folder() as where:
    def path(name):
        return os.path.join(where, name)

    run("model", "plummer", "-n", "400", "--seed", "3", "-o", path("a.csv"))
    # ids that are not the indices in the file
    lines = open(path("a.csv"), encoding="utf-8").read().splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("id,"))
    for k in range(head + 1, len(lines)):
        number, rest = lines[k].split(",", 1)
        lines[k] = f"{1000 - 2 * int(number)},{rest}"
    with open(path("a.csv"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    bodies = [(b["id"], float(b["mass"]), [float(b[c]) for c in "xyz"]) for b in rows(path("a.csv"))]
    radius, k = 0.4, 20
    wanted, densities, lengths = {}, {}, {}
    for one, mass, x in bodies:
        near = [(sum((p - q) ** 2 for p, q in zip(x, y)), other, m) for other, m, y in bodies if other != one]
        wanted[one] = [other for r2, other, m in near if r2 <= radius * radius]
        h = lengths[one] = math.sqrt(sorted(near)[k - 1][0])
        densities[one] = 8 / (math.pi * h ** 3) * (mass + sum(m * spline(math.sqrt(r2) / h) for r2, other, m in near))

    said = run_json("neighbours", path("a.csv"), "--radius", radius, "-o", path("n.csv"), "--lists")
    found = rows(path("n.csv"))
    check([b["id"] for b in found] == [b[0] for b in bodies], "a row for each body, in the order of the file")
    check(all(b["neighbours"].split() == wanted[b["id"]] for b in found), "lists are those of all pairs, by id")
    check(all(int(b["count"]) == len(wanted[b["id"]]) for b in found), "counts are those of all pairs")
    counts = sorted(len(w) for w in wanted.values())
    check(said["n"] == 400 and said["neighbours"] == sum(counts) and said["alone"] == counts.count(0)
          and said["count"]["max"] == counts[-1] and said["count"]["min"] == counts[0]
          and abs(said["count"]["mean"] - sum(counts) / 400) < 1e-9 and said["count"]["median"] == counts[200],
          "JSON has the statistics of the counts", said)
    check(said["engine"] and said["seconds"]["total"] >= said["seconds"]["walk"] > 0, "JSON has the engine and the seconds", said)

    run("neighbours", path("a.csv"), "--radius", radius, "-o", path("c.csv"))
    check([(b["id"], b["count"]) for b in rows(path("c.csv"))] == [(b["id"], b["count"]) for b in found]
          and "neighbours" not in rows(path("c.csv"))[0], "without --lists there are counts alone")
    run("neighbours", path("a.csv"), "--radius", radius, "-o", path("t.csv"), "--lists", "--threads", "3")
    check(open(path("t.csv")).read() == open(path("n.csv")).read(), "the same for any number of threads")
    said = run_json("neighbours", path("a.csv"), "--nearest", 3, "-o", path("k.csv"))
    closest = {one: sorted((distance(x, y), other) for other, _, y in bodies if other != one)[:3] for one, _, x in bodies}
    found = rows(path("k.csv"))
    check(all([(float(d), j) for d, j in zip(b["distances"].split(), b["nearest"].split())] == closest[b["id"]] for b in found) and len(found) == 400,
          "--nearest lists the nearest bodies with their distances, in their order")
    check(said["nearest"] == 3 and said["last_distance"]["max"] == max(near[2][0] for near in closest.values())
          and said["first_distance"]["min"] == min(near[0][0] for near in closest.values()), "JSON has the statistics of the distances", said)
    for words in (("--nearest", "400"), ("--nearest", "3", "--radius", "1"), ("--nearest", "3", "--lists"), ()):
        check(run("neighbours", path("a.csv"), *words, code=2).stderr.count("\n") == 1, f"neighbours {' '.join(words)} is refused")
    text = run("neighbours", "--model", "uniform-cube", "-n", "500", "--radius", "0.1").stdout
    check("500 bodies" in text and "without neighbours" in text, "a model in memory", text)
    check(run_json("neighbours", path("a.csv"), "--radius", "0")["neighbours"] == 0, "radius 0")
    check(run_json("neighbours", path("a.csv"), "--radius", "1e6")["neighbours"] == 400 * 399, "a radius past everything")

    said = run_json("density", path("a.csv"), "--neighbours", k, "-o", path("d.csv"))
    found = rows(path("d.csv"))
    check([b["id"] for b in found] == [b[0] for b in bodies]
          and all(abs(float(b["density"]) / densities[b["id"]] - 1) < 1e-12
                  and abs(float(b["smoothing"]) / lengths[b["id"]] - 1) < 1e-14 for b in found),
          "densities and smoothing lengths are those of all pairs")
    check(said["neighbours"] == k and abs(said["density"]["max"] / max(densities.values()) - 1) < 1e-12
          and abs(said["smoothing"]["min"] / min(lengths.values()) - 1) < 1e-12, "JSON has the statistics of densities and smoothing lengths", said)
    check("density" in run("density", "--model", "king", "-n", "100").stdout, "density of a model in memory")

    # every device gives the same files
    usable = [d["engine"] for d in run_json("devices")["devices"] if d["usable"] and d["engine"] != "cpu"]
    if not usable:
        skip("devices give the same files", "no CUDA or OpenCL device here")
    for engine in usable:
        said = run_json("neighbours", path("a.csv"), "--radius", radius, "-o", path("e.csv"), "--lists", "--engine", engine,
                        "--overwrite")
        check(open(path("e.csv")).read() == open(path("n.csv")).read() and said["engine"] == engine.split(":")[0],
              f"the same lists from {engine}", said)
        run("density", path("a.csv"), "--neighbours", k, "-o", path("e.csv"), "--engine", engine, "--overwrite")
        check(all(a["id"] == b["id"] and abs(float(a["density"]) / float(b["density"]) - 1) < 1e-12
                  for a, b in zip(rows(path("e.csv")), found)), f"densities from {engine}")

    # wrong usage gives one line and code 2, and nothing is written
    for words, says in [
        (["neighbours", path("a.csv")], "--radius"),
        (["neighbours", path("a.csv"), "--radius", "-1"], "range"),
        (["neighbours", path("a.csv"), "--radius", "nan"], "not a number"),
        (["neighbours", path("a.csv"), "--radius", "1", "--lists"], "-o"),
        (["neighbours", path("a.csv"), "--radius", "1", "-o", path("x.hdf5")], ".csv"),
        (["neighbours", path("a.csv"), "--radius", "1", "-o", path("n.csv")], "--overwrite"),
        (["neighbours", "--radius", "1"], "no bodies"),
        (["density", path("a.csv"), "--neighbours", "400"], "399"),
        (["density", path("a.csv"), "--neighbours", "0"], "range"),
        (["density", path("a.csv"), "--neigbours", "9"], "--neighbours"),
        (["density", "--model", "plummer", "-n", "1", "--neighbours", "1"], "neighbours"),
    ]:
        before = {name: os.path.getmtime(path(name)) for name in os.listdir(where)}
        process = run(*words, code=2)
        check(len([x for x in process.stderr.splitlines() if not x.startswith("engine ")]) == 1 and says in process.stderr
              and before == {name: os.path.getmtime(path(name)) for name in os.listdir(where)},
              f"code 2: {' '.join(os.path.basename(w) for w in words)}", process.stderr)
    error = json.loads(run("density", path("none.csv"), "--json", code=4).stdout)
    check(error["code"] == 4 and "none.csv" in error["error"], "a missing file, as JSON")
    run("neighbours", path("a.csv"), "--radius", radius, "-o", path("no/n.csv"), code=7)
    output = run("neighbours", "--model", "plummer", "-n", "2", "--radius", "100", "-o", path("n.csv"), "--overwrite", "--quiet")
    check(not output.stdout and [b["count"] for b in rows(path("n.csv"))] == ["1", "1"], "--overwrite and --quiet, two bodies")

top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
page = open(os.path.join(top, "docs/general-walk.md"), encoding="utf-8").read()
for name in "tests/unit/enclosed.h", "tests/unit/peers.h":
    example = open(os.path.join(top, name), encoding="utf-8").read()
    check(example in page, f"docs/general-walk.md shows the action that is tested, {name}")
finish()
