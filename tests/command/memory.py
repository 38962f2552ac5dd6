#!/usr/bin/env python3
# The memory that --dry-run predicts, against the peak of the process, from two million bodies on. With fewer bodies the
# program itself and the memory that the C library keeps are more than 5 %.
import os
import subprocess
import sys
import time

from tap import KYOHO, check, finish, folder, run_json


def peak(words):
    """The peak of the resident memory of a run to its end, in bytes; 0 if it fails."""
    process = subprocess.Popen([KYOHO, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) if status == 0 else 0


def used(process):
    """Seconds of processor of a process that has not been waited for."""
    with open(f"/proc/{process.pid}/stat") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def peak_before_sums(words):
    """The peak of a run that is ended when its memory has not grown for a while, in bytes: for 2 s of processor more than it grew.
    Exact sums of so many bodies take minutes, and no more memory."""
    process = subprocess.Popen([KYOHO, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    since, most = 0, 0
    while process.poll() is None and used(process) < 2 + 2 * since:
        with open(f"/proc/{process.pid}/status") as file:
            now = next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM")), 0)
        if now > most:
            most, since = now, used(process)
        time.sleep(0.05)
    process.kill()
    process.wait()
    return most


TREE = ["--engine", "cpu", "--threads", "2", "--opening", "offset", "--theta", "2", "--multipole", "2"]
HALVES = 80000 if "KYOHO_TEST_ALL" in os.environ else 50000  # bodies, half of them without mass
SCATTER = 6e5  # bytes by which the peaks of equal runs of so many bodies differ
DIRECT = ["--engine", "cpu", "--threads", "2", "--force", "direct", "--precision"]
with folder() as where:
    def expect(measure, words, what):
        predicted = run_json(*words, "--dry-run")["host_bytes"]
        found = measure(words)
        check(found and abs(predicted / found - 1) < 0.05, f"the memory of {what} is foreseen within 5 %",
              f"predicted {predicted:.4g}, found {found:.4g} bytes")

    if not os.path.exists("/proc/self/status"):
        check(True, "memory is foreseen # SKIP no /proc")
        finish()
    # Every second body without mass: the masses of so few bodies are read for a plan. What is foreseen more for them are
    # lists of 12 bytes, of which the list of active bodies stays untouched here, and copies of the sources in double.
    usual, halves = os.path.join(where, "usual.csv"), os.path.join(where, "halves.csv")
    subprocess.run([KYOHO, "model", "plummer", "-n", str(HALVES), "-o", usual], check=True, stdout=subprocess.DEVNULL)
    with open(usual) as file, open(halves, "w") as out:
        place = None
        for number, line in enumerate(file):
            fields = line.split(",")
            if place is not None and number % 2:
                fields[place] = "0"
            if place is None and "mass" in fields:
                place = fields.index("mass")
            out.write(",".join(fields))
    foreseen, found = [], []
    for name in (usual, halves):
        small = name.replace(".csv", ".tipsy")
        subprocess.run([KYOHO, "convert", name, small], check=True, stdout=subprocess.DEVNULL)
        words = ["force", small, *DIRECT, "double", "--softening", "0.01"]
        foreseen.append(run_json(*words, "--dry-run")["host_bytes"])
        found.append(min(peak(words) for _ in range(3)))  # the least scatters less
    more, grown = foreseen[1] - foreseen[0], found[1] - found[0]
    check(more == 12 * HALVES + 32 * HALVES // 2 and 0.7 * more - SCATTER < grown < 1.1 * more + SCATTER, "the memory of massless bodies is foreseen",
          f"{more:.4g} bytes more foreseen, {grown:.4g} found")
    # `make check` has one run of each kind of force, `make check-all` all runs.
    everything = os.environ.get("KYOHO_TEST_ALL")
    for n in (2000000, 3500000) if everything else (2000000,):
        model = ["--model", "plummer", "-n", str(n)]
        expect(peak, ["run", *model, *TREE, "--steps", "1", "--output", os.path.join(where, str(n))], f"run --force tree, {n} bodies")
        if everything:
            expect(peak, ["force", *model, *TREE], f"force --force tree, {n} bodies")
    model = ["--model", "plummer", "-n", "2000000"]
    for ranks in ("2", "4") if everything else ():
        expect(peak, ["run", *model, "--engine", "cpu", "--force", "tree", "--step", "0.01", "--steps", "2", "--every", "0", "--ranks", ranks,
                      "--overwrite", "--output", os.path.join(where, "r")], f"run --ranks {ranks}")
    if everything:
        expect(peak, ["force", *model, *TREE, "-o", os.path.join(where, "f.tipsy")], "force -o FILE")
        expect(peak, ["run", *model, "--engine", "cpu", "--threads", "2", "--force", "tree", "--error", "0.02", "--steps", "1", "--output", os.path.join(where, "e")],
               "run --error 0.02")
        expect(peak, ["force", *model, "--engine", "cpu", "--threads", "2", "--force", "tree", "--error", "0.02"], "force --error 0.02")
        expect(peak, ["run", "--model", "cosmic-box", "-n", "1000000", "--engine", "cpu", "--threads", "2", "--force", "fmm", "--error", "0.01", "--step", "0.36",
                      "--end-z", "15", "--every", "0", "--output", os.path.join(where, "z")], "run --error 0.01 in a box that expands")
        expect(peak, ["force", "--model", "uniform-cube", "-n", "2000000", *TREE, "--leaf", "32"], "force --leaf 32, a cube")
        expect(peak_before_sums, ["run", *model, *DIRECT, "extended", "--steps", "1", "--output", os.path.join(where, "d")],
               "run --force direct")
    expect(peak_before_sums, ["force", *model, *DIRECT, "single"], "force --force direct --precision single")
finish()
