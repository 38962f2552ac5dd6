# What tests of the Python package share: an environment of Python with numpy, cffi and the wheel of this tree, in which a test
# runs. The environment is kept in the folder of the build; the wheel is made anew when something in it has changed. It is not a
# test itself, since it is not executable.
import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
WHEELS = os.path.join(BUILD, "python", "wheels")
NEEDED = ["numpy", "cffi>=1.15", "hatchling", "wheel"]
EXTRA = ["unyt", "astropy", "h5py", "mypy", "pyright", "tqdm", "nbclient", "ipykernel", "matplotlib"]  # `check-all` installs them; `check` uses what is there
PATIENCE = 600  # seconds in which a failure to install is not tried again
sys.path.append(os.path.join(os.path.dirname(HERE), "command"))  # at the end: names of tests may be those of other modules


class Missing(Exception):
    """Why the environment cannot be made here: a reason to skip."""


def run(*words, limit=600, within=TOP, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=within,
                          timeout=limit, **more)


def constrained(place):
    """The variables under which pip can build AMUSE's framework (docs/amuse.md); `place`: a folder for a file."""
    write(os.path.join(place, "setuptools.txt"), "setuptools<80\n")
    return dict(os.environ, PIP_CONSTRAINT=os.path.join(place, "setuptools.txt"))


def digest(*paths):
    """A number for the contents of files and folders."""
    total = hashlib.sha256()
    for path in paths:
        names = [os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files if "__pycache__" not in folder]
        for name in sorted(names) or [path]:
            with open(name, "rb") as file:
                total.update(name.encode() + b"\0" + file.read())
    return total.hexdigest()


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Environment:
    """An environment of one interpreter of Python."""

    def __init__(self, interpreter):
        version = run(interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()
        self.interpreter, self.folder = interpreter, os.path.join(BUILD, "python", "environment-" + version)
        self.python = os.path.join(self.folder, "bin", "python")

    def path(self, name):
        return os.path.join(self.folder, name)

    def pip(self, *words):
        """The last lines that pip says if it fails, else nothing."""
        done = run(self.python, "-m", "pip", "--disable-pip-version-check", "--retries", "1", *words, env=constrained(self.folder))
        return " ".join(done.stdout.split("\n")[-4:]).strip() or "pip fails" if done.returncode else ""

    def install(self, packages, mark):
        """Installs packages once. Missing where that fails."""
        if read(self.path(mark)) == " ".join(packages):
            return
        failed = self.path(mark + "-failed")
        if os.path.exists(failed) and time.time() - os.path.getmtime(failed) < PATIENCE:
            raise Missing(read(failed))
        why = self.pip("install", "-q", "--no-compile", *packages)  # what is imported is compiled then
        if why:
            write(failed, f"pip cannot install {' '.join(packages)}: {why}")
            raise Missing(read(failed))
        write(self.path(mark), " ".join(packages))

    def make(self):
        if not os.path.exists(self.path("made")):
            shutil.rmtree(self.folder, ignore_errors=True)
            done = run(self.interpreter, "-m", "venv", self.folder)
            if done.returncode:
                raise Missing("python -m venv fails: " + done.stdout.strip().replace("\n", " "))
            write(self.path("made"), "")
        self.install(NEEDED, "needed")
        if os.environ.get("KYOHO_TEST_ALL"):
            self.install(EXTRA, "extra")

    def put_wheel(self):
        """Installs the wheel, which all environments share, and builds it before if something in it has changed. RuntimeError
        where the build fails. Within one call of tests/run, which builds nothing, the first test alone looks."""
        tests = os.environ.get("KYOHO_TEST_RUN", "")
        if tests and read(self.path("tests")) == tests:
            return
        done = run("make", "-s", "-j2", "python-parts")
        if done.returncode:
            raise RuntimeError(done.stdout)
        parts = [os.path.join(BUILD, "python", name) for name in ("libkyoho.so.0", "libkyoho_draw.so.0", "bin/kyoho", "amuse/kyoho_sockets_worker", "kyoho.i")] + sorted(glob.glob(os.path.join(BUILD, "mpi", "*.so")))
        now = digest(*parts, *(os.path.join(TOP, name) for name in ("python", "pyproject.toml", "CITATION.cff", "docs/python.md")))
        if read(os.path.join(WHEELS, "made")) != now:
            shutil.rmtree(WHEELS, ignore_errors=True)
            if "CUDA_ARCHS" not in os.environ:  # the cards of make, for which the parts were built, instead of those of this machine
                os.environ["KYOHO_MAKE"] = os.environ.get("KYOHO_MAKE", "") + " 'CUDA_ARCHS=$(CUDA_ALL)'"
            self.must("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", WHEELS, TOP)
            write(os.path.join(WHEELS, "made"), now)
        if read(self.path("wheel")) != now:
            self.must("install", "-q", "--no-deps", "--force-reinstall", *glob.glob(os.path.join(WHEELS, "*.whl")))
            write(self.path("wheel"), now)
        write(self.path("tests"), tests)

    def must(self, *words):
        why = self.pip(*words)
        if why:
            raise RuntimeError(why)


def made(interpreter=sys.executable):
    """The environment of this interpreter, with the wheel."""
    os.makedirs(os.path.join(BUILD, "python"), exist_ok=True)
    with open(os.path.join(BUILD, "python", "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        environment = Environment(interpreter)
        environment.make()
        environment.put_wheel()
    return environment


def enter():
    """Runs the test that calls it in the environment, from its beginning; there it returns at once."""
    if os.environ.get("KYOHO_TEST_ENVIRONMENT"):
        return
    try:
        environment = made()
    except Missing as why:
        print(f"ok 1 - {os.path.basename(sys.argv[0])} # SKIP {why}")
        sys.exit()
    except RuntimeError as why:
        print("\n".join("# " + line for line in str(why).splitlines()) + "\nnot ok 1 - the wheel is built and installed")
        sys.exit(1)
    values = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    values["KYOHO_TEST_ENVIRONMENT"] = environment.folder
    sys.stdout.flush()
    os.execve(environment.python, [environment.python, *sys.argv], values)
