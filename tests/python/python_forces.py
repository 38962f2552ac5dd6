#!/usr/bin/env python3
"""Forces, fields, searches and groups of the Python package beside sums with numpy; arrays and numbers that are wrong."""
import environment

environment.enter()
import importlib  # noqa: E402
import math  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, folder, skip  # noqa: E402

EXACT = {"force": "direct", "precision": "double"}
rng = np.random.default_rng(4)


def summed(points, position, mass, softening2, own=False):
    """Accelerations and potentials at points by sums over all bodies, with squares of softenings; `own`: points are bodies."""
    d = position[None] - points[:, None]
    r2 = (d ** 2).sum(-1) + softening2
    if own:
        np.fill_diagonal(r2, np.inf)
    return (d * (mass / r2 ** 1.5)[..., None]).sum(1), -(mass / np.sqrt(r2)).sum(1)


def worst(found, exact):
    """The largest relative error of accelerations or potentials."""
    axis = exact.ndim - 1 or None
    size = np.linalg.norm(exact, axis=1) if axis else abs(exact)
    return ((np.linalg.norm(found - exact, axis=1) if axis else abs(found - exact)) / size).max()


def numbers():
    n = 600
    x, m = rng.normal(size=(n, 3)), rng.uniform(0.5, 1.5, n) / n
    exact, potential = summed(x, x, m, 0.01, own=True)
    acc, pot = kyoho.gravity(x, m, 0.1, **EXACT)
    check(worst(acc, exact) < 1e-11 and worst(pot, potential) < 1e-13, "gravity is the sum of numpy, in double",
          f"{worst(acc, exact)} {worst(pot, potential)}")
    check(np.array_equal(kyoho.accelerations(x, m, 0.1, **EXACT), acc) and np.array_equal(kyoho.potential(x, m, 0.1, **EXACT), pot),
          "accelerations and potential are those of gravity")
    twice = kyoho.gravity(x, m, 0.1, g=2, **EXACT)[0]
    check(worst(twice, 2 * exact) < 1e-11, "g is a factor")
    each = rng.uniform(0.05, 0.2, n)
    check(worst(kyoho.gravity(x, m, each, **EXACT)[0], summed(x, x, m, each[:, None] ** 2, own=True)[0]) < 1e-11,
          "a softening for each body is that of the body that feels the force")
    pairs = each[:, None] ** 2 + each ** 2
    check(worst(kyoho.gravity(x, m, each, softening_kind="symmetric", **EXACT)[0], summed(x, x, m, pairs, own=True)[0]) < 1e-11,
          "softening_kind symmetric has both softenings of a pair")
    for options, bound in (({"theta": 0.5}, 2e-3), ({"force": "fmm"}, 2e-3), ({"force": "walk", "theta": 0.3}, 1e-3)):
        acc, pot = kyoho.gravity(x, m, 0.1, **options)
        error = np.linalg.norm(acc - exact, axis=1) / np.linalg.norm(exact, axis=1)
        check(0 < np.quantile(error, 0.99) < bound, f"gravity with {options}: 99 % of the errors below {bound}",
              np.quantile(error, 0.99))
    points = rng.normal(size=(50, 3))
    acc, pot = kyoho.field(points, x, m, 0.1, **EXACT)
    exact, potential = summed(points, x, m, 0.01)
    check(worst(acc, exact) < 1e-10 and worst(pot, potential) < 1e-12, "field at points is the sum of numpy", worst(acc, exact))
    softenings = rng.uniform(0.05, 0.3, 50)
    acc, pot = kyoho.field(points, x, m, 0.1, points_softening=softenings, **EXACT)
    exact, potential = summed(points, x, m, softenings[:, None] ** 2)
    check(worst(acc, exact) < 1e-10 and worst(pot, potential) < 1e-12, "points have softenings of their own")
    h = 1e-5
    for kind in ("plummer", "spline"):
        ways = {"field": "plummer:mass=2,scale=0.5", "softening_kind": kind, **EXACT}
        tide = kyoho.tides(points, x, m, 0.1, **ways)
        for j in range(3):
            step = h * np.eye(3)[j]
            two = [kyoho.field(points + way, x, m, 0.1, **ways)[0] for way in (step, -step)]
            check(abs(tide[:, :, j] - (two[0] - two[1]) / (2 * h)).max() < 1e-6, f"tides of {kind} are derivatives along axis {j}")
    text = "plummer:mass=2,scale=0.5 uniform:ax=1"
    acc, pot = kyoho.external_field(points, text, g=3)
    both = kyoho.field(points, [[0, 0, 0.0]], [0.0], 0.1, field=text, g=3, **EXACT)
    s2 = (points ** 2).sum(1) + 0.25
    check(worst(acc, np.array([1, 0, 0]) - points * (6 / s2 ** 1.5)[:, None]) < 1e-13 and worst(pot, -6 / np.sqrt(s2) - points[:, 0]) < 1e-13,
          "external fields alone at points", acc)
    check(np.array_equal(acc, both[0]) and np.array_equal(pot, both[1]), "they are the field of bodies without mass")
    near = [kyoho.field([[d, 0, 0]], [[0, 0, 0.0]], [0.0], 0.0, field=field, **EXACT)[0][0, 0] for d in (1e-10, 1e-30)
            for field in ("point:mass=1", "nfw:mass=1,scale=1", "hernquist:mass=1,scale=1")]
    check(np.allclose(near, [-1e20, -0.5, -1, -1e60, -0.5, -1], rtol=1e-9, atol=0), "near the centre of a field too", near)
    acc, pot = kyoho.external_field([[1, 0, 0.0]], lambda x, time: (-x * (1 + time), (x ** 2).sum(1) / 2), time=2)
    check(acc.tolist() == [[-3, 0, 0]] and pot.tolist() == [0.5], "the field of a function at a time", (acc, pot))
    refused(kyoho.UsageError, "a field that there is not", ["ponit"], kyoho.external_field, points, "ponit:mass=1")
    refused(kyoho.UsageError, "points in a plane", ["(n, 3)"], kyoho.external_field, points[:, :2], text)
    x_at, v_at = kyoho.orbit([1, 0, 0], [0, 1, 0], np.linspace(0, 2 * np.pi, 5), "point:mass=1")
    check(np.allclose(x_at, [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 0, 0]], atol=1e-9) and np.allclose(v_at[2], [0, -1, 0], atol=1e-9),
          "an orbit in an external field", x_at)
    x_at, _ = kyoho.orbit([1, 0, 0], [0, 0, 0], [0, 1, -1, 0], lambda x, time: (-x, (x ** 2).sum(1) / 2))
    check(np.allclose(x_at[:, 0], [1, math.cos(1), math.cos(1), 1], atol=1e-9), "an orbit in a function, forwards and back", x_at)
    refused(kyoho.BadDataError, "an orbit into a point mass", ["eps="], kyoho.orbit, [1, 0, 0], [0, 0, 0], [0, 3], "point:mass=1")
    refused(kyoho.UsageError, "friction of an orbit without a mass", ["no mass"], kyoho.orbit, [1, 0, 0], [0, 1, 0], [0, 3],
            "plummer:mass=1,scale=1 friction:body=0,sigma=1")
    refused(kyoho.UsageError, "no softening of the points", ["points_softening"], kyoho.field, points, x, m, each)
    refused(kyoho.UsageError, "three softenings", ["50 points"], kyoho.field, points, x, m, 0.1, points_softening=softenings[:3])
    asked = []

    def logarithmic(position, time):
        asked.append((len(position), time))
        s2 = (position ** 2).sum(1) + 0.25
        return -position / s2[:, None], 0.5 * np.log(s2)
    acc = kyoho.accelerations(x, 0.0, 0.1, field=logarithmic, **EXACT)
    check(worst(acc, -x / ((x ** 2).sum(1) + 0.25)[:, None]) < 1e-12 and asked == [(n, 0)], "a function is a field", asked)
    acc = kyoho.accelerations(x, 0.0, 0.1, field=("plummer:mass=2,scale=0.5", logarithmic), **EXACT)
    plummer = kyoho.accelerations(x, 0.0, 0.1, field="plummer:mass=2,scale=0.5", **EXACT)
    check(worst(acc - plummer, -x / ((x ** 2).sum(1) + 0.25)[:, None]) < 1e-9, "a function beside a field with a name")

    def failing(position, time):
        raise ValueError("no field today")
    refused(ValueError, "a field function that fails", ["no field today"], kyoho.accelerations, x, m, 0.1, field=failing)
    refused(TypeError, "a field function without potentials", ["returns accelerations"], kyoho.accelerations, x, m, 0.1,
            field=lambda position, time: position)
    acc, pot = kyoho.field(points[:0], x, m, 0.1)
    check(acc.shape == (0, 3) and pot.shape == (0,), "field at no points")
    acc, pot = kyoho.field(points, x[:0], m[:0], 0.1)
    check(not acc.any() and not pot.any(), "the field of no bodies is 0")
    acc = kyoho.accelerations(x, 0.0, 0.1, field="logarithmic:speed=1,core=0.5", **EXACT)
    check(worst(acc, -x / ((x ** 2).sum(1) + 0.25)[:, None]) < 1e-12, "an external field acts on bodies without mass")


