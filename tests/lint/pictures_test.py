# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/architecture.md show what the code has: the arrows between layers are those of the build, names
in pictures are names in src/, and each SVG has the words of its source. ROOT names the source tree."""
import html
import os
import pathlib
import re
import runpy
import unittest

ROOT = pathlib.Path(os.environ["ROOT"])
PICTURES = ROOT / "docs/pictures"
SCRIPT = runpy.run_path(str(ROOT / "scripts/pictures"))
CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.[ch]pp")))


def words_of(source):
    """The words in the labels of a picture's source."""
    text = re.sub(r"^\s*(//|#).*$", "", source.read_text(encoding="utf-8"), flags=re.MULTILINE)
    labels = re.findall(r'label ?= ?"([^"]*)"', text) + re.findall(r"<(?:td|br)\b[^>]*>([^<>]+)<", text)
    return {word for label in labels for word in label.replace("\\n", " ").split()}


def text_of(svg):
    return html.unescape(svg.read_text(encoding="utf-8")).replace("\u00a0", " ")


class Pictures(unittest.TestCase):
    def setUp(self):
        self.sources = sorted([*PICTURES.glob("*.dot"), *PICTURES.glob("*.msc")])
        self.assertGreaterEqual(len(self.sources), 5)

    def test_the_layers_are_those_of_the_build(self):
        titles = re.findall(r"<title>([^<]*)</title>", text_of(PICTURES / "layers.svg"))
        drawn = {tuple(title.split("->")) for title in titles if "->" in title}
        layers = SCRIPT["without_detours"](SCRIPT["known_layers"]())
        self.assertEqual(drawn, {(layer, below) for layer, all_below in layers.items() for below in all_below},
                         "scripts/pictures draws it anew")
        self.assertEqual(set(SCRIPT["SAYS"]), {path.name for path in (ROOT / "src").iterdir() if path.is_dir()})

    def test_each_picture_has_the_words_of_its_source(self):
        for source in self.sources:
            text = text_of(source.with_suffix(".svg"))
            missing = [word for word in words_of(source) if word not in text]
            self.assertEqual(missing, [], f"{source.name}: scripts/pictures draws it anew")

    def test_names_in_pictures_are_names_of_the_code(self):
        words = {word.strip(":,()") for source in self.sources for word in words_of(source)}
        names = {word for word in words if "_" in word or "::" in word}
        self.assertGreater(len(names), 20)
        code = set(re.findall(r"\w+", CODE))
        self.assertEqual(sorted(name for name in names if not set(re.findall(r"\w+", name)) <= code), [])

    def test_every_picture_is_shown(self):
        page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        self.assertEqual([each.name for each in PICTURES.glob("*.svg") if f"pictures/{each.name}" not in page], [])


class Door(unittest.TestCase):
    """docs/architecture.md is read in ten minutes; the pages behind it go into depth."""
    def test_it_is_short(self):
        page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        self.assertLessEqual(len(page.split()), 2500)

    def test_it_leads_to_every_page_of_design(self):
        page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        pages = (ROOT / "docs/design").glob("*.md")
        self.assertEqual([each.name for each in pages if f"design/{each.name}" not in page], [])


if __name__ == "__main__":
    unittest.main()
