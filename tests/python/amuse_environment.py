# A Python with AMUSE's framework, for tests that need it. It is not a test itself, since it is not executable.
import glob
import os

import environment

NEEDED = "from amuse.rfi.core import CodeInterface; import cffi, numpy"


def made(more=()):
    """The path of a Python that has the framework, the packages `more` and the wheel of this tree. environment.Missing without.

    KYOHO_AMUSE_PYTHON names one, into which the wheel is installed. Without it the environment of the tests has it, if it was
    installed there; check-all tries to.
    """
    own = environment.made()
    given = os.environ.get("KYOHO_AMUSE_PYTHON")
    if not given:
        kept = environment.Environment(own.interpreter)
        if os.environ.get("KYOHO_TEST_ALL"):
            kept.install(["amuse-framework", *more], "amuse")
        given = kept.python
    done = environment.run(given, "-c", NEEDED, within="/")
    if done.returncode:
        last = done.stdout.strip().split("\n")[-1]
        raise environment.Missing(f"no framework of AMUSE: {last}; KYOHO_AMUSE_PYTHON may name a Python that has it")
    if given != own.python:
        wheel = glob.glob(os.path.join(environment.WHEELS, "*.whl"))
        done = environment.run(given, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", *wheel)
        if done.returncode:
            raise RuntimeError(done.stdout)
    return given