def as_the_command():
    """The command and the package give the same bits for the same options."""
    n = 4500
    x = rng.normal(size=(n, 3))
    path = os.path.join(tempfile.mkdtemp(), "bodies.csv")
    kyoho.Snapshot(x, 0 * x, mass=np.full(n, 1 / n)).write(path)
    for options in ({}, {"force": "tree"}, {"theta": 0.5}, {"error": 1e-3, "force": "tree"}):  # without a force error= takes the fastest, by the clock
        acc, pot = kyoho.gravity(x, 1 / n, 0.01, engine="cpu", **options)
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        subprocess.run([os.path.join(environment.BUILD, "kyoho"), "force", path, "--softening", "0.01", "--engine", "cpu", "-o", path + ".out.csv", "--overwrite",
                        "--quiet", *words], check=True, stdout=subprocess.DEVNULL)
        got = kyoho.read(path + ".out.csv")
        check(np.array_equal(got.acceleration, acc) and np.array_equal(got.potential, pot),
              f"gravity and `kyoho force` have the same bits with {options}")


def searches():
    n = 400
    x, m = rng.uniform(size=(n, 3)), rng.uniform(0.5, 1.5, n)
    r = np.sqrt(((x[None] - x[:, None]) ** 2).sum(-1))
    np.fill_diagonal(r, np.inf)
    found = kyoho.neighbours(x, 0.2)
    check(len(found) == n and all(np.array_equal(found[i], np.flatnonzero(r[i] <= 0.2)) for i in range(n))
          and np.array_equal(found.count, (r <= 0.2).sum(1)) and np.array_equal(found[-1], found[n - 1]), "neighbours are those of numpy")
    radius = rng.uniform(0.1, 0.3, n)
    found = kyoho.neighbours(x, radius)
    check(all(np.array_equal(found[i], np.flatnonzero(r[i] <= radius[i])) for i in range(n)), "neighbours with a radius of each body")
    density, smoothing = kyoho.density(x, m, 20)
    h = np.sort(r, axis=1)[:, 19]
    q = np.where(np.isinf(r), 0, r) / h[:, None]
    kernel = 8 / math.pi / h[:, None] ** 3 * np.where(q <= 0.5, 1 - 6 * q ** 2 + 6 * q ** 3, np.where(q < 1, 2 * (1 - q) ** 3, 0))
    check(np.allclose(smoothing, h, rtol=1e-12) and np.allclose(density, kernel @ m, rtol=1e-10), "density is the sum of the spline")
    clumps = np.concatenate([rng.normal(scale=0.01, size=(size, 3)) + 5 * k for k, size in enumerate((30, 50, 5))])
    groups = kyoho.groups(clumps, linking_length=0.1)
    check(len(groups) == 2 and list(groups.count) == [50, 30] and np.array_equal(groups[0], np.arange(30, 80))
          and np.allclose(groups.centre[0], clumps[30:80].mean(0)), "groups are the clumps of 20 bodies and more", groups)
    check(len(kyoho.groups(clumps, linking_length=0.1, minimum=5)) == 3, "groups with another minimum")
    check(np.array_equal(groups.label, np.repeat([1, 0, -1], [30, 50, 5])), "the label of each body is its group, or -1", groups.label)
    index, distance = kyoho.nearest(x, 7)
    order = np.argsort(r, axis=1)[:, :7]
    check(np.array_equal(index, order) and np.allclose(distance, np.take_along_axis(r, order, 1), rtol=1e-14), "the nearest bodies are those of numpy")
    twins = np.repeat(x[:50], 3, axis=0)
    index, distance = kyoho.nearest(twins, 2)
    check(not distance.any() and index[0].tolist() == [1, 2] and index[148].tolist() == [147, 149], "the nearest of bodies at one place", index[148])
    with kyoho.Simulation(position=x, mass=m, softening=0.1, step=0.1) as sim:
        check(np.array_equal(sim.nearest(7)[0], order) and np.array_equal(sim.groups(linking_length=0.05, minimum=2).label,
              kyoho.groups(x, m, linking_length=0.05, minimum=2).label), "nearest bodies and labels of a simulation")
    refused(ValueError, "more neighbours than there are bodies", ["400"], kyoho.nearest, x, 400)
    refused(ValueError, "more neighbours than memory holds", ["1099511627776"], kyoho.nearest, x, 2 ** 40)
    refused(ValueError, "the neighbour of a single body", ["at least 1", "other bodies, 0"], kyoho.nearest, x[:1], 1)
    refused(ValueError, "a position of two numbers", ["(2,)", "(3,)"], kyoho.orbit, [1, 2], [0, 1, 0], [0, 1], "point:mass=1")
    check(repr(kyoho.groups(x[:3], linking_length=1e-9, minimum=2)) == "<kyoho.Groups: none among 3 bodies, linking length 1e-09>", "no groups say so")


