#!/usr/bin/env python3
"""The same wheel with the oldest and the newest interpreter of Python that are at hand, beside the one that runs the other tests.

`make check-all` runs it. Interpreters are looked for on the path, and where pyenv puts them.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import environment
from tap import check, finish, skip

TESTS = ("python_forces.py", "python_simulation.py", "python_snapshots.py", "python_pages.py")
OLDEST = 9


def interpreters():
    """{minor version: path} of those that start."""
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    paths = [shutil.which(f"python3.{minor}") for minor in range(OLDEST, 30)] + glob.glob(os.path.join(pyenv, "versions/3.*/bin/python3.[0-9]*"))
    found = {}
    for path in paths:
        name = re.fullmatch(r"python3\.(\d+)", os.path.basename(path or ""))
        if name and int(name.group(1)) >= OLDEST and not subprocess.run([path, "-c", ""], capture_output=True).returncode:
            found[int(name.group(1))] = path
    return found


if not os.environ.get("KYOHO_TEST_ALL"):
    skip("the wheel with other versions of Python", "make check-all runs this")
    finish()
known = interpreters()
chosen = {minor: path for minor, path in known.items() if minor in (min(known), max(known)) and minor != sys.version_info[1]}
if not chosen:
    skip("the wheel with other versions of Python", f"python3.{sys.version_info[1]} is the only one here")
for minor, path in chosen.items():
    for test in TESTS:
        values = {name: value for name, value in os.environ.items() if name != "KYOHO_TEST_ALL"}
        done = environment.run(path, os.path.join(environment.HERE, test), env=values)
        bad = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
        check(done.returncode == 0 and not bad, f"Python 3.{minor}: {test}", done.stdout)
finish()
