#!/usr/bin/env python3
"""Kyoho in AMUSE: the Python of docs/amuse.md, and that the worker has the functions which AMUSE's classes call. It needs AMUSE's
framework (amuse_environment.py)."""
import os
import re
import sys

import amuse_environment
import environment

sys.path.append(os.path.join(os.path.dirname(environment.HERE), "command"))
from tap import check, finish, folder, skip  # noqa: E402

FUNCTIONS = """
import os
import subprocess
from amuse.rfi.core import CodeInterface, legacy_function
from kyoho.amuse import KyohoInterface, interface
program = os.path.join(os.path.dirname(interface.__file__), "kyoho_sockets_worker")
rows = [line.split() for line in subprocess.run([program, "--functions"], capture_output=True, text=True).stdout.splitlines()]
has = {row[0]: [int(word) for word in row[1:]] for row in rows}
wants = {}
for name in dir(KyohoInterface):
    value = getattr(KyohoInterface, name)
    if not hasattr(value, "specification") or name.startswith(("internal__", "_stop")):
        continue
    spec = value.specification
    kinds = [("int32",), ("float64", "d"), ("bool",), ("string",)]
    counts = [sum(p.datatype in kind for p in group) for kind in kinds for group in (spec.input_parameters, spec.output_parameters)]
    wants[spec.name] = [spec.id, *counts, int(spec.must_handle_array)]
wrong = [(name, wants[name], has.get(name)) for name in wants if has.get(name) != wants[name]]
assert not wrong and set(has) == set(wants), (wrong, set(has) ^ set(wants))
print(len(wants), "functions")
"""

REFUSES = """
import kyoho
from amuse.support.exceptions import AmuseException
from kyoho.amuse import Kyoho, KyohoInterface
assert KyohoInterface.version() == kyoho.__version__ and "arXiv" in KyohoInterface.__doc__
try:
    Kyoho(mode="warp")
except AmuseException as why:
    print(why)
"""

try:
    python = amuse_environment.made()
except environment.Missing as why:
    skip("Kyoho in AMUSE", str(why))
    finish()
with folder() as place:
    done = environment.run(python, "-c", FUNCTIONS, within=place)
    check(done.returncode == 0 and "functions" in done.stdout, "the worker has the functions that AMUSE's classes call", done.stdout)
    done = environment.run(python, "-c", REFUSES, within=place)
    check(done.returncode == 0 and "no modes" in done.stdout, "a mode is refused; the citation has version and papers", done.stdout)
    blocks = re.findall(r"^```python\n(.*?)^```", environment.read(os.path.join(environment.TOP, "docs/amuse.md")), re.M | re.S)
    for k, block in enumerate(blocks, 1):
        done = environment.run(python, "-c", block, within=place)
        check(done.returncode == 0, f"docs/amuse.md: block {k} of {len(blocks)}", done.stdout)
finish()
