#!/usr/bin/env python3
"""Comments and documents have no chains of pronouns, and no comment is a bare "Of a body.".

A chain ("that of those", "those of which") has to be resolved by reading back twice; the noun is shorter. A comment above a
function or struct that begins with "Of" and ends after a few words says nothing about it.
"""
import os
import re

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "include", "examples", "bench", "tests", "docs", "experiments")
CODE = (".c", ".h", ".k", ".cu")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CHAIN = re.compile(r"\b(?:that|those) of (?:that|those|this|these|it|them|which|whom|what)\b|"
                   r"\bof (?:which|whom) (?:that|those) of\b|\b(?:is|are) none of this way\b|\bit is not of\b", re.I)
BARE = re.compile(r"Of (?:\S+ ){0,4}\S+\.$")


def texts(path):
    """(line, text, own) for each comment of a source, where `own` says that it begins a line; a document is one text."""
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        yield 1, text, False
        return
    for found in TOKEN.finditer(text):
        if found.group().startswith("/"):
            own = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
            yield text.count("\n", 0, found.start()) + 1, found.group(), own


def plain(text):
    return re.sub(r"\s*\n[\s*]*|\s+", " ", text).strip("/* ")


def files():
    yield from PAGES
    for folder in FOLDERS:
        for place, _, names in os.walk(os.path.join(TOP, folder)):
            for name in names:
                if name.endswith(CODE + (".md",)):
                    yield os.path.relpath(os.path.join(place, name), TOP)


def faults(path, line, text, own):
    for found in CHAIN.finditer(plain(text)):
        yield f"{path}, line {line}: “{found.group()}”: name the thing"
    if own and BARE.match(plain(text)):
        yield f"{path}, line {line}: “{plain(text)}” says nothing: a subject and a verb"


wrong = [fault for path in sorted(files()) for part in texts(path) for fault in faults(path, *part)]
tap.check(not wrong, "comments and documents name things", "\n".join(wrong))
for sample, many in (("/* That of those of the card. */", 1), ("/* Of a body. */", 1), ("/* The masses of the bodies. */", 0)):
    tap.check(len(list(faults("x", 1, sample, True))) == many, f"{sample} has {many}")
tap.finish()
