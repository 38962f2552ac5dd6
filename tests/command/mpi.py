#!/usr/bin/env python3
# Ranks that are processes of MPI (src/domain/comm_mpi.c), in the folders of an installation.
import glob
import os
import re
import shutil
import subprocess
import time

from tap import check, finish, folder, skip

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
RANKS = os.path.join(BUILD, "tests", "helpers", "ranks")
VALUES = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_ALLOW_RUN_AS_ROOT="1",
              PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
              OMPI_MCA_hwloc_base_binding_policy="none")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env=VALUES | more)


def launched(program):
    """Under the launcher of the MPI of a plug-in."""
    for size in (1, 2, 4):
        done = run("mpiexec", "-n", str(size), program)
        lines = sorted(done.stdout.splitlines())
        told = [re.match(r"rank (\d+) of (\d+), (\d+) of (\d+) here, by (.+)", line) for line in lines]
        check(done.returncode == 0 and all(told) and [int(row[1]) for row in told] == list(range(size)) and
              {int(row[2]) for row in told} == {size} and sorted(int(row[3]) for row in told) == list(range(size)),
              f"{size} ranks by MPI tell each other their numbers", done.stdout + done.stderr)
    begin = time.monotonic()
    done = run("mpiexec", "-n", "3", program, "fail")
    check(done.returncode == 5 and "rank 2: the card of rank 2 is gone" in done.stderr and time.monotonic() - begin < 20,
          "a rank that fails ends the others with its text and code", (done.returncode, done.stdout, done.stderr))


with folder() as place:
    program = os.path.join(place, "bin", "ranks")
    os.makedirs(os.path.dirname(program))
    shutil.copy(RANKS, program)
    done = run(program)
    check(done.returncode == 0 and done.stdout == "rank 0 of 1, 0 of 1 here, by threads\n", "without a launcher it is a world of one", done.stderr)
    done = run(program, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2")
    check(done.returncode == 3 and "OMPI_COMM_WORLD_RANK is set" in done.stderr and "no plug-in" in done.stderr,
          "with one, and without a plug-in, a line says so", (done.returncode, done.stderr))
    plugs = glob.glob(os.path.join(BUILD, "mpi", "*.so"))
    if plugs and shutil.which("mpiexec"):
        os.makedirs(os.path.join(place, "lib", "kyoho"))
        for path in plugs:
            shutil.copy(path, os.path.join(place, "lib", "kyoho"))
        launched(program)
        done = run(program, PMI_RANK="0", PMI_SIZE="2")
        check(done.returncode == 3 and "another MPI" in done.stderr, "the launcher of another MPI is refused", (done.returncode, done.stderr))
    else:
        skip("ranks under a launcher", "mpicc or mpiexec is not installed")
finish()
