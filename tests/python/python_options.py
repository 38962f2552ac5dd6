#!/usr/bin/env python3
"""Each option of the command is an argument in Python, under its name or another, or this test says why it is not."""
import environment

environment.enter()
import inspect  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402

import kyoho  # noqa: E402
from tap import KYOHO, check, finish  # noqa: E402

S = kyoho.Snapshot
# By command: the functions that do its work in Python.
DONE_BY = {
    "model": (kyoho.model, S.write), "run": (kyoho.run, kyoho.resume), "force": (kyoho.check, S.write), "merge": (kyoho.merge, S.write),
    "convert": (S.write, S.place), "info": (), "draw": (kyoho.draw,), "neighbours": (kyoho.neighbours, kyoho.nearest), "density": (kyoho.density,),
    "groups": (kyoho.groups,), "binaries": (kyoho.binaries,), "profile": (kyoho.profile,), "power": (kyoho.power,), "haloes": (kyoho.mass_function, kyoho.groups), "orbit": (kyoho.orbit,), "field": (kyoho.external_field,),
    "tune": (kyoho.tune,), "few": (kyoho.few,), "devices": (kyoho.devices,), "view": (kyoho.Simulation.view, kyoho.view),
}
SOURCES = (kyoho.model, kyoho.read)  # what gives the bodies to a function has these options of a command
# By command, or "" for all: {option: the argument with another name, or why there is none}.
OTHERWISE = {
    "": {"help": "help()", "json": "results are objects", "quiet": "nothing is printed", "input": "bodies", "model": "kyoho.model", "bodies": "n of kyoho.model",
         "output": "path, folder, or numpy", "g": "of the units, or of kyoho.Units(g=...)"},
    "run": {"resume": "kyoho.resume", "write-ini": "for files of the command", "view": "sim.view() or, of the folder, kyoho.view", "view-port": "port", "view-bodies": "bodies", "view-frame": "frame"},
    "force": {"check": "samples", "dry-run": "kyoho.run(dry_run=True) tells the memory"},
    "draw": {"live": "a heartbeat may draw", "look-every": "a heartbeat may draw", "patience": "a heartbeat may draw",
             "plot": "run.energy and matplotlib", "x": "matplotlib", "y": "matplotlib", "logarithmic": "matplotlib", "label": "matplotlib"},
    "neighbours": {"nearest": "kyoho.nearest", "lists": "near[i]"},
    "density": {"neighbours": "k"},
    "power": {"cross-types": "cross", "title": "matplotlib", "width": "matplotlib", "height": "matplotlib", "subtract-noise": "power - noise", "overwrite": "matplotlib"},
    "haloes": {"title": "matplotlib", "width": "matplotlib", "height": "matplotlib", "bins": "numpy.histogram", "overwrite": "matplotlib"},
    "profile": {"box": "that of the Snapshot", "title": "matplotlib", "width": "matplotlib", "height": "matplotlib", "threads": "kyoho.use_threads"},
    "orbit": {"start": "times", "end": "times", "rows": "times", "title": "matplotlib", "width": "matplotlib", "height": "matplotlib",
              "engine": "it is for the CPU", "isa": "it is for the CPU", "tree": "it is for the CPU", "threads": "one body has one thread"},
    "binaries": {"hierarchies": "the command finds pairs of the centres of kyoho.binaries again"},
    "few": {"end": "time", "every": "time"},
    "field": {"position": "points", "engine": "it is for the CPU", "isa": "it is for the CPU", "tree": "it is for the CPU", "threads": "kyoho.use_threads"},
    "tune": {"check": "samples"},
    "view": {"max-wall": "close() ends it", "view-port": "port", "view-bodies": "bodies", "view-frame": "frame"},
}
NOT_HERE = {"bench": "bench/peers.py and kyoho.tune measure", "verify": "for the shell, which verifies runs of Python too"}  # commands


def of_command(command):
    """The options in the help of a command."""
    text = subprocess.run([KYOHO, "help", command, "--all"], capture_output=True, text=True).stdout
    return set(re.findall(r"^ {2}(?:-\w, | {4})--([a-z][a-z0-9-]*)", text, re.M))


def arguments(functions):
    """The names of the arguments of the functions, as options."""
    found = set()
    for function in functions:
        found |= {name for name, one in inspect.signature(function).parameters.items() if one.kind is not one.VAR_KEYWORD}
        try:
            found |= set(kyoho.options(function))
        except ValueError:  # it has no options
            pass
    return {name.replace("_", "-") for name in found}


commands = re.findall(r"^  ([a-z]+) +\S", subprocess.run([KYOHO, "help"], capture_output=True, text=True).stdout, re.M)
check(set(commands) == {*DONE_BY, *NOT_HERE} and len(commands) > 15, "every command is known here", set(commands) ^ {*DONE_BY, *NOT_HERE})
used = set()
for command in DONE_BY:
    wanted, here = of_command(command), arguments(DONE_BY[command])
    source = arguments(SOURCES) if "types" in wanted or command == "model" else set()
    named = {**OTHERWISE[""], **OTHERWISE.get(command, {})}
    if command in ("neighbours", "density", "groups", "binaries", "profile", "orbit", "field", "few"):
        named["overwrite"] = "of tables, which numpy writes"
    missing = wanted - here - source - set(named)
    stale = set(OTHERWISE.get(command, {})) - (wanted - here)
    check(len(wanted) >= 2 and not missing, f"{command}: Python has its {len(wanted)} options", missing)
    check(not stale, f"{command}: no option is excused that it has not, or that Python has", stale)
finish()
