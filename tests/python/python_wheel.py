#!/usr/bin/env python3
"""packaging/try-wheel with the wheel of this tree: what it promises to a user, the bits of its command beside those of the build, and what pip uninstall
leaves; and each of its extras, installed with it in an environment of its own, which pip fills from the index. `make check-all` runs it; packaging/wheel tries a
wheel for all systems in empty ones.
"""
import glob
import os
import re
import shutil
import sys

import environment
from tap import KYOHO, check, finish, folder, skip

PLOT = """
import matplotlib
matplotlib.use("Agg")
import kyoho
kyoho.plot(kyoho.model("plummer", 500, seed=1), region=4).figure.savefig("a.png")
"""


def extra(name, wheel, use):
    """Installs the wheel with an extra, and runs what it is for. `use`: a program of the environment and its words."""
    with folder() as place:
        programs = os.path.join(place, "environment", "bin")
        environment.run(sys.executable, "-m", "venv", os.path.dirname(programs))
        done = environment.run(os.path.join(programs, "pip"), "--disable-pip-version-check", "install", "-q", f"{wheel}[{name}]", env=environment.constrained(place))
        if not check(done.returncode == 0, f"pip installs kyoho[{name}]", done.stdout):
            return
        shutil.copy(os.path.join(environment.TOP, "examples", "notebooks", "cluster.ipynb"), place)
        values = dict(os.environ, PATH=programs + os.pathsep + os.environ["PATH"], JUPYTER_PREFER_ENV_PATH="1")
        done = environment.run(os.path.join(programs, use[0]), *use[1:], within=place, env=values)
        check(done.returncode == 0, f"and kyoho[{name}] has what it is for", done.stdout)


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
with open(os.path.join(environment.TOP, "docs", "amuse.md"), encoding="utf-8") as page:
    amuse = re.search(r"```python\n(from amuse.*?)```", page.read(), re.S).group(1)
for name, use in (("plot", ("python", "-c", PLOT)), ("notebook", ("jupyter-execute", "cluster.ipynb")), ("amuse", ("python", "-c", amuse))):
    if name == "amuse" and not shutil.which("gfortran"):
        skip("pip installs kyoho[amuse]", "pip compiles AMUSE's framework, which needs gfortran")
        continue
    extra(name, wheel, use)
finish()
