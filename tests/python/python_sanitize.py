#!/usr/bin/env python3
"""The Python package over a library that was built with the address and undefined-behaviour sanitizers: only their findings count.

The memory of numpy's arrays that the library reads and writes comes from the sanitizer's allocator too.
"""
import os
import shutil
import subprocess
import tempfile

import environment
from tap import check, finish, skip

TESTS = ("python_forces.py", "python_simulation.py", "python_interrupts.py", "python_misuse.py")
NAME = "stray accesses of the Python package"


def built():
    """The drawing library of a build with sanitizers, beside which the other one lies, for the package; None, and a line, where it fails."""
    library = os.path.join(environment.BUILD, "address", "python", "libkyoho_draw.so.0")
    goal = os.path.relpath(library, environment.TOP) if library.startswith(environment.TOP + os.sep) else library  # as make has it
    done = environment.run("make", "-s", "-j", str(len(os.sched_getaffinity(0))), "sanitize-address", "GOALS_address=" + goal, limit=3000)
    return library if check(done.returncode == 0, "the libraries are built with sanitizers", done.stdout) else None


def run_with(library, runtime, made):
    with tempfile.TemporaryDirectory(prefix="kyoho-test-") as place:
        site = subprocess.run([made.python, "-c", "import kyoho; print(kyoho.__path__[0])"], capture_output=True, text=True, check=True).stdout.strip()
        shutil.copytree(site, os.path.join(place, "kyoho"))
        for name in ("libkyoho.so.0", "libkyoho_draw.so.0"):
            shutil.copy(os.path.join(os.path.dirname(library), name), os.path.join(place, "kyoho", name))
        values = {name: value for name, value in os.environ.items() if name != "KYOHO_TEST_ALL"}
        values.update(KYOHO_TEST_ENVIRONMENT=made.folder, KYOHO_TEST_SANITIZED="1", PYTHONPATH=place, LD_PRELOAD=runtime, PYTHONMALLOC="malloc",
                      ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:use_sigaltstack=0", UBSAN_OPTIONS="print_stacktrace=1")
        for test in TESTS:
            done = environment.run(made.python, os.path.join(environment.HERE, test), env=values, limit=1000)
            bad = "AddressSanitizer" in done.stdout or "runtime error" in done.stdout
            check(not bad and "\n1.." in done.stdout, f"{test}: no stray access or undefined behaviour", done.stdout[-4000:])


def main():
    runtime = environment.run(os.environ.get("CC", "cc"), "-print-file-name=libasan.so").stdout.strip()
    if not os.path.isabs(runtime):
        return skip(NAME, "the compiler has no address sanitizer")
    try:
        made = environment.made()
    except environment.Missing as why:
        return skip(NAME, why)
    library = built()
    return library and run_with(library, runtime, made)


main()
finish()
