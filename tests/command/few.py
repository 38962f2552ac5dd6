#!/usr/bin/env python3
# --integrator few: orbits to many digits, the same path whatever is looked at, restart, contacts within steps, refusals.
import csv
import glob
import json
import math
import os
import signal

from tap import KYOHO, check, finish, folder, run, wait_for

import subprocess

DIGITS = 1 if "HDF5: yes" in run("--version").stdout else 1e4  # TIPSY holds 32 bits
TRIPLE = """id,mass,x,y,z,vx,vy,vz
11,0.6,17.5,-0.36000000000000038,0,0.44221663871405337,0.016076697317291899,0.091175481215054449
12,0.4,17.5,0.53999999999999959,0,-0.66332495807108005,0.016076697317291968,0.091175481215054449
13,1,-17.5,0,0,0,-0.016076697317291926,-0.091175481215054449
"""
SUN = """mass,x,y,z,vx,vy,vz
1.00000597682,-0.00406428731,-0.00608813756,-0.0000016626,0.000669048901,-0.00633922479,-0.0000031220
9.5478e-4,3.40546614,3.62978190,0.0342464685,-0.325335669,0.320770376,-0.00025
2.8584e-4,6.60801554,6.38084674,-0.136145963,-0.243261918,0.235253797,0.0001
"""


