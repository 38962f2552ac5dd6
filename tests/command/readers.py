#!/usr/bin/env python3
"""yt and pynbody load our snapshots, also those of ranks, with the right mass, centre and units, and yt draws them. Each may belong to another python3
than the one on the path: Debian's python3-yt is for /usr/bin/python3. `check-all` installs those that are missing, each into a folder
of the build, and has them load boxes and yt draw."""
import json
import os
import random
import re
import shutil
import subprocess
import sys

import tap
import wheels
from tap import check, finish, folder, skip

FILES = os.path.join(wheels.BUILD, "tests", "helpers", "files")
TOP = wheels.TOP
YT_41 = "yt-4.1", "yt==4.1.4", "numpy<2", "unyt<3", "matplotlib<3.9", "setuptools", "h5py"  # with what was new when it was
N = 2000
ALL = "KYOHO_TEST_ALL" in os.environ

# Each prints a line for each file, whose name is an argument: number of bodies, mass [solar masses], centre [kpc], mean velocity
# [km/s], and time [Gyr].
SUMS = r"""
import json, sys
import numpy
def tell(mass, place, speed, time):
    mean = lambda of: ((mass[:, None] * of).sum(axis=0) / mass.sum()).tolist()
    print(json.dumps([len(mass), float(mass.sum()), *mean(place), *mean(speed), float(time)]))
"""
READERS = {
    "yt": r"""
import os, yt
yt.set_log_level(50)
for path in sys.argv[1:]:
    more = {"parameter_file": path + ".param"} if os.path.exists(path + ".param") else {}
    data = yt.load(path, **more).all_data()
    tell(*(data["all", "particle_" + name].in_units(unit).v for name, unit in (("mass", "Msun"), ("position", "kpc"), ("velocity", "km/s"))),
         data.ds.current_time.in_units("Gyr").v)
""",
    "pynbody": r"""
import pynbody
for path in sys.argv[1:]:
    data = pynbody.load(path.replace(".0.hdf5", ""))  # the name of a snapshot, not of its first piece
    tell(*(numpy.asarray(data[name].in_units(unit)) for name, unit in (("mass", "Msol"), ("pos", "kpc"), ("vel", "km s**-1"))),
         data.properties["time"].in_units("Gyr"))
"""}

# Prints for each file the edges of the plot [kpc], its mass [solar masses]
# and the centre of the mass in it [kpc], along each axis of the sky.
PLOTS = r"""
import json, site, sys
site.addsitedir(sys.argv[1])
import numpy
import yt
yt.set_log_level(50)
mass = ("all", "particle_mass")
for path in sys.argv[2:]:
    data = yt.load(path)
    for plot in (yt.ParticleProjectionPlot(data, "z", mass), yt.ParticlePlot(data, ("all", "particle_position_x"), ("all", "particle_position_y"), mass)):
        plot.save(path + ".png")
        axes, picture = plot.plots[mass].axes, plot.frb[mass].to("Msun").v
        picture[~numpy.isfinite(picture)] = 0
        centre = []
        for edges, part in ((axes.get_xlim(), picture.sum(axis=0)), (axes.get_ylim(), picture.sum(axis=1))):
            middles = numpy.linspace(*edges, 2 * len(part) + 1)[1::2]
            centre.append((middles * part).sum() / part.sum())
        print(json.dumps([*axes.get_xlim(), *axes.get_ylim(), picture.sum(), *centre, axes.get_xlabel(), axes.get_ylabel()]))
"""

# Prints whether kyoho_yt has been imported: before yt is, and after.
FIND = r"""
import importlib.util, site, sys
site.addsitedir(sys.argv[1])
importlib.util.find_spec("yt")
before = "kyoho_yt" in sys.modules
import yt
print(before, "kyoho_yt" in sys.modules)
"""

