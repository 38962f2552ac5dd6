#!/usr/bin/env python3
# What takes minutes: models that stay as they are for ten crossing times, a cold sphere that collapses when it should,
# forces of a million bodies. Short siblings: unit/equilibrium.c, unit/sim.c, unit/cpu_tree.c.
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../command"))
from tap import check, finish, folder, run, run_json

N, LARGE = 10000, 1000000
ANY = dict(timeout=3000)


def energies(where):
    rows = [line.split(",") for line in open(os.path.join(where, "energy.csv"), encoding="utf-8").read().splitlines()]
    return [dict(zip(rows[0], map(float, row))) for row in rows[1:]]


def snapshots(where):
    return [os.path.join(where, name) for name in sorted(os.listdir(where)) if name.startswith("snapshot_")]


def run_model(where, softening, step, end, every, *model):
    """Runs a model of N bodies; its largest |de| and `info` of its snapshots."""
    run("run", "--model", *model, "-n", N, "--engine", "cpu", "--softening", softening, "--step", step, "--end", end, "--every", every,
        "--output", where, "--quiet", **ANY)
    return max(abs(row["de"]) for row in energies(where)), [run_json("info", name) for name in snapshots(where)]


def radii(info, fractions=(0.25, 0.5, 0.75)):
    return [info["lagrangian_radii"][info["lagrangian_fractions"].index(fraction)] for fraction in fractions]


with folder() as top:
    for name in ("plummer", "hernquist", "king"):
        de, infos = run_model(os.path.join(top, name), 0.1, 1 / 32, 24, 8, name)
        ratios = [after / before for info in infos[1:] for after, before in zip(radii(info), radii(infos[0]))]
        check(len(infos) == 4 and all(0.94 < ratio < 1.06 for ratio in ratios), f"{name} stays as it is", ratios)
        check(de < 1e-3, f"{name} keeps its energy", de)

    # A cold uniform sphere of radius R falls together in pi sqrt(R³/(8 G M)).
    de, infos = run_model(os.path.join(top, "cold"), 0.05, 1 / 256, 6, 0.125, "uniform-sphere", "--virial-ratio", 0)
    outer = radii(infos[0], (0.9,))[0] / 0.9 ** (1 / 3)
    fall = math.pi * math.sqrt(outer ** 3 / 8)
    smallest = min(infos, key=lambda info: radii(info, (0.5,))[0])
    check(abs(smallest["time"] / fall - 1) < 0.08, "a cold sphere collapses in its free-fall time", f"{smallest['time']}, not {fall}")
    check(radii(smallest, (0.5,))[0] < 0.3 * radii(infos[0], (0.5,))[0], "to a fraction of its radius", radii(smallest))
    check(de < 0.02, "and keeps its energy", de)

    for force in ("tree", "walk"):
        said = run_json("force", "--model", "plummer", "-n", LARGE, "--force", force, "--theta", "0.5", "--opening", "offset", "--engine", "cpu", "--softening",
                        "0.001", "--check", "300", **ANY)
        check(said["n"] == LARGE and said["error"]["median"] < 1e-3 and said["error"]["p99"] < 5e-3, f"a million bodies, {force}", said["error"])
finish()
