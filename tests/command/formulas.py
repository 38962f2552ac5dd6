#!/usr/bin/env python3
# Effects of options on numbers, by formulas that are written out here: the orbit of merged systems, the kinds of softening,
# compressed files.
import math
import os

from tap import check, finish, folder, run, skip

HEADER = "id,mass,x,y,z,vx,vy,vz,softening\n"


def rows(path):
    lines = [line.split(",") for line in open(path, encoding="ascii").read().splitlines() if line[:1] != "#"]
    return [dict(zip(lines[0], map(float, line))) for line in lines[1:]]


def write(path, bodies):
    with open(path, "w", encoding="ascii") as file:
        file.write(HEADER + "".join(",".join(repr(value) for value in (k, *body)) + "\n" for k, body in enumerate(bodies)))


def centre(bodies, names):
    mass = sum(b["mass"] for b in bodies)
    return [sum(b["mass"] * b[name] for b in bodies) / mass for name in names]


def orbit(a, b, g):
    """Separation, pericentre and eccentricity of two points, from angular momentum and energy."""
    x = [q - p for p, q in zip(centre(a, "xyz"), centre(b, "xyz"))]
    v = [q - p for p, q in zip(centre(a, ("vx", "vy", "vz")), centre(b, ("vx", "vy", "vz")))]
    gm = g * sum(body["mass"] for body in a + b)
    r, h = math.hypot(*x), math.hypot(x[1] * v[2] - x[2] * v[1], x[2] * v[0] - x[0] * v[2], x[0] * v[1] - x[1] * v[0])
    energy = sum(c * c for c in v) / 2 - gm / r
    e = math.sqrt(max(0.0, 1 + 2 * energy * h * h / gm ** 2))
    return r, h * h / gm / (1 + e), e


def merged_orbits(path):
    write(path("a.csv"), [(1.0, 0, 0, 0, 0, 0, 0, 0.1), (2.0, 1, 0, 0, 0, 0.3, 0, 0.1), (0.5, 0, 2, 1, 0.1, 0, 0, 0.1)])
    write(path("b.csv"), [(3.0, 5, 5, 5, 1, 1, 1, 0.1), (1.5, 5, 6, 4, 1, 2, 1, 0.1)])
    for separation, pericentre, e in ((20, 1, 1), (20, 3, 0.9), (20, 2, 1.7), (6, 6, 0), (9, 0, 1)):
        run("merge", path("a.csv"), path("b.csv"), "--separation", separation, "--pericentre", pericentre, "--eccentricity", e,
            "-o", path("m.csv"), "--overwrite", "--quiet")
        bodies = rows(path("m.csv"))
        found = orbit(bodies[:3], bodies[3:], 1)
        check(len(bodies) == 5 and all(abs(p - q) < 1e-6 for p, q in zip(found, (separation, pericentre, e))),
              f"merge: separation {separation}, pericentre {pericentre}, eccentricity {e}", found)


def softened(path):
    masses, softenings, d = (2.0, 3.0), (0.3, 0.4), 1.5
    write(path("own.csv"), [(masses[0], 0, 0, 0, 0, 0, 0, softenings[0]), (masses[1], d, 0, 0, 0, 0, 0, softenings[1])])
    with open(path("bare.csv"), "w", encoding="ascii") as file:
        file.write(f"mass,x,y,z,vx,vy,vz\n{masses[0]},0,0,0,0,0,0\n{masses[1]},{d},0,0,0,0,0\n")
    for name, more, eps in (("own.csv", [], softenings), ("bare.csv", ["--softening", "0.5"], (0.5, 0.5))):
        for kind, eps2 in (("plummer", [eps[0] ** 2, eps[1] ** 2]), ("symmetric", [eps[0] ** 2 + eps[1] ** 2] * 2)):
            run("force", path(name), *more, "--softening-kind", kind, "--force", "direct", "--precision", "double", "--engine", "cpu",
                "-o", path("f.csv"), "--overwrite", "--quiet")
            got = rows(path("f.csv"))
            good = True
            for k, sign in ((0, 1), (1, -1)):
                s2, other = d * d + eps2[k], masses[1 - k]
                good = good and abs(got[k]["ax"] - sign * other * d / s2 ** 1.5) < 1e-12 and abs(got[k]["potential"] + other / math.sqrt(s2)) < 1e-12
            check(good, f"--softening-kind {kind}, {name}", got)


def compressed(path):
    run("model", "uniform-cube", "-n", "4000", "-o", path("c.csv"), "--quiet")
    for name, more in (("plain", []), ("packed", ["--compress"])):
        run("convert", path("c.csv"), path(name + ".hdf5"), *more, "--quiet")
        run("convert", path(name + ".hdf5"), path(name + ".csv"), "--quiet")
    size = {name: os.path.getsize(path(name + ".hdf5")) for name in ("plain", "packed")}
    check(size["packed"] < 0.9 * size["plain"], "--compress makes a smaller file", size)
    check(rows(path("packed.csv")) == rows(path("plain.csv")) == rows(path("c.csv")), "the compressed file has the same bodies")


with folder() as top:
    merged_orbits(lambda name: os.path.join(top, name))
    softened(lambda name: os.path.join(top, name))
    if "HDF5: yes" in run("--version").stdout:
        compressed(lambda name: os.path.join(top, name))
    else:
        skip("--compress", "this build has no HDF5")
finish()
