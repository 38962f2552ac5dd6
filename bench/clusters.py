#!/usr/bin/env python3
"""Processor time and energy error of clusters with binaries by `hermite4 --groups`, a row for each file:

    bench/clusters.py [--end T] [--options "WORDS"] [FILE…]

Files are snapshots in Hénon units; without any, three Plummer spheres of 200 stars with 0, 50 and 100 % binaries are made, which take some seconds. KYOHO
names the program. Times include the start and two snapshots."""
import argparse, csv, os, resource, subprocess, tempfile

KYOHO = os.environ.get("KYOHO", os.path.join(os.path.dirname(__file__), "..", "build", "kyoho"))
OPTIONS = ("--units nbody --integrator hermite4 --softening 0 --engine cpu --groups --step 0.015625 --energy-every 1 --threads 1 "
           "--quiet --overwrite")


def make(folder):
    for part in 0, 0.5, 1:
        name = os.path.join(folder, f"plummer-{part}.csv")
        binaries = ["--binaries", str(part), "--binary-periods", "log-uniform", "--binary-axis-min", "1e-4", "--binary-axis-max", "1e-2"] if part else []
        subprocess.run([KYOHO, "model", "plummer", "-n", "200", "--seed", "1", *binaries, "-o", name, "--quiet"], check=True)
        yield name


def measure(file, folder, end, words):
    output = os.path.join(folder, "run")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([KYOHO, "run", file, *OPTIONS.split(), "--end", str(end), "--every", str(end), "--output", output, *words.split()], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(output, "energy.csv"), encoding="utf-8") as rows:
        first, *_, last = csv.DictReader(line for line in rows if not line.startswith("#"))
    change = float(last["energy"]) - float(first["energy"])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{os.path.basename(file):30s} {last['bodies']:>7s} bodies {seconds / end:9.3f} s a time unit   dE {change:9.1e}   dE/E {float(last['de']):9.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--end", type=float, default=1)
    parser.add_argument("--options", default="", help="more options of `kyoho run`")
    parser.add_argument("files", nargs="*")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for file in words.files or make(folder):
            measure(file, folder, words.end, words.options)


main()
