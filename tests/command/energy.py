#!/usr/bin/env python3
# The numbers of energy.csv against sums over the pairs of the snapshots.
import csv
import glob
import math
import os

from tap import check, finish, folder, run

TOLERANCE = 1e-11 if "HDF5: yes" in run("--version").stdout else 1e-4  # TIPSY holds 32 bits
G, SOFTENING = 2.5, 0.05
DRIFT = (30.0, -20.0, 10.0)


def table(path):
    with open(path) as file:
        rows = [line for line in file if not line.startswith("#")]
    return [{name: float(value) if value else math.nan for name, value in row.items()} for row in csv.DictReader(rows)]


def sums(bodies):
    """The right numbers of a row, by loops over bodies and pairs."""
    m = [b["mass"] for b in bodies]
    x = [[b[c] for c in ("x", "y", "z")] for b in bodies]
    v = [[b[c] for c in ("vx", "vy", "vz")] for b in bodies]
    n, mass = len(m), math.fsum(m)
    mean = lambda vectors: [math.fsum(m[i] * vectors[i][k] for i in range(n)) / mass for k in range(3)]
    centre, velocity = mean(x), mean(v)
    terms, virial = [], []
    for i in range(n):
        for j in range(i):
            d = [x[j][k] - x[i][k] for k in range(3)]
            s2 = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + SOFTENING ** 2
            terms.append(-G * m[i] * m[j] / math.sqrt(s2))
            virial.append(-G * m[i] * m[j] * (s2 - SOFTENING ** 2) / s2 ** 1.5)
    kinetic = math.fsum(0.5 * m[i] * v[i][k] ** 2 for i in range(n) for k in range(3))
    inner = math.fsum(0.5 * m[i] * (v[i][k] - velocity[k]) ** 2 for i in range(n) for k in range(3))
    found = {"kinetic": kinetic, "potential": math.fsum(terms), "energy": kinetic + math.fsum(terms), "virial_ratio": 2 * inner / abs(math.fsum(virial))}
    for k, name in enumerate("xyz"):
        d, e = (k + 1) % 3, (k + 2) % 3
        found["momentum_" + name] = mass * velocity[k]
        found["angular_momentum_" + name] = math.fsum(m[i] * (x[i][d] * v[i][e] - x[i][e] * v[i][d]) for i in range(n))
        found["centre_" + name] = centre[k]
    return found


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    # Unequal masses, away from the origin, with a drift of a hundred times the energy of the system itself.
    run("model", "plummer", "-n", "150", "--softening", str(SOFTENING), "-o", path("model.csv"))
    for name, drift in (("rest", (0, 0, 0)), ("drift", DRIFT)):
        with open(path(name + ".csv"), "w") as out:
            out.write("mass,x,y,z,vx,vy,vz\n")
            for i, b in enumerate(table(path("model.csv"))):
                row = [b["mass"] * (1 + i % 5), b["x"] + 3, b["y"] - 2, b["z"] + 1, *(b[c] * 2 + drift[k] for k, c in enumerate(("vx", "vy", "vz")))]
                out.write(",".join(f"{value:.17g}" for value in row) + "\n")
        run("run", path(name + ".csv"), "--g", str(G), "--softening", str(SOFTENING), "--force", "direct", "--precision", "double", "--step", "0.0078125",
            "--steps", "16", "--every", "0.03125", "--quiet", "--output", path(name))
    rows = table(path("drift/energy.csv"))
    check([row["steps"] for row in rows] == list(range(17)) and all(row["time"] == row["steps"] / 128 for row in rows), "a row for each step")
    bad, first = [], None
    for number, snapshot in enumerate(sorted(glob.glob(path("drift/snapshot_*")))[:5]):
        run("convert", snapshot, path("s.csv"), "--overwrite", "--quiet")
        expected, row = sums(table(path("s.csv"))), rows[4 * number]
        first = first or expected
        expected["de"] = (expected["energy"] - first["energy"]) / abs(first["energy"])
        expected["dew"] = (expected["energy"] - first["energy"]) / abs(first["potential"])
        scale = {"momentum": 1e3, "angular_momentum": 1e4, "centre": 10, "de": 1, "dew": 1e2}
        for name, value in expected.items():
            size = max(abs(value), scale.get(name.rsplit("_", 1)[0], 0))
            limit = TOLERANCE * size * (1e4 if name in ("virial_ratio", "dew") else 1)  # small beside the energy of the drift
            if not abs(row[name] - value) <= limit:
                bad.append(f"row {4 * number}: {name} {row[name]!r}, not {value!r}")
    check(not bad and number == 4, "energies, momenta, centre, virial ratio of five snapshots", "\n".join(bad))
    check(abs(rows[-1]["de"]) < 1e-4 and rows[-1]["de"] != 0, "the energy is conserved", rows[-1]["de"])
    rest = table(path("rest/energy.csv"))
    worst = max(abs(a["virial_ratio"] / b["virial_ratio"] - 1) for a, b in zip(rest, rows))
    check(worst < 1e-6 and rest[0]["kinetic"] < 0.1 * rows[0]["kinetic"], "the virial ratio does not count bulk motion", worst)
    check(not rest[0]["momentum_x"] == rows[0]["momentum_x"], "the momentum does count bulk motion")

    # A run warns if its energy is wrong by more than 1e-3 of itself. It does not warn if no energy is conserved.
    def told(name, *words):
        said = run("run", *words, "--every", "0", "--engine", "cpu", "--overwrite", "--output", path("told")).stderr
        last = table(path("told/energy.csv"))[-1]
        return [line for line in said.splitlines() if "the relative energy change is" in line], said, last["de"], last["dew"]

    with open(path("pair.csv"), "w") as out:  # at the pericentre of e = 0.9
        out.write("mass,x,y,z,vx,vy,vz\n0.5,0.05,0,0,0,2.1794494717703365,0\n0.5,-0.05,0,0,0,-2.1794494717703365,0\n")
    with open(path("parabola.csv"), "w") as out:
        out.write("mass,x,y,z,vx,vy,vz\n0.5,0.5,0,0,-0.5,0.4999,0\n0.5,-0.5,0,0,0.5,-0.4999,0\n")
    pair = [path("pair.csv"), "--softening", "0", "--force", "direct"]
    ways = {"leapfrog": ["--step", "0.0078125", "--end", "4"], "hermite4": ["--integrator", "hermite4", "--eta", "0.5", "--corrections", "1", "--step", "0.0625", "--end", "16"],
            "block": ["--integrator", "block", "--eta", "1", "--step-length", "1", "--step", "0.0625", "--end", "4"]}
    for name, words in ways.items():
        lines, said, de, _ = told(name, *pair, *words)
        check(len(lines) == 1 and abs(de) > 1e-3 and f"{de:+.1e}"[:4] in lines[0] and lines[0].startswith("warning") and "use " in lines[0], f"{name}: a run warns of an energy that is wrong", (de, said))
        check("the relative energy change is" in open(path("told/run.log")).read(), f"{name}: run.log has the warning", said)
        quiet = run("run", *pair, *words, "--every", "0", "--engine", "cpu", "--overwrite", "--output", path("told"), "--quiet").stderr
        check("the relative energy change is" in quiet, f"{name}: with --quiet too", quiet)
    lines, said, de, _ = told("default", *pair, "--integrator", "hermite4", "--step", "0.0625", "--end", "16")
    check(not lines and abs(de) < 1e-4, "hermite4 with its defaults does not", (de, said))
    # an energy near 0 is compared with the potential energy
    lines, said, de, dew = told("parabola", path("parabola.csv"), "--softening", "0", "--force", "direct", "--precision", "double", "--step", "0.0078125", "--end", "0.25")
    check(not lines and abs(de) > 1e-3 > abs(dew), "no warning where E is near 0 and the change is small beside |W|", (de, dew, said))
    # fields that change in time, friction, a function of time; and bodies that are removed with their energy
    turning = "bar:mass=1,length=1,height=0.2,speed=2"
    rubbing = "plummer:mass=10,scale=2 friction:body=0,log=10,sigma=0.5,mass=1"
    for name, field in (("a bar that turns", turning), ("friction", rubbing)):
        lines, said, de, dew = told(name, "--model", "plummer", "-n", "50", "--softening", "0.1", "--force", "direct", "--step", "0.015625", "--end", "4", "--position", "2,0,0", "--velocity", "0,0.5,0", "--field", field)
        check(not lines and abs(de) > 1e-3, f"no warning with {name}", (de, said))
    with open(path("leaving.csv"), "w") as out:
        out.write("mass,x,y,z,vx,vy,vz\n" + "".join(f"{b['mass']},{b['x']},{b['y']},{b['z']},{b['vx'] + 20 * (i == 7)},{b['vy']},{b['vz']}\n" for i, b in enumerate(table(path("model.csv")))))
    lines, said, de, dew = told("escapers", path("leaving.csv"), "--softening", "0.05", "--force", "direct", "--step", "0.0078125", "--end", "1", "--escape-radius", "4")
    check(not lines and table(path("told/energy.csv"))[-1]["bodies"] == 149, "no warning after bodies that have escaped are removed", said)
finish()