# Prints for each file of a box: 1 if it is comoving, redshift, h, Ω_m, Ω_Λ, side [comoving kpc], time [Gyr], and for each body mass
# [solar masses], comoving position [kpc] and peculiar velocity [km/s], by their ids.
BOX_SUMS = r"""
import json, sys
import numpy
def tell(facts, ids, *columns):
    order = numpy.argsort(numpy.asarray(ids))
    print(json.dumps([[float(fact) for fact in facts], numpy.column_stack(columns)[order].tolist()]))
"""
BOX_READERS = {
    "yt": r"""
import yt
yt.set_log_level(50)
for path in sys.argv[1:]:
    ds = yt.load(path)
    data = ds.all_data()
    comoving = ds.cosmological_simulation
    length = "kpccm" if comoving else "kpc"
    assert all(ds.periodicity) and not ds.domain_left_edge.v.any()
    facts = [comoving, *((ds.current_redshift, ds.hubble_constant, ds.omega_matter, ds.omega_lambda) if comoving else (0, 1, 0, 0)),
             ds.domain_width[0].in_units(length), ds.current_time.in_units("Gyr")]
    tell(facts, data["all", "particle_index"].v,
         *(data["all", "particle_" + name].in_units(unit).v for name, unit in (("mass", "Msun"), ("position", length), ("velocity", "km/s"))))
""",
    "pynbody": r"""
import pynbody
for path in sys.argv[1:]:
    data = pynbody.load(path)
    about = data.properties
    comoving = "omegaM0" in about
    length = "kpc a" if comoving else "kpc"
    facts = [comoving, *((1 / about["a"] - 1, about["h"], about["omegaM0"], about["omegaL0"]) if comoving else (0, 1, 0, 0)),
             about["boxsize"].in_units(length, **data.conversion_context()), about["time"].in_units("Gyr")]
    tell(facts, data["iord"], *(numpy.asarray(data[name].in_units(unit)) for name, unit in (("mass", "Msol"), ("pos", length), ("vel", "km s**-1"))))
""",
}

# units: length in kpc, mass in Msun, velocity in km/s, time in Gyr (None: not compared)
GYR = 3.085678e21 / 1e5 / 3.15576e16
CASES = [
    ("a.hdf5", "galaxy", "", 1, 1e10, 1, 2 * GYR),
    ("ranks.hdf5", "galaxy", "", 1, 1e10, 1, 2 * GYR),
    ("pieces.hdf5", "galaxy", "", 1, 1e10, 1, 2 * GYR),
    ("packed.hdf5", "galaxy", "compress", 1, 1e10, 1, 2 * GYR),
    ("cluster.hdf5", "cluster", "", 1e-3, 1, 1, 2e-3 * GYR),
    ("nbody.hdf5", "nbody", "", 1, 1e10, 1, 2 * GYR),
    ("a.tipsy", "galaxy", "", 1, 1e10, 1, None),
]
RANKS = {"ranks.hdf5": ([], "snapshot_0000.hdf5"), "pieces.hdf5": (["--pieces"], "snapshot_0000.0.hdf5")}


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


