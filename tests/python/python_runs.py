#!/usr/bin/env python3
"""Runs in a folder of the Python package: the same files as `kyoho run`, going on from either side, progress, conditions, Ctrl-C."""
import environment

environment.enter()
import contextlib  # noqa: E402
import io  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from pressing import pressing  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, folder, skip  # noqa: E402

STEP = 1 / 64
COMMAND = os.path.join(os.environ["KYOHO_TEST_ENVIRONMENT"], "bin", "kyoho")
model = kyoho.model("plummer", 300, seed=2)


def command(*words):
    done = subprocess.run([sys.executable, COMMAND, *words, "--quiet"], text=True, capture_output=True)
    check(done.returncode == 0, f"kyoho {' '.join(words[:2])}", done.stderr)


def same(a, b):
    """Two runs have the same bits: the last snapshots, and energy.csv but for the seconds."""
    columns = [name for name in a.energy.dtype.names if not name.startswith("wall")]
    return (sorted(os.listdir(a.folder)) == sorted(os.listdir(b.folder)) and np.array_equal(a[-1].position, b[-1].position)
            and np.array_equal(a[-1].velocity, b[-1].velocity)
            and all(np.array_equal(a.energy[name], b.energy[name], equal_nan=True) for name in columns))


def verified():
    """kyoho verify runs a run of Python again with the bodies of its first snapshot. It does not know functions."""
    for name, words in (("plain", {}), ("block", {"integrator": "block", "eta": 0.1}), ("own", {"softening": 0.05, "force": "tree"})):
        kyoho.run(model, name, end=0.125, step=STEP, every=0.0625, **words)
        command("verify", name)
    kyoho.run(model, "pushed", steps=8, step=STEP, heartbeat=lambda sim: sim.kick(np.ones((len(sim), 3))))
    done = subprocess.run([sys.executable, COMMAND, "verify", "pushed"], text=True, capture_output=True)
    check(done.returncode == 4 and "functions (heartbeat, field)" in done.stderr and "step 0 is the same" in done.stderr, "a heartbeat that kicks is seen", done.stderr)
    kyoho.run(model, "late", steps=8, step=STEP, every=0, at=[4 * STEP])
    done = subprocess.run([sys.executable, COMMAND, "verify", "late"], text=True, capture_output=True)
    check(done.returncode == 4, "a run without a snapshot of its start cannot be verified", done.stderr)


def beside_the_command():
    command("run", "--model", "plummer", "-n", "300", "--seed", "2", "--end", "1", "--every", "0.25", "--step", str(STEP), "--output", "theirs")
    ours = kyoho.run(model, "ours", end=1, every=0.25, step=STEP, restart_every=600)
    theirs = kyoho.Run("theirs")
    check(len(ours) == 5 and [one.time for one in ours] == [0, 0.25, 0.5, 0.75, 1] and ours.energy["time"][-1] == 1 and abs(ours.energy["de"][-1]) < 1e-3
          and ours.record["outcome"] == "done" and ours.record["options"]["every"] == 0.25, "a run has snapshots, energies and a record", ours)
    check(same(ours, theirs), "it has the files and the bits of a run of the command", (os.listdir("ours"), os.listdir("theirs")))
    command("run", "--resume", "ours", "--end", "2")
    more = kyoho.resume("theirs", end=2)
    check(more.folder == "theirs" and len(more) == 9 and more[-1].time == 2 and same(kyoho.Run("ours"), more), "the command resumes a run of Python, and Python one of the command")
    refused(ValueError, "a folder with results", ["kyoho.resume", '"ours"', "overwrite"], kyoho.run, model, "ours", end=1)
    again = kyoho.run(model, "ours", end=0.5, step=STEP, overwrite=True)
    check(len(again) == 2 and again[-1].time == 0.5, "overwrite replaces it")
    refused(FileNotFoundError, "a folder that there is not", ["nowhere"], kyoho.Run, "nowhere")
    refused(FileNotFoundError, "a folder without a run", ["restart.kyo", "folder of a run"], kyoho.resume, ".")
    os.mkdir("empty")
    for name in ("energy", "record"):
        for kind in (FileNotFoundError, kyoho.NoFileError):
            refused(kind, f"{name} of an empty folder is {kind.__name__}", ["empty", "folder of a run"], getattr, kyoho.Run("empty"), name)
    refused(ValueError, "an end in the past", ["time 0.5", "past", "later"], kyoho.resume, "ours", end=0.25)
    refused(ValueError, "an end within a step", ["end", "step"], kyoho.resume, "ours", end=1 + STEP / 3)
    refused(ValueError, "no steps", ["end, or steps of at least 1"], kyoho.run, model, "none", steps=0)


