#!/usr/bin/env python3
"""Bédorf, Gaburov & Portegies Zwart (2012): the octree on the device, and a merger of two galaxies with black holes.

phases    figure 6: seconds of one evaluation by phase against N
errors    figures 8 and 9: distributions of the errors against theta
order     beside figure 9: errors and seconds of trees with monopoles and quadrupoles and of expansions of orders 2 to 6
merger    table 2: the merger with theta = 0.75 and 0.5, and with the opening test that is kyoho's own: seconds, energy, passages
check     the merger up to the third pericentre by exact sums, with half the step, and with theta = 0.3
profiles  density, mass and circular velocity at the end
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import main, read_tipsy  # noqa: E402

PHASES = ["keys", "sort", "build", "moments", "walk", "total"]
# Name of a run: its words, its steps in one of the paper's 1/64, and whether it goes on to the end.
RUNS = {
    "theta 0.75": (["--theta", 0.75], 1, True),
    "theta 0.5": (["--theta", 0.5], 1, True),
    "alpha 0.005": (["--opening", "relative", "--alpha", 0.005], 1, True),  # errors like those of theta = 0.75
    "direct": (["--force", "direct", "--precision", "single"], 1, False),
    "half step": (["--theta", 0.75], 2, False),
    "theta 0.3": (["--theta", 0.3], 1, False),
}
OWN = [("--direct-engine", dict(help="engine of the merger by exact sums, such as cuda:0,1 (default: that of --engine)"))]
WHOLE = [name for name, (_, _, whole) in RUNS.items() if whole]


def phases(lab):
    """Plummer spheres, theta = 0.75, quadrupoles."""
    rows = []
    for k in range(8, 11) if lab.small else range(15, 25):
        told = lab.keep(f"phases/{k}", lambda: lab.force("--model", "plummer", "-n", 2 ** k, "--theta", 0.75, "--opening", "offset",
                                                        "--softening", 0, "--repeat", 3 if lab.small else 9))
        rows.append([2 ** k, *[told["seconds"][phase] for phase in PHASES], told["particles_per_s"]])
    lab.table("figure6", ["N", *PHASES, "bodies/s"], rows)
    lab.plot("figure6", "N", PHASES, "seconds of one evaluation")


def errors(lab):
    """Plummer spheres without softening; the paper's first percentile is the error that 1 % of the bodies exceed."""
    sizes = [512, 1024] if lab.small else [32768, 131072, 1048576]
    rows = []
    for n in sizes:
        for theta in [0.3, 0.75] if lab.small else [0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.8]:
            told = lab.keep(f"errors/{n}/{theta}", lambda: lab.force(
                "--model", "plummer", "-n", n, "--theta", theta, "--opening", "offset", "--softening", 0, "--check",
                256 if lab.small else 20000, "--repeat", 3))
            rows.append([n, theta, told["error"]["median"], told["error"]["p90"], told["error"]["p99"], told["particles_per_s"]])
    lab.table("figure9", ["N", "theta", "median", "90 %", "99 %", "bodies/s"], rows)
    names = []
    for theta in ["exact", "0.2", "0.4", "0.6", "0.8"]:
        names.append(os.path.join(lab.out, f"theta-{theta}.hdf5"))
        how = ["--force", "direct", "--precision", "double"] if theta == "exact" else ["--theta", theta, "--opening", "offset"]
        if not os.path.exists(names[-1]):
            lab.force("--model", "plummer", "-n", sizes[1], "--softening", 0, *how, "-o", names[-1])
    lab.draw("figure8", "--plot", "errors", *names, "--width", 720, "--height", 440)


def order(lab):
    """The largest sphere of figure 9, against alpha."""
    lab.methods("order", "--model", "plummer", "-n", 1024 if lab.small else 1048576, "--softening", 0, "--check",
                256 if lab.small else 20000, "--repeat", 3)


def bodies(lab):
    return 1202 if lab.small else 240002


def run(lab, name):
    """run.json and the rows [time, distance of the black holes, de] of one run, and the name of its folder."""
    words, part, whole = RUNS[name]
    folder = "merger-" + name.replace(" ", "-")
    n = bodies(lab)
    end, passages = (8, 4) if lab.small else (1000, 310)
    holes = [n // 2 - 1, n - 1]
    words = ["-n", n, "--end", end if whole else passages, "--every", end / (8 if lab.small else 10) if whole else 0, "--energy-every", 0.5,
             "--follow", f"{holes[0]},{holes[1]}", "--step", (1 / 16 if lab.small else 1 / 64) / part, *words]
    told = lab.keep(folder, lambda: lab.run(folder, os.path.join(lab.here, "merger.ini"), *words, engine=lab.words.direct_engine if name == "direct" else None))
    table = [{name: float(cell) for name, cell in row.items() if cell} for row in lab.energies(folder)]
    rows = [[row["time"], math.dist(*[[row[f"{c}_{hole}"] for c in "xyz"] for hole in holes]), row["de"]] for row in table]
    return told, rows, folder


def pericentres(rows):
    """Times and distances of the first three local minima of the distance that lie below half of the maximum before."""
    found, most = [], 0.0
    for before, here, after in zip(rows, rows[1:], rows[2:]):
        most = max(most, here[1])
        if before[1] >= here[1] < after[1] and here[1] < most / 2:
            found.append(here[:2])
            most = 0.0
    return found[:3]


def table(lab, name, runs):
    rows = []
    for kind in runs:
        told, distances, _ = run(lab, kind)
        passages = [f"{time:.1f}" for time, _ in pericentres(distances)]
        rows.append([kind, told["time"], told["steps"], told["loop_s"], distances[-1][2], max(abs(row[2]) for row in distances),
                     " ".join(passages) or "none"])
    lab.table(name, ["run", "end", "steps", "seconds", "dE at the end", "largest |dE|", "pericentres"], rows)


def distances(lab, name, runs):
    """A plot of the distance of the black holes in several runs, at the times that all of them have."""
    told = {kind: {row[0]: row[1] for row in run(lab, kind)[1]} for kind in runs}
    times = sorted(set.intersection(*[set(one) for one in told.values()]))
    lab.table_file(name, ["time", *runs], [[time, *[told[kind][time] for kind in runs]] for time in times])
    lab.plot(name, "time", list(runs), "distance of the black holes [kpc]", "none")
    return told, times


def snapshots(lab, kind):
    folder = os.path.join(lab.out, run(lab, kind)[2])
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith("snapshot_")]


