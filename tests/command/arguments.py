#!/usr/bin/env python3
"""Arguments of functions in src/: their names in errors, and their number.

An error such as "ky_draw: parameters is NULL" names a call and an argument of a public header. KY_NEED takes both from the
source. So it stands in calls of the public header alone, whose arguments have the header's names.

No function has more than 7 arguments, but for what others prescribe, and for kernels with their formulas. Functions with 6 or 7,
and kernels with more than 12, do not become more.
"""
import os
import re

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# A call, declared or defined: its name, its arguments, and ";" or "{".
CALL = re.compile(r"^(?:KY_API )?[a-z][\w *]*?\b(\w+)\(((?:[^();{}]|\([^()]*\))*)\)[^;{}()]*([;{])", re.M)

# A function that is defined, a pointer to one, or a macro that defines one: its name and where its arguments begin.
FUNCTION = re.compile(r"(?:\(\*(\w+)\)|(?<!#define )\b(?!(?:for|if|while|switch)\b)(\w+(?:##\w+)?)) ?\((?!\*\w+\)\()")
MOST = 7
# So many functions may have 6 or 7, and so many kernels more than 12; lower these numbers where some get fewer.
CROWDED, CROWDED_KERNELS = 257, 14
MOST_OF_KERNEL = 12
# A kernel: what makes it one, its name, and where its arguments begin. The columns of cells (KY_CELLS_TO_READ) count as one.
KERNEL = re.compile(r"\b(?:KY_\w*KERNEL\w*|kernel)(?: ?\((?:[^()]|\([^()]*\))*\))?\s+((?:KY_NAME\()?[\w#]+\)?)\s*\(")
# Files, and functions in them, that may have more.
FREE = (
    ("src/engine/device/kernels/", "", "kernels, whose arguments are scalars and arrays"),
    ("src/physics/", "", "formulas that kernels read"),
    ("src/grape/", "g[56]_?\\w+|name(?:##_)?", "GRAPE calls, and the macros that define them"),
    ("src/base/team.c", "ky_team_\\w+", "what the compiler calls"),
)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return COMMENT.sub("", file.read())


def names(arguments):
    """The names of the arguments: a pointer to an array is (*name)[3], a function (*name)(…)."""
    for argument in re.split(r",(?![^()]*\))", arguments):
        pointer = re.search(r"\(\*(?:const )?(\w+)\)", argument)
        yield pointer.group(1) if pointer else re.findall(r"\w+", re.sub(r"\[.*", "", argument))[-1]


def faults(text, public):
    """How many calls of a source are compared with calls of the header, and what is wrong with them."""
    calls = [call for call in CALL.finditer(text) if call.group(3) == "{"]
    wrong = [f"{call.group(1)} has ({', '.join(names(call.group(2)))}), the header ({', '.join(public[call.group(1)])})"
             for call in calls if call.group(1) in public and [*names(call.group(2))] != public[call.group(1)]]
    for need in re.finditer(r"^ +KY_NEED\((.+), \w+\)", text, re.M):
        inside = [call.group(1) for call in calls if call.start() < need.start()][-1]
        if inside not in public:
            wrong.append(f"{inside} is in no public header, and its error says “{inside}: {need.group(1)} is NULL”")
        elif need.group(1) not in public[inside]:
            wrong.append(f"{inside} says “{need.group(1)} is NULL”; its arguments are {', '.join(public[inside])}")
    return sum(call.group(1) in public for call in calls), wrong


def inside(text, start):
    """The text from `start` to the bracket that closes, and what follows."""
    depth, end = 1, start
    while depth and end < len(text):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[start:end - 1], text[end:end + 80]


def count(arguments):
    """The number of arguments; commas in brackets do not count."""
    depth, commas = 0, 0
    for sign in arguments:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(sign, 0)
        commas += sign == "," and depth == 0
    return commas + 1


