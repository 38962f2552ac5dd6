#!/usr/bin/env python3
"""What each number of a calculation does to the forces and to the energy of one disk galaxy.

opening    errors of the forces and their cost against theta and alpha
order      the same for trees with monopoles and quadrupoles and for expansions of orders 2 to 6, against alpha
precision  errors of exact and tree forces in single, extended and double precision
softening  errors of the tree against the softening
step       change of the energy over a turn of the galaxy against the step, also with steps of each body's own
energy     change of the energy against theta and alpha
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import main  # noqa: E402

MOMENTS = {"monopoles": 1, "quadrupoles": 2}
ERRORS = ["median", "90 %", "99 %", "potential 99 %"]


def errors(told):
    return [*[told["error"][p] for p in ("median", "p90", "p99")], told["error_potential"]["p99"]]


def galaxy(lab):
    """The words of kyoho force for the galaxy, with errors."""
    n, samples = (1000, 500) if lab.small else (100000, 10000)
    return ["--model", "galaxy", "-n", n, "--check", samples, "--repeat", 1 if lab.small else 9]


def force(lab, *words):
    return lab.force(*galaxy(lab), *words)


def opening(lab):
    """Errors fall as theta^2 or so with monopoles and theta^3 with quadrupoles."""
    few = slice(None, None, 4 if lab.small else 1)
    columns = ["theta", *[f"{what} {name}" for name in MOMENTS for what in (*ERRORS, "pairs a body", "bodies/s")]]
    rows = []
    for theta in [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0][few]:
        row = [theta]
        for multipole in MOMENTS.values():
            told = lab.keep(f"opening/{theta}/{multipole}", lambda: force(lab, "--theta", theta, "--opening", "offset", "--multipole", multipole))
            row += [*errors(told), sum(told["interactions"].values()), told["particles_per_s"]]
        rows.append(row)
    lab.table("theta", columns, rows)
    lab.plot("theta", "theta", [f"{what} {name}" for name in MOMENTS for what in ("median", "99 %")],
             "relative error of the acceleration")
    rows = []
    for alpha in [0.0001, 0.0003, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05][few]:
        told = lab.keep(f"opening/relative/{alpha}", lambda: force(lab, "--alpha", alpha))
        rows.append([alpha, *errors(told), sum(told["interactions"].values()), told["particles_per_s"]])
    lab.table("alpha", ["alpha", *ERRORS, "pairs a body", "bodies/s"], rows)
    lab.plot("alpha", "alpha", ERRORS, "relative error")


def order(lab):
    """A cell of a higher order costs more and is used from nearer by: high orders pay where errors are small."""
    lab.methods("order", *galaxy(lab))


def precision(lab):
    """Of exact sums the error is that of the arithmetic alone."""
    rows = []
    for name, words in {"direct": ["--force", "direct"], "tree, alpha 0.005": ["--force", "tree"], "tree, alpha 1e-5": ["--alpha", 1e-5]}.items():
        for kind in ("single", "extended", "double"):
            told = lab.keep(f"precision/{name}/{kind}", lambda: force(lab, *words, "--precision", kind))
            rows.append([name, kind, *errors(told), told["particles_per_s"]])
    lab.table("precision", ["force", "precision", *ERRORS, "bodies/s"], rows)


def softening(lab):
    """A smaller softening leaves larger accelerations of near bodies, which the tree sums exactly."""
    rows = []
    for eps in [0.1, 0.001] if lab.small else [0.2, 0.1, 0.05, 0.02, 0.01, 0.001, 0]:
        cells = [eps]
        for words in (["--theta", 0.7], ["--alpha", 0.005]):
            told = lab.keep(f"softening/{eps}/{words[0]}", lambda: force(lab, *words, "--softening", eps))
            cells += errors(told)[::2]
        rows.append(cells)
    lab.table("softening", ["softening", "median for theta 0.7", "99 %", "median for alpha 0.005", "99 % "], rows)


def change(lab, *words):
    """The largest |E − E0|/|E0| of the rows of a run, and its seconds."""
    end = 4 if lab.small else 32
    n = 1000 if lab.small else 100000
    told = lab.run("galaxy", os.path.join(lab.here, "galaxy.ini"), "-n", n, "--end", end, "--energy-every", end / 16, *words)
    return {"change": max(abs(float(row["de"])) for row in lab.energies("galaxy")), "seconds": told["wall_s"]}


def step(lab):
    """Leap-frog's error falls as the square of the step, until the forces' errors are what is left."""
    rows = []
    forces = {"tree": ["--force", "tree"], "direct": ["--force", "direct"]}
    for k in [2, 4] if lab.small else range(0, 7):
        cells = [2.0 ** -k]
        for name, words in forces.items():
            cells.append(lab.keep(f"step/{name}/{k}", lambda: change(lab, "--step", 2.0 ** -k, *words))["change"])
        rows.append(cells)
    lab.table("step", ["step", *forces], rows)
    lab.plot("step", "step", list(forces), "largest |dE/E| within a turn")
    rows = []
    for eta in [0.2] if lab.small else [0.4, 0.2, 0.1, 0.05]:
        told = lab.keep(f"step/block/{eta}", lambda: change(lab, "--force", "tree", "--integrator", "block", "--step", 0.25, "--eta", eta))
        rows.append([eta, told["change"], told["seconds"]])
    lab.table("block-steps", ["eta", "tree", "seconds"], rows)


def energy(lab):
    """Forces that are not exact are not those of a potential: energy drifts."""
    rows = []
    for name, values in (("theta", [0.4, 0.7, 1.0]), ("alpha", [0.001, 0.005, 0.02])):
        for value in values[1:2] if lab.small else values:
            told = lab.keep(f"energy/{name}/{value}", lambda: change(lab, "--" + name, value))
            rows.append([name, value, told["change"], told["seconds"]])
    lab.table("energy", ["number", "value", "largest |dE/E|", "seconds"], rows)


if __name__ == "__main__":
    main(__file__, __doc__, [opening, order, precision, softening, step, energy])
