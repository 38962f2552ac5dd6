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

# Wide tables scroll, so that the page keeps the width of a telephone. Numbers, units and the words of a command are not broken.
STYLE = """
@media (min-width: 1200px) { .container { max-width: 1400px; width: 96%; } }
.wide { overflow-x: auto; }
.whole { white-space: nowrap; }
.command { min-width: 18em; }
"""
SHORT = 18  # characters of a cell that stays on one line

# `slugify_unicode` keeps Greek letters in anchors, as GitHub does.
CONFIG = """
site_name: Kyoho
docs_dir: %s
site_dir: %s
use_directory_urls: false
theme: {name: mkdocs, highlightjs: false, navigation_depth: 2}
extra_css: [site.css]
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


def dress(page):
    """Gives the tables, short cells and commands of a page the classes of STYLE."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    text = re.sub(r"<td>(?=[^<]{1,%d}</td>)" % SHORT, '<td class="whole">', text)
    text = re.sub(r"<td>(?=<code>[^<]{%d,}</code></td>)" % (3 * SHORT), '<td class="command">', text)

    def words(code):
        return "<code>" + " ".join(f'<span class="whole">{word}</span>' for word in code.group(1).split(" ")) + "</code>"
    text = re.sub(r"(?<!<pre>)<code>([^<]*)</code>", words, text)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


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
        with open(os.path.join(source, "site.css"), "w", encoding="utf-8") as file:
            file.write(STYLE)
        code = subprocess.run([mkdocs, "build", "--strict", "--quiet", "--clean", "--config-file", config], check=False).returncode
    for place, _, names in os.walk(folder if code == 0 else ""):
        for name in names:
            if name.endswith(".html"):
                dress(os.path.join(place, name))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
