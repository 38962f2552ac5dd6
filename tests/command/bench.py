#!/usr/bin/env python3
# kyoho bench; the benchmark of unrollings (bench/unrolling.c): forces and steps of every loop, and its tables; and the count of bench/crossover.c.
import json
import os
import re
import subprocess

from tap import check, finish, run, run_json, skip

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(TOP, os.environ.get("BUILD", "build"), "bench", "unrolling")


def build(program):
    made = subprocess.run(["make", "-s", "-C", TOP, program if not program.startswith(TOP + os.sep) else os.path.relpath(program, TOP)], capture_output=True, text=True)
    check(made.returncode == 0, f"{os.path.basename(program)} is built", made.stderr)


refused = run("bench", "unroll", code=2)
check("no benchmark is called 'unroll'; the benchmarks are direct, tree and walk" in refused.stderr, "an unknown benchmark is refused", refused.stderr)
build(PROGRAM)
crossover = os.path.join(os.path.dirname(PROGRAM), "crossover")
build(crossover)
told = subprocess.run([crossover, "ranks", "abacus", "2", "300"], capture_output=True, text=True).stdout
check(told.endswith("\n12 of 12 rows above 1.1\n"), "crossover finds no row good that has no times", told)


def measured(*words, code=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    check(done.returncode == code, f"unrolling {' '.join(words)} ends with {code}", done.stdout + done.stderr)
    return done.stdout if code == 0 else done.stderr


check("OpenCL and CUDA" in measured("cpu", "100", code=3), "the CPU has no unrolled loops, and the error says which devices have")
check("usage" in measured("opencl:0", code=2), "a call without a number is refused")
listed = run_json("devices")["devices"]
devices = [d["engine"] for d in listed if d["usable"] and d["engine"] != "cpu"]
if not devices:
    skip("the table of unrollings", "no CUDA or OpenCL device here")
elif not os.environ.get("KYOHO_TEST_ALL") and next(d["on_cpu"] for d in listed if d["engine"] == devices[0]):
    skip("the table of unrollings", "a processor serves as the device, and compiles 16 kernels: make check-all takes this")
    devices = []
for engine in devices[:1]:
    told = json.loads(measured(engine, "figure8", "300", "0.1", "0.015625", "20"))
    check(list(told) == ["none", "simple", "double"] and all(one["sum"] > 0 and one["steps"] > 0 and 0 < one["error"] < 1e-5
          and abs(one["energy_change"]) < 1e-3 for one in told.values()), "the paper's three loops have small errors and keep the energy", told)
    text = measured(engine, "700").splitlines()
    check(len(text) == 8 and all(re.match(rf" +{side}( +[0-9.e+]+ +[0-9.e-]+){{4}}$", line) for side, line in zip((1, 2, 4, 8), text[3:7]))
          and re.match(r"\dx\d is the fastest", text[7]), "all 16 loops are right: the table, and a line with the answer", "\n".join(text))
finish()
