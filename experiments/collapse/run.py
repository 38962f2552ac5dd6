#!/usr/bin/env python3
"""Core collapse of Plummer spheres of equal masses without softening, by the Hermite scheme with groups.

collapse  from the start through the bounce, one sphere for each seed: first hard pairs, smallest core, change of the energy
"""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import main  # noqa: E402

HARD = 30  # kT that pairs must have: about the kinetic energy of a core of 20 bodies, 3/2 kT each
WIDTH = 9  # rows of energy.csv, of which the median core radius is taken: the core has few bodies
COLUMNS = ["seed", "first hard pairs", "smallest core", "core radius", "end", "dE/E", "largest |dE/E|", "seconds"]
OPTIONS = [("--seeds", dict(type=int, metavar="N", help="number of spheres (default 10; 2 with --small)")),
           ("--bodies", dict(type=int, default=1024, metavar="N", help="bodies of a sphere (default 1024)"))]


def smallest_core(rows):
    """Time and radius where the median of neighbouring core radii is smallest."""
    radii = [float(row["core_radius"]) for row in rows]
    medians = [statistics.median(radii[k:k + WIDTH]) for k in range(len(radii) - WIDTH + 1)]
    k = medians.index(min(medians))
    return float(rows[k + WIDTH // 2]["time"]), medians[k]


def first_hard_pairs(rows, n):
    """Time of the first row where the energy within groups is that of hard pairs, or "none". The kinetic energy of n bodies at the start is 1/4."""
    kt = 1 / (6 * n)
    return next((float(row["time"]) for row in rows if float(row["group_energy"]) < -HARD * kt), "none")


def collapse(lab):
    n = 64 if lab.small else lab.words.bodies
    # 1.5 times the latest collapse that is expected, at 365 for 1,024 bodies; it follows the relaxation time
    end = 30 if lab.small else round(550 * n / 1024)
    rows = []
    for seed in range(1, (lab.words.seeds or (2 if lab.small else 10)) + 1):
        folder = f"collapse-{n}-{seed}"
        told = lab.run(folder, "--model", "plummer", "-n", n, "--seed", seed, "--integrator", "hermite4", "--softening", 0, "--groups",
                       "--eta", 0.02, "--threads", 1, "--step", 0.0625, "--end", end, "--every", 10, "--energy-every", 0.5, "--core",
                       engine="cpu")
        energies = lab.energies(folder)
        time, radius = smallest_core(energies)
        rows.append([seed, first_hard_pairs(energies, n), time, radius, told["time"], told["energy_change"], max(abs(float(row["de"])) for row in energies),
                     told["loop_s"]])
        lab.table_file(f"collapse-{n}", COLUMNS, rows)
        lab.plot(f"core-{n}-{seed}", "time", ["core_radius", "lagrangian_10", "lagrangian_50"], "radius", "y", os.path.join(folder, "energy"))
    lab.table(f"collapse-{n}", COLUMNS, rows)


if __name__ == "__main__":
    main(__file__, __doc__, [collapse], OPTIONS)
