#!/usr/bin/env python3
"""The notebooks of examples/notebooks run from their first cell to their last."""
import environment

environment.enter()
import os  # noqa: E402

from tap import check, finish, skip  # noqa: E402

FOLDER = os.path.join(environment.TOP, "examples", "notebooks")
books = sorted(name for name in os.listdir(FOLDER) if name.endswith(".ipynb"))
try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
except ImportError as why:
    for name in books:
        skip(name, f"{why.name} is not installed here; make check-all installs it")
    finish()

os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
for name in books:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        book = nbformat.read(file, 4)
    check(not any(cell.get("outputs") for cell in book.cells), f"{name} is kept without outputs")
    try:
        nbclient.NotebookClient(book, timeout=100, kernel_name="python3", resources={"metadata": {"path": FOLDER}}).execute()
    except nbclient.exceptions.CellExecutionError as why:
        check(False, name, why)
        continue
    pictures = sum("image/png" in output.get("data", {}) for cell in book.cells for output in cell.get("outputs", ()))
    check(pictures > 0, f"{name} runs, with {pictures} pictures")
finish()
