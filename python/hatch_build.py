"""Builds what the wheel holds beside the sources of the package: the libraries and the command, by make, and from their
headers and table of options the modules that nobody writes by hand.

BUILD names the folder of the build, and KYOHO_MAKE has more words for make: KYOHO_MAKE="HDF5=no OPENCL=no" pip wheel .
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


def load(path):
    """The module in this file, without its package, which needs numpy."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = os.path.join(self.root, os.environ.get("BUILD", "build"))
        jobs = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
        words = shlex.split(os.environ.get("KYOHO_MAKE", ""))
        subprocess.run(["make", "-s", "-j", jobs, "BUILD=" + folder, *words, "python-parts"], cwd=self.root, check=True)
        parts = os.path.join(folder, "python")
        self.declare(parts)
        self.describe_options(parts)
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = "py3-none-" + platform  # no extension module: one wheel for every Python
        for part in PARTS:
            build_data["force_include"][os.path.join(parts, part)] = "kyoho/" + part
        for plug in glob.glob(os.path.join(folder, "mpi", "*.so")):  # that `make plugs` has built with the mpicc of PATH
            build_data["force_include"][plug] = "kyoho/mpi/" + os.path.basename(plug)

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
