#!/usr/bin/env python3
"""The scripts of examples/python run as they stand, are at most 30 lines long, and pass mypy and pyright."""
import environment

environment.enter()
import os  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

from tap import check, finish, folder, skip  # noqa: E402

SCRIPTS = os.path.join(environment.TOP, "examples", "python")
# In place of ffmpeg, which not every machine has: it keeps the frames.
FFMPEG = f"""#!{sys.executable}
import shutil, sys
shutil.copyfileobj(sys.stdin.buffer, open(sys.argv[-1].replace("file:", "", 1), "wb"))
"""
# By script: what it needs beside numpy, the files that it writes, and what its last line says.
EXPECTED = {
    "bridge.py": ("", (), r"the cluster is 0\.\d+ from the centre; the energy has changed by -?\de-0[4-9]"),
    "field_at_points.py": ("", (), r"escape speeds \[.*\] km/s; at 8 kpc the tide stretches by -?\d+ "),
    "friends_of_friends.py": ("", (), r"12 groups hold 23\d\d of 2900 points; points outside are \d\d times"),
    "galaxy_collision.py": ("", ("collision.png", "collision.mp4", "collision/energy.csv"), r"11 snapshots; the energy has changed by -?\de-0[3-9]"),
    "globular_cluster.py": ("matplotlib", ("globular.png", "globular/energy.csv"), r"of 20000 Msun 1\d{4} are still bound after 250 Myr"),
    "scattering.py": ("matplotlib", ("scattering.png",), r"<kyoho.Systems, 10000 of 3 bodies: \d+ time, 99\d\d escape>; ionisation at high speeds is 0.[7-9]\d of Hut's"),
    "sun_earth_moon.py": ("", (), r"after 0\.999 years the Earth is at \[ 1\. +-?0\.?\d* +0\. *\] AU"),
}


def has(module):
    return not module or subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


def run_all():
    names = sorted(name for name in os.listdir(SCRIPTS) if name.endswith(".py"))
    check(names == sorted(EXPECTED), "every script has its expectation here", names)
    for name in names:
        needs, files, says = EXPECTED[name]
        lines = environment.read(os.path.join(SCRIPTS, name)).count("\n")
        check(lines <= 30, f"{name} has at most 30 lines", lines)
        if not has(needs):
            skip(f"{name} runs", f"{needs} is not installed here; make check-all installs it")
            continue
        with folder() as place:
            with open(os.path.join(place, "ffmpeg"), "w", encoding="utf-8") as file:
                file.write(FFMPEG)
            os.chmod(os.path.join(place, "ffmpeg"), 0o755)
            values = {**os.environ, "PATH": place + os.pathsep + os.environ["PATH"], "MPLBACKEND": "Agg", "PYTHONPATH": ""}
            done = subprocess.run([sys.executable, os.path.join(SCRIPTS, name)], cwd=place, env=values, text=True, capture_output=True, timeout=280)
            last = (done.stdout.strip().splitlines() or [""])[-1]
            missing = [one for one in files if not os.path.getsize(os.path.join(place, one))] if done.returncode == 0 else files
            check(done.returncode == 0 and re.match(says, last) and not missing, f"{name} runs and says what it should", (last, missing, done.stderr[-2000:]))
            warnings = [line for line in done.stderr.splitlines() if not re.match("(time|frame) ", line)]
            check(not warnings, f"{name} prints no warnings", warnings)


def typed():
    for checker, words in (("mypy", ("--no-incremental", "--ignore-missing-imports")), ("pyright", ("--pythonpath", sys.executable))):
        if not has(checker):
            skip(f"{checker} accepts the scripts", f"{checker} is not installed here; make check-all installs it")
            continue
        done = subprocess.run([sys.executable, "-m", checker, *words, SCRIPTS], cwd=os.environ["KYOHO_TEST_ENVIRONMENT"], text=True, capture_output=True)
        check(done.returncode == 0, f"{checker} accepts the scripts", done.stdout + done.stderr)


run_all()
typed()
finish()
