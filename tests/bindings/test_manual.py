# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the manual's generator, and of what it writes: every function has a page that says something, every
reference leads somewhere, and mandoc has nothing to complain of."""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings"))

import manual  # noqa: E402
from bindgen import model  # noqa: E402
from bindgen.manual import entries, markdown, markup, pages, roff, sentences  # noqa: E402

API = model.load(ROOT / "bindings/api.json")
KNOWN = sentences.load()
PAGES = {page.name: page for page in pages.make(API, KNOWN)}
NAMES = manual.names_of(PAGES.values())
TITLES = {chapter.name: chapter.title for chapter in KNOWN.chapters}


def said(page):
    return " ".join(page.description)


class Complete(unittest.TestCase):
    def test_every_function_has_a_page(self):
        self.assertEqual(set(PAGES), {f.name for f in API.all_functions()})
        self.assertIn("MPI_Send_c", NAMES)
        self.assertEqual(NAMES["MPI_Comm_revoke"], "MPIX_Comm_revoke")

    def test_purposes_are_commands(self):
        for page in PAGES.values():
            self.assertRegex(page.purpose, r"^[a-z][^.]*[\w)]$", page.name)
            self.assertLess(len(page.purpose), 125, page.name)

    def test_pages_say_more_than_the_purpose(self):
        for page in PAGES.values():
            self.assertGreater(len(said(page)), 45, page.name)
            self.assertTrue(page.returns, page.name)
            self.assertRegex(page.section or "extension", r"^\d+(\.\d+)*$|extension", page.name)

    def test_every_parameter_has_a_meaning(self):
        for page in PAGES.values():
            self.assertEqual(len(page.parameters), len(self.function(page.name).parameters))
            for p in page.parameters:
                self.assertRegex(p.meaning, r"\w+ ?\w", f"{page.name}: {p.name}")
                self.assertNotRegex(p.meaning, r"(?<!\.true)(?<!\.false)\.$", f"{page.name}: {p.name}")

    def function(self, name):
        return next(f for f in API.all_functions() if f.name == name)

    def test_the_most_used_functions_have_an_example(self):
        self.assertGreater(sum(bool(page.example) for page in PAGES.values()), 60)
        used = set(re.findall(r"MPI_\w+(?=\()", " ".join(KNOWN.examples.values())))
        wrong = [page.name for page in PAGES.values() if page.example and page.name not in used]
        self.assertEqual(wrong, [], "their examples do not call them")

    def test_references_lead_to_pages(self):
        for page in PAGES.values():
            self.assertTrue(set(page.see) <= set(PAGES) - {page.name}, page.name)
        for page in PAGES.values():
            for document in page.documents:
                self.assertTrue((ROOT / "docs" / document).exists(), document)

    def test_names_in_sentences_exist(self):
        constants = {c.name for c in API.all_constants()} | set(API.status) | {"MPI_ADDRESS_KIND"}
        for page in PAGES.values():
            texts = [*page.description, *page.notes, *page.returns, *(p.meaning for p in page.parameters),
                     *(f"{error} {reason}" for error, reason in page.errors)]
            for piece in (piece for text in texts for piece in markup.pieces(text, NAMES, page)):
                if piece.kind == "constant":
                    self.assertTrue(piece.text in constants, f"{page.name}: {piece.text}")


class Derived(unittest.TestCase):
    def test_non_blocking_form_of_its_twin(self):
        page = PAGES["MPI_Ibcast"]
        self.assertEqual(page.purpose, "begin to send data from one process to all")
        self.assertIn("Begins what MPI_Bcast does", said(page))
        self.assertIn("Copies `count` elements", said(page))
        self.assertNotIn("It is no barrier", said(page))  # that is said of the blocking form alone
        self.assertIn("MPI_Bcast_init", page.see)

    def test_second_half_of_a_split_access(self):
        page = PAGES["MPI_File_read_all_end"]
        self.assertEqual(page.purpose, "complete the access that MPI_File_read_all_begin has begun")
        self.assertNotIn("Each process reads", said(page))

    def test_conversions_of_handles(self):
        self.assertEqual(PAGES["MPI_Win_toint"].purpose, "convert the handle of a window to an integer")
        self.assertEqual([p.meaning for p in PAGES["MPI_Win_fromint"].parameters], ["the integer"])

    def test_errors_are_those_that_the_entry_point_checks(self):
        errors = dict(PAGES["MPI_Send"].errors)
        self.assertIn("`dest` is no rank", errors["MPI_ERR_RANK"])
        self.assertIn("MPIX_ERR_PROC_FAILED", errors)
        self.assertNotIn("MPIX_ERR_PROC_FAILED", dict(PAGES["MPI_Comm_rank"].errors))
        self.assertIn("too long", dict(PAGES["MPI_Info_set"].errors)["MPI_ERR_INFO_VALUE"])

    def test_significant_at_the_root_only(self):
        remarks = {p.name: p.remark for p in PAGES["MPI_Iscatterv"].parameters}
        self.assertEqual(remarks["sendbuf"], "significant at the root only")
        self.assertEqual(remarks["recvbuf"], "")


class Refused(unittest.TestCase):
    def with_entry(self, chapter, function, entry):
        """The sentences with another entry for a function; None takes it away."""
        changed = []
        for each in KNOWN.chapters:
            if each.name == chapter:
                own = {name: facts for name, facts in each.entries.items() if name != function}
                each = dataclasses.replace(each, entries=own | ({function: entry} if entry is not None else {}))
            changed.append(each)
        return dataclasses.replace(KNOWN, chapters=changed)

    def refused(self, known, words):
        with self.assertRaisesRegex(ValueError, words):
            pages.make(API, known)

    def test_function_without_a_purpose(self):
        self.refused(self.with_entry("point_to_point", "MPI_Probe", None), "MPI_Probe has no purpose")
        self.refused(self.with_entry("point_to_point", "MPI_Probe", {"text": "Waits.", "purpose": " "}), "no purpose")

    def test_parameter_without_a_meaning(self):
        kinds = {kind: meanings for kind, meanings in KNOWN.kinds.items() if kind != "TAG"}
        self.refused(dataclasses.replace(KNOWN, kinds=kinds),
                     r"parameter in tag of MPI_\w+ \(kind TAG\) has no meaning")

    def test_reference_to_nothing(self):
        entry = {"purpose": "do", "text": "Does.", "see": ["MPI_Frobnicate"]}
        self.refused(self.with_entry("point_to_point", "MPI_Probe", entry), "MPI_Frobnicate, which is no function")

    def test_function_and_key_that_do_not_exist(self):
        self.refused(self.with_entry("groups", "MPI_Frobnicate", {}), "MPI_Frobnicate is no function")
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "manual"
            shutil.copytree(sentences.FOLDER, copy)
            file = copy / "groups.toml"
            file.write_text(file.read_text(encoding="utf-8").replace("purpose =", "porpose =", 1), encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "groups.toml: MPI_Group_size: unknown key porpose"):
                sentences.load(copy)


class Markdown(unittest.TestCase):
    def test_links_lead_to_pages(self):
        files = manual.markdown_files(list(PAGES.values()), TITLES)
        for name, text in files.items():
            for target in re.findall(r"\]\(([^)]*)\)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)):
                self.assertTrue(target in files or (ROOT / "docs/functions" / target).resolve().exists(),
                                f"{name}: {target}")
        self.assertEqual(sum(line.startswith("| [MPI") for line in files["index.md"].splitlines()), len(PAGES))

    def test_text_is_no_markup(self):
        page = dataclasses.replace(PAGES["MPI_Comm_size"], notes=["a_b * c | d < e, `f*g` and MPI_Comm_rank"])
        self.assertIn("a\\_b \\* c \\| d &lt; e, `f*g` and [MPI_Comm_rank](MPI_Comm_rank.md)",
                      markdown.page(page, NAMES))


class Roff(unittest.TestCase):
    def prose(self, text):
        page = dataclasses.replace(PAGES["MPI_Comm_size"], notes=[text])
        return roff.text(page, NAMES).split(".Sh NOTES\n")[1].split("\n.Sh")[0].splitlines()

    def test_names_become_macros_with_what_touches_them(self):
        self.assertEqual(self.prose("See (MPI_Send), or `comm`'s size. MPI_INT, \\n."),
                         ["See", ".No \\&( Ns Xr MPI_Send 3 ) ,", "or", ".Fa comm Ns No 's", "size.", ".Dv MPI_INT ,",
                          "\\en."])

    def test_lines_are_no_requests(self):
        self.assertEqual(self.prose("End. .It 'is' so."), ["End.", "\\&.It 'is' so."])

    def test_mandoc_has_no_complaint(self):
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not installed (scripts/setup check)")
        with tempfile.TemporaryDirectory() as folder:
            files = manual.roff_files(list(PAGES.values()))
            manual.write(pathlib.Path(folder), files, "*.3")
            whole = [name for name, text in files.items() if not text.startswith(".so")]
            self.assertEqual(len(whole), len(PAGES))
            done = subprocess.run(["mandoc", "-T", "lint", *whole], cwd=folder, capture_output=True, text=True,
                                  check=False)
        # Whether references lead to pages is tested above: mandoc looks for them among the installed ones.
        complaints = [line for line in (done.stdout + done.stderr).splitlines() if "manual not found" not in line]
        self.assertEqual(complaints, [])

    def test_links_from_further_names(self):
        files = manual.roff_files(list(PAGES.values()))
        self.assertEqual(files["MPI_Send_c.3"], ".so man3/MPI_Send.3\n")
        self.assertEqual(files["MPI_Comm_revoke.3"], ".so man3/MPIX_Comm_revoke.3\n")


class Entries(unittest.TestCase):
    def test_paragraphs(self):
        self.assertEqual(entries.paragraphs("a\nb\n\n  c \n"), ["a b", "c"])


if __name__ == "__main__":
    unittest.main()
