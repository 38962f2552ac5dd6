#!/usr/bin/env python3
"""yt loads our snapshots with the right mass, centre and units. It may belong to another python3
than the one on the path: Debian's python3-yt is for /usr/bin/python3."""
import os
import random
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
FILES = os.path.join(BUILD, "tests/helpers/files")
N = 2000

LOAD = r"""
import os, sys
try:
    import yt
except Exception as why:
    print("ABSENT", str(why).splitlines()[0])
    sys.exit()
yt.set_log_level(50)
for path in sys.argv[1:]:
    parameters = path + ".param"
    more = {"parameter_file": parameters} if os.path.exists(parameters) else {}
    data = yt.load(path, **more).all_data()
    mass = data["all", "particle_mass"].in_units("Msun").v
    place = data["all", "particle_position"].in_units("kpc").v
    speed = data["all", "particle_velocity"].in_units("km/s").v
    print(len(mass), mass.sum(), *(mass[:, None] * place).sum(axis=0) / mass.sum(),
          *(mass[:, None] * speed).sum(axis=0) / mass.sum(),
          float(data.ds.current_time.in_units("Gyr").v))
"""

tests = 0


def result(good, text):
    global tests
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {text}", flush=True)


def yt_says(paths):
    """A list of numbers for each file, and None; or None, and the reason why yt is not there."""
    why = "no python3"
    for python in ("python3", "/usr/bin/python3"):
        try:
            done = subprocess.run([python, "-W", "ignore", "-c", LOAD, *paths], timeout=300,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)
        except FileNotFoundError:
            continue
        if not done.stdout.startswith("ABSENT"):
            sys.stderr.write(done.stderr)
            return [[float(x) for x in line.split()] for line in done.stdout.splitlines()], None
        why = done.stdout.strip()[7:]
    return None, why


def bodies(path):
    """Writes a CSV file of stars and dark matter. Returns the mass, the centre and the mean velocity."""
    random.seed(5)
    mass, centre, speed = 0.0, [0.0] * 3, [0.0] * 3
    with open(path, "w", encoding="ascii") as file:
        file.write("# time: 2\nmass,x,y,z,vx,vy,vz,type,softening\n")
        for i in range(N):
            m = random.random() / N
            x = [random.gauss(k, 1) for k in range(3)]
            v = [random.gauss(-k, 100) for k in range(3)]
            file.write(",".join(repr(a) for a in [m, *x, *v]) + f",{4 if i % 3 else 1},0.1\n")
            mass += m
            centre = [a + m * b for a, b in zip(centre, x)]
            speed = [a + m * b for a, b in zip(speed, v)]
    return mass, [a / mass for a in centre], [a / mass for a in speed]


# units: length in kpc, mass in Msun, velocity in km/s, time in Gyr (None: not compared)
GYR = 3.085678e21 / 1e5 / 3.15576e16
CASES = [
    ("a.hdf5", "galaxy", "", 1, 1e10, 1, 2 * GYR, 1e-3),
    ("pieces.hdf5", "galaxy", "", 1, 1e10, 1, 2 * GYR, 1e-3),
    ("packed.hdf5", "galaxy", "compress", 1, 1e10, 1, 2 * GYR, 1e-3),
    ("cluster.hdf5", "cluster", "", 1e-3, 1, 1, 2e-3 * GYR, 1e-3),
    ("nbody.hdf5", "nbody", "", 1, 1e10, 1, 2 * GYR, 1e-3),
    ("a.tipsy", "galaxy", "", 1, 1e10, 1, None, 1e-3),
]


def close(a, b, tolerance):
    return abs(a - b) <= tolerance * (abs(b) + 1e-6)


def write(folder, case):
    """Writes a snapshot. Returns the path or None, and the reason."""
    name, units, compress = case[:3]
    path = os.path.join(folder, units + "-" + name)
    made = subprocess.run([FILES, "convert", os.path.join(folder, "a.csv"), path, units, compress],
                          stderr=subprocess.PIPE, text=True, check=False)
    if name.startswith("pieces") and not made.returncode:
        output = os.path.join(folder, "run")
        made = subprocess.run([os.path.join(BUILD, "kyoho"), "run", path, "--step", "1e-4", "--steps", "1", "--force", "tree", "--softening",
                               "0.1", "--ranks", "3", "--pieces", "--output", output, "--quiet"], stderr=subprocess.PIPE, text=True, check=False)
        path = os.path.join(output, "snapshot_0000.0.hdf5")
    return (None if made.returncode else path), made.stderr.strip()


def check(numbers, case, truth):
    name, units, _, length, mass, velocity, time, tolerance = case
    wanted = [N, truth[0] * mass, *(x * length for x in truth[1]), *(v * velocity for v in truth[2])]
    good = len(numbers) == 9 and all(close(a, b, tolerance) for a, b in zip(numbers, wanted))
    good = good and (time is None or close(numbers[8], time, tolerance))
    result(good, f"yt loads {name} in {units} units: mass, centre, velocity"
           + (", time" if time else "") + ("" if good else f": {numbers}, not {wanted}, {time}"))


def main():
    if not os.access(FILES, os.X_OK):
        result(False, f"{FILES} is not there: make tests builds it")
        return 1
    with tempfile.TemporaryDirectory() as top:
        truth = bodies(os.path.join(top, "a.csv"))
        paths = {}
        for case in CASES:
            path, why = write(top, case)
            if path:
                paths[case] = path
            else:
                result("no HDF5" in why, f"{case[0]} # SKIP {why}")
        found, why = yt_says(paths.values())
        for k, case in enumerate(paths):
            if found is None:
                result(True, f"yt loads {case[0]} # SKIP {why}")
            else:
                check(found[k] if k < len(found) else [], case, truth)


sys.exit(main())