def of_snapshots():
    """Calls that take a Snapshot or a Simulation give what they give for its arrays."""
    bodies = kyoho.model("plummer", 300, seed=2, units="cluster", mass="300Msun", radius="1pc")
    x, v, m, more = bodies.position, bodies.velocity, bodies.mass, {"units": "cluster"}
    points = [[1, 0, 0.5], [0, 2, 0]]
    with kyoho.Simulation(bodies, step="1kyr", softening=0.05) as sim:
        bodies.softening = 0.05
        for name, given in (("a snapshot", bodies), ("a simulation", sim)):
            same = [all(np.array_equal(one, other) for one, other in zip(found, wanted)) for found, wanted in (
                (kyoho.gravity(given), kyoho.gravity(x, m, 0.05, **more)), (kyoho.gravity(given, eps=0.1), kyoho.gravity(x, m, 0.1, **more)),
                (kyoho.field(points, given), kyoho.field(points, x, m, 0.05, **more)), (kyoho.tides(points, given), kyoho.tides(points, x, m, 0.05, **more)),
                ((kyoho.accelerations(given), kyoho.potential(given)), kyoho.gravity(x, m, 0.05, **more)),
                ((kyoho.neighbours(given, "0.3pc").body,), (kyoho.neighbours(x, 0.3).body,)), (kyoho.density(given), kyoho.density(x, m)),
                (kyoho.nearest(given, 5), kyoho.nearest(x, 5)), ((kyoho.groups(given, linking_length=0.2, minimum=3).velocity,),
                 (kyoho.groups(x, m, v, linking_length=0.2, minimum=3).velocity,)), ((kyoho.draw(given, width=64),), (kyoho.draw(kyoho.Snapshot(x, v, m, **more), width=64),)))]
            check(all(same) and len(same) == 10, f"forces, fields, searches and pictures of {name}", same)
    spline = kyoho.Snapshot(x, v, m, softening=0.3, softening_kind="spline")
    check(np.array_equal(kyoho.gravity(spline)[0], kyoho.gravity(x, m, 0.3, softening_kind="spline")[0]), "the kind of softening is that of the snapshot")
    refused(ValueError, "other units than those of the snapshot", ["other units"], kyoho.gravity, bodies, units="galaxy")
    refused(TypeError, "a snapshot without softening", ["softening", "missing"], kyoho.gravity, kyoho.Snapshot(x))
    refused(TypeError, "arrays without masses", ["mass", "missing"], kyoho.gravity, x, eps=0.1)


