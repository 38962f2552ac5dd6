#!/usr/bin/env python3
"""Fields of the Galaxy as a user has them: units, what run.json keeps, resuming, and what is conserved."""
import csv
import glob
import json
import os

import tap
from tap import check, finish, folder, run, run_json

BAR = "bar:mass=1e10Msun,length=4kpc,scale=0.5kpc,height=0.3kpc,speed=40km/s/kpc,angle=25"
SPEED = 40  # of the bar; the unit of time is kpc/(km/s)


def rows(name):
    with open(f"{name}/energy.csv") as file:
        return [{key: float(value) for key, value in row.items() if value} for row in csv.DictReader(line for line in file if line[0] != "#")]


def last(name):
    """The last snapshot of a run, as bytes."""
    found = sorted(file for file in os.listdir(name) if file.startswith("snapshot_"))
    with open(f"{name}/{found[-1]}", "rb") as file:
        return file.read()


def shape(name, *ways):
    """Where the bodies are after a run, relative to their mean place."""
    run("run", "--input", f"{name}.hdf5", *ways, "--output", "shape", "--every", "0", "--restart-every", "0",
        "--at", "1", "--overwrite", "--quiet", timeout=900)
    run("convert", sorted(glob.glob("shape/snapshot_*"))[-1], "shape.csv", "--overwrite")
    with open("shape.csv") as file:
        found = [[float(row[c]) for c in "xyz"] for row in csv.DictReader(line for line in file if line[0] != "#")]
    mean = [sum(row[c] for row in found) / len(found) for c in range(3)]
    return [[row[c] - mean[c] for c in range(3)] for row in found]


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


with folder() as there:
    tap.KYOHO = os.path.abspath(tap.KYOHO)
    os.chdir(there)
    run("model", "plummer", "-n", "50", "--units", "galaxy", "--mass", "1e5Msun", "--radius", "5pc", "--position", "5kpc,0,1kpc",
        "--velocity", "20km/s,190km/s,0", "-o", "in.hdf5")
    run("model", "plummer", "-n", "50", "-o", "bare.hdf5")
    for name in ("mw14", "mcmillan17"):
        said = run("run", "bare.hdf5", "--field", name, "--steps", "1", "--output", "no", code=2).stderr
        check(f"external field {name} has sizes in kpc" in said and "--units" in said and said.count("\n") == 1,
              f"{name} is refused for bodies without units", said)
        check(not os.path.exists("no"), "and makes no folder")

    ways = {"leapfrog": ("--step", "1e-5"), "block": ("--step", "4e-5"), "hermite4": ("--step", "4e-5")}
    for integrator, step in ways.items():
        options = ("--input", "in.hdf5", "--softening", "0.1pc", "--integrator", integrator, *step, "--every", "4e-4", "--quiet",
                   "--field", f"mw14 {BAR}")
        run("run", *options, "--end", "8e-4", "--output", f"{integrator}-whole")
        run("run", *options, "--end", "4e-4", "--output", integrator)
        run("run", "--resume", integrator, "--end", "8e-4", "--quiet")
        check(last(integrator) == last(f"{integrator}-whole"), f"{integrator}: a run that goes on has the bits of one that was not interrupted")
        first, end = rows(integrator)[0], rows(integrator)[-1]
        change = end["energy"] - first["energy"]
        jacobi = change - SPEED * (end["angular_momentum_z"] - first["angular_momentum_z"])
        check(abs(change) > 5e-4 * abs(first["energy"]) and abs(jacobi) < 0.01 * abs(change),
              f"{integrator}: Jacobi's integral is conserved, and the energy is not", f"{jacobi} {change} {first}")
    with open("leapfrog/run.json") as file:
        field = json.load(file)["options"]["field"]
    check(field.startswith("power-law-cutoff:mass=") and " nfw:mass=" in field and "Msun" not in field and "kpc" not in field,
          "run.json has the parts of mw14, with numbers in the units of the bodies", field)
    run("run", "leapfrog/run.json", "--output", "again", "--end", "8e-4", "--quiet")
    check(last("again") == last("leapfrog-whole"), "run.json repeats the run")

    # A cluster far out: it goes as at the origin, and with the Galaxy's pull numbers of 24 bits cost what they cost without.
    system = ("-n", "300", "--units", "cluster", "--mass", "1e3Msun", "--radius", "2pc")
    run("model", "plummer", *system, "-o", "near.hdf5")
    run("model", "plummer", *system, "--position", "1e5,-3e4,2e4", "--velocity", "150,-120,90", "-o", "far.hdf5")
    engines = [device["engine"] for device in run_json("devices")["devices"] if device["usable"]]
    for engine in engines:
        for integrator, precision, most in (("leapfrog", "extended", 1e-7), ("leapfrog", "double", 1e-9), ("hermite4", "double", 1e-9)):
            ways = ("--engine", engine, "--integrator", integrator, "--precision", precision, "--force", "direct", "--softening", "0.02",
                    "--step", "0.015625", "--steps", "64")
            near, far = (shape(name, *ways) for name in ("near", "far"))
            miss = median([max(abs(p - q) for p, q in zip(*both)) for both in zip(near, far)])
            check(miss < most, f"{engine}, {integrator}, {precision}: a cluster at 100 kpc goes as one at the origin ({miss:.1e} pc)")
        away = [[shape("far", "--field", field, "--engine", engine, "--precision", precision, "--force", "direct", "--softening", "0.02",
                       "--step", "0.015625", "--steps", "64") for precision in ("double", "extended")] for field in ("mw14", "")]
        pulled, alone = (median([max(abs(p - q) for p, q in zip(*both)) for both in zip(*pair)]) for pair in away)
        check(pulled < 10 * alone, f"{engine}: the field of the Galaxy takes no digits ({pulled:.1e} and {alone:.1e} pc)")

    with open("late.csv", "w") as file:
        file.write("# time: 0.0392699081698724154\nmass,x,y,z,vx,vy,vz\n1,0,3,0,0,0,0\n")  # a quarter of a turn
    with open("early.csv", "w") as file:
        file.write("# time: 0\nmass,x,y,z,vx,vy,vz\n1,3,0,0,0,0,0\n")
    deep = [run_json("force", f"{name}.csv", "--units", "galaxy", "--softening", "0", "--field", BAR)["energy"] for name in ("late", "early")]
    check(abs(deep[0] / deep[1] - 1) < 1e-12, "kyoho force takes the time of the file", deep)
finish()
