#!/usr/bin/env python3
"""The documents as a site with search: `mk/site.py FOLDER`. Takes README.md and all that can be reached from it by links, with the
places that the files have in the repository, and gives them to mkdocs. A link to a folder leads to its README.md, or to a list of its files.
The navigation follows the tables of docs/README.md. Nothing is fetched."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)

# `slugify_unicode` keeps Greek letters in anchors, as GitHub does.
CONFIG = """
site_name: Kyoho
docs_dir: %s
site_dir: %s
use_directory_urls: false
theme: {name: mkdocs, highlightjs: false, navigation_depth: 2}
plugins: [search]
markdown_extensions:
  - tables
  - fenced_code
  - toc:
      slugify: !!python/name:markdown.extensions.toc.slugify_unicode
nav:
%s"""


def listing(folder):
    """A page for a folder without README.md."""
    names = sorted(name for name in os.listdir(os.path.join(ROOT, folder)) if not name.startswith((".", "__")))
    return f"# {folder}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)


def text_of(page):
    """The text of a page, whose links to folders lead to pages."""
    path = os.path.join(ROOT, page)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
    else:
        text = listing(os.path.dirname(page))

    def complete(link):
        target = os.path.join(ROOT, os.path.dirname(page), link.group(2))
        return link.group(1) + link.group(2).rstrip("/") + ("/README.md" if os.path.isdir(target) else "") + link.group(3)
    pieces = re.split(f"({CODE.pattern})", text, flags=CODE.flags)
    return "".join(piece if k % 2 else LINK.sub(complete, piece) for k, piece in enumerate(pieces))


def targets(page, text):
    """The files in the repository to which a page has links."""
    for _, target, _ in LINK.findall(CODE.sub("", text)):
        if not re.match(r"[a-z]+:", target):
            yield os.path.normpath(os.path.join(os.path.dirname(page), target))


def collect(folder):
    """Copies the pages and the files that can be reached from README.md."""
    waiting, done = ["README.md"], set()
    while waiting:
        page = waiting.pop()
        if page in done or page.startswith(".."):
            continue
        done.add(page)
        copy = os.path.join(folder, page)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        if page.endswith(".md"):
            text = text_of(page)
            with open(copy, "w", encoding="utf-8") as file:
                file.write(text)
            waiting += targets(page, text)
        else:
            shutil.copy(os.path.join(ROOT, page), copy)
    return done


def navigation(pages):
    """The lines of `nav`: the map, then a section for each of its tables, with the pages of the rows."""
    lines, seen = ["- README.md", "- docs/README.md"], {"README.md", "docs/README.md"}
    for title, rows in re.findall(r"^\| (to [A-Za-z ]+) \| \|\n\|---\|---\|\n((?:\|.*\n)+)", text_of("docs/README.md"), re.M):
        section = [page for page in targets("docs/README.md", rows) if page.endswith(".md") and page in pages and page not in seen]
        seen |= set(section)
        lines += [f"- {title[0].upper()}{title[1:]}:"] + [f"  - {page}" for page in section]
    return "\n".join(lines) + "\n"


def main(folder):
    mkdocs = shutil.which("mkdocs")
    if not mkdocs:
        print("mk/site.py: no mkdocs here: install it, on Debian and Ubuntu with apt-get install mkdocs", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as top:
        source, config = os.path.join(top, "source"), os.path.join(top, "mkdocs.yml")
        pages = collect(source)
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG % (source, os.path.abspath(folder), navigation(pages)))
        return subprocess.run([mkdocs, "build", "--strict", "--quiet", "--clean", "--config-file", config], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
