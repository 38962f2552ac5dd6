#!/usr/bin/env python3
"""Isolated clusters of equal masses that start with binaries, by the Hermite scheme with groups (Heggie, Trenti & Hut 2006).

core  core radius over half-mass radius against time, for several fractions of binaries
"""
import math
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import STOPPED_EARLY, main  # noqa: E402

SOFTEST, HARDEST = 5, 700  # binding energies of pairs at the start in kT, uniform in their logarithm
BIN = 0.5  # relaxation times: a median of the ratio, since the core has few bodies
WINDOW = 5  # relaxation times: a mean of the ratio
OPTIONS = [("--objects", dict(type=int, metavar="N", help="single stars and pairs of a cluster (default 512; 32 with --small)")),
           ("--fractions", dict(default="0,0.1,0.5", metavar="F,F...", help="fractions of the objects that are pairs (default 0,0.1,0.5)")),
           ("--seeds", dict(type=int, metavar="N", help="clusters of each fraction (default 4; 1 with --small)")),
           ("--until", dict(type=float, metavar="T", help="end in relaxation times of the start (default 20; 5 with --small)")),
           ("--at-once", dict(type=int, default=1, metavar="N", help="runs at the same time, one thread each (default 1)"))]


def relaxation_time(objects):
    """Of a Plummer sphere at its half-mass radius, with G = M = 1 and a virial radius of 1 (Spitzer 1987; Giersz & Heggie 1994)."""
    return 0.138 * objects * 0.769 ** 1.5 / max(1, math.log(0.11 * objects))


def axis(objects, stars, hardness):
    """Semi-major axis of a pair of that many kT. The kinetic energy of all objects, 3/2 kT each, is 1/4; the pair has G m²/(2 a)."""
    kt = 1 / (6 * objects)
    return stars ** -2 / (2 * hardness * kt)


class Cluster:
    """One run.

    rows: those of energy.csv so far. times: theirs in relaxation times of the start. ratios: their core radius over half-mass radius.
    """

    def __init__(self, lab, objects, fraction, seed):
        self.lab, self.fraction, self.seed = lab, fraction, seed
        self.folder = f"{objects}-{fraction:g}-{seed}"
        self.unit = relaxation_time(objects)
        stars = round(objects * (1 + fraction))
        until = lab.words.until or (5 if lab.small else 20)
        rows = 2.0 ** math.floor(math.log2(self.unit / 16))  # time between rows
        snapshots = 32 * rows
        self.words = ["--model", "plummer", "-n", stars, "--seed", seed, "--integrator", "hermite4", "--softening", 0, "--groups", "--eta", 0.02,
                      "--threads", 1, "--step", 0.0625, "--end", snapshots * math.ceil(until * self.unit / snapshots), "--every", snapshots,
                      "--compress", "--energy-every", rows, "--core"]
        if fraction:
            self.words += ["--binaries", fraction, "--binary-periods", "log-uniform", "--binary-eccentricities", "thermal",
                           "--binary-axis-min", f"{axis(objects, stars, HARDEST):.6g}", "--binary-axis-max", f"{axis(objects, stars, SOFTEST):.6g}"]

    def advance(self):
        """Goes on with the run. Returns None, or the exit code where it did not end."""
        try:
            self.lab.run(self.folder, *self.words, engine="cpu")
        except SystemExit as stopped:
            return stopped.code
        return None

    def read(self):
        self.rows = self.lab.energies(self.folder)
        self.times = [float(row["time"]) / self.unit for row in self.rows]
        self.ratios = [float(row["core_radius"]) / float(row["half_mass_radius"]) for row in self.rows]

    def means(self, width, mean):
        """A mean of the ratio in each interval of that many relaxation times that the run has passed."""
        intervals = [[] for _ in range(int(self.times[-1] / width))]
        for time, ratio in zip(self.times, self.ratios):
            if time < width * len(intervals):
                intervals[int(time / width)].append(ratio)
        return [mean(ratios) for ratios in intervals]

    def summary(self):
        return [self.fraction, self.seed, self.times[-1], float(self.rows[-1]["half_mass_radius"]), int(self.rows[-1]["grouped"]),
                max(abs(float(row["de"])) for row in self.rows), float(self.rows[-1]["wall_s"])]


def curves(lab, sets):
    """The mean of the seeds against time, up to the end of the shortest run."""
    means = [[cluster.means(BIN, statistics.median) for cluster in clusters] for clusters in sets.values()]
    bins = min(len(one) for several in means for one in several)
    rows = [[(k + 0.5) * BIN, *[statistics.mean(one[k] for one in several) for several in means]] for k in range(bins)]
    lab.table_file("ratio", ["t", *[f"f={fraction:g}" for fraction in sets]], rows)
    if rows:
        lab.plot("ratio", "t", [f"f={fraction:g}" for fraction in sets], "core radius over half-mass radius; t in relaxation times", "y")


def windows(lab, sets):
    """Mean of the seeds, and its error from their scatter, in each window that all runs of a fraction have passed."""
    rows = []
    for fraction, clusters in sets.items():
        means = [cluster.means(WINDOW, statistics.mean) for cluster in clusters]
        for k, found in enumerate(zip(*means)):
            error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else "unknown"
            rows.append([fraction, f"{k * WINDOW} to {(k + 1) * WINDOW}", len(found), statistics.mean(found), error])
    lab.table("windows", ["f", "t / t_rh", "runs", "r_c/r_h", "error of the mean"], rows)


def core(lab):
    objects = lab.words.objects or (32 if lab.small else 512)
    seeds = range(1, (lab.words.seeds or (1 if lab.small else 4)) + 1)
    sets = {fraction: [Cluster(lab, objects, fraction, seed) for seed in seeds] for fraction in map(float, lab.words.fractions.split(","))}
    clusters = sum(sets.values(), [])
    with ThreadPoolExecutor(lab.words.at_once) as pool:
        codes = list(pool.map(Cluster.advance, reversed(clusters)))  # the slowest first
    failed = [code for code in codes if code not in (None, STOPPED_EARLY)]
    if failed:
        sys.exit(failed[0])
    for cluster in clusters:
        cluster.read()
    curves(lab, sets)
    windows(lab, sets)
    lab.table("runs", ["f", "seed", "end [t_rh]", "r_h", "stars in groups", "largest |dE/E|", "seconds"], [cluster.summary() for cluster in clusters])
    if STOPPED_EARLY in codes:
        sys.exit(STOPPED_EARLY)


if __name__ == "__main__":
    main(__file__, __doc__, [core], OPTIONS)
