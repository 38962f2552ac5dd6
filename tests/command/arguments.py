#!/usr/bin/env python3
"""An error such as "ky_draw: parameters is NULL" names a call and an argument of kyoho.h.

KY_NEED takes both from the source. So it stands in calls of the public header alone, whose arguments have the header's
names.
"""
import os
import re

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# A call, declared or defined: its name, its arguments, and ";" or "{".
CALL = re.compile(r"^(?:KY_API )?[a-z][\w *]*?\b(\w+)\(((?:[^();{}]|\([^()]*\))*)\)[^;{}()]*([;{])", re.M)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return COMMENT.sub("", file.read())


def names(arguments):
    """The names of the arguments: a pointer to an array is (*name)[3], a function (*name)(…)."""
    for argument in re.split(r",(?![^()]*\))", arguments):
        pointer = re.search(r"\(\*(?:const )?(\w+)\)", argument)
        yield pointer.group(1) if pointer else re.findall(r"\w+", re.sub(r"\[.*", "", argument))[-1]


def faults(text, public):
    """(calls that are compared, what is wrong with them): of a source with the calls of the header."""
    calls = [call for call in CALL.finditer(text) if call.group(3) == "{"]
    wrong = [f"{call.group(1)} has ({', '.join(names(call.group(2)))}), kyoho.h ({', '.join(public[call.group(1)])})"
             for call in calls if call.group(1) in public and [*names(call.group(2))] != public[call.group(1)]]
    for need in re.finditer(r"^ +KY_NEED\((.+), \w+\)", text, re.M):
        inside = [call.group(1) for call in calls if call.start() < need.start()][-1]
        if inside not in public:
            wrong.append(f"{inside} is no call of kyoho.h, and its error says “{inside}: {need.group(1)} is NULL”")
        elif need.group(1) not in public[inside]:
            wrong.append(f"{inside} says “{need.group(1)} is NULL”; its arguments are {', '.join(public[inside])}")
    return sum(call.group(1) in public for call in calls), wrong


header = {call.group(1): [*names(call.group(2))] for call in CALL.finditer(read("include/kyoho/kyoho.h"))}
many, wrong = 0, []
for folder, _, files in os.walk(os.path.join(TOP, "src")):
    for path in sorted(os.path.join(folder, name) for name in files if name.endswith(".c")):
        compared, found = faults(read(path), header)
        many += compared
        wrong += [f"{os.path.relpath(path, TOP)}: {fault}" for fault in found]
tap.check(many >= len(header) - 5 and many > 100, "the calls of kyoho.h are found in src/", f"{many} of {len(header)}")
tap.check(not wrong, "errors name calls and arguments as kyoho.h does", "\n".join(wrong))
for sample, count in (("int a(int *b)\n{\n    KY_NEED(b, error);\n}\n", 0), ("int a(int *c)\n{\n    KY_NEED(c, error);\n}\n", 2),
                      ("int b(int *c)\n{\n    KY_NEED(c, error);\n}\n", 1)):
    tap.check(len(faults(sample, {"a": ["b"]})[1]) == count, f"{sample!r} has {count}")
tap.finish()
