#!/usr/bin/env python3
"""The documents say what is so: their sh blocks run without error, the pages that the program writes are those that it would
write now (`make docs`), and links lead somewhere."""
import os, re, shutil, subprocess, sys, tempfile

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
program = os.environ.get("KYOHO", os.path.join(root, "build", "kyoho"))
pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + sorted(
    os.path.join("docs", name) for name in os.listdir(os.path.join(root, "docs")) if name.endswith(".md"))
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


def has(feature):
    return f"{feature}: yes" in subprocess.run([program, "--version"], capture_output=True, text=True).stdout


def run_blocks(page):
    """All blocks of a page in one shell after the other, in one folder: later ones use what earlier ones made."""
    blocks = re.findall(r"^```sh\n(.*?)^```", read(page), re.M | re.S)
    if not blocks:
        return
    folder = tempfile.mkdtemp(prefix="kyoho-documents-")
    try:
        for name in ("bootstrap", "examples"):
            os.symlink(os.path.join(root, name), os.path.join(folder, name))
        path = os.path.dirname(program) + os.pathsep + os.environ["PATH"]
        for k, block in enumerate(blocks):
            done = subprocess.run(["sh", "-eu", "-c", block], cwd=folder, env={**os.environ, "PATH": path}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            result(done.returncode == 0, f"{page}, sh block {k + 1}", block + done.stdout)
    finally:
        shutil.rmtree(folder)


def links(page):
    bad = []
    for target in re.findall(r"\]\(([^)#\s]+)\)", read(page)):
        if not re.match(r"https?:", target) and not os.path.exists(os.path.join(root, os.path.dirname(page), target)):
            bad.append(target)
    result(not bad, f"{page}: links lead somewhere", "\n".join(bad))


for page in pages:
    links(page)
complete = has("HDF5") and has("PNG")
for page in pages:
    if complete:
        run_blocks(page)
    else:
        result(True, page, skip="the documents use HDF5, PNG and parameter files, which this build has not all")

for page, arguments in (("docs/man/kyoho.1", "man"), ("docs/options.md", "options")):
    now = subprocess.run([os.path.join(root, "mk", "write-docs"), program, arguments], capture_output=True, text=True)
    result(now.returncode == 0 and now.stdout == read(page), f"{page} is what the program says (else: make docs)")

if shutil.which("mandoc"):
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", os.path.join(root, "docs/man/kyoho.1")],
                          capture_output=True, text=True)
    result(lint.returncode == 0, "mandoc has no warning about the man page", lint.stdout)
else:
    result(True, "mandoc has no warning about the man page", skip="mandoc is not installed")
