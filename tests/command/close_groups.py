#!/usr/bin/env python3
# Columns of energy.csv about groups of hermite4: how many bodies are in groups, the energy within them, for G = 2, and what changes
# the total energy; the same after a run is continued and with ranks; none without groups; groups in external fields; pairs that escape;
# contacts within groups; a run after SIGKILL. In check-all the same on a device.
import csv
import math
import os
import shutil
import signal
import subprocess

from tap import KYOHO, check, finish, folder, run, run_json, wait_for

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


def go(name, end, *more, start="three.csv", every=0.0625, g=G):
    run("run", path(start), "--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--g", str(g), "--step", str(every / 4),
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

# A pair on an orbit in a field, whose tides change its orbit: as by the Hermite scheme without groups and with short steps. The book of
# energies has the field's tides.
M, A3, E = 1e-3, 0.01, 0.3
r = A3 * (1 + E)
v = math.sqrt(M * (1 - E) / r)
write("orbit.csv", [(0.6 * M, 1 - 0.4 * r, 0, 0, 0, 0.9 - 0.32 * v, -0.24 * v), (0.4 * M, 1 + 0.6 * r, 0, 0, 0, 0.9 + 0.48 * v, 0.36 * v)])
orbits = {}
for name, words in (("field", ["--group-radius", "0.05"]), ("short", ["--group-radius", "0", "--eta", "2e-5"])):
    rows = go(name, 0.5, *words, "--field", "point:mass=1", start="orbit.csv", g=1)
    bodies = place.table(place.convert(name))
    d, w = ([float(bodies[1][a + c]) - float(bodies[0][a + c]) for c in "xyz"] for a in ("", "v"))
    r, v2, rv = math.hypot(*d), sum(c * c for c in w), sum(a * b for a, b in zip(d, w))
    orbits[name] = [A3 * (2 / r - v2 / M)] + [a * (v2 / M - 1 / r) - b * rv / M for a, b in zip(d, w)]
    if name == "field":
        changes = book(rows)
        check(all(row["grouped"] == "2" for row in rows[1:]) and max(abs(one[0]) for one in changes) > 1e-10 and max(abs(one[2]) for one in changes) < 1e-12,
              "a pair in a field is a group, and the energy changes by the work of hand-overs", changes)
check(math.dist(orbits["field"], orbits["short"]) < 1e-4, "the tides of a field act within a group", orbits)
said = run("run", path("orbit.csv"), "--integrator", "hermite4", "--softening", "0", "--g", "1", "--engine", "cpu", "--group-radius", "0.05", "--field",
           "plummer:mass=1e12,scale=1", "--step", "1e-6", "--steps", "2", "--output", path("torn"), "--quiet", code=0).stderr
check([row["grouped"] for row in table("torn")][-1] == "0", "a field that pulls a pair apart leaves no group", said)
write("middle.csv", [(0.5, 1e-3, 0, 0, 0, 10, 0), (0.5, -1e-3, 0, 0, 0, -10, 0)])
rows = go("middle", 2e-5, "--group-radius", "0.01", "--field", "point:mass=1", start="middle.csv", every=2e-5, g=1)
check(rows[-1]["grouped"] == "0" and abs(float(rows[-1]["de"])) < 1e-6, "nor does a point in the middle of the pair", rows)
rows = go("between", 2e-5, "--group-radius", "0.01", "--field", "point:mass=0.002,x=0.0008,y=0.0008", start="middle.csv", every=2e-5, g=1)
check(rows[-1]["grouped"] == "0" and abs(float(rows[-1]["de"])) < 1e-6, "nor does a light point between its bodies", rows)

# A hard pair that escapes: each of its stars is bound to the other, but the pair is not bound to the cluster.
run("model", "plummer", "-n", "60", "--seed", "2", "-o", path("sphere.csv"), "--quiet")
stars = place.table("sphere.csv")
v = math.sqrt(1 / 30 / A)
names = ("mass", "x", "y", "z", "vx", "vy", "vz")
write("escape.csv", [tuple(float(row[c]) for c in names) for row in stars] + [(1 / 60, 8 + A / 2, 0, 0, 2, v / 2, 0), (1 / 60, 8 - A / 2, 0, 0, 2, -v / 2, 0)])
rows = go("escape", 0.125, "--groups", "--escapers", "5", start="escape.csv", g=1)
with open(path("escape/escapers.csv")) as file:
    gone = [row["id"] for row in csv.DictReader(line for line in file if not line.startswith("#"))]
check(sorted(gone) == ["60", "61"], "both stars of an escaping pair are listed", gone)
check(all(abs(float(row["bound_mass"]) - 1) < 1e-9 for row in rows), "its mass is not bound, from the first row on", [row["bound_mass"] for row in rows])
said = run("run", path("escape.csv"), "--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--groups", "--step", "0.015625", "--end", "0.125", "--stop-escape",
           "5", "--output", path("stopped"), "--quiet", code=6).stderr
check("the escape of body 6" in said and "of 2 bodies" in said, "--stop-escape sees the pair", said)
run("run", path("escape.csv"), "--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--groups", "--step", "0.015625", "--end", "0.125", "--escape-radius",
    "5", "--output", path("removed"), "--quiet")
check(table("removed")[-1]["bodies"] == "60" and abs(float(table("removed")[-1]["de"])) < 1e-8, "both are removed, and the energy of the others stays",
      table("removed")[-1])

# Two bodies without mass at one place, about a pair that another pair leaves.
v = math.sqrt(0.9 / A)
pairs = [(0.5, -4 / 9 * A, 0, 0, 0, -4 / 9 * v, 0), (0.4, 5 / 9 * A, 0, 0, 0, 5 / 9 * v, 0), (0.5, 5, 0, 0, 0, 3, v / 2), (0.5, 5 + A, 0, 0, 0, 3, -v / 2)]
write("light.csv", [*pairs, *[(0.0, 10 * A, 0, 0, 0, v / math.sqrt(10), 0)] * 2])
rows = go("light", 0.0625, "--group-radius", f"{50 * A}", start="light.csv", g=1)
check(rows[-1]["grouped"] == "6" and abs(float(rows[-1]["bound_mass"]) - 0.9) < 1e-9, "bodies without mass at one place leave the others bound", rows[-1])

# A pair of masses 1 and 10⁻⁶, which a third body enters on an orbit with the pericentre 8 A.
v, far = math.sqrt(1 / A), 60 * A
write("planet.csv", [(1.0, 0, 0, 0, 0, 0, 0), (1e-6, A, 0, 0, 0, v, 0), (0.3, 0, far, 0, math.sqrt(2 * 1.3 * (1 / far - 1 / (far + 8 * A))), 0, 0)])
rows = go("planet", 0.0625, "--group-radius", f"{50 * A}", start="planet.csv", every=0.00390625, g=1)
check({row["grouped"] for row in rows[1:]} == {"2", "3"} and all(abs(float(row["de"])) < 1e-9 for row in rows), "a body enters a pair with a mass ratio of 10⁶",
      [(row["grouped"], row["de"]) for row in rows])

# Two pairs with e = 0.99 begin at their apocentres and make several orbits in a step. At its end their stars are far from each other.
r, v = 1.99e-3, math.sqrt(0.01 / 1.99e-3)
place.write_bodies("pass.csv", [(k + side, 0.5, x + s * r / 2, 0.0, 0.0, 0.0, s * v / 2, 0.0, radius) for k, x, radius in ((10, 0.0, 6e-6), (20, 3.0, 5.5e-6), (30, 6.0, 4e-6))
                                for side, s in enumerate((1, -1))])
passing = [path("pass.csv"), "--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--group-radius", "0.02", "--step", "0.001953125", "--end", "0.00390625",
           "--every", "0", "--quiet"]
said = run("run", *passing, "--stop-collision", "--output", path("touched"), code=6).stderr
check("a collision of bodies 10 and 11 (distance 1e-05, sum of their radii 1.2e-05), the nearest of 2 collisions" in said
      or "a collision of bodies 20 and 21 (distance 1e-05, sum of their radii 1.1e-05), the nearest of 2 collisions" in said,
      "two stars that have touched at their pericentre within a step have collided", said)
run("run", *passing, "--collisions", "merge", "--output", path("merged"))
events = place.table("merged/events.csv")
check(sorted((row["id"], row["other"], row["time"]) for row in events) == [("10", "11", "0.001953125"), ("20", "21", "0.001953125")]
      and abs(float(table("merged")[-1]["de"])) < 1e-6, "all of them merge, at the end of this step, and no pair with a wider orbit", events)
said = run("run", *passing, "--at", "0.0005", "--shorten", "--stop-collision", "--output", path("divided"), code=6).stderr
check("time 0.0005;" in said, "at the end of the first part of a step too", said)
run("run", *passing, "--stop-pair", "0.9e-5", "--output", path("apart"))
said = run("run", *passing, "--stop-pair", "1.1e-5", "--output", path("near"), code=6).stderr
check("(distance 1e-05, --stop-pair 1.1e-05)" in said, "--stop-pair sees the pericentre too", said)

# Two pairs of single stars pass each other on hyperbolas in the second longest step. One pair comes as near as a tenth of the sum of its radii,
# the other one as near as 1.1 times this sum. At the end of the step both have parted.
NEAREST, FREE, AWAY, STEP, DRIFT = 1e-5, 3.0, 0.1, 0.0078125, 2.0
across = NEAREST * math.sqrt(FREE ** 2 + 2 / NEAREST) / AWAY
along = math.sqrt(FREE ** 2 + 2 / AWAY - across ** 2)
place.write_bodies("flyby.csv", [(k + side, 0.5, x + s * AWAY / 2, 0.0, 0.0, DRIFT - s * along / 2, s * across / 2, 0.0, radius)
                                 for k, x, radius in ((10, 0.0, 5 * NEAREST), (20, 30.0, NEAREST / 2.2)) for side, s in enumerate((1, -1))])
clusters = ["--integrator", "hermite4", "--softening", "0", "--engine", "cpu", "--group-radius", "0.01", "--quiet"]
flyby = [path("flyby.csv"), *clusters, "--step", str(STEP)]
said = run("run", *flyby, "--end", str(3 * STEP), "--stop-collision", "--output", path("met"), code=6).stderr
check("a collision of bodies 10 and 11 (distance 1e-05, sum of their radii 0.0001) at time 0.015625" in said, "two single stars that have touched within a step have collided", said)
run("run", *flyby, "--end", str(3 * STEP), "--collisions", "merge", "--output", path("joined"))
events, bodies = place.table("joined/events.csv"), place.table(place.convert("joined"))
one = {key: float(events[0][key]) for key in ("time", "mass", "other_mass", "distance", "energy", "x", "vx")} if events else {}
check([(row["id"], row["other"]) for row in events] == [("10", "11")] and one["time"] == 2 * STEP and one["distance"] > 0.01,
      "they merge at the end of this step, though they have parted, and no pair that passes at 1.1 of the sum", events)
check(one and one["mass"] == one["other_mass"] == 0.5 and abs(one["x"] - DRIFT * 2 * STEP) < 1e-4 and abs(one["vx"] - DRIFT) < 1e-2
      and abs(one["energy"] / (-0.125 * FREE ** 2) - 1) < 1e-3 and abs(float(table("joined")[-1]["de"])) < 1e-8,
      "the product is in the middle of both, and their energy is booked", f"{events}\n{table('joined')[-1]}")
check(sum(float(row["mass"]) for row in bodies) == 2 and abs(sum(float(row["mass"]) * float(row["vx"]) for row in bodies) - 2 * DRIFT) < 1e-12,
      "mass and momentum stay", bodies)
run("run", *flyby, "--end", str(STEP), "--collisions", "merge", "--ranks", "3", "--output", path("shared"))
run("run", "--resume", path("shared"), "--end", str(3 * STEP), "--quiet")
check(place.table("shared/events.csv") == events, "three ranks, and a run that is resumed before, have the same merger", place.table("shared/events.csv"))
run("run", *flyby, "--end", str(3 * STEP), "--stop-pair", "0.9e-5", "--output", path("passed"))

# A pair at the pericentre of a narrow orbit, and a star that has just passed it and pulls it apart; the three are a group at the beginning.
MASS = 1.776e-3
place.write_bodies("leaving.csv", [(28, MASS, -2.361629e-6, -7.267415e-6, 2.546121e-5, -138.2791, 5.031047, -11.37278, 0.0),
                                   (29, MASS, -2.415851e-6, -7.312431e-6, 2.548350e-5, 170.8051, 13.20145, 0.0026, 0.0),
                                   (92, MASS, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (93, MASS, 2.004e-4, 5.993e-4, 3.1e-4, 12.85219, 6.258196, -6.481915, 0.0)])
run("run", path("leaving.csv"), *clusters, "--step", str(2 ** -10), "--end", str(2 ** -7), "--output", path("leaving"))
check(abs(float(table("leaving")[-1]["de"])) < 1e-8, "a star that leaves a pair is a member of its group", table("leaving")[-1]["de"])

# The Pythagorean problem, in which pairs change: in the first longest step two of the three stars touch (at 5.94e-5), and in the second one the
# third of them. The three are a group at once, though one of them pulls any two others apart.
place.write_bodies("plain.csv", [(10, 3.0, 1e-3, 3e-3, 0.0, 0.0, 0.0, 0.0, 2e-5), (11, 4.0, -2e-3, -1e-3, 0.0, 0.0, 0.0, 0.0, 2e-5),
                                 (12, 5.0, 1e-3, -1e-3, 0.0, 0.0, 0.0, 0.0, 2e-5), (1, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
STEP = 2 ** -12
for words in ([], ["--ranks", "3"]):
    run("run", path("plain.csv"), *clusters, "--step", str(STEP), "--end", str(4 * STEP), "--collisions", "merge", "--overwrite", "--output", path("triple"), *words)
    events = place.table("triple/events.csv")
    check([(row["id"], row["other"], float(row["time"]) / STEP) for row in events] == [("12", "11", 1), ("12", "10", 2)]
          and float(events[0]["distance"]) > 1e-4 and abs(float(table("triple")[-1]["de"])) < 1e-5, "stars of a group of three that touch within a step merge", events)

# Three single stars fall together within the run, the heaviest as the third one: the slot of the first two is hidden then, and must not get steps.
place.write_bodies("fall.csv", [(0, 0.03, -1.17835e-3, 2.0795869e-2, -1.0725839e-2, -0.5343324, 0.0206258, 0.1680106, 0.0),
                                (1, 0.04, 3.25397e-3, 2.0681751e-2, 1.0825895e-2, 0.2695717, -0.0883026, 0.3064047, 0.0),
                                (2, 0.05, 1.0498175e-2, -1.7093710e-2, 1.1721405e-2, 0.0218265, 0.3773230, -0.3953637, 0.0),
                                (9, 0.01, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
run("run", path("fall.csv"), *clusters, "--step", str(2 ** -10), "--end", str(2 ** -5), "--output", path("fall"))
rows = table("fall")
check(rows[0]["grouped"] == "0" and abs(float(rows[-1]["de"])) < 1e-5, "a heavier third body joins two that become a group at once", rows[-1])

# On a device: a cluster with binaries, beside the CPU; SIGKILL after the first restart file, and the rest of the run.
MODEL = ["run", "--model", "plummer", "-n", "300", "--binaries", "0.5", "--binary-periods", "log-uniform", "--binary-axis-min", "1e-4",
         "--binary-axis-max", "0.01", "--integrator", "hermite4", "--softening", "0", "--groups", "--step", "0.015625", "--every", "0.0625",
         "--end", "0.125", "--restart-every", "0.0001", "--quiet"]


def killed(name, *words):
    """Starts a run that is killed when it has a restart file. On a busy machine it may have ended before: then again."""
    for _ in range(10):
        shutil.rmtree(path(name), ignore_errors=True)
        process = subprocess.Popen([KYOHO, *MODEL, *words, "--output", path(name)], stdin=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(path(name + "/restart.kyo")), "a restart file")
        process.send_signal(signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            return True
    return False


run(*MODEL, "--engine", "cpu", "--output", path("host"))
check(killed("killed", "--engine", "cpu"), "SIGKILL")
run("run", "--resume", path("killed"), "--quiet")
check(table("killed") == table("host") and int(table("host")[-1]["grouped"]) > 100, "a run that was killed continues with the same rows", table("killed"))
check(place.text(place.convert("killed")) == place.text(place.convert("host")), "and with the same bits")

devices = [one["engine"] for one in run_json("devices")["devices"] if one["usable"] and one["engine"] in ("cuda:0", "opencl:0")]
for device in devices if os.environ.get("KYOHO_TEST_ALL") else []:
    run(*MODEL, "--engine", device, "--output", path(device))
    host, there = table("host"), table(device)
    apart = max(abs(float(one["energy"]) - float(other["energy"])) for one, other in zip(host, there))
    check(len(host) == len(there) and apart < 1e-10 and [row["grouped"] for row in host] == [row["grouped"] for row in there]
          and int(there[-1]["grouped"]) > 100, f"{device}: rows are those of the CPU to 1e-10", f"{apart}\n{host[-1]}\n{there[-1]}")
    with open(path(device + "/run.json"), encoding="utf-8") as file:
        check('"engine": "%s"' % device.split(":")[0] in (text := file.read()) and "led by" in text, f"{device}: run.json names it", text)
    check(killed("killed", "--engine", device), f"{device}: SIGKILL")
    events = []
    for engine in ("cpu", device):
        run("run", "--model", "plummer", "-n", "40", "--seed", "3", "--binaries", "0.5", "--binary-periods", "log-uniform", "--binary-axis-min", "1e-3",
            "--binary-axis-max", "1e-2", "--softening", "0", "--integrator", "hermite4", "--groups", "--body-radius", "0.0005", "--collisions", "merge",
            "--step-max", "0.015625", "--end", "0.25", "--every", "0", "--quiet", "--overwrite", "--engine", engine, "--output", path("merged"))
        with open(path("merged/events.csv")) as file:
            events.append([row[:4] for row in csv.reader(file)])
    check(len(events[0]) > 2 and events[0] == events[1], f"{device}: mergers as on the CPU", events)
    run("run", "--resume", path("killed"), "--quiet")
    check(table("killed") == there, f"{device}: a run that was killed continues with the same rows")

finish()
