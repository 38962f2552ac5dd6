#!/usr/bin/env python3
"""Nakasato (2012): the walk of single bodies through an octree built on the host.

number    tables 2 and 3, figure 9: seconds against N without order and along the Morton and the Hilbert curve, and exact sums
angle     table 5: seconds against the opening angle
cache     table 4: cache hits of the walk, where NVIDIA's profiler ncu reads the counters of the card
errors    tables 6 and 7: errors of a galaxy's accelerations and potentials
speed     figure 2: exact sums against N
engines   figure 10: the walk on every engine that there is
cube      the evaluation of 1,048,576 bodies in a cube
"""
import csv
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import gflops, main  # noqa: E402

# The paper's walk: every body by itself, leaves of one body, monopoles, l/theta + s < d with cubic cells.
WALK = ["--force", "walk", "--opening", "offset", "--cell", "edge", "--multipole", 1, "--leaf", 1]
OF_HOST = ["--tree", "host"]  # for devices: the CPU has no other tree
ANGLES = [k / 10 for k in range(2, 11)]


def walk(lab, n, *words, model="uniform-sphere", engine=None):
    """The object of kyoho force for the paper's walk; the median of several evaluations."""
    of_host = [] if (lab.on_cpu if engine is None else engine == "cpu") else OF_HOST
    return lab.kyoho("force", "--model", model, "-n", n, *WALK, *of_host, "--repeat", 3 if lab.small else 9, "--softening", 0.01,
                     "--engine", engine or lab.engine, *words)


def seconds(told):
    """Building the tree on the host, its way to the device, and the walk; bodies are on the engine, and forces stay there."""
    return told["seconds"]["total"]


def building(told):
    return sum(told["seconds"][phase] for phase in ("keys", "sort", "build", "moments"))


def number(lab):
    """Bodies uniform in a sphere, theta = 0.6."""
    rows, exact = [], []
    for k in [1, 2] if lab.small else [50, 100, 200, 400, 800]:
        n, row = 1024 * k, [1024 * k]
        for curve in ("none", "morton", "hilbert"):
            told = lab.keep(f"number/{n}/{curve}", lambda: walk(lab, n, "--theta", 0.6, "--curve", curve))
            row += [seconds(told), building(told)]
        rows.append(row)
        own = lab.keep(f"number/{n}/tree", lambda: lab.force("--model", "uniform-sphere", "-n", n, "--softening", 0.01, "--repeat", 9))
        row.append(seconds(own))
    lab.table("tables-2-3", ["N", "none [s]", "its tree [s]", "Morton [s]", "its tree [s] ", "Hilbert [s]", "its tree [s]  ",
                             "Kyoho's default [s]"], rows)
    for n in [512, 1024, 2048] if lab.small else [1000 * 2 ** k for k in range(1, 9)]:
        direct = lab.keep(f"number/{n}/direct", lambda: lab.force("--model", "uniform-sphere", "-n", n, "--force", "direct",
                                                                 "--precision", "single", "--softening", 0.01, "--repeat", 3))
        told = lab.keep(f"number/{n}/walk", lambda: walk(lab, n, "--theta", 0.6, "--curve", "morton"))
        exact.append([n, seconds(told), seconds(direct)])
    lab.table("figure9", ["N", "walk", "exact sum"], exact)
    lab.plot("figure9", "N", ["walk", "exact sum"], "seconds of one evaluation")


def angle(lab):
    """800K bodies uniform in a sphere, along the Morton curve."""
    n = 1024 * (2 if lab.small else 800)
    rows = []
    for theta in ANGLES[::4] if lab.small else ANGLES:
        told = lab.keep(f"angle/{theta}", lambda: walk(lab, n, "--theta", theta, "--curve", "morton"))
        rows.append([theta, seconds(told), told["interactions_per_s"] * 38 / 1e9])
    lab.table("table-5", ["theta", "seconds", "Gflop/s of the walk"], rows)


def cache(lab):
    """Hits in the caches of the multiprocessors (L1) and of the card (L2)."""
    if not shutil.which("ncu") or lab.engine.split(":")[0] != "cuda":
        print("\ncache hits: not measured, for that takes the program ncu and --engine cuda")
        return
    rows = []
    for k in [1] if lab.small else [50, 100, 200, 400, 800]:
        row = [1024 * k]
        for curve in ("none", "morton", "hilbert"):
            row += lab.keep(f"cache/{k}/{curve}", lambda: hits(lab, 1024 * k, curve))
        rows.append(row)
    lab.table("table-4", ["N", *[f"{curve} {level} [%]" for curve in ("none", "Morton", "Hilbert") for level in ("L1", "L2")]], rows)