def table(path):
    with open(path) as file:
        rows = [line for line in file if not line.startswith("#")]
    return [{name: float(value) if value else math.nan for name, value in row.items()} for row in csv.DictReader(rows)]


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    def write(name, text):
        with open(path(name), "w") as out:
            out.write(text)

    def about(name):
        with open(path(name + "/run.json")) as file:
            return json.load(file)

    def last(name):
        """The bodies of the last snapshot."""
        run("convert", sorted(glob.glob(path(name + "/snapshot_*")))[-1], path("last.csv"), "--overwrite", "--quiet")
        return table(path("last.csv"))

    def bare(name):
        """energy.csv without the column of wall seconds."""
        with open(path(name + "/energy.csv")) as file:
            return [line.rsplit(",", 1)[0] for line in file.read().splitlines()]

    def apart(one, other):
        return max(abs(a[c] - b[c]) for a, b in zip(one, other) for c in ("x", "y", "z"))

    few = ["--integrator", "few", "--quiet", "--output"]
    write("triple.csv", TRIPLE)
    run("run", path("triple.csv"), "--end", "1000", "--every", "250", *few, path("whole"))
    rows = table(path("whole/energy.csv"))
    check(all(abs(row["de"]) < 1e-10 for row in rows) and rows[-1]["time"] == 1000, "a triple keeps its energy without any option but the end",
          [row["de"] for row in rows])
    check(about("whole")["options"]["softening"] == 0 and about("whole")["options"]["integrator"] == "few", "run.json has the softening 0")

    # the path does not depend on the times at which it is looked at
    run("run", path("triple.csv"), "--end", "1000", "--every", "10", "--energy-every", "5", *few, path("often"))
    check(last("often") == last("whole"), "snapshots at other times change no bit of the last one")
    check(about("often")["steps"] > 3 * about("whole")["steps"], "although there were more steps of the run")

    # parts of a run, and a run that was killed
    run("run", path("triple.csv"), "--end", "500", "--every", "250", *few, path("parts"))
    run("run", "--resume", path("parts"), "--end", "1000", "--quiet")
    check(last("parts") == last("whole") and bare("parts")[-1] == bare("whole")[-1], "a resumed run has the same bits")
    long = [path("triple.csv"), "--end", "20000", "--every", "1000", "--restart-every", "0.01", *few]
    run("run", *long, path("long"))
    killed = subprocess.Popen([KYOHO, "run", *long, path("killed")], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: glob.glob(path("killed/snapshot_0002*")) or killed.poll() is not None, "a third snapshot")
    killed.send_signal(signal.SIGKILL)
    killed.wait(timeout=60)
    run("run", "--resume", path("killed"), "--quiet")
    check(last("killed") == last("long") and bare("killed") == bare("long"), "a run after SIGKILL is the whole run")

    # restart files within a step that takes longer than they wait
    for name, every in ("still", "0"), ("restless", "0.01"):
        run("run", path("triple.csv"), "--end", "150000", "--step", "150000", "--every", "150000", "--restart-every", every, *few, path(name))
    check(last("restless") == last("still"), "restart files within a step do not end the run, and change no bit")

    # backwards to the beginning
    run("run", path("triple.csv"), "--end", "100", "--orbit-steps", "64", *few, path("there"))
    run("run", sorted(glob.glob(path("there/snapshot_*")))[-1], "--end", "0", "--orbit-steps", "64", *few, path("back"))
    check(apart(last("back"), table(path("triple.csv"))) < 1e-9 * DIGITS, "back to the beginning", apart(last("back"), table(path("triple.csv"))))

    # planets; units of G; a time between two steps
    write("sun.csv", SUN)
    run("run", path("sun.csv"), "--end", "6000", *few, path("sun"))
    check(abs(table(path("sun/energy.csv"))[-1]["de"]) < 1e-10, "Sun and two planets keep their energy", table(path("sun/energy.csv"))[-1]["de"])
    run("run", path("sun.csv"), "--g", "4", "--end", "3000", *few, path("fast"))
    write("quick.csv", SUN.splitlines()[0] + "\n" + "\n".join(
        ",".join([*row.split(",")[:4], *(repr(float(v) / 2) for v in row.split(",")[4:])]) for row in SUN.splitlines()[1:]) + "\n")
    run("run", path("quick.csv"), "--end", "12000", *few, path("slow"), "--g", "0.25")
    check(apart(last("slow"), last("sun")) < 1e-8 * DIGITS, "G scales the time", apart(last("slow"), last("sun")))
    run("run", path("triple.csv"), "--step", "7", "--end", "1000", "--shorten", *few, path("odd"))
    check(last("odd") == last("whole"), "a last step that is divided ends at the same bits")

    # one body, and bodies without mass around one with mass
    write("one.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,1,0,0\n")
    run("run", path("one.csv"), "--end", "3", *few, path("one"))
    check(last("one")[0]["x"] == 3, "a single body moves on", last("one"))
    write("light.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n0,1,0,0,0,1,0\n0,0,2,0,0.5,0,0\n")
    run("run", path("light.csv"), "--end", 2 * math.pi, *few, path("light"))
    check(math.hypot(last("light")[1]["x"] - 1, last("light")[1]["y"]) < 1e-8 * DIGITS, "a body without mass returns after its period", last("light"))


    def orbit(sun, body):
        """Energy and angular momentum of a body without mass about one of mass 1."""
        x, v = ([body[a + c] - sun[a + c] for c in "xyz"] for a in ("", "v"))
        return [sum(c * c for c in v) / 2 - 1 / math.hypot(*x), x[0] * v[1] - x[1] * v[0], x[1] * v[2] - x[2] * v[1]]

    write("fast.csv", "mass,x,y,z,vx,vy,vz\n1,0.1,0.2,0.3,0.4,-0.5,0.6\n0,0.3,1.5,0.2,2,1,0.4\n0,-0.5,0.2,0.1,0.7,3,0.1\n")
    run("run", path("fast.csv"), "--end", "64", *few, path("fast"), "--overwrite")
    orbits = [[orbit(rows[0], row) for row in rows[1:]] for rows in (table(path("fast.csv")), last("fast"))]
    check(all(abs(a - b) < 1e-8 * DIGITS for one, other in zip(*orbits) for a, b in zip(one, other)) and orbits[0][0][0] > 0 and orbits[0][1][0] > 0,
          "fast bodies without mass fly by one with mass, wherever it is", orbits)

    # slow-down
    wide = TRIPLE.replace("17.5", "140").replace("0.016076697317291", "0.0056839708460703").replace("0.091175481215054449", "0.032235400522555843")
    write("wide.csv", wide)
    counts = []
    for more in ([], ["--slow-down"]):
        run("run", path("wide.csv"), "--end", "3000", *more, *few, path("wide" + "".join(more)))
        counts.append(about("wide" + "".join(more))["body_steps"])
    check(counts[0] > 20 * counts[1] > 0, "--slow-down takes fewer steps", counts)

    # a contact at the pericentre, which no step ends at: a = 1, e = 0.99, P = 2 π
    write("pair.csv", "id,mass,x,y,z,vx,vy,vz,radius\n5,0.75,-0.4975,0,0,0,-0.01772226,0,0.004\n8,0.25,1.4925,0,0,0,0.05316678,0,0.016\n")
    run("run", path("pair.csv"), "--step", "7", "--end", "14", "--stop-collision", *few, path("pair"), code=6)
    told = about("pair")
    speed, apocentre = 0.05316678 + 0.01772226, 1.99
    axis = 1 / (2 / apocentre - speed ** 2)
    e = apocentre / axis - 1
    anomaly = math.acos((1 - 0.02 / axis) / e)
    when = (math.pi - anomaly + e * math.sin(anomaly)) * axis ** 1.5
    check(abs(told["time"] - when) < 1e-7, "a contact within a step stops at its time", f"{told['time']} {when}")
    check("collision of bodies 5 and 8" in told["reason"], "the reason names the bodies", told["reason"])
    run("run", "--resume", path("pair"), "--quiet", code=6)
    check(abs(about("pair")["time"] - when - 2 * math.pi * axis ** 1.5) < 1e-7, "--resume goes on to the next contact", about("pair")["time"])

    # refusals
    write("crowd.csv", "mass,x,y,z,vx,vy,vz\n" + "".join(f"1,{k},{k % 7},{k % 11},0,0,0\n" for k in range(101)))
    write("same.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,0,0,0,1,0,0\n")
    for bodies, words, part in (("triple", ["--softening", "0.1"], "without softening"), ("triple", ["--force", "tree"], "--force direct"),
                                ("triple", ["--precision", "single"], "in double"), ("triple", ["--error", "1e-3"], "--error"), ("triple", ["--ranks", "2"], "--ranks"),
                                ("triple", ["--field", "point:mass=1"], "no external fields"), ("triple", ["--eta", "0.01"], "not an option"),
                                ("crowd", [], "at most 100"), ("same", [], "at the same place")):
        process = run("run", path(bodies + ".csv"), "--end", "1", *words, *few, path("refused"), code=None)
        check(process.returncode and part in process.stderr and not os.path.exists(path("refused/snapshot_0001")), f"refused: {bodies} {' '.join(words)}",
              process.stderr)
    process = run("run", path("triple.csv"), "--end", "1", "--slow-down", "--output", path("refused"), code=None)
    check(process.returncode and "--slow-down is not an option of --integrator leapfrog" in process.stderr, "options of few need --integrator few", process.stderr)
finish()