def lengths():
    king = kyoho.model("king", 2000, w0=7, seed=1)
    shift = king.position + [3, 0, 0]
    centre = kyoho.density_centre(shift, king.mass)
    check(np.linalg.norm(centre - [3, 0, 0]) < 0.1, "the density centre", centre)
    r = np.sort(np.linalg.norm(shift - centre, axis=1))
    check(abs(kyoho.lagrangian_radii(shift, king.mass, 0.5)[0] / r[999] - 1) < 1e-2 and len(kyoho.lagrangian_radii(shift, king.mass)) == 8,
          "the half-mass radius", kyoho.lagrangian_radii(shift, king.mass, 0.5))
    found = kyoho.scales(king)
    check(abs(found.half_mass_radius / r[999] - 1) < 1e-2 and 0 < found.step < found.crossing_time and found.softening > 0, "scales of a system", found)


def arrays():
    x, m = rng.normal(size=(100, 3)), np.full(100, 0.01)
    acc, pot = kyoho.gravity(x, m, 0.1, **EXACT)
    shifted = np.frombuffer(b"." + x.tobytes(), offset=1).reshape(100, 3)
    for name, given in (("numbers at an odd address", shifted), ("lists", x.tolist()), ("Fortran's order", np.asfortranarray(x)), ("every second row", np.repeat(x, 2, 0)[::2]),
                        ("big-endian numbers", x.astype(">f8")), ("an array that cannot be written", x.copy())):
        if name.startswith("an array"):
            given.flags.writeable = False
        check(np.array_equal(kyoho.gravity(given, m, 0.1, **EXACT)[0], acc), f"{name} are taken")
    check(np.array_equal(kyoho.gravity(x.astype("f4"), m, 0.1, **EXACT)[1], kyoho.gravity(x.astype("f4").astype("f8"), m, 0.1, **EXACT)[1]),
          "float32 is taken as it is")
    check(np.array_equal(kyoho.gravity(x, 0.01, 0.1, **EXACT)[1], pot), "one mass stands for all")
    check(np.array_equal(kyoho.gravity((x * 8).round().astype(int), m, 1, **EXACT)[1],
                         kyoho.gravity((x * 8).round(), m, 1, **EXACT)[1]), "whole numbers are taken")
    for wrong in (True, np.True_, np.array(True), [True]):
        refused(TypeError, f"a softening of {wrong!r}", ["softening"], kyoho.gravity, x, m, wrong)
    for options in ({"theta": [1]}, {"theta": np.array([1.0])}, {"theta": True}, {"leaf": [8]}, {"leaf": True}, {"force": ["tree"]}):
        refused(TypeError, f"the option {options}", ["must be", "not"], kyoho.gravity, x, m, 0.1, **options)
    refused(ValueError, "the transpose", ["(3, 100)", "(n, 3)", "array.T"], kyoho.gravity, x.T, m, 0.1)
    refused(ValueError, "one column", ["(100, 1)"], kyoho.gravity, x[:, :1], m, 0.1)
    refused(ValueError, "too few masses", ["(99,)", "(100,)"], kyoho.gravity, x, m[1:], 0.1)
    refused(ValueError, "too few softenings", ["softening", "(99,)"], kyoho.gravity, x, m, m[1:])
    refused(TypeError, "complex numbers", ["real numbers", "complex"], kyoho.gravity, x * 1j, m, 0.1)
    refused(ValueError, "text", ["position", "'a' is not a number"], kyoho.gravity, [["a", "b", "c"]], 1, 0.1)
    refused(ValueError, "masked elements", ["masked"], kyoho.gravity, np.ma.masked_greater(x, 1), m, 0.1)
    bad = x.copy()
    bad[7, 1] = np.nan
    refused(kyoho.BadDataError, "NaN", ["7"], kyoho.gravity, bad, m, 0.1)
    refused(ValueError, "an infinite position", ["7"], kyoho.gravity, np.where(np.isnan(bad), np.inf, bad), m, 0.1)
    refused(ValueError, "a negative mass", ["mass"], kyoho.gravity, x, -m, 0.1)
    refused(ValueError, "a negative softening", ["softening"], kyoho.gravity, x, m, -0.1)
    refused(ValueError, "a softening that is NaN", ["softening"], kyoho.gravity, x, m, math.nan)
    refused(TypeError, "an unknown option", ["'thetta'", "theta"], kyoho.gravity, x, m, 0.1, thetta=0.5)
    refused(TypeError, "an option of a motion", ["'step'"], kyoho.gravity, x, m, 0.1, step=0.5)
    refused(ValueError, "a number out of its range", ["theta: -1.0", "range"], kyoho.gravity, x, m, 0.1, theta=-1)
    refused(ValueError, "another choice", ["opening", "relative"], kyoho.gravity, x, m, 0.1, opening="round")
    refused(NotImplementedError, "what the CPU does not have", ["list"], kyoho.gravity, x, m, 0.1, force="list", engine="cpu")
    refused(ValueError, "a negative radius", ["radi"], kyoho.neighbours, x, -1)
    refused(TypeError, "rows of different lengths", ["position"], kyoho.gravity, [[1, 2, 3], [1]], 1, 0.1)
    refused(TypeError, "a softening that is a function", ["softening", "number"], kyoho.gravity, x, m, print)
    refused(TypeError, "half a neighbour", ["whole", "2.5"], kyoho.density, x, m, 2.5)
    refused(TypeError, "a switch that is a number", ["mutual", "True or False"], kyoho.gravity, x, m, 0.1, mutual=3)
    check(np.array_equal(kyoho.gravity(x, m, 0.1, multipole=np.int64(1), theta=np.float32(0.5))[1], kyoho.gravity(x, m, "0.1", multipole="1", theta="0.5")[1]),
          "options are numbers of numpy, or text")
    refused(ValueError, "too many neighbours", ["100"], kyoho.density, x, m, 100)
    refused(ValueError, "an option without effect", ["theta has no effect with force direct"], kyoho.gravity, x, m, 0.1, force="direct", theta=0.5)


