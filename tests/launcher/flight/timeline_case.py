# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what bowline-report --timeline makes of recordings. REPORT names the program."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from html_page import Page

REPORT = os.environ["REPORT"]
SVG = "{http://www.w3.org/2000/svg}"


class TimelineCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="timeline-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.records = self.folder / "records"

    def report(self, *arguments):
        return subprocess.run([REPORT, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=90, check=False, env=os.environ | {"TZ": "UTC"})

    def told(self, source, *arguments, problems=0):
        done = self.report("--timeline", source, *arguments)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, problems), done.stderr)
        self.problems = done.stderr
        return done.stdout

    def refused(self, *arguments, status=2):
        done = self.report(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
        self.assertRegex(done.stderr, r"\Abowline-report: [^\n]+\n\Z")
        return done.stderr[len("bowline-report: "):-1]

    def written(self, source, name, *arguments, problems=0):
        self.assertEqual(self.told(source, "-o", self.folder / name, *arguments, problems=problems), "")
        return (self.folder / name).read_text(encoding="utf-8")

    def picture(self, text):
        """The elements of the picture in a page or file."""
        self.assertNotIn("url(", text)
        root = xml.etree.ElementTree.fromstring(re.search(r"<svg.*</svg>", text, re.DOTALL)[0])
        self.assertEqual(root.get("role"), "img")
        self.assertTrue(root.get("aria-label"))
        width = float(root.get("viewBox").split()[2])
        for bar in root.iter(f"{SVG}rect"):
            self.assertGreaterEqual(float(bar.get("x")), 0)
            self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")), width + 1)
        return root

    def page(self, source, *arguments, problems=0):
        text = self.written(source, "page.html", *arguments, problems=problems)
        page = Page(text)
        self.assertEqual(page.problems, [])
        return self.picture(text), "".join(page.words)

    @staticmethod
    def titles(root, name):
        """Of the shapes of this class: what is said when the mouse is over them."""
        return [shape.find(f"{SVG}title").text for shape in root.iter() if name in (shape.get("class") or "").split()
                and shape.find(f"{SVG}title") is not None]
