# SPDX-License-Identifier: BSD-3-Clause
"""scripts/site makes a site of all pages: without a warning, with a search, and without a request to another host. A
link that leads nowhere ends it. ROOT names the source tree.

The argument Site builds it with two pages of functions, which is what takes seconds; WholeSite, which takes half a
minute, with all of them.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["ROOT"])
SITE = ROOT / "scripts/site"
# What a browser fetches by itself.
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Fetched(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if (tag, name) in FETCHED]


def fetched_by(text):
    parser = Fetched()
    parser.feed(text)
    return parser.addresses


class Builds(unittest.TestCase):
    """Not tests, but what they share."""

    def setUp(self):
        if shutil.which("sphinx-build") is None:
            self.skipTest("sphinx-build is not installed (scripts/setup check)")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "site"

    def run_site(self, *words, status=0):
        done = subprocess.run([SITE, *words], capture_output=True, text=True, timeout=500, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def check_site(self, functions):
        pages = sorted(self.out.rglob("*.html"))
        for source in (ROOT / "docs").rglob("*.md"):
            name = source.relative_to(ROOT / "docs").with_suffix(".html")
            self.assertTrue(name.parts[0] == "site" or self.out / name in pages, name)
        self.assertEqual(len(list(self.out.glob("functions/MPI_*.html"))), functions)
        texts = {page: page.read_text(encoding="utf-8") for page in pages}
        self.assertEqual([], [(page.name, address) for page, text in texts.items() for address in fetched_by(text)
                              if "//" in address])
        styles = {style: style.read_text(encoding="utf-8") for style in self.out.rglob("*.css")}
        self.assertGreater(len(styles), 2)
        elsewhere = re.compile(r"(?:url\(|@import)\W*http")
        self.assertEqual([], [style.name for style, text in styles.items() if elsewhere.search(text)])
        home = texts[self.out / "index.html"]
        self.assertIn("Where to read on", home)
        for page in pages:
            name = page.relative_to(self.out)
            if name.name not in ("index.html", "search.html") and name.parts[0] != "functions":
                self.assertIn(f'href="{name}"', home)  # in the list of pages
        self.assertIn('href="functions/index.html"', home)
        index = (self.out / "searchindex.js").read_text(encoding="utf-8")  # a script: it needs no server
        for word in ('"functions/MPI_Send"', "deadlock", "allreduc"):  # words are kept without their endings
            self.assertIn(word, index)


class Site(Builds):
    def setUp(self):
        super().setUp()
        self.functions = self.folder / "functions"
        self.functions.mkdir()
        self.write("index", "# All functions\n\n[MPI_Send](MPI_Send.md), [MPI_Recv](MPI_Recv.md)\n")
        self.write("MPI_Send", "# MPI_Send\n\nSee [MPI_Recv](MPI_Recv.md#errors).\n")
        self.write("MPI_Recv", "# MPI_Recv\n\n## Errors\n\nSee [debugging](../debugging.md#deadlocks).\n")

    def write(self, page, text):
        (self.functions / f"{page}.md").write_text(text, encoding="utf-8")

    def test_site(self):
        self.assertEqual(self.run_site("--functions", self.functions, self.out), "")
        self.check_site(functions=2)
        self.assertIn("something else than a site", self.run_site(self.functions, status=1))

    def test_links_that_lead_nowhere(self):
        self.write("MPI_Recv", "# MPI_Recv\n\n[page](nowhere.md) [heading](../debugging.md#nowhere)\n")
        said = self.run_site("--check", "--functions", self.functions, status=1)
        for place in ("functions/MPI_Recv.md:3: WARNING: 'myst' reference target not found: nowhere.md",
                      "functions/MPI_Recv.md:3: WARNING: 'myst' reference target not found: ../debugging.md#nowhere",
                      "functions/MPI_Send.md:3: WARNING: 'myst' reference target not found: MPI_Recv.md#errors"):
            self.assertIn(place, said)
        self.assertEqual(said.count("WARNING"), 3, said)


class WholeSite(Builds):
    def test_whole_site(self):
        if not (ROOT / "bindings" / "manual.py").exists():
            self.skipTest("manual.py in bindings/, which writes the pages of functions, does not exist")
        self.assertEqual(self.run_site(self.out), "")
        self.check_site(functions=503)


if __name__ == "__main__":
    unittest.main()