def few():
    for n in (0, 1, 2):
        x, m = np.arange(3.0 * n).reshape(n, 3), np.ones(n)
        acc, pot = kyoho.gravity(x, m, 0)
        exact, potential = summed(x, x, m, 0, own=True)
        check(acc.shape == (n, 3) and pot.shape == (n,) and np.allclose(acc, exact) and np.allclose(pot, potential), f"gravity of {n} bodies")
        check(len(kyoho.neighbours(x, 1)) == n and len(kyoho.groups(x, linking_length=1)) == 0, f"neighbours and groups of {n} bodies")
    acc, pot = kyoho.gravity(np.zeros((2, 3)), 1, 0)
    check(np.array_equal(acc, np.zeros((2, 3))) and np.isfinite(pot).all(), "two bodies at one place exert nothing on each other")


class Quantity:
    """A number with a unit as astropy has it: what the package asks of quantities."""

    def __init__(self, value, unit, attribute="unit"):
        self.value = np.asarray(value, float)
        setattr(self, attribute, unit)
        self.own = unit

    def to_value(self, unit):
        scale = {("kpc", "cm"): 3.085678e21, ("pc", "cm"): 3.085678e18, ("Msun", "Msun"): 1, ("km/s", "cm/s"): 1e5,
                 ("Myr", "s"): 3.15576e13, ("min", "s"): 60, ("km/s/kpc", "cm**-1*cm**1*s**-1"): 1e5 / 3.085678e21,
                 ("Msun/kpc2", "cm**-2*Msun**1"): 3.085678e21 ** -2, ("kpc3", "cm**3"): 3.085678e21 ** 3}
        if (self.own, unit) not in scale:
            raise ValueError(f"{self.own} is no {unit}")
        return self.value * scale[self.own, unit]