def forces(lab):
    """Errors of the forces of each run at its first and its last snapshot."""
    rows = []
    for kind in WHOLE:
        opening = [] if "--opening" in RUNS[kind][0] else ["--opening", "offset"]
        files = snapshots(lab, kind)
        for time, file in [(0, files[0]), (run(lab, kind)[0]["time"], files[-1])]:
            told = lab.keep(f"forces/{kind}/{os.path.basename(file)}", lambda: lab.force(
                file, *opening, *RUNS[kind][0], "--check", 256 if lab.small else 20000, "--repeat", 9))
            error = told["error"]
            rows.append([kind, time, error["median"], error["p90"], error["p99"], 1000 * told["seconds"]["total"]])
    lab.table("forces", ["run", "time", "median", "90 %", "99 %", "milliseconds"], rows)


def merger(lab):
    """The runs that go on to the end."""
    table(lab, "table2", WHOLE)
    forces(lab)
    distances(lab, "distance", WHOLE)
    files = snapshots(lab, WHOLE[0])
    lab.draw("merger", *[files[k] for k in (0, 2, 3, -1)], "--types", "2,3,5", "--show", "components", "--divide", bodies(lab) // 2,
             "--region", 300, "--range", 5.5, "--width", 360)


def check(lab):
    """What moves the black holes' distance by less than the softening up to the third pericentre."""
    table(lab, "check", list(RUNS))
    told, times = distances(lab, "distance-check", list(RUNS))
    rows = [[kind, base, *largest(told, times, pericentres(run(lab, base)[1]), kind, base)]
            for base in ("theta 0.75", "direct") for kind in RUNS if kind != base]
    lab.table("differences", ["run", "against", "up to the first", "up to the second", "up to the third pericentre"], rows)


def largest(told, times, passages, kind, base):
    """The largest differences of the black holes' distance between two runs up to each of three pericentres of the second."""
    ends = [passages[k][0] if k < len(passages) else times[-1] for k in range(3)]
    return [max(abs(told[kind][t] - told[base][t]) for t in times if t <= end) for end in ends]


def profiles(lab):
    """About the first black hole, of all bodies; shells of equal width in the logarithm."""
    columns = {}
    for kind in WHOLE:
        columns[kind] = lab.keep("profile/" + kind, lambda: profile(lab, snapshots(lab, kind)[-1]))
    radii = [10 ** (k / 10) for k in range(-5, 26)]
    rows = [[radius, *[columns[kind][what][k] for what in ("density", "mass", "velocity") for kind in columns]]
            for k, radius in enumerate(radii)]
    names = [f"{what} {kind}" for what in ("density", "mass", "velocity") for kind in columns]
    lab.table_file("profiles", ["radius", *names], rows)
    for what in ("density", "mass", "velocity"):
        lab.plot(what, "radius", [name for name in names if name.startswith(what)], what, table="profiles")


def profile(lab, file):
    place, _, mass = read_tipsy(lab, file)
    centre = place[-3:]  # the last body is a black hole
    edges = [10 ** ((k - 0.5) / 10) for k in range(-5, 27)]
    shells, inside = [0.0] * (len(edges) - 1), 0.0
    for i, m in enumerate(mass):
        r = math.dist(place[3 * i:3 * i + 3], centre)
        if r < edges[0]:
            inside += m
        elif r < edges[-1]:
            shells[min(len(shells) - 1, int(10 * math.log10(r / edges[0])))] += m
    density, masses, velocity = [], [], []
    for k, shell in enumerate(shells):
        density.append(shell / (4 / 3 * math.pi * (edges[k + 1] ** 3 - edges[k] ** 3)))
        inside += shell
        masses.append(inside)
        velocity.append(math.sqrt(inside / edges[k + 1]))
    return {"density": density, "mass": masses, "velocity": velocity}


if __name__ == "__main__":
    main(__file__, __doc__, [phases, errors, order, merger, check, profiles], OWN)
