# Python packages that a test would like to have, from wheels in folders of the build, with which nothing on the machine is changed.
# It is not a test itself, since it is not executable.
import fcntl
import os
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
PATIENCE = 600  # seconds in which a failure to install is not tried again


def install(folder, *wheels):
    """Installs the wheels into the folder of the build, where they are not there yet. Returns the folder with the programs, and why
    that failed or ""."""
    place = os.path.join(BUILD, folder)
    failed, made = place + "-failed", os.path.join(place, "made")
    os.makedirs(place, exist_ok=True)
    with open(place + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(made):
            if os.path.exists(failed) and time.time() - os.path.getmtime(failed) < PATIENCE:
                return None, f"pip could not install {' '.join(wheels)}"
            pip = [os.path.join(place, "bin", "python"), "-m", "pip", "-q", "--disable-pip-version-check", "--retries", "1"]
            for words in ([sys.executable, "-m", "venv", place], [*pip, "install", *wheels]):
                done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
                if done.returncode:
                    open(failed, "w", encoding="utf-8").close()
                    return None, f"pip could not install {' '.join(wheels)}: {' '.join((done.stdout + done.stderr).split(chr(10))[-4:])}"
            open(made, "w", encoding="utf-8").close()
    return os.path.join(place, "bin"), ""


def python_of(package, *others):
    """A python3 that has the package, or None and the reason. `check-all` installs it with the others where no python3 has it."""
    for python in ("python3", "/usr/bin/python3"):
        try:
            if not subprocess.run([python, "-c", f"import {package}"], capture_output=True, timeout=300, check=False).returncode:
                return python, ""
        except FileNotFoundError:
            continue
    if "KYOHO_TEST_ALL" not in os.environ:
        return None, f"no python3 has {package}; make check-all installs it"
    programs, why = install(os.path.join("tests", package), package, *others)
    return programs and os.path.join(programs, "python"), why
