#!/usr/bin/env python3
"""Compares two versions of kyoho on one thread of the CPU: versions.py OLD NEW [ROUNDS] [WORD...]

OLD and NEW are programs (build/kyoho of two checkouts). Each row of the table below runs with both, one after the other, ROUNDS
times (default 5). With WORDs only the rows whose name holds one of them run. A row of forces prints the least seconds that each
program reports for a phase, a row of runs the least processor seconds, and both the ratio of new to old."""
import json
import os
import resource
import subprocess
import sys
import tempfile

FORCE = "force --engine cpu --threads 1 --json --quiet --repeat 3 --model plummer --softening 0.01 -n"
RUN = "run --engine cpu --threads 1 --quiet --model plummer --overwrite -o"
# name, arguments, phases that are printed
FORCES = [
    ("tree", f"{FORCE} 262144 --force tree", ["total", "moments", "build", "walk"]),
    ("tree, offset", f"{FORCE} 262144 --force tree --opening offset", ["walk"]),
    ("tree, monopoles", f"{FORCE} 262144 --force tree --multipole 1", ["walk", "moments"]),
    ("tree, symmetric softening", f"{FORCE} 131072 --force tree --softening-kind symmetric", ["walk"]),
    ("tree, extended", f"{FORCE} 131072 --force tree --precision extended", ["walk"]),
    ("tree, double", f"{FORCE} 131072 --force tree --precision double", ["walk"]),
    ("fmm", f"{FORCE} 262144 --force fmm", ["total", "walk"]),
    ("fmm, order 6", f"{FORCE} 65536 --force fmm --order 6", ["walk"]),
    ("walk", f"{FORCE} 65536 --force walk", ["walk"]),
    ("walk, offset", f"{FORCE} 65536 --force walk --opening offset", ["walk"]),
    ("direct, single", f"{FORCE} 32768 --force direct --precision single", ["total"]),
    ("direct, extended", f"{FORCE} 32768 --force direct --precision extended", ["total"]),
    ("direct, double", f"{FORCE} 16384 --force direct --precision double", ["total"]),
]
RUNS = [
    ("leap-frog, tree", "-n 8192 --softening 0.01 --force tree --step 0.015625 --end 1"),
    ("block, tree", "-n 8192 --softening 0.01 --force tree --integrator block --end 0.5"),
    ("block, direct", "-n 2048 --softening 0.01 --integrator block --force direct --end 0.5"),
    ("hermite", "-n 1024 --softening 0.004 --integrator hermite4 --force direct --end 1"),
]


def reported(program, arguments):
    out = subprocess.run([program, *arguments.split()], check=True, capture_output=True, text=True).stdout
    return json.loads(out)["seconds"]


def processor(program, arguments, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *RUN.split(), os.path.join(folder, "run"), *arguments.split()], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"processor": after.ru_utime - before.ru_utime}


def row(name, phases, measure, programs, rounds):
    times = [], []
    for _ in range(rounds):
        for taken, program in zip(times, programs):
            taken.append(measure(program))
    for phase in phases:
        old, new = (min(t[phase] for t in taken) for taken in times)
        ratio = f"{new / old:6.3f}" if old > 0 else "     -"
        print(f"{name:28s} {phase:10s} {old:10.4f} {new:10.4f} {ratio}", flush=True)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    programs, rest = [os.path.abspath(p) for p in sys.argv[1:3]], sys.argv[3:]
    rounds = int(rest.pop(0)) if rest and rest[0].isdigit() else 5
    print(f"{'':28s} {'phase':10s} {'old, s':>10s} {'new, s':>10s}  ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, phases in FORCES:
            if not rest or any(word in name for word in rest):
                row(name, phases, lambda program, a=arguments: reported(program, a), programs, rounds)
        for name, arguments in RUNS:
            if not rest or any(word in name for word in rest):
                row(name, ["processor"], lambda program, a=arguments: processor(program, a, folder), programs, rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
