"""The command in the wheel, for what only it can do."""
import json
import os
import subprocess

from . import errors
from ._library import FOLDER
from ._table import in_python

PROGRAM = os.path.join(FOLDER, "bin", "kyoho")


def told(*words):
    """What `kyoho WORDS --json` tells, as Python's objects. Ctrl-C ends it. Raises what a call of the library would."""
    done = subprocess.run([PROGRAM, *words, "--json", "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace")
    if done.returncode:
        line = (done.stderr.strip().splitlines() or [f"the command ended with {done.returncode}"])[-1]
        kind = errors.BY_STATUS[done.returncode] if 0 < done.returncode < len(errors.BY_STATUS) else errors.FaultError
        raise kind(in_python(line.partition(f"kyoho {words[0]}: ")[2] or line))
    return json.loads(done.stdout)
