#!/usr/bin/env python3
"""Comments and documents have no chains of pronouns, and no comment is a bare "Of a body.".

A chain ("that of those", "those of which") has to be resolved by reading back twice; the noun is shorter. A comment above a
function or struct that begins with "Of" and ends after a few words says nothing about it.

In the comments of each folder of the source "those", "what" and "that of" or "those of", per 1,000 words, stay below the
ceilings of a table. The goal is 0.5, 0.7 and 0. `tests/command/words.py ceilings` prints the table with today's rates.

A sentence of the documents, but not of the laboratory book, and of the public headers has at most 40 words. Tables, equations and commands do not count.
"""
import math
import os
import re
import sys

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "include", "examples", "bench", "tests", "docs", "experiments")
CODE = (".c", ".h", ".k", ".cu")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CHAIN = re.compile(r"\b(?:that|those) of (?:that|those|this|these|it|them|which|whom|what)\b|"
                   r"\bof (?:which|whom) (?:that|those) of\b|\b(?:is|are) none of this way\b|\bit is not of\b", re.I)
RATED = tuple(re.compile(word, re.I) for word in (r"\bthose\b", r"\bwhat\b", r"\b(?:that|those) of\b"))
# "those", "what", "that of" per 1,000 words of comments: no folder may have more. Lower a ceiling when its folder is better.
CEILINGS = {
    "include": (0.0, 0.0, 0.0),
    "src/analysis": (0.0, 0.0, 0.0),
    "src/base": (0.0, 0.0, 0.0),
    "src/command": (0.0, 0.2, 0.0),
    "src/domain": (0.0, 0.3, 0.0),
    "src/draw": (0.0, 0.2, 0.0),
    "src/engine": (0.0, 0.0, 0.0),
    "src/engine/common": (0.0, 0.0, 0.0),
    "src/engine/cpu": (0.0, 0.3, 0.0),
    "src/engine/device": (0.2, 0.1, 0.1),
    "src/few": (0.0, 0.0, 0.0),
    "src/grape": (0.0, 0.0, 0.0),
    "src/integrate": (0.0, 0.4, 0.0),
    "src/models": (0.0, 0.0, 0.0),
    "src/octree": (0.0, 0.2, 0.0),
    "src/physics": (0.0, 0.0, 0.0),
    "src/simulation": (0.0, 0.0, 0.0),
    "src/snapshot": (0.0, 0.0, 0.0),
    "src/view": (0.0, 0.0, 0.0),
}
DEGREE = re.compile(r"\b(?:more|less|as|how) exact(?:ly)?\b(?! sums)|\bexactness\b", re.I)
MOST_WORDS = 40
READ_BY_USERS = PAGES + ("tests/README.md",)  # besides include/ and docs/, but not its laboratory book
NO_PROSE = re.compile(r"```.*?```|<!--.*?-->|^(?:    |\||#).*?$", re.S | re.M)  # of a document; a comment has equations
EQUATION = re.compile(r"^ *\*  +.*$", re.M)
# Where a paragraph or an item of a list ends, in a document and in a comment; and a sentence.
PARAGRAPH = re.compile(r"\n(?:[ *]*\n| *(?:\* +)?(?:- |\d+\. ))")
SENTENCE = re.compile(r"(?<=[.!?])[)*\"'”]*\s+(?![a-z])")
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


def is_for_users(path):
    folder = os.path.dirname(path)
    return path in READ_BY_USERS or folder.split(os.sep)[0] in ("include", "docs") and folder != os.path.join("docs", "lab")


def long_sentences(path, line, text):
    """A line for each sentence that is too long. The targets of links are no words."""
    prose = NO_PROSE if path.endswith(".md") else EQUATION
    text = prose.sub("\n\n", re.sub(r"\]\([^)]*\)", "]", text))
    for paragraph in PARAGRAPH.split(text):
        for sentence in SENTENCE.split(plain(paragraph)):
            if len(sentence.split()) > MOST_WORDS:
                yield f"{path}, after line {line}: {len(sentence.split())} words: {sentence}"


