#!/usr/bin/env python3
"""packaging/try-wheel with the wheel of this tree: what it promises to a user, the bits of its command beside those of the build, and what pip uninstall
leaves. `make check-all` runs it; packaging/wheel does the same with a wheel for all systems in empty ones.
"""
import glob
import os
import sys

import environment
from tap import KYOHO, check, finish, skip

if not os.environ.get("KYOHO_TEST_ALL"):
    skip("the wheel in an environment of its own", "make check-all runs this")
    finish()
try:
    environment.made()
except environment.Missing as why:
    skip("the wheel in an environment of its own", str(why))
    finish()
wheel, = glob.glob(os.path.join(environment.WHEELS, "*.whl"))
done = environment.run(sys.executable, os.path.join(environment.TOP, "packaging", "try-wheel"), wheel, os.path.abspath(KYOHO))
lines = [line.partition(" - ") for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
for how, _, name in lines:
    check(how.startswith("ok"), name, done.stdout)
check(done.returncode == 0 and len(lines) >= 15 and any("computes the bits of the other one" in line[2] for line in lines), "the trial comes to its end", done.stdout)
finish()