def plain(text):
    """A source with empty texts, and macros of one line."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text).replace("\\\n", " ")


def kernels(text):
    """(name, number) of each kernel."""
    for match in KERNEL.finditer(plain(text)):
        arguments, rest = inside(match.string, match.end())
        if re.match(r"\s*\{", rest):
            yield match.group(1), count(arguments)


def crowded(text, most=MOST):
    """(name, number) of each function with more than `most` arguments that a source defines, or has a pointer for."""
    text = plain(text)
    for match in FUNCTION.finditer(text):
        arguments, rest = inside(text, match.end())
        if re.match(r"\s*[{;]" if match.group(1) else r"\s*\{", rest) and count(arguments) > most:
            yield match.group(1) or match.group(2), count(arguments)


HEADER = read("include/kyoho/kyoho.h") + read("include/kyoho/draw.h")
MACROS = re.findall(r"^#define (\w+)\(", HEADER, re.M)  # in src/ a macro defines the functions of these names
header = {call.group(1): [*names(call.group(2))] for call in CALL.finditer(HEADER) if call.group(1) not in MACROS}
many, wrong, long, crowd, launched, crowded_kernels = 0, [], [], [], 0, []
for folder, _, files in os.walk(os.path.join(TOP, "src")):
    for name in sorted(files):
        path = os.path.relpath(os.path.join(folder, name), TOP)
        if name.endswith(".c"):
            compared, found = faults(read(path), header)
            many += compared
            wrong += [f"{path}: {fault}" for fault in found]
        if name.endswith((".c", ".h", ".cu")):
            found = [(function, number) for function, number in crowded(read(path), 5) if function not in header
                     and not any(path.startswith(at) and re.fullmatch(names or ".*", function) for at, names, _ in FREE)]
            long += [f"{path}: {function} has {number} arguments; join those that belong together, or (tests/command/"
                     f"arguments.py) say why not" for function, number in found if number > MOST]
            crowd += [f"{path}: {function} has {number}" for function, number in found]
        if name.endswith((".k", ".h")):
            found = list(kernels(read(path)))
            launched += len(found)
            crowded_kernels += [f"{path}: {kernel} has {number}" for kernel, number in found if number > MOST_OF_KERNEL]
tap.check(many >= len(header) - 5 and many > 100, "the calls of the public headers are found in src/", f"{many} of {len(header)}")
tap.check(not wrong, "errors name calls and arguments as the headers do", "\n".join(wrong))
tap.check(not long, f"functions have at most {MOST} arguments", "\n".join(long))
tap.check(len(crowd) <= CROWDED, f"at most {CROWDED} functions have 6 or 7 arguments", f"{len(crowd)}: one struct for those that go "
          "together, please\n" + "\n".join(crowd))
tap.check(len(crowded_kernels) <= CROWDED_KERNELS and launched > 100, f"at most {CROWDED_KERNELS} kernels have more than {MOST_OF_KERNEL} arguments",
          f"{len(crowded_kernels)} of {launched}; a struct of numbers is one argument\n" + "\n".join(crowded_kernels))
for sample, number in (("int a(int *b)\n{\n    KY_NEED(b, error);\n}\n", 0), ("int a(int *c)\n{\n    KY_NEED(c, error);\n}\n", 2),
                      ("int b(int *c)\n{\n    KY_NEED(c, error);\n}\n", 1)):
    tap.check(len(faults(sample, {"a": ["b"]})[1]) == number, f"{sample!r} has {number}")
SEVEN = "int a, int (*b)(int, int), int c[2], int d, int e, int f, int g"
for sample, number in (("KY_INLINE int h(%s)\n{", 1), ("    int (*h)(%s);", 1), ("#define H() \\\n    static int h(%s) \\\n    {", 1),
                       ("int h(%s);", 0)):
    found = [[*crowded(sample % arguments)] for arguments in (SEVEN, SEVEN + ", int i")]
    tap.check(found == [[], [("h", 8)] * number], f"{sample!r} is {'' if number else 'not '}looked at", found)
sample = "KY_TEAM_KERNEL\nky_a(KY_CELLS_TO_READ KY_GLOBAL int *b, struct c d)\n{\n#define E(e) KY_KERNEL(64) KY_NAME(ky_##e)(int a) \\\n{"
tap.check([*kernels(sample)] == [("ky_a", 2), ("KY_NAME(ky_##e)", 1)], "kernels and their arguments are found", [*kernels(sample)])
tap.finish()
