#!/usr/bin/env python3
"""Forces of a Plummer sphere by Kyoho, pytreegrav and REBOUND, side by side: processor seconds of an evaluation, and errors of
accelerations beside sums in double.

usage: bench/peers.py [--bodies N] [--rounds R] [--threads T]

It needs the package kyoho (docs/python.md), and compares those of `pip install pytreegrav rebound` that are there. There is
no softening. The programs take turns, and the least time of all rounds counts; the first evaluation of each, in which
pytreegrav is compiled, stands apart. What the columns compare: REBOUND's time is a whole step of leap-frog with its tree brought up
to date; that of Kyoho "in a simulation" a whole step and a copy of the accelerations to numpy; all others build their tree anew. Pairs are
float or double as each program has them by default.
"""
import argparse
import os
import time
import warnings

SAMPLES = 500


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bodies", type=lambda text: int(float(text)), default=100000, help="number of bodies (100000)")
    parser.add_argument("--rounds", type=int, default=3, help="evaluations of each program (3)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each program (1)")
    return parser.parse_args()


def kyoho_ways(bodies, threads):
    """{name: function that returns accelerations}"""
    import kyoho
    sim = kyoho.Simulation(bodies, softening=0, step=1e-12, threads=threads)

    def step():
        sim.advance()
        return sim.acceleration

    def once(**options):
        return lambda: kyoho.accelerations(bodies.position, bodies.mass, 0, threads=threads, **options)
    return {"Kyoho, in a simulation": step, "Kyoho, tree, theta 0.7": once(force="tree"), "Kyoho, tree, theta 0.5": once(theta=0.5),
            "Kyoho, fmm": once(force="fmm")}


def pytreegrav_ways(bodies, threads):
    import numba
    import pytreegrav
    numba.set_num_threads(threads)

    def once(**options):
        return lambda: pytreegrav.Accel(bodies.position, bodies.mass, method="tree", parallel=threads > 1, **options)
    return {"pytreegrav, monopoles, theta 0.7": once(theta=0.7), "pytreegrav, quadrupoles, theta 0.7": once(theta=0.7, quadrupole=True),
            "pytreegrav, monopoles, theta 0.4": once(theta=0.4)}


def rebound_ways(bodies, threads):
    import numpy as np
    import rebound
    if threads > 1:
        return {}  # the package of PyPI has one thread
    sim = rebound.Simulation()
    sim.integrator, sim.gravity, sim.dt, sim.opening_angle2 = "leapfrog", "tree", 1e-12, 0.7 ** 2
    size = 2.2 * abs(bodies.position).max()
    if hasattr(sim, "configure_box"):  # REBOUND 4
        sim.configure_box(size)
    else:
        sim.root_size = size
    for mass, x, v in zip(bodies.mass, bodies.position, bodies.velocity):
        sim.add(m=mass, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])

    def accelerations():
        """Its bodies are in an order of its own: both are sorted by position."""
        found = np.array([(p.x, p.y, p.z, p.ax, p.ay, p.az) for p in sim.particles])
        ordered = np.empty_like(found[:, 3:])
        ordered[np.lexsort(bodies.position.T)] = found[np.lexsort(found[:, :3].T), 3:]
        return ordered

    def step():
        sim.steps(1)
        return accelerations  # which is fetched after the time has been taken
    return {"REBOUND, tree, theta 0.7": step}


def exact(bodies, pick):
    """Sums over all bodies at some of them."""
    import numpy as np
    found = np.empty((len(pick), 3))
    for row, i in enumerate(pick):
        d = bodies.position - bodies.position[i]
        r2 = (d ** 2).sum(axis=1)
        r2[i] = 1
        weight = bodies.mass / (r2 * np.sqrt(r2))
        weight[i] = 0
        found[row] = weight @ d
    return found


def timed(way):
    """The processor seconds of a call, and its accelerations; a way may return a function that fetches these."""
    began = time.process_time()
    found = way()
    took = time.process_time() - began
    return took, found() if callable(found) else found


def main():
    given = arguments()
    os.environ.update(OMP_NUM_THREADS=str(given.threads), NUMBA_NUM_THREADS=str(given.threads))
    warnings.simplefilter("ignore")
    import kyoho
    import numpy as np
    bodies = kyoho.model("plummer", given.bodies, seed=1)
    pick = np.random.default_rng(0).choice(given.bodies, min(SAMPLES, given.bodies), replace=False)
    wanted = exact(bodies, pick)
    ways = {}
    for package in (kyoho_ways, pytreegrav_ways, rebound_ways):
        try:
            ways.update(package(bodies, given.threads))
        except ImportError as why:
            print(f"left out: {why}")
    first = {name: timed(way)[0] for name, way in ways.items()}
    least, errors = {}, {}
    for _ in range(given.rounds):
        for name, way in ways.items():
            took, found = timed(way)
            least[name] = min(took, least.get(name, took))
            errors[name] = np.linalg.norm(found[pick] - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    print(f"{given.bodies:,} bodies, {given.threads} thread(s), processor seconds, least of {given.rounds}\n")
    print(f"{'':36s}{'seconds':>9s}{'first':>9s}{'median error':>14s}{'99 %':>10s}")
    for name in ways:
        print(f"{name:36s}{least[name]:9.3f}{first[name]:9.2f}{np.median(errors[name]):14.1e}{np.quantile(errors[name], 0.99):10.1e}")


if __name__ == "__main__":
    main()
