#!/usr/bin/env python3
"""No file of src/ needs a file above it, by an include, a function, a table, or a call through kyoho.h.

The folders below src/ have an order (docs/architecture.md), and so have the rooms of src/engine and the files of a
folder: no chain of needs leads back to where it began. No file uses words that belong to folders above it. libkyoho_draw
(view and draw) and the command need the public headers, base and their own folders alone. Text becomes numbers in one place.
"""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEVELS = {"base": 0, "physics": 1, "octree": 2, "few": 2, "engine": 3, "domain": 4, "integrate": 5, "snapshot": 5, "grape": 6, "analysis": 6,
          "models": 7, "simulation": 8, "view": 9, "draw": 10, "command": 11}
HEADERS = ("kyoho", "draw")  # of include/kyoho: libkyoho and libkyoho_draw
# What is not in libkyoho, and which folders it may use beside the public headers. Samples of bodies are formulas without a state.
OUTSIDE = {"command": {"base", "command"}, "view": {"base", "view"}, "draw": {"base", "physics", "view", "draw"}}
SAMPLE = {"octree/sample.h", "ky_sampled_median"}  # of which draw has a copy
ROOMS = ("driver", "state", "tree", "ranks", "forces", "steps", "board")  # of engine/cpu, engine/device and its kernels
# Words that a folder must not use, since they belong to folders above it, and what it asks instead.
UPSTAIRS = (
    ("engine/", r"\bintegrator\b|\bKY_(?:LEAPFROG|BLOCK_STEPS|HERMITE4)\b", "the schemes of struct ky_engine_use"),
    ("octree/", r"\bforce\b|\bKY_(?:DIRECT|WALK|LIST|TREE)\b", "parameters->cell, which the engine has resolved"),
    ("engine/", r"[=!]= *KY_(?:DIRECT|WALK|LIST|TREE)\b", "the row of the force, in a table"),
    ("", r"[=!]= *KY_(?:GEOMETRIC|OFFSET|MINIMUM|RELATIVE)\b", "the row of the opening test, ky_opening_kind; in the command a table of settings that has what differs"),
    ("command/", r"[=!]= *KY_(?:DIRECT|WALK|LIST|TREE)\b", "ky_parameters_ignore"),
)
NAME = re.compile(r"[A-Za-z_]\w*")
VAGUE = re.compile(r"(?:columns|sums)\.\w+|options\.c")  # base/options.h has the interface of all options_*.c
MACRO = re.compile(r"^#define (ky_\w+)\(\w+\)[\s\\]+(ky_\w+)\(", re.M)  # of a header, and the function that it calls


def sources():
    for folder, _, names in os.walk(os.path.join(TOP, "src")):
        for name in names:
            if name.endswith((".c", ".h", ".k", ".cu")):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(TOP, "src"))


def place(file):
    """The place of a file in the order, as a tuple: level of the folder, and within the engine that of the room."""
    part = file.split("/")
    level = LEVELS[part[0]]
    if part[0] != "engine":
        return (level,)
    if len(part) == 2:  # headers of what integrators may ask for are below all engines; the choice of an engine is above
        return (level, 0) if file.endswith(".h") else (level, 5)
    if part[1] == "common":
        return (level, 1)
    if len(part) == 3:
        return (level, 4)  # engine.c of an engine
    if part[2] == "lanes":
        return (level, 2)
    room = ROOMS.index(part[3] if part[2] == "kernels" else part[2])
    return (level, 2 if part[2] == "kernels" else 3, room)


def house(file):
    """The part of src/ within which a file may need files of the same place in the order."""
    part = file.split("/")
    if part[0] == "engine" and part[1] in ("cpu", "device"):
        return part[:2]
    return part[:1]


def bare(text):
    """The text without comments and strings."""
    return re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', " ", text, flags=re.S)


def definitions(text):
    """Functions and tables that a .c file defines for other files. A definition begins at the left margin (clang-format)."""
    for match in re.finditer(r"^(?!static\b|typedef\b|extern\b)[a-z][\w \n*]*?\b(ky_\w+)(?:\(|\[[^\n]*\] =| =)[^;{]*\{", text, re.M):
        yield match.group(1)


def header(names=HEADERS):
    text = ""
    for name in names:
        with open(os.path.join(TOP, "include", "kyoho", name + ".h"), encoding="utf-8") as stream:
            text += stream.read()
    return text


MACROS = dict(MACRO.findall(header()))


def with_macros(names):
    """The names, and the functions that those of them call which are macros of the headers."""
    return names | {MACROS[name] for name in names & MACROS.keys()}


def uses(text):
    """Names in the text that are neither tags of types nor members."""
    text = re.sub(r"\b(?:struct|enum|union)\s+\w+", " ", text)
    return with_macros({match.group() for match in re.finditer(r"(?<![.\w])(?<!->)[A-Za-z_]\w*", text)})


def read_all():
    files = {}
    for file in sorted(sources()):
        with open(os.path.join(TOP, "src", file), encoding="utf-8") as stream:
            files[file] = stream.read()
    return files


def needs_of(files):
    """{file: {file that it needs: how}}, by includes and by names that others define."""
    needs = {file: {} for file in files}
    plain = {file: bare(text) for file, text in files.items()}
    owner = {}
    for file in files:
        if file.endswith(".c"):
            for name in definitions(plain[file]):
                owner.setdefault(name, set()).add(file)
    for file, text in files.items():
        for target in re.findall(r'^\s*#\s*include\s*"(\S+?)"', text, re.M):
            if not target.startswith("kyoho/"):
                needs[file].setdefault(target, "includes")
        if file.endswith(".c"):
            for name in uses(plain[file]):
                for other in owner.get(name, ()) if file not in owner.get(name, ()) else ():
                    needs[file].setdefault(other, "uses " + name)
    return needs


