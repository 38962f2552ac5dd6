#!/usr/bin/env python3
"""The small versions of the experiments run from start to end on the CPU, and their pages describe all of their parts."""
import ast
import csv
import os
import re
import subprocess
import sys

from tap import check, finish, folder, run

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(TOP, "experiments")
PNG = "PNG: yes" in run("--version").stdout


def start(name, out, *words):
    """Runs a script. Returns the finished process."""
    return subprocess.run([sys.executable, os.path.join(HERE, name, "run.py"), "--engine", "cpu", "--output", out, *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)


def told(name):
    """The parts that the head of the script describes, and the parts that the script has."""
    with open(os.path.join(HERE, name, "run.py"), encoding="utf-8") as file:
        text = file.read()
    head = ast.get_docstring(ast.parse(text))
    return re.findall(r"^(\w+)  +\S", head, re.M), re.search(r"\[([\w, ]+)\](?:, \w+)?\)\s*$", text).group(1).split(", ")


def full(path):
    """Whether the table has rows, and no empty cell."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return len(rows) > 1 and all(len(row) == len(rows[0]) and all(row) for row in rows)


def try_experiment(name, top):
    out = os.path.join(top, name)
    gave = start(name, out, "--small")
    if not check(gave.returncode == 0, f"{name}: the small version runs", gave.stdout + gave.stderr):
        return
    tables = [file for file in os.listdir(out) if file.endswith(".csv")]
    check(tables and all(full(os.path.join(out, file)) for file in tables), f"{name}: tables have no gaps", tables)
    parts, has = told(name)
    check(parts == has, f"{name}: the head of the script describes its parts", f"{parts} {has}")
    with open(os.path.join(HERE, name, "README.md"), encoding="utf-8") as file:
        page = file.read()
    pictures = re.findall(r"\]\((\S+\.png)\)", page)
    missing = [file for file in pictures if not os.path.exists(os.path.join(HERE, name, file))]
    check(not missing and re.search(r"\d{4}-\d{2}-\d{2}", page) and f"experiments/{name}/run.py" in page,
          f"{name}: the page has the command and the date, and its pictures are there", missing)
    if PNG:  # the script makes every figure of the page, with fewer bodies where its name has their number
        made = [re.sub("-(1024|4096)", "-64", os.path.basename(file)) for file in pictures]
        check(set(made) <= set(os.listdir(out)), f"{name}: the script makes the page's figures", f"{made} {os.listdir(out)}")


with folder() as top:
    names = sorted(name for name in os.listdir(HERE) if os.path.exists(os.path.join(HERE, name, "run.py")))
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        check(re.findall(r"^\| \[(\w+)\]", file.read(), re.M) == names, "the list of experiments", names)
    # `check` runs those of which parts are tried below, `check-all` all.
    for name in names if os.environ.get("KYOHO_TEST_ALL") else ["convergence"]:
        try_experiment(name, top)

    # Results are kept: a second call computes nothing, and a call for results of another kind is refused.
    out = os.path.join(top, "convergence")
    gave = start("convergence", out, "--small")
    check(gave.returncode == 0 and gave.stderr == "", "results that are there are not computed again", gave.stderr)
    check(start("convergence", out).returncode == 1, "results of another kind are not mixed")
    check(start("convergence", out, "--small", "opning").returncode == 2, "an unknown part is refused")
    gave = start("gaburov2009", os.path.join(top, "late"), "--small", "--wall", "0.01")
    check(gave.returncode == 6 and "goes on" in gave.stderr, "--wall stops the script", gave.stderr)
    check(start("gaburov2009", os.path.join(top, "late"), "--small", "speed").returncode == 0, "a script that --wall stopped goes on")
finish()
