#!/usr/bin/env python3
# Tables of stars without names of columns: McLuster, NBODY6 and PeTar. The rows are written here as those programs do.
import csv
import os

from tap import check, finish, folder, run

place = folder()
top = place.name
stars = [(0.5, 0.1, -0.25, 0.375, 1.5, -2.25, 3.125), (1.25, -1.5, 2.5, -3.5, 0.125, 0.25, -0.5), (3.0, 1e-6, 0.0, 4.0, 0.0, -1.0, 2.0)]


def path(name):
    return os.path.join(top, name)


def write(name, text):
    with open(path(name), "w") as file:
        file.write(text)
    return path(name)


def converted(name, *words):
    """The rows, the comments and the messages of a table as CSV."""
    said = run("convert", path(name), path("out.csv"), "--overwrite", *words, code=None)
    if said.returncode:
        return [], {}, said.stderr
    with open(path("out.csv")) as file:
        lines = file.readlines()
    about = dict(line[2:].strip().split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    return list(csv.DictReader(line for line in lines if line[0] != "#")), about, said.stderr


def same(rows, wanted=stars):
    return [tuple(float(row[c]) for c in ("mass", "x", "y", "z", "vx", "vy", "vz")) for row in rows] == [tuple(row) for row in wanted]


write("dat.10", "".join("%.16f\t%.16f %.16f %.16f\t%.16f %.16f %.16f\n" % row for row in stars))
rows, about, said = converted("dat.10")
check(same(rows) and float(about["g"]) == 1 and "no names: mass, x, y, z, vx, vy, vz" in said, "McLuster -C 5 and NBODY6: seven numbers a row", said)
rows, about, _ = converted("dat.10", "--units", "cluster")
check(same(rows) and float(about["g"]) == 0.0043009, "--units says what their units are", about)

head = "#Mass_[Msun]\tx_[pc]\t\t\ty_[pc]\t\t\tz_[pc]\t\t\tvx_[km/s]\t\tvy_[km/s]\t\tvz_[km/s]"
seven = "%8f\t%.16f\t%.16f\t%.16f\t%.16f\t%.16f\t%.16f"
write("table.txt", head + "\n" + "".join(seven % row + "\n" for row in stars))
rows, about, said = converted("table.txt")
check(same(rows) and float(about["g"]) == 0.0043009 and float(about["mass_g"]) == 1.989e33, "McLuster -C 3: solar masses, pc and km/s", said)
more = "\tMass(t=0)_[Msun]\tkw\tepoch1_[Myr]\tspin\t\tR_[Rsun]\tL_[Lsun]\tepoch_[Myr]\tZ\t\tM_V_[mag]\tV_[mag]\t\tB-V_[mag]\tT_eff_[K]\tdV_[mag]\td(B-V)"
write("sse.txt", head + more + "\n" + "".join(seven % row + "\t%8f\t\t%.0f" % (row[0], 1) + "\t%8f" % 7 * 12 + "\n" for row in stars))
rows, about, said = converted("sse.txt")
check(same(rows) and float(about["g"]) == 0.0043009, "McLuster -C 3 with SSE", said)


def petar(name, extra=0, external=0, place=False, count=3):
    real = "%26.17e "
    line = "%d %d " % (7, count) + real.strip() % 1.75 + (real * 6 % (1, 2, 3, 4, 5, 6) if place else "") + "\n"
    for k, row in enumerate(stars):
        line += real * 7 % row + "0 " + real * extra % ((8.0,) * extra) + real % 0.1 + "%d 0 0 " % (11 + k) + real * 7 % ((9.0,) * 7) + real * external % ((9.0,) * external) + "12\n"
    return write(name, line)


for extra, external, at in ((0, 0, False), (0, 1, False), (4, 0, False), (14, 0, False), (14, 1, True)):
    petar("data.1", extra, external, at)
    rows, about, said = converted("data.1")
    check(same(rows) and [row["id"] for row in rows] == ["11", "12", "13"] and float(about["time"]) == 1.75 and "as PeTar writes them" in said,
          f"PeTar with {20 + extra + external} columns" + (" and the place of the cluster" if at else ""), said)

for text, why, what in (
        (open(petar("short", count=4)).read(), "its head says 4; it is cut off\n", "a snapshot of PeTar that is cut off"),
        (open(petar("two", count=2)).read(), "has 3 rows and its head says 2\n", "a snapshot of PeTar with more rows than it says"),
        ("0 1 0\n" + "1 " * 22 + "\n", "", "a row of PeTar of 22 numbers"),
        (open(path("dat.10")).read() + "1 2 3\n", "line 4 has 3 cells", "a row that is cut off"),
        ("0.1 0.2 0.3 0 0 0 1\n-0.1 0.2 0.3 0 0 0 1\n", "line 2: mass is '-0.1'", "the mass at the end of the row"),
        (head + "\n1 2 3 4 5 6 nan\n", "", "a number that is none")):
    write("wrong.txt", text)
    rows, _, said = converted("wrong.txt")
    check(not rows and said and why in said, f"refused: {what}", said)

# From a table of McLuster to a run.
said = run("run", path("table.txt"), "--softening", "0.1", "--step", "0.01", "--steps", "2", "--output", path("run"), "--quiet")
check(said.returncode == 0 and os.path.exists(path("run/energy.csv")), "kyoho run takes such a table", said.stderr)
finish()
