"""Builds what the wheel holds beside the sources of the package: the libraries and the command, by make, and from their
headers and table of options the modules that nobody writes by hand.

BUILD names the folder of the build, JOBS the number of processes, CUDA_ARCHS the cards, and KYOHO_MAKE has more words for make:
KYOHO_MAKE="HDF5=no OPENCL=no" pip wheel . (docs/python.md). `pip -v` shows what is compiled.
"""
import glob
import importlib.util
import os
import shlex
import subprocess
import sysconfig

import cffi
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Files in $BUILD/python, with the names that they have in the package.
PARTS = ("libkyoho.so.0", "libkyoho_draw.so.0", "bin/kyoho", "amuse/kyoho_sockets_worker", "_declarations.py", "_option_types.pyi")

def licences():
    """{file: its name in the package} of the licences of what PARTS=static makes a part of the libraries (packaging/static-parts)."""
    asked = subprocess.run(["pkg-config", "--variable=licences", "hdf5-serial"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = glob.glob(os.path.join(asked.stdout.strip() or "/none", "*"))
    if not found:
        raise RuntimeError("PARTS=static needs the libraries that packaging/static-parts builds, with their licences: "
                           "packaging/static-parts FOLDER, then PKG_CONFIG_PATH=FOLDER/lib/pkgconfig")
    return {path: "kyoho/licences/" + os.path.basename(path) for path in found}


def load(path):
    """The module in this file, without its package, which needs numpy."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def archs():
    """The word for make that names the cards: machine code for those of this machine, and PTX, from which the driver of any other
    card makes its code when it first runs. Machine code for every generation takes nvcc many minutes."""
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True)
        cards = sorted({line.strip().replace(".", "") for line in found.stdout.splitlines() if not found.returncode})
    except OSError:
        cards = []
    return "CUDA_ARCHS=" + " ".join([card for card in cards if card.isdigit()] + ["ptx"])


def make(words, root):
    """Runs make, and says which file of how many it compiles. What compilers say goes to standard error."""
    planned = subprocess.run(["make", "-n", *words], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    total, count = planned.count(" -c "), 0
    with subprocess.Popen(["make", *words], cwd=root, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if " -c " in line:
                count += 1
                source = next((word for word in line.split() if word.endswith((".c", ".cu"))), "")
                print(f"kyoho: {count} of {total}: {source}", flush=True)
    if process.returncode:
        raise RuntimeError("make has failed; its message is above, or pip -v shows it")


class BuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = os.path.join(self.root, os.environ.get("BUILD", "build"))
        jobs = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
        words = shlex.split(os.environ.get("KYOHO_MAKE", ""))
        if "CUDA_ARCHS" not in os.environ and not any(word.startswith("CUDA_ARCHS=") for word in words):
            words.append(archs())
        make(["-j", jobs, "BUILD=" + folder, *words, "python-parts"], self.root)
        parts = os.path.join(folder, "python")
        self.declare(parts)
        self.describe_options(parts)
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = "py3-none-" + platform  # no extension module: one wheel for every Python
        for part in PARTS:
            build_data["force_include"][os.path.join(parts, part)] = "kyoho/" + part
        if "PARTS=static" in words:
            build_data["force_include"].update(licences())

    def declare(self, parts):
        """Writes the module with the declarations of the headers as cffi reads them."""
        with open(os.path.join(parts, "kyoho.i"), encoding="utf-8") as file:
            text = file.read()
        ffi = cffi.FFI()
        ffi.set_source("kyoho._declarations", None)
        ffi.cdef(text[text.index("enum ky_status"):])  # before it stands what the system's headers declare
        ffi.emit_python_code(os.path.join(parts, "_declarations.py"))

    def describe_options(self, parts):
        """Writes the types of all options, for editors and type checkers, from the library's own table."""
        ffi = load(os.path.join(parts, "_declarations.py")).ffi
        table = load(os.path.join(self.root, "python/kyoho/_table.py"))
        types = load(os.path.join(self.root, "python/option_types.py"))
        lib = ffi.dlopen(os.path.join(parts, "libkyoho_draw.so.0"))
        with open(os.path.join(parts, "_option_types.pyi"), "w", encoding="utf-8") as file:
            file.write(types.stub(table, ffi, lib))
