#!/usr/bin/env python3
"""The blocks of Python in the documents run: those of a page one after the other, in an empty folder."""
import environment

environment.enter()
import os  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

from tap import check, finish, folder  # noqa: E402

pages = ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(environment.TOP, "docs")) if name.endswith(".md"))
for page in pages:
    if page == "docs/amuse.md":  # python_amuse.py runs these
        continue
    text = environment.read(os.path.join(environment.TOP, page))
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    if not blocks:
        continue
    with folder() as place:
        program = "\n".join(f"{block}\nprint('block {k}', flush=True)" for k, block in enumerate(blocks, 1))
        done = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=place, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        check(done.returncode == 0 and f"block {len(blocks)}" in done.stdout, f"{page}: {len(blocks)} blocks of Python", done.stdout)
finish()
