#!/usr/bin/env python3
"""Nakasato (2009): a sphere of 45 Mpc of cold dark matter from z = 24 to today.

sphere    the run, its time, interactions by snapshot, sustained speed and price
growth    displacements of the inner 30 Mpc against linear theory
pictures  the sphere at four redshifts
cube      the evaluation of 1,048,576 bodies in a cube, also by trees and by expansions of orders 2 to 6
"""
import array
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import METHODS, gflops, main, read_tipsy  # noqa: E402

# The paper's walk: every body by itself, leaves of one body, monopoles, l/theta + s < d with cubic cells.
WALK = ["--force", "walk", "--opening", "offset", "--theta", 0.6, "--cell", "edge", "--multipole", 1, "--leaf", 1]
PRICE = [("--price", dict(type=float, metavar="DOLLARS", help="price of the device, for the price of 10^9 operations a second"))]
TODAY = 2 / 3 / 0.05  # age of a universe with Omega = 1, h = 0.5 [0.978 Gyr]
OURS = ["--alpha", 0.01]  # as in sphere.ini


def scale(time):
    """The scale factor, 1 today, for Omega = 1."""
    return (time / TODAY) ** (2 / 3)


def words(lab):
    """Few bodies, and steps eight times as long, for the small version: as many snapshots."""
    return ["-n", 1500, "--steps", 448, "--step", 0.02952380952] if lab.small else []


def snapshots(lab):
    """The files of the run, the first one first; makes the run if it is not there."""
    told = lab.keep("sphere", lambda: lab.run("sphere", os.path.join(lab.here, "sphere.ini"), *words(lab)))
    folder = os.path.join(lab.out, "sphere")
    return told, sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("snapshot_"))


def sphere(lab):
    """A snapshot stands for the steps up to the next, as the paper counts."""
    told, files = snapshots(lab)
    rows, sums = [], [0.0, 0.0]
    for k, file in enumerate(files):
        time = told["start"] + k * told["every"]
        cells = [k, 1 / scale(time) - 1]
        for kind, how in enumerate((WALK, OURS)):
            force = lab.keep(f"counts/{k}/{kind}", lambda: lab.force(file, *how, "--check", 200 if lab.small else 2000, "--repeat", 3))
            pairs = sum(force["interactions"].values()) * force["n"]
            sums[kind] += pairs * told["steps_between_snapshots"] * (k + 1 < len(files))
            cells += [pairs, force["error"]["median"], force["error"]["p99"]]
        rows.append(cells)
    lab.table("snapshots", ["snapshot", "z", "paper's walk: pairs", "median error", "99 %", "as run: pairs", "median error ",
                            "99 % "], rows)
    speed = gflops(sums[0], told["loop_s"])
    price = f"{lab.words.price / speed:.3g} dollars" if lab.words.price else "not asked for (--price)"
    lab.table("run", ["what", "value"],
              [["bodies", told["n"]], ["steps", told["steps"]], ["seconds with files", told["loop_s"]],
               ["milliseconds a step", 1e3 * told["loop_s"] / told["steps"]], ["pairs of the paper's walk", sums[0]],
               ["pairs as run", sums[1]], ["Gflop/s at 38, of the paper's walk", speed], ["one Gflop/s costs", price]])


def growth(lab):
    """s0, the displacement at the start, follows from the velocities there: v = H x + a H s0. In linear theory s grows as a."""
    told, files = snapshots(lab)
    few = [0, 1, 2, 4, 8, 16, len(files) - 1]
    rows = lab.keep("growth", lambda: measure_growth(lab, told, files, few))
    lab.table("growth", ["z", "displacement", "linear theory", "ratio"], rows)
    lab.plot("growth", "z", ["displacement", "linear theory"], "displacement in units of the first", "y")


def measure_growth(lab, told, files, few):
    place, speed, _ = read_tipsy(lab, files[0], 50000)
    a0 = scale(told["start"])
    hubble = 2 / 3 / told["start"]
    first = array.array("d", ((v - hubble * x) / (a0 * hubble) for x, v in zip(place, speed)))
    inner = [i for i in range(0, len(place), 3) if sum((place[i + c] / a0) ** 2 for c in range(3)) < 30000 ** 2]
    square = sum(first[i + c] ** 2 for i in inner for c in range(3))
    rows = []
    for k in few:
        a = scale(told["start"] + k * told["every"])
        now = read_tipsy(lab, files[k], 50000)[0]
        moved = sum((now[i + c] / a - place[i + c] / a0) * first[i + c] for i in inner for c in range(3))
        rows.append([1 / a - 1, 1 + moved / square, a / a0, (1 + moved / square) / (a / a0)])
    return rows


def pictures(lab):
    """Physical lengths: the sphere expands."""
    told, files = snapshots(lab)
    chosen = [files[k] for k in (0, 3, 10, len(files) - 1)]
    titles = "|".join(f"z = {1 / scale(told['start'] + k * told['every']) - 1:.2f}" for k in (0, 3, 10, len(files) - 1))
    lab.draw("sphere", *chosen, "--width", 400, "--title", titles, "--region", 100000)
    lab.draw("today", files[-1], "--width", 700, "--region", 60000)


def cube(lab):
    """0.73 s in the paper, theta = 0.6. Trees and expansions have their own defaults of alpha."""
    n = 2048 if lab.small else 1048576
    rows = []
    for name, how in {"the paper's walk": WALK, "Kyoho's default": [], **METHODS}.items():
        told = lab.keep(f"cube/{name}", lambda: lab.force("--model", "uniform-cube", "-n", n, *how, "--softening", 0.01, "--check",
                                                         2000, "--repeat", 9))
        rows.append([name, n, told["seconds"]["total"], told["error"]["median"], told["error"]["p99"]])
    lab.table("cube", ["how", "N", "seconds", "median error", "99 %"], rows)


if __name__ == "__main__":
    main(__file__, __doc__, [sphere, growth, pictures, cube], PRICE)