def results(package):
    """Numbers of a snapshot and a simulation as quantities."""
    package = package.split(".")[0]
    bodies = kyoho.Snapshot([["1pc", 0, "-2 pc"], [3, 4, 5]], mass="2 Msun", velocity=[["1 km/s", 0, 0], [0, 0, 0]], time="3 Myr", units="cluster")
    sim = kyoho.Simulation(bodies, softening="0.1pc", step="0.1 Myr")
    sim.integrate("3.5Myr")
    told = {name: sim.quantity(name, package) for name in ("time", "mass", "position", "energy", "momentum", "step", "acceleration")}
    numbers = {"time": ("Myr", 3.5), "mass": ("Msun", sim.mass), "position": ("kpc", sim.position / 1000), "momentum": ("Msun*km/s", sim.sums().momentum),
               "energy": ("Msun*km**2/s**2", sim.energy()), "step": ("kyr", 100), "acceleration": ("km**2/s**2/pc", sim.acceleration)}
    for name, (unit, wanted) in numbers.items():
        check(np.allclose(told[name].to_value(unit), wanted, rtol=1e-6), f"{name} as a quantity of {package}", f"{told[name]}, not {wanted} {unit}")
    check(np.allclose(bodies.quantity("time", package).to("yr").value, 3e6, rtol=1e-6), f"the time of a snapshot as a quantity of {package}")
    year = kyoho.Simulation(position=[[0, 0, 0], [1, 0, 0]], mass=[1, 0], softening=0, step=0.01, time=2, units="planets")
    check(np.allclose(year.quantity("time", package).to("yr").value, 2, rtol=1e-12), f"years of planets as a quantity of {package}")
    makers = importlib.import_module("astropy.units" if package == "astropy" else package)
    kpc, msun, speed = (makers.Unit(name) for name in ("kpc", "Msun", "km/s"))
    own = kyoho.Units(length=kpc, mass=1e10 * msun, velocity=speed)
    check(all(abs(getattr(own, name) / getattr(kyoho.Units("galaxy"), name) - 1) < 1e-4 for name in own.__slots__), f"scales that are units of {package}", own)
    refused(ValueError, "a scale of another kind", ["length", "is no length"], kyoho.Units, length=msun, mass=msun, velocity=speed)
    turn, peak = 40 * makers.Unit("km/s/kpc"), 3 * makers.Unit("Msun/pc**2")
    check(np.allclose([own.real(turn, "1/time"), own.real(peak, "mass/length²")], [40, 3e-4], rtol=1e-4), f"composed units of {package}")
    refused(ValueError, "a quantity that there is not", ["'colour' is no quantity", "position"], sim.quantity, "colour", package)
    bare = kyoho.Snapshot([[0, 0, 0.0]])
    refused(ValueError, "a quantity without units", ["have no units"], bare.quantity, "time", package)


def named_units():
    check(kyoho.Units(length="kpc", mass="1e10 Msun", velocity="km/s") == kyoho.Units("galaxy"), "units by name")
    check(kyoho.Units(length="AU", mass="Msun", velocity="AU/yr") == kyoho.Units("planets"), "units of planets by name")
    named = kyoho.Units(length="kpc", mass="Msun", velocity="km/s")
    check(abs(named.g / 43009e-10 - 1) < 1e-12, "G of units by name", named)
    planets = kyoho.Units("planets")
    check(abs(planets.g / (0.01720209895 * 365.25) ** 2 - 1) < 1e-8 and abs(planets.scale("time") / 3.15576e7 - 1) < 1e-12, "the G of planets is that of Gauss", planets)
    earth = kyoho.Simulation(position=[[0, 0, 0], ["1 AU", 0, 0]], velocity=[[0, 0, 0], [0, planets.g ** 0.5, 0]], mass=["1 Msun", 0], softening=0,
                             step="1d", units="planets", precision="double")
    earth.integrate("1yr")
    check(abs(earth.position[1] - [1, 0, 0]).max() < 2e-3, "the Earth is back after a year", earth.position[1])
    refused(ValueError, "a unit that there is not", ["kpcs"], kyoho.Units, length="kpcs", mass="Msun", velocity="km/s")
    refused(ValueError, "a unit of another kind", ["Msun is a unit of another kind"], kyoho.Units, length="Msun", mass="Msun", velocity="km/s")


