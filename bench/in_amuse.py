#!/usr/bin/env python3
"""Kyoho inside AMUSE: the field at points beside that of BHTree, and a Bridge of two spheres beside one code.

usage: bench/in_amuse.py [--bodies N] [--points N] [--sphere N] [--rounds R]

It needs AMUSE's framework and the package kyoho (docs/amuse.md); BHTree is compared where amuse-bhtree is
installed. Every worker has one thread. Times of the field are processor seconds of the worker for acceleration at the points, the
least of all rounds; errors are those of 500 points beside sums in double. Bridge and one code are clock seconds of 8 steps of 1/64.
"""
import argparse
import os
import subprocess
import time

import numpy as np
from amuse.couple.bridge import Bridge
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system as nb
from kyoho.amuse import Kyoho

CHANNEL = {"channel_type": "sockets", "initialize_mpi": False}  # a worker is a process of this script
STEP, STEPS, SAMPLES, EPSILON2 = 1 / 64, 8, 500, 0.0025


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bodies", type=int, default=100000, help="number of bodies of the field (100000)")
    parser.add_argument("--points", type=int, default=100000, help="number of points (100000)")
    parser.add_argument("--sphere", type=int, default=20000, help="number of bodies of each sphere of the Bridge (20000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed (3)")
    return parser.parse_args()


def codes():
    """{name: function that starts a worker}"""
    def kyoho():
        code = Kyoho(**CHANNEL)
        code.parameters.threads = 1
        return code

    def bhtree(angle):
        from amuse_bhtree.interface import BHTree
        code = BHTree(**CHANNEL)
        code.parameters.opening_angle = angle
        return code
    ways = {"Kyoho": kyoho}
    try:
        import amuse_bhtree.interface  # noqa: F401
    except ImportError:
        print("amuse-bhtree is not installed: without BHTree")
        return ways
    return ways | {f"BHTree, {angle}": lambda angle=angle: bhtree(angle) for angle in (0.75, 0.5)}


def worker_seconds(code):
    """Processor time of the worker's process and of those that it has started."""
    tree, ticks = [str(code.legacy_interface.channel.process.pid)], 0
    for number in tree:
        tree += subprocess.run(["pgrep", "-P", number], capture_output=True, text=True, check=False).stdout.split()
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            ticks += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def errors(stars, points, found):
    """Median and 99th percentile of the relative errors."""
    chosen = np.random.RandomState(0).choice(len(points), min(SAMPLES, len(points)), replace=False)
    place, mass = stars.position.number, stars.mass.number
    wrong = []
    for k in chosen:
        d = place - points[k]
        exact = (mass / ((d * d).sum(1) + EPSILON2)**1.5) @ d
        wrong.append(np.linalg.norm(found[k] - exact) / np.linalg.norm(exact))
    return np.percentile(wrong, [50, 99])


def field(given):
    np.random.seed(3)
    stars = new_plummer_model(given.bodies)
    points = np.random.RandomState(1).permutation(1.001 * stars.position.number)[:given.points]
    print(f"\nAcceleration at {len(points)} points, {given.bodies} bodies of a Plummer sphere, softening {EPSILON2**0.5}")
    print(f"{'code':14s} {'seconds':>8s} {'us a point':>10s} {'median':>8s} {'99 %':>8s}")
    for name, start in codes().items():
        code = start()
        code.parameters.epsilon_squared = EPSILON2 | nb.length**2
        code.particles.add_particles(stars)
        code.commit_particles()
        zero = np.zeros(len(points)) | nb.length
        times = []
        for _ in range(given.rounds):
            before = worker_seconds(code)
            found = code.get_gravity_at_point(zero + (EPSILON2**0.5 | nb.length) * (name == "Kyoho"),
                                              *(points[:, c] | nb.length for c in range(3)))
            times.append(worker_seconds(code) - before)
        code.stop()
        median, most = errors(stars, points, np.array([part.number for part in found]).T)
        print(f"{name:14s} {min(times):8.2f} {1e6 * min(times) / len(points):10.2f} {median:8.1e} {most:8.1e}")


def sphere(count, x):
    stars = new_plummer_model(count)
    stars.x += x | nb.length
    return stars


def code_of(*sets):
    code = Kyoho(**CHANNEL)
    code.parameters.threads = 1
    code.parameters.timestep = STEP | nb.time
    for stars in sets:
        code.particles.add_particles(stars)
    code.commit_particles()
    return code


def clock(system):
    """Clock seconds of STEPS steps after a first one, and processor seconds of this script in them."""
    system.evolve_model(STEP | nb.time)
    began, used = time.monotonic(), time.process_time()
    system.evolve_model((1 + STEPS) * STEP | nb.time)
    return time.monotonic() - began, time.process_time() - used


def bridge(given):
    np.random.seed(1)
    left, right = sphere(given.sphere, -4), sphere(given.sphere, 4)
    print(f"\n{STEPS} steps of 1/64, two spheres of {given.sphere} bodies")
    print(f"{'Bridge':>8s} {'of it the script':>17s} {'one code':>9s} {'ratio':>6s}")
    for _ in range(given.rounds):
        first, second = code_of(left), code_of(right)
        pair = Bridge(timestep=STEP | nb.time)
        pair.add_system(first, (second,))
        pair.add_system(second, (first,))
        both, script = clock(pair)
        pair.stop()
        one = code_of(left, right)
        single, _ = clock(one)
        one.stop()
        print(f"{both:8.3f} {script:17.3f} {single:9.3f} {both / single:6.2f}")


chosen = arguments()
field(chosen)
bridge(chosen)
