#!/usr/bin/env python3
"""Comments and documents have no chains of pronouns: "that of those", "those of which". One has to read back twice to
find what they stand for; the noun is shorter."""
import os
import re

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "include", "examples", "bench", "tests", "docs", "experiments")
CODE = (".c", ".h", ".k", ".cu")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CHAIN = re.compile(r"\b(?:that|those) of (?:that|those|it|which|whom|what)\b|\bit is not of\b", re.I)


def texts(path):
    """(line, text): the comments of a source, or a document as a whole."""
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        yield 1, text
        return
    for found in TOKEN.finditer(text):
        if found.group().startswith("/"):
            yield text.count("\n", 0, found.start()) + 1, found.group()


def plain(text):
    return re.sub(r"\s*\n[\s*]*|\s+", " ", text).strip("/* ")


def files():
    yield from PAGES
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(TOP, folder)):
            for name in names:
                if name.endswith(CODE + (".md",)):
                    yield os.path.relpath(os.path.join(place, name), TOP)


def faults(path, line, text):
    for found in CHAIN.finditer(plain(text)):
        yield f"{path}, from line {line} on: “{found.group()}”: name the thing"


wrong = [fault for path in sorted(files()) for part in texts(path) for fault in faults(path, *part)]
tap.check(not wrong, "comments and documents name things", "\n".join(wrong))
for sample, many in (("/* That of\n * those of the card. */", 1), ("/* The masses of the bodies. */", 0)):
    tap.check(len(list(faults("x", 1, sample))) == many, f"{sample!r} has {many}")
tap.finish()
