#!/usr/bin/env python3
"""Costs and errors of hermite4 with several --corrections, --eta and --precision, for problems for which its defaults have to work.

usage: bench/hermite_defaults.py [--kyoho PROGRAM] [--engine ENGINE] [--problems LIST] [--settings LIST] [--times N]

Each setting of a problem is one run. All settings are compared with the first setting of the same call. Columns: processor
time [s] (on a device the clock of the run), its ratio to the first setting, pairs, |dE/E| at the end and its maximum,
and for planets the error of the phase [rad]. A setting is corrections:eta:precision, or `default`.
"""
import argparse
import csv
import json
import math
import os
import random
import resource
import subprocess
import tempfile

HEAD = "mass,x,y,z,vx,vy,vz\n"


def pair(e, mass=(0.5, 0.5), a=1.0):
    """Two bodies at the apocentre."""
    total, r = sum(mass), a * (1 + e)
    v = math.sqrt(total * (1 - e) / (a * (1 + e)))
    return [(mass[0], -r * mass[1] / total, 0, 0, 0, -v * mass[1] / total, 0), (mass[1], r * mass[0] / total, 0, 0, 0, v * mass[0] / total, 0)]


def planets():
    """Sun, Jupiter, Saturn, Uranus and Neptune: masses, axes and eccentricities of their orbits, all at perihelion; unit of time year / 2 pi."""
    rows = [[1.0, 0, 0, 0, 0, 0, 0]]
    for k, (m, a, e) in enumerate(((9.543e-4, 5.203, 0.0484), (2.857e-4, 9.537, 0.0539), (4.365e-5, 19.19, 0.0473), (5.150e-5, 30.07, 0.0086))):
        r, v, angle = a * (1 - e), math.sqrt((1 + m) / a * (1 + e) / (1 - e)), 1.7 * k
        rows.append([m, r * math.cos(angle), r * math.sin(angle), 0, -v * math.sin(angle), v * math.cos(angle), 0])
    return rows


def text(rows):
    return HEAD + "".join(",".join(repr(float(number)) for number in row) + "\n" for row in rows)


def cluster_with_pair(n, separation, kyoho, folder):
    """A Plummer sphere whose bodies 0 and 1 are a circular pair."""
    path = os.path.join(folder, "cluster.csv")
    subprocess.run([kyoho, "model", "plummer", "-n", str(n), "--softening", "0", path, "--overwrite", "--quiet"], check=True)
    names, *rows = list(csv.reader(line for line in open(path) if not line.startswith("#")))
    place = {name: k for k, name in enumerate(names)}
    first, other = rows[0], rows[1]
    speed = math.sqrt(2 * float(first[place["mass"]]) / separation)
    for c in "xyz":
        other[place[c]] = repr(float(first[place[c]]) + (separation if c == "x" else 0))
        other[place["v" + c]] = repr(float(first[place["v" + c]]) + (speed if c == "y" else 0))
    keep = [place[name] for name in HEAD.strip().split(",")]
    return HEAD + "".join(",".join(row[k] for k in keep) + "\n" for row in rows)


def plummer(n, softening, end, every):
    return None, ["--model", "plummer", "-n", n, "--softening", softening, "--end", end, "--energy-every", every]


# name: the bodies as text or None, options, the number of orbits after which bodies 0 and 1 should be at their first positions again
PROBLEMS = {
    "binary": (text(pair(0.9)), ["--softening", 0, "--step", math.pi / 8, "--end", 2000 * math.pi, "--energy-every", 10 * math.pi], 1000),
    "close": (text(pair(0.99998)), ["--softening", 0, "--step", math.pi / 8, "--end", 4 * math.pi, "--energy-every", math.pi / 8], 0),
    "jupiter": (text(pair(0.0484, (1, 9.543e-4))), ["--softening", 0, "--step", 2 * math.pi / math.sqrt(1.0009543) / 16, "--steps", 16 * 843, "--energy-every", 2 * math.pi / math.sqrt(1.0009543)], 843),
    "planets": (text(planets()), ["--softening", 0, "--step", 4, "--end", 20000, "--energy-every", 100], 0),
    "c1000": (*plummer(1000, 0, 4, 0.125), 0),
    "c4000": (*plummer(4000, 0, 1, 0.125), 0),
    "s256": (*plummer(256, 0.016, 16, 0.5), 0),
    "s1000": (*plummer(1000, 0.004, 8, 0.25), 0),
    "s4000": (*plummer(4000, 0.001, 1, 0.25), 0),
    "s16000": (*plummer(16000, 0.001, 0.125, 0.0625), 0),
}
SETTINGS = "1:0.02:extended 1:0.02:double 1:0.005:double 2:0.02:double 2:0.01:double 3:0.02:double 3:0.01:double"


def phase_error(folder, orbits):
    """The angle of body 1 about body 0 at the end minus the angle at the start; the exact difference is 0."""
    names = sorted(name for name in os.listdir(folder) if name.startswith("snapshot_"))
    angle = []
    for name in (names[0], names[-1]):
        out = os.path.join(folder, "rows.csv")
        subprocess.run([KYOHO, "convert", os.path.join(folder, name), out, "--overwrite", "--quiet"], check=True)
        names_of, *rows = list(csv.reader(line for line in open(out) if not line.startswith("#")))
        x, y = ([float(row[names_of.index(c)]) for row in rows] for c in "xy")
        angle.append(math.atan2(y[1] - y[0], x[1] - x[0]))
    return math.remainder(angle[1] - angle[0], 2 * math.pi)


def measure(name, setting, top):
    bodies, words, orbits = PROBLEMS[name]
    where = os.path.join(top, "run")
    if bodies:
        with open(os.path.join(top, "bodies.csv"), "w") as file:
            file.write(bodies)
    words = [os.path.join(top, "bodies.csv")] * bool(bodies) + list(words)
    if setting != "default":
        corrections, eta, precision = setting.split(":")
        words += ["--corrections", corrections, "--eta", eta, "--precision", precision]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([KYOHO, "run", *map(str, words), "--integrator", "hermite4", "--force", "direct", *(() if orbits else ("--every", "0")), "--engine", ENGINE,
                    "--restart-every", "0", "--output", where, "--overwrite", "--quiet"], check=True, capture_output=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    told = json.load(open(os.path.join(where, "run.json")))
    rows = list(csv.DictReader(open(os.path.join(where, "energy.csv"))))
    change = [abs(float(row["de"])) for row in rows]
    return (seconds if ENGINE == "cpu" else told["wall_s"]), change[-1], max(change), phase_error(where, orbits) if orbits else None


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--kyoho", default="build/kyoho")
parser.add_argument("--engine", default="cpu")
parser.add_argument("--problems", default=" ".join(PROBLEMS))
parser.add_argument("--settings", default=SETTINGS)
parser.add_argument("--times", type=int, default=1)
given = parser.parse_args()
KYOHO, ENGINE = given.kyoho, given.engine
random.seed(1)
print("problem setting seconds ratio dE/E_end dE/E_most phase")
with tempfile.TemporaryDirectory() as top:
    for name in given.problems.split():
        first = None
        for setting in given.settings.split():
            runs = [measure(name, setting, top) for _ in range(given.times)]
            seconds = min(run[0] for run in runs)
            first = first or seconds
            end, most, phase = runs[-1][1:]
            print(f"{name} {setting} {seconds:.2f} {seconds / first:.2f} {end:.1e} {most:.1e} {'' if phase is None else f'{phase:.2e}'}", flush=True)