def write(place, case):
    """Writes a snapshot. Returns its path, or None and the reason."""
    name, units, compress = case[:3]
    path = os.path.join(place, units + "-" + name)
    made = subprocess.run([FILES, "convert", os.path.join(place, "a.csv"), path, units, compress], stderr=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        return None, made.stderr.strip()
    if name in RANKS:
        more, first = RANKS[name]
        output = os.path.join(place, name + "-run")
        tap.run("run", path, "--step", "1e-4", "--steps", 1, "--force", "tree", "--softening", 0.1, "--ranks", 3, *more, "--output", output, "--quiet")
        path = os.path.join(output, first)
    return path, ""


def is_close(a, b, tolerance=1e-3):
    return abs(a - b) <= tolerance * (abs(b) + 1e-6)


def compare(reader, case, numbers, truth):
    name, units, _, length, mass, velocity, time = case
    wanted = [N, truth[0] * mass, *(x * length for x in truth[1]), *(v * velocity for v in truth[2])]
    good = len(numbers) == 9 and all(is_close(a, b) for a, b in zip(numbers, wanted)) and (time is None or is_close(numbers[8], time))
    check(good, f"{reader} loads {name} in {units} units: mass, centre, velocity" + (", time" if time else ""), f"{numbers}, not {wanted}, {time}")


def load(reader, paths, truth):
    """Has one of the readers load the files, by case."""
    python, why = wheels.python_of(reader, "h5py")
    if not python:
        for case in paths:
            skip(f"{reader} loads {case[0]}", why)
        return
    done = subprocess.run([python, "-W", "ignore", "-c", SUMS + READERS[reader], *paths.values()], capture_output=True, text=True, timeout=600, check=False)
    lines = done.stdout.splitlines()
    check(done.returncode == 0 and len(lines) == len(paths), f"{reader} loads {len(paths)} files", done.stderr)
    for line, case in zip(lines, paths):
        compare(reader, case, json.loads(line), truth)


def box_of(path, scratch):
    """What a reader must find in a box that Kyoho has written, by Kyoho's own reading of it."""
    tap.run("convert", path, scratch, "--overwrite", "--quiet")
    with open(scratch, encoding="utf-8") as file:
        lines = [line.split(",") for line in file.read().splitlines() if not line.startswith("#")]
    columns = [lines[0].index(name) for name in ("id", "mass", "x", "y", "z", "vx", "vy", "vz")]
    space = tap.run_json("info", path)["space"]
    h = space["hubble"] if space["per_h"] else 1
    facts = [1, 1 / space["scale_factor"] - 1, h, space["omega_matter"], space["omega_lambda"]] if space["comoving"] else [0, 0, 1, 0, 0]
    return [*facts, space["box"] / h], [row[1:] for row in sorted([float(line[c]) for c in columns] for line in lines[1:])]


def load_boxes(reader, place):
    """Has a reader load a comoving box and an ordinary one."""
    python, why = wheels.python_of(reader, "h5py")
    paths = []
    for name, words in (("comoving", ["--model", "cosmic-box", "-n", 512, "--side", 20, "--end-z", 39]),
                        ("ordinary", ["--model", "uniform-cube", "-n", 64, "--mass", 1, "--units", "galaxy", "--box", 2, "--softening", 0.05, "--end", 1e-3, "--step", 1e-3])):
        output = os.path.join(place, f"{name}-{reader}")
        made = python and tap.run("run", *words, "--force", "direct", "--seed", 3, "--output", output, "--quiet", code=None)
        paths.append(os.path.join(output, "snapshot_0001.hdf5"))
        if not made or not os.path.exists(paths[-1]):
            skip(f"{reader} loads boxes", why or made.stderr.strip() or "no HDF5 in this build")
            return
    done = subprocess.run([python, "-W", "ignore", "-c", BOX_SUMS + BOX_READERS[reader], *paths], capture_output=True, text=True, timeout=600, check=False)
    lines = done.stdout.splitlines()
    check(done.returncode == 0 and len(lines) == 2, f"{reader} loads 2 boxes", done.stderr[-2000:])
    for line, path in zip(lines, paths):
        facts, rows = json.loads(line)
        wanted, bodies = box_of(path, os.path.join(place, "box.csv"))
        speed = max(abs(v) for body in bodies for v in body[4:]) or 1
        good = len(rows) == len(bodies) and all(is_close(a, b, 1e-6) for a, b in zip(facts, wanted))
        good = good and all(is_close(a[0], 1e10 * b[0]) and all(abs(x - y) < 1e-6 * wanted[5] for x, y in zip(a[1:4], b[1:4]))
                            and all(abs(x - y) < 1e-6 * speed for x, y in zip(a[4:], b[4:])) for a, b in zip(rows, bodies))
        check(good, f"{reader} loads a box with its universe, and every body in its place: {os.path.basename(os.path.dirname(path))}",
              f"{facts}, not {wanted}\n{rows[:2]}\n{bodies[:2]}")


def put_frontend(place):
    """The module kyoho_yt as pip installs it, with its entry point and its finder for yt 4.1; the folder of all."""
    with open(os.path.join(TOP, "pyproject.toml"), encoding="utf-8") as file:
        entries = re.search(r'entry-points."yt.frontends"]\n(.*?)\n\n', file.read(), re.S)
    about = os.path.join(place, "kyoho_yt-1.dist-info")
    os.mkdir(about)
    for name in ("kyoho_yt.py", "kyoho_yt.pth", "kyoho_yt_finder.py"):
        shutil.copy(os.path.join(TOP, "python", name), place)
    for name, text in (("METADATA", "Name: kyoho_yt\nVersion: 1\n"), ("entry_points.txt", "[yt.frontends]\n" + entries.group(1).replace('"', "") + "\n")):
        with open(os.path.join(about, name), "w", encoding="utf-8") as file:
            file.write(text)
    return place


def pythons_of_yt():
    """The pythons whose yt is to draw, each with its name or the reason why there is none: the newest yt and 4.1."""
    found = []
    for name, *packages in (("yt", "yt", "h5py"), YT_41):
        programs, why = wheels.install(os.path.join("tests", name), *packages)
        found.append((name, programs and os.path.join(programs, "python"), why))
    return found


def draw(yt, python, why, paths, truth, far):
    """yt draws the files without further arguments, with axes that are those of the bodies: about the origin, or `far` from it."""
    names = [name for name in paths if name.endswith(".hdf5")]
    if not python:
        for name in names:
            skip(f"{yt} draws {name}", why)
        return
    with folder() as place:
        done = subprocess.run([python, "-W", "ignore", "-c", PLOTS, put_frontend(place), *(paths[name] for name in names)],
                              capture_output=True, text=True, timeout=600, check=False, env={**os.environ, "MPLBACKEND": "Agg"})
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    check(done.returncode == 0 and len(lines) == 2 * len(names), f"{yt} draws {len(names)} files with negative positions", done.stderr[-2000:])
    for k, (left, right, bottom, top, mass, *centre, across, up) in enumerate(lines):
        size, name = right - left, names[k // 2]
        shift = far if name == "far.hdf5" else 0  # yt's axes count from the centre of the picture
        wanted = [x if not shift else 0 for x in truth[1][:2]]
        good = is_close(left, -right) and is_close(bottom, -top) and is_close(top - bottom, size) and is_close(mass, 1e10 * truth[0])
        good = good and all(abs(a - b) < (0.01 if not shift else 0.2) * size for a, b in zip(centre, wanted))
        check(good and "x" in across and "y" in up and "kpc" in across + up, f"{yt}: {('ParticleProjectionPlot', 'ParticlePlot')[k % 2]} of {name}: edges, mass and centre",
              f"{lines[k]}, not {wanted}")


def finds_frontend():
    """kyoho_yt is imported with a yt 4.1, also where a program has looked for yt before, and with no other."""
    for version, wanted in (("4.1.4", True), ("4.4.3", False)):
        with folder() as place:
            put_frontend(place)
            os.mkdir(os.path.join(place, "yt"))
            for name, text in (("yt/__init__.py", f"__version__ = '{version}'\n"), ("kyoho_yt.py", "")):  # in place of yt and of its reader
                with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, "-S", "-c", FIND, place], capture_output=True, text=True, timeout=60, check=False)
        check(done.stdout.split() == ["False", str(wanted)], f"a program that looks for yt {version} and then imports it has kyoho_yt: {wanted}", done)


with folder() as place:
    truth = bodies(os.path.join(place, "a.csv"))
    paths = {}
    for case in CASES:
        path, why = write(place, case)
        if path:
            paths[case] = path
        elif check("no HDF5" in why, f"{case[0]} is written where there is HDF5", why):
            skip(f"{case[0]} is loaded", why)
    for reader in READERS:
        load(reader, paths, truth)
        if ALL:
            load_boxes(reader, place)
    if ALL:
        drawn = {case[0]: path for case, path in paths.items() if case[0] != "cluster.hdf5"}  # which yt draws in parsecs
        if "a.hdf5" in drawn:
            drawn["far.hdf5"] = os.path.join(place, "far.hdf5")
            tap.run("convert", drawn["a.hdf5"], "--position", "30,0,0", "-o", drawn["far.hdf5"])
        for yt in pythons_of_yt():
            draw(*yt, drawn, truth, 30)
finds_frontend()
finish()
