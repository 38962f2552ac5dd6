#!/usr/bin/env python3
"""Fujiwara & Nakasato (2009): exact sums in four variants of unrolling, on four systems.

step      table II: seconds of one evaluation of all forces, also in plain C on one core
steps     table III: seconds of 100 steps; figure 13: their speed against N
speed     figure 14: speed of one evaluation against N
pictures  figures 5 to 12: the systems at the start and after 100 steps
"""
import configparser
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lab import gflops, main  # noqa: E402

SYSTEMS = ["figure8", "super8", "cartwheel", "random"]
VARIANTS = ["none", "simple", "double", "tuned"]
ONE_CORE = "plain C, one core"


def variants(lab):
    """The CPU engine has one variant; devices have them all."""
    return ["tuned"] if lab.on_cpu else VARIANTS


def parameters(lab, system):
    """The parameter file of a system, its number of bodies and its step."""
    path, ini = os.path.join(lab.here, system + ".ini"), configparser.ConfigParser()
    ini.read(path, encoding="utf-8")
    n = ini.getint("model", "bodies")
    return path, n // 100 if lab.small else n, ini.getfloat("integrator", "step")


def step(lab):
    """Table II: median over evaluations of the whole time of one."""
    rows = []
    for system in SYSTEMS:
        _, n, _ = parameters(lab, system)
        words = ["--model", system, "-n", n, "--force", "direct", "--precision", "single"]
        repeat = ["--repeat", 3 if lab.small else 11]
        cells = [lab.keep(f"step/{system}/{ONE_CORE}", lambda: lab.kyoho("force", *words, "--engine", "cpu", "--isa", "plain",
                                                                         "--threads", 1)["seconds"]["total"])]
        for variant in variants(lab):
            cells.append(lab.keep(f"step/{system}/{variant}",
                                  lambda: lab.force(*words, *repeat, "--unroll", variant)["seconds"]["total"]))
        rows.append([system, n, *cells])
    lab.table("table2", ["system", "N", ONE_CORE + " [s]", *[f"{v} [s]" for v in variants(lab)]], rows)


def steps(lab):
    """Table III and figure 13. Of small systems a tenth of the seconds of 1,000 steps, since clocks tell milliseconds."""
    rows, speeds = [], []
    for system in SYSTEMS:
        path, n, length = parameters(lab, system)
        steps_of = 1000 if not lab.small and n < 50000 else 100
        seconds = []
        for variant in variants(lab):
            told = lab.keep(f"steps/{system}/{variant}", lambda: lab.run(
                f"{system}-{variant}", path, "-n", n, "--unroll", variant, "--every", 0, "--restart-every", 0, "--steps", steps_of,
                "--energy-every", steps_of * length))
            seconds.append(100 * told["loop_s"] / steps_of)
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
        path, n, _ = parameters(lab, system)
        lab.keep(f"pictures/{system}", lambda: lab.run("picture-" + system, path, "-n", n)["outcome"])
        views = {"front": []}
        if system == "cartwheel":  # disk, bulge and intruder
            views = {"side": ["--types", "2,3,4", "--axis", "x"], "front": ["--types", "2,3,4"]}
        for view, words in views.items():
            lab.picture(f"{system}-{view}", "picture-" + system, "--width", 360, *words)


if __name__ == "__main__":
    main(__file__, __doc__, [step, steps, speed, pictures])
