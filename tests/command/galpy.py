#!/usr/bin/env python3
"""External fields against galpy, which is installed once into a folder of the build: accelerations and potentials to 1e-8, and
the Milky Way of McMillan (2017), which is a fit, to 1 % from 1 to 50 kpc; a body that sinks by friction, to 1e-3."""
import csv
import json
import math
import os
import random
import subprocess
import sys

import tap
import wheels
from tap import check, finish, folder, run, run_json, skip

PYTHON = os.path.join(wheels.BUILD, "tests", "galpy", "bin", "python")
TOLERANCE = 1e-8
TIME = 3.7  # of the points

# What --field says, and galpy. Natural units of galpy: G = 1, unless a size and a speed follow.
FIELDS = [
    ("plummer:mass=2,scale=0.7", "PlummerPotential(amp=2, b=0.7)"),
    ("nfw:mass=3,scale=2", "NFWPotential(amp=3, a=2)"),
    ("hernquist:mass=2,scale=0.8", "HernquistPotential(amp=4, a=0.8)"),
    ("isochrone:mass=2,scale=0.9", "IsochronePotential(amp=2, b=0.9)"),
    ("miyamoto-nagai:mass=2,scale=1.1,height=0.2", "MiyamotoNagaiPotential(amp=2, a=1.1, b=0.2)"),
    ("power-law-cutoff:mass=2,alpha=1.8,cutoff=1.9",
     "PowerSphericalPotentialwCutoff(amp=2 / (2 * math.pi * 1.9**1.2 * math.gamma(0.6)), alpha=1.8, rc=1.9)"),
    ("power-law-cutoff:mass=2,alpha=0.4,cutoff=6",
     "PowerSphericalPotentialwCutoff(amp=2 / (2 * math.pi * 6**2.6 * math.gamma(1.3)), alpha=0.4, rc=6)"),
    ("logarithmic:speed=1.3,core=0.4,flattening=0.8", "LogarithmicHaloPotential(amp=1.69, core=0.4, q=0.8)"),
    ("triaxial-logarithmic:speed=1.3,core=0.4,p=0.9,q=0.7", "LogarithmicHaloPotential(amp=1.69, core=0.4, b=0.9, q=0.7)"),
    ("bar:mass=2,length=1.5,scale=0.3,height=0.4,speed=1.7,angle=25",
     "SoftenedNeedleBarPotential(amp=2, a=1.5, b=0.3, c=0.4, omegab=1.7, pa=math.radians(25))"),
    ("exponential-disk:mass=2,scale=1.4,height=0.2",
     "MN3ExponentialDiskPotential(amp=2 / (4 * math.pi * 1.4**2 * 0.2), hr=1.4, hz=0.2)"),
    ("exponential-disk:mass=2,scale=0.7,height=0.9",
     "MN3ExponentialDiskPotential(amp=2 / (4 * math.pi * 0.7**2 * 0.9), hr=0.7, hz=0.9)"),
    ("mw14", "MWPotential2014", 8, 220),
]
MCMILLAN = ("mcmillan17", "McMillan17.McMillan17", 8.21, 233.1)

ASK = r"""
import json, math, sys, warnings
warnings.simplefilter("ignore")
from galpy.potential import *
asked = json.load(sys.stdin)
if any("McMillan17" in one["galpy"] for one in asked):
    from galpy.potential import McMillan17
answer = []
for one in asked:
    size, speed, t = one["size"], one["speed"], one["time"]
    what = eval(one["galpy"])
    rows = []
    for x, y, z in one["points"]:
        R, phi = math.hypot(x, y) / size, math.atan2(y, x)
        at = dict(phi=phi, t=t * speed / size, use_physical=False)
        inward = float(evaluateRforces(what, R, z / size, **at))
        around = float(evaluatephitorques(what, R, z / size, **at)) / R
        up = float(evaluatezforces(what, R, z / size, **at))
        a = speed * speed / size
        rows.append([a * (inward * math.cos(phi) - around * math.sin(phi)), a * (inward * math.sin(phi) + around * math.cos(phi)),
                     a * up, speed * speed * float(evaluatePotentials(what, R, z / size, **at))])
    answer.append(rows)
print(json.dumps(answer))
"""


# The distance from the centre of the Galaxy of a body of 1e10 Msun with a half-mass radius of 1 kpc, which sinks by friction.
SINKS = r"""
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy
from galpy.orbit import Orbit
from galpy.potential import ChandrasekharDynamicalFrictionForce, MWPotential2014
times = json.load(sys.stdin)
friction = ChandrasekharDynamicalFrictionForce(GMs=43009 / (220**2 * 8), rhm=1 / 8, dens=MWPotential2014, sigmar=lambda r: 120 / 220, minr=1e-6)
path = Orbit([30 / 8, 0, 100 / 220, 10 / 8, 0, 0])
fine = numpy.linspace(0, times[-1] * 220 / 8, 20001)
path.integrate(fine, MWPotential2014 + [friction] if isinstance(MWPotential2014, list) else [MWPotential2014, friction], method="odeint")
print(json.dumps([8 * float(path.r(t * 220 / 8)) for t in times]))
"""


