#!/usr/bin/env python3
"""The workflows of a public repository (.github): each is valid, its scripts pass shellcheck, and each program and target of make in them exists.

`make check-all` also compares workflows and forms with their schemas, by the package check-jsonschema.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import wheels
from tap import check, finish, skip

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORKFLOWS = ".github/workflows"


def tool(*words, **more):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **more)


def scripts(path):
    """The scripts of a workflow: what follows `run:`, in one line or as a block that is indented more than the key."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines):
        match = re.match(r"(\s*)(- )?run: (.*)$", line)
        if match and match.group(3) != "|":
            yield match.group(3)
        elif match:
            depth = len(match.group(1)) + len(match.group(2) or "")
            block = []
            for more in lines[number + 1:]:
                if more.strip() and len(more) - len(more.lstrip()) <= depth:
                    break
                block.append(more.strip())
            yield "\n".join(block)


def without_expressions(script):
    """The script with a word in place of each ${{ expression }}."""
    return re.sub(r"\$\{\{.*?\}\}", "expression", script)


def problems(script):
    """What the script calls that is not there."""
    for words in (line.split() for line in without_expressions(script).replace("(", "").splitlines() if line.strip()):
        while words and re.match(r"[A-Z_]+=", words[0]):
            words.pop(0)
        if words and words[0] == "make":
            said = tool("make", "-n", *words[1:], "CUDA=no", "BUILD=build-none", cwd=TOP)
            if said.returncode:
                yield f"{' '.join(words)}: {said.stdout[-300:]}"
        elif words and re.match(r"(\./|mk/|packaging/)", words[0]) and not os.access(os.path.join(TOP, words[0]), os.X_OK):
            yield f"{words[0]} is no program"


def read_scripts():
    found = {path: list(scripts(path)) for path in sorted(glob.glob(WORKFLOWS + "/*.yml"))}
    check(len(found) == 4 and all(found.values()), f"{sum(map(len, found.values()))} scripts of {len(found)} workflows", found)
    for path, texts in found.items():
        bad = [line for text in texts for line in problems(text)]
        check(not bad, f"{path}: programs and targets are there", "\n".join(bad))
        if not shutil.which("shellcheck"):
            skip(f"{path}: shellcheck", "shellcheck is not installed")
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write("#!/bin/bash\nset -e\n" + "\n".join(map(without_expressions, texts)) + "\n")
            file.flush()
            said = tool("shellcheck", file.name)
        check(not said.returncode, f"{path}: shellcheck finds nothing", said.stdout)
    wrong = list(problems("make nothing-of-this-name\nmk/none 1"))
    check(len(wrong) == 2, "a target and a program that are not there would be noticed", wrong)


def actionlint():
    """What the schemas do not know: expressions, and jobs and steps that others name. The program is not among the packages of pip and Debian."""
    if not shutil.which("actionlint"):
        return skip("actionlint finds nothing", "actionlint is not installed")
    said = tool("actionlint", "-no-color")
    check(said.returncode == 0, "actionlint finds nothing", said.stdout)
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        with open(WORKFLOWS + "/check.yml", encoding="utf-8") as whole:
            file.write(whole.read().replace("matrix.system", "matrix.sytem"))
        file.flush()
        said = tool("actionlint", "-no-color", file.name)
    return check(said.returncode == 1 and '"sytem" is not defined' in said.stdout, "a name that nothing defines would be noticed", said.stdout)


def schemas():
    """Valid by the schemas of the site, and a workflow with a wrong key is not."""
    if not os.environ.get("KYOHO_TEST_ALL"):
        return skip("workflows and forms have the keys of their schemas", "make check-all runs this")
    programs, why = wheels.install(os.path.join("tests", "check-jsonschema"), "check-jsonschema")
    if not programs:
        return skip("workflows and forms have the keys of their schemas", why)
    program = os.path.join(programs, "check-jsonschema")
    for schema, paths in (("workflows", glob.glob(WORKFLOWS + "/*.yml")), ("issue-forms", glob.glob(".github/ISSUE_TEMPLATE/[!c]*.yml")),
                          ("issue-config", [".github/ISSUE_TEMPLATE/config.yml"])):
        said = tool(program, "--builtin-schema", "vendor.github-" + schema, *paths)
        check(paths and said.returncode == 0, f"{len(paths)} files are valid {schema}", said.stdout)
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        with open(WORKFLOWS + "/docs.yml", encoding="utf-8") as whole:
            file.write(whole.read().replace("runs-on:", "run-on:"))
        file.flush()
        said = tool(program, "--builtin-schema", "vendor.github-workflows", file.name)
    return check(said.returncode != 0, "a wrong key would be noticed", said.stdout)


os.chdir(TOP)
sys.stdout.flush()
read_scripts()
actionlint()
schemas()
finish()
