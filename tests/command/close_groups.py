#!/usr/bin/env python3
# Columns of energy.csv about groups of hermite4: how many bodies are in groups, and the energy within them, for G = 2; the same
# after a run is continued; none without groups.
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


def go(name, end, *more):
    run("run", path("three.csv"), "--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--g", str(G), "--step", "0.015625",
        "--every", "0.0625", "--end", str(end), "--output", path(name), "--quiet", *more)
    return table(name)


# A circular pair of 0.5 and 0.5, and a body of 0.1 at the distance 1 that falls.
with open(path("three.csv"), "w") as file:
    file.write("mass,x,y,z,vx,vy,vz\n")
    file.write(f"0.5,{A / 2},0,0,0,{SPEED / 2},0\n0.5,{-A / 2},0,0,0,{-SPEED / 2},0\n0.1,0,1,0,0,0,0\n")

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

check("grouped" not in go("none", 0.0625, "--group-radius", "0")[0], "without groups there are no such columns")

finish()
