#!/usr/bin/env python3
"""The documents hold: their sh blocks run without error and give the numbers that the text says (figures.py), pages that the program writes are up to date (`make docs`), links lead
somewhere, and the files and functions that they name are there."""
import json, os, re, shutil, subprocess, sys, tempfile

import figures
import includes
import mpis

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
program = os.environ.get("KYOHO", os.path.join(root, "build", "kyoho"))
pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + sorted(
    os.path.join(folder, name) for folder in ("docs", "docs/tutorials") for name in os.listdir(os.path.join(root, folder))
    if name.endswith(".md"))
count = 0


def result(good, text, why="", skip=""):
    global count
    count += 1
    if not good:
        print("\n".join("# " + line for line in why.splitlines()))
    print(f"{'ok' if good else 'not ok'} {count} - {text}{' # SKIP ' + skip if skip else ''}", flush=True)


def read(page):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        return file.read()


def read_any(file):
    """The content as text, also of a binary file."""
    with open(os.path.join(root, file), encoding="utf-8", errors="replace") as opened:
        return opened.read()


def version_text():
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout


def has(feature):
    return f"{feature}: yes" in version_text()


def stub(folder, name, lines):
    """A program that takes the place of one that is not here."""
    path = os.path.join(folder, "bin", name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{lines}\n")
    os.chmod(path, 0o755)


def launch(page, folder):
    """Makes `mpiexec` start ranks; where there is none, one process, and a line says so."""
    found, _ = mpis.find()
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    stub(folder, "mpiexec", f'exec "{found[0].mpiexec}" "$@"' if found else 'shift 2\nexec "$@"')
    if not found:
        result(True, f"{page}: ranks by mpiexec", skip="no mpiexec: one process runs these commands")


def run_blocks(page):
    """Runs the blocks of a page one after the other in one folder, so that later blocks use files of earlier ones, and compares the
    numbers of the page for which a comment names a command."""
    text = read(page)
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    if not blocks:
        return
    folder = tempfile.mkdtemp(prefix="kyoho-documents-")
    try:
        for name in ("bootstrap", "examples"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        path = os.pathsep.join([os.path.join(folder, "bin"), os.path.dirname(program), os.environ["PATH"]])
        if any("mpiexec" in block for block in blocks):
            launch(page, folder)
        os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
        if not shutil.which("ffmpeg"):  # a large package; tests/command/draw.py tests the frames
            stub(folder, "ffmpeg", 'for last; do :; done\ncat >"${last#file:}"')
        stub(folder, "cell", f'exec "{sys.executable}" "{figures.__file__}" "$@"')

        def shell(words, errors):
            return subprocess.run(["sh", "-eu", "-c", words], cwd=folder, env={**os.environ, **mpis.LAUNCHERS, "PATH": path}, text=True,
                                  stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL)

        ran = 0
        for step in re.finditer(r"^```sh\n(.*?)^```|" + figures.COMMENT.pattern, text, re.M | re.S):
            comment = figures.COMMENT.match(text, step.start())
            if comment:
                done = shell(comment.group(3), subprocess.PIPE)
                wrong = figures.faults(text, comment, done.stdout)
                result(not wrong, f"{page}: {comment.group(1)} {comment.group(2)}", "\n".join([*wrong, done.stdout, done.stderr]))
            else:
                ran += 1
                done = shell(step.group(1), subprocess.STDOUT)
                result(done.returncode == 0, f"{page}, sh block {ran}", step.group(1) + done.stdout)
        named = re.findall(r"`kyoho [^`]*?([^ `]+\.json)", read(page))
        lost = [name for name in named if not os.path.exists(os.path.join(folder, name))]
        if named:
            result(not lost, f"{page}: {len(named)} JSON files of commands in the text are there", " ".join(lost))
    finally:
        shutil.rmtree(folder)


def all_pages():
    """Every Markdown file."""
    for top in ("docs", "experiments", "examples", "tests", "bench", "packaging", "amuse", "python", "debian"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(".md"):
                    yield os.path.relpath(os.path.join(folder, name), root)
    yield from ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def anchor_of(heading):
    """The name of a heading, as GitHub and `make site` form it."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).strip().lower().replace(" ", "-")


def anchors(page):
    """The names of the headings of a page."""
    return set(map(anchor_of, re.findall(r"^#+ +(.*)", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S), re.M)))


def links(page):
    """Links lead to files that are there, and to headings in them."""
    bad = []
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", re.sub(r"^```.*?^```|`[^`\n]*`", "", read(page), flags=re.M | re.S)):
        if re.match(r"https?:|mailto:", target):
            continue
        other = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
        if not os.path.exists(os.path.join(root, other)):
            bad.append(target)
        elif anchor and other.endswith(".md") and (anchor not in anchors(other) or "--" in anchor):  # the site has one hyphen
            bad.append(f"{target}#{anchor}")
    return bad


def all_files():
    for top in ("src", "include", "python", "tests", "mk", "bench", "examples", "docs"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), root)


def names_exist(page, files, words):
    """Files and functions that a page names between backquotes are there; NAME stands for any."""
    bad = []
    for text in re.findall(r"`([^`\n]+)`", read(page)):
        if re.fullmatch(r"[\w./-]+\.(c|h|k|cu|sh|py|mk)", text):
            if "NAME" not in text and not any(("/" + file).endswith("/" + text) for file in files):
                bad.append(text)
        else:
            bad += [word for word in re.findall(r"\b(?:ky|KY)_\w*[A-Za-z0-9]\b(?!_)", text)
                    if "NAME" not in word and word not in words]
    result(not bad, f"{page}: the files and functions that it names are there", "\n".join(bad))


def folders_are_told():
    """The table of folders is that of tests/command/includes.py, and the page names every file of the device engine."""
    page = read("docs/architecture.md")
    order = {folder: str(level) for folder, level in includes.LEVELS.items()}
    told = {folder: level for level, folder in re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.M)}
    result(told == order, "docs/architecture.md has the folders in the order that is checked", f"{told}\n{order}")
    rooms = [os.path.join(root, "src/engine/device", room) for room in includes.ROOMS]
    units = {name[:-2] for room in rooms for name in os.listdir(room) if name.endswith(".c")}
    missing = sorted(units - set(re.findall(r"`(\w+)`", page)))
    result(not missing, "docs/architecture.md names every file of the device engine", "\n".join(missing))


result(not figures.try_itself(), "numbers of pages that differ are seen", "\n".join(figures.try_itself()))
every = list(all_pages())
broken = [f"{page}: {target}" for page in every for target in links(page)]
result(not broken and len(every) > 60, f"links of {len(every)} Markdown files lead to files and headings", "\n".join(broken))
for page in pages:
    if page.startswith("docs/tutorials/"):
        blocks = len(re.findall(r"(?:^    .*\n)+", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S), re.M))
        shown = len(re.findall(r"^<!-- shows", read(page), re.M))
        result(blocks == shown, f"{page}: lines of output are compared", f"{blocks} indented blocks, {shown} of them with a command")


def tables_run(page, least):
    """The commands in the tables of the page run, with few bodies (12³, which fill a lattice) and on the CPU. Those of a row follow each other."""
    rows = [row for row in re.findall(r"^\|.*\|$", read(page), re.M) if "`kyoho " in row]
    commands = [command for row in rows for command in re.findall(r"`(kyoho [^`]*)`", row)]
    folder, bad = tempfile.mkdtemp(prefix="kyoho-results-"), []
    for number, command in enumerate(commands):
        small = [program] + command.split()[1:]
        for name, value in (("-n", "1728"), ("--engine", "cpu"), ("--ranks", "2"), ("--threads", "1"), ("--check", "100"), ("--repeat", "1"), ("--steps", "2"), ("--output", str(number))):
            if name in small and (name != "--output" or os.path.exists(os.path.join(folder, small[small.index(name) + 1]))):
                small[small.index(name) + 1] = value
        done = subprocess.run(small, cwd=folder, capture_output=True, text=True, timeout=60)
        if done.returncode:
            bad.append(f"{command}\n{done.stderr}")
    shutil.rmtree(folder)
    result(not bad and len(commands) > least, f"{page}: {len(commands)} commands of rows run with few bodies", "\n".join(bad))


def are_claimed():
    """docs/claims.md has each time and error of README's table, and links to each section of results.md that has a table."""
    claimed = " ".join(re.findall(r"^\|([^|]*)\|", read("docs/claims.md"), re.M))
    rows = re.findall(r"^\| [\d,]+(?:, [\w ]+)? \|[^|]*\|([^|]*)\|([^|]*)\|", read("README.md"), re.M)
    figures_told = [figure.strip() for row in rows for figure in row]
    tables = [anchor_of(title) for title, text in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", read("docs/results.md"), re.M) if "\n|---" in text]
    lost = [figure for figure in figures_told if not re.search(rf"(?<![\d.]){re.escape(figure)}(?!\w)", claimed)]
    lost += [table for table in tables if f"(results.md#{table})" not in claimed]
    result(not lost and len(rows) > 5 and len(tables) > 7, "docs/claims.md has every time and error of README's table, and every table of results.md", "\n".join(lost))


are_claimed()
tables_run("docs/results.md", 25)
tables_run("docs/claims.md", 15)
files = list(all_files())
words = {word for file in files if not file.endswith(".md") for word in re.findall(r"\bKY_\w+|\bky_\w+", read_any(file))}
for page in pages + sorted("docs/decisions/" + name for name in os.listdir(os.path.join(root, "docs/decisions"))):
    if page not in ("CHANGELOG.md", "CONTRIBUTING.md"):
        names_exist(page, files, words)
folders_are_told()
complete = has("HDF5") and has("PNG")
for page in pages:
    if complete and page.startswith("docs/tutorials/") and not os.environ.get("KYOHO_TEST_ALL"):
        result(True, page, skip="make check-all runs the commands of tutorials")
    elif complete:
        run_blocks(page)
    else:
        result(True, page, skip="the documents use HDF5 and PNG, and this build lacks one of them")

for page, arguments in (("docs/man/kyoho.1", "man"), ("docs/options.md", "options"), ("docs/completion/kyoho.bash", "bash"),
                        ("docs/completion/_kyoho", "zsh")):
    now = subprocess.run([os.path.join(root, "mk", "write-docs"), program, arguments], capture_output=True, text=True)
    result(now.returncode == 0 and now.stdout == read(page), f"{page} is as the program writes it (else: make docs)")



def options_of(text):
    """The options in the lines of a help: a list of texts, of one line each."""
    return [" ".join(one.split()) for one in re.findall(r"^ {2,6}-.*\n(?: {20,}.*\n)*", text, re.M)]


def options_stand_once():
    """docs/options.md has each option of each command's help, once, with all commands that have it."""
    commands = re.findall(r"^  ([a-z]+) ", subprocess.run([program, "--help"], capture_output=True, text=True).stdout, re.M)
    told = {name: set(options_of(subprocess.run([program, name, "--help", "--all"], capture_output=True, text=True).stdout)) for name in commands}
    found, texts = {name: set() for name in commands}, []
    for usual, block in re.findall(r"^Commands: ([a-z, ]*)\.\n\n```text\n(.*?)^```", read("docs/options.md"), re.M | re.S):
        for text in options_of(block):
            own = re.search(r" \[((?:%s)(?:, [a-z]+)*|all commands)\]$" % "|".join(commands), text)
            text, names = (text[:own.start()], own.group(1)) if own else (text, usual)
            texts.append(text)
            for name in commands if names == "all commands" else names.split(", "):
                found[name].add(text)
    wrong = [f"{name}: {text}" for name in commands for text in told[name] ^ found[name]]
    twice = sorted({text for text in texts if texts.count(text) > 1})
    result(not wrong and not twice and len(texts) > 150, f"docs/options.md has {len(texts)} options once, with their commands", "\n".join(wrong + twice))


options_stand_once()
version = version_text().split()[1]
about = json.loads(read("codemeta.json"))
cited = dict(re.findall(r"^([a-z-]+): *(.*)$", read("CITATION.cff"), re.M))
result(about["version"] == cited["version"] == version and about["license"].endswith(cited["license"])
       and {"cff-version", "message", "title", "authors"} <= set(cited), "CITATION.cff and codemeta.json are of this version", f"{about} {cited}")

if shutil.which("mandoc"):
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", os.path.join(root, "docs/man/kyoho.1")],
                          capture_output=True, text=True)
    result(lint.returncode == 0, "mandoc has no warning about the man page", lint.stdout)
else:
    result(True, "mandoc has no warning about the man page", skip="mandoc is not installed")
