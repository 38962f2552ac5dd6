#!/usr/bin/env python3
"""Tables that a program of ours has written are what it writes."""
import pathlib
import subprocess
import sys

import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
for program in ["src/physics/taylor_table.py"]:
    path = ROOT / program
    written = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True).stdout
    tap.check(path.with_suffix(".h").read_text() == written, f"{path.with_suffix('.h').name} is what {path.name} writes")
tap.finish()
