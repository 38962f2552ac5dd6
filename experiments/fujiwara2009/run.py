#!/usr/bin/env python3
"""Fujiwara & Nakasato (2009): exact sums in four variants of unrolling, on four systems.

step      table II: seconds of one evaluation of all forces, also in plain C on one core
steps     table III: seconds of 100 steps; figure 13: their speed against N
speed     figure 14: speed of one evaluation against N
pictures  figures 5 to 12: the systems at the start and after 100 steps
"""
import configparser
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import gflops, main  # noqa: E402

SYSTEMS = ["figure8", "super8", "cartwheel", "random"]
VARIANTS = ["none", "simple", "double", "tuned"]
ONE_CORE = "plain C, one core"


def variants(lab):
    """`tuned` is Kyoho's own sum. The paper's loops are those of bench/unrolling.c, for devices alone."""
    return ["tuned"] if lab.on_cpu else VARIANTS


def parameters(lab, system):
    """The parameter file of a system, its number of bodies, its softening and its step."""
    path, ini = os.path.join(lab.here, system + ".ini"), configparser.ConfigParser()
    ini.read(path, encoding="utf-8")
    n = ini.getint("model", "bodies")
    return path, n // 100 if lab.small else n, ini.getfloat("force", "softening"), ini.getfloat("integrator", "step")


def steps_of(lab, n):
    """Of small systems a tenth of the seconds of 1,000 steps, since clocks tell milliseconds."""
    return 1000 if not lab.small and n < 50000 else 100


def loops(lab, system):
    """{variant: seconds of one sum and of the steps, error, change of the energy} of the paper's loops; nothing on the CPU."""
    _, n, softening, length = parameters(lab, system)
    program = os.path.join(os.path.dirname(lab.program), "bench", "unrolling")

    def measure():
        words = [program, lab.kept["processor"]["engine"], system, n, softening, length, steps_of(lab, n)]
        if not os.access(program, os.X_OK):
            sys.exit(f"{program}: not there; build it by make bench")
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(str(word) for word in words)}\nfailed with exit code {done.returncode}:\n{done.stderr}")
        return json.loads(done.stdout)
    return {} if lab.on_cpu else lab.keep(f"loops/{system}", measure)


def step(lab):
    """Table II: the time of one evaluation, of `tuned` the median of a few."""
    rows = []
    for system in SYSTEMS:
        _, n, _, _ = parameters(lab, system)
        words = ["--model", system, "-n", n, "--force", "direct", "--precision", "single"]
        repeat = ["--repeat", 3 if lab.small else 11]
        cells = [lab.keep(f"step/{system}/{ONE_CORE}", lambda: lab.kyoho("force", *words, "--engine", "cpu", "--isa", "plain",
                                                                         "--threads", 1)["seconds"]["total"])]
        cells += [told["sum"] for told in loops(lab, system).values()]
        cells.append(lab.keep(f"step/{system}/tuned", lambda: lab.force(*words, *repeat)["seconds"]["total"]))
        rows.append([system, n, *cells])
    lab.table("table2", ["system", "N", ONE_CORE + " [s]", *[f"{v} [s]" for v in variants(lab)]], rows)


def steps(lab):
    """Table III and figure 13."""
    rows, speeds = [], []
    for system in SYSTEMS:
        path, n, _, length = parameters(lab, system)
        count = steps_of(lab, n)
        told = lab.keep(f"steps/{system}/tuned", lambda: lab.run(
            f"{system}-tuned", path, "-n", n, "--every", 0, "--restart-every", 0, "--steps", count, "--energy-every", count * length))
        seconds = [100 * one / count for one in [*[of["steps"] for of in loops(lab, system).values()], told["loop_s"]]]
        rows.append([system, n, *seconds])
        speeds.append([n, *[gflops(100 * n * n, s) for s in seconds]])
    names = variants(lab)
    lab.table("table3", ["system", "N", *[f"{v} [s]" for v in names]], rows)
    lab.table("figure13", ["N", *names], speeds)
    lab.plot("figure13", "N", names, "Gflop/s at 38 operations an interaction, 100 steps")


def speed(lab):
    """Figure 14."""
    rows = []
    for k in range(8, 12) if lab.small else range(10, 20):
        n = 2 ** k
        words = ["--model", "random", "-n", n, "--force", "direct", "--repeat", 3]
        told = [lab.keep(f"speed/{n}/{precision}", lambda: lab.force(*words, "--precision", precision)["seconds"]["total"])
                for precision in ("single", "extended")]
        rows.append([n, *[gflops(n * n, seconds) for seconds in told]])
    lab.table("figure14", ["N", "single", "extended"], rows)
    lab.plot("figure14", "N", ["single", "extended"], "Gflop/s at 38 operations an interaction, one evaluation")


def pictures(lab):
    """Figures 5 to 12. A view from the side and one from above for the cartwheel."""
    for system in SYSTEMS:
        path, n, _, _ = parameters(lab, system)
        lab.keep(f"pictures/{system}", lambda: lab.run("picture-" + system, path, "-n", n)["outcome"])
        views = {"front": []}
        if system == "cartwheel":  # disk, bulge and intruder
            views = {"side": ["--types", "2,3,4", "--axis", "x"], "front": ["--types", "2,3,4"]}
        for view, words in views.items():
            lab.picture(f"{system}-{view}", "picture-" + system, "--width", 360, *words)


if __name__ == "__main__":
    main(__file__, __doc__, [step, steps, speed, pictures])
