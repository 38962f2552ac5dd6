#!/usr/bin/env python3
# The output, files and errors of kyoho binaries and kyoho profile. unit/binaries.c and unit/profile.c test the numbers.
import json
import math
import os

from tap import check, finish, folder, run, run_json, skip, table


with folder() as where:
    def path(name):
        return os.path.join(where, name)

    # a pair with a third body about it, far from another pair; the units of a cluster, G = 0.0043009
    with open(path("four.csv"), "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n10,3,0,0,0,0,0,0\n11,1,0.001,0,0,0,3,0\n12,1,0.1,0,0,0,0.3,0\n20,1,9,0,0,0,0,0\n21,1,9.01,0,0,0,0.5,0\n")
    said = run_json("binaries", path("four.csv"), "--units", "cluster", "-o", path("four-out.csv"))
    rows = said["binaries"]
    check([(row["first"], row["second"]) for row in rows] == [(10, 11), (20, 21)] or [(row["first"], row["second"]) for row in rows] == [(20, 21), (10, 11)],
          "the inner two of a triple, and the other pair", rows)
    inner = next(row for row in rows if row["first"] == 10)
    gm = said["units"]["g"] * 4
    axis = 1 / (2 / 0.001 - 9 / gm)
    check(abs(inner["semi_major_axis"] / axis - 1) < 1e-9 and abs(inner["period"] / (2 * math.pi * math.sqrt(axis ** 3 / gm)) - 1) < 1e-9
          and abs(inner["eccentricity"] - (1 - 0.001 / axis if axis > 0.001 else 0.001 / axis - 1)) < 1e-9
          and abs(inner["energy"] / (-gm * 3 / 4 / (2 * axis)) - 1) < 1e-9 and inner["first_mass"] == 3 and inner["second_mass"] == 1,
          "elements with the G of the units", inner)
    written = table(path("four-out.csv"))
    check([float(row["period"]) for row in written] == [row["period"] for row in rows] and "pc" in open(path("four-out.csv")).read().splitlines()[1],
          "the file has the same numbers, with their units", written)
    text = run("binaries", path("four.csv"), "--units", "cluster")
    check("2 binaries of 5 bodies" in text.stdout and "yr" in text.stdout and "km²/s²" in text.stdout and "no softening is known" in text.stderr, "as text, with units",
          text.stdout + text.stderr)
    lines = text.stdout.splitlines()[1:5]
    check(len(lines) == 4 and len({len(line) for line in lines}) == 1 and lines[1].split()[-1] != lines[2].split()[-1], "names, units and numbers end in the same columns", text.stdout)
    text = run("binaries", path("four.csv")).stdout
    check("binaries" in text or "binary" in text, "without units", text)
    check(all((row["first"], row["second"]) != (10, 11) for row in run_json("binaries", path("four.csv"), "--softening", "100")["binaries"]), "a softening that is larger than the orbit unbinds it")

    # two close pairs and a wide one, whose period is 1e5 times as long
    with open(path("wide.csv"), "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n1,1,0,0,0,0,0,0\n2,1,0.001,0,0,0,2,0\n3,1,900,0,0,0,0,0\n4,1,900.001,0,0,0,2,0\n5,1,0,9000,0,0,0,0\n6,1,5,9000,0,0,0.03,0\n")
    lines = [line.split() for line in run("binaries", path("wide.csv"), "--units", "cluster").stdout.splitlines()]
    header = next(k for k, line in enumerate(lines) if line[0] == "time")
    periods = [float(line[lines[header].index("period")]) for line in lines[header + 2:]]
    check(len(periods) == 3 and "kyr" in lines[header + 1] and sum(0.1 < period < 100 for period in periods) == 2,
          "periods are in the unit that suits most of them, not the longest one", lines)

    # 2 + 2, 3 + 1, a pair and single bodies, far from each other and receding: the elements of each orbit are the ones it was made of
    def orbit(m, a, e, place, speed, axis):  # both bodies at the apocentre
        r, v = [0, 0, 0], [0, 0, 0]
        r[axis], v[(axis + 1) % 3] = a * (1 + e), math.sqrt(sum(m) * (1 - e) / (a * (1 + e)))
        return [([x + f * y for x, y in zip(place, r)], [x + f * y for x, y in zip(speed, v)]) for f in (-m[1] / sum(m), m[0] / sum(m))]

    two = orbit((1.5, 1.2), 1, 0.3, (0, 0, 0), (0, 0, 0), 0)
    four = orbit((1.6, 0.2), 10, 0.25, (100, 0, 0), (5, 0, 0), 2)
    three = orbit((1, 0.6), 0.5, 0.1, *four[0], 1)
    bodies = [*zip((1, 0.5), orbit((1, 0.5), 0.01, 0.2, *two[0], 1)), *zip((0.8, 0.4), orbit((0.8, 0.4), 0.02, 0.4, *two[1], 2)),
              *zip((0.7, 0.3), orbit((0.7, 0.3), 0.01, 0.5, *three[0], 0)), (0.6, three[1]), (0.2, four[1]),
              *zip((1, 1), orbit((1, 1), 0.05, 0.1, (0, 200, 0), (0, 5, 0), 0)), (1, ((0, 0, 300), (0, 0, 5))), (1, ((0, 0, -300), (0, 0, -5)))]
    with open(path("many.csv"), "w") as file:
        file.write("id,mass,x,y,z,vx,vy,vz\n")
        file.writelines(f"{k + 10},{m},{','.join(map(repr, [*x, *v]))}\n" for k, (m, (x, v)) in enumerate(bodies))
    rows = run_json("binaries", path("many.csv"), "--softening", "0", "--hierarchies")["binaries"]
    wanted = [(10, 11, 1, 1, 0.01, 0.2, 1.5), (14, 15, 1, 1, 0.01, 0.5, 1), (18, 19, 1, 1, 0.05, 0.1, 2), (12, 13, 1, 1, 0.02, 0.4, 1.2),
              (10, 12, 2, 2, 1, 0.3, 2.7), (14, 16, 2, 1, 0.5, 0.1, 1.6), (14, 17, 3, 1, 10, 0.25, 1.8)]
    check(len(rows) == 7 and all((r["first"], r["second"], r["first_bodies"], r["second_bodies"]) == w[:4] and abs(r["semi_major_axis"] / w[4] - 1) < 1e-9
                                 and abs(r["eccentricity"] - w[5]) < 1e-9 and abs(r["first_mass"] + r["second_mass"] - w[6]) < 1e-12
                                 for r, w in zip(rows, wanted)), "--hierarchies lists a triple within a quadruple, and 2 + 2", rows)
    plain = run_json("binaries", path("many.csv"), "--softening", "0")["binaries"]
    check([{name: row[name] for name in plain[0]} for row in rows[:4]] == plain and "first_bodies" not in plain[0], "without it only the binaries, which are the same", plain)
    said = run("binaries", path("many.csv"), "--softening", "0", "--hierarchies")
    check("4 binaries of 12 bodies" in said.stdout and "and 3 orbits of binaries" in said.stdout and said.stderr.count("engine") == 1, "as text", said.stdout + said.stderr)
    check(run_json("binaries", "--model", "plummer", "-n", "1", "--hierarchies")["binaries"] == [] and len(run_json("binaries", "--model", "two-body", "--hierarchies")["binaries"]) == 1,
          "one body and two")

    # the snapshots of a run
    run("run", "--model", "two-body", "--eccentricity", "0.5", "--softening", "0.05", "--step", "0.0078125", "--end", "1", "--every", "0.5", "--output", path("run"),
        "--engine", "cpu", "--quiet")
    rows = run_json("binaries", path("run"))["binaries"]
    check([row["time"] for row in rows] == [0, 0.5, 1] and all(abs(row["semi_major_axis"] - 1) < 1e-3 and abs(row["eccentricity"] - 0.5) < 1e-3 for row in rows),
          "every snapshot of a run, with the run's softening", rows)
    check(run("binaries", path("run")).stdout.count("1 binary of 2 bodies") == 3, "a line for each snapshot")
    check(run_json("binaries", "--model", "plummer", "-n", "1")["binaries"] == [], "a single body")
    for words, code, says in [
        (["binaries", path("four.csv"), "-o", path("four.csv")], 2, "--overwrite"),
        (["binaries", path("four.csv"), "-o", path("x.hdf5")], 2, ".csv"),
        (["binaries"], 2, "no bodies"),
        (["binaries", path("four.csv"), "--overwrite"], 2, "-o FILE.csv"),
        (["binaries", path("four.csv"), "--theta", "1"], 2, "theta"),
        (["binaries", path("none.csv")], 4, "none.csv"),
        (["binaries", where], 4, "no snapshots"),
        (["profile", path("four.csv"), "--inner", "2", "--outer", "1"], 2, "--outer must be the larger"),
        (["profile", path("four.csv"), "--centre-x", "2"], 2, "three numbers"),
        (["profile", path("four.csv"), "--shells", "0"], 2, "range"),
        (["profile", path("four.csv"), "--width", "100"], 2, "-o FILE"),
        (["profile", path("four.csv"), "-o", path("p.csv"), "--width", "100"], 2, ".png"),
        (["profile", path("four.csv"), "-o", path("four.csv")], 2, "--overwrite"),
        (["profile", "--model", "plummer", "-n", "1"], 4, "unit of length; give --inner and --outer"),
        (["profile", path("run")], 4, "unit of length; give --inner and --outer"),
    ]:
        process = run(*words, code=code)
        check(says in process.stderr, f"code {code}: {' '.join(os.path.basename(w) for w in words)}", process.stderr)

    run("model", "plummer", "-n", "3000", "--units", "cluster", "--mass", "1000", "--radius", "2", "-o", path("cluster.csv"))
    said = run_json("profile", path("cluster.csv"), "--shells", "8", "-o", path("profile.csv"))
    shells = said["shells"]
    check(len(shells) == 8 and all(a["outer"] == b["inner"] for a, b in zip(shells, shells[1:])) and 980 < shells[-1]["enclosed_mass"] < 995
          and all(abs(row["circular_speed"] ** 2 * row["outer"] / (said["units"]["g"] * row["enclosed_mass"]) - 1) < 1e-9 for row in shells)
          and sum(row["bodies"] for row in shells) > 2900, "shells of a cluster", shells)
    check([float(row["density"]) for row in table(path("profile.csv"))] == [row["density"] for row in shells], "the file has the same numbers")
    text = run("profile", path("cluster.csv"), "--shells", "8").stdout
    check(text.count("\n") == 11 and "Msun/pc³" in text and "km/s" in text, "as text, with units", text)
    if "PNG: yes" in run("--version").stdout:
        run("profile", path("cluster.csv"), "-o", path("profile.png"), "--width", "300", "--height", "600", "--quiet")
        check(open(path("profile.png"), "rb").read(8) == b"\x89PNG\r\n\x1a\n", "a plot")
        run("profile", path("four.csv"), "--inner", "1e-4", "--outer", "20", "--shells", "3", "-o", path("few.png"), "--quiet")  # no anisotropy anywhere
        check(os.path.getsize(path("few.png")) > 1000, "a plot of few bodies, without an anisotropy")
    else:
        skip("a plot", "no PNG here")
    run("run", "--input", path("cluster.csv"), "--step", "1kyr", "--steps", "2", "--every", "1kyr", "--output", path("folder"), "--softening", "0.01pc", "--quiet")
    last = run_json("profile", path("folder"))
    check(last == run_json("profile", path("folder/snapshot_0002.hdf5")) and last["time"] > 0, "profile of a folder is that of its last snapshot", last["time"])
    os.mkdir(path("nothing"))
    check("no snapshots" in run("profile", path("nothing"), code=4).stderr, "a folder without snapshots is an error")
    error = json.loads(run("profile", path("none.csv"), "--json", code=4).stdout)
    check(error["code"] == 4, "a missing file, as JSON", error)
finish()