def texts():
    x, m = rng.normal(size=(20, 3)), rng.uniform(1, 2, 20)
    acc, pot = kyoho.gravity(x, m, 0.1, units="galaxy")
    words = [[f"{one!r} kpc" for one in row] for row in x.tolist()]
    other = kyoho.gravity(words, [f"{one!r}e10Msun" for one in m.tolist()], "100 pc", units="galaxy")
    check(worst(other[0], acc) < 1e-12 and worst(other[1], pot) < 1e-12, "lists of texts with units", worst(other[0], acc))
    other = kyoho.gravity(np.array(words), m, ["0.1kpc"] * 20, units="galaxy")[1]
    check(worst(other, kyoho.gravity(x, m, np.full(20, 0.1), units="galaxy")[1]) < 1e-12, "an array of texts")
    check(np.array_equal(kyoho.neighbours(x, "500 pc", units="galaxy").count, kyoho.neighbours(x, 0.5).count), "a radius with a unit")
    place = kyoho.orbit(["8kpc", 0, 0], ["0 km/s", "220 km/s", 0], ["0Gyr", "1 Gyr"], "mw14", units="galaxy")[0]
    same = kyoho.orbit([8, 0, 0], [0, 220, 0], [0, 3.15576e16 / 3.085678e16], "mw14", units="galaxy")[0]
    check(np.allclose(place, same, rtol=1e-9), "an orbit of texts", f"{place} {same}")
    check(abs(kyoho.model("plummer", 10, units="galaxy", mass="6e11 Msun").mass.sum() - 60) < 1e-12, "a blank before the unit of an option")
    turned = [kyoho.orbit([8, 0, 0], [0, 220, 0], [0, 1], "mw14", units="galaxy", turn=turn)[0][1] for turn in (40, "40 km/s/kpc", Quantity(40, "km/s/kpc"))]
    check(np.allclose(turned[1:], turned[0], rtol=1e-9), "speeds of axes that turn", turned)
    drawn = [kyoho.draw(kyoho.model("plummer", 50, seed=1, units="galaxy"), width=100, show="density", peak=peak) for peak in (1e-9, "10 Msun/kpc2", Quantity(10, "Msun/kpc2"))]
    check(np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[0], drawn[2]), "a surface density", [one.sum() for one in drawn])
    found = [kyoho.groups(x, units="galaxy", volume=volume).linking_length for volume in (8, "8 kpc3", Quantity(8, "kpc3"))]
    check(np.allclose(found, found[0], rtol=1e-12), "a volume", found)
    with folder() as place:
        bodies = kyoho.model("plummer", 10, seed=1, units="cluster")
        for name, at in (("text", "2 kyr,0.004090848210534712"), ("list", ["2kyr", 0.004090848210534712]), ("quantities", Quantity([0.002, 0.004], "Myr"))):
            run = kyoho.run(bodies, os.path.join(place, name), step="1 kyr", end="6 kyr", every=0, at=at, max_wall=Quantity(1, "min"))
            check(np.allclose([one.time for one in run], [0.002045424, 0.004090848], rtol=1e-6), f"times as {name}", [one.time for one in run])
        refused(ValueError, "a list of another kind", ["at: kpc is a unit of another kind"], kyoho.run, bodies, "none", step="1 kyr", end="6 kyr", at="2 kyr,1 kpc")
    refused(ValueError, "a text of another kind", ["position", "Myr is a unit of another kind"], kyoho.gravity, [["1Myr", 0, 0]], 1, 0, units="galaxy")
    refused(ValueError, "a text with a unit, and bodies without", ["position", "1pc"], kyoho.gravity, [["1pc", 0, 0]], 1, 0)


def of_pynbody():
    """Arrays as pynbody has them: `in_units`, and units of a class NoUnit where there are none."""
    class NoUnit:
        pass

    class Array(np.ndarray):
        def in_units(self, unit):
            return np.asarray(self) * {("kpc", "cm"): 3.0856776e21, ("Msol", "Msol"): 1, ("km s**-1", "cm s**-1"): 1e5}[self.units, unit]

    def array(value, units):
        made = np.asarray(value, float).view(Array)
        made.units = units
        return made

    x, m = rng.normal(size=(20, 3)), rng.uniform(1, 2, 20)
    acc = kyoho.gravity(x, m, 0.1, units="galaxy")[0]
    other = kyoho.gravity(array(x, "kpc"), array(m * 1e10, "Msol"), 0.1, units="galaxy")[0]
    check(worst(other, acc) < 1e-6, "arrays of pynbody are converted", worst(other, acc))
    check(np.array_equal(kyoho.gravity(array(x, NoUnit()), m, 0.1, units="galaxy")[0], acc), "arrays of pynbody without units are numbers")


