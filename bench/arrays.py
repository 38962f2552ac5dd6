#!/usr/bin/env python3
"""Times of kyoho.gravity for arrays of numpy, CuPy, PyTorch and JAX, in one run, beside the evaluation alone.

usage: bench/arrays.py [N…]      default: 1000 10000 100000 1000000 4000000

Columns, in ms, each the median of REPEAT calls (default 15; few for many bodies), each call waited for: `evaluation`, as the engine
reports it (its clock, both passes of the opening test `relative`); the same call with arrays of each package that is here; and `new engine`, numpy after
kyoho.release(), as the first call of a program. A package that is not here is left out. The package kyoho has to be importable.
"""
import json
import os
import statistics
import sys
import time

import kyoho
import numpy as np
from kyoho import forces
from kyoho._library import struct

ENGINE = os.environ.get("ENGINE", "cuda")
REPEAT = int(os.environ.get("REPEAT", "15"))


def packages():
    """{name: (function that makes an array of numpy's, function that waits)}."""
    found = {"numpy": (lambda array: array, lambda: None)}
    if not ENGINE.startswith("cuda"):
        return found
    try:
        import cupy
        found["cupy"] = cupy.asarray, cupy.cuda.get_current_stream().synchronize
    except ImportError as why:
        print(f"# no cupy: {why}")
    try:
        import torch
        if torch.cuda.is_available():
            found["torch"] = (lambda array: torch.from_numpy(array).cuda()), torch.cuda.synchronize
    except ImportError as why:
        print(f"# no torch: {why}")
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() == "gpu":
            found["jax"] = (lambda array: jax.block_until_ready(jax.numpy.asarray(array))), lambda: None
    except ImportError as why:
        print(f"# no jax: {why}")
    return found


def median(call, repeat):
    """Milliseconds."""
    call()
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e3 * statistics.median(times)


def evaluation(pos, mass, options, repeat):
    """Milliseconds of the evaluation within a call of kyoho.gravity, with an engine that is kept, as the engine reports it."""
    times, report = [], struct("ky_force_report")
    for _ in range(repeat):
        forces._forces(pos, mass, 0.01, None, {"engine": ENGINE, **options}, ("acceleration", "potential"), report)
        times.append(report.total)
    return 1e3 * statistics.median(times[1:])


def rows(n, here):
    bodies = kyoho.model("plummer", n, seed=1)
    repeat = max(5, min(REPEAT, int(4e7 / n)))
    for name, number, options in (("float64", "f8", {}), ("float32", "f4", {}), ("float64 alpha=0.002", "f8", {"alpha": 0.002})):
        row = {"n": n, "options": name, "evaluation": evaluation(bodies.position.astype(number), bodies.mass.astype(number), options, repeat + 1)}
        for package, (make, wait) in here.items():
            pos, mass = make(bodies.position.astype(number)), make(bodies.mass.astype(number))

            def call(pos=pos, mass=mass, wait=wait):
                kyoho.gravity(pos, mass, 0.01, engine=ENGINE, **options)
                wait()
            wait()
            row[package] = median(call, repeat)
            del pos, mass

        def anew():
            kyoho.release()
            kyoho.gravity(bodies.position, bodies.mass, 0.01, engine=ENGINE, **options)
        row["new engine"] = median(anew, 5)
        yield row


def main():
    here = packages()
    print(f"# kyoho {kyoho.__version__}, numpy {np.__version__}, engine {ENGINE}, " +
          ", ".join(f"{name} {sys.modules[name].__version__}" for name in here if name != "numpy"))
    for device in kyoho.devices():
        print(f"# {device.engine}: {device.name}")
    names = ["evaluation", *here, "new engine"]
    print("n".rjust(9), "numbers".ljust(20), *(name.rjust(11) for name in names), *(f"{name}/ev.".rjust(10) for name in here))
    every = []
    for n in [int(float(word)) for word in sys.argv[1:]] or [1000, 10_000, 100_000, 1_000_000, 4_000_000]:
        for row in rows(n, here):
            every.append(row)
            print(str(n).rjust(9), row["options"].ljust(20), *(f"{row[name]:11.3f}" for name in names),
                  *(f"{row[name] / row['evaluation']:10.2f}" for name in here), flush=True)
    print(json.dumps(every))


main()
