#!/usr/bin/env python3
# Columns of energy.csv about groups of hermite4: how many bodies are in groups, the energy within them, for G = 2, and what changes
# the total energy; the same after a run is continued and with ranks; none without groups.
import csv
import math

from tap import check, finish, folder, run

place = folder()
A, G = 1e-3, 2
SPEED = math.sqrt(G / A)


def path(name):
    return place.name + "/" + name


def table(name):
    with open(path(name + "/energy.csv")) as file:
        return [{key: value for key, value in row.items() if key != "wall_s"} for row in csv.DictReader(file)]


def write(name, bodies):
    with open(path(name), "w") as file:
        file.write("mass,x,y,z,vx,vy,vz\n" + "".join(",".join(map(repr, body)) + "\n" for body in bodies))


def go(name, end, *more, start="three.csv", every=0.0625):
    run("run", path(start), "--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--g", str(G), "--step", str(every / 4),
        "--every", str(every), "--end", str(end), "--output", path(name), "--quiet", *more)
    return table(name)


def book(rows):
    """Changes of the energy by hand-overs, by slow-down, and the rest."""
    changes = []
    for row in rows:
        by_groups, work, slow = (float(row[key]) for key in ("handover_work", "slow_work", "slow_energy"))
        changes.append((by_groups, work - slow, float(row["energy"]) - float(rows[0]["energy"]) - by_groups - work + slow))
    return changes


# A circular pair of 0.5 and 0.5, and a body of 0.1 at the distance 1 that falls.
write("three.csv", [(0.5, A / 2, 0, 0, 0, SPEED / 2, 0), (0.5, -A / 2, 0, 0, 0, -SPEED / 2, 0), (0.1, 0, 1, 0, 0, 0, 0)])

rows = go("whole", 0.125, "--group-radius", "0.01")
check([row["grouped"] for row in rows] == ["0"] + ["2"] * (len(rows) - 1), "the pair is a group from the first step on",
      str([row["grouped"] for row in rows]))
wanted = -G * 0.25 / (2 * A)
check(float(rows[0]["group_energy"]) == 0 and all(abs(float(row["group_energy"]) / wanted - 1) < 1e-9 for row in rows[1:]),
      "the energy within groups is that of the pair", str([row["group_energy"] for row in rows]))
rest = [float(row["energy"]) - float(row["group_energy"]) for row in rows[1:]]
check(all(abs(one + G * 0.1) < 1e-6 for one in rest), "the rest is the energy of the pair's centre and the third body", str(rest))

go("parts", 0.0625, "--group-radius", "0.01")
run("run", "--resume", path("parts"), "--end", "0.125", "--quiet")
check(table("parts") == rows, "a continued run has the same rows", str(table("parts")))

ranks = go("ranks", 0.0625, "--group-radius", "0.01", "--ranks", "3")
check(len(ranks) > 2 and ranks == rows[:len(ranks)], "three ranks have the same rows", str(ranks))
run("run", "--resume", path("ranks"), "--end", "0.125", "--ranks", "2", "--quiet")
check(table("ranks") == rows, "two ranks continue with the same rows", str(table("ranks")))

# The same pair, whose centre pulls in place of its members, with a body at 0.3. The energy follows the tides.
write("tides.csv", [(0.5, A / 2, 0, 0, 0, SPEED / 2, 0), (0.5, -A / 2, 0, 0, 0, -SPEED / 2, 0), (0.1, 0, 0.3, 0, 0, 0, 0)])
changes = book(go("tides", 0.0625, "--group-radius", "0.01", "--eta", "0.0001", start="tides.csv", every=0.015625))
check(max(abs(one[0]) for one in changes) > 1e-7 and max(abs(one[2]) for one in changes) < 1e-11,
      "the energy changes by the work of hand-overs and by rounding", str(changes))

# A pair that is slowed down, and a third body around it, in one group; the fourth body gives the cluster its energy.
R, V = 1e-2, math.sqrt(0.8 * G / 1e-2)
a = 1.3e-4
v = math.sqrt(0.6 * G * 0.7 / a)
write("triple.csv", [(0.3, a / 2, 0, 0, 0, v / 2 - 0.4 * V, 0), (0.3, -a / 2, 0, 0, 0, -v / 2 - 0.4 * V, 0),
                     (0.4, 0.8 * R, 0, 0.6 * R, 0, 0.6 * V, 0), (0.1, 0, 50, 0, 30, 0, 0)])
rows = go("triple", 0.03125, "--group-radius", "0.06", "--eta", "0.0001", start="triple.csv", every=0.00390625)
changes = book(rows)
check(all(row["grouped"] == "3" for row in rows[1:]) and any(abs(float(row["slow_energy"])) > 100 for row in rows),
      "the pair in a triple is slowed down", str(rows))
check(max(abs(one[1]) for one in changes) > 1e-5 and max(abs(one[2]) for one in changes) < 1e-8,
      "the energy changes by slow-down and by the errors of steps", str(changes))

check("grouped" not in go("none", 0.0625, "--group-radius", "0")[0], "without groups there are no such columns")

finish()
