#!/usr/bin/env python3
"""Binaries, profiles, checks of forces and tuning of the Python package: the numbers of the command."""
import environment

environment.enter()
import json  # noqa: E402
import math  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, folder  # noqa: E402

COMMAND = os.path.join(os.environ["KYOHO_TEST_ENVIRONMENT"], "bin", "kyoho")
made = kyoho.model("plummer", 500, seed=1)
made.id = np.arange(500) + 7


def command(*words):
    """What the command tells about bodies.csv."""
    made.write("bodies.csv", overwrite=True)
    done = subprocess.run([sys.executable, COMMAND, words[0], "bodies.csv", *words[1:], "--json"], text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def rows(told):
    """{column: array} of a table in JSON, whose rows are objects or arrays by column."""
    return {name: np.array([row[name] for row in told], float) for name in told[0]} if isinstance(told, list) else {
        name: np.array(column, float) for name, column in told.items()}


def centres():
    """A snapshot or a simulation stands for its positions and masses; a snapshot ends."""
    centre, radii = kyoho.density_centre(made.position, made.mass), kyoho.lagrangian_radii(made.position, made.mass)
    for bodies, what in (made, "a snapshot"), (kyoho.Simulation(made, engine="cpu"), "a simulation"):
        check(np.array_equal(kyoho.density_centre(bodies), centre) and np.array_equal(kyoho.lagrangian_radii(bodies), radii),
              f"centre and radii of {what}")
    check(kyoho.scales(kyoho.Simulation(made, engine="cpu")) == kyoho.scales(made), "scales of a simulation")
    check(sum(1 for _ in made) == 500, "a loop over the bodies of a snapshot ends")
    refused(IndexError, "a body behind the last one", ["500 bodies"], lambda: made[500])
    refused(TypeError, "pos= of another program", ["did you mean position"], kyoho.density_centre, pos=made.position)
    refused(kyoho.NoFileError, "a run that is not there", ["no such folder"], kyoho.resume, "nothing")


def binaries():
    found, told = kyoho.binaries(made, softening=0), rows(command("binaries", "--softening", "0")["binaries"])
    check(len(found) > 3 and np.array_equal(found.id[:, 0], told["first"]) and np.array_equal(found.id[:, 1], told["second"])
          and all(np.array_equal(getattr(found, name), told[name]) for name in ("semi_major_axis", "eccentricity", "period", "energy", "separation")),
          "binaries are those of the command", found)
    check(np.array_equal(made.id[found.index], found.id), "with places and ids")
    with kyoho.Simulation(made, step=1 / 64, softening=0) as sim:
        check(np.array_equal(kyoho.binaries(sim).id, found.id), "of a simulation too")
    two = kyoho.binaries(kyoho.model("two-body", eccentricity=0.5))
    check(np.allclose([two.semi_major_axis[0], two.eccentricity[0], two.period[0]], [1, 0.5, 2 * math.pi], rtol=1e-12), "two bodies have the elements of their orbit")
    check(len(kyoho.binaries(kyoho.Snapshot([[0, 0, 0]]))) == 0, "a body alone is no binary, and needs no softening")
    refused(TypeError, "an option of forces", ["theta"], kyoho.binaries, made, theta=0.5)
    refused(TypeError, "no bodies", ["Snapshot"], kyoho.binaries, [1, 2])


def profile():
    found, told = kyoho.profile(made, shells=7, axis="x"), rows(command("profile", "--shells", "7", "--axis", "x")["shells"])
    pairs = {"radius": "radius", "density": "density", "enclosed": "enclosed_mass", "radial": "sigma_radial", "surface_density": "surface_density", "bodies": "bodies"}
    check(len(found) == 7 and all(np.array_equal(getattr(found, ours), told[theirs]) for ours, theirs in pairs.items()) and np.array_equal(found.edge[1:], told["outer"]),
          "a profile is that of the command", found)
    young = kyoho.model("plummer", 500, units="cluster", mass=500, radius="0.5pc", seed=1)
    check(np.isclose(kyoho.profile(young, inner="0.1pc", outer="2 pc").edge[[0, -1]], [0.1, 2]).all(), "lengths with units")
    check(np.allclose(kyoho.profile(young).circular_speed ** 2, young.units.g * kyoho.profile(young).enclosed / kyoho.profile(young).edge[1:]), "G is that of the units")
    refused(ValueError, "no shells", ["shells: 0", "1"], kyoho.profile, made, shells=0)


def haloes():
    found = kyoho.mass_function([1e13, 1e14, 1e15])
    check(np.allclose(found, [5.286e-4, 4.745e-5, 7.30e-7], 0.01), "the number of haloes", found)
    early = kyoho.mass_function(1e13, "sheth-tormen", redshift=1, cosmology=(0.6766, 0.3111, 0.6889))
    check(np.allclose(early, 2.997e-4, 0.01) and kyoho.mass_function(1e15, sigma8=0.9)[0] > found[2], "by another fit, earlier, and with more power", early)
    refused(kyoho.UsageError, "another fit", ["press-schechter", "tinker"], kyoho.mass_function, 1e13, "guess")
    refused(kyoho.UsageError, "a negative mass", ["mass 1"], kyoho.mass_function, [1e13, -1])
    refused(kyoho.UsageError, "no spectrum", ["no-file"], kyoho.mass_function, 1e13, spectrum="no-file")


def power():
    box = kyoho.model("cosmic-box", n=512, side=20)
    found = kyoho.power(box, mesh=16)
    check(len(found.k) == 4 and found.mesh == 16 and found.waves[0] == 18 and (found.power > 0).all(), "a power spectrum", found)
    check(np.isclose(found.noise, (20e3 / 0.6766)**3 / 512), "its noise", found.noise)
    folded, twice = kyoho.power(box, mesh=16, fold=2), kyoho.power(box, mesh=32)
    check(np.isclose(folded.k[0], 2 * found.k[0]) and folded.waves[0] == 18 and 0.2 < folded.power[1] / twice.power[3] < 5, "a folded spectrum", folded)
    same, other = kyoho.power(box, mesh=16, cross=box), kyoho.power(box, mesh=16, cross=kyoho.model("cosmic-box", n=512, side=20, opposite=True))
    check(np.array_equal(same.power, found.power) and same.noise == 0 and (other.power[:2] < 0).all(), "cross spectra", other)
    refused(kyoho.UsageError, "a cross spectrum of two boxes", ["another box"], kyoho.power, box, cross=kyoho.model("cosmic-box", n=64, side=10))
    density = kyoho.density_mesh(box, 16)
    contrast = np.abs(np.fft.fftn(density / density.mean() - 1)[0, 0, 1] / 16**3)**2
    check(density.shape == (16, 16, 16) and np.isclose(density.sum() * (box.box / 16)**3, box.mass.sum()), "the density on a mesh has the mass of the box", density.sum())
    moved = kyoho.Snapshot(box.position + [0, 0, box.box / 16], box.velocity, box.mass, units=box.units)
    check(np.allclose(kyoho.density_mesh(moved, 16, box=box.box), np.roll(density, 1, axis=2)) and 0.05 < contrast * box.box**3 / found.power[0] < 20,
          "bodies that are moved by a cell move it, and its waves are those of the spectrum", contrast)
    refused(kyoho.UsageError, "a mesh without points", ["mesh is 0"], kyoho.density_mesh, box, 0)
    for call in (kyoho.density_mesh, kyoho.power):
        refused(TypeError, "a mesh that is no whole number", ["whole number"], call, box, mesh=8.5)
    refused(kyoho.UsageError, "a mesh of no box", ["give box"], kyoho.density_mesh, made, 8)
    refused(ValueError, "an odd mesh", ["mesh of 9"], kyoho.power, box, mesh=9)
    refused(kyoho.UsageError, "another box", ["leave out box"], kyoho.power, box, box=20e3)
    refused(kyoho.UsageError, "no box", ["give box"], kyoho.power, made)


def checks():
    found, told = kyoho.check(made, 100, theta=0.5), command("force", "--check", "100", "--theta", "0.5")
    check(found.acceleration.p99 == told["error"]["p99"] and found.potential.median == told["error_potential"]["median"] and found.acceleration.samples == 100
          and found.of_rms == told["error_of_rms"] and found.parameters["theta"] == 0.5 and found.total is None and found.report["total"] > 0
          and found.sums.kinetic == told["kinetic"], "errors of forces are those of the command", (found, told["error"]))
    check(kyoho.check(made, 0, force="direct").acceleration is None, "without samples there are no errors")
    box = kyoho.model("cosmic-box", n=512, side=20)
    check(found.over_rms is None and 1e-5 < kyoho.check(box, 512, error=1e-3, force="fmm").over_rms.p99 <= 1e-3, "an error in a box is over the rms acceleration")
    with kyoho.Simulation(box, force="fmm", error=1e-3, step=0.25, threads=1) as sim:
        sim.advance(1)
        first = sim.parameters["alpha"]
        sim.advance(9)  # the scale factor has doubled three times
        check(sim.parameters["alpha"] != first, "a simulation finds its force again", (first, sim.parameters["alpha"]))


def tune():
    best = kyoho.tune(made, error=1e-3, seconds=5, samples=100)
    check(best.found.error <= 1e-3 and len(best.settings) > 5 and all(one.seconds > 0 for one in best.settings), "tuning finds options for an error", best.found)
    error = kyoho.check(made, 500, **best.found.options).acceleration.p99
    check(error < 2e-3, "the options keep it", error)
    trees = kyoho.tune(made, seconds="2 s", repeat=1, samples=50, force="tree", opening="offset")
    check(trees.found is None and {(one.options["force"], one.options["opening"]) for one in trees.settings} == {("tree", "offset")}, "options restrict what is measured", trees)
    refused(ValueError, "an error out of range", ["error: 5", "1e-15"], kyoho.tune, made, 5)
    refused(TypeError, "an option that there is not", ["forc", "force"], kyoho.tune, made, forc="tree")
    refused(ValueError, "a time that is a length", ["seconds", "another kind"], kyoho.tune, made, seconds="2 pc")
    refused(ValueError, "an unknown softening", ["softening"], kyoho.tune, kyoho.Snapshot(made.position), seconds=1)


def fields():
    friction = "friction:body=0,log=3,sigma=0.4,mass=0.05"
    refused(ValueError, "friction at points", ["friction", "orbit"], kyoho.external_field, [[1, 0, 0]], friction)
    one, _ = kyoho.external_field([[1, 0, 0]], "hernquist:mass=1,scale=1 " + friction)
    check(np.array_equal(one, kyoho.external_field([[1, 0, 0]], "hernquist:mass=1,scale=1")[0]), "friction beside a field that pulls")
    times = np.linspace(0, 3, 31)
    x, v = kyoho.orbit([1, 0, 0], [0, 1, 0], times, "point:mass=1")
    turned, speed = kyoho.orbit([1, 0, 0], [0, 1, 0], times, "point:mass=1", turn=1)
    check(np.allclose(x[:, 0], np.cos(times), atol=1e-9) and np.allclose(turned, [1, 0, 0], atol=1e-9) and np.abs(speed).max() < 1e-9, "an orbit in axes that turn", turned[-1])
    refused(ValueError, "corrections below 0", ["corrections: -1", "0 to 16"], kyoho.Simulation, made, integrator="hermite4", corrections=-1)


def systems():
    """Many systems of few bodies: circles, ends, times, progress, units and refusals; unit/few_systems.c tests more."""
    x = np.array([[[0.5, 0, 0], [-0.5, 0, 0]]] * 3)
    v = np.array([[[0, speed, 0], [0, -speed, 0]] for speed in (0.5, 0.9, 0.05)])
    told, times = [], [1, 2.5, 40]
    found = kyoho.few(x, v, [0.5, 0.5], times, stop_escape=5, stop_collision=True, radius=0.01, progress=lambda done, text: told.append(done))
    check(found.position.shape == found.velocity.shape == (3, 3, 2, 3) and len(found) == 3 and list(found.end) == ["time", "escape", "collision"], "the ends of systems", found)
    check(np.allclose(found.position[:, 0, 0, :2], 0.5 * np.column_stack((np.cos(times), np.sin(times))), 0, 1e-7), "a circle", found.position[:, 0, 0])
    apart = np.linalg.norm(found.position[-1, :, 0] - found.position[-1, :, 1], axis=1)
    check(5 < apart[1] < 10 and abs(apart[2] - 0.02) < 1e-10 and found.time[0] == 40 and 0 < found.time[2] < found.time[1] < 40, "the bodies at the ends", (apart, found.time))
    check(found.touching.tolist() == [[-1, -1], [-1, -1], [0, 1]] and np.all(abs(found.energy_change) < 1e-9) and told[-1] == 1, "who touches, energies and progress",
          (found.touching, found.energy_change, told))
    one = kyoho.few(x[1:2].tolist(), v[1:2].tolist(), [[0.5, 0.5]], 2.5, threads=1)
    check(np.array_equal(one.position, found.position[1, 1:2]) and one.position.shape == (1, 2, 3), "one system has the same bits")
    plain = kyoho.few(x, v, 0.5, times, engine="cpu", isa="plain")
    check(np.array_equal(plain.position, kyoho.few(x, v, 0.5, times).position), "the same bits with other instructions")
    refused(kyoho.UsageError, "an engine that is not there", ["abacus"], kyoho.few, x, v, 0.5, 1, engine="abacus")
    back = kyoho.few(one.position, one.velocity, 0.5, 0, begin=2.5)
    check(np.allclose(back.position, x[1:2], 0, 1e-8), "backwards", back.position)
    earth = kyoho.few([[[0, 0, 0], [1, 0, 0]]], [[[0, 0, 0], [0, 2 * math.pi, 0]]], [1, 0], "1 yr", units="planets")
    check(np.allclose(earth.position[0, 1], [1, 0, 0], 0, 1e-2), "units", earth.position)
    refused(kyoho.UsageError, "positions of one system", ["(k, n, 3)"], kyoho.few, x[0], v[0], 0.5, 1)
    refused(kyoho.UsageError, "masses of another shape", ["mass", "(3, 2)"], kyoho.few, x, v, [1, 1, 1], 1)
    refused(kyoho.UsageError, "times in disorder", ["time 1"], kyoho.few, x, v, 0.5, [2, 1])
    refused(kyoho.BadDataError, "two bodies at one place", ["system 0", "same place"], kyoho.few, 0 * x, v, 0.5, 1)
    refused(TypeError, "an option of other forces", ["theta"], kyoho.few, x, v, 0.5, 1, theta=1)
    refused(ZeroDivisionError, "an exception of the progress", ["division"], kyoho.few, x, v, 0.5, 1, progress=lambda done, text: 1 / 0)


for test in (centres, binaries, profile, haloes, power, checks, tune, systems, fields):
    with folder() as place:
        os.chdir(place)
        test()
        os.chdir("/")
finish()
