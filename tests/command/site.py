#!/usr/bin/env python3
"""`make site` builds the documents as a site with search: each link in it leads to a page and a heading, and no page loads anything from elsewhere."""
import html.parser
import json
import os
import subprocess
import sys
import urllib.parse

import tap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(TOP, "mk", "site.py")


class Page(html.parser.HTMLParser):
    """The names of a page's places, its links, and the files that it loads."""
    def __init__(self, path):
        super().__init__()
        self.names, self.links, self.loaded = {""}, [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        self.names |= {about[key] for key in ("id", "name") if about.get(key)}
        if tag == "a" and about.get("href"):
            self.links.append(about["href"])
        self.loaded += [about[key] for key in ("src", "href") if tag != "a" and about.get(key)]


def broken(path, page, pages):
    """Links and loaded files of a page that lead nowhere or elsewhere."""
    for target in page.links + page.loaded:
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            if target in page.loaded:
                yield f"{path} loads {target}"
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
        if os.path.isdir(file):
            file = os.path.join(file, "index.html")
        if not os.path.exists(file):
            yield f"{path}: {target}"
        elif file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].names:
            yield f"{path}: no heading {target}"


with tap.folder() as top:
    site = os.path.join(top, "site")
    bare = subprocess.run([sys.executable, SCRIPT, site], env={"PATH": top}, capture_output=True, text=True, check=False)
    tap.check(bare.returncode == 3 and "apt-get install mkdocs" in bare.stderr and bare.stderr.count("\n") == 1, "without mkdocs one line says what to install", bare.stderr)
    if subprocess.run(["sh", "-c", "command -v mkdocs"], capture_output=True, check=False).returncode:
        tap.skip("the site is built", "mkdocs is not installed")
    else:
        done = subprocess.run([sys.executable, SCRIPT, site], capture_output=True, text=True, check=False)
        tap.check(done.returncode == 0, "the site is built, without a warning of mkdocs", done.stdout + done.stderr)
        files = [os.path.join(folder, name) for folder, _, names in os.walk(site) for name in names if name.endswith(".html")]
        pages = {file: Page(file) for file in files if not file.endswith("404.html")}
        wrong = [text.replace(site, "") for path, page in pages.items() for text in broken(path, page, pages)]
        tap.check(not wrong and len(pages) > 50, f"links of {len(pages)} pages lead to pages and headings, and nothing is loaded from elsewhere", "\n".join(wrong))
        with open(os.path.join(site, "search", "search_index.json"), encoding="utf-8") as file:
            found = {entry["location"].split("#")[0] for entry in json.load(file)["docs"] if "softening" in entry["text"]}
        tap.check({"docs/options.html", "docs/numerics.html"} <= found, "the search knows what the pages say", found)
tap.finish()