def ask(asked, what=ASK):
    done = subprocess.run([PYTHON, "-c", what], input=json.dumps(asked), capture_output=True, text=True, timeout=1200, check=False)
    if done.returncode:
        sys.exit("galpy: " + done.stderr)
    return json.loads(done.stdout)


def points(count, least, most, seed):
    """Points at distances from `least` to `most`, in all directions but along the axis."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        r = least * (most / least) ** chance.random()
        up, phi = chance.uniform(-0.999, 0.999), chance.uniform(-math.pi, math.pi)
        around = r * math.sqrt(1 - up * up)
        found.append([around * math.cos(phi), around * math.sin(phi), r * up])
    return found


def write(path, rows, mass):
    with open(path, "w") as file:
        file.write(f"# time: {TIME}\nmass,x,y,z,vx,vy,vz\n")
        file.writelines(f"{mass},{x!r},{y!r},{z!r},0,0,0\n" for x, y, z in rows)


def evaluate(rows, field, units):
    """Accelerations at the points."""
    write("points.csv", rows, 0)
    run("force", "points.csv", "--units", units, "--field", field, "--softening", "0", "--force", "direct", "--precision", "double",
        "--engine", "cpu", "-o", "felt.csv", "--overwrite", "--quiet")
    with open("felt.csv") as file:
        table = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [[float(row[name]) for name in ("ax", "ay", "az")] for row in table]


def potential(row, field, units):
    write("point.csv", [row], 1)
    return run_json("force", "point.csv", "--units", units, "--field", field, "--softening", "0", "--force", "direct", "--precision",
                    "double", "--engine", "cpu")["energy"]


def worst(felt, told):
    """The largest difference of two accelerations, in parts of the second."""
    return max(math.dist(a, b[:3]) / math.hypot(*b[:3]) for a, b in zip(felt, told))


with folder() as there:
    tap.KYOHO = os.path.abspath(tap.KYOHO)
    missing = wheels.install(os.path.join("tests", "galpy"), "galpy")[1] if os.environ.get("KYOHO_TEST_ALL") else "make check-all installs galpy and runs this"
    os.chdir(there)
    if missing:
        skip("external fields are those of galpy", missing)
        sys.exit(finish())
    rows = points(40, 0.05, 30, 1)
    far = points(60, 1, 50, 2) + [[r, 0, 0] for r in (1, 1.5, 2, 3, 5, 8, 12, 20, 35, 50)]
    fields = [(*field, 1, 1)[:4] for field in FIELDS] + [MCMILLAN]
    answers = ask([{"galpy": galpy, "size": size, "speed": speed, "time": TIME, "points": far if field == MCMILLAN[0] else rows}
                   for field, galpy, size, speed in fields])
    for (field, galpy, size, speed), told in zip(fields[:-1], answers):
        units = "nbody" if size == 1 else "galaxy"
        error = worst(evaluate(rows, field, units), told)
        check(error < TOLERANCE, f"{field}: accelerations of galpy ({error:.1e})")
        depth = [potential(rows[k], field, units) for k in (0, 1)]
        step, wanted = depth[0] - depth[1], told[0][3] - told[1][3]
        check(abs(step - wanted) < TOLERANCE * max(abs(wanted), abs(depth[0])), f"{field}: potentials of galpy", f"{step} {wanted}")
    times = [0.3, 0.6, 1, 2, 3]
    told = ask(times, SINKS)
    field = "mw14 friction:body=0,sigma=120,mass=1,core=1"
    orbit = [run_json("orbit", "--field", field, "--units", "galaxy", "--position", "30,0,10", "--velocity", "0,100,0", "--end", repr(t), "--rows", 2)["orbit"][-1]
             for t in times]
    found = [math.sqrt(sum(row[c] ** 2 for c in "xyz")) for row in orbit]
    error = max(abs(a / b - 1) for a, b in zip(found, told))
    check(error < 1e-3, f"friction: a body sinks as in galpy, to {found[-1]:.3f} kpc ({error:.1e})", (found, told))
    error = worst(evaluate(far, MCMILLAN[0], "galaxy"), answers[-1])
    check(error < 0.01, f"mcmillan17: accelerations of galpy from 1 to 50 kpc to 1 % ({100 * error:.2f} %)")
sys.exit(finish())
