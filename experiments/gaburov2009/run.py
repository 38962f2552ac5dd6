#!/usr/bin/env python3
"""Gaburov, Harfst & Portegies Zwart (2009): Plummer spheres by the Hermite scheme with steps of each body's own.

speed     figures 5 to 7: seconds, speed and bodies of a block against N
accuracy  figure 8: the change of the energy against eta
collapse  figure 9: the core and Lagrangian radii until the core of 1,024 bodies has collapsed
long      the same for 4,096 bodies, some 5 minutes on an H200
pieces    the first ten time units of larger systems: seconds and speed
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import main  # noqa: E402

NOISE = 1e-3  # smaller eta: the derivatives are differences of the rounding of floats, and steps shrink without end
JERK_FLOPS = 60  # operations of one interaction with its jerk, as the paper counts
RADII = ["lagrangian_90", "lagrangian_75", "lagrangian_50", "lagrangian_25", "lagrangian_10", "lagrangian_05", "lagrangian_02",
         "lagrangian_01", "core_radius"]


def sphere(lab, n, *words):
    """The run.json of a sphere of n bodies over a quarter of the time unit."""
    return lab.run("sphere", os.path.join(lab.here, "sphere.ini"), "-n", n, *words)


def speed(lab):
    """Figures 5 to 7, with eta = 0.02 and a softening of 4/N: the fastest of three runs."""
    rows = []
    for n in [64, 128, 256] if lab.small else [2 ** k for k in range(10, 19)]:
        told = lab.keep(f"speed/{n}", lambda: min((sphere(lab, n, "--eta", 0.02, "--softening", 4 / n) for _ in range(3)),
                                                 key=lambda one: one["loop_s"]))
        blocks, seconds = told["blocks"], told["loop_s"]
        rows.append([n, seconds, told["body_steps"] * n * JERK_FLOPS / seconds / 1e9, blocks["mean_bodies"], blocks["count"],
                     1e6 * seconds / blocks["count"], abs(told["energy_change"])])
    columns = ["N", "seconds", "Gflop/s", "bodies of a block", "blocks", "microseconds a block", "|dE/E|"]
    lab.table("speed", columns, rows)
    lab.plot("figure5", "N", ["seconds"], "seconds for a quarter of the time unit", table="speed")
    lab.plot("figure6", "N", ["Gflop/s"], "Gflop/s at 60 operations an interaction", table="speed")
    lab.plot("figure7", "N", ["bodies of a block"], "mean number of bodies in a block", table="speed")


def accuracy(lab):
    """Figure 8, without softening."""
    sizes = [128, 256] if lab.small else [32768, 131072]
    etas = [0.01, 0.1] if lab.small else [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3]
    rows = [[eta] for eta in etas]
    for n, precision in [(sizes[0], "extended"), (sizes[1], "extended"), (sizes[0], "double")]:
        for row in rows:
            if row[0] < NOISE and precision == "extended":
                row.append(None)
                continue
            told = lab.keep(f"accuracy/{n}/{precision}/{row[0]}",
                            lambda: sphere(lab, n, "--eta", row[0], "--softening", 0, "--precision", precision))
            row.append(abs(told["energy_change"]))
    names = [f"{sizes[0]} extended", f"{sizes[1]} extended", f"{sizes[0]} double"]
    lab.table("figure8", ["eta", *names], rows)
    lab.plot("figure8", "eta", names, "|dE/E| after a quarter of the time unit")


def collapse(lab, n=1024):
    """Figure 9."""
    n = 64 if lab.small else n
    folder = f"collapse-{n}"
    words = ["--end", 4, "--stop-core", 0.01] if lab.small else []
    told = lab.keep(folder, lambda: lab.run(folder, os.path.join(lab.here, "collapse.ini"), "-n", n, "--softening", 4 / n, *words))
    lab.plot(f"figure9-{n}", "time", RADII, "radius", "y", os.path.join(folder, "energy"))
    lab.plot(f"figure9-{n}-core", "time", ["core_density", "core_bodies"], "density of the core, bodies in it", "y",
             os.path.join(folder, "energy"))
    lab.table(folder, ["N", "time", "seconds", "bodies of a block", "|dE/E|"],
              [[n, told["time"], told["loop_s"], told["blocks"]["mean_bodies"], abs(told["energy_change"])]])


def long(lab):
    collapse(lab, 4096)


def pieces(lab):
    """What a whole collapse would take follows from these only roughly: blocks become smaller as the core does."""
    rows = []
    for n in [64] if lab.small else [8192, 16384, 32768]:
        told = lab.keep(f"pieces/{n}", lambda: lab.run(f"piece-{n}", os.path.join(lab.here, "collapse.ini"), "-n", n, "--softening", 4 / n,
                                                      "--end", 1 if lab.small else 10))
        rows.append([n, told["time"], told["loop_s"], told["body_steps"] * n * JERK_FLOPS / told["loop_s"] / 1e9,
                     told["blocks"]["mean_bodies"], abs(told["energy_change"])])
    lab.table("pieces", ["N", "time", "seconds", "Gflop/s", "bodies of a block", "|dE/E|"], rows)


if __name__ == "__main__":
    main(__file__, __doc__, [speed, accuracy, collapse, long, pieces])