def without_snapshots():
    """A run may have no snapshots (every=0); its folder can be used all the same."""
    empty = kyoho.run(model, "few", steps=4, step=STEP, every=0)
    check(len(empty) == 0 and list(empty) == [] and empty[:] == [] and "0 snapshots" in repr(empty) and empty.energy["time"][-1] == 4 * STEP, "a run without snapshots", empty)
    refused(IndexError, "the last of no snapshots", ["snapshot -1", "0 snapshots"], lambda: empty[-1])
    os.mkdir("bare")
    refused(kyoho.BadDataError, "snapshots of a folder without a run", ["bare", "no snapshots"], len, kyoho.Run("bare"))


def damaged():
    """Files of a run that are cut."""
    hurt = kyoho.run(model, "hurt", steps=4, step=STEP)
    for name, read in (("energy.csv", lambda: hurt.energy), ("run.json", lambda: hurt.record), ("run.json", lambda: hurt.units)):
        path = os.path.join("hurt", name)
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text[:-len(text) // 6])
        refused(kyoho.BadDataError, f"{name} that is cut", [path, "damaged"], read)
        with open(path, "w") as file:
            file.write(text)
    with open("hurt/energy.csv", "w") as file:
        file.write("time,steps\n")
    refused(kyoho.BadDataError, "energies that are shorter than the run", ["energy.csv", "from the last snapshot"], kyoho.resume, "hurt", steps=8)
    refused(FileNotFoundError, "a file in the place of a folder", ["run.json", "is a file"], kyoho.Run, "hurt/run.json")


def choices():
    """The line about what was chosen has Python's words."""
    for choice in (kyoho.run(model, "planned", end=1, step=STEP, dry_run=True).choice, kyoho.check(model, softening=0.05).choice):
        check(choice and "force direct" in choice and "--" not in choice, "what was chosen is said in Python's words", choice)


def units():
    young = kyoho.model("plummer", 200, units="cluster", mass="500 Msun", radius="0.5pc", seed=1)
    run = kyoho.run(young, "young", end="40 kyr", every="20kyr", step="2kyr")
    check(np.allclose([one.time for one in run], [0, 0.020454, 0.040909], rtol=1e-4) and run.units == young.units, "times with units", [one.time for one in run])
    massive = kyoho.model("plummer", 20, units="cluster", mass="200 Msun", radius="1pc", seed=1)
    old = kyoho.run(massive, "old", end="30 Myr", every="30Myr", step="0.5Myr", stellar_evolution="analytic:kick=5")
    check("evolution" in old.energy.dtype.names and abs(old[-1].mass.sum() - 28) < 1e-9, "stellar evolution by name: stars of 10 Msun end as neutron stars",
          (old.energy.dtype.names, old[-1].mass))
    touching = kyoho.Snapshot(position=[[0, 0, 0], [0.1, 0, 0], [3, 0, 0]], velocity=np.zeros((3, 3)), mass=[2, 1, 1], radius=[0.1, 0.1, 0.1])
    one = kyoho.run(touching, "one", steps=2, step=STEP, softening=0, integrator="few", collisions="merge")
    check(sorted(one[-1].mass) == [1, 3], "collisions merge bodies that touch", one[-1].mass)
    hard = kyoho.model("plummer", 64, binaries=1, binary_periods="log-uniform", binary_axis_min=1e-4, binary_axis_max=1e-3, seed=1)
    close = kyoho.run(hard, "close", integrator="hermite4", groups=True, softening=0, step=1 / 64, steps=2, every=0)
    check(close.energy["grouped"][-1] > 32 and abs(close.energy["de"][-1]) < 1e-6, "groups of close bodies", close.energy[-1])
    more = kyoho.resume("young", end="80kyr")
    check(abs(more[-1].time - 0.081817) < 1e-5, "also of resume, which takes the units of the run", more[-1].time)
    listed = kyoho.run(model, "listed", steps=32, step=STEP, at=[0.125, 0.25], every=0, follow=[3, 5], threads=1)
    check([one.time for one in listed] == [0.125, 0.25], "times and ids as lists", [one.time for one in listed])
    check("x_5" in listed.energy.dtype.names, "followed bodies have columns", listed.energy.dtype.names)


def beats():
    seen = []

    def heartbeat(sim):
        seen.append((sim.steps, sim.time, sim.position[0].copy(), sim.energy()))
        sim.kick(np.zeros((len(sim), 3)))
        return sim.steps >= 24
    run = kyoho.run(model, "beats", end=1, step=STEP, heartbeat=heartbeat, heartbeat_every=8)
    check([beat[0] for beat in seen] == [8, 16, 24] and seen[-1][1] == 24 * STEP and run.record["outcome"] == "stopped early", "heartbeat is called every 8 steps, and ends the run",
          (seen, run.record["outcome"]))
    with kyoho.Simulation(model, step=STEP) as sim:
        sim.advance(24)
        check(np.array_equal(sim.position[0], seen[-1][2]), "it sees the bodies of that step")
    check(kyoho.resume("beats", heartbeat=lambda sim: None).record["outcome"] == "done", "the run goes on")
    kept = []
    kyoho.run(model, "kept", steps=2, step=STEP, heartbeat=kept.append)
    refused(ValueError, "the simulation after the run", ["closed"], lambda: kept[0].time)
    kyoho.run(model, "closed", steps=2, step=STEP, heartbeat=lambda sim: sim.close())
    refused(ZeroDivisionError, "an exception of the heartbeat", [], kyoho.run, model, "raises", steps=3, step=STEP, heartbeat=lambda sim: 1 / 0)
    refused(TypeError, "a heartbeat that is none", ["heartbeat"], kyoho.run, model, "none", steps=3, heartbeat=3)
    refused(KeyError, "an exception of a field", ["halo"], kyoho.run, model, "field", steps=3, step=STEP, field=lambda place, time: {}["halo"])

    def uniform(place, time):
        return np.ones_like(place), -place.sum(1)
    half = kyoho.run(model, "half", steps=64, step=STEP, field=uniform, heartbeat=lambda sim: sim.steps >= 32)
    refused(ValueError, "resume without the function", ["function"], kyoho.resume, "half")
    half, whole = kyoho.resume("half", field=uniform), kyoho.run(model, "whole", steps=64, step=STEP, field=uniform)
    check(np.array_equal(half[-1].position, whole[-1].position) and half[-1].position.mean() > 0.4, "a run with a function as field, resumed with it")


def comoving():
    """A comoving box: from the model through a run, its snapshots and a file; what knows only boxes at rest refuses it."""
    bodies = kyoho.model("cosmic-box", 512, side=20)
    bodies.write("universe.hdf5")
    stored, run = kyoho.read("universe.hdf5"), kyoho.run(bodies, "universe", end_z=24, step=np.log(2) / 23)
    check(bodies.cosmology[:2] == (0.6766, 0.3111) and np.isclose(bodies.box, 20e3 / 0.6766) and np.isclose(bodies.time, 0.02) and "comoving box" in repr(bodies), "a comoving box", bodies)
    check(np.allclose(stored.cosmology, bodies.cosmology) and np.isclose(stored.box, bodies.box) and np.allclose(stored.velocity, bodies.velocity, 1e-5), "its file", stored)
    check(np.isclose(run[-1].time, 0.04) and np.allclose(run[-1].cosmology, bodies.cosmology) and kyoho.run(stored, "again", end_z=24)[-1].cosmology is not None, "its run", run[-1])
    check(1.9 < np.sqrt(kyoho.power(run[-1]).power[0] / kyoho.power(bodies).power[0]) < 2.1, "waves grow with a")
    with kyoho.Simulation(bodies, step=1 / 32) as sim:
        check(np.allclose(sim.velocity, bodies.velocity) and sim.time == bodies.time and sim.parameters["box"] == bodies.box, "a simulation of it has peculiar velocities")
        sim.integrate(run[-1].time)
        now = sim.snapshot()
        box = bodies.box
        apart = np.abs((now.position - run[-1].position + box / 2) % box - box / 2).max()
        check(apart < 0.05 and np.allclose(now.velocity, run[-1].velocity, rtol=1e-3, atol=1e-3) and np.allclose(now.cosmology, bodies.cosmology, rtol=1e-6)
              and np.isclose(now.time, 0.04) and now.box == box, "it gives the Snapshot that kyoho.run gives", (apart, now.cosmology))
        alone, same = sim.groups(linking_length=1, minimum=1), kyoho.groups(now, linking_length=1, minimum=1)
        check(np.allclose(alone.velocity, now.velocity[alone.body]) and np.allclose(alone.m200c, same.m200c) and np.allclose(kyoho.groups(sim, linking_length=1, minimum=1).m200c, same.m200c)
              and np.allclose(sim.groups(linking_fraction=0.99).dispersion, kyoho.groups(now, linking_fraction=0.99).dispersion), "groups have peculiar velocities, and spheres", alone.velocity[:2])
        sim.velocity = now.velocity * 2
        sim.kick(-now.velocity)
        check(np.allclose(sim.velocity, now.velocity) and np.allclose(sim.sums().kinetic, 0.5 * (now.mass[:, None] * now.velocity**2).sum() * now.time**2), "changes of velocities are peculiar", sim.sums().kinetic)
    with kyoho.Simulation(position=bodies.position, velocity=bodies.velocity, mass=bodies.mass, softening=2000, time=0.02, units=bodies.units, box=bodies.box,
                          expansion=bodies.cosmology.expansion(), step=1 / 32, softening_max=40, force="direct") as sim:
        sim.integrate(0.04)
        both = [kyoho.gravity(sim.position, sim.mass, eps, units=bodies.units, box=bodies.box, force="direct")[0] for eps in (1000, 2000)]
        apart = [np.abs(sim.acceleration - one).max() / np.abs(one).max() for one in both]
        check(sim.parameters["softening"] == 2000 and apart[0] < 1e-4 < 1e-2 < apart[1], "a softening with a largest physical length", apart)
    corrected = kyoho.model("cosmic-box", 512, side=20, plt=9)
    apart = np.abs(corrected.position - bodies.position).max()
    check(0 < apart < bodies.box / 8, "waves of it are corrected for the lattice", apart)
    refused(kyoho.UsageError, "a fluid before its start", ["before the start"], kyoho.model, "cosmic-box", 512, plt=50)
    refused(kyoho.UsageError, "N-body units of it", ["leave out units"], kyoho.model, "cosmic-box", 512, units="nbody")
    found = kyoho.groups(bodies, minimum=1, linking_length=1)
    mass = bodies.mass.sum() / 512
    check(len(found) == 512 and np.allclose(found.m200m, mass) and np.allclose(found.peak[found.label], bodies.position)
          and np.allclose((found.r200m / found.r200c) ** 3, 1 / (0.3111 / (0.3111 + 0.6889 * 0.02**3)), 1e-3), "spheres about single bodies in it", found)
    check(np.isnan(kyoho.groups(kyoho.Snapshot([[1, 1, 1]], box=2), minimum=1, linking_length=1).m200c).all() and kyoho.groups([[0, 0, 0]], minimum=1, linking_length=1).peak is None,
          "without a cosmology, and in open space")
    check(kyoho.neighbours(bodies, 1.2 * bodies.box / 8).count.tolist() == [6] * 512, "neighbours in it, on a lattice")
    bodies.box = None
    refused(kyoho.UsageError, "a cosmology and no box", ["cosmology = None"], bodies.write, "open.hdf5")


def boxes():
    """A periodic box stays with the bodies: from the run to its snapshots and to what is computed of them, or it is refused."""
    rng = np.random.default_rng(1)
    place = rng.uniform(0, 10, (200, 3))
    bodies = kyoho.Snapshot(place, rng.normal(0, 0.1, (200, 3)), softening=0.1, box=10)
    with_option = kyoho.run(kyoho.Snapshot(place, bodies.velocity, softening=0.1), "option", steps=4, step=0.01, box=10)
    run = kyoho.run(bodies, "box", steps=4, step=0.01)
    check(same(run, with_option) and [one.box for one in run] == [10, 10] and "box of 10" in repr(run[-1]), "the box of the bodies is that of the run and of its snapshots", run[-1])
    acc, pot = kyoho.gravity(bodies)
    open_acc = kyoho.gravity(place, bodies.mass, 0.1)[0]
    wanted = kyoho.gravity(place, bodies.mass, 0.1, box=10)
    check(np.array_equal(acc, wanted[0]) and np.array_equal(pot, wanted[1]) and not np.allclose(acc, open_acc, rtol=0.1), "forces of such bodies are periodic")
    points = np.array([[1, 1, 1], [9.9, 0.1, 5]])
    at = kyoho.field(points, bodies, force="direct")[0]
    check(np.allclose(at, kyoho.field(points - [10, 0, -20], bodies, force="direct")[0], 1e-9)
          and not np.allclose(at, kyoho.field(points, place, bodies.mass, 0.1, force="direct")[0], rtol=0.1), "fields at points are periodic")
    check(kyoho.check(bodies, 100, force="direct").acceleration.p99 < 1e-5 and kyoho.check(bodies, 0).parameters["box"] == 10, "also those of check")
    with kyoho.Simulation(bodies, step=0.01) as sim:
        sim.advance(4)
        check(sim.snapshot().box == 10 and np.array_equal(sim.position, run[-1].position), "a simulation takes the box and gives it", sim.snapshot())
        near = sim.neighbours(2)
        d = sim.position[:, None] - sim.position
        check(np.array_equal(near.count, (np.linalg.norm(d - 10 * np.rint(d / 10), axis=-1) <= 2).sum(1) - 1) and np.array_equal(kyoho.neighbours(sim, 2).body, near.body),
              "its neighbours are nearest images", near)
        refused(kyoho.UsageError, "bodies of another box", ["box is 10", "side 11"], sim.add, kyoho.Snapshot([[1, 1, 1]], box=11))
    comoving()
    moved = kyoho.Snapshot(place + [3, -20, 17], softening=0.1, box=10)
    found, again = kyoho.groups(bodies, minimum=2, linking_fraction=0.6), kyoho.groups(moved, minimum=2, linking_fraction=0.6)
    d = again.centre - found.centre - [3, 0, 7]
    check(np.array_equal(found.label, again.label) and np.abs(d - 10 * np.rint(d / 10)).max() < 1e-12 and len(found) > 9, "groups in a box", found)
    check(np.allclose(kyoho.density(bodies, k=9)[1], kyoho.nearest(bodies, 9)[1][:, -1], 1e-12) and np.array_equal(kyoho.nearest(place, 9, box=10)[0], kyoho.nearest(bodies, 9)[0])
          and not np.array_equal(kyoho.nearest(place, 9)[0], kyoho.nearest(bodies, 9)[0]), "densities and nearest bodies too")
    refused(kyoho.UsageError, "a radius of more than half of the box", ["half of the periodic box"], kyoho.neighbours, bodies, 5.1)
    for name, function in (("binaries", kyoho.binaries), ("scales", kyoho.scales),
                           ("tune", kyoho.tune), ("density_centre", kyoho.density_centre),
                           ("merge", lambda bodies: kyoho.merge(bodies, bodies, separation=3, pericentre=1))):
        refused(kyoho.UnsupportedError, f"{name} in a box", ["periodic boxes"], function, bodies)
    found = kyoho.profile(bodies, centre_x=9, centre_y=0, centre_z=5, outer=4, inner=3, shells=1)
    apart = bodies.position - [9, 0, 5]
    r = np.linalg.norm(apart - 10 * np.rint(apart / 10), axis=1)
    check(found.bodies[0] == ((r >= 3) & (r < 4)).sum() > 5, "a profile takes the nearest images", found.bodies)
    refused(kyoho.UsageError, "a profile in a box without a centre", ["centre"], kyoho.profile, bodies)
    free = bodies.copy()
    free.box = None
    check(np.array_equal(kyoho.gravity(free)[0], open_acc) and len(kyoho.neighbours(free, 1)) == 200, "box = None: open space")
    check(kyoho.read(run.snapshots[-1], as_stored=True).box is None and kyoho.draw(run).shape[2] == 4, "as_stored too; and pictures")
    for box in (-1, 0, np.nan, np.inf):
        refused(kyoho.UsageError, f"a box of {box}", ["above 0"], kyoho.Snapshot, place, box=box)
    refused(kyoho.UsageError, "two boxes", ["box is 11", "side 10"], kyoho.run, bodies, "none", steps=1, step=0.01, box=11)
    long = kyoho.Snapshot(place, softening=0.1, box="10 kpc", units="galaxy")
    check(long.box == 10 and kyoho.gravity(long, box="10000 pc")[0].shape == (200, 3), "a box with a unit")


def stops():
    for options, reason in (({"max_wall": 0}, "max_wall"), ({"stop_box": 0.5}, "stop_box"), ({"stop_core": 1.0}, "stop_core")):
        try:
            kyoho.run(model, reason, end=4, step=STEP, **options)
            check(False, f"{reason} stops the run")
        except kyoho.StoppedError as stop:
            check(stop.reason == reason and f'kyoho.resume("{reason}")' in str(stop) and "--" not in str(stop), f"{reason} stops the run, and says how to go on", (stop, stop.reason))

    try:
        with pressing(os.kill, os.getpid(), signal.SIGINT, after=0.5):
            kyoho.run(model, "pressed", end=1e4, step=STEP)
        check(False, "Ctrl-C ends a run")
    except KeyboardInterrupt:
        record = kyoho.Run("pressed").record
        check(record["outcome"] == "stopped early" and record["steps"] > 0, "Ctrl-C ends a run, which can go on", record["outcome"])
    steps = record["steps"]
    check(kyoho.resume("pressed", steps=steps + 8).record["steps"] == steps + 8, "and goes on")


def progress():
    seen = []
    kyoho.run(model, "told", steps=16, step=STEP, progress=lambda done, text: seen.append((done, text)))
    check(len(seen) == 16 and seen[-1][0] == 1 and seen[7][0] == 0.5 and "step 8 (50 %)" in seen[7][1] and "dE/E" in seen[7][1], "progress calls a function", seen[-1:])

    check(all("left -" not in text for _, text in seen) and "left" not in seen[-1][1], "and tells no time left where it is not known", seen)

    seen.clear()
    young = kyoho.model("plummer", 100, units="cluster", mass="500 Msun", radius="0.5pc", seed=1)
    kyoho.run(young, "years", steps=4, step="2 kyr", progress=lambda done, text: seen.append((done, text)))
    kyoho.resume("years", steps=8, progress=lambda done, text: seen.append((done, text)))
    with kyoho.Simulation(young, step="1 Myr") as sim:
        sim.integrate("3 Myr", progress=lambda done, text: seen.append((done, text)))
    wanted = ["time 2 of 8 kyr  step 1 (25 %)", "time 16 of 16 kyr  step 8 (100 %)", "time 3 of 3 Myr (100 %)"]
    check(all(any(text.startswith(one) for _, text in seen) for one in wanted) and all(0 < done <= 1 for done, _ in seen), "progress has times with units", seen)
    rates = [float(text.split(" steps/s")[0].split()[-1]) for _, text in seen if "steps/s" in text]
    check(len(rates) == 8 and min(rates) > 0, "and a rate from the first step on", rates)

    class Terminal(io.StringIO):
        def isatty(self):
            return True
    for place, wanted in ((Terminal(), "\r\033[Ktime 0.25 of 0.25  step 16 (100 %)"), (io.StringIO(), "")):
        with contextlib.redirect_stderr(place):
            kyoho.run(model, "line", steps=16, step=STEP, progress=True, overwrite=True)
            with kyoho.Simulation(model, step=STEP) as sim:
                sim.advance(16, progress=True)
                sim.integrate(0.5, progress=True)
        check(wanted in place.getvalue() and place.getvalue().endswith("\n") == bool(wanted), f"progress=True in a {type(place).__name__}", repr(place.getvalue()))
    refused(TypeError, "a progress that is none", ["progress"], kyoho.run, model, "line", steps=16, progress="yes", overwrite=True)
    seen.clear()
    with kyoho.Simulation(model, step=STEP) as sim:
        sim.integrate(0.3, progress=lambda done, text: seen.append((done, text)))
    check(seen and seen[-1][0] == 1 and "time 0.3 of 0.3" in seen[-1][1], "progress of integrate ends at the end", seen[-1:])
    program = """
import sys, types
class ZMQInteractiveShell: pass
shell = ZMQInteractiveShell()
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
import kyoho
kyoho.run(kyoho.model("plummer", 300), "bar", steps=16, step=1/64, progress=True)
"""
    plain = program.replace("import sys, types", "import importlib.util, sys, types").replace("import kyoho", """
shown = []
class Line:
    def update(self, data, raw): shown[-1] = data["text/plain"]
def display(data, raw, display_id):
    shown.append(data["text/plain"])
    return Line()
sys.modules["IPython.display"] = types.SimpleNamespace(display=display)
own = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "tqdm" else own(name)
import kyoho""").replace('"bar"', '"cell"') + "print(len(shown), shown[0])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", plain], text=True, capture_output=True)
    check(done.stdout.startswith("1 time 0.25 of 0.25  step 16 (100 %)") and not done.stderr, "without tqdm it is a line below the cell", (done.stdout, done.stderr))
    if subprocess.run([sys.executable, "-c", "import tqdm"], capture_output=True).returncode:
        skip("progress in a notebook is a bar of tqdm", "tqdm is not installed here; make check-all installs it")
        return
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], text=True, capture_output=True)
    check(done.returncode == 0 and "100 %" in done.stderr and "█" in done.stderr, "progress in a notebook is a bar of tqdm", done.stderr)


for test in (verified, beside_the_command, without_snapshots, damaged, choices, units, boxes, beats, stops, progress):
    with folder() as place:
        os.chdir(place)
        test()
        os.chdir("/")
finish()