def points_up(files, needs):
    bad = []
    for file in files:
        for target, how in needs[file].items():
            if target not in files:
                bad.append(f"{file}: {target} is not there")
                continue
            own, other = place(file), place(target)
            if file.split("/")[0] != target.split("/")[0]:
                wrong = other >= own
            elif house(file) != house(target) and len(house(file)) == len(house(target)) == 2:
                wrong = True  # the engines do not know each other
            else:
                wrong = other > own and not (file.endswith(".cu") and target.endswith((".k", ".h")))
            if wrong:
                bad.append(f"{file}: {how} of {target}" if how != "includes" else f"{file}: must not include {target}")
    return bad


def public():
    """Functions and tables that the public headers declare."""
    return set(re.findall(r"\bKY_API\b[^;{]*?\b(ky_\w+)(?=\(|\[)", bare(header())))


def beside_the_headers(files, plain):
    """{header or name: file} of what command, view and draw take from other folders, and not from the public headers."""
    known = public()
    owner = {}
    for file in files:
        if file.endswith(".c"):
            for name in definitions(plain[file]):
                owner.setdefault(name, file.split("/")[0])
    found = {}
    for file in files:
        allowed = OUTSIDE.get(file.split("/")[0])
        if allowed:
            for target in re.findall(r'^\s*#\s*include\s*"(\S+?)"', files[file], re.M):
                if target.split("/")[0] not in allowed | {"kyoho"}:
                    found.setdefault(target, file)
            for name in uses(plain[file]) - known:
                if owner.get(name, "base") not in allowed:
                    found.setdefault(name, file)
    return {name: file for name, file in found.items() if name not in SAMPLE or not file.startswith("draw/")}


def callers():
    """Names in the C files of examples and tests."""
    names = set()
    for folder in ("examples", "tests"):
        for path, _, files in os.walk(os.path.join(TOP, folder)):
            for file in files:
                if file.endswith((".c", ".h")):
                    with open(os.path.join(path, file), encoding="utf-8") as stream:
                        names |= set(NAME.findall(bare(stream.read())))
    return with_macros(names)


def rings(files, needs):
    left = set(files)
    inner = {file: {to for to in needs[file] if to in files and to.split("/")[0] == file.split("/")[0]} for file in files}
    while True:
        needed = {to for file in left for to in inner[file] & left}
        gone = {file for file in left if not inner[file] & left or file not in needed}
        if not gone:
            break
        left -= gone
    return [f"{file}: is in a ring, since it needs {' '.join(sorted(inner[file] & left))}" for file in sorted(left)]


count = 0


def result(bad, name):
    global count
    count += 1
    for line in bad:
        print("# " + line)
    print(f"{'not ok' if bad else 'ok'} {count} - {name}")


def main():
    files = read_all()
    unknown = [f"{file}: its folder has no place in the order" for file in files if file.split("/")[0] not in LEVELS]
    result(unknown, "every folder has a place in the order")
    needs = needs_of(files)
    result(points_up(files, needs), "every include, call and table points down")
    result(rings(files, needs), "the files of a folder have an order")
    result([f"{file}: which of them?" for file in files if VAGUE.fullmatch(os.path.basename(file))],
           "files are named for what they hold: not columns, sums, or options alone")
    plain = {file: bare(text) for file, text in files.items()}
    result([f"{file}: {match.group()}: ask {instead}" for folder, words, instead in UPSTAIRS
            for file in files if file.startswith(folder)
            for match in re.finditer(words, plain[file])], "no file knows the names of what is above it")
    beside = beside_the_headers(files, plain)
    result([f"{file}: {name} is not in a public header" for name, file in sorted(beside.items())],
           "the command and libkyoho_draw need the public headers, base and their own folders alone")
    result([f"{file}: must not include kyoho/draw.h" for file in files if file.split("/")[0] not in OUTSIDE and '"kyoho/draw.h"' in files[file]],
           "libkyoho knows nothing of libkyoho_draw")
    called = callers()
    for name, table in zip(HEADERS, ("src/base/abi.c", "src/draw/library.c")):
        structs = set(re.findall(r"^struct (ky_\w+) \{", header([name]), re.M))
        with open(os.path.join(TOP, table), encoding="utf-8") as stream:
            told = set(re.findall(r'\{"(ky_\w+)", sizeof\(struct \1\)\}', stream.read()))
        result(structs ^ told, f"{table} tells the size of every struct of {name}.h")
    result([f"{name}: nothing in examples/ or tests/ calls it" for name in sorted(public() - called)],
           "every name of the public headers is called by an example or a test")
    makers = {name.removesuffix("_sized") for name in public() if name.endswith(("_defaults", "_defaults_sized"))}
    result([f"{name}: has no macro that tells the size of the struct to {name}_sized" for name in sorted(makers)
            if MACROS.get(name) != name + "_sized"] + ["there are none"][bool(makers):],
           "every _defaults call of the public headers is a macro")
    result([f"{file}: must include base/drivers.h itself: mk/flags.mk finds the files that know of CUDA by it" for file in files
            if file.endswith(".c") and re.search(r"\bKY_(DRIVERS_(HERE|ABSENT|COUNT)|HAVE_CUDA)", plain[file]) and '"base/drivers.h"' not in files[file]],
           "every source with a row for each driver includes the table itself")
    readers = re.compile(r"\b(?:strto[a-z]+|ato[filL]+|[sf]?scanf)\b")  # these obey the locale of the program
    result([f"{file}: {match.group()}" for file in files if not file.startswith("base/number.") and file.endswith((".c", ".h"))
            for match in readers.finditer(plain[file])], "text becomes a number in src/base/number alone")


if __name__ == "__main__":
    main()