def hits(lab, n, curve):
    """Two rates of hits of the kernel of the walk [%]; None where the profiler reads no counters."""
    metrics = ["l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"]
    words = ["force", "--model", "uniform-sphere", "-n", n, *WALK, *OF_HOST, "--theta", 0.6, "--curve", curve, "--softening", 0.01, "--engine",
             lab.engine]
    done = subprocess.run(["ncu", "--clock-control", "none", "--csv", "--metrics", ",".join(metrics), "--kernel-name",
                           "regex:^ky_walk_1_", "--launch-count", "1", lab.program, *map(str, words)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    found = {cells[-3]: float(cells[-1]) for cells in csv.reader(done.stdout.splitlines()) if len(cells) > 3 and cells[-3] in metrics}
    if len(found) < len(metrics):
        print(done.stdout + done.stderr, file=sys.stderr)
    return [found.get(metric) for metric in metrics]


def errors(lab):
    """A galaxy with the masses of Kuijken & Dubinski's: mean, median and 99 % of the relative errors."""
    sizes = [1, 2] if lab.small else [10, 50, 100, 200, 500]
    columns = ["theta", *[f"{k}K {what}" for k in sizes for what in ("mean", "median", "99 %")]]
    tables = {"table-6": ("error", []), "table-7": ("error_potential", [])}
    for theta in ANGLES[::4] if lab.small else ANGLES:
        told = [lab.keep(f"errors/{k}/{theta}", lambda: walk(lab, 1024 * k, "--theta", theta, "--curve", "morton", "--check",
                                                             512 if lab.small else 20000, model="galaxy")) for k in sizes]
        for name, rows in tables.values():
            rows.append([theta, *[one[name][what] for one in told for what in ("mean", "median", "p99")]])
    for table, (_, rows) in tables.items():
        lab.table(table, columns, rows)


def speed(lab):
    """Bodies uniform in a sphere; every body on every body."""
    rows = []
    for n in [512, 1024] if lab.small else [1024, 4096, 16384, 65536, 195584, 524288]:
        told = lab.keep(f"speed/{n}", lambda: lab.force("--model", "uniform-sphere", "-n", n, "--force", "direct", "--precision",
                                                       "single", "--softening", 0.01, "--repeat", 3))
        rows.append([n, seconds(told), gflops(n * n, seconds(told))])
    lab.table("figure2", ["N", "seconds", "Gflop/s"], rows)
    lab.plot("figure2", "N", ["Gflop/s"], "Gflop/s at 38 operations an interaction")


def engines(lab):
    """The paper's kernels: by hand, OpenCL on the GPU, OpenCL on the CPU. Here: CUDA, OpenCL on a GPU, OpenCL on a CPU, CPU."""
    there = lab.keep("engines", lambda: list_engines(lab))
    rows = [[1024 * k] for k in ([1, 2] if lab.small else [10, 50, 100, 200])]
    for row in rows:
        for engine in there.values():
            row.append(seconds(lab.keep(f"engines/{row[0] // 1024}/{engine}", lambda: walk(
                lab, row[0], "--theta", 0.6, "--curve", "morton", engine=engine))))
    lab.table("figure10", ["N", *there], rows)
    lab.plot("figure10", "N", list(there), "seconds of one evaluation")


def list_engines(lab):
    """Names for the plot and values of --engine: one of each kind that opens."""
    found = {}
    for device in lab.kyoho("devices")["devices"]:
        if device["usable"]:
            kind = device["engine"].split(":")[0] + (" on a CPU" if device["on_cpu"] and device["engine"] != "cpu" else "")
            found.setdefault(kind, device["engine"])
    return found


def cube(lab):
    """1,048,576 bodies in a cube, theta = 0.6: 0.65 s in the paper, 0.73 s in the one of 2009."""
    n = 2048 if lab.small else 1048576
    told = lab.keep("cube", lambda: walk(lab, n, "--theta", 0.6, "--curve", "morton", model="uniform-cube"))
    own = lab.keep("cube/tree", lambda: lab.force("--model", "uniform-cube", "-n", n, "--softening", 0.01, "--repeat", 9))
    lab.table("cube", ["N", "the paper's walk [s]", "Kyoho's default [s]"], [[n, seconds(told), seconds(own)]])


if __name__ == "__main__":
    main(__file__, __doc__, [number, angle, cache, errors, speed, engines, cube])
