#!/usr/bin/env python3
"""A periodic box of a universe of cold dark matter from z = 49 to 0: two boxes with opposite waves.

growth    the longest waves against linear theory
spectrum  P(k) at z = 0 against the nonlinear spectrum mead2020 of CAMB
haloes    haloes by mass at z = 0 against the fits
picture   a slice of the box at z = 0
"""
import csv
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import main  # noqa: E402

SIDE = 100  # Mpc/h
BOXES = {"first": [], "second": ["--opposite"]}
REDSHIFTS = [49, 9, 3, 1, 0]
OPTIONS = [("--points", dict(type=int, metavar="N", help="bodies along an axis (default 64; 16 with --small)"))]


def points(lab):
    return lab.words.points or (16 if lab.small else 64)


def table(name):
    """Rows of numbers of a table of CAMB."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return [tuple(map(float, line.split())) for line in file if not line.startswith("#")]


def between(rows, k):
    """P of a table at k: a power of k between two rows."""
    at = next(i for i in range(1, len(rows)) if rows[i][0] >= k)
    (k0, p0), (k1, p1) = rows[at - 1], rows[at]
    return p0 * (p1 / p0) ** (math.log(k / k0) / math.log(k1 / k0))


def start(lab, name, *words):
    """The file of a box at z = 49; makes it if it is not there."""
    file = os.path.join(lab.out, name + ".hdf5")
    if not os.path.exists(file):
        lab.call("model", "cosmic-box", "-n", points(lab) ** 3, "--side", SIDE, "--fixed", "--spectrum", os.path.join(lab.here, "linear.txt"), *words,
                 "-o", file, "--quiet")
    return file


def boxes(lab):
    """The folders of the runs; makes them if they are not there."""
    for name, words in BOXES.items():
        lab.keep(name, lambda: lab.run(name, start(lab, name, "--plt", 5, *words), "--end-z", 0, "--at-z", ",".join(map(str, REDSHIFTS[1:-1]))))
    return [os.path.join(lab.out, name) for name in BOXES]


def power(lab, place):
    """Rows of kyoho power: scale factor, k, P, waves, and P of linear theory after the first snapshot."""
    file = os.path.join(lab.out, "power.csv")
    lab.call("power", place, "--mesh", 4 * points(lab), "-o", file, "--overwrite", "--quiet")
    with open(file, encoding="utf-8", newline="") as text:
        rows = [[float(cell) for cell in row if cell] for row in list(csv.reader(text))[1:]]
    os.remove(file)
    return rows


def measured(lab):
    """Rows of the mean spectrum of both boxes: redshift, k, P, waves, and P of linear theory of the same waves. It grows from boxes without
    --plt, whose waves at the start are those of a fluid."""
    def measure():
        sets = []
        for (name, words), folder in zip(BOXES.items(), boxes(lab)):
            fluid, rows = power(lab, start(lab, name + "-fluid", *words)), power(lab, folder)
            for n, row in enumerate(rows):
                shell = n % len(fluid)
                grown = row[4] / rows[shell][2] if n >= len(fluid) else 1
                row[4:] = [grown * fluid[shell][2]]
            sets.append(rows)
        return [[round(1 / a[0] - 1, 6), a[1], (a[2] + b[2]) / 2, a[3], (a[4] + b[4]) / 2] for a, b in zip(*sets)]
    return lab.keep("power", measure)


def growth(lab):
    """P over that of linear theory in the first shells."""
    rows = [[z, *[found[2] / found[4] for found in [row for row in measured(lab) if row[0] == z][:3]]] for z in REDSHIFTS]
    lab.table("growth", ["z", "first shell", "second shell", "third shell"], rows)


def spectrum(lab):
    """Up to the Nyquist wave number of the lattice."""
    fit = table("nonlinear.txt")
    nyquist = math.pi * points(lab) / SIDE
    rows = [[k, found, between(fit, k), linear, found / between(fit, k), waves] for z, k, found, waves, linear in measured(lab) if z == 0 and k < nyquist]
    lab.table("spectrum", ["k", "measured", "mead2020", "linear", "measured over mead2020", "waves"], rows)
    lab.plot("spectrum", "k", ["measured", "mead2020", "linear"], "P(k) in (Mpc/h)^3; k in h/Mpc")


def last(folder):
    """The last snapshot of a run."""
    return os.path.join(folder, max(name for name in os.listdir(folder) if name.startswith("snapshot_")))


def haloes(lab):
    """M200m of groups of at least 20 bodies, both boxes together. Their number varies by its root at least."""
    def count():
        rows = {}
        for folder in boxes(lab):
            file = os.path.join(lab.out, "haloes.csv")
            lab.call("haloes", last(folder), "--bins", 2, "--minimum", 10 if lab.small else 20, "--spectrum", os.path.join(lab.here, "linear.txt"), "-o", file, "--overwrite", "--quiet")
            with open(file, encoding="utf-8", newline="") as text:
                for row in csv.DictReader(text):
                    of = rows.setdefault(row["mass_msun_per_h"], [float(row["mass_msun_per_h"]), 0, 0, float(row["tinker"])])
                    of[1] += int(row["m200m_groups"])
                    of[2] += float(row["m200m_h3_per_mpc3"]) / len(BOXES)
        return sorted(rows.values())
    rows = [[mass, groups, found, fit, found / fit, groups ** -0.5] for mass, groups, found, fit in lab.keep("haloes", count) if groups]
    lab.table("haloes", ["M200m [Msun/h]", "haloes", "measured [(h/Mpc)^3]", "Tinker et al.", "measured over Tinker", "1/sqrt(haloes)"], rows)


def picture(lab):
    """A slice of the first box through its corner."""
    lab.draw("slice", last(boxes(lab)[0]), "--show", "density", "--slab", "15Mpc", "--width", 420)


if __name__ == "__main__":
    main(__file__, __doc__, [growth, spectrum, haloes, picture], OPTIONS)