def quantities():
    x, m = rng.normal(size=(50, 3)), rng.uniform(1, 2, 50)
    acc, pot = kyoho.gravity(x, m, 0.1, units="galaxy", **EXACT)
    exact, potential = summed(x, x, m * kyoho.Units("galaxy").g, 0.01, own=True)
    check(worst(acc, exact) < 1e-11 and worst(pot, potential) < 1e-12, "units bring their G")
    for attribute in ("unit", "units"):
        other = kyoho.gravity(Quantity(x * 1000, "pc", attribute), Quantity(m * 1e10, "Msun", attribute),
                              Quantity(100, "pc", attribute), units="galaxy", **EXACT)[0]
        check(worst(other, acc) < 1e-11, f"quantities with `{attribute}` are converted", worst(other, acc))
    v = rng.normal(size=(50, 3))
    given = kyoho.Simulation(position=Quantity(x, "kpc"), velocity=Quantity(v, "km/s"), mass=Quantity(m, "Msun"), units="galaxy",
                             softening=Quantity(100, "pc"), step=Quantity(1, "Myr"), field="point:mass=1Msun")
    plain = kyoho.Simulation(position=x, velocity=v, mass=m * 1e-10, units="galaxy", softening=0.1, step=3.15576e13 / 3.085678e16,
                             field="point:mass=1e-10")
    for sim in (given, plain):
        sim.integrate(Quantity(5, "Myr"))
    check(np.allclose(given.position, plain.position, rtol=1e-12) and abs(given.time / plain.time - 1) < 1e-14 and given.steps == 5,
          "a simulation of quantities", f"{given} {plain}")
    made = kyoho.model("plummer", 100, units="galaxy", mass=Quantity(1e9, "Msun"), radius=Quantity(500, "pc"), position=Quantity([8, 0, 0], "kpc"))
    check(abs(made.mass.sum() / 0.1 - 1) < 1e-12 and np.allclose(made.position.mean(0), [8, 0, 0]), "a model of quantities", made.mass.sum())
    moved = made.copy().place(position=Quantity([1000, 0, 0], "pc")).position
    check(np.allclose(moved, made.position + [1, 0, 0]), "a place of quantities")
    check(np.array_equal(kyoho.neighbours(Quantity(x, "kpc"), Quantity(500, "pc"), units="galaxy").count, kyoho.neighbours(x, 0.5).count),
          "neighbours of quantities")
    refused(ValueError, "a quantity without units of the bodies", ["position", "units='galaxy'"], kyoho.gravity, Quantity(x, "pc"), m, 0.1)
    refused(ValueError, "a quantity of another kind", ["position must be a length"], kyoho.gravity, Quantity(x, "Msun"), m, 0.1,
            units="galaxy")
    for package, unit in (("unyt", lambda u, value, name: u.unyt_array(value, name)), ("astropy.units", lambda u, value, name: value * u.Unit(name))):
        try:
            u = __import__(package, fromlist=["x"])
        except ImportError:
            skip(f"quantities of {package}", f"{package} is not installed here; make check-all installs it")
            continue
        other = kyoho.gravity(unit(u, x * 1000, "pc"), unit(u, m * 1e10, "Msun"), unit(u, 0.1, "kpc"), units="galaxy", **EXACT)[0]
        check(worst(other, acc) < 1e-6, f"quantities of {package} have the pull that they have there", worst(other, acc))
        given = kyoho.Units(length=unit(u, 1, "kpc"), mass=unit(u, 1e10, "Msun"), velocity=unit(u, 1, "km/s"))
        check(abs(given.g / 43009 - 1) < 1e-6 and abs(given.mass_g / kyoho.Units("galaxy").mass_g - 1) < 1e-6, f"units of {package}", given)
        results(package)
        refused(ValueError, f"a mass of {package} in place of a length", ["length"], kyoho.gravity, unit(u, x, "Msun"), m, 0.1, units="galaxy")


def threads():
    x, m = rng.normal(size=(3000, 3)), rng.uniform(0.5, 1.5, 3000)
    many = kyoho.density_centre(x, m)
    kyoho.use_threads(1)
    one = kyoho.density_centre(x, m)
    kyoho.use_threads()
    check(np.array_equal(one, many), "use_threads() changes no results", (one, many))
    for bad in (0, -1, 1025, 1.5, "2"):
        refused(kyoho.UsageError, f"{bad!r} threads", ["1 to 1024"], kyoho.use_threads, bad)


for part in (numbers, as_the_command, threads, searches, of_snapshots, lengths, arrays, few, quantities, named_units, texts, of_pynbody):
    part()
finish()
