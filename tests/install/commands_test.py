# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of the commands, and bowline(7): all are there, complete, well-formed, and found by man -k."""
import re
import shutil
import unittest

from installed import PREFIX, InstallTest

MAN = PREFIX / "share/man"
PAGES = sorted([*MAN.glob("man1/*.1"), *MAN.glob("man7/*.7")])


def needs(program):
    """Skips a test where the program is not there; scripts/setup check installs it."""
    return unittest.skipUnless(shutil.which(program), f"there is no {program}")


def declared_names(text):
    """The names of options in the help of a program."""
    listed = re.split(r"(?m)^(?:O|Its o)ptions:$", text)[1]
    found = re.findall(r"(?m)^  (-[^\s=,]+(?:, ?-[^\s=,]+)*)", listed)
    return [name for names in found for name in re.split(", ?", names)]


class Commands(InstallTest):
    def text(self, page):
        """The page without overstrikes, as one line."""
        text = re.sub(".\b", "", self.output("mandoc", "-T", "ascii", page))
        return re.sub(r"\s+", " ", text)

    def test_each_program_has_a_page(self):
        programs = [path.name for path in (PREFIX / "bin").iterdir()]
        self.assertIn("mpiexec.bowline", programs)
        self.assertEqual([], [name for name in programs if not (MAN / f"man1/{name}.1").exists()])

    @needs("mandoc")
    def test_lint(self):
        self.assertGreater(len(PAGES), 8)
        # Pages of other packages need not be there.
        said = [line for page in PAGES for line in self.lint(page).splitlines()
                if not re.search("referenced manual not found|outdated mandoc.db", line)]
        self.assertEqual([], said)

    def lint(self, page):
        done = self.run_program("mandoc", "-T", "lint", page)
        return done.stdout + done.stderr

    @needs("mandoc")
    def test_references(self):
        """What a page refers to is a page, of this or of another package."""
        foreign = {("cc", "1"), ("gdb", "1"), ("pkg-config", "1"), ("prterun", "1"), ("srun", "1")}
        found = {reference for page in PAGES
                 for reference in re.findall(r"(?m)^\.Xr (\S+) (\d)", page.read_text(encoding="utf-8"))}
        self.assertIn(("bowline", "7"), found)
        self.assertEqual([], [(name, section) for name, section in found - foreign
                              if not (MAN / f"man{section}/{name}.{section}").exists()])

    @needs("mandoc")
    def test_each_option_is_there(self):
        for program in sorted((PREFIX / "bin").iterdir()):
            if program.is_symlink():
                continue
            text = self.text(MAN / f"man1/{program.name}.1")
            names = declared_names(self.output(program, "--help"))
            self.assertGreater(len(names), 2, program)
            self.assertEqual([], [name for name in names if name not in text], program)
        text = self.text(MAN / "man1/mpiexec.1")
        self.assertIn("-npernode VALUE The same as -N VALUE.", text)

    @needs("mandoc")
    def test_each_variable_is_there(self):
        text = self.text(MAN / "man7/bowline.7")
        listed = re.findall(r"(?m)^  (BOWLINE_\w+)", self.output(PREFIX / "bin/bowline-info", "--tunables"))
        self.assertGreater(len(listed), 50)
        self.assertEqual([], [name for name in listed if f" {name} " not in text])
        self.assertIn("Allowed: warn, error. Default: warn.", text)

    @needs("mandb")
    def test_found_by_keyword(self):
        for folder in ("man1", "man7"):
            shutil.copytree(MAN / folder, self.directory / "man" / folder, symlinks=True)
        self.call("mandb", "--quiet", "--user-db", self.directory / "man")
        found = self.output("man", "-M", self.directory / "man", "-k", "MPI", MANWIDTH="200")
        for name in ("mpiexec", "mpirun", "mpicc", "mpifort", "bowline-ps", "bowline"):
            self.assertRegex(found, rf"(?m)^{name} \([17]\) +- \S")


if __name__ == "__main__":
    unittest.main()