def folder_of(path):
    """The row of a source in CEILINGS: src/X, src/engine/X or include; None outside of the source."""
    parts = path.split(os.sep)
    if parts[0] == "include":
        return "include"
    if parts[0] != "src":
        return None
    return "/".join(parts[:3] if parts[1] == "engine" and len(parts) > 3 else parts[:2])


def words_of(text):
    """A comment without names of identifiers in backquotes."""
    return re.sub(r"`[^`]*`", "", plain(text))


def rates():
    """{folder: (words, [rate of each of RATED])}"""
    comments = {}
    for path in files():
        folder = folder_of(path)
        if folder and path.endswith(CODE):
            comments.setdefault(folder, []).extend(words_of(text) for _, text, _ in texts(path))
    found = {}
    for folder, all_of in sorted(comments.items()):
        words = sum(len(text.split()) for text in all_of)
        found[folder] = words, [1000 * sum(len(word.findall(text)) for text in all_of) / max(words, 1) for word in RATED]
    return found


def too_many(folder, measured):
    """A line for each rate of the folder that is above its ceiling; folders without a row have the goal."""
    for name, rate, ceiling in zip(("those", "what", "that of"), measured, CEILINGS.get(folder, (0.5, 0.7, 0.1))):
        if rate > ceiling:
            yield f"{folder}: {rate:.2f} “{name}” per 1,000 words of comments; at most {ceiling}"


measured = rates()
if sys.argv[1:] == ["ceilings"]:
    for name, (_, of) in measured.items():
        ceilings = ", ".join(f"{math.ceil(10 * rate) / 10:.1f}" for rate in of)
        print(f'    "{name}": ({ceilings}),')
    sys.exit(0)

wrong = [fault for path in sorted(files()) for part in texts(path) for fault in faults(path, *part)]
tap.check(not wrong, "comments and documents name things", "\n".join(wrong))
print("# words   those   what  that of   per 1,000 words of comments")
for name, (words, of) in measured.items():
    print(f"# {words:6d} {of[0]:6.2f} {of[1]:6.2f} {of[2]:6.2f}   {name}")
exact = [f"{path}: “{found.group()}”: write accurate" for path in sorted(files())
         if path.split(os.sep)[0] in ("src", "include", "docs", *PAGES) and os.path.join("docs", "lab") not in path
         for found in DEGREE.finditer(open(os.path.join(TOP, path), encoding="utf-8").read())]
tap.check(not exact, "what has degrees is accurate; exact is without an error", "\n".join(exact))
endless = [fault for path in sorted(files()) if is_for_users(path) for line, text, _ in texts(path)
           for fault in long_sentences(path, line, text)]
tap.check(not endless, f"sentences of documents and headers have at most {MOST_WORDS} words", "\n".join(endless))
for sample, many in (("a " * 40 + "end.", 1), ("a " * 39 + "end. " + "B " * 40, 0), ("- " + "a " * 30 + "\n- " + "b " * 30, 0),
                     ("```\n" + "a " * 50 + "\n```", 0), ("| " + "a " * 50, 0)):
    tap.check(len(list(long_sentences("x.md", 1, sample))) == many, f"{sample[:4]!r}… has {many} long sentences")
high = [line for name, (_, of) in measured.items() for line in too_many(name, of)]
tap.check(not high, "no folder has more pronouns in its comments than its ceiling", "\n".join(high))
tap.check(len(list(too_many("none", [0.6, 0.8, 0.2]))) == 3 and not list(too_many("none", [0.5, 0.7, 0.1])),
          "a folder above the goal is seen, and one at it is not")
for sample, many in (("/* That of those of the card. */", 1), ("/* Of a body. */", 1), ("/* The masses of the bodies. */", 0)):
    tap.check(len(list(faults("x", 1, sample, True))) == many, f"{sample} has {many}")
tap.finish()
