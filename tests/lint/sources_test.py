# SPDX-License-Identifier: BSD-3-Clause
"""Rules for the text of the project's own files that a compiler does not know."""
import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(os.environ["ROOT"])
CODE = {".c", ".h", ".cpp", ".hpp"}
SCRIPTS = {".py", ".cmake", ".in", ".sh", ".f", ".f90", ".F90"}
TEXT = CODE | SCRIPTS | {".json", ".md", ".txt", ".yml", ".supp", ""}
# Paths of one machine; split, so that this file does not contain them.
FORBIDDEN = [re.compile(pattern) for pattern in ("/wo" r"rk/\w", "/ho" r"me/\w", "/ro" r"ot/\w")]


def own_files():
    """What git tracks, and what it would track; in a tree without git every file outside of build directories."""
    command = ["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others"]
    listed = subprocess.run([*command, "--exclude-standard"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.split("\0")
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
        names = [name for name in names if not re.match(r"build|\.git/", name)]
    return sorted({ROOT / name for name in names if name and (ROOT / name).is_file()})


def is_script(path):
    with path.open("rb") as file:
        return file.read(2) == b"#!"


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = [path for path in own_files() if path.suffix in TEXT]
        cls.code = [path for path in cls.files if path.suffix in CODE]

    def each_line(self, files):
        for path in files:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield f"{path.relative_to(ROOT)}:{number}", line

    def assert_none(self, found):
        self.assertEqual([], found, "\n" + "\n".join(found))

    def test_there_are_files(self):
        self.assertGreater(len(self.code), 20)

    def test_no_include_by_relative_path(self):
        include = re.compile(r'\s*#\s*include\s+"\.\./')
        self.assert_none([place for place, line in self.each_line(self.code) if include.match(line)])

    def test_no_tabs(self):
        makefiles = [path for path in self.files if path.name in ("Makefile", "rules")]  # tabs are make's syntax
        self.assert_none([place for place, line in self.each_line(set(self.files) - set(makefiles)) if "\t" in line])

    def test_lines_fit_in_120_columns(self):
        code = [path for path in self.files if path.suffix in CODE | SCRIPTS or is_script(path)]
        self.assert_none([f"{place}: {len(line)}" for place, line in self.each_line(code) if len(line) > 120])

    def test_no_space_at_line_ends(self):
        self.assert_none([place for place, line in self.each_line(self.files) if line != line.rstrip()])

    def test_licence_line(self):
        named = [path for path in self.files if path.suffix in CODE | {".py"} or is_script(path)]
        self.assert_none([str(path.relative_to(ROOT)) for path in named
                          if "SPDX-License-Identifier: BSD-3-Clause" not in path.read_text(encoding="utf-8")[:300]])

    def test_no_path_of_one_machine(self):
        self.assert_none([f"{place}: {line.strip()}" for place, line in self.each_line(self.files)
                          if any(pattern.search(line) for pattern in FORBIDDEN)])

    def test_no_using_namespace_in_headers(self):
        headers = [path for path in self.code if path.suffix in {".h", ".hpp"}]
        self.assert_none([place for place, line in self.each_line(headers) if re.match(r"\s*using namespace ", line)])


class Architecture(unittest.TestCase):
    def test_every_layer_is_described(self):
        text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        layers = sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir())
        self.assertGreater(len(layers), 5)
        self.assertEqual([], [layer for layer in layers if f"src/{layer}" not in text])


class Scripts(unittest.TestCase):
    def test_setup_knows_its_argument(self):
        done = subprocess.run([ROOT / "scripts/setup", "nonsense"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)

    def test_entry_scripts_refuse_unknown_arguments(self):
        for script in ("demo", "check", "scripts/format", "scripts/try"):
            done = subprocess.run([ROOT / script, "--nonsense"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, script)
            self.assertIn("--nonsense", done.stderr)


class Datatypes(unittest.TestCase):
    def test_the_tests_know_every_predefined_datatype(self):
        api = json.loads((ROOT / "bindings/api.json").read_text(encoding="utf-8"))
        names = {c["name"] for c in api["constants"] if c.get("type") == "MPI_Datatype"} - {"MPI_DATATYPE_NULL"}
        known = set(re.findall(r'"(MPI_\w+)"', (ROOT / "tests/mpi/datatypes.hpp").read_text(encoding="utf-8")))
        self.assertEqual(names, known)


if __name__ == "__main__":
    unittest.main()
